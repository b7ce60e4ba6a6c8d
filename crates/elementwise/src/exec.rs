//! Options of execution, and how an output is split among threads. Knows threads and a plan, no
//! arithmetic.

#![forbid(unsafe_code)]

use crate::help::{self, with_help};
use crate::kernel::Isa;
use crate::ops::UNKNOWN_COST;
use crate::plan::Plan;
use crate::trace;
use bcast::Error;
use ndcore::{Element, Extents, Filled, Part, boxed};
use std::cell::Cell;
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Options of execution. Results do not depend on them.
///
/// They are said once, around the work: everything computed within [`install`](Self::install) obeys
/// them. What is not said is that of [`new`](Self::new), for which the environment is asked once:
///
/// | Variable | Sets | For example |
/// | --- | --- | --- |
/// | `ZEROSTRIDE_CACHE` | [`cache`](Self::cache): bytes | `12M`, `0` |
/// | `ZEROSTRIDE_GRAIN` | [`grain`](Self::grain): additions of `f32` | `128K`, `100000` |
/// | `ZEROSTRIDE_LINGER` | [`linger`](Self::linger): microseconds | `200`, `0` |
/// | `ZEROSTRIDE_PARALLEL` | [`parallel`](Self::parallel) | `0` or `1` |
///
/// `K`, `M` and `G` are 2^10, 2^20 and 2^30. What is not such a number says nothing;
/// [`Expr::explain`](crate::Expr::explain) prints what holds.
///
/// ```
/// use elementwise::{Exec, Expr};
/// let x = elementwise::Array1::linspace(0.0, 1.0, 1000);
/// let serial = Exec::new().parallel(false).install(|| (&x * 2.0).eval())?;
/// assert_eq!(serial, (&x * 2.0).eval()?);
/// # Ok::<(), elementwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Exec {
    /// Whether to use rayon: the pool the caller is in, or else the global one.
    pub parallel: bool,
    /// The least work worth another thread that is awake, in additions of `f32`. One that sleeps is
    /// woken for four times as much: that alone takes as long as tens of thousands of them.
    pub grain: usize,
    /// The instruction set of the inner loops.
    pub isa: Isa,
    /// The bytes that stay in a cache from one pass to the next: the result of a pass that moves
    /// more is stored past it.
    pub cache: usize,
    /// How long another thread stays awake for the next pass when it has done its part of this one,
    /// if the caller is no thread of a rayon pool.
    pub linger: Duration,
}

thread_local! {
    /// Whether options are installed on this thread, apart from them: most often there are none,
    /// and to find that out is all that a small array pays for.
    static SOME: Cell<bool> = const { Cell::new(false) };
    /// The options installed on this thread, if any.
    static INSTALLED: Cell<Option<Exec>> = const { Cell::new(None) };
}

/// Puts back what was installed before, also if the work panics.
struct Installed(Option<Exec>);

impl Drop for Installed {
    fn drop(&mut self) {
        INSTALLED.set(self.0);
        SOME.set(self.0.is_some());
    }
}

/// Looked up once: for a few elements, asking the machine what it is would take longer than the
/// work.
#[inline]
fn default() -> &'static Exec {
    static DEFAULT: LazyLock<Exec> = LazyLock::new(|| Exec {
        parallel: told("ZEROSTRIDE_PARALLEL").is_none_or(|parallel| parallel != 0),
        grain: told("ZEROSTRIDE_GRAIN").unwrap_or(1 << 17),
        isa: Isa::best(),
        cache: told("ZEROSTRIDE_CACHE").unwrap_or_else(kept_in_cache),
        linger: Duration::from_micros(told("ZEROSTRIDE_LINGER").unwrap_or(200) as u64),
    });
    &DEFAULT
}

impl Default for Exec {
    fn default() -> Self {
        Exec::new()
    }
}

impl Exec {
    /// What holds where nothing else is installed: parallel where it pays, by the best instruction
    /// set of this machine.
    #[inline]
    pub fn new() -> Exec {
        *default()
    }

    /// The options that hold here: those installed, or else [`new`](Self::new).
    #[inline]
    pub fn current() -> Exec {
        if SOME.get() { INSTALLED.get().unwrap_or_default() } else { *default() }
    }

