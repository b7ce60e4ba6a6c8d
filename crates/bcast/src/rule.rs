//! The broadcasting rules: shapes in, the result's shape out. XLA's are strict, NumPy's has to be
//! asked for by name.
//!
//! Extents combine axis by axis: equal ones stay, and 1 gives way to the other. That is not the
//! maximum: 0 against 1 is 0. Each rule makes its checks in the order of the source it names, so
//! the first failure is the one that source reports.

use ndcore::{Axes, List, MAX_NDIM};

use crate::error::{Error, ErrorKind};

/// The result's shape of an operation on two shapes of equal rank: XLA's rule for degenerate
/// (size-1) dimensions.
///
/// Along each axis the extents must be equal, or one of them 1, which then stretches to the other;
/// either shape may do so.
///
/// # Errors
/// [`UnequalRanks`](ErrorKind::UnequalRanks), scalars included;
/// [`Incompatible`](ErrorKind::Incompatible) at the first axis that clashes;
/// [`RankTooHigh`](ErrorKind::RankTooHigh).
///
/// ```
/// use bcast::degenerate_shape;
/// assert_eq!(degenerate_shape(&[2, 1], &[1, 3])?, [2, 3]);
/// assert_eq!(degenerate_shape(&[0], &[1])?, [0]);
/// assert!(degenerate_shape(&[2], &[3]).is_err());
/// # Ok::<(), bcast::Error>(())
/// ```
pub fn degenerate_shape(lhs: &[usize], rhs: &[usize]) -> Result<Axes<usize>, Error> {
    check_ranks(&[lhs, rhs])?;
    if lhs.len() != rhs.len() {
        return Err(ErrorKind::UnequalRanks { lhs: List::of(&lhs), rhs: List::of(&rhs) }.into());
    }
    right_aligned(lhs, rhs)
}

/// The result's shape of a binary operation with `dims`, XLA's `broadcast_dimensions`: XLA's
/// broadcasting semantics.
///
/// * Equal ranks: `dims` is empty or the identity `0, 1, ..`, and [`degenerate_shape`] decides.
/// * A scalar fits any shape, with empty `dims`.
/// * Otherwise axis `i` of the operand of lower rank, on whichever side it is, lies along axis
///   `dims[i]` of the other; `dims` increase strictly. Size-1 axes stretch on both sides, so the
///   operand of higher rank can grow too.
///
/// # Errors
/// In the order XLA checks: [`DimsNotIdentity`](ErrorKind::DimsNotIdentity) and
/// [`Incompatible`](ErrorKind::Incompatible) for equal ranks; for unequal ones
/// [`UnequalRanks`](ErrorKind::UnequalRanks) if `dims` is empty,
/// [`DimsLength`](ErrorKind::DimsLength), and then for each dim
/// [`DimOutOfRange`](ErrorKind::DimOutOfRange), [`DimExtent`](ErrorKind::DimExtent),
/// [`DimsOrder`](ErrorKind::DimsOrder). Before all of them,
/// [`RankTooHigh`](ErrorKind::RankTooHigh).
///
/// ```
/// use bcast::binary_shape;
/// assert_eq!(binary_shape(&[2, 3], &[3], &[1])?, [2, 3]);
/// assert_eq!(binary_shape(&[2, 3], &[], &[])?, [2, 3]);
/// assert_eq!(binary_shape(&[1, 2], &[4, 3, 1], &[1, 2])?, [4, 3, 2]);
/// assert!(binary_shape(&[2, 3], &[3], &[]).is_err());
/// # Ok::<(), bcast::Error>(())
/// ```
pub fn binary_shape(lhs: &[usize], rhs: &[usize], dims: &[usize]) -> Result<Axes<usize>, Error> {
    check_ranks(&[lhs, rhs])?;
    if lhs.len() == rhs.len() {
        if !dims.is_empty() && !dims.iter().copied().eq(0..lhs.len()) {
            let kind = ErrorKind::DimsNotIdentity {
                lhs: List::of(&lhs),
                rhs: List::of(&rhs),
                dims: List::of(&dims),
            };
            return Err(kind.into());
        }
        return right_aligned(lhs, rhs);
    }
    let (small, large) = if lhs.len() < rhs.len() { (lhs, rhs) } else { (rhs, lhs) };
    if dims.is_empty() && !small.is_empty() {
        return Err(ErrorKind::UnequalRanks { lhs: List::of(&lhs), rhs: List::of(&rhs) }.into());
    }
    right_aligned(&in_dim_shape(small, large, dims)?, large)
}

