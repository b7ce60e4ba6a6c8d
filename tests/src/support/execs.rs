//! Every way an expression can be executed on this machine.

use std::fmt;
use std::sync::LazyLock;
use zerostride::{Exec, Isa};

/// A way of execution.
#[derive(Clone, Copy, Debug)]
pub struct Way(pub Exec);

impl fmt::Display for Way {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Exec { parallel, grain, isa, cache, .. } = self.0;
        let threads =
            if parallel { format!("parallel with grain {grain}") } else { "serial".to_owned() };
        let stores = if cache == 0 { ", past the cache" } else { "" };
        write!(f, "{threads}{stores}, {isa:?}")
    }
}

/// Serial and parallel, down to single elements, stored in the cache and past it, with each
/// instruction set of this machine.
fn ways() -> impl Iterator<Item = Way> {
    let of = |isa| {
        let serial = Exec::new().parallel(false).isa(isa);
        let parallel = serial.parallel(true).grain(1);
        let past_the_cache = serial.cache(0);
        [serial, parallel, past_the_cache, past_the_cache.parallel(true).grain(700)]
    };
    Isa::available().into_iter().flat_map(of).map(Way)
}

/// Which ways a case is run in.
#[derive(Clone, Copy, Debug)]
pub enum Ways {
    /// All.
    All,
    /// Every other one, or the rest, by this number.
    Half(usize),
    /// One: they take turns, by this number.
    Turn(usize),
}

impl Ways {
    /// The ways.
    pub fn list(self) -> Vec<Way> {
        let all: Vec<Way> = ways().collect();
        match self {
            Ways::All => all,
            Ways::Half(number) => all.into_iter().skip(number % 2).step_by(2).collect(),
            Ways::Turn(number) => vec![all[number % all.len()]],
        }
    }
}

/// Runs `f` among enough threads that results are split even on a small machine.
pub fn in_pool<R: Send>(f: impl FnOnce() -> R + Send) -> R {
    static POOL: LazyLock<rayon::ThreadPool> =
        LazyLock::new(|| rayon::ThreadPoolBuilder::new().num_threads(5).build().expect("threads"));
    // Compiled once: to install a function of each caller's type takes dozens of functions.
    fn install(work: &mut (dyn FnMut() + Send)) {
        POOL.install(work);
    }
    let (mut f, mut result) = (Some(f), None);
    install(&mut || result = f.take().map(|f| f()));
    result.expect("it was called")
}
