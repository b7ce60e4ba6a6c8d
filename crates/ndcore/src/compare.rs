//! Equality: the same shape and equal elements at each index, whatever the layouts.

use crate::array::Array;
use crate::dimension::Dimension;
use crate::element::Element;
use crate::raw::{View, ViewMut};

/// Logical equality. Ranks may differ in type; a `Dyn` array equals a typed one of the same shape and elements.
fn equal<A: Element + PartialEq<B>, B: Element, R: Dimension, S: Dimension>(
    a: View<'_, A, R>,
    b: View<'_, B, S>,
) -> bool {
    a.shape() == b.shape() && a.iter().zip(b.iter()).all(|(a, b)| a == b)
}

macro_rules! equality {
    ($($left:ty, $right:ty;)*) => {$(
        impl<A: Element + PartialEq<B>, B: Element, R: Dimension, S: Dimension> PartialEq<$right> for $left {
            fn eq(&self, other: &$right) -> bool {
                equal(self.view(), other.view())
            }
        }
    )*};
}

equality! {
    Array<A, R>, Array<B, S>;
    Array<A, R>, View<'_, B, S>;
    Array<A, R>, ViewMut<'_, B, S>;
    View<'_, A, R>, Array<B, S>;
    View<'_, A, R>, View<'_, B, S>;
    View<'_, A, R>, ViewMut<'_, B, S>;
    ViewMut<'_, A, R>, Array<B, S>;
    ViewMut<'_, A, R>, View<'_, B, S>;
    ViewMut<'_, A, R>, ViewMut<'_, B, S>;
}

impl<T: Element + Eq, R: Dimension> Eq for Array<T, R> {}
impl<T: Element + Eq, R: Dimension> Eq for View<'_, T, R> {}
impl<T: Element + Eq, R: Dimension> Eq for ViewMut<'_, T, R> {}
