/*!
What can be proved about an automaton, by a look at all of its states.

* **Gaps**: which atoms can start a text that does not match, so that they are between matches.
* **Cuts**: between which two atoms a text may be cut, whatever stands around them.
* **Equality**: whether two patterns cut every text alike.
* **Reading ahead**: whether it reads much further than the ends of its matches, on texts of one or two repeated atoms.
*/

use std::collections::HashSet;

use super::atoms::AtomSet;
use super::automaton::{Automaton, DEAD};

/// The atoms at which a match may fail to start.
pub(super) fn gaps(automaton: &Automaton) -> AtomSet {
    let end = automaton.end_of_text();
    // States from which a text may end without any match.
    let mut fails: HashSet<usize> = HashSet::from([DEAD]);
    let failing = |row: usize, atom: usize, fails: &HashSet<usize>| {
        let (next, record) = automaton.step(row, atom);
        !record && fails.contains(&next)
    };
    loop {
        let more = automaton.rows().filter(|row| !fails.contains(row));
        let more: Vec<usize> =
            more.filter(|&row| (0..=end).any(|atom| failing(row, atom, &fails))).collect();
        if more.is_empty() {
            break;
        }
        fails.extend(more);
    }
    let failing = (0..end).filter(|&atom| failing(automaton.start(), atom, &fails));
    failing.fold(0, |set, atom| set | 1 << atom)
}

/// For each atom those after it with which a match may begin, or end before.
pub(super) fn begins(automaton: &Automaton) -> Vec<AtomSet> {
    let end = automaton.end_of_text();
    let begins = |first: usize| {
        let (row, _) = automaton.step(automaton.start(), first);
        let lives = |&second: &usize| automaton.step(row, second) != (DEAD, false);
        if row == DEAD { 0 } else { (0..end).filter(lives).fold(0, |set, atom| set | 1 << atom) }
    };
    (0..end).map(begins).collect()
}

/// For each atom those after it from which it may be cut: the piece before the cut ends there if they follow, and it
/// ends there if the text does.
pub(super) fn cuts(automaton: &Automaton, gaps: AtomSet) -> Vec<AtomSet> {
    let end = automaton.end_of_text();
    let mut cuts = vec![0; end];
    for (before, cut) in cuts.iter_mut().enumerate() {
        let mut reached: Vec<usize> = automaton
            .rows()
            .map(|row| automaton.step(row, before).0)
            .filter(|&row| row != DEAD)
            .collect();
        reached.sort_unstable();
        reached.dedup();
        for after in 0..end {
            let both_gap = automaton.mode(before) == automaton.mode(after)
                && gaps >> before & gaps >> after & 1 == 1;
            let ends = |&row: &usize| {
                let (next, record) = automaton.step(row, after);
                next == DEAD && record == automaton.step(row, end).1
            };
            if !both_gap && reached.iter().all(ends) {
                *cut |= 1 << after;
            }
        }
    }
    cuts
}

/// Whether two automata over the same atoms give the same pieces of every text.
pub(super) fn equal(one: &Automaton, other: &Automaton) -> bool {
    let end = one.end_of_text();
    if gaps(one) != gaps(other) || gaps(one) != 0 && !same_modes(one, other) {
        return false;
    }
    // Two states, and whether the last matches of both ended at the same place.
    let first = (one.start(), other.start(), true);
    let (mut seen, mut open) = (HashSet::from([first]), vec![first]);
    while let Some((left, right, same)) = open.pop() {
        for atom in 0..=end {
            let ((left, first), (right, second)) = (one.step(left, atom), other.step(right, atom));
            let same = match (first, second) {
                (true, true) => true,
                (false, false) => same,
                _ => false,
            };
            if left == DEAD && right == DEAD {
                if !same {
                    return false;
                }
            } else if seen.insert((left, right, same)) {
                open.push((left, right, same));
            }
        }
    }
    true
}

fn same_modes(one: &Automaton, other: &Automaton) -> bool {
    let atoms = 0..one.end_of_text();
    let mut pairs = atoms.clone().flat_map(|a| atoms.clone().map(move |b| (a, b)));
    pairs.all(|(a, b)| (one.mode(a) == one.mode(b)) == (other.mode(a) == other.mode(b)))
}

/// Whether texts are cut in a time that grows with their length only, as far as that can be said: no match fails after any
/// number of characters, and what is read beyond the ends of matches is not much on texts of one or two atoms, repeated.
pub(super) fn is_linear(automaton: &Automaton) -> bool {
    let end = automaton.end_of_text();
    let all = move || (0..end).flat_map(move |a| (0..=end).map(move |b| (a, b)));
    let grows = |text: &dyn Fn(usize, usize) -> usize| {
        let [short, long] = [64, 256].map(|length| steps(automaton, |at| text(at, length), length));
        long > 6 * short
    };
    !fails_late(automaton)
        && all().filter(|pair| pair.1 != end).all(|(a, b)| !grows(&|at, _| [a, b][at % 2]))
        && all().all(|(a, b)| !grows(&|at, length| if at + 1 < length { a } else { b }))
}

/// Whether a match may fail after any number of characters: then the next place is tried, and all is read again.
fn fails_late(automaton: &Automaton) -> bool {
    let end = automaton.end_of_text();
    // The states that are reached without a match, and those of them that lead to failure.
    let next = |row: usize| {
        let steps = (0..=end).map(move |atom| automaton.step(row, atom));
        steps.filter(|(_, record)| !record).map(|(next, _)| next)
    };
    let (mut open, mut reached) = (vec![automaton.start()], HashSet::new());
    while let Some(row) = open.pop() {
        if row != DEAD && reached.insert(row) {
            open.extend(next(row));
        }
    }
    let mut fails = HashSet::from([DEAD]);
    while let Some(&row) =
        reached.iter().find(|row| !fails.contains(*row) && next(**row).any(|n| fails.contains(&n)))
    {
        fails.insert(row);
    }
    // Whether those that fail are in a cycle: take away what leads nowhere until nothing is left.
    let mut left: HashSet<usize> = reached.intersection(&fails).copied().collect();
    while let Some(&row) = left.iter().find(|row| next(**row).all(|n| !left.contains(&n))) {
        left.remove(&row);
    }
    !left.is_empty()
}

/// How many steps it takes to cut a text of so many atoms.
fn steps(automaton: &Automaton, text: impl Fn(usize) -> usize, length: usize) -> usize {
    let (mut at, mut steps) = (0, 0);
    while at < length {
        let (mut row, mut place, mut found) = (automaton.start(), at, at + 1);
        while row != DEAD {
            let atom = if place < length { text(place) } else { automaton.end_of_text() };
            let (next, record) = automaton.step(row, atom);
            if record {
                found = place;
            }
            (row, place, steps) = (next, place + 1, steps + 1);
        }
        at = found;
    }
    steps
}
