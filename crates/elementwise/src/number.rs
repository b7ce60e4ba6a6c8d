//! The element types that are numbers: what each widens to, adds up and multiplies in, and compares
//! by, said once.
//!
//! Reductions, scans, quantiles and softmax are generic over these traits;
//! `docs/adding-a-reduction.md` lists the edits for another one, and for another element type.

#![forbid(unsafe_code)]

use crate::math::Math;
#[cfg(feature = "matmul")]
use crate::matmul;
use crate::ops::{
    Abs, Add, Binary, CastTo, FloatFunctions, Maximum, Minimum, Mul, Numeric, Real, Unary,
    WithSettings,
};
use crate::reduce::compiled::compiled;
use crate::reduce::dot::Dot;
use crate::reduce::{
    Accumulator, ArgMax, ArgMin, Compiled, Max, Min, NormL2, Plain, Reduction, Spread, Sum,
    UsualNormL2, Var,
};
use crate::types::for_types;
use bcast::{Error, ErrorKind};
use half::{bf16, f16};
use ndcore::Element;
use num_complex::Complex;
use num_traits::FloatConst;
use rayon::slice::ParallelSliceMut;
use std::ops::Div;

/// What follows, of the types whose reductions are [`Compiled`] with this crate.
macro_rules! if_compiled {
    (float f32 => $($some:tt)*) => { $($some)* };
    (float f64 => $($some:tt)*) => { $($some)* };
    (integer i32 => $($some:tt)*) => { $($some)* };
    (integer i64 => $($some:tt)*) => { $($some)* };
    (integer usize => $($some:tt)*) => { $($some)* };
    ($class:ident $other:ident => $($some:tt)*) => {};
}

/// Values that the operation `O` makes a monoid: it is associative and commutative (but for
/// rounding), and has an identity.
///
/// See [`MonoidReduction`](crate::MonoidReduction) for what it is good for.
pub trait Monoid<O>: Element {
    /// The value that changes no other.
    const IDENTITY: Self;

    /// Whether the operation is one of integers, of which compilers know that the order does not
    /// matter: they find a better one than any that is written down.
    const REORDERED: bool = false;

    /// The operation.
    #[must_use]
    fn combine(self, other: Self) -> Self;
}

macro_rules! monoid {
    ($type:ty, ($op:ty, $identity:expr, |$a:ident, $b:ident| $combined:expr $(, $reordered:expr)?)) => {
        impl Monoid<$op> for $type {
            const IDENTITY: Self = $identity;
            $(const REORDERED: bool = $reordered;)?

            #[inline(always)]
            fn combine(self, $b: Self) -> Self {
                let $a = self;
                $combined
            }
        }
    };
}
for_types!(ints => monoid!(Add, 0, |a, b| a.wrapping_add(b), true));
for_types!(ints => monoid!(Mul, 1, |a, b| a.wrapping_mul(b), true));
for_types!(ints => monoid!(Minimum, Self::MAX, |a, b| a.min(b), true));
monoid!(i128, (Add, 0, |a, b| a.wrapping_add(b)));
// A sum that begins with +0 would lose the sign of -0.
for_types!(floats => monoid!(Add, -0.0, |a, b| a + b));
for_types!(floats => monoid!(Mul, 1.0, |a, b| a * b));
for_types!(floats => monoid!(Minimum, Self::INFINITY, |a, b| {
    // Two instructions of a vector: each is `b` or `a` where neither is less. Equal numbers differ
    // at most in the sign of a zero, and what is or-ed with NaN is NaN: so -0 is below +0, and NaN
    // stays.
    let (low, other) = (if a < b { a } else { b }, if b < a { b } else { a });
    Self::from_bits(low.to_bits() | other.to_bits())
}));
for_types!(complexes => monoid!(Add, Complex::new(-0.0, -0.0), |a, b| a + b));
for_types!(complexes => monoid!(Mul, Complex::new(1.0, 0.0), |a, b| a * b));
monoid!(bool, (Minimum, true, |a, b| a & b));
monoid!(bool, (Maximum, false, |a, b| a | b));

/// Part by part.
macro_rules! tuples {
    ($($($part:ident $index:tt),*;)*) => {$(
        impl<O, $($part: Monoid<O>),*> Monoid<O> for ($($part,)*) {
            const IDENTITY: Self = ($($part::IDENTITY,)*);
            const REORDERED: bool = $($part::REORDERED)&&*;

            #[inline(always)]
            fn combine(self, other: Self) -> Self {
                ($(self.$index.combine(other.$index),)*)
            }
        }
    )*};
}
tuples! {
    A 0, B 1;
    A 0, B 1, C 2;
}

