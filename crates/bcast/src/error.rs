//! [`Error`]: why shapes do not fit, with everything needed to say so and to match on it.

use std::cmp::Reverse;
use std::fmt;

use ndcore::{Axes, LayoutErrorKind, List, MAX_NDIM, Text};

use crate::rule;

/// Shapes that do not fit together under the rule they were put to.
///
/// It is one word in size, so that a `Result` stays cheap to return. [`kind`](Error::kind) gives
/// the reason to match on; its [`Display`](std::fmt::Display) names the shapes, the dims and the
/// axis, and says what to do.
///
/// ```
/// use bcast::ErrorKind;
/// let error = bcast::binary_shape(&[2, 3], &[3], &[]).unwrap_err();
/// assert!(matches!(error.kind(), ErrorKind::UnequalRanks { .. }));
/// assert_eq!(
///     error.to_string(),
///     "operands of shapes [2, 3] and [3] have ranks 2 and 1: say which axes the rank-1 operand v lies along: \
///      `v.along([1])`, or in XLA's form `add(&x, &v, [1])`; if v is the result of a reduction, `keep(axis)` there \
///      keeps its place",
/// );
/// ```
#[derive(PartialEq, Eq, thiserror::Error)]
#[error("{}", self.kind())]
pub struct Error(
    /// None if there was no memory for it.
    Option<ndcore::Heap<ErrorKind>>,
);

/// What an error says for which there was no memory.
static NO_MEMORY: ErrorKind = ErrorKind::Layout(LayoutErrorKind::NoMemory);

/// The same words as [`Display`](fmt::Display): so `unwrap`, and `main` that returns an error, are
/// readable. The fields are those of [`kind`](Error::kind).
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Clone for Error {
    fn clone(&self) -> Self {
        self.kind().clone().into()
    }
}

impl Error {
    /// The reason, to match on.
    ///
    /// ```
    /// use bcast::ErrorKind;
    /// let error = bcast::binary_shape(&[2, 3], &[2, 4], &[]).unwrap_err();
    /// assert!(matches!(error.kind(), ErrorKind::Incompatible { axis: 1, .. }));
    /// ```
    pub fn kind(&self) -> &ErrorKind {
        self.0.as_deref().unwrap_or(&NO_MEMORY)
    }

    /// There was no memory for what is needed beside the result. It takes none itself.
    ///
    /// ```
    /// use bcast::{Error, ErrorKind};
    /// let out_of_memory = ErrorKind::Layout(ndcore::LayoutErrorKind::NoMemory);
    /// assert_eq!(*Error::no_memory().kind(), out_of_memory);
    /// ```
    #[cold]
    pub fn no_memory() -> Self {
        Error(None)
    }

    /// The reason, taken out of the error.
    ///
    /// ```
    /// use bcast::ErrorKind;
    /// let error = bcast::binary_shape(&[2, 3], &[2, 4], &[]).unwrap_err();
    /// let ErrorKind::Incompatible { lhs, rhs, .. } = error.into_kind() else { unreachable!() };
    /// assert_eq!(lhs, [2, 3]);
    /// assert_eq!(rhs, [2, 4]);
    /// ```
    pub fn into_kind(self) -> ErrorKind {
        self.0.map_or(ErrorKind::Layout(LayoutErrorKind::NoMemory), ndcore::Heap::into_inner)
    }
}

impl From<ErrorKind> for Error {
    #[cold]
    fn from(kind: ErrorKind) -> Self {
        Error(ndcore::Heap::new(kind))
    }
}

impl From<ndcore::LayoutError> for Error {
    #[cold]
    fn from(err: ndcore::LayoutError) -> Self {
        ErrorKind::Layout(err.into_kind()).into()
    }
}

