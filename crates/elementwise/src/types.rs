//! The types of this engine: arrays with operators, and scalars.

pub(crate) use ndcore::for_types;

use ndcore::{Element, Rank};

/// The engine of fused element-wise expressions: the arrays of this crate have it as their last
/// type parameter, and so have operators.
#[derive(Clone, Copy, Debug, Default)]
pub struct Fused;

/// An n-dimensional array that owns its elements: [`ndcore::Array`] with operators.
pub type Array<T, R> = ndcore::Array<T, R, Fused>;
/// A borrowed array: [`ndcore::View`] with operators.
pub type View<'a, T, R> = ndcore::View<'a, T, R, Fused>;
/// A mutably borrowed array: [`ndcore::ViewMut`] with operators.
pub type ViewMut<'a, T, R> = ndcore::ViewMut<'a, T, R, Fused>;

/// An array whose copies share their elements: [`ndcore::ArcArray`] with operators.
pub type ArcArray<T, R> = ndcore::ArcArray<T, R, Fused>;
/// An [`ArcArray`] of rank 1.
pub type ArcArray1<T> = ArcArray<T, Rank<1>>;
/// An [`ArcArray`] of rank 2.
pub type ArcArray2<T> = ArcArray<T, Rank<2>>;
/// A view or an array: [`ndcore::CowArray`] with operators.
pub type CowArray<'a, T, R> = ndcore::CowArray<'a, T, R, Fused>;

ndcore::aliases!();

/// A value that can stand in an expression as it is: `&x + 2.0`. A scalar needs no broadcast
/// dimensions.
///
/// Implemented for every element type of the operations. Implement it for your own element types to
/// use their values so.
pub trait Scalar: Element {}

macro_rules! scalar {
    ($type:ty, ()) => {
        impl Scalar for $type {}
    };
}
for_types!(all => scalar!());
