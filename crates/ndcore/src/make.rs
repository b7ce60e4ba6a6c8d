//! Ways to make an array: of a function of the index, of evenly spaced numbers, of a diagonal.

use crate::array::Array;
use crate::buffer::{Buffer, append_each};
use crate::dimension::{Dimension, IntoLayout, Rank};
use crate::element::{Element, Item};
use crate::error::{LayoutError, LayoutErrorKind as Kind, or_panic};
use crate::list::Text;
use crate::raw::View;
use num_traits::{Float, NumCast, One, Zero};
use std::fmt::Display;

impl<T: Item, R: Dimension, E> Array<T, R, E> {
    /// As [`from_fn`](Self::from_fn), for a closure that takes the index as a tuple: `|(i, j)|` for
    /// a matrix, `|i|` for a vector.
    ///
    /// # Panics
    /// If the array does not fit in memory, or `value` panics.
    ///
    /// ```
    /// use ndcore::{Array1, Array2};
    /// let table = Array2::from_shape_fn((2, 3), |(i, j)| 10 * i + j);
    /// assert_eq!(table.to_vec(), [0, 1, 2, 10, 11, 12]);
    /// assert_eq!(Array1::from_shape_fn(3, |i| 2 * i).to_vec(), [0, 2, 4]);
    /// ```
    #[inline]
    #[track_caller]
    pub fn from_shape_fn<S: IntoLayout<Rank = R>>(
        shape: S,
        mut value: impl FnMut(R::Pattern) -> T,
    ) -> Self {
        Self::from_fn(shape, |index| value(R::pattern(index)))
    }

    /// An array whose elements a closure gives one after the other, in the order of memory.
    ///
    /// # Panics
    /// If the array does not fit in memory, or `value` panics.
    ///
    /// ```
    /// let mut seed = 1_u32;
    /// let a = ndcore::Array2::from_shape_simple_fn([2, 2], || {
    ///     seed *= 3;
    ///     seed
    /// });
    /// assert_eq!(a.to_vec(), [3, 9, 27, 81]);
    /// ```
    #[track_caller]
    pub fn from_shape_simple_fn<S: IntoLayout<Rank = R>>(
        shape: S,
        mut value: impl FnMut() -> T,
    ) -> Self {
        let layout = or_panic(shape.into_layout());
        let mut data = or_panic(Buffer::reserved(layout.size(), layout.shape()));
        append_each(&mut data, layout.size(), |_| value());
        or_panic(Self::from_layout_vec(layout, data))
    }

    /// [`full`](Self::full) by `ndarray`'s name.
    ///
    /// # Panics
    /// If the array does not fit in memory.
    ///
    /// ```
    /// assert_eq!(ndcore::Array2::from_elem((2, 2), 7).to_vec(), [7; 4]);
    /// ```
    #[inline]
    #[track_caller]
    pub fn from_elem<S: IntoLayout<Rank = R>>(shape: S, value: T) -> Self {
        Self::full(shape, value)
    }

    /// Every element the default of its type. (An array that holds nothing is
    /// `Default::default()`: the function of this type comes before that of the trait.)
    ///
    /// # Panics
    /// If the array does not fit in memory.
    ///
    /// ```
    /// use ndcore::Array2;
    /// assert_eq!(Array2::<i32>::default((2, 2)).to_vec(), [0; 4]);
    /// let empty: Array2<i32> = Default::default();
    /// assert_eq!(empty.shape(), [0, 0]);
    /// ```
    #[track_caller]
    pub fn default<S: IntoLayout<Rank = R>>(shape: S) -> Self
    where
        T: Default,
    {
        Self::full(shape, T::default())
    }
}

impl<T: Element, E> Array<T, Rank<1>, E> {
    /// `start`, `start + step`, .. up to but without `end`, as NumPy's `arange`: element `i` is
    /// `start + i * step`.
    ///
    /// # Errors
    /// [`ZeroStep`](Kind::ZeroStep) if the step is zero or not a number;
    /// [`SizeOverflow`](Kind::SizeOverflow) if the number of elements is not finite or does not fit
    /// in memory.
    ///
    /// ```
    /// use ndcore::Array1;
    /// assert_eq!(Array1::arange(0., 1., 0.25)?.to_vec(), [0., 0.25, 0.5, 0.75]);
    /// assert_eq!(Array1::arange(5, 0, -2)?.to_vec(), [5, 3, 1]);
    /// # Ok::<(), ndcore::LayoutError>(())
    /// ```
    pub fn arange(start: T, end: T, step: T) -> Result<Self, LayoutError>
    where
        T: NumCast + std::ops::Mul<Output = T> + std::ops::Add<Output = T>,
    {
        let (len, integers) = range_of(start, end, step)?;
        let mut data = Buffer::reserved(len, &[len])?;
        // Of integers the product might not fit, where the sum does.
        let signed = <T as NumCast>::from(-1_i8).is_some();
        for i in 0..len {
            let element = match integers {
                Some((start, step)) => {
                    let bits = start.wrapping_add((i as u128).wrapping_mul(step));
                    if signed {
                        <T as NumCast>::from(bits as i128)
                    } else {
                        <T as NumCast>::from(bits)
                    }
                }
                None => <T as NumCast>::from(i).map(|i| start + i * step),
            };
            data.push(element.ok_or_else(|| Kind::SizeOverflow { shape: [len].into() })?);
        }
        Ok(Self::from_vec(data))
    }

