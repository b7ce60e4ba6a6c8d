//! [`Rows`]: which rows a rank has, and what is computed of them.

use crate::comm::Communicator;
use crate::error::{Error, ErrorKind, panic_text};
use crate::input::{Feed, Input, Source, open_npy};
use arrayfile::FileElement;
use elementwise::{
    Array, Blocks, Dimension, Expr, Float, IntoShape, Lazy, Max, Portable, RankOf, ReduceAxes,
    Reduction, ResultRank, SoftmaxSteps, Term, View, keep,
};
use std::cell::RefCell;
use std::fmt;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::Path;
use std::rc::Rc;

/// The elements of what a closure gives.
pub(crate) type Elem<E> = <<E as Term>::Expr as Expr>::Elem;
/// Its rank.
pub(crate) type Ranked<E> = RankOf<<E as Term>::Expr>;

/// An array whose rows are shared out among the ranks of a [`Communicator`]: a row is an index
/// along axis 0, with all that belongs to it.
///
/// A program is a closure from some rows to an expression of them. It is called with the rows of
/// its rank, and reads them wherever they are: in an array that all ranks have, in a map of a file
/// ([`Mapped`](crate::Mapped)), or in a file ([`open`](Self::open)). Everything else that it uses,
/// such as results of earlier reductions, all ranks have.
///
/// All ranks call the same methods in the same order. What they return is the same on all ranks,
/// but for [`map`](Self::map); and **it has the same bits for any number of ranks**, those that the
/// whole array would give in one process.
///
/// A closure that fails, or panics, ends the call on all ranks, with an error that names the rank
/// and the rows.
///
/// ```
/// use elementwise::{Array2, Mean, Reductions, Std, s};
/// use rows::{Rows, threads};
///
/// let x = Array2::<f64>::from_fn([5000, 4], |[i, j]| (i * (j + 1)) as f64);
/// let covariances = threads(3, |comm| {
///     let rows = Rows::new(comm, x.shape());
///     let of = |range| Ok(x.slice(s![range, ..])?);
///     let (mean, std) = (rows.reduce(of, Mean, 0)?, rows.reduce(of, Std { ddof: 0.0 }, 0)?);
///     let pairs = Rows::new(comm, [x.shape()[0], 4, 4]);
///     pairs.reduce(
///         |range| {
///             let z = ((of(range)? - mean.along([1])) / std.along([1])).eval()?.into_shared();
///             let (i, j) = (z.clone().insert_axis_move(2)?, z.insert_axis_move(1)?);
///             Ok(rows::shared(&i) * rows::shared(&j))
///         },
///         Mean,
///         0,
///     )
/// })?;
/// assert_eq!(covariances[0], covariances[2]);
/// assert!((covariances[0][[0, 3]] - 1.0).abs() < 1e-9);
/// # use elementwise::Expr;
/// # Ok::<(), rows::Error>(())
/// ```
pub struct Rows<'c> {
    comm: &'c dyn Communicator,
    shape: Vec<usize>,
    slabs: Option<Slabs>,
    progress: Option<Box<dyn Fn(usize, usize) + 'c>>,
    /// The files that are read ahead.
    pub(crate) inputs: RefCell<Vec<Rc<dyn Feed>>>,
}

/// How rows are taken a slab at a time: see [`Rows::in_slabs`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slabs {
    /// The bytes of a slab, about: of whole rows, at least one, and for reductions over rows, of
    /// whole blocks of them (see [`Blocks`]).
    pub bytes: usize,
    /// How many slabs of each file are read before they are asked for.
    pub ahead: usize,
}

impl Default for Slabs {
    /// Slabs of 4 MiB, two of them ahead.
    fn default() -> Self {
        Slabs { bytes: 4 << 20, ahead: 2 }
    }
}

