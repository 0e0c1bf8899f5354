/*!
A model as a `tokenizer.json` that Hugging Face's tokenizers load, with the same ids.

Two things need care. Token ranks become a merge list (`ranks` has the proof that it is equal). And Hugging
Face does not use the ids that a file gives to added tokens: one that is not in the vocabulary gets the next
id after it. So special tokens are left out of the vocabulary only if those are their ids; otherwise all of
them are written there as well.
*/

use super::{chain, check_matched, dialect, rows, template, wordpiece, words};
use crate::error::{Error, Result};
use crate::formats::json::{write_lines, write_string};
use crate::formats::{gpt2, ranks, sentencepiece};
use crate::model::{Bert, Decoder, Model, Named, Normalizer, Pattern, SpecialToken, Units};
use crate::types::TokenId;

const BYTE_LEVEL: &str = r#"{"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true"#;

/// The file of a model. What it cannot hold is an error.
pub(in crate::formats) fn write(model: &Model) -> Result<String> {
    let converted = sentencepiece::as_tokenizer_json(model)?;
    let model = converted.as_ref().unwrap_or(model);
    if let Some(chain) = &model.chain {
        return Ok(chain::write(model, chain));
    }
    words::check_writable(model)?;
    wordpiece::check_writable(model)?;
    check_matched(model)?;
    if let Some((one, two)) = model.same_id() {
        let (id, one, two) = (one.id, &one.content, &two.content);
        return Err(refusal(&format!(
            "its special tokens {one:?} and {two:?} have the same id {id}"
        )));
    }
    let mut out = String::with_capacity(model.vocab.len() * 48);
    write_head(&mut out, model);
    out.push_str("  \"added_tokens\": [");
    write_lines(&mut out, "    ", &model.special_tokens, write_added_token);
    let bert;
    let normalizer = match model.normalizer {
        Normalizer::Bert(Bert { clean, cjk, strip_accents, lowercase, .. }) => {
            bert = format!(
                "{{\"type\": \"BertNormalizer\", \"clean_text\": {clean}, \
                 \"handle_chinese_chars\": {cjk}, \"strip_accents\": {strip_accents}, \
                 \"lowercase\": {lowercase}}}"
            );
            &bert
        }
        Normalizer::None => "null",
        Normalizer::Nfc => "{\"type\": \"NFC\"}",
        Normalizer::Nfd => "{\"type\": \"NFD\"}",
        Normalizer::Nfkc => "{\"type\": \"NFKC\"}",
        Normalizer::Nfkd => "{\"type\": \"NFKD\"}",
        Normalizer::NfcLowercase => {
            "{\"type\": \"Sequence\", \"normalizers\": [{\"type\": \"NFC\"}, {\"type\": \"Lowercase\"}]}"
        }
    };
    out.push_str(&format!("],\n  \"normalizer\": {normalizer},\n  \"pre_tokenizer\": "));
    write_pattern(&mut out, model)?;
    out.push_str(",\n  \"post_processor\": ");
    template::write(&mut out, model);
    out.push_str(",\n  \"decoder\": ");
    if let Some(word_piece) = model.as_word_piece() {
        wordpiece::write(&mut out, model, word_piece)?;
        out.push_str("\n}\n");
        return Ok(out);
    }
    match (model.start.units, &model.start.end_of_word) {
        _ if model.decoder == Decoder::Spaced => out.push_str("null"),
        (Units::Bytes, _) => out.push_str(&format!("{BYTE_LEVEL}, \"use_regex\": true}}")),
        (Units::Characters, None) => out.push_str("{\"type\": \"Fuse\"}"),
        (Units::Characters, Some(end)) => {
            let mark = string(&end.mark);
            out.push_str(&format!("{{\"type\": \"BPEDecoder\", \"suffix\": {mark}}}"));
        }
    }
    out.push_str(",\n");
    write_model(&mut out, model)?;
    out.push_str("\n}\n");
    Ok(out)
}

/// The start of the file.
pub(super) fn write_head(out: &mut String, model: &Model) {
    let (truncation, padding) = (rows::truncation(&model.rows), rows::padding(&model.rows));
    out.push_str(&format!(
        "{{\n  \"version\": \"1.0\",\n  \"truncation\": {truncation},\n  \"padding\": {padding},\n"
    ));
}

/// The error that a file cannot hold the model.
pub(super) fn refusal(what: &str) -> Error {
    Error::format(format!("this tokenizer cannot be saved as tokenizer.json: {what}"))
        .with_hint("save it as a native file")
}

/// A string as JSON writes it.
pub(super) fn string(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    write_string(&mut out, text);
    out
}

pub(super) fn write_added_token(out: &mut String, token: &SpecialToken) {
    let SpecialToken { content, id, always, lstrip, rstrip, single_word, normalized } = token;
    out.push_str(&format!(
        "{{\"id\": {id}, \"content\": {}, \"single_word\": {single_word}, \"lstrip\": {lstrip}, \
         \"rstrip\": {rstrip}, \"normalized\": {normalized}, \"special\": {}}}",
        string(content),
        !always
    ));
}

