//! Expressions: what is to be computed, not yet where or how.
//!
//! A node is a leaf (an array, a view, a scalar), a tuple of nodes that are walked together, an
//! operation on a node ([`Apply`]), or a node that lies along some axes of a result of higher rank
//! ([`Along`]). A node shows itself to visitors ([`Expr::describe`]), which find out shapes and
//! what there is to plan, and is bound by binders ([`Expr::bind`]), which say what each leaf is
//! read from; it touches no memory by itself. Users hold nodes in a [`Lazy`], which has the
//! operators.

#![forbid(unsafe_code)]
#![allow(refining_impl_trait, reason = "what leaves are bound to is said where it is known")]

/// A node is one by itself.
macro_rules! itself {
    () => {
        type Node = Self;

        #[inline(always)]
        fn into_node(self) -> Self {
            self
        }
    };
}

/// What a node has from the one that it holds: what that is bound to, and what is computed before
/// the rest. With the parameters of its type.
macro_rules! from_held {
    ($held:tt, [$($lt:lifetime)?] $($type:ident)*) => {
        #[inline(always)]
        fn bind<'s, B: Binder<'s>>(
            &'s self,
            binder: &mut B,
        ) -> impl Source<Elem = E::Elem> + use<'s, $($lt,)? B, $($type),*> {
            self.$held.bind(binder)
        }

        fn hoist(&self, hoisting: &mut Hoisting<'_>) -> Result<(), Error> {
            self.$held.hoist(hoisting)
        }

        fn hoist_within(&self, hoisting: &mut Hoisting<'_>) -> Result<(), Error> {
            self.$held.hoist_within(hoisting)
        }
    };
}

mod alike;
mod along;
mod apply;
mod bind;
mod boxed;
mod facts;
mod few;
mod generated;
mod lazy;
mod leaf;
mod numpy;
mod operators;
mod pieces;
mod rank;
mod tree;
mod visitor;

pub use along::{Along, Pair, TooManyAxes};
pub use apply::{Apply, Choice, Exact, Mask, Zip, clamp, select, zip};
pub(crate) use boxed::{Bindable, Blocks, Borrowed};
pub use boxed::{Boxed, Erased};
#[doc(hidden)]
pub use facts::{Facts, Form};
pub use generated::{Generate, Generator, Indices, Iota, generate, indices, iota};
pub use lazy::{Lazy, constant};
pub use leaf::{Constant, Owned, Shared};
pub use numpy::{Numpy, Settled, numpy};
pub use rank::{ExprRank, Floating, MeetsRank, NumpyRank, RankOf, ResultRank};
pub use visitor::{ElementType, Elements, OfIndex, Operation, Visitor};

pub(crate) use alike::{Alike, axes_of_rows, merged_rows, result_of, show, stretch};
#[doc(hidden)]
pub use bind::{Binder, Hoisting};
pub(crate) use bind::{Binding, Hoisted, Unfit, fits};
pub(crate) use few::{
    FEW_IN_LINES, LONG_ROW, Lines, Merged, Reading, copied, go_one_by_one, in_line, in_rows,
    in_same_lines, in_same_rows, is_ordered, rows_of,
};
pub(crate) use pieces::Pieces;
pub(crate) use rank::settled;
pub(crate) use tree::Tree;

use crate::exec::Exec;
use crate::kernel::Source;
use crate::ops::{Bitcast, Cast, CastTo, Func, LeakyRelu, MulAdd, Op, Pow, ReducePrecision};
use crate::plan::Explanation;
use crate::threads::OnThreads;
use crate::types::{Array, View};
use bcast::{Dims, Error};
use ndcore::{Axes, Dimension, Element};

/// Something that can be computed element by element: an array, a view, or operations on them.
///
/// Nothing is computed until [`eval`](Expr::eval), or [`assign`](crate::Assign::assign) into memory
/// that exists; then the whole expression runs in one pass.
///
/// ```
/// use elementwise::{Expr, UnaryMethods};
/// use elementwise::array;
/// let (x, v) = (array![[1., 2., 3.], [4., 5., 6.]], array![7., 8., 9.]);
/// let y = ((&x - v.along([1])) * 2.).abs().eval()?;
/// assert_eq!(y, array![[12., 12., 12.], [6., 6., 6.]]);
/// # Ok::<(), elementwise::Error>(())
/// ```
pub trait Expr: Sized + Sync {
    /// The element type of the result.
    type Elem: Element;
    /// The rank of the result; [`Floating`] if that depends on what the expression meets.
    type Rank: ExprRank;
    /// What it is within a larger expression: itself, or what a [`Lazy`] holds.
    type Node: Expr<Elem = Self::Elem, Rank = Self::Rank>;
    /// What is known of it by its type.
    #[doc(hidden)]
    const FACTS: Facts;

