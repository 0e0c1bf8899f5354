/*!
Token ranks and merge lists: when they mean the same, and how to turn one into the other.

Under token ranks any two tokens whose concatenation is a token may merge. Yet each token is ever
made from one pair only. Merge the bytes of the token `x` by themselves until nothing merges:

```text
t h e   ->   t he   ->   the          the last step is the pair of `the`: (t, he)
```

Why one pair is enough: suppose that somewhere in a piece the neighbours `c d` become `x`. Until
then no merge crossed the ends of `x`, or `c d` would not be there. So all steps between those ends
were chosen by the bytes of `x` alone: each was the lowest rank, leftmost, of the whole piece and so
of the part as well. They are the steps that `x` takes by itself, the last included. Hence

* ranks equal the list of these pairs, by rising id of the token that they make:
  [`merges_of_ranks`];
* a merge list equals ranks if it holds all of these pairs and the ids that its merges make never
  fall: when the lowest rank in a piece is that of `x`, no other split of `x` can stand there, so
  other pairs change nothing.

A token that does not come out of its own bytes is made by no merge. Only `ignore_merges` finds it.
*/

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use crate::model::{Encoder, Merges, Model};
use crate::types::{Pair, TokenId};
use crate::vocab::Vocab;

/// The pairs that token ranks merge, lowest rank first: with them a merge list gives the same ids.
///
/// ```
/// # use subword_core::{Vocab, formats::merges_of_ranks};
/// let mut vocab = Vocab::bytes();
/// vocab.insert(256, b"he").unwrap();
/// vocab.insert(257, b"the").unwrap();
/// vocab.insert(258, b"xyz").unwrap(); // no merge makes it: neither "xy" nor "yz" is a token
/// let [h, e, t] = [b'h', b'e', b't'].map(u32::from);
/// assert_eq!(merges_of_ranks(&vocab), [(h, e), (t, 256)]);
/// ```
pub fn merges_of_ranks(vocab: &Vocab) -> Vec<Pair> {
    let rule = MergeRule { vocab, listed: None };
    let mut merger = TokenMerger::default();
    let units = |bytes| <[u8]>::chunks(bytes, 1);
    let made = |(id, bytes)| merger.last_merge(&rule, id, bytes, units(bytes));
    vocab.iter().filter_map(made).collect()
}

/// The merges of a model that encodes by merges, as a list: lowest rank first.
pub fn merge_list(model: &Model) -> Cow<'_, [Pair]> {
    match &model.merges {
        Merges::Listed(pairs) => Cow::Borrowed(pairs),
        Merges::Ranked => Cow::Owned(merges_of_ranks(&model.vocab)),
    }
}

/// The pair that each token is made from, by id; none for what merging starts from, and for a token
/// that no merge makes. Of the merges that a list has for a token, only that one ever happens.
pub fn pairs_of_tokens(model: &Model) -> Vec<Option<Pair>> {
    let mut made = vec![None; model.id_limit() as usize];
    if model.encoder != Encoder::Merge {
        return made;
    }
    let (rule, mut merger) = (MergeRule::of(model), TokenMerger::default());
    for (id, bytes) in model.vocab.iter() {
        let units = model.start.units_of(bytes);
        made[id as usize] = merger.last_merge(&rule, id, bytes, units);
    }
    made
}

/// The first token that merging its own bytes does not give.
pub(super) fn unreachable_token(model: &Model) -> Option<TokenId> {
    let (rule, mut merger) = (MergeRule::of(model), TokenMerger::default());
    let mut multi_byte = model.vocab.iter().filter(|(_, bytes)| bytes.len() > 1);
    multi_byte
        .find(|&(id, bytes)| merger.last_merge(&rule, id, bytes, bytes.chunks(1)).is_none())
        .map(|(id, _)| id)
}

/// The first token for which a merge list may give other ids than the token ranks of the same vocabulary;
/// none if both are equal by the argument above. A list that cannot be shown to be equal counts as
/// different.
pub(super) fn differs_from_ranks(vocab: &Vocab, pairs: &[Pair]) -> Option<TokenId> {
    let listed = listed(vocab, pairs);
    let made = |pair: &Pair| listed.get(pair).map_or(0, |&(_, id)| id);
    if let Some(two) = pairs.windows(2).find(|two| made(&two[0]) > made(&two[1])) {
        return Some(made(&two[1]));
    }
    let needed = merges_of_ranks(vocab);
    let missing = needed.iter().find(|pair| !listed.contains_key(pair))?;
    let joined = [vocab.bytes_of(missing.0)?, vocab.bytes_of(missing.1)?].concat();
    vocab.id_of(&joined)
}

