//! A bank of image filters on a photograph: a Gaussian blur, the edges that Sobel's filter finds,
//! and a median, which takes out speckles.
//!
//! ```sh
//! cargo run --release -p zerostride --example filters [-- OUT.png]
//! ```
//!
//! It writes the photograph and what the filters make of it side by side to OUT.png (without an
//! argument, to `filters.png` in Cargo's target directory), and says how well the median restores
//! what the speckles hid.

use std::error::Error;
use std::path::{Path, PathBuf};
use zerostride::prelude::*;

/// A picture in grey: from 0, black, to 1, white.
type Grey = Array2<f32>;

fn main() -> Result<(), Box<dyn Error>> {
    let input = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/data/astronaut.png");
    let output = std::env::args_os().nth(1).map_or_else(default_output, |path| Ok(path.into()))?;
    let photo = read_grey(&input)?;

    let blurred = gaussian(&photo, 3.0)?;
    let edges = sobel(&photo)?;
    let speckled = speckle(&photo)?;
    let restored = median(&speckled, 3)?;

    println!("photograph  {:?}, mean {:.3}", photo.shape(), photo.mean()?);
    println!("blurred     standard deviation {:.3}, was {:.3}", blurred.std(0.0)?, photo.std(0.0)?);
    println!("edges       the strongest is {:.3}, the mean {:.3}", edges.max()?, edges.mean()?);
    println!("speckled    {:.4} off, in the mean", distance(&speckled, &photo)?);
    println!("restored    {:.4} off", distance(&restored, &photo)?);
    assert!(distance(&restored, &photo)? < 0.5 * distance(&speckled, &photo)?);

    let [height, width] = photo.dim();
    let mut all = Grey::zeros([2 * height, 3 * width]);
    let bright = (&edges / edges.max()?).sqrt().eval()?;
    let pictures = [&photo, &blurred, &bright, &speckled, &restored];
    for (tile, picture) in all.exact_chunks_mut([height, width])?.zip(pictures) {
        let mut tile = tile;
        tile.assign(picture)?;
    }
    write_grey(&output, &all)?;
    println!("wrote       {} {:?}", output.display(), all.shape());
    Ok(())
}

/// How far two pictures are apart, in the mean.
fn distance(a: &Grey, b: &Grey) -> Result<f32, zerostride::Error> {
    (a - b).abs().mean()
}

/// A blur by the bell curve of this standard deviation: along columns, then along rows.
fn gaussian(x: &Grey, deviation: f32) -> Result<Grey, zerostride::Error> {
    let radius = (3.0 * deviation).ceil() as usize;
    let bell = Array1::from_fn(2 * radius + 1, |[i]| {
        (-0.5 * ((i as f32 - radius as f32) / deviation).powi(2)).exp()
    });
    let weights = (&bell / bell.sum()?).eval()?.to_vec();
    correlate(&correlate(x, &weights, 0)?, &weights, 1)
}

/// The length of the gradient: differences along one axis, smoothed along the other.
fn sobel(x: &Grey) -> Result<Grey, zerostride::Error> {
    let (difference, mean) = ([-1.0, 0.0, 1.0], [0.25, 0.5, 0.25]);
    let down = correlate(&correlate(x, &difference, 0)?, &mean, 1)?;
    let right = correlate(&correlate(x, &difference, 1)?, &mean, 0)?;
    down.hypot(&right).eval()
}

/// Weighted sums of the pixels around each one along an axis: one pass over windows, none of which
/// is a copy.
fn correlate(x: &Grey, weights: &[f32], axis: usize) -> Result<Grey, zerostride::Error> {
    let padded = padded(x, weights.len() / 2, axis)?;
    let windows = padded.sliding_window_view(axis, weights.len())?;
    (windows * View1::from(weights).along([2])).sum_axis(2)
}

/// The picture with its first and last pixels along an axis repeated as often as this.
fn padded(x: &Grey, radius: usize, axis: usize) -> Result<Grey, zerostride::Error> {
    let mut shape = x.dim();
    shape[axis] += 2 * radius;
    let mut out = Grey::zeros(shape);
    let (mut before, rest) = out.view_mut().split_at(axis, radius)?;
    let (mut middle, mut after) = rest.split_at(axis, x.shape()[axis])?;
    before.assign(x.slice_axis(axis, 0..1, 1)?)?;
    middle.assign(x)?;
    after.assign(x.slice_axis(axis, x.shape()[axis] - 1..x.shape()[axis], 1)?)?;
    Ok(out)
}

/// The middle one of the pixels in a square window around each one.
fn median(x: &Grey, side: usize) -> Result<Grey, zerostride::Error> {
    let padded = padded(&padded(x, side / 2, 0)?, side / 2, 1)?;
    let windows = padded.windows([side, side])?;
    let mut pixels = Vec::with_capacity(side * side);
    let middles = windows.map(|window| {
        pixels.clear();
        pixels.extend(window.iter().copied());
        let (_, middle, _) = pixels.select_nth_unstable_by(side * side / 2, f32::total_cmp);
        *middle
    });
    Ok(Grey::from_shape_vec(x.dim(), middles.collect())?)
}

/// The picture with one pixel in ten, at random, black or white.
fn speckle(x: &Grey) -> Result<Grey, zerostride::Error> {
    let mut out = x.clone();
    out.update_each(indices(x.dim()), |pixel, [i, j]| {
        // SplitMix64 of the pixel's number.
        let mut bits = ((i << 32 | j) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb) >> 32;
        if bits.is_multiple_of(10) {
            *pixel = if (bits / 10).is_multiple_of(2) { 0.0 } else { 1.0 };
        }
    })?;
    Ok(out)
}

/// `filters.png` in the target directory, found from where this program lies:
/// `target/release/examples/filters`.
fn default_output() -> Result<PathBuf, Box<dyn Error>> {
    let program = std::env::current_exe()?;
    let target = program
        .ancestors()
        .nth(3)
        .ok_or("this program does not lie in a target directory: name an output file")?;
    Ok(target.join("filters.png"))
}

/// A picture in colours as one in grey, by the weights of ITU-R BT.709.
fn read_grey(path: &Path) -> Result<Grey, Box<dyn Error>> {
    let picture = image::open(path).map_err(|err| format!("{}: {err}", path.display()))?;
    let picture = picture.into_rgb8();
    let shape = [picture.height() as usize, picture.width() as usize, 3];
    let image = View3::from_slice(shape, picture.as_raw())?;
    let weights = array![0.2126_f32, 0.7152, 0.0722];
    Ok((image.cast::<f32>() * weights.along([2]) / 255.0).sum_axis(2)?)
}

fn write_grey(path: &Path, image: &Grey) -> Result<(), Box<dyn Error>> {
    let [height, width] = image.dim();
    let bytes = (image * 255.0 + 0.5).cast::<u8>().eval()?.into_vec();
    let grey = image::ExtendedColorType::L8;
    image::save_buffer(path, &bytes, width.try_into()?, height.try_into()?, grey)?;
    Ok(())
}
