//! A text that is cut has the ids of the whole text, where the tokens are made to show the difference.

use super::*;
use crate::formats::tests::Random;
use crate::model::Bert;

/// What normalisers change, and tokens that span what they make of it.
const UNITS: [&str; 12] = [
    "é,",
    "ŀ!",
    "\u{938}\u{95C}.com ",
    "a\n\n",
    "e\u{301}\u{316} ",
    "각,\u{1100}\u{1161}\u{11A8}",
    "=\u{338}x",
    "中，文 ",
    "İ.Σ ",
    "a\u{0} b\u{AD}",
    "3 1>2 1 ",
    "it's low <m> ",
];

const TOKENS: [&str; 12] = [
    "\u{301}",
    "\u{301},",
    "·!",
    "\u{93C}.",
    "\n\n",
    "\u{316}\u{301}",
    " 中",
    "  ",
    "=\u{338}",
    "\u{307}.",
    "\u{11A8},",
    "a b",
];

fn normalizers() -> impl Iterator<Item = Normalizer> {
    let forms = [
        Normalizer::None,
        Normalizer::Nfc,
        Normalizer::Nfd,
        Normalizer::Nfkc,
        Normalizer::Nfkd,
        Normalizer::NfcLowercase,
        Normalizer::Bert(Bert::UNCASED),
        Normalizer::Bert(Bert::CASED),
        Normalizer::Bert(Bert { clean: false, cjk: false, ..Bert::UNCASED }),
    ];
    forms.into_iter()
}

fn spanning(named: Named, normalizer: Normalizer) -> Tokenizer {
    let mut vocab = Vocab::bytes();
    for token in TOKENS {
        for len in 2..=token.len() {
            let start = &token.as_bytes()[..len];
            if vocab.id_of(start).is_none() {
                vocab.insert(vocab.id_limit(), start).unwrap();
            }
        }
    }
    let special = vec![
        SpecialToken { always: true, normalized: true, ..SpecialToken::new(" 1", 500) },
        SpecialToken { always: true, ..SpecialToken::new("1>2", 501) },
        SpecialToken { lstrip: true, ..SpecialToken::new("<m>", 502) },
    ];
    let mut model = Model::new(vocab, Merges::Ranked, Pattern::Named(named), special);
    model.normalizer = normalizer;
    Tokenizer::new(Arc::new(model.checked().unwrap()), 1 << 20).unwrap()
}

fn for_each_tokenizer(mut check: impl FnMut(&Tokenizer, Named, Normalizer)) {
    for normalizer in normalizers() {
        for named in [Named::Gpt2, Named::Qwen2, Named::O200k, Named::Bert, Named::None] {
            check(&spanning(named, normalizer), named, normalizer);
        }
    }
}

#[test]
fn threads_change_nothing_whatever_the_normaliser() {
    for_each_tokenizer(|tokenizer, named, normalizer| {
        // Larger than what a second thread is worth.
        let parts: Vec<String> =
            UNITS.iter().map(|unit| unit.repeat(30_000 / unit.len())).collect();
        let text = parts.concat();
        for allowed in CHOICES {
            let one = tokenizer.encode(text.as_bytes(), &allowed, on(1)).unwrap();
            for threads in [2, 3] {
                let ids = tokenizer.encode(text.as_bytes(), &allowed, on(threads)).unwrap();
                assert!(ids == one, "{named:?} {normalizer:?} {threads}");
            }
            let count = tokenizer.count(text.as_bytes(), &allowed, None, on(2)).unwrap();
            assert_eq!(count, Some(one.len()));
        }
    });
}

#[test]
fn small_blocks_and_any_chunks_change_nothing() {
    for_each_tokenizer(|tokenizer, named, normalizer| {
        let mut random = Random::new(9);
        for _ in 0..60 {
            let text: String =
                (0..1 + random.below(12)).map(|_| UNITS[random.below(UNITS.len())]).collect();
            let text = text.as_bytes();
            for allowed in CHOICES {
                let whole = tokenizer.encode(text, &allowed, on(1)).unwrap();
                let chosen = tokenizer.plan.chosen(&allowed).unwrap();
                let finders = chosen.get();
                let mut ids = Vec::new();
                let size = 1 + random.below(12);
                for block in tokenizer.plan.boundary(finders).blocks(text, size).unwrap() {
                    let encode = |scratch: &mut Scratch| {
                        tokenizer.plan.encode_block(text, &block, finders, scratch, &mut ids)
                    };
                    tokenizer.with_scratch(encode).unwrap();
                }
                assert_eq!(ids, whole, "{named:?} {normalizer:?} {size}");
                let (mut ids, mut waiting) = (Vec::new(), Vec::new());
                for chunk in text.chunks(1 + random.below(9)) {
                    waiting.extend_from_slice(chunk);
                    let settled = tokenizer.settled(&waiting, &allowed).unwrap();
                    ids.extend(tokenizer.encode(&waiting[..settled], &allowed, on(1)).unwrap());
                    waiting.drain(..settled);
                }
                ids.extend(tokenizer.encode(&waiting, &allowed, on(1)).unwrap());
                assert_eq!(ids, whole, "{named:?} {normalizer:?}");
            }
        }
    });
}
