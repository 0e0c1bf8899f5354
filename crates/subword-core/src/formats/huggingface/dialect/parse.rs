/*!
The grammar that both engines share: alternatives, groups, quantifiers, escapes.

```text
alternatives = sequence ('|' sequence)*
sequence     = (atom quantifier?)*
quantifier   = ('*' | '+' | '?') ('?' | '+')?  |  '{' n (',' m?)? '}' '?'?
atom         = character | escape | '.' | class
             | '(' alternatives ')'  with  (  (?:  (?>  (?<name>  (?i:  (?-i:  (?=  (?!  (?<=  (?<!
```

The parser copies what it reads to its output, or something that means the same; see the parent module.

Four rules need more than the grammar, and [`Shape`] carries what they ask for:
* What may be empty is not repeated: the engines leave such a loop at different places. What has a lazy
  quantifier is not repeated either: ours loses a repetition of `(a+?)*`.
* A look-behind holds characters only, which have one length in both engines.
* Oniguruma looks for a pattern that starts with `.*` or `.+` at the starts of lines only, which is right, and
  also for one that has a look-ahead before it, which is not.
* Without regard to case Oniguruma matches `ß` by `ss` and `ﬁ` by `fi`. Such pairs of letters are
  refused there, and letters that are not ASCII.
*/

use super::class;
use super::shape::Shape;
use crate::model::escaped_character;

/// How deep groups and classes may be nested: the parser recurses.
const MAX_DEPTH: usize = 32;

/// What a quantifier starts with.
const QUANTIFIERS: [char; 4] = ['*', '+', '?', '{'];

/// What is outside of the grammar, in words that stand after "the pattern uses".
pub(super) type Refused = String;
pub(super) type Parsed<T> = std::result::Result<T, Refused>;

/// `^`: the start of the text, and after every line break but one at the end of the text.
const LINE_START: &str = r"(?:\A|(?<=\n)(?!\z))";
/// `$`: the end of the text, and before every line break.
const LINE_END: &str = r"(?=\n|\z)";
/// `\Z`: the end of the text, and before a line break there.
const TEXT_END: &str = r"(?=\n?\z)";

/// A regular expression that both engines read alike.
#[derive(Debug)]
pub(super) struct Translation {
    pub(super) text: String,
    /// The first thing that had to be spelled differently.
    pub(super) changed: Option<String>,
}

/// What the engines share of `regex`, or the first thing that they may read differently.
pub(super) fn translation(regex: &str) -> Parsed<Translation> {
    let mut parser =
        Parser { rest: regex, out: String::with_capacity(regex.len()), changed: None, depth: 0 };
    parser.alternatives(Scope::default())?;
    match parser.rest {
        "" => Ok(Translation { text: parser.out, changed: parser.changed }),
        _ => Err("a ) without its (".to_owned()),
    }
}

/// What surrounds an atom.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Scope {
    pub(super) ignore_case: bool,
    /// In a class that starts with `[^`, or in a class in it.
    pub(super) negated: bool,
    look_behind: bool,
}

/// What an escape stands for.
pub(super) enum Escape {
    Character(char),
    Set,
    Position,
}

pub(super) struct Parser<'p> {
    pub(super) rest: &'p str,
    out: String,
    changed: Option<String>,
    depth: usize,
}

impl<'p> Parser<'p> {
    pub(super) fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    /// Copies the next `len` bytes.
    pub(super) fn copy(&mut self, len: usize) {
        let read = self.skip(len);
        self.out.push_str(read);
    }

    /// Writes `text` instead of the next `len` bytes.
    pub(super) fn replace(&mut self, len: usize, text: &str) {
        let read = self.skip(len);
        self.out.push_str(text);
        self.note_change(read);
    }

    /// Writes `text`, which is not about case, instead of the next `len` bytes.
    pub(super) fn replace_without_case(&mut self, len: usize, text: &str, scope: Scope) {
        match scope.ignore_case {
            true => self.replace(len, &format!("(?-i:{text})")),
            false => self.replace(len, text),
        }
    }

