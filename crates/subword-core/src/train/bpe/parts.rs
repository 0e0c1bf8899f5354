/*!
Long pieces as the tokens that a base makes of them: where the training of superwords goes on.

```text
base: gpt2 words        a piece of the second pattern: "of the thirteen"
any     of . the . thir . teen                    all of it may merge
whole   of . the   |                              thirteen is two tokens and ends the run
```

A piece is a sentence or a line where the pattern of words is lifted, so it is not merged whole: it is cut where no
token of the base spans two characters (`bpe::Joins`), and the parts, which are mostly words, recur and are merged
once.
*/

use std::collections::HashMap;
use std::ops::Range;

use crate::bpe::{Joins, Merged, Merger};
use crate::error::Result;
use crate::model::Model;
use crate::pretok::Splitter;
use crate::types::TokenId;

/// What the base has made of the parts of pieces so far.
pub(super) struct BaseTokens<'m> {
    model: &'m Model,
    merger: &'m Merger,
    joins: Joins,
    /// Where the tokens of a part stand in `tokens`.
    parts: HashMap<Box<[u8]>, Range<usize>>,
    tokens: Vec<TokenId>,
    merged: Merged,
}

impl<'m> BaseTokens<'m> {
    pub(super) fn new(model: &'m Model, merger: &'m Merger) -> BaseTokens<'m> {
        BaseTokens {
            model,
            merger,
            joins: Joins::new(&model.vocab),
            parts: HashMap::new(),
            tokens: Vec::new(),
            merged: Merged::default(),
        }
    }

    /// Appends the tokens of a piece.
    pub(super) fn append(&mut self, piece: &[u8], ids: &mut Vec<TokenId>) -> Result<()> {
        let BaseTokens { model, merger, joins, parts, tokens, merged } = self;
        if let Some(id) = merger.whole(&model.vocab, piece) {
            ids.push(id);
            return Ok(());
        }
        joins.each_part(piece, |start, end| {
            let part = &piece[start..end];
            let known = match parts.get(part) {
                Some(known) => known.clone(),
                None => {
                    merger.merge(&model.vocab, part, &[(0, part.len())], merged)?;
                    let known = tokens.len()..tokens.len() + merged.count();
                    tokens.extend_from_slice(merged.ids_of(0));
                    parts.insert(part.into(), known.clone());
                    known
                }
            };
            ids.extend_from_slice(&tokens[known]);
            Ok(())
        })
    }

    /// Calls `run` with the tokens of every run of words that are one token each, where `words` cuts the piece.
    pub(super) fn each_run(
        &mut self,
        piece: &[u8],
        words: &Splitter,
        mut run: impl FnMut(&[TokenId]) -> Result<()>,
    ) -> Result<()> {
        let (mut ends, mut ids, mut start) = (Vec::new(), Vec::new(), 0);
        words.append_ends(piece, 0, &mut ends)?;
        for end in ends {
            let before = ids.len();
            self.append(&piece[start..end], &mut ids)?;
            start = end;
            if ids.len() > before + 1 {
                run(&ids[..before])?;
                ids.clear();
            }
        }
        run(&ids)
    }
}
