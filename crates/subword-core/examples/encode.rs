//! Prints the ids of standard input: `cargo run --example encode -- tokenizer.json < text.txt`.
//!
//! Any file that holds its own pattern can be named: our own format, `tokenizer.json`, `vocab.txt`, or
//! `vocab.json` with `merges.txt` beside it. Special tokens in the text become their ids.

use std::error::Error;
use std::io::{Read, Write, stdin, stdout};
use std::path::PathBuf;
use std::sync::Arc;

use subword_core::formats::{LoadOptions, load};
use subword_core::tokenizer::DEFAULT_CACHE_BYTES;
use subword_core::{Allowed, Tokenizer};

fn main() -> Result<(), Box<dyn Error>> {
    let path =
        std::env::args_os().nth(1).map(PathBuf::from).ok_or("usage: encode TOKENIZER < TEXT")?;
    // A model is plain data. A tokenizer has the tables that make it fast, and is shared between threads.
    let model = Arc::new(load(&path, &LoadOptions::default())?);
    let tokenizer = Tokenizer::new(model, DEFAULT_CACHE_BYTES)?;
    let mut text = Vec::new();
    stdin().read_to_end(&mut text)?;
    // No number of threads means as many as there are cores, where the text is long enough.
    let ids = tokenizer.encode(&text, &Allowed::All, None)?;
    let words: Vec<String> = ids.iter().map(ToString::to_string).collect();
    Ok(writeln!(stdout(), "{}", words.join(" "))?)
}
