//! [`Operands`]: what a plan knows of the arrays it reads.

use ndcore::{Axes, MAX_NDIM};
use smallvec::SmallVec;

/// Where an operand comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// An array of the expression.
    Leaf,
    /// A part of the expression that repeats in the result: it is computed before the rest, at its
    /// own size, in row-major order.
    Hoisted,
    /// An expression whose elements are computed where they are read.
    Computed,
}

/// An operand as it lies in the result.
#[derive(Clone, Debug)]
pub struct Operand {
    /// The size of an element, in bytes.
    pub element_size: usize,
    /// The axes of the result that its own axes lie along; `None` if each along itself.
    pub dims: Option<Axes<u8>>,
    /// Where it comes from.
    pub source: Source,
}

/// The operands of an expression in the order in which they are bound. Scalars are not among them.
#[derive(Clone, Debug)]
pub struct Operands {
    ndim: usize,
    /// `ndim` strides for each operand, along the axes of the result; zero where it repeats.
    strides: SmallVec<[isize; 16]>,
    list: SmallVec<[Operand; 4]>,
    /// For each buffered operation, its extents if it is computed before the rest.
    hoists: Vec<Option<Axes<usize>>>,
    /// Whether the results of some operation go through a buffer, and whether the operation at the
    /// root takes long.
    buffers: bool,
    long_root: bool,
    /// For each leaf that is not an array, the axes of the result that its own axes lie along.
    generated: Vec<Option<Axes<u8>>>,
    /// Whether each run has to be taken by itself.
    one_by_one: bool,
    /// Whether the elements are computed where they are read, so many at a time.
    computed: Option<usize>,
    /// Whether there was no memory for some of this.
    lacking: bool,
}

impl Operands {
    /// None yet, in a result of this rank.
    #[inline]
    pub fn new(ndim: usize) -> Self {
        Operands {
            ndim,
            strides: SmallVec::new(),
            list: SmallVec::new(),
            hoists: Vec::new(),
            buffers: false,
            long_root: false,
            generated: Vec::new(),
            one_by_one: false,
            computed: None,
            lacking: false,
        }
    }

    /// Of elements that lie in no array, but are computed where they are read, `some` at a time, as
    /// if they lay in one of this shape and these strides.
    pub(crate) fn computed(
        shape: &[usize],
        strides: &[isize],
        element_size: usize,
        some: usize,
    ) -> Operands {
        let mut operands = Operands { computed: Some(some), ..Operands::new(shape.len()) };
        operands.push(shape, strides, element_size, &None, Source::Computed);
        operands
    }

    /// How many elements are computed at a time where they are read, if they are.
    pub(crate) fn pieces(&self) -> Option<usize> {
        self.computed
    }

    /// Adds the next operand: its own shape and strides, and the axes of the result that its axes
    /// lie along.
    #[inline]
    pub(crate) fn push(
        &mut self,
        shape: &[usize],
        strides: &[isize],
        element_size: usize,
        dims: &Option<Axes<u8>>,
        source: Source,
    ) {
        // One element lies everywhere, whatever axes it was given.
        let dims = if shape.is_empty() { Some(Axes::new()) } else { *dims };
        let stride = |axis: usize| if shape[axis] == 1 { 0 } else { strides[axis] };
        if self.strides.try_reserve(self.ndim).is_err() || self.list.try_reserve(1).is_err() {
            self.lacking = true;
            return;
        }
        match &dims {
            None => self.strides.extend((0..self.ndim).map(stride)),
            Some(dims) => {
                let mut along = [0; MAX_NDIM];
                for (axis, &dim) in dims.iter().enumerate() {
                    along[usize::from(dim)] = stride(axis);
                }
                self.strides.extend_from_slice(&along[..self.ndim]);
            }
        }
        self.list.push(Operand { element_size, dims, source });
    }

    /// The next leaf that is not an array has its axes along these of the result.
    pub(crate) fn generated(&mut self, dims: Option<Axes<u8>>) {
        if self.generated.try_reserve(1).is_ok() {
            self.generated.push(dims);
        } else {
            self.lacking = true;
        }
    }

    /// Where such a leaf lies.
    pub(crate) fn placed(&self, number: usize) -> &Option<Axes<u8>> {
        &self.generated[number]
    }

    /// The next buffered operation is computed block by block; but at the `root`, where its results
    /// go to the output at once, or if it `fuses` with what it is an operand of. Whether it is
    /// `opaque`: a closure.
    pub(crate) fn buffer(&mut self, root: bool, opaque: bool, fuses: bool) {
        self.buffers |= !root && !fuses;
        self.long_root |= root && !opaque;
        self.hoist_all(None, 0);
    }

    /// The next buffered operation is computed before the rest, with these extents; so are the
    /// `inner` buffered operations within it.
    pub(crate) fn hoist(&mut self, extents: Axes<usize>, inner: usize) {
        self.hoist_all(Some(extents), inner);
    }

    fn hoist_all(&mut self, extents: Option<Axes<usize>>, inner: usize) {
        if self.hoists.try_reserve(1 + inner).is_ok() {
            self.hoists.push(extents);
            self.hoists.extend(std::iter::repeat_n(None, inner));
        } else {
            self.lacking = true;
        }
    }

    /// Each run has to be taken by itself: some of these lie in the output, and are copied before a
    /// run of that is written; or are outputs, which lie otherwise than the first.
    pub(crate) fn take_one_by_one(&mut self) {
        self.one_by_one = true;
    }

    /// Whether each run has to be taken by itself.
    pub(crate) fn are_one_by_one(&self) -> bool {
        self.one_by_one
    }

    /// Whether there was no memory for some of this: then it is not used.
    pub(crate) fn is_lacking(&self) -> bool {
        self.lacking
    }

    /// For each buffered operation of the expression, in the order in which they are met, its
    /// extents if it is computed before the rest.
    #[inline]
    pub fn hoists(&self) -> &[Option<Axes<usize>>] {
        &self.hoists
    }

    /// Whether operations, or leaves that are not arrays, are computed block by block into buffers.
    #[inline]
    pub fn has_buffers(&self) -> bool {
        self.buffers || !self.generated.is_empty()
    }

    /// Whether the operation at the root goes through long runs by vectors, but element by element
    /// through a few of each of many rows.
    #[inline]
    pub fn takes_long_runs(&self) -> bool {
        self.long_root
    }

    /// Whether operations are computed before the rest.
    #[inline]
    pub fn has_hoists(&self) -> bool {
        self.hoists.iter().any(Option::is_some)
    }

    /// The number of operands.
    #[inline]
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Whether there are only scalars.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// An operand.
    #[inline]
    pub fn get(&self, number: usize) -> &Operand {
        &self.list[number]
    }

    /// The strides of an operand along the axes of the result, in elements: zero where it repeats.
    #[inline]
    pub fn strides(&self, number: usize) -> &[isize] {
        &self.strides[number * self.ndim..][..self.ndim]
    }

    /// The operands with their strides.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (&Operand, &[isize])> {
        self.list.iter().enumerate().map(|(number, operand)| (operand, self.strides(number)))
    }

    /// The size of the largest element, in bytes, at least 1.
    #[inline]
    pub fn largest(&self) -> usize {
        self.list.iter().map(|operand| operand.element_size).fold(1, usize::max)
    }
}
