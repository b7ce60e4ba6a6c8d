//! A matrix and a vector: reductions of their products, and what takes less time than a plan for
//! few elements.

use super::dot::check_dot;
use super::product::{RowMajor, Rows};
use crate::eval::{FEW_BYTES, eval};
use crate::exec::{Exec, work_of};
use crate::expr::{Along, Apply, Expr};
use crate::help;
use crate::kernel::{AppliedBlock, EachRun, Folded, Isa, ROUNDS, by_halves, fold_block, fold_few};
use crate::number::Number;
use crate::ops::Op;
use crate::plan::{BLOCK_LEN, LANES, folds_columns, near_columns};
use crate::reduce::compiled::by_compiled;
use crate::reduce::{
    DotTotal, MOST_OF_DOT, Place, Reduction, Times, along, dot_of_few, dot_of_spaced, dots_of,
    is_windows, results_of_totals, sum_of_products,
};
use crate::types::{Array, View};
use bcast::Error;
use ndcore::{Dimension, Element, Rank};
use rayon::prelude::*;

/// The elements of what is not in memory.
fn computed<E: Expr<Rank: Dimension>>(expr: &E) -> Result<Option<Array<E::Elem, E::Rank>>, Error> {
    // What is never run is not compiled.
    if const { E::FACTS.in_memory } { Ok(None) } else { Ok(Some(eval(expr)?)) }
}

/// As [`products_of_any_rows`], of whatever a matrix, to be turned over if asked for, and a vector
/// are: computed first, because elements of the vector are read once for each result.
#[inline(never)]
pub(super) fn products_of_computed_rows<A, B, T>(
    a: &A,
    b: &B,
    turned: bool,
    results: &mut Vec<T>,
) -> Result<(), Error>
where
    A: Expr<Elem = T, Rank = Rank<2>>,
    B: Expr<Elem = T, Rank = Rank<1>>,
    T: Number,
{
    // The left operand first.
    let (of_a, of_b);
    if turned {
        of_b = computed(b)?;
        of_a = computed(a)?;
    } else {
        of_a = computed(a)?;
        of_b = computed(b)?;
    }
    let (Some(a), Some(b)) = (
        of_a.as_ref().map(Array::view).or_else(|| a.in_memory()),
        of_b.as_ref().map(Array::view).or_else(|| b.in_memory()),
    ) else {
        unreachable!("in memory, or computed")
    };
    products_of_any_rows(&if turned { a.reversed_axes() } else { a }, &b, turned, results)
}

/// The products of the rows of a matrix, which has been turned over or not, and a vector as long as
/// they. All by reference: what is moved is waited for.
#[inline(always)]
pub(super) fn products_of_any_rows<T: Number>(
    a: &View<'_, T, Rank<2>>,
    b: &View<'_, T, Rank<1>>,
    turned: bool,
    results: &mut Vec<T>,
) -> Result<(), Error> {
    by_compiled!(
        T::PRODUCTS,
        |compiled| (compiled.rows)(a, b, turned, results),
        products_of_rows(a, b, turned, results)
    )
}

/// As [`products_of_any_rows`], compiled here.
// Once for each type of elements, whatever the operands were written as.
#[inline(never)]
pub(super) fn products_of_rows<T: Number>(
    a: &View<'_, T, Rank<2>>,
    b: &View<'_, T, Rank<1>>,
    turned: bool,
    results: &mut Vec<T>,
) -> Result<(), Error> {
    let (&[rows, columns], &[len]) = (a.shape(), b.shape()) else { unreachable!("by their ranks") };
    if columns != len {
        let (a, b): (&[usize], &[usize]) = (&[rows, columns], &[len]);
        return if turned { check_dot(b, &[columns, rows]) } else { check_dot(a, b) };
    }
    if by_few(a, b, results)? || by_few_apart(a, b, results)? {
        return Ok(());
    }
    products_of_many_rows(*a, *b, results)
}

