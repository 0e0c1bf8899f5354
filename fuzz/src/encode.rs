/*!
Encoding: a random small model and a random text, against the plain definition.

Every way to the ids must give the same: with a small cache or none, cold and warm, with places, as a
batch, from the characters that Python keeps, cut in two where the engine says that it may be cut, by the
model that was saved and loaded again.
*/

use std::num::NonZeroUsize;
use std::sync::Arc;

use subword_core::formats::{self, Format, LoadOptions};
use subword_core::utf8::Characters;
use subword_core::{Allowed, Error, Model, Normalizer, Result, SpecialToken, TokenId, Tokenizer};

use crate::input::Input;
use crate::models;
use crate::plain::Plain;
use crate::temporary::Temporary;

/// The longest text that is compared with the definition, in bytes.
const MOST: usize = 600;

/// Checks one input.
pub fn check(data: &[u8]) {
    let mut input = Input(data);
    let Some((tokenizer, saved, text)) = recipe(&mut input) else { return };
    for allowed in choices(tokenizer.model()) {
        all_ways(&tokenizer, &text, &allowed);
    }
    error_or_text(&tokenizer, &text);
    if saved {
        saved_and_loaded(&tokenizer, &[&text]);
    }
}

/// A tokenizer, a choice, and a text of its tokens and of others.
pub(crate) fn recipe(input: &mut Input) -> Option<(Tokenizer, bool, Vec<u8>)> {
    let model = models::model(input)?;
    let cache_bytes = input.pick(&[0, 3000, 1 << 16]);
    let choice = input.one_in(8);
    let tokens = model.vocab.iter().map(|(_, bytes)| bytes).filter(|bytes| bytes.len() > 1);
    let special = model.special_tokens.iter().map(|token| token.content.as_bytes());
    let mut words: Vec<Vec<u8>> = tokens.chain(special).map(<[u8]>::to_vec).collect();
    if model.chain.is_some() {
        // In a text a space is a space, as a rule.
        let spaced = |word: &Vec<u8>| String::from_utf8_lossy(word).replace('▁', " ").into_bytes();
        let spaced: Vec<Vec<u8>> = words.iter().map(spaced).collect();
        words.extend(spaced);
    }
    let text = input.text(&words, MOST);
    Some((Tokenizer::new(Arc::new(model), cache_bytes).ok()?, choice, text))
}

/// Which special tokens count.
pub(crate) fn choices(model: &Model) -> Vec<Allowed> {
    let some: Vec<String> =
        model.special_tokens.iter().step_by(2).map(|token| token.content.clone()).collect();
    if some.is_empty() {
        return vec![Allowed::Text];
    }
    vec![Allowed::Text, Allowed::All, Allowed::Only(some)]
}

pub(crate) fn on(threads: usize) -> Option<NonZeroUsize> {
    NonZeroUsize::new(threads)
}

/// The ids on one thread; none if the text has a unit without a token, or if the pattern gave up.
pub(crate) fn ids_of(
    tokenizer: &Tokenizer,
    text: &[u8],
    allowed: &Allowed,
) -> Option<Vec<TokenId>> {
    known(tokenizer.encode(text, allowed, on(1)))
}

/// What was asked for; none after an error that a text may cause.
pub(crate) fn known<T>(result: Result<T>) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(Error::Text { .. } | Error::Pattern { .. }) => None,
        Err(error) => panic!("an error that no text may cause: {error}"),
    }
}

/// All ways to the ids of a small text, in one part and in two.
pub(crate) fn all_ways(tokenizer: &Tokenizer, text: &[u8], allowed: &Allowed) {
    if Plain::defines(tokenizer.model()) {
        against_definition(tokenizer, text, allowed);
    } else {
        ways_of_a_chain(tokenizer, text, allowed);
    }
    cut_in_two(tokenizer, text, allowed);
}

