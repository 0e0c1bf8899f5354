/*!
`.tiktoken`: one token per line, `base64(token bytes) SP rank`.

```text
IQ== 0
IHRoZQ== 262
```

The rank is the id, and it says which pair merges first; a piece that is a token is that token. So
the merges are [`Merges::Ranked`] and `ignore_merges` is set. Ranks may have holes.

The file holds neither the pattern nor the special tokens: tiktoken keeps them in its source code.
We do not guess.

A line may have an empty token, `= 50256` in Whisper's file: an id that no text becomes. It is a hole.
*/

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::{LoadOptions, ranks, special_tokens};
use crate::error::{Error, Result};
use crate::interrupt;
use crate::model::{Merges, Model, Normalizer, Template};
use crate::types::TokenId;
use crate::vocab::{MAX_ID, MAX_TOKEN_BYTES, Vocab, VocabBuilder};

const EXPECTED: &str = "expected a token in base64, one space and a rank";

/// How Whisper's file writes a token without bytes.
const EMPTY: &[u8] = b"=";

const NO_PATTERN: &str = concat!(
    "pass pattern=\"cl100k\" (\"o200k\" for o200k_base, ",
    "\"gpt2\" for r50k_base and p50k_base)"
);

/// Whether the first line looks like one of these files.
pub(super) fn recognise(bytes: &[u8]) -> bool {
    let line = bytes.split(|&byte| byte == b'\n').find(|line| !line.trim_ascii().is_empty());
    let base64 = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    line.and_then(|line| split(line.trim_ascii_end())).is_some_and(|(token, rank)| {
        token.len() % 4 == 0 && token.iter().all(base64) && rank.iter().all(u8::is_ascii_digit)
    })
}

/// The model in a file.
pub(super) fn read(bytes: &[u8], options: &LoadOptions) -> Result<Model> {
    let Some(pattern) = options.pattern.clone() else {
        let message = "a .tiktoken file does not say how text is cut into pieces";
        return Err(Error::format(message).with_hint(NO_PATTERN));
    };
    let vocab = read_vocab(bytes)?;
    let special_tokens =
        special_tokens(&vocab, options.special_tokens.clone().unwrap_or_default())?;
    let mut model = Model::new(vocab, Merges::Ranked, pattern, special_tokens);
    model.ignore_merges = true;
    model.checked()
}

fn read_vocab(bytes: &[u8]) -> Result<Vocab> {
    let mut vocab = VocabBuilder::new(bytes.len() / 16);
    let at_its_line = |(error, line): (Error, usize)| error.on_line(line);
    let mut token = vec![0; MAX_TOKEN_BYTES + 3];
    for (at, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        interrupt::worked(line.len())?;
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            continue;
        }
        let (rank, length) = read_line(line, &mut token).map_err(|error| error.on_line(at + 1))?;
        if length == 0 {
            continue;
        }
        vocab.bytes().extend_from_slice(&token[..length]);
        vocab.add(rank, at + 1).map_err(at_its_line)?;
    }
    vocab.finish().map_err(at_its_line)
}

/// The rank of a line, and how many bytes its token has, which is written to `token`.
fn read_line(line: &[u8], token: &mut [u8]) -> Result<(TokenId, usize)> {
    let shown = || {
        let shown = &line[..line.len().min(60)];
        format!("\"{}\"{}", shown.escape_ascii(), if shown.len() < line.len() { "..." } else { "" })
    };
    let Some((base64, rank)) = split(line) else {
        return Err(Error::format(format!("{EXPECTED}, found {}", shown())));
    };
    let Some(rank) = rank_of(rank) else {
        return Err(Error::format(format!(
            "expected a rank from 0 to {MAX_ID}, found {}",
            shown()
        )));
    };
    if base64.len() > MAX_TOKEN_BYTES / 3 * 4 {
        let message =
            format!("expected a token of at most {MAX_TOKEN_BYTES} bytes, found {}", shown());
        return Err(Error::format(message));
    }
    match STANDARD.decode_slice(base64, token) {
        _ if base64 == EMPTY => Ok((rank, 0)),
        Ok(length) => Ok((rank, length)),
        Err(_) => Err(Error::format(format!("expected a token in base64, found {}", shown()))),
    }
}

