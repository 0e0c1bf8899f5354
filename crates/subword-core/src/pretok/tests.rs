//! Every scanner against the regular expression that defines it.

use super::*;

const SCANNED: [Named; 8] = [
    Named::Gpt2,
    Named::Cl100k,
    Named::O200k,
    Named::Llama3,
    Named::Qwen2,
    Named::DeepseekV3,
    Named::Bert,
    Named::Whitespace,
];

pub(super) fn ends(splitter: &Splitter, text: &[u8]) -> Vec<usize> {
    let mut cursor = splitter.cursor(text).unwrap();
    let (mut all, mut room) = (Vec::new(), Vec::new());
    loop {
        let found = cursor.next_batch(&mut room);
        if found.is_empty() {
            return all;
        }
        all.extend_from_slice(found);
    }
}

pub(super) fn pieces(text: &[u8], ends: &[usize]) -> Vec<String> {
    let mut start = 0;
    let piece = |&end: &usize| {
        let piece = text[start..end].escape_ascii().to_string();
        start = end;
        piece
    };
    ends.iter().map(piece).collect()
}

/// One character per class, and the odd ones.
pub(super) const CHARACTERS: [&str; 30] = [
    "a", "B", "s", "L", "l", "'", " ", "\n", "\r", "\t", "1", "!", "/", "\0",
    "é",        // lower case, two bytes
    "É",        // upper case
    "ǅ",        // title case
    "ʰ",        // modifier letter
    "中",       // a letter without case, CJK to DeepSeek
    "々",       // a letter without case, not CJK to DeepSeek
    "\u{301}",  // a combining mark
    "٣",        // a digit of another script
    "²",        // a number that is no digit
    "\u{A0}",   // NBSP
    "\u{85}",   // NEL, white space
    "\u{3000}", // the ideographic space
    "ſ",        // an `s` to a case-insensitive engine
    "“",        // punctuation
    "\u{378}",  // unassigned
    "\u{200D}", // a format character
];

/// More characters that blocks know, and their neighbours that they do not.
pub(super) const WIDE: [&str; 12] =
    ["Я", "ж", "ѡ", "\u{483}", "ł", "×", "か", "・", "한", "、", "，", "»"];

fn assert_equal(named: Named, scanners: &[Splitter], regex: &Splitter, text: &[u8]) {
    let expected = ends(regex, text);
    for scanner in scanners {
        let found = ends(scanner, text);
        assert!(
            found == expected,
            "{named:?} {:?} on {:?}\n found    {:?}\n expected {:?}",
            scanner.level,
            String::from_utf8_lossy(text),
            pieces(text, &found),
            pieces(text, &expected),
        );
    }
}

fn each_scanner(mut check: impl FnMut(Named, &[Splitter], &Splitter)) {
    for named in SCANNED {
        let levels = Level::available().into_iter();
        let scanners: Vec<Splitter> = levels
            .map(|level| Splitter::at_level(&Pattern::Named(named), level).unwrap())
            .collect();
        check(named, &scanners, &Splitter::by_regex(named).unwrap());
    }
}

/// A small generator of random numbers (SplitMix64): the same text on every run.
pub(super) struct Random(pub(super) u64);

impl Random {
    pub(super) fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) as usize % n
    }
}

#[test]
fn scanners_equal_their_regexes_on_all_short_strings() {
    each_scanner(|named, scanners, regex| {
        // What is so short is read by the automaton, nearly always.
        let plain = &scanners[..1];
        for a in CHARACTERS {
            assert_equal(named, plain, regex, a.as_bytes());
            for b in CHARACTERS {
                assert_equal(named, plain, regex, [a, b].concat().as_bytes());
                for c in CHARACTERS {
                    assert_equal(named, plain, regex, [a, b, c].concat().as_bytes());
                }
            }
        }
    });
}

