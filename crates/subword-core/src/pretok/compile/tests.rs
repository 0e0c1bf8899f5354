//! Compiled patterns against the engine that defines them.

use super::*;
use crate::model::{Named, Pattern};
use crate::pretok::tests::{CHARACTERS, Random, WIDE, ends, pieces};
use crate::pretok::{Scanner, Splitter};
use crate::simd::Level;

mod random;

/// Patterns of published models that have no name, all of which run 64 bytes at a time.
pub(in crate::pretok) const PUBLISHED: [(&str, &[&str]); 10] = [
    (
        "Qwen 3.5",
        &[concat!(
            r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+|\p{N}|",
            r" ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
        )],
    ),
    (
        "tekken",
        &[concat!(
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|",
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|",
            r"\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
        )],
    ),
    (
        "Llama 4",
        &[concat!(
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+",
            r"(?:'[sS]|'[tT]|'[rR][eE]|'[vV][eE]|'[mM]|'[lL][lL]|'[dD]|'ſ)?|",
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*",
            r"(?i:'s|'t|'re|'ve|'m|'ll|'d)?|",
            r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+"
        )],
    ),
    (
        "Kimi K2",
        &[concat!(
            r"[\p{Han}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*",
            r"[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|",
            r"[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]+",
            r"[\p{Ll}\p{Lm}\p{Lo}\p{M}&&[^\p{Han}]]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|",
            r"\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
        )],
    ),
    (
        "nanochat",
        &[concat!(
            r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,2}|",
            r" ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+"
        )],
    ),
    (
        "the cl100k of tiktoken 0.5, Phi-4",
        &[concat!(
            r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}+|\p{N}{1,3}|",
            r" ?[^\s\p{L}\p{N}]++[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+"
        )],
    ),
    (
        "SmolLM, StarCoder, Command-R",
        &[
            r"[\p{N}\x{11DE0}-\x{11DE9}\x{16FF4}-\x{16FF6}]",
            r"'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+",
        ],
    ),
    (
        "GPT-2 after runs of digits",
        &[r"\p{N}+", r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"],
    ),
    (
        "DeepSeek V3, with the last pattern spelled differently",
        &[
            r"\p{N}{1,3}",
            r"[一-龥\x{3040}-ヿ]+",
            concat!(
                r"[!-/:-@\[-`\{-~][A-Za-z]++|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+|",
                r" ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s"
            ),
        ],
    ),
    (
        "cl100k with `\\s+$` and slashes",
        &[concat!(
            r"'(?i:[sdmt]|ll|ve|re)|[^\r\n\p{L}\p{N}]?+\p{L}++|\p{N}{1,3}+|",
            r" ?[^\s\p{L}\p{N}]++[\r\n/]*+|\s++$|\s*[\r\n]|\s+(?!\S)|\s"
        )],
    ),
];

/// Patterns that have no blocks: plain automata.
const PLAIN: [&[&str]; 12] = [
    &[r" ?[^(\s|[.,!?…。，、।۔،])]+"],
    &[r"\w+|\W+"],
    &[r"\p{Lu}?\p{Ll}+"],
    &[r"\d+"],
    &[r"a{2,3}|b{2}|.{1,4}?é|\s$"],
    &[r"[a-z]+(?=\d)|[a-zé]+|\d{2,}(?!\s)"],
    &[r"\s+|\S{1,5}"],
    &[r"(?:ab|a)(?:bL|L)|ss?+s|'(?=s)"],
    &[r"[\r\n]", r"\s?\p{L}+|\s?[!-/:-~]+|\s+"],
    &[r"[A-Z]+", r"\p{N}", r"(?:\s|\p{L})+"],
    &[r"(?s:.)"],
    &[r"(?i:SS|l{2,3})|[^l]{1,4}(?=L)|'{1,2}+'"],
];

/// Sequences that no single automaton runs.
const SEQUENCES: [&[&str]; 3] = [
    &["[\r\n]", r"\s?[A-Za-zé]+", r"\s?[!-/:-~]+", r"\s+$", "[一-龥가-힣]+", r"\p{N}"],
    &[r" ?\p{L}+", r"[0-9][0-9][0-9]", r"(?<=l)L|s"],
    &[r"a+b|a", r"\p{L}"],
];

fn splitters(regexes: &[&str]) -> Vec<Splitter> {
    let patterns = regexes.iter().map(|regex| Pattern::Regex((*regex).to_owned()));
    let pattern = Pattern::Sequence(patterns.collect());
    let all = Level::available().into_iter();
    all.map(|level| Splitter::at_level(&pattern, level).unwrap()).collect()
}

fn compiled(splitter: &Splitter) -> &Compiled {
    match &splitter.kind {
        crate::pretok::Kind::Scanner(Scanner::Compiled(compiled)) => compiled,
        kind => panic!("not compiled: {kind:?}"),
    }
}