/// The shape of `small` placed in `large` by `dims`: `large` with the extents of `small` at `dims`.
/// This is what XLA calls an in-dim broadcast; the result and `large` are compatible, but either
/// may have 1 where the other has not.
fn in_dim_shape(small: &[usize], large: &[usize], dims: &[usize]) -> Result<Axes<usize>, Error> {
    let placement = Placement { operand: small, target: large, dims };
    let mut shape = axes(large)?;
    placement.check_length()?;
    for (axis, (&extent, &dim)) in small.iter().zip(dims).enumerate() {
        placement.check_range(axis, dim)?;
        if extent != large[dim] && extent != 1 && large[dim] != 1 {
            return Err(placement.extent_error(axis, dim, extent));
        }
        placement.check_order(axis, dim)?;
        shape[dim] = extent;
    }
    Ok(shape)
}

/// Checks that `operand` broadcasts to exactly `out` with strictly increasing `dims`, and returns
/// `out`: the check that XLA's builder makes for `BroadcastInDim`.
///
/// Axis `i` of `operand` lies along axis `dims[i]` of `out` and has its extent there, or 1. Only
/// `operand` stretches.
///
/// # Errors
/// In the order XLA checks: [`DimsLength`](ErrorKind::DimsLength);
/// [`DimOutOfRange`](ErrorKind::DimOutOfRange) for a dim above the rank of `out`;
/// [`OperandRankTooHigh`](ErrorKind::OperandRankTooHigh); and then for each dim
/// [`DimOutOfRange`](ErrorKind::DimOutOfRange), [`DimExtent`](ErrorKind::DimExtent),
/// [`DimsOrder`](ErrorKind::DimsOrder). Before all of them,
/// [`RankTooHigh`](ErrorKind::RankTooHigh).
///
/// ```
/// use bcast::broadcast_in_dim_strict;
/// assert_eq!(broadcast_in_dim_strict(&[3], &[2, 3], &[1])?, [2, 3]);
/// assert_eq!(broadcast_in_dim_strict(&[1], &[0], &[0])?, [0]);
/// assert!(broadcast_in_dim_strict(&[2], &[1], &[0]).is_err());
/// assert!(broadcast_in_dim_strict(&[2, 3], &[3, 2], &[1, 0]).is_err());
/// # Ok::<(), bcast::Error>(())
/// ```
pub fn broadcast_in_dim_strict(
    operand: &[usize],
    out: &[usize],
    dims: &[usize],
) -> Result<Axes<usize>, Error> {
    check_ranks(&[operand, out])?;
    let placement = Placement { operand, target: out, dims };
    placement.check_length()?;
    // XLA scans all dims before it compares ranks, and this scan lets `dim == rank` through to the
    // loop below. Only the order of errors depends on it; it is kept so that the first failure is
    // XLA's.
    for (axis, &dim) in dims.iter().enumerate() {
        if dim > out.len() {
            placement.check_range(axis, dim)?;
        }
    }
    if operand.len() > out.len() {
        let kind = ErrorKind::OperandRankTooHigh {
            operand: List::of(&operand),
            target: List::of(&out),
            dims: List::of(&dims),
        };
        return Err(kind.into());
    }
    for (axis, &dim) in dims.iter().enumerate() {
        placement.check_range(axis, dim)?;
        placement.check_stretch(axis, dim)?;
        placement.check_order(axis, dim)?;
    }
    axes(out)
}

