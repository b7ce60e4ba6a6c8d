//! The fused loop: a task walks its part of the loops tile by tile, box by box and run by run, and
//! a sink takes each run in one loop over unit-stride blocks.

mod block;
mod each;
mod fold;
mod generated;
mod isa;
mod scan;
mod source;
mod store;
mod stream;
mod walk;

#[cfg(feature = "matmul")]
pub use block::EachRun;
pub use block::{AppliedBlock, Block, Line, Reads, Splat};
pub use each::{EachSlot, InTurn, Lends, Outputs, Parts, Shared, each};
pub use fold::{
    FEWEST, Finish, Finished, Folded, MOST_FEW_OF_LIST, MergedBlocks, ROUNDS, fold_all, fold_apart,
    fold_between, fold_block, fold_blocks, fold_few, fold_in_order, fold_lanes, fold_narrow,
    fold_near_blocks, fold_pieces, fold_row, fold_rows_apart, fold_short_rows, fold_square,
    has_loop, merge_blocks, most_few,
};
#[cfg(feature = "matmul")]
pub use fold::{by_halves, fold_each, fold_products};
pub use generated::{Generated, Indices, in_turn};
pub use isa::{Isa, Kernel, fence};
pub use scan::{Lanes, scan};
pub use source::{Applied, Leaf, Ready, Results, Slots, Source};
pub use store::{
    ByGroups, Call, Computes, Computing, FEW_HELD, Keeping, Repeats, Store, Stored, Stores, Update,
    Write, compute, compute_flat, compute_here, compute_rows_here, compute_run, update,
    update_flat, update_here, update_lines_here, update_rows_here, update_slabs_here,
};
pub use walk::{Region, Run};
