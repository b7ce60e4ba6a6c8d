//! Matrix products: shapes, batches and threads; the products themselves are those of the crate
//! `matrixmultiply`, or rows added up by the operations of any number.

mod compiled;

pub use compiled::CompiledProducts;

use crate::eval::{Assign, FEW_BYTES, eval, eval_by};
use crate::exec::{Exec, work_of};
use crate::expr::{Along, Apply, Expr, Operand, RankOf, ResultRank, settled};
use crate::help;
use crate::kernel::{AppliedBlock, EachRun, Folded, Isa, Kernel, fold_block, fold_few};
use crate::number::Number;
use crate::ops::{Add, Binary, CastTo, Mul, Op};
use crate::plan::{BLOCK_LEN, LANES, folds_columns};
use crate::reduce::compiled::by_compiled;
use crate::reduce::{
    DotTotal, MOST_OF_DOT, Place, Reduction, Times, all, along, dot_of, dot_of_few, dot_of_spaced,
    dots_of, sum_of_products,
};
use crate::types::{Array, View, ViewMut};
use bcast::{Error, ErrorKind, degenerate_shape};
use ndcore::{Axes, Dimension, Dyn, Element, Few, List, Packed, Rank};
use num_complex::Complex;
use rayon::prelude::*;

/// `c = alpha a b + beta c` of matrices whose shapes fit; where beta is zero, `c` is not read.
pub struct Product<'p, T> {
    c: ViewMut<'p, T, Rank<2>>,
    alpha: T,
    a: View<'p, T, Rank<2>>,
    b: View<'p, T, Rank<2>>,
    beta: T,
}

impl<T: Number> std::fmt::Debug for Product<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} by {:?}", self.a.shape(), self.b.shape())
    }
}

/// The multiplications of a product for which packing is not worth its while.
const FEW: usize = 12 * 12 * 12;

impl<T: Number> Product<'_, T> {
    /// Rows, inner extent and columns.
    fn extents(&self) -> (usize, usize, usize) {
        (self.a.shape()[0], self.a.shape()[1], self.b.shape()[1])
    }

    /// Whether there are few multiplications.
    fn is_small(&self) -> bool {
        let (m, k, n) = self.extents();
        m.saturating_mul(k).saturating_mul(n) <= FEW
    }

    /// By additions and multiplications in the type itself: each row of `c` is a sum of rows of
    /// `b`, from the first to the last.
    pub(crate) fn by_operations(mut self) -> Result<(), Error> {
        let isa = Exec::current_isa();
        let (a, b) = (RowMajor::of(self.a)?, RowMajor::of(self.b)?);
        let (_, k, n) = self.extents();
        let sums = Rows { a: a.slice(), b: b.slice(), k, n, alpha: self.alpha, beta: self.beta };
        match self.c.as_slice_mut() {
            Some(slots) => isa.dispatch(&sums, slots),
            None => {
                let mut copy = Packed::new();
                if !copy.reserve(self.c.len()) {
                    return Err(Error::no_memory());
                }
                self.c.copy_to_row_major(&mut copy);
                isa.dispatch(&sums, copy.as_mut_slice());
                self.c.copy_from_row_major(copy.as_slice());
            }
        }
        Ok(())
    }
}

/// A matrix in row-major order, as it lies or copied.
enum RowMajor<'a, T: Element> {
    There(&'a [T]),
    Copied(Packed<T>),
}

impl<'a, T: Element> RowMajor<'a, T> {
    fn of<R: Dimension>(view: View<'a, T, R>) -> Result<Self, Error> {
        Ok(match view.as_slice() {
            Some(slice) => RowMajor::There(slice),
            None => {
                let mut copy = Packed::new();
                if !copy.reserve(view.len()) {
                    return Err(Error::no_memory());
                }
                view.copy_row_major::<u8>(view.shape(), None, &mut copy);
                RowMajor::Copied(copy)
            }
        })
    }

    fn slice(&self) -> &[T] {
        match self {
            RowMajor::There(slice) => slice,
            RowMajor::Copied(copy) => copy.as_slice(),
        }
    }
}

/// Rows of a product: sums of the rows of `b`, as long as theirs, times the elements of `a`.
struct Rows<'k, T> {
    a: &'k [T],
    b: &'k [T],
    k: usize,
    n: usize,
    alpha: T,
    beta: T,
}

impl<T: Number> Kernel for Rows<'_, T> {
    type Slot = T;

    #[inline(always)]
    fn run(&self, slots: &mut [T], _: usize) {
        let (mut of_c, mut of_a) = (slots, self.a);
        if self.n == 0 {
            return;
        }
        while of_c.len() >= 4 * self.n {
            let (rows, rest) = of_c.split_at_mut(4 * self.n);
            self.band::<4>(rows, &of_a[..4 * self.k]);
            (of_c, of_a) = (rest, &of_a[4 * self.k..]);
        }
        for (row, of_a) in of_c.chunks_exact_mut(self.n).zip(of_a.chunks_exact(self.k)) {
            self.band::<1>(row, of_a);
        }
    }
}

