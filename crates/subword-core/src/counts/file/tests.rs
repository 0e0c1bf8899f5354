//! Entries come back, and nothing in a file is believed.

use super::varint::{BUFFER, cut_off};
use super::*;
use crate::model::Bert;

type Entries = Vec<(Vec<u8>, Count)>;

fn header() -> CountsHeader {
    let parts = vec![Pattern::Regex(r"\d".into()), Pattern::Named(Named::Gpt2)];
    let special_tokens = vec!["<s>".to_owned(), "é".to_owned()];
    CountsHeader { normalizer: Normalizer::None, pattern: Pattern::Sequence(parts), special_tokens }
}

fn write(header: &CountsHeader, pieces: &[(&[u8], Count)]) -> Vec<u8> {
    let mut writer = CountsWriter::new(Vec::new(), header).unwrap();
    pieces.iter().for_each(|(piece, count)| writer.push(piece, *count).unwrap());
    writer.finish().unwrap().0
}

fn read(bytes: &[u8]) -> Result<(CountsHeader, Entries)> {
    let mut reader = CountsReader::new(bytes)?;
    let mut pieces = Vec::new();
    while let Some((piece, count)) = reader.next()? {
        pieces.push((piece.to_vec(), count));
    }
    assert_eq!(reader.next(), Ok(None));
    Ok((reader.header.clone(), pieces))
}

const PIECES: [(&[u8], Count); 6] =
    [(b"\0", 1), (b"low", 5), (b"lower", 1 << 40), (b"lows", 127), (b"new", 128), (b"\xFF", 9)];

#[test]
fn entries_come_back() {
    let named = CountsHeader {
        normalizer: Normalizer::Bert(Bert::UNCASED),
        pattern: Pattern::Named(Named::Bert),
        special_tokens: vec![],
    };
    for header in [header(), named] {
        for pieces in [&PIECES[..], &[]] {
            let expected = pieces.iter().map(|(piece, count)| (piece.to_vec(), *count));
            let found = read(&write(&header, pieces));
            assert_eq!(found, Ok((header.clone(), expected.collect())));
        }
    }
}

#[test]
fn long_pieces_cross_buffers() {
    let long = vec![b'x'; 3 * BUFFER + 7];
    let longer = [&long[..], b"y"].concat();
    let bytes = write(&header(), &[(&long, 1), (&longer, u64::MAX - 1)]);
    assert_eq!(read(&bytes).unwrap().1, [(long, 1), (longer, u64::MAX - 1)]);
}

#[test]
fn a_number_takes_as_many_bytes_as_are_written() {
    for number in (0..64).flat_map(|bits| [(1 << bits) - 1, 1 << bits]).chain([u64::MAX]) {
        let mut bytes = Vec::new();
        write_number(&mut bytes, number).unwrap();
        assert_eq!(number_len(number), bytes.len() as u64, "{number}");
    }
}

/// Pieces of so many bytes, each of which has all of the one before it.
fn growing(len: usize) -> impl Iterator<Item = Vec<u8>> {
    (0..).map(move |i| vec![b'x'; len + i])
}

#[test]
fn a_file_that_would_fill_the_memory_is_refused_where_it_grows_too_much() {
    let mut bytes = write(&header(), &[(&vec![b'x'; 1 << 16], 1)]);
    bytes.truncate(bytes.len() - 2 - 24);
    let start = bytes.len();
    for piece in growing((1 << 16) + 1).take(1 << 14) {
        write_number(&mut bytes, piece.len() as u64 - 1).unwrap();
        bytes.extend([1, b'x', 1]);
    }
    let mut reader = CountsReader::new(&bytes[..]).unwrap();
    let error = loop {
        match reader.next() {
            Ok(entry) => assert!(entry.is_some()),
            Err(error) => break error.to_string(),
        }
    };
    // The 64 MB that are free, and 64 times 70 kB.
    assert!((1050..1150).contains(&reader.summary().len), "{:?}", reader.summary());
    let (entry, at) = (reader.summary().len + 1, reader.input.position());
    assert_eq!(at, start as u64 + 6 * (entry - 1));
    let expected = format!("entry {entry}, which ends at byte {at}: the pieces up to here have ");
    assert!(error.starts_with(&expected), "{error}");
    assert!(reader.pieces < 80 << 20);
}

