//! How a thread that is none of the pool's has its work shared by those that are.

use crate::exec::Exec;
use std::any::Any;
use std::cell::Cell;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// Work that several threads do, told by their numbers.
type Work<'w> = dyn Fn(usize) + Sync + 'w;

/// How long the calling thread waits for the others awake: to sleep, and to be woken, takes as
/// long.
const PATIENCE: Duration = Duration::from_micros(100);

/// The calls, and who waits for them.
static CALLS: Mutex<Calls> = Mutex::new(Calls { open: VecDeque::new(), lingering: 0, called: 0 });

/// How many calls are open for those who linger, and how many of these have none: to look without
/// the lock, under which they are counted.
static OPEN: AtomicUsize = AtomicUsize::new(0);
static FREE: AtomicUsize = AtomicUsize::new(0);

struct Calls {
    /// Those that nobody has answered yet, never more than there are helpers who linger.
    open: VecDeque<Call>,
    /// How many helpers linger.
    lingering: usize,
    /// How many were called by way of the pool, and have not come yet: if its threads are busy
    /// otherwise, their calls would pile up.
    called: usize,
}

/// The most that are called by way of the pool: as many as all of the threads of a large machine
/// may call for.
const MOST_CALLED: usize = 1 << 10;

impl Calls {
    /// Does something to them, and tells those who look without the lock.
    fn with<R>(change: impl FnOnce(&mut Calls) -> R) -> R {
        let mut calls = locked(&CALLS);
        let result = change(&mut calls);
        OPEN.store(calls.open.len(), Ordering::Relaxed);
        FREE.store(calls.lingering - calls.open.len(), Ordering::Relaxed);
        result
    }
}

/// To come to a door.
struct Call {
    door: Arc<Door>,
    /// Of the helper.
    number: usize,
    /// How long who has come waits for the next call.
    linger: Duration,
}

impl Call {
    /// Lets a helper know: one that lingers, or else one that the pool finds.
    fn make(self) {
        let left = Calls::with(|calls| {
            if calls.open.len() < calls.lingering {
                calls.open.push_back(self);
                return None;
            }
            let some = calls.called < MOST_CALLED;
            calls.called += usize::from(some);
            some.then_some(self)
        });
        if let Some(call) = left {
            rayon::spawn(|| {
                Calls::with(|calls| calls.called -= 1);
                call.answer();
            });
        }
    }

    /// Comes to the door, and then to those of the calls that are made within a while.
    fn answer(self) {
        thread_local! {
            static LINGERS: Cell<bool> = const { Cell::new(false) };
        }
        self.door.enter(self.number);
        // Who lingers already has come to this by what there was to do for the pool.
        if self.linger.is_zero() || LINGERS.replace(true) {
            return;
        }
        Calls::with(|calls| calls.lingering += 1);
        let (mut since, mut linger) = (Instant::now(), self.linger);
        loop {
            let late = since.elapsed() >= linger;
            let next = match late || OPEN.load(Ordering::Relaxed) > 0 {
                true => Calls::with(|calls| {
                    let next = calls.open.pop_front();
                    calls.lingering -= usize::from(next.is_some() || late);
                    next
                }),
                false => None,
            };
            if let Some(call) = next {
                call.door.enter(call.number);
                Calls::with(|calls| calls.lingering += 1);
                (since, linger) = (Instant::now(), call.linger);
            } else if late {
                break;
            } else if rayon::yield_now() != Some(rayon::Yield::Executed) {
                thread::yield_now();
            }
        }
        LINGERS.set(false);
    }
}

/// Whether a thread that helps waits for a call, so that it need not be woken.
pub fn is_near() -> bool {
    FREE.load(Ordering::Relaxed) > 0
}

/// Nothing panics while one of these is locked.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Does `here` on this thread, and lets up to `helpers` threads of the pool do `there` meanwhile,
/// each with its number from 1 on. When `here` has returned, nobody else begins, and those who have
/// begun are waited for: a thread that is late to wake holds up nobody.
///
/// A panic of `there` goes on here, after that of `here`.
pub fn with_help<R>(helpers: usize, there: &Work<'_>, here: impl FnOnce() -> R) -> R {
    if helpers == 0 {
        return here();
    }
    // SAFETY: `Closing` takes the reference back before this function is left, whether `here`
    // returns or panics, and waits until nobody uses a copy: see `Door::enter`.
    let there = unsafe { std::mem::transmute::<&Work<'_>, &'static Work<'static>>(there) };
    let door = Arc::new(Door::new(there));
    let closing = Closing(&door);
    let linger = Exec::current().linger;
    (1..=helpers).for_each(|number| Call { door: Arc::clone(&door), number, linger }.make());
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
        locked(&self.state)
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
    use super::{CALLS, Exec, MOST_CALLED, is_near, join, locked, with_help};
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
    use std::sync::{Barrier, Mutex, MutexGuard};
    use std::thread;
    use std::time::{Duration, Instant};

    /// Held by each test while it runs: some wait for a helper, and some call so many that no more
    /// are called. When it is there, nobody is left that was called.
    fn alone() -> MutexGuard<'static, ()> {
        static ALONE: Mutex<()> = Mutex::new(());
        let alone = locked(&ALONE);
        while called() > 0 {
            thread::yield_now();
        }
        alone
    }

    fn called() -> usize {
        locked(&CALLS).called
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
            assert!(called() < MOST_CALLED + 100, "calls do not pile up");
            end.wait();
        });
    }

    /// Does something together with a helper, who lingers for so long; its thread.
    fn met(linger: Duration) -> thread::ThreadId {
        let (who, both) = (Mutex::new(None), Barrier::new(2));
        let there = |_| {
            *locked(&who) = Some(thread::current().id());
            both.wait();
        };
        Exec::new().linger(linger).install(|| with_help(1, &there, || both.wait()));
        who.into_inner().unwrap().unwrap()
    }

    #[test]
    fn who_lingers_answers_the_next_call() {
        let _alone = alone();
        // Helpers of other tests may answer, too: in the end one does that has come before.
        let again = (0..1000).any(|_| {
            let first = met(Duration::from_secs(1));
            thread::sleep(Duration::from_millis(2));
            let near = is_near();
            let before = called();
            near && met(Duration::ZERO) == first && called() <= before
        });
        assert!(again);
    }

    /// Waits until nobody lingers, calling those who would for long; whether that comes to be.
    fn all_gone() -> bool {
        let since = Instant::now();
        while is_near() && since.elapsed() < Duration::from_secs(60) {
            met(Duration::ZERO);
        }
        !is_near()
    }

    #[test]
    fn who_lingers_goes_away() {
        let _alone = alone();
        for linger in [Duration::ZERO, Duration::from_millis(1), Duration::MAX, Duration::ZERO] {
            met(linger);
            assert!(all_gone(), "{linger:?}");
        }
        met(Duration::from_millis(1));
        let since = Instant::now();
        while is_near() && since.elapsed() < Duration::from_secs(60) {
            thread::yield_now();
        }
        assert!(!is_near());
    }

    #[test]
    fn who_lingers_works_for_the_pool() {
        let _alone = alone();
        met(Duration::from_secs(30));
        let (since, all) = (Instant::now(), Barrier::new(rayon::current_num_threads()));
        // Each waits for all others: this ends when no thread of the pool is missing.
        rayon::scope(|scope| {
            (0..rayon::current_num_threads()).for_each(|_| scope.spawn(|_| _ = all.wait()));
        });
        assert!(since.elapsed() < Duration::from_secs(20));
        assert!(all_gone());
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
