"""Our tokenizers as `PreTrainedTokenizerFast` of the real transformers: the same ids."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from subword import BpeTrainer, ModelFormatError, Tokenizer, encode_inputs
from subword.integrations.transformers import fast_tokenizer

from tests.support.bert import small_pair
from tests.support.small import MAKERS, SAMPLE, TWICE, tokenizer_named

pytest.importorskip("transformers")
from transformers import AutoTokenizer, PreTrainedTokenizerFast

TEXTS = [SAMPLE, "low<|endoftext|> low <|endo  world zo éé", "<s>low</s>", " ", ""]
NAMES = [name for name in MAKERS if name not in TWICE]


@pytest.mark.parametrize("name", NAMES)
def test_the_ids_are_ours(name: str) -> None:
    tok = tokenizer_named(name)
    fast = fast_tokenizer(tok)
    assert isinstance(fast, PreTrainedTokenizerFast)
    ids = tok.encode_batch(TEXTS, special="encode", add_special_tokens=True)
    assert fast(TEXTS)["input_ids"] == ids
    plain = tok.encode_batch(TEXTS, special="encode")
    assert fast(TEXTS, add_special_tokens=False)["input_ids"] == plain


def test_wordpiece_gives_the_rows_that_bert_takes() -> None:
    _, tok = small_pair()
    fast = fast_tokenizer(tok, model_max_length=12)
    texts, pairs = ["Lower, slöwest!", "low"], ["the lowest", "slow lower low slow lowest low low"]
    ours = encode_inputs(tok, texts, pairs, max_length=12)
    rows = fast(texts, pairs, padding=True, truncation=True)
    assert rows["input_ids"] == ours["input_ids"].tolist()
    assert rows["token_type_ids"] == ours["token_type_ids"].tolist()
    assert rows["attention_mask"] == ours["attention_mask"].tolist()
    assert fast.decode(rows["input_ids"][0]) == tok.decode(ours["input_ids"][0])


def test_a_trained_tokenizer_comes_back_from_the_folder_of_a_model(tmp_path: Path) -> None:
    special = ["<s>", "</s>", "<pad>", "<|user|>"]
    tok = BpeTrainer(400, special_tokens=special, pattern="o200k").train_iter([SAMPLE])
    tok.save(tmp_path / "tok.json")
    fast_tokenizer(Tokenizer.load(tmp_path / "tok.json")).save_pretrained(tmp_path / "model")
    loaded = AutoTokenizer.from_pretrained(tmp_path / "model")
    text = f"<s>{SAMPLE}<|user|></s>"
    assert loaded(text)["input_ids"] == tok.encode(text, special="encode")
    assert (loaded.bos_token, loaded.eos_token, loaded.pad_token) == ("<s>", "</s>", "<pad>")
    assert Tokenizer.load(tmp_path / "model") == tok


def test_special_tokens_are_known_by_their_spelling_or_are_named() -> None:
    tok = BpeTrainer(num_merges=0, special_tokens=["<|endoftext|>", "<|x|>"]).train_iter(["low"])
    fast = fast_tokenizer(tok)
    assert fast.special_tokens_map == {"eos_token": "<|endoftext|>"}
    fast = fast_tokenizer(tok, pad_token="<|x|>", bos_token="<|x|>", eos_token=None)
    assert fast.special_tokens_map == {"pad_token": "<|x|>", "bos_token": "<|x|>"}
    assert fast.pad_token_id == tok.special_tokens["<|x|>"]


def test_special_tokens_without_a_part_are_special_too() -> None:
    trainer = BpeTrainer(num_merges=0, special_tokens=["<|endoftext|>", "<|user|>", "<|x|>"])
    tok = trainer.train_iter(["low"])
    fast = fast_tokenizer(tok, bos_token="<|x|>")
    assert sorted(fast.all_special_tokens) == sorted(tok.special_tokens)
    ids = fast("<|user|>lo<|endoftext|>")["input_ids"]
    mask = fast.get_special_tokens_mask(ids, already_has_special_tokens=True)
    assert mask == [1, 0, 0, 1]
    assert (len(fast), fast.decode(ids, skip_special_tokens=True)) == (len(tok.vocab), "lo")
    named = fast_tokenizer(tok, additional_special_tokens=["<|x|>"])
    assert sorted(named.all_special_tokens) == ["<|endoftext|>", "<|x|>"]


def test_special_tokens_without_a_part_keep_their_flags(tmp_path: Path) -> None:
    path = tmp_path / "tok.json"
    BpeTrainer(num_merges=0, special_tokens=["<m>", "word"]).train_iter(["low"]).save(path)
    native = json.loads(path.read_bytes())
    native["special_tokens"][0] |= {"lstrip": True, "normalized": True}
    native["special_tokens"][1] |= {"always": True}
    path.write_text(json.dumps(native), encoding="utf-8")
    tok = Tokenizer.load(path)
    fast = fast_tokenizer(tok)
    assert fast.all_special_tokens == ["<m>"]  # the other is a word that was added
    assert fast("a <m>word")["input_ids"] == tok.encode("a <m>word", special="encode")
    fast.save_pretrained(tmp_path / "model")
    assert Tokenizer.load(tmp_path / "model") == tok


def test_offsets_are_those_of_the_file(tmp_path: Path) -> None:
    tok = BpeTrainer(300).train_iter([SAMPLE])
    tok.save(tmp_path / "tok.json")
    native = json.loads((tmp_path / "tok.json").read_bytes()) | {"trim_offsets": "spaces"}
    (tmp_path / "tok.json").write_text(json.dumps(native), encoding="utf-8")
    tok = Tokenizer.load(tmp_path / "tok.json")
    _, places = tok.encode_offsets(SAMPLE)
    assert places != tok.encode_offsets(SAMPLE, trim=False)[1]
    fast = fast_tokenizer(tok)
    assert fast(SAMPLE, return_offsets_mapping=True)["offset_mapping"] == places


def test_an_unknown_token_is_known_by_its_part() -> None:
    trainer = BpeTrainer(
        num_merges=1, initial_vocab="chars", special_tokens=["<?>"], unk_token="<?>", end_of_word=""
    )
    fast = fast_tokenizer(trainer.train_iter(["low low"]))
    assert fast.unk_token == "<?>"
    assert fast.decode(fast("loé")["input_ids"]) == "lo<?>"


def test_a_token_without_an_id_is_refused() -> None:
    tok = BpeTrainer(num_merges=0, special_tokens=["<|endoftext|>"]).train_iter(["low"])
    with pytest.raises(ModelFormatError) as caught:
        fast_tokenizer(tok, pad_token="<pad>")
    assert str(caught.value) == (
        "pad_token='<pad>' is not a special token of this tokenizer\n  hint: it has <|endoftext|>"
    )


@pytest.mark.parametrize("name", TWICE)
def test_what_tokenizer_json_cannot_hold_is_refused(name: str) -> None:
    with pytest.raises(ModelFormatError) as caught:
        fast_tokenizer(tokenizer_named(name))
    assert str(caught.value) == (
        'this tokenizer cannot be saved as tokenizer.json: two of its tokens are written "low"'
    )


def test_a_missing_library_is_named_with_what_installs_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(ImportError) as caught:
        fast_tokenizer(tokenizer_named("merges"))
    assert str(caught.value) == (
        "this needs transformers\n  hint: pip install 'subword[transformers]'"
    )
