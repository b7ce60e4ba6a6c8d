//! [`Nested`]: the elements of a view in the order of the loops of a [`Nest`].
//!
//! Further invariants, cited by the proofs:
//! * I5: the loops of a [`Nested`] or a [`Part`](super::Part) reach only elements that the view it
//!   was made of reaches; those of a part reach none by two indices.
//! * I6: the parts of one output that exist at a time share no element, and a
//!   [`Filled`](super::Filled) counts elements of parts that were given up for it.

use super::packed::Packed;
use super::slabs::Rows;
use super::{Memory, View};
use crate::MAX_NDIM;
use crate::dimension::Dimension;
use crate::element::Element;
use crate::layout::Nest;
use crate::short::{Extents, Short};

/// Where elements lie along loops.
#[derive(Clone, Debug)]
pub(super) struct Places {
    offset: usize,
    pub(super) extents: Extents,
    strides: Short<isize>,
}

impl Places {
    /// The loops of a nest over `shape`, in which elements lie by these strides.
    ///
    /// # Panics
    /// If the nest does not fit: an axis twice, one left out whose extent is not 1, or a join of
    /// two axes that are not one walk.
    pub(super) fn new(shape: &[usize], along: &[isize], offset: usize, nest: &Nest) -> Self {
        let mut to = Places { offset, extents: Extents::new(), strides: Short::new() };
        let mut seen = 0_u32;
        for (position, &axis) in nest.order.iter().enumerate() {
            let axis = usize::from(axis);
            assert!(seen & (1 << axis) == 0, "axis {axis} is in the nest twice");
            seen |= 1 << axis;
            let (extent, mut stride) = (shape[axis], along[axis]);
            if nest.flips & (1 << axis) != 0 {
                to.offset = (to.offset as isize + (extent as isize - 1) * stride) as usize;
                stride = -stride;
            }
            if nest.joins & (1 << position) != 0 {
                let outer = to.extents.len() - 1;
                let one_walk = to.strides[outer] == stride.wrapping_mul(extent as isize);
                assert!(one_walk, "axes joined that are not one walk");
                to.extents[outer] *= extent;
                to.strides[outer] = stride;
            } else {
                to.extents.push(extent);
                to.strides.push(stride);
            }
        }
        for (axis, &extent) in shape.iter().enumerate() {
            assert!(seen & (1 << axis) != 0 || extent == 1, "axis {axis} is not in the nest");
        }
        if to.extents.is_empty() {
            to.extents.push(1);
            to.strides.push(1);
        }
        to
    }

    /// As [`new`](Self::new), of a layout placed in a larger shape.
    fn placed(
        shape: &[usize],
        dims: Option<&[u8]>,
        layout: (&[usize], &[isize]),
        offset: usize,
        nest: &Nest,
    ) -> Self {
        let mut along = [0_isize; MAX_NDIM];
        let along = &mut along[..shape.len()];
        Dim::place(shape, dims, layout, along);
        Places::new(shape, along, offset, nest)
    }

    /// The place of an index.
    fn place(&self, start: &[usize]) -> usize {
        assert_eq!(start.len(), self.extents.len(), "an index has an entry for each loop");
        let mut place = self.offset as isize;
        for ((&index, &extent), &stride) in start.iter().zip(&self.extents).zip(&self.strides) {
            assert!(index < extent, "an index leaves its loop");
            place += index as isize * stride;
        }
        place as usize
    }

    /// The place of index `start`, if the `len` elements from it on lie side by side in memory.
    pub(super) fn run(&self, start: &[usize], len: usize) -> Option<usize> {
        let (place, inner) = (self.place(start), self.extents.len() - 1);
        if len <= self.extents[inner] - start[inner] {
            return (self.strides[inner] == 1 || len <= 1).then_some(place);
        }
        self.goes_on(start, len).then_some(place)
    }

    /// The place of index `start`, and the distance from there to the next index along a loop, if
    /// the `len` elements from it on, and from the `count - 1` indices after it along that loop,
    /// lie side by side in memory.
    pub(super) fn runs(
        &self,
        start: &[usize],
        along: usize,
        count: usize,
        len: usize,
    ) -> Option<(usize, isize)> {
        let place = self.run(start, len)?;
        let (inner, from) = (&self.extents[along + 1..], &start[along + 1..]);
        let within = match (inner, from) {
            (&[extent], &[from]) => len <= extent - from,
            _ => from.iter().all(|&index| index == 0) && len <= inner.iter().product(),
        };
        let left = self.extents[along] - start[along];
        assert!(count <= left && within, "runs leave their loops");
        Some((place, self.strides[along]))
    }

