//! [`s!`](crate::s): slicing by ranges, steps, single indices and new axes.

use crate::axes::MAX_NDIM;
use crate::dimension::{Dimension, Dyn, Rank};
use crate::error::LayoutError;
use crate::layout::{Layout, every, rank_mismatch, rank_too_high, zero_step};
use std::marker::PhantomData;
use std::ops::{Range, RangeFrom, RangeFull, RangeInclusive, RangeTo, RangeToInclusive};

/// A new axis of extent 1, in [`s!`](crate::s).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NewAxis;

/// What a slice does with one axis. Negative numbers count from the end of the axis.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SliceElem {
    /// Chooses one index and drops the axis.
    Index(isize),
    /// Keeps every `step`-th element of `start..end`; a negative step walks that range backwards,
    /// from its last element.
    Range {
        /// The first index of the range.
        start: isize,
        /// One beyond its last index; `None` is the end of the axis.
        end: Option<isize>,
        /// The step, not zero.
        step: isize,
    },
    /// Inserts an axis of extent 1.
    #[default]
    NewAxis,
}

/// One argument of [`s!`](crate::s): an index, a range, a range with a step, or [`NewAxis`].
pub trait SliceArg {
    /// The rank of the source, once this argument is added to one of rank `I`.
    type In<I: Dimension>: Dimension;
    /// The rank of the result, once this argument is added to one of rank `O`.
    type Out<O: Dimension>: Dimension;
    /// The argument as a value.
    fn elem(self) -> SliceElem;
}

impl SliceArg for NewAxis {
    type In<I: Dimension> = I;
    type Out<O: Dimension> = O::Larger;

    #[inline]
    fn elem(self) -> SliceElem {
        SliceElem::NewAxis
    }
}

impl SliceArg for RangeFull {
    type In<I: Dimension> = I::Larger;
    type Out<O: Dimension> = O::Larger;

    #[inline]
    fn elem(self) -> SliceElem {
        SliceElem::Range { start: 0, end: None, step: 1 }
    }
}

/// An argument of [`s!`](crate::s) as a value, for slices that are known at run time only.
///
/// ```
/// use ndcore::{Array2, SliceElem, Slices};
/// let a = Array2::from_shape_vec([2, 3], vec![1, 2, 3, 4, 5, 6])?.into_dyn();
/// let mut all: Vec<SliceElem> = vec![(..).into(); a.ndim()];
/// all[1] = (1..-1).into();
/// assert_eq!(a.slice(Slices::from_slice(&all))?.shape(), [2, 1]);
/// all[0] = 1.into();
/// assert_eq!(a.slice(Slices::from_slice(&all))?.shape(), [1]);
/// # Ok::<(), ndcore::LayoutError>(())
/// ```
impl<A: SliceArg> From<A> for SliceElem {
    #[inline]
    fn from(argument: A) -> Self {
        argument.elem()
    }
}

/// A range of the indices of one axis, as in [`s!`](crate::s): open at either end, or with bounds
/// that count from the end of the axis (`1..-1`). What `slice_axis` takes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no range of the indices of an axis",
    note = "give a range of `i32`, `isize` or `usize`: `1..3`, `1..`, `..-1`, `..`; of a single \
            index, `index_axis`"
)]
pub trait SliceRange: SliceArg {}

impl SliceRange for RangeFull {}

/// A range with a step: `range;step` in [`s!`](crate::s).
#[derive(Clone, Copy, Debug)]
pub struct Stepped<A>(
    /// The range.
    pub A,
    /// The step.
    pub isize,
);

impl<A: SliceArg> SliceArg for Stepped<A> {
    type In<I: Dimension> = A::In<I>;
    type Out<O: Dimension> = A::Out<O>;

    #[inline]
    fn elem(self) -> SliceElem {
        match self.0.elem() {
            SliceElem::Range { start, end, .. } => SliceElem::Range { start, end, step: self.1 },
            other => other,
        }
    }
}

