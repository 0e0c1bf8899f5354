"""Unigram models beside the real tokenizers: ids, offsets, decoding and the last bit of scores."""

from __future__ import annotations

import io
import itertools
import json
import random
import time
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import subword
import tokenizers
from tokenizers import decoders, models, normalizers, pre_tokenizers, trainers

from tests.parity.test_charsmap import charsmap
from tests.support import chains

METASPACE = {"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": True}
SPACES = {"type": "Replace", "pattern": {"Regex": " {2,}"}, "content": " "}
SAMPLE = (
    "the quick brown fox jumps over a lazy dog and Ünïcode ﬁne ①② 東京都 に 住む привет мир "
    "don't 3.14 e-mail …—“quoted” \uff26\uff55ll \uff11\uff12\uff13 "
    "㌔ 한국어 नमस्ते स्ते ไทย 👨‍👩‍👧 é é ẛ̣ "
)
WORDS = SAMPLE.split(" ")


def text(source: random.Random, most: int = 12) -> str:
    """Words with every kind of space between them."""
    spaces = (" ", " ", " ", "  ", "   ", "\n", "\t", "\u3000", "\u00a0", "\r\n", "\u200b", "", "▁")
    parts = itertools.chain.from_iterable(
        (source.choice(WORDS), source.choice(spaces)) for _ in range(source.randint(0, most))
    )
    return source.choice(["", "", " ", "  "]) + "".join(parts)


def file_of(vocab: list[Any], stack: str, rule: str = "nmt_nfkc") -> dict[str, Any]:
    """A file of the usual stack, in one of the forms that converters have written."""
    precompiled = {"type": "Precompiled", "precompiled_charsmap": charsmap(rule)}
    strip = {"type": "Strip", "strip_left": False, "strip_right": True}
    marks = SPACES | {"content": "▁"}
    split = {"type": "Sequence", "pretokenizers": [{"type": "WhitespaceSplit"}, METASPACE]}
    normalizer, pre_tokenizer = {
        "charsmap": (precompiled, split),
        "spaces": ({"type": "Sequence", "normalizers": [precompiled, SPACES]}, split),
        "metaspace": ({"type": "Sequence", "normalizers": [precompiled, SPACES]}, METASPACE),
        "marks": ({"type": "Sequence", "normalizers": [precompiled, strip, marks]}, METASPACE),
    }[stack]
    return {
        "version": "1.0",
        "added_tokens": [
            {"id": 0, "content": "<unk>", "special": True, "normalized": False}
            | dict.fromkeys(("single_word", "lstrip", "rstrip"), False)
        ],
        "normalizer": normalizer,
        "pre_tokenizer": pre_tokenizer,
        "post_processor": None,
        "decoder": METASPACE,
        "model": {"type": "Unigram", "unk_id": 0, "vocab": vocab, "byte_fallback": False},
    }


def vocabulary(source: random.Random) -> list[Any]:
    """Pieces of the words and many of their characters, with scores that tie."""
    characters = sorted({c for word in WORDS for c in word} | set("▁ab,.'0123"))
    pieces = [c for c in characters if source.random() < 0.9]
    for word in WORDS * 3:
        start = source.randint(0, len(word))
        piece = word[start : start + source.randint(1, 5)]
        pieces.append(("▁" if source.random() < 0.5 else "") + piece)
    pieces = list(dict.fromkeys(piece for piece in pieces if piece))
    return [["<unk>", 0.0], *([piece, -source.randint(10, 60) / 10] for piece in pieces)]


def check(file: dict[str, Any], folder: Path, samples: list[str]) -> subword.Tokenizer:
    """Both libraries say the same of all samples."""
    ours, theirs = chains.ours_of(file, folder), chains.theirs_of(file)
    for sample in samples:
        assert chains.differences(ours, theirs, sample) is None
    return ours


def test_long_white_space_has_no_tokens_each_time_that_it_comes() -> None:
    model = {
        "version": "1.0",
        "pre_tokenizer": {
            "type": "Sequence",
            "pretokenizers": [
                {"type": "WhitespaceSplit"},
                {
                    "type": "Metaspace",
                    "replacement": "▁",
                    "prepend_scheme": "always",
                    "split": True,
                },
            ],
        },
        "model": {"type": "Unigram", "unk_id": 0, "vocab": [["<unk>", 0], ["▁", -1], ["a", -1]]},
    }
    tok = subword.Tokenizer.load(json.dumps(model).encode())
    for _ in range(3):
        assert tok.encode(" " * 70) == []
        assert tok.encode_batch([" " * 70 + "a", " " * 70]) == [[1, 2], []]


