"""The demonstration: `make demo`, or `python -m subword._demo`.

The main job on something that every machine has, the source files of Python's standard library:

    files -> a vocabulary -> a tokenizer -> ids on disk -> the files again, byte by byte

The trainer does not exist yet, so the vocabulary is a stand-in: the most frequent beginnings of
pieces. All that comes after it is the real thing.

A beginning occurs at least as often as anything that it begins. So with a token all of its own
beginnings are tokens, and ids rise with the length: ``re`` and ``r`` come before ``ret``.

    >>> counts = Counter({b"return": 9, b"re": 2, b"if": 4})
    >>> list(frequent_beginnings(counts, size=260))[256:]
    [b're', b'ret', b'retu', b'retur']
"""

from __future__ import annotations

import os
import sys
import sysconfig
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from subword import Tokenizer, _core

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

PATTERN = "cl100k"
VOCAB_SIZE = 8_000
END = "<|endoftext|>"
MOST_BYTES = 20_000_000
LONGEST_TOKEN = 16
OUT = Path("demo")

#: Folders that hold tests, or what was installed beside the standard library.
LEFT_OUT = {"site-packages", "dist-packages", "test", "tests", "idle_test", "__pycache__"}

SAMPLE = '''\
def greet(name: str = "Zoë") -> str:
    """Return a friendly line, 2024-style."""
    return f"Hello, {name}! ☕"
'''

STAND_IN = """\
The trainer is not there yet, so these tokens were not learned: they are the
256 bytes and the most frequent beginnings of pieces. Learned merges would need
fewer tokens for the same text; everything below is the real engine."""


def main() -> None:
    """Run it on the standard library, into the folder `demo`."""
    try:
        run(Path(sysconfig.get_paths()["stdlib"]), OUT)
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    except OSError as error:
        raise SystemExit(f"error: {error}") from None


def run(source: Path, out: Path) -> None:
    """Do the whole job on the `*.py` files under ``source``, and tell about it."""
    files = python_files(source)
    documents = [file.read_bytes() for file in files]
    size = sum(map(len, documents))
    if not size:
        raise SystemExit(f"error: {source}: no *.py files there")
    row("corpus", f"{len(files):,} files, {size / 1e6:.1f} MB of Python in {source}")

    start = time.perf_counter()
    counts = count_pieces(documents)
    ranks = frequent_beginnings(counts, size=VOCAB_SIZE - 1)
    tok = Tokenizer.from_ranks(ranks, pattern=PATTERN, special_tokens={END: len(ranks)})
    row("vocabulary", f"{tok.vocab_size:,} tokens, {time.perf_counter() - start:.1f} s")
    row("", STAND_IN)

    rates = []
    for _ in range(2):
        start = time.perf_counter()
        ids, offsets = tok.encode_batch_arrays(documents)
        rates.append(size / 1e6 / (time.perf_counter() - start))
    row("encoding", f"{rates[0]:,.0f} MB/s at first, {rates[1]:,.0f} MB/s again, all cores")
    row("", f"{len(ids):,} tokens, {size / max(1, len(ids)):.2f} bytes per token")

    saved = save(tok, ids, offsets, out)
    row("on disk", "\n".join(f"{path}  {path.stat().st_size / 1e6:.1f} MB" for path in saved))
    row("decoding", f"{check(documents, out):,} files read back, every byte the same")
    row("sample", coloured(tok, SAMPLE) if has_colours() else bracketed(tok, SAMPLE))


def python_files(source: Path) -> list[Path]:
    """The source files under a folder, sorted, without tests, up to `MOST_BYTES`."""
    files, size = [], 0
    for file in sorted(source.rglob("*.py")):
        if LEFT_OUT.isdisjoint(file.relative_to(source).parts) and file.is_file():
            size += file.stat().st_size
            if size > MOST_BYTES:
                break
            files.append(file)
    return files


def count_pieces(documents: list[bytes]) -> Counter[bytes]:
    """How often each piece occurs, cut as the tokenizer will cut."""
    counts: Counter[bytes] = Counter()
    for document in documents:
        counts.update(_core.split(document, PATTERN))
    return counts


def frequent_beginnings(counts: Mapping[bytes, int], size: int) -> dict[bytes, int]:
    """The 256 bytes, then the most frequent beginnings of pieces: ``size`` tokens with their ranks.

    Ties go to the shorter beginning, then to the one whose bytes sort first.
    """
    beginnings: Counter[bytes] = Counter()
    for piece, count in counts.items():
        for end in range(2, min(len(piece), LONGEST_TOKEN) + 1):
            beginnings[piece[:end]] += count
    order = sorted(beginnings, key=lambda token: (-beginnings[token], len(token), token))
    tokens = [bytes([byte]) for byte in range(256)] + order[: max(0, size - 256)]
    return {token: rank for rank, token in enumerate(tokens)}


def save(
    tok: Tokenizer, ids: npt.NDArray[np.uint32], offsets: npt.NDArray[np.uint64], out: Path
) -> list[Path]:
    """Write the tokenizer, the ids and where each document starts among them."""
    import numpy as np

    out.mkdir(parents=True, exist_ok=True)
    paths = [out / "tok.json", out / "ids.npy", out / "offsets.npy"]
    tok.save(paths[0])
    narrow = np.uint16 if tok.max_id < 1 << 16 else np.uint32
    for path, array in zip(paths[1:], [ids.astype(narrow), offsets], strict=True):
        partial = path.with_name(f".{path.name}.{os.getpid()}.part")
        try:
            with partial.open("wb") as stream:
                np.save(stream, array)
            partial.replace(path)
        finally:
            partial.unlink(missing_ok=True)
    return paths


def check(documents: list[bytes], out: Path) -> int:
    """Read everything back from disk, decode it, and compare; how many documents are the same."""
    import numpy as np

    tok = Tokenizer.load(out / "tok.json")
    ids, offsets = np.load(out / "ids.npy"), np.load(out / "offsets.npy").tolist()
    for at, document in enumerate(documents):
        if tok.decode_bytes(ids[offsets[at] : offsets[at + 1]]) != document:
            raise SystemExit(f"error: document {at} came back changed, which is a bug: tell us")
    return len(documents)


def shown_tokens(tok: Tokenizer, text: str) -> Iterator[str]:
    """The text of each token. Tokens that share a character are shown as one."""
    decoder = tok.decoder()
    yield from filter(None, map(decoder.push, tok.encode(text)))


def bracketed(tok: Tokenizer, text: str) -> str:
    """The tokens of a text in brackets."""
    shown = (f"[{token}]".replace("\n", "↵\n") for token in shown_tokens(tok, text))
    return "".join(token.replace("\n]", "]\n") for token in shown)


def coloured(tok: Tokenizer, text: str) -> str:
    """The tokens of a text on backgrounds that alternate."""
    shown = []
    for at, token in enumerate(shown_tokens(tok, text)):
        on, off = f"\x1b[30;4{'6' if at % 2 else '3'}m", "\x1b[0m"
        # A background that is still on at the end of a line may colour the whole next line.
        painted = on + token.replace("\n", f"↵{off}\n{on}") + off
        shown.append(painted.replace(f"\n{on}{off}", "\n"))
    return "".join(shown)


def has_colours() -> bool:
    """Whether standard output is a terminal, and the user has nothing against colours."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR")


def row(name: str, text: str) -> None:
    """Print a name, and beside it a text of one or more lines."""
    for at, line in enumerate(text.splitlines()):
        print(f"{'' if at else name:<12}{line}".rstrip(), flush=True)


if __name__ == "__main__":
    main()
