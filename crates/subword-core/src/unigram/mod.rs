/*!
Unigram: one piece to the tokens whose scores have the highest sum, and where they are in it.

```text
best[0] = 0
for each character, at `start`
    for each token that the piece has there, the shorter first
        best[end] = best[start] + its score, if that is more, or the first
    if no token is this character alone
        the same with unk, whose score is that of the lowest token minus 10
from the end back to the start: the tokens of the best sum
```

With `▁a` -1, `b` -2, `ab` -2.5, `▁` -3, the piece `▁ab` is `▁a b` (-3), not `▁ ab` (-5.5).

Neighbours that are unk are one. What they spell is looked up again: it is a token, or its bytes (`<0xE2>`) if the
model asks for that and all of them are tokens, or unk.

Invariants
* These are the ids of Hugging Face's library. Sums run from left to right in 64 bits, and of two equal sums the first
  counts: the one that starts further left.
* Of a SentencePiece model they are those of its library, version 0.2.2: sums have 32 bits. Where one is beyond
  100,000, it is taken off all sums further right, and they go on from there ([`Unigram::rebase`]). A user-defined piece
  of n bytes has the score 0.1 n - 0.1, unk the lowest of the normal pieces minus 10. What is unk is not looked up
  again, and each of its bytes has a place.
* Time grows with the length of the piece times that of the longest token.
*/

use std::collections::HashMap;
use std::ops::Range;
use std::str::CharIndices;

use crate::error::{Error, Result};
use crate::model::{PieceKind, PieceModel, Score, UnigramOptions};
use crate::trie::{ScoredTrie, Trie};
use crate::types::TokenId;
use crate::vocab::Vocab;
use crate::{interrupt, memory};

/// How much lower than the lowest score that of unk is.
const UNK_PENALTY: f64 = 10.0;

/// The score of a user-defined piece, for each of its bytes but the first.
const USER_DEFINED: f64 = 0.1;

/// Sums of 32 bits stay below this, positive or negative.
const FAR: f64 = 100_000.0;

/// How many characters ahead the trie is prefetched. PERF: a vocabulary of 250,000 tokens is larger than a cache.
const AHEAD: usize = 6;

/// No token ends here yet.
const NOWHERE: u32 = u32::MAX;

/// The id of unk, where a model has none.
const NO_UNK: TokenId = TokenId::MAX;

/// The best way to a place in a piece.
#[derive(Debug, Clone, Copy)]
struct Best {
    score: f64,
    /// Where its last token starts, and which one that is.
    start: u32,
    id: TokenId,
}

/// A first character: what the trie goes on from behind it, and its token, plus one, if it is one.
///
/// PERF: one load for what would be one for each byte.
#[derive(Debug, Clone, Copy)]
struct Start {
    base: u32,
    id: u32,
    score: f64,
}

/// The start of no token.
const NO_START: Start = Start { base: 0, id: 0, score: 0.0 };

/// A model, ready to encode.
#[derive(Debug)]
pub struct Unigram {
    trie: ScoredTrie,
    /// Where the walk goes on after each character of the first plane.
    starts: Vec<Start>,
    /// The same of the others, which are tokens or start some.
    others: HashMap<u32, Start>,
    unk: TokenId,
    unk_score: f64,
    /// The token of each byte, where there is one and bytes are asked for.
    bytes: Vec<Option<TokenId>>,
    rules: Rules,
    /// The length of the longest token, in bytes.
    longest: usize,
}

/// Whose rules decide where they differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Rules {
    HuggingFace,
    SentencePiece,
}

/// What a thread keeps between pieces.
#[derive(Debug, Default)]
pub struct UnigramScratch {
    best: Vec<Best>,
    path: Vec<(TokenId, u32)>,
}

impl Unigram {
    /// Prepares a model.
    pub fn new(vocab: &Vocab, options: &UnigramOptions) -> Unigram {
        let score = |id: TokenId| options.scores[id as usize].value();
        Unigram {
            unk: options.unk.unwrap_or(NO_UNK),
            unk_score: options.lowest() - UNK_PENALTY,
            bytes: if options.byte_fallback { byte_tokens(vocab) } else { Vec::new() },
            ..Unigram::of_tokens(vocab, score)
        }
    }

