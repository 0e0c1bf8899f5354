//! What is copied, translated and refused. That the meaning stays is tested against the real library, in Python.

use super::*;
use crate::formats::tests::Random;

fn translated(regex: &str) -> String {
    translate(regex).unwrap_or_else(|error| panic!("{regex}: {error}"))
}

#[test]
fn what_both_engines_share_is_copied() {
    for named in Named::ALL.into_iter().filter(|&named| named != Named::Cl100k) {
        for regex in named.regexes() {
            assert_eq!(translated(regex), *regex);
            assert_eq!(check(regex), Ok(()));
        }
    }
    for regex in [
        Named::CL100K_ONIGURUMA,
        r"\p{N}+|\p{Lu}{2,3}|[^$^{]+|(?i:x)|(?!\S)|(?<=a)b|(?:c)++|[\]$]|\$|\x41|\x{4e00}|\u4e00|中",
        r"(?<=[a-z])(?=[A-Z])",
        r"(?=(\d{3})+(?!\d))",
        r"[\p{Lu}\p{Lt}&&[^\p{Han}]]*|[\p{Han}]+",
        r"a{1,2}?|(?>ab)|(?<name>c)|[-a]|[a-]|[a&b~]|.*?",
        "",
    ] {
        assert_eq!(translated(regex), regex);
        assert_eq!(check(regex), Ok(()));
    }
}

#[test]
fn what_hugging_face_spells_differently_is_translated() {
    for (regex, ours) in [
        (r"\p{N}{1,3}+", r"(?:\p{N}{1,3})+"),
        (r"(ab){2}?c", r"(?:(ab){2})?c"),
        (r"x{,3}", r"x{0,3}"),
        ("a(?i)b|c", "a(?i:b|c)"),
        ("(?:a(?i)b|c)d", "(?:a(?i:b|c))d"),
        (r"(?i:\p{Lu}+)", r"(?i:(?-i:\p{Lu})+)"),
        (r"[[:alpha:]_]", r"[\p{Alphabetic}_]"),
        (r"[[:^space:]]", r"[[^\s]]"),
        (r"[^\w]", r"[^\p{Alphabetic}\p{M}\p{Nd}\p{Pc}]"),
        (r"\w", r"[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}²³¹¼½¾]"),
        (r"\H", r"[^0-9A-Fa-f]"),
        (r"\p{^L}\P{^L}", r"\P{L}\p{L}"),
        (r"a$", r"a(?=\n|\z)"),
        (r"a\Z", r"a(?=\n?\z)"),
        (r"^", r"(?:\A|(?<=\n)(?!\z))"),
        (r"\<]}\é", r"<\]\}é"),
    ] {
        assert_eq!(translated(regex), ours, "{regex}");
        assert_eq!(translated(ours), ours, "{regex}");
        assert!(check(regex).is_err(), "{regex}");
        assert_eq!(check(ours), Ok(()), "{regex}");
    }
}

#[test]
fn what_is_not_known_to_be_the_same_is_refused_by_name() {
    for (regex, what) in [
        (r"\pL", r"\p without {}"),
        (r"\p{Script=Han}", r"\p{Script=Han}"),
        ("[a-c--b]", "- within a class"),
        (r"[\d-a]", "- within a class"),
        ("[a~~b]", "~~"),
        ("[]a]", "a ] at the start of a class"),
        ("[a&&]", "&& beside nothing"),
        ("[^a[^b]]", "[^...] in another one"),
        (r"[[\:alpha:]]", "an escaped : at the start of a class in a class"),
        ("[[:graph:]]", "[:graph:]"),
        ("[b-a]", "the range 'b' to 'a'"),
        ("a{2,1}", "{2,1}"),
        ("a{0}", "{0}"),
        ("a{1,1}?", "{1,1}?"),
        ("a{x}", "a { that is not {n}, {n,} or {n,m}"),
        ("a**", "a quantifier after a quantifier"),
        ("(?:a*)*", "* after something that may be empty"),
        ("(?=a)?", "? after something that may be empty"),
        ("(?:a|*)", "* after nothing"),
        (r"(?=\s).*a", "a repeated . after something without width"),
        (r"\b(?:(?:.*+a))", "a repeated . after something without width"),
        ("(?i:ss)", "letters such as \"ss\" or \"fi\" in (?i:...)"),
        ("(?i:(?:f|x)x?i)", "letters such as \"ss\" or \"fi\" in (?i:...)"),
        ("(?i:é)", "'é' in (?i:...)"),
        (r"\B.+a", "a repeated . after something without width"),
        ("(a+?)*", "* after a group with a lazy quantifier"),
        ("(?:a(?:b{1,2}?|c)){2}", "{ after a group with a lazy quantifier"),
        (r"(?i:[\S])", r"\S in a class in (?i:...)"),
        ("(?i:[^a])", "[^...] in (?i:...)"),
        (r"(?i:[\p{L}])", r"\p in (?i:...)"),
        ("(?i:(?<=a))", "(?<= in (?i:...)"),
        ("(?<=a+)", "+ in a look-behind"),
        ("(?<=(a))", "a group in a look-behind"),
        (r"(?<=\b)", r"\b in a look-behind"),
        ("(?m:.)", "(?m"),
        ("(?is)x", "(?i"),
        ("(?P<x>a)", "(?P"),
        ("(?#x)", "(?#"),
        (r"(a)\1", r"\1"),
        (r"\xE9", r"\x"),
        (r"\u{e9}", r"\u"),
        (r"\K", r"\K"),
        ("(a", "a ( without its )"),
        ("a)", "a ) without its ("),
        ("[a", "a [ without its ]"),
        ("a\\", "a \\ at the end"),
    ] {
        let message = format!(
            "the pattern {regex:?} uses {what}, which Hugging Face's engine may read differently"
        );
        let error = Error::format(message).with_hint("write the pattern without it");
        assert_eq!(translate(regex), Err(error.clone()), "{regex}");
        assert_eq!(check(regex), Err(error), "{regex}");
    }
}

#[test]
fn nesting_is_bounded() {
    for (open, close) in [("(", ")"), ("(?i:", ")"), ("(?=", ")"), ("[a", "]"), ("(?i)(", ")")] {
        let nested = |depth| format!("{}b{}", open.repeat(depth), close.repeat(depth));
        assert!(translate(&nested(10)).is_ok(), "{open}");
        assert!(translate(&nested(100_000)).is_err(), "{open}");
    }
}

#[test]
fn the_possessive_gpt2_is_known_and_that_of_cl100k_is_not_written() {
    let gpt2 = r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s";
    assert_eq!(translated(gpt2), gpt2);
    assert!(check(Named::Cl100k.regexes()[0]).is_err());
}

#[test]
fn the_two_spellings_of_cl100k_cut_alike() {
    let [ours, theirs] = [Named::Cl100k.regexes()[0], Named::CL100K_ONIGURUMA]
        .map(|regex| fancy_regex::Regex::new(regex).unwrap());
    let characters =
        ['a', 'É', '1', '²', ' ', '\t', '\n', '\r', '\u{a0}', '\'', 's', 'L', '!', '中'];
    let mut random = Random::new(11);
    for _ in 0..20_000 {
        let length = 1 + random.below(9);
        let text: String =
            (0..length).map(|_| characters[random.below(characters.len())]).collect();
        let pieces = |regex: &fancy_regex::Regex| -> Vec<_> {
            regex.find_iter(&text).map(|piece| piece.unwrap().range()).collect()
        };
        assert_eq!(pieces(&ours), pieces(&theirs), "{text:?}");
    }
}
