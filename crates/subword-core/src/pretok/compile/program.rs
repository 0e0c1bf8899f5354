/*!
A tree as a list of instructions, as a backtracking engine would run them: take a character, look at the next one, try
this and else that, match.

```text
 ?\p{L}+      0 match     1 try 2 else 0     2 take \p{L}, go to 1     3 take \p{L}, go to 1
              4 take a space, go to 3        5 try 4 else 3             starts at 5
```
*/

use super::atoms::{AtomSet, Atoms};
use super::syntax::{Node, Refused};

/// How many instructions there may be.
const MOST_STEPS: usize = 4096;

/// An instruction.
#[derive(Debug)]
pub(super) enum Step {
    /// Take one of these atoms.
    Take(AtomSet, usize),
    /// The next atom is one of these; the bit above all atoms is the end of the text.
    Look(AtomSet, usize),
    /// The first is preferred.
    Try(usize, usize),
    Match,
}

/// The instructions of a tree, and the one that it starts with.
#[derive(Debug)]
pub(super) struct Program {
    pub(super) steps: Vec<Step>,
    pub(super) first: usize,
}

impl Program {
    pub(super) fn of(atoms: &Atoms, tree: &Node) -> Result<Program, Refused> {
        let mut writer = Writer { atoms, steps: vec![Step::Match] };
        let first = writer.add(tree, 0)?;
        Ok(Program { steps: writer.steps, first })
    }
}

/// Writes the instructions of a tree, from its end.
struct Writer<'a> {
    atoms: &'a Atoms,
    steps: Vec<Step>,
}

impl Writer<'_> {
    fn push(&mut self, step: Step) -> Result<usize, Refused> {
        if self.steps.len() == MOST_STEPS {
            return Err("too large for an automaton".to_owned());
        }
        self.steps.push(step);
        Ok(self.steps.len() - 1)
    }

    /// The instruction that `node` starts with if `next` comes after it.
    fn add(&mut self, node: &Node, next: usize) -> Result<usize, Refused> {
        match node {
            Node::Empty => Ok(next),
            Node::Set(set) => self.push(Step::Take(self.atoms.sets[*set], next)),
            Node::Look { set, end } => {
                let end = u64::from(*end) << self.atoms.count;
                self.push(Step::Look(self.atoms.sets[*set] | end, next))
            }
            Node::Concat(nodes) => {
                nodes.iter().rev().try_fold(next, |next, node| self.add(node, next))
            }
            Node::Alternatives(nodes) => {
                let mut all = None;
                for node in nodes.iter().rev() {
                    let first = self.add(node, next)?;
                    all = Some(match all {
                        None => first,
                        Some(others) => self.push(Step::Try(first, others))?,
                    });
                }
                Ok(all.unwrap_or(next))
            }
            Node::Repeat { node, least, most, greedy } => {
                let tried = |more, done| match greedy {
                    true => Step::Try(more, done),
                    false => Step::Try(done, more),
                };
                let mut first = next;
                match most {
                    None => {
                        first = self.push(Step::Match)?;
                        let more = self.add(node, first)?;
                        self.steps[first] = tried(more, next);
                    }
                    Some(most) => {
                        for _ in *least..*most {
                            let more = self.add(node, first)?;
                            first = self.push(tried(more, next))?;
                        }
                    }
                }
                for _ in 0..*least {
                    first = self.add(node, first)?;
                }
                Ok(first)
            }
        }
    }
}
