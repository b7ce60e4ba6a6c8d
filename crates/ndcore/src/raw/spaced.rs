//! [`Spaced`]: elements that lie at equal distances; [`Plane`]: those of a matrix, of which
//! [`Window`] and [`Strip`] have an extent that the compiler knows.

use super::{Memory, Runs, View};
use crate::dimension::Dimension;
use crate::element::Element;
use crate::line::Line;
use std::mem::MaybeUninit;

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

/// The elements of a matrix, wherever its rows lie.
// What lies side by side in a layout does not here: else both would be read at once from there,
// which waits until both, just written one by one, have left for the cache.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Plane<'a, T> {
    rows: usize,
    /// From row to row.
    down: isize,
    memory: Memory<'a, T>,
    columns: usize,
    /// I8, too.
    place: usize,
    /// From column to column.
    along: isize,
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

/// The elements of rows of `N` that lie side by side, as loops read them without a copy.
#[derive(Clone, Copy, Debug)]
pub struct Strip<'a, T, const N: usize> {
    memory: Memory<'a, T>,
    /// I8, too.
    place: usize,
    rows: usize,
    /// From row to row.
    distance: isize,
}

impl<'a, T: Element, R: Dimension, E> View<'a, T, R, E> {
    /// The elements, if they are those of a matrix, or lie as those of one.
    #[doc(hidden)]
    #[inline(always)]
    pub fn plane(&self) -> Option<Plane<'a, T>> {
        let layout = self.layout();
        let (memory, place) = (self.memory, layout.offset());
        if let (&[rows, columns], &[down, along]) = (layout.shape(), layout.strides()) {
            return Some(Plane { rows, down, memory, columns, place, along });
        }
        if R::NDIM.is_some_and(|ndim| ndim < 3) {
            return None;
        }
        let (_, columns, _) = layout.lines();
        let rows = layout.size().checked_div(columns)?;
        let (down, along) = layout.in_rows((rows, columns))?;
        Some(Plane { rows, down, memory, columns, place, along })
    }
}

impl<'a, T: Element> Plane<'a, T> {
    /// The rows and the columns.
    #[inline(always)]
    pub fn extents(&self) -> (usize, usize) {
        (self.rows, self.columns)
    }

    /// The elements in logical order, if they lie at equal distances.
    #[inline]
    pub fn spaced(&self) -> Option<Spaced<'a, T>> {
        let (stride, len) = (self.distance()?, self.rows * self.columns);
        (len > 0).then(|| Spaced { line: Line::reached(self.memory, self.place, stride, len) })
    }

    /// How far each element lies from the one before it, if that is equal.
    #[inline]
    fn distance(&self) -> Option<isize> {
        let Plane { rows, down, columns, along, .. } = *self;
        match (rows, columns) {
            (_, 1) => Some(down),
            (1, _) => Some(along),
            _ => (down == along.wrapping_mul(columns as isize)).then_some(along),
        }
    }

    /// How far each element of a row lies from the one before it.
    #[inline(always)]
    pub fn along(&self) -> isize {
        self.along
    }

    /// The elements in logical order, if they are `N` rows of `N`.
    #[inline(always)]
    pub fn window<const N: usize>(&self) -> Option<Window<'a, T, N>> {
        let Plane { rows, down, memory, columns, place, along } = *self;
        let square = N > 0 && rows == N && columns == N;
        square.then_some(Window { memory, place, strides: [down, along] })
    }

    /// The elements in logical order, if they are rows of `N` that lie side by side.
    #[inline(always)]
    pub fn strip<const N: usize>(&self) -> Option<Strip<'a, T, N>> {
        let Plane { rows, down: distance, memory, columns, place, along } = *self;
        let side_by_side = N > 0 && columns == N && along == 1;
        side_by_side.then_some(Strip { memory, place, rows, distance })
    }

    /// The rows, if there are some of unit stride.
    #[inline]
    pub fn runs(&self) -> Option<Runs<'a, T>> {
        let Plane { rows, down, memory, columns, place, along } = *self;
        // A plane with elements reaches all of them by I8: I9.
        (along == 1 && rows > 0 && columns > 0)
            .then(|| Runs::of(&memory, place, down, rows, columns))
    }

    /// The elements, column by column, if they lie so without gaps.
    #[inline]
    pub fn as_slice_of_columns(&self) -> Option<&[T]> {
        let Plane { rows, down, ref memory, columns, place, along } = *self;
        // A plane with elements reaches all of them by I8.
        (down == 1 && along == rows as isize && rows > 0 && columns > 0)
            .then(|| memory.stretch(place, rows * columns))
    }

    /// Copies the elements in logical order, if there are as many slots.
    #[inline]
    pub fn copy_to<'t>(&self, slots: &'t mut [MaybeUninit<T>]) -> Option<&'t mut [T]> {
        let Plane { rows, down, memory, columns, place, along } = *self;
        let slots = slots.get_mut(..rows.checked_mul(columns)?)?;
        if let Some(distance) = self.distance() {
            return Some(memory.pack(place, &[(slots.len(), distance)], slots));
        }
        Some(memory.pack(place, &[(rows, down), (columns, along)], slots))
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

