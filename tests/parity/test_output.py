"""What a `tokenizer.json` says about offsets and decoding, beside Hugging Face's."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from hypothesis import given
from hypothesis import strategies as st
from subword import Counts, Decoder, ModelFormatError, Tokenizer, encode_files, open_tokens
from tokenizers import AddedToken, decoders, models, pre_tokenizers, processors

from tests.support.published import huggingface_pair
from tests.support.strategies import texts

TEXT = "Hello there,  my\n friend <m> "


def byte_level(**parts: Any) -> tokenizers.Tokenizer:
    """Bytes, some merges, an added token that takes white space; and these parts."""
    tokens = sorted(pre_tokenizers.ByteLevel.alphabet())
    merges = [("l", "l"), ("Ġ", "t"), ("Ġt", "h"), ("Ġ", "Ġ"), ("Ċ", "Ġ")]
    tokens += [left + right for left, right in merges]
    vocab = {token: id for id, token in enumerate(tokens)}
    real = tokenizers.Tokenizer(models.BPE(vocab=vocab, merges=merges))
    real.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    real.decoder = decoders.ByteLevel()
    for name, part in parts.items():
        setattr(real, name, part)
    real.add_special_tokens([AddedToken("<m>", lstrip=True, rstrip=True), AddedToken("</s>")])
    return real


def loaded(real: tokenizers.Tokenizer, tmp_path: Path) -> Tokenizer:
    path = tmp_path / "tokenizer.json"
    real.save(str(path))
    return Tokenizer.load(path)


def saved(tok: Tokenizer, tmp_path: Path) -> list[Tokenizer]:
    """The tokenizer after each format that can hold it."""
    for format, name in [("huggingface", "tokenizer.json"), ("native", "tok.json")]:
        tok.save(tmp_path / name, format=format)
    return [Tokenizer.load(tmp_path / name) for name in ("tokenizer.json", "tok.json")]


END = ("</s>", 262)

PROCESSORS: dict[str, Any] = {
    "ByteLevel": processors.ByteLevel(trim_offsets=True, add_prefix_space=False),
    "ByteLevel, prefix space": processors.ByteLevel(trim_offsets=True, add_prefix_space=True),
    "Roberta": processors.RobertaProcessing(END, END, trim_offsets=True, add_prefix_space=False),
    "Roberta, prefix space": processors.RobertaProcessing(END, END, trim_offsets=True),
    "with a template": processors.Sequence(
        [
            processors.ByteLevel(trim_offsets=True, add_prefix_space=False),
            processors.TemplateProcessing(single="$A </s>", special_tokens=[END]),
        ]
    ),
}


# offsets


@pytest.mark.parametrize("name", PROCESSORS)
def test_trimmed_offsets_are_honoured_and_kept_when_saving(name: str, tmp_path: Path) -> None:
    real = byte_level(post_processor=PROCESSORS[name])
    ours = loaded(real, tmp_path)
    for text in (TEXT, " there", "  there", " ", "", "a", " <m> "):
        expected = real.encode(text, add_special_tokens=False)
        assert ours.encode_offsets(text, special="encode") == (expected.ids, expected.offsets)
        for again in saved(ours, tmp_path):
            assert again == ours
        theirs = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
        for template in (True, False):
            one, other = (it.encode(text, add_special_tokens=template) for it in (real, theirs))
            assert (one.ids, one.offsets) == (other.ids, other.offsets)


@pytest.mark.parametrize("part", ["pre_tokenizer", "decoder"])
def test_only_a_post_processor_trims_offsets(part: str, tmp_path: Path) -> None:
    """The setting of the same name in other parts has no effect, there as here."""
    made = {
        "pre_tokenizer": pre_tokenizers.ByteLevel(add_prefix_space=False, trim_offsets=True),
        "decoder": decoders.ByteLevel(),
    }
    real = byte_level(**{part: made[part]})
    expected = real.encode(TEXT)
    assert (6, 11) not in expected.offsets
    ours = loaded(real, tmp_path)
    assert ours.encode_offsets(TEXT, special="encode") == (expected.ids, expected.offsets)


def test_a_caller_may_trim_or_not() -> None:
    _, neox = huggingface_pair("gpt_neox")
    assert neox.encode_offsets("Hello there")[1] == [(0, 5), (6, 11)]
    assert neox.encode_offsets("Hello there", trim=False)[1] == [(0, 5), (5, 11)]
    _, gpt2 = huggingface_pair("gpt2")
    assert gpt2.encode_offsets("Hello there")[1] == [(0, 5), (5, 11)]
    assert gpt2.encode_offsets("Hello there", trim=True)[1] == [(0, 5), (6, 11)]


def test_trimmed_bytes_are_those_of_the_trimmed_characters(tmp_path: Path) -> None:
    ours = loaded(byte_level(post_processor=PROCESSORS["ByteLevel"]), tmp_path)
    text = "é\u3000<m>\u3000é  é"
    _, in_chars = ours.encode_offsets(text, special="encode")
    _, in_bytes = ours.encode_offsets(text, unit="bytes", special="encode")
    starts = [len(text[:at].encode()) for at in range(len(text) + 1)]
    special = ours.encode(text, special="encode").index(ours.special_tokens["<m>"])
    assert in_chars[special] == (2, 5)
    assert in_bytes[special] == (starts[2], starts[5])


def test_what_trims_twice_takes_off_twice(tmp_path: Path) -> None:
    trim = processors.ByteLevel(trim_offsets=True)
    real = byte_level(post_processor=processors.Sequence([trim, trim]))
    expected = real.encode(TEXT, add_special_tokens=False)
    ours = loaded(real, tmp_path)
    assert ours.encode_offsets(TEXT, special="encode") == (expected.ids, expected.offsets)


def test_formats_that_cannot_hold_it_refuse(tmp_path: Path) -> None:
    trimmed = loaded(byte_level(post_processor=PROCESSORS["ByteLevel"]), tmp_path)
    spaced = loaded(byte_level(decoder=None), tmp_path)
    for tok, what in [(trimmed, "leave out white space"), (spaced, "spaces between them")]:
        for format, name in [("gpt2", "folder"), ("tiktoken", "t.tiktoken")]:
            with pytest.raises(ModelFormatError, match=what):
                tok.save(tmp_path / name, format=format)


# decoding


def without_decoder(kind: str) -> tokenizers.Tokenizer:
    if kind == "bytes":
        return byte_level(decoder=None)
    tokens = ["[UNK]", "l", "o", "##l", "##o", "lo", "##lo", "é"]
    vocab = {token: id for id, token in enumerate(tokens)}
    if kind == "words":
        real = tokenizers.Tokenizer(models.WordPiece(vocab=vocab, unk_token="[UNK]"))
        real.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    else:
        vocab |= {"o</w>": len(vocab), "lo</w>": len(vocab) + 1}
        merges = [("l", "o"), ("l", "o</w>")]
        model = models.BPE(vocab=vocab, merges=merges, unk_token="[UNK]", end_of_word_suffix="</w>")
        real = tokenizers.Tokenizer(model)
        real.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    real.add_special_tokens(["<s>"])
    return real


@pytest.mark.parametrize("kind", ["bytes", "words", "marks"])
def test_without_a_decoder_tokens_have_spaces_between_them(kind: str, tmp_path: Path) -> None:
    real = without_decoder(kind)
    ours = loaded(real, tmp_path)
    for tok in (ours, *saved(ours, tmp_path)):
        assert tok == ours
        for text in ("lo<s>llo é", "lolo <s><s>", "l", ""):
            ids = real.encode(text).ids
            for skip in (True, False):
                expected = real.decode(ids, skip_special_tokens=skip)
                assert tok.decode(ids, skip_special_tokens=skip) == expected
                decoder = Decoder(tok, skip_special_tokens=skip)
                assert "".join([*map(decoder.push, ids), decoder.finish()]) == expected
    theirs = tokenizers.Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    assert theirs.decoder is None


def test_the_text_without_a_decoder_is_that_of_the_file(tmp_path: Path) -> None:
    ours = loaded(byte_level(decoder=None), tmp_path)
    assert ours.decode(ours.encode("all the")) == "a ll Ġth e"
    assert ours.decode(ours.encode("é" * 9_000)).startswith("Ã © Ã ©")


def test_a_decoder_that_leaves_the_alphabet_gives_it_as_text(tmp_path: Path) -> None:
    for decoder in (decoders.Fuse(), decoders.Sequence([])):
        real = byte_level(decoder=decoder)
        ours = loaded(real, tmp_path)
        ids = ours.encode("all the é")
        assert ours.decode(ids) == real.decode(ids)
    both = decoders.Sequence([decoders.ByteLevel(), decoders.Fuse()])
    ours = loaded(byte_level(decoder=both), tmp_path)
    assert ours.decode(ours.encode("é")) == "é"


# decoders that are copied


BYTES = Tokenizer({i: bytes([i]) for i in range(256)}, [])


@given(text=texts, at=st.integers(0, 40))
def test_a_copied_decoder_goes_on_by_itself(text: str, at: int) -> None:
    ids = BYTES.encode(text)
    for copied in (copy.copy, copy.deepcopy):
        first = Decoder(BYTES)
        before = "".join(map(first.push, ids[:at]))
        for decoder in (copied(first), copied(first), first):
            assert before + "".join([*map(decoder.push, ids[at:]), decoder.finish()]) == text


def test_a_copied_decoder_keeps_its_half_of_a_character() -> None:
    decoder = Decoder(BYTES)
    decoder.push(0xC3)
    other = copy.copy(decoder)
    assert (decoder.push(0xA9), other.push(0xA9)) == ("é", "é")


def test_a_copied_decoder_of_words_keeps_its_place() -> None:
    tok = Tokenizer.wordpiece(["[UNK]", "low", "##er"])
    decoder = Decoder(tok)
    assert decoder.push(1) == "low"
    other = copy.copy(decoder)
    assert (decoder.push(1), decoder.push(2)) == (" low", "er")
    assert (other.push(2), other.finish(), other.push(1)) == ("er", "", "low")


def test_counts_and_token_files_copy_and_streams_say_that_they_do_not(tmp_path: Path) -> None:
    pieces = Counts({b"low": 2})
    other = copy.copy(pieces)
    other += Counts({b"low": 1})
    assert (pieces.total, other.total) == (2, 3)
    (tmp_path / "a.txt").write_text("low", encoding="utf-8")
    encode_files(BYTES, tmp_path / "a.txt", tmp_path / "out")
    tokens = open_tokens(tmp_path / "out")
    assert copy.copy(tokens)[:].tolist() == tokens[:].tolist()
    around = BYTES.encode_iter(["ab"], prepend=1, append=2)
    for stream in (BYTES.encode_iter(["ab"]), around, iter(pieces)):
        with pytest.raises(TypeError, match="cannot pickle"):
            copy.copy(stream)


def test_the_native_file_says_it_in_words(tmp_path: Path) -> None:
    trimmed = byte_level(post_processor=PROCESSORS["Roberta, prefix space"], decoder=None)
    native = json.loads(loaded(trimmed, tmp_path).to_bytes())
    assert (native["trim_offsets"], native["decoder"]) == ("spaces-but-first", "spaced")
    plain = json.loads(loaded(byte_level(), tmp_path).to_bytes())
    assert not {"trim_offsets", "decoder"} & plain.keys()
