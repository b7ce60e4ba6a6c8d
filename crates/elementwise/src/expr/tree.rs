//! [`Tree`]: an expression without its types: what is known of its leaves, and how they meet.
//! Shapes are found here, once for all expressions, and what is computed before the rest is
//! decided.

use super::along::TooManyAxes;
use super::few::Plain;
use crate::ops::OpInfo;
use crate::plan::{Operands, Source};
use bcast::{
    Error, ErrorKind, binary_shape, degenerate_shape, numpy_shape, suffix_dims, ternary_shape,
};
use ndcore::{Axes, LayoutError, LayoutErrorKind, List, MAX_NDIM, Short};
use smallvec::SmallVec;
use std::any::{Any, TypeId};
use std::ops::Deref;

/// What an expression shows its nodes to, each before its operands: the one traversal of an
/// expression that is not yet bound to memory. Asking for a shape and planning are visitors;
/// printing, costing and exporting can be.
///
/// ```
/// use elementwise::{ElementType, Expr, Operation, TooManyAxes, UnaryMethods, Visitor, array};
/// use ndcore::Axes;
/// use std::any::Any;
///
/// /// An expression in prefix notation.
/// #[derive(Default)]
/// struct Text(String);
///
/// impl<'a> Visitor<'a> for Text {
///     fn leaf(&mut self, shape: &'a [usize], _: &'a [isize], element: ElementType) {
///         self.0 += &format!("{}{shape:?} ", (element.name)());
///     }
///     fn scalar(&mut self, value: &'a dyn Any, _: ElementType) {
///         self.0 += &format!("{:?} ", value.downcast_ref::<f64>());
///     }
///     fn along(&mut self, dims: &'a Result<Axes<u16>, TooManyAxes>, _: Option<usize>) {
///         self.0 += &format!("along {dims:?} ");
///     }
///     fn numpy(&mut self) {}
///     fn join(&mut self, _: usize) {}
///     fn exact(&mut self) {}
///     fn op(&mut self, op: Operation<'a>) {
///         self.0 += &format!("{} ", op.name.unwrap_or("opaque"));
///     }
/// }
///
/// let (x, v) = (array![[1.0, 2.0]], array![1.0, 2.0]);
/// let mut text = Text::default();
/// ((&x - v.along([1])).exp() * 2.0).describe(&mut text);
/// assert_eq!(text.0, "mul exp sub f64[1, 2] along Ok([1]) f64[2] Some(2.0) ");
/// ```
pub trait Visitor<'a> {
    /// An array: its shape, its strides in elements, and the type of its elements.
    fn leaf(&mut self, shape: &'a [usize], strides: &'a [isize], element: ElementType);

    /// The elements of the array that is shown next, as a [`leaf`](Self::leaf).
    #[inline(always)]
    fn elements(&mut self, elements: &'a dyn Elements) {
        let _ = elements;
    }

    /// One value for all elements, of this type.
    fn scalar(&mut self, value: &'a dyn Any, element: ElementType);

    /// Elements that are a function of their index.
    fn generated(&mut self, of: OfIndex<'a>) {
        let _ = of;
    }

    /// The node after this one lies along axes `dims` of a result, whose rank may be known.
    fn along(&mut self, dims: &'a Result<Axes<u16>, TooManyAxes>, ndim: Option<usize>);

    /// What lies along axes has been shown.
    #[doc(hidden)]
    #[inline(always)]
    fn end_along(&mut self) {}

    /// The node after this one lies along the last axes of the result: NumPy's rule.
    fn numpy(&mut self);

    /// The `count` operands after this are walked together; they meet by the binary rule.
    fn join(&mut self, count: usize);

    /// The three operands after this have one shape, but for scalars: XLA's rule for `clamp` and
    /// `select`.
    fn exact(&mut self);

    /// An operation on the node after this one.
    fn op(&mut self, op: Operation<'a>);
}

impl<'a, V: Visitor<'a> + ?Sized> Visitor<'a> for &mut V {
    fn leaf(&mut self, shape: &'a [usize], strides: &'a [isize], element: ElementType) {
        (**self).leaf(shape, strides, element);
    }

    fn scalar(&mut self, value: &'a dyn Any, element: ElementType) {
        (**self).scalar(value, element);
    }

    fn elements(&mut self, elements: &'a dyn Elements) {
        (**self).elements(elements);
    }

    fn generated(&mut self, of: OfIndex<'a>) {
        (**self).generated(of);
    }

    fn along(&mut self, dims: &'a Result<Axes<u16>, TooManyAxes>, ndim: Option<usize>) {
        (**self).along(dims, ndim);
    }

    fn end_along(&mut self) {
        (**self).end_along();
    }

    fn numpy(&mut self) {
        (**self).numpy();
    }

    fn join(&mut self, count: usize) {
        (**self).join(count);
    }

    fn exact(&mut self) {
        (**self).exact();
    }

    fn op(&mut self, op: Operation<'a>) {
        (**self).op(op);
    }
}

/// The type of elements: its name, its size in bytes, and what tells it from others.
#[derive(Clone, Copy, Debug)]
pub struct ElementType {
    /// As the compiler spells it.
    pub name: fn() -> &'static str,
    /// The size, in bytes.
    pub size: usize,
    /// The type.
    pub id: TypeId,
}

impl ElementType {
    /// That of `T`.
    #[inline]
    pub fn of<T: 'static>() -> Self {
        ElementType { name: std::any::type_name::<T>, size: size_of::<T>(), id: TypeId::of::<T>() }
    }
}

