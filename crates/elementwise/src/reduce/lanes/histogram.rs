//! Histograms.

use super::memory::filled;
use crate::eval::Contiguous;
use crate::expr::Expr;
use crate::ops::CastTo;
use crate::types::Array;
use bcast::{Error, ErrorKind};
use ndcore::{Dimension, Rank, Text};

type Bins = (Array<usize, Rank<1>>, Array<f64, Rank<1>>);

pub(super) fn histogram<E>(expr: &E, bins: usize, low: f64, high: f64) -> Result<Bins, Error>
where
    E: Expr<Elem: CastTo<f64>, Rank: Dimension>,
{
    if bins == 0 || !(high - low).is_finite() || low >= high {
        let (low, high) = (Text::of_number(low), Text::of_number(high));
        let range = Text::of(format_args!("{low} to {high}"));
        return Err(ErrorKind::Histogram { bins, range }.into());
    }
    let edge = |number: usize| match number {
        last if last == bins => high,
        number => low + (high - low) * (number as f64 / bins as f64),
    };
    let mut counts = filled(0_usize, bins)?;
    let mut edges = filled(high, bins.saturating_add(1))?;
    edges.iter_mut().enumerate().for_each(|(number, end)| *end = edge(number));
    // Of a very narrow range it may be more than there are numbers for.
    let per_unit = bins as f64 / (high - low);
    let place = |value: f64| match per_unit.is_finite() {
        true => (value - low) * per_unit,
        false => (value - low) / (high - low) * bins as f64,
    };
    let (counts_of, ends) = (&mut counts[..bins], &edges[..]);
    for &value in Contiguous::of(expr)?.memory() {
        let value: f64 = value.cast_to();
        if !(low..=high).contains(&value) {
            continue;
        }
        // It is rounded; the ends decide. It is not negative, and a signed number is found sooner.
        let mut bin = (place(value) as i64 as usize).min(bins - 1);
        let beside = ends.get(bin..).and_then(|ends| ends.first_chunk());
        if !beside.is_some_and(|&[low, high]| low <= value && value < high) {
            bin = moved(ends, bin, value);
        }
        counts_of[bin] += 1;
    }
    Ok((Array::from_vec(counts), Array::from_vec(edges)))
}

/// The part with these ends in which a value is, of which one near it is known.
#[cold]
fn moved(ends: &[f64], near: usize, value: f64) -> usize {
    let mut bin = near;
    while bin > 0 && value < ends[bin] {
        bin -= 1;
    }
    while bin + 2 < ends.len() && value >= ends[bin + 1] {
        bin += 1;
    }
    bin
}
