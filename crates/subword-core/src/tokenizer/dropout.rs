//! Texts whose merges are left out at random.

use super::batch::append;
use super::{Threads, Tokenizer, groups, how_many};
use crate::dropout::Dropout;
use crate::encode::Ragged;
use crate::error::Result;
use crate::memory;
use crate::special::Allowed;

impl Tokenizer {
    /// The ids of many texts, without the merges that are left out: each candidate with the probability `rate`, from 0
    /// to 1. The ids of a text depend on the seed and on its place among the texts.
    pub fn encode_with_dropout(
        &self,
        texts: &[&[u8]],
        allowed: &Allowed,
        (rate, seed): (f64, u64),
        threads: Threads,
    ) -> Result<Ragged> {
        self.plan.check_merges()?;
        let threads = how_many(threads, texts.iter().map(|text| text.len()).sum());
        self.plan.with_finders(allowed, texts, |finders| {
            let groups = groups(texts.iter().map(|text| text.len()));
            let parts = self.share(groups.len(), threads, |group, scratch| {
                let mut part = Ragged::default();
                for text in groups[group].clone() {
                    let dropout = &mut Dropout::new(rate, seed, text);
                    let ids = &mut part.ids;
                    self.plan.encode_with_dropout(texts[text], finders, dropout, scratch, ids)?;
                    memory::extend(&mut part.bounds, &[part.ids.len() as u64])?;
                }
                Ok(part)
            })?;
            let mut all = Ragged { ids: Vec::new(), bounds: vec![0] };
            parts.iter().try_for_each(|part| append(&mut all, part))?;
            Ok(all)
        })
    }
}
