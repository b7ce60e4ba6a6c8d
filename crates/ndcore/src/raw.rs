//! [`View`] and [`ViewMut`]: from numbers to memory. All pointers of the crate are dereferenced
//! here.
//!
//! Invariants, cited by the proofs:
//! * I1: the layout of a view reaches only `0..len` of the memory at `data` (checked in O(rank)
//!   whenever a view is made, but for those of one index of another view, and its halves).
//! * I2: for `'a`, the elements that a view's layout reaches are initialised; those of a [`View`]
//!   are written by nobody, those of a [`ViewMut`] are reached by nobody else. A view made from
//!   another one reaches a subset of its elements, because every operation of `layout.rs` keeps to
//!   the places of the layout it starts from.
//! * I3: the layout of a [`ViewMut`] reaches no element by two indices.
//! * I4: the first `len` elements of a [`Packed`] are initialised.
//! * I8: the layout of a view reaches the elements of a [`Spaced`], or a [`Window`].
//! * I9: a slice, or the layout of a view, reaches the elements of each run of a [`Runs`]; of runs
//!   that are gathered, those of one are in a buffer.
//! * I11: nobody else reaches the buffer of a [`Gather`].
//! * I10: the elements of each row of a [`RowsMut`] are in bounds, reached by nobody else, and by
//!   no two rows.
//! * I7: the layout of an `Array` reaches only its buffer, and no element of it twice (checked
//!   whenever an array is made of a layout; where a buffer changes its length, in `grow.rs`, the
//!   layout reaches none of what goes).

use crate::axis::IntoAxis;
use crate::dimension::{Dimension, IntoLayout, IntoShape};
use crate::element::{Element, Item};
use crate::error::{LayoutError, LayoutErrorKind};
use crate::layout::Layout;
use crate::list::List;
mod cloned;
mod copies;
mod nested;
mod packed;
mod part;
mod runs;
mod spaced;
mod unit;

pub use nested::{Dim, Nested};
pub use packed::{Few, Packed, Room};
pub use part::{Filled, Part, fill_rows};
pub use runs::{Fill, Gather, Rows, RowsMut, Runs, SLABS, Starts};
pub use spaced::{Spaced, Window};
pub(crate) use unit::has_unit;

use num_complex::Complex;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ptr::NonNull;

/// A borrowed array: elements that lie in someone else's memory, by a [`Layout`]. `Copy`, as `&[T]`
/// is.
///
/// Whatever is derived from a `View<'a>` lives as long as `'a`, not as long as the view.
///
/// ```
/// use ndcore::{View1, View2, s};
/// fn last_row(data: &[f32]) -> View1<'_, f32> {
///     let matrix = View2::from_slice([2, 3], data).unwrap();
///     matrix.slice(s![-1, ..]).unwrap() // outlives `matrix`
/// }
/// assert_eq!(last_row(&[1., 2., 3., 4., 5., 6.]).to_vec(), [4., 5., 6.]);
/// ```
pub struct View<'a, T, R: Dimension, E = ()> {
    memory: Memory<'a, T>,
    layout: Layout<R>,
    engine: PhantomData<fn() -> E>,
}

/// A mutably borrowed array, as `&mut [T]` is a mutably borrowed slice.
///
/// ```
/// use ndcore::{Array2, s};
/// let mut a = Array2::full([2, 3], 0);
/// a.slice_mut(s![.., 1]).unwrap().fill(7);
/// assert_eq!(a.to_vec(), [0, 7, 0, 0, 7, 0]);
/// ```
pub struct ViewMut<'a, T, R: Dimension, E = ()> {
    memory: Memory<'a, T>,
    layout: Layout<R>,
    engine: PhantomData<fn() -> E>,
    exclusive: PhantomData<&'a mut [T]>,
}

/// The memory that a view's layout speaks of. Its length is at most `isize::MAX`.
#[derive(Debug)]
pub(crate) struct Memory<'a, T> {
    data: NonNull<T>,
    len: usize,
    lifetime: PhantomData<&'a [T]>,
}

// SAFETY: what views give of their memory is what a `&[T]` or a `&mut [T]` of the elements they
// reach gives (I2), and with these bounds both of those may be sent and shared.
unsafe impl<T: Send + Sync> Send for Memory<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for Memory<'_, T> {}

copied! {
    [T] Memory<'_, T>;
    [T, R: Dimension, E] View<'_, T, R, E>;
}

