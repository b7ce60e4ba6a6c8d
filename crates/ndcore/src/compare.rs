//! Equality: the same shape and equal elements at each index, whatever the layouts.

use crate::array::Array;
use crate::dimension::Dimension;
use crate::element::Element;
use crate::raw::{View, ViewMut};

/// Logical equality. Ranks may differ in type; a `Dyn` array equals a typed one of the same shape and elements.
fn equal<A: Element + PartialEq<B>, B: Element, R: Dimension, S: Dimension, E, F>(
    a: View<'_, A, R, E>,
    b: View<'_, B, S, F>,
) -> bool {
    a.shape() == b.shape() && a.iter().zip(b.iter()).all(|(a, b)| a == b)
}

macro_rules! equality {
    ($($left:ty, $right:ty;)*) => {$(
        impl<A: Element + PartialEq<B>, B: Element, R: Dimension, S: Dimension, E, F> PartialEq<$right> for $left {
            fn eq(&self, other: &$right) -> bool {
                equal(self.view(), other.view())
            }
        }
    )*};
}

equality! {
    Array<A, R, E>, Array<B, S, F>;
    Array<A, R, E>, View<'_, B, S, F>;
    Array<A, R, E>, ViewMut<'_, B, S, F>;
    View<'_, A, R, E>, Array<B, S, F>;
    View<'_, A, R, E>, View<'_, B, S, F>;
    View<'_, A, R, E>, ViewMut<'_, B, S, F>;
    ViewMut<'_, A, R, E>, Array<B, S, F>;
    ViewMut<'_, A, R, E>, View<'_, B, S, F>;
    ViewMut<'_, A, R, E>, ViewMut<'_, B, S, F>;
}

impl<T: Element + Eq, R: Dimension, E> Eq for Array<T, R, E> {}
impl<T: Element + Eq, R: Dimension, E> Eq for View<'_, T, R, E> {}
impl<T: Element + Eq, R: Dimension, E> Eq for ViewMut<'_, T, R, E> {}
