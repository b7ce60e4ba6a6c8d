//! Matrix products, by the crate `matrixmultiply`: here are shapes, batches and threads.

use crate::eval::eval_by;
use crate::exec::Exec;
use crate::expr::{Along, Apply, Expr, Operand, RankOf, ResultRank, settled};
use crate::kernel::next_box;
use crate::number::Number;
use crate::ops::{Mul, Op};
use crate::reduce::{Reduction, Sum, all, along};
use crate::types::{Array, View};
use bcast::{Error, ErrorKind, degenerate_shape};
use half::{bf16, f16};
use ndcore::{Axes, Dimension, Dyn, Element, Filled, Layout, Rank, ViewMut};
use num_complex::Complex;
use std::mem::MaybeUninit;

/// Element types of matrix products.
#[diagnostic::on_unimplemented(
    message = "there is no matrix product of elements of type `{Self}`",
    note = "it is for floating-point and complex numbers: convert with `.cast::<f64>()`"
)]
pub trait MatMul: Element + num_traits::Zero {
    /// The product in the type itself, or one that it is converted to.
    #[doc(hidden)]
    fn product(
        a: View<'_, Self, Dyn>,
        b: View<'_, Self, Dyn>,
        exec: &Exec,
    ) -> Result<Array<Self, Dyn>, Error>;
}

/// A product of matrices of one type, as `matrixmultiply` has it: C = alpha A B + beta C, of (m, k,
/// n), each matrix with the strides of its rows and columns.
#[rustfmt::skip]
type Gemm<T, S> = unsafe fn(
    usize, usize, usize, S, *const T, isize, isize, *const T, isize, isize, S, *mut T, isize, isize,
);

macro_rules! real {
    ($($type:ty: $gemm:path;)*) => {$(
        impl MatMul for $type {
            fn product(a: View<'_, Self, Dyn>, b: View<'_, Self, Dyn>, exec: &Exec) -> Result<Array<Self, Dyn>, Error> {
                batches::<$type, $type>($gemm, [1.0, 0.0], a, b, exec)
            }
        }
    )*};
}
real! {
    f32: matrixmultiply::sgemm;
    f64: matrixmultiply::dgemm;
}

macro_rules! complex {
    ($($part:ty: $gemm:path;)*) => {$(
        impl MatMul for Complex<$part> {
            fn product(a: View<'_, Self, Dyn>, b: View<'_, Self, Dyn>, exec: &Exec) -> Result<Array<Self, Dyn>, Error> {
                /// The same numbers as pairs, which is what `matrixmultiply` takes.
                #[allow(clippy::too_many_arguments, reason = "they are those of `Gemm`")]
                #[rustfmt::skip]
                unsafe fn gemm(
                    m: usize, k: usize, n: usize, alpha: [$part; 2],
                    a: *const Complex<$part>, rsa: isize, csa: isize,
                    b: *const Complex<$part>, rsb: isize, csb: isize,
                    beta: [$part; 2], c: *mut Complex<$part>, rsc: isize, csc: isize,
                ) {
                    let plain = matrixmultiply::CGemmOption::Standard;
                    // SAFETY: the caller's promise; a complex number is laid out as the pair of its
                    // parts.
                    unsafe {
                        $gemm(
                            plain, plain, m, k, n, alpha, a.cast(), rsa, csa, b.cast(), rsb, csb, beta, c.cast(), rsc, csc,
                        );
                    }
                }
                batches::<Complex<$part>, [$part; 2]>(gemm, [[1.0, 0.0], [0.0, 0.0]], a, b, exec)
            }
        }
    )*};
}
complex! {
    f32: matrixmultiply::cgemm;
    f64: matrixmultiply::zgemm;
}

macro_rules! half {
    ($($type:ty),*) => {$(
        impl MatMul for $type {
            fn product(a: View<'_, Self, Dyn>, b: View<'_, Self, Dyn>, exec: &Exec) -> Result<Array<Self, Dyn>, Error> {
                let wide = |x: View<'_, Self, Dyn>| eval_by(&x.cast::<f32>(), exec);
                let product = f32::product(wide(a)?.view(), wide(b)?.view(), exec)?;
                eval_by(&product.cast::<$type>(), exec)
            }
        }
    )*};
}
half! { f16, bf16 }