    /// This as a node, without the handle.
    #[doc(hidden)]
    fn into_node(self) -> Self::Node;

    /// Shows the arrays that the expression owns: each an [`Owned`].
    #[doc(hidden)]
    #[inline(always)]
    fn owned(&mut self, _: &mut dyn FnMut(&mut dyn std::any::Any)) {}

    /// Shows its nodes to a [`Visitor`], each before its operands.
    fn describe<'a, V: Visitor<'a> + ?Sized>(&'a self, visitor: &mut V);

    /// Binds the nodes to memory, in the order of [`describe`](Self::describe).
    #[doc(hidden)]
    fn bind<'a, B: Binder<'a>>(
        &'a self,
        binder: &mut B,
    ) -> impl Source<Elem = Self::Elem> + use<'a, B, Self>;

    /// Computes the operations that are computed before the rest, in the same order.
    #[doc(hidden)]
    fn hoist(&self, _: &mut Hoisting<'_>) -> Result<(), Error> {
        Ok(())
    }

    /// As [`hoist`](Self::hoist), of the whole expression: an operation at the root is not computed
    /// before itself, and so nothing is compiled for that.
    #[doc(hidden)]
    fn hoist_within(&self, hoisting: &mut Hoisting<'_>) -> Result<(), Error> {
        self.hoist(hoisting)
    }

    /// The elements, if they lie in memory already.
    #[doc(hidden)]
    #[inline(always)]
    fn in_memory(&self) -> Option<View<'_, Self::Elem, Self::Rank>>
    where
        Self::Rank: Dimension,
    {
        None
    }

    /// The shape of the result.
    ///
    /// # Errors
    /// If the operands' shapes do not fit: see [`bcast::ErrorKind`].
    ///
    /// ```
    /// use elementwise::Expr;
    /// let (column, row) = (elementwise::array![[1], [2]], elementwise::array![[1, 2, 3]]);
    /// assert_eq!((&column * &row).result_shape()?, [2, 3]);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn result_shape(&self) -> Result<Axes<usize>, Error> {
        let tree = Tree::of(self);
        Ok(tree.shape()?.iter().copied().collect())
    }

    /// Computes the result as a new array. Its layout follows the operands': row-major unless all
    /// of them agree on another order. Its memory is that of an array that the expression owns
    /// (`a + &b`), if one has the type, the shape and the layout of the result, and is worth it:
    /// all arrays lie alike and have a few elements, or it has at least 128 KiB.
    ///
    /// # Errors
    /// If the operands' shapes do not fit: see [`bcast::ErrorKind`]; if the result does not fit in
    /// memory.
    ///
    /// ```
    /// use elementwise::Expr;
    /// let x = elementwise::array![1, 2, 3];
    /// assert_eq!((&x * &x + 1).eval()?.to_vec(), [2, 5, 10]);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn eval(self) -> Result<Array<Self::Elem, RankOf<Self>>, Error>
    where
        Self::Rank: ResultRank,
    {
        crate::eval::eval_value(settled(self))
    }

    /// This as an expression that has operators, and can be an operand: of an array or a view, or
    /// in code that is generic over `E: Expr`.
    ///
    /// ```
    /// use elementwise::{Expr, Lazy, Rank, array};
    /// fn twice<E: Expr<Elem = f32, Rank = Rank<1>>>(
    ///     x: E,
    /// ) -> Lazy<impl Expr<Elem = f32, Rank = Rank<1>>> {
    ///     2.0 * x.lazy()
    /// }
    /// let x = array![1.0_f32, 2.0];
    /// assert_eq!(twice(&x).eval()?, twice(x.lazy()).eval()?);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    #[inline(always)]
    fn lazy(self) -> Lazy<Self::Node> {
        Lazy(self.into_node())
    }

    /// How [`eval`](Self::eval) would compute this: loops, strides, tiles, threads, bytes moved.
    /// Print it.
    ///
    /// # Errors
    /// If the operands' shapes do not fit: see [`bcast::ErrorKind`].
    ///
    /// ```
    /// use elementwise::Expr;
    /// let (x, v) = (elementwise::Array2::<f32>::zeros([64, 32]), elementwise::Array1::<f32>::zeros(32));
    /// let plan = (&x + v.along([1])).explain()?;
    /// assert!(plan.to_string().contains("64 x 32"));
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn explain(self) -> Result<Explanation, Error> {
        crate::eval::explain(&self.into_node(), &Exec::current())
    }

