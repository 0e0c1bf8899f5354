/*!
`vocab.json` and `merges.txt`, as GPT-2 was published: two files side by side.

```text
vocab.json   {"!": 0, ..., "Ġt": 256, ...}      tokens in GPT-2's byte alphabet
merges.txt   #version: 0.2                      optional
             Ġ t                                the first merge has the lowest rank
```

The files hold no pattern (GPT-2's is meant) and do not say which tokens are special: what the
caller names is special, and may be written as it is (`<|end of text|>`). Any other token that no
merge makes, like RoBERTa's `<mask>`, stays in the vocabulary, where ordinary text never produces
it.
*/

use std::borrow::Cow;
use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use super::json::{Json, write_string};
use super::{LoadOptions, alphabet, number, ranks};
use crate::error::{Error, Result};
use crate::interrupt;
use crate::model::{Merges, Model, Named, Normalizer, Pattern, SpecialToken, Template};
use crate::types::{Pair, TokenId};
use crate::vocab::Vocab;

const HEADER: &str = "#version";

/// How a file spells its tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Spelling {
    /// In the byte alphabet.
    Alphabet,
    /// As they are: tokens of characters.
    Plain,
}

impl Spelling {
    /// Replaces `bytes` by those of a token; says whether it is one.
    fn read_into(self, bytes: &mut Vec<u8>, token: &str) -> bool {
        match self {
            Spelling::Alphabet => alphabet::read_into(bytes, token),
            Spelling::Plain => {
                bytes.clear();
                bytes.extend_from_slice(token.as_bytes());
                true
            }
        }
    }

    /// The bytes of a token, if it is one.
    pub(super) fn read(self, token: &str) -> Option<Vec<u8>> {
        let mut bytes = Vec::new();
        self.read_into(&mut bytes, token).then_some(bytes)
    }

    /// A token as it is written.
    pub(super) fn written(self, bytes: &[u8]) -> String {
        match self {
            Spelling::Alphabet => alphabet::written(bytes),
            Spelling::Plain => String::from_utf8_lossy(bytes).into_owned(),
        }
    }
}

/// A vocabulary as JSON files write it: the tokens in the alphabet, and the odd ones that are not.
pub(super) struct WrittenVocab<'a> {
    pub(super) vocab: Vocab,
    spelling: Spelling,
    odd: HashMap<Cow<'a, str>, (TokenId, Json<'a>)>,
}

impl<'a> WrittenVocab<'a> {
    /// An object of tokens and ids.
    pub(super) fn read(json: &mut Json<'a>, spelling: Spelling) -> Result<Self> {
        // PERF: a guess saves most of the growth. A token and its merge take some forty bytes.
        let mut vocab = Vocab::with_capacity(json.left() / 40);
        let mut odd = HashMap::new();
        let mut bytes = Vec::new();
        json.object(|json, token| {
            let id = json.id()?;
            if spelling.read_into(&mut bytes, &token) {
                return vocab.insert(id, &bytes).map_err(|error| error.on_line(json.line()));
            }
            match odd.entry(token) {
                Entry::Vacant(entry) => drop(entry.insert((id, *json))),
                Entry::Occupied(entry) => {
                    let message = format!("the token {:?} is there twice", entry.key());
                    return Err(Error::format_line(json.line(), message));
                }
            }
            Ok(())
        })?;
        Ok(WrittenVocab { vocab, spelling, odd })
    }

    /// How many tokens there are, odd ones included.
    pub(super) fn len(&self) -> usize {
        self.vocab.len() + self.odd.len()
    }

    /// The id of the token that is written `text`.
    pub(super) fn id_of(&self, text: &str) -> Option<TokenId> {
        match self.spelling.read(text) {
            Some(bytes) => self.vocab.id_of(&bytes),
            None => self.odd.get(text).map(|&(id, _)| id),
        }
    }

    /// One more than the largest id.
    fn id_limit(&self) -> TokenId {
        self.odd.values().map(|&(id, _)| id + 1).fold(self.vocab.id_limit(), TokenId::max)
    }

