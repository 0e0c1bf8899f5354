"""The ids are those of the real Hugging Face tokenizers.

Hugging Face matches added tokens in every text: that is ``special="encode"`` here.
"""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path

import pytest
import tokenizers
from hypothesis import given
from subword import ModelFormatError, Tokenizer
from tokenizers import AddedToken

from tests.support.published import (
    CORPORA,
    TOKENIZER_JSON,
    VOCAB_AND_MERGES,
    by_lines,
    corpus,
    file,
    huggingface_pair,
    merges_pair,
    recorded,
    sample,
)
from tests.support.strategies import code_points, in_context, texts

Pair = tuple[tokenizers.Tokenizer, Tokenizer]

#: The files whose text is normalised first.
NFC = ["qwen2_5", "gpt_neox"]


@pytest.fixture(
    scope="module",
    params=[(huggingface_pair, name) for name in TOKENIZER_JSON]
    + [(merges_pair, name) for name in VOCAB_AND_MERGES],
    ids=TOKENIZER_JSON + [f"{name}/merges.txt" for name in VOCAB_AND_MERGES],
)
def pair(request: pytest.FixtureRequest) -> Pair:
    load, name = request.param
    both: Pair = load(name)
    return both


def assert_equal_ids(pair: Pair, blocks: list[str]) -> None:
    real, ours = pair
    got = ours.encode_batch(blocks, special="encode")
    encodings = real.encode_batch_fast(blocks, add_special_tokens=False)
    for block, encoding, ids in zip(blocks, encodings, got, strict=True):
        if encoding.ids != ids:
            pytest.fail(first_difference(pair, block))


def first_difference(pair: Pair, block: str) -> str:
    """The shortest prefix of a text, by lines, that has other ids, and where they part."""
    real, ours = pair
    lines = block.splitlines(keepends=True) or [block]
    for line in lines:
        wanted = real.encode(line, add_special_tokens=False).ids
        if ours.encode(line, special="encode") != wanted:
            return f"{line!r}: {wanted} != {ours.encode(line, special='encode')}"
    return f"only in context: {block[:200]!r}"


@pytest.mark.slow
@pytest.mark.parametrize("name", CORPORA)
def test_parts_of_a_corpus_have_the_same_ids(pair: Pair, name: str) -> None:
    assert_equal_ids(pair, sample(name, parts=10, size=20_000))


@pytest.mark.slow
@pytest.mark.parametrize("name", CORPORA)
def test_large_parts_of_a_corpus_have_the_same_ids(pair: Pair, name: str) -> None:
    assert_equal_ids(pair, sample(name, parts=10, size=100_000))


@pytest.mark.slow
@pytest.mark.parametrize("name", CORPORA)
def test_a_whole_corpus_has_the_same_ids(name: str) -> None:
    assert_equal_ids(huggingface_pair("cl100k_gpt4"), by_lines(corpus(name), 100_000))


@given(text=texts)
def test_random_text_has_the_same_ids(pair: Pair, text: str) -> None:
    real, ours = pair
    ids = real.encode(text, add_special_tokens=False).ids
    assert ours.encode(text, special="encode") == ids
    assert ours.decode(ids) == real.decode(ids, skip_special_tokens=False)


@pytest.mark.slow
@pytest.mark.parametrize("name", TOKENIZER_JSON)
def test_every_character_in_context_has_the_same_ids(name: str) -> None:
    assert_equal_ids(huggingface_pair(name), in_context(code_points(every=97)))


@pytest.mark.slow
@pytest.mark.parametrize("name", NFC)
def test_every_character_is_composed_with_marks_in_the_same_way(name: str) -> None:
    """With a mark that composes, one that does not, and in an order that must change."""
    assert_equal_ids(
        huggingface_pair(name),
        [
            "".join(f"{c}\u0301 {c}\u0316\u0327\u0301\n" for c in block)
            for block in blocks_of(list(code_points(every=97)), 512)
        ],
    )


