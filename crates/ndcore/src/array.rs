//! [`Array`]: elements that an array owns, and the ways to make one.

use crate::buffer::{Buffer, FEW_BYTES, append_each};
use crate::dimension::{Dimension, IntoLayout, IntoShape, Rank};
use crate::element::{Element, Item};
use crate::error::{LayoutError, LayoutErrorKind as Kind, or_panic};
use crate::layout::Layout;
use crate::list::List;
use crate::raw::{View, ViewMut};
use crate::walk::Walk;
use num_traits::{One, Zero};
use std::marker::PhantomData;
use std::mem::{ManuallyDrop, MaybeUninit, needs_drop};

/// An n-dimensional array that owns its elements, as `Vec` does. `R` is its rank: [`Rank<N>`](Rank)
/// or [`Dyn`](crate::Dyn).
///
/// `E` is the [engine](crate::operator) that gives the operators a meaning; this crate has none, so
/// that its own arrays (`E = ()`) have no operators.
///
/// ```
/// use ndcore::{array, Array2};
/// let a = array![[1., 2., 3.], [4., 5., 6.]];
/// assert_eq!(a.shape(), [2, 3]);
/// assert_eq!(a[[1, 0]], 4.);
/// let b = Array2::from_shape_vec([2, 3], vec![1., 2., 3., 4., 5., 6.])?;
/// assert_eq!(a, b);
/// # Ok::<(), ndcore::LayoutError>(())
/// ```
pub struct Array<T: Item, R: Dimension, E = ()> {
    buffer: Buffer<T>,
    /// I7: reaches only the buffer, and no element of it twice.
    layout: Layout<R>,
    engine: PhantomData<fn() -> E>,
}

impl<T: Item, R: Dimension, E> Clone for Array<T, R, E> {
    // As part of the caller, but for the memory: so an array that lives in a function is known not
    // to be seen by others, and its layout stays in registers (20^3 elements by their indices take
    // a third of the time). Put together in one place: so it is known to be that of the original
    // before loops are looked at (`y[i] = a * x[i] + b * y[i - 1]`: half the time).
    #[inline]
    fn clone(&self) -> Self {
        let (elements, layout) = (self.buffer.as_slice(), self.layout.by_parts());
        let kept = match Buffer::<T>::is_pooled(elements.len()) {
            true => Buffer::clone_of(elements),
            false => None,
        };
        let buffer = match kept {
            Some(buffer) => buffer,
            None => Buffer::from_vec(elements.to_vec()),
        };
        Array { buffer, layout, engine: PhantomData }
    }
}

crate::aliases!();

impl<T: Item, R: Dimension, E> Array<T, R, E> {
    /// An array of copies of one value; in `ndarray`, `from_elem`.
    ///
    /// # Panics
    /// If the array does not fit in memory; [`try_full`](Self::try_full) does not panic.
    ///
    /// ```
    /// let a = ndcore::Array2::full([2, 3], 7_u8);
    /// assert_eq!(a.to_vec(), [7; 6]);
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn full<S: IntoLayout<Rank = R>>(shape: S, value: T) -> Self {
        or_panic(Self::try_full(shape, value))
    }

    /// As [`full`](Self::full).
    ///
    /// # Errors
    /// [`SizeOverflow`](Kind::SizeOverflow), [`AllocationFailed`](Kind::AllocationFailed),
    /// [`RankTooHigh`](Kind::RankTooHigh).
    // Few, as part of the caller, as in `from_flat`. Always, as what calls this: see `full_in`.
    #[inline(always)]
    pub fn try_full<S: IntoLayout<Rank = R>>(shape: S, value: T) -> Result<Self, LayoutError> {
        let layout = shape.into_layout()?;
        let len = layout.size();
        if const { !needs_drop::<T>() }
            && len.saturating_mul(size_of::<T>()) <= FEW_BYTES
            && let Some(mut data) = Buffer::few(len)
        {
            append_each(&mut data, len, |_| value.clone());
            return Self::from_flat(layout, data);
        }
        Self::full_in(layout, value)
    }

    /// As [`try_full`](Self::try_full), by a layout without gaps.
    // Put together in the caller: a loop over an array that a call has made where it lies reads its
    // layout again for each element (`y[i] = x[i] + y[i - 1]`: five times as long).
    #[inline(always)]
    pub(crate) fn full_in(layout: Layout<R>, value: T) -> Result<Self, LayoutError> {
        let buffer = Buffer::full(layout.size(), layout.shape(), value)?;
        let layout = layout.shifted(buffer.aligned_start(layout.size()));
        Ok(Array { buffer, layout, engine: PhantomData })
    }

