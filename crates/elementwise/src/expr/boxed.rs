//! [`Boxed`]: expressions of one type, whatever they compute.

use super::bind::Binding;
use super::{
    Alike, Binder, ElementType, Expr, ExprRank, Facts, Hoisting, Lazy, Operation, RankOf,
    ResultRank, Visitor,
};
use crate::eval::{Makes, To, eval_pass};
use crate::exec::Exec;
use crate::kernel::{self, Isa, Ready, Region, Run, Source, Write};
use crate::types::Array;
use bcast::Error;
use ndcore::{Dyn, Element, Runs, boxed};
use std::fmt;
use std::marker::PhantomData;
use std::mem::MaybeUninit;
use std::sync::Arc;

/// An expression of elements `T` and rank `R`, whatever it computes: what
/// [`boxed`](Expr::boxed) makes. `'a` is how long it may be used: as long as the arrays that it
/// refers to; `'static` if it owns them all.
///
/// It is computed a block of elements at a time, so that a call through a pointer is made for each
/// block and not for each element. It can be cloned: clones share what is computed, not a result.
///
/// ```
/// use elementwise::{Array1, Boxed, Expr, Rank, UnaryMethods, array};
///
/// /// Chosen when the program runs.
/// fn activation<'a>(name: &str, x: &'a Array1<f64>) -> Boxed<'a, f64, Rank<1>> {
///     match name {
///         "relu" => x.relu().boxed(),
///         _ => (1.0 / (1.0 + (-x).exp())).boxed(),
///     }
/// }
///
/// let x = array![-1.0, 0.0, 2.0];
/// assert_eq!((activation("relu", &x) * 2.0).eval()?.to_vec(), [0.0, 0.0, 4.0]);
///
/// let powers: Vec<Boxed<'_, f64, Rank<1>>> = vec![x.lazy().boxed(), (&x * &x).boxed()];
/// let sum = powers.iter().fold((&x * 0.0).boxed(), |sum, power| (sum + power).boxed());
/// assert_eq!(sum.eval()?.to_vec(), [0.0, 0.0, 6.0]);
/// # Ok::<(), elementwise::Error>(())
/// ```
pub type Boxed<'a, T, R> = Lazy<Erased<'a, T, R>>;

/// An expression whose type is not known: what a [`Boxed`] holds, and what reductions take of
/// whatever is no array.
pub struct Erased<'a, T, R> {
    expr: Held<'a, T>,
    rank: PhantomData<fn() -> R>,
}

/// Where it is.
enum Held<'a, T> {
    Shared(Arc<dyn AnyExpr<T> + 'a>),
    Borrowed(&'a (dyn AnyExpr<T> + 'a)),
}

impl<'a, T: Element, R> Erased<'a, T, R> {
    pub(super) fn new<E: Expr<Elem = T> + Send + 'a>(expr: E) -> Self {
        Erased { expr: Held::Shared(Arc::new(expr)), rank: PhantomData }
    }

    /// An expression that stays where it is, as one of another rank: whoever asks for the rank
    /// knows better.
    #[inline]
    pub(crate) fn borrowed<'e: 'a, E: Expr<Elem = T>>(expr: &'a Borrowed<'e, E>) -> Self {
        Erased { expr: Held::Borrowed(expr), rank: PhantomData }
    }

    /// Binds it to the memory of its arrays, which lie alike.
    ///
    /// # Errors
    /// If there is no memory for that.
    pub(super) fn bind_flat<'s>(
        &'s self,
        len: &'s [usize; 1],
        isa: Isa,
    ) -> Option<Box<dyn AnySource<T> + 's>> {
        self.expr().any_bind(&mut Binding::flat(len, isa))
    }

    #[inline]
    fn expr(&self) -> &(dyn AnyExpr<T> + 'a) {
        match &self.expr {
            Held::Shared(expr) => &**expr,
            Held::Borrowed(expr) => *expr,
        }
    }
}

impl<T, R> Clone for Erased<'_, T, R> {
    fn clone(&self) -> Self {
        Erased { expr: self.expr.clone(), rank: PhantomData }
    }
}

impl<T> Clone for Held<'_, T> {
    fn clone(&self) -> Self {
        match self {
            Held::Shared(expr) => Held::Shared(expr.clone()),
            Held::Borrowed(expr) => Held::Borrowed(*expr),
        }
    }
}

impl<T, R> fmt::Debug for Erased<'_, T, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Erased").finish_non_exhaustive()
    }
}

/// What is asked of an expression by way of a table of functions: see [`Expr`].
trait AnyExpr<T: Element>: Send + Sync {
    fn any_describe<'s>(&'s self, visitor: &mut dyn Visitor<'s>);
    fn any_bind<'s>(&'s self, binder: &mut Binding<'s>) -> Option<Box<dyn AnySource<T> + 's>>;
    fn any_hoist(&self, hoisting: &mut Hoisting<'_>) -> Result<(), Error>;
    fn any_at_own_size(&self, extents: &[usize], exec: &Exec) -> Result<Array<T, Dyn>, Error>;
    fn any_pass(&self, take: &mut dyn FnMut(&dyn Makes<T>));
}

impl<E: Expr + Send> AnyExpr<E::Elem> for E {
    fn any_describe<'s>(&'s self, mut visitor: &mut dyn Visitor<'s>) {
        Expr::describe(self, &mut visitor);
    }

