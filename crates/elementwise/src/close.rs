//! Elements that are equal enough: [`Closeness`].

#![forbid(unsafe_code)]

use crate::expr::{Apply, Expr, Operand};
use crate::ops::Op;
use crate::reduce::{All, Place, Plain, Reduction, all, all_of};
use bcast::Error;
use half::{bf16, f16};
use ndcore::{Dimension, Element};
use num_complex::Complex;
use std::fmt;

/// Element types that know how far two values are apart.
pub trait Close: Element {
    /// Whether the values are equal, or at most `absolute + relative * |other|` apart. A NaN is
    /// close to nothing, and an infinity to itself.
    fn is_close(self, other: Self, relative: f64, absolute: f64) -> bool;
}

/// As `is_close`, of numbers and their distance and size in double precision.
#[inline(always)]
fn within(equal: bool, distance: f64, size: f64, relative: f64, absolute: f64) -> bool {
    // The size of an infinity is no measure of anything.
    equal | ((distance <= absolute + relative * size) & (size < f64::INFINITY))
}

macro_rules! close {
    ($($type:ty: |$a:ident, $b:ident| $distance:expr, $size:expr;)*) => {$(
        impl Close for $type {
            #[inline(always)]
            fn is_close(self, other: Self, relative: f64, absolute: f64) -> bool {
                let ($a, $b) = (self, other);
                within($a == $b, $distance, $size, relative, absolute)
            }
        }
    )*};
    (integers $($type:ty)*) => {
        close! { $($type: |a, b| a.abs_diff(b) as f64, (b as f64).abs();)* }
    };
}

close! {
    f32: |a, b| (f64::from(a) - f64::from(b)).abs(), f64::from(b).abs();
    f64: |a, b| (a - b).abs(), b.abs();
    f16: |a, b| (f64::from(a) - f64::from(b)).abs(), f64::from(b).abs();
    bf16: |a, b| (f64::from(a) - f64::from(b)).abs(), f64::from(b).abs();
    Complex<f32>: |a, b| (wide(a) - wide(b)).norm(), wide(b).norm();
    Complex<f64>: |a, b| (a - b).norm(), b.norm();
}
close!(integers i8 i16 i32 i64 isize u8 u16 u32 u64 usize);

#[inline(always)]
fn wide(a: Complex<f32>) -> Complex<f64> {
    Complex::new(a.re.into(), a.im.into())
}

/// The operation of [`Closeness::all_close`]: of two elements, whether they are close.
#[derive(Clone, Copy, Debug)]
pub struct IsClose {
    relative: f64,
    absolute: f64,
}

impl<T: Close> Op<(T, T)> for IsClose {
    type Output = bool;
    const COST: usize = 4;

    #[inline(always)]
    fn apply(&self, (a, b): (T, T)) -> bool {
        a.is_close(b, self.relative, self.absolute)
    }
}

/// Looks for pairs that are too far apart.
struct Far(IsClose);

/// The number of the first of some pairs with its elements, and how many there are.
#[derive(Clone, Copy)]
struct Found<T> {
    first: Option<(usize, T, T)>,
    count: usize,
}

impl<T: Close> Reduction<(T, T)> for Far {
    type Acc = Plain<Found<T>>;
    type Total = Plain<Found<T>>;
    type Output = Found<T>;
    const NAME: &'static str = "first_difference";
    const COST: usize = 8;

    #[inline(always)]
    fn start(&self) -> Plain<Found<T>> {
        Plain(Found { first: None, count: 0 })
    }

    #[inline(always)]
    fn step(&self, Plain(found): Plain<Found<T>>, (a, b): (T, T), round: usize) -> Plain<Found<T>> {
        if self.0.apply((a, b)) {
            return Plain(found);
        }
        Plain(Found { first: found.first.or(Some((round, a, b))), count: found.count + 1 })
    }

    #[inline(always)]
    fn total(&self, Plain(found): Plain<Found<T>>, place: Place) -> Plain<Found<T>> {
        let first = found.first.map(|(round, a, b)| (place.number(round), a, b));
        Plain(Found { first, ..found })
    }

    #[inline(always)]
    fn merge(&self, Plain(a): Plain<Found<T>>, Plain(b): Plain<Found<T>>) -> Plain<Found<T>> {
        let number = |found: &Found<T>| found.first.map_or(usize::MAX, |(number, ..)| number);
        let first = if number(&a) <= number(&b) { a.first } else { b.first };
        Plain(Found { first, count: a.count + b.count })
    }