/// Why shapes do not fit: one variant per check of the rules, each with the shapes, the dims where
/// there were any, and the axis and extents that clash.
///
/// Where dims place one shape in another, `operand` is the shape that is placed (of a binary
/// operation: the operand of lower rank) and `target` the shape it is placed in (the operand of
/// higher rank, or the shape that is broadcast to). Axis `i` of `operand` lies along axis `dims[i]`
/// of `target`.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An operand with dims of its own, for which no other operand gives the rank of the result.
    #[error(
        "an operand of shape {operand:?} along axes {dims:?} has met nothing that gives the rank of the result: combine it with an \
         operand of that rank, or use `broadcast_in_dim(shape, dims)`"
    )]
    NoResultRank {
        /// The operand's shape.
        operand: List<usize>,
        /// The axes it lies along.
        dims: List<usize>,
    },

    /// The shapes fit, but the layout or the memory of the result does not.
    #[error("{0}")]
    Layout(ndcore::LayoutErrorKind),

    /// A reduction over no elements that has no result for them.
    #[error(
        "the {op} of no elements is not defined: along axes {axes:?}, shape {shape:?} has none"
    )]
    NoElements {
        /// The name of the reduction.
        op: &'static str,
        /// The shape that is reduced.
        shape: List<usize>,
        /// The axes it is reduced along.
        axes: List<usize>,
    },

    /// A reduction over an axis that is named twice.
    #[error(
        "axis {axis} is twice in {axes:?}, the axes along which shape {shape:?} is to be reduced"
    )]
    AxisTwice {
        /// The axis.
        axis: usize,
        /// The axes as given.
        axes: List<usize>,
        /// The shape that is reduced.
        shape: List<usize>,
    },

    /// A variance or a quantity like it with a `ddof` that is no number of elements.
    #[error(
        "the {op} with ddof {ddof} is not defined: ddof is taken off the number of elements, 0 or more of them"
    )]
    Ddof {
        /// The name of the reduction.
        op: &'static str,
        /// What is taken off their number.
        ddof: Text,
    },

    /// A variance or a quantity like it of too few elements.
    #[error(
        "the {op} of {len} elements with ddof {ddof} is not defined: it takes more elements than ddof"
    )]
    TooFewElements {
        /// The name of the reduction.
        op: &'static str,
        /// The number of elements.
        len: usize,
        /// What is taken off their number.
        ddof: Text,
    },

    /// Checked integer arithmetic that overflows.
    #[error(
        "{op} overflows at index {index:?}: cast to a wider type first, or use `{saturating}`, or the operator, which wraps around"
    )]
    IntegerOverflow {
        /// The method.
        op: &'static str,
        /// The index of the first element that overflows.
        index: List<usize>,
        /// The method that stops at the ends of the type.
        saturating: &'static str,
    },

    /// Matrices that cannot be multiplied.
    #[error(
        "no matrix product of shapes {lhs:?} and {rhs:?}: the last axis of the first and the last but one of the second must have the same extent, and \
         both must have them"
    )]
    MatrixProduct {
        /// The shape of the left operand.
        lhs: List<usize>,
        /// The shape of the right operand.
        rhs: List<usize>,
    },

    /// More elements along an axis were asked for than it has.
    #[error("{op} of {wanted} elements along axis {axis} of shape {shape:?}, which has fewer")]
    TooFewAlongAxis {
        /// What was asked for.
        op: &'static str,
        /// The axis.
        axis: usize,
        /// The number of elements asked for.
        wanted: usize,
        /// The shape.
        shape: List<usize>,
    },

    /// A quantile that is not from 0 to 1.
    #[error("there is no quantile {q}: it must be from 0 to 1")]
    Quantile {
        /// The number given.
        q: Text,
    },

    /// A histogram without bins, or of an empty range.
    #[error(
        "no histogram of {bins} bins from {range}: it takes at least one bin, and a finite range from low to high"
    )]
    Histogram {
        /// The number of bins.
        bins: usize,
        /// The range given.
        range: Text,
    },

    /// A sum, a product or a norm of integers that its type does not hold.
    #[error("{}", reduction_overflow(.op, *.value, .output))]
    ReductionOverflow {
        /// The name of the reduction.
        op: &'static str,
        /// What it is, where that is known.
        value: Option<i128>,
        /// The type of the result.
        output: &'static str,
    },

    /// Operands of unequal rank were given no dims, and neither is a scalar; or a rule for equal
    /// ranks was asked about unequal ones (XLA: "Shapes must be equal rank").
    #[error("{}", unequal_ranks(.lhs, .rhs))]
    UnequalRanks {
        /// The shape of the left operand.
        lhs: List<usize>,
        /// The shape of the right operand.
        rhs: List<usize>,
    },

    /// Operands of equal rank were given dims other than none or `0, 1, .., rank - 1` (XLA:
    /// "Broadcast dimensions field must either be not set or be the identity").
    #[error(
        "dims {dims:?} do not fit operands of shapes {lhs:?} and {rhs:?}: operands of equal rank are matched axis by \
         axis, so leave the dims empty or give {:?}; to match other axes, transpose an operand first",
        (0..lhs.len()).collect::<List<_>>()
    )]
    DimsNotIdentity {
        /// The shape of the left operand.
        lhs: List<usize>,
        /// The shape of the right operand.
        rhs: List<usize>,
        /// The dims as given.
        dims: List<usize>,
    },

    /// There are more or fewer dims than axes to place (XLA: "Size of broadcast_dimensions has to
    /// match").
    #[error(
        "dims {dims:?} have length {}, but shape {operand:?} has rank {}: give one axis of shape {target:?} for each \
         axis of shape {operand:?}{}",
        dims.len(), operand.len(), example(.operand, .target)
    )]
    DimsLength {
        /// The shape that is placed.
        operand: List<usize>,
        /// The shape it is placed in.
        target: List<usize>,
        /// The dims as given.
        dims: List<usize>,
    },

    /// A dim is not an axis of the target (XLA: "Broadcast dimension number too large", "out of
    /// bound").
    #[error(
        "dims {dims:?} place axis {axis} of shape {operand:?} along axis {dim}, which shape {target:?} of rank {} does \
         not have: dims count from 0 and must be below that rank{}",
        target.len(), example(.operand, .target)
    )]
    DimOutOfRange {
        /// The shape that is placed.
        operand: List<usize>,
        /// The shape it is placed in.
        target: List<usize>,
        /// The dims as given.
        dims: List<usize>,
        /// The axis of `operand` whose dim is out of range.
        axis: usize,
        /// That dim: `dims[axis]`.
        dim: usize,
    },

    /// An axis is placed along one of another extent, and it cannot stretch (XLA: "Broadcast
    /// dimension mismatch", "Input dimension should be either 1 or equal to the output dimension it
    /// is broadcasting into").
    #[error("{}", dim_extent(.operand, .target, .dims, [*axis, *dim], [*operand_extent, *target_extent]))]
    DimExtent {
        /// The shape that is placed.
        operand: List<usize>,
        /// The shape it is placed in.
        target: List<usize>,
        /// The dims as given.
        dims: List<usize>,
        /// The axis of `operand` that does not fit.
        axis: usize,
        /// The axis of `target` it is placed along: `dims[axis]`.
        dim: usize,
        /// The extent of that axis of `operand`.
        operand_extent: usize,
        /// The extent of that axis of `target`.
        target_extent: usize,
    },

    /// The dims do not increase strictly (XLA: "Broadcast dimensions order is wrong"); a repeated
    /// dim is such a case too.
    #[error(
        "dims {dims:?} that place shape {operand:?} in shape {target:?} must strictly increase, but {dim} (for axis \
         {axis}) comes after {previous}: give every axis its own dim, in order{}; to reorder axes, transpose the operand \
         first",
        example(.operand, .target)
    )]
    DimsOrder {
        /// The shape that is placed.
        operand: List<usize>,
        /// The shape it is placed in.
        target: List<usize>,
        /// The dims as given.
        dims: List<usize>,
        /// The axis of `operand` whose dim is not above the one before it.
        axis: usize,
        /// That dim: `dims[axis]`.
        dim: usize,
        /// The dim before it: `dims[axis - 1]`.
        previous: usize,
    },

    /// Two axes are placed along one axis, where the order of dims is free (StableHLO:
    /// "broadcast_dimensions should not have duplicates").
    #[error(
        "dims {dims:?} place axes {} and {} of shape {operand:?} both along axis {dim} of shape {target:?}: give every \
         axis its own dim{}",
        axes[0], axes[1], example(.operand, .target)
    )]
    DuplicateDim {
        /// The shape that is placed.
        operand: List<usize>,
        /// The shape it is placed in.
        target: List<usize>,
        /// The dims as given.
        dims: List<usize>,
        /// The two axes of `operand` with the same dim, the lower first.
        axes: [usize; 2],
        /// The dim they share.
        dim: usize,
    },

    /// Two extents at the same axis differ and neither is 1 (XLA: "Binary op with incompatible
    /// shapes").
    #[error(
        "operands of shapes {lhs:?} and {rhs:?} are incompatible: along axis {axis} of the result their extents are \
         {lhs_extent} and {rhs_extent}, which must be equal unless one of them is 1"
    )]
    Incompatible {
        /// The shape of the left operand.
        lhs: List<usize>,
        /// The shape of the right operand.
        rhs: List<usize>,
        /// The axis of the result; it is the operands' axis too, unless shapes of unequal rank were
        /// aligned at the right.
        axis: usize,
        /// The extent of the left operand along it.
        lhs_extent: usize,
        /// The extent of the right operand along it.
        rhs_extent: usize,
    },

    /// A shape is to be broadcast to one of lower rank (XLA: "InDim style broadcast must be to an
    /// equal or higher ranked shape").
    #[error(
        "shape {operand:?} of rank {} cannot be broadcast to shape {target:?} of lower rank {} (dims {dims:?}): a \
         broadcast never drops an axis; index or reduce the operand first",
        operand.len(), target.len()
    )]
    OperandRankTooHigh {
        /// The shape that is placed.
        operand: List<usize>,
        /// The shape it was to be broadcast to.
        target: List<usize>,
        /// The dims as given.
        dims: List<usize>,
    },

    /// The operands of a ternary operation (clamp, select) that are not scalars differ in shape
    /// (XLA: "Unimplemented implicit broadcast").
    #[error("{}", shapes_differ(.shapes, *.operands, *.axis))]
    ShapesDiffer {
        /// The shapes of the three operands, in order.
        shapes: [List<usize>; 3],
        /// The positions (0, 1 or 2) of the first operand that is not a scalar and of the first
        /// that differs from it.
        operands: [usize; 2],
        /// The first axis at which these two differ; `None` if their ranks do.
        axis: Option<usize>,
    },

    /// A shape is longer than any array's can be.
    #[error("a shape of rank {ndim} is not supported: arrays have at most {max} axes")]
    RankTooHigh {
        /// The length of the shape.
        ndim: usize,
        /// The highest rank there is: [`MAX_NDIM`].
        max: usize,
    },

    /// A value is assigned to an array of another shape.
    #[error(
        "a value of shape {value:?} cannot be assigned to an array of shape {destination:?}: the shapes must be \
         equal{}",
        broadcast_first(.value, .destination)
    )]
    DoesNotFit {
        /// The shape of the value.
        value: List<usize>,
        /// The shape of the array it was to be assigned to.
        destination: List<usize>,
    },
}

