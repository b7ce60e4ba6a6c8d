//! To and from what other code has: slices, vectors, nested arrays, ranks; iteration by value;
//! hashes and defaults.

use crate::array::Array;
use crate::buffer::collected;
use crate::dimension::{Dimension, Dyn, Rank};
use crate::element::Item;
use crate::error::{LayoutError, LayoutErrorKind as Kind, or_panic};
use crate::iter::{Iter, IterMut};
use crate::layout::Layout;
use crate::raw::{View, ViewMut};
use crate::shared::{ArcArray, CowArray};
use std::hash::{Hash, Hasher};
use std::vec;

/// What can be viewed: iteration over references, and views.
macro_rules! viewed {
    (@iter [$($lt:lifetime)?] $type:ty) => {
        impl<'a, $($lt,)? T: Item, R: Dimension, E> IntoIterator for $type {
            type Item = &'a T;
            type IntoIter = Iter<'a, T, R>;

            #[inline]
            fn into_iter(self) -> Iter<'a, T, R> {
                self.iter()
            }
        }
    };
    ($([$($lt:lifetime)?] $type:ty;)*) => {$(
        viewed!(@iter [$($lt)?] &'a $type);

        impl<'a, $($lt,)? T: Item, R: Dimension, E> IntoIterator for &'a mut $type {
            type Item = &'a mut T;
            type IntoIter = IterMut<'a, T, R>;

            #[inline]
            fn into_iter(self) -> IterMut<'a, T, R> {
                self.iter_mut()
            }
        }

        impl<'a, $($lt,)? T: Item, R: Dimension, E> From<&'a $type> for View<'a, T, R, E> {
            #[inline]
            fn from(array: &'a $type) -> Self {
                array.view()
            }
        }

        impl<'a, $($lt,)? T: Item, R: Dimension, E> From<&'a mut $type> for ViewMut<'a, T, R, E> {
            #[inline]
            fn from(array: &'a mut $type) -> Self {
                array.view_mut()
            }
        }
    )*};
}
viewed! {
    [] Array<T, R, E>;
    ['b] ViewMut<'b, T, R, E>;
    [] ArcArray<T, R, E>;
    ['b] CowArray<'b, T, R, E>;
}
viewed!(@iter [] View<'a, T, R, E>);
viewed!(@iter [] &View<'a, T, R, E>);

impl<T: Item, R: Dimension, E> IntoIterator for Array<T, R, E> {
    type Item = T;
    type IntoIter = vec::IntoIter<T>;

    /// The elements by value, in logical (row-major) order.
    ///
    /// # Panics
    /// As [`into_vec`](Array::into_vec): if they lie in another order, and a copy does not fit in
    /// memory.
    ///
    /// ```
    /// let a = ndcore::array![[1, 2], [3, 4]];
    /// assert_eq!(a.into_iter().collect::<Vec<i32>>(), [1, 2, 3, 4]);
    /// ```
    fn into_iter(self) -> vec::IntoIter<T> {
        self.into_vec().into_iter()
    }
}

impl<'a, T: Item, R: Dimension, E> IntoIterator for ViewMut<'a, T, R, E> {
    type Item = &'a mut T;
    type IntoIter = IterMut<'a, T, R>;

    #[inline]
    fn into_iter(self) -> IterMut<'a, T, R> {
        IterMut::new(self)
    }
}

macro_rules! hashes {
    ($($type:ty),*) => {$(
        impl<T: Item + Hash, R: Dimension, E> Hash for $type {
            /// The shape, and the elements in logical order: equal arrays have equal hashes,
            /// whatever their layouts, and whether or not their types know their ranks.
            fn hash<H: Hasher>(&self, state: &mut H) {
                self.shape().hash(state);
                self.iter().for_each(|element| element.hash(state));
            }
        }
    )*};
}

hashes!(
    Array<T, R, E>,
    View<'_, T, R, E>,
    ViewMut<'_, T, R, E>,
    ArcArray<T, R, E>,
    CowArray<'_, T, R, E>
);

impl<T: Item + Default, R: Dimension, E> Default for Array<T, R, E> {
    /// An array whose extents are all 0; of rank 0, with one element of value `T::default()`; of
    /// dynamic rank, of shape `[0]`.
    ///
    /// ```
    /// use ndcore::{Array0, Array2, ArrayD};
    /// let (matrix, scalar): (Array2<f32>, Array0<i32>) = Default::default();
    /// assert_eq!((matrix.shape(), scalar.into_scalar()), (&[0, 0][..], 0));
    /// let of_any_rank: ArrayD<i32> = Default::default();
    /// assert_eq!(of_any_rank.shape(), [0]);
    /// ```
    fn default() -> Self {
        let layout = Layout::c_order(R::zero_shape(R::NDIM.unwrap_or(1)));
        let made = layout.and_then(|layout| {
            Array::from_shape_vec_raw(layout, vec![T::default(); layout.size()])
        });
        or_panic(made)
    }
}

impl<T: Item, E> From<Vec<T>> for Array<T, Rank<1>, E> {
    /// Free: the `Vec`'s memory becomes the array's.
    fn from(data: Vec<T>) -> Self {
        Self::from_vec(data)
    }
}

impl<T: Item, E> From<Box<[T]>> for Array<T, Rank<1>, E> {
    /// Free: the box's memory becomes the array's.
    fn from(data: Box<[T]>) -> Self {
        Self::from_vec(data.into_vec())
    }
}

impl<T: Item, E> From<&[T]> for Array<T, Rank<1>, E> {
    /// A copy.
    fn from(data: &[T]) -> Self {
        Self::from_vec(data.to_vec())
    }
}

/// So many elements of a list are reserved before it is known whether there will be as many.
const MOST_RESERVED: usize = 1 << 10;

impl<T: Item, E> FromIterator<T> for Array<T, Rank<1>, E> {
    /// In memory of its own: what a `Vec` hands out one by one is copied, [`from`](Self::from) takes
    /// it as it is.
    // Part of the caller, so that what a closure keeps from value to value stays in a register.
    #[inline]
    fn from_iter<I: IntoIterator<Item = T>>(values: I) -> Self {
        let values = values.into_iter();
        let (least, most) = values.size_hint();
        if most == Some(least) {
            return Self::from_vec(collected(values, least));
        }
        // How many there are is not known, as of what becomes a `Result`: then a `Vec` asks for one
        // after the other, by calls, and begins with room for four. A loop that the iterator makes,
        // with room for as many as there may be, takes half of the time.
        let mut data = Vec::with_capacity(most.unwrap_or(0).min(MOST_RESERVED).max(least));
        values.for_each(|value| data.push(value));
        if data.len() < data.capacity() / 2 {
            data.shrink_to_fit();
        }
        Self::from_vec(data)
    }
}

macro_rules! from_nested {
    ($($n:literal: $nested:ty, $first:ident $($extent:ident)*, |$data:ident| $flat:expr;)*) => {$(
        impl<T: Item, const $first: usize $(, const $extent: usize)*, E> From<$nested> for Array<T, Rank<$n>, E> {
            // Part of the caller: all that is looked at is known there.
            #[inline]
            fn from($data: $nested) -> Self {
                let layout = or_panic(Layout::c_order([$first $(, $extent)*]));
                or_panic(Array::from_flat::<LayoutError>(layout, $flat))
            }
        }
    )*};
}

from_nested! {
    1: [T; A], A, |data| Vec::from(data);
    2: [[T; B]; A], A B, |data| Vec::from(data).into_flattened();
    3: [[[T; C]; B]; A], A B C, |data| Vec::from(data).into_flattened().into_flattened();
    4: [[[[T; D]; C]; B]; A], A B C D,
        |data| Vec::from(data).into_flattened().into_flattened().into_flattened();
}

macro_rules! from_vec_of_nested {
    ($($n:literal: $row:ty, $($extent:ident)*, |$data:ident| $flat:expr;)*) => {$(
        impl<T: Item, $(const $extent: usize),*, E> From<Vec<$row>> for Array<T, Rank<$n>, E> {
            /// One row after the other. Free: the `Vec`'s memory becomes the array's.
            fn from($data: Vec<$row>) -> Self {
                Array::from_shape_vec([$data.len() $(, $extent)*], $flat)
                    .expect("nested arrays have as many elements as their extents say")
            }
        }
    )*};
}

from_vec_of_nested! {
    2: [T; A], A, |data| data.into_flattened();
    3: [[T; B]; A], A B, |data| data.into_flattened().into_flattened();
}

/// Rows of equal length, one after the other.
fn from_rows<T: Item, Row: AsRef<[T]>, E>(
    rows: &[Row],
) -> Result<Array<T, Rank<2>, E>, LayoutError> {
    let expected = rows.first().map_or(0, |row| row.as_ref().len());
    if let Some(row) = rows.iter().position(|row| row.as_ref().len() != expected) {
        return Err(Kind::Ragged { row, expected, found: rows[row].as_ref().len() }.into());
    }
    let layout = Layout::c_order([rows.len(), expected])?;
    let mut data = crate::buffer::Buffer::reserved(layout.size(), layout.shape())?;
    rows.iter().for_each(|row| data.extend_from_slice(row.as_ref()));
    Array::from_shape_vec_raw(layout, data)
}

macro_rules! try_from_rows {
    ($($rows:ty),*) => {$(
        impl<T: Item, E> TryFrom<$rows> for Array<T, Rank<2>, E> {
            type Error = LayoutError;

            /// The rows of a matrix.
            ///
            /// # Errors
            /// [`Ragged`](Kind::Ragged) if they are not of equal length;
            /// [`AllocationFailed`](Kind::AllocationFailed).
            ///
            /// ```
            /// use ndcore::{array, Array2};
            /// assert_eq!(Array2::try_from(vec![vec![1, 2], vec![3, 4]])?, array![[1, 2], [3, 4]]);
            /// assert!(Array2::try_from(vec![vec![1, 2], vec![3]]).is_err());
            /// # Ok::<(), ndcore::LayoutError>(())
            /// ```
            fn try_from(rows: $rows) -> Result<Self, LayoutError> {
                from_rows(&rows[..])
            }
        }
    )*};
}

try_from_rows!(Vec<Vec<T>>, &[Vec<T>], &[&[T]]);

impl<T: Item, E> TryFrom<Vec<Vec<Vec<T>>>> for Array<T, Rank<3>, E> {
    type Error = LayoutError;

    /// The matrices of an array of rank 3, each as its rows.
    ///
    /// # Errors
    /// [`Ragged`](Kind::Ragged) if matrices have unequal numbers of rows, or rows are of unequal
    /// length (rows are counted over all matrices); [`AllocationFailed`](Kind::AllocationFailed).
    ///
    /// ```
    /// use ndcore::{array, Array3};
    /// let a = Array3::try_from(vec![vec![vec![1, 2]], vec![vec![3, 4]]])?;
    /// assert_eq!(a, array![[[1, 2]], [[3, 4]]]);
    /// # Ok::<(), ndcore::LayoutError>(())
    /// ```
    fn try_from(matrices: Vec<Vec<Vec<T>>>) -> Result<Self, LayoutError> {
        let expected = matrices.first().map_or(0, Vec::len);
        if let Some(row) = matrices.iter().position(|rows| rows.len() != expected) {
            return Err(Kind::Ragged { row, expected, found: matrices[row].len() }.into());
        }
        let rows: Vec<&[T]> = matrices.iter().flatten().map(Vec::as_slice).collect();
        let flat: Array<T, Rank<2>, E> = from_rows(&rows)?;
        let columns = flat.shape()[1];
        flat.into_shape([matrices.len(), expected, columns])
    }
}

macro_rules! views {
    ($($n:literal: [$($extent:ident)*] $data:ty, |$slice:ident| $shape:expr, $flat:expr, $flat_mut:expr;)*) => {$(
        impl<'a, T: Item, $(const $extent: usize,)* E> From<&'a $data> for View<'a, T, Rank<$n>, E> {
            /// A view of the caller's memory.
            #[inline]
            fn from($slice: &'a $data) -> Self {
                View::from_slice($shape, $flat).expect("a slice has as many elements as its extents say")
            }
        }

        impl<'a, T: Item, $(const $extent: usize,)* E> From<&'a mut $data> for ViewMut<'a, T, Rank<$n>, E> {
            /// A view for writing of the caller's memory.
            #[inline]
            fn from($slice: &'a mut $data) -> Self {
                ViewMut::from_slice($shape, $flat_mut).expect("a slice has as many elements as its extents say")
            }
        }
    )*};
}

views! {
    1: [] [T], |data| [data.len()], data, data;
    1: [] Vec<T>, |data| [data.len()], data, data;
    1: [A] [T; A], |data| [A], data, data;
    2: [A] [[T; A]], |data| [data.len(), A], data.as_flattened(), data.as_flattened_mut();
    2: [A B] [[T; B]; A], |data| [A, B], data.as_flattened(), data.as_flattened_mut();
    3: [A B] [[[T; B]; A]], |data| [data.len(), A, B], data.as_flattened().as_flattened(),
        data.as_flattened_mut().as_flattened_mut();
}

impl<'a, T: Item, R: Dimension, E> From<&View<'a, T, R, E>> for View<'a, T, R, E> {
    #[inline]
    fn from(view: &View<'a, T, R, E>) -> Self {
        *view
    }
}

