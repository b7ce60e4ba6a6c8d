//! The methods of [`ViewMut`] that reach memory.

use super::{Memory, View, ViewMut};
use crate::axis::IntoAxis;
use crate::dimension::Dimension;
use crate::element::{Element, Item};
use crate::error::LayoutError;
use crate::layout::Layout;
use std::marker::PhantomData;
use std::mem::MaybeUninit;

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

    /// As [`derive`](Self::derive), of the view where it is: what it reached alone, a part of it
    /// reaches alone (I2).
    pub(crate) fn relabel(&mut self, layout: Layout<R>) {
        assert!(layout.is_within(self.memory.len), "a layout reaches outside its memory");
        self.layout = layout;
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
