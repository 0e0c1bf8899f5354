//! What characters become, beside the steps of the definition, and where they come from.

use crate::model::{Bert, Normalizer};

const NOTHING: Bert = Bert { clean: false, cjk: false, strip_accents: false, lowercase: false };

fn normal(bert: Bert, text: &str) -> String {
    String::from_utf8(Normalizer::Bert(bert).apply(text.as_bytes()).into_owned()).unwrap()
}

#[test]
fn each_option_does_its_part() {
    let text = "A\0b\tÉ\u{A0}中İ가\u{200D}e\u{301}";
    assert_eq!(normal(NOTHING, text), text);
    let clean = Bert { clean: true, ..NOTHING };
    assert_eq!(normal(clean, text), "Ab É 中İ가e\u{301}");
    let cjk = Bert { cjk: true, ..NOTHING };
    assert_eq!(normal(cjk, text), text.replace('中', " 中 "));
    let strip = Bert { strip_accents: true, ..NOTHING };
    assert_eq!(normal(strip, text), "A\0b\tE\u{A0}中I\u{1100}\u{1161}\u{200D}e");
    let lower = Bert { lowercase: true, ..NOTHING };
    assert_eq!(normal(lower, text), "a\0b\té\u{A0}中i\u{307}가\u{200D}e\u{301}");
    assert_eq!(normal(Bert::UNCASED, text), "ab e  中 i\u{1100}\u{1161}e");
    assert_eq!(normal(Bert::CASED, text), "Ab É  中 İ가e\u{301}");
}

#[test]
fn the_quirks_of_the_library_are_kept() {
    // No final sigma, private use deleted, unassigned kept, a hole in the range of Chinese.
    assert_eq!(normal(Bert::UNCASED, "ΌΣ\u{E000}\u{378}"), "οσ\u{378}");
    assert_eq!(normal(Bert::UNCASED, "\u{2B820}\u{2B920}"), "\u{2B820} \u{2B920} ");
    assert_eq!(normal(Bert::UNCASED, "\u{105C9}"), "\u{105C9}");
}

#[test]
fn marks_that_stay_are_put_in_order() {
    let (low, high) = ("\u{1D165}", "\u{302E}");
    let sorted = |text: &str| normal(Bert::UNCASED, text);
    assert_eq!(sorted(&format!("a{high}{low}b")), format!("a{low}{high}b"));
    // Dropped marks are crossed, except those that keep others apart.
    assert_eq!(sorted(&format!("a{high}\u{301}{low}b")), format!("a{low}{high}b"));
    assert_eq!(sorted(&format!("a{high}\u{5BF}\u{34F}{low}b")), format!("a{high}{low}b"));
    assert_eq!(sorted(&format!("{high}\0{low}")), format!("{low}{high}"));
}

#[test]
fn blocks_of_ascii_and_single_characters_agree() {
    let text = "The QUICK\tbrown\nfox\r jumps [over] 12 lazy_dogs; ".repeat(3);
    for start in 0..40 {
        for (bert, odd) in [Bert::UNCASED, Bert::CASED, NOTHING].into_iter().zip(["é", "\0", ""]) {
            let text = format!("{}{odd}{}", &text[start..70], &text[..start]);
            let single: String = text.chars().map(|c| normal(bert, &c.to_string())).collect();
            assert_eq!(normal(bert, &text), single);
        }
    }
}

#[test]
fn bytes_that_are_no_text_are_replaced_and_cleaned_away() {
    let apply = |bert| Normalizer::Bert(bert).apply(b"a\xFF\xE4\xB8b").into_owned();
    assert_eq!(apply(Bert::UNCASED), b"ab");
    assert_eq!(apply(NOTHING), "a\u{FFFD}\u{FFFD}\u{FFFD}b".as_bytes());
}

#[test]
fn places_lead_back_to_the_original() {
    let text = "A\0É中각".as_bytes();
    let (normal, map) = Normalizer::Bert(Bert::UNCASED).apply_mapped(text).unwrap();
    assert_eq!(&*normal, "ae 中 \u{1100}\u{1161}\u{11A8}".as_bytes());
    let place = |from: usize, to: usize| map.place(from, to);
    assert_eq!(place(0, 1), (0, 1));
    assert_eq!(place(0, 2), (0, 4));
    assert_eq!(place(3, 6), (4, 7));
    assert_eq!((place(7, 10), place(10, 16)), ((7, 10), (7, 10)));
}
