//! Cumulative sums, products and extremes.

use crate::eval::Fresh;
use crate::exec::{Exec, work_of};
use crate::number::{Monoid, Number, Ordered};
use crate::ops::{Add, Minimum, Mul};
use crate::reduce::lanes::Lying;
use crate::types::Array;
use bcast::Error;
use ndcore::{Dyn, Element, Layout};
use rayon::prelude::*;
use std::mem::MaybeUninit;
use std::sync::OnceLock;

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

/// A row of the list: the name, what the elements have to be; the operation and the type in which it combines them, how an
/// element is lifted to that type, and the result so far.
macro_rules! scans {
    ($(
        $(#[$doc:meta])*
        $scan:ident [$class:ident] $op:ident in $carry:ty: |$x:ident| $lift:expr, |$so_far:ident| $output:expr;
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
        }
    )*};
}
scans! {
    /// The cumulative sum: of integers, or an error if one does not fit in the type of the elements; of floating-point
    /// numbers, added up in `f64`, and each rounded once.
    CumSum [Number] Add in T::Wide: |x| x.widen(), |sum| T::narrow(sum, "cumsum");
    /// The cumulative product: of integers, or an error if one does not fit in the type of the elements.
    CumProd [Number] Mul in T::Factor: |x| x.factor(), |product| T::of_factor(product, "cumprod");
    /// The largest element so far, +0 above -0; NaN from the first NaN on.
    CumMax [Ordered] Minimum in T::Key: |x| x.reversed().key(), |key| Ok(T::of_reversed_key(key));
    /// The smallest element so far, -0 below +0; NaN from the first NaN on.
    CumMin [Ordered] Minimum in T::Key: |x| x.key(), |key| Ok(T::of_key(key));
}

/// Goes along an axis of elements that lie in memory without gaps; the result lies as they do.
pub(super) fn scan<T: Element, S: Scan<T>>(
    op: &S,
    from: &Lying<'_, T>,
    axis: usize,
    exec: &Exec,
) -> Result<Array<S::Output, Dyn>, Error> {
    let (layout, values) = from.parts();
    let mut out = Fresh::<S::Output, Dyn>::new(Layout::nested(layout.raw_shape(), &from.order())?)?;
    if values.is_empty() {
        return Ok(out.finish(0));
    }
    let (extent, stride) = (layout.shape()[axis], layout.strides()[axis].unsigned_abs());
    let stride = if extent == 1 { 1 } else { stride };
    let error = OnceLock::new();
    let slots = out.slots().into_slice_memory_order().expect("a result has no gaps");
    // Along the axis a block of memory goes on row by row.
    let block = extent * stride;
    let tasks = exec.tasks(values.len(), work_of(size_of::<T>(), 4));
    let failed = |result: Result<S::Output, Error>, slot: &mut MaybeUninit<S::Output>| match result {
        Ok(value) => {
            slot.write(value);
        }
        Err(first) => {
            error.get_or_init(|| first);
        }
    };
    let rows = |slots: &mut [&mut [MaybeUninit<S::Output>]], values: &[&[T]]| {
        let mut carries = vec![op.start(); slots.first().map_or(0, |row| row.len())];
        for (slots, values) in slots.iter_mut().zip(values) {
            for ((slot, &value), carry) in slots.iter_mut().zip(*values).zip(&mut carries) {
                *carry = op.step(*carry, value);
                failed(op.output(*carry), slot);
            }
        }
    };
    let lane = |slots: &mut [MaybeUninit<S::Output>], values: &[T]| {
        let mut carry = op.start();
        for (slot, &value) in slots.iter_mut().zip(values) {
            carry = op.step(carry, value);
            failed(op.output(carry), slot);
        }
    };
    // Four lanes at a time: each waits for itself only.
    let lanes = |slots: &mut [MaybeUninit<S::Output>], values: &[T]| {
        let mut carries = [op.start(); 4];
        let [a, b, c, d]: [&[T]; 4] = std::array::from_fn(|lane| &values[lane * extent..][..extent]);
        let (first, second) = slots.split_at_mut(2 * extent);
        let ((p, q), (r, s)) = (first.split_at_mut(extent), second.split_at_mut(extent));
        let slots = p.iter_mut().zip(q).zip(r).zip(s);
        for ((((p, q), r), s), (((a, b), c), d)) in slots.zip(a.iter().zip(b).zip(c).zip(d)) {
            for ((carry, slot), &value) in carries.iter_mut().zip([p, q, r, s]).zip([a, b, c, d]) {
                *carry = op.step(*carry, value);
                failed(op.output(*carry), slot);
            }
        }
    };
    if stride == 1 {
        let four = |slots: &mut [MaybeUninit<S::Output>], values: &[T]| {
            if slots.len() == 4 * extent {
                lanes(slots, values);
            } else {
                slots.chunks_mut(extent).zip(values.chunks(extent)).for_each(|(slots, values)| lane(slots, values));
            }
        };
        if tasks > 1 {
            let (slots, values) = (slots.par_chunks_mut(4 * extent), values.par_chunks(4 * extent));
            slots.zip(values).for_each(|(slots, values)| four(slots, values));
        } else {
            slots
                .chunks_mut(4 * extent)
                .zip(values.chunks(4 * extent))
                .for_each(|(slots, values)| four(slots, values));
        }
    } else {
        // Columns of a block side by side, so wide that their carries stay in a first-level cache.
        let width = stride.min(4096).min(stride.div_ceil(tasks).next_multiple_of(64));
        let mut parts: Vec<(Vec<&mut [_]>, Vec<&[T]>)> = Vec::new();
        for (slots, values) in slots.chunks_mut(block).zip(values.chunks(block)) {
            let first = parts.len();
            for (slots, values) in slots.chunks_mut(stride).zip(values.chunks(stride)) {
                for (part, (slots, values)) in slots.chunks_mut(width).zip(values.chunks(width)).enumerate() {
                    if parts.len() == first + part {
                        parts.push((Vec::with_capacity(extent), Vec::with_capacity(extent)));
                    }
                    parts[first + part].0.push(slots);
                    parts[first + part].1.push(values);
                }
            }
        }
        if tasks > 1 {
            parts.par_iter_mut().for_each(|(slots, values)| rows(slots, values));
        } else {
            parts.iter_mut().for_each(|(slots, values)| rows(slots, values));
        }
    }
    match error.into_inner() {
        Some(error) => Err(error),
        None => Ok(out.finish(values.len())),
    }
}
