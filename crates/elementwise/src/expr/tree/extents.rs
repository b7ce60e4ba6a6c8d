//! The shape of an expression, and what is said where operands do not fit.

use super::{INCOMPLETE, Node, Rest, wide};
use bcast::{Error, ErrorKind, binary_shape, degenerate_shape, numpy_shape, ternary_shape};
use ndcore::{Axes, List};

/// What is known of an expression's shape.
#[derive(Clone, Copy, Debug)]
pub(super) enum Extents {
    /// All of it.
    Fixed(Axes<usize>),
    /// All of it, and it may lie along the last axes of a higher rank.
    Numpy(Axes<usize>),
    /// The extents along some axes (strictly increasing) of a result whose rank is not known yet.
    Lifted { shape: Axes<usize>, dims: Axes<usize> },
}

pub(super) fn extents(rest: &mut Rest<'_, '_>) -> Result<Extents, Error> {
    Ok(match *rest.next().expect(INCOMPLETE) {
        Node::Lacking => return Err(Error::no_memory()),
        Node::Leaf { shape, .. } | Node::Generated { shape: Some(shape), .. } => {
            Extents::Fixed(shape.iter().copied().collect())
        }
        Node::Scalar | Node::Generated { shape: None, .. } => Extents::Fixed(Axes::new()),
        Node::Buffered { .. } => extents(rest)?,
        Node::Numpy => match extents(rest)? {
            Extents::Fixed(shape) => Extents::Numpy(shape),
            other => other,
        },
        Node::Along { dims, ndim } => {
            // The dims first: an error there may speak of the operands as they were written.
            let dims = dims.as_ref().map(wide).map_err(|&err| err)?;
            match (extents(rest)?, ndim) {
                (Extents::Fixed(shape) | Extents::Numpy(shape), None) => {
                    Extents::Lifted { shape, dims }
                }
                (Extents::Fixed(shape) | Extents::Numpy(shape), Some(ndim)) => {
                    Extents::Fixed(binary_shape(&shape, &Axes::filled(1, ndim), &dims)?)
                }
                (Extents::Lifted { shape, dims }, _) => {
                    let (operand, dims) = (List::of(&shape), List::of(&dims));
                    return Err(ErrorKind::NoResultRank { operand, dims }.into());
                }
            }
        }
        Node::Join(count) => {
            let first = rest.clone();
            let mut all = extents(rest)?;
            for _ in 1..count {
                let second = rest.clone();
                let next = extents(rest)?;
                all = meet(all, next).map_err(|err| {
                    as_written(err, nodes_to(&first, &second), nodes_to(&second, rest))
                })?;
            }
            all
        }
        Node::Exact => exact([extents(rest)?, extents(rest)?, extents(rest)?])?,
    })
}

/// The nodes from one place to a later one.
fn nodes_to<'t, 'a>(from: &Rest<'t, 'a>, to: &Rest<'t, 'a>) -> &'t [Node<'a>] {
    let nodes = from.as_slice();
    &nodes[..nodes.len() - to.as_slice().len()]
}

/// The same error of the arrays that were written, where it is one of shapes that came of several
/// of them: the first array to be blamed of each side.
#[cold]
pub(super) fn as_written(err: Error, lhs: &[Node<'_>], rhs: &[Node<'_>]) -> Error {
    let blame = |side: &[Node<'_>], shape: &mut List<usize>, from_last: usize, extent: usize| {
        let at_fault = |own: &[usize], aligned: bool| {
            (aligned || own.len() == shape.len()) && own.iter().nth_back(from_last) == Some(&extent)
        };
        let found = array_of(side, &at_fault);
        found.inspect(|own| *shape = List::of(own)).is_some()
    };
    let ranked = |side: &[Node<'_>], shape: &mut List<usize>| {
        let whole = array_of(side, &|own, _| own == &shape[..]);
        let ranked = || array_of(side, &|own, _| own.len() == shape.len());
        if let Some(own) = whole.or_else(ranked) {
            *shape = List::of(own);
        }
    };
    let mut kind = err.into_kind();
    match &mut kind {
        ErrorKind::Incompatible { lhs: left, rhs: right, axis, lhs_extent, rhs_extent } => {
            let from_last = left.len().max(right.len()) - 1 - *axis;
            blame(lhs, left, from_last, *lhs_extent);
            blame(rhs, right, from_last, *rhs_extent);
        }
        ErrorKind::DimExtent { target, dim, target_extent, .. } => {
            let from_last = target.len() - 1 - *dim;
            let _ = blame(lhs, target, from_last, *target_extent)
                || blame(rhs, target, from_last, *target_extent);
        }
        ErrorKind::UnequalRanks { lhs: left, rhs: right } => {
            ranked(lhs, left);
            ranked(rhs, right);
        }
        _ => {}
    }
    kind.into()
}

/// The shape of the first array at fault of several expressions.
fn array_of<'a>(
    nodes: &[Node<'a>],
    at_fault: &dyn Fn(&[usize], bool) -> bool,
) -> Option<&'a [usize]> {
    let mut rest = nodes.iter();
    let mut found = None;
    while found.is_none() && !rest.as_slice().is_empty() {
        found = array(&mut rest, false, at_fault);
    }
    found
}

