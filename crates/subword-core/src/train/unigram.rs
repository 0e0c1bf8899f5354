/*!
Training of Unigram: counted words and settings in, a [`Model`] and a log out.

```text
counts -> segments of known characters -> seed pieces (`seeds`) -> where they stand (`lattice`)
       -> fit, prune by a quarter, and again until the vocabulary is small enough (`fit`) -> Model
```

Every word starts with `▁`. A word is cut at characters that are not among the pieces, because `character_coverage` leaves
them out; they teach nothing. With `split_digits` every digit is a segment of its own.

Invariants
* The definition is `subword.reference.unigram`. All counts are whole numbers, and sums of scores run from left to
  right, so the result is that of the definition to the last bit, whatever the order of the words and the threads.
* Pieces of one character are never pruned: every segment can be cut.

Why the best cut alone is counted, and not all cuts by their probability as the classic trainer does: sums of fractions
depend on their order, and each of them costs an exponential.

Ids: special tokens, user-defined symbols, tokens of bytes, then pieces by falling score, of equal scores the one that
sorts first. Text that spells the token of a byte is to stay text, so the score of these tokens is below that of every way
to cut their spelling into pieces.
*/

mod fit;
mod lattice;
mod seeds;

use std::sync::Arc;
use std::time::Instant;

use super::alphabet::{Alphabet, CharacterCounts, CharacterSet};
use super::merges::{Effort, Learned, Stop};
use super::metaspace::{MARK, byte_tokens, each_part, normalizer_step};
use super::{Trained, WatchMerges, each_piece, no_pieces};
use crate::counts::Counts;
use crate::error::{Error, Result};
use crate::model::{
    Chain, ChainModel, ChainSource, DecoderStep, Merges, Model, Named, Normalizer, Pattern,
    PreTokenizerStep, PrependScheme, Score, SpecialToken, UnigramOptions,
};
use crate::parallel::{self, Threads};
use crate::types::{Count, TokenId};
use crate::vocab::{MAX_ID, Vocab};
use fit::Pieces;
use seeds::Seeds;

/// What ends a segment in an array of them: a byte that UTF-8 does not use.
const END: u8 = 0xFF;

/// What to train.
#[derive(Debug, Clone)]
pub struct UnigramSettings {
    /// The number of tokens in all, special tokens included.
    pub vocab_size: usize,
    /// The special tokens, which get the first ids in this order.
    pub special_tokens: Vec<String>,
    /// The special token of unknown characters; it is put first if it is not among the others.
    pub unk_token: String,
    /// Strings that are cut out of every text and are tokens of their own, with the ids after the special tokens.
    pub user_defined_symbols: Vec<String>,
    /// A character that is not learned becomes the tokens of its bytes, which are in the vocabulary.
    pub byte_fallback: bool,
    /// Every digit is a piece of its own.
    pub split_digits: bool,
    /// The share of the text whose characters become pieces.
    pub character_coverage: f64,
    /// The longest piece, in characters.
    pub max_piece_length: usize,
    /// The most pieces to begin with, single characters not counted.
    pub seed_size: usize,
    /// The share of the pieces that a round keeps.
    pub shrinking_factor: f64,
    /// How many threads may work.
    pub threads: Threads,
}

impl UnigramSettings {
    /// As sentencepiece has them.
    pub fn new(vocab_size: usize) -> UnigramSettings {
        UnigramSettings {
            vocab_size,
            special_tokens: Vec::new(),
            unk_token: "<unk>".into(),
            user_defined_symbols: Vec::new(),
            byte_fallback: false,
            split_digits: false,
            character_coverage: 0.9995,
            max_piece_length: 16,
            seed_size: 1_000_000,
            shrinking_factor: 0.75,
            threads: None,
        }
    }

