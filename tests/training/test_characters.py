"""Training on characters: the engine against the plain trainer, and what comes out of it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from subword import BpeTrainer, Counts, Tokenizer, _core, count_pieces, truncate
from subword.reference.characters import alphabet_of, as_words, encode_words
from subword.reference.naive import learn
from subword.reference.training import Ties

CLASSIC = {b"low": 5, b"lower": 2, b"newest": 6, b"widest": 3, b" ": 15}

pieces = st.dictionaries(
    st.one_of(
        st.text(st.sampled_from("abcé中"), min_size=1, max_size=8),
        st.lists(st.sampled_from(["</w>", "<", "/w", ">", "a", " "]), min_size=1, max_size=5).map(
            "".join
        ),
    ),
    st.integers(1, 9),
    max_size=12,
).map(lambda counts: {"ab": 1} | counts)


def trained(counts: dict[str, int] | Counts, **settings: object) -> Tokenizer:
    if not isinstance(counts, Counts):
        encoded = {piece.encode(): count for piece, count in counts.items()}
        counts = Counts(encoded, pattern="whitespace")
    settings = {"initial_vocab": "chars", "end_of_word": "</w>", "unk_token": "<unk>"} | settings
    model, _ = _core.train_bpe(counts._counts, **settings)  # type: ignore[arg-type]
    return Tokenizer._of(model, 1 << 20)


@given(
    counts=pieces,
    merges=st.integers(0, 12),
    limit=st.none() | st.integers(1, 6),
    ties=st.sampled_from(["greatest", "smallest-ids"]),
)
def test_the_merges_are_those_of_the_plain_trainer(
    counts: dict[str, int], merges: int, limit: int | None, ties: Ties
) -> None:
    tok = trained(counts, num_merges=merges, limit_alphabet=limit, ties=ties)
    alphabet = alphabet_of(counts, limit)
    first = [*(character.encode() for character in alphabet), b"</w>"]
    words = as_words(counts, set(alphabet))
    expected = [merge.pair for merge in learn(words, merges, ids=first, ties=ties)]
    assert tok.merges == expected
    made = dict.fromkeys([*first, *(left + right for left, right in expected), b"<unk>"])
    assert tok.vocab == dict(enumerate(made))
    # What was learned is what encoding does.
    ranks = {(left.decode(), right.decode()): rank for rank, (left, right) in enumerate(expected)}
    text = " ".join(counts) + " zé"
    tokens = encode_words(text, ranks, alphabet=set(alphabet))
    assert [tok.token_bytes(id).decode() for id in tok.encode(text)] == tokens


@given(counts=pieces, fewer=st.integers(0, 12))
def test_a_truncated_tokenizer_is_the_one_of_a_shorter_training(
    counts: dict[str, int], fewer: int
) -> None:
    whole = trained(counts, num_merges=12)
    size = max(whole.vocab_size - fewer, whole.vocab_size - len(whole.merges))
    assert truncate(whole, size) == trained(counts, vocab_size=size)


@given(counts=pieces)
def test_text_that_spells_the_mark_never_becomes_one(counts: dict[str, int]) -> None:
    tok = trained(counts, num_merges=30)
    text = "".join(counts).replace(" ", "")
    if not text:
        return
    ids, places = tok.encode_offsets(text)
    assert tok.decode(ids) == text
    assert [tok.token_bytes(id).endswith(b"</w>") for id in ids] == [False] * (len(ids) - 1) + [
        True
    ]
    assert places[-1][1] == len(text)


def test_the_classic_example(tmp_path: Path) -> None:
    """The words of Sennrich, Haddow and Birch (2016), under our rule for ties."""
    tok = trained(Counts(CLASSIC, pattern="whitespace"), num_merges=4)
    assert tok.merges == [(b"t", b"</w>"), (b"s", b"t</w>"), (b"e", b"st</w>"), (b"o", b"w")]
    assert tok.decode(tok.encode("lowest  widest lö")) == "lowest widest l<unk>"
    tok.save(tmp_path / "classic.json")
    assert Tokenizer.load(tmp_path / "classic.json") == tok
    assert (tok.pattern, tok.special_tokens) == ("whitespace", {"<unk>": tok.max_id})


def test_from_text_with_special_tokens_and_any_mark() -> None:
    text = "low low<|end|>lower lowest\nlow "
    counts = count_pieces(texts=[text], pattern="whitespace", special_tokens=["<|end|>"])
    tok = trained(counts, num_merges=2, end_of_word="▁", unk_token="?")
    assert tok.merges == [(b"o", b"w"), (b"l", b"ow")]
    assert tok.end_of_word == "▁"
    assert list(tok.special_tokens) == ["?", "<|end|>"]
    assert tok.decode(tok.encode("low low")) == "low low"
    words = Counter(text.replace("<|end|>", " ").split())
    assert dict(counts) == {word.encode(): n for word, n in words.items()} | {b" ": 3, b"\n": 1}


def test_a_base_of_characters_is_continued() -> None:
    base = trained(Counts(CLASSIC, pattern="whitespace"), num_merges=3)
    more = Counts({b"low": 3, "löwest".encode(): 1}, pattern="whitespace")
    model, _ = _core.train_bpe(more._counts, num_merges=2, base=base)
    tok = Tokenizer._of(model, 1 << 20)
    assert tok.vocab.items() >= base.vocab.items()
    assert tok.merges == [*base.merges, (b"w", b"</w>"), (b"o", b"w</w>")]
    assert (tok.units, tok.end_of_word, tok.unk_token) == ("chars", "</w>", "<unk>")


def test_bytes_may_have_a_mark_too() -> None:
    counts = Counts({"né".encode(): 4, b" ": 3}, pattern="whitespace")
    tok = trained(counts, num_merges=2, initial_vocab="bytes", unk_token=None)
    assert tok.merges == [(b"\xc3", b"\xa9"), (b"\xc3\xa9", b"</w>")]
    assert tok.decode(tok.encode("né  né 中")) == "né né 中"


def test_bad_settings_are_refused() -> None:
    counts = {"low": 1}
    with pytest.raises(ValueError, match='unk_token goes with initial_vocab="chars"'):
        trained(counts, num_merges=1, initial_vocab="bytes")
    with pytest.raises(ValueError, match="the end-of-word mark holds white space"):
        trained(counts, num_merges=1, end_of_word="< >")
    with pytest.raises(ValueError, match="limit_alphabet must be at least 1, not 0"):
        trained(counts, num_merges=1, limit_alphabet=0)
    message = "vocab_size=4 is too small: 4 base tokens and 1 special tokens need at least 5"
    with pytest.raises(ValueError, match=message):
        trained(counts, vocab_size=4)


@pytest.mark.parametrize(("given", "mark"), [(None, "</w>"), ("", None), ("_", "_")])
def test_characters_have_a_mark_unless_it_is_empty(given: str | None, mark: str | None) -> None:
    trainer = BpeTrainer(num_merges=2, initial_vocab="chars", end_of_word=given)
    tok = trainer.train_iter(["low low lower"])
    assert tok.end_of_word == mark
    assert tok.decode(tok.encode("lower low")) == "lower low"
