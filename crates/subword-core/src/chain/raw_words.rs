/*!
Raw text whose white space cuts it: the common chain of Unigram models, one word after the other.

```text
charsmap, then perhaps white space taken off the end, then perhaps " {2,}" -> " " or "▁"
then WhitespaceSplit and Metaspace, or Metaspace alone, which always prepends and splits
```

Such a chain cuts before every space. So the raw text may be cut there first, and the parts give the pieces of the
whole, if what happens to a part does not depend on the others. Then the ids of a raw part can be remembered, and most
parts need no normalised copy at all. `pretok::SpaceWords` cuts before a space, a line feed or a carriage return that
follows a letter or a visible ASCII character, and [`RawWords::of`] checks what makes that right:

* The charsmap sees grapheme clusters. None goes across the place: only a few letters (see [`PREPENDED`]) join what
  follows them, and no key of the map starts with one of those.
* No key starts with a space; so one stays a space, whatever follows it. A line feed becomes a space, or is white space
  for WhitespaceSplit. So the right part starts with white space, and as a text of its own it gets no other prefix.
* The character before the place becomes something that does not end in white space. So runs of spaces and white space
  at the end are the same with the cut as without it.

[`RawWords::pieces`] normalises a part whose characters are clusters of their own. Any other part runs through the chain.
*/

use super::charsmap::Charsmap;
use crate::model::{Chain, Matcher, NormalizerStep, PreTokenizerStep, PrependScheme};
use crate::pretok::Splitter;
use crate::special::Finder;

/// What stands for a space.
const MARK: char = '▁';

/// The letters that are in one cluster with what follows them.
const PREPENDED: [char; 14] = [
    '\u{D4E}',
    '\u{111C2}',
    '\u{111C3}',
    '\u{1193F}',
    '\u{11941}',
    '\u{11A84}',
    '\u{11A85}',
    '\u{11A86}',
    '\u{11A87}',
    '\u{11A88}',
    '\u{11A89}',
    '\u{11D46}',
    '\u{11F02}',
    '\u{113D1}',
];

/// Characters that are clusters of their own, beside each other and spaces; not all of them.
const ALONE: [(u16, u16); 27] = [
    (0x20, 0x7E),
    (0xA0, 0xAC),
    (0xAE, 0x2FF),
    (0x370, 0x482),
    (0x48A, 0x52F),
    (0x531, 0x58F),
    (0x5D0, 0x5EA),
    (0x620, 0x64A),
    (0x660, 0x66F),
    (0x671, 0x6D5),
    (0x10A0, 0x10FF),
    (0x1E00, 0x1FFF),
    (0x2010, 0x2027),
    (0x2030, 0x205F),
    (0x20A0, 0x20BF),
    (0x2100, 0x23FF),
    (0x2460, 0x27BF),
    (0x3000, 0x3029),
    (0x3030, 0x3096),
    (0x309B, 0x30FF),
    (0x3105, 0x318E),
    (0x31F0, 0x31FF),
    (0x3200, 0xA48C),
    (0xAC00, 0xD7A3),
    (0xF900, 0xFAFF),
    (0xFF01, 0xFF9D),
    (0xFFE0, 0xFFE6),
];

/// What becomes of a character; of all others the chain decides.
const CHAIN: u8 = 0;
const ITSELF: u8 = 1;
const SPACE: u8 = 2;
const MAPPED: u8 = 3;

/// A chain whose raw text may be cut at white space.
#[derive(Debug)]
pub(crate) struct RawWords {
    charsmap: Option<Charsmap>,
    /// What becomes of each character of the first plane.
    kinds: Vec<u8>,
    /// Several spaces are one.
    collapses: bool,
    /// White space at the end is a piece.
    keeps_end: bool,
    /// Finds nothing: a part has no added tokens.
    pub(super) no_tokens: Finder,
}

/// The pieces of a part.
#[derive(Debug, Default)]
pub(super) struct RawPieces {
    text: String,
    /// Where each of them starts.
    starts: Vec<usize>,
}

impl RawPieces {
    /// The pieces, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        self.starts.iter().enumerate().map(|(at, &start)| {
            let end = self.starts.get(at + 1).copied().unwrap_or(self.text.len());
            &self.text[start..end]
        })
    }
}

impl RawWords {
    /// The chain, if it is one of these and its charsmap allows it; `splitter` cuts before white space.
    pub(crate) fn of(chain: &Chain, splitter: &Splitter) -> Option<RawWords> {
        let mut steps = &chain.normalizer[..];
        let mut charsmap = None;
        if let [NormalizerStep::Precompiled(bytes), rest @ ..] = steps {
            charsmap = Some(Charsmap::new(bytes).ok()?);
            steps = rest;
        }
        let mut keeps_end = true;
        if let [NormalizerStep::Strip { left: false, right: true }, rest @ ..] = steps {
            keeps_end = false;
            steps = rest;
        }
        let mut collapses = false;
        if let [NormalizerStep::Replace { pattern: Matcher::Regex(regex), content }, rest @ ..] =
            steps
            && regex == " {2,}"
            && (content == " " || content == "▁")
        {
            collapses = true;
            steps = rest;
        }
        let splits = match &chain.pre_tokenizer[..] {
            [PreTokenizerStep::WhitespaceSplit, last] if is_metaspace(last) => true,
            [last] if is_metaspace(last) => false,
            _ => return None,
        };
        let cuts = charsmap.as_ref().map_or(splits, |map| may_cut(map, splitter, splits));
        let kinds = kinds(charsmap.as_ref());
        let (collapses, keeps_end) = (collapses || splits, keeps_end && !splits);
        let no_tokens = Finder::new([]).ok()?;
        let words = RawWords { charsmap, kinds, collapses, keeps_end, no_tokens };
        (steps.is_empty() && cuts).then_some(words)
    }

