//! The operations: what they are ([`Op`]), and the one list of them (`table.rs`).

#![forbid(unsafe_code)]

mod cast;
mod classes;
pub(crate) mod half_float;
mod rows;
mod scalar;
mod settings;
mod table;

pub use cast::{Cast, CastTo};
pub use classes::{FloatFunctions, Functions, Numeric, Real};
pub use scalar::ComplexMath;
pub use settings::{Bitcast, LeakyRelu, MulAdd, ReducePrecision, WithSettings};
pub use table::*;

use crate::threads::OnThreads;
use ndcore::Element;
use scalar::Canonical;

/// The cost of a closure, of which nothing is known: see [`Op::COST`].
pub(crate) const UNKNOWN_COST: usize = 16;

/// Of operations of this cost, and more, vectors take a fraction of the time that single elements
/// do: the least is the square root.
pub(crate) const COST_IN_VECTORS: usize = 4;

/// An operation on one element of each operand: `Args` is the element of the operand, or the tuple
/// of them.
///
/// The operations of the table implement it; so do closures, wrapped in [`Func`], and so may a type
/// of your own, which then fuses as well as the built-in ones. It is `Copy`, because kernels are
/// given it by value; of what it shares with others it has a reference. Mark `apply` as
/// `#[inline(always)]`: it is compiled into the innermost loop, once for each instruction set.
///
/// ```
/// use elementwise::{Expr, Op};
///
/// /// Linear interpolation.
/// #[derive(Clone, Copy)]
/// struct Lerp;
///
/// impl Op<(f32, f32, f32)> for Lerp {
///     type Output = f32;
///
///     #[inline(always)]
///     fn apply(&self, (a, b, t): (f32, f32, f32)) -> f32 {
///         a + (b - a) * t
///     }
/// }
///
/// let (a, b) = (elementwise::array![0., 10.], elementwise::array![1., 20.]);
/// let middle = elementwise::zip((&a, &b, 0.5)).apply(Lerp).eval()?;
/// assert_eq!(middle.to_vec(), [0.5, 15.]);
/// # Ok::<(), elementwise::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not defined for elements of type `{Args}`",
    label = "no `{Self}` for `{Args}`",
    note = "element types never mix by themselves: convert one operand with `.cast::<U>()`"
)]
pub trait Op<Args>: Copy + Sync {
    /// The element type of the result.
    type Output: Element;

    /// How long it takes, in simple operations such as an addition; it need not be exact. From it
    /// follows whether a result is worth several threads. And where the operation is an operand of
    /// another one, its results go through a small buffer if it takes 4 or more: then it can be
    /// computed before the rest, at its own size, if it repeats in the result.
    const COST: usize = UNKNOWN_COST;

    /// Whether its results go through a buffer where it is an operand. A constant of its own: what
    /// is not buffered is not even compiled that way.
    #[doc(hidden)]
    const BUFFERED: bool = Self::RARE || Self::COST >= 4;

    /// Whether it needs no buffer where its results do not repeat: it is computed as part of what
    /// it is an operand of, and before the rest, at its own size, if they do.
    #[doc(hidden)]
    const FUSES: bool = false;

    /// Whether it is made of fused multiply-adds, each of which is a call where there is no
    /// instruction for it: then it is always given to the kernel for the instruction set. What says
    /// that it takes so long, most often is.
    #[doc(hidden)]
    const MULTIPLY_ADDS: bool = Self::COST > UNKNOWN_COST;

    /// Whether it is worth the widest vectors. Not a closure: if it calls a function, the compiler
    /// takes the widest vectors apart for each call, and puts them together again.
    #[doc(hidden)]
    const WIDE: bool = true;

    /// Its name in the table of operations; `None` for what is not in it, and so is opaque.
    const NAME: Option<&'static str> = None;

    /// What it carries beside its operands, if it carries something: the slope of `leaky_relu`, for
    /// example.
    fn settings(&self) -> Option<&dyn std::any::Any> {
        None
    }

    /// The result for one element of each operand.
    fn apply(&self, args: Args) -> Self::Output;

    /// Whether some arguments are rare, and take another way, which the compiler cannot make
    /// vectors of: the sine of very large angles, for example. Then a stretch without any is
    /// computed by [`apply_usual`](Self::apply_usual).
    const RARE: bool = false;

    /// Whether [`apply_usual`](Self::apply_usual) has the same result as [`apply`](Self::apply), to
    /// the bit.
    #[inline(always)]
    fn is_usual(&self, _: Args) -> bool {
        true
    }

    /// The result for arguments that are not rare; any other may give anything.
    #[inline(always)]
    fn apply_usual(&self, args: Args) -> Self::Output {
        self.apply(args)
    }
}

/// A closure as an [`Op`].
#[derive(Clone, Copy, Debug)]
pub struct Func<F>(pub F);

impl<Args, U: Element, F: Fn(Args) -> U + OnThreads> Op<Args> for Func<F> {
    type Output = U;
    // What it takes is not known, so it may be as little as an addition.
    const FUSES: bool = true;
    const WIDE: bool = false;

    #[inline(always)]
    fn apply(&self, args: Args) -> U {
        (self.0)(args)
    }
}

/// Element types for which the operation `O` of one operand is defined.
#[diagnostic::on_unimplemented(
    message = "`{O}` is not defined for elements of type `{Self}`",
    note = "docs/ops.md lists the types of each operation; `.cast::<U>()` converts"
)]
pub trait Unary<O>: Element {
    /// The element type of the result.
    type Output: Element;

    /// As [`Op::COST`], where it is not that of the operation for other types.
    const COST: Option<usize> = None;

    /// As [`Op::RARE`].
    const RARE: bool = false;

    /// The operation.
    fn unary(self) -> Self::Output;

    /// As [`Op::is_usual`].
    #[inline(always)]
    fn is_usual(self) -> bool {
        true
    }

    /// As [`Op::apply_usual`].
    #[inline(always)]
    fn usual(self) -> Self::Output {
        self.unary()
    }
}

/// Element types for which the operation `O` of two operands is defined.
#[diagnostic::on_unimplemented(
    message = "`{O}` is not defined for elements of type `{Self}`",
    note = "docs/ops.md lists the types of each operation; `.cast::<U>()` converts"
)]
pub trait Binary<O>: Element {
    /// The element type of the result.
    type Output: Element;

    /// As [`Op::COST`], where it is not that of the operation for other types.
    const COST: Option<usize> = None;

    /// As [`Op::RARE`].
    const RARE: bool = false;

    /// The operation.
    fn binary(self, rhs: Self) -> Self::Output;

    /// As [`Op::is_usual`].
    #[inline(always)]
    fn is_usual(self, _: Self) -> bool {
        true
    }

    /// As [`Op::apply_usual`].
    #[inline(always)]
    fn usual(self, rhs: Self) -> Self::Output {
        self.binary(rhs)
    }
}

/// A row of the table of operations, for documentation and tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpInfo {
    /// The function's name.
    pub name: &'static str,
    /// The operation in StableHLO: its name there, or an expression of names there, of rows of this
    /// table, and of definitions of the crate that exports; `none` if it has no meaning there.
    /// Behind `| complex` and `| int` stands that for elements of those classes.
    pub stablehlo: &'static str,
    /// The number of operands.
    pub arity: usize,
    /// The element types it is defined for.
    pub types: &'static [&'static str],
    /// How far a result for `f32` or `f64` may be from the correctly rounded one; empty where it is
    /// not rounded at all, or once.
    pub accuracy: &'static str,
    /// What it computes.
    pub doc: &'static str,
}