/// What two neighbours become, and at which rank.
struct MergeRule<'a> {
    vocab: &'a Vocab,
    /// Rank and token of every listed pair; none where any pair merges whose concatenation is a token.
    listed: Option<HashMap<Pair, (u32, TokenId)>>,
}

impl<'a> MergeRule<'a> {
    fn of(model: &'a Model) -> Self {
        let listed = match &model.merges {
            Merges::Ranked => None,
            Merges::Listed(pairs) => Some(listed(&model.vocab, pairs)),
        };
        MergeRule { vocab: &model.vocab, listed }
    }

    fn merge(&self, pair: Pair, joined: &[u8]) -> Option<(u32, TokenId)> {
        match &self.listed {
            None => self.vocab.id_of(joined).map(|id| (id, id)),
            Some(listed) => listed.get(&pair).copied(),
        }
    }
}

/// The rank of every pair of a list, and the token that it makes.
fn listed(vocab: &Vocab, list: &[Pair]) -> HashMap<Pair, (u32, TokenId)> {
    let mut pairs = HashMap::with_capacity(list.len());
    let mut joined = Vec::new();
    for (rank, &(left, right)) in (0..).zip(list) {
        joined.clear();
        joined.extend_from_slice(vocab.bytes_of(left).unwrap_or_default());
        joined.extend_from_slice(vocab.bytes_of(right).unwrap_or_default());
        if let Some(id) = vocab.id_of(&joined) {
            pairs.insert((left, right), (rank, id));
        }
    }
    pairs
}

/// Merges the bytes of one token, with a heap of pairs that are checked when they are popped.
#[derive(Default)]
struct TokenMerger {
    parts: Vec<MergePart>,
    heap: BinaryHeap<Reverse<(u32, u32, Pair, TokenId)>>,
}

/// The token that starts at a byte, and its neighbours' starts.
#[derive(Clone, Copy)]
struct MergePart {
    id: TokenId,
    end: u32,
    before: u32,
}

const GONE: TokenId = TokenId::MAX;