impl<T: Number> Rows<'_, T> {
    /// So many rows.
    #[inline(always)]
    fn band<const R: usize>(&self, slots: &mut [T], of_a: &[T]) {
        let mut column = 0;
        while self.n - column >= 16 {
            self.tile::<R, 16>(slots, of_a, column);
            column += 16;
        }
        while self.n - column >= 4 {
            self.tile::<R, 4>(slots, of_a, column);
            column += 4;
        }
        while column < self.n {
            self.tile::<R, 1>(slots, of_a, column);
            column += 1;
        }
    }

    /// So many columns of so many rows, whose sums stay in registers.
    #[inline(always)]
    fn tile<const R: usize, const C: usize>(&self, slots: &mut [T], of_a: &[T], column: usize) {
        let mut sums = [[T::zero(); C]; R];
        for (k, of_b) in self.b.chunks_exact(self.n).take(self.k).enumerate() {
            let of_b = &of_b[column..][..C];
            for (row, sums) in sums.iter_mut().enumerate() {
                let a = of_a[row * self.k + k];
                for (sum, &b) in sums.iter_mut().zip(of_b) {
                    *sum = plus(*sum, times(a, b));
                }
            }
        }
        for (row, sums) in sums.iter().enumerate() {
            let slots = &mut slots[row * self.n + column..][..C];
            for (slot, &sum) in slots.iter_mut().zip(sums) {
                let scaled = times(self.alpha, sum);
                *slot = match self.beta.is_zero() {
                    true => scaled,
                    false => plus(scaled, times(self.beta, *slot)),
                };
            }
        }
    }
}

#[inline(always)]
fn plus<T: Number>(a: T, b: T) -> T {
    Binary::<Add>::binary(a, b)
}

#[inline(always)]
fn times<T: Number>(a: T, b: T) -> T {
    Binary::<Mul>::binary(a, b)
}

/// By the crate `matrixmultiply`.
macro_rules! packed {
    ($($name:ident $type:ty: $gemm:path [$($option:expr),*] |$x:ident| $scalar:expr;)*) => {$(
        pub(crate) fn $name(product: Product<'_, $type>) -> Result<(), Error> {
            if product.is_small() {
                return product.by_operations();
            }
            let (m, k, n) = product.extents();
            let Product { mut c, alpha, a, b, beta } = product;
            assert!(
                a.shape() == [m, k] && b.shape() == [k, n] && c.shape() == [m, n],
                "matrices that fit"
            );
            let [[rsa, csa], [rsb, csb], [rsc, csc]] =
                [a.strides(), b.strides(), c.strides()].map(|strides| [strides[0], strides[1]]);
            let [alpha, beta] = [alpha, beta].map(|$x: $type| $scalar);
            let (a, b, c) = (a.as_ptr().cast(), b.as_ptr().cast(), c.as_mut_ptr().cast());
            // SAFETY: by the line above, the three are matrices of the sizes given, and a view
            // reaches as many elements as its shape says, by its strides from its first one; those
            // of `c` are borrowed mutably and lie apart. A complex number is laid out as the pair
            // of its parts.
            unsafe {
                $gemm($($option,)* m, k, n, alpha, a, rsa, csa, b, rsb, csb, beta, c, rsc, csc);
            }
            Ok(())
        }
    )*};
}
packed! {
    product_f32 f32: matrixmultiply::sgemm [] |x| x;
    product_f64 f64: matrixmultiply::dgemm [] |x| x;
    product_c32 Complex<f32>: matrixmultiply::cgemm [PLAIN, PLAIN] |x| [x.re, x.im];
    product_c64 Complex<f64>: matrixmultiply::zgemm [PLAIN, PLAIN] |x| [x.re, x.im];
}

/// Without conjugation.
const PLAIN: matrixmultiply::CGemmOption = matrixmultiply::CGemmOption::Standard;

