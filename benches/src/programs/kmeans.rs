//! Clusters by the method of Lloyd: each point goes to the nearest centre, each centre to the mean
//! of its points, until the centres rest.

use super::uniform;
use ndarray::Zip;
use zerostride::prelude::*;
use zerostride::{Error, Reductions};

/// At most so many rounds.
const ROUNDS: usize = 10;

/// Centres that move by less than this, squared and added up, are at rest.
const REST: f64 = 1e-9;

/// Points that lie around `clusters` places in turn: coordinates point by point. The clusters
/// overlap, whatever the number of coordinates, so that the centres do not rest before the last
/// round.
pub fn points(count: usize, dims: usize, clusters: usize) -> Vec<f64> {
    let apart = 1.5 / (dims as f64).sqrt();
    let coordinate = |i: usize| {
        let (point, dim) = (i / dims, i % dims);
        let place = apart * uniform((point % clusters) * dims + dim);
        place + uniform(clusters * dims + i)
    };
    (0..count * dims).map(coordinate).collect()
}

/// The centres that Lloyd's method finds from the given ones, by rows.
///
/// # Errors
/// If the points have not as many coordinates as the centres.
pub fn ours(points: &Array2<f64>, centres: &Array2<f64>) -> Result<Array2<f64>, Error> {
    lloyd(points, centres, |points, centres| {
        let apart = points.insert_axis(1)? - centres.insert_axis(0)?;
        apart.square().sum_axis(2)?.argmin_axis(1)
    })
}

/// As [`ours`], one pair of rows after the other.
///
/// # Errors
/// As for [`ours`].
pub fn ported(points: &Array2<f64>, centres: &Array2<f64>) -> Result<Array2<f64>, Error> {
    lloyd(points, centres, |points, centres| {
        let mut labels = Array1::zeros(points.shape()[0]);
        for (point, label) in points.axis_iter(0)?.zip(labels.iter_mut()) {
            *label = nearest(centres, point)?;
        }
        Ok(labels)
    })
}

/// The row of the centre nearest to a point.
fn nearest(centres: &Array2<f64>, point: View1<'_, f64>) -> Result<usize, Error> {
    let (mut nearest, mut least) = (0, f64::INFINITY);
    for (i, centre) in centres.axis_iter(0)?.enumerate() {
        let distance = (point - centre).square().sum()?;
        if distance < least {
            (nearest, least) = (i, distance);
        }
    }
    Ok(nearest)
}

/// The loop, with a function that finds the nearest centre of each point.
fn lloyd(
    points: &Array2<f64>,
    centres: &Array2<f64>,
    nearest: impl Fn(&Array2<f64>, &Array2<f64>) -> Result<Array1<usize>, Error>,
) -> Result<Array2<f64>, Error> {
    let mut centres = centres.clone();
    for _ in 0..ROUNDS {
        let labels = nearest(points, &centres)?;
        // A centre counts as a point of its own, so that none is without.
        let mut means = centres.clone();
        let mut counts = Array1::<f64>::ones(centres.shape()[0]);
        for (point, &label) in points.axis_iter(0)?.zip(labels.iter()) {
            let mut mean = means.index_axis_mut(0, label)?;
            mean += point;
            counts[label] += 1.0;
        }
        means /= counts.along([0]);
        let moved = (&means - &centres).square().sum()?;
        centres = means;
        if moved < REST {
            break;
        }
    }
    Ok(centres)
}

/// As [`ours`], with `ndarray`.
pub fn nd(points: &ndarray::Array2<f64>, centres: &ndarray::Array2<f64>) -> ndarray::Array2<f64> {
    let mut centres = centres.clone();
    let mut labels = ndarray::Array1::<usize>::zeros(points.nrows());
    for _ in 0..ROUNDS {
        Zip::from(points.rows()).and(&mut labels).for_each(|point, label| {
            *label = nd_nearest(&centres, point);
        });
        let mut means = centres.clone();
        let mut counts = ndarray::Array1::<f64>::ones(centres.nrows());
        Zip::from(points.rows()).and(&labels).for_each(|point, &label| {
            let mut mean = means.row_mut(label);
            mean += &point;
            counts[label] += 1.0;
        });
        means /= &counts.insert_axis(ndarray::Axis(1));
        let moved = (&means - &centres).mapv(|x| x * x).sum();
        centres = means;
        if moved < REST {
            break;
        }
    }
    centres
}

/// The row of the centre nearest to a point.
fn nd_nearest(centres: &ndarray::Array2<f64>, point: ndarray::ArrayView1<'_, f64>) -> usize {
    let (mut nearest, mut least) = (0, f64::INFINITY);
    for (i, centre) in centres.outer_iter().enumerate() {
        let mut distance = 0.0;
        Zip::from(point).and(centre).for_each(|x, c| distance += (x - c) * (x - c));
        if distance < least {
            (nearest, least) = (i, distance);
        }
    }
    nearest
}
