//! The main job on real data: a photograph, a mask, a gain for each channel and a vignette in one
//! pass from `u8` to `u8`.
//!
//! ```sh
//! cargo run --release -p zerostride --example photo [-- IN.jpg [OUT.png]]
//! ```
//!
//! It reads IN, a PNG or JPEG of any kind (without an argument, the photograph that lies beside
//! it), writes the edited picture to OUT.png (without an argument, to `photo.png` in Cargo's target
//! directory), prints the plan, and times the pass against the same work with each step evaluated
//! to an array of its own.

use std::error::Error;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use zerostride::prelude::*;

/// Height, width and channels, each pixel's channels side by side: `[H, W, 3]`.
type Image = Array3<u8>;

/// Rounds of the timing; in each, every variant runs once.
const ROUNDS: usize = 101;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args_os().skip(1).map(PathBuf::from);
    let astronaut = || Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/data/astronaut.png");
    let input = arguments.next().unwrap_or_else(astronaut);
    let output = arguments.next().map_or_else(default_output, Ok)?;
    let image = read(&input)?;
    let edit = Edit::new(image.shape()[0], image.shape()[1])?;

    let edited = edit.fused(&image)?;
    write(&output, &edited)?;
    println!("read      {} {:?}", input.display(), image.shape());
    println!("wrote     {} {:?}", output.display(), edited.shape());
    println!("mask      {:?} along axes [0, 1]", edit.mask.shape());
    println!("gain      {:?} along axis [2]: {}", edit.gain.shape(), edit.gain);
    println!("vignette  {:?} * {:?} along axes [0, 1]", edit.rows.shape(), edit.columns.shape());

    // All three ways compute the same, to the last bit.
    assert_eq!(edited, edit.naive(&image));
    assert_eq!(edited, edit.stepwise(&image)?);

    println!("\nThe plan of the pass:\n\n{}", edit.explain(&image)?);
    time(&edit, &image)
}

/// What is done to the picture, all factors being 1 where it stays as it is.
struct Edit {
    /// `[H, W]`: 1 in a circle, less outside of it, with a soft edge.
    mask: Array2<f32>,
    /// `[3]`: a factor for each channel.
    gain: Array1<f32>,
    /// `[H, 1]` and `[1, W]`: the vignette is their product.
    rows: Array2<f32>,
    columns: Array2<f32>,
}

/// The one expression, written once for all its uses below.
macro_rules! edited {
    ($edit:expr, $image:expr) => {{
        let Edit { mask, gain, rows, columns } = $edit;
        let vignette = rows * columns;
        let exact =
            $image.cast::<f32>() * mask.along([0, 1]) * gain.along([2]) * vignette.along([0, 1]);
        // A cast truncates and saturates; half a step more makes it round.
        (exact + 0.5).cast::<u8>()
    }};
}

impl Edit {
    fn new(height: usize, width: usize) -> Result<Edit, zerostride::Error> {
        // Distances from the centre of the circle, in pixels, as a column and a row.
        let dy = Array2::from_fn([height, 1], |[i, _]| i as f32 - 0.44 * height as f32);
        let dx = Array2::from_fn([1, width], |[_, j]| j as f32 - 0.44 * width as f32);
        let distance = (&dy * &dy + &dx * &dx).sqrt();
        let (radius, edge) = (0.4 * width as f32, 12.0);
        let mask = (((radius - distance) / edge).clamp(0.0, 1.0) * 0.75 + 0.25).eval()?;

        // 1 in the middle, 0.55 at both ends.
        let falloff =
            |i: usize, n: usize| 1.0 - 0.45 * ((2 * i + 1) as f32 / n as f32 - 1.0).powi(2);
        Ok(Edit {
            mask,
            gain: array![1.12, 1.0, 0.85],
            rows: Array2::from_fn([height, 1], |[i, _]| falloff(i, height)),
            columns: Array2::from_fn([1, width], |[_, j]| falloff(j, width)),
        })
    }

