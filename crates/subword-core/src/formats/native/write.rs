/*!
A model as the text of a native file. The parent module shows what it looks like.

Keys that have their default value are left out where older versions did not know them, and special
tokens, tokens and merges take one line each, so that two files can be compared line by line.
*/

use super::{FLAGS, FORMAT, VERSION, sentencepiece, template, wordpiece};
use crate::formats::huggingface::{self, rows};
use crate::formats::json::{write_lines, write_string};
use crate::formats::{alphabet, gpt2};
use crate::model::{
    ChainModel, Decoder, Encoder, Merges, Model, Normalizer, Pattern, SpecialToken, Start,
    TrimOffsets, Units,
};

/// The file of a model.
pub(in crate::formats) fn write(model: &Model) -> String {
    if let Some(chain) = &model.chain {
        if let ChainModel::SentencePiece(pieces) = &chain.model {
            return sentencepiece::write(model, pieces);
        }
        let file = huggingface::write_chain(model, chain);
        return format!(
            "{{\n  \"format\": \"{FORMAT}\",\n  \"version\": {VERSION},\n  \"type\": \"chain\",\n  \
             \"tokenizer\": {file}}}\n"
        );
    }
    let mut out = String::with_capacity(model.vocab.len() * 24);
    out.push_str(&format!("{{\n  \"format\": \"{FORMAT}\",\n  \"version\": {VERSION},\n"));
    let kind = if model.as_word_piece().is_some() { "wordpiece" } else { "bpe" };
    out.push_str(&format!("  \"type\": \"{kind}\",\n  \"pattern\": "));
    write_pattern(&mut out, &model.pattern);
    out.push_str(&format!(",\n  \"normalizer\": {},\n", normalizer_text(model.normalizer)));
    if let Some(word_piece) = model.as_word_piece() {
        wordpiece::write(&mut out, word_piece);
    } else {
        out.push_str(&format!("  \"ignore_merges\": {},\n", model.ignore_merges));
        write_start(&mut out, &model.start);
    }
    match model.encoder {
        Encoder::Longest => out.push_str("  \"encoder\": \"longest\",\n"),
        Encoder::Fewest => out.push_str("  \"encoder\": \"fewest\",\n"),
        Encoder::Merge | Encoder::WordPiece(_) => {}
    }
    if let Some(unk) = model.start.unk {
        out.push_str(&format!("  \"unk\": {unk},\n"));
    }
    out.push_str("  \"special_tokens\": ");
    let tokens = model.special_tokens.iter().cloned();
    write_between(&mut out, ['[', ']'], tokens, write_special_token);
    out.push_str(",\n  \"template\": ");
    template::write(&mut out, &model.template);
    if model.rows.truncation.is_some() {
        out.push_str(&format!(",\n  \"truncation\": {}", rows::truncation(&model.rows)));
    }
    if model.rows.padding.is_some() {
        out.push_str(&format!(",\n  \"padding\": {}", rows::padding(&model.rows)));
    }
    out.push_str(match model.trim_offsets {
        TrimOffsets::Nothing => "",
        TrimOffsets::Spaces => ",\n  \"trim_offsets\": \"spaces\"",
        TrimOffsets::SpacesButFirst => ",\n  \"trim_offsets\": \"spaces-but-first\"",
    });
    if model.decoder == Decoder::Spaced {
        out.push_str(",\n  \"decoder\": \"spaced\"");
    }
    out.push_str(",\n  \"vocab\": ");
    write_between(&mut out, ['{', '}'], model.vocab.iter(), |out, (id, bytes)| {
        write_string(out, &alphabet::written(bytes));
        out.push_str(&format!(": {id}"));
    });
    if model.as_word_piece().is_none() {
        out.push_str(",\n  \"merges\": ");
        write_merges(&mut out, model);
    }
    out.push_str("\n}\n");
    out
}

fn write_merges(out: &mut String, model: &Model) {
    match &model.merges {
        Merges::Ranked => out.push_str("\"ranked\""),
        Merges::Listed(pairs) => write_between(out, ['[', ']'], pairs, |out, &pair| {
            write_string(out, &gpt2::merge_line(&model.vocab, pair));
        }),
    }
}

fn normalizer_text(normalizer: Normalizer) -> String {
    match normalizer {
        Normalizer::None => "null".to_owned(),
        Normalizer::Bert(bert) => wordpiece::normalizer_text(&bert),
        unicode => format!("\"{}\"", unicode.name()),
    }
}

fn write_start(out: &mut String, start: &Start) {
    if start.units == Units::Characters {
        out.push_str("  \"units\": \"characters\",\n");
    }
    if let Some(end) = &start.end_of_word {
        out.push_str("  \"end_of_word\": ");
        write_string(out, &end.mark);
        out.push_str(if end.joined { ",\n  \"end_of_word_joined\": true,\n" } else { ",\n" });
    }
}

/// One item per line, between two brackets.
pub(super) fn write_between<T>(
    out: &mut String,
    brackets: [char; 2],
    items: impl IntoIterator<Item = T>,
    write: impl FnMut(&mut String, T),
) {
    out.push(brackets[0]);
    write_lines(out, "    ", items, write);
    out.push(brackets[1]);
}

fn write_pattern(out: &mut String, pattern: &Pattern) {
    match pattern {
        Pattern::Named(named) => write_string(out, named.name()),
        Pattern::Regex(regex) => {
            out.push_str("{\"regex\": ");
            write_string(out, regex);
            out.push('}');
        }
        Pattern::Sequence(patterns) => write_between(out, ['[', ']'], patterns, write_pattern),
    }
}

pub(super) fn write_special_token(out: &mut String, mut token: SpecialToken) {
    out.push_str("{\"content\": ");
    write_string(out, &token.content);
    out.push_str(&format!(", \"id\": {}", token.id));
    for (name, flag) in FLAGS {
        if *flag(&mut token) {
            out.push_str(&format!(", \"{name}\": true"));
        }
    }
    out.push('}');
}
