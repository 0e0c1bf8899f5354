/*!
The scanners: where does the piece that starts at `at` end?

One function per family of patterns, each a reading of its regular expression from left to right
with the backtracking worked out by hand. They are plain and they define the answer; `blocks` finds
the same ends 64 bytes at a time where it can. A scanner never looks at what stands
before `at`, so a text can be cut at any piece boundary.

Every scanner is linear: it reads each character a bounded number of times, however long the piece.
*/

use super::class::{Char, Class, char_at, is_cjk};

/// `gpt2`
pub(super) fn gpt2(text: &[u8], at: usize) -> usize {
    let Some(first) = char_at(text, at) else { return at };
    if let Some(end) = contraction(text, at, false) {
        return end;
    }
    let after_space = (text[at] == b' ').then(|| char_at(text, first.end)).flatten();
    let head = after_space.filter(|next| !next.class.is_space()).unwrap_or(first);
    match head.class {
        class if class.is_letter() => run(text, head.end, Class::is_letter),
        Class::Number => run(text, head.end, |class| class == Class::Number),
        class if class.is_other() => run(text, head.end, Class::is_other),
        _ => {
            let spaces = Spaces::at(text, at, |_| true);
            spaces.before_last_or_all()
        }
    }
}

/// `cl100k`, `llama3` and `qwen2`
pub(super) fn cl100k(text: &[u8], at: usize, digits: usize, space_to_end: bool) -> usize {
    let Some(first) = char_at(text, at) else { return at };
    if let Some(end) = contraction(text, at, true) {
        return end;
    }
    let next = char_at(text, first.end);
    match first.class {
        class if class.is_letter() => run(text, first.end, Class::is_letter),
        Class::Number => run_of(text, first.end, digits - 1, |class| class == Class::Number),
        Class::Newline => spaces(text, at, space_to_end),
        _ => match next {
            Some(next) if next.class.is_letter() => run(text, next.end, Class::is_letter),
            _ if first.class.is_other() => symbols(text, first.end, newline),
            Some(next) if text[at] == b' ' && next.class.is_other() => {
                symbols(text, next.end, newline)
            }
            _ => spaces(text, at, space_to_end),
        },
    }
}

/// `o200k`
pub(super) fn o200k(text: &[u8], at: usize) -> usize {
    let Some(first) = char_at(text, at) else { return at };
    let prefix = match first.class {
        Class::Newline | Class::Number => None,
        class if class.is_letter() => None,
        _ => Some(first.end),
    };
    // The order of the two alternatives and of their optional first character.
    let word = prefix
        .and_then(|start| lower_word(text, start))
        .or_else(|| lower_word(text, at))
        .or_else(|| prefix.and_then(|start| upper_word(text, start)))
        .or_else(|| upper_word(text, at));
    if let Some(end) = word {
        return contraction(text, end, true).unwrap_or(end);
    }
    let newline_or_slash = |c: Char| c.class == Class::Newline || c.code == u32::from(b'/');
    match first.class {
        Class::Number => run_of(text, first.end, 2, |class| class == Class::Number),
        class if class.is_other() => symbols(text, first.end, newline_or_slash),
        _ => match char_at(text, first.end) {
            Some(next) if text[at] == b' ' && next.class.is_other() => {
                symbols(text, next.end, newline_or_slash)
            }
            _ => spaces(text, at, false),
        },
    }
}

/// `deepseek-v3`: digits and runs of CJK characters are cut out first; such a run, and what is
/// between them, is a text of its own.
pub(super) fn deepseek_v3(text: &[u8], at: usize) -> usize {
    let Some(first) = char_at(text, at) else { return at };
    if first.class == Class::Number {
        return run_of(text, first.end, 2, |class| class == Class::Number);
    }
    let cjk = is_cjk(first.code);
    let here = |c: Char| c.class != Class::Number && is_cjk(c.code) == cjk;
    let inside = |at: usize| char_at(text, at).filter(|&c| here(c));
    let word = |c: Char| (c.class.is_letter() || c.class == Class::Mark) && here(c);
    let symbol = |c: Char| c.class == Class::Symbol && here(c);
    let newline = |c: Char| newline(c) && here(c);
    let next = inside(first.end);
    let alphabetic = |at: usize| text.get(at).is_some_and(u8::is_ascii_alphabetic);
    if text[at].is_ascii_punctuation() && alphabetic(first.end) {
        return run_while(text, first.end, |c| c.code < 128 && alphabetic(c.end - 1));
    }
    match first.class {
        Class::Newline => {}
        Class::Symbol => return symbols_of(text, first.end, symbol, newline),
        _ if word(first) => return run_while(text, first.end, word),
        _ => {
            if let Some(next) = next.filter(|&next| word(next)) {
                return run_while(text, next.end, word);
            }
            if let Some(next) = next.filter(|&next| text[at] == b' ' && symbol(next)) {
                return symbols_of(text, next.end, symbol, newline);
            }
        }
    }
    if first.class == Class::Other {
        // No alternative matches here: the piece goes on until one does.
        let mut end = first.end;
        while let Some(c) = inside(end).filter(|c| c.class == Class::Other) {
            if inside(c.end).is_some_and(word) {
                break;
            }
            end = c.end;
        }
        return end;
    }
    let spaces = Spaces::at(text, at, |end| inside(end).is_some());
    spaces.to_last_newline.unwrap_or_else(|| spaces.before_last_or_all())
}

