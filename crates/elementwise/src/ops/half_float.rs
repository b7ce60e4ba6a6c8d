//! 16-bit floats to and from wider ones, without branches, so that vectors of them can be
//! converted.

use half::{bf16, f16};

/// A 16-bit float. Operations go through `f32` and round once more, which is harmless for
/// `+ - * / sqrt`: `f32` has more than twice the digits.
pub(crate) trait HalfFloat: Copy {
    /// The same value; NaN as it is, which operations make quiet.
    fn widen(self) -> f32;

    /// The same value; NaN stays NaN, quiet.
    #[inline(always)]
    fn widen_quiet(self) -> f32 {
        let wide = self.widen();
        let quiet = if wide.is_nan() { QUIET } else { 0 };
        f32::from_bits(wide.to_bits() | quiet)
    }

    /// The nearest value, ties to even; NaN stays NaN, quiet.
    fn narrow(value: f32) -> Self;

    /// The value nearest to an `f64`, ties to even: rounded once, and alike on every machine (a
    /// conversion by way of the nearest `f32` rounds twice, and not every machine has another).
    #[inline(always)]
    fn narrow_f64(value: f64) -> Self {
        Self::narrow(to_odd(value))
    }

    /// `a * b + c`, rounded once.
    #[inline(always)]
    fn fused(a: Self, b: Self, c: Self) -> Self {
        // Exact: the factors have 11 digits at most.
        let product = f64::from(a.widen()) * f64::from(b.widen());
        Self::narrow_f64(sum_to_odd(product, f64::from(c.widen())))
    }

    /// An operation of one operand.
    #[inline(always)]
    fn map(self, op: impl Fn(f32) -> f32) -> Self {
        Self::narrow(op(self.widen()))
    }

    /// An operation of two operands.
    #[inline(always)]
    fn zip(self, other: Self, op: impl Fn(f32, f32) -> f32) -> Self {
        Self::narrow(op(self.widen(), other.widen()))
    }
}

/// The `f32` next to `value` toward zero, with its last bit set if that is not exact. Rounding it
/// to at most 22 digits is as good as rounding `value` itself (Boldo and Melquiond, "Emulation of
/// FMA and correctly rounded sums", 2008).
#[inline(always)]
fn to_odd(value: f64) -> f32 {
    let nearest = value as f32;
    let back = f64::from(nearest);
    let away = u32::from(back.abs() > value.abs());
    let inexact = u32::from(back.abs() != value.abs() && !value.is_nan());
    f32::from_bits((nearest.to_bits() - away) | inexact)
}

/// The sum, rounded as by [`to_odd`]; of numbers whose sum does not overflow, or not finite ones.
#[inline(always)]
fn sum_to_odd(a: f64, b: f64) -> f64 {
    let sum = a + b;
    // What the sum was rounded by, exactly (Knuth, "The Art of Computer Programming", 4.2.2).
    let other = sum - a;
    let lost = (a - (sum - other)) + (b - other);
    // NaN, where the sum is not finite, is not inexact.
    let inexact = u64::from(lost.abs() > 0.0);
    let away = inexact & ((lost.to_bits() ^ sum.to_bits()) >> 63);
    f64::from_bits((sum.to_bits() - away) | inexact)
}

const INFINITY: u32 = 0x7f80_0000;
const QUIET: u32 = 0x0040_0000;

impl HalfFloat for f16 {
    #[inline(always)]
    fn widen(self) -> f32 {
        // Widened with its sign, which three of the upper bits are then cleared of.
        let bits = (i32::from(self.to_bits().cast_signed()) << 13).cast_unsigned() & 0x8fff_ffff;
        // The exponents' biases differ by 112: scaling is exact, of subnormal numbers too.
        let scaled = f32::from_bits(bits) * f32::from_bits((127 + 112) << 23);
        // What was infinite or NaN is above all other numbers now.
        let special = if scaled.abs() >= 65536.0 { INFINITY } else { 0 };
        f32::from_bits(scaled.to_bits() | special)
    }

    #[inline(always)]
    fn narrow(value: f32) -> Self {
        let bits = value.to_bits();
        let magnitude = bits & 0x7fff_ffff;
        // The power of two of the first digit, or of the smallest normal number's.
        let power = (magnitude & INFINITY).max(113 << 23);
        // Added to 2^13 of it, the addition rounds; the last bits of the sum are then the digits,
        // the first among them, or one more if that was rounded up.
        let sum = f32::from_bits(magnitude) + f32::from_bits(power.wrapping_add(13 << 23));
        let finite = ((power - (113 << 23)) >> 13) + (sum.to_bits() & 0x0fff);
        let nan = 0x7e00 | ((magnitude >> 13) & 0x3ff);
        let half = if magnitude > INFINITY { nan } else { finite.min(0x7c00) };
        f16::from_bits((half | ((bits >> 16) & 0x8000)) as u16)
    }
}

impl HalfFloat for bf16 {
    #[inline(always)]
    fn widen(self) -> f32 {
        f32::from_bits(u32::from(self.to_bits()) << 16)
    }

