//! Inner nodes: tuples of expressions that are walked together, and operations on an expression.

use super::few::again;
use super::{
    Alike, Binder, ElementType, Expr, Facts, Form, Hoisting, Lazy, MeetsRank, Operand, Operation,
    Owned, RankOf, ResultRank, Term, Visitor, show, stretch,
};
use crate::eval::{eval_value, store};
use crate::exec::Exec;
use crate::kernel::Source;
use crate::kernel::{Applied, Ready, Update};
use crate::ops::{COST_IN_VECTORS, Clamp, Op, Select};
use crate::rearrange::Rearrange;
use crate::types::{Array, View};
use bcast::Error;
use ndcore::{Axis, Dimension, Element, Rank, Short};
use std::any::Any;
use std::marker::PhantomData;

/// An operation on each element of an expression; of several, if the expression is a tuple.
#[derive(Clone, Copy, Debug)]
pub struct Apply<O, E> {
    op: O,
    args: E,
}

impl<O, E> Apply<O, E> {
    #[inline]
    pub(crate) fn new(op: O, args: E) -> Self {
        Apply { op, args }
    }

    /// The same under the handle that users have.
    #[inline]
    pub(crate) fn lazy(op: O, args: E) -> Lazy<Self> {
        Lazy(Apply { op, args })
    }

    /// What the operation is applied to.
    pub(crate) fn into_args(self) -> E {
        self.args
    }
}

impl<O, T: Element, R: Dimension, B: Expr> Lazy<Apply<O, (Owned<T, R>, B)>>
where
    O: Op<(T, B::Elem), Output = T>,
    (Owned<T, R>, B): Expr<Elem = (T, B::Elem), Rank = R>,
{
    /// As [`Expr::eval`]: where the other operand has the shape of the array that is given by
    /// value, or stretches to it, that array is updated.
    ///
    /// # Errors
    /// As for [`Expr::eval`].
    ///
    /// ```
    /// use elementwise::array;
    /// let (x, y) = (array![1, 2, 3], array![10, 20, 30]);
    /// assert_eq!((x + &y).eval()?.to_vec(), [11, 22, 33]);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    #[inline]
    pub fn eval(self) -> Result<Array<T, R>, Error> {
        let Lazy(Apply { op, args: (owned, other) }) = self;
        if O::BUFFERED || !stretches_to(&other, owned.layout()) {
            return eval_value(Apply { op, args: (owned, other) });
        }
        let mut array = owned.into_array().expect("nobody has taken it");
        store(other, Update { op, output: PhantomData }, array.view_mut())?;
        Ok(array)
    }
}

/// Whether all arrays of an expression stretch to this shape, or lie as the array does that has it.
#[inline(always)]
fn stretches_to<E: Expr>(expr: &E, (shape, strides): (&[usize], &[isize])) -> bool {
    let mut alike = Alike::of(shape, strides);
    expr.describe(&mut alike);
    alike.layout().is_some() || {
        let mut stretched = Short::from_slice(shape);
        stretch(&mut stretched, |visitor| show(expr, visitor)) && *stretched == *shape
    }
}

impl<O: Op<E::Elem>, E: Expr> Expr for Apply<O, E> {
    type Elem = O::Output;
    type Rank = E::Rank;
    itself!();
    const FACTS: Facts = Facts {
        cost: O::COST + E::FACTS.cost,
        buffered: O::BUFFERED || E::FACTS.buffered,
        buffers: (O::BUFFERED && !O::FUSES) || E::FACTS.buffers,
        buffers_within: E::FACTS.buffers,
        pure: O::NAME.is_some() && E::FACTS.pure,
        rare: O::RARE,
        multiply_adds: O::MULTIPLY_ADDS || E::FACTS.multiply_adds,
        // Of complex numbers there are few in a vector.
        vectors: (O::COST >= COST_IN_VECTORS && size_of::<O::Output>() <= 8) || E::FACTS.vectors,
        form: Form::of(O::NAME, E::FACTS.form),
        in_memory: false,
        ..E::FACTS
    };

    #[inline(always)]
    fn owned(&mut self, each: &mut dyn FnMut(&mut dyn Any)) {
        self.args.owned(each);
    }

