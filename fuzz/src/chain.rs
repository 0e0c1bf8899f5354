/*!
The ids of a chain by the plain definition: Unigram models of a `tokenizer.json`, and the models of sentencepiece.

```text
text -> characters -> normaliser, step by step -> pre-tokenizer, step by step -> model -> ids
```

Only steps whose definition is short are here; [`PlainChain::new`] says which. A sum of scores is compared at each
place from left to right, and the symbols of sentencepiece are looked at all before each merge.
*/

use std::collections::HashMap;

use subword_core::model::{
    Chain, ChainModel, Matcher, NormalizerStep, PieceKind, PieceModel, PieceRule, PieceSettings,
    PreTokenizerStep, PrependScheme, UnigramOptions,
};
use subword_core::{Model, Normalizer, TokenId, Vocab};

/// What stands for a space in a piece.
const MARK: &str = "▁";

/// A chain whose steps are all defined here.
pub struct PlainChain<'m> {
    vocab: &'m Vocab,
    chain: &'m Chain,
}

impl<'m> PlainChain<'m> {
    /// The chain of a model; none if it has a step that is not defined here.
    pub fn new(model: &'m Model) -> Option<PlainChain<'m>> {
        let chain = model.chain.as_deref()?;
        // What stands first in the normalised text need not be the start of the text, and the other way round: a
        // normaliser may make of one character an added token and more, or drop what stands before it.
        let drops =
            |step: &NormalizerStep| matches!(step, NormalizerStep::Strip { left: true, .. });
        let unsure = model.special_tokens.iter().any(|token| token.normalized)
            || chain.normalizer.iter().any(drops);
        let normalizes = |step: &NormalizerStep| match step {
            NormalizerStep::SentencePiece(settings) => settings.charsmap.is_empty(),
            step => replaced(step, "").is_some(),
        };
        let cuts = |step: &PreTokenizerStep| match step {
            PreTokenizerStep::WhitespaceSplit => true,
            PreTokenizerStep::Metaspace { scheme, .. } => {
                *scheme != PrependScheme::First || !unsure
            }
            _ => false,
        };
        let merges = |pieces: &PieceModel| matches!(pieces.rule, PieceRule::Merge(_));
        let known = (matches!(chain.model, ChainModel::Unigram(_))
            || chain.pieces().is_some_and(merges))
            && chain.normalizer.iter().all(normalizes)
            && chain.pre_tokenizer.iter().all(cuts);
        known.then_some(PlainChain { vocab: &model.vocab, chain })
    }

    /// The normalised form of what stands between two added tokens. `first`: at the start of the whole text.
    pub fn normalized(&self, text: &[u8], first: bool) -> String {
        let mut text = characters(text);
        for step in &self.chain.normalizer {
            text = match step {
                NormalizerStep::SentencePiece(settings) => piece_text(settings, &text, first),
                step => replaced(step, &text).unwrap_or_default(),
            };
        }
        text
    }

    /// The ids of a normalised text without added tokens; none if a character has no token, and there is no unk.
    pub fn encode(&self, text: &[u8], first: bool) -> Option<Vec<TokenId>> {
        let mut pieces = vec![(characters(text), first)];
        for step in &self.chain.pre_tokenizer {
            pieces = pieces.iter().flat_map(|(text, first)| cut(step, text, *first)).collect();
        }
        let mut ids = Vec::new();
        for (piece, _) in pieces.iter().filter(|(piece, _)| !piece.is_empty()) {
            ids.extend(match &self.chain.model {
                ChainModel::Unigram(options) => highest(self.vocab, options, piece)?,
                ChainModel::SentencePiece(pieces) => match &pieces.rule {
                    PieceRule::Merge(ranks) => merged(self.vocab, pieces, ranks, piece),
                    PieceRule::BestSum(_) => return None,
                },
                _ => return None,
            });
        }
        Some(ids)
    }
}

/// A text as characters; each byte that is of none is U+FFFD.
fn characters(text: &[u8]) -> String {
    let mut out = String::new();
    for chunk in text.utf8_chunks() {
        out.push_str(chunk.valid());
        out.extend(chunk.invalid().iter().map(|_| char::REPLACEMENT_CHARACTER));
    }
    out
}

/// What a normaliser makes of a text, if the step is defined here.
fn replaced(step: &NormalizerStep, text: &str) -> Option<String> {
    let form = |form: Normalizer| String::from_utf8(form.apply(text.as_bytes()).into_owned()).ok();
    match step {
        NormalizerStep::Nfc => form(Normalizer::Nfc),
        NormalizerStep::Nfkc => form(Normalizer::Nfkc),
        NormalizerStep::Lowercase => Some(text.chars().flat_map(char::to_lowercase).collect()),
        NormalizerStep::Strip { left, right } => {
            let text = if *left { text.trim_start() } else { text };
            Some(if *right { text.trim_end() } else { text }.to_owned())
        }
        NormalizerStep::Replace { pattern: Matcher::Text(old), content } if old == " " => {
            Some(text.replace(old, content))
        }
        NormalizerStep::Replace { pattern: Matcher::Regex(regex), content } if regex == " {2,}" => {
            let mut out = String::new();
            for run in text.as_bytes().chunk_by(|a, b| (*a == b' ') == (*b == b' ')) {
                let several = run.len() > 1 && run[0] == b' ';
                out.push_str(if several { content } else { std::str::from_utf8(run).ok()? });
            }
            Some(out)
        }
        _ => None,
    }
}

/// The pieces that a pre-tokenizer makes of a text, and which one is at the start of the whole text.
fn cut(step: &PreTokenizerStep, text: &str, first: bool) -> Vec<(String, bool)> {
    match step {
        PreTokenizerStep::WhitespaceSplit => {
            let parts = text.split(char::is_whitespace).map(str::to_owned);
            parts.enumerate().map(|(at, part)| (part, first && at == 0)).collect()
        }
        PreTokenizerStep::Metaspace { replacement, scheme, split } => {
            let mut text = text.replace(' ', &replacement.to_string());
            let wanted = match scheme {
                PrependScheme::Always => true,
                PrependScheme::First => first,
                PrependScheme::Never => false,
            };
            if wanted && !text.is_empty() && !text.starts_with(*replacement) {
                text.insert(0, *replacement);
            }
            if !split {
                return vec![(text, first)];
            }
            let starts = text.match_indices(*replacement).map(|(at, _)| at);
            let places: Vec<usize> = [0].into_iter().chain(starts).chain([text.len()]).collect();
            let pieces = places.windows(2).map(|two| text[two[0]..two[1]].to_owned());
            pieces.map(|piece| (piece, false)).collect()
        }
        _ => Vec::new(),
    }
}

/// The tokens of a piece whose scores have the highest sum.
fn highest(vocab: &Vocab, options: &UnigramOptions, piece: &str) -> Option<Vec<TokenId>> {
    let score = |id: TokenId| options.scores[id as usize].value();
    let lowest = (0..options.scores.len() as TokenId).map(score).fold(f64::INFINITY, f64::min);
    let places: Vec<usize> = piece.char_indices().map(|(at, _)| at).chain([piece.len()]).collect();
    // For each place the best sum up to it, where its last token starts, and which one that is.
    let mut best: Vec<Option<(f64, usize, Option<TokenId>)>> = vec![None; places.len()];
    best[0] = Some((0.0, 0, None));
    for start in 0..places.len() - 1 {
        let (so_far, ..) = best[start]?;
        let token = |end: usize| vocab.id_of(&piece.as_bytes()[places[start]..places[end]]);
        for (end, to) in best.iter_mut().enumerate().skip(start + 1) {
            let (id, score) = match token(end) {
                Some(id) => (Some(id), score(id)),
                None if end == start + 1 => (options.unk, lowest - 10.0),
                None => continue,
            };
            if to.is_none_or(|known| so_far + score > known.0) {
                id?;
                *to = Some((so_far + score, start, id));
            }
        }
    }
    let (mut path, mut at) = (Vec::new(), places.len() - 1);
    while at > 0 {
        let (_, start, id) = best[at]?;
        path.push((id?, places[start], places[at]));
        at = start;
    }
    path.reverse();
    let mut ids = Vec::new();
    let is_unk = |id: TokenId| options.unk == Some(id);
    for run in path.chunk_by(|a, b| is_unk(a.0) && is_unk(b.0)) {
        let (id, start) = (run[0].0, run[0].1);
        let text = &piece[start..run[run.len() - 1].2];
        let byte = |byte: u8| vocab.id_of(format!("<0x{byte:02X}>").as_bytes());
        let bytes: Option<Vec<TokenId>> = text.bytes().map(byte).collect();
        match (vocab.id_of(text.as_bytes()), bytes) {
            _ if !is_unk(id) => ids.push(id),
            (Some(id), _) => ids.push(id),
            (None, Some(bytes)) if options.byte_fallback => ids.extend(bytes),
            _ => ids.push(id),
        }
    }
    Some(ids)
}

/// The length of the longest user-defined piece that a text starts with.
fn symbol(settings: &PieceSettings, text: &str) -> Option<usize> {
    let symbols = settings.symbols.iter().filter(|symbol| text.starts_with(*symbol));
    symbols.map(String::len).max()
}

/// A text as user-defined pieces and characters, and which of them is user-defined.
fn symbols<'t>(settings: &PieceSettings, mut text: &'t str) -> Vec<(&'t str, bool)> {
    let mut parts = Vec::new();
    while let Some(c) = text.chars().next() {
        let found = symbol(settings, text);
        let (part, rest) = text.split_at(found.unwrap_or(c.len_utf8()));
        parts.push((part, found.is_some()));
        text = rest;
    }
    parts
}

