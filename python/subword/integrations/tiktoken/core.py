"""tiktoken's `Encoding`: its methods, arguments, defaults and errors over a tokenizer."""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from subword import TextError, Tokenizer, UnknownIdError
from subword.integrations.tiktoken._text import any_of, check_threads, check_type, refuse, repaired
from subword.integrations.tiktoken._unstable import Unstable

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

T = TypeVar("T")
Allowed = Literal["all"] | AbstractSet[str]
Disallowed = Literal["all"] | Collection[str]

NOTHING: frozenset[str] = frozenset()


class Encoding:
    """A tokenizer with tiktoken's methods.

    Example:
        >>> ranks = {bytes([i]): i for i in range(256)} | {b"lo": 256, b"low": 257}
        >>> special = {"<|end|>": 258}
        >>> enc = Encoding("tiny", pat_str=".+", mergeable_ranks=ranks, special_tokens=special)
        >>> enc.encode("slow<|end|>", allowed_special="all")
        [115, 257, 258]
    """

    def __init__(
        self,
        name: str,
        *,
        pat_str: str,
        mergeable_ranks: dict[bytes, int],
        special_tokens: dict[str, int],
        explicit_n_vocab: int | None = None,
    ) -> None:
        tokenizer = Tokenizer.from_ranks(
            mergeable_ranks, pattern=pat_str, special_tokens=special_tokens
        )
        self._set(name, pat_str, special_tokens, tokenizer)
        self._mergeable_ranks = mergeable_ranks
        if explicit_n_vocab:
            assert len(mergeable_ranks) + len(special_tokens) == explicit_n_vocab
            assert self.max_token_value == explicit_n_vocab - 1

    def _set(
        self, name: str, pat_str: str, special_tokens: dict[str, int], tokenizer: Tokenizer
    ) -> None:
        self.name = name
        # Under these names because much code extends an encoding by reading them.
        self._pat_str = pat_str
        self._special_tokens = special_tokens
        self._tokenizer = tokenizer
        self.max_token_value = tokenizer.max_id

    @functools.cached_property
    def _mergeable_ranks(self) -> dict[bytes, int]:
        tokens = self._tokenizer.vocab.items()
        return {token: id for id, token in tokens if id not in self._special_ids}

    def __repr__(self) -> str:
        return f"<Encoding {self.name!r}>"

    def __reduce__(self) -> tuple[Callable[..., Encoding], tuple[Any, ...]]:
        from subword.integrations.tiktoken.registry import get_encoding, registered

        if registered.get(self.name) is self:
            return get_encoding, (self.name,)
        parts = (self.name, self._pat_str, self._mergeable_ranks, self._special_tokens)
        return rebuilt, parts

    # Encoding

    def encode_ordinary(self, text: str) -> list[int]:
        """Ids of a text in which special tokens are ordinary text."""
        return self._encode(text, "text")

    def encode(
        self,
        text: str,
        *,
        allowed_special: Allowed = NOTHING,
        disallowed_special: Disallowed = "all",
    ) -> list[int]:
        """Ids of a text.

        Text that spells a special token is that token's id if it is in ``allowed_special``, a
        ValueError if it is in ``disallowed_special`` ("all": all that are not allowed), and
        ordinary text otherwise.
        """
        allowed, disallowed = self._resolve(allowed_special, disallowed_special)
        refuse(text, disallowed)
        return self._encode(text, allowed)

    def encode_to_numpy(
        self,
        text: str,
        *,
        allowed_special: Allowed = NOTHING,
        disallowed_special: Disallowed = "all",
    ) -> npt.NDArray[np.uint32]:
        """`encode` into an array. Unlike there, and like tiktoken, surrogates are an error."""
        allowed, disallowed = self._resolve(allowed_special, disallowed_special)
        refuse(text, disallowed)
        check_type(text)
        try:
            return self._tokenizer.encode_array(text, special=allowed)
        except TextError:
            text.encode()  # a UnicodeEncodeError, which is what a caller of tiktoken catches
            raise

    def encode_ordinary_batch(self, text: list[str], *, num_threads: int = 8) -> list[list[int]]:
        """`encode_ordinary` for each text."""
        return self._encode_batch(text, "text", num_threads)

    def encode_batch(
        self,
        text: list[str],
        *,
        num_threads: int = 8,
        allowed_special: Allowed = NOTHING,
        disallowed_special: Disallowed = "all",
    ) -> list[list[int]]:
        """`encode` for each text."""
        allowed, disallowed = self._resolve(allowed_special, disallowed_special)
        texts = list(text)
        for one in texts:
            refuse(one, disallowed)
        return self._encode_batch(texts, allowed, num_threads)

    def encode_with_unstable(
        self,
        text: str,
        *,
        allowed_special: Allowed = NOTHING,
        disallowed_special: Disallowed = "all",
    ) -> tuple[list[int], list[list[int]]]:
        """The ids that more text cannot change, and the ways in which the rest can go on.

        Needs the package `regex`, on which tiktoken depends as well.
        """
        allowed, disallowed = self._resolve(allowed_special, disallowed_special)
        refuse(text, disallowed)
        check_type(text)
        text.encode()  # surrogates are a UnicodeEncodeError, as in tiktoken
        return self._unstable.encode(text, allowed)

    def encode_single_token(self, text_or_bytes: str | bytes) -> int:
        """The id of a token, special or not; KeyError if there is none."""
        token = text_or_bytes.encode() if isinstance(text_or_bytes, str) else text_or_bytes
        if not isinstance(token, bytes):
            raise TypeError(f"expected str or bytes, found {type(token).__name__}")
        id = self._mergeable_ranks.get(token)
        if id is None:
            id = self._special_tokens.get(token.decode(errors="replace"))
        if id is None:
            raise KeyError(token)
        return id

    # Decoding

    def decode_bytes(self, tokens: Sequence[int]) -> bytes:
        """The bytes of ids; KeyError for an id that no token has."""
        try:
            return self._tokenizer.decode_bytes(tokens)
        except UnknownIdError as error:
            if not 0 <= error.id < 1 << 32:
                raise OverflowError(str(error)) from error
            raise

    def decode(self, tokens: Sequence[int], errors: str = "replace") -> str:
        """The text of ids; ``errors`` says what happens to bytes that are not UTF-8."""
        return self.decode_bytes(tokens).decode("utf-8", errors=errors)

    def decode_single_token_bytes(self, token: int) -> bytes:
        """The bytes of one id."""
        return self.decode_bytes([token])

    def decode_tokens_bytes(self, tokens: Sequence[int]) -> list[bytes]:
        """The bytes of each id."""
        return [self.decode_bytes([token]) for token in tokens]

    def decode_with_offsets(self, tokens: Sequence[int]) -> tuple[str, list[int]]:
        """The text of ids, and for each the index of the first character that it has a part in."""
        parts = self.decode_tokens_bytes(tokens)
        offsets, characters = [], 0
        for part in parts:
            starts_inside = 0x80 <= part[0] < 0xC0
            offsets.append(max(0, characters - starts_inside))
            characters += sum(not 0x80 <= byte < 0xC0 for byte in part)
        return b"".join(parts).decode("utf-8", errors="strict"), offsets

    def decode_batch(
        self, batch: Sequence[Sequence[int]], *, errors: str = "replace", num_threads: int = 8
    ) -> list[str]:
        """`decode` for each sequence. One thread is enough; ``num_threads`` is only checked."""
        return [part.decode("utf-8", errors=errors) for part in self._bytes(batch, num_threads)]

    def decode_bytes_batch(
        self, batch: Sequence[Sequence[int]], *, num_threads: int = 8
    ) -> list[bytes]:
        """`decode_bytes` for each sequence; ``num_threads`` as in `decode_batch`."""
        return list(self._bytes(batch, num_threads))

    # The rest

    def token_byte_values(self) -> list[bytes]:
        """The bytes of all tokens that are not special, sorted."""
        return sorted(self._mergeable_ranks)

    @property
    def eot_token(self) -> int:
        """The id of the special token `<|endoftext|>`."""
        return self._special_tokens["<|endoftext|>"]

    @functools.cached_property
    def special_tokens_set(self) -> set[str]:
        """All special tokens."""
        return set(self._special_tokens)

    def is_special_token(self, token: int) -> bool:
        """Whether an id is a special token's."""
        assert isinstance(token, int)
        return token in self._special_ids

    @property
    def n_vocab(self) -> int:
        """One more than the largest id; there may be fewer tokens than that."""
        return self.max_token_value + 1

    @functools.cached_property
    def _unstable(self) -> Unstable:
        return Unstable(self._tokenizer, self._pat_str, self._mergeable_ranks)

    @functools.cached_property
    def _special_ids(self) -> frozenset[int]:
        return frozenset(self._special_tokens.values())

    @functools.cached_property
    def _any_special(self) -> re.Pattern[str] | None:
        return any_of(frozenset(self._special_tokens))

    def _resolve(
        self, allowed: Allowed, disallowed: Disallowed
    ) -> tuple[Literal["text"] | set[str], re.Pattern[str] | None]:
        """What the engine shall encode as special tokens, and what the text must not hold."""
        if allowed is NOTHING and disallowed == "all":  # most calls
            return "text", self._any_special
        if allowed == "all":
            allowed = self.special_tokens_set
        elif not isinstance(allowed, AbstractSet):
            found = type(allowed).__name__
            raise TypeError(f'allowed_special: expected "all" or a set, found {found}')
        if disallowed == "all":
            disallowed = self.special_tokens_set - allowed
        return (self.special_tokens_set & allowed) or "text", any_of(frozenset(disallowed))

    def _encode(self, text: str, special: Literal["text"] | set[str]) -> list[int]:
        check_type(text)
        try:
            return self._tokenizer.encode(text, special=special)
        except TextError:
            return self._tokenizer.encode(repaired(text), special=special)

    def _encode_batch(
        self, texts: Sequence[str], special: Literal["text"] | set[str], num_threads: int
    ) -> list[list[int]]:
        check_threads(num_threads)
        texts = list(texts)
        for text in texts:
            check_type(text)
        try:
            return self._tokenizer.encode_batch(texts, special=special, threads=num_threads)
        except TextError:
            return [self._encode(text, special) for text in texts]

    def _bytes(self, batch: Sequence[Sequence[int]], num_threads: int) -> Iterator[bytes]:
        check_threads(num_threads)
        return map(self.decode_bytes, batch)


def rebuilt(
    name: str, pat_str: str, ranks: dict[bytes, int], special_tokens: dict[str, int]
) -> Encoding:
    """An encoding of these parts, as pickling and the registry call it."""
    return Encoding(name, pat_str=pat_str, mergeable_ranks=ranks, special_tokens=special_tokens)
