//! Measures the thresholds of this machine, and prints what to set.
//!
//! ```sh
//! cargo run --release -p benches --bin tune
//! ```

use benches::scaling::{KINDS, crossover};
use std::process::ExitCode;
use zerostride::Exec;

/// A way that is to be chosen takes at most this share of the other's time: below it, neither
/// matters.
const SHARE: f64 = 0.95;

fn run() -> Result<(), String> {
    let default = Exec::new();
    let cheap = KINDS[0];

    println!("additions  time on {} threads by time on one", rayon::current_num_threads());
    let mut points = Vec::new();
    for power in 13..=22 {
        // What is shared while threads sleep is four times the grain; between these passes they do
        // not.
        let shared = Exec::new().parallel(true).grain(1 << (power - 2)).cache(usize::MAX);
        let timing = cheap.measure(1 << power, [shared, shared.parallel(false)])?;
        let ratio = timing.ratio.unwrap_or(f64::NAN);
        println!("2^{power:<8} {ratio:.2}");
        points.push((1 << power, ratio));
    }
    let grain = crossover(&points, SHARE);
    println!("the grain is {}\n", default.grain);

    println!("MiB moved  time of stores past the cache by that of plain ones");
    let mut points = Vec::new();
    for power in 17..=25 {
        let bytes = cheap.bytes << power;
        let ways = [default.cache(0), default.cache(usize::MAX)];
        let ratio = cheap.measure(1 << power, ways)?.ratio.unwrap_or(f64::NAN);
        println!("{:<10.1} {ratio:.2}", bytes as f64 / f64::from(1 << 20));
        points.push((bytes, ratio));
    }
    // A pass that moves as much as is kept is still stored plainly.
    let cache = crossover(&points, SHARE).map(|bytes| bytes / 2);
    println!("the cache is {} bytes\n", default.cache);

    println!("to set:");
    match grain {
        Some(grain) => println!("ZEROSTRIDE_GRAIN={grain}"),
        None => println!("ZEROSTRIDE_PARALLEL=0    # no size gains by another thread"),
    }
    match cache {
        Some(bytes) => println!("ZEROSTRIDE_CACHE={bytes}"),
        None => println!("ZEROSTRIDE_CACHE={}G    # no size gains", usize::MAX >> 40),
    }
    Ok(())
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
