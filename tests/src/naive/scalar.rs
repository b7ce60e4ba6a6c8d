//! What each operation does to one element, by the tables of the semantics.
//!
//! Integers are computed in `i128`, where nothing overflows that matters, and cut to their width;
//! 16-bit floats in `f64`, rounded once.

use super::half::{BF16, F16};
use std::fmt::Debug;
use zerostride::{Complex, Element, bf16, f16};

/// The operations on one element. A pair of operation and type that the library does not define
/// keeps the default, which panics.
pub trait Scalar: Element + Debug + PartialEq {
    /// What the absolute value is of.
    type Abs: Scalar;
    /// The type's name in reports.
    const NAME: &'static str;

    /// Whether two results are the same to the bit; one NaN is as good as another.
    fn same(self, other: Self) -> bool;

    /// `a + b`
    fn add(self, b: Self) -> Self;
    /// `a * b`
    fn mul(self, b: Self) -> Self;
    /// `a - b`
    fn sub(self, _: Self) -> Self {
        undefined::<Self, _>()
    }
    /// `a / b`
    fn div(self, _: Self) -> Self {
        undefined::<Self, _>()
    }
    /// `a % b`
    fn rem(self, _: Self) -> Self {
        undefined::<Self, _>()
    }
    /// `-a`
    fn neg(self) -> Self {
        undefined::<Self, _>()
    }
    /// `|a|`
    fn abs(self) -> Self::Abs {
        undefined::<Self, _>()
    }
    /// The square root.
    fn sqrt(self) -> Self {
        undefined::<Self, _>()
    }
    /// The larger.
    fn maximum(self, _: Self) -> Self {
        undefined::<Self, _>()
    }
    /// The smaller.
    fn minimum(self, _: Self) -> Self {
        undefined::<Self, _>()
    }
    /// `a & b`
    fn and(self, _: Self) -> Self {
        undefined::<Self, _>()
    }
    /// `a | b`
    fn or(self, _: Self) -> Self {
        undefined::<Self, _>()
    }
    /// `a ^ b`
    fn xor(self, _: Self) -> Self {
        undefined::<Self, _>()
    }
    /// `!a`
    fn not(self) -> Self {
        undefined::<Self, _>()
    }
    /// `a < b`
    fn less(self, _: Self) -> bool {
        undefined::<Self, _>()
    }

    /// `a == b`
    fn equal(self, b: Self) -> bool {
        self == b
    }
    /// `a != b`
    fn not_equal(self, b: Self) -> bool {
        !self.equal(b)
    }
    /// `a > b`
    fn greater(self, b: Self) -> bool {
        b.less(self)
    }
    /// `a <= b`
    fn less_equal(self, b: Self) -> bool {
        self.less(b) || self.equal(b)
    }
    /// `a >= b`
    fn greater_equal(self, b: Self) -> bool {
        b.less_equal(self)
    }
    /// `a` limited to between `lo` and `hi`.
    fn clamp(lo: Self, a: Self, hi: Self) -> Self {
        a.maximum(lo).minimum(hi)
    }
}

fn undefined<T: Scalar, R>() -> R {
    panic!("this operation is not defined for {}", T::NAME)
}

macro_rules! integers {
    ($($type:ident)*) => {$(
        impl Scalar for $type {
            type Abs = $type;
            const NAME: &'static str = stringify!($type);

            fn same(self, other: Self) -> bool {
                self == other
            }
            fn add(self, b: Self) -> Self {
                (self as i128 + b as i128) as $type
            }
            fn sub(self, b: Self) -> Self {
                (self as i128 - b as i128) as $type
            }
            fn mul(self, b: Self) -> Self {
                // Only the low bits are kept, so the high ones may be lost.
                (self as i128).wrapping_mul(b as i128) as $type
            }
            fn div(self, b: Self) -> Self {
                if b == 0 { !0 } else { (self as i128 / b as i128) as $type }
            }
            fn rem(self, b: Self) -> Self {
                if b == 0 { self } else { (self as i128 % b as i128) as $type }
            }
            fn neg(self) -> Self {
                (-(self as i128)) as $type
            }
            fn abs(self) -> Self {
                (self as i128).unsigned_abs() as $type
            }
            fn maximum(self, b: Self) -> Self {
                if self < b { b } else { self }
            }
            fn minimum(self, b: Self) -> Self {
                if b < self { b } else { self }
            }
            fn and(self, b: Self) -> Self {
                self & b
            }
            fn or(self, b: Self) -> Self {
                self | b
            }
            fn xor(self, b: Self) -> Self {
                self ^ b
            }
            fn not(self) -> Self {
                !self
            }
            fn less(self, b: Self) -> bool {
                self < b
            }
        }
    )*};
}
integers!(i8 i16 i32 i64 isize u8 u16 u32 u64 usize);

impl Scalar for bool {
    type Abs = bool;
    const NAME: &'static str = "bool";

