"""Small files that would become gigabytes: an error that names the place, or little memory."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import subword
from subword import CorpusError, count_pieces
from subword._corpus.parquet import BLOCK_BYTES, MOST_BYTES, batches
from subword._corpus.parquet_rows import ParquetRows

from tests.support.token_files import END, encode, expected, joined, read_raw

LIMIT = 1 << 19


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def packed(name: str, content: bytes) -> None:
    """A compressed file."""
    if name.endswith(".gz"):
        Path(name).write_bytes(gzip.compress(content))
    else:
        with pa.output_stream(name, compression="zstd") as file:
            file.write(content)


@pytest.mark.parametrize("end", ["gz", "zst"])
def test_a_line_over_the_limit_is_named(end: str) -> None:
    long = json.dumps({"text": "low " * LIMIT})
    name = f"bomb.jsonl.{end}"
    packed(name, ('{"text": "low"}\n' * 20_000 + long + "\n").encode())
    assert Path(name).stat().st_size < LIMIT / 100
    words = (
        f"{name}:20001: the line has more than {LIMIT} bytes\n  hint: pass a larger max_document"
    )
    with pytest.raises(CorpusError, match=words):
        encode(name, "ids.bin", max_document=LIMIT)
    with pytest.raises(CorpusError, match=words):
        count_pieces(name, max_document=LIMIT)
    made = encode(name, "ids.bin", max_document="4MB", shard_size="64KB", overwrite=True)
    assert made.documents == 20_001
    assert count_pieces(name, max_document="4MB").total == 20_000 + 4 * LIMIT // 4 + 1


def test_a_line_as_long_as_the_limit_is_read() -> None:
    text = "x" * (LIMIT - len('{"text": ""}'))
    Path("c.jsonl").write_text(json.dumps({"text": text}) + "\n" + '{"text": "low"}')
    assert encode("c.jsonl", "ids.bin", max_document=LIMIT).documents == 2
    Path("c.jsonl").write_text(json.dumps({"text": text + "x"}) + "\n")
    with pytest.raises(CorpusError, match=r"c.jsonl:1: the line has more than"):
        encode("c.jsonl", "ids.bin", max_document=LIMIT, overwrite=True)


def test_a_text_without_a_place_to_cut_is_named() -> None:
    packed("bomb.txt.gz", b"low\n" * 200_000 + b"x" * 4 * LIMIT)
    words = r"the text from byte \d+ on has no place to cut it within 524288 bytes"
    with pytest.raises(CorpusError, match=rf"bomb.txt.gz:\d{{5,6}}: {words}"):
        encode("bomb.txt.gz", "ids.bin", max_document=LIMIT)
    with pytest.raises(CorpusError, match=rf"bomb.txt.gz: {words}"):
        count_pieces("bomb.txt.gz", max_document=LIMIT)


@pytest.mark.parametrize("size", [0, -1])
def test_a_limit_of_nothing_makes_no_sense(size: int) -> None:
    Path("c.txt").write_text("low")
    with pytest.raises(ValueError, match="max_document must be at least 1"):
        encode("c.txt", "ids.bin", max_document=size)
    with pytest.raises(ValueError, match="max_document must be at least 1"):
        count_pieces("c.txt", max_document=size)
    with pytest.raises(ValueError, match="max_document must be a number of bytes"):
        count_pieces("c.txt", max_document="much")


def blocks(path: Path, first: int = 0) -> list[tuple[int, int]]:
    """The rows and bytes of all blocks."""
    reader, found, row = ParquetRows(path, "text", 1 << 30), [], first
    while (block := reader.next(row)) is not None:
        text, ends, _, _ = block
        assert ends[-1] == len(text)
        found.append((len(ends), len(text)))
        row += len(ends)
    return found


BOILERPLATE = "the same boilerplate document, again and again. " * 400


@pytest.mark.slow
@pytest.mark.parametrize("kind", [pa.string(), pa.large_binary(), "categories"])
def test_a_table_of_boilerplate_is_read_in_small_blocks(kind: pa.DataType) -> None:
    column = pa.array([BOILERPLATE] * 2000, None if kind == "categories" else kind)
    if kind == "categories":
        column = column.dictionary_encode()
    path = Path("same.parquet")
    pq.write_table(pa.table({"text": column}), path)
    assert path.stat().st_size < 5000
    with pq.ParquetFile(path) as file:
        most = max(len(batch) for batch in batches(file, path, "text"))
    assert most * len(BOILERPLATE) <= MOST_BYTES
    found = blocks(path)
    assert sum(rows for rows, _ in found) == 2000
    assert max(size for _, size in found) < BLOCK_BYTES + len(BOILERPLATE)
    made = encode(path, "ids.bin", append=None, shard_size="64MB")
    assert made.tokens == 2000 * len(expected([BOILERPLATE])[0][:-1])
    counted = count_pieces(path)
    assert counted == count_pieces(texts=[BOILERPLATE] * 2000)


@pytest.mark.slow
def test_short_rows_before_a_long_one_do_not_hide_it() -> None:
    path = Path("t.parquet")
    long = "x" * 1_000_000
    pq.write_table(pa.table({"text": ["a"] * 5000 + [long] * 500}), path)
    with pq.ParquetFile(path) as file:
        sizes = [batch.nbytes for batch in batches(file, path, "text")]
    assert max(sizes) < 2 * MOST_BYTES


def test_rows_without_text_end_a_block_too() -> None:
    path = Path("t.parquet")
    pq.write_table(pa.table({"text": pa.nulls(200_000, pa.string())}), path)
    assert max(rows for rows, _ in blocks(path)) <= BLOCK_BYTES // 8


def test_blocks_depend_on_the_texts_alone() -> None:
    texts = [f"row {row} " * (row * row % 97) for row in range(6000)] + [BOILERPLATE] * 90
    found = []
    for name, settings in {
        "a": {"row_group_size": 500},
        "b": {"row_group_size": 10_000, "use_dictionary": False},
        "c": {"row_group_size": 7, "data_page_size": 100},
    }.items():
        path = Path(f"{name}.parquet")
        pq.write_table(pa.table({"text": texts}), path, **settings)
        found.append(blocks(path))
    assert found[0] == found[1] == found[2]
    start = sum(rows for rows, _ in found[0][:3])
    assert blocks(Path("a.parquet"), start) == found[0][3:]


def test_a_row_over_the_limit_is_named() -> None:
    pq.write_table(pa.table({"text": ["a", "b" * 600, "c"]}), "t.parquet")
    with pytest.raises(CorpusError, match=r"t.parquet: row 1: the text has more than 500 bytes"):
        encode("t.parquet", "ids.bin", max_document=500)


def test_a_run_goes_on_at_a_row_in_the_middle_of_larger_blocks() -> None:
    """The version before read more rows at a time, and told how many of them it had written."""
    documents = [f"{row} " + "low " * 1000 for row in range(200)]
    pq.write_table(pa.table({"text": documents}), "t.parquet")
    encode("t.parquet", "ids.bin", shard_size=60_000)
    whole = Path("ids.bin").read_bytes()
    manifest = Path("ids.bin.manifest.jsonl")
    lines = [json.loads(line) for line in manifest.read_text().splitlines()]
    at = next(at for at, line in enumerate(lines) if line.get("documents", 0) > 150)
    lines[at]["place"] = [0, 0, 0, lines[at]["documents"], 0]
    manifest.write_text("".join(json.dumps(line) + "\n" for line in lines[: at + 1]))
    Path("ids.bin").rename("ids.bin.partial")
    assert encode("t.parquet", "ids.bin", shard_size=60_000).resumed_at == lines[at]["tokens"]
    assert Path("ids.bin").read_bytes() == whole
    assert read_raw(Path("ids.bin")) == joined(expected(documents))


def test_files_of_other_kinds_are_not_opened_as_ids() -> None:
    np.save("floats.npy", np.zeros(4))
    np.save("objects.npy", np.array([{}, {}]), allow_pickle=True)
    np.save("square.npy", np.zeros((2, 2), np.uint16))
    np.savez("many.npz", a=np.zeros(2, np.uint16))
    Path("many.npz").rename("many.npy")
    Path("short.npy").write_bytes(Path("floats.npy").read_bytes()[:-8])
    Path("none.npy").write_bytes(b"")
    for name in ("floats", "objects", "square", "many", "short", "none"):
        with pytest.raises(CorpusError, match=rf"{name}.npy: "):
            subword.open_tokens(f"{name}.npy")
    metadata = {"subword.tokens": "[1, 2]"}
    for kind, said in ((pa.uint32(), "[5]"), (pa.list_(pa.uint32()), "[-1]")):
        table = pa.table({"x": pa.array([], kind)}).replace_schema_metadata(
            metadata | {"subword.tokens": said}
        )
        pq.write_table(table, "x.parquet")
        with pytest.raises(CorpusError, match="not a file of tokens"):
            subword.open_tokens("x.parquet")
    Path("y.parquet").write_text("none")
    with pytest.raises(CorpusError, match="not a Parquet file"):
        subword.open_tokens("y.parquet")


def test_an_index_that_does_not_fit_its_ids_is_refused() -> None:
    Path("c.txt").write_text(f"low{END}new")
    encode("c.txt", "ids.idx")
    index = Path("ids.idx").read_bytes()
    Path("ids.idx").write_bytes(index[:18] + (1 << 40).to_bytes(8, "little") + index[26:])
    with pytest.raises(CorpusError, match=r"ids.idx: expected at least \d+ bytes"):
        subword.open_tokens("ids.idx")
    Path("ids.idx").write_bytes(index[:34] + (99).to_bytes(4, "little") + index[38:])
    with pytest.raises(CorpusError, match=r"the lengths of its documents do not fit ids.bin"):
        _ = subword.open_tokens("ids.idx").documents[0]
