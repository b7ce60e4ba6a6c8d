//! Stores past the cache, for an output that will not be read again soon: whole cache lines are
//! written without being read first.

#![cfg(target_arch = "x86_64")]

use ndcore::{Element, LINE};
use std::arch::asm;
use std::arch::x86_64::{__m256i, _mm_sfence};
use std::mem::MaybeUninit;

/// An output cut at cache lines.
pub struct Parts<'a, T, const N: usize> {
    /// What a piece holds first.
    pub blank: T,
    /// What comes before the first whole line.
    pub before: &'a mut [T],
    /// Whole lines.
    pub pieces: &'a mut [[T; N]],
    /// What does not fill a piece.
    pub after: &'a mut [T],
}

impl<'a, T: Element, const N: usize> Parts<'a, T, N> {
    /// Cuts an output. `None` if it has to be read, and so its lines, before it is stored to.
    #[inline]
    pub fn of(blank: Option<T>, out: &'a mut [T]) -> Option<Self> {
        let blank = blank?;
        let head = out.as_ptr().align_offset(LINE).min(out.len());
        let (before, rest) = out.split_at_mut(head);
        let (pieces, after) = rest.as_chunks_mut();
        Some(Parts { blank, before, pieces, after })
    }
}

/// Copies a piece past the cache.
#[inline]
#[target_feature(enable = "avx")]
pub fn store<T: Element, const N: usize>(to: &mut [T; N], from: &[T; N]) {
    /// Moved without being looked at, so that padding in it may be uninitialised.
    type Register = MaybeUninit<__m256i>;
    let registers = size_of::<[T; N]>() / size_of::<Register>();
    assert!(
        to.as_ptr().addr().is_multiple_of(LINE)
            && registers * size_of::<Register>() == size_of::<[T; N]>()
    );
    let (to, from) = (to.as_mut_ptr().cast::<Register>(), from.as_ptr().cast::<Register>());
    for register in 0..registers {
        // SAFETY: both are memory for as many registers as are asked for, and `to` begins at a
        // line.
        unsafe {
            let value = from.add(register).read_unaligned();
            asm!(
                "vmovntps [{to}], {value}",
                to = in(reg) to.add(register), value = in(ymm_reg) value,
                options(nostack, preserves_flags),
            );
        }
    }
}

/// Makes what [`store`] has stored visible to other threads, in the order of the program.
#[inline]
pub fn fence() {
    // SAFETY: every x86-64 machine has this instruction, and it has no precondition.
    unsafe { _mm_sfence() };
}