/// A product of integers. Sign and magnitude apart, because the magnitude of a product grows with
/// each factor that is not zero: so whether the product of all fits does not depend on their order.
#[derive(Clone, Copy, Debug)]
pub struct IntegerProduct {
    /// The largest there is if it does not fit.
    magnitude: u64,
    /// The highest bit is that of the sign, the lowest is set if the magnitude does not fit.
    flags: u64,
}

impl IntegerProduct {
    /// One factor.
    #[inline(always)]
    fn of(factor: i128) -> Plain<Self> {
        let sign = (factor >> 64) as u64 & (1 << 63);
        Plain(IntegerProduct { magnitude: factor.unsigned_abs() as u64, flags: sign })
    }

    /// The numbers it is made of.
    pub(crate) fn parts(self) -> (u64, u64) {
        (self.magnitude, self.flags)
    }

    /// And back.
    pub(crate) fn of_parts((magnitude, flags): (u64, u64)) -> Self {
        IntegerProduct { magnitude, flags }
    }

    /// The product, if it is known.
    fn value(self) -> Option<i128> {
        let (magnitude, negative) = (i128::from(self.magnitude), self.flags >> 63 != 0);
        // Nothing that did not fit matters beside a zero.
        let fits = self.magnitude == 0 || self.flags & 1 == 0;
        fits.then_some(if negative { -magnitude } else { magnitude })
    }
}

impl Monoid<Mul> for Plain<IntegerProduct> {
    const IDENTITY: Self = Plain(IntegerProduct { magnitude: 1, flags: 0 });

