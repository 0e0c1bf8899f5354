/*!
Where two regular expression engines disagree.

Hugging Face's tokenizers run Oniguruma, with Ruby's syntax; subword and tiktoken run engines with Perl's. Most patterns
mean the same in both. Some do not, and would silently cut text elsewhere:

```text
            Oniguruma                     ours
x{1,3}+     one or more times x{1,3}      at most three, and no way back
^ $         at every line                 at the text
(?m:.)      . matches a line break        ^ and $ at every line
```

[`check`] refuses a pattern that uses anything outside the common ground. The named patterns are known to be in it.
*/

use crate::error::{Error, Result};
use crate::pretok::Named;

/// The letters that may follow a backslash: they mean the same in both engines. `x` and `u` see below.
const ESCAPES: &str = "dDsSwWbBpPrntfAz";

/// The settings that may stand in `(?...)`.
const SETTINGS: &str = "i-";

/// Refuses a regular expression that the engines may read differently.
pub(super) fn check(regex: &str) -> Result<()> {
    let what = match difference(regex) {
        Some(what) if what == "{}+" || Named::from_regexes(&[regex]).is_none() => what,
        _ => return Ok(()),
    };
    Err(Error::format(format!(
        "the pattern {regex:?} uses {what}, which Hugging Face's engine reads differently"
    ))
    .with_hint("write the pattern without it"))
}

/// The first thing that the engines may read differently.
fn difference(regex: &str) -> Option<String> {
    let mut classes = 0;
    let mut at = 0;
    while let Some(character) = regex[at..].chars().next() {
        let rest = &regex[at + character.len_utf8()..];
        let next = rest.chars().next();
        at += character.len_utf8();
        match character {
            '\\' => {
                let escaped = next?;
                let after = &rest[escaped.len_utf8()..];
                let first = after.bytes().next();
                let agreed = match escaped {
                    'x' => matches!(first, Some(b'{' | b'0'..=b'7')),
                    'u' => first != Some(b'{'),
                    _ => !escaped.is_ascii_alphabetic() || ESCAPES.contains(escaped),
                };
                if !agreed {
                    return Some(format!("\\{escaped}"));
                }
                at += escaped.len_utf8();
                if first == Some(b'{') && matches!(escaped, 'p' | 'P' | 'x') {
                    at += after.find('}')? + 1;
                }
            }
            '[' => classes += 1,
            ']' if classes > 0 => classes -= 1,
            _ if classes > 0 => {}
            '^' | '$' => return Some(character.to_string()),
            '}' if next == Some('+') => return Some("{}+".to_owned()),
            '(' => {
                let Some(group) = rest.strip_prefix('?') else { continue };
                let settings = group.chars().take_while(|c| c.is_ascii_alphabetic() || *c == '-');
                if let Some(setting) = settings.into_iter().find(|&c| !SETTINGS.contains(c)) {
                    return Some(format!("(?{setting}"));
                }
            }
            _ => {}
        }
    }
    None
}
