"""A dataset of the real datasets library: its texts as ids, in processes, and from its cache."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import datasets
import pyarrow as pa
import pytest
from datasets.fingerprint import Hasher
from subword import CorpusError, Tokenizer
from subword.integrations.datasets import encode

from tests.support.small import SAMPLE, SPECIAL, tokenizer_named

TEXTS = [*SAMPLE.splitlines(), "low<|endoftext|>low", "", None] * 20
TEXT_COLUMN = [text or "" for text in TEXTS]


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    datasets.disable_progress_bars()
    yield
    datasets.enable_progress_bars()


@pytest.fixture
def tok() -> Tokenizer:
    return tokenizer_named("ranks, cl100k")


def stored(folder: Path, column: list[Any]) -> datasets.Dataset:
    """A dataset that is on disk, as one that was loaded: only such a one has a cache."""
    datasets.Dataset.from_dict({"text": column}).save_to_disk(folder / "corpus")
    return datasets.load_from_disk(folder / "corpus")


def ids_of(tok: Tokenizer, texts: list[str | None], **settings: Any) -> list[list[int] | None]:
    return [None if text is None else tok.encode(text, **settings) for text in texts]


@pytest.mark.parametrize("num_proc", [None, 2])
def test_the_ids_are_those_of_the_tokenizer(
    tok: Tokenizer, tmp_path: Path, num_proc: int | None
) -> None:
    made = encode(stored(tmp_path, TEXTS), tok, num_proc=num_proc, batch_size=7)
    assert made["ids"][:] == ids_of(tok, TEXTS)
    assert made["text"][:] == TEXTS
    assert made.data.schema.field("ids").type == pa.list_(pa.int32())


def test_special_tokens_are_text_unless_they_are_asked_for(tok: Tokenizer) -> None:
    corpus = datasets.Dataset.from_dict({"text": TEXTS})
    assert encode(corpus, tok, special="encode")["ids"][:] == ids_of(tok, TEXTS, special="encode")
    some = encode(corpus, tok, to="some", special={"<|endoftext|>"})
    assert some["some"][:] == ids_of(tok, TEXTS, special={"<|endoftext|>"})
    assert SPECIAL["<|endoftext|>"] in some["some"][-3]


def test_bytes_parts_and_streams_are_encoded_too(tok: Tokenizer) -> None:
    data = [None if text is None else text.encode() for text in TEXTS]
    corpus = datasets.Dataset.from_dict({"data": data})
    assert encode(corpus, tok, "data")["ids"][:] == ids_of(tok, TEXTS)
    parts = encode(datasets.DatasetDict(train=corpus, test=corpus.select([0])), tok, "data")
    assert parts["train"]["ids"][:] == ids_of(tok, TEXTS)
    assert parts["test"]["ids"][:] == ids_of(tok, TEXTS[:1])
    stream = encode(corpus.to_iterable_dataset(), tok, "data")
    assert [row["ids"] for row in stream] == ids_of(tok, TEXTS)


def test_the_format_of_a_dataset_stays(tok: Tokenizer) -> None:
    corpus = datasets.Dataset.from_dict({"text": ["low"]})
    assert encode(corpus, tok).format["type"] is None
    assert encode(corpus.with_format("numpy"), tok).format["type"] == "numpy"


def test_map_with_encode_batch_runs_in_processes(tok: Tokenizer, tmp_path: Path) -> None:
    made = stored(tmp_path, TEXT_COLUMN).map(
        lambda rows: {"ids": tok.encode_batch(rows["text"], threads=1)}, batched=True, num_proc=2
    )
    assert made["ids"][:] == ids_of(tok, [*TEXT_COLUMN])


def test_a_second_run_reads_the_cache(tok: Tokenizer, tmp_path: Path) -> None:
    corpus = stored(tmp_path, TEXTS)
    copy = pickle.loads(pickle.dumps(tok))  # equal, and another object
    [file] = [Path(one["filename"]) for one in encode(corpus, tok).cache_files]
    written = file.stat().st_mtime_ns
    again = encode(corpus, copy)
    assert [Path(one["filename"]) for one in again.cache_files] == [file]
    assert file.stat().st_mtime_ns == written  # read, not made again
    assert again["ids"][:] == ids_of(tok, TEXTS)
    other = encode(corpus, tokenizer_named("ranks, o200k"))
    assert [Path(one["filename"]) for one in other.cache_files] != [file]


PROGRAM = """
import sys
import datasets
from datasets.fingerprint import Hasher
from subword import Tokenizer
from subword.integrations._columns import Encode
from subword.integrations.datasets import encode

datasets.disable_progress_bars()
tok = Tokenizer.load(sys.argv[1])
print(Hasher.hash(tok), Hasher.hash(tok.encode_batch), end=" ")
print(Hasher.hash(lambda rows: {"ids": tok.encode_batch(rows["text"])}), end=" ")
corpus = datasets.load_from_disk(sys.argv[2])
print(encode(corpus, tok, special={"<|endoftext|>", "<|endo"}).cache_files[0]["filename"], end=" ")
print(corpus.map(lambda rows: {"ids": tok.encode_batch(rows["text"])}, batched=True).cache_files)
"""


@pytest.mark.slow
def test_hashes_and_cache_files_are_the_same_in_a_new_process(
    tok: Tokenizer, tmp_path: Path
) -> None:
    stored(tmp_path, TEXT_COLUMN)
    tok.save(tmp_path / "tok.json")
    run = [sys.executable, "-c", PROGRAM, str(tmp_path / "tok.json"), str(tmp_path / "corpus")]
    printed = {
        subprocess.run(
            run,
            env=os.environ | {"PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(printed) == 1
    assert printed.pop().split()[:2] == [Hasher.hash(tok), Hasher.hash(tok.encode_batch)]
    assert len([*(tmp_path / "corpus").glob("cache-*.arrow")]) == 2


def test_what_workers_send_is_read_as_counts_and_never_run() -> None:
    from subword import Counts, CountsError
    from subword.integrations._columns import Pack, unpacked

    table = pa.table({"piece": [b"low", b"er"], "count": [2, 1]})
    [packed] = Pack({"pattern": "gpt2"})([table])
    [row] = packed["counts"].to_pylist()
    assert unpacked([row, row], {"pattern": "gpt2"}) == Counts({b"low": 4, b"er": 2})
    for bad in (pickle.dumps(Counts()), b"", row[:-1]):
        with pytest.raises(CountsError):
            unpacked([bad], {"pattern": "gpt2"})


def test_a_column_that_is_not_there_or_no_text_is_refused(tok: Tokenizer) -> None:
    corpus = datasets.Dataset.from_dict({"body": ["low"], "n": [1], "words": [["low"]]})
    with pytest.raises(CorpusError) as caught:
        encode(corpus, tok)
    assert str(caught.value) == "no column \"text\"\n  hint: pass column='body', or another one"
    with pytest.raises(CorpusError) as caught:
        encode(corpus, tok, "n")
    assert str(caught.value) == 'column "n": expected strings or bytes, found int64'
    with pytest.raises(CorpusError, match="found list<"):
        encode(corpus, tok, "words")
    with pytest.raises(CorpusError) as caught:
        encode(corpus, tok, "body", to="n")
    assert str(caught.value) == 'there is a column "n" already\n  hint: pass to=, another name'