/// An integer in [`s!`](crate::s): `i32`, `isize` or `usize`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no argument of `s!`",
    note = "an axis takes an index or a range of `i32`, `isize` or `usize`, or `NewAxis`"
)]
pub trait SliceInt: Copy {
    /// As `isize`. What does not fit is beyond every axis, and is refused as such.
    fn to_isize(self) -> isize;
}

macro_rules! slice_ints {
    ($($int:ty)*) => {$(
        impl SliceInt for $int {
            #[inline]
            fn to_isize(self) -> isize {
                self.try_into().unwrap_or(isize::MAX)
            }
        }
    )*};
}

slice_ints! { i32 isize usize }

// For all integers at once, so that the ranks are known where the integer is not yet.
impl<I: SliceInt> SliceArg for I {
    type In<R: Dimension> = R::Larger;
    type Out<R: Dimension> = R;

    #[inline]
    fn elem(self) -> SliceElem {
        SliceElem::Index(self.to_isize())
    }
}

macro_rules! slice_ranges {
    ($($range:ident, $name:ident => $start:expr, $end:expr;)*) => {$(
        impl<I: SliceInt> SliceArg for $range<I> {
            type In<R: Dimension> = R::Larger;
            type Out<R: Dimension> = R::Larger;

            #[inline]
            fn elem(self) -> SliceElem {
                let $name = self;
                SliceElem::Range { start: $start, end: $end, step: 1 }
            }
        }

        impl<I: SliceInt> SliceRange for $range<I> {}
    )*};
}

slice_ranges! {
    Range, range => range.start.to_isize(), Some(range.end.to_isize());
    RangeFrom, range => range.start.to_isize(), None;
    RangeTo, range => 0, Some(range.end.to_isize());
    RangeInclusive, range => range.start().to_isize(), after(range.end().to_isize());
    RangeToInclusive, range => 0, after(range.end.to_isize());
}

/// One beyond an inclusive end; `-1` is the last element, so one beyond it is the end of the axis.
#[inline]
fn after(end: isize) -> Option<isize> {
    if end == -1 { None } else { Some(end.saturating_add(1)) }
}

/// All arguments of [`s!`](crate::s): a tuple of up to [`MAX_NDIM`] [`SliceArg`]s.
pub trait SliceArgs {
    /// The rank of the source.
    type In: Dimension;
    /// The rank of the result.
    type Out: Dimension;
    /// An array of [`SliceElem`]s, one per argument.
    type Elems: AsRef<[SliceElem]>;
    /// The arguments as values.
    fn elems(self) -> Self::Elems;
}

macro_rules! slice_tuples {
    ($($n:literal: $($arg:ident)*;)*) => {$(
        impl<$($arg: SliceArg),*> SliceArgs for ($($arg,)*) {
            type In = slice_tuples!(@rank In $($arg)*);
            type Out = slice_tuples!(@rank Out $($arg)*);
            type Elems = [SliceElem; $n];

            #[inline]
            #[allow(non_snake_case)]
            fn elems(self) -> [SliceElem; $n] {
                let ($($arg,)*) = self;
                [$($arg.elem()),*]
            }
        }
    )*};
    (@rank $which:ident) => { Rank<0> };
    (@rank $which:ident $arg:ident $($rest:ident)*) => {
        <$arg as SliceArg>::$which<slice_tuples!(@rank $which $($rest)*)>
    };
}

slice_tuples! {
    0: ;
    1: A;
    2: A B;
    3: A B C;
    4: A B C D;
    5: A B C D F;
    6: A B C D F G;
    7: A B C D F G H;
    8: A B C D F G H J;
    9: A B C D F G H J K;
    10: A B C D F G H J K L;
    11: A B C D F G H J K L M;
    12: A B C D F G H J K L M N;
    13: A B C D F G H J K L M N P;
    14: A B C D F G H J K L M N P Q;
    15: A B C D F G H J K L M N P Q S;
    16: A B C D F G H J K L M N P Q S T;
}

