//! From a shape to a view: the rule's answer as zero strides.

use crate::error::{Error, ErrorKind};
use crate::rule;
use ndcore::{ArcArray, Array, Axes, Axis, CowArray, Dimension, Dyn, IntoShape, Item, List, Rank};
use ndcore::{View, ViewMut};

/// `broadcast_dimensions` for an operand of rank `R`: for each axis of the operand, the axis of the
/// result it lies along.
///
/// For a typed rank this is an array of just as many numbers, so a wrong number does not compile;
/// for [`Dyn`] any array or slice will do, and the number is checked at run time.
#[diagnostic::on_unimplemented(
    message = "`{Self}` are not broadcast dimensions for an operand of {R}",
    note = "give one result axis for each axis of the operand: `[d]` for rank 1, `[d0, d1]` for rank 2"
)]
pub trait Dims<R: Dimension> {
    /// A list of the numbers.
    #[doc(hidden)]
    type List: AsRef<[usize]>;

    /// The numbers.
    #[doc(hidden)]
    fn into_list(self) -> Self::List;
}

macro_rules! dims {
    ($([$($generic:tt)*] $type:ty, $rank:ty;)*) => {$(
        // The compiler would list these as advice where another number of dims is wanted.
        #[diagnostic::do_not_recommend]
        impl<$($generic)*> Dims<$rank> for $type where $rank: Dimension {
            type List = Self;

            #[inline]
            fn into_list(self) -> Self {
                self
            }
        }
    )*};
}

// Of each number but none: what `[]` is a list of, would not be known.
macro_rules! dims_by_axis {
    ($($n:literal)*) => {$(
        dims_by_axis!($n, Rank<$n>);
        dims_by_axis!($n, Dyn);
    )*};
    ($n:literal, $rank:ty) => {
        #[diagnostic::do_not_recommend]
        impl Dims<$rank> for [Axis; $n] {
            type List = [usize; $n];

            #[inline]
            fn into_list(self) -> [usize; $n] {
                self.map(Axis::index)
            }
        }
    };
}
dims_by_axis!(1 2 3 4 5 6 7 8);

dims! {
    [const N: usize] [usize; N], Rank<N>;
    [const N: usize] [usize; N], Dyn;
    [] &[usize], Dyn;
    [] Vec<usize>, Dyn;
    [] Axes<usize>, Dyn;
}

/// Broadcasting as a view: same memory, zero strides, nothing copied.
///
/// ```
/// use bcast::Broadcast;
/// use ndcore::array;
/// let v = array![7., 8., 9.];
/// let rows = v.broadcast_in_dim([2, 3], [1])?;
/// assert_eq!(rows, array![[7., 8., 9.], [7., 8., 9.]]);
/// assert_eq!(rows.strides(), [0, 1]);
/// # Ok::<(), bcast::Error>(())
/// ```
pub trait Broadcast<'a, T: Item, R: Dimension, E>: Sized {
    /// A view of the operand.
    #[doc(hidden)]
    fn operand(self) -> View<'a, T, R, E>;

    /// The operand in a shape of equal or higher rank, by StableHLO's rule: axis `i` of the operand
    /// lies along axis `dims[i]` of the result, and its extent is 1 or that axis's. `dims` may come
    /// in any order; `[1, 0]` transposes.
    ///
    /// # Errors
    /// See [`rule::broadcast_in_dim`](crate::broadcast_in_dim);
    /// [`Layout`](crate::ErrorKind::Layout) if the result has more elements than a size can count.
    fn broadcast_in_dim<S: IntoShape, D: Dims<R>>(
        self,
        shape: S,
        dims: D,
    ) -> Result<View<'a, T, S::Rank, E>, Error> {
        let (view, shape, dims) = (self.operand(), shape.into_shape()?, dims.into_list());
        let dims = dims.as_ref();
        rule::broadcast_in_dim(view.shape(), shape.as_ref(), dims)?;
        Ok(view.expand(shape, dims)?)
    }

    /// As [`broadcast_in_dim`](Self::broadcast_in_dim), with `dims` strictly increasing, as XLA's
    /// builder and the binary rule demand.
    ///
    /// # Errors
    /// See [`broadcast_in_dim_strict`](crate::broadcast_in_dim_strict).
    fn broadcast_in_dim_strict<S: IntoShape, D: Dims<R>>(
        self,
        shape: S,
        dims: D,
    ) -> Result<View<'a, T, S::Rank, E>, Error> {
        let (view, shape, dims) = (self.operand(), shape.into_shape()?, dims.into_list());
        let dims = dims.as_ref();
        rule::broadcast_in_dim_strict(view.shape(), shape.as_ref(), dims)?;
        Ok(view.expand(shape, dims)?)
    }

    /// The operand in a shape of equal or higher rank by NumPy's rule: the last axes are aligned.
    ///
    /// # Errors
    /// As for [`broadcast_in_dim`](Self::broadcast_in_dim), with the aligned axes as `dims`.
    ///
    /// ```
    /// use bcast::Broadcast;
    /// let v = ndcore::array![7, 8, 9];
    /// assert_eq!(v.broadcast_to([2, 3])?.to_vec(), [7, 8, 9, 7, 8, 9]);
    /// # Ok::<(), bcast::Error>(())
    /// ```
    fn broadcast_to<S: IntoShape>(self, shape: S) -> Result<View<'a, T, S::Rank, E>, Error> {
        let (view, shape) = (self.operand(), shape.into_shape()?);
        if view.ndim() > shape.as_ref().len() {
            let (operand, target) = (List::of(&view.shape()), List::of(&shape.as_ref()));
            return Err(
                ErrorKind::OperandRankTooHigh { operand, target, dims: List::default() }.into()
            );
        }
        let dims = rule::suffix_dims(view.ndim(), shape.as_ref().len());
        rule::broadcast_in_dim_strict(view.shape(), shape.as_ref(), &dims)?;
        Ok(view.expand(shape, &dims)?)
    }
}

impl<'a, T: Item, R: Dimension, E> Broadcast<'a, T, R, E> for View<'a, T, R, E> {
    fn operand(self) -> View<'a, T, R, E> {
        self
    }
}

macro_rules! operands {
    ($([$($lt:lifetime)?] $type:ty;)*) => {$(
        impl<'a, $($lt,)? T: Item, R: Dimension, E> Broadcast<'a, T, R, E> for &'a $type {
            fn operand(self) -> View<'a, T, R, E> {
                self.view()
            }
        }
    )*};
}
operands! {
    [] Array<T, R, E>;
    ['b] ViewMut<'b, T, R, E>;
    [] ArcArray<T, R, E>;
    ['b] CowArray<'b, T, R, E>;
}
