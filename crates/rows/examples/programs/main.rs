//! Prints the names of programs and the hashes of their results, which are the same for any number
//! of ranks: as processes of MPI (`mpirun -n 3 programs`), or with a number as the argument, as
//! threads of this process.

/// Tests compare with one process; see there.
macro_rules! one_process {
    ($hash:expr) => {
        None
    };
}

mod list;

use rows::{Communicator, Error};

fn print(comm: &dyn Communicator) -> Result<(), Error> {
    let hashes = list::all(comm)?;
    if comm.rank() == 0 {
        hashes.iter().for_each(|(name, hash)| println!("{name} {hash:016x}"));
    }
    Ok(())
}

fn main() -> Result<(), Error> {
    match std::env::args().nth(1).map(|ranks| ranks.parse::<usize>()) {
        Some(Ok(ranks)) if ranks > 0 => rows::threads(ranks, |comm| print(comm)).map(drop),
        Some(_) => Err("usage: programs [number of threads as ranks]".into()),
        None => rows::mpi::run(|comm| print(comm)),
    }
}
