"""What tiktoken asks of its arguments: texts, special tokens in them, numbers of threads."""

from __future__ import annotations

import functools
import re
from typing import NoReturn


@functools.lru_cache(maxsize=128)
def any_of(tokens: frozenset[str]) -> re.Pattern[str] | None:
    longest_first = sorted(tokens, key=lambda token: (-len(token), token))
    return re.compile("|".join(map(re.escape, longest_first))) if tokens else None


def refuse(text: str, disallowed: re.Pattern[str] | None) -> None:
    if disallowed is not None and (match := disallowed.search(text)):
        raise_disallowed(match.group())


def raise_disallowed(token: str) -> NoReturn:
    raise ValueError(
        f"Encountered text corresponding to disallowed special token {token!r}.\n"
        f"  hint: pass allowed_special={{{token!r}}} to encode it as the special token, "
        f"disallowed_special=(enc.special_tokens_set - {{{token!r}}}) to encode it as ordinary "
        "text, or disallowed_special=() to encode all special tokens so"
    )


def check_type(text: object) -> None:
    if not isinstance(text, str):
        raise TypeError(f"expected str, found {type(text).__name__}")


def check_threads(num_threads: int) -> None:
    if num_threads <= 0:
        raise ValueError(f"num_threads={num_threads}: at least one thread is needed")


def repaired(text: str) -> str:
    """Surrogate pairs joined to the character that they stand for, lone ones replaced by U+FFFD."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
