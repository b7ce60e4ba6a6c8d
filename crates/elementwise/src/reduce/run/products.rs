//! Sums of the products of two lists.

use super::SMALL;
use super::total::{IN_PLACE, MOST_FLAT, NEAR, in_place};
use crate::exec::Exec;
use crate::kernel::{
    AppliedBlock, FEWEST, Isa, Kernel, fold_apart, fold_blocks, fold_each, fold_few,
    fold_near_blocks, fold_products, fold_row, most_few,
};
use crate::number::{Monoid, Number, ProductOf};
use crate::ops::{Add, Binary, Mul};
use crate::plan::{BLOCK_LEN, LANES, blocks};
use crate::reduce::compiled::by_compiled;
use crate::reduce::dot::{DotTotal, Times, sum_of_products};
use crate::reduce::{Reduction, finish_one};
use bcast::Error;
use ndcore::{Runs, Spaced};

/// The sum of the products of the elements of two lists of one length, as [`all`] adds them up.
#[inline(always)]
pub fn dot_of<T: Number>(a: &[T], b: &[T]) -> Result<T, Error> {
    if by_bits::<T>()
        && let Some(dot) = dot_of_few_bits(a, b)
    {
        return Ok(dot);
    }
    finish_one(&sum_of_products::<T>(), total_of_products(a, b), a.len())
}

/// As [`dot_of`], of few elements, whose total is found by a function unless few bits hold it.
#[inline(always)]
pub fn dot_of_few<T: Number>(
    a: &[T],
    b: &[T],
    total: impl FnOnce(&[T], &[T]) -> DotTotal<T>,
) -> Result<T, Error> {
    if by_bits::<T>()
        && let Some(dot) = T::dot_of_few_bits(a, b)
    {
        return Ok(dot);
    }
    finish_one(&sum_of_products::<T>(), total(a, b), a.len())
}

/// As [`dot_of`], of elements that lie at equal distances: some, as many of each, not many.
#[inline(always)]
pub fn dot_of_spaced<T: Number>(a: Spaced<'_, T>, b: Spaced<'_, T>) -> Result<T, Error> {
    let total = match const { products_in_place::<T>() } && a.len() <= IN_PLACE {
        true => fold_apart(&sum_of_products::<T>(), AppliedBlock::new(Times, (a, b)), a.len()),
        false => total_of_spaced(&a, &b),
    };
    finish_one(&sum_of_products::<T>(), total, a.len())
}

/// Whether few products are added up as part of the caller.
const fn products_in_place<T: Number>() -> bool {
    in_place::<T::Product, <T::Product as ProductOf<T>>::Fold>()
}

/// As [`dot_of_spaced`], of any number of elements that are not worth threads.
pub fn dot_of_many_spaced<T: Number>(a: Spaced<'_, T>, b: Spaced<'_, T>) -> Result<T, Error> {
    let (isa, len) = (Exec::current_isa(), a.len());
    let block = AppliedBlock::new(Times, (a, b));
    let op = &sum_of_products::<T>();
    finish_one(op, fold_blocks(op, isa, block, (0, len), blocks(&[len], 1)[0]), len)
}

/// Whether sums of products are first looked for in 64 bits: of integers whose products need as
/// many. Those of smaller ones fit in any case.
const fn by_bits<T: Number>() -> bool {
    T::EXACT && size_of::<T>() >= 4
}

/// The sum of the products of integers, if few bits hold it.
#[inline(never)]
fn dot_of_few_bits<T: Number>(a: &[T], b: &[T]) -> Option<T> {
    if a.len() <= FEWEST {
        return T::dot_of_few_bits(a, b);
    }
    let mut dot = [None];
    let one = DotsOfFewBits { list: |_| a, side_by_side: None, b };
    Exec::current_isa().dispatch(&one, &mut dot);
    dot[0]
}

/// As [`dot_of_few_bits`], of several lists and another one.
struct DotsOfFewBits<'b, 's, L, T> {
    list: L,
    /// All of them, if one follows the other.
    side_by_side: Option<&'s [T]>,
    b: &'b [T],
}

impl<'a, T: Number, L: Fn(usize) -> &'a [T]> Kernel for DotsOfFewBits<'_, '_, L, T> {
    type Slot = Option<T>;
    type Held = ();

