use super::*;
use crate::formats::{from_bytes, to_bytes};

/// A field of bytes.
fn bytes_field(number: u8, bytes: &[u8]) -> Vec<u8> {
    [&[number << 3 | 2, bytes.len() as u8], bytes].concat()
}

fn piece(text: &str, score: f32, kind: u8) -> Vec<u8> {
    let score = [&[2 << 3 | 5], &score.to_le_bytes()[..]].concat();
    bytes_field(1, &[bytes_field(1, text.as_bytes()), score, vec![3 << 3, kind]].concat())
}

/// A file of these pieces: type, no extra white space removed, with a space before a text.
fn file(algorithm: u8, pieces: &[(&str, f32, u8)]) -> Vec<u8> {
    let mut file: Vec<u8> =
        pieces.iter().flat_map(|&(text, score, kind)| piece(text, score, kind)).collect();
    file.extend(bytes_field(2, &[3 << 3, algorithm]));
    file.extend(bytes_field(3, &[4 << 3, 0]));
    file
}

const UNIGRAM: u8 = 1;
const BPE: u8 = 2;

const PIECES: [(&str, f32, u8); 7] = [
    ("<unk>", 0.0, 2),
    ("<s>", 0.0, 3),
    ("ab", -1.0, 1),
    ("▁ab", -2.0, 1),
    ("▁", -3.0, 1),
    ("a", -4.0, 1),
    ("b", -5.0, 1),
];

#[test]
fn a_file_is_recognised_by_its_first_piece() {
    assert!(recognise(&file(BPE, &PIECES)));
    assert!(!recognise(b"\n\n\n\n\n\n"));
    assert!(!recognise(b"[UNK]\n##ing\n"));
    assert!(!recognise(b"\x0A"));
}

#[test]
fn scores_become_merges_where_each_piece_has_one_pair() {
    let model = read(&file(BPE, &PIECES)).unwrap();
    assert_eq!(model.merges, Merges::Listed(vec![(5, 6), (4, 2)]));
    assert_eq!(model.special_tokens, [SpecialToken::new("<s>", 1)]);
}

#[test]
fn runs_of_equal_scores_grow_from_the_left() {
    let runs = [("▁▁", 8), ("▁▁▁", 9), ("▁▁▁▁▁", 10)];
    let pieces: Vec<_> = PIECES
        .into_iter()
        .chain([("c", -6.0, 1)])
        .chain(runs.map(|(run, _)| (run, -9.0, 1)))
        .collect();
    let model = read(&file(BPE, &pieces)).unwrap();
    // Three and two make five; then a third, then the first two.
    let listed = vec![(5, 6), (4, 2), (9, 8), (8, 4), (4, 4)];
    assert_eq!(model.merges, Merges::Listed(listed));
}

#[test]
fn equal_scores_of_other_pieces_have_no_list() {
    let pieces: Vec<_> = PIECES.into_iter().chain([("ba", -1.0, 1)]).collect();
    let model = read(&file(BPE, &pieces)).unwrap();
    assert_eq!(model.merges, Merges::Listed(Vec::new()));
    let error = as_tokenizer_json(&model).unwrap_err().to_string();
    assert!(error.contains("whose scores are those of no list of merges"), "{error}");
}

#[test]
fn an_unknown_piece_that_is_a_character_would_be_found_in_a_tokenizer_json() {
    let pieces: Vec<_> = [("?", 0.0, 2)].into_iter().chain(PIECES.into_iter().skip(1)).collect();
    let error = as_tokenizer_json(&read(&file(BPE, &pieces)).unwrap()).unwrap_err().to_string();
    assert!(error.contains("whose unknown piece is a single character"), "{error}");
}

#[test]
fn a_native_file_holds_all_of_it() {
    for pieces in [&PIECES[..], &[("<unk>", 0.0, 2), ("x", 1.5, 4), ("yz", 1.5, 5), ("é", -0.0, 1)]]
    {
        let model = read(&file(BPE, pieces)).unwrap();
        assert_eq!(from_bytes(&to_bytes(&model)), Ok(model));
    }
}

#[test]
fn what_cannot_be_read_is_an_error_that_names_it() {
    let error = |bytes: &[u8]| read(bytes).unwrap_err().to_string();
    assert_eq!(
        error(&file(3, &PIECES)),
        "a SentencePiece model of the type Word is not supported\n  hint: subword reads those of the types BPE and Unigram"
    );
    let unigram = |text, score| error(&file(UNIGRAM, &[PIECES[0], (text, score, 1)]));
    assert_eq!(unigram("ab", f32::INFINITY), "the score of \"ab\" is infinite");
    assert_eq!(unigram("a\0b", 0.0), "the piece \"a\\0b\" has a zero byte");
    assert_eq!(error(&file(BPE, &PIECES[2..])), "expected one piece of the kind unknown, found 0");
    assert_eq!(
        error(&file(BPE, &[PIECES[0], PIECES[2], PIECES[2]])),
        "the piece \"ab\" is there twice (ids up to 2)"
    );
    assert_eq!(error(&file(BPE, &[PIECES[0], ("", 0.0, 1)])), "piece 1 is empty");
    assert_eq!(error(&file(BPE, &[("<unk>", 0.0, 9)])), "9 is no kind of piece (byte 14)");
    assert_eq!(error(&file(7, &PIECES)).split(" (").next(), Some("7 is no type of model"));
}

#[test]
fn no_cut_or_changed_file_is_a_panic() {
    let whole = file(BPE, &PIECES);
    for end in 0..whole.len() {
        let _ = read(&whole[..end]);
    }
    for at in 0..whole.len() {
        for byte in [0, 1, 0x0A, 0x7F, 0x80, 0xFF] {
            let mut changed = whole.clone();
            changed[at] = byte;
            let _ = read(&changed);
        }
    }
}
