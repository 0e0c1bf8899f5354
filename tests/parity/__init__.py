"""Beside other libraries: the answers of the real tiktoken and Hugging Face libraries."""
