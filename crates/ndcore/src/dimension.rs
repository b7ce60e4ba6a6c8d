//! The rank of an array in its type: [`Rank<N>`](Rank), or [`Dyn`] when it is known only at run
//! time.

use crate::axes::{Axes, MAX_NDIM};
use crate::error::{LayoutError, LayoutErrorKind};
use crate::index::NdIndex;
use crate::layout::Layout;
use std::fmt::Debug;
use std::hash::Hash;
use std::ops::{Deref, DerefMut};

/// The rank `N` (number of axes), known at compile time. `N` is 0 to 8.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Rank<const N: usize>;

/// A rank known only at run time, at most [`MAX_NDIM`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Dyn;

mod sealed {
    pub trait Sealed {}
    impl<const N: usize> Sealed for super::Rank<N> {}
    impl Sealed for super::Dyn {}
}

/// How many axes an array has, as a type: implemented by [`Rank<0>`](Rank) to `Rank<8>` and
/// [`Dyn`], and by nothing else.
///
/// Rank is a matter of the surface: it says which indices, shapes and `broadcast_dimensions` fit an
/// array, so that a wrong one does not compile. Everything below the surface works on slices of
/// numbers.
///
/// ```
/// use ndcore::{Array, Dimension};
/// fn rows<T: ndcore::Element, R: Dimension>(a: &Array<T, R>) -> Option<usize> {
///     a.shape().first().copied()
/// }
/// assert_eq!(rows(&Array::full([2, 3], 1.0)), Some(2));
///
/// fn mirrored<R: Dimension>(a: &Array<f32, R>) -> Array<f32, R> {
///     let mut out = Array::zeros(a.dim());
///     a.indexed_iter().for_each(|(index, x)| out[index] = -x);
///     out
/// }
/// assert_eq!(mirrored(&Array::full([2], 1.0)).to_vec(), [-1.0, -1.0]);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not the rank of an array",
    note = "an expression of nothing but scalars and operands `.along(..)` some axes has no rank of its own: combine it with an array, \
            assign it to one, or use `broadcast_in_dim(shape, dims)`"
)]
pub trait Dimension:
    Copy + Debug + Default + PartialEq + Eq + Hash + Send + Sync + 'static + sealed::Sealed
{
    /// One extent, index or axis number per axis: `[usize; N]`, or [`Axes<usize>`](Axes).
    ///
    /// It is a shape and an index, so that generic code can write `Array::zeros(a.dim())` and
    /// `a[index]`.
    type Shape: IntoShape<Rank = Self>
        + NdIndex<Self>
        + Copy
        + Debug
        + PartialEq
        + Eq
        + AsRef<[usize]>
        + AsMut<[usize]>
        + Send
        + Sync
        + 'static;
    /// One stride per axis: `[isize; N]`, or [`Axes<isize>`](Axes).
    type Strides: Copy
        + Debug
        + PartialEq
        + Eq
        + AsRef<[isize]>
        + AsMut<[isize]>
        + Send
        + Sync
        + 'static;
    /// A shape or an index as a pattern reads it: `()`, `usize`, `(usize, usize)` and so on, or
    /// [`Axes<usize>`](Axes). What closures of
    /// [`from_shape_fn`](crate::Array::from_shape_fn) get.
    type Pattern: IntoShape<Rank = Self>
        + NdIndex<Self>
        + Copy
        + Debug
        + PartialEq
        + Eq
        + Send
        + Sync
        + 'static;
    /// The rank with one axis less (rank 0 stays rank 0).
    type Smaller: Dimension;
    /// The rank with one axis more (above 8 it is [`Dyn`]).
    type Larger: Dimension;
    /// Where what walks over axes is kept: in place, or, if it is long because the rank is not
    /// known, apart, so that iterators are quick to move and loops keep the rest in registers.
    #[doc(hidden)]
    type Kept<W: Walker>: Walker + DerefMut<Target = W> + From<W>;
    /// The rank, where the type knows it.
    const NDIM: Option<usize>;

    /// The shape with these extents; an error if their number is not the rank.
    fn shape(extents: &[usize]) -> Result<Self::Shape, LayoutError>;

    /// A shape or an index as a pattern.
    fn pattern(shape: Self::Shape) -> Self::Pattern;

    /// `ndim` extents of value 0, or `NDIM` of them where the type knows its rank.
    fn zero_shape(ndim: usize) -> Self::Shape;

    /// `ndim` strides of value 0, or `NDIM` of them where the type knows its rank.
    fn zero_strides(ndim: usize) -> Self::Strides;
}