impl<'c> Rows<'c> {
    /// An array of this shape, of which each rank has some rows.
    ///
    /// # Panics
    /// If the shape has no axis, or is none (a negative extent).
    pub fn new<S: IntoShape>(comm: &'c dyn Communicator, shape: S) -> Self {
        let shape = shape.into_shape().unwrap_or_else(|err| panic!("{err}"));
        let shape = shape.as_ref().to_vec();
        assert!(!shape.is_empty(), "an array of rank 0 has no rows");
        Rows { comm, shape, slabs: None, progress: None, inputs: RefCell::default() }
    }

    /// The same rows, taken a slab at a time: for arrays that are larger than memory. The closure
    /// is called for each slab, and what of it is read by [`open`](Self::open) is read ahead, while
    /// the slab before is computed and the one before that is written.
    ///
    /// So there are `ahead + 2` slabs of each file in memory at most, and 3 of the output.
    ///
    /// ```
    /// use elementwise::{Array2, Sum, s};
    /// use rows::{Rows, Slabs, Solo};
    /// let x = Array2::<f32>::from_fn([10_000, 8], |[i, j]| 0.1 * (i + j) as f32);
    /// let of = |range| Ok(x.slice(s![range, ..])?);
    /// let rows = Rows::new(&Solo, x.shape());
    /// let at_once = rows.reduce(of, Sum, ..)?;
    /// let rows = rows.in_slabs(Slabs { bytes: 1 << 14, ahead: 1 });
    /// assert_eq!(rows.reduce(of, Sum, ..)?, at_once);
    /// # Ok::<(), rows::Error>(())
    /// ```
    #[must_use]
    pub fn in_slabs(mut self, slabs: Slabs) -> Self {
        self.slabs = Some(slabs);
        self
    }

    /// The same, and whenever a slab is done, a call of this closure with the number of rows of
    /// this rank that are, and of all that it has.
    #[must_use]
    pub fn with_progress(mut self, progress: impl Fn(usize, usize) + 'c) -> Self {
        self.progress = Some(Box::new(progress));
        self
    }

