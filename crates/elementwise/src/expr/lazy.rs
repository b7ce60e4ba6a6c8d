//! [`Lazy`], the handle of everything that is computed later.

use super::{Binder, Expr, Facts, Hoisting, ResultRank, Term, Visitor};
use crate::kernel::Source;
use crate::types::{Array, Scalar, View};
use bcast::Error;
use ndcore::{Dimension, Element};
use std::cmp::Ordering;
use std::convert::Infallible;
use std::fmt;
use std::ops::Index;

/// An expression: what the operators, methods and functions make of arrays, views, scalars and
/// other expressions. It has all operators and all methods, and computes nothing until it is
/// evaluated ([`eval`](Expr::eval)), assigned ([`assign`](crate::Assign::assign)) or reduced.
///
/// `E` says what is to be computed; it need not be named. Functions return `Lazy<impl Expr<..>>`
/// and take `Lazy<E>` for any `E: Expr`, or `E: Expr` alone to take arrays and views too, of which
/// [`lazy`](Expr::lazy) makes one. Where expressions of different kinds go to one place, a field or
/// a `Vec`, [`boxed`](Expr::boxed) makes them of one type.
///
/// An expression of references is `Copy`; one that owns arrays is moved. `&d * &d` works for all
/// that can be cloned.
///
/// ```
/// use elementwise::{Array2, Expr, Lazy, Rank, Reductions, UnaryMethods, array, keep};
///
/// /// Each column less its mean.
/// fn centred<'a>(
///     x: &'a Array2<f64>,
/// ) -> Result<Lazy<impl Expr<Elem = f64, Rank = Rank<2>> + 'a>, elementwise::Error> {
///     Ok(x - x.mean_axis(keep(0))?)
/// }
///
/// /// The logistic function of any expression.
/// fn logistic<E: Expr<Elem = f64, Rank = Rank<2>>>(
///     x: Lazy<E>,
/// ) -> Lazy<impl Expr<Elem = f64, Rank = Rank<2>>> {
///     1.0 / (1.0 + (-x).exp())
/// }
///
/// let x = array![[1.0, -3.0], [3.0, -3.0]];
/// assert_eq!((2.0 * centred(&x)?).eval()?, array![[-2.0, 0.0], [2.0, 0.0]]);
/// assert_eq!(logistic(centred(&x)? * 0.0).eval()?, array![[0.5, 0.5], [0.5, 0.5]]);
/// let d = &x - 1.0;
/// assert_eq!((d * d).eval()?, (&d * &d).eval()?);
/// # Ok::<(), elementwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
#[repr(transparent)]
#[must_use = "an expression computes nothing until it is evaluated: `.eval()?`; or `y.assign(..)?`"]
pub struct Lazy<E>(pub(crate) E);

impl<E: Expr> Expr for Lazy<E> {
    type Elem = E::Elem;
    type Rank = E::Rank;
    type Node = E;
    const FACTS: Facts = E::FACTS;

    #[inline(always)]
    fn owned(&mut self, each: &mut dyn FnMut(&mut dyn std::any::Any)) {
        self.0.owned(each);
    }

    #[inline(always)]
    fn into_node(self) -> E {
        self.0
    }

    #[inline(always)]
    fn describe<'s, V: Visitor<'s> + ?Sized>(&'s self, visitor: &mut V) {
        self.0.describe(visitor);
    }

    from_held!(0, [] E);

    #[inline(always)]
    fn in_memory(&self) -> Option<View<'_, E::Elem, E::Rank>>
    where
        E::Rank: Dimension,
    {
        self.0.in_memory()
    }

    #[inline]
    fn eval(self) -> Result<Array<E::Elem, <E::Rank as ResultRank>::Dim>, Error>
    where
        E::Rank: ResultRank,
    {
        self.0.eval()
    }
}

#[diagnostic::do_not_recommend]
impl<E: Expr> Term for Lazy<E> {
    type Expr = E;

    #[inline(always)]
    fn into_term(self) -> E {
        self.0
    }
}

#[diagnostic::do_not_recommend]
impl<E: Expr + Clone> Term for &Lazy<E> {
    type Expr = E;