/// The elements of an array of any type: for visitors that look at them.
pub trait Elements {
    /// The element at an index, if the array has it. Where the first one lies tells arrays apart.
    fn at(&self, index: &[usize]) -> Option<&dyn Any>;
}

/// What a [`Generator`](crate::Generator) says of its elements, which are a function of their
/// index.
#[derive(Clone, Copy, Debug)]
pub struct OfIndex<'a> {
    /// Its name, if it has one: see [`Generator::NAME`](crate::Generator::NAME).
    pub name: Option<&'static str>,
    /// What it was made of: see [`Generator::settings`](crate::Generator::settings).
    pub settings: Option<&'a dyn Any>,
    /// The shape, if it has one of its own.
    pub shape: Option<&'a [usize]>,
    /// The one axis along which the elements differ, if there is only one.
    pub axis: Option<usize>,
    /// The type of the elements.
    pub element: ElementType,
}

/// What an operation says of itself.
#[derive(Clone, Copy, Debug)]
pub struct Operation<'a> {
    /// Its name in the table of operations; `None` if it is opaque, as a closure is. What was put
    /// into a [`Boxed`](crate::Boxed) is shown below an operation `boxed`, which changes nothing.
    pub name: Option<&'static str>,
    /// What it carries beside its operands: see [`Op::settings`](crate::Op::settings).
    pub settings: Option<&'a dyn Any>,
    /// As [`Op::COST`](crate::Op::COST).
    pub cost: usize,
    /// Whether its results go through a buffer when it is the operand of another operation: then
    /// they may be computed before, at their own size.
    pub buffered: bool,
    /// Whether they go through none if they do not repeat, as those of closures.
    pub fuses: bool,
    /// The type of its results.
    pub output: ElementType,
}

impl Operation<'_> {
    /// Its row in the table of operations, if it has one.
    pub fn info(&self) -> Option<&'static OpInfo> {
        crate::ops::all_ops().find(|op| Some(op.name) == self.name)
    }
}

/// The nodes of an expression, each before its operands.
#[derive(Debug, Default)]
pub struct Tree<'a> {
    /// On the stack for the expressions people write.
    nodes: SmallVec<[Node<'a>; 16]>,
    /// Whether the node at the root has been met: an operation, or several operands.
    rooted: bool,
}

/// A node that has a shape, or makes one of its operands' shapes.
#[derive(Clone, Copy, Debug)]
enum Node<'a> {
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
        /// As [`Operation::cost`].
        cost: usize,
    },
}

/// What takes long is computed again wherever it repeats, if that is so little work altogether, in
/// additions of `f32`: to compute it before the rest takes a plan, which takes longer.
pub const REPEATED: usize = 1 << 12;

/// What an operation of this cost takes of that for an element: next to nothing where it is computed
/// as part of what it is an operand of.
pub const fn again(cost: usize, fuses: bool) -> usize {
    if fuses { 1 } else { cost }
}

