"""Training that cannot be: every bad setting and every bad input, with its exact words."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import subword
from subword import BpeTrainer, Counts, Tokenizer, WordPieceTrainer

TEXTS = ["low lower lowest"]
BYTES = [bytes([byte]) for byte in range(256)]
NO_PIECES = (
    "there are no pieces to learn from\n"
    "  hint: an empty corpus, or one of special tokens alone, has none"
)


def base(**settings: Any) -> Tokenizer:
    return BpeTrainer(num_merges=1, **settings).train_iter(TEXTS)


def small(size: int, first: int, special: int) -> str:
    least = first + special
    return (
        f"vocab_size={size} is too small: {first} base tokens and {special} special tokens need at "
        f"least {least}\n"
        f"  hint: pass vocab_size={least} for no merges at all, or more to learn some"
    )


# Settings, the error and its words.
SETTINGS: list[tuple[dict[str, Any], type[Exception], str]] = [
    ({}, ValueError, "how much to learn: pass vocab_size= or num_merges="),
    (
        {"vocab_size": 300, "num_merges": 3},
        ValueError,
        "pass vocab_size= or num_merges=, not both",
    ),
    (
        {"vocab_size": 200, "special_tokens": ["<a>", "<b>", "<c>"]},
        subword.TrainingError,
        small(200, 256, 3),
    ),
    ({"vocab_size": 255}, subword.TrainingError, small(255, 256, 0)),
    ({"vocab_size": -1}, subword.ArgumentError, "vocab_size must be at least 0, not -1"),
    (
        {"vocab_size": 1 << 22},
        subword.TrainingError,
        "vocab_size=4194304 is too large: the most is 2097152",
    ),
    (
        {"num_merges": 1 << 22},
        subword.TrainingError,
        "num_merges=4194304 is too large: the most is 2096896",
    ),
    ({"num_merges": -1}, subword.ArgumentError, "num_merges must be at least 0, not -1"),
    ({"vocab_size": 300.0}, TypeError, "vocab_size must be an integer, not float"),
    (
        {"num_merges": 1, "ties": "first"},
        ValueError,
        'ties must be "greatest" or "smallest-ids", not "first"',
    ),
    (
        {"num_merges": 1, "min_count": -1},
        subword.ArgumentError,
        "min_count must be at least 0, not -1",
    ),
    (
        {"num_merges": 1, "max_token_length": 0},
        ValueError,
        "max_token_length must be at least 1, not 0",
    ),
    (
        {"num_merges": 1, "initial_vocab": "words"},
        ValueError,
        'initial_vocab must be "bytes", "chars" or a list of bytes, not "words"',
    ),
    (
        {"num_merges": 1, "initial_vocab": BYTES[1:]},
        subword.ModelFormatError,
        "the vocabulary has no token for byte 0x00\n"
        "  hint: byte-level BPE needs all 256 single bytes, so that any text can be encoded",
    ),
    (
        {"num_merges": 1, "initial_vocab": [*BYTES, b"a"]},
        subword.ModelFormatError,
        'the token b"a" has two ids: 97 and 256',
    ),
    (
        {"num_merges": 1, "initial_vocab": [*BYTES, b""]},
        subword.ModelFormatError,
        "the token with id 256 is empty",
    ),
    ({"num_merges": 1, "initial_vocab": ["a"]}, TypeError, "a token is bytes, not str"),
    (
        {"num_merges": 1, "special_tokens": "<s>"},
        TypeError,
        "special_tokens must be a list of strings, not one string",
    ),
    (
        {"num_merges": 1, "special_tokens": {"<s>": 7}},
        TypeError,
        "special_tokens must be a list of strings: they have no ids yet",
    ),
    (
        {"num_merges": 1, "special_tokens": [""]},
        subword.CountsError,
        "a special token is empty",
    ),
    (
        {"num_merges": 1, "pattern": 3},
        TypeError,
        "pattern must be a string or a sequence of strings",
    ),
    ({"num_merges": 1, "threads": 0}, subword.ArgumentError, "threads must be at least 1, not 0"),
    (
        {"num_merges": 1, "end_of_word": ""},
        ValueError,
        "the end-of-word mark is empty",
    ),
    (
        {"num_merges": 1, "unk_token": "<unk>"},
        ValueError,
        'unk_token goes with initial_vocab="chars": every byte is a token',
    ),
    (
        {"num_merges": 1, "limit_alphabet": 3},
        ValueError,
        'limit_alphabet goes with initial_vocab="chars"',
    ),
    (
        {"num_merges": 1, "initial_vocab": "chars", "limit_alphabet": 0},
        ValueError,
        "limit_alphabet must be at least 1, not 0",
    ),
    (
        {"num_merges": 1, "initial_vocab": "chars", "end_of_word": "x", "unk_token": "x"},
        ValueError,
        'end_of_word and unk_token are both "x"',
    ),
    ({"num_merges": 1, "base": "tok.json"}, TypeError, "base must be a Tokenizer, not str"),
    (
        {"num_merges": 1, "base": base(), "pattern": "cl100k"},
        subword.TrainingError,
        "the pieces were not cut by the pattern of the base\n"
        "  hint: count them with pattern=base.pattern",
    ),
    (
        {"num_merges": 1, "base": base(), "initial_vocab": "chars"},
        ValueError,
        "pass base= or initial_vocab=, not both",
    ),
    (
        {"vocab_size": 100, "base": base(special_tokens=["<s>"])},
        subword.TrainingError,
        small(100, 258, 0),
    ),
]


@pytest.mark.parametrize(("settings", "error", "words"), SETTINGS, ids=lambda case: str(case)[:40])
def test_bad_settings_are_refused_before_anything_is_read(
    settings: dict[str, Any], error: type[Exception], words: str
) -> None:
    def never() -> object:
        raise AssertionError("the corpus was read")
        yield

    with pytest.raises(error) as raised:
        BpeTrainer(**settings).train_iter(never())  # type: ignore[arg-type]
    assert str(raised.value) == words
    assert type(raised.value) is error


def test_a_pattern_that_does_not_compile_is_refused() -> None:
    with pytest.raises(subword.PatternError, match=r'pattern "\(": not a regular expression'):
        BpeTrainer(num_merges=1, pattern="(").train_iter(TEXTS)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("empty.txt").write_bytes(b"")
    Path("special.txt").write_bytes(b"<s><s>")
    Path("bad.txt").write_bytes(b"low\xfflow")
    return tmp_path


INPUTS: dict[str, tuple[Callable[[BpeTrainer], object], type[Exception], str]] = {
    "an empty file": (lambda t: t.train("empty.txt"), subword.TrainingError, NO_PIECES),
    "special tokens alone": (lambda t: t.train("special.txt"), subword.TrainingError, NO_PIECES),
    "no files": (lambda t: t.train([]), subword.TrainingError, NO_PIECES),
    "no texts": (lambda t: t.train_iter([]), subword.TrainingError, NO_PIECES),
    "empty texts": (lambda t: t.train_iter(["", b""]), subword.TrainingError, NO_PIECES),
    "no counts": (lambda t: t.train_counts(Counts()), subword.TrainingError, NO_PIECES),
    "a missing file": (
        lambda t: t.train(["empty.txt", "nowhere.txt"]),
        FileNotFoundError,
        "[Errno 2] No such file or directory: 'nowhere.txt'",
    ),
    "a file that is not UTF-8": (
        lambda t: t.train("bad.txt"),
        subword.TextError,
        "bad.txt: not UTF-8 at position 3\n"
        '  hint: pass errors="replace" to put U+FFFD in its place',
    ),
    "a text that is not UTF-8": (
        lambda t: t.train_iter(["low", b"\xff"]),
        subword.TextError,
        'text 1: not UTF-8 at position 0\n  hint: pass errors="replace" to put U+FFFD in its place',
    ),
    "one text": (
        lambda t: t.train_iter("low"),
        TypeError,
        "texts must be several texts, not one str",
    ),
    "numbers": (lambda t: t.train_iter([1]), TypeError, "text must be str or bytes, not int"),  # type: ignore[list-item]
    "a dictionary": (
        lambda t: t.train_counts({b"low": 1}),  # type: ignore[arg-type]
        TypeError,
        "counts must be Counts, not dict",
    ),
    "too many": (
        lambda t: t.train_counts(Counts({b"ab": 1 << 63})),
        subword.TrainingError,
        "the pieces have more than 9223372036854775807 tokens in all, each as often as it occurs",
    ),
    "a limit that is none": (
        lambda t: t.train("bad.txt", memory_limit="lots"),
        ValueError,
        "memory_limit must be a number of bytes or like \"64MB\", not 'lots'",
    ),
}


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("case", INPUTS)
def test_a_bad_corpus_is_refused(case: str) -> None:
    train, error, words = INPUTS[case]
    with pytest.raises(error) as raised:
        train(BpeTrainer(num_merges=1, special_tokens=["<s>"]))
    assert str(raised.value) == words


@pytest.mark.usefixtures("folder")
def test_what_is_not_utf8_can_be_replaced() -> None:
    tok = BpeTrainer(num_merges=2).train("bad.txt", errors="replace")
    assert tok.merges == [(b"o", b"w"), (b"l", b"ow")]


def test_counts_of_another_pattern_are_refused() -> None:
    counts = Counts({b"low": 2}, pattern="gpt2")
    with pytest.raises(subword.TrainingError) as raised:
        BpeTrainer(num_merges=1, pattern="o200k").train_counts(counts)
    assert str(raised.value) == (
        "the pieces were cut by pattern 'gpt2', not by 'o200k'\n"
        "  hint: leave pattern out: counts bring their own"
    )
    gpt2 = subword.patterns["gpt2"][0]
    assert BpeTrainer(num_merges=1, pattern=gpt2).train_counts(counts).pattern == "gpt2"


def test_an_error_in_the_texts_is_the_callers_own() -> None:
    def broken() -> Any:
        yield "low"
        raise RuntimeError("the database is gone")

    with pytest.raises(RuntimeError, match="the database is gone"):
        BpeTrainer(num_merges=1).train_iter(broken())


@pytest.mark.parametrize(
    ("trainer", "name", "found"),
    [
        (BpeTrainer("300"), "vocab_size", "str"),  # type: ignore[arg-type]
        (BpeTrainer(num_merges=1.5), "num_merges", "float"),  # type: ignore[arg-type]
        (BpeTrainer(300, min_count="2"), "min_count", "str"),  # type: ignore[arg-type]
        (WordPieceTrainer("300"), "vocab_size", "str"),  # type: ignore[arg-type]
    ],
)
def test_a_number_that_is_none_is_refused_by_its_name(
    trainer: BpeTrainer | WordPieceTrainer, name: str, found: str
) -> None:
    for train in (
        lambda: trainer.train_iter(["low"]),
        lambda: trainer.train_counts(Counts({b"low": 1})),
        trainer.counting,
    ):
        with pytest.raises(TypeError) as told:
            train()
        assert str(told.value) == f"{name} must be an integer, not {found}"
