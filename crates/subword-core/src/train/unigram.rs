/*!
Training of Unigram: counted words and settings in, a [`Model`] and a log out.

```text
counts -> segments of known characters -> seed pieces (`seeds`)
       -> fit, prune by a quarter, and again until the vocabulary is small enough (`fit`) -> Model
```

Every word starts with `▁`. A word is cut at characters that are not among the pieces, because `character_coverage` leaves
them out; they teach nothing.

Invariants
* The definition is `subword.reference.unigram`. All counts are whole numbers, and sums of scores run from left to
  right, so the result is that of the definition to the last bit, whatever the order of the words and the threads.
* Pieces of one character are never pruned: every segment can be cut.

Why the best cut alone is counted, and not all cuts by their probability as the classic trainer does: sums of fractions
depend on their order, and each of them costs an exponential.

Ids: special tokens, then pieces by falling score, of equal scores the one that sorts first.
*/

mod fit;
mod seeds;

use std::sync::Arc;
use std::time::Instant;

use super::alphabet::CharacterCounts;
use super::merges::{Effort, Learned, Stop};
use super::{Trained, WatchMerges, each_piece, no_pieces};
use crate::counts::Counts;
use crate::error::{Error, Result};
use crate::model::{
    Chain, ChainModel, ChainSource, DecoderStep, Merges, Model, Named, Normalizer, NormalizerStep,
    Pattern, PreTokenizerStep, PrependScheme, Score, SpecialToken, UnigramOptions,
};
use crate::parallel::{self, Threads};
use crate::types::{Count, TokenId};
use crate::vocab::{MAX_ID, Vocab};
use fit::Pieces;
use seeds::Seeds;

/// What stands for a space.
const MARK: char = '▁';

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
        if !(character_coverage > 0.0 && character_coverage <= 1.0) {
            return wrong(format!(
                "character_coverage must be above 0 and at most 1, not {character_coverage}"
            ));
        }
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

    /// The special tokens in the order of their ids.
    fn special_tokens(&self) -> Vec<String> {
        let mut tokens = self.special_tokens.clone();
        if !tokens.contains(&self.unk_token) {
            tokens.insert(0, self.unk_token.clone());
        }
        tokens
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
    special_tokens: Vec<String>,
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
    normalizer_step(counts.normalizer())?;
    let special_tokens = settings.special_tokens();
    let characters = alphabet(counts, settings.character_coverage)?;
    let least = characters.len() + special_tokens.len();
    if settings.vocab_size < least {
        let (size, special) = (settings.vocab_size, special_tokens.len());
        let message = format!(
            "vocab_size={size} is too small: {} characters and {special} special tokens need at least {least}",
            characters.len()
        );
        let hint = "pass a larger vocab_size, or a smaller character_coverage";
        return Err(Error::training(message).with_hint(hint));
    }
    if characters.is_empty() {
        return Err(no_pieces());
    }
    let segments = segments(counts, &characters)?;
    Ok(UnigramTraining {
        settings: settings.clone(),
        special_tokens,
        normalizer: counts.normalizer(),
        characters,
        segments,
        begin,
    })
}

impl UnigramTraining {
    /// Learns the pieces. `watch` hears how many are gone, and how many will be.
    pub fn run(self, watch: WatchMerges<'_>) -> Result<Trained> {
        let UnigramTraining { settings, special_tokens, characters, segments, begin, .. } = &self;
        let threads = parallel::allowed(settings.threads);
        let wanted = settings.vocab_size - special_tokens.len();
        let seeds = Seeds::find(segments, settings.max_piece_length, settings.seed_size, threads)?;
        let mut pieces = Pieces::new(characters, &seeds, &segments.text)?;
        drop(seeds);
        let index = begin.elapsed();
        let all = pieces.len();
        let gone = all.saturating_sub(wanted);
        // The first guess was rough.
        pieces.fit(segments, threads)?;
        let mut used = pieces.fit(segments, threads)?;
        let mut scans = 3;
        while pieces.len() > wanted {
            let size = (pieces.len() as f64 * settings.shrinking_factor) as usize;
            pieces.prune(&used, size.max(wanted), threads)?;
            watch(all - pieces.len(), gone)?;
            used = pieces.fit(segments, threads)?;
            scans += 1;
        }
        pieces.fit(segments, threads)?;
        let stop = if pieces.len() < wanted { Stop::NoPair } else { Stop::Full };
        let model = self.model(pieces.by_score())?;
        let merge = begin.elapsed() - index;
        let bytes = self.segments.text.len();
        let effort = Effort { index, merge, bytes, scans, ..Effort::default() };
        Ok(Trained { model, learned: Learned { merges: Vec::new(), stop, effort } })
    }

