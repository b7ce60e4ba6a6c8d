//! Numbers as sums of two `f64`, of more than 100 bits, and what functions are composed of them:
//! references of functions that CORE-MATH has not.

use std::f64::consts::LN_2;

/// `high + low`, where `low` is at most half a unit in the last place of `high`.
#[derive(Clone, Copy, Debug)]
pub struct Twofold {
    high: f64,
    low: f64,
}

/// ln 2 and the root of pi.
const LN_2_FOLD: Twofold = Twofold { high: LN_2, low: 2.319_046_813_846_299_6e-17 };
const ROOT_PI: Twofold = Twofold { high: 1.772_453_850_905_516, low: -7.666_586_499_825_799e-17 };

impl Twofold {
    /// A number.
    pub const fn of(high: f64) -> Self {
        Twofold { high, low: 0.0 }
    }

    /// A number and a small one.
    pub const fn sum(high: f64, low: f64) -> Self {
        Twofold { high, low }
    }

    /// The exact sum of two numbers (Knuth).
    fn exact_sum(a: f64, b: f64) -> Self {
        let high = a + b;
        let other = high - a;
        Twofold { high, low: (a - (high - other)) + (b - other) }
    }

    /// The exact product of two numbers.
    pub fn product(a: f64, b: f64) -> Self {
        let high = a * b;
        Twofold { high, low: a.mul_add(b, -high) }
    }

    /// The sum.
    pub fn plus(self, other: Self) -> Self {
        let (high, low) =
            (Self::exact_sum(self.high, other.high), Self::exact_sum(self.low, other.low));
        let sum = Self::exact_sum(high.high, high.low + low.high);
        Self::exact_sum(sum.high, sum.low + low.low)
    }

    /// The negated number.
    pub fn negated(self) -> Self {
        Twofold { high: -self.high, low: -self.low }
    }

    /// The product.
    pub fn times(self, other: Self) -> Self {
        let product = Self::product(self.high, other.high);
        Self::exact_sum(
            product.high,
            product.low + self.high.mul_add(other.low, self.low * other.high),
        )
    }

    /// The quotient.
    pub fn over(self, other: Self) -> Self {
        let mut rest = self;
        let mut quotient = Twofold::of(0.0);
        for _ in 0..3 {
            let digit = Twofold::of(rest.high / other.high);
            quotient = quotient.plus(digit);
            rest = rest.plus(other.times(digit).negated());
        }
        quotient
    }

    /// `(m, n)` such that e to the power of this is m 2^n.
    pub fn exp(self) -> (Self, i32) {
        let n = (self.high / LN_2).round();
        let rest = self.plus(LN_2_FOLD.times(Twofold::of(-n)));
        // The series at a 256th, without the 1 that would hide its last digits; squared 8 times:
        // (1 + s)^2 = 1 + s (2 + s).
        let part = rest.times(Twofold::of(1.0 / 256.0));
        let mut series = Twofold::of(0.0);
        for k in (1..=14).rev() {
            series = part.over(Twofold::of(f64::from(k))).times(Twofold::of(1.0).plus(series));
        }
        for _ in 0..8 {
            series = series.times(Twofold::of(2.0).plus(series));
        }
        (Twofold::of(1.0).plus(series), n as i32)
    }

    /// ln(1 + x)
    pub fn ln_1p(self) -> Self {
        // A step of Newton's method from the nearest number: y + (1 + x) e^-y - 1.
        let y = core_math::log1p(self.high);
        let (m, n) = Twofold::of(-y).exp();
        let inverse = m.scaled(n);
        let rest = inverse.times(self).plus(inverse.plus(Twofold::of(-1.0)));
        Twofold::of(y).plus(rest).plus(rest.times(rest).times(Twofold::of(-0.5)))
    }

    /// `(m, n)` such that 1 - erf(x) is m 2^n.
    pub fn erfc(self) -> (Self, i32) {
        let square = self.times(self);
        let (m, n) = square.negated().exp();
        if self.high < 2.5 {
            // erf(x) = 2 / sqrt(pi) e^(-x^2) sum 2^k x^(2k + 1) / (2k + 1)!!, which has no signs.
            let (mut term, mut sum) = (self, self);
            for k in 1..140 {
                term = term
                    .times(square)
                    .times(Twofold::of(2.0))
                    .over(Twofold::of(f64::from(2 * k + 1)));
                sum = sum.plus(term);
            }
            let erf = sum.times(m.scaled(n)).times(Twofold::of(2.0)).over(ROOT_PI);
            return (Twofold::of(1.0).plus(erf.negated()), 0);
        }
        // Laplace's continued fraction: e^(-x^2) / sqrt(pi) / (x + 1/2 / (x + 1 / (x + 3/2 / ..))).
        let terms = 20 + (1500.0 / square.high) as i32;
        let mut fraction = self;
        for k in (1..=terms).rev() {
            fraction = self.plus(Twofold::of(0.5 * f64::from(k)).over(fraction));
        }
        (m.over(ROOT_PI.times(fraction)), n)
    }

    /// Times a power of two, which has to be moderate.
    pub fn scaled(self, n: i32) -> Self {
        let power = 2_f64.powi(n);
        Twofold { high: self.high * power, low: self.low * power }
    }

