//! What small operations cost, zerostride beside `ndarray` in one process, one thread:
//! `cargo bench -p benches --bench entrance`.
//!
//! A group is one case of the command `entrance`, which is faster and prints ratios; the results
//! are compared before they are timed.
#![allow(missing_docs)]

use benches::entrance::cases;
use benches::threads::Threads;
use criterion::Criterion;
use std::time::{Duration, Instant};

fn entrance(c: &mut Criterion) {
    for case in cases() {
        case.run(&mut |pair| {
            pair.check().unwrap_or_else(|wrong| panic!("{}: {wrong}", case.name));
            let mut lines = c.benchmark_group(&case.name);
            for contestant in pair.contestants() {
                let name = contestant.name;
                lines.bench_function(name, |bencher| {
                    bencher.iter_custom(|calls| {
                        let start = Instant::now();
                        contestant.run(calls as usize);
                        start.elapsed()
                    });
                });
            }
            lines.finish();
        });
    }
}

fn main() {
    Threads::One.run(|| {
        // There are hundreds of lines.
        let criterion = Criterion::default().without_plots().sample_size(20);
        let criterion = criterion
            .warm_up_time(Duration::from_millis(50))
            .measurement_time(Duration::from_millis(200));
        let mut criterion = criterion.configure_from_args();
        entrance(&mut criterion);
        criterion.final_summary();
    });
}
