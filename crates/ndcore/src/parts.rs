//! [`Subviews`]: parts of an array that are alike, one after the other.

use crate::buffer::append_each;
use crate::dimension::{Dimension, Rank};
use crate::element::Item;
use crate::error::{LayoutError, LayoutErrorKind as Kind};
use crate::layout::{Layout, rank_mismatch, size_of_shape};
use crate::list::List;
use crate::raw::{Memory, View, ViewMut};
use crate::walk::Walk;
use std::fmt;
use std::iter::FusedIterator;
use std::marker::PhantomData;

/// Parts of an array that are alike, as views of rank `I`, in the logical order of an array of rank
/// `O` whose elements they would be: lanes, rows, chunks, windows.
///
/// Steps from either end cost no more than making the view.
#[derive(Clone)]
pub struct Subviews<'a, T: Item, O: Dimension, I: Dimension, E = ()> {
    parts: Parts<'a, T, O, I>,
    engine: PhantomData<fn() -> E>,
}

/// As [`Subviews`], for writing: no two of the parts have an element in common.
pub struct SubviewsMut<'a, T: Item, O: Dimension, I: Dimension, E = ()> {
    parts: Parts<'a, T, O, I>,
    engine: PhantomData<fn() -> E>,
    exclusive: PhantomData<&'a mut [T]>,
}

/// The subviews at index 0, 1, .. of an axis: what `axis_iter` returns.
pub type AxisIter<'a, T, R, E = ()> = Subviews<'a, T, Rank<1>, <R as Dimension>::Smaller, E>;
/// The subviews at index 0, 1, .. of an axis, for writing: what `axis_iter_mut` returns.
pub type AxisIterMut<'a, T, R, E = ()> = SubviewsMut<'a, T, Rank<1>, <R as Dimension>::Smaller, E>;

/// The one-dimensional lanes along an axis: what `lanes`, `rows` and `columns` return.
pub type Lanes<'a, T, R, E = ()> = Subviews<'a, T, <R as Dimension>::Smaller, Rank<1>, E>;
/// The one-dimensional lanes along an axis, for writing: what `lanes_mut`, `rows_mut` and
/// `columns_mut` return.
pub type LanesMut<'a, T, R, E = ()> = SubviewsMut<'a, T, <R as Dimension>::Smaller, Rank<1>, E>;
/// Boxes of one shape side by side: what `exact_chunks` returns.
pub type ExactChunks<'a, T, R, E = ()> = Subviews<'a, T, R, R, E>;
/// Boxes of one shape side by side, for writing: what `exact_chunks_mut` returns.
pub type ExactChunksMut<'a, T, R, E = ()> = SubviewsMut<'a, T, R, R, E>;
/// All boxes of one shape: what `windows` returns.
pub type Windows<'a, T, R, E = ()> = Subviews<'a, T, R, R, E>;
/// All slices of one extent along an axis: what `axis_windows` returns.
pub type AxisWindows<'a, T, R, E = ()> = Subviews<'a, T, Rank<1>, R, E>;

/// Where parts lie that are alike: all of them in the memory.
#[derive(Clone)]
struct Parts<'a, T, O: Dimension, I: Dimension> {
    memory: Memory<'a, T>,
    /// Where each begins.
    walk: Walk<O>,
    /// What each is like.
    part: Layout<I>,
}

/// The two layouts that a layout splits in: of where each part begins, and of each part.
pub(crate) type Split<O, I> = (Layout<O>, Layout<I>);

impl<'a, T, O: Dimension, I: Dimension> Parts<'a, T, O, I> {
    #[inline]
    fn new(memory: Memory<'a, T>, (starts, part): Split<O, I>) -> Self {
        // Parts without elements lie nowhere, wherever they begin.
        let starts = if part.is_empty() { starts.standing_still() } else { starts };
        assert!(memory.holds(&starts, &part), "a layout reaches outside its memory");
        Parts { memory, walk: Walk::new(starts), part }
    }
}

impl<'a, T: Item, O: Dimension, I: Dimension, E> Subviews<'a, T, O, I, E> {
    /// The split is one of the layout of a view of this memory.
    #[inline]
    pub(crate) fn new(memory: Memory<'a, T>, split: Split<O, I>) -> Self {
        Subviews { parts: Parts::new(memory, split), engine: PhantomData }
    }
}

