"""The libraries that are measured, each behind the same small class.

    adapter.start()                      import the library (where that is timed, it is on its own)
    loaded = adapter.load(vocab)         read a vocabulary file
    loaded.to_array(text)                ids as a numpy array of uint32
    loaded.to_list(text)                 ids as a list
    loaded.to_bytes(ids)                 an array of ids as bytes, or as text where there is no such
    loaded.tokenizer                     the library's own object, for what only some can do

Each adapter takes the fastest way that the library's public names offer, with text that spells a
special token taken as ordinary text. A library that is not installed, or that cannot load the
vocabulary, raises; the scenarios turn that into a row that says so.

Why `import_module` and not `import`: a missing library is a fact to report, and the type checker
then needs neither the libraries nor their stubs.
"""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, ClassVar
from unittest.mock import patch

import numpy as np
import numpy.typing as npt

from libraries import OURS, Library
from measure.corpora import Vocab

Ids = npt.NDArray[np.uint32]

REFERENCE = "tiktoken"


def reference(vocab: Vocab) -> str:
    """The library whose ids are the right ones, and whose time is the 1 of every ratio."""
    return REFERENCE if vocab.has_ranks else Tokenizers.name


# One thread for libraries that take the number from the environment, and no copy of the vocabulary
# in tiktoken's cache directory.
ENVIRONMENT = {
    "RAYON_NUM_THREADS": "1",
    "FASTOKENS_BPE_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "TIKTOKEN_CACHE_DIR": "",
}


@dataclass(frozen=True)
class Loaded:
    """A library with a vocabulary in it: text in, ids out."""

    to_array: Callable[[str], Ids]
    to_list: Callable[[str], list[int]]
    to_bytes: Callable[[Ids], bytes | str]
    tokenizer: Any


class Adapter(Library):
    """A library that encodes. ``at_most`` bytes of a large text keep a slow one bearable."""

    at_most: ClassVar[int | None] = None

    @abstractmethod
    def load(self, vocab: Vocab) -> Loaded:
        """Read the vocabulary."""


class Subword(Adapter):
    name = OURS

    def load(self, vocab: Vocab) -> Loaded:
        settings: dict[str, Any] = {}
        if vocab.has_ranks:
            settings = {"pattern": vocab.name, "special_tokens": vocab.special_tokens}
        return self.wrapped(self.start().Tokenizer.load(vocab.ranks, **settings))

    def wrapped(self, tokenizer: Any) -> Loaded:
        to_array = partial(tokenizer.encode_array, threads=1)
        return Loaded(to_array, tokenizer.encode, tokenizer.decode_bytes, tokenizer)


class Tiktoken(Adapter):
    name = REFERENCE
    rounds = 3

    def start(self) -> Any:
        import_module("tiktoken_ext.openai_public")
        return super().start()

    def load(self, vocab: Vocab) -> Loaded:
        if not vocab.has_ranks:
            raise ValueError(f"{vocab.name} is not published as a .tiktoken file")
        ranks = import_module("tiktoken.load").load_tiktoken_bpe(str(vocab.ranks))
        published = self._published(vocab)
        if published["special_tokens"] != vocab.special_tokens:
            raise ValueError(f"special tokens of {vocab.name} are not those of tiktoken")
        encoding = self.start().Encoding(**{**published, "mergeable_ranks": ranks})
        to_array = partial(encoding.encode_to_numpy, disallowed_special=())
        return Loaded(
            to_array,
            encoding.encode_ordinary,
            lambda ids: encoding.decode_bytes(ids.tolist()),
            encoding,
        )

    def _published(self, vocab: Vocab) -> dict[str, Any]:
        """Tiktoken's own pattern and special tokens, without the download that goes with them."""
        public = import_module("tiktoken_ext.openai_public")
        with patch.object(public, "load_tiktoken_bpe", lambda *_, **__: {}):
            arguments: dict[str, Any] = public.ENCODING_CONSTRUCTORS[vocab.encoding]()
        return arguments


class Gigatoken(Adapter):
    name = "gigatoken"

    def load(self, vocab: Vocab) -> Loaded:
        # No special tokens: gigatoken has no other way to take them as ordinary text.
        library = self.start().Tokenizer
        tokenizer = (
            library.from_tiktoken(vocab.ranks, vocab.name, {})
            if vocab.has_ranks
            else library(vocab.json)
        )
        encode = tokenizer.backend.encode
        return Loaded(
            encode,
            lambda text: encode(text).tolist(),
            tokenizer.backend.decode,
            tokenizer.backend,
        )


class Fastokens(Adapter):
    name = "fastokens"

    def load(self, vocab: Vocab) -> Loaded:
        # PERF: `encoding=` picks its own scanner, about four times the speed of `pattern=` with the
        # same regular expression, but it knows two. Its reader of tokenizer.json refuses those two.
        library = self.start().Tokenizer
        tokenizer = (
            library.from_tiktoken(str(vocab.ranks), encoding=vocab.encoding, special_tokens={})
            if vocab.encoding in ("cl100k_base", "o200k_base")
            else library.from_file(str(vocab.json))
        )

        def to_array(text: str) -> Ids:
            ids, _ = tokenizer.encode_batch_flat([text], split_special_tokens=True)
            return np.frombuffer(ids, dtype=np.uint32)

        return Loaded(
            to_array,
            lambda text: tokenizer.encode_ordinary(text).ids,
            lambda ids: tokenizer.decode(ids.tolist()),
            tokenizer,
        )


class Tokenizers(Adapter):
    name = "tokenizers"
    at_most = 1_000_000
    rounds = 3

    def load(self, vocab: Vocab) -> Loaded:
        tokenizer = self.start().Tokenizer.from_file(str(vocab.json))
        tokenizer.encode_special_tokens = True  # its name for: take them as ordinary text

        def to_list(text: str) -> list[int]:
            ids: list[int] = tokenizer.encode(text, add_special_tokens=False).ids
            return ids

        return Loaded(
            lambda text: np.array(to_list(text), dtype=np.uint32),
            to_list,
            lambda ids: tokenizer.decode(ids.tolist(), skip_special_tokens=False),
            tokenizer,
        )


ADAPTERS: dict[str, Adapter] = {
    adapter.name: adapter
    for adapter in (Subword(), Tiktoken(), Gigatoken(), Fastokens(), Tokenizers())
}


def use_one_thread() -> None:
    """Set the environment for this process and its children. Call it before any library starts."""
    os.environ.update(ENVIRONMENT)


def pinned_versions() -> dict[str, str]:
    """What requirements-peers.txt asks for: ``{"tiktoken": "0.14.0", "numpy": "2.4.6", ...}``."""
    lines = (Path(__file__).parent.parent / "requirements-peers.txt").read_text().splitlines()
    pins = (line.split(";")[0].split("==") for line in lines if "==" in line)
    return {name.strip(): version.strip() for name, version in pins}
