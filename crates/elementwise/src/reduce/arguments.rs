//! Where the smallest and the largest elements are.

use super::{Compiled, Place, Reduction};
use crate::number::Ordered;
use bcast::Error;

/// The number of the first largest element among those reduced, in row-major order; of the first
/// NaN if there is one.
#[derive(Clone, Copy, Debug, Default)]
pub struct ArgMax;

/// The number of the first smallest element among those reduced, in row-major order; of the first
/// NaN if there is one.
#[derive(Clone, Copy, Debug, Default)]
pub struct ArgMin;

/// What an accumulator begins with, and what comes before what as the extreme that is looked for.
macro_rules! arguments {
    ($($reduction:ident $name:literal $start:ident $beats:ident $compiled:ident;)*) => {$(
        impl<T: Ordered> Reduction<T> for $reduction {
            /// The extreme so far, and the round it came in.
            type Acc = (T, T::Round);
            /// The same with its number.
            type Total = (T, usize);
            type Output = usize;
            const NAME: &'static str = $name;
            const COST: usize = 4;
            const EXACT: bool = true;
            const COMPILED: Option<&'static Compiled<T, (T, usize), usize>> = T::$compiled;

            // If nothing beats this, everything is equal to it, and the first one is the first.
            #[inline(always)]
            fn start(&self) -> (T, T::Round) {
                (T::$start, T::round(0))
            }

            #[inline(always)]
            fn step(&self, (best, at): (T, T::Round), value: T, round: usize) -> (T, T::Round) {
                let better = value.$beats(best);
                (if better { value } else { best }, if better { T::round(round) } else { at })
            }

            #[inline(always)]
            fn total(&self, (best, round): (T, T::Round), place: Place) -> (T, usize) {
                (best, place.number(T::number(round)))
            }

            #[inline(always)]
            fn merge(&self, a: (T, usize), b: (T, usize)) -> (T, usize) {
                let later = a.1 < b.1;
                if b.0.$beats(a.0) || (!later && !a.0.$beats(b.0)) { b } else { a }
            }

            #[inline(always)]
            fn finish(&self, (_, number): (T, usize), _: usize) -> Result<usize, Error> {
                Ok(number)
            }
        }
    )*};
}
arguments! {
    ArgMax "argmax" LOWEST above ARGMAXIMA;
    ArgMin "argmin" HIGHEST below ARGMINIMA;
}