/// The rank of the result when an operand of rank `Self` meets one of rank `Other`: the higher of
/// the two.
///
/// Operators do not use it (they demand equal ranks); the named functions that take
/// `broadcast_dimensions`, and NumPy's rule, do.
pub trait MaxRank<Other: Dimension>: Dimension {
    /// The higher rank; [`Dyn`] if either is.
    type Output: Dimension;
}

macro_rules! ranks {
    ($($n:literal: $smaller:literal, $larger:ty, [$($index:ident)*] $pattern:tt;)*) => {$(
        #[allow(unused_parens)]
        impl Dimension for Rank<$n> {
            type Shape = [usize; $n];
            type Strides = [isize; $n];
            type Pattern = ranks!(@type $pattern);
            type Smaller = Rank<$smaller>;
            type Larger = $larger;
            type Kept<W: Walker> = Here<W>;
            const NDIM: Option<usize> = Some($n);

            #[inline]
            fn shape(extents: &[usize]) -> Result<Self::Shape, LayoutError> {
                extents.try_into().map_err(|_| rank_mismatch($n, extents.len()))
            }

            #[inline]
            fn pattern([$($index),*]: Self::Shape) -> Self::Pattern {
                $pattern
            }

            #[inline]
            fn zero_shape(_ndim: usize) -> Self::Shape {
                [0; $n]
            }

            #[inline]
            fn zero_strides(_ndim: usize) -> Self::Strides {
                [0; $n]
            }
        }

        impl MaxRank<Dyn> for Rank<$n> {
            type Output = Dyn;
        }

        impl MaxRank<Rank<$n>> for Dyn {
            type Output = Dyn;
        }
    )*};
    (@type ()) => { () };
    (@type ($index:ident)) => { usize };
    (@type ($($index:ident),*)) => { ($(ranks!(@usize $index)),*) };
    (@usize $index:ident) => { usize };
}

ranks! {
    0: 0, Rank<1>, [] ();
    1: 0, Rank<2>, [a] (a);
    2: 1, Rank<3>, [a b] (a, b);
    3: 2, Rank<4>, [a b c] (a, b, c);
    4: 3, Rank<5>, [a b c d] (a, b, c, d);
    5: 4, Rank<6>, [a b c d e] (a, b, c, d, e);
    6: 5, Rank<7>, [a b c d e f] (a, b, c, d, e, f);
    7: 6, Rank<8>, [a b c d e f g] (a, b, c, d, e, f, g);
    8: 7, Dyn, [a b c d e f g h] (a, b, c, d, e, f, g, h);
}

#[cold]
#[inline(never)]
fn rank_mismatch(expected: usize, found: usize) -> LayoutError {
    LayoutErrorKind::RankMismatch { expected, found }.into()
}

impl MaxRank<Dyn> for Dyn {
    type Output = Dyn;
}

/// What walks over axes, as far as iterators need to know.
#[doc(hidden)]
pub trait Walker: Clone + Send + Sync {}

impl<W: Clone + Send + Sync> Walker for W {}

/// What is kept in place.
#[doc(hidden)]
#[derive(Clone, Debug)]
pub struct Here<W>(W);

impl<W> From<W> for Here<W> {
    #[inline]
    fn from(walk: W) -> Self {
        Here(walk)
    }
}

impl<W> Deref for Here<W> {
    type Target = W;

    #[inline]
    fn deref(&self) -> &W {
        &self.0
    }
}

