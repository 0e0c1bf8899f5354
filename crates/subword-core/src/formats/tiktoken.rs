/*!
`.tiktoken`: one token per line, `base64(token bytes) SP rank`.

```text
IQ== 0
IHRoZQ== 262
```

The rank is the id, and it says which pair merges first; a piece that is a token is that token. So the merges are
[`Merges::Ranked`] and `ignore_merges` is set. Ranks may have holes.

The file holds neither the pattern nor the special tokens: tiktoken keeps them in its source code. We do not guess.
*/

use base64::Engine;
use base64::engine::general_purpose::STANDARD;

use super::{LoadOptions, ranks, special_tokens};
use crate::error::{Error, Result};
use crate::model::{Merges, Model, Normalizer, Template};
use crate::types::TokenId;
use crate::vocab::{MAX_ID, MAX_TOKEN_BYTES, Vocab};

const EXPECTED: &str = "expected a token in base64, one space and a rank";

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
        return Err(Error::format("a .tiktoken file does not say how text is cut into pieces").with_hint(
            "pass pattern=\"cl100k\" (\"o200k\" for o200k_base, \"gpt2\" for r50k_base and p50k_base)",
        ));
    };
    let vocab = read_vocab(bytes)?;
    let special_tokens =
        special_tokens(&vocab, options.special_tokens.clone().unwrap_or_default())?;
    let mut model = Model::new(vocab, Merges::Ranked, pattern, special_tokens);
    model.ignore_merges = true;
    model.checked()
}

fn read_vocab(bytes: &[u8]) -> Result<Vocab> {
    let mut vocab = Vocab::with_capacity(bytes.len() / 16);
    let mut token = vec![0; MAX_TOKEN_BYTES + 3];
    for (at, line) in bytes.split(|&byte| byte == b'\n').enumerate() {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        if line.is_empty() {
            continue;
        }
        read_line(line, &mut token, &mut vocab).map_err(|error| error.on_line(at + 1))?;
    }
    Ok(vocab)
}

fn read_line(line: &[u8], token: &mut [u8], vocab: &mut Vocab) -> Result<()> {
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
        Ok(length) => vocab.insert(rank, &token[..length]),
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

/// The file of a model. Special tokens are not part of it; anything else that it cannot hold is an error.
pub(super) fn write(model: &Model) -> Result<String> {
    let refusal = |what: String| {
        Error::format(format!("this tokenizer cannot be saved as .tiktoken: {what}"))
            .with_hint("save it as a native file or as tokenizer.json")
    };
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
