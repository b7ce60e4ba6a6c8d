//! Arrays of any distribution, permutations, and samples along an axis.

use elementwise::{Array, Array1, View};
use ndcore::{
    Dimension, Element, IntoAxis, IntoLayout, LayoutError, LayoutErrorKind as Kind, List,
};
use rand::Rng;
use rand::RngExt;
use rand::distr::Distribution;
use rand::seq::SliceRandom;

/// `Array::random`.
pub trait RandomExt<T: Element, R: Dimension>: Sized {
    /// An array of values of a distribution, drawn one by one in the order of memory. For large
    /// arrays of numbers, [`Philox::uniform`](crate::Philox::uniform) and
    /// [`Philox::normal`](crate::Philox::normal) are faster.
    ///
    /// # Panics
    /// If the array does not fit in memory.
    ///
    /// ```
    /// use arrayrandom::{Philox, RandomExt};
    /// use elementwise::Array2;
    /// use rand::distr::Uniform;
    /// let dice = Uniform::new_inclusive(1, 6)?;
    /// let rolls = Array2::<u8>::random([3, 4], dice, &mut Philox::new(1));
    /// assert!(rolls.iter().all(|roll| (1..=6).contains(roll)));
    /// # Ok::<(), rand::distr::uniform::Error>(())
    /// ```
    fn random<S, D, G>(shape: S, distribution: D, rng: &mut G) -> Self
    where
        S: IntoLayout<Rank = R>,
        D: Distribution<T>,
        G: Rng + ?Sized;
}

impl<T: Element, R: Dimension> RandomExt<T, R> for Array<T, R> {
    fn random<S, D, G>(shape: S, distribution: D, rng: &mut G) -> Self
    where
        S: IntoLayout<Rank = R>,
        D: Distribution<T>,
        G: Rng + ?Sized,
    {
        Array::from_shape_simple_fn(shape, || distribution.sample(rng))
    }
}

/// The numbers below `n`, in any order, each as likely as any other.
///
/// ```
/// use arrayrandom::{Philox, permutation};
/// let mut order = permutation(5, &mut Philox::new(1)).to_vec();
/// order.sort();
/// assert_eq!(order, [0, 1, 2, 3, 4]);
/// ```
pub fn permutation<G: Rng + ?Sized>(n: usize, rng: &mut G) -> Array1<usize> {
    let mut numbers: Vec<usize> = (0..n).collect();
    numbers.shuffle(rng);
    Array1::from_vec(numbers)
}

/// Whether an index can be drawn again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replacement {
    /// Each index is drawn at most once.
    Without,
    /// Any index is drawn any time.
    With,
}

/// Samples of arrays and views.
pub trait SampleExt<T: Element, R: Dimension> {
    /// `n` indices along an axis, drawn at random, with all that belongs to them, in the order in
    /// which they are drawn.
    ///
    /// # Errors
    /// [`AxisOutOfRange`](Kind::AxisOutOfRange); [`SliceOutOfRange`](Kind::SliceOutOfRange) if
    /// there are fewer indices than are to be drawn without replacement, or none with it;
    /// [`AllocationFailed`](Kind::AllocationFailed).
    ///
    /// ```
    /// use arrayrandom::{Philox, Replacement, SampleExt};
    /// let a = elementwise::array![[1, 2], [3, 4], [5, 6]];
    /// let rows = a.sample_axis(0, 2, Replacement::Without, &mut Philox::new(3))?;
    /// assert_eq!(rows.shape(), [2, 2]);
    /// assert!(rows.rows().into_iter().all(|row| row[[1]] == row[[0]] + 1));
    /// assert!(a.sample_axis(0, 4, Replacement::Without, &mut Philox::new(3)).is_err());
    /// # Ok::<(), ndcore::LayoutError>(())
    /// ```
    fn sample_axis<G: Rng + ?Sized>(
        &self,
        axis: impl IntoAxis,
        n: usize,
        replacement: Replacement,
        rng: &mut G,
    ) -> Result<Array<T, R>, LayoutError>;

