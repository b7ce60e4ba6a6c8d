//! A file larger than memory, written slab by slab with progress, and looked at through a map.

use indicatif::{ProgressBar, ProgressStyle};
use std::error::Error;
use zerostride::file::{Map, npy};
use zerostride::prelude::*;

/// Elements of a row, and rows of a slab: 16 MiB.
const ROW: usize = 1 << 12;
const SLAB: usize = 1 << 10;

fn main() -> Result<(), Box<dyn Error>> {
    let mib: usize = std::env::args().nth(1).map_or(Ok(256), |text| text.parse())?;
    let path = std::env::temp_dir().join(format!("slabs-{}.npy", std::process::id()));
    let rows = mib << 6;

    // Without a terminal the bar draws nothing.
    let bar = ProgressBar::new((rows * ROW * 4) as u64);
    let template = "{bar:40} {binary_bytes}/{binary_total_bytes} {binary_bytes_per_sec} {eta}";
    bar.set_style(ProgressStyle::with_template(template)?);
    let across = Array1::from_fn(ROW, |[j]| j as f32 / ROW as f32);
    let mut slab = Array2::<f32>::zeros([SLAB, ROW]);
    let mut writer = npy::Writer::<f32, Rank<2>>::create(&path, [ROW])?;
    for first in (0..rows).step_by(SLAB) {
        let count = SLAB.min(rows - first);
        let down = Array1::from_fn(count, |[i]| (first + i) as f32);
        let mut part = slab.slice_mut(s![..count, ..])?;
        part.assign(down.along([0]) + across.along([1]))?;
        writer.write(part.view())?;
        bar.inc((count * ROW * 4) as u64);
    }
    writer.finish()?;
    bar.finish_and_clear();

    // SAFETY: nobody else writes to this file.
    let map = unsafe { Map::open(&path)? };
    let view: View2<f32> = npy::view(&map)?;
    let mean = view.cast::<f64>().mean()?;
    let expected = (rows - 1) as f64 / 2.0 + (ROW - 1) as f64 / 2.0 / ROW as f64;
    println!("{} of {mib} MiB: mean {mean:.6}, by the formula {expected:.6}", path.display());
    assert!((mean - expected).abs() < 1e-3 * expected);
    drop(map);
    Ok(std::fs::remove_file(&path)?)
}