    /// The place of index `start`, if the `len` elements from it on, and from where rows begin, lie
    /// side by side in memory.
    pub(super) fn rows(&self, start: &[usize], rows: &Rows, len: usize) -> Option<usize> {
        let (first, extents, strides) = rows.along.as_ref().expect("rows along loops");
        let (first, end) = (*first, *first + extents.len());
        let inner = self.extents.len() - 1;
        assert!(end <= inner && self.strides[first..end] == **strides, "rows of other loops");
        let inside = |axis: usize| extents[axis - first] <= self.extents[axis] - start[axis];
        let place = self.place(start);
        let whole = (end..inner).all(|axis| self.extents[axis] == 1);
        let fits = len <= self.extents[inner] - start[inner];
        assert!((first..end).all(inside) && whole && fits, "rows leave their loops");
        (self.strides[inner] == 1 || len <= 1).then_some(place)
    }

    /// The strides of the loops.
    pub(super) fn strides(&self) -> &[isize] {
        &self.strides
    }

    /// Whether elements lie side by side across loops.
    fn goes_on(&self, start: &[usize], len: usize) -> bool {
        // Elements that follow within the loops looked at so far, the innermost first.
        let mut reach = 1;
        for axis in (0..start.len()).rev() {
            if len <= reach {
                break;
            }
            let left = self.extents[axis] - start[axis];
            if self.strides[axis] != reach as isize && self.extents[axis] != 1 {
                return false;
            }
            if len <= left * reach {
                return true;
            }
            // The run goes on in the next loop: it must have had this one whole.
            assert!(start[axis] == 0, "a run leaves its loops");
            reach *= self.extents[axis];
        }
        assert!(len <= reach, "a run leaves its loops");
        true
    }

    /// The loops before index `mid` of one of them, and those from there on.
    ///
    /// # Panics
    /// If `mid` is above the extent.
    pub(super) fn split_at(self, axis: usize, mid: usize) -> (Self, Self) {
        let mut low = self;
        let mut high = low.clone();
        assert!(mid <= low.extents[axis], "a cut leaves its loop");
        low.extents[axis] = mid;
        high.extents[axis] -= mid;
        if high.extents[axis] > 0 {
            high.offset = (low.offset as isize + mid as isize * low.strides[axis]) as usize;
        }
        (low, high)
    }

    /// The place where a box begins, and the loops over its elements, as [`walks`] lists them. How
    /// many there are.
    pub(super) fn walk(
        &self,
        start: &[usize],
        extents: &[usize],
        axes: &mut Short<(usize, isize)>,
    ) -> (usize, usize) {
        (self.corner(start, extents), walks(extents, &self.strides, axes))
    }

    /// The place where a box begins.
    fn corner(&self, start: &[usize], extents: &[usize]) -> usize {
        let n = self.extents.len();
        assert!(start.len() == n && extents.len() == n, "a box has an entry for each loop");
        let mut place = self.offset as isize;
        for axis in 0..n {
            let extent = self.extents[axis];
            assert!(
                start[axis] <= extent && extents[axis] <= extent - start[axis],
                "a box leaves its loops"
            );
            place += start[axis] as isize * self.strides[axis];
        }
        place as usize
    }
}

/// The number of an axis of a result. Its functions are compiled here for each type that it has,
/// and not where they are used.
#[doc(hidden)]
pub trait Dim: Copy + Into<usize> {
    /// The strides of a layout placed in a larger shape: its axis `i` lies along axis `dims[i]`,
    /// and repeats along all others and where its extent is 1.
    ///
    /// # Panics
    /// If it does not fit.
    fn place(
        shape: &[usize],
        dims: Option<&[Self]>,
        layout: (&[usize], &[isize]),
        along: &mut [isize],
    );

    /// The loops, length and stride, over the elements of a layout in row-major order, as they are
    /// met in a larger shape. Returns how many there are.
    ///
    /// # Panics
    /// If the layout does not fit.
    fn walk(
        shape: &[usize],
        dims: Option<&[Self]>,
        layout: (&[usize], &[isize]),
        axes: &mut Short<(usize, isize)>,
    ) -> usize;
}

