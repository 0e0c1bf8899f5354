"""Memory that runs out is a `MemoryError`: the process goes on, and so does the tokenizer."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator, Mapping

import pytest
from subword import Tokenizer

BYTES = {i: bytes([i]) for i in range(256)}

#: Runs calls in a process that gets only so much more memory than it has, and prints how each ends.
LIMITED = """
import resource, sys
import numpy as np
from subword import Tokenizer

BYTES = {i: bytes([i]) for i in range(256)}
tok = Tokenizer(BYTES, [])
regex = Tokenizer(BYTES, [], pattern="[a-z]+| ")
whole = Tokenizer(BYTES | {256: b"aa"}, [(b"a", b"a")], pattern="none")
longest = Tokenizer(BYTES, [], pattern="none", longest_match=True)
words = Tokenizer({i: bytes([i]) for i in range(128)}, [], units="chars")
piece = Tokenizer.wordpiece(["[UNK]", "a", "b"])
text = "a b " * 8_000_000
run = "a" * 20_000_000
wide = "\u044f b " * 8_000_000
ids = np.full(24_000_000, 97, np.uint32)
texts = [text[:1000]] * 32_000
for each in (tok, regex, whole, longest, words, piece):
    each.decode(each.encode("a b" * 3000))
tok.decode(ids[:100_000])
before = resource.getrlimit(resource.RLIMIT_AS)
for call in sys.argv[2:]:
    now = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (now + (int(sys.argv[1]) << 20), before[1]))
    try:
        made, ended = eval(call), "done"
    except MemoryError:
        ended = "MemoryError"
    made = None
    resource.setrlimit(resource.RLIMIT_AS, before)
    print(ended, flush=True)
    for each in (tok, regex, whole, longest, words):
        assert each.decode(each.encode("ab" * 5000)) == "ab" * 5000
"""

CALLS = [
    "tok.encode(text)",
    "tok.encode(text, threads=1)",
    "tok.encode_array(text, threads=2)",
    "tok.encode(wide)",
    "tok.encode(wide, threads=1)",
    "tok.encode(bytearray(64_000_000))",
    "tok.encode_batch(texts)",
    "tok.encode_batch(texts, threads=1)",
    "tok.encode_batch_arrays(texts)",
    "tok.encode_batch_arrays([text] * 3, threads=2)",
    "tok.encode_batch([text, wide])",
    "tok.encode_offsets(text)",
    "tok.decode(ids)",
    "tok.decode_bytes(ids)",
    "tok.decode(ids, skip_special_tokens=True)",
    "tok.decode_batch([ids[:1_000_000]] * 20)",
    "tok.decode(ids.tolist())",
    "regex.encode(text)",
    "whole.encode(text)",
    "whole.encode(run)",
    "longest.encode(text)",
    "words.encode(text)",
    "piece.encode(text)",
    "piece.encode_batch_arrays(texts)",
    "tok.encode(text, add_special_tokens=True)",
]


def limited(megabytes: int, *calls: str) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", LIMITED, str(megabytes), *calls],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, (done.stdout, done.stderr[-2000:])
    return done.stdout.split()


linux = pytest.mark.skipif(sys.platform != "linux", reason="a limit of address space")


@pytest.mark.slow
@linux
def test_a_result_that_there_is_no_memory_for_is_a_memory_error() -> None:
    ended = limited(24, *CALLS)
    assert dict(zip(CALLS, ended, strict=True)) == dict.fromkeys(CALLS, "MemoryError")


@pytest.mark.slow
@linux
@pytest.mark.parametrize("megabytes", [4, 8, 40, 80, 160, 300])
def test_whatever_the_limit_nothing_aborts(megabytes: int) -> None:
    calls = ["tok.encode_array(text)", "whole.encode_array(run[:4_000_000])", "tok.decode(ids)"]
    assert set(limited(megabytes, *calls)) <= {"done", "MemoryError"}


@linux
def test_a_new_tokenizer_gets_a_smaller_cache_where_memory_is_short() -> None:
    assert limited(40, "Tokenizer(BYTES, []).encode('low ' * 5000)") == ["done"]


@pytest.mark.parametrize("cache_bytes", [1 << 40, 1 << 50, 2**62, 2**100])
def test_a_cache_larger_than_memory_is_as_large_as_can_be(cache_bytes: int) -> None:
    tok = Tokenizer(BYTES, [], cache_bytes=cache_bytes)
    text = "low lower " + "long" * 30
    assert tok.encode(text) == tok.encode(text) == list(text.encode())
    piece = Tokenizer.wordpiece(["[UNK]", "low", "##er"], cache_bytes=cache_bytes)
    assert piece.encode("low lower") == [1, 1, 2]


def test_more_ids_than_there_is_memory_for_are_a_memory_error() -> None:
    tok = Tokenizer(BYTES, [])
    with pytest.raises(MemoryError, match="4000000000000000 bytes"):
        tok.decode(range(10**15))
    assert tok.decode(range(97, 100)) == "abc"


def test_a_length_that_is_not_true_costs_nothing() -> None:
    class Large(Mapping[int, bytes]):
        def __len__(self) -> int:
            return 2**50

        def __iter__(self) -> Iterator[int]:
            return iter(BYTES)

        def __getitem__(self, id: int) -> bytes:
            return BYTES[id]

    class Ranks(Mapping[bytes, int]):
        def __len__(self) -> int:
            return 2**50

        def __iter__(self) -> Iterator[bytes]:
            return iter(BYTES.values())

        def __getitem__(self, token: bytes) -> int:
            return token[0]

    assert Tokenizer(Large(), []).encode("low") == [108, 111, 119]
    assert Tokenizer.from_ranks(Ranks(), pattern="gpt2").encode("low") == [108, 111, 119]


#: Everything that makes arrays, where numpy cannot be imported.
NO_NUMPY = """
import sys
sys.modules["numpy"] = None
from subword import Tokenizer, count_pieces, prune
tok = Tokenizer({i: bytes([i]) for i in range(256)}, [])
calls = [
    lambda: tok.encode_array("low"),
    lambda: tok.encode_array("low" * 5_000_000),
    lambda: tok.encode_batch_arrays(["low", "lower"]),
    lambda: prune(tok, count_pieces(texts=["low"], pattern=tok.pattern)),
]
for call in calls:
    try:
        call()
    except ImportError:
        print("ImportError")
print(tok.encode_batch(["low"]))
"""


def test_arrays_without_numpy_are_an_import_error() -> None:
    done = subprocess.run(
        [sys.executable, "-c", NO_NUMPY], capture_output=True, text=True, check=False
    )
    assert (done.stderr, done.returncode) == ("", 0)
    assert done.stdout == "ImportError\n" * 4 + "[[108, 111, 119]]\n"
