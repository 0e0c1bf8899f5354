/*!
Small models of every kind, from random choices.

Ids come in any order and have holes, merges come in any order and may make one token twice, tokens
need not be reachable, special tokens overlap. What `Model::checked` refuses is no model. Models with
scores are loaded from random [`files`](crate::files).
*/

use subword_core::pretok::Named;
use subword_core::{
    Bert, Encoder, EndOfWord, Merges, Model, Normalizer, Pattern, SpecialToken, Start, TokenId,
    Units, Unknown, Vocab, WordLimit, WordPiece,
};

use crate::files;
use crate::input::{Input, UNITS};

/// Regular expressions that cut at few places, at many, look around, or match nothing in width.
const REGEXES: [&str; 8] = [
    r"\s+(?!\S)|\s+|\S+",
    r"[a-c]+|\d",
    r"(?<=a)b|\p{L}",
    r"\p{L}+|\p{N}{1,3}",
    r" ?[^\s]+",
    r"(?i:S|ss)",
    r".",
    r"\X",
];

/// A model, if the choices make one.
pub(crate) fn model(input: &mut Input) -> Option<Model> {
    let kind = match input.byte() {
        // So few, and at the end, that inputs from before these had a place mean what they meant.
        240..248 => return files::unigram(input),
        248.. => return files::pieces(input),
        kind => kind % 6,
    };
    let mut model = match kind {
        0 => ranked(input),
        1 => listed(input, None),
        2 => {
            let mark = input.pick(&["</w>", "s", "\u{4e2d}"]);
            listed(input, Some(EndOfWord { mark: mark.into(), joined: true }))
        }
        3 => characters(input),
        4 => word_piece(input),
        _ => longest(input),
    }?;
    model.normalizer = normalizer(input);
    if model.as_word_piece().is_none() || input.one_in(4) {
        model.pattern = pattern(input);
    }
    special_tokens(input, &mut model);
    model.checked().ok()
}

/// What happens to a text before it is cut.
pub(crate) fn normalizer(input: &mut Input) -> Normalizer {
    match input.below(8) {
        0 => Normalizer::Nfc,
        1 => Normalizer::Nfd,
        2 => Normalizer::Nfkc,
        3 => Normalizer::Nfkd,
        4 => Normalizer::NfcLowercase,
        5 => Normalizer::Bert(Bert {
            clean: input.flag(),
            cjk: input.flag(),
            strip_accents: input.flag(),
            lowercase: input.flag(),
        }),
        _ => Normalizer::None,
    }
}

/// How a text is cut.
pub(crate) fn pattern(input: &mut Input) -> Pattern {
    // Seldom: what is compiled takes longer than all the rest.
    let regex = |input: &mut Input| Pattern::Regex(input.pick(&REGEXES).into());
    match input.below(16) {
        0 => Pattern::Sequence(vec![regex(input), regex(input)]),
        1 | 2 => regex(input),
        _ => Pattern::Named(input.pick(&Named::ALL)),
    }
}

/// The bytes, from some id on; perhaps without those that UTF-8 never uses.
fn bytes(input: &mut Input) -> (Vocab, TokenId) {
    let (first, unused) = (input.below(32) as TokenId, input.one_in(8));
    let mut vocab = Vocab::default();
    for byte in 0..=255u8 {
        if !unused || !matches!(byte, 0xC0 | 0xC1 | 0xF5..) {
            vocab.insert(first + TokenId::from(byte), &[byte]).expect("each byte once");
        }
    }
    (vocab, first)
}

