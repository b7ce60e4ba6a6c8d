//! Cumulative sums, products and extremes.

use crate::eval::Contiguous;
use crate::exec::{Exec, work_of};
use crate::kernel::{self, Lanes};
use crate::number::{Monoid, Number, Ordered};
use crate::ops::{Add, Minimum, Mul};
use crate::types::{Array, View};
use bcast::{Error, ErrorKind};
use ndcore::{Dimension, Element, Layout, Nest, reserved_for_array};

/// Something that goes along an axis element by element, in order, and has a result at each.
pub trait Scan<T>: Sync {
    /// What is carried from one element to the next.
    type Carry: Element;
    /// The element type of the result.
    type Output: Element;

    /// Whether it takes no longer to go along one lane after the other than along several at a time,
    /// because what is carried is not waited for.
    const LANE_BY_LANE: bool = false;

    /// What is carried to the first element.
    fn start(&self) -> Self::Carry;
    /// Takes an element further.
    fn step(&self, carry: Self::Carry, value: T) -> Self::Carry;
    /// The result so far.
    ///
    /// # Errors
    /// If the output type does not hold it.
    fn output(&self, carry: Self::Carry) -> Result<Self::Output, Error>;
    /// Takes an element further, and the result so far, if it fits: as [`step`](Self::step) and
    /// [`output`](Self::output), which says of what is carried why it does not fit. If it does not
    /// say so, the error names the type of the result alone.
    #[inline(always)]
    fn next(&self, carry: Self::Carry, value: T) -> (Self::Carry, Option<Self::Output>) {
        let carry = self.step(carry, value);
        (carry, self.output(carry).ok())
    }

    /// The same, where compilers make no vectors of it.
    #[inline(always)]
    fn next_alone(&self, carry: Self::Carry, value: T) -> (Self::Carry, Option<Self::Output>) {
        self.next(carry, value)
    }
}

/// A row of the list: the name, and what the elements have to be; the operation and the type in
/// which it combines them, how an element is lifted to that type, and the result so far; and, if
/// that is soon said, whether an element leaves what is carried as it is.
macro_rules! scans {
    ($(
        $(#[$doc:meta])*
        $scan:ident [$class:ident] $op:ident in $carry:ty:
            |$x:ident| $lift:expr, |$so_far:ident| $output:expr
            $(, stays if |$lifted:ident, $carried:ident| $stays:expr)?;
    )*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default)]
        pub struct $scan;

        impl<T: $class> Scan<T> for $scan {
            type Carry = $carry;
            type Output = T;

            #[inline(always)]
            fn start(&self) -> $carry {
                <$carry as Monoid<$op>>::IDENTITY
            }

            #[inline(always)]
            fn step(&self, carry: $carry, $x: T) -> $carry {
                Monoid::<$op>::combine(carry, $lift)
            }

            #[inline(always)]
            fn output(&self, $so_far: $carry) -> Result<T, Error> {
                $output
            }

            $(
                // By a branch, which most often is foretold: to choose takes as long as all else,
                // and the next element waits for it.
                #[inline(always)]
                fn next_alone(&self, $carried: $carry, $x: T) -> ($carry, Option<T>) {
                    let $lifted = $lift;
                    let (mut carry, stays) = ($carried, $stays);
                    if !stays {
                        seldom_here();
                        carry = Monoid::<$op>::combine(carry, $lifted);
                    }
                    (carry, self.output(carry).ok())
                }
            )?
        }
    )*};
}

/// Marks what is seldom done, but for whose sake no function is called.
#[cold]
#[inline(always)]
fn seldom_here() {}

scans! {
    /// The cumulative sum: of integers, or an error if one does not fit in the type of the
    /// elements; of floating-point numbers, added up in `f64`, and each rounded once.
    CumSum [Number] Add in T::Wide: |x| x.widen(), |sum| T::narrow(sum, "cumsum");
    /// The cumulative product: of integers, or an error if one does not fit in the type of the
    /// elements.
    CumProd [Number] Mul in T::Factor: |x| x.factor(), |product| T::of_factor(product, "cumprod");
    /// The largest element so far, +0 above -0; NaN from the first NaN on.
    CumMax [Ordered] Minimum in T::Key: |x| x.reversed().key(), |key| Ok(T::of_reversed_key(key)),
        stays if |key, least| key > least;
    /// The smallest element so far, -0 below +0; NaN from the first NaN on.
    CumMin [Ordered] Minimum in T::Key: |x| x.key(), |key| Ok(T::of_key(key)),
        stays if |key, least| key > least;
}

/// As [`CumSum`], of exact elements, but what is carried is the result so far: it may be any number
/// after one that does not fit. That is all that is known then: [`CumSum`] says what is wrong.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CumSumExact;

