//! [`meshgrid`]: coordinates along axes as arrays of all axes.

use crate::array::Array;
use crate::dimension::{Dimension, Rank};
use crate::element::Item;
use crate::error::LayoutError;
use crate::raw::View;

/// In which order the axes of [`meshgrid`] are: of matrices, or of pictures.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MeshIndex {
    /// The first list of coordinates goes along axis 1, the second one along axis 0, as `x` and `y`
    /// do in a picture.
    #[default]
    XY,
    /// List `i` goes along axis `i`.
    IJ,
}

/// Two to four lists of coordinates, as a tuple: what [`meshgrid`] takes.
pub trait Meshgrid {
    /// The tuple of views.
    type Output;

    /// The coordinates as arrays of all axes.
    ///
    /// # Errors
    /// [`SizeOverflow`](crate::LayoutErrorKind::SizeOverflow).
    fn meshgrid(self, indexing: MeshIndex) -> Result<Self::Output, LayoutError>;
}

/// The coordinates of list `number` of those of these lengths.
fn spread<'a, T: Item, R: Dimension, E>(
    list: View<'a, T, Rank<1>, E>,
    lengths: &[usize],
    number: usize,
    indexing: MeshIndex,
) -> Result<View<'a, T, R, E>, LayoutError> {
    let swap = indexing == MeshIndex::XY && lengths.len() > 1;
    let axis = if swap && number < 2 { 1 - number } else { number };
    let mut shape = R::shape(lengths)?;
    if swap {
        shape.as_mut().swap(0, 1);
    }
    // `expand` repeats along all the other axes.
    list.expand(shape, &[axis])
}

macro_rules! tuples {
    ($($n:literal: $($list:ident $lt:lifetime $number:tt $elem:ident),*;)*) => {$(
        impl<$($lt,)* $($elem: Item,)* E> Meshgrid for ($(View<$lt, $elem, Rank<1>, E>,)*) {
            type Output = ($(View<$lt, $elem, Rank<$n>, E>,)*);

            fn meshgrid(self, indexing: MeshIndex) -> Result<Self::Output, LayoutError> {
                let ($($list,)*) = self;
                let lengths = [$($list.len()),*];
                Ok(($(spread($list, &lengths, $number, indexing)?,)*))
            }
        }

        impl<$($lt,)* $($elem: Item,)* E> Meshgrid for ($(&$lt Array<$elem, Rank<1>, E>,)*) {
            type Output = ($(View<$lt, $elem, Rank<$n>, E>,)*);

            fn meshgrid(self, indexing: MeshIndex) -> Result<Self::Output, LayoutError> {
                let ($($list,)*) = self;
                ($($list.view(),)*).meshgrid(indexing)
            }
        }
    )*};
}

tuples! {
    2: a 'a 0 A, b 'b 1 B;
    3: a 'a 0 A, b 'b 1 B, c 'c 2 C;
    4: a 'a 0 A, b 'b 1 B, c 'c 2 C, d 'd 3 D;
}

/// Two to four lists of coordinates as arrays of all axes: element `[i, j]` of the first one is the
/// first coordinate of the point `[i, j]`, and so on. They are views that repeat, and copy nothing.
///
/// # Errors
/// [`SizeOverflow`](crate::LayoutErrorKind::SizeOverflow).
///
/// ```
/// use ndcore::{MeshIndex, array, meshgrid};
/// let (x, y) = (array![1, 2, 3], array![0.5, 1.5]);
/// let (xs, ys) = meshgrid((&x, &y), MeshIndex::XY)?;
/// assert_eq!(xs, array![[1, 2, 3], [1, 2, 3]]);
/// assert_eq!(ys, array![[0.5, 0.5, 0.5], [1.5, 1.5, 1.5]]);
/// let (xs, _) = meshgrid((&x, &y), MeshIndex::IJ)?;
/// assert_eq!(xs, array![[1, 1], [2, 2], [3, 3]]);
/// # Ok::<(), ndcore::LayoutError>(())
/// ```
pub fn meshgrid<M: Meshgrid>(lists: M, indexing: MeshIndex) -> Result<M::Output, LayoutError> {
    lists.meshgrid(indexing)
}
