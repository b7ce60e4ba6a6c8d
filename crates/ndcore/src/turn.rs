//! Blocks of elements, transposed in registers.

use crate::element::Element;
use crate::raw::has_unit;
use std::any::TypeId;
use std::mem::MaybeUninit;
use std::ops::Range;

/// Whether this is one of the types of arithmetic: plain bits, without padding.
#[inline]
pub(crate) fn is_plain<T: 'static>() -> bool {
    is_number(TypeId::of::<T>())
}

#[inline]
fn is_number(id: TypeId) -> bool {
    macro_rules! is {
        ($type:ty, ()) => {
            if id == TypeId::of::<$type>() {
                return true;
            }
        };
    }
    crate::for_types!(all => is!());
    false
}

/// What is transposed: lines of elements side by side, which become columns.
#[derive(Clone, Copy)]
pub(crate) struct Lines<T> {
    /// The first element.
    pub from: *const T,
    /// From line to line.
    pub stride: isize,
    /// The elements of a line, and how many lines there are.
    pub rows: usize,
    pub columns: usize,
    /// From row to row where they are written.
    pub pitch: usize,
    /// How many columns are written side by side: as many as fill cache lines, or more if all of
    /// them lie in caches.
    pub side_by_side: usize,
    /// Whether cache lines are best read as a whole, each once: not if they come from afar.
    pub whole: bool,
    /// Whether elements are plain bits, without padding.
    pub plain: fn() -> bool,
}

/// Writes the element `i + j * stride` after `from` to `to[i * pitch + j]`, in blocks of a few
/// registers. Calls `fetch` with the numbers of the columns that are read next.
///
/// # Panics
/// If `to` ends before the last row.
///
/// # Safety
/// All of these elements may be read, and they are plain if `lines` says so.
#[inline]
pub(crate) unsafe fn transpose<T: Element>(
    lines: Lines<T>,
    to: &mut [MaybeUninit<T>],
    fetch: impl Fn(Range<usize>),
) {
    let Lines { rows, columns, pitch, .. } = lines;
    if rows == 0 || columns == 0 {
        return;
    }
    assert!(columns <= pitch && to.len() >= (rows - 1) * pitch + columns, "a slot for each");
    #[cfg(target_arch = "x86_64")]
    if const { has_unit::<T>() } && (lines.plain)() {
        // SAFETY: the caller's promise, and the assertion.
        return unsafe {
            match const { size_of::<T>() } {
                1 => x86::transpose::<T, 16, 32, 64>(lines, to, fetch),
                2 => x86::transpose::<T, 8, 16, 32>(lines, to, fetch),
                4 => x86::transpose::<T, 4, 8, 16>(lines, to, fetch),
                8 => x86::transpose::<T, 2, 4, 8>(lines, to, fetch),
                _ => lines.by_elements(to, fetch),
            }
        };
    }
    // SAFETY: the caller's promise, and the assertion.
    unsafe { lines.by_elements(to, fetch) }
}

impl<T: Element> Lines<T> {
    /// As [`transpose`], element by element.
    ///
    /// # Safety
    /// As for [`transpose`]; `to` does not end before the last row.
    #[inline(always)]
    unsafe fn by_elements(&self, to: &mut [MaybeUninit<T>], fetch: impl Fn(Range<usize>)) {
        if const { size_of::<T>() == 16 } && self.rows >= 4 && self.columns >= 4 {
            // Of four lines at once, what is written fills a cache line, as what is read does.
            // SAFETY: the caller's promise; there are four rows and columns; of elements of 16
            // bytes, four do not fill as many.
            return unsafe { self.in_blocks::<4, 4>(to, fetch) };
        }
        // SAFETY: the caller's promise; there are a row and a column.
        unsafe { self.in_blocks::<1, 1>(to, fetch) }
    }

