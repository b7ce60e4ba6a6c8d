//! Reductions: a few accumulators for many elements.
//!
//! Element `i` of a result's block goes to lane `i % LANES` of its accumulator; with results side
//! by side, all accumulators of a tile lie in one list, lane by lane, so that a row of results is a
//! run of neighbours in it: the element of result `r` with number `i` has place `(i % LANES) *
//! pitch + r`. Short rows and columns go by kernels that need no list, to the same bits.

/// What a kernel that reads a block says of it.
macro_rules! of_block {
    () => {
        type Held = B::Ops;
        const VECTORS: bool = !F::SELDOM;
        const WIDE: bool = super::is_wide::<T, F>();

        #[inline(always)]
        fn held(&self) -> B::Ops {
            self.block.ops()
        }

        #[inline(always)]
        fn run(&self, ops: B::Ops, slots: &mut [Self::Slot], _: usize) {
            Self { block: self.block.held(ops), ..*self }.fold::<{ super::PLAIN }>(slots);
        }

        #[inline(always)]
        fn run_wide(&self, ops: B::Ops, slots: &mut [Self::Slot], _: usize) {
            Self { block: self.block.held(ops), ..*self }.fold::<false>(slots);
        }
    };
}

mod accumulate;
mod apart;
mod columns;
mod in_order;
mod load;
mod narrow;
mod row;
mod rows;
mod short;
mod sink;
mod whole;

pub use accumulate::fold_pieces;
pub use apart::{fold_between, fold_rows_apart};
#[cfg(feature = "matmul")]
pub use columns::by_halves;
pub use in_order::fold_in_order;
pub use narrow::fold_narrow;
#[cfg(feature = "matmul")]
pub use row::fold_each;
pub use row::{
    FEWEST, MOST_FEW_OF_LIST, fold_apart, fold_few, fold_lanes, fold_row, fold_square, most_few,
};
#[cfg(feature = "matmul")]
pub use rows::fold_products;
pub use rows::{MergedBlocks, fold_blocks, fold_near_blocks, merge_blocks};
pub use short::{fold_short_rows, has_loop};
pub use sink::{Finish, Finished};
pub use whole::{Folded, fold_all, fold_block};

use crate::reduce::Reduction;
use ndcore::Element;

/// Whether the kernels for the baseline are the plain ones: to the same bits, but without loops for
/// several rows, columns or rounds at a time. Where there are wider vectors, the baseline is for
/// old machines, and each of its kernels took as long to compile as the one that is run.
const PLAIN: bool = cfg!(target_arch = "x86_64");

/// Whether kernels are compiled for the widest vectors: of sums what is loaded is the limit, and
/// there are many kernels. But for those that widen each element, as sums of integers do, which
/// takes narrower vectors several operations. Only of what is compiled with this crate, or takes
/// long: others are compiled by each program, for which these were a third of the work.
const fn is_wide<T: Element, F: Reduction<T>>() -> bool {
    let by_width = F::COST > 1 || size_of::<F::Acc>() > size_of::<T>();
    by_width && (F::COMPILED.is_some() || F::COST > 4)
}

/// If a reduction joins, a lane takes so many elements, in as many rounds, before what has come of
/// them is joined to what came before: rounding errors then grow with the rounds and with the
/// joins, not with their product, and the sums of several such stretches do not wait for each
/// other.
pub const ROUNDS: usize = 16;