impl TokenMerger {
    /// The last pair that merges into `bytes`, which start as these units; none if something else comes
    /// out, or if no pair merged.
    fn last_merge<'b>(
        &mut self,
        rule: &MergeRule,
        id: TokenId,
        bytes: &'b [u8],
        units: impl IntoIterator<Item = &'b [u8]>,
    ) -> Option<Pair> {
        self.parts.clear();
        self.heap.clear();
        let mut before = 0;
        for unit in units {
            let at = self.parts.len() as u32;
            let end = at + unit.len() as u32;
            self.parts.push(MergePart { id: rule.vocab.id_of(unit)?, end, before });
            self.parts.resize(end as usize, MergePart { id: GONE, end, before: at });
            before = at;
        }
        for at in 0..self.parts.len() as u32 {
            if self.parts[at as usize].id != GONE {
                self.offer(rule, bytes, at);
            }
        }
        let mut last = None;
        while let Some(Reverse((_, at, pair, made))) = self.heap.pop() {
            let part = self.parts[at as usize];
            let Some(&next) = self.parts.get(part.end as usize) else { continue };
            if (part.id, next.id) != pair {
                continue;
            }
            last = Some((pair, made, next.end - at));
            self.parts[part.end as usize].id = GONE;
            self.parts[at as usize] = MergePart { id: made, end: next.end, before: part.before };
            if let Some(after) = self.parts.get_mut(next.end as usize) {
                after.before = at;
            }
            self.offer(rule, bytes, at);
            if at > 0 {
                self.offer(rule, bytes, part.before);
            }
        }
        last.filter(|&(_, made, length)| made == id && length as usize == bytes.len())
            .map(|(pair, ..)| pair)
    }

    /// Puts the pair that starts at `at` on the heap, if it merges.
    fn offer(&mut self, rule: &MergeRule, bytes: &[u8], at: u32) {
        let part = self.parts[at as usize];
        let Some(next) = self.parts.get(part.end as usize) else { return };
        let joined = &bytes[at as usize..next.end as usize];
        if let Some((rank, made)) = rule.merge((part.id, next.id), joined) {
            self.heap.push(Reverse((rank, at, (part.id, next.id), made)));
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::formats::tests::{Random, all_splits, random_vocab};
    use crate::model::{Named, Pattern};

    /// The definition: join the neighbours of lowest rank, the leftmost first, until none has a
    /// rank.
    pub(in crate::formats) fn encode(model: &Model, piece: &[u8]) -> Vec<TokenId> {
        let vocab = &model.vocab;
        if model.ignore_merges
            && let Some(id) = vocab.id_of(piece)
        {
            return vec![id];
        }
        let bytes = |id| vocab.bytes_of(id).unwrap();
        let mut ids: Vec<TokenId> =
            piece.iter().map(|&byte| vocab.id_of(&[byte]).unwrap()).collect();
        loop {
            let merge = |at: usize| {
                let pair = (ids[at], ids[at + 1]);
                let made = vocab.id_of(&[bytes(pair.0), bytes(pair.1)].concat())?;
                match &model.merges {
                    Merges::Ranked => Some((made as usize, at, made)),
                    Merges::Listed(pairs) => {
                        Some((pairs.iter().position(|other| *other == pair)?, at, made))
                    }
                }
            };
            let Some((_, at, made)) = (1..ids.len()).filter_map(|at| merge(at - 1)).min() else {
                return ids;
            };
            ids.splice(at..at + 2, [made]);
        }
    }

    /// All texts of up to six `a` and `b`, and some with spaces.
    pub(in crate::formats) fn texts() -> Vec<Vec<u8>> {
        let mut random = Random::new(9);
        let all = (1..7).flat_map(|length| (0..1 << length).map(move |bits| (length, bits)));
        let all = all.map(|(length, bits): (u32, u32)| {
            (0..length).map(|at| b"ab"[(bits >> at & 1) as usize]).collect()
        });
        let spaced = (0..40).map(|_| (0..10).map(|_| b"ab "[random.below(3)]).collect());
        all.chain(spaced).collect()
    }

    fn model(vocab: &Vocab, merges: Merges) -> Model {
        Model::new(vocab.clone(), merges, Pattern::Named(Named::None), Vec::new())
    }

    #[test]
    fn ranks_are_the_list_of_the_last_merges() {
        let mut random = Random::new(5);
        for _ in 0..150 {
            let vocab = random_vocab(&mut random);
            let ranked = model(&vocab, Merges::Ranked);
            let listed = model(&vocab, Merges::Listed(merges_of_ranks(&vocab)));
            for text in texts() {
                assert_eq!(encode(&ranked, &text), encode(&listed, &text), "{text:?}");
            }
        }
    }

    #[test]
    fn a_list_that_passes_for_ranks_gives_the_same_ids() {
        let mut random = Random::new(6);
        let (mut same, mut other) = (0, 0);
        for _ in 0..600 {
            let vocab = random_vocab(&mut random);
            let made = |&(left, right): &Pair| {
                let bytes = |id| vocab.bytes_of(id).unwrap();
                vocab.id_of(&[bytes(left), bytes(right)].concat()).unwrap()
            };
            let mut pairs = all_splits(&vocab);
            pairs.sort_by_key(|pair| (made(pair), random.below(100)));
            if random.flip() && pairs.len() > 1 {
                pairs.remove(random.below(pairs.len()));
                let at = random.below(pairs.len());
                pairs.swap(0, at);
            }
            if differs_from_ranks(&vocab, &pairs).is_some() {
                other += 1;
                continue;
            }
            same += 1;
            let ranked = model(&vocab, Merges::Ranked);
            let listed = model(&vocab, Merges::Listed(pairs));
            for text in texts() {
                assert_eq!(encode(&ranked, &text), encode(&listed, &text), "{text:?}");
            }
        }
        assert!(same > 200 && other > 60, "{same} {other}");
    }

    #[test]
    fn unreachable_tokens_are_found() {
        let mut random = Random::new(8);
        for _ in 0..500 {
            let model = crate::formats::tests::random_model(&mut random);
            let without = Model { ignore_merges: false, ..model };
            let expected =
                without.vocab.iter().find(|(id, bytes)| encode(&without, bytes) != [*id]);
            assert_eq!(unreachable_token(&without), expected.map(|(id, _)| id));
        }
    }

    #[test]
    fn a_list_in_another_order_is_told_apart() {
        let mut vocab = Vocab::bytes();
        vocab.insert(256, b"ab").unwrap();
        vocab.insert(257, b"bc").unwrap();
        let [ab, bc] = [(97, 98), (98, 99)];
        assert_eq!(differs_from_ranks(&vocab, &[ab, bc]), None);
        assert_eq!(differs_from_ranks(&vocab, &[bc, ab]), Some(256));
        assert_eq!(differs_from_ranks(&vocab, &[ab]), Some(257));
    }
}
