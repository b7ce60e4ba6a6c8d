//! [`AsView`] and [`AsViewMut`]: for functions that take an array, a view or a reference to one.

use crate::types::{ArcArray, Array, CowArray, View, ViewMut};
use ndcore::{Dimension, Item};

/// Whatever can be looked at as a [`View`]: arrays that own or share their elements, views, mutable
/// views, and references to them.
///
/// ```
/// use elementwise::{AsView, Error, Rank, Reductions, array};
///
/// fn trace(matrix: impl AsView<Elem = f64, Rank = Rank<2>>) -> Result<f64, Error> {
///     matrix.as_view().diag().sum()
/// }
///
/// let mut a = array![[1.0, 2.0], [3.0, 4.0]];
/// assert_eq!((trace(&a)?, trace(a.t())?, trace(a.view_mut())?, trace(a)?), (5.0, 5.0, 5.0, 5.0));
/// # Ok::<(), elementwise::Error>(())
/// ```
pub trait AsView {
    /// The type of the elements.
    type Elem: Item;
    /// The rank.
    type Rank: Dimension;

    /// The view.
    fn as_view(&self) -> View<'_, Self::Elem, Self::Rank>;
}

/// Whatever can be looked at as a [`ViewMut`]: arrays that own their elements, shared ones (which
/// are copied if they are shared), mutable views, and mutable references to them.
///
/// ```
/// use elementwise::{AsViewMut, Rank, array};
///
/// fn double(mut vector: impl AsViewMut<Elem = f64, Rank = Rank<1>>) {
///     let mut vector = vector.as_view_mut();
///     vector *= 2.0;
/// }
///
/// let mut a = array![[1.0, 2.0], [3.0, 4.0]];
/// double(a.row_mut(0));
/// double(&mut a.column_mut(1));
/// double(&mut a.t_mut().row_mut(0));
/// assert_eq!(a.to_vec(), [4.0, 8.0, 6.0, 8.0]);
/// ```
pub trait AsViewMut: AsView {
    /// The view.
    fn as_view_mut(&mut self) -> ViewMut<'_, Self::Elem, Self::Rank>;
}

macro_rules! as_view {
    (mut [$($lt:lifetime)?] $type:ty) => {
        as_view!([$($lt)?] $type);

        impl<$($lt,)? T: Item, R: Dimension> AsViewMut for $type {
            #[inline]
            fn as_view_mut(&mut self) -> ViewMut<'_, T, R> {
                self.view_mut()
            }
        }
    };
    ([$($lt:lifetime)?] $type:ty) => {
        impl<$($lt,)? T: Item, R: Dimension> AsView for $type {
            type Elem = T;
            type Rank = R;

            #[inline]
            fn as_view(&self) -> View<'_, T, R> {
                self.view()
            }
        }
    };
}
as_view!(mut [] Array<T, R>);
as_view!(mut [] ArcArray<T, R>);
as_view!(mut ['a] CowArray<'a, T, R>);
as_view!(['a] View<'a, T, R>);
as_view!(mut ['a] ViewMut<'a, T, R>);

impl<A: AsView + ?Sized> AsView for &A {
    type Elem = A::Elem;
    type Rank = A::Rank;

    #[inline]
    fn as_view(&self) -> View<'_, A::Elem, A::Rank> {
        (**self).as_view()
    }
}

impl<A: AsView + ?Sized> AsView for &mut A {
    type Elem = A::Elem;
    type Rank = A::Rank;

    #[inline]
    fn as_view(&self) -> View<'_, A::Elem, A::Rank> {
        (**self).as_view()
    }
}

impl<A: AsViewMut + ?Sized> AsViewMut for &mut A {
    #[inline]
    fn as_view_mut(&mut self) -> ViewMut<'_, A::Elem, A::Rank> {
        (**self).as_view_mut()
    }
}
