//! zerostride beside `ndarray` in one process: `cargo bench -p benches`.
//!
//! Each group is one workload; compare the lines of a group with each other, not with another run.
#![allow(missing_docs)]

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use ndarray::Zip;
use std::hint::black_box;
use zerostride::prelude::*;

type Nd = ndarray::Array2<f32>;

fn values(rows: usize, columns: usize) -> Vec<f32> {
    (0..rows * columns).map(|i| (i % 1000) as f32 * 0.25).collect()
}

fn pair(rows: usize, columns: usize) -> (Array2<f32>, Nd) {
    let data = values(rows, columns);
    (
        Array::from_shape_vec([rows, columns], data.clone()).expect("as many values as elements"),
        Nd::from_shape_vec((rows, columns), data).expect("as many values as elements"),
    )
}

/// Refuses to time what gives different answers.
fn check(ours: &Array2<f32>, theirs: &Nd) {
    assert!(ours.iter().eq(theirs.iter()), "zerostride and ndarray disagree");
}

/// `&a + &b` into an output that exists, 2^22 elements.
fn add_into(c: &mut Criterion) {
    let n = 1 << 11;
    let ((a, na), (b, nb)) = (pair(n, n), pair(n, n));
    let (mut out, mut nout) = (Array2::<f32>::zeros([n, n]), Nd::zeros((n, n)));
    out.assign(&a + &b).expect("equal shapes");
    Zip::from(&mut nout).and(&na).and(&nb).for_each(|o, &a, &b| *o = a + b);
    check(&out, &nout);

    let mut group = c.benchmark_group("add_into_2^22");
    group.throughput(Throughput::Bytes(3 * 4 * (n * n) as u64));
    group.bench_function("zerostride", |bench| {
        bench.iter(|| out.assign(&a + black_box(&b)).expect("equal shapes"));
    });
    group.bench_function("ndarray Zip", |bench| {
        bench.iter(|| Zip::from(&mut nout).and(&na).and(black_box(&nb)).for_each(|o, &a, &b| *o = a + b));
    });
    group.bench_function("ndarray par_for_each", |bench| {
        bench.iter(|| Zip::from(&mut nout).and(&na).and(black_box(&nb)).par_for_each(|o, &a, &b| *o = a + b));
    });
    group.finish();
}

/// `a + b.T` into an output that exists, 2048 x 2048: operands that disagree on the order of their axes.
fn add_transposed(c: &mut Criterion) {
    let n = 2048;
    let ((a, na), (b, nb)) = (pair(n, n), pair(n, n));
    let (mut out, mut nout) = (Array2::<f32>::zeros([n, n]), Nd::zeros((n, n)));
    out.assign(&a + b.t()).expect("equal shapes");
    Zip::from(&mut nout).and(&na).and(nb.t()).for_each(|o, &a, &b| *o = a + b);
    check(&out, &nout);

    let mut group = c.benchmark_group("add_transposed_2048");
    group.throughput(Throughput::Bytes(3 * 4 * (n * n) as u64));
    group.bench_function("zerostride", |bench| {
        bench.iter(|| out.assign(&a + black_box(&b).t()).expect("equal shapes"));
    });
    group.bench_function("ndarray par_for_each", |bench| {
        bench.iter(|| Zip::from(&mut nout).and(&na).and(black_box(&nb).t()).par_for_each(|o, &a, &b| *o = a + b));
    });
    group.finish();
}

/// Small sums, new and into: what a call costs.
fn small(c: &mut Criterion) {
    let mut group = c.benchmark_group("small");
    for n in [1, 4, 16, 64, 256] {
        let (x, y) = (Array1::<f32>::full(n, 1.0), Array1::<f32>::full(n, 2.0));
        let (nx, ny) = (ndarray::Array1::<f32>::ones(n), ndarray::Array1::<f32>::ones(n));
        let (mut out, mut nout) = (x.clone(), nx.clone());
        group.bench_function(BenchmarkId::new("zerostride into", n), |bench| {
            bench.iter(|| out.assign(&x + black_box(&y)).expect("equal shapes"));
        });
        group.bench_function(BenchmarkId::new("ndarray into", n), |bench| {
            bench.iter(|| Zip::from(&mut nout).and(&nx).and(black_box(&ny)).for_each(|o, &a, &b| *o = a + b));
        });
        group.bench_function(BenchmarkId::new("zerostride new", n), |bench| {
            bench.iter(|| (&x + black_box(&y)).eval().expect("equal shapes"));
        });
        group.bench_function(BenchmarkId::new("ndarray new", n), |bench| {
            bench.iter(|| &nx + black_box(&ny));
        });
    }
    group.finish();
}

criterion_group!(benches, add_into, add_transposed, small);
criterion_main!(benches);
