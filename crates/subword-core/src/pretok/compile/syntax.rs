/*!
A regular expression as a tree of character sets, in the few kinds of nodes that an automaton can run.

The parser is that of the engine which runs everything else (`regex`), so a pattern cannot mean one thing there and
another thing here. What remains is to bring its tree into this form:

```text
[^\r\n\p{L}]  a  (?i:s)   Set: one character
(?!\S)  (?=a)  \z  $      Look: what the next character is, or that there is none
a++                       a+ and then Look: the next character is not `a`
a{1,3}+                   a{3}, or else a{1,2} and the next character is not `a`
```

A possessive repetition of one set gives nothing back, so it ends where no other character of the set follows: that
is a look-ahead of one character. Everything else that needs memory of how a match came about (back references,
look-behind, atomic groups of more than one set) has no form here, and is refused by its name.
*/

use fancy_regex::{Assertion, Expr, LookAround};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, Hir, HirKind};

/// Why a pattern is not compiled, in words that stand after "it has" or "it is".
pub(super) type Refused = String;

/// A part of a regular expression.
#[derive(Debug, Clone)]
pub(super) enum Node {
    Empty,
    /// One character of this set.
    Set(SetId),
    /// The next character is in this set; or, if `end`, the text ends here.
    Look {
        set: SetId,
        end: bool,
    },
    Concat(Vec<Node>),
    /// The first that matches.
    Alternatives(Vec<Node>),
    Repeat {
        node: Box<Node>,
        least: usize,
        /// None for any number.
        most: Option<usize>,
        greedy: bool,
    },
}

/// The place of a set in [`Sets`].
pub(super) type SetId = usize;

/// The sets of characters of a pattern, each once.
#[derive(Debug, Default)]
pub(super) struct Sets(pub(super) Vec<ClassUnicode>);

impl Sets {
    fn id(&mut self, set: ClassUnicode) -> SetId {
        let known = self.0.iter().position(|known| *known == set);
        known.unwrap_or_else(|| {
            self.0.push(set);
            self.0.len() - 1
        })
    }

    fn negated(&mut self, set: SetId) -> SetId {
        let mut other = self.0[set].clone();
        other.negate();
        self.id(other)
    }

    /// The tree of a regular expression.
    pub(super) fn parse(&mut self, regex: &str) -> Result<Node, Refused> {
        let tree = Expr::parse_tree(regex).map_err(|error| format!("not readable: {error}"))?;
        self.node(&tree.expr)
    }

    fn node(&mut self, expr: &Expr) -> Result<Node, Refused> {
        Ok(match expr {
            Expr::Empty => Node::Empty,
            Expr::Any { newline, crlf } => {
                let mut lines = ClassUnicode::empty();
                if !newline {
                    lines.push(one('\n'));
                }
                if !newline && *crlf {
                    lines.push(one('\r'));
                }
                lines.negate();
                Node::Set(self.id(lines))
            }
            Expr::Literal { val, casei: false } => {
                let characters = val.chars();
                concat(
                    characters.map(|c| Node::Set(self.id(ClassUnicode::new([one(c)])))).collect(),
                )
            }
            Expr::Literal { val, casei: true } => {
                let character = |c: char| self.class(&regex_syntax::escape(&c.to_string()), true);
                concat(val.chars().map(character).collect::<Result<_, _>>()?)
            }
            Expr::Delegate { inner, casei } => self.class(inner, *casei)?,
            Expr::Concat(parts) => {
                concat(parts.iter().map(|part| self.node(part)).collect::<Result<_, _>>()?)
            }
            Expr::Alt(parts) => {
                let nodes: Vec<Node> =
                    parts.iter().map(|part| self.node(part)).collect::<Result<_, _>>()?;
                self.alternatives(nodes)
            }
            Expr::Group(inner) => self.node(inner)?,
            Expr::Repeat { child, lo, hi, greedy } => {
                let node = self.node(child)?;
                if may_be_empty(&node) && *hi > 1 {
                    return Err("a repetition of something that may be empty".to_owned());
                }
                let most = (*hi != usize::MAX).then_some(*hi);
                Node::Repeat { node: Box::new(node), least: *lo, most, greedy: *greedy }
            }
            Expr::AtomicGroup(inner) => {
                let node = self.node(inner)?;
                self.atomic(node)?
            }
            Expr::LookAround(inner, LookAround::LookAhead) => {
                let node = self.node(inner)?;
                let (set, end) = self.next(&node)?;
                Node::Look { set, end }
            }
            Expr::LookAround(inner, LookAround::LookAheadNeg) => {
                let node = self.node(inner)?;
                let (set, end) = self.next(&node)?;
                Node::Look { set: self.negated(set), end: !end }
            }
            Expr::LookAround(..) => return Err("a look-behind".to_owned()),
            Expr::Assertion(Assertion::EndText) => {
                Node::Look { set: self.id(ClassUnicode::empty()), end: true }
            }
            Expr::Assertion(Assertion::EndLine { crlf: false }) => {
                Node::Look { set: self.id(ClassUnicode::new([one('\n')])), end: true }
            }
            Expr::Assertion(_) => return Err("an assertion about what stands before".to_owned()),
            Expr::Backref { .. } | Expr::BackrefWithRelativeRecursionLevel { .. } => {
                return Err("a back reference".to_owned());
            }
            _ => return Err("a construct that has no automaton".to_owned()),
        })
    }

