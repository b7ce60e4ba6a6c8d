//! [`Block`]: the elements of runs, computed one by one in the inner loop.

// Users never hold one of these.
#![allow(missing_debug_implementations)]

use crate::ops::Op;
use crate::plan::LANES;
use ndcore::{Element, Runs, Spaced, Starts, Window};

/// The elements of a run; or of several of one length, of which it stands for the first.
pub trait Block: Copy {
    /// The element type.
    type Elem;

    /// What of it a loop takes.
    type Reads: Reads<Elem = Self::Elem>;

    /// Whether the operation at the root has rare arguments: see [`Op::RARE`].
    const RARE: bool = false;

    /// Whether that is made of multiply-adds: see [`Op::MULTIPLY_ADDS`].
    const MULTIPLY_ADDS: bool = false;

    /// Whether it is worth the widest vectors: see [`Op::WIDE`].
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
pub trait Reads: Copy {
    /// The element type.
    type Elem;

    /// From the run of this number on: what is one run has itself.
    #[inline(always)]
    fn run(&self, number: usize) -> Self {
        let _ = number;
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

/// How many bytes ahead of their use elements are asked for.
const AHEAD_BYTES: usize = 2048;

/// What is one run.
macro_rules! one_run {
    ($([$($of:tt)*] $type:ty, |$self:ident, $i:ident| $get:expr;)*) => {$(
        impl<$($of)*> Reads for $type {
            type Elem = T;

            #[inline(always)]
            unsafe fn get(&self, $i: usize) -> T {
                let $self = self;
                // SAFETY: the caller's promise.
                unsafe { $get }
            }
        }
    )*};
}
one_run! {
    [T: Copy] &[T], |slice, i| *slice.get_unchecked(i);
    [T: Element] Spaced<'_, T>, |spaced, i| spaced.get(i);
    [T: Element, const N: usize] Window<'_, T, N>, |window, i| window.get(i);
}

impl<T: Copy> Reads for Starts<'_, T> {
    type Elem = T;

    #[inline(always)]
    fn run(&self, number: usize) -> Self {
        Starts::run(self, number)
    }

    #[inline(always)]
    unsafe fn get(&self, i: usize) -> T {
        // SAFETY: the caller's promise.
        unsafe { Starts::get(self, i) }
    }

    #[inline(always)]
    fn prefetch<const ROOT: bool>(&self, i: usize, len: usize) {
        Starts::prefetch(self, i, len, AHEAD_BYTES);
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

impl<T: Copy> Block for &[T] {
    type Elem = T;
    type Reads = Self;
    const SKIPS: bool = true;

    #[inline(always)]
    fn len(&self) -> usize {
        <[T]>::len(self)
    }

    #[inline(always)]
    fn reads(&self) -> Self {
        self
    }

    #[inline(always)]
    fn skip(&self, count: usize) -> Self {
        &self[count.min(<[T]>::len(self))..]
    }
}

/// Where a run of a row lies.
// Not inlined: once for each type of elements.
#[inline(never)]
fn starts_of<'a, T: Element>(runs: &Runs<'a, T>, row: usize, run: usize) -> Starts<'a, T> {
    runs.row(row).run(run).starts()
}

impl<'a, T: Element> Block for Runs<'a, T> {
    type Elem = T;
    type Reads = Starts<'a, T>;
    const SKIPS: bool = true;

    #[inline(always)]
    fn len(&self) -> usize {
        Runs::len(self)
    }

    #[inline(always)]
    fn runs(&self) -> usize {
        self.count()
    }

    #[inline(always)]
    fn run(&self, number: usize) -> Self {
        Runs::run(self, number)
    }

    #[inline(always)]
    fn gathers(&self) -> bool {
        Runs::gathers(self)
    }

    #[inline(always)]
    fn reads(&self) -> Starts<'a, T> {
        self.starts()
    }

    #[inline(always)]
    fn reads_of<const HERE: bool>(&self, row: Option<usize>, run: usize) -> Starts<'a, T> {
        match row {
            None if HERE => self.run(run).starts(),
            Some(row) if HERE => self.row(row).run(run).starts(),
            _ => starts_of(self, row.unwrap_or(0), run),
        }
    }

    #[inline(always)]
    fn side_by_side(&self) -> Option<&[T]> {
        if Runs::gathers(self) { None } else { Some(self.first()) }
    }

    #[inline(always)]
    fn rows(&self) -> usize {
        self.rows_len()
    }

    #[inline(always)]
    fn row(&self, number: usize) -> Self {
        Runs::row(self, number)
    }

    #[inline(always)]
    fn skip(&self, count: usize) -> Self {
        Runs::skip(self, count)
    }
}

/// What lies apart, read where it is.
macro_rules! apart {
    ($([$($size:tt)*] $type:ty;)*) => {$(
        impl<T: Element, $($size)*> Block for $type {
            type Elem = T;
            type Reads = Self;

            #[inline(always)]
            fn reads(&self) -> Self {
                *self
            }

            #[inline(always)]
            fn len(&self) -> usize {
                <$type>::len(self)
            }
        }
    )*};
}
apart! {
    [] Spaced<'_, T>;
    [const N: usize] Window<'_, T, N>;
}

/// A scalar.
#[derive(Clone, Copy)]
pub struct Splat<T>(pub T);

