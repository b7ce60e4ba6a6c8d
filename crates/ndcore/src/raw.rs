//! [`View`] and [`ViewMut`]: from numbers to memory. All pointers of the crate are dereferenced here.
//!
//! Invariants, cited by the proofs:
//! * I1: the layout of a view reaches only `0..len` of the memory at `data` (checked in O(rank) whenever a view is made).
//! * I2: for `'a`, the elements that a view's layout reaches are initialised; those of a [`View`] are written by nobody, those of
//!   a [`ViewMut`] are reached by nobody else. A view made from another one reaches a subset of its elements, because
//!   every operation of `layout.rs` keeps to the places of the layout it starts from.
//! * I3: the layout of a [`ViewMut`] reaches no element by two indices.
//! * I4: the first `len` elements of a [`Packed`] are initialised.
//! * I5: the layout of an `Array` reaches only its buffer, and no element of it twice (checked
//!   whenever an array is made of a layout; the buffer never changes its length).

use crate::axes::Axes;
use crate::axis::IntoAxis;
use crate::dimension::{Dimension, Dyn};
use crate::element::Element;
use crate::error::LayoutError;
use crate::layout::{Layout, Nest, expand_strides};
use crate::{scratch, turn};
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

/// The memory that a view's layout speaks of. Its length is at most `isize::MAX`.
#[derive(Debug)]
pub(crate) struct Memory<'a, T> {
    data: NonNull<T>,
    len: usize,
    lifetime: PhantomData<&'a [T]>,
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
    pub fn of(data: NonNull<[T]>) -> Self {
        // Of elements without size a slice can have more than any layout can count.
        let len = if size_of::<T>() == 0 { data.len().min(isize::MAX as usize) } else { data.len() };
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
    /// As [`strided`](Self::strided), of elements that the layout of a view reaches: then they are in
    /// bounds (I1).
    #[inline]
    pub fn reached(&self, place: usize, stride: isize, len: usize) -> *mut T {
        debug_assert!(self.strided(place, stride, len) == self.data.as_ptr().wrapping_add(place));
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
        Ok(Self::part(Memory::of(data.into()), layout))
    }

    /// Another layout over the same memory, derived from this view's own by the operations of `layout.rs` (I2).
    #[inline]
    pub(crate) fn derive<S: Dimension>(self, layout: Layout<S>) -> View<'a, T, S, E> {
        View::part(self.memory, layout)
    }

    /// A layout over the memory of a view, derived from that view's own by the operations of
    /// `layout.rs` (I2).
    #[inline]
    pub(crate) fn part(memory: Memory<'a, T>, layout: Layout<R>) -> Self {
        assert!(layout.is_within(memory.len), "a layout reaches outside its memory");
        View { memory, layout, engine: PhantomData }
    }

    /// A layout over the memory of an array.
    ///
    /// # Safety
    /// The layout reaches only this memory (I1), and what it reaches is readable for `'a` (I2).
    #[inline]
    pub(crate) unsafe fn of_array(data: &'a [T], layout: Layout<R>) -> Self {
        let memory = Memory::of(data.into());
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

    /// The element at a place that the layout reaches.
    #[inline]
    pub(crate) fn at(&self, place: usize) -> &'a T {
        let element = self.memory.pointer(place, 1);
        // SAFETY: `pointer` has checked the bounds; readable for 'a by I2.
        unsafe { &*element }
    }

    /// The element at an index, if the view has it.
    #[inline]
    pub(crate) fn element(&self, index: &[usize]) -> Option<&'a T> {
        let place = self.layout.place(index)?;
        debug_assert!(place < self.memory.len);
        // SAFETY: the layout reaches the place, so that it is in bounds (I1) and readable for 'a (I2).
        Some(unsafe { &*self.memory.data.as_ptr().add(place) })
    }

    /// The elements at `place` and the `len - 1` places after it, all of which the layout reaches.
    #[inline]
    pub(crate) fn stretch(&self, place: usize, len: usize) -> &'a [T] {
        let first = self.memory.pointer(place, len);
        // SAFETY: `pointer` has checked the bounds; readable for 'a by I2.
        unsafe { std::slice::from_raw_parts(first, len) }
    }

    /// Copies the elements at `place`, `place + stride`, .., all of which the layout reaches.
    #[inline]
    fn gather(&self, place: usize, stride: isize, to: &mut [MaybeUninit<T>]) {
        let first = self.memory.strided(place, stride, to.len());
        // SAFETY: `strided` has checked the bounds; readable by I2.
        let read = |i: usize| unsafe { first.offset(i as isize * stride).read() };
        // Four at a time are stored as one.
        let (fours, rest) = to.as_chunks_mut::<4>();
        let whole = 4 * fours.len();
        // Across gaps the processor's own prefetching falls behind.
        let ahead = (AHEAD_BYTES / (stride.unsigned_abs() * size_of::<T>()).max(1)).max(AHEAD) as isize;
        for (k, four) in fours.iter_mut().enumerate() {
            prefetch(self.memory, place as isize + (4 * k as isize + ahead) * stride, 1);
            four.write_copy_of_slice(&[read(4 * k), read(4 * k + 1), read(4 * k + 2), read(4 * k + 3)]);
        }
        for (k, to) in rest.iter_mut().enumerate() {
            to.write(read(whole + k));
        }
    }

    /// The same elements as the loops of a [`Nest`].
    ///
    /// # Panics
    /// If the nest does not fit: see [`Layout::nest`].
    pub fn nested(self, nest: &Nest) -> View<'a, T, Dyn> {
        let layout = self.layout.nest(nest);
        self.derive(layout).with_engine()
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

    /// The elements as they are met in a larger shape, row by row, in a buffer; `None` if they do not fit there. As for
    /// [`Layout::expand`], axis `i` of the view lies along axis `dims[i]` of the shape, and the elements repeat along all others.
    #[doc(hidden)]
    pub fn spread<'b>(self, shape: &[usize], dims: &[usize], to: &'b mut Packed<T>) -> Option<&'b [T]> {
        let strides = expand_strides(self.layout.shape(), self.layout.strides(), shape, dims).ok()?;
        let (axes, len) = walks(shape, &strides);
        // Empty: then nothing is read, and the view may have no place either.
        if len > 0 {
            self.pack_axes(self.layout.offset(), &axes, to.room(len));
        }
        to.len = len;
        Some(to.as_slice())
    }
}

