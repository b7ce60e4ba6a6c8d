//! Which way is taken: by how few elements there are, and how long each takes.

use crate::exec::{Exec, work_of};
use crate::expr::{Binding, Expr, Facts, LONG_ROW, Reading, Unfit, fits, rows_of};
use crate::kernel::{self, Block, Isa, Store};
use crate::ops::UNKNOWN_COST;
use crate::plan::LANES;
use bcast::Error;
use ndcore::{Axes, Dimension, Few, LINE};
use std::mem::MaybeUninit;

/// A result of fewer bytes is computed as one run, after what lies otherwise has been copied: to
/// plan takes longer.
pub(crate) const FEW_BYTES: usize = 1 << 16;

/// One of so many bytes, in bands, and the bytes of a band, if it need not be larger to have whole
/// lines of the cache: a few times as many stay in a first-level cache.
const BANDED_BYTES: usize = 1 << 14;
const BAND_BYTES: usize = 1 << 13;

/// A result of so few bytes is computed in place, as part of the caller.
pub(super) const TINY_BYTES: usize = 1 << 9;

/// So is one of up to two simple operations.
const SIMPLEST_BYTES: usize = 1 << 10;

/// Room for what is, or twice as much.
pub(crate) type Tiny = Few<{ 2 * SIMPLEST_BYTES }>;

/// So few short rows are found in less time than what lies otherwise is copied.
const FEW_ROWS: usize = 16;

/// The elements of a matrix of short rows for which that is so, however many matrices there are.
const SOME_OF_SLAB: usize = 32;

/// Expressions of this cost are worth an instruction set, however few the elements.
pub(super) const LONG: usize = 8;

/// Those of up to this cost are computed in place for all of [`TINY_BYTES`]; of twice the cost, for
/// half of them.
const SHORT: usize = 3;

/// The most bytes of a result that is computed row by row without a plan.
pub(super) const ROWS_BYTES: usize = FLAT_BYTES;

/// The most elements that are computed as one run through buffers.
pub(crate) const BUFFERED: usize = 1 << 12;

/// How a flat result is computed that is not worth threads.
#[derive(Clone, Copy)]
pub(super) enum How {
    /// As part of the caller: to call a kernel would take longer.
    Here,
    /// By the kernel for an instruction set.
    By(Isa),
}

impl How {
    /// For `len` elements, if that is not worth threads.
    #[inline(always)]
    pub(super) fn of<D: Store<E::Elem>, E: Expr>(len: usize) -> Option<Self> {
        if len
            <= const {
                bytes_in_place::<E, D>()
                    / if size_of::<D::Slot>() > 0 { size_of::<D::Slot>() } else { 1 }
            }
        {
            return Some(How::Here);
        }
        isa_if_serial(len, work_of(size_of::<D::Slot>(), E::FACTS.cost + D::COST)).map(How::By)
    }

    /// Computes the elements of a block of an expression into slots.
    #[inline(always)]
    pub(super) fn compute<E: Expr, B: Block<Elem = E::Elem>>(
        self,
        slots: &mut [MaybeUninit<E::Elem>],
        block: B,
    ) -> &mut [E::Elem] {
        match self {
            How::Here if const { bytes_here::<E>() > 0 } => kernel::compute_here(slots, block),
            // Never: said in a way that leaves no copy of the loop in the caller.
            How::Here => kernel::compute(Isa::BASELINE, slots, block),
            How::By(isa) => kernel::compute(isa, slots, block),
        }
    }

    /// Combines slots with the elements of a block of an expression.
    #[inline(always)]
    pub(super) fn update<E: Expr, D: Store<E::Elem>, B: Block<Elem = E::Elem>>(
        self,
        store: D,
        slots: &mut [D::Slot],
        block: B,
    ) {
        match self {
            How::Here if const { bytes_in_place::<E, D>() > 0 } => {
                kernel::update_here(&store, slots, block)
            }
            // Never, as above.
            How::Here => kernel::update(Isa::BASELINE, &store, slots, block),
            How::By(isa) => kernel::update_flat(isa, store, slots, block),
        }
    }
}