    /// Prepares a SentencePiece model with these scores.
    pub fn of_pieces(vocab: &Vocab, pieces: &PieceModel, scores: &[Score]) -> Result<Unigram> {
        let kinds = || pieces.kinds.iter().copied().enumerate();
        let normal = kinds().filter(|&(_, kind)| kind == PieceKind::Normal);
        let normal_scores = normal.map(|(id, _)| scores[id].value() as f32);
        let lowest = normal_scores.fold(f32::MAX, f32::min);
        let is_found = |id: TokenId, kind| pieces.kinds[id as usize] == kind;
        let found = vocab.iter().filter(|&(id, _)| {
            is_found(id, PieceKind::Normal) || is_found(id, PieceKind::UserDefined)
        });
        let score = |id: TokenId| match pieces.kinds[id as usize] {
            PieceKind::UserDefined => {
                let length = vocab.bytes_of(id).unwrap_or_default().len() as f64;
                in_32_bits(length * USER_DEFINED - USER_DEFINED)
            }
            _ => scores[id as usize].value(),
        };
        let unk = kinds().find(|&(_, kind)| kind == PieceKind::Unknown);
        Ok(Unigram {
            unk: unk.map_or(NO_UNK, |(id, _)| id as TokenId),
            unk_score: f64::from(lowest - UNK_PENALTY as f32),
            bytes: if pieces.settings.byte_fallback { byte_tokens(vocab) } else { Vec::new() },
            rules: Rules::SentencePiece,
            ..Unigram::of_tokens(&Vocab::new(found)?, score)
        })
    }

    /// A model of these tokens, without unk and bytes.
    fn of_tokens(vocab: &Vocab, score: impl Fn(TokenId) -> f64) -> Unigram {
        let trie = Trie::new(vocab, b"");
        let start = |code: u32| {
            let c = char::from_u32(code)?;
            let node = trie.node_of(c.encode_utf8(&mut [0; 4]).as_bytes())?;
            let id = trie.id(node);
            let (id, score) = id.map_or((0, 0.0), |id| (id + 1, score(id)));
            Some(Start { base: trie.base(node), id, score })
        };
        let wide =
            vocab.iter().filter(|(_, token)| token.first().is_some_and(|&byte| byte >= 0xF0));
        let others = wide.filter_map(|(_, token)| {
            let code = std::str::from_utf8(token).ok()?.chars().next()? as u32;
            Some((code, start(code)?))
        });
        Unigram {
            starts: (0..1 << 16).map(|code| start(code).unwrap_or(NO_START)).collect(),
            others: others.collect(),
            trie: ScoredTrie::new(&trie, score),
            unk: NO_UNK,
            unk_score: 0.0,
            bytes: Vec::new(),
            rules: Rules::HuggingFace,
            longest: vocab.iter().map(|(_, token)| token.len()).max().unwrap_or(0),
        }
    }

    /// Calls `each` with every token of a piece and where its text is. The bytes of one unk have all the same place.
    pub fn encode(
        &self,
        vocab: &Vocab,
        piece: &str,
        scratch: &mut UnigramScratch,
        mut each: impl FnMut(TokenId, Range<usize>) -> Result<()>,
    ) -> Result<()> {
        interrupt::worked(piece.len())?;
        match self.rules {
            Rules::HuggingFace => self.find_best::<false>(piece, scratch)?,
            Rules::SentencePiece => self.find_best::<true>(piece, scratch)?,
        }
        let UnigramScratch { best, path } = scratch;
        path.clear();
        let mut end = piece.len();
        while end > 0 {
            let Best { start, id, .. } = best[end];
            memory::extend(path, &[(id, end as u32)])?;
            end = start as usize;
        }
        let mut start = 0;
        while let Some((id, end)) = path.pop() {
            let mut end = end as usize;
            if id == self.unk {
                while let Some((_, later)) = path.pop_if(|next| next.0 == self.unk) {
                    end = later as usize;
                }
                self.unknown(vocab, piece, start..end, &mut each)?;
            } else {
                each(id, start..end)?;
            }
            start = end;
        }
        Ok(())
    }

