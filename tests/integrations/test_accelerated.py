"""Accelerated tokenizers: what goes on working, what falls back, what is refused."""

from __future__ import annotations

import copy
import json
import pickle
import re
import warnings
from concurrent.futures import ThreadPoolExecutor
from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import transformers
from subword import BpeTrainer, ModelFormatError, Tokenizer
from subword.integrations import _backend
from subword.integrations._accelerated import Accelerated, FallbackWarning
from subword.integrations.transformers import accelerate, fast_tokenizer, install, uninstall
from tokenizers import decoders, pre_tokenizers, processors
from transformers import AutoTokenizer, DataCollatorWithPadding

from tests.support.hf_calls import difference
from tests.support.repository import ROOT
from tests.support.small import SAMPLE

TEXTS = ["Hello <|x|> world", "low lower lowest", "", " é中 "]
CHAT = "{% for m in messages %}<|x|>{{ m['content'] }}{% endfor %}"


def small() -> Tokenizer:
    special = ["<|endoftext|>", "<|x|>", "<pad>"]
    return BpeTrainer(400, special_tokens=special).train_iter([SAMPLE, *TEXTS])


def pair() -> tuple[Any, Any]:
    """A small tokenizer of transformers, and an accelerated one."""
    return fast_tokenizer(small()), accelerate(fast_tokenizer(small()))


def same(ours: Any, theirs: Any, *args: Any, **kwargs: Any) -> None:
    found = [("result", tok(*args, **kwargs)) for tok in (ours, theirs)]
    assert difference(found[0], found[1]) == ""


def test_it_is_of_the_same_class_and_runs_our_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    theirs, ours = pair()
    assert isinstance(ours, type(theirs))
    assert type(ours).__name__ == type(theirs).__name__
    assert accelerate(ours) is ours
    theirs_engine = ours._tokenizer
    calls: list[str] = []

    class Watched:
        def __getattr__(self, name: str) -> Any:
            calls.append(name)
            return getattr(theirs_engine, name)

    monkeypatch.setitem(ours.__dict__, "_tokenizer", Watched())
    monkeypatch.setattr(_backend.Backend, "is_current", lambda *_: True)
    encoded = ours(TEXTS, padding=True, return_offsets_mapping=True, return_tensors="np")
    assert encoded.word_ids(1)[0] == 0
    assert ours.batch_decode(encoded["input_ids"].tolist())
    assert not any(name.startswith(("encode_batch", "decode")) for name in calls)
    assert "encode" not in calls


def test_saved_files_are_the_same_and_load_again(tmp_path: Path) -> None:
    theirs, ours = pair()
    for tok, name in ((theirs, "theirs"), (ours, "ours")):
        tok(TEXTS, padding=True, truncation=True, max_length=9)  # is saved as well
        tok.save_pretrained(tmp_path / name)
    files = sorted(path.name for path in (tmp_path / "theirs").iterdir())
    assert files == sorted(path.name for path in (tmp_path / "ours").iterdir())
    for name in files:
        assert (tmp_path / "ours" / name).read_bytes() == (tmp_path / "theirs" / name).read_bytes()
    loaded = AutoTokenizer.from_pretrained(tmp_path / "ours")
    assert not isinstance(loaded, Accelerated)
    same(type(ours).from_pretrained(tmp_path / "ours"), loaded, TEXTS)


def test_copies_and_pickles_are_accelerated_too() -> None:
    theirs, ours = pair()
    for other in (copy.copy(ours), copy.deepcopy(ours), pickle.loads(pickle.dumps(ours))):
        assert isinstance(other, Accelerated)
        assert type(other) is type(ours)
        same(other, theirs, TEXTS, padding=True, return_offsets_mapping=True)
    deep = copy.deepcopy(ours)
    deep.add_tokens(["ow lo"])
    assert deep("low low")["input_ids"] != ours("low low")["input_ids"]
    same(ours, theirs, TEXTS)


def test_a_class_of_somebody_else_below_it_goes_on_working() -> None:
    """Servers give a tokenizer a class that keeps what is slow to compute."""
    theirs, ours = pair()
    kept = copy.copy(ours)
    length = len(ours)

    class Kept(type(ours)):  # type: ignore[misc]
        def __len__(self) -> int:
            return length

    kept.__class__ = Kept
    same(kept, theirs, TEXTS, padding=True)
    same(copy.deepcopy(kept), theirs, TEXTS)
    assert len(copy.deepcopy(kept)) == length


def test_what_it_gives_pickles() -> None:
    theirs, ours = pair()
    mine, real = (
        pickle.loads(pickle.dumps(tok(TEXTS, truncation=True, max_length=3)))
        for tok in (ours, theirs)
    )
    assert mine["input_ids"] == real["input_ids"]
    assert [one.tokens for one in mine.encodings] == [one.tokens for one in real.encodings]
    assert mine.char_to_token(1, 2) == real.char_to_token(1, 2)


