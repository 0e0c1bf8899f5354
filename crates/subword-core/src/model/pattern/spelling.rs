/*!
One regular expression, several spellings: a line break may be written `\n`, `\x0A`, `\u000A`, or as
the character itself.
*/

/// The character that `letter` after a backslash stands for, and how many bytes of `letter` and of
/// what is `after` it spell it. None for what is more than a character, and for what engines read
/// differently.
pub(crate) fn escaped_character(letter: char, after: &str) -> Option<(usize, char)> {
    let hex = |digits: &str| {
        let digits = digits.bytes().all(|byte| byte.is_ascii_hexdigit()).then_some(digits)?;
        u32::from_str_radix(digits, 16).ok().and_then(char::from_u32)
    };
    match letter {
        't' => Some((1, '\t')),
        'n' => Some((1, '\n')),
        'r' => Some((1, '\r')),
        'f' => Some((1, '\x0C')),
        'v' => Some((1, '\x0B')),
        'a' => Some((1, '\x07')),
        'e' => Some((1, '\x1B')),
        'x' => match after.strip_prefix('{') {
            Some(braced) => {
                let digits = braced.split_once('}')?.0;
                let character = hex(digits).filter(|_| digits.len() <= 6)?;
                Some((digits.len() + 3, character))
            }
            // Above ASCII two digits are a character to some engines and a byte of UTF-8 to others.
            None => Some((3, hex(after.get(..2)?).filter(char::is_ascii)?)),
        },
        'u' => Some((5, hex(after.get(..4)?)?)),
        _ if letter.is_ascii_alphanumeric() || letter.is_control() => None,
        _ => Some((letter.len_utf8(), letter)),
    }
}

/// The same regular expression with characters instead of escapes, as far as they cannot be anything
/// else: control characters, and all beyond ASCII. Two that are equal then have the same meaning.
pub(super) fn with_characters(regex: &str) -> String {
    let mut out = String::with_capacity(regex.len());
    let mut rest = regex;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let mut characters = rest[at + 1..].chars();
        let Some(letter) = characters.next() else {
            rest = &rest[at..];
            break;
        };
        let (len, plain) = match escaped_character(letter, characters.as_str()) {
            Some((len, character)) => (len, Some(character)),
            None => (letter.len_utf8(), None),
        };
        match plain.filter(|c| c.is_control() || !c.is_ascii()) {
            Some(character) => out.push(character),
            None => out.push_str(&rest[at..at + 1 + len]),
        }
        rest = &rest[at + 1 + len..];
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escapes_and_characters_are_one_spelling() {
        for (escaped, plain) in [
            (r"[^\r\n\p{L}]?\s*[\r\n]+", "[^\r\n\\p{L}]?\\s*[\r\n]+"),
            (r"[\u4e00-\x{9fa5}]\x09\t", "[一-龥]\t\t"),
            (r"\\n\-\.\[\x41", r"\\n\-\.\[\x41"),
            (r"\xE9\x{110000}\ud800\u4e0", r"\xE9\x{110000}\ud800\u4e0"),
            (r"a\", r"a\"),
        ] {
            assert_eq!(with_characters(escaped), plain, "{escaped}");
            assert_eq!(with_characters(plain), plain, "{escaped}");
        }
    }
}