/// The most bytes of a result of an expression that is computed as part of the caller: fewer of
/// elements smaller than a `f32`, because what they are computed from may be larger.
pub(super) const fn bytes_here<E: Expr>() -> usize {
    let bytes = if E::FACTS.cost <= 2 {
        SIMPLEST_BYTES
    } else if E::FACTS.cost < LONG {
        TINY_BYTES * SHORT / if E::FACTS.cost > SHORT { E::FACTS.cost } else { SHORT }
    } else if E::FACTS.cost < LONG + UNKNOWN_COST
        && !E::FACTS.buffers_within
        && !E::FACTS.rare
        && !E::FACTS.multiply_adds
    {
        // Closures: most take no longer.
        TINY_BYTES
    } else {
        0
    };
    // Of bytes, most often conditions, baseline vectors are put together piece by piece.
    match size_of::<E::Elem>() {
        1 => bytes >> 6,
        2 => bytes >> 1,
        _ => bytes,
    }
}

/// The same of what is done with the elements where they go: none, if it takes as long as what is
/// not computed so, and is no closure.
const fn bytes_in_place<E: Expr, D: Store<E::Elem>>() -> usize {
    let here = bytes_here::<E>();
    if D::COST >= LONG && D::COST != UNKNOWN_COST {
        0
    } else if D::COST == UNKNOWN_COST && size_of::<D>() > 0 {
        // A closure that captures something becomes vectors in a kernel, which
        // [holds](kernel::Kernel::Held) it, and not always elsewhere.
        let few = kernel::FEW_HELD * size_of::<D::Slot>();
        if few < here { few } else { here }
    } else {
        here
    }
}

/// The instruction set that holds here, if so many elements are not worth threads.
// Not inlined: it does not depend on the expression.
#[inline(never)]
pub(crate) fn isa_if_serial(len: usize, work: usize) -> Option<Isa> {
    let exec = Exec::current();
    (exec.tasks(len, work) <= 1).then_some(exec.isa)
}

/// How few elements that plainly repeat are computed without a plan.
pub(super) struct FewOf {
    pub(super) bytes: usize,
    pub(super) isa: Isa,
    /// Whether so few that to copy what lies otherwise takes longer than to go over any rows.
    pub(super) tiny: bool,
}

impl FewOf {
    /// Of a result of this shape, if it is some elements, and few, by other options than those that
    /// hold here, if so; `tiny` are so many bytes.
    #[inline]
    pub(super) fn new<Slot>(
        shape: &[usize],
        work: usize,
        tiny: usize,
        exec: Option<&Exec>,
    ) -> Option<Self> {
        // Extents above what there is room for could overflow.
        let len = shape.iter().fold(1_usize, |len, &extent| len.saturating_mul(extent));
        // Elements without size count, too: they are gone over.
        let bytes = len.saturating_mul(size_of::<Slot>().max(1));
        if len == 0 || bytes > ROWS_BYTES {
            return None;
        }
        if bytes <= tiny {
            return Some(FewOf { bytes, isa: Isa::BASELINE, tiny: true });
        }
        let isa = match exec {
            None => isa_if_serial(len, work)?,
            Some(exec) => (exec.tasks(len, work) <= 1).then_some(exec.isa)?,
        };
        Some(FewOf { bytes, isa, tiny: false })
    }

    /// Whether to go over the rows of a result of this shape, which lie side by side or `apart`,
    /// takes no longer than to copy what lies otherwise: a few short ones do not, unless their
    /// operations are worth full vectors.
    #[inline]
    fn takes_rows(&self, shape: &[usize], apart: bool, facts: &Facts) -> bool {
        let [outer @ .., len] = shape else { return self.tiny };
        let cheap = !apart && facts.pure && !facts.buffered && !facts.multiply_adds;
        let few = || *len > 1 && outer.iter().product::<usize>() <= FEW_ROWS;
        self.tiny || *len >= LONG_ROW || (cheap && few())
    }

