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