    #[inline(always)]
    fn describe<'s, V: Visitor<'s> + ?Sized>(&'s self, visitor: &mut V) {
        visitor.op(Operation {
            name: O::NAME,
            settings: self.op.settings(),
            cost: O::COST,
            buffered: O::BUFFERED,
            fuses: O::FUSES,
            output: ElementType::of::<O::Output>(),
        });
        self.args.describe(visitor);
    }

    #[inline(always)]
    fn bind<'s, B: Binder<'s>>(
        &'s self,
        binder: &mut B,
    ) -> impl Source<Elem = O::Output> + use<'s, B, O, E> {
        if !O::BUFFERED {
            binder.operands();
            return Applied { op: &self.op, args: self.args.bind(binder), ready: Ready::Not };
        }
        let mut ready = binder.op(!O::FUSES);
        let entered = binder.enter(ready.is_hoisted());
        let args = self.args.bind(binder);
        match O::NAME {
            Some(_) => binder.leave(entered, Some(again(O::COST, O::FUSES))),
            None => binder.leave_calls(entered, &mut ready),
        }
        Applied { op: &self.op, args, ready }
    }

    fn hoist(&self, hoisting: &mut Hoisting<'_>) -> Result<(), Error> {
        if !O::BUFFERED {
            return self.args.hoist(hoisting);
        }
        let compute =
            |extents: &[usize], exec: &Exec| crate::eval::at_own_size(self, extents, exec);
        hoisting.node(compute, |hoisting| match const { E::FACTS.buffered } {
            true => self.args.hoist(hoisting),
            false => Ok(()),
        })
    }

    fn hoist_within(&self, hoisting: &mut Hoisting<'_>) -> Result<(), Error> {
        if O::BUFFERED {
            hoisting.root();
        }
        if const { E::FACTS.buffered } { self.args.hoist(hoisting) } else { Ok(()) }
    }
}

/// Expressions of which all have one shape, but for scalars: XLA's rule for `clamp` and `select`.
#[derive(Clone, Copy, Debug)]
pub struct Exact<E>(pub(crate) E);

impl<A: Expr, B: Expr, C: Expr> Expr for Exact<(A, B, C)>
where
    (A, B, C): Expr<Elem = (A::Elem, B::Elem, C::Elem)>,
{
    type Elem = (A::Elem, B::Elem, C::Elem);
    type Rank = <(A, B, C) as Expr>::Rank;
    itself!();
    const FACTS: Facts = Facts { form: Form::Other, ..<(A, B, C) as Expr>::FACTS };

    #[inline(always)]
    fn owned(&mut self, each: &mut dyn FnMut(&mut dyn Any)) {
        self.0.owned(each);
    }

    #[inline(always)]
    fn describe<'s, V: Visitor<'s> + ?Sized>(&'s self, visitor: &mut V) {
        visitor.exact();
        self.0.0.describe(visitor);
        self.0.1.describe(visitor);
        self.0.2.describe(visitor);
    }

    #[inline(always)]
    fn bind<'s, V: Binder<'s>>(
        &'s self,
        binder: &mut V,
    ) -> impl Source<Elem = Self::Elem> + use<'s, V, A, B, C> {
        // Each by itself, in the order in which a tuple binds them.
        let (parts, mut exact) = (&self.0, None);
        let entered = binder.exact();
        let first = parts.0.bind(binder);
        binder.end_exact(entered, &mut exact);
        let entered = binder.exact();
        let second = parts.1.bind(binder);
        binder.end_exact(entered, &mut exact);
        let entered = binder.exact();
        let third = parts.2.bind(binder);
        binder.end_exact(entered, &mut exact);
        (first, second, third)
    }

    fn hoist(&self, hoisting: &mut Hoisting<'_>) -> Result<(), Error> {
        self.0.hoist(hoisting)
    }
}

/// The rank of a tuple: those of its parts, met one after the other.
macro_rules! met {
    ($rank:ty) => { $rank };
    ($rank:ty, $next:ident $(, $rest:ident)*) => { met!(<$rank as MeetsRank<$next::Rank>>::Output $(, $rest)*) };
}