    /// All of a result of this shape as rows, if it has one axis or two, and that is worth it.
    /// Those of the result may lie `apart`.
    #[inline]
    pub(super) fn rows<T>(&self, shape: &[usize], apart: bool, facts: &Facts) -> Option<AsRows> {
        let (count, len) = rows_of(shape).filter(|_| self.takes_rows(shape, apart, facts))?;
        let gathers = apart || bytes_of::<T>(1, len) >= GATHERED_ROW;
        Some(AsRows { count, len, gathers })
    }

    /// Whether to go over a new result of this shape in matrices with rows along so many of the
    /// last axes takes no longer than to copy what lies otherwise: a kernel is called for each.
    pub(super) fn takes_slabs(shape: &[usize], axes: usize) -> bool {
        let row = shape.len() - axes;
        let len = shape[row..].iter().product::<usize>();
        len >= LONG_ROW || (len > 1 && len * shape[row - 1] >= SOME_OF_SLAB)
    }

    /// All of a result of this shape as one run, of copies, if they are few enough for that.
    #[inline]
    pub(super) fn copies<'a>(&self, shape: &'a [usize], room: &'a mut Few) -> Option<Binding<'a>> {
        let copies = Reading::Copies { room: room.room(), heap: true, band: None };
        (self.bytes <= FEW_BYTES).then(|| Binding::few(shape, copies, self.isa))
    }

    /// How a result of this shape is computed in bands, if that takes less time: from copies that
    /// are still in a first-level cache then.
    pub(super) fn bands<T>(&self, shape: &[usize], facts: &Facts) -> Option<Bands> {
        let (&count, inner) = shape.split_first()?;
        let (row, size) = (inner.iter().product::<usize>(), size_of::<T>());
        // What repeats might be computed once for each of them.
        if self.bytes < BANDED_BYTES || facts.buffered || !facts.pure || size == 0 {
            return None;
        }
        // Of what lies along the first axis, all of a line of the cache.
        let line = (LINE / size).max(1);
        let rows = (BAND_BYTES / (row * size)).max(1).next_multiple_of(line);
        let fits = rows < count && rows * row * size <= BAND_BYTES << 2;
        fits.then_some(Bands { rows, row, count, isa: self.isa })
    }

    /// Whether to ask for the memory of a result: of much, not before it is known that all of it
    /// can be computed so, which an attempt to compute nothing says.
    #[inline]
    pub(super) fn is_of_use(
        &self,
        attempt: impl FnOnce() -> Result<(), Unfit>,
    ) -> Result<bool, Error> {
        Ok(self.bytes <= Few::BYTES || fits(attempt())?.is_some())
    }
}

/// How many rows a result is, and how long; and whether operands that do not lie so may be gathered
/// row by row.
#[derive(Clone, Copy)]
pub(super) struct AsRows {
    count: usize,
    len: usize,
    gathers: bool,
}

impl AsRows {
    /// As a binding takes it, which is made where it stays: to move it takes as long as to compute
    /// a few elements.
    #[inline(always)]
    pub(super) fn reading(self, room: &mut Few) -> Reading<'_> {
        let AsRows { count, len, gathers } = self;
        Reading::Rows { count, len, room: room.room(), copies: true, gathers }
    }
}

/// Of how many rows along its first axis the bands of a result are, of how many elements such a row
/// is, and how many there are.
#[derive(Clone, Copy)]
pub(super) struct Bands {
    rows: usize,
    row: usize,
    count: usize,
    isa: Isa,
}

/// Room for the copies of a band, and for where they lie.
pub(super) type BandRoom = Few<{ (BAND_BYTES << 2) + Few::NOTES }>;

impl Bands {
    /// The elements of a band, but for the last one.
    pub(super) fn len(self) -> usize {
        self.rows * self.row
    }