/// As [`products_of_rows`], of any number of elements.
#[inline(never)]
fn products_of_many_rows<T: Number>(
    a: View<'_, T, Rank<2>>,
    b: View<'_, T, Rank<1>>,
    results: &mut Vec<T>,
) -> Result<(), Error> {
    if !by_rows(a, b, results)? {
        let products = Apply::new(Times, (a, Along::<_, Rank<2>>::of_rank(b, &[1], 2)));
        *results =
            along(&products, &sum_of_products::<T>(), &1, &Exec::current())?.try_into_vec()?;
    }
    Ok(())
}

/// Matrices of at most so many columns, of more rows but not many, are turned over before they are
/// multiplied by a vector from the left.
const NARROW: usize = 8;

/// The product of a matrix of few elements and a vector as long as its rows, both in memory as they
/// are: without a choice of the instruction set, which would take longer. False of others.
#[inline(always)]
fn by_few<T: Number>(
    a: &View<'_, T, Rank<2>>,
    b: &View<'_, T, Rank<1>>,
    results: &mut Vec<T>,
) -> Result<bool, Error> {
    let Some(b) = b.as_slice() else { return Ok(false) };
    if by_square::<3, T>(a, b, results)?
        || by_square::<2, T>(a, b, results)?
        || by_square::<4, T>(a, b, results)?
    {
        return Ok(true);
    }
    let rows = a.shape()[0];
    if rows == 0 || b.is_empty() {
        return Ok(false);
    }
    let finish = |total| Reduction::finish(&sum_of_products::<T>(), total, b.len());
    if let Some(lines) = Lines::of(a) {
        let longest = if T::EXACT { LANES / 2 } else { LONGEST_OF_FEW };
        let most = match lines {
            Lines::SideBySide(..) if b.len() <= LANES / 2 => FEW_SIDE_BY_SIDE,
            Lines::Apart(_) if is_windows(a.shape(), a.strides()) => FEW_OF_WINDOWS,
            _ => FEW_OF_ROWS,
        };
        if b.len() > longest || rows * b.len() > most {
            return Ok(false);
        }
        *results = ndcore::reserved_for_array(rows, &[rows])?;
        for row in 0..rows {
            let dot = dot_of_few(lines.row(row), b, |row, b| {
                fold_few(&sum_of_products::<T>(), AppliedBlock::new(Times, (row, b)), b.len())
            });
            results.push(dot?);
        }
    } else if !T::EXACT
        && (rows < LANES || rows * b.len() <= FEW_OF_COLUMNS)
        && b.len() <= LANES * ROUNDS
        && let Some(all) = a.t().as_slice()
    {
        *results = ndcore::reserved_for_array(rows, &[rows])?;
        let mut put = |totals: &[DotTotal<T>]| -> Result<(), Error> {
            for &total in totals {
                results.push(finish(total)?);
            }
            Ok(())
        };
        match rows {
            1 => put(&totals_of_columns::<1, T>(all, b, 0))?,
            2 if size_of::<T>() >= 8 => put(&totals_of_columns::<2, T>(all, b, 0))?,
            // Two of less do not fill vectors.
            2 => {
                put(&totals_of_columns::<1, T>(all, b, 0))?;
                put(&totals_of_columns::<1, T>(all, b, 1))?;
            }
            3 => put(&totals_of_columns::<3, T>(all, b, 0))?,
            _ => {
                for first in (0..rows).step_by(4) {
                    // The last ones once more, if there are not as many left.
                    let from = first.min(rows - 4);
                    put(&totals_of_columns::<4, T>(all, b, from)[first - from..])?;
                }
            }
        }
    } else {
        return Ok(false);
    }
    Ok(true)
}

