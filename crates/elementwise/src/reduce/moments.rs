//! Variance and standard deviation, and the logarithm of a sum of exponentials: those that carry
//! more than one number.

use super::{Accumulator, Compiled, Place, Reduction};
use crate::math::Math;
use crate::number::{Float, Native};
use crate::plan::LANES;
use bcast::{Error, ErrorKind};
use ndcore::Text;
use num_traits::Float as _;

/// The variance: the sum of the squared distances from the mean, divided by the number of elements
/// less `ddof`.
///
/// In one pass over the elements: each accumulator adds up the distances from the first element it
/// takes, and their squares; accumulators and blocks are merged by the formula of Chan, Golub and
/// LeVeque ("Updating formulae and a pairwise algorithm for computing sample variances", 1979), in
/// `f64`. A distance is exact where the elements are close to each other; so, as in two passes, the
/// relative error does not grow with the mean. It does where the very first elements are far from
/// all the rest: of `f32`, 16 outliers in front of 4096 elements cost three digits of the result,
/// which they are nearly all of; to compute in `f64` (`x.cast::<f64>().var(0.0)`) keeps them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Var {
    /// What is taken off the number of elements: 0 for a whole population, 1 for a sample of it.
    pub ddof: f64,
}

/// The standard deviation: the square root of [`Var`].
#[derive(Clone, Copy, Debug, Default)]
pub struct Std {
    /// As [`Var::ddof`].
    pub ddof: f64,
}

/// The mean of some elements, the sum of their squared distances from it, and their number.
#[derive(Clone, Copy, Debug)]
pub struct Spread {
    /// One of the elements, and how far the mean is above it: together they have more digits than
    /// one number.
    near: f64,
    above: f64,
    squares: f64,
    len: f64,
}

impl Spread {
    /// Of `len` elements, from the sums of their distances from `near` and of the squares of those.
    #[inline(always)]
    fn of(near: f64, distances: f64, squares: f64, len: f64) -> Spread {
        // The reciprocal is the same for many results.
        let above = distances * (1.0 / len);
        Spread { near, above, squares: squares - distances * above, len }
    }

    /// The numbers it is made of.
    pub(super) fn parts(self) -> (f64, f64, f64, f64) {
        (self.near, self.above, self.squares, self.len)
    }

    /// And back.
    pub(super) fn of_parts((near, above, squares, len): (f64, f64, f64, f64)) -> Spread {
        Spread { near, above, squares, len }
    }

    #[inline(always)]
    fn merge(self, other: Spread) -> Spread {
        let len = self.len + other.len;
        let (distance, share) =
            ((other.near - self.near) + (other.above - self.above), other.len / len);
        Spread {
            near: self.near,
            above: self.above + distance * share,
            squares: self.squares + other.squares + distance * distance * self.len * share,
            len,
        }
    }

    fn var(self, op: &'static str, ddof: f64) -> Result<f64, Error> {
        let freedom = self.len - ddof;
        if !(ddof >= 0.0 && ddof.is_finite()) {
            Err(ErrorKind::Ddof { op, ddof: Text::of_number(ddof) }.into())
        } else if freedom > 0.0 {
            let var = self.squares / freedom;
            // By rounding, no distance at all may come out as less. Of NaN there is one, before a
            // root is taken: the compiler may take that of a root for the one it is asked for.
            Ok(if var < 0.0 {
                0.0
            } else if var.is_nan() {
                f64::NAN
            } else {
                var
            })
        } else {
            Err(ErrorKind::TooFewElements {
                op,
                len: self.len as usize,
                ddof: Text::of_number(ddof),
            }
            .into())
        }
    }
}

/// Part by part, so that vectors can hold them.
impl Accumulator for Spread {
    type Lanes = [[f64; LANES]; 4];

    #[inline(always)]
    fn spread(self) -> Self::Lanes {
        [self.near, self.above, self.squares, self.len].map(|part| [part; LANES])
    }

    #[inline(always)]
    fn get([near, above, squares, len]: &Self::Lanes, lane: usize) -> Self {
        Spread { near: near[lane], above: above[lane], squares: squares[lane], len: len[lane] }
    }

