/*!
Everything that a trained tokenizer is, as plain data.

A model says *what* to compute, never how fast: caches, tables and threads belong to the tokenizer
that is built from it. Training makes models, formats read and write them, two equal models are
written as equal bytes.
*/

mod encoder;
mod output;
mod special;
mod start;
mod template;
mod truncated;

use crate::bpe::MAX_MERGES;
use crate::error::{Error, Result};
use crate::pretok::Named;
use crate::types::{Pair, TokenId};
use crate::vocab::{MAX_ID, Vocab};

/// The longest special token that a model may have, in bytes.
pub const MAX_SPECIAL_BYTES: usize = 1024;

pub use encoder::{Encoder, Unknown, WordLimit, WordPiece};
pub use output::{Decoder, TrimOffsets};
pub use start::{EndOfWord, Start, Units};
pub use template::{Content, Slot, Template};

/// A tokenizer: BPE or WordPiece.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Model {
    /// The tokens that merging starts from and those that it makes.
    pub vocab: Vocab,
    /// How a piece becomes its first tokens.
    pub start: Start,
    /// How a piece becomes ids.
    pub encoder: Encoder,
    /// Which pairs merge, and in which order.
    pub merges: Merges,
    /// A whole piece that is a token is that token, whatever the merges say.
    pub ignore_merges: bool,
    /// How text is cut into pieces.
    pub pattern: Pattern,
    /// What happens to text before it is cut.
    pub normalizer: Normalizer,
    /// The strings that bypass all of this, by rising id.
    pub special_tokens: Vec<SpecialToken>,
    /// What is put around a text when the caller asks for it.
    pub template: Template,
    /// Which white space offsets leave out.
    pub trim_offsets: TrimOffsets,
    /// What the text of ids is.
    pub decoder: Decoder,
}

/// The two meanings that BPE has in the wild.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Merges {
    /// Any two tokens whose concatenation is a token; the lowest id first (tiktoken).
    Ranked,
    /// These pairs only, the first has the lowest rank (Hugging Face). Several may make the same
    /// token.
    Listed(Vec<Pair>),
}

/// How text is cut into pieces.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pattern {
    /// A pattern that has a hand-written scanner, or `none`.
    Named(Named),
    /// A regular expression. What it does not match is a piece too: no byte is ever dropped.
    Regex(String),
    /// One after the other, each cutting the pieces of the one before it.
    Sequence(Vec<Pattern>),
}

/// What happens to text before it is cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Normalizer {
    /// Nothing.
    #[default]
    None,
    /// Unicode's canonical composition.
    Nfc,
    /// Canonical decomposition.
    Nfd,
    /// Compatibility composition.
    Nfkc,
    /// Compatibility decomposition.
    Nfkd,
    /// Canonical composition, then every character in lower case (CLIP).
    NfcLowercase,
    /// BERT's.
    Bert(Bert),
}

/// What BERT's normaliser does, in this order. Each works character by character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bert {
    /// Control characters go, white space becomes a space.
    pub clean: bool,
    /// Spaces around Chinese characters.
    pub cjk: bool,
    /// Canonical decomposition, and marks without width go.
    pub strip_accents: bool,
    /// Lower case.
    pub lowercase: bool,
    /// Whose idea of a character.
    pub tables: BertTables,
}

/// The versions of Hugging Face's library whose tables of characters we have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BertTables {
    /// Those of version 0.23 and of all that came before it.
    #[default]
    V0_23,
    /// Those of version 1.0, with newer characters.
    V1_0,
}

impl Bert {
    /// As in the models that know one case only.
    pub const UNCASED: Bert = Bert {
        clean: true,
        cjk: true,
        strip_accents: true,
        lowercase: true,
        tables: BertTables::V0_23,
    };
    /// As in the models that know both.
    pub const CASED: Bert = Bert { strip_accents: false, lowercase: false, ..Bert::UNCASED };
}

