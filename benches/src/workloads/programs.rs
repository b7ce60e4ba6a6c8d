//! Whole programs: see [`crate::programs`].

use super::{Group, Size, Workload};
use crate::case::{Case, Judge};
use crate::data::{NdRank, both};
use crate::programs::{filters, kmeans, life, runge_kutta, uniform};
use zerostride::prelude::*;
use zerostride::{Error, IntoShape};

/// The rows of the table.
pub fn all() -> Vec<Workload> {
    let mut table = Vec::new();
    let mut row = |name: String, setup: Box<dyn Fn(Size, Judge<'_>)>| {
        table.push(Workload::new(name, Group::Programs, setup));
    };
    // As our users write them, and in the structure of the programs for `ndarray`.
    for (ported, style) in [(false, ""), (true, "ported_")] {
        for dims in [2, 16, 256] {
            let setup = move |size: Size, judge: Judge<'_>| clusters(size, dims, ported, judge);
            row(format!("kmeans_{style}d{dims}"), Box::new(setup));
        }
        let picture = move |size: Size, judge: Judge<'_>| {
            gaussian::<Rank<2>>(&picture_shape(size), ported, judge);
        };
        row(format!("gauss_{style}480x640"), Box::new(picture));
        let volume = move |size: Size, judge: Judge<'_>| {
            gaussian::<Rank<3>>(&[size.pick(48, 12); 3], ported, judge);
        };
        row(format!("gauss_{style}48x48x48"), Box::new(volume));
        for (len, name, steps) in [(40, "40", 10_000), (4096, "4096", 200), (1 << 20, "2^20", 2)] {
            let setup = move |size: Size, judge: Judge<'_>| {
                let (len, steps) =
                    (size.pick(len, len.min(1 << 14)), size.pick(steps, steps.min(20)));
                let slope =
                    if ported { runge_kutta::lorenz96_ported } else { runge_kutta::lorenz96 };
                scheme(len, 1e-3, steps, slope, runge_kutta::nd_lorenz96, judge);
            };
            row(format!("rk4_{style}lorenz96_{name}"), Box::new(setup));
        }
    }
    row("sobel_480x640".to_owned(), Box::new(sobel));
    row("median3_480x640".to_owned(), Box::new(median));
    for (name, extent, generations) in [("64", 64, 200), ("1024", 1024, 10)] {
        let setup = move |size: Size, judge: Judge<'_>| {
            let extent = size.pick(extent, 32);
            game(extent, size.pick(generations, 5), judge);
        };
        row(format!("life_{name}x{name}"), Box::new(setup));
    }
    let three = |size: Size, judge: Judge<'_>| {
        let steps = size.pick(100_000, 1000);
        scheme(3, 1e-4, steps, runge_kutta::lorenz63, runge_kutta::nd_lorenz63, judge);
    };
    row("rk4_lorenz63".to_owned(), Box::new(three));
    table
}

/// Ten rounds of k-means, with eight clusters.
fn clusters(size: Size, dims: usize, ported: bool, judge: Judge<'_>) {
    const CLUSTERS: usize = 8;
    let count = size.pick(10_000, 500);
    let coordinates = kmeans::points(count, dims, CLUSTERS);
    let (points, nd_points) = both::<Rank<2>>(&[count, dims], |i| coordinates[i]);
    let (centres, nd_centres) = both::<Rank<2>>(&[CLUSTERS, dims], |i| coordinates[i]);
    let nd = || kmeans::nd(&nd_points, &nd_centres);
    let ours = if ported { kmeans::ported } else { kmeans::ours };
    Case::program(nd()).ours_new(|| ours(&points, &centres)).written(nd).judge(judge);
}

fn picture_shape(size: Size) -> [usize; 2] {
    [size.pick(480, 48), size.pick(640, 64)]
}

/// The Gaussian filter of standard deviation 1.
fn gaussian<R: NdRank<Shape: IntoShape<Rank = R>>>(
    shape: &[usize],
    ported: bool,
    judge: Judge<'_>,
) {
    let (x, nd_x) = both::<R>(shape, uniform);
    let nd = || filters::nd_gaussian(&nd_x, 1.0);
    let ours = if ported { filters::gaussian_ported } else { filters::gaussian };
    Case::program(nd()).ours_new(|| ours(&x, 1.0)).written(nd).judge(judge);
}

fn sobel(size: Size, judge: Judge<'_>) {
    let (x, nd_x) = both::<Rank<2>>(&picture_shape(size), uniform);
    let nd = || filters::nd_sobel(&nd_x);
    Case::program(nd()).ours_new(|| filters::sobel(&x)).written(nd).judge(judge);
}

/// The median of windows of three by three.
fn median(size: Size, judge: Judge<'_>) {
    let (x, nd_x) = both::<Rank<2>>(&picture_shape(size), uniform);
    let nd = || filters::nd_median(&nd_x, 3);
    Case::program(nd()).ours_new(|| filters::median(&x, 3)).written(nd).judge(judge);
}

/// The Game of Life, from cells of which three in ten are alive.
fn game(extent: usize, generations: usize, judge: Judge<'_>) {
    let (x, nd_x) = both::<Rank<2>>(&[extent, extent], |i| f64::from(u8::from(uniform(i) < 0.3)));
    let (x, nd_x) = (x.map_into(|x| x as u8), nd_x.mapv(|x| x as u8));
    let nd = || life::nd(&nd_x, generations);
    Case::program(nd()).ours_new(|| life::ours(&x, generations)).written(nd).judge(judge);
}

/// Steps of Runge and Kutta. Few enough that what rounding differs by does not grow to be seen.
fn scheme(
    len: usize,
    h: f64,
    steps: usize,
    slope: impl Fn(&Array1<f64>, &mut Array1<f64>) -> Result<(), Error>,
    nd_slope: impl Fn(&ndarray::Array1<f64>, &mut ndarray::Array1<f64>),
    judge: Judge<'_>,
) {
    let start = runge_kutta::start(len);
    let (x, nd_x) = both::<Rank<1>>(&[len], |i| start[i]);
    let nd = || runge_kutta::nd(&nd_x, h, steps, &nd_slope);
    let ours = || runge_kutta::ours(&x, h, steps, &slope);
    Case::program(nd()).ours_new(ours).written(nd).judge(judge);
}
