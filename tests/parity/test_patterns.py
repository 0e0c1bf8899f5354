"""Regular expressions of tokenizer.json files: the pieces of Hugging Face's library, or a refusal.

Oniguruma, which that library runs, and our engine read some expressions differently. Every kind of
construct stands in a list here, with whether it is read; random ones follow.
"""

# ruff: noqa: RUF001 (characters that look like others are the point)

from __future__ import annotations

import itertools
import random
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import tokenizers
from subword import ModelFormatError, Tokenizer, count_pieces
from tokenizers import Regex, pre_tokenizers

from tests.support.cutting import Cutting, split, substrings, tokenizer_json
from tests.support.pattern_grammar import Grammar

#: Letters with odd cases, numbers, marks, joiners, line breaks, characters with a role.
CHARACTERS = "aBsſßtf1² \n-^.é\u0301\u200d'Kﬆ"

#: Whatever is read must be read alike: positions.
POSITIONS = r"""
^ $ ^a a$ \Aa a\z a\Z \Z \z \A \b \B \bs a\B (?=a) (?!a) (?<=a) (?<!a) (?<=a|sf)B (?<!a|sf)B
(?<=a{2}) (?=) (?!) (?<=[a-z])(?=[A-Z]) (?=(\d{3})+(?!\d)) (?<=\s)(?!\s) (?i:^a$) (?i:\ba)
"""
#: Classes and sets.
SETS = r"""
. .+ \d+ \D \s \S+ \w+ \W \h \H [\w]+ [^\w] [\W] [\h] [\H] [^\S\n] [^\D] [\S] [\D1] \p{L}
\P{L} \p{^L} \P{^L} [\p{^L}] [\P{L}a] [^\P{L}a] \p{Han} \p{Letter} \p{Lu}+ \p{Alphabetic}
[\p{L}\p{M}]+ [[:alpha:]]+ [[:digit:]] [[:alnum:]] [[:upper:]] [[:lower:]] [[:space:]]
[[:blank:]] [[:cntrl:]] [[:punct:]] [[:xdigit:]] [[:word:]] [[:ascii:]] [[:^alpha:]]
[[:^digit:]a] [^[:alpha:]] [:alpha:] [a-] [-a] [^-a] [B-a] [a\-B] [a&&b] [a-z&&[^s]] [^a-z&&s]
[a-z&&[^s]&&[^f]] [\p{L}&&[^a]]+ [\p{Lu}\p{Ll}&&[^\p{Han}]]* [a&] [a&b] [a~] [a^] [[a][b]]
[[^a]b] [^[a]s] [\]a] [\^a] [\n-a] [é-ﬆ] [a\&\&b] [\~\~] [\[:a:\]]
"""
#: Characters and escapes.
ESCAPES = r"""
a \n \r \t \f\v\a\e \x41 \x{61} \u0061 \x{e9} \< \> \- \_ \' \/ \é \. \\ \$ } ] a] é #
"""
#: Quantifiers.
QUANTIFIERS = r"""
a* a+ a? a*? a+? a?? a*+ a++ a?+ a{1} a{1,} a{1,2} a{1,2}? a{1,}? a{1}? a{1,2}+ a{2}+ a{0,2}
a{,2} a{,2}? \p{N}{1,3} (?:as)+ (as){1,2} [as]{2} .* .*? (?>a+)a a*a
"""
#: Groups and settings.
GROUPS = r"""
(a) (?:a) (?<x>a) (?>a|as)s () (|a) a| |a a||B (?:a|) a(?i)b|c (?i)b (?i:b) (?-i:b)
(?i:b(?-i)b|a) (?i:'s|'t) (?i:[a-z]+) (?i:[s]f) (?i:s+) (?i:\w) (?i:\p{Lu}+) (?i:\p{Ll})
(?i:\s) (?i:k) (?i:’s) (?i:s)|t (?:a(?i)B)+s
"""

#: What is read differently, or is not known to be read alike.
REFUSED = r"""
\pL+ \PL [a-c--b]+ a{2,1} (?i:ss) (?i:sf) (?i:st) (?i:fi) (?i:(?:s)s) (?i:é) (?i:ß)
(?i:[^a-z]+) (?i:[\p{L}]) (?i:[a&&b]) (?m:.) (?s:.) (?x:a) (?im:a) [[:graph:]] [[:print:]]
[[:foo:]] \p{Script=Han} \p{IsL} \p{l} \p{ \xe9 \x4 \u{e9} \ud800 \101 \0 \1 (a)\1 \k<a>
(?<a>a)\k<a> \g<1> \cA \C-a \M-a \Q \R \X \N \O \K a\Kb \G \y [\b] [\A] a{1,1}? a{0} a{0,2}+
a{,} a{} a{ a{x} { []a] [] [^] [a (a a) [a-B] [a-\d] [\d-a] [&&a] [a&&] [a~~b] [a--] [^a[^B]]
[^\W] [[\:alpha:]] (?P<x>a) (?'x'a) (?<=a+) (?<=a{1,2}) (?<=(a)) (?<=\b)a (?<=^)a (?<=(?=a))
(?i:(?<=a)) (?:a|)* (?:a*)* (?:a*)? (?:a?)+ (?=a)* ^* \b+ (?#x)a (?~a) (?(1)a|b) (*FAIL) a**
a+* a{1}{2} a++? a*?+ *a + ? a|* (?=\s).*a \b.*1 \B.+a (a+?)*
(?i:[\S]) (?i:[\D-]) a\
"""


