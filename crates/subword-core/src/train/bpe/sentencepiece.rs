/*!
Training in SentencePiece's form: characters, `▁` for a space, bytes for what is not learned.

```text
" low", "  löw" with ö not learned, " 10" with single digits   ->   ▁low   ▁▁l w   ▁ 1 0
```

The vocabulary begins with the tokens of the 256 bytes, `<0x00>` to `<0xFF>`; after them come the characters in the
order of their code points, `▁` always among them. A character that is not learned cuts its piece, and so does a digit
where digits are to be single.

The tokenizer does not cut: it merges all that stands between two special tokens, as Gemma's does. So that it does what
training did, no merge may join what training cut:
* The pattern of the pieces is to cut only where the characters on both sides say so: between a letter and a
  punctuation mark, for example.
* A token that starts with several `▁` is made of `▁` alone, as in Llama's vocabulary. To cut between spaces instead
  would depend on what follows them.
* No merge makes a token that is spelled like that of a byte: text that spells one stays text.
*/

use std::sync::Arc;

use crate::counts::Counts;
use crate::error::Result;
use crate::model::{
    BpeOptions, Chain, ChainModel, ChainSource, DecoderStep, Matcher, Merges, Model, Named,
    NormalizerStep, Pattern,
};
use crate::train::alphabet::{Alphabet, CharacterCounts, CharacterSet};
use crate::train::each_piece;
use crate::train::merges::{MergeRules, TrainingWords};
use crate::train::metaspace::{MARK, byte_tokens, each_part, normalizer_step};
use crate::vocab::Vocab;

/// The mark as a token.
const MARK_TOKEN: &[u8] = "▁".as_bytes();

/// The model that training starts from.
pub(super) fn first_model(counts: &Counts, alphabet: Alphabet) -> Result<Model> {
    let mut characters = CharacterCounts::default();
    each_text(counts, |text, count| {
        characters.add(text.chars(), count);
        Ok(())
    })?;
    let mut characters = characters.alphabet(alphabet, |_| true);
    if let Err(place) = characters.binary_search(&MARK) {
        characters.insert(place, MARK);
    }
    let mut vocab = Vocab::default();
    for token in byte_tokens().chain(characters.into_iter().map(String::from)) {
        vocab.insert(vocab.id_limit(), token.as_bytes())?;
    }
    let none = Pattern::Named(Named::None);
    let mut model = Model::new(vocab, Merges::Listed(Vec::new()), none, Vec::new());
    model.chain = Some(Arc::new(chain(counts)?));
    model.checked()
}

/// The parts of the pieces, as characters.
pub(super) fn first_tokens(
    counts: &Counts,
    model: &Model,
    split_digits: bool,
) -> Result<TrainingWords> {
    let characters = model.vocab.iter().skip(byte_tokens().count());
    let known = CharacterSet::new(characters.filter_map(|(_, token)| first_character(token)));
    let id = |c: char| model.vocab.id_of(c.encode_utf8(&mut [0; 4]).as_bytes());
    let mut words = TrainingWords::default();
    each_text(counts, |text, count| {
        let mut pushed = Ok(());
        each_part(
            text,
            |c| known.has(c),
            split_digits,
            |part| {
                if pushed.is_ok() {
                    pushed = words.push(part.chars().filter_map(id), count);
                }
            },
        );
        pushed
    })?;
    Ok(words)
}

/// The rules for tokens of this form.
pub(super) fn rules(rules: MergeRules) -> MergeRules {
    MergeRules {
        lengths: vec![1; rules.next as usize],
        forbidden: byte_tokens().map(String::into_bytes).collect(),
        apart: Some(mixes_spaces),
        ..rules
    }
}

/// Whether a pair makes a token that starts with several marks and goes on otherwise.
fn mixes_spaces(left: &[u8], right: &[u8]) -> bool {
    let marks = |token: &[u8]| token.chunks(3).take_while(|three| *three == MARK_TOKEN).count();
    let is_white = |token: &[u8]| marks(token) * MARK_TOKEN.len() == token.len();
    is_white(left) && !is_white(right) && marks(left) + marks(right) > 1
}

fn first_character(token: &[u8]) -> Option<char> {
    std::str::from_utf8(token).ok()?.chars().next()
}

/// Calls `each` with the text of every piece, in which `▁` stands for a space, and its count. Bytes that are no text cut
/// it.
fn each_text(counts: &Counts, mut each: impl FnMut(&str, u64) -> Result<()>) -> Result<()> {
    each_piece(counts, |piece, count| {
        for chunk in piece.utf8_chunks().filter(|chunk| !chunk.valid().is_empty()) {
            each(&chunk.valid().replace(' ', "▁"), count)?;
        }
        Ok(())
    })
}

/// The steps of the tokenizer: `▁` for a space, merges, bytes for unknown characters, and back.
fn chain(counts: &Counts) -> Result<Chain> {
    let replace = |from: &str, to: &str| {
        format!(r#"{{"type":"Replace","pattern":{{"String":"{from}"}},"content":"{to}"}}"#)
    };
    let first = normalizer_step(counts.normalizer(), "byte_fallback")?;
    let marks_spaces =
        NormalizerStep::Replace { pattern: Matcher::Text(" ".into()), content: MARK.into() };
    let mut normalizer = replace(" ", "▁");
    if let Some((_, name)) = &first {
        let parts = format!(r#"{{"type":"{name}"}},{normalizer}"#);
        normalizer = format!(r#"{{"type":"Sequence","normalizers":[{parts}]}}"#);
    }
    let decoder = format!(
        r#"{{"type":"Sequence","decoders":[{},{{"type":"ByteFallback"}},{{"type":"Fuse"}}]}}"#,
        replace("▁", " ")
    );
    let options = BpeOptions { byte_fallback: true, fuse_unk: true, ..BpeOptions::default() };
    Ok(Chain {
        normalizer: first.into_iter().map(|(step, _)| step).chain([marks_spaces]).collect(),
        pre_tokenizer: Vec::new(),
        model: ChainModel::Bpe(options),
        trims: Vec::new(),
        decoder: Some(vec![
            DecoderStep::Replace { pattern: Matcher::Text(MARK.into()), content: " ".into() },
            DecoderStep::ByteFallback,
            DecoderStep::Fuse,
        ]),
        normalized_tokens: Default::default(),
        source: ChainSource {
            normalizer,
            pre_tokenizer: "null".to_owned(),
            post_processor: "null".to_owned(),
            decoder,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn several_marks_go_together_and_with_nothing_else() {
        let apart = |left: &str, right: &str| mixes_spaces(left.as_bytes(), right.as_bytes());
        assert!(!apart("▁", "▁") && !apart("▁▁", "▁") && !apart("▁", "a") && !apart("▁a", "b"));
        assert!(apart("▁▁", "a") && apart("▁", "▁a"));
        // In one token several marks may follow something else, if the pattern lets them.
        assert!(!apart("a", "▁") && !apart("a▁", "▁a"));
    }
}