    #[inline(always)]
    fn combine(self, other: Self) -> Self {
        let (magnitude, overflows) = self.0.magnitude.overflowing_mul(other.0.magnitude);
        // If neither of two that do not fit is beside a zero, their product does not fit either.
        let flags = (self.0.flags ^ other.0.flags) | u64::from(overflows);
        Plain(IntegerProduct { magnitude: if overflows { u64::MAX } else { magnitude }, flags })
    }
}

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
/// engine; implement them for a number of your own to sum it.
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

    /// The same number.
    fn widen(self) -> Self::Wide;

    /// The nearest number of this type, ties to even; NaN with one sign and payload.
    ///
    /// # Errors
    /// If an integer type does not hold the number, which is the result of the method `op`.
    fn narrow(wide: Self::Wide, op: &'static str) -> Result<Self, Error>;

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

/// The product of two elements of type `T`, and what adds up products: see [`Number::Product`].
///
/// A number is the product of two of its own type, rounded as by the operation; integers and
/// numbers of 16 bits have a wider one.
pub trait ProductOf<T>: Element {
    /// What adds up the products of a block, of which there are at most 4096.
    type Acc: Accumulator + Monoid<Add>;
    /// Holds every product, and their sums.
    type Wide: Accumulator + Monoid<Add>;
    /// The reduction that adds up products: of a number's own type, their sum, so that it has the
    /// same kernels.
    type Fold: Reduction<Self, Total = Self::Wide, Output = T> + Default;

    /// The product.
    fn of(a: T, b: T) -> Self;

    /// The sum of one product.
    fn lift(self) -> Self::Acc;

    /// The sum of a block.
    fn total(acc: Self::Acc) -> Self::Wide;

    /// The sum as an element, as by [`Number::narrow`].
    ///
    /// # Errors
    /// If an integer type does not hold it.
    fn narrow(wide: Self::Wide) -> Result<T, Error>;
}

impl<T: Number> ProductOf<T> for T {
    type Acc = <T as Number>::Acc;
    type Wide = <T as Number>::Wide;
    type Fold = Sum;

    #[inline(always)]
    fn of(a: T, b: T) -> T {
        Binary::<Mul>::binary(a, b)
    }

    #[inline(always)]
    fn lift(self) -> Self::Acc {
        Number::lift(self)
    }

    #[inline(always)]
    fn total(acc: Self::Acc) -> Self::Wide {
        <T as Number>::total(acc)
    }

    #[inline(always)]
    fn narrow(wide: Self::Wide) -> Result<T, Error> {
        <T as Number>::narrow(wide, "dot")
    }
}

/// Integers of at most 32 bits: products are integers of twice as many.
macro_rules! products {
    ($($type:ident in $product:ident;)*) => {$(
        impl ProductOf<$type> for $product {
            type Acc = <$product as Number>::Acc;
            type Wide = i128;
            type Fold = Dot<$type>;

            #[inline(always)]
            fn of(a: $type, b: $type) -> $product {
                $product::from(a) * $product::from(b)
            }

            #[inline(always)]
            fn lift(self) -> Self::Acc {
                Number::lift(self)
            }

            #[inline(always)]
            fn total(acc: Self::Acc) -> i128 {
                <$product as Number>::total(acc)
            }

            #[inline(always)]
            fn narrow(wide: i128) -> Result<$type, Error> {
                Number::narrow(wide, "dot")
            }
        }
    )*};
}
products! {
    i8 in i16; i16 in i32; i32 in i64;
    u8 in u16; u16 in u32; u32 in u64;
}

/// Numbers of 16 bits: `f32` holds all digits of a product of two.
macro_rules! half_products {
    ($($type:ident)*) => {$(
        impl ProductOf<$type> for f32 {
            type Acc = f32;
            type Wide = f64;
            type Fold = Dot<$type>;

            #[inline(always)]
            fn of(a: $type, b: $type) -> f32 {
                CastTo::<f32>::cast_to(a) * CastTo::<f32>::cast_to(b)
            }

            #[inline(always)]
            fn lift(self) -> f32 {
                self
            }

            #[inline(always)]
            fn total(acc: f32) -> f64 {
                acc.into()
            }

            #[inline(always)]
            fn narrow(wide: f64) -> Result<$type, Error> {
                Number::narrow(wide, "dot")
            }
        }
    )*};
}
half_products!(f16 bf16);

/// Integers of up to 64 bits, whose sums of products do not fit in 128. A block adds up the
/// products above 2^96, and all that wraps around; blocks are added up in halves, above 2^64 and
/// below.
macro_rules! wide_products {
    ($($type:ident in $product:ident;)*) => {$(
        impl ProductOf<$type> for $product {
            type Acc = (i64, i128);
            type Wide = (i128, i128);
            type Fold = Dot<$type>;

            #[inline(always)]
            fn of(a: $type, b: $type) -> $product {
                a as $product * b as $product
            }

            #[inline(always)]
            fn lift(self) -> (i64, i128) {
                ((self >> 96) as i64, self as i128)
            }

            // The sum of the lower parts is less than 2^108: so what wraps around tells it.
            #[inline(always)]
            fn total((upper, all): (i64, i128)) -> (i128, i128) {
                let upper = i128::from(upper);
                let lower = all.wrapping_sub(upper << 96);
                ((upper << 32) + (lower >> 64), i128::from(lower as u64))
            }

            #[inline]
            fn narrow((upper, lower): (i128, i128)) -> Result<$type, Error> {
                // What the lower parts carry.
                let upper = upper + (lower >> 64);
                let whole = |upper: i128| upper | i128::from(lower as u64);
                let value = upper.checked_mul(1 << 64).map(whole);
                let sum = value.and_then(|value| $type::try_from(value).ok());
                sum.ok_or_else(|| overflow("dot", value, stringify!($type)))
            }
        }
    )*};
}
wide_products! {
    i64 in i128; isize in i128;
    u64 in u128; usize in u128;
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

/// Integers.
#[diagnostic::on_unimplemented(
    message = "elements of type `{Self}` are not integers",
    label = "it takes integers",
    note = "only integers wrap around; `x.sum()` and `x.product()` are for all numbers"
)]
pub trait Integer: Real + Eq + Ord + Monoid<Add> + Monoid<Mul> {}

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
/// [`num_traits::FromPrimitive`], and printing. Other constants are `T::rounded(0.5)`, and
/// `T::from(n)` and `T::from_usize(n)` convert numbers.
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

/// Floating-point types that the machine computes in: `f32` and `f64`.
pub trait Native: Accumulator + Monoid<Add> + num_traits::Float + Math + Into<f64> {
    /// The exponential of anything less does not matter beside 1; that of this is a normal number.
    const LEAST_EXPONENT: Self;
    /// What adds up squares.
    type Squares: Accumulator + Monoid<Add>;

    /// The square.
    fn squares(self) -> Self::Squares;
    /// The square root of a sum of squares.
    fn root(squares: Self::Squares) -> f64;
    /// Whether no square of a sum of squares that matters can have overflowed or underflowed.
    fn is_usual(square: f64) -> bool;
}

impl Native for f32 {
    const LEAST_EXPONENT: f32 = -87.0;
    type Squares = f64;

    // No square of an `f32` overflows or underflows in `f64`.
    #[inline(always)]
    fn squares(self) -> f64 {
        f64::from(self) * f64::from(self)
    }

    fn root(squares: f64) -> f64 {
        // Before the root: the compiler may take a NaN of that for the one it is asked for.
        one_nan(squares).sqrt()
    }

    fn is_usual(_: f64) -> bool {
        true
    }
}

