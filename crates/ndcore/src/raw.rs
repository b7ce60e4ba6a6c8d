//! [`View`] and [`ViewMut`]: from numbers to memory. All pointers of the crate are dereferenced here.
//!
//! Invariants, cited by the proofs:
//! * I1: the layout of a view reaches only `0..len` of the memory at `data` (checked in O(rank) whenever a view is made).
//! * I2: for `'a`, the elements that a view's layout reaches are initialised; those of a [`View`] are written by nobody, those of
//!   a [`ViewMut`] are reached by nobody else. A view made from another one reaches a subset of its elements, because
//!   every operation of `layout.rs` keeps to the places of the layout it starts from.
//! * I3: the layout of a [`ViewMut`] reaches no element by two indices.
//! * I4: the first `len` elements of a [`Packed`] are initialised.

use crate::dimension::Dimension;
use crate::element::Element;
use crate::error::{LayoutError, LayoutErrorKind as Kind};
use crate::layout::Layout;
mod nested;
mod packed;

pub use nested::{Filled, Nested, Part};
pub use packed::Packed;

use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ptr::NonNull;

/// A borrowed array: elements that lie in someone else's memory, by a [`Layout`]. `Copy`, as `&[T]` is.
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

/// The memory that a view's layout speaks of.
struct Memory<'a, T> {
    data: NonNull<T>,
    len: usize,
    lifetime: PhantomData<&'a [T]>,
}

impl<T> std::fmt::Debug for Memory<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?}, {} elements", self.data, self.len)
    }
}

// SAFETY: what views give of their memory is what a `&[T]` or a `&mut [T]` of the elements they reach gives (I2), and with these bounds both of
// those may be sent and shared.
unsafe impl<T: Send + Sync> Send for Memory<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Send + Sync> Sync for Memory<'_, T> {}

impl<T> Clone for Memory<'_, T> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Memory<'_, T> {}

impl<T> Memory<'_, T> {
    #[inline]
    fn of(data: NonNull<[T]>) -> Self {
        Memory { data: data.cast(), len: data.len(), lifetime: PhantomData }
    }

    /// The address of `len` elements from `place` on, all of them in bounds.
    #[inline]
    fn pointer(&self, place: usize, len: usize) -> *mut T {
        assert!(place <= self.len && len <= self.len - place);
        self.data.as_ptr().wrapping_add(place)
    }

    /// The address of the first of `len` elements that lie `stride` apart, all of them in bounds.
    #[inline]
    fn strided(&self, place: usize, stride: isize, len: usize) -> *mut T {
        let reach = isize::try_from(len.saturating_sub(1)).ok().and_then(|last| last.checked_mul(stride));
        let end = reach.and_then(|reach| place.checked_add_signed(reach));
        assert!(len == 0 || place < self.len && end.is_some_and(|end| end < self.len));
        self.data.as_ptr().wrapping_add(place)
    }
}

/// Asks the processor to fetch the cache lines of `len` elements from `place` on, which may lie anywhere.
#[inline]
#[allow(unused_variables)]
fn prefetch<T>(memory: Memory<'_, T>, place: isize, len: usize) {
    #[cfg(target_arch = "x86_64")]
    for byte in (0..len * size_of::<T>()).step_by(crate::LINE) {
        let address = memory.data.as_ptr().wrapping_offset(place).cast::<i8>().wrapping_add(byte);
        // SAFETY: a prefetch is a hint; it reads nothing, and no address makes it fault.
        unsafe { std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(address) };
    }
}

impl<T, R: Dimension, E> Clone for View<'_, T, R, E> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, R: Dimension, E> Copy for View<'_, T, R, E> {}

impl<'a, T: Element, R: Dimension, E> View<'a, T, R, E> {
    /// The checked door: any layout over borrowed memory.
    #[inline]
    pub(crate) fn over(data: &'a [T], layout: Layout<R>) -> Result<Self, LayoutError> {
        layout.check_reach(data.len())?;
        Ok(View { memory: Memory::of(data.into()), layout, engine: PhantomData })
    }