impl<'a> Visitor<'a> for Tree<'a> {
    // Not inlined, as the others: what an expression says of its nodes should be little code.
    #[inline(never)]
    fn leaf(&mut self, shape: &'a [usize], strides: &'a [isize], element: ElementType) {
        self.nodes.push(Node::Leaf { shape, strides, size: element.size });
    }

    #[inline(never)]
    fn scalar(&mut self, _: &'a dyn Any, _: ElementType) {
        self.nodes.push(Node::Scalar);
    }

    #[inline(never)]
    fn generated(&mut self, of: OfIndex<'a>) {
        self.nodes.push(Node::Generated { shape: of.shape, axis: of.axis });
    }

    #[inline(never)]
    fn along(&mut self, dims: &'a Result<Axes<u16>, TooManyAxes>, ndim: Option<usize>) {
        self.nodes.push(Node::Along { dims, ndim });
    }

    #[inline(never)]
    fn numpy(&mut self) {
        self.nodes.push(Node::Numpy);
    }

    #[inline(never)]
    fn join(&mut self, count: usize) {
        self.rooted = true;
        if count > 1 {
            self.nodes.push(Node::Join(count));
        }
    }

    #[inline(never)]
    fn exact(&mut self) {
        self.rooted = true;
        self.nodes.push(Node::Exact);
    }

    #[inline(always)]
    fn op(&mut self, op: Operation<'a>) {
        if op.buffered {
            self.buffered(op.output.size, op.name.is_none(), op.fuses, op.cost);
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

/// What is known of an expression's shape.
#[derive(Clone, Copy, Debug)]
enum Extents {
    /// All of it.
    Fixed(Axes<usize>),
    /// All of it, and it may lie along the last axes of a higher rank.
    Numpy(Axes<usize>),
    /// The extents along some axes (strictly increasing) of a result whose rank is not known yet.
    Lifted { shape: Axes<usize>, dims: Axes<usize> },
}

/// Which nodes are part of what lies along axes: so many of it have not been met.
#[derive(Default)]
struct Within(usize);

impl Within {
    /// Whether the next node is.
    fn meet(&mut self, node: &Node<'_>) -> bool {
        let operands = match *node {
            Node::Leaf { .. } | Node::Scalar | Node::Generated { .. } => 0,
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

    /// Whether nothing is left of what was met last.
    fn is_over(&self) -> bool {
        self.0 == 0
    }
}

impl<'a> Tree<'a> {
    #[inline(never)]
    fn buffered(&mut self, size: usize, opaque: bool, fuses: bool, cost: usize) {
        self.nodes.push(Node::Buffered { size, root: !self.rooted, opaque, fuses, cost });
    }

    /// The shape of the arrays that are not lifted, all of one rank, where extents of 1 stretch;
    /// whether they fit each other is not looked at.
    pub fn stretched(&self) -> Option<Short<usize>> {
        let mut all: Option<Short<usize>> = None;
        let mut within = Within::default();
        for node in &self.nodes {
            let lifted = within.meet(node);
            let (Node::Leaf { shape, .. } | Node::Generated { shape: Some(shape), .. }) = *node
            else {
                continue;
            };
            match &mut all {
                _ if lifted => {}
                None => all = Some(Short::from_slice(shape)),
                Some(all) => {
                    for (all, own) in all.iter_mut().zip(shape) {
                        *all = if *all == 1 { *own } else { *all };
                    }
                }
            }
        }
        all
    }

    /// Whether it is plain how the expression repeats in a result of this shape, and if so, whether
    /// a new result is in row-major order: see [`Plain`].
    pub fn plain(&self, result: &[usize]) -> Option<bool> {
        let mut plain = Plain::of(result);
        let len = result.iter().fold(1_usize, |len, &n| len.saturating_mul(n));
        let mut repeated = 0_usize;
        let mut within = Within::default();
        for node in &self.nodes {
            let lifted = within.meet(node);
            match *node {
                Node::Leaf { shape, strides, .. } => plain.array(shape, strides),
                Node::Scalar | Node::Join(_) | Node::Numpy => {}
                Node::Generated { shape, axis } => plain.function(shape, axis),
                Node::Along { dims, ndim } => plain.lift(dims, ndim),
                Node::Exact => plain.exact(),
                Node::Buffered { root, opaque, fuses, cost, .. } => {
                    repeated = repeated.saturating_add(again(cost, fuses).saturating_mul(len));
                    if opaque || repeated > REPEATED {
                        plain.long(root);
                    }
                }
            }
            if lifted && within.is_over() {
                plain.unlift();
            }
        }
        plain.row_major()
    }

    /// The shape of a result, if it is plain how the expression repeats in it, and the result is in
    /// row-major order where that is asked for; and the number of its elements, of which there are
    /// some.
    pub fn plain_shape(&self, ordered: bool) -> Option<(Short<usize>, usize)> {
        let shape = self.stretched()?;
        let len = shape.iter().try_fold(1_usize, |len, &extent| len.checked_mul(extent))?;
        let row_major = self.plain(&shape)?;
        (len > 0 && (row_major || !ordered)).then_some((shape, len))
    }

    /// Whether some elements are made from their indices.
    pub fn generates(&self) -> bool {
        self.nodes.iter().any(|node| matches!(node, Node::Generated { .. }))
    }

    /// The bytes of all operands, if each was as long as a result of so many elements.
    pub fn bytes(&self, len: usize) -> usize {
        let size = |node: &Node<'_>| if let Node::Leaf { size, .. } = node { *size } else { 0 };
        len.saturating_mul(self.nodes.iter().map(size).sum())
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
                Node::Along { .. } | Node::Exact => return false,
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

fn extents(rest: &mut Rest<'_, '_>) -> Result<Extents, Error> {
    Ok(match *rest.next().expect(INCOMPLETE) {
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
fn as_written(err: Error, lhs: &[Node<'_>], rhs: &[Node<'_>]) -> Error {
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
        Node::Scalar | Node::Generated { shape: None, .. } => 0,
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
fn varied(rest: &mut Rest<'_, '_>, ndim: usize, dims: &Placed) -> Result<u32, Error> {
    let operands = match *rest.next().expect(INCOMPLETE) {
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
fn hoisted(shape: &[usize], varied: u32) -> Option<Axes<usize>> {
    let varies = |axis: usize| varied & (1 << axis) != 0;
    let repeats = (0..shape.len()).any(|axis| !varies(axis) && shape[axis] != 1);
    let own = |axis: usize| if varies(axis) { shape[axis] } else { 1 };
    repeats.then(|| (0..shape.len()).map(own).collect())
}

/// Places the leaves of a node along the axes of the result.
fn place(
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
            Node::Buffered { size, root, opaque, fuses, .. } => {
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

/// The shape of two expressions together, by XLA's binary rule, or by NumPy's.
fn meet(lhs: Extents, rhs: Extents) -> Result<Extents, Error> {
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