/// Adds tokens with free ids in any order: some before the bytes, some behind.
fn add_tokens(input: &mut Input, vocab: &mut Vocab, before: TokenId, prefix: &str) {
    let limit = vocab.id_limit();
    let mut ids: Vec<TokenId> = (0..before).chain(limit..limit + 300).rev().collect();
    let mut add = |input: &mut Input, token: &str| {
        let Some(last) = ids.len().checked_sub(1) else { return };
        let near = last - input.below(ids.len().min(3));
        if vocab.insert(ids[near], token.as_bytes()).is_ok() {
            ids.remove(near);
        }
    };
    for _ in 0..input.below(24) {
        if input.one_in(16) {
            // A run of each length, up to one that is longer than any short cut.
            let (unit, most) = (input.pick(&UNITS), 2 + input.below(100));
            (2..most).for_each(|len| add(input, &unit.repeat(len)));
        } else {
            let within = if input.flag() { prefix } else { "" };
            let token = format!("{within}{}", input.string(5));
            add(input, &token);
        }
    }
}

fn ranked(input: &mut Input) -> Option<Model> {
    let (mut vocab, before) = bytes(input);
    add_tokens(input, &mut vocab, before, "");
    let mut model = Model::new(vocab, Merges::Ranked, Pattern::Named(Named::None), Vec::new());
    model.ignore_merges = input.flag();
    Some(model)
}

fn listed(input: &mut Input, end_of_word: Option<EndOfWord>) -> Option<Model> {
    let (mut vocab, before) = bytes(input);
    let mut pool: Vec<TokenId> =
        UNITS.concat().bytes().filter_map(|byte| vocab.id_of(&[byte])).collect();
    if let Some(end) = &end_of_word {
        for byte in 0..=255u8 {
            let (id, token) = (vocab.id_limit(), [&[byte], end.mark.as_bytes()].concat());
            vocab.insert(id, &token).ok()?;
            if byte.is_ascii_lowercase() {
                pool.push(id);
            }
        }
    }
    let merges = add_merges(input, &mut vocab, pool);
    if input.one_in(4) {
        add_tokens(input, &mut vocab, before, "");
    }
    let mut model = Model::new(vocab, merges, Pattern::Named(Named::None), Vec::new());
    model.ignore_merges = input.flag();
    model.start.end_of_word = end_of_word;
    Some(model)
}

/// Lists merges of tokens in the pool and of what they make, and adds what they make.
fn add_merges(input: &mut Input, vocab: &mut Vocab, mut pool: Vec<TokenId>) -> Merges {
    let mut pairs = Vec::new();
    if pool.is_empty() {
        return Merges::Listed(pairs);
    }
    for _ in 0..input.below(40) {
        // What was made last is near the end of the pool, and small numbers are frequent.
        let at = |input: &mut Input| pool.len() - 1 - input.below(pool.len().min(256));
        let (left, right) = (pool[at(input)], pool[at(input)]);
        let bytes = |id| vocab.bytes_of(id).unwrap_or_default();
        let joined = [bytes(left), bytes(right)].concat();
        if joined.len() > 300 || pairs.contains(&(left, right)) {
            continue;
        }
        pairs.push((left, right));
        let next = vocab.id_limit();
        if vocab.insert(next, &joined).is_ok() {
            pool.push(next);
        }
    }
    match input.below(4) {
        0 => pairs.reverse(),
        1 if !pairs.is_empty() => {
            let first = input.below(pairs.len());
            pairs.rotate_left(first);
        }
        _ => {}
    }
    Merges::Listed(pairs)
}

/// Characters, perhaps with an end-of-word mark, perhaps with an unk token.
fn start(input: &mut Input, vocab: &mut Vocab) -> Start {
    let end_of_word = input
        .flag()
        .then(|| EndOfWord { mark: input.pick(&["</w>", "_", "\u{4e2d}"]).into(), joined: false });
    if let Some(end) = &end_of_word {
        // A mark that is a character of the alphabet too is there already.
        let _ = vocab.insert(vocab.id_limit(), end.mark.as_bytes());
    }
    let unk = input.flag().then(|| {
        let id = vocab.id_limit();
        vocab.insert(id, b"<unk>").map_or(0, |()| id)
    });
    Start { units: Units::Characters, end_of_word, unk }
}

