//! Arrays filled by [`Philox`], by all threads and by vectors.
//!
//! A group is what [`LANES`] blocks make. Where a word goes is chosen so that a group is stored as
//! vectors: the first words of all blocks, then their second ones, and so on.

use crate::philox::{LANES, Philox, blocks, later};
use elementwise::{Array, ByGroups, Exec, Isa, Op, ops};
use ndcore::{Axes, Element, IntoShape, Layout, LayoutError, Nest, Part, Rank};
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::ops::Range;

/// A group of elements of a word each.
type Single<T> = [T; 4 * LANES];
/// A group of elements of two words each.
type Double<T> = [T; 2 * LANES];

/// What a group of blocks becomes.
pub trait Kind: Copy + Send + Sync {
    /// An element.
    type Elem: Element;
    /// The elements of a group.
    type Group: AsRef<[Self::Elem]>;
    /// How many they are.
    const LEN: usize = size_of::<Self::Group>() / size_of::<Self::Elem>();

    /// The elements of a group. Mark it as `#[inline(always)]`.
    fn group(self, words: &[[u32; LANES]; 4]) -> Self::Group;
}

/// Groups from block `first` on.
#[derive(Clone, Copy)]
struct Groups<K> {
    key: [u32; 2],
    first: u128,
    kind: K,
}

impl<K: Kind> ByGroups for Groups<K> {
    type Elem = K::Elem;
    type Group = K::Group;

    #[inline(always)]
    fn group(&self, number: usize) -> K::Group {
        self.kind.group(&blocks(self.key, later(self.first, (number * LANES) as u64)))
    }
}

/// What is worth a task of its own, in whole groups of each kind.
const TASK: usize = 1 << 15;

fn fill<'b, K: Kind>(
    part: Part<'b, MaybeUninit<K::Elem>>,
    groups: Groups<K>,
    parallel: bool,
    isa: Isa,
) -> Result<ndcore::Filled<'b>, LayoutError> {
    let len = part.len();
    if !parallel || len < 2 * TASK {
        return part.fill(|slots| Ok(isa.generate(&groups, slots)));
    }
    let mid = (len / 2).next_multiple_of(TASK);
    let (low, high) = part.split_at(0, mid);
    let rest = Groups { first: later(groups.first, (mid / K::LEN * LANES) as u64), ..groups };
    let (low, high) = rayon::join(|| fill(low, groups, true, isa), || fill(high, rest, true, isa));
    Ok(low?.join(high?))
}

fn filled<K: Kind, S: IntoShape>(
    rng: &mut Philox,
    shape: S,
    kind: K,
) -> Result<Array<K::Elem, S::Rank>, LayoutError> {
    let shape = shape.into_shape()?;
    let len = Layout::<S::Rank>::c_order(shape)?.size();
    let first = rng.take(len.div_ceil(K::LEN) * LANES);
    let groups = Groups { key: rng.key, first, kind };
    let exec = Exec::current();
    let mut order = Axes::new();
    order.push(0);
    let line: Array<K::Elem, Rank<1>> = Array::build(Layout::c_order([len])?, |slots| {
        if len == 0 {
            return Ok(slots.filled_without_elements());
        }
        let part = slots.into_part(&Nest { order, flips: 0, joins: 0 });
        fill(part, groups, exec.parallel, exec.isa)
    })?;
    line.into_shape(shape)
}

