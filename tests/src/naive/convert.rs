//! Conversions, by way of a number that holds a value of any element type exactly.

use super::half::{BF16, F16};
use zerostride::{Complex, bf16, f16};

/// The value of an element of any type, exactly.
#[derive(Clone, Copy, Debug)]
pub enum Number {
    /// An integer, or a `bool` as 0 or 1.
    Integer(i128),
    /// A floating-point number.
    Float(f64),
    /// A complex number.
    Complex(f64, f64),
}

/// Element types, to and from [`Number`].
pub trait Convert: Copy {
    /// The value.
    fn number(self) -> Number;

    /// The value as this type, by the rules for conversions.
    fn of(number: Number) -> Self;
}

/// `value` as another type.
pub fn convert<T: Convert, U: Convert>(value: T) -> U {
    U::of(value.number())
}

impl Number {
    /// What is left of it in a real type: the imaginary part is dropped.
    fn real(self) -> Number {
        match self {
            Number::Complex(re, _) => Number::Float(re),
            other => other,
        }
    }
}

macro_rules! integers {
    ($($type:ty)*) => {$(
        impl Convert for $type {
            fn number(self) -> Number {
                Number::Integer(self as i128)
            }

            fn of(number: Number) -> Self {
                match number.real() {
                    // Cut to the low bits.
                    Number::Integer(value) => value as $type,
                    Number::Float(value) if value.is_nan() => 0,
                    Number::Float(value) if value.trunc() <= <$type>::MIN as f64 => <$type>::MIN,
                    Number::Float(value) if value.trunc() >= <$type>::MAX as f64 => <$type>::MAX,
                    Number::Float(value) => value.trunc() as i128 as $type,
                    Number::Complex(..) => unreachable!("a real number"),
                }
            }
        }
    )*};
}
integers!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize);

macro_rules! floats {
    ($($type:ty: |$integer:ident| $of_integer:expr, |$float:ident| $of_float:expr, |$x:ident| $value:expr;)*) => {$(
        impl Convert for $type {
            fn number(self) -> Number {
                let $x = self;
                Number::Float($value)
            }

            fn of(number: Number) -> Self {
                match number.real() {
                    Number::Integer($integer) => $of_integer,
                    Number::Float($float) => $of_float,
                    Number::Complex(..) => unreachable!("a real number"),
                }
            }
        }
    )*};
}
floats! {
    f32: |i| i as f32, |f| f as f32, |x| f64::from(x);
    f64: |i| i as f64, |f| f, |x| x;
    f16: |i| f16::from_bits(F16.encode_integer(i)), |f| f16::from_bits(F16.encode(f)), |x| F16.decode(x.to_bits());
    bf16: |i| bf16::from_bits(BF16.encode_integer(i)), |f| bf16::from_bits(BF16.encode(f)), |x| BF16.decode(x.to_bits());
}

impl Convert for bool {
    fn number(self) -> Number {
        Number::Integer(i128::from(self))
    }

    fn of(number: Number) -> Self {
        match number {
            Number::Integer(value) => value != 0,
            Number::Float(value) => value != 0.0,
            Number::Complex(re, im) => re != 0.0 || im != 0.0,
        }
    }
}

macro_rules! complexes {
    ($($part:ty)*) => {$(
        impl Convert for Complex<$part> {
            fn number(self) -> Number {
                Number::Complex(f64::from(self.re), f64::from(self.im))
            }

            fn of(number: Number) -> Self {
                let im = if let Number::Complex(_, im) = number { im } else { 0.0 };
                Complex::new(<$part>::of(number), im as $part)
            }
        }
    )*};
}
complexes!(f32 f64);
