//! How an output is split in parts, which threads compute.

use super::Tasks;
use crate::help::with_help;
use crate::plan::Plan;
use crate::trace;
use bcast::Error;
use ndcore::{Element, Extents, Filled, Part, boxed};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// An output, or several, in the order of loops, that can be computed in parts.
pub(crate) trait Parted: Send + Sized {
    /// What computing a part yields.
    type Done: Send;

    /// The extents of the loops.
    fn extents(&self) -> &[usize];

    /// Splits it in two before index `mid` of a loop.
    fn split_at(self, axis: usize, mid: usize) -> (Self, Self);

    /// What computing two parts yields, in whatever order.
    fn join(one: Self::Done, other: Self::Done) -> Self::Done;
}

impl<'b, S: Element> Parted for Part<'b, S> {
    type Done = Filled<'b>;

    #[inline]
    fn extents(&self) -> &[usize] {
        self.extents()
    }

    #[inline]
    fn split_at(self, axis: usize, mid: usize) -> (Self, Self) {
        self.split_at(axis, mid)
    }

    #[inline]
    fn join(low: Filled<'b>, high: Filled<'b>) -> Filled<'b> {
        low.join(high)
    }
}

/// Computes a part of the output, which begins at the given index of the loops.
type Job<'t, P> = dyn Fn(P, &[usize]) -> Result<<P as Parted>::Done, Error> + Sync + 't;

/// The first part by which it is found out how long the others take is about one of so many, and
/// at most twice as much.
const TRIED: usize = 32;

/// What takes less time than this is not shared with threads that have to be woken: several times
/// what it takes until they have begun, and the last one has ended.
const SHORT: Duration = Duration::from_micros(20);

/// Runs `job` over all parts of `out`, about as many as there are tasks; `out` is in the order of
/// the plan's loops.
pub(crate) fn run<P: Parted>(
    plan: &Plan,
    tasks: Tasks,
    out: P,
    job: &Job<'_, P>,
) -> Result<P::Done, Error> {
    let _span = trace::run(plan, tasks.count);
    let (mut start, cuts) = (beginning(out.extents()), Cuts { at: &plan.cuts, best: &plan.boxes });
    if tasks.count <= 1 {
        return job(out, &start);
    }
    let (enough, first) = divided(out.extents(), cuts, tasks);
    let Some((axis, mid)) = first else { return split(cuts, out, start, enough, job) };
    let (first, rest) = out.split_at(axis, mid);
    let (begun, tried) = (Instant::now(), len(first.extents()));
    let done = job(first, &start)?;
    start[axis] = mid;
    let rest = match is_short(begun, tried, rest.extents()) {
        true => job(rest, &start)?,
        false => split(cuts, rest, start, enough, job)?,
    };
    Ok(P::join(done, rest))
}

/// The index of the first element.
fn beginning(extents: &[usize]) -> Extents {
    Extents::filled(0, extents.len())
}

/// How many elements each task has, and where the part ends that is tried, if one is.
fn divided(extents: &[usize], cuts: Cuts<'_>, tasks: Tasks) -> (usize, Option<(usize, usize)>) {
    let first = if tasks.tried { first_of(extents, cuts, TRIED) } else { None };
    (len(extents).div_ceil(tasks.count), first)
}

/// Whether the rest, of these extents, takes less time than [`SHORT`], if so many elements have
/// taken what has passed.
fn is_short(begun: Instant, tried: usize, rest: &[usize]) -> bool {
    let all = begun.elapsed().as_secs_f64() * len(rest) as f64 / tried as f64;
    all < SHORT.as_secs_f64()
}

/// Where the first of so many parts ends, along the loop that would be cut in two. None, if it
/// cannot be cut in as many: what is tried is computed by one thread, while the others wait.
fn first_of(extents: &[usize], cuts: Cuts<'_>, parts: usize) -> Option<(usize, usize)> {
    let (axis, _) = cut(extents, cuts, 0)?;
    let mid = (extents[axis] / parts).next_multiple_of(cuts.at[axis]);
    (mid > 0 && mid <= extents[axis] / (parts / 2)).then_some((axis, mid))
}

