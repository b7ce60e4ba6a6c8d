//! 16-bit floats to and from `f32`, without branches, so that vectors of them can be converted.

use half::{bf16, f16};

/// A 16-bit float. Operations go through `f32` and round once more, which is harmless for `+ - * / sqrt`: `f32` has more than twice the
/// digits.
pub(super) trait HalfFloat: Copy {
    /// The same value; NaN stays NaN, quiet.
    fn widen(self) -> f32;
    /// The nearest value, ties to even.
    fn narrow(value: f32) -> Self;

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

const INFINITY: u32 = 0x7f80_0000;
const QUIET: u32 = 0x0040_0000;

impl HalfFloat for f16 {
    #[inline(always)]
    fn widen(self) -> f32 {
        let bits = u32::from(self.to_bits());
        let (sign, magnitude) = ((bits & 0x8000) << 16, (bits & 0x7fff) << 13);
        // The exponents' biases differ by 112: scaling is exact, of subnormal numbers too.
        let scaled = (f32::from_bits(magnitude) * f32::from_bits((127 + 112) << 23)).to_bits();
        let infinite = if magnitude >= 0x1f << 23 { INFINITY } else { 0 };
        let quiet = if magnitude > 0x1f << 23 { QUIET } else { 0 };
        f32::from_bits(scaled | infinite | quiet | sign)
    }

    #[inline(always)]
    fn narrow(value: f32) -> Self {
        let bits = value.to_bits();
        let magnitude = bits & 0x7fff_ffff;
        // Rounded by adding just below half of what is cut off, and one more if what stays is odd.
        let odd = (magnitude >> 13) & 1;
        let normal = magnitude.wrapping_sub(112 << 23).wrapping_add(0xfff + odd) >> 13;
        // Added to 0.5, whose last bit is the smallest subnormal number: the addition rounds.
        let subnormal = (f32::from_bits(magnitude) + 0.5).to_bits().wrapping_sub(0.5_f32.to_bits());
        let special = if magnitude > INFINITY { 0x7e00 | ((magnitude >> 13) & 0x3ff) } else { 0x7c00 };
        let finite = if magnitude < 113 << 23 { subnormal } else { normal };
        let half = if magnitude >= (127 + 16) << 23 { special } else { finite };
        f16::from_bits((half | ((bits >> 16) & 0x8000)) as u16)
    }
}

impl HalfFloat for bf16 {
    #[inline(always)]
    fn widen(self) -> f32 {
        let bits = u32::from(self.to_bits()) << 16;
        let quiet = if bits & 0x7fff_ffff > INFINITY { QUIET } else { 0 };
        f32::from_bits(bits | quiet)
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
            assert_eq!(h.widen().to_bits(), h.to_f32().to_bits(), "f16 {bits:#06x}");
            assert_eq!(b.widen().to_bits(), b.to_f32().to_bits(), "bf16 {bits:#06x}");
        }
    }

    #[test]
    fn floats_narrow_as_they_should() {
        // Every value of the upper bits, with lower bits around what decides the rounding.
        for upper in 0..=u16::MAX {
            for lower in [0, 1, 0xfff, 0x1000, 0x1001, 0x1fff, 0x2000, 0x7fff, 0x8000, 0x8001, 0xffff] {
                let x = f32::from_bits(u32::from(upper) << 16 | lower);
                assert_eq!(f16::narrow(x).to_bits(), f16::from_f32(x).to_bits(), "{:#010x} to f16", x.to_bits());
                assert_eq!(bf16::narrow(x).to_bits(), bf16::from_f32(x).to_bits(), "{:#010x} to bf16", x.to_bits());
            }
        }
    }
}
