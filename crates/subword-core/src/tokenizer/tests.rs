//! The assembly: the same ids for every number of threads, every cache and every way of cutting the
//! input.

mod cutting;
mod growing;
mod interrupted;

use super::*;
use crate::error::Error;
use crate::model::{Merges, Normalizer, Pattern, SpecialToken};
use crate::pretok::Named;
use crate::types::TokenId;
use crate::utf8::Characters;
use crate::vocab::Vocab;

fn tokenizer(cache_bytes: usize, named: Named, normalizer: Normalizer) -> Tokenizer {
    let mut vocab = Vocab::bytes();
    for token in
        ["th", "the", " the", "in", "ing", " a", "é", "中", "中文", "\n\n", "  ", "an", "and"]
    {
        vocab.insert(vocab.id_limit(), token.as_bytes()).unwrap();
    }
    let special = vec![
        SpecialToken::new("<|end|>", 500),
        SpecialToken::new("<|end|><|end|>", 501),
        SpecialToken { always: true, normalized: true, ..SpecialToken::new("   ", 502) },
    ];
    let mut model = Model::new(vocab, Merges::Ranked, Pattern::Named(named), special);
    model.normalizer = normalizer;
    Tokenizer::new(Arc::new(model.checked().unwrap()), cache_bytes).unwrap()
}

/// About `bytes` of text of many kinds, the same on every run.
fn text(bytes: usize, seed: u64) -> Vec<u8> {
    let words = [
        "the",
        " the",
        "thing",
        " and",
        "<|end|>",
        "<|end|><|end|>",
        "中文",
        "中",
        "\n\n",
        "   ",
        "é",
        "e\u{301}",
        "1234567",
        "!",
        "'s",
        " a",
        "ananas",
        "supercalifragilistic",
        "文中文中文中文中文中文中",
        "\u{3000}",
    ];
    let mut state = seed;
    let mut text = Vec::new();
    while text.len() < bytes {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        text.extend(words[(state >> 33) as usize % words.len()].bytes());
        if state >> 60 == 0 {
            text.push(0xFF);
        }
    }
    text
}

fn on(threads: usize) -> Threads {
    std::num::NonZeroUsize::new(threads)
}

const CHOICES: [Allowed; 2] = [Allowed::Text, Allowed::All];

#[test]
fn threads_and_caches_change_nothing() {
    let text = text(2_000_000, 1);
    for named in [Named::Gpt2, Named::O200k] {
        for normalizer in [Normalizer::None, Normalizer::Nfc] {
            for allowed in CHOICES {
                let one = tokenizer(0, named, normalizer).encode(&text, &allowed, on(1)).unwrap();
                for cache_bytes in [0, 3000, 1 << 20] {
                    let tokenizer = tokenizer(cache_bytes, named, normalizer);
                    for threads in [1, 2, 5] {
                        let ids = tokenizer.encode(&text, &allowed, on(threads)).unwrap();
                        assert!(ids == one, "{named:?} {normalizer:?} {cache_bytes} {threads}");
                        let count = tokenizer.count(&text, &allowed, None, on(threads)).unwrap();
                        assert_eq!(count, Some(one.len()));
                    }
                }
            }
        }
    }
}

#[test]
fn a_batch_is_its_texts_one_by_one() {
    let tokenizer = tokenizer(1 << 20, Named::Cl100k, Normalizer::None);
    let texts: Vec<Vec<u8>> = (0..300).map(|i| text(i * i / 20, i as u64)).collect();
    let texts: Vec<&[u8]> = texts.iter().map(Vec::as_slice).collect();
    for threads in [1, 3] {
        let ragged = tokenizer.encode_batch(&texts, &Allowed::All, on(threads)).unwrap();
        let counts = tokenizer.count_batch(&texts, &Allowed::All, on(threads)).unwrap();
        assert_eq!(ragged.bounds.len(), texts.len() + 1);
        for (i, text) in texts.iter().enumerate() {
            let ids = &ragged.ids[ragged.bounds[i] as usize..ragged.bounds[i + 1] as usize];
            assert_eq!(ids, tokenizer.encode(text, &Allowed::All, on(1)).unwrap());
            assert_eq!(ids.len(), counts[i]);
        }
    }
    assert_eq!(tokenizer.encode_batch(&[], &Allowed::Text, on(2)).unwrap().bounds, [0]);
}