/// Checks that `operand` broadcasts to exactly `out` with `dims` in any order, and returns `out`:
/// the rule of StableHLO's `broadcast_in_dim`.
///
/// Axis `i` of `operand` lies along axis `dims[i]` of `out` and has its extent there, or 1. With
/// `dims` that do not increase the result is a transposed view.
///
/// # Errors
/// In the order StableHLO lists its constraints: [`DimsLength`](ErrorKind::DimsLength),
/// [`DuplicateDim`](ErrorKind::DuplicateDim), and then for each dim
/// [`DimOutOfRange`](ErrorKind::DimOutOfRange), [`DimExtent`](ErrorKind::DimExtent). Before all of
/// them, [`RankTooHigh`](ErrorKind::RankTooHigh).
///
/// ```
/// use bcast::broadcast_in_dim;
/// assert_eq!(broadcast_in_dim(&[3], &[2, 3], &[1])?, [2, 3]);
/// assert_eq!(broadcast_in_dim(&[2, 3], &[3, 2], &[1, 0])?, [3, 2]);
/// assert!(broadcast_in_dim(&[3, 3], &[3, 3], &[1, 1]).is_err());
/// # Ok::<(), bcast::Error>(())
/// ```
pub fn broadcast_in_dim(
    operand: &[usize],
    out: &[usize],
    dims: &[usize],
) -> Result<Axes<usize>, Error> {
    check_ranks(&[operand, out])?;
    let placement = Placement { operand, target: out, dims };
    placement.check_length()?;
    placement.check_unique()?;
    for (axis, &dim) in dims.iter().enumerate() {
        placement.check_range(axis, dim)?;
        placement.check_stretch(axis, dim)?;
    }
    axes(out)
}

/// The result's shape of a ternary operation (clamp, select): XLA's rule for them.
///
/// The operands that are not scalars must have the same shape, which is the result's; any of the
/// three may be a scalar. Nothing stretches, size-1 axes included.
///
/// # Errors
/// [`ShapesDiffer`](ErrorKind::ShapesDiffer); [`RankTooHigh`](ErrorKind::RankTooHigh).
///
/// ```
/// use bcast::ternary_shape;
/// assert_eq!(ternary_shape([&[], &[2, 3], &[]])?, [2, 3]);
/// assert_eq!(ternary_shape([&[2, 3], &[], &[2, 3]])?, [2, 3]);
/// assert!(ternary_shape([&[], &[1, 3], &[2, 3]]).is_err());
/// # Ok::<(), bcast::Error>(())
/// ```
pub fn ternary_shape(shapes: [&[usize]; 3]) -> Result<Axes<usize>, Error> {
    check_ranks(&shapes)?;
    let Some(first) = shapes.iter().position(|shape| !shape.is_empty()) else {
        return Ok(Axes::new());
    };
    let expected = shapes[first];
    if let Some(other) = shapes.iter().position(|&shape| !shape.is_empty() && shape != expected) {
        let same_rank = shapes[other].len() == expected.len();
        let axis = if same_rank {
            expected.iter().zip(shapes[other]).position(|(a, b)| a != b)
        } else {
            None
        };
        let shapes = shapes.map(List::of);
        return Err(ErrorKind::ShapesDiffer { shapes, operands: [first, other], axis }.into());
    }
    axes(expected)
}

/// The result's shape of a binary operation under NumPy's rule, which XLA and this library's
/// operators do not follow: shapes are aligned at the right, the shorter one is filled with ones,
/// and then size-1 axes stretch as in [`degenerate_shape`].
///
/// # Errors
/// [`Incompatible`](ErrorKind::Incompatible), with the shapes as given and the axis of the result;
/// [`RankTooHigh`](ErrorKind::RankTooHigh).
///
/// ```
/// use bcast::numpy_shape;
/// assert_eq!(numpy_shape(&[2, 3], &[3])?, [2, 3]);
/// assert_eq!(numpy_shape(&[4, 1], &[3])?, [4, 3]);
/// assert!(numpy_shape(&[2, 3], &[2]).is_err());
/// # Ok::<(), bcast::Error>(())
/// ```
pub fn numpy_shape(lhs: &[usize], rhs: &[usize]) -> Result<Axes<usize>, Error> {
    check_ranks(&[lhs, rhs])?;
    right_aligned(lhs, rhs)
}

/// The dims that place a shape of rank `ndim` along the last axes of one of rank `out_ndim`, as
/// NumPy's rule does.
///
/// There are none for a rank above `out_ndim` or above [`MAX_NDIM`]: what comes out is then shorter
/// than `ndim`, and [`broadcast_in_dim`] refuses it.
///
/// ```
/// use bcast::suffix_dims;
/// assert_eq!(suffix_dims(2, 3), [1, 2]);
/// assert_eq!(suffix_dims(0, 3), []);
/// assert_eq!(suffix_dims(3, 2).len(), 2);
/// ```
pub fn suffix_dims(ndim: usize, out_ndim: usize) -> Axes<usize> {
    (out_ndim.saturating_sub(ndim)..out_ndim).take(MAX_NDIM).collect()
}

