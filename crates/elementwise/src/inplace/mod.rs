//! Passes over memory that exists: a closure gets each element of one or several destinations to
//! change, and beside it the elements of an expression, whatever their types.

mod passes;

use passes::run_in_turn;
pub use passes::{Destination, Destinations, for_each, for_each_in_turn};

use crate::eval::{Assign, store};
use crate::expr::{Apply, Expr, MeetsRank, Operand, Owned};
use crate::kernel::{Call, Update};
use crate::number::Number;
use crate::ops::{Add, Binary, Func, Mul, Op};
use crate::threads::OnThreads;
use crate::types::{ArcArray, Array, CowArray};
use bcast::Error;
use ndcore::{Dimension, Element};
use std::marker::PhantomData;

/// `value` where the mask is true.
#[derive(Clone, Copy)]
struct FillWhere<T>(T);

impl<T: Element> Op<(T, bool)> for FillWhere<T> {
    type Output = T;
    const COST: usize = 1;

    #[inline(always)]
    fn apply(&self, (old, mask): (T, bool)) -> T {
        if mask { self.0 } else { old }
    }
}

/// The new element where the mask is true.
#[derive(Clone, Copy)]
struct AssignWhere;

impl<T: Element> Op<(T, (bool, T))> for AssignWhere {
    type Output = T;
    const COST: usize = 1;

    #[inline(always)]
    fn apply(&self, (old, (mask, new)): (T, (bool, T))) -> T {
        if mask { new } else { old }
    }
}

/// An element and so many times another one. An operation, and not a closure, of which it is not
/// known that it is as short.
#[derive(Clone, Copy)]
struct ScaledAdd<T>(T);

impl<T: Number> Op<(T, T)> for ScaledAdd<T> {
    type Output = T;
    const COST: usize = 2;

    #[inline(always)]
    fn apply(&self, (old, new): (T, T)) -> T {
        Binary::<Add>::binary(old, Binary::<Mul>::binary(new, self.0))
    }
}

/// Arrays and mutable views whose elements are changed in place, in one pass.
///
/// Passes are parallel where that pays, as [`Assign::assign`] is: so closures are `Fn` and shared
/// between threads. Those that change what they capture go to the forms that end in `_in_turn`,
/// which take one element after the other in row-major order.
pub trait InPlace<T: Element, R: Dimension>: Assign<T, R> {
    /// Calls a closure with each element, to be changed, and those of an expression, whose types
    /// may be any. For several destinations, [`for_each`].
    ///
    /// # Errors
    /// As for [`Assign::assign`].
    ///
    /// ```
    /// use elementwise::{InPlace, array, zip};
    /// let (mut x, a, mask) = (array![1.0, 2.0, 3.0], array![10, 20, 30], array![true, false, true]);
    /// x.update_each(zip((&a, &mask)), |x, (a, m)| if m { *x += f64::from(a) })?;
    /// assert_eq!(x.to_vec(), [11.0, 2.0, 33.0]);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    #[inline(always)]
    fn update_each<E, F>(&mut self, expr: E, f: F) -> Result<(), Error>
    where
        E: Expr<Rank: MeetsRank<R>>,
        F: Fn(&mut T, E::Elem) + OnThreads,
    {
        let call = Call { f, output: PhantomData };
        store(expr.into_node(), call, self.destination())
    }

    /// As [`update_each`](Self::update_each), for one element after the other in row-major order,
    /// on this thread: so the closure may change what it captures.
    ///
    /// # Errors
    /// As for [`Assign::assign`].
    ///
    /// ```
    /// use elementwise::{Expr, InPlace, array};
    /// let (mut x, steps) = (array![[0, 0], [0, 0]], array![1, 2]);
    /// let mut total = 0;
    /// x.update_each_in_turn(steps.along([1]), |x, step| {
    ///     total += step;
    ///     *x = total;
    /// })?;
    /// assert_eq!(x, array![[1, 3], [4, 6]]);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    #[inline(always)]
    fn update_each_in_turn<E, F>(&mut self, expr: E, mut f: F) -> Result<(), Error>
    where
        E: Expr<Rank: MeetsRank<R>>,
        F: FnMut(&mut T, E::Elem),
    {
        let views = (self.destination(),);
        run_in_turn::<(T,), R, _>(views, expr.into_node(), move |(slot,), value| f(slot, value))
    }

