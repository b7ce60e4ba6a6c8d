//! Sums of the products of two lists.

use super::SMALL;
use super::total::MOST_FLAT;
use crate::exec::Exec;
use crate::kernel::{
    AppliedBlock, FEWEST, Isa, fold_apart, fold_blocks, fold_each, fold_few, fold_products,
    fold_row, most_few,
};
use crate::number::{Monoid, Number};
use crate::ops::{Add, Mul};
use crate::plan::blocks;
use crate::reduce::{Reduction, Sum};
use bcast::Error;
use ndcore::{Runs, Spaced};

/// The sum of the products of the elements of two lists of one length, as [`all`] adds them up. To
/// ask for the instruction set takes longer than few elements.
#[inline(always)]
pub fn dot_of<T: Number>(isa: impl FnOnce() -> Isa, a: &[T], b: &[T]) -> Result<T, Error> {
    let total = if a.len() <= FEWEST { few_products(a, b) } else { products(isa, a, b) };
    Reduction::<T>::finish(&Sum, total, a.len())
}

/// As [`dot_of`], of elements that lie at equal distances, as many of each and not many.
#[inline(never)]
pub fn dot_of_spaced<T: Number>(a: Spaced<'_, T>, b: Spaced<'_, T>) -> Result<T, Error> {
    // Made where it goes: what is put together word by word and then copied would be waited for.
    let block = || AppliedBlock::new(&Mul, (a, b));
    let len = a.len();
    let total = match len <= most_few::<T>(1) {
        true => fold_apart(&Sum, block(), len),
        false => fold_row(&Sum, Exec::current_isa(), block(), len),
    };
    Reduction::<T>::finish(&Sum, total, len)
}

/// The total of the products of few elements.
#[inline(never)]
fn few_products<T: Number>(a: &[T], b: &[T]) -> T::Wide {
    match a.len() {
        0 => <T::Wide as Monoid<Add>>::IDENTITY,
        len => fold_few(&Sum, AppliedBlock::new(&Mul, (a, b)), len),
    }
}

/// As [`few_products`], of more.
// Not inlined: beside the shorter way, this one was compiled to slower code.
#[inline(never)]
fn products<T: Number>(isa: impl FnOnce() -> Isa, a: &[T], b: &[T]) -> T::Wide {
    let len = a.len();
    if len <= most_few::<T>(1) {
        return fold_few(&Sum, AppliedBlock::new(&Mul, (a, b)), len);
    }
    // By the kernels that plans take.
    let block = || AppliedBlock::new(&Mul, (Runs::from(a), Runs::from(b)));
    if len <= SMALL {
        fold_row(&Sum, isa(), block(), len)
    } else {
        fold_blocks(&Sum, isa(), block(), (0, len), blocks(&[len], 1)[0])
    }
}

/// As [`dot_of`], of each of several lists of as many elements as `b`, of which there are some, and
/// `b`; `side_by_side` are all of the lists, if they lie one after the other.
pub fn dots_of<'a, T: Number>(
    isa: Isa,
    list: impl Fn(usize) -> &'a [T] + Sync,
    side_by_side: Option<&[T]>,
    b: &[T],
    results: &mut [T],
) -> Result<(), Error> {
    let len = b.len();
    if len > SMALL {
        for (number, result) in results.iter_mut().enumerate() {
            *result = dot_of(|| isa, list(number), b)?;
        }
        return Ok(());
    }
    let mut totals = [<T::Wide as Monoid<Add>>::IDENTITY; 32];
    let some = totals.len();
    for (part, results) in results.chunks_mut(some).enumerate() {
        let (totals, first) = (&mut totals[..results.len()], part * some);
        let rows = side_by_side.map(|all| &all[first * len..][..results.len() * len]);
        if !rows.is_some_and(|rows| fold_products(&Sum, isa, rows, b, totals)) {
            fold_each(
                &Sum,
                isa,
                #[inline(always)]
                |number| AppliedBlock::new(&Mul, (list(first + number), b)),
                len,
                totals,
            );
        }
        for (result, &total) in results.iter_mut().zip(&*totals) {
            *result = Reduction::<T>::finish(&Sum, total, len)?;
        }
    }
    Ok(())
}

/// The longest lists that [`dot_of`] takes.
pub const MOST_OF_DOT: usize = MOST_FLAT;