impl<'a, T: Element, E> View<'a, T, Dyn, E> {
    /// The `len` elements from index `start` on in logical order, if they lie side by side in memory.
    ///
    /// # Panics
    /// If `start` is not an index of the view or fewer than `len` elements follow it.
    #[inline]
    pub fn run(&self, start: &[usize], len: usize) -> Option<&'a [T]> {
        let place = self.layout.run_place(start, len)?;
        Some(self.stretch(place, len))
    }

    /// Copies the box of `extents` elements that begins at index `start`, in logical order.
    ///
    /// # Panics
    /// If the box leaves the view.
    pub fn pack(&self, start: &[usize], extents: &[usize], to: &mut Packed<T>) {
        let place = self.layout.corner(start, extents);
        let (axes, len) = walks(extents, self.layout.strides());
        if len > 0 {
            self.pack_axes(place, &axes, to.room(len));
        }
        to.len = len;
    }
}

impl<T: Element, R: Dimension, E> View<'_, T, R, E> {
    /// Writes all of `to`, whose length is the product of the lengths in `axes`; `axes` lists (length, stride) from the outermost.
    fn pack_axes(&self, place: usize, axes: &[(usize, isize)], to: &mut [MaybeUninit<T>]) {
        match *axes {
            [] => self.pack_line(place, 1, 1, to),
            [(len, stride)] => self.pack_line(place, len, stride, to),
            [(rows, 1), (columns, stride)] if stride.unsigned_abs() > 1 => {
                self.pack_transposed(place, rows, columns, stride, to);
            }
            [(_, stride), (len, 0)] if len < SHORT_LINE => self.pack_repeated(place, stride, len, to),
            [(_, 0), ref inner @ ..] => {
                let period = inner.iter().map(|(len, _)| len).product();
                self.pack_axes(place, inner, &mut to[..period]);
                let mut filled = period;
                while filled < to.len() {
                    let more = filled.min(to.len() - filled);
                    to.copy_within(..more, filled);
                    filled += more;
                }
            }
            [(len, stride), ref inner @ ..] => {
                let period = to.len() / len;
                for (i, to) in to.chunks_exact_mut(period).enumerate() {
                    self.pack_axes((place as isize + i as isize * stride) as usize, inner, to);
                }
            }
        }
    }

    /// `len` elements that lie `stride` apart.
    #[inline]
    fn pack_line(&self, place: usize, len: usize, stride: isize, to: &mut [MaybeUninit<T>]) {
        match stride {
            1 => _ = to.write_copy_of_slice(self.stretch(place, len)),
            0 => to.fill(MaybeUninit::new(*self.at(place))),
            -1 => {
                let backwards = self.stretch(place + 1 - len, len).iter().rev();
                to.iter_mut().zip(backwards).for_each(|(to, from)| _ = to.write(*from));
            }
            _ => self.gather(place, stride, to),
        }
    }

    /// Elements that lie `stride` apart, each `times` over: a few, such as the channels of a pixel.
    fn pack_repeated(&self, place: usize, stride: isize, times: usize, to: &mut [MaybeUninit<T>]) {
        let repeat = |to: &mut [MaybeUninit<T>], from: &T| {
            let (whole, rest) = to.as_chunks_mut::<16>();
            whole.iter_mut().for_each(|to| *to = [MaybeUninit::new(*from); 16]);
            rest.iter_mut().for_each(|to| _ = to.write(*from));
        };
        let len = to.len() / times;
        if stride == 1 {
            let from = self.stretch(place, len);
            match times {
                // Lengths known to the compiler: straight stores in place of a loop for each element.
                2 => to.as_chunks_mut::<2>().0.iter_mut().zip(from).for_each(|(to, from)| repeat(to, from)),
                3 => to.as_chunks_mut::<3>().0.iter_mut().zip(from).for_each(|(to, from)| repeat(to, from)),
                4 => to.as_chunks_mut::<4>().0.iter_mut().zip(from).for_each(|(to, from)| repeat(to, from)),
                _ => to.chunks_exact_mut(times).zip(from).for_each(|(to, from)| repeat(to, from)),
            }
        } else {
            for (i, to) in to.chunks_exact_mut(times).enumerate() {
                repeat(to, self.at((place as isize + i as isize * stride) as usize));
            }
        }
    }

    /// `to[i * columns + j]` becomes the element at `place + i + j * stride`.
    fn pack_transposed(&self, place: usize, rows: usize, columns: usize, stride: isize, to: &mut [MaybeUninit<T>]) {
        match turn::side::<T>() {
            Some(2) => self.pack_squares::<2>(place, rows, columns, stride, to),
            Some(4) => self.pack_squares::<4>(place, rows, columns, stride, to),
            Some(8) => self.pack_squares::<8>(place, rows, columns, stride, to),
            Some(16) => self.pack_squares::<16>(place, rows, columns, stride, to),
            _ => self.pack_squares::<1>(place, rows, columns, stride, to),
        }
    }

    /// As [`pack_transposed`](Self::pack_transposed), in squares of `N * N` elements as far as they go.
    fn pack_squares<const N: usize>(
        &self,
        place: usize,
        rows: usize,
        columns: usize,
        stride: isize,
        to: &mut [MaybeUninit<T>],
    ) {
        let column_place = |j: usize| place as isize + j as isize * stride;
        for first in (0..columns).step_by(N) {
            // The next columns lie far away, each on its own: no hardware prefetcher sees them coming.
            for next in (first + AHEAD..first + AHEAD + N).take_while(|next| *next < columns) {
                prefetch(self.memory, column_place(next), rows);
            }
            let width = N.min(columns - first);
            let from: [&[T]; N] =
                std::array::from_fn(|k| self.stretch(column_place(first + k.min(width - 1)) as usize, rows));
            let whole = if width == N { rows - rows % N } else { 0 };
            for i in (0..whole).step_by(N) {
                let lines = &mut to[i * columns + first..];
                turn::turn(&from, i, |r, line| lines[r * columns..][..N].copy_from_slice(line));
            }
            for i in whole..rows {
                for (to, from) in to[i * columns + first..][..width].iter_mut().zip(from) {
                    to.write(from[i]);
                }
            }
        }
    }
}

