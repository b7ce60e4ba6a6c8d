//! [`Axis`]: the number of an axis, by name.

use crate::dimension::{Dimension, IntoShape};
use crate::error::LayoutError;

/// The number of an axis: `Axis(0)` is the outermost one. Wherever an axis is asked for, its plain
/// number will do as well.
///
/// ```
/// use ndcore::{array, Axis};
/// let a = array![[1, 2], [3, 4]];
/// assert_eq!(a.index_axis(Axis(1), 0)?, a.index_axis(1, 0)?);
/// # Ok::<(), ndcore::LayoutError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Axis(pub usize);

impl Axis {
    /// The number.
    #[inline]
    pub fn index(self) -> usize {
        self.0
    }
}

/// What can be given as an axis: [`Axis`], or its number.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an axis",
    note = "give its number, a `usize`, or `Axis(number)`"
)]
pub trait IntoAxis {
    /// The number of the axis.
    fn into_axis(self) -> usize;
}

/// What can be given as the order of all axes: `[1, 0]`, or `[Axis(1), Axis(0)]`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not an order of the axes of {R}",
    note = "give the number of each axis once, `[1, 0]` for a matrix"
)]
pub trait IntoAxes<R: Dimension> {
    /// The numbers of the axes.
    #[doc(hidden)]
    fn into_axes(self) -> Result<R::Shape, LayoutError>;
}

#[diagnostic::do_not_recommend]
impl<S: IntoShape<Rank = R>, R: Dimension> IntoAxes<R> for S {
    #[inline]
    fn into_axes(self) -> Result<R::Shape, LayoutError> {
        self.into_shape()
    }
}

// Of each number but none: what `[]` is a list of, would not be known.
macro_rules! axes {
    ($($n:literal)*) => {$(
        #[diagnostic::do_not_recommend]
        impl<R: Dimension> IntoAxes<R> for [Axis; $n] {
            #[inline]
            fn into_axes(self) -> Result<R::Shape, LayoutError> {
                R::shape(&self.map(Axis::index))
            }
        }
    )*};
}
axes!(1 2 3 4 5 6 7 8);

impl IntoAxis for usize {
    #[inline]
    fn into_axis(self) -> usize {
        self
    }
}

impl IntoAxis for Axis {
    #[inline]
    fn into_axis(self) -> usize {
        self.0
    }
}
