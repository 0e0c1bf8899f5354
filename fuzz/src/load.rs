/*!
Loading: the bytes are the files of a tokenizer.

One file, of any format; or two with a zero byte between them, a `vocab.json` and its `merges.txt`, or a
`vocab.txt` and its `tokenizer_config.json`. What is refused is refused with an error. What loads must
encode as the definition says, and be the same after saving.
*/

use std::fs;
use std::sync::Arc;

use subword_core::formats::{self, LoadOptions};
use subword_core::pretok::Named;
use subword_core::{Allowed, Model, Pattern, Tokenizer};

use crate::encode::{all_ways, saved_and_loaded};
use crate::temporary::Temporary;

/// Texts for tokenizers that nobody knows.
pub(crate) const TEXTS: [&str; 4] = [
    "Hello, world! It's 12345 o'clock\n\n  e\u{301}\u{e9} \u{4e2d}\u{6587} \u{1f600}\u{200d}\u{ad}",
    "<|endoftext|>lowest [CLS] newer</w> \u{140}! \u{938}\u{95c}.com\u{3000}<s> <s>  aaaaaaaaaaaaaaaa",
    "\u{2126}\u{130}\u{1100}\u{1161}\u{11a8} \u{fb01} xxxxxxxx--------ab ab\u{2001}\t\r\n'S 'll _b #a ##a",
    "",
];

/// Checks one input.
pub fn check(data: &[u8]) {
    let folder = Temporary::new();
    let (first, second) = match data.iter().position(|&byte| byte == 0) {
        Some(at) => (&data[..at], Some(&data[at + 1..])),
        None => (data, None),
    };
    // The content says which format it is, not the name.
    let path = folder.file("tokenizer");
    fs::write(&path, first).expect("a file can be written");
    for name in ["merges.txt", "tokenizer_config.json"] {
        if let Some(second) = second {
            fs::write(folder.file(name), second).expect("a file can be written");
        }
    }
    let plain = formats::load(&path, &LoadOptions::default());
    let options = LoadOptions {
        pattern: Some(Pattern::Named(Named::Gpt2)),
        special_tokens: Some(vec![("<|endoftext|>".into(), None)]),
        ..LoadOptions::default()
    };
    let with_options = formats::load(&path, &options);
    for model in [plain, with_options].into_iter().flatten() {
        use_it(model);
    }
}

fn use_it(model: Model) {
    // The definition looks at all tokens for each piece.
    let small = model.vocab.len() < 2000;
    let Ok(tokenizer) = Tokenizer::new(Arc::new(model), 1 << 16) else { return };
    let own: Vec<u8> =
        tokenizer.model().vocab.iter().flat_map(|(_, bytes)| bytes).copied().collect();
    let own = &own[..own.len().min(400)];
    let texts: Vec<&[u8]> = TEXTS.into_iter().map(str::as_bytes).chain([own]).collect();
    for text in texts.iter().filter(|_| small) {
        for allowed in [Allowed::Text, Allowed::All] {
            all_ways(&tokenizer, text, &allowed);
        }
    }
    saved_and_loaded(&tokenizer, &texts);
}
