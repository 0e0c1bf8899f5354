/*!
What two adjacent bytes tell about special tokens.

A special token that is spelled across a place has the byte before and the byte after that place side by side.
So where no token has these two bytes side by side, none is spelled across, whatever stands around them: which
tokens a text has on one side does not depend on the other. Pairs of bytes say no more often than a search would,
and need no look at the text around them, which may not be there yet.

A token that swallows white space or looks at its neighbours needs more room: it must not begin or end at the
place, and there must be no white space before it, which may belong to such a token on either side.
*/

use crate::model::SpecialToken;

/// The pairs of bytes that special tokens have, and the bytes that they begin and end with.
#[derive(Debug, Default)]
pub struct Edges {
    /// A bit for each pair that stands side by side in a token; no bits where there is no pair.
    pairs: Vec<u64>,
    looks_around: bool,
    /// The first and last bytes of tokens that look around.
    first: ByteSet,
    last: ByteSet,
}

/// A set of bytes.
#[derive(Debug, Default)]
struct ByteSet([u64; 4]);

impl ByteSet {
    fn insert(&mut self, byte: Option<&u8>) {
        byte.into_iter().for_each(|&byte| self.0[usize::from(byte >> 6)] |= 1 << (byte & 63));
    }

    fn contains(&self, byte: u8) -> bool {
        self.0[usize::from(byte >> 6)] >> (byte & 63) & 1 == 1
    }
}

impl Edges {
    /// Those of special tokens.
    pub(super) fn of(tokens: &[SpecialToken]) -> Edges {
        let mut edges = Edges::default();
        for token in tokens {
            let content = token.content.as_bytes();
            edges.insert(content);
            if token.lstrip || token.rstrip || token.single_word {
                edges.looks_around = true;
                edges.first.insert(content.first());
                edges.last.insert(content.last());
            }
        }
        edges
    }

    /// Adds what must not be cut in two.
    pub fn insert(&mut self, content: &[u8]) {
        for two in content.windows(2) {
            if self.pairs.is_empty() {
                self.pairs.resize(1 << 10, 0);
            }
            self.pairs[usize::from(two[0]) << 2 | usize::from(two[1] >> 6)] |= 1 << (two[1] & 63);
        }
    }

    /// Whether a token may be spelled across the place between these two bytes.
    #[inline]
    pub fn span(&self, before: u8, after: u8) -> bool {
        let bits = self.pairs.get(usize::from(before) << 2 | usize::from(after >> 6));
        bits.is_some_and(|bits| bits >> (after & 63) & 1 == 1)
    }

    /// Whether a token that looks around may see across the place between these two bytes; `white`: there is
    /// white space before it.
    #[inline]
    pub fn see(&self, before: u8, after: u8, white: impl FnOnce() -> bool) -> bool {
        self.looks_around && (white() || self.last.contains(before) || self.first.contains(after))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exactly_the_pairs_of_tokens_span() {
        let tokens = [SpecialToken::new("<a b>", 0), SpecialToken::new("é", 1)];
        let edges = Edges::of(&tokens);
        let mut found = Vec::new();
        for before in 0..=255 {
            let after = (0..=255).filter(|&after| edges.span(before, after));
            found.extend(after.map(|after| [before, after]));
        }
        assert_eq!(found, [*b" b", *b"<a", *b"a ", *b"b>", [0xC3, 0xA9]]);
        assert!(!edges.looks_around && !edges.see(b'<', b'<', || true));
        assert!(!Edges::default().span(0, 0));
    }

    #[test]
    fn tokens_that_look_around_see_what_touches_them() {
        let edges = Edges::of(&[SpecialToken { rstrip: true, ..SpecialToken::new("<m>", 0) }]);
        assert!(edges.see(b'>', b'x', || false) && edges.see(b'x', b'<', || false));
        assert!(edges.see(b' ', b'x', || true));
        assert!(!edges.see(b'x', b' ', || false) && !edges.see(b'<', b'>', || false));
    }
}
