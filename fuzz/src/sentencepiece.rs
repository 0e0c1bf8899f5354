/*!
SentencePiece: the bytes are a `tokenizer.model`.

What is refused is refused with an error. What loads encodes as the definition says, in whatever parts and on
however many threads, decodes what it encodes, and is the same after saving. No text may take long: texts of
many kilobytes that one piece or none spans, of the pieces of the model itself.
*/

use std::path::Path;
use std::sync::Arc;

use subword_core::formats::{self, LoadOptions};
use subword_core::{Allowed, Tokenizer};

use crate::encode::{all_ways, ids_of, saved_and_loaded};
use crate::load::TEXTS;
use crate::threads::on_several;

/// How long a text is that shows quadratic work, in bytes.
const LONG: usize = 20_000;

/// Checks one input.
pub fn check(data: &[u8]) {
    // A file of another format is the business of `load`.
    if data.first() != Some(&0x0A) {
        return;
    }
    let path = Path::new("tokenizer.model");
    let Ok(model) = formats::load_bytes(data, path, &LoadOptions::default()) else { return };
    let Ok(tokenizer) = Tokenizer::new(Arc::new(model), 1 << 16) else { return };
    // Its own pieces, as they are spelled and as they stand in a text.
    let own: Vec<u8> =
        tokenizer.model().vocab.iter().flat_map(|(_, piece)| piece).copied().collect();
    let spaced = String::from_utf8_lossy(&own).replace('▁', " ");
    let first = |text: &[u8]| text[..text.len().min(300)].to_vec();
    let mut texts: Vec<Vec<u8>> = TEXTS.map(|text| text.as_bytes().to_vec()).into();
    texts.extend([first(&own), first(spaced.as_bytes())]);
    for text in &texts {
        for allowed in [Allowed::Text, Allowed::All] {
            all_ways(&tokenizer, text, &allowed);
        }
        if let Some(ids) = ids_of(&tokenizer, text, &Allowed::All) {
            tokenizer.decode(&ids).expect("ids of a text are known");
        }
    }
    for part in [&own[..], spaced.as_bytes(), b"a", b" "] {
        let long = part.repeat(LONG / part.len().max(1)).to_vec();
        ids_of(&tokenizer, &long, &Allowed::Text);
    }
    if data.len().is_multiple_of(16) {
        on_several(&tokenizer, spaced.as_bytes(), &Allowed::All);
    }
    let texts: Vec<&[u8]> = texts.iter().map(Vec::as_slice).collect();
    saved_and_loaded(&tokenizer, &texts);
}
