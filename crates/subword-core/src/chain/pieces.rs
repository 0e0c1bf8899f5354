/*!
SentencePiece's BPE, plainly: one text to pieces and their lengths, and pieces to text.

```text
symbols     each user-defined piece, the longest that starts there; else each character
merges      two neighbours whose text together is a piece, the best score first, of equals the leftmost;
            user-defined symbols take no part
at the end  unused pieces are taken apart into what they were last made of
            a symbol that is no piece: its bytes, or unknown, and unknown ones in a row are one
```

Which two symbols an unused piece is made of is asked by its text, and the last pair that was adjacent anywhere in
the text answers, merged or not: so does the library.

A heap and a linked list make it near-linear, as in [`bpe`](super::bpe). A candidate counts if the two symbols that stand
at its place now have its text together: of two ways to make a piece both have its score.
*/

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use crate::dropout::Dropout;
use crate::error::{Error, Result};
use crate::interrupt;
use crate::model::{Model, PieceKind, PieceModel};
use crate::types::TokenId;

/// What stands for a space in a piece.
const MARK: &str = "▁";

/// Merging two symbols is about as much work as reading this many bytes.
const STEP: usize = 16;

/// No neighbour.
const NONE: u32 = u32::MAX;

/// A model, ready to merge.
#[derive(Debug)]
pub(super) struct PieceMerger {
    kinds: Vec<PieceKind>,
    ranks: Vec<u32>,
    symbols: Symbols,
    unk: TokenId,
    /// The piece of each byte; none without byte fallback.
    bytes: Vec<TokenId>,
}

/// A part of the text, in a linked list.
#[derive(Debug, Clone, Copy)]
struct Symbol {
    start: u32,
    /// 0 once it is merged into another.
    len: u32,
    before: u32,
    after: u32,
    /// A user-defined piece.
    frozen: bool,
}

/// Two symbols that may merge, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Candidate {
    rank: u32,
    left: u32,
    /// The length of both together.
    len: u32,
}

impl PieceMerger {
    pub(super) fn new(model: &Model, pieces: &PieceModel, ranks: &[u32]) -> Result<PieceMerger> {
        let settings = &pieces.settings;
        let token = |text: &str| {
            let missing = || Error::format(format!("expected a piece {text:?}, found none"));
            model.vocab.id_of(text.as_bytes()).ok_or_else(missing)
        };
        let bytes = if settings.byte_fallback {
            (0..=255u8).map(|byte| token(&format!("<0x{byte:02X}>"))).collect::<Result<_>>()?
        } else {
            Vec::new()
        };
        let (symbols, unk) = (Symbols::new(&settings.symbols), token(&settings.unk_token)?);
        Ok(PieceMerger { kinds: pieces.kinds.clone(), ranks: ranks.to_vec(), symbols, unk, bytes })
    }

    /// Calls `each` with every piece of a normalised text and the length of its part of the text.
    pub(super) fn encode(
        &self,
        model: &Model,
        text: &str,
        dropout: &mut Dropout,
        mut each: impl FnMut(TokenId, usize) -> Result<()>,
    ) -> Result<()> {
        let mut symbols = self.first_symbols(text);
        interrupt::worked(text.len())?;
        let halves = self.merge(model, text, &mut symbols, dropout)?;
        let mut unknown = 0;
        let mut parts = Vec::new();
        let mut at = if symbols.is_empty() { NONE } else { 0 };
        while at != NONE {
            let symbol = symbols[at as usize];
            at = symbol.after;
            parts.push((symbol.start as usize, symbol.len as usize));
            while let Some((start, len)) = parts.pop() {
                let part = &text[start..start + len];
                let id = model.vocab.id_of(part.as_bytes()).unwrap_or(self.unk);
                match self.kind(id) {
                    PieceKind::Unused if halves.contains_key(&id) => {
                        let left = halves[&id];
                        parts.push((start + left, len - left));
                        parts.push((start, left));
                        continue;
                    }
                    PieceKind::Unknown if self.bytes.is_empty() => {
                        unknown += len;
                        continue;
                    }
                    _ => {}
                }
                if unknown > 0 {
                    each(self.unk, std::mem::take(&mut unknown))?;
                }
                if id == self.unk {
                    part.bytes().try_for_each(|byte| each(self.bytes[usize::from(byte)], 1))?;
                } else {
                    each(id, len)?;
                }
            }
        }
        if unknown > 0 { each(self.unk, unknown) } else { Ok(()) }
    }

    fn kind(&self, id: TokenId) -> PieceKind {
        self.kinds.get(id as usize).copied().unwrap_or(PieceKind::Normal)
    }

    fn first_symbols(&self, text: &str) -> Vec<Symbol> {
        let mut symbols: Vec<Symbol> = Vec::with_capacity(text.len());
        let mut at = 0;
        while let Some(c) = text[at..].chars().next() {
            let found = self.symbols.longest(&text.as_bytes()[at..]);
            let len = found.unwrap_or(c.len_utf8());
            let before = (symbols.len() as u32).wrapping_sub(1);
            let after = symbols.len() as u32 + 1;
            let (start, len) = (at as u32, len as u32);
            symbols.push(Symbol { start, len, before, after, frozen: found.is_some() });
            at += len as usize;
        }
        if let Some(last) = symbols.last_mut() {
            last.after = NONE;
        }
        symbols
    }

