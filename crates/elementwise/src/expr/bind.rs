//! Binding: from an expression to what a kernel reads.

use super::Visitor;
use super::tree::{ElementType, Operation};
use crate::exec::Exec;
use crate::kernel::{Isa, Leaf, Ready};
use crate::plan::{Operands, Plan};
use crate::types::{Array, View};
use bcast::Error;
use ndcore::{Axes, Dimension, Dyn, Element, Packed};
use std::any::Any;

/// What the nodes of an expression are bound by, in the order in which they are shown to a
/// [`Visitor`].
pub trait Binder<'a> {
    /// An array.
    fn leaf<T: Element, R: Dimension>(&mut self, view: View<'a, T, R>) -> Leaf<'a, T>;

    /// Several operands follow.
    fn operands(&mut self);

    /// An operation, and whether its results go through a buffer where it is an operand: then where
    /// they are.
    fn op<T: Element>(&mut self, buffered: bool) -> Option<Box<Ready<'a, T>>>;

    /// The operands of an operation, whose results are `ready`, follow or have been bound.
    fn within(&mut self, hoisted: bool, begins: bool);
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
    pub fn new(shape: &'a [usize], operands: &'a Operands, plan: &'a Plan, hoisted: &'a Hoisted, isa: Isa) -> Self {
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
    fn leaf<T: Element, R: Dimension>(&mut self, view: View<'a, T, R>) -> Leaf<'a, T> {
        if self.absent > 0 { Leaf::Absent } else { self.nested(view) }
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
    pub fn new(len: usize, isa: Isa) -> Self {
        Flat { len, isa, rooted: false }
    }
}

impl<'a> Binder<'a> for Flat {
    #[inline(always)]
    fn leaf<T: Element, R: Dimension>(&mut self, view: View<'a, T, R>) -> Leaf<'a, T> {
        Leaf::Flat(view.memory_from_first(self.len).expect("arrays that lie as the result does"))
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
}

impl<'a> Alike<'a> {
    /// As the first array.
    #[inline(always)]
    pub fn unknown() -> Self {
        Alike { shape: &[], strides: &[], known: false, alike: true }
    }

    /// As an array of this shape and these strides.
    #[inline(always)]
    pub fn of(shape: &'a [usize], strides: &'a [isize]) -> Self {
        Alike { shape, strides, known: true, alike: true }
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
    fn scalar(&mut self, _: ElementType) {}

    #[inline(always)]
    fn along(&mut self, _: &'a Result<Axes<u16>, Error>, _: Option<usize>) {
        self.alike = false;
    }

    #[inline(always)]
    fn join(&mut self, _: usize) {}

    #[inline(always)]
    fn exact(&mut self) {}

    #[inline(always)]
    fn op(&mut self, _: Operation) {}
}
