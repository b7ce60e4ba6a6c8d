//! [`Nested`] and [`Part`]: the elements of a view in the order of the loops of a [`Nest`].
//!
//! Further invariants, cited by the proofs:
//! * I5: the loops of a [`Nested`] or a [`Part`] reach only elements that the view it was made of
//!   reaches; those of a part reach none by two indices.
//! * I6: the parts of one output that exist at a time share no element, and a [`Filled`] counts
//!   elements of parts that were given up for it.

use super::packed::{Packed, Room, SHORT_COPY, copy_run};
use super::runs::{Rows, RowsMut};
use super::unit::{copy_units, unpack_units};
use super::{Memory, View, ViewMut, has_unit};
use crate::MAX_NDIM;
use crate::dimension::Dimension;
use crate::element::Element;
use crate::layout::{Layout, Nest};
use crate::short::{Extents, Short};
use std::marker::PhantomData;
use std::mem::MaybeUninit;

/// Where elements lie along loops.
#[derive(Clone, Debug)]
pub(super) struct Places {
    offset: usize,
    extents: Extents,
    strides: Short<isize>,
}

impl Places {
    /// The loops of a nest over `shape`, in which elements lie by these strides.
    ///
    /// # Panics
    /// If the nest does not fit: an axis twice, one left out whose extent is not 1, or a join of
    /// two axes that are not one walk.
    fn new(shape: &[usize], along: &[isize], offset: usize, nest: &Nest) -> Self {
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
    fn run(&self, start: &[usize], len: usize) -> Option<usize> {
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
    fn split_at(self, axis: usize, mid: usize) -> (Self, Self) {
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
    fn walk(
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

/// The number of an axis of a result. Its functions are compiled here for each type that it has, and
/// not where they are used.
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

/// A part of an output in the order of loops: exclusive, to be filled or changed.
#[derive(Debug)]
pub struct Part<'b, S> {
    memory: Memory<'b, S>,
    places: Places,
    exclusive: PhantomData<&'b mut [S]>,
}

/// The proof that elements of an output have been initialised: how many, and of which one. Joined
/// from the proofs of its parts, that of the whole output makes it an array.
#[derive(Debug)]
#[must_use = "without it the output is lost"]
pub struct Filled<'b> {
    output: usize,
    count: usize,
    parts: PhantomData<&'b mut ()>,
}

impl Filled<'_> {
    /// The proof for both parts.
    ///
    /// # Panics
    /// If they are parts of two outputs.
    #[inline]
    pub fn join(self, other: Self) -> Self {
        assert_eq!(self.output, other.output, "parts of two outputs");
        Filled { count: self.count + other.count, ..self }
    }
}

impl<'b, T: Element, R: Dimension, E> ViewMut<'b, T, R, E> {
    /// The elements in the order of loops.
    ///
    /// # Panics
    /// If the nest does not fit: see [`View::nested`].
    pub fn into_part(self, nest: &Nest) -> Part<'b, T> {
        let layout = self.layout();
        let places = Places::new(layout.shape(), layout.strides(), layout.offset(), nest);
        Part { memory: self.memory, places, exclusive: PhantomData }
    }

    /// The proof that this view has been filled.
    ///
    /// # Safety
    /// Every element of it has been initialised.
    #[inline]
    pub unsafe fn assume_filled(self) -> Filled<'b> {
        let output = self.memory.data.as_ptr().addr();
        Filled { output, count: self.layout().size(), parts: PhantomData }
    }

    /// The proof that a view without elements has been filled.
    ///
    /// # Panics
    /// If there are elements.
    pub fn filled_without_elements(self) -> Filled<'b> {
        assert_eq!(self.layout().size(), 0, "a view without elements");
        Filled { output: self.memory.data.as_ptr().addr(), count: 0, parts: PhantomData }
    }

    /// What tells the proof of all its elements from others.
    #[inline]
    pub(crate) fn place_of_filled(&self) -> Output {
        Output { output: self.memory.data.as_ptr().addr(), count: self.layout().size() }
    }
}

/// An output, and the number of its elements.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    output: usize,
    count: usize,
}

impl Output {
    /// Whether this proof is that of all its elements.
    #[inline]
    pub(crate) fn is_all(self, filled: &Filled<'_>) -> bool {
        filled.output == self.output && filled.count == self.count
    }
}

