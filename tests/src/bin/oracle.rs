//! Puts files of XLA's answers to the library: `oracle FILE...` prints each row that is answered
//! otherwise, then how many passed and failed, and fails if any did.

#![forbid(unsafe_code)]

use conformance::oracle::Outcome;
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let files: Vec<_> = std::env::args_os().skip(1).collect();
    if files.is_empty() {
        eprintln!(
            "usage: oracle FILE...   (JSON lines of XLA's answers: shapes, broadcast_in_dim, values, clamp and select)"
        );
        return ExitCode::from(2);
    }
    let mut outcome = Outcome::default();
    for file in &files {
        outcome.add_file(Path::new(file));
    }
    for failure in &outcome.failures {
        println!("{failure}");
    }
    println!("{} passed, {} failed", outcome.passed, outcome.failures.len());
    if outcome.failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
