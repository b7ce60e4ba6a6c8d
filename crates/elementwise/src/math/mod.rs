//! Mathematical functions.
//!
//! Those of `single`, `double` and `wide` are free of branches, and inlined: they are evaluated in
//! the innermost loop with the rest of an expression, in vectors. The rest are those of the crate
//! `pxfm` (the power that of the standard library), one element at a time.
//!
//! All use fused multiply-adds where they write `mul_add`, and only there; so results do not depend
//! on the instruction set. How far a result may be from the correctly rounded one is in the table
//! of operations, and `tests/src/bin/ulp.rs` measures it.

#![forbid(unsafe_code)]
// The coefficients are written as they were fitted.
#![allow(clippy::excessive_precision)]

pub mod complex;
pub mod double;
mod lgamma;
pub mod single;
pub mod wide;

/// A polynomial, the constant term first: by Horner's rule, the even and the odd terms apart, so
/// that two multiply-adds are under way at a time. Long ones are called with braces, in which
/// rustfmt leaves numbers side by side.
macro_rules! poly {
    ($x:expr, $($coefficient:expr),+ $(,)?) => {{
        let (x, coefficients) = ($x, [$($coefficient),+]);
        let (square, last) = (x * x, coefficients.len() - 1);
        let (mut even, mut odd) = (coefficients[last & !1], coefficients[(last - 1) | 1]);
        let (mut next_even, mut next_odd) = (last & !1, (last - 1) | 1);
        while next_even >= 2 {
            next_even -= 2;
            even = square.mul_add(even, coefficients[next_even]);
        }
        while next_odd >= 2 {
            next_odd -= 2;
            odd = square.mul_add(odd, coefficients[next_odd]);
        }
        x.mul_add(odd, even)
    }};
}
pub(crate) use poly;

/// `y`, the logarithm of `x`, if `x` is positive and finite; else what it is there.
#[inline(always)]
fn ln_edges<T: num_traits::Float>(x: T, y: T, infinity: T) -> T {
    let y = if x < infinity { y } else { x };
    let y = if x > T::zero() { y } else { T::nan() };
    if x == T::zero() { -infinity } else { y }
}

/// The smaller number, or `x` if that is NaN.
#[inline(always)]
fn at_most<T: PartialOrd>(x: T, limit: T) -> T {
    if limit < x { limit } else { x }
}

/// The larger number, or `x` if that is NaN.
#[inline(always)]
fn at_least<T: PartialOrd>(x: T, limit: T) -> T {
    if limit > x { limit } else { x }
}

/// The sine and the cosine by quarter turns, of the module's constants and its `sine`.
macro_rules! angles {
    ($type:ident $bits:ident) => {
        /// `(q, r, low)`: the number of quarter turns nearest to x, in the last two bits, and what
        /// is left, as a sum.
        #[inline(always)]
        fn quarter_turns(x: $type) -> ($bits, $type, $type) {
            let shifted = x.mul_add(FRAC_2_PI, SHIFT);
            let n = shifted - SHIFT;
            let high = n.mul_add(-FRAC_PI_2, x);
            let cut = n * FRAC_PI_2_LOW;
            let r = high - cut;
            let lost = ((high - r) - cut) - n.mul_add(FRAC_PI_2_LOW, -cut);
            (shifted.to_bits(), r, n.mul_add(-FRAC_PI_2_LOWEST, lost))
        }

        #[inline(always)]
        pub fn sin(x: $type) -> $type {
            let (q, r, low) = quarter_turns(x);
            let y = sine(q, r, low);
            if x == 0.0 { x } else { y }
        }

        #[inline(always)]
        pub fn cos(x: $type) -> $type {
            let (q, r, low) = quarter_turns(x);
            sine(q.wrapping_add(1), r, low)
        }
    };
}
use angles;

/// Declares the functions of one operand, for both types: those that have their own name in
/// `single` and `double`, and then the others.
macro_rules! functions {
    (alike: $($alike:ident)*; $($name:ident: $single:path, $double:path;)*) => {
        /// The functions of real floating-point numbers that have one operand.
        pub trait Math {
            $(
                /// See the table of operations.
                fn $alike(self) -> Self;
            )*
            $(
                /// See the table of operations.
                fn $name(self) -> Self;
            )*

            /// Whether this is an angle small enough for the functions called `near`.
            fn has_near(self) -> bool;

            /// Whether `exp_usual` is right.
            fn has_usual_exp(self) -> bool;

            /// Whether `ln_usual` is right.
            fn has_usual_ln(self) -> bool;

            /// Whether `logistic_usual` is right.
            fn has_usual_logistic(self) -> bool;

            /// Whether `silu_usual` is right.
            fn has_usual_silu(self) -> bool;
        }

        math_of! { f32 in single: $($alike)*; $($name $single;)* }
        math_of! { f64 in double: $($alike)*; $($name $double;)* }
    };
}

