//! Reductions that are compiled with this crate.
//!
//! What is generic is compiled where it is used, in each crate again; and the kernels of a
//! reduction take the compiler seconds. So those of the usual reductions of the usual elements are
//! made here, once: [`Compiled`] is a list of functions that depend on no other types, by which
//! [`run`] goes wherever a reduction [has one](Reduction::COMPILED).

use super::Reduction;
use super::run::{self, AxesOf, Between, Computed, Put};
use crate::exec::Exec;
use crate::kernel::{self, Finish, Folded, Isa};
use crate::types::{Array, View};
use bcast::Error;
use ndcore::{Dyn, Element, Plane, Runs};
use std::fmt;

/// A result along some axes, which it keeps, and these as bits.
type Kept<Output> = Result<(Array<Output, Dyn>, u32), Error>;

/// The reductions of elements `T` to these totals: the way to those is the same whatever becomes of
/// them, which is given where it is asked for.
pub struct Compiled<T: Element, Total: Element, Output: Element> {
    pub(super) slice: fn(&[T]) -> Total,
    pub(super) plane: fn(&Plane<'_, T>) -> Option<Total>,
    pub(super) all: fn(View<'_, T, Dyn>, &dyn Finish<Total, Output>) -> Result<Output, Error>,
    pub(super) all_computed:
        fn(&Computed<'_, T>, &dyn Finish<Total, Output>) -> Result<Output, Error>,
    pub(super) rows: fn(Isa, &[T], &Folded, Put<'_, Total>),
    pub(super) between: fn(Isa, &[T], &Between, Put<'_, Total>),
    pub(super) row_by_row: fn(Isa, Runs<'_, T>, &Folded, Put<'_, Total>),
    pub(super) along:
        fn(&View<'_, T, Dyn>, AxesOf<'_>, &dyn Finish<Total, Output>, &Exec) -> Kept<Output>,
    pub(super) along_computed:
        fn(&Computed<'_, T>, AxesOf<'_>, &dyn Finish<Total, Output>, &Exec) -> Kept<Output>,
}

impl<T: Element, Total: Element, Output: Element> Compiled<T, Total, Output> {
    /// Those of a reduction of which no value matters but the default one.
    pub(crate) const fn of<F: Reduction<T, Total = Total, Output = Output> + Default>() -> Self {
        Compiled {
            slice: |slice| run::of_slice(slice, &F::default()),
            plane: |plane| run::plane_total(plane, &F::default()),
            all: |view, finish| run::all_elements(view, &F::default(), finish),
            all_computed: |computed, finish| run::total_computed(computed, &F::default(), finish),
            rows: |isa, rows, folded, put| run::of_rows(&F::default(), isa, rows, folded, put),
            between: |isa, elements, between, put| {
                run::of_between(&F::default(), isa, elements, between, put);
            },
            row_by_row: |isa, runs, folded, put| {
                kernel::fold_block(&F::default(), isa, runs, true, folded, put);
            },
            along: |view, axes, finish, exec| {
                run::keeping::<false, _, _, _>(view, &F::default(), axes, finish, exec)
            },
            along_computed: |computed, axes, finish, exec| {
                run::along_computed(computed, &F::default(), axes, finish, exec)
            },
        }
    }
}

impl<T: Element, Total: Element, Output: Element> fmt::Debug for Compiled<T, Total, Output> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Compiled").finish_non_exhaustive()
    }
}

/// The list of a reduction, compiled with this crate: a function that a `static` points to is, and
/// one that a constant does is not. Without a reduction, that of products.
macro_rules! compiled {
    ($list:ty $(, $reduction:ty)?) => {{
        static LIST: $list = <$list>::of$(::<$reduction>)?();
        Some(&LIST)
    }};
}
pub(crate) use compiled;

/// By a function of a list, if there is one, or else by one that is compiled here. What is never
/// run is not compiled then; and of a function that a constant points to, or not, the compiler does
/// not even look for what it would call, which took it longer than all else about a sum.
macro_rules! by_compiled {
    (
        $list:expr, |$compiled:ident| $call:expr,
        $otherwise:ident $(::<$($of:tt),*>)? ($($argument:expr),* $(,)?) $(,)?
    ) => {
        if const { $list.is_some() } {
            let $compiled = const { $list }.expect("one, as just seen");
            $call
        } else {
            const {
                match $list {
                    Some(_) => None,
                    None => Some(
                        $otherwise $(::<$($of),*>)?
                            as fn($($crate::reduce::compiled::by_compiled!(@any $argument)),*) -> _
                    ),
                }
            }
            .expect("no list, as just seen")($($argument),*)
        }
    };
    (@any $argument:expr) => { _ };
}
pub(crate) use by_compiled;
