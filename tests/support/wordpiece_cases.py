"""Small WordPiece vocabularies and texts, with what Hugging Face's tokenizers makes of them.

They stand in for the cases of other libraries' tests, in the same form: dictionaries with a
vocabulary, a text, the expected ids and the places of the tokens.
"""

from __future__ import annotations

from itertools import product
from typing import Any

import tokenizers
from tokenizers import decoders, models, normalizers, pre_tokenizers

UNK = "<unk>"

#: Vocabularies in which the longest token is a trap now and then: what is left has no token.
VOCABULARIES = [
    ["a", "abcdx", "##b", "##c", "##cdy", "##dz"],
    ["a", "ab", "abc", "##a", "##aa", "##aaa", "##b", "##bc"],
    ["un", "##aff", "##able", "want", "##want", "##ed", "wa", "run", "##n", "##ning", "##ing"],
    ["low", "lo", "l", "##o", "##w", "##er", "##e", "##r", "##est", "new", "##s", ",", "."],
    ["foo", "bar", "##foo", "##bar", "f", "##o", "-", "!", "##!"],
]

TEXTS = [
    "abc",
    "abcd",
    "abcdx",
    "abcdz",
    "aaaa",
    "aaaaaaa",
    "aab",
    "abbc",
    "unaffable",
    "unwanted",
    "running",
    "runs",
    "run",
    "lower",
    "lowest",
    "newest",
    "news",
    "newslow",
    "foobar",
    "barfoo",
    "foofoobar",
    "fo",
    "foox",
    "f!",
]

SENTENCES = [
    "",
    " ",
    "low lower  lowest",
    "foo-bar!",
    "un aff able",
    "news, low.",
    "abc  aaaa\tfoo",
]


def answered(kind: str) -> list[dict[str, Any]]:
    """Cases of one kind: ``Words``, ``SingleWord``, ``Text`` or ``Detokenize``."""
    texts = TEXTS if kind in ("Words", "SingleWord") else [*SENTENCES, *TEXTS]
    return [case(kind, vocab, text) for vocab, text in product(VOCABULARIES, texts)]


def case(kind: str, vocab: list[str], text: str) -> dict[str, Any]:
    tokens = vocab if kind == "Words" else [*vocab, UNK]
    ids = {token: id for id, token in enumerate([*vocab, UNK])}
    longest = 100 if kind == "Words" else 12
    model = models.WordPiece(ids, unk_token=UNK, max_input_chars_per_word=longest)
    real = tokenizers.Tokenizer(model)
    real.decoder = decoders.WordPiece(cleanup=False)
    if kind == "Words":
        real.normalizer = normalizers.BertNormalizer()
    if kind == "Detokenize":
        real.pre_tokenizer = pre_tokenizers.WhitespaceSplit()
    elif kind != "SingleWord":
        real.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    encoding = real.encode(text)
    starts, ends = ([place[side] for place in encoding.offsets] for side in (0, 1))
    return {
        "vocab": tokens,
        "text": text,
        "expected": ["UNK" if id == ids[UNK] else id for id in encoding.ids],
        "input": text,
        "unk_token": UNK,
        "suffix_indicator": "##",
        "max_bytes_per_token": longest,
        "expected_token_ids": encoding.ids,
        "expected_token_start_offsets": starts,
        "expected_token_end_offsets": ends,
        "expected_detokenized_text": real.decode(encoding.ids),
    }
