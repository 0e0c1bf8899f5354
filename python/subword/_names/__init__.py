"""Names of published tokenizers: which there are, and where their files are on this machine.

    "cl100k_base"     -> a file, its pattern and its special tokens       `published`, `encodings`
    "Qwen/Qwen3-8B"   -> a folder in the cache of Hugging Face's Hub      `hub`

Nothing here uses the network: what is not on the machine is not found.
"""