/// What a model of sentencepiece without a character map makes of a text before it merges.
fn piece_text(settings: &PieceSettings, text: &str, first: bool) -> String {
    let drops = settings.remove_extra_whitespaces;
    let parts = symbols(settings, text).into_iter().map(|(part, _)| part);
    let parts: Vec<&str> = parts.skip_while(|part| drops && *part == " ").collect();
    if parts.is_empty() {
        return String::new();
    }
    let space = if settings.escape_whitespaces { MARK } else { " " };
    let (mut out, mut after_space) = (String::new(), drops);
    let adds =
        |suffix| settings.add_dummy_prefix && first && settings.whitespace_as_suffix == suffix;
    if adds(false) {
        out.push_str(space);
    }
    for part in parts {
        let part = if after_space { part.trim_start_matches(' ') } else { part };
        out.push_str(&part.replace(' ', space));
        if !part.is_empty() {
            after_space = drops && part.ends_with(' ');
        }
    }
    if drops {
        out.truncate(out.trim_end_matches(space).len());
    }
    if adds(true) {
        out.push_str(space);
    }
    out
}

/// The pieces of a normalised text by the merges of sentencepiece.
fn merged(vocab: &Vocab, pieces: &PieceModel, ranks: &[u32], text: &str) -> Vec<TokenId> {
    let kind = |id: TokenId| pieces.kinds[id as usize];
    let settings = &pieces.settings;
    let mut symbols: Vec<(String, bool)> = symbols(settings, text)
        .into_iter()
        .map(|(part, frozen)| (part.to_owned(), frozen))
        .collect();
    // Where an unused piece is taken apart.
    let mut halves: HashMap<TokenId, usize> = HashMap::new();
    let candidate = |symbols: &[(String, bool)], left: usize| {
        let [(one, false), (two, false)] = symbols.get(left..left + 2)? else { return None };
        let id = vocab.id_of([&one[..], two].concat().as_bytes())?;
        let is_text =
            matches!(kind(id), PieceKind::Normal | PieceKind::UserDefined | PieceKind::Unused);
        is_text.then(|| (ranks[id as usize], left, id, one.len()))
    };
    let mut seen = |symbols: &[(String, bool)], left: usize| {
        if let Some((_, _, id, len)) = candidate(symbols, left)
            && kind(id) == PieceKind::Unused
        {
            halves.insert(id, len);
        }
    };
    (0..symbols.len()).for_each(|left| seen(&symbols, left));
    while let Some((_, left, ..)) =
        (0..symbols.len()).filter_map(|left| candidate(&symbols, left)).min()
    {
        let (right, _) = symbols.remove(left + 1);
        symbols[left].0.push_str(&right);
        if left > 0 {
            seen(&symbols, left - 1);
        }
        seen(&symbols, left);
    }
    let unk = vocab.id_of(settings.unk_token.as_bytes()).unwrap_or_default();
    let mut open: Vec<String> = symbols.into_iter().rev().map(|(text, _)| text).collect();
    let (mut ids, mut after_unk) = (Vec::new(), false);
    while let Some(part) = open.pop() {
        let id = vocab.id_of(part.as_bytes()).unwrap_or(unk);
        if let Some(&len) = halves.get(&id) {
            open.extend([part[len..].to_owned(), part[..len].to_owned()]);
            continue;
        }
        let unknown = id == unk;
        if unknown && settings.byte_fallback {
            let byte = |byte: u8| vocab.id_of(format!("<0x{byte:02X}>").as_bytes());
            ids.extend(part.bytes().filter_map(byte));
        } else if !unknown || !after_unk {
            ids.push(id);
        }
        after_unk = unknown;
    }
    ids
}
