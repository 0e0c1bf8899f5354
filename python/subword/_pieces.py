"""Seeing what happens to a text before anything is merged: normalised, then cut into pieces.

    text -> normalize -> split -> pieces -> tokens

A pattern cuts a text into pieces, which no merge crosses. `explain_pattern` says how it runs.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, overload

from subword import _core

if TYPE_CHECKING:
    from subword._tokenizer import Tokenizer
    from subword._types import Pattern

#: The patterns that have a name, and the regular expressions that define them. Several expressions
#: are applied one after the other; none at all leaves the text in one piece. Anything else that is
#: passed as ``pattern=`` is a regular expression itself.
patterns: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {name: tuple(regexes) for name, regexes in _core.patterns().items()}
)


@overload
def split(text: str, pattern: Pattern) -> list[str]: ...
@overload
def split(text: bytes | bytearray | memoryview, pattern: Pattern) -> list[bytes]: ...
def split(text: str | bytes | bytearray | memoryview, pattern: Pattern) -> list[str] | list[bytes]:
    """Cut a text into the pieces that a pattern gives.

    Args:
        text: A ``str``, or bytes that need not be UTF-8.
        pattern: A name (`patterns` lists them), a regular expression, or several that cut one after
            the other. ``tok.pattern`` is that of a tokenizer.

    Returns:
        The pieces, of the type of the text. Joined, they are the text.

    Raises:
        PatternError: The pattern does not compile, or gave up.
        TextError: A ``str`` has a lone surrogate.

    Example:
        >>> import subword
        >>> subword.split("Hello world! 2024", "gpt2")
        ['Hello', ' world', '!', ' 2024']
        >>> subword.split(b"low-lower", r"[a-z]+|-")
        [b'low', b'-', b'lower']
    """
    pieces = _core.split(text, pattern)
    return [piece.decode() for piece in pieces] if isinstance(text, str) else pieces


#: What each way of running a pattern is, as people are told.
_WAYS = {
    "blocks": "64 bytes at a time",
    "automaton": "an automaton, character by character",
    "scanner": "a scanner, character by character",
    "backtracking": "a backtracking engine",
    "whole": "nothing is cut",
}


@dataclass(frozen=True, slots=True)
class PatternExplanation:
    """How a pattern runs; made by `explain_pattern`. ``str`` of it is for people."""

    #: The name of the pattern that gives the same pieces, or None.
    name: str | None
    #: "blocks" (the fastest), "automaton", "scanner", "backtracking" (the slowest), or "whole" for
    #: the pattern that cuts nothing.
    runs: str
    #: Why it does not run on blocks; None where it does.
    reason: str | None
    #: Whether several threads share one text.
    shared: bool
    #: What the blocks do, one sentence each.
    rules: tuple[str, ...]

    @property
    def way(self) -> str:
        """What ``runs`` means, and the name of the pattern."""
        return _WAYS[self.runs] + (f", as {self.name}" if self.name else "")

    def __str__(self) -> str:
        lines = [self.way, *(f"  {rule}" for rule in self.rules)]
        if self.reason:
            lines.append(f"  because of this: {self.reason}")
        if not self.shared:
            lines.append("  one text is not shared between threads")
        return "\n".join(lines)


def explain_pattern(pattern: Pattern) -> PatternExplanation:
    """Say how a pattern runs: what was compiled, what was not, and why.

    A regular expression is read by its meaning. One that cuts every text as the usual patterns do,
    with other choices, runs 64 bytes at a time however it is spelled; any other one becomes an
    automaton; what needs memory of how a match came about is left to a backtracking engine.

    Args:
        pattern: A name, a regular expression, or several that cut one after the other.

    Returns:
        What was found.

    Raises:
        PatternError: The pattern does not compile.

    Example:
        >>> import subword
        >>> print(subword.explain_pattern([r"\\p{N}", "gpt2"]))
        64 bytes at a time
          a word takes a space before it
          contractions such as 's are known in small letters
          combining marks are symbols
          every digit is a piece, and the text ends before it
        >>> subword.explain_pattern(r"(?<=a)b").reason
        'a look-behind'
    """
    name, runs, reason, shared, rules = _core.pattern_report(pattern)
    return PatternExplanation(name, runs, reason, shared, tuple(rules))


@overload
def normalize(text: str, normalizer: str | None) -> str: ...
@overload
def normalize(text: bytes | bytearray | memoryview, normalizer: str | None) -> bytes: ...
def normalize(text: str | bytes | bytearray | memoryview, normalizer: str | None) -> str | bytes:
    """Change a text as a tokenizer does before it cuts the text into pieces.

    Args:
        text: A ``str``, or bytes. Bytes that are not UTF-8 stay as they are.
        normalizer: "nfc", "nfd", "nfkc", "nfkd", "nfc-lowercase", "bert-uncased" or "bert-cased";
            None changes nothing. ``tok.normalizer`` is that of a tokenizer.

    Returns:
        The normalised text, of the type of the text.

    Raises:
        ArgumentError: No normalizer has this name.
        TextError: A ``str`` has a lone surrogate.

    Example:
        >>> import subword
        >>> subword.normalize("Löwe, 你好", "bert-uncased")
        'lowe,  你  好 '
        >>> subword.normalize("ﬁve", "nfkc")
        'five'
    """
    normal = _core.normalize(text, normalizer)
    return normal.decode() if isinstance(text, str) else normal


def explain_path(tok: Tokenizer) -> tuple[str, str]:
    """Say by which path a tokenizer encodes, and why.

    Args:
        tok: The tokenizer.

    Returns:
        The name of the path and a reason. "fused front": no normalised copy of the text is made.
        "scanner": the pattern cuts the text, and pieces are cached; `explain_pattern` says how it
        runs. "plain chain", the slowest: the components of a file run one by one.

    Example:
        >>> from subword import Tokenizer, explain_path
        >>> explain_path(Tokenizer({i: bytes([i]) for i in range(256)}, []))
        ('scanner', 'the pattern cuts the text, and pieces are cached')
    """
    return tok._path
