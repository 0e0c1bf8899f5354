/*!
All ways to split a token into two tokens.

For every token the longest other token that it starts with, and the longest that it ends with:
following these links gives all its prefixes and all its suffixes that are tokens, longest first,
and a split is a prefix and a suffix whose lengths add up.

```text
abcab    starts with  abc -> ab -> a       ends with  cab -> ab -> b
5 = 3 + 2 (abc|ab) = 2 + 3 (ab|cab)
```

The links come out of sorting: among sorted tokens, those that a token starts with stand before it,
and a stack of the open ones finds the last. The first eight bytes of a token as one big-endian
number decide nearly every comparison.

Why not a table of tokens: two look-ups per inner boundary miss the cache twice; sorting twice reads
memory in order. (Building o200k: 190 ms by look-ups, 85 ms by sorting,
2026-11-15.)
*/

use crate::types::{Pair, TokenId};
use crate::vocab::Vocab;

/// No token.
const NONE: TokenId = TokenId::MAX;

/// Calls `found` with every pair of tokens and the token that their concatenation is.
pub(super) fn each(vocab: &Vocab, mut found: impl FnMut(Pair, TokenId)) {
    let starts = links(vocab, |bytes, at| bytes[at]);
    let ends = links(vocab, |bytes, at| bytes[bytes.len() - 1 - at]);
    let len_of = |id: TokenId| vocab.bytes_of(id).map_or(0, <[u8]>::len);
    // The suffixes of the token at hand, by length.
    let mut suffixes: Vec<(usize, TokenId)> = Vec::new();
    for (id, bytes) in vocab.iter() {
        suffixes.clear();
        suffixes.extend(chain(&ends, id).map(|suffix| (len_of(suffix), suffix)));
        for prefix in chain(&starts, id) {
            // Prefixes get shorter, so the suffix that fits gets longer: from the back of the list.
            let rest = bytes.len() - len_of(prefix);
            while suffixes.last().is_some_and(|(len, _)| *len < rest) {
                suffixes.pop();
            }
            match suffixes.last() {
                Some(&(len, suffix)) if len == rest => found((prefix, suffix), id),
                Some(_) => {}
                None => break,
            }
        }
    }
}

fn chain(links: &[TokenId], id: TokenId) -> impl Iterator<Item = TokenId> {
    let next = |&id: &TokenId| Some(links[id as usize]).filter(|&id| id != NONE);
    std::iter::successors(next(&id), next)
}

/// For each id the longest other token that the token starts with, where `byte(token, i)` is the
/// i-th byte.
fn links(vocab: &Vocab, byte: impl Fn(&[u8], usize) -> u8) -> Vec<TokenId> {
    let mut tokens: Vec<Sorted> = vocab
        .iter()
        .map(|(id, bytes)| {
            let head = (0..8).fold(0, |head, at| {
                head << 8 | if at < bytes.len() { u64::from(byte(bytes, at)) } else { 0 }
            });
            Sorted { head, len: bytes.len() as u32, id }
        })
        .collect();
    let bytes_of = |token: &Sorted| vocab.bytes_of(token.id).unwrap_or_default();
    let tail = |token: &Sorted| {
        let bytes = bytes_of(token);
        (8..bytes.len()).map(|at| byte(bytes, at)).collect::<Vec<u8>>()
    };
    tokens.sort_unstable_by(|a, b| {
        a.head.cmp(&b.head).then_with(|| match a.len.min(b.len) {
            0..=8 => a.len.cmp(&b.len),
            _ => tail(a).cmp(&tail(b)),
        })
    });

    let starts_with = |token: &Sorted, prefix: &Sorted| {
        if prefix.len >= token.len {
            return false;
        }
        let shared = 64 - 8 * prefix.len.min(8);
        let (bytes, start) = (bytes_of(token), bytes_of(prefix));
        (token.head ^ prefix.head) >> shared == 0
            && (8..start.len()).all(|at| byte(bytes, at) == byte(start, at))
    };
    let mut links = vec![NONE; vocab.id_limit() as usize];
    let mut open: Vec<Sorted> = Vec::new();
    for token in tokens {
        while open.last().is_some_and(|last| !starts_with(&token, last)) {
            open.pop();
        }
        links[token.id as usize] = open.last().map_or(NONE, |last| last.id);
        open.push(token);
    }
    links
}

#[derive(Clone, Copy)]
struct Sorted {
    /// The first eight bytes, then zeros.
    head: u64,
    len: u32,
    id: TokenId,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_split_is_found_once() {
        let mut state = 5u64;
        let mut random = |n: usize| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize % n
        };
        for _ in 0..60 {
            let mut vocab = Vocab::default();
            for _ in 0..400 {
                // Few letters, NUL among them, and lengths around eight.
                let token: Vec<u8> =
                    (0..1 + random(14)).map(|_| [0, b'a', 255][random(3)]).collect();
                if vocab.id_of(&token).is_none() {
                    vocab.insert((vocab.len() * 2) as TokenId, &token).unwrap();
                }
            }
            let mut expected = Vec::new();
            for (id, bytes) in vocab.iter() {
                for at in 1..bytes.len() {
                    let parts = (vocab.id_of(&bytes[..at]), vocab.id_of(&bytes[at..]));
                    if let (Some(left), Some(right)) = parts {
                        expected.push(((left, right), id));
                    }
                }
            }
            let mut found = Vec::new();
            each(&vocab, |pair, id| found.push((pair, id)));
            expected.sort_unstable();
            found.sort_unstable();
            assert_eq!(found, expected);
        }
    }
}