/// How many columns, or elements far from each other, are fetched ahead of their use.
const AHEAD: usize = 16;

/// How many bytes ahead of their use elements near each other are fetched.
const AHEAD_BYTES: usize = 1536;

/// Lines of fewer elements than this are not worth a loop of their own.
const SHORT_LINE: usize = 512;

/// A buffer of elements, filled by [`View::pack`]. The thread keeps its memory for the next one.
#[derive(Debug)]
pub struct Packed<T: Element> {
    /// None until there is something to pack.
    slots: Option<scratch::Buffer<T>>,
    /// I4: this many of the elements are initialised.
    len: usize,
}

impl<T: Element> Packed<T> {
    /// Empty.
    #[inline]
    pub fn new() -> Self {
        Packed { slots: None, len: 0 }
    }

    /// Room for `len` elements, of which none counts as initialised yet.
    #[inline]
    fn room(&mut self, len: usize) -> &mut [MaybeUninit<T>] {
        self.len = 0;
        let slots = self.slots.get_or_insert_with(scratch::take);
        if slots.len() < len {
            slots.resize(len, MaybeUninit::uninit());
        }
        &mut slots[..len]
    }

    /// `len` copies of one value.
    #[inline]
    pub fn fill(&mut self, value: T, len: usize) {
        self.room(len).fill(MaybeUninit::new(value));
        self.len = len;
    }