/// A string that bypasses merging.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecialToken {
    /// What it looks like in text.
    pub content: String,
    /// Its id.
    pub id: TokenId,
    /// Matched in every text, whatever the caller says about special tokens: a word that was added
    /// to the vocabulary, not a control token.
    pub always: bool,
    /// Swallows the white space before it.
    pub lstrip: bool,
    /// Swallows the white space after it.
    pub rstrip: bool,
    /// Matches only between characters that are not part of a word.
    pub single_word: bool,
    /// Matched after normalisation, not before.
    pub normalized: bool,
}

impl Pattern {
    /// The pattern that a user writes: a name, or a regular expression. A word that is no name is a
    /// mistake: as a regular expression it would cut a text at that word only.
    pub fn parse(text: &str) -> Result<Self> {
        if let Some(named) = Named::from_name(text) {
            return Ok(Pattern::Named(named));
        }
        if text.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-')) {
            let message = "no pattern has this name".to_owned();
            return Err(Error::Pattern { pattern: text.to_owned(), message });
        }
        Ok(Pattern::Regex(text.to_owned()))
    }

    /// The same pattern in its one form: no sequence in a sequence, and a name where there is one.
    pub fn canonical(self) -> Self {
        let mut flat = Vec::new();
        self.flatten_into(&mut flat);
        let regexes: Option<Vec<&str>> = flat.iter().map(Pattern::as_regex).collect();
        if let Some(named) = regexes.and_then(|regexes| Named::from_regexes(&regexes)) {
            return Pattern::Named(named);
        }
        for pattern in &mut flat {
            if let Some(named) = pattern.as_regex().and_then(|regex| Named::from_regexes(&[regex]))
            {
                *pattern = Pattern::Named(named);
            }
        }
        match flat.len() {
            0 => Pattern::Named(Named::None),
            1 => flat.remove(0),
            _ => Pattern::Sequence(flat),
        }
    }

    fn flatten_into(self, out: &mut Vec<Pattern>) {
        match self {
            Pattern::Named(Named::None) => {}
            Pattern::Sequence(patterns) => patterns.into_iter().for_each(|p| p.flatten_into(out)),
            pattern => out.push(pattern),
        }
    }

    fn as_regex(&self) -> Option<&str> {
        match self {
            Pattern::Regex(regex) => Some(regex),
            _ => None,
        }
    }
}

impl SpecialToken {
    /// A control token, matched as it is written.
    pub fn new(content: impl Into<String>, id: TokenId) -> Self {
        SpecialToken {
            content: content.into(),
            id,
            always: false,
            lstrip: false,
            rstrip: false,
            single_word: false,
            normalized: false,
        }
    }
}

impl Model {
    /// A byte-level model without normaliser and template.
    pub fn new(
        vocab: Vocab,
        merges: Merges,
        pattern: Pattern,
        special_tokens: Vec<SpecialToken>,
    ) -> Self {
        Model {
            vocab,
            start: Start::default(),
            encoder: Encoder::Merge,
            merges,
            ignore_merges: false,
            pattern,
            normalizer: Normalizer::None,
            special_tokens,
            template: Template::default(),
            trim_offsets: TrimOffsets::default(),
            decoder: Decoder::default(),
        }
    }

    /// Brings the model into its one form and checks that the parts fit together; every format ends
    /// with this.
    ///
    /// After it: what pieces start from are tokens, which for bytes is every byte that UTF-8 uses
    /// (GPT-NeoX lacks the other 13), every listed merge joins two tokens into a third, no pair is listed twice, special tokens are non-empty,
    /// distinct, sorted and share no id with an ordinary token; several may share one with each other
    /// (`o200k_harmony` has such a pair). A special token that text cannot become is not in the
    /// vocabulary: see [`Model::may_be_text`]. A pattern that has a name goes by it.
    pub fn checked(mut self) -> Result<Self> {
        encoder::check(&self)?;
        start::check(&self)?;
        let made = match &self.merges {
            Merges::Ranked => Vec::new(),
            Merges::Listed(pairs) => check_merges(&self.vocab, pairs)?,
        };
        self.pattern = self.pattern.canonical();
        self.special_tokens.sort_by(|a, b| (a.id, &a.content).cmp(&(b.id, &b.content)));
        for token in &self.special_tokens {
            check_special_token(&self.vocab, token)?;
        }
        let mut contents: Vec<&str> =
            self.special_tokens.iter().map(|t| t.content.as_str()).collect();
        contents.sort_unstable();
        if let Some(two) = contents.windows(2).find(|two| two[0] == two[1]) {
            return Err(Error::format(format!("the special token {:?} is there twice", two[0])));
        }
        self.remove_special_tokens(&made)?;
        self.template.check()?;
        for id in self.template.ids() {
            if self.token_bytes(id).is_none() {
                return Err(Error::format(format!(
                    "the template uses id {id}, which no token has"
                )));
            }
        }
        Ok(self)
    }

