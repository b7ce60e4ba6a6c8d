//! NumPy's right-aligned rule, only when asked for by name.

use super::{Binder, Expr, ExprRank, Facts, Floating, Hoisting, Lazy, Operand, Visitor};
use crate::kernel::Source;
use bcast::Error;
use ndcore::Dimension;
use std::marker::PhantomData;

/// An operand that lies along the last axes of the result: what [`numpy`] makes.
#[derive(Clone, Copy, Debug)]
pub struct Numpy<E>(E);

/// Opts in to NumPy's broadcasting rule: `numpy(&x) + numpy(&v)` aligns the last axes of the two.
///
/// What is computed of it stays under the rule. Beside an operand that is not, it may have a lower
/// rank, so it can be assigned to an array of a higher one.
///
/// ```
/// use elementwise::{Assign, Expr, Reductions, UnaryMethods, numpy};
/// use elementwise::array;
/// let (x, v) = (array![[1, 2, 3], [4, 5, 6]], array![10, 20, 30]);
/// let y = (numpy(&x) + numpy(&v)).eval()?;
/// assert_eq!(y, array![[11, 22, 33], [14, 25, 36]]);
/// assert_eq!((numpy(&v).square() - numpy(&x) * 2).sum()?, 2758);
/// let mut out = y;
/// out.assign(numpy(&v))?;
/// assert_eq!(out, array![[10, 20, 30], [10, 20, 30]]);
/// # Ok::<(), elementwise::Error>(())
/// ```
pub fn numpy<T, A: Operand<T, Floating>>(operand: A) -> Lazy<Numpy<A::Expr>> {
    Lazy(Numpy(operand.into_expr()))
}

impl<E: Expr> Expr for Numpy<E> {
    type Elem = E::Elem;
    type Rank = <E::Rank as ExprRank>::Numpy;
    itself!();
    const FACTS: Facts = E::FACTS.placed();

    #[inline(always)]
    fn describe<'s, V: Visitor<'s> + ?Sized>(&'s self, visitor: &mut V) {
        visitor.numpy();
        self.0.describe(visitor);
    }

    #[inline(always)]
    fn bind<'s, B: Binder<'s>>(
        &'s self,
        binder: &mut B,
    ) -> impl Source<Elem = E::Elem> + use<'s, B, E> {
        let outer = binder.numpy();
        let source = self.0.bind(binder);
        binder.end_numpy(outer);
        source
    }

    fn hoist(&self, hoisting: &mut Hoisting<'_>) -> Result<(), Error> {
        self.0.hoist(hoisting)
    }
}

/// An expression with the rank of its result in its type.
#[derive(Clone, Copy, Debug)]
pub struct Settled<E, R>(E, PhantomData<R>);

impl<E, R> Settled<E, R> {
    #[inline(always)]
    pub(crate) fn new(expr: E) -> Self {
        Settled(expr, PhantomData)
    }
}

impl<E: Expr, R: Dimension> Expr for Settled<E, R> {
    type Elem = E::Elem;
    type Rank = R;
    itself!();
    const FACTS: Facts = E::FACTS.placed();

    #[inline(always)]
    fn describe<'s, V: Visitor<'s> + ?Sized>(&'s self, visitor: &mut V) {
        self.0.describe(visitor);
    }

    from_held!(0, [] E R);
}