    /// As [`transpose`], in blocks of `N` rows and `W` columns; the last ones overlap those before.
    ///
    /// # Safety
    /// As for [`transpose`] and [`Self::turned`]; `to` does not end before the last row; there are
    /// `N` rows and `W` columns, or more.
    #[inline(always)]
    unsafe fn in_blocks<const N: usize, const W: usize>(
        &self,
        to: &mut [MaybeUninit<T>],
        fetch: impl Fn(Range<usize>),
    ) {
        let Lines { rows, columns, pitch, .. } = *self;
        let to = to.as_mut_ptr();
        let side_by_side = self.side_by_side.next_multiple_of(W);
        for first in (0..columns).step_by(side_by_side) {
            let some = first..columns.min(first + side_by_side);
            fetch(some.clone());
            for i in (0..rows).step_by(N) {
                let i = i.min(rows - N);
                for j in some.clone().step_by(W) {
                    let j = j.min(columns - W);
                    // SAFETY: rows `i..i + N` of columns `j..j + W`, by the caller's promise.
                    let block = unsafe { self.turned::<N, W>(i, j) };
                    for (r, line) in block.iter().enumerate() {
                        // SAFETY: row `i + r` is below `rows`, and the columns to `j + W` are not
                        // above `columns`: slots of `to`, by the caller's promise.
                        unsafe {
                            let to = to.add((i + r) * pitch + j);
                            to.cast::<[MaybeUninit<T>; W]>().write_unaligned(*line);
                        }
                    }
                }
            }
        }
    }

    /// Rows `i..i + N` of columns `j..j + W`: the columns side by side.
    ///
    /// # Safety
    /// All of these elements may be read. If `N` of them, more than one, fill 16 bytes, they are
    /// plain bits, and `W` is `N`, or `2 * N`, and the machine has AVX2, or `4 * N`, and it has
    /// AVX-512 (F and BW); likewise if `N` and `W` are alike, at most 16, and fill 64 bytes.
    #[inline(always)]
    unsafe fn turned<const N: usize, const W: usize>(
        &self,
        i: usize,
        j: usize,
    ) -> [[MaybeUninit<T>; W]; N] {
        let column = |j: usize| self.from.wrapping_offset(j as isize * self.stride);
        let from = column(j).wrapping_add(i);
        #[cfg(target_arch = "x86_64")]
        if const { N > 1 && N * size_of::<T>() == 16 } {
            // SAFETY: the caller's promise; every x86-64 machine has SSE2.
            return unsafe {
                match const { W / N } {
                    1 => x86::turned_by_16(from, self.stride),
                    2 => x86::turned_by_32(from, self.stride),
                    _ => x86::turned_by_64(from, self.stride),
                }
            };
        }
        #[cfg(target_arch = "x86_64")]
        if const { N > 1 && N == W && N * size_of::<T>() == 64 } {
            // SAFETY: the caller's promise.
            return unsafe { x86::turned_lines(from, self.stride) };
        }
        let mut block = [[MaybeUninit::uninit(); W]; N];
        for (r, line) in block.iter_mut().enumerate() {
            for (c, element) in line.iter_mut().enumerate() {
                // SAFETY: the caller's promise.
                element.write(unsafe { *column(j + c).add(i + r) });
            }
        }
        block
    }
}

#[cfg(target_arch = "x86_64")]
mod x86 {
    use super::{Element, Lines, MaybeUninit, Range};
    use std::arch::x86_64::*;

    // Builds for tests leave instruction sets out, as `elementwise` does.
    fn has_avx2() -> bool {
        !cfg!(zerostride_without = "avx2") && is_x86_feature_detected!("avx2")
    }

    fn has_avx512() -> bool {
        !cfg!(zerostride_without = "avx512")
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
    }