    /// Merges all that merges; gives where unused pieces are taken apart.
    fn merge(
        &self,
        model: &Model,
        text: &str,
        symbols: &mut [Symbol],
        dropout: &mut Dropout,
    ) -> Result<HashMap<TokenId, usize>> {
        let mut halves = HashMap::new();
        let mut queue: BinaryHeap<Reverse<Candidate>> = BinaryHeap::new();
        let mut add = |left: u32, right: u32, symbols: &[Symbol], queue: &mut BinaryHeap<_>| {
            if left == NONE || right == NONE {
                return;
            }
            let (one, two) = (symbols[left as usize], symbols[right as usize]);
            if one.frozen || two.frozen {
                return;
            }
            let (start, len) = (one.start as usize, one.len + two.len);
            let piece = &text.as_bytes()[start..start + len as usize];
            let Some(id) = model.vocab.id_of(piece).filter(|&id| self.kind(id).is_text()) else {
                return;
            };
            let Some(&rank) = self.ranks.get(id as usize) else { return };
            queue.push(Reverse(Candidate { rank, left, len }));
            if self.kind(id) == PieceKind::Unused {
                halves.insert(id, one.len as usize);
            }
        };
        for left in 1..symbols.len() as u32 {
            interrupt::worked(STEP)?;
            add(left - 1, left, symbols, &mut queue);
        }
        let mut aside = Vec::new();
        while let Some(popped) = queue.pop() {
            interrupt::worked(STEP)?;
            if dropout.leaves_out() {
                aside.push(popped);
                continue;
            }
            queue.extend(aside.drain(..));
            let Reverse(Candidate { left, len, .. }) = popped;
            let one = symbols[left as usize];
            if one.len == 0 || one.after == NONE {
                continue;
            }
            let two = symbols[one.after as usize];
            if one.len + two.len != len {
                continue;
            }
            symbols[left as usize] = Symbol { len, after: two.after, ..one };
            symbols[one.after as usize].len = 0;
            if two.after != NONE {
                symbols[two.after as usize].before = left;
            }
            add(one.before, left, symbols, &mut queue);
            add(left, two.after, symbols, &mut queue);
        }
        Ok(halves)
    }
}

/// A set of texts, in which the longest that starts another text is found.
#[derive(Debug, Default)]
pub(super) struct Symbols {
    /// From a node of the trie, by a byte, to the next.
    next: HashMap<(u32, u8), u32>,
    /// Whether a text ends at a node.
    ends: Vec<bool>,
}

impl Symbols {
    pub(super) fn new(texts: &[String]) -> Symbols {
        let mut symbols = Symbols { next: HashMap::new(), ends: vec![false] };
        for text in texts {
            let mut node = 0;
            for byte in text.bytes() {
                node = *symbols.next.entry((node, byte)).or_insert_with(|| {
                    symbols.ends.push(false);
                    symbols.ends.len() as u32 - 1
                });
            }
            symbols.ends[node as usize] = true;
        }
        symbols
    }

    /// The length of the longest that `text` starts with.
    pub(super) fn longest(&self, text: &[u8]) -> Option<usize> {
        if self.next.is_empty() {
            return None;
        }
        let (mut node, mut longest) = (0, None);
        for (at, &byte) in text.iter().enumerate() {
            match self.next.get(&(node, byte)) {
                Some(&next) => node = next,
                None => break,
            }
            if self.ends[node as usize] {
                longest = Some(at + 1);
            }
        }
        longest
    }
}

/// The text of pieces. `added`: the text of an id that is no piece.
pub(crate) fn decode_pieces(
    model: &Model,
    pieces: &PieceModel,
    ids: &[TokenId],
    added: impl Fn(TokenId) -> Option<String>,
) -> Result<String> {
    let settings = &pieces.settings;
    let (mut text, mut bytes) = (String::new(), Vec::new());
    let (mut at_start, mut seen) = (true, false);
    let drops_space = settings.add_dummy_prefix || settings.remove_extra_whitespaces;
    for (position, &id) in ids.iter().enumerate() {
        interrupt::worked(STEP)?;
        let kind = pieces.kinds.get(id as usize).copied();
        let piece = match (kind, model.vocab.bytes_of(id)) {
            (Some(_), Some(piece)) => String::from_utf8_lossy(piece).into_owned(),
            _ => added(id).ok_or_else(|| Error::unknown_id(id, position))?,
        };
        if kind == Some(PieceKind::Byte) {
            bytes.extend(piece.get(3..5).and_then(|digits| u8::from_str_radix(digits, 16).ok()));
            continue;
        }
        take_bytes(&mut bytes, &mut text);
        at_start &= !seen && text.is_empty();
        seen = false;
        match kind {
            None => text.push_str(&piece),
            Some(PieceKind::Control) => {}
            Some(PieceKind::Unknown) => text.push_str(&settings.unk_surface),
            Some(_) => {
                let rest = piece.strip_prefix(MARK).filter(|_| at_start && drops_space);
                seen = rest.is_some() && !settings.remove_extra_whitespaces;
                text.push_str(&rest.unwrap_or(&piece).replace(MARK, " "));
            }
        }
    }
    take_bytes(&mut bytes, &mut text);
    Ok(text)
}

/// Appends the characters that bytes spell, and U+FFFD for each byte that spells none.
fn take_bytes(bytes: &mut Vec<u8>, text: &mut String) {
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    bytes.clear();
}
