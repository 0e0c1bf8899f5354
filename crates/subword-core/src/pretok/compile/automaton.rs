/*!
A pattern as an automaton over atoms: where does the match that starts here end?

The instructions of the pattern (`program`) become an automaton. Its state is the list of instructions that an engine
could be at, those that it prefers first; a step reads one atom, or the end of the text:

```text
follow each instruction up to those that take a character, looks decided by the atom that comes next
a match: the text may end here; what comes after it in the list is not preferred and is forgotten
take the atom: what is left is the next state
```

The end of the match is the last place at which a step said so. That is leftmost-first, the order of Perl's
alternatives, decided once and for all.

**Several patterns in a row.** All but the last cut out runs of one set (`\p{N}{1,3}`, `[一-龥]+`), so they sort the
characters into modes: which of the sets a character is in. Two neighbours of different modes are always in different
pieces, and to the last pattern the text ends where the mode does. A group of a limited length has to be left whole by
the last pattern, which is checked. Where the last pattern matches nothing at all, a run of a mode is one piece.

Why not the automata of a library: they read bytes and know nothing of the next character or of modes; with atoms
a table has a few kilobytes and is made in microseconds, without a cache that threads would have to share.
*/

use std::collections::HashMap;

use super::atoms::Atoms;
use super::program::{Program, Step};
use super::syntax::{Node, Refused, SetId, may_be_empty};

/// How many states there may be.
const MOST_STATES: usize = 2048;

/// A bit of an entry: the text up to here is a match.
const RECORD: u32 = 1 << 31;

/// The state after which there are no matches.
pub(super) const DEAD: usize = 0;
const START: usize = 1;

/// A pattern that cuts out runs of one set before the last pattern cuts.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cutter {
    set: SetId,
    /// How many characters are one piece, at most; none for any number.
    most: Option<usize>,
}

impl Cutter {
    /// `C`, `C+` or `C{1,n}`.
    pub(super) fn of(node: &Node) -> Result<Cutter, Refused> {
        let refused = "a pattern before the last one that is not a run of one set of characters";
        match node {
            Node::Set(set) => return Ok(Cutter { set: *set, most: Some(1) }),
            Node::Repeat { node, least: 1, most, greedy: true } => {
                if let Node::Set(set) = **node {
                    return Ok(Cutter { set, most: *most });
                }
            }
            // The possessive forms.
            Node::Concat(nodes) => {
                if let [repeat @ Node::Repeat { most: None, .. }, Node::Look { .. }] = &nodes[..] {
                    return Cutter::of(repeat);
                }
            }
            Node::Alternatives(nodes) => {
                if let [Node::Repeat { node, most: Some(most), .. }, Node::Concat(_)] = &nodes[..]
                    && let Node::Set(set) = **node
                    && !may_be_empty(&nodes[1])
                {
                    return Ok(Cutter { set, most: Some(*most) });
                }
            }
            _ => {}
        }
        Err(refused.to_owned())
    }
}

/// What a state of the automaton stands for.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum State {
    Dead,
    /// Nothing was read.
    Start,
    /// The instructions to go on from, and the mode of what was read.
    At(Vec<usize>, usize),
    /// In a group, to which so many characters of this mode may be added.
    Group(usize, usize),
    /// In a run of this mode, which is one piece.
    Run(usize),
}

/// Where matches end. One row per state, one entry per atom and one for the end of the text.
#[derive(Debug)]
pub(super) struct Automaton {
    /// The first entry of the next row, and whether a match ends before this atom.
    entries: Vec<u32>,
    /// How long a row is.
    width: usize,
    /// The mode of each atom; the last is that of the end of the text.
    modes: Vec<usize>,
}

impl Automaton {
    /// The automaton of `last`, after the cutters.
    pub(super) fn new(atoms: &Atoms, cutters: &[Cutter], last: &Node) -> Result<Self, Refused> {
        if may_be_empty(last) {
            return Err("matches without a character".to_owned());
        }
        let Program { steps, first } = Program::of(atoms, last)?;
        let modes = modes(atoms, cutters);
        let limits = limits(atoms, cutters, &modes)?;
        let builder = Builder { steps, first, modes: &modes, limits: &limits };
        let mut automaton =
            Automaton { entries: Vec::new(), width: atoms.count + 1, modes: Vec::new() };
        builder.build(&mut automaton)?;
        automaton.modes = modes;
        automaton.remove_dead();
        Ok(automaton)
    }

