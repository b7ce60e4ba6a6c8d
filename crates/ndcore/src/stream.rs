//! Stores that go past the cache.

use crate::element::Element;

/// The size of a cache line, in bytes.
pub const LINE: usize = 64;

/// Copies `from` to `to` past the cache, where the machine can: for memory that will not be read again soon. Whole cache lines are then
/// written without being read first. [`stream_fence`] must follow before another thread reads `to`.
///
/// # Panics
/// If the lengths differ.
pub fn stream<T: Element>(to: &mut [T], from: &[T]) {
    assert_eq!(to.len(), from.len());
    #[cfg(target_arch = "x86_64")]
    {
        let size = size_of::<T>();
        // Elements before the first whole line; not a whole number of them if an element straddles it, which then never comes.
        let head = to.as_ptr().align_offset(LINE).min(to.len());
        let lines = if size == 0 { 0 } else { (to.len() - head) * size / LINE };
        let body = if LINE.is_multiple_of(size.max(1)) { lines * LINE / size.max(1) } else { 0 };
        let (to_head, to_rest) = to.split_at_mut(head);
        let (to_body, to_tail) = to_rest.split_at_mut(body);
        to_head.copy_from_slice(&from[..head]);
        to_tail.copy_from_slice(&from[head + body..]);
        let source = from[head..head + body].as_ptr().cast::<u8>();
        let target = to_body.as_mut_ptr().cast::<u8>();
        for line in (0..body * size).step_by(LINE) {
            // SAFETY: source and target are valid for `body * size` bytes, a multiple of the line, and the target begins at a line. The
            // bytes are moved without being looked at, so they need not be initialised.
            unsafe {
                std::arch::asm!(
                    "movups {a}, [{source}]",
                    "movups {b}, [{source} + 16]",
                    "movups {c}, [{source} + 32]",
                    "movups {d}, [{source} + 48]",
                    "movntps [{target}], {a}",
                    "movntps [{target} + 16], {b}",
                    "movntps [{target} + 32], {c}",
                    "movntps [{target} + 48], {d}",
                    a = out(xmm_reg) _, b = out(xmm_reg) _, c = out(xmm_reg) _, d = out(xmm_reg) _,
                    source = in(reg) source.wrapping_add(line),
                    target = in(reg) target.wrapping_add(line),
                    options(nostack, preserves_flags),
                );
            }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    to.copy_from_slice(from);
}

/// Makes what [`stream`] has stored visible to other threads, in the order of the program.
#[inline]
pub fn stream_fence() {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a fence has no precondition.
    unsafe {
        std::arch::asm!("sfence", options(nostack, preserves_flags));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_any_length_from_any_alignment() {
        let from: Vec<u16> = (0..500).collect();
        let mut failures = Vec::new();
        for start in 0..40 {
            for len in (0..70).chain([127, 128, 129, 400]) {
                let mut to = vec![9999; 500];
                stream(&mut to[start..start + len], &from[..len]);
                stream_fence();
                let inside = to[start..start + len] == from[..len];
                let outside = to[..start].iter().chain(&to[start + len..]).all(|x| *x == 9999);
                if !(inside && outside) {
                    failures.push((start, len));
                }
            }
        }
        assert!(failures.is_empty(), "(start, length) copied wrong: {failures:?}");
        let mut odd = [[0_u8; 3]; 100];
        stream(&mut odd, &[[1, 2, 3]; 100]);
        assert_eq!(odd, [[1, 2, 3]; 100]);
        stream(&mut [(); 5], &[(); 5]);
    }
}
