//! Data in: a `.npy` file beside `cat` and NumPy, random arrays beside `ndarray-rand` and NumPy.
//! The file is in the system's cache.

use super::{Group, Size, Workload};
use crate::case::{Case, Judge, Mode};
use ndarray_rand::RandomExt;
use ndarray_rand::rand::SeedableRng;
use ndarray_rand::rand::distr::{Distribution, StandardUniform};
use ndarray_rand::rand::rngs::SmallRng;
use ndarray_rand::rand_distr::StandardNormal;
use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use zerostride::file::{Map, npy};
use zerostride::random::Philox;
use zerostride::{Array0, Array1, Exec, LayoutError, Rank, View1, pool_stats, set_pool_limit};

/// The rows of the table.
pub fn all() -> Vec<Workload> {
    let row = |name: &str, setup: fn(Size, Judge<'_>)| Workload::new(name, Group::Io, setup);
    vec![
        row("npy_read", read),
        row("npy_read_kept", |size, judge| {
            let limit = pool_stats().limit;
            set_pool_limit(2 << 30);
            read(size, judge);
            set_pool_limit(limit);
        }),
        row("npy_map", map),
        row("uniform_f32", |size, judge| uniform(size, Exec::new(), judge)),
        row("uniform_f32_serial", |size, judge| uniform(size, serial(), judge)),
        row("normal_f32", |size, judge| normal(size, Exec::new(), judge)),
        row("normal_f32_serial", |size, judge| normal(size, serial(), judge)),
    ]
}

fn serial() -> Exec {
    Exec::new().parallel(false)
}

/// Element `i` of the file.
fn value(i: usize) -> f64 {
    (i % 1021) as f64
}

/// A file that is taken away.
struct File(PathBuf);

impl File {
    /// One of so many elements.
    fn new(len: usize) -> File {
        let path = std::env::temp_dir().join(format!("board-{}.npy", std::process::id()));
        let array = Array1::from_fn([len], |[i]| value(i) as f32);
        npy::write(&path, &array).expect("the file can be written");
        File(path)
    }

    fn path(&self) -> &Path {
        &self.0
    }

    /// Its path as Python reads it.
    fn literal(&self) -> String {
        serde_json::json!(self.0).to_string()
    }
}

impl Drop for File {
    fn drop(&mut self) {
        // There is nobody to tell.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// All of it, as a new array: into fresh memory, or into that of the array before it, where the
/// pool keeps as much.
fn read(size: Size, judge: Judge<'_>) {
    let len = size.pick(1 << 28, 1 << 18);
    let file = File::new(len);
    let python = format!("load({})", file.literal());
    Case::<f32, Rank<1>>::new(&[len], Mode::New, &[], &python, value)
        .ours_new(|| Ok(npy::read(file.path()).expect("the file can be read")))
        .roofline_by(|| {
            let cat = Command::new("cat").arg(file.path()).stdout(Stdio::null()).status();
            assert!(cat.is_ok_and(|status| status.success()), "cat fails");
        })
        .judge(judge);
}

/// A map of it, and its last element.
#[allow(unsafe_code)]
fn map(size: Size, judge: Judge<'_>) {
    let len = size.pick(1 << 28, 1 << 18);
    let file = File::new(len);
    let python = format!("load_mapped({})[-1]", file.literal());
    Case::<f32, Rank<0>>::new(&[], Mode::New, &[], &python, |_| value(len - 1))
        .ours_new(|| {
            // SAFETY: nobody writes to this file.
            let map = unsafe { Map::open(file.path()) }.expect("the file can be mapped");
            let view: View1<'_, f32> = npy::view(&map).expect("it has such elements");
            Ok(Array0::from_elem([], view[[len - 1]]))
        })
        .bytes(0)
        .judge(judge);
}

/// 2^24 numbers from 0 to 1.
fn uniform(size: Size, exec: Exec, judge: Judge<'_>) {
    let ours = |len| Philox::new(1).uniform([len], 0.0..1.0);
    random(size, exec, "uniform", (0.5, 0.5), ours, StandardUniform, judge);
}

/// 2^24 numbers of mean 0 and deviation 1. One that is beyond 8 is none of these.
fn normal(size: Size, exec: Exec, judge: Judge<'_>) {
    let ours = |len| Philox::new(1).normal([len], 0.0, 1.0);
    random(size, exec, "normal", (0.0, 8.0), ours, StandardNormal, judge);
}

/// Random numbers, which are near some number.
fn random(
    size: Size,
    exec: Exec,
    name: &str,
    (middle, most): (f64, f64),
    ours: impl Fn(usize) -> Result<Array1<f32>, LayoutError>,
    distribution: impl Distribution<f32> + Copy,
    judge: Judge<'_>,
) {
    let len = size.pick(1 << 24, 1 << 18);
    let rng = RefCell::new(SmallRng::seed_from_u64(1));
    Case::<f32, Rank<1>>::new(&[len], Mode::New, &[], &format!("{name}({len})"), |_| middle)
        // Of `middle + 1`, and what is at the limit is within it.
        .tolerance(most * 1.001 / (middle + 1.0))
        .ours_new(|| Ok(exec.install(|| ours(len))?))
        .written(|| ndarray::Array1::random_using(len, distribution, &mut *rng.borrow_mut()))
        .judge(judge);
}