    /// Another layout over the same memory, derived from this view's own by the operations of `layout.rs` (I2).
    #[inline]
    pub(crate) fn derive<S: Dimension>(self, layout: Layout<S>) -> View<'a, T, S, E> {
        assert!(layout.check_reach(self.memory.len).is_ok(), "a derived layout reaches outside the memory");
        View { memory: self.memory, layout, engine: PhantomData }
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

    /// The element at a place that the layout reaches.
    #[inline]
    pub(crate) fn at(&self, place: usize) -> &'a T {
        &self.stretch(place, 1)[0]
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
        self.layout.is_c_contiguous().then(|| self.stretch(self.layout.offset(), self.layout.size()))
    }

    /// All the elements in the order of memory, if they lie side by side in the order of some permutation of the axes, each of them
    /// forwards.
    #[inline]
    pub fn as_slice_memory_order(&self) -> Option<&'a [T]> {
        self.layout.is_contiguous().then(|| self.stretch(self.layout.offset(), self.layout.size()))
    }

    /// As [`as_slice_memory_order`](Self::as_slice_memory_order), if there are `len` elements.
    #[doc(hidden)]
    #[inline]
    pub fn memory_from_first(&self, len: usize) -> Option<&'a [T]> {
        self.as_slice_memory_order().filter(|slice| slice.len() == len)
    }
}

impl<'a, T: Element, R: Dimension, E> View<'a, T, R, E> {
    /// The address of the element of index 0; of an empty view, of nothing. The others lie by the strides from there.
    ///
    /// ```
    /// let a = ndcore::array![[1, 2], [3, 4]];
    /// assert_eq!(a.view().flip(0)?.as_ptr(), &a[[1, 0]]);
    /// # Ok::<(), ndcore::LayoutError>(())
    /// ```
    pub fn as_ptr(&self) -> *const T {
        self.memory.data.as_ptr().wrapping_add(self.layout.offset())
    }
}

impl<'a, T: Element, R: Dimension, E> ViewMut<'a, T, R, E> {
    /// The checked door: any layout over mutably borrowed memory that reaches no element twice.
    #[inline]
    pub(crate) fn over(data: &'a mut [T], layout: Layout<R>) -> Result<Self, LayoutError> {
        layout.check_reach(data.len())?;
        layout.check_unique()?;
        Ok(Self::over_unique(data, layout))
    }

    /// As [`over`](Self::over), for a layout known to reach no element twice (I3): that of an array.
    #[inline]
    pub(crate) fn over_unique(data: &'a mut [T], layout: Layout<R>) -> Self {
        assert!(layout.check_reach(data.len()).is_ok(), "a layout reaches outside its memory");
        ViewMut { memory: Memory::of(data.into()), layout, engine: PhantomData, exclusive: PhantomData }
    }