    /// The best way to every place between two characters. `SINGLE`: sums have 32 bits.
    fn find_best<const SINGLE: bool>(
        &self,
        piece: &str,
        scratch: &mut UnigramScratch,
    ) -> Result<()> {
        let best = &mut scratch.best;
        best.clear();
        memory::fill_up(best, piece.len() + 1, Best { score: 0.0, start: NOWHERE, id: 0 })?;
        let mut ahead = piece.char_indices();
        (0..AHEAD).for_each(|_| self.prefetch(piece, &mut ahead));
        for (start, c) in piece.char_indices() {
            self.prefetch(piece, &mut ahead);
            let so_far = match best[start].score {
                far if SINGLE && far.abs() > FAR => self.rebase(best, start),
                near => near,
            };
            let mut reach = |end: usize, id: TokenId, score: f64| {
                let sum = if SINGLE { in_32_bits(score + so_far) } else { score + so_far };
                let to = &mut best[end];
                let better = to.start == NOWHERE || sum > to.score;
                if better {
                    *to = Best { score: sum, start: start as u32, id };
                }
                better
            };
            let after = start + c.len_utf8();
            let code = c as u32;
            let known = self.starts.get(code as usize).or_else(|| self.others.get(&code));
            let Start { base, id, score } = *known.unwrap_or(&NO_START);
            // The unk of a character comes after its tokens, but only the token of the character alone ends where it
            // does, and then there is none.
            match id.checked_sub(1) {
                Some(id) => drop(reach(after, id, score)),
                None if reach(after, self.unk, self.unk_score) && self.unk == NO_UNK => {
                    let message = format!("{c:?} has no token, and the model has no unk token");
                    return Err(Error::Text { message, position: 0 });
                }
                None => {}
            }
            self.trie.prefixes(base, &piece.as_bytes()[after..], |id, score, len| {
                reach(after + len, id, score);
            });
        }
        Ok(())
    }

    /// Takes the sum at a place off all sums further right, and off itself.
    #[cold]
    fn rebase(&self, best: &mut [Best], start: usize) -> f64 {
        let far = best[start].score;
        // No token ends further right yet.
        let pending = best[start..].iter_mut().take(1 + self.longest);
        pending
            .filter(|to| to.start != NOWHERE)
            .for_each(|to| to.score = in_32_bits(to.score - far));
        best[start].score = 0.0;
        0.0
    }

    /// Fetches what the walk from the next character reads first.
    #[inline(always)]
    fn prefetch(&self, piece: &str, ahead: &mut CharIndices) {
        if let Some((at, c)) = ahead.next()
            && let Some(start) = self.starts.get(c as usize)
            && let Some(&byte) = piece.as_bytes().get(at + c.len_utf8())
        {
            self.trie.prefetch(start.base, byte);
        }
    }

    /// A stretch of characters that are unk.
    fn unknown(
        &self,
        vocab: &Vocab,
        piece: &str,
        place: Range<usize>,
        each: &mut impl FnMut(TokenId, Range<usize>) -> Result<()>,
    ) -> Result<()> {
        let text = &piece.as_bytes()[place.clone()];
        let byte = |&byte: &u8| self.bytes.get(usize::from(byte)).copied().flatten();
        if self.rules == Rules::SentencePiece {
            let mut bytes = place.clone().zip(text.iter().filter_map(byte));
            return match self.bytes.is_empty() {
                true => each(self.unk, place),
                false => bytes.try_for_each(|(at, id)| each(id, at..at + 1)),
            };
        }
        if let Some(id) = vocab.id_of(text) {
            return each(id, place);
        }
        if text.iter().all(|text| byte(text).is_some()) {
            return text.iter().filter_map(byte).try_for_each(|id| each(id, place.clone()));
        }
        each(self.unk, place)
    }
}

/// A number as one of 32 bits.
fn in_32_bits(number: f64) -> f64 {
    f64::from(number as f32)
}

/// The token of each byte, where there is one.
fn byte_tokens(vocab: &Vocab) -> Vec<Option<TokenId>> {
    (0..=255u8).map(|byte| vocab.id_of(format!("<0x{byte:02X}>").as_bytes())).collect()
}

#[cfg(test)]
mod tests;