    /// The ranks.
    pub fn comm(&self) -> &'c dyn Communicator {
        self.comm
    }

    /// The shape of the whole array.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The rows of this rank, in [`map`](Self::map), [`gather`](Self::gather) and
    /// [`write`](Self::write): as many as others have, or one more.
    ///
    /// A reduction over axis 0 gives each rank whole blocks (see [`Blocks`]), so that its rows may
    /// begin and end elsewhere.
    ///
    /// ```
    /// use rows::{Rows, threads};
    /// let ranges = threads(3, |comm| Ok(Rows::new(comm, [7, 2]).range()))?;
    /// assert_eq!(ranges, [0..3, 3..5, 5..7]);
    /// # Ok::<(), rows::Error>(())
    /// ```
    pub fn range(&self) -> Range<usize> {
        self.share(1)
    }

    /// The rows of this rank in groups of so many, of which it gets whole ones.
    pub(crate) fn share(&self, group: usize) -> Range<usize> {
        let (rows, size, rank) = (self.shape[0], self.comm.size(), self.comm.rank());
        let groups = rows.div_ceil(group);
        let first = |rank: usize| groups / size * rank + rank.min(groups % size);
        (first(rank) * group).min(rows)..(first(rank + 1) * group).min(rows)
    }

    /// The slabs of some rows, each of whole groups, whose elements are of this size.
    pub(crate) fn steps(&self, rows: Range<usize>, group: usize, size: usize) -> Vec<Range<usize>> {
        let row = self.shape[1..].iter().product::<usize>().max(1) * size.max(1);
        let step = (self.slabs.unwrap_or_default().bytes / row / group).max(1) * group;
        rows.clone().step_by(step).map(|at| at..(at + step).min(rows.end)).collect()
    }

    /// As [`steps`](Self::steps), if slabs are asked for; else one step.
    fn own_steps(&self, rows: Range<usize>, group: usize, size: usize) -> Vec<Range<usize>> {
        match self.slabs {
            Some(_) => self.steps(rows, group, size),
            None if rows.is_empty() => Vec::new(),
            None => vec![rows],
        }
    }

    /// A `.npy` file of arrays with these rows, to be read by the closures of these rows; in slabs,
    /// ahead of them.
    ///
    /// # Errors
    /// If the file cannot be opened or is not what it should be, on any rank; if it has fewer rows.
    pub fn open<T: FileElement, R: Dimension>(
        &self,
        path: impl AsRef<Path>,
    ) -> Result<Input<T, R>, Error> {
        let path = path.as_ref();
        self.opened(path, || open_npy(path))
    }

    /// An input of these rows.
    pub(crate) fn opened<T: FileElement, R: Dimension>(
        &self,
        path: &Path,
        open: impl FnOnce() -> Result<Box<dyn Source<T, R>>, Error>,
    ) -> Result<Input<T, R>, Error> {
        let input = self.together(|| {
            let source = open()?;
            let has = source.shape()[0];
            if has < self.shape[0] {
                let path = path.display();
                return Err(format!("{path} has {has} rows, not {}", self.shape[0]).into());
            }
            Ok(Input::new(path, source))
        })?;
        self.inputs.borrow_mut().push(input.feed());
        Ok(input)
    }

    /// Does some work on each rank, such as to open a file: if it fails on one, it fails on all.
    ///
    /// # Errors
    /// That of the first rank that fails.
    pub fn together<T>(&self, work: impl FnOnce() -> Result<T, Error>) -> Result<T, Error> {
        together(self.comm, work)
    }

    /// Calls the work for each step, with what is read ahead of it.
    pub(crate) fn walk(
        &self,
        steps: &[Range<usize>],
        mut work: impl FnMut(Range<usize>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let ahead = self.slabs.filter(|_| steps.len() > 1).map(|slabs| slabs.ahead);
        let _feeding = Feeding::begin(&self.inputs, steps, ahead);
        let all: usize = steps.iter().map(Range::len).sum();
        let mut done = 0;
        for step in steps {
            work(step.clone()).map_err(|err| err.with_rows(step))?;
            done += step.len();
            if let Some(progress) = &self.progress {
                progress(done, all);
            }
        }
        Ok(())
    }

    /// Does work of this rank with some rows, and gives what all ranks have brought: bytes after
    /// the first one.
    pub(crate) fn exchange(
        &self,
        rows: &Range<usize>,
        work: impl FnOnce(&mut Vec<u8>) -> Result<(), Error>,
    ) -> Result<Vec<Vec<u8>>, Error> {
        exchange(self.comm, |bytes| work(bytes).map_err(|err| err.with_rows(rows)))
    }

    /// Reduces what the closure gives along some axes: of this shape, over all rows. All ranks get
    /// the result.
    ///
    /// The closure is called with the rows of its rank: over axis 0, whole blocks of rows, whose
    /// totals are sent to all ranks and merged there in the order of one process; along other axes,
    /// the results are sent. Ranks without rows do not call it.
    ///
    /// # Errors
    /// If a closure fails, on any rank; if an expression has another shape than its rows of the
    /// array; those of the reduction.
    ///
    /// ```
    /// use elementwise::{ArgMax, Array2, LogSumExp, Reductions, Var, s};
    /// use rows::{Rows, threads};
    /// let x = Array2::<f32>::from_fn([9000, 3], |[i, j]| ((i * 37 + j) % 8999) as f32);
    /// threads(4, |comm| {
    ///     let rows = Rows::new(comm, x.shape());
    ///     let of = |range| Ok(x.slice(s![range, ..])?);
    ///     assert_eq!(rows.reduce(of, ArgMax, 0)?, x.argmax_axis(0)?);
    ///     assert_eq!(rows.reduce(of, Var { ddof: 1.0 }, 1)?.shape(), [9000]);
    ///     assert_eq!(rows.reduce(of, LogSumExp, ..)?.shape(), []);
    ///     Ok(())
    /// })?;
    /// # Ok::<(), rows::Error>(())
    /// ```
    pub fn reduce<E, F, Ax>(
        &self,
        body: impl Fn(Range<usize>) -> Result<E, Error>,
        reduction: F,
        axes: Ax,
    ) -> Result<Array<F::Output, Ax::Rank>, Error>
    where
        E: Term<Expr: Expr<Rank: ResultRank>>,
        F: Reduction<Elem<E>, Total: Portable, Output: Portable>,
        Ax: ReduceAxes<Ranked<E>>,
    {
        let blocks = Blocks::new(&self.shape, &axes)?;
        let result = if blocks.is_empty() {
            blocks.finish(Vec::new(), &reduction)?
        } else {
            let range = self.share(blocks.rows());
            let parts = self.exchange(&range, |bytes| {
                let size = size_of::<Elem<E>>();
                self.walk(&self.own_steps(range.clone(), blocks.rows(), size), |step| {
                    let expr = body(step.clone())?.into_term();
                    if blocks.reduces_rows() {
                        pack(&blocks.totals(step.start, expr, &reduction)?, bytes);
                    } else {
                        let part = blocks.with_rows(step.len())?;
                        let totals = part.totals(0, expr, &reduction)?;
                        pack(&part.finish(totals, &reduction)?.to_vec(), bytes);
                    }
                    Ok(())
                })
            })?;
            if blocks.reduces_rows() {
                let totals = unpack(parts.iter().map(|part| &part[1..]), blocks.len())?;
                blocks.finish(totals, &reduction)?
            } else {
                let len = blocks.result_shape().iter().product();
                let results = unpack(parts.iter().map(|part| &part[1..]), len)?;
                Array::from_shape_vec(blocks.result_shape(), results)?
            }
        };
        Ok(blocks.without(&axes, result)?)
    }

    /// Softmax along some axes of what the closure gives: what is to be known of all rows for it.
    /// [`Softmax::rows`] gives softmax of some rows, in a closure of its own.
    ///
    /// # Errors
    /// As for [`reduce`](Self::reduce).
    ///
    /// ```
    /// use elementwise::{Array2, Expr, Lanewise, s};
    /// use rows::{Rows, threads};
    /// let x = Array2::<f32>::from_fn([9000, 3], |[i, j]| ((i * 37 + j) % 89) as f32);
    /// threads(2, |comm| {
    ///     let rows = Rows::new(comm, x.shape());
    ///     let softmax = rows.softmax(|range| Ok(x.slice(s![range, ..])?), 0)?;
    ///     let all = rows.gather(|range| softmax.rows(range))?;
    ///     assert_eq!(all, x.softmax(0)?);
    ///     Ok(())
    /// })?;
    /// # Ok::<(), rows::Error>(())
    /// ```
    pub fn softmax<B, E, T, R, Ax>(&self, body: B, axes: Ax) -> Result<Softmax<B, T, R>, Error>
    where
        B: Fn(Range<usize>) -> Result<E, Error>,
        E: Term<Expr: Expr<Elem = T, Rank = R>>,
        T: Float<Compute: Portable> + Portable,
        T::Key: Portable,
        R: Dimension,
        Ax: ReduceAxes<R>,
    {
        self.softmax_by(body, axes, false)
    }

    /// The logarithm of [`softmax`](Self::softmax).
    ///
    /// # Errors
    /// As for [`reduce`](Self::reduce).
    pub fn log_softmax<B, E, T, R, Ax>(&self, body: B, axes: Ax) -> Result<Softmax<B, T, R>, Error>
    where
        B: Fn(Range<usize>) -> Result<E, Error>,
        E: Term<Expr: Expr<Elem = T, Rank = R>>,
        T: Float<Compute: Portable> + Portable,
        T::Key: Portable,
        R: Dimension,
        Ax: ReduceAxes<R>,
    {
        self.softmax_by(body, axes, true)
    }

    fn softmax_by<B, E, T, R, Ax>(
        &self,
        body: B,
        axes: Ax,
        logarithm: bool,
    ) -> Result<Softmax<B, T, R>, Error>
    where
        B: Fn(Range<usize>) -> Result<E, Error>,
        E: Term<Expr: Expr<Elem = T, Rank = R>>,
        T: Float<Compute: Portable> + Portable,
        T::Key: Portable,
        R: Dimension,
        Ax: ReduceAxes<R>,
    {
        let axes = axes.list(&self.shape)?;
        let max = self.reduce(&body, Max, keep(axes))?;
        let sum = SoftmaxSteps::sum::<T>(logarithm);
        let exponentials = |range: Range<usize>| {
            let max = rows_of(&max, &range)?;
            Ok(SoftmaxSteps::exponentials(body(range)?.into_term(), max))
        };
        let sums = self.reduce(exponentials, sum, keep(axes))?;
        Ok(Softmax { body, max, sums, logarithm })
    }

    /// What the closure gives for the rows of this rank.
    ///
    /// # Errors
    /// If a closure fails, on any rank, or gives another number of rows.
    ///
    /// ```
    /// use elementwise::{Array1, s};
    /// use rows::{Rows, threads};
    /// let x = Array1::<i32>::from_fn([5], |[i]| i as i32);
    /// let parts = threads(2, |comm| {
    ///     Rows::new(comm, [5]).map(|range| Ok(x.slice(s![range])? * 2))
    /// })?;
    /// assert_eq!((parts[0].to_vec(), parts[1].to_vec()), (vec![0, 2, 4], vec![6, 8]));
    /// # Ok::<(), rows::Error>(())
    /// ```
    pub fn map<E: Term<Expr: Expr<Rank: ResultRank>>>(
        &self,
        body: impl Fn(Range<usize>) -> Result<E, Error>,
    ) -> Result<Array<Elem<E>, Ranked<E>>, Error> {
        let range = self.range();
        self.together(|| evaluated(&body, range.clone()))
    }

    /// What the closure gives for all rows, on all ranks: each computes its own and sends them to
    /// the others.
    ///
    /// # Errors
    /// As for [`map`](Self::map), and if rows of different ranks have different shapes.
    pub fn gather<E: Term<Expr: Expr<Elem: Portable, Rank: ResultRank>>>(
        &self,
        body: impl Fn(Range<usize>) -> Result<E, Error>,
    ) -> Result<Array<Elem<E>, Ranked<E>>, Error> {
        let range = self.range();
        let parts = self.exchange(&range, |bytes| {
            // Without rows at all, the first rank says what shape they have.
            if !range.is_empty() || self.comm.rank() == 0 {
                let part = evaluated(&body, range.clone())?;
                put_shape(part.shape(), bytes);
                pack(&part.to_vec(), bytes);
            }
            Ok(())
        })?;
        let (mut shape, mut elements) = (Vec::new(), Vec::new());
        for (rank, part) in parts.iter().enumerate().filter(|(_, part)| part.len() > 1) {
            let (found, values) = take_shape(&part[1..])?;
            if shape.is_empty() {
                shape = found;
            } else if shape[1..] != found[1..] {
                return Err(rows_differ(&shape, rank, &found));
            } else {
                shape[0] += found[0];
            }
            elements.extend_from_slice(values);
        }
        let values = unpack([&elements[..]].into_iter(), shape.iter().product())?;
        let shape = <Ranked<E> as Dimension>::shape(&shape)?;
        Ok(Array::from_shape_vec(shape, values)?)
    }
}

