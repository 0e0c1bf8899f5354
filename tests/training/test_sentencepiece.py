"""BPE in SentencePiece's form: the trainer against the plain one, and the real library."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from hypothesis import example, given, settings
from hypothesis import strategies as st
from subword import BpeTrainer, Counts, Tokenizer, count_pieces, explain_path, split
from subword._train.bpe import SENTENCEPIECE
from subword.reference.sentencepiece import BYTES, as_words, encode, learn
from subword.reference.training import Ties

from tests.support.published import corpus

texts = st.lists(
    st.text(st.sampled_from("ab1é中😀, \n▁<0x>4"), max_size=16), min_size=1, max_size=8
).map(lambda found: ["ab", *found])


def trainer(**given: Any) -> BpeTrainer:
    given = {"num_merges": 30} | given if "vocab_size" not in given else given
    return BpeTrainer(initial_vocab="chars", byte_fallback=True, **given)


def saved(tok: Tokenizer, folder: Path) -> tokenizers.Tokenizer:
    tok.save(folder / "tokenizer.json")
    return tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))


def counts_of(texts: Iterable[str]) -> dict[str, int]:
    return {piece.decode(): n for piece, n in count_pieces(texts=texts, pattern=SENTENCEPIECE)}


@pytest.mark.filterwarnings("ignore::subword.TrainingWarning")
@given(
    texts=texts,
    merges=st.integers(0, 30),
    coverage=st.sampled_from([0.6, 0.9, 1.0]),
    digits=st.booleans(),
    longest=st.none() | st.integers(1, 4),
    ties=st.sampled_from(["greatest", "smallest-ids"]),
)
@example(["    a", "<0x41>"] * 9, 30, 1.0, False, None, "greatest")
@settings(deadline=None)
def test_the_merges_are_those_of_the_plain_trainer(
    texts: list[str], merges: int, coverage: float, digits: bool, longest: int | None, ties: Ties
) -> None:
    words, alphabet = as_words(counts_of(texts), coverage=coverage, split_digits=digits)
    learned = learn(words, merges, alphabet, ties=ties, max_token_length=longest)
    pairs = [(one.pair[0].decode(), one.pair[1].decode()) for one in learned]
    made = dict.fromkeys([*BYTES, *alphabet, *(left + right for left, right in pairs)])
    tok = trainer(
        num_merges=merges,
        character_coverage=coverage,
        split_digits=digits,
        max_token_length=longest,
        ties=ties,
        threads=3,
    ).train_iter(texts)
    assert tok.merges == [(left.encode(), right.encode()) for left, right in pairs]
    assert {id: token.decode() for id, token in tok.vocab.items()} == dict(enumerate(made))
    for text in [*texts, "b  é\n\n1 <0x41>"]:
        tokens = encode(text, pairs, alphabet={*alphabet})
        assert [tok.token_bytes(id).decode() for id in tok.encode(text)] == tokens


@pytest.mark.filterwarnings("ignore::subword.TrainingWarning")
@given(texts=texts)
@settings(max_examples=50, deadline=None)
def test_what_training_cut_is_what_encoding_leaves_apart(texts: list[str]) -> None:
    """The pieces that the trainer counts, encoded one by one, are the text encoded as a whole."""
    tok = trainer(vocab_size=256 + 40, character_coverage=1.0).train_iter(texts * 3)
    for text in texts:
        apart = [id for piece in split(text, SENTENCEPIECE) for id in tok.encode(piece)]
        assert tok.encode(text) == apart


def test_the_real_library_runs_what_was_learned(tmp_path: Path) -> None:
    text = corpus("tinystories_2.4mb.txt").decode()[:300_000] + "\n    return 1984\n" * 30
    tok = trainer(vocab_size=1200, special_tokens=["<s>", "</s>"], split_digits=True).train_iter(
        [text[:250_000], text[-500:]]
    )
    assert tok.vocab_size == 1200
    real = saved(tok, tmp_path)
    held = [
        "naïve 日本 😀",
        "",
        "  two  spaces \n\n\tand 20245 ▁x",
        "<0x41>",
        "a<s>b</s> c",
        text[-60_000:],
    ]
    for line in held:
        wanted = real.encode(line, add_special_tokens=False)
        ids, offsets = tok.encode_offsets(line, special="encode")
        assert (ids, offsets) == (wanted.ids, wanted.offsets)
        assert tok.decode(ids) == real.decode(ids, skip_special_tokens=False)
        assert tok.decode(ids) == line.replace("▁", " ")
    again = Tokenizer.load(tmp_path / "tokenizer.json")
    assert again == tok
    assert again.encode_batch(held) == tok.encode_batch(held)
    pieces = [tok.token_bytes(id).decode() for id in tok.encode("    return 19")]
    assert pieces == ["▁▁▁", "▁return", "▁", "1", "9"]
    assert "plain chain" not in str(explain_path(tok))


def test_order_shards_and_threads_do_not_matter() -> None:
    lines = corpus("tinystories_2.4mb.txt").decode()[:200_000].splitlines()
    learn = trainer(vocab_size=900)
    whole = learn.train_iter(lines)
    parts = [count_pieces(texts=part, **learn.counting()) for part in (lines[1::2], lines[::2])]
    assert trainer(vocab_size=900, threads=5).train_counts(parts[0] + parts[1]) == whole
    spilled = count_pieces(texts=lines, memory_limit="1MB", **learn.counting())
    assert learn.train_counts(spilled) == whole


def test_a_normalizer_of_the_counts_is_part_of_the_tokenizer(tmp_path: Path) -> None:
    learn = trainer(num_merges=5)
    counts = count_pieces(texts=["ﬁne ﬁsh"] * 3, normalizer="nfkc", **learn.counting())
    tok = learn.train_counts(counts)
    real = saved(tok, tmp_path)
    assert tok.encode("ﬁsh fish") == real.encode("ﬁsh fish").ids == tok.encode("fish fish")
    steps = json.loads((tmp_path / "tokenizer.json").read_text(encoding="utf-8"))["normalizer"]
    assert [step["type"] for step in steps["normalizers"]] == ["NFKC", "Replace"]


def test_the_pattern_says_what_may_merge_and_is_no_part_of_the_tokenizer() -> None:
    texts = ["to be or not to be"] * 4
    across = trainer(num_merges=13, pattern="none").train_iter(texts)
    assert any(b"o\xe2\x96\x81" in token for token in across.vocab.values())
    assert across.decode(across.encode(texts[0])) == texts[0]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"initial_vocab": "bytes"}, 'byte_fallback goes with initial_vocab="chars"'),
        ({"end_of_word": "</w>"}, "byte_fallback and end_of_word do not go together"),
        ({"unk_token": "<unk>"}, "byte_fallback and unk_token do not go together"),
        ({"character_coverage": 0.0}, "character_coverage must be above 0 and at most 1, not 0"),
        (
            {"character_coverage": 0.9, "limit_alphabet": 9},
            "pass limit_alphabet= or character_coverage=, not both",
        ),
        (
            {"byte_fallback": False, "split_digits": True},
            "split_digits goes with byte_fallback: elsewhere the pattern does it",
        ),
        (
            {"byte_fallback": False, "initial_vocab": "bytes", "character_coverage": 0.9},
            'character_coverage goes with initial_vocab="chars"',
        ),
    ],
)
def test_settings_that_do_not_go_together_are_refused(
    settings: dict[str, Any], message: str
) -> None:
    given: dict[str, Any] = {
        "num_merges": 3,
        "initial_vocab": "chars",
        "byte_fallback": True,
    } | settings
    with pytest.raises(ValueError, match=message.replace("(", r"\(")):
        BpeTrainer(**given).train_iter(["low"])


def test_a_coverage_goes_with_words_too() -> None:
    counts = Counts({b"aaa": 8, b"b": 1}, pattern="whitespace")
    tok = BpeTrainer(
        num_merges=0, initial_vocab="chars", unk_token="<unk>", character_coverage=0.9
    ).train_counts(counts)
    assert [*tok.vocab.values()] == [b"a", b"</w>", b"<unk>"]