    /// An array of zeros.
    ///
    /// # Panics
    /// If the array does not fit in memory; [`try_full`](Self::try_full) does not panic.
    ///
    /// ```
    /// use ndcore::Array2;
    /// assert_eq!(Array2::<f32>::zeros([2, 2]).to_vec(), [0.; 4]);
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn zeros<S: IntoLayout<Rank = R>>(shape: S) -> Self
    where
        T: Zero,
    {
        Self::full(shape, T::zero())
    }

    /// An array of ones.
    ///
    /// # Panics
    /// If the array does not fit in memory; [`try_full`](Self::try_full) does not panic.
    ///
    /// ```
    /// use ndcore::Array1;
    /// assert_eq!(Array1::<i32>::ones(3).to_vec(), [1; 3]);
    /// ```
    #[inline(always)]
    #[track_caller]
    pub fn ones<S: IntoLayout<Rank = R>>(shape: S) -> Self
    where
        T: One,
    {
        Self::full(shape, T::one())
    }

    /// An array whose elements are a function of their index; in `ndarray`, `from_shape_fn`. They
    /// are made in row-major order.
    ///
    /// # Panics
    /// If the array does not fit in memory, or `value` panics.
    ///
    /// ```
    /// let table = ndcore::Array2::from_fn([2, 3], |[i, j]| 10 * i + j);
    /// assert_eq!(table.to_vec(), [0, 1, 2, 10, 11, 12]);
    /// ```
    // What the closure captures is read again for each element where this is a function of its own.
    #[inline]
    #[track_caller]
    pub fn from_fn<S: IntoLayout<Rank = R>>(
        shape: S,
        mut value: impl FnMut(R::Shape) -> T,
    ) -> Self {
        let layout = or_panic(shape.into_layout());
        let mut data = or_panic(Buffer::reserved(layout.size(), layout.shape()));
        let mut walk = Walk::new(or_panic(Layout::<R>::c_order(layout.raw_shape())));
        // In one place and one order, so that the closure becomes part of the loop, and what
        // depends on the row alone is computed once a row. With a copy of the index for each, so
        // that the compiler keeps all of its numbers in registers.
        while let Some((index, _, run)) = walk.next_row() {
            append_each(&mut data, run, |last| {
                let mut index = index;
                if let Some(own) = index.as_mut().last_mut() {
                    *own = last;
                }
                value(index)
            });
        }
        if !layout.is_c_contiguous() {
            data = or_panic(turned_to_columns::<T, R>(&data, layout.raw_shape()));
        }
        Array { buffer: Buffer::from_vec(data), layout, engine: PhantomData }
    }

    /// The elements of a `Vec` in row-major (C) order, or in column-major order for a shape with
    /// [`f()`](crate::ShapeBuilder::f). Free: the `Vec`'s memory becomes the array's.
    ///
    /// # Errors
    /// [`LengthMismatch`](Kind::LengthMismatch), [`SizeOverflow`](Kind::SizeOverflow),
    /// [`RankTooHigh`](Kind::RankTooHigh).
    ///
    /// ```
    /// use ndcore::Array2;
    /// assert_eq!(Array2::from_shape_vec([2, 2], vec![1, 2, 3, 4])?[[1, 0]], 3);
    /// assert!(Array2::from_shape_vec([2, 2], vec![1, 2, 3]).is_err());
    /// # Ok::<(), ndcore::LayoutError>(())
    /// ```
    pub fn from_shape_vec<S: IntoLayout<Rank = R>>(
        shape: S,
        data: Vec<T>,
    ) -> Result<Self, LayoutError> {
        Array::from_shape_vec_raw(shape.into_layout()?, data)
    }

    /// A layout and the elements of it, in the order of memory.
    pub(crate) fn from_shape_vec_raw(layout: Layout<R>, data: Vec<T>) -> Result<Self, LayoutError> {
        check_length(&layout, data.len())?;
        Ok(Array { buffer: Buffer::from_vec(data), layout, engine: PhantomData })
    }

    /// The memory and where the elements lie in it.
    pub(crate) fn into_parts(self) -> (Buffer<T>, Layout<R>) {
        (self.buffer, self.layout)
    }

