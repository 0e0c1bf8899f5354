/*!
What a normaliser does on both sides of a place in a text.

The Unicode forms take every character apart, sort the marks that follow one another, and compose a character
with the one before it, if that has no such marks in between that stand in its way. So nothing goes on across the
place before a character whose first part is no mark and never composes with what comes before it: each side is
normalised as it would be alone. If that holds before `before`, before `after` and before `next` too, `before` and
`after` become what they become alone, whatever stands around the three.

BERT's normaliser works character by character, but for marks that it sorts. Nothing moves across a character that
stands apart from them.

Lower case is that of single characters in both: a sigma at the end of a word becomes what every other becomes.
*/

use unicode_normalization::char::{
    canonical_combining_class, decompose_canonical, decompose_compatible,
};
use unicode_normalization::{IsNormalized, is_nfc_quick};

use crate::bert::BertCharacters;
use crate::model::Normalizer;

impl Normalizer {
    /// What stands before and what stands after the place between two adjacent characters when the text has
    /// been normalised. `next` is the character after them, none at the end of the text. None if that
    /// depends on what stands around these characters, or if the text on one side is not normalised
    /// as it would be without the other.
    pub fn sides(self, before: char, after: char, next: Option<char>) -> Option<(char, char)> {
        match self {
            Normalizer::None => Some((before, after)),
            Normalizer::Bert(bert) => {
                let characters = BertCharacters::of(bert);
                let (_, before) = characters.ends_apart(before)?;
                let (after, _) = characters.ends_apart(after)?;
                Some((before, after))
            }
            _ => {
                let starts = |c: char| self.starts_anew(c);
                if !(starts(before) && starts(after) && next.is_none_or(starts)) {
                    return None;
                }
                Some((self.alone(before).next_back()?, self.alone(after).next()?))
            }
        }
    }

    /// Whether a Unicode form does the same with a text that starts with this character, whatever comes
    /// before it.
    fn starts_anew(self, c: char) -> bool {
        // PERF: most characters do not change.
        if c.is_ascii() || self.stands_alone(c) {
            return true;
        }
        let mut first = None;
        let note = |part| {
            first.get_or_insert(part);
        };
        match self {
            Normalizer::Nfkc | Normalizer::Nfkd => decompose_compatible(c, note),
            _ => decompose_canonical(c, note),
        }
        first.is_some_and(never_composes_back)
    }

    /// What a Unicode form makes of one character.
    fn alone(self, c: char) -> std::vec::IntoIter<char> {
        self.form(c.encode_utf8(&mut [0; 4])).chars().collect::<Vec<_>>().into_iter()
    }
}

/// Whether a character that decomposes no further is no mark that is sorted, and never composes with what is
/// before it.
fn never_composes_back(c: char) -> bool {
    canonical_combining_class(c) == 0 && is_nfc_quick(std::iter::once(c)) == IsNormalized::Yes
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::testing::Random;

    fn all() -> impl Iterator<Item = char> {
        (0..=0x10_FFFF).filter_map(char::from_u32)
    }

    const FORMS: [Normalizer; 5] = [
        Normalizer::Nfc,
        Normalizer::Nfd,
        Normalizer::Nfkc,
        Normalizer::Nfkd,
        Normalizer::NfcLowercase,
    ];

    #[test]
    fn what_starts_anew_never_begins_with_what_composes_or_is_sorted() {
        // What composes with something before it: the last part of a character that stays composed.
        let mut seconds = BTreeSet::<char>::new();
        for c in all().filter(|&c| Normalizer::Nfc.form(&c.to_string()) == c.to_string()) {
            let parts: Vec<char> = Normalizer::Nfd.form(&c.to_string()).chars().collect();
            seconds.extend(parts[1..].last());
        }
        assert!(seconds.contains(&'\u{301}') && seconds.contains(&'\u{11A8}'));
        for form in FORMS {
            let decomposed = match form {
                Normalizer::Nfkc | Normalizer::Nfkd => Normalizer::Nfkd,
                _ => Normalizer::Nfd,
            };
            let composes = form != decomposed;
            for c in all().filter(|&c| form.starts_anew(c)) {
                let first = decomposed.form(&c.to_string()).chars().next().unwrap();
                assert!(canonical_combining_class(first) == 0, "{form:?} {c:?}");
                assert!(!(composes && seconds.contains(&first)), "{form:?} {c:?}");
            }
        }
    }

    /// Characters that compose, decompose, vanish, are sorted or spread, and some that do nothing.
    const ODD: &str = "aeE <=,.1é\u{301}\u{316}\u{338}\u{344}\u{f71}\u{f73}\u{1100}\u{1161}\u{11A8}가각\
        \u{95C}\u{93C}\u{9BE}\u{9C7}ŀﬁİΣςſ½´\u{212B}\u{2126}中豈，。\u{0}\u{7F}\u{200B}\u{FFFD}\u{A0}\n\
        \u{3000}\u{FE0F}\u{1D15E}\u{D55}';:?!\u{0DDD}\u{0DCA}\u{1ABE}\u{094D}\u{302A}\u{0F39}";

    #[test]
    fn both_sides_are_normalised_as_alone_and_end_in_the_characters_named() {
        let (odd, mut random) = (ODD.chars().collect::<Vec<_>>(), Random::new(1));
        let berts = (0..32).map(|choice: u32| {
            let on = |bit: u32| choice >> bit & 1 == 1;
            Normalizer::Bert(crate::Bert {
                clean: on(0),
                cjk: on(1),
                strip_accents: on(2),
                lowercase: on(3),
            })
        });
        for form in FORMS.into_iter().chain(berts) {
            let normal =
                |text: &str| String::from_utf8(form.apply(text.as_bytes()).into()).unwrap();
            let mut named = 0;
            for _ in 0..4_000 {
                let [a, b, c] = [(); 3].map(|()| odd[random.below(odd.len())]);
                let Some((before, after)) = form.sides(a, b, Some(c)) else { continue };
                named += 1;
                for (ahead, behind) in [("", ""), ("e", "\u{301}"), ("\u{316}", "\u{11A8}x")] {
                    let (left, right) = (format!("{ahead}{a}"), format!("{b}{c}{behind}"));
                    let (l, r) = (normal(&left), normal(&right));
                    let shown = format!("{form:?} {a:?} {b:?} {c:?}");
                    assert_eq!(normal(&(left + &right)), l.clone() + &r, "{shown}");
                    let ends = (l.chars().next_back(), r.chars().next());
                    assert_eq!(ends, (Some(before), Some(after)), "{shown}");
                }
            }
            assert!(named > 400, "{form:?} {named}");
        }
    }
}