impl<T> Memory<'_, T> {
    #[inline]
    pub fn of(data: NonNull<[T]>) -> Self {
        // Of elements without size a slice can have more than any layout can count.
        let len =
            if size_of::<T>() == 0 { data.len().min(isize::MAX as usize) } else { data.len() };
        Memory { data: data.cast(), len, lifetime: PhantomData }
    }

    /// The address of `len` elements from `place` on, all of them in bounds.
    #[inline]
    pub fn pointer(&self, place: usize, len: usize) -> *mut T {
        // What has no elements may begin anywhere.
        if len == 0 {
            return self.data.as_ptr();
        }
        assert!(place <= self.len && len <= self.len - place);
        self.data.as_ptr().wrapping_add(place)
    }

    /// The address of the first of `len` elements that lie `stride` apart, all of them in bounds.
    #[inline]
    pub fn strided(&self, place: usize, stride: isize, len: usize) -> *mut T {
        if len > 0 {
            let reach = isize::try_from(len - 1).ok().and_then(|last| last.checked_mul(stride));
            // Since `self.len` is at most `isize::MAX`, what wraps is above it.
            let end = reach.map(|reach| place.wrapping_add(reach as usize));
            assert!(place < self.len && end.is_some_and(|end| end < self.len));
        }
        self.data.as_ptr().wrapping_add(place)
    }
}

impl<T> Memory<'_, T> {
    /// The elements at `place` and the `len - 1` places after it, all of which may be read.
    #[inline]
    fn stretch(&self, place: usize, len: usize) -> &[T] {
        let first = self.pointer(place, len);
        // SAFETY: `pointer` has checked the bounds; the rest is what is asked for.
        unsafe { std::slice::from_raw_parts(first, len) }
    }

    /// Whether all elements of a layout are in bounds, wherever another one says it begins.
    #[inline]
    pub fn holds<O: Dimension, I: Dimension>(&self, starts: &Layout<O>, part: &Layout<I>) -> bool {
        let room =
            || Some((starts.offset(), self.len.checked_sub(1)?.checked_sub(starts.offset())?));
        let left = || part.left_beside(starts.left_beside(room()?)?);
        starts.is_empty() || part.is_empty() || left().is_some()
    }

    /// The address of a place, which may lie anywhere.
    #[inline]
    pub fn address(&self, place: usize) -> *mut T {
        self.data.as_ptr().wrapping_add(place)
    }

    /// As [`strided`](Self::strided), of elements that the layout of a view reaches: then they are
    /// in bounds (I1).
    #[inline]
    pub fn reached(&self, place: usize, stride: isize, len: usize) -> *mut T {
        debug_assert!(self.strided(place, stride, len) == self.data.as_ptr().wrapping_add(place));
        self.data.as_ptr().wrapping_add(place)
    }
}

impl<'a, T> Memory<'a, T> {
    /// The element at a place.
    ///
    /// # Safety
    /// For `'a` it is in bounds and readable.
    #[inline]
    pub unsafe fn reference(&self, place: usize) -> &'a T {
        debug_assert!(place < self.len);
        // SAFETY: the caller's promise.
        unsafe { &*self.data.as_ptr().add(place) }
    }
}

impl<'a, T> Memory<'a, Complex<T>> {
    /// The parts of the complex numbers, one after the other.
    fn parts(self) -> Memory<'a, T> {
        // A complex number is laid out as the pair of its parts. Of a length above half of
        // `isize::MAX`, which only elements without size can have, the rest is left out.
        let len = self.len.saturating_mul(2).min(isize::MAX as usize);
        Memory { data: self.data.cast(), len, lifetime: PhantomData }
    }
}

/// Asks the processor to fetch the cache lines of `len` elements from `place` on, which may lie
/// anywhere: into the first-level cache, or only into the second.
#[inline]
fn prefetch<const FIRST: bool, T>(memory: Memory<'_, T>, place: isize, len: usize) {
    prefetch_from::<FIRST, T>(memory.data.as_ptr().wrapping_offset(place), len);
}

/// The same of elements from an address on.
// Inlined, to be compiled for the instructions of the caller.
#[inline(always)]
#[allow(unused_variables)]
fn prefetch_from<const FIRST: bool, T>(first: *const T, len: usize) {
    #[cfg(target_arch = "x86_64")]
    for byte in (0..len * size_of::<T>()).step_by(crate::LINE) {
        use std::arch::x86_64::{_MM_HINT_T0, _MM_HINT_T1, _mm_prefetch};
        let address = first.cast::<i8>().wrapping_add(byte);
        // SAFETY: a prefetch is a hint; it reads nothing, and no address makes it fault.
        unsafe {
            match FIRST {
                true => _mm_prefetch::<{ _MM_HINT_T0 }>(address),
                false => _mm_prefetch::<{ _MM_HINT_T1 }>(address),
            }
        }
    }
}

