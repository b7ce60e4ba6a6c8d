//! Quantiles.

use super::memory::{Few, Lanes, filled, relist};
use crate::eval::Contiguous;
use crate::exec::Exec;
use crate::expr::Expr;
use crate::number::Float;
use crate::types::Array;
use bcast::{Error, ErrorKind};
use ndcore::{Dimension, List, Text};

/// Where a quantile lies among `n` elements in ascending order, and what it is where it falls
/// between two of them: the nine methods of Hyndman and Fan ("Sample quantiles in statistical
/// packages", 1996) and four further ones, with the names that they have in NumPy.
///
/// ```
/// use elementwise::{Lanewise, QuantileMethod, array};
/// let x = array![1.0, 2.0, 3.0, 4.0];
/// assert_eq!(x.quantile_by(0.4, QuantileMethod::Linear)?, 2.2);
/// assert_eq!(x.quantile_by(0.4, QuantileMethod::Lower)?, 2.0);
/// assert_eq!(x.quantile_by(0.4, QuantileMethod::Hazen)?, 2.1);
/// # Ok::<(), elementwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum QuantileMethod {
    /// The element at place `q (n - 1)`, counted from 0, or the point in proportion between its
    /// neighbours. The method of [`quantile`](crate::Lanewise::quantile); number 7 of Hyndman and
    /// Fan.
    #[default]
    Linear,
    /// As `Linear`, but always the lower neighbour.
    Lower,
    /// As `Linear`, but always the higher neighbour.
    Higher,
    /// As `Linear`, but always the middle between both neighbours.
    Midpoint,
    /// As `Linear`, but always the nearest neighbour; in the middle, that of even number (from 0).
    Nearest,
    /// The least element that at least the share `q` of all is not above. Number 1.
    InvertedCdf,
    /// As `InvertedCdf`, but the middle between two elements if exactly the share `q` is not above
    /// the first. Number 2.
    AveragedInvertedCdf,
    /// The element whose number (from 1) is nearest to `q n`, of two the even one. Number 3.
    ClosestObservation,
    /// In proportion at place `q n - 1`. Number 4.
    InterpolatedInvertedCdf,
    /// In proportion at place `q n - 1/2`. Number 5.
    Hazen,
    /// In proportion at place `q (n + 1) - 1`. Number 6.
    Weibull,
    /// In proportion at place `q (n + 1/3) - 2/3`: about unbiased for the median, whatever the
    /// distribution. Number 8.
    MedianUnbiased,
    /// In proportion at place `q (n + 1/4) - 5/8`: about unbiased for a normal distribution. Number
    /// 9.
    NormalUnbiased,
}

impl QuantileMethod {
    /// Of `len` elements: the number of the one that the quantile lies at or above, and how far
    /// above it, as a part of the way to the next one.
    fn place(self, q: f64, len: usize) -> (usize, f64) {
        let (n, last) = (len as f64, (len - 1) as f64);
        // The place is `q n + alpha + q (1 - alpha - beta) - 1`, here with `alpha` equal to `beta`.
        let of = |alpha: f64| n * q + (alpha + q * (1.0 - alpha - alpha)) - 1.0;
        let place = match self {
            Self::Linear | Self::Lower | Self::Higher | Self::Midpoint | Self::Nearest => last * q,
            Self::InvertedCdf | Self::AveragedInvertedCdf | Self::InterpolatedInvertedCdf => {
                n * q - 1.0
            }
            Self::ClosestObservation => n * q - 1.5,
            Self::Hazen => of(0.5),
            Self::Weibull => of(0.0),
            Self::MedianUnbiased => of(1.0 / 3.0),
            Self::NormalUnbiased => of(3.0 / 8.0),
        };
        let low = place.floor();
        let (part, whole) = (place - low, place == low);
        let part = match self {
            Self::Lower => 0.0,
            Self::Higher | Self::InvertedCdf if !whole => 1.0,
            Self::Midpoint if !whole => 0.5,
            Self::AveragedInvertedCdf => {
                if whole {
                    0.5
                } else {
                    1.0
                }
            }
            Self::Nearest => place.round_ties_even() - low,
            // Between two numbers from 1, of which the lower one is even if it is odd counted from
            // 0.
            Self::ClosestObservation => {
                if whole && low % 2.0 == 1.0 {
                    0.0
                } else {
                    1.0
                }
            }
            _ => part,
        };
        // Beyond the ends there is nothing between.
        if low < 0.0 || low >= last {
            (low.clamp(0.0, last) as usize, 0.0)
        } else {
            (low as usize, part)
        }
    }
}

