//! Which operands to try.

use super::functions::Functions;
use super::{Float, Function, Operands, Worst, promise};
use std::ops::Range;
use zerostride::prelude::*;

/// Where functions are special, and what lies beside.
const CORNERS: [f64; 16] = [
    0.0,
    f64::INFINITY,
    f64::NAN,
    1.0,
    2.0,
    3.0,
    0.5,
    10.0,
    88.722_84,
    103.972_08,
    709.782_712_893_384,
    745.133_219_101_941_1,
    f64::MIN_POSITIVE,
    f64::MAX,
    1.401_298_464_324_817e-45,
    3.402_823_466_385_288_6e38,
];

/// Lists of operands of a function: all kinds of bits, its regions, its zeros and corners and their
/// neighbours; at least `count` of each operand.
pub fn points<F: Functions>(function: &Function<F>, count: usize) -> Vec<Vec<F>> {
    // Marsaglia, "Xorshift RNGs", 2003.
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut corners: Vec<F> = Vec::new();
    for corner in CORNERS {
        for x in [F::near(corner), F::near(-corner)] {
            corners.push(x);
            corners.extend(
                [1.0 - f64::EPSILON, 1.0 + f64::from(f32::EPSILON)]
                    .map(|by| F::near(x.wide() * by)),
            );
        }
    }
    if function.arity() == 2 {
        let (mut first, mut second) = (Vec::new(), Vec::new());
        for &x in &corners {
            for &y in &corners {
                first.push(x);
                second.push(y);
            }
        }
        while first.len() < count {
            // Two numbers of any size, and two of moderate size, for which powers are finite; and
            // beside both kinds halves from -4 to 4, which are powers that people write.
            let of = |bits: u64, scale: f64| (bits >> 11) as f64 / (1_u64 << 53) as f64 * scale;
            first.extend([
                F::of_bits(random()),
                F::near(of(random(), 100.0)),
                F::near(of(random(), 2.0)),
                F::of_bits(random()),
                F::near(of(random(), 200.0) - 100.0),
            ]);
            let mut half = || F::near((of(random(), 17.0).floor() - 8.0) / 2.0);
            let halves = [half(), half()];
            second.extend([
                F::of_bits(random()),
                F::near(of(random(), 20.0) - 10.0),
                F::near(of(random(), 200.0) - 100.0),
                halves[0],
                halves[1],
            ]);
        }
        return vec![first, second];
    }
    let mut points = corners;
    for zero in (function.zeros)() {
        let near = F::near(zero);
        points.extend((-4..=4).map(|steps| near.moved(steps)));
        // At all distances.
        for k in 2..52 {
            let part = (random() >> 11) as f64 / (1_u64 << 53) as f64;
            let by = (1.0 + part) * 2_f64.powi(-k);
            points.extend([1.0 - by, 1.0 + by].map(|by| F::near(zero * by)));
        }
    }
    while points.len() < count {
        points.push(F::of_bits(random()));
        for &(low, high) in function.regions {
            let part = (random() >> 11) as f64 / (1_u64 << 53) as f64;
            points.push(F::near(low + (high - low) * part));
        }
    }
    vec![points]
}

/// The largest error of a function of one `f32` over these bits, in units in the last place of the
/// exact result. `tried` is told how many more have been.
pub fn exhaustive(
    function: &Function<f32>,
    bits: Range<u64>,
    tried: &(dyn Fn(u64) + Sync),
) -> Worst<f32> {
    let Operands::One(_, reference, exact) = function.operands else {
        panic!("{} has two operands", function.name);
    };
    let (promise, mut worst) = (promise(function.name), Worst::new());
    let mut start = bits.start;
    while start < bits.end {
        let end = bits.end.min(start + (1 << 16));
        let x = Array1::from_vec((start..end).map(|bits| f32::from_bits(bits as u32)).collect());
        for (&x, got) in x.iter().zip(function.call(&[x.view()])) {
            let want = reference(x);
            // The correctly rounded result is half a unit off at most, and most results are that.
            let distance = if super::distance(got, want) == 0.0 {
                0.0
            } else {
                error(got, want, exact(x.wide()))
            };
            worst.add(&[x], got, want, distance, promise);
        }
        tried(end - start);
        start = end;
    }
    worst
}

/// The distance from the exact value, in units in the last place of the `f32` next to it.
fn error(got: f32, want: f32, exact: f64) -> f64 {
    let rounded = super::distance(got, want);
    if rounded.is_infinite() || !exact.is_finite() {
        return rounded;
    }
    let scale = (exact.abs() as f32).clamp(f32::MIN_POSITIVE, f32::MAX);
    let unit = f64::from(f32::from_bits(scale.to_bits() & 0x7f80_0000)) * f64::from(f32::EPSILON);
    // An infinite result stands for the number that would come after the largest.
    let got =
        if got.is_infinite() { 2_f64.powi(128).copysign(f64::from(got)) } else { f64::from(got) };
    (got - exact).abs() / unit
}