#[test]
fn the_room_for_a_batch_may_end_at_any_piece() {
    let tokenizer = tokenizer(1 << 16, Named::Cl100k, Normalizer::None);
    // Words, and runs of Chinese, each of which is one piece of many parts.
    for seed in 1..60 {
        let run = |i: usize| format!("{} {}", " the".repeat(i % 4), "中".repeat(i * seed % 131));
        let text: String = (0..300).map(run).collect();
        let ids = tokenizer.encode(text.as_bytes(), &Allowed::Text, on(1)).unwrap();
        assert_eq!(tokenizer.decode(&ids).unwrap(), text.as_bytes());
    }
}

#[test]
fn documents_in_a_row_are_encoded_one_by_one() {
    let mut texts: Vec<Vec<u8>> = (0..400).map(|i| text(i * i / 200, i as u64)).collect();
    // Empty ones at both ends and between, some that are large, and new words at the end of a document.
    texts.push(text(20_000, 7));
    texts.extend((0..300).map(|i| format!("x new{i}").into_bytes()));
    texts.extend([vec![], b" ".to_vec(), vec![], text(70_000, 9), vec![], vec![]]);
    texts.insert(0, vec![]);
    let mut owned = Vec::new();
    for text in &texts {
        let text = String::from_utf8_lossy(text).into_owned();
        owned.push((text.chars().map(u32::from).collect::<Vec<_>>(), text));
    }
    let units: Vec<_> = owned.iter().map(|(units, _)| Characters::Four(units)).collect();
    let utf8: Vec<&[u8]> = owned.iter().map(|(_, text)| text.as_bytes()).collect();
    let texts: Vec<&[u8]> = texts.iter().map(Vec::as_slice).collect();
    for (named, cache_bytes) in
        [(Named::Cl100k, 0), (Named::Gpt2, 1 << 12), (Named::O200k, 1 << 20)]
    {
        let mut model = tokenizer(0, named, Normalizer::None).model().clone();
        model.special_tokens.clear();
        let tokenizer = Tokenizer::new(Arc::new(model.checked().unwrap()), cache_bytes).unwrap();
        let alone = |text: &&[u8]| tokenizer.encode(text, &Allowed::Text, on(1)).unwrap();
        for threads in [1, 3] {
            let ragged = tokenizer.encode_batch(&texts, &Allowed::Text, on(threads)).unwrap();
            assert_eq!(lists(&ragged), texts.iter().map(alone).collect::<Vec<_>>());
            let ragged = tokenizer.encode_batch(&utf8, &Allowed::Text, on(threads)).unwrap();
            let given = || units.iter().copied().map(Some);
            let found = tokenizer
                .encode_batch_units(given(), &Allowed::Text, on(threads), |rest| rest())
                .unwrap();
            assert_eq!(found.as_ref(), Some(&ragged));
            let mut parts = Vec::new();
            let take = |some: &[Ragged]| {
                parts.extend(some.iter().flat_map(|part| {
                    lists(&Ragged {
                        bounds: [&[0], &part.bounds[..]].concat(),
                        ids: part.ids.clone(),
                    })
                }));
                Ok(())
            };
            let done = tokenizer.encode_batch_parts(
                given(),
                &Allowed::Text,
                on(threads),
                |rest| rest(),
                take,
            );
            assert!(done.unwrap());
            assert_eq!(parts, lists(&ragged));
        }
    }
}

#[test]
fn a_batch_may_have_more_ids_than_its_start_promises() {
    let tokenizer = tokenizer(1 << 16, Named::Cl100k, Normalizer::None);
    // An id for four bytes, then one for each.
    let texts: Vec<String> = (0..3000)
        .map(|i| if i < 600 { " the".repeat(i % 150) } else { "qxzj".repeat(i % 150) })
        .collect();
    let texts: Vec<&[u8]> = texts.iter().map(|text| text.as_bytes()).collect();
    let alone = tokenizer.encode_batch(&texts, &Allowed::Text, on(1)).unwrap();
    assert!(alone.ids.len() > texts.iter().map(|text| text.len()).sum::<usize>() * 4 / 5);
    for threads in [2, 3, 7] {
        let ragged = tokenizer.encode_batch(&texts, &Allowed::Text, on(threads)).unwrap();
        assert!(ragged == alone, "{threads}");
    }
}

fn lists(ragged: &Ragged) -> Vec<Vec<TokenId>> {
    let places = ragged.bounds.windows(2).map(|two| two[0] as usize..two[1] as usize);
    places.map(|place| ragged.ids[place].to_vec()).collect()
}