    fn check(&self) -> Result<()> {
        let wrong = |message: String| Err(Error::Argument { message });
        let Self { character_coverage, shrinking_factor, max_piece_length, seed_size, .. } = *self;
        Alphabet::Coverage(character_coverage).check()?;
        if !(shrinking_factor > 0.0 && shrinking_factor < 1.0) {
            return wrong(format!(
                "shrinking_factor must be between 0 and 1, not {shrinking_factor}"
            ));
        }
        if max_piece_length == 0 || max_piece_length > MAX_PIECE_LENGTH {
            return wrong(format!(
                "max_piece_length must be from 1 to {MAX_PIECE_LENGTH}, not {max_piece_length}"
            ));
        }
        if seed_size > MAX_ID as usize / 2 {
            let most = MAX_ID / 2;
            return wrong(format!("seed_size must be at most {most}, not {seed_size}"));
        }
        if self.vocab_size > MAX_ID as usize + 1 {
            let (size, most) = (self.vocab_size, MAX_ID as usize + 1);
            let message = format!("vocab_size={size} is too large: the most is {most}");
            return Err(Error::training(message));
        }
        Ok(())
    }

    /// The special tokens and the user-defined symbols in the order of their ids.
    fn added_tokens(&self) -> Result<Vec<SpecialToken>> {
        let mut contents = self.special_tokens.clone();
        if !contents.contains(&self.unk_token) {
            contents.insert(0, self.unk_token.clone());
        }
        let special = contents.len();
        contents.extend_from_slice(&self.user_defined_symbols);
        let is_byte = |content: &String| self.byte_fallback && byte_tokens().any(|b| b == *content);
        for (at, content) in contents.iter().enumerate().skip(special) {
            let message = match () {
                () if content.is_empty() => "a user-defined symbol is empty".into(),
                () if contents[..at].contains(content) => {
                    format!("the token {content:?} is there twice")
                }
                () => continue,
            };
            return Err(Error::Argument { message });
        }
        if let Some(content) = contents.iter().find(|content| is_byte(content)) {
            let message = format!("the token {content:?} is that of a byte");
            return Err(Error::Argument { message });
        }
        let token = |(content, id)| SpecialToken {
            always: id as usize >= special,
            ..SpecialToken::new(content, id)
        };
        Ok(contents.into_iter().zip(0..).map(token).collect())
    }
}

/// The longest piece that may be asked for, in characters.
const MAX_PIECE_LENGTH: usize = 64;

/// The words to learn from, cut at characters that are not learned.
#[derive(Debug, Default)]
struct Segments {
    /// All of them, each with `END` behind it.
    text: Vec<u8>,
    /// Where each starts, and how often it occurs.
    places: Vec<(usize, Count)>,
}

impl Segments {
    /// A segment without its end, and how often it occurs.
    fn get(&self, number: usize) -> (&[u8], Count) {
        let (start, count) = self.places[number];
        let next = self.places.get(number + 1).map_or(self.text.len(), |next| next.0);
        (&self.text[start..next - 1], count)
    }
}

/// A training that is ready to run and does not need the counts any more.
#[derive(Debug)]
pub struct UnigramTraining {
    settings: UnigramSettings,
    added_tokens: Vec<SpecialToken>,
    normalizer: Normalizer,
    /// The characters that become pieces, and how often each occurs, by falling count.
    characters: Vec<(char, Count)>,
    segments: Segments,
    begin: Instant,
}

/// Checks the settings, and cuts the counted words into segments.
pub fn prepare(counts: &Counts, settings: &UnigramSettings) -> Result<UnigramTraining> {
    let begin = Instant::now();
    settings.check()?;
    normalizer_step(counts.normalizer(), "Unigram")?;
    let added_tokens = settings.added_tokens()?;
    let characters = alphabet(counts, settings.character_coverage)?;
    let bytes = byte_tokens().filter(|_| settings.byte_fallback).count();
    let least = characters.len() + added_tokens.len() + bytes;
    if settings.vocab_size < least {
        let (size, added, characters) = (settings.vocab_size, added_tokens.len(), characters.len());
        let of_bytes = if bytes > 0 { format!(", {bytes} bytes") } else { String::new() };
        let what = if settings.user_defined_symbols.is_empty() { "" } else { " and user-defined" };
        let message = format!(
            "vocab_size={size} is too small: {characters} characters{of_bytes} and {added} special{what} tokens \
             need at least {least}"
        );
        let hint = "pass a larger vocab_size, or a smaller character_coverage";
        return Err(Error::training(message).with_hint(hint));
    }
    if characters.is_empty() {
        return Err(no_pieces());
    }
    let segments = segments(counts, &characters, settings.split_digits)?;
    Ok(UnigramTraining {
        settings: settings.clone(),
        added_tokens,
        normalizer: counts.normalizer(),
        characters,
        segments,
        begin,
    })
}