    /// [`arange`](Self::arange) by `ndarray`'s name.
    ///
    /// # Errors
    /// As for `arange`.
    ///
    /// ```
    /// assert_eq!(ndcore::Array1::range(0., 1., 0.25)?.to_vec(), [0., 0.25, 0.5, 0.75]);
    /// # Ok::<(), ndcore::LayoutError>(())
    /// ```
    pub fn range(start: T, end: T, step: T) -> Result<Self, LayoutError>
    where
        T: NumCast + std::ops::Mul<Output = T> + std::ops::Add<Output = T>,
    {
        Self::arange(start, end, step)
    }
}

impl<T: Element + Float, E> Array<T, Rank<1>, E> {
    /// `n` evenly spaced values from `start` to `end`, both included.
    ///
    /// # Panics
    /// If the array does not fit in memory.
    ///
    /// ```
    /// assert_eq!(ndcore::Array1::linspace(0., 1., 5).to_vec(), [0., 0.25, 0.5, 0.75, 1.]);
    /// ```
    #[track_caller]
    pub fn linspace(start: T, end: T, n: usize) -> Self {
        or_panic(Self::spaced(start, end, n, |value| value))
    }

    /// `n` powers of `base` by evenly spaced exponents from `start` to `end`, both included. Of a
    /// negative base it is the absolute value that has the exponents; the results are negative.
    ///
    /// # Panics
    /// If the array does not fit in memory.
    ///
    /// ```
    /// assert_eq!(ndcore::Array1::logspace(10., 0., 3., 4).to_vec(), [1., 10., 100., 1000.]);
    /// assert_eq!(ndcore::Array1::logspace(-2., 1., 3., 3).to_vec(), [-2., -4., -8.]);
    /// ```
    #[track_caller]
    pub fn logspace(base: T, start: T, end: T, n: usize) -> Self {
        let (sign, base) = (base.signum(), base.abs());
        or_panic(Self::spaced(start, end, n, |exponent| sign * base.powf(exponent)))
    }

    /// `n` values from `start` to `end`, both included, each the same multiple of the one before.
    ///
    /// # Errors
    /// [`GeometricEnds`](Kind::GeometricEnds) if one of them is zero or NaN, or their signs differ;
    /// [`AllocationFailed`](Kind::AllocationFailed).
    ///
    /// ```
    /// use ndcore::Array1;
    /// let a = Array1::<f64>::geomspace(1., 8., 4)?;
    /// assert!(a.iter().zip([1., 2., 4., 8.]).all(|(x, y)| (x - y).abs() < 1e-14));
    /// assert_eq!(
    ///     Array1::<f64>::geomspace(1., -8., 4).unwrap_err().to_string(),
    ///     "no geometric sequence goes from 1 to -8: they must have one sign and not be zero"
    /// );
    /// # Ok::<(), ndcore::LayoutError>(())
    /// ```
    #[track_caller]
    pub fn geomspace(start: T, end: T, n: usize) -> Result<Self, LayoutError>
    where
        T: Display,
    {
        let zero = T::zero();
        if !(start < zero && end < zero || start > zero && end > zero) {
            let (start, end) = (Text::of(start), Text::of(end));
            return Err(Kind::GeometricEnds { start, end }.into());
        }
        let (sign, low, high) = (start.signum(), start.abs().ln(), end.abs().ln());
        let mut values = Self::spaced(low, high, n, |value| sign * value.exp())?;
        // The ends are what was asked for, not what rounding makes of them.
        if let Some(last) = values.last_mut() {
            *last = end;
        }
        if let Some(first) = values.first_mut() {
            *first = start;
        }
        Ok(values)
    }

