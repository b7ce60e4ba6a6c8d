//! [`Spaced`]: elements that lie at equal distances; [`Window`]: those of a small matrix.

use super::{Memory, View};
use crate::dimension::Dimension;
use crate::element::Element;
use crate::line::Line;

/// The elements of a view that lie at equal distances in memory, as loops read them: a column, a
/// diagonal, every other element.
#[derive(Clone, Copy, Debug)]
pub struct Spaced<'a, T> {
    /// I8: the layout of a view reaches each.
    line: Line<'a, T>,
}

impl<'a, T: Element, R: Dimension, E> View<'a, T, R, E> {
    /// The elements in logical order, if they lie at equal distances, as those of a vector do.
    #[doc(hidden)]
    #[inline]
    pub fn spaced(&self) -> Option<Spaced<'a, T>> {
        let layout = self.layout();
        let (None, len, stride) = layout.lines() else { return None };
        Some(Spaced { line: Line::reached(self.memory, layout.offset(), stride, len) })
    }
}

impl<T: Copy> Spaced<'_, T> {
    /// How far each lies from the one before it.
    #[inline]
    pub fn distance(&self) -> usize {
        self.line.steps().1.unsigned_abs()
    }

    /// How many there are.
    #[inline(always)]
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.line.len()
    }

    /// All of them, if they lie side by side.
    #[inline]
    pub fn as_slice(&self) -> Option<&[T]> {
        let first = self.line.side_by_side()?;
        // SAFETY: by I8 a view's layout reaches so many side by side: so they are in bounds (I1) and
        // readable (I2).
        Some(unsafe { std::slice::from_raw_parts(first, self.len()) })
    }

    /// Element `i`.
    ///
    /// # Safety
    /// `i` is less than [`len`](Self::len).
    #[inline(always)]
    pub unsafe fn get(&self, i: usize) -> T {
        let (first, stride) = self.line.steps();
        // SAFETY: by I8 and the caller's promise a view's layout reaches this element: so it is in
        // bounds (I1) and readable (I2).
        unsafe { *first.wrapping_offset(stride.wrapping_mul(i as isize)) }
    }
}

/// The elements of a square of `N * N`, as loops read them without a copy: those of a small window.
#[derive(Clone, Copy, Debug)]
pub struct Window<'a, T, const N: usize> {
    memory: Memory<'a, T>,
    /// I8, too.
    place: usize,
    /// From row to row, and from column to column.
    strides: [isize; 2],
}

impl<'a, T: Element, R: Dimension, E> View<'a, T, R, E> {
    /// The elements in logical order, if they are `N` rows of `N`.
    #[doc(hidden)]
    #[inline]
    pub fn window<const N: usize>(&self) -> Option<Window<'a, T, N>> {
        let layout = self.layout();
        // Each by itself: to compare lists, both extents would be read at once, which waits until
        // they are in memory.
        let (&[rows, columns], &[down, along]) = (layout.shape(), layout.strides()) else {
            return None;
        };
        let square = N > 0 && rows == N && columns == N;
        square.then(|| Window {
            memory: self.memory,
            place: layout.offset(),
            strides: [down, along],
        })
    }
}

impl<T: Copy, const N: usize> Window<'_, T, N> {
    /// How many there are.
    #[inline(always)]
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        N * N
    }

    /// The elements, row by row.
    #[inline(always)]
    pub fn rows(&self) -> [[T; N]; N] {
        // SAFETY: below the length, as both are below `N`.
        std::array::from_fn(|i| std::array::from_fn(|j| unsafe { self.get(i * N + j) }))
    }

    /// Element `i`.
    ///
    /// # Safety
    /// `i` is less than [`len`](Self::len).
    #[inline(always)]
    pub unsafe fn get(&self, i: usize) -> T {
        let [down, along] = self.strides;
        let reach = down.wrapping_mul((i / N) as isize);
        let reach = reach.wrapping_add(along.wrapping_mul((i % N) as isize));
        // SAFETY: by I8 and the caller's promise a view's layout reaches this place: so it is in
        // bounds (I1) and readable (I2).
        unsafe { *self.memory.reference(self.place.wrapping_add_signed(reach)) }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Array2, s};

    #[test]
    fn windows_have_their_elements() {
        let all = Array2::from_shape_fn([6, 7], |(i, j)| 64 * i + j);
        for (row, column) in (0..4).flat_map(|i| (0..5).map(move |j| (i, j))) {
            let part = all.slice(s![row..row + 3, column..column + 3]).expect("a part");
            assert!(part.window::<2>().is_none() && part.window::<4>().is_none());
            for view in [part, part.t(), part.slice(s![..;-1, ..]).expect("a part")] {
                let window = view.window::<3>().expect("a square");
                // SAFETY: below the length.
                let found = (0..window.len()).map(|i| unsafe { window.get(i) });
                assert_eq!(found.collect::<Vec<_>>(), view.to_vec(), "{row}, {column}");
                assert_eq!(window.rows().concat(), view.to_vec(), "{row}, {column}");
            }
        }
        assert!(all.slice(s![..0, ..0]).expect("a part").window::<0>().is_none());
    }
}