    /// The bytes of a token, special or not. Of special tokens that share an id it is the first.
    pub fn token_bytes(&self, id: TokenId) -> Option<&[u8]> {
        self.vocab.bytes_of(id).or_else(|| Some(self.special_token(id)?.content.as_bytes()))
    }

    /// One more than the largest id, special tokens included.
    pub fn id_limit(&self) -> TokenId {
        let special = self.special_tokens.last().map_or(0, |token| token.id + 1);
        self.vocab.id_limit().max(special)
    }
}

/// Checks the merges and tells which token each makes.
fn check_merges(vocab: &Vocab, pairs: &[Pair]) -> Result<Vec<TokenId>> {
    if pairs.len() > MAX_MERGES {
        let found = pairs.len();
        return Err(Error::format(format!("{found} merges, the limit is {MAX_MERGES}")));
    }
    let mut made = Vec::with_capacity(pairs.len());
    let mut joined = Vec::new();
    for (rank, &(left, right)) in pairs.iter().enumerate() {
        let bytes = |id| {
            vocab.bytes_of(id).ok_or_else(|| {
                Error::format(format!("merge {rank} uses id {id}, which no token has"))
            })
        };
        joined.clear();
        joined.extend_from_slice(bytes(left)?);
        joined.extend_from_slice(bytes(right)?);
        let guess = made.last().map_or(0, |&id| id + 1);
        let Some(id) = vocab.id_of_guess(&joined, guess) else {
            let token = joined.escape_ascii();
            return Err(Error::format(format!(
                "merge {rank} makes b\"{token}\", which is not a token"
            )));
        };
        made.push(id);
    }
    let mut sorted = pairs.to_vec();
    sorted.sort_unstable();
    let Some(two) = sorted.windows(2).find(|two| two[0] == two[1]) else { return Ok(made) };
    let rank = pairs.iter().rposition(|pair| *pair == two[0]).unwrap_or_default();
    let name = |id| vocab.bytes_of(id).unwrap_or_default().escape_ascii();
    let (left, right) = (name(two[0].0), name(two[0].1));
    Err(Error::format(format!("merge {rank} is there twice: b\"{left}\" b\"{right}\"")))
}

fn check_special_token(vocab: &Vocab, token: &SpecialToken) -> Result<()> {
    let (content, id) = (&token.content, token.id);
    if content.is_empty() {
        return Err(Error::format(format!("the special token with id {id} is empty")));
    }
    if content.len() > MAX_SPECIAL_BYTES {
        return Err(Error::format(format!(
            "the special token with id {id} has {} bytes, the limit is {MAX_SPECIAL_BYTES}",
            content.len()
        )));
    }
    if id > MAX_ID {
        let limit = MAX_ID;
        return Err(Error::format(format!(
            "special token {content:?}: id {id} is larger than the limit of {limit}"
        )));
    }
    if let Some(bytes) = vocab.bytes_of(id).filter(|&bytes| bytes != content.as_bytes()) {
        let bytes = bytes.escape_ascii();
        return Err(Error::format(format!(
            "id {id} belongs to the token b\"{bytes}\" and to the special token {content:?}"
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let special = |content: &str, id| {
            refused(model(Merges::Ranked, vec![SpecialToken::new(content, id)]))
        };
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
}
