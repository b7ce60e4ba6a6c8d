//! Serial or parallel: splits the output among threads. Knows threads and a plan, no arithmetic.

#![forbid(unsafe_code)]

use crate::kernel::Isa;
use crate::plan::Plan;
use ndcore::{Axes, Dyn, Element, ViewMut};
use std::sync::OnceLock;

/// A way of execution. The default is what [`Expr::eval`](crate::Expr::eval) uses; results do not depend on it.
///
/// ```
/// use elementwise::{Exec, Expr};
/// let x = elementwise::Array1::linspace(0.0, 1.0, 1000);
/// let serial = Exec { parallel: false, ..Exec::default() };
/// assert_eq!((&x * 2.0).eval_with(&serial)?, (&x * 2.0).eval()?);
/// # Ok::<(), elementwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exec {
    /// Whether to use rayon: the pool the caller is in, or else the global one.
    pub parallel: bool,
    /// The least work worth a task of its own, in additions of `f32`. Waking another thread takes as long as tens of thousands of them;
    /// even to plan a pass takes as long as a small part of it.
    pub grain: usize,
    /// The instruction set of the inner loops.
    pub isa: Isa,
    /// The size of the last-level cache, in bytes: the result of a pass that moves more is stored past it.
    pub cache: usize,
}

impl Default for Exec {
    #[inline]
    fn default() -> Self {
        // Looked up once: for a few elements, asking the machine what it is would take longer than the work.
        static DEFAULT: OnceLock<Exec> = OnceLock::new();
        *DEFAULT.get_or_init(|| Exec { parallel: true, grain: 1 << 18, isa: Isa::best(), cache: last_level_cache() })
    }
}

/// The size of the last-level cache in bytes, as the system tells it, or 32 MiB.
fn last_level_cache() -> usize {
    let told = |level: usize| {
        let path = format!("/sys/devices/system/cpu/cpu0/cache/index{level}/size");
        let text = std::fs::read_to_string(path).ok()?;
        text.trim().strip_suffix('K')?.parse::<usize>().ok().map(|kib| kib << 10)
    };
    (0..8).rev().find_map(told).unwrap_or(32 << 20)
}

impl Exec {
    /// Whether it takes longer to plan such a result, by [`tasks`](Self::tasks), than to compute it anyhow.
    #[inline]
    pub(crate) fn is_tiny(&self, len: usize, work: usize) -> bool {
        len.saturating_mul(work) / 4 <= self.grain / TINY
    }

    /// The number of tasks that a result of `len` elements is split into, about. `work` is that of one element, in quarters of an addition
    /// of `f32`: see [`work_of`].
    #[inline]
    pub(crate) fn tasks(&self, len: usize, work: usize) -> usize {
        let len = len.saturating_mul(work) / 4;
        if !self.parallel || len < 2 * self.grain.max(1) {
            return 1;
        }
        // More tasks than threads, so that a thread that is late does not hold up the others.
        (len / (self.grain / 4).max(1)).min(16 * rayon::current_num_threads())
    }
}

/// A result is tiny if its work is this part of a grain.
const TINY: usize = 64;

/// The work of an element of this size that costs as much as `cost` simple operations, in quarters of an addition of `f32`: those that
/// fit in the time it takes to move the element come free.
#[inline]
pub(crate) const fn work_of(element_size: usize, cost: usize) -> usize {
    if element_size > cost { element_size } else { cost }
}

/// Computes a part of the output that begins at the given index of the loops; returns the number of elements stored.
type Task<'t, T> = dyn Fn(ViewMut<'_, T, Dyn>, &[usize]) -> usize + Sync + 't;

/// Runs `task` over all parts of `out`, about as many as `tasks`; `out` is in the order of the plan's loops. Returns the sum of what it returns.
pub(crate) fn run<T: Element>(plan: &Plan, tasks: usize, out: ViewMut<'_, T, Dyn>, task: &Task<'_, T>) -> usize {
    let start = Axes::filled(0, out.ndim());
    if tasks <= 1 {
        return task(out, &start);
    }
    let enough = out.len().div_ceil(tasks);
    split(plan, out, start, enough, task)
}

/// Halves a part along its outermost loop that may be cut, until it has at most `enough` elements.
fn split<T: Element>(
    plan: &Plan,
    out: ViewMut<'_, T, Dyn>,
    start: Axes<usize>,
    enough: usize,
    task: &Task<'_, T>,
) -> usize {
    let cut = (0..out.ndim()).find_map(|axis| {
        let extent = out.shape()[axis];
        let mid = (extent / 2).next_multiple_of(plan.cuts[axis]);
        (0 < mid && mid < extent).then_some((axis, mid))
    });
    let Some((axis, mid)) = cut.filter(|_| out.len() > enough) else {
        return task(out, &start);
    };
    let (low, high) = out.split_at(axis, mid).expect("the cut lies inside the loop");
    let mut high_start = start;
    high_start[axis] += mid;
    let (low, high) =
        rayon::join(|| split(plan, low, start, enough, task), || split(plan, high, high_start, enough, task));
    low + high
}