    /// What [`into_parts`](Self::into_parts) gave (I7).
    #[inline]
    pub(crate) fn from_parts(buffer: Buffer<T>, layout: Layout<R>) -> Self {
        assert!(layout.is_within(buffer.as_slice().len()), "a layout reaches outside its memory");
        Array { buffer, layout, engine: PhantomData }
    }

    /// The memory and where the elements lie in it, to be changed so that they still fit each other
    /// (I7).
    pub(crate) fn parts_mut(&mut self) -> (&mut Buffer<T>, &mut Layout<R>) {
        (&mut self.buffer, &mut self.layout)
    }

    /// The array is the only owner of its elements.
    #[inline(always)]
    pub(crate) fn unshare(&mut self) {}

    /// The elements of a `Vec` by any strides and offset, in elements, that reach no element twice.
    /// Free.
    ///
    /// # Errors
    /// [`RankMismatch`](Kind::RankMismatch), [`SizeOverflow`](Kind::SizeOverflow),
    /// [`OutOfReach`](Kind::OutOfReach), [`Aliased`](Kind::Aliased).
    ///
    /// ```
    /// use ndcore::Array2;
    /// let columns = Array2::from_strided_vec([2, 3], &[1, 2], 0, vec![1, 2, 3, 4, 5, 6])?;
    /// assert_eq!(columns.to_vec(), [1, 3, 5, 2, 4, 6]);
    /// assert!(Array2::from_strided_vec([2, 3], &[0, 1], 0, vec![1, 2, 3]).is_err());
    /// # Ok::<(), ndcore::LayoutError>(())
    /// ```
    pub fn from_strided_vec<S: IntoShape<Rank = R>>(
        shape: S,
        strides: &[isize],
        offset: usize,
        data: Vec<T>,
    ) -> Result<Self, LayoutError> {
        Self::from_layout_vec(
            Layout::strided(shape.into_shape()?, strides, offset, data.len())?,
            data,
        )
    }

    /// As [`from_strided_vec`](Self::from_strided_vec), with the layout as one value.
    ///
    /// # Errors
    /// [`OutOfReach`](Kind::OutOfReach), [`Aliased`](Kind::Aliased).
    #[inline]
    pub fn from_layout_vec(layout: Layout<R>, data: Vec<T>) -> Result<Self, LayoutError> {
        Self::from_flat(layout, data)
    }

    /// As [`from_layout_vec`](Self::from_layout_vec), made for as many elements as the layout has:
    /// that one in row-major order fits takes no further look.
    // Inlined, and made in one place: what is put together from several is handed on in memory, by
    // vectors, for which the parts that were just stored have to be waited for.
    #[doc(hidden)]
    #[inline(always)]
    pub fn from_flat<Err: From<LayoutError>>(
        mut layout: Layout<R>,
        data: Vec<T>,
    ) -> Result<Self, Err> {
        let flat = layout.offset() == 0 && layout.is_c_contiguous() && layout.size() == data.len();
        if !flat {
            layout.check_owned(data.len())?;
            layout = layout.settled();
        }
        Ok(Array { buffer: Buffer::from_vec(data), layout, engine: PhantomData })
    }

    /// The same memory by another shape and other strides, from the same first element on.
    ///
    /// # Errors
    /// As for [`from_strided_vec`](Self::from_strided_vec).
    #[doc(hidden)]
    pub fn with_layout<S: Dimension>(
        self,
        shape: S::Shape,
        strides: &[isize],
    ) -> Result<Array<T, S, E>, LayoutError> {
        let layout = Layout::strided(shape, strides, self.layout.offset(), self.memory().len())?;
        layout.check_unique()?;
        Ok(Array { buffer: self.buffer, layout, engine: PhantomData })
    }

    /// Another layout over the same memory, derived from the array's own by those operations of
    /// `layout.rs` that repeat nothing (I5).
    #[inline]
    pub(crate) fn derive<S: Dimension>(self, layout: Layout<S>) -> Array<T, S, E> {
        assert!(layout.is_within(self.memory().len()), "a layout reaches outside its memory");
        Array { buffer: self.buffer, layout: layout.settled(), engine: PhantomData }
    }

    /// As [`derive`](Self::derive), of the array where it is.
    pub(crate) fn relabel(&mut self, layout: Layout<R>) {
        assert!(layout.is_within(self.memory().len()), "a layout reaches outside its memory");
        self.layout = layout.settled();
    }