impl<'a, T: Item, R: Dimension, E> View<'a, T, R, E> {
    /// The checked door: any layout over borrowed memory.
    #[inline]
    pub(crate) fn over(data: &'a [T], layout: Layout<R>) -> Result<Self, LayoutError> {
        layout.check_reach(data.len())?;
        Ok(Self::of_memory(Memory::of(data.into()), layout))
    }

    /// Another layout over the same memory, derived from this view's own by the operations of
    /// `layout.rs` (I2).
    #[inline]
    pub(crate) fn derive<S: Dimension>(self, layout: Layout<S>) -> View<'a, T, S, E> {
        View::of_memory(self.memory, layout)
    }

    /// The elements of one index along an axis, without that axis.
    ///
    /// # Errors
    /// As for [`Layout::index`].
    #[inline]
    pub(crate) fn at_index(
        self,
        axis: usize,
        index: usize,
    ) -> Result<View<'a, T, R::Smaller, E>, LayoutError> {
        let layout = self.layout.index(axis, index)?;
        // SAFETY: the index is one of this view, whose elements of that index the layout reaches
        // (I1, I2). Loops take a row each time round: to check its reach takes longer than the
        // rest.
        Ok(unsafe { View::within(self.memory, layout) })
    }

    /// A layout over the memory of a view, derived from that view's own by the operations of
    /// `layout.rs` (I2).
    #[inline]
    pub(crate) fn of_memory(memory: Memory<'a, T>, layout: Layout<R>) -> Self {
        assert!(layout.is_within(memory.len), "a layout reaches outside its memory");
        View { memory, layout, engine: PhantomData }
    }

    /// A layout over the memory of an array.
    ///
    /// # Safety
    /// The layout reaches only this memory (I1), and what it reaches is readable for `'a` (I2).
    #[inline]
    pub(crate) unsafe fn of_array(data: &'a [T], layout: Layout<R>) -> Self {
        // SAFETY: the caller's promise.
        unsafe { View::within(Memory::of(data.into()), layout) }
    }

    /// As [`of_memory`](Self::of_memory), of what has been checked for several layouts at once.
    ///
    /// # Safety
    /// As for [`of_array`](Self::of_array).
    #[inline]
    pub(crate) unsafe fn within(memory: Memory<'a, T>, layout: Layout<R>) -> Self {
        debug_assert!(layout.is_within(memory.len), "a layout reaches outside its memory");
        View { memory, layout, engine: PhantomData }
    }

    /// The memory that the layout speaks of.
    #[inline]
    pub(crate) fn memory(&self) -> Memory<'a, T> {
        self.memory
    }

    /// The same view with operators of another engine.
    #[inline]
    pub fn with_engine<F>(self) -> View<'a, T, R, F> {
        View { memory: self.memory, layout: self.layout, engine: PhantomData }
    }

    /// Where the elements lie.
    #[inline]
    pub fn layout(&self) -> &Layout<R> {
        &self.layout
    }

    /// The element at an index; the view itself, if it has none there. (An `Option` would be told
    /// by whether the reference is null, which loops would ask for each element.)
    #[inline]
    pub(crate) fn element(&self, index: &[usize]) -> Result<&'a T, &Self> {
        let Some(place) = self.layout.place(index) else { return Err(self) };
        debug_assert!(place < self.memory.len);
        // SAFETY: the layout reaches the place, so that it is in bounds (I1) and readable for 'a
        // (I2).
        Ok(unsafe { &*self.memory.data.as_ptr().add(place) })
    }

    /// The elements at `place` and the `len - 1` places after it, all of which the layout reaches.
    #[inline]
    pub(crate) fn stretch(&self, place: usize, len: usize) -> &'a [T] {
        let first = self.memory.pointer(place, len);
        // SAFETY: `pointer` has checked the bounds; readable for 'a by I2.
        unsafe { std::slice::from_raw_parts(first, len) }
    }

    /// All the elements as a slice, if they lie side by side in row-major order.
    #[inline]
    pub fn as_slice(&self) -> Option<&'a [T]> {
        // SAFETY: in row-major order, if this is asked for.
        self.layout.is_c_contiguous().then(|| unsafe { self.without_gaps() })
    }

    /// All the elements in the order of memory, if they lie side by side in the order of some
    /// permutation of the axes, each of them forwards.
    #[inline]
    pub fn as_slice_memory_order(&self) -> Option<&'a [T]> {
        // SAFETY: in some order, if this is asked for.
        self.layout.is_contiguous().then(|| unsafe { self.without_gaps() })
    }

    /// All the elements in the order of memory. Bounds are not looked at again: that a panic is
    /// possible, loops over rows of few elements would have to provide for.
    ///
    /// # Safety
    /// They lie side by side in the order of some permutation of the axes, each of them forwards.
    #[inline]
    unsafe fn without_gaps(&self) -> &'a [T] {
        let len = self.layout.size();
        // What has no elements may begin anywhere.
        let place = if len == 0 { 0 } else { self.layout.offset() };
        debug_assert!(place <= self.memory.len && len <= self.memory.len - place);
        // SAFETY: by the caller's promise the layout reaches `len` places from its first one on: so
        // they are in bounds (I1), and readable for 'a (I2).
        unsafe { std::slice::from_raw_parts(self.memory.data.as_ptr().add(place), len) }
    }

    /// A row of a view of rank 2, if its elements lie side by side.
    #[doc(hidden)]
    #[inline]
    pub fn line(&self, row: usize) -> Option<&'a [T]> {
        let (place, len) = self.layout.line(row)?;
        Some(self.stretch(place, len))
    }

    /// As [`as_slice_memory_order`](Self::as_slice_memory_order), if there are `len` elements, and
    /// some: without a panic, which callers would have to provide for.
    #[doc(hidden)]
    #[inline]
    pub fn memory_from_first(&self, len: usize) -> Option<&'a [T]> {
        if len == 0 || self.layout.size() != len || !self.layout.is_contiguous() {
            return None;
        }
        // SAFETY: in some order, as just asked for.
        Some(unsafe { self.without_gaps() })
    }
}