/// Numbers beyond 2^512 have squares that `f64` does not hold; divided by this, all have.
const SCALE: f64 = f64::from_bits((1023 + 600) << 52);

/// From here on, squares that underflow do not matter.
const LEAST_SQUARES: f64 = f64::from_bits((1023 - 900) << 52);

impl Native for f64 {
    const LEAST_EXPONENT: f64 = -708.0;
    /// Those of the numbers as they are, scaled down, and scaled up: in one of the sums, nothing
    /// that matters overflows or underflows.
    type Squares = (f64, f64, f64);

    #[inline(always)]
    fn squares(self) -> (f64, f64, f64) {
        let (down, up) = (self * (1.0 / SCALE), self * SCALE);
        (self * self, down * down, up * up)
    }

    fn root((squares, down, up): (f64, f64, f64)) -> f64 {
        if !squares.is_finite() {
            down.sqrt() * SCALE
        } else if squares < LEAST_SQUARES {
            up.sqrt() / SCALE
        } else {
            squares.sqrt()
        }
    }

    fn is_usual(square: f64) -> bool {
        (LEAST_SQUARES..=f64::MAX).contains(&square)
    }
}

/// Element types in order from the smallest to the largest: integers, floating-point numbers and
/// `bool`.
#[diagnostic::on_unimplemented(
    message = "elements of type `{Self}` have no order",
    label = "it takes integers, floating-point numbers or `bool`",
    note = "of complex numbers, absolute values and parts have: `x.abs()`, `x.real()`, `x.imag()`"
)]
pub trait Ordered: crate::Scalar + Accumulator + PartialOrd {
    /// Values in the same order, but NaN below all others and -0 below 0, of which vectors find the
    /// least in few instructions.
    type Key: Accumulator + Monoid<Minimum>;
    /// The number of a round (see [`Reduction::step`](crate::Reduction::step)), in as many bits as
    /// the element has; there are at most 256.
    type Round: Accumulator + Monoid<Minimum>;

    /// What no element is below.
    const LOWEST: Self;
    /// What no element is above.
    const HIGHEST: Self;

    /// Extremes, and their places, as they are compiled with this crate, if they are.
    #[doc(hidden)]
    const MINIMA: Option<&'static Compiled<Self, Self::Key, Self>> = None;
    #[doc(hidden)]
    const MAXIMA: Option<&'static Compiled<Self, Self::Key, Self>> = None;
    #[doc(hidden)]
    const ARGMINIMA: Option<&'static Compiled<Self, (Self, usize), usize>> = None;
    #[doc(hidden)]
    const ARGMAXIMA: Option<&'static Compiled<Self, (Self, usize), usize>> = None;

    /// The element as a key.
    fn key(self) -> Self::Key;
    /// The element of a key; NaN with one sign and payload.
    fn of_key(key: Self::Key) -> Self;
    /// The element as far from the other end of the order; NaN stays NaN.
    #[must_use]
    fn reversed(self) -> Self;
    /// The element whose [`reversed`](Self::reversed) one has this key; NaN with one sign and
    /// payload.
    #[inline(always)]
    fn of_reversed_key(key: Self::Key) -> Self {
        let element = Self::of_key(key);
        if element.is_undefined() { element } else { element.reversed() }
    }
    /// Whether this is NaN.
    fn is_undefined(self) -> bool;
    /// Whether this is above the other, or NaN beside a number.
    fn above(self, other: Self) -> bool;
    /// Whether this is below the other, or NaN beside a number.
    fn below(self, other: Self) -> bool;
    /// Puts elements into ascending order, -0 before +0 and NaN after all others; by several
    /// threads if `parallel`.
    fn sort(values: &mut [Self], parallel: bool);
    /// An integer of as many bits.
    #[doc(hidden)]
    type OrderBits: Ord + Element;
    /// The element as an integer, in the order of [`sort`](Self::sort): different ones of different
    /// elements. To compare integers takes one instruction, which leads to no jumps.
    #[doc(hidden)]
    fn order_bits(self) -> Self::OrderBits;
    /// And back.
    #[doc(hidden)]
    fn of_order_bits(bits: Self::OrderBits) -> Self;
    /// An integer in the same order that is the same of zeros of either sign, and of all NaN; of
    /// elements of up to four bytes, it has 32 bits.
    #[doc(hidden)]
    fn order_place(self) -> u64;
    /// A round in few bits.
    fn round(number: usize) -> Self::Round;
    /// And back.
    fn number(round: Self::Round) -> usize;
}

