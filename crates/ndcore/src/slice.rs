//! [`s!`](crate::s): slicing by ranges, steps, single indices and new axes.

use crate::axes::{Axes, MAX_NDIM};
use crate::dimension::{Dimension, Dyn, Rank};
use crate::error::{LayoutError, LayoutErrorKind as Kind};
use crate::layout::Layout;
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
    /// Keeps every `step`-th element of `start..end`; a negative step walks that range backwards, from its last element.
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

    fn elem(self) -> SliceElem {
        SliceElem::NewAxis
    }
}

impl SliceArg for RangeFull {
    type In<I: Dimension> = I::Larger;
    type Out<O: Dimension> = O::Larger;

    fn elem(self) -> SliceElem {
        SliceElem::Range { start: 0, end: None, step: 1 }
    }
}

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

    fn elem(self) -> SliceElem {
        match self.0.elem() {
            SliceElem::Range { start, end, .. } => SliceElem::Range { start, end, step: self.1 },
            other => other,
        }
    }
}

macro_rules! slice_args {
    ($($int:ty)*) => {$(
        impl SliceArg for $int {
            type In<I: Dimension> = I::Larger;
            type Out<O: Dimension> = O;

            fn elem(self) -> SliceElem {
                SliceElem::Index(to_isize(self))
            }
        }
        slice_args! { $int:
            Range<$int>, range => to_isize(range.start), Some(to_isize(range.end));
            RangeFrom<$int>, range => to_isize(range.start), None;
            RangeTo<$int>, range => 0, Some(to_isize(range.end));
            RangeInclusive<$int>, range => to_isize(*range.start()), after(to_isize(*range.end()));
            RangeToInclusive<$int>, range => 0, after(to_isize(range.end));
        }
    )*};
    ($int:ty: $($range:ty, $name:ident => $start:expr, $end:expr;)*) => {$(
        impl SliceArg for $range {
            type In<I: Dimension> = I::Larger;
            type Out<O: Dimension> = O::Larger;

            fn elem(self) -> SliceElem {
                let $name = self;
                SliceElem::Range { start: $start, end: $end, step: 1 }
            }
        }
    )*};
}

slice_args! { i32 isize usize }

fn to_isize(value: impl TryInto<isize>) -> isize {
    // What does not fit is beyond every axis, and is refused as such.
    value.try_into().unwrap_or(isize::MAX)
}

/// One beyond an inclusive end; `-1` is the last element, so one beyond it is the end of the axis.
fn after(end: isize) -> Option<isize> {
    if end == -1 { None } else { Some(end.saturating_add(1)) }
}

/// The arguments of a slice, one per axis: what [`s!`](crate::s) makes. `I` is the rank it takes, `O` the rank it gives.
#[derive(Clone, Copy, Debug)]
pub struct Slices<I: Dimension, O: Dimension> {
    elems: Axes<SliceElem>,
    /// The number of arguments given, of which `elems` keeps the first [`MAX_NDIM`].
    given: usize,
    ranks: PhantomData<(I, O)>,
}

impl Slices<Rank<0>, Rank<0>> {
    /// No argument yet.
    pub fn new() -> Self {
        Slices { elems: Axes::new(), given: 0, ranks: PhantomData }
    }
}

impl Default for Slices<Rank<0>, Rank<0>> {
    fn default() -> Self {
        Self::new()
    }
}

impl<I: Dimension, O: Dimension> Slices<I, O> {
    /// One more argument.
    pub fn push<A: SliceArg>(mut self, arg: A) -> Slices<A::In<I>, A::Out<O>> {
        if self.given < MAX_NDIM {
            self.elems.push(arg.elem());
        }
        Slices { elems: self.elems, given: self.given + 1, ranks: PhantomData }
    }
}

impl Slices<Dyn, Dyn> {
    /// Arguments known only at run time.
    ///
    /// ```
    /// use ndcore::{array, SliceElem, Slices};
    /// let a = array![[1, 2], [3, 4]].into_dyn();
    /// let last_row = [SliceElem::Index(-1), SliceElem::Range { start: 0, end: None, step: 1 }];
    /// assert_eq!(a.slice(Slices::from_slice(&last_row))?.to_vec(), [3, 4]);
    /// # Ok::<(), ndcore::LayoutError>(())
    /// ```
    pub fn from_slice(elems: &[SliceElem]) -> Self {
        let kept = elems.iter().copied().take(MAX_NDIM).collect();
        Slices { elems: kept, given: elems.len(), ranks: PhantomData }
    }
}