impl<T: Number> Scan<T> for CumSumExact {
    type Carry = T;
    type Output = T;
    const LANE_BY_LANE: bool = true;

    #[inline(always)]
    fn start(&self) -> T {
        T::zero()
    }

    #[inline(always)]
    fn step(&self, carry: T, value: T) -> T {
        carry.checked_sum(value).0
    }

    #[inline(always)]
    fn output(&self, carry: T) -> Result<T, Error> {
        Ok(carry)
    }

    #[inline(always)]
    fn next(&self, carry: T, value: T) -> (T, Option<T>) {
        let (sum, fits) = carry.sum_in_vectors(value);
        (sum, fits.then_some(sum))
    }

    #[inline(always)]
    fn next_alone(&self, carry: T, value: T) -> (T, Option<T>) {
        let (sum, fits) = carry.checked_sum(value);
        (sum, fits.then_some(sum))
    }
}

/// The most elements that are scanned in place: to hand them out would take longer.
const FEW: usize = 1 << 9;

/// Keeps what is wrong with a result so far, if it is the first.
#[cold]
#[inline(never)]
fn keep<T, S: Scan<T>>(op: &S, carry: S::Carry, failed: &mut Option<Error>) {
    failed.get_or_insert_with(|| does_not_fit(op, &[carry]));
}

/// What is wrong with some results so far, one of which does not fit. What [`Scan::next`] has found
/// it alone may know.
pub(crate) fn does_not_fit<T, S: Scan<T>>(op: &S, carries: &[S::Carry]) -> Error {
    let error = carries.iter().find_map(|&carry| op.output(carry).err());
    error.unwrap_or_else(|| {
        let output = std::any::type_name::<S::Output>();
        ErrorKind::ReductionOverflow { op: "scan", value: None, output }.into()
    })
}

/// What so many lanes side by side carry takes no list of its own.
const SIDE_BY_SIDE: usize = 16;

/// Goes along an axis of few elements in row-major order.
// Not inlined: it is the same for all arrays.
#[inline(never)]
pub(super) fn scan_few<T: Element, R: Dimension, S: Scan<T>>(
    op: &S,
    view: View<'_, T, R>,
    axis: usize,
) -> Option<Result<Array<S::Output, R>, Error>> {
    // Larger elements are no numbers, and would be many on the stack.
    if const { size_of::<S::Carry>() > 32 } {
        return None;
    }
    let values = view.as_slice().filter(|values| (1..=FEW).contains(&values.len()))?;
    let (&extent, inner) = view.shape().get(axis..)?.split_first()?;
    // As many lanes lie side by side.
    let width: usize = inner.iter().product();
    let results = || {
        // Stands where a result has an error: so the list is extended by whole lanes, or rows.
        let first = op.output(op.step(op.start(), values[0]))?;
        let mut failed = None;
        let mut result = |(carry, result): (S::Carry, Option<S::Output>)| {
            result.unwrap_or_else(|| {
                keep(op, carry, &mut failed);
                first
            })
        };
        let mut results = reserved_for_array(values.len(), view.shape())?;
        if width == 1 {
            for lane in values.chunks_exact(extent) {
                // The closure has the carry to itself: so that is in a register.
                let (mut carry, result) = (op.start(), &mut result);
                results.extend(lane.iter().map(move |&value| {
                    let next = op.next_alone(carry, value);
                    carry = next.0;
                    result(next)
                }));
            }
        } else {
            let (mut few, mut many) = ([op.start(); SIDE_BY_SIDE], Vec::new());
            if width > SIDE_BY_SIDE {
                many.try_reserve_exact(width).map_err(|_| Error::no_memory())?;
                many.resize(width, op.start());
            }
            let carries = few.get_mut(..width).unwrap_or(&mut many);
            for lanes in values.chunks_exact(extent * width) {
                carries.fill(op.start());
                for row in lanes.chunks_exact(width) {
                    results.extend(carries.iter_mut().zip(row).map(|(carry, &value)| {
                        let next = op.next(*carry, value);
                        *carry = next.0;
                        result(next)
                    }));
                }
            }
        }
        match failed {
            Some(error) => Err(error),
            None => {
                let layout = Layout::c_order(R::shape(view.shape())?)?;
                Ok(Array::from_layout_vec(layout, results)?)
            }
        }
    };
    Some(results())
}

/// Goes along an axis of elements that lie in memory without gaps; the result lies as they do.
pub(super) fn scan<T: Element, R: Dimension, S: Scan<T>>(
    op: &S,
    from: &Contiguous<'_, T, R>,
    axis: usize,
    exec: &Exec,
) -> Result<Array<S::Output, R>, Error> {
    let (layout, values, order) = (*from.view().layout(), from.memory(), from.order());
    let out = Layout::<R>::nested(layout.raw_shape(), &order)?.with_units_settled();
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
