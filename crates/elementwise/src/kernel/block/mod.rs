//! [`Block`]: the elements of runs, computed one by one in the inner loop.

// Users never hold one of these.
#![allow(missing_debug_implementations)]

mod applied;
mod leaf;
mod repeated;
mod tuples;

pub use applied::AppliedBlock;
pub use repeated::{EachRun, Line, Splat};

use crate::plan::LANES;
use ndcore::{Element, Runs, Spaced, Starts, Strip, Window};

/// What has operations, which a kernel [holds](crate::kernel::Kernel::Held).
pub trait HasOps: Copy {
    /// The operations: few words, and most often none.
    type Ops: Copy;

    /// Its operations.
    fn ops(&self) -> Self::Ops;

    /// The same with its operations, as they were held.
    fn with_ops(self, ops: Self::Ops) -> Self;

    /// As [`with_ops`](Self::with_ops): of operations that hold nothing, nothing is compiled.
    #[inline(always)]
    fn held(self, ops: Self::Ops) -> Self {
        if const { size_of::<Self::Ops>() > 0 } { self.with_ops(ops) } else { self }
    }
}

/// What has none.
macro_rules! no_ops {
    ($([$($of:tt)*] $type:ty;)*) => {$(
        impl<$($of)*> HasOps for $type {
            type Ops = ();

            #[inline(always)]
            fn ops(&self) {}

            #[inline(always)]
            fn with_ops(self, (): ()) -> Self {
                self
            }
        }
    )*};
}
no_ops! {
    [T: Copy] &[T];
    [T: Copy] Starts<'_, T>;
    [T: Element] Runs<'_, T>;
    [T: Element] Spaced<'_, T>;
    [T: Element, const N: usize] Window<'_, T, N>;
    [T: Element, const N: usize] Strip<'_, T, N>;
    [T: Copy] Splat<T>;
    [T: Copy] EachRun<'_, T>;
}

/// The elements of a run; or of several of one length, of which it stands for the first.
pub trait Block: HasOps {
    /// The element type.
    type Elem;

    /// What of it a loop takes.
    type Reads: Reads<Elem = Self::Elem>;

    /// Whether the operation at the root has rare arguments: see `Op::RARE`.
    const RARE: bool = false;

    /// Whether that is made of multiply-adds: see `Op::MULTIPLY_ADDS`.
    const MULTIPLY_ADDS: bool = false;

    /// Whether it is worth the widest vectors: see `Op::WIDE`.
    const WIDE: bool = true;

    /// The number of elements of a run; a scalar has any number.
    fn len(&self) -> usize;

    /// How many runs there are, one if nothing else is said; a scalar has any number.
    #[inline(always)]
    fn runs(&self) -> usize {
        1
    }

    /// The run of this number, or the last one if there are not as many: who goes over runs looks
    /// at their number before. (Of a check for each leaf and run, the compiler makes loops of its
    /// own.) What is one run has itself.
    #[inline(always)]
    fn run(&self, number: usize) -> Self {
        let _ = number;
        *self
    }

    /// The elements of the run of this number, each as a run, whatever their stride. What is one
    /// run by itself has no more than that one.
    #[inline(always)]
    fn line(&self, number: usize) -> Self {
        self.run(number)
    }

    /// Whether some runs are gathered when they are asked for: then there is one at a time.
    #[inline(always)]
    fn gathers(&self) -> bool {
        false
    }

    /// What a loop reads.
    fn reads(&self) -> Self::Reads;

    /// What a loop reads of the run of this number, of a row if there is a list of them: as
    /// [`row`](Self::row) and [`run`](Self::run), without what else those have. If it is not
    /// `HERE`, what finds them is called, and not compiled for each expression.
    #[inline(always)]
    fn reads_of<const HERE: bool>(&self, row: Option<usize>, run: usize) -> Self::Reads {
        row.map_or(*self, |row| self.row(row)).run(run).reads()
    }

    /// Whether there may be such elements as [`side_by_side`](Self::side_by_side) gives.
    const STORED: bool = false;

    /// The elements of the first run, if they lie in memory as they are.
    #[inline(always)]
    fn side_by_side(&self) -> Option<&[Self::Elem]> {
        None
    }

