/*!
The scores of pieces as a list of merges, where one exists that gives the same pieces of every text.

Let a piece be made somewhere in a text by merging two symbols. All merges before that, within its part of the text,
were those that merging this part alone makes, in the same order: the best candidate of the part is taken whenever
anything of the part is taken, and a merge across its edges would have left no such piece. So the two symbols are
what the last merge of the piece alone joins, and **each piece has one pair**. It is found by merging every piece
alone, the shorter ones first.

```text
▁t he    ->  ▁the         the piece "▁the" alone ends with this merge, so no other pair ever makes it
```

A list orders pairs, and scores order pieces: with one pair for each piece the two are the same, if no two pieces
have the same score. Published models have one exception. The runs of `▁` all have the lowest score, and of equal
scores the leftmost place comes first: a run grows from the left, as long as what it grows to is a piece. A list says
the same if the pair of two single characters comes last: [`runs`] makes it, and checks it against the scores.

No list is made, and the plain rules run, if other pieces have equal scores, if there are unused pieces, or if a
piece has a character that is no piece.
*/

use std::collections::{HashMap, HashSet};

use crate::error::Result;
use crate::interrupt;
use crate::model::{MAX_MERGES, PieceKind, PieceModel, PieceRule};
use crate::types::{Pair, TokenId};
use crate::vocab::Vocab;

/// Pieces of more characters get no list: merging one alone takes quadratic time.
const LONGEST: usize = 256;

/// Longer runs of one character get no list: the check takes cubic time.
const LONGEST_RUN: usize = 64;

/// Runs are checked up to this many times the longest.
const CHECKED: usize = 4;

/// The rank of each pair, and what it makes.
type Pairs = HashMap<Pair, (u32, TokenId)>;

/// The merges, if there is such a list.
pub(super) fn listed(vocab: &Vocab, pieces: &PieceModel) -> Result<Option<Vec<Pair>>> {
    let PieceRule::Merge(ranks) = &pieces.rule else { return Ok(None) };
    let kind = |id: TokenId| pieces.kinds[id as usize];
    if vocab.iter().any(|(id, _)| kind(id) == PieceKind::Unused) || vocab.len() > MAX_MERGES {
        return Ok(None);
    }
    let normal = |token: &[u8]| vocab.id_of(token).filter(|&id| kind(id) == PieceKind::Normal);
    let mut longer: Vec<(TokenId, Vec<TokenId>)> = Vec::new();
    for (id, token) in vocab.iter().filter(|&(id, _)| kind(id) == PieceKind::Normal) {
        let Ok(text) = std::str::from_utf8(token) else { return Ok(None) };
        let ids = text.char_indices().map(|(at, c)| normal(&token[at..at + c.len_utf8()]));
        match ids.collect::<Option<Vec<_>>>() {
            Some(ids) if ids.len() == 1 => {}
            Some(ids) if ids.len() <= LONGEST => longer.push((id, ids)),
            _ => return Ok(None),
        }
    }
    longer.sort_by_key(|(_, characters)| characters.len());
    let mut pairs: Pairs = HashMap::with_capacity(longer.len());
    for (id, characters) in &longer {
        interrupt::worked(characters.len() * characters.len())?;
        let rank = ranks[*id as usize];
        let characters = characters.clone();
        if let [left, right] = merged(characters, &pairs)[..] {
            pairs.insert((left, right), (rank, *id));
        }
    }
    Ok(in_order(vocab, pairs))
}

/// The tokens that are left when all pairs are merged.
fn merged(mut tokens: Vec<TokenId>, pairs: &Pairs) -> Vec<TokenId> {
    loop {
        let two = tokens.windows(2).enumerate();
        let known = two.filter_map(|(at, two)| {
            let &(rank, made) = pairs.get(&(two[0], two[1]))?;
            Some((rank, at, made))
        });
        let Some((_, at, made)) = known.min() else { return tokens };
        tokens[at] = made;
        tokens.remove(at + 1);
    }
}

/// The pairs by rank; none if two have the same rank and are not runs of one character.
fn in_order(vocab: &Vocab, pairs: Pairs) -> Option<Vec<Pair>> {
    let mut sorted: Vec<(u32, Pair, TokenId)> =
        pairs.iter().map(|(&pair, &(rank, made))| (rank, pair, made)).collect();
    sorted.sort_unstable();
    let first = sorted.chunk_by(|a, b| a.0 == b.0).position(|alike| alike.len() > 1);
    let Some(first) = first else { return Some(sorted.iter().map(|entry| entry.1).collect()) };
    // All ranks before that have one pair each.
    let (before, alike) = sorted.split_at(first);
    let made: HashSet<TokenId> = alike.iter().map(|entry| entry.2).collect();
    let is_apart = |(left, right): Pair| !made.contains(&left) && !made.contains(&right);
    let apart = before.iter().all(|entry| is_apart(entry.1));
    let last = alike.last()?.0 == alike.first()?.0;
    let runs = if last && apart { runs(vocab, alike)? } else { return None };
    Some(before.iter().map(|entry| entry.1).chain(runs).collect())
}

/// The pairs of runs of one character that all have the same rank.
fn runs(vocab: &Vocab, alike: &[(u32, Pair, TokenId)]) -> Option<Vec<Pair>> {
    let text = |id: TokenId| std::str::from_utf8(vocab.bytes_of(id)?).ok();
    let character = text(alike.first()?.2)?.chars().next()?;
    let one = vocab.id_of(character.encode_utf8(&mut [0; 4]).as_bytes())?;
    // The token of each length.
    let mut by_length: Vec<Option<TokenId>> = vec![None, Some(one)];
    for &(_, _, id) in alike {
        let text = text(id)?;
        let length = text.chars().count();
        if text.chars().any(|c| c != character) || length > LONGEST_RUN {
            return None;
        }
        by_length.resize(by_length.len().max(length + 1), None);
        by_length[length] = Some(id);
    }
    let longest = by_length.len() - 1;
    let token = |length: usize| by_length.get(length).copied().flatten();
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    leftmost(CHECKED * longest, token, |left, right| {
        if !pairs.contains(&(left, right)) {
            pairs.push((left, right));
        }
    });
    // Growing the run at the left comes before starting a new one, and a run that is taken in whole comes first.
    pairs.sort_by_key(|&(left, right)| (std::cmp::Reverse(right.min(left)), right == left, left));
    let made = pairs.iter().zip(0..).map(|(&(left, right), rank)| {
        Some(((token(left)?, token(right)?), (rank, token(left + right)?)))
    });
    let table: Pairs = made.collect::<Option<_>>()?;
    let same = (0..=CHECKED * longest).all(|length| {
        let lengths = leftmost(length, token, |_, _| {});
        let expected: Option<Vec<TokenId>> = lengths.into_iter().map(token).collect();
        expected == Some(merged(vec![one; length], &table))
    });
    let listed = pairs.iter().map(|&(left, right)| Some((token(left)?, token(right)?)));
    if same { listed.collect() } else { None }
}

/// The lengths of the runs that so many characters become, if the leftmost two that make a token merge first.
fn leftmost(
    length: usize,
    token: impl Fn(usize) -> Option<TokenId>,
    mut merge: impl FnMut(usize, usize),
) -> Vec<usize> {
    let mut lengths = vec![1; length];
    while let Some(at) = lengths.windows(2).position(|two| token(two[0] + two[1]).is_some()) {
        merge(lengths[at], lengths[at + 1]);
        lengths[at] += lengths.remove(at + 1);
    }
    lengths
}