impl<'a, T: Item, R: Dimension, E> View<'a, T, R, E> {
    /// A view of elements of which only the address is known: that of the one with index 0, and the
    /// strides, in elements, by which the others lie from there. For memory of other libraries;
    /// [`from_strided`](Self::from_strided) is the checked way for slices.
    ///
    /// # Errors
    /// [`RankMismatch`](crate::LayoutErrorKind::RankMismatch),
    /// [`SizeOverflow`](crate::LayoutErrorKind::SizeOverflow) if elements would lie further apart
    /// than memory reaches.
    ///
    /// # Safety
    /// If there are elements, all that these strides reach lie in one allocation, aligned, and for
    /// `'a` they are initialised and written by nobody.
    ///
    /// ```
    /// use ndcore::View2;
    /// let data = [1, 2, 3, 4, 5, 6];
    /// // SAFETY: from the last element backwards, all six are reached.
    /// let view: View2<i32> = unsafe { View2::from_raw(&data[5], [2, 3], &[-3, -1])? };
    /// assert_eq!(view.to_vec(), [6, 5, 4, 3, 2, 1]);
    /// # Ok::<(), ndcore::LayoutError>(())
    /// ```
    pub unsafe fn from_raw<S: IntoShape<Rank = R>>(
        first: *const T,
        shape: S,
        strides: &[isize],
    ) -> Result<Self, LayoutError> {
        let (memory, layout) = raw_parts(first.cast_mut(), shape.into_shape()?, strides)?;
        Ok(View::of_memory(memory, layout))
    }
}

impl<'a, T: Item, R: Dimension, E> ViewMut<'a, T, R, E> {
    /// The checked door: any layout over mutably borrowed memory that reaches no element twice.
    #[inline]
    pub(crate) fn over(data: &'a mut [T], layout: Layout<R>) -> Result<Self, LayoutError> {
        layout.check_reach(data.len())?;
        layout.check_unique()?;
        Ok(Self::over_unique(data, layout))
    }

    /// As [`over`](Self::over), for a layout known to reach no element twice (I3): that of an
    /// array.
    #[inline]
    pub(crate) fn over_unique(data: &'a mut [T], layout: Layout<R>) -> Self {
        let memory = Memory::of(data.into());
        assert!(layout.is_within(memory.len), "a layout reaches outside its memory");
        ViewMut { memory, layout, engine: PhantomData, exclusive: PhantomData }
    }

