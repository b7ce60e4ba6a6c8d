//! The element types that have arithmetic, listed once.

/// Calls a macro once for each element type of a class: `for_types!(ints => name!(arguments))`
/// expands to `name!(i8, (arguments));`, `name!(i16, (arguments));`, and so on. The classes are
/// `signed`, `unsigned`, `ints` (both), `floats`, `halves`, `complexes`, `bools` and `all`.
///
/// This is the list of element types. The caller's crate must depend on `half` and `num-complex`.
#[doc(hidden)]
#[macro_export]
macro_rules! for_types {
    (signed => $m:ident!$args:tt) => { $crate::for_types!(@ $m $args i8, i16, i32, i64, isize); };
    (unsigned => $m:ident!$args:tt) => { $crate::for_types!(@ $m $args u8, u16, u32, u64, usize); };
    (ints => $m:ident!$args:tt) => {
        $crate::for_types!(signed => $m!$args);
        $crate::for_types!(unsigned => $m!$args);
    };
    (floats => $m:ident!$args:tt) => { $crate::for_types!(@ $m $args f32, f64); };
    (halves => $m:ident!$args:tt) => { $crate::for_types!(@ $m $args half::f16, half::bf16); };
    (complexes => $m:ident!$args:tt) => {
        $crate::for_types!(@ $m $args num_complex::Complex<f32>, num_complex::Complex<f64>);
    };
    (bools => $m:ident!$args:tt) => { $crate::for_types!(@ $m $args bool); };
    (all => $m:ident!$args:tt) => {
        $crate::for_types!(ints => $m!$args);
        $crate::for_types!(floats => $m!$args);
        $crate::for_types!(halves => $m!$args);
        $crate::for_types!(complexes => $m!$args);
        $crate::for_types!(bools => $m!$args);
    };
    (@ $m:ident $args:tt $($type:ty),*) => { $( $m!($type, $args); )* };
}