impl<'b, S: Element> Part<'b, S> {
    /// The extents of the loops.
    #[inline]
    pub fn extents(&self) -> &[usize] {
        &self.places.extents
    }

    /// The number of elements.
    #[inline]
    pub fn len(&self) -> usize {
        self.places.extents.iter().product()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Splits the part in two before index `mid` of a loop.
    ///
    /// # Panics
    /// If `mid` is above the extent.
    pub fn split_at(self, axis: usize, mid: usize) -> (Self, Self) {
        let Part { memory, places, .. } = self;
        let (low, high) = places.split_at(axis, mid);
        // The two reach different elements, because no element is reached by two indices (I5).
        let part = |places| Part { memory, places, exclusive: PhantomData };
        (part(low), part(high))
    }

    /// The `len` elements from index `start` on, if they lie side by side in memory.
    ///
    /// # Panics
    /// If `start` is not an index of the loops or fewer than `len` elements follow it.
    #[inline]
    pub fn run_mut(&mut self, start: &[usize], len: usize) -> Option<&mut [S]> {
        let first = self.memory.pointer(self.places.run(start, len)?, len);
        // SAFETY: `pointer` has checked the bounds; exclusive while the part is borrowed by I2, I5.
        Some(unsafe { std::slice::from_raw_parts_mut(first, len) })
    }

    /// The runs of `len` elements that begin at index `start` and at the `count - 1` indices after
    /// it along a loop.
    ///
    /// # Panics
    /// If the elements of a run do not lie side by side, or as for [`Nested::runs`].
    #[inline]
    pub fn rows_mut(
        &mut self,
        start: &[usize],
        along: usize,
        count: usize,
        len: usize,
    ) -> RowsMut<'_, S> {
        let places = self.places.runs(start, along, count, len);
        let (place, distance) = places.expect("runs of unit stride");
        let last = distance.wrapping_mul(count as isize - 1);
        let _ = self.memory.pointer(place.wrapping_add_signed(last), len);
        // In bounds, as just checked of the first and the last; exclusive while the part is
        // borrowed by I2, and no two share an element by I5: I10.
        RowsMut::at(self.memory.pointer(place, len), distance, count, len)
    }

    /// As [`Nested::pack`].
    ///
    /// # Panics
    /// As for [`Nested::pack`].
    pub fn pack(&self, start: &[usize], extents: &[usize], to: &mut Packed<S>) {
        let mut axes = Short::new();
        let (place, len) = self.places.walk(start, extents, &mut axes);
        to.copy(self.memory, place, &axes, len);
    }

    /// Copies the front of `from`, in the order of the loops, to the box of `extents` elements that
    /// begins at index `start`.
    ///
    /// # Panics
    /// If the box leaves the loops, or `from` is shorter than the box.
    pub fn unpack(&mut self, start: &[usize], extents: &[usize], from: &[S]) {
        let mut axes = Short::new();
        let (place, len) = self.places.walk(start, extents, &mut axes);
        if len > 0 {
            unpack(self.memory, place, &axes, &from[..len]);
        }
    }

    /// The proof that this part has been filled.
    ///
    /// # Safety
    /// Every element of it has been initialised.
    #[inline]
    pub unsafe fn assume_filled(self) -> Filled<'b> {
        let output = self.memory.data.as_ptr().addr();
        Filled { output, count: self.len(), parts: PhantomData }
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

impl<T: Element, R: Dimension, E> View<'_, T, R, E> {
    /// Copies the elements in row-major order, as they are met in a larger shape: see
    /// [`nested`](Self::nested).
    ///
    /// # Panics
    /// If the view does not fit the shape.
    pub fn copy_row_major<D: Dim>(&self, shape: &[usize], dims: Option<&[D]>, to: &mut Packed<T>) {
        let (layout, mut axes) = (self.layout(), Short::new());
        let len = D::walk(shape, dims, (layout.shape(), layout.strides()), &mut axes);
        to.copy(self.memory, layout.offset(), &axes, len);
    }

