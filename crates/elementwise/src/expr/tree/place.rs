//! Where the leaves lie in a result, and what is computed before the rest.

use super::extents::{Extents, extents};
use super::{INCOMPLETE, Node, Rest};
use crate::expr::along::TooManyAxes;
use crate::plan::{Operands, Source};
use bcast::{Error, ErrorKind, binary_shape, suffix_dims};
use ndcore::{Axes, LayoutError, LayoutErrorKind, List, MAX_NDIM};

/// The axes of the result along which axes of a node lie; `None` if along themselves.
type Placed = Option<Axes<u8>>;

/// Those of the node after an `along`.
fn placed(
    dims: &Result<Axes<u16>, TooManyAxes>,
    outer: &Placed,
    ndim: usize,
) -> Result<Placed, Error> {
    let dims = dims.as_ref().map_err(|&err| err)?;
    let mut axes = Axes::new();
    for &dim in dims.iter() {
        let dim = match outer {
            None => u8::try_from(dim).ok().filter(|dim| usize::from(*dim) < ndim),
            Some(outer) => outer.get(usize::from(dim)).copied(),
        };
        // The shapes were found to fit: then there is such an axis.
        axes.push(dim.ok_or(ErrorKind::RankTooHigh { ndim: MAX_NDIM + 1, max: MAX_NDIM })?);
    }
    Ok(Some(axes))
}

/// Those of the node after a `numpy`.
fn last(rest: &Rest<'_, '_>, outer: &Placed, ndim: usize) -> Result<Placed, Error> {
    let (Extents::Fixed(shape) | Extents::Numpy(shape)) = extents(&mut rest.clone())? else {
        return Ok(*outer);
    };
    let outer_ndim = outer.as_ref().map_or(ndim, |outer| outer.len());
    if shape.len() >= outer_ndim {
        return Ok(*outer);
    }
    let axes = suffix_dims(shape.len(), outer_ndim);
    let axis = |axis: &usize| outer.as_ref().map_or(*axis as u8, |outer| outer[*axis]);
    Ok(Some(axes.iter().map(axis).collect()))
}

/// The axes of the result along which some leaf of a node varies, as bits.
pub(super) fn varied(rest: &mut Rest<'_, '_>, ndim: usize, dims: &Placed) -> Result<u32, Error> {
    let operands = match *rest.next().expect(INCOMPLETE) {
        Node::Lacking => return Err(Error::no_memory()),
        Node::Generated { shape: None, axis } => {
            let along = |axis: usize| match dims {
                None => axis,
                Some(dims) => dims.get(axis).map_or(axis, |dim| usize::from(*dim)),
            };
            let own = dims.as_ref().map_or(ndim, |dims| dims.len());
            let axes = axis.map_or(0..own, |axis| axis..axis + 1);
            return Ok(axes
                .fold(0, |axes, axis| axes | 1_u32.checked_shl(along(axis) as u32).unwrap_or(0)));
        }
        Node::Leaf { shape, .. } | Node::Generated { shape: Some(shape), .. } => {
            let mut axes = 0;
            for (axis, &extent) in shape.iter().enumerate() {
                let to = dims.as_ref().map_or(axis, |dims| usize::from(dims[axis]));
                axes |= u32::from(extent != 1) << to;
            }
            return Ok(axes);
        }
        Node::Along { dims: own, .. } => return varied(rest, ndim, &placed(own, dims, ndim)?),
        Node::Numpy => return varied(rest, ndim, &last(rest, dims, ndim)?),
        Node::Scalar => 0,
        Node::Buffered { .. } => 1,
        Node::Join(count) => count,
        Node::Exact => 3,
    };
    let mut all = 0;
    for _ in 0..operands {
        all |= varied(rest, ndim, dims)?;
    }
    Ok(all)
}

/// The extents of what varies along these axes only, if it repeats in a result of this shape.
pub(super) fn hoisted(shape: &[usize], varied: u32) -> Option<Axes<usize>> {
    let varies = |axis: usize| varied & (1 << axis) != 0;
    let repeats = (0..shape.len()).any(|axis| !varies(axis) && shape[axis] != 1);
    let own = |axis: usize| if varies(axis) { shape[axis] } else { 1 };
    repeats.then(|| (0..shape.len()).map(own).collect())
}

