"""The demonstration: `make demo`, or `python -m subword._demo`.

The main job on something that every machine has, the source files of Python's standard library:

    files -> piece counts -> merges -> a tokenizer -> ids on disk -> the files again, byte by byte
"""

from __future__ import annotations

import sysconfig
import time
from pathlib import Path
from typing import TYPE_CHECKING

from subword import BpeTrainer, Tokenizer, training_log
from subword._cli.colours import has_colours
from subword._cli.painting import bracketed, coloured
from subword._cli.spans import spans
from subword._whole_file import whole_file

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

PATTERN = "cl100k"
VOCAB_SIZE = 8_000
END = "<|endoftext|>"
MOST_BYTES = 20_000_000
OUT = Path("demo")

#: Folders that hold tests, or what was installed beside the standard library.
LEFT_OUT = {"site-packages", "dist-packages", "test", "tests", "idle_test", "__pycache__"}

SAMPLE = '''\
def greet(name: str = "Zoë") -> str:
    """Return a friendly line, 2024-style."""
    return f"Hello, {name}! ☕"
'''


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

    trainer = BpeTrainer(VOCAB_SIZE, pattern=PATTERN, special_tokens=[END])
    tok = trainer.train_iter(documents, errors="replace")  # some sources are not UTF-8
    row("training", learned(tok))

    rates = []
    for _ in range(2):
        start = time.perf_counter()
        ids, bounds = tok.encode_batch_arrays(documents)
        rates.append(size / 1e6 / (time.perf_counter() - start))
    row("encoding", f"{rates[0]:,.0f} MB/s at first, {rates[1]:,.0f} MB/s again, all cores")
    row("", f"{len(ids):,} tokens, {size / max(1, len(ids)):.2f} bytes per token")

    saved = save(tok, ids, bounds, out)
    row("on disk", "\n".join(f"{path}  {path.stat().st_size / 1e6:.1f} MB" for path in saved))
    row("decoding", f"{check(documents, out):,} files read back, every byte the same")
    row("sample", (coloured if has_colours() else bracketed)(spans(tok, SAMPLE)))


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


def learned(tok: Tokenizer) -> str:
    """What training did: how long it took, and the first, the middle and the last merges."""
    log = training_log(tok)
    assert log is not None  # it was trained just now
    phases = ", ".join(f"{phase.name} {phase.seconds:.2f} s" for phase in log.phases)
    tokens = [b"".join(merge.pair) for merge in log.merges]
    lines = [
        f"{tok.vocab_size:,} tokens from {log.pieces:,} pieces, {log.different:,} different",
        phases,
    ]
    middle = len(tokens) // 2
    for name, chosen in (
        ("first", tokens[:8]),
        ("middle", tokens[middle : middle + 6]),
        ("last", tokens[-5:]),
    ):
        shown = " ".join(repr(token.decode(errors="backslashreplace")) for token in chosen)
        lines.append(f"{name:<8}{shown}")
    return "\n".join(lines)


def save(
    tok: Tokenizer, ids: npt.NDArray[np.uint32], bounds: npt.NDArray[np.uint64], out: Path
) -> list[Path]:
    """Write the tokenizer, the ids and where each document starts among them."""
    import numpy as np

    out.mkdir(parents=True, exist_ok=True)
    paths = [out / "tok.json", out / "ids.npy", out / "bounds.npy"]
    tok.save(paths[0])
    narrow = np.uint16 if tok.max_id < 1 << 16 else np.uint32
    for path, array in zip(paths[1:], [ids.astype(narrow), bounds], strict=True):
        with whole_file(path) as stream:
            np.save(stream, array)
    return paths


def check(documents: list[bytes], out: Path) -> int:
    """Read everything back from disk, decode it, and compare; how many documents are the same."""
    import numpy as np

    tok = Tokenizer.load(out / "tok.json")
    ids, bounds = np.load(out / "ids.npy"), np.load(out / "bounds.npy").tolist()
    for at, document in enumerate(documents):
        if tok.decode_bytes(ids[bounds[at] : bounds[at + 1]]) != document:
            raise SystemExit(f"error: document {at} came back changed, which is a bug: tell us")
    return len(documents)


def row(name: str, text: str) -> None:
    """Print a name, and beside it a text of one or more lines."""
    for at, line in enumerate(text.splitlines()):
        print(f"{'' if at else name:<12}{line}".rstrip(), flush=True)


if __name__ == "__main__":
    main()
