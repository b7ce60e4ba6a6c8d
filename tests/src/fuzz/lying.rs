//! [`Lying`]: an array in a buffer of its own, in a random layout.

use crate::naive::{Naive, for_each_index, size};
use crate::random::Random;
use std::fmt::Debug;
use zerostride::{Element, ViewD, ViewMutD};

/// An array in a buffer: its layout, and every place it reaches.
#[derive(Clone, Debug)]
pub struct Lying<T> {
    /// The extents.
    pub shape: Vec<usize>,
    /// The strides.
    pub strides: Vec<isize>,
    /// Where the element of index 0 lies.
    pub offset: usize,
    /// The memory.
    pub buffer: Vec<T>,
    /// The place of each element in logical order.
    pub places: Vec<usize>,
}

/// A shape of up to `most` elements: extents mostly small, at times 0, 1, beyond a tile's side, or
/// about as many as are taken at a time somewhere.
pub fn shape(random: &mut Random, ndim: usize, most: usize) -> Vec<usize> {
    let mut shape: Vec<usize> = (0..ndim)
        .map(|_| match random.below(24) {
            0 => 0,
            1..4 => 1,
            4..16 => 2 + random.below(4),
            16..20 => 6 + random.below(12),
            20..22 => 30 + random.below(40),
            22 => (16 << random.below(3)) - 1 + random.below(3),
            _ => 100 + random.below(most),
        })
        .collect();
    // Where an extent is 0, too, or the memory would be large for nothing.
    let len = |shape: &[usize]| shape.iter().map(|&extent| extent.max(1)).product::<usize>();
    while len(&shape) > most {
        let largest = (0..ndim).max_by_key(|&axis| shape[axis]).unwrap_or(0);
        shape[largest] = shape[largest] / 2 + 1;
        if shape[largest] <= 2 {
            shape[largest] = 1;
        }
    }
    shape
}

/// The places of the elements of a layout, in logical order; `None` if one lies outside of memory.
pub fn places(shape: &[usize], strides: &[isize], offset: usize, len: usize) -> Option<Vec<usize>> {
    let mut places = Vec::with_capacity(size(shape));
    let mut inside = true;
    for_each_index(shape, |index| {
        let steps = index.iter().zip(strides).map(|(&i, &stride)| i as i128 * stride as i128);
        let place = offset as i128 + steps.sum::<i128>();
        inside &= (0..len as i128).contains(&place);
        places.push(place as usize);
    });
    inside.then_some(places)
}

impl<T: Element + Debug> Lying<T> {
    /// An array of this shape in a random layout; with `repeats`, along some axes of which one
    /// element may stand for all. `value` is that of the element at a place in memory.
    pub fn new(
        random: &mut Random,
        shape: &[usize],
        repeats: bool,
        mut value: impl FnMut(&mut Random) -> T,
    ) -> Self {
        let ndim = shape.len();
        let plain = random.once_in(3);
        let order = if plain { (0..ndim).collect() } else { random.permutation(ndim) };
        let mut strides = vec![0_isize; ndim];
        let lead = if plain { 0 } else { random.below(4) };
        let (mut offset, mut side_by_side) = (lead, 1);
        for &axis in order.iter().rev() {
            if repeats && random.once_in(9) {
                continue;
            }
            let (step, gap) = match plain {
                false if random.once_in(5) => (1 + random.below(3), random.below(4)),
                _ => (1, 0),
            };
            let stride = side_by_side * step;
            side_by_side = stride * shape[axis].max(1) + gap;
            strides[axis] = stride as isize;
            if !plain && random.once_in(4) {
                strides[axis] = -strides[axis];
                offset += stride * shape[axis].saturating_sub(1);
            }
        }
        let buffer: Vec<T> =
            (0..offset.max(lead) + side_by_side + 3).map(|_| value(random)).collect();
        let places =
            places(shape, &strides, offset, buffer.len()).expect("it is as long as needed");
        Lying { shape: shape.to_vec(), strides, offset, buffer, places }
    }

    /// The library's view of it.
    pub fn view(&self) -> ViewD<'_, T> {
        ViewD::from_strided(&self.shape[..], &self.strides, self.offset, &self.buffer)
            .expect("a layout in the buffer")
    }

    /// The library's view of it for writing.
    pub fn view_mut(&mut self) -> ViewMutD<'_, T> {
        ViewMutD::from_strided(&self.shape[..], &self.strides, self.offset, &mut self.buffer)
            .expect("a layout in the buffer without repeats")
    }

    /// The elements in logical order.
    pub fn naive(&self) -> Naive<T> {
        let data = self.places.iter().map(|&place| self.buffer[place]).collect();
        Naive { shape: self.shape.clone(), data }
    }

    /// The Rust text that makes the memory and the view.
    pub fn text(&self, name: &str, of: &str) -> String {
        let Lying { shape, strides, offset, buffer, .. } = self;
        format!(
            "    let {name}_memory: Vec<{of}> = vec!{buffer:?};\n    \
             let {name} = ViewD::from_strided(&{shape:?}[..], &{strides:?}, {offset}, &{name}_memory)?;\n"
        )
    }
}

/// The elements of a view, read index by index.
pub fn naive_of<T: Element>(view: ViewD<'_, T>) -> Naive<T> {
    let mut data = Vec::with_capacity(view.len());
    for_each_index(view.shape(), |index| data.push(view[index]));
    Naive { shape: view.shape().to_vec(), data }
}
