//! Leaves that are not arrays: [`indices`], [`iota`], and a [`Generator`] of one's own.

use super::{Binder, ElementType, Expr, ExprRank, Facts, Floating, Lazy, OfIndex, Visitor};
use crate::kernel::Generated;
use crate::ops::CastTo;
use ndcore::{Dimension, Element, IntoShape};
use std::any::Any;
use std::fmt;
use std::marker::PhantomData;

/// Elements that are a function of their index, and so need no memory: a leaf of expressions, as an
/// array is. [`generate`] makes one of a generator.
///
/// ```
/// use elementwise::{Expr, Floating, Generator, generate};
///
/// /// Ones in squares, as on a chess board.
/// struct Chess;
///
/// impl Generator for Chess {
///     type Elem = f32;
///     type Rank = Floating; // that of the operands beside it
///
///     fn at(&self, index: &[usize]) -> f32 {
///         (index.iter().sum::<usize>() % 2) as f32
///     }
/// }
///
/// let x = elementwise::array![[1.0_f32, 2.0, 3.0], [4.0, 5.0, 6.0]];
/// assert_eq!((&x * generate(Chess)).eval()?, elementwise::array![[0.0, 2.0, 0.0], [4.0, 0.0, 6.0]]);
/// # Ok::<(), elementwise::Error>(())
/// ```
pub trait Generator: Sync {
    /// The type of the elements.
    type Elem: Element;
    /// The rank; [`Floating`] for that of whatever it meets.
    type Rank: ExprRank;

    /// How long an element takes, as [`Op::COST`](crate::Op::COST).
    const COST: usize = 1;

    /// What visitors know it by; `None` if it is opaque. That of [`iota`] is `iota`.
    const NAME: Option<&'static str> = None;

    /// What else visitors are to know of it, as [`Op::settings`](crate::Op::settings).
    fn settings(&self) -> Option<&dyn Any> {
        None
    }

    /// The extents, if it has some of its own; else it fits any.
    fn shape(&self) -> Option<&[usize]> {
        None
    }

    /// The one axis along which the elements differ, if there is only one: along the others, what
    /// is computed from them is computed once.
    fn axis(&self) -> Option<usize> {
        None
    }

    /// The element at an index.
    fn at(&self, index: &[usize]) -> Self::Elem;

    /// The elements from an index on along an axis, each one step further, or back.
    fn line(&self, index: &[usize], axis: usize, backwards: bool, out: &mut [Self::Elem]) {
        let mut at = ndcore::Axes::<usize>::from_slice(index).unwrap_or_default();
        for (step, out) in out.iter_mut().enumerate() {
            at[axis] = if backwards { index[axis] - step } else { index[axis] + step };
            *out = self.at(&at);
        }
    }
}

/// A [`Generator`] as an operand.
#[derive(Clone, Copy, Debug)]
pub struct Generate<G>(G);

/// A leaf whose elements are made by a [`Generator`].
pub fn generate<G: Generator>(generator: G) -> Lazy<Generate<G>> {
    Lazy(Generate(generator))
}

impl<G: Generator> Expr for Generate<G> {
    type Elem = G::Elem;
    type Rank = G::Rank;
    itself!();
    const FACTS: Facts = Facts { alike: false, ..Facts::buffered(G::COST) };

    #[inline(always)]
    fn describe<'a, V: Visitor<'a> + ?Sized>(&'a self, visitor: &mut V) {
        visitor.generated(OfIndex {
            name: G::NAME,
            settings: self.0.settings(),
            shape: self.0.shape(),
            axis: self.0.axis(),
            element: ElementType::of::<G::Elem>(),
        });
    }

    #[inline(always)]
    fn bind<'a, B: Binder<'a>>(&'a self, binder: &mut B) -> Generated<'a, G> {
        binder.generated(&self.0)
    }
}

/// The generator of [`indices`].
#[derive(Clone, Copy)]
pub struct Indices<R: Dimension>(R::Shape);

impl<R: Dimension> fmt::Debug for Indices<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "indices of {:?}", self.0)
    }
}

impl<R: Dimension> Generator for Indices<R> {
    type Elem = R::Shape;
    type Rank = R;

    fn shape(&self) -> Option<&[usize]> {
        Some(self.0.as_ref())
    }

