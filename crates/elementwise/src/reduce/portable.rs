//! [`Portable`]: totals and results as bytes.

use super::Plain;
use super::moments::Spread;
use crate::number::IntegerProduct;
use crate::types::for_types;
use num_complex::Complex;

/// A value as bytes, the same ones on every machine: so that the totals of a reduction can be sent
/// from one process to another.
///
/// Numbers, `bool` and tuples are, and all totals and results of the reductions of this crate;
/// implement it for those of your own.
///
/// ```
/// use elementwise::Portable;
/// let mut bytes = [0; <(u16, bool)>::SIZE];
/// (513_u16, true).put(&mut bytes);
/// assert_eq!(bytes, [1, 2, 1]);
/// assert_eq!(<(u16, bool)>::get(&bytes), (513, true));
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be sent to another process",
    note = "implement `Portable` for it, or use tuples of numbers"
)]
pub trait Portable: Copy {
    /// The number of bytes.
    const SIZE: usize;

    /// Writes the value to so many bytes.
    ///
    /// # Panics
    /// If there are more or fewer.
    fn put(self, to: &mut [u8]);

    /// The value that [`put`](Self::put) has written.
    ///
    /// # Panics
    /// As for `put`.
    fn get(from: &[u8]) -> Self;
}

macro_rules! numbers {
    ($type:ty, ()) => {
        impl Portable for $type {
            const SIZE: usize = size_of::<$type>();

            #[inline]
            fn put(self, to: &mut [u8]) {
                to.copy_from_slice(&self.to_le_bytes());
            }

            #[inline]
            fn get(from: &[u8]) -> Self {
                <$type>::from_le_bytes(from.try_into().expect("as many bytes as a number has"))
            }
        }
    };
}
for_types!(floats => numbers!());
for_types!(halves => numbers!());
numbers!(i8, ());
numbers!(i16, ());
numbers!(i32, ());
numbers!(i64, ());
numbers!(i128, ());
numbers!(u8, ());
numbers!(u16, ());
numbers!(u32, ());
numbers!(u64, ());
numbers!(u128, ());

/// Values that are written as others.
macro_rules! as_others {
    ($([$($generic:ident)?] $type:ty as $other:ty: |$value:ident| $to:expr, |$back:ident| $from:expr;)*) => {$(
        impl$(<$generic: Portable>)? Portable for $type {
            const SIZE: usize = <$other>::SIZE;

            #[inline]
            fn put(self, to: &mut [u8]) {
                let $value = self;
                <$other>::put($to, to);
            }

            #[inline]
            fn get(from: &[u8]) -> Self {
                let $back = <$other>::get(from);
                $from
            }
        }
    )*};
}
as_others! {
    [] bool as u8: |value| u8::from(value), |byte| byte != 0;
    // Of 64 bits everywhere.
    [] usize as u64: |value| value as u64, |number| number as usize;
    [] isize as i64: |value| value as i64, |number| number as isize;
    [T] Complex<T> as (T, T): |z| (z.re, z.im), |parts| Complex::new(parts.0, parts.1);
    [] Spread as (f64, f64, f64, f64): |spread| spread.parts(), |parts| Spread::of_parts(parts);
    [] IntegerProduct as (u64, u64): |product| product.parts(),
        |parts| IntegerProduct::of_parts(parts);
    [T] Plain<T> as T: |plain| plain.0, |value| Plain(value);
}

impl<T: Portable> Portable for Option<T> {
    const SIZE: usize = 1 + T::SIZE;

    #[inline]
    fn put(self, to: &mut [u8]) {
        to.fill(0);
        if let Some(value) = self {
            to[0] = 1;
            value.put(&mut to[1..]);
        }
    }

    #[inline]
    fn get(from: &[u8]) -> Self {
        (from[0] != 0).then(|| T::get(&from[1..]))
    }
}

impl Portable for () {
    const SIZE: usize = 0;

    fn put(self, _: &mut [u8]) {}

    fn get(_: &[u8]) -> Self {}
}

macro_rules! tuples {
    ($($($part:ident $index:tt),*;)*) => {$(
        impl<$($part: Portable),*> Portable for ($($part,)*) {
            const SIZE: usize = 0 $(+ $part::SIZE)*;

            #[inline]
            fn put(self, to: &mut [u8]) {
                let rest = to;
                $(let (part, rest) = rest.split_at_mut($part::SIZE);
                self.$index.put(part);)*
                assert!(rest.is_empty(), "as many bytes as the parts have");
            }

            #[inline]
            fn get(from: &[u8]) -> Self {
                let mut at = 0;
                ($({
                    at += $part::SIZE;
                    $part::get(&from[at - $part::SIZE..at])
                },)*)
            }
        }
    )*};
}
tuples! {
    A 0, B 1;
    A 0, B 1, C 2;
    A 0, B 1, C 2, D 3;
}

#[cfg(test)]
mod tests {
    use super::*;
    use half::{bf16, f16};

    #[test]
    fn what_is_put_is_got() {
        fn same<T: Portable + PartialEq + std::fmt::Debug>(value: T) {
            let mut bytes = vec![7; T::SIZE];
            value.put(&mut bytes);
            assert_eq!(T::get(&bytes), value);
        }
        same((1.5_f32, -2_i128));
        same((f16::from_f32(0.5), bf16::from_f32(3.0), true));
        same((Complex::new(1.0_f64, -0.0), usize::MAX, -3_isize, ()));
        same([Some((1_u8, 2_u16)), None][0]);
        same(None::<(u8, u16)>);
    }
}
