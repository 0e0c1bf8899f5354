/*!
The engine of `subword`. No Python, no printing, no network.

```
use std::sync::Arc;
use subword_core::pretok::Named;
use subword_core::tokenizer::DEFAULT_CACHE_BYTES;
use subword_core::trainer::{BpeSettings, TargetSize, train_bpe};
use subword_core::{Allowed, Counts, Pattern, Tokenizer};

let mut counts = Counts::new(Pattern::Named(Named::None), vec![]);
counts.add_piece(b"low", 5)?;
counts.add_piece(b"lower", 2)?;
let trained = train_bpe(&counts, &BpeSettings::new(TargetSize::Merges(2)), &mut |_, _| Ok(()))?;

let tokenizer = Tokenizer::new(Arc::new(trained.model), DEFAULT_CACHE_BYTES)?;
let ids = tokenizer.encode(b"lows", &Allowed::All, None)?;
assert_eq!(ids, [257, u32::from(b's')]);
assert_eq!(tokenizer.decode(&ids)?, b"lows");
# Ok::<(), subword_core::Error>(())
```

[`formats::load`] reads published tokenizers in the place of training one, [`count_corpus`] counts files, and
[`token_files::encode_files`] encodes them. What happens inside:

```text
COUNT   files or texts -> special -> pretok -> pieces -> Counts
ENCODE  text -> special -> normalize -> pretok -> pieces -> cache, or merge on a miss -> ids
DECODE  ids  -> vocab -> bytes
```

From what a user calls down to bytes; a room uses only what is below it:

| module         | what it knows                                                          |
|----------------|------------------------------------------------------------------------|
| `trainer`      | the public calls of training: `Counts` to `Model`                      |
| `token_files`  | a corpus to token files; threads                                       |
| `count_corpus` | a corpus to `Counts`; threads                                          |
| `tokenizer`    | a `Model` made ready to encode, decode and count; threads              |
| `encode`       | text to ids on one thread                                              |
| `decode`       | ids to text                                                            |
| `train`        | how BPE and WordPiece are learned                                      |
| `formats`      | files to `Model` and back                                              |
| `corpus`       | files to blocks of text                                                |
| `counts`       | how often each piece occurs                                            |
| `parallel`     | jobs over threads, results in order                                    |
| `canonical`    | the one form of a `Model`, checked; smaller models                     |
| `boundary`     | where a text may be cut so that both parts encode alone                |
| `chain`        | the plain chain: any `tokenizer.json`, step by step                    |
| `special`      | text to ordinary spans and special tokens                              |
| `normalize`    | text to normalised text                                                |
| `pretok`       | text to pieces; never sees an id                                       |
| `bpe`          | one piece to token ids; sees no pattern, no special token, no file     |
| `wordpiece`    | one word to token ids by the longest tokens                            |
| `longest`      | one piece to token ids by the vocabulary alone                         |
| `unigram`      | one piece to the token ids of the highest score                        |
| `cache`        | piece to ids, remembered, bounded                                      |
| `model`        | everything a trained tokenizer is, as plain data                       |
| `trie`         | all tokens, walked byte by byte                                        |
| `vocab`        | token bytes to id, and back                                            |
| `bert`         | what BERT's normaliser and word split do with a character              |
| `json`         | JSON with line numbers                                                 |
| `atomic`       | writes that are all or nothing                                         |
| `utf8`         | characters as Python keeps them to UTF-8                               |
| `interrupt`    | work that its caller can interrupt                                     |
| `memory`       | allocations that may fail                                              |
| `seed`         | the random key of this process, for hashes                             |
| `dropout`      | merges that are left out at random                                     |
| `simd`         | kernels with SIMD forms                                                |
| `mem`          | prefetching, cache lines, vectors that threads fill                    |
| `types` `error` | ids, counts, pairs; the one error                                     |

Stages (`special` to `cache`) do not know each other: `encode` joins them. Modules that this page does not link
below are private.
*/

mod atomic;
mod bert;
mod boundary;
mod bpe;
mod cache;
mod canonical;
mod chain;
pub mod corpus;
pub mod count_corpus;
pub mod counts;
mod decode;
mod dropout;
mod encode;
mod error;
pub mod formats;
pub mod interrupt;
mod json;
mod longest;
mod mem;
#[doc(hidden)] // For the door to Python, whose allocations may fail as those of the engine.
pub mod memory;
pub mod model;
mod normalize;
mod parallel;
pub mod pretok;
mod seed;
mod simd;
mod special;
#[cfg(test)]
mod testing;
pub mod token_files;
pub mod tokenizer;
mod train;
pub mod trainer;
mod trie;
mod types;
mod unigram;
pub mod utf8;
mod vocab;
mod wordpiece;

pub use counts::Counts;
pub use error::{Error, Result};
#[doc(hidden)]
// For the door to Python, which reads its objects as the engine reads its tables.
pub use mem::prefetch_pointer;
pub use model::{
    Bert, Content, Decoder, Encoder, EndOfWord, Merges, Model, Normalizer, Padding, Pattern,
    RowDefaults, Side, SpecialToken, Start, Template, TemplateSlot, TrimOffsets, Truncation,
    TruncationStrategy, Units, Unknown, WordLimit, WordPiece,
};
pub use simd::Level;
pub use special::Allowed;
pub use tokenizer::{Located, Ragged, Tokenizer};
pub use types::{Count, Pair, TokenId};
pub use vocab::Vocab;
