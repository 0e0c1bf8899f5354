"""Merges that are left out at random: the plain definition's, Hugging Face's, and no thread's."""

from __future__ import annotations

import json
import math
import random as randomness
from collections import Counter
from collections.abc import Iterator, Mapping

import pytest
import tokenizers
from hypothesis import given, settings
from hypothesis import strategies as st
from subword import (
    ArgumentError,
    SpecialTokenError,
    Tokenizer,
    added_tokens,
    encode_dropout,
    split,
    with_template,
)
from subword.reference import Draws, merge_with_dropout
from tokenizers import models, pre_tokenizers

from tests.reference.test_encoders import BYTES, Merges, by_pair, merge_lists
from tests.support.small import MAKERS, SAMPLE, tokenizer_named

RATES = st.sampled_from([0.0, 0.05, 0.3, 0.5, 0.9, 1.0])
SEEDS = st.integers(0, 2**64 - 1)

LETTERS = st.lists(st.sampled_from([b"a", b"b", b"c", b" "]), max_size=60).map(b"".join)


def byte_level(merges: Merges, pattern: str = "none") -> Tokenizer:
    made = sorted({left + right for left, right in merges})
    return Tokenizer(BYTES | dict(enumerate(made, start=256)), merges, ["<s>"], pattern=pattern)


def plainly(
    tok: Tokenizer,
    pieces: list[list[bytes]],
    ranks: Mapping[tuple[bytes, bytes], int],
    draws: Draws,
) -> list[int]:
    """The ids of pieces by the plain definition; the draws run through all of them."""
    merged = [merge_with_dropout(piece, ranks, draws) for piece in pieces]
    return [tok.token_id(token) for tokens in merged for token in tokens]


@settings(max_examples=300)
@given(texts=st.lists(LETTERS, max_size=4), merges=merge_lists(), rate=RATES, seed=SEEDS)
def test_the_ids_are_those_of_the_plain_definition(
    texts: list[bytes], merges: Merges, rate: float, seed: int
) -> None:
    for pattern in ("none", "gpt2"):
        tok = byte_level(merges, pattern)
        expected = []
        for number, text in enumerate(texts):
            pieces = [[bytes([b]) for b in piece] for piece in split(text, pattern)]
            draws = Draws(rate, seed, number)
            expected.append(plainly(tok, pieces, by_pair(merges), draws))
        assert encode_dropout(tok, texts, rate, seed=seed) == expected


@settings(max_examples=100)
@given(words=st.lists(st.text("abcd", min_size=1, max_size=12), max_size=5), rate=RATES, seed=SEEDS)
def test_so_are_those_of_words_with_a_mark(words: list[str], rate: float, seed: int) -> None:
    merges = [(b"a", b"b"), (b"ab", b"</w>"), (b"c", b"</w>"), (b"a", b"ab"), (b"b", b"c</w>")]
    tokens = [b"a", b"b", b"c", b"<unk>", b"</w>", *(left + right for left, right in merges)]
    tok = Tokenizer(
        dict(enumerate(tokens)),
        merges,
        pattern="whitespace",
        units="chars",
        end_of_word="</w>",
        unk_token="<unk>",
    )
    pieces = [[*(b"<unk>" if c == "d" else c.encode() for c in word), b"</w>"] for word in words]
    expected = plainly(tok, pieces, by_pair(merges), Draws(rate, seed))
    assert encode_dropout(tok, [" ".join(words)], rate, seed=seed) == [expected]