    /// The layout of an array over its memory.
    ///
    /// # Safety
    /// The layout reaches only this memory (I1), and no element of it twice (I3).
    #[inline]
    pub(crate) unsafe fn of_array(data: &'a mut [T], layout: Layout<R>) -> Self {
        // SAFETY: the caller's promise.
        unsafe { ViewMut::within(Memory::of(data.into()), layout) }
    }

    /// As [`of_memory`](Self::of_memory), of what has been checked for several layouts at once.
    ///
    /// # Safety
    /// As for [`of_array`](Self::of_array) and [`of_memory`](Self::of_memory).
    #[inline]
    pub(crate) unsafe fn within(memory: Memory<'a, T>, layout: Layout<R>) -> Self {
        debug_assert!(layout.is_within(memory.len), "a layout reaches outside its memory");
        ViewMut { memory, layout, engine: PhantomData, exclusive: PhantomData }
    }

    /// Another layout over the same memory, derived from this view's own by those operations of
    /// `layout.rs` that repeat nothing (I2, I3).
    #[inline]
    pub(crate) fn derive<S: Dimension>(self, layout: Layout<S>) -> ViewMut<'a, T, S, E> {
        // SAFETY: this view is given up, and what it reaches alone, a part of it reaches alone
        // (I2).
        unsafe { ViewMut::of_memory(self.memory, layout) }
    }

    /// As [`View::at_index`].
    ///
    /// # Errors
    /// As for [`Layout::index`].
    #[inline]
    pub(crate) fn at_index(
        self,
        axis: usize,
        index: usize,
    ) -> Result<ViewMut<'a, T, R::Smaller, E>, LayoutError> {
        let layout = self.layout.index(axis, index)?;
        // SAFETY: as there; this view is given up (I2), and what it reaches by different indices
        // are different elements (I3).
        Ok(unsafe { ViewMut::within(self.memory, layout) })
    }

    /// A layout over the memory of a view, derived from that view's own by those operations of
    /// `layout.rs` that repeat nothing (I3).
    ///
    /// # Safety
    /// For `'a`, nothing else reads or writes the elements that the layout reaches (I2).
    #[inline]
    pub(crate) unsafe fn of_memory(memory: Memory<'a, T>, layout: Layout<R>) -> Self {
        assert!(layout.is_within(memory.len), "a layout reaches outside its memory");
        ViewMut { memory, layout, engine: PhantomData, exclusive: PhantomData }
    }

    /// Nobody shares the elements.
    #[inline(always)]
    pub(crate) fn unshare(&mut self) {}

    /// All the elements as a slice, if they lie side by side in row-major order.
    ///
    /// ```
    /// let mut a = ndcore::array![[1, 2], [3, 4]];
    /// a.view_mut().into_slice().unwrap().reverse();
    /// assert_eq!(a.to_vec(), [4, 3, 2, 1]);
    /// ```
    #[inline]
    pub fn into_slice(self) -> Option<&'a mut [T]> {
        // SAFETY: in row-major order, if this is asked for.
        if self.layout.is_c_contiguous() { Some(unsafe { self.into_without_gaps() }) } else { None }
    }

    /// The memory that the layout speaks of.
    #[inline]
    pub(crate) fn memory(&self) -> Memory<'a, T> {
        self.memory
    }

    /// The same view with operators of another engine.
    #[inline]
    pub fn with_engine<F>(self) -> ViewMut<'a, T, R, F> {
        ViewMut {
            memory: self.memory,
            layout: self.layout,
            engine: PhantomData,
            exclusive: PhantomData,
        }
    }

    /// Where the elements lie.
    #[inline]
    pub fn layout(&self) -> &Layout<R> {
        &self.layout
    }

    /// A shared view of the elements.
    #[inline]
    pub fn view(&self) -> View<'_, T, R, E> {
        View { memory: self.memory, layout: self.layout, engine: PhantomData }
    }

    /// The same elements for reading only, for as long as this view was.
    #[inline]
    pub fn into_view(self) -> View<'a, T, R, E> {
        View { memory: self.memory, layout: self.layout, engine: PhantomData }
    }

    /// A shorter borrow of the same elements.
    #[inline]
    pub fn view_mut(&mut self) -> ViewMut<'_, T, R, E> {
        ViewMut {
            memory: self.memory,
            layout: self.layout,
            engine: PhantomData,
            exclusive: PhantomData,
        }
    }

    /// The element at an index for writing; the view itself, if it has none there.
    #[inline]
    pub(crate) fn element_mut(&mut self, index: &[usize]) -> Result<&mut T, &mut Self> {
        let Some(place) = self.layout.place(index) else { return Err(self) };
        debug_assert!(place < self.memory.len);
        // SAFETY: the layout reaches the place, so that it is in bounds (I1), and reached by nobody
        // else while the view is borrowed (I2).
        Ok(unsafe { &mut *self.memory.data.as_ptr().add(place) })
    }

    /// The element at an index; the view itself, if it has none there.
    #[inline]
    pub(crate) fn element(&self, index: &[usize]) -> Result<&T, &Self> {
        self.view().element(index).map_err(|_| self)
    }

    /// The element at a place.
    ///
    /// # Safety
    /// The layout reaches it.
    #[inline]
    pub(crate) unsafe fn into_reference(self, place: usize) -> &'a mut T {
        debug_assert!(place < self.memory.len);
        // SAFETY: in bounds by the caller's promise (I1); exclusive for 'a by I2, and the view is
        // given up.
        unsafe { &mut *self.memory.data.as_ptr().add(place) }
    }

    /// Exchanges the elements at two places, which may be one.
    ///
    /// # Safety
    /// The layout reaches them.
    #[inline]
    pub(crate) unsafe fn exchange(&mut self, a: usize, b: usize) {
        debug_assert!(a < self.memory.len && b < self.memory.len);
        let data = self.memory.data.as_ptr();
        // SAFETY: in bounds by the caller's promise (I1); initialised, and reached by nobody else
        // while the view is borrowed (I2).
        unsafe { std::ptr::swap(data.add(a), data.add(b)) };
    }

    /// The elements at `place` and the `len - 1` places after it, all of which the layout reaches.
    #[inline]
    pub(crate) fn into_stretch(self, place: usize, len: usize) -> &'a mut [T] {
        let first = self.memory.pointer(place, len);
        // SAFETY: `pointer` has checked the bounds; exclusive for 'a by I2, and the view is given
        // up.
        unsafe { std::slice::from_raw_parts_mut(first, len) }
    }

    /// As [`View::line`].
    #[doc(hidden)]
    #[inline]
    pub fn line_mut(&mut self, row: usize) -> Option<&mut [T]> {
        let (place, len) = self.layout.line(row)?;
        Some(self.view_mut().into_stretch(place, len))
    }

    /// As [`View::memory_from_first`].
    #[doc(hidden)]
    #[inline]
    pub fn memory_from_first(&self, len: usize) -> Option<&[T]> {
        self.view().memory_from_first(len)
    }

    /// All the elements as a slice, if they lie side by side in row-major order.
    #[inline]
    pub fn as_slice(&self) -> Option<&[T]> {
        self.view().as_slice()
    }

    /// All the elements as a slice for writing, if they lie side by side in row-major order.
    #[inline]
    pub fn as_slice_mut(&mut self) -> Option<&mut [T]> {
        self.view_mut().into_slice()
    }

    /// All the elements in the order of memory, if they lie side by side in the order of some
    /// permutation of the axes, each of them forwards.
    #[inline]
    pub fn into_slice_memory_order(self) -> Option<&'a mut [T]> {
        // SAFETY: in some order, if this is asked for.
        if self.layout.is_contiguous() { Some(unsafe { self.into_without_gaps() }) } else { None }
    }

    /// As [`View::without_gaps`].
    ///
    /// # Safety
    /// As there.
    #[inline]
    unsafe fn into_without_gaps(self) -> &'a mut [T] {
        let len = self.layout.size();
        let place = if len == 0 { 0 } else { self.layout.offset() };
        debug_assert!(place <= self.memory.len && len <= self.memory.len - place);
        // SAFETY: as there; exclusive for 'a by I2, and the view is given up.
        unsafe { std::slice::from_raw_parts_mut(self.memory.data.as_ptr().add(place), len) }
    }

    /// Splits the view in two before index `mid` of an axis.
    ///
    /// # Errors
    /// [`AxisOutOfRange`](crate::LayoutErrorKind::AxisOutOfRange);
    /// [`SliceOutOfRange`](crate::LayoutErrorKind::SliceOutOfRange) if `mid` is above the extent.
    ///
    /// ```
    /// use ndcore::array;
    /// let mut a = array![[1, 2, 3], [4, 5, 6]];
    /// let (left, mut right) = a.view_mut().split_at(1, 1)?;
    /// right[[0, 0]] = left[[1, 0]];
    /// assert_eq!(a, array![[1, 4, 3], [4, 5, 6]]);
    /// # Ok::<(), ndcore::LayoutError>(())
    /// ```
    // What a call returns is in memory: two views, which are moved then.
    #[inline(always)]
    pub fn split_at(self, axis: impl IntoAxis, mid: usize) -> Result<(Self, Self), LayoutError> {
        let (low, high) = self.layout.split(axis.into_axis(), mid)?;
        // SAFETY: this view is given up, and the two reach different elements of it, because no
        // element is reached by two indices (I3), and no others.
        Ok(unsafe { (ViewMut::within(self.memory, low), ViewMut::within(self.memory, high)) })
    }
}

