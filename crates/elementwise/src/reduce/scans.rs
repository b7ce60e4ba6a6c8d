//! Cumulative sums, products and extremes.

use super::{Extreme, Max, Min, Reduction, Summand};
use crate::eval::Contiguous;
use crate::exec::{Exec, work_of};
use crate::kernel::{self, Lanes};
use crate::reduce::products::Factor;
use crate::types::Array;
use bcast::Error;
use ndcore::{Dyn, Element, Layout, Nest};

/// Something that goes along an axis element by element, in order, and has a result at each.
pub trait Scan<T>: Sync {
    /// What is carried from one element to the next.
    type Carry: Element;
    /// The element type of the result.
    type Output: Element;

    /// What is carried to the first element.
    fn start(&self) -> Self::Carry;
    /// Takes an element further.
    fn step(&self, carry: Self::Carry, value: T) -> Self::Carry;
    /// The result so far.
    ///
    /// # Errors
    /// If the output type does not hold it.
    fn output(&self, carry: Self::Carry) -> Result<Self::Output, Error>;
}

/// The cumulative sum. Integers give `i64` or `u64` (`isize` or `usize` for those).
#[derive(Clone, Copy, Debug, Default)]
pub struct CumSum;
/// The cumulative product. Integers give `i64` or `u64` (`isize` or `usize` for those).
#[derive(Clone, Copy, Debug, Default)]
pub struct CumProd;
/// The largest element so far; NaN from the first NaN on.
#[derive(Clone, Copy, Debug, Default)]
pub struct CumMax;
/// The smallest element so far; NaN from the first NaN on.
#[derive(Clone, Copy, Debug, Default)]
pub struct CumMin;

impl<T: Summand> Scan<T> for CumSum {
    /// Of floating-point numbers the sum so far in the type that also adds up a block; of integers in one that cannot wrap.
    type Carry = T::Running;
    type Output = T::Sum;

    #[inline(always)]
    fn start(&self) -> T::Running {
        T::started()
    }

    #[inline(always)]
    fn step(&self, carry: T::Running, value: T) -> T::Running {
        value.go_on(carry)
    }

    #[inline(always)]
    fn output(&self, carry: T::Running) -> Result<T::Sum, Error> {
        T::so_far(carry)
    }
}

impl<T: Factor> Scan<T> for CumProd {
    type Carry = T::Acc;
    type Output = T::Product;

    #[inline(always)]
    fn start(&self) -> T::Acc {
        T::one()
    }

    #[inline(always)]
    fn step(&self, carry: T::Acc, value: T) -> T::Acc {
        T::times(carry, value.widen())
    }

    #[inline(always)]
    fn output(&self, carry: T::Acc) -> Result<T::Product, Error> {
        T::product(carry)
    }
}

macro_rules! extremes {
    ($($scan:ident $reduction:ident;)*) => {$(
        impl<T: Extreme> Scan<T> for $scan {
            type Carry = (T, T::Flag);
            type Output = T;

            #[inline(always)]
            fn start(&self) -> (T, T::Flag) {
                $reduction.start()
            }

            #[inline(always)]
            fn step(&self, carry: (T, T::Flag), value: T) -> (T, T::Flag) {
                $reduction.step(carry, value, 0)
            }

            #[inline(always)]
            fn output(&self, (best, flag): (T, T::Flag)) -> Result<T, Error> {
                Ok(best.unless(flag))
            }
        }
    )*};
}
extremes! {
    CumMax Max;
    CumMin Min;
}

/// Goes along an axis of elements that lie in memory without gaps; the result lies as they do.
pub(super) fn scan<T: Element, S: Scan<T>>(
    op: &S,
    from: &Contiguous<'_, T>,
    axis: usize,
    exec: &Exec,
) -> Result<Array<S::Output, Dyn>, Error> {
    let (layout, values, order) = (*from.view().layout(), from.memory(), from.order());
    let out = Layout::<Dyn>::nested(layout.raw_shape(), &order)?;
    let nest = Nest { order: order.iter().map(|&axis| axis as u8).collect(), flips: 0, joins: 0 };
    Array::build(out, |out| {
        if values.is_empty() {
            return Ok(out.filled_without_elements());
        }
        let (extent, stride) = (layout.shape()[axis], layout.strides()[axis].unsigned_abs());
        let stride = if extent == 1 { 1 } else { stride };
        let tasks = exec.tasks(values.len(), work_of(size_of::<T>(), 4));
        let lanes = Lanes { extent, stride };
        out.into_part(&nest).fill(|slots| kernel::scan(exec.isa, op, values, slots, lanes, tasks))
    })
}
