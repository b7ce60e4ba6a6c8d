//! [`MultiSlice`]: several slices of one array for writing, all at once.

use crate::dimension::Dimension;
use crate::element::Item;
use crate::error::{LayoutError, LayoutErrorKind as Kind};
use crate::layout::{Layout, every};
use crate::list::List;
use crate::raw::ViewMut;
use crate::slice::{FitsRank, SliceElem, Slices};

/// What `multi_slice_mut` takes: a tuple of two to six [`s!`](crate::s), or an array of some that
/// are alike.
pub trait MultiSlice<'a, T, R: Dimension, E> {
    /// The tuple, or the array, of views.
    type Output;

    /// The parts of a view that the slices select.
    ///
    /// # Errors
    /// As for [`Layout::slice`]; [`Overlap`](Kind::Overlap) if two slices have an element in
    /// common.
    fn slice_all(self, view: ViewMut<'a, T, R, E>) -> Result<Self::Output, LayoutError>;
}

macro_rules! tuples {
    ($(($($slices:ident $in:ident $out:ident $list:ident)*);)*) => {$(
        impl<'a, T, R, E, $($in, $out, $list),*> MultiSlice<'a, T, R, E> for ($(Slices<$in, $out, $list>,)*)
        where
            T: Item,
            R: Dimension,
            $($in: FitsRank<R>, $out: Dimension, $list: AsRef<[SliceElem]>,)*
        {
            type Output = ($(ViewMut<'a, T, $out, E>,)*);

            #[inline]
            fn slice_all(self, view: ViewMut<'a, T, R, E>) -> Result<Self::Output, LayoutError> {
                let layout = *view.layout();
                let ($($slices,)*) = self;
                let layouts = ($(layout.slice(&$slices)?,)*);
                refuse_overlaps(&layout, &[$($slices.elems()),*])?;
                let ($($slices,)*) = layouts;
                let memory = view.memory();
                // SAFETY: the view is given up, no element of it has two indices (I3), and no two
                // of the slices have an index in common.
                Ok(unsafe { ($(ViewMut::of_memory(memory, $slices),)*) })
            }
        }
    )*};
}

tuples! {
    (a AI AO AL b BI BO BL);
    (a AI AO AL b BI BO BL c CI CO CL);
    (a AI AO AL b BI BO BL c CI CO CL d DI DO DL);
    (a AI AO AL b BI BO BL c CI CO CL d DI DO DL e EI EO EL);
    (a AI AO AL b BI BO BL c CI CO CL d DI DO DL e EI EO EL f FI FO FL);
}

impl<'a, T, R, E, I, O, L, const N: usize> MultiSlice<'a, T, R, E> for [Slices<I, O, L>; N]
where
    T: Item,
    R: Dimension,
    I: FitsRank<R>,
    O: Dimension,
    L: AsRef<[SliceElem]>,
{
    type Output = [ViewMut<'a, T, O, E>; N];

    #[inline]
    fn slice_all(self, view: ViewMut<'a, T, R, E>) -> Result<Self::Output, LayoutError> {
        let layout = *view.layout();
        let mut layouts = [None; N];
        for (slices, own) in self.iter().zip(&mut layouts) {
            *own = Some(layout.slice(slices)?);
        }
        refuse_overlaps(&layout, &self.each_ref().map(Slices::elems))?;
        let memory = view.memory();
        Ok(layouts.map(|own| {
            let own = own.expect("each has just been made");
            // SAFETY: as of a tuple.
            unsafe { ViewMut::of_memory(memory, own) }
        }))
    }
}

/// The indices of an axis that a slice selects: `count` of them from `first` on, `step` apart.
#[derive(Clone, Copy, Default)]
struct Chosen {
    first: usize,
    step: usize,
    count: usize,
}

/// Refuses slices of which two have an element in common.
#[inline]
fn refuse_overlaps<R: Dimension>(
    layout: &Layout<R>,
    slices: &[&[SliceElem]],
) -> Result<(), LayoutError> {
    for (second, b) in slices.iter().enumerate() {
        for (first, a) in slices[..second].iter().enumerate() {
            // Most often one axis tells. Indices are within their axes, if slices can be taken.
            let from_start = |index: isize, extent: usize| {
                if index < 0 { index + extent as isize } else { index }
            };
            let differ = |(&extent, (a, b)): (&usize, _)| match (a, b) {
                (SliceElem::Index(a), SliceElem::Index(b)) => {
                    from_start(a, extent) != from_start(b, extent)
                }
                _ => false,
            };
            let axes = layout.shape().iter();
            if !axes.zip(of_axes(a).zip(of_axes(b))).any(differ) && meets(layout, a, b)? {
                return Err(
                    Kind::Overlap { first, second, shape: List::of(&layout.shape()) }.into()
                );
            }
        }
    }
    Ok(())
}

/// Whether two slices have an element in common.
#[inline(never)]
fn meets<R: Dimension>(
    layout: &Layout<R>,
    a: &[SliceElem],
    b: &[SliceElem],
) -> Result<bool, LayoutError> {
    // In common are the indices that are so along every axis.
    for (axis, (a, b)) in of_axes(a).zip(of_axes(b)).enumerate() {
        if !meet(chosen(layout, axis, a)?, chosen(layout, axis, b)?) {
            return Ok(false);
        }
    }
    Ok(true)
}

/// What a slice says of each axis of the source.
fn of_axes(elems: &[SliceElem]) -> impl Iterator<Item = SliceElem> {
    elems.iter().copied().filter(|elem| !matches!(elem, SliceElem::NewAxis))
}

/// What it selects of one.
fn chosen<R: Dimension>(
    layout: &Layout<R>,
    axis: usize,
    elem: SliceElem,
) -> Result<Chosen, LayoutError> {
    Ok(match elem {
        SliceElem::NewAxis => unreachable!("of no axis of the source"),
        SliceElem::Index(index) => {
            Chosen { first: layout.position(axis, index)?, step: 1, count: 1 }
        }
        SliceElem::Range { start, end, step } => {
            let (count, first, step) = every(layout.positions(axis, start, end, step)?, step, 1);
            let last = first.wrapping_add(count.wrapping_sub(1).wrapping_mul(step as usize));
            Chosen { first: first.min(last), step: step.unsigned_abs().max(1), count }
        }
    })
}

/// Whether two sets of indices of an axis have one in common.
fn meet(a: Chosen, b: Chosen) -> bool {
    if a.count == 0 || b.count == 0 {
        return false;
    }
    let end = |of: Chosen| of.first + (of.count - 1) * of.step;
    let (low, high) = (a.first.max(b.first), end(a).min(end(b)));
    if low > high || (a.step == 1 && b.step == 1) {
        return low <= high;
    }
    let (low, high) = (low as i128, high as i128);
    // The smallest number of both progressions, from the Chinese remainder theorem.
    let (gcd, inverse) = gcd(a.step as i128, b.step as i128);
    let apart = b.first as i128 - a.first as i128;
    if apart % gcd != 0 {
        return false;
    }
    let modulus = b.step as i128 / gcd;
    let steps = (apart / gcd % modulus * inverse).rem_euclid(modulus);
    let (common, period) = (a.first as i128 + a.step as i128 * steps, a.step as i128 * modulus);
    let smallest = common + (low - common).div_euclid(period) * period;
    let smallest = if smallest < low { smallest + period } else { smallest };
    smallest <= high
}

/// The greatest common divisor of `a` and `b`, and a number whose product with `a` leaves that
/// remainder by `b`.
fn gcd(a: i128, b: i128) -> (i128, i128) {
    let (mut old, mut new) = ((a, 1), (b, 0));
    while new.0 != 0 {
        let quotient = old.0 / new.0;
        (old, new) = (new, (old.0 - quotient * new.0, old.1 - quotient * new.1));
    }
    old
}
