//! Squares of elements, transposed in registers.

use crate::element::Element;
use std::any::TypeId;
use std::mem::MaybeUninit;

/// The side of the squares that [`turn`] transposes for this element type: a register's worth of
/// elements. `None` if it has nothing to offer.
#[inline]
pub(crate) fn side<T: Element>() -> Option<usize> {
    (cfg!(target_arch = "x86_64") && is_plain::<T>() && size_of::<T>() <= 8)
        .then(|| 16 / size_of::<T>())
}

/// Whether this is one of the types of arithmetic: plain bits, without padding.
#[inline]
pub(crate) fn is_plain<T: 'static>() -> bool {
    macro_rules! is {
        ($type:ty, ()) => {
            if TypeId::of::<T>() == TypeId::of::<$type>() {
                return true;
            }
        };
    }
    crate::for_types!(all => is!());
    false
}

/// Transposes the square of the elements `at..at + N` of each of `from`: gives `put` each `r` and
/// the line of element `at + r` of each.
#[inline(always)]
pub(crate) fn turn<T: Element, const N: usize>(
    from: &[&[T]; N],
    at: usize,
    mut put: impl FnMut(usize, &[MaybeUninit<T>; N]),
) {
    #[cfg(target_arch = "x86_64")]
    if side::<T>() == Some(N) {
        // SAFETY: every x86-64 machine has SSE2.
        return unsafe { x86::turn(from, at, put) };
    }
    for r in 0..N {
        let mut line = [MaybeUninit::uninit(); N];
        for k in 0..N {
            line[k].write(from[k][at + r]);
        }
        put(r, &line);
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Element, MaybeUninit, is_plain};
    use std::arch::x86_64::{
        __m128i, _mm_setzero_si128, _mm_unpackhi_epi8, _mm_unpackhi_epi16, _mm_unpackhi_epi32,
        _mm_unpackhi_epi64, _mm_unpacklo_epi8, _mm_unpacklo_epi16, _mm_unpacklo_epi32,
        _mm_unpacklo_epi64,
    };

    /// By rounds of interleaving line `k` with line `k + N / 2`: after as many as N has binary
    /// digits, each line holds a column.
    #[inline]
    #[target_feature(enable = "sse2")]
    pub(super) fn turn<T: Element, const N: usize>(
        from: &[&[T]; N],
        at: usize,
        mut put: impl FnMut(usize, &[MaybeUninit<T>; N]),
    ) {
        assert!(is_plain::<T>() && size_of::<[T; N]>() == size_of::<__m128i>());
        let mut lines = [_mm_setzero_si128(); N];
        for k in 0..N {
            let line: &[T; N] = from[k][at..].first_chunk().expect("a whole square is left");
            // SAFETY: as large as a register, and initialised to the last bit, because plain types
            // have no padding.
            lines[k] = unsafe { line.as_ptr().cast::<__m128i>().read_unaligned() };
        }
        let mut round = 1;
        while round < N {
            let mut next = lines;
            for k in 0..N / 2 {
                (next[2 * k], next[2 * k + 1]) =
                    interleave(size_of::<T>(), lines[k], lines[k + N / 2]);
            }
            lines = next;
            round *= 2;
        }
        for (r, line) in lines.iter().enumerate() {
            // SAFETY: of the same size and a smaller alignment, and any bits may lie in what may be
            // uninitialised.
            put(r, unsafe { &*std::ptr::from_ref(line).cast::<[MaybeUninit<T>; N]>() });
        }
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn interleave(element_size: usize, a: __m128i, b: __m128i) -> (__m128i, __m128i) {
        match element_size {
            1 => (_mm_unpacklo_epi8(a, b), _mm_unpackhi_epi8(a, b)),
            2 => (_mm_unpacklo_epi16(a, b), _mm_unpackhi_epi16(a, b)),
            4 => (_mm_unpacklo_epi32(a, b), _mm_unpackhi_epi32(a, b)),
            _ => (_mm_unpacklo_epi64(a, b), _mm_unpackhi_epi64(a, b)),
        }
    }
}
