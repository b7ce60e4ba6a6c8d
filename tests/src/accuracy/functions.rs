//! The functions, with what to compare them to: the correctly rounded functions of CORE-MATH, or
//! compositions of those.

use super::{Float, twofold};
use core_math as c;
use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2, PI};
use zerostride::prelude::*;

/// A function through the public interface, and what it should be.
#[derive(Clone, Copy, Debug)]
pub struct Function<F: Float> {
    /// The name of the method.
    pub name: &'static str,
    /// Other names of the function.
    pub aliases: &'static [&'static str],
    /// The function.
    pub operands: Operands<F>,
    /// Where it is worth looking at, in `f64`: the ends of intervals.
    pub regions: &'static [(f64, f64)],
    /// Where it is zero, but at 0, in `f64`: near there a result has digits only if what cancels
    /// was computed with many more.
    pub zeros: fn() -> Vec<f64>,
}

/// The function and its reference, by the number of operands.
#[derive(Clone, Copy, Debug)]
pub enum Operands<F: Float> {
    /// One: the function, the reference, and, for `f32`, the reference in `f64`.
    One(fn(View1<'_, F>) -> Vec<F>, fn(F) -> F, fn(f64) -> f64),
    /// Two.
    Two(fn(View1<'_, F>, View1<'_, F>) -> Vec<F>, fn(F, F) -> F),
}

impl<F: Float> Function<F> {
    /// The results for these operands.
    pub fn call(&self, operands: &[View1<'_, F>]) -> Vec<F> {
        match (self.operands, operands) {
            (Operands::One(f, ..), &[x]) => f(x),
            (Operands::Two(f, _), &[x, y]) => f(x, y),
            (_, operands) => panic!("{} has not {} operands", self.name, operands.len()),
        }
    }

    /// The number of operands.
    pub fn arity(&self) -> usize {
        match self.operands {
            Operands::One(..) => 1,
            Operands::Two(..) => 2,
        }
    }

    /// The correctly rounded result, or one that is nearly so.
    pub fn reference(&self, operands: &[F]) -> F {
        match (self.operands, operands) {
            (Operands::One(_, reference, _), &[x]) => reference(x),
            (Operands::Two(_, reference), &[x, y]) => reference(x, y),
            (_, operands) => panic!("{} has not {} operands", self.name, operands.len()),
        }
    }

    /// Whether it goes by this name.
    pub fn is_called(&self, name: &str) -> bool {
        self.name == name || self.aliases.contains(&name)
    }
}

/// The types that have the list of functions.
pub trait Functions: Float {
    /// The list.
    fn list() -> Vec<Function<Self>>;
}

/// All functions of a type.
pub fn functions<F: Functions>() -> Vec<Function<F>> {
    F::list()
}

fn logistic(x: f64) -> f64 {
    if x.abs() < 1.0 {
        return 0.5 + 0.5 * c::tanh(0.5 * x);
    }
    if x < -40.0 {
        return c::exp(x);
    }
    // The quotient of sums, rounded once but for the exponential.
    let e = c::exp(-x.abs());
    let d = 1.0 + e;
    let low = e - (d - 1.0);
    let numerator = if x > 0.0 { 1.0 } else { e };
    let y = numerator / d;
    y + ((-y).mul_add(d, numerator) - y * low) / d
}

fn silu(x: f64) -> f64 {
    match x {
        _ if x < -800.0 => -0.0,
        // The exponential alone may be below the smallest normal number.
        _ if x < -680.0 => x * c::exp(x + 60.0) * c::exp(-60.0),
        _ => x * logistic(x),
    }
}

fn softplus(x: f64) -> f64 {
    let ln = c::log1p(c::exp(-x.abs()));
    if x > 0.0 { x + ln } else { ln }
}

fn gelu(x: f64) -> f64 {
    // The root of 1/2 as a sum: to first order, the rest of it counts by the derivative.
    let z = -x * FRAC_1_SQRT_2;
    let low = (-x).mul_add(FRAC_1_SQRT_2, -z) + x * 4.833_646_656_726_457e-17;
    let erfc = c::erfc(z) - std::f64::consts::FRAC_2_SQRT_PI * c::exp(-z * z) * low;
    if x < -1e3 {
        -0.0
    } else if x > 1e3 {
        x
    } else {
        0.5 * x * erfc
    }
}

fn gelu_tanh(x: f64) -> f64 {
    // The constants 2 sqrt(2 / pi) and 0.044715 of it, and the argument, as sums: to first order,
    // the rest counts by the derivative.
    let square = x * x;
    let square_low = x.mul_add(x, -square);
    let (one, three): (f64, f64) = (1.595_769_121_605_730_8, 0.071_354_816_272_600_25);
    let cubic = three * square;
    let factor = one + cubic;
    let other = factor - one;
    let factor_low = (one - (factor - other))
        + (cubic - other)
        + three.mul_add(square, -cubic)
        + three * square_low
        - 9.969_308_809_110_92e-17
        - 6.175_149_918_155_315e-19 * square;
    let twice = x * factor;
    let low = x.mul_add(factor, -twice) + x * factor_low;
    match x {
        _ if x < -30.0 => -0.0,
        _ if x > 30.0 => x,
        _ => x * logistic(twice) * (1.0 + low * (1.0 - logistic(twice))),
    }
}

fn root(x: f64) -> f64 {
    x.sqrt()
}

/// Nothing.
fn none() -> Vec<f64> {
    Vec::new()
}

/// 1.
fn one() -> Vec<f64> {
    vec![1.0]
}

/// Where the sine or the cosine is zero, or both, which alternate.
fn quarter_turns(which: fn(u32) -> bool) -> Vec<f64> {
    // 2^k turns, small multiples, and a number that is closer to one than any other `f64`
    // (Muller et al., "Handbook of Floating-Point Arithmetic").
    let small = (1..200).map(f64::from);
    let large =
        (11..1000).step_by(7).flat_map(|k| [-1.0, 0.0, 1.0].map(|more| 2_f64.powi(k) + more));
    let near = |k: f64| k * FRAC_PI_2;
    let odd = |k: f64| (k % 2.0) as u32;
    let hardest = 6_381_956_970_095_103.0 * 2_f64.powi(797);
    let turns = small.chain(large).filter(|&k| which(odd(k))).map(near);
    turns.chain([hardest]).flat_map(|x| [x, -x]).collect()
}

/// 1, 2, and two numbers between each pair of neighbouring negative integers below -2.
fn zeros_of_lgamma() -> Vec<f64> {
    let mut zeros = vec![1.0, 2.0];
    for n in 2..40 {
        let n = f64::from(n);
        // It is positive near the integers, and negative between them.
        for (mut above, mut below) in
            [((-n).next_down(), -n - 0.5), ((-n - 1.0).next_up(), -n - 0.5)]
        {
            loop {
                let middle = 0.5 * (above + below);
                if middle == above || middle == below {
                    break;
                }
                *(if c::lgamma(middle) > 0.0 { &mut above } else { &mut below }) = middle;
            }
            zeros.push(above);
        }
    }
    zeros
}

/// The rows: method, other names, references in `f32` and `f64`, regions, and after `zeros` where
/// the function is zero. A function that CORE-MATH has not is composed of others; `precisely`
/// names its reference in more digits, which is slower.
macro_rules! rows {
    ($(
        $name:ident [$($alias:literal)*] $single:expr, $double:expr
            $(, precisely $precise:expr)?, [$($region:expr),*] $(, zeros $zeros:expr)?;
    )*; $(
        $pair:ident [$($pair_alias:literal)*] $pair_single:expr, $pair_double:expr;
    )*) => {
        rows!(@ f32;
            $($name [$($alias)*] $single, $double, [$($region),*], or!($($zeros)?, none);)*;
            $($pair [$($pair_alias)*] $pair_single;)*);
        rows!(@ f64;
            $($name [$($alias)*] or!($($precise)?, $double), $double, [$($region),*],
                or!($($zeros)?, none);)*;
            $($pair [$($pair_alias)*] $pair_double;)*);
    };
    (@ $type:ty; $(
        $name:ident [$($alias:literal)*] $reference:expr, $double:expr,
            [$($region:expr),*], $zeros:expr;
    )*; $(
        $pair:ident [$($pair_alias:literal)*] $pair_reference:expr;
    )*) => {
        impl Functions for $type {
            fn list() -> Vec<Function<$type>> {
                vec![
                    $(Function {
                        name: stringify!($name),
                        aliases: &[$($alias),*],
                        operands: Operands::One(
                            |x| x.$name().eval().expect("it fits").to_vec(),
                            $reference,
                            $double,
                        ),
                        regions: &[$($region),*],
                        zeros: $zeros,
                    },)*
                    $(Function {
                        name: stringify!($pair),
                        aliases: &[$($pair_alias),*],
                        operands: Operands::Two(|x, y| x.$pair(y).eval().expect("they fit").to_vec(), $pair_reference),
                        regions: &[],
                        zeros: none,
                    },)*
                ]
            }
        }
    };
}

/// The first of two, if it is given.
macro_rules! or {
    (, $default:expr) => {
        $default
    };
    ($given:expr, $default:expr) => {
        $given
    };
}

rows! {
    exp [] c::expf, c::exp, [(-750.0, 715.0), (-1.0, 1.0), (-746.0, -700.0)];
    exp2 [] c::exp2f, c::exp2, [(-1080.0, 1030.0), (-1.0, 1.0)];
    exp_m1 ["expm1"] c::expm1f, c::expm1, [(-50.0, 715.0), (-1.0, 1.0), (-1e-6, 1e-6)];
    ln ["log"] c::logf, c::log,
        [(0.0, 3.0), (0.9, 1.1), (0.999_999, 1.000_001), (0.0, 1e-307)], zeros one;
    ln_1p ["log1p"] c::log1pf, c::log1p, [(-1.0, 3.0), (-1e-3, 1e-3), (-1e-9, 1e-9)];
    log2 [] c::log2f, c::log2, [(0.0, 3.0), (0.9, 1.1), (0.0, 1e-307)], zeros one;
    log10 [] c::log10f, c::log10, [(0.0, 3.0), (0.9, 1.1), (0.0, 1e-307)], zeros one;
    logistic ["sigmoid"] |x| logistic(f64::from(x)) as f32, logistic, precisely twofold::logistic,
        [(-40.0, 40.0), (-1.0, 1.0), (-746.0, 40.0)];
    sqrt [] f32::sqrt, root, [(0.0, 4.0), (0.0, 1e-307)];
    rsqrt [] c::rsqrtf, c::rsqrt, [(0.0, 4.0), (0.0, 1e-307), (0.0, 1e300)];
    cbrt [] c::cbrtf, c::cbrt, [(-8.0, 8.0), (-1e-307, 1e-307)];
    sin [] c::sinf, c::sin,
        [(-7.0, 7.0), (PI - 1e-3, PI + 1e-3), (-1e5, 1e5), (-1.1e8, 1.1e8), (1e15, 1e22)],
        zeros || quarter_turns(|k| k == 0);
    cos [] c::cosf, c::cos,
        [(-7.0, 7.0), (FRAC_PI_2 - 1e-3, FRAC_PI_2 + 1e-3), (-1e5, 1e5), (-1.1e8, 1.1e8), (1e15, 1e22)],
        zeros || quarter_turns(|k| k == 1);
    tan [] c::tanf, c::tan,
        [(-7.0, 7.0), (FRAC_PI_2 - 1e-3, FRAC_PI_2 + 1e-3), (-1e5, 1e5), (-1.1e8, 1.1e8), (1e15, 1e22)],
        zeros || quarter_turns(|_| true);
    asin [] c::asinf, c::asin, [(-1.0, 1.0), (0.99, 1.0)];
    acos [] c::acosf, c::acos, [(-1.0, 1.0), (0.99, 1.0)], zeros one;
    atan [] c::atanf, c::atan, [(-10.0, 10.0), (-1e-3, 1e-3)];
    sinh [] c::sinhf, c::sinh, [(-715.0, 715.0), (-1.0, 1.0)];
    cosh [] c::coshf, c::cosh, [(-715.0, 715.0), (-1.0, 1.0)];
    tanh [] c::tanhf, c::tanh, [(-20.0, 20.0), (-1.0, 1.0)];
    asinh [] c::asinhf, c::asinh, [(-10.0, 10.0), (-1e-3, 1e-3)];
    acosh [] c::acoshf, c::acosh, [(1.0, 10.0), (1.0, 1.001)], zeros one;
    atanh [] c::atanhf, c::atanh, [(-1.0, 1.0), (-1e-3, 1e-3)];
    erf [] c::erff, c::erf, [(-6.0, 6.0), (-1.0, 1.0)];
    erfc [] c::erfcf, c::erfc, [(-6.0, 28.0), (-1.0, 2.0), (25.0, 28.0)];
    gamma ["tgamma"] c::tgammaf, c::tgamma, [(-30.0, 172.0), (0.0, 3.0), (-180.0, -170.0)];
    lgamma ["ln_gamma"] c::lgammaf, c::lgamma, [(-30.0, 172.0), (0.0, 3.0)], zeros zeros_of_lgamma;
    gelu [] |x| gelu(f64::from(x)) as f32, gelu, precisely twofold::gelu,
        [(-6.0, 6.0), (-1.0, 1.0), (-39.0, -6.0), (-39.0, -37.0)];
    gelu_tanh [] |x| gelu_tanh(f64::from(x)) as f32, gelu_tanh, precisely twofold::gelu_tanh,
        [(-5.0, 5.0), (-1.0, 1.0), (-25.0, -5.0), (-23.0, -21.0)];
    silu [] |x| silu(f64::from(x)) as f32, silu, precisely twofold::silu,
        [(-40.0, 40.0), (-1.0, 1.0), (-760.0, -40.0), (-750.0, -700.0)];
    softplus [] |x| softplus(f64::from(x)) as f32, softplus, precisely twofold::softplus,
        [(-40.0, 40.0), (-1.0, 1.0), (-750.0, -40.0), (-750.0, -700.0)];
    ;
    pow ["power"] c::powf, c::pow;
    atan2 [] c::atan2f, c::atan2;
    hypot [] c::hypotf, c::hypot;
}