#[test]
fn blocks_equal_the_regexes_on_all_short_strings_in_context() {
    // Padding on both sides brings the strings into a block, at both of its ends and in its middle.
    let ascii = &CHARACTERS[..14];
    let all: Vec<&str> = CHARACTERS.into_iter().chain(WIDE).collect();
    each_scanner(|named, scanners, regex| {
        let mut random = Random(named as u64);
        let mut text = Vec::new();
        for a in ascii {
            for b in ascii {
                for c in ascii {
                    for d in ascii {
                        let padding = random.below(62);
                        text.extend(std::iter::repeat_n(b'x', padding));
                        text.extend([*a, *b, *c, *d].concat().bytes());
                    }
                }
            }
        }
        for a in &all {
            for b in &all {
                for c in &all {
                    let letter = ["x", "X", "я", "中", "é"][random.below(5)];
                    text.extend(letter.repeat(random.below(30)).bytes());
                    text.extend([*a, *b, *c].concat().bytes());
                }
            }
        }
        assert_equal(named, scanners, regex, &text);
    });
}

#[test]
fn the_last_block_equals_the_regexes_whatever_the_text_ends_in() {
    let ascii = &CHARACTERS[..14];
    let all: Vec<&str> = CHARACTERS.into_iter().chain(WIDE).collect();
    each_scanner(|named, scanners, regex| {
        let mut random = Random(3 + named as u64);
        let mut check = |end: &str| {
            let letter = ["x", "X", "я", "中", " y", "9"][random.below(6)];
            let text = letter.repeat(random.below(40)) + end;
            assert_equal(named, scanners, regex, text.as_bytes());
        };
        for (a, b) in all.iter().flat_map(|a| all.iter().map(move |b| (a, b))) {
            check(&[*a, *b].concat());
            ascii.iter().for_each(|c| check(&[*a, *b, *c].concat()));
        }
    });
}

/// The classes of blocks are those of the table.
#[test]
fn wide_characters_have_the_class_of_the_table() {
    use crate::simd::class;
    for c in '\u{80}'..=char::MAX {
        let mut bytes = [0; 4];
        let found = super::class::WIDE.of(c.encode_utf8(&mut bytes).as_bytes());
        let expected = match Class::of(c.into()) {
            Class::Upper => class::UPPER,
            Class::Lower => class::LOWER,
            Class::Letter => class::CASELESS,
            Class::Mark => class::MARK,
            Class::Number => class::DIGIT,
            Class::Space => class::TAB,
            other => {
                let known = [Class::Other, Class::Symbol, Class::Newline].contains(&other);
                assert!(known, "{c:?}");
                0
            }
        };
        assert_eq!(found, (c.len_utf8() < 4).then_some((expected, c.len_utf8())), "{c:?}");
    }
}

#[test]
fn scanners_equal_their_regexes_on_random_text() {
    each_scanner(|named, scanners, regex| {
        let mut random = Random(7 + named as u64);
        let all: Vec<&str> = CHARACTERS.into_iter().chain(WIDE).collect();
        for round in 0..3000 {
            // Every third text is all ASCII, every other third mostly.
            let foreign = [0, 20, 2][round % 3];
            let mut text = String::new();
            for _ in 0..random.below(300) {
                let known = if foreign > 0 && random.below(foreign) == 0 { all.len() } else { 14 };
                let c = all[random.below(known)];
                text.extend(std::iter::repeat_n(c, 1 + random.below(2) * random.below(4)));
            }
            assert_equal(named, scanners, regex, text.as_bytes());
        }
    });
}

#[test]
fn scanners_equal_their_regexes_on_invalid_utf8() {
    each_scanner(|named, scanners, regex| {
        let mut random = Random(99 + named as u64);
        for _ in 0..2000 {
            let mut text = Vec::new();
            for _ in 0..random.below(150) {
                text.extend(CHARACTERS[random.below(CHARACTERS.len())].bytes());
                if random.below(6) == 0 {
                    text.truncate(text.len() - 1);
                }
                if random.below(9) == 0 {
                    text.push(random.below(256) as u8);
                }
            }
            assert_equal(named, scanners, regex, &text);
        }
    });
}

/// Longer than the sections that are walked side by side, with and without places to cut at.
#[test]
fn scanners_equal_their_regexes_on_long_text() {
    let repeated = ["1", " ", "\n ", "x", "中", "it's 2 much, ", "中文，日本語。", "😀a "];
    each_scanner(|named, scanners, regex| {
        for (i, unit) in repeated.into_iter().enumerate() {
            let text = unit.repeat(18_000 / unit.len()) + repeated[(i + 3) % repeated.len()];
            assert_equal(named, scanners, regex, text.as_bytes());
        }
        // Cut at every place around the least that is left for sections.
        let text = "Nothing is 100% sure,  it's said. ".repeat(700);
        for len in (8_440..8_460).chain(16_900..16_903) {
            assert_equal(named, scanners, regex, &text.as_bytes()[..len]);
        }
    });
}

