"""The DataLoader recipe of the guides, as a loader uses it: by length, index and pickling.

PyTorch is too large to be installed for a test. Its documentation says what a loader asks of a data
set: `len`, an index, and that workers can get it pickled. That is what is done here; where
PyTorch is installed, its own loader is used, too.
"""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import multiprocessing
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import subword

from tests.support.repository import ROOT

LENGTH, ROWS = 16, 4


@pytest.fixture
def dataset(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The data set of the page, defined in a module, as in a user's program."""
    monkeypatch.chdir(tmp_path)
    text = (ROOT / "docs/guide/pytorch.md").read_text(encoding="utf-8")
    examples = [one.source for one in doctest.DocTestParser().get_examples(text)]
    (at,) = [at for at, source in enumerate(examples) if source.startswith("class NextToken")]
    names: dict[str, Any] = {}
    for source in examples[:at]:
        exec(source, names)
    program = f"import numpy as np\nimport subword\n\n{examples[at]}"
    (tmp_path / "recipe.py").write_text(program, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield importlib.import_module("recipe").NextToken(tmp_path / "shards", LENGTH)
    del sys.modules["recipe"]


def fetched(dataset: Any, rows: list[int]) -> list[Any]:
    """What a worker of a loader does: items by index, stacked column by column."""
    return [np.stack(column) for column in zip(*(dataset[at] for at in rows), strict=True)]


def check(dataset: Any, batch: int, inputs: Any, targets: Any) -> None:
    tokens = subword.open_tokens(dataset.windows._tokens.path)
    start = batch * ROWS * LENGTH
    ids = tokens[start : start + ROWS * LENGTH + 1].tolist()
    assert inputs.shape == targets.shape == (ROWS, LENGTH)
    assert inputs.reshape(-1).tolist() == ids[:-1]
    assert targets.reshape(-1).tolist() == ids[1:]
    assert str(inputs.dtype).removeprefix("torch.") == "int64"


@pytest.mark.slow
def test_the_data_set_works_in_the_workers_of_a_loader(dataset: Any) -> None:
    context = multiprocessing.get_context("spawn")
    batches = [[*range(at, at + ROWS)] for at in range(0, 4 * ROWS, ROWS)]
    assert len(dataset) >= 4 * ROWS
    with ProcessPoolExecutor(2, mp_context=context) as workers:
        made = workers.map(fetched, [dataset] * len(batches), batches)
        for batch, (inputs, targets) in enumerate(made):
            check(dataset, batch, inputs, targets)


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="needs PyTorch")
def test_the_data_set_works_in_the_real_loader(dataset: Any) -> None:
    data: Any = importlib.import_module("torch.utils.data")
    for batch, (inputs, targets) in enumerate(data.DataLoader(dataset, batch_size=ROWS)):
        if batch < 4:
            check(dataset, batch, inputs, targets)
