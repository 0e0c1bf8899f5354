/*!
Counts: a file of counts, or a recipe for pieces and texts.

A file that is read must give the same bytes when it is written. A recipe is compared with a map that
is sorted: adding, saving, loading, pruning, and counting a text on several threads.
*/

use std::collections::BTreeMap;
use std::num::NonZeroUsize;

use subword_core::count_corpus::{CountSettings, count_texts};
use subword_core::pretok::Splitter;
use subword_core::{Count, Counts, SpecialToken};

use crate::input::Input;
use crate::models;
use crate::plain::parts;

/// What each file begins with.
const MAGIC: &[u8] = b"subword counts\n";

/// Checks one input.
pub fn check(data: &[u8]) {
    if data.starts_with(MAGIC) {
        return file(data);
    }
    let mut input = Input(data);
    if input.flag() { pieces(&mut input) } else { text(&mut input) }
}

/// The bytes are a file.
fn file(data: &[u8]) {
    let Ok(mut counts) = Counts::from_bytes(data) else { return };
    let bytes = counts.to_bytes().expect("counts in memory can be written");
    let again = Counts::from_bytes(&bytes).expect("what was written can be read");
    assert!(again.is_equal(&counts).expect("both are in memory"));
    assert_eq!(again.to_bytes().expect("counts in memory can be written"), bytes);
    let mut total = 0;
    counts
        .for_each_sorted(|piece, count| {
            assert_eq!(counts.get(piece), Ok(count));
            total += count;
            Ok(())
        })
        .expect("nothing stops the walk");
    assert_eq!(total, counts.total());
    let twice = counts.clone();
    if counts.add(&twice).is_ok() {
        assert_eq!((counts.len(), counts.total()), (twice.len(), 2 * twice.total()));
    }
}

/// Pieces one by one.
fn pieces(input: &mut Input) {
    let (normalizer, pattern) = (models::normalizer(input), models::pattern(input));
    let special: Vec<String> = (0..input.below(3)).map(|_| input.string(3)).collect();
    let mut counts = Counts::of_normalized(normalizer, pattern, special);
    let mut expected: BTreeMap<Vec<u8>, Count> = BTreeMap::new();
    let (least, damaged, bit) = (Count::from(input.byte()), input.byte(), input.below(8));
    while !input.0.is_empty() {
        let count = Count::from(input.byte()) << input.below(50);
        let len = 1 + input.below(40);
        let piece: Vec<u8> =
            if input.flag() { vec![b'a'; len] } else { (0..len).map(|_| input.byte()).collect() };
        counts.add_piece(&piece, count).expect("the sum is small");
        if count > 0 {
            *expected.entry(piece).or_default() += count;
        }
    }
    same(&counts, &expected);
    let bytes = counts.to_bytes().expect("counts in memory can be written");
    let again = Counts::from_bytes(&bytes).expect("what was written can be read");
    same(&again, &expected);
    assert_eq!((again.pattern(), again.normalizer()), (counts.pattern(), counts.normalizer()));
    assert_eq!(again.special_tokens(), counts.special_tokens());
    let mut wrong = bytes.clone();
    let at = wrong.len() * usize::from(damaged) / 256;
    wrong[at] ^= 1 << bit;
    if let Ok(wrong) = Counts::from_bytes(&wrong) {
        assert!(!wrong.is_equal(&counts).expect("both are in memory"), "byte {at} means nothing");
    }
    assert!(Counts::from_bytes(&bytes[..at]).is_err(), "a file that was cut off at {at}");
    let mut most = counts.most_common(3).expect("counts in memory");
    most.sort();
    assert!(most.iter().all(|(piece, count)| expected.get(piece) == Some(count)));
    counts.add(&again).expect("they were made alike");
    counts.prune(2 * least).expect("counts in memory");
    expected.values_mut().for_each(|count| *count *= 2);
    expected.retain(|_, count| *count >= 2 * least);
    same(&counts, &expected);
}

/// The pieces of a text, each as often as it occurs.
fn text(input: &mut Input) {
    let (normalizer, pattern) = (models::normalizer(input), models::pattern(input));
    let special: Vec<String> = (0..input.below(4)).map(|_| input.string(3)).collect();
    let (threads, times) = (1 + input.below(3), 1 + input.below(3));
    let words: Vec<Vec<u8>> = special.iter().map(|token| token.clone().into_bytes()).collect();
    let text = String::from_utf8_lossy(&input.text(&words, 400)).into_owned();
    let Ok(splitter) = Splitter::new(&pattern) else { return };
    let tokens = special.iter().map(|token| (SpecialToken::new(token.clone(), 0), true));
    let tokens: Vec<_> = tokens.collect();
    let mut expected: BTreeMap<Vec<u8>, Count> = BTreeMap::new();
    for (part, special) in parts(&tokens, text.as_bytes()) {
        if special.is_some() {
            continue;
        }
        let normal = normalizer.apply(part);
        let (mut ends, mut start) = (Vec::new(), 0);
        if splitter.append_ends(&normal, 0, &mut ends).is_err() {
            return;
        }
        for end in ends {
            *expected.entry(normal[start..end].to_vec()).or_default() += times as Count;
            start = end;
        }
    }
    let settings = CountSettings {
        normalizer,
        special_tokens: special,
        threads: NonZeroUsize::new(threads),
        ..CountSettings::new(pattern)
    };
    let feed = |feeder: &mut subword_core::count_corpus::Feeder<'_, '_>| {
        (0..times).try_for_each(|_| feeder.push(text.as_bytes()))
    };
    let counts = count_texts(&settings, |_| Ok(()), feed).expect("the pattern did not give up");
    same(&counts, &expected);
}

fn same(counts: &Counts, expected: &BTreeMap<Vec<u8>, Count>) {
    let mut found = BTreeMap::new();
    let entry = |piece: &[u8], count| {
        assert!(found.insert(piece.to_vec(), count).is_none(), "a piece is there twice");
        Ok(())
    };
    counts.for_each_sorted(entry).expect("nothing stops the walk");
    assert_eq!(&found, expected);
    assert_eq!((counts.len(), counts.total()), (expected.len(), expected.values().sum()));
}