fn assert_equal(name: &str, compiled: &[Splitter], regex: &Splitter, text: &[u8]) {
    let expected = ends(regex, text);
    for splitter in compiled {
        let found = ends(splitter, text);
        if found != expected {
            let same = found.iter().zip(&expected).take_while(|(a, b)| a == b).count();
            let few = |ends: &[usize]| {
                pieces(text, ends)[same.saturating_sub(2)..]
                    .iter()
                    .take(5)
                    .cloned()
                    .collect::<Vec<_>>()
            };
            panic!(
                "{name} {:?}\n found    {:?}\n expected {:?}\n in {:?}",
                splitter.level,
                few(&found),
                few(&expected),
                String::from_utf8_lossy(text),
            );
        }
    }
}

/// All strings of up to `length` of the characters.
fn all_strings(length: usize, mut check: impl FnMut(&str)) {
    let (count, mut text) = (CHARACTERS.len(), String::new());
    for length in 1..=length {
        for number in 0..count.pow(length as u32) {
            text.clear();
            let digits = (0..length as u32).map(|at| number / count.pow(at) % count);
            text.extend(digits.map(|digit| CHARACTERS[digit]));
            check(&text);
        }
    }
}

fn random_text(random: &mut Random, length: usize, foreign: usize) -> Vec<u8> {
    let all: Vec<&str> = CHARACTERS
        .into_iter()
        .chain(WIDE)
        .chain(["〇", "⺀", "ゝ", "ー", "\u{3099}", "𠀀", "😀"])
        .collect();
    let mut text = Vec::new();
    for _ in 0..length {
        let known = if foreign > 0 && random.below(foreign) == 0 { all.len() } else { 14 };
        let c = all[random.below(known)];
        text.extend(c.repeat(1 + random.below(2) * random.below(4)).bytes());
    }
    text
}

/// Random texts of many kinds: ASCII, others, long words, broken UTF-8.
fn check_on_random_texts(name: &str, regexes: &[&str], rounds: usize, seed: u64) {
    let (all, regex) = (splitters(regexes), Splitter::by_regexes(regexes).unwrap());
    let mut random = Random(seed);
    for round in 0..rounds {
        let length = random.below(if round % 50 == 0 { 9000 } else { 200 });
        let mut text = random_text(&mut random, length, [0, 20, 2][round % 3]);
        match random.below(4) {
            0 => {
                let letter =
                    ["x", "X", "я", "中", "é", "か", "한", "\u{301}", "¡"][random.below(9)];
                let at = random.below(2) * text.len();
                text.splice(at..at, letter.repeat(random.below(200)).bytes());
            }
            1 => {
                for _ in 0..text.len() / 20 {
                    let at = random.below(text.len());
                    text[at] = random.below(256) as u8;
                }
            }
            _ => {}
        }
        assert_equal(name, &all, &regex, &text);
    }
}

#[test]
fn published_patterns_run_on_blocks() {
    for (name, regexes) in PUBLISHED {
        let splitter = &splitters(regexes)[0];
        assert!(compiled(splitter).rules.is_some(), "{name}");
        assert!(splitter.cuts(), "{name}");
    }
    for regexes in PLAIN {
        assert_eq!(compiled(&splitters(regexes)[0]).rules, None, "{regexes:?}");
    }
}

#[test]
fn names_are_names_for_expressions() {
    for named in Named::ALL {
        if let Some(rules) = Rules::of(named) {
            let compiled = Compiled::new(named.regexes()).unwrap();
            assert_eq!(compiled.rules, Some(rules), "{named:?}");
        }
    }
}

/// The expressions of the tests, with a name for each: published, named and plain ones.
fn all_patterns() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    let named = Named::ALL.into_iter().map(|named| (named.name(), named.regexes()));
    let plain = PLAIN.iter().map(|regexes| ("plain", *regexes));
    PUBLISHED.into_iter().chain(named.filter(|(_, regexes)| !regexes.is_empty())).chain(plain)
}

#[test]
fn compiled_patterns_equal_the_engine_on_all_short_strings() {
    for (name, regexes) in all_patterns() {
        let (all, regex) = (splitters(regexes), Splitter::by_regexes(regexes).unwrap());
        all_strings(3, |text| assert_equal(name, &all[..1], &regex, text.as_bytes()));
    }
}

/// What follows the first piece of a string is a shorter string, as no pattern here looks back. So one match says all
/// of a pattern that stands alone; only patterns in a row are asked for all pieces.
#[test]
#[ignore = "half an hour in a release build; --nocapture shows how far it is"]
fn compiled_patterns_equal_the_engine_on_all_strings_of_five_characters() {
    for (name, regexes) in all_patterns() {
        let (all, regex) = (splitters(regexes), Splitter::by_regexes(regexes).unwrap());
        let mut strings = 0;
        match regexes {
            [single] => {
                let engine = fancy_regex::Regex::new(single).unwrap();
                all_strings(5, |text| {
                    strings += 1;
                    let first = match engine.find(text).unwrap() {
                        Some(found) if found.start() == 0 => found.end(),
                        Some(found) => found.start(),
                        None => text.len(),
                    };
                    let found = all[0].end_of_piece(text.as_bytes(), 0);
                    assert_eq!(found, Some(first), "{name} {regexes:?} {text:?}");
                });
            }
            _ => all_strings(5, |text| {
                strings += 1;
                assert_equal(name, &all[..1], &regex, text.as_bytes());
            }),
        }
        eprintln!("{name}: {strings} strings of up to 5 characters are cut alike");
    }
}