    /// Checks that the odd tokens are special tokens: nothing else can produce them.
    pub(super) fn check_odd(&self, special_tokens: &[SpecialToken]) -> Result<()> {
        let special: HashSet<_> =
            special_tokens.iter().map(|token| (token.content.as_str(), token.id)).collect();
        let stray =
            |(token, (id, _)): &(&Cow<str>, &(TokenId, Json))| !special.contains(&(token, *id));
        let stray = self.odd.iter().filter(stray).min_by_key(|(_, (id, _))| *id);
        stray.map_or(Ok(()), |(token, (_, json))| {
            Err(alphabet::refusal(token)
                .with_hint(format!("if it is a special token, say so: special_tokens=[{token:?}]"))
                .on_line(json.line()))
        })
    }
}

/// Reads merges, each written as two tokens of a vocabulary.
pub(super) struct PairReader<'a> {
    vocab: &'a Vocab,
    spelling: Spelling,
    bytes: Vec<u8>,
    joined: Vec<u8>,
    made: TokenId,
}

impl<'a> PairReader<'a> {
    pub(super) fn new(vocab: &'a Vocab, spelling: Spelling) -> Self {
        PairReader { vocab, spelling, bytes: Vec::new(), joined: Vec::new(), made: 0 }
    }

    /// A merge like `Ġ t`.
    pub(super) fn line(&mut self, line: &str) -> Result<Pair> {
        match line.split_once(' ') {
            Some((left, right))
                if !left.is_empty() && !right.is_empty() && !right.contains(' ') =>
            {
                self.pair(left, right)
            }
            _ => {
                let (found, line) =
                    (line.split(' ').filter(|part| !part.is_empty()).count(), shown(line));
                Err(Error::format(format!(
                    "expected two tokens separated by one space, found {found} in {line:?}"
                ))
                .with_hint("a space inside a byte-level token is written 'Ġ'"))
            }
        }
    }

    /// A merge of two tokens.
    pub(super) fn pair(&mut self, left: &str, right: &str) -> Result<Pair> {
        self.joined.clear();
        let pair = (self.token(left)?, self.token(right)?);
        let Some(made) = self.vocab.id_of_guess(&self.joined, self.made + 1) else {
            let made = shown(&self.spelling.written(&self.joined));
            return Err(Error::format(format!(
                "expected a merge that makes a token of the vocabulary, found one that makes {made:?}"
            )));
        };
        self.made = made;
        Ok(pair)
    }

    fn token(&mut self, token: &str) -> Result<TokenId> {
        let known = self.spelling.read_into(&mut self.bytes, token);
        self.joined.extend_from_slice(&self.bytes);
        match self.vocab.id_of(&self.bytes) {
            Some(id) if known => Ok(id),
            _ => Err(Error::format(format!(
                "expected a token of the vocabulary, found {:?}",
                shown(token)
            ))
            .with_hint("do the merges belong to this vocabulary?")),
        }
    }
}

fn shown(text: &str) -> String {
    let start: String = text.chars().take(40).collect();
    if start.len() < text.len() { start + "..." } else { start }
}

/// A merge, as a line of the file.
pub(super) fn merge_line(vocab: &Vocab, (left, right): Pair) -> String {
    let mut out = alphabet::written(vocab.bytes_of(left).unwrap_or_default());
    out.push(' ');
    alphabet::write_into(&mut out, vocab.bytes_of(right).unwrap_or_default());
    out
}

/// The vocabulary and the special tokens of a `vocab.json`.
pub(super) fn read_vocab(
    mut json: Json,
    options: &LoadOptions,
) -> Result<(Vocab, Vec<SpecialToken>)> {
    let written = WrittenVocab::read(&mut json, Spelling::Alphabet)?;
    json.end()?;
    let wanted = options.special_tokens.clone().unwrap_or_default();
    let special_tokens = number(wanted, written.id_limit(), |token| {
        written.id_of(token).or_else(|| written.vocab.id_of(token.as_bytes()))
    })?;
    written.check_odd(&special_tokens)?;
    Ok((written.vocab, special_tokens))
}

/// The merges of a `merges.txt`.
pub(super) fn read_merges(bytes: &[u8], vocab: &Vocab) -> Result<Vec<Pair>> {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let mut pairs = Vec::new();
    let mut reader = PairReader::new(vocab, Spelling::Alphabet);
    for (at, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        interrupt::worked(line.len())?;
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() || line.starts_with(HEADER.as_bytes()) {
            continue;
        }
        let line = std::str::from_utf8(line)
            .map_err(|_| Error::format_line(at + 1, "expected UTF-8 text, found other bytes"))?;
        pairs.push(reader.line(line).map_err(|error| error.on_line(at + 1))?);
    }
    Ok(pairs)
}

