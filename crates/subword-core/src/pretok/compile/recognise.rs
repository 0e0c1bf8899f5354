/*!
Does a pattern cut as blocks of 64 bytes do? Found by trial, then proved.

The blocks of `families` have a few [`Rules`]: how many digits are a piece, whether words take marks, which
contractions there are. Each set of rules is a pattern, which has regular expressions. Which rules a given pattern has is
read off how it cuts a few short texts:

```text
"11111"     the first piece has 2 characters   ->   two digits
"a\u{301}"  one piece                          ->   marks are parts of words
```

Then both are compared state by state (`proofs::equal`). Only if they cut every text alike are the blocks used. So
however a pattern is written (possessive or not, `'s|'t` or `'[st]`, `\s*[\r\n]` or `\s*[\r\n]+`), its speed depends on
what it means.
*/

use super::{Compiled, are_equal};
use crate::pretok::rules::{Contractions, Digits, Marks, Rules, Tail, Words};

/// The rules of the blocks that cut as this pattern does.
pub(super) fn rules(compiled: &Compiled, regexes: &[&str]) -> Option<Rules> {
    let guessed = guess(compiled)?;
    let same = |rules: &Rules| {
        let defined = rules.regexes();
        let defined: Vec<&str> = defined.iter().map(String::as_str).collect();
        are_equal(regexes, &defined).unwrap_or(false)
    };
    let newer = Rules { newer_digits: true, ..guessed };
    [guessed, newer].into_iter().filter(Rules::have_blocks).find(same)
}

/// The rules that the pieces of short texts suggest.
fn guess(compiled: &Compiled) -> Option<Rules> {
    let first = |text: &str| {
        let end = compiled.end(text.as_bytes(), 0);
        text.get(..end).map_or(0, |piece| piece.chars().count())
    };
    let whole = |text: &str| first(text) == text.chars().count();
    let words = match () {
        () if whole("(a") && !whole("“a") => Words::Deepseek,
        () if !whole("(a") => Words::AfterSpace,
        () if whole("aB") => Words::AfterAny,
        () => Words::AfterAnyByCase,
    };
    let digits = match first("1111111111") {
        10 if whole(" 1") => Digits::AfterSpace,
        10 => Digits::Any,
        most @ 1..=3 => Digits::UpTo(most as u8),
        _ => return None,
    };
    let marks = match () {
        () if !whole("a\u{301}") => Marks::Symbols,
        () if whole("!!\u{301}") => Marks::Both,
        () => Marks::Words,
    };
    let tail = match () {
        () if whole("!\n/\n") => Tail::NewlinesAndSlashes,
        () if whole("!\n\n") => Tail::Newlines,
        () => Tail::None,
    };
    let word = if words == Words::AfterAnyByCase { "a" } else { "" };
    let [exact, folded] =
        [format!("{word}'sx"), format!("{word}'Sx")].map(|text| first(&text) + 1 == text.len());
    let contractions = match (exact, folded) {
        (true, true) => Contractions::AnyCase,
        (true, false) => Contractions::Exact,
        _ => Contractions::None,
    };
    if words == Words::Deepseek {
        return Some(Rules::DEEPSEEK_V3);
    }
    Some(Rules {
        words,
        digits,
        digits_first: first("  1") == 2,
        newer_digits: false,
        marks,
        tail,
        contractions,
        han_apart: !whole("中か"),
        space_to_end: words != Words::AfterSpace && whole("\n "),
    })
}