// The parts of messages that need more than a format string. They run only when an error is shown,
// and they must not panic on kinds that a caller put together from numbers that contradict each
// other.

/// What a result of integers comes to, and the cast of the elements that holds it.
fn reduction_overflow(op: &str, value: Option<i128>, output: &str) -> String {
    let fits = |value: i128| match output.starts_with('u') {
        true => u64::try_from(value).ok().map(|_| "u64"),
        false => i64::try_from(value).ok().map(|_| "i64"),
    };
    let (wide, how) = value.and_then(fits).map_or(("f64", " to 53 bits"), |wide| (wide, ""));
    let named = value.map_or(String::new(), |value| format!(", {value},"));
    let arguments = match op {
        "dot" => format!("y.cast::<{wide}>()"),
        _ if op.starts_with("cum") => "axis".to_owned(),
        _ => String::new(),
    };
    let wrapping = match op {
        "sum" | "product" => format!(", and `{op}_wrapping` wraps around"),
        _ => String::new(),
    };
    format!(
        "the {op} of the elements{named} does not fit in {output}: `x.cast::<{wide}>().{op}({arguments})` holds it{how}{wrapping}"
    )
}

fn unequal_ranks(lhs: &[usize], rhs: &[usize]) -> String {
    let (small, large) = if lhs.len() < rhs.len() { (lhs, rhs) } else { (rhs, lhs) };
    let rank = small.len();
    let problem = format!(
        "operands of shapes {lhs:?} and {rhs:?} have ranks {} and {}",
        lhs.len(),
        rhs.len()
    );
    // Both operands may stretch here, so this tries the binary rule and not, as `example` does, the
    // placement alone.
    let fitting = fitting_dims(small, large, |dims| rule::binary_shape(small, large, dims).is_ok());
    let Some((dims, others)) = fitting.split_first() else {
        return format!(
            "{problem}, and the rank-{rank} operand fits along no axes of the other: reshape one of them first"
        );
    };
    let call = if lhs.len() < rhs.len() { "add(&v, &x" } else { "add(&x, &v" };
    // None of several comes first: which one is meant does not follow from the shapes.
    let several = if others.is_empty() { "" } else { ", of which several fit, with other results" };
    let choices = fitting.iter().rev().map(|dims| format!("`v.along({dims:?})`"));
    let choices = choices.collect::<Vec<_>>().join(" or ");
    format!(
        "{problem}: say which axes the rank-{rank} operand v lies along{several}: {choices}, or in XLA's form \
         `{call}, {dims:?})`; if v is the result of a reduction, `keep(axis)` there keeps its place"
    )
}