    /// One of them, of so many elements; `shape`, that of the result, becomes its own.
    #[inline]
    pub(super) fn binding<'a>(
        self,
        shape: &'a mut Axes<usize>,
        (number, len): (usize, usize),
        room: &'a mut BandRoom,
    ) -> Binding<'a> {
        shape[0] = len / self.row;
        let band = Some((number * self.rows, self.count));
        let copies = Reading::Copies { room: room.room(), heap: false, band };
        Binding::few(shape, copies, self.isa)
    }
}

/// So many matrices of a result, from one on, with rows along so many of the last axes.
pub(super) fn in_slabs<'a>(
    shape: &'a [usize],
    (some, axes): ((usize, usize), usize),
    room: &'a mut Few,
    isa: Isa,
) -> Binding<'a> {
    Binding::few(shape, Reading::Slabs { some, axes, room: room.room() }, isa)
}

/// Calls a function that owns what it needs. What a call might keep a reference to lies in memory
/// all the time; so views of a few elements would be written, and waited for, before those are
/// read.
#[inline(never)]
pub(crate) fn apart<R>(f: impl FnOnce() -> R) -> R {
    f()
}

/// As [`apart`], of what is seldom called: what the caller's loops need stays in registers then,
/// and is kept in memory during this call alone.
#[cold]
#[inline(never)]
pub(crate) fn seldom<R>(f: impl FnOnce() -> R) -> R {
    f()
}

/// The most elements of a line with gaps that are not worth a plan: it would copy them first.
pub(super) const FEW_OF_LINE: usize = 1 << 16;

/// So many are not worth a thought of threads either, and so many calls of a closure, of which
/// nobody knows how long they take.
pub(super) const SURELY_LINE: usize = 1 << 12;
const SURELY_CALLS: usize = 1 << 9;

/// Whether so many elements of a line, at most [`FEW_OF_LINE`], are not worth threads.
#[inline(always)]
pub(super) fn is_line<D: Store<E::Elem>, E: Expr>(len: usize) -> bool {
    is_short_line::<E>(len, size_of::<D::Slot>(), D::COST)
}

/// As [`is_line`], of elements of this size, and what is done with them costs so much.
#[inline(always)]
pub(super) fn is_short_line<E: Expr>(len: usize, size: usize, cost: usize) -> bool {
    let known = E::FACTS.pure && cost < UNKNOWN_COST;
    len <= if known { SURELY_LINE } else { SURELY_CALLS }
        || isa_if_serial(len, work_of(size, E::FACTS.cost + cost)).is_some()
}

/// The most elements of a new line of what is faster in vectors.
const FEW_IN_VECTORS: usize = 1 << 8;

/// The most elements of a line of an expression that are computed one by one. Asked in `const`
/// blocks: what is never run is not compiled then.
pub(crate) const fn most_of_line<E: Expr, R: Dimension>() -> usize {
    if !matches!(R::NDIM, Some(1)) || E::FACTS.buffers_within {
        0
    } else if E::FACTS.cost < LONG && E::FACTS.vectors {
        FEW_IN_VECTORS
    } else if E::FACTS.cost < LONG || (E::FACTS.cost < LONG + UNKNOWN_COST && !E::FACTS.pure) {
        FEW_OF_LINE
    } else {
        0
    }
}

/// A row of at most so many bytes is computed as part of the caller: to call a kernel for each row
/// takes longer than its wider vectors save. Of more operations than [`SHORT`] they save more, so
/// that it is as many bytes fewer; of closures, so many.
const SHORT_ROW: usize = 1 << 10;
const SHORT_CALLS: usize = 1 << 9;

/// The most bytes of such a row. Asked as [`most_of_line`] is.
const fn most_of_row<E: Expr, D: Store<E::Elem>>() -> usize {
    match E::FACTS.cost {
        ..=SHORT => SHORT_ROW,
        cost if cost + D::COST < LONG => SHORT_ROW * SHORT / cost,
        _ if bytes_here::<E>() > 0 => SHORT_CALLS,
        _ => 0,
    }
}

/// To gather rows of fewer bytes takes longer than to copy all of an operand, unless those of the
/// result lie apart.
const GATHERED_ROW: usize = 1 << 11;