/// The bounds that make [`met`] well-formed.
macro_rules! tuples {
    ($($first:ident $(, $part:ident $index:tt: [$($before:ident)*])*;)*) => {$(
        impl<$first: Expr $(, $part: Expr)*> Expr for ($first, $($part,)*)
        where
            $(met!($first::Rank $(, $before)*): MeetsRank<$part::Rank>,)*
        {
            type Elem = ($first::Elem, $($part::Elem,)*);
            type Rank = met!($first::Rank $(, $part)*);
            itself!();
            const FACTS: Facts = Facts::together(&[$first::FACTS $(, $part::FACTS)*]);

            #[inline(always)]
            fn owned(&mut self, each: &mut dyn FnMut(&mut dyn Any)) {
                self.0.owned(each);
                $(self.$index.owned(each);)*
            }

            #[inline(always)]
            fn describe<'s, V: Visitor<'s> + ?Sized>(&'s self, visitor: &mut V) {
                visitor.join([0 $(, $index)*].len());
                self.0.describe(visitor);
                $(self.$index.describe(visitor);)*
            }

            #[inline(always)]
            fn bind<'s, V: Binder<'s>>(
                &'s self,
                binder: &mut V,
            ) -> impl Source<Elem = Self::Elem> + use<'s, V, $first $(, $part)*> {
                binder.operands();
                (self.0.bind(binder), $(self.$index.bind(binder),)*)
            }

            fn hoist(&self, hoisting: &mut Hoisting<'_>) -> Result<(), Error> {
                if const { $first::FACTS.buffered } {
                    self.0.hoist(hoisting)?;
                }
                $(if const { $part::FACTS.buffered } {
                    self.$index.hoist(hoisting)?;
                })*
                Ok(())
            }
        }
    )*};
}

tuples! {
    A;
    A, B 1: [];
    A, B 1: [], C 2: [B];
    A, B 1: [], C 2: [B], D 3: [B C];
    A, B 1: [], C 2: [B], D 3: [B C], E 4: [B C D];
    A, B 1: [], C 2: [B], D 3: [B C], E 4: [B C D], F 5: [B C D E];
    A, B 1: [], C 2: [B], D 3: [B C], E 4: [B C D], F 5: [B C D E], G 6: [B C D E F];
    A, B 1: [], C 2: [B], D 3: [B C], E 4: [B C D], F 5: [B C D E], G 6: [B C D E F], H 7: [B C D E F G];
}

/// A tuple of operands, each of its own element type: what [`zip`] takes.
pub trait Zip<Elems> {
    /// The tuple of their expressions.
    type Expr: Expr;

    /// The operands as expressions.
    fn into_exprs(self) -> Self::Expr;
}

macro_rules! zips {
    ($($($part:ident $elem:ident $index:tt),*;)*) => {$(
        impl<$($part, $elem),*> Zip<($($elem,)*)> for ($($part,)*)
        where
            $($part: Operand<$elem, super::Floating>,)*
            ($($part::Expr,)*): Expr,
        {
            type Expr = ($($part::Expr,)*);

            fn into_exprs(self) -> Self::Expr {
                ($(self.$index.into_expr(),)*)
            }
        }
    )*};
}

zips! {
    A Ta 0;
    A Ta 0, B Tb 1;
    A Ta 0, B Tb 1, C Tc 2;
    A Ta 0, B Tb 1, C Tc 2, D Td 3;
    A Ta 0, B Tb 1, C Tc 2, D Td 3, E Te 4;
    A Ta 0, B Tb 1, C Tc 2, D Td 3, E Te 4, F Tf 5;
    A Ta 0, B Tb 1, C Tc 2, D Td 3, E Te 4, F Tf 5, G Tg 6;
    A Ta 0, B Tb 1, C Tc 2, D Td 3, E Te 4, F Tf 5, G Tg 6, H Th 7;
}

/// Up to eight operands walked together, for a closure or an operation over all of them. Their
/// element types may differ. What comes of it is an operand too, so for more than eight, nest:
/// `zip((zip((&a, &b)), &c)).map(|((a, b), c)| ..)`.
///
/// ```
/// use elementwise::{Expr, zip};
/// use elementwise::array;
/// let (price, count, tax) = (array![[2.5, 4.0], [1.0, 0.5]], array![[2, 1], [3, 10]], array![0.0, 0.1]);
/// let total = zip((&price, &count, tax.along([1]))).map(|(p, n, t)| p * f64::from(n) * (1.0 + t));
/// assert_eq!(total.eval()?, array![[5.0, 4.4], [3.0, 5.5]]);
/// # Ok::<(), elementwise::Error>(())
/// ```
pub fn zip<Elems, Z: Zip<Elems>>(operands: Z) -> Lazy<Z::Expr> {
    Lazy(operands.into_exprs())
}

