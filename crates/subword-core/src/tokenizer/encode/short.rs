/*!
Short texts: a name, a question, a line.

A batch gains by its passes, but each pass has its price, and a text of two pieces pays it as well. What is
shorter than a block of the scanner is cut piece by piece in any case; here each piece is looked up as soon as
it is cut. If one of them is not in the near tables, the text goes the usual way, from its start.
*/

use super::enter::Place;
use super::{Sink, Worker, entry_into};
use crate::arch::{Classify, Kernel, WINDOW};
use crate::cache::{MIDDLE_IDS, View};
use crate::error::Result;
use crate::pretok::Splitter;
use crate::tokenizer::Tokenizer;
use crate::types::TokenId;

/// Room for the ids of a short text: at most one for each byte, and some places more are written.
const ROOM: usize = WINDOW + MIDDLE_IDS;

impl Tokenizer {
    /// Hands over the ids of a text that only needs to be cut and merged, if it is short and all of its
    /// pieces are known; says whether it did.
    #[inline]
    pub(super) fn encode_short(
        &self,
        text: &[u8],
        worker: &mut Worker,
        sink: &mut impl Sink,
    ) -> Result<bool> {
        if text.len() >= WINDOW {
            return Ok(false);
        }
        let mut ids = [0; ROOM];
        let view = worker.cache.view();
        let found = self.level.run(Short { splitter: &self.splitter, text, view, ids: &mut ids });
        sink.many(&ids[..found.unwrap_or(0)])?;
        Ok(found.is_some())
    }
}

/// Writes the ids of all pieces and says how many there are; none if a piece is not known.
struct Short<'a> {
    splitter: &'a Splitter,
    text: &'a [u8],
    view: View<'a>,
    ids: &'a mut [TokenId; ROOM],
}

impl Kernel for Short<'_> {
    type Output = Option<usize>;

    #[inline(always)]
    fn run<C: Classify>(self) -> Option<usize> {
        let Short { splitter, text, view, ids } = self;
        let (mut start, mut len) = (0, 0);
        while start < text.len() {
            let end = splitter.end_of_piece(text, start)?;
            let place = Place { start, end, part: false };
            let count = entry_into::<C, true>(view, text, place, &mut ids[len..]);
            if count == 0 {
                return None;
            }
            (start, len) = (end, len + count);
        }
        Some(len)
    }
}
