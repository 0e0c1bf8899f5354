/*!
Which special tokens ordinary text can become.

A special token may be in the vocabulary as well. If ordinary text can become it, as in Hugging Face's
tokenizers, it stays there; otherwise it is removed, so that ordinary text never becomes it and two equal
models are written as equal bytes:

```text
a merge makes it, or pieces start from it     stays
WordPiece: it is a word, or continues one     stays: "hello", "##lo"; "[CLS]" if words end at white space only
ignore_merges: it is a whole piece            stays
anything else                                 is removed: "[CLS]" in BERT, which cuts at the brackets
```
*/

use crate::error::Result;
use crate::model::{Merges, Model, SpecialToken, WordPiece};
use crate::pretok::Splitter;
use crate::types::TokenId;

impl Model {
    /// The string that is searched in a text to find a special token: its content, normalised if the text is.
    /// If it is empty, the token is never found.
    pub fn matched(&self, token: &SpecialToken) -> String {
        if let Some(chain) = &self.chain {
            return chain.matched(token);
        }
        if !token.normalized {
            return token.content.clone();
        }
        let content = self.normalizer.apply(token.content.as_bytes());
        String::from_utf8_lossy(&content).into_owned()
    }

    /// Removes from the vocabulary the special tokens that no merge makes or uses and that text cannot become
    /// otherwise. `made` are the ids that the listed merges make.
    pub(super) fn remove_special_tokens(&mut self, made: &[TokenId]) -> Result<()> {
        let vocab = &self.vocab;
        let known = |token: &&SpecialToken| vocab.bytes_of(token.id).is_some();
        let mut unused: Vec<TokenId> = {
            let may_be_text = self.may_be_text()?;
            let special = self.special_tokens.iter().filter(known);
            special
                .filter(|token| !may_be_text(token.content.as_bytes()))
                .map(|token| token.id)
                .collect()
        };
        if unused.is_empty() {
            return Ok(());
        }
        match &self.merges {
            Merges::Ranked => unused.retain(|&id| {
                let bytes = vocab.bytes_of(id).unwrap_or_default();
                let token = |bytes| vocab.id_of(bytes).is_some();
                !(1..bytes.len()).any(|at| token(&bytes[..at]) && token(&bytes[at..]))
            }),
            Merges::Listed(pairs) => {
                let mut used = vec![false; vocab.id_limit() as usize];
                let parts = pairs.iter().flat_map(|&(left, right)| [left, right]);
                parts.chain(made.iter().copied()).for_each(|id| used[id as usize] = true);
                unused.retain(|&id| !used[id as usize]);
            }
        }
        unused.into_iter().for_each(|id| self.vocab.remove(id));
        Ok(())
    }

    /// A function that tells whether text can become a token of the vocabulary without a merge that makes it:
    /// because pieces start from it, or because it is a whole piece or a part of a word.
    pub(crate) fn may_be_text(&self) -> Result<impl Fn(&[u8]) -> bool> {
        let word_piece = self.as_word_piece();
        let whole = word_piece.is_some() || self.ignore_merges;
        let splitter = whole.then(|| Splitter::new(&self.pattern)).transpose()?;
        // Pieces are cut from normalised text, so normalising leaves them as they are.
        let is_piece = move |token: &[u8]| {
            let normal = self.normalizer.apply(token);
            let (mut start, mut ends) = (0, Vec::new());
            // If the pattern fails on this text, it makes no piece of it.
            let cut = splitter.as_ref().map(|splitter| splitter.append_ends(&normal, 0, &mut ends));
            let mut piece = |end| &normal[std::mem::replace(&mut start, end)..end];
            matches!(cut, Some(Ok(()))) && ends.into_iter().any(|end| piece(end) == token)
        };
        Ok(move |token: &[u8]| match word_piece {
            Some(WordPiece { prefix, .. }) => {
                is_piece(token) || token.strip_prefix(prefix.as_bytes()).is_some_and(&is_piece)
            }
            None => self.start.is_unit(token) || is_piece(token),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Bert, Named, Normalizer, Pattern};
    use crate::vocab::Vocab;

    fn word_piece(pattern: Named, normalizer: Normalizer) -> Model {
        let tokens = ["[UNK]", "hello", "##lo", "[CLS]", "#", "##!", "中"];
        let vocab = Vocab::new((0..).zip(tokens.map(str::as_bytes))).unwrap();
        let mut model = Model::word_piece(vocab, 0, WordPiece::default());
        (model.pattern, model.normalizer) = (Pattern::Named(pattern), normalizer);
        model.special_tokens = (0..).zip(tokens).map(|(id, t)| SpecialToken::new(t, id)).collect();
        model.checked().unwrap()
    }

    fn ids(model: &Model) -> Vec<TokenId> {
        model.vocab.iter().map(|(id, _)| id).collect()
    }

    #[test]
    fn a_special_token_that_is_a_word_stays_in_the_vocabulary_of_word_piece() {
        let uncased = Normalizer::Bert(Bert::UNCASED);
        // BERT cuts at punctuation, so "[CLS]" is no piece; "#", "!" and ideographs are.
        assert_eq!(ids(&word_piece(Named::Bert, uncased)), [1, 2, 4, 5, 6]);
        // No text is "[CLS]" after it was lower-cased.
        assert_eq!(ids(&word_piece(Named::Whitespace, uncased)), [1, 2, 4, 5, 6]);
        assert_eq!(ids(&word_piece(Named::Whitespace, Normalizer::None)), [0, 1, 2, 3, 4, 5, 6]);
        let model = word_piece(Named::Bert, uncased);
        assert_eq!(
            (model.token_bytes(0), model.token_bytes(1)),
            (Some(&b"[UNK]"[..]), Some(&b"hello"[..]))
        );
    }

    #[test]
    fn a_special_token_that_is_a_whole_piece_stays_if_merges_are_ignored() {
        for (ignore_merges, stays) in [(true, Some(256)), (false, None)] {
            let mut vocab = Vocab::bytes();
            vocab.insert(256, b"hello").unwrap();
            vocab.insert(257, b"<s>").unwrap();
            let special = [("hello", 256), ("<s>", 257)].map(|(t, id)| SpecialToken::new(t, id));
            let pattern = Pattern::Named(Named::Whitespace);
            let mut model = Model::new(vocab, Merges::Listed(vec![]), pattern, special.into());
            model.ignore_merges = ignore_merges;
            model.normalizer = Normalizer::Bert(Bert { clean: false, ..Bert::UNCASED });
            let model = model.checked().unwrap();
            assert_eq!(model.vocab.id_of(b"hello"), stays);
        }
    }

    #[test]
    fn special_tokens_may_share_an_id() {
        let special = ["<b>", "<a>", "<c>"].map(|content| SpecialToken::new(content, 300));
        let pattern = Pattern::Named(Named::None);
        let model = Model::new(Vocab::bytes(), Merges::Ranked, pattern, special.into());
        let model = model.checked().unwrap();
        assert_eq!(model.token_bytes(300), Some(&b"<a>"[..]));
        assert_eq!((model.size(), model.id_limit()), (257, 301));
        let (one, two) = model.same_id().unwrap();
        assert_eq!((one.content.as_str(), two.content.as_str()), ("<a>", "<b>"));
        assert!(model.special_token(299).is_none());
        let smaller = model.truncated(257).unwrap();
        assert_eq!(smaller, model);
    }
}