    #[inline(always)]
    fn held(&self) {}

    #[inline(always)]
    fn run(&self, (): (), dots: &mut [Option<T>], _: usize) {
        let DotsOfFewBits { ref list, side_by_side, b } = *self;
        if side_by_side.is_some_and(|all| T::has_few_bits(all, b, b.len())) {
            for (number, dot) in dots.iter_mut().enumerate() {
                let products =
                    list(number).iter().zip(b).map(|(&x, &y)| Binary::<Mul>::binary(x, y));
                *dot = Some(
                    products.fold(T::zero(), |sum, product| Binary::<Add>::binary(sum, product)),
                );
            }
            return;
        }
        for (number, dot) in dots.iter_mut().enumerate() {
            *dot = T::dot_of_few_bits(list(number), b);
        }
    }
}

/// The total of the products.
#[inline(always)]
fn total_of_products<T: Number>(a: &[T], b: &[T]) -> DotTotal<T> {
    if const { products_in_place::<T>() } && (1..=IN_PLACE).contains(&a.len()) {
        return fold_apart(&sum_of_products::<T>(), AppliedBlock::new(Times, (a, b)), a.len());
    }
    by_compiled!(T::PRODUCTS, |compiled| (compiled.lists)(a, b), total_of_lists(a, b))
}

/// As [`total_of_products`], compiled here.
// Not inlined: loops over rows are small then. The total and not the result, which would be
// returned in memory.
#[inline(never)]
pub fn total_of_lists<T: Number>(a: &[T], b: &[T]) -> DotTotal<T> {
    match a.len() {
        0 => <DotTotal<T> as Monoid<Add>>::IDENTITY,
        // To ask for the instruction set takes longer.
        len @ ..=FEWEST if len <= const { most_few_of_lists::<T>() } => {
            fold_few(&sum_of_products::<T>(), AppliedBlock::new(Times, (a, b)), len)
        }
        _ => products(Exec::current_isa, a, b),
    }
}

/// As [`total_of_lists`], of elements that lie at equal distances.
// Few by themselves: what the others need, these would save and restore. All by reference: what is
// put together word by word and then copied would be waited for.
#[inline(never)]
fn total_of_spaced<T: Number>(a: &Spaced<'_, T>, b: &Spaced<'_, T>) -> DotTotal<T> {
    match a.len() <= LANES {
        true => fold_apart(&sum_of_products::<T>(), AppliedBlock::new(Times, (*a, *b)), a.len()),
        false => total_of_more_spaced(a, b),
    }
}

/// As [`total_of_spaced`], of more.
#[inline(never)]
fn total_of_more_spaced<T: Number>(a: &Spaced<'_, T>, b: &Spaced<'_, T>) -> DotTotal<T> {
    // Which is the first factor makes no difference.
    match (a.as_slice(), b.as_slice()) {
        (None, Some(b)) => total_beside(a, b),
        (Some(a), None) => total_beside(b, a),
        _ if a.len() <= most_few::<T>(1) => {
            fold_few(&sum_of_products::<T>(), AppliedBlock::new(Times, (*a, *b)), a.len())
        }
        _ => spaced_by_isa(a, b),
    }
}

/// As [`total_of_spaced`], of so many that wider vectors pay.
#[inline(never)]
fn spaced_by_isa<T: Number>(a: &Spaced<'_, T>, b: &Spaced<'_, T>) -> DotTotal<T> {
    let block = AppliedBlock::new(Times, (*a, *b));
    fold_row(&sum_of_products::<T>(), Exec::current_isa(), block, a.len())
}

/// As [`total_of_more_spaced`], of a list, of which vectors are loaded, and what lies apart.
#[inline(never)]
fn total_beside<T: Number>(a: &Spaced<'_, T>, b: &[T]) -> DotTotal<T> {
    match b.len() <= most_few::<T>(1) {
        true => fold_few(&sum_of_products::<T>(), AppliedBlock::new(Times, (*a, b)), b.len()),
        false => beside_by_isa(a, b),
    }
}

/// As [`total_beside`], of so many that wider vectors pay.
#[inline(never)]
fn beside_by_isa<T: Number>(a: &Spaced<'_, T>, b: &[T]) -> DotTotal<T> {
    let block = AppliedBlock::new(Times, (*a, b));
    fold_row(&sum_of_products::<T>(), Exec::current_isa(), block, b.len())
}

