/*!
Checks of the engine that take any bytes and never fail, however odd the bytes are.

| target          | what the bytes are                    | what must hold                                   |
|-----------------|---------------------------------------|--------------------------------------------------|
| `load`          | the files of a tokenizer              | an error, or a tokenizer that keeps its promises |
| `sentencepiece` | a `tokenizer.model`                   | the same, and no text takes long                 |
| `encode`        | a recipe for a small model and a text | the ids are those of the plain definition        |
| `threads`       | the same                              | the ids on several threads are those on one      |
| `counts`        | a counts file, or a recipe for counts | an error, or counts that survive a round trip    |
| `train`         | a recipe for counts and settings      | the merges are those of the plain trainer        |
| `split`         | a regular expression and a text       | an error, or pieces that spell the text          |

Each target is a module with one function, `check`. A binary in `fuzz_targets/` hands it to libFuzzer,
which makes up new inputs; the test in `tests/replay.rs` runs it on the inputs in `corpus/`, which are
seeds and whatever was found once.

[`plain`] is the definition that ids are compared with: short, slow, and without anything of the
engine but plain data, the normaliser and the regular expression engine.
*/

pub mod chain;
pub mod counts;
pub mod encode;
mod files;
mod input;
pub mod load;
mod models;
pub mod plain;
pub mod sentencepiece;
pub mod split;
mod temporary;
pub mod threads;
pub mod train;

/// A target's name and its check.
pub type Target = (&'static str, fn(&[u8]));

/// Every target.
pub const TARGETS: [Target; 7] = [
    ("load", load::check),
    ("sentencepiece", sentencepiece::check),
    ("encode", encode::check),
    ("threads", threads::check),
    ("counts", counts::check),
    ("train", train::check),
    ("split", split::check),
];
