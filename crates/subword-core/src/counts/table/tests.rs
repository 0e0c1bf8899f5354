//! The table against a hash map.

use std::collections::HashMap;

use super::super::key::FILE;
use super::*;

fn add(table: &mut CountTable, piece: &[u8], count: Count) {
    table.add(table.prefetch(piece, 0, piece.len()), piece, count);
}

fn content(table: &CountTable) -> HashMap<Vec<u8>, Count> {
    let mut content = HashMap::new();
    let entry = |piece: &[u8], count| {
        assert!(content.insert(piece.to_vec(), count).is_none());
        Ok(())
    };
    table.for_each(entry).unwrap();
    content
}

/// Pieces of every length up to 80, many of them alike.
fn pieces() -> Vec<Vec<u8>> {
    let one = |i: usize| {
        let mut piece = vec![b'a' + (i % 3) as u8; 1 + i % 80];
        piece[i % 80 / 2] = (i / 240) as u8;
        piece
    };
    (0..20_000).map(one).collect()
}

#[test]
fn it_counts_as_a_hash_map_does() {
    let (mut table, mut expected) = (CountTable::default(), HashMap::new());
    for (i, piece) in pieces().iter().enumerate() {
        add(&mut table, piece, 1 + i as u64 % 3);
        *expected.entry(piece.clone()).or_insert(0) += 1 + i as u64 % 3;
    }
    assert_eq!(content(&table), expected);
    assert_eq!(table.len(), expected.len());
    assert!(expected.iter().all(|(piece, &count)| table.get(piece) == count));
    assert_eq!((table.get(b"not there"), table.get(b"")), (0, 0));
}

#[test]
fn a_key_does_not_depend_on_what_stands_around_the_piece() {
    let (text, seed): (Vec<u8>, _) = ((0..200).collect(), Seed::default());
    for len in 1..100 {
        let inside = Probe::new(&text, 7, 7 + len, seed);
        let alone = Probe::new(&text[7..7 + len], 0, len, seed);
        assert_eq!((inside.key, inside.hash), (alone.key, alone.hash));
    }
}

#[test]
fn zeros_at_the_end_of_a_piece_count() {
    let mut table = CountTable::default();
    let zeros = [0; 60];
    (1..=60).for_each(|len| add(&mut table, &zeros[..len], len as u64));
    assert_eq!(table.len(), 60);
    (1..=60).for_each(|len| assert_eq!(table.get(&zeros[..len]), len as u64));
}

#[test]
fn shards_add_up_to_the_whole() {
    let (mut whole, mut first, mut second) =
        (CountTable::default(), CountTable::default(), CountTable::default());
    for (i, piece) in pieces().iter().enumerate() {
        add(&mut whole, piece, 1);
        add(if i % 3 == 0 { &mut first } else { &mut second }, piece, 1);
    }
    let shards = first.shards_mut().iter_mut().zip(second.into_shards());
    shards.for_each(|(first, second)| first.add_all(&second));
    assert_eq!(content(&first), content(&whole));
}

#[test]
fn a_limit_is_noticed_in_time() {
    for limit in [0, 1000, 100_000, 10_000_000] {
        let mut table = CountTable::with_limit(limit, 16);
        let mut times_full = 0;
        for piece in pieces() {
            add(&mut table, &piece, 1);
            if table.is_full() {
                let used = table.bytes() + 16 * table.len();
                assert!(used <= limit + limit / 4 + 20_000, "{used} of {limit}");
                table.clear();
                assert_eq!((table.len(), table.get(&piece), table.is_full()), (0, 0, false));
                times_full += 1;
            }
        }
        assert_eq!(times_full > 0, limit < 10_000_000, "{limit}");
    }
}

#[test]
fn a_large_table_goes_into_a_small_one() {
    let mut large = CountTable::default();
    for i in 0..200_000u64 {
        add(&mut large, format!("{i}{}", "x".repeat(i as usize % 30)).as_bytes(), i + 1);
    }
    let mut small = CountTable::default();
    add(&mut small, b"12345", 7);
    small.add_all(&large);
    let mut expected = content(&large);
    *expected.entry(b"12345".to_vec()).or_default() += 7;
    assert_eq!(content(&small), expected);
    let places: usize = small.shards.iter().map(Shard::places).sum();
    assert!(places <= 4 * 200_000, "{places}");
}

#[test]
fn pruning_keeps_what_is_frequent() {
    let mut table = CountTable::default();
    pieces().iter().for_each(|piece| add(&mut table, piece, 1));
    let mut expected = content(&table);
    expected.retain(|_, count| *count >= 2);
    let sum = table.prune(2);
    assert_eq!(sum, expected.values().sum::<Count>());
    assert_eq!(content(&table), expected);
    assert!(!expected.is_empty());
}

/// How many places a look-up of each piece passes on average.
fn steps(table: &CountTable, pieces: &[[u8; 8]]) -> usize {
    let steps = |piece: &[u8; 8]| {
        let probe = table.prefetch(piece, 0, piece.len());
        let shard = &table.shards[shard_of(probe.hash)];
        let (line, half) = shard.find(&probe, piece);
        (2 * line + half).wrapping_sub(shard.place_of(probe.hash)) & (shard.places() - 1)
    };
    pieces.iter().map(steps).sum::<usize>() / pieces.len()
}

/// Who knows the key of the hash can choose words that stand in each other's way; for who does not, the same
/// words are as good as any.
#[test]
fn words_that_flood_a_table_with_a_known_key_are_ordinary_under_a_secret_one() {
    let known = FILE;
    let word = |i: u64| -> [u8; 8] {
        std::array::from_fn(|at| {
            if at == 0 { b' ' } else { b'a' + (i / 26u64.pow(at as u32 - 1) % 26) as u8 }
        })
    };
    let is_chosen = |word: &[u8; 8]| Probe::new(word, 0, 8, known).hash >> (64 - 9) == 0;
    let scattered = (0..).map(|i: u64| word(i.wrapping_mul(0x9E37_79B1)));
    let chosen: Vec<[u8; 8]> = scattered.filter(is_chosen).take(3000).collect();
    let filled = |seed: Seed| {
        let mut table = CountTable::with_shards(seed, Shard::new);
        chosen.iter().for_each(|piece| add(&mut table, piece, 1));
        steps(&table, &chosen)
    };
    assert!(filled(known) > 200, "{}", filled(known));
    let other =
        Seed { first: 0x243F_6A88_85A3_08D3, second: 0x1319_8A2E_0370_7344, odd: known.odd };
    for secret in [Seed::default(), other] {
        assert!(filled(secret) < 10, "{}", filled(secret));
    }
}

/// The last seven bytes of a piece of 23 are hashed apart from the others.
#[test]
fn words_that_differ_in_their_end_only_spread_too() {
    let mut table = CountTable::default();
    let pieces: Vec<Vec<u8>> =
        (0..3000u32).map(|i| format!("a common beginning {i:04}").into()).collect();
    pieces.iter().for_each(|piece| add(&mut table, piece, 1));
    let most = table.shards.iter().map(Shard::len).max().unwrap();
    assert!(most < 3000 / 2, "{most}");
    assert_eq!(table.len(), 3000);
}