#[test]
fn compiled_patterns_equal_the_engine_on_random_text() {
    let plain = PLAIN.iter().map(|regexes| ("plain", *regexes));
    for (seed, (name, regexes)) in (1..).zip(PUBLISHED.into_iter().chain(plain)) {
        check_on_random_texts(name, regexes, 600, seed);
    }
}

#[test]
fn sequences_equal_the_engine_and_may_be_cut_where_it_is_proved() {
    let mut random = Random(12);
    for (seed, regexes) in (50..).zip(SEQUENCES) {
        check_on_random_texts("sequence", regexes, 200, seed);
        let splitter = &splitters(regexes)[0];
        for _ in 0..300 {
            let length = random.below(40);
            check_cuts(splitter, &random_text(&mut random, length, 3));
        }
        assert_eq!(splitter.cuts(), regexes[0] != "a+b|a", "{regexes:?}");
    }
}

#[test]
fn blocks_equal_the_engine_on_all_short_strings_in_context() {
    let all: Vec<&str> = CHARACTERS.into_iter().chain(WIDE).chain(["〇", "𠀀"]).collect();
    for (seed, (name, regexes)) in (5..).zip(PUBLISHED) {
        let (splitters, regex) = (splitters(regexes), Splitter::by_regexes(regexes).unwrap());
        let mut random = Random(seed);
        let mut text = String::new();
        for (a, b) in all.iter().flat_map(|a| all.iter().map(move |b| (a, b))) {
            for c in &all {
                let letter = ["x", "X", "я", "中", "é", " y", "9"][random.below(7)];
                text += &letter.repeat(random.below(30));
                text.extend([*a, *b, *c]);
            }
        }
        assert_equal(name, &splitters, &regex, text.as_bytes());
    }
}

/// Both parts of a text have the pieces of the whole, wherever it may be cut.
fn check_cuts(splitter: &Splitter, text: &[u8]) {
    let whole = ends(splitter, text);
    for at in (1..text.len()).filter(|&at| splitter.cuts_before(text, at)) {
        let mut two = ends(splitter, &text[..at]);
        two.extend(ends(splitter, &text[at..]).iter().map(|end| at + end));
        assert_eq!(two, whole, "cut at {at} of {text:?}");
    }
}

#[test]
fn a_text_may_be_cut_where_it_is_proved() {
    let mut random = Random(9);
    for (name, regexes) in PUBLISHED {
        let splitter = &splitters(regexes)[0];
        let mut cuts = 0;
        for _ in 0..1000 {
            let length = random.below(40);
            let text = random_text(&mut random, length, 3);
            check_cuts(splitter, &text);
            cuts += (1..text.len()).filter(|&at| splitter.cuts_before(&text, at)).count();
        }
        assert!(cuts > 1000, "{name}: {cuts}");
    }
}

#[test]
fn a_megabyte_of_one_character_is_cut() {
    for (name, regexes) in PUBLISHED {
        let splitter = splitters(regexes).pop().unwrap();
        for c in CHARACTERS.into_iter().chain(["😀", " a", "\n "]) {
            let text = c.repeat(1_001_000 / c.len());
            assert_eq!(ends(&splitter, text.as_bytes()).last(), Some(&text.len()), "{name} {c:?}");
        }
    }
}

#[test]
fn what_needs_memory_is_refused_by_its_name() {
    for (regexes, why) in [
        (&[r"(?<=a)b"][..], "a look-behind"),
        (&[r"(a)\1"], "a back reference"),
        (&[r"\ba"], "an assertion about what stands before"),
        (&[r"a(?=bc)"], "a look-ahead of more than one character"),
        (&[r"(?>a|ab)c"], "an atomic group of more than one set of characters"),
        (&[r"x*"], "matches without a character"),
        (&[r"(?:a?)*b"], "a repetition of something that may be empty"),
        (&["ab", "c"], "a pattern before the last one that is not a run of one set of characters"),
        (&[r"\p{N}{1,3}", r"1|\p{N}"], "a pattern that cuts the groups of the one before it"),
        (&[r"a+b|a"], "a repetition that is read again and again"),
        (&[r"\s+$"], "a repetition that is read again and again"),
        (&[r"(?:ab)+c|b"], "a repetition that is read again and again"),
    ] {
        assert_eq!(Compiled::new(regexes).unwrap_err(), why, "{regexes:?}");
    }
}
