//! Every call ends soon when it is interrupted, and nothing of it is left.

use std::sync::atomic::Ordering;

use super::{on, text, tokenizer};
use crate::error::{Error, Result};
use crate::formats;
use crate::interrupt;
use crate::model::{Bert, Encoder, Merges, Model, Normalizer, Pattern, Start, Units, WordPiece};
use crate::pretok::Named;
use crate::special::Allowed;
use crate::tokenizer::{Decoding, Tokenizer, in_characters};
use crate::utf8::Characters;
use crate::vocab::Vocab;

/// Tokenizers of all kinds.
fn tokenizers() -> Vec<Tokenizer> {
    let characters = |pattern: Pattern, encoder: Encoder| {
        let mut vocab = Vocab::default();
        (0..128).for_each(|byte: u8| vocab.insert(byte.into(), &[byte]).unwrap());
        let mut model = Model::new(vocab, Merges::Listed(vec![]), pattern, vec![]);
        model.start = Start { units: Units::Characters, end_of_word: None, unk: Some(63) };
        model.encoder = encoder;
        Tokenizer::new(model.checked().unwrap().into(), 1 << 20).unwrap()
    };
    let mut regex = tokenizer(1 << 20, Named::Gpt2, Normalizer::None).model().clone();
    regex.pattern = Pattern::Regex("[a-z]+(?<!b)| ".to_owned());
    let tokens = ["[UNK]", "the", "##ing", "a", "中"].map(str::as_bytes);
    let vocab = Vocab::new((0..).zip(tokens)).unwrap();
    let mut words = Model::word_piece(vocab, 0, WordPiece::default());
    words.normalizer = Normalizer::Bert(Bert::UNCASED);
    words.pattern = Pattern::Named(Named::Bert);
    vec![
        Tokenizer::new(words.clone().checked().unwrap().into(), 1 << 20).unwrap(),
        Tokenizer::linear(words.checked().unwrap().into()).unwrap(),
        tokenizer(1 << 20, Named::Cl100k, Normalizer::None),
        tokenizer(1 << 20, Named::Gpt2, Normalizer::Nfc),
        tokenizer(0, Named::None, Normalizer::None),
        characters(Pattern::Named(Named::Gpt2), Encoder::Merge),
        characters(Pattern::Named(Named::None), Encoder::Longest),
        Tokenizer::new(regex.checked().unwrap().into(), 1 << 20).unwrap(),
    ]
}

/// Does the work in a scope that was stopped before.
fn stopped<R>(work: impl FnOnce() -> Result<R>) -> Option<Error> {
    interrupt::own(|stop| {
        stop.store(true, Ordering::Relaxed);
        work().err()
    })
}

#[test]
fn every_call_ends_and_the_next_one_is_right() {
    let text = text(400_000, 3);
    for tokenizer in tokenizers() {
        let allowed = Allowed::Text;
        let expected = tokenizer.encode(&text, &allowed, on(1)).unwrap();
        let fresh = Tokenizer::new(tokenizer.plan.model.clone(), 1 << 20).unwrap();
        for threads in [on(1), on(2)] {
            let batch = [&text[..], &text[..300_000]];
            let ended = [
                stopped(|| fresh.encode(&text, &allowed, threads)),
                stopped(|| fresh.count(&text, &allowed, None, threads)),
                stopped(|| fresh.encode_batch(&batch, &allowed, threads)),
                stopped(|| fresh.count_batch(&batch, &allowed, threads)),
                stopped(|| {
                    let texts = batch.map(|text| Some(Characters::Utf8(text)));
                    let none = |_: &[crate::Ragged]| Ok(());
                    fresh.encode_batch_parts(texts.into_iter(), &allowed, threads, |r| r(), none)
                }),
                stopped(|| fresh.encode_offsets(&text, &allowed, None)),
                stopped(|| fresh.decode(&expected)),
                stopped(|| {
                    fresh.decode_batch(
                        std::slice::from_ref(&expected),
                        Decoding::default(),
                        threads,
                    )
                }),
                stopped(|| in_characters(&text, vec![(0, 1)])),
            ];
            assert_eq!(ended, [const { Some(Error::Stopped) }; 9], "{:?}", fresh.model().pattern);
            assert_eq!(fresh.encode(&text, &allowed, threads).unwrap(), expected);
            let again = fresh.encode_batch(&batch[..1], &allowed, threads).unwrap();
            assert_eq!(again.ids, expected);
        }
    }
}

#[test]
fn loading_ends() {
    let model = tokenizer(0, Named::Gpt2, Normalizer::None).model().clone();
    let bytes = formats::to_bytes(&model);
    assert_eq!(stopped(|| formats::from_bytes(&bytes)), Some(Error::Stopped));
    assert_eq!(formats::from_bytes(&bytes), Ok(model));
}
