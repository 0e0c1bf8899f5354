"""Rows of ids, as models take them: for `encode_inputs`, and for tokenizers of transformers.

cutting         texts cut to fit, in windows
rows            what stands where: texts, a template around them, padding
settings        what the call, or else the tokenizer's file, says about rows
model_inputs    what `encode_inputs` does
"""