#[test]
fn a_batch_with_a_unit_that_is_no_character_has_no_ids() {
    let tokenizer = tokenizer(1 << 16, Named::Cl100k, Normalizer::None);
    let text: Vec<u16> = "the thing and ".repeat(10_000).encode_utf16().collect();
    let wrong = [text.clone(), vec![0xD800]].concat();
    for threads in [1, 3] {
        for at in [0, 5, 20] {
            let mut texts = vec![Characters::Two(&text); 21];
            texts[at] = Characters::Two(&wrong);
            let missing = texts.iter().enumerate().map(|(i, &text)| (i != at).then_some(text));
            for given in [texts.iter().copied().map(Some).collect(), missing.collect::<Vec<_>>()] {
                let given = given.into_iter();
                let found =
                    tokenizer.encode_batch_units(given, &Allowed::Text, on(threads), |rest| rest());
                assert_eq!(found.unwrap(), None);
            }
        }
    }
    assert!(!tokenizer.takes_units(&Allowed::Error));
}

#[test]
fn decoding_gives_the_bytes_back() {
    let tokenizer = tokenizer(1 << 20, Named::DeepseekV3, Normalizer::None);
    let text = text(50_000, 3);
    for allowed in CHOICES {
        let ids = tokenizer.encode(&text, &allowed, on(1)).unwrap();
        assert!(tokenizer.decode(&ids).unwrap() == text);
    }
    let error = tokenizer.decode(&[0, 9999]).unwrap_err().to_string();
    assert_eq!(error, "no token has id 9999 (position 1)");
}

#[test]
fn a_count_stops_at_its_limit() {
    let tokenizer = tokenizer(1 << 20, Named::Gpt2, Normalizer::None);
    let text = text(1000, 4);
    let count = tokenizer.encode(&text, &Allowed::Text, on(1)).unwrap().len();
    let limited = |limit| tokenizer.count(&text, &Allowed::Text, Some(limit), on(1)).unwrap();
    assert_eq!((limited(count), limited(count - 1), limited(0)), (Some(count), None, None));
}

#[test]
fn offsets_point_into_the_original_text() {
    for normalizer in [Normalizer::None, Normalizer::Nfc] {
        let tokenizer = tokenizer(1 << 20, Named::Qwen2, normalizer);
        let text = text(3000, 5);
        let located = tokenizer.encode_offsets(&text, &Allowed::All, None).unwrap();
        assert_eq!(located.ids, tokenizer.encode(&text, &Allowed::All, on(1)).unwrap());
        let mut last = 0;
        for (&id, &(start, end)) in located.ids.iter().zip(&located.places) {
            assert!(start <= end && end <= text.len());
            // A mark that is composed with its letter belongs to no token: see `normalize::aligned`.
            if normalizer == Normalizer::None {
                assert_eq!(start, last, "nothing is left out");
                assert_eq!(Some(&text[start..end]), tokenizer.model().token_bytes(id));
            }
            last = end;
        }
        assert_eq!(last, text.len());
    }
}

#[test]
fn special_tokens_are_text_unless_asked_for() {
    let tokenizer = tokenizer(1 << 20, Named::Gpt2, Normalizer::None);
    let ids = |allowed| tokenizer.encode(b"<|end|>", &allowed, on(1)).unwrap();
    assert_eq!(ids(Allowed::Text), b"<|end|>".map(TokenId::from));
    assert_eq!(ids(Allowed::All), [500]);
    assert_eq!(ids(Allowed::Only(vec!["<|end|>".into()])), [500]);
    assert_eq!(ids(Allowed::Only(vec![])), b"<|end|>".map(TokenId::from));
    let error = tokenizer.encode("é   <|end|>".as_bytes(), &Allowed::Error, on(1)).unwrap_err();
    assert_eq!(error, Error::SpecialToken { token: "<|end|>".into(), position: 5 });
    assert_eq!(tokenizer.encode(b"   ", &Allowed::Error, on(1)).unwrap(), [502]);
}

#[test]
fn a_settled_prefix_encodes_apart_from_the_rest() {
    for normalizer in [Normalizer::None, Normalizer::Nfc] {
        let tokenizer = tokenizer(1 << 20, Named::Cl100k, normalizer);
        for seed in 0..300 {
            let text = text(200, seed);
            for allowed in CHOICES {
                let whole = tokenizer.encode(&text, &allowed, on(1)).unwrap();
                for seen in 0..text.len() {
                    let settled = tokenizer.settled(&text[..seen], &allowed).unwrap();
                    let mut ids = tokenizer.encode(&text[..settled], &allowed, on(1)).unwrap();
                    ids.extend(tokenizer.encode(&text[settled..], &allowed, on(1)).unwrap());
                    assert!(ids == whole, "{seen} {settled} {:?}", text.escape_ascii().to_string());
                }
            }
        }
    }
}