/// Rank `Self`, of an index or a slice, fits arrays of rank `R`: it is the same rank, or `R` is [`Dyn`] and it is checked at run
/// time.
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
    /// [`RankMismatch`](Kind::RankMismatch) if there is not one index or range per axis; [`RankTooHigh`](Kind::RankTooHigh);
    /// [`IndexOutOfRange`](Kind::IndexOutOfRange); [`SliceOutOfRange`](Kind::SliceOutOfRange); [`ZeroStep`](Kind::ZeroStep).
    pub fn slice<I: Dimension, O: Dimension>(&self, slices: &Slices<I, O>) -> Result<Layout<O>, LayoutError> {
        if slices.given > MAX_NDIM {
            return Err(Kind::RankTooHigh { ndim: slices.given }.into());
        }
        let consumed = slices.elems.iter().filter(|elem| **elem != SliceElem::NewAxis).count();
        if consumed != self.ndim() {
            return Err(Kind::RankMismatch { expected: self.ndim(), found: consumed }.into());
        }
        let mut layout = self.to_dyn();
        let mut axis = 0;
        for elem in slices.elems.iter() {
            // The axis of the source that this element speaks of, for its errors.
            let shape = layout.shape();
            match *elem {
                SliceElem::NewAxis => {
                    layout = layout.insert(axis)?;
                    axis += 1;
                }
                SliceElem::Index(index) => {
                    let from_start = from_end(index, shape[axis]).ok_or_else(|| Kind::IndexOutOfRange {
                        index,
                        axis,
                        shape: shape.to_vec(),
                    })?;
                    layout = layout.index(axis, from_start)?;
                }
                SliceElem::Range { start, end, step } => {
                    let extent = shape[axis];
                    let end = end.unwrap_or(extent as isize);
                    let range = from_end(start, extent).zip(from_end(end, extent));
                    let range = range.filter(|(start, end)| start <= end).ok_or_else(|| Kind::SliceOutOfRange {
                        start,
                        end,
                        axis,
                        shape: shape.to_vec(),
                    })?;
                    layout = layout.slice_axis(axis, range.0..range.1, step)?;
                    axis += 1;
                }
            }
        }
        layout.to_rank()
    }
}

/// A position counted from the end if it is negative; `None` if that lies before the axis.
fn from_end(index: isize, extent: usize) -> Option<usize> {
    if index >= 0 { Some(index as usize) } else { extent.checked_sub(index.unsigned_abs()) }
}

/// Slice arguments, one per axis: `s![1..3, ..;2, -1, NewAxis]`.
///
/// * `a..b`, `a..`, `..b`, `..=b`, `..`: a range of the axis. Negative bounds count from the end.
/// * `range;step`: every `step`-th element of the range, which is chosen first. A negative step then walks it backwards from its
///   **last** element, as in `ndarray` (and unlike Python): `s![0..5;-2]` selects indices 4, 2, 0, and `s![..;-1]` reverses.
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
/// assert_eq!(a.slice(s![0, NewAxis, 2..])?, array![[2, 3]]);
/// assert!(a.slice(s![.., 3..5]).is_err());
/// # Ok::<(), ndcore::LayoutError>(())
/// ```
#[macro_export]
macro_rules! s {
    ($($args:tt)*) => {{
        // `1..-1` is a range that ends one before the end, not an empty one.
        #[allow(clippy::reversed_empty_ranges)]
        let slices = $crate::__slices!(($crate::Slices::new()) $($args)*);
        slices
    }};
}

#[doc(hidden)]
#[macro_export]
macro_rules! __slices {
    (($so_far:expr)) => { $so_far };
    (($so_far:expr) $range:expr; $step:expr) => { $so_far.push($crate::Stepped($range, $step)) };
    (($so_far:expr) $range:expr; $step:expr, $($rest:tt)*) => {
        $crate::__slices!(($so_far.push($crate::Stepped($range, $step))) $($rest)*)
    };
    (($so_far:expr) $arg:expr) => { $so_far.push($arg) };
    (($so_far:expr) $arg:expr, $($rest:tt)*) => { $crate::__slices!(($so_far.push($arg)) $($rest)*) };
}