    /// The instruction set that holds here.
    #[inline]
    pub(crate) fn current_isa() -> Isa {
        if SOME.get() { Exec::current().isa } else { default().isa }
    }

    /// With or without threads.
    pub fn parallel(self, parallel: bool) -> Exec {
        Exec { parallel, ..self }
    }

    /// With another thread for at least so much work, in additions of `f32`.
    pub fn grain(self, grain: usize) -> Exec {
        Exec { grain, ..self }
    }

    /// By this instruction set.
    pub fn isa(self, isa: Isa) -> Exec {
        Exec { isa, ..self }
    }

    /// Storing past the cache what is part of a pass over more bytes than these.
    pub fn cache(self, cache: usize) -> Exec {
        Exec { cache, ..self }
    }

    /// With threads that stay awake for so long when they have done their part.
    pub fn linger(self, linger: Duration) -> Exec {
        Exec { linger, ..self }
    }

    /// Does some work by these options. They hold for all that the work computes on this thread;
    /// within it, others can be installed.
    pub fn install<R>(&self, work: impl FnOnce() -> R) -> R {
        let before = Installed(INSTALLED.replace(Some(*self)));
        SOME.set(true);
        let result = work();
        drop(before);
        result
    }

    /// The number of tasks that a result of `len` elements is split into, about. `work` is that of
    /// one element, in quarters of an addition of `f32`: see [`work_of`].
    #[inline]
    pub(crate) fn tasks(&self, len: usize, work: usize) -> usize {
        match additions(len, work) {
            len if self.shares(len) && (len >= self.wakes() || help::is_near()) => self.parts(len),
            _ => 1,
        }
    }

    /// As [`tasks`](Self::tasks), of a pass over elements of this size.
    pub(crate) fn tasks_of(&self, len: usize, work: usize, size: usize, known: bool) -> Tasks {
        let count = self.tasks(len, work);
        Tasks { count, tried: count > 1 && !known && self.tasks(len, work_of(size, 0)) <= 1 }
    }

    /// As [`tasks`](Self::tasks) while the other threads sleep: what holds at any time.
    pub(crate) fn tasks_at_rest(&self, len: usize, work: usize) -> usize {
        match additions(len, work) {
            len if self.shares(len) && len >= self.wakes() => self.parts(len),
            _ => 1,
        }
    }

    /// Whether so much work may be shared.
    #[inline]
    fn shares(&self, work: usize) -> bool {
        self.parallel && work >= self.grain.max(2)
    }

    /// The least work for which threads are woken.
    #[inline]
    pub(crate) fn wakes(&self) -> usize {
        self.grain.saturating_mul(4)
    }

    /// The tasks of so much work, if it is shared.
    fn parts(&self, work: usize) -> usize {
        match rayon::current_num_threads() {
            // The only thread of a pool would be waited for.
            1 => 1,
            // More tasks than threads, so that a thread that is late does not hold up the others.
            threads => (work / self.grain.max(1)).clamp(2, 16 * threads),
        }
    }
}

/// The work of so many elements, each of so much (see [`work_of`]), in additions of `f32`.
#[inline]
pub(crate) const fn additions(len: usize, work: usize) -> usize {
    len.saturating_mul(work) / 4
}

/// What the environment says.
fn told(variable: &str) -> Option<usize> {
    number(&std::env::var(variable).ok()?)
}

/// A number that may end in `K`, `M` or `G`.
fn number(text: &str) -> Option<usize> {
    let text = text.trim();
    let shift = match text.chars().last()?.to_ascii_uppercase() {
        'K' => 10,
        'M' => 20,
        'G' => 30,
        _ => return text.parse().ok(),
    };
    text[..text.len() - 1].trim_end().parse::<usize>().ok()?.checked_mul(1 << shift)
}

/// The bytes that stay in the caches of all threads from one pass to the next: each thread's own,
/// and a share of the last level.
fn kept_in_cache() -> usize {
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let told = |level: usize, what: &str| {
        let path = format!("/sys/devices/system/cpu/cpu0/cache/index{level}/{what}");
        Some(std::fs::read_to_string(path).ok()?.trim().to_owned())
    };
    let level = |wanted: &str| {
        let at = (0..8).rfind(|&at| told(at, "level").as_deref() == Some(wanted))?;
        let size = number(&told(at, "size")?)?;
        Some((size, told(at, "shared_cpu_list").map_or(threads, |list| listed(&list))))
    };
    kept_of(threads, level("2").map_or(1 << 20, |(size, _)| size), level("3"))
}

