//! Stores past the cache, for an output that will not be read again soon: whole cache lines are written without being read first.

use ndcore::{Element, LINE, Packed};

/// The elements that are computed before they are stored: enough to be worth a call, few enough to stay in the first-level cache.
const PIECE: usize = 512;

/// Computes `out` piece by piece in `buffer` and stores the pieces past the cache, where the machine can. [`fence`] must follow before
/// another thread reads the output.
///
/// `blank` is what the buffer holds first, and `compute` is given the place of a piece in `out`, and the piece.
pub fn store<T: Element>(out: &mut [T], buffer: &mut Packed<T>, blank: T, compute: &mut dyn FnMut(usize, &mut [T])) {
    // All of `out`, if its elements straddle lines.
    let head = if LINE.is_multiple_of(size_of::<T>().max(1)) { out.as_ptr().align_offset(LINE) } else { usize::MAX };
    let (before, lines) = out.split_at_mut(head.min(out.len()));
    let head = before.len();
    let whole = lines.len() - lines.len() % (LINE / size_of::<T>().clamp(1, LINE));
    let (lines, after) = lines.split_at_mut(whole);
    let tail = head + lines.len();
    if !before.is_empty() {
        compute(0, before);
    }
    if buffer.as_slice().len() != PIECE {
        buffer.fill(blank, PIECE);
    }
    for (number, to) in lines.chunks_mut(PIECE).enumerate() {
        let piece = &mut buffer.as_mut_slice()[..to.len()];
        compute(head + number * PIECE, piece);
        copy(to, piece);
    }
    if !after.is_empty() {
        compute(tail, after);
    }
}

/// Makes what [`store`] has stored visible to other threads, in the order of the program.
#[inline]
pub fn fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: every x86-64 machine has this instruction, and it has no precondition.
    unsafe {
        std::arch::x86_64::_mm_sfence();
    }
}

/// Copies whole lines.
#[cfg(target_arch = "x86_64")]
fn copy<T: Copy>(to: &mut [T], from: &[T]) {
    let (bytes, to_start, from_start) = (size_of_val(to), to.as_mut_ptr().cast::<u8>(), from.as_ptr().cast::<u8>());
    assert!(bytes == size_of_val(from) && bytes.is_multiple_of(LINE) && to_start.addr().is_multiple_of(LINE));
    for line in (0..bytes).step_by(LINE) {
        // SAFETY: both are `bytes` bytes of memory, of which this is a line, and `to` begins one. The bytes are moved without being looked at,
        // so that padding in them may be uninitialised. Every x86-64 machine has these instructions.
        unsafe {
            std::arch::asm!(
                "movups {a}, [{from}]",
                "movups {b}, [{from} + 16]",
                "movups {c}, [{from} + 32]",
                "movups {d}, [{from} + 48]",
                "movntps [{to}], {a}",
                "movntps [{to} + 16], {b}",
                "movntps [{to} + 32], {c}",
                "movntps [{to} + 48], {d}",
                a = out(xmm_reg) _, b = out(xmm_reg) _, c = out(xmm_reg) _, d = out(xmm_reg) _,
                from = in(reg) from_start.wrapping_add(line), to = in(reg) to_start.wrapping_add(line),
                options(nostack, preserves_flags),
            );
        }
    }
}

/// Copies whole lines.
#[cfg(not(target_arch = "x86_64"))]
fn copy<T: Copy>(to: &mut [T], from: &[T]) {
    to.copy_from_slice(from);
}
