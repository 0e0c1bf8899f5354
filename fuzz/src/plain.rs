/*!
The ids of a text by the plain definition: what the engine must give, whatever it does to be fast.

```text
text -> special tokens -> normalised -> special tokens -> pieces -> ids
```

A special token is the leftmost, of those that start there the longest. Pieces are those of the pattern's
regular expressions. A piece is merged by looking at all its pairs before each merge, or cut by looking
for all tokens, the longest first. A text with a unit that has no token is none. Models with a chain have
their own normaliser, pieces and ids: see [`chain`](crate::chain).
*/

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use subword_core::pretok::{Named, Splitter};
use subword_core::{
    Allowed, Encoder, Merges, Model, Pattern, Result, SpecialToken, TokenId, Units, Unknown,
    WordLimit, WordPiece,
};

use crate::chain::PlainChain;

/// The model and what is looked up in it.
pub struct Plain<'m> {
    model: &'m Model,
    splitter: Arc<Splitter>,
    /// The listed merges: rank, and the token that each makes.
    merges: HashMap<(TokenId, TokenId), (usize, TokenId)>,
    chain: Option<PlainChain<'m>>,
}

/// A part of a text: ordinary, or a special token.
type Part<'t> = (&'t [u8], Option<TokenId>);

impl<'m> Plain<'m> {
    /// Whether the ids of a model are defined here. Of a chain only some steps are.
    pub fn defines(model: &Model) -> bool {
        model.chain.is_none() || PlainChain::new(model).is_some()
    }

