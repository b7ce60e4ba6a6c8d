//! [`OnThreads`]: what several threads may call.

#![forbid(unsafe_code)]

/// A closure that several threads may call at once: all that are `Sync` are. By another name, so
/// that the compiler has something to say of those that are not.
///
/// ```
/// use elementwise::{Array1, Expr, OnThreads};
/// fn smoothed(x: &Array1<f64>, f: impl Fn(f64) -> f64 + OnThreads) -> Array1<f64> {
///     x.mapv(f).eval().unwrap()
/// }
/// assert_eq!(smoothed(&elementwise::array![1.0, 4.0], f64::sqrt).to_vec(), [1.0, 2.0]);
/// ```
#[diagnostic::on_unimplemented(
    message = "this closure captures what threads cannot share, and several may call it",
    label = "it captures a `Cell`, `RefCell`, `Rc`, pointer or the like",
    note = "one element after the other, on this thread: `x.iter().map(|&x| ..).collect::<Array1<_>>()`, `x.map_ref(|&x| ..)`, `y.iter_mut().for_each(..)`, `for_each_in_turn(..)`"
)]
pub trait OnThreads: Sync {}

#[diagnostic::do_not_recommend]
impl<F: Sync + ?Sized> OnThreads for F {}
