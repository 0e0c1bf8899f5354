"""Corpora: files to counts, files to token files, token files to arrays.

paths, sizes            what a caller says about files
count                   `count_pieces`: files or texts -> counts
documents               `read_documents`: files -> texts
encode_files            `encode_files`: files -> token files
output                  the files that one run writes, and those that it must not touch
lock                    one run at a time
manifest, manifest_fields   what was made from what, and how far it is
open_tokens, tokens     `open_tokens`: token files -> arrays
parquet, parquet_rows   Parquet by pyarrow, loaded only where it is needed
"""