/// All ways to the ids of a small text agree with the definition.
fn against_definition(tokenizer: &Tokenizer, text: &[u8], allowed: &Allowed) {
    let model = tokenizer.model();
    let Ok(expected) = Plain::new(model).and_then(|plain| plain.encode(text, allowed)) else {
        return;
    };
    // A byte without a token is refused before BERT's normaliser would replace it.
    let bert = matches!(model.normalizer, Normalizer::Bert(_));
    let expected = expected.filter(|_| !bert || ids_of(tokenizer, text, allowed).is_some());
    for turn in ["cold", "warm"] {
        let ids = ids_of(tokenizer, text, allowed);
        assert_eq!(ids, expected, "encode, {turn}, {allowed:?}: {}", shown(model, text));
    }
    let located = known(tokenizer.encode_offsets(text, allowed, Some(false)));
    let count = known(tokenizer.count(text, allowed, None, on(1))).flatten();
    let Some(ids) = expected else {
        assert!(located.is_none() && count.is_none(), "{}", shown(model, text));
        return;
    };
    let located = located.expect("what can be encoded has places");
    assert_eq!(located.ids, ids, "encode_offsets, {allowed:?}: {}", shown(model, text));
    assert_eq!(count, Some(ids.len()), "count, {allowed:?}: {}", shown(model, text));
    let strips = model.special_tokens.iter().any(|token| token.lstrip || token.rstrip);
    let unchanged = model.normalizer == Normalizer::None && model.chain.is_none() && !strips;
    let mut before = 0;
    for &(start, end) in &located.places {
        let overlaps = start < before && unchanged;
        assert!(
            start <= end && end <= text.len() && !overlaps,
            "places {:?}: {}",
            located.places,
            shown(model, text)
        );
        before = end;
    }
    let decoded = tokenizer.decode(&ids).expect("ids of a text are known");
    if model.start.is_plain() && unchanged {
        assert_eq!(decoded, text, "decode: {}", shown(model, text));
    }
    let batch = known(tokenizer.encode_batch(&[text, b"", text], allowed, on(2)));
    let batch = batch.expect("what can be encoded can be encoded in a batch");
    assert_eq!(batch.ids, [&ids[..], &ids[..]].concat(), "batch: {}", shown(model, text));
    if let Ok(text) = std::str::from_utf8(text) {
        let units: Vec<u32> = text.chars().map(u32::from).collect();
        if tokenizer.takes_units(allowed) {
            let one = std::iter::once(Some(Characters::Four(&units)));
            let units = known(tokenizer.encode_batch_units(one, allowed, on(1), |work| work()));
            let units = units.flatten().map(|units| units.ids);
            assert_eq!(units.as_ref(), Some(&ids), "units: {}", shown(model, text.as_bytes()));
        }
    }
    if let Ok(linear) = Tokenizer::linear(Arc::new(model.clone())) {
        assert_eq!(ids_of(&linear, text, allowed), Some(ids), "linear: {}", shown(model, text));
    }
}

/// All ways to the ids of a text by a chain that `chain` does not define agree. The engine's chain is itself plain, and
/// the tests hold it against the library that it follows.
fn ways_of_a_chain(tokenizer: &Tokenizer, text: &[u8], allowed: &Allowed) {
    let model = tokenizer.model();
    let cold = ids_of(tokenizer, text, allowed);
    let warm = ids_of(tokenizer, text, allowed);
    assert_eq!(warm, cold, "encode again, {allowed:?}: {}", shown(model, text));
    let located = known(tokenizer.encode_offsets(text, allowed, Some(false)));
    let located = located.map(|located| located.ids);
    assert_eq!(located, cold, "encode_offsets, {allowed:?}: {}", shown(model, text));
    let count = known(tokenizer.count(text, allowed, None, on(1))).flatten();
    assert_eq!(count, cold.as_ref().map(Vec::len), "count: {}", shown(model, text));
    let batch = known(tokenizer.encode_batch(&[text], allowed, on(2))).map(|batch| batch.ids);
    assert_eq!(batch, cold, "batch: {}", shown(model, text));
}