    /// How many rows there are whose places are listed; a scalar has any number.
    #[inline(always)]
    fn rows(&self) -> usize {
        0
    }

    /// The row of this number, or the first run if there are not as many: as for
    /// [`run`](Self::run).
    #[inline(always)]
    fn row(&self, number: usize) -> Self {
        let _ = number;
        *self
    }

    /// Whether [`skip`](Self::skip) leaves out what it should.
    const SKIPS: bool = false;

    /// The runs without so many elements at the beginning of each, if [`SKIPS`](Self::SKIPS): of
    /// what is all the same, these.
    #[inline(always)]
    fn skip(&self, count: usize) -> Self {
        let _ = count;
        *self
    }

    /// The runs without so many elements at the beginning of each, and how many are left out yet.
    /// Of elements from a place on that it does not know, the compiler gathers some; of those at
    /// the beginning it makes vectors.
    #[inline(always)]
    fn beginning_at(&self, start: usize) -> (Self, usize) {
        if Self::SKIPS { (self.skip(start), 0) } else { (*self, start) }
    }

    /// The number of elements of the whole expression; fewer may have been put into its buffer.
    #[inline(always)]
    fn root_len(&self) -> usize {
        self.len()
    }
}

/// A block without its bounds, which have been looked at: a loop is compiled for each instruction
/// set, and what it does not need is not compiled as often.
pub trait Reads: HasOps {
    /// The element type.
    type Elem;

    /// Whether [`at`](Self::at) leaves out what it should.
    const SKIPS: bool = false;

    /// From the run of this number on: what is one run has itself; without the first `count`
    /// elements of each, if it [`SKIPS`](Self::SKIPS): element `i` of it is element `count + i` of
    /// this. Of what begins at a place that is not known, the compiler computes the place of each
    /// element.
    #[inline(always)]
    fn at(&self, run: usize, count: usize) -> Self {
        let _ = (run, count);
        *self
    }

    /// Element `i`. Not checked: a check for each leaf and element, or slices cut to one length so
    /// that the compiler can drop them, would be most of what it has to compile.
    ///
    /// # Safety
    /// The block has this run, and `i` is less than its [`len`](Block::len).
    unsafe fn get(&self, i: usize) -> Self::Elem;

    /// Element `i` of the whole expression, for which the operation at the root is computed even if
    /// its results go through a buffer elsewhere. If `USUAL`, arguments are taken not to be rare,
    /// and the result says whether that is so.
    ///
    /// # Safety
    /// The block has this run, and `i` is less than its [`root_len`](Block::root_len).
    #[inline(always)]
    unsafe fn root<const USUAL: bool>(&self, i: usize) -> (Self::Elem, bool) {
        // SAFETY: the caller's promise; the lengths are the same but where both are overridden.
        (unsafe { self.get(i) }, true)
    }

    /// Asks for what is read some time after the `len` elements from `i` on, where it comes from
    /// memory; there may be none. Where a page ends, processors do not go on by themselves, and
    /// what takes many instructions for each element does not see far ahead. Of the whole
    /// expression if `ROOT`, as for [`root`](Self::root).
    #[inline(always)]
    fn prefetch<const ROOT: bool>(&self, i: usize, len: usize) {
        let _ = (i, len);
    }
}

/// Whether the first `len` elements of a block's runs can be taken, as many as lanes at a time:
/// of what repeats, no more than that may lie in memory.
#[inline(always)]
pub(super) fn reaches<B: Block>(block: &B, len: usize) -> bool {
    let last = len.min(LANES);
    // What is skipped is never more than of the last ones.
    let (from, at) = block.beginning_at(len - last);
    at + last <= from.root_len()
}

/// Whether a block has as many runs as so many slots take, of `len` each. Most often that is one,
/// and to divide takes longer than a vector.
#[inline(always)]
pub(super) fn has_runs<B: Block>(block: &B, slots: usize, len: usize) -> bool {
    let runs = if slots <= len { usize::from(slots > 0) } else { slots.div_ceil(len) };
    runs <= block.runs()
}