/// The token and the rank of a line.
fn split(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let space = line.iter().position(|&byte| byte == b' ')?;
    let (token, rank) = (&line[..space], &line[space + 1..]);
    (!token.is_empty() && !rank.is_empty() && !rank.contains(&b' ')).then_some((token, rank))
}

fn rank_of(digits: &[u8]) -> Option<TokenId> {
    let value = digits.iter().try_fold(0u64, |value, digit| match digit {
        b'0'..=b'9' if value <= u64::from(MAX_ID) => Some(value * 10 + u64::from(digit - b'0')),
        _ => None,
    })?;
    TokenId::try_from(value).ok().filter(|&rank| rank <= MAX_ID)
}

/// The file of a model. Special tokens are not part of it; anything else that it cannot hold is an
/// error.
pub(super) fn write(model: &Model) -> Result<String> {
    let refusal = |what: String| {
        Error::format(format!("this tokenizer cannot be saved as .tiktoken: {what}"))
            .with_hint("save it as a native file or as tokenizer.json")
    };
    if !model.start.is_plain() {
        return Err(refusal(format!("it starts from {}, not from plain bytes", model.start)));
    }
    if model.normalizer != Normalizer::None {
        return Err(refusal("it normalises its text".into()));
    }
    if model.template != Template::default() {
        return Err(refusal("it puts special tokens around a text".into()));
    }
    let name = |id| model.vocab.bytes_of(id).unwrap_or_default().escape_ascii();
    if let Merges::Listed(pairs) = &model.merges
        && let Some(id) = ranks::differs_from_ranks(&model.vocab, pairs)
    {
        let what =
            format!("its merges are not the order of its ids, see token {id}, b\"{}\"", name(id));
        return Err(refusal(what));
    }
    if !model.ignore_merges
        && let Some(id) = ranks::unreachable_token(model)
    {
        let what =
            format!("no merge makes token {id}, b\"{}\", but tiktoken would use it", name(id));
        return Err(refusal(what));
    }
    let mut out = String::with_capacity(model.vocab.len() * 20);
    for (id, bytes) in model.vocab.iter() {
        STANDARD.encode_string(bytes, &mut out);
        out.push_str(&format!(" {id}\n"));
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::tests::{refusal, with_pattern};
    use crate::model::{Named, Pattern, SpecialToken};

    /// The 256 bytes and then these lines, which are lines 257 and on.
    fn lines(more: &str) -> String {
        let model = Model::new(Vocab::bytes(), Merges::Ranked, Pattern::Named(Named::Gpt2), vec![]);
        write(&model).unwrap() + more
    }

    fn refused(more: &str) -> String {
        refusal("t.tiktoken", lines(more), &with_pattern(Named::Gpt2))
    }

    #[test]
    fn lines_are_tokens_and_ranks() {
        let options = LoadOptions {
            special_tokens: Some(vec![("<s>".into(), None)]),
            ..with_pattern(Named::Cl100k)
        };
        for text in [lines("dGhl 300\n"), lines("\ndGhl 300").replace('\n', "\r\n")] {
            let model = read(text.as_bytes(), &options).unwrap();
            assert_eq!(model.vocab.id_of(b"the"), Some(300));
            assert_eq!((model.vocab.len(), model.vocab.id_limit()), (257, 301));
            assert_eq!((model.merges, model.ignore_merges), (Merges::Ranked, true));
            assert_eq!(model.special_tokens, [SpecialToken::new("<s>", 301)]);
        }
    }

    #[test]
    fn an_empty_token_is_an_id_without_a_token() {
        let model =
            read(lines("= 256\ndGhl 257\n").as_bytes(), &with_pattern(Named::Gpt2)).unwrap();
        assert_eq!(model.vocab.bytes_of(256), None);
        assert_eq!(model.vocab.id_of(b"the"), Some(257));
    }

    #[test]
    fn the_pattern_is_not_guessed() {
        assert_eq!(
            refusal("cl100k_base.tiktoken", lines(""), &LoadOptions::default()),
            "cl100k_base.tiktoken: a .tiktoken file does not say how text is cut into pieces\n  \
             hint: pass pattern=\"cl100k\" (\"o200k\" for o200k_base, \"gpt2\" for r50k_base and \
             p50k_base)"
        );
    }

    #[test]
    fn bad_lines_are_refused_with_their_number() {
        let start = "t.tiktoken:257: expected a token in base64";
        assert_eq!(refused("dGhl"), format!("{start}, one space and a rank, found \"dGhl\""));
        assert_eq!(refused(" 1"), format!("{start}, one space and a rank, found \" 1\""));
        assert_eq!(
            refused("dGhl 1 2"),
            format!("{start}, one space and a rank, found \"dGhl 1 2\"")
        );
        assert_eq!(refused("dGh 300"), format!("{start}, found \"dGh 300\""));
        assert_eq!(refused("d=hl 300"), format!("{start}, found \"d=hl 300\""));
        assert_eq!(refused("\u{ff}\t 300"), format!("{start}, found \"\\xc3\\xbf\\t 300\""));
        for rank in ["x", "-1", "1.5", "2097152", "99999999999999999999999"] {
            let expected = "expected a rank from 0 to 2097151, found";
            let line = format!("dGhl {rank}");
            assert_eq!(refused(&line), format!("t.tiktoken:257: {expected} \"{line}\""));
        }
        assert_eq!(
            refused("dGhl 300\nIQ== 301"),
            "t.tiktoken:258: the token b\"!\" has two ids: 33 and 301"
        );
        assert_eq!(refused("dGhl 33"), "t.tiktoken:257: id 33 has two tokens: b\"!\" and b\"the\"");
        let long = "A".repeat(90_000);
        assert_eq!(
            refused(&format!("{long} 300")),
            format!(
                "t.tiktoken:257: expected a token of at most 65536 bytes, found \"{}\"...",
                "A".repeat(60)
            )
        );
    }

    #[test]
    fn a_missing_byte_is_named() {
        let text = lines("").replace("QQ== 65\n", "");
        assert_eq!(
            refusal("t.tiktoken", text, &with_pattern(Named::Gpt2)),
            "t.tiktoken: the vocabulary has no token for byte 0x41\n  hint: byte-level BPE needs all \
             256 single bytes, so that any text can be encoded"
        );
    }

    #[test]
    fn what_the_file_cannot_hold_is_not_saved() {
        let mut vocab = Vocab::bytes();
        [(256, &b"ab"[..]), (257, b"bc"), (258, b"xyz")]
            .into_iter()
            .for_each(|(id, token)| vocab.insert(id, token).unwrap());
        let model = |merges| Model::new(vocab.clone(), merges, Pattern::Named(Named::Gpt2), vec![]);
        let refused = |model: Model| write(&model).unwrap_err().to_string();
        let start = "this tokenizer cannot be saved as .tiktoken: ";
        let hint = "\n  hint: save it as a native file or as tokenizer.json";
        assert_eq!(
            refused(model(Merges::Listed(vec![(98, 99), (97, 98)]))),
            format!("{start}its merges are not the order of its ids, see token 256, b\"ab\"{hint}")
        );
        assert_eq!(
            refused(model(Merges::Ranked)),
            format!("{start}no merge makes token 258, b\"xyz\", but tiktoken would use it{hint}")
        );
        let mut characters = model(Merges::Ranked);
        characters.start.units = crate::model::Units::Characters;
        assert_eq!(
            refused(characters),
            format!("{start}it starts from characters, not from plain bytes{hint}")
        );
        let mut normalised = model(Merges::Ranked);
        normalised.normalizer = Normalizer::Nfc;
        assert_eq!(refused(normalised), format!("{start}it normalises its text{hint}"));
        let mut template = model(Merges::Ranked);
        template.template = Template::around(&[97], &[]);
        assert_eq!(refused(template), format!("{start}it puts special tokens around a text{hint}"));
        let mut whole = model(Merges::Listed(vec![(97, 98), (98, 99)]));
        whole.ignore_merges = true;
        assert!(write(&whole).unwrap().ends_with("YWI= 256\nYmM= 257\neHl6 258\n"));
    }
}