impl<T: Copy> Reads for Splat<T> {
    type Elem = T;

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
    fn reads(&self) -> Self {
        *self
    }
}

impl<T: Copy> Reads for EachRun<'_, T> {
    type Elem = T;

    #[inline(always)]
    fn run(&self, number: usize) -> Self {
        Block::run(self, number)
    }

    #[inline(always)]
    unsafe fn get(&self, _: usize) -> T {
        self.value
    }
}

/// The elements of a block whose runs have one element each, as one run.
#[derive(Clone, Copy)]
pub struct Line<B>(pub B);

impl<R: Reads> Reads for Line<R> {
    type Elem = R::Elem;

    #[inline(always)]
    unsafe fn get(&self, i: usize) -> R::Elem {
        // SAFETY: the caller's promise: there is such a run, and each has an element.
        unsafe { self.0.run(i).get(0) }
    }

    #[inline(always)]
    unsafe fn root<const USUAL: bool>(&self, i: usize) -> (R::Elem, bool) {
        // SAFETY: as above.
        unsafe { self.0.run(i).root::<USUAL>(0) }
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

/// What a closure makes of the first `len` elements of a block's root, one after the other.
#[inline(always)]
pub fn fold_in_order<B: Block, A>(
    block: B,
    len: usize,
    init: A,
    mut f: impl FnMut(A, B::Elem) -> A,
) -> A {
    assert!(len <= block.root_len(), "a block is as long as its run");
    let mut value = init;
    for i in 0..len {
        // SAFETY: below the length, as just checked.
        value = f(value, unsafe { block.reads().root::<false>(i) }.0);
    }
    value
}

/// An operation on a block.
pub struct AppliedBlock<'b, O, B, T> {
    pub op: &'b O,
    pub args: B,
    /// The results, if they go through a buffer or were computed before the rest.
    pub ready: Runs<'b, T>,
}

impl<'b, O, B, T> AppliedBlock<'b, O, B, T> {
    /// Computed element by element.
    #[inline(always)]
    pub fn new(op: &'b O, args: B) -> Self {
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

impl<O, B: Copy, T> Clone for AppliedBlock<'_, O, B, T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<O, B: Copy, T> Copy for AppliedBlock<'_, O, B, T> {}

/// What a loop reads of an operation on a block.
pub struct AppliedReads<'b, O, R, T> {
    op: &'b O,
    args: R,
    ready: Starts<'b, T>,
    is_ready: bool,
}

impl<O, R: Copy, T> Clone for AppliedReads<'_, O, R, T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<O, R: Copy, T> Copy for AppliedReads<'_, O, R, T> {}

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

macro_rules! tuples {
    ($($($part:ident $index:tt),*;)*) => {$(
        impl<$($part: Reads<Elem: Copy>),*> Reads for ($($part,)*) {
            type Elem = ($($part::Elem,)*);

            #[inline(always)]
            fn run(&self, number: usize) -> Self {
                ($(self.$index.run(number),)*)
            }

            #[inline(always)]
            unsafe fn get(&self, i: usize) -> Self::Elem {
                // SAFETY: the caller's promise; no part is shorter than the whole.
                unsafe { ($(self.$index.get(i),)*) }
            }

            #[inline(always)]
            fn prefetch<const ROOT: bool>(&self, i: usize, len: usize) {
                $(self.$index.prefetch::<false>(i, len);)*
            }
        }

        impl<$($part: Block<Elem: Element>),*> Block for ($($part,)*) {
            type Elem = ($($part::Elem,)*);
            type Reads = ($($part::Reads,)*);

            #[inline(always)]
            fn reads(&self) -> Self::Reads {
                ($(self.$index.reads(),)*)
            }

            #[inline(always)]
            fn reads_of<const HERE: bool>(&self, row: Option<usize>, run: usize) -> Self::Reads {
                ($(self.$index.reads_of::<HERE>(row, run),)*)
            }

            const WIDE: bool = $($part::WIDE)&&*;
            const SKIPS: bool = $($part::SKIPS)&&*;

            #[inline(always)]
            fn len(&self) -> usize {
                usize::MAX$(.min(self.$index.len()))*
            }

            #[inline(always)]
            fn runs(&self) -> usize {
                let runs = usize::MAX;
                $(let runs = runs.min(self.$index.runs());)*
                runs
            }

            #[inline(always)]
            fn run(&self, number: usize) -> Self {
                ($(self.$index.run(number),)*)
            }

            #[inline(always)]
            fn gathers(&self) -> bool {
                $(self.$index.gathers())||*
            }

            #[inline(always)]
            fn rows(&self) -> usize {
                usize::MAX$(.min(self.$index.rows()))*
            }

            #[inline(always)]
            fn row(&self, number: usize) -> Self {
                ($(self.$index.row(number),)*)
            }

            #[inline(always)]
            fn skip(&self, count: usize) -> Self {
                ($(self.$index.skip(count),)*)
            }
        }
    )*};
}

tuples! {
    A 0;
    A 0, B 1;
    A 0, B 1, C 2;
    A 0, B 1, C 2, D 3;
    A 0, B 1, C 2, D 3, E 4;
    A 0, B 1, C 2, D 3, E 4, F 5;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6;
    A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7;
}
