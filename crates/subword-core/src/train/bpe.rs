/*!
Training of BPE: counted pieces and settings in, a [`Model`] and a log out.

```text
pieces and counts -> first tokens -> merges (`train::merges`) -> vocabulary, special tokens -> Model
```

Ids: the first tokens (the 256 bytes in byte order, or the characters by code point and the
end-of-word mark, or both in SentencePiece's form, unless the caller gives others), then the tokens of the merges in their order,
special tokens last.

A training can continue a base model. Its tokens, merges and special tokens keep their ids, a piece
starts as the tokens that the base encodes it to, and new tokens get the ids after all of the base. If
the base merges by token rank, so does the result: the rank of a new token is its id.

Superwords are merges over the ends of words. They continue a base that has learned from words, on pieces that
another pattern has cut, which are longer: a sentence, a line. The result has that pattern and all merges, so a piece
is encoded by rank as ever, first within words and then over their ends (see `parts`).
*/

mod parts;
pub(super) mod required;
mod sentencepiece;
mod whole;
mod words;

use std::time::Instant;

use super::alphabet::Alphabet;
use super::merges::{Apart, MergeRules, Ties, TrainingWords};
use super::{Training, each_piece, no_pieces};
use crate::bpe::{Merged, Merger};
use crate::counts::Counts;
use crate::error::{Error, Result};
use crate::model::{Encoder, EndOfWord, Merges, Model, Start, Units};
use crate::parallel::{self, Threads};
use crate::pretok::Splitter;
use crate::types::{Count, TokenId};
use crate::vocab::{MAX_ID, Vocab};
use parts::BaseTokens;
use whole::mixes_characters;

/// How much to learn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TargetSize {
    /// The number of tokens in all, special tokens included.
    Vocab(usize),
    /// The number of merges.
    Merges(usize),
}

/// What training starts from.
#[derive(Debug, Clone, Copy)]
pub enum TrainingStart<'a> {
    /// The 256 bytes.
    Bytes,
    /// The characters of the pieces.
    Characters(Alphabet),
    /// These tokens, in the order of their ids; all single bytes that UTF-8 uses are among them.
    /// Pieces start as bytes: a longer token is used where merges make it.
    Given(&'a [Vec<u8>]),
    /// A model, which is continued.
    Base(&'a Model),
}

/// What may merge over the ends of the pieces that a base has learned from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Superwords {
    /// Any two tokens: SuperBPE.
    Any,
    /// Pieces that the base makes one token each: BoundlessBPE.
    Whole,
}

/// What to train.
#[derive(Debug, Clone)]
pub struct BpeSettings<'a> {
    /// How much to learn.
    pub size: TargetSize,
    /// What training starts from.
    pub start: TrainingStart<'a>,
    /// The mark that ends every word, a token of its own.
    pub end_of_word: Option<String>,
    /// The special token of characters that are not in the alphabet.
    pub unk_token: Option<String>,
    /// With characters: SentencePiece's form, `▁` for a space, and bytes for characters that are not in the alphabet.
    pub byte_fallback: bool,
    /// In that form, every digit stays a token of its own.
    pub split_digits: bool,
    /// The special tokens, which get the last ids; by default those of the counts.
    pub special_tokens: Option<Vec<String>>,
    /// What decides between pairs of the same count.
    pub ties: Ties,
    /// The least count of a pair that is merged.
    pub min_count: Count,
    /// The longest token that is made, in bytes or characters.
    pub max_token_length: Option<usize>,
    /// Merge over the ends of the pieces of the base, with the pattern of the counts; `None` for the pattern of the
    /// base.
    pub superwords: Option<Superwords>,
    /// Sources whose sum the counts are, each with its size: every merge helps the one with the most tokens for its
    /// size (`merges::by_parity`). None where the counts are one text.
    pub sources: Vec<(&'a Counts, u64)>,
    /// Make no token of parts of two characters, nor of the end of one: see `whole`.
    pub whole_characters: bool,
    /// Tokens that the vocabulary must have (`required`).
    pub required: Vec<Vec<u8>>,
    /// How many threads may work.
    pub threads: Threads,
}

impl BpeSettings<'_> {
    /// The default settings for a size.
    pub fn new(size: TargetSize) -> Self {
        BpeSettings {
            size,
            start: TrainingStart::Bytes,
            end_of_word: None,
            unk_token: None,
            byte_fallback: false,
            split_digits: false,
            special_tokens: None,
            ties: Ties::default(),
            min_count: 1,
            max_token_length: None,
            superwords: None,
            sources: Vec::new(),
            whole_characters: false,
            required: Vec::new(),
            threads: None,
        }
    }
}

