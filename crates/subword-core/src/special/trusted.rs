/*!
A text of trusted and untrusted parts: special tokens count where they stand in trusted text as a whole.

A chat server writes `<|im_end|>` after what a user wrote. If the user wrote `<|im_end|>` too, that is ordinary text:

```text
"<|user|>" trusted, "a<|im_end|>b" not, "<|im_end|>" trusted   ->   <|user|> | "a<|im_end|>b" | <|im_end|>
```

Tokens that are always matched are words of the vocabulary, and count everywhere. Of all that count the leftmost is
found first, of those that start at the same place the longest, as everywhere. So two searches run side by side:
that for all tokens within each trusted part, and that for the tokens that always count in the whole text.
*/

use std::ops::Range;

use super::search::Found;
use super::{Cutter, Finder, Span};
use crate::error::Result;

/// Calls `span` with each part of the text, in order. `all` are found within the `trusted` ranges, which rise and
/// do not touch, and `always` everywhere.
pub(crate) fn split_trusted(
    text: &[u8],
    trusted: &[Range<usize>],
    all: &Finder,
    always: &Finder,
    span: impl FnMut(Span) -> Result<()>,
) -> Result<()> {
    let mut cutter = Cutter { text, at: 0, swallowed: 0, span };
    let whole = 0..text.len();
    let (mut in_trusted, mut anywhere) =
        (Search::new(all, text, trusted), Search::new(always, text, std::slice::from_ref(&whole)));
    let mut at = 0;
    loop {
        let (trusted, other) = (in_trusted.next(at), anywhere.next(at));
        let first = match (trusted, other) {
            (None, None) => return cutter.finish(),
            (Some(found), None) | (None, Some(found)) => found,
            (Some(trusted), Some(other)) => {
                // Where both find the same, it is the trusted one that counts.
                let longer = other.place.end > trusted.place.end;
                let other_first = other.place.start < trusted.place.start
                    || other.place.start == trusted.place.start && longer;
                if other_first { other } else { trusted }
            }
        };
        at = first.place.end;
        let finder = first.finder;
        if first.pattern < finder.counting {
            cutter.cut_out(&finder.tokens[first.pattern], first.place)?;
        }
    }
}

/// What a search has found.
#[derive(Clone)]
struct Match<'a> {
    finder: &'a Finder,
    pattern: usize,
    place: Range<usize>,
}

/// A search for the next token within some ranges of a text.
struct Search<'a> {
    finder: &'a Finder,
    text: &'a [u8],
    ranges: &'a [Range<usize>],
    /// What was found last; none if it has to be searched for.
    found: Option<Match<'a>>,
}

impl<'a> Search<'a> {
    fn new(finder: &'a Finder, text: &'a [u8], ranges: &'a [Range<usize>]) -> Search<'a> {
        Search { finder, text, ranges, found: None }
    }

    /// The first token that starts at `at` or later.
    fn next(&mut self, at: usize) -> Option<Match<'a>> {
        if self.found.as_ref().is_none_or(|found| found.place.start < at) {
            self.found = self.search(at);
        }
        self.found.clone()
    }

    fn search(&mut self, at: usize) -> Option<Match<'a>> {
        let search = self.finder.search.as_ref()?;
        while let Some(range) = self.ranges.first() {
            if at < range.end {
                let within = at.max(range.start)..range.end;
                if let Some(Found { string, place }) = search.find(self.text, within) {
                    return Some(Match { finder: self.finder, pattern: string, place });
                }
            }
            self.ranges = &self.ranges[1..];
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::SpecialToken;
    use crate::testing::Random;

    /// The special tokens that are found, with their places, where these ranges are trusted.
    fn found(
        text: &str,
        trusted: &[(usize, usize)],
        tokens: &[SpecialToken],
    ) -> Vec<(u32, Range<usize>)> {
        let trusted: Vec<Range<usize>> = trusted.iter().map(|&(start, end)| start..end).collect();
        let always = tokens.iter().filter(|token| token.always).cloned();
        let (all, always) = (Finder::new(tokens.to_vec()).unwrap(), Finder::new(always).unwrap());
        let mut found = Vec::new();
        split_trusted(text.as_bytes(), &trusted, &all, &always, |span| {
            found.extend(span.special.map(|id| (id, span.start..span.end)));
            Ok(())
        })
        .unwrap();
        found
    }

    fn word(content: &str, id: u32) -> SpecialToken {
        SpecialToken { always: true, ..SpecialToken::new(content, id) }
    }

    #[test]
    fn a_token_counts_where_all_of_it_is_trusted() {
        let tokens = [SpecialToken::new("<e>", 1), SpecialToken::new("<e><e>", 2)];
        assert_eq!(found("<e>a<e>", &[(0, 3)], &tokens), [(1, 0..3)]);
        assert_eq!(
            found("<e><e>", &[(0, 5)], &tokens),
            [(1, 0..3)],
            "the longer one is not trusted"
        );
        assert_eq!(found("<e><e>", &[(0, 6)], &tokens), [(2, 0..6)]);
        assert_eq!(found("<e>", &[(0, 1), (2, 3)], &tokens), []);
    }

    #[test]
    fn words_count_everywhere() {
        let tokens = [SpecialToken::new("<e>", 1), word("e>x", 2), word("<", 3)];
        assert_eq!(found("<e>x", &[], &tokens), [(3, 0..1), (2, 1..4)]);
        assert_eq!(
            found("<e>x", &[(0, 3)], &tokens),
            [(1, 0..3)],
            "the leftmost, then the longest"
        );
        assert_eq!(found("<e>x", &[(1, 4)], &tokens), [(3, 0..1), (2, 1..4)], "across two parts");
    }

    #[test]
    fn it_finds_the_leftmost_then_longest_of_all_that_count() {
        let mut random = Random::new(5);
        for _ in 0..3000 {
            let string = |random: &mut Random, most: usize| -> String {
                (0..1 + random.below(most)).map(|_| ['a', 'b', '<'][random.below(3)]).collect()
            };
            let mut tokens: Vec<SpecialToken> = Vec::new();
            for id in 0..1 + random.below(4) as u32 {
                let content = string(&mut random, 3);
                if tokens.iter().all(|token| token.content != content) {
                    let always = random.below(2) == 0;
                    tokens.push(SpecialToken { always, ..SpecialToken::new(content, id) });
                }
            }
            let text = string(&mut random, 12);
            let trust: Vec<bool> = text.chars().map(|_| random.below(3) > 0).collect();
            let mut ranges: Vec<(usize, usize)> = Vec::new();
            for (at, _) in trust.iter().enumerate().filter(|(_, trusted)| **trusted) {
                match ranges.last_mut().filter(|last| last.1 == at) {
                    Some(last) => last.1 = at + 1,
                    None => ranges.push((at, at + 1)),
                }
            }
            let (mut expected, mut at) = (Vec::new(), 0);
            while at < text.len() {
                let counts = |token: &&SpecialToken| {
                    let end = at + token.content.len();
                    text[at..].starts_with(&token.content)
                        && (token.always || trust[at..end].iter().all(|trusted| *trusted))
                };
                match tokens.iter().filter(counts).max_by_key(|token| token.content.len()) {
                    Some(token) => {
                        expected.push((token.id, at..at + token.content.len()));
                        at += token.content.len();
                    }
                    None => at += 1,
                }
            }
            assert_eq!(found(&text, &ranges, &tokens), expected, "{text:?} {ranges:?} {tokens:?}");
        }
    }
}
