/*!
Training on words: the characters to begin with, and pieces as what merges may join.

```text
low 5, löw 1   ->   alphabet l o w ö </w>   ->   l o w </w> 5,   l ö w </w> 1
```

The alphabet is every character of the pieces, in the order of code points, then the mark. With a
limit, the most frequent characters are kept, of equals those with the smaller code point.

A merge never touches what is no token or no text, so a piece is cut there, and each part learns by
itself:

* around a character that is not in the alphabet, and a byte that is not UTF-8;
* before the last character of text that spells the mark. Otherwise merges could make a token that
  looks like the mark but is text (`<` `/` `w` `>`), and decoding would take one for the other.

A part that does not end its piece has no mark. Pieces of white space are skipped where there is a
mark: it stands for them.
*/

use std::cmp::Reverse;

use super::each_piece;
use crate::bpe::train::Words;
use crate::bpe::{Merged, Merger};
use crate::counts::Counts;
use crate::error::Result;
use crate::model::{Merges, Model, Start, Units};
use crate::types::{Count, TokenId};
use crate::vocab::Vocab;

/// The first tokens of a model that starts as `start` says: the characters of the pieces, at most
/// `limit` of them, or all bytes; then the mark.
pub(super) fn first_vocab(counts: &Counts, start: &Start, limit: Option<usize>) -> Result<Vocab> {
    let mut vocab = match start.units {
        Units::Bytes => Vocab::bytes(),
        Units::Characters => {
            let characters = most_frequent(count_characters(counts, start)?, limit);
            let texts: Vec<String> = characters.into_iter().map(String::from).collect();
            Vocab::new((0..).zip(texts.iter().map(String::as_bytes)))?
        }
    };
    if let Some(mark) = start.separate_mark() {
        vocab.insert(vocab.id_limit(), mark.as_bytes())?;
    }
    Ok(vocab)
}

/// How often each character occurs, by code point, but for the mark where it is a single character:
/// text that spells it is unknown.
fn count_characters(counts: &Counts, start: &Start) -> Result<Vec<(char, Count)>> {
    let mark = start.separate_mark().unwrap_or_default();
    let mut sums: Vec<Count> = Vec::new();
    each_piece(counts, |piece, count| {
        let chunks = piece.utf8_chunks().filter(|_| !start.skips(piece));
        for character in chunks.flat_map(|chunk| chunk.valid().chars()) {
            let code = character as usize;
            if code >= sums.len() {
                sums.resize((code + 1).next_power_of_two(), 0);
            }
            sums[code] = sums[code].saturating_add(count);
        }
        Ok(())
    })?;
    let mut characters = Vec::new();
    for (code, count) in (0..).zip(sums).filter(|&(_, count)| count > 0) {
        let character = char::from_u32(code).filter(|c| *c.encode_utf8(&mut [0; 4]) != *mark);
        characters.extend(character.map(|character| (character, count)));
    }
    Ok(characters)
}

/// The characters that occur most often, of equals the smaller ones; by code point.
fn most_frequent(mut characters: Vec<(char, Count)>, limit: Option<usize>) -> Vec<char> {
    if let Some(limit) = limit {
        characters.sort_by_key(|&(_, count)| Reverse(count));
        characters.truncate(limit);
        characters.sort_unstable();
    }
    characters.into_iter().map(|(character, _)| character).collect()
}

/// The length of the tokens of a model for `max_token_length`: in characters where it starts from
/// them, and without the mark.
pub(super) fn lengths(model: &Model) -> Vec<u32> {
    let mark = model.start.end_of_word.as_ref().map_or("", |end| end.mark.as_str());
    let length = |id: TokenId| {
        let token = model.vocab.bytes_of(id).unwrap_or_default();
        let token = match token.strip_suffix(mark.as_bytes()) {
            Some(text) if !mark.is_empty() => text,
            _ => token,
        };
        model.start.units.of(token).count() as u32
    };
    (0..model.vocab.id_limit()).map(length).collect()
}

