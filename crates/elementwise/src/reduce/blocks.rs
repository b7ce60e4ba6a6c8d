//! [`Blocks`]: a reduction of elements that are not all in one place.

use super::run::{self, Extents};
use super::{ReduceAxes, Reduction};
use crate::exec::Exec;
use crate::expr::{Expr, ResultRank, settled};
use crate::plan::blocks;
use crate::types::Array;
use bcast::{Error, ErrorKind};
use ndcore::{Axes, Dimension, Dyn, Element, List};

/// The blocks that the elements of an array are added up in, along some axes (see [`Reduction`]):
/// for reductions of arrays that are not all in one place, or not at one time.
///
/// A row is an index along axis 0, with all that belongs to it. Blocks are made of whole
/// [`rows`](Self::rows), unless a row has several. So [`totals`](Self::totals) of the blocks of
/// some rows are computed wherever those rows are; and [`finish`](Self::finish) makes the results
/// of all totals. They have the bits that a reduction of the whole array has.
///
/// ```
/// use elementwise::{Array2, Blocks, Expr, Rank, Reductions, Sum, s};
/// let x = Array2::<f32>::from_fn([10_000, 3], |[i, j]| (i as f32 + 0.1) * (j as f32 - 0.7));
/// let blocks = Blocks::new::<Rank<2>, _>(x.shape(), &0)?;
///
/// let middle = blocks.rows();
/// let mut totals = blocks.totals(0, x.slice(s![..middle, ..])? * 2.0, &Sum)?;
/// totals.extend(blocks.totals(middle, x.slice(s![middle.., ..])? * 2.0, &Sum)?);
///
/// let sums: Array2<f32> = blocks.finish::<f32, _>(totals, &Sum)?.into_rank()?;
/// assert_eq!(sums, (&x * 2.0).sum_axis(elementwise::keep(0))?);
/// # Ok::<(), elementwise::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Blocks {
    shape: Axes<usize>,
    extents: Extents,
    blocks: Axes<usize>,
}

impl Blocks {
    /// The blocks of a reduction of an array of this shape along these axes.
    ///
    /// # Errors
    /// If an axis is out of range or named twice, or the elements are more than can be counted.
    pub fn new<R: Dimension, Ax: ReduceAxes<R>>(shape: &[usize], axes: &Ax) -> Result<Self, Error> {
        Blocks::of(shape, axes.mask(shape)?)
    }

    fn of(shape: &[usize], reduced: u32) -> Result<Self, Error> {
        Ok(Blocks {
            shape: shape.iter().copied().collect(),
            extents: Extents::new(shape, reduced)?,
            blocks: blocks(shape, reduced),
        })
    }

    /// The same of an array with so many rows, and otherwise of the same shape.
    ///
    /// # Errors
    /// If the elements are more than can be counted.
    pub fn with_rows(&self, rows: usize) -> Result<Self, Error> {
        let mut shape = self.shape;
        if let Some(first) = shape.first_mut() {
            *first = rows;
        }
        Blocks::of(&shape, self.extents.reduced)
    }

    /// The rows of a block; 1 if rows are not reduced, but kept in the result.
    pub fn rows(&self) -> usize {
        self.blocks.first().copied().unwrap_or(1)
    }

    /// Whether rows are reduced: whether axis 0 is one of the axes.
    pub fn reduces_rows(&self) -> bool {
        self.extents.reduced & 1 != 0 && !self.shape.is_empty()
    }

    /// Whether there is nothing to add up: no elements, or no results.
    pub fn is_empty(&self) -> bool {
        self.extents.len == 0 || self.extents.results == 0
    }

    /// A result of [`finish`](Self::finish) as the axes want it: without those that are reduced, or
    /// with them.
    ///
    /// # Errors
    /// If the axes are not those of these blocks.
    pub fn without<T: Element, R: Dimension, Ax: ReduceAxes<R>>(
        &self,
        _: &Ax,
        result: Array<T, Dyn>,
    ) -> Result<Array<T, Ax::Rank>, Error> {
        run::without::<T, R, Ax>(result, self.extents.reduced)
    }

    /// The shape of a result of [`finish`](Self::finish).
    pub fn result_shape(&self) -> &[usize] {
        self.extents.kept()
    }

