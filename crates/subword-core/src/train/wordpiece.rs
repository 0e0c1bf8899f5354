/*!
Training of WordPiece: counted words and settings in, a [`Model`] and a log out.

```text
low 5, löw 1   ->   l ##o ##w 5,  l ##ö ##w 1   ->   merges (`train::merges`)   ->   vocabulary   ->   Model
```

A word starts as its characters, the first as it is, the others with the prefix. A merge of `lo` and
`##w` makes `low`. Of the merges nothing is kept but what they make.

Ids: special tokens, characters by code point, characters with the prefix by code point, merges.

Some words stay unknown whatever is learned, so nothing is learned from them: words of more characters
than `max_word_chars`, and words with a character that is not in the alphabet or a byte that is not
UTF-8. Pieces of white space are no words.

No token is spelled like a special token: a character that is, alone or with the prefix, is not in
the alphabet, and no merge makes one. So ordinary text never becomes a special token.
*/

use std::time::Instant;

use super::alphabet::{self, CharacterCounts};
use super::merges::{MergeRules, Score, Ties, TrainingWords};
use super::{Training, each_piece, no_pieces};
use crate::counts::Counts;
use crate::error::{Error, Result};
use crate::model::{Model, SpecialToken, Template, WordLimit, WordPiece};
use crate::parallel::{self, Threads};
use crate::types::{Count, TokenId};
use crate::vocab::{MAX_ID, Vocab};

/// What to train.
#[derive(Debug, Clone)]
pub struct WordPieceSettings {
    /// The number of tokens in all, special tokens included.
    pub vocab_size: usize,
    /// Which pair is merged first.
    pub score: Score,
    /// The special tokens, which get the first ids in this order.
    pub special_tokens: Vec<String>,
    /// The special token of unknown words; it is put first if it is not among the others.
    pub unk_token: String,
    /// The prefix of tokens that continue a word.
    pub prefix: String,
    /// A longer word is unknown.
    pub max_word_chars: u32,
    /// The least count of a pair that is merged.
    pub min_count: Count,
    /// The most characters of the alphabet; the most frequent ones are kept.
    pub limit_alphabet: Option<usize>,
    /// The longest token that is made, in characters without the prefix.
    pub max_token_length: Option<usize>,
    /// How many threads may work.
    pub threads: Threads,
}

impl WordPieceSettings {
    /// As in BERT.
    pub fn new(vocab_size: usize) -> WordPieceSettings {
        WordPieceSettings {
            vocab_size,
            score: Score::Likelihood,
            special_tokens: ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"].map(String::from).into(),
            unk_token: "[UNK]".into(),
            prefix: "##".into(),
            max_word_chars: 100,
            min_count: 1,
            limit_alphabet: None,
            max_token_length: None,
            threads: None,
        }
    }

    fn check(&self) -> Result<()> {
        let numbers = [
            ("max_word_chars", Some(self.max_word_chars as usize)),
            ("limit_alphabet", self.limit_alphabet),
            ("max_token_length", self.max_token_length),
        ];
        match numbers.iter().find(|(_, number)| *number == Some(0)) {
            Some((name, _)) => {
                Err(Error::Argument { message: format!("{name} must be at least 1, not 0") })
            }
            None => Ok(()),
        }
    }

    /// The special tokens in the order of their ids, each once.
    fn special_tokens(&self) -> Vec<String> {
        let mut tokens: Vec<String> = Vec::new();
        let unk = Some(&self.unk_token).filter(|unk| !self.special_tokens.contains(unk));
        for token in unk.into_iter().chain(&self.special_tokens) {
            if !tokens.contains(token) {
                tokens.push(token.clone());
            }
        }
        tokens
    }
}

/// Checks the settings, and turns the counted words into tokens.
pub fn prepare(counts: &Counts, settings: &WordPieceSettings) -> Result<Training> {
    let begin = Instant::now();
    settings.check()?;
    let special_tokens = settings.special_tokens();
    let alphabet = Alphabet::new(counts, settings, &special_tokens)?;
    let (words, inner) = alphabet.words(counts, settings)?;
    let (vocab, names) = alphabet.vocab(&inner, settings, special_tokens.len())?;
    let tokens = room(settings, vocab.len(), special_tokens.len())?;
    if words.is_empty() {
        return Err(no_pieces());
    }
    let mut words = words;
    words.rename(|token| names[token as usize]);
    let next = vocab.id_limit().max(special_tokens.len() as TokenId);
    let rules = MergeRules {
        tokens,
        score: settings.score,
        ties: Ties::SmallestIds,
        min_count: settings.min_count,
        max_length: settings.max_token_length,
        threads: parallel::allowed(settings.threads),
        lengths: vec![1; next as usize],
        prefix: settings.prefix.clone().into_bytes(),
        forbidden: special_tokens.iter().map(|token| token.clone().into_bytes()).collect(),
        ..MergeRules::new(usize::MAX, next)
    };
    let model = model(counts, settings, &special_tokens, vocab);
    let prepared = begin.elapsed();
    // The special tokens have their ids already: they come first.
    let (special_tokens, unk_token, required) = (Vec::new(), None, Vec::new());
    Ok(Training { model, words, rules, special_tokens, unk_token, required, prepared })
}

