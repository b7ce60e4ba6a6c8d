//! How far the mathematical functions are from the correctly rounded ones, by way of the public
//! interface.

mod complex;
mod file;
mod functions;
mod sample;
mod twofold;

pub use complex::PROMISES as COMPLEX_PROMISES;
pub use file::add_file;
pub use functions::{Function, Functions, Operands, functions};
pub use sample::{exhaustive, points};

use file::parse;
use std::fmt::{Debug, LowerExp};
use zerostride::prelude::*;
use zerostride::{Element, ops};

/// `f32` and `f64`, by their bits.
pub trait Float: Element + PartialEq + Debug + LowerExp + Default {
    /// The name of the type.
    const NAME: &'static str;
    /// The number with these bits, of which only the lower ones count.
    fn of_bits(bits: u64) -> Self;
    /// The nearest number.
    fn near(value: f64) -> Self;
    /// The number as an `f64`.
    fn wide(self) -> f64;
    /// An integer that grows with the number by 1 from each to the next.
    fn rank(self) -> i64;
    /// The number that many steps away from zero, or toward it.
    fn moved(self, steps: i64) -> Self;
}

impl Float for f32 {
    const NAME: &'static str = "f32";

    fn of_bits(bits: u64) -> f32 {
        f32::from_bits(bits as u32)
    }
    fn near(value: f64) -> f32 {
        value as f32
    }
    fn wide(self) -> f64 {
        f64::from(self)
    }
    fn rank(self) -> i64 {
        let magnitude = i64::from(self.to_bits() & 0x7fff_ffff);
        if self.is_sign_negative() { -magnitude } else { magnitude }
    }
    fn moved(self, steps: i64) -> f32 {
        f32::from_bits(self.to_bits().wrapping_add_signed(steps as i32))
    }
}

impl Float for f64 {
    const NAME: &'static str = "f64";

    fn of_bits(bits: u64) -> f64 {
        f64::from_bits(bits)
    }
    fn near(value: f64) -> f64 {
        value
    }
    fn wide(self) -> f64 {
        self
    }
    fn rank(self) -> i64 {
        let magnitude = (self.to_bits() & i64::MAX as u64) as i64;
        if self.is_sign_negative() { -magnitude } else { magnitude }
    }
    fn moved(self, steps: i64) -> f64 {
        f64::from_bits(self.to_bits().wrapping_add_signed(steps))
    }
}

/// How many units in the last place a result is from the one expected; infinitely many for the
/// wrong zero, or for NaN where a number is expected and the other way round.
pub fn distance<F: Float>(got: F, want: F) -> f64 {
    let (g, w) = (got.wide(), want.wide());
    if g.is_nan() || w.is_nan() {
        return if g.is_nan() && w.is_nan() { 0.0 } else { f64::INFINITY };
    }
    if g == 0.0 && w == 0.0 && g.is_sign_negative() != w.is_sign_negative() {
        return f64::INFINITY;
    }
    (i128::from(got.rank()) - i128::from(want.rank())).unsigned_abs() as f64
}

/// What the table of operations promises for a function, in units in the last place.
pub fn promise(name: &str) -> f64 {
    let row = ops::all_ops().find(|row| row.name == name).expect("a function of the table");
    row.accuracy.split(' ').next().and_then(|number| number.parse().ok()).unwrap_or(0.5)
}

/// The largest distance of a function so far.
#[derive(Clone, Debug)]
pub struct Worst<F> {
    /// The results seen.
    pub count: usize,
    /// Those beyond the promise.
    pub failed: usize,
    /// The largest distance.
    pub distance: f64,
    /// Where it was: the operands, the result, and the one expected.
    pub at: Option<(Vec<F>, F, F)>,
}

impl<F: Float> Worst<F> {
    /// Nothing seen yet.
    pub fn new() -> Self {
        Worst { count: 0, failed: 0, distance: 0.0, at: None }
    }

    /// One more result, at this distance.
    pub fn add(&mut self, operands: &[F], got: F, want: F, distance: f64, promise: f64) {
        self.count += 1;
        self.failed += usize::from(distance > promise);
        if distance > self.distance {
            self.distance = distance;
            self.at = Some((operands.to_vec(), got, want));
        }
    }

    /// In words.
    pub fn describe(&self, name: &str, promise: f64) -> String {
        let at = match &self.at {
            Some((operands, got, want)) => format!(" at {operands:?}: {got:e}, not {want:e}"),
            None => String::new(),
        };
        let (count, distance) = (self.count, self.distance);
        format!(
            "{name} {}: {count} results, at most {distance:.4} ULP{at}; promised {promise}",
            F::NAME
        )
    }
}

impl<F: Float> Default for Worst<F> {
    fn default() -> Self {
        Self::new()
    }
}

/// The results of a function for lists of operands, from contiguous arrays and again from a strided
/// and reversed view of others; an error if the two differ.
pub fn evaluate<F: Float>(function: &Function<F>, operands: &[Vec<F>]) -> Result<Vec<F>, String> {
    let contiguous: Vec<Array1<F>> =
        operands.iter().map(|data| Array1::from_vec(data.clone())).collect();
    // Every third element of a longer array, from its end.
    let spread: Vec<Array1<F>> = operands
        .iter()
        .map(|data| {
            let spaced = data.iter().rev().flat_map(|&x| [F::default(), F::default(), x]);
            Array1::from_vec(spaced.collect())
        })
        .collect();
    let whole: Vec<View1<'_, F>> = contiguous.iter().map(|x| x.view()).collect();
    let strided: Result<Vec<View1<'_, F>>, _> = spread.iter().map(|x| x.slice(s![..;-3])).collect();
    let (whole, strided) =
        (function.call(&whole), function.call(&strided.map_err(|error| error.to_string())?));
    let same = whole.iter().zip(&strided).all(|(a, b)| distance(*a, *b) == 0.0);
    if whole.len() == strided.len() && same {
        Ok(whole)
    } else {
        Err(format!(
            "{} of {}: a strided view has other results than a contiguous array",
            function.name,
            F::NAME
        ))
    }
}
