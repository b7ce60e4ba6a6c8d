//! The element types that are numbers: what each widens to, adds up and multiplies in, and compares
//! by, said once.
//!
//! Reductions, scans, quantiles and softmax are generic over these traits;
//! `docs/adding-a-reduction.md` lists the edits for another one, and for another element type.

#![forbid(unsafe_code)]

/// What follows, of the types whose reductions are [`Compiled`] with this crate.
macro_rules! if_compiled {
    (float f32 => $($some:tt)*) => { $($some)* };
    (float f64 => $($some:tt)*) => { $($some)* };
    (complex f64 => $($some:tt)*) => { $($some)* };
    (integer i32 => $($some:tt)*) => { $($some)* };
    (integer i64 => $($some:tt)*) => { $($some)* };
    (integer u32 => $($some:tt)*) => { $($some)* };
    (integer usize => $($some:tt)*) => { $($some)* };
    (extremes u8 => $($some:tt)*) => { $($some)* };
    (extremes i32 => $($some:tt)*) => { $($some)* };
    (extremes i64 => $($some:tt)*) => { $($some)* };
    // Of each further type, the library takes the compiler some 12 seconds more.
    (product i32 => $($some:tt)*) => { $($some)* };
    ($class:ident $other:ident => $($some:tt)*) => {};
}

/// The function of [`Number`] for products of matrices.
macro_rules! multiply {
    ($product:expr) => {
        #[cfg(feature = "matmul")]
        fn multiply(product: matmul::Product<'_, Self>) -> Result<(), Error> {
            $product(product)
        }
    };
}

mod floats;
mod integers;
mod monoid;
mod native;
mod order;
mod products;

pub use integers::IntegerProduct;
pub use monoid::Monoid;
pub use native::Native;
pub use order::Ordered;
pub use products::ProductOf;

#[cfg(feature = "matmul")]
use crate::matmul;
use crate::ops::{Add, CastTo, FloatFunctions, Mul, Numeric, Real, WithSettings};
use crate::reduce::{Accumulator, Compiled, OwnType, Spread};
use bcast::{Error, ErrorKind};
use num_traits::FloatConst;
use std::ops::Div;

/// Numbers: integers, floating-point and complex numbers.
///
/// The bound for generic code that does arithmetic with elements, in expressions (by [`Numeric`])
/// and one by one (by [`num_traits::Num`]), and adds and multiplies them up:
///
/// ```
/// use elementwise::{Array1, Error, Number, Reductions};
///
/// fn total<T: Number>(x: &Array1<T>) -> Result<T, Error> {
///     x.sum()
/// }
/// assert_eq!(total(&elementwise::array![1_u8, 2])?, 3);
/// assert_eq!(total(&elementwise::array![0.5, 0.25])?, 0.75);
/// # Ok::<(), Error>(())
/// ```
///
/// Its associated types and functions say in what types that is done. They are called by the
/// engine; implement them for a number of your own to sum it. Products are taken to commute: which
/// factor of a product of arrays is the left one depends on how they lie.
#[diagnostic::on_unimplemented(
    message = "elements of type `{Self}` are not numbers",
    label = "it takes integers, floating-point or complex numbers: write `.cast::<U>()` before it",
    note = "of `bool`, `x.count_nonzero()` counts those that are true"
)]
pub trait Number: Numeric + num_traits::NumAssign + Default {
    /// Whether sums of elements are exact before they are [narrowed](Self::narrow).
    const EXACT: bool = false;

    /// Holds every element, and their sums: `i128`, or a floating-point or complex type of `f64`.
    type Wide: Accumulator + Monoid<Add>;
    /// What adds up the elements of a block, of which there are at most 4096.
    type Acc: Accumulator + Monoid<Add>;
    /// What multiplies elements.
    type Factor: Accumulator + Monoid<Mul>;
    /// The product of two elements, as products of vectors add them up: the type itself, or for
    /// integers one that holds every product, and for `f16` and `bf16` `f32`.
    type Product: ProductOf<Self>;
    /// The type of an absolute value, which it holds: that of signed integers is unsigned.
    type Modulus: Number<Wide = <Self::RealPart as Number>::Wide> + Ordered;
    /// The type of a norm: the type itself, or that of the parts of a complex number.
    type RealPart: Number;

    /// Sums as they are compiled with this crate, if they are.
    #[doc(hidden)]
    const SUMS: Option<&'static Compiled<Self, Self::Wide, Self>> = None;

