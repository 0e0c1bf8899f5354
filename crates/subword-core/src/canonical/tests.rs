//! The one form of a model, and what is refused.

use super::*;
use crate::model::{Named, Pattern};
use crate::vocab::MAX_ID;

fn model(merges: Merges, special_tokens: Vec<SpecialToken>) -> Model {
    let mut vocab = Vocab::bytes();
    for (id, token) in [(256, "ab"), (257, "<s>"), (258, "abc")] {
        vocab.insert(id, token.as_bytes()).unwrap();
    }
    Model::new(vocab, merges, Pattern::Named(Named::None), special_tokens)
}

fn refused(model: Model) -> String {
    model.checked().unwrap_err().to_string()
}

#[test]
fn a_special_token_that_no_merge_makes_leaves_the_vocabulary() {
    let listed = || Merges::Listed(vec![(97, 98)]);
    for merges in [Merges::Ranked, listed()] {
        let special = vec![SpecialToken::new("<s>", 257), SpecialToken::new("ab", 256)];
        let model = model(merges, special).checked().unwrap();
        assert_eq!((model.vocab.id_of(b"<s>"), model.vocab.id_of(b"ab")), (None, Some(256)));
        assert_eq!(model.token_bytes(257), Some(&b"<s>"[..]));
    }
    let special = || vec![SpecialToken::new("abc", 258)];
    assert_eq!(model(listed(), special()).checked().unwrap().vocab.id_of(b"abc"), None);
    let ranked = model(Merges::Ranked, special()).checked().unwrap();
    assert_eq!(ranked.vocab.id_of(b"abc"), Some(258));
}

#[test]
fn patterns_have_one_form() {
    let regex = |regex: &str| Pattern::Regex(regex.into());
    let none = || Pattern::Named(Named::None);
    let form = |pattern| {
        let model = model(Merges::Ranked, vec![]);
        Model { pattern, ..model }.checked().unwrap().pattern
    };
    for named in Named::ALL {
        let regexes: Vec<_> = named.regexes().iter().map(|text| regex(text)).collect();
        assert_eq!(form(Pattern::Sequence(regexes)), Pattern::Named(named));
    }
    let nested = Pattern::Sequence(vec![none(), Pattern::Sequence(vec![regex("a"), none()])]);
    assert_eq!(form(nested), regex("a"));
    let gpt2 = regex(Named::Gpt2.regexes()[0]);
    assert_eq!(
        form(Pattern::Sequence(vec![regex("a"), Pattern::Sequence(vec![gpt2])])),
        Pattern::Sequence(vec![regex("a"), Pattern::Named(Named::Gpt2)])
    );
}

#[test]
fn only_bytes_that_utf8_never_uses_may_be_missing() {
    let mut used = [false; 256];
    for character in (0..0x11_0000).filter_map(char::from_u32) {
        for byte in character.encode_utf8(&mut [0; 4]).bytes() {
            used[usize::from(byte)] = true;
        }
    }
    for byte in 0..=255u8 {
        let mut model = model(Merges::Ranked, vec![]);
        model.vocab.remove(byte.into());
        assert_eq!(model.checked().is_err(), used[usize::from(byte)], "{byte:#X}");
    }
}

#[test]
fn parts_that_do_not_fit_are_refused() {
    let listed = |pairs: &[Pair]| refused(model(Merges::Listed(pairs.to_vec()), vec![]));
    assert_eq!(listed(&[(97, 999)]), "merge 0 uses id 999, which no token has");
    assert_eq!(listed(&[(97, 98), (97, 99)]), "merge 1 makes b\"ac\", which is not a token");
    let twice = listed(&[(97, 98), (256, 99), (97, 98)]);
    assert_eq!(twice, "merge 2 is there twice: b\"a\" b\"b\"");
    let special =
        |content: &str, id| refused(model(Merges::Ranked, vec![SpecialToken::new(content, id)]));
    assert_eq!(special("", 300), "the special token with id 300 is empty");
    assert_eq!(
        special("<x>", MAX_ID + 1),
        "special token \"<x>\": id 2097152 is larger than the limit of 2097151"
    );
    assert_eq!(
        special("<x>", 256),
        "id 256 belongs to the token b\"ab\" and to the special token \"<x>\""
    );
}