macro_rules! math_of {
    ($type:ident in $module:ident: $($alike:ident)*; $($name:ident $function:path;)*) => {
        impl Math for $type {
            #[inline(always)]
            fn has_near(self) -> bool {
                self.abs() <= $module::ORDINARY_ANGLE
            }

            math_of! {
                @ $module -> bool:
                has_usual_exp has_usual_ln has_usual_logistic has_usual_silu
            }
            math_of! { @ $module -> $type: $($alike)* }
            $(
                #[inline(always)]
                fn $name(self) -> $type {
                    $function(self)
                }
            )*
        }
    };
    (@ $module:ident -> $result:ident: $($alike:ident)*) => {$(
        #[inline(always)]
        fn $alike(self) -> $result {
            $module::$alike(self)
        }
    )*};
}

functions! {
    alike: exp exp_usual exp2 exp_m1 ln ln_usual ln_1p log2 log10 logistic tanh asin acos atan erf
        softplus gelu_tanh silu silu_usual logistic_usual;
    rsqrt: wide::rsqrt, double::rsqrt;
    cbrt: wide::cbrt, double::cbrt;
    sin: sin_f32, sin_f64;
    near_sin: single::sin, double::sin;
    cos: cos_f32, cos_f64;
    near_cos: single::cos, double::cos;
    tan: tan_f32, tan_f64;
    near_tan: wide::tan, double::tan;
    sinh: wide::sinh, double::sinh;
    cosh: wide::cosh, double::cosh;
    asinh: wide::asinh, double::asinh;
    acosh: wide::acosh, double::acosh;
    atanh: wide::atanh, double::atanh;
    erfc: wide::erfc, double::erfc;
    gamma: gamma_f32, gamma_f64;
    lgamma: pxfm::f_lgammaf, lgamma_f64;
    gelu: wide::gelu, double::gelu;
}

macro_rules! far_angles {
    ($($name:ident: $near:path, $far:path, $type:ty;)*) => {$(
        #[inline(always)]
        fn $name(x: $type) -> $type {
            // Far from 0, an angle has to be reduced with hundreds of bits of pi.
            #[cold]
            #[inline(never)]
            fn far(x: $type) -> $type {
                $far(x)
            }
            if Math::has_near(x) { $near(x) } else { far(x) }
        }
    )*};
}

far_angles! {
    sin_f32: single::sin, pxfm::f_sinf, f32;
    sin_f64: double::sin, pxfm::f_sin, f64;
    cos_f32: single::cos, pxfm::f_cosf, f32;
    cos_f64: double::cos, pxfm::f_cos, f64;
    tan_f32: wide::tan, pxfm::f_tanf, f32;
    tan_f64: double::tan, pxfm::f_tan, f64;
}

// What `pxfm` has otherwise at the edges than C.

fn lgamma_f64(x: f64) -> f64 {
    if let Some(y) = lgamma::near_zero(x) {
        return y;
    }
    // Stirling's formula, of which that far out nothing but the first two terms is left.
    if x > 1e300 { x * (pxfm::f_log(x) - 1.0) } else { pxfm::f_lgamma(x) }
}

fn gamma_f64(x: f64) -> f64 {
    if x == 0.0 {
        return 1.0 / x;
    }
    // Near the largest argument with a finite result, by the one before.
    let y = if x > 171.0 && x < 171.7 {
        (x - 1.0) * pxfm::f_tgamma(x - 1.0)
    } else {
        pxfm::f_tgamma(x)
    };
    // Between -1 and 0 it is negative, and so on in turn.
    let negative = x < 0.0 && (0.5 * x.floor()).fract() != 0.0;
    if y == 0.0 { 0.0_f64.copysign(if negative { -1.0 } else { 1.0 }) } else { y }
}

fn gamma_f32(x: f32) -> f32 {
    gamma_f64(f64::from(x)) as f32
}