    /// Reads a checked model whose ids are defined here.
    pub fn new(model: &'m Model) -> Result<Plain<'m>> {
        let splitter = match model.pattern {
            Pattern::Named(named) if !named.regexes().is_empty() => defined(named)?,
            ref pattern => Arc::new(Splitter::new(pattern)?),
        };
        let mut merges = HashMap::new();
        if let Merges::Listed(pairs) = &model.merges {
            for (rank, &(left, right)) in pairs.iter().enumerate() {
                let bytes = |id| model.vocab.bytes_of(id).unwrap_or_default();
                if let Some(id) = model.vocab.id_of(&[bytes(left), bytes(right)].concat()) {
                    merges.insert((left, right), (rank, id));
                }
            }
        }
        Ok(Plain { model, splitter, merges, chain: PlainChain::new(model) })
    }

    /// The ids of a text; none if it has a unit without a token. An error of the pattern is one.
    pub fn encode(&self, text: &[u8], allowed: &Allowed) -> Result<Option<Vec<TokenId>>> {
        let chosen = |token: &&SpecialToken| {
            token.always
                || match allowed {
                    Allowed::All => true,
                    Allowed::Only(contents) => contents.contains(&token.content),
                    Allowed::Text | Allowed::Error => false,
                }
        };
        // What is not chosen may hide what is, in models that have words which were added.
        let hides = self.model.special_tokens.iter().any(|token| token.always);
        let found = |normalized: bool| -> Vec<(SpecialToken, bool)> {
            let tokens = self.model.special_tokens.iter();
            tokens
                .filter(|token| token.normalized == normalized && (hides || chosen(token)))
                .map(|token| {
                    let content = self.model.matched(token);
                    (SpecialToken { content, ..token.clone() }, chosen(&token))
                })
                .collect()
        };
        let (raw, normal) = (found(false), found(true));
        let mut ids = Vec::new();
        for (span, special) in parts(&raw, text) {
            if let Some(id) = special {
                ids.push(id);
                continue;
            }
            let first = span.as_ptr() == text.as_ptr();
            let normalised = match &self.chain {
                Some(chain) => Cow::Owned(chain.normalized(span, first).into_bytes()),
                None => self.model.normalizer.apply(span),
            };
            for (part, special) in parts(&normal, &normalised) {
                let first = first && part.as_ptr() == normalised.as_ptr();
                match (special, &self.chain) {
                    (Some(id), _) => ids.push(id),
                    (None, Some(chain)) => match chain.encode(part, first) {
                        Some(found) => ids.extend(found),
                        None => return Ok(None),
                    },
                    (None, None) => {
                        if !self.encode_ordinary(part, &mut ids)? {
                            return Ok(None);
                        }
                    }
                }
            }
        }
        Ok(Some(ids))
    }

    /// Appends the ids of a text without special tokens, which is normalised; says whether all have one.
    fn encode_ordinary(&self, text: &[u8], ids: &mut Vec<TokenId>) -> Result<bool> {
        let (mut ends, mut start) = (Vec::new(), 0);
        self.splitter.append_ends(text, 0, &mut ends)?;
        for end in ends {
            let found = match &self.model.encoder {
                Encoder::WordPiece(settings) => Some(self.word_pieces(settings, &text[start..end])),
                Encoder::Longest => self.longest(&text[start..end]),
                Encoder::Fewest => self.fewest(&text[start..end]),
                Encoder::Merge => self.merged(&text[start..end]),
            };
            let Some(found) = found else { return Ok(false) };
            ids.extend(found);
            start = end;
        }
        Ok(true)
    }

    /// Whether the mark that ends a word stands for this piece.
    fn is_skipped(&self, piece: &[u8]) -> bool {
        self.model.start.end_of_word.is_some() && is_white(piece)
    }

    fn merged(&self, piece: &[u8]) -> Option<Vec<TokenId>> {
        if self.is_skipped(piece) {
            return Some(Vec::new());
        }
        let (vocab, start) = (&self.model.vocab, &self.model.start);
        if let Some(id) = vocab.id_of(piece).filter(|_| self.model.ignore_merges) {
            return Some(vec![id]);
        }
        let mark = start.separate_mark().and_then(|mark| vocab.id_of(mark.as_bytes()));
        let units: Vec<&[u8]> = start.units.of(piece).collect();
        let mut ids = Vec::new();
        for (i, &unit) in units.iter().enumerate() {
            let joined = start.joined_mark().filter(|_| i + 1 == units.len());
            let id = match joined {
                Some(joined) => vocab.id_of(&[unit, joined.as_bytes()].concat()),
                None => vocab.id_of(unit).filter(|&id| Some(id) != mark),
            };
            ids.push(id.or(start.unk)?);
        }
        ids.extend(mark);
        while let Some((_, at, id)) = (1..ids.len())
            .filter_map(|at| self.merge(ids[at - 1], ids[at]).map(|(rank, id)| (rank, at, id)))
            .min()
        {
            ids[at - 1] = id;
            ids.remove(at);
        }
        Some(ids)
    }

    /// The rank of a pair and the token that it makes, if it has one.
    fn merge(&self, left: TokenId, right: TokenId) -> Option<(usize, TokenId)> {
        if let Merges::Listed(_) = self.model.merges {
            return self.merges.get(&(left, right)).copied();
        }
        let vocab = &self.model.vocab;
        let id = vocab.id_of(&[vocab.bytes_of(left)?, vocab.bytes_of(right)?].concat())?;
        Some((id as usize, id))
    }

    /// The fewest tokens: from each place on the shortest way, and of equals the one that starts with the longest.
    fn fewest(&self, piece: &[u8]) -> Option<Vec<TokenId>> {
        let Model { vocab, start, special_tokens, .. } = self.model;
        let id_of = |token: &[u8]| {
            let special = |id| special_tokens.iter().any(|special| special.id == id);
            vocab.id_of(token).filter(|&id| start.is_unit(token) || !special(id))
        };
        let mut ways: Vec<Option<Vec<TokenId>>> = vec![None; piece.len() + 1];
        ways[piece.len()] = Some(Vec::new());
        for at in (0..piece.len()).rev() {
            for end in (at + 1..=piece.len()).rev() {
                let (Some(id), Some(rest)) = (id_of(&piece[at..end]), &ways[end]) else { continue };
                if ways[at].as_ref().is_none_or(|way| rest.len() + 1 < way.len()) {
                    ways[at] = Some([&[id], &rest[..]].concat());
                }
            }
        }
        ways.swap_remove(0)
    }

    fn longest(&self, piece: &[u8]) -> Option<Vec<TokenId>> {
        if self.is_skipped(piece) {
            return Some(Vec::new());
        }
        const MARK: u16 = 256;
        let Model { vocab, start, special_tokens, .. } = self.model;
        let symbols = |text: &[u8], mark: bool| -> Vec<u16> {
            text.iter().map(|&byte| byte.into()).chain(mark.then_some(MARK)).collect()
        };
        let special = |id| special_tokens.iter().any(|token| token.id == id);
        let mut tokens: Vec<_> = vocab
            .iter()
            .filter(|&(id, bytes)| start.is_unit(bytes) || !special(id))
            .map(|(id, bytes)| {
                let mark = start.separate_mark().and_then(|m| bytes.strip_suffix(m.as_bytes()));
                let text = mark.unwrap_or(bytes);
                let units = start.units.of(text).count() + usize::from(mark.is_some());
                (Reverse(units), bytes, symbols(text, mark.is_some()), id)
            })
            .collect();
        tokens.sort_unstable();
        let text = symbols(piece, start.separate_mark().is_some());
        // For each place: where what starts there ends, and its id.
        let mut taken: Vec<Option<(usize, TokenId)>> = vec![None; text.len()];
        let mut free = vec![true; text.len()];
        for (_, _, token, id) in &tokens {
            for at in 0..text.len() {
                let place = at..at + token.len();
                if text[at..].starts_with(token) && free[place.clone()].iter().all(|&free| free) {
                    free[place.clone()].fill(false);
                    taken[at] = Some((place.end, *id));
                }
            }
        }
        let (mut ids, mut at) = (Vec::new(), 0);
        while at < text.len() {
            let (end, id) = match taken[at] {
                Some(found) => found,
                None => (at + free[at..].iter().take_while(|&&free| free).count(), start.unk?),
            };
            ids.push(id);
            at = end;
        }
        Some(ids)
    }

    fn word_pieces(&self, settings: &WordPiece, word: &[u8]) -> Vec<TokenId> {
        if is_white(word) {
            return Vec::new();
        }
        let unk = self.model.start.unk.unwrap_or_default();
        let units: Vec<&[u8]> = Units::Characters.of(word).collect();
        let long = match settings.limit {
            WordLimit::Characters(limit) => units.len() > limit as usize,
            WordLimit::Bytes(limit) => word.len() > limit as usize,
            WordLimit::None => false,
        };
        if long {
            return vec![unk];
        }
        let (mut ids, mut at) = (Vec::new(), 0);
        while at < units.len() {
            let prefix = if at == 0 { "" } else { &settings.prefix };
            let token = |end: usize| [prefix.as_bytes(), &units[at..end].concat()].concat();
            let id = |end: usize| Some((self.model.vocab.id_of(&token(end))?, end));
            match ((at + 1)..=units.len()).rev().find_map(id) {
                Some((id, end)) => {
                    ids.push(id);
                    at = end;
                }
                None if settings.unknown == Unknown::Word => return vec![unk],
                None => {
                    ids.push(unk);
                    at += 1;
                }
            }
        }
        ids
    }
}

/// A named pattern, read by the regular expressions that define it. Some take long to compile.
pub fn defined(named: Named) -> Result<Arc<Splitter>> {
    static KNOWN: Mutex<Vec<(Named, Arc<Splitter>)>> = Mutex::new(Vec::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, splitter)) = known.iter().find(|(other, _)| *other == named) {
        return Ok(Arc::clone(splitter));
    }
    let splitter = Arc::new(Splitter::by_regex(named)?);
    known.push((named, Arc::clone(&splitter)));
    Ok(splitter)
}