    fn same(self, other: Self) -> bool {
        self == other
    }
    fn add(self, b: Self) -> Self {
        self || b
    }
    fn mul(self, b: Self) -> Self {
        self && b
    }
    fn maximum(self, b: Self) -> Self {
        self || b
    }
    fn minimum(self, b: Self) -> Self {
        self && b
    }
    fn and(self, b: Self) -> Self {
        self && b
    }
    fn or(self, b: Self) -> Self {
        self || b
    }
    fn xor(self, b: Self) -> Self {
        self != b
    }
    fn not(self) -> Self {
        !self
    }
    fn less(self, b: Self) -> bool {
        !self && b
    }
}

/// The larger of two floats: NaN if either is, and +0 above -0.
fn larger(a: f64, b: f64) -> f64 {
    if a.is_nan() || b.is_nan() {
        f64::NAN
    } else if a == 0.0 && b == 0.0 {
        if a.is_sign_negative() { b } else { a }
    } else if a < b {
        b
    } else {
        a
    }
}

/// Floats in `f64`: the value of an element, and the element nearest to a value.
///
/// Rounding twice gives the same as rounding once here: an f64 has more than twice the digits of
/// the others.
macro_rules! floats {
    ($($type:ident: |$x:ident| $value:expr, |$y:ident| $nearest:expr;)*) => {$(
        impl Scalar for $type {
            type Abs = $type;
            const NAME: &'static str = stringify!($type);

            fn same(self, other: Self) -> bool {
                self.to_bits() == other.to_bits() || (self.is_nan() && other.is_nan())
            }
            fn add(self, b: Self) -> Self {
                nearest::<$type>(value(self) + value(b))
            }
            fn sub(self, b: Self) -> Self {
                nearest::<$type>(value(self) - value(b))
            }
            fn mul(self, b: Self) -> Self {
                nearest::<$type>(value(self) * value(b))
            }
            fn div(self, b: Self) -> Self {
                nearest::<$type>(value(self) / value(b))
            }
            fn rem(self, b: Self) -> Self {
                nearest::<$type>(value(self) % value(b))
            }
            fn neg(self) -> Self {
                nearest::<$type>(-value(self))
            }
            fn abs(self) -> Self {
                nearest::<$type>(value(self).abs())
            }
            fn sqrt(self) -> Self {
                nearest::<$type>(value(self).sqrt())
            }
            fn maximum(self, b: Self) -> Self {
                nearest::<$type>(larger(value(self), value(b)))
            }
            fn minimum(self, b: Self) -> Self {
                nearest::<$type>(-larger(-value(self), -value(b)))
            }
            fn less(self, b: Self) -> bool {
                value(self) < value(b)
            }
        }

        impl InF64 for $type {
            fn value(self) -> f64 {
                let $x = self;
                $value
            }
            fn nearest($y: f64) -> Self {
                $nearest
            }
        }
    )*};
}
floats! {
    f32: |x| f64::from(x), |y| y as f32;
    f64: |x| x, |y| y;
    f16: |x| F16.decode(x.to_bits()), |y| f16::from_bits(F16.encode(y));
    bf16: |x| BF16.decode(x.to_bits()), |y| bf16::from_bits(BF16.encode(y));
}

trait InF64 {
    fn value(self) -> f64;
    fn nearest(value: f64) -> Self;
}

fn value<T: InF64>(x: T) -> f64 {
    x.value()
}

fn nearest<T: InF64>(value: f64) -> T {
    T::nearest(value)
}

macro_rules! complexes {
    ($($part:ident $name:literal;)*) => {$(
        impl Scalar for Complex<$part> {
            type Abs = $part;
            const NAME: &'static str = $name;

            fn same(self, other: Self) -> bool {
                self.re.same(other.re) && self.im.same(other.im)
            }
            fn add(self, b: Self) -> Self {
                Complex::new(self.re + b.re, self.im + b.im)
            }
            fn sub(self, b: Self) -> Self {
                Complex::new(self.re - b.re, self.im - b.im)
            }
            fn mul(self, b: Self) -> Self {
                Complex::new(self.re * b.re - self.im * b.im, self.re * b.im + self.im * b.re)
            }
            /// Only for moderate values: the squares must not overflow.
            fn div(self, b: Self) -> Self {
                let square = b.re * b.re + b.im * b.im;
                Complex::new((self.re * b.re + self.im * b.im) / square, (self.im * b.re - self.re * b.im) / square)
            }
            fn neg(self) -> Self {
                Complex::new(-self.re, -self.im)
            }
            /// Only for moderate values.
            fn abs(self) -> $part {
                (self.re * self.re + self.im * self.im).sqrt()
            }
            /// Only for moderate values: the root with a real part that is not negative, its
            /// imaginary part of the sign of `im`.
            fn sqrt(self) -> Self {
                let modulus = self.abs();
                let (re, im) = (((modulus + self.re) / 2.0).sqrt(), ((modulus - self.re) / 2.0).sqrt());
                Complex::new(re, im.copysign(self.im))
            }
            fn equal(self, b: Self) -> bool {
                self.re == b.re && self.im == b.im
            }
        }
    )*};
}
complexes! {
    f32 "Complex<f32>";
    f64 "Complex<f64>";
}
