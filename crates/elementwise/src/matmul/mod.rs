//! Matrix products. Each product of two matrices is that of the crate `matrixmultiply`, or rows
//! added up (`product`); batches are many of those (`batch`); where a vector takes part, it is a
//! reduction (`vector`, `dot`).

mod batch;
mod compiled;
mod dot;
mod product;
mod vector;

pub use compiled::CompiledProducts;
pub use dot::DotRank;
pub use product::Product;
pub(crate) use product::{product_c32, product_c64, product_f32, product_f64, product_half};

use crate::eval::Assign;
use crate::exec::Exec;
use crate::expr::{Expr, Operand, RankOf, ResultRank, settled};
use crate::number::Number;
use crate::ops::Mul;
use crate::types::Array;
use batch::{check_product, lying, product};
use bcast::{Error, ErrorKind};
use ndcore::{Dimension, List, Rank};
use product::split;

/// How many tasks a product is worth, of so many elements and this inner extent.
fn tasks(len: usize, depth: usize, exec: &Exec) -> usize {
    match exec.tasks(len, 4 * (depth / 4).max(1)) {
        0 | 1 => 1,
        _ => rayon::current_num_threads(),
    }
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