#[test]
fn a_text_may_be_cut_where_the_splitter_says_so() {
    each_scanner(|named, scanners, _| {
        let mut random = Random(3 + named as u64);
        let scanner = &scanners[0];
        for _ in 0..2000 {
            let text: String =
                (0..random.below(60)).map(|_| CHARACTERS[random.below(CHARACTERS.len())]).collect();
            let text = text.as_bytes();
            let whole = ends(scanner, text);
            for at in (1..text.len()).filter(|&at| scanner.cuts_before(text, at)) {
                let mut two = ends(scanner, &text[..at]);
                two.extend(ends(scanner, &text[at..]).iter().map(|end| at + end));
                assert_eq!(two, whole, "{named:?} cut at {at} of {text:?}");
            }
        }
    });
}

#[test]
fn what_a_regex_does_not_match_is_a_piece() {
    let splitter = Splitter::new(&Pattern::Regex("[0-9]+".into())).unwrap();
    assert_eq!(ends(&splitter, b"ab12c3"), [2, 4, 5, 6]);
    assert!(ends(&splitter, b"").is_empty());
    let empty_matches = Splitter::new(&Pattern::Regex("x*".into())).unwrap();
    assert_eq!(ends(&empty_matches, b"axxb"), [1, 3, 4]);
}

#[test]
fn a_sequence_cuts_the_pieces_of_its_first_pattern() {
    let digits = Pattern::Regex(r"\p{N}".into());
    let splitter =
        Splitter::new(&Pattern::Sequence(vec![digits, Pattern::Named(Named::Gpt2)])).unwrap();
    assert_eq!(pieces(b"ab 12 c", &ends(&splitter, b"ab 12 c")), ["ab", " ", "1", "2", " c"]);
}

#[test]
fn a_bad_regex_is_an_error_that_shows_it() {
    let error = Splitter::new(&Pattern::Regex("(".into())).unwrap_err().to_string();
    assert!(
        error.starts_with("pattern \"(\": not a regular expression that we can read: "),
        "{error}"
    );
}

#[test]
fn the_name_of_a_regex_is_found() {
    for named in SCANNED {
        assert_eq!(Named::from_regexes(named.regexes()), Some(named));
        assert_eq!(Named::from_name(named.name()), Some(named));
    }
    assert_eq!(Named::from_regexes(&[]), None);
}

#[test]
fn batches_are_what_a_cursor_finds() {
    let patterns = [
        Pattern::Named(Named::Gpt2),
        Pattern::Named(Named::None),
        Pattern::Regex(r"\d|\w+(?!x)".into()),
        Pattern::Sequence(vec![Pattern::Regex(r"\d".into()), Pattern::Regex("[lo]+".into())]),
    ];
    let long = "low 12 lower, löw\n".repeat(900);
    for pattern in patterns {
        let splitter = Splitter::new(&pattern).unwrap();
        for text in [long.as_bytes(), b"", b"low", b"lo\xFFw 1\xE2\x82 2", &long.as_bytes()[..70]] {
            let (mut expected, mut room, mut found) = (Vec::new(), Vec::new(), Vec::new());
            splitter.append_ends(text, 0, &mut expected).unwrap();
            assert_eq!(ends(&splitter, text), expected, "{pattern:?}");
            let take = |ends: &[usize]| {
                assert!(!ends.is_empty() && ends.len() <= 2 * BATCH);
                found.extend_from_slice(ends);
                Ok(())
            };
            splitter.for_each_batch(text, &mut room, take).unwrap();
            assert_eq!(found, expected, "{pattern:?}");
        }
        let stop = |_: &[usize]| Err(crate::Error::Stopped);
        let stopped = splitter.for_each_batch(long.as_bytes(), &mut Vec::new(), stop);
        assert_eq!(stopped.unwrap_err(), crate::Error::Stopped);
    }
}