    /// The `f64` nearest to this times 2^n.
    pub fn nearest(self, n: i32) -> f64 {
        let half = 2_f64.powi(n / 2);
        let (up, down) = (half * 2_f64.powi(n % 2), half);
        let near = self.high * up * down;
        if !near.is_finite() || near.abs() > 1e-290 {
            return near;
        }
        // Below the normal numbers the product was rounded: take the best of its neighbours.
        let off = |y: f64| {
            let rest = self.high - y / down / up;
            (rest.abs(), self.low * rest.signum())
        };
        let best = |a: f64, b: f64| if off(b) < off(a) { b } else { a };
        best(best(near, near.next_up()), near.next_down())
    }
}

/// 1 / (1 + e^-x), of a sum, as `(m, n)`.
fn logistic_of(x: Twofold) -> (Twofold, i32) {
    // By the power that cannot overflow.
    if x.high >= 0.0 {
        let (m, n) = x.negated().exp();
        return (Twofold::of(1.0).over(Twofold::of(1.0).plus(m.scaled(n.max(-400)))), 0);
    }
    let (m, n) = x.exp();
    (m.over(Twofold::of(1.0).plus(m.scaled(n.max(-400)))), n)
}

/// The logistic function.
pub fn logistic(x: f64) -> f64 {
    match x {
        _ if x.is_nan() => x,
        _ if x < -800.0 => 0.0,
        _ if x > 800.0 => 1.0,
        _ => {
            let (m, n) = logistic_of(Twofold::of(x));
            m.nearest(n)
        }
    }
}

/// x times its logistic function.
pub fn silu(x: f64) -> f64 {
    match x {
        _ if x.is_nan() || x > 800.0 => x,
        _ if x < -800.0 => -0.0,
        _ if x == 0.0 => x,
        _ => {
            let (m, n) = logistic_of(Twofold::of(x));
            m.times(Twofold::of(x)).nearest(n)
        }
    }
}

/// ln(1 + e^x)
pub fn softplus(x: f64) -> f64 {
    match x {
        _ if x.is_nan() || x > 800.0 => x,
        _ if x < -800.0 => 0.0,
        // The exponential is so small that nothing else counts.
        _ if x < -100.0 => {
            let (m, n) = Twofold::of(x).exp();
            m.nearest(n)
        }
        _ => {
            let (m, n) = Twofold::of(-x.abs()).exp();
            let ln = if n > -900 { m.scaled(n).ln_1p() } else { Twofold::of(0.0) };
            ln.plus(Twofold::of(x.max(0.0))).nearest(0)
        }
    }
}

/// x / 2 erfc(-x / sqrt 2)
pub fn gelu(x: f64) -> f64 {
    match x {
        _ if x.is_nan() || x > 50.0 || x == 0.0 => x,
        _ if x < -50.0 => -0.0,
        _ => {
            const ROOT: Twofold =
                Twofold::sum(std::f64::consts::FRAC_1_SQRT_2, -4.833_646_656_726_457e-17);
            let z = ROOT.times(Twofold::of(x.abs()));
            let (m, n) = z.erfc();
            let (m, n) = if x < 0.0 {
                (m, n)
            } else {
                (Twofold::of(2.0).plus(m.scaled(n.max(-400)).negated()), 0)
            };
            m.times(Twofold::of(0.5 * x)).nearest(n)
        }
    }
}

/// x / (1 + e^(-2 u)) with u = sqrt(2 / pi) (x + 0.044715 x^3)
pub fn gelu_tanh(x: f64) -> f64 {
    match x {
        _ if x.is_nan() || x > 50.0 || x == 0.0 => x,
        _ if x < -50.0 => -0.0,
        _ => {
            let square = Twofold::product(x, x);
            // 0.044715 as it is written.
            let factor = Twofold::of(44_715.0).over(Twofold::of(1e6)).times(square);
            let u = Twofold::of(1.0).plus(factor).times(Twofold::of(x));
            let root = Twofold::sum(1.595_769_121_605_730_8, -9.969_308_809_110_92e-17);
            let (m, n) = logistic_of(root.times(u));
            m.times(Twofold::of(x)).nearest(n)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    #[test]
    fn functions_agree_with_known_digits() {
        let (m, n) = Twofold::of(1.0).exp();
        let e = m.scaled(n);
        assert_eq!(e.high, std::f64::consts::E);
        assert!((e.low - 1.445_646_891_729_250_2e-16).abs() < 1e-30, "{e:?}");
        let ln = Twofold::of(1.0).ln_1p();
        assert_eq!(ln.high, LN_2);
        assert!((ln.low - LN_2_FOLD.low).abs() < 1e-31, "{ln:?}");
        // The two ways to the complementary error function meet.
        let (a, b) = (Twofold::of(2.5_f64.next_down()).erfc(), Twofold::of(2.5).erfc());
        let (a, b) = (a.0.scaled(a.1), b.0.scaled(b.1));
        let slope = -2.0 / PI.sqrt() * (-6.25_f64).exp() * (2.5 - 2.5_f64.next_down());
        let jump = b.plus(a.negated()).high - slope;
        assert!(
            jump.abs() < 1e-30 && (b.high - 4.069_520_174_449_59e-4).abs() < 1e-17,
            "{jump:e} {b:?}"
        );
        assert_eq!(Twofold::of(1.0).nearest(-1074), 5e-324);
        assert_eq!(Twofold::of(0.75).nearest(-1074), 5e-324);
        assert_eq!(Twofold::of(1.25).nearest(-1075), 5e-324);
        assert_eq!(Twofold::sum(1.0, 1e-20).nearest(-1075), 5e-324);
    }
}