/// Places the leaves of a node along the axes of the result.
pub(super) fn place(
    rest: &mut Rest<'_, '_>,
    shape: &[usize],
    dims: &Placed,
    to: &mut Operands,
) -> Result<(), Error> {
    // The operands that are still to come.
    let mut left = 1;
    while left > 0 {
        left -= 1;
        match *rest.next().expect(INCOMPLETE) {
            Node::Lacking => return Err(Error::no_memory()),
            Node::Leaf { shape: own, strides, size } => {
                check_place(own, shape, dims)?;
                to.push(own, strides, size, dims, Source::Leaf);
            }
            Node::Scalar => {}
            Node::Generated { shape: own, axis } => {
                if let Some(own) = own {
                    check_place(own, shape, dims)?;
                }
                let ndim = dims.as_ref().map_or(shape.len(), |dims| dims.len());
                if let Some(axis) = axis.filter(|axis| *axis >= ndim) {
                    return Err(LayoutError::from(LayoutErrorKind::AxisOutOfRange {
                        axis,
                        shape: List::of(&shape),
                    })
                    .into());
                }
                to.generated(if own.is_some_and(<[usize]>::is_empty) {
                    Some(Axes::new())
                } else {
                    *dims
                });
            }
            Node::Along { dims: own, .. } => {
                let dims = placed(own, dims, shape.len())?;
                place(rest, shape, &dims, to)?;
            }
            Node::Numpy => {
                let dims = last(rest, dims, shape.len())?;
                place(rest, shape, &dims, to)?;
            }
            Node::Join(count) => left += count,
            Node::Exact => left += 3,
            Node::Buffered { size, root, opaque, fuses } => {
                left += 1;
                if root || !hoist(rest, shape, dims, size, to)? {
                    to.buffer(root, opaque, fuses);
                } else {
                    left -= 1;
                }
            }
        }
    }
    Ok(())
}

/// Takes off the operand of an operation that repeats in the result, which is then an operand
/// itself; false if it does not repeat.
fn hoist(
    rest: &mut Rest<'_, '_>,
    shape: &[usize],
    dims: &Placed,
    size: usize,
    to: &mut Operands,
) -> Result<bool, Error> {
    let mut nodes = rest.clone();
    let axes = varied(&mut nodes, shape.len(), dims)?;
    let Some(own) = hoisted(shape, axes) else { return Ok(false) };
    let buffered = |node: &&Node<'_>| matches!(node, Node::Buffered { .. });
    let within = rest.as_slice().len() - nodes.as_slice().len();
    let inner = rest.as_slice()[..within].iter().filter(buffered).count();
    // Its extents along its own axes.
    let own = match dims {
        None => own,
        Some(dims) => dims.iter().map(|&dim| own[usize::from(dim)]).collect(),
    };
    to.push(&own, &row_major(&own), size, dims, Source::Hoisted);
    to.hoist(own, inner);
    *rest = nodes;
    Ok(true)
}

/// Refuses a leaf that does not fit where it is placed: the rules have seen its shape, but where
/// the ranks are equal not its dims.
#[inline]
fn check_place(own: &[usize], shape: &[usize], dims: &Placed) -> Result<(), Error> {
    let fits = |axis: usize, to: usize| own[axis] == 1 || own[axis] == shape[to];
    let placed = match dims {
        // One element lies everywhere, whatever axes it was given.
        _ if own.is_empty() => true,
        None => own.len() == shape.len() && (0..own.len()).all(|axis| fits(axis, axis)),
        Some(dims) => {
            own.len() == dims.len()
                && (0..own.len()).all(|axis| fits(axis, usize::from(dims[axis])))
                && (1..own.len()).all(|axis| dims[axis - 1] < dims[axis])
        }
    };
    if placed { Ok(()) } else { Err(misplaced(own, shape, dims)) }
}

#[cold]
fn misplaced(own: &[usize], shape: &[usize], dims: &Placed) -> Error {
    let dims: List<usize> = match dims {
        None => (0..shape.len()).collect(),
        Some(dims) => dims.iter().map(|&dim| dim.into()).collect(),
    };
    binary_shape(own, shape, &dims).err().unwrap_or_else(|| {
        let (expected, found) = (own.len(), dims.len());
        LayoutError::from(LayoutErrorKind::RankMismatch { expected, found }).into()
    })
}

fn row_major(shape: &[usize]) -> Axes<isize> {
    let (mut strides, mut below) = (Axes::filled(0, shape.len()), 1);
    for axis in (0..shape.len()).rev() {
        strides[axis] = below;
        below *= shape[axis].max(1) as isize;
    }
    strides
}
