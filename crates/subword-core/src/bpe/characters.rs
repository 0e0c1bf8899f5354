/*!
The first tokens of a text that starts from characters, where a character without a token is its bytes.

```text
"né"   ->   n . é           both characters are tokens
"n☃"   ->   n . <0xE2> . <0x98> . <0x83>
```

SentencePiece's models start so. Tokens of bytes take no part in merges here, so a text may be cut on both sides of
such a character.
*/

use std::collections::HashMap;

use super::NO_TOKEN;
use crate::types::TokenId;
use crate::vocab::Vocab;

/// Characters up to here are found in an array, others in a map.
const LOW: usize = 1 << 16;

/// The token of each character, and of each byte.
#[derive(Debug)]
pub(super) struct Characters {
    low: Box<[TokenId]>,
    high: HashMap<char, TokenId>,
    bytes: [TokenId; 256],
}

impl Characters {
    /// `bytes`: the tokens of the bytes of characters that are no tokens.
    pub(super) fn new(vocab: &Vocab, bytes: [TokenId; 256]) -> Characters {
        let mut low = vec![NO_TOKEN; LOW].into_boxed_slice();
        let mut high = HashMap::new();
        for (id, token) in vocab.iter() {
            let Ok(token) = std::str::from_utf8(token) else { continue };
            let mut characters = token.chars();
            if let (Some(character), None) = (characters.next(), characters.next()) {
                match low.get_mut(character as usize) {
                    Some(place) => *place = id,
                    None => drop(high.insert(character, id)),
                }
            }
        }
        Characters { low, high, bytes }
    }

    /// The tokens that ASCII characters start as, and those of other bytes.
    pub(super) fn byte_ids(&self) -> [TokenId; 256] {
        std::array::from_fn(|byte| match self.low[byte] {
            id if byte < 0x80 && id != NO_TOKEN => id,
            _ => self.bytes[byte],
        })
    }

    /// Appends the first tokens of a piece. What is not UTF-8 is its bytes.
    pub(super) fn append(&self, piece: &[u8], tokens: &mut Vec<TokenId>) {
        let of_bytes = |bytes: &[u8], tokens: &mut Vec<TokenId>| {
            tokens.extend(bytes.iter().map(|&byte| self.bytes[usize::from(byte)]));
        };
        for chunk in piece.utf8_chunks() {
            for character in chunk.valid().chars() {
                let id = match self.low.get(character as usize) {
                    Some(&id) => id,
                    None => self.high.get(&character).copied().unwrap_or(NO_TOKEN),
                };
                if id == NO_TOKEN {
                    of_bytes(character.encode_utf8(&mut [0; 4]).as_bytes(), tokens);
                } else {
                    tokens.push(id);
                }
            }
            of_bytes(chunk.invalid(), tokens);
        }
    }
}
