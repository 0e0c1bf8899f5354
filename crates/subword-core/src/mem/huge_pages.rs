/*!
Huge pages (2 MiB) for memory that is large and about to be filled.

The first access to each page causes a page fault, and a huge page takes the place of 512 small ones. The kernel must be
told before the first access. What that gains: docs/decisions/huge-pages.md.
*/

/// The size of a huge page.
pub(super) const HUGE_PAGE: usize = 2 << 20;

/// Tells the kernel to use huge pages for this memory, as far as whole ones fit into it. This is a hint: it changes
/// nothing but time.
pub fn prefer_huge_pages<T>(memory: &mut [T]) {
    #[cfg(target_os = "linux")]
    {
        let bytes = size_of_val(memory);
        let skip = memory.as_mut_ptr().cast::<u8>().align_offset(HUGE_PAGE);
        let whole = bytes.saturating_sub(skip) / HUGE_PAGE * HUGE_PAGE;
        if whole > 0 {
            // SAFETY: `skip + whole` is at most the size of the memory, so the range lies within it.
            unsafe {
                let first = memory.as_mut_ptr().byte_add(skip);
                libc::madvise(first.cast(), whole, libc::MADV_HUGEPAGE);
            }
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = memory;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_of_any_size_can_be_asked_for_and_used() {
        for len in [0, 1, HUGE_PAGE / 8, HUGE_PAGE, 3 * HUGE_PAGE + 17] {
            let mut values: Vec<u64> = Vec::with_capacity(len / 8);
            prefer_huge_pages(values.spare_capacity_mut());
            values.extend(0..(len / 8) as u64);
            assert!(values.iter().zip(0..).all(|(&value, i)| value == i));
        }
    }
}
