/*!
What a SentencePiece model does to a text before it is merged.

At each place the first of these that fits:

```text
a user-defined piece            stays as it is
a key of the character map      becomes its replacement; the longest key, whatever a character is
a character                     stays
```

Then spaces: those at the ends and all but the first of a row are dropped, if the model asks for it; every space is
written `▁`; and one stands before the text, or behind it in suffix mode. That one belongs to the start of a whole
text: what stands after a special token has none.

Where a part comes from: each place of the new text has a place in the old one, and a part ends where the next one
starts. So a dropped space belongs to what stands before it.
*/

use super::aligned::{Aligned, View};
use super::charsmap::Charsmap;
use super::pieces::Symbols;
use crate::error::Result;
use crate::model::PieceSettings;

/// Settings, ready to run.
#[derive(Debug)]
pub(super) struct PieceNormalizer {
    charsmap: Option<Charsmap>,
    symbols: Symbols,
    space: &'static str,
    add_dummy_prefix: bool,
    remove_extra_whitespaces: bool,
    whitespace_as_suffix: bool,
}

/// A text that is being made, with the place in the old text where each byte starts.
#[derive(Default)]
struct Output {
    text: String,
    starts: Vec<usize>,
}

impl Output {
    fn push(&mut self, text: &str, start: usize) {
        self.text.push_str(text);
        self.starts.extend(std::iter::repeat_n(start, text.len()));
    }
}

impl PieceNormalizer {
    pub(super) fn new(settings: &PieceSettings) -> Result<PieceNormalizer> {
        let charsmap = Some(&settings.charsmap).filter(|bytes| !bytes.is_empty());
        Ok(PieceNormalizer {
            charsmap: charsmap.map(|bytes| Charsmap::new(bytes)).transpose()?,
            symbols: Symbols::new(&settings.symbols),
            space: if settings.escape_whitespaces { "▁" } else { " " },
            add_dummy_prefix: settings.add_dummy_prefix,
            remove_extra_whitespaces: settings.remove_extra_whitespaces,
            whitespace_as_suffix: settings.whitespace_as_suffix,
        })
    }

    /// Writes the normalised form of a text.
    pub(super) fn apply(&self, view: View, out: &mut Aligned) {
        let (made, mut end) = self.normalize(view.text, view.original.0 == 0);
        // From the last byte to the first, so that each knows where the next one starts.
        let place = |at: usize| match view.sources.get(at) {
            Some(source) => source.0,
            None => view.original.1,
        };
        out.text.push_str(&made.text);
        for &start in made.starts.iter().rev() {
            out.sources.push((place(start), place(end)));
            end = start;
        }
        out.sources.reverse();
    }

    /// The new text, and where in the old text its end is. `first`: the old one is the start of a whole text.
    fn normalize(&self, text: &str, first: bool) -> (Output, usize) {
        let mut out = Output::default();
        let mut at = 0;
        if self.remove_extra_whitespaces {
            while at < text.len() {
                let (new, len) = self.prefix(&text[at..]);
                if new != " " {
                    break;
                }
                at += len;
            }
        }
        if at == text.len() {
            return (out, at);
        }
        let adds = self.add_dummy_prefix && first;
        if adds && !self.whitespace_as_suffix {
            out.push(self.space, at);
        }
        let mut after_space = self.remove_extra_whitespaces;
        while at < text.len() {
            let (mut new, len) = self.prefix(&text[at..]);
            if after_space {
                new = new.trim_start_matches(' ');
            }
            for (i, part) in new.split(' ').enumerate() {
                if i > 0 {
                    out.push(self.space, at);
                }
                out.push(part, at);
            }
            if !new.is_empty() {
                after_space = self.remove_extra_whitespaces && new.ends_with(' ');
            }
            at += len;
        }
        if self.remove_extra_whitespaces {
            while out.text.ends_with(self.space) {
                let len = out.text.len() - self.space.len();
                at = out.starts[len];
                out.text.truncate(len);
                out.starts.truncate(len);
            }
        }
        if adds && self.whitespace_as_suffix {
            out.push(self.space, at);
        }
        (out, at)
    }

    /// What becomes of the start of a text, and how long that start is.
    fn prefix<'t>(&'t self, text: &'t str) -> (&'t str, usize) {
        if let Some(len) = self.symbols.longest(text.as_bytes()) {
            return (&text[..len], len);
        }
        if let Some((len, new)) = self.charsmap.as_ref().and_then(|map| map.longest(text)) {
            return (new, len);
        }
        let len = text.chars().next().map_or(0, char::len_utf8);
        (&text[..len], len)
    }
}
