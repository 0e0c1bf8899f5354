"""The first lines of code that a visitor meets, run as they are printed.

Guides are doctests, and run by themselves. The blocks here have no prompts: they are shown before
anything else, and name files that a reader has and the tests make.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import subword
from subword import BpeTrainer, Tokenizer

from tests.support.published import file
from tests.support.repository import ROOT

TEXTS = ["Hello world", "the lowest of the low were slower than the slowest"]


def first_block(page: str) -> str:
    """The first block of Python on a page."""
    text = (ROOT / page).read_text(encoding="utf-8")
    found = re.search(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert found is not None
    return found[1]


def run(page: str) -> dict[str, Any]:
    """What the names of the first block stand for in the end."""
    names: dict[str, Any] = {"texts": TEXTS}
    exec(first_block(page), names)
    return names


def test_the_five_calls_of_the_readme_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pa = pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    BpeTrainer(num_merges=20).train_iter(TEXTS).save("tokenizer.json")
    words = " ".join(f"{a}{b}{c}" for a in "abcdefgh" for b in "abcdefgh" for c in "abcdefgh")
    Path("corpus.txt").write_text(words)
    Path("web").mkdir()
    Path("web/a.txt.zst").write_bytes(pa.compress(TEXTS[1].encode(), "zstd", asbytes=True))
    with pytest.warns(subword.TrainingWarning, match="vocab_size=32000 is more than the corpus"):
        names = run("README.md")
    tok = names["tok"]
    assert names["ids"].tolist() == [id for text in TEXTS for id in tok.encode(text)]
    assert subword.open_tokens("shards/")[:].tolist() == tok.encode(TEXTS[1])
    assert isinstance(names["mine"], Tokenizer)


def test_the_first_lines_of_the_pages_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SUBWORD_VOCABS", str(file("vocabs/cl100k_base.tiktoken").parent))
    names = run("docs/index.md")
    tok = names["tok"]
    assert tok.encode("Hello world") == [9906, 1917]  # as the comment says
    assert names["ids"].tolist() == [id for text in TEXTS for id in tok.encode(text)]
