/*!
Where two regular expression engines disagree.

Hugging Face's tokenizers run Oniguruma, with Ruby's syntax; subword and tiktoken run engines with
Perl's. Most patterns mean the same in both. Some do not, and would silently cut text elsewhere:

```text
            Oniguruma                     ours
x{1,3}+     one or more times x{1,3}      at most three, and no way back
^ $         at every line                 at the text
(?m:.)      . matches a line break        ^ and $ at every line
\w \b       ²³¹¼½¾ are part of a word     the joiners U+200C and U+200D are
```

[`check`] refuses a pattern that uses anything outside the common ground. The named patterns are
known to be in it.
*/

use crate::error::{Error, Result};
use crate::pretok::Named;

/// The letters that may follow a backslash: they mean the same in both engines. `x` and `u` see
/// below.
const ESCAPES: &str = "dDsSpPrntfAz";

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::tests::Random;

    #[test]
    fn the_common_ground_is_wide() {
        for named in Named::ALL.into_iter().filter(|&named| named != Named::Cl100k) {
            for regex in named.regexes() {
                assert_eq!(difference(regex), None, "{regex}");
            }
        }
        for regex in [
            Named::CL100K_ONIGURUMA,
            r"\p{N}+|\p{Lu}{2,3}|[^$^{]+|(?i:x)|(?!\S)|(?<=a)b|(?:c)++|[\]$]|\$|\x41|\x{4e00}|\u4e00|中\中",
            r"\",
            r"\p{",
        ] {
            assert_eq!(difference(regex), None, "{regex}");
        }
    }

    #[test]
    fn what_is_read_differently_is_found() {
        for (regex, what) in [
            (r"\p{N}{1,3}+", "{}+"),
            (r"x{2}+", "{}+"),
            ("^a", "^"),
            (r"\s+$", "$"),
            ("(?m:.)", "(?m"),
            ("(?is)x", "(?s"),
            ("(?P<x>a)", "(?P"),
            (r"\h", r"\h"),
            (r"\w+|[^\w\s]+", r"\w"),
            (r"[\W]", r"\W"),
            (r"\bx", r"\b"),
            (r"a\Z", r"\Z"),
            (r"\xE9", r"\x"),
            (r"\u{e9}", r"\u"),
        ] {
            assert_eq!(difference(regex).as_deref(), Some(what), "{regex}");
        }
    }

    #[test]
    fn the_possessive_gpt2_is_known_but_that_of_cl100k_is_refused() {
        let gpt2 =
            r"'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s";
        assert_eq!(check(gpt2), Ok(()));
        assert!(check(Named::Cl100k.regexes()[0]).is_err());
    }

    #[test]
    fn the_two_spellings_of_cl100k_cut_alike() {
        let [ours, theirs] = [Named::Cl100k.regexes()[0], Named::CL100K_ONIGURUMA]
            .map(|regex| fancy_regex::Regex::new(regex).unwrap());
        let characters =
            ['a', 'É', '1', '²', ' ', '\t', '\n', '\r', '\u{a0}', '\'', 's', 'L', '!', '中'];
        let mut random = Random::new(11);
        for _ in 0..20_000 {
            let length = 1 + random.below(9);
            let text: String =
                (0..length).map(|_| characters[random.below(characters.len())]).collect();
            let pieces = |regex: &fancy_regex::Regex| -> Vec<_> {
                regex.find_iter(&text).map(|piece| piece.unwrap().range()).collect()
            };
            assert_eq!(pieces(&ours), pieces(&theirs), "{text:?}");
        }
    }
}
