//! Runs random programs against an oracle, for as long as one likes:
//!
//! ```sh
//! cargo run --release -p conformance --bin fuzz -- --target views --seconds 3600
//! cargo run --release -p conformance --bin fuzz -- --target views --program 12345
//! ```
//!
//! Without a target all of them take turns. `--seed` is the number of the first program; each
//! program that fails is printed, and can be run alone by its number. See docs/testing.md for
//! running it under AddressSanitizer.

#![forbid(unsafe_code)]

use conformance::fuzz::{TARGETS, Target};
use std::process::ExitCode;
use std::time::Duration;

fn main() -> ExitCode {
    let Some(options) = Options::read(std::env::args().skip(1)) else {
        eprintln!("usage: fuzz [--target NAME] [--seconds N] [--seed N] [--program N]");
        for Target { name, about, .. } in TARGETS {
            eprintln!("  {name:12} {about}");
        }
        return ExitCode::from(2);
    };
    let mut failed = false;
    let targets = TARGETS
        .into_iter()
        .filter(|target| options.target.as_ref().is_none_or(|name| name == target.name));
    for target in targets {
        if let Some(program) = options.program {
            let problem = target.one(program).err();
            println!("{}", problem.as_deref().unwrap_or("It passes."));
            failed |= problem.is_some();
            continue;
        }
        let outcome = target.run(options.seed, Duration::from_secs(options.seconds), u64::MAX);
        let rate = outcome.programs as f64 / outcome.time.as_secs_f64();
        println!(
            "{}: {} programs in {:.1} s ({rate:.0} a second) from seed {}, {} failed",
            target.name,
            outcome.programs,
            outcome.time.as_secs_f64(),
            options.seed,
            outcome.failures.len()
        );
        outcome.failures.iter().for_each(|failure| println!("\n{failure}"));
        failed |= !outcome.failures.is_empty();
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}

struct Options {
    target: Option<String>,
    seconds: u64,
    seed: u64,
    program: Option<u64>,
}

impl Options {
    fn read(mut arguments: impl Iterator<Item = String>) -> Option<Options> {
        let mut options = Options { target: None, seconds: 60, seed: 0, program: None };
        while let Some(name) = arguments.next() {
            let value = arguments.next()?;
            match &*name {
                "--target" => options.target = Some(value),
                "--seconds" => options.seconds = value.parse().ok()?,
                "--seed" => options.seed = value.parse().ok()?,
                "--program" => options.program = Some(value.parse().ok()?),
                _ => return None,
            }
        }
        let known = |name: &String| TARGETS.iter().any(|target| target.name == name);
        options.target.as_ref().is_none_or(known).then_some(options)
    }
}
