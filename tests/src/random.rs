//! [`Random`]: numbers that look random and are the same for the same seed, everywhere and always.

/// A generator of numbers (SplitMix64): small, and reproducible from one printed number.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The generator that this seed starts.
    pub fn new(seed: u64) -> Self {
        Random(seed)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// A number below `end`, or 0 if that is 0.
    pub fn below(&mut self, end: usize) -> usize {
        ((u128::from(self.bits()) * end as u128) >> 64) as usize
    }

    /// A number below `end`, or, once in so many times, one that may be `end` itself.
    pub fn nearly_below(&mut self, end: usize, times: usize) -> usize {
        let beyond = usize::from(self.once_in(times));
        self.below(end + beyond)
    }

    /// A number from `low` to `high`, both included.
    pub fn between(&mut self, low: isize, high: isize) -> isize {
        low.wrapping_add(self.below(high.wrapping_sub(low) as usize + 1) as isize)
    }

    /// True once in `times` times.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of these.
    pub fn of<T: Copy>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())]
    }

    /// The numbers below `n` in a random order.
    pub fn permutation(&mut self, n: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..n).collect();
        for i in (1..n).rev() {
            order.swap(i, self.below(i + 1));
        }
        order
    }
}
