//! Random rules and random expressions against the engine.

use super::*;
use crate::pretok::rules::{Contractions, Digits, Marks, Tail, Words};

fn random_rules(random: &mut Random) -> Rules {
    loop {
        let words = [Words::AfterSpace, Words::AfterAny, Words::AfterAnyByCase][random.below(3)];
        let digits = [Digits::AfterSpace, Digits::Any, Digits::UpTo(1 + random.below(3) as u8)];
        let digits = digits[random.below(3)];
        let rules = Rules {
            words,
            digits,
            digits_first: digits != Digits::AfterSpace && random.below(3) == 0,
            newer_digits: random.below(4) == 0,
            marks: [Marks::Symbols, Marks::Words, Marks::Both][random.below(3)],
            tail: [Tail::None, Tail::Newlines, Tail::NewlinesAndSlashes][random.below(3)],
            contractions: [Contractions::None, Contractions::Exact, Contractions::AnyCase]
                [random.below(3)],
            han_apart: random.below(4) == 0,
            space_to_end: random.below(4) == 0,
        };
        if rules.have_blocks() {
            return rules;
        }
    }
}

#[test]
fn random_rules_are_recognised_and_equal_the_engine() {
    let mut random = Random(77);
    for round in 0..60 {
        let rules = random_rules(&mut random);
        let regexes = rules.regexes();
        let regexes: Vec<&str> = regexes.iter().map(String::as_str).collect();
        let compiled = Compiled::new(&regexes).unwrap();
        assert_eq!(compiled.rules, Some(rules), "{regexes:?}");
        check_on_random_texts(&format!("{rules:?}"), &regexes, 150, round);
    }
}

/// A random expression of sets, repetitions, alternatives and look-ahead.
fn random_regex(random: &mut Random, depth: usize) -> String {
    let sets = [
        r"\p{L}",
        r"\s",
        r"\p{N}",
        "[a-zé]",
        "[^s ]",
        r"[\p{L}&&[^a]]",
        "'",
        "(?i:l)",
        "s",
        " ",
        r"[\r\n]",
        "!",
    ];
    let set = sets[random.below(sets.len())];
    match random.below(if depth == 0 { 3 } else { 7 }) {
        0 => set.to_owned(),
        1 => format!(
            "{set}{}",
            ["+", "*", "?", "{1,2}", "++", "?+", "{1,3}+", "+?"][random.below(8)]
        ),
        2 => format!("{set}(?{}{})", ["!", "="][random.below(2)], sets[random.below(sets.len())]),
        3 => format!("(?:{}|{})", random_regex(random, depth - 1), random_regex(random, depth - 1)),
        4 => format!("{}{}", random_regex(random, depth - 1), random_regex(random, depth - 1)),
        _ => format!("{}|{}", random_regex(random, depth - 1), random_regex(random, depth - 1)),
    }
}

#[test]
fn random_expressions_equal_the_engine() {
    let mut random = Random(2026);
    let mut count = 0;
    while count < 300 {
        let mut regexes = vec![random_regex(&mut random, 3)];
        if random.below(4) == 0 {
            regexes.insert(
                0,
                [r"\p{N}{1,3}", "[a-s]+", r"[\r\n ]", r"\p{L}{1,2}+"][random.below(4)].to_owned(),
            );
        }
        let regexes: Vec<&str> = regexes.iter().map(String::as_str).collect();
        let Ok(compiled) = Compiled::new(&regexes) else { continue };
        count += 1;
        let all = [Splitter {
            kind: crate::pretok::Kind::Scanner(Scanner::Compiled(compiled.into())),
            level: Level::SCALAR,
        }];
        let regex = Splitter::by_regexes(&regexes).unwrap();
        for _ in 0..60 {
            let length = random.below(20);
            let text = random_text(&mut random, length, 3);
            assert_equal(&format!("{regexes:?}"), &all, &regex, &text);
            check_cuts(&all[0], &text);
        }
    }
}
