"""Every error class: its exact words, its fields, its bases, and that it survives pickling."""

from __future__ import annotations

import copy
import pickle

import pytest
from subword import _errors as errors

# The error, its builtin base, its fields, its words.
CASES = [
    (
        errors.ArgumentError("threads", "threads must be at least 1, not 0"),
        ValueError,
        {"argument": "threads", "message": "threads must be at least 1, not 0"},
        "threads must be at least 1, not 0",
    ),
    (
        errors.NoPiecesError("there are no pieces to learn from", "the corpus is empty"),
        errors.TrainingError,
        {"message": "there are no pieces to learn from", "hint": "the corpus is empty"},
        "there are no pieces to learn from\n  hint: the corpus is empty",
    ),
    (
        errors.CorpusError("c.txt:7", "the text spells it", 'pass special="text"'),
        ValueError,
        {"place": "c.txt:7", "message": "the text spells it", "hint": 'pass special="text"'},
        'c.txt:7: the text spells it\n  hint: pass special="text"',
    ),
    (
        errors.CountsError("corpus.jsonl:7", 'no field "text"', "pass field='body'"),
        ValueError,
        {"place": "corpus.jsonl:7", "message": 'no field "text"', "hint": "pass field='body'"},
        "corpus.jsonl:7: no field \"text\"\n  hint: pass field='body'",
    ),
    (
        errors.ModelFormatError("merges.txt:1042", "expected two, found 3", "write 'Ġ'"),
        ValueError,
        {
            "place": "merges.txt:1042",
            "message": "expected two, found 3",
            "hint": "write 'Ġ'",
        },
        "merges.txt:1042: expected two, found 3\n  hint: write 'Ġ'",
    ),
    (
        errors.ModelFormatError("", "the vocabulary has no token for byte 0x00"),
        ValueError,
        {"place": "", "message": "the vocabulary has no token for byte 0x00", "hint": None},
        "the vocabulary has no token for byte 0x00",
    ),
    (
        errors.PatternError(r"(\p{L}", "a group is not closed"),
        ValueError,
        {"pattern": r"(\p{L}", "message": "a group is not closed"},
        'pattern "(\\p{L}": a group is not closed\n'
        "  hint: the names are gpt2, cl100k, o200k, llama3, qwen2, deepseek-v3, bert, "
        "whitespace and none; anything else is a regular expression",
    ),
    (
        errors.SpecialTokenError("<|endoftext|>", 12),
        ValueError,
        {"token": "<|endoftext|>", "position": 12},
        "the text spells the special token '<|endoftext|>' at byte 12\n"
        '  hint: pass special="text" to encode it as ordinary text, special="encode" to encode '
        "every special token as its id, or special={'<|endoftext|>'} to do so for this one",
    ),
    (
        errors.TextError("the text has a lone surrogate", 3, 'pass errors="replace"'),
        ValueError,
        {
            "message": "the text has a lone surrogate",
            "position": 3,
            "hint": 'pass errors="replace"',
        },
        'the text has a lone surrogate at position 3\n  hint: pass errors="replace"',
    ),
    (
        errors.TrainingError("vocab_size=1 is too small", "pass vocab_size=256"),
        ValueError,
        {"message": "vocab_size=1 is too small", "hint": "pass vocab_size=256"},
        "vocab_size=1 is too small\n  hint: pass vocab_size=256",
    ),
    (
        errors.UnknownIdError(4_000_000_000, 7),
        KeyError,
        {"id": 4_000_000_000, "position": 7},
        "no token has id 4000000000 (position 7)\n"
        "  hint: ids mean something to the tokenizer that made them only; "
        "its largest is tok.max_id",
    ),
    (
        errors.UnknownNameError("no/such", "no tokenizer has this name", "download it"),
        FileNotFoundError,
        {"name": "no/such", "message": "no tokenizer has this name", "hint": "download it"},
        "no/such: no tokenizer has this name\n  hint: download it",
    ),
    (
        errors.MissingPackageError("Parquet files need pyarrow", "pyarrow", "parquet"),
        ImportError,
        {"message": "Parquet files need pyarrow", "name": "pyarrow", "extra": "parquet"},
        "Parquet files need pyarrow\n  hint: pip install 'subword[parquet]'",
    ),
    (
        errors.UnknownTokenError(b"\xff\xfe"),
        KeyError,
        {"token": b"\xff\xfe"},
        "b'\\xff\\xfe' is not a token\n"
        "  hint: tok.encode gives the ids of any text, tok.token_id only that of a whole token",
    ),
]

each = pytest.mark.parametrize(
    ("error", "builtin", "fields", "words"), CASES, ids=[type(case[0]).__name__ for case in CASES]
)


@each
def test_the_words_say_what_is_wrong_and_what_to_type(
    error: errors.SubwordError, builtin: type, fields: dict[str, object], words: str
) -> None:
    assert str(error) == words


@each
def test_the_fields_are_kept_and_are_the_args(
    error: errors.SubwordError, builtin: type, fields: dict[str, object], words: str
) -> None:
    assert {name: getattr(error, name) for name in fields} == fields
    assert error.args == tuple(fields.values())


@each
def test_an_error_is_caught_as_the_base_and_as_the_builtin(
    error: errors.SubwordError, builtin: type, fields: dict[str, object], words: str
) -> None:
    assert isinstance(error, errors.SubwordError)
    assert isinstance(error, builtin)


@each
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_an_error_survives_pickling_and_copying(
    error: errors.SubwordError,
    builtin: type,
    fields: dict[str, object],
    words: str,
    protocol: int,
) -> None:
    for again in (pickle.loads(pickle.dumps(error, protocol)), copy.copy(error)):
        assert type(again) is type(error)
        assert again.args == error.args
        assert str(again) == words


def test_fields_may_be_named() -> None:
    error = errors.ModelFormatError(place="tok.json", message="truncated", hint=None)
    assert error.args == ("tok.json", "truncated", None)


def test_every_class_is_listed_here() -> None:
    classes = {
        value
        for value in vars(errors).values()
        if isinstance(value, type) and issubclass(value, errors.SubwordError)
    }
    assert classes - {errors.SubwordError} == {type(case[0]) for case in CASES}
