"""Corpora: files to token files, token files to arrays.

encode_files            `encode_files`: files -> token files
lock                    one run at a time
manifest, manifest_fields   what was made from what, and how far it is
open_tokens, tokens     `open_tokens`: token files -> arrays
parquet, parquet_rows   Parquet by pyarrow, loaded only where it is needed
"""
