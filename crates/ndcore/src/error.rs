//! [`LayoutError`]: what can be wrong with a shape, a layout, an index or a slice.

use crate::axes::MAX_NDIM;
use crate::heap::Heap;
use crate::list::{List, Text};
use std::fmt;

/// Why a layout operation was refused. One word in size; match on [`kind`](LayoutError::kind).
///
/// ```
/// use ndcore::{Array2, LayoutErrorKind};
/// let err = Array2::from_shape_vec([2, 3], vec![1, 2, 3, 4, 5]).unwrap_err();
/// assert!(matches!(err.kind(), LayoutErrorKind::LengthMismatch { found: 5, .. }));
/// assert_eq!(err.to_string(), "shape [2, 3] needs 6 elements, the data has 5");
/// ```
#[derive(PartialEq, Eq, thiserror::Error)]
#[error("{}", self.kind())]
pub struct LayoutError(
    /// None if there was no memory for it.
    Option<Heap<LayoutErrorKind>>,
);

/// What an error says for which there was no memory.
static NO_MEMORY: LayoutErrorKind = LayoutErrorKind::NoMemory;

impl Clone for LayoutError {
    fn clone(&self) -> Self {
        self.kind().clone().into()
    }
}

impl LayoutError {
    /// What went wrong, with the values at fault.
    pub fn kind(&self) -> &LayoutErrorKind {
        self.0.as_deref().unwrap_or(&NO_MEMORY)
    }

    /// The same by value.
    pub fn into_kind(self) -> LayoutErrorKind {
        self.0.map_or(LayoutErrorKind::NoMemory, Heap::into_inner)
    }
}

impl From<LayoutErrorKind> for LayoutError {
    // Errors are rare: keep their allocation and formatting out of the callers' hot code.
    #[cold]
    fn from(kind: LayoutErrorKind) -> Self {
        LayoutError(Heap::new(kind))
    }
}

