/*!
Text to ordinary spans and special tokens.

```text
"a<|endoftext|>b"  ->  "a" | <|endoftext|> | "b"
```

The leftmost special token is cut out first, and of those that start at the same place the longest.
Which special tokens count is the caller's choice ([`Allowed`]); tokens that are always matched
count in any case.

White space that one token swallows may be another token: after a token with `rstrip` may come white space that is a
token itself. Then both are found, as in Hugging Face's tokenizers, and their spans overlap. Swallowed white space that
comes after such a token is ordinary text again:

```text
"a<m>   b", <m> with rstrip, two spaces are a token  ->  "a" | "<m>   " | "  " | " " | "b"
```

A token that does not count may still hide one that does: where `<a>` is text and `a>b` is always
matched, nothing is found in `<a>b`. Hugging Face's tokenizers look for all tokens at once and leave out
those that do not count; such tokens are *passed over* here. Where a caller selects some special tokens,
which Hugging Face's tokenizers cannot do, the others are unknown, as in tiktoken.
*/

mod edges;
mod search;
mod trusted;

use std::cmp::Ordering;
use std::ops::Range;

use crate::error::{Error, Result};
use crate::mem::FirstUse;
use crate::model::SpecialToken;
use crate::types::TokenId;

use search::Search;

pub use edges::Edges;
pub(crate) use trusted::split_trusted;

/// Which special tokens are recognised in a text.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Allowed {
    /// None: text that spells one is ordinary text.
    #[default]
    Text,
    /// All.
    All,
    /// None, and text that spells one is an error.
    Error,
    /// These, by their content.
    Only(Vec<String>),
}

/// Finds special tokens.
#[derive(Debug)]
pub struct Finder {
    /// None where there is nothing to find.
    search: Option<Box<Search>>,
    tokens: Vec<SpecialToken>,
    /// How many of the tokens count; those behind them are passed over.
    counting: usize,
    edges: Box<Edges>,
}

/// A part of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// Where it starts, in bytes.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// The special token that it is, or none.
    pub special: Option<TokenId>,
    /// It was cut off from what stands before it.
    pub goes_on: bool,
}

impl Finder {
    /// Finds these. One that is empty, as a token may be after normalisation, is never found.
    pub fn new(tokens: impl IntoIterator<Item = SpecialToken>) -> Result<Finder> {
        Finder::passing_over(tokens, [])
    }

    /// Finds these, and passes over `hiding`: text that spells one of them, and none of the others that
    /// starts before it or is longer, is ordinary.
    pub fn passing_over(
        tokens: impl IntoIterator<Item = SpecialToken>,
        hiding: impl IntoIterator<Item = SpecialToken>,
    ) -> Result<Finder> {
        let spelled = |token: &SpecialToken| !token.content.is_empty();
        let mut tokens: Vec<SpecialToken> = tokens.into_iter().filter(spelled).collect();
        let counting = tokens.len();
        let hiding = hiding.into_iter().filter(spelled).collect();
        tokens.extend(overlapping(&tokens, hiding));
        let contents: Vec<&str> = tokens.iter().map(|token| token.content.as_str()).collect();
        let too_many = |error| Error::format(format!("too many special tokens: {error}"));
        let search = if contents.is_empty() {
            None
        } else {
            Some(Box::new(Search::new(&contents).map_err(too_many)?))
        };
        Ok(Finder { search, edges: Box::new(Edges::of(&tokens)), tokens, counting })
    }

    /// Whether it never finds anything.
    pub fn is_empty(&self) -> bool {
        self.search.is_none()
    }

    /// What two adjacent bytes tell about what it finds.
    pub fn edges(&self) -> &Edges {
        &self.edges
    }

    /// What it finds or passes over.
    #[cfg(test)]
    pub(crate) fn contents(&self) -> impl Iterator<Item = &str> {
        self.tokens.iter().map(|token| token.content.as_str())
    }

    /// The length of the longest token that it finds or passes over, in bytes.
    pub fn longest(&self) -> usize {
        self.tokens.iter().map(|token| token.content.len()).max().unwrap_or(0)
    }

    /// The first special token in a text and where it starts.
    pub fn first(&self, text: &[u8]) -> Option<(&SpecialToken, usize)> {
        let found = self.search.as_ref()?.find(text, 0..text.len())?;
        Some((&self.tokens[found.string], found.place.start))
    }

    /// Calls `span` with each part of the text, in order; no part is empty. Special tokens overlap
    /// where one swallows white space that is another.
    pub fn split(&self, text: &[u8], span: impl FnMut(Span) -> Result<()>) -> Result<()> {
        let mut cutter = Cutter { text, at: 0, swallowed: 0, span };
        let mut at = 0;
        while let Some(found) = self.search.as_ref().and_then(|s| s.find(text, at..text.len())) {
            at = found.place.end;
            if found.string < self.counting {
                cutter.cut_out(&self.tokens[found.string], found.place)?;
            }
        }
        cutter.finish()
    }
}