@pytest.fixture(scope="module")
def cutting(tmp_path_factory: pytest.TempPathFactory) -> Cutting:
    """All strings of up to two characters, some longer ones, and lines."""
    dice = random.Random(5)
    short = ["".join(t) for n in (1, 2) for t in itertools.product(CHARACTERS, repeat=n)]
    longer = ["".join(dice.choices(CHARACTERS, k=dice.randint(3, 9))) for _ in range(250)]
    lines = ["helloWorld 1234567", "a\nb\n\nac\n", "ac aB C", "SS ẞ st ﬁ"]
    return Cutting([*short, *longer, *lines], tmp_path_factory.mktemp("cutting"))


@pytest.mark.slow
@pytest.mark.parametrize("kind", [POSITIONS, SETS, ESCAPES, QUANTIFIERS, GROUPS])
def test_every_kind_of_expression_cuts_as_hugging_face_does(cutting: Cutting, kind: str) -> None:
    for regex in kind.split():
        assert cutting.agrees(regex), f"{regex} is refused"


def test_what_is_not_known_to_mean_the_same_is_refused(cutting: Cutting) -> None:
    for regex in REFUSED.split():
        assert not cutting.agrees(regex), f"{regex} is read"


def test_the_empty_expression_and_the_empty_string_cut_everywhere(tmp_path: Path) -> None:
    text = "lo é"
    for pattern in ({"Regex": ""}, {"String": ""}):
        part = {**split(""), "pattern": pattern}
        path = tmp_path / "tokenizer.json"
        path.write_text(tokenizer_json([part], substrings([text])), encoding="utf-8")
        tok, real = Tokenizer.load(path), tokenizers.Tokenizer.from_file(str(path))
        assert tok.encode(text) == real.encode(text).ids
        assert [tok.decode([token]) for token in tok.encode(text)] == list(text)


@pytest.mark.slow
def test_random_expressions_cut_as_hugging_face_does_or_are_refused(tmp_path: Path) -> None:
    grammar = Grammar(seed=7)
    cutting = Cutting(grammar.texts(40), tmp_path)
    saved = tmp_path / "saved"
    saved.mkdir()
    read = 0
    for number in range(700):
        if cutting.agrees(grammar.expression()):
            read += 1
            if number % 8 == 0:
                cutting.agrees_after_saving(saved)
    assert read > 300


@cache
def every_character() -> list[str]:
    """Unicode in texts of some thousand characters; of Chinese, Korean and private use a sample."""
    alike = [
        (0x3400, 0x9FFF),
        (0xAC00, 0xD7A3),
        (0xD7FF, 0xE000),
        (0xE000, 0xF8FF),
        (0x17000, 0x18CFF),
    ]
    alike += [(0x20000, 0x33FFF), (0x34000, 0xDFFFF), (0xE0200, 0x10FFFF)]
    codes = [c for c in range(0x110000) if not any(low < c < high for low, high in alike)]
    codes += [c for low, high in alike for c in range(low, high, 97) if not 0xD800 <= c < 0xE000]
    return ["".join(map(chr, codes[at : at + 20_000])) for at in range(0, len(codes), 20_000)]


def assert_equal_pieces_of_unicode(path: Path, real: Any) -> None:
    pattern = Tokenizer.load(path).pattern
    for text in every_character():
        wanted = Counter(piece.encode() for piece, _ in real.pre_tokenize_str(text))
        assert dict(count_pieces(texts=[text], pattern=pattern)) == wanted


@pytest.mark.slow
@pytest.mark.parametrize(
    "regex",
    [
        *(
            r"\p{L}",
            r"\p{M}",
            r"\p{N}",
            r"\p{P}",
            r"\p{S}",
            r"\s",
            r"\d",
            r"\w",
            r"\W",
            r"[\w]",
            r"[\W]",
        ),
        *(
            r"[[:alpha:]]",
            r"[[:punct:]]",
            r"[[:upper:]]",
            r"[[:blank:]]",
            r"[[:^cntrl:]]",
            r"\p{Han}",
        ),
        *(r"(?i:[a-z])", r"(?i:\p{Lu})", r"(?i:s)", "."),
    ],
)
def test_sets_hold_the_same_characters_of_unicode(tmp_path: Path, regex: str) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(tokenizer_json([split(regex)]), encoding="utf-8")
    assert_equal_pieces_of_unicode(path, pre_tokenizers.Split(Regex(regex), "isolated"))


@pytest.mark.parametrize("individual", [True, False])
def test_digits_are_those_of_hugging_face_in_unicode(tmp_path: Path, individual: bool) -> None:
    """It takes numbers of Unicode 17 for digits, which no regular expression does."""
    path = tmp_path / "tokenizer.json"
    digits = {"type": "Digits", "individual_digits": individual}
    path.write_text(tokenizer_json([digits]), encoding="utf-8")
    assert_equal_pieces_of_unicode(path, pre_tokenizers.Digits(individual_digits=individual))
    pieces = pre_tokenizers.Digits(individual_digits=True).pre_tokenize_str("a\U00011de0")
    assert [piece for piece, _ in pieces] == ["a", "\U00011de0"]


def test_a_refusal_names_the_file_the_line_and_the_construct(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(tokenizer_json([split("[a-c--b]+")]), encoding="utf-8")
    place = r"tokenizer\.json:1: the pattern .* uses - within a class"
    with pytest.raises(ModelFormatError, match=place):
        Tokenizer.load(path)
