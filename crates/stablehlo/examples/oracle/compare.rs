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
    Different(Difference),
    /// XLA did not take it.
    Refused(String),
}

/// Elements that differ, by the reason.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Difference {
    of: usize,
    /// Subnormal numbers, which are 0 there.
    subnormal: usize,
    /// Zeros of different signs.
    signs: usize,
    /// NaN or infinite on one side.
    special: usize,
    /// Integers or `bool`.
    exact: usize,
    /// Rounded otherwise, by more than is promised, up to so many units.
    rounded: usize,
    worst: f64,
    /// The first one of the rarest kind.
    example: String,
}

impl Outcome {
    pub fn is_different(&self) -> bool {
        matches!(self, Outcome::Different(_) | Outcome::Refused(_))
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Outcome::Same => write!(f, "the same"),
            Outcome::Within(ulp) => write!(f, "within {ulp:.1} ULP"),
            Outcome::Different(all) => {
                let mut parts = Vec::new();
                let worst = format!("rounded otherwise, to {:.0} ULP", all.worst.ceil());
                for (count, words) in [
                    (all.exact, "other integers"),
                    (all.special, "NaN or infinite"),
                    (all.rounded, worst.as_str()),
                    (all.signs, "sign of zero"),
                    (all.subnormal, "subnormal is 0"),
                ] {
                    if count > 0 {
                        parts.push(format!("{words} ({count} of {})", all.of));
                    }
                }
                write!(f, "{}", parts.join(", "))?;
                if all.special + all.exact > 0 {
                    write!(f, ": {}", all.example)?;
                }
                Ok(())
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

/// The distance of two numbers in units of the last place of a number of this size.
fn ulps(ours: f64, theirs: f64, size: f64, mantissa: i32, lowest: i32) -> f64 {
    let exponent = if size == 0.0 { lowest } else { (size.log2().floor() as i32).max(lowest) };
    // In two steps, because the power may be subnormal.
    (ours - theirs).abs() / 2f64.powi(exponent) * 2f64.powi(mantissa)
}

pub fn compare(case: &Case, got: &[u8]) -> Outcome {
    let size = case.result.size();
    let mut all = Difference { of: case.expected.len() / size, ..Difference::default() };
    if got.len() != case.expected.len() {
        let example = format!("{} bytes, there {}", case.expected.len(), got.len());
        return Outcome::Different(Difference { exact: all.of, example, ..all });
    }
    let Some((ours, mantissa, lowest)) = numbers(case.result, &case.expected) else {
        for (ours, theirs) in case.expected.chunks(size).zip(got.chunks(size)) {
            if ours != theirs {
                all.exact += 1;
                all.example = format!("{ours:02x?}, there {theirs:02x?}");
            }
        }
        return if all.exact == 0 { Outcome::Same } else { Outcome::Different(all) };
    };
    let theirs = numbers(case.result, got).map_or_else(Vec::new, |(all, _, _)| all);
    let parts = if matches!(case.result, ElementKind::C64 | ElementKind::C128) { 2 } else { 1 };
    let promise: f64 = all_ops()
        .filter(|row| case.ops.iter().any(|(name, _)| *name == row.name))
        .filter_map(|row| row.accuracy.split(' ').next()?.parse::<f64>().ok())
        .sum();
    let smallest = 2f64.powi(lowest);
    let mut within: f64 = 0.0;
    for (ours, theirs) in ours.chunks(parts).zip(theirs.chunks(parts)) {
        let size = if parts == 1 { ours[0].abs() } else { ours[0].hypot(ours[1]) };
        let mut worst: f64 = 0.0;
        let (mut special, mut signs, mut subnormal) = (false, false, false);
        for (&a, &b) in ours.iter().zip(theirs) {
            if a.to_bits() == b.to_bits() || (a.is_nan() && b.is_nan()) {
                continue;
            }
            if !(a.is_finite() && b.is_finite()) {
                special = true;
            } else if a == b {
                signs = true;
            } else if b == 0.0 && a.abs() < smallest {
                subnormal = true;
            } else {
                worst = worst.max(ulps(a, b, size, mantissa, lowest));
            }
        }
        let rounded = worst > 2.0 * promise;
        if special && all.special == 0 {
            all.example = format!("{ours:?}, there {theirs:?}");
        }
        all.special += usize::from(special);
        all.rounded += usize::from(!special && rounded);
        all.signs += usize::from(!special && !rounded && signs);
        all.subnormal += usize::from(!special && !rounded && !signs && subnormal);
        all.worst = if rounded { all.worst.max(worst) } else { all.worst };
        within = within.max(worst);
    }
    let different = all.special + all.rounded + all.signs + all.subnormal > 0;
    match (different, within > 0.0) {
        (true, _) => Outcome::Different(all),
        (false, true) => Outcome::Within(within),
        (false, false) => Outcome::Same,
    }
}