    pub(super) fn start(&self) -> usize {
        START * self.width
    }

    /// How many atoms there are. It stands for the end of the text as well.
    pub(super) fn end_of_text(&self) -> usize {
        self.width - 1
    }

    /// The row after an atom, and whether a match ends before it.
    #[inline(always)]
    pub(super) fn step(&self, row: usize, atom: usize) -> (usize, bool) {
        let entry = self.entries[row + atom];
        ((entry & !RECORD) as usize, entry & RECORD != 0)
    }

    /// The rows of all states.
    pub(super) fn rows(&self) -> impl Iterator<Item = usize> + use<> {
        (0..self.entries.len()).step_by(self.width)
    }

    pub(super) fn mode(&self, atom: usize) -> usize {
        self.modes[atom]
    }

    /// States after which no match ends become the one that says so.
    fn remove_dead(&mut self) {
        let rows: Vec<usize> = self.rows().collect();
        let mut alive = vec![false; rows.len()];
        loop {
            let mut changed = false;
            for (number, &row) in rows.iter().enumerate().filter(|(number, _)| *number != DEAD) {
                let lives = (0..self.width).any(|atom| {
                    let (next, record) = self.step(row, atom);
                    record || alive[next / self.width]
                });
                changed |= lives && !std::mem::replace(&mut alive[number], lives);
            }
            if !changed {
                break;
            }
        }
        for entry in &mut self.entries {
            if !alive[(*entry & !RECORD) as usize / self.width] {
                *entry &= RECORD;
            }
        }
    }
}

/// Which cutters hold each atom, as the number of that combination. The end of the text has a mode of its own.
fn modes(atoms: &Atoms, cutters: &[Cutter]) -> Vec<usize> {
    let mut known: Vec<Vec<bool>> = Vec::new();
    let mut modes: Vec<usize> = (0..atoms.count)
        .map(|atom| {
            let held: Vec<bool> =
                cutters.iter().map(|cutter| atoms.sets[cutter.set] >> atom & 1 == 1).collect();
            known.iter().position(|other| *other == held).unwrap_or_else(|| {
                known.push(held);
                known.len() - 1
            })
        })
        .collect();
    modes.push(known.len());
    modes
}

/// How long the pieces of each mode may be.
fn limits(
    atoms: &Atoms,
    cutters: &[Cutter],
    modes: &[usize],
) -> Result<Vec<Option<usize>>, Refused> {
    let mut limits = vec![None; modes.len()];
    for cutter in cutters {
        let Some(most) = cutter.most else { continue };
        let held: Vec<usize> =
            (0..atoms.count).filter(|atom| atoms.sets[cutter.set] >> atom & 1 == 1).collect();
        let mut held: Vec<usize> = held.into_iter().map(|atom| modes[atom]).collect();
        held.sort_unstable();
        held.dedup();
        for &mode in &held {
            let whole = most == 1 || held.len() == 1;
            match &mut limits[mode] {
                Some(1) => {}
                limit @ None if whole => *limit = Some(most),
                limit if most == 1 => *limit = Some(1),
                _ => return Err("patterns in a row that count overlapping sets".to_owned()),
            }
        }
    }
    Ok(limits)
}

struct Builder<'a> {
    steps: Vec<Step>,
    first: usize,
    modes: &'a [usize],
    limits: &'a [Option<usize>],
}

