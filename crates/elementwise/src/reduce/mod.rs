//! Reductions: what they are ([`Reduction`]), which there are, and how they are computed.
//!
//! A reduction takes an expression, not an array: the expression's elements go from the registers,
//! or a short buffer, to the accumulators. Which elements are added up together follows from the
//! shape and the reduced axes alone: see [`Reduction`].

#![forbid(unsafe_code)]

mod arguments;
mod axes;
mod blocks;
mod checked;
pub(crate) mod compiled;
#[cfg_attr(not(feature = "matmul"), allow(dead_code))]
pub(crate) mod dot;
mod lanes;
mod methods;
mod moments;
mod monoids;
mod portable;
mod run;
mod scans;
mod softmax;
mod user;

pub use arguments::{ArgMax, ArgMin};
pub use axes::{Keep, ReduceAxes, keep};
pub use blocks::Blocks;
pub use checked::CheckedMethods;
pub use compiled::Compiled;
pub use lanes::{Lanewise, QuantileMethod};
pub use methods::{ComplexNorms, Norms, REDUCTIONS, ReductionInfo, Reductions};
pub(crate) use moments::Spread;
pub use moments::{LogSumExp, Std, Var};
pub(crate) use monoids::UsualNormL2;
pub use monoids::{
    All, Any, CountNonzero, Max, Mean, Min, MonoidReduction, Named, NanMax, NanMean, NanMin,
    NanSum, NormL1, NormL2, NormMax, Product, ProductWrapping, Sum, SumWrapping,
};
pub use portable::Portable;
pub use run::OwnType;
pub(crate) use scans::does_not_fit;
pub use scans::{CumMax, CumMin, CumProd, CumSum, Scan};
pub use softmax::SoftmaxSteps;
pub use user::{Combine, Plain};

#[cfg(feature = "matmul")]
pub(crate) use dot::{DotTotal, Times, sum_of_products};
#[cfg(feature = "matmul")]
pub(crate) use run::{
    MOST_OF_DOT, along, dot_of, dot_of_few, dot_of_many_spaced, dot_of_spaced, dots_of, is_windows,
    results_of_totals, total_of_lists,
};
pub(crate) use run::{all, all_of, is_row_major};

use crate::eval::seldom;
use crate::types::for_types;
use bcast::Error;
use ndcore::Element;
use std::hint::black_box;

/// A reduction of the elements of one result, in a fixed order that does not depend on layouts,
/// instruction sets or threads.
///
/// The elements are taken in the row-major order of the reduced axes, in blocks: as many of the
/// innermost reduced axes as hold at most 4096 elements together belong to a block as a whole, the
/// next axis is cut into equal parts, and further ones into single indices. The elements of a block
/// are dealt out in turn to 16 accumulators, the lanes, which each [`step`](Self::step) takes one
/// element further. If the reduction [`JOINS`](Self::JOINS), a lane begins anew after 16 elements,
/// and what has come of such a stretch is [`join`](Self::join)ed to what came before it: so
/// rounding errors grow with the elements and the stretches of a lane, not with their product. Then
/// the lanes of the block are put together by halves (the first 8 with the last 8, then 4 and 4, 2
/// and 2, the last two): they are joined and become one [`total`](Self::total), or else each
/// becomes a total, and these are [`merge`](Self::merge)d. The totals of the blocks, if there are
/// several, are dealt out to lanes and merged by the same rule. So `join` and `merge` have to be
/// associative and commutative, but for rounding, and what [`start`](Self::start) gives changes
/// nothing that is joined to it.
///
/// The reductions of this crate implement it, and so may a type of your own, which is computed as
/// fast as they are. Mark the methods as `#[inline(always)]`.
///
/// ```
/// use elementwise::{Error, Expr, Place, Reduction, Reductions};
///
/// /// The difference between the largest and the smallest element.
/// struct Spread;
///
/// impl Reduction<f32> for Spread {
///     type Acc = (f32, f32);
///     type Total = (f32, f32);
///     type Output = f32;
///     const NAME: &'static str = "spread";
///
///     fn start(&self) -> (f32, f32) {
///         (f32::INFINITY, f32::NEG_INFINITY)
///     }
///     #[inline(always)]
///     fn step(&self, (low, high): (f32, f32), x: f32, _: usize) -> (f32, f32) {
///         (low.min(x), high.max(x))
///     }
///     fn total(&self, acc: (f32, f32), _: Place) -> (f32, f32) {
///         acc
///     }
///     fn merge(&self, a: (f32, f32), b: (f32, f32)) -> (f32, f32) {
///         (a.0.min(b.0), a.1.max(b.1))
///     }
///     fn finish(&self, (low, high): (f32, f32), _: usize) -> Result<f32, Error> {
///         Ok(high - low)
///     }
/// }
///
/// let x = elementwise::array![[1.0_f32, 5.0, 2.0], [8.0, 8.5, 8.0]];
/// assert_eq!((&x * 2.0).reduce_by(Spread, 1)?.to_vec(), [8.0, 1.0]);
/// # Ok::<(), Error>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not defined for elements of type `{T}`",
    label = "no `{Self}` for elements of type `{T}`",
    note = "docs/ops.md lists the types of each reduction; `.cast::<U>()` converts"
)]
pub trait Reduction<T: Element>: Sync {
    /// What takes elements one by one.
    type Acc: Accumulator;
    /// What is known of a block.
    type Total: Accumulator;
    /// The element type of the result.
    type Output: Element;
    /// Its name in error messages.
    const NAME: &'static str;
    /// How long a step takes, in simple operations such as an addition.
    const COST: usize = 1;

