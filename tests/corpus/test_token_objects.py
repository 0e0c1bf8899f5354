"""Token files as objects: what they show of themselves, and how a wrong path or place is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import subword
from subword import EncodedFiles, Tokens, open_tokens, read_documents

from tests.support.token_files import SMALL


@pytest.fixture
def tokens(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tokens:
    """Three documents of three tokens each, as shards."""
    monkeypatch.chdir(tmp_path)
    Path("corpus.jsonl").write_text('{"text": "abc"}\n{"text": "def"}\n{"text": "ghi"}\n')
    made = subword.encode_files(SMALL, "corpus.jsonl", "shards/")
    assert isinstance(made, EncodedFiles)
    found = open_tokens("shards/")
    assert isinstance(found, Tokens)
    return found


def test_windows_and_documents_show_what_they_are(tokens: Tokens) -> None:
    assert repr(tokens.windows(4, step=2)) == "<Windows: 3 of 4 tokens, step 2>"
    assert repr(tokens.documents) == "<Documents: 3, 'shards'>"


def test_a_place_that_is_not_there_says_how_many_there_are(tokens: Tokens) -> None:
    sequences: list[tuple[str, Any]] = [
        ("9 tokens", tokens),
        ("3 windows", tokens.windows(3)),
        ("3 documents", tokens.documents),
    ]
    for what, sequence in sequences:
        for place in (9, -10):
            with pytest.raises(IndexError) as told:
                sequence[place]
            assert str(told.value) == f"there are {what}, and no number {place}"
    assert tokens.documents[-1].tolist() == SMALL.encode("ghi")


@pytest.mark.usefixtures("tokens")
@pytest.mark.parametrize("name", ["nope", "nope.bin", "nope.npy", "nope.idx"])
def test_files_that_are_not_there_are_a_file_not_found_error(name: str) -> None:
    with pytest.raises(FileNotFoundError) as told:
        open_tokens(name)
    assert told.value.filename == name


@pytest.mark.usefixtures("tokens")
def test_documents_are_read_as_they_are_encoded(tmp_path: Path) -> None:
    assert list(read_documents("corpus.jsonl")) == [b"abc", b"def", b"ghi"]
    Path("a.txt").write_bytes(b"a\nb\xff")
    assert list(read_documents(["a.txt", "corpus.*"])) == [b"a\nb\xff", b"abc", b"def", b"ghi"]
    with pytest.raises(subword.CorpusError, match=r'corpus.jsonl:1: no field "body"'):
        list(read_documents("corpus.jsonl", field="body"))
    with pytest.raises(FileNotFoundError):
        list(read_documents("nope.txt"))


def test_the_folder_of_shards_is_made_and_those_above_it_are_not(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("low")
    with pytest.raises(FileNotFoundError):
        subword.encode_files(SMALL, tmp_path / "a.txt", f"{tmp_path}/no/shards/")
    assert not (tmp_path / "no").exists()
    assert subword.encode_files(SMALL, tmp_path / "a.txt", f"{tmp_path}/shards/").tokens > 0