/// The same words as [`Display`](fmt::Display): so `unwrap`, and `main` that returns an error, are
/// readable. The fields are those of [`kind`](LayoutError::kind).
impl fmt::Debug for LayoutError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The value, or a panic in the words of the error; in a function that has `track_caller`, at the
/// place of its caller, which `unwrap_or_else` would lose.
// Part of the caller, but for the panic: of a result that a call is given, all is in memory then,
// and a loop over an array that was made so reads its layout again for each element.
#[inline(always)]
#[track_caller]
pub(crate) fn or_panic<T>(result: Result<T, LayoutError>) -> T {
    match result {
        Ok(value) => value,
        Err(err) => raise(err),
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn raise(err: LayoutError) -> ! {
    panic!("{err}")
}

/// The kinds of [`LayoutError`], each with the values at fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LayoutErrorKind {
    /// A shape, index or list of axes has another number of entries than the array has axes.
    #[error("expected {expected} entries, one per axis, found {found}")]
    RankMismatch {
        /// The rank.
        expected: usize,
        /// The number of entries given.
        found: usize,
    },
    /// More axes than a dynamic rank can have.
    #[error("a rank of {ndim} is above the limit of {MAX_NDIM} axes")]
    RankTooHigh {
        /// The rank asked for.
        ndim: usize,
    },
    /// The number of elements, or of their bytes, overflows.
    #[error("shape {shape:?} has more elements than memory can hold")]
    SizeOverflow {
        /// The shape.
        shape: List<usize>,
    },
    /// The allocator had no memory for the result.
    #[error("could not allocate {bytes} bytes for an array of shape {shape:?}")]
    AllocationFailed {
        /// The shape.
        shape: List<usize>,
        /// The size asked for, in bytes.
        bytes: usize,
    },
    /// There was no memory for what is needed beside the result, or to say what else was wrong.
    #[error("out of memory")]
    NoMemory,
    /// The data's length is not the number of elements of the shape.
    #[error("shape {shape:?} needs {needed} elements, the data has {found}")]
    LengthMismatch {
        /// The shape.
        shape: List<usize>,
        /// Its number of elements.
        needed: usize,
        /// The length of the data.
        found: usize,
    },
    /// Elements have no form as the same bits in elements of another size.
    #[error("shape {shape:?} of elements of {from} bytes has no form in elements of {to} bytes")]
    BitcastSize {
        /// The shape.
        shape: List<usize>,
        /// The size of an element, in bytes.
        from: usize,
        /// The size asked for, in bytes.
        to: usize,
    },
    /// A layout reaches outside its data.
    #[error(
        "shape {shape:?} with strides {strides:?} from offset {offset} reaches outside the data, which has {len} elements"
    )]
    OutOfReach {
        /// The shape.
        shape: List<usize>,
        /// The strides, in elements.
        strides: List<isize>,
        /// Where the first element lies.
        offset: usize,
        /// The length of the data.
        len: usize,
    },
    /// A layout for writing would reach one element by two indices.
    #[error(
        "shape {shape:?} with strides {strides:?} reaches some element twice, so it cannot be written through"
    )]
    Aliased {
        /// The shape.
        shape: List<usize>,
        /// The strides, in elements.
        strides: List<isize>,
    },
    /// An axis number that the array does not have.
    #[error("axis {axis} does not exist: shape {shape:?} has {} axes", shape.len())]
    AxisOutOfRange {
        /// The axis asked for.
        axis: usize,
        /// The shape.
        shape: List<usize>,
    },
    /// A list of axes that is not a permutation.
    #[error("{axes:?} is not a permutation of the {ndim} axes: each must occur exactly once")]
    NotAPermutation {
        /// The list given.
        axes: List<usize>,
        /// The rank.
        ndim: usize,
    },
    /// An index beyond an axis's extent.
    #[error("index {index} is out of range for axis {axis} of shape {shape:?}")]
    IndexOutOfRange {
        /// The index, negative if it was counted from the end.
        index: isize,
        /// The axis.
        axis: usize,
        /// The shape.
        shape: List<usize>,
    },
    /// A slice whose bounds lie outside the axis, or whose end lies before its start.
    #[error("slice {start}..{end} does not fit axis {axis} of shape {shape:?}")]
    SliceOutOfRange {
        /// The start, negative if it was counted from the end.
        start: isize,
        /// The end, negative if it was counted from the end.
        end: isize,
        /// The axis.
        axis: usize,
        /// The shape.
        shape: List<usize>,
    },
    /// A slice or a range of values with a step of zero, or one that is not a number.
    #[error("a step must not be zero or NaN")]
    ZeroStep,
    /// A geometric sequence between numbers that have none.
    #[error(
        "no geometric sequence goes from {start} to {end}: they must have one sign and not be zero"
    )]
    GeometricEnds {
        /// The first number.
        start: Text,
        /// The last one.
        end: Text,
    },
    /// A reshape to another number of elements.
    #[error("shape {from:?} has {from_len} elements and cannot become shape {to:?} with {to_len}")]
    ReshapeLength {
        /// The shape of the array.
        from: List<usize>,
        /// Its number of elements.
        from_len: usize,
        /// The shape asked for.
        to: List<usize>,
        /// Its number of elements.
        to_len: usize,
    },
    /// A reshape that no view can express.
    #[error(
        "no view of shape {to:?} exists over shape {from:?} with strides {strides:?}: use `to_shape`, which copies"
    )]
    ReshapeNeedsCopy {
        /// The shape of the array.
        from: List<usize>,
        /// Its strides, in elements.
        strides: List<isize>,
        /// The shape asked for.
        to: List<usize>,
    },
    /// Removing an axis whose extent is not 1.
    #[error(
        "axis {axis} of shape {shape:?} has not extent 1 and cannot be removed: use `index_axis` to choose an index"
    )]
    AxisNotOne {
        /// The axis.
        axis: usize,
        /// The shape.
        shape: List<usize>,
    },
    /// Two axes that cannot be merged, because no stride walks them as one.
    #[error(
        "axes {take} and {into} of shape {shape:?} with strides {strides:?} are not one walk and cannot be merged: use `to_shape`, which copies"
    )]
    NotOneWalk {
        /// The axis to be merged into the other one.
        take: usize,
        /// The other one.
        into: usize,
        /// The shape.
        shape: List<usize>,
        /// The strides, in elements.
        strides: List<isize>,
    },
    /// Chunks or windows without elements, or that would begin at one place over and over.
    #[error(
        "chunks and windows {extents:?} in steps of {steps:?}: each extent and step must be at least 1"
    )]
    EmptyPart {
        /// The extents of each part.
        extents: List<usize>,
        /// The steps from each part to the next.
        steps: List<usize>,
    },
    /// Two slices for writing that have elements in common.
    #[error(
        "slices {first} and {second} of shape {shape:?}, counted from 0, have elements in common"
    )]
    Overlap {
        /// The number of one slice.
        first: usize,
        /// The number of the other one.
        second: usize,
        /// The shape.
        shape: List<usize>,
    },
    /// Arrays that cannot be joined along an axis, because another extent of theirs differs.
    #[error(
        "array {array} of shape {found:?} cannot be joined to one of shape {expected:?} along axis {axis}: all other extents must be equal"
    )]
    JoinShape {
        /// The axis along which they were to be joined.
        axis: usize,
        /// The number of the array that does not fit, counted from 0.
        array: usize,
        /// The shape of the array before it.
        expected: List<usize>,
        /// Its own shape.
        found: List<usize>,
    },
    /// Elements that are to overwrite others, of an array of another shape.
    #[error(
        "elements of shape {found:?} cannot overwrite those of shape {expected:?}: they must be equal"
    )]
    SourceShape {
        /// The shape of what is overwritten.
        expected: List<usize>,
        /// The shape of the elements that were given.
        found: List<usize>,
    },
    /// A mask that has not the shape of what it is to choose from.
    #[error(
        "a mask of shape {mask:?} does not fit an array of shape {shape:?}: they must be equal"
    )]
    MaskShape {
        /// The shape of the mask.
        mask: List<usize>,
        /// The shape of the array.
        shape: List<usize>,
    },
    /// No arrays to join: then there is no shape either.
    #[error("no arrays were given to be joined along axis {axis}")]
    NothingToJoin {
        /// The axis.
        axis: usize,
    },
    /// Rows of unequal length given for a rectangular array.
    #[error("row {row} has {found} elements, the rows before it have {expected}")]
    Ragged {
        /// The first row that differs.
        row: usize,
        /// The length of the rows before it.
        expected: usize,
        /// Its own length.
        found: usize,
    },
}