    /// As [`copy_row_major`](Self::copy_row_major), into memory on the stack, if it has room for
    /// so many.
    ///
    /// # Panics
    /// If the view does not fit the shape.
    pub fn copy_few<'s, D: Dim>(
        &self,
        shape: &[usize],
        dims: Option<&[D]>,
        to: &mut Room<'s>,
    ) -> Option<&'s mut [T]> {
        let (layout, mut axes) = (self.layout(), Short::new());
        let len = D::walk(shape, dims, (layout.shape(), layout.strides()), &mut axes);
        Some(self.memory.pack(layout.offset(), &axes, to.slots(len)?))
    }
}

impl<T: Element, R: Dimension, E> ViewMut<'_, T, R, E> {
    /// Copies the elements in row-major order.
    pub fn copy_to_row_major(&self, to: &mut Packed<T>) {
        let layout = self.layout();
        let mut axes = Short::new();
        let len = walks(layout.shape(), layout.strides(), &mut axes);
        to.copy(self.memory, layout.offset(), &axes, len);
    }

    /// Overwrites the elements with others in row-major order.
    ///
    /// # Panics
    /// If there are fewer.
    pub fn copy_from_row_major(&mut self, from: &[T]) {
        let layout = *self.layout();
        let mut axes = Short::new();
        let len = walks(layout.shape(), layout.strides(), &mut axes);
        if len > 0 {
            unpack(self.memory, layout.offset(), &axes, &from[..len]);
        }
    }
}

impl<T: Element, R: Dimension, E> ViewMut<'_, MaybeUninit<T>, R, E> {
    /// Copies a view of the same shape to here, if it takes no longer than to go over the elements
    /// once: where this is in row-major order, or the rows of both have unit stride. Returns
    /// whether it has.
    ///
    /// # Panics
    /// If the shapes differ.
    #[doc(hidden)]
    pub fn copy_of<S: Dimension, F>(&mut self, from: &View<'_, T, S, F>) -> bool {
        let (to, layout) = (&self.layout, from.layout());
        assert_eq!(to.shape(), layout.shape(), "a slot for each element");
        if to.is_c_contiguous() {
            let mut axes = Short::new();
            let len = walks(layout.shape(), layout.strides(), &mut axes);
            let first = self.memory.pointer(to.offset(), len);
            // SAFETY: the layout reaches so many one after the other, in bounds by I1 and
            // exclusively by I2.
            let slots = unsafe { std::slice::from_raw_parts_mut(first, len) };
            from.memory.pack(layout.offset(), &axes, slots);
            return true;
        }
        if to.is_empty() {
            return true;
        }
        let loops = loops_of_both(layout, to);
        if !matches!(loops.last(), Some((_, 1, 1))) {
            return false;
        }
        copy((from.memory, layout.offset()), (self.memory, to.offset()), &loops);
        true
    }
}

/// The loops over elements and as many slots, with those joined that are one walk in both: length
/// and both strides, the outermost first.
// Inlined: a list that is returned is moved, which is waited for.
#[inline(always)]
fn loops_of_both<R: Dimension, S: Dimension>(
    from: &Layout<S>,
    to: &Layout<R>,
) -> Short<(usize, isize, isize)> {
    let mut loops = Short::<(usize, isize, isize)>::new();
    let strides = from.strides().iter().zip(to.strides());
    for (&extent, (&from, &to)) in to.shape().iter().zip(strides) {
        let along = |stride: isize| stride.wrapping_mul(extent as isize);
        match loops.last_mut() {
            _ if extent == 1 => {}
            Some(last) if (last.1, last.2) == (along(from), along(to)) => {
                *last = (last.0 * extent, from, to);
            }
            _ => loops.push((extent, from, to)),
        }
    }
    loops
}

