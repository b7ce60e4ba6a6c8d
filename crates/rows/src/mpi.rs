//! Ranks as processes, by MPI: the feature `mpi`.
//!
//! It takes an MPI library (Open MPI or MPICH) and libclang to build: on Debian and Ubuntu,
//! `apt-get install libopenmpi-dev openmpi-bin libclang-dev`. Then a program is two commands:
//!
//! ```sh
//! cargo build --release --features mpi
//! mpirun -n 4 target/release/program
//! ```
//!
//! MPI is called by the thread that [`run`] is called on, and by no other: it is initialised as
//! *funneled*. The threads of a rank are those of its pool, which array operations use.
//!
//! # Threads
//!
//! The ranks of a machine share its processors evenly: the pool of each has as many threads as
//! processors that the rank may use, divided by the number of ranks on the machine that would
//! otherwise use the same ones. Where `mpirun` binds ranks to processors of their own, that is as
//! many as these (`mpirun --bind-to none` lets a single rank have the whole machine). It is left as
//! it is if `RAYON_NUM_THREADS` is set, or the program has made the pool before.

use crate::comm::Communicator;
use crate::error::{Error, ErrorKind};
use ::mpi::Threading;
use ::mpi::datatype::PartitionMut;
use ::mpi::topology::SimpleCommunicator;
use ::mpi::traits::{Communicator as _, CommunicatorCollectives, Root};
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A rank that is a process: see [`run`].
pub struct Mpi {
    world: SimpleCommunicator,
}

/// The most bytes of a message of all ranks: MPI counts in 32 bits.
const MOST: usize = 1 << 30;

impl Communicator for Mpi {
    fn rank(&self) -> usize {
        self.world.rank() as usize
    }

    fn size(&self) -> usize {
        self.world.size() as usize
    }

    fn all_gather(&self, bytes: &[u8]) -> Result<Vec<Vec<u8>>, Error> {
        let mut lens = vec![0_u64; self.size()];
        self.world.all_gather_into(&(bytes.len() as u64), &mut lens[..]);
        let mut parts: Vec<Vec<u8>> =
            lens.iter().map(|len| Vec::with_capacity(*len as usize)).collect();
        // A piece of each at a time, so that what all send can be counted.
        let piece = MOST / self.size();
        let longest = lens.iter().max().copied().unwrap_or(0) as usize;
        for start in (0..longest).step_by(piece) {
            let count = |len: usize| len.clamp(start, start + piece) - start;
            let counts: Vec<i32> = lens.iter().map(|len| count(*len as usize) as i32).collect();
            let mut places = Vec::with_capacity(counts.len());
            let mut all = 0;
            for count in &counts {
                places.push(all);
                all += count;
            }
            let mut buffer = vec![0_u8; all as usize];
            let mine = &bytes[start.min(bytes.len())..][..count(bytes.len())];
            let mut partition = PartitionMut::new(&mut buffer[..], &counts[..], &places[..]);
            self.world.all_gather_varcount_into(mine, &mut partition);
            for ((part, count), place) in parts.iter_mut().zip(&counts).zip(&places) {
                part.extend_from_slice(&buffer[*place as usize..][..*count as usize]);
            }
        }
        Ok(parts)
    }

    fn broadcast(&self, root: usize, bytes: &mut Vec<u8>) -> Result<(), Error> {
        let root = self.world.process_at_rank(root as i32);
        let mut len = bytes.len() as u64;
        root.broadcast_into(&mut len);
        bytes.resize(len as usize, 0);
        bytes.chunks_mut(MOST).for_each(|piece| root.broadcast_into(piece));
        Ok(())
    }

    fn barrier(&self) -> Result<(), Error> {
        self.world.barrier();
        Ok(())
    }
}

impl fmt::Debug for Mpi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mpi").field("rank", &self.rank()).field("size", &self.size()).finish()
    }
}

/// Runs a program by all processes that `mpirun` has started; one, if it was started without.
///
/// An error that all ranks have got is returned on all. A rank that fails by itself, outside of
/// what ranks do together, or panics, says so and ends all of them, since the others would wait for
/// it; so does MPI if a process is killed.
///
/// # Errors
/// Those of the program; if MPI has been initialised before.
///
/// ```no_run
/// use elementwise::{Array2, Sum, s};
/// use rows::Rows;
/// fn main() -> Result<(), rows::Error> {
///     rows::mpi::run(|comm| {
///         let x = Array2::<f32>::ones([100_000, 8]);
///         let rows = Rows::new(comm, x.shape());
///         let sums = rows.reduce(|range| Ok(x.slice(s![range, ..])?), Sum, 0)?;
///         println!("{sums}");
///         Ok(())
///     })
/// }
/// ```
pub fn run<T>(body: impl FnOnce(&Mpi) -> Result<T, Error>) -> Result<T, Error> {
    let started = ::mpi::initialize_with_threading(Threading::Funneled);
    let (universe, threading) = started
        .ok_or_else(|| ErrorKind::Disagree("MPI has been initialised before".to_string()))?;
    let comm = Mpi { world: universe.world() };
    if threading < Threading::Funneled {
        return Err("this MPI library does not allow a program to have threads".into());
    }
    share_processors(&comm.world);
    // The text of a panic has been printed.
    let result = catch_unwind(AssertUnwindSafe(|| body(&comm)));
    match result {
        Ok(Err(error)) if !error.is_everywhere() => {
            eprintln!("Error: {}", error.of_rank(comm.rank()));
            comm.world.abort(1)
        }
        Ok(result) => result,
        Err(_) => comm.world.abort(101),
    }
}

/// Gives the ranks of a machine even shares of its processors.
fn share_processors(world: &SimpleCommunicator) {
    let here = world.split_shared(world.rank()).size() as usize;
    let allowed = std::thread::available_parallelism().map_or(1, usize::from);
    if here == 1 || std::env::var_os("RAYON_NUM_THREADS").is_some() {
        return;
    }
    // Bound by the launcher: the processors of this rank are a share already.
    let bound = processors().is_some_and(|online| allowed < online);
    let share = if bound { allowed } else { (allowed / here).max(1) };
    // It fails if the program has made the pool: then it knows what it wants.
    let _ = rayon::ThreadPoolBuilder::new().num_threads(share).build_global();
}

/// The processors of the machine, whatever this process may use, where the system says it.
fn processors() -> Option<usize> {
    let online = std::fs::read_to_string("/sys/devices/system/cpu/online").ok()?;
    let range = |range: &str| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        Some(last.parse::<usize>().ok()? + 1 - first.parse::<usize>().ok()?)
    };
    online.trim().split(',').map(range).sum()
}
