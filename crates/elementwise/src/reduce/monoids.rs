//! Reductions of monoids: those that an associative operation with an identity makes, in the list
//! at the end.

use super::compiled::compiled;
use super::{Accumulator, Compiled, OwnType, Place, Reduction};
use crate::number::{Float, Inexact, Integer, Monoid, Number, Ordered};
use crate::ops::{Add, Maximum, Minimum, Mul};
use bcast::Error;
use ndcore::Element;

/// The name of a [`MonoidReduction`].
///
/// A trait of its own, because it does not depend on the type of the elements: so the compiler sees
/// that a type without a name is no `MonoidReduction` of any type, and may be a [`Reduction`] by
/// itself.
pub trait Named {
    /// The name, in error messages.
    const NAME: &'static str;
}

/// A reduction by an associative and commutative operation: each element is lifted to a value of a
/// [`Monoid`], the values are combined, and the result is made of what has come of them.
///
/// Every such type is a [`Reduction`], and computed as fast as those of this crate. Mark the
/// methods as `#[inline(always)]`.
///
/// ```
/// use elementwise::{Error, Monoid, MonoidReduction, Named, Reductions, array};
///
/// /// The greatest common divisor.
/// struct Gcd;
///
/// impl Monoid<Gcd> for u32 {
///     const IDENTITY: u32 = 0;
///
///     #[inline(always)]
///     fn combine(self, other: u32) -> u32 {
///         let (mut a, mut b) = (self, other);
///         while b > 0 {
///             (a, b) = (b, a % b);
///         }
///         a
///     }
/// }
///
/// impl Named for Gcd {
///     const NAME: &'static str = "gcd";
/// }
///
/// impl MonoidReduction<u32> for Gcd {
///     type Op = Gcd;
///     type Acc = u32;
///     type Total = u32;
///     type Output = u32;
///
///     fn lift(&self, x: u32) -> u32 {
///         x
///     }
///     fn total(&self, acc: u32) -> u32 {
///         acc
///     }
///     fn finish(&self, total: u32, _: usize) -> Result<u32, Error> {
///         Ok(total)
///     }
///     fn empty(&self) -> Option<u32> {
///         Some(0)
///     }
/// }
///
/// assert_eq!(array![[12_u32, 18], [8, 20]].reduce_by(Gcd, 1)?.to_vec(), [6, 4]);
/// # Ok::<(), Error>(())
/// ```
pub trait MonoidReduction<T: Element>: Named + Sync {
    /// The operation.
    type Op;
    /// What combines the elements of a block, of which there are at most 4096.
    type Acc: Accumulator + Monoid<Self::Op>;
    /// What combines blocks.
    type Total: Accumulator + Monoid<Self::Op>;
    /// The element type of the result.
    type Output: Element;
    /// As [`Reduction::COST`].
    const COST: usize = 1;
    /// As [`Reduction::EXACT`].
    const EXACT: bool = false;
    /// As [`Reduction::ENDS`].
    const ENDS: bool = false;
    /// As [`Reduction::SELDOM`].
    #[doc(hidden)]
    const SELDOM: bool = false;
    /// As [`Reduction::COMPILED`].
    #[doc(hidden)]
    const COMPILED: Option<&'static Compiled<T, Self::Total, Self::Output>> = None;
    /// As [`Reduction::IN_OWN_TYPE`].
    #[doc(hidden)]
    const IN_OWN_TYPE: Option<&'static OwnType<T, Self::Output>> = None;

    /// As [`Reduction::ends`].
    #[inline(always)]
    fn ends(&self, total: Self::Total) -> bool {
        let _ = total;
        false
    }

    /// An element as a value.
    fn lift(&self, value: T) -> Self::Acc;

    /// The value of a block as one of several.
    fn total(&self, acc: Self::Acc) -> Self::Total;

    /// The result, for `len` elements, at least one.
    ///
    /// # Errors
    /// If the output type does not hold it.
    fn finish(&self, total: Self::Total, len: usize) -> Result<Self::Output, Error>;

