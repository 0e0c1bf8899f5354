/*!
Every smaller tokenizer that a model holds: the one that training would have given had it stopped
earlier.

```text
ids      0..=255 bytes   256 th   257 the   258 <|end|>
to 258   0..=255 bytes   256 th             257 <|end|>
```

The first merges stay, and with them the tokens that they make, until there are as many tokens as
asked for. What merging starts from, special tokens and tokens that no merge makes stay in any case.
The ids that are gone close up: a token that comes later moves down by their number, and where
special tokens come first, nothing but merged tokens moves.
*/

use super::{Merges, Model, SpecialToken, check_merges};
use crate::error::{Error, Result};
use crate::types::TokenId;
use crate::vocab::Vocab;

impl Model {
    /// How many tokens there are, special tokens included.
    pub fn size(&self) -> usize {
        self.vocab.len() + self.outside().count()
    }

    /// The ids of the special tokens that are not in the vocabulary.
    fn outside(&self) -> impl Iterator<Item = TokenId> {
        let ids = self.special_tokens.iter().map(|token| token.id);
        ids.filter(|&id| self.vocab.bytes_of(id).is_none())
    }

    /// The same model with its first merges only, so many that it has `vocab_size` tokens.
    pub fn truncated(&self, vocab_size: usize) -> Result<Model> {
        let size = self.size();
        if vocab_size > size {
            return Err(Error::Argument {
                message: format!(
                    "vocab_size={vocab_size} is too large: the tokenizer has {size} tokens"
                ),
            });
        }
        let (learned, ranks) = self.learned()?;
        let least = size - learned.len();
        if vocab_size < least {
            let special = self.outside().count();
            return Err(Error::Argument {
                message: format!(
                    "vocab_size={vocab_size} is too small: {} base tokens and {special} special \
                     tokens need at least {least}",
                    least - special
                ),
            });
        }
        if vocab_size == size {
            return Ok(self.clone());
        }
        let (kept, gone) = learned.split_at(vocab_size - least);
        let merges = kept.len().checked_sub(1).map_or(0, |last| ranks[last] + 1);
        self.without(gone, merges)
    }

    /// The tokens that may go, in the order in which they were learned, and for each the first merge
    /// that makes it.
    fn learned(&self) -> Result<(Vec<TokenId>, Vec<usize>)> {
        let mut stays = vec![false; self.id_limit() as usize];
        let units = self.vocab.iter().filter(|(_, bytes)| self.start.is_unit(bytes));
        let special = self.special_tokens.iter().map(|token| token.id);
        let named = self.template.ids().chain(self.start.unk);
        for id in units.map(|(id, _)| id).chain(special).chain(named) {
            stays[id as usize] = true;
        }
        let made = match &self.merges {
            Merges::Ranked => self.vocab.iter().map(|(id, _)| id).collect(),
            Merges::Listed(pairs) => check_merges(&self.vocab, pairs)?,
        };
        let first = |(_, id): &(usize, TokenId)| !std::mem::replace(&mut stays[*id as usize], true);
        let (ranks, learned) = made.into_iter().enumerate().filter(first).unzip();
        Ok((learned, ranks))
    }

    /// The same model without these tokens, and with so many merges at most.
    fn without(&self, gone: &[TokenId], merges: usize) -> Result<Model> {
        let mut stays = vec![true; self.id_limit() as usize];
        gone.iter().for_each(|&id| stays[id as usize] = false);
        // The new number of every id.
        let mut next = 0;
        let numbers: Vec<TokenId> = stays
            .iter()
            .map(|&stays| {
                next += TokenId::from(stays);
                next - TokenId::from(stays)
            })
            .collect();
        let number = |id: TokenId| numbers[id as usize];
        let tokens = self.vocab.iter().filter(|&(id, _)| stays[id as usize]);
        let vocab = Vocab::new(tokens.map(|(id, bytes)| (number(id), bytes)))?;
        let merges = match &self.merges {
            Merges::Ranked => Merges::Ranked,
            // A merge of a token that nothing makes any more never happens.
            Merges::Listed(pairs) => Merges::Listed(
                pairs[..merges]
                    .iter()
                    .filter(|pair| stays[pair.0 as usize] && stays[pair.1 as usize])
                    .map(|&(left, right)| (number(left), number(right)))
                    .collect(),
            ),
        };
        let special = |token: &SpecialToken| SpecialToken { id: number(token.id), ..token.clone() };
        let mut model = Model {
            vocab,
            merges,
            special_tokens: self.special_tokens.iter().map(special).collect(),
            template: self.template.renumbered(number),
            ..self.clone()
        };
        model.start.unk = self.start.unk.map(number);
        model.checked()
    }
}

