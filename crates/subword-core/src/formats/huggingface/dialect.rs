/*!
Regular expressions as Hugging Face's engine reads them, in a form that ours reads alike.

Hugging Face's tokenizers run Oniguruma, with Ruby's syntax; subword runs an engine with Perl's. Most
patterns mean the same in both. Some do not, and would silently cut text elsewhere:

```text
              Oniguruma                           ours
x{1,3}+       one or more times x{1,3}            at most three, and no way back
^ $           at every line                       at the text
a(?i)b|c      a(?i:b|c)                           a(?i:b)|(?i:c)
[[:alpha:]]   every letter                        those of ASCII
\w \b         ²³¹¼½¾ are part of a word           the joiners U+200C and U+200D are
(?i:ss)       matches ß, too                      only two letters
\pL           the two letters                     every letter
[a-c--b]      a, b, c and -                       a and c
```

So only what is known to be the same is accepted. A small parser (`parse`, `class`, `shape`) reads the grammar
that both engines share. What is in it is copied; what Oniguruma spells differently, and what has a plain
spelling that means the same in both engines, is translated; everything else is refused by its name.
Tests compare the pieces of every construct, and of random patterns, with the real library.

Invariant: what [`translate`] returns is translated no further, so [`check`] accepts it.
*/

mod class;
mod parse;
mod shape;

use crate::error::{Error, Result};
use crate::model::Named;
use parse::Translation;

/// A regular expression of a file, spelled so that our engine reads it as Hugging Face's does.
pub(super) fn translate(regex: &str) -> Result<String> {
    // One spelling of this pattern ends in `$` where both kinds of `$` give the same pieces.
    if Named::from_regexes(&[regex]) == Some(Named::Gpt2) {
        return Ok(regex.to_owned());
    }
    match parse::translation(regex) {
        Ok(translation) => Ok(translation.text),
        Err(what) => Err(refusal(regex, &what)),
    }
}

/// Refuses a regular expression of ours that Hugging Face's engine would read differently.
pub(super) fn check(regex: &str) -> Result<()> {
    match parse::translation(regex) {
        Ok(Translation { changed: None, .. }) => Ok(()),
        Ok(Translation { changed: Some(what), .. }) | Err(what) => Err(refusal(regex, &what)),
    }
}

fn refusal(regex: &str, what: &str) -> Error {
    Error::format(format!(
        "the pattern {regex:?} uses {what}, which Hugging Face's engine may read differently"
    ))
    .with_hint("write the pattern without it")
}

#[cfg(test)]
mod tests;
