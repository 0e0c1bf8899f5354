/*!
A table of lines that grows.

The top bits of a hash choose the line of an entry. A table starts small, so that a short text needs little memory and
the table stays in the processor's caches, and grows as it fills.

It grows in place: a larger copy would write all lines to new memory, and every page of new memory costs a page fault.
*/

use crate::mem::{self, Line, Lines};

/// How many lines move at a time when a table grows: enough to prefetch all of their new lines together. A table
/// that grows has a multiple of them.
const MOVED: usize = 32;

/// Lines that are chosen by the top bits of a hash.
#[derive(Debug)]
pub(super) struct Table {
    /// Room for the most lines that the table may have, a power of two. Lines that were never used are zero and take no
    /// memory yet.
    room: Lines,
    /// How many lines are used, a power of two.
    len: usize,
    /// How far a hash is shifted to give the number of its line.
    shift: u32,
    /// How many entries were inserted since the table last grew.
    entered: usize,
}

impl Table {
    /// How many lines a table starts with.
    const FIRST: usize = 1 << 12;

    /// A table of at most `bytes` bytes.
    pub(super) fn new(bytes: usize) -> Table {
        let most = power_of_two_below(bytes / size_of::<Line>());
        let room = Lines::room(most);
        let most = room.len();
        let mut table = Table { room, len: 0, shift: 63, entered: 0 };
        table.extend(most.min(Table::FIRST));
        table
    }

    /// Uses at least `lines` lines from now on. The table is empty.
    pub(super) fn reserve(&mut self, lines: usize) {
        let len = lines.next_power_of_two().min(self.room.len());
        if len > self.len {
            self.extend(len);
        }
    }

    /// Uses `len` lines from now on.
    fn extend(&mut self, len: usize) {
        // All lines, because a table may start large; pages that are in use already stay as they are.
        mem::prefer_huge_pages(&mut self.room[..len]);
        self.len = len;
        self.shift = if len > 1 { 64 - len.trailing_zeros() } else { 63 };
        self.entered = 0;
    }

    /// Counts a new entry, and makes the table larger once a quarter of its places is taken, so that few sets are full.
    /// A line has `places` places. `hashes` returns the hashes of the entries of a line, and `put` inserts them into
    /// the larger table.
    ///
    /// A set goes to the few sets that its own place becomes. Sets move from the last to the first and find room
    /// there: nothing lies behind but what moved before.
    pub(super) fn grow<const N: usize>(
        &mut self,
        places: usize,
        hashes: fn(&Line) -> [u64; N],
        put: fn(&mut Table, Line),
    ) {
        self.entered += 1;
        let (len, most) = (self.len, self.room.len());
        if self.entered * 4 <= len * places || len >= most {
            return;
        }
        self.extend((4 * len).min(most));
        let mut moved: Vec<Line> = Vec::new();
        for first in (0..len).step_by(MOVED).rev() {
            // PERF: half of the lines and more are empty, and are not written.
            let lines = self.room[first..first + MOVED].iter_mut();
            moved.extend(lines.filter(|line| line[..4] != [0; 4]).map(std::mem::take));
            for hash in moved.iter().flat_map(hashes) {
                mem::prefetch_at(&self.room, self.line_of(hash));
            }
            moved.drain(..).for_each(|line| put(self, line));
        }
    }

    pub(super) fn lines(&self) -> &[Line] {
        &self.room[..self.len]
    }

    pub(super) fn lines_mut(&mut self) -> &mut [Line] {
        &mut self.room[..self.len]
    }

    pub(super) fn line_of(&self, hash: u64) -> usize {
        (hash >> self.shift) as usize
    }

    /// How far a hash is shifted to give the number of its line.
    pub(super) fn shift(&self) -> u32 {
        self.shift
    }
}

/// The largest power of two that is at most `n`; 0 for 0.
fn power_of_two_below(n: usize) -> usize {
    n.checked_ilog2().map_or(0, |log| 1 << log)
}