/// Cuts a text into spans, as special tokens are found in it from left to right.
struct Cutter<'a, F> {
    text: &'a [u8],
    /// Where the last special token ended.
    at: usize,
    /// Where the white space ends that was swallowed last: a run of it is walked over once.
    swallowed: usize,
    span: F,
}

impl<F: FnMut(Span) -> Result<()>> Cutter<'_, F> {
    /// The next special token is spelled here.
    fn cut_out(&mut self, token: &SpecialToken, place: Range<usize>) -> Result<()> {
        let (text, at) = (self.text, self.at);
        let Range { mut start, mut end } = place;
        if token.single_word && (ends_in_word(&text[..start]) || starts_word(&text[end..])) {
            return Ok(());
        }
        if token.lstrip {
            start = at + text.get(at..start).map_or(0, trimmed_end);
        }
        if token.rstrip {
            end = match end.cmp(&self.swallowed) {
                Ordering::Less => self.swallowed,
                _ => text.len() - trimmed_start(&text[end..]),
            };
            self.swallowed = end;
        }
        if start >= end {
            // All of it was swallowed by the token before it, and it begins where that one ends.
            return Ok(());
        }
        if start > at {
            (self.span)(Span { start: at, end: start, special: None, goes_on: false })?;
        }
        (self.span)(Span { start, end, special: Some(token.id), goes_on: false })?;
        self.at = end;
        Ok(())
    }

    /// What follows the last special token is ordinary text.
    fn finish(mut self) -> Result<()> {
        let (start, end) = (self.at, self.text.len());
        if start < end {
            (self.span)(Span { start, end, special: None, goes_on: false })?;
        }
        Ok(())
    }
}

/// The tokens of `hiding` that may hide one of `tokens`, because some text spells parts of both with
/// the same bytes, or because they may hide one that does. Most have no byte in common with any, as
/// `<|endoftext|>` and runs of spaces.
fn overlapping(tokens: &[SpecialToken], hiding: Vec<SpecialToken>) -> Vec<SpecialToken> {
    let mut bytes = [false; 256];
    let add = |bytes: &mut [bool; 256], token: &SpecialToken| {
        token.content.bytes().for_each(|byte| bytes[usize::from(byte)] = true);
    };
    tokens.iter().for_each(|token| add(&mut bytes, token));
    let (mut found, mut rest) = (Vec::new(), hiding);
    loop {
        let shares = |token: &SpecialToken| token.content.bytes().any(|b| bytes[usize::from(b)]);
        let (more, others): (Vec<_>, Vec<_>) = rest.into_iter().partition(shares);
        if more.is_empty() {
            return found;
        }
        more.iter().for_each(|token| add(&mut bytes, token));
        found.extend(more);
        rest = others;
    }
}

/// `\w`, as the regular expression engine has it.
fn is_word(c: char) -> bool {
    static WORD: FirstUse<fancy_regex::Regex> = FirstUse::new();
    let word = WORD.get_or_make(|| fancy_regex::Regex::new(r"^\w").expect("a valid pattern"));
    word.is_match(c.encode_utf8(&mut [0; 4])).unwrap_or(false)
}

fn last_char(text: &[u8]) -> Option<char> {
    let tail = &text[text.len().saturating_sub(4)..];
    (0..tail.len()).find_map(|from| std::str::from_utf8(&tail[from..]).ok())?.chars().next_back()
}

fn first_char(text: &[u8]) -> Option<char> {
    let head = &text[..text.len().min(4)];
    (1..=head.len()).find_map(|to| std::str::from_utf8(&head[..to]).ok())?.chars().next()
}

fn ends_in_word(text: &[u8]) -> bool {
    last_char(text).is_some_and(is_word)
}

fn starts_word(text: &[u8]) -> bool {
    first_char(text).is_some_and(is_word)
}

/// Where the white space at the end of the text starts.
fn trimmed_end(mut text: &[u8]) -> usize {
    while let Some(c) = last_char(text).filter(|c| c.is_whitespace()) {
        text = &text[..text.len() - c.len_utf8()];
    }
    text.len()
}