/// The model of the two files.
pub(super) fn model(
    vocab: Vocab,
    special_tokens: Vec<SpecialToken>,
    merges: Vec<Pair>,
    options: &LoadOptions,
) -> Result<Model> {
    let pattern = options.pattern.clone().unwrap_or(Pattern::Named(Named::Gpt2));
    Model::new(vocab, Merges::Listed(merges), pattern, special_tokens).checked()
}

/// The two files of a model, `vocab.json` first. What they cannot hold is an error.
pub(super) fn write(model: &Model) -> Result<(String, String)> {
    check_writable(model)?;
    let pairs = ranks::merge_list(model);
    let mut merges = format!("{HEADER}: 0.2\n");
    for &pair in pairs.iter() {
        let line = merge_line(&model.vocab, pair);
        if line.starts_with(HEADER) {
            return Err(refusal(&format!("the merge {line:?} would be read as a header")));
        }
        merges.push_str(&line);
        merges.push('\n');
    }
    let tokens = written_tokens(model, &model.special_tokens, Spelling::Alphabet)
        .map_err(|token| refusal(&format!("two of its tokens are written {token:?}")))?;
    let mut vocab = String::from("{");
    for (at, (token, id)) in tokens.iter().enumerate() {
        vocab.push_str(if at == 0 { "" } else { "," });
        write_string(&mut vocab, token);
        vocab.push_str(&format!(":{id}"));
    }
    vocab.push_str("}\n");
    Ok((vocab, merges))
}

/// All tokens and these special tokens as a JSON vocabulary writes them, by rising id. The error is a
/// spelling that two tokens share.
pub(super) fn written_tokens(
    model: &Model,
    special_tokens: &[SpecialToken],
    spelling: Spelling,
) -> std::result::Result<Vec<(String, TokenId)>, String> {
    let tokens = model.vocab.iter().map(|(id, bytes)| (spelling.written(bytes), id));
    let special = special_tokens.iter().map(|token| (token.content.clone(), token.id));
    let mut all: Vec<_> = tokens.chain(special).collect();
    all.sort_unstable_by(|a, b| (a.1, &a.0).cmp(&(b.1, &b.0)));
    all.dedup();
    let mut seen = HashSet::with_capacity(all.len());
    match all.iter().find(|(token, _)| !seen.insert(token.as_str())) {
        Some((token, _)) => Err(token.clone()),
        None => Ok(all),
    }
}

fn check_writable(model: &Model) -> Result<()> {
    if !model.start.is_plain() {
        return Err(refusal(&format!("it starts from {}, not from plain bytes", model.start)));
    }
    if model.pattern != Pattern::Named(Named::Gpt2) {
        return Err(refusal("its pattern is not gpt2, and the files have no place for another"));
    }
    if model.normalizer != Normalizer::None {
        return Err(refusal("it normalises its text"));
    }
    if model.template != Template::default() {
        return Err(refusal("it puts special tokens around a text"));
    }
    if let Some((one, two)) = model.same_id() {
        let (id, one, two) = (one.id, &one.content, &two.content);
        return Err(refusal(&format!(
            "its special tokens {one:?} and {two:?} have the same id {id}"
        )));
    }
    if let Some(token) = model.special_tokens.iter().find(|token| !is_plain(model, token)) {
        return Err(refusal(&format!("its special token {:?} has flags", token.content)));
    }
    if model.ignore_merges
        && let Some(id) = ranks::unreachable_token(model)
    {
        let token = model.vocab.bytes_of(id).unwrap_or_default().escape_ascii();
        return Err(refusal(&format!("no merge makes token {id}, b\"{token}\"")));
    }
    Ok(())
}

/// Whether the flags of a special token have no effect. `normalized` has none if there is no normaliser and
/// no token that is matched before or after it.
fn is_plain(model: &Model, token: &SpecialToken) -> bool {
    let SpecialToken { always, lstrip, rstrip, single_word, normalized, .. } = *token;
    let alone = model.special_tokens.iter().all(|other| other.normalized == normalized);
    !(always || lstrip || rstrip || single_word) && (!normalized || alone)
}

fn refusal(what: &str) -> Error {
    Error::format(format!("this tokenizer cannot be saved as vocab.json and merges.txt: {what}"))
        .with_hint("save it as a native file or as tokenizer.json")
}

#[cfg(test)]
mod tests;