    /// Writes the pieces of a raw part, each from a mark on; false if only the chain can tell.
    #[inline]
    pub(super) fn pieces(&self, part: &str, found: &mut RawPieces) -> bool {
        let RawPieces { text: out, starts } = found;
        out.clear();
        starts.clear();
        let (mut started, mut after_space) = (false, false);
        let mut put = |c: char, out: &mut String| {
            let space = c == ' ';
            let joins = if space { after_space && self.collapses } else { started };
            if !joins {
                starts.push(out.len());
                out.push(MARK);
            }
            if !space {
                out.push(c);
            }
            (started, after_space) = (true, space);
        };
        let mut rest = part.chars();
        while let Some(c) = rest.next() {
            match self.kinds.get(c as usize) {
                Some(&ITSELF) => {
                    put(c, out);
                    // PERF: runs of characters that stay as they are are copied.
                    let from = rest.as_str();
                    let stays = |c: char| self.kinds.get(c as usize) == Some(&ITSELF);
                    while rest.clone().next().is_some_and(stays) {
                        rest.next();
                    }
                    out.push_str(&from[..from.len() - rest.as_str().len()]);
                }
                Some(&SPACE) => put(' ', out),
                Some(&MAPPED) => {
                    let mut bytes = [0; 4];
                    let map = self.charsmap.as_ref();
                    let new = map.and_then(|map| map.replacement(c.encode_utf8(&mut bytes)));
                    new.unwrap_or_default().chars().for_each(|c| put(c, out));
                }
                _ => return false,
            }
        }
        if !self.keeps_end {
            out.truncate(out.trim_end_matches(MARK).len());
            starts.truncate(starts.partition_point(|&start| start < out.len()));
        }
        true
    }
}

fn is_metaspace(step: &PreTokenizerStep) -> bool {
    let always = PrependScheme::Always;
    *step == PreTokenizerStep::Metaspace { replacement: MARK, scheme: always, split: true }
}

/// Whether a part that starts with white space is the same text as in the whole.
fn may_cut(map: &Charsmap, splitter: &Splitter, splits: bool) -> bool {
    let starts_white = |text: &str| match map.replacement(text) {
        Some(new) if splits => new.starts_with(char::is_whitespace),
        Some(new) => new.starts_with(' '),
        None => splits,
    };
    let mut ends_well = true;
    map.each_character(|c, new| {
        let cut_after = splitter.cuts_between(c, ' ');
        ends_well &= !cut_after || new.ends_with(|last: char| !last.is_whitespace());
    });
    ends_well
        && !map.starts_key(" ")
        && ["\n", "\r", "\r\n"].into_iter().all(starts_white)
        && !PREPENDED.iter().any(|c| map.starts_key(c.encode_utf8(&mut [0; 4])))
}

/// What becomes of each character of the first plane.
fn kinds(map: Option<&Charsmap>) -> Vec<u8> {
    let mut kinds = vec![CHAIN; 1 << 16];
    for (first, last) in ALONE {
        kinds[usize::from(first)..=usize::from(last)].fill(ITSELF);
    }
    kinds[usize::from(b' ')] = SPACE;
    if let Some(map) = map {
        map.each_character(|c, new| {
            let Some(kind) = kinds.get_mut(c as usize).filter(|kind| **kind != CHAIN) else {
                return;
            };
            let odd = |c: char| c == MARK || c.is_whitespace() && c != ' ';
            *kind = if new.contains(odd) { CHAIN } else { MAPPED };
        });
    }
    let is_odd = |&code: &u32| {
        let white = char::from_u32(code).is_some_and(char::is_whitespace);
        code == MARK as u32 || white && code != 0x20
    };
    for code in (0..1 << 16).filter(is_odd) {
        let kind = &mut kinds[code as usize];
        *kind = if *kind == MAPPED && code != MARK as u32 { MAPPED } else { CHAIN };
    }
    kinds
}

#[cfg(test)]
mod tests {
    use unicode_segmentation::UnicodeSegmentation;

    use super::*;
    use crate::model::Named;

    #[test]
    fn characters_that_are_alone_are_clusters_of_their_own() {
        let two = |a: char, b: char| format!("{a}{b}").graphemes(true).count() == 2;
        for code in ALONE.iter().flat_map(|&(first, last)| first..=last) {
            let c = char::from_u32(u32::from(code)).unwrap();
            let all = ['a', ' ', 'é', '中', '가', '각', '☎', 'の', c];
            assert!(all.iter().all(|&other| two(c, other) && two(other, c)), "{code:X}");
        }
    }

    #[test]
    fn only_the_listed_letters_join_a_space_that_follows() {
        let splitter = Splitter::space_words().unwrap();
        for c in (0..0x11_0000).filter_map(char::from_u32) {
            if splitter.cuts_between(c, ' ') {
                let joins = format!("{c} ").graphemes(true).count() == 1;
                assert!(!joins || PREPENDED.contains(&c), "{:X}", c as u32);
            }
        }
        assert!(!Splitter::new(&crate::model::Pattern::Named(Named::None)).unwrap().cuts());
    }
}
