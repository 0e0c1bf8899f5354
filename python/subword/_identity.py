"""When tokenizers are the same: they are compared, hashed and pickled by what they are made of.

equal content  =  equal native files  =  equal fingerprints  =  equal ids, for the same reasons
"""

from __future__ import annotations

import hashlib
from functools import cached_property
from typing import TYPE_CHECKING

from subword import _core

if TYPE_CHECKING:
    from subword._tokenizer import Tokenizer


class Identity(_core.Engine):
    """The engine with an identity."""

    @cached_property
    def fingerprint(self) -> str:
        """A hash of all that the ids depend on: equal for equal tokenizers, on any machine.

        Example:
            >>> from subword import Tokenizer
            >>> tok = Tokenizer({i: bytes([i]) for i in range(256)}, [])
            >>> tok.fingerprint == Tokenizer.load(tok.to_bytes()).fingerprint
            True
        """
        return hashlib.sha256(self.to_bytes()).hexdigest()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Identity):
            return NotImplemented
        return self is other or self.fingerprint == other.fingerprint

    def __hash__(self) -> int:
        return hash(self.fingerprint)

    def __reduce__(self) -> tuple[object, ...]:
        return _restore, (type(self), self.to_bytes(), self._cache_bytes, self._linear)

    def __repr__(self) -> str:
        pattern = self.pattern
        if len(str(pattern)) > 40:
            pattern = f"{str(pattern)[:37]}..."
        special = list(self.special_tokens)
        more = f", and {len(special) - 3} more" if len(special) > 3 else ""
        return (
            f"<Tokenizer: {self.vocab_size} tokens by {self.kind}, pattern {pattern!r}, "
            f"special tokens {special[:3]}{more}>"
        )


def _restore(
    cls: type[Tokenizer], data: bytes, cache_bytes: int, linear_time: bool = False
) -> Tokenizer:
    return cls._of(_core.Model.from_bytes(data), cache_bytes, linear_time=linear_time)