@settings(max_examples=100)
@given(text=st.text("ab ☃é", max_size=60), rate=RATES, seed=SEEDS)
def test_so_are_those_of_a_text_that_is_one_piece(text: str, rate: float, seed: int) -> None:
    merges = [("▁", "a"), ("a", "b"), ("▁a", "b"), ("▁", "▁"), ("ab", "▁"), ("▁▁", "a")]
    tokens = ["<unk>", *(f"<0x{byte:02X}>" for byte in range(256)), *"▁abé"]
    tokens += dict.fromkeys(left + right for left, right in merges)
    tok = Tokenizer.load(
        json.dumps(
            {
                "version": "1.0",
                "added_tokens": [],
                "normalizer": {"type": "Replace", "pattern": {"String": " "}, "content": "▁"},
                "pre_tokenizer": None,
                "post_processor": None,
                "decoder": None,
                "model": {
                    "type": "BPE",
                    "unk_token": "<unk>",
                    "fuse_unk": True,
                    "byte_fallback": True,
                    "vocab": {token: id for id, token in enumerate(tokens)},
                    "merges": [f"{left} {right}" for left, right in merges],
                },
            }
        ).encode()
    )
    piece = []
    for character in text.replace(" ", "▁"):
        if character == "☃":
            piece += [f"<0x{byte:02X}>".encode() for byte in character.encode()]
        else:
            piece.append(character.encode())
    ranks = {(one.encode(), two.encode()): rank for rank, (one, two) in enumerate(merges)}
    expected = plainly(tok, [piece], ranks, Draws(rate, seed))
    assert encode_dropout(tok, [text], rate, seed=seed) == [expected]


class ByScore(Mapping[tuple[bytes, bytes], int]):
    """The ranks of a SentencePiece model: that of what two pieces make."""

    def __init__(self, ranks: dict[bytes, int]) -> None:
        self.ranks = ranks

    def __getitem__(self, pair: tuple[bytes, bytes]) -> int:
        return self.ranks[pair[0] + pair[1]]

    def __iter__(self) -> Iterator[tuple[bytes, bytes]]:
        raise NotImplementedError

    def __len__(self) -> int:
        return len(self.ranks)


def test_so_are_those_of_a_sentencepiece_model() -> None:
    pytest.importorskip("sentencepiece")
    from tests.support import pieces

    checked = 0
    for seed in range(40):
        random = randomness.Random(seed)
        content = pieces.trained(random, plain=True)
        model = pieces.format_of_models.ModelProto()  # type: ignore[attr-defined]
        model.ParseFromString(content)
        if any(piece.type == piece.USER_DEFINED for piece in model.pieces):
            continue
        scores = {p.piece: p.score for p in model.pieces if p.type == p.NORMAL}
        falling = sorted({*scores.values()}, reverse=True)
        ranks = {name.encode(): falling.index(score) for name, score in scores.items()}
        known = [name for name in scores if len(name) == 1]
        starts = "▁" if model.normalizer_spec.add_dummy_prefix else ""
        tok = Tokenizer.load(content)
        for text in ("".join(random.choices(known, k=30)) for _ in range(10)):
            first = [character.encode() for character in starts + text]
            for rate in (0.1, 0.5, 1.0):
                expected = plainly(tok, [first], ByScore(ranks), Draws(rate, seed))
                assert encode_dropout(tok, [text], rate, seed=seed) == [expected], text
                checked += 1
    assert checked > 200


@pytest.mark.parametrize("name", MAKERS)
def test_a_rate_of_0_leaves_out_nothing_and_one_of_1_everything(name: str) -> None:
    tok = tokenizer_named(name)
    texts = [*SAMPLE.splitlines(), SAMPLE]
    assert encode_dropout(tok, texts, 0, seed=3) == tok.encode_batch(texts)
    apart = encode_dropout(tok, texts, 1, seed=3)
    assert apart == encode_dropout(tok, texts, 1.0, seed=4)
    added = {token["id"] for token in added_tokens(tok)}
    assert {len(tok.token_bytes(id)) for ids in apart for id in ids if id not in added} == {1}
    assert tok.decode_batch(apart) == tok.decode_batch(tok.encode_batch(texts))


