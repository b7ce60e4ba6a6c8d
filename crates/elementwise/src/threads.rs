//! [`OnThreads`]: what several threads may call.

#![forbid(unsafe_code)]

/// A closure that several threads may call at once, each of which has a copy of it: all that are
/// `Sync` and `Copy` are. A closure is `Copy` if it captures references, or numbers by `move`, and
/// a reference to a closure always is. By another name, so that the compiler has something to say of
/// those that are not.
///
/// ```
/// use elementwise::{Array1, Expr, OnThreads};
/// fn smoothed(x: &Array1<f64>, f: impl Fn(f64) -> f64 + OnThreads) -> Array1<f64> {
///     x.mapv(f).eval().unwrap()
/// }
/// assert_eq!(smoothed(&elementwise::array![1.0, 4.0], f64::sqrt).to_vec(), [1.0, 2.0]);
///
/// // One that owns what it needs is lent.
/// let (x, weights) = (elementwise::array![0.5, 1.5], vec![10.0, 20.0]);
/// let weighed = move |x: f64| x * weights[x as usize];
/// assert_eq!(smoothed(&x, &weighed).to_vec(), [5.0, 30.0]);
/// ```
#[diagnostic::on_unimplemented(
    message = "several threads may call this closure, each its own copy, and they cannot",
    label = "it changes what it captures, owns a `Vec`, array or the like, or captures a `Cell`, `Rc` or pointer",
    note = "of one that owns something, a reference is copied: `x.mapv(&f)`; or leave out `move`",
    note = "of one that changes what it captures, or shares it with no thread, one element after the other: `x.iter().map(|&x| ..).collect::<Array1<_>>()`, `x.map_ref(|&x| ..)`, `y.iter_mut().for_each(..)`, `for_each_in_turn(..)`"
)]
pub trait OnThreads: Copy + Sync {}

#[diagnostic::do_not_recommend]
impl<F: Copy + Sync> OnThreads for F {}
