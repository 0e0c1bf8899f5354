"""BERT's pieces for the tests: a small vocabulary, and the real tokenizers with any vocabulary."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import tokenizers
from subword import Tokenizer
from tokenizers import decoders, models, normalizers, pre_tokenizers, processors

from tests.support.published import file

#: The published vocabularies, and whether they are for text in lower case.
VOCABULARIES = {
    "bert-base-uncased": True,
    "bert-base-cased": False,
    "bert-base-chinese": False,
    "bert-base-multilingual-cased": False,
}

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]

WORDS = """
    low ##er ##est new ##s slow un ##able want ##ed run ##ning don t cls mask 1 ##1 ##2
    ' , . ? ! # [ ] - — ¿ ; $ ^ ` ~ | < > + = é e ##e ü u i ##\u0307 \u0131 ß ss \u03c3 ##ς ² ½
    你 好 ##好 한 ㅎ ##ᅡ ᄒ ##ᆫ
"""

SMALL = [*SPECIAL, *WORDS.split()]


def real(
    vocab: list[str], *, lowercase: bool, strip_accents: bool | None = None, cleanup: bool = True
) -> tokenizers.Tokenizer:
    """The real tokenizer with this vocabulary, as transformers makes it for BERT."""
    ids = {token: id for id, token in enumerate(vocab)}
    made = tokenizers.Tokenizer(models.WordPiece(ids, unk_token="[UNK]"))
    made.normalizer = normalizers.BertNormalizer(lowercase=lowercase, strip_accents=strip_accents)
    made.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    made.decoder = decoders.WordPiece(cleanup=cleanup)
    made.post_processor = processors.BertProcessing(
        ("[SEP]", ids["[SEP]"]), ("[CLS]", ids["[CLS]"])
    )
    made.add_special_tokens([token for token in SPECIAL if token in ids])
    return made


def lines_of(path: Path) -> list[str]:
    """The tokens of a ``vocab.txt``."""
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


@cache
def published_pair(name: str) -> tuple[tokenizers.Tokenizer, Tokenizer]:
    """A published vocabulary, by the real tokenizers and by us."""
    path = file(f"vocabs/{name}/vocab.txt")
    return real(lines_of(path), lowercase=VOCABULARIES[name]), Tokenizer.load(path)


@cache
def small_pair(lowercase: bool = True) -> tuple[tokenizers.Tokenizer, Tokenizer]:
    """The small vocabulary, by the real tokenizers and by us."""
    ours = Tokenizer.wordpiece(SMALL, lowercase=lowercase)
    return real(SMALL, lowercase=lowercase), ours
