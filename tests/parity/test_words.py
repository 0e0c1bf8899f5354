"""Words with an end-of-word mark: the ids are those of the real Hugging Face tokenizers."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st
from subword import Tokenizer
from tokenizers import decoders, models, pre_tokenizers, trainers

from tests.support.published import huggingface_pair, sample
from tests.support.strategies import texts

SAMPLE = """low lower lowest slow slower slowest, new newer newest: wide wider widest.
  Ниже, чем ниже ниже. 你好你好、世界。 héé naïve 😀😀 hello\tworld hello's\n\u3000'low'
"""

#: What HF's trainer may be given to cut with, and drops white space.
CUTS = {
    "WhitespaceSplit": pre_tokenizers.WhitespaceSplit(),
    "Whitespace": pre_tokenizers.Whitespace(),
    "digits": pre_tokenizers.Sequence(
        [pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Digits(individual_digits=True)]
    ),
}


@cache
def trained(cut: str | None) -> tokenizers.Tokenizer:
    """Characters, trained by Hugging Face: with a mark, or without one and without a cut."""
    real = tokenizers.Tokenizer(models.BPE(unk_token="<unk>"))
    settings: dict[str, Any] = {}
    if cut:
        real = tokenizers.Tokenizer(models.BPE(unk_token="<unk>", end_of_word_suffix="</w>"))
        real.pre_tokenizer = CUTS[cut]
        settings["end_of_word_suffix"] = "</w>"
    real.decoder = decoders.BPEDecoder(suffix="</w>") if cut else decoders.Fuse()
    trainer = trainers.BpeTrainer(
        vocab_size=200, special_tokens=["<pad>", "<unk>"], show_progress=False, **settings
    )
    real.train_from_iterator([SAMPLE], trainer)
    return real


def loaded(real: tokenizers.Tokenizer, folder: Path) -> Tokenizer:
    path = folder / "tokenizer.json"
    real.save(str(path))
    return Tokenizer.load(path)


words = st.lists(st.sampled_from([*SAMPLE.split(), " ", "  ", "\n", "z", "<unk>", "</w>", "12"]))
any_text = st.one_of(words.map("".join), texts)


@pytest.mark.parametrize("cut", [*CUTS, None])
def test_characters_have_the_ids_of_hugging_face(
    cut: str | None, tmp_path_factory: pytest.TempPathFactory
) -> None:
    real = trained(cut)
    folder = tmp_path_factory.mktemp("words")
    ours = loaded(real, folder)
    assert (ours.units, ours.end_of_word) == ("chars", "</w>" if cut else None)
    ours.save(folder / "tokenizer.json")
    again = tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))
    assert Tokenizer.load(folder / "tokenizer.json") == ours

    @given(text=any_text)
    def same(text: str) -> None:
        ids = real.encode(text).ids
        assert ours.encode(text, special="encode") == ids
        assert again.encode(text).ids == ids
        assert ours.decode(ids) == real.decode(ids, skip_special_tokens=False)

    same()
    same_on_the_sample = ours.encode(SAMPLE) == real.encode(SAMPLE).ids
    assert same_on_the_sample


@pytest.mark.parametrize("pattern", ["gpt2", "whitespace", r"\p{L}+|[^\p{L}]", ["gpt2", "[ae]"]])
def test_what_we_save_gives_the_same_ids_there(pattern: str | list[str], tmp_path: Path) -> None:
    ours = loaded(trained("WhitespaceSplit"), tmp_path)
    ours.save(tmp_path / "native.json")
    ours = Tokenizer.load(tmp_path / "native.json", pattern=pattern)
    ours.save(tmp_path / "tokenizer.json")
    real = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    assert Tokenizer.load(tmp_path / "tokenizer.json") == ours

    @given(text=any_text)
    def same(text: str) -> None:
        assert real.encode(text).ids == ours.encode(text, special="encode")

    same()


@given(text=any_text)
def test_clip_has_its_ids(text: str) -> None:
    real, ours = huggingface_pair("clip")
    assert ours.encode(text, special="encode") == real.encode(text, add_special_tokens=False).ids


@pytest.mark.parametrize("name", ["en_10mb.txt", "multi_clean_10mb.txt", "zh_10mb.txt"])
def test_clip_has_its_ids_on_corpora(name: str) -> None:
    real, ours = huggingface_pair("clip")
    for text in sample(name, 3, 20_000):
        ids = real.encode(text, add_special_tokens=False).ids
        assert ours.encode(text, special="encode") == ids
        assert ours.encode_offsets(text, special="encode")[0] == ids


def test_clip_is_saved_and_decoded(tmp_path: Path) -> None:
    real, ours = huggingface_pair("clip")
    assert (ours.units, ours.end_of_word, ours.vocab_size) == ("bytes", "</w>", 49408)
    ids = ours.encode("A Photo of a CAT.", add_special_tokens=True)
    assert ids == real.encode("A Photo of a CAT.").ids
    assert ours.decode(ids[1:-1]) == "a photo of a cat ."
    ours.save(tmp_path / "tokenizer.json")
    again = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    assert again.encode("A Photo of a CAT.").ids == ids
    assert Tokenizer.load(tmp_path / "tokenizer.json") == ours
