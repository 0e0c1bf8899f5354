"""Words of characters with an end-of-word mark: byte-pair encoding as it was first used for text.

The idea. The text is cut at white space into words. A word starts as its characters and a mark for
its end, and then merges as ever:

    merges: l+o, lo+w, e+r, er+</w>

    low lower   ->   l o w </w> | l o w e r </w>   ->   low </w> | low er</w>

The mark keeps two things apart that look alike: `er</w>` ends a word, `er` does not. And it stands
for the white space after the word, which is in no token. Decoding puts a space there, so what comes
back has single spaces, and none at its ends:

    >>> ranks = {("l", "o"): 0, ("lo", "w"): 1, ("e", "r"): 2, ("er", "</w>"): 3}
    >>> tokens = encode_words("low  lower", ranks, alphabet=set("lower"))
    >>> tokens
    ['low', '</w>', 'low', 'er</w>']
    >>> decode_words(tokens)
    'low lower'

The alphabet. There are too many characters to make each one a token, so those that training has not
seen, or did not keep, are one token, `<unk>`. That is the price of characters: with bytes nothing
is ever unknown.

    >>> encode_words("löw", ranks, alphabet=set("lower"))
    ['l', '<unk>', 'w', '</w>']

Training. `as_words` turns counted pieces into what `naive.learn` learns from. No merge touches an
unknown character, so a word is cut there.

The traps.

* Text can spell the mark. Its characters are text and not the mark: it takes a merge to make them
  look alike, so training never learns one that does. To that end a word is cut before the last
  character of a spelled mark.
* The mark at the very end of a text is no space: "low" decodes to "low".
* White space is what Unicode calls so. Python's own `split` takes four controls for it as well.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Set
from itertools import pairwise

Ranks = Mapping[tuple[str, str], int]

#: The white space of Unicode.
WHITE = re.compile("[\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")


def encode_words(
    text: str,
    ranks: Ranks,
    *,
    alphabet: Set[str],
    mark: str = "</w>",
    unk: str = "<unk>",
) -> list[str]:
    """The tokens of a text: every word by itself, the lowest rank first, the leftmost of equals.

    Example:
        >>> encode_words(" a\\nb", {("a", "</w>"): 0}, alphabet={"a"})
        ['a</w>', '<unk>', '</w>']
    """
    tokens = []
    for word in filter(None, WHITE.split(text)):
        tokens += _merge([c if c in alphabet else unk for c in word] + [mark], ranks)
    return tokens


def decode_words(tokens: Iterable[str], mark: str = "</w>") -> str:
    """The text of tokens: marks become spaces, but the last one.

    Example:
        >>> decode_words(["a</w>", "b", "</w>"])
        'a b'
    """
    parts = []
    for token in tokens:
        word = token.removesuffix(mark)
        parts.append(word)
        if word != token:
            parts.append(" ")
    return "".join(parts[:-1] if parts[-1:] == [" "] else parts)


def alphabet_of(
    counts: Mapping[str, int], limit: int | None = None, mark: str = "</w>"
) -> list[str]:
    """The characters of counted pieces, or the most frequent of them; of equals the smaller one.

    Example:
        >>> alphabet_of({"low": 5, "ow": 1, " ": 9})
        ['l', 'o', 'w']
        >>> alphabet_of({"low": 5, "ow": 1}, limit=2)
        ['o', 'w']
    """
    total: Counter[str] = Counter()
    for piece, count in counts.items():
        for character in "" if WHITE.fullmatch(piece) else piece:
            total[character] += count
    total.pop(mark, None)
    return sorted(sorted(total, key=lambda c: (-total[c], c))[:limit])


def as_words(
    counts: Mapping[str, int], alphabet: Set[str], mark: str = "</w>"
) -> list[tuple[list[bytes], int]]:
    """Counted pieces as what merges may join, each part of a word by itself.

    Example:
        >>> as_words({"low": 5, "löw": 1, "a</w>": 1, " ": 6}, alphabet=set("low<>/a"))
        ... # doctest: +NORMALIZE_WHITESPACE
        [([b'l', b'o', b'w', b'</w>'], 5),
         ([b'l'], 1), ([b'w', b'</w>'], 1),
         ([b'a', b'<', b'/', b'w'], 1), ([b'>', b'</w>'], 1)]
    """
    words: list[tuple[list[bytes], int]] = []
    for piece, count in counts.items():
        if WHITE.fullmatch(piece):
            continue
        parts: list[list[bytes]] = [[]]
        for end, character in enumerate(piece, 1):
            unknown = character not in alphabet or character == mark
            if unknown or piece[:end].endswith(mark):
                parts.append([])
            if not unknown:
                parts[-1].append(character.encode())
        parts[-1].append(mark.encode())
        words += [(part, count) for part in parts if part]
    return words


def _merge(tokens: list[str], ranks: Ranks) -> list[str]:
    while found := [(ranks[pair], at) for at, pair in enumerate(pairwise(tokens)) if pair in ranks]:
        _, at = min(found)
        tokens[at : at + 2] = [tokens[at] + tokens[at + 1]]
    return tokens