def test_tokens_that_are_added_later_are_known() -> None:
    theirs, ours = pair()
    for tok in (theirs, ours):
        tok(TEXTS)
        tok.add_tokens(["lower", transformers.AddedToken("owe", single_word=True, lstrip=True)])
        tok.add_special_tokens({"mask_token": "<mask>"})
    same(ours, theirs, ["the lower lowers owe owed <mask>"], return_offsets_mapping=True)
    for tok in (theirs, ours):
        tok.backend_tokenizer.add_tokens(["Hello"])
    same(ours, theirs, TEXTS)
    assert not ours.fallbacks


def test_a_post_processor_that_is_set_later_is_obeyed() -> None:
    theirs, ours = pair()
    for tok in (theirs, ours):
        end = ("<|endoftext|>", tok.convert_tokens_to_ids("<|endoftext|>"))
        template = {"single": f"$A {end[0]}", "pair": f"$A {end[0]} $B:1", "special_tokens": [end]}
        tok._tokenizer.post_processor = processors.TemplateProcessing(**template)
    same(ours, theirs, TEXTS, TEXTS[::-1], padding=True)
    assert not ours.fallbacks


def test_what_our_engine_does_not_run_falls_back_and_is_counted() -> None:
    theirs, ours = pair()
    for tok in (theirs, ours):
        tok._tokenizer.model.dropout = 1.0
    with pytest.warns(FallbackWarning, match="the tokenizer has changed") as caught:
        same(ours, theirs, TEXTS)
    assert len(caught) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same(ours, theirs, TEXTS)
    assert ours.fallbacks == {"tokenizer": 2}


def test_the_guide_lists_every_reason_to_fall_back() -> None:
    source = (ROOT / "python/subword/integrations/_accelerated.py").read_text(encoding="utf-8")
    guide = (ROOT / "docs/guide/transformers.md").read_text(encoding="utf-8")
    reasons = re.findall(r"self\._left\(\s*\"(\w+)\"", source)
    table = guide.partition("| reason | when |")[2].partition("\n\n")[0]
    assert sorted({*reasons}) == sorted(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE))


def test_it_refuses_what_differs_on_the_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    fast = fast_tokenizer(small())
    other = BpeTrainer(num_merges=1, special_tokens=["<|x|>"]).train_iter(["ab"])
    monkeypatch.setattr(Tokenizer, "load", lambda _: other)
    with pytest.raises(ModelFormatError, match="its ids differ from Hugging Face's for"):
        accelerate(fast)


def test_it_refuses_what_is_no_fast_tokenizer() -> None:
    with pytest.raises(TypeError, match="must be a fast tokenizer of transformers, not str"):
        accelerate("gpt2")

    class Own(transformers.PreTrainedTokenizerFast):  # type: ignore[misc]
        def _encode_plus(self, *args: Any, **kwargs: Any) -> Any:
            return super()._encode_plus(*args, **kwargs)

    own = Own(tokenizer_object=fast_tokenizer(small())._tokenizer)
    with pytest.raises(ModelFormatError, match="Own has a method _encode_plus of its own"):
        accelerate(own)


def test_auto_tokenizer_gives_accelerated_ones_while_installed(tmp_path: Path) -> None:
    fast_tokenizer(small()).save_pretrained(tmp_path)
    before = AutoTokenizer.from_pretrained
    install()
    install()
    try:
        assert isinstance(AutoTokenizer.from_pretrained(tmp_path), Accelerated)
    finally:
        uninstall()
    uninstall()
    assert AutoTokenizer.from_pretrained == before
    assert not isinstance(AutoTokenizer.from_pretrained(tmp_path), Accelerated)


def test_every_class_gives_accelerated_ones_while_installed(tmp_path: Path) -> None:
    """SGLang and vLLM load some models by their class."""
    fast_tokenizer(small()).save_pretrained(tmp_path)
    fast = transformers.PreTrainedTokenizerFast
    [plugin] = EntryPoints(
        [EntryPoint("subword", "subword.integrations.transformers:install", "plugins")]
    )
    plugin.load()()
    try:
        for cls in (
            fast,
            transformers.GPT2TokenizerFast,
            type(accelerate(fast_tokenizer(small()))),
        ):
            loaded = cls.from_pretrained(tmp_path)
            assert isinstance(loaded, Accelerated)
            assert isinstance(loaded, cls)
        same(fast.from_pretrained(tmp_path), fast_tokenizer(small()), TEXTS)
    finally:
        uninstall()
    assert not isinstance(fast.from_pretrained(tmp_path), Accelerated)


