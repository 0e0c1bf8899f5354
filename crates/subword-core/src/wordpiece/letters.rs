/*!
Tokens that begin with a character beyond ASCII, found by their first two characters.

A vocabulary for one language has the single letters of many others, but few tokens of several such letters. In text
of those languages a walk of the trie finds one letter at a time, and the processor cannot predict where it ends. So
each letter has an entry with its own id and with a 64-bit mask of the characters that follow it in longer tokens: the
bit of a character is the one that its last six bits number.

```text
tokens  ##о  ##в  ##ов      о -> its id, and the bit of в
                            в -> its id, no bits
овод    о: the bit of в is there, so walk the trie: ##ов
        о: the bit of д is not there, so the token is ##о
        д
```

Two characters may share a bit; then the trie is walked without need and finds the same id. If the bit is not set, no
longer token is possible and the letter is a token by itself. So the next letter is looked up at once, without waiting
for the result of the one before.
*/

use crate::bert::TwoLevel;
use crate::types::TokenId;

/// What is known of tokens that begin with a character.
#[derive(Debug, Clone, Copy, Default)]
struct Letter {
    /// The token that is this character alone, plus one; 0 if there is none.
    id: TokenId,
    /// The mask of the characters that follow this one in longer tokens.
    next: u64,
}

/// Tokens by their first character: those at the start of a word, and those within it.
#[derive(Debug)]
pub(super) struct Letters {
    first: TwoLevel<Letter>,
    within: TwoLevel<Letter>,
}

impl Letters {
    /// Collects the letters of all tokens; tokens that continue a word have the prefix.
    pub(super) fn new<'a>(
        tokens: impl Iterator<Item = (TokenId, &'a [u8])>,
        prefix: &[u8],
    ) -> Letters {
        let mut letters = Letters { first: TwoLevel::new(), within: TwoLevel::new() };
        for (id, token) in tokens {
            enter(&mut letters.first, id, token);
            if let Some(token) = token.strip_prefix(prefix) {
                enter(&mut letters.within, id, token);
            }
        }
        letters
    }

    /// Appends the ids of the letters from the place `at` of a word on, as long as each letter is the longest token
    /// there. Returns the place after the last of them.
    #[inline]
    pub(super) fn encode(&self, word: &[u8], mut at: usize, ids: &mut Vec<TokenId>) -> usize {
        let mut letters = if at == 0 { &self.first } else { &self.within };
        let (mut code, mut len) = decode(&word[at..]);
        // A length of 1 is ASCII, the end or no character.
        while len > 1 {
            let Letter { id, next } = letters.get(code);
            let follows = decode(&word[at + len..]);
            if id == 0 || next & bit_of(follows.0) != 0 {
                break;
            }
            ids.push(id - 1);
            at += len;
            (code, len) = follows;
            letters = &self.within;
        }
        at
    }
}

fn enter(letters: &mut TwoLevel<Letter>, id: TokenId, token: &[u8]) {
    let (first, len) = decode(token);
    if len > 1 {
        let letter = letters.at(first);
        match &token[len..] {
            [] => letter.id = id + 1,
            rest => letter.next |= bit_of(decode(rest).0),
        }
    }
}

fn bit_of(code: u32) -> u64 {
    1 << (code % 64)
}

/// The code point at the start of a text and its length in bytes. A byte that is not part of valid UTF-8 is U+FFFD, of
/// length 1.
#[inline(always)]
pub(super) fn decode(text: &[u8]) -> (u32, usize) {
    const REPLACEMENT: (u32, usize) = (0xFFFD, 1);
    let mut bytes = [0; 4];
    match text.first_chunk() {
        Some(window) => bytes = *window,
        None => bytes[..text.len()].copy_from_slice(text),
    }
    let [first, rest @ ..] = bytes.map(u32::from);
    let [b, c, d] = rest.map(|byte| byte & 0x3F);
    let continued = rest.map(|byte| byte & 0xC0 == 0x80);
    let valid = |code: u32, from: u32, len| {
        if code >= from && char::from_u32(code).is_some() { (code, len) } else { REPLACEMENT }
    };
    match (first, continued) {
        (0xE0..=0xEF, [true, true, _]) => valid((first & 0x0F) << 12 | b << 6 | c, 0x800, 3),
        (0xC2..=0xDF, [true, ..]) => ((first & 0x1F) << 6 | b, 2),
        (0xF0..=0xF4, [true, true, true]) => {
            valid((first & 0x07) << 18 | b << 12 | c << 6 | d, 0x1_0000, 4)
        }
        _ => REPLACEMENT,
    }
}