/// The parts of [`Ordered`] that are alike for all types.
macro_rules! rounds {
    ($round:ty) => {
        type Round = $round;

        #[inline(always)]
        fn round(number: usize) -> $round {
            number as $round
        }

        #[inline(always)]
        fn number(round: $round) -> usize {
            round as usize
        }
    };
}

/// Types without NaN, which are keys themselves.
macro_rules! discrete {
    ($type:ty, $round:ty, $lowest:expr, $highest:expr) => {
        impl Ordered for $type {
            type Key = $type;
            const LOWEST: Self = $lowest;
            const HIGHEST: Self = $highest;
            rounds!($round);

            #[inline(always)]
            fn key(self) -> $type {
                self
            }

            #[inline(always)]
            fn of_key(key: $type) -> $type {
                key
            }

            #[inline(always)]
            fn reversed(self) -> $type {
                !self
            }

            #[inline(always)]
            fn is_undefined(self) -> bool {
                false
            }

            #[inline(always)]
            fn above(self, other: Self) -> bool {
                self > other
            }

            #[inline(always)]
            fn below(self, other: Self) -> bool {
                self < other
            }

            fn sort(values: &mut [Self], parallel: bool) {
                if parallel { values.par_sort_unstable() } else { values.sort_unstable() }
            }

            type OrderBits = $type;

            #[inline(always)]
            fn order_bits(self) -> $type {
                self
            }

            #[inline(always)]
            fn of_order_bits(bits: $type) -> $type {
                bits
            }

            #[inline(always)]
            fn order_place(self) -> u64 {
                (self as i128 - $lowest as i128) as u64
            }
        }
    };
}
discrete!(bool, u8, false, true);

/// An integer result that does not fit.
#[cold]
fn overflow(op: &'static str, value: Option<i128>, output: &'static str) -> Error {
    ErrorKind::ReductionOverflow { op, value, output }.into()
}

/// How many integers are looked at for their magnitudes before their products are added up: they
/// stay in the cache until then.
const LOOKED_AT: usize = 1 << 10;

/// The products of so few integers are added up one by one: whether that overflows takes no longer
/// to see than their magnitudes.
const MOST_CHECKED: usize = 1 << 5;

