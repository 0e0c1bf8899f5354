//! The definition, word for word: all pairs are counted anew before every merge.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};

use super::super::*;
use crate::vocab::MAX_TOKEN_BYTES;

/// What `train` must learn. Adds the new tokens to `vocab`.
pub(super) fn train(
    words: &TrainingWords,
    vocab: &mut Vocab,
    rules: &MergeRules,
) -> (Vec<LearnedMerge>, Stop) {
    let mut pieces: Vec<(Vec<TokenId>, Count)> =
        words.iter().map(|(tokens, count)| (tokens.to_vec(), count)).collect();
    let mut lengths = rules.lengths.clone();
    if lengths.is_empty() {
        lengths = (0..vocab.id_limit())
            .map(|id| vocab.bytes_of(id).unwrap_or_default().len() as u32)
            .collect();
    }
    let (mut merges, mut listed, mut next) = (Vec::new(), HashSet::new(), rules.next);
    listed.extend(&rules.listed);
    loop {
        if merges.len() >= rules.merges || (next - rules.next) as usize >= rules.tokens {
            return (merges, Stop::Full);
        }
        let mut counts: BTreeMap<Pair, Count> = BTreeMap::new();
        let mut totals: BTreeMap<TokenId, u128> = BTreeMap::new();
        for (tokens, count) in &pieces {
            for token in tokens {
                *totals.entry(*token).or_default() += u128::from(*count);
            }
            for two in tokens.windows(2) {
                *counts.entry((two[0], two[1])).or_default() += count;
            }
        }
        let length =
            |(left, right): Pair| (lengths[left as usize] + lengths[right as usize]) as usize;
        let bytes = |id| vocab.bytes_of(id).unwrap();
        counts.retain(|&pair, &mut count| {
            count > 0
                && bytes(pair.0).len() + bytes(pair.1).len() <= MAX_TOKEN_BYTES
                && rules.max_length.is_none_or(|most| length(pair) <= most)
                && !rules.forbidden.contains(&joined(pair, vocab, rules))
        });
        let any = !counts.is_empty();
        if rules.score == Score::Likelihood {
            counts.retain(|_, count| *count >= rules.min_count);
        }
        let likelier = |&(a, n): &(&Pair, &Count), &(b, m): &(&Pair, &Count)| {
            let below = |pair: &Pair| totals[&pair.0] * totals[&pair.1];
            let (left, right) = (u128::from(*n) * below(b), u128::from(*m) * below(a));
            left.cmp(&right).then(n.cmp(m)).then(b.cmp(a))
        };
        let best = match rules.ties {
            _ if rules.score == Score::Likelihood => counts.iter().max_by(likelier),
            Ties::Greatest => counts.iter().max_by_key(|&(&(a, b), &n)| (n, bytes(a), bytes(b))),
            Ties::SmallestIds => counts.iter().max_by_key(|&(&pair, &n)| (n, Reverse(pair))),
        };
        let Some((&pair, &count)) = best else {
            return (merges, if any { Stop::MinCount } else { Stop::NoPair });
        };
        if count < rules.min_count {
            return (merges, Stop::MinCount);
        }
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
        for (tokens, count) in &mut pieces {
            let before = tokens.len();
            *tokens = merged(tokens, pair, token);
            saved += (before - tokens.len()) as Count * *count;
        }
        if listed.insert(pair) {
            merges.push(LearnedMerge { pair, token, count, saved });
        }
    }
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
