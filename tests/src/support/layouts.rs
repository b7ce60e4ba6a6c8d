//! Awkward layouts: a [`Recipe`] says how to lay an array out, and [`Held`] is an array so laid
//! out.

use super::TestElement;
use crate::naive::{Naive, for_each_index, index_of, size};
use std::fmt;
use zerostride::{ViewD, ViewMutD};

/// How to lay out an array of some rank.
#[derive(Clone, Debug, PartialEq)]
pub struct Recipe {
    /// What it is called in reports.
    pub name: String,
    /// The axes from the one with the largest strides to the one with the smallest.
    pub order: Vec<usize>,
    /// The axes that run backwards.
    pub flips: Vec<bool>,
    /// The axes along which one element is repeated: stride 0. Only for reading.
    pub repeats: Vec<bool>,
    /// For each axis, by how much too far apart its elements lie: 1 is side by side.
    pub steps: Vec<usize>,
    /// For each axis, the elements left out after all of it.
    pub gaps: Vec<usize>,
    /// The elements left out before the first.
    pub lead: usize,
}

impl Recipe {
    /// Row-major, without gaps.
    pub fn c(ndim: usize) -> Recipe {
        Recipe {
            name: "C".to_owned(),
            order: (0..ndim).collect(),
            flips: vec![false; ndim],
            repeats: vec![false; ndim],
            steps: vec![1; ndim],
            gaps: vec![0; ndim],
            lead: 0,
        }
    }

    /// The axes nested in this order, from the outermost.
    pub fn permuted(order: &[usize]) -> Recipe {
        let ndim = order.len();
        let name = if order.iter().rev().copied().eq(0..ndim) {
            "F".to_owned()
        } else {
            format!("permuted{order:?}")
        };
        Recipe { name, order: order.to_vec(), ..Recipe::c(ndim) }
    }

    /// Column-major.
    pub fn f(ndim: usize) -> Recipe {
        Recipe::permuted(&(0..ndim).rev().collect::<Vec<_>>())
    }

    /// With these axes (as bits) reversed.
    pub fn reversed(mut self, axes: usize) -> Recipe {
        for axis in 0..self.flips.len() {
            self.flips[axis] ^= axes >> axis & 1 == 1;
        }
        self.name += &format!(" reversed({axes:#b})");
        self
    }

    /// With a step along an axis: a column slice, for the last one.
    pub fn stepped(mut self, axis: usize, step: usize) -> Recipe {
        self.steps[axis] = step;
        self.name += &format!(" step({step} along {axis})");
        self
    }

    /// With a gap after each run along an axis: a slice of a wider array.
    pub fn gapped(mut self, axis: usize, gap: usize) -> Recipe {
        self.gaps[axis] = gap;
        self.lead = 3;
        self.name += &format!(" gap({gap} after {axis})");
        self
    }

    /// With one element repeated along these axes (as bits).
    pub fn repeated(mut self, axes: usize) -> Recipe {
        for axis in 0..self.repeats.len() {
            self.repeats[axis] = axes >> axis & 1 == 1;
        }
        self.name += &format!(" repeated({axes:#b})");
        self
    }

    /// The layouts of the table for arrays of this rank that can also be written to.
    pub fn all(ndim: usize) -> Vec<Recipe> {
        let mut all = vec![Recipe::c(ndim)];
        if ndim == 0 {
            all.push(Recipe { name: "offset".to_owned(), lead: 5, ..Recipe::c(0) });
            return all;
        }
        let last = ndim - 1;
        let subsets: Vec<usize> = match ndim {
            1..=3 => (1..1 << ndim).collect(),
            _ => vec![1, 1 << last, (1 << ndim) - 1, 0b0101_0101 & ((1 << ndim) - 1)],
        };
        all.extend(subsets.iter().map(|&axes| Recipe::c(ndim).reversed(axes)));
        if ndim > 1 {
            all.push(Recipe::f(ndim));
            all.push(Recipe::f(ndim).reversed(subsets[subsets.len() - 1]));
            all.push(Recipe::f(ndim).gapped(0, 2).reversed(1));
            all.push(Recipe::c(ndim).gapped(last, 5));
            all.push(Recipe::c(ndim).stepped(0, 3));
            all.push(Recipe::c(ndim).stepped(0, 2).stepped(last, 3).reversed(1 << last));
        }
        if ndim == 3 {
            all.extend(
                [[0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1]].map(|order| Recipe::permuted(&order)),
            );
            all.push(Recipe::permuted(&[1, 2, 0]).gapped(2, 1).stepped(0, 2).reversed(0b101));
        } else if ndim > 3 {
            let rotated: Vec<usize> = (0..ndim).map(|axis| (axis + 2) % ndim).collect();
            let evens_first: Vec<usize> =
                (0..ndim).step_by(2).chain((1..ndim).step_by(2)).collect();
            all.push(Recipe::permuted(&rotated));
            all.push(Recipe::permuted(&evens_first).gapped(1, 1).reversed(2));
        }
        all.push(Recipe::c(ndim).stepped(last, 2));
        all.push(Recipe::c(ndim).stepped(last, 7).gapped(last, 4));
        all
    }

