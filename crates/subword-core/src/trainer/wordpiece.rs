/*!
The assembly of WordPiece training: counted words and settings in, a [`Model`] and a log out.

```text
low 5, löw 1   ->   l ##o ##w 5,  l ##ö ##w 1   ->   merges (`bpe::train`)   ->   vocabulary   ->   Model
```

A word starts as its characters, the first as it is, the others with the prefix. A merge of `lo` and
`##w` makes `low`. Of the merges nothing is kept but what they make.

Ids: special tokens, characters by code point, characters with the prefix by code point, merges.

What teaches nothing, because it is unknown whatever is learned: a word of more characters than
`max_word_chars`, and a word with a character that is not in the alphabet, or a byte that is not
UTF-8. Pieces of white space are no words.

No token is spelled like a special token: a character that is, alone or with the prefix, is not in
the alphabet, and no merge makes one. So ordinary text never becomes a special token.
*/

use std::cmp::Reverse;
use std::time::{Duration, Instant};

use super::{Trained, each_piece};
use crate::bpe::train::{self, Rules, Score, Ties, Words};
use crate::counts::Counts;
use crate::error::{Error, Result};
use crate::model::{Model, SpecialToken, Template, WordLimit, WordPiece};
use crate::types::{Count, TokenId};
use crate::vocab::{MAX_ID, Vocab};

/// What to train.
#[derive(Debug, Clone)]
pub struct Settings {
    /// So many tokens in all, special tokens included.
    pub vocab_size: usize,
    /// Which pair is merged first.
    pub score: Score,
    /// What gets the first ids, in this order.
    pub special_tokens: Vec<String>,
    /// The special token of unknown words; the first of all, if it is not among them.
    pub unk_token: String,
    /// What tokens that go on within a word begin with.
    pub prefix: String,
    /// A longer word is unknown.
    pub max_word_chars: u32,
    /// A pair that counts less is not merged.
    pub min_count: Count,
    /// So many characters are kept, the most frequent.
    pub limit_alphabet: Option<usize>,
    /// A token of more characters, its prefix not counted, is not made.
    pub max_token_length: Option<usize>,
}