fn dim_extent(
    operand: &[usize],
    target: &[usize],
    dims: &[usize],
    [axis, dim]: [usize; 2],
    [operand_extent, target_extent]: [usize; 2],
) -> String {
    let reason = if target_extent == 1 {
        // Only a target that is given as the result refuses to grow: two operands would both
        // stretch.
        "a broadcast does not shrink an axis"
    } else {
        "only an axis of extent 1 can stretch"
    };
    format!(
        "dims {dims:?} place axis {axis} of shape {operand:?} along axis {dim} of shape {target:?}, but the extents \
         there are {operand_extent} and {target_extent}: {reason}{}",
        example(operand, target)
    )
}

fn shapes_differ(
    shapes: &[List<usize>; 3],
    [first, second]: [usize; 2],
    axis: Option<usize>,
) -> String {
    let [a, b, c] = shapes;
    let reason = match axis {
        Some(axis) => {
            format!("operands {first} and {second} (counted from 0) differ at axis {axis}")
        }
        None => format!("operands {first} and {second} (counted from 0) differ in rank"),
    };
    format!(
        "operands of shapes {a:?}, {b:?} and {c:?} must be scalars or have the same shape: {reason}; nothing stretches \
         here, so say how an operand is to be broadcast, with `along` or `broadcast_in_dim`"
    )
}