    fn model(&self, pieces: Vec<(&str, f64)>) -> Result<Model> {
        let special = self.special_tokens.iter().map(|token| (token.as_str(), 0.0));
        let (mut vocab, mut scores) = (Vocab::new([])?, Vec::new());
        let is_special = |piece: &str| self.special_tokens.iter().any(|token| token == piece);
        let pieces = pieces.into_iter().filter(|(piece, _)| !is_special(piece));
        for (piece, score) in special.chain(pieces) {
            vocab.insert(scores.len() as TokenId, piece.as_bytes())?;
            let readable = Score::readable(score);
            scores.push(readable.ok_or_else(|| Error::training("a score is not finite"))?);
        }
        let unk = vocab.id_of(self.settings.unk_token.as_bytes());
        let options = UnigramOptions { scores, unk, ..UnigramOptions::default() };
        let none = Pattern::Named(Named::None);
        let mut model = Model::new(vocab, Merges::Listed(Vec::new()), none, Vec::new());
        model.special_tokens = (0..)
            .zip(&self.special_tokens)
            .map(|(id, token)| SpecialToken::new(token, id))
            .collect();
        model.chain = Some(Arc::new(chain(self.normalizer, options)?));
        model.checked()
    }
}

/// The steps of the model: white space cuts, every word starts with `▁`.
fn chain(normalizer: Normalizer, options: UnigramOptions) -> Result<Chain> {
    let normalizer = normalizer_step(normalizer)?;
    let metaspace =
        r#"{"type":"Metaspace","replacement":"▁","prepend_scheme":"always","split":true}"#;
    let pre_tokenizer = format!(
        r#"{{"type":"Sequence","pretokenizers":[{{"type":"WhitespaceSplit"}},{metaspace}]}}"#
    );
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
        decoder: Some(vec![DecoderStep::Metaspace { replacement: MARK, drop_first: true }]),
        normalized_tokens: Default::default(),
        source: ChainSource {
            normalizer: normalizer
                .map_or("null".to_owned(), |(_, name)| format!(r#"{{"type":"{name}"}}"#)),
            pre_tokenizer,
            post_processor: "null".to_owned(),
            decoder: metaspace.to_owned(),
        },
    })
}

/// The step of a normaliser, and its name in a file; an error if such a model has no such step.
fn normalizer_step(normalizer: Normalizer) -> Result<Option<(NormalizerStep, &'static str)>> {
    Ok(Some(match normalizer {
        Normalizer::None => return Ok(None),
        Normalizer::Nfc => (NormalizerStep::Nfc, "NFC"),
        Normalizer::Nfd => (NormalizerStep::Nfd, "NFD"),
        Normalizer::Nfkc => (NormalizerStep::Nfkc, "NFKC"),
        Normalizer::Nfkd => (NormalizerStep::Nfkd, "NFKD"),
        Normalizer::NfcLowercase | Normalizer::Bert(_) => {
            let message =
                format!("Unigram cannot learn from the normalizer {:?}", normalizer.name());
            let hint = "none, nfc, nfd, nfkc and nfkd can be learned from";
            return Err(Error::training(message).with_hint(hint));
        }
    }))
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
    let mut found: Vec<(char, Count)> = characters.counted().collect();
    found.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    let total: u128 = found.iter().map(|(_, count)| u128::from(*count)).sum();
    let (mut covered, wanted) = (0u128, coverage * total as f64);
    let is_wanted = |&&(_, count): &&(char, Count)| {
        let go_on = (covered as f64) < wanted;
        covered += u128::from(count);
        go_on
    };
    let kept = found.iter().take_while(is_wanted).count();
    found.truncate(kept);
    Ok(found)
}

/// The words, cut at other characters.
fn segments(counts: &Counts, characters: &[(char, Count)]) -> Result<Segments> {
    let last = characters.iter().map(|(c, _)| *c as usize).max().unwrap_or(0);
    let mut known = vec![false; last + 1];
    characters.iter().for_each(|(c, _)| known[*c as usize] = true);
    let is_known = |c: char| known.get(c as usize).is_some_and(|known| *known);
    let mut segments = Segments::default();
    each_piece(counts, |piece, count| {
        each_word(piece, |word| {
            for part in word.split(|c| !is_known(c)).filter(|part| !part.is_empty()) {
                segments.places.push((segments.text.len(), count));
                segments.text.extend_from_slice(part.as_bytes());
                segments.text.push(END);
            }
        });
        Ok(())
    })?;
    if segments.text.len() > u32::MAX as usize {
        let message = "the words are over 4 GiB: leave out the rare ones";
        return Err(Error::training(message));
    }
    Ok(segments)
}