    /// As [`transpose`](super::transpose), of elements of which `N` fill 16 bytes, `W` fill 32, and
    /// `V` 64.
    ///
    /// # Safety
    /// As for [`transpose`](super::transpose), of plain elements, and `to` does not end before the
    /// last row.
    pub(super) unsafe fn transpose<T, const N: usize, const W: usize, const V: usize>(
        lines: Lines<T>,
        to: &mut [MaybeUninit<T>],
        fetch: impl Fn(Range<usize>),
    ) where
        T: Element,
    {
        assert!(N * size_of::<T>() == 16 && W == 2 * N && V == 4 * N);
        let columns = lines.columns;
        // SAFETY: the caller's promise; what is asked for was looked at above, or is in the branch.
        unsafe {
            match lines.rows < N || columns < N {
                true => lines.by_elements(to, fetch),
                false if columns >= V && has_avx512() => wider::<T, N, V>(lines, to, fetch),
                false if columns >= W && has_avx2() => wide::<T, N, W>(lines, to, fetch),
                false => lines.in_blocks::<N, N>(to, fetch),
            }
        }
    }

    /// In blocks of `N` rows and `W` columns.
    ///
    /// # Safety
    /// As for [`Lines::in_blocks`].
    #[target_feature(enable = "avx2")]
    unsafe fn wide<T: Element, const N: usize, const W: usize>(
        lines: Lines<T>,
        to: &mut [MaybeUninit<T>],
        fetch: impl Fn(Range<usize>),
    ) {
        // SAFETY: the caller's promise.
        unsafe { lines.in_blocks::<N, W>(to, fetch) }
    }

    /// As [`wide`], in blocks of whole cache lines.
    ///
    /// # Safety
    /// As for [`Lines::in_blocks`].
    #[target_feature(enable = "avx512f,avx512bw")]
    unsafe fn wider<T: Element, const N: usize, const V: usize>(
        lines: Lines<T>,
        to: &mut [MaybeUninit<T>],
        fetch: impl Fn(Range<usize>),
    ) {
        // SAFETY: the caller's promise; where it is asked for, there are as many rows as columns.
        unsafe {
            match const { V <= 16 } && lines.whole && lines.rows >= V {
                true => lines.in_blocks::<V, V>(to, fetch),
                false => lines.in_blocks::<N, V>(to, fetch),
            }
        }
    }

