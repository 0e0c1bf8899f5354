/*!
Tokens that a vocabulary must have, whatever the corpus says.

```text
merges of the corpus     o+w  l+ow  low+e  low+est  e+r      required: wow
the last are taken back  o+w  l+ow  low+e  low+est
and make room for        w+ow
```

Some of the required tokens come out of the training by themselves. For the others, merges of the corpus are taken
back from the end, and those that the missing tokens need take their place: what merging learns from these tokens
alone, each once, after the merges that are kept. The fewer are kept, the more may be needed, so this is repeated
until there is room. Coming last, these merges change the encoding of hardly any other text.
*/

use crate::bpe::{Merged, Merger};
use crate::error::{Error, Result};
use crate::model::{Merges, Model};
use crate::pretok::Splitter;
use crate::train::merges::{self, Learned, LearnedMerge, MergeRules, TrainingWords};

/// Refuses tokens that can never be one piece of a text, or need a byte that has no token.
pub(crate) fn check(required: &[Vec<u8>], model: &Model) -> Result<()> {
    if required.is_empty() {
        return Ok(());
    }
    if !model.start.is_plain() {
        let message = "required tokens go with bytes, and these pieces start otherwise".into();
        return Err(Error::Argument { message });
    }
    let splitter = Splitter::new(&model.pattern)?;
    let missing = Merger::new(model)?.missing_bytes();
    for token in required {
        let mut ends = Vec::new();
        splitter.append_ends(token, 0, &mut ends)?;
        if ends.len() != 1 || token.is_empty() {
            let shown = String::from_utf8_lossy(token);
            let message = format!("required token {shown:?} is {} pieces, not one", ends.len());
            return Err(
                Error::training(message).with_hint("the pattern cuts it, so no text has it")
            );
        }
        super::check_bytes(token, &missing)?;
    }
    Ok(())
}

/// Completes what was learned from a base, so that all required tokens are in the vocabulary; returns the base with the
/// new tokens.
pub(crate) fn complete(
    base: &Model,
    learned: &mut Learned,
    required: &[Vec<u8>],
    rules: &MergeRules,
) -> Result<Model> {
    let mut kept = learned.merges.len();
    loop {
        let mut model = base.clone();
        for merge in &learned.merges[..kept] {
            add(&mut model, merge, base)?;
        }
        let more = needed(&mut model, required, rules)?;
        let tokens = (model.id_limit() - rules.next) as usize;
        let over = (kept + more.len()).saturating_sub(rules.merges);
        let over = over.max(tokens.saturating_sub(rules.tokens));
        if over == 0 {
            learned.merges.truncate(kept);
            learned.helped.truncate(kept);
            learned.merges.extend(more);
            return Ok(Model { merges: base.merges.clone(), ..model });
        }
        kept = kept.checked_sub(over).ok_or_else(|| {
            let message = format!("the required tokens need {over} merges more than there may be");
            Error::training(message)
                .with_hint("a larger vocab_size or num_merges has room for them")
        })?;
    }
}

/// Adds a merge that was learned to a model.
fn add(model: &mut Model, merge: &LearnedMerge, base: &Model) -> Result<()> {
    let bytes = |id| model.vocab.bytes_of(id).unwrap_or_default();
    let joined = [bytes(merge.pair.0), bytes(merge.pair.1)].concat();
    if merge.token >= base.id_limit() && model.vocab.id_of(&joined).is_none() {
        model.vocab.insert(merge.token, &joined)?;
    }
    if let Merges::Listed(pairs) = &mut model.merges {
        pairs.push(merge.pair);
    }
    Ok(())
}

/// The merges that make the required tokens of a model whole; adds their tokens to its vocabulary.
fn needed(
    model: &mut Model,
    required: &[Vec<u8>],
    rules: &MergeRules,
) -> Result<Vec<LearnedMerge>> {
    let merger = Merger::new(model)?;
    let (mut words, mut merged, mut ids) =
        (TrainingWords::default(), Merged::default(), Vec::new());
    for token in required {
        merger.encode(&model.vocab, token, &mut merged, &mut ids)?;
        words.push(ids.drain(..), 1)?;
    }
    let listed = match &model.merges {
        Merges::Listed(pairs) => pairs.clone(),
        Merges::Ranked => Vec::new(),
    };
    let rules = MergeRules {
        ties: rules.ties,
        listed,
        ..MergeRules::new(usize::MAX, model.id_limit().max(rules.next))
    };
    Ok(merges::learn(words, &mut model.vocab, &rules, &mut |_| Ok(()), &mut ())?.merges)
}
