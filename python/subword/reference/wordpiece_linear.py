"""WordPiece in linear time: the longest token at every place of a text, found all at once.

The idea. `wordpiece` tries all lengths at each place. Instead, sort. Write the text and all tokens
one after the other, with a separator that occurs in none of them, and sort all suffixes. In that
order, the suffixes that start with a token lie around it, without a gap: so for a place of the text
the longest token that it starts with is among its neighbours, a little above or below.

    text abcab, tokens ab, b, bca           suffix         shares   longest token
    abcab|ab|b|bca                          a|                  0
                                            ab|ab|b|bca         1   ab
                                            ab|b|bca            3   (token ab)
                                            abcab|ab|...        2   ab
                                            b|ab|b|bca          0   b
                                            b|bca               2   (token b)
                                            bca                 1   (token bca)
                                            bcab|ab|b|bca       3   bca
                                            ca                  0
                                            cab|ab|b|bca        2

    >>> longest_tokens("abcab", ["ab", "b", "bca"])
    [2, 3, 0, 2, 1]

Walk down this list with a stack of tokens that are still good, which means: they are a prefix of
the suffix where we stand. From one suffix to the next, what they share may get shorter, and tokens
that are longer than it are good no more. They are on top: of two good tokens the lower one in the
list is the longer one, because the earlier one is a prefix of it. So the stack rises, its top is
the answer, and each token is put in and taken out once. A walk up finds the tokens that lie below.

The batch. All words of a text are one text, with separators between them. A walk for the tokens
that begin words, another for those that go on, and then, with the answers in a table, the greedy
steps of `wordpiece`, each a look-up.

    >>> encode_words_linear(["unaffable", "unaxable"], ["un", "##aff", "##able", "##a"])
    [['un', '##aff', '##able'], ['[UNK]']]

The data structures. The sorted suffixes and what neighbours share: see `suffix_array`. The stack.

The cost. All of it is linear in the text and the vocabulary together, whatever is in them. The
constant is large, about 20 numbers for each letter, and the vocabulary is sorted anew for each
batch. So it is worth it for large batches, and to understand why linear is possible at all. For a
stream, a trie with failure links does the same.

The traps.

* The tokens must differ from each other. The rule of the stack needs it.
* The separator must be no letter: a shared part could go on from one word to the next.
* One walk is not enough: `a` before `ab` is found going down, `b|bca` before the token b going up.
* Letters are code points here. With bytes, a token could end within a character.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from subword.reference.suffix_array import common_prefixes, suffix_array

PREFIX = "##"
UNK = "[UNK]"


def encode_words_linear(
    words: Sequence[str],
    vocab: Iterable[str],
    *,
    prefix: str = PREFIX,
    unk: str = UNK,
    max_word_chars: int = 100,
) -> list[list[str]]:
    """The tokens of each word, as `encode_wordpiece` has them.

    Example:
        >>> encode_words_linear(["lower", "", "low"], ["low", "##er", "##e"])
        [['low', '##er'], [], ['low']]
    """
    text = [letter for word in words for letter in [*map(ord, word), -1]]
    vocab = {*vocab} - {""}
    inner = {token[len(prefix) :] for token in vocab if token.startswith(prefix)} - {""}
    first_lengths, inner_lengths = _longest(text, vocab), _longest(text, inner)
    encoded: list[list[str]] = []
    start = 0
    for word in words:
        encoded.append([])
        at, lengths, mark = 0, first_lengths, ""
        while at < len(word):
            length = lengths[start + at]
            if length == 0 or len(word) > max_word_chars:
                encoded[-1] = [unk]
                break
            encoded[-1].append(mark + word[at : at + length])
            at, lengths, mark = at + length, inner_lengths, prefix
        start += len(word) + 1
    return encoded


def longest_tokens(text: str, tokens: Iterable[str]) -> list[int]:
    """For every place of a text, the length of the longest token that starts there; 0 if none does.

    Example:
        >>> longest_tokens("aaab", ["a", "aa"])
        [2, 2, 1, 0]
    """
    return _longest([*map(ord, text)], {*tokens} - {""})


def _longest(text: Sequence[int], tokens: Iterable[str]) -> list[int]:
    letters, token_at = [*text, -1], {}
    for token in sorted(tokens):
        token_at[len(letters)] = len(token)
        letters += [*map(ord, token), -1]
    order = suffix_array(letters)
    shared = common_prefixes(letters, order)
    longest = [0] * len(letters)
    down = zip(order, [0, *shared], strict=True)
    up = zip(reversed(order), [0, *reversed(shared)], strict=True)
    for walk in (down, up):
        for at, length in _walk(walk, token_at):
            longest[at] = max(longest[at], length)
    return longest[: len(text)]


def _walk(
    suffixes: Iterable[tuple[int, int]], token_at: dict[int, int]
) -> Iterator[tuple[int, int]]:
    """Every suffix, and the longest of the tokens before it that it starts with."""
    good: list[int] = []
    for at, shared in suffixes:
        while good and good[-1] > shared:
            good.pop()
        if at in token_at:
            good.append(token_at[at])
        yield at, good[-1] if good else 0