/// The arguments of a slice, one per axis: what [`s!`](crate::s) makes. `I` is the rank it takes,
/// `O` the rank it gives, `L` the list of arguments.
#[derive(Clone, Copy, Debug)]
pub struct Slices<I: Dimension, O: Dimension, L> {
    elems: L,
    ranks: PhantomData<fn() -> (I, O)>,
}

impl<I: Dimension, O: Dimension, L: AsRef<[SliceElem]>> Slices<I, O, L> {
    /// The arguments in a tuple.
    ///
    /// ```
    /// use ndcore::{array, s, Slices};
    /// let a = array![[1, 2], [3, 4]];
    /// assert_eq!(a.slice(Slices::new((.., 0)))?, a.slice(s![.., 0])?);
    /// # Ok::<(), ndcore::LayoutError>(())
    /// ```
    #[inline]
    pub fn new<A: SliceArgs<In = I, Out = O, Elems = L>>(args: A) -> Self {
        Slices { elems: args.elems(), ranks: PhantomData }
    }

    /// The arguments.
    #[inline]
    pub(crate) fn elems(&self) -> &[SliceElem] {
        self.elems.as_ref()
    }
}

impl<'a> Slices<Dyn, Dyn, &'a [SliceElem]> {
    /// Arguments known only at run time.
    ///
    /// ```
    /// use ndcore::{array, SliceElem, Slices};
    /// let a = array![[1, 2], [3, 4]].into_dyn();
    /// let last_row = [SliceElem::Index(-1), SliceElem::Range { start: 0, end: None, step: 1 }];
    /// assert_eq!(a.slice(Slices::from_slice(&last_row))?.to_vec(), [3, 4]);
    /// # Ok::<(), ndcore::LayoutError>(())
    /// ```
    #[inline]
    pub fn from_slice(elems: &'a [SliceElem]) -> Self {
        Slices { elems, ranks: PhantomData }
    }
}

/// Rank `Self`, of an index or a slice, fits arrays of rank `R`: it is the same rank, or `R` is
/// [`Dyn`] and it is checked at run time.
#[diagnostic::on_unimplemented(
    message = "an index or a slice for {Self} does not fit an array of {R}",
    note = "give one index or range for each axis of the array"
)]
pub trait FitsRank<R: Dimension>: Dimension {}

impl<R: Dimension> FitsRank<R> for R {}
impl<const N: usize> FitsRank<Dyn> for Rank<N> where Rank<N>: Dimension {}

impl<R: Dimension> Layout<R> {
    /// The elements that a slice selects.
    ///
    /// # Errors
    /// [`RankMismatch`](crate::LayoutErrorKind::RankMismatch) if there is not one index or range
    /// per axis; [`RankTooHigh`](crate::LayoutErrorKind::RankTooHigh);
    /// [`IndexOutOfRange`](crate::LayoutErrorKind::IndexOutOfRange);
    /// [`SliceOutOfRange`](crate::LayoutErrorKind::SliceOutOfRange);
    /// [`ZeroStep`](crate::LayoutErrorKind::ZeroStep).
    #[inline]
    pub fn slice<I, O, L>(&self, slices: &Slices<I, O, L>) -> Result<Layout<O>, LayoutError>
    where
        I: Dimension,
        O: Dimension,
        L: AsRef<[SliceElem]>,
    {
        let elems = slices.elems();
        let (mut consumed, mut kept, mut number) = (0, 0, 0);
        while number < elems.len() {
            consumed += usize::from(!matches!(elems[number], SliceElem::NewAxis));
            kept += usize::from(!matches!(elems[number], SliceElem::Index(_)));
            number += 1;
        }
        if consumed != self.ndim() {
            return Err(rank_mismatch(self.ndim(), consumed));
        }
        if O::NDIM.is_some_and(|ndim| ndim != kept) {
            return Err(rank_mismatch(O::NDIM.unwrap_or(kept), kept));
        }
        if kept > MAX_NDIM {
            return Err(rank_too_high(kept));
        }
        let (mut shape, mut strides) = (O::zero_shape(kept), O::zero_strides(kept));
        let (to_shape, to_strides) = (shape.as_mut(), strides.as_mut());
        let (mut offset, mut axis, mut to, mut number) = (self.offset(), 0, 0, 0);
        while number < elems.len() {
            match elems[number] {
                SliceElem::NewAxis => {
                    to_shape[to] = 1;
                    to += 1;
                }
                SliceElem::Index(index) => {
                    let steps =
                        self.position(axis, index)?.wrapping_mul(self.strides()[axis] as usize);
                    offset = offset.wrapping_add(steps);
                    axis += 1;
                }
                SliceElem::Range { start, end, step } => {
                    let range = self.positions(axis, start, end, step)?;
                    let stride = self.strides()[axis];
                    let (kept, first, step) = every(range, step, stride);
                    (to_shape[to], to_strides[to]) = (kept, step);
                    offset = offset.wrapping_add(first.wrapping_mul(stride as usize));
                    (axis, to) = (axis + 1, to + 1);
                }
            }
            number += 1;
        }
        Ok(Layout::of(shape, strides, offset))
    }

