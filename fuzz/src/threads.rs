/*!
Threads: a random small model and a random text again and again, on one thread and on several.

A target of its own: a text that is worth a second thread takes a hundred times as long as one that is
compared with the definition.
*/

use subword_core::{Allowed, Tokenizer};

use crate::encode::{choices, ids_of, known, on, recipe, shown};
use crate::input::Input;

/// A text that is worth more than one thread, in bytes.
const LARGE: usize = 300 << 10;

/// Checks one input.
pub fn check(data: &[u8]) {
    let Some((tokenizer, is_last, text)) = recipe(&mut Input(data)) else { return };
    let choices = choices(tokenizer.model());
    let allowed = if is_last { &choices[choices.len() - 1] } else { &choices[choices.len() / 2] };
    on_several(&tokenizer, &text, allowed);
}

/// A text again and again has the same ids on one thread and on several.
pub(crate) fn on_several(tokenizer: &Tokenizer, text: &[u8], allowed: &Allowed) {
    if text.is_empty() {
        return;
    }
    let large = text.repeat(LARGE / text.len() + 1);
    let Some(one) = ids_of(tokenizer, &large, allowed) else { return };
    for threads in [2, 5] {
        let ids = known(tokenizer.encode(&large, allowed, on(threads)));
        let same = ids.as_ref() == Some(&one);
        assert!(same, "{threads} threads, {allowed:?}: {}", shown(tokenizer.model(), text));
    }
    let count = known(tokenizer.count(&large, allowed, None, on(3))).flatten();
    assert_eq!(count, Some(one.len()), "count: {}", shown(tokenizer.model(), text));
}