/// Integers: the unsigned type of the same size, that of products, what adds up products of few
/// bits, and what adds up a block: a wider type, or the upper halves, and all that wraps around.
macro_rules! integers {
    ($($type:ident $unsigned:ident $product:ident $sum:ident
        |$x:ident| $modulus:expr, $acc:tt;)*) => {$(
        discrete!($type, $unsigned, $type::MIN, $type::MAX);
        impl Integer for $type {}

        impl Number for $type {
            const EXACT: bool = true;
            if_compiled! { integer $type =>
                const SUMS: Option<&'static Compiled<$type, i128, $type>> =
                    compiled!(Compiled<$type, i128, $type>, Sum);
            }

            type Wide = i128;
            type Acc = $acc;
            type Factor = Plain<IntegerProduct>;
            type Product = $product;
            type Modulus = $unsigned;
            type RealPart = $type;

            #[inline(always)]
            fn widen(self) -> i128 {
                self as i128
            }

            #[inline(always)]
            fn narrow(wide: i128, op: &'static str) -> Result<$type, Error> {
                $type::try_from(wide).map_err(|_| overflow(op, Some(wide), stringify!($type)))
            }

            #[inline(always)]
            fn lift(self) -> $acc {
                integers!(@lift self, $acc)
            }

            #[inline(always)]
            fn total(acc: $acc) -> i128 {
                integers!(@total acc, $acc)
            }

            #[inline(always)]
            fn factor(self) -> Self::Factor {
                IntegerProduct::of(self as i128)
            }

            #[inline(always)]
            fn of_factor(factor: Self::Factor, op: &'static str) -> Result<$type, Error> {
                let value = factor.0.value();
                let product = value.and_then(|value| $type::try_from(value).ok());
                product.ok_or_else(|| overflow(op, value, stringify!($type)))
            }

            #[inline(always)]
            fn modulus(self) -> $unsigned {
                let $x = self;
                $modulus
            }

            #[inline(always)]
            fn dot_of_few_bits(a: &[$type], b: &[$type]) -> Option<$type> {
                let mut sum: $sum = 0;
                if a.len() <= MOST_CHECKED {
                    let product = |a: $type, b: $type| (a as $sum).checked_mul(b as $sum);
                    let (fours, rest) = a.as_chunks::<4>();
                    let (of_b, rest_of_b) = b.as_chunks::<4>();
                    for (a, b) in fours.iter().zip(of_b) {
                        for (&a, &b) in a.iter().zip(b) {
                            sum = sum.checked_add(product(a, b)?)?;
                        }
                    }
                    for (&a, &b) in rest.iter().zip(rest_of_b) {
                        sum = sum.checked_add(product(a, b)?)?;
                    }
                    return $type::try_from(sum).ok();
                }
                for (a, b) in a.chunks(LOOKED_AT).zip(b.chunks(LOOKED_AT)) {
                    if !integers!(@fits a, b, a.len(), $type, $sum) {
                        return None;
                    }
                    let part = a.iter().zip(b).fold(0, |part: $sum, (&a, &b)| {
                        part.wrapping_add((a as $sum).wrapping_mul(b as $sum))
                    });
                    sum = sum.checked_add(part)?;
                }
                $type::try_from(sum).ok()
            }

            #[inline(always)]
            fn has_few_bits(a: &[$type], b: &[$type], count: usize) -> bool {
                integers!(@fits a, b, count, $type, $type)
            }
        }
    )*};
    // A number of so many bits is below that power of two, and above or equal to its negative.
    (@fits $a:expr, $b:expr, $count:expr, $type:ident, $sum:ident) => {{
        let bits = |list: &[$type]| {
            let sign = |x: $type| if $type::MIN == 0 { 0 } else { x >> ($type::BITS - 1) };
            let all = list.iter().fold(0, |all: $type, &x| all | (x ^ sign(x)));
            $type::BITS - all.leading_zeros()
        };
        let of_count = usize::BITS - $count.leading_zeros();
        bits($a) + bits($b) + of_count < $sum::BITS - 1
    }};
    (@lift $x:expr, ($high:ty, $low:ty)) => { (($x as $high) >> 32, $x as $low) };
    (@lift $x:expr, $acc:ty) => { <$acc>::from($x) };
    // The sum of the lower halves is less than 2^44: so what wraps around tells it.
    (@total $acc:expr, ($high:ty, $low:ty)) => {{
        let lower = ($acc.1).wrapping_sub(($acc.0 as $low) << 32);
        (i128::from($acc.0) << 32) + i128::from(lower as u64)
    }};
    (@total $acc:expr, $type:ty) => { i128::from($acc) };
}
integers! {
    i8 u8 i16 i64 |x| x.unsigned_abs(), i32;
    i16 u16 i32 i64 |x| x.unsigned_abs(), i32;
    i32 u32 i64 i64 |x| x.unsigned_abs(), i64;
    i64 u64 i128 i64 |x| x.unsigned_abs(), (i64, i64);
    isize usize i128 i64 |x| x.unsigned_abs(), (i64, i64);
    u8 u8 u16 u64 |x| x, u32;
    u16 u16 u32 u64 |x| x, u32;
    u32 u32 u64 u64 |x| x, u64;
    u64 u64 u128 u64 |x| x, (u64, u64);
    usize usize u128 u64 |x| x, (u64, u64);
}

/// The number, or NaN with one sign and payload: those of an operation depend on the order of its
/// operands, and on the machine.
#[inline(always)]
fn one_nan<T: num_traits::Float>(x: T) -> T {
    if x.is_nan() { T::nan() } else { x }
}

