//! All code points to small values, in blocks that are stored once.

/// All code points to small values.
#[derive(Debug)]
pub(crate) struct TwoLevel<T> {
    index: Vec<u16>,
    blocks: Vec<[T; BLOCK]>,
    /// The blocks that several places of the index share.
    shared: Vec<u16>,
}

const BLOCK: usize = 128;

impl<T: Copy + Default> TwoLevel<T> {
    pub(crate) fn new() -> Self {
        let index = vec![0; 0x11_0000 / BLOCK];
        TwoLevel { index, blocks: vec![[T::default(); BLOCK]], shared: vec![0] }
    }

    /// The place of a code point, in a block of its own.
    pub(crate) fn at(&mut self, code: u32) -> &mut T {
        let index = &mut self.index[code as usize / BLOCK];
        if self.shared.contains(index) {
            let block = self.blocks[usize::from(*index)];
            *index = self.blocks.len() as u16;
            self.blocks.push(block);
        }
        &mut self.blocks[usize::from(*index)][code as usize % BLOCK]
    }

    /// Gives all of some ranges a value. The blocks that they cover share one.
    pub(crate) fn fill(&mut self, ranges: &[(u32, u32)], value: T) {
        let full = self.blocks.len() as u16;
        self.blocks.push([value; BLOCK]);
        self.shared.push(full);
        for &(first, last) in ranges {
            let mut code = first;
            while code <= last {
                if (code as usize).is_multiple_of(BLOCK) && (last - code) as usize >= BLOCK - 1 {
                    self.index[code as usize / BLOCK] = full;
                    code += BLOCK as u32;
                } else {
                    *self.at(code) = value;
                    code += 1;
                }
            }
        }
    }

    #[inline(always)]
    pub(crate) fn get(&self, code: u32) -> T {
        let block = self.index.get(code as usize / BLOCK).copied().unwrap_or(0);
        self.blocks[usize::from(block)][code as usize % BLOCK]
    }
}
