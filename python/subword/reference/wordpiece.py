"""WordPiece: encode a word by the longest token at its start, and go on behind it.

The idea. There are no merges, only a vocabulary. Tokens that go on within a word have a prefix,
`##` for BERT; tokens that begin a word have none. From the left, take the longest token that fits,
go on where it ends. Where none fits, not the place but the whole word is unknown:

    vocabulary: un ##aff ##able ##a able a b

    unaffable   ->   [un] affable   ->   [un] [##aff] able   ->   [un] [##aff] [##able]
    unable      ->   [un] [##able]
    unaxable    ->   [un] [##a] xable   ->   no token starts with x: [UNK]

    >>> vocab = {"un", "##aff", "##able", "##a", "able", "a", "b"}
    >>> for word in ["unaffable", "unable", "able", "unaxable"]:
    ...     print(*encode_wordpiece(word, vocab))
    un ##aff ##able
    un ##able
    able
    [UNK]

Greedy is not clever: it never takes a step back, though a shorter token would have led to the end.

    >>> encode_wordpiece("abc", {"a", "ab", "##bc"})
    ['[UNK]']

What a word is, others decide. BERT cleans the text, lower-cases it, drops accents, and cuts it at
white space and around every punctuation character and every Chinese character.

The data structures. A set of tokens, and the length of the longest one: no longer part of a word
needs to be looked for.

The cost. At every step all lengths are tried, from the longest token's down to one character: the
length of the word times that of the longest token, and each try makes a string. That is bounded,
but it is not linear: see `wordpiece_linear`.

The traps.

* A word of more than `max_word_chars` characters is unknown without a look. BERT's limit is 100.
  Characters, not bytes: other implementations count bytes, and lose long words of other scripts.
* The limit is on the word after it was normalised, when accents may have gone.
* The first token is looked for as it is written. If the text has words that begin with the prefix
  (BERT's cannot: `#` is punctuation), one can be found that was meant for the inside of a word.
* A vocabulary can hold the bare prefix. It matches no text.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

PREFIX = "##"
UNK = "[UNK]"
MAX_WORD_CHARS = 100


def encode_wordpiece(
    word: str,
    vocab: Collection[str],
    *,
    prefix: str = PREFIX,
    unk: str = UNK,
    max_word_chars: int = MAX_WORD_CHARS,
) -> list[str]:
    """The tokens of a word: the longest at its start, then the longest behind it, and so on.

    Example:
        >>> encode_wordpiece("lower", {"low", "##e", "##er", "##r"})
        ['low', '##er']
        >>> encode_wordpiece("lower", {"low", "_er"}, prefix="_")
        ['low', '_er']
        >>> encode_wordpiece("lower", {"lower"}, max_word_chars=4)
        ['[UNK]']
        >>> encode_wordpiece("", {"low"})
        []
    """
    if len(word) > max_word_chars:
        return [unk]
    longest = max(map(len, vocab), default=0)
    tokens: list[str] = []
    at = 0
    while at < len(word):
        first = prefix if at > 0 else ""
        ends = range(min(len(word), at + longest), at, -1)
        end = next((end for end in ends if first + word[at:end] in vocab), None)
        if end is None:
            return [unk]
        tokens.append(first + word[at:end])
        at = end
    return tokens


def decode_wordpiece(tokens: Iterable[str], prefix: str = PREFIX) -> str:
    """The text of tokens, without clean-up: a space before every token that begins a word.

    Example:
        >>> decode_wordpiece(["un", "##aff", "##able", "me", "!"])
        'unaffable me !'
    """
    text = ""
    for token in tokens:
        if prefix and token.startswith(prefix):
            text += token[len(prefix) :]
        else:
            text += " " + token if text else token
    return text