impl<'a, T: Element, R: Dimension, E> ViewMut<'a, T, R, E> {
    /// The same elements, which may now also be left uninitialised.
    ///
    /// # Safety
    /// Whoever writes through the result writes initialised values only.
    #[inline]
    pub unsafe fn into_uninit(self) -> ViewMut<'a, MaybeUninit<T>, R, E> {
        let memory =
            Memory { data: self.memory.data.cast(), len: self.memory.len, lifetime: PhantomData };
        ViewMut { memory, layout: self.layout, engine: PhantomData, exclusive: PhantomData }
    }
}

/// The memory that a layout reaches from an address on, and the layout over it.
fn raw_parts<'a, T, R: Dimension>(
    first: *mut T,
    shape: R::Shape,
    strides: &[isize],
) -> Result<(Memory<'a, T>, Layout<R>), LayoutError> {
    let overflow = || LayoutErrorKind::SizeOverflow { shape: List::of(&shape.as_ref()) };
    let (mut below, mut above) = (0_usize, 0_usize);
    let empty = shape.as_ref().contains(&0);
    if !empty {
        for (&extent, &stride) in shape.as_ref().iter().zip(strides) {
            let side = if stride < 0 { &mut below } else { &mut above };
            let reach = (extent - 1).checked_mul(stride.unsigned_abs());
            *side = reach.and_then(|reach| side.checked_add(reach)).ok_or_else(overflow)?;
        }
    }
    let len = if empty { 0 } else { below.saturating_add(above).saturating_add(1) };
    let bytes = len.checked_mul(size_of::<T>().max(1));
    bytes.filter(|bytes| *bytes <= isize::MAX as usize).ok_or_else(overflow)?;
    let layout = Layout::strided(shape, strides, below, len)?;
    let start = if empty { std::ptr::dangling_mut() } else { first.wrapping_sub(below) };
    let Some(start) = NonNull::new(start) else {
        return Err(LayoutErrorKind::OutOfReach {
            shape: List::of(&shape.as_ref()),
            strides: List::of(&strides),
            offset: below,
            len: 0,
        }
        .into());
    };
    Ok((Memory::of(NonNull::slice_from_raw_parts(start, len)), layout))
}

