//! Recycling: the memory of large arrays is kept for the next array of the same element type.
//!
//! The first touch of fresh memory costs several times what most operations on it do, because the
//! system makes its pages one by one. So the memory of a dropped array is kept for a while, and a
//! later result of about its size takes it over.

use crate::element::Item;
use crate::heap::boxed;
use std::any::{Any, TypeId};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Smaller arrays are left to the system's allocator, which recycles them itself. (Of those of some
/// hundred KiB it gives the memory back when several are dropped, and is given other pages for the
/// next ones: that took five times as long as what was done with them.)
pub(crate) const SMALLEST: usize = 1 << 16;
/// Of a `Vec` that was made elsewhere, smaller memory is given back: it may be asked for again where
/// it was, and would be new then. What is larger, allocators give back to the system each time
/// (glibc's do from 32 MiB on).
pub(crate) const SMALLEST_GIVEN: usize = 1 << 25;
/// What is kept altogether, unless [`set_pool_limit`] says otherwise.
const DEFAULT_LIMIT: usize = 1 << 28;
/// Memory that nobody has asked for in this time is given back when there is more to keep.
const LONGEST: Duration = Duration::from_secs(10);

struct Kept {
    element: TypeId,
    /// A `Vec` of that element type.
    memory: Box<dyn Any + Send>,
    /// How many elements there is room for.
    room: usize,
    bytes: usize,
    since: Instant,
}

struct Pool {
    /// The oldest first.
    kept: Vec<Kept>,
    limit: usize,
}

static POOL: Mutex<Pool> = Mutex::new(Pool { kept: Vec::new(), limit: DEFAULT_LIMIT });

/// How much memory the pool keeps: see [`set_pool_limit`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PoolStats {
    /// The number of blocks kept.
    pub blocks: usize,
    /// Their bytes.
    pub bytes: usize,
    /// The most bytes that are kept.
    pub limit: usize,
}

/// Sets how many bytes of dropped arrays are kept for later ones, and gives back what is above it;
/// 0 switches recycling off.
///
/// The policy: arrays of 64 KiB and more are kept when they are dropped (of 32 MiB, if they were
/// made of a `Vec`), and the memory that they have outgrown, up to 256 MiB altogether
/// unless set otherwise, the oldest giving way to the newest. A new result takes over memory of its
/// element type that is up to a quarter larger than it needs. What has been kept for ten seconds is
/// given back whenever an array enters the pool; [`trim_pool`] gives back everything at once.
///
/// ```
/// use ndcore::{Array1, pool_stats, set_pool_limit, trim_pool};
/// drop(Array1::full(1 << 20, 1.0_f32));
/// assert!(pool_stats().bytes >= 4 << 20);
/// trim_pool();
/// assert_eq!(pool_stats().bytes, 0);
/// set_pool_limit(0);
/// drop(Array1::full(1 << 20, 1.0_f32));
/// assert_eq!(pool_stats().bytes, 0);
/// ```
pub fn set_pool_limit(bytes: usize) {
    let mut pool = lock();
    pool.limit = bytes;
    let released = pool.shrink(bytes, Instant::now());
    drop(pool);
    drop(released);
}

/// Gives back all memory that is kept for later arrays.
pub fn trim_pool() {
    let released = lock().shrink(0, Instant::now());
    drop(released);
}

/// What is kept for later arrays now.
pub fn pool_stats() -> PoolStats {
    let pool = lock();
    PoolStats { blocks: pool.kept.len(), bytes: pool.bytes(), limit: pool.limit }
}

fn lock() -> MutexGuard<'static, Pool> {
    // A panic while the lock is held cannot leave the list half-changed in a way that matters.
    POOL.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pool {
    fn bytes(&self) -> usize {
        self.kept.iter().map(|kept| kept.bytes).sum()
    }

    /// Takes out what is above `limit` or has been kept for too long by `now`, for the caller to
    /// drop after unlocking.
    fn shrink(&mut self, limit: usize, now: Instant) -> Vec<Kept> {
        let mut bytes = self.bytes();
        let expired = |kept: &Kept| now.saturating_duration_since(kept.since) > LONGEST;
        let mut released = 0;
        for kept in &self.kept {
            if bytes <= limit && !expired(kept) {
                break;
            }
            bytes -= kept.bytes;
            released += 1;
        }
        let released = self.kept.drain(..released);
        let mut list = Vec::new();
        if list.try_reserve_exact(released.len()).is_ok() {
            list.extend(released);
        }
        // Without memory for a list, they are dropped here.
        list
    }
}

/// Memory for at least `len` elements, if some is kept: as a dropped array left it, which may have
/// had fewer. There is nothing to drop in it.
pub(crate) fn take<T: Item>(len: usize) -> Option<Vec<T>> {
    let memory = *taken(TypeId::of::<T>(), len)?.downcast::<Vec<T>>().ok()?;
    Some(memory)
}

fn taken(element: TypeId, len: usize) -> Option<Box<dyn Any + Send>> {
    let mut pool = lock();
    let fits = |kept: &Kept| {
        kept.element == element && (len..=len.saturating_add(len / 4)).contains(&kept.room)
    };
    // The newest is the likeliest to lie in a cache still.
    let position = pool.kept.iter().rposition(fits);
    // What has been kept for too long is given back when memory is given: to look at a clock takes
    // as long as a hundred additions.
    position.map(|position| pool.kept.remove(position).memory)
}

/// Keeps the memory of an array that is dropped, if it is worth it, and there is memory for a note
/// of it.
pub(crate) fn give<T: Item>(memory: Vec<T>) {
    debug_assert!(!std::mem::needs_drop::<T>(), "what is kept may never be dropped");
    let room = memory.capacity();
    if let Some(memory) = boxed(memory) {
        keep(TypeId::of::<T>(), memory, room, room.saturating_mul(size_of::<T>()));
    }
}

fn keep(element: TypeId, memory: Box<dyn Any + Send>, room: usize, bytes: usize) {
    let now = Instant::now();
    let mut pool = lock();
    let limit = pool.limit;
    // Room is made first, so that what is kept never exceeds the limit.
    let released = pool.shrink(limit.saturating_sub(bytes), now);
    let kept = Kept { element, memory, room, bytes, since: now };
    let not_kept = if bytes <= limit && pool.kept.try_reserve(1).is_ok() {
        pool.kept.push(kept);
        None
    } else {
        Some(kept)
    };
    drop(pool);
    drop((released, not_kept));
}
