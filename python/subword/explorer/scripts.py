"""Which script a token is written in, by the names that Unicode gives to characters.

Python does not know the script of a character, but its name starts with it: LATIN SMALL LETTER A,
CJK UNIFIED IDEOGRAPH-4E00, HIRAGANA LETTER A.

    >>> [script_of(token.encode()) for token in (" low", "слово", "你好", "12", "->", "  ", "aж")]
    ['Latin', 'Cyrillic', 'Han', 'digits', 'signs', 'spaces', 'mixed']
    >>> script_of(b"\\xe4\\xbd")
    'bytes'
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

#: The first words of names that are no script, or not its usual name. None: as its neighbours.
FIRST_WORDS = {
    "CJK": "Han",
    "IDEOGRAPHIC": "Han",
    "KANGXI": "Han",
    "COMBINING": None,
    "MODIFIER": None,
    "VARIATION": None,
    "MATHEMATICAL": "signs",
    "DOUBLE-STRUCK": "signs",
    "SCRIPT": "signs",
    "BLACK-LETTER": "signs",
    "FEMININE": "Latin",
    "MASCULINE": "Latin",
    "KELVIN": "Latin",
    "ANGSTROM": "Latin",
    "OHM": "Greek",
    "MICRO": "Greek",
}

#: Words before the name of the script.
BEFORE = {"FULLWIDTH", "HALFWIDTH", "OLD", "SMALL"}


@lru_cache(maxsize=1 << 16)
def script_of_character(character: str) -> str | None:
    """The script of a letter, or what kind of character it is; None: as its neighbours."""
    category = unicodedata.category(character)
    if category[0] == "N":
        return "digits"
    if category[0] == "Z" or character in "\t\n\r\v\f":
        return "spaces"
    if category[0] not in "LM":
        return None if character == "\u200d" else "signs"
    words = unicodedata.name(character, "OTHER").split(" ")
    name = words[1] if words[0] in BEFORE and len(words) > 1 else words[0]
    if name in FIRST_WORDS:
        return FIRST_WORDS[name]
    return name.split("-")[0].capitalize()


def script_of(token: bytes) -> str:
    """The script of the letters of a token; without letters, the rarest kind of its characters."""
    try:
        text = token.decode()
    except UnicodeDecodeError:
        return "bytes"
    kinds = {script_of_character(character) for character in text} - {None}
    scripts = kinds - {"digits", "spaces", "signs"}
    if scripts:
        return str(scripts.pop()) if len(scripts) == 1 else "mixed"
    for kind in ("digits", "signs", "spaces"):
        if kind in kinds:
            return kind
    return "signs"