    #[inline]
    fn at(&self, index: &[usize]) -> R::Shape {
        R::shape(index).unwrap_or(self.0)
    }

    #[inline]
    fn line(&self, index: &[usize], axis: usize, backwards: bool, out: &mut [R::Shape]) {
        // Along the last axis, whose number the compiler knows, an index stays in registers.
        if let Some(ndim) = R::NDIM
            && axis + 1 == ndim
            && !backwards
        {
            let mut at = self.at(index);
            for out in out {
                *out = at;
                at.as_mut()[ndim - 1] += 1;
            }
            return;
        }
        // All first: an index of which one number has just been written would be waited for, to be
        // copied.
        out.fill(self.at(index));
        for (step, out) in out.iter_mut().enumerate() {
            let own = &mut out.as_mut()[axis];
            *own = if backwards { index[axis] - step } else { index[axis] + step };
        }
    }
}

/// The indices of a shape as an operand: `[i, j]` at index `[i, j]`. It takes no memory.
///
/// # Panics
/// If the shape has more than [`MAX_NDIM`](ndcore::MAX_NDIM) axes.
///
/// ```
/// use elementwise::{Array2, Expr, InPlace, indices, zip};
/// let mut x = Array2::<f64>::zeros([2, 3]);
/// x.update_each(indices(x.dim()), |x, [i, j]| *x = (10 * i + j) as f64)?;
/// assert_eq!(x.to_vec(), [0.0, 1.0, 2.0, 10.0, 11.0, 12.0]);
/// let upper = zip((&x, indices(x.dim()))).map(|(x, [i, j])| if i <= j { x } else { 0.0 });
/// assert_eq!(upper.eval()?.to_vec(), [0.0, 1.0, 2.0, 0.0, 11.0, 12.0]);
/// # Ok::<(), elementwise::Error>(())
/// ```
#[track_caller]
pub fn indices<S: IntoShape>(shape: S) -> Lazy<Generate<Indices<S::Rank>>> {
    match shape.into_shape() {
        Ok(shape) => Lazy(Generate(Indices(shape))),
        Err(error) => panic!("{error}"),
    }
}

/// The generator of [`iota`].
pub struct Iota<T> {
    axis: usize,
    element: PhantomData<fn() -> T>,
}

impl<T> Clone for Iota<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Iota<T> {}

impl<T> fmt::Debug for Iota<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "iota({})", self.axis)
    }
}

impl<T: Element> Generator for Iota<T>
where
    usize: CastTo<T>,
{
    type Elem = T;
    type Rank = Floating;
    const NAME: Option<&'static str> = Some("iota");

    fn axis(&self) -> Option<usize> {
        Some(self.axis)
    }

    #[inline]
    fn at(&self, index: &[usize]) -> T {
        index[self.axis].cast_to()
    }

    #[inline]
    fn line(&self, index: &[usize], axis: usize, backwards: bool, out: &mut [T]) {
        let first = index[self.axis];
        if axis != self.axis {
            out.fill(first.cast_to());
        } else if backwards {
            out.iter_mut().enumerate().for_each(|(i, out)| *out = (first - i).cast_to());
        } else {
            out.iter_mut().enumerate().for_each(|(i, out)| *out = (first + i).cast_to());
        }
    }
}

/// The index along an axis as an operand, in any element type: 0, 1, .. along that axis, the same
/// along all others, and with the rank and the extents of what it meets. In XLA, `iota`.
///
/// ```
/// use elementwise::{Array2, Assign, Expr, iota};
/// let x = Array2::<f32>::ones([2, 3]);
/// assert_eq!((&x + iota::<f32>(1)).eval()?.to_vec(), [1.0, 2.0, 3.0, 1.0, 2.0, 3.0]);
/// let mut rows = Array2::<u8>::zeros([2, 3]);
/// rows.assign(iota(0))?;
/// assert_eq!(rows.to_vec(), [0, 0, 0, 1, 1, 1]);
/// # Ok::<(), elementwise::Error>(())
/// ```
pub fn iota<T: Element>(axis: impl ndcore::IntoAxis) -> Lazy<Generate<Iota<T>>>
where
    usize: CastTo<T>,
{
    Lazy(Generate(Iota { axis: axis.into_axis(), element: PhantomData }))
}