    /// Calls a closure with each element and that of another operand: `ndarray`'s name for
    /// [`update_each`](Self::update_each).
    ///
    /// # Errors
    /// As for [`Assign::assign`].
    ///
    /// ```
    /// use elementwise::{Expr, InPlace, array};
    /// let (mut x, y) = (array![[1, 2], [3, 4]], array![10, 20]);
    /// x.zip_mut_with(y.along([0]), |x, y| *x = y - *x)?;
    /// assert_eq!(x, array![[9, 8], [17, 16]]);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    #[inline(always)]
    fn zip_mut_with<E, F>(&mut self, rhs: E, f: F) -> Result<(), Error>
    where
        E: Expr<Rank: MeetsRank<R>>,
        F: Fn(&mut T, E::Elem) + OnThreads,
    {
        self.update_each(rhs, f)
    }

    /// Adds `alpha` times an expression: `x += &y * alpha`, in BLAS `axpy`.
    ///
    /// # Errors
    /// As for [`update_each`](Self::update_each).
    ///
    /// ```
    /// use elementwise::{Expr, InPlace, array};
    /// let (mut x, y) = (array![[1.0, 2.0], [3.0, 4.0]], array![10.0, 20.0]);
    /// x.scaled_add(0.5, y.along([0]))?;
    /// assert_eq!(x, array![[6.0, 7.0], [13.0, 14.0]]);
    /// x.scaled_add(-1.0, array![[1.0, 2.0], [3.0, 4.0]])?;
    /// assert_eq!(x, array![[5.0, 5.0], [10.0, 10.0]]);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    #[inline(always)]
    fn scaled_add<E>(&mut self, alpha: T, rhs: E) -> Result<(), Error>
    where
        T: Number,
        E: Operand<T, R, Expr: Expr<Elem = T>>,
    {
        let update = Update { op: ScaledAdd(alpha), output: PhantomData };
        store(rhs.into_expr(), update, self.destination())
    }

    /// Calls a closure with each element, to be changed.
    ///
    /// ```
    /// use elementwise::{InPlace, array};
    /// let mut x = array![1, 2, 3];
    /// x.map_inplace(|x| *x *= 10);
    /// assert_eq!(x.to_vec(), [10, 20, 30]);
    /// ```
    // As part of the caller, as `update_each` is: a view that a call takes by reference has just
    // been written by parts, and to read it at once waits until it is in memory.
    #[inline(always)]
    fn map_inplace<F: Fn(&mut T) + OnThreads>(&mut self, f: F) {
        let result = self.update_each((), move |x, ()| f(x));
        result.expect("nothing that might not fit");
    }

    /// Replaces each element by what a closure makes of it. For one that chooses between numbers
    /// from outside, see [`Expr::map`].
    ///
    /// ```
    /// use elementwise::{InPlace, array};
    /// let mut x = array![1.0, 4.0, 9.0];
    /// x.mapv_inplace(f64::sqrt);
    /// assert_eq!(x.to_vec(), [1.0, 2.0, 3.0]);
    /// ```
    #[inline(always)]
    fn mapv_inplace<F: Fn(T) -> T + OnThreads>(&mut self, f: F) {
        self.map_inplace(move |x| *x = f(*x));
    }

