/*!
The four Unicode forms with the source of every character, as Hugging Face's library keeps it.

The library does not ask which character a result was made of. It notes for each result how many source
characters it takes, and then gives out the sources in the order of the text:

```text
decomposition   the first character takes one source, the others none:    é -> e (1)  U+0301 (0)
canonical order moves characters together with their numbers
composition     adds the numbers:                                          e (1) + U+0301 (1) -> é (2)
```

A character that takes sources comes from the first of them; one that takes none comes from the last
that was given out. So the mark of a composed character belongs to no token, and a mark that changed
places comes from its neighbour's source. Both are kept: offsets are compared with the library's.
*/

use unicode_normalization::char::{
    canonical_combining_class, compose, decompose_canonical, decompose_compatible,
};
use unicode_normalization::{
    IsNormalized, is_nfc_quick, is_nfd_quick, is_nfkc_quick, is_nfkd_quick,
};

/// A character of the result.
#[derive(Debug, Clone, Copy)]
pub(super) struct AlignedUnit {
    pub(super) c: char,
    /// Its canonical combining class.
    pub(super) class: u8,
    /// How many source characters it takes.
    takes: usize,
}

/// Which form.
#[derive(Debug, Clone, Copy)]
pub struct UnicodeForm {
    /// Characters that only look alike become the same.
    pub compatible: bool,
    /// Marks join the letter before them, where there is a character for both.
    pub composed: bool,
}

impl UnicodeForm {
    /// Whether a text is certainly in this form.
    pub(crate) fn is_normal(self, text: &str) -> bool {
        text.is_ascii() || self.holds(text.chars())
    }

    /// Whether characters in a row are certainly in this form.
    pub(super) fn holds(self, characters: impl Iterator<Item = char>) -> bool {
        let quick = match (self.compatible, self.composed) {
            (false, true) => is_nfc_quick(characters),
            (false, false) => is_nfd_quick(characters),
            (true, true) => is_nfkc_quick(characters),
            (true, false) => is_nfkd_quick(characters),
        };
        quick == IsNormalized::Yes
    }

    /// The normalised characters of a text, each with what it does to the text: 0 replaces the next character, -n drops
    /// n more, 1 is added.
    pub(crate) fn changes(self, text: &str) -> impl Iterator<Item = (char, isize)> + use<> {
        self.units(text.chars()).into_iter().map(|unit| (unit.c, 1 - unit.takes as isize))
    }

    /// The normalised characters of a text that no mark of another text can reach.
    pub(super) fn units(self, text: impl Iterator<Item = char>) -> Vec<AlignedUnit> {
        let mut units: Vec<AlignedUnit> = Vec::new();
        for c in text {
            let mut takes = 1;
            let push = |c| {
                units.push(AlignedUnit { c, class: canonical_combining_class(c), takes });
                takes = 0;
            };
            if self.compatible {
                decompose_compatible(c, push)
            } else {
                decompose_canonical(c, push)
            }
        }
        for marks in units.split_mut(|unit| unit.class == 0) {
            marks.sort_by_key(|unit| unit.class);
        }
        if self.composed { composed(units) } else { units }
    }
}

/// Canonical composition: a character joins the last starter, unless one with the same or a higher
/// class stands between them.
fn composed(units: Vec<AlignedUnit>) -> Vec<AlignedUnit> {
    let mut out: Vec<AlignedUnit> = Vec::with_capacity(units.len());
    let mut starter: Option<usize> = None;
    let mut class_before: Option<u8> = None;
    for unit in units {
        if let Some(at) = starter
            && class_before.is_none_or(|class| class < unit.class)
            && let Some(c) = compose(out[at].c, unit.c)
        {
            let takes = out[at].takes + unit.takes;
            out[at] = AlignedUnit { c, takes, ..out[at] };
            continue;
        }
        if unit.class == 0 {
            (starter, class_before) = (Some(out.len()), None);
        } else if starter.is_some() {
            class_before = Some(unit.class);
        }
        out.push(unit);
    }
    out
}

/// Calls `each` with every unit and its source, where `sources` are those of the text in order.
pub(super) fn with_sources(
    units: &[AlignedUnit],
    mut sources: impl Iterator<Item = (usize, usize)>,
    mut each: impl FnMut(&AlignedUnit, (usize, usize)),
) {
    let mut last = (0, 0);
    for unit in units {
        let mut taken = sources.by_ref().take(unit.takes);
        let first = taken.next();
        let end = taken.last();
        each(unit, first.unwrap_or(last));
        last = end.or(first).unwrap_or(last);
    }
}
