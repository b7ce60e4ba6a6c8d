//! [`Spaced`]: elements that lie at equal distances; [`Window`]: those of a small matrix.

use super::{Memory, View};
use crate::dimension::Dimension;
use crate::element::Element;

/// The elements of a view that lie at equal distances in memory, as loops read them: a column, a
/// diagonal, every other element.
#[derive(Clone, Copy, Debug)]
pub struct Spaced<'a, T> {
    memory: Memory<'a, T>,
    /// I8: the layout of a view of this memory reaches the `len` places from this one on.
    place: usize,
    stride: isize,
    len: usize,
}

impl<'a, T: Element, R: Dimension, E> View<'a, T, R, E> {
    /// The elements in logical order, if there are some and they lie at equal distances.
    #[doc(hidden)]
    #[inline]
    pub fn spaced(&self) -> Option<Spaced<'a, T>> {
        let (mut len, mut stride) = (1_usize, 1_isize);
        for (&extent, &outer) in self.shape().iter().zip(self.strides()).rev() {
            match (extent, len) {
                (0, _) => return None,
                (1, _) => {}
                (_, 1) => (len, stride) = (extent, outer),
                _ if outer == stride.wrapping_mul(len as isize) => len *= extent,
                _ => return None,
            }
        }
        Some(Spaced { memory: self.memory, place: self.layout().offset(), stride, len })
    }
}

impl<T: Copy> Spaced<'_, T> {
    /// How many there are, at least one.
    #[inline(always)]
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Element `i`.
    ///
    /// # Safety
    /// `i` is less than [`len`](Self::len).
    #[inline(always)]
    pub unsafe fn get(&self, i: usize) -> T {
        let place = self.place.wrapping_add_signed(self.stride.wrapping_mul(i as isize));
        // SAFETY: by I8 and the caller's promise a view's layout reaches this place: so it is in
        // bounds (I1) and readable (I2).
        unsafe { *self.memory.reference(place) }
    }
}

/// Few elements of a view of rank 2, as loops read them without a copy: those of a window.
#[derive(Clone, Copy, Debug)]
pub struct Window<'a, T> {
    memory: Memory<'a, T>,
    /// I8, too, of the elements of a matrix with rows of `columns` elements.
    place: usize,
    len: usize,
    /// From one element of a row to the next, and from the end of a row to the next one.
    stride: isize,
    gap: isize,
    /// `2^16 / columns`, rounded up: to divide by a multiplication.
    reciprocal: usize,
}

/// The most elements of a [`Window`]: up to here the reciprocal of the columns is exact enough. It is
/// too large by less than `2^-16`, so the quotient by less than `2^-10`; and what is missing to the
/// next whole number is at least one column in 64.
const MOST_OF_WINDOW: usize = 64;

impl<'a, T: Element, R: Dimension, E> View<'a, T, R, E> {
    /// The elements in logical order, if there are some, but few, of a matrix.
    #[doc(hidden)]
    #[inline]
    pub fn window(&self) -> Option<Window<'a, T>> {
        let ([rows, columns], [down, stride]) = (self.shape(), self.strides()) else { return None };
        let (rows, columns) = (*rows, *columns);
        let few = |extent| (1..=MOST_OF_WINDOW).contains(&extent);
        if !(few(rows) && few(columns) && few(rows * columns)) {
            return None;
        }
        Some(Window {
            memory: self.memory,
            place: self.layout().offset(),
            len: rows * columns,
            stride: *stride,
            gap: down.wrapping_sub(stride.wrapping_mul(columns as isize)),
            reciprocal: (1_usize << 16).div_ceil(columns),
        })
    }
}

impl<T: Copy> Window<'_, T> {
    /// How many there are, at least one.
    #[inline(always)]
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Element `i`.
    ///
    /// # Safety
    /// `i` is less than [`len`](Self::len).
    #[inline(always)]
    pub unsafe fn get(&self, i: usize) -> T {
        let row = (i * self.reciprocal) >> 16;
        let reach = self.stride.wrapping_mul(i as isize);
        let reach = reach.wrapping_add(self.gap.wrapping_mul(row as isize));
        // SAFETY: by I8 and the caller's promise a view's layout reaches this place: so it is in
        // bounds (I1) and readable (I2).
        unsafe { *self.memory.reference(self.place.wrapping_add_signed(reach)) }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Array2, s};

    #[test]
    fn windows_of_all_shapes_have_their_elements() {
        let all = Array2::from_shape_fn([64, 64], |(i, j)| 64 * i + j);
        for rows in 1..=64 {
            for columns in 1..=64 / rows {
                let part = all.slice(s![..rows, ..columns]).unwrap();
                for view in [part, part.t(), part.slice(s![..;-1, ..]).unwrap()] {
                    let window = view.window().expect("few elements");
                    // SAFETY: below the length.
                    let found = (0..window.len()).map(|i| unsafe { window.get(i) });
                    assert_eq!(found.collect::<Vec<_>>(), view.to_vec(), "{:?}", view.shape());
                }
            }
        }
        assert!(all.slice(s![..13, ..5]).unwrap().window().is_none());
        assert!(all.slice(s![..0, ..5]).unwrap().window().is_none());
    }
}
