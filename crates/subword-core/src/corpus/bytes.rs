/*!
The bytes of a block: read into memory, or a part of a file that is mapped there.
*/

use std::ops::{Deref, Range};
use std::sync::Arc;

use crate::arch::Map;

/// How much of a mapped file is given back at a time.
///
/// PERF: giving back interrupts all cores that run this process, so it is not done for every block.
const RELEASED: usize = 4 << 20;

/// How far back that is done: other threads may have been looking at what was given back before, and got
/// it again. It is more than all threads look at together.
const BEHIND: usize = 8 * RELEASED;

/// The bytes of a block.
#[derive(Debug)]
pub enum Bytes {
    /// Read.
    Read(Vec<u8>),
    /// Mapped.
    Part(Part),
}

/// A part of a mapped file.
#[derive(Debug)]
pub struct Part {
    map: Arc<Map>,
    part: Range<usize>,
}

impl Bytes {
    /// A part that was read.
    pub(super) fn part(map: &Arc<Map>, part: Range<usize>) -> Bytes {
        Bytes::Part(Part { map: map.clone(), part })
    }

    /// Memory that the next block can use.
    pub fn into_memory(self) -> Vec<u8> {
        match self {
            Bytes::Read(bytes) => bytes,
            Bytes::Part(_) => Vec::new(),
        }
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Read(bytes) => bytes,
            Bytes::Part(Part { map, part }) => map.bytes(part.clone()),
        }
    }
}

impl Drop for Part {
    /// Gives back what lies before the last multiple of [`RELEASED`], if the part goes beyond it. Who
    /// still looks at some of it gets it from the system again.
    fn drop(&mut self) {
        let end = self.part.end / RELEASED * RELEASED;
        if end > self.part.start {
            self.map.release(end.saturating_sub(BEHIND).min(self.part.start)..end);
        }
    }
}
