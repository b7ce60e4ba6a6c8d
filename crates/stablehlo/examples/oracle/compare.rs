//! How results compare.

use crate::Case;
use elementwise::ops::all_ops;
use half::{bf16, f16};
use stablehlo::ElementKind;
use std::fmt;

/// What came out of a case. All NaN count as one.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    Same,
    /// By so many units of the last place of the result, or of the modulus: at most twice what its
    /// operations promise together, since both sides round.
    Within(f64),
    Different {
        worst: f64,
        example: String,
        count: usize,
        of: usize,
    },
    /// XLA did not take it.
    Refused(String),
}

impl Outcome {
    pub fn is_different(&self) -> bool {
        matches!(self, Outcome::Different { .. } | Outcome::Refused(_))
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Same => write!(f, "the same"),
            Outcome::Within(ulp) => write!(f, "within {ulp:.1} ULP"),
            Outcome::Different { worst, example, count, of } => {
                write!(f, "{count} of {of}")?;
                if worst.is_finite() {
                    write!(f, ", up to {worst:.3} ULP")?;
                }
                write!(f, ", {example}")
            }
            Outcome::Refused(error) => write!(f, "refused: {}", error.trim()),
        }
    }
}

/// The numbers of a type, complex ones as two parts; and the bits of their mantissa and the
/// exponent of the smallest normal number.
fn numbers(kind: ElementKind, bytes: &[u8]) -> Option<(Vec<f64>, i32, i32)> {
    fn all<const N: usize>(bytes: &[u8], of: impl Fn([u8; N]) -> f64) -> Vec<f64> {
        bytes.as_chunks::<N>().0.iter().map(|&chunk| of(chunk)).collect()
    }
    Some(match kind {
        ElementKind::F16 => (all(bytes, |b| f16::from_le_bytes(b).to_f64()), 10, -14),
        ElementKind::BF16 => (all(bytes, |b| bf16::from_le_bytes(b).to_f64()), 7, -126),
        ElementKind::F32 | ElementKind::C64 => {
            (all(bytes, |b| f64::from(f32::from_le_bytes(b))), 23, -126)
        }
        ElementKind::F64 | ElementKind::C128 => (all(bytes, f64::from_le_bytes), 52, -1022),
        _ => return None,
    })
}

/// The distance of two numbers in units of the last place of the first.
fn ulps(ours: f64, theirs: f64, size: f64, mantissa: i32, lowest: i32) -> f64 {
    if ours.to_bits() == theirs.to_bits() || (ours.is_nan() && theirs.is_nan()) {
        return 0.0;
    }
    if !(ours.is_finite() && theirs.is_finite()) {
        return f64::INFINITY;
    }
    if ours == theirs {
        // Zeros of different signs.
        return f64::INFINITY;
    }
    let exponent = if size == 0.0 { lowest } else { (size.log2().floor() as i32).max(lowest) };
    // In two steps, because the power may be subnormal.
    (ours - theirs).abs() / 2f64.powi(exponent) * 2f64.powi(mantissa)
}

pub fn compare(case: &Case, got: &[u8]) -> Outcome {
    let different = |worst, example, count, of| Outcome::Different { worst, example, count, of };
    if got.len() != case.expected.len() {
        return different(f64::INFINITY, "the size".into(), 1, 1);
    }
    let Some((ours, mantissa, lowest)) = numbers(case.result, &case.expected) else {
        if got == case.expected {
            return Outcome::Same;
        }
        let size = case.result.size();
        let (ours, theirs) = (case.expected.chunks(size), got.chunks(size));
        let wrong: Vec<(&[u8], &[u8])> = ours.zip(theirs).filter(|(a, b)| a != b).collect();
        let example = format!("{:02x?}, XLA {:02x?}", wrong[0].0, wrong[0].1);
        return different(f64::INFINITY, example, wrong.len(), got.len() / size);
    };
    let theirs = numbers(case.result, got).map_or_else(Vec::new, |(all, _, _)| all);
    let parts = if matches!(case.result, ElementKind::C64 | ElementKind::C128) { 2 } else { 1 };
    let (mut worst, mut example, mut count, mut loose): (f64, _, _, _) = (0.0, String::new(), 0, 0);
    let promise: f64 = all_ops()
        .filter(|row| case.ops.contains(row.name))
        .filter_map(|row| row.accuracy.split(' ').next()?.parse::<f64>().ok())
        .sum();
    for (ours, theirs) in ours.chunks(parts).zip(theirs.chunks(parts)) {
        let size = ours.iter().map(|part| part * part).sum::<f64>().sqrt();
        let size = if parts == 1 { ours[0].abs() } else { size };
        let off = ours.iter().zip(theirs);
        let off = off.map(|(a, b)| ulps(*a, *b, size, mantissa, lowest)).fold(0.0, f64::max);
        if off > 0.0 {
            loose += 1;
        }
        if off > 2.0 * promise {
            count += 1;
        }
        if off > worst {
            worst = off;
            example = format!("{ours:?}, XLA {theirs:?}");
        }
    }
    match (loose, count) {
        (0, _) => Outcome::Same,
        (_, 0) => Outcome::Within(worst),
        _ => different(worst, example, count, ours.len() / parts),
    }
}