    /// The indices along an axis in another order, drawn at random.
    ///
    /// # Errors
    /// [`AxisOutOfRange`](Kind::AxisOutOfRange); [`AllocationFailed`](Kind::AllocationFailed).
    ///
    /// ```
    /// use arrayrandom::{Philox, SampleExt};
    /// let a = elementwise::array![1, 2, 3, 4];
    /// let mut shuffled = a.shuffled(0, &mut Philox::new(3))?.to_vec();
    /// shuffled.sort();
    /// assert_eq!(shuffled, a.to_vec());
    /// # Ok::<(), ndcore::LayoutError>(())
    /// ```
    fn shuffled<G: Rng + ?Sized>(
        &self,
        axis: impl IntoAxis,
        rng: &mut G,
    ) -> Result<Array<T, R>, LayoutError>;
}

impl<T: Element, R: Dimension> SampleExt<T, R> for View<'_, T, R> {
    fn sample_axis<G: Rng + ?Sized>(
        &self,
        axis: impl IntoAxis,
        n: usize,
        replacement: Replacement,
        rng: &mut G,
    ) -> Result<Array<T, R>, LayoutError> {
        let axis = axis.into_axis();
        let all = extent(self, axis)?;
        let most = if replacement == Replacement::Without { all } else { usize::MAX };
        if n > most || (all == 0 && n > 0) {
            let (shape, end) = (List::of(self.shape()), isize::try_from(n).unwrap_or(isize::MAX));
            return Err(Kind::SliceOutOfRange { start: 0, end, axis, shape }.into());
        }
        let indices = match replacement {
            Replacement::With => {
                let mut indices = ndcore::reserved(n, &[n])?;
                indices.extend((0..n).map(|_| rng.random_range(0..all)));
                indices
            }
            Replacement::Without => rand::seq::index::sample(rng, all, n).into_vec(),
        };
        chosen(self, axis, &indices)
    }

    fn shuffled<G: Rng + ?Sized>(
        &self,
        axis: impl IntoAxis,
        rng: &mut G,
    ) -> Result<Array<T, R>, LayoutError> {
        let axis = axis.into_axis();
        let order = permutation(extent(self, axis)?, rng);
        chosen(self, axis, &order.to_vec())
    }
}

impl<T: Element, R: Dimension> SampleExt<T, R> for Array<T, R> {
    fn sample_axis<G: Rng + ?Sized>(
        &self,
        axis: impl IntoAxis,
        n: usize,
        replacement: Replacement,
        rng: &mut G,
    ) -> Result<Array<T, R>, LayoutError> {
        self.view().sample_axis(axis, n, replacement, rng)
    }

    fn shuffled<G: Rng + ?Sized>(
        &self,
        axis: impl IntoAxis,
        rng: &mut G,
    ) -> Result<Array<T, R>, LayoutError> {
        self.view().shuffled(axis, rng)
    }
}

fn extent<T: Element, R: Dimension>(
    view: &View<'_, T, R>,
    axis: usize,
) -> Result<usize, LayoutError> {
    let shape = view.shape();
    let none = || Kind::AxisOutOfRange { axis, shape: List::of(&shape) }.into();
    shape.get(axis).copied().ok_or_else(none)
}

/// These indices along an axis, with all that belongs to them.
fn chosen<T: Element, R: Dimension>(
    view: &View<'_, T, R>,
    axis: usize,
    indices: &[usize],
) -> Result<Array<T, R>, LayoutError> {
    let mut shape = view.dim();
    shape.as_mut()[axis] = indices.len();
    let Some(&first) = view.first() else {
        return Array::from_shape_vec(shape, Vec::new());
    };
    let mut out = Array::try_full(shape, first)?;
    for (to, &from) in indices.iter().enumerate() {
        let from = view.index_axis(axis, from)?;
        let mut to = out.index_axis_mut(axis, to)?;
        to.iter_mut().zip(from.iter()).for_each(|(to, from)| *to = *from);
    }
    Ok(out)
}