/// Copies elements, of which the first ones begin at these places, and the others lie along `loops`
/// (length and both strides, the outermost first). All may be read and written, and are reached
/// once.
#[inline]
fn copy<T: Element>(
    from: (Memory<'_, T>, usize),
    to: (Memory<'_, MaybeUninit<T>>, usize),
    loops: &[(usize, isize, isize)],
) {
    if const { has_unit::<T>() } {
        copy_units(from, to, loops)
    } else {
        copy_loops(from, to, loops)
    }
}

/// As [`copy`], of elements as they are.
#[inline]
pub(super) fn copy_loops<T: Element>(
    from: (Memory<'_, T>, usize),
    to: (Memory<'_, MaybeUninit<T>>, usize),
    loops: &[(usize, isize, isize)],
) {
    let (&(len, along, step), outer) = loops.split_last().unwrap_or((&(1, 1, 1), &[]));
    match (along, step) {
        (1, 1) => copy_rows::<true, _>(from, to, outer, len, 1, 1),
        _ => copy_rows::<false, _>(from, to, outer, len, along, step),
    }
}

/// Copies rows of `len` elements at two strides (`along` to read, `step` to write), of which the
/// first begin at these places, and the others at those along `loops` (length and both strides, the
/// outermost first). All may be read and written, and are reached once. If `RUNS`, both strides
/// are 1.
// Number by number: what is copied as a whole waits for numbers that have just been written.
fn copy_rows<const RUNS: bool, T: Element>(
    (from, source): (Memory<'_, T>, usize),
    (to, place): (Memory<'_, MaybeUninit<T>>, usize),
    loops: &[(usize, isize, isize)],
    len: usize,
    along: isize,
    step: isize,
) {
    let (&(count, read, written), inner) = loops.split_first().unwrap_or((&(1, 0, 0), &[]));
    let (mut source, mut place) = (source, place);
    for _ in 0..count {
        match (along, step) {
            _ if !inner.is_empty() => {
                copy_rows::<RUNS, _>((from, source), (to, place), inner, len, along, step)
            }
            (_, step) if RUNS || step == 1 => {
                // SAFETY: `pointer` has checked the bounds; exclusive by I2.
                let slots = unsafe { std::slice::from_raw_parts_mut(to.pointer(place, len), len) };
                match along {
                    along if RUNS || along == 1 => copy_run(from.stretch(source, len), slots),
                    _ => from.pack_line(source, len, along, slots),
                }
            }
            _ => {
                let first = from.strided(source, along, len);
                let slots = to.strided(place, step, len);
                for i in 0..len as isize {
                    // SAFETY: `strided` has checked the bounds; readable and exclusive by I2.
                    unsafe { (*slots.offset(i * step)).write(first.offset(i * along).read()) };
                }
            }
        }
        source = source.wrapping_add_signed(read);
        place = place.wrapping_add_signed(written);
    }
}

/// Writes elements to the places along `axes` (length and stride, the outermost first), all of
/// which may be written to and are reached once.
#[inline]
fn unpack<S: Element>(memory: Memory<'_, S>, place: usize, axes: &[(usize, isize)], from: &[S]) {
    if const { has_unit::<S>() } {
        unpack_units(memory, place, axes, from);
    } else {
        unpack_any(memory, place, axes, from);
    }
}

/// As [`unpack`], of elements as they are.
#[inline]
pub(super) fn unpack_any<S: Element>(
    memory: Memory<'_, S>,
    place: usize,
    axes: &[(usize, isize)],
    from: &[S],
) {
    match *axes {
        [] => scatter(memory, place, 1, from),
        [(_, stride)] => scatter(memory, place, stride, from),
        [(len, stride), ref inner @ ..] => {
            let period = from.len() / len;
            for (i, from) in from.chunks_exact(period).enumerate() {
                let place = (place as isize + i as isize * stride) as usize;
                match *inner {
                    [(_, stride)] => scatter(memory, place, stride, from),
                    _ => unpack_any(memory, place, inner, from),
                }
            }
        }
    }
}

/// Writes elements to `place`, `place + stride`, .., all of which may be written to.
#[inline]
fn scatter<S: Element>(memory: Memory<'_, S>, place: usize, stride: isize, from: &[S]) {
    let first = memory.strided(place, stride, from.len());
    if stride == 1 && from.len() > SHORT_COPY {
        // SAFETY: `strided` has checked the bounds; exclusive, as `unpack` asks for, so that `from`
        // lies elsewhere.
        unsafe { std::ptr::copy_nonoverlapping(from.as_ptr(), first, from.len()) };
        return;
    }
    // SAFETY: `strided` has checked the bounds; exclusive, as `unpack` asks for.
    let write = |i: usize, value: S| unsafe { first.offset(i as isize * stride).write(value) };
    let (fours, rest) = from.as_chunks::<4>();
    for (i, &[a, b, c, d]) in fours.iter().enumerate() {
        write(4 * i, a);
        write(4 * i + 1, b);
        write(4 * i + 2, c);
        write(4 * i + 3, d);
    }
    for (i, &value) in rest.iter().enumerate() {
        write(4 * fours.len() + i, value);
    }
}

impl<'b, T: Element> Part<'b, MaybeUninit<T>> {
    /// Fills a part that lies side by side as a whole, by a function that returns the same slots,
    /// initialised.
    ///
    /// # Errors
    /// Those of the function.
    ///
    /// # Panics
    /// If it does not lie side by side, or the function returns something else.
    pub fn fill<Err>(
        mut self,
        f: impl FnOnce(&mut [MaybeUninit<T>]) -> Result<&mut [T], Err>,
    ) -> Result<Filled<'b>, Err> {
        let (start, len) = (Extents::filled(0, self.extents().len()), self.len());
        if len > 0 {
            let slots = self.run_mut(&start, len).expect("a part that lies side by side");
            let first = slots.as_ptr().cast::<T>();
            let filled = f(slots)?;
            assert!(filled.as_ptr() == first && filled.len() == len, "the slots, initialised");
        }
        // SAFETY: there are no others, and these have been returned as what is initialised.
        Ok(unsafe { self.assume_filled() })
    }
}

impl<'b, T: Element> Part<'b, MaybeUninit<T>> {
    /// Fills a part that lies side by side with values that a function gives one after the other;
    /// it gets the number of each.
    ///
    /// # Panics
    /// If the part does not lie side by side.
    pub fn fill_with(self, mut value: impl FnMut(usize) -> T) -> Filled<'b> {
        let filled = self.fill(|slots| {
            for (number, slot) in slots.iter_mut().enumerate() {
                slot.write(value(number));
            }
            // SAFETY: each of them has been written.
            Ok::<_, std::convert::Infallible>(unsafe { slots.assume_init_mut() })
        });
        let Ok(filled) = filled;
        filled
    }

    /// Fills a part that lies side by side with runs of `len` elements that a function gives one
    /// after the other.
    ///
    /// # Panics
    /// If the part does not lie side by side, is not a whole number of runs, or a run has another
    /// length.
    pub fn fill_runs<'s>(self, len: usize, mut run: impl FnMut() -> &'s [T]) -> Filled<'b> {
        let filled = self.fill(|slots| {
            assert!(slots.len().is_multiple_of(len), "a whole number of runs");
            slots.chunks_exact_mut(len).for_each(|slots| {
                slots.write_copy_of_slice(run());
            });
            // SAFETY: they are a whole number of runs, each of which has been written.
            Ok::<_, std::convert::Infallible>(unsafe { slots.assume_init_mut() })
        });
        let Ok(filled) = filled;
        filled
    }
}

impl<'b, T: Element, R: Dimension, E> ViewMut<'b, MaybeUninit<T>, R, E> {
    /// Fills the slots with the elements of a view of the same shape, serially.
    ///
    /// # Panics
    /// If the shapes differ.
    pub fn fill_from(self, from: &View<'_, T, R, E>) -> Filled<'b> {
        let (mut to, mut own) = (*self.layout(), *from.layout());
        assert_eq!(to.shape(), own.shape(), "a view of the same shape");
        if to.is_empty() {
            return self.filled_without_elements();
        }
        // From the inside of the slots to the outside.
        if to.strides().first() < to.strides().last() {
            (to, own) = (to.reversed(), own.reversed());
        }
        if to.is_c_contiguous() {
            let mut axes = Short::new();
            let len = walks(own.shape(), own.strides(), &mut axes);
            let first = self.memory.pointer(to.offset(), len);
            // SAFETY: `pointer` has checked the bounds; the places are those of the view, which is
            // given up, so that nobody else reaches them (I2).
            let slots = unsafe { std::slice::from_raw_parts_mut(first, len) };
            from.memory.pack(own.offset(), &axes, slots);
        } else {
            let loops = loops_of_both(&own, &to);
            copy((from.memory, own.offset()), (self.memory, to.offset()), &loops);
        }
        // SAFETY: there are some elements, and the loops are over all of them.
        unsafe { self.assume_filled() }
    }
}