/// The most new tokens.
fn room(settings: &WordPieceSettings, first: usize, special: usize) -> Result<usize> {
    let (size, least) = (settings.vocab_size, first + special);
    if size < least {
        let message = format!(
            "vocab_size={size} is too small: {first} characters, with and without prefix, and \
             {special} special tokens need at least {least}"
        );
        let hint = "pass a larger vocab_size, or limit_alphabet for fewer characters";
        return Err(Error::training(message).with_hint(hint));
    }
    let most = MAX_ID as usize + 1;
    if size > most {
        let message = format!("vocab_size={size} is too large: the most is {most}");
        return Err(Error::training(message));
    }
    Ok(size - least)
}

/// The result without its vocabulary: special tokens, and `[CLS]` and `[SEP]` around a text if both
/// are there.
fn model(
    counts: &Counts,
    settings: &WordPieceSettings,
    special_tokens: &[String],
    vocab: Vocab,
) -> Model {
    let id = |token: &str| special_tokens.iter().position(|t| t == token).map(|id| id as TokenId);
    let word_piece = WordPiece {
        prefix: settings.prefix.clone(),
        limit: WordLimit::Characters(settings.max_word_chars),
        ..WordPiece::default()
    };
    let unk = id(&settings.unk_token).unwrap_or_default();
    let mut model = Model::word_piece(vocab, unk, word_piece);
    model.normalizer = counts.normalizer();
    model.pattern = counts.pattern().clone();
    model.special_tokens =
        special_tokens.iter().zip(0..).map(|(token, id)| SpecialToken::new(token, id)).collect();
    if let (Some(cls), Some(sep)) = (id("[CLS]"), id("[SEP]")) {
        model.template = Template::bert(cls, sep);
    }
    model
}

/// The characters that words are made of.
struct Alphabet {
    /// By code point.
    characters: Vec<char>,
    /// By code point, one more than the place among `characters`; 0 if it is not there.
    places: Vec<u32>,
}

impl Alphabet {
    fn new(
        counts: &Counts,
        settings: &WordPieceSettings,
        special_tokens: &[String],
    ) -> Result<Alphabet> {
        let mut characters = CharacterCounts::default();
        each_piece(counts, |piece, count| {
            if let Some(word) = word(piece, settings) {
                characters.add(word.chars(), count);
            }
            Ok(())
        })?;
        let is_special = |character: char| {
            let text = |token: &String| {
                let text = token.strip_prefix(&settings.prefix).unwrap_or(token);
                [token.as_str(), text].iter().any(|text| {
                    let mut characters = text.chars();
                    (characters.next(), characters.next()) == (Some(character), None)
                })
            };
            special_tokens.iter().any(text)
        };
        let characters = characters
            .alphabet(alphabet::Alphabet::limited(settings.limit_alphabet), |c| !is_special(c));
        let mut places = vec![0; characters.last().map_or(0, |&last| last as usize + 1)];
        for (place, &character) in (1..).zip(&characters) {
            places[character as usize] = place;
        }
        Ok(Alphabet { characters, places })
    }

    fn place(&self, character: char) -> Option<u32> {
        self.places.get(character as usize)?.checked_sub(1)
    }

    /// The words as numbers of their characters: the place of the first, and for the others the place plus the
    /// size of the alphabet. Also which characters occur within a word.
    fn words(
        &self,
        counts: &Counts,
        settings: &WordPieceSettings,
    ) -> Result<(TrainingWords, Vec<bool>)> {
        let mut inner = vec![false; self.characters.len()];
        let (mut words, mut tokens) = (TrainingWords::default(), Vec::new());
        each_piece(counts, |piece, count| {
            let Some(word) = word(piece, settings) else { return Ok(()) };
            tokens.clear();
            for character in word.chars() {
                let Some(place) = self.place(character) else { return Ok(()) };
                tokens.push(place + if tokens.is_empty() { 0 } else { inner.len() as u32 });
            }
            for &token in tokens.iter().skip(1) {
                inner[token as usize - self.characters.len()] = true;
            }
            words.push(tokens.drain(..), count)
        })?;
        Ok((words, inner))
    }

    /// The first tokens, with ids after `special` special tokens, and the id of each number in `words`.
    fn vocab(
        &self,
        inner: &[bool],
        settings: &WordPieceSettings,
        special: usize,
    ) -> Result<(Vocab, Vec<TokenId>)> {
        let (mut vocab, mut names) = (Vocab::new([])?, Vec::new());
        let all = inner.iter().map(|_| &true);
        for ((character, prefix), is_used) in ["", settings.prefix.as_str()]
            .iter()
            .flat_map(|prefix| self.characters.iter().map(move |character| (character, prefix)))
            .zip(all.chain(inner))
        {
            let token = format!("{prefix}{character}");
            let known = vocab.id_of(token.as_bytes());
            let id = known.unwrap_or(vocab.id_limit().max(special as TokenId));
            if known.is_none() && *is_used {
                vocab.insert(id, token.as_bytes())?;
            }
            names.push(id);
        }
        Ok((vocab, names))
    }
}

/// The word that a piece is, if something is to be learned from it.
fn word<'p>(piece: &'p [u8], settings: &WordPieceSettings) -> Option<&'p str> {
    let word = std::str::from_utf8(piece).ok()?;
    let most = settings.max_word_chars as usize;
    let fits = word.len() <= most || word.chars().nth(most).is_none();
    (fits && !word.chars().all(char::is_whitespace)).then_some(word)
}

#[cfg(test)]
mod tests;