    /// The memory of the array, and where in it the elements lie. Free: the other way of
    /// [`from_layout_vec`](Self::from_layout_vec).
    ///
    /// ```
    /// let (layout, data) = ndcore::array![[1, 2], [3, 4]].reversed_axes().into_layout_vec();
    /// assert_eq!((layout.strides(), data), (&[1, 2][..], vec![1, 2, 3, 4]));
    /// ```
    pub fn into_layout_vec(self) -> (Layout<R>, Vec<T>) {
        (self.layout, self.buffer.into_vec())
    }

    /// The same array with operators of another engine.
    pub fn with_engine<F>(self) -> Array<T, R, F> {
        Array { buffer: self.buffer, layout: self.layout, engine: PhantomData }
    }

    /// Where the elements lie.
    #[inline]
    pub fn layout(&self) -> &Layout<R> {
        &self.layout
    }

    /// The memory that the layout speaks of.
    #[inline]
    pub(crate) fn memory(&self) -> &[T] {
        self.buffer.as_slice()
    }

    /// The element at an index; the array itself, if it has none there.
    // By a pointer: what `get_unchecked` tells the compiler of the place keeps it from looking at
    // bounds before a loop instead of in it (a product of matrices by indices: half as long again).
    #[inline]
    pub(crate) fn element(&self, index: &[usize]) -> Result<&T, &Self> {
        let Some(place) = self.layout.place(index) else { return Err(self) };
        debug_assert!(place < self.memory().len());
        // SAFETY: an array's layout reaches only its buffer (I7).
        Ok(unsafe { &*self.memory().as_ptr().add(place) })
    }

    /// The element at an index for writing; the array itself, if it has none there.
    #[inline]
    pub(crate) fn element_mut(&mut self, index: &[usize]) -> Result<&mut T, &mut Self> {
        let Some(place) = self.layout.place(index) else { return Err(self) };
        debug_assert!(place < self.memory().len());
        // SAFETY: an array's layout reaches only its buffer (I7).
        Ok(unsafe { &mut *self.memory_mut().as_mut_ptr().add(place) })
    }

    /// The `len` elements of the array's memory that begin with its first one, if there are as
    /// many: all its elements in the order of memory, if its layout has no gaps and goes forwards.
    /// Asks less than [`View::as_slice_memory_order`]: all of the memory is the array's own.
    #[doc(hidden)]
    #[inline]
    pub fn memory_from_first(&self, len: usize) -> Option<&[T]> {
        let start = self.layout.offset();
        self.memory().get(start..)?.get(..len)
    }

    #[inline]
    pub(crate) fn memory_mut(&mut self) -> &mut [T] {
        self.buffer.as_mut_slice()
    }

    /// The elements as a `Vec` in logical (row-major) order. Free for an array made from a `Vec`,
    /// if the elements lie in that order. Large arrays made otherwise begin at a cache line, up to
    /// 60 bytes into their memory, and move there to its start. They only move to other memory if
    /// the order is another one, or most of the memory is not the array's.
    ///
    /// # Panics
    /// If other memory does not fit; [`try_into_vec`](Self::try_into_vec) does not panic.
    ///
    /// ```
    /// let a = ndcore::array![[1, 2], [3, 4]];
    /// assert_eq!(a.reversed_axes().into_vec(), [1, 3, 2, 4]);
    /// ```
    #[track_caller]
    pub fn into_vec(self) -> Vec<T> {
        or_panic(self.try_into_vec())
    }

    /// As [`into_vec`](Self::into_vec).
    ///
    /// # Errors
    /// [`AllocationFailed`](Kind::AllocationFailed).
    pub fn try_into_vec(self) -> Result<Vec<T>, LayoutError> {
        let (start, len) = (self.layout.offset(), self.layout.size());
        if !self.layout.is_c_contiguous() || len < self.memory().len() / 2 {
            // To copy what needs no drop is to move it.
            return if needs_drop::<T>() { self.try_move_to_vec() } else { self.try_to_vec() };
        }
        let mut data = self.buffer.into_vec();
        data.truncate(start + len);
        data.drain(..start);
        Ok(data)
    }

