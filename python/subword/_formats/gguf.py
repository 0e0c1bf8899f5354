"""The facts in a GGUF file, the format of llama.cpp: names and values, before the weights.

    GGUF 3 <tensors> <facts>
    <name> <kind> <value>          tokenizer.ggml.model   string   gpt2
    <name> ARRAY <kind> <count> ...tokenizer.ggml.tokens  strings  ["!", ...]

Everything is little-endian; a string is its length in eight bytes and its UTF-8. A file is read
from its start to the end of its facts, so the gigabytes of weights behind them cost nothing.

The file may be hostile. Numbers say how much follows, so nothing is reserved for them before it is
there, and all facts together have at most `MOST_BYTES`.
"""

from __future__ import annotations

from collections.abc import Collection
from struct import Struct
from typing import BinaryIO, NoReturn

from subword._errors import ModelFormatError

#: How a file begins.
MAGIC = b"GGUF"

#: How many bytes all facts together may have: ten times the largest published vocabulary.
MOST_BYTES = 1 << 28

#: How long the name of a fact may be, as the format says.
MOST_NAME = (1 << 16) - 1

#: Numbers, by the number of their kind.
NUMBERS = {
    0: Struct("<B"),
    1: Struct("<b"),
    2: Struct("<H"),
    3: Struct("<h"),
    4: Struct("<I"),
    5: Struct("<i"),
    6: Struct("<f"),
    7: Struct("<?"),
    10: Struct("<Q"),
    11: Struct("<q"),
    12: Struct("<d"),
}
STRING, ARRAY = 8, 9

_LENGTH = NUMBERS[10]

#: What a fact may be: a number or a flag, a string, or many of one of these.
Fact = int | float | str | list[str] | tuple[float, ...]


def read(file: BinaryIO, place: str, wanted: Collection[str]) -> dict[str, Fact]:
    """The facts of these names; all others are passed over.

    >>> import io
    >>> name = len(b"kind").to_bytes(8, "little") + b"kind"
    >>> head = MAGIC + bytes([3, 0, 0, 0]) + bytes(8) + bytes([1, 0, 0, 0, 0, 0, 0, 0])
    >>> read(io.BytesIO(head + name + bytes([4, 0, 0, 0, 7, 0, 0, 0])), "x.gguf", {"kind"})
    {'kind': 7}
    """
    reader = _Reader(file, place)
    reader.take(len(MAGIC), "its first bytes")
    version = reader.number(4, "its version")
    if version not in (2, 3):
        older = "it was written for a big-endian machine" if version == 3 << 24 else None
        reader.refuse(f"expected GGUF of version 2 or 3, found version {version}", older)
    reader.number(10, "the number of its tensors")
    facts: dict[str, Fact] = {}
    for _ in range(int(reader.number(10, "the number of its facts"))):
        name = reader.string("the name of a fact", MOST_NAME)
        kind = reader.number(4, name)
        if name in facts:
            reader.refuse(f"the fact {name!r} is there twice")
        value = reader.value(int(kind), name, keep=name in wanted)
        if value is not None:
            facts[name] = value
    return facts


class _Reader:
    """Reads values one after the other."""

    def __init__(self, file: BinaryIO, place: str) -> None:
        self.file, self.place, self.left = file, place, MOST_BYTES

    def refuse(self, message: str, hint: str | None = None) -> NoReturn:
        raise ModelFormatError(self.place, message, hint)

    def take(self, size: int, name: str) -> bytes:
        if size > self.left:
            self.refuse(f"expected at most {MOST_BYTES} bytes of facts, found more within {name}")
        content = self.file.read(size)
        if len(content) < size:
            self.refuse(f"the file ends within {name}", "download it again")
        self.left -= size
        return content

    def number(self, kind: int, name: str) -> float:
        form = NUMBERS[kind]
        value: float = form.unpack(self.take(form.size, name))[0]
        return value

    def string(self, name: str, most: int = MOST_BYTES) -> str:
        size = int(self.number(10, name))
        if size > most:
            self.refuse(f"expected at most {most} bytes in {name}, found {size}")
        return self.text(self.take(size, name), name)

    def text(self, content: bytes, name: str) -> str:
        try:
            return content.decode()
        except UnicodeDecodeError:
            self.refuse(f"expected UTF-8 in {name}, found {content[:40]!r}")

    def value(self, kind: int, name: str, *, keep: bool) -> Fact | None:
        if kind == ARRAY:
            inner, count = int(self.number(4, name)), int(self.number(10, name))
            return self.array(inner, count, name, keep=keep)
        if kind == STRING:
            found = self.string(name)
            return found if keep else None
        if kind not in NUMBERS:
            self.refuse(f"expected one of the 13 kinds of GGUF in {name}, found {kind}")
        return self.number(kind, name)

    def array(self, kind: int, count: int, name: str, *, keep: bool) -> Fact | None:
        if kind == STRING:
            return self.strings(count, name, keep=keep)
        if kind not in NUMBERS:
            what = "an array of arrays" if kind == ARRAY else f"kind {kind}"
            self.refuse(f"expected an array of numbers or strings in {name}, found {what}")
        form = NUMBERS[kind]
        content = self.take(form.size * count, name)
        numbers = Struct(f"<{count}{form.format[1:]}")
        return numbers.unpack(content) if keep else None

    def strings(self, count: int, name: str, *, keep: bool) -> list[str] | None:
        # PERF: most of the time that a file takes is this loop, half a million times for Gemma 4.
        read, length, left = self.file.read, _LENGTH.unpack, self.left
        found: list[str] = []
        for at in range(count):
            head = read(8)
            if len(head) < 8:
                self.refuse(f"the file ends within {name}[{at}]", "download it again")
            (size,) = length(head)
            left -= size + 8
            if left < 0:
                found_more = f"found more within {name}[{at}]"
                self.refuse(f"expected at most {MOST_BYTES} bytes of facts, {found_more}")
            content = read(size)
            if len(content) < size:
                self.refuse(f"the file ends within {name}[{at}]", "download it again")
            if keep:
                try:
                    found.append(content.decode())
                except UnicodeDecodeError:
                    self.text(content, f"{name}[{at}]")
        self.left = left
        return found if keep else None
