//! Binding: from an expression to what a kernel reads; and the visitors that find out whether that
//! takes a plan.
//!
//! Binders are asked in the order in which nodes are shown to visitors: so the next leaf is the
//! next operand of the plan.

use super::along::TooManyAxes;
use super::tree::{ElementType, Operation};
use super::{Expr, Visitor};
use crate::exec::Exec;
use crate::kernel::{Isa, Leaf, Ready};
use crate::plan::{Operands, Plan};
use crate::types::{Array, View};
use bcast::Error;
use ndcore::{Axes, Dimension, Dyn, Element, Packed, Short};
use std::any::Any;
use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};

/// What the nodes of an expression are bound by, in the order in which they are shown to a
/// [`Visitor`].
pub trait Binder<'a> {
    /// An array: a view of it, or so many elements from its first one on as they lie in memory.
    fn leaf<T: Element, R: Dimension>(
        &mut self,
        view: impl FnOnce() -> View<'a, T, R>,
        memory: impl FnOnce(usize) -> Option<&'a [T]>,
    ) -> Leaf<'a, T>;

    /// What follows lies along these axes of the result.
    #[inline(always)]
    fn along(&mut self, _: &'a Result<Axes<u16>, TooManyAxes>) {}

    /// Several operands follow.
    fn operands(&mut self);

    /// An operation, and whether its results go through a buffer where it is an operand: then where
    /// they are.
    fn op<T: Element>(&mut self, buffered: bool) -> Option<Box<Ready<'a, T>>>;

    /// The operands of an operation, whose results are `ready`, follow or have been bound.
    fn within(&mut self, hoisted: bool, begins: bool);

    /// This binder by a type that names all of them: for expressions whose type is not known.
    fn any(&mut self) -> AnyBinder<'_, 'a>;
}

/// One of the binders.
#[derive(Debug)]
pub enum AnyBinder<'b, 'a> {
    Planned(&'b mut Binding<'a>),
    Flat(&'b mut Flat),
    Copies(&'b mut Copies<'a>),
}

macro_rules! any {
    ($any:expr, $binder:ident => $call:expr) => {
        match $any {
            AnyBinder::Planned($binder) => $call,
            AnyBinder::Flat($binder) => $call,
            AnyBinder::Copies($binder) => $call,
        }
    };
}

impl<'a> Binder<'a> for AnyBinder<'_, 'a> {
    fn leaf<T: Element, R: Dimension>(
        &mut self,
        view: impl FnOnce() -> View<'a, T, R>,
        memory: impl FnOnce(usize) -> Option<&'a [T]>,
    ) -> Leaf<'a, T> {
        any!(self, binder => binder.leaf(view, memory))
    }

    fn along(&mut self, dims: &'a Result<Axes<u16>, TooManyAxes>) {
        any!(self, binder => binder.along(dims));
    }

    fn operands(&mut self) {
        any!(self, binder => binder.operands());
    }

    fn op<T: Element>(&mut self, buffered: bool) -> Option<Box<Ready<'a, T>>> {
        any!(self, binder => binder.op(buffered))
    }

    fn within(&mut self, hoisted: bool, begins: bool) {
        any!(self, binder => binder.within(hoisted, begins));
    }

    fn any(&mut self) -> AnyBinder<'_, 'a> {
        any!(self, binder => binder.any())
    }
}

/// By a plan.
#[derive(Clone, Copy, Debug)]
pub struct Binding<'a> {
    pub shape: &'a [usize],
    pub operands: &'a Operands,
    pub plan: &'a Plan,
    pub hoisted: &'a Hoisted,
    pub isa: Isa,
    /// The next operand, and the next buffered operation.
    next: usize,
    node: usize,
    /// In how many operations that were computed before this node is.
    absent: usize,
    rooted: bool,
}

impl<'a> Binding<'a> {
    /// For a result of this shape.
    pub fn new(
        shape: &'a [usize],
        operands: &'a Operands,
        plan: &'a Plan,
        hoisted: &'a Hoisted,
        isa: Isa,
    ) -> Self {
        Binding { shape, operands, plan, hoisted, isa, next: 0, node: 0, absent: 0, rooted: false }
    }