    /// Whether the result is the same, to the bit, in whichever order the elements are taken and
    /// what has come of them is put together. Short rows are then taken by one accumulator each.
    const EXACT: bool = false;

    /// Whether compilers know that, so that the best order is theirs: see
    /// [`Monoid::REORDERED`](crate::Monoid::REORDERED).
    #[doc(hidden)]
    const REORDERED: bool = false;

    /// Whether it is for the few cases in which another one does not do: its kernels are compiled
    /// once, and not for each instruction set.
    #[doc(hidden)]
    const SELDOM: bool = false;

    /// It as it is compiled with this crate, if it is.
    #[doc(hidden)]
    const COMPILED: Option<&'static Compiled<T, Self::Total, Self::Output>> = None;

    /// The results in the type of the elements, as far as none overflows: tried first.
    #[doc(hidden)]
    const IN_OWN_TYPE: Option<&'static OwnType<T, Self::Output>> = None;

    /// An accumulator that has taken nothing.
    fn start(&self) -> Self::Acc;

    /// Takes an element further: the one number `round` (from 0) that this accumulator takes.
    fn step(&self, acc: Self::Acc, value: T, round: usize) -> Self::Acc;

    /// Whether two accumulators can be put together as they are, whichever elements they have
    /// taken.
    const JOINS: bool = false;

    /// Two accumulators as one, if the reduction [`JOINS`](Self::JOINS).
    #[inline(always)]
    fn join(&self, a: Self::Acc, b: Self::Acc) -> Self::Acc {
        let _ = b;
        a
    }

    /// Whether there is a total that no further element changes, such as `true` of whether any is:
    /// then the elements that follow need not be taken. Only of one to whose total it does not
    /// matter where the elements are.
    const ENDS: bool = false;

    /// Whether this is such a total.
    #[inline(always)]
    fn ends(&self, total: Self::Total) -> bool {
        let _ = total;
        false
    }

    /// What an accumulator has come to; its elements are those at `place`. For a place of no
    /// elements the result is not used.
    fn total(&self, acc: Self::Acc, place: Place) -> Self::Total;

    /// Two totals as one.
    fn merge(&self, a: Self::Total, b: Self::Total) -> Self::Total;

    /// The result, for `len` elements, at least one.
    ///
    /// # Errors
    /// If the output type does not hold the result.
    fn finish(&self, total: Self::Total, len: usize) -> Result<Self::Output, Error>;

    /// The result for no elements, if there is one.
    fn empty(&self) -> Option<Self::Output> {
        None
    }
}

/// Which elements an accumulator has taken: number `first` of the reduced elements, in row-major
/// order, and each `step`-th after it (the 16th, or a nearer one of few elements of a reduction
/// that is [`EXACT`](Reduction::EXACT)), `len` in all; after [`Reduction::join`], `len` from
/// `first` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The number of the first.
    pub first: usize,
    /// How many.
    pub len: usize,
    /// How far apart.
    pub step: usize,
}

impl Place {
    /// The place of a lane that takes each 16th element.
    pub(crate) fn lane(first: usize, len: usize) -> Self {
        Place { first, len, step: crate::plan::LANES }
    }

