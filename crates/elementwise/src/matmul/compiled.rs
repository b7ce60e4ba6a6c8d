//! Products that are compiled with this crate: see [`Compiled`](crate::reduce::Compiled).

use super::batch::product_of_views;
use super::dot::dot_of_views;
use super::product::serial;
use super::vector::products_of_rows;
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
    pub(crate) const fn of() -> Self {
        CompiledProducts {
            lists: total_of_lists,
            views: dot_of_views,
            rows: products_of_rows,
            serial,
            matrices: product_of_views,
        }
    }
}

impl<T: Number> fmt::Debug for CompiledProducts<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CompiledProducts").finish_non_exhaustive()
    }
}
