/*!
Tokens of whole characters: which pairs of bytes never merge.

```text
may be made         " 中"      "中国"     E4 B8, the start of 中
may not be made     " " E4     B8 AD      AD E5, the end of one character and the start of the next
```

A character of several bytes needs tokens that are its start, each one byte longer than the one before. Nothing needs
its end, nor a part of it beside another character: such a token is no text, whatever model it is given to (arXiv
2410.23684, 2505.24689).
*/

/// Whether two tokens make one that is neither of whole characters nor the start of a single one.
pub(super) fn mixes_characters(left: &[u8], right: &[u8]) -> bool {
    let is_text = |bytes: &[u8]| std::str::from_utf8(bytes).is_ok();
    if is_text(left) || is_text(right) {
        return !(is_text(left) && is_text(right));
    }
    let joined = [left, right].concat();
    !(is_start(left) && right.len() == 1 && (is_start(&joined) || is_text(&joined)))
}

/// Whether bytes are the start of a single character: an error of UTF-8 that more bytes can mend.
fn is_start(bytes: &[u8]) -> bool {
    std::str::from_utf8(bytes)
        .is_err_and(|error| error.valid_up_to() == 0 && error.error_len().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_whole_characters_or_the_start_of_one() {
        let [a, b, c] = ["中".as_bytes(), "😀".as_bytes(), b" ".as_slice()];
        for (left, right) in [(a, b), (c, a), (&a[..1], &a[1..2]), (&a[..2], &a[2..])] {
            assert!(!mixes_characters(left, right), "{left:?} {right:?}");
        }
        assert!(!mixes_characters(&b[..3], &b[3..]));
        let halves = [(c, &a[..1]), (&a[2..], c), (&a[1..2], &a[2..]), (&a[..1], &a[1..])];
        for (left, right) in halves {
            assert!(mixes_characters(left, right), "{left:?} {right:?}");
        }
        let broken: [(&[u8], &[u8]); 4] =
            [(b"\xE4", b"\xE4"), (b"\xFF", b"\xFF"), (b"\xC0", b"\x80"), (&a[2..], &a[..1])];
        for (left, right) in broken {
            assert!(mixes_characters(left, right), "{left:?} {right:?}");
        }
    }
}
