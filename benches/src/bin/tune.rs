//! Measures the thresholds of this machine, and prints what to set.
//!
//! ```sh
//! cargo run --release -p benches --bin tune
//! ```

use benches::pair::Timing;
use benches::scaling::{IN_TURN, KINDS, Work, crossover, loss};
use std::process::ExitCode;
use zerostride::Exec;

/// A way that is to be chosen takes at most this share of the other's time: below it, neither
/// matters.
const SHARE: f64 = 0.95;

/// The time of the first way by that of the second: the median of some, because where in memory
/// the arrays are makes a difference of a tenth.
fn ratio(work: Work, elements: usize, ways: [Exec; 2]) -> Result<f64, String> {
    let timings: Result<Vec<_>, _> = (0..5).map(|_| work.measure(elements, ways)).collect();
    Ok(Timing::median(&timings?).ratio.unwrap_or(f64::NAN))
}

/// What a default may cost.
fn at_most(loss: f64) -> String {
    format!(", which takes at most {loss:.2} of the better way's time")
}

fn run() -> Result<(), String> {
    let default = Exec::new();
    let cheap = KINDS[0];

    println!("additions  time on {} threads by time on one", rayon::current_num_threads());
    let mut points = Vec::new();
    for power in 13..=22 {
        // What is shared while threads sleep is four times the grain; between these passes they do
        // not.
        let shared = Exec::new().parallel(true).grain(1 << (power - 2)).cache(usize::MAX);
        let ratio = ratio(cheap, 1 << power, [shared, shared.parallel(false)])?;
        println!("2^{power:<8} {ratio:.2}");
        points.push((1 << power, ratio));
    }
    let grain = crossover(&points, SHARE);
    println!("the grain is {}{}\n", default.grain, at_most(loss(&points, default.grain)));

    // A pass whose result is not read before the next one of its kind gains sooner, one that reads
    // its own later: what counts is a program that does both. The first is shown beside it.
    println!("MiB moved  time of stores past the cache by that of plain ones: read next, not read");
    let mut points = Vec::new();
    for power in 17..=25 {
        let bytes = cheap.bytes << power;
        let ways = [default.cache(0), default.cache(usize::MAX)];
        let (ratio, unread) = (ratio(IN_TURN, 1 << power, ways)?, ratio(cheap, 1 << power, ways)?);
        println!("{:<10.1} {ratio:.2} {unread:.2}", bytes as f64 / f64::from(1 << 20));
        points.push((bytes, ratio));
    }
    // A pass that moves as much as is kept is still stored plainly.
    let cache = crossover(&points, SHARE).map(|bytes| bytes / 2);
    let lost = loss(&points, default.cache.saturating_add(1));
    println!("the cache is {} bytes{}\n", default.cache, at_most(lost));

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