impl<W> DerefMut for Here<W> {
    #[inline]
    fn deref_mut(&mut self) -> &mut W {
        &mut self.0
    }
}

/// Each rank against itself and against every lower one.
macro_rules! max_ranks {
    ($high:literal $($low:literal)*) => {
        impl MaxRank<Rank<$high>> for Rank<$high> {
            type Output = Rank<$high>;
        }
        $(
            impl MaxRank<Rank<$low>> for Rank<$high> {
                type Output = Rank<$high>;
            }
            impl MaxRank<Rank<$high>> for Rank<$low> {
                type Output = Rank<$high>;
            }
        )*
        max_ranks! { $($low)* }
    };
    () => {};
}

max_ranks! { 8 7 6 5 4 3 2 1 0 }

impl Dimension for Dyn {
    type Shape = Axes<usize>;
    type Strides = Axes<isize>;
    type Pattern = Axes<usize>;
    type Smaller = Dyn;
    type Larger = Dyn;
    type Kept<W: Walker> = Box<W>;
    const NDIM: Option<usize> = None;

    #[inline]
    fn shape(extents: &[usize]) -> Result<Self::Shape, LayoutError> {
        Axes::from_slice(extents)
            .ok_or_else(|| LayoutErrorKind::RankTooHigh { ndim: extents.len() }.into())
    }

    #[inline]
    fn pattern(shape: Self::Shape) -> Self::Pattern {
        shape
    }

    #[inline]
    fn zero_shape(ndim: usize) -> Self::Shape {
        Axes::filled(0, ndim.min(MAX_NDIM))
    }

    #[inline]
    fn zero_strides(ndim: usize) -> Self::Strides {
        Axes::filled(0, ndim.min(MAX_NDIM))
    }
}

/// What can be given as a shape or an index: `[2, 3]`, `(2, 3)`, `5` for one axis, `()` for none,
/// and for a rank known at run time a slice, a `Vec` or an [`Axes`].
///
/// ```
/// use ndcore::{Array2, ArrayD};
/// let a = Array2::<f32>::zeros([2, 3]);
/// let b = Array2::<f32>::zeros((2, 3));
/// let c = ArrayD::<f32>::zeros(vec![2, 3]);
/// assert_eq!(a, b);
/// assert_eq!(a.shape(), c.shape());
/// ```
pub trait IntoShape {
    /// The rank this shape has.
    type Rank: Dimension;

    /// The shape; an error if it has more than [`MAX_NDIM`] axes.
    fn into_shape(self) -> Result<<Self::Rank as Dimension>::Shape, LayoutError>;
}

/// The order in which elements are counted or lie: the last index changes fastest, or the first.
///
/// ```
/// use ndcore::{Order, array};
/// let a = array![[1, 2, 3], [4, 5, 6]];
/// assert_eq!(a.to_shape((6, Order::ColumnMajor))?, array![1, 4, 2, 5, 3, 6]);
/// # Ok::<(), ndcore::LayoutError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Order {
    /// Row-major, as in C: the last index changes fastest.
    #[default]
    RowMajor,
    /// Column-major, as in Fortran: the first index changes fastest.
    ColumnMajor,
}

impl Order {
    /// [`RowMajor`](Self::RowMajor), by its other name.
    pub const C: Order = Order::RowMajor;
    /// [`ColumnMajor`](Self::ColumnMajor), by its other name.
    pub const F: Order = Order::ColumnMajor;
}

/// What can be given as the shape of a new array: any [`IntoShape`], for row-major (C) order, one
/// with [`f()`](ShapeBuilder::f), for column-major (Fortran) order, or a shape and an [`Order`].
///
/// ```
/// use ndcore::{Array2, ShapeBuilder};
/// assert_eq!(Array2::<f32>::zeros([2, 3]).strides(), [3, 1]);
/// assert_eq!(Array2::<f32>::zeros([2, 3].f()).strides(), [1, 2]);
/// ```
pub trait IntoLayout {
    /// The rank of the array.
    type Rank: Dimension;