impl Philox {
    /// An array of numbers from a range, each as likely as any other: `f32` in steps of 2^-24 of
    /// its width, `f64` in steps of 2^-52. The end of the range is not reached.
    ///
    /// # Errors
    /// [`SizeOverflow`](ndcore::LayoutErrorKind::SizeOverflow),
    /// [`AllocationFailed`](ndcore::LayoutErrorKind::AllocationFailed),
    /// [`RankTooHigh`](ndcore::LayoutErrorKind::RankTooHigh).
    ///
    /// ```
    /// use arrayrandom::Philox;
    /// use elementwise::{Array1, Reductions};
    /// let x: Array1<f64> = Philox::new(1).uniform(100_000, -1.0..1.0)?;
    /// assert!(x.mean()?.abs() < 0.01 && x.max()? < 1.0 && x.min()? >= -1.0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn uniform<T: FillFloat, S: IntoShape>(
        &mut self,
        shape: S,
        range: Range<T>,
    ) -> Result<Array<T, S::Rank>, LayoutError> {
        filled(self, shape, T::uniform(range))
    }

    /// An array of normally distributed numbers of this mean and standard deviation (by the method
    /// of Box and Muller).
    ///
    /// # Errors
    /// As for [`uniform`](Self::uniform).
    ///
    /// ```
    /// use arrayrandom::Philox;
    /// use elementwise::{Array1, Reductions};
    /// let x: Array1<f32> = Philox::new(1).normal(100_000, 5.0, 2.0)?;
    /// assert!((x.mean()? - 5.0).abs() < 0.05 && (x.std(0.0)? - 2.0).abs() < 0.05);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn normal<T: FillFloat, S: IntoShape>(
        &mut self,
        shape: S,
        mean: T,
        deviation: T,
    ) -> Result<Array<T, S::Rank>, LayoutError> {
        filled(self, shape, T::normal(mean, deviation))
    }

    /// An array of integers of any bits.
    ///
    /// # Errors
    /// As for [`uniform`](Self::uniform).
    ///
    /// ```
    /// use arrayrandom::Philox;
    /// let x: elementwise::Array1<u32> = Philox::new(0).bits(17)?;
    /// assert_eq!(x[[0]], 0x6627_E8D5);
    /// # Ok::<(), ndcore::LayoutError>(())
    /// ```
    pub fn bits<T: FillBits, S: IntoShape>(
        &mut self,
        shape: S,
    ) -> Result<Array<T, S::Rank>, LayoutError> {
        filled(self, shape, T::bits())
    }
}

/// Integers that [`Philox::bits`] makes: `u32` and `u64`.
pub trait FillBits: Element {
    #[doc(hidden)]
    type Bits: Kind<Elem = Self>;

    #[doc(hidden)]
    fn bits() -> Self::Bits;
}

/// Numbers that [`Philox`] makes: `f32` and `f64`.
pub trait FillFloat: Element {
    #[doc(hidden)]
    type Uniform: Kind<Elem = Self>;
    #[doc(hidden)]
    type Normal: Kind<Elem = Self>;

    #[doc(hidden)]
    fn uniform(range: Range<Self>) -> Self::Uniform;
    #[doc(hidden)]
    fn normal(mean: Self, deviation: Self) -> Self::Normal;
}

/// Any bits.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bits<T>(PhantomData<T>);

/// From a start on, at most so much more, both times a scale, and below an end.
#[derive(Clone, Copy, Debug)]
pub struct Uniform<T> {
    start: T,
    width: T,
    scale: T,
    last: T,
}

/// Mean and standard deviation.
#[derive(Clone, Copy, Debug)]
pub struct Normal<T> {
    mean: T,
    deviation: T,
}

#[inline(always)]
fn wide(low: u32, high: u32) -> u64 {
    u64::from(low) | u64::from(high) << 32
}

/// 0 to 1, without 1.
#[inline(always)]
fn unit_f32(word: u32) -> f32 {
    // Through `i32`, because vectors have no conversion of `u32`.
    (word >> 8) as i32 as f32 * (1.0 / (1 << 24) as f32)
}

/// 0 to 1, without 1.
#[inline(always)]
fn unit_f64(word: u64) -> f64 {
    // The bits of a number from 1 to 2, because vectors have no conversion of `u64`.
    f64::from_bits(word >> 12 | 1.0_f64.to_bits()) - 1.0
}