#[cfg(test)]
mod tests {
    use crate::model::{Merges, Model, Pattern, SpecialToken, Template};
    use crate::pretok::Named;
    use crate::types::{Pair, TokenId};
    use crate::vocab::Vocab;

    /// Bytes, then these tokens and special tokens, with the ids that they come with.
    fn model(
        tokens: &[(TokenId, &str)],
        pairs: Option<&[Pair]>,
        special: &[(TokenId, &str)],
    ) -> Model {
        let mut vocab = Vocab::bytes();
        tokens.iter().for_each(|(id, token)| vocab.insert(*id, token.as_bytes()).unwrap());
        let merges = pairs.map_or(Merges::Ranked, |pairs| Merges::Listed(pairs.to_vec()));
        let special = special.iter().map(|&(id, token)| SpecialToken::new(token, id)).collect();
        Model::new(vocab, merges, Pattern::Named(Named::Gpt2), special).checked().unwrap()
    }

    const TH: Pair = (116, 104);
    const THE: Pair = (256, 101);

    #[test]
    fn it_is_the_model_that_shorter_training_gives() {
        let whole = model(
            &[(256, "th"), (257, "the"), (258, "in")],
            Some(&[TH, THE, (105, 110)]),
            &[(259, "<s>"), (260, "<e>")],
        );
        assert_eq!(whole.size(), 261);
        assert_eq!(whole.truncated(261).unwrap(), whole);
        let two =
            model(&[(256, "th"), (257, "the")], Some(&[TH, THE]), &[(258, "<s>"), (259, "<e>")]);
        assert_eq!(whole.truncated(260).unwrap(), two);
        let none = model(&[], Some(&[]), &[(256, "<s>"), (257, "<e>")]);
        assert_eq!(whole.truncated(258).unwrap(), none);
        assert_eq!(two.truncated(258).unwrap(), none);
    }

    #[test]
    fn ids_close_up_and_holes_stay() {
        let mut whole = model(
            &[(300, "th"), (301, "the"), (400, "xy")],
            Some(&[TH, (300, 101)]),
            &[(256, "<s>"), (350, "<m>"), (500, "<e>")],
        );
        whole.template = Template::around(&[256, 500], &[350]);
        let less = whole.truncated(whole.size() - 2).unwrap();
        let ids: Vec<TokenId> = less.special_tokens.iter().map(|token| token.id).collect();
        assert_eq!(ids, [256, 348, 498]);
        assert_eq!(less.vocab.id_of(b"xy"), Some(398), "no merge made it");
        assert_eq!(less.template, Template::around(&[256, 498], &[348]));
    }

    #[test]
    fn ranks_go_by_id() {
        let whole = model(&[(256, "th"), (257, "the"), (258, "he")], None, &[(259, "<s>")]);
        let less = whole.truncated(258).unwrap();
        assert_eq!(less, model(&[(256, "th")], None, &[(257, "<s>")]));
    }

    #[test]
    fn a_token_that_two_merges_make_goes_with_the_first() {
        let twice = [TH, (104, 101), (116, 257), THE, (105, 110)];
        let whole =
            model(&[(256, "th"), (257, "he"), (258, "the"), (259, "in")], Some(&twice), &[]);
        let Merges::Listed(pairs) = whole.truncated(259).unwrap().merges else { panic!() };
        assert_eq!(pairs, twice[..3]);
        let Merges::Listed(pairs) = whole.truncated(258).unwrap().merges else { panic!() };
        assert_eq!(pairs, twice[..2]);
    }

    #[test]
    fn a_merge_that_cannot_happen_any_more_goes_too() {
        let whole = model(&[(256, "th"), (257, "the")], Some(&[THE, TH]), &[]);
        let less = whole.truncated(257).unwrap();
        assert_eq!((less.vocab.id_of(b"the"), less.merges), (Some(256), Merges::Listed(vec![])));
    }

    #[test]
    fn sizes_that_there_are_not_are_refused() {
        let whole = model(&[(256, "th")], Some(&[TH]), &[(257, "<s>")]);
        let refused = |size| whole.truncated(size).unwrap_err().to_string();
        assert_eq!(refused(259), "vocab_size=259 is too large: the tokenizer has 258 tokens");
        assert_eq!(
            refused(200),
            "vocab_size=200 is too small: 256 base tokens and 1 special tokens need at least 257"
        );
    }
}