/// The parts of pieces as the tokens that they start as, which is what the model makes of them.
pub(super) fn first_tokens(counts: &Counts, model: &Model) -> Result<Words> {
    let merger = Merger::new(model)?;
    let fresh = model.merges == Merges::Listed(Vec::new());
    let (mut words, mut merged, mut ids) = (Words::default(), Merged::default(), Vec::new());
    each_piece(counts, |piece, count| {
        if model.start.skips(piece) {
            return Ok(());
        }
        for (part, whole) in parts(piece, model, &merger) {
            // No part has a character without a token. PERF: with nothing to merge, do not try.
            let _none = if fresh {
                merger.first_tokens(&model.vocab, part, whole, &mut ids)?
            } else {
                merger.encode_word(&model.vocab, part, whole, &mut merged, &mut ids)?
            };
            if !ids.is_empty() {
                words.push(ids.drain(..), count)?;
            }
        }
        Ok(())
    })?;
    Ok(words)
}

/// The parts of a piece that learn by themselves, and whether each ends where the piece ends.
fn parts<'p>(piece: &'p [u8], model: &Model, merger: &Merger) -> Vec<(&'p [u8], bool)> {
    let end_of_word = model.start.end_of_word.as_ref();
    let mark = end_of_word.map_or(&b""[..], |end| end.mark.as_bytes());
    let (mut parts, mut from, mut at) = (Vec::new(), 0, 0);
    for unit in model.start.units.of(piece) {
        let (before, after) = (at, at + unit.len());
        at = after;
        if !merger.is_known(&model.vocab, unit, after == piece.len()) {
            parts.push((&piece[from..before], false));
            from = after;
        } else if mark.len() > unit.len() && piece[..after].ends_with(mark) {
            parts.push((&piece[from..before], false));
            from = before;
        }
    }
    parts.push((&piece[from..], true));
    parts.retain(|(part, whole)| !part.is_empty() || *whole);
    parts
}

#[cfg(test)]
mod tests {
    use crate::counts::Counts;
    use crate::model::{EndOfWord, Merges, Model, Pattern, Units};
    use crate::pretok::Named;
    use crate::trainer::{Settings, Size, Start, train};
    use crate::types::Count;