/// How many numbers there are in a list such as `0-3,8`.
fn listed(list: &str) -> usize {
    let count = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(1 + last.parse::<usize>().ok()?.checked_sub(first.parse().ok()?)?)
    };
    list.split(',').filter_map(count).sum::<usize>().max(1)
}

/// The bytes that so many threads keep, of a second level of this size for each, and of a last one
/// of this size for so many of them.
///
/// A last level of up to 32 MiB is that of a group of cores, near to them: three quarters of it can
/// be counted on, if there are some threads. A larger one is spread over a whole processor: far
/// away, and shared with others who are not seen from here, above all on virtual machines, which
/// tell the size of all of it.
fn kept_of(threads: usize, second: usize, last: Option<(usize, usize)>) -> usize {
    // The most that a thread can count on of a last level of either kind.
    const NEAR: usize = 12 << 20;
    const FAR: usize = 4 << 20;
    let of_last = match last {
        Some((size, sharing)) if size <= 32 << 20 => {
            (threads * NEAR).min(threads.div_ceil(sharing) * (size / 4 * 3))
        }
        _ => threads * FAR,
    };
    threads * second + of_last
}

/// The work of an element of this size that costs as much as `cost` simple operations, in quarters
/// of an addition of `f32`: those that fit in the time it takes to move the element come free.
///
/// Of elements twice as large half as many are in a register, so that an operation on one takes
/// twice as long; but what a closure takes is not known, and is not made more of.
#[inline]
pub(crate) const fn work_of(element_size: usize, cost: usize) -> usize {
    let wide = cost.saturating_mul(if element_size > 4 { element_size / 4 } else { 1 });
    let cost = match () {
        () if cost >= UNKNOWN_COST => cost,
        () if wide > UNKNOWN_COST => UNKNOWN_COST,
        () => wide,
    };
    if element_size > cost { element_size } else { cost }
}

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

/// Of how many parts a pass is, about; and whether they are worth threads only if each element
/// takes longer than to be moved, as it may by a closure: nobody knows that before it was called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tasks {
    pub count: usize,
    pub tried: bool,
}

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
    let (all, mut start) = (len(&out), Extents::filled(0, out.extents().len()));
    let cuts = Cuts { at: &plan.cuts, best: &plan.boxes };
    if tasks.count <= 1 {
        return job(out, &start);
    }
    let enough = all.div_ceil(tasks.count);
    let first = if tasks.tried { first_of(out.extents(), cuts, TRIED) } else { None };
    let Some((axis, mid)) = first else { return split(cuts, out, start, enough, job) };
    let (first, rest) = out.split_at(axis, mid);
    let (begun, tried) = (Instant::now(), len(&first));
    let done = job(first, &start)?;
    start[axis] = mid;
    let all_of_rest = begun.elapsed().as_secs_f64() * len(&rest) as f64 / tried as f64;
    let rest = match all_of_rest < SHORT.as_secs_f64() {
        true => job(rest, &start)?,
        false => split(cuts, rest, start, enough, job)?,
    };
    Ok(P::join(done, rest))
}

/// Where the first of so many parts ends, along the loop that would be cut in two. None, if it
/// cannot be cut in as many: what is tried is computed by one thread, while the others wait.
fn first_of(extents: &[usize], cuts: Cuts<'_>, parts: usize) -> Option<(usize, usize)> {
    let (axis, _) = cut(extents, cuts, 0)?;
    let mid = (extents[axis] / parts).next_multiple_of(cuts.at[axis]);
    (mid > 0 && mid <= extents[axis] / (parts / 2)).then_some((axis, mid))
}

/// The number of elements.
fn len<P: Parted>(out: &P) -> usize {
    out.extents().iter().product()
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

impl<'t, P: Parted + 't> Piece<'t> for [Computed<'t, P>; 1] {
    fn extents(&self) -> &[usize] {
        self[0].0.as_ref().expect(IN_PLACE).extents()
    }

