//! [`Tree`]: an expression without its types: what is known of its leaves, and how they meet.
//! Shapes are found here, once for all expressions, and what is computed before the rest is
//! decided.

mod extents;
mod place;

use super::Expr;
use super::along::TooManyAxes;
use super::visitor::{ElementType, OfIndex, Operation, Visitor};
use crate::plan::Operands;
use bcast::{Error, ErrorKind};
use extents::{Extents, as_written, extents, meet};
use ndcore::{Axes, List};
use place::{hoisted, place, varied};
use smallvec::SmallVec;
use std::any::Any;
use std::ops::Deref;

/// The nodes of an expression, each before its operands.
#[derive(Debug, Default)]
pub struct Tree<'a> {
    /// On the stack for the expressions people write.
    nodes: SmallVec<[Node<'a>; 16]>,
    /// Whether the node at the root has been met: an operation, or several operands.
    rooted: bool,
    /// Whether there was no memory for a node: then there is one alone, which says so.
    lacking: bool,
}

/// A node that has a shape, or makes one of its operands' shapes.
#[derive(Clone, Copy, Debug)]
enum Node<'a> {
    /// There was no memory for the nodes.
    Lacking,
    Leaf {
        shape: &'a [usize],
        strides: &'a [isize],
        size: usize,
    },
    Scalar,
    Generated {
        shape: Option<&'a [usize]>,
        axis: Option<usize>,
    },
    Along {
        dims: &'a Result<Axes<u16>, TooManyAxes>,
        ndim: Option<usize>,
    },
    /// The node after this one lies along the last axes.
    Numpy,
    Join(usize),
    Exact,
    /// An operation whose results go through a buffer, or are computed before the rest if they
    /// repeat, unless it is the root; others leave no node.
    Buffered {
        size: usize,
        root: bool,
        /// Whether it is a closure.
        opaque: bool,
        /// As [`Operation::fuses`].
        fuses: bool,
    },
}

impl<'a> Visitor<'a> for Tree<'a> {
    // Not inlined, as the others: what an expression says of its nodes should be little code.
    #[inline(never)]
    fn leaf(&mut self, shape: &'a [usize], strides: &'a [isize], element: ElementType) {
        self.node(Node::Leaf { shape, strides, size: element.size });
    }

    #[inline(never)]
    fn scalar(&mut self, _: &'a dyn Any, _: ElementType) {
        self.node(Node::Scalar);
    }

    #[inline(never)]
    fn generated(&mut self, of: OfIndex<'a>) {
        self.node(Node::Generated { shape: of.shape, axis: of.axis });
    }

    #[inline(never)]
    fn along(&mut self, dims: &'a Result<Axes<u16>, TooManyAxes>, ndim: Option<usize>) {
        self.node(Node::Along { dims, ndim });
    }

    #[inline(never)]
    fn numpy(&mut self) {
        self.node(Node::Numpy);
    }

    #[inline(never)]
    fn join(&mut self, count: usize) {
        self.rooted = true;
        if count > 1 {
            self.node(Node::Join(count));
        }
    }

    #[inline(never)]
    fn exact(&mut self) {
        self.rooted = true;
        self.node(Node::Exact);
    }

    #[inline(always)]
    fn op(&mut self, op: Operation<'a>) {
        if op.buffered {
            self.buffered(op.output.size, op.name.is_none(), op.fuses);
        }
        self.rooted = true;
    }
}

/// The shape of a result: that of one of its operands, or one of its own.
#[derive(Clone, Copy, Debug)]
pub enum Shape<'a> {
    /// That of an operand, or of a destination.
    Of(&'a [usize]),
    /// Another one.
    Own(Axes<usize>),
}

impl Deref for Shape<'_> {
    type Target = [usize];

    #[inline]
    fn deref(&self) -> &[usize] {
        match self {
            Shape::Of(shape) => shape,
            Shape::Own(shape) => shape,
        }
    }
}

/// Which nodes are part of what lies along axes: so many of it have not been met.
#[derive(Default)]
struct Within(usize);

impl Within {
    /// Whether the next node is.
    fn meet(&mut self, node: &Node<'_>) -> bool {
        let operands = match *node {
            Node::Leaf { .. } | Node::Scalar | Node::Generated { .. } | Node::Lacking => 0,
            Node::Along { .. } if self.0 == 0 => {
                self.0 = 1;
                return false;
            }
            Node::Along { .. } | Node::Numpy | Node::Buffered { .. } => 1,
            Node::Join(count) => count,
            Node::Exact => 3,
        };
        let within = self.0 > 0;
        if within {
            self.0 = self.0 + operands - 1;
        }
        within
    }
}

impl<'a> Tree<'a> {
    /// That of an expression.
    #[inline(always)]
    pub fn of<E: Expr>(expr: &'a E) -> Self {
        let mut tree = Tree::default();
        expr.describe(&mut tree);
        tree
    }

    #[inline]
    fn node(&mut self, node: Node<'a>) {
        if self.lacking || self.nodes.try_reserve(1).is_err() {
            self.lacking = true;
            self.nodes.truncate(0);
        }
        self.nodes.push(if self.lacking { Node::Lacking } else { node });
    }

    #[inline(never)]
    fn buffered(&mut self, size: usize, opaque: bool, fuses: bool) {
        self.node(Node::Buffered { size, root: !self.rooted, opaque, fuses });
    }

