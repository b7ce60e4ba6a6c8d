//! Conversions between element types.

use super::Op;
use super::half_float::HalfFloat;
use crate::types::for_types;
use half::{bf16, f16};
use ndcore::Element;
use num_complex::Complex;
use std::marker::PhantomData;

/// Conversion of element types, by the rules of XLA:
///
/// * float to integer truncates toward zero, saturates, and takes NaN to 0;
/// * integer to integer wraps around; integer to float and float to float round to nearest, ties to
///   even;
/// * to `bool`: whether it is not zero (of a complex number, either part); from `bool`: 0 or 1;
/// * complex to real drops the imaginary part; real to complex sets it to 0.
#[diagnostic::on_unimplemented(message = "there is no conversion from `{Self}` to `{U}`")]
pub trait CastTo<U: Element>: Element {
    /// The converted value.
    fn cast_to(self) -> U;
}

/// The operation of [`Expr::cast`](crate::Expr::cast).
#[derive(Clone, Copy, Debug)]
pub struct Cast<U>(PhantomData<fn() -> U>);

impl<U> Cast<U> {
    /// The conversion to `U`.
    pub const fn new() -> Self {
        Cast(PhantomData)
    }
}

impl<U> Default for Cast<U> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T: CastTo<U>, U: Element> Op<T> for Cast<U> {
    type Output = U;
    const COST: usize = 1;
    const NAME: Option<&'static str> = Some("cast");

    #[inline(always)]
    fn apply(&self, value: T) -> U {
        value.cast_to()
    }
}

macro_rules! cast {
    ($from:ty, $to:ty, |$x:ident| $value:expr) => {
        impl CastTo<$to> for $from {
            #[inline(always)]
            fn cast_to(self) -> $to {
                let $x = self;
                $value
            }
        }
    };
}

/// From one primitive number to all types; `as` has the rules above.
macro_rules! from_number {
    ($from:ty, ()) => {
        for_types!(ints => as_cast!($from));
        for_types!(floats => as_cast!($from));
        cast!($from, bool, |x| x != (0 as $from));
        cast!($from, Complex<f32>, |x| Complex::new(x as f32, 0.0));
        cast!($from, Complex<f64>, |x| Complex::new(x as f64, 0.0));
    };
}
macro_rules! as_cast {
    ($to:ty, ($from:ty)) => {
        cast!($from, $to, |x| x as $to);
    };
}
for_types!(ints => from_number!());

macro_rules! from_float {
    ($from:ty, ()) => {
        for_types!(ints => float_to_int!($from));
        for_types!(floats => as_cast!($from));
        cast!($from, bool, |x| x != 0.0);
        cast!($from, Complex<f32>, |x| Complex::new(x as f32, 0.0));
        cast!($from, Complex<f64>, |x| Complex::new(x as f64, 0.0));
    };
}
/// The compiler makes no vectors of `as` where it saturates; of small integers there is a way
/// around it.
macro_rules! float_to_int {
    ($to:ty, ($from:ty)) => {
        cast!($from, $to, |x| if size_of::<$to>() <= size_of::<u16>() {
            // `max` makes NaN the least value, which is right where that is 0.
            let number = if <$to>::MIN != 0 && x.is_nan() { 0.0 } else { x };
            number.max(<$to>::MIN as $from).min(<$to>::MAX as $from).truncate() as $to
        } else {
            x as $to
        });
    };
}

/// The integer part of small numbers.
trait Truncate {
    /// Of a number of magnitude below 2^22.
    fn truncate(self) -> i32;
}

macro_rules! truncate {
    ($float:ty, $one:expr) => {
        impl Truncate for $float {
            #[inline(always)]
            fn truncate(self) -> i32 {
                // Added to a number whose last bit is 1, it is rounded to the nearest integer,
                // which then is what its last bits say.
                let magnitude = self.abs();
                let shifted = magnitude + $one;
                let above = i32::from(shifted - $one > magnitude);
                let integer = (shifted.to_bits() & 0x003f_ffff) as i32 - above;
                if self < 0.0 { -integer } else { integer }
            }
        }
    };
}
truncate!(f32, (1_u32 << 23) as f32);
truncate!(f64, (1_u64 << 52) as f64);
for_types!(floats => from_float!());

cast!(f32, f16, |x| f16::narrow(x));
cast!(f32, bf16, |x| bf16::narrow(x));
cast!(f64, f16, |x| f16::narrow_f64(x));
cast!(f64, bf16, |x| bf16::narrow_f64(x));

/// To 16-bit floats, through a wider one that keeps a sticky bit, so that the value is rounded
/// once.
macro_rules! int_to_half {
    ($from:ty, ()) => {
        cast!($from, f16, |x| f16::narrow_f64(int_to_odd(x as i128)));
        cast!($from, bf16, |x| bf16::narrow_f64(int_to_odd(x as i128)));
    };
}
for_types!(ints => int_to_half!());

/// The `f64` next to an integer of up to 64 bits toward zero, with its last bit set if that is not
/// exact: rounding that to fewer bits is as good as rounding the integer itself.
#[inline(always)]
fn int_to_odd(value: i128) -> f64 {
    // Cutting 11 bits leaves 53.
    let magnitude = value.unsigned_abs() as u64;
    let (high, low) = (magnitude >> 11, magnitude & 0x7ff);
    let large = ((high | u64::from(low != 0)) as f64) * 2048.0;
    let odd = if magnitude < 1 << 53 { magnitude as f64 } else { large };
    if value < 0 { -odd } else { odd }
}

/// 16-bit floats go through `f32`, which holds them exactly.
macro_rules! from_half {
    ($from:ty, ()) => {
        for_types!(ints => through_f32!($from));
        for_types!(floats => through_f32!($from));
        for_types!(halves => through_f32!($from));
        cast!($from, bool, |x| x.widen() != 0.0);
        cast!($from, Complex<f32>, |x| Complex::new(x.widen_quiet(), 0.0));
        cast!($from, Complex<f64>, |x| Complex::new(f64::from(x.widen_quiet()), 0.0));
    };
}
macro_rules! through_f32 {
    ($to:ty, ($from:ty)) => {
        cast!($from, $to, |x| <f32 as CastTo<$to>>::cast_to(x.widen_quiet()));
    };
}
for_types!(halves => from_half!());

macro_rules! from_bool {
    ($to:ty, ()) => {
        cast!(bool, $to, |x| <u8 as CastTo<$to>>::cast_to(u8::from(x)));
    };
}
for_types!(ints => from_bool!());
for_types!(floats => from_bool!());
for_types!(halves => from_bool!());
for_types!(complexes => from_bool!());
cast!(bool, bool, |x| x);

macro_rules! from_complex {
    ($to:ty, ($real:ty)) => {
        cast!(Complex<$real>, $to, |x| <$real as CastTo<$to>>::cast_to(x.re));
    };
}
macro_rules! from_complexes {
    ($real:ty, ()) => {
        for_types!(ints => from_complex!($real));
        for_types!(floats => from_complex!($real));
        for_types!(halves => from_complex!($real));
        cast!(Complex<$real>, bool, |x| x.re != 0.0 || x.im != 0.0);
        cast!(Complex<$real>, Complex<f32>, |x| Complex::new(x.re as f32, x.im as f32));
        cast!(Complex<$real>, Complex<f64>, |x| Complex::new(x.re as f64, x.im as f64));
    };
}
for_types!(floats => from_complexes!());
