//! An operation on a block.

use super::{Block, HasOps, Reads};
use crate::ops::Op;
use ndcore::{Runs, Starts};

/// An operation on a block.
pub struct AppliedBlock<'b, O, B, T> {
    pub op: O,
    pub args: B,
    /// The results, if they go through a buffer or were computed before the rest.
    pub ready: Option<Runs<'b, T>>,
}

impl<'b, O, B, T> AppliedBlock<'b, O, B, T> {
    /// Computed element by element.
    #[inline(always)]
    pub fn new(op: O, args: B) -> Self {
        AppliedBlock { op, args, ready: None }
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
    ready: Option<Starts<'b, T>>,
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

    const SKIPS: bool = R::SKIPS;

    // What is ready is read, and its operands are not: `get` asks which of them.
    #[inline(always)]
    fn at(&self, run: usize, count: usize) -> Self {
        let args = self.args.at(run, count);
        match &self.ready {
            Some(ready) if O::BUFFERED => {
                AppliedReads { args, ready: Some(ready.at(run, count)), ..*self }
            }
            _ => AppliedReads { args, ..*self },
        }
    }

    #[inline(always)]
    unsafe fn get(&self, i: usize) -> O::Output {
        // The same for all elements, so that the compiler asks once.
        if O::BUFFERED && (!O::FUSES || self.ready.is_some()) {
            // SAFETY: the caller's promise. What must be ready, is: of what is not, the block has
            // no element.
            unsafe { self.ready.unwrap_unchecked().get(i) }
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

    // Here and below: results of what is not buffered are never compiled, because of the guards.
    #[inline(always)]
    fn len(&self) -> usize {
        match &self.ready {
            Some(ready) if O::BUFFERED => ready.len(),
            _ if O::BUFFERED && !O::FUSES => 0,
            _ => self.args.len(),
        }
    }

    #[inline(always)]
    fn runs(&self) -> usize {
        match &self.ready {
            Some(ready) if O::BUFFERED => ready.count(),
            _ => self.args.runs(),
        }
    }

    #[inline(always)]
    fn run(&self, number: usize) -> Self {
        match &self.ready {
            Some(ready) if O::BUFFERED => AppliedBlock { ready: Some(ready.run(number)), ..*self },
            _ => AppliedBlock { args: self.args.run(number), ..*self },
        }
    }

    #[inline(always)]
    fn line(&self, number: usize) -> Self {
        let args = self.args.line(number);
        match &self.ready {
            Some(ready) if O::BUFFERED => {
                AppliedBlock { args, ready: Some(ready.line(number)), ..*self }
            }
            _ => AppliedBlock { args, ..*self },
        }
    }

    #[inline(always)]
    fn gathers(&self) -> bool {
        self.args.gathers()
            || O::BUFFERED && self.ready.as_ref().is_some_and(|ready| ready.gathers())
    }

    #[inline(always)]
    fn reads(&self) -> Self::Reads {
        let (op, args) = (self.op, self.args.reads());
        match &self.ready {
            Some(ready) if O::BUFFERED => AppliedReads { op, args, ready: Some(ready.starts()) },
            _ => AppliedReads { op, args, ready: None },
        }
    }

    #[inline(always)]
    fn reads_of<const HERE: bool>(&self, row: Option<usize>, run: usize) -> Self::Reads {
        let op = self.op;
        match &self.ready {
            Some(ready) if O::BUFFERED => {
                // What was computed before has no operands.
                let ready = Some(ready.reads_of::<HERE>(row, run));
                AppliedReads { op, args: self.args.reads(), ready }
            }
            _ => AppliedReads { op, args: self.args.reads_of::<HERE>(row, run), ready: None },
        }
    }

    #[inline(always)]
    fn rows(&self) -> usize {
        match &self.ready {
            Some(ready) if O::BUFFERED => ready.rows_len(),
            _ => self.args.rows(),
        }
    }

    #[inline(always)]
    fn row(&self, number: usize) -> Self {
        match &self.ready {
            Some(ready) if O::BUFFERED => AppliedBlock { ready: Some(ready.row(number)), ..*self },
            _ => AppliedBlock { args: self.args.row(number), ..*self },
        }
    }

    #[inline(always)]
    fn skip(&self, count: usize) -> Self {
        // Of the root, the results are not ready.
        let args = self.args.skip(count);
        match &self.ready {
            Some(ready) if O::BUFFERED => {
                AppliedBlock { args, ready: Some(ready.skip(count)), ..*self }
            }
            _ => AppliedBlock { args, ..*self },
        }
    }

    #[inline(always)]
    fn root_len(&self) -> usize {
        self.args.len()
    }
}
