"""From a corpus to token files: what is in them, read back by the real readers of each format."""

from __future__ import annotations

import gzip
import json
import pickle
import struct
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import subword
from hypothesis import given, settings
from hypothesis import strategies as st
from subword import encode_files

from tests.support.token_files import (
    DOCUMENTS,
    END,
    OUTS,
    SMALL,
    Documents,
    encode,
    expected,
    joined,
    read_raw,
)


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    path = tmp_path / "corpus.txt"
    path.write_bytes(END.join([*DOCUMENTS, ""]).encode())
    return path


def read_megatron(path: Path) -> list[list[int]]:
    """From the description of the format: sizes, then lengths, pointers, documents."""
    data = path.read_bytes()
    assert data[:9] == b"MMIDIDX\x00\x00"
    version, code, sequences, documents = struct.unpack("<QBQQ", data[9:34])
    assert (version, code, documents) == (1, 8, sequences + 1)
    at = 34
    lengths = np.frombuffer(data, "<i4", sequences, at)
    pointers = np.frombuffer(data, "<i8", sequences, at + 4 * sequences)
    index = np.frombuffer(data, "<i8", documents, at + 12 * sequences)
    assert len(data) == at + 12 * sequences + 8 * documents
    assert index.tolist() == list(range(documents))
    ids = path.with_suffix(".bin").read_bytes()
    return [
        np.frombuffer(ids, "<u2", length, pointer).tolist()
        for length, pointer in zip(lengths.tolist(), pointers.tolist(), strict=True)
    ]


def test_a_raw_file_is_all_ids(corpus: Path, tmp_path: Path) -> None:
    made = encode(corpus, tmp_path / "ids.bin")
    ids = joined(expected(DOCUMENTS))
    assert read_raw(tmp_path / "ids.bin") == ids
    assert (made.documents, made.tokens, made.format, made.dtype) == (8, len(ids), "bin", "uint16")
    assert made.read == corpus.stat().st_size
    assert made.files == (tmp_path / "ids.bin",)
    # As the whole text would be encoded: its separators are the ids after its documents.
    assert ids == SMALL.encode(corpus.read_bytes(), special="encode")


def test_numpy_reads_the_array(corpus: Path, tmp_path: Path) -> None:
    encode(corpus, tmp_path / "ids.npy", dtype="uint32")
    ids = np.load(tmp_path / "ids.npy", mmap_mode="r")
    assert ids.dtype == np.uint32
    assert ids.tolist() == joined(expected(DOCUMENTS))


@pytest.mark.parametrize("name", ["shards/", "ids.idx", "ids.parquet"])
@pytest.mark.parametrize("split", ["line", END, "file"])
def test_an_id_before_each_document(tmp_path: Path, name: str, split: str) -> None:
    separator = {"line": "\n", "file": None}.get(split, split)
    # The long ones begin in one block and end in another; an empty line is a document, too.
    documents = ["", "low", "low lower " * 150_000, "", "x " * 400_000, "the end"]
    whole = ["".join(documents)] if separator is None else documents
    path = tmp_path / "corpus.txt"
    path.write_text((separator or "").join(documents), encoding="utf-8")
    ids = [[7, *SMALL.encode(document), 8] for document in whole]
    for threads in (1, 2):
        out = f"{tmp_path}/{threads}-{name}"
        settings: dict[str, Any] = {"split": split, "threads": threads, "shard_size": "1MB"}
        made = encode_files(SMALL, path, out, prepend=7, append=8, **settings)
        assert made.documents == len(whole)
        assert [row.tolist() for row in subword.open_tokens(out).documents] == ids


def test_shards_have_the_ends_of_their_documents(corpus: Path, tmp_path: Path) -> None:
    made = encode(corpus, tmp_path / "shards")
    documents = []
    for file in made.files:
        ids, start = read_raw(file), 0
        for end in np.fromfile(f"{file}.index", "<u8").tolist():
            documents.append(ids[start:end])
            start = end
        assert start == len(ids)
    assert documents == expected(DOCUMENTS)
    assert [file.name for file in made.files] == ["00000.bin", "00001.bin", "00002.bin"]


