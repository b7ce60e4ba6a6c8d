//! Larger than memory: the same closure over `.npy` files that are mapped, and in slabs, with the
//! time that each takes and the memory that the process has meanwhile.
//!
//! ```sh
//! cargo run --release -p rows --example larger -- ../place 1024
//! ```
//!
//! The arguments are a directory, in which two files of so many MiB each are made and a third and a
//! fourth one are written, and that number; then, if others are wanted, the KiB of a slab, and how
//! many are read ahead. With `--features zarr`, the same over Zarr arrays, too.

use arrayfile::{Map, npy};
use elementwise::{Array2, Rank, s};
use rows::{Error, Mapped, Rows, Slabs, Solo};
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

const COLUMNS: usize = 2048;

/// The anonymous memory of this process, in KiB: not that of mapped files.
fn anonymous() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

/// Does some work; the seconds it took, and the most anonymous memory in MiB above that before.
fn measured(work: impl FnOnce() -> Result<(), Error>) -> Result<(f64, f64), Error> {
    let (most, done, before) = (AtomicU64::new(0), AtomicBool::new(false), anonymous());
    let watch = || {
        while !done.load(Ordering::Relaxed) {
            most.fetch_max(anonymous(), Ordering::Relaxed);
            std::thread::sleep(Duration::from_millis(1));
        }
    };
    let (result, seconds) = std::thread::scope(|scope| {
        scope.spawn(watch);
        let start = Instant::now();
        let result = work();
        let seconds = start.elapsed().as_secs_f64();
        done.store(true, Ordering::Relaxed);
        (result, seconds)
    });
    let most = most.into_inner().saturating_sub(before) as f64 / 1024.0;
    result.map(|()| (seconds, most))
}

fn make(path: &Path, rows: usize, seed: usize) -> Result<(), Error> {
    let mut file = npy::Writer::<f32, Rank<2>>::create(path, [COLUMNS])?;
    let part = Array2::<f32>::from_fn([512, COLUMNS], |[i, j]| {
        ((i * 7919 + j * 104_729 + seed) % 65_521) as f32 * 1e-4 - 3.0
    });
    for first in (0..rows).step_by(512) {
        file.write(part.slice(s![..512.min(rows - first), ..])?.with_engine())?;
    }
    file.finish()?;
    Ok(())
}

fn same(a: &Path, b: &Path) -> Result<bool, Error> {
    // SAFETY: nobody else knows of these files.
    let (a, b) = unsafe { (Map::open(a)?, Map::open(b)?) };
    Ok(a[..] == b[..])
}