    /// The elements in logical order, each taken from its place; the rest of the memory is dropped.
    fn try_move_to_vec(self) -> Result<Vec<T>, LayoutError> {
        let mut moved = Buffer::reserved(self.len(), self.shape())?;
        let mut left = Buffer::reserved(self.memory().len(), self.shape())?;
        let (layout, data) = self.into_layout_vec();
        left.extend(data.into_iter().map(Some));
        let mut walk = Walk::new(layout);
        while let Some((_, place)) = walk.next() {
            // No place has two indices (I7).
            moved.extend(left[place].take());
        }
        // Not at the end: what is returned is lost, should the drop of a local panic there.
        drop(left);
        Ok(moved)
    }

    /// All the elements as a slice for writing, if they lie side by side in row-major order.
    #[inline]
    pub fn as_slice_mut(&mut self) -> Option<&mut [T]> {
        let start = self.layout.offset();
        let end = start + self.layout.size();
        self.layout.is_c_contiguous().then(|| &mut self.buffer.as_mut_slice()[start..end])
    }

    /// A view of the elements.
    #[inline]
    pub fn view(&self) -> View<'_, T, R, E> {
        // SAFETY: an array's layout reaches only its buffer (I7).
        unsafe { View::of_array(self.memory(), self.layout) }
    }

    /// A view for writing.
    #[inline]
    pub fn view_mut(&mut self) -> ViewMut<'_, T, R, E> {
        let layout = self.layout;
        // SAFETY: an array's layout reaches only its buffer, and no element of it twice (I7).
        unsafe { ViewMut::of_array(self.memory_mut(), layout) }
    }
}

impl<T: Element, R: Dimension, E> Array<T, R, E> {
    /// An array of this layout in the memory of a dropped one, with some old values in it, if the
    /// pool has such memory.
    ///
    /// The layout has no gaps; `None` if it has.
    #[inline]
    pub fn recycled(layout: Layout<R>) -> Option<Self> {
        let buffer = Buffer::recycled(layout.size())?;
        layout.check_reach(layout.size()).ok()?;
        layout.check_unique().ok()?;
        let layout = layout.shifted(buffer.aligned_start(layout.size()));
        Some(Array { buffer, layout, engine: PhantomData })
    }

    /// Memory for an array, not yet initialised: an array of [`MaybeUninit`], to be filled element
    /// by element or part by part, and then to be taken for an array by
    /// [`assume_init`](Array::assume_init). Large arrays may lie in memory that a dropped one had.
    /// [`build`](Self::build) is the way without `unsafe`.
    ///
    /// # Errors
    /// [`SizeOverflow`](Kind::SizeOverflow), [`AllocationFailed`](Kind::AllocationFailed),
    /// [`RankTooHigh`](Kind::RankTooHigh).
    ///
    /// ```
    /// use ndcore::Array2;
    /// let mut slots = Array2::<usize>::uninit([2, 3])?;
    /// slots.indexed_iter_mut().for_each(|([i, j], slot)| {
    ///     slot.write(10 * i + j);
    /// });
    /// // SAFETY: each element has been written.
    /// let a = unsafe { slots.assume_init() };
    /// assert_eq!(a.to_vec(), [0, 1, 2, 10, 11, 12]);
    /// # Ok::<(), ndcore::LayoutError>(())
    /// ```
    pub fn uninit<S: IntoLayout<Rank = R>>(
        shape: S,
    ) -> Result<Array<MaybeUninit<T>, R, E>, LayoutError> {
        Array::uninit_in(shape.into_layout()?)
    }
}

impl<T: Element, R: Dimension, E> Array<MaybeUninit<T>, R, E> {
    /// Memory for an array of this layout, not yet initialised.
    ///
    /// # Errors
    /// [`AllocationFailed`](Kind::AllocationFailed); [`OutOfReach`](Kind::OutOfReach) or
    /// [`Aliased`](Kind::Aliased) if the layout has gaps or repeats.
    #[inline]
    pub(crate) fn uninit_in(layout: Layout<R>) -> Result<Self, LayoutError> {
        layout.check_reach(layout.size())?;
        if !layout.is_c_contiguous() {
            layout.check_unique()?;
        }
        let buffer = Buffer::uninit(layout.size(), layout.shape())?;
        let layout = layout.shifted(buffer.aligned_start(layout.size()));
        Ok(Array { buffer, layout, engine: PhantomData })
    }

