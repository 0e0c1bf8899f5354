/*!
What single characters are to the steps of a chain: marks, punctuation, numbers, lower case, GPT-2's alphabet.

Hugging Face's library takes these from several sources with different versions of Unicode. A test asks it about every
character there is and compares.
*/

use crate::bert::{self, BertClass, Classes};

/// The characters of GPT-2's alphabet, by byte: printable bytes are themselves, the others follow from U+0100 on.
const ALPHABET: [char; 256] = alphabet();

const fn alphabet() -> [char; 256] {
    let mut table = ['\0'; 256];
    let (mut byte, mut moved) = (0, 0x100);
    while byte < 256 {
        table[byte] = if matches!(byte, 33..=126 | 161..=172 | 174..=255) {
            byte as u8 as char
        } else {
            moved += 1;
            match char::from_u32(moved - 1) {
                Some(c) => c,
                None => unreachable!(),
            }
        };
        byte += 1;
    }
    table
}

/// A byte as a character of GPT-2's alphabet.
pub(super) fn of_byte(byte: u8) -> char {
    ALPHABET[usize::from(byte)]
}

/// The byte that a character of GPT-2's alphabet stands for.
pub(super) fn to_byte(c: char) -> Option<u8> {
    match c as u32 {
        33..=126 | 161..=172 | 174..=255 => Some(c as u8),
        0x100..0x144 => ALPHABET.iter().position(|&of| of == c).map(|byte| byte as u8),
        _ => None,
    }
}

/// What StripAccents drops.
pub(super) fn is_combining_mark(c: char) -> bool {
    unicode_normalization::char::is_combining_mark(c)
}

/// What BERT's normaliser drops as an accent.
pub(super) fn is_nonspacing_mark(c: char) -> bool {
    bert::is_dropped(u32::from(c))
}

/// What BERT's normaliser drops when it cleans.
pub(super) fn is_bert_control(c: char) -> bool {
    bert::is_deleted(u32::from(c))
}

/// What Punctuation and BertPreTokenizer cut at.
pub(super) fn is_punctuation(c: char) -> bool {
    Classes::all().get(u32::from(c)) == BertClass::Punctuation
}

/// What Digits cuts at: numbers of any kind. Those of Unicode 17 are listed, because the standard library of our
/// compiler may be older.
pub(super) fn is_number(c: char) -> bool {
    c.is_numeric() || matches!(c, '\u{11DE0}'..='\u{11DE9}' | '\u{16FF4}'..='\u{16FF6}')
}

/// A character in lower case.
pub(super) fn lowercase(c: char) -> impl Iterator<Item = char> {
    let small = if c.is_ascii() { None } else { bert::lowercase(c) };
    let itself = small.is_none().then(|| c.to_ascii_lowercase());
    small.unwrap_or_default().chars().chain(itself)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_alphabet_leads_back() {
        assert!((0..=255).all(|byte| to_byte(of_byte(byte)) == Some(byte)));
        assert_eq!((of_byte(b' '), of_byte(b'\n'), of_byte(0xAD)), ('Ġ', 'Ċ', 'Ń'));
        assert_eq!((to_byte(' '), to_byte('\u{144}'), to_byte('中')), (None, None, None));
    }
}