/// Floating-point numbers: the type they are computed in.
macro_rules! floats {
    ($($type:ident: $compute:ty, $product:expr;)*) => {$(
        impl Number for $type {
            if_compiled! { float $type =>
                const SUMS: Option<&'static Compiled<$type, f64, $type>> =
                    compiled!(Compiled<$type, f64, $type>, Sum);
                #[cfg(feature = "matmul")]
                const PRODUCTS: Option<&'static matmul::CompiledProducts<$type>> =
                    compiled!(matmul::CompiledProducts<$type>);
            }
            multiply!($product);
            #[cfg(feature = "matmul")]
            const BY_OPERATIONS: bool = size_of::<$type>() == size_of::<$compute>();

            type Wide = f64;
            type Acc = $compute;
            type Factor = $compute;
            type Product = $compute;
            type Modulus = $type;
            type RealPart = $type;

            #[inline(always)]
            fn widen(self) -> f64 {
                self.cast_to()
            }

            #[inline(always)]
            fn narrow(wide: f64, _: &'static str) -> Result<$type, Error> {
                Ok(Self::rounded(wide))
            }

            #[inline(always)]
            fn lift(self) -> $compute {
                self.cast_to()
            }

            #[inline(always)]
            fn total(acc: $compute) -> f64 {
                acc.into()
            }

            #[inline(always)]
            fn factor(self) -> $compute {
                self.cast_to()
            }

            #[inline(always)]
            fn of_factor(factor: $compute, _: &'static str) -> Result<$type, Error> {
                Ok(one_nan(factor).cast_to())
            }

            #[inline(always)]
            fn modulus(self) -> $type {
                Unary::<Abs>::unary(self)
            }
        }

        impl Inexact for $type {
            type Squares = <$compute as Native>::Squares;
            if_compiled! { float $type =>
                const NORMS: Option<&'static Compiled<$type, Self::Squares, $type>> =
                    compiled!(Compiled<$type, <$compute as Native>::Squares, $type>, NormL2);
                const USUAL_NORMS: Option<&'static Compiled<$type, f64, $type>> =
                    compiled!(Compiled<$type, f64, $type>, UsualNormL2);
            }

            #[inline(always)]
            fn squares(self) -> Self::Squares {
                Native::squares(CastTo::<$compute>::cast_to(self))
            }

            fn root(squares: Self::Squares) -> $type {
                Self::rounded(<$compute as Native>::root(squares))
            }

            #[inline(always)]
            fn square(self) -> f64 {
                let x: f64 = self.cast_to();
                x * x
            }

            #[inline(always)]
            fn usual_root(square: f64) -> Option<$type> {
                <$compute as Native>::is_usual(square).then(|| Self::rounded(square.sqrt()))
            }
        }

        impl Float for $type {
            type Compute = $compute;
            if_compiled! { float $type =>
                const SPREADS: Option<&'static Compiled<$type, Spread, $type>> =
                    compiled!(Compiled<$type, Spread, $type>, Var);
            }

            #[inline(always)]
            fn rounded(number: f64) -> $type {
                one_nan(number).cast_to()
            }
        }
    )*};
}
floats! {
    f32: f32, matmul::product_f32;
    f64: f64, matmul::product_f64;
    f16: f32, matmul::product_half;
    bf16: f32, matmul::product_half;
}

/// Complex numbers: the type of their parts.
macro_rules! complexes {
    ($($part:ty: $product:expr;)*) => {$(
        impl Number for Complex<$part> {
            multiply!($product);

            type Wide = Complex<f64>;
            type Acc = ($part, $part);
            type Factor = Complex<$part>;
            type Product = Self;
            type Modulus = $part;
            type RealPart = $part;

            #[inline(always)]
            fn widen(self) -> Complex<f64> {
                self.cast_to()
            }

            #[inline(always)]
            fn narrow(wide: Complex<f64>, _: &'static str) -> Result<Self, Error> {
                Ok(Complex::new(one_nan(wide.re).cast_to(), one_nan(wide.im).cast_to()))
            }

            #[inline(always)]
            fn lift(self) -> ($part, $part) {
                (self.re, self.im)
            }

            #[inline(always)]
            fn total((re, im): ($part, $part)) -> Complex<f64> {
                Complex::new(re.into(), im.into())
            }

            #[inline(always)]
            fn factor(self) -> Self {
                self
            }

            #[inline(always)]
            fn of_factor(factor: Self, _: &'static str) -> Result<Self, Error> {
                Ok(Complex::new(one_nan(factor.re), one_nan(factor.im)))
            }

            #[inline(always)]
            fn modulus(self) -> $part {
                Unary::<Abs>::unary(self)
            }
        }

        impl Inexact for Complex<$part> {
            type Squares = <$part as Native>::Squares;

            #[inline(always)]
            fn squares(self) -> Self::Squares {
                Monoid::<Add>::combine(Native::squares(self.re), Native::squares(self.im))
            }

            fn root(squares: Self::Squares) -> $part {
                <$part>::rounded(<$part as Native>::root(squares))
            }

            #[inline(always)]
            fn square(self) -> f64 {
                self.re.square() + self.im.square()
            }

            #[inline(always)]
            fn usual_root(square: f64) -> Option<$part> {
                <$part>::usual_root(square)
            }
        }
    )*};
}
complexes! {
    f32: matmul::product_c32;
    f64: matmul::product_c64;
}

