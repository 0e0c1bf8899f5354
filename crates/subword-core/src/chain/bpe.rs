/*!
BPE with all options of Hugging Face's library: one piece to tokens and their lengths.

```text
first tokens   each character that is a token, with the prefix unless it is the first and with the suffix if it is
               the last; else its bytes, if all of them have a token; else unk; else nothing
merges         the pair of lowest rank, of equals the leftmost, until no pair has a rank
```

Three properties of the library are kept, because ids depend on them:
* An unknown character waits until the next character that is a token, or the end. Bytes that follow it come out
  before it.
* A pair that is listed twice has its last rank.
* A candidate in the queue that names a pair which is no longer there counts if the pair that is there now makes the
  same token.

A heap and a linked list, as in [`crate::bpe`], make it near-linear: a piece may be a whole text.
*/

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::hash::{BuildHasher, Hasher};

use crate::dropout::Dropout;
use crate::error::{Error, Result};
use crate::interrupt;
use crate::model::{BpeOptions, Merges, Model};
use crate::seed::Seed;
use crate::types::{Pair, TokenId};

/// Merging one token is about as much work as reading this many bytes.
const STEP: usize = 16;

/// No neighbour.
const NONE: u32 = u32::MAX;

/// A model, ready to merge.
#[derive(Debug)]
pub(super) struct Bpe {
    options: BpeOptions,
    ignore_merges: bool,
    unk: Option<TokenId>,
    /// The rank and the result of each pair.
    pairs: HashMap<Pair, (u32, TokenId), PairHash>,
    /// The token of each byte, where there is one and bytes are asked for.
    bytes: Vec<Option<TokenId>>,
}

/// A token of a piece, in a linked list.
#[derive(Debug, Clone, Copy)]
struct Symbol {
    id: TokenId,
    /// How many bytes of the piece it stands for; 0 once it is merged into another.
    len: u32,
    before: u32,
    after: u32,
}

/// What a thread keeps between pieces.
#[derive(Debug, Default)]
pub(super) struct BpeScratch {
    symbols: Vec<Symbol>,
    /// Candidates: rank, place, and what they make.
    queue: BinaryHeap<Reverse<(u32, u32, TokenId)>>,
    /// Candidates that dropout has left out, until the next one that it has not.
    aside: Vec<Reverse<(u32, u32, TokenId)>>,
    text: String,
}

impl Bpe {
    pub(super) fn new(model: &Model, options: &BpeOptions) -> Result<Bpe> {
        let vocab = &model.vocab;
        let prefix = options.prefix.as_deref().unwrap_or_default();
        let mut pairs = HashMap::with_hasher(PairHash(Seed::default()));
        if let Merges::Listed(listed) = &model.merges {
            for (rank, &(left, right)) in listed.iter().enumerate() {
                let made = merged(model, prefix, left, right).ok_or_else(|| {
                    Error::format(format!("merge {rank} makes no token of the vocabulary"))
                })?;
                pairs.insert((left, right), (rank as u32, made));
            }
        }
        let token = |byte: u8| vocab.id_of(format!("<0x{byte:02X}>").as_bytes());
        let bytes = if options.byte_fallback { (0..=255).map(token).collect() } else { Vec::new() };
        let unk = options.unk_token.as_ref().and_then(|unk| vocab.id_of(unk.as_bytes()));
        let ignore_merges = model.ignore_merges;
        Ok(Bpe { options: options.clone(), ignore_merges, unk, pairs, bytes })
    }

    /// Calls `each` with every token of a piece and the length of its text. With dropout a piece that is a token is
    /// merged as others are.
    pub(super) fn encode(
        &self,
        model: &Model,
        piece: &str,
        scratch: &mut BpeScratch,
        dropout: &mut Dropout,
        mut each: impl FnMut(TokenId, usize) -> Result<()>,
    ) -> Result<()> {
        if self.ignore_merges
            && dropout.is_none()
            && let Some(id) = model.vocab.id_of(piece.as_bytes())
        {
            return each(id, piece.len());
        }
        self.first_tokens(model, piece, scratch)?;
        self.merge(scratch, dropout)?;
        let left = scratch.symbols.iter().filter(|symbol| symbol.len > 0);
        left.copied().try_for_each(|symbol| each(symbol.id, symbol.len as usize))
    }

