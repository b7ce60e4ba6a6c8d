//! [`Tree`]: an expression without its types: what is known of its leaves, and how they meet. Shapes are found here, once for all expressions.

use crate::kernel::Leaf;
use crate::plan::{Operands, Plan};
use crate::types::View;
use bcast::{Error, ErrorKind, binary_shape, degenerate_shape, ternary_shape};
use ndcore::{Axes, Dimension, Dyn, Element, expand_strides};
use smallvec::SmallVec;

/// The nodes of an expression, each before its operands.
#[derive(Debug, Default)]
pub struct Tree<'a> {
    /// On the stack for the expressions people write.
    nodes: SmallVec<[Node<'a>; 12]>,
}

/// A node that has a shape, or makes one of its operands' shapes.
#[derive(Clone, Copy, Debug)]
enum Node<'a> {
    Leaf {
        shape: &'a [usize],
        strides: &'a [isize],
        element_size: usize,
    },
    Scalar,
    /// What could not be computed.
    Error(&'a Error),
    /// The operand lies along these axes of a result; its rank may not be known yet.
    Along {
        dims: Result<Axes<usize>, &'a Error>,
        ndim: Option<usize>,
    },
    /// As many operands, by the binary rule one after the other.
    Join(usize),
    /// Three operands that have one shape, but for scalars: XLA's rule for `clamp` and `select`.
    Exact,
}

/// What is known of an expression's shape.
#[derive(Clone, Copy, Debug)]
enum Extents {
    /// All of it.
    Fixed(Axes<usize>),
    /// The extents along some axes (strictly increasing) of a result whose rank is not known yet.
    Lifted { shape: Axes<usize>, dims: Axes<usize> },
}

impl<'a> Tree<'a> {
    /// The next node is an array.
    pub fn leaf(&mut self, shape: &'a [usize], strides: &'a [isize], element_size: usize) {
        self.nodes.push(Node::Leaf { shape, strides, element_size });
    }

    /// The next node is a scalar.
    pub fn scalar(&mut self) {
        self.nodes.push(Node::Scalar);
    }

    /// The next node could not be computed.
    pub fn error(&mut self, error: &'a Error) {
        self.nodes.push(Node::Error(error));
    }

    /// The next node places the one after it along axes `dims` of a result, whose rank may be known.
    pub fn along(&mut self, dims: Result<Axes<usize>, &'a Error>, ndim: Option<usize>) {
        self.nodes.push(Node::Along { dims, ndim });
    }

    /// The next node joins the `count` operands after it.
    pub fn join(&mut self, count: usize) {
        if count > 1 {
            self.nodes.push(Node::Join(count));
        }
    }

    /// The next node joins the three operands after it, of which none stretches.
    pub fn exact(&mut self) {
        self.nodes.push(Node::Exact);
    }

    /// The shape of the result.
    pub fn shape(&self) -> Result<Axes<usize>, Error> {
        match self.extents()? {
            Extents::Fixed(shape) => Ok(shape),
            Extents::Lifted { shape, dims } => {
                Err(ErrorKind::NoResultRank { operand: shape.to_vec(), dims: dims.to_vec() }.into())
            }
        }
    }

    /// Refuses an expression that cannot be assigned to a destination of this shape: it may repeat along axes where its extent is 1, and
    /// a scalar anywhere, but the destination does not stretch.
    pub fn check_fits(&self, destination: &[usize]) -> Result<(), Error> {
        let target = Extents::Fixed(destination.iter().copied().collect());
        match meet(target, self.extents()?)? {
            Extents::Fixed(shape) if shape == *destination => Ok(()),
            _ => {
                let value = self.shape()?.to_vec();
                Err(ErrorKind::DoesNotFit { value, destination: destination.to_vec() }.into())
            }
        }
    }

    fn extents(&self) -> Result<Extents, Error> {
        extents(&mut self.nodes.iter())
    }

    /// The leaves placed in a result of this shape, which the expression has or fits.
    pub fn operands(&self, shape: &[usize]) -> Result<Operands, Error> {
        let mut operands = Operands::default();
        place(&mut self.nodes.iter(), shape, &(0..shape.len()).collect(), &mut operands)?;
        Ok(operands)
    }
}

/// What the leaves are bound to: a plan, in their order.
#[derive(Clone, Copy, Debug)]
pub struct Binding<'p> {
    shape: &'p [usize],
    operands: &'p Operands,
    plan: &'p Plan,
    next: usize,
}

impl<'p> Binding<'p> {
    /// For a result of this shape and these operands.
    pub fn new(shape: &'p [usize], operands: &'p Operands, plan: &'p Plan) -> Self {
        Binding { shape, operands, plan, next: 0 }
    }