    /// As [`slice_axis`](Self::slice_axis), of any range.
    #[inline]
    pub(crate) fn slice_range(
        &self,
        axis: usize,
        range: impl SliceRange,
        step: isize,
    ) -> Result<Self, LayoutError> {
        self.check_axis(axis)?;
        let (start, end) = match range.elem() {
            SliceElem::Range { start, end, .. } => (start, end),
            SliceElem::Index(index) => (index, after(index)),
            SliceElem::NewAxis => (0, None),
        };
        self.slice_axis(axis, self.positions(axis, start, end, step)?, step)
    }

    /// As [`slice`](Self::slice), of one argument for each axis, all of which stay.
    ///
    /// # Errors
    /// As for that; [`RankMismatch`](Kind::RankMismatch) of new axes.
    pub(crate) fn collapse(&self, elems: &[SliceElem]) -> Result<Self, LayoutError> {
        let consumed = elems.iter().filter(|elem| !matches!(elem, SliceElem::NewAxis)).count();
        for found in [consumed, elems.len()] {
            if found != self.ndim() {
                return Err(rank_mismatch(self.ndim(), found));
            }
        }
        let mut layout = *self;
        for (axis, elem) in elems.iter().enumerate() {
            let (positions, step) = match *elem {
                SliceElem::Range { start, end, step } => {
                    (self.positions(axis, start, end, step)?, step)
                }
                SliceElem::Index(index) => {
                    let position = self.position(axis, index)?;
                    (position..position + 1, 1)
                }
                SliceElem::NewAxis => continue,
            };
            layout = layout.slice_axis(axis, positions, step)?;
        }
        Ok(layout)
    }

    /// The position of an index along an axis, which exists.
    #[inline]
    pub(crate) fn position(&self, axis: usize, index: isize) -> Result<usize, LayoutError> {
        let position = from_end(index, self.shape()[axis]);
        if position < self.shape()[axis] { Ok(position) } else { Err(self.no_index(axis, index)) }
    }

    /// The positions of a range along an axis, which exists; the step is only checked.
    #[inline]
    pub(crate) fn positions(
        &self,
        axis: usize,
        start: isize,
        end: Option<isize>,
        step: isize,
    ) -> Result<Range<usize>, LayoutError> {
        let extent = self.shape()[axis];
        let range = from_end(start, extent)..end.map_or(extent, |end| from_end(end, extent));
        if range.start > range.end || range.end > extent {
            return Err(self.no_range(axis, start, end.unwrap_or(extent as isize)));
        }
        if step == 0 { Err(zero_step()) } else { Ok(range) }
    }
}

/// A position, counted from the end if it is negative; above every extent if that lies before the
/// axis. Extents are at most `isize::MAX`.
#[inline]
fn from_end(index: isize, extent: usize) -> usize {
    if index < 0 { extent.wrapping_add(index as usize) } else { index as usize }
}

