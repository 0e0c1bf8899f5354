"""A package that is not installed: the error says what installs it, and is never a traceback."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from subword import BpeTrainer, Counts, MissingPackageError, count_pieces, encode_files
from subword._cli import main

HINT = "Parquet files need pyarrow\n  hint: pip install 'subword[parquet]'"


@pytest.fixture
def table(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A Parquet file, on a machine without pyarrow."""
    for name in [*sys.modules]:
        if name.startswith(("pyarrow", "subword._corpus.parquet")):
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    path = tmp_path / "corpus.parquet"
    path.write_bytes(b"PAR1")
    return path


def test_parquet_without_pyarrow_is_an_error_with_a_hint(table: Path) -> None:
    tok = BpeTrainer(num_merges=1).train_iter(["low low"])
    with pytest.raises(MissingPackageError) as caught:
        BpeTrainer(num_merges=1).train(table)
    assert isinstance(caught.value, ImportError)
    assert (str(caught.value), caught.value.name) == (HINT, "pyarrow")
    with pytest.raises(ImportError, match="pip install"):
        count_pieces(table)
    with pytest.raises(ImportError, match="pip install"):
        encode_files(tok, table, table.with_suffix(".bin"))
    with pytest.raises(ImportError, match="pip install"):
        Counts.from_parquet(table)


def test_the_command_line_tells_it_in_two_lines(table: Path) -> None:
    tok = table.with_name("tok.json")
    BpeTrainer(num_merges=1).train_iter(["low low"]).save(tok)
    out = str(table.with_name("out.json"))
    commands = [
        ("train", str(table), "--vocab-size", "300", "--out", out),
        ("encode-corpus", str(tok), str(table), "--out", str(table.with_name("ids.bin"))),
        ("evaluate", str(tok), str(table)),
    ]
    for command in commands:
        done = CliRunner().invoke(main, command)
        assert (done.exit_code, done.output.strip()) == (1, f"error: {HINT}"), command