impl fmt::Debug for Rows<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Rows")
            .field("rank", &self.comm.rank())
            .field("size", &self.comm.size())
            .field("shape", &self.shape)
            .field("slabs", &self.slabs)
            .finish_non_exhaustive()
    }
}

/// What [`Rows::softmax`] makes: the closure, and the largest elements and the sums along the axes.
pub struct Softmax<B, T: Float, R: Dimension> {
    body: B,
    max: Array<T, R>,
    sums: Array<T::Compute, R>,
    logarithm: bool,
}

impl<B, T: Float, R: Dimension> Softmax<B, T, R> {
    /// Softmax of these rows.
    ///
    /// # Errors
    /// If the closure fails.
    pub fn rows<E>(&self, range: Range<usize>) -> Result<Array<T, R>, Error>
    where
        B: Fn(Range<usize>) -> Result<E, Error>,
        E: Term<Expr: Expr<Elem = T, Rank = R>>,
    {
        let (max, sums) = (rows_of(&self.max, &range)?, rows_of(&self.sums, &range)?);
        let x = (self.body)(range)?.into_term();
        Ok(match self.logarithm {
            true => SoftmaxSteps::log_softmax(x, max, sums).eval()?,
            false => SoftmaxSteps::softmax(x, max, sums).eval()?,
        })
    }
}