impl<T: Copy, const N: usize> Strip<'_, T, N> {
    /// How many there are.
    #[inline(always)]
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.rows * N
    }

    /// Element `i`.
    ///
    /// # Safety
    /// `i` is less than [`len`](Self::len).
    #[inline(always)]
    pub unsafe fn get(&self, i: usize) -> T {
        let reach = self.distance.wrapping_mul((i / N) as isize).wrapping_add((i % N) as isize);
        // SAFETY: as for windows.
        unsafe { *self.memory.reference(self.place.wrapping_add_signed(reach)) }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Array2, s};
    use std::mem::MaybeUninit;

    #[test]
    fn planes_have_their_elements() {
        let all = Array2::from_shape_fn([9, 20], |(i, j)| 64 * i + j);
        for (rows, columns) in (0..5).flat_map(|i| (0..12).map(move |j| (i, j))) {
            let part = all.slice(s![2..2 + rows, 3..3 + columns]).expect("a part");
            for view in [
                part,
                part.t(),
                part.slice(s![..;-1, ..]).expect("a part"),
                part.slice(s![.., ..;-1]).expect("a part"),
                part.slice(s![.., ..;2]).expect("a part"),
            ] {
                let (plane, elements) = (view.plane().expect("a matrix"), view.to_vec());
                let same = |strip: Option<Vec<usize>>| {
                    assert!(strip.is_none_or(|found| found == elements), "{rows} x {columns}");
                };
                // SAFETY: below the length.
                same(
                    plane.strip::<4>().map(|s| (0..s.len()).map(|i| unsafe { s.get(i) }).collect()),
                );
                // SAFETY: below the length.
                same(
                    plane.strip::<8>().map(|s| (0..s.len()).map(|i| unsafe { s.get(i) }).collect()),
                );
                let runs = plane.runs().map(|runs| {
                    let places =
                        (0..runs.count()).flat_map(|i| (0..runs.len()).map(move |j| (i, j)));
                    // SAFETY: the run and the element are there.
                    places.map(|(i, j)| unsafe { runs.starts().at(i, 0).get(j) }).collect()
                });
                same(runs);
                // SAFETY: below the length.
                same(plane.spaced().map(|s| (0..s.len()).map(|i| unsafe { s.get(i) }).collect()));
                let mut slots = [MaybeUninit::uninit(); 64];
                same(plane.copy_to(&mut slots).map(|copy| copy.to_vec()));
                let last = elements.len().saturating_sub(1);
                assert!(elements.is_empty() || plane.copy_to(&mut slots[..last]).is_none());
            }
            let plane = part.plane().expect("a matrix");
            assert_eq!(plane.extents(), (rows, columns));
            let some = rows * columns > 0;
            assert!(!some || plane.strip::<4>().is_some() == (columns == 4));
            assert!(!some || plane.strip::<8>().is_some() == (columns == 8));
            assert!(columns < 2 || plane.runs().is_some() == some);
            let found = plane.as_slice_of_columns();
            assert!(found.is_none_or(|found| found == part.to_vec() && rows.min(columns) == 1));
        }
        assert!(all.slice(s![0, ..]).expect("a row").plane().is_none());
        let cube = all.into_shape([3, 3, 4, 5]).expect("as many");
        let (first, second) = (cube.slice(s![..2, .., ..2, ..]), cube.slice(s![.., .., ..2, ..2]));
        let plane = first.expect("a part").plane().expect("as a matrix");
        assert_eq!(plane.extents(), (6, 10));
        assert!(second.expect("a part").plane().is_none());
        let even = |view: crate::ViewD<'_, usize>| {
            let plane = view.plane().expect("as a matrix");
            // SAFETY: below the length.
            let found = plane.spaced().map(|s| (0..s.len()).map(|i| unsafe { s.get(i) }).collect());
            assert_eq!(found, Some(view.to_vec()), "of shape {:?}", view.shape());
        };
        even(cube.slice(s![.., .., .., 1..2]).expect("a part").as_dyn());
        even(cube.slice(s![1, 1, 1..2, ..;2]).expect("a part").as_dyn());
        even(cube.slice(s![.., 1, 1, 2..3]).expect("a part").as_dyn());
        let all = cube.into_shape([9, 20]).expect("as many");
        let plane = all.t().plane().expect("a matrix");
        assert_eq!(plane.as_slice_of_columns(), all.as_slice());
        assert!(plane.runs().is_none());
    }

    #[test]
    fn windows_have_their_elements() {
        let all = Array2::from_shape_fn([6, 7], |(i, j)| 64 * i + j);
        for (row, column) in (0..4).flat_map(|i| (0..5).map(move |j| (i, j))) {
            let part = all.slice(s![row..row + 3, column..column + 3]).expect("a part");
            assert!(
                part.plane()
                    .is_some_and(|p| p.window::<2>().is_none() && p.window::<4>().is_none())
            );
            for view in [part, part.t(), part.slice(s![..;-1, ..]).expect("a part")] {
                let window = view.plane().and_then(|plane| plane.window::<3>()).expect("a square");
                // SAFETY: below the length.
                let found = (0..window.len()).map(|i| unsafe { window.get(i) });
                assert_eq!(found.collect::<Vec<_>>(), view.to_vec(), "{row}, {column}");
                assert_eq!(window.rows().concat(), view.to_vec(), "{row}, {column}");
            }
        }
        let nothing = all.slice(s![..0, ..0]).expect("a part").plane().expect("a matrix");
        assert!(nothing.window::<0>().is_none());
    }
}