    /// One pass into a new image.
    fn fused(&self, image: &Image) -> Result<Image, zerostride::Error> {
        edited!(self, image).eval()
    }

    /// One pass into an image that exists.
    fn fused_into(&self, image: &Image, out: &mut Image) -> Result<(), zerostride::Error> {
        out.assign(edited!(self, image))
    }

    fn explain(&self, image: &Image) -> Result<String, zerostride::Error> {
        Ok(edited!(self, image).explain()?.to_string())
    }

    /// A pass for each step, each to an array of its own.
    fn stepwise(&self, image: &Image) -> Result<Image, zerostride::Error> {
        let float = image.cast::<f32>().eval()?;
        let masked = (&float * self.mask.along([0, 1])).eval()?;
        let gained = (&masked * self.gain.along([2])).eval()?;
        let vignette = (&self.rows * &self.columns).eval()?;
        let exact = (&gained * vignette.along([0, 1])).eval()?;
        let raised = (&exact + 0.5).eval()?;
        raised.cast::<u8>().eval()
    }

    /// Plain loops, to check against.
    fn naive(&self, image: &Image) -> Image {
        Image::from_fn(image.dim(), |[i, j, c]| {
            let vignette = self.rows[[i, 0]] * self.columns[[0, j]];
            let exact = f32::from(image[[i, j, c]]) * self.mask[[i, j]] * self.gain[c] * vignette;
            (exact + 0.5) as u8
        })
    }
}

/// Times the variants in turns, so that whatever else the machine does falls on all of them, and
/// prints the medians.
fn time(edit: &Edit, image: &Image) -> Result<(), Box<dyn Error>> {
    let mut out = Image::zeros(image.dim());
    let [mut into, mut new, mut steps] = [const { Vec::new() }; 3];
    for _ in 0..ROUNDS {
        into.push(duration(|| edit.fused_into(black_box(image), &mut out))?);
        new.push(duration(|| edit.fused(black_box(image)))?);
        steps.push(duration(|| edit.stepwise(black_box(image)))?);
    }
    let [into, new, steps] = [into, new, steps].map(median);
    println!("\nMedians of {ROUNDS} runs each, taken in turns:\n");
    for (what, time) in [
        ("one pass, into an image that exists", into),
        ("one pass, into a new image", new),
        ("seven passes, each to a new array", steps),
    ] {
        println!("  {what:36} {:8.3} ms", time.as_secs_f64() * 1e3);
    }
    println!(
        "\n  ratio seven passes : one pass (both new)  {:.1}",
        steps.as_secs_f64() / new.as_secs_f64()
    );
    Ok(())
}

fn duration<T>(
    work: impl FnOnce() -> Result<T, zerostride::Error>,
) -> Result<Duration, zerostride::Error> {
    let start = Instant::now();
    black_box(work()?);
    Ok(start.elapsed())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// `photo.png` in the target directory, found from where this program lies:
/// `target/release/examples/photo`.
fn default_output() -> Result<PathBuf, Box<dyn Error>> {
    let program = std::env::current_exe()?;
    let target = program
        .ancestors()
        .nth(3)
        .ok_or("this program does not lie in a target directory: name an output file")?;
    Ok(target.join("photo.png"))
}

/// A picture of any size and kind, as colours of 8 bits. The decoder's memory becomes the array's.
fn read(path: &Path) -> Result<Image, Box<dyn Error>> {
    let picture = image::open(path).map_err(|err| format!("{}: {err}", path.display()))?;
    let picture = picture.into_rgb8();
    let (width, height) = picture.dimensions();
    Ok(Image::from_shape_vec([height as usize, width as usize, 3], picture.into_raw())?)
}

fn write(path: &Path, image: &Image) -> Result<(), Box<dyn Error>> {
    let [height, width, _] = image.dim();
    let rgb = image::ExtendedColorType::Rgb8;
    let samples = image.as_slice().ok_or("the picture does not lie in row-major order")?;
    image::save_buffer(path, samples, width.try_into()?, height.try_into()?, rgb)?;
    Ok(())
}