impl UnigramTraining {
    /// Learns the pieces. `watch` hears how many are gone, and how many will be.
    pub fn run(self, watch: WatchMerges<'_>) -> Result<Trained> {
        let UnigramTraining { settings, characters, segments, begin, .. } = &self;
        let threads = parallel::allowed(settings.threads);
        let wanted = settings.vocab_size - self.reserved().count();
        let seeds = Seeds::find(segments, settings.max_piece_length, settings.seed_size, threads)?;
        let letters: String = characters.iter().map(|(c, _)| c).collect();
        let mut pieces = Pieces::new(characters, &letters, &seeds, segments, threads)?;
        drop(seeds);
        let index = begin.elapsed();
        let all = pieces.len();
        let gone = all.saturating_sub(wanted);
        // The first guess was rough.
        pieces.fit(threads)?;
        let mut used = pieces.fit(threads)?;
        let mut scans = 3;
        while pieces.len() > wanted {
            let size = (pieces.len() as f64 * settings.shrinking_factor) as usize;
            pieces.prune(&used, size.max(wanted), threads)?;
            watch(all - pieces.len(), gone)?;
            used = pieces.fit(threads)?;
            scans += 1;
        }
        pieces.fit(threads)?;
        let stop = if pieces.len() < wanted { Stop::NoPair } else { Stop::Full };
        let model = self.model(pieces.by_score())?;
        let merge = begin.elapsed() - index;
        let bytes = self.segments.text.len();
        let effort = Effort { index, merge, bytes, scans, ..Effort::default() };
        Ok(Trained {
            model,
            learned: Learned { merges: Vec::new(), helped: Vec::new(), stop, effort },
        })
    }

    /// What stands before the pieces: special tokens, user-defined symbols, the tokens of the bytes.
    fn reserved(&self) -> impl Iterator<Item = String> {
        let added = self.added_tokens.iter().map(|token| token.content.clone());
        added.chain(byte_tokens().filter(|_| self.settings.byte_fallback))
    }

    fn model(&self, pieces: Vec<(&[u8], f64)>) -> Result<Model> {
        let (mut vocab, mut scores) = (Vocab::new([])?, Vec::new());
        let lowest = pieces.iter().map(|(_, score)| *score).fold(0.0, f64::min);
        for (id, token) in (0..).zip(self.reserved()) {
            vocab.insert(id, token.as_bytes())?;
            let of_byte = id as usize >= self.added_tokens.len();
            scores.push(if of_byte { byte_score(lowest) } else { 0.0 });
        }
        for (piece, score) in pieces {
            if vocab.id_of(piece).is_none() {
                vocab.insert(scores.len() as TokenId, piece)?;
                scores.push(score);
            }
        }
        let scores = Score::readable(&scores);
        let scores = scores.ok_or_else(|| Error::training("a score is not finite"))?;
        let unk = vocab.id_of(self.settings.unk_token.as_bytes());
        let byte_fallback = self.settings.byte_fallback;
        let options = UnigramOptions { scores, unk, byte_fallback, ..UnigramOptions::default() };
        let none = Pattern::Named(Named::None);
        let mut model = Model::new(vocab, Merges::Listed(Vec::new()), none, Vec::new());
        model.special_tokens = self.added_tokens.clone();
        model.chain = Some(Arc::new(chain(self.normalizer, options)?));
        model.checked()
    }
}