    /// Sums in this type, as far as none overflows, if there are such.
    #[doc(hidden)]
    const IN_OWN_TYPE: Option<&'static OwnType<Self, Self>> = None;
    #[doc(hidden)]
    const MEANS_IN_OWN_TYPE: Option<&'static OwnType<Self, Self>> = None;

    /// The same number.
    fn widen(self) -> Self::Wide;

    /// The nearest number of this type, ties to even; NaN with one sign and payload.
    ///
    /// # Errors
    /// If an integer type does not hold the number, which is the result of the method `op`.
    fn narrow(wide: Self::Wide, op: &'static str) -> Result<Self, Error>;

    /// The sum of two [exact](Self::EXACT) numbers, and whether it is one: any number, if it does
    /// not fit in this type. What cumulative sums take.
    #[inline(always)]
    fn checked_sum(self, other: Self) -> (Self, bool) {
        let sum = Self::narrow(self.widen().combine(other.widen()), "sum");
        (sum.as_ref().copied().unwrap_or(self), sum.is_ok())
    }

    /// The same, in a form of which compilers make vectors.
    #[doc(hidden)]
    #[inline(always)]
    fn sum_in_vectors(self, other: Self) -> (Self, bool) {
        self.checked_sum(other)
    }

    /// The sum of one element.
    fn lift(self) -> Self::Acc;

    /// The sum of a block.
    fn total(acc: Self::Acc) -> Self::Wide;

    /// The product of one element.
    fn factor(self) -> Self::Factor;

    /// The product, rounded once; NaN with one sign and payload.
    ///
    /// # Errors
    /// As for [`narrow`](Self::narrow).
    fn of_factor(factor: Self::Factor, op: &'static str) -> Result<Self, Error>;

    /// The absolute value.
    fn modulus(self) -> Self::Modulus;

    /// The sum of the products of the elements of two lists of one length, if the type is exact
    /// and few bits hold it: that nothing overflows is seen by the largest magnitudes.
    #[doc(hidden)]
    #[inline(always)]
    fn dot_of_few_bits(a: &[Self], b: &[Self]) -> Option<Self> {
        let _ = (a, b);
        None
    }

    /// Whether no sum of so many products of elements of two lists, the type being exact, can
    /// overflow in the type itself: as far as the largest magnitudes say.
    #[doc(hidden)]
    #[inline(always)]
    fn has_few_bits(a: &[Self], b: &[Self], count: usize) -> bool {
        let _ = (a, b, count);
        false
    }

    /// Whether small products of matrices are by additions and multiplications in the type itself.
    #[cfg(feature = "matmul")]
    #[doc(hidden)]
    const BY_OPERATIONS: bool = true;

    /// Products as they are compiled with this crate, if they are.
    #[cfg(feature = "matmul")]
    #[doc(hidden)]
    const PRODUCTS: Option<&'static matmul::CompiledProducts<Self>> = None;

    /// A product of matrices.
    ///
    /// # Errors
    /// If there is no memory for what it takes.
    #[cfg(feature = "matmul")]
    #[doc(hidden)]
    fn multiply(product: matmul::Product<'_, Self>) -> Result<(), Error> {
        product.by_operations()
    }
}

/// Integers.
#[diagnostic::on_unimplemented(
    message = "elements of type `{Self}` are not integers",
    label = "it takes integers",
    note = "only integers wrap around; `x.sum()` and `x.product()` are for all numbers"
)]
pub trait Integer: Real + num_traits::Bounded + Eq + Ord + Monoid<Add> + Monoid<Mul> {
    /// Extremes as they are compiled with this crate, if they are.
    #[doc(hidden)]
    const MINIMA: Option<&'static Compiled<Self, Self, Self>> = None;
    #[doc(hidden)]
    const MAXIMA: Option<&'static Compiled<Self, Self, Self>> = None;

    /// The sum that wraps around; if it does, `over` [is over](Self::is_over) from then on. In
    /// operations on bits, of which compilers make vectors.
    #[doc(hidden)]
    fn add_in_own_type(self, other: Self, over: &mut Self) -> Self;

    /// Whether a sum has overflowed.
    #[doc(hidden)]
    fn is_over(self) -> bool;

    /// The sum of a list of at most 4096 elements; and whether it fits, which of 64 bits may be
    /// denied where elements are large. In loops of which compilers make vectors.
    #[doc(hidden)]
    fn sum_of_list(list: &[Self]) -> (Self, bool);
}

