//! The methods of [`View`] that reach memory.

use super::{Memory, View};
use crate::dimension::Dimension;
use crate::element::Item;
use crate::error::LayoutError;
use crate::layout::Layout;
use std::marker::PhantomData;

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

    /// As [`derive`](Self::derive), of the view where it is.
    pub(crate) fn relabel(&mut self, layout: Layout<R>) {
        *self = self.derive(layout);
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