/// Chooses an element of `t` where `p` is true, of `f` where it is false; in XLA, `Select`. Any of
/// the three may be a scalar; the others have one shape, and nothing of extent 1 stretches. Also a
/// method, [`Expr::select`].
///
/// ```
/// use elementwise::{Expr, select};
/// use elementwise::array;
/// let chosen = select(&array![true, false], &array![1, 2], 0).eval()?;
/// assert_eq!(chosen.to_vec(), [1, 0]);
/// # Ok::<(), elementwise::Error>(())
/// ```
pub fn select<T, P, A, B>(
    p: P,
    t: A,
    f: B,
) -> Lazy<Apply<Select, Exact<(P::Expr, A::Expr, B::Expr)>>>
where
    T: Element,
    P: Operand<bool, super::Floating>,
    A: Operand<T, super::Floating>,
    B: Operand<T, super::Floating>,
{
    Apply::lazy(Select, Exact((p.into_expr(), t.into_expr(), f.into_expr())))
}

/// Limits `x` to between `lo` and `hi`; in XLA, `Clamp(min, operand, max)`. Any of the three may be
/// a scalar; the others have one shape, and nothing of extent 1 stretches. Also a method,
/// [`Expr::clamp`].
///
/// ```
/// use elementwise::{Expr, clamp};
/// let x = elementwise::array![-1., 0.5, 2.];
/// assert_eq!(clamp(0., &x, 1.).eval()?.to_vec(), [0., 0.5, 1.]);
/// # Ok::<(), elementwise::Error>(())
/// ```
pub fn clamp<T, L, X, H>(
    lo: L,
    x: X,
    hi: H,
) -> Lazy<Apply<Clamp, Exact<(L::Expr, X::Expr, H::Expr)>>>
where
    T: Element,
    L: Operand<T, super::Floating>,
    X: Operand<T, super::Floating>,
    H: Operand<T, super::Floating>,
{
    Apply::lazy(Clamp, Exact((lo.into_expr(), x.into_expr(), hi.into_expr())))
}

/// An expression of `bool`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no mask: its elements are not `bool`",
    label = "`select` chooses between two operands by a mask",
    note = "`x.greater(0.0).select(&x, &y)` chooses between `x` and `y`",
    note = "slices by their indices: `x.take(0, &[2, 0])?`, or by `ndarray`'s name `x.select(Axis(0), &[2, 0])?`"
)]
pub trait Mask: Expr<Elem = bool> {}

#[diagnostic::do_not_recommend]
impl<M: Expr<Elem = bool>> Mask for M {}

/// What [`Expr::select`] chooses from: with two operands, one of them for each element of a mask;
/// with an axis and indices, the slices there.
pub trait Choice<E, B>: Sized {
    /// What comes of it.
    type Chosen;

    /// Chooses.
    #[doc(hidden)]
    fn choose(self, from: E, other: B) -> Self::Chosen;
}

/// The type of the elements of a term.
type Of<A> = <<A as Term>::Expr as Expr>::Elem;

impl<M, A, B> Choice<M, B> for A
where
    M: Mask,
    A: Term<Expr: Expr> + Operand<Of<A>, M::Rank>,
    B: Operand<Of<A>, M::Rank>,
{
    type Chosen = Lazy<
        Apply<
            Select,
            Exact<(
                M::Node,
                <A as Operand<Of<A>, M::Rank>>::Expr,
                <B as Operand<Of<A>, M::Rank>>::Expr,
            )>,
        >,
    >;

    #[inline(always)]
    fn choose(self, mask: M, other: B) -> Self::Chosen {
        Apply::lazy(Select, Exact((mask.into_node(), self.into_expr(), other.into_expr())))
    }
}

// Advice on it would hide what is said of operands.
#[diagnostic::do_not_recommend]
impl<'i, E, I> Choice<E, I> for Axis
where
    E: Expr<Rank: ResultRank>,
    I: Into<View<'i, usize, Rank<1>>>,
{
    type Chosen = Result<Array<E::Elem, RankOf<E>>, Error>;

    fn choose(self, from: E, indices: I) -> Self::Chosen {
        from.take(self, indices)
    }
}