    /// This expression as one of a type that does not say what is computed: to be chosen when the
    /// program runs, stored in a field, or collected; and to keep large expressions, each of which
    /// is compiled for itself, from multiplying what there is to compile. See [`Boxed`].
    ///
    /// ```
    /// use elementwise::{Boxed, Expr, Rank, array};
    /// struct Model<'a> {
    ///     residual: Boxed<'a, f64, Rank<1>>,
    /// }
    /// let (x, y) = (array![1.0, 2.0], array![2.0, 5.0]);
    /// let model = Model { residual: (&y - &x * 2.0).boxed() };
    /// assert_eq!((&model.residual * &model.residual).eval()?.to_vec(), [0.0, 1.0]);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn boxed<'a>(self) -> Boxed<'a, Self::Elem, Self::Rank>
    where
        Self::Node: Send + 'a,
    {
        Lazy(Erased::new(self.into_node()))
    }

    /// This expression lying along axes `dims` of a result of higher rank: XLA's
    /// `broadcast_dimensions`. Axis `i` of it lies along axis `dims[i]` of the result; `dims` are
    /// strictly increasing.
    ///
    /// ```
    /// use elementwise::Expr;
    /// let (x, v) = (elementwise::array![[1, 2, 3], [4, 5, 6]], elementwise::array![10, 20]);
    /// assert_eq!((&x + v.along([0])).eval()?.to_vec(), [11, 12, 13, 24, 25, 26]);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn along<D>(self, dims: D) -> Lazy<Along<Self::Node, Floating>>
    where
        Self::Rank: Dimension,
        D: Dims<Self::Rank>,
    {
        Lazy(Along::new(self.into_node(), dims.into_list().as_ref()))
    }