/// The products of all matrices of a batch. The shapes fit.
fn batches<T: Element, S: Copy + Sync>(
    gemm: Gemm<T, S>,
    [one, zero]: [S; 2],
    a: View<'_, T, Dyn>,
    b: View<'_, T, Dyn>,
    exec: &Exec,
) -> Result<Array<T, Dyn>, Error> {
    let last = a.ndim() - 1;
    let (rows, depth, columns) = (a.shape()[last - 1], a.shape()[last], b.shape()[last]);
    let mut shape = degenerate_shape(&a.shape()[..last - 1], &b.shape()[..last - 1])?;
    let all: Axes<usize> = (0..=last).collect();
    let of =
        |extents: [usize; 2]| -> Axes<usize> { shape.iter().copied().chain(extents).collect() };
    let (a, b) =
        (a.expand::<Dyn>(of([rows, depth]), &all)?, b.expand::<Dyn>(of([depth, columns]), &all)?);
    shape.push(rows);
    shape.push(columns);
    let one_product = |c: &mut ViewMut<'_, MaybeUninit<T>, Dyn>, start: &[usize]| {
        let parts: Axes<usize> = c.shape().iter().copied().collect();
        let mut index = Axes::filled(0, last - 1);
        loop {
            // One matrix of the batch: the rows of A and the columns of B that this part of C
            // needs.
            let at: Axes<usize> = (0..last - 1).map(|axis| start[axis] + index[axis]).collect();
            let (a, b) = (matrix(a, &at), matrix(b, &at));
            let (m, n) = (parts[last - 1], parts[last]);
            let a = part(a, 0, start[last - 1], m);
            let b = part(b, 1, start[last], n);
            let mut c = matrix_mut(c.view_mut(), &index);
            assert!(
                a.shape() == [m, depth] && b.shape() == [depth, n] && c.shape() == [m, n],
                "parts that fit"
            );
            let ([rsa, csa], [rsb, csb], [rsc, csc]) =
                (pair(a.strides()), pair(b.strides()), pair(c.strides()));
            // SAFETY: by the line above, the three are matrices of the sizes given, and a view
            // reaches as many elements as its shape says, by its strides from its first one; those
            // of `c` are borrowed mutably, lie apart, and may be uninitialised, because they are
            // not read where beta is zero.
            unsafe {
                gemm(
                    m,
                    depth,
                    n,
                    one,
                    a.as_ptr(),
                    rsa,
                    csa,
                    b.as_ptr(),
                    rsb,
                    csb,
                    zero,
                    c.as_mut_ptr().cast(),
                    rsc,
                    csc,
                );
            }
            if !next_box(&mut index, &parts[..last - 1], &Axes::filled(1, last - 1)) {
                return;
            }
        }
    };
    Array::build(Layout::c_order(shape)?, |out| {
        if out.is_empty() {
            return Ok(out.filled_without_elements());
        }
        let tasks = exec.tasks(out.len(), 4 * (depth / 4).max(1));
        let enough = if tasks > 1 {
            out.len().div_ceil(2 * rayon::current_num_threads())
        } else {
            usize::MAX
        };
        Ok(split(out.with_engine(), Axes::filled(0, last + 1), enough, &one_product))
    })
}

/// Halves C until a part has at most `enough` elements: between matrices, then between rows or
/// columns, whichever are more. `product` fills the part it is given.
fn split<'b, T: Element>(
    mut c: ViewMut<'b, MaybeUninit<T>, Dyn>,
    start: Axes<usize>,
    enough: usize,
    product: &(dyn Fn(&mut ViewMut<'_, MaybeUninit<T>, Dyn>, &[usize]) + Sync),
) -> Filled<'b> {
    /// Fewer rows or columns are not worth a product of their own.
    const LEAST: usize = 32;
    let last = c.ndim() - 1;
    let batch = (0..last - 1).find(|&axis| c.shape()[axis] > 1);
    let longer = if c.shape()[last - 1] >= c.shape()[last] { last - 1 } else { last };
    let axis = batch.unwrap_or(longer);
    let mid = if axis < last - 1 {
        c.shape()[axis] / 2
    } else {
        (c.shape()[axis] / 2).next_multiple_of(LEAST)
    };
    if c.len() <= enough || mid >= c.shape()[axis] {
        product(&mut c, &start);
        // SAFETY: `batches` hands in one function, which multiplies into each matrix of the part;
        // where beta is zero, that writes all of it.
        return unsafe { c.assume_filled() };
    }
    let (low, high) = c.split_at(axis, mid).expect("the middle of an axis");
    let mut after = start;
    after[axis] += mid;
    let (low, high) =
        rayon::join(|| split(low, start, enough, product), || split(high, after, enough, product));
    low.join(high)
}

fn pair(strides: &[isize]) -> [isize; 2] {
    [strides[0], strides[1]]
}

const INSIDE: &str = "an index within the batch";

fn matrix<'a, T: Element>(mut view: View<'a, T, Dyn>, at: &[usize]) -> View<'a, T, Dyn> {
    at.iter().for_each(|&index| view = view.index_axis(0, index).expect(INSIDE));
    view
}

fn matrix_mut<'a, T: Element>(mut view: ViewMut<'a, T, Dyn>, at: &[usize]) -> ViewMut<'a, T, Dyn> {
    for &index in at {
        view = view.index_axis_move(0, index).expect(INSIDE);
    }
    view
}

fn part<'a, T: Element>(
    view: View<'a, T, Dyn>,
    axis: usize,
    from: usize,
    len: usize,
) -> View<'a, T, Dyn> {
    view.slice_axis(axis, from..from + len, 1).expect("a part of the axis")
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
        T: MatMul + Number,
        Mul: Op<(T, T), Output = T>,
        Sum: Reduction<T, Output = T>;
}