    /// The result for no elements, if there is one.
    fn empty(&self) -> Option<Self::Output> {
        None
    }
}

// `Named` is said again: of a bound of a bound the compiler does not ask whether other types have
// it.
impl<T: Element, M: MonoidReduction<T> + Named> Reduction<T> for M {
    type Acc = M::Acc;
    type Total = M::Total;
    type Output = M::Output;
    const NAME: &'static str = <M as Named>::NAME;
    const COST: usize = <M as MonoidReduction<T>>::COST;
    const EXACT: bool = <M as MonoidReduction<T>>::EXACT;
    const REORDERED: bool = <M as MonoidReduction<T>>::EXACT && M::Acc::REORDERED;
    const JOINS: bool = true;
    const ENDS: bool = <M as MonoidReduction<T>>::ENDS;
    const SELDOM: bool = <M as MonoidReduction<T>>::SELDOM;
    const COMPILED: Option<&'static Compiled<T, M::Total, M::Output>> = M::COMPILED;
    const IN_OWN_TYPE: Option<&'static OwnType<T, M::Output>> = M::IN_OWN_TYPE;

    #[inline(always)]
    fn ends(&self, total: M::Total) -> bool {
        MonoidReduction::ends(self, total)
    }

    #[inline(always)]
    fn start(&self) -> M::Acc {
        M::Acc::IDENTITY
    }

    #[inline(always)]
    fn step(&self, acc: M::Acc, value: T, _: usize) -> M::Acc {
        acc.combine(self.lift(value))
    }

    #[inline(always)]
    fn join(&self, a: M::Acc, b: M::Acc) -> M::Acc {
        a.combine(b)
    }

    #[inline(always)]
    fn total(&self, acc: M::Acc, _: Place) -> M::Total {
        MonoidReduction::total(self, acc)
    }

    #[inline(always)]
    fn merge(&self, a: M::Total, b: M::Total) -> M::Total {
        a.combine(b)
    }

    #[inline(always)]
    fn finish(&self, total: M::Total, len: usize) -> Result<M::Output, Error> {
        MonoidReduction::finish(self, total, len)
    }

    fn empty(&self) -> Option<M::Output> {
        MonoidReduction::empty(self)
    }
}

/// A row of the list: the name, the generic parameters, the type of the elements and of the result;
/// the operation, and the types in which it combines elements and blocks; and then, how an element
/// is lifted, the value of a block becomes a total, and a total becomes the result, and the result
/// for no elements, if there is one.
macro_rules! monoid_reductions {
    ($(
        $(#[$doc:meta])*
        $reduction:ident $name:literal [$($generics:tt)*] $element:ty => $output:ty,
        $op:ident in $acc:ty, $wide:ty $(, costs $cost:literal)? $(, exact $exact:tt)?
        $(, seldom $seldom:literal)? $(, ends at $end:literal)? $(, compiled $compiled:tt)? $(, in own type $own:tt)?:
        |$x:ident| $lift:expr, |$block:pat_param| $total:expr,
        |$all:pat_param, $len:pat_param| $finish:expr $(, or $empty:expr)?;
    )*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default)]
        pub struct $reduction;

        impl Named for $reduction {
            const NAME: &'static str = $name;
        }

        impl<$($generics)*> MonoidReduction<$element> for $reduction {
            type Op = $op;
            type Acc = $acc;
            type Total = $wide;
            type Output = $output;
            $(const COST: usize = $cost;)?
            $(const EXACT: bool = $exact;)?
            $(const SELDOM: bool = $seldom;)?
            $(const COMPILED: Option<&'static Compiled<$element, $wide, $output>> =
                $compiled;)?
            $(const IN_OWN_TYPE: Option<&'static OwnType<$element, $output>> = $own;)?
            $(
                const ENDS: bool = true;

                #[inline(always)]
                fn ends(&self, total: $wide) -> bool {
                    total == $end
                }
            )?

            #[inline(always)]
            fn lift(&self, $x: $element) -> $acc {
                $lift
            }

            #[inline(always)]
            fn total(&self, $block: $acc) -> $wide {
                $total
            }

            #[inline(always)]
            fn finish(&self, $all: $wide, $len: usize) -> Result<$output, Error> {
                $finish
            }

            $(fn empty(&self) -> Option<$output> {
                Some($empty)
            })?
        }
    )*};
}

