//! The definition, word for word: all pairs are counted anew before every merge.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};

use super::super::*;
use crate::vocab::MAX_TOKEN_BYTES;

/// A piece: its source, its tokens, and how often it occurs.
type Piece = (usize, Vec<TokenId>, Count);

/// What `train` must learn: the merges, why there are no more, and the source that each helped. Adds the new tokens to
/// `vocab`.
pub(super) fn train(
    words: &TrainingWords,
    vocab: &mut Vocab,
    rules: &MergeRules,
) -> (Vec<LearnedMerge>, Stop, Vec<u32>) {
    let ranges = words.sources();
    let source = |at: usize| ranges.iter().position(|range| range.contains(&at)).unwrap();
    let piece = |(at, (tokens, count)): (usize, (&[TokenId], Count))| {
        (if rules.sizes.is_empty() { 0 } else { source(at) }, tokens.to_vec(), count)
    };
    let mut pieces: Vec<Piece> = words.iter().enumerate().map(piece).collect();
    let mut lengths = rules.lengths.clone();
    if lengths.is_empty() {
        lengths = (0..vocab.id_limit())
            .map(|id| vocab.bytes_of(id).unwrap_or_default().len() as u32)
            .collect();
    }
    let (mut merges, mut listed, mut next) = (Vec::new(), HashSet::new(), rules.next);
    let mut helped = Vec::new();
    listed.extend(&rules.listed);
    loop {
        if merges.len() >= rules.merges || (next - rules.next) as usize >= rules.tokens {
            return (merges, Stop::Full, helped);
        }
        let (mut best, mut any) = (None, false);
        for source in worst_first(&pieces, &rules.sizes) {
            let counts = pairs(&pieces, source, vocab, rules, &lengths);
            any |= !counts.is_empty();
            let found = first(&counts, &pieces, vocab, rules);
            if best.is_none() {
                best = found.filter(|pair| counts[pair] >= rules.min_count).map(|it| (it, source));
            }
        }
        let Some((pair, source)) = best else {
            return (merges, if any { Stop::MinCount } else { Stop::NoPair }, helped);
        };
        let length =
            |(left, right): Pair| (lengths[left as usize] + lengths[right as usize]) as usize;
        let here =
            |tokens: &[TokenId]| tokens.windows(2).filter(|two| **two == [pair.0, pair.1]).count();
        let count = pieces.iter().map(|(_, tokens, count)| here(tokens) as Count * count).sum();
        let joined = joined(pair, vocab, rules);
        let token = vocab.id_of(&joined).unwrap_or_else(|| {
            vocab.insert(next, &joined).unwrap();
            next += 1;
            next - 1
        });
        let length = match joined.strip_prefix(&*rules.prefix) {
            Some(text) if !text.is_empty() && !rules.prefix.is_empty() => text.len() as u32,
            _ => length(pair) as u32,
        };
        lengths.resize(lengths.len().max(token as usize + 1), 0);
        lengths[token as usize] = length;
        let mut saved = 0;
        for (_, tokens, count) in &mut pieces {
            let before = tokens.len();
            *tokens = merged(tokens, pair, token);
            saved += (before - tokens.len()) as Count * *count;
        }
        if listed.insert(pair) {
            merges.push(LearnedMerge { pair, token, count, saved });
            helped.extend((!rules.sizes.is_empty()).then_some(source as u32));
        }
    }
}

/// The sources by falling number of tokens for their size; of equals the first one first.
fn worst_first(pieces: &[Piece], sizes: &[u64]) -> Vec<usize> {
    let mut tokens = vec![0; sizes.len().max(1)];
    pieces
        .iter()
        .for_each(|(source, piece, count)| tokens[*source] += piece.len() as Count * count);
    let mut order: Vec<usize> = (0..tokens.len()).collect();
    let rate = |a: usize, b: usize| u128::from(tokens[a]) * u128::from(sizes[b]);
    order.sort_by(|&a, &b| rate(b, a).cmp(&rate(a, b)));
    order
}

/// How often each pair that may merge stands in a source.
fn pairs(
    pieces: &[Piece],
    source: usize,
    vocab: &Vocab,
    rules: &MergeRules,
    lengths: &[u32],
) -> BTreeMap<Pair, Count> {
    let mut counts: BTreeMap<Pair, Count> = BTreeMap::new();
    for (_, tokens, count) in pieces.iter().filter(|piece| piece.0 == source) {
        for two in tokens.windows(2) {
            *counts.entry((two[0], two[1])).or_default() += count;
        }
    }
    let bytes = |id| vocab.bytes_of(id).unwrap();
    counts.retain(|&pair, &mut count| {
        let length = (lengths[pair.0 as usize] + lengths[pair.1 as usize]) as usize;
        count > 0
            && bytes(pair.0).len() + bytes(pair.1).len() <= MAX_TOKEN_BYTES
            && rules.max_length.is_none_or(|most| length <= most)
            && !rules.forbidden.contains(&joined(pair, vocab, rules))
            && !rules.apart.is_some_and(|apart| apart(bytes(pair.0), bytes(pair.1)))
    });
    counts
}

/// The pair that is merged first.
fn first(
    counts: &BTreeMap<Pair, Count>,
    pieces: &[Piece],
    vocab: &Vocab,
    rules: &MergeRules,
) -> Option<Pair> {
    let bytes = |id| vocab.bytes_of(id).unwrap();
    let mut totals: BTreeMap<TokenId, u128> = BTreeMap::new();
    for (_, tokens, count) in pieces {
        for token in tokens {
            *totals.entry(*token).or_default() += u128::from(*count);
        }
    }
    let likelier = |&(a, n): &(&Pair, &Count), &(b, m): &(&Pair, &Count)| {
        let below = |pair: &Pair| totals[&pair.0] * totals[&pair.1];
        let (left, right) = (u128::from(*n) * below(b), u128::from(*m) * below(a));
        left.cmp(&right).then(n.cmp(m)).then(b.cmp(a))
    };
    let enough = |(_, n): &(&Pair, &Count)| **n >= rules.min_count;
    let best = match rules.ties {
        _ if rules.score == Score::Likelihood => counts.iter().filter(enough).max_by(likelier),
        Ties::Greatest => counts.iter().max_by_key(|&(&(a, b), &n)| (n, bytes(a), bytes(b))),
        Ties::SmallestIds => counts.iter().max_by_key(|&(&pair, &n)| (n, Reverse(pair))),
    };
    best.map(|(&pair, _)| pair)
}

fn merged(tokens: &[TokenId], pair: Pair, token: TokenId) -> Vec<TokenId> {
    let (mut new, mut at) = (Vec::with_capacity(tokens.len()), 0);
    while at < tokens.len() {
        let here = tokens[at..].starts_with(&[pair.0, pair.1]);
        new.push(if here { token } else { tokens[at] });
        at += if here { 2 } else { 1 };
    }
    new
}

fn joined(pair: Pair, vocab: &Vocab, rules: &MergeRules) -> Vec<u8> {
    let [left, right] = [pair.0, pair.1].map(|id| vocab.bytes_of(id).unwrap());
    [left, right.strip_prefix(&*rules.prefix).unwrap_or(right)].concat()
}
