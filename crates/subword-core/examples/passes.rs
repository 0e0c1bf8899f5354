//! Encodes standard input several times, on one thread: `passes TOKENIZER TIMES < TEXT`.
//!
//! This is what instructions are counted on, where a clock says nothing: under callgrind, and in an emulator of another
//! processor. A warm pass is the difference of two runs, one of which makes a pass more (bench/README.md).

use std::error::Error;
use std::io::{Read, stdin};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::Arc;

use subword_core::formats::{LoadOptions, load};
use subword_core::tokenizer::DEFAULT_CACHE_BYTES;
use subword_core::{Allowed, Tokenizer};

fn main() -> Result<(), Box<dyn Error>> {
    let usage = "usage: passes TOKENIZER TIMES < TEXT";
    let mut args = std::env::args_os().skip(1);
    let path = args.next().map(PathBuf::from).ok_or(usage)?;
    let times: usize = args.next().and_then(|n| n.into_string().ok()?.parse().ok()).ok_or(usage)?;
    let tokenizer =
        Tokenizer::new(Arc::new(load(&path, &LoadOptions::default())?), DEFAULT_CACHE_BYTES)?;
    let mut text = Vec::new();
    stdin().read_to_end(&mut text)?;
    let (mut number, mut sum) = (0, 0u64);
    for _ in 0..times {
        let ids = tokenizer.encode(&text, &Allowed::All, Some(NonZeroUsize::MIN))?;
        number = ids.len();
        sum = ids.iter().fold(0, |sum, &id| sum.wrapping_mul(31).wrapping_add(u64::from(id)));
    }
    // The same for every processor and every level.
    println!("{number} ids, check sum {sum:016x}");
    Ok(())
}