    fn nested<T: Element, R: Dimension>(&mut self, view: View<'a, T, R>) -> Leaf<'a, T> {
        let number = self.next;
        self.next += 1;
        let dims = self.operands.get(number).dims.as_deref();
        let nested = view.nested(self.shape, dims, &self.plan.nest);
        Leaf::nested(nested, self.plan.access[number])
    }
}

impl<'a> Binder<'a> for Binding<'a> {
    fn leaf<T: Element, R: Dimension>(
        &mut self,
        view: impl FnOnce() -> View<'a, T, R>,
        _: impl FnOnce(usize) -> Option<&'a [T]>,
    ) -> Leaf<'a, T> {
        if self.absent > 0 { Leaf::Absent } else { self.nested(view()) }
    }

    #[inline]
    fn operands(&mut self) {
        self.rooted = true;
    }

    #[inline]
    fn op<T: Element>(&mut self, buffered: bool) -> Option<Box<Ready<'a, T>>> {
        let root = !std::mem::replace(&mut self.rooted, true);
        if !buffered {
            return None;
        }
        let node = self.node;
        self.node += 1;
        if root || self.absent > 0 {
            return None;
        }
        Some(Box::new(match self.hoisted.get::<T>(node) {
            Some(array) => Ready::Hoisted(self.nested(array.view())),
            None => Ready::Buffer(Packed::new(), self.isa),
        }))
    }

    #[inline]
    fn within(&mut self, hoisted: bool, begins: bool) {
        if hoisted {
            self.absent = if begins { self.absent + 1 } else { self.absent - 1 };
        }
    }

    fn any(&mut self) -> AnyBinder<'_, 'a> {
        AnyBinder::Planned(self)
    }
}

/// To the memory of all arrays as it lies, because they all lie as the result does.
#[derive(Clone, Copy, Debug)]
pub struct Flat {
    pub len: usize,
    pub isa: Isa,
    rooted: bool,
}

impl Flat {
    /// For so many elements.
    #[inline]
    fn new(len: usize, isa: Isa) -> Self {
        Flat { len, isa, rooted: false }
    }
}

impl<'a> Binder<'a> for Flat {
    #[inline(always)]
    fn leaf<T: Element, R: Dimension>(
        &mut self,
        _: impl FnOnce() -> View<'a, T, R>,
        memory: impl FnOnce(usize) -> Option<&'a [T]>,
    ) -> Leaf<'a, T> {
        Leaf::Flat(memory(self.len).expect("arrays that lie as the result does"))
    }

    #[inline(always)]
    fn operands(&mut self) {
        self.rooted = true;
    }

    #[inline(always)]
    fn op<T: Element>(&mut self, buffered: bool) -> Option<Box<Ready<'a, T>>> {
        let root = !std::mem::replace(&mut self.rooted, true);
        (buffered && !root).then(|| Box::new(Ready::Buffer(Packed::new(), self.isa)))
    }

    #[inline(always)]
    fn within(&mut self, _: bool, _: bool) {}

    fn any(&mut self) -> AnyBinder<'_, 'a> {
        AnyBinder::Flat(self)
    }
}

/// To copies in row-major order of the arrays that lie otherwise: for few elements of an expression
/// that is [`Plain`], which are then one run.
#[derive(Clone, Copy, Debug)]
pub struct Copies<'a> {
    shape: &'a [usize],
    /// The axes of the result that the next array lies along, if not along all.
    dims: Option<&'a Axes<u16>>,
    pub isa: Isa,
    rooted: bool,
}

impl<'a> Copies<'a> {
    /// For a result of this shape.
    #[inline]
    pub fn new(shape: &'a [usize], isa: Isa) -> Self {
        Copies { shape, dims: None, isa, rooted: false }
    }
}