    #[inline(always)]
    fn into_term(self) -> E {
        self.0.clone()
    }
}

/// A scalar as an expression, for where it has to stand on the left of an operator in code that is
/// generic over the element type: `constant(one) - &x`. Of a type that is named, `1.0 - &x` does.
///
/// ```
/// use elementwise::{Array1, Expr, Numeric, array, constant};
/// fn below<T: Numeric>(top: T, x: &Array1<T>) -> Result<Array1<T>, elementwise::Error> {
///     (constant(top) - x).eval()
/// }
/// assert_eq!(below(10, &array![1, 2])?.to_vec(), [9, 8]);
/// # Ok::<(), elementwise::Error>(())
/// ```
pub fn constant<T: Scalar + Element>(value: T) -> Lazy<super::Constant<T>> {
    Lazy(super::Constant(value))
}

/// What is asked of an expression as if it had been computed: never there, so that the compiler has
/// something to say.
#[diagnostic::on_unimplemented(
    message = "an expression has not been computed, so it cannot be compared or indexed as an array can",
    label = "write `.eval()?` to compute it",
    note = "`(&a + &b).eval()? == c` compares whole arrays; `(&a + &b).equal(&c)` each element, as `less` and its like do",
    note = "`let y = x.map(f).eval()?` has elements: `y[[i, j]]`"
)]
pub trait OfComputed {
    /// It cannot be called.
    #[doc(hidden)]
    fn never<U>(&self) -> U;
}

// Two, so that neither is inferred.
#[diagnostic::do_not_recommend]
impl OfComputed for Infallible {
    fn never<U>(&self) -> U {
        match *self {}
    }
}
#[diagnostic::do_not_recommend]
impl OfComputed for (Infallible,) {
    fn never<U>(&self) -> U {
        match self.0 {}
    }
}

impl<E, Rhs: OfComputed> PartialEq<Rhs> for Lazy<E> {
    fn eq(&self, rhs: &Rhs) -> bool {
        rhs.never()
    }
}

impl<E, Rhs: OfComputed> PartialOrd<Rhs> for Lazy<E> {
    fn partial_cmp(&self, rhs: &Rhs) -> Option<Ordering> {
        rhs.never()
    }
}

impl<E: Expr, I: OfComputed> Index<I> for Lazy<E> {
    type Output = E::Elem;

    fn index(&self, index: I) -> &E::Elem {
        index.never()
    }
}

/// A node of an expression that has been computed: there is none.
#[diagnostic::on_unimplemented(
    message = "an expression has not been computed: it cannot be printed, iterated over, or taken apart as an array can",
    label = "write `.eval()?` to compute it",
    note = "`let y = (&a + &b).eval()?` is an array, which can"
)]
pub trait Computed {
    /// It cannot be called.
    #[doc(hidden)]
    fn never<U>() -> U;
}

/// What arrays are asked for and expressions do not have: so the compiler says why.
macro_rules! of_arrays {
    ($($name:ident($($argument:ident: $type:ident),*);)*) => {
        impl<E> Lazy<E> {
            $(
                #[doc(hidden)]
                pub fn $name<$($type),*>(&self, $($argument: $type),*) -> Infallible
                where
                    E: Computed,
                {
                    let _ = ($($argument,)*);
                    E::never()
                }
            )*
        }
    };
}
of_arrays! {
    iter();
    view();
    row(i: I);
    column(j: I);
    rows();
    columns();
    outer_iter();
    axis_iter(axis: A);
    slice(slices: S);
    part(slices: S);
    index_axis(axis: A, i: I);
    shape();
    dim();
    ndim();
    len();
    nrows();
    ncols();
    get(i: I);
    first();
    last();
    t();
    diag();
    to_vec();
    as_slice();
    indexed_iter();
}

impl<E: Computed> fmt::Display for Lazy<E> {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        E::never()
    }
}

impl<E: Computed> IntoIterator for Lazy<E> {
    type Item = Infallible;
    type IntoIter = std::iter::Empty<Infallible>;

    fn into_iter(self) -> Self::IntoIter {
        E::never()
    }
}
