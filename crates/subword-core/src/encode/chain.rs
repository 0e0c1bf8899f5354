/*!
The plain chain: the pieces of a text, each looked up in the cache or encoded.

A piece may be a whole text. It is cut first wherever no token spans two characters, if merges alone decide its ids
(`metaspace::may_cut`).

This is the path of a `tokenizer.json` that no other path runs. Ids are those of the chain; offsets too, with
white space taken out of them as the post-processor says.
*/

use super::offsets::{EdgeSpaces, Located, trimmed};
use super::{Finders, Path, Plan, Scratch, Sink};
use crate::chain::Runner;
use crate::error::Result;
use crate::special::Span;
use crate::types::TokenId;
use crate::{interrupt, memory};

impl Plan {
    /// Encodes what stands between two added tokens of the first phase; it starts at `base` in the text.
    pub(super) fn encode_chain(
        &self,
        runner: &Runner,
        text: &[u8],
        base: usize,
        finders: &Finders,
        scratch: &mut Scratch,
        sink: &mut impl Sink,
    ) -> Result<()> {
        if text.is_empty() {
            return Ok(());
        }
        let pieces = runner.pieces(text, base, &finders.normal)?;
        let all = pieces.text().as_bytes();
        let cuts = matches!(self.path, Path::Chain { cuts: true, .. });
        for piece in pieces.iter() {
            if let Some(id) = piece.token {
                sink.many(&[id])?;
                continue;
            }
            if sink.is_full() {
                return Ok(());
            }
            let mut start = piece.start;
            loop {
                let end = match cuts {
                    true => start + self.joins().first_part(&all[start..piece.end]),
                    false => piece.end,
                };
                let part = &pieces.text()[start..end];
                self.encode_part(runner, all, (start, end), part, scratch, sink)?;
                start = end;
                if start >= piece.end {
                    break;
                }
            }
        }
        interrupt::worked(text.len())
    }

    /// Encodes a piece, or a part of one that may be cut off, by the cache or the model.
    fn encode_part(
        &self,
        runner: &Runner,
        all: &[u8],
        (start, end): (usize, usize),
        part: &str,
        scratch: &mut Scratch,
        sink: &mut impl Sink,
    ) -> Result<()> {
        let mut taken = Ok(());
        let found = scratch.cache.recall(all, start, end, false, |ids| {
            taken = sink.many(ids);
        });
        taken?;
        if found {
            return Ok(());
        }
        let ids = &mut scratch.ids;
        ids.clear();
        runner.encode_piece(&self.model, part, &mut scratch.chain, |id, _| {
            memory::extend(ids, &[id])
        })?;
        scratch.cache.insert(all, start, end, false, ids);
        sink.many(ids)
    }

    /// The ids of a text and where they come from.
    pub(super) fn chain_offsets(
        &self,
        runner: &Runner,
        text: &[u8],
        finders: &Finders,
        trim: Option<bool>,
        scratch: &mut Scratch,
    ) -> Result<Located> {
        let chain = self.model.chain.as_ref();
        let trims = match trim {
            Some(false) => &[],
            Some(true) if chain.is_none_or(|chain| chain.trims.is_empty()) => &[false][..],
            _ => chain.map_or(&[][..], |chain| &chain.trims[..]),
        };
        let unk = chain.and_then(|chain| chain.as_unigram()?.unk);
        let (mut located, mut number) = (Located::default(), 0);
        let mut push = |id: TokenId, (start, end): (usize, usize), number, token: &[u8]| {
            let mut place = (start.min(text.len()), end.min(text.len()));
            for &prefix_space in trims {
                let keeps = prefix_space && (located.ids.is_empty() || place.0 == 0);
                place = trimmed(text, place, EdgeSpaces::of_text(token), keeps);
            }
            located.push(id, place, number)
        };
        finders.raw.split(text, |Span { start, end, special, .. }| {
            if let Some(id) = special {
                push(id, (start, end), number, &text[start..end])?;
                number += 1;
                return Ok(());
            }
            let pieces = runner.pieces(&text[start..end], start, &finders.normal)?;
            for (piece, number) in pieces.iter().zip(number..) {
                if let Some(id) = piece.token {
                    let text = piece.text();
                    push(id, piece.place(0, text.len()), number, text.as_bytes())?;
                    continue;
                }
                runner.encode_piece(
                    &self.model,
                    piece.text(),
                    &mut scratch.chain,
                    |id, part| {
                        let place = piece.place(part.start, part.end);
                        // Of an unk of Unigram the library keeps the text.
                        let token = match self.model.vocab.bytes_of(id) {
                            Some(token) if unk != Some(id) => token,
                            _ => piece.text()[part].as_bytes(),
                        };
                        push(id, place, number, token)
                    },
                )?;
            }
            number += pieces.iter().count();
            interrupt::worked(end - start)
        })?;
        Ok(located)
    }
}