    #[inline(always)]
    fn narrow(value: f32) -> Self {
        let bits = value.to_bits();
        let rounded = bits.wrapping_add(0x7fff + ((bits >> 16) & 1));
        let half = if bits & 0x7fff_ffff > INFINITY { bits | QUIET } else { rounded };
        bf16::from_bits((half >> 16) as u16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_16_bit_floats_widen_as_they_should() {
        for bits in 0..=u16::MAX {
            let (h, b) = (f16::from_bits(bits), bf16::from_bits(bits));
            assert_eq!(h.widen_quiet().to_bits(), h.to_f32().to_bits(), "f16 {bits:#06x}");
            assert_eq!(b.widen_quiet().to_bits(), b.to_f32().to_bits(), "bf16 {bits:#06x}");
            assert_eq!(h.widen().is_nan(), h.is_nan(), "f16 {bits:#06x}");
            assert_eq!(b.widen().is_nan(), b.is_nan(), "bf16 {bits:#06x}");
            assert!(h.is_nan() || h.widen() == h.to_f32(), "f16 {bits:#06x}");
            assert!(b.is_nan() || b.widen() == b.to_f32(), "bf16 {bits:#06x}");
        }
    }

    #[test]
    fn floats_narrow_as_they_should() {
        // Every value of the upper bits, with lower bits around what decides the rounding.
        for upper in 0..=u16::MAX {
            for lower in
                [0, 1, 0xfff, 0x1000, 0x1001, 0x1fff, 0x2000, 0x7fff, 0x8000, 0x8001, 0xffff]
            {
                let x = f32::from_bits(u32::from(upper) << 16 | lower);
                assert_eq!(
                    f16::narrow(x).to_bits(),
                    f16::from_f32(x).to_bits(),
                    "{:#010x} to f16",
                    x.to_bits()
                );
                assert_eq!(
                    bf16::narrow(x).to_bits(),
                    bf16::from_f32(x).to_bits(),
                    "{:#010x} to bf16",
                    x.to_bits()
                );
            }
        }
    }

    /// The value nearest to an `f64` by comparing it with the numbers half-way between neighbours,
    /// which an `f64` holds exactly.
    fn nearest(value: f64, infinity: u16, decode: impl Fn(u16) -> f64) -> u16 {
        if value.is_nan() {
            return infinity | 1;
        }
        // What would follow the largest number.
        let beyond = 2.0 * decode(infinity - 1) - decode(infinity - 2);
        let decode = |bits| if bits == infinity { beyond } else { decode(bits) };
        let (mut low, mut end) = (0, infinity);
        while end - low > 1 {
            let middle = low + (end - low) / 2;
            if decode(middle) <= value.abs() { low = middle } else { end = middle }
        }
        let half_way = (decode(low) + decode(low + 1)) / 2.0;
        let up = value.abs() > half_way || (value.abs() == half_way && low & 1 == 1);
        (low + u16::from(up)) | if value.is_sign_negative() { 0x8000 } else { 0 }
    }

    /// Checks every number, every number half-way between two, and what lies beside each.
    fn narrows_f64<H: HalfFloat>(infinity: u16, of: fn(u16) -> H, bits: fn(H) -> u16) {
        let decode = |bits: u16| f64::from(of(bits).widen());
        for low in 0..infinity {
            let next = 2.0 * decode(infinity - 1) - decode(infinity - 2);
            let next = if low + 1 == infinity { next } else { decode(low + 1) };
            for at in [decode(low), (decode(low) + next) / 2.0, next] {
                let (mut below, mut above) = (at, at);
                let mut near = vec![at];
                for _ in 0..3 {
                    (below, above) = (below.next_down(), above.next_up());
                    near.extend([below, above]);
                }
                // Beside it by less than an `f32` tells apart, and by more.
                for step in [20, 23, 24, 25, 26, 30, 40, 50] {
                    let step = 2_f64.powi(-step);
                    near.extend([at * (1.0 + step), at * (1.0 - step)]);
                }
                for x in near.into_iter().flat_map(|x| [x, -x]) {
                    let want = nearest(x, infinity, decode);
                    assert_eq!(bits(H::narrow_f64(x)), want, "{x:e}");
                }
            }
        }
        for x in [f64::INFINITY, f64::MAX, 1e39, 3.5e38, 1e-46, 1e-300, 5e-324, 0.0] {
            for x in [x, -x] {
                assert_eq!(bits(H::narrow_f64(x)), nearest(x, infinity, decode), "{x:e}");
            }
        }
        for x in [f64::NAN, -f64::NAN, f64::from_bits(0x7ff0_0000_0000_0001)] {
            assert!(H::narrow_f64(x).widen().is_nan(), "{:#x}", x.to_bits());
        }
    }

    #[test]
    fn wider_floats_narrow_as_they_should() {
        narrows_f64(0x7c00, f16::from_bits, f16::to_bits);
        narrows_f64(0x7f80, bf16::from_bits, bf16::to_bits);
    }

    #[test]
    fn a_sum_is_rounded_to_odd() {
        let (one, tiny) = (1.0_f64, 1e-30);
        assert_eq!(sum_to_odd(one, tiny), one.next_up());
        assert_eq!(sum_to_odd(one, -tiny), one.next_down());
        assert_eq!(sum_to_odd(-one, tiny), -one.next_down());
        assert_eq!(sum_to_odd(one.next_up(), tiny), one.next_up());
        assert_eq!(sum_to_odd(one.next_up(), -tiny), one.next_up());
        assert_eq!(sum_to_odd(one, 1.0), 2.0);
        assert_eq!(sum_to_odd(one, -1.0).to_bits(), 0);
        assert_eq!(sum_to_odd(f64::INFINITY, one), f64::INFINITY);
        assert!(sum_to_odd(f64::INFINITY, f64::NEG_INFINITY).is_nan());
    }
}
