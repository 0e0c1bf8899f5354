/*!
Regular expressions, compiled: any pattern of this field, by its meaning and not by its spelling.

```text
[r"\p{N}{1,3}", r"\s?\p{L}+|..."]
   |  syntax       trees of character sets, by the parser of the engine that runs everything else
   |  atoms        the kinds of characters that these sets tell apart, and the atom of every character
   |  automaton    for each state and atom the next state, and whether a match ends
   |  proofs       between which atoms a text may be cut; where matches may fail
   |  recognise    is it one of the patterns that run 64 bytes at a time? Then by their blocks.
   v
Compiled
```

Every pattern without memory (back references, look-behind, look-ahead beyond one character) becomes an automaton. The
rest is left to a backtracking engine, and [`Compiled::new`] says why.
*/

mod atoms;
mod automaton;
mod program;
mod proofs;
mod recognise;
mod syntax;

use std::sync::Arc;

use super::class::{Char, decode};
use super::rules::Rules;
use crate::mem::FirstUse;
use crate::model::Named;
use atoms::{AtomSet, AtomTable, Atoms};
use automaton::{Automaton, Cutter, DEAD};
use syntax::{Node, Refused, Sets};

/// What an invalid byte counts as.
const REPLACEMENT: u32 = 0xFFFD;

/// A pattern as an automaton.
#[derive(Debug)]
pub(super) struct Compiled {
    table: AtomTable,
    automaton: Automaton,
    /// For each atom, between which atoms after it and itself a text may be cut.
    cuts: Vec<AtomSet>,
    /// For each atom, the atoms after it with which a match may begin.
    begins: Vec<AtomSet>,
    /// Whether every text is matched from end to end.
    pub(super) covers: bool,
    /// The rules of the blocks that cut alike.
    pub(super) rules: Option<Rules>,
}

/// The trees of patterns in a row.
struct Trees {
    cutters: Vec<Cutter>,
    last: Node,
}

impl Trees {
    fn parse(sets: &mut Sets, regexes: &[&str]) -> Result<Trees, Refused> {
        let (last, first) = regexes.split_last().ok_or("no pattern")?;
        let cutters = first.iter().map(|regex| Cutter::of(&sets.parse(regex)?));
        Ok(Trees { cutters: cutters.collect::<Result<_, _>>()?, last: sets.parse(last)? })
    }

    fn automaton(&self, atoms: &Atoms) -> Result<Automaton, Refused> {
        Automaton::new(atoms, &self.cutters, &self.last)
    }
}

impl Compiled {
    /// Compiles regular expressions that cut one after the other, or says what keeps them from it.
    pub(super) fn new(regexes: &[&str]) -> Result<Compiled, Refused> {
        let mut compiled = Compiled::plain(regexes)?;
        compiled.rules = recognise::rules(&compiled, regexes);
        Ok(compiled)
    }

    /// A named pattern, which is compiled once in a process, with the rules that it is known to have.
    pub(super) fn named(named: Named, rules: Rules) -> Arc<Compiled> {
        static ALL: [FirstUse<Arc<Compiled>>; Named::ALL.len()] =
            [const { FirstUse::new() }; Named::ALL.len()];
        let make = || {
            let compiled = Compiled::plain(named.regexes()).expect("a named pattern compiles");
            Arc::new(Compiled { rules: Some(rules), ..compiled })
        };
        ALL[named as usize].get_or_make(make).clone()
    }

    /// The same without a search for blocks.
    pub(super) fn plain(regexes: &[&str]) -> Result<Compiled, Refused> {
        let mut sets = Sets::default();
        let trees = Trees::parse(&mut sets, regexes)?;
        let atoms = Atoms::of(&sets)?;
        let automaton = trees.automaton(&atoms)?;
        if !proofs::is_linear(&automaton) {
            return Err("a repetition that is read again and again".to_owned());
        }
        let gaps = proofs::gaps(&automaton);
        let (cuts, table) = (proofs::cuts(&automaton, gaps), AtomTable::new(&atoms));
        let begins = proofs::begins(&automaton);
        Ok(Compiled { table, automaton, cuts, begins, covers: gaps == 0, rules: None })
    }

    /// The end of the piece that starts at `at`: a match, or what is before the next match.
    #[inline]
    pub(super) fn end(&self, text: &[u8], at: usize) -> usize {
        match self.end_of_match(text, at) {
            Some(end) => end,
            None => self.end_of_gap(text, at),
        }
    }

    #[inline]
    fn end_of_match(&self, text: &[u8], at: usize) -> Option<usize> {
        // No match is empty, so one that ends at its start stands for none.
        let (mut row, mut place, mut found) = (self.automaton.start(), at, at);
        loop {
            let (atom, next) = self.atom_at(text, place);
            let (after, record) = self.automaton.step(row, atom);
            if record {
                found = place;
            }
            place = next;
            // PERF: inside of a run the state stays, which a branch guesses: no step waits for the one before it.
            if after == row {
                continue;
            }
            if after == DEAD {
                return (found > at).then_some(found);
            }
            row = after;
        }
    }

    #[cold]
    fn end_of_gap(&self, text: &[u8], at: usize) -> usize {
        let (first, mut end) = self.atom_at(text, at);
        let (mut atom, mut next) = self.atom_at(text, end);
        loop {
            if end == text.len() || self.automaton.mode(atom) != self.automaton.mode(first) {
                return end;
            }
            // PERF: two characters rule out most places, so the automaton does not start there. A pattern for superwords
            // has a sentence between two matches.
            let (after, beyond) = self.atom_at(text, next);
            let begins = next == text.len() || self.begins[atom] >> after & 1 == 1;
            if begins && self.end_of_match(text, end).is_some() {
                return end;
            }
            (end, atom, next) = (next, after, beyond);
        }
    }

    /// The atom at a place, and where the next character starts; at the end of the text the atom of that.
    #[inline(always)]
    fn atom_at(&self, text: &[u8], at: usize) -> (usize, usize) {
        match text.get(at) {
            None => (self.automaton.end_of_text(), at),
            Some(&byte) if byte < 0x80 => (self.table.of_ascii(byte), at + 1),
            Some(_) => match decode(&text[at..]) {
                Some((code, len)) => (self.table.of(code), at + len),
                None => (self.table.of(REPLACEMENT), at + 1),
            },
        }
    }

    /// Whether a piece ends between two characters, whatever stands around them.
    #[inline]
    pub(super) fn cuts_between(&self, before: Char, after: Char) -> bool {
        self.cuts[self.table.of(before.code)] >> self.table.of(after.code) & 1 == 1
    }

    /// Whether there are such places at all.
    pub(super) fn cuts(&self) -> bool {
        self.cuts.iter().any(|&after| after != 0)
    }

    /// How many kinds of characters, and states, there are.
    pub(super) fn size(&self) -> (usize, usize) {
        (self.automaton.end_of_text(), self.automaton.rows().count())
    }
}

/// Whether two patterns cut every text alike, if that can be said.
fn are_equal(one: &[&str], other: &[&str]) -> Result<bool, Refused> {
    let mut sets = Sets::default();
    let [one, other] = [Trees::parse(&mut sets, one)?, Trees::parse(&mut sets, other)?];
    let atoms = Atoms::of(&sets)?;
    Ok(proofs::equal(&one.automaton(&atoms)?, &other.automaton(&atoms)?))
}

#[cfg(test)]
mod tests;
