//! The 16-bit floats by definition: what a pattern of bits stands for, and the nearest pattern to a
//! value.

/// A 16-bit binary format: a sign, `16 - 1 - fraction` bits of exponent, and the fraction.
#[derive(Clone, Copy, Debug)]
pub struct Format {
    /// The bits of the fraction.
    pub fraction: u32,
    /// What is subtracted from the exponent's bits.
    pub bias: i32,
}

/// IEEE 754 binary16.
pub const F16: Format = Format { fraction: 10, bias: 15 };
/// The upper half of an f32.
pub const BF16: Format = Format { fraction: 7, bias: 127 };

/// The sign bit.
const SIGN: u16 = 0x8000;
/// A NaN of either format.
const NAN: u16 = 0x7fff;

impl Format {
    /// Positive infinity; the patterns below it are the finite values, in increasing order.
    fn infinity(self) -> u16 {
        0x7fff >> self.fraction << self.fraction
    }

    /// The value of a pattern. Exact: an f64 holds all of them, and those half-way between two of
    /// them.
    pub fn decode(self, bits: u16) -> f64 {
        let sign = if bits & SIGN == 0 { 1.0 } else { -1.0 };
        let magnitude = bits & !SIGN;
        if magnitude > self.infinity() {
            return f64::NAN;
        }
        if magnitude == self.infinity() {
            return sign * f64::INFINITY;
        }
        let exponent = i32::from(magnitude >> self.fraction);
        let fraction =
            f64::from(magnitude & ((1 << self.fraction) - 1)) / f64::from(1 << self.fraction);
        // Below the smallest normal number there is no leading 1, and the exponent is that of the
        // smallest one.
        let (leading, exponent) = if exponent == 0 { (0.0, 1) } else { (1.0, exponent) };
        sign * (leading + fraction) * 2_f64.powi(exponent - self.bias)
    }

    /// The pattern nearest to a value; of two that are equally near the even one; infinity from
    /// where the next value would be nearer than the largest, had the format more exponents.
    pub fn encode(self, value: f64) -> u16 {
        if value.is_nan() {
            return NAN;
        }
        let sign = if value.is_sign_negative() { SIGN } else { 0 };
        sign | self.nearest(|limit| value.abs().partial_cmp(&limit).expect("no NaN"))
    }

    /// The same for the exact value of `a * b + c`, of patterns of this format.
    pub fn encode_fused(self, a: u16, b: u16, c: u16) -> u16 {
        // Exact: both factors have few bits.
        let (product, c) = (self.decode(a) * self.decode(b), self.decode(c));
        let sum = product + c;
        if !sum.is_finite() || sum == 0.0 {
            return self.encode(sum);
        }
        // What the sum was rounded by: the larger of the two, less the sum, plus the smaller.
        let (large, small) = if product.abs() > c.abs() { (product, c) } else { (c, product) };
        let lost = ((large - sum) + small) * sum.signum();
        let sign = if sum < 0.0 { SIGN } else { 0 };
        let compare = |limit| sum.abs().partial_cmp(&limit).expect("no NaN");
        // Rounding keeps the order, so what was lost counts only if the sum is the limit.
        sign | self.nearest(|limit| compare(limit).then(lost.partial_cmp(&0.0).expect("no NaN")))
    }

    /// The same for an integer of at most 64 bits and a sign.
    pub fn encode_integer(self, value: i128) -> u16 {
        let magnitude = value.abs();
        let sign = if value < 0 { SIGN } else { 0 };
        sign | self.nearest(|limit| {
            if limit.fract() == 0.0 {
                magnitude.cmp(&(limit as i128))
            } else {
                // Then the limit is small, and so is whatever lies near it.
                (magnitude as f64).partial_cmp(&limit).expect("no NaN")
            }
        })
    }

    /// The finite pattern or infinity nearest to the magnitude that `compare` compares with any
    /// value.
    fn nearest(self, compare: impl Fn(f64) -> std::cmp::Ordering) -> u16 {
        // What follows the largest value, if its exponent were not kept for infinity.
        let value = |bits: u16| {
            if bits == self.infinity() {
                let largest = self.decode(bits - 1);
                largest + (largest - self.decode(bits - 2))
            } else {
                self.decode(bits)
            }
        };
        // The largest finite pattern that is not above the magnitude.
        let (mut low, mut end) = (0, self.infinity());
        while end - low > 1 {
            let middle = low + (end - low) / 2;
            if compare(self.decode(middle)).is_ge() {
                low = middle;
            } else {
                end = middle;
            }
        }
        match compare((value(low) + value(low + 1)) / 2.0) {
            std::cmp::Ordering::Less => low,
            std::cmp::Ordering::Equal => low + low % 2,
            std::cmp::Ordering::Greater => low + 1,
        }
    }
}