fn alphabet(input: &mut Input) -> Vocab {
    let mut vocab = Vocab::default();
    let from = input.below(UNITS.len());
    let some = UNITS.iter().cycle().skip(from).take(4 + input.below(UNITS.len()));
    for c in some.flat_map(|unit| unit.chars()) {
        // Some characters are in several units.
        let _ = vocab.insert(vocab.id_limit(), c.encode_utf8(&mut [0; 4]).as_bytes());
    }
    vocab
}

fn characters(input: &mut Input) -> Option<Model> {
    let mut vocab = alphabet(input);
    let start = start(input, &mut vocab);
    let pool = (0..vocab.id_limit()).collect();
    let merges = add_merges(input, &mut vocab, pool);
    let mut model = Model::new(vocab, merges, Pattern::Named(Named::None), Vec::new());
    model.start = start;
    model.ignore_merges = input.one_in(8);
    Some(model)
}

fn longest(input: &mut Input) -> Option<Model> {
    let ((mut vocab, before), words) = match input.flag() {
        true => ((alphabet(input), 0), true),
        false => (bytes(input), false),
    };
    let start = if words { start(input, &mut vocab) } else { Start::default() };
    add_tokens(input, &mut vocab, before, "");
    if let Some(mark) = start.separate_mark().filter(|_| input.flag()) {
        let ending = format!("{}{mark}", input.string(3));
        // If it is there already, so much the better.
        let _ = vocab.insert(vocab.id_limit(), ending.as_bytes());
    }
    let merges = Merges::Listed(Vec::new());
    let mut model = Model::new(vocab, merges, Pattern::Named(Named::None), Vec::new());
    model.start = start;
    model.encoder = Encoder::Longest;
    Some(model)
}

fn word_piece(input: &mut Input) -> Option<Model> {
    let settings = WordPiece {
        prefix: input.pick(&["##", "##", "", "#", "\u{44f}", "ab"]).into(),
        limit: match input.below(4) {
            0 => WordLimit::None,
            1 => WordLimit::Bytes(input.below(20) as u32),
            2 => WordLimit::Characters(input.below(20) as u32),
            _ => WordLimit::Characters(100),
        },
        unknown: input.pick(&[Unknown::Word, Unknown::Character]),
        cleanup: input.flag(),
    };
    let mut vocab = Vocab::new([(0, &b"[UNK]"[..])]).ok()?;
    add_tokens(input, &mut vocab, 0, &settings.prefix);
    let mut model = Model::word_piece(vocab, 0, settings);
    if input.flag() {
        model.special_tokens.push(SpecialToken::new("[UNK]", 0));
    }
    model.pattern = Pattern::Named(Named::Bert);
    Some(model)
}

pub(crate) fn special_tokens(input: &mut Input, model: &mut Model) {
    for _ in 0..input.below(5) {
        let content = match input.below(4) {
            0 => input.pick(&["<|end|>", "<s>", "<|end|><|end|>", "  ", "[CLS]"]).to_owned(),
            1 => {
                // A token of the vocabulary becomes special.
                let some = input.below(model.vocab.id_limit().clamp(1, 256) as usize) as TokenId;
                let id = model.vocab.id_limit().saturating_sub(1 + some);
                let bytes = model.vocab.bytes_of(id).unwrap_or(b"<x>").to_vec();
                String::from_utf8(bytes).unwrap_or("<y>".into())
            }
            _ => input.string(3),
        };
        let id = model.vocab.id_of(content.as_bytes()).unwrap_or(model.id_limit() + 1);
        model.special_tokens.retain(|token| token.content != content && token.id != id);
        let mut token = SpecialToken::new(content, id);
        token.always = input.flag();
        token.normalized = input.flag();
        token.lstrip = input.one_in(8);
        token.rstrip = input.one_in(8);
        token.single_word = input.one_in(8);
        model.special_tokens.push(token);
        model.special_tokens.sort_by_key(|token| token.id);
    }
}