def test_what_cannot_be_accelerated_comes_as_it_is(tmp_path: Path) -> None:
    odd = fast_tokenizer(small())
    odd._tokenizer.model.dropout = 0.5
    odd.save_pretrained(tmp_path)
    install()
    try:
        with pytest.warns(FallbackWarning, match="this tokenizer is not accelerated: "):
            loaded = AutoTokenizer.from_pretrained(tmp_path)
    finally:
        uninstall()
    assert not isinstance(loaded, Accelerated)


def test_a_pool_of_deep_copies_serves_threads() -> None:
    theirs, ours = pair()
    copies = [copy.deepcopy(ours) for _ in range(3)]
    texts = [f"low {i} lower {'x' * (i % 50)}" for i in range(400)]
    with ThreadPoolExecutor(3) as pool:
        parts = [texts[at::3] for at in range(3)]
        found = [*pool.map(lambda tok, part: tok(part)["input_ids"], copies, parts)]
    assert found == [theirs(part)["input_ids"] for part in parts]
    assert len({id(one._subword.engine) for one in copies}) == 1


def test_components_that_a_server_puts_back_are_obeyed() -> None:
    theirs, ours = pair()
    for tok in (theirs, ours):
        tok(TEXTS)
        tok.backend_tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
            [pre_tokenizers.Digits(True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
        )
        tok.backend_tokenizer.decoder = decoders.Sequence([decoders.ByteLevel()])
    same(ours, theirs, [*TEXTS, "12 345 low67"], padding=True)
    ids = theirs(TEXTS)["input_ids"]
    assert ours.batch_decode(ids) == theirs.batch_decode(ids)
    assert not ours.fallbacks


def test_chat_templates_are_tokenized() -> None:
    theirs, ours = pair()
    chat = [{"role": "user", "content": "low"}, {"role": "assistant", "content": "lower"}]
    for tok in (theirs, ours):
        tok.chat_template = CHAT
    for options in ({}, {"return_dict": True}, {"return_tensors": "np", "padding": True}):
        mine, real = (tok.apply_chat_template(chat, **options) for tok in (ours, theirs))
        assert str(mine) == str(real)
    with_mask = CHAT.replace(
        "{{ m['content'] }}", "{% generation %}{{ m['content'] }}{% endgeneration %}"
    )
    options = {
        "chat_template": with_mask,
        "return_dict": True,
        "return_assistant_tokens_mask": True,
    }
    mine, real = (tok.apply_chat_template(chat, **options) for tok in (ours, theirs))
    assert dict(mine) == dict(real)
    assert 1 in mine["assistant_masks"]


def test_collators_take_what_it_gives() -> None:
    theirs, ours = pair()
    rows = [
        DataCollatorWithPadding(tok, return_tensors="np")([tok(text) for text in TEXTS])
        for tok in (ours, theirs)
    ]
    for name in rows[1]:
        assert np.array_equal(rows[0][name], rows[1][name])


@pytest.mark.slow
def test_datasets_map_runs_it_in_processes() -> None:
    from datasets import Dataset

    theirs, ours = pair()
    rows = Dataset.from_dict({"text": TEXTS * 10})
    for workers in (None, 2):
        found = rows.map(lambda batch: ours(batch["text"]), batched=True, num_proc=workers)
        assert found["input_ids"] == theirs(TEXTS * 10)["input_ids"]


@pytest.mark.parametrize("settings", [{}, {"new_special_tokens": ["<new>"], "min_frequency": 3}])
def test_a_new_tokenizer_is_trained_as_theirs(settings: dict[str, Any]) -> None:
    theirs, ours = pair()
    texts = [[SAMPLE, "low lower lowest"], ["the slowest owl flew low"]]
    mine, real = (tok.train_new_from_iterator(texts, 330, **settings) for tok in (ours, theirs))
    files = [json.loads(tok._tokenizer.to_str()) for tok in (mine, real)]
    assert files[0] == files[1]
    assert isinstance(mine, Accelerated)
    same(mine, real, TEXTS)
    with pytest.warns(FallbackWarning, match="trains byte-level BPE with the usual settings"):
        ours.train_new_from_iterator(texts, 330, max_token_length=4)
    assert ours.fallbacks == {"train": 1}


def test_it_uses_as_many_threads_as_theirs_may(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TOKENIZERS_PARALLELISM", "RAYON_NUM_THREADS"):
        monkeypatch.delenv(name, raising=False)
    assert _backend.threads() is None
    monkeypatch.setenv("RAYON_NUM_THREADS", "3")
    assert _backend.threads() == 3
    monkeypatch.setenv("TOKENIZERS_PARALLELISM", "False")
    assert _backend.threads() == 1
