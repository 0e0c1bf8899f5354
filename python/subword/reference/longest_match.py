"""Encode a word by a vocabulary alone: the longest token first, wherever it stands.

The idea. Training leaves a list of merges and a vocabulary. Byte-pair encoding needs the merges;
early descriptions of it made do with the vocabulary. Sort it by length. Take the longest token and
cut it out of the word wherever it stands, go on with the next one in what is left, and so on down
to the single characters. What no token covers is unknown:

    vocabulary, longest first: errrr</w> tain</w> est</w> high moun the</w> a</w>

    highest</w>    ->   high [est</w>]    ->   [high] [est</w>]
    mountain</w>   ->   moun [tain</w>]   ->   [moun] [tain</w>]
    highland</w>   ->   [high] land</w>   ->   [high] [<unk>]

    >>> tokens = ["errrr</w>", "tain</w>", "moun", "est</w>", "high", "the</w>", "a</w>"]
    >>> for word in ["the</w>", "highest</w>", "mountain</w>", "highland</w>"]:
    ...     print(*encode_longest(word, tokens))
    the</w>
    high est</w>
    moun tain</w>
    high <unk>

The order. Longer tokens go first; of equally long ones the one that sorts first; of its places the
leftmost. The mark at the end of a token counts as one character, however it is spelled: `est</w>`
has four, as `high` has.

It is not byte-pair encoding. Where merges lead elsewhere than to the longest tokens, the answers
differ. With the merges a+b, c+d, b+c, bc+d, where no pair is left after `ab cd`:

    >>> from subword.reference import merge_by_list
    >>> ranks = {(b"a", b"b"): 0, (b"c", b"d"): 1, (b"b", b"c"): 2, (b"bc", b"d"): 3}
    >>> merge_by_list(b"abcd", ranks)
    [b'ab', b'cd']
    >>> encode_longest("abcd", ["a", "b", "c", "d", "ab", "cd", "bc", "bcd"])
    ['a', 'bcd']

Nor is it what WordPiece does, which takes the longest token *at the start* of what is left. The
longest token anywhere can stand in the middle:

    >>> encode_longest("abcd", ["a", "ab", "bcd", "c", "d"])
    ['a', 'bcd']

and WordPiece would have begun with `ab`.

The data structures. `encode_longest`, the definition: the sorted vocabulary, and the word as a list
of parts that are tokens already or still text. `LongestMatch`, quick: a set of the tokens of each
length, and a flag for every character that is covered.

The cost. The definition looks for every token in every word: the size of the vocabulary times the
length of the word, and one remembers words for that reason (`piece_cache`). Turned around, it is
windows of the word that are looked for in the vocabulary: the length of the word times that of the
longest token, whatever the size of the vocabulary.

The traps.

* A token is looked for in what is left, never across a token that was cut out: with `bc` gone from
  `abcd`, `ad` does not stand there.
* Several unknown characters side by side are one `<unk>`: they were one part.
* Replacing in a string, `word.replace("high", " high ")`, finds tokens inside of tokens that were
  put there before. Keep what is done apart from what is text.
* "Longest" by bytes is another order than by characters, and one that counts the letters of the
  mark is a third. Each gives other tokens.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

MARK = "</w>"
UNK = "<unk>"


def encode_longest(
    word: str, tokens: Iterable[str], *, mark: str = MARK, unk: str = UNK
) -> list[str]:
    """The tokens of a word: the longest first, of equals the one that sorts first.

    Example:
        >>> encode_longest("lower</w>", ["low", "er</w>", "er", "l", "o", "w", "e", "r", "</w>"])
        ['low', 'er</w>']
        >>> encode_longest("slowly</w>", ["low", "</w>"])
        ['<unk>', 'low', '<unk>', '</w>']
        >>> encode_longest("", ["low"])
        []
    """
    parts: list[tuple[str, bool]] = [(word, False)] if word else []
    for token in by_length(tokens, mark):
        cut: list[tuple[str, bool]] = []
        for part, done in parts:
            cut += [(part, True)] if done else split(part, token)
        parts = cut
    return [part if done else unk for part, done in parts]


def by_length(tokens: Iterable[str], mark: str = MARK) -> list[str]:
    """The vocabulary in the order in which its tokens are looked for.

    Example:
        >>> by_length(["a", "est</w>", "high", "b", "moun", "</w>", "house"])
        ['house', 'est</w>', 'high', 'moun', '</w>', 'a', 'b']
    """
    return sorted({*tokens} - {""}, key=lambda token: (-length(token, mark), token))


def length(token: str, mark: str = MARK) -> int:
    """How many characters a token has; the mark at its end is one.

    Example:
        >>> length("est</w>"), length("est"), length("</w>")
        (4, 3, 1)
    """
    text = token.removesuffix(mark) if mark else token
    return len(text) + (text != token)


def split(text: str, token: str) -> list[tuple[str, bool]]:
    """A text cut where a token stands, from left to right: each part, and whether it is the token.

    Example:
        >>> split("aaba", "a")
        [('a', True), ('a', True), ('b', False), ('a', True)]
    """
    parts: list[tuple[str, bool]] = []
    while (at := text.find(token)) >= 0:
        parts += [(text[:at], False), (token, True)]
        text = text[at + len(token) :]
    parts.append((text, False))
    return [part for part in parts if part[0]]


class LongestMatch:
    """The same answer, by looking for the windows of a word in the vocabulary.

    Example:
        >>> encoder = LongestMatch(["errrr</w>", "tain</w>", "moun", "est</w>", "high", "a</w>"])
        >>> encoder.encode("highest</w>")
        ['high', 'est</w>']
        >>> encoder.encode("highland</w>")
        ['high', '<unk>']
    """

    def __init__(self, tokens: Iterable[str], *, mark: str = MARK, unk: str = UNK) -> None:
        self.unk = unk
        #: Tokens that are equally long, and how many characters each has with the mark spelled out.
        self.tokens: defaultdict[int, set[str]] = defaultdict(set)
        self.sizes: defaultdict[int, set[int]] = defaultdict(set)
        for token in by_length(tokens, mark):
            self.tokens[length(token, mark)].add(token)
            self.sizes[length(token, mark)].add(len(token))

    def encode(self, word: str) -> list[str]:
        """The tokens of a word."""
        ends: list[int | None] = [None] * len(word)  # where the token that starts here ends
        covered = [False] * len(word)
        for long in self.tokens:  # by falling length
            for token, at in sorted(self._found(word, long)):
                place = slice(at, at + len(token))
                if not any(covered[place]):
                    covered[place] = [True] * len(token)
                    ends[at] = place.stop
        found: list[str] = []
        at = 0
        while at < len(word):
            if (end := ends[at]) is None:
                end = next((i for i in range(at, len(word)) if covered[i]), len(word))
                found.append(self.unk)
            else:
                found.append(word[at:end])
            at = end
        return found

    def _found(self, word: str, long: int) -> Iterable[tuple[str, int]]:
        """The tokens of one length that a word holds, and where."""
        for size in self.sizes[long]:
            for at in range(len(word) - size + 1):
                if word[at : at + size] in self.tokens[long]:
                    yield word[at : at + size], at