/// The shape of the first array of an expression that is at fault, and was not given axes to lie
/// along. Whether an array is `aligned` by NumPy's rule is told, too.
fn array<'a>(
    rest: &mut Rest<'_, 'a>,
    aligned: bool,
    at_fault: &dyn Fn(&[usize], bool) -> bool,
) -> Option<&'a [usize]> {
    let operands = match *rest.next()? {
        Node::Leaf { shape, .. } | Node::Generated { shape: Some(shape), .. } => {
            return Some(shape).filter(|shape| at_fault(shape, aligned));
        }
        Node::Along { .. } => {
            array(rest, aligned, &|_, _| false);
            return None;
        }
        Node::Numpy => return array(rest, true, at_fault),
        Node::Scalar | Node::Generated { shape: None, .. } | Node::Lacking => 0,
        Node::Buffered { .. } => 1,
        Node::Join(count) => count,
        Node::Exact => 3,
    };
    let mut found = None;
    for _ in 0..operands {
        let next = array(rest, aligned, at_fault);
        found = found.or(next);
    }
    found
}

/// The shape of two expressions together, by XLA's binary rule, or by NumPy's.
pub(super) fn meet(lhs: Extents, rhs: Extents) -> Result<Extents, Error> {
    match (lhs, rhs) {
        (Extents::Numpy(lhs), Extents::Numpy(rhs)) => Ok(Extents::Numpy(numpy_shape(&lhs, &rhs)?)),
        // Scalars have no say.
        (Extents::Numpy(shape), Extents::Fixed(scalar))
        | (Extents::Fixed(scalar), Extents::Numpy(shape))
            if scalar.is_empty() =>
        {
            Ok(Extents::Numpy(shape))
        }
        // A result that is not under NumPy's rule has its rank from what is not.
        (Extents::Numpy(lower), Extents::Fixed(shape)) if lower.len() <= shape.len() => {
            Ok(Extents::Fixed(numpy_shape(&lower, &shape)?))
        }
        (Extents::Fixed(shape), Extents::Numpy(lower)) if lower.len() <= shape.len() => {
            Ok(Extents::Fixed(numpy_shape(&shape, &lower)?))
        }
        (Extents::Numpy(lhs), rhs) => meet(Extents::Fixed(lhs), rhs),
        (lhs, Extents::Numpy(rhs)) => meet(lhs, Extents::Fixed(rhs)),
        (Extents::Fixed(lhs), Extents::Fixed(rhs)) => {
            Ok(Extents::Fixed(binary_shape(&lhs, &rhs, &[])?))
        }
        (Extents::Fixed(fixed), Extents::Lifted { shape, dims })
        | (Extents::Lifted { shape, dims }, Extents::Fixed(fixed)) => {
            if fixed.is_empty() && !shape.is_empty() {
                // A scalar beside an operand that still looks for its rank.
                return Ok(Extents::Lifted { shape, dims });
            }
            if shape.len() > fixed.len() {
                return Err(ErrorKind::OperandRankTooHigh {
                    operand: List::of(&shape),
                    target: List::of(&fixed),
                    dims: List::of(&dims),
                }
                .into());
            }
            Ok(Extents::Fixed(if matches!(lhs, Extents::Fixed(_)) {
                binary_shape(&fixed, &shape, &dims)?
            } else {
                binary_shape(&shape, &fixed, &dims)?
            }))
        }
        (
            Extents::Lifted { shape: a, dims: a_dims },
            Extents::Lifted { shape: b, dims: b_dims },
        ) => {
            // In the smallest rank that has all those axes, with extent 1 along those that neither
            // names.
            let ndim =
                a_dims.iter().chain(b_dims.iter()).max().map_or(0, |last| last.saturating_add(1));
            let a = spread(&a, &a_dims, ndim)?;
            let b = spread(&b, &b_dims, ndim)?;
            let all = degenerate_shape(&a, &b)?;
            let (mut shape, mut dims) = (Axes::new(), Axes::new());
            for axis in (0..ndim).filter(|axis| a_dims.contains(axis) || b_dims.contains(axis)) {
                shape.push(all[axis]);
                dims.push(axis);
            }
            Ok(Extents::Lifted { shape, dims })
        }
    }
}

/// A lifted shape in rank `ndim`, with extent 1 along the axes it does not name.
fn spread(shape: &[usize], dims: &[usize], ndim: usize) -> Result<Axes<usize>, Error> {
    if ndim > ndcore::MAX_NDIM {
        return Err(ErrorKind::RankTooHigh { ndim, max: ndcore::MAX_NDIM }.into());
    }
    binary_shape(shape, &Axes::filled(1, ndim), dims)
}

/// The shape of three expressions by XLA's rule for `clamp` and `select`.
fn exact(all: [Extents; 3]) -> Result<Extents, Error> {
    // An operand with its own broadcast dimensions has said where it repeats; among the others it
    // is no more than a scalar.
    let fixed = all.map(|extents| match extents {
        Extents::Fixed(shape) | Extents::Numpy(shape) => shape,
        Extents::Lifted { .. } => Axes::new(),
    });
    let shape = ternary_shape([&fixed[0], &fixed[1], &fixed[2]])?;
    let mut met = Extents::Fixed(shape);
    for extents in all {
        if let Extents::Lifted { .. } = extents {
            met = meet(met, extents)?;
        }
    }
    match met {
        // It may repeat, but the result does not stretch to it.
        Extents::Fixed(stretched) if stretched != shape => Err(ErrorKind::DoesNotFit {
            value: List::of(&stretched),
            destination: List::of(&shape),
        }
        .into()),
        met => Ok(met),
    }
}