/// Types with NaN: their keys, and the type they compare in.
macro_rules! with_nan {
    ($(
        $type:ident as $wide:ty, $round:ty, $key:ty:
        |$x:ident| $to_key:expr, |$bits:ident| $from_key:expr;
    )*) => {$(
        impl Ordered for $type {
            type Key = $key;
            if_compiled! { float $type =>
                const MINIMA: Option<&'static Compiled<$type, $key, $type>> =
                    compiled!(Compiled<$type, $key, $type>, Min);
                const MAXIMA: Option<&'static Compiled<$type, $key, $type>> =
                    compiled!(Compiled<$type, $key, $type>, Max);
                const ARGMINIMA: Option<&'static Compiled<$type, ($type, usize), usize>> =
                    compiled!(Compiled<$type, ($type, usize), usize>, ArgMin);
                const ARGMAXIMA: Option<&'static Compiled<$type, ($type, usize), usize>> =
                    compiled!(Compiled<$type, ($type, usize), usize>, ArgMax);
            }
            const LOWEST: Self = <$type>::NEG_INFINITY;
            const HIGHEST: Self = <$type>::INFINITY;
            rounds!($round);

            #[inline(always)]
            fn key(self) -> $key {
                let $x = self;
                $to_key
            }

            #[inline(always)]
            fn of_key($bits: $key) -> $type {
                let value = $from_key;
                if value.is_nan() { <$type>::NAN } else { value }
            }

            #[inline(always)]
            fn reversed(self) -> $type {
                -self
            }

            #[inline(always)]
            fn is_undefined(self) -> bool {
                CastTo::<$wide>::cast_to(self).is_nan()
            }

            #[inline(always)]
            #[allow(clippy::neg_cmp_op_on_partial_ord, reason = "true beside NaN")]
            fn above(self, other: Self) -> bool {
                let (a, b): ($wide, $wide) = (self.cast_to(), other.cast_to());
                !(a <= b) & !b.is_nan()
            }

            #[inline(always)]
            #[allow(clippy::neg_cmp_op_on_partial_ord, reason = "true beside NaN")]
            fn below(self, other: Self) -> bool {
                let (a, b): ($wide, $wide) = (self.cast_to(), other.cast_to());
                !(a >= b) & !b.is_nan()
            }

            fn sort(values: &mut [Self], parallel: bool) {
                let bits: &mut [$round] = bytemuck::must_cast_slice_mut(values);
                bits.iter_mut().for_each(|bits| *bits = <$type>::from_bits(*bits).order_bits());
                if parallel { bits.par_sort_unstable() } else { bits.sort_unstable() }
                bits.iter_mut().for_each(|bits| *bits = Self::of_order_bits(*bits).to_bits());
            }

            type OrderBits = $round;

            // Those of negative numbers in reverse, and then moved down so far that those of
            // negative NaN come round to above those of positive ones.
            #[inline(always)]
            fn order_bits(self) -> $round {
                const SIGN: $round = 1 << (<$round>::BITS - 1);
                let bits = self.to_bits();
                let ordered = if bits & SIGN == 0 { bits | SIGN } else { !bits };
                ordered.wrapping_sub(!Self::LOWEST.to_bits())
            }

            #[inline(always)]
            fn of_order_bits(bits: $round) -> $type {
                const SIGN: $round = 1 << (<$round>::BITS - 1);
                let ordered = bits.wrapping_add(!Self::LOWEST.to_bits());
                <$type>::from_bits(if ordered & SIGN == 0 { !ordered } else { ordered ^ SIGN })
            }

            #[inline(always)]
            fn order_place(self) -> u64 {
                let bits = match self.to_bits() << 1 {
                    0 => <$type>::from_bits(0).order_bits(),
                    _ => self.order_bits(),
                };
                (if bits > Self::HIGHEST.order_bits() { <$round>::MAX } else { bits }).into()
            }
        }
    )*};
}

/// The bits of a floating-point number in the order of the numbers, negative ones in reverse, and
/// then moved up so far that positive NaN come round to below negative ones; and back.
macro_rules! key {
    (of $x:expr, $infinity:expr, $signed:ty, $unsigned:ty) => {{
        let bits = $x.to_bits() as $signed;
        let ordered = bits ^ (((bits >> (<$signed>::BITS - 1)) as $unsigned) >> 1) as $signed;
        ordered.wrapping_add(<$signed>::MAX - $infinity.to_bits() as $signed)
    }};
    (from $key:expr, $infinity:expr, $signed:ty, $unsigned:ty) => {{
        let ordered = $key.wrapping_sub(<$signed>::MAX - $infinity.to_bits() as $signed);
        (ordered ^ (((ordered >> (<$signed>::BITS - 1)) as $unsigned) >> 1) as $signed) as $unsigned
    }};
}

with_nan! {
    f32 as f32, u32, f32: |x| x, |x| x;
    f64 as f64, u64, f64: |x| x, |x| x;
    f16 as f32, u16, i16: |x| key!(of x, f16::INFINITY, i16, u16),
        |key| f16::from_bits(key!(from key, f16::INFINITY, i16, u16));
    bf16 as f32, u16, i16: |x| key!(of x, bf16::INFINITY, i16, u16),
        |key| bf16::from_bits(key!(from key, bf16::INFINITY, i16, u16));
}
