//! [`Visitor`]: what an expression shows its nodes to.

use super::along::TooManyAxes;
use crate::ops::OpInfo;
use ndcore::Axes;
use std::any::{Any, TypeId};

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
    #[inline(always)]
    fn scalar(&mut self, value: &'a dyn Any, element: ElementType) {
        let _ = (value, element);
    }

    /// Elements that are a function of their index.
    #[inline(always)]
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
    #[inline(always)]
    fn numpy(&mut self) {}

    /// The `count` operands after this are walked together; they meet by the binary rule.
    #[inline(always)]
    fn join(&mut self, count: usize) {
        let _ = count;
    }

    /// The three operands after this have one shape, but for scalars: XLA's rule for `clamp` and
    /// `select`.
    #[inline(always)]
    fn exact(&mut self) {}

    /// An operation on the node after this one.
    #[inline(always)]
    fn op(&mut self, op: Operation<'a>) {
        let _ = op;
    }
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