impl<B, T: Float, R: Dimension> fmt::Debug for Softmax<B, T, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Softmax").field("logarithm", &self.logarithm).finish_non_exhaustive()
    }
}

/// Some rows of what was reduced: the one there is, if rows were.
fn rows_of<'a, T: elementwise::Element, R: Dimension>(
    x: &'a Array<T, R>,
    range: &Range<usize>,
) -> Result<View<'a, T, R>, Error> {
    match x.shape().first() {
        Some(1) | None => Ok(x.view()),
        Some(_) => Ok(x.slice_axis(0, range.clone(), 1)?),
    }
}

/// Does some work on each rank: if it fails on one, it fails on all. For what is done before there
/// are rows, such as to look at a file.
///
/// # Errors
/// That of the first rank that fails.
///
/// ```
/// use rows::{Communicator, threads, together};
/// let failed = threads(2, |comm| {
///     together(comm, || if comm.rank() == 0 { Ok(1) } else { Err("no such file".into()) })
/// });
/// assert_eq!(failed.unwrap_err().to_string(), "rank 1: no such file");
/// # Ok::<(), rows::Error>(())
/// ```
pub fn together<T>(
    comm: &dyn Communicator,
    work: impl FnOnce() -> Result<T, Error>,
) -> Result<T, Error> {
    let mut done = None;
    exchange(comm, |_| {
        done = Some(work()?);
        Ok(())
    })?;
    Ok(done.expect("the work was done"))
}

