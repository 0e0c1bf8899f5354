//! Prefetches: hints that change nothing but time.

/// Prefetches the cache line of `value`.
#[inline(always)]
pub fn prefetch<T>(value: &T) {
    prefetch_at(std::slice::from_ref(value), 0);
}

/// Prefetches the cache line of an element, which need not exist.
#[inline(always)]
pub fn prefetch_at<T>(values: &[T], at: usize) {
    prefetch_pointer(values.as_ptr().wrapping_add(at));
}

/// Prefetches a cache line. Nothing is read, so the pointer may be any.
#[inline(always)]
pub fn prefetch_pointer<T>(pointer: *const T) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        // SAFETY: the instruction never faults, whatever the address.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(pointer.cast()) }
    }
    // The intrinsic is not stable yet.
    #[cfg(target_arch = "aarch64")]
    {
        use std::arch::asm;
        // SAFETY: as above; the instruction changes neither registers, nor flags, nor memory.
        unsafe {
            asm!("prfm pldl1keep, [{}]", in(reg) pointer, options(nostack, preserves_flags, readonly));
        }
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = pointer;
}
