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
    from subword._aligned import aligned
    from subword._arrow import encode_arrow
    from subword._corpus.count import count_pieces
    from subword._corpus.documents import read_documents
    from subword._corpus.encode_files import EncodedFiles, encode_files
    from subword._corpus.open_tokens import open_tokens
    from subword._corpus.tokens import Tokens
    from subword._counts import Counts
    from subword._decoder import Decoder
    from subword._dropout import encode_dropout
    from subword._encoders import encoded_by
    from subword._errors import (
        ArgumentError,
        CorpusError,
        CountsError,
        MissingPackageError,
        ModelFormatError,
        ModelFormatWarning,
        NoPiecesError,
        PatternError,
        SpecialTokenError,
        SubwordError,
        TextError,
        TrainingError,
        TrainingWarning,
        UnknownIdError,
        UnknownNameError,
        UnknownTokenError,
    )
    from subword._evaluate.evaluate import evaluate
    from subword._evaluate.report import Evaluation
    from subword._explain import explain, explain_text
    from subword._explain.explanation import Explanation
    from subword._explain.visible import visible
    from subword._inputs import encode_inputs
    from subword._parts import healed, split_at, token_arrays, token_trie
    from subword._paths import nbest, sample
    from subword._pieces import (
        PatternExplanation,
        explain_path,
        explain_pattern,
        normalize,
        patterns,
        split,
    )
    from subword._saving import check_output
    from subword._session import Session, cut_points, extend, is_canonical, noncanonical_at
    from subword._smaller import prune, truncate
    from subword._spans import encode_spans
    from subword._tokenizer import Tokenizer
    from subword._train.bpe import BpeTrainer
    from subword._train.log import training_log
    from subword._train.unigram import UnigramTrainer
    from subword._train.wordpiece import WordPieceTrainer
    from subword._variants import added_tokens, with_special_tokens, with_template

__version__ = "0.1.0"

__all__ = [
    "ArgumentError",
    "BpeTrainer",
    "CorpusError",
    "Counts",
    "CountsError",
    "Decoder",
    "EncodedFiles",
    "Evaluation",
    "Explanation",
    "MissingPackageError",
    "ModelFormatError",
    "ModelFormatWarning",
    "NoPiecesError",
    "PatternError",
    "PatternExplanation",
    "Session",
    "SpecialTokenError",
    "SubwordError",
    "TextError",
    "Tokenizer",
    "Tokens",
    "TrainingError",
    "TrainingWarning",
    "UnigramTrainer",
    "UnknownIdError",
    "UnknownNameError",
    "UnknownTokenError",
    "WordPieceTrainer",
    "added_tokens",
    "aligned",
    "check_output",
    "count_pieces",
    "cut_points",
    "encode_arrow",
    "encode_dropout",
    "encode_files",
    "encode_inputs",
    "encode_spans",
    "encoded_by",
    "evaluate",
    "explain",
    "explain_path",
    "explain_pattern",
    "explain_text",
    "extend",
    "healed",
    "is_canonical",
    "nbest",
    "noncanonical_at",
    "normalize",
    "open_tokens",
    "patterns",
    "prune",
    "read_documents",
    "sample",
    "split",
    "split_at",
    "token_arrays",
    "token_trie",
    "training_log",
    "truncate",
    "visible",
    "with_special_tokens",
    "with_template",
]


def __getattr__(name: str) -> object:
    from subword._deprecated import old_function

    found = old_function(name)
    if found is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return found
