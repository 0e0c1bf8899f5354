/*!
A text that knows where each of its bytes comes from.

Offsets are places in the original text, so every step that changes a text has to say which original characters its
result stands for. The rule is that of Hugging Face's library, because offsets are compared with it. A change is a
list of characters, each with a number:

```text
 0   replaces the next character
-n   the same, and n more characters are dropped after it
 1   is added; it comes from where the character before it comes from
```

`ﬁx` in lower case without ligatures: `f` (0), `i` (1), `x` (0); both `f` and `i` come from `ﬁ`.

Two properties of the library that a plain reading does not suggest are kept:
* What is added at the very start comes from an empty place there, not from the first character.
* A later change of the whole text starts behind such characters: they stay, and what they become is put after
  them. So a `Replace` of `^` by `x`, then Lowercase, make `xxabc` of `ABC`.
*/

/// Where a byte comes from: the start and the end of one original character, as a rule.
pub(super) type Source = (u32, u32);

/// A text and the source of each of its bytes.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(super) struct Aligned {
    pub(super) text: String,
    pub(super) sources: Vec<Source>,
}

/// A part of an aligned text.
#[derive(Debug, Clone, Copy)]
pub(super) struct View<'a> {
    pub(super) text: &'a str,
    pub(super) sources: &'a [Source],
    /// The part of the original text that it was cut from.
    pub(super) original: Source,
}

/// A character of a changed text, and what it does to the old one.
pub(super) type Change = (char, isize);

impl Aligned {
    /// The original text itself.
    pub(super) fn identity(text: String) -> Aligned {
        let mut sources = Vec::with_capacity(text.len());
        for (start, c) in text.char_indices() {
            let source = (start as u32, (start + c.len_utf8()) as u32);
            sources.extend(std::iter::repeat_n(source, c.len_utf8()));
        }
        Aligned { text, sources }
    }

    pub(super) fn clear(&mut self) {
        self.text.clear();
        self.sources.clear();
    }

    /// Appends a character with its source.
    pub(super) fn push(&mut self, c: char, source: Source) {
        self.text.push(c);
        self.sources.extend(std::iter::repeat_n(source, c.len_utf8()));
    }

    /// Appends a part of a text as it is.
    pub(super) fn copy(&mut self, view: View, start: usize, end: usize) {
        self.text.push_str(&view.text[start..end]);
        self.sources.extend_from_slice(&view.sources[start..end]);
    }

    /// Appends `view`, changed. The first `skipped` characters are dropped.
    pub(super) fn change(
        &mut self,
        view: View,
        changes: impl IntoIterator<Item = Change>,
        skipped: usize,
    ) {
        let Some(start) = view.changed_from() else {
            return self.copy(view, 0, view.text.len());
        };
        let end = if view.original.0 == view.original.1 { start } else { view.text.len() };
        self.copy(view, 0, start);
        self.change_range(view, start, end, changes, skipped);
        self.copy(view, end, view.text.len());
    }

    /// Appends what becomes of the bytes from `start` to `end`.
    pub(super) fn change_range(
        &mut self,
        view: View,
        start: usize,
        end: usize,
        changes: impl IntoIterator<Item = Change>,
        skipped: usize,
    ) {
        let mut old = view.text[start..end].chars();
        let mut take = |n: usize| old.by_ref().take(n).map(char::len_utf8).sum::<usize>();
        let mut at = start + take(skipped);
        for (c, change) in changes {
            let source = if change <= 0 { view.source(at) } else { view.source_before(at) };
            if change <= 0 {
                at += take(1 + change.unsigned_abs());
            }
            self.push(c, source);
        }
    }
}

impl View<'_> {
    /// Where a change of the whole text starts; none if there is nothing to change.
    fn changed_from(self) -> Option<usize> {
        if self.original.0 == self.original.1 {
            return Some(0);
        }
        if self.sources.is_empty() {
            return None;
        }
        let real = self.sources.iter().position(|source| source.0 != source.1);
        Some(real.unwrap_or(self.sources.len()))
    }

    /// Whether changes that replace each character by itself do nothing.
    pub(super) fn is_changed_whole(self) -> bool {
        self.original.0 != self.original.1
            && self.sources.first().is_some_and(|source| source.0 != source.1)
    }

    fn source(self, at: usize) -> Source {
        self.sources.get(at).copied().unwrap_or((self.original.1, self.original.1))
    }

    /// The source of the byte before `at`.
    pub(super) fn source_before(self, at: usize) -> Source {
        match at.checked_sub(1) {
            Some(before) => self.source(before),
            None => (self.original.0, self.original.0),
        }
    }

    /// The part of the original text that the bytes from `start` to `end` come from.
    pub(super) fn original_of(self, start: usize, end: usize) -> Source {
        if start == end {
            return (self.original.0, self.original.0);
        }
        (self.source(start).0, self.source(end - 1).1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(aligned: &Aligned) -> View<'_> {
        let end = aligned.sources.last().map_or(0, |source| source.1);
        View { text: &aligned.text, sources: &aligned.sources, original: (0, end) }
    }

    #[test]
    fn each_character_says_where_it_comes_from() {
        let old = Aligned::identity("ﬁxé".to_owned());
        let mut new = Aligned::default();
        new.change(view(&old), [('f', 0), ('i', 1), ('E', -1)], 0);
        assert_eq!(new.text, "fiE");
        assert_eq!(new.sources, [(0, 3), (0, 3), (3, 4)]);
    }

    #[test]
    fn what_is_added_at_the_start_stays_before_the_next_change() {
        let old = Aligned::identity("AB".to_owned());
        let mut added = Aligned::default();
        added.push('x', view(&old).source_before(0));
        added.copy(view(&old), 0, 2);
        assert_eq!(added.sources, [(0, 0), (0, 1), (1, 2)]);
        let mut lower = Aligned::default();
        lower.change(view(&added), [('x', 0), ('a', 0), ('b', 0)], 0);
        assert_eq!(lower.text, "xxab");
    }
}