    fn finish(&self, Plain(found): Plain<Found<T>>, _: usize) -> Result<Found<T>, Error> {
        Ok(found)
    }
}

/// The first elements of two expressions that are too far apart: see
/// [`Closeness::first_difference`].
#[derive(Clone, Debug, PartialEq)]
pub struct Difference<T> {
    /// Where they are.
    pub index: Vec<usize>,
    /// The element of the first expression.
    pub left: T,
    /// That of the second one.
    pub right: T,
    /// How many pairs of elements are too far apart.
    pub count: usize,
    /// How many pairs there are.
    pub len: usize,
}

impl<T: fmt::Debug> fmt::Display for Difference<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Difference { index, left, right, count, len } = self;
        write!(
            f,
            "{left:?} and {right:?} at index {index:?} differ, and so do {count} of {len} pairs"
        )
    }
}

impl<T: fmt::Debug> std::error::Error for Difference<T> {}

/// Comparisons with a tolerance, as reductions: nothing is allocated.
///
/// An element `a` is close to `b` if `|a - b| <= absolute + relative * |b|`, as in NumPy, or if
/// they are equal. A NaN is close to nothing.
pub trait Closeness: Expr {
    /// Whether all elements are close to those of another expression.
    ///
    /// # Errors
    /// If the operands' shapes do not fit.
    ///
    /// ```
    /// use elementwise::{Closeness, Expr, array};
    /// let (x, y) = (array![[1.0, 2.0], [3.0, 4.0]], array![1.0, 2.0]);
    /// assert!((&x * 3.0 / 3.0).all_close(&x, 1e-12, 0.0)?);
    /// assert!(!x.all_close(y.along([1]), 1e-12, 0.0)?);
    /// assert!(x.all_close(2.5, 0.0, 1.5)?);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn all_close<B>(self, other: B, relative: f64, absolute: f64) -> Result<bool, Error>
    where
        B: Operand<Self::Elem, Self::Rank>,
        (Self, B::Expr): Expr<Elem = (Self::Elem, Self::Elem), Rank: Dimension>,
        Self::Elem: Close,
    {
        let close = IsClose { relative, absolute };
        all(Apply::new(close, (self, other.into_expr())), &All)
    }

    /// The first pair of elements that are not close, and how many there are; `None` if all are.
    /// For tests: `assert_eq!(x.first_difference(&y, 1e-6, 0.0)?, None)` says where.
    ///
    /// # Errors
    /// If the operands' shapes do not fit.
    ///
    /// ```
    /// use elementwise::{Closeness, Expr, array};
    /// let (x, y) = (array![[1.0, 2.0], [3.0, 4.0]], array![[1.0, 2.0], [3.5, 4.5]]);
    /// let difference = x.first_difference(&y, 1e-6, 0.0)?.unwrap();
    /// assert_eq!(difference.index, [1, 0]);
    /// assert_eq!(
    ///     difference.to_string(),
    ///     "3.0 and 3.5 at index [1, 0] differ, and so do 2 of 4 pairs"
    /// );
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn first_difference<B>(
        self,
        other: B,
        relative: f64,
        absolute: f64,
    ) -> Result<Option<Difference<Self::Elem>>, Error>
    where
        B: Operand<Self::Elem, Self::Rank>,
        (Self, B::Expr): Expr<Elem = (Self::Elem, Self::Elem), Rank: Dimension>,
        Self::Elem: Close,
    {
        let close = IsClose { relative, absolute };
        let pairs = (self, other.into_expr());
        // The usual answer takes a pass of vectors; the other one is for a person to read.
        let pairs = Apply::new(close, pairs);
        if all_of(&pairs, &All)? {
            return Ok(None);
        }
        let shape = pairs.result_shape()?;
        let far = all(pairs.into_args(), &Far(close))?;
        let Some((mut number, left, right)) = far.first else { return Ok(None) };
        let mut index = ndcore::reserved(shape.len(), &shape)?;
        index.resize(shape.len(), 0);
        for (index, extent) in index.iter_mut().zip(&shape[..]).rev() {
            (*index, number) = (number % extent, number / extent);
        }
        let len = shape.iter().product();
        Ok(Some(Difference { index, left, right, count: far.count, len }))
    }
}

impl<E: Expr> Closeness for E {}