    /// A block of as many lines as elements of each fill a register: each cache line is read once,
    /// wherever else in a cache the others lie.
    ///
    /// # Safety
    /// As for [`Lines::turned`].
    #[inline(always)]
    pub(super) unsafe fn turned_lines<T: Element, const N: usize, const W: usize>(
        from: *const T,
        stride: isize,
    ) -> [[MaybeUninit<T>; W]; N] {
        assert!(size_of::<[T; W]>() == 64 && N == W && W <= 16);
        // SAFETY: as for `turned_by_64`.
        unsafe {
            let mut lines = [_mm512_setzero_si512(); N];
            for (k, line) in lines.iter_mut().enumerate() {
                let from = from.wrapping_offset(k as isize * stride);
                *line = from.cast::<__m512i>().read_unaligned();
            }
            // Each quarter of a register, with those of as many lines as it has elements.
            let few = N / 4;
            let mut round = 1;
            while round < few {
                let mut next = lines;
                for first in (0..N).step_by(few) {
                    for k in 0..few / 2 {
                        let (a, b) = (lines[first + k], lines[first + k + few / 2]);
                        (next[first + 2 * k], next[first + 2 * k + 1]) = match size_of::<T>() {
                            4 => (_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b)),
                            _ => (_mm512_unpacklo_epi64(a, b), _mm512_unpackhi_epi64(a, b)),
                        };
                    }
                }
                lines = next;
                round *= 2;
            }
            // The quarters of four registers: their first ones, their second ones, ..
            let mut rows = lines;
            for k in 0..few {
                let [a, b, c, d] =
                    [lines[k], lines[k + few], lines[k + 2 * few], lines[k + 3 * few]];
                let (ab, cd) =
                    (_mm512_shuffle_i32x4::<0x88>(a, b), _mm512_shuffle_i32x4::<0x88>(c, d));
                rows[k] = _mm512_shuffle_i32x4::<0x88>(ab, cd);
                rows[k + 2 * few] = _mm512_shuffle_i32x4::<0xdd>(ab, cd);
                let (ab, cd) =
                    (_mm512_shuffle_i32x4::<0xdd>(a, b), _mm512_shuffle_i32x4::<0xdd>(c, d));
                rows[k + few] = _mm512_shuffle_i32x4::<0x88>(ab, cd);
                rows[k + 3 * few] = _mm512_shuffle_i32x4::<0xdd>(ab, cd);
            }
            std::mem::transmute_copy(&rows)
        }
    }

    /// A block of a register for each row, by rounds of interleaving line `k` with line
    /// `k + N / 2`: after as many as `N` has binary digits, each line holds a column. A register of
    /// more than 16 bytes interleaves within each 16, so that it holds lines which lie `N` apart.
    ///
    /// No functions with features of their own, but part of [`wide`], whatever the compiler takes
    /// to be worth it.
    macro_rules! turned {
        (
            $turned:ident, $zero:ident, $part:ident => $load:expr,
            $($size:tt $low:ident $high:ident,)*
        ) => {
            /// # Safety
            /// As for [`Lines::turned`].
            #[inline(always)]
            #[allow(clippy::redundant_closure_call)]
            pub(super) unsafe fn $turned<T: Element, const N: usize, const W: usize>(
                from: *const T,
                stride: isize,
            ) -> [[MaybeUninit<T>; W]; N] {
                // SAFETY: `N` elements are 16 bytes, may be read by the caller's promise, and are
                // initialised to the last bit, because plain types have no padding; the caller says
                // that the machine has these instructions; the block has the size of the registers,
                // by the assertion, and any bits may lie in what may be uninitialised.
                unsafe {
                    let mut lines = [$zero(); N];
                    assert!(size_of::<[[T; W]; N]>() == size_of_val(&lines));
                    for (k, line) in lines.iter_mut().enumerate() {
                        let $part = |number: usize| {
                            let line = (k + number * N) as isize;
                            from.wrapping_offset(line * stride).cast::<__m128i>().read_unaligned()
                        };
                        *line = $load;
                    }
                    let mut round = 1;
                    while round < N {
                        let mut next = lines;
                        for k in 0..N / 2 {
                            let (a, b) = (lines[k], lines[k + N / 2]);
                            (next[2 * k], next[2 * k + 1]) = match size_of::<T>() {
                                $($size => ($low(a, b), $high(a, b)),)*
                            };
                        }
                        lines = next;
                        round *= 2;
                    }
                    std::mem::transmute_copy(&lines)
                }
            }
        };
    }
    turned!(
        turned_by_16, _mm_setzero_si128, part => part(0),
        1 _mm_unpacklo_epi8 _mm_unpackhi_epi8,
        2 _mm_unpacklo_epi16 _mm_unpackhi_epi16,
        4 _mm_unpacklo_epi32 _mm_unpackhi_epi32,
        _ _mm_unpacklo_epi64 _mm_unpackhi_epi64,
    );
    turned!(
        turned_by_32, _mm256_setzero_si256, part => _mm256_set_m128i(part(1), part(0)),
        1 _mm256_unpacklo_epi8 _mm256_unpackhi_epi8,
        2 _mm256_unpacklo_epi16 _mm256_unpackhi_epi16,
        4 _mm256_unpacklo_epi32 _mm256_unpackhi_epi32,
        _ _mm256_unpacklo_epi64 _mm256_unpackhi_epi64,
    );
    turned!(
        turned_by_64, _mm512_setzero_si512,
        part => {
            let line = _mm512_inserti32x4::<1>(_mm512_castsi128_si512(part(0)), part(1));
            _mm512_inserti32x4::<3>(_mm512_inserti32x4::<2>(line, part(2)), part(3))
        },
        1 _mm512_unpacklo_epi8 _mm512_unpackhi_epi8,
        2 _mm512_unpacklo_epi16 _mm512_unpackhi_epi16,
        4 _mm512_unpacklo_epi32 _mm512_unpackhi_epi32,
        _ _mm512_unpacklo_epi64 _mm512_unpackhi_epi64,
    );
}