/// As [`by_few`], of few elements wherever they lie, as those of a part of a matrix do: to copy
/// them would take longer.
#[inline(never)]
fn by_few_apart<T: Number>(
    a: &View<'_, T, Rank<2>>,
    b: &View<'_, T, Rank<1>>,
    results: &mut Vec<T>,
) -> Result<bool, Error> {
    let (rows, Some(b)) = (a.shape()[0], b.spaced()) else { return Ok(false) };
    let few = (1..=LANES).contains(&b.len()) && (1..=FEW_APART / b.len()).contains(&rows);
    if T::EXACT || !few {
        return Ok(false);
    }
    *results = ndcore::reserved_for_array(rows, &[rows])?;
    for row in 0..rows {
        let Some(row) = a.index_axis(0, row)?.spaced() else { return Ok(false) };
        results.push(dot_of_spaced(row, b)?);
    }
    Ok(true)
}

/// The totals of the products of some columns, from this one on, and a list as long as they.
#[inline]
fn totals_of_columns<const N: usize, T: Number>(
    rows: &[T],
    by: &[T],
    first: usize,
) -> [DotTotal<T>; N] {
    let (op, len, columns) = (&sum_of_products::<T>(), by.len(), rows.len() / by.len());
    let nothing = [Reduction::<T::Product>::start(op); N];
    let step = |mut accs: [_; N], row: usize, round: usize| {
        let elements = &rows[row * columns + first..][..N];
        for (acc, &x) in accs.iter_mut().zip(elements) {
            *acc = op.step(*acc, Times.apply((x, by[row])), round);
        }
        accs
    };
    let join = |mut low: [_; N], high: [_; N]| {
        for (low, &high) in low.iter_mut().zip(&high) {
            *low = Reduction::<T::Product>::join(op, *low, high);
        }
        low
    };
    let accs = match len {
        ..=LANES => by_halves::<_, true>(len, nothing, |lane| step(nothing, lane, 0), join),
        _ => by_halves::<_, false>(
            len,
            nothing,
            |lane| {
                let (mut accs, mut row, mut round) = (nothing, lane, 0);
                while row < len {
                    accs = step(accs, row, round);
                    (row, round) = (row + LANES, round + 1);
                }
                accs
            },
            join,
        ),
    };
    accs.map(|acc| Reduction::<T::Product>::total(op, acc, Place::lane(0, len)))
}

/// The most elements of a matrix that is multiplied by a vector without a choice of the instruction
/// set, and without threads, by its rows: of many short ones without gaps, sixteen side by side
/// take less; and by its columns, if there are as many as fill vectors.
const FEW_SIDE_BY_SIDE: usize = 1 << 9;
const FEW_OF_ROWS: usize = 1 << 14;
const FEW_OF_WINDOWS: usize = 1 << 8;
const FEW_OF_COLUMNS: usize = 1 << 8;
const FEW_APART: usize = 1 << 8;
/// The most elements of such rows.
const LONGEST_OF_FEW: usize = 4 * LANES;

/// The product of a matrix of `N` rows and columns, wherever they lie, and a vector: by a size that
/// the compiler knows, because to find the elements would take longest. False of another matrix.
#[inline(always)]
fn by_square<const N: usize, T: Number>(
    a: &View<'_, T, Rank<2>>,
    b: &[T],
    results: &mut Vec<T>,
) -> Result<bool, Error> {
    let (Some(window), Ok(b)) = (a.plane().and_then(|a| a.window::<N>()), <&[T; N]>::try_from(b))
    else {
        return Ok(false);
    };
    *results = ndcore::reserved_for_array(N, &[N])?;
    for row in window.rows() {
        let dot = dot_of_few(&row[..], &b[..], |row, b| {
            fold_few(&sum_of_products::<T>(), AppliedBlock::new(Times, (row, b)), N)
        });
        results.push(dot?);
    }
    Ok(true)
}