#[test]
fn whatever_was_counted_can_be_saved_and_loaded() {
    let mut writer = CountsWriter::new(Vec::new(), &header()).unwrap();
    // 130 MB of pieces that are all alike.
    growing(1 << 16).take(2000).for_each(|piece| writer.push(&piece, 1).unwrap());
    let bytes = writer.finish().unwrap().0;
    assert!(bytes.len() < 2 << 20, "{}", bytes.len());
    let mut reader = CountsReader::new(&bytes[..]).unwrap();
    for piece in growing(1 << 16).take(2000) {
        assert_eq!(reader.next().unwrap(), Some((&piece[..], 1)));
    }
    assert_eq!(reader.next(), Ok(None));
}

#[test]
fn pieces_must_rise_however_much_they_share() {
    let after = |old: &[u8], shared: u8, rest: &[u8]| {
        let mut bytes = write(&header(), &[(old, 1)]);
        bytes.truncate(bytes.len() - 2 - 24);
        bytes.extend([shared, rest.len() as u8]);
        bytes.extend_from_slice(rest);
        bytes.push(1);
        let mut reader = CountsReader::new(&bytes[..]).unwrap();
        reader.next().unwrap();
        reader.next().map(|entry| entry.map(|(piece, _)| piece.to_vec()))
    };
    assert_eq!(after(b"low", 0, b"lower"), Ok(Some(b"lower".to_vec())));
    assert_eq!(after(b"low", 1, b"ox"), Ok(Some(b"lox".to_vec())));
    for (shared, rest) in [(0, &b"low"[..]), (0, b"lo"), (1, b"ov"), (2, b"v"), (2, b"w"), (3, b"")]
    {
        assert_eq!(after(b"low", shared, rest), Err(damaged()), "{shared} {rest:?}");
    }
}

#[test]
fn a_file_takes_few_bytes() {
    let small = |pieces: &[(&[u8], Count)]| write(&header(), pieces).len();
    let three: [(&[u8], Count); 3] = [(b"low", 5), (b"lower", 2), (b"lows", 1)];
    assert_eq!(small(&three) - small(&[]), 6 + 5 + 4);
}

#[test]
fn no_damage_goes_unnoticed() {
    let bytes = write(&header(), &PIECES);
    for len in 0..bytes.len() {
        assert!(read(&bytes[..len]).is_err(), "{len}");
    }
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut bytes = bytes.clone();
            bytes[at] ^= 1 << bit;
            assert!(read(&bytes).is_err(), "byte {at}, bit {bit}");
        }
    }
    let longer = [&bytes[..], b"x"].concat();
    assert_eq!(read(&longer).unwrap_err(), damaged());
    assert_eq!(read(&bytes[..bytes.len() - 1]).unwrap_err(), cut_off());
    let other = read(b"{}").unwrap_err().to_string();
    assert_eq!(other, "expected counts, found a file of another kind");
    let mut newer = bytes;
    newer[MAGIC.len()] = 3;
    let newer = read(&newer).unwrap_err().to_string();
    assert!(newer.starts_with("expected version 2 of counts, found version 3\n"), "{newer}");
}

#[test]
fn a_length_that_is_a_lie_costs_nothing() {
    let mut bytes = write(&header(), &[]);
    bytes.truncate(bytes.len() - 26);
    bytes.push(0);
    write_number(&mut bytes, 1 << 60).unwrap();
    bytes.extend_from_slice(b"low");
    assert_eq!(read(&bytes).unwrap_err(), cut_off());
    let overlong = [&bytes[..bytes.len() - 13], &[0xFF; 12]].concat();
    assert_eq!(read(&overlong).unwrap_err(), damaged());
}