/// Floating-point and complex numbers, which have a mean.
#[diagnostic::on_unimplemented(
    message = "elements of type `{Self}` are not floating-point numbers",
    label = "it takes floating-point or complex numbers: write `.cast::<f64>()` before it",
    note = "for example `x.cast::<f64>().mean()`"
)]
pub trait Inexact: Number<Wide: Div<f64, Output = <Self as Number>::Wide>> {
    /// What adds up squares.
    type Squares: Accumulator + Monoid<Add>;

    /// Euclidean norms as they are compiled with this crate, if they are.
    #[doc(hidden)]
    const NORMS: Option<&'static Compiled<Self, Self::Squares, Self::RealPart>> = None;
    #[doc(hidden)]
    const USUAL_NORMS: Option<&'static Compiled<Self, f64, Self::RealPart>> = None;

    /// The square of the absolute value.
    fn squares(self) -> Self::Squares;

    /// The square root of a sum of squares, rounded once.
    fn root(squares: Self::Squares) -> Self::RealPart;

    /// The square of the absolute value, which may overflow or underflow.
    fn square(self) -> f64;

    /// The same as [`root`](Self::root), of a sum of squares among which nothing that matters can
    /// have overflowed or underflowed.
    fn usual_root(square: f64) -> Option<Self::RealPart>;
}

/// Floating-point numbers: `f32`, `f64`, `f16` and `bf16`.
///
/// One bound for all that they have, in expressions and one by one: arithmetic, order, all
/// functions, reductions and matrix products (by [`Inexact`], [`Real`] and [`FloatFunctions`]),
/// [`num_traits::Float`] and [`FloatConst`] with their constants and functions of one number,
/// [`num_traits::FromPrimitive`], sums and products of iterators, and printing. Other constants
/// are `T::rounded(0.5)`, and `T::from(n)` and `T::from_usize(n)` convert numbers.
///
/// ```
/// use elementwise::{Array2, Error, Float, Reductions};
///
/// fn spread<T: Float>(x: &Array2<T>) -> Result<T, Error> {
///     Ok(x.std(1.0)? / (x.max()? - x.min()?))
/// }
/// assert_eq!(spread(&elementwise::array![[1.0_f32, 3.0, 5.0]])?, 0.5);
/// fn mean_of_rows<T: Float>(x: &Array2<T>) -> Option<T> {
///     Some(x.sum().ok()? / T::from_usize(x.nrows())?)
/// }
/// assert_eq!(mean_of_rows(&elementwise::array![[1.0_f32], [3.0]]), Some(2.0));
/// fn greatest<T: Float>(x: &Array2<T>) -> T {
///     x.iter().copied().fold(T::min_value(), T::max)
/// }
/// assert_eq!(greatest(&elementwise::array![[1.0_f32], [3.0]]), 3.0);
/// # Ok::<(), Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "elements of type `{Self}` are not real floating-point numbers",
    label = "it takes `f32`, `f64`, `f16` or `bf16`: write `.cast::<f64>()` before it",
    note = "for example `x.cast::<f64>().var(0.0)`, or `x.cast::<f64>().median()`"
)]
pub trait Float:
    Inexact<Wide = f64>
    + Real
    + FloatFunctions
    + WithSettings
    + num_traits::Float
    + num_traits::FromPrimitive
    + FloatConst
    + CastTo<f64>
    + CastTo<Self::Compute>
    + std::iter::Sum
    + for<'a> std::iter::Sum<&'a Self>
    + std::iter::Product
    + for<'a> std::iter::Product<&'a Self>
    + std::fmt::Display
    + std::fmt::Debug
    + std::fmt::LowerExp
{
    /// The type that functions are computed in: `f32` for those of 16 bits, or itself.
    type Compute: Native + Float + CastTo<Self>;

    /// Variances as they are compiled with this crate, if they are.
    #[doc(hidden)]
    const SPREADS: Option<&'static Compiled<Self, Spread, Self>> = None;

    /// The nearest number, ties to even; NaN with one sign and payload.
    fn rounded(number: f64) -> Self;
}

/// An integer result that does not fit.
#[cold]
fn overflow(op: &'static str, value: Option<i128>, output: &'static str) -> Error {
    ErrorKind::ReductionOverflow { op, value, output }.into()
}

/// The number, or NaN with one sign and payload: those of an operation depend on the order of its
/// operands, and on the machine.
#[inline(always)]
fn one_nan<T: num_traits::Float>(x: T) -> T {
    if x.is_nan() { T::nan() } else { x }
}