/// A text whose end is not known yet is encoded up to a place that the engine names.
fn cut_in_two(tokenizer: &Tokenizer, text: &[u8], allowed: &Allowed) {
    let Some(whole) = ids_of(tokenizer, text, allowed) else { return };
    let Ok(encoder) = tokenizer.document_encoder(allowed, None) else { return };
    let mut session = encoder.session();
    for seen in (1..=text.len()).rev().step_by(1 + text.len() / 24) {
        let settled = known(tokenizer.settled(&text[..seen], allowed));
        let last = Some(encoder.last_cut(&text[..seen], 0));
        for cut in [settled, last].into_iter().flatten().filter(|&cut| cut > 0) {
            assert!(cut <= seen, "a cut behind the end of what is known");
            let mut ids = Vec::new();
            for part in [&text[..cut], &text[cut..]] {
                let done = encoder.encode(part, &mut session, &mut ids);
                if known(done).is_none() {
                    return;
                }
            }
            let model = tokenizer.model();
            assert_eq!(
                ids,
                whole,
                "cut at {cut}, {seen} seen, {allowed:?}: {}",
                shown(model, text)
            );
        }
    }
}

/// Where special tokens are forbidden, a text is refused or has the ids of ordinary text.
fn error_or_text(tokenizer: &Tokenizer, text: &[u8]) {
    match tokenizer.encode(text, &Allowed::Error, on(1)) {
        Err(Error::SpecialToken { position, .. }) => assert!(position < text.len()),
        other => assert_eq!(known(other), ids_of(tokenizer, text, &Allowed::Text)),
    }
}

/// Whatever format holds the model, loading it gives the same ids.
pub(crate) fn saved_and_loaded(tokenizer: &Tokenizer, texts: &[&[u8]]) {
    let model = tokenizer.model();
    let again = formats::from_bytes(&formats::to_bytes(model)).expect("a native file can be read");
    assert_eq!(&again, model, "the native file");
    let pieces = model.chain.as_ref().is_some_and(|chain| chain.pieces().is_some());
    let folder = Temporary::new();
    for (format, name) in [
        (Format::Tiktoken, "ids.tiktoken"),
        (Format::Gpt2, "vocab.json"),
        (Format::HuggingFace, "tokenizer.json"),
        (Format::Bert, "vocab.txt"),
    ] {
        let path = folder.file(name);
        let flags = model.special_tokens.iter().any(|t| *t != SpecialToken::new(&t.content, t.id));
        if format == Format::Tiktoken && flags || formats::save(model, &path, format).is_err() {
            continue;
        }
        let mut options = LoadOptions::default();
        if matches!(format, Format::Tiktoken | Format::Gpt2) {
            // What these files do not hold.
            options.pattern = Some(model.pattern.clone());
            let tokens = model.special_tokens.iter().map(|t| (t.content.clone(), Some(t.id)));
            options.special_tokens = Some(tokens.collect());
        }
        let again = formats::load(&path, &options)
            .unwrap_or_else(|error| panic!("{format:?}: {error}: {}", shown(model, b"")));
        let again = Tokenizer::new(Arc::new(again), 0).expect("what was ready is ready again");
        // A tokenizer.json puts the space before a text behind each special token, too.
        let spaced = pieces && format == Format::HuggingFace;
        let choices = [Allowed::Text, Allowed::All];
        for text in texts {
            for allowed in &choices[..if spaced { 1 } else { 2 }] {
                assert_eq!(
                    ids_of(&again, text, allowed),
                    ids_of(tokenizer, text, allowed),
                    "saved as {format:?}, {allowed:?}: {}",
                    shown(model, text)
                );
            }
        }
    }
}

/// What a report of a difference must say.
pub(crate) fn shown(model: &Model, text: &[u8]) -> String {
    let file = formats::to_bytes(model);
    format!("b\"{}\" by {}", text.escape_ascii(), String::from_utf8_lossy(&file))
}