/// The number of elements.
fn len(extents: &[usize]) -> usize {
    extents.iter().product()
}

/// Where an output may be cut.
#[derive(Clone, Copy)]
pub(crate) struct Cuts<'c> {
    /// Along each axis, at multiples of these.
    pub at: &'c [usize],
    /// At multiples of these, if half of the extent is as much: what is packed for one box serves
    /// the next, if that is as large.
    pub best: &'c [usize],
}

/// Where a part that is to have at most `enough` elements is cut in two: along its outermost loop
/// that may be cut.
fn cut(extents: &[usize], cuts: Cuts<'_>, enough: usize) -> Option<(usize, usize)> {
    let mut halves = extents.iter().zip(cuts.at).zip(cuts.best).enumerate();
    let halves = halves.find_map(|(axis, ((&extent, &cut), &best))| {
        let whole = best.is_multiple_of(cut) && extent / 2 >= best;
        let mid = (extent / 2).next_multiple_of(if whole { best } else { cut });
        (0 < mid && mid < extent).then_some((axis, mid))
    });
    halves.filter(|_| extents.iter().product::<usize>() > enough)
}

/// A part of an output without its type: how it is split and shared is compiled once.
trait Piece<'t>: Send {
    /// As [`Parted::extents`].
    fn extents(&self) -> &[usize];

    /// Splits it in two before index `mid` of a loop: it is left with what comes before, and the
    /// rest is returned. `None` if there is no memory for that.
    fn split_off(&mut self, axis: usize, mid: usize) -> Option<AnyPiece<'t>>;

    /// Computes it; it begins at this index.
    fn compute(self: Box<Self>, start: &[usize]) -> Result<(), Error>;
}

type AnyPiece<'t> = Box<dyn Piece<'t> + 't>;

/// As [`boxed`] makes them: a part, which is only gone while it is split, and what computes it.
type Computed<'t, P> = (Option<P>, &'t (dyn Fn(P, &[usize]) -> Result<(), Error> + Sync));

/// Why there is a part.
const IN_PLACE: &str = "a part is put back where it is split";

impl<'t, P: Parted + 't> Piece<'t> for Computed<'t, P> {
    fn extents(&self) -> &[usize] {
        self.0.as_ref().expect(IN_PLACE).extents()
    }

    fn split_off(&mut self, axis: usize, mid: usize) -> Option<AnyPiece<'t>> {
        let (part, compute) = self;
        let (low, high) = part.take().expect(IN_PLACE).split_at(axis, mid);
        *part = Some(low);
        Some(boxed((Some(high), *compute))?)
    }

    fn compute(self: Box<Self>, start: &[usize]) -> Result<(), Error> {
        let (part, compute) = *self;
        compute(part.expect(IN_PLACE), start)
    }
}

/// Runs `job` over the parts of `out`, which begins at index `start`, of at most `enough` elements
/// each, as far as it may be cut: on the threads of the pool.
pub(crate) fn split<P: Parted>(
    cuts: Cuts<'_>,
    out: P,
    start: Extents,
    enough: usize,
    job: &Job<'_, P>,
) -> Result<P::Done, Error> {
    let all = Mutex::new(None);
    let compute = |part: P, start: &[usize]| {
        let done = job(part, start)?;
        let mut all = all.lock().unwrap_or_else(PoisonError::into_inner);
        *all = Some(match all.take() {
            None => done,
            Some(before) => P::join(before, done),
        });
        Ok(())
    };
    let computed: Computed<'_, P> = (Some(out), &compute);
    split_any(cuts, boxed(computed).ok_or_else(Error::no_memory)?, start, enough)?;
    let all = all.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(all.expect("there is a part"))
}

/// As [`split`], of what is not known.
fn split_any(
    cuts: Cuts<'_>,
    out: AnyPiece<'_>,
    start: Extents,
    enough: usize,
) -> Result<(), Error> {
    // On one of them, what is not taken by others is done here.
    if rayon::current_thread_index().is_some() {
        return halve(cuts, out, start, enough);
    }
    let mut shares = Vec::new();
    if shares.try_reserve_exact(parts(out.extents(), cuts, enough)).is_err() {
        return Err(Error::no_memory());
    }
    list(cuts, out, start, enough, &mut shares)?;
    share(shares)
}