    /// A closure applied to each element.
    ///
    /// ```
    /// use elementwise::Expr;
    /// let x = elementwise::array![1.5_f32, 2.5];
    /// assert_eq!(x.map(|x| x as i32).eval()?.to_vec(), [1, 2]);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    ///
    /// One that chooses between numbers from outside is vectorised if it has one or two of them, or
    /// has them by `move`: of more references, each is read where it is needed, which stays a
    /// branch in the loop.
    ///
    /// ```
    /// use elementwise::Expr;
    /// let (x, low, high) = (elementwise::array![-0.5, 0.5, 1.5], 0.0, 1.0);
    /// let limited = x.map(|x: f64| if x < low { low } else if x > high { high } else { x });
    /// assert_eq!(limited.eval()?.to_vec(), [0.0, 0.5, 1.0]);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn map<U: Element, F: Fn(Self::Elem) -> U + OnThreads>(
        self,
        f: F,
    ) -> Lazy<Apply<Func<F>, Self::Node>> {
        Apply::lazy(Func(f), self.into_node())
    }

    /// [`map`](Self::map) by the name that `ndarray` has for closures of values. Like all
    /// expressions it is computed by [`eval`](Self::eval), or where it is assigned.
    ///
    /// ```
    /// use elementwise::{Expr, Reductions};
    /// let x = elementwise::array![1.0, 2.0];
    /// assert_eq!((&x - 3.0).mapv(|x| x * x).sum()?, 5.0);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn mapv<U: Element, F: Fn(Self::Elem) -> U + OnThreads>(
        self,
        f: F,
    ) -> Lazy<Apply<Func<F>, Self::Node>> {
        self.map(f)
    }

    /// An operation applied to each element: one of the table, or one of your own.
    fn apply<O: Op<Self::Elem>>(self, op: O) -> Lazy<Apply<O, Self::Node>> {
        Apply::lazy(op, self.into_node())
    }

    /// The elements converted to another type: see [`CastTo`] for the rules.
    ///
    /// ```
    /// use elementwise::Expr;
    /// let x = elementwise::array![-1.7, 300.0, f64::NAN];
    /// assert_eq!(x.cast::<u8>().eval()?.to_vec(), [0, 255, 0]);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn cast<U: Element>(self) -> Lazy<Apply<Cast<U>, Self::Node>>
    where
        Self::Elem: CastTo<U>,
    {
        Apply::lazy(Cast::new(), self.into_node())
    }

    /// The same bits as elements of another type of the same size; another size does not compile.
    /// Where the size changes, and so the rank, see [`bitcast_split`](crate::bitcast_split) and
    /// [`bitcast_join`](crate::bitcast_join).
    ///
    /// ```
    /// use elementwise::Expr;
    /// let x = elementwise::array![1.0_f32];
    /// assert_eq!(x.bitcast::<u32>().eval()?.to_vec(), [0x3f80_0000]);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn bitcast<U: Element>(self) -> Lazy<Apply<Bitcast<U>, Self::Node>>
    where
        Bitcast<U>: Op<Self::Elem, Output = U>,
    {
        Apply::lazy(Bitcast::new(), self.into_node())
    }

    /// `self * factor + summand`, rounded once. `*` and `+` round each for themselves.
    ///
    /// ```
    /// use elementwise::Expr;
    /// let x = elementwise::array![0.1_f64];
    /// // What 0.1 * 10 is rounded by.
    /// assert_eq!(x.mul_add(10.0, -1.0).eval()?.to_vec(), [5.551115123125783e-17]);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn mul_add<A, B>(
        self,
        factor: A,
        summand: B,
    ) -> Lazy<Apply<MulAdd, (Self::Node, A::Expr, B::Expr)>>
    where
        A: Operand<Self::Elem, Self::Rank>,
        B: Operand<Self::Elem, Self::Rank>,
    {
        Apply::lazy(MulAdd, (self.into_node(), factor.into_expr(), summand.into_expr()))
    }

    /// Each element to the power of an exponent, which may be an expression as well: another name
    /// of [`pow`](crate::BinaryMethods::pow).
    ///
    /// ```
    /// use elementwise::Expr;
    /// let x = elementwise::array![4.0, 9.0];
    /// assert_eq!(x.powf(0.5).eval()?.to_vec(), [2.0, 3.0]);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn powf<B>(self, exponent: B) -> Lazy<Apply<Pow, (Self::Node, B::Expr)>>
    where
        B: Operand<Self::Elem, Self::Rank>,
        Pow: Op<(Self::Elem, Self::Elem)>,
    {
        Apply::lazy(Pow, (self.into_node(), exponent.into_expr()))
    }

    /// Each element to a power that is a whole number: as [`powf`](Self::powf) of that number, to
    /// the same rounding.
    ///
    /// ```
    /// use elementwise::Expr;
    /// let x = elementwise::array![2.0_f32, -3.0];
    /// assert_eq!(x.powi(3).eval()?.to_vec(), [8.0, -27.0]);
    /// assert_eq!(x.powi(-1).eval()?.to_vec(), [0.5, -1.0 / 3.0]);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn powi(self, exponent: i32) -> Lazy<Apply<Pow, (Self::Node, Constant<Self::Elem>)>>
    where
        i32: CastTo<Self::Elem>,
        Pow: Op<(Self::Elem, Self::Elem)>,
    {
        Apply::lazy(Pow, (self.into_node(), Constant(exponent.cast_to())))
    }

    /// Each element where it is positive, else `slope` times it.
    ///
    /// ```
    /// use elementwise::Expr;
    /// let x = elementwise::array![-2.0_f32, 3.0];
    /// assert_eq!(x.leaky_relu(0.25).eval()?.to_vec(), [-0.5, 3.0]);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn leaky_relu(self, slope: Self::Elem) -> Lazy<Apply<LeakyRelu<Self::Elem>, Self::Node>>
    where
        LeakyRelu<Self::Elem>: Op<Self::Elem>,
    {
        Apply::lazy(LeakyRelu(slope), self.into_node())
    }

    /// Each element as a format with so many bits of exponent (at least 1) and of mantissa would
    /// keep it: rounded to nearest, ties to even; then infinite above the exponents there are, and
    /// zero below them.
    ///
    /// ```
    /// use elementwise::Expr;
    /// // As f16.
    /// let x = elementwise::array![1.0001_f32, 70000.0, 1e-10];
    /// assert_eq!(x.reduce_precision(5, 10).eval()?.to_vec(), [1.0, f32::INFINITY, 0.0]);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn reduce_precision(
        self,
        exponent: u32,
        mantissa: u32,
    ) -> Lazy<Apply<ReducePrecision, Self::Node>>
    where
        ReducePrecision: Op<Self::Elem>,
    {
        Apply::lazy(ReducePrecision { exponent, mantissa }, self.into_node())
    }

    /// Each element limited to between `lo` and `hi`; NaN anywhere gives NaN, and `lo > hi` gives
    /// `hi`. By XLA's rule for `clamp`, the bounds have the shape of `self` or are scalars; nothing
    /// of extent 1 stretches.
    ///
    /// ```
    /// use elementwise::Expr;
    /// let x = elementwise::array![-1, 5, 20];
    /// assert_eq!(x.clamp(0, 10).eval()?.to_vec(), [0, 5, 10]);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn clamp<L, H>(
        self,
        lo: L,
        hi: H,
    ) -> Lazy<Apply<crate::ops::Clamp, Exact<(L::Expr, Self::Node, H::Expr)>>>
    where
        L: Operand<Self::Elem, Self::Rank>,
        H: Operand<Self::Elem, Self::Rank>,
    {
        Apply::lazy(crate::ops::Clamp, Exact((lo.into_expr(), self.into_node(), hi.into_expr())))
    }

    /// Where `self` is true the element of `t`, elsewhere that of `f`. By XLA's rule for `select`,
    /// the three have one shape or are scalars; nothing of extent 1 stretches.
    ///
    /// With an [`Axis`](crate::Axis) it is `ndarray`'s method of this name: the slices at some
    /// indices, [`take`](crate::Rearrange::take).
    ///
    /// ```
    /// use elementwise::{Axis, BinaryMethods, Expr};
    /// let x = elementwise::array![-1., 2.];
    /// assert_eq!(x.greater(0.).select(&x, 0.).eval()?.to_vec(), [0., 2.]);
    /// assert_eq!(x.select(Axis(0), &[1, 1])?.to_vec(), [2., 2.]);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn select<A: Choice<Self, B>, B>(self, t: A, f: B) -> A::Chosen {
        t.choose(self, f)
    }
}