/// Whether it is plain how an expression repeats in a result: each array has its shape, or extents
/// of 1 instead, or lies by itself along axes of it; and nothing is to be computed before the rest.
/// Then a few elements need no plan.
#[derive(Clone, Copy, Debug)]
pub struct Plain<'a> {
    shape: &'a [usize],
    dims: Option<&'a Axes<u16>>,
    plain: bool,
    /// Whether some array has all of the shape, whether one has it in row-major order, and whether
    /// one repeats in it.
    whole: bool,
    ordered: bool,
    repeats: bool,
    /// Whether one is not in row-major order.
    disordered: bool,
    /// Whether the root has been met, whether it takes long, and whether something else must not
    /// repeat.
    rooted: bool,
    long: bool,
    strict: bool,
}

impl<'a> Plain<'a> {
    /// In a result of this shape.
    #[inline(always)]
    pub fn new(shape: &'a [usize]) -> Self {
        Plain {
            shape,
            dims: None,
            plain: true,
            whole: false,
            ordered: false,
            repeats: false,
            disordered: false,
            rooted: false,
            long: false,
            strict: false,
        }
    }

    /// Whether it is.
    #[inline(always)]
    pub fn is_plain(&self) -> bool {
        // An operation that takes long is computed before the rest where it repeats, and where
        // shapes have to be equal nothing does.
        self.plain && (self.whole || !self.long) && !(self.strict && self.repeats)
    }

    /// Whether a new result is in row-major order, because one of the arrays that are as large is,
    /// or all are.
    #[inline(always)]
    pub fn is_row_major(&self) -> bool {
        self.ordered || !self.disordered
    }
}

/// Whether strides go down from axis to axis.
#[inline(always)]
fn is_ordered(shape: &[usize], strides: &[isize]) -> bool {
    let mut outer = usize::MAX;
    shape.iter().zip(strides).all(|(extent, stride)| {
        let inside = *extent == 1 || (stride.unsigned_abs() < outer && *stride != 0);
        outer = if *extent == 1 { outer } else { stride.unsigned_abs() };
        inside
    })
}

impl<'a> Visitor<'a> for Plain<'a> {
    #[inline(always)]
    fn leaf(&mut self, shape: &'a [usize], strides: &'a [isize], _: ElementType) {
        let fits = |own: usize, to: usize| own == to || own == 1;
        let Some(dims) = self.dims.take() else {
            let equal = shape.len() == self.shape.len();
            self.plain &= equal && shape.iter().zip(self.shape).all(|(own, to)| fits(*own, *to));
            self.repeats |= shape != self.shape;
            let ordered = is_ordered(shape, strides);
            self.ordered |= ordered && shape == self.shape;
            self.disordered |= !ordered;
            self.whole |= shape == self.shape;
            return;
        };
        self.repeats = true;
        self.disordered |= !is_ordered(shape, strides);
        let (mut next, mut along) = (0, shape.len() == dims.len());
        for (own, dim) in shape.iter().zip(dims.iter()) {
            let dim = usize::from(*dim);
            along &= dim >= next && dim < self.shape.len() && fits(*own, self.shape[dim]);
            next = dim + 1;
        }
        self.plain &= along;
    }

    #[inline(always)]
    fn scalar(&mut self, _: &'a dyn Any, _: ElementType) {
        self.plain &= self.dims.is_none();
    }

    #[inline(always)]
    fn along(&mut self, dims: &'a Result<Axes<u16>, TooManyAxes>, ndim: Option<usize>) {
        let known = ndim.is_none_or(|ndim| ndim == self.shape.len());
        self.plain &= known && dims.is_ok() && self.dims.is_none();
        self.dims = dims.as_ref().ok();
    }

    // Where all ranks are equal, which is looked at, it says nothing.
    #[inline(always)]
    fn numpy(&mut self) {}

    #[inline(always)]
    fn join(&mut self, _: usize) {
        self.rooted = true;
        self.plain &= self.dims.is_none();
    }

    #[inline(always)]
    fn exact(&mut self) {
        self.rooted = true;
        self.strict = true;
        self.plain &= self.dims.is_none();
    }

    #[inline(always)]
    fn op(&mut self, op: Operation<'a>) {
        self.long |= op.buffered;
        self.strict |= op.buffered && self.rooted;
        self.rooted = true;
    }
}