    fn first_tokens(&self, model: &Model, piece: &str, scratch: &mut BpeScratch) -> Result<()> {
        let BpeScratch { symbols, text, .. } = scratch;
        symbols.clear();
        let mut add = |id, len| symbols.push(Symbol { id, len, before: 0, after: 0 });
        let mut unknown: Option<(TokenId, u32)> = None;
        let prefix = self.options.prefix.as_deref().unwrap_or_default();
        let suffix = self.options.suffix.as_deref().unwrap_or_default();
        for (start, c) in piece.char_indices() {
            let (len, end) = (c.len_utf8() as u32, start + c.len_utf8());
            let before = if start > 0 { prefix } else { "" };
            let after = if end == piece.len() { suffix } else { "" };
            let mut unit = &piece[start..end];
            if !before.is_empty() || !after.is_empty() {
                text.clear();
                text.extend([before, unit, after]);
                unit = text;
            }
            if let Some(id) = model.vocab.id_of(unit.as_bytes()) {
                if let Some((unk, len)) = unknown.take() {
                    add(unk, len);
                }
                add(id, len);
                continue;
            }
            if !self.bytes.is_empty()
                && unit.bytes().all(|byte| self.bytes[usize::from(byte)].is_some())
            {
                let tokens = unit.bytes().filter_map(|byte| self.bytes[usize::from(byte)]);
                tokens.for_each(|id| add(id, 1));
                continue;
            }
            let Some(name) = &self.options.unk_token else { continue };
            let unk = self.unk.ok_or_else(|| {
                let message = format!("the unk_token {name:?} is not in the vocabulary");
                Error::Text { message, position: start }
            })?;
            unknown = match unknown {
                Some((unk, before)) if self.options.fuse_unk => Some((unk, before + len)),
                Some((before, before_len)) => {
                    add(before, before_len);
                    Some((unk, len))
                }
                None => Some((unk, len)),
            };
        }
        if let Some((unk, len)) = unknown {
            add(unk, len);
        }
        let last = symbols.len().saturating_sub(1) as u32;
        for (at, symbol) in symbols.iter_mut().enumerate() {
            let at = at as u32;
            symbol.before = at.checked_sub(1).unwrap_or(NONE);
            symbol.after = if at == last { NONE } else { at + 1 };
        }
        interrupt::worked(piece.len())
    }

    fn merge(&self, scratch: &mut BpeScratch, dropout: &mut Dropout) -> Result<()> {
        let BpeScratch { symbols, queue, aside, .. } = scratch;
        let candidate = |at: u32, left: Symbol, right: Symbol| {
            let &(rank, made) = self.pairs.get(&(left.id, right.id))?;
            Some(Reverse((rank, at, made)))
        };
        queue.clear();
        aside.clear();
        let pairs = symbols.windows(2).zip(0..);
        queue.extend(pairs.filter_map(|(two, at)| candidate(at, two[0], two[1])));
        while let Some(popped) = queue.pop() {
            interrupt::worked(STEP)?;
            if dropout.leaves_out() {
                aside.push(popped);
                continue;
            }
            queue.extend(aside.drain(..));
            let Reverse((_, at, made)) = popped;
            let left = symbols[at as usize];
            if left.len == 0 || left.after == NONE {
                continue;
            }
            let right = symbols[left.after as usize];
            if self.pairs.get(&(left.id, right.id)).is_none_or(|&(_, now)| now != made) {
                continue;
            }
            let joined = Symbol {
                id: made,
                len: left.len + right.len,
                before: left.before,
                after: right.after,
            };
            symbols[left.after as usize].len = 0;
            symbols[at as usize] = joined;
            if joined.after != NONE {
                symbols[joined.after as usize].before = at;
                queue.extend(candidate(at, joined, symbols[joined.after as usize]));
            }
            if joined.before != NONE {
                let before = symbols[joined.before as usize];
                queue.extend(candidate(joined.before, before, joined));
            }
        }
        Ok(())
    }
}

/// The token that a merge makes: the prefix of the right one is left out.
pub(crate) fn merged(
    model: &Model,
    prefix: &str,
    left: TokenId,
    right: TokenId,
) -> Option<TokenId> {
    let (left, right) = (model.vocab.bytes_of(left)?, model.vocab.bytes_of(right)?);
    model.vocab.id_of(&[left, right.get(prefix.len()..)?].concat())
}

/// Hashes pairs of ids, with the key of this process.
#[derive(Debug, Clone)]
struct PairHash(Seed);

struct PairHasher {
    seed: Seed,
    state: u64,
}

impl BuildHasher for PairHash {
    type Hasher = PairHasher;

    fn build_hasher(&self) -> PairHasher {
        PairHasher { seed: self.0, state: self.0.first }
    }
}

impl Hasher for PairHasher {
    fn finish(&self) -> u64 {
        self.state
    }

    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_u32(u32::from(byte)));
    }

    fn write_u32(&mut self, word: u32) {
        let mixed = (self.state ^ u64::from(word)).wrapping_mul(self.seed.odd);
        self.state = (mixed ^ mixed >> 32).wrapping_add(self.seed.second);
    }
}
