//! The board's workloads at sizes that stay in cache, zerostride beside `ndarray` in one process:
//! `cargo bench -p benches`.
//!
//! A group is one workload; its answers are checked before they are timed. Compare the lines of a
//! group with each other, not with another run.
#![allow(missing_docs)]

use benches::case::Trial;
use benches::workloads::{Group, Size, all};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::time::{Duration, Instant};

fn workloads(c: &mut Criterion) {
    for workload in all() {
        workload.run(Size::Quick, &mut |trial| bench(c, &workload.name, workload.group, trial));
    }
}

fn bench(c: &mut Criterion, name: &str, group: Group, trial: &mut Trial<'_>) {
    trial.check().unwrap_or_else(|wrong| panic!("{name}: {wrong}"));
    let mut lines = c.benchmark_group(name);
    if trial.bytes > 0 {
        lines.throughput(Throughput::Bytes(trial.bytes as u64));
    }
    if group == Group::Small {
        lines.measurement_time(Duration::from_millis(200));
    }
    for contestant in &mut trial.contestants {
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
}

fn quickly() -> Criterion {
    // There are hundreds of lines.
    let criterion = Criterion::default().without_plots().sample_size(20);
    criterion.warm_up_time(Duration::from_millis(100)).measurement_time(Duration::from_millis(400))
}

criterion_group! { name = benches; config = quickly(); targets = workloads }
criterion_main!(benches);