/// -2 ln u, where u is from 2^-32 to 1, in steps of 2^-31, or as fine as numbers of this size have:
/// within three units in the last place.
///
/// The logarithm and the two below are not those of expressions: what is known of the argument,
/// and that two of them share it, takes two thirds of their work away.
#[inline(always)]
fn twice_minus_ln(word: u32) -> f32 {
    const ROOT: i32 = std::f32::consts::FRAC_1_SQRT_2.to_bits() as i32;
    const TWO_LN_2: f32 = 2.0 * std::f32::consts::LN_2;
    // Through `i32`, because vectors have no conversion of `u32`.
    let unit = ((word >> 1) as i32 as f32 + 0.5) * (0.5 / (1 << 30) as f32);
    // 2^k (1 + f), with 1 + f from sqrt(1/2) to sqrt(2).
    let bits = unit.to_bits() as i32 - ROOT;
    let k = (bits >> 23) as f32;
    let f = f32::from_bits(((bits & 0x007f_ffff) + ROOT) as u32) - 1.0;
    // -2 ln(1 + f) / f, by a fit.
    let p = horner(
        f,
        [
            -2.0,
            0.999_999_8,
            -0.666_679,
            0.500_035_1,
            -0.399_241_45,
            0.331_410_17,
            -0.298_359_48,
            0.286_150_43,
            -0.174_696_82,
        ],
    );
    k.mul_add(-TWO_LN_2, f * p)
}

/// The cosine and the sine of so many turns by 2^32: an eighth of a turn at most, by fits, and
/// quarters of one.
#[inline(always)]
fn on_circle(word: u32) -> (f32, f32) {
    const TURN: f32 = std::f32::consts::TAU / 4_294_967_296.0;
    let quarters = word.wrapping_add(1 << 29) >> 30;
    let r = word.wrapping_sub(quarters << 30) as i32 as f32 * TURN;
    let square = r * r;
    let s = horner(square, [-0.166_666_55, 0.008_332_161, -0.000_195_152_83]);
    let s = (r * square).mul_add(s, r);
    let c = horner(square, [1.0, -0.499_998_84, 0.041_655_777, -0.001_359_185_4]);
    let (x, y) = if quarters & 1 == 0 { (c, s) } else { (s, c) };
    // The cosine is negative in the second and the third quarter, the sine in the last two.
    let signed = |value: f32, negative: u32| f32::from_bits(value.to_bits() ^ negative);
    (signed(x, (quarters.wrapping_add(1) & 2) << 30), signed(y, (quarters & 2) << 30))
}

/// A polynomial, the constant first.
#[inline(always)]
fn horner<const N: usize>(x: f32, coefficients: [f32; N]) -> f32 {
    let [low @ .., highest] = &coefficients[..] else { return 0.0 };
    low.iter().rev().fold(*highest, |sum, next| sum.mul_add(x, *next))
}

impl Kind for Bits<u32> {
    type Elem = u32;
    type Group = Single<u32>;

    #[inline(always)]
    fn group(self, words: &[[u32; LANES]; 4]) -> Single<u32> {
        let mut out = [0; 4 * LANES];
        out.copy_from_slice(words.as_flattened());
        out
    }
}

impl Kind for Bits<u64> {
    type Elem = u64;
    type Group = Double<u64>;

    #[inline(always)]
    fn group(self, words: &[[u32; LANES]; 4]) -> Double<u64> {
        let mut out = [0; 2 * LANES];
        for lane in 0..LANES {
            out[lane] = wide(words[0][lane], words[1][lane]);
            out[LANES + lane] = wide(words[2][lane], words[3][lane]);
        }
        out
    }
}

impl Kind for Uniform<f32> {
    type Elem = f32;
    type Group = Single<f32>;

    #[inline(always)]
    fn group(self, words: &[[u32; LANES]; 4]) -> Single<f32> {
        let mut out = [0.0; 4 * LANES];
        for (out, word) in out.iter_mut().zip(words.as_flattened()) {
            let value = (self.start + unit_f32(*word) * self.width) * self.scale;
            *out = if value < self.last { value } else { self.last };
        }
        out
    }
}

