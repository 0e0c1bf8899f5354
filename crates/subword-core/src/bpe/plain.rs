/*!
Merging by the vocabulary alone, for the first pieces after loading.

With token ranks two neighbours merge if their concatenation is a token, and the id of that token is the rank. So a
look-up in the vocabulary gives the same answer as one in the table of pairs, only more slowly. Building the table
takes longer than the rest of loading, and a program that encodes a few sentences never gets that time back. So the
table is built only after some pieces were merged this way (`PLAIN_COST`). Measured 2026-11-18, AVX-512: loading cl100k
or o200k and encoding one sentence takes three to four times as long if the table is built at once.
*/

use super::NO_RANK;
use crate::types::TokenId;
use crate::vocab::Vocab;

/// Appends the ids of a piece, all of whose bytes are tokens.
pub(super) fn merge(vocab: &Vocab, piece: &[u8], ids: &mut Vec<TokenId>) {
    // Where each token starts, and the rank of that token and the next.
    let mut tokens: Vec<(usize, u32)> = (0..=piece.len()).map(|at| (at, NO_RANK)).collect();
    let rank = |tokens: &[(usize, u32)], at: usize| match tokens.get(at + 2) {
        Some(&(end, _)) => vocab.id_of(&piece[tokens[at].0..end]).unwrap_or(NO_RANK),
        None => NO_RANK,
    };
    for at in 0..piece.len() {
        tokens[at].1 = rank(&tokens, at);
    }
    while let Some((at, &(_, least))) = tokens.iter().enumerate().min_by_key(|(_, token)| token.1) {
        if least == NO_RANK {
            break;
        }
        tokens.remove(at + 1);
        for at in [at.saturating_sub(1), at] {
            tokens[at].1 = rank(&tokens, at);
        }
    }
    let token = |two: &[(usize, u32)]| vocab.id_of(&piece[two[0].0..two[1].0]);
    ids.extend(tokens.windows(2).filter_map(token));
}

/// About how long merging a piece of this many bytes takes: its look-ups, and the scans for the lowest rank.
pub(super) fn cost(piece: usize) -> usize {
    piece.saturating_mul(1 + piece / 32)
}