/// The score of the tokens of bytes: six characters, each with the lowest score of all, are better.
fn byte_score(lowest: f64) -> f64 {
    7.0 * lowest - 1.0
}

/// The steps of the model: white space cuts, every word starts with `▁`.
fn chain(normalizer: Normalizer, options: UnigramOptions) -> Result<Chain> {
    let normalizer = normalizer_step(normalizer, "Unigram")?;
    let metaspace =
        r#"{"type":"Metaspace","replacement":"▁","prepend_scheme":"always","split":true}"#;
    let pre_tokenizer = format!(
        r#"{{"type":"Sequence","pretokenizers":[{{"type":"WhitespaceSplit"}},{metaspace}]}}"#
    );
    let drop_mark = DecoderStep::Metaspace { replacement: MARK, drop_first: true };
    let (decoder, decoder_text) = if options.byte_fallback {
        let text =
            format!(r#"{{"type":"Sequence","decoders":[{{"type":"ByteFallback"}},{metaspace}]}}"#);
        (vec![DecoderStep::ByteFallback, drop_mark], text)
    } else {
        (vec![drop_mark], metaspace.to_owned())
    };
    Ok(Chain {
        normalizer: normalizer.iter().map(|(step, _)| step.clone()).collect(),
        pre_tokenizer: vec![
            PreTokenizerStep::WhitespaceSplit,
            PreTokenizerStep::Metaspace {
                replacement: MARK,
                scheme: PrependScheme::Always,
                split: true,
            },
        ],
        model: ChainModel::Unigram(options),
        trims: Vec::new(),
        decoder: Some(decoder),
        normalized_tokens: Default::default(),
        source: ChainSource {
            normalizer: normalizer
                .map_or("null".to_owned(), |(_, name)| format!(r#"{{"type":"{name}"}}"#)),
            pre_tokenizer,
            post_processor: "null".to_owned(),
            decoder: decoder_text,
        },
    })
}

/// Calls `each` with the words of a piece: it is cut before every `▁`, and every word gets one.
fn each_word(piece: &[u8], mut each: impl FnMut(&str)) {
    let Ok(piece) = std::str::from_utf8(piece) else { return };
    if piece.chars().all(char::is_whitespace) {
        return;
    }
    let mut word = String::with_capacity(piece.len() + MARK.len_utf8());
    for (at, c) in piece.char_indices() {
        if c == MARK && at > 0 {
            each(&word);
            word.clear();
        }
        if at == 0 && c != MARK {
            word.push(MARK);
        }
        word.push(c);
    }
    each(&word);
}

/// The most frequent characters of the words, as many as make up a share of the text.
fn alphabet(counts: &Counts, coverage: f64) -> Result<Vec<(char, Count)>> {
    let mut characters = CharacterCounts::default();
    each_piece(counts, |piece, count| {
        each_word(piece, |word| characters.add(word.chars(), count));
        Ok(())
    })?;
    Ok(characters.most_frequent(Alphabet::Coverage(coverage), |_| true))
}

/// The words, cut at other characters, and perhaps around digits.
fn segments(counts: &Counts, characters: &[(char, Count)], split_digits: bool) -> Result<Segments> {
    let known = CharacterSet::new(characters.iter().map(|(c, _)| *c));
    let mut segments = Segments::default();
    each_piece(counts, |piece, count| {
        each_word(piece, |word| {
            each_part(
                word,
                |c| known.has(c),
                split_digits,
                |part| {
                    segments.places.push((segments.text.len(), count));
                    segments.text.extend_from_slice(part.as_bytes());
                    segments.text.push(END);
                },
            );
        });
        Ok(())
    })?;
    if segments.text.len() > u32::MAX as usize { Err(too_long()) } else { Ok(segments) }
}

fn too_long() -> Error {
    Error::training("the words are over 4 GiB: leave out the rare ones")
}
