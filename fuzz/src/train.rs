/*!
Training: random counts and settings, against a trainer that counts all pairs anew before each merge.
*/

use std::cmp::Reverse;
use std::collections::BTreeMap;

use subword_core::pretok::Named;
use subword_core::trainer::{Alphabet, BpeSettings, TargetSize, Ties, TrainingStart, train_bpe};
use subword_core::{Count, Counts, Pattern};

use crate::input::{Input, UNITS};

/// A piece as its tokens, and how often it occurs.
type Piece = (Vec<Vec<u8>>, Count);

/// Checks one input.
pub fn check(data: &[u8]) {
    let mut input = Input(data);
    let characters = input.flag();
    let merges = input.below(40);
    let settings = BpeSettings {
        start: if characters {
            TrainingStart::Characters(Alphabet::All)
        } else {
            TrainingStart::Bytes
        },
        ties: input.pick(&[Ties::Greatest, Ties::SmallestIds]),
        min_count: Count::from(input.byte() % 8),
        max_token_length: input.one_in(4).then(|| 1 + input.below(8)),
        ..BpeSettings::new(TargetSize::Merges(merges))
    };
    let mut counts = Counts::new(Pattern::Named(Named::None), Vec::new());
    let mut entries: BTreeMap<String, Count> = BTreeMap::new();
    while !input.0.is_empty() && entries.len() < 60 {
        let count = Count::from(1 + input.byte() % 16);
        // Few units, so that pairs come again; some pieces are one unit again and again.
        let few = input.pick(&[2, 3, 8, UNITS.len()]);
        let len = 1 + input.below(24);
        let piece: String = (0..len).map(|_| UNITS[input.below(few)]).collect();
        counts.add_piece(piece.as_bytes(), count).expect("the sum is small");
        *entries.entry(piece).or_default() += count;
    }
    if entries.is_empty() {
        return;
    }
    let trained = train_bpe(&counts, &settings, &mut |_, _| Ok(())).expect("pieces to learn from");
    let units = |piece: &str| -> Vec<Vec<u8>> {
        if characters {
            piece.chars().map(|c| c.to_string().into_bytes()).collect()
        } else {
            piece.bytes().map(|byte| vec![byte]).collect()
        }
    };
    let pieces = entries.iter().map(|(piece, &count)| (units(piece), count)).collect();
    let expected = plainly(pieces, merges, &settings, characters);
    let vocab = &trained.model.vocab;
    let bytes = |id| vocab.bytes_of(id).expect("a token of the vocabulary").to_vec();
    let found: Vec<_> = trained
        .learned
        .merges
        .iter()
        .map(|merge| (bytes(merge.pair.0), bytes(merge.pair.1), merge.count))
        .collect();
    assert_eq!(found, expected, "{settings:?} {entries:?}");
}

/// The merges and how often each pair occurred.
fn plainly(
    mut pieces: Vec<Piece>,
    merges: usize,
    settings: &BpeSettings<'_>,
    characters: bool,
) -> Vec<(Vec<u8>, Vec<u8>, Count)> {
    let mut ids: BTreeMap<Vec<u8>, usize> = BTreeMap::new();
    if characters {
        let mut all: Vec<_> = pieces.iter().flat_map(|(tokens, _)| tokens).cloned().collect();
        all.sort();
        all.dedup();
        ids.extend(all.into_iter().zip(0..));
    } else {
        ids.extend((0..=255u8).map(|byte| (vec![byte], usize::from(byte))));
    }
    let length = |token: &[u8]| {
        if characters { String::from_utf8_lossy(token).chars().count() } else { token.len() }
    };
    let mut learned = Vec::new();
    while learned.len() < merges {
        let mut counts: BTreeMap<(&[u8], &[u8]), Count> = BTreeMap::new();
        for (tokens, count) in &pieces {
            for two in tokens.windows(2) {
                *counts.entry((&two[0], &two[1])).or_default() += count;
            }
        }
        let fits = |pair: &(&[u8], &[u8])| {
            settings.max_token_length.is_none_or(|most| length(pair.0) + length(pair.1) <= most)
        };
        let pairs = counts.into_iter().filter(|(pair, _)| fits(pair));
        let best = match settings.ties {
            Ties::Greatest => pairs.max_by_key(|&(pair, count)| (count, pair)),
            Ties::SmallestIds => pairs
                .max_by_key(|&((left, right), count)| (count, Reverse((ids[left], ids[right])))),
        };
        let Some(((left, right), count)) = best.filter(|best| best.1 >= settings.min_count) else {
            break;
        };
        let (left, right) = (left.to_vec(), right.to_vec());
        let token = [&left[..], &right[..]].concat();
        let next = ids.len();
        ids.entry(token.clone()).or_insert(next);
        for (tokens, _) in &mut pieces {
            let mut at = 0;
            while at + 1 < tokens.len() {
                if tokens[at] == left && tokens[at + 1] == right {
                    tokens[at] = token.clone();
                    tokens.remove(at + 1);
                }
                at += 1;
            }
        }
        learned.push((left, right, count));
    }
    learned
}
