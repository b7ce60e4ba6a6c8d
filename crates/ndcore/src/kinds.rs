//! The kinds of arrays, listed once for what all of them have.

/// The methods of the macro `reading` for each kind of arrays, given the lifetime of the elements,
/// and those of the macro `writing` for all but views.
macro_rules! methods_of_kinds {
    () => {
        impl<T: Item, R: Dimension, E> Array<T, R, E> {
            reading!('_);
            writing!();
        }

        impl<'a, T: Item, R: Dimension, E> View<'a, T, R, E> {
            reading!('a);
        }

        impl<T: Item, R: Dimension, E> ViewMut<'_, T, R, E> {
            reading!('_);
            writing!();
        }

        impl<T: Item, R: Dimension, E> ArcArray<T, R, E> {
            reading!('_);
            writing!();
        }

        impl<T: Item, R: Dimension, E> CowArray<'_, T, R, E> {
            reading!('_);
            writing!();
        }
    };
}

/// What the macro of this name makes of two kinds of arrays that are compared.
macro_rules! pairs_of_kinds {
    ($each:ident) => {
        $each! {
            Array<A, R, E>, Array<B, S, F>;
            Array<A, R, E>, View<'_, B, S, F>;
            Array<A, R, E>, ViewMut<'_, B, S, F>;
            View<'_, A, R, E>, Array<B, S, F>;
            View<'_, A, R, E>, View<'_, B, S, F>;
            View<'_, A, R, E>, ViewMut<'_, B, S, F>;
            ViewMut<'_, A, R, E>, Array<B, S, F>;
            ViewMut<'_, A, R, E>, View<'_, B, S, F>;
            ViewMut<'_, A, R, E>, ViewMut<'_, B, S, F>;
            ArcArray<A, R, E>, ArcArray<B, S, F>;
            ArcArray<A, R, E>, Array<B, S, F>;
            ArcArray<A, R, E>, View<'_, B, S, F>;
            Array<A, R, E>, ArcArray<B, S, F>;
            View<'_, A, R, E>, ArcArray<B, S, F>;
            CowArray<'_, A, R, E>, CowArray<'_, B, S, F>;
            CowArray<'_, A, R, E>, Array<B, S, F>;
            CowArray<'_, A, R, E>, View<'_, B, S, F>;
            Array<A, R, E>, CowArray<'_, B, S, F>;
            View<'_, A, R, E>, CowArray<'_, B, S, F>;
            ViewMut<'_, A, R, E>, ArcArray<B, S, F>;
            ViewMut<'_, A, R, E>, CowArray<'_, B, S, F>;
            ArcArray<A, R, E>, ViewMut<'_, B, S, F>;
            CowArray<'_, A, R, E>, ViewMut<'_, B, S, F>;
            ArcArray<A, R, E>, CowArray<'_, B, S, F>;
            CowArray<'_, A, R, E>, ArcArray<B, S, F>;
        }
    };
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
