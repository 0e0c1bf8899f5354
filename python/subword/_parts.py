"""Parts of texts: chunks of at most so many tokens, and the ids of a prompt that are certain."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from subword import _core
from subword._errors import ArgumentError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from subword._tokenizer import Tokenizer
    from subword._trie import TokenTrie
    from subword._types import Errors, Special, Text

#: What ends a sentence, with the white space after it; an empty line or a new line ends one, too.
SENTENCE_END = re.compile(
    "[.!?\u2026]+[\"'\u201d\u2019)\\]]*\\s+"
    "|[\u3002\uff01\uff1f]+[\u300d\u300f\u201d\uff09]*\\s*"
    "|\\n+"
)
WORD_END = re.compile(r"\s+")


def split_at(
    tok: Tokenizer,
    text: str,
    max_tokens: int,
    *,
    overlap: int = 0,
    special: Special = "text",
) -> list[str]:
    """Cut a text into chunks of at most so many tokens each, for search and retrieval.

    A chunk ends where a sentence ends, if one does in the second half of what fits; else after a
    word; else after a token. Encoded by itself it has at most ``max_tokens`` tokens. Nothing is
    lost: without ``overlap`` the chunks, joined, are the text.

    Args:
        tok: The tokenizer.
        text: The text.
        max_tokens: How many tokens a chunk may have.
        overlap: About how many tokens at the end of a chunk the next one begins with.
        special: What to do where the text spells a special token, as for `Tokenizer.encode`.

    Returns:
        The chunks, in order; none for an empty text.

    Raises:
        ArgumentError: ``max_tokens`` is less than 1, or ``overlap`` is not less than half of it.
        ValueError: One character has more tokens than a chunk may have.

    Example:
        >>> from subword import Tokenizer, split_at
        >>> tok = Tokenizer({i: bytes([i]) for i in range(256)}, [])
        >>> split_at(tok, "One. Two and three. Four.", 12)
        ['One. Two ', 'and three. ', 'Four.']
    """
    if max_tokens < 1:
        raise ArgumentError("max_tokens", f"max_tokens must be at least 1, not {max_tokens}")
    if not 0 <= 2 * overlap < max(max_tokens, 1):
        message = f"overlap must be less than half of max_tokens={max_tokens}, not {overlap}"
        raise ArgumentError("overlap", message)
    _, offsets = tok.encode_offsets(text, special=special)
    starts = sorted({start for start, _ in offsets})
    ends = sorted({len(text), *(end for _, end in offsets)})
    chunks: list[str] = []
    start = 0
    while start < len(text):
        after = ends[bisect_right(ends, start) :][: max_tokens + 1]
        end = _fitting_end(tok, text, start, after, max_tokens, special)
        if end < len(text):
            end = _good_end(tok, text, start, end, max_tokens, special)
        chunks.append(text[start:end])
        if end == len(text):
            break
        again = starts[max(bisect_left(starts, end) - overlap, 0)] if overlap else end
        start = again if again > start else end
    return chunks


def _fitting_end(
    tok: Tokenizer, text: str, start: int, after: list[int], most: int, special: Special
) -> int:
    """The end of the longest chunk that fits: one of the places, which are ends of tokens."""
    low, high = 0, len(after)  # the chunk that ends at the lower place fits, or none does
    while high - low > 1:
        middle = (low + high) // 2
        if _fits(tok, text[start : after[middle]], most, special):
            low = middle
        else:
            high = middle
    if _fits(tok, text[start : after[low]], most, special):
        return after[low]
    if _fits(tok, text[start : start + 1], most, special):
        return start + 1
    raise ValueError(f"one character has more than max_tokens={most} tokens: {text[start]!r}")


def _good_end(tok: Tokenizer, text: str, start: int, end: int, most: int, special: Special) -> int:
    """The end of the last sentence in the second half, else of the last word, else the same end."""
    half = start + (end - start) // 2
    for pattern in (SENTENCE_END, WORD_END):
        found = [match.end() for match in pattern.finditer(text, half, end)]
        for place in reversed(found):
            if half < place <= end and _fits(tok, text[start:place], most, special):
                return place
    return end


def _fits(tok: Tokenizer, chunk: str, most: int, special: Special) -> bool:
    return tok.count(chunk, limit=most, special=special) is not None


def healed(
    tok: Tokenizer, prompt: Text, *, special: Special = "text", errors: Errors = "strict"
) -> tuple[list[int], bytes]:
    """The ids of a prompt that no continuation changes, and the bytes that come after them.

    A prompt may end within what a model would write as one token: after ``http:`` comes ``//`` only
    with difficulty, because ``://`` is a token. Give a model the certain ids, and let the tokens
    that follow begin with the rest.

    Args:
        tok: The tokenizer.
        prompt: The beginning of a text.
        special: What to do where the prompt spells a special token, as for `Tokenizer.encode`.
        errors: What to do with a ``str`` that has lone surrogates, as for `Tokenizer.encode`.

    Returns:
        The certain ids, and the rest of the prompt.

    Raises:
        TextError: The prompt has a lone surrogate, or a byte or character that the model has no
            token for.
        SpecialTokenError: The prompt spells a special token, with ``special="error"``.

    Example:
        >>> from subword import Tokenizer, healed
        >>> tok = Tokenizer({i: bytes([i]) for i in range(256)}, [], pattern="gpt2")
        >>> ids, rest = healed(tok, "see http:")
        >>> tok.decode(ids), rest
        ('see', b' http:')
    """
    text = _core.utf8(prompt, errors)
    place = tok._settled(text, special)
    tok.count(text, special=special)  # an error of the rest is one of the prompt
    return tok.encode(text[:place], special=special), text[place:]


def token_arrays(tok: Tokenizer) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    """The bytes of all tokens in one array, for programs that constrain what a model writes.

    Args:
        tok: The tokenizer.

    Returns:
        The bytes, and where those of each id start and end: those of id ``i`` are
        ``data[bounds[i]:bounds[i + 1]]``. An id that no token has is empty.

    Example:
        >>> from subword import Tokenizer, token_arrays
        >>> tok = Tokenizer({i: bytes([i]) for i in range(256)} | {256: b"lo"}, [(b"l", b"o")])
        >>> data, bounds = token_arrays(tok)
        >>> bytes(data[bounds[256] : bounds[257]])
        b'lo'
    """
    import numpy as np

    known = {**tok.vocab, **{id: token.encode() for token, id in tok.special_tokens.items()}}
    tokens = [known.get(id, b"") for id in range(tok.max_id + 1)]
    bounds = np.zeros(len(tokens) + 1, np.int64)
    np.cumsum([len(token) for token in tokens], out=bounds[1:])
    return np.frombuffer(b"".join(tokens), np.uint8), bounds


def token_trie(tok: Tokenizer) -> TokenTrie:
    """A trie over the bytes of all tokens but the special ones, as arrays.

    A program that constrains what a model writes walks it together with its own automaton, and
    never looks at a token whose beginning is refused already.

    Args:
        tok: The tokenizer.

    Returns:
        A named tuple of arrays of ``int32``. Of each node: ``bytes``, the byte that leads to it, -1
        for the root, which is node 0; ``children``, where its children begin: those of node ``n``
        are ``children[n]`` to ``children[n + 1]``, in the order of their bytes; ``token``, the id
        that it spells, -1 for none, the smallest if there are more. Of each id: ``node``, where it
        ends, 0 for none. A child has a larger number than its parent.

    Example:
        The tokens that a model may write next, if digits alone are allowed:

        >>> from subword import Tokenizer, token_trie
        >>> merges = [(b"1", b"2"), (b"1", b"a"), (b"12", b"3")]
        >>> vocab = {i: bytes([i]) for i in range(256)}
        >>> vocab |= {256 + i: left + right for i, (left, right) in enumerate(merges)}
        >>> trie = token_trie(Tokenizer(vocab, merges))
        >>> allowed, open_nodes = [], [0]
        >>> while open_nodes:
        ...     node = open_nodes.pop()
        ...     for child in range(trie.children[node], trie.children[node + 1]):
        ...         if trie.bytes[child] in b"0123456789":
        ...             open_nodes.append(child)
        ...             if trie.token[child] >= 0:
        ...                 allowed.append(int(trie.token[child]))
        >>> [vocab[id] for id in sorted(allowed) if id > 255]
        [b'12', b'123']
    """
    from subword._trie import trie_of

    return trie_of(tok)
