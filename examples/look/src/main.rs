//! Arrays as pictures, by colour maps, and as plots.

use plotters::prelude::*;
use std::error::Error;
use std::path::Path;
use zerostride::bridge::IntoView;
use zerostride::bridge::image::{ColourMap, picture};
use zerostride::prelude::*;

type Outcome<T> = Result<T, Box<dyn Error>>;

fn main() -> Outcome<()> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../crates/zerostride/examples/data");
    let out = Path::new("target/look");
    std::fs::create_dir_all(out)?;

    let photo = image::open(data.join("astronaut.png"))?.into_rgb8();
    let weights = array![0.2126_f32, 0.7152, 0.0722];
    let grey = (photo.into_view().cast::<f32>() * weights.along([2])).sum_axis(2)?;
    let edges = edges(&grey)?;
    for map in ColourMap::ALL {
        picture(grey.view(), map)?.save(out.join(format!("brightness-{map:?}.png")))?;
    }
    picture(edges.view(), ColourMap::Inferno)?.save(out.join("edges.png"))?;

    let irises = irises(&data.join("iris.csv"))?;
    points(&out.join("irises.svg"), irises.column(2), irises.column(3))?;
    line(&out.join("histogram.svg"), irises.column(2))?;
    println!("wrote {}", out.display());
    Ok(())
}

/// How much neighbours differ, down and across: differences of two views of one array.
fn edges(grey: &Array2<f32>) -> Outcome<Array2<f32>> {
    let down = grey.slice(s![1.., ..-1])? - grey.slice(s![..-1, ..-1])?;
    let across = grey.slice(s![..-1, 1..])? - grey.slice(s![..-1, ..-1])?;
    Ok((down.square() + across.square()).sqrt().eval()?)
}

fn irises(path: &Path) -> Outcome<Array2<f64>> {
    let text = std::fs::read_to_string(path)?;
    let rows: Vec<Vec<f64>> = text
        .lines()
        .filter_map(|line| line.split(',').take(4).map(|x| x.parse().ok()).collect())
        .collect();
    Ok(Array2::try_from(rows)?)
}

/// From a little below the smallest number to a little above the largest one.
fn range(x: View1<'_, f64>) -> Outcome<std::ops::Range<f64>> {
    let (low, high) = (x.min()?, x.max()?);
    let room = 0.05 * (high - low);
    Ok(low - room..high + room)
}

/// A vector over another one, as points: views are iterated as they lie.
fn points(path: &Path, x: View1<'_, f64>, y: View1<'_, f64>) -> Outcome<()> {
    let area = SVGBackend::new(path, (640, 480)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .margin(20)
        .set_all_label_area_size(40)
        .build_cartesian_2d(range(x)?, range(y)?)?;
    chart.configure_mesh().x_desc("petal length, cm").y_desc("petal width, cm").draw()?;
    let all = x.iter().zip(y.iter());
    chart.draw_series(all.map(|(x, y)| Circle::new((*x, *y), 3, BLUE.filled())))?;
    Ok(area.present()?)
}

/// How many numbers lie where, as a line.
fn line(path: &Path, x: View1<'_, f64>) -> Outcome<()> {
    const BINS: usize = 20;
    let range = range(x)?;
    let step = (range.end - range.start) / BINS as f64;
    let mut counts = Array1::<f64>::zeros([BINS]);
    for value in x {
        counts[((value - range.start) / step) as usize] += 1.0;
    }
    let area = SVGBackend::new(path, (640, 480)).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .margin(20)
        .set_all_label_area_size(40)
        .build_cartesian_2d(range.clone(), 0.0..counts.max()? + 1.0)?;
    chart.configure_mesh().x_desc("petal length, cm").y_desc("irises").draw()?;
    let places = counts.indexed_iter().map(|([i], count)| (range.start + (i as f64 + 0.5) * step, *count));
    chart.draw_series(LineSeries::new(places, &RED))?;
    Ok(area.present()?)
}