/// The ranks, the result, and how the operands are put together.
macro_rules! dots {
    ($($a_rank:literal $b_rank:literal => $output:ty: |$a:ident, $b:ident| $body:expr;)*) => {$(
        impl<T: Element> DotRank<Rank<$b_rank>, T> for Rank<$a_rank> {
            type Output = $output;

            #[inline]
            fn dot<A, B>($a: A, $b: B) -> Result<$output, Error>
            where
                A: Expr<Elem = T, Rank = Self>,
                B: Expr<Elem = T, Rank = Rank<$b_rank>>,
                T: MatMul + Number,
                Mul: Op<(T, T), Output = T>,
                Sum: Reduction<T, Output = T>,
            {
                $body
            }
        }
    )*};
}
dots! {
    1 1 => T: |a, b| {
        check_inner(&a, &b)?;
        all(&Apply::new(Mul, (a, b)), &Sum)
    };
    2 1 => Array<T, Rank<1>>: |a, b| {
        check_inner(&a, &b)?;
        let b = Along::<_, Rank<2>>::of_rank(b, &[1], 2);
        along(&Apply::new(Mul, (a, b)), &Sum, &1, &Exec::current())
    };
    1 2 => Array<T, Rank<1>>: |a, b| {
        check_inner(&a, &b)?;
        let a = Along::<_, Rank<2>>::of_rank(a, &[0], 2);
        along(&Apply::new(Mul, (a, b)), &Sum, &0, &Exec::current())
    };
    2 2 => Array<T, Rank<2>>: |a, b| product(&a, &b, &Exec::current());
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
    Err(ErrorKind::MatrixProduct { lhs: a.to_vec(), rhs: b.to_vec() }.into())
}

fn product<T, A, B>(a: &A, b: &B, exec: &Exec) -> Result<Array<T, A::Rank>, Error>
where
    T: MatMul,
    A: Expr<Elem = T, Rank: Dimension>,
    B: Expr<Elem = T, Rank: Dimension>,
{
    lying(a, exec, |a| {
        lying(b, exec, |b| {
            if a.ndim() < 2 || a.ndim() != b.ndim() {
                return Err(ErrorKind::MatrixProduct {
                    lhs: a.shape().to_vec(),
                    rhs: b.shape().to_vec(),
                }
                .into());
            }
            check_dot(a.shape(), b.shape())?;
            if a.shape()[a.ndim() - 1] == 0 {
                // Sums of nothing.
                let mut shape =
                    degenerate_shape(&a.shape()[..a.ndim() - 2], &b.shape()[..a.ndim() - 2])?;
                shape.push(a.shape()[a.ndim() - 2]);
                shape.push(b.shape()[a.ndim() - 1]);
                return Ok(Array::try_full(shape, T::zero())?.into_rank()?);
            }
            Ok(T::product(a, b, exec)?.into_rank()?)
        })
    })
}

/// Products of vectors and matrices.
///
/// Matrix products are those of the crate `matrixmultiply`, as in `ndarray`, in parallel: the
/// result does not depend on the number of threads, but it does on the instruction set of the
/// machine. Operands may lie in memory in any way; expressions are computed first. Where a vector
/// takes part, the product is a fused reduction, and [`Reduction`] says in which order it adds up.
pub trait Matrix: Expr<Rank: ResultRank> {
    /// The product of two vectors (a scalar), of a matrix and a vector, or of two matrices. As in
    /// `ndarray`.
    ///
    /// # Errors
    /// [`ErrorKind::MatrixProduct`] if the inner extents differ; if the operands are expressions
    /// whose shapes do not fit.
    ///
    /// ```
    /// use elementwise::{Matrix, array};
    /// let (a, v) = (array![[1.0_f64, 2.0], [3.0, 4.0]], array![10.0, 1.0]);
    /// assert_eq!(v.dot(&v)?, 101.0);
    /// assert_eq!(a.dot(&v)?.to_vec(), [12.0, 34.0]);
    /// assert_eq!(a.dot(&a.t())?, array![[5.0, 11.0], [11.0, 25.0]]);
    /// # Ok::<(), elementwise::Error>(())
    /// ```
    fn dot<B, R>(self, rhs: B) -> Result<<RankOf<Self> as DotRank<R, Self::Elem>>::Output, Error>
    where
        R: Dimension,
        B: Operand<Self::Elem, R, Expr: Expr<Elem = Self::Elem, Rank = R>>,
        RankOf<Self>: DotRank<R, Self::Elem>,
        Self::Elem: MatMul + Number,
        Mul: Op<(Self::Elem, Self::Elem), Output = Self::Elem>,
        Sum: Reduction<Self::Elem, Output = Self::Elem>,
    {
        RankOf::<Self>::dot(settled(self), rhs.into_expr())
    }

    /// The products of matrices, which are the last two axes; the axes before them are batches, of
    /// which those of extent 1 stretch.
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
        Self::Elem: MatMul,
    {
        product(&settled(self), &rhs.into_expr(), &Exec::current())
    }
}

impl<E: Expr<Rank: ResultRank>> Matrix for E {}