impl<'a, T: Item, R: Dimension, E> ViewMut<'a, T, R, E> {
    /// As [`View::from_raw`], for writing.
    ///
    /// # Errors
    /// As there, and [`Aliased`](crate::LayoutErrorKind::Aliased).
    ///
    /// # Safety
    /// As there, and for `'a` nobody else reads or writes these elements.
    pub unsafe fn from_raw<S: IntoShape<Rank = R>>(
        first: *mut T,
        shape: S,
        strides: &[isize],
    ) -> Result<Self, LayoutError> {
        let (memory, layout) = raw_parts(first, shape.into_shape()?, strides)?;
        layout.check_unique()?;
        // SAFETY: the layout reaches only this memory (I1, checked when it was made) and no element
        // twice (I3); the rest is the caller's promise (I2).
        Ok(unsafe { ViewMut::of_memory(memory, layout) })
    }
}

impl<T: Element, R: Dimension, E> ViewMut<'_, T, R, E> {
    /// A view of the same elements beside this one.
    ///
    /// # Safety
    /// The memory outlives what is read by it, and whoever reads an element by it has no reference
    /// to that left when it is written.
    #[inline]
    pub unsafe fn alias<'s>(&self) -> View<'s, T, R, E> {
        let Memory { data, len, .. } = self.memory;
        let memory = Memory { data, len, lifetime: PhantomData };
        View { memory, layout: self.layout, engine: PhantomData }
    }
}

