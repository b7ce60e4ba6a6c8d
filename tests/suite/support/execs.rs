//! Every way an expression can be executed on this machine.

use std::fmt;
use std::sync::LazyLock;
use zerostride::{Exec, Isa};

/// A way of execution.
#[derive(Clone, Copy, Debug)]
pub struct Way(pub Exec);

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Exec { parallel: false, isa, .. } => write!(f, "serial, {isa:?}"),
            Exec { grain, isa, .. } => write!(f, "parallel with grain {grain}, {isa:?}"),
        }
    }
}

/// Serial and parallel down to single elements, with each instruction set of this machine.
fn ways() -> impl Iterator<Item = Way> {
    let of = |isa| [Exec { parallel: false, grain: 1, isa }, Exec { parallel: true, grain: 1, isa }];
    Isa::available().into_iter().flat_map(of).map(Way)
}

/// Which ways a case is run in.
#[derive(Clone, Copy, Debug)]
pub enum Ways {
    /// All.
    All,
    /// One: they take turns, by this number.
    Turn(usize),
}

impl Ways {
    /// The ways.
    pub fn list(self) -> Vec<Way> {
        let all: Vec<Way> = ways().collect();
        match self {
            Ways::All => all,
            Ways::Turn(number) => vec![all[number % all.len()]],
        }
    }
}

/// Runs `f` among enough threads that results are split even on a small machine.
pub fn in_pool<R: Send>(f: impl FnOnce() -> R + Send) -> R {
    static POOL: LazyLock<rayon::ThreadPool> =
        LazyLock::new(|| rayon::ThreadPoolBuilder::new().num_threads(5).build().expect("threads"));
    POOL.install(f)
}