/// Checks the settings, and turns the counted pieces into tokens.
pub fn prepare(counts: &Counts, settings: &BpeSettings<'_>) -> Result<Training> {
    let begin = Instant::now();
    let model = first_model(counts, settings)?;
    required::check(&settings.required, &model)?;
    // Unless the caller lists it among the special tokens, unk is the first of them.
    let special_tokens = settings.special_tokens.as_deref();
    let mut special_tokens = special_tokens.unwrap_or(counts.special_tokens()).to_vec();
    let unk = settings.unk_token.iter().filter(|unk| !special_tokens.contains(unk)).cloned();
    special_tokens.splice(0..0, unk.collect::<Vec<_>>());
    let (merges, tokens) = how_many(settings, &special_tokens, &model)?;
    let rules = MergeRules {
        tokens,
        ties: settings.ties,
        min_count: settings.min_count,
        max_length: settings.max_token_length,
        threads: parallel::allowed(settings.threads),
        listed: match &model.merges {
            Merges::Listed(pairs) => pairs.clone(),
            Merges::Ranked => Vec::new(),
        },
        apart: settings.whole_characters.then_some(mixes_characters as Apart),
        sizes: settings.sources.iter().map(|(_, size)| *size).collect(),
        ..MergeRules::new(merges, model.id_limit())
    };
    let rules = match () {
        () if settings.byte_fallback => sentencepiece::rules(rules),
        () if model.start.is_plain() => rules,
        () => MergeRules { lengths: words::lengths(&model), ..rules },
    };
    let words = match &settings.sources[..] {
        [] => first_words(counts, settings, &model)?,
        sources => {
            let mut words = TrainingWords::default();
            for (counts, _) in sources {
                words.push_source(&first_words(counts, settings, &model)?)?;
            }
            words
        }
    };
    if words.is_empty() {
        return Err(no_pieces());
    }
    let unk_token = settings.unk_token.clone();
    let required = settings.required.clone();
    let prepared = begin.elapsed();
    Ok(Training { model, words, rules, special_tokens, unk_token, required, prepared })
}

/// The counted pieces as tokens.
fn first_words(
    counts: &Counts,
    settings: &BpeSettings<'_>,
    model: &Model,
) -> Result<TrainingWords> {
    if let (Some(superwords), TrainingStart::Base(base)) = (settings.superwords, settings.start) {
        return superword_tokens(counts, base, superwords);
    }
    match () {
        () if settings.byte_fallback => {
            sentencepiece::first_tokens(counts, model, settings.split_digits)
        }
        () if model.start.is_plain() => first_tokens(counts, model),
        () => words::first_tokens(counts, model),
    }
}

/// The model that training starts from.
fn first_model(counts: &Counts, settings: &BpeSettings<'_>) -> Result<Model> {
    check_words(settings)?;
    if settings.superwords.is_some() && !matches!(settings.start, TrainingStart::Base(_)) {
        let message = "superwords go with a base: the tokenizer that has learned the words".into();
        return Err(Error::Argument { message });
    }
    if settings.max_token_length == Some(0) {
        return Err(Error::Argument {
            message: "max_token_length must be at least 1, not 0".into(),
        });
    }
    let mut start = Start {
        end_of_word: settings.end_of_word.clone().map(|mark| EndOfWord { mark, joined: false }),
        ..Default::default()
    };
    let vocab = match settings.start {
        TrainingStart::Bytes => words::first_vocab(counts, &start, Alphabet::All)?,
        TrainingStart::Characters(alphabet) if settings.byte_fallback => {
            return sentencepiece::first_model(counts, alphabet);
        }
        TrainingStart::Characters(alphabet) => {
            start.units = Units::Characters;
            words::first_vocab(counts, &start, alphabet)?
        }
        TrainingStart::Given(tokens) => Vocab::new((0..).zip(tokens.iter().map(Vec::as_slice)))?,
        TrainingStart::Base(base) => {
            if base.encoder != Encoder::Merge || base.chain.is_some() {
                return Err(Error::training("the base does not encode by merges")
                    .with_hint("a base that merges can be continued"));
            }
            if base.normalizer != counts.normalizer() {
                let name = base.normalizer.name();
                return Err(Error::training("the pieces were not normalised as the base does it")
                    .with_hint(format!("count them with normalizer={name:?}")));
            }
            if settings.superwords.is_some() {
                if !base.start.is_plain() {
                    return Err(Error::training("superwords start from a base of bytes")
                        .with_hint(
                            "this base starts from characters, or has an end-of-word mark",
                        ));
                }
                return Ok(Model { pattern: counts.pattern().clone(), ..base.clone() });
            }
            if base.pattern != *counts.pattern() {
                return Err(Error::training("the pieces were not cut by the pattern of the base")
                    .with_hint("count them with pattern=base.pattern"));
            }
            return Ok(base.clone());
        }
    };
    let mut model = Model::new(vocab, Merges::Listed(vec![]), counts.pattern().clone(), vec![]);
    model.start = start;
    model.normalizer = counts.normalizer();
    model.checked()
}

