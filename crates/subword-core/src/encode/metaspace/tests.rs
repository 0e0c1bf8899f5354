//! The rewritten tokens against the plain chain: random vocabularies, every way to put a space before a text, threads,
//! batches and every way of cutting.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Arc;

use super::*;
use crate::encode::Path;
use crate::model::{BpeOptions, ChainSource, SpecialToken};
use crate::parallel::Threads;
use crate::special::Allowed;
use crate::testing::Random;
use crate::tokenizer::Tokenizer;

/// Characters that are tokens, and some that are not.
const LETTERS: [&str; 12] = ["a", "b", "é", "中", "文", "ж", "7", ",", ">", "“", "▁", "\n"];
const OTHERS: [&str; 8] = [" ", "  ", "☃", "\u{1F600}", "x", "\u{301}", "\u{200D}", "<s>"];

fn steps(prefix: Prefix, by_step: bool) -> (Vec<NormalizerStep>, Vec<PreTokenizerStep>) {
    let replace = NormalizerStep::Replace {
        pattern: Matcher::Text(" ".to_owned()),
        content: MARK_TEXT.to_owned(),
    };
    let metaspace =
        |scheme| PreTokenizerStep::Metaspace { replacement: MARK, scheme, split: false };
    match prefix {
        Prefix::Always => (vec![NormalizerStep::Prepend(MARK_TEXT.to_owned()), replace], vec![]),
        Prefix::Never if by_step => (vec![], vec![metaspace(PrependScheme::Never)]),
        Prefix::Never => (vec![replace], vec![]),
        Prefix::First => (vec![], vec![metaspace(PrependScheme::First)]),
        Prefix::Start => panic!("no tokenizer.json says that"),
    }
}

/// A random model: the tokens of bytes, of characters, and of random merges.
fn random_model(random: &mut Random, prefix: Prefix) -> Model {
    let mut tokens: Vec<String> = (0..256).map(|byte| format!("<0x{byte:02X}>")).collect();
    tokens.extend(LETTERS.map(str::to_owned));
    let mut pairs = Vec::new();
    for _ in 0..random.below(60) {
        let mut any = || 256 + random.below(tokens.len() - 256);
        let (left, right) = (any(), any());
        let made = format!("{}{}", tokens[left], tokens[right]);
        if !tokens.contains(&made) {
            tokens.push(made);
        }
        // Now and then a pair comes twice, and a token has several splits.
        pairs.push((left as TokenId, right as TokenId));
    }
    if random.flip() {
        pairs.reverse();
    }
    let vocab = Vocab::new((0..).zip(tokens.iter().map(|token| token.as_bytes()))).unwrap();
    let special = vec![SpecialToken::new("<s>".to_owned(), tokens.len() as TokenId)];
    let pattern = Pattern::Named(Named::None);
    let mut model = Model::new(vocab, Merges::Listed(pairs), pattern, special);
    let (normalizer, pre_tokenizer) = steps(prefix, random.flip());
    let options = BpeOptions { byte_fallback: true, ..BpeOptions::default() };
    let null = || "null".to_owned();
    model.chain = Some(Arc::new(Chain {
        normalizer,
        pre_tokenizer,
        model: ChainModel::Bpe(options),
        trims: Vec::new(),
        decoder: None,
        normalized_tokens: BTreeMap::new(),
        source: ChainSource {
            normalizer: null(),
            pre_tokenizer: null(),
            post_processor: null(),
            decoder: null(),
        },
    }));
    model.checked().unwrap()
}

/// The tokenizer of a model, and the same by the plain chain alone.
fn both(model: Model) -> (Tokenizer, Tokenizer) {
    let make = || Tokenizer::new(Arc::new(model.clone()), 1 << 20).unwrap();
    let (fast, mut plain) = (make(), make());
    let Path::Chain { spaced, .. } = &mut plain.plan.path else { panic!("no chain") };
    assert!(spaced.take().is_some(), "the fast path does not take the model");
    (fast, plain)
}

fn random_text(random: &mut Random, length: usize) -> String {
    let all = [&LETTERS[..], &OTHERS[..]].concat();
    (0..length).map(|_| all[random.below(all.len())]).collect()
}

const PREFIXES: [Prefix; 3] = [Prefix::Never, Prefix::First, Prefix::Always];

fn threads(count: usize) -> Threads {
    NonZeroUsize::new(count)
}

#[test]
fn ids_are_those_of_the_chain() {
    let mut random = Random::new(1);
    for round in 0..300 {
        let (fast, plain) = both(random_model(&mut random, PREFIXES[round % 3]));
        for _ in 0..8 {
            let length = random.below(if round % 10 == 0 { 400 } else { 30 });
            let text = random_text(&mut random, length);
            for allowed in [Allowed::Text, Allowed::All] {
                let of = |tok: &Tokenizer| tok.encode(text.as_bytes(), &allowed, threads(1));
                assert_eq!(of(&fast).unwrap(), of(&plain).unwrap(), "{text:?}");
                // Once more, from the cache.
                assert_eq!(of(&fast).unwrap(), of(&plain).unwrap(), "{text:?}");
            }
        }
    }
}

