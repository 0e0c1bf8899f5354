/*!
Room for ids.

New memory is dear: the pages of an answer of 40 MB take 5 to 20 ms, where all the rest of such a call takes
110. An allocator keeps what is free for who asks next, but above 32 MB it gives it back to the kernel at
once. So the room of the last such answer is kept here, if whoever had it gives it back.
*/

use std::ops::RangeInclusive;

use crate::arch::{self, FirstUse};
use crate::cache::Pool;
use crate::error::Result;
use crate::memory;
use crate::types::TokenId;

fn kept() -> &'static Pool<Vec<TokenId>> {
    static KEPT: FirstUse<Pool<Vec<TokenId>>> = FirstUse::new();
    KEPT.get_or_make(|| Pool::new(1))
}

/// For how many ids room is kept: 32 to 128 MB.
const LARGE: RangeInclusive<usize> = 1 << 23..=1 << 25;

/// Room for so many ids.
pub(super) fn room_for_ids(len: usize) -> Result<Vec<TokenId>> {
    let fits = |kept: &Vec<TokenId>| (len..4 * len).contains(&kept.capacity());
    if LARGE.contains(&len)
        && let Some(kept) = kept().take_if(fits)
    {
        return Ok(*kept);
    }
    let mut ids = memory::with_capacity(len)?;
    arch::prefer_huge_pages(ids.spare_capacity_mut());
    Ok(ids)
}

/// Room for about so many ids, a guess; none if there is no memory for it: perhaps fewer are needed.
pub(super) fn guessed_room_for_ids(len: usize) -> Vec<TokenId> {
    room_for_ids(len).unwrap_or_default()
}

/// Whether there is so much room that it is worth giving back.
pub fn is_large(room: &Vec<TokenId>) -> bool {
    LARGE.contains(&room.capacity())
}

/// Takes back the room of a large answer, in place of the one before.
pub fn give_back(mut room: Vec<TokenId>) {
    if is_large(&room) {
        room.clear();
        drop(kept().take_if(|_| true));
        kept().put(Box::new(room));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;

    #[test]
    fn room_that_is_given_back_is_empty_and_large_enough() {
        for len in [0, 10, *LARGE.start(), *LARGE.start() + 5, *LARGE.start()] {
            let mut room = room_for_ids(len).unwrap();
            assert!(room.is_empty() && room.capacity() >= len);
            room.push(7);
            give_back(room);
        }
        assert_eq!(room_for_ids(1 << 60), Err(Error::Memory { bytes: 1 << 62 }));
        assert!(guessed_room_for_ids(1 << 60).is_empty());
    }
}
