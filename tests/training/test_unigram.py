"""Training Unigram: the engine learns what the plain version learns; the real library runs it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from hypothesis import example, given, settings
from hypothesis import strategies as st
from subword import (
    Counts,
    NoPiecesError,
    Tokenizer,
    TrainingError,
    TrainingWarning,
    UnigramTrainer,
    count_pieces,
)
from subword.reference.unigram import best_path, train_unigram

from tests.support.published import corpus

SYMBOLS = ["<sep>", "c é"]

words = st.dictionaries(
    st.text(st.sampled_from("abcé中😀▁19"), min_size=1, max_size=12), st.integers(1, 9), min_size=1
)


def with_marks(counts: dict[str, int]) -> dict[str, int]:
    """The words as the model sees them: each starts with the mark, and no other one is in it."""
    found: dict[str, int] = {}
    for word, count in counts.items():
        word = word if word.startswith("▁") else "▁" + word
        cuts = [at for at, character in enumerate(word) if character == "▁"] + [len(word)]
        for start, end in pairwise(cuts):
            found[word[start:end]] = found.get(word[start:end], 0) + count
    return found


def entries(tok: Tokenizer) -> list[tuple[str, float]]:
    """The pieces and their scores, special tokens left out."""
    model = json.loads(saved(tok))["model"]
    return [(piece, score) for piece, score in model["vocab"] if piece not in tok.special_tokens]


def saved(tok: Tokenizer) -> str:
    path = Path("unigram-tokenizer.json").absolute()
    tok.save(path, format="huggingface")
    text = path.read_text(encoding="utf-8")
    path.unlink()
    return text


@pytest.fixture(autouse=True)
def _in_a_folder_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.filterwarnings("ignore::subword.TrainingWarning")
@given(
    counts=words,
    more=st.integers(0, 30),
    longest=st.integers(1, 5),
    seeds=st.sampled_from([3, 20, 1000]),
    coverage=st.sampled_from([0.6, 0.95, 1.0]),
    shrink=st.sampled_from([0.3, 0.75]),
    digits=st.booleans(),
)
@example(counts={"a": 1}, more=0, longest=1, seeds=3, coverage=1.0, shrink=0.75, digits=False)
@example(counts={"1a1": 1}, more=9, longest=5, seeds=9, coverage=1.0, shrink=0.75, digits=True)
@settings(max_examples=150, deadline=None)
def test_the_engine_learns_what_the_plain_version_learns(
    counts: dict[str, int],
    more: int,
    longest: int,
    seeds: int,
    coverage: float,
    shrink: float,
    digits: bool,
) -> None:
    options: dict[str, Any] = {
        "max_piece_length": longest,
        "seed_size": seeds,
        "character_coverage": coverage,
        "shrinking_factor": shrink,
        "split_digits": digits,
    }
    marked = with_marks(counts)
    characters = train_unigram(marked, 0, **options)
    size = len(characters) + more
    expected = train_unigram(marked, size, **options)
    for threads in (1, 3):
        trainer = UnigramTrainer(
            size + 1, special_tokens=["<unk>"], normalizer="none", threads=threads, **options
        )
        learned = entries(trainer.train_counts(plain_counts(counts)))
        assert [piece for piece, _ in learned] == list(expected)
        # A score is a neighbour of the number that the library can read back.
        assert [score for _, score in learned] == pytest.approx(list(expected.values()), rel=1e-14)


@pytest.mark.filterwarnings("ignore::subword.TrainingWarning")
@given(counts=words, more=st.integers(0, 30), symbols=st.sampled_from([[], SYMBOLS]))
@settings(max_examples=40, deadline=None)
def test_tokens_of_symbols_and_bytes_come_before_the_pieces(
    counts: dict[str, int], more: int, symbols: list[str]
) -> None:
    pieces = train_unigram(with_marks(counts), 0)
    pieces = train_unigram(with_marks(counts), len(pieces) + more)
    trainer = UnigramTrainer(
        1 + len(symbols) + 256 + len(pieces),
        special_tokens=["<unk>"],
        user_defined_symbols=symbols,
        byte_fallback=True,
        character_coverage=1.0,
    )
    tok = trainer.train_counts(plain_counts(counts, symbols=symbols, normalizer="nfkc"))
    spelled = [f"<0x{byte:02X}>" for byte in range(256)]
    model = json.loads(saved(tok))["model"]
    first = ["<unk>", *symbols]
    assert [piece for piece, _ in model["vocab"]] == [*first, *spelled, *pieces]
    scores = [score for _, score in model["vocab"]]
    assert scores[: len(first)] == [0.0] * len(first)
    of_bytes = scores[len(first) : -len(pieces)]
    assert of_bytes == pytest.approx([7 * min(pieces.values()) - 1] * 256)
    # Text that spells the token of a byte never becomes it, if its characters are learned.
    assert min(pieces.values()) * 6 > max(of_bytes)


def plain_counts(
    counts: dict[str, int], *, symbols: Sequence[str] = (), normalizer: Any = "none"
) -> Counts:
    trainer = UnigramTrainer(
        normalizer=normalizer, special_tokens=["<unk>"], user_defined_symbols=symbols
    )
    texts = (word for word, count in counts.items() for _ in range(count))
    return count_pieces(texts=texts, **trainer.counting())


def test_order_shards_and_threads_do_not_matter() -> None:
    text = corpus("tinystories_2.4mb.txt").decode()[:300_000]
    lines = text.splitlines()
    trainer = UnigramTrainer(800)
    whole = trainer.train_iter(lines)
    parts = [count_pieces(texts=part, **trainer.counting()) for part in (lines[1::2], lines[::2])]
    for threads in (1, 2, 5):
        other = UnigramTrainer(800, threads=threads).train_counts(parts[0] + parts[1])
        assert other == whole
    assert whole.vocab_size == 800


def test_the_real_library_runs_what_was_learned() -> None:
    text = corpus("tinystories_2.4mb.txt").decode()
    tok = UnigramTrainer(1000).train_iter(text[:200_000].splitlines())
    real = tokenizers.Tokenizer.from_str(saved(tok))
    held = [*text[-20_000:].splitlines(), "naïve ﬁsh ▁x", "", "  two  spaces ", "日本"]
    for line in held:
        wanted = real.encode(line, add_special_tokens=False)
        ids, offsets = tok.encode_offsets(line)
        assert (ids, offsets) == (wanted.ids, wanted.offsets)
        assert tok.decode(ids) == real.decode(ids, skip_special_tokens=False)
    again = Tokenizer.load(saved(tok).encode())
    assert again.encode_batch(held) == tok.encode_batch(held)


@pytest.mark.parametrize(
    "options",
    [
        {"byte_fallback": True},
        {"split_digits": True, "byte_fallback": True},
        {"user_defined_symbols": ["<sep>", "New York", "e"]},
        {"user_defined_symbols": ["<sep>"], "byte_fallback": True, "normalizer": "none"},
    ],
    ids=lambda options: ", ".join(options),
)
def test_the_real_library_runs_every_option(options: dict[str, Any]) -> None:
    text = corpus("tinystories_2.4mb.txt").decode()[:100_000] + " 1984 42nd" * 20
    tok = UnigramTrainer(1000, character_coverage=0.999, **options).train_iter(text.splitlines())
    real = tokenizers.Tokenizer.from_str(saved(tok))
    held = [
        "naïve 日本 😀 x\tz",
        "<sep> New York<sep>now",
        "\uff1csep\uff1e <s> in 1984, \uff14\uff12",
        "<0x41><0xE4>",
        "",
    ]
    for line in [*held, *text[50_000:60_000].splitlines()]:
        wanted = real.encode(line, add_special_tokens=False)
        ids, offsets = tok.encode_offsets(line, special="encode")
        assert (ids, offsets) == (wanted.ids, wanted.offsets)
        assert tok.decode(ids) == real.decode(ids, skip_special_tokens=False)
    assert Tokenizer.load(saved(tok).encode()).encode_batch(held) == tok.encode_batch(held)
    if "byte_fallback" in options:
        assert tok.decode(tok.encode("naïve 日本 😀")) == "naïve 日本 😀"
    if "split_digits" in options:
        pieces = [tok.token_bytes(id).decode() for id in tok.encode("in 1984")]
        assert pieces[-5:] == ["▁", "1", "9", "8", "4"]
    if "user_defined_symbols" in options:
        assert tok.token_id("<sep>") in tok.encode("a <sep> b")


def test_words_are_cut_by_the_best_path() -> None:
    tok = UnigramTrainer(12, special_tokens=["<unk>"]).train_iter(["low lower lowest newest"] * 5)
    scores = dict(entries(tok))
    for word in ("slowest", "newer", "wow"):
        known = [piece for piece in best_path("▁" + word, scores) if piece is not None]
        assert tok.encode(word) == [tok.token_id(piece) for piece in known]


def test_more_of_a_vocabulary_makes_fewer_tokens() -> None:
    text = corpus("tinystories_2.4mb.txt").decode()
    counts = count_pieces(texts=text[:400_000].splitlines(), **UnigramTrainer().counting())
    held = text[-50_000:]
    sizes = [UnigramTrainer(size).train_counts(counts).count(held) for size in (200, 600, 2000)]
    assert sizes == sorted(sizes, reverse=True)
    assert sizes[-1] < 1.8 * len(held.split())


def test_what_cannot_be_learned_is_refused_by_name() -> None:
    with pytest.raises(NoPiecesError):
        UnigramTrainer(50).train_iter([])
    with pytest.raises(TrainingError, match="vocab_size=5 is too small: 4 characters and 3"):
        UnigramTrainer(5).train_iter(["abc"])
    with pytest.raises(ValueError, match="character_coverage must be above 0"):
        UnigramTrainer(50, character_coverage=0.0).train_iter(["abc"])
    with pytest.raises(ValueError, match="shrinking_factor must be between 0 and 1"):
        UnigramTrainer(50, shrinking_factor=1.0).train_iter(["abc"])
    with pytest.raises(TrainingError, match="256 bytes and 5 special and user-defined tokens need"):
        UnigramTrainer(9, byte_fallback=True, user_defined_symbols=["d", "e"]).train_iter(["abc"])
    with pytest.raises(ValueError, match='the token "<s>" is there twice'):
        UnigramTrainer(50, user_defined_symbols=["<s>"]).train_iter(["abc"])
    with pytest.raises(ValueError, match="user_defined_symbols has 'a' twice"):
        UnigramTrainer(50, user_defined_symbols=["a", "a"]).train_iter(["abc"])
    with pytest.raises(ValueError, match='the token "<0x0A>" is that of a byte'):
        UnigramTrainer(400, special_tokens=["<0x0A>"], byte_fallback=True).train_iter(["abc"])
    with pytest.raises(TypeError, match="max_piece_length must be an integer, not str"):
        UnigramTrainer(50, max_piece_length="9").train_iter(["abc"])  # type: ignore[arg-type]
    with pytest.raises(TrainingError, match="the pieces were cut by pattern 'gpt2'"):
        UnigramTrainer(50).train_counts(count_pieces(texts=["abc"]))
    with pytest.warns(TrainingWarning, match="vocab_size=50 is more than the corpus has"):
        UnigramTrainer(50).train_iter(["abc"])
