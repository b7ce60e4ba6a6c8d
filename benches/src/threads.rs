//! How the work is run: the one place that knows how zerostride is told the number of threads.

use rayon::{ThreadPool, ThreadPoolBuilder};
use std::sync::OnceLock;

/// How many threads zerostride may use; `ndarray` uses one, unless it is asked for more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threads {
    /// The calling thread alone.
    One,
    /// What zerostride does by default.
    Default,
}

impl Threads {
    /// Both.
    pub const ALL: [Threads; 2] = [Threads::One, Threads::Default];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Threads::One => "serial",
            Threads::Default => "default",
        }
    }

    /// Does `work`, all of it by so many threads.
    pub fn run<R: Send>(self, work: impl FnOnce() -> R + Send) -> R {
        static ALONE: OnceLock<ThreadPool> = OnceLock::new();
        match self {
            Threads::Default => work(),
            Threads::One => {
                let alone = || {
                    let pool = ThreadPoolBuilder::new().num_threads(1).build();
                    pool.expect("the system has a thread left")
                };
                ALONE.get_or_init(alone).install(work)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Threads;

    #[test]
    fn one_is_one() {
        assert_eq!(Threads::One.run(rayon::current_num_threads), 1);
        let all = rayon::current_num_threads();
        assert_eq!(Threads::Default.run(rayon::current_num_threads), all);
    }
}
