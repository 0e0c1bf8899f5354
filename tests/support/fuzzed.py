"""Random inputs for what Python reads: manifests of token files, and requests to the explorer.

Each check takes any bytes and never fails, however odd they are: what is refused is refused with an
error of this package, or with a status that blames the request. `robustness/test_fuzzed.py` replays
the inputs in ``fuzz/corpus``; ``make fuzz`` makes up new ones, which follow from the seed that it
prints:

    python -m tests.support.fuzzed manifests --seconds 60

What is read here is JSON, and JSON with one value exchanged goes deeper than bytes with one bit
turned over: so inputs are changed by `changed`. With ``--guided``, and atheris installed, those
that reach new lines of Python are changed further.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import quote

from subword import SubwordError, Tokenizer, encode_files, open_tokens
from subword.explorer import Explored

from tests.support.exploring import Running, running
from tests.support.repository import ROOT

CORPUS = ROOT / "fuzz" / "corpus"

#: What a value is exchanged for: other types, limits, paths, types of numpy.
ODD: list[Any] = [None, True, False, 0, 1, -1, 2, 7, 1 << 31, 1 << 63, 1 << 64, 10**30, 0.5, 1e308]
ODD += ["", "x", "0", "..", "../victim", "/victim", "sub/../x", "\0", "\ud800", "é" * 300]
ODD += ["O", "object", "uint16", "uint32", "float64", "V8", "<U4", "datetime64[s]", "u2,u2"]
ODD += [[], [0], [[]], {}, {"name": "../victim"}, [None] * 5, [1 << 70] * 5, float("nan")]

#: When the source of the manifests was written.
WRITTEN = 10**18

Check = Callable[[bytes], None]


@contextmanager
def checking_manifests() -> Iterator[Check]:
    """A check whose input is a manifest, for a folder of shards and for one file."""
    tok = Tokenizer({i: bytes([i]) for i in range(256)}, [], ["<|end|>"])
    with tempfile.TemporaryDirectory() as name:
        top = Path(name)
        whole, folder = top / "whole", top / "folder"
        whole.mkdir()
        source, victim = top / "corpus.txt", top / "victim"
        source.write_bytes(b"low\nlower\nlowest\n" * 5)
        os.utime(source, ns=(WRITTEN, WRITTEN))
        for file in (victim, top / "victim.partial"):
            file.write_text("not yours", encoding="utf-8")
        for out in ("shards", "ids.bin"):
            encode_files(tok, source, whole / out, split="line", shard_size=40, progress=False)

        def check(data: bytes) -> None:
            data = data.replace(b"SOURCE", json.dumps(str(source))[1:-1].encode())
            data = data.replace(b"TOKENIZER", tok.fingerprint.encode())
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(whole, folder)
            for out in ("shards", "ids.bin"):
                manifest = "shards/manifest.jsonl" if out == "shards" else f"{out}.manifest.jsonl"
                (folder / manifest).write_bytes(data)
                with contextlib.suppress(SubwordError, FileNotFoundError):
                    tokens = open_tokens(folder / out)
                    assert tokens.dtype in ("uint16", "uint32"), tokens.dtype
                    assert len(tokens[:]) == len(tokens)
                with contextlib.suppress(SubwordError, FileNotFoundError):
                    encode_files(
                        tok,
                        source,
                        folder / out,
                        split="line",
                        shard_size=40,
                        progress=False,
                        verify=True,
                    )
            assert victim.read_text(encoding="utf-8") == "not yours"
            assert (top / "victim.partial").exists()

        yield check


@contextmanager
def checking_requests() -> Iterator[Check]:
    """A check whose input is a request: the address in the first line, the body behind it."""
    tok = Tokenizer({i: bytes([i]) for i in range(256)} | {256: b"lo"}, [(b"l", b"o")], ["<|end|>"])
    with running([Explored("small", tok)]) as explorer:

        def check(data: bytes) -> None:
            line, _, body = data.partition(b"\n")
            answer = ask(explorer, line.decode(errors="replace"), body)
            assert answer < 500, answer

        yield check


def ask(explorer: Running, path: str, body: bytes) -> int:
    path = quote(path.lstrip("/"), safe="/?&=%,")
    kind = "octet-stream" if path.startswith("api/open") else "json"
    headers = {"content-type": f"application/{kind}"} if body else {}
    answer = explorer.request(path, body or None, headers)
    if path.startswith("api/"):
        assert json.loads(answer.body) is not None
    return answer.status


CHECKS = {"manifests": checking_manifests, "explorer": checking_requests}


def changed(data: bytes, dice: random.Random) -> bytes:
    """An input that differs a little: in a value of its JSON, in its lines, or in its bytes."""
    lines = data.split(b"\n")
    at = dice.randrange(len(lines))
    kind = dice.randrange(8)
    if kind < 5:
        with contextlib.suppress(ValueError, RecursionError):
            lines[at] = json.dumps(exchanged(json.loads(lines[at]), dice)).encode()
            return b"\n".join(lines)
    if kind == 5:
        lines.insert(at, dice.choice(lines))
    elif kind == 6:
        del lines[at]
    else:
        raw = bytearray(data or b"\0")
        where = dice.randrange(len(raw))
        raw[where : where + dice.randrange(3)] = dice.randbytes(dice.randrange(3))
        return bytes(raw)
    return b"\n".join(lines)


def exchanged(value: Any, dice: random.Random) -> Any:
    """A value with one of its parts exchanged, added or taken out."""
    if dice.randrange(4) == 0 or not isinstance(value, (dict, list)) or not value:
        return dice.choice(ODD)
    keys = list(value) if isinstance(value, dict) else list(range(len(value)))
    key = dice.choice(keys)
    if dice.randrange(8) == 0:
        del value[key]
    elif dice.randrange(8) == 0 and isinstance(value, list):
        value.insert(key, dice.choice(ODD))
    else:
        value[key] = exchanged(value[key], dice)
    return value


def seeds(name: str) -> list[Path]:
    """The inputs that are in the repository."""
    return sorted((CORPUS / name).iterdir())


def guided(name: str, seconds: int) -> None:
    """The same by atheris, which ends the process when the time is over."""
    import atheris

    def mutated(data: bytes, most: int, seed: int) -> bytes:
        return changed(data, random.Random(seed))[:most]

    with CHECKS[name]() as check, tempfile.TemporaryDirectory() as found:
        atheris.instrument_all()
        arguments = [sys.argv[0], f"-max_total_time={seconds}", found, str(CORPUS / name)]
        atheris.Setup(arguments, check, custom_mutator=mutated)
        atheris.Fuzz()


def main() -> None:
    """Make up inputs until the time is over. One that fails stays in ``fuzz/artifacts``."""
    parser = argparse.ArgumentParser()
    parser.add_argument("name", choices=CHECKS)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=time.time_ns())
    parser.add_argument("--guided", action="store_true", help="by atheris, which must be installed")
    asked = parser.parse_args()
    if asked.guided:
        guided(asked.name, int(asked.seconds))
    print(f"{asked.name} --seed {asked.seed}", flush=True)
    dice = random.Random(asked.seed)
    known = [path.read_bytes() for path in seeds(asked.name)]
    found = CORPUS.with_name("artifacts") / asked.name / "found"
    found.parent.mkdir(parents=True, exist_ok=True)
    end, runs = time.monotonic() + asked.seconds, 0
    with CHECKS[asked.name]() as check:
        while time.monotonic() < end:
            data = dice.choice(known)
            for _ in range(dice.randrange(1, 4)):
                data = changed(data, dice)
            # Written before it is tried: the process may not live to tell.
            found.write_bytes(data)
            check(data)
            runs += 1
    found.unlink(missing_ok=True)
    print(f"{runs} inputs, nothing found")


if __name__ == "__main__":
    main()