impl<'a, T: Item, R: Dimension, E> From<ViewMut<'a, T, R, E>> for View<'a, T, R, E> {
    /// For reading only, for as long as the view for writing was.
    #[inline]
    fn from(view: ViewMut<'a, T, R, E>) -> Self {
        view.into_view()
    }
}

macro_rules! ranks {
    ($($n:literal)*) => {$(
        impl<T: Item, E> From<Array<T, Rank<$n>, E>> for Array<T, Dyn, E> {
            /// Moves nothing.
            fn from(array: Array<T, Rank<$n>, E>) -> Self {
                array.into_dyn()
            }
        }

        impl<T: Item, E> TryFrom<Array<T, Dyn, E>> for Array<T, Rank<$n>, E> {
            type Error = LayoutError;

            /// Moves nothing.
            ///
            /// # Errors
            /// [`RankMismatch`](Kind::RankMismatch).
            fn try_from(array: Array<T, Dyn, E>) -> Result<Self, LayoutError> {
                array.into_rank()
            }
        }

        impl<'a, T: Item, E> From<View<'a, T, Rank<$n>, E>> for View<'a, T, Dyn, E> {
            #[inline]
            fn from(view: View<'a, T, Rank<$n>, E>) -> Self {
                view.as_dyn()
            }
        }

        impl<'a, T: Item, E> TryFrom<View<'a, T, Dyn, E>> for View<'a, T, Rank<$n>, E> {
            type Error = LayoutError;

            /// # Errors
            /// [`RankMismatch`](Kind::RankMismatch).
            #[inline]
            fn try_from(view: View<'a, T, Dyn, E>) -> Result<Self, LayoutError> {
                view.as_rank()
            }
        }
    )*};
}

ranks! { 0 1 2 3 4 5 6 7 8 }
