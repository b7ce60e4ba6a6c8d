//! [`Communicator`]: how ranks speak to each other; [`Solo`] and [`Threads`].

use crate::error::{Error, ErrorKind, panic_text};
use elementwise::Exec;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Ranks that run the same program on different rows, and what they do together: each of these
/// functions is called by all ranks, in the same order.
///
/// It is all that this crate asks of an engine of messages. [`Solo`] is one rank,
/// [`threads`] are threads of one process, and the feature `mpi` has processes.
///
/// ```
/// use rows::{Communicator, threads};
/// let sizes = threads(3, |comm| {
///     let ranks = comm.all_gather(&[comm.rank() as u8])?;
///     assert_eq!(ranks, [[0], [1], [2]]);
///     let mut text = if comm.rank() == 1 { b"one".to_vec() } else { Vec::new() };
///     comm.broadcast(1, &mut text)?;
///     comm.barrier()?;
///     Ok(text.len())
/// })?;
/// assert_eq!(sizes, [3, 3, 3]);
/// # Ok::<(), rows::Error>(())
/// ```
pub trait Communicator {
    /// The number of this rank, from 0.
    fn rank(&self) -> usize;

    /// The number of ranks.
    fn size(&self) -> usize;

    /// The bytes of all ranks, by rank; they need not be of one length.
    ///
    /// # Errors
    /// If a rank takes no part any more.
    fn all_gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, Error>;

    /// Makes the bytes of the rank `root` those of all.
    ///
    /// # Errors
    /// As for [`all_gather`](Self::all_gather).
    ///
    /// # Panics
    /// If there is no such rank.
    fn broadcast(&self, root: usize, bytes: &mut Vec<u8>) -> Result<(), Error> {
        assert!(root < self.size(), "rank {root} of {}", self.size());
        let mine = if self.rank() == root { &bytes[..] } else { &[] };
        *bytes = self.all_gather(mine)?.swap_remove(root);
        Ok(())
    }

    /// Waits until all ranks have come here.
    ///
    /// # Errors
    /// As for [`all_gather`](Self::all_gather).
    fn barrier(&self) -> Result<(), Error> {
        self.all_gather(&[]).map(drop)
    }
}

/// One rank, which has all rows.
#[derive(Clone, Copy, Debug, Default)]
pub struct Solo;

impl Communicator for Solo {
    fn rank(&self) -> usize {
        0
    }

    fn size(&self) -> usize {
        1
    }

    fn all_gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
        Ok(vec![bytes.to_vec()])
    }
}

/// A rank that is a thread: see [`threads`].
pub struct Threads {
    rank: usize,
    meeting: Arc<Meeting>,
}

/// Where the threads meet.
struct Meeting {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    /// What those who have come this time have brought.
    brought: Vec<Option<Vec<u8>>>,
    /// How often all have met.
    times: usize,
    /// What was brought the last time.
    last: Arc<Vec<Vec<u8>>>,
    /// Who has ended.
    gone: Option<usize>,
}

impl Meeting {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing in there panics half-way.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends a rank, also if it panics: who waits for it waits no longer.
struct End<'a>(&'a Threads);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.meeting.lock().gone.get_or_insert(self.0.rank);
        self.0.meeting.changed.notify_all();
    }
}

impl Communicator for Threads {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.meeting.lock().brought.len()
    }

    fn all_gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
        let mut state = self.meeting.lock();
        let time = state.times;
        state.brought[self.rank] = Some(bytes.to_vec());
        if state.brought.iter().all(Option::is_some) {
            let brought = state.brought.iter_mut().filter_map(Option::take).collect();
            state.last = Arc::new(brought);
            state.times += 1;
            self.meeting.changed.notify_all();
        }
        while state.times == time {
            if let Some(rank) = state.gone {
                return Err(ErrorKind::Gone { rank }.into());
            }
            state = self.meeting.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        // Nobody comes again before all of these are here, so it is still that of this time.
        let last = state.last.clone();
        drop(state);
        Ok(last.to_vec())
    }
}

impl fmt::Debug for Threads {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Threads").field("rank", &self.rank).finish_non_exhaustive()
    }
}

/// Runs a program by several ranks that are threads of this process, and gives what each returns.
/// They share the pool of threads that array operations use, and the caller's options
/// ([`Exec`]).
///
/// If a rank fails or panics, the others do not wait for it: what they do together fails, too.
///
/// # Errors
/// The error of the first rank that has failed by itself; a panic is one
/// ([`Panicked`](ErrorKind::Panicked)).
///
/// # Panics
/// If `size` is 0.
///
/// ```
/// use rows::{Rows, threads};
/// use elementwise::{Array2, Sum, s};
/// let x = Array2::<f32>::from_fn([10_000, 2], |[i, j]| 0.1 * (i + j) as f32);
/// let program = |ranks: usize| {
///     threads(ranks, |comm| {
///         let rows = Rows::new(comm, x.shape());
///         rows.reduce(|range| Ok(x.slice(s![range, ..])? * 2.0), Sum, 0)
///     })
/// };
/// assert_eq!(program(1)?[0], program(3)?[2]);
/// # Ok::<(), rows::Error>(())
/// ```
pub fn threads<T: Send>(
    size: usize,
    body: impl Fn(&Threads) -> Result<T, Error> + Sync,
) -> Result<Vec<T>, Error> {
    assert!(size > 0, "there is at least one rank");
    let brought = std::iter::repeat_with(|| None).take(size).collect();
    let state = State { brought, times: 0, last: Arc::default(), gone: None };
    let meeting = Arc::new(Meeting { state: Mutex::new(state), changed: Condvar::new() });
    let (options, body) = (Exec::current(), &body);
    let run = |rank: usize| {
        let comm = Threads { rank, meeting: meeting.clone() };
        move || {
            let _end = End(&comm);
            let work = || options.install(|| body(&comm));
            catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
                Err(Error::from(ErrorKind::Panicked(panic_text(&*panic))).of_rank(rank))
            })
        }
    };
    let results: Vec<Result<T, Error>> = std::thread::scope(|scope| {
        let ranks: Vec<_> = (0..size).map(|rank| scope.spawn(run(rank))).collect();
        ranks.into_iter().map(|rank| rank.join().expect("a panic was caught")).collect()
    });
    let (mut values, mut error) = (Vec::with_capacity(size), None);
    for result in results {
        match result {
            Ok(value) => values.push(value),
            Err(new) => {
                let follows = |error: &Error| {
                    matches!(error.kind(), ErrorKind::Gone { .. } | ErrorKind::Elsewhere(_))
                };
                if error.as_ref().is_none_or(|old| follows(old) && !follows(&new)) {
                    error = Some(new);
                }
            }
        }
    }
    error.map_or(Ok(values), Err)
}
