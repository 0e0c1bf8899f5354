"""`with_special_tokens` and `with_template`: other tokenizers, which Hugging Face reads alike."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from subword import (
    BpeTrainer,
    ModelFormatError,
    Tokenizer,
    with_special_tokens,
    with_template,
)

from tests.support import small
from tests.support.published import huggingface_pair

TEXTS = ["low", "", "a low lower, lowest text"]


def bpe() -> Tokenizer:
    trainer = BpeTrainer(num_merges=5, special_tokens=["<s>", "</s>"])
    return trainer.train_iter(["low low lower lowest"])


def bert() -> Tokenizer:
    return Tokenizer.wordpiece(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "low", "##er", "a", "##est"])


def real(tok: Tokenizer, folder: Path) -> tokenizers.Tokenizer:
    tok.save(folder / "tokenizer.json")
    assert Tokenizer.load(folder / "tokenizer.json").encode("low") == tok.encode("low")
    return tokenizers.Tokenizer.from_file(str(folder / "tokenizer.json"))


# special tokens


def test_new_special_tokens_get_the_next_free_ids() -> None:
    tok = bpe()
    more = with_special_tokens(tok, ["<|user|>", "<s>", "<|end|>"])
    assert more.special_tokens == {"<s>": 261, "</s>": 262, "<|user|>": 263, "<|end|>": 264}
    assert tok.special_tokens == {"<s>": 261, "</s>": 262}
    assert more.encode("low<|end|>", special="encode") == [*tok.encode("low"), 264]
    assert more.encode("low<|end|>") == tok.encode("low<|end|>")


def test_ids_can_be_given() -> None:
    more = with_special_tokens(bpe(), {"<|user|>": 1000})
    assert more.special_tokens["<|user|>"] == 1000
    assert with_special_tokens(more, ["<|next|>"]).special_tokens["<|next|>"] == 1001


def test_an_ordinary_token_becomes_special_under_its_id() -> None:
    tok = Tokenizer.wordpiece(["[UNK]", "low", "[MASK]"], ["[UNK]"])
    assert with_special_tokens(tok, ["[MASK]"]).special_tokens["[MASK]"] == 2


@pytest.mark.parametrize(
    ("tokens", "words"),
    [
        ({"<|user|>": 97}, "id 97"),
        ({"<|user|>": 1 << 21}, "2097152"),
        ({"<|user|>": -1}, "not -1"),
        ([""], "empty"),
        ("<|user|>", "not one string"),
    ],
)
def test_what_makes_no_tokenizer_is_refused(tokens: Any, words: str) -> None:
    with pytest.raises((ModelFormatError, TypeError, ValueError), match=words):
        with_special_tokens(bpe(), tokens)


@pytest.mark.parametrize("name", sorted(small.MAKERS))
def test_every_kind_of_tokenizer_takes_special_tokens(name: str) -> None:
    tok = small.tokenizer_named(name)
    more = with_special_tokens(tok, ["<|new|>"])
    assert more.special_tokens == {**tok.special_tokens, "<|new|>": tok.max_id + 1}
    assert more._template_slots(True) == tok._template_slots(True)
    assert more.encode("low") == tok.encode("low")
    assert pickle.loads(pickle.dumps(more)) == more
    assert with_special_tokens(tok, []) == tok == with_special_tokens(tok, list(tok.special_tokens))


def test_settings_of_the_tokenizer_stay() -> None:
    assert with_special_tokens(Tokenizer.wordpiece(["[UNK]"], linear_time=True), ["[X]"])._linear
    tok = Tokenizer({i: bytes([i]) for i in range(256)}, [], cache_bytes=123)
    assert with_template(tok)._cache_bytes == 123


@pytest.mark.parametrize("make", [bpe, bert], ids=["bpe", "bert"])
def test_hugging_face_finds_the_same_special_tokens(make: Any, tmp_path: Path) -> None:
    tok = with_special_tokens(make(), ["<|user|>", "<|end|>"])
    theirs = real(tok, tmp_path)
    for text in ["<|user|>low<|end|>", "low <|end|> low", "<|user|><|user|>"]:
        ids = theirs.encode(text, add_special_tokens=False).ids
        assert tok.encode(text, special="encode") == ids


# templates


@pytest.mark.parametrize(
    ("settings", "one", "two"),
    [
        ({"bos": "<s>", "eos": "</s>"}, [261, "A", 262], [261, "A", 262, 261, "B", 262]),
        ({"bos": "<s>"}, [261, "A"], [261, "A", 261, "B"]),
        ({"eos": "</s>"}, ["A", 262], ["A", 262, "B", 262]),
        ({}, ["A"], ["A", "B"]),
        ({"single": "<s> $A"}, [261, "A"], [261, "A", 261, "B"]),
        (
            {"single": "<s> $A </s>", "pair": "<s> $A </s> $B </s>"},
            [261, "A", 262],
            [261, "A", 262, "B", 262],
        ),
    ],
)
def test_a_template_stands_around_texts(
    settings: dict[str, str], one: list[Any], two: list[Any]
) -> None:
    tok = with_template(bpe(), **settings)
    assert [part for part, _ in tok._template_slots(False)] == one
    assert [part for part, _ in tok._template_slots(True)] == two
    texts = {"A": tok.encode("low")}
    expected = [id for part in one for id in texts.get(part, [part])]
    assert tok.encode("low", add_special_tokens=True) == expected
    assert tok.encode("low") == texts["A"]


def test_types_stand_behind_a_colon() -> None:
    tok = with_template(bert(), single="[CLS] $A [SEP]", pair="[CLS]:0 $A:0 [SEP]:0 $B:1 [SEP]:1")
    assert tok == bert()
    assert [type_id for _, type_id in tok._template_slots(True)] == [0, 0, 0, 1, 1]


@pytest.mark.parametrize(
    "settings",
    [
        {"bos": "<s>", "eos": "</s>"},
        {"eos": "</s>"},
        {"single": "<s> $A </s>", "pair": "<s> $A </s> </s> $B:1 </s>:1"},
        {"single": "</s> <s> $A", "pair": "$B:3 <s> $A"},
    ],
)
def test_hugging_face_puts_the_same_around_texts(settings: dict[str, str], tmp_path: Path) -> None:
    tok = with_template(bpe(), **settings)
    theirs = real(tok, tmp_path)
    again = Tokenizer.load(tmp_path / "tokenizer.json")
    assert again == tok
    for text in TEXTS:
        assert tok.encode(text, add_special_tokens=True) == theirs.encode(text).ids
        both = theirs.encode(text, "low")
        ids = {"A": tok.encode(text), "B": tok.encode("low")}
        slots = tok._template_slots(True)
        expected = [(id, kind) for part, kind in slots for id in ids.get(str(part), [part])]
        assert [*zip(both.ids, both.type_ids, strict=True)] == expected


def test_a_published_tokenizer_gets_an_end(tmp_path: Path) -> None:
    _, tok = huggingface_pair("gpt2")
    ended = with_template(with_special_tokens(tok, ["<|pad|>"]), eos="<|endoftext|>")
    theirs = real(ended, tmp_path)
    for text in TEXTS:
        assert ended.encode(text, add_special_tokens=True) == theirs.encode(text).ids
    assert theirs.token_to_id("<|pad|>") == ended.special_tokens["<|pad|>"] == 50257


@pytest.mark.parametrize(
    ("settings", "words", "hint"),
    [
        (
            {"bos": "<bos>"},
            "the template uses '<bos>', which is no special token of this tokenizer",
            "add it before: subword.with_special_tokens(tok, ['<bos>'])",
        ),
        (
            {"single": "<s> </s>"},
            "expected $A once in the template, found it 0 times",
            'write it like single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B [SEP]"',
        ),
        (
            {"single": "$A", "pair": "$A $B $B"},
            "expected $B once in the template, found it 2 times",
            'write it like single="[CLS] $A [SEP]", pair="[CLS] $A [SEP] $B [SEP]"',
        ),
        (
            {"single": "$A $B"},
            "expected $A or a special token in the template, found '$B'",
            None,
        ),
        (
            {"pair": "$A $B"},
            "a template for two texts needs one for one text",
            'pass single="<s> $A </s>", too',
        ),
        (
            {"single": "$A", "bos": "<s>"},
            "single says what bos and eos would say",
            'pass single="<s> $A </s>" alone',
        ),
    ],
)
def test_a_template_that_cannot_be_is_refused(
    settings: dict[str, str], words: str, hint: str | None
) -> None:
    with pytest.raises(ModelFormatError) as caught:
        with_template(bpe(), **settings)
    assert (caught.value.message, caught.value.hint) == (words, hint)