#[test]
fn documents_are_cut_where_nothing_changes() {
    for (named, normalizer) in [
        (Named::Cl100k, Normalizer::None),
        (Named::Gpt2, Normalizer::Nfc),
        (Named::Whitespace, Normalizer::None),
        (Named::None, Normalizer::None),
    ] {
        let tokenizer = tokenizer(1 << 20, named, normalizer);
        for allowed in [Allowed::Text, Allowed::All, Allowed::Only(vec!["<|end|>".into()])] {
            let encoder = tokenizer.document_encoder(&allowed, None).unwrap();
            let mut session = encoder.session();
            let mut encode = |text: &[u8]| {
                let mut ids = Vec::new();
                encoder.encode(text, &mut session, &mut ids).unwrap();
                ids
            };
            for seed in 0..100 {
                let text = text(200, seed);
                let whole = tokenizer.encode(&text, &allowed, on(1)).unwrap();
                for seen in 0..text.len() {
                    let cut = encoder.last_cut(&text[..seen], 0);
                    let mut ids = encode(&text[..cut]);
                    ids.extend(encode(&text[cut..]));
                    assert!(ids == whole, "{seen} {cut} {:?}", text.escape_ascii().to_string());
                }
            }
        }
    }
}

#[test]
fn characters_as_python_keeps_them_encode_as_their_utf8_does() {
    let tokenizer = tokenizer(1 << 16, Named::Cl100k, Normalizer::None);
    let units = |units: Characters, allowed: &Allowed| {
        let texts = std::iter::once(Some(units));
        let ragged = tokenizer.encode_batch_units(texts, allowed, on(1), |work| work()).unwrap();
        ragged.map(|ragged| ragged.ids)
    };
    let special = tokenizer.model().special_tokens[0].content.clone();
    let mut texts: Vec<String> = [0, 1, 100, 40_000, 200_000]
        .map(|bytes| String::from_utf8_lossy(&text(bytes, 5)).into_owned())
        .to_vec();
    texts.push("é".repeat(100_000));
    texts.push(format!("{special} ").repeat(20_000));
    for text in texts {
        let wide: Vec<u32> = text.chars().map(u32::from).collect();
        for allowed in [Allowed::Text, Allowed::All] {
            let whole = tokenizer.encode(text.as_bytes(), &allowed, on(1)).unwrap();
            assert_eq!(units(Characters::Four(&wide), &allowed), Some(whole));
        }
    }
    assert_eq!(units(Characters::Two(&[0x61, 0xD800]), &Allowed::Text), None);
}

#[test]
fn documents_are_not_cut_within_a_separator() {
    let tokenizer = tokenizer(1 << 20, Named::Gpt2, Normalizer::None);
    let last = |separator: &str, text: &str| {
        let encoder =
            tokenizer.document_encoder(&Allowed::Text, Some(separator.as_bytes())).unwrap();
        encoder.last_cut(text.as_bytes(), 0)
    };
    assert_eq!(last("a b", "low lower"), 3);
    assert_eq!(last("w l", "low lower"), 5);
    assert_eq!(last("<s>", "lowlower<s>lowlower<s"), 11);
    assert_eq!(last("<s>", "lowlower<s><"), 8);
    assert_eq!(last("--", "-----"), 4);
    assert_eq!(last("--", "lower--lower"), 7);
    assert_eq!(last("\n", "\n\n"), 2);
}

#[test]
fn a_part_of_a_piece_is_not_taken_for_a_whole_one() {
    // ` ab` is a token that no merge makes: it is taken only where it is the whole piece.
    let mut vocab = Vocab::bytes();
    for token in [" ab", "aab b", "ba ", " ba", "中文中"] {
        vocab.insert(vocab.id_limit(), token.as_bytes()).unwrap();
    }
    let mut model = Model::new(vocab, Merges::Ranked, Pattern::Named(Named::None), Vec::new());
    model.ignore_merges = true;
    for cache_bytes in [0, 1 << 20] {
        let model = Arc::new(model.clone().checked().unwrap());
        let tokenizer = Tokenizer::new(model, cache_bytes).unwrap();
        let encode = |text: &str| tokenizer.encode(text.as_bytes(), &Allowed::Text, on(1)).unwrap();
        for _ in 0..2 {
            assert_eq!(encode(" ab"), [256]);
            assert_eq!(encode("中文中"), [260]);
            for text in [
                " aaaaa b  ab<s>a",
                "中文中xxxxxxxxxxxxxxxxxxxxxx",
                " aaaaaaaaaaaaaaaaaaaaaaaaaaaa b  ab<s>a",
            ] {
                assert_eq!(encode(text), text.bytes().map(TokenId::from).collect::<Vec<_>>());
            }
        }
    }
}
