//! The operands: values that are a function of their index, so that Rust, Python and the naive
//! definitions agree on them without sharing memory.

use ndarray::{Dim, IxDyn};
use rayon::prelude::*;
use serde_json::{Value as Json, json};
use zerostride::{Array, Dimension, Dyn, Element, Rank, f16};

/// An element type of the board.
pub trait Value: Element + PartialEq {
    /// Its name in NumPy.
    const NAME: &'static str;
    /// What an output holds before it is checked: a value that no workload computes everywhere.
    const POISON: Self;

    /// Zero, of which there is memory without writing it.
    const ZERO: Self;

    /// The value of a level: exact in this type, as are the sums and products that the workloads
    /// make of a few of them.
    fn of_level(level: u32) -> Self;

    /// The value as the naive definitions see it.
    fn to_f64(self) -> f64;
}

macro_rules! values {
    ($($type:ty, $name:literal, $poison:expr, $zero:expr, |$level:ident| $of_level:expr, |$x:ident| $to_f64:expr;)*) => {$(
        impl Value for $type {
            const NAME: &'static str = $name;
            const POISON: Self = $poison;
            const ZERO: Self = $zero;

            fn of_level($level: u32) -> Self {
                $of_level
            }

            fn to_f64(self) -> f64 {
                let $x = self;
                $to_f64
            }
        }
    )*};
}

values! {
    f32, "float32", f32::NAN, 0.0, |level| (level + 1) as f32 * 0.25, |x| f64::from(x);
    f64, "float64", f64::NAN, 0.0, |level| f64::from(level + 1) * 0.25, |x| x;
    f16, "float16", f16::NAN, f16::ZERO, |level| f16::from_f32((level + 1) as f32 * 0.25), |x| x.to_f64();
    i32, "int32", i32::MIN, 0, |level| level as i32 - 32, |x| f64::from(x);
    usize, "int64", usize::MAX, 0, |level| level as usize, |x| x as f64;
    u8, "uint8", 0xaa, 0, |level| level as u8, |x| f64::from(x);
}

/// The level of element `index`; `python/board.py` has the same formula.
fn level(seed: u32, levels: u32, index: usize) -> u32 {
    let hash =
        (index as u32).wrapping_mul(2_654_435_761).wrapping_add(seed.wrapping_mul(40_503)) >> 16;
    hash % levels
}

/// A rank of zerostride and the dimension of `ndarray` that goes with it.
pub trait NdRank: Dimension {
    /// `ndarray`'s type.
    type Nd: ndarray::Dimension;
}

macro_rules! nd_ranks {
    ($($n:literal)*) => {$(
        impl NdRank for Rank<$n> {
            type Nd = Dim<[usize; $n]>;
        }
    )*};
}

nd_ranks! { 0 1 2 3 4 }

impl NdRank for Dyn {
    type Nd = IxDyn;
}

/// An operand in the arrays of both libraries. Each has memory of its own, as its users would.
#[derive(Debug)]
pub struct Input<T: Value, R: NdRank> {
    name: &'static str,
    levels: u32,
    /// As zerostride's array.
    pub ours: Array<T, R>,
    /// As `ndarray`'s.
    pub nd: ndarray::Array<T, R::Nd>,
}

impl<T: Value, R: NdRank> Input<T, R> {
    /// An operand of this shape; its name is the one that expressions for Python use.
    pub fn new(name: &'static str, shape: &[usize]) -> Self {
        Self::with_levels(name, shape, 64)
    }

    /// As [`new`](Self::new), with this many different values.
    pub fn with_levels(name: &'static str, shape: &[usize], levels: u32) -> Self {
        let mut ours = zeroed::<T, R>(shape);
        let mut nd = nd_zeroed::<T, R>(shape);
        for slice in [ours.as_slice_mut(), nd.as_slice_mut()] {
            let slice = slice.expect("a new array lies in row-major order");
            slice
                .par_iter_mut()
                .enumerate()
                .for_each(|(i, x)| *x = T::of_level(level(seed(name), levels, i)));
        }
        Input { name, levels, ours, nd }
    }

    /// Element `i`, in row-major order, as the naive definitions see it.
    pub fn value(&self) -> impl Fn(usize) -> f64 + Copy + Send + Sync + use<T, R> {
        let (seed, levels) = (seed(self.name), self.levels);
        move |i| T::of_level(level(seed, levels, i)).to_f64()
    }
}

fn seed(name: &str) -> u32 {
    u32::from(name.as_bytes()[0])
}

/// What the board has to know of an operand, whatever its type.
pub trait Operand {
    /// The distinct bytes it has.
    fn bytes(&self) -> usize;
    /// What `python/board.py` makes the same operand from.
    fn python(&self) -> Json;
}

impl<T: Value, R: NdRank> Operand for Input<T, R> {
    fn bytes(&self) -> usize {
        self.ours.len() * size_of::<T>()
    }

    fn python(&self) -> Json {
        json!({
            "name": self.name,
            "seed": seed(self.name),
            "levels": self.levels,
            "shape": self.ours.shape(),
            "dtype": T::NAME,
        })
    }
}

/// An array of zerostride whose memory has been touched.
pub(crate) fn zeroed<T: Value, R: NdRank>(shape: &[usize]) -> Array<T, R> {
    let shape = Array::<T, Dyn>::full(shape, T::POISON);
    shape.into_rank().expect("the rank in the type is that of the shape")
}

/// An array of `ndarray` whose memory has been touched.
pub(crate) fn nd_zeroed<T: Value, R: NdRank>(shape: &[usize]) -> ndarray::Array<T, R::Nd> {
    let array = ndarray::ArrayD::from_elem(shape, T::POISON);
    array.into_dimensionality().expect("the rank in the type is that of the shape")
}

/// The same numbers, by their row-major indices, in an array of each library.
pub(crate) fn both<R: NdRank>(
    shape: &[usize],
    value: impl Fn(usize) -> f64,
) -> (Array<f64, R>, ndarray::Array<f64, R::Nd>) {
    let (mut ours, mut nd) = (zeroed::<f64, R>(shape), nd_zeroed::<f64, R>(shape));
    ours.iter_mut().enumerate().for_each(|(i, x)| *x = value(i));
    nd.iter_mut().enumerate().for_each(|(i, x)| *x = value(i));
    (ours, nd)
}

/// A new array of `ndarray`: of memory that the system has zeroed, which is the cheapest safe way
/// to one.
pub(crate) fn nd_new<T: Value, R: NdRank>(shape: &[usize]) -> ndarray::Array<T, R::Nd> {
    let array = ndarray::Array::from_shape_vec(IxDyn(shape), vec![T::ZERO; shape.iter().product()]);
    array
        .expect("the length fits")
        .into_dimensionality()
        .expect("the rank in the type is that of the shape")
}
