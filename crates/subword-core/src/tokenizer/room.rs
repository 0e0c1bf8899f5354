/*!
Room for ids.

New memory is dear: the pages of an answer of 40 MB take 5 to 20 ms, where all the rest of such a call takes
110. An allocator keeps what is free for who asks next, but above 32 MB it gives it back to the kernel at
once. So the room of the last such answer is kept here, if whoever had it gives it back.
*/

use std::ops::RangeInclusive;
use std::sync::LazyLock;

use crate::arch;
use crate::cache::Pool;
use crate::types::TokenId;

static KEPT: LazyLock<Pool<Vec<TokenId>>> = LazyLock::new(|| Pool::new(1));

/// For how many ids room is kept: 32 to 128 MB.
const LARGE: RangeInclusive<usize> = 1 << 23..=1 << 25;

/// Room for so many ids.
pub(super) fn room_for_ids(len: usize) -> Vec<TokenId> {
    let fits = |kept: &Vec<TokenId>| (len..4 * len).contains(&kept.capacity());
    if LARGE.contains(&len)
        && let Some(kept) = KEPT.take_if(fits)
    {
        return *kept;
    }
    let mut ids = Vec::with_capacity(len);
    arch::prefer_huge_pages(ids.spare_capacity_mut());
    ids
}

/// Whether there is so much room that it is worth giving back.
pub fn is_large(room: &Vec<TokenId>) -> bool {
    LARGE.contains(&room.capacity())
}

/// Takes back the room of a large answer, in place of the one before.
pub fn give_back(mut room: Vec<TokenId>) {
    if is_large(&room) {
        room.clear();
        drop(KEPT.take_if(|_| true));
        KEPT.put(Box::new(room));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_that_is_given_back_is_empty_and_large_enough() {
        for len in [0, 10, *LARGE.start(), *LARGE.start() + 5, *LARGE.start()] {
            let mut room = room_for_ids(len);
            assert!(room.is_empty() && room.capacity() >= len);
            room.push(7);
            give_back(room);
        }
    }
}