/// The product of a matrix whose rows have unit stride, or of a copy of it if it has few elements,
/// and a vector of unit stride, or a copy of it: the products of the rows and the vector. False if
/// they lie otherwise.
#[inline(always)]
fn by_rows<T: Number>(
    a: View<'_, T, Rank<2>>,
    b: View<'_, T, Rank<1>>,
    results: &mut Vec<T>,
) -> Result<bool, Error> {
    let (rows, exec) = (a.shape()[0], Exec::current());
    let is_few = |len: usize| len.saturating_mul(size_of::<T>()) <= FEW_BYTES;
    if !(1..=MOST_OF_DOT).contains(&b.len()) || rows == 0 {
        return Ok(false);
    }
    if b.as_slice().is_none() && !is_few(b.len()) {
        return Ok(false);
    }
    let b = RowMajor::of(b)?;
    let b = b.slice();
    // Few elements that lie otherwise are copied, if there are few results: the sums of so few
    // columns would not fill vectors.
    let narrow = rows <= NARROW.min(b.len()) && a.len() <= 256 * NARROW;
    if (is_windows(a.shape(), a.strides()) || (a.line(0).is_none() && !narrow))
        && by_columns(b, a.t(), &exec, results)?
    {
        return Ok(true);
    }
    let apart = a.line(0).is_some() && a.as_slice().is_none();
    if !apart && a.as_slice().is_none() && !is_few(a.len()) {
        return Ok(false);
    }
    let all = if apart { None } else { Some(RowMajor::of(a)?) };
    let lines = match &all {
        Some(all) => Lines::SideBySide(all.slice(), b.len()),
        None => Lines::Apart(a),
    };
    let tasks = exec.tasks(rows, work_of(size_of::<T>(), 2).saturating_mul(b.len()));
    *results = ndcore::reserved_for_array(rows, &[rows])?;
    results.resize(rows, T::zero());
    products(exec.isa, lines, b, results, tasks)?;
    Ok(true)
}

/// The product of a vector and a matrix whose rows have unit stride: the sum of its rows, each so
/// many times as the vector says; whether that was so.
#[inline(never)]
fn by_columns<T: Number>(
    factors: &[T],
    rows: View<'_, T, Rank<2>>,
    exec: &Exec,
    results: &mut Vec<T>,
) -> Result<bool, Error> {
    let (len, inner) = (rows.shape()[0], rows.shape()[1]);
    if !(1..=BLOCK_LEN).contains(&len)
        || inner < 2
        || (inner < LANES && !folds_columns(len, inner))
        || rows.rows_of(len, inner).is_none()
        || EachRun::new(factors).is_none()
    {
        return Ok(false);
    }
    let tasks = match rows.len().saturating_mul(size_of::<T>()) <= MOST_SPLIT {
        true => exec.tasks(rows.len(), work_of(size_of::<T>(), 2)),
        false => 1,
    };
    *results = ndcore::reserved_for_array(inner, &[inner])?;
    results.resize(inner, T::zero());
    let tasks = if tasks > 1 { tasks.min(rayon::current_num_threads()) } else { 1 };
    sums_of_rows(factors, rows, exec.isa, results, tasks)?;
    Ok(true)
}

/// More bytes of rows are read by one thread: where memory is the limit, two that read halves of
/// each row took 1.6 times as long.
const MOST_SPLIT: usize = 1 << 23;

/// The least columns that are worth a task: as many as fill a page, or nearly.
const LEAST_COLUMNS: usize = 128;

/// As [`by_columns`], which has looked at how the rows lie, by at most so many tasks: each of them
/// has some of the columns.
fn sums_of_rows<T: Number>(
    factors: &[T],
    rows: View<'_, T, Rank<2>>,
    isa: Isa,
    results: &mut [T],
    tasks: usize,
) -> Result<(), Error> {
    let (len, inner) = (rows.shape()[0], results.len());
    if tasks > 1 && inner >= 2 * LEAST_COLUMNS {
        let mid = (inner * (tasks / 2) / tasks).next_multiple_of(LANES);
        let ((low, high), (to_low, to_high)) = (rows.split_at(1, mid)?, results.split_at_mut(mid));
        let (low, high) = help::join(
            || sums_of_rows(factors, low, isa, to_low, tasks / 2),
            || sums_of_rows(factors, high, isa, to_high, tasks - tasks / 2),
        );
        return low.and(high);
    }
    // Windows overlap, so that all elements are near: in parts of as few columns as are folded in
    // registers. The last one has more than one, which would be a row.
    let some = near_columns(len);
    let (mut left, mut to) = (rows, results);
    if *left.strides() == [1, 1] && !folds_columns(len, inner) && folds_columns(len, some) {
        while to.len() > some {
            let columns = if to.len() == some + 1 { some / 2 } else { some };
            let (part, rest) = left.split_at(1, columns)?;
            let (to_part, to_rest) = to.split_at_mut(columns);
            sums_of_part(factors, part, isa, to_part)?;
            (left, to) = (rest, to_rest);
        }
    }
    sums_of_part(factors, left, isa, to)
}