/// Both shapes aligned at the right, the shorter filled with ones, and stretched. For equal ranks
/// this is XLA's rule for degenerate dimensions, for unequal ones NumPy's. The ranks are checked by
/// the caller.
fn right_aligned(lhs: &[usize], rhs: &[usize]) -> Result<Axes<usize>, Error> {
    let ndim = lhs.len().max(rhs.len());
    let extent_at = |shape: &[usize], axis: usize| match (axis + shape.len()).checked_sub(ndim) {
        Some(own_axis) => shape[own_axis],
        None => 1,
    };
    let mut result = Axes::new();
    for axis in 0..ndim {
        let (lhs_extent, rhs_extent) = (extent_at(lhs, axis), extent_at(rhs, axis));
        result.push(match (lhs_extent, rhs_extent) {
            (a, b) if a == b => a,
            (1, b) => b,
            (a, 1) => a,
            _ => {
                let (lhs, rhs) = (List::of(&lhs), List::of(&rhs));
                return Err(
                    ErrorKind::Incompatible { lhs, rhs, axis, lhs_extent, rhs_extent }.into()
                );
            }
        });
    }
    Ok(result)
}

/// The shape as a result; an error if it is longer than any array's.
fn axes(shape: &[usize]) -> Result<Axes<usize>, Error> {
    Axes::from_slice(shape)
        .ok_or_else(|| ErrorKind::RankTooHigh { ndim: shape.len(), max: MAX_NDIM }.into())
}

/// Refuses shapes longer than any array's, before anything is built from them.
fn check_ranks(shapes: &[&[usize]]) -> Result<(), Error> {
    shapes.iter().try_for_each(|shape| axes(shape).map(drop))
}

/// A shape placed in another by dims, and the checks on it that the rules make in different orders.
struct Placement<'a> {
    operand: &'a [usize],
    target: &'a [usize],
    dims: &'a [usize],
}

impl Placement<'_> {
    /// One dim per axis of the operand; the other checks rely on it.
    fn check_length(&self) -> Result<(), Error> {
        if self.dims.len() == self.operand.len() {
            return Ok(());
        }
        let (operand, target, dims) = self.lists();
        Err(ErrorKind::DimsLength { operand, target, dims }.into())
    }

    /// The dim is an axis of the target.
    fn check_range(&self, axis: usize, dim: usize) -> Result<(), Error> {
        if dim < self.target.len() {
            return Ok(());
        }
        let (operand, target, dims) = self.lists();
        Err(ErrorKind::DimOutOfRange { operand, target, dims, axis, dim }.into())
    }

    /// The operand's extent is the target's or stretches to it. The dim is in range.
    fn check_stretch(&self, axis: usize, dim: usize) -> Result<(), Error> {
        let extent = self.operand[axis];
        if extent == 1 || extent == self.target[dim] {
            Ok(())
        } else {
            Err(self.extent_error(axis, dim, extent))
        }
    }

    /// The dim is above the one before it.
    fn check_order(&self, axis: usize, dim: usize) -> Result<(), Error> {
        if axis == 0 || self.dims[axis - 1] < dim {
            return Ok(());
        }
        let previous = self.dims[axis - 1];
        let (operand, target, dims) = self.lists();
        Err(ErrorKind::DimsOrder { operand, target, dims, axis, dim, previous }.into())
    }

    /// No dim occurs twice.
    fn check_unique(&self) -> Result<(), Error> {
        for (axis, &dim) in self.dims.iter().enumerate() {
            if let Some(earlier) = self.dims[..axis].iter().position(|&other| other == dim) {
                let (operand, target, dims) = self.lists();
                return Err(ErrorKind::DuplicateDim {
                    operand,
                    target,
                    dims,
                    axes: [earlier, axis],
                    dim,
                }
                .into());
            }
        }
        Ok(())
    }

    fn extent_error(&self, axis: usize, dim: usize, operand_extent: usize) -> Error {
        let target_extent = self.target[dim];
        let (operand, target, dims) = self.lists();
        ErrorKind::DimExtent { operand, target, dims, axis, dim, operand_extent, target_extent }
            .into()
    }

    fn lists(&self) -> (List<usize>, List<usize>, List<usize>) {
        (List::of(&self.operand), List::of(&self.target), List::of(&self.dims))
    }
}

#[cfg(test)]
mod tests;
