//! Mathematical functions.

use super::Size;
use crate::case::{Case, Judge, Mode};
use crate::data::{Input, Value};
use crate::roofline::Mix;
use ndarray::Zip;
use std::f64::consts::FRAC_1_SQRT_2;
use zerostride::ops::{self, Op};
use zerostride::prelude::*;

/// What a function is called in Python, and what it is in `f64`.
pub struct Function {
    /// As an expression of `x`.
    pub python: &'static str,
    /// The naive definition.
    pub naive: fn(f64) -> f64,
}

/// A function of one operand: an operation, and what people write with the functions of the
/// standard library.
pub fn one<T: Value, O: Op<T, Output = T> + Copy>(
    shape: [usize; 2],
    op: O,
    Function { python, naive }: &Function,
    std: fn(T) -> T,
    judge: Judge<'_>,
) {
    let x = Input::<T, Rank<2>>::new("x", &shape);
    let value = x.value();
    Case::new(&shape, Mode::Into, &[&x], python, move |i| naive(value(i)))
        .ours(|| (&x.ours).apply(op))
        .roofline(Mix::Copy)
        .written(|| x.nd.mapv(std))
        .best(|out| Zip::from(out).and(&x.nd).par_for_each(|o, &x| *o = std(x)))
        .judge(judge);
}

/// The exponential.
pub const EXP: Function = Function { python: "exp(x)", naive: f64::exp };
/// The natural logarithm.
pub const LN: Function = Function { python: "log(x)", naive: f64::ln };
/// The logarithm to base 10.
pub const LOG10: Function = Function { python: "log10(x)", naive: f64::log10 };
/// The hyperbolic tangent.
pub const TANH: Function = Function { python: "tanh(x)", naive: f64::tanh };
/// The sine.
pub const SIN: Function = Function { python: "sin(x)", naive: f64::sin };
/// The logistic function.
pub const SIGMOID: Function =
    Function { python: "1.0 / (1.0 + exp(0.0 - x))", naive: |x| 1.0 / (1.0 + (-x).exp()) };
/// The approximation of the Gaussian error linear unit that most frameworks have as the default.
pub const GELU: Function = Function {
    python: "0.5 * x * (1.0 + tanh(0.7978845608028654 * (x + 0.044715 * x * x * x)))",
    naive: |x| 0.5 * x * (1.0 + (0.797_884_560_802_865_4 * (x + 0.044_715 * x * x * x)).tanh()),
};

/// `x * exp(v)` along the rows: the exponential is worth computing once for each column.
pub fn hoist_exp(size: Size, judge: Judge<'_>) {
    let shape = super::matrix(size);
    let columns = shape[1];
    let (x, v) =
        (Input::<f32, Rank<2>>::new("x", &shape), Input::<f32, Rank<1>>::new("v", &[columns]));
    let (vx, vv) = (x.value(), v.value());
    Case::new(&shape, Mode::Into, &[&x, &v], "x * exp(v)", move |i| vx(i) * vv(i % columns).exp())
        .ours(|| &x.ours * v.ours.exp().along([1]))
        .roofline(Mix::Copy)
        .written(|| &x.nd * &v.nd.mapv(f32::exp))
        .best(|out| {
            let power = v.nd.mapv(f32::exp);
            Zip::from(out)
                .and(&x.nd)
                .and_broadcast(&power)
                .par_for_each(|o, &x, &power| *o = x * power);
        })
        .judge(judge);
}

/// The interest rate.
const RATE: f64 = 0.02;
/// The volatility.
const VOLATILITY: f64 = 0.3;

/// The price of a European call option by Black and Scholes, "The pricing of options and corporate
/// liabilities", 1973: of the share's price, the strike and the time.
#[derive(Clone, Copy, Debug)]
struct Call;

impl Op<(f64, f64, f64)> for Call {
    type Output = f64;
    const COST: usize = 100;

    #[inline(always)]
    fn apply(&self, (price, strike, time): (f64, f64, f64)) -> f64 {
        let normal = |x: f64| 0.5 * ops::Erfc.apply(-x * FRAC_1_SQRT_2);
        let deviation = VOLATILITY * time.sqrt();
        let drift = (RATE + 0.5 * VOLATILITY * VOLATILITY) * time;
        let above = (ops::Ln.apply(price / strike) + drift) / deviation;
        price * normal(above) - strike * ops::Exp.apply(-RATE * time) * normal(above - deviation)
    }
}

/// The error function of C, as people call it.
fn libm_erf(x: f64) -> f64 {
    libm::erf(x)
}

fn call(price: f64, strike: f64, time: f64) -> f64 {
    let normal = |x: f64| 0.5 * (1.0 + libm_erf(x * FRAC_1_SQRT_2));
    let deviation = VOLATILITY * time.sqrt();
    let above = ((price / strike).ln() + (RATE + 0.5 * VOLATILITY * VOLATILITY) * time) / deviation;
    price * normal(above) - strike * (-RATE * time).exp() * normal(above - deviation)
}

/// 2^23 option prices.
pub fn black_scholes(size: Size, judge: Judge<'_>) {
    let shape = [size.pick(1 << 23, 1 << 17)];
    let [s, k, t] = ["s", "k", "t"].map(|name| Input::<f64, Rank<1>>::new(name, &shape));
    let (vs, vk, vt) = (s.value(), k.value(), t.value());
    let above = "(log(s / k) + 0.065 * t) / (0.3 * sqrt(t))";
    let python = format!(
        "s * (0.5 * (1.0 + erf({above} * 0.7071067811865476))) \
         - k * exp(-0.02 * t) * (0.5 * (1.0 + erf(({above} - 0.3 * sqrt(t)) * 0.7071067811865476)))"
    );
    Case::new(&shape, Mode::Into, &[&s, &k, &t], &python, move |i| call(vs(i), vk(i), vt(i)))
        .ours(|| zip((&s.ours, &k.ours, &t.ours)).apply(Call))
        .roofline(Mix::Third)
        .written(|| Zip::from(&s.nd).and(&k.nd).and(&t.nd).map_collect(|&s, &k, &t| call(s, k, t)))
        .best(|out| {
            let zip = Zip::from(out).and(&s.nd).and(&k.nd).and(&t.nd);
            zip.par_for_each(|o, &s, &k, &t| *o = call(s, k, t));
        })
        .judge(judge);
}