fn newline(c: Char) -> bool {
    c.class == Class::Newline
}

/// The end of the run of characters from `at` whose class is in the set.
#[inline(always)]
fn run(text: &[u8], at: usize, set: impl Fn(Class) -> bool) -> usize {
    run_while(text, at, |c| set(c.class))
}

/// The same for a set of characters.
#[inline(always)]
fn run_while(text: &[u8], mut at: usize, set: impl Fn(Char) -> bool) -> usize {
    while let Some(c) = char_at(text, at).filter(|&c| set(c)) {
        at = c.end;
    }
    at
}

/// The same for at most `most` characters.
#[inline(always)]
fn run_of(text: &[u8], mut at: usize, most: usize, set: impl Fn(Class) -> bool) -> usize {
    for _ in 0..most {
        match char_at(text, at).filter(|c| set(c.class)) {
            Some(c) => at = c.end,
            None => break,
        }
    }
    at
}

/// `[^\s\p{L}\p{N}]*` and then the characters that a run of symbols swallows.
#[inline(always)]
fn symbols(text: &[u8], at: usize, swallowed: impl Fn(Char) -> bool) -> usize {
    symbols_of(text, at, |c| c.class.is_other(), swallowed)
}

#[inline(always)]
fn symbols_of(
    text: &[u8],
    at: usize,
    symbol: impl Fn(Char) -> bool,
    swallowed: impl Fn(Char) -> bool,
) -> usize {
    run_while(text, run_while(text, at, symbol), swallowed)
}

/// `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+`
///
/// The first part takes all it can. If a lower-case letter follows, the second part goes on from
/// there; if not, the first part gives back characters until one fits the second, which then takes
/// just that one.
fn lower_word(text: &[u8], mut at: usize) -> Option<usize> {
    let mut after_caseless = None;
    while let Some(c) = char_at(text, at) {
        match c.class {
            Class::Upper => {}
            Class::Letter | Class::Mark => after_caseless = Some(c.end),
            Class::Lower => {
                return Some(run(text, c.end, |class| {
                    matches!(class, Class::Lower | Class::Letter | Class::Mark)
                }));
            }
            _ => break,
        }
        at = c.end;
    }
    after_caseless
}

/// `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*`, where `lower_word` has failed:
/// only the first part.
fn upper_word(text: &[u8], at: usize) -> Option<usize> {
    let end = run(text, at, |class| class == Class::Upper);
    (end > at).then_some(end)
}

/// `'(?:[sdmt]|ll|ve|re)`, in any case if `fold`: `ſ` (U+017F) is an `s` then.
#[inline]
pub(super) fn contraction(text: &[u8], at: usize, fold: bool) -> Option<usize> {
    if text.get(at) != Some(&b'\'') {
        return None;
    }
    let letter = |i: usize| text.get(at + i).map_or(0, |&b| if fold { b | 0x20 } else { b });
    match (letter(1), letter(2)) {
        (b's' | b'd' | b'm' | b't', _) => Some(at + 2),
        (b'l', b'l') | (b'v' | b'r', b'e') => Some(at + 3),
        _ if fold && text[at + 1..].starts_with("ſ".as_bytes()) => Some(at + 3),
        _ => None,
    }
}

/// The white space alternatives of cl100k and its children.
fn spaces(text: &[u8], at: usize, space_to_end: bool) -> usize {
    let spaces = Spaces::at(text, at, |_| true);
    if space_to_end && spaces.end == text.len() {
        return spaces.end;
    }
    spaces.to_last_newline.unwrap_or_else(|| spaces.before_last_or_all())
}

/// A run of white space.
struct Spaces {
    /// Where it ends.
    end: usize,
    /// `\s*[\r\n]+`: the end of its last newline.
    to_last_newline: Option<usize>,
    /// Where its last character starts.
    last: usize,
    start: usize,
    /// Something that is not white space follows.
    followed: bool,
}

impl Spaces {
    /// The run from `start`; `followed(end)` says whether the text goes on at `end`.
    fn at(text: &[u8], start: usize, followed: impl Fn(usize) -> bool) -> Spaces {
        let mut spaces =
            Spaces { end: start, to_last_newline: None, last: start, start, followed: true };
        while let Some(c) = char_at(text, spaces.end).filter(|c| c.class.is_space()) {
            if c.class == Class::Newline {
                spaces.to_last_newline = Some(c.end);
            }
            spaces.last = spaces.end;
            spaces.end = c.end;
        }
        spaces.followed = spaces.end < text.len() && followed(spaces.end);
        spaces
    }

    /// `\s+(?!\S)|\s+`: all of it, or all but the last character if a word follows and something is
    /// left.
    fn before_last_or_all(&self) -> usize {
        if self.followed && self.last > self.start { self.last } else { self.end }
    }
}
