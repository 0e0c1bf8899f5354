/*!
The finders of some of the special tokens, which callers choose: `special={"<|user|>"}`.

Callers choose the same tokens again and again, and an automaton of thousands of them takes
milliseconds to build. So the finders of the last few selections are kept.

A thread that finds the list locked builds its own finders and does not wait. So a process that was forked while
another thread held the lock, which nobody will ever release there, does not wait either.
*/

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use super::Finders;
use crate::error::{Error, Result};
use crate::model::{Model, SpecialToken};

/// How many selections are kept.
const KEPT: usize = 8;

/// The special tokens of a model, and the finders of the selections that were asked for last.
#[derive(Debug)]
pub(super) struct Selections {
    /// The place of each special token in the model, by its content.
    places: HashMap<String, usize>,
    /// Places in rising order, and their finders; what was asked for last is at the end.
    kept: Mutex<Vec<(Vec<usize>, Arc<Finders>)>>,
}

impl Selections {
    pub(super) fn new(model: &Model) -> Selections {
        let contents = model.special_tokens.iter().map(|token| token.content.clone());
        Selections { places: contents.zip(0..).collect(), kept: Mutex::default() }
    }

    /// The finders of these special tokens, and of those that are always matched.
    pub(super) fn finders(&self, model: &Model, contents: &[String]) -> Result<Arc<Finders>> {
        let place = |content: &String| {
            let message = || format!("{content:?} is not a special token of this tokenizer");
            let place = self.places.get(content).copied();
            place.ok_or_else(|| Error::Argument { message: message() })
        };
        let mut places = contents.iter().map(place).collect::<Result<Vec<_>>>()?;
        places.sort_unstable();
        places.dedup();
        if let Some(finders) = self.find(&places) {
            return Ok(finders);
        }
        let mut counts = vec![false; model.special_tokens.len()];
        places.iter().for_each(|&place| counts[place] = true);
        let counts = |place: usize, token: &SpecialToken| token.always || counts[place];
        let finders = Arc::new(Finders::of_some(model, counts)?);
        if let Ok(mut kept) = self.kept.try_lock() {
            if kept.len() == KEPT {
                kept.remove(0);
            }
            kept.push((places, Arc::clone(&finders)));
        }
        Ok(finders)
    }

    fn find(&self, places: &[usize]) -> Option<Arc<Finders>> {
        let mut kept = self.kept.try_lock().ok()?;
        let at = kept.iter().position(|(others, _)| others == places)?;
        let found = kept.remove(at);
        let finders = Arc::clone(&found.1);
        kept.push(found);
        Some(finders)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Merges, Pattern};
    use crate::pretok::Named;
    use crate::special::Allowed;
    use crate::tokenizer::Tokenizer;
    use crate::vocab::Vocab;

    fn model() -> Model {
        let special = (0..20).map(|n| SpecialToken::new(format!("<{n}>"), 300 + n)).collect();
        let pattern = Pattern::Named(Named::None);
        Model::new(Vocab::bytes(), Merges::Ranked, pattern, special).checked().unwrap()
    }

    fn contents(numbers: &[usize]) -> Vec<String> {
        numbers.iter().map(|n| format!("<{n}>")).collect()
    }

    #[test]
    fn the_same_selection_has_the_same_finders_in_any_order() {
        let (model, selections) = (model(), Selections::new(&model()));
        let finders = |numbers: &[usize]| selections.finders(&model, &contents(numbers)).unwrap();
        let first = finders(&[3, 1, 3]);
        assert!(Arc::ptr_eq(&first, &finders(&[1, 3])));
        assert!(!Arc::ptr_eq(&first, &finders(&[1])));
        assert_eq!(first.raw.contents().collect::<Vec<_>>(), ["<1>", "<3>"]);
    }

    #[test]
    fn the_selections_that_were_asked_for_last_are_kept() {
        let (model, selections) = (model(), Selections::new(&model()));
        let finders = |number| selections.finders(&model, &contents(&[number])).unwrap();
        let (first, second) = (finders(0), finders(1));
        for number in 2..2 * KEPT {
            finders(number);
            assert!(Arc::ptr_eq(&first, &finders(0)), "{number}");
        }
        assert!(!Arc::ptr_eq(&second, &finders(1)));
        assert_eq!(selections.kept.lock().unwrap().len(), KEPT);
    }

    #[test]
    fn a_list_in_use_is_not_waited_for() {
        let (model, selections) = (model(), Selections::new(&model()));
        let _held = selections.kept.lock().unwrap();
        assert!(selections.finders(&model, &contents(&[5])).is_ok());
    }

    #[test]
    fn what_is_no_special_token_is_refused() {
        let (model, selections) = (model(), Selections::new(&model()));
        let error = selections.finders(&model, &contents(&[1, 99])).unwrap_err();
        assert_eq!(error.to_string(), "\"<99>\" is not a special token of this tokenizer");
    }

    #[test]
    fn a_token_that_is_not_selected_hides_words_as_it_does_where_none_is() {
        let mut model = model();
        let word = SpecialToken { always: true, ..SpecialToken::new("b", 290) };
        model.special_tokens.extend([word, SpecialToken::new("ab", 291)]);
        let model = Arc::new(model.checked().unwrap());
        let tokenizer = Tokenizer::new(model, 0).unwrap();
        let encode = |allowed: &Allowed| tokenizer.encode(b"ab b<1>", allowed, None).unwrap();
        let one = contents(&[1]);
        let (a, b, space) = (u32::from(b'a'), u32::from(b'b'), u32::from(b' '));
        assert_eq!(encode(&Allowed::Only(one)), [a, b, space, 290, 301]);
        assert_eq!(encode(&Allowed::Text)[..4], [a, b, space, 290]);
        assert_eq!(encode(&Allowed::All), [291, space, 290, 301]);
    }
}
