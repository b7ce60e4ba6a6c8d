//! Products that are compiled with this crate: see [`Compiled`](crate::reduce::Compiled).

use super::{dot_of_views, product_of_views, products_of_rows, serial};
use crate::exec::Exec;
use crate::number::Number;
use crate::reduce::{DotTotal, total_of_lists};
use crate::types::{Array, View};
use bcast::Error;
use ndcore::{Dyn, Rank};
use std::fmt;

/// Products of vectors and matrices of elements `T`, as [`Compiled`] for their sums.
pub struct CompiledProducts<T: Number> {
    pub(crate) lists: fn(&[T], &[T]) -> DotTotal<T>,
    pub(crate) views: fn(View<'_, T, Rank<1>>, View<'_, T, Rank<1>>) -> Result<T, Error>,
    pub(crate) rows:
        fn(&View<'_, T, Rank<2>>, &View<'_, T, Rank<1>>, bool, &mut Vec<T>) -> Result<(), Error>,
    pub(crate) serial:
        fn(View<'_, T, Rank<2>>, View<'_, T, Rank<2>>) -> Option<Result<Array<T, Rank<2>>, Error>>,
    pub(crate) matrices:
        fn(View<'_, T, Dyn>, View<'_, T, Dyn>, &Exec) -> Result<Array<T, Dyn>, Error>,
}

impl<T: Number> CompiledProducts<T> {
    const fn new() -> Self {
        CompiledProducts {
            lists: |a, b| total_of_lists(a, b),
            views: |a, b| dot_of_views(a, b),
            rows: |a, b, turned, results| products_of_rows(a, b, turned, results),
            serial: |a, b| serial(a, b),
            matrices: |a, b, exec| product_of_views(a, b, exec),
        }
    }
}

impl<T: Number> fmt::Debug for CompiledProducts<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CompiledProducts").finish_non_exhaustive()
    }
}

/// As `by_compiled` of reductions.
macro_rules! by_compiled_products {
    ($T:ty, |$compiled:ident| $call:expr, $otherwise:expr) => {
        if const { <$T as $crate::Number>::PRODUCTS.is_some() } {
            let $compiled = const { <$T as $crate::Number>::PRODUCTS };
            let $compiled = $compiled.expect("one, as just seen");
            $call
        } else {
            $otherwise
        }
    };
}
pub(crate) use by_compiled_products;

/// The list of each element type that has one.
macro_rules! compiled {
    ($($type:ident)*) => {$(
        pub(crate) mod $type {
            pub(crate) static PRODUCTS: super::CompiledProducts<$type> =
                super::CompiledProducts::new();
        }
    )*};
}
compiled!(f32 f64);
