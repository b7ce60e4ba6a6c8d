//! Separable filters of pictures and volumes: the Gaussian one and that of Sobel, mirrored at the
//! edges.

use ndarray::Zip;
use zerostride::prelude::*;
use zerostride::{Dimension, Error, IntoShape};

/// The weights of a Gaussian filter, up to four standard deviations from the middle; their sum is
/// 1.
fn gaussian_weights(deviation: f64) -> Vec<f64> {
    let radius = (4.0 * deviation).round() as isize;
    let weight = |x: isize| (-0.5 * (x as f64 / deviation).powi(2)).exp();
    let sum: f64 = (-radius..=radius).map(weight).sum();
    (-radius..=radius).map(|x| weight(x) / sum).collect()
}

/// The weights of a difference between neighbours, and of a mean across it.
const SOBEL: [[f64; 3]; 2] = [[-1.0, 0.0, 1.0], [1.0, 2.0, 1.0]];

/// Each element becomes a weighted sum of those around it along an axis.
fn correlate<R: Dimension<Shape: IntoShape<Rank = R>>>(
    x: &Array<f64, R>,
    weights: &[f64],
    axis: usize,
) -> Result<Array<f64, R>, Error> {
    let (last, weights) = (x.ndim(), Array1::from(weights));
    let padded = mirrored(x, weights.len() / 2, axis)?;
    let windows = padded.sliding_window_view(axis, weights.len())?;
    Ok((windows * weights.along([last])).sum_axis(last)?.into_rank()?)
}

/// The array with as many more elements at both ends of an axis, mirrored at its edges.
fn mirrored<R: Dimension<Shape: IntoShape<Rank = R>>>(
    x: &Array<f64, R>,
    radius: usize,
    axis: usize,
) -> Result<Array<f64, R>, Error> {
    let extent = x.shape()[axis];
    let mut shape = x.dim();
    shape.as_mut()[axis] += 2 * radius;
    let mut padded = Array::zeros(shape);
    let (mut before, rest) = padded.view_mut().split_at(axis, radius)?;
    let (mut middle, mut after) = rest.split_at(axis, extent)?;
    before.assign(x.slice_axis(axis, 0..radius, -1)?)?;
    middle.assign(x)?;
    after.assign(x.slice_axis(axis, extent - radius..extent, -1)?)?;
    Ok(padded)
}

/// The Gaussian filter, along all axes.
///
/// # Errors
/// If an axis is shorter than four standard deviations.
pub fn gaussian<R: Dimension<Shape: IntoShape<Rank = R>>>(
    x: &Array<f64, R>,
    deviation: f64,
) -> Result<Array<f64, R>, Error> {
    let weights = gaussian_weights(deviation);
    let mut out = x.clone();
    for axis in 0..x.ndim() {
        out = correlate(&out, &weights, axis)?;
    }
    Ok(out)
}

/// The length of the gradient, by the filter of Sobel.
///
/// # Errors
/// If the picture is empty.
pub fn sobel(x: &Array2<f64>) -> Result<Array2<f64>, Error> {
    let along = |axis: usize| correlate(&correlate(x, &SOBEL[0], axis)?, &SOBEL[1], 1 - axis);
    (along(0)?.square() + along(1)?.square()).sqrt().eval()
}

/// The middle one of the elements in a square window around each one, mirrored at the edges.
///
/// # Errors
/// If the picture is smaller than half a window.
pub fn median(x: &Array2<f64>, side: usize) -> Result<Array2<f64>, Error> {
    let padded = mirrored(&mirrored(x, side / 2, 0)?, side / 2, 1)?;
    let mut window = Vec::with_capacity(side * side);
    let middles = padded.windows([side, side])?.map(|of| middle(&mut window, of.iter()));
    Ok(Array2::from_shape_vec(x.dim(), middles.collect())?)
}

/// The middle one of some elements.
fn middle<'x>(window: &mut Vec<f64>, of: impl Iterator<Item = &'x f64>) -> f64 {
    window.clear();
    window.extend(of.copied());
    let half = window.len() / 2;
    *window.select_nth_unstable_by(half, f64::total_cmp).1
}

