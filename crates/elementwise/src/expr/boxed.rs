//! [`Boxed`]: expressions of one type, whatever they compute.

use super::bind::Binding;
use super::{
    Alike, Binder, ElementType, Expr, ExprRank, Facts, Hoisting, Lazy, Operation, RankOf,
    ResultRank, Visitor,
};
use crate::eval::{Elementwise, Makes, To, eval_pass, new_of_size};
use crate::exec::Exec;
use crate::kernel::{self, Computes, Keeping, Ready, Region, Run, Slots, Source, Write};
use crate::types::Array;
use bcast::Error;
use ndcore::{Element, Runs, boxed};
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

/// An expression whose type is not known: what a [`Boxed`] holds.
pub struct Erased<'a, T, R> {
    expr: Arc<dyn Bindable<T> + Send + 'a>,
    rank: PhantomData<fn() -> R>,
}

impl<'a, T: Element, R> Erased<'a, T, R> {
    pub(super) fn new<E: Expr<Elem = T> + Send + 'a>(expr: E) -> Self {
        Erased { expr: Arc::new(To(expr, &Write)), rank: PhantomData }
    }

    /// It as a pass that makes a new array.
    fn pass(&self) -> &Makes<'_, T> {
        &*self.expr
    }
}

impl<T, R> Clone for Erased<'_, T, R> {
    fn clone(&self) -> Self {
        Erased { expr: self.expr.clone(), rank: PhantomData }
    }
}

/// A pass that makes a new array, of an expression that can be bound for longer than a call takes.
pub(crate) trait Bindable<T: Element>: Elementwise<MaybeUninit<T>> {
    /// Binds it to what computes its elements, if there is memory for that.
    fn boxed<'s>(&'s self, binding: &mut Binding<'s>) -> BoxedSource<'s, T>;
}

/// None if there was no memory for it: then it is not used.
pub(crate) type BoxedSource<'s, T> = Option<Box<dyn Computes<MaybeUninit<T>> + 's>>;

impl<E: Expr> Bindable<E::Elem> for To<'_, E, Write> {
    fn boxed<'s>(&'s self, binding: &mut Binding<'s>) -> BoxedSource<'s, E::Elem> {
        let computing = boxed(Keeping { source: binding.bound(&self.0), store: self.1 });
        Some(binding.or_lacking(computing)?)
    }
}

impl<T, R> fmt::Debug for Erased<'_, T, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Erased").finish_non_exhaustive()
    }
}

/// What an [`Erased`] is bound to: a source, and the buffer that its blocks go through.
#[allow(missing_debug_implementations)]
pub struct Blocks<'s, T: Element> {
    /// None if there was no memory for it: then it is not used.
    source: BoxedSource<'s, T>,
    ready: Ready<'s, T>,
}

impl<'s, T: Element> Blocks<'s, T> {
    /// Those of a pass.
    pub(crate) fn bind<B: Binder<'s>>(pass: &'s dyn Bindable<T>, binder: &mut B) -> Self {
        binder.operands();
        let ready = binder.op(true);
        let entered = binder.enter(ready.is_hoisted());
        let source = binder.any().and_then(|binder| pass.boxed(binder));
        binder.leave(entered, None);
        Blocks { source, ready }
    }
}

impl<T: Element> Source for Blocks<'_, T> {
    type Elem = T;
    type Block<'b>
        = Runs<'b, T>
    where
        Self: 'b;

    fn fetch(&mut self, region: &Region) -> bool {
        let fetch = || self.source.as_mut().is_some_and(|source| source.fetch(region));
        self.ready.fetch(region).unwrap_or_else(fetch)
    }

    fn flat(&self) -> Runs<'_, T> {
        Runs::none()
    }

    fn block<'b>(&'b mut self, run: &Run<'_>) -> Runs<'b, T> {
        // None if it is in an operation that was computed before.
        let source = &mut self.source;
        let compute = |(isa, slots, _): Slots<'b, T>| {
            Some(kernel::compute_run(isa, slots, &mut **source.as_mut()?, run, 1))
        };
        self.ready.block(run, compute).unwrap_or(Runs::none())
    }
}

/// It goes through a buffer, as the results of an operation that takes long do; as a whole
/// expression too.
impl<T: Element, R: ExprRank> Expr for Erased<'_, T, R> {
    type Elem = T;
    type Rank = R;
    itself!();
    const FACTS: Facts = Facts::buffered(4);

    fn describe<'s, V: Visitor<'s> + ?Sized>(&'s self, mut visitor: &mut V) {
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
        self.pass().describe(&mut visitor);
    }

    fn bind<'s, B: Binder<'s>>(&'s self, binder: &mut B) -> Blocks<'s, T> {
        Blocks::bind(&*self.expr, binder)
    }

    fn hoist(&self, hoisting: &mut Hoisting<'_>) -> Result<(), Error> {
        let compute = |extents: &[usize], exec: &Exec| new_of_size(self.pass(), extents, exec);
        hoisting.node(compute, |hoisting| self.pass().hoist(hoisting))
    }

    /// By itself it needs no buffer.
    fn eval(self) -> Result<Array<T, RankOf<Self>>, Error>
    where
        R: ResultRank,
    {
        let mut alike = Alike::unknown();
        self.pass().describe(&mut alike);
        eval_pass(self.pass(), &alike, true)
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
    fn describe<'s, V: Visitor<'s> + ?Sized>(&'s self, visitor: &mut V) {
        self.0.describe(visitor);
    }

    from_held!(0, ['e] E);
}
