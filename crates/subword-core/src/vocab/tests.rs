//! Tokens are found, refused and removed.

use super::builder::WAITING;
use super::*;

#[test]
fn tokens_are_found_by_bytes_and_by_id() {
    let vocab = Vocab::new([(7, &b"low"[..]), (2, b"er")]).unwrap();
    assert_eq!(vocab.id_of(b"low"), Some(7));
    assert_eq!(vocab.id_of(b"lo"), None);
    assert_eq!(vocab.bytes_of(2), Some(&b"er"[..]));
    assert_eq!(vocab.bytes_of(3), None);
    assert_eq!(vocab.bytes_of(8), None);
    assert_eq!((vocab.len(), vocab.id_limit()), (2, 8));
    assert_eq!(vocab.iter().collect::<Vec<_>>(), [(2, &b"er"[..]), (7, b"low")]);
}

#[test]
fn growing_keeps_every_token() {
    let mut vocab = Vocab::default();
    for id in 0..5000u32 {
        vocab.insert(id, &id.to_le_bytes()).unwrap();
    }
    assert!((0..5000).all(|id: u32| vocab.id_of(&id.to_le_bytes()) == Some(id)));
}

#[test]
fn a_vocabulary_that_is_filled_is_the_same_and_knows_where_it_failed() {
    let token = |id: TokenId| id.to_string().into_bytes();
    let add = |filling: &mut VocabBuilder<TokenId>, id, place| {
        filling.bytes().extend(token(id));
        filling.add(id, place)
    };
    for len in [0, 1, WAITING as TokenId, 3000] {
        let mut filling = VocabBuilder::new(0);
        (0..len).for_each(|id| add(&mut filling, id, id).unwrap());
        let tokens: Vec<_> = (0..len).map(token).collect();
        let expected = Vocab::new((0..).zip(tokens.iter().map(Vec::as_slice))).unwrap();
        assert_eq!(filling.finish().unwrap(), expected);
    }
    let mut filling = VocabBuilder::new(100);
    (0..90).for_each(|id| drop(add(&mut filling, id % 80, id)));
    let (error, place) = filling.finish().unwrap_err();
    assert_eq!((error.to_string(), place), ("the token b\"0\" is there twice".into(), 80));
}

/// How many slots the search for all tokens passes.
fn steps(vocab: &Vocab) -> usize {
    let mask = vocab.slots.len() - 1;
    let steps = |(_, token): (TokenId, &[u8])| {
        let tag = vocab.tag_of(token);
        vocab.find(tag, token).wrapping_sub(tag as usize) & mask
    };
    vocab.iter().map(steps).sum()
}

#[test]
fn tokens_that_flood_a_vocabulary_with_a_known_key_are_ordinary_under_a_secret_one() {
    const KNOWN: u64 = 0x9E37_79B9_7F4A_7C15;
    let known = Seed { first: KNOWN, second: 0, odd: KNOWN };
    let token = |i: u64| i.wrapping_mul(0x5DEE_CE66_D1CE_4E5B).to_le_bytes();
    let is_chosen = |token: &[u8; 8]| hash(token, known) >> 32 & 0xFFF < 0x3F;
    let chosen: Vec<[u8; 8]> = (0..).map(token).filter(is_chosen).take(2000).collect();
    let filled = |seed: Seed| {
        let mut vocab = Vocab { seed, ..Vocab::default() };
        (0..).zip(&chosen).for_each(|(id, token)| vocab.insert(id, token).unwrap());
        steps(&vocab) / chosen.len()
    };
    assert!(filled(known) > 500, "{}", filled(known));
    assert!(filled(Seed::default()) < 10, "{}", filled(Seed::default()));
}

#[test]
fn room_is_made_for_no_more_tokens_than_there_are_ids() {
    let vocab = Vocab::with_capacity(1 << 27);
    assert_eq!(vocab.slots.len(), 2 << 21);
}

#[test]
fn tokens_beyond_the_reach_of_a_place_are_refused() {
    let mut vocab = Vocab::default();
    let place = MAX_ARENA_BYTES - 1..MAX_ARENA_BYTES + 1;
    let error = vocab.enter(7, place, 0).unwrap_err().to_string();
    let expected = "the tokens up to the one with id 7 have more than 4294967295 bytes";
    assert!(error.starts_with(expected), "{error}");
}

#[test]
fn removing_a_token_keeps_the_others() {
    let token = |id: TokenId| (id % 600).to_le_bytes();
    let mut vocab = Vocab::default();
    (0..600).for_each(|id| vocab.insert(id, &token(id)).unwrap());
    (0..600).filter(|id| id % 3 == 2).for_each(|id| vocab.remove(id));
    vocab.remove(599);
    assert_eq!((vocab.len(), vocab.id_limit()), (400, 599));
    for id in 0..600 {
        assert_eq!(vocab.id_of(&token(id)), (id % 3 != 2).then_some(id));
        assert_eq!(vocab.bytes_of(id).is_some(), id % 3 != 2);
    }
    vocab.insert(2, &token(2)).unwrap();
    assert_eq!(vocab.id_of(&token(2)), Some(2));
}

#[test]
fn bad_tokens_are_refused_with_their_id() {
    let refusal =
        |tokens: &[(TokenId, &[u8])]| Vocab::new(tokens.iter().copied()).unwrap_err().to_string();
    assert_eq!(refusal(&[(1, b"a"), (1, b"b")]), "id 1 has two tokens: b\"a\" and b\"b\"");
    assert_eq!(refusal(&[(1, b"a"), (2, b"a")]), "the token b\"a\" has two ids: 1 and 2");
    assert_eq!(refusal(&[(1, b"a"), (1, b"a")]), "the token b\"a\" is there twice");
    assert_eq!(refusal(&[(4, b"")]), "the token with id 4 is empty");
    assert_eq!(refusal(&[(1 << 21, b"a")]), "id 2097152 is larger than the limit of 2097151");
}
