//! Options of execution ([`Exec`]), what the machine and the environment say of them
//! (`environment`), and how an output is split among threads (`split`). Knows threads and a
//! plan, no arithmetic.

#![forbid(unsafe_code)]

mod environment;
mod split;

pub(crate) use split::{Cuts, Parted, run, split};

use crate::help;
use crate::kernel::Isa;
use crate::ops::UNKNOWN_COST;
use environment::{kept_in_cache, told};
use std::cell::Cell;
use std::sync::LazyLock;
use std::time::Duration;

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
    /// The instruction set of the options that hold on this thread, once it has been asked for.
    static ISA: Cell<Option<Isa>> = const { Cell::new(None) };
}

/// Puts back what was installed before, also if the work panics.
struct Installed(Option<Exec>);

impl Drop for Installed {
    fn drop(&mut self) {
        INSTALLED.set(self.0);
        SOME.set(self.0.is_some());
        ISA.set(self.0.map(|exec| exec.isa));
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
        #[cold]
        fn find() -> Isa {
            let isa = Exec::current().isa;
            ISA.set(Some(isa));
            isa
        }
        ISA.get().unwrap_or_else(find)
    }

    /// The same, if it has been asked for before: to look takes no longer than a few additions.
    #[inline]
    pub(crate) fn known_isa() -> Option<Isa> {
        ISA.get()
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
        ISA.set(Some(self.isa));
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

/// Of how many parts a pass is, about; and whether they are worth threads only if each element
/// takes longer than to be moved, as it may by a closure: nobody knows that before it was called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tasks {
    pub count: usize,
    pub tried: bool,
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

#[cfg(test)]
mod tests {
    use super::{Exec, work_of};

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