@pytest.mark.parametrize("stack", ["charsmap", "spaces", "metaspace", "marks"])
def test_the_usual_stacks_give_the_same(stack: str, tmp_path: Path) -> None:
    source = random.Random(stack)
    for _ in range(6):
        samples = [text(source) for _ in range(40)]
        check(file_of(vocabulary(source), stack), tmp_path, samples)


@pytest.mark.parametrize("stack", ["charsmap", "metaspace"])
def test_every_scalar_value_gives_the_same(stack: str, tmp_path: Path) -> None:
    file = file_of(vocabulary(random.Random(1)), stack)
    ours, theirs = chains.ours_of(file, tmp_path), chains.theirs_of(file)
    values = [chr(n) for n in range(0x110000) if not 0xD800 <= n < 0xE000]
    samples = [f"a{c}b {c}" for c in values]
    expected = [encoding.ids for encoding in theirs.encode_batch(samples, add_special_tokens=False)]
    found = ours.encode_batch(samples, special="encode")
    wrong = [c for c, one, other in zip(values, found, expected, strict=True) if one != other]
    assert not wrong


@cache
def trained(seed: int) -> str:
    """A model that the real trainer made, as JSON."""
    source = random.Random(seed)
    made = tokenizers.Tokenizer(models.Unigram())
    made.normalizer = source.choice([normalizers.NFKC(), normalizers.Lowercase()])
    made.pre_tokenizer = source.choice(
        [pre_tokenizers.Metaspace(), pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Digits()]
    )
    made.decoder = decoders.Metaspace()
    trainer = trainers.UnigramTrainer(
        vocab_size=source.choice([200, 300, 500]),
        unk_token="<unk>",
        special_tokens=["<unk>", "<s>"],
        max_piece_length=source.choice([4, 16]),
        show_progress=False,
    )
    made.train_from_iterator([text(source, 30) for _ in range(60)], trainer)
    return str(made.to_str())


@pytest.mark.parametrize("seed", range(12))
def test_models_of_the_real_trainer_give_the_same(seed: int, tmp_path: Path) -> None:
    source = random.Random(seed + 1000)
    check(json.loads(trained(seed)), tmp_path, [text(source) for _ in range(60)])


@pytest.mark.parametrize("seed", range(6))
def test_models_of_sentencepiece_give_the_same(seed: int, tmp_path: Path) -> None:
    sentencepiece = pytest.importorskip("sentencepiece")
    source = random.Random(seed)
    model = io.BytesIO()
    bytes_too = seed % 2 == 0
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter([text(source, 30).replace("\n", " ") for _ in range(80)]),
        model_writer=model,
        vocab_size=450 if bytes_too else 160,
        hard_vocab_limit=False,
        byte_fallback=bytes_too,
        minloglevel=2,
    )
    pieces = sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())
    ids = range(pieces.get_piece_size())
    vocab = [[pieces.id_to_piece(number), pieces.get_score(number)] for number in ids]
    for stack in ("spaces", "marks"):
        file = file_of(vocab, stack)
        file["model"]["byte_fallback"] = bytes_too
        check(file, tmp_path, [text(source) for _ in range(60)])


def test_scores_count_to_their_last_bit(tmp_path: Path) -> None:
    # Two ways to `ab` whose sums tie or differ by one bit, in spellings of up to 25 digits.
    source = random.Random(5)
    different = 0
    for _ in range(300):
        first = f"-{source.randint(0, 12)}." + "".join(source.choices("0123456789", k=20))
        second = f"-{source.random()!r}e{source.randint(-3, 1)}"
        plain = float(first) + float(second)
        vocab = f'[["<unk>",0.0],["a",{first}],["b",{second}],["ab",{plain!r}]]'
        model = f'{{"type":"Unigram","unk_id":0,"vocab":{vocab}}}'
        path = tmp_path / "tokenizer.json"
        path.write_text(f'{{"version":"1.0","added_tokens":[],"model":{model}}}')
        ours = subword.Tokenizer.load(path)
        theirs = tokenizers.Tokenizer.from_file(str(path))
        expected = theirs.encode("abab").ids
        assert ours.encode("abab") == expected, vocab
        different += len(set(expected)) == 1
        ours.save(path, format="huggingface")
        assert subword.Tokenizer.load(path) == ours
        assert tokenizers.Tokenizer.from_file(str(path)).encode("abab").ids == expected
    assert 50 < different < 250