def test_what_does_not_merge_is_refused() -> None:
    vocab = BYTES | {256: b"ab"}
    unigram = {
        "version": "1.0",
        "model": {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0], ["a", -1]]},
    }
    for tok in (
        Tokenizer.wordpiece(["[UNK]", "low"]),
        Tokenizer(vocab, [], longest_match=True),
        Tokenizer.load(json.dumps(unigram).encode()),
    ):
        with pytest.raises(ValueError, match="does not merge, so there is nothing to leave out"):
            encode_dropout(tok, ["low"], 0.5, seed=1)


def test_ids_do_not_depend_on_threads_or_on_what_was_encoded_before() -> None:
    tok = byte_level([(b"a", b"b"), (b"ab", b"ab"), (b" ", b"a")], "gpt2")
    random = randomness.Random(1)
    texts = ["".join(random.choices("ab  ", k=random.randint(0, 900))) for _ in range(2000)]
    one = encode_dropout(tok, texts, 0.4, seed=9, threads=1)
    tok.encode_batch(texts)
    for threads in (2, 5, None):
        assert encode_dropout(tok, texts, 0.4, seed=9, threads=threads) == one
    assert encode_dropout(tok, texts[:7], 0.4, seed=9) == one[:7]
    assert encode_dropout(tok, texts, 0.4, seed=10) != one
    assert tok.decode_batch(one) == texts


def test_special_tokens_and_templates_are_those_of_other_calls() -> None:
    tok = with_template(byte_level([(b"a", b"b")]), bos="<s>")
    assert encode_dropout(tok, ["ab<s>"], 1, seed=1, special="encode") == [[97, 98, 257]]
    assert encode_dropout(tok, ["ab"], 1, seed=1, add_special_tokens=True) == [[257, 97, 98]]
    assert encode_dropout(tok, ["<s"], 1, seed=1) == [[60, 115]]
    with pytest.raises(SpecialTokenError):
        encode_dropout(tok, ["<s>"], 1, seed=1, special="error")


def test_what_is_out_of_range_is_refused() -> None:
    tok = byte_level([])
    for rate in (-0.1, 1.5, math.nan):
        with pytest.raises(ArgumentError, match=f"dropout must be from 0 to 1, not {rate}"):
            encode_dropout(tok, ["low"], rate, seed=1)
    for seed in (-1, 2**64):
        with pytest.raises(ArgumentError, match=f"seed must be from 0 to .*, not {seed}"):
            encode_dropout(tok, ["low"], 0.1, seed=seed)


def test_tokens_come_as_often_as_in_the_real_library() -> None:
    """Both are random, theirs without a seed: a difference of eight standard deviations fails."""
    merges = [("a", "b"), ("ab", "a"), ("b", "a"), ("ab", "ab"), ("aba", "b"), ("a", "ba")]
    tokens = ["a", "b", *dict.fromkeys(left + right for left, right in merges)]
    vocab = {token: id for id, token in enumerate(tokens)}
    rounds = 20_000
    for rate in (0.1, 0.5):
        theirs = tokenizers.Tokenizer(models.BPE(vocab, merges, dropout=rate))
        theirs.pre_tokenizer = pre_tokenizers.Whitespace()
        real = Counter(tuple(row.ids) for row in theirs.encode_batch(["abaabab"] * rounds))
        theirs.model.dropout = None
        tok = Tokenizer.load(theirs.to_str().encode())
        ours = Counter(map(tuple, encode_dropout(tok, ["abaabab"] * rounds, rate, seed=1)))
        assert len(ours) > 5
        for ids in {*real, *ours}:
            share = (real[ids] + ours[ids]) / (2 * rounds)
            deviation = math.sqrt(2 * rounds * share * (1 - share)) + 1
            assert abs(real[ids] - ours[ids]) < 8 * deviation, (rate, ids)


def test_a_long_text_may_be_one_piece() -> None:
    tok = byte_level([(b"a", b"a"), (b"aa", b"aa"), (b"aaaa", b"aaaa")])
    (ids,) = encode_dropout(tok, ["a" * 200_000], 0.5, seed=1)
    assert tok.decode(ids) == "a" * 200_000
    assert len({*ids}) == 4
