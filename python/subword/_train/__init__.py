"""Training: a corpus, or counts, in; a tokenizer out.

base        what trainers share
bpe         byte-pair encoding
wordpiece   WordPiece
log         what a training did
"""