monoid_reductions! {
    /// The sum. Integers are added up in a type in which the sum cannot wrap, and a sum that does
    /// not fit in the type of the elements is an error; `f16` and `bf16` in `f32`; blocks of
    /// floating-point numbers in `f64`. It is rounded once.
    Sum "sum" [T: Number] T => T, Add in T::Acc, T::Wide, exact (T::EXACT),
        compiled (T::SUMS), in own type (T::IN_OWN_TYPE):
        |x| x.lift(), |acc| T::total(acc), |total, _| T::narrow(total, "sum"), or T::zero();

    /// The arithmetic mean: the sum divided by the number of elements, rounded once.
    Mean "mean" [T: Inexact] T => T, Add in T::Acc, T::Wide, compiled (T::SUMS),
        in own type (T::MEANS_IN_OWN_TYPE):
        |x| x.lift(), |acc| T::total(acc), |total, len| T::narrow(total / len as f64, "mean");

    /// The sum of the elements that are not NaN, each of which counts as 0. Added up as [`Sum`]
    /// does.
    NanSum "nansum" [T: Float] T => T, Add in T::Acc, T::Wide, costs 2:
        |x| zero_if_nan(x).lift(), |acc| T::total(acc), |total, _| T::narrow(total, "nansum"),
        or T::zero();

    /// The arithmetic mean of the elements that are not NaN, rounded once; NaN if there is none.
    NanMean "nanmean" [T: Float] T => T, Add in (T::Acc, T::Acc), (T::Wide, T::Wide), costs 3:
        |x| (zero_if_nan(x).lift(), number_if_not_nan(x).lift()),
        |(sum, count)| (T::total(sum), T::total(count)),
        |(sum, count), _| T::narrow(sum / count, "nanmean");

    /// The sum modulo 2 to the number of bits.
    SumWrapping "sum_wrapping" [T: Integer] T => T, Add in T, T, exact true:
        |x| x, |acc| acc, |total, _| Ok(total), or T::zero();

    /// The product. One of integers that does not fit in the type of the elements is an error;
    /// `f16` and `bf16` are multiplied in `f32`.
    Product "product" [T: Number] T => T, Mul in T::Factor, T::Factor:
        |x| x.factor(), |acc| acc, |total, _| T::of_factor(total, "product"), or T::one();

    /// The product modulo 2 to the number of bits.
    ProductWrapping "product_wrapping" [T: Integer] T => T, Mul in T, T, exact true:
        |x| x, |acc| acc, |total, _| Ok(total), or T::one();

    /// The sum of the absolute values.
    NormL1 "norm_l1" [T: Number] T => T::RealPart,
        Add in <T::Modulus as Number>::Acc, <T::Modulus as Number>::Wide, costs 2, exact (T::EXACT):
        |x| x.modulus().lift(), |acc| <T::Modulus as Number>::total(acc),
        |total, _| T::RealPart::narrow(total, "norm_l1"), or num_traits::zero();

    /// The Euclidean norm: the square root of the sum of the squared absolute values. The squares
    /// are added up in `f64`; and neither those of very large numbers nor those of very small ones
    /// are lost.
    NormL2 "norm_l2" [T: Inexact] T => T::RealPart, Add in T::Squares, T::Squares, costs 4,
        seldom true, compiled (T::NORMS):
        |x| x.squares(), |acc| acc, |total, _| Ok(T::root(total)), or num_traits::zero();

    /// As [`NormL2`], to the bit and in fewer operations, or an error: where squares of very large
    /// or very small numbers may be lost.
    UsualNormL2 "norm_l2" [T: Inexact] T => T::RealPart, Add in f64, f64,
        compiled (T::USUAL_NORMS):
        |x| x.square(), |acc| acc,
        |total, _| T::usual_root(total).ok_or_else(Error::no_memory), or num_traits::zero();

    /// The largest absolute value; NaN if there is a NaN.
    NormMax "norm_max" [T: Number] T => T::RealPart,
        Minimum in <T::Modulus as Ordered>::Key, <T::Modulus as Ordered>::Key, costs 3, exact true:
        |x| x.modulus().reversed().key(), |acc| acc,
        |total, _| T::RealPart::narrow(T::Modulus::of_reversed_key(total).widen(), "norm_max");

    /// The largest element, +0 above -0; NaN if there is one.
    Max "max" [T: Ordered] T => T, Minimum in T::Key, T::Key, costs 2, exact true,
        compiled (T::MAXIMA):
        |x| x.reversed().key(), |acc| acc, |total, _| Ok(T::of_reversed_key(total));

    /// The smallest element, -0 below +0; NaN if there is one.
    Min "min" [T: Ordered] T => T, Minimum in T::Key, T::Key, costs 2, exact true,
        compiled (T::MINIMA):
        |x| x.key(), |acc| acc, |total, _| Ok(T::of_key(total));

    /// The largest element that is not NaN, +0 above -0; NaN if there is none.
    NanMax "nanmax" [T: Float] T => T, Minimum in (T::Key, T::Round), (T::Key, T::Round), costs 3, exact true:
        |x| unless_nan(x.reversed()), |acc| acc, |total, _| Ok(or_nan(total, T::of_reversed_key));

    /// The smallest element that is not NaN, -0 below +0; NaN if there is none.
    NanMin "nanmin" [T: Float] T => T, Minimum in (T::Key, T::Round), (T::Key, T::Round), costs 3, exact true:
        |x| unless_nan(x), |acc| acc, |total, _| Ok(or_nan(total, T::of_key));

    /// Whether any element is true.
    Any "any" [] bool => bool, Maximum in bool, bool, exact true, ends at true,
        compiled (compiled!(Compiled<bool, bool, bool>, Any)):
        |x| x, |acc| acc, |total, _| Ok(total), or false;

    /// Whether all elements are true.
    All "all" [] bool => bool, Minimum in bool, bool, exact true, ends at false,
        compiled (compiled!(Compiled<bool, bool, bool>, All)):
        |x| x, |acc| acc, |total, _| Ok(total), or true;

    /// The number of elements that are not zero; of `bool`, that are true.
    CountNonzero "count_nonzero" [T: Element + PartialEq + Default] T => usize, Add in u32, usize, exact true:
        |x| u32::from(x != T::default()), |acc| acc as usize, |total, _| Ok(total), or 0;
}

/// An element, or 0 for NaN.
#[inline(always)]
fn zero_if_nan<T: Float>(x: T) -> T {
    if x.is_undefined() { num_traits::zero() } else { x }
}

/// How many numbers an element is: 1, or 0 for NaN. A block has few enough elements for every type
/// that adds up.
#[inline(always)]
fn number_if_not_nan<T: Float>(x: T) -> T {
    if x.is_undefined() { num_traits::zero() } else { num_traits::one() }
}

/// The key of an element and 0, or for NaN what changes no minimum.
#[inline(always)]
fn unless_nan<T: Ordered>(x: T) -> (T::Key, T::Round) {
    let nothing = <(T::Key, T::Round)>::IDENTITY;
    if x.is_undefined() { nothing } else { (x.key(), T::round(0)) }
}

/// The element of a key, or NaN if there was no number.
fn or_nan<T: Float>((key, round): (T::Key, T::Round), of_key: fn(T::Key) -> T) -> T {
    if T::number(round) == 0 { of_key(key) } else { T::rounded(f64::NAN) }
}