    /// A function of `n` evenly spaced values.
    fn spaced(start: T, end: T, n: usize, value: impl Fn(T) -> T) -> Result<Self, LayoutError> {
        let float = |i: usize| <T as NumCast>::from(i).unwrap_or_else(T::infinity);
        let last = n.saturating_sub(1);
        // One value is the first one.
        let step = if n > 1 { (end - start) / float(last) } else { T::zero() };
        let mut values = Buffer::reserved(n, &[n])?;
        append_each(&mut values, n, |i| value(start + step * float(i)));
        // The ends are what was asked for, not what rounding makes of them.
        if n > 1 {
            values[last] = value(end);
        }
        if n > 0 {
            values[0] = value(start);
        }
        Ok(Self::from_vec(values))
    }
}

impl<T: Item + Zero + One, E> Array<T, Rank<2>, E> {
    /// The identity matrix of `n` rows.
    ///
    /// # Panics
    /// If the array does not fit in memory.
    ///
    /// ```
    /// assert_eq!(ndcore::Array2::<i32>::eye(2).to_vec(), [1, 0, 0, 1]);
    /// ```
    #[track_caller]
    pub fn eye(n: usize) -> Self {
        Self::from_diag_elem(n, T::one())
    }
}

impl<T: Item + Zero, E> Array<T, Rank<2>, E> {
    /// A square matrix with these elements on the diagonal, and zeros elsewhere.
    ///
    /// # Panics
    /// If the array does not fit in memory.
    ///
    /// ```
    /// use ndcore::{Array2, array};
    /// assert_eq!(Array2::from_diag(&array![1, 2]), array![[1, 0], [0, 2]]);
    /// ```
    #[track_caller]
    pub fn from_diag<'a>(diag: impl Into<View<'a, T, Rank<1>, E>>) -> Self
    where
        E: 'a,
    {
        let diag = diag.into();
        let mut matrix = Self::zeros([diag.len(), diag.len()]);
        matrix.diag_mut().iter_mut().zip(&diag).for_each(|(to, from)| to.clone_from(from));
        matrix
    }

    /// A square matrix of `n` rows with this element all along the diagonal, and zeros elsewhere.
    ///
    /// # Panics
    /// If the array does not fit in memory.
    ///
    /// ```
    /// use ndcore::{Array2, array};
    /// assert_eq!(Array2::from_diag_elem(2, 7), array![[7, 0], [0, 7]]);
    /// ```
    #[track_caller]
    pub fn from_diag_elem(n: usize, value: T) -> Self {
        let mut matrix = Self::zeros([n, n]);
        matrix.diag_mut().fill(value);
        matrix
    }
}

/// The number of elements of `start..end` by `step`; and, if they are integers, the first of them
/// and the step, as integers of 128 bits that wrap.
fn range_of<T: NumCast + Copy>(
    start: T,
    end: T,
    step: T,
) -> Result<(usize, Option<(u128, u128)>), LayoutError> {
    let has_halves = <T as NumCast>::from(0.5).and_then(|half| half.to_f64()) == Some(0.5);
    if !has_halves
        && let (Some(start), Some(end), Some(step)) = (wide(start), wide(end), wide(step))
    {
        if step.bits == 0 {
            return Err(Kind::ZeroStep.into());
        }
        // No further apart than any two numbers of one type are, so that a distance fits.
        let distance = if step.negative { end.up_to(start) } else { start.up_to(end) };
        let stride = if step.negative { step.bits.wrapping_neg() } else { step.bits };
        let len = usize::try_from(distance.div_ceil(stride)).map_err(|_| too_many())?;
        return Ok((len, Some((start.bits, step.bits))));
    }
    let number = |value: T| value.to_f64().unwrap_or(f64::NAN);
    if number(step) == 0. || number(step).is_nan() {
        return Err(Kind::ZeroStep.into());
    }
    let len = ((number(end) - number(start)) / number(step)).ceil().max(0.);
    // 2^53: beyond it an f64 does not count by ones.
    if len.is_finite() && len <= 9_007_199_254_740_992. {
        Ok((len as usize, None))
    } else {
        Err(too_many())
    }
}

#[cold]
fn too_many() -> LayoutError {
    Kind::SizeOverflow { shape: [usize::MAX].into() }.into()
}

/// An integer of any type: its two's complement in 128 bits, and its sign.
#[derive(Clone, Copy)]
struct Wide {
    bits: u128,
    negative: bool,
}

impl Wide {
    /// How far it is up to another number, 0 if that is below.
    fn up_to(self, end: Wide) -> u128 {
        let below = (!self.negative, self.bits) < (!end.negative, end.bits);
        if below { end.bits.wrapping_sub(self.bits) } else { 0 }
    }
}

fn wide<T: NumCast>(value: T) -> Option<Wide> {
    match value.to_u128() {
        Some(bits) => Some(Wide { bits, negative: false }),
        None => value.to_i128().map(|value| Wide { bits: value as u128, negative: value < 0 }),
    }
}
