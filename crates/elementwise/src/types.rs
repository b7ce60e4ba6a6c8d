//! The types of this engine: arrays with operators, and scalars.

pub(crate) use ndcore::for_types;

use ndcore::{Dyn, Element, Rank};

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

macro_rules! aliases {
    ($($array:ident $view:ident $view_mut:ident $rank:ty, $what:literal;)*) => {$(
        #[doc = concat!("An array of ", $what, ".")]
        pub type $array<T> = Array<T, $rank>;
        #[doc = concat!("A view of ", $what, ".")]
        pub type $view<'a, T> = View<'a, T, $rank>;
        #[doc = concat!("A mutable view of ", $what, ".")]
        pub type $view_mut<'a, T> = ViewMut<'a, T, $rank>;
    )*};
}

aliases! {
    Array0 View0 ViewMut0 Rank<0>, "rank 0: one element";
    Array1 View1 ViewMut1 Rank<1>, "rank 1: a vector";
    Array2 View2 ViewMut2 Rank<2>, "rank 2: a matrix";
    Array3 View3 ViewMut3 Rank<3>, "rank 3";
    Array4 View4 ViewMut4 Rank<4>, "rank 4";
    Array5 View5 ViewMut5 Rank<5>, "rank 5";
    Array6 View6 ViewMut6 Rank<6>, "rank 6";
    Array7 View7 ViewMut7 Rank<7>, "rank 7";
    Array8 View8 ViewMut8 Rank<8>, "rank 8";
    ArrayD ViewD ViewMutD Dyn, "a rank known at run time";
}

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
