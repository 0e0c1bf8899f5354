"""A bad document is told by its file and line, or left out and listed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import subword
from subword import CorpusError, TextError, Tokenizer, encode_files

from tests.support.token_files import END, SMALL, encode, expected, joined, read_raw

LINES = [
    b'{"text": "low"}',
    b'{"text": 12}',
    b'{"body": "low"}',
    b"",
    b'{"text": "new"',
    b'{"text": "caf\xe9"}',
    b'{"text": "last"}',
]


def refused(kind: type[Exception], corpus: Path, **options: Any) -> str:
    with pytest.raises(kind) as error:
        encode(corpus, corpus.parent / "ids.bin", overwrite=True, **options)
    return str(error.value).replace(f"{corpus.parent}/", "")


def test_a_bad_line_is_named(tmp_path: Path) -> None:
    corpus = tmp_path / "c.jsonl"
    words = [
        'c.jsonl:1: expected a string in the field "text", found 12',
        'c.jsonl:1: no field "text"\n  hint: pass field="body", or another one',
    ]
    for line, message in zip(LINES[1:3], words, strict=True):
        corpus.write_bytes(line)
        assert refused(CorpusError, corpus) == message
    corpus.write_bytes(b"\n".join([LINES[0], b"", LINES[4]]))
    assert refused(CorpusError, corpus).startswith("c.jsonl:3: expected ")
    corpus.write_bytes(b"\n".join([LINES[0], LINES[5]]))
    hint = '\n  hint: pass errors="replace" to put U+FFFD in its place'
    assert refused(TextError, corpus) == f"c.jsonl:2: not UTF-8 at position 29{hint}"
    encode(corpus, tmp_path / "ids.bin", overwrite=True, errors="replace")
    assert read_raw(tmp_path / "ids.bin") == joined(expected(["low", "caf\ufffd"]))


def test_bad_lines_are_left_out_and_listed(tmp_path: Path) -> None:
    corpus = tmp_path / "c.jsonl"
    corpus.write_bytes(b"\n".join(LINES))
    made = encode(corpus, tmp_path / "ids.bin", on_error="skip")
    assert read_raw(tmp_path / "ids.bin") == joined(expected(["low", "last"]))
    assert made.documents == 2
    assert [Path(place).name for place, _ in made.skipped] == [f"c.jsonl:{n}" for n in (2, 3, 5, 6)]
    assert made.skipped[3].message == "not UTF-8 (byte 74)"
    again = encode(corpus, tmp_path / "ids.bin", on_error="skip")
    assert again.skipped == made.skipped


def test_a_run_that_stopped_at_a_bad_document_goes_on_without_it(tmp_path: Path) -> None:
    corpus = tmp_path / "c.jsonl"
    corpus.write_text(
        "".join(json.dumps({"text": f"low {n}"}) + "\n" for n in range(500)) + '{"text": 1}\n'
    )
    with pytest.raises(CorpusError, match=r"c.jsonl:501: expected a string"):
        encode(corpus, tmp_path / "ids.bin")
    made = encode(corpus, tmp_path / "ids.bin", on_error="skip")
    assert made.resumed_at > 0
    assert (made.documents, len(made.skipped)) == (500, 1)
    assert read_raw(tmp_path / "ids.bin") == joined(expected([f"low {n}" for n in range(500)]))


def test_a_bad_text_is_named_by_its_line(tmp_path: Path) -> None:
    corpus = tmp_path / "c.txt"
    corpus.write_bytes(b"low\n" * 70_000 + b"caf\xe9\nlow" + END.encode() + b"new\n")
    hint = '\n  hint: pass errors="replace" to put U+FFFD in its place'
    expected_words = f"c.txt:70001: not UTF-8 at position 280003{hint}"
    assert refused(TextError, corpus, shard_size="1MB") == expected_words
    assert refused(TextError, corpus, split="line", shard_size="1MB") == expected_words
    made = encode(corpus, tmp_path / "ids.bin", overwrite=True, on_error="skip", shard_size="1MB")
    assert read_raw(tmp_path / "ids.bin") == expected(["new\n"])[0]
    assert [Path(place).name for place, _ in made.skipped] == ["c.txt:70001"]
    made = encode(
        corpus,
        tmp_path / "ids.bin",
        overwrite=True,
        on_error="skip",
        split="line",
        shard_size="1MB",
    )
    assert (made.documents, len(made.skipped)) == (70_001, 1)


def test_a_forbidden_special_token_is_named(tmp_path: Path) -> None:
    corpus = tmp_path / "c.txt"
    corpus.write_text(f"low\nnew {END}")
    assert refused(CorpusError, corpus, split="file", special="error") == (
        'c.txt:2: the text spells the special token "<|endoftext|>"\n'
        '  hint: pass special="encode" or special="text"'
    )
    made = encode(corpus, tmp_path / "ids.bin", overwrite=True, split="file", special="text")
    assert made.tokens == len(SMALL.encode(corpus.read_text())) + 1


def test_a_character_without_a_token_is_named(tmp_path: Path) -> None:
    letters = Tokenizer(
        dict(enumerate([b"l", b"o", b"w"])), [], pattern="whitespace", units="chars"
    )
    (tmp_path / "c.txt").write_text("low\nlow\nlot")
    with pytest.raises(CorpusError, match=r"c.txt:3: .*'t'|c.txt:3: "):
        encode_files(letters, tmp_path / "c.txt", tmp_path / "ids.bin", split="line")
    made = encode_files(
        letters, tmp_path / "c.txt", tmp_path / "ids.bin", split="line", on_error="skip"
    )
    assert read_raw(tmp_path / "ids.bin") == [0, 1, 2, 0, 1, 2]
    assert len(made.skipped) == 1


def test_rows_without_text_are_named(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    corpus = tmp_path / "c.parquet"
    table = {"text": ["low", None, "new"], "bytes": [b"low", b"caf\xe9", b"new"], "n": [1, 2, 3]}
    pq.write_table(pa.table(table), corpus)
    words = 'c.parquet: row 1: expected text in the column "text", found null'
    assert refused(CorpusError, corpus) == words
    assert refused(TextError, corpus, field="bytes").startswith("c.parquet: row 1: not UTF-8 at")
    assert refused(CorpusError, corpus, field="n") == (
        'c.parquet: expected text in the column "n", found int64'
    )
    assert refused(CorpusError, corpus, field="x") == (
        "c.parquet: no column \"x\"\n  hint: pass field='text', or another one"
    )
    for field in ("text", "bytes"):
        made = encode(corpus, tmp_path / "ids.bin", overwrite=True, on_error="skip", field=field)
        assert read_raw(tmp_path / "ids.bin") == joined(expected(["low", "new"]))
        assert len(made.skipped) == 1
    corpus.write_text("no table")
    assert refused(CorpusError, corpus).startswith("c.parquet: not a Parquet file: ")


def test_what_cannot_be_opened_is_said(tmp_path: Path) -> None:
    (tmp_path / "raw.bin").write_bytes(b"\1\0\2\0")
    with pytest.raises(
        CorpusError, match='does not say what it holds\n  hint: pass dtype="uint16"'
    ):
        subword.open_tokens(tmp_path / "raw.bin")
    assert subword.open_tokens(tmp_path / "raw.bin", dtype="uint16")[:].tolist() == [1, 2]
    (tmp_path / "x.idx").write_bytes(b"something")
    with pytest.raises(CorpusError, match="not the index of a Megatron dataset"):
        subword.open_tokens(tmp_path / "x.idx")
    with pytest.raises(CorpusError, match="there is no manifest"):
        subword.open_tokens(tmp_path)