impl<'a, T: Item, O: Dimension, I: Dimension, E> SubviewsMut<'a, T, O, I, E> {
    /// # Safety
    /// The split is one of the layout of the view, into parts that have no element in common and
    /// reach none twice.
    #[inline]
    unsafe fn new<R: Dimension>(view: ViewMut<'a, T, R, E>, split: Split<O, I>) -> Self {
        SubviewsMut {
            parts: Parts::new(view.memory(), split),
            engine: PhantomData,
            exclusive: PhantomData,
        }
    }

    /// # Safety
    /// It is one of the parts, and has not been given out.
    #[inline]
    unsafe fn give(memory: Memory<'a, T>, part: Layout<I>) -> ViewMut<'a, T, I, E> {
        // SAFETY: all parts are in the memory: `Parts`. `new` demands that they have no element in
        // common and reach none twice (I3), and the view that they are parts of is given up (I2).
        unsafe { ViewMut::within(memory, part) }
    }
}

impl<R: Dimension> Layout<R> {
    /// Slices at index 0, 1, .. of the first axis; of a single element, that alone.
    #[inline]
    pub(crate) fn outer(&self) -> Split<Rank<1>, R::Smaller> {
        self.along(0).unwrap_or_else(|_| {
            let part =
                Layout::of(R::Smaller::zero_shape(0), R::Smaller::zero_strides(0), self.offset());
            (Layout::of([1], [0], self.offset()), part)
        })
    }

    /// Lanes along an axis.
    #[inline]
    pub(crate) fn lanes_along(
        &self,
        axis: usize,
    ) -> Result<Split<R::Smaller, Rank<1>>, LayoutError> {
        let (lane, starts) = self.along(axis)?;
        Ok((starts, lane))
    }

    /// Lanes along the last axis or the first one; of a single element, that alone.
    #[inline]
    pub(crate) fn lanes_at(&self, last: bool) -> Split<R::Smaller, Rank<1>> {
        let axis = if last { self.ndim().saturating_sub(1) } else { 0 };
        self.lanes_along(axis).unwrap_or_else(|_| {
            let starts =
                Layout::of(R::Smaller::zero_shape(0), R::Smaller::zero_strides(0), self.offset());
            (starts, Layout::of([1], [1], self.offset()))
        })
    }

    /// Boxes of these extents, one every so many steps, as far as they fit.
    ///
    /// # Errors
    /// [`RankMismatch`](crate::LayoutErrorKind::RankMismatch);
    /// [`EmptyPart`](crate::LayoutErrorKind::EmptyPart).
    #[inline]
    pub(crate) fn boxes(
        &self,
        extents: &[usize],
        steps: &[usize],
    ) -> Result<Split<R, R>, LayoutError> {
        let ndim = self.ndim();
        if extents.len() != ndim || steps.len() != ndim {
            let found = if extents.len() == ndim { steps.len() } else { extents.len() };
            return Err(rank_mismatch(ndim, found));
        }
        let (mut counts, mut jumps) = (R::zero_shape(ndim), R::zero_strides(ndim));
        let mut shape = R::zero_shape(ndim);
        let mut axis = 0;
        while axis < ndim {
            let (extent, step) = (extents[axis], steps[axis]);
            if extent == 0 || step == 0 {
                return Err(empty_part(extents, steps));
            }
            let (count, jump) = self.fitting(axis, extent, step);
            (counts.as_mut()[axis], jumps.as_mut()[axis]) = (count, jump);
            // There are none if they are too large; then the extent is not used either.
            shape.as_mut()[axis] = extent.min(self.shape()[axis]);
            axis += 1;
        }
        let part = Layout::of(shape, self.raw_strides(), self.offset());
        Ok((Layout::of(counts, jumps, self.offset()), part))
    }

    /// Slices of this extent along an axis, one every so many steps, as far as they fit.
    ///
    /// # Errors
    /// [`AxisOutOfRange`](crate::LayoutErrorKind::AxisOutOfRange);
    /// [`EmptyPart`](crate::LayoutErrorKind::EmptyPart).
    #[inline]
    pub(crate) fn slabs(
        &self,
        axis: usize,
        extent: usize,
        step: usize,
    ) -> Result<Split<Rank<1>, R>, LayoutError> {
        if axis >= self.ndim() {
            return Err(self.no_axis(axis));
        }
        if extent == 0 || step == 0 {
            return Err(empty_part(&[extent], &[step]));
        }
        let (count, jump) = self.fitting(axis, extent, step);
        let extent = extent.min(self.shape()[axis]);
        Ok((Layout::of([count], [jump], self.offset()), self.with_extent(axis, extent)))
    }

