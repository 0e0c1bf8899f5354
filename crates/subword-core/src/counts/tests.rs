//! Counts in memory: they add up, or are refused.

use super::*;
use crate::model::Named;

fn counts(pieces: &[(&str, Count)]) -> Counts {
    let mut counts = Counts::new(Pattern::Named(Named::Gpt2), vec!["<s>".into()]);
    pieces.iter().for_each(|(piece, count)| {
        counts.add_piece(piece.as_bytes(), *count).unwrap();
    });
    counts
}

fn content(counts: &Counts) -> Vec<(String, Count)> {
    let mut content = Vec::new();
    let entry = |piece: &[u8], count| {
        content.push((String::from_utf8(piece.to_vec()).unwrap(), count));
        Ok(())
    };
    counts.for_each(entry).unwrap();
    content.sort();
    content
}

#[test]
fn counts_add_up() {
    let mut one = counts(&[("low", 5), (" lower", 1 << 40)]);
    one.add(&counts(&[("low", 2), ("new", 1), ("never", 0)])).unwrap();
    let expected = [(" lower".to_owned(), 1 << 40), ("low".into(), 7), ("new".into(), 1)];
    assert_eq!(content(&one), expected);
    assert_eq!((one.len(), one.total()), (3, (1 << 40) + 8));
    one.prune(2).unwrap();
    assert_eq!(content(&one), expected[..2]);
    assert_eq!((one.len(), one.total()), (2, (1 << 40) + 7));
}

#[test]
fn what_is_not_made_alike_is_refused() {
    let mut one = counts(&[]);
    let special = Counts::new(Pattern::Named(Named::Gpt2), vec!["<t>".into()]);
    assert_eq!(
        one.add(&special).unwrap_err().to_string(),
        "the counts have different special tokens: [\"<s>\"] and [\"<t>\"]\n  \
         hint: counts add up only if they were counted alike: count one of them again"
    );
    let regexes = ["a", "b"].map(|regex| Pattern::Regex(regex.into()));
    let pattern = Counts::new(Pattern::Sequence(regexes.to_vec()), vec!["<s>".into()]);
    let other =
        Counts::of_normalized(Normalizer::Nfc, Pattern::Named(Named::Gpt2), vec!["<s>".into()]);
    let error = one.add(&other).unwrap_err().to_string();
    let expected = "the counts have different normalizers: \"none\" and \"nfc\"\n";
    assert!(error.starts_with(expected), "{error}");
    assert!(!one.is_equal(&other).unwrap());
    let error = one.add(&pattern).unwrap_err().to_string();
    let expected = "the counts have different patterns: \"gpt2\" and [\"a\", \"b\"]\n";
    assert!(error.starts_with(expected), "{error}");
}

#[test]
fn a_count_never_overflows() {
    let mut one = counts(&[("low", u64::MAX - 1)]);
    assert_eq!(one.add_piece(b"new", 1), Ok(()));
    let error = one.add_piece(b"new", 1).unwrap_err();
    assert_eq!(error.to_string(), "the sum of the counts is over 2^64 - 1");
    assert_eq!(one.add(&counts(&[("low", 1)])), Err(error));
    assert_eq!((one.get(b"low"), one.total()), (Ok(u64::MAX - 1), u64::MAX));
    assert_eq!(one.add_piece(b"", 1).unwrap_err().to_string(), "a piece is empty");
}
