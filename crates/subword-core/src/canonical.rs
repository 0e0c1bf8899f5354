/*!
The one form of a model, checked: every format, constructor and training ends here.

```text
Model::checked     parts that do not fit are refused, the rest is brought into one form
Model::truncated   the first merges only: what a shorter training would have given    (`smaller`)
Model::only        without the tokens that a corpus has no use for                    (`smaller`)
```

Two models that encode alike and were read from different formats are equal after this, and equal
models are written as equal bytes.

Why this is not part of `model`: whether text can become a special token depends on how a text is
normalised and cut, so it runs `normalize` and `pretok`, which are above the plain data.
*/

mod smaller;
mod special;

use crate::error::{Error, Result};
use crate::model::{
    MAX_MERGES, MAX_SPECIAL_BYTES, Merges, Model, SpecialToken, check_encoder, check_start,
};
use crate::types::{Pair, TokenId};
use crate::vocab::{MAX_ID, Vocab};

impl Model {
    /// Brings the model into its one form and checks that its parts fit together.
    ///
    /// After it:
    /// * Everything that pieces start from is a token. For bytes that is every byte that UTF-8 uses (GPT-NeoX
    ///   lacks the other 13).
    /// * Every listed merge joins two tokens into a third, and no pair is listed twice.
    /// * Special tokens are non-empty, distinct, sorted, and share no id with an ordinary token. Several may
    ///   share an id with each other (`o200k_harmony` has such a pair).
    /// * A special token that text cannot become is not in the vocabulary: see `Model::may_be_text`.
    /// * A pattern that has a name goes by it.
    pub fn checked(mut self) -> Result<Self> {
        if self.chain.is_some() {
            return self.checked_chain();
        }
        check_encoder(&self)?;
        check_start(&self)?;
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
}

impl Model {
    /// The same for a model with a chain. Its vocabulary stays as the file has it: pieces may start from anything, and
    /// text may become a special token.
    fn checked_chain(mut self) -> Result<Self> {
        if let Merges::Listed(pairs) = &self.merges
            && pairs.len() > MAX_MERGES
        {
            let found = pairs.len();
            return Err(Error::format(format!("{found} merges, the limit is {MAX_MERGES}")));
        }
        self.special_tokens.sort_by(|a, b| (a.id, &a.content).cmp(&(b.id, &b.content)));
        for token in &self.special_tokens {
            check_special_token(&self.vocab, token)?;
        }
        self.template.check()?;
        Ok(self)
    }
}

/// Checks the merges, and returns the token that each of them makes.
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
mod tests;
