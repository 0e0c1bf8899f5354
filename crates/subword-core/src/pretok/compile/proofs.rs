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

/// Whether texts of one or two atoms, repeated, are cut in a time that grows with their length only.
pub(super) fn is_linear(automaton: &Automaton) -> bool {
    let end = automaton.end_of_text();
    let pairs = (0..end).flat_map(|a| (0..end).map(move |b| [a, b]));
    pairs.into_iter().all(|pair| {
        let [short, long] = [64, 256].map(|length| steps(automaton, |at| pair[at % 2], length));
        long <= 6 * short
    })
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