/// As [`total_of_products`], of any number of elements.
// Not inlined: beside the shorter way, this one was compiled to slower code.
#[inline(never)]
fn products<T: Number>(isa: impl FnOnce() -> Isa, a: &[T], b: &[T]) -> DotTotal<T> {
    let len = a.len();
    match len <= most_few_of_lists::<T>() {
        true => fold_few(&sum_of_products::<T>(), AppliedBlock::new(Times, (a, b)), len),
        false => products_by_kernel(isa, a, b),
    }
}

/// The most products that take less time than the choice of an instruction set.
const fn most_few_of_lists<T>() -> usize {
    match size_of::<T>() {
        ..4 => 4 * LANES,
        4..=8 => 6 * LANES,
        // Of as many lanes the accumulators do not fit in the registers of the baseline.
        _ => LANES,
    }
}

/// As [`products`], by the kernels that plans take.
// Not inlined: what it needs, fewer would save and restore.
#[inline(never)]
fn products_by_kernel<T: Number>(isa: impl FnOnce() -> Isa, a: &[T], b: &[T]) -> DotTotal<T> {
    let len = a.len();
    if len <= BLOCK_LEN {
        return fold_row(&sum_of_products::<T>(), isa(), AppliedBlock::new(Times, (a, b)), len);
    }
    let (op, run) = (&sum_of_products::<T>(), blocks(&[len], 1)[0]);
    if size_of_val(a) + size_of_val(b) <= NEAR {
        return fold_near_blocks(op, isa(), AppliedBlock::new(Times, (a, b)), len, run);
    }
    let block = AppliedBlock::new(Times, (Runs::from(a), Runs::from(b)));
    fold_blocks(op, isa(), block, (0, len), run)
}

/// The sums of the products of the elements of each of several lists and those of `b`, of which
/// there are as many, and some; `side_by_side` are all of the lists, if one follows the other.
pub fn dots_of<'a, T: Number>(
    isa: Isa,
    list: impl Fn(usize) -> &'a [T] + Sync,
    side_by_side: Option<&[T]>,
    b: &[T],
    results: &mut [T],
) -> Result<(), Error> {
    let len = b.len();
    if by_bits::<T>() {
        let mut dots = [None; 32];
        let some = dots.len();
        for (part, results) in results.chunks_mut(some).enumerate() {
            let (dots, first) = (&mut dots[..results.len()], part * some);
            let list = |number| list(first + number);
            let side_by_side = side_by_side.map(|all| &all[first * len..][..results.len() * len]);
            isa.dispatch(&DotsOfFewBits { list, side_by_side, b }, dots);
            for (number, (result, dot)) in results.iter_mut().zip(dots).enumerate() {
                *result = match *dot {
                    Some(dot) => dot,
                    None => Reduction::finish(
                        &sum_of_products::<T>(),
                        total_of_lists(list(number), b),
                        len,
                    )?,
                };
            }
        }
        return Ok(());
    }
    if len > SMALL {
        for (number, result) in results.iter_mut().enumerate() {
            *result = finish_one(&sum_of_products::<T>(), products(|| isa, list(number), b), len)?;
        }
        return Ok(());
    }
    let mut totals = [<DotTotal<T> as Monoid<Add>>::IDENTITY; 32];
    let some = totals.len();
    for (part, results) in results.chunks_mut(some).enumerate() {
        let (totals, first) = (&mut totals[..results.len()], part * some);
        let rows = side_by_side.map(|all| &all[first * len..][..results.len() * len]);
        if !rows.is_some_and(|rows| {
            fold_products(&sum_of_products::<T>(), &Times, isa, rows, b, totals)
        }) {
            fold_each(
                &sum_of_products::<T>(),
                isa,
                #[inline(always)]
                |number| AppliedBlock::new(Times, (list(first + number), b)),
                len,
                totals,
            );
        }
        for (result, &total) in results.iter_mut().zip(&*totals) {
            *result = finish_one(&sum_of_products::<T>(), total, len)?;
        }
    }
    Ok(())
}

/// The longest lists that [`dots_of`] takes.
pub const MOST_OF_DOT: usize = MOST_FLAT;
