"""PyTorch: tensors of accelerated tokenizers, collators, and arrays that become tensors.

PyTorch is gigabytes, so the environment of the tests does not have it: ``pip install torch`` beside
it runs these. What does not need it, arrays that other libraries take without a copy, is tested
without.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from subword import Tokenizer, encode_inputs

from tests.support.bert import small_pair

TEXTS = ["low", "lower slower, want", "", "don't run! low lower"]


def test_arrays_go_to_other_libraries_without_a_copy() -> None:
    _, tok = small_pair()
    rows: dict[str, Any] = {**encode_inputs(tok, TEXTS, also=["offsets"])}
    for array in rows.values():
        assert array.dtype == np.int64
        assert array.flags.c_contiguous
        assert np.shares_memory(np.from_dlpack(array), array)
        assert np.shares_memory(np.asarray(memoryview(array)), array)
    ids, bounds = tok.encode_batch_arrays(TEXTS)
    assert np.shares_memory(np.from_dlpack(ids), ids)
    pa = pytest.importorskip("pyarrow")
    assert pa.array(ids).buffers()[1].address == ids.ctypes.data
    lists = pa.LargeListArray.from_arrays(pa.array(bounds.view(np.int64)), pa.array(ids))
    assert lists.to_pylist() == tok.encode_batch(TEXTS)


torch = pytest.importorskip("torch")
transformers = pytest.importorskip("transformers")


def pair(name: str = "bert-base-uncased") -> tuple[Any, Any]:
    from tests.support.hf_tokenizers import hf_pair

    return hf_pair(name)


def same(ours: Any, theirs: Any) -> None:
    assert list(ours) == list(theirs)
    for name in theirs:
        assert ours[name].dtype == theirs[name].dtype
        assert torch.equal(ours[name], theirs[name]), name


@pytest.mark.parametrize("name", ["bert-base-uncased", "gpt2", "mistral_v0.1", "t5", "modernbert"])
@pytest.mark.parametrize(
    "options",
    [
        {"padding": True},
        {"padding": "max_length", "truncation": True, "max_length": 6, "padding_side": "left"},
        {
            "padding": True,
            "truncation": True,
            "max_length": 5,
            "stride": 1,
            "return_overflowing_tokens": True,
            "return_offsets_mapping": True,
            "return_special_tokens_mask": True,
        },
    ],
)
def test_tensors_of_an_accelerated_tokenizer(name: str, options: dict[str, Any]) -> None:
    theirs, ours = pair(name)
    same(ours(TEXTS, return_tensors="pt", **options), theirs(TEXTS, return_tensors="pt", **options))
    found, expected = (tok(TEXTS, return_tensors="pt", **options) for tok in (ours, theirs))
    assert found.word_ids(1) == expected.word_ids(1)
    assert torch.equal(found.to("cpu")["input_ids"], expected["input_ids"])


def test_rows_of_unequal_length_are_refused_in_the_same_words() -> None:
    messages = []
    for tok in pair():
        with pytest.raises(ValueError, match="padding") as caught:
            tok(TEXTS, return_tensors="pt")
        messages.append(str(caught.value))
    assert messages[0] == messages[1]


@pytest.mark.parametrize("name", ["bert-base-uncased", "gpt2", "t5"])
def test_tensors_are_decoded(name: str) -> None:
    theirs, ours = pair(name)
    ids = theirs(TEXTS, return_tensors="pt", padding=True)["input_ids"]
    for skip in (False, True):
        expected = theirs.batch_decode(ids, skip_special_tokens=skip)
        assert ours.batch_decode(ids, skip_special_tokens=skip) == expected
        assert ours.decode(ids[1], skip_special_tokens=skip) == expected[1]


def test_collators_make_the_same_batches() -> None:
    from transformers import (
        DataCollatorForLanguageModeling,
        DataCollatorForTokenClassification,
        DataCollatorWithPadding,
    )

    batches = []
    for tok in reversed(pair()):
        rows = [tok(text) for text in TEXTS]
        labels = [dict(row, labels=[1] * len(row["input_ids"])) for row in rows]
        masked = DataCollatorForLanguageModeling(tok, seed=5)
        batches.append(
            [
                DataCollatorWithPadding(tok)(rows),
                DataCollatorForTokenClassification(tok)(labels),
                masked(rows),
            ]
        )
    for ours, theirs in zip(*batches, strict=True):
        same(ours, theirs)


def test_a_loader_encodes_in_its_workers() -> None:
    theirs, ours = pair()
    texts = TEXTS * 4

    def collate(rows: list[str]) -> Any:
        return ours(rows, padding=True, return_tensors="pt")

    loader = torch.utils.data.DataLoader(texts, batch_size=4, collate_fn=collate, num_workers=2)
    for batch in loader:
        same(batch, theirs(TEXTS, padding=True, return_tensors="pt"))


def test_our_rows_become_tensors_without_a_copy() -> None:
    _, tok = small_pair()
    rows: dict[str, Any] = {**encode_inputs(tok, TEXTS)}
    for array in rows.values():
        tensor = torch.from_numpy(array)
        assert tensor.dtype == torch.int64
        assert tensor.data_ptr() == array.ctypes.data
    ids, _ = tok.encode_batch_arrays(TEXTS)
    assert torch.from_dlpack(ids).data_ptr() == ids.ctypes.data


def test_our_own_decoder_takes_tensors() -> None:
    tok = Tokenizer({i: bytes([i]) for i in range(256)}, [])
    ids = torch.tensor(tok.encode("low é"))
    assert tok.decode(ids) == tok.decode(ids.numpy()) == "low é"
    assert tok.decode_batch(torch.stack([ids, ids])) == ["low é", "low é"]
