//! Squares of elements, transposed in registers.

use crate::element::Element;
use std::any::TypeId;
use std::mem::MaybeUninit;
use std::ops::Range;

/// The side of the squares that [`transpose`] turns for this element type: a register's worth of
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

/// Writes the element `i + j * stride` after `from` to `to[i * columns + j]`: in squares of a
/// register's worth of elements, so many elements side by side: as many as fill cache lines of `to`,
/// or more if all of the columns lie in caches. Calls `fetch` with the numbers of the columns that
/// are read next.
///
/// # Safety
/// All of these elements may be read.
#[inline]
pub(crate) unsafe fn transpose<T: Element>(
    from: *const T,
    stride: isize,
    columns: usize,
    to: &mut [MaybeUninit<T>],
    side_by_side: usize,
    fetch: impl Fn(Range<usize>),
) {
    // SAFETY: the caller's promise.
    unsafe {
        match side::<T>() {
            Some(2) => in_squares::<T, 2>(from, stride, columns, to, side_by_side, fetch),
            Some(4) => in_squares::<T, 4>(from, stride, columns, to, side_by_side, fetch),
            Some(8) => in_squares::<T, 8>(from, stride, columns, to, side_by_side, fetch),
            Some(16) => in_squares::<T, 16>(from, stride, columns, to, side_by_side, fetch),
            _ => in_squares::<T, 1>(from, stride, columns, to, side_by_side, fetch),
        }
    }
}

/// As [`transpose`], in squares of `N * N` elements as far as they go.
///
/// # Safety
/// As for [`transpose`].
unsafe fn in_squares<T: Element, const N: usize>(
    from: *const T,
    stride: isize,
    columns: usize,
    to: &mut [MaybeUninit<T>],
    side_by_side: usize,
    fetch: impl Fn(Range<usize>),
) {
    let whole = columns - columns % N;
    for first in (0..whole).step_by(side_by_side.next_multiple_of(N)) {
        let last = whole.min(first + side_by_side.next_multiple_of(N));
        fetch(first..last);
        // SAFETY: the caller's promise, of columns that there are.
        unsafe { some_columns::<T, N>(from, stride, columns, first..last, to) };
    }
    for first in whole..columns {
        // SAFETY: as above.
        unsafe { some_columns::<T, 1>(from, stride, columns, first..first + 1, to) };
    }
}

/// Some columns, as many as are whole squares, of the rows of `to`.
///
/// # Safety
/// As for [`transpose`]; there are such columns.
#[inline(always)]
unsafe fn some_columns<T: Element, const N: usize>(
    from: *const T,
    stride: isize,
    columns: usize,
    some: Range<usize>,
    to: &mut [MaybeUninit<T>],
) {
    let (rows, to) = (to.len() / columns, to.as_mut_ptr());
    let whole = rows - rows % N;
    let column = |j: usize| from.wrapping_offset(j as isize * stride);
    for i in (0..whole).step_by(N) {
        for j in some.clone().step_by(N) {
            // SAFETY: rows `i..i + N` of `N` columns, by the caller's promise.
            let lines = unsafe { turned::<T, N>(column(j).wrapping_add(i), stride) };
            for (r, line) in lines.iter().enumerate() {
                // SAFETY: row `i + r` is below `rows`, and the columns to `j + N` are below
                // `columns`; `to` has `rows * columns` slots.
                unsafe {
                    let to = to.add((i + r) * columns + j);
                    to.cast::<[MaybeUninit<T>; N]>().write_unaligned(*line);
                }
            }
        }
    }
    for i in whole..rows {
        for j in some.clone() {
            // SAFETY: as above, of one element.
            unsafe { *to.add(i * columns + j) = MaybeUninit::new(*column(j).add(i)) };
        }
    }
}

/// The square of `N * N` elements `i + j * stride` after `from`, transposed: `j` side by side.
///
/// # Safety
/// All of these elements may be read.
#[inline(always)]
unsafe fn turned<T: Element, const N: usize>(
    from: *const T,
    stride: isize,
) -> [[MaybeUninit<T>; N]; N] {
    #[cfg(target_arch = "x86_64")]
    if side::<T>() == Some(N) {
        // SAFETY: every x86-64 machine has SSE2; the caller's promise.
        return unsafe { x86::turned(from, stride) };
    }
    let mut lines = [[MaybeUninit::uninit(); N]; N];
    for (i, line) in lines.iter_mut().enumerate() {
        for (j, element) in line.iter_mut().enumerate() {
            // SAFETY: the caller's promise.
            element.write(unsafe { *from.wrapping_offset(j as isize * stride).add(i) });
        }
    }
    lines
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
    ///
    /// # Safety
    /// As for [`turned`](super::turned).
    #[inline]
    #[target_feature(enable = "sse2")]
    pub(super) unsafe fn turned<T: Element, const N: usize>(
        from: *const T,
        stride: isize,
    ) -> [[MaybeUninit<T>; N]; N] {
        assert!(is_plain::<T>() && size_of::<[T; N]>() == size_of::<__m128i>());
        let mut lines = [_mm_setzero_si128(); N];
        for (k, line) in lines.iter_mut().enumerate() {
            let from = from.wrapping_offset(k as isize * stride);
            // SAFETY: `N` elements are as large as a register, may be read by the caller's promise,
            // and are initialised to the last bit, because plain types have no padding.
            *line = unsafe { from.cast::<__m128i>().read_unaligned() };
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
        // SAFETY: of the same size, by the assertion above, and any bits may lie in what may be
        // uninitialised.
        lines.map(|line| unsafe { std::mem::transmute_copy(&line) })
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