fn broadcast_first(value: &[usize], destination: &[usize]) -> String {
    match placements(value, destination).first() {
        Some(dims) => format!(
            "; broadcast the value first, as `broadcast_in_dim({destination:?}, {dims:?})` does"
        ),
        None => String::new(),
    }
}

/// `, for example dims [1] or [0]`, or nothing if no dims fit.
fn example(operand: &[usize], target: &[usize]) -> String {
    match &placements(operand, target)[..] {
        [] => String::new(),
        fitting => format!(", for example dims {}", listed(fitting)),
    }
}

/// The dims that place `operand` in `target` as it stands; these are right for a binary operation
/// and for a broadcast.
fn placements(operand: &[usize], target: &[usize]) -> Vec<Axes<usize>> {
    fitting_dims(operand, target, |dims| {
        rule::broadcast_in_dim_strict(operand, target, dims).is_ok()
    })
}

/// Up to three choices of increasing dims that pass `fits`, found by trying all of them (at most
/// 2^16 for rank 16).
///
/// Those that stretch the fewest axes come first, because an exact match of extents is most likely
/// what was meant; among these the rightmost, because most data is written down that way.
fn fitting_dims(
    operand: &[usize],
    target: &[usize],
    fits: impl Fn(&[usize]) -> bool,
) -> Vec<Axes<usize>> {
    if target.len() > MAX_NDIM {
        return Vec::new();
    }
    // Bit `d` of a mask says that `d` is among the dims.
    let dims_of = |mask: u32| -> Axes<usize> {
        (0..target.len()).filter(|&dim| mask & (1 << dim) != 0).collect()
    };
    let stretched = |mask| {
        dims_of(mask).iter().zip(operand).filter(|&(&dim, &extent)| target[dim] != extent).count()
    };
    let mut masks: Vec<u32> = (0..1 << target.len())
        .filter(|mask: &u32| mask.count_ones() as usize == operand.len() && fits(&dims_of(*mask)))
        .collect();
    masks.sort_by_key(|&mask| (stretched(mask), Reverse(mask)));
    masks.into_iter().take(3).map(dims_of).collect()
}

/// `[1]`, `[1] or [0]`, `[2], [1] or [0]`.
fn listed(choices: &[Axes<usize>]) -> String {
    let choices: Vec<String> = choices.iter().map(|dims| format!("{dims:?}")).collect();
    match choices.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
        _ => choices.concat(),
    }
}