def test_megatron_reads_its_dataset(corpus: Path, tmp_path: Path) -> None:
    encode(corpus, tmp_path / "ids.idx")
    assert read_megatron(tmp_path / "ids.idx") == expected(DOCUMENTS)
    names = {path.name for path in tmp_path.iterdir()}
    written = {"ids.idx", "ids.bin", "ids.idx.manifest.jsonl", "ids.bin.lock"}
    assert names == {"corpus.txt", *written}


@pytest.mark.parametrize("append", [END, None])
@pytest.mark.parametrize("shard_size", [100, 2000, "64MB"])
def test_pyarrow_reads_the_table(
    corpus: Path, tmp_path: Path, append: str | None, shard_size: int
) -> None:
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    encode(corpus, tmp_path / "ids.parquet", append=append, shard_size=shard_size)
    table = pq.read_table(tmp_path / "ids.parquet")
    assert table.schema.names == ["input_ids"]
    kind = table.schema.field(0).type
    assert pa.types.is_list(kind)
    assert kind.value_type == pa.uint32()
    found = table.column(0).to_pylist()
    assert found == [ids if append else ids[:-1] for ids in expected(DOCUMENTS)]


def test_a_table_of_many_pages_is_whole(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    documents = ["é " * n for n in (0, 1, 7, 8, 9, 200_000, 0, 3, 130_000)]
    path = tmp_path / "corpus.jsonl"
    path.write_text("".join(json.dumps({"text": text}) + "\n" for text in documents))
    encode(path, tmp_path / "ids.parquet", append=None, shard_size="1MB")
    found = pq.read_table(tmp_path / "ids.parquet").column(0).to_pylist()
    assert found == [SMALL.encode(text) for text in documents]
    tokens = subword.open_tokens(tmp_path / "ids.parquet")
    assert [document.tolist() for document in tokens.documents] == found


@pytest.mark.parametrize("out", OUTS)
def test_open_tokens_reads_all_that_is_written(out: str, corpus: Path, tmp_path: Path) -> None:
    encode(corpus, f"{tmp_path}/{out}")
    tokens = subword.open_tokens(f"{tmp_path}/{out}")
    ids = joined(expected(DOCUMENTS))
    assert len(tokens) == len(ids)
    assert list(tokens) == ids
    assert tokens[5:3000].tolist() == ids[5:3000]
    assert (tokens[-1], tokens[7], tokens[9:3].tolist()) == (ids[-1], ids[7], [])
    windows = tokens.windows(100, step=30)
    assert [window.tolist() for window in windows] == [
        ids[at : at + 100] for at in range(0, len(ids) - 99, 30)
    ]
    assert len(tokens.windows(len(ids) + 1)) == 0
    if out in ("ids.bin", "ids.npy"):
        with pytest.raises(subword.CorpusError, match="does not keep where documents end"):
            _ = tokens.documents
    else:
        assert len(tokens.documents) == len(DOCUMENTS)
        found = [tokens.documents[at].tolist() for at in range(len(DOCUMENTS))]
        assert found == expected(DOCUMENTS)
        assert tokens.documents[-1].tolist() == found[-1]
    copy = pickle.loads(pickle.dumps(tokens))
    assert (copy.dtype, copy[5:9].tolist()) == (tokens.dtype, ids[5:9])
    if out != "ids.parquet":
        assert isinstance(tokens[0:5].base, np.memmap)


@pytest.mark.parametrize("out", OUTS)
def test_nothing_is_something_too(out: str, tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_text("")
    made = encode(tmp_path / "empty.jsonl", f"{tmp_path}/{out}")
    assert (made.documents, made.tokens) == (0, 0)
    tokens = subword.open_tokens(f"{tmp_path}/{out}")
    assert (len(tokens), list(tokens), len(tokens.windows(3))) == (0, [], 0)


def test_every_kind_of_source_gives_the_same(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq

    lines = "".join(json.dumps({"id": 1, "text": text}) + "\n" for text in DOCUMENTS)
    (tmp_path / "a.jsonl").write_text(lines)
    with gzip.open(tmp_path / "b.jsonl.gz", "wt") as file:
        file.write(lines)
    pq.write_table(pa.table({"id": range(8), "text": DOCUMENTS}), tmp_path / "c.parquet")
    zstd = pa.output_stream(tmp_path / "d.txt.zst", compression="zstd")
    with zstd as file:
        file.write(END.join(DOCUMENTS).encode())
    made = encode(str(tmp_path / "[abcd].*"), tmp_path / "ids.idx")
    assert read_megatron(tmp_path / "ids.idx") == 4 * expected(DOCUMENTS)
    assert made.documents == 32


def test_tables_are_read_from_any_row_on(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    import pyarrow.parquet as pq
    from subword._corpus.parquet_rows import ParquetRows

    texts = [f"row {row} " * (row % 50) for row in range(9000)]
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({"text": texts}), path, row_group_size=4000)
    starts, row = [], 0
    reader, found, read = ParquetRows(path, "text", 1 << 30), [], 0
    while (block := reader.next(row)) is not None:
        starts.append(row)
        text, ends, missing, some = block
        pieces = np.split(np.frombuffer(text, np.uint8), ends[:-1])
        found += [piece.tobytes().decode() for piece in pieces]
        assert missing == []
        read, row = read + some, row + len(ends)
    assert found == texts
    assert len(starts) > 5
    assert read == path.stat().st_size
    for row in starts[1::3]:
        again = ParquetRows(path, "text", 1 << 30).next(row)
        assert again is not None
        assert bytes(again[0]).decode().startswith(texts[row])


def test_a_document_larger_than_a_block_is_the_same(tmp_path: Path) -> None:
    text = "the quick brown fox " * 60_000 + "\n" + "y" * 700_000
    (tmp_path / "huge.txt").write_text(text)
    made = encode_files(SMALL, tmp_path / "huge.txt", tmp_path / "ids.npy", threads=3)
    assert made.documents == 1
    ids = np.load(tmp_path / "ids.npy")
    assert np.array_equal(ids, SMALL.encode_array(text))


@given(
    documents=st.lists(st.text(st.sampled_from("low \n\r<|é你😀"), max_size=60), max_size=12),
    out=st.sampled_from(["ids.idx", "ids.parquet", "shards/"]),
    shard_size=st.sampled_from([1, 10, 50, 1000]),
)
@settings(max_examples=25)
def test_documents_come_out_as_they_went_in(
    documents: Documents, out: str, shard_size: int
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        corpus = Path(folder, "corpus.txt")
        corpus.write_bytes("".join(text + END for text in documents).encode())
        encode(corpus, f"{folder}/{out}", shard_size=shard_size, verify=True)
        found = [ids.tolist() for ids in subword.open_tokens(f"{folder}/{out}").documents]
    assert found == expected(documents)


def test_what_makes_no_sense_is_refused(corpus: Path, tmp_path: Path) -> None:
    out = tmp_path / "ids.bin"
    cases: list[tuple[dict[str, Any], str]] = [
        ({"split": "<nope>"}, "split must be"),
        ({"append": "<nope>"}, "append must be a special token"),
        ({"append": 99_999}, "no token has id 99999"),
        ({"prepend": "<nope>"}, "prepend must be a special token"),
        ({"dtype": "int8"}, "dtype must be"),
        ({"shard_size": "many"}, "shard_size must be a number of bytes"),
        ({"shard_size": 0}, "shard_size must be at least 1"),
        ({"on_error": "ignore"}, "on_error must be"),
    ]
    for options, message in cases:
        with pytest.raises((ValueError, KeyError), match=message):
            encode(corpus, out, **options)
    with pytest.raises(ValueError, match=r"out must end in .bin, .npy, .idx, .parquet, or in /"):
        encode(corpus, tmp_path / "ids.json")
    with pytest.raises(ValueError, match="not for Parquet"):
        encode(corpus, tmp_path / "ids.parquet", dtype="uint16")
    with pytest.raises(FileNotFoundError):
        encode(tmp_path / "missing.txt", out)
    with pytest.raises(FileNotFoundError, match=r"ids.bin"):
        encode(corpus, tmp_path / "missing" / "ids.bin")
    assert not out.exists()