    /// The slices of this extent along an axis, each one step further than the one before, as one
    /// array: that axis counts them, and a new one, the last, goes along each.
    ///
    /// # Errors
    /// [`AxisOutOfRange`](crate::LayoutErrorKind::AxisOutOfRange);
    /// [`RankTooHigh`](crate::LayoutErrorKind::RankTooHigh);
    /// [`EmptyPart`](crate::LayoutErrorKind::EmptyPart);
    /// [`SliceOutOfRange`](crate::LayoutErrorKind::SliceOutOfRange) if the axis is shorter;
    /// [`SizeOverflow`](crate::LayoutErrorKind::SizeOverflow).
    pub(crate) fn sliding(
        &self,
        axis: usize,
        extent: usize,
    ) -> Result<Layout<R::Larger>, LayoutError> {
        let Some(&all) = self.shape().get(axis) else { return Err(self.no_axis(axis)) };
        if extent == 0 {
            return Err(empty_part(&[extent], &[1]));
        }
        let Some(room) = all.checked_sub(extent) else {
            let (end, shape) = (extent.try_into().unwrap_or(isize::MAX), List::of(&self.shape()));
            return Err(Kind::SliceOutOfRange { start: 0, end, axis, shape }.into());
        };
        let (larger, last) = (self.insert(self.ndim())?, self.ndim());
        let (mut shape, mut strides) = (larger.raw_shape(), larger.raw_strides());
        (shape.as_mut()[axis], shape.as_mut()[last]) = (room + 1, extent);
        strides.as_mut()[last] = self.strides()[axis];
        // Elements count as often as they are met, and may be too many.
        size_of_shape(shape.as_ref())?;
        Ok(Layout::of(shape, strides, self.offset()))
    }

    /// How many parts of this extent fit along an axis, and how far they lie apart.
    #[inline]
    fn fitting(&self, axis: usize, extent: usize, step: usize) -> (usize, isize) {
        let Some(room) = self.shape()[axis].checked_sub(extent) else { return (0, 0) };
        // A division takes longer than all the rest.
        let count = if step == 1 { room + 1 } else { room / step + 1 };
        let stride = self.strides()[axis];
        (count, if count > 1 { stride.wrapping_mul(step as isize) } else { 0 })
    }
}

#[cold]
#[inline(never)]
fn empty_part(extents: &[usize], steps: &[usize]) -> LayoutError {
    Kind::EmptyPart { extents: List::of(&extents), steps: List::of(&steps) }.into()
}

/// [`Layout::along`] for writing.
#[inline]
pub(crate) fn along_mut<T: Item, R: Dimension, E>(
    view: ViewMut<'_, T, R, E>,
    axis: usize,
) -> Result<AxisIterMut<'_, T, R, E>, LayoutError> {
    let split = view.layout().along(axis)?;
    // SAFETY: parts of different index along an axis: no element has two indices (I3).
    Ok(unsafe { SubviewsMut::new(view, split) })
}

/// [`Layout::outer`] for writing.
#[inline]
pub(crate) fn outer_mut<T: Item, R: Dimension, E>(
    view: ViewMut<'_, T, R, E>,
) -> AxisIterMut<'_, T, R, E> {
    let split = view.layout().outer();
    // SAFETY: as in `along_mut`, or one part.
    unsafe { SubviewsMut::new(view, split) }
}

/// [`Layout::lanes_along`] for writing.
#[inline]
pub(crate) fn lanes_along_mut<T: Item, R: Dimension, E>(
    view: ViewMut<'_, T, R, E>,
    axis: usize,
) -> Result<LanesMut<'_, T, R, E>, LayoutError> {
    let split = view.layout().lanes_along(axis)?;
    // SAFETY: lanes of different indices along the other axes: no element has two indices (I3).
    Ok(unsafe { SubviewsMut::new(view, split) })
}

/// [`Layout::lanes_at`] for writing.
#[inline]
pub(crate) fn lanes_at_mut<T: Item, R: Dimension, E>(
    view: ViewMut<'_, T, R, E>,
    last: bool,
) -> LanesMut<'_, T, R, E> {
    let split = view.layout().lanes_at(last);
    // SAFETY: as in `lanes_along_mut`, or one part.
    unsafe { SubviewsMut::new(view, split) }
}