/// As [`gaussian`], one lane after the other.
///
/// # Errors
/// As for [`gaussian`].
pub fn gaussian_ported<R: Dimension<Shape: IntoShape<Rank = R>>>(
    x: &Array<f64, R>,
    deviation: f64,
) -> Result<Array<f64, R>, Error> {
    let weights = gaussian_weights(deviation);
    let mut out = x.clone();
    for axis in 0..x.ndim() {
        let mut next = Array::zeros(x.dim());
        let mut padded = vec![0.0; x.shape()[axis] + weights.len() - 1];
        for (lane, mut to) in out.lanes(axis)?.zip(next.lanes_mut(axis)?) {
            correlate_lane(lane.iter(), &weights, &mut padded, to.iter_mut());
        }
        out = next;
    }
    Ok(out)
}

/// The weighted sums of one lane, by way of a copy of it that is mirrored at both ends.
fn correlate_lane<'x>(
    lane: impl Iterator<Item = &'x f64>,
    weights: &[f64],
    padded: &mut [f64],
    out: impl Iterator<Item = &'x mut f64>,
) {
    let radius = weights.len() / 2;
    let extent = padded.len() - 2 * radius;
    for (to, &x) in padded[radius..].iter_mut().zip(lane) {
        *to = x;
    }
    for i in 0..radius {
        padded[radius - 1 - i] = padded[radius + i];
        padded[radius + extent + i] = padded[radius + extent - 1 - i];
    }
    for (to, window) in out.zip(padded.windows(weights.len())) {
        *to = window.iter().zip(weights).map(|(x, weight)| x * weight).sum();
    }
}

/// As `correlate`, with `ndarray`: lane by lane.
fn nd_correlate<D: ndarray::Dimension>(
    x: &ndarray::Array<f64, D>,
    weights: &[f64],
    axis: usize,
) -> ndarray::Array<f64, D> {
    let axis = ndarray::Axis(axis);
    let mut out = ndarray::Array::zeros(x.raw_dim());
    let mut padded = vec![0.0; x.len_of(axis) + weights.len() - 1];
    Zip::from(x.lanes(axis)).and(out.lanes_mut(axis)).for_each(|lane, mut out| {
        correlate_lane(lane.iter(), weights, &mut padded, out.iter_mut());
    });
    out
}

/// As [`gaussian`], with `ndarray`.
pub fn nd_gaussian<D: ndarray::Dimension>(
    x: &ndarray::Array<f64, D>,
    deviation: f64,
) -> ndarray::Array<f64, D> {
    let weights = gaussian_weights(deviation);
    (0..x.ndim()).fold(x.clone(), |x, axis| nd_correlate(&x, &weights, axis))
}

/// As [`sobel`], with `ndarray`.
pub fn nd_sobel(x: &ndarray::Array2<f64>) -> ndarray::Array2<f64> {
    let along = |axis: usize| nd_correlate(&nd_correlate(x, &SOBEL[0], axis), &SOBEL[1], 1 - axis);
    Zip::from(&along(0)).and(&along(1)).map_collect(|x, y| (x * x + y * y).sqrt())
}

/// As `mirrored`, of both axes, with `ndarray`.
fn nd_mirrored(x: &ndarray::Array2<f64>, radius: usize) -> ndarray::Array2<f64> {
    let (height, width) = x.dim();
    let inside = |i: usize, extent: usize| match i {
        i if i < radius => radius - 1 - i,
        i if i >= extent + radius => 2 * extent + radius - 1 - i,
        i => i - radius,
    };
    let shape = (height + 2 * radius, width + 2 * radius);
    ndarray::Array2::from_shape_fn(shape, |(i, j)| x[[inside(i, height), inside(j, width)]])
}

/// As [`median`], with `ndarray`.
pub fn nd_median(x: &ndarray::Array2<f64>, side: usize) -> ndarray::Array2<f64> {
    let padded = nd_mirrored(x, side / 2);
    let mut out = ndarray::Array2::zeros(x.dim());
    let mut window = Vec::with_capacity(side * side);
    Zip::from(&mut out)
        .and(padded.windows((side, side)))
        .for_each(|out, of| *out = middle(&mut window, of.iter()));
    out
}
