/*!
Smaller tokenizers: the one that training would have given had it stopped earlier, and the one without the
tokens that a corpus does not use.

```text
ids      0..=255 bytes   256 th   257 the   258 <|end|>
to 258   0..=255 bytes   256 th             257 <|end|>
```

**Truncated.** The first merges stay, with the tokens that they make, until there are as many tokens as
requested. What merging starts from, special tokens and tokens that no merge makes always stay. Ids close up:
a later token moves down by the number of removed tokens before it.

**Only.** Some tokens stay, with all merges between them in their order. If every token stays that a piece
has at any step, the piece is encoded as before. Proof: each step takes the best of some candidates (the
lowest rank, the longest token). With fewer tokens there are fewer candidates, and the one that was taken is
still among them, so the first step is the same, and the next, until there is none; where there was none
before, there is none now. This holds for merge lists, and also for token ranks, where any two tokens may
merge whose concatenation is a token: fewer tokens, fewer such pairs, and ids close up without changing their
order. The parts of a token are steps on the way to it, so a token is only removed if no remaining token is
made of it.
*/

use super::check_merges;
use crate::error::{Error, Result};
use crate::model::{Merges, Model, SpecialToken};
use crate::types::{Pair, TokenId};
use crate::vocab::Vocab;

impl Model {
    /// How many tokens there are, special tokens included.
    pub fn size(&self) -> usize {
        self.vocab.len() + self.outside().count()
    }

    /// The ids of the special tokens that are not in the vocabulary, each once.
    fn outside(&self) -> impl Iterator<Item = TokenId> {
        let groups = self.special_tokens.chunk_by(|one, two| one.id == two.id);
        groups.map(|group| group[0].id).filter(|&id| self.vocab.bytes_of(id).is_none())
    }

    /// The same model with as many of its first merges as give `vocab_size` tokens.
    pub fn truncated(&self, vocab_size: usize) -> Result<Model> {
        self.refuse_chain("made smaller")?;
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
        let mut stays = vec![true; self.id_limit() as usize];
        gone.iter().for_each(|&id| stays[id as usize] = false);
        Ok(self.with_tokens(&stays, merges)?.0)
    }

    /// The same model with only the tokens whose id is true in `tokens`, and the new id of each token that
    /// stays. What pieces start from and special tokens always stay; WordPiece has no such start.
    pub fn only(&self, tokens: &[bool]) -> Result<(Model, Vec<Option<TokenId>>)> {
        self.refuse_chain("made smaller")?;
        let mut stays = tokens.to_vec();
        let starts = self.as_word_piece().is_none();
        let units = self.vocab.iter().filter(|(_, bytes)| starts && self.start.is_unit(bytes));
        let kept = units.map(|(id, _)| id).chain(self.named());
        kept.for_each(|id| stays[id as usize] = true);
        let (model, numbers) = self.with_tokens(&stays, usize::MAX)?;
        let number = |(&stays, number)| if stays { Some(number) } else { None };
        Ok((model, stays.iter().zip(numbers).map(number).collect()))
    }

    /// The tokens that the model refers to: special tokens, those of the template, unk, and what rows are padded with.
    fn named(&self) -> impl Iterator<Item = TokenId> {
        let special = self.special_tokens.iter().map(|token| token.id);
        let pad = self.rows.padding.iter().map(|padding| padding.id);
        let pad = pad.filter(|&id| self.token_bytes(id).is_some());
        special.chain(self.template.ids()).chain(self.start.unk).chain(pad)
    }

    /// The tokens that may be removed, in the order in which they were learned, and for each the first merge that
    /// makes it.
    fn learned(&self) -> Result<(Vec<TokenId>, Vec<usize>)> {
        let mut stays = vec![false; self.id_limit() as usize];
        let units = self.vocab.iter().filter(|(_, bytes)| self.start.is_unit(bytes));
        for id in units.map(|(id, _)| id).chain(self.named()) {
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

    /// The same model with these tokens and at most `merges` merges, and the new number of every id.
    fn with_tokens(&self, stays: &[bool], merges: usize) -> Result<(Model, Vec<TokenId>)> {
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
            // A merge with a removed token never happens.
            Merges::Listed(pairs) => {
                let made = check_merges(&self.vocab, pairs)?;
                let whole = |((left, right), made): &(Pair, TokenId)| {
                    [left, right, made].iter().all(|&&id| stays[id as usize])
                };
                let left = pairs.iter().copied().zip(made).take(merges).filter(whole);
                Merges::Listed(left.map(|(pair, _)| (number(pair.0), number(pair.1))).collect())
            }
        };
        let special = |token: &SpecialToken| SpecialToken { id: number(token.id), ..token.clone() };
        let mut model = Model {
            vocab,
            merges,
            special_tokens: self.special_tokens.iter().map(special).collect(),
            template: self.template.renumbered(number),
            rows: self.rows.renumbered(|id| numbers.get(id as usize).copied().unwrap_or(id)),
            ..self.clone()
        };
        model.start.unk = self.start.unk.map(number);
        Ok((model.checked()?, numbers))
    }
}

#[cfg(test)]
mod tests {
    use crate::model::{Merges, Model, Named, Pattern, SpecialToken, Template};
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