impl Kind for Uniform<f64> {
    type Elem = f64;
    type Group = Double<f64>;

    #[inline(always)]
    fn group(self, words: &[[u32; LANES]; 4]) -> Double<f64> {
        let (bits, mut out) = (Bits::<u64>(PhantomData).group(words), [0.0; 2 * LANES]);
        for (out, bits) in out.iter_mut().zip(&bits) {
            let value = (self.start + unit_f64(*bits) * self.width) * self.scale;
            *out = if value < self.last { value } else { self.last };
        }
        out
    }
}

impl Kind for Normal<f32> {
    type Elem = f32;
    type Group = Single<f32>;

    #[inline(always)]
    fn group(self, words: &[[u32; LANES]; 4]) -> Single<f32> {
        let Normal { mean, deviation } = self;
        let mut group = [0.0; 4 * LANES];
        for (out, words) in group.chunks_exact_mut(2 * LANES).zip(words.chunks_exact(2)) {
            // Each step into memory of its own, so that it becomes vectors.
            let [mut radius, mut cosine, mut sine] = [[0.0; LANES]; 3];
            for lane in 0..LANES {
                radius[lane] = deviation * twice_minus_ln(words[0][lane]).sqrt();
            }
            for lane in 0..LANES {
                (cosine[lane], sine[lane]) = on_circle(words[1][lane]);
            }
            let (cosines, sines) = out.split_at_mut(LANES);
            for lane in 0..LANES {
                cosines[lane] = mean + radius[lane] * cosine[lane];
                sines[lane] = mean + radius[lane] * sine[lane];
            }
        }
        group
    }
}

impl Kind for Normal<f64> {
    type Elem = f64;
    type Group = Double<f64>;

    #[inline(always)]
    fn group(self, words: &[[u32; LANES]; 4]) -> Double<f64> {
        let Normal { mean, deviation } = self;
        let [mut radius, mut cosine, mut sine] = [[0.0; LANES]; 3];
        for lane in 0..LANES {
            // 2^-52 to 1.
            let unit = 1.0 - unit_f64(wide(words[0][lane], words[1][lane]));
            radius[lane] = deviation * (-2.0 * ops::Ln.apply_usual(unit)).sqrt();
        }
        for lane in 0..LANES {
            let turn = unit_f64(wide(words[2][lane], words[3][lane])) * std::f64::consts::TAU;
            cosine[lane] = ops::Cos.apply_usual(turn);
            sine[lane] = ops::Sin.apply_usual(turn);
        }
        let mut group = [0.0; 2 * LANES];
        let (cosines, sines) = group.split_at_mut(LANES);
        for lane in 0..LANES {
            cosines[lane] = mean + radius[lane] * cosine[lane];
            sines[lane] = mean + radius[lane] * sine[lane];
        }
        group
    }
}

macro_rules! fills {
    (bits $($type:ty),*) => {$(
        impl FillBits for $type {
            type Bits = Bits<$type>;

            fn bits() -> Bits<$type> {
                Bits(PhantomData)
            }
        }
    )*};
    (floats $($type:ty),*) => {$(
        impl FillFloat for $type {
            type Uniform = Uniform<$type>;
            type Normal = Normal<$type>;

            fn uniform(range: Range<$type>) -> Uniform<$type> {
                let Range { start, end } = range;
                if start < end {
                    // A width that overflows is halved, and what comes of it doubled.
                    let scale: $type = if (end - start).is_finite() { 1.0 } else { 2.0 };
                    let (low, high) = (start / scale, end / scale);
                    Uniform { start: low, width: high - low, scale, last: end.next_down() }
                } else {
                    // Of a range without numbers, the start is all there is.
                    Uniform { start, width: 0.0, scale: 1.0, last: start }
                }
            }

            fn normal(mean: $type, deviation: $type) -> Normal<$type> {
                Normal { mean, deviation }
            }
        }
    )*};
}

fills!(bits u32, u64);
fills!(floats f32, f64);
