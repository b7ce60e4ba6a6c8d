//! What is one value for all elements, or for those of a run; and runs of one element as one run.

use super::{Block, HasOps, Reads};

/// A scalar.
#[derive(Clone, Copy)]
pub struct Splat<T>(pub T);

impl<T: Copy> Reads for Splat<T> {
    type Elem = T;

    const SKIPS: bool = true;

    #[inline(always)]
    unsafe fn get(&self, _: usize) -> T {
        self.0
    }
}

impl<T: Copy> Block for Splat<T> {
    type Elem = T;
    type Reads = Self;
    const SKIPS: bool = true;

    #[inline(always)]
    fn len(&self) -> usize {
        usize::MAX
    }

    #[inline(always)]
    fn runs(&self) -> usize {
        usize::MAX
    }

    #[inline(always)]
    fn reads(&self) -> Self {
        *self
    }

    #[inline(always)]
    fn rows(&self) -> usize {
        usize::MAX
    }
}

/// A value for each run, which all of its elements are.
#[cfg_attr(not(feature = "matmul"), allow(dead_code))]
#[derive(Clone, Copy)]
pub struct EachRun<'a, T> {
    values: &'a [T],
    value: T,
}

#[cfg_attr(not(feature = "matmul"), allow(dead_code))]
impl<'a, T: Copy> EachRun<'a, T> {
    /// Of as many runs as there are values, of which there is one at least.
    pub fn new(values: &'a [T]) -> Option<Self> {
        Some(EachRun { values, value: *values.first()? })
    }
}

impl<T: Copy> Block for EachRun<'_, T> {
    type Elem = T;
    type Reads = Self;
    const SKIPS: bool = true;

    #[inline(always)]
    fn len(&self) -> usize {
        usize::MAX
    }

    #[inline(always)]
    fn runs(&self) -> usize {
        self.values.len()
    }

    #[inline(always)]
    fn run(&self, number: usize) -> Self {
        EachRun { value: self.values[number.min(self.values.len() - 1)], ..*self }
    }

    #[inline(always)]
    fn line(&self, number: usize) -> Self {
        let values = &self.values[number.min(self.values.len() - 1)..][..1];
        EachRun { values, value: values[0] }
    }

    #[inline(always)]
    fn reads(&self) -> Self {
        *self
    }
}

impl<T: Copy> Reads for EachRun<'_, T> {
    type Elem = T;

    const SKIPS: bool = true;

    #[inline(always)]
    fn at(&self, run: usize, _: usize) -> Self {
        Block::run(self, run)
    }

    #[inline(always)]
    unsafe fn get(&self, _: usize) -> T {
        self.value
    }
}

/// The elements of a block whose runs have one element each, as one run.
#[derive(Clone, Copy)]
pub struct Line<B>(pub B);

impl<B: HasOps> HasOps for Line<B> {
    type Ops = B::Ops;

    #[inline(always)]
    fn ops(&self) -> B::Ops {
        self.0.ops()
    }

    #[inline(always)]
    fn with_ops(self, ops: B::Ops) -> Self {
        Line(self.0.with_ops(ops))
    }
}

impl<R: Reads> Reads for Line<R> {
    type Elem = R::Elem;

    #[inline(always)]
    unsafe fn get(&self, i: usize) -> R::Elem {
        // SAFETY: the caller's promise: there is such a run, and each has an element.
        unsafe { self.0.at(i, 0).get(0) }
    }

    #[inline(always)]
    unsafe fn root<const USUAL: bool>(&self, i: usize) -> (R::Elem, bool) {
        // SAFETY: as above.
        unsafe { self.0.at(i, 0).root::<USUAL>(0) }
    }
}

impl<B: Block> Block for Line<B> {
    type Elem = B::Elem;
    type Reads = Line<B::Reads>;
    const RARE: bool = B::RARE;
    const MULTIPLY_ADDS: bool = B::MULTIPLY_ADDS;
    const WIDE: bool = B::WIDE;

    #[inline(always)]
    fn len(&self) -> usize {
        if self.0.len() > 0 { self.0.runs() } else { 0 }
    }

    #[inline(always)]
    fn reads(&self) -> Line<B::Reads> {
        Line(self.0.reads())
    }

    #[inline(always)]
    fn root_len(&self) -> usize {
        if self.0.root_len() > 0 { self.0.runs() } else { 0 }
    }
}
