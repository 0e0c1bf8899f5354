"""A megabyte of one character, with every published file: linear time, whatever the character.

Nothing measures the time here: what is quadratic in a run of one character takes minutes.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
import subword

from tests.data.packages import VOCABULARIES
from tests.support.published import file

#: Not vocabularies by themselves.
BESIDE = (".inp", ".out", "merges.txt", "simple_vocab_16e6.txt")
FILES = [v.path for v in VOCABULARIES if not v.path.endswith(BESIDE)]
#: White space, a letter, a digit and punctuation, some of which merge into long tokens; bytes that
#: models lack, and characters of two to four bytes, alone and cut by a line.
UNITS = [*" \n\0a9=", "é", "▁", "中", "\u0301", "🙂", "ab", "中\n"]


def load(path: str) -> subword.Tokenizer:
    whole = file(f"vocabs/{path}")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", subword.ModelFormatWarning)
        return subword.Tokenizer.load(whole.parent if whole.name == "vocab.json" else whole)


@pytest.mark.slow
@pytest.mark.parametrize("path", FILES)
def test_a_megabyte_of_one_character_is_encoded(path: str) -> None:
    tok = load(path)
    for unit in UNITS:
        text = unit * (1_001_000 // len(unit.encode()))
        ids = tok.encode_array(text, threads=1)
        assert np.array_equal(tok.encode_array(text, threads=2), ids), unit
