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
        // The place is rounded, as is what it is rounded down by; the ends decide. What is in no
        // part is near some part here.
        let near = (place(value) - BELOW) + WHOLE;
        let near = near.to_bits().wrapping_sub(WHOLE.to_bits()) as usize;
        let mut bin = near.min(bins - 1);
        let beside = ends.get(bin..).and_then(|ends| ends.first_chunk());
        if !beside.is_some_and(|&[low, high]| low <= value && value < high) {
            match moved(ends, bin, value) {
                Some(moved) => bin = moved,
                None => continue,
            }
        }
        counts_of[bin] += 1;
    }
    Ok((Array::from_vec(counts), Array::from_vec(edges)))
}

/// What is added to a number in double precision so that its last bits are those of the whole
/// number that is nearest, at most 2^51: 1.5 times 2^52.
const WHOLE: f64 = 6_755_399_441_055_744.0;

/// What a place is less, rounded to the nearest, of most numbers that begin a part, and of those in
/// it: by a little less than a half, because halves are rounded to even numbers.
const BELOW: f64 = 0.5 - 1.0 / (1_u64 << 30) as f64;

/// The part with these ends in which a value is, if it is in one, of which one may be near it.
#[cold]
fn moved(ends: &[f64], near: usize, value: f64) -> Option<usize> {
    let (&low, &high) = (ends.first()?, ends.last()?);
    if !(low..=high).contains(&value) {
        return None;
    }
    let mut bin = near;
    while bin > 0 && value < ends[bin] {
        bin -= 1;
    }
    while bin + 2 < ends.len() && value >= ends[bin + 1] {
        bin += 1;
    }
    Some(bin)
}
