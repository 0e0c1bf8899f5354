"""Text that finds disagreements: characters of all classes, close together."""

# ruff: noqa: RUF001 (characters that look like others are the point)

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import strategies as st

#: One or more characters of every class that a pattern tells apart, and the odd ones.
CLASSES = [
    *"aZé中ǅʰあ가ไ",  # letters: lower, upper, title, modifier, other
    *"\u017f\u212a",  # long s and kelvin, which fold to ASCII
    *"sStTdDmMlLvVrReE",  # the letters of contractions
    *"'’\"",
    *"019٣½Ⅷ²①〇",  # numbers: digits, fractions, letters, superscripts
    *"!.,-/\\_$+<|>({[",
    *" \t\n\r\v\f",
    *"\x1c\x1f\x85\xa0\u1680\u2000\u2028\u2029\u202f\u3000",  # spaces
    *"\u200b\ufeff\x00\x07\x7f",  # none
    *"\u0301\u0308\u0316\u20dd\u093e\u0e31",  # marks: above, below, enclosing, spacing
    *"\u1100\u1161\u11a8\uac00\u0f73\u0344\u212b\u2126\ufb01",  # what normalisation changes
    *"😀🏃🏽\u200d♂\ufe0f🇫🇷",
    *"\u0378\ue000\uffff\U0001fffe\U000e0041\U0010ffff",  # unassigned, private, a tag
    *"𐐀𝒜𞤀𐒠𑂙",
]

WORDS = [
    *["'s", "'S", "'ll", "'LL", "'re", "'vE", "'ſ", "'d", "n't", "I'M", "’s"],
    *["hello", " world", "Hello", "HELLO", "helloWorld", "naïve", "слово", "漢字かな", "한국어"],
    *["123", "1234567", " 12", "3.14", "...", "!!!\n", "->", "://", "\r\n", "\n\n", "  ", "   \n"],
    *["<|endoftext|>", "<|endofprompt|>", "<|im_start|>", "<|endo", "ftext|>"],
    *[
        "e\u0301",
        "e\u0301" * 4,
        "ne\u0301",
        "lo\u0301w",
        "low",
        "a\u0316\u0301",
        "\u1100\u1161\u11a8",
        "각\u11a8",
    ],
]

characters = st.one_of(st.sampled_from(CLASSES), st.characters(exclude_categories=["Cs"]))

#: Any text, with more of what is hard than chance would give.
texts = st.lists(
    st.one_of(
        st.sampled_from(WORDS),
        st.text(characters, min_size=1, max_size=8),
        st.builds(lambda c, n: c * n, st.sampled_from(CLASSES), st.integers(2, 40)),
    ),
    max_size=25,
).map("".join)

#: Any bytes: text that was cut within characters, and noise.
any_bytes = st.lists(
    st.one_of(
        texts.map(str.encode),
        st.binary(max_size=6),
        st.tuples(texts, st.integers(0, 8)).map(lambda cut: cut[0].encode()[cut[1] :]),
    ),
    max_size=4,
).map(b"".join)


#: Long stretches of characters that are all alike: ideographs, syllables, private use, nothing.
ALIKE = [
    *[(0x3400, 0x4DC0), (0x4E00, 0xA000), (0xAC00, 0xD7A4), (0xE000, 0xF900)],
    *[(0x17000, 0x18D00), (0x20000, 0x2FA00), (0x30000, 0xE0000), (0xE1000, 0x110000)],
]


def code_points(every: int) -> list[str]:
    """All characters, of the long stretches that are alike only every so many."""
    codes = {*range(0xD800), *range(0xE000, 0x110000)}
    for start, end in ALIKE:
        codes -= {code for code in range(start, end) if (code - start) % every}
    return [chr(code) for code in sorted(codes)]


def in_context(characters: Iterable[str]) -> list[str]:
    """Each character after a letter, a space, a digit, a mark and itself, and before a new line."""
    lines = [f"x{c} {c}1{c}!{c}{c}'{c}s \n{c}\n" for c in characters]
    return ["".join(lines[i : i + 512]) for i in range(0, len(lines), 512)]
