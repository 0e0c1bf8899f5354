/*!
Two parts of a text, cut into pieces side by side.

A block can only start where the one before it ended, so a walk through a text is a chain, and the
processor waits for each link. A text may be cut where two characters make the end of a piece certain
([`Splitter::cuts_before`](super::Splitter::cuts_before)); what lies between two such places is a
section, a chain of its own. Two sections are walked in turns, so that the links of one are made while
the other waits, and their ends are handed out in order:

```text
text      |---- section 0 ----|---- section 1 ----|---- later
blocks     1   3   5   7   9   2   4   6   8   10
```

Why not four: two keep the processor busy, and more are more places in memory to read from (cutting
en_10mb 4.7 ms with two, 4.8 with three and four, 5.7 without sections; 2026-11-15).
*/

/// How many sections are walked in turns.
const IN_TURNS: usize = 2;

/// How long a section is, about.
const LENGTH: usize = 4096;

/// How far to look for the end of one.
const SEARCH: usize = 256;

/// How much of a text has to be left for sections to pay.
pub(super) const LEAST: usize = IN_TURNS * LENGTH + SEARCH;

/// A part of a text, from the start of a piece to the end of one.
#[derive(Debug, Default)]
pub(super) struct Section {
    /// How far it is cut.
    pub(super) at: usize,
    /// Where it ends.
    pub(super) stop: usize,
    /// The ends of its pieces.
    pub(super) ends: Vec<usize>,
}

impl Section {
    /// Forgets what the last block found beyond the end.
    pub(super) fn close(&mut self) {
        while self.ends.last().is_some_and(|&end| end > self.stop) {
            self.ends.pop();
        }
    }
}

/// The sections that a cursor is at, and what is yet to be handed out of them.
#[derive(Debug, Default)]
pub(super) struct Sections {
    sections: [Section; IN_TURNS],
    /// How many of them there are.
    count: usize,
    /// What comes next: the section, and the place among its ends.
    next: (usize, usize),
}

impl Sections {
    /// The next sections of a text of which at least [`LEAST`] bytes are left from `at`. There may be
    /// none: not every text can be cut.
    pub(super) fn cut(
        &mut self,
        mut at: usize,
        cuts_before: impl Fn(usize) -> bool,
    ) -> &mut [Section] {
        (self.count, self.next) = (0, (0, 0));
        let first = at;
        for from in (1..=IN_TURNS).map(|number| first + number * LENGTH) {
            if let Some(stop) = (from..from + SEARCH).find(|&place| cuts_before(place)) {
                let section = &mut self.sections[self.count];
                section.ends.clear();
                (section.at, section.stop) = (at, stop);
                self.count += 1;
                at = stop;
            }
        }
        &mut self.sections[..self.count]
    }

    /// The next ends, about `most` of them; none if all were handed out.
    pub(super) fn next(&mut self, most: usize) -> &[usize] {
        let (number, place) = &mut self.next;
        while *number < self.count {
            let rest = &self.sections[*number].ends[*place..];
            if rest.len() > most + most / 2 {
                *place += most;
                return &rest[..most];
            }
            (*number, *place) = (*number + 1, 0);
            if !rest.is_empty() {
                return rest;
            }
        }
        &[]
    }

    /// Whether all were handed out.
    pub(super) fn is_empty(&self) -> bool {
        self.sections[..self.count].iter().skip(self.next.0).all(|section| section.ends.is_empty())
    }
}
