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
    for &value in Contiguous::of(expr)?.memory() {
        let value: f64 = value.cast_to();
        if !(low..=high).contains(&value) {
            continue;
        }
        // It is rounded; the ends decide.
        let mut bin = (place(value) as usize).min(bins - 1);
        while bin > 0 && value < edges[bin] {
            bin -= 1;
        }
        while bin + 1 < bins && value >= edges[bin + 1] {
            bin += 1;
        }
        counts[bin] += 1;
    }
    Ok((Array::from_vec(counts), Array::from_vec(edges)))
}
