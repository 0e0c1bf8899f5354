/*!
What the parser must know of an expression that it has read, beside its text: whether it may be empty,
how it is repeated, and with which characters it may start and end. See the four rules in `parse`.
*/

use super::parse::Scope;

/// What is known of an expression.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    /// It may match the empty string.
    pub(super) empty: bool,
    /// It matches nothing else.
    pub(super) only_empty: bool,
    /// There is a quantifier such as `+?` in it.
    pub(super) lazy: bool,
    /// It may start with a repeated `.`.
    pub(super) starts_any: bool,
    /// Without regard to case, and it may start with the second letter of a pair such as `ss` or `fi`.
    pub(super) starts_second: bool,
    /// Without regard to case, and it may end with the first letter of such a pair.
    pub(super) ends_first: bool,
}

impl Shape {
    pub(super) const EMPTY: Shape = Shape {
        empty: true,
        only_empty: true,
        lazy: false,
        starts_any: false,
        starts_second: false,
        ends_first: false,
    };
    pub(super) const CHARACTER: Shape = Shape { empty: false, only_empty: false, ..Shape::EMPTY };

    pub(super) fn of_character(character: char, scope: Scope) -> Shape {
        let is_in = |letters: &str| scope.ignore_case && letters.contains(character);
        Shape { starts_second: is_in("sStTfFiIlL"), ends_first: is_in("sSfF"), ..Shape::CHARACTER }
    }

    pub(super) fn or(self, other: Shape) -> Shape {
        Shape {
            empty: self.empty || other.empty,
            only_empty: self.only_empty && other.only_empty,
            lazy: self.lazy || other.lazy,
            starts_any: self.starts_any || other.starts_any,
            starts_second: self.starts_second || other.starts_second,
            ends_first: self.ends_first || other.ends_first,
        }
    }

    pub(super) fn then(self, next: Shape) -> Shape {
        Shape {
            empty: self.empty && next.empty,
            only_empty: self.only_empty && next.only_empty,
            lazy: self.lazy || next.lazy,
            starts_any: self.starts_any || self.only_empty && next.starts_any,
            starts_second: self.starts_second || self.empty && next.starts_second,
            ends_first: next.ends_first || next.empty && self.ends_first,
        }
    }
}