    /// The plan.
    pub fn plan(&self) -> &'p Plan {
        self.plan
    }

    /// The next leaf in the order of the loops.
    pub fn leaf<'a, T: Element, R: Dimension>(&mut self, view: View<'a, T, R>) -> Leaf<'a, T> {
        let number = self.next;
        self.next += 1;
        let shape = self.shape.iter().copied().collect();
        let placed = view.expand::<Dyn>(shape, self.operands.dims(number)).expect("it was placed so for the plan");
        Leaf::new(placed.nested(&self.plan.nest), self.plan.access[number])
    }
}

/// An expression's nodes, as they are taken off one by one.
type Rest<'t, 'a> = std::slice::Iter<'t, Node<'a>>;

const INCOMPLETE: &str = "a node is followed by its operands";

fn extents(rest: &mut Rest<'_, '_>) -> Result<Extents, Error> {
    Ok(match *rest.next().expect(INCOMPLETE) {
        Node::Leaf { shape, .. } => Extents::Fixed(shape.iter().copied().collect()),
        Node::Scalar => Extents::Fixed(Axes::new()),
        Node::Error(error) => return Err(error.clone()),
        Node::Along { dims, ndim } => {
            // The dims first: an error there may speak of the operands as they were written.
            let dims = dims.map_err(Clone::clone)?;
            match (extents(rest)?, ndim) {
                (Extents::Fixed(shape), None) => Extents::Lifted { shape, dims },
                (Extents::Fixed(shape), Some(ndim)) => {
                    Extents::Fixed(binary_shape(&shape, &Axes::filled(1, ndim), &dims)?)
                }
                (Extents::Lifted { shape, dims }, _) => {
                    return Err(ErrorKind::NoResultRank { operand: shape.to_vec(), dims: dims.to_vec() }.into());
                }
            }
        }
        Node::Join(count) => {
            let mut all = extents(rest)?;
            for _ in 1..count {
                all = meet(all, extents(rest)?)?;
            }
            all
        }
        Node::Exact => exact([extents(rest)?, extents(rest)?, extents(rest)?])?,
    })
}

/// The leaves' strides along the axes of the result; axis `i` of the next node lies along axis `dims[i]` of it.
fn place(rest: &mut Rest<'_, '_>, shape: &[usize], dims: &Axes<usize>, to: &mut Operands) -> Result<(), Error> {
    let operands = match *rest.next().expect(INCOMPLETE) {
        Node::Leaf { shape: own, strides, element_size } => {
            // One element lies everywhere, whatever axes it was given.
            let dims = if own.is_empty() { Axes::new() } else { *dims };
            to.push(expand_strides(own, strides, shape, &dims)?, element_size, dims);
            0
        }
        Node::Scalar => 0,
        Node::Error(error) => return Err(error.clone()),
        Node::Along { dims: own, .. } => {
            let own = own.map_err(Clone::clone)?;
            return place(rest, shape, &own.iter().map(|&dim| dims[dim]).collect(), to);
        }
        Node::Join(count) => count,
        Node::Exact => 3,
    };
    for _ in 0..operands {
        place(rest, shape, dims, to)?;
    }
    Ok(())
}

/// The shape of two expressions together, by XLA's binary rule.
fn meet(lhs: Extents, rhs: Extents) -> Result<Extents, Error> {
    match (lhs, rhs) {
        (Extents::Fixed(lhs), Extents::Fixed(rhs)) => Ok(Extents::Fixed(binary_shape(&lhs, &rhs, &[])?)),
        (Extents::Fixed(fixed), Extents::Lifted { shape, dims })
        | (Extents::Lifted { shape, dims }, Extents::Fixed(fixed)) => {
            if fixed.is_empty() && !shape.is_empty() {
                // A scalar beside an operand that still looks for its rank.
                return Ok(Extents::Lifted { shape, dims });
            }
            if shape.len() > fixed.len() {
                return Err(ErrorKind::OperandRankTooHigh {
                    operand: shape.to_vec(),
                    target: fixed.to_vec(),
                    dims: dims.to_vec(),
                }
                .into());
            }
            Ok(Extents::Fixed(if matches!(lhs, Extents::Fixed(_)) {
                binary_shape(&fixed, &shape, &dims)?
            } else {
                binary_shape(&shape, &fixed, &dims)?
            }))
        }
        (Extents::Lifted { shape: a, dims: a_dims }, Extents::Lifted { shape: b, dims: b_dims }) => {
            // In the smallest rank that has all those axes, with extent 1 along those that neither names.
            let ndim = a_dims.iter().chain(b_dims.iter()).max().map_or(0, |last| last.saturating_add(1));
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
    // An operand with its own broadcast dimensions has said where it repeats; among the others it is no more than a scalar.
    let fixed = all.map(|extents| match extents {
        Extents::Fixed(shape) => shape,
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
        Extents::Fixed(stretched) if stretched != shape => {
            Err(ErrorKind::DoesNotFit { value: stretched.to_vec(), destination: shape.to_vec() }.into())
        }
        met => Ok(met),
    }
}