/// Checks the settings for words: the end-of-word mark, the unk token, the alphabet, SentencePiece's form.
fn check_words(settings: &BpeSettings<'_>) -> Result<()> {
    let wrong = |message: String| Err(Error::Argument { message });
    let chars = "goes with initial_vocab=\"chars\"";
    let characters = matches!(settings.start, TrainingStart::Characters(_));
    match () {
        () if settings.split_digits && !settings.byte_fallback => {
            return wrong(
                "split_digits goes with byte_fallback: elsewhere the pattern does it".into(),
            );
        }
        () if settings.byte_fallback && !characters => {
            return wrong(format!("byte_fallback {chars}"));
        }
        () if settings.byte_fallback && settings.end_of_word.is_some() => {
            return wrong(
                "byte_fallback and end_of_word do not go together: ▁ starts a word".into(),
            );
        }
        () if settings.byte_fallback && settings.unk_token.is_some() => {
            return wrong(
                "byte_fallback and unk_token do not go together: no character is unknown".into(),
            );
        }
        () => {}
    }
    if let TrainingStart::Characters(alphabet) = settings.start {
        alphabet.check()?;
    }
    match (settings.start, &settings.end_of_word, &settings.unk_token) {
        (TrainingStart::Given(_) | TrainingStart::Base(_), Some(_), _) => {
            wrong(format!("end_of_word {chars} or \"bytes\""))
        }
        (TrainingStart::Bytes | TrainingStart::Given(_) | TrainingStart::Base(_), _, Some(_)) => {
            wrong(format!("unk_token {chars}: every byte is a token"))
        }
        (_, Some(mark), Some(unk)) if mark == unk => {
            wrong(format!("end_of_word and unk_token are both {mark:?}"))
        }
        (_, Some(mark), _) => {
            EndOfWord::check(mark).map_err(|wrong| Error::Argument { message: wrong.to_string() })
        }
        _ => Ok(()),
    }
}

/// The most merges and the most new tokens.
fn how_many(
    settings: &BpeSettings<'_>,
    special_tokens: &[String],
    model: &Model,
) -> Result<(usize, usize)> {
    let known = |token: &&String| {
        model.vocab.id_of(token.as_bytes()).is_none()
            && model.special_tokens.iter().all(|special| special.content != **token)
    };
    let special = special_tokens.iter().filter(known).count();
    let base = model.vocab.len() + model.special_tokens.len();
    let room = (MAX_ID as usize + 1).saturating_sub(model.id_limit() as usize + special);
    match settings.size {
        TargetSize::Merges(merges) if merges > room => {
            Err(Error::training(format!("num_merges={merges} is too large: the most is {room}")))
        }
        TargetSize::Merges(merges) => Ok((merges, merges)),
        TargetSize::Vocab(size) => {
            let least = base + special;
            let tokens = size.checked_sub(least).ok_or_else(|| {
                let message = format!(
                    "vocab_size={size} is too small: {base} base tokens and {special} special tokens \
                     need at least {least}"
                );
                let hint = format!("pass vocab_size={least} for no merges at all, or more to learn some");
                Error::training(message).with_hint(hint)
            })?;
            if tokens > room {
                let most = least + room;
                return Err(Error::training(format!(
                    "vocab_size={size} is too large: the most is {most}"
                )));
            }
            Ok((usize::MAX, tokens))
        }
    }
}

/// The pieces as the tokens that they start as.
fn first_tokens(counts: &Counts, model: &Model) -> Result<TrainingWords> {
    let merger = Merger::new(model)?;
    let missing = merger.missing_bytes();
    // The id of a missing byte is never used: such a piece is an error.
    let byte_id = |byte: usize| model.vocab.id_of(&[byte as u8]).unwrap_or_default();
    let byte_ids: [TokenId; 256] = std::array::from_fn(byte_id);
    let bytes = model.merges == Merges::Listed(Vec::new());
    let (mut words, mut merged, mut ids) =
        (TrainingWords::default(), Merged::default(), Vec::new());
    each_piece(counts, |piece, count| {
        check_bytes(piece, &missing)?;
        if bytes {
            return words.push(piece.iter().map(|&byte| byte_ids[usize::from(byte)]), count);
        }
        merger.encode(&model.vocab, piece, &mut merged, &mut ids)?;
        words.push(ids.drain(..), count)
    })?;
    Ok(words)
}

/// The pieces as the tokens of the base, or runs of them, that may merge to superwords.
fn superword_tokens(
    counts: &Counts,
    model: &Model,
    superwords: Superwords,
) -> Result<TrainingWords> {
    let merger = Merger::new(model)?;
    let missing = merger.missing_bytes();
    let splitter = Splitter::new(&model.pattern)?;
    let mut base = BaseTokens::new(model, &merger);
    let (mut words, mut ids) = (TrainingWords::default(), Vec::new());
    each_piece(counts, |piece, count| {
        check_bytes(piece, &missing)?;
        if superwords == Superwords::Whole {
            return base.each_run(piece, &splitter, |run| words.push(run.iter().copied(), count));
        }
        base.append(piece, &mut ids)?;
        words.push(ids.drain(..), count)
    })?;
    Ok(words)
}

/// An error for a piece with a byte that has no token.
fn check_bytes(piece: &[u8], missing: &[u8]) -> Result<()> {
    match missing.iter().find(|byte| piece.contains(byte)) {
        Some(byte) => Err(Error::training(format!("no token for byte 0x{byte:02X} to start from"))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests;
