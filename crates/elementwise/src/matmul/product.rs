//! One product of two matrices: by the crate `matrixmultiply`, or rows added up by the operations
//! of any number.

use super::tasks;
use crate::eval::{Assign, eval_by};
use crate::exec::Exec;
use crate::expr::Expr;
use crate::help;
use crate::kernel::{Isa, Kernel};
use crate::number::Number;
use crate::ops::{Add, Binary, CastTo, Mul};
use crate::types::{Array, View, ViewMut};
use bcast::Error;
use ndcore::{Dimension, Element, Few, Packed, Rank, Room};
use num_complex::Complex;

/// `c = alpha a b + beta c` of matrices whose shapes fit; where beta is zero, `c` is not read.
pub struct Product<'p, T> {
    pub(super) c: ViewMut<'p, T, Rank<2>>,
    pub(super) alpha: T,
    pub(super) a: View<'p, T, Rank<2>>,
    pub(super) b: View<'p, T, Rank<2>>,
    pub(super) beta: T,
}

impl<T: Number> std::fmt::Debug for Product<'_, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} by {:?}", self.a.shape(), self.b.shape())
    }
}

/// The multiplications of a product for which packing is not worth its while.
pub(super) const FEW: usize = 12 * 12 * 12;

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
        let (_, k, n) = self.extents();
        let few = self.is_small();
        let mut near = Few::new();
        let mut room = near.room();
        let (a, b) = (RowMajor::near(self.a, &mut room)?, RowMajor::near(self.b, &mut room)?);
        let sums = Rows { a: a.slice(), b: b.slice(), k, n, alpha: self.alpha, beta: self.beta };
        if let Some(slots) = self.c.as_slice_mut() {
            isa.dispatch(&sums, slots);
        } else if few && self.c.line_mut(0).is_some() {
            // Row by row takes less time than two copies.
            for (row, of_a) in sums.a.chunks_exact(k).enumerate() {
                let slots = self.c.line_mut(row).expect("rows of unit stride");
                isa.dispatch(&Rows { a: of_a, ..sums }, slots);
            }
        } else {
            let mut copy = Packed::new();
            if !copy.reserve(self.c.len()) {
                return Err(Error::no_memory());
            }
            self.c.copy_to_row_major(&mut copy);
            isa.dispatch(&sums, copy.as_mut_slice());
            self.c.copy_from_row_major(copy.as_slice());
        }
        Ok(())
    }
}

/// A matrix in row-major order, as it lies or copied.
pub(super) enum RowMajor<'a, T: Element> {
    There(&'a [T]),
    Copied(Packed<T>),
}

impl<'a, T: Element> RowMajor<'a, T> {
    pub(super) fn of<R: Dimension>(view: View<'a, T, R>) -> Result<Self, Error> {
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

    /// As [`of`](Self::of), copied to the stack if there is room.
    fn near<R: Dimension>(view: View<'a, T, R>, room: &mut Room<'a>) -> Result<Self, Error> {
        let there = view.as_slice();
        match there.or_else(|| Some(view.copy_few::<u8>(view.shape(), None, room)?)) {
            Some(slice) => Ok(RowMajor::There(slice)),
            None => Self::of(view),
        }
    }

    pub(super) fn slice(&self) -> &[T] {
        match self {
            RowMajor::There(slice) => slice,
            RowMajor::Copied(copy) => copy.as_slice(),
        }
    }
}

/// Rows of a product: sums of the rows of `b`, as long as theirs, times the elements of `a`.
pub(super) struct Rows<'k, T> {
    pub(super) a: &'k [T],
    pub(super) b: &'k [T],
    pub(super) k: usize,
    pub(super) n: usize,
    pub(super) alpha: T,
    pub(super) beta: T,
}

impl<T: Number> Kernel for Rows<'_, T> {
    type Slot = T;
    type Held = ();

    #[inline(always)]
    fn held(&self) {}

    #[inline(always)]
    fn run(&self, (): (), slots: &mut [T], _: usize) {
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
pub(super) fn split<T: Number>(product: Product<'_, T>, tasks: usize) -> Result<(), Error> {
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

/// The product of two matrices that is not worth threads. `None` if it is, or there is none.
#[inline(never)]
pub(super) fn serial<T: Number>(
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