/// [`Layout::boxes`] side by side for writing.
#[inline]
pub(crate) fn boxes_mut<'a, T: Item, R: Dimension, E>(
    view: ViewMut<'a, T, R, E>,
    extents: &[usize],
) -> Result<ExactChunksMut<'a, T, R, E>, LayoutError> {
    let split = view.layout().boxes(extents, extents)?;
    // SAFETY: boxes as far apart as they are long have no index in common: see `along_mut`.
    Ok(unsafe { SubviewsMut::new(view, split) })
}

/// Slices of an axis, `size` indices at a time: what `axis_chunks` returns. The last one is shorter
/// if the extent is not a multiple of `size`.
#[derive(Clone)]
pub struct AxisChunks<'a, T: Item, R: Dimension, E = ()> {
    whole: Subviews<'a, T, Rank<1>, R, E>,
    rest: Option<View<'a, T, R, E>>,
}

/// As [`AxisChunks`], for writing: what `axis_chunks_mut` returns.
pub struct AxisChunksMut<'a, T: Item, R: Dimension, E = ()> {
    whole: SubviewsMut<'a, T, Rank<1>, R, E>,
    rest: Option<ViewMut<'a, T, R, E>>,
}

impl<'a, T: Item, R: Dimension, E> AxisChunks<'a, T, R, E> {
    #[inline]
    pub(crate) fn new(
        view: View<'a, T, R, E>,
        axis: usize,
        size: usize,
    ) -> Result<Self, LayoutError> {
        let whole = Subviews::new(view.memory(), view.layout().slabs(axis, size, size)?);
        let (_, rest) = view.layout().split(axis, whole.len() * size)?;
        Ok(AxisChunks { whole, rest: (rest.shape()[axis] > 0).then(|| view.derive(rest)) })
    }
}

impl<'a, T: Item, R: Dimension, E> AxisChunksMut<'a, T, R, E> {
    #[inline]
    pub(crate) fn new(
        view: ViewMut<'a, T, R, E>,
        axis: usize,
        size: usize,
    ) -> Result<Self, LayoutError> {
        let split = view.layout().slabs(axis, size, size)?;
        let (whole, rest) = view.split_at(axis, split.0.size() * size)?;
        let rest = (rest.layout().shape()[axis] > 0).then_some(rest);
        // SAFETY: slices as far apart as they are long have no index in common: see `along_mut`.
        Ok(AxisChunksMut { whole: unsafe { SubviewsMut::new(whole, split) }, rest })
    }
}

macro_rules! axis_chunks {
    ($name:ident, $view:ident) => {
        impl<T: Item, R: Dimension, E> $name<'_, T, R, E> {
            /// The first `count` chunks that are left, and the others; all and none, if there are
            /// no more.
            pub fn split_at(self, count: usize) -> (Self, Self) {
                let all = count > self.whole.len();
                let (first, rest) = self.whole.split_at(count);
                let (with, without) = (self.rest, None);
                let (low, high) = if all { (with, without) } else { (without, with) };
                (Self { whole: first, rest: low }, Self { whole: rest, rest: high })
            }
        }

        impl<'a, T: Item, R: Dimension, E> Iterator for $name<'a, T, R, E> {
            type Item = $view<'a, T, R, E>;

            #[inline]
            fn next(&mut self) -> Option<Self::Item> {
                self.whole.next().or_else(|| self.rest.take())
            }

            #[inline]
            fn size_hint(&self) -> (usize, Option<usize>) {
                let left = self.whole.len() + usize::from(self.rest.is_some());
                (left, Some(left))
            }

            #[inline]
            fn nth(&mut self, n: usize) -> Option<Self::Item> {
                if n > self.whole.len() {
                    self.rest = None;
                }
                self.whole.nth(n).or_else(|| self.rest.take())
            }
        }

        impl<T: Item, R: Dimension, E> DoubleEndedIterator for $name<'_, T, R, E> {
            #[inline]
            fn next_back(&mut self) -> Option<Self::Item> {
                self.rest.take().or_else(|| self.whole.next_back())
            }
        }

        impl<T: Item, R: Dimension, E> ExactSizeIterator for $name<'_, T, R, E> {}
        impl<T: Item, R: Dimension, E> FusedIterator for $name<'_, T, R, E> {}

        impl<T: Item + fmt::Debug, R: Dimension, E> fmt::Debug for $name<'_, T, R, E> {
            /// What is left: the parts that were given out are not looked at.
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(stringify!($name), " "))?;
                f.debug_list().entries(self.whole.left()).entries(&self.rest).finish()
            }
        }
    };
}