/// How much is left after the white space at the start of the text.
fn trimmed_start(mut text: &[u8]) -> usize {
    while let Some(c) = first_char(text).filter(|c| c.is_whitespace()) {
        text = &text[c.len_utf8()..];
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(tokens: Vec<SpecialToken>, text: &str) -> Vec<(String, Option<TokenId>)> {
        let mut parts = Vec::new();
        let finder = Finder::new(tokens).unwrap();
        let span = |s: Span| {
            parts.push((text[s.start..s.end].to_owned(), s.special));
            Ok(())
        };
        finder.split(text.as_bytes(), span).unwrap();
        parts
    }

    fn part(text: &str, special: Option<TokenId>) -> (String, Option<TokenId>) {
        (text.to_owned(), special)
    }

    #[test]
    fn the_longest_special_token_wins() {
        let tokens = vec![SpecialToken::new("<a>", 1), SpecialToken::new("<a><a>", 2)];
        let expected = [part("x", None), part("<a><a>", Some(2)), part("<a>", Some(1))];
        assert_eq!(parts(tokens, "x<a><a><a>"), expected);
    }

    #[test]
    fn white_space_is_swallowed_on_request() {
        let strip = SpecialToken { lstrip: true, rstrip: true, ..SpecialToken::new("<m>", 1) };
        let expected = [part("a", None), part(" \u{3000}<m>\n ", Some(1)), part("b", None)];
        assert_eq!(parts(vec![strip], "a \u{3000}<m>\n b"), expected);
    }

    #[test]
    fn a_single_word_needs_room_on_both_sides() {
        let word = || SpecialToken { single_word: true, ..SpecialToken::new("dog", 1) };
        assert_eq!(parts(vec![word()], "dogs é_dog"), [part("dogs é_dog", None)]);
        assert_eq!(parts(vec![word()], "a dog!")[1], part("dog", Some(1)));
    }

    #[test]
    fn white_space_that_was_swallowed_may_be_a_token_itself() {
        let tokens = || {
            let strip = SpecialToken { rstrip: true, ..SpecialToken::new("<m>", 1) };
            vec![strip, SpecialToken::new("  ", 2)]
        };
        let swallowed = part("<m>   ", Some(1));
        let expected = [part("a", None), swallowed, part("  ", Some(2)), part(" b", None)];
        assert_eq!(parts(tokens(), "a<m>   b"), expected);
        let left = SpecialToken { lstrip: true, ..SpecialToken::new("\t", 3) };
        let tokens = tokens().into_iter().chain([left]).collect();
        assert_eq!(parts(tokens, "<m> \tb"), [part("<m> \t", Some(1)), part("b", None)]);
    }

    #[test]
    fn a_run_of_tokens_that_swallow_white_space_takes_linear_time() {
        let text = "\t".repeat(1 << 20);
        for (lstrip, rstrip) in [(true, false), (false, true), (true, true)] {
            let tab = SpecialToken { lstrip, rstrip, ..SpecialToken::new("\t", 1) };
            let mut found = 0;
            let count = |_| {
                found += 1;
                Ok(())
            };
            Finder::new([tab]).unwrap().split(text.as_bytes(), count).unwrap();
            // With both, the first token swallows all others.
            assert_eq!(found, if lstrip && rstrip { 1 } else { text.len() });
        }
    }

    #[test]
    fn a_token_that_does_not_count_hides_what_overlaps_it() {
        let always = || vec![SpecialToken::new("a>b", 2)];
        let split = |hiding: Vec<SpecialToken>, text: &str| {
            let mut found = Vec::new();
            let finder = Finder::passing_over(always(), hiding).unwrap();
            finder.split(text.as_bytes(), |span| {
                found.push((span.start, span.special));
                Ok(())
            })?;
            Ok::<_, Error>(found)
        };
        assert_eq!(split(vec![], "<a>b"), Ok(vec![(0, None), (1, Some(2))]));
        assert_eq!(split(vec![SpecialToken::new("<a>", 1)], "<a>b"), Ok(vec![(0, None)]));
        // One that hides the one that hides.
        let both = || vec![SpecialToken::new("<a>", 1), SpecialToken::new("x<", 3)];
        assert_eq!(split(both(), "x<a>b"), Ok(vec![(0, None), (2, Some(2))]));
        let finder = Finder::passing_over(always(), [SpecialToken::new("|-|", 4)]).unwrap();
        assert_eq!(finder.contents().collect::<Vec<_>>(), ["a>b"], "no byte in common");
    }

    #[test]
    fn an_empty_token_is_never_found() {
        assert_eq!(parts(vec![SpecialToken::new("", 1)], "ab"), [part("ab", None)]);
        assert!(Finder::new([SpecialToken::new("", 1)]).unwrap().is_empty());
    }

    #[test]
    fn nothing_to_find_is_one_span() {
        assert_eq!(parts(vec![], "abc"), [part("abc", None)]);
        assert_eq!(parts(vec![], ""), []);
    }
}
