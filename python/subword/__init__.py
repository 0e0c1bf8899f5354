"""Trains and runs subword tokenizers: exact, and fast.

>>> import subword
>>> tok = subword.Tokenizer({i: bytes([i]) for i in range(256)} | {256: b"lo"}, [(b"l", b"o")])
>>> tok.encode("low")
[256, 119]
>>> tok.decode([256, 119])
'low'
"""

from subword import _starting

with _starting.quietly():
    from subword._corpus.open_tokens import open_tokens
    from subword._counts import Counts, count_pieces
    from subword._decoder import Decoder
    from subword._errors import (
        CorpusError,
        CountsError,
        ModelFormatError,
        ModelFormatWarning,
        PatternError,
        SpecialTokenError,
        SubwordError,
        TextError,
        TrainingError,
        TrainingWarning,
        UnknownIdError,
        UnknownTokenError,
    )
    from subword._evaluate.evaluate import evaluate
    from subword._patterns import patterns
    from subword._tokenizer import Tokenizer
    from subword._train.bpe import BpeTrainer, train_bpe
    from subword._train.wordpiece import WordPieceTrainer

__version__ = "0.1.0"

__all__ = [
    "BpeTrainer",
    "CorpusError",
    "Counts",
    "CountsError",
    "Decoder",
    "ModelFormatError",
    "ModelFormatWarning",
    "PatternError",
    "SpecialTokenError",
    "SubwordError",
    "TextError",
    "Tokenizer",
    "TrainingError",
    "TrainingWarning",
    "UnknownIdError",
    "UnknownTokenError",
    "WordPieceTrainer",
    "count_pieces",
    "evaluate",
    "open_tokens",
    "patterns",
    "train_bpe",
]
