/*!
Text to ordinary spans and special tokens.

```text
"a<|endoftext|>b"  ->  "a" | <|endoftext|> | "b"
```

The leftmost special token is cut out first, and of those that start at the same place the longest.
Which special tokens count is the caller's choice ([`Allowed`]); tokens that are always matched
count in any case.
*/

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::error::{Error, Result};
use crate::model::SpecialToken;
use crate::types::TokenId;

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
    automaton: Option<AhoCorasick>,
    tokens: Vec<SpecialToken>,
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
}

impl Finder {
    /// Finds these.
    pub fn new(tokens: impl IntoIterator<Item = SpecialToken>) -> Result<Finder> {
        let tokens: Vec<SpecialToken> = tokens.into_iter().collect();
        let automaton = if tokens.is_empty() {
            None
        } else {
            let contents = tokens.iter().map(|token| &token.content);
            let built =
                AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(contents);
            Some(
                built
                    .map_err(|error| Error::format(format!("too many special tokens: {error}")))?,
            )
        };
        Ok(Finder { automaton, tokens })
    }

    /// Whether it never finds anything.
    pub fn is_empty(&self) -> bool {
        self.automaton.is_none()
    }

    /// What it finds.
    pub fn contents(&self) -> impl Iterator<Item = &str> {
        self.tokens.iter().map(|token| token.content.as_str())
    }

    /// The length of the longest token that it finds, in bytes.
    pub fn longest(&self) -> usize {
        self.tokens.iter().map(|token| token.content.len()).max().unwrap_or(0)
    }

    /// Whether a token that it finds swallows white space or looks at its neighbours.
    pub fn looks_around(&self) -> bool {
        self.tokens.iter().any(|token| token.lstrip || token.rstrip || token.single_word)
    }

    /// Whether all tokens that it finds are runs of spaces.
    pub fn finds_only_spaces(&self) -> bool {
        self.tokens.iter().all(|token| token.content.bytes().all(|byte| byte == b' '))
    }

    /// The first special token in a text and where it starts.
    pub fn first(&self, text: &[u8]) -> Option<(&SpecialToken, usize)> {
        let found = self.automaton.as_ref()?.find(text)?;
        Some((&self.tokens[found.pattern()], found.start()))
    }

    /// Calls `span` with each part of the text, in order; no part is empty.
    pub fn split(&self, text: &[u8], mut span: impl FnMut(Span) -> Result<()>) -> Result<()> {
        let mut at = 0;
        for found in self.automaton.iter().flat_map(|automaton| automaton.find_iter(text)) {
            let token = &self.tokens[found.pattern()];
            let (mut start, mut end) = (found.start(), found.end());
            if start < at
                || token.single_word && (ends_in_word(&text[..start]) || starts_word(&text[end..]))
            {
                continue;
            }
            if token.lstrip {
                start = at.max(trimmed_end(&text[..start]));
            }
            if token.rstrip {
                end += text[end..].len() - trimmed_start(&text[end..]);
            }
            if start > at {
                span(Span { start: at, end: start, special: None })?;
            }
            span(Span { start, end, special: Some(token.id) })?;
            at = end;
        }
        if at < text.len() {
            span(Span { start: at, end: text.len(), special: None })?;
        }
        Ok(())
    }
}

/// `\w`, as the regular expression engine has it.
fn is_word(c: char) -> bool {
    static WORD: LazyLock<fancy_regex::Regex> =
        LazyLock::new(|| fancy_regex::Regex::new(r"^\w").expect("a valid pattern"));
    WORD.is_match(c.encode_utf8(&mut [0; 4])).unwrap_or(false)
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
    fn nothing_to_find_is_one_span() {
        assert_eq!(parts(vec![], "abc"), [part("abc", None)]);
        assert_eq!(parts(vec![], ""), []);
    }
}