/// The shape of the arrays that are not lifted, all of one rank, where extents of 1 stretch;
/// whether they fit each other is not looked at.
#[derive(Clone, Debug, Default)]
pub struct Stretched {
    shape: Option<Short<usize>>,
    lifted: bool,
}

impl Stretched {
    /// The shape, if there is one.
    #[inline(always)]
    pub fn shape(self) -> Option<Short<usize>> {
        self.shape
    }
}

impl<'a> Visitor<'a> for Stretched {
    #[inline(always)]
    fn leaf(&mut self, shape: &'a [usize], _: &'a [isize], _: ElementType) {
        if std::mem::take(&mut self.lifted) {
            return;
        }
        match &mut self.shape {
            None => self.shape = Some(Short::from_slice(shape)),
            Some(all) => {
                for (all, own) in all.iter_mut().zip(shape) {
                    *all = if *all == 1 { *own } else { *all };
                }
            }
        }
    }

    #[inline(always)]
    fn scalar(&mut self, _: &'a dyn Any, _: ElementType) {}

    #[inline(always)]
    fn along(&mut self, _: &'a Result<Axes<u16>, TooManyAxes>, _: Option<usize>) {
        self.lifted = true;
    }

    // Where all ranks are equal, which is looked at, it says nothing.
    #[inline(always)]
    fn numpy(&mut self) {}

    #[inline(always)]
    fn join(&mut self, _: usize) {}

    #[inline(always)]
    fn exact(&mut self) {}

    #[inline(always)]
    fn op(&mut self, _: Operation<'a>) {}
}

impl<'a> Binder<'a> for Copies<'a> {
    fn leaf<T: Element, R: Dimension>(
        &mut self,
        view: impl FnOnce() -> View<'a, T, R>,
        _: impl FnOnce(usize) -> Option<&'a [T]>,
    ) -> Leaf<'a, T> {
        let view = view();
        let dims = self.dims.take();
        if dims.is_none()
            && view.shape() == self.shape
            && let Some(slice) = view.as_slice()
        {
            return Leaf::Flat(slice);
        }
        let mut copy = Packed::new();
        view.copy_row_major(self.shape, dims.map(|dims| &dims[..]), &mut copy);
        Leaf::Copied(copy)
    }

    #[inline]
    fn along(&mut self, dims: &'a Result<Axes<u16>, TooManyAxes>) {
        self.dims = dims.as_ref().ok();
    }

    #[inline]
    fn operands(&mut self) {
        self.rooted = true;
    }

    #[inline]
    fn op<T: Element>(&mut self, buffered: bool) -> Option<Box<Ready<'a, T>>> {
        let root = !std::mem::replace(&mut self.rooted, true);
        (buffered && !root).then(|| Box::new(Ready::Buffer(Packed::new(), self.isa)))
    }

    #[inline]
    fn within(&mut self, _: bool, _: bool) {}

    fn any(&mut self) -> AnyBinder<'_, 'a> {
        AnyBinder::Copies(self)
    }
}

/// What was computed before the rest, at its own size: for each buffered operation, if it was.
#[derive(Debug, Default)]
pub struct Hoisted(Vec<Option<Box<dyn Any + Send + Sync>>>);

impl Hoisted {
    fn get<T: Element>(&self, node: usize) -> Option<&Array<T, Dyn>> {
        let array = self.0.get(node)?.as_ref()?;
        Some(array.downcast_ref().expect("it was computed by the same operation"))
    }
}

/// Computes what is computed before the rest.
#[derive(Debug)]
pub struct Hoisting<'h> {
    extents: &'h [Option<Axes<usize>>],
    pub exec: &'h Exec,
    done: Hoisted,
    /// In how many operations that have been computed this node is.
    within: usize,
}

impl<'h> Hoisting<'h> {
    /// By the decisions of [`Operands::hoists`].
    pub fn new(extents: &'h [Option<Axes<usize>>], exec: &'h Exec) -> Self {
        Hoisting { extents, exec, done: Hoisted(Vec::with_capacity(extents.len())), within: 0 }
    }