    /// The number of totals of all blocks.
    pub fn len(&self) -> usize {
        if self.is_empty() {
            0
        } else {
            self.extents.grid(&self.blocks, &self.shape).iter().product()
        }
    }

    /// The totals of the blocks of some rows, in row-major order: those from row `first` on that
    /// the expression gives. `first` is a multiple of [`rows`](Self::rows), and so is their number
    /// unless they are the last ones.
    ///
    /// # Errors
    /// If the expression does not fit together or has another shape than some rows of the array.
    ///
    /// # Panics
    /// If `first` or the number of rows is no multiple, or there are not so many rows.
    pub fn totals<E, F>(&self, first: usize, expr: E, op: &F) -> Result<Vec<F::Total>, Error>
    where
        E: Expr<Rank: ResultRank>,
        F: Reduction<E::Elem>,
    {
        let expr = settled(expr);
        let shape = expr.result_shape()?;
        let rows = shape.first().copied().unwrap_or(1);
        if shape.get(1..) != self.shape.get(1..) || shape.len() != self.shape.len() {
            let mut destination = List::of(&self.shape);
            destination.iter_mut().take(1).for_each(|extent| *extent = rows);
            return Err(ErrorKind::DoesNotFit { value: List::of(&*shape), destination }.into());
        }
        let end = first + rows;
        let all = self.shape.first().copied().unwrap_or(1);
        let whole = |row: usize| row.is_multiple_of(self.rows()) || row == all;
        assert!(
            end <= all && whole(first) && whole(end),
            "rows {first}..{end} of {all} are not whole blocks of {}",
            self.rows(),
        );
        let local = self.with_rows(rows)?;
        if local.is_empty() {
            return Ok(Vec::new());
        }
        let mut blocks = self.blocks;
        if let Some(block) = blocks.first_mut() {
            *block = rows.min(*block);
        }
        let before = match self.reduces_rows() {
            true => first * (self.extents.len / all),
            false => 0,
        };
        let exec = Exec::current();
        let totals = run::totals(&expr, op, &shape, &local.extents, &blocks, before, &exec)?;
        Ok(totals.try_into_vec()?)
    }

    /// The results of the totals of all blocks, in row-major order; the axes that are reduced are
    /// kept, with extent 1.
    ///
    /// # Errors
    /// Those of the reduction.
    ///
    /// # Panics
    /// If there are not [`len`](Self::len) totals.
    pub fn finish<T: Element, F: Reduction<T>>(
        &self,
        totals: Vec<F::Total>,
        op: &F,
    ) -> Result<Array<F::Output, Dyn>, Error> {
        assert_eq!(totals.len(), self.len(), "the totals of all blocks");
        run::results(op, totals, &self.shape, &self.extents)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduce::{Sum, keep};
    use ndcore::Rank;

    /// No elements, or no results: no totals, and the sums of nothing.
    #[test]
    fn blocks_of_nothing() -> Result<(), Error> {
        for (shape, axis) in
            [([0, 3], 0), ([0, 3], 1), ([5, 0], 0), ([5, 0], 1), ([0, 0], 0), ([1 << 40, 0], 1)]
        {
            let blocks = Blocks::new::<Rank<2>, _>(&shape, &keep(axis))?;
            assert_eq!((blocks.is_empty(), blocks.len()), (true, 0), "{shape:?} along {axis}");
            let nothing = Array::<f64, Rank<2>>::zeros([0, shape[1]]);
            assert!(blocks.totals(0, &nothing, &Sum)?.is_empty(), "{shape:?} along {axis}");
            if shape[0] < 10 {
                let sums = blocks.finish::<f64, _>(Vec::new(), &Sum)?;
                let mut want = shape;
                want[axis] = 1;
                assert_eq!(sums.shape(), want, "along {axis} of {shape:?}");
                assert!(sums.iter().all(|&sum| sum == 0.0), "along {axis} of {shape:?}");
            }
        }
        let some = Blocks::new::<Rank<2>, _>(&[5, 3], &0)?;
        assert!(!some.is_empty() && some.len() == 3);
        Ok(())
    }
}