    /// The same, and those that can only be read because elements repeat.
    pub fn all_readable(ndim: usize) -> Vec<Recipe> {
        let mut all = Recipe::all(ndim);
        if ndim > 0 {
            all.push(Recipe::c(ndim).repeated(1));
            all.push(Recipe::c(ndim).repeated((1 << ndim) - 1));
            all.push(Recipe::f(ndim).repeated(1 << (ndim - 1)).reversed(1));
        }
        all
    }
}

/// An array in a buffer of its own, laid out by a recipe.
#[derive(Clone, Debug)]
pub struct Held<T> {
    /// The whole buffer.
    pub buffer: Vec<T>,
    /// The extents.
    pub shape: Vec<usize>,
    /// The strides.
    pub strides: Vec<isize>,
    /// Where the element of index 0 lies.
    pub offset: usize,
    /// Where the elements lie, in logical order.
    places: Vec<usize>,
    name: String,
}

impl<T> fmt::Display for Held<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {:?} strides {:?}", self.name, self.shape, self.strides)
    }
}

impl<T: TestElement> Held<T> {
    /// Lays out an array. Along repeated axes only its elements of index 0 are kept.
    pub fn new(array: &Naive<T>, recipe: &Recipe) -> Held<T> {
        let shape = array.shape.clone();
        let mut strides = vec![0_isize; shape.len()];
        let (mut offset, mut side_by_side) = (recipe.lead, 1);
        for &axis in recipe.order.iter().rev() {
            if recipe.repeats[axis] {
                continue;
            }
            let stride = side_by_side * recipe.steps[axis];
            side_by_side = stride * shape[axis].max(1) + recipe.gaps[axis];
            if recipe.flips[axis] {
                strides[axis] = -(stride as isize);
                offset += stride * shape[axis].saturating_sub(1);
            } else {
                strides[axis] = stride as isize;
            }
        }
        let mut places = Vec::with_capacity(size(&shape));
        for_each_index(&shape, |index| {
            let steps = index.iter().zip(&strides).map(|(&index, stride)| index as isize * stride);
            places.push(
                usize::try_from(offset as isize + steps.sum::<isize>())
                    .expect("a place in the buffer"),
            );
        });
        let mut buffer = vec![T::poison(); recipe.lead + side_by_side + 2];
        // Backwards, so that of repeated elements the first is written last.
        for (&place, &value) in places.iter().zip(&array.data).rev() {
            buffer[place] = value;
        }
        Held { buffer, shape, strides, offset, places, name: recipe.name.clone() }
    }

    /// An array of ordinary values, other ones for each `seed`.
    pub fn ordinary(shape: &[usize], recipe: &Recipe, seed: usize) -> Held<T> {
        Held::new(&Naive::numbered(shape, |number| T::nth(number * 3 + seed)), recipe)
    }

    /// A destination, full of a value that is no result.
    pub fn destination(shape: &[usize], recipe: &Recipe) -> Held<T> {
        Held::new(&Naive::numbered(shape, |_| T::poison()), recipe)
    }

    /// The elements, read by the index formula.
    pub fn naive(&self) -> Naive<T> {
        Naive {
            shape: self.shape.clone(),
            data: self.places.iter().map(|&place| self.buffer[place]).collect(),
        }
    }

    /// The library's view of it.
    pub fn view(&self) -> ViewD<'_, T> {
        ViewD::from_strided(self.shape.clone(), &self.strides, self.offset, &self.buffer)
            .expect("a layout in the buffer")
    }

    /// The library's view of it for writing.
    pub fn view_mut(&mut self) -> ViewMutD<'_, T> {
        ViewMutD::from_strided(self.shape.clone(), &self.strides, self.offset, &mut self.buffer)
            .expect("a layout in the buffer without repeats")
    }

    /// What is wrong with a destination that should now hold `want`, and whose buffer was `before`.
    pub fn problem(&self, want: &Naive<T>, before: &[T], same: Same<T>) -> Option<String> {
        if let Some(problem) = difference(&self.naive(), want, same) {
            return Some(problem);
        }
        let mut between = vec![true; self.buffer.len()];
        self.places.iter().for_each(|&place| between[place] = false);
        let written = (0..between.len())
            .find(|&place| between[place] && !self.buffer[place].same(before[place]));
        written.map(|place| format!("wrote to place {place}, which is outside the array"))
    }
}

/// When two elements are alike.
pub type Same<T> = fn(T, T) -> bool;

/// The first difference between two arrays, in words.
pub fn difference<T: TestElement>(
    got: &Naive<T>,
    want: &Naive<T>,
    same: Same<T>,
) -> Option<String> {
    if got.shape != want.shape {
        return Some(format!("shape {:?}, want {:?}", got.shape, want.shape));
    }
    let wrong: Vec<usize> =
        (0..want.data.len()).filter(|&i| !same(got.data[i], want.data[i])).collect();
    let first = *wrong.first()?;
    Some(format!(
        "{} of {} elements are wrong, the first at {:?}: {:?}, want {:?}",
        wrong.len(),
        want.data.len(),
        index_of(&want.shape, first),
        got.data[first],
        want.data[first]
    ))
}