    /// The elements packed last.
    #[inline]
    pub fn as_slice(&self) -> &[T] {
        let slots = self.slots.as_ref().map_or(&[][..], |slots| slots);
        // SAFETY: initialised by I4.
        unsafe { slots[..self.len].assume_init_ref() }
    }

    /// The elements packed last, for writing.
    #[inline]
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        let slots = self.slots.as_mut().map_or(&mut [][..], |slots| slots);
        // SAFETY: initialised by I4.
        unsafe { slots[..self.len].assume_init_mut() }
    }
}

impl<T: Element> Drop for Packed<T> {
    #[inline]
    fn drop(&mut self) {
        if let Some(slots) = self.slots.take() {
            scratch::give(slots);
        }
    }
}

impl<T: Element> Default for Packed<T> {
    fn default() -> Self {
        Self::new()
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
        let memory = Memory::of(data.into());
        debug_assert!(layout.is_within(memory.len), "a layout reaches outside its memory");
        ViewMut { memory, layout, engine: PhantomData, exclusive: PhantomData }
    }

    /// Another layout over the same memory, derived from this view's own by those operations of `layout.rs` that repeat nothing
    /// (I2, I3).
    #[inline]
    pub(crate) fn derive<S: Dimension>(self, layout: Layout<S>) -> ViewMut<'a, T, S, E> {
        // SAFETY: this view is given up, and what it reaches alone, a part of it reaches alone (I2).
        unsafe { ViewMut::part(self.memory, layout) }
    }

    /// A layout over the memory of a view, derived from that view's own by those operations of
    /// `layout.rs` that repeat nothing (I3).
    ///
    /// # Safety
    /// For `'a`, nothing else reads or writes the elements that the layout reaches (I2).
    #[inline]
    pub(crate) unsafe fn part(memory: Memory<'a, T>, layout: Layout<R>) -> Self {
        assert!(layout.is_within(memory.len), "a layout reaches outside its memory");
        ViewMut { memory, layout, engine: PhantomData, exclusive: PhantomData }
    }

    /// The memory that the layout speaks of.
    #[inline]
    pub(crate) fn memory(&self) -> Memory<'a, T> {
        self.memory
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

    /// The same elements for reading only, for as long as this view was.
    #[inline]
    pub fn into_view(self) -> View<'a, T, R, E> {
        View { memory: self.memory, layout: self.layout, engine: PhantomData }
    }

    /// A shorter borrow of the same elements.
    #[inline]
    pub fn view_mut(&mut self) -> ViewMut<'_, T, R, E> {
        ViewMut { memory: self.memory, layout: self.layout, engine: PhantomData, exclusive: PhantomData }
    }

    /// The element at an index, if the view has it.
    #[inline]
    pub(crate) fn element(&self, index: &[usize]) -> Option<&T> {
        self.view().element(index)
    }

    /// The element at an index for writing; the shape, if the view does not have it.
    #[inline]
    pub(crate) fn element_mut(&mut self, index: &[usize]) -> Result<&mut T, R::Shape> {
        let place = self.layout.place(index).ok_or_else(|| self.layout.raw_shape())?;
        debug_assert!(place < self.memory.len);
        // SAFETY: the layout reaches the place, so that it is in bounds (I1), and reached by nobody
        // else while the view is borrowed (I2).
        Ok(unsafe { &mut *self.memory.data.as_ptr().add(place) })
    }

    /// The elements at `place` and the `len - 1` places after it, all of which the layout reaches.
    #[inline]
    pub(crate) fn into_stretch(self, place: usize, len: usize) -> &'a mut [T] {
        let first = self.memory.pointer(place, len);
        // SAFETY: `pointer` has checked the bounds; exclusive for 'a by I2, and the view is given up.
        unsafe { std::slice::from_raw_parts_mut(first, len) }
    }

    /// The same elements as the loops of a [`Nest`].
    ///
    /// # Panics
    /// If the nest does not fit: see [`Layout::nest`].
    pub fn nested(self, nest: &Nest) -> ViewMut<'a, T, Dyn> {
        let layout = self.layout.nest(nest);
        self.derive(layout).with_engine()
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
    /// [`AxisOutOfRange`](crate::LayoutErrorKind::AxisOutOfRange); [`SliceOutOfRange`](crate::LayoutErrorKind::SliceOutOfRange) if `mid` is above the extent.
    ///
    /// ```
    /// use ndcore::array;
    /// let mut a = array![[1, 2, 3], [4, 5, 6]];
    /// let (left, mut right) = a.view_mut().split_at(1, 1)?;
    /// right[[0, 0]] = left[[1, 0]];
    /// assert_eq!(a, array![[1, 4, 3], [4, 5, 6]]);
    /// # Ok::<(), ndcore::LayoutError>(())
    /// ```
    #[inline]
    pub fn split_at(self, axis: impl IntoAxis, mid: usize) -> Result<(Self, Self), LayoutError> {
        let (low, high) = self.layout.split(axis.into_axis(), mid)?;
        // SAFETY: this view is given up, and the two reach different elements, because no element is
        // reached by two indices (I3).
        Ok(unsafe { (ViewMut::part(self.memory, low), ViewMut::part(self.memory, high)) })
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

impl<'a, T: Element, E> ViewMut<'a, T, Dyn, E> {
    /// The `len` elements from index `start` on in logical order, if they lie side by side in memory.
    ///
    /// # Panics
    /// If `start` is not an index of the view or fewer than `len` elements follow it.
    #[inline]
    pub fn run_mut(&mut self, start: &[usize], len: usize) -> Option<&mut [T]> {
        let place = self.layout.run_place(start, len)?;
        Some(self.view_mut().into_stretch(place, len))
    }

    /// Copies the front of `from`, in logical order, to the box of `extents` elements that begins at index `start`.
    ///
    /// # Panics
    /// If the box leaves the view, or `from` is shorter than the box.
    pub fn unpack(&mut self, start: &[usize], extents: &[usize], from: &[T]) {
        let place = self.layout.corner(start, extents);
        let (axes, len) = walks(extents, self.layout.strides());
        if len > 0 {
            self.unpack_axes(place, &axes, &from[..len]);
        }
    }

    fn unpack_axes(&mut self, place: usize, axes: &[(usize, isize)], from: &[T]) {
        match *axes {
            [] => self.scatter(place, 1, from),
            [(len, 1)] => self.view_mut().into_stretch(place, len).copy_from_slice(from),
            [(_, stride)] => self.scatter(place, stride, from),
            [(len, stride), ref inner @ ..] => {
                let period = from.len() / len;
                for (i, from) in from.chunks_exact(period).enumerate() {
                    self.unpack_axes((place as isize + i as isize * stride) as usize, inner, from);
                }
            }
        }
    }

    /// Writes the elements at `place`, `place + stride`, .., all of which the layout reaches.
    fn scatter(&mut self, place: usize, stride: isize, from: &[T]) {
        let first = self.memory.strided(place, stride, from.len());
        for (i, &from) in from.iter().enumerate() {
            // SAFETY: `strided` has checked the bounds; exclusive by I2.
            unsafe { first.offset(i as isize * stride).write(from) };
        }
    }
}

impl Layout<Dyn> {
    /// The place of index `start`, if the `len` elements from it on lie side by side in memory.
    #[inline]
    fn run_place(&self, start: &[usize], len: usize) -> Option<usize> {
        let place = self.place(start).expect("a run starts at an index of the view");
        let (shape, strides) = (self.shape(), self.strides());
        // Elements that follow within the axes looked at so far, the innermost first.
        let mut reach = 1;
        for axis in (0..shape.len()).rev() {
            if len <= reach {
                break;
            }
            let left = shape[axis] - start[axis];
            if strides[axis] != reach as isize && shape[axis] != 1 {
                return None;
            }
            if len <= left * reach {
                return Some(place);
            }
            // The run goes on in the next axis: it must have had this one whole.
            assert!(start[axis] == 0, "a run leaves the view");
            reach *= shape[axis];
        }
        assert!(len <= reach, "a run leaves the view");
        Some(place)
    }

    /// The place where a box begins.
    fn corner(&self, start: &[usize], extents: &[usize]) -> usize {
        assert_eq!((start.len(), extents.len()), (self.ndim(), self.ndim()), "a box has as many axes as its view");
        let mut place = self.offset() as isize;
        for axis in 0..extents.len() {
            let shape = self.shape()[axis];
            assert!(start[axis] <= shape && extents[axis] <= shape - start[axis], "a box leaves the view");
            place += start[axis] as isize * self.strides()[axis];
        }
        place as usize
    }
}

/// The axes of extent above 1 as (length, stride), with those joined that are one walk; and the number of elements.
fn walks(extents: &[usize], strides: &[isize]) -> (Axes<(usize, isize)>, usize) {
    let (mut axes, mut len) = (Axes::<(usize, isize)>::new(), 1);
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
    (axes, len)
}