fn write_pattern(out: &mut String, model: &Model) -> Result<()> {
    if model.as_word_piece().is_some() {
        out.push_str(wordpiece::pre_tokenizer(model).unwrap_or("null"));
        return Ok(());
    }
    let dropper = words::dropper(model);
    let mut regexes = Vec::new();
    if !dropper.as_ref().is_some_and(|(_, whole)| *whole) {
        collect_regexes(&model.pattern, &mut regexes);
    }
    let gpt2 = model.pattern == Pattern::Named(Named::Gpt2);
    if model.start.is_plain() && (gpt2 || regexes.is_empty()) {
        out.push_str(&format!("{BYTE_LEVEL}, \"use_regex\": {gpt2}}}"));
        return Ok(());
    }
    for regex in &regexes {
        dialect::check(regex)?;
    }
    let split = |regex: &&str| {
        format!(
            "{{\"type\": \"Split\", \"pattern\": {{\"Regex\": {}}}, \"behavior\": \"Isolated\", \
             \"invert\": false}}",
            string(regex)
        )
    };
    let bytes = model.start.units == Units::Bytes;
    let byte_level = bytes.then(|| format!("{BYTE_LEVEL}, \"use_regex\": false}}"));
    let dropper = dropper.map(|(dropper, _)| dropper);
    let parts: Vec<String> = regexes.iter().map(split).chain(dropper).chain(byte_level).collect();
    if parts.is_empty() {
        out.push_str("null");
        return Ok(());
    }
    out.push_str("{\"type\": \"Sequence\", \"pretokenizers\": [");
    write_lines(out, "    ", parts, |out, part| out.push_str(&part));
    out.push_str("]}");
    Ok(())
}

fn collect_regexes<'a>(pattern: &'a Pattern, out: &mut Vec<&'a str>) {
    match pattern {
        Pattern::Named(Named::Cl100k) => out.push(Named::CL100K_ONIGURUMA),
        Pattern::Named(named) => out.extend(named.regexes()),
        Pattern::Regex(regex) => out.push(regex),
        Pattern::Sequence(patterns) => patterns.iter().for_each(|p| collect_regexes(p, out)),
    }
}

fn write_model(out: &mut String, model: &Model) -> Result<()> {
    let (tokens, ignore_merges) = match vocabulary(model) {
        // A whole piece that is a special token would become it. Where merges make every token, to
        // ignore them for whole pieces changes nothing else, so it need not be said.
        Err(_) if model.ignore_merges && ranks::unreachable_token(model).is_none() => {
            (vocabulary(&Model { ignore_merges: false, ..model.clone() })?, false)
        }
        tokens => (tokens?, model.ignore_merges),
    };
    let spelling = words::spelling(model);
    let pairs = ranks::merge_list(model);
    let text = |text: Option<&str>| text.map_or("null".to_owned(), string);
    let unk = model.start.unk.and_then(|id| model.token_bytes(id));
    let unk = text(unk.and_then(|token| std::str::from_utf8(token).ok()));
    let mark = text(model.start.joined_mark());
    out.push_str(&format!(
        "  \"model\": {{\n    \"type\": \"BPE\",\n    \"dropout\": null,\n    \"unk_token\": {unk},\n    \
         \"continuing_subword_prefix\": null,\n    \"end_of_word_suffix\": {mark},\n    \
         \"fuse_unk\": false,\n    \"byte_fallback\": false,\n    ",
    ));
    out.push_str(&format!("\"ignore_merges\": {ignore_merges},\n    \"vocab\": {{"));
    write_lines(out, "      ", &tokens, |out, (token, id)| {
        write_string(out, token);
        out.push_str(&format!(": {id}"));
    });
    out.push_str("},\n    \"merges\": [");
    write_lines(out, "      ", pairs.iter(), |out, &(left, right)| {
        let token = |id| string(&spelling.written(model.vocab.bytes_of(id).unwrap_or_default()));
        out.push_str(&format!("[{}, {}]", token(left), token(right)));
    });
    out.push_str("]\n  }");
    Ok(())
}

/// The vocabulary, with the special tokens that Hugging Face would number otherwise, and the unk token,
/// which is looked for in the vocabulary alone.
pub(super) fn vocabulary(model: &Model) -> Result<Vec<(String, TokenId)>> {
    let spelling = words::spelling(model);
    let written = |special: &[SpecialToken]| {
        let collision = |token| refusal(&format!("two of its tokens are written {token:?}"));
        gpt2::written_tokens(model, special, spelling).map_err(collision)
    };
    let is_outside = |token: &&SpecialToken| {
        let written = model.vocab.bytes_of(token.id).map(|bytes| spelling.written(bytes));
        written.as_ref() != Some(&token.content)
    };
    let is_unk = |token: &&SpecialToken| model.start.unk == Some(token.id);
    let outside = || model.special_tokens.iter().filter(is_outside);
    let unk: Vec<SpecialToken> = outside().filter(is_unk).cloned().collect();
    let next = (model.vocab.len() + unk.len()) as TokenId;
    let numbered = outside().filter(|token| !is_unk(token)).zip(next..);
    let (inside, stays_outside) = match { numbered }.all(|(token, id)| token.id == id) {
        true => (unk, true),
        false => (model.special_tokens.clone(), false),
    };
    let tokens = written(&inside)?;
    let may_be_text = model.may_be_text()?;
    let becomes_text = |token: &&SpecialToken| {
        // An unknown character is the unk token in any case.
        let unknown = is_unk(token) && model.as_word_piece().is_none();
        let bytes = spelling.read(&token.content);
        (is_unk(token) || !stays_outside) && !unknown && bytes.is_some_and(|b| may_be_text(&b))
    };
    if let Some(token) = outside().find(becomes_text) {
        let (content, id) = (&token.content, token.id);
        return Err(refusal(&format!(
            "its special token {content:?} with id {id} must be in the vocabulary there, and text would \
             become it"
        )));
    }
    Ok(tokens)
}