axis_chunks!(AxisChunks, View);
axis_chunks!(AxisChunksMut, ViewMut);

macro_rules! subviews {
    ($name:ident, $view:ident, $give:expr) => {
        impl<'a, T: Item, O: Dimension, I: Dimension, E> $name<'a, T, O, I, E> {
            /// The first `count` parts that are left, and the others; all and none, if there are no
            /// more. So the parts can be shared out.
            ///
            /// ```
            /// let a = ndcore::array![[1, 2], [3, 4], [5, 6]];
            /// let (first, rest) = a.rows().split_at(1);
            /// assert_eq!((first.len(), rest.len()), (1, 2));
            /// ```
            #[inline]
            pub fn split_at(self, count: usize) -> (Self, Self) {
                // No part is in both.
                let (mut first, mut rest) = (Self { parts: self.parts.clone(), ..self }, self);
                rest.parts.walk.skip(count);
                first.parts.walk.skip_back(rest.len());
                (first, rest)
            }

            /// Appends what a function makes of each part, to a list that has room for it.
            #[inline(always)]
            pub(crate) fn map_to<U>(
                self,
                data: &mut Vec<U>,
                mut f: impl FnMut($view<'a, T, I, E>) -> U,
            ) {
                let Parts { memory, mut walk, part } = self.parts;
                let stride = walk.stride() as usize;
                while let Some((_, first, run)) = walk.next_row() {
                    append_each(data, run, |number| {
                        let place = first.wrapping_add(stride.wrapping_mul(number));
                        // SAFETY: the walk meets the beginning of each part once.
                        f(unsafe { $give(memory, part.at(place)) })
                    });
                }
            }

            /// What is left, for reading.
            fn left(&self) -> Subviews<'_, T, O, I> {
                Subviews { parts: self.parts.clone(), engine: PhantomData }
            }
        }

        impl<'a, T: Item, O: Dimension, I: Dimension, E> Iterator for $name<'a, T, O, I, E> {
            type Item = $view<'a, T, I, E>;

            #[inline]
            fn next(&mut self) -> Option<Self::Item> {
                let (_, place) = self.parts.walk.next()?;
                // SAFETY: the walk meets the beginning of each part once.
                Some(unsafe { $give(self.parts.memory, self.parts.part.at(place)) })
            }

            #[inline]
            fn size_hint(&self) -> (usize, Option<usize>) {
                (self.parts.walk.len(), Some(self.parts.walk.len()))
            }

            #[inline]
            fn nth(&mut self, n: usize) -> Option<Self::Item> {
                self.parts.walk.skip(n);
                self.next()
            }

            // One loop for each row of parts: from one to the next is an addition.
            #[inline]
            fn fold<B, F: FnMut(B, Self::Item) -> B>(self, first: B, mut f: F) -> B {
                let Parts { memory, mut walk, part } = self.parts;
                let (stride, mut all) = (walk.stride(), first);
                while let Some((_, mut place, run)) = walk.next_row() {
                    for _ in 0..run {
                        // SAFETY: the walk meets the beginning of each part once.
                        all = f(all, unsafe { $give(memory, part.at(place)) });
                        place = place.wrapping_add(stride as usize);
                    }
                }
                all
            }
        }

        impl<T: Item, O: Dimension, I: Dimension, E> DoubleEndedIterator for $name<'_, T, O, I, E> {
            #[inline]
            fn next_back(&mut self) -> Option<Self::Item> {
                let (_, place) = self.parts.walk.next_back()?;
                // SAFETY: the walk meets the beginning of each part once.
                Some(unsafe { $give(self.parts.memory, self.parts.part.at(place)) })
            }

            #[inline]
            fn nth_back(&mut self, n: usize) -> Option<Self::Item> {
                self.parts.walk.skip_back(n);
                self.next_back()
            }
        }

        impl<T: Item, O: Dimension, I: Dimension, E> ExactSizeIterator for $name<'_, T, O, I, E> {}
        impl<T: Item, O: Dimension, I: Dimension, E> FusedIterator for $name<'_, T, O, I, E> {}

        impl<T: Item + fmt::Debug, O: Dimension, I: Dimension, E> fmt::Debug
            for $name<'_, T, O, I, E>
        {
            /// What is left: the parts that were given out are not looked at.
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(concat!(stringify!($name), " "))?;
                f.debug_list().entries(self.left()).finish()
            }
        }
    };
}

subviews!(Subviews, View, View::within);
subviews!(SubviewsMut, ViewMut, Self::give);