    /// The layout, without gaps; an error if it has more than [`MAX_NDIM`] axes, or more elements
    /// than memory can hold.
    fn into_layout(self) -> Result<Layout<Self::Rank>, LayoutError>;

    /// The order of the elements.
    #[inline]
    fn order(&self) -> Order {
        Order::RowMajor
    }
}

impl<S: IntoShape> IntoLayout for S {
    type Rank = S::Rank;

    #[inline]
    fn into_layout(self) -> Result<Layout<S::Rank>, LayoutError> {
        Layout::c_order(self.into_shape()?)
    }
}

/// A shape whose array lies in column-major (Fortran) order: what [`f()`](ShapeBuilder::f) makes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ColumnMajor<S>(S);

impl<S: IntoShape> IntoLayout for ColumnMajor<S> {
    type Rank = S::Rank;

    #[inline]
    fn into_layout(self) -> Result<Layout<S::Rank>, LayoutError> {
        Layout::f_order(self.0.into_shape()?)
    }

    #[inline]
    fn order(&self) -> Order {
        Order::ColumnMajor
    }
}

impl<S: IntoShape> IntoLayout for (S, Order) {
    type Rank = S::Rank;

    #[inline]
    fn into_layout(self) -> Result<Layout<S::Rank>, LayoutError> {
        match self.1 {
            Order::RowMajor => Layout::c_order(self.0.into_shape()?),
            Order::ColumnMajor => Layout::f_order(self.0.into_shape()?),
        }
    }

    #[inline]
    fn order(&self) -> Order {
        self.1
    }
}

/// In which order the elements of a new array lie.
pub trait ShapeBuilder: IntoShape + Sized {
    /// This shape in column-major (Fortran) order.
    ///
    /// ```
    /// use ndcore::{Array2, ShapeBuilder};
    /// let a = Array2::from_shape_vec([2, 3].f(), vec![1, 2, 3, 4, 5, 6])?;
    /// assert_eq!(a, ndcore::array![[1, 3, 5], [2, 4, 6]]);
    /// # Ok::<(), ndcore::LayoutError>(())
    /// ```
    #[inline]
    fn f(self) -> ColumnMajor<Self> {
        ColumnMajor(self)
    }
}

impl<S: IntoShape> ShapeBuilder for S {}

impl<const N: usize> IntoShape for [usize; N]
where
    Rank<N>: Dimension<Shape = [usize; N]>,
{
    type Rank = Rank<N>;

    #[inline]
    fn into_shape(self) -> Result<[usize; N], LayoutError> {
        Ok(self)
    }
}

impl IntoShape for usize {
    type Rank = Rank<1>;

    #[inline]
    fn into_shape(self) -> Result<[usize; 1], LayoutError> {
        Ok([self])
    }
}

impl IntoShape for &[usize] {
    type Rank = Dyn;

    #[inline]
    fn into_shape(self) -> Result<Axes<usize>, LayoutError> {
        Dyn::shape(self)
    }
}

impl IntoShape for Vec<usize> {
    type Rank = Dyn;

    fn into_shape(self) -> Result<Axes<usize>, LayoutError> {
        Dyn::shape(&self)
    }
}

impl IntoShape for Axes<usize> {
    type Rank = Dyn;

    #[inline]
    fn into_shape(self) -> Result<Axes<usize>, LayoutError> {
        Ok(self)
    }
}

macro_rules! tuple_shapes {
    ($($n:literal: ($($name:ident)*);)*) => {$(
        impl IntoShape for ($(tuple_shapes!(@usize $name),)*) {
            type Rank = Rank<$n>;

            #[inline]
            #[allow(non_snake_case)]
            fn into_shape(self) -> Result<[usize; $n], LayoutError> {
                let ($($name,)*) = self;
                Ok([$($name),*])
            }
        }
    )*};
    (@usize $name:ident) => { usize };
}

tuple_shapes! {
    0: ();
    1: (a);
    2: (a b);
    3: (a b c);
    4: (a b c d);
    5: (a b c d e);
    6: (a b c d e f);
    7: (a b c d e f g);
    8: (a b c d e f g h);
}
