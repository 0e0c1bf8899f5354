//! What came of the jobs of a batch, for a caller that takes it in order.

use std::sync::Mutex;

use super::{Ragged, locked};
use crate::error::Result;

/// The ids of some texts for each job, and where each of them ends: the first offset is left out.
#[derive(Default)]
pub(super) struct Parts(Mutex<State>);

#[derive(Default)]
struct State {
    /// What was not taken yet.
    outcomes: Vec<Option<Result<Option<Ragged>>>>,
    taken: usize,
    /// Parts whose memory can be used again.
    used: Vec<Ragged>,
}

impl Parts {
    pub(super) fn empty(&self) -> Ragged {
        locked(&self.0).used.pop().unwrap_or_default().emptied()
    }

    pub(super) fn add(&self, job: usize, outcome: Result<Option<Ragged>>) {
        let mut state = locked(&self.0);
        if state.outcomes.len() <= job {
            state.outcomes.resize_with(job + 1, || None);
        }
        state.outcomes[job] = Some(outcome);
    }

    /// Hands over the parts for which nothing is missing, if there are so many. Says false, or the error,
    /// if one of them has no ids.
    pub(super) fn take(&self, least: usize, take: &mut impl FnMut(&[Ragged])) -> Result<bool> {
        let ready = locked(&self.0).ready(least);
        let mut parts = Vec::with_capacity(ready.len());
        for outcome in ready {
            let Some(part) = outcome? else { return Ok(false) };
            parts.push(part);
        }
        if !parts.is_empty() {
            take(&parts);
            locked(&self.0).used.append(&mut parts);
        }
        Ok(true)
    }
}

impl State {
    fn ready(&mut self, least: usize) -> Vec<Result<Option<Ragged>>> {
        let rest = &mut self.outcomes[self.taken..];
        let count = rest.iter().take_while(|outcome| outcome.is_some()).count();
        if count < least {
            return Vec::new();
        }
        self.taken += count;
        rest[..count].iter_mut().filter_map(Option::take).collect()
    }
}