fn main() -> Result<(), Error> {
    let mut arguments = std::env::args().skip(1);
    let (Some(place), Some(Ok(size))) =
        (arguments.next(), arguments.next().map(|size| size.parse::<usize>()))
    else {
        return Err(
            "usage: larger <directory> <MiB of a file> [<KiB of a slab> [<slabs ahead>]]".into()
        );
    };
    let place = Path::new(&place);
    fs::create_dir_all(place).map_err(|err| err.to_string())?;
    let [x, y, mapped, slabs] =
        ["x", "y", "mapped", "slabs"].map(|name| place.join(format!("{name}.npy")));
    let rows = (size << 20) / 4 / COLUMNS;
    make(&x, rows, 1)?;
    make(&y, rows, 2)?;
    let gigabytes = 3.0 * (rows * COLUMNS * 4) as f64 / 1e9;
    let mut options = Slabs::default();
    if let Some(Ok(bytes)) = arguments.next().map(|size| size.parse::<usize>()) {
        options.bytes = bytes << 10;
    }
    if let Some(Ok(ahead)) = arguments.next().map(|ahead| ahead.parse::<usize>()) {
        options.ahead = ahead;
    }
    let slab = options.bytes as f64 / 1024.0 / 1024.0;
    println!("2 files of {size} MiB in, 1 out: {gigabytes:.2} GB");
    let bound = slab * (2.0 * (options.ahead as f64 + 2.0) + 3.0);
    println!("slabs of {slab} MiB, {} ahead: at most {bound} MiB", options.ahead);

    let mut times = [const { Vec::new() }; 2];
    let mut most = [0.0_f64; 2];
    for _ in 0..9 {
        let _ = fs::remove_file(&mapped);
        let of_maps = measured(|| {
            // SAFETY: nobody else knows of these files.
            let maps = unsafe { [Map::open(&x)?, Map::open(&y)?] };
            let [x, y] = [Mapped::<f32, Rank<2>>::of(&maps[0])?, Mapped::of(&maps[1])?];
            let rows = Rows::new(&Solo, [rows, COLUMNS]);
            rows.write(&mapped, |range| Ok(x.rows(range.clone())? * y.rows(range)? + 1.0))
        })?;
        let _ = fs::remove_file(&slabs);
        let of_slabs = measured(|| {
            let rows = Rows::new(&Solo, [rows, COLUMNS]).in_slabs(options);
            let [x, y] = [rows.open::<f32, Rank<2>>(&x)?, rows.open::<f32, Rank<2>>(&y)?];
            rows.write(&slabs, |range| Ok(x.rows(range.clone())? * y.rows(range)? + 1.0))
        })?;
        for (of, (seconds, memory)) in [of_maps, of_slabs].into_iter().enumerate() {
            times[of].push(seconds);
            most[of] = most[of].max(memory);
        }
    }
    // Neighbours, so that what slows the machine down for a while slows both down.
    let mut ratios: Vec<f64> = times[0].iter().zip(&times[1]).map(|(a, b)| a / b).collect();
    let median = |values: &mut Vec<f64>| {
        values.sort_by(f64::total_cmp);
        values[values.len() / 2]
    };
    for ((name, times), memory) in ["mapped", "slabs"].into_iter().zip(&mut times).zip(most) {
        let speed = gigabytes / median(times);
        println!("{name:6} {speed:5.2} GB/s, {memory:5.1} MiB of anonymous memory at most");
    }
    println!("slabs / mapped {:.2}, the median of {} rounds", median(&mut ratios), ratios.len());
    println!("equal: {}", same(&mapped, &slabs)?);
    #[cfg(feature = "zarr")]
    of_zarr(place, rows, options, gigabytes)?;
    Ok(())
}

/// The same files as Zarr arrays in chunks of a slab, and what the closure makes of these.
#[cfg(feature = "zarr")]
fn of_zarr(place: &Path, rows: usize, options: Slabs, gigabytes: f64) -> Result<(), Error> {
    use rows::{Absent, Zarr};
    let [x, y, z] = ["x", "y", "z"].map(|name| place.join(format!("{name}.zarr")));
    let rows = Rows::new(&Solo, [rows, COLUMNS]).in_slabs(options);
    let chunks = Zarr { rows: Some((options.bytes / COLUMNS / 4).max(1)), gzip: None };
    for (from, to) in [("x.npy", &x), ("y.npy", &y)] {
        let from = rows.open::<f32, Rank<2>>(place.join(from))?;
        rows.write_zarr(to, chunks, |range| from.rows(range))?;
    }
    let mut times = Vec::new();
    for _ in 0..5 {
        let (seconds, _) = measured(|| {
            let x = rows.open_zarr::<f32, Rank<2>>(&x, Absent::IsError)?;
            let y = rows.open_zarr::<f32, Rank<2>>(&y, Absent::IsError)?;
            rows.write_zarr(&z, chunks, |range| Ok(x.rows(range.clone())? * y.rows(range)? + 1.0))
        })?;
        times.push(seconds);
    }
    times.sort_by(f64::total_cmp);
    println!("Zarr   {:5.2} GB/s, the median of {} rounds", gigabytes / times[2], times.len());
    let z = rows.open_zarr::<f32, Rank<2>>(&z, Absent::IsError)?;
    rows.write(place.join("z.npy"), |range| z.rows(range))?;
    println!("equal: {}", same(&place.join("z.npy"), &place.join("mapped.npy"))?);
    Ok(())
}