    /// The number of the element that was taken in this round.
    #[inline(always)]
    pub fn number(&self, round: usize) -> usize {
        self.first + round * self.step
    }
}

/// What an accumulator or a total may be: a number, a bool, a tuple of accumulators, or anything in
/// [`Plain`].
///
/// Sixteen of them lie side by side, tuples part by part, so that vectors can hold them.
pub trait Accumulator: Element {
    /// Sixteen of them.
    #[doc(hidden)]
    type Lanes: Element;

    /// Sixteen copies.
    #[doc(hidden)]
    fn spread(self) -> Self::Lanes;

    /// One of the sixteen.
    #[doc(hidden)]
    fn get(lanes: &Self::Lanes, lane: usize) -> Self;

    /// Changes one of the sixteen.
    #[doc(hidden)]
    fn set(lanes: &mut Self::Lanes, lane: usize, acc: Self);

    /// Whether it is NaN: only an `f32` or `f64` by itself says so.
    #[doc(hidden)]
    #[inline(always)]
    fn is_no_number(self) -> bool {
        false
    }
}

/// The result of a total by itself. That it is not NaN is foretold by the processor: to make all
/// NaN one by arithmetic, as where there are many, is waited for as long as for two additions.
#[inline(always)]
pub(crate) fn finish_one<T: Element, F: Reduction<T>>(
    op: &F,
    total: F::Total,
    len: usize,
) -> Result<F::Output, Error> {
    // Not a choice between numbers, which compilers make by arithmetic: a call, of which they do
    // not know what it returns. And both by themselves, so that in the second it is a number.
    match total.is_no_number() {
        true => op.finish(seldom(|| black_box(total)), len),
        false => op.finish(total, len),
    }
}

/// Sixteen accumulators of a reduction.
pub(crate) type Lanes<F, T> = <<F as Reduction<T>>::Acc as Accumulator>::Lanes;

/// Sixteen totals of a reduction.
pub(crate) type Totals<F, T> = <<F as Reduction<T>>::Total as Accumulator>::Lanes;

macro_rules! accumulator {
    ($type:ty, ($($generic:ident)? $(; $is_nan:path)?)) => {
        impl$(<$generic: Element>)? Accumulator for $type {
            type Lanes = [$type; crate::plan::LANES];

            #[inline(always)]
            fn spread(self) -> Self::Lanes {
                [self; crate::plan::LANES]
            }

            #[inline(always)]
            fn get(lanes: &Self::Lanes, lane: usize) -> Self {
                lanes[lane]
            }

            #[inline(always)]
            fn set(lanes: &mut Self::Lanes, lane: usize, acc: Self) {
                lanes[lane] = acc;
            }

            $(
                #[inline(always)]
                fn is_no_number(self) -> bool {
                    $is_nan(self)
                }
            )?
        }
    };
}
for_types!(ints => accumulator!());
for_types!(floats => accumulator!(; num_traits::Float::is_nan));
for_types!(halves => accumulator!());
for_types!(complexes => accumulator!());
for_types!(bools => accumulator!());
accumulator!(i128, ());
accumulator!(Plain<T>, (T));

/// Nothing, where there is nothing to know.
impl Accumulator for () {
    type Lanes = ();

    #[inline(always)]
    fn spread(self) {}

    #[inline(always)]
    fn get((): &(), _: usize) {}

    #[inline(always)]
    fn set((): &mut (), _: usize, (): ()) {}
}

macro_rules! tuples {
    ($($($part:ident $index:tt),*;)*) => {$(
        impl<$($part: Accumulator),*> Accumulator for ($($part,)*) {
            type Lanes = ($($part::Lanes,)*);

            #[inline(always)]
            fn spread(self) -> Self::Lanes {
                ($(self.$index.spread(),)*)
            }

            #[inline(always)]
            fn get(lanes: &Self::Lanes, lane: usize) -> Self {
                ($($part::get(&lanes.$index, lane),)*)
            }

            #[inline(always)]
            fn set(lanes: &mut Self::Lanes, lane: usize, acc: Self) {
                $($part::set(&mut lanes.$index, lane, acc.$index);)*
            }
        }
    )*};
}
tuples! {
    A 0, B 1;
    A 0, B 1, C 2;
    A 0, B 1, C 2, D 3;
}