/// Slice arguments, one per axis: `s![1..3, ..;2, -1, NewAxis]`.
///
/// * `a..b`, `a..`, `..b`, `..=b`, `..`: a range of the axis. Negative bounds count from the end.
/// * `range;step`: every `step`-th element (an `i32`, `isize` or `usize`) of the range, which is
///   chosen first. A negative step
///   then walks it backwards from its **last** element, as in `ndarray` (and unlike Python):
///   `s![0..5;-2]` selects indices 4, 2, 0, and `s![..;-1]` reverses.
/// * `i`: one index; the axis goes. Negative indices count from the end.
/// * [`NewAxis`]: a new axis of extent 1.
///
/// Bounds outside the axis are an error that names them; nothing is clamped.
///
/// ```
/// use ndcore::{array, s, NewAxis};
/// let a = array![[0, 1, 2, 3], [4, 5, 6, 7]];
/// assert_eq!(a.slice(s![.., 1..3])?, array![[1, 2], [5, 6]]);
/// assert_eq!(a.slice(s![-1, ..;-2])?, array![7, 5]);
/// let (from, every) = (1_usize, 2_usize);
/// assert_eq!(a.slice(s![0, from..;every])?, array![1, 3]);
/// assert_eq!(a.slice(s![0, NewAxis, 2..])?, array![[2, 3]]);
/// assert!(a.slice(s![.., 3..5]).is_err());
/// # Ok::<(), ndcore::LayoutError>(())
/// ```
#[macro_export]
macro_rules! s {
    ($($args:tt)*) => {{
        // `1..-1` is a range that ends one before the end, not an empty one.
        #[allow(clippy::reversed_empty_ranges)]
        let slices = $crate::Slices::new($crate::__slices!(() $($args)*));
        slices
    }};
}

#[doc(hidden)]
#[macro_export]
macro_rules! __slices {
    (($($args:tt)*)) => { ($($args)*) };
    (($($args:tt)*) $range:expr; $step:expr) => {
        ($($args)* $crate::Stepped($range, $crate::SliceInt::to_isize($step)),)
    };
    (($($args:tt)*) $range:expr; $step:expr, $($rest:tt)*) => {
        $crate::__slices!(($($args)* $crate::Stepped($range, $crate::SliceInt::to_isize($step)),) $($rest)*)
    };
    (($($args:tt)*) $arg:expr) => { ($($args)* $arg,) };
    (($($args:tt)*) $arg:expr, $($rest:tt)*) => { $crate::__slices!(($($args)* $arg,) $($rest)*) };
}

#[cfg(test)]
mod tests {
    use super::{SliceElem, Slices};
    use crate::{ArrayD, LayoutErrorKind, MAX_NDIM};

    /// What counts is the rank of the result, not how many arguments there are.
    #[test]
    fn axes_go_and_come_up_to_the_limit() {
        let array = ArrayD::<u8>::zeros(vec![1; MAX_NDIM]);
        let of = |indices: usize, new: usize| {
            let all = SliceElem::Range { start: 0, end: None, step: 1 };
            let mut elems = vec![SliceElem::NewAxis; new];
            elems.extend(vec![SliceElem::Index(0); indices]);
            elems.extend(vec![all; MAX_NDIM - indices]);
            array.slice(Slices::from_slice(&elems)).map(|view| view.ndim())
        };
        for (indices, new) in [(0, 0), (1, 1), (3, 2), (MAX_NDIM, MAX_NDIM), (MAX_NDIM, 0)] {
            assert_eq!(of(indices, new), Ok(MAX_NDIM - indices + new));
        }
        for (indices, new) in [(0, 1), (2, 3), (MAX_NDIM, MAX_NDIM + 1), (1, 1000)] {
            let ndim = MAX_NDIM - indices + new;
            let refused = of(indices, new).unwrap_err();
            assert!(
                matches!(refused.kind(), LayoutErrorKind::RankTooHigh { ndim: n } if *n == ndim)
            );
        }
    }
}