    /// The array, now that it is initialised.
    ///
    /// # Safety
    /// Every element has been written.
    #[inline]
    pub unsafe fn assume_init(self) -> Array<T, R, E> {
        let layout = self.layout;
        let mut data = self.buffer.into_vec();
        if layout.size() != data.len() {
            spread_first(&layout, &mut data);
        }
        let mut data = ManuallyDrop::new(data);
        // SAFETY: `MaybeUninit<T>` has the size and alignment of `T`, the parts are those of a
        // `Vec` that is not dropped, and its elements are initialised: those of the layout, which
        // are all from `start` to `end`, by the caller's promise, the others above.
        let data =
            unsafe { Vec::from_raw_parts(data.as_mut_ptr().cast(), data.len(), data.capacity()) };
        Array { buffer: Buffer::from_vec(data), layout, engine: PhantomData }
    }
}

impl<T: Item, E> Array<T, Rank<1>, E> {
    /// The elements of a `Vec`. Free: the `Vec`'s memory becomes the array's.
    ///
    /// ```
    /// assert_eq!(ndcore::Array1::from_vec(vec![1, 2, 3]).shape(), [3]);
    /// ```
    #[inline]
    pub fn from_vec(data: Vec<T>) -> Self {
        let layout =
            Layout::c_order([data.len()]).expect("the length of a Vec is at most isize::MAX");
        Array { buffer: Buffer::from_vec(data), layout, engine: PhantomData }
    }
}

impl<'a, T: Item, R: Dimension, E> View<'a, T, R, E> {
    /// A view of the caller's memory in row-major (C) order.
    ///
    /// # Errors
    /// [`LengthMismatch`](Kind::LengthMismatch), [`SizeOverflow`](Kind::SizeOverflow),
    /// [`RankTooHigh`](Kind::RankTooHigh).
    ///
    /// ```
    /// let data = [1, 2, 3, 4, 5, 6];
    /// let matrix = ndcore::View2::from_slice([2, 3], &data)?;
    /// assert_eq!(matrix[[1, 0]], 4);
    /// # Ok::<(), ndcore::LayoutError>(())
    /// ```
    pub fn from_slice<S: IntoLayout<Rank = R>>(
        shape: S,
        data: &'a [T],
    ) -> Result<Self, LayoutError> {
        let layout = shape.into_layout()?;
        check_length(&layout, data.len())?;
        View::over(data, layout)
    }

    /// A view of the caller's memory by a layout.
    ///
    /// # Errors
    /// [`OutOfReach`](Kind::OutOfReach).
    ///
    /// ```
    /// use ndcore::{Layout, Rank, View};
    /// let columns = Layout::<Rank<2>>::f_order([2, 3])?;
    /// let matrix: View<'_, i32, _> = View::from_layout_slice(columns, &[1, 2, 3, 4, 5, 6])?;
    /// assert_eq!(matrix[[1, 0]], 2);
    /// # Ok::<(), ndcore::LayoutError>(())
    /// ```
    #[inline]
    pub fn from_layout_slice(layout: Layout<R>, data: &'a [T]) -> Result<Self, LayoutError> {
        View::over(data, layout)
    }

    /// A view of the caller's memory by any strides and offset, in elements. Elements may repeat:
    /// strides may be zero or overlap.
    ///
    /// # Errors
    /// [`RankMismatch`](Kind::RankMismatch), [`SizeOverflow`](Kind::SizeOverflow),
    /// [`OutOfReach`](Kind::OutOfReach).
    ///
    /// ```
    /// let data = [1, 2, 3, 4];
    /// let windows = ndcore::View2::from_strided([3, 2], &[1, 1], 0, &data)?;
    /// assert_eq!(windows.to_vec(), [1, 2, 2, 3, 3, 4]);
    /// # Ok::<(), ndcore::LayoutError>(())
    /// ```
    pub fn from_strided<S: IntoShape<Rank = R>>(
        shape: S,
        strides: &[isize],
        offset: usize,
        data: &'a [T],
    ) -> Result<Self, LayoutError> {
        View::over(data, Layout::strided(shape.into_shape()?, strides, offset, data.len())?)
    }
}