    /// The next buffered operation: computes it by `compute` if it was decided so, and then calls
    /// `inner` for its operands.
    pub fn node<T: Element>(
        &mut self,
        compute: impl FnOnce(&[usize], &Exec) -> Result<Array<T, Dyn>, Error>,
        inner: impl FnOnce(&mut Self) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let extents = self.extents[self.done.0.len()].filter(|_| self.within == 0);
        let Some(extents) = extents else {
            self.done.0.push(None);
            return inner(self);
        };
        let array = compute(&extents, self.exec)?;
        self.done.0.push(Some(Box::new(array)));
        self.within += 1;
        let result = inner(self);
        self.within -= 1;
        result
    }

    /// What was computed.
    pub fn finish(self) -> Hoisted {
        self.done
    }
}

/// Whether all arrays of an expression lie alike, and how: then there is nothing to plan.
#[derive(Clone, Copy, Debug)]
pub struct Alike<'a> {
    shape: &'a [usize],
    strides: &'a [isize],
    known: bool,
    alike: bool,
    buffers: bool,
}

/// A source bound by [`Flat`], which is given up without a look at it if it has no buffers: to find
/// that there is nothing to drop takes as long as to add a few elements.
#[derive(Debug)]
pub struct Light<S>(ManuallyDrop<S>, bool);

impl<S> Deref for Light<S> {
    type Target = S;

    #[inline(always)]
    fn deref(&self) -> &S {
        &self.0
    }
}

impl<S> DerefMut for Light<S> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut S {
        &mut self.0
    }
}

impl<S> Light<S> {
    /// Gives it up.
    #[inline(always)]
    pub fn drop(self) {
        if self.1 {
            drop(ManuallyDrop::into_inner(self.0));
        }
    }
}

impl<'a> Alike<'a> {
    /// Binds an expression, which has been shown to this, to the memory of its arrays.
    #[inline(always)]
    pub fn bind<'s, E: Expr>(&self, expr: &'s E, len: usize, isa: Isa) -> Light<E::Source<'s>> {
        Light(ManuallyDrop::new(expr.bind(&mut Flat::new(len, isa))), self.buffers)
    }

    /// As the first array.
    #[inline(always)]
    pub fn unknown() -> Self {
        Alike { shape: &[], strides: &[], known: false, alike: true, buffers: false }
    }

    /// As an array of this shape and these strides.
    #[inline(always)]
    pub fn of(shape: &'a [usize], strides: &'a [isize]) -> Self {
        Alike { shape, strides, known: true, alike: true, buffers: false }
    }

    /// Whether so many elements fit the buffers of the expression, if there are any.
    #[inline(always)]
    pub fn fits_buffers(&self, len: usize) -> bool {
        const MOST: usize = 1 << 12;
        !self.buffers || len <= MOST
    }

    /// The shape and the strides, if they are those of all arrays.
    #[inline(always)]
    pub fn layout(&self) -> Option<(&'a [usize], &'a [isize])> {
        (self.known && self.alike).then_some((self.shape, self.strides))
    }
}

impl<'a> Visitor<'a> for Alike<'a> {
    #[inline(always)]
    fn leaf(&mut self, shape: &'a [usize], strides: &'a [isize], _: ElementType) {
        if self.known {
            self.alike &= self.shape == shape && self.strides == strides;
        } else {
            (self.shape, self.strides, self.known) = (shape, strides, true);
        }
    }

    #[inline(always)]
    fn scalar(&mut self, _: &'a dyn Any, _: ElementType) {}

    #[inline(always)]
    fn along(&mut self, _: &'a Result<Axes<u16>, TooManyAxes>, _: Option<usize>) {
        self.alike = false;
    }

    // Where all ranks are equal, which is looked at, it says nothing.
    #[inline(always)]
    fn numpy(&mut self) {}

    #[inline(always)]
    fn join(&mut self, _: usize) {}

    #[inline(always)]
    fn exact(&mut self) {}

    #[inline(always)]
    fn op(&mut self, op: Operation<'a>) {
        self.buffers |= op.buffered;
    }
}