/// Whether all of a piece is white space.
fn is_white(piece: &[u8]) -> bool {
    std::str::from_utf8(piece).is_ok_and(|piece| piece.chars().all(char::is_whitespace))
}

/// A text in parts. Of the tokens the leftmost is found, of those the longest; one that does not count
/// is text. Where one swallows white space that is another, both are found, and overlap.
pub fn parts<'t>(tokens: &[(SpecialToken, bool)], text: &'t [u8]) -> Vec<Part<'t>> {
    let (mut parts, mut at, mut from) = (Vec::new(), 0, 0);
    while from < text.len() {
        let here = |(token, _): &&(SpecialToken, bool)| {
            !token.content.is_empty() && text[from..].starts_with(token.content.as_bytes())
        };
        // Of equals the first that counts.
        let key = |(token, counts): &&(SpecialToken, bool)| (token.content.len(), *counts);
        let longest = tokens.iter().rev().filter(here).max_by_key(key);
        let Some((token, counts)) = longest else {
            from += 1;
            continue;
        };
        let (mut start, mut end) = (from, from + token.content.len());
        from = end;
        let word = |c: Option<char>| c.is_some_and(is_word);
        let alone = !word(last_char(&text[..start])) && !word(first_char(&text[end..]));
        if !counts || token.single_word && !alone {
            continue;
        }
        if token.lstrip {
            start = start.max(at);
            while let Some(c) = last_char(&text[at..start]).filter(|c| c.is_whitespace()) {
                start -= c.len_utf8();
            }
        }
        while let Some(c) = first_char(&text[end..]).filter(|c| token.rstrip && c.is_whitespace()) {
            end += c.len_utf8();
        }
        if start >= end {
            continue;
        }
        if start > at {
            parts.push((&text[at..start], None));
        }
        parts.push((&text[start..end], Some(token.id)));
        at = end;
    }
    if at < text.len() {
        parts.push((&text[at..], None));
    }
    parts
}

fn is_word(c: char) -> bool {
    // `\w`, of the characters that texts are made of here, and of what normalisers make of them: see
    // `input::UNITS`.
    c.is_alphabetic()
        || c.is_ascii_digit()
        || matches!(c, '_' | '\u{300}'..='\u{36f}' | '\u{93c}' | '\u{200d}' | '\u{1d165}')
}

fn first_char(text: &[u8]) -> Option<char> {
    let unit = Units::Characters.of(text).next()?;
    std::str::from_utf8(unit).ok()?.chars().next()
}

fn last_char(text: &[u8]) -> Option<char> {
    let start = (1..=text.len().min(4)).find(|back| text[text.len() - back] & 0xC0 != 0x80)?;
    std::str::from_utf8(&text[text.len() - start..]).ok()?.chars().next()
}