/// The layout of the first parts of complex numbers, and of the second ones.
fn parts_of<R: Dimension>(layout: &Layout<R>) -> Complex<Layout<R>> {
    let (mut strides, offset) = (layout.raw_strides(), layout.offset().wrapping_mul(2));
    // Along an axis of extent 1 any stride is allowed, and twice that need not fit.
    strides.as_mut().iter_mut().for_each(|stride| *stride = stride.wrapping_mul(2));
    let of = |offset| Layout::of(layout.raw_shape(), strides, offset);
    Complex { re: of(offset), im: of(offset.wrapping_add(1)) }
}

impl<'a, T: Item, R: Dimension, E> View<'a, Complex<T>, R, E> {
    /// The real parts and the imaginary parts, as views of the same memory.
    ///
    /// ```
    /// use num_complex::Complex;
    /// let a = ndcore::array![Complex::new(1., 2.), Complex::new(3., 4.)];
    /// let Complex { re, im } = a.view().split_complex();
    /// assert_eq!((re.to_vec(), im.to_vec()), (vec![1., 3.], vec![2., 4.]));
    /// ```
    pub fn split_complex(self) -> Complex<View<'a, T, R, E>> {
        let (memory, layouts) = (self.memory.parts(), parts_of(&self.layout));
        Complex { re: View::of_memory(memory, layouts.re), im: View::of_memory(memory, layouts.im) }
    }
}

impl<'a, T: Item, R: Dimension, E> ViewMut<'a, Complex<T>, R, E> {
    /// The real parts and the imaginary parts for writing, as views of the same memory.
    ///
    /// ```
    /// use num_complex::Complex;
    /// let mut a = ndcore::array![Complex::new(1., 2.), Complex::new(3., 4.)];
    /// a.view_mut().split_complex().im.fill(0.);
    /// assert_eq!(a.to_vec(), [Complex::new(1., 0.), Complex::new(3., 0.)]);
    /// ```
    pub fn split_complex(self) -> Complex<ViewMut<'a, T, R, E>> {
        let (memory, layouts) = (self.memory.parts(), parts_of(&self.layout));
        // SAFETY: this view is given up. Its elements are reached once each (I3), and each has two
        // parts, of which one view has the first and the other one the second.
        let (re, im) = unsafe {
            (ViewMut::of_memory(memory, layouts.re), ViewMut::of_memory(memory, layouts.im))
        };
        Complex { re, im }
    }
}

impl<'a, T: Item, R: Dimension, E> View<'a, T, R, E> {
    /// A view of elements without gaps that a pointer leads to, in row-major order, or in
    /// column-major order for a shape with [`f()`](crate::ShapeBuilder::f).
    ///
    /// # Safety
    /// As for [`from_raw`](Self::from_raw).
    ///
    /// # Errors
    /// [`SizeOverflow`](crate::LayoutErrorKind::SizeOverflow),
    /// [`RankTooHigh`](crate::LayoutErrorKind::RankTooHigh).
    ///
    /// ```
    /// let data = [1, 2, 3, 4];
    /// // SAFETY: as many elements lie there.
    /// let matrix = unsafe { ndcore::View2::from_shape_ptr((2, 2), data.as_ptr()) }?;
    /// assert_eq!(matrix[(1, 0)], 3);
    /// # Ok::<(), ndcore::LayoutError>(())
    /// ```
    pub unsafe fn from_shape_ptr<S: IntoLayout<Rank = R>>(
        shape: S,
        pointer: *const T,
    ) -> Result<Self, LayoutError> {
        let layout = shape.into_layout()?;
        // SAFETY: the caller's promise.
        unsafe { Self::from_raw(pointer, layout.raw_shape(), layout.strides()) }
    }
}

impl<'a, T: Item, R: Dimension, E> ViewMut<'a, T, R, E> {
    /// As [`View::from_shape_ptr`], for writing.
    ///
    /// # Safety
    /// As for [`from_raw`](Self::from_raw).
    ///
    /// # Errors
    /// As for [`View::from_shape_ptr`].
    pub unsafe fn from_shape_ptr<S: IntoLayout<Rank = R>>(
        shape: S,
        pointer: *mut T,
    ) -> Result<Self, LayoutError> {
        let layout = shape.into_layout()?;
        // SAFETY: the caller's promise.
        unsafe { Self::from_raw(pointer, layout.raw_shape(), layout.strides()) }
    }
}
