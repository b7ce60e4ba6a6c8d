//! How a thread that is none of the pool's has its work shared by those that are.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Work that several threads do, told by their numbers.
type Work<'w> = dyn Fn(usize) + Sync + 'w;

/// How long the calling thread waits for the others awake: to sleep, and to be woken, takes as long.
const PATIENCE: Duration = Duration::from_micros(100);

/// How many helpers have been called and have not come yet: if the threads of the pool are busy
/// otherwise, their calls would pile up.
static CALLED: AtomicUsize = AtomicUsize::new(0);

/// The most of them: as many as all of the threads of a large machine may call for.
const MOST_CALLED: usize = 1 << 10;

/// Does `here` on this thread, and lets up to `helpers` threads of the pool do `there` meanwhile,
/// each with its number from 1 on. When `here` has returned, nobody else begins, and those who have
/// begun are waited for: a thread that is late to wake holds up nobody.
///
/// A panic of `there` goes on here, after that of `here`.
pub fn with_help<R>(helpers: usize, there: &Work<'_>, here: impl FnOnce() -> R) -> R {
    // SAFETY: `Closing` takes the reference back before this function is left, whether `here`
    // returns or panics, and waits until nobody uses a copy: see `Door::enter`.
    let there = unsafe { std::mem::transmute::<&Work<'_>, &'static Work<'static>>(there) };
    let door = Arc::new(Door::new(there));
    let closing = Closing(&door);
    for number in 1..=helpers {
        if CALLED.load(Ordering::Relaxed) >= MOST_CALLED {
            break;
        }
        CALLED.fetch_add(1, Ordering::Relaxed);
        let door = Arc::clone(&door);
        rayon::spawn(move || {
            CALLED.fetch_sub(1, Ordering::Relaxed);
            door.enter(number);
        });
    }
    let result = here();
    drop(closing);
    match door.state().panic.take() {
        Some(panic) => resume_unwind(panic),
        None => result,
    }
}

/// Through which helpers come to the work, as long as it is open.
struct Door {
    state: Mutex<State>,
    /// Whether somebody is inside: to look without the lock.
    busy: AtomicBool,
    empty: Condvar,
}

struct State {
    /// While the door is open.
    work: Option<&'static Work<'static>>,
    /// How many are inside.
    inside: usize,
    panic: Option<Box<dyn Any + Send>>,
}

impl Door {
    fn new(work: &'static Work<'static>) -> Self {
        let state = State { work: Some(work), inside: 0, panic: None };
        Door { state: Mutex::new(state), busy: AtomicBool::new(false), empty: Condvar::new() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Nothing panics while it is locked.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Does the work, if the door is open. Under one lock it is seen that it is, and this thread is
    /// counted; it is counted off after it has done its work and no longer has the reference.
    fn enter(&self, number: usize) {
        let mut state = self.state();
        let Some(work) = state.work else { return };
        state.inside += 1;
        self.busy.store(true, Ordering::Relaxed);
        drop(state);
        let done = catch_unwind(AssertUnwindSafe(|| work(number)));
        let mut state = self.state();
        state.inside -= 1;
        if let Err(panic) = done {
            state.panic.get_or_insert(panic);
        }
        if state.inside == 0 {
            self.busy.store(false, Ordering::Relaxed);
            self.empty.notify_all();
        }
    }

    /// Lets nobody else in, and waits until all are out.
    fn close(&self) {
        self.state().work = None;
        let since = Instant::now();
        while self.busy.load(Ordering::Relaxed) && since.elapsed() < PATIENCE {
            thread::yield_now();
        }
        let mut state = self.state();
        while state.inside > 0 {
            state = self.empty.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Closes the door, also on the way of a panic.
struct Closing<'d>(&'d Door);

impl Drop for Closing<'_> {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// Both results, of which another thread may compute the second: as `rayon::join` on threads of the
/// pool; on others, what no thread has begun is done here.
pub fn join<A: Send, B: Send>(
    low: impl FnOnce() -> A + Send,
    high: impl FnOnce() -> B + Send,
) -> (A, B) {
    if rayon::current_thread_index().is_some() {
        return rayon::join(low, high);
    }
    let (open, done) = (Mutex::new(Some(high)), Mutex::new(None));
    let take = |_| {
        let high = open.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(high) = high {
            let result = high();
            *done.lock().unwrap_or_else(PoisonError::into_inner) = Some(result);
        }
    };
    let low = with_help(1, &take, || {
        let low = low();
        take(0);
        low
    });
    let high = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    (low, high.expect("somebody has taken it, and nobody panicked"))
}

#[cfg(test)]
mod tests {
    use super::{CALLED, MOST_CALLED, join, with_help};
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    use std::sync::{Barrier, Mutex, MutexGuard, PoisonError};
    use std::thread;
    use std::time::Duration;

    /// Held by each test while it runs: some wait for a helper, and some call so many that no more
    /// are called. When it is there, nobody is left that was called.
    fn alone() -> MutexGuard<'static, ()> {
        static ALONE: Mutex<()> = Mutex::new(());
        let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
        while CALLED.load(SeqCst) > 0 {
            thread::yield_now();
        }
        alone
    }

    fn pool(threads: usize) -> rayon::ThreadPool {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
    }

    #[test]
    fn nobody_is_inside_afterwards() {
        let _alone = alone();
        for round in 0..2000 {
            let (inside, before) = (AtomicUsize::new(0), AtomicUsize::new(0));
            let there = |_| {
                inside.fetch_add(1, SeqCst);
                if round % 3 == 0 {
                    thread::yield_now();
                }
                inside.fetch_sub(1, SeqCst);
                before.fetch_add(1, SeqCst);
            };
            let result = with_help(4, &there, || {
                if round % 2 == 0 {
                    thread::yield_now();
                }
                round
            });
            let helped = before.load(SeqCst);
            assert_eq!((result, inside.load(SeqCst)), (round, 0));
            thread::yield_now();
            assert!(helped <= 4 && before.load(SeqCst) == helped, "nobody begins after the end");
        }
    }

    #[test]
    fn helpers_come_with_their_numbers() {
        let _alone = alone();
        let (seen, both) = (Mutex::new(vec![]), Barrier::new(2));
        let there = |number| {
            seen.lock().unwrap().push(number);
            both.wait();
        };
        with_help(1, &there, || both.wait());
        assert_eq!(seen.into_inner().unwrap(), [1]);
    }

    #[test]
    fn those_who_are_late_are_not_waited_for() {
        let _alone = alone();
        let threads = rayon::current_num_threads();
        let (busy, end) = (Barrier::new(threads + 1), Barrier::new(threads + 1));
        rayon::in_place_scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|_| {
                    busy.wait();
                    end.wait();
                });
            }
            busy.wait();
            assert_eq!(join(|| 1, || 2), (1, 2));
            assert_eq!(with_help(3, &|_| panic!("nobody is free"), || 3), 3);
            (0..MOST_CALLED).for_each(|_| with_help(3, &|_| (), || ()));
            // Other modules' tests call helpers, too.
            assert!(CALLED.load(SeqCst) < MOST_CALLED + 100, "calls do not pile up");
            end.wait();
        });
    }

    #[test]
    fn panics_go_on_here() {
        let _alone = alone();
        for round in 0..200 {
            let both = Barrier::new(2);
            let there = |_| {
                both.wait();
                panic!("there");
            };
            let panicked = catch_unwind(AssertUnwindSafe(|| {
                with_help(1, &there, || {
                    both.wait();
                    assert!(round % 2 == 0, "here");
                });
            }));
            let text = *panicked.unwrap_err().downcast::<&str>().unwrap();
            assert_eq!(text, if round % 2 == 0 { "there" } else { "here" });
        }
        // A helper that is inside when the work here panics is waited for.
        let (began, ended) = (Barrier::new(2), AtomicUsize::new(0));
        let there = |_| {
            began.wait();
            thread::sleep(Duration::from_millis(20));
            ended.store(1, SeqCst);
        };
        let panicked = catch_unwind(AssertUnwindSafe(|| {
            with_help(1, &there, || {
                began.wait();
                panic!("here");
            })
        }));
        assert!(panicked.is_err() && ended.load(SeqCst) == 1);
    }

    #[test]
    fn halves_within_halves() {
        let _alone = alone();
        fn sum(from: u64, to: u64) -> u64 {
            match to - from {
                0..=3 => (from..to).sum(),
                len => {
                    let mid = from + len / 2;
                    let (low, high) = join(|| sum(from, mid), || sum(mid, to));
                    low + high
                }
            }
        }
        let all = 100 * 99 / 2;
        assert_eq!(sum(0, 100), all);
        assert_eq!(pool(3).install(|| sum(0, 100)), all);
        thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| sum(0, 100))).collect();
            assert!(threads.into_iter().all(|thread| thread.join().unwrap() == all));
        });
    }
}