/// Does work on each rank, and gives what all have brought, or the error of the first one that
/// failed. A rank that panics tells the others first.
fn exchange(
    comm: &dyn Communicator,
    work: impl FnOnce(&mut Vec<u8>) -> Result<(), Error>,
) -> Result<Vec<Vec<u8>>, Error> {
    let mut bytes = vec![0];
    let (mut own, mut panicked) = (None, None);
    match catch_unwind(AssertUnwindSafe(|| work(&mut bytes))) {
        Ok(Ok(())) => {}
        Ok(Err(error)) => own = Some(error),
        Err(panic) => {
            own = Some(ErrorKind::Panicked(panic_text(&*panic)).into());
            panicked = Some(panic);
        }
    }
    if let Some(error) = &own {
        bytes = error.to_bytes();
    }
    let parts = comm.all_gather(&bytes);
    if let Some(panic) = panicked {
        resume_unwind(panic);
    }
    let parts = parts?;
    for (rank, part) in parts.iter().enumerate() {
        if let Some(error) = Error::of_bytes(part, rank) {
            // The rank that failed knows more of it.
            let own = own.filter(|_| rank == comm.rank());
            return Err(own.map_or(error, |own| own.of_rank(rank).agreed()));
        }
    }
    Ok(parts)
}

/// What the closure gives for these rows, computed.
pub(crate) fn evaluated<E: Term<Expr: Expr<Rank: ResultRank>>>(
    body: &impl Fn(Range<usize>) -> Result<E, Error>,
    range: Range<usize>,
) -> Result<Array<Elem<E>, Ranked<E>>, Error> {
    let work = || {
        let part = body(range.clone())?.into_term().eval()?;
        match part.shape().first() {
            Some(&rows) if rows == range.len() => Ok(part),
            _ => {
                Err(format!("a result of shape {:?} for {} rows", part.shape(), range.len()).into())
            }
        }
    };
    work().map_err(|err: Error| err.with_rows(&range))
}