    /// The shape of the result.
    #[inline]
    pub fn shape(&self) -> Result<Shape<'a>, Error> {
        // Most often it is that of the first array that is not lifted.
        let mut within = Within::default();
        for node in &self.nodes {
            if let (Node::Leaf { shape, .. } | Node::Generated { shape: Some(shape), .. }, false) =
                (*node, within.meet(node))
            {
                return if self.repeats_to(shape) { Ok(Shape::Of(shape)) } else { self.own() };
            }
        }
        self.own()
    }

    /// The shape by the rules, node by node.
    #[cold]
    fn own(&self) -> Result<Shape<'a>, Error> {
        match self.extents()? {
            Extents::Fixed(shape) | Extents::Numpy(shape) => Ok(Shape::Own(shape)),
            Extents::Lifted { shape, dims } => {
                let (operand, dims) = (List::of(&shape), List::of(&dims));
                Err(ErrorKind::NoResultRank { operand, dims }.into())
            }
        }
    }

    /// Whether it is plain that the expression repeats to a result of this shape: each array has
    /// it, or extents of 1 instead, or lies along axes of it. Whatever is not plain is for the
    /// rules.
    #[inline]
    fn repeats_to(&self, result: &[usize]) -> bool {
        let mut nodes = self.nodes.iter();
        let fits = |own: usize, to: usize| own == to || own == 1;
        while let Some(node) = nodes.next() {
            match *node {
                Node::Leaf { shape, .. } | Node::Generated { shape: Some(shape), .. } => {
                    let same_rank = shape.len() == result.len();
                    if !same_rank || !shape.iter().zip(result).all(|(own, to)| fits(*own, *to)) {
                        return false;
                    }
                }
                Node::Along { dims: Ok(dims), ndim } => {
                    // An operation on what lies there changes no shape.
                    let mut inner = nodes.next();
                    while let Some(Node::Buffered { .. } | Node::Numpy) = inner {
                        inner = nodes.next();
                    }
                    let (
                        Some(Node::Leaf { shape, .. } | Node::Generated { shape: Some(shape), .. }),
                        true,
                    ) = (inner, ndim.is_none_or(|ndim| ndim == result.len()))
                    else {
                        return false;
                    };
                    let mut next = 0;
                    for (axis, &dim) in dims.iter().enumerate() {
                        let dim = usize::from(dim);
                        let along = shape.len() == dims.len() && dim >= next && dim < result.len();
                        if !along || !fits(shape[axis], result[dim]) {
                            return false;
                        }
                        next = dim + 1;
                    }
                    if shape.len() != dims.len() {
                        return false;
                    }
                }
                Node::Along { .. } | Node::Exact | Node::Lacking => return false,
                Node::Generated { axis, .. } => {
                    if axis.is_some_and(|axis| axis >= result.len()) {
                        return false;
                    }
                }
                // What has the rank of the result lies along all of its axes.
                Node::Scalar | Node::Numpy | Node::Join(_) | Node::Buffered { .. } => {}
            }
        }
        true
    }

    /// Refuses an expression that cannot be assigned to a destination of this shape: it may repeat
    /// along axes where its extent is 1, and a scalar anywhere, but the destination does not
    /// stretch.
    #[inline]
    pub fn check_fits(&self, destination: &[usize]) -> Result<(), Error> {
        if self.repeats_to(destination) { Ok(()) } else { self.check_by_rules(destination) }
    }

    #[cold]
    fn check_by_rules(&self, destination: &[usize]) -> Result<(), Error> {
        let target = Extents::Fixed(destination.iter().copied().collect());
        let met = meet(target, self.extents()?);
        match met.map_err(|err| as_written(err, &[], &self.nodes))? {
            Extents::Fixed(shape) if shape == *destination => Ok(()),
            _ => {
                let value = List::of(&*self.shape()?);
                Err(ErrorKind::DoesNotFit { value, destination: List::of(&destination) }.into())
            }
        }
    }

    fn extents(&self) -> Result<Extents, Error> {
        extents(&mut self.nodes.iter())
    }

    /// The leaves placed in a result of this shape, which the expression has or fits.
    ///
    /// A buffered operation all of whose leaves repeat in the result is computed before the rest:
    /// then it is the operand, and not its leaves.
    pub fn operands(&self, shape: &[usize]) -> Result<Operands, Error> {
        let mut operands = Operands::new(shape.len());
        place(&mut self.nodes.iter(), shape, &None, &mut operands)?;
        if operands.is_lacking() { Err(Error::no_memory()) } else { Ok(operands) }
    }

    /// The extents of the operation that is the whole expression, if it is buffered and repeats in
    /// a result of this shape.
    pub fn repeats(&self, shape: &[usize]) -> Result<Option<Axes<usize>>, Error> {
        let root = self.nodes.iter().find(|node| !matches!(node, Node::Along { .. } | Node::Numpy));
        if !matches!(root, Some(Node::Buffered { root: true, .. })) {
            return Ok(None);
        }
        let varied = varied(&mut self.nodes.iter(), shape.len(), &None)?;
        Ok(hoisted(shape, varied))
    }
}

/// An expression's nodes, as they are taken off one by one.
type Rest<'t, 'a> = std::slice::Iter<'t, Node<'a>>;

const INCOMPLETE: &str = "a node is followed by its operands";

fn wide(dims: &Axes<u16>) -> Axes<usize> {
    dims.iter().copied().map(usize::from).collect()
}