/// In `f32`, and rounded once.
pub(crate) fn product_half<T>(mut product: Product<'_, T>) -> Result<(), Error>
where
    T: Number + CastTo<f32>,
    f32: CastTo<T>,
{
    let exec = Exec::current();
    let wide = |x: View<'_, T, Rank<2>>| eval_by(&x.cast::<f32>(), &exec);
    let (a, b) = (wide(product.a)?, wide(product.b)?);
    let reads = !product.beta.is_zero();
    let mut c =
        if reads { wide(product.c.view())? } else { Array::try_full(product.c.dim(), 0.0)? };
    let (alpha, beta) = (product.alpha.cast_to(), product.beta.cast_to());
    product_f32(Product { c: c.view_mut(), alpha, a: a.view(), b: b.view(), beta })?;
    product.c.assign(c.cast::<T>())
}

/// The least rows or columns that are worth a task: each packs the other matrix for itself.
const LEAST: usize = 128;

/// Computes a product by at most so many tasks: halves of the rows or of the columns, whichever are
/// more. The sum over the inner axis is never split, so that the result does not depend on it.
fn split<T: Number>(product: Product<'_, T>, tasks: usize) -> Result<(), Error> {
    let (m, _, n) = product.extents();
    let Product { c, alpha, a, b, beta } = product;
    if tasks < 2 || m.max(n) < 2 * LEAST {
        return T::multiply(Product { c, alpha, a, b, beta });
    }
    let axis = usize::from(n > m);
    let mid = (m.max(n) / 2).next_multiple_of(32);
    let (low_c, high_c) = c.split_at(axis, mid)?;
    let part = |from: usize, to: usize| -> Result<_, Error> {
        Ok(match axis {
            0 => (a.slice_axis(0, from..to, 1)?, b),
            _ => (a, b.slice_axis(1, from..to, 1)?),
        })
    };
    let ((low_a, low_b), (high_a, high_b)) = (part(0, mid)?, part(mid, m.max(n))?);
    let product = |c, a, b| Product { c, alpha, a, b, beta };
    let (low, high) = help::join(
        || split(product(low_c, low_a, low_b), tasks / 2),
        || split(product(high_c, high_a, high_b), tasks - tasks / 2),
    );
    low.and(high)
}

/// The products of all matrices of a batch, of which there are some.
fn batches<T: Number>(
    c: ViewMut<'_, T, Dyn>,
    [alpha, beta]: [T; 2],
    a: View<'_, T, Dyn>,
    b: View<'_, T, Dyn>,
    tasks: usize,
) -> Result<(), Error> {
    let ndim = c.ndim();
    if ndim == 2 {
        let (c, a, b) = (c.into_rank()?, a.into_rank()?, b.into_rank()?);
        return split(Product { c, alpha, a, b, beta }, tasks);
    }
    let (count, mut c) = (c.shape()[0], c);
    if count == 1 || tasks < 2 {
        for i in 0..count {
            let (a, b) = (a.index_axis(0, i)?, b.index_axis(0, i)?);
            batches(c.index_axis_mut(0, i)?, [alpha, beta], a, b, tasks)?;
        }
        return Ok(());
    }
    let mid = count / 2;
    let (low_c, high_c) = c.split_at(0, mid)?;
    let (low_a, high_a) = (a.slice_axis(0, 0..mid, 1)?, a.slice_axis(0, mid..count, 1)?);
    let (low_b, high_b) = (b.slice_axis(0, 0..mid, 1)?, b.slice_axis(0, mid..count, 1)?);
    let low = || batches(low_c, [alpha, beta], low_a, low_b, tasks / 2);
    let high = || batches(high_c, [alpha, beta], high_a, high_b, tasks - tasks / 2);
    let (low, high) = help::join(low, high);
    low.and(high)
}

/// The products of a batch of matrices of few elements, or of one of them and all: without a view
/// for each, of copies in row-major order of what lies otherwise. False of others.
fn few_of_batch<T: Number>(
    isa: Isa,
    a: View<'_, T, Dyn>,
    b: View<'_, T, Dyn>,
    c: &mut Array<T, Dyn>,
) -> Result<bool, Error> {
    let (m, k, n) = (a.shape()[a.ndim() - 2], a.shape()[a.ndim() - 1], b.shape()[b.ndim() - 1]);
    let count = c.len() / (m * n);
    if !T::BY_OPERATIONS || m.saturating_mul(k).saturating_mul(n) > FEW {
        return Ok(false);
    }
    let (a, b) = (RowMajor::of(a)?, RowMajor::of(b)?);
    let (a, b, Some(slots)) = (a.slice(), b.slice(), c.as_slice_mut()) else { return Ok(false) };
    let step = |all: &[T], each: usize| match all.len() {
        len if len == each => Some(0),
        len if len == each * count => Some(each),
        _ => None,
    };
    let (Some(next_a), Some(next_b)) = (step(a, m * k), step(b, k * n)) else { return Ok(false) };
    for (i, slots) in slots.chunks_exact_mut(m * n).enumerate() {
        let (a, b) = (&a[i * next_a..][..m * k], &b[i * next_b..][..k * n]);
        isa.dispatch(&Rows { a, b, k, n, alpha: T::one(), beta: T::zero() }, slots);
    }
    Ok(true)
}

/// How many tasks a product is worth, of so many elements and this inner extent.
fn tasks(len: usize, depth: usize, exec: &Exec) -> usize {
    match exec.tasks(len, 4 * (depth / 4).max(1)) {
        0 | 1 => 1,
        _ => rayon::current_num_threads(),
    }
}

/// A computed expression, or the array it is.
fn lying<E: Expr<Rank: Dimension>, U>(
    expr: &E,
    exec: &Exec,
    f: impl FnOnce(View<'_, E::Elem, Dyn>) -> Result<U, Error>,
) -> Result<U, Error> {
    match expr.in_memory() {
        Some(view) => f(view.as_dyn()),
        None => f(eval_by(expr, exec)?.view().as_dyn()),
    }
}

/// The ranks of the operands of [`Matrix::dot`], and what comes of them.
#[diagnostic::on_unimplemented(
    message = "`dot` of operands of ranks `{Self}` and `{R}`",
    note = "it is for vectors and matrices; `matmul` is for batches of matrices"
)]
pub trait DotRank<R: Dimension, T: Element>: Dimension {
    /// The result: a scalar, a vector or a matrix.
    type Output;