impl Settings {
    /// As in BERT.
    pub fn new(vocab_size: usize) -> Settings {
        Settings {
            vocab_size,
            score: Score::Likelihood,
            special_tokens: ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"].map(String::from).into(),
            unk_token: "[UNK]".into(),
            prefix: "##".into(),
            max_word_chars: 100,
            min_count: 1,
            limit_alphabet: None,
            max_token_length: None,
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

/// A training that is ready to run, and needs the counts no more.
#[derive(Debug)]
pub struct Training {
    /// What the result is, but for its vocabulary.
    model: Model,
    words: Words,
    vocab: Vocab,
    rules: Rules,
    prepared: Duration,
}

impl Training {
    /// Turns the counted words into characters, and checks the settings.
    pub fn new(counts: &Counts, settings: &Settings) -> Result<Training> {
        let begin = Instant::now();
        settings.check()?;
        let special_tokens = settings.special_tokens();
        let alphabet = Alphabet::new(counts, settings, &special_tokens)?;
        let (words, inner) = alphabet.words(counts, settings)?;
        let (vocab, names) = alphabet.vocab(&inner, settings, special_tokens.len())?;
        let tokens = room(settings, vocab.len(), special_tokens.len())?;
        if words.is_empty() {
            return Err(Error::training(super::NO_PIECES.0).with_hint(super::NO_PIECES.1));
        }
        let mut words = words;
        words.rename(|token| names[token as usize]);
        let next = vocab.id_limit().max(special_tokens.len() as TokenId);
        let rules = Rules {
            tokens,
            score: settings.score,
            ties: Ties::SmallestIds,
            min_count: settings.min_count,
            max_length: settings.max_token_length,
            lengths: vec![1; next as usize],
            prefix: settings.prefix.clone().into_bytes(),
            forbidden: special_tokens.iter().map(|token| token.clone().into_bytes()).collect(),
            ..Rules::new(usize::MAX, next)
        };
        let model = model(counts, settings, &special_tokens)?;
        Ok(Training { model, words, vocab, rules, prepared: begin.elapsed() })
    }

    /// Learns the merges. `watch` is told, at least every 50 ms, how many there are and how many
    /// there will be at most; an error that it returns ends the training.
    pub fn run(self, watch: &mut dyn FnMut(usize, usize) -> Result<()>) -> Result<Trained> {
        let Training { mut model, words, mut vocab, rules, prepared } = self;
        let mut watch = |done| watch(done, rules.tokens);
        let mut learned = train::train(words, &mut vocab, &rules, &mut watch)?;
        learned.effort.index += prepared;
        model.vocab = vocab;
        Ok(Trained { model: model.checked()?, learned })
    }
}

/// Trains a model on counted words: see [`Training`].
pub fn train(counts: &Counts, settings: &Settings) -> Result<Trained> {
    Training::new(counts, settings)?.run(&mut |_, _| Ok(()))
}

/// How many new tokens there may be.
fn room(settings: &Settings, first: usize, special: usize) -> Result<usize> {
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
fn model(counts: &Counts, settings: &Settings, special_tokens: &[String]) -> Result<Model> {
    let id = |token: &str| special_tokens.iter().position(|t| t == token).map(|id| id as TokenId);
    let word_piece = WordPiece {
        prefix: settings.prefix.clone(),
        limit: WordLimit::Characters(settings.max_word_chars),
        ..WordPiece::default()
    };
    let unk = id(&settings.unk_token).unwrap_or_default();
    let mut model = Model::word_piece(Vocab::new([])?, unk, word_piece);
    model.normalizer = counts.normalizer();
    model.pattern = counts.pattern().clone();
    model.special_tokens =
        special_tokens.iter().zip(0..).map(|(token, id)| SpecialToken::new(token, id)).collect();
    if let (Some(cls), Some(sep)) = (id("[CLS]"), id("[SEP]")) {
        model.template = Template::bert(cls, sep);
    }
    Ok(model)
}

/// The characters that words are made of.
struct Alphabet {
    /// By code point.
    characters: Vec<char>,
    /// The place of each among them, by code point; one more, and 0 if it is not there.
    places: Vec<u32>,
}

impl Alphabet {
    fn new(counts: &Counts, settings: &Settings, special_tokens: &[String]) -> Result<Alphabet> {
        let mut sums: Vec<Count> = Vec::new();
        each_piece(counts, |piece, count| {
            let Some(word) = word(piece, settings) else { return Ok(()) };
            for character in word.chars() {
                let code = character as usize;
                if code >= sums.len() {
                    sums.resize((code + 1).next_power_of_two(), 0);
                }
                sums[code] = sums[code].saturating_add(count);
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
        let mut found: Vec<(char, Count)> = Vec::new();
        for (code, count) in (0..).zip(sums).filter(|&(_, count)| count > 0) {
            let character = char::from_u32(code).filter(|&character| !is_special(character));
            found.extend(character.map(|character| (character, count)));
        }
        if let Some(limit) = settings.limit_alphabet {
            found.sort_by_key(|&(_, count)| Reverse(count));
            found.truncate(limit);
            found.sort_unstable();
        }
        let characters: Vec<char> = found.into_iter().map(|(character, _)| character).collect();
        let mut places = vec![0; characters.last().map_or(0, |&last| last as usize + 1)];
        for (place, &character) in (1..).zip(&characters) {
            places[character as usize] = place;
        }
        Ok(Alphabet { characters, places })
    }

    fn place(&self, character: char) -> Option<u32> {
        self.places.get(character as usize)?.checked_sub(1)
    }

    /// The words as the places of their characters; those that go on come behind all that begin. And
    /// which characters go on.
    fn words(&self, counts: &Counts, settings: &Settings) -> Result<(Words, Vec<bool>)> {
        let mut inner = vec![false; self.characters.len()];
        let (mut words, mut tokens) = (Words::default(), Vec::new());
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

    /// The first tokens, behind so many special tokens, and the id of each place.
    fn vocab(
        &self,
        inner: &[bool],
        settings: &Settings,
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
fn word<'p>(piece: &'p [u8], settings: &Settings) -> Option<&'p str> {
    let word = std::str::from_utf8(piece).ok()?;
    let most = settings.max_word_chars as usize;
    let fits = word.len() <= most || word.chars().nth(most).is_none();
    (fits && !word.chars().all(char::is_whitespace)).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Bert, Normalizer, Pattern};
    use crate::pretok::Named;

    const LOW: [(&str, Count); 5] =
        [("low", 5), ("lower", 2), ("newest", 6), ("widest", 3), (" ", 15)];

    fn counts(pieces: &[(&str, Count)]) -> Counts {
        let normalizer = Normalizer::Bert(Bert::UNCASED);
        let mut counts = Counts::of_normalized(normalizer, Pattern::Named(Named::Bert), vec![]);
        for (piece, count) in pieces {
            counts.add_piece(piece.as_bytes(), *count).unwrap();
        }
        counts
    }

    fn tokens(pieces: &[(&str, Count)], settings: &Settings) -> Vec<String> {
        let model = train(&counts(pieces), settings).unwrap().model;
        let token = |id| String::from_utf8(model.token_bytes(id).unwrap().to_vec()).unwrap();
        (0..model.id_limit()).map(token).collect()
    }

    /// The tokens behind the special tokens.
    fn learned(pieces: &[(&str, Count)], settings: &Settings) -> Vec<String> {
        tokens(pieces, settings).split_off(settings.special_tokens().len())
    }

    #[test]
    fn special_tokens_then_characters_then_merges() {
        let settings = |score| Settings { score, ..Settings::new(27) };
        let first = [
            "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "d", "e", "i", "l", "n", "o", "r", "s",
            "t", "w", "##d", "##e", "##i", "##o", "##r", "##s", "##t", "##w",
        ];
        let all = |merges: [&'static str; 4]| [&first[..], &merges].concat();
        let by_count = tokens(&LOW, &settings(Score::Count));
        assert_eq!(by_count, all(["##es", "##est", "lo", "low"]));
        let by_likelihood = tokens(&LOW, &settings(Score::Likelihood));
        assert_eq!(by_likelihood, all(["wi", "wid", "lo", "##st"]));
    }

    #[test]
    fn the_model_is_that_of_the_settings_and_the_counts() {
        let settings = Settings { max_word_chars: 50, ..Settings::new(40) };
        let model = train(&counts(&LOW), &settings).unwrap().model;
        assert_eq!(model.normalizer, Normalizer::Bert(Bert::UNCASED));
        assert_eq!(model.pattern, Pattern::Named(Named::Bert));
        assert_eq!((model.start.unk, model.special_tokens.len()), (Some(1), 5));
        assert_eq!(model.template, Template::bert(2, 3));
        assert_eq!(model.as_word_piece().unwrap().limit, WordLimit::Characters(50));
        let settings = Settings { special_tokens: vec!["<s>".into()], ..Settings::new(40) };
        let model = train(&counts(&LOW), &settings).unwrap().model;
        let special: Vec<_> = model.special_tokens.iter().map(|t| t.content.as_str()).collect();
        assert_eq!((special, model.start.unk), (vec!["[UNK]", "<s>"], Some(0)));
        assert_eq!(model.template, Template::default());
    }

    #[test]
    fn unknown_words_teach_nothing() {
        let limited = Settings { limit_alphabet: Some(3), ..Settings::new(13) };
        let pieces = [("aéb", 3), ("é", 1), ("azz", 1), ("b", 5), ("   ", 99)];
        // b 8, a 4, é 4, z 2.
        let expected = ["a", "b", "é", "##b", "##é", "aé", "aéb"];
        assert_eq!(learned(&pieces, &limited), expected);
        let short = Settings { max_word_chars: 2, ..Settings::new(13) };
        assert_eq!(learned(&pieces, &short), ["b", "é"]);
        let pieces = [("éé", 3), ("ééé", 9)];
        assert_eq!(learned(&pieces, &short), ["é", "##é", "éé"]);
    }

    #[test]
    fn no_token_is_spelled_like_a_special_token() {
        let special = |tokens: &[&str]| Settings {
            special_tokens: tokens.iter().map(|token| (*token).to_owned()).collect(),
            ..Settings::new(20)
        };
        let pieces = [("abc", 5), ("b", 2)];
        assert_eq!(learned(&pieces, &special(&["abc"])), ["a", "b", "c", "##b", "##c", "ab"]);
        assert_eq!(learned(&pieces, &special(&["a"])), ["b", "c"]);
        assert_eq!(learned(&pieces, &special(&["##c"])), ["a", "b"]);
    }

    #[test]
    fn lengths_are_characters_without_the_prefix() {
        let limited = |most| Settings { max_token_length: Some(most), ..Settings::new(20) };
        assert_eq!(learned(&[("éééé", 5)], &limited(1)), ["é", "##é"]);
        assert_eq!(learned(&[("éééé", 5)], &limited(2)), ["é", "##é", "éé", "##éé"]);
    }

    #[test]
    fn settings_that_do_not_fit_are_refused() {
        let refused = |settings: Settings| train(&counts(&LOW), &settings).unwrap_err().to_string();
        assert_eq!(
            refused(Settings::new(20)),
            "vocab_size=20 is too small: 18 characters, with and without prefix, and 5 special \
             tokens need at least 23\n  hint: pass a larger vocab_size, or limit_alphabet for fewer \
             characters"
        );
        assert_eq!(
            refused(Settings::new(1 << 30)),
            "vocab_size=1073741824 is too large: the most is 2097152"
        );
        assert_eq!(
            refused(Settings { limit_alphabet: Some(0), ..Settings::new(40) }),
            "limit_alphabet must be at least 1, not 0"
        );
        let nothing = train(&counts(&[(" ", 4)]), &Settings::new(40)).unwrap_err().to_string();
        assert!(nothing.starts_with("there are no pieces to learn from\n"), "{nothing}");
    }
}
