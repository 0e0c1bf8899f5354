"""Nothing hangs, fills the memory or depends on the process: odd files, the environment."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
from subword import BpeTrainer, Counts, CountsError, Tokenizer

from tests.support.repository import ROOT


def python(program: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Runs a program in a new Python, which is killed if it does not end."""
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


ENCODE_A_RULER = """
import sys
from subword import Tokenizer
tok = Tokenizer.load(sys.argv[1], pattern="gpt2")
print(tok.encode("-" * 3000))
"""


def test_rulers_of_many_lengths_are_encoded_by_their_ranks(tmp_path: Path) -> None:
    corpus = [("-" * length + "\n") * 3 for length in range(1, 101)]
    trained = BpeTrainer(vocab_size=355, pattern="gpt2", progress=False).train_iter(corpus)
    assert max(map(len, trained.vocab.values())) > 64
    path = tmp_path / "rulers.tiktoken"
    trained.save(path)
    # In a process of its own: a search that never ends cannot be interrupted.
    done = python(ENCODE_A_RULER, str(path))
    assert done.stdout.split() == str(trained.encode("-" * 3000)).split(), done.stderr


def test_a_token_of_the_greatest_length_is_prepared_at_once() -> None:
    ranks = {bytes([byte]): byte for byte in range(256)}
    ranks |= {b"ab": 256, b"ba": 257, (b"abc" * 21_846)[: 1 << 16]: 258}
    tok = Tokenizer.from_ranks(ranks, pattern="none")
    assert tok.encode("ab" * 50_000) == [256] * 50_000


EVERYTHING = """
import hashlib, sys
from pathlib import Path
from subword import BpeTrainer, Counts, Tokenizer, WordPieceTrainer, count_pieces
folder = Path(sys.argv[1])
text = Path(sys.argv[2]).read_text(encoding="utf-8")
counts = count_pieces(texts=[text], pattern="gpt2", threads=2, progress=False)
counts.save(folder / "all.counts")
spilled = count_pieces(texts=[text], pattern="gpt2", memory_limit=1 << 16, progress=False)
spilled.save(folder / "spilled.counts")
tok = BpeTrainer(vocab_size=700, pattern="gpt2", progress=False).train_counts(counts)
tok.save(folder / "bpe.json")
tok.save(folder / "bpe.tiktoken")
words = count_pieces(texts=[text], pattern="bert", normalizer="bert-uncased", progress=False)
WordPieceTrainer(vocab_size=400, progress=False).train_counts(words).save(folder / "words.json")
ranked = Tokenizer.load(folder / "bpe.tiktoken", pattern="gpt2")
(folder / "ids.txt").write_text(str([tok.encode(text), ranked.encode(text)]), encoding="utf-8")
for path in sorted(folder.iterdir()):
    print(path.name, hashlib.sha256(path.read_bytes()).hexdigest())
"""


def test_two_processes_write_the_same_files_ids_and_merges(tmp_path: Path) -> None:
    text = ROOT / "README.md"
    written = []
    for number in ["1", "2"]:
        folder = tmp_path / number
        folder.mkdir()
        done = python(EVERYTHING, str(folder), str(text))
        assert done.returncode == 0, done.stderr
        written.append(done.stdout)
    assert written[0] == written[1]
    assert len(written[0].splitlines()) == 6


@pytest.mark.parametrize("name", ["typo", "AVX2", "sse"])
def test_a_level_that_is_none_is_an_error_of_the_import(name: str) -> None:
    done = python("import subword", SUBWORD_SIMD=name)
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == (
        f'ValueError: SUBWORD_SIMD="{name}": expected one of scalar, avx2, avx512, neon'
    )


@pytest.mark.parametrize("name", ["", "scalar", "avx2", "avx512", "neon"])
def test_a_level_is_used_or_refused_by_name(name: str) -> None:
    done = python("import subword; print(subword.patterns['gpt2'])", SUBWORD_SIMD=name)
    if done.returncode == 0:
        assert done.stdout
    else:
        assert name in ("avx2", "avx512", "neon")
        refusal = f"ValueError: SUBWORD_SIMD={name}: this processor has only scalar"
        assert done.stderr.splitlines()[-1].startswith(refusal)


def test_the_module_says_that_it_needs_the_gil() -> None:
    source = (ROOT / "crates/subword-py/src/lib.rs").read_text(encoding="utf-8")
    assert re.search(r"#\[pymodule\(gil_used = true\)\]\nmod _core", source)


@pytest.mark.skipif(not sysconfig.get_config_var("Py_GIL_DISABLED"), reason="has a GIL anyway")
def test_a_free_threaded_python_switches_the_gil_on() -> None:
    done = python("import sys, subword; print(sys._is_gil_enabled())")
    assert done.stdout.split() == ["True"]


def test_a_tokenizer_without_tokens_has_no_largest_id() -> None:
    tok = Tokenizer({}, [], units="chars")
    assert (tok.vocab_size, tok.max_id) == (0, -1)


def number(value: int) -> bytes:
    """A number of a counts file: seven bits to a byte, the lowest first."""
    parts = []
    while value >= 0x80:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*parts, value])


def test_a_small_counts_file_cannot_fill_the_memory(tmp_path: Path) -> None:
    path = tmp_path / "bomb.counts"
    Counts({}, pattern="none").save(path)
    empty = path.read_bytes()
    start = empty[: -2 - 24]
    entries = [number(length) + b"\x01x\x01" for length in range(20_000)]
    path.write_bytes(start + b"".join(entries) + empty[-26:])
    assert path.stat().st_size < 110_000
    with pytest.raises(CountsError) as caught:
        Counts.load(path)
    assert caught.value.place == str(path)
    assert re.match(r"entry 11909, which ends at byte 59441: the pieces ", caught.value.message)


def test_counts_of_pieces_that_begin_alike_come_back(tmp_path: Path) -> None:
    counts = Counts({b"x" * length: length for length in range(1, 14_000)}, pattern="none")
    counts.save(tmp_path / "alike.counts")
    assert (tmp_path / "alike.counts").stat().st_size < 2_000_000
    assert Counts.load(tmp_path / "alike.counts") == counts