    fn skip(&mut self, len: usize) -> &'p str {
        let (read, rest) = self.rest.split_at(len);
        self.rest = rest;
        read
    }

    fn note_change(&mut self, what: &str) {
        self.changed.get_or_insert_with(|| what.to_owned());
    }

    /// Reads something that may hold others of its kind.
    pub(super) fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth == MAX_DEPTH {
            return Err(format!("groups and classes nested more than {MAX_DEPTH} deep"));
        }
        self.depth += 1;
        let result = read(self);
        self.depth -= 1;
        result
    }

    /// Up to a `)`, or to the end.
    fn alternatives(&mut self, scope: Scope) -> Parsed<Shape> {
        let mut shape = self.sequence(scope)?;
        while self.rest.starts_with('|') {
            self.copy(1);
            shape = shape.or(self.sequence(scope)?);
        }
        Ok(shape)
    }

    fn sequence(&mut self, scope: Scope) -> Parsed<Shape> {
        let mut whole = Shape::EMPTY;
        let mut first = true;
        while let Some(character) = self.peek().filter(|c| !matches!(c, '|' | ')')) {
            let start = self.out.len();
            let mut atom = self.atom(character, scope)?;
            atom.starts_any |= character == '.' && self.rest.starts_with(QUANTIFIERS);
            let next = self.quantifier(atom, start, scope)?;
            if !first && whole.only_empty && next.starts_any {
                return Err("a repeated . after something without width".to_owned());
            }
            first = false;
            if whole.ends_first && next.starts_second {
                return Err("letters such as \"ss\" or \"fi\" in (?i:...)".to_owned());
            }
            whole = whole.then(next);
        }
        Ok(whole)
    }

    fn atom(&mut self, character: char, scope: Scope) -> Parsed<Shape> {
        match character {
            '(' => return self.nested(|parser| parser.group(scope)),
            '[' => class::read(self, scope)?,
            '\\' => match self.escape(scope, false)? {
                Escape::Character(character) => return Ok(Shape::of_character(character, scope)),
                Escape::Set => {}
                Escape::Position => return Ok(Shape::EMPTY),
            },
            '^' | '$' => {
                refuse_in_look_behind(scope, &character.to_string())?;
                self.replace_without_case(
                    1,
                    if character == '^' { LINE_START } else { LINE_END },
                    scope,
                );
                return Ok(Shape::EMPTY);
            }
            '*' | '+' | '?' => return Err(format!("{character} after nothing")),
            '{' => return Err("{ without a backslash".to_owned()),
            ']' => self.replace(1, r"\]"),
            '}' => self.replace(1, r"\}"),
            '.' => self.copy(1),
            _ => {
                self.check_case(character, scope)?;
                self.copy(character.len_utf8());
                return Ok(Shape::of_character(character, scope));
            }
        }
        Ok(Shape::CHARACTER)
    }

    fn group(&mut self, scope: Scope) -> Parsed<Shape> {
        let rest = self.rest;
        refuse_in_look_behind(scope, "a group")?;
        let insensitive = |ignore_case| Scope { ignore_case, ..scope };
        for (opening, ignore_case) in [("(?i", true), ("(?-i", false)] {
            match rest.strip_prefix(opening).and_then(|rest| rest.chars().next()) {
                Some(':') => return self.in_group(opening.len() + 1, insensitive(ignore_case)),
                // It goes to the end of the group around it, over the alternatives as well.
                Some(')') => {
                    self.replace(opening.len() + 1, &format!("{opening}:"));
                    let shape = self.alternatives(insensitive(ignore_case))?;
                    self.out.push(')');
                    return Ok(shape);
                }
                _ => {}
            }
        }
        if rest.starts_with("(?:") || rest.starts_with("(?>") {
            return self.in_group(3, scope);
        }
        if rest.starts_with("(?=") || rest.starts_with("(?!") {
            self.in_group(3, scope)?;
            return Ok(Shape::EMPTY);
        }
        if rest.starts_with("(?<=") || rest.starts_with("(?<!") {
            if scope.ignore_case {
                return Err(format!("{} in (?i:...)", &rest[..4]));
            }
            self.in_group(4, Scope { look_behind: true, ..scope })?;
            return Ok(Shape::EMPTY);
        }
        if let Some(name) = rest.strip_prefix("(?<").and_then(|rest| rest.split('>').next())
            && name.starts_with(|c: char| c.is_ascii_alphabetic())
            && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
            && rest.as_bytes().get(3 + name.len()) == Some(&b'>')
        {
            return self.in_group(4 + name.len(), scope);
        }
        match rest.strip_prefix("(?") {
            Some(kind) => Err(format!("(?{}", kind.chars().next().unwrap_or_default())),
            None => self.in_group(1, scope),
        }
    }

    /// Copies the `opening` bytes that open a group, and reads it to its end.
    fn in_group(&mut self, opening: usize, scope: Scope) -> Parsed<Shape> {
        self.copy(opening);
        let shape = self.alternatives(scope)?;
        if self.rest.is_empty() {
            return Err("a ( without its )".to_owned());
        }
        self.copy(1);
        Ok(shape)
    }

    /// Reads the quantifier of an atom, if it has one. In the output the atom starts at `start`.
    fn quantifier(&mut self, atom: Shape, start: usize, scope: Scope) -> Parsed<Shape> {
        let Some(first) = self.peek().filter(|c| QUANTIFIERS.contains(c)) else {
            return Ok(atom);
        };
        if atom.empty {
            return Err(format!("{first} after something that may be empty"));
        }
        if atom.lazy {
            return Err(format!("{first} after a group with a lazy quantifier"));
        }
        let (least, lazy) = match first {
            '{' => self.interval(start, scope)?,
            _ => {
                refuse_in_look_behind(scope, &first.to_string())?;
                self.copy(1);
                let lazy = self.rest.starts_with('?');
                if lazy || self.rest.starts_with('+') {
                    self.copy(1);
                }
                (u32::from(first == '+'), lazy)
            }
        };
        if self.rest.starts_with(QUANTIFIERS) {
            return Err("a quantifier after a quantifier".to_owned());
        }
        Ok(Shape { empty: least == 0, lazy, ..atom })
    }

    /// Reads `{...}` and what belongs to it. Returns how often the atom is there at least, and whether the
    /// quantifier is lazy.
    fn interval(&mut self, start: usize, scope: Scope) -> Parsed<(u32, bool)> {
        let refused = || "a { that is not {n}, {n,} or {n,m}".to_owned();
        let written = self.rest[1..].split('}').next().unwrap_or_default();
        let (least, most) = written.split_once(',').unwrap_or((written, written));
        let number = |digits: &str| match digits.len() {
            1..=6 if digits.bytes().all(|byte| byte.is_ascii_digit()) => digits.parse::<u32>().ok(),
            _ => None,
        };
        let (low, high) = match (number(least), number(most)) {
            (Some(low), Some(high)) => (low, Some(high)),
            (Some(low), None) if most.is_empty() => (low, None),
            (None, Some(high)) if least.is_empty() => (0, Some(high)),
            _ => return Err(refused()),
        };
        let after = self.rest.get(written.len() + 2..).ok_or_else(refused)?;
        if high == Some(0) || high.is_some_and(|high| high < low) {
            return Err(format!("{{{written}}}"));
        }
        let fixed = Some(low) == high;
        if !fixed || after.starts_with(['?', '+']) {
            refuse_in_look_behind(scope, &format!("{{{written}}}"))?;
        }
        match written.strip_prefix(',') {
            Some(most) => self.replace(written.len() + 2, &format!("{{0,{most}}}")),
            None => self.copy(written.len() + 2),
        }
        match after.as_bytes().first() {
            Some(b'+') if low == 0 => Err("+ after something that may be empty".to_owned()),
            Some(b'?') if fixed && written.contains(',') => Err(format!("{{{written}}}?")),
            // A repetition of the repetition, and for a fixed number an option.
            Some(&suffix @ (b'+' | b'?')) if suffix == b'+' || fixed => {
                let suffix = char::from(suffix);
                self.skip(1);
                self.out.insert_str(start, "(?:");
                self.out.push_str(&format!("){suffix}"));
                self.note_change(&format!("{{}}{suffix}"));
                Ok((if suffix == '?' { 0 } else { low }, false))
            }
            Some(b'?') => {
                self.copy(1);
                Ok((low, true))
            }
            _ => Ok((low, false)),
        }
    }

    /// Reads an escape, outside of a class or in one.
    pub(super) fn escape(&mut self, scope: Scope, in_class: bool) -> Parsed<Escape> {
        let mut characters = self.rest[1..].chars();
        let letter = characters.next().ok_or("a \\ at the end")?;
        let after = characters.as_str();
        if let Some((written, character)) = escaped_character(letter, after) {
            self.check_case(character, scope)?;
            // Our engine takes `\<` and `\>` for the borders of a word.
            match letter {
                '<' | '>' | ' ' => self.replace(2, &letter.to_string()),
                _ if !letter.is_ascii() => self.replace(1 + letter.len_utf8(), &letter.to_string()),
                _ => self.copy(1 + written),
            }
            return Ok(Escape::Character(character));
        }
        match letter {
            // Negative sets hold `ß`, for which Oniguruma would match `ss` as well.
            'D' | 'S' if in_class && scope.ignore_case => {
                return Err(format!("\\{letter} in a class in (?i:...)"));
            }
            'd' | 'D' | 's' | 'S' => self.copy(2),
            'A' | 'z' | 'Z' | 'b' | 'B' if in_class => {
                return Err(format!("\\{letter} in a class"));
            }
            'A' | 'z' | 'Z' | 'b' | 'B' => {
                refuse_in_look_behind(scope, &format!("\\{letter}"))?;
                match letter {
                    'Z' => self.replace(2, TEXT_END),
                    'b' | 'B' => {
                        self.replace_without_case(2, &class::word_border(letter == 'b'), scope)
                    }
                    _ => self.copy(2),
                }
                return Ok(Escape::Position);
            }
            _ => class::escaped_set(self, letter, scope, in_class)?,
        }
        Ok(Escape::Set)
    }

    /// Refuses a character that the engines may not match alike without regard to case.
    pub(super) fn check_case(&self, character: char, scope: Scope) -> Parsed<()> {
        let has_case = character.is_alphanumeric()
            || matches!(character, '\u{300}'..='\u{36F}')
            || !character.to_lowercase().eq([character])
            || !character.to_uppercase().eq([character]);
        if scope.ignore_case && !character.is_ascii() && has_case {
            return Err(format!("{character:?} in (?i:...)"));
        }
        Ok(())
    }
}

fn refuse_in_look_behind(scope: Scope, what: &str) -> Parsed<()> {
    if scope.look_behind { Err(format!("{what} in a look-behind")) } else { Ok(()) }
}
