//! Random programs against an oracle: each is made from one number, and one that fails is printed
//! as a Rust program.
//!
//! ```sh
//! cargo run --release -p conformance --bin fuzz -- --target views --seconds 3600
//! ```

mod expressions;
mod lying;
mod once;
mod reductions;
mod views;

pub use expressions::{exec, exec_text};
pub use lying::{Lying, shape as random_shape};

use crate::random::Random;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// What a program is made of.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it tries.
    pub about: &'static str,
    /// Runs one program; the program as text if it fails, and why.
    run: fn(&mut Random) -> Result<(), String>,
}

/// All targets.
pub const TARGETS: [Target; 6] = [
    Target {
        name: "views",
        about: "slices, permutations, reshapes, broadcasts, windows against lists of places",
        run: views::reading,
    },
    Target {
        name: "writing",
        about: "the same of views for writing, and what is written through them",
        run: views::writing,
    },
    Target {
        name: "expressions",
        about: "expressions over awkward layouts, evaluated, assigned and updated, index by index",
        run: expressions::run,
    },
    Target {
        name: "reductions",
        about: "reductions, scans and sorting over awkward layouts, lane by lane",
        run: reductions::run,
    },
    Target {
        name: "once",
        about: "each element is computed and written once: plans, sinks, splits, four pools",
        run: once::run,
    },
    Target {
        name: "panics",
        about: "the same, and computing one element panics",
        run: once::panics,
    },
];

/// What a run has seen.
#[derive(Debug)]
pub struct Outcome {
    /// The number of programs.
    pub programs: u64,
    /// The time they took.
    pub time: Duration,
    /// The programs that failed, as text; no more than a few.
    pub failures: Vec<String>,
}

/// After so many failures a run ends.
const ENOUGH: usize = 5;

impl Target {
    /// Runs programs from a seed on, until the time is over or there are so many.
    pub fn run(&self, seed: u64, time: Duration, programs: u64) -> Outcome {
        let start = Instant::now();
        let mut outcome = Outcome { programs: 0, time, failures: Vec::new() };
        while outcome.programs < programs && outcome.failures.len() < ENOUGH {
            // Looking at the clock takes longer than small programs.
            if outcome.programs.is_multiple_of(64) && start.elapsed() >= time {
                break;
            }
            let number = seed.wrapping_add(outcome.programs);
            outcome.programs += 1;
            if let Err(failure) = self.one(number) {
                outcome.failures.push(failure);
            }
        }
        outcome.time = start.elapsed();
        outcome
    }

    /// Runs the program of this number.
    ///
    /// # Errors
    /// What is wrong, with the program as text.
    pub fn one(&self, number: u64) -> Result<(), String> {
        // Numbers that follow each other begin sequences that have nothing in common.
        let mut random = Random::new(Random::new(number).bits());
        let result = catch_unwind(AssertUnwindSafe(|| (self.run)(&mut random)));
        result.unwrap_or_else(|_| Err("// It panics.".to_owned())).map_err(|failure| {
            format!("// Program {number} of target `{}`.\n{failure}\n", self.name)
        })
    }
}