/// What lies this part of the way from `a` to `b`, which is not below `a`. Of finite numbers it is
/// finite.
fn between(a: f64, b: f64, part: f64) -> f64 {
    let distance = b - a;
    if part == 0.0 {
        a
    } else if part == 1.0 {
        b
    } else if a.is_infinite() || b.is_infinite() {
        // An infinite end stays.
        a * (1.0 - part) + b * part
    } else if distance.is_infinite() {
        2.0 * between(a / 2.0, b / 2.0, part)
    } else if part < 0.5 {
        // From the nearer end, so that it is never passed.
        a + distance * part
    } else {
        b - distance * (1.0 - part)
    }
}

/// The quantile of some elements, of which there is at least one; `bits` is a list to work with.
fn quantile_of<T: Float>(
    bits: &mut Few<T::OrderBits>,
    values: &[T],
    q: f64,
    method: QuantileMethod,
) -> Result<T, Error> {
    // All of them, which goes by vectors.
    if values.iter().fold(false, |undefined, value| undefined | value.is_undefined()) {
        return Ok(T::rounded(f64::NAN));
    }
    relist(bits, values.iter().map(|value| value.order_bits()))?;
    let (low, part) = method.place(q, values.len());
    let (_, &mut a, above) = bits.select_nth_unstable(low);
    let b = if part == 0.0 { a } else { above.iter().copied().min().unwrap_or(a) };
    let [a, b] = [a, b].map(|bits| T::of_order_bits(bits).cast_to());
    Ok(T::rounded(between(a, b, part)))
}

pub(super) fn quantile<E>(expr: &E, q: f64, method: QuantileMethod) -> Result<E::Elem, Error>
where
    E: Expr<Elem: Float, Rank: Dimension>,
{
    let elements = Contiguous::of(expr)?;
    check_q(q)?;
    if elements.memory().is_empty() {
        let view = elements.view();
        return Err(no_elements(view.shape(), (0..view.ndim()).collect()));
    }
    quantile_of(&mut Few::new(), elements.memory(), q, method)
}

/// One of a rank less.
type Less<E> = Array<<E as Expr>::Elem, <<E as Expr>::Rank as Dimension>::Smaller>;

pub(super) fn quantile_axis<E>(
    expr: &E,
    axis: usize,
    q: f64,
    method: QuantileMethod,
) -> Result<Less<E>, Error>
where
    E: Expr<Elem: Float, Rank: Dimension>,
{
    check_q(q)?;
    let exec = Exec::current();
    let lanes = Lanes::of(expr, axis)?;
    if lanes.extent() == 0 && lanes.count(1) > 0 {
        return Err(no_elements(lanes.shape(), [axis].into()));
    }
    let mut results = filled(num_traits::zero(), lanes.count(1))?;
    lanes.each(&mut results, 1, &exec, |bits, lane, result, _| {
        result[0] = quantile_of(bits, lane, q, method)?;
        Ok(())
    })?;
    lanes.without_axis(results)
}

fn no_elements(shape: &[usize], axes: List<usize>) -> Error {
    ErrorKind::NoElements { op: "quantile", shape: List::of(&shape), axes }.into()
}

/// Refuses what is not from 0 to 1.
fn check_q(q: f64) -> Result<(), Error> {
    if (0.0..=1.0).contains(&q) {
        Ok(())
    } else {
        Err(ErrorKind::Quantile { q: Text::of_number(q) }.into())
    }
}
