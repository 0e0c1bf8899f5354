"""Shows that an installed subword works: ``python tests/smoke.py``, with nothing but the package.

For wheels, in a new environment without Rust and without this repository on the path: train, save,
load, encode, decode, files, the command line. It needs neither pytest nor data, takes some seconds,
and ends with a line that says what ran.
"""

from __future__ import annotations

import platform
import subprocess
import sys
import tempfile
from pathlib import Path

TEXT = "The clock of the tower had stopped, and nobody could say in which year. Zoë 时钟 ☕ 123\n"
END = "<|endoftext|>"


def train(folder: Path) -> Path:
    """A tokenizer that learns from a file, saved."""
    import subword

    corpus = folder / "corpus.txt"
    corpus.write_text(TEXT * 200, encoding="utf-8")
    trainer = subword.BpeTrainer(vocab_size=320, special_tokens=[END])
    made = trainer.train(corpus)
    path = folder / "tokenizer.json"
    made.save(path)
    assert subword.Tokenizer.load(path) == made
    return path


def encode(path: Path) -> None:
    """Ids and back, one text and many, on one thread and on two."""
    import subword

    tok = subword.Tokenizer.load(path)
    ids = tok.encode(TEXT + END, special="encode")
    assert ids[-1] == tok.special_tokens[END]
    assert tok.decode(ids) == TEXT + END
    assert len(ids) < len(TEXT.encode())
    texts = [TEXT * n for n in range(50)]
    assert tok.encode_batch(texts, threads=2) == [tok.encode(text) for text in texts]
    assert tok.encode_array(TEXT).tolist() == tok.encode(TEXT)
    words = subword.WordPieceTrainer(vocab_size=90).train_iter([TEXT] * 20)
    assert words.decode(words.encode("the clock"))


def files(path: Path, folder: Path) -> None:
    """A corpus to a file of ids, and the ids again."""
    import subword

    tok = subword.Tokenizer.load(path)
    made = subword.encode_files(tok, folder / "corpus.txt", folder / "ids.npy", progress=False)
    tokens = subword.open_tokens(folder / "ids.npy")
    assert made.tokens == len(tok.encode(TEXT * 200)) > 0
    assert len(tokens) == made.tokens


def command_line(path: Path) -> None:
    """The command that the wheel installs, beside this Python."""
    name = "subword.exe" if sys.platform == "win32" else "subword"
    command = Path(sys.executable).with_name(name)
    done = subprocess.run([command, "--version"], capture_output=True, text=True, check=True)
    import subword

    assert subword.__version__ in done.stdout
    found = [str(command), "encode", str(path)]
    done = subprocess.run(found, input="clock", capture_output=True, text=True, check=True)
    assert [int(id) for id in done.stdout.split()] == subword.Tokenizer.load(path).encode("clock")


def main() -> None:
    import subword

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = train(folder)
        encode(path)
        files(path, folder)
        command_line(path)
    python = f"{platform.python_implementation()} {platform.python_version()}"
    where = Path(subword.__file__).parent
    print(f"smoke: subword {subword.__version__} works: {python}, {platform.machine()}, {where}")


if __name__ == "__main__":
    main()