    fn settings<'a>(size: Size, start: Start<'a>) -> Settings<'a> {
        Settings {
            start,
            end_of_word: Some("</w>".into()),
            unk_token: Some("<unk>".into()),
            special_tokens: Some(vec!["<|end|>".into()]),
            ..Settings::new(size)
        }
    }

    fn counts(pieces: &[(&str, Count)]) -> Counts {
        let mut counts = Counts::new(Pattern::Named(Named::Whitespace), Vec::new());
        for (piece, count) in pieces {
            counts.add_piece(piece.as_bytes(), *count).unwrap();
        }
        counts
    }

    fn trained(pieces: &[(&str, Count)], settings: &Settings<'_>) -> Model {
        train(&counts(pieces), settings, &mut |_, _| Ok(())).unwrap().model
    }

    fn tokens(model: &Model) -> Vec<String> {
        let token = |id| model.token_bytes(id).unwrap().to_vec();
        (0..model.id_limit()).map(|id| String::from_utf8(token(id)).unwrap()).collect()
    }

    const LOW: [(&str, Count); 5] =
        [("low", 5), ("lower", 2), ("newest", 6), ("widest", 3), (" ", 15)];

    #[test]
    fn the_classic_example() {
        let model = trained(&LOW, &settings(Size::Merges(4), Start::Characters(None)));
        let expected = [
            "d", "e", "i", "l", "n", "o", "r", "s", "t", "w", "</w>", "t</w>", "st</w>", "est</w>",
            "ow", "<unk>", "<|end|>",
        ];
        assert_eq!(tokens(&model), expected);
        assert_eq!(model.start.units, Units::Characters);
        assert_eq!(model.start.unk, Some(15));
        let end = EndOfWord { mark: "</w>".into(), joined: false };
        assert_eq!(model.start.end_of_word, Some(end));
    }

    #[test]
    fn smaller_ones_are_truncated_ones() {
        for start in [Start::Characters(None), Start::Characters(Some(5)), Start::Bytes] {
            let train = |size| {
                let unk_token = match start {
                    Start::Bytes => None,
                    _ => Some("<unk>".into()),
                };
                trained(&LOW, &Settings { unk_token, ..settings(size, start) })
            };
            let whole = train(Size::Merges(9));
            let Merges::Listed(pairs) = &whole.merges else { panic!() };
            for fewer in 0..pairs.len() {
                let size = whole.size() - fewer;
                assert_eq!(whole.truncated(size).unwrap(), train(Size::Vocab(size)));
            }
        }
    }

    #[test]
    fn a_small_alphabet_keeps_the_most_frequent_characters() {
        let pieces = [("aé中", 3), ("é", 1), ("zaz", 1), ("b", 5), ("   ", 99)];
        let model = trained(&pieces, &settings(Size::Merges(9), Start::Characters(Some(3))));
        // a 4, b 5, é 4, 中 3, z 2. The cut around `中` leaves `</w>` alone.
        let expected = ["a", "b", "é", "</w>", "b</w>", "aé", "é</w>", "<unk>", "<|end|>"];
        assert_eq!(tokens(&model), expected);
        let model = trained(&pieces, &settings(Size::Merges(0), Start::Characters(Some(2))));
        assert_eq!(tokens(&model)[..3], ["a", "b", "</w>"], "of a and é the smaller one");
    }

    #[test]
    fn no_merge_makes_a_token_that_looks_like_the_mark() {
        let pieces = [("</w>", 9), ("a</w></w>b", 5), ("</wa", 2)];
        for start in [Start::Characters(None), Start::Bytes] {
            let settings = Settings { unk_token: None, ..settings(Size::Merges(99), start) };
            let model = trained(&pieces, &settings);
            let Merges::Listed(pairs) = &model.merges else { panic!() };
            let bytes = |id| model.vocab.bytes_of(id).unwrap();
            for &(left, right) in pairs {
                let made = [bytes(left), bytes(right)].concat();
                assert_eq!(made.ends_with(b"</w>"), bytes(right).ends_with(b"</w>"));
            }
            assert!(model.vocab.id_of(b"></w>").is_some() && model.vocab.id_of(b"</w").is_some());
        }
        let single = Settings {
            end_of_word: Some("_".into()),
            ..settings(Size::Merges(0), Start::Characters(None))
        };
        assert_eq!(tokens(&trained(&[("a_b", 1)], &single))[..3], ["a", "b", "_"]);
    }

    #[test]
    fn a_base_goes_on_with_its_own_words() {
        let base = trained(&LOW, &settings(Size::Merges(3), Start::Characters(None)));
        let more = Settings {
            start: Start::Base(&base),
            end_of_word: None,
            unk_token: None,
            ..settings(Size::Merges(1), Start::Bytes)
        };
        let model = trained(&[("lowést", 4), ("lo", 1)], &more);
        assert_eq!((model.start.clone(), model.special_tokens.len()), (base.start.clone(), 2));
        assert_eq!(tokens(&model)[..base.id_limit() as usize], tokens(&base));
        // `é` is unknown to the base: its two sides learn apart.
        assert_eq!(tokens(&model).last().unwrap(), "lo");
    }

    #[test]
    fn lengths_are_characters_without_the_mark() {
        let limited = |most| {
            let settings = Settings {
                max_token_length: Some(most),
                ..settings(Size::Merges(9), Start::Characters(None))
            };
            let model = trained(&[("éé", 5)], &settings);
            tokens(&model)[2..]
                .iter()
                .filter(|token| token.contains('é'))
                .cloned()
                .collect::<Vec<_>>()
        };
        assert_eq!(limited(1), ["é</w>"]);
        assert_eq!(limited(2), ["éé", "éé</w>"]);
    }

    #[test]
    fn settings_that_do_not_fit_are_refused() {
        let refused = |settings: Settings<'_>| {
            train(&counts(&LOW), &settings, &mut |_, _| Ok(())).unwrap_err().to_string()
        };
        let chars = || settings(Size::Merges(1), Start::Characters(None));
        assert_eq!(
            refused(settings(Size::Merges(1), Start::Bytes)),
            "unk_token goes with initial_vocab=\"chars\": every byte is a token"
        );
        let given = Settings { unk_token: None, start: Start::Given(&[]), ..chars() };
        assert_eq!(refused(given), "end_of_word goes with initial_vocab=\"chars\" or \"bytes\"");
        assert_eq!(
            refused(settings(Size::Merges(1), Start::Characters(Some(0)))),
            "limit_alphabet must be at least 1, not 0"
        );
        assert_eq!(
            refused(Settings { unk_token: Some("</w>".into()), ..chars() }),
            "end_of_word and unk_token are both \"</w>\""
        );
        assert_eq!(
            refused(Settings { end_of_word: Some(String::new()), ..chars() }),
            "the end-of-word mark is empty"
        );
        assert_eq!(
            refused(settings(Size::Vocab(5), Start::Characters(None))),
            "vocab_size=5 is too small: 11 base tokens and 2 special tokens need at least 13\n  hint: \
             pass vocab_size=13 for no merges at all, or more to learn some"
        );
    }
}
