/*!
The ids of a batch in one array, each part put there by the thread that found it.

Where a part goes is known when all parts before it are done, and how much room there has to be when all
texts were looked at. Until then a thread keeps its parts and goes on:

```text
called     look at texts                     2 done, to 30..40      ...
another    0 done   1 done   3 done, 0 to 0..20, 1 to 20..30      4 done, 3 to 40..55, 4 to 55..70
```

PERF: a part is copied from the caches of the processor that has just written it, and its memory is used again
there. (All parts copied by the thread that was called: a fiftieth of the time, 2026-11-16.)
*/

use std::sync::{Mutex, OnceLock, PoisonError};

use super::{Ragged, locked};
use crate::arch::{Place, Places};
use crate::error::Result;
use crate::memory;
use crate::tokenizer::room::guessed_room_for_ids;
use crate::types::TokenId;

/// Where all parts go, once it is known how much room they need.
#[derive(Debug, Default)]
pub(super) struct Rooms(OnceLock<(Places<TokenId>, Places<u64>)>);

/// The parts of a batch on their way to their places.
pub(super) struct Settling<'r> {
    rooms: &'r Rooms,
    state: Mutex<State<'r>>,
}

#[derive(Default)]
struct State<'r> {
    /// How many ids and texts each part has that is done.
    sizes: Vec<Option<(usize, usize)>>,
    /// Where those go that know it, if they are not there yet.
    places: Vec<Option<Spot<'r>>>,
    /// How many ids there are before the next place.
    base: usize,
    /// Of all parts that are done.
    ids: usize,
    bytes: usize,
    /// Parts whose threads have ended.
    left: Vec<(usize, Ragged)>,
    /// The first part that has no ids, and why.
    failed: Option<(usize, Result<bool>)>,
}

/// Where a part goes.
struct Spot<'r> {
    base: u64,
    ids: Place<'r, TokenId>,
    offsets: Place<'r, u64>,
}

/// The parts of one thread: those that wait for their places, and those whose memory can be used again.
#[derive(Default)]
pub(super) struct Own {
    waiting: Vec<(usize, Ragged)>,
    used: Vec<Ragged>,
}

impl Own {
    pub(super) fn empty(&mut self) -> Ragged {
        self.used.pop().unwrap_or_default().emptied()
    }
}

impl<'r> Settling<'r> {
    pub(super) fn new(rooms: &'r Rooms) -> Settling<'r> {
        Settling { rooms, state: Mutex::default() }
    }

    /// All texts were looked at, and are about so many bytes.
    pub(super) fn make_room(&self, texts: usize, bytes: usize) -> Result<()> {
        let (ids, of) = {
            let state = locked(&self.state);
            (state.ids, state.bytes)
        };
        // As many as the first parts promise, and some more. Room that is not used costs nothing.
        let ids = if of > 0 { ids as f64 / of as f64 * 1.25 } else { 0.5 };
        let mut offsets = memory::with_capacity(texts + 1)?;
        offsets.push(0);
        let ids = guessed_room_for_ids((bytes as f64 * ids) as usize + 1024);
        let _ = self.rooms.0.set((Places::new(ids), Places::new(offsets)));
        Ok(())
    }

    /// A part is done, of so many bytes of text. Puts it and others of this thread in place, where that is
    /// known.
    pub(super) fn settle(&self, number: usize, bytes: usize, part: Ragged, own: &mut Own) {
        let size = (part.ids.len(), part.offsets.len());
        own.waiting.push((number, part));
        let mut state = locked(&self.state);
        if state.sizes.len() <= number {
            state.sizes.resize(number + 1, None);
        }
        state.sizes[number] = Some(size);
        state.ids += size.0;
        state.bytes += bytes;
        state.find_places(self.rooms);
        let ready = own.waiting.partition_point(|(number, _)| *number < state.places.len());
        let ready = own.waiting.drain(..ready);
        let ready: Vec<_> =
            ready.map(|(number, part)| (state.places[number].take(), part)).collect();
        drop(state);
        for (spot, part) in ready {
            spot.into_iter().for_each(|spot| spot.fill(&part));
            own.used.push(part);
        }
    }

    /// A part has no ids.
    pub(super) fn fail(&self, number: usize, why: Result<bool>) {
        let mut state = locked(&self.state);
        if state.failed.as_ref().is_none_or(|(first, _)| number < *first) {
            state.failed = Some((number, why));
        }
    }

    /// A thread ends.
    pub(super) fn leave(&self, own: Own) {
        locked(&self.state).left.extend(own.waiting);
    }

    /// Puts in place what is left when all threads have ended. Gives the parts that there was no room for, in
    /// order, or says why there are no ids.
    pub(super) fn finish(self) -> Result<Option<Vec<Ragged>>> {
        let mut state = self.state.into_inner().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, why)) = state.failed {
            return why.map(|_| None);
        }
        state.find_places(self.rooms);
        let mut left = std::mem::take(&mut state.left);
        left.sort_unstable_by_key(|(number, _)| *number);
        left.retain(|(number, part)| {
            let spot = state.places.get_mut(*number).and_then(Option::take);
            spot.map(|spot| spot.fill(part)).is_none()
        });
        Ok(Some(left.into_iter().map(|(_, part)| part).collect()))
    }
}

impl<'r> State<'r> {
    /// Finds the places of all parts for which nothing is missing, while there is room.
    fn find_places(&mut self, rooms: &'r Rooms) {
        let Some((ids, offsets)) = rooms.0.get() else { return };
        while let Some(&Some((count, texts))) = self.sizes.get(self.places.len())
            && let Some(ids) = ids.next(count)
            && let Some(offsets) = offsets.next(texts)
        {
            self.places.push(Some(Spot { base: self.base as u64, ids, offsets }));
            self.base += count;
        }
    }
}

impl Spot<'_> {
    fn fill(self, part: &Ragged) {
        self.ids.copy(&part.ids);
        self.offsets.fill(part.offsets.iter().map(|end| self.base + end));
    }
}

impl Rooms {
    /// Everything that was put there, and the parts that there was no room for.
    pub(super) fn into_ragged(self, left: Vec<Ragged>) -> Result<Option<Ragged>> {
        let Some((ids, offsets)) = self.0.into_inner() else { return Ok(None) };
        let (Some(ids), Some(offsets)) = (ids.into_vec(), offsets.into_vec()) else {
            return Ok(None);
        };
        let mut all = Ragged { ids, offsets };
        memory::reserve(&mut all.ids, left.iter().map(|part| part.ids.len()).sum())?;
        for part in left {
            let base = all.ids.len() as u64;
            all.ids.extend(part.ids);
            all.offsets.extend(part.offsets.iter().map(|end| base + end));
        }
        Ok(Some(all))
    }
}