    #[doc(hidden)]
    fn dot<A, B>(a: A, b: B) -> Result<Self::Output, Error>
    where
        A: Expr<Elem = T, Rank = Self>,
        B: Expr<Elem = T, Rank = R>,
        T: Number;
}

/// The ranks, the result, and how the operands are put together.
macro_rules! dots {
    ($($a_rank:literal $b_rank:literal => $output:ty: |$a:ident, $b:ident| $body:expr;)*) => {$(
        impl<T: Element> DotRank<Rank<$b_rank>, T> for Rank<$a_rank> {
            type Output = $output;

            // What asks for little is part of the caller: so views need not lie in memory.
            #[inline(always)]
            fn dot<A, B>($a: A, $b: B) -> Result<$output, Error>
            where
                A: Expr<Elem = T, Rank = Self>,
                B: Expr<Elem = T, Rank = Rank<$b_rank>>,
                T: Number,
            {
                $body
            }
        }
    )*};
}
dots! {
    1 1 => T: |a, b| {
        if let (Some(a), Some(b)) = (a.in_memory(), b.in_memory())
            && (1..=MOST_SERIAL).contains(&a.len())
            && a.len() == b.len()
        {
            if let (Some(a), Some(b)) = (a.as_slice(), b.as_slice()) {
                return dot_of(a, b);
            }
            if let (Some(a), Some(b)) = (a.spaced(), b.spaced()) {
                return dot_of_spaced(a, b);
            }
        }
        // What a call returns is taken apart: else the result is in memory for both ways, and the
        // one above, which is a few nanoseconds, waits for it.
        let dot = dot_otherwise(a, b)?;
        Ok(dot)
    };
    2 1 => Array<T, Rank<1>>: |a, b| {
        let mut results = Vec::new();
        match (a.in_memory(), b.in_memory()) {
            (Some(a), Some(b)) => products_of_any_rows(&a, &b, false, &mut results)?,
            _ => products_of_computed_rows(&a, &b, false, &mut results)?,
        }
        Ok(Array::from_vec(results))
    };
    1 2 => Array<T, Rank<1>>: |a, b| {
        let mut results = Vec::new();
        match (a.in_memory(), b.in_memory()) {
            (Some(a), Some(b)) => products_of_any_rows(&b.t(), &a, true, &mut results)?,
            _ => products_of_computed_rows(&b, &a, true, &mut results)?,
        }
        Ok(Array::from_vec(results))
    };
    2 2 => Array<T, Rank<2>>: |a, b| {
        if let (Some(a), Some(b)) = (a.in_memory(), b.in_memory())
            && let Some(result) =
                by_compiled!(T::PRODUCTS, |compiled| (compiled.serial)(a, b), serial(a, b))
        {
            return result;
        }
        product(&a, &b, &Exec::current())
    };
}

/// The elements of what is not in memory.
fn computed<E: Expr<Rank: Dimension>>(expr: &E) -> Result<Option<Array<E::Elem, E::Rank>>, Error> {
    // What is never run is not compiled.
    if const { E::FACTS.in_memory } { Ok(None) } else { Ok(Some(eval(expr)?)) }
}

