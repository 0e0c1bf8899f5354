"""Random regular expressions, and texts to try them on.

Most expressions are within the grammar that Oniguruma and our engine share; some get a character or
a construct too many.
"""

# ruff: noqa: RUF001 (characters that look like others are the point)

from __future__ import annotations

import random

CHARACTERS = "asStfB1 \n-'.é²ßK"
TEXT = "aAsSſßtBK1² \n-'é\u0301\u200dk.ﬆ"
SETS = [
    *(
        r"\d",
        r"\D",
        r"\s",
        r"\S",
        r"\w",
        r"\W",
        r"\h",
        r"\H",
        r"\n",
        r"\t",
        r"\x41",
        r"\x{e9}",
        r"\u00df",
    ),
    *(
        r"\p{L}",
        r"\p{Lu}",
        r"\p{Ll}",
        r"\P{L}",
        r"\p{N}",
        r"\p{^N}",
        r"\p{M}",
        r"\P{M}",
        r"\p{P}",
        r"\p{S}",
    ),
    *(r"\p{Z}", r"\p{C}", r"\p{Alphabetic}", r"\p{Latin}", r"\p{Greek}"),
]
POSITIONS = [r"\A", r"\z", r"\Z", r"\b", r"\B", "^", "$"]
BRACKETS = [
    "alpha",
    "digit",
    "alnum",
    "upper",
    "lower",
    "space",
    "blank",
    "cntrl",
    "punct",
    "xdigit",
    "word",
    "ascii",
    "graph",
]
RANGES = ["a-z", "A-Z", "0-9", "a-s", r"\n-a", "à-ü", r"\x00-\x7f"]
QUANTIFIERS = [
    "*",
    "+",
    "?",
    "+",
    "*",
    "{1}",
    "{2}",
    "{1,2}",
    "{0,2}",
    "{1,}",
    "{,2}",
    "{2,3}",
    "{0,1}",
]
GROUPS = ["(?:", "(?:", "(", "(?>", "(?i:", "(?i:", "(?-i:", "(?=", "(?!", "(?<=", "(?<!", "(?<n>"]
NOISE = [
    *"()[]{}|*+?^$\\-&:,<>=!~#",
    *("&&", "--", "(?", "[:", r"\p", r"\x", "{1", "{,", "}+", "(?i)", "(?-i)", "(?m)", "[^"),
    *(r"\Q", r"\K", r"\G", r"\1", "(?#", r"[\:"),
]


class Grammar:
    """Expressions and texts that depend on the seed alone."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.names = 0

    def texts(self, number: int) -> list[str]:
        lengths = [1, 2, 3, 4, 5, 6, 8, 10]
        texts = [
            "".join(self.dice.choices(TEXT, k=self.dice.choice(lengths))) for _ in range(number)
        ]
        return [*texts, "a\n", "\n", "a\n\n", "ss", "ß", "st", "ﬆ", "aß1 s\n"]

    def expression(self) -> str:
        regex = self.alternatives(3)
        if self.dice.random() < 0.25:
            for _ in range(self.dice.randint(1, 2)):
                at = self.dice.randint(0, len(regex))
                regex = regex[:at] + self.dice.choice(NOISE) + regex[at:]
        return regex

    def alternatives(self, depth: int) -> str:
        number = self.dice.choice([1, 1, 1, 2, 2, 3])
        return "|".join(self.sequence(depth) for _ in range(number))

    def sequence(self, depth: int) -> str:
        parts = []
        for _ in range(self.dice.choice([0, 1, 1, 1, 2, 2, 2, 3, 3])):
            parts.append(self.atom(depth))
            if self.dice.random() < 0.4:
                parts.append(
                    self.dice.choice(QUANTIFIERS) + self.dice.choice(["", "", "", "", "?", "+"])
                )
        return "".join(parts)

    def atom(self, depth: int) -> str:
        chance = self.dice.random()
        if chance < 0.32 or depth == 0:
            return self.character()
        if chance < 0.5:
            return self.dice.choice(SETS)
        if chance < 0.64:
            return self.of_class(0)
        if chance < 0.68:
            return "."
        if chance < 0.74:
            return self.dice.choice(POSITIONS)
        if chance < 0.77:
            return self.dice.choice(["(?i)", "(?-i)"]) + self.alternatives(depth - 1)
        return self.group(depth)

    def group(self, depth: int) -> str:
        opening = self.dice.choice(GROUPS)
        if opening in ("(?<=", "(?<!"):
            number = self.dice.randint(1, 2)
            return opening + "|".join(self.behind() for _ in range(number)) + ")"
        if opening == "(?<n>":
            self.names += 1
            opening = f"(?<n{self.names}>"
        return opening + self.alternatives(depth - 1) + ")"

    def behind(self) -> str:
        parts = [
            self.character(),
            self.dice.choice(SETS),
            self.of_class(1),
            self.character() + "{2}",
            ".",
        ]
        return "".join(self.dice.choices(parts, k=self.dice.randint(1, 2)))

    def character(self) -> str:
        character = self.dice.choice(CHARACTERS)
        escaped = character in ".-" and self.dice.random() < 0.8
        return "\\" + character if escaped else character

    def of_class(self, depth: int) -> str:
        items = "".join(self.item(depth) for _ in range(self.dice.randint(1, 3)))
        chance = self.dice.random()
        if chance < 0.15:
            other = self.dice.choice(SETS) + self.character()
            items += "&&" + (self.of_class(depth + 1) if chance < 0.1 else other)
        elif chance < 0.25:
            items = "-" + items if chance < 0.2 else items + "-"
        return "[" + self.dice.choice(["", "", "^"]) + items + "]"

    def item(self, depth: int) -> str:
        chance = self.dice.random()
        if chance < 0.5:
            return self.character() if chance < 0.35 else self.dice.choice(RANGES)
        if chance < 0.75:
            return self.dice.choice(SETS)
        if chance < 0.85:
            return f"[:{self.dice.choice(['', '', '^'])}{self.dice.choice(BRACKETS)}:]"
        return self.of_class(depth + 1) if depth < 2 else "a"