    #[inline(always)]
    fn set([near, above, squares, len]: &mut Self::Lanes, lane: usize, acc: Self) {
        (near[lane], above[lane]) = (acc.near, acc.above);
        (squares[lane], len[lane]) = (acc.squares, acc.len);
    }
}

macro_rules! spreads {
    ($($reduction:ident $name:literal |$var:ident| $of:expr;)*) => {$(
        impl<T: Float> Reduction<T> for $reduction {
            /// The first element, and the sums of the distances from it and of their squares.
            type Acc = (T::Compute, T::Compute, T::Compute);
            type Total = Spread;
            type Output = T;
            const NAME: &'static str = $name;
            const COST: usize = 5;
            const COMPILED: Option<&'static Compiled<T, Spread, T>> = T::SPREADS;

            #[inline(always)]
            fn start(&self) -> Self::Acc {
                let zero = num_traits::zero();
                (zero, zero, zero)
            }

            #[inline(always)]
            fn step(&self, (first, distances, squares): Self::Acc, value: T, round: usize) -> Self::Acc {
                let value: T::Compute = value.cast_to();
                // In place of a condition, which vectors do not take well.
                let first = first + value * num_traits::cast(u8::from(round == 0)).unwrap();
                let distance = value - first;
                (first, distances + distance, squares + distance * distance)
            }

            #[inline(always)]
            fn total(&self, (first, distances, squares): Self::Acc, place: Place) -> Spread {
                Spread::of(first.into(), distances.into(), squares.into(), place.len as f64)
            }

            #[inline(always)]
            fn merge(&self, a: Spread, b: Spread) -> Spread {
                a.merge(b)
            }

            fn finish(&self, total: Spread, _: usize) -> Result<T, Error> {
                let $var = total.var($name, self.ddof)?;
                T::narrow($of, $name)
            }
        }
    )*};
}
spreads! {
    Var "var" |var| var;
    Std "std" |var| var.sqrt();
}

/// The logarithm of the sum of the exponentials, in one pass and without overflow: the sum is kept
/// relative to the largest element so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct LogSumExp;

/// The largest element, and the sum of the exponentials relative to it; with a further element of
/// exponential `more` relative to it.
#[inline(always)]
fn further<C: Native>((max, sum): (C, C), value: C, more: C) -> (C, C) {
    // Infinities have no distance from themselves.
    let distance = if value == max { C::zero() } else { value - max };
    let exponent = -distance.abs();
    let shrink =
        Math::exp_usual(if exponent < C::LEAST_EXPONENT { C::LEAST_EXPONENT } else { exponent });
    let shrink = if exponent.is_nan() { exponent } else { shrink };
    if distance > C::zero() { (value, sum * shrink + more) } else { (max, sum + more * shrink) }
}

impl<T: Float> Reduction<T> for LogSumExp {
    type Acc = (T::Compute, T::Compute);
    type Total = (f64, f64);
    type Output = T;
    const NAME: &'static str = "log_sum_exp";
    const COST: usize = 24;

    #[inline(always)]
    fn start(&self) -> Self::Acc {
        (T::Compute::neg_infinity(), num_traits::zero())
    }

    #[inline(always)]
    fn step(&self, acc: Self::Acc, value: T, round: usize) -> Self::Acc {
        let value: T::Compute = value.cast_to();
        if round == 0 {
            // Of the first there is nothing to be computed but what becomes of NaN.
            let exponent = -(value - acc.0).abs();
            return if exponent.is_nan() && value != acc.0 {
                (acc.0, exponent)
            } else {
                (value, num_traits::one())
            };
        }
        further(acc, value, num_traits::one())
    }

    #[inline(always)]
    fn total(&self, (max, sum): Self::Acc, _: Place) -> (f64, f64) {
        (max.into(), sum.into())
    }

    #[inline(always)]
    fn merge(&self, a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
        further(a, b.0, b.1)
    }

    fn finish(&self, (max, sum): (f64, f64), _: usize) -> Result<T, Error> {
        T::narrow(max + sum.ln(), "log_sum_exp")
    }

    fn empty(&self) -> Option<T> {
        Some(T::LOWEST)
    }
}