/// As [`products_of_any_rows`], of whatever a matrix, to be turned over if asked for, and a vector are:
/// computed first, because elements of the vector are read once for each result.
#[inline(never)]
fn products_of_computed_rows<A, B, T>(
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
fn products_of_any_rows<T: Number>(
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
fn products_of_rows<T: Number>(
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

/// The longest vectors that are multiplied without a thought of threads.
const MOST_SERIAL: usize = 1 << 10;

/// The product of whatever two vectors.
#[inline(never)]
fn dot_otherwise<A, B, T>(a: A, b: B) -> Result<T, Error>
where
    A: Expr<Elem = T, Rank = Rank<1>>,
    B: Expr<Elem = T, Rank = Rank<1>>,
    T: Number,
{
    check_inner(&a, &b)?;
    // What is never run is not compiled.
    if const { A::FACTS.in_memory && B::FACTS.in_memory } {
        let in_memory = "elements in memory";
        let (a, b) = (a.in_memory().expect(in_memory), b.in_memory().expect(in_memory));
        return match a.is_empty() {
            true => dot_of(&[], &[]),
            false => {
                by_compiled!(T::PRODUCTS, |compiled| (compiled.views)(a, b), dot_of_views(a, b))
            }
        };
    }
    all(Apply::new(Times, (a, b)), &sum_of_products::<T>())
}

/// As [`dot_otherwise`], once for each type of elements.
#[inline(never)]
fn dot_of_views<T: Number>(a: View<'_, T, Rank<1>>, b: View<'_, T, Rank<1>>) -> Result<T, Error> {
    if T::EXACT
        && let (Some(a), Some(b)) = (a.as_slice(), b.as_slice())
        && Exec::current().tasks(a.len(), work_of(size_of::<T>(), 2)) <= 1
    {
        return dot_of(a, b);
    }
    all(Apply::new(Times, (a, b)), &sum_of_products::<T>())
}

/// The product of two matrices that is not worth threads. `None` if it is, or there is none.
#[inline(never)]
fn serial<T: Number>(
    a: View<'_, T, Rank<2>>,
    b: View<'_, T, Rank<2>>,
) -> Option<Result<Array<T, Rank<2>>, Error>> {
    let (m, k, n) = (a.shape()[0], a.shape()[1], b.shape()[1]);
    let count = m.saturating_mul(k).saturating_mul(n);
    let exec = Exec::current();
    if k != b.shape()[0] || count == 0 || tasks(m.saturating_mul(n), k, &exec) > 1 {
        return None;
    }
    let of = |isa| {
        let mut c = Array::<T, Rank<2>>::try_full([m, n], T::zero())?;
        if !T::BY_OPERATIONS || count > FEW || !by_copies(isa, &a, &b, &mut c) {
            let (alpha, beta) = (T::one(), T::zero());
            T::multiply(Product { c: c.view_mut(), alpha, a, b, beta })?;
        }
        Ok(c)
    };
    Some(of(exec.isa))
}

/// The product of few elements, of which those that lie otherwise are copied to the stack. False if
/// there is no room for them.
fn by_copies<T: Number>(
    isa: Isa,
    a: &View<'_, T, Rank<2>>,
    b: &View<'_, T, Rank<2>>,
    c: &mut Array<T, Rank<2>>,
) -> bool {
    let (k, n) = (a.shape()[1], b.shape()[1]);
    let mut few = Few::new();
    let mut room = few.room();
    let a = a.as_slice().or_else(|| Some(a.copy_few::<u8>(a.shape(), None, &mut room)?));
    let b = b.as_slice().or_else(|| Some(b.copy_few::<u8>(b.shape(), None, &mut room)?));
    let (Some(a), Some(b), Some(slots)) = (a, b, c.as_slice_mut()) else { return false };
    isa.dispatch(&Rows { a, b, k, n, alpha: T::one(), beta: T::zero() }, slots);
    true
}

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
    let (rows, longest) = (a.shape()[0], if T::EXACT { LANES / 2 } else { LONGEST_OF_FEW });
    if rows == 0 || !(1..=longest).contains(&b.len()) || rows * b.len() > FEW_OF_ROWS {
        return Ok(false);
    }
    let finish = |total| Reduction::finish(&sum_of_products::<T>(), total, b.len());
    if let Some(all) = a.as_slice() {
        *results = ndcore::reserved_for_array(rows, &[rows])?;
        for row in all.chunks_exact(b.len()) {
            let dot = dot_of_few(row, b, |row, b| {
                fold_few(&sum_of_products::<T>(), AppliedBlock::new(&Times, (row, b)), b.len())
            });
            results.push(dot?);
        }
    } else if !T::EXACT
        && rows * b.len() <= FEW_OF_COLUMNS
        && let Some(all) = a.t().as_slice()
    {
        *results = ndcore::reserved_for_array(rows, &[rows])?;
        while rows - results.len() >= 4 {
            for total in totals_of_columns::<4, T>(all, b, results.len()) {
                results.push(finish(total)?);
            }
        }
        while rows - results.len() >= 2 {
            for total in totals_of_columns::<2, T>(all, b, results.len()) {
                results.push(finish(total)?);
            }
        }
        if results.len() < rows {
            let [total] = totals_of_columns::<1, T>(all, b, results.len());
            results.push(finish(total)?);
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
    let (op, columns) = (&sum_of_products::<T>(), rows.len() / by.len());
    // Each lane of all columns lies together.
    let mut lanes = [[Reduction::<T::Product>::start(op); N]; LANES];
    let rounds = rows.chunks(LANES * columns).zip(by.chunks(LANES));
    for (round, (rows, by)) in rounds.enumerate() {
        for ((lane, row), &by) in lanes.iter_mut().zip(rows.chunks_exact(columns)).zip(by) {
            for (acc, &x) in lane.iter_mut().zip(&row[first..][..N]) {
                *acc = op.step(*acc, Times.apply((x, by)), round);
            }
        }
    }
    // Those above hold nothing.
    for half in [8, 4, 2, 1] {
        let (low, high) = lanes.split_at_mut(half);
        for (low, high) in low.iter_mut().zip(&*high).take(by.len().saturating_sub(half)) {
            for (low, &high) in low.iter_mut().zip(high) {
                *low = Reduction::<T::Product>::join(op, *low, high);
            }
        }
    }
    lanes[0].map(|acc| Reduction::<T::Product>::total(op, acc, Place::lane(0, by.len())))
}

/// The most elements of a matrix, and of its rows, that are multiplied by a vector without a choice
/// of the instruction set.
const FEW_OF_ROWS: usize = 1 << 9;
const FEW_OF_COLUMNS: usize = 1 << 7;
const FEW_APART: usize = 1 << 8;
const LONGEST_OF_FEW: usize = 4 * LANES;

/// The product of a matrix of `N` rows and columns, wherever they lie, and a vector: by a size that
/// the compiler knows, because to find the elements would take longest. False of another matrix.
#[inline(always)]
fn by_square<const N: usize, T: Number>(
    a: &View<'_, T, Rank<2>>,
    b: &[T],
    results: &mut Vec<T>,
) -> Result<bool, Error> {
    let (Some(window), Ok(b)) = (a.window::<N>(), <&[T; N]>::try_from(b)) else {
        return Ok(false);
    };
    *results = ndcore::reserved_for_array(N, &[N])?;
    for row in window.rows() {
        let dot = dot_of_few(&row[..], &b[..], |row, b| {
            fold_few(&sum_of_products::<T>(), AppliedBlock::new(&Times, (row, b)), N)
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
    let mut side_by_side = Packed::new();
    let b = match b.as_slice() {
        Some(b) => b,
        None if b.is_empty() || b.len().saturating_mul(size_of::<T>()) > FEW_BYTES => {
            return Ok(false);
        }
        None if !side_by_side.reserve(b.len()) => return Ok(false),
        None => {
            b.copy_row_major::<u8>(b.shape(), None, &mut side_by_side);
            side_by_side.as_slice()
        }
    };
    let (rows, exec) = (a.shape()[0], Exec::current());
    if !(1..=MOST_OF_DOT).contains(&b.len()) || rows == 0 {
        return Ok(false);
    }
    // Few elements that lie otherwise are copied, if there are few results: the sums of so few
    // columns would not fill vectors.
    let narrow = rows <= NARROW.min(b.len()) && a.len() <= 256 * NARROW;
    if a.line(0).is_none() && !narrow && by_columns(b, a.t(), &exec, results)? {
        return Ok(true);
    }
    let mut copy = Packed::new();
    let of_copy = a.line(0).is_none();
    if of_copy {
        let few = a.len().saturating_mul(size_of::<T>()) <= FEW_BYTES;
        if !few || !copy.reserve(a.len()) {
            return Ok(false);
        }
        a.copy_row_major::<u8>(a.shape(), None, &mut copy);
    }
    let (copy, columns) = (copy.as_slice(), b.len());
    let work = work_of(size_of::<T>(), 2).saturating_mul(columns);
    let tasks = exec.tasks(rows, work);
    let all = if of_copy { Some(copy) } else { a.as_slice() };
    *results = ndcore::reserved_for_array(rows, &[rows])?;
    results.resize(rows, T::zero());
    let lines = match all {
        Some(all) => Lines::SideBySide(all, columns),
        None => Lines::Apart(a),
    };
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
    let block = AppliedBlock::new(&Times, (each, rows));
    let (mut failed, mut results) = (Ok(()), results.iter_mut());
    let mut put = |totals: &[DotTotal<T>]| {
        for (&total, result) in totals.iter().zip(&mut results) {
            match Reduction::finish(&sum_of_products::<T>(), total, len) {
                Ok(dot) => *result = dot,
                Err(error) if failed.is_ok() => failed = Err(error),
                Err(_) => {}
            }
        }
    };
    fold_block(
        &sum_of_products::<T>(),
        isa,
        block,
        true,
        Folded { outer: 1, len, inner },
        &mut put,
    );
    failed
}

/// Rows of a matrix, each of unit stride, and as long as the others.
#[derive(Clone, Copy)]
enum Lines<'a, T: Element> {
    SideBySide(&'a [T], usize),
    Apart(View<'a, T, Rank<2>>),
}

impl<'a, T: Element> Lines<'a, T> {
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

/// As [`check_dot`], of expressions.
#[inline(always)]
fn check_inner<A, B>(a: &A, b: &B) -> Result<(), Error>
where
    A: Expr<Rank: Dimension>,
    B: Expr<Rank: Dimension>,
{
    match (a.in_memory(), b.in_memory()) {
        (Some(a), Some(b)) => check_dot(a.shape(), b.shape()),
        _ => check_dot(&a.result_shape()?, &b.result_shape()?),
    }
}

/// Refuses operands of which the inner axes differ: broadcasting would take one of extent 1 for
/// all.
#[inline]
fn check_dot(a: &[usize], b: &[usize]) -> Result<(), Error> {
    let inner = if b.len() == 1 { b[0] } else { b[b.len() - 2] };
    if a.last() == Some(&inner) {
        return Ok(());
    }
    Err(ErrorKind::MatrixProduct { lhs: List::of(&a), rhs: List::of(&b) }.into())
}

/// The shape of the product of these, if they are matrices, or batches of them, that fit.
fn check_product(a: &[usize], b: &[usize]) -> Result<Axes<usize>, Error> {
    let ndim = a.len();
    if ndim < 2 || ndim != b.len() {
        return Err(ErrorKind::MatrixProduct { lhs: List::of(&a), rhs: List::of(&b) }.into());
    }
    check_dot(a, b)?;
    let mut shape = degenerate_shape(&a[..ndim - 2], &b[..ndim - 2])?;
    shape.push(a[ndim - 2]);
    shape.push(b[ndim - 1]);
    Ok(shape)
}

fn product<T, A, B>(a: &A, b: &B, exec: &Exec) -> Result<Array<T, A::Rank>, Error>
where
    T: Number,
    A: Expr<Elem = T, Rank: Dimension>,
    B: Expr<Elem = T, Rank: Dimension>,
{
    lying(a, exec, |a| {
        lying(b, exec, |b| {
            let product = by_compiled!(
                T::PRODUCTS,
                |compiled| (compiled.matrices)(a, b, exec)?,
                product_of_views(a, b, exec)?
            );
            Ok(product.into_rank()?)
        })
    })
}

/// The products of a batch of matrices.
fn product_of_views<T: Number>(
    a: View<'_, T, Dyn>,
    b: View<'_, T, Dyn>,
    exec: &Exec,
) -> Result<Array<T, Dyn>, Error> {
    let shape = check_product(a.shape(), b.shape())?;
    let mut c = Array::<T, Dyn>::try_full(shape, T::zero())?;
    let depth = a.shape()[a.ndim() - 1];
    let tasks = tasks(c.len(), depth, exec);
    if depth > 0 && !c.is_empty() && !(tasks < 2 && few_of_batch(exec.isa, a, b, &mut c)?) {
        let all: Axes<usize> = (0..c.ndim()).collect();
        let batch = &c.shape()[..c.ndim() - 2];
        let whole = |x: View<'_, T, Dyn>| -> Axes<usize> {
            batch.iter().chain(&x.shape()[c.ndim() - 2..]).copied().collect()
        };
        let (of_a, of_b) = (whole(a), whole(b));
        let (a, b) = (a.expand::<Dyn>(of_a, &all)?, b.expand::<Dyn>(of_b, &all)?);
        batches(c.view_mut(), [T::one(), T::zero()], a, b, tasks)?;
    }
    Ok(c)
}

/// Products of vectors and matrices.
///
/// Matrix products of floating-point and complex numbers are those of the crate `matrixmultiply`,
/// as in `ndarray`, in parallel: the result does not depend on the number of threads, but it does
/// on the instruction set of the machine. Those of integers wrap around, as elementwise operations
/// do. Operands may lie in memory in any way; expressions are computed first. Where a vector takes
/// part, the product is a fused reduction: [`Reduction`](crate::Reduction) says in which order it
/// adds up, and of integers it is exact, as [`sum`](crate::Reductions::sum) is, or an error.
/// Products of `f16` and `bf16` are computed in `f32`, and rounded once.
pub trait Matrix: Expr<Rank: ResultRank> {
    /// The product of two vectors (a scalar), of a matrix and a vector, or of two matrices. As in
    /// `ndarray`.
    ///
    /// # Errors
    /// [`ErrorKind::MatrixProduct`] if the inner extents differ;
    /// [`ErrorKind::ReductionOverflow`] if a vector takes part, and a sum of products of integers
    /// does not fit in their type (products of two matrices of integers wrap around); if the
    /// operands are expressions whose shapes do not fit.
    ///
    /// ```
    /// use elementwise::{Expr, Matrix, array};
    /// let (a, v) = (array![[1.0_f64, 2.0], [3.0, 4.0]], array![10.0, 1.0]);
    /// assert_eq!(v.dot(&v)?, 101.0);
    /// assert_eq!(a.dot(&v)?.to_vec(), [12.0, 34.0]);
    /// assert_eq!(a.dot(&a.t())?, array![[5.0, 11.0], [11.0, 25.0]]);
    /// let (x, y) = (array![100_i8, 100], array![2_i8, 2]);
    /// assert!(x.dot(&y).is_err());
    /// assert_eq!(x.cast::<i64>().dot(y.cast::<i64>())?, 400);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    #[inline(always)]
    fn dot<B, R>(self, rhs: B) -> Result<<RankOf<Self> as DotRank<R, Self::Elem>>::Output, Error>
    where
        R: Dimension,
        B: Operand<Self::Elem, R, Expr: Expr<Elem = Self::Elem, Rank = R>>,
        RankOf<Self>: DotRank<R, Self::Elem>,
        Self::Elem: Number,
    {
        RankOf::<Self>::dot(settled(self), rhs.into_expr())
    }

    /// The products of matrices, which are the last two axes; the axes before them are batches, of
    /// which those of extent 1 stretch. Those of integers wrap around.
    ///
    /// # Errors
    /// [`ErrorKind::MatrixProduct`] if the inner extents differ or the rank is below 2; those of
    /// [`bcast::degenerate_shape`] if the batches do not fit each other.
    ///
    /// ```
    /// use elementwise::{Array3, Matrix};
    /// let a = Array3::<f32>::ones([5, 2, 3]);
    /// let b = Array3::<f32>::ones([1, 3, 4]);
    /// let c = a.matmul(&b)?;
    /// assert_eq!((c.shape(), c[[4, 1, 3]]), (&[5, 2, 4][..], 3.0));
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn matmul<B>(self, rhs: B) -> Result<Array<Self::Elem, RankOf<Self>>, Error>
    where
        B: Operand<Self::Elem, RankOf<Self>, Expr: Expr<Elem = Self::Elem, Rank: Dimension>>,
        Self::Elem: Number,
    {
        product(&settled(self), &rhs.into_expr(), &Exec::current())
    }
}

impl<E: Expr<Rank: ResultRank>> Matrix for E {}

/// Matrices that products are added to.
pub trait MatrixMut<T: Number>: Assign<T, Rank<2>> {
    /// `self = alpha * a * b + beta * self`, the product being that of matrices: in BLAS, `gemm`.
    /// Where `beta` is zero, it does not matter what was there. Integers wrap around.
    ///
    /// # Errors
    /// [`ErrorKind::MatrixProduct`] if the inner extents differ, [`ErrorKind::DoesNotFit`] if the
    /// product has another shape than this matrix. Nothing is written then.
    ///
    /// ```
    /// use elementwise::{MatrixMut, array};
    /// let (a, b) = (array![[1, 2], [3, 4]], array![[0, 1], [1, 0]]);
    /// let mut c = array![[100, 100], [100, 100]];
    /// c.gemm(10, &a, &b, 1)?;
    /// assert_eq!(c, array![[120, 110], [140, 130]]);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn gemm<A, B>(&mut self, alpha: T, a: A, b: B, beta: T) -> Result<(), Error>
    where
        A: Operand<T, Rank<2>, Expr: Expr<Elem = T, Rank: Dimension>>,
        B: Operand<T, Rank<2>, Expr: Expr<Elem = T, Rank: Dimension>>,
    {
        let exec = Exec::current();
        let mut c = self.destination();
        lying(&a.into_expr(), &exec, |a| {
            lying(&b.into_expr(), &exec, |b| {
                let shape = check_product(a.shape(), b.shape())?;
                if shape != *c.shape() {
                    let (value, destination) = (List::of(&shape), List::of(&c.shape()));
                    return Err(ErrorKind::DoesNotFit { value, destination }.into());
                }
                if c.is_empty() {
                    return Ok(());
                }
                if a.shape()[1] == 0 {
                    // A sum of nothing.
                    return if beta.is_zero() {
                        c.fill(beta);
                        Ok(())
                    } else {
                        c.update(Mul, beta)
                    };
                }
                let tasks = tasks(c.len(), a.shape()[1], &exec);
                let (a, b) = (a.into_rank()?, b.into_rank()?);
                split(Product { c: c.view_mut(), alpha, a, b, beta }, tasks)
            })
        })
    }
}

impl<T: Number, C: Assign<T, Rank<2>>> MatrixMut<T> for C {}