    fn split_off(&mut self, axis: usize, mid: usize) -> Option<AnyPiece<'t>> {
        let [(part, compute)] = self;
        let (low, high) = part.take().expect(IN_PLACE).split_at(axis, mid);
        *part = Some(low);
        Some(boxed((Some(high), *compute))?)
    }

    fn compute(self: Box<Self>, start: &[usize]) -> Result<(), Error> {
        let [(part, compute)] = *self;
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

#[cfg(test)]
mod tests {
    use super::{Exec, kept_of, listed, number, work_of};

    #[test]
    fn numbers_of_the_environment() {
        let cases = [
            ("0", Some(0)),
            (" 4096 ", Some(4096)),
            ("256K", Some(256 << 10)),
            ("12m", Some(12 << 20)),
            ("1 G", Some(1 << 30)),
            ("", None),
            ("K", None),
            ("-1", None),
            ("1.5M", None),
            ("12MiB", None),
            ("18446744073709551615K", None),
        ];
        let wrong: Vec<_> =
            cases.into_iter().filter(|&(text, want)| number(text) != want).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
    }

    #[test]
    fn lists_of_processors() {
        let cases = [("0", 1), ("0-1", 2), ("0-7,64-71", 16), ("3,5,9", 3), ("", 1), ("5-2", 1)];
        let wrong: Vec<_> =
            cases.into_iter().filter(|&(text, want)| listed(text) != want).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
    }

    #[test]
    fn shares_of_caches() {
        const MIB: usize = 1 << 20;
        let cases = [
            // Two threads of a group with a last level of its own; all eight; eight such groups.
            ((2, MIB, Some((32 * MIB, 2))), 26 * MIB),
            ((16, MIB / 2, Some((32 * MIB, 16))), 32 * MIB),
            ((128, MIB, Some((32 * MIB, 16))), 320 * MIB),
            ((1, MIB, Some((8 * MIB, 1))), 7 * MIB),
            // One of a whole processor, or of nobody knows what.
            ((2, 2 * MIB, Some((480 * MIB, 2))), 12 * MIB),
            ((2, MIB, None), 10 * MIB),
        ];
        let of = |(threads, second, last)| kept_of(threads, second, last);
        let wrong: Vec<_> =
            cases.into_iter().filter(|&(of_what, want)| of(of_what) != want).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
    }

    #[test]
    fn work_of_elements() {
        // By size, and by what an operation costs.
        let cases = [
            ((4, 1), 4),
            ((4, 8), 8),
            ((8, 1), 8),
            ((8, 8), 16),
            ((1, 8), 8),
            ((8, 7), 14),
            ((16, 8), 16),
            ((8, 16), 16),
            ((4, 40), 40),
            ((20_000, 16), 20_000),
        ];
        let of = |(size, cost)| work_of(size, cost);
        let wrong: Vec<_> = cases.into_iter().filter(|&(what, want)| of(what) != want).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
    }

    #[test]
    fn numbers_of_tasks() {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        let exec = Exec::new().parallel(true).grain(100);
        // Of so many elements of 4 bytes: while others sleep, and at any time.
        let cases = [
            (exec, 99, 1, &[1][..]),
            (exec, 100, 1, &[1, 2]),
            (exec, 399, 1, &[1, 3]),
            (exec, 400, 4, &[4]),
            (exec, 1000, 10, &[10]),
            (exec, usize::MAX / 4, 48, &[48]),
            (exec.grain(0), 1, 1, &[1]),
            (exec.grain(0), 2, 2, &[2]),
            (exec.grain(1), 3, 1, &[1, 3]),
            (exec.grain(usize::MAX), usize::MAX / 4, 1, &[1]),
            (exec.parallel(false), 1000, 1, &[1]),
        ];
        let mut wrong = Vec::new();
        for (exec, len, at_rest, any) in cases {
            let tasks = pool.install(|| (exec.tasks_at_rest(len, 4), exec.tasks(len, 4)));
            if tasks.0 != at_rest || !any.contains(&tasks.1) {
                wrong.push((exec, len, tasks));
            }
        }
        assert!(wrong.is_empty(), "{wrong:?}");
    }
}
