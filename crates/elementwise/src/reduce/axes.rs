//! Which axes a reduction goes over: [`ReduceAxes`], [`keep`].

use bcast::{Error, ErrorKind};
use ndcore::{Axes, Axis, Dimension, Dyn, LayoutError, LayoutErrorKind, List, MAX_NDIM, Rank};
use std::ops::RangeFull;

/// Axes that a reduction goes over: one (`1`), several (`[0, 2]`, in any order), or all (`..`);
/// [`keep`] keeps them in the result.
///
/// ```
/// use elementwise::{Axis, Reductions, keep};
/// let x = elementwise::array![[[1_i64, 2], [3, 4]], [[5, 6], [7, 8]]];
/// assert_eq!(x.sum_axis(0)?, x.sum_axis(Axis(0))?);
/// assert_eq!(x.sum_axis([0, 2])?.to_vec(), [14, 22]);
/// assert_eq!(x.sum_axis(keep([0, 2]))?.shape(), [1, 2, 1]);
/// assert_eq!(x.sum_axis(..)?.to_vec(), [36]);
/// # Ok::<(), elementwise::Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say which axes to reduce",
    note = "write one axis (`1`), a list (`[0, 2]`) or all (`..`), or `keep(..)` around it to keep the axes with extent 1"
)]
pub trait ReduceAxes<R: Dimension> {
    /// The rank of the result.
    type Rank: Dimension;

    /// Whether the result has the axes too, with extent 1.
    #[doc(hidden)]
    const KEEPS: bool = false;

    /// The axes as bits.
    ///
    /// # Errors
    /// If the shape does not have one of them, or one is named twice.
    #[doc(hidden)]
    fn mask(&self, shape: &[usize]) -> Result<u32, Error>;

    /// The axes as a list.
    ///
    /// # Errors
    /// As for [`mask`](Self::mask).
    #[doc(hidden)]
    fn list(&self, shape: &[usize]) -> Result<Axes<usize>, Error> {
        let mask = self.mask(shape)?;
        Ok((0..shape.len()).filter(|axis| mask & (1 << axis) != 0).collect())
    }
}

fn mask_of(axes: &[usize], shape: &[usize]) -> Result<u32, Error> {
    let mut mask = 0;
    for &axis in axes {
        if axis >= shape.len() {
            let error = LayoutErrorKind::AxisOutOfRange { axis, shape: List::of(&shape) };
            return Err(LayoutError::from(error).into());
        }
        if mask & (1 << axis) != 0 {
            return Err(ErrorKind::AxisTwice {
                axis,
                axes: List::of(&axes),
                shape: List::of(&shape),
            }
            .into());
        }
        mask |= 1 << axis;
    }
    Ok(mask)
}

impl<R: Dimension> ReduceAxes<R> for usize {
    type Rank = R::Smaller;

    fn mask(&self, shape: &[usize]) -> Result<u32, Error> {
        mask_of(&[*self], shape)
    }
}

impl<R: Dimension> ReduceAxes<R> for Axis {
    type Rank = R::Smaller;

    fn mask(&self, shape: &[usize]) -> Result<u32, Error> {
        mask_of(&[self.index()], shape)
    }
}

impl<R: Dimension> ReduceAxes<R> for RangeFull {
    type Rank = Rank<0>;

    fn mask(&self, shape: &[usize]) -> Result<u32, Error> {
        debug_assert!(shape.len() <= MAX_NDIM);
        Ok((1 << shape.len()) - 1)
    }
}

/// So many axes less.
macro_rules! smaller {
    ($rank:ty;) => { $rank };
    ($rank:ty; $one:literal $($rest:literal)*) => { smaller!(<$rank as Dimension>::Smaller; $($rest)*) };
}

macro_rules! lists {
    ($($n:literal: $($one:literal)*;)*) => {$(
        impl<R: Dimension> ReduceAxes<R> for [usize; $n] {
            type Rank = smaller!(R; $($one)*);

            fn mask(&self, shape: &[usize]) -> Result<u32, Error> {
                mask_of(self, shape)
            }
        }

        lists!(@named $n $($one)*);
    )*};
    // Of an empty list nothing would say which of the two it is.
    (@named $n:literal) => {};
    (@named $n:literal $($one:literal)+) => {
        impl<R: Dimension> ReduceAxes<R> for [Axis; $n] {
            type Rank = smaller!(R; $($one)*);

            fn mask(&self, shape: &[usize]) -> Result<u32, Error> {
                mask_of(&self.map(Axis::index), shape)
            }
        }
    };
}
lists! {
    0: ;
    1: 1;
    2: 1 1;
    3: 1 1 1;
    4: 1 1 1 1;
    5: 1 1 1 1 1;
    6: 1 1 1 1 1 1;
    7: 1 1 1 1 1 1 1;
    8: 1 1 1 1 1 1 1 1;
}

macro_rules! dynamic {
    ($($type:ty),*) => {$(
        impl<R: Dimension> ReduceAxes<R> for $type {
            type Rank = Dyn;

            fn mask(&self, shape: &[usize]) -> Result<u32, Error> {
                mask_of(self, shape)
            }
        }
    )*};
}
dynamic! { &[usize], Vec<usize>, Axes<usize> }

/// What [`keep`] makes.
#[derive(Clone, Copy, Debug)]
pub struct Keep<A>(A);

/// The same axes, which the result keeps, with extent 1: so it stretches back over what was
/// reduced. In NumPy, `keepdims=True`.
///
/// ```
/// use elementwise::{Expr, Reductions, keep};
/// let x = elementwise::array![[1.0_f64, 3.0], [2.0, 6.0]];
/// let centred = (&x - x.mean_axis(keep(1))?).eval()?;
/// assert_eq!(centred, elementwise::array![[-1.0, 1.0], [-2.0, 2.0]]);
/// # Ok::<(), elementwise::Error>(())
/// ```
pub fn keep<A>(axes: A) -> Keep<A> {
    Keep(axes)
}

impl<R: Dimension, A: ReduceAxes<R>> ReduceAxes<R> for Keep<A> {
    type Rank = R;
    const KEEPS: bool = true;

    fn mask(&self, shape: &[usize]) -> Result<u32, Error> {
        self.0.mask(shape)
    }
}