    fn any_bind<'s>(
        &'s self,
        binder: &mut Binding<'s>,
    ) -> Option<Box<dyn AnySource<E::Elem> + 's>> {
        let source = boxed(Expr::bind(self, binder));
        Some(binder.or_lacking(source)?)
    }

    fn any_hoist(&self, hoisting: &mut Hoisting<'_>) -> Result<(), Error> {
        Expr::hoist(self, hoisting)
    }

    fn any_at_own_size(
        &self,
        extents: &[usize],
        exec: &Exec,
    ) -> Result<Array<E::Elem, Dyn>, Error> {
        crate::eval::at_own_size(self, extents, exec)
    }

    fn any_pass(&self, take: &mut dyn FnMut(&dyn Makes<E::Elem>)) {
        take(&To(self, &Write));
    }
}

/// The source of an expression whose type is not known.
pub(super) trait AnySource<T: Element> {
    fn any_fetch(&mut self, region: &Region) -> bool;

    /// Computes the elements of a run into slots.
    fn any_compute<'b>(
        &mut self,
        run: &Run<'_>,
        isa: Isa,
        slots: &'b mut [MaybeUninit<T>],
    ) -> &'b mut [T];
}

/// As [`boxed`] makes them.
impl<S: Source> AnySource<S::Elem> for [S; 1] {
    fn any_fetch(&mut self, region: &Region) -> bool {
        Source::fetch(&mut self[0], region)
    }

    fn any_compute<'b>(
        &mut self,
        run: &Run<'_>,
        isa: Isa,
        slots: &'b mut [MaybeUninit<S::Elem>],
    ) -> &'b mut [S::Elem] {
        kernel::compute(isa, slots, self[0].root(run))
    }
}

/// What an [`Erased`] is bound to: a source, and the buffer that its blocks go through.
#[allow(missing_debug_implementations)]
pub struct Blocks<'s, T: Element> {
    /// None if there was no memory for it: then it is not used.
    source: Option<Box<dyn AnySource<T> + 's>>,
    ready: Ready<'s, T>,
}

impl<T: Element> Source for Blocks<'_, T> {
    type Elem = T;
    type Block<'b>
        = Runs<'b, T>
    where
        Self: 'b;

    fn fetch(&mut self, region: &Region) -> bool {
        let fetch = || self.source.as_mut().is_some_and(|source| source.any_fetch(region));
        self.ready.fetch(region).unwrap_or_else(fetch)
    }

    fn flat(&self) -> Runs<'_, T> {
        Runs::none()
    }

    fn block<'b>(&'b mut self, run: &Run<'_>) -> Runs<'b, T> {
        // None if it is in an operation that was computed before.
        let source = &mut self.source;
        self.ready.block(run, |isa, slots| Some(source.as_mut()?.any_compute(run, isa, slots)))
    }
}

/// It goes through a buffer, as the results of an operation that takes long do; as a whole
/// expression too.
impl<T: Element, R: ExprRank> Expr for Erased<'_, T, R> {
    type Elem = T;
    type Rank = R;
    itself!();
    const FACTS: Facts = Facts::buffered(4);

    fn describe<'s, V: Visitor<'s>>(&'s self, visitor: &mut V) {
        // After several operands, or one, nothing is the whole expression.
        visitor.join(1);
        visitor.op(Operation {
            name: Some("boxed"),
            settings: None,
            cost: Self::FACTS.cost,
            buffered: true,
            fuses: false,
            output: ElementType::of::<T>(),
        });
        self.expr().any_describe(visitor);
    }

    fn bind<'s, B: Binder<'s>>(&'s self, binder: &mut B) -> Blocks<'s, T> {
        binder.operands();
        let ready = binder.op(true);
        let entered = binder.enter(ready.is_hoisted());
        let source = binder.any().and_then(|binder| self.expr().any_bind(binder));
        binder.leave(entered, None);
        Blocks { source, ready }
    }

    fn hoist(&self, hoisting: &mut Hoisting<'_>) -> Result<(), Error> {
        let compute = |extents: &[usize], exec: &Exec| self.expr().any_at_own_size(extents, exec);
        hoisting.node(compute, |hoisting| self.expr().any_hoist(hoisting))
    }

    /// By itself it needs no buffer.
    fn eval(self) -> Result<Array<T, RankOf<Self>>, Error>
    where
        R: ResultRank,
    {
        let mut alike = Alike::unknown();
        self.expr().any_describe(&mut alike);
        let mut array = Err(Error::no_memory());
        self.expr().any_pass(&mut |pass| array = eval_pass(pass, &alike, true));
        array
    }
}

/// An expression by reference.
#[derive(Clone, Copy, Debug)]
pub struct Borrowed<'e, E>(pub &'e E);

impl<'e, E: Expr> Expr for Borrowed<'e, E> {
    type Elem = E::Elem;
    type Rank = E::Rank;
    itself!();
    const FACTS: Facts = Facts { owns: false, in_memory: false, ..E::FACTS };

    #[inline(always)]
    fn describe<'s, V: Visitor<'s>>(&'s self, visitor: &mut V) {
        self.0.describe(visitor);
    }

    from_held!(0, ['e] E);
}