def test_an_entry_that_is_there_twice_counts_as_the_last(tmp_path: Path) -> None:
    file = file_of([["<unk>", 0.0], ["a", -1.0], ["▁", -1.0], ["a", -2.0], ["", -1.0]], "spaces")
    file["added_tokens"].append(file["added_tokens"][0] | {"id": 5, "content": "<new>"})
    ours = check(file, tmp_path, ["a", "aa b", "<new> a"])
    assert ours.encode("a") == [2, 3]
    assert ours.decode([2, 1]) == "a"


@pytest.mark.parametrize("limit", [1, 0])
def test_what_has_no_token_and_no_unk_is_an_error(limit: int, tmp_path: Path) -> None:
    file = file_of([["▁", -1.0], ["a", -2.0]], "spaces")
    file["added_tokens"], file["model"]["unk_id"] = [], None
    ours = chains.ours_of(file, tmp_path)
    assert ours.encode("a" * limit) == [0, 1][: 2 * limit]
    with pytest.raises(subword.SubwordError, match="'b' has no token, and the model has no unk"):
        ours.encode("ab")


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ('["a"]', "expected a list of a token and its score"),
        ('["a", 1, 2]', "expected a list of a token and its score"),
        ('["a", 1e999]', "expected a score within its range"),
        ('["a", "b"]', "expected a number"),
        ("7", "expected a list"),
    ],
)
def test_an_entry_that_is_none_is_refused(entry: str, words: str, tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(f'{{"model":{{"type":"Unigram","unk_id":0,"vocab":[["u",0],{entry}]}}}}')
    with pytest.raises(subword.ModelFormatError, match=words):
        subword.Tokenizer.load(path)
    path.write_text('{"model":{"type":"Unigram","unk_id":1,"vocab":[["u",0]]}}')
    with pytest.raises(subword.ModelFormatError, match="an unk_id below 1"):
        subword.Tokenizer.load(path)


@pytest.mark.parametrize("stack", ["charsmap", "spaces", "metaspace", "marks"])
def test_a_text_may_be_cut_and_shared_by_threads(stack: str, tmp_path: Path) -> None:
    # Offsets come from the plain chain, over the whole text.
    source = random.Random(9)
    ours = chains.ours_of(file_of(vocabulary(source), stack), tmp_path)
    parts = [text(source, 40) + source.choice(["", " ", "\n", "ﬁ ", "\u3000 "]) for _ in range(900)]
    whole = "".join(parts)
    expected, _ = ours.encode_offsets(whole)
    assert ours.encode(whole, threads=1) == expected
    assert ours.encode(whole, threads=3) == expected
    assert list(ours.encode_iter(parts)) == expected
    rows = ours.encode_batch(parts, threads=2)
    assert rows == [ours.encode_offsets(part)[0] for part in parts]


def test_bytes_that_are_no_text_are_replacement_characters(tmp_path: Path) -> None:
    source = random.Random(4)
    ours = chains.ours_of(file_of(vocabulary(source), "spaces"), tmp_path)
    for _ in range(300):
        raw = bytearray(text(source).encode())
        for _ in range(source.randint(1, 3)):
            raw.insert(source.randint(0, len(raw)), source.choice([0x80, 0xC3, 0xE2, 0xF0, 0xFF]))
        assert ours.encode(bytes(raw)) == ours.encode_offsets(bytes(raw))[0]


def test_a_long_piece_takes_linear_time(tmp_path: Path) -> None:
    vocab = [["<unk>", 0.0], *(["▁" * (n == 1) + "a" * n, -1.0 / n] for n in range(1, 17))]
    ours = chains.ours_of(file_of(vocab, "spaces"), tmp_path)

    def seconds(length: int) -> float:
        start = time.process_time()
        assert len(ours.encode("a" * length)) > length // 17
        return time.process_time() - start

    seconds(1000)
    assert seconds(1_600_000) < 100 * max(seconds(100_000), 0.005)