impl<'a, T: Item, R: Dimension, E> ViewMut<'a, T, R, E> {
    /// A view for writing of the caller's memory in row-major (C) order.
    ///
    /// # Errors
    /// [`LengthMismatch`](Kind::LengthMismatch), [`SizeOverflow`](Kind::SizeOverflow),
    /// [`RankTooHigh`](Kind::RankTooHigh).
    ///
    /// ```
    /// let mut data = [0; 6];
    /// ndcore::ViewMut2::from_slice([2, 3], &mut data)?[[1, 0]] = 4;
    /// assert_eq!(data, [0, 0, 0, 4, 0, 0]);
    /// # Ok::<(), ndcore::LayoutError>(())
    /// ```
    pub fn from_slice<S: IntoLayout<Rank = R>>(
        shape: S,
        data: &'a mut [T],
    ) -> Result<Self, LayoutError> {
        let layout = shape.into_layout()?;
        check_length(&layout, data.len())?;
        ViewMut::over(data, layout)
    }

    /// A view for writing of the caller's memory by any strides and offset, in elements, that reach
    /// no element twice.
    ///
    /// # Errors
    /// [`RankMismatch`](Kind::RankMismatch), [`SizeOverflow`](Kind::SizeOverflow),
    /// [`OutOfReach`](Kind::OutOfReach), [`Aliased`](Kind::Aliased).
    pub fn from_strided<S: IntoShape<Rank = R>>(
        shape: S,
        strides: &[isize],
        offset: usize,
        data: &'a mut [T],
    ) -> Result<Self, LayoutError> {
        let layout = Layout::strided(shape.into_shape()?, strides, offset, data.len())?;
        ViewMut::over(data, layout)
    }
}

#[inline]
fn check_length<R: Dimension>(layout: &Layout<R>, found: usize) -> Result<(), LayoutError> {
    // No layout has a size that overflows.
    let needed = layout.size();
    if needed == found { Ok(()) } else { Err(length_mismatch(layout.shape(), needed, found)) }
}

#[cold]
#[inline(never)]
fn length_mismatch(shape: &[usize], needed: usize, found: usize) -> LayoutError {
    Kind::LengthMismatch { shape: List::of(&shape), needed, found }.into()
}

/// An array from its elements, up to rank 4: `array![1, 2]`, `array![[1, 2], [3, 4]]`.
///
/// Rows of unequal length do not compile.
///
/// ```
/// use ndcore::array;
/// assert_eq!(array![1, 2, 3].shape(), [3]);
/// assert_eq!(array![[1, 2, 3], [4, 5, 6]].shape(), [2, 3]);
/// assert_eq!(array![[[1], [2]], [[3], [4]]].shape(), [2, 2, 1]);
/// ```
#[macro_export]
macro_rules! array {
    ($([$([$([$($x:expr),* $(,)?]),+ $(,)?]),+ $(,)?]),+ $(,)?) => {
        $crate::Array4::from([$([$([$([$($x),*]),*]),*]),*])
    };
    ($([$([$($x:expr),* $(,)?]),+ $(,)?]),+ $(,)?) => { $crate::Array3::from([$([$([$($x),*]),*]),*]) };
    ($([$($x:expr),* $(,)?]),+ $(,)?) => { $crate::Array2::from([$([$($x),*]),*]) };
    ($($x:expr),* $(,)?) => { $crate::Array1::from([$($x),*]) };
}

/// Elements that are in row-major order of a shape, in column-major order.
#[cold]
fn turned_to_columns<T: Item, R: Dimension>(
    data: &[T],
    shape: R::Shape,
) -> Result<Vec<T>, LayoutError> {
    let rows = Layout::<R>::c_order(shape)?;
    let mut turned = Buffer::reserved(data.len(), rows.shape())?;
    let mut walk = Walk::new(rows.reversed());
    while let Some((_, place)) = walk.next() {
        turned.push(data[place].clone());
    }
    Ok(turned)
}

/// What lies outside of the reach of a layout without gaps becomes a copy of its first element, so
/// that nothing is left uninitialised.
#[inline(never)]
fn spread_first<T: Element, R: Dimension>(layout: &Layout<R>, data: &mut Vec<MaybeUninit<T>>) {
    let hull = layout.hull().filter(|hull| !hull.is_empty());
    let (start, end) = hull.map_or((0, 0), |hull| (hull.start, hull.end));
    assert!(
        end - start == layout.size(),
        "only a layout without gaps can be initialised as a whole"
    );
    if let Some(&first) = data.get(start).filter(|_| start < end) {
        data[..start].fill(first);
        data[end..].fill(first);
    } else {
        data.clear();
    }
}
