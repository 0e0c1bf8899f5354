/*!
Merging by the vocabulary alone, for the first pieces after loading.

Under token ranks two neighbours merge if what they spell is a token, and its id is the rank. So a look at
the vocabulary answers what the table of pairs answers, only not as fast. To make that table takes more
time than all the rest of loading, and who encodes a sentence never gets it back: it is made when so much
has been merged in this way that it pays.
*/

use super::NO_RANK;
use crate::types::TokenId;
use crate::vocab::Vocab;

/// Appends the ids of a piece. It has no missing byte.
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

/// About how long that takes: look-ups, and steps of the search for the least.
pub(super) fn cost(piece: usize) -> usize {
    piece.saturating_mul(1 + piece / 32)
}