@pytest.mark.parametrize("name", NFC)
def test_every_mark_is_composed_with_letters_in_the_same_way(name: str) -> None:
    marks = [c for c in code_points(every=97) if unicodedata.category(c).startswith("M")]
    assert len(marks) > 2000
    bases = ["a", "K", "\u043e", "か", "\u1100", "가", "\u0b47", "\u0dd9", "𑄱", "e\u0301"]
    text = ["".join(f"{base}{mark}\u0301{mark} " for base in bases) for mark in marks]
    assert_equal_ids(huggingface_pair(name), ["\n".join(block) for block in blocks_of(text, 128)])


def blocks_of(items: list[str], size: int) -> list[list[str]]:
    return [items[i : i + size] for i in range(0, len(items), size)]


@pytest.mark.parametrize("name", ["gpt2", "gpt_neox"])
@pytest.mark.parametrize("text", ["small", "mixed", "utf8"])
def test_recorded_ids_come_out_again(name: str, text: str) -> None:
    _, ours = huggingface_pair(name)
    for line, ids in recorded(text, name):
        assert ours.encode(line, special="encode") == ids


# what we refuse


def test_what_we_do_not_run_is_refused_by_name(tmp_path: Path) -> None:
    message = 'model "Bigram" is not supported'
    path = tmp_path / "tokenizer.json"
    saved = tokenizers.Tokenizer(tokenizers.models.Unigram([("a", 0.0)], 0)).to_str()
    path.write_text(saved.replace('"Unigram"', '"Bigram"'))
    with pytest.raises(ModelFormatError) as caught:
        Tokenizer.load(path)
    found = re.sub(r"^(.*?):\d+: ", r"\1: ", str(caught.value)).splitlines()[0]
    assert found == f"{path}: {message}"


# templates


def test_the_template_of_roberta_is_put_around(tmp_path: Path) -> None:
    real, _ = merges_pair("roberta-base")
    real = tokenizers.Tokenizer.from_str(real.to_str())
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    real.add_special_tokens([*special, AddedToken("<mask>", lstrip=True)])
    real.post_processor = tokenizers.processors.RobertaProcessing(
        ("</s>", 2), ("<s>", 0), trim_offsets=False, add_prefix_space=False
    )
    path = tmp_path / "tokenizer.json"
    real.save(str(path))
    ours = Tokenizer.load(path)
    assert ours.special_tokens == dict(zip([*special, "<mask>"], [0, 1, 2, 3, 50264], strict=True))
    for text in ["", "Hello world", "a <mask>b</s>", "naïve  \n <mask> <mask>x"]:
        wanted = real.encode(text).ids
        assert ours.encode(text, special="encode", add_special_tokens=True) == wanted
        got = ours.encode_array(text, special="encode", add_special_tokens=True)
        assert got.tolist() == wanted
    batch = ["a", "", "b c"]
    wanted_batch = [encoding.ids for encoding in real.encode_batch(batch)]
    assert ours.encode_batch(batch, add_special_tokens=True) == wanted_batch
    ids, ends = ours.encode_batch_arrays(batch, add_special_tokens=True)
    assert ids.tolist() == [id for ids in wanted_batch for id in ids]
    assert ends.tolist() == [0, 3, 5, 9]


def test_a_file_without_a_template_adds_nothing(pair: Pair) -> None:
    real, ours = pair
    assert ours.encode("Hello", add_special_tokens=True) == real.encode("Hello").ids


@pytest.mark.parametrize("name", TOKENIZER_JSON)
def test_special_tokens_are_those_of_the_file(name: str) -> None:
    _, ours = huggingface_pair(name)
    added = json.loads(file(f"vocabs/{name}/tokenizer.json").read_bytes())["added_tokens"]
    assert ours.special_tokens == {token["content"]: token["id"] for token in added}
