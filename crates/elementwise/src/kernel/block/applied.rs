//! An operation on a block.

use super::{Block, HasOps, Reads};
use crate::ops::Op;
use ndcore::{Runs, Starts};

/// An operation on a block.
pub struct AppliedBlock<'b, O, B, T> {
    pub op: O,
    pub args: B,
    /// The results, if they go through a buffer or were computed before the rest.
    pub ready: Runs<'b, T>,
}

impl<'b, O, B, T> AppliedBlock<'b, O, B, T> {
    /// Computed element by element.
    #[inline(always)]
    pub fn new(op: O, args: B) -> Self {
        AppliedBlock { op, args, ready: Runs::none() }
    }
}

impl<O: Op<B::Elem>, B: Block> AppliedBlock<'_, O, B, O::Output> {
    /// Whether the results are read and not computed. The same for all elements, so that the
    /// compiler asks once.
    #[inline(always)]
    fn is_ready(&self) -> bool {
        O::BUFFERED && (!O::FUSES || self.ready.len() > 0)
    }
}

impl<O: Copy, B: Copy, T> Clone for AppliedBlock<'_, O, B, T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<O: Copy, B: Copy, T> Copy for AppliedBlock<'_, O, B, T> {}

impl<O: Copy, B: HasOps, T> HasOps for AppliedBlock<'_, O, B, T> {
    type Ops = (O, B::Ops);

    #[inline(always)]
    fn ops(&self) -> Self::Ops {
        (self.op, self.args.ops())
    }

    #[inline(always)]
    fn with_ops(self, (op, args): Self::Ops) -> Self {
        AppliedBlock { op, args: self.args.with_ops(args), ..self }
    }
}

/// What a loop reads of an operation on a block.
pub struct AppliedReads<'b, O, R, T> {
    op: O,
    args: R,
    ready: Starts<'b, T>,
    is_ready: bool,
}

impl<O: Copy, R: Copy, T> Clone for AppliedReads<'_, O, R, T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<O: Copy, R: Copy, T> Copy for AppliedReads<'_, O, R, T> {}

impl<O: Copy, R: HasOps, T> HasOps for AppliedReads<'_, O, R, T> {
    type Ops = (O, R::Ops);

    #[inline(always)]
    fn ops(&self) -> Self::Ops {
        (self.op, self.args.ops())
    }

    #[inline(always)]
    fn with_ops(self, (op, args): Self::Ops) -> Self {
        AppliedReads { op, args: self.args.with_ops(args), ..self }
    }
}

impl<O: Op<R::Elem>, R: Reads<Elem: Copy>> Reads for AppliedReads<'_, O, R, O::Output> {
    type Elem = O::Output;

    #[inline(always)]
    fn run(&self, number: usize) -> Self {
        match O::BUFFERED && self.is_ready {
            true => AppliedReads { ready: self.ready.run(number), ..*self },
            false => AppliedReads { args: self.args.run(number), ..*self },
        }
    }

    #[inline(always)]
    fn after(&self, count: usize) -> Option<Self> {
        let (args, ready) = (self.args.after(count)?, self.ready.after(count));
        Some(AppliedReads { args, ready, ..*self })
    }

    #[inline(always)]
    unsafe fn get(&self, i: usize) -> O::Output {
        // What must be ready, is: of what is not, there is no element.
        if O::BUFFERED && (!O::FUSES || self.is_ready) {
            // SAFETY: the caller's promise.
            unsafe { self.ready.get(i) }
        } else {
            // SAFETY: the caller's promise.
            self.op.apply(unsafe { self.args.get(i) })
        }
    }

    #[inline(always)]
    unsafe fn root<const USUAL: bool>(&self, i: usize) -> (O::Output, bool) {
        // SAFETY: the caller's promise.
        let args = unsafe { self.args.get(i) };
        if USUAL && O::RARE {
            (self.op.apply_usual(args), self.op.is_usual(args))
        } else {
            (self.op.apply(args), true)
        }
    }

    // What is ready lies in a cache.
    #[inline(always)]
    fn prefetch<const ROOT: bool>(&self, i: usize, len: usize) {
        if ROOT || !O::BUFFERED {
            self.args.prefetch::<false>(i, len);
        }
    }
}

impl<'b, O: Op<B::Elem>, B: Block<Elem: Copy>> Block for AppliedBlock<'b, O, B, O::Output> {
    type Elem = O::Output;
    type Reads = AppliedReads<'b, O, B::Reads, O::Output>;
    const RARE: bool = O::RARE;
    const MULTIPLY_ADDS: bool = O::MULTIPLY_ADDS;
    const WIDE: bool = O::WIDE && B::WIDE;
    const SKIPS: bool = B::SKIPS;

    #[inline(always)]
    fn len(&self) -> usize {
        if self.is_ready() { self.ready.len() } else { self.args.len() }
    }

    #[inline(always)]
    fn runs(&self) -> usize {
        if self.is_ready() && self.ready.len() > 0 { self.ready.count() } else { self.args.runs() }
    }

    #[inline(always)]
    fn run(&self, number: usize) -> Self {
        if self.is_ready() && self.ready.len() > 0 {
            return AppliedBlock { ready: self.ready.run(number), ..*self };
        }
        AppliedBlock { args: self.args.run(number), ..*self }
    }

    #[inline(always)]
    fn line(&self, number: usize) -> Self {
        AppliedBlock { args: self.args.line(number), ready: self.ready.line(number), ..*self }
    }

    #[inline(always)]
    fn gathers(&self) -> bool {
        self.args.gathers() || (O::BUFFERED && self.ready.gathers())
    }

    #[inline(always)]
    fn reads(&self) -> Self::Reads {
        let is_ready = O::BUFFERED && self.ready.len() > 0;
        AppliedReads { op: self.op, args: self.args.reads(), ready: self.ready.starts(), is_ready }
    }

    #[inline(always)]
    fn reads_of<const HERE: bool>(&self, row: Option<usize>, run: usize) -> Self::Reads {
        let (op, is_ready) = (self.op, O::BUFFERED && self.ready.len() > 0);
        // What was computed before has no operands.
        let (args, ready) = if is_ready {
            (self.args.reads(), self.ready.reads_of::<HERE>(row, run))
        } else {
            (self.args.reads_of::<HERE>(row, run), self.ready.starts())
        };
        AppliedReads { op, args, ready, is_ready }
    }

    #[inline(always)]
    fn rows(&self) -> usize {
        if self.is_ready() && self.ready.len() > 0 {
            self.ready.rows_len()
        } else {
            self.args.rows()
        }
    }

    #[inline(always)]
    fn row(&self, number: usize) -> Self {
        if self.is_ready() && self.ready.len() > 0 {
            return AppliedBlock { ready: self.ready.row(number), ..*self };
        }
        AppliedBlock { args: self.args.row(number), ..*self }
    }

    #[inline(always)]
    fn skip(&self, count: usize) -> Self {
        // Of the root, the results are not ready.
        AppliedBlock { args: self.args.skip(count), ready: self.ready.skip(count), ..*self }
    }

    #[inline(always)]
    fn root_len(&self) -> usize {
        self.args.len()
    }
}
