//! [`Item`] and [`Element`]: what an array can hold, and what can be computed with.

/// What an array can hold: any value that can be cloned, sent and shared, and that borrows nothing.
///
/// Implemented for every such type: numbers, structs, `String`, `Vec<u8>`, `Option<Box<f64>>`. All
/// that makes, looks at, takes apart and joins arrays asks for no more.
///
/// ```
/// use ndcore::{Array2, array};
/// let names = array![["a".to_string(), "b".to_string()], ["c".to_string(), "d".to_string()]];
/// assert_eq!(names.t().to_vec(), ["a", "c", "b", "d"]);
/// let lengths: Array2<usize> = names.map_ref(|name| name.len());
/// assert_eq!(lengths, Array2::full([2, 2], 1));
/// ```
pub trait Item: Clone + Send + Sync + 'static {}

impl<T: Clone + Send + Sync + 'static> Item for T {}

/// What can be computed with: any plain value.
///
/// Implemented for every [`Item`] that is `Copy`. Such a value has nothing to drop: its memory may
/// be copied, left uninitialised until it is filled, and taken over by another array; a panic
/// half-way through filling it leaves nothing behind.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no element that can be computed with: it is not `Copy`",
    note = "arrays hold any type that is `Clone`, but expressions and operators are of `Copy` types",
    note = "a closure that may fail: `a.map_axis(1, |row| row.sum().unwrap())`; or `for row in a.rows()` with `?`",
    note = "of others, go over the values one by one, by `map_ref`, `iter` or `iter_mut`; `Array::concat` and `Array::stack` join arrays"
)]
pub trait Element: Item + Copy {}

// Else compilers say what a part of the type is not, such as the error of a `Result`.
#[diagnostic::do_not_recommend]
impl<T: Item + Copy> Element for T {}