    /// Another layout over the same memory, derived from this view's own by those operations of `layout.rs` that repeat nothing
    /// (I2, I3).
    #[inline]
    pub(crate) fn derive<S: Dimension>(self, layout: Layout<S>) -> ViewMut<'a, T, S, E> {
        assert!(layout.check_reach(self.memory.len).is_ok(), "a derived layout reaches outside the memory");
        ViewMut { memory: self.memory, layout, engine: PhantomData, exclusive: PhantomData }
    }

    /// The same view with operators of another engine.
    #[inline]
    pub fn with_engine<F>(self) -> ViewMut<'a, T, R, F> {
        ViewMut { memory: self.memory, layout: self.layout, engine: PhantomData, exclusive: PhantomData }
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

    /// A shorter borrow of the same elements.
    #[inline]
    pub fn view_mut(&mut self) -> ViewMut<'_, T, R, E> {
        ViewMut { memory: self.memory, layout: self.layout, engine: PhantomData, exclusive: PhantomData }
    }

    /// The address of the element at a place that the layout reaches, for whoever visits each element once.
    #[inline]
    pub(crate) fn pointer(&mut self, place: usize) -> *mut T {
        self.memory.pointer(place, 1)
    }

    /// The elements at `place` and the `len - 1` places after it, all of which the layout reaches.
    #[inline]
    pub(crate) fn into_stretch(self, place: usize, len: usize) -> &'a mut [T] {
        let first = self.memory.pointer(place, len);
        // SAFETY: `pointer` has checked the bounds; exclusive for 'a by I2, and the view is given up.
        unsafe { std::slice::from_raw_parts_mut(first, len) }
    }

    /// As [`View::memory_from_first`].
    #[doc(hidden)]
    #[inline]
    pub fn memory_from_first(&self, len: usize) -> Option<&[T]> {
        self.view().memory_from_first(len)
    }

    /// All the elements as a slice, if they lie side by side in row-major order.
    #[inline]
    pub fn as_slice_mut(&mut self) -> Option<&mut [T]> {
        let (offset, size) = (self.layout.offset(), self.layout.size());
        if self.layout.is_c_contiguous() { Some(self.view_mut().into_stretch(offset, size)) } else { None }
    }

    /// All the elements in the order of memory, if they lie side by side in the order of some permutation of the axes, each of them
    /// forwards.
    #[inline]
    pub fn into_slice_memory_order(self) -> Option<&'a mut [T]> {
        let (offset, size) = (self.layout.offset(), self.layout.size());
        if self.layout.is_contiguous() { Some(self.into_stretch(offset, size)) } else { None }
    }

    /// Splits the view in two before index `mid` of an axis.
    ///
    /// # Errors
    /// [`AxisOutOfRange`](Kind::AxisOutOfRange); [`SliceOutOfRange`](Kind::SliceOutOfRange) if `mid` is above the extent.
    ///
    /// ```
    /// use ndcore::array;
    /// let mut a = array![[1, 2, 3], [4, 5, 6]];
    /// let (left, mut right) = a.view_mut().split_at(1, 1)?;
    /// right[[0, 0]] = left[[1, 0]];
    /// assert_eq!(a, array![[1, 4, 3], [4, 5, 6]]);
    /// # Ok::<(), ndcore::LayoutError>(())
    /// ```
    pub fn split_at(self, axis: usize, mid: usize) -> Result<(Self, Self), LayoutError> {
        let &extent = self
            .layout
            .shape()
            .get(axis)
            .ok_or(Kind::AxisOutOfRange { axis, shape: self.layout.shape().to_vec() })?;
        let (low, high) =
            (self.layout.slice_axis(axis, 0..mid, 1)?, self.layout.slice_axis(axis, mid..extent.max(mid), 1)?);
        // The two reach different elements, because no element is reached by two indices (I3).
        let twin = ViewMut { memory: self.memory, layout: self.layout, engine: PhantomData, exclusive: PhantomData };
        Ok((self.derive(low), twin.derive(high)))
    }

    /// The elements whose index along `axis` is `index`, as a view without that axis, for as long as this view was.
    ///
    /// # Errors
    /// [`AxisOutOfRange`](Kind::AxisOutOfRange), [`IndexOutOfRange`](Kind::IndexOutOfRange).
    pub fn index_axis_move(self, axis: usize, index: usize) -> Result<ViewMut<'a, T, R::Smaller, E>, LayoutError> {
        let layout = self.layout.index(axis, index)?;
        Ok(self.derive(layout))
    }

    /// The same elements, which may now also be left uninitialised.
    ///
    /// # Safety
    /// Whoever writes through the result writes initialised values only.
    #[inline]
    pub unsafe fn into_uninit(self) -> ViewMut<'a, MaybeUninit<T>, R, E> {
        let memory = Memory { data: self.memory.data.cast(), len: self.memory.len, lifetime: PhantomData };
        ViewMut { memory, layout: self.layout, engine: PhantomData, exclusive: PhantomData }
    }
}

impl<T: Element, R: Dimension, E> ViewMut<'_, T, R, E> {
    /// As [`View::as_ptr`], to write to.
    pub fn as_mut_ptr(&mut self) -> *mut T {
        self.memory.data.as_ptr().wrapping_add(self.layout.offset())
    }
}
