"""Learn byte-pair encoding in SentencePiece's form, and encode by it. This is the definition.

The idea. Merges join characters, not bytes, and a space is a character like others, written `▁`.
Characters that are too rare to be learned are their bytes. So there is nothing that cannot be
encoded, no white space is lost, and the tokens of most scripts are text (Llama 2, Gemma).

    >>> merges = [("▁", "l"), ("▁l", "o")]
    >>> encode("low  lö", merges, alphabet=set("low▁"))
    ['l', 'o', 'w', '▁', '▁l', '<0xC3>', '<0xB6>']

Training cuts a text into words, numbers and punctuation, each with the spaces before it; encoding
does not cut. Both do the same if no merge can join what training cut, so a cut depends on the
characters on both sides and on nothing else. Where it would, in `▁▁low`, training does not cut,
and leaves out the pairs that would make a token of several `▁` and something else.

    >>> counts = {"low": 5, " lower": 2, "  low": 6, " 10": 3}
    >>> words, alphabet = as_words(counts, coverage=0.92)
    >>> alphabet
    ['0', '1', 'l', 'o', 'w', '▁']
    >>> for merge in learn(words, 9, alphabet):
    ...     print(*(token.decode() for token in merge.pair), merge.count)
    o w 13
    l ow 13
    ▁ low 8
    ▁ 1 3
    ▁1 0 3

Ties are those of `training`. The cost is that of `naive`: all pairs are counted for every merge.

The traps.

* `<0x41>` can be text. No merge makes a token that is spelled like that of a byte.
* `▁` can be text, too. It is a space then, in training and in encoding.
* A digit that is to be single is a word of its own, so nothing is merged across it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from itertools import pairwise

from subword.reference.naive import apply, count_pairs
from subword.reference.training import Merge, Pair, Rule, Ties, Word

#: What stands for a space.
MARK = "▁"

#: The tokens of the 256 bytes.
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]


def as_words(
    counts: Mapping[str, int], *, coverage: float = 1.0, split_digits: bool = False
) -> tuple[list[Word], list[str]]:
    """Counted pieces as what merges may join, and the alphabet: `▁` and the frequent characters.

    Example:
        >>> as_words({"ab10é": 9, "b": 1}, coverage=0.7, split_digits=True)
        ([([b'a', b'b'], 9), ([b'1'], 9), ([b'0'], 9), ([b'b'], 1)], ['0', '1', 'a', 'b', '▁'])
    """
    texts = [(piece.replace(" ", MARK), count) for piece, count in counts.items()]
    total: Counter[str] = Counter()
    for text, count in texts:
        for character in text:
            total[character] += count
    kept: dict[str, int] = {}
    for character in sorted(total, key=lambda character: (-total[character], character)):
        if sum(kept.values()) < coverage * sum(total.values()):
            kept[character] = total[character]
    alphabet = sorted({*kept, MARK})
    words: list[Word] = []
    for text, count in texts:
        parts: list[list[bytes]] = [[]]
        for character in text:
            is_known, is_single = character in alphabet, split_digits and character.isnumeric()
            if is_single or not is_known:
                parts.append([])
            if is_known:
                parts[-1].append(character.encode())
            if is_single:
                parts.append([])
        words += [(part, count) for part in parts if part]
    return words, alphabet


def learn(
    words: Sequence[Word],
    num_merges: int,
    alphabet: Sequence[str],
    *,
    ties: Ties = "greatest",
    max_token_length: int | None = None,
) -> Iterator[Merge]:
    """Yield the merges one by one. ``max_token_length`` is in characters."""
    words = [(list(tokens), count) for tokens, count in words]
    rule = Rule([token.encode() for token in [*BYTES, *alphabet]], ties)
    while len(rule.merged) < num_merges:
        pairs = {
            pair: count
            for pair, count in count_pairs(words).items()
            if may_merge(pair, max_token_length)
        }
        if not pairs:
            return
        most = max(pairs.values())
        pair = max((pair for pair, count in pairs.items() if count == most), key=rule.key)
        if rule.is_new(pair):
            yield Merge(pair, most)
        for tokens, _ in words:
            apply(pair, tokens)


def may_merge(pair: Pair, max_token_length: int | None = None) -> bool:
    """Whether a pair makes a token that may be.

    Example:
        >>> pairs = [("▁", "▁"), ("▁", "l"), ("▁▁", "l")]
        >>> [may_merge((left.encode(), right.encode())) for left, right in pairs]
        [True, True, False]
    """
    token = b"".join(pair).decode()
    mixed = token.startswith(2 * MARK) and token.strip(MARK) != ""
    short = max_token_length is None or len(token) <= max_token_length
    return short and not mixed and token not in BYTES


def encode(text: str, merges: Sequence[tuple[str, str]], *, alphabet: Set[str]) -> list[str]:
    """The tokens of a text: the first merge of the list everywhere, and so on."""
    ranks = {pair: rank for rank, pair in enumerate(merges)}
    tokens: list[str] = []
    for c in text.replace(" ", MARK):
        tokens += [c] if c in alphabet else [BYTES[byte] for byte in c.encode()]
    while found := [(ranks[pair], at) for at, pair in enumerate(pairwise(tokens)) if pair in ranks]:
        _, at = min(found)
        tokens[at : at + 2] = [tokens[at] + tokens[at + 1]]
    return tokens
