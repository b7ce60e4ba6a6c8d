//! The traits of the crate `approx` for arrays and views: the same shape, and elements that are
//! equal enough.

use crate::array::Array;
use crate::dimension::Dimension;
use crate::element::Item;
use crate::raw::{View, ViewMut};
use crate::shared::{ArcArray, CowArray};
use approx::{AbsDiffEq, RelativeEq, UlpsEq};

/// Whether shapes are equal and a test holds for all pairs of elements.
fn all<A: Item, B: Item, R: Dimension, S: Dimension, E, F>(
    a: View<'_, A, R, E>,
    b: View<'_, B, S, F>,
    mut test: impl FnMut(&A, &B) -> bool,
) -> bool {
    a.shape() == b.shape() && a.iter().zip(b.iter()).all(|(a, b)| test(a, b))
}

macro_rules! approx {
    ($($left:ty, $right:ty;)*) => {$(
        impl<A, B, R: Dimension, S: Dimension, E, F> AbsDiffEq<$right> for $left
        where
            A: Item + AbsDiffEq<B, Epsilon: Clone>,
            B: Item,
        {
            type Epsilon = A::Epsilon;

            fn default_epsilon() -> A::Epsilon {
                A::default_epsilon()
            }

            /// Ranks may differ in type, as for `==`.
            fn abs_diff_eq(&self, other: &$right, epsilon: A::Epsilon) -> bool {
                all(self.view(), other.view(), |a, b| a.abs_diff_eq(b, epsilon.clone()))
            }
        }

        impl<A, B, R: Dimension, S: Dimension, E, F> RelativeEq<$right> for $left
        where
            A: Item + RelativeEq<B, Epsilon: Clone>,
            B: Item,
        {
            fn default_max_relative() -> A::Epsilon {
                A::default_max_relative()
            }

            fn relative_eq(&self, other: &$right, epsilon: A::Epsilon, max: A::Epsilon) -> bool {
                all(self.view(), other.view(), |a, b| {
                    a.relative_eq(b, epsilon.clone(), max.clone())
                })
            }
        }

        impl<A, B, R: Dimension, S: Dimension, E, F> UlpsEq<$right> for $left
        where
            A: Item + UlpsEq<B, Epsilon: Clone>,
            B: Item,
        {
            fn default_max_ulps() -> u32 {
                A::default_max_ulps()
            }

            fn ulps_eq(&self, other: &$right, epsilon: A::Epsilon, max_ulps: u32) -> bool {
                all(self.view(), other.view(), |a, b| a.ulps_eq(b, epsilon.clone(), max_ulps))
            }
        }
    )*};
}

pairs_of_kinds!(approx);