macro_rules! dims {
    ($($dim:ty),*) => {$(
        impl Dim for $dim {
            fn place(
                shape: &[usize],
                dims: Option<&[Self]>,
                (own, strides): (&[usize], &[isize]),
                along: &mut [isize],
            ) {
                let stride = |axis: usize, to: usize| {
                    assert!(own[axis] == 1 || own[axis] == shape[to], "a layout that does not fit");
                    if own[axis] == 1 { 0 } else { strides[axis] }
                };
                let Some(dims) = dims else {
                    assert_eq!(own.len(), shape.len(), "a layout has the rank of its loops");
                    let along = along.iter_mut().enumerate();
                    return along.for_each(|(axis, along)| *along = stride(axis, axis));
                };
                assert_eq!(own.len(), dims.len(), "each axis lies along another one");
                let mut named = 0_u32;
                for (axis, &dim) in dims.iter().enumerate() {
                    let dim = usize::from(dim);
                    assert!(named & (1 << dim) == 0, "two axes lie along one");
                    named |= 1 << dim;
                    along[dim] = stride(axis, dim);
                }
            }

            fn walk(
                shape: &[usize],
                dims: Option<&[Self]>,
                (own, strides): (&[usize], &[isize]),
                axes: &mut Short<(usize, isize)>,
            ) -> usize {
                let same = || own.iter().zip(shape).all(|(own, extent)| own == extent);
                if dims.is_none() && own.len() == shape.len() && same() {
                    return walks(shape, strides, axes);
                }
                let mut along = [0_isize; MAX_NDIM];
                Self::place(shape, dims, (own, strides), &mut along[..shape.len()]);
                walks(shape, &along[..shape.len()], axes)
            }
        }
    )*};
}
dims!(u8, u16);

/// The elements of a [`View`] in the order of the loops of a [`Nest`]: what a kernel reads.
#[derive(Clone, Debug)]
pub struct Nested<'a, T> {
    pub(super) memory: Memory<'a, T>,
    pub(super) places: Places,
}

impl<'a, T: Element, R: Dimension, E> View<'a, T, R, E> {
    /// The elements as they are met in loops over a larger shape: axis `i` lies along axis
    /// `dims[i]` of it (without `dims`, along itself), and the elements repeat along all others and
    /// where the extent is 1.
    ///
    /// # Panics
    /// If the view does not fit the shape, or the nest does not: an axis twice, one left out whose
    /// extent is not 1, or a join of two axes that are not one walk.
    pub fn nested(self, shape: &[usize], dims: Option<&[u8]>, nest: &Nest) -> Nested<'a, T> {
        let layout = self.layout();
        let lies = (layout.shape(), layout.strides());
        Nested {
            memory: self.memory,
            places: Places::placed(shape, dims, lies, layout.offset(), nest),
        }
    }
}

impl<'a, T: Element> Nested<'a, T> {
    /// The `len` elements from index `start` on, if they lie side by side in memory.
    ///
    /// # Panics
    /// If `start` is not an index of the loops or fewer than `len` elements follow it.
    #[inline]
    pub fn run(&self, start: &[usize], len: usize) -> Option<&'a [T]> {
        let first = self.memory.pointer(self.places.run(start, len)?, len);
        // SAFETY: `pointer` has checked the bounds; readable for 'a by I2 and I5.
        Some(unsafe { std::slice::from_raw_parts(first, len) })
    }

    /// The element at an index.
    ///
    /// # Panics
    /// If it is not an index of the loops.
    #[inline]
    pub fn at(&self, index: &[usize]) -> T {
        // One element always lies side by side.
        self.run(index, 1).expect("an element")[0]
    }

    /// The place of an index in memory: two places are equal where the elements are the same.
    ///
    /// # Panics
    /// If it is not an index of the loops.
    #[inline]
    pub fn place(&self, index: &[usize]) -> usize {
        self.places.place(index)
    }

    /// Copies the box of `extents` elements that begins at index `start`, in the order of the
    /// loops.
    ///
    /// # Panics
    /// If the box leaves the loops.
    pub fn pack(&self, start: &[usize], extents: &[usize], to: &mut Packed<T>) {
        let mut axes = Short::new();
        let (place, len) = self.places.walk(start, extents, &mut axes);
        to.copy(self.memory, place, &axes, len);
    }
}

/// Lists the axes of extent above 1 as (length, stride), with those joined that are one walk.
/// Returns the number of elements.
#[inline]
pub(super) fn walks(
    extents: &[usize],
    strides: &[isize],
    axes: &mut Short<(usize, isize)>,
) -> usize {
    let mut len = 1;
    for (&extent, &stride) in extents.iter().zip(strides) {
        len *= extent;
        if extent == 1 {
            continue;
        }
        match axes.last_mut() {
            Some((outer, walk)) if *walk == stride.wrapping_mul(extent as isize) => {
                *outer *= extent;
                *walk = stride;
            }
            _ => axes.push((extent, stride)),
        }
    }
    len
}
