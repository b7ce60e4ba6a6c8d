//! Reductions by a closure.

use super::{Place, Reduction};
use bcast::Error;
use ndcore::Element;

/// Anything as an [`Accumulator`](super::Accumulator).
#[derive(Clone, Copy, Debug)]
pub struct Plain<T>(pub T);

/// An associative closure of two elements as a [`Reduction`]: see
/// [`Reductions::reduce`](super::Reductions::reduce).
#[derive(Clone, Copy, Debug)]
pub struct Combine<F>(pub F);

impl<T: Element, F: Fn(T, T) -> T + Sync> Reduction<T> for Combine<F> {
    type Acc = Plain<Option<T>>;
    type Total = Plain<Option<T>>;
    type Output = T;
    const NAME: &'static str = "reduce";
    const COST: usize = 16;

    #[inline(always)]
    fn start(&self) -> Plain<Option<T>> {
        Plain(None)
    }

    #[inline(always)]
    fn step(&self, acc: Plain<Option<T>>, value: T, _: usize) -> Plain<Option<T>> {
        self.merge(acc, Plain(Some(value)))
    }

    #[inline(always)]
    fn total(&self, acc: Plain<Option<T>>, _: Place) -> Plain<Option<T>> {
        acc
    }

    #[inline(always)]
    fn merge(&self, a: Plain<Option<T>>, b: Plain<Option<T>>) -> Plain<Option<T>> {
        Plain(match (a.0, b.0) {
            (Some(a), Some(b)) => Some((self.0)(a, b)),
            (one, None) | (None, one) => one,
        })
    }

    fn finish(&self, total: Plain<Option<T>>, _: usize) -> Result<T, Error> {
        Ok(total.0.expect("there is an element"))
    }
}