/// What ranks do not agree on.
pub(crate) fn rows_differ(shape: &[usize], rank: usize, found: &[usize]) -> Error {
    let (expected, found) = (&shape[1..], &found[1..]);
    let text = format!("rows of shape {found:?}, where others have rows of shape {expected:?}");
    Error::from(ErrorKind::Disagree(text)).of_rank(rank).agreed()
}

/// A shape as bytes.
pub(crate) fn put_shape(shape: &[usize], bytes: &mut Vec<u8>) {
    bytes.push(shape.len() as u8);
    shape.iter().for_each(|extent| bytes.extend_from_slice(&(*extent as u64).to_le_bytes()));
}

/// And back; and the bytes after it.
pub(crate) fn take_shape(bytes: &[u8]) -> Result<(Vec<usize>, &[u8]), Error> {
    let taken = bytes.split_first().and_then(|(ndim, rest)| {
        let (shape, rest) = rest.split_at_checked(usize::from(*ndim) * 8)?;
        let extents = shape.as_chunks::<8>().0.iter();
        Some((extents.map(|extent| u64::from_le_bytes(*extent) as usize).collect(), rest))
    });
    taken.ok_or_else(|| ErrorKind::Disagree("a message without a shape".into()).into())
}

/// Values as bytes, after those that are there.
fn pack<T: Portable>(values: &[T], bytes: &mut Vec<u8>) {
    let start = bytes.len();
    bytes.resize(start + values.len() * T::SIZE, 0);
    if T::SIZE > 0 {
        for (value, to) in values.iter().zip(bytes[start..].chunks_exact_mut(T::SIZE)) {
            value.put(to);
        }
    }
}

/// And back: so many values.
fn unpack<'b, T: Portable>(
    parts: impl Iterator<Item = &'b [u8]>,
    len: usize,
) -> Result<Vec<T>, Error> {
    let mut values = Vec::with_capacity(len);
    if T::SIZE == 0 {
        values.extend((0..len).map(|_| T::get(&[])));
    }
    for part in parts.filter(|_| T::SIZE > 0) {
        values.extend(part.chunks_exact(T::SIZE).map(T::get));
    }
    if values.len() != len {
        let text = format!("{} values of all ranks, where there should be {len}", values.len());
        return Err(ErrorKind::Disagree(text).into());
    }
    Ok(values)
}

/// Files that are read ahead, until this is dropped.
struct Feeding<'a>(&'a RefCell<Vec<Rc<dyn Feed>>>);

impl<'a> Feeding<'a> {
    fn begin(
        inputs: &'a RefCell<Vec<Rc<dyn Feed>>>,
        steps: &[Range<usize>],
        ahead: Option<usize>,
    ) -> Self {
        let mut list = inputs.borrow_mut();
        // Those that nobody has any more.
        list.retain(|input| Rc::strong_count(input) > 1);
        if let Some(ahead) = ahead {
            list.iter().for_each(|input| input.begin(steps, ahead));
        }
        drop(list);
        Feeding(inputs)
    }
}

impl Drop for Feeding<'_> {
    fn drop(&mut self) {
        self.0.borrow().iter().for_each(|input| input.end());
    }
}

/// A shared array as an expression that a closure can return: to clone it moves nothing.
pub fn shared<T: elementwise::Element, R: Dimension>(
    array: &elementwise::ArcArray<T, R>,
) -> Lazy<elementwise::Shared<T, R>> {
    elementwise::Shared::lazy(array.clone())
}
