/*!
Which path encodes the texts of a model, and why: for a user who wants to know why something is slow.

```text
fused front          normaliser and word split are part of the look-up: no normalised copy of the text
scanner              the pattern cuts the text; pieces are cached
plain chain          every component is a step of its own
```

How a pattern runs is another question, which `pretok::PatternReport` answers.
*/

use super::metaspace;
use super::plan::Path;
use super::wordpiece::Words;
use super::{Finders, Plan};
use crate::formats;

impl Plan {
    /// The name of the path, and why it is that one.
    pub(crate) fn describe(&self) -> (&'static str, String) {
        match &self.path {
            Path::Words(Words::Fast(fast)) if fast.front.is_some() => {
                ("fused front", "BERT's normaliser and word split have one".to_owned())
            }
            Path::Bytes if self.superwords.is_some() => {
                ("scanner", "words are cut and cached, then merged to superwords".to_owned())
            }
            Path::Bytes | Path::NonByte | Path::Longest(_) | Path::Words(_) => {
                ("scanner", "the pattern cuts the text, and pieces are cached".to_owned())
            }
            Path::Chain { spaced: Some(_), .. } if !self.always_in_normalized() => {
                let why = "SentencePiece's BPE: in the tables a space stands for ▁";
                ("fused front", why.to_owned())
            }
            Path::Chain { words: Some(_), .. } if !self.always_in_normalized() => {
                let why = "Unigram: raw text is cut at white space, and its parts are cached";
                ("fused front", why.to_owned())
            }
            Path::Chain { spaced: Some(_), .. } | Path::Chain { words: Some(_), .. } => {
                let why = "an added token is matched in the normalised text, in every text";
                ("plain chain", why.to_owned())
            }
            Path::Chain { .. } => ("plain chain", self.why_chain()),
        }
    }

    /// Whether every text is searched for added tokens once it is normalised.
    fn always_in_normalized(&self) -> bool {
        let Finders { normal, .. } = &self.always;
        !normal.is_empty()
    }

    fn why_chain(&self) -> String {
        let pieces = self.model.chain.as_ref().and_then(|chain| chain.pieces());
        match pieces {
            Some(pieces) => metaspace::why_not(&self.model, pieces).to_owned(),
            None => formats::why_chain(&self.model),
        }
    }
}
