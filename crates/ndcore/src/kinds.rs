//! The kinds of arrays, listed once for what all of them have.

/// The methods of the macro `reading` for each kind of arrays, given the lifetime of the elements,
/// and those of the macro `writing` for all but views; or those of two other macros, for arrays of
/// one rank.
macro_rules! methods_of_kinds {
    () => {
        methods_of_kinds!([R: Dimension,] R, reading, writing);
    };
    ([$($generics:tt)*] $rank:ty, $reading:ident, $writing:ident) => {
        impl<T: Item, $($generics)* E> Array<T, $rank, E> {
            $reading!('_);
            $writing!();
        }

        impl<'a, T: Item, $($generics)* E> View<'a, T, $rank, E> {
            $reading!('a);
        }

        impl<T: Item, $($generics)* E> ViewMut<'_, T, $rank, E> {
            $reading!('_);
            $writing!();
        }

        impl<T: Item, $($generics)* E> ArcArray<T, $rank, E> {
            $reading!('_);
            $writing!();
        }

        impl<T: Item, $($generics)* E> CowArray<'_, T, $rank, E> {
            $reading!('_);
            $writing!();
        }
    };
}

/// What the macro of this name makes of two kinds of arrays that are compared.
macro_rules! pairs_of_kinds {
    ($each:ident) => {
        pairs_of_kinds!(@ $each Array<A, R, E>);
        pairs_of_kinds!(@ $each View<'_, A, R, E>);
        pairs_of_kinds!(@ $each ViewMut<'_, A, R, E>);
        pairs_of_kinds!(@ $each ArcArray<A, R, E>);
        pairs_of_kinds!(@ $each CowArray<'_, A, R, E>);
    };
    (@ $each:ident $left:ty) => {
        $each! {
            $left, Array<B, S, F>;
            $left, View<'_, B, S, F>;
            $left, ViewMut<'_, B, S, F>;
            $left, ArcArray<B, S, F>;
            $left, CowArray<'_, B, S, F>;
        }
    };
}

/// Copies of types that can be copied whatever their parameters are.
macro_rules! copied {
    ($([$($generics:tt)*] $type:ty;)*) => {$(
        impl<$($generics)*> Clone for $type {
            #[inline(always)]
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<$($generics)*> Copy for $type {}
    )*};
}

/// The names of arrays by rank, of the types `Array`, `View` and `ViewMut` of an engine.
#[doc(hidden)]
#[macro_export]
macro_rules! aliases {
    () => {
        $crate::aliases! {
            Array0 View0 ViewMut0 $crate::Rank<0>, "rank 0: one element";
            Array1 View1 ViewMut1 $crate::Rank<1>, "rank 1: a vector";
            Array2 View2 ViewMut2 $crate::Rank<2>, "rank 2: a matrix";
            Array3 View3 ViewMut3 $crate::Rank<3>, "rank 3";
            Array4 View4 ViewMut4 $crate::Rank<4>, "rank 4";
            Array5 View5 ViewMut5 $crate::Rank<5>, "rank 5";
            Array6 View6 ViewMut6 $crate::Rank<6>, "rank 6";
            Array7 View7 ViewMut7 $crate::Rank<7>, "rank 7";
            Array8 View8 ViewMut8 $crate::Rank<8>, "rank 8";
            ArrayD ViewD ViewMutD $crate::Dyn, "a rank known at run time";
        }
    };
    ($($array:ident $view:ident $view_mut:ident $rank:ty, $what:literal;)*) => {$(
        #[doc = concat!("An array of ", $what, ".")]
        pub type $array<T> = Array<T, $rank>;
        #[doc = concat!("A view of ", $what, ".")]
        pub type $view<'a, T> = View<'a, T, $rank>;
        #[doc = concat!("A mutable view of ", $what, ".")]
        pub type $view_mut<'a, T> = ViewMut<'a, T, $rank>;
    )*};
}
