//! Sorting, quantiles, the largest few.

use super::Extreme;
use ndcore::Element;
use std::cmp::Ordering;

/// Ascending; NaN after everything else, as NumPy sorts.
#[inline]
pub(super) fn ascending<T: Extreme>(a: &T, b: &T) -> Ordering {
    match (a.undefined(), b.undefined()) {
        (false, false) if b.above(*a) => Ordering::Less,
        (false, false) if a.above(*b) => Ordering::Greater,
        (a, b) => a.cmp(&b),
    }
}

/// Descending; NaN after everything else.
#[inline]
pub(super) fn descending<T: Extreme>(a: &T, b: &T) -> Ordering {
    match (a.undefined(), b.undefined()) {
        (false, false) => ascending(b, a),
        _ => ascending(a, b),
    }
}

/// Element types that have quantiles: what lies between two elements is the [`Output`](Self::Output).
#[diagnostic::on_unimplemented(
    message = "elements of type `{Self}` have no quantiles",
    note = "they are for real numbers; `.cast::<U>()` converts"
)]
pub trait Quantile: Extreme {
    /// The type of a quantile: that of the elements, or `f64` for integers.
    type Output: Element;

    /// What lies this part of the way from `a` to `b`.
    fn between(a: Self, b: Self, part: f64) -> Self::Output;
}

macro_rules! quantiles {
    ($($type:ty => $output:ty, |$value:ident| $wide:expr, |$result:ident| $narrow:expr;)*) => {$(
        impl Quantile for $type {
            type Output = $output;

            fn between(a: Self, b: Self, part: f64) -> $output {
                let wide = |$value: Self| -> f64 { $wide };
                let (a, b) = (wide(a), wide(b));
                // Of equal infinities too.
                let $result = if part == 0.0 || a == b { a } else { a + (b - a) * part };
                $narrow
            }
        }
    )*};
}
quantiles! {
    f32 => f32, |x| x.into(), |y| y as f32;
    f64 => f64, |x| x, |y| y;
    half::f16 => half::f16, |x| x.to_f64(), |y| half::f16::from_f64(y);
    half::bf16 => half::bf16, |x| x.to_f64(), |y| half::bf16::from_f64(y);
    i8 => f64, |x| x.into(), |y| y;
    i16 => f64, |x| x.into(), |y| y;
    i32 => f64, |x| x.into(), |y| y;
    i64 => f64, |x| x as f64, |y| y;
    isize => f64, |x| x as f64, |y| y;
    u8 => f64, |x| x.into(), |y| y;
    u16 => f64, |x| x.into(), |y| y;
    u32 => f64, |x| x.into(), |y| y;
    u64 => f64, |x| x as f64, |y| y;
    usize => f64, |x| x as f64, |y| y;
}

/// The quantile of some elements, which are reordered; there is at least one.
pub(super) fn quantile<T: Quantile>(values: &mut [T], q: f64) -> T::Output {
    if let Some(&nan) = values.iter().find(|value| value.undefined()) {
        return T::between(nan, nan, 0.0);
    }
    let place = q * (values.len() - 1) as f64;
    let (low, part) = (place.floor() as usize, place - place.floor());
    let (_, &mut a, above) = values.select_nth_unstable_by(low, ascending);
    let b = above.iter().copied().min_by(ascending).unwrap_or(a);
    T::between(a, b, part)
}
