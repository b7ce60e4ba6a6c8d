//! [`Philox`]: a generator that counts.

use rand::rand_core::{Infallible, SeedableRng, TryRng};

/// The counters of as many blocks are enciphered side by side.
pub(crate) const LANES: usize = 16;

/// Philox4x32-10: a block of four words of 32 bits is the cipher of its number.
///
/// Because a block depends on the seed and on its number alone, arrays are filled by several
/// threads with the same bits as by one. All that is drawn moves the generator on, so that nothing
/// is drawn twice; generators of different [streams](Self::with_stream) have nothing in common.
///
/// ```
/// use arrayrandom::Philox;
/// use elementwise::Array2;
/// let mut rng = Philox::new(7);
/// let a: Array2<f32> = rng.uniform([2, 3], 0.0..1.0)?;
/// let b: Array2<f32> = rng.uniform([2, 3], 0.0..1.0)?;
/// assert_ne!(a, b);
/// assert_eq!(a, Philox::new(7).uniform([2, 3], 0.0..1.0)?);
/// # Ok::<(), ndcore::LayoutError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Philox {
    pub(crate) key: [u32; 2],
    /// The number of the next block: in its upper half, the stream.
    block: u128,
    /// The words of the block before it that are not drawn yet, the next one last.
    words: [u32; 4],
    left: usize,
}

impl Philox {
    /// The generator of a seed.
    pub fn new(seed: u64) -> Self {
        Self::with_stream(seed, 0)
    }

    /// One of 2^64 generators of a seed, of 2^66 words each.
    ///
    /// ```
    /// use arrayrandom::Philox;
    /// let mut a: Vec<Philox> = (0..4).map(|task| Philox::with_stream(7, task)).collect();
    /// let drawn: Vec<f64> = a.iter_mut().map(|rng| rng.uniform((), 0.0..1.0).unwrap().into_scalar()).collect();
    /// assert!(drawn.windows(2).all(|pair| pair[0] != pair[1]));
    /// ```
    pub fn with_stream(seed: u64, stream: u64) -> Self {
        let key = [seed as u32, (seed >> 32) as u32];
        Philox { key, block: u128::from(stream) << 64, words: [0; 4], left: 0 }
    }

    /// The number of the next block of which nothing has been drawn; `blocks` after it are taken.
    pub(crate) fn take(&mut self, blocks: usize) -> u128 {
        let first = self.block;
        self.skip(blocks as u128);
        self.left = 0;
        first
    }

    fn skip(&mut self, blocks: u128) {
        self.block = later(self.block, blocks as u64);
    }
}

/// The number of a block so many after another one: within the stream it wraps around.
#[inline(always)]
pub(crate) fn later(block: u128, by: u64) -> u128 {
    (block >> 64 << 64) | u128::from((block as u64).wrapping_add(by))
}

/// Enciphers the numbers of [`LANES`] blocks, from `first` on: their first words, their second
/// ones, and so on.
///
/// A word is the lower half of 64 bits, where products have it, and what is in the upper half is
/// never looked at: so nothing is widened or narrowed between the rounds.
#[inline(always)]
pub(crate) fn blocks(key: [u32; 2], first: u128) -> [[u32; LANES]; 4] {
    const LOWER: u64 = u32::MAX as u64;
    let (near, far) = (first as u64, (first >> 64) as u64);
    let [mut a, mut b] = [[0; LANES]; 2];
    for lane in 0..LANES {
        // Carried within the stream only, as by `skip`.
        a[lane] = near.wrapping_add(lane as u64);
        b[lane] = a[lane] >> 32;
    }
    let (mut c, mut d) = ([far; LANES], [far >> 32; LANES]);
    let [mut low_key, mut high_key] = key;
    for _ in 0..10 {
        for lane in 0..LANES {
            let x = (a[lane] & LOWER) * 0xD251_1F53;
            let y = (c[lane] & LOWER) * 0xCD9E_8D57;
            (a[lane], b[lane], c[lane], d[lane]) = (
                (y >> 32) ^ b[lane] ^ u64::from(low_key),
                y,
                (x >> 32) ^ d[lane] ^ u64::from(high_key),
                x,
            );
        }
        low_key = low_key.wrapping_add(0x9E37_79B9);
        high_key = high_key.wrapping_add(0xBB67_AE85);
    }
    // Not by `map`, which is not always inlined, and then is compiled for the baseline.
    let mut words = [[0; LANES]; 4];
    for (words, from) in words.iter_mut().zip([&a, &b, &c, &d]) {
        for lane in 0..LANES {
            words[lane] = from[lane] as u32;
        }
    }
    words
}

impl TryRng for Philox {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        if self.left == 0 {
            self.words = blocks(self.key, self.block).map(|words| words[0]);
            self.words.reverse();
            self.skip(1);
            self.left = 4;
        }
        self.left -= 1;
        Ok(self.words[self.left])
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        let low = u64::from(self.try_next_u32()?);
        Ok(low | u64::from(self.try_next_u32()?) << 32)
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for part in bytes.chunks_mut(4) {
            let word = self.try_next_u32()?.to_le_bytes();
            part.copy_from_slice(&word[..part.len()]);
        }
        Ok(())
    }
}

impl SeedableRng for Philox {
    type Seed = [u8; 8];

    fn from_seed(seed: [u8; 8]) -> Self {
        Philox::new(u64::from_le_bytes(seed))
    }

    fn seed_from_u64(seed: u64) -> Self {
        Philox::new(seed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The answers published with the generator.
    #[test]
    fn known_answers() {
        let table = [
            ([0; 2], [0; 4], [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]),
            ([!0; 2], [!0; 4], [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]),
            (
                [0xa409_3822, 0x299f_31d0],
                [0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344],
                [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1],
            ),
        ];
        for (key, counter, expected) in table {
            let parts = counter.iter().rev();
            let first = parts.fold(0_u128, |number, part: &u32| number << 32 | u128::from(*part));
            assert_eq!(blocks(key, first).map(|words| words[0]), expected);
        }
    }

    #[test]
    fn lanes_are_the_blocks_one_after_the_other() {
        for first in [0, 5, u128::from(u32::MAX) - 3, (9 << 64) + u128::from(u64::MAX) - 15] {
            let together = blocks([1, 2], first);
            for lane in 0..LANES {
                let alone = blocks([1, 2], first + lane as u128).map(|words| words[0]);
                assert_eq!(together.map(|words| words[lane]), alone, "{first} + {lane}");
            }
        }
    }
}