    /// Writes a value where a mask is true.
    ///
    /// # Errors
    /// As for [`Assign::assign`], of the mask.
    ///
    /// ```
    /// use elementwise::{Expr, InPlace, array};
    /// let mut x = array![[1.0, f64::NAN], [-2.0, 4.0]];
    /// x.masked_fill(&array![[false, true], [false, false]], 0.0)?;
    /// assert_eq!(x, array![[1.0, 0.0], [-2.0, 4.0]]);
    /// x.masked_fill(array![true, false].along([0]), 7.0)?;
    /// assert_eq!(x, array![[7.0, 7.0], [-2.0, 4.0]]);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn masked_fill<M>(&mut self, mask: M, value: T) -> Result<(), Error>
    where
        M: Operand<bool, R, Expr: Expr<Elem = bool>>,
    {
        let update = Update { op: FillWhere(value), output: PhantomData };
        store(mask.into_expr(), update, self.destination())
    }

    /// Writes the elements of an expression where a mask is true.
    ///
    /// # Errors
    /// As for [`Assign::assign`], of the mask and of the expression.
    ///
    /// ```
    /// use elementwise::{InPlace, array};
    /// let (mut x, mask) = (array![1, 2, 3], array![true, false, true]);
    /// x.masked_assign(&mask, &array![10, 20, 30] + 1)?;
    /// assert_eq!(x.to_vec(), [11, 2, 31]);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn masked_assign<M, E>(&mut self, mask: M, expr: E) -> Result<(), Error>
    where
        M: Operand<bool, R, Expr: Expr<Elem = bool>>,
        E: Operand<T, R, Expr: Expr<Elem = T>>,
        (M::Expr, E::Expr): Expr<Elem = (bool, T)>,
    {
        let update = Update { op: AssignWhere, output: PhantomData };
        store((mask.into_expr(), expr.into_expr()), update, self.destination())
    }
}

impl<T: Element, R: Dimension, D: Assign<T, R>> InPlace<T, R> for D {}

/// Owned arrays as they become others.
pub trait IntoMapped<T: Element, R: Dimension> {
    /// An array of what a closure makes of each element: in the memory of this one, if the elements
    /// have the same type. In `ndarray`, `mapv_into_any`.
    ///
    /// # Panics
    /// If there is no memory for a result of another type.
    ///
    /// ```
    /// use elementwise::{IntoMapped, array};
    /// assert_eq!(array![1.5, 2.5].map_into(|x| x as i32).to_vec(), [1, 2]);
    /// ```
    fn map_into<U: Element, F: Fn(T) -> U + OnThreads>(self, f: F) -> Array<U, R>;

    /// This array, with each element replaced by what a closure makes of it.
    ///
    /// ```
    /// use elementwise::{IntoMapped, array};
    /// assert_eq!(array![1.0, 4.0].mapv_into(f64::sqrt).to_vec(), [1.0, 2.0]);
    /// ```
    fn mapv_into<F: Fn(T) -> T + OnThreads>(self, f: F) -> Self;
}

impl<T: Element, R: Dimension> IntoMapped<T, R> for Array<T, R> {
    #[track_caller]
    fn map_into<U: Element, F: Fn(T) -> U + OnThreads>(self, f: F) -> Array<U, R> {
        match Apply::new(Func(f), Owned::new(self)).eval() {
            Ok(array) => array,
            Err(error) => panic!("{error}"),
        }
    }

    fn mapv_into<F: Fn(T) -> T + OnThreads>(mut self, f: F) -> Self {
        self.mapv_inplace(f);
        self
    }
}

macro_rules! copy_on_write {
    ($([$($lt:lifetime)?] $type:ty;)*) => {$(
        impl<$($lt,)? T: Element, R: Dimension> IntoMapped<T, R> for $type {
            #[track_caller]
            fn map_into<U: Element, F: Fn(T) -> U + OnThreads>(self, f: F) -> Array<U, R> {
                self.into_owned().map_into(f)
            }

            #[track_caller]
            fn mapv_into<F: Fn(T) -> T + OnThreads>(self, f: F) -> Self {
                self.into_owned().mapv_into(f).into()
            }
        }
    )*};
}
copy_on_write! {
    [] ArcArray<T, R>;
    ['a] CowArray<'a, T, R>;
}