#[test]
fn bytes_that_are_no_text_are_replaced_as_in_the_chain() {
    let mut random = Random::new(2);
    let (fast, plain) = both(random_model(&mut random, Prefix::First));
    for _ in 0..500 {
        let length = random.below(12);
        let text: Vec<u8> =
            (0..length).map(|_| b"a \xE4\xB8\xAD\xFF\xE2\x96\x81"[random.below(9)]).collect();
        let of = |tok: &Tokenizer| tok.encode(&text, &Allowed::Text, threads(1)).unwrap();
        assert_eq!(of(&fast), of(&plain), "{text:02X?}");
    }
}

#[test]
fn threads_and_long_texts_change_nothing() {
    let mut random = Random::new(3);
    for prefix in PREFIXES {
        let (fast, plain) = both(random_model(&mut random, prefix));
        let text = random_text(&mut random, 200_000);
        for allowed in [Allowed::Text, Allowed::All] {
            let expected = plain.encode(text.as_bytes(), &allowed, threads(1)).unwrap();
            for count in [1, 2, 3] {
                let ids = fast.encode(text.as_bytes(), &allowed, threads(count)).unwrap();
                assert!(ids == expected, "{prefix:?} {count}");
            }
        }
    }
}

#[test]
fn parts_up_to_a_cut_are_parts_of_the_ids() {
    let mut random = Random::new(4);
    let mut cuts = 0;
    for round in 0..200 {
        let prefix = PREFIXES[round % 3];
        let (fast, plain) = both(random_model(&mut random, prefix));
        let text = random_text(&mut random, 60);
        for allowed in [Allowed::Text, Allowed::All] {
            let expected = plain.encode(text.as_bytes(), &allowed, threads(1)).unwrap();
            for seen in (0..=text.len()).filter(|&at| text.is_char_boundary(at)) {
                let settled = fast.settled(&text.as_bytes()[..seen], &allowed).unwrap();
                let (head, tail) = text.as_bytes().split_at(settled);
                let mut ids = fast.encode(head, &allowed, threads(1)).unwrap();
                ids.extend(fast.encode(tail, &allowed, threads(1)).unwrap());
                assert_eq!(ids, expected, "{prefix:?} {text:?} at {settled}");
                cuts += usize::from(settled > 0);
            }
        }
    }
    assert!(cuts > 1000, "{cuts}");
}

#[test]
fn a_model_that_is_not_of_this_kind_stays_a_chain() {
    let mut random = Random::new(5);
    let model = random_model(&mut random, Prefix::Never);
    let changed = |change: &dyn Fn(&mut Model, &mut Chain)| {
        let mut model = model.clone();
        let mut chain = (**model.chain.as_ref().unwrap()).clone();
        change(&mut model, &mut chain);
        of(&model, &chain).is_none()
    };
    assert!(!changed(&|_, _| ()));
    assert!(changed(&|model, _| model.ignore_merges = true));
    assert!(changed(&|model, _| model.vocab.remove(0xE2)), "a byte without a token");
    assert!(changed(&|_, chain| chain.normalizer.push(NormalizerStep::Nfc)));
    assert!(changed(&|_, chain| chain.pre_tokenizer.push(PreTokenizerStep::Whitespace)));
    assert!(changed(&|_, chain| {
        chain.model = ChainModel::Bpe(BpeOptions::default());
    }));
}

#[test]
fn documents_in_a_row_have_the_ids_that_each_has_alone() {
    let mut random = Random::new(6);
    let (mut rows, mut empty) = (0, 0);
    for round in 0..120 {
        let (fast, plain) = both(random_model(&mut random, PREFIXES[round % 3]));
        // Most rows have nothing that is spelled otherwise in the tables; some have bytes that are no text.
        let units: &[&[u8]] = match round % 5 {
            0 | 1 => &[b"a", b"b", b" ", b",", b">", b"7", b"\n"],
            2 | 3 => &[b"a", b"b", b" ", b">", "é".as_bytes(), "中".as_bytes(), "“".as_bytes()],
            _ => &[b"a", b" ", "中".as_bytes(), b"\xE2\x96", b"\x81", b"<s>", "▁".as_bytes()],
        };
        let most = [3, 40, 600][random.below(3)];
        let mut document = |_| -> Vec<u8> {
            let length = random.below(most);
            (0..length).flat_map(|_| units[random.below(units.len())].to_vec()).collect()
        };
        let documents: Vec<Vec<u8>> = (0..300).map(&mut document).collect();
        let texts: Vec<&[u8]> = documents.iter().map(Vec::as_slice).collect();
        rows += texts.concat().len() / (10 << 10);
        empty += texts.iter().filter(|text| text.is_empty()).count();
        for allowed in [Allowed::Text, Allowed::All] {
            let found = fast.encode_batch(&texts, &allowed, threads(1)).unwrap();
            let alone = texts.iter().map(|text| plain.encode(text, &allowed, threads(1)).unwrap());
            for (number, ids) in alone.enumerate() {
                let [start, end] = [number, number + 1].map(|at| found.bounds[at] as usize);
                assert_eq!(found.ids[start..end], ids, "{round} {number} {:?}", texts[number]);
            }
            assert_eq!(found.bounds.len(), texts.len() + 1);
        }
    }
    assert!(rows > 100 && empty > 1000, "{rows} {empty}");
}