/// The axes of any rank, each along itself.
const IDENTITY: [u16; ndcore::MAX_NDIM] = {
    let mut axes = [0; ndcore::MAX_NDIM];
    let mut axis = 0;
    while axis < axes.len() {
        axes[axis] = axis as u16;
        axis += 1;
    }
    axes
};

/// What stands for an expression by itself: an array or a view by reference or value, an
/// expression, a scalar.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an operand",
    label = "not an array, a view, an expression or a scalar",
    note = "operands are `&array`, `array`, views, expressions, and scalars of the element type",
    note = "an expression that owns an array goes by value: `x.dot(p - y)`, not `x.dot(&(p - y))`"
)]
pub trait Term {
    /// The expression.
    type Expr: Expr;

    /// Makes it.
    fn into_term(self) -> Self::Expr;
}

/// What can stand beside an operand with elements of type `T` and of rank `R`: an array or a view
/// by reference or value, an expression, or a scalar.
// What the compiler says of a scalar of another type, and of what is no operand at all; of arrays
// and expressions it has more to say: `SameElement`, `MeetsRank`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be an operand beside elements of type `{T}`",
    label = "not an array, a view, an expression, or a scalar of type `{T}`",
    note = "operands are `&array`, views, expressions, and scalars of the same element type: `2.0`, not `2`, beside floats; `.cast::<U>()` converts arrays",
    note = "a `Result` takes a `?` first: `&x + y.slice(s![..2])?`; a `Vec` or a slice becomes a view first: `&x + View1::from(&vec[..])`"
)]
pub trait Operand<T, R: ExprRank> {
    /// The expression it stands for.
    type Expr: Expr;

    /// The operand as an expression.
    fn into_expr(self) -> Self::Expr;
}

// The one implementation: so a message is about the rank or the element type that does not fit, and
// lists nothing.
impl<A, T, R> Operand<T, R> for A
where
    A: Term<Expr: Expr<Elem: SameElement<T>, Rank: MeetsRank<R>>>,
    R: ExprRank,
{
    type Expr = A::Expr;

    #[inline(always)]
    fn into_expr(self) -> A::Expr {
        self.into_term()
    }
}

/// The same element type, said as a trait so that the compiler can explain itself.
#[diagnostic::on_unimplemented(
    message = "an operand with elements of type `{Self}` beside one with elements of type `{T}`: they never mix by themselves",
    label = "elements of type `{Self}` where `{T}` is expected",
    note = "convert one of them: `x.cast::<{T}>()`; for a literal, write one of type `{T}`, as `2.0` instead of `2`"
)]
pub trait SameElement<T> {}

impl<T> SameElement<T> for T {}