    /// A class of characters, or a single character.
    fn class(&mut self, written: &str, casei: bool) -> Result<Node, Refused> {
        let parsed = ParserBuilder::new().case_insensitive(casei).build().parse(written);
        let set = match parsed.as_ref().map(Hir::kind) {
            Ok(HirKind::Class(Class::Unicode(set))) => set.clone(),
            Ok(HirKind::Class(Class::Bytes(bytes))) => {
                let ranges = bytes.ranges().iter();
                let range = |r: &regex_syntax::hir::ClassBytesRange| {
                    ClassUnicodeRange::new(char::from(r.start()), char::from(r.end()))
                };
                ClassUnicode::new(ranges.map(range))
            }
            Ok(HirKind::Literal(literal)) => {
                let mut characters = std::str::from_utf8(&literal.0).unwrap_or_default().chars();
                match (characters.next(), characters.next()) {
                    (Some(c), None) => ClassUnicode::new([one(c)]),
                    _ => return Err(format!("{written:?}, which is not one character")),
                }
            }
            _ => return Err(format!("{written:?}, which is no class of characters")),
        };
        Ok(Node::Set(self.id(set)))
    }

    /// Alternatives; those of single characters are one set.
    fn alternatives(&mut self, nodes: Vec<Node>) -> Node {
        let mut union = ClassUnicode::empty();
        for node in &nodes {
            let Node::Set(set) = node else { return Node::Alternatives(nodes) };
            union.union(&self.0[*set]);
        }
        Node::Set(self.id(union))
    }

    /// What never gives back what it took.
    fn atomic(&mut self, node: Node) -> Result<Node, Refused> {
        let Node::Repeat { node: inner, least, most, greedy: true } = &node else {
            return match node {
                Node::Set(_) | Node::Look { .. } | Node::Empty => Ok(node),
                _ => Err("an atomic group of more than one set of characters".to_owned()),
            };
        };
        let (&least, &most) = (least, most);
        let Node::Set(set) = **inner else {
            return Err("a possessive repetition of more than one set of characters".to_owned());
        };
        let ends = Node::Look { set: self.negated(set), end: true };
        Ok(match most {
            None => Node::Concat(vec![node, ends]),
            Some(most) if most == least => node,
            Some(most) => {
                let times = |least, most| Node::Repeat {
                    node: Box::new(Node::Set(set)),
                    least,
                    most: Some(most),
                    greedy: true,
                };
                let fewer = Node::Concat(vec![times(least, most - 1), ends]);
                Node::Alternatives(vec![times(most, most), fewer])
            }
        })
    }

    /// What a look-ahead asks of the next character, and whether the text may end.
    fn next(&mut self, node: &Node) -> Result<(SetId, bool), Refused> {
        match node {
            Node::Set(set) => Ok((*set, false)),
            Node::Look { set, end } => Ok((*set, *end)),
            Node::Alternatives(nodes) => {
                let (mut union, mut at_end) = (ClassUnicode::empty(), false);
                for node in nodes {
                    let (set, end) = self.next(node)?;
                    union.union(&self.0[set]);
                    at_end |= end;
                }
                Ok((self.id(union), at_end))
            }
            _ => Err("a look-ahead of more than one character".to_owned()),
        }
    }
}

fn one(c: char) -> ClassUnicodeRange {
    ClassUnicodeRange::new(c, c)
}

fn concat(mut nodes: Vec<Node>) -> Node {
    if nodes.len() == 1 { nodes.remove(0) } else { Node::Concat(nodes) }
}

/// Whether a node may match without a character.
pub(super) fn may_be_empty(node: &Node) -> bool {
    match node {
        Node::Empty | Node::Look { .. } => true,
        Node::Set(_) => false,
        Node::Concat(nodes) => nodes.iter().all(may_be_empty),
        Node::Alternatives(nodes) => nodes.iter().any(may_be_empty),
        Node::Repeat { node, least, .. } => *least == 0 || may_be_empty(node),
    }
}