impl Builder<'_> {
    fn build(&self, automaton: &mut Automaton) -> Result<(), Refused> {
        let (width, end) = (automaton.width, automaton.width - 1);
        let mut states = vec![State::Dead, State::Start];
        let mut known: HashMap<State, usize> = states.iter().cloned().zip(0..).collect();
        let mut at = 0;
        while at < states.len() {
            for atom in 0..width {
                let (next, record) = self.next(&states[at], atom, end)?;
                let number = *known.entry(next.clone()).or_insert(states.len());
                if number == states.len() {
                    states.push(next);
                }
                automaton.entries.push((number * width) as u32 | if record { RECORD } else { 0 });
            }
            at += 1;
            if states.len() > MOST_STATES {
                return Err("too large for an automaton".to_owned());
            }
        }
        Ok(())
    }

    /// The state after an atom, and whether a match ends before it.
    fn next(&self, state: &State, atom: usize, end: usize) -> Result<(State, bool), Refused> {
        let mode = self.modes[atom];
        let start = [self.first];
        let (list, mode) = match state {
            State::Dead => return Ok((State::Dead, false)),
            State::Start if atom == end => return Ok((State::Dead, false)),
            State::Start => match self.group(mode)? {
                Some(usize::MAX) => return Ok((State::Run(mode), false)),
                Some(most) => return Ok((State::Group(most - 1, mode), false)),
                None => (&start[..], mode),
            },
            State::Run(of) if mode == *of => return Ok((State::Run(mode), false)),
            State::Group(left, of) if mode == *of && *left > 0 => {
                return Ok((State::Group(left - 1, mode), false));
            }
            State::Run(_) | State::Group(..) => return Ok((State::Dead, true)),
            State::At(list, of) if mode != *of => {
                return Ok((State::Dead, self.follow(list, end).1));
            }
            State::At(list, _) => (&list[..], mode),
        };
        let (list, record) = self.follow(list, atom);
        Ok(match list.is_empty() {
            true => (State::Dead, record),
            false => (State::At(list, mode), record),
        })
    }

    /// The instructions after an atom, and whether a match ends before it.
    fn follow(&self, list: &[usize], atom: usize) -> (Vec<usize>, bool) {
        let mut seen = vec![false; self.steps.len()];
        let (mut next, mut stack) = (Vec::new(), Vec::new());
        stack.extend(list.iter().rev());
        while let Some(at) = stack.pop() {
            if std::mem::replace(&mut seen[at], true) {
                continue;
            }
            match self.steps[at] {
                Step::Take(set, then) => {
                    if set >> atom & 1 == 1 && !next.contains(&then) {
                        next.push(then);
                    }
                }
                Step::Look(set, then) if set >> atom & 1 == 1 => stack.push(then),
                Step::Look(..) => {}
                Step::Try(first, second) => stack.extend([second, first]),
                Step::Match => return (next, true),
            }
        }
        (next, false)
    }

    /// How long the pieces of a mode may be if none of them is cut by the last pattern; none if they may be.
    fn group(&self, mode: usize) -> Result<Option<usize>, Refused> {
        let never = self.never_matches(mode)?;
        match self.limits[mode] {
            Some(most) if most == 1 || never || self.leaves_whole(mode, most)? => Ok(Some(most)),
            Some(_) => Err("a pattern that cuts the groups of the one before it".to_owned()),
            None => Ok(never.then_some(usize::MAX)),
        }
    }

    fn atoms_of(&self, mode: usize) -> Vec<usize> {
        (0..self.modes.len() - 1).filter(|&atom| self.modes[atom] == mode).collect()
    }

    /// Whether the last pattern matches nothing in texts of this mode: then each of them is one piece.
    fn never_matches(&self, mode: usize) -> Result<bool, Refused> {
        let atoms = self.atoms_of(mode);
        let (mut lists, mut at) = (vec![vec![self.first]], 0);
        while at < lists.len() {
            for atom in atoms.iter().copied().chain([self.modes.len() - 1]) {
                let (next, record) = self.follow(&lists[at], atom);
                if record {
                    return Ok(false);
                }
                if !lists.contains(&next) {
                    lists.push(next);
                }
            }
            at += 1;
            if lists.len() > MOST_STATES {
                return Err("too large for an automaton".to_owned());
            }
        }
        Ok(true)
    }

    /// Whether the last pattern makes one piece of every group of at most `most` characters of a mode.
    fn leaves_whole(&self, mode: usize, most: usize) -> Result<bool, Refused> {
        let (atoms, end) = (self.atoms_of(mode), self.modes.len() - 1);
        let mut lists = vec![vec![self.first]];
        for _ in 0..most {
            let mut longer: Vec<Vec<usize>> = Vec::new();
            for (list, &atom) in lists.iter().flat_map(|list| atoms.iter().map(move |a| (list, a)))
            {
                let (next, _) = self.follow(list, atom);
                if !self.follow(&next, end).1 {
                    return Ok(false);
                }
                if !longer.contains(&next) {
                    longer.push(next);
                }
            }
            lists = longer;
            if lists.len() > MOST_STATES {
                return Err("too large for an automaton".to_owned());
            }
        }
        Ok(true)
    }
}