/// As [`sums_of_rows`], of all columns at a time.
#[inline(never)]
fn sums_of_part<T: Number>(
    factors: &[T],
    rows: View<'_, T, Rank<2>>,
    isa: Isa,
    results: &mut [T],
) -> Result<(), Error> {
    let (len, inner) = (rows.shape()[0], results.len());
    if T::EXACT
        && let Some(all) = rows.as_slice()
        && T::has_few_bits(factors, all, len)
    {
        let (alpha, beta) = (T::one(), T::zero());
        let sums = Rows { a: factors, b: all, k: len, n: inner, alpha, beta };
        isa.dispatch(&sums, results);
        return Ok(());
    }
    let (Some(rows), Some(each)) = (rows.rows_of(len, inner), EachRun::new(factors)) else {
        unreachable!("rows of unit stride")
    };
    let block = AppliedBlock::new(Times, (each, rows));
    let (op, mut error, mut done) = (&sum_of_products::<T>(), None, 0);
    let mut put = |totals: &[DotTotal<T>]| {
        let sums = results_of_totals::<T::Product, _>(op, totals, len, &mut error);
        let results = &mut results[done..][..totals.len()];
        results.iter_mut().zip(sums).for_each(|(result, sum)| *result = sum);
        done += totals.len();
    };
    fold_block(op, isa, block, true, &Folded { outer: 1, len, inner }, &mut put);
    error.map_or(Ok(()), Err)
}

/// Rows of a matrix, each of unit stride, and as long as the others.
#[derive(Clone, Copy)]
enum Lines<'a, T: Element> {
    SideBySide(&'a [T], usize),
    Apart(View<'a, T, Rank<2>>),
}

impl<'a, T: Element> Lines<'a, T> {
    /// The rows of a matrix, if each has unit stride.
    #[inline(always)]
    fn of(a: &View<'a, T, Rank<2>>) -> Option<Self> {
        match a.as_slice() {
            Some(all) => Some(Lines::SideBySide(all, a.shape()[1])),
            None => a.line(0).map(|_| Lines::Apart(*a)),
        }
    }

    #[inline(always)]
    fn row(&self, number: usize) -> &'a [T] {
        match *self {
            Lines::SideBySide(all, len) => &all[number * len..][..len],
            Lines::Apart(view) => view.line(number).expect("rows of unit stride"),
        }
    }

    /// All from this one on, if they lie one after the other.
    fn side_by_side(&self, first: usize) -> Option<&'a [T]> {
        match *self {
            Lines::SideBySide(all, len) => Some(&all[first * len..]),
            Lines::Apart(_) => None,
        }
    }
}

/// The products of rows and a vector, by so many tasks.
fn products<T: Number>(
    isa: Isa,
    lines: Lines<'_, T>,
    b: &[T],
    results: &mut [T],
    tasks: usize,
) -> Result<(), Error> {
    let part = results.len().div_ceil(tasks.max(1));
    // One closure for both ways: its kernels are compiled once.
    let of_part = |(number, results): (usize, &mut [T])| {
        let first = number * part;
        dots_of(isa, |row| lines.row(first + row), lines.side_by_side(first), b, results)
    };
    if tasks <= 1 {
        return of_part((0, results));
    }
    results.par_chunks_mut(part).enumerate().try_for_each(of_part)
}