/// Whether rows of a result of this rank may be so short that they are computed as part of the
/// caller: to call a kernel for each would take longer. Asked as [`most_of_line`] is.
pub(super) const fn may_be_short<E: Expr, R: Dimension>() -> bool {
    !E::FACTS.buffers_within && bytes_here::<E>() > 0 && matches!(R::NDIM, Some(2))
}

/// Whether few elements of a new array may be computed as part of the caller, from rows or copies:
/// of more operations to call a kernel takes no longer than they do, and all that is compiled as
/// part of a caller is half of what an expression is compiled to.
const fn may_be_part<E: Expr>() -> bool {
    let short = E::FACTS.cost <= SHORT || !E::FACTS.pure;
    short && !E::FACTS.buffers_within && bytes_here::<E>() > 0
}

/// Whether they may be rows.
pub(super) const fn may_be_here<E: Expr, R: Dimension>() -> bool {
    may_be_part::<E>() && matches!(R::NDIM, Some(2))
}

/// The same of more axes, of which there are no rows but copies.
pub(super) const fn may_be_here_copied<E: Expr, R: Dimension>() -> bool {
    may_be_part::<E>() && may_have_slabs::<R>()
}

/// Whether their axes may be those of a matrix, merged.
pub(super) const fn may_be_here_merged<E: Expr, R: Dimension>() -> bool {
    may_be_part::<E>() && matches!(R::NDIM, Some(3..))
}

/// Whether to go over so many rows takes no longer than to copy what of them repeats.
#[inline]
pub(super) fn are_few_rows(((count, len), repeats): ((usize, usize), bool)) -> bool {
    !repeats || len >= LANES || count <= FEW_ROWS
}

/// The bytes of so many rows; elements without size count as one, because they are gone over.
#[inline(always)]
pub(super) fn bytes_of<T>(count: usize, len: usize) -> usize {
    count.saturating_mul(len).saturating_mul(size_of::<T>().max(1))
}

/// Whether so many rows are.
#[inline(always)]
pub(super) fn is_short<E: Expr, D: Store<E::Elem>>(count: usize, len: usize) -> bool {
    let bytes = bytes_of::<D::Slot>(count, len);
    (1..=const { bytes_in_place::<E, D>() }).contains(&bytes) || {
        let work = work_of(size_of::<D::Slot>(), E::FACTS.cost + D::COST);
        is_of_short(bytes, (count, len), const { most_of_row::<E, D>() }, work)
    }
}

/// Whether to go over so many rows one by one takes less time than to copy them, where [they may
/// go](crate::expr::go_one_by_one) so: unless vectors take a fraction of the time.
#[inline(always)]
pub(super) fn are_some_in_lines<E: Expr, D: Store<E::Elem>>(count: usize, len: usize) -> bool {
    (const { is_one_by_one::<E, D>() }) && is_line::<D, E>(count.saturating_mul(len))
}

/// Whether vectors do not take a fraction of the time.
const fn is_one_by_one<E: Expr, D: Store<E::Elem>>() -> bool {
    let cost = E::FACTS.cost + D::COST;
    (cost < LONG && !E::FACTS.vectors) || (cost < LONG + UNKNOWN_COST && !E::FACTS.pure)
}

/// As [`is_short`], of more bytes, in rows of at most so many.
// Not inlined: it does not depend on the expression.
#[inline(never)]
fn is_of_short(bytes: usize, (count, len): (usize, usize), most: usize, work: usize) -> bool {
    let some = (1..=ROWS_BYTES).contains(&bytes) && bytes / count <= most;
    some && isa_if_serial(count * len, work).is_some()
}

/// Whether a result of this rank may have three axes or more.
pub(super) const fn may_have_slabs<R: Dimension>() -> bool {
    !matches!(R::NDIM, Some(0..=2))
}

/// The most bytes of a flat result that is computed without a plan.
pub(super) const FLAT_BYTES: usize = 1 << 22;