/// Halves a part, and lets other threads take one of the halves.
fn halve(cuts: Cuts<'_>, out: AnyPiece<'_>, start: Extents, enough: usize) -> Result<(), Error> {
    match in_two(cuts, out, start, enough)? {
        Ok([(low, low_start), (high, high_start)]) => {
            let (low, high) = rayon::join(
                || halve(cuts, low, low_start, enough),
                || halve(cuts, high, high_start, enough),
            );
            low.and(high)
        }
        Err((out, start)) => out.compute(&start),
    }
}

/// Two parts of an output, with the index that each begins at, or the whole.
type Halves<'t> = Result<[(AnyPiece<'t>, Extents); 2], (AnyPiece<'t>, Extents)>;

/// Two parts of an output that begins at this index, if it has more than enough elements; or the
/// whole.
fn in_two<'t>(
    cuts: Cuts<'_>,
    mut out: AnyPiece<'t>,
    start: Extents,
    enough: usize,
) -> Result<Halves<'t>, Error> {
    let Some((axis, mid)) = cut(out.extents(), cuts, enough) else { return Ok(Err((out, start))) };
    let high = out.split_off(axis, mid).ok_or_else(Error::no_memory)?;
    let mut high_start = start.clone();
    high_start[axis] += mid;
    Ok(Ok([(out, start), (high, high_start)]))
}

/// The number of parts that [`list`] makes.
fn parts(extents: &[usize], cuts: Cuts<'_>, enough: usize) -> usize {
    let Some((axis, mid)) = cut(extents, cuts, enough) else { return 1 };
    let with = |extent: usize| {
        let mut extents = Extents::from_slice(extents);
        extents[axis] = extent;
        parts(&extents, cuts, enough)
    };
    with(mid) + with(extents[axis] - mid)
}

/// All parts, in their order.
fn list<'t>(
    cuts: Cuts<'_>,
    out: AnyPiece<'t>,
    start: Extents,
    enough: usize,
    shares: &mut Vec<Mutex<Share<'t>>>,
) -> Result<(), Error> {
    match in_two(cuts, out, start, enough)? {
        Ok(parts) => {
            parts.into_iter().try_for_each(|(out, start)| list(cuts, out, start, enough, shares))
        }
        Err((out, start)) => {
            shares.push(Mutex::new(Share::Open(out, start)));
            Ok(())
        }
    }
}

/// A part of the output, which one of several threads computes.
enum Share<'t> {
    /// With the index at which it begins.
    Open(AnyPiece<'t>, Extents),
    Taken,
    Done(Result<(), Error>),
}

/// Computes all parts, on the calling thread, which is none of the pool's, and on as many of the
/// pool as come to help: see [`with_help`]. `rayon::join` would put this thread to sleep, wake one
/// of the pool, and that one another: three times the latency of a wake-up, in which this thread
/// can compute.
fn share(shares: Vec<Mutex<Share<'_>>>) -> Result<(), Error> {
    let locked = |at: usize| {
        // Nothing panics while it is locked.
        shares[at].lock().unwrap_or_else(PoisonError::into_inner)
    };
    let threads = rayon::current_num_threads().min(shares.len());
    // From its own part of the list on, so that the same thread meets the same memory in the next
    // pass; then whatever is left.
    let work = |thread: usize| {
        let first = thread * shares.len() / threads;
        for at in (first..shares.len()).chain(0..first) {
            let taken = match &mut *locked(at) {
                share @ Share::Open(..) => std::mem::replace(share, Share::Taken),
                _ => continue,
            };
            if let Share::Open(part, start) = taken {
                let done = part.compute(&start);
                *locked(at) = Share::Done(done);
            }
        }
    };
    with_help(threads - 1, &work, || work(0));
    shares.into_iter().try_for_each(|share| match share.into_inner() {
        Ok(Share::Done(done)) => done,
        _ => unreachable!("a panic has gone on"),
    })
}
