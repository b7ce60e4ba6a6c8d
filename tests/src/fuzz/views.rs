//! Views: a program derives one view from another, step by step, and an oracle does the same to a
//! list of the places of all elements.

use super::lying::{Lying, places, shape};
use crate::naive::{broadcasts_to, for_each_index, index_of, number_of, size};
use crate::random::Random;
use std::fmt::Write;
use zerostride::prelude::*;
use zerostride::{Error, SliceElem, Slices};

/// The most elements of a view.
const MOST: usize = 240;

/// A step from one view to the next.
#[derive(Clone, Debug)]
enum Step {
    Slice(Vec<SliceElem>),
    SliceAxis(usize, [usize; 2], isize),
    Index(usize, usize),
    Permute(Vec<usize>),
    Swap(usize, usize),
    Transpose,
    Insert(usize),
    Remove(usize),
    Flip(usize),
    Reshape(Vec<usize>),
    Spread(Vec<usize>, Vec<usize>),
    Window(Vec<usize>, Vec<usize>, usize),
    AxisWindow(usize, usize, usize),
    Chunk(usize, usize, usize),
    Tile(Vec<usize>, usize),
    Lane(usize, usize),
    Along(usize, usize),
    Split(usize, usize, bool),
    Squeeze,
}

use Step::*;

/// The oracle's view: the extents, and the place of each element in logical order.
#[derive(Clone, Debug, PartialEq)]
struct Model {
    shape: Vec<usize>,
    places: Vec<usize>,
}

impl Model {
    /// The view whose element at each index is that of this one at `own(index)`.
    fn derived(&self, shape: Vec<usize>, mut own: impl FnMut(&[usize]) -> Vec<usize>) -> Model {
        let mut places = Vec::with_capacity(size(&shape));
        for_each_index(&shape, |index| {
            places.push(self.places[number_of(&self.shape, &own(index))]);
        });
        Model { shape, places }
    }

    /// Of every axis the indices in its list, in that order.
    fn choose(&self, chosen: &[Vec<usize>]) -> Model {
        self.derived(chosen.iter().map(Vec::len).collect(), |index| {
            index.iter().zip(chosen).map(|(&i, chosen)| chosen[i]).collect()
        })
    }

    /// All indices of each axis.
    fn all(&self) -> Vec<Vec<usize>> {
        self.shape.iter().map(|&extent| (0..extent).collect()).collect()
    }

    /// The same elements under another shape.
    fn shaped(self, shape: Vec<usize>) -> Model {
        Model { shape, places: self.places }
    }

    /// This step, or `None` if it has to be refused.
    fn step(&self, step: &Step) -> Option<Model> {
        let ndim = self.shape.len();
        let axis_exists = |axis: usize| (axis < ndim).then_some(());
        let mut all = self.all();
        match step {
            Slice(elems) => {
                let of_axes = elems.iter().filter(|elem| **elem != SliceElem::NewAxis);
                if of_axes.clone().count() != ndim {
                    return None;
                }
                let mut shape = Vec::new();
                let mut axis = 0;
                for elem in elems {
                    if let SliceElem::NewAxis = elem {
                        shape.push(1);
                        continue;
                    }
                    all[axis] = selected(self.shape[axis], *elem)?;
                    if let SliceElem::Range { .. } = elem {
                        shape.push(all[axis].len());
                    }
                    axis += 1;
                }
                (shape.len() <= 16).then(|| self.choose(&all).shaped(shape))
            }
            SliceAxis(axis, [start, end], step) => {
                axis_exists(*axis)?;
                if start > end || *end > self.shape[*axis] || *step == 0 {
                    return None;
                }
                all[*axis] = stepped(*start..*end, *step);
                Some(self.choose(&all))
            }
            Index(axis, index) | Along(axis, index) => {
                axis_exists(*axis)?;
                all[*axis] = vec![*all[*axis].get(*index)?];
                let mut shape = self.shape.clone();
                shape.remove(*axis);
                Some(self.choose(&all).shaped(shape))
            }
            Permute(order) => {
                let mut sorted = order.clone();
                sorted.sort_unstable();
                sorted.iter().copied().eq(0..ndim).then(|| self.permuted(order))
            }
            Swap(a, b) => {
                axis_exists(*a)?;
                axis_exists(*b)?;
                let mut order: Vec<usize> = (0..ndim).collect();
                order.swap(*a, *b);
                Some(self.permuted(&order))
            }
            Transpose => Some(self.permuted(&(0..ndim).rev().collect::<Vec<_>>())),
            Insert(axis) => {
                let mut shape = self.shape.clone();
                (*axis <= ndim && ndim < 16).then(|| shape.insert(*axis, 1))?;
                Some(self.clone().shaped(shape))
            }
            Remove(axis) => {
                axis_exists(*axis)?;
                let mut shape = self.shape.clone();
                (shape.remove(*axis) == 1).then(|| self.clone().shaped(shape))
            }
            Flip(axis) => {
                axis_exists(*axis)?;
                all[*axis].reverse();
                Some(self.choose(&all))
            }
            Reshape(shape) => {
                (size(shape) == size(&self.shape)).then_some(())?;
                let reshaped = self.clone().shaped(shape.clone());
                reshaped.is_linear().then_some(reshaped)
            }
            Spread(shape, dims) => broadcasts_to(&self.shape, shape, dims).then(|| {
                self.derived(shape.clone(), |index| {
                    let own = |(axis, &dim): (usize, &usize)| {
                        if self.shape[axis] == 1 { 0 } else { index[dim] }
                    };
                    dims.iter().enumerate().map(own).collect()
                })
            }),
            Window(extents, steps, number) => self.part(extents, steps, *number),
            Tile(extents, number) => self.part(extents, extents, *number),
            AxisWindow(axis, extent, number) => {
                axis_exists(*axis)?;
                let (mut extents, mut steps) = (self.shape.clone(), vec![1; ndim]);
                extents[*axis] = *extent;
                // The other axes are there as a whole, even if that is nothing.
                if *extent == 0 || *extent > self.shape[*axis] {
                    return None;
                }
                steps[*axis] = 1;
                (*number + extent <= self.shape[*axis]).then_some(())?;
                all[*axis] = (*number..number + extent).collect();
                Some(self.choose(&all))
            }
            Chunk(axis, extent, number) => {
                axis_exists(*axis)?;
                (*extent > 0).then_some(())?;
                let start = number * extent;
                (start < self.shape[*axis]).then_some(())?;
                all[*axis] = (start..(start + extent).min(self.shape[*axis])).collect();
                Some(self.choose(&all))
            }
            Lane(axis, number) => {
                axis_exists(*axis)?;
                let mut others = self.shape.clone();
                others[*axis] = 1;
                (*number < size(&others)).then_some(())?;
                let at = index_of(&others, *number);
                let fixed = (0..ndim).filter(|other| other != axis);
                fixed.for_each(|other| all[other] = vec![at[other]]);
                Some(self.choose(&all).shaped(vec![self.shape[*axis]]))
            }
            Split(axis, mid, low) => {
                axis_exists(*axis)?;
                (*mid <= self.shape[*axis]).then_some(())?;
                all[*axis] =
                    if *low { (0..*mid).collect() } else { (*mid..self.shape[*axis]).collect() };
                Some(self.choose(&all))
            }
            Squeeze => {
                let shape = self.shape.iter().copied().filter(|&extent| extent != 1).collect();
                Some(self.clone().shaped(shape))
            }
        }
    }

    fn permuted(&self, order: &[usize]) -> Model {
        self.derived(order.iter().map(|&axis| self.shape[axis]).collect(), |index| {
            let mut own = vec![0; index.len()];
            order.iter().zip(index).for_each(|(&axis, &i)| own[axis] = i);
            own
        })
    }

    /// Part `number`, in logical order, of those that begin so many steps apart along each axis.
    fn part(&self, extents: &[usize], steps: &[usize], number: usize) -> Option<Model> {
        let ndim = self.shape.len();
        let fits = extents.len() == ndim && steps.len() == ndim;
        if !fits || extents.contains(&0) || steps.contains(&0) {
            return None;
        }
        let begins = |axis: usize| {
            (self.shape[axis] + steps[axis]).saturating_sub(extents[axis]) / steps[axis]
        };
        let counts: Vec<usize> = (0..ndim).map(begins).collect();
        (number < size(&counts)).then_some(())?;
        let at = index_of(&counts, number);
        let chosen: Vec<Vec<usize>> = (0..ndim)
            .map(|axis| {
                let start = at[axis] * steps[axis];
                (start..start + extents[axis]).collect()
            })
            .collect();
        Some(self.choose(&chosen))
    }

    /// Whether strides express where the elements lie.
    fn is_linear(&self) -> bool {
        if self.places.is_empty() {
            return true;
        }
        let mut strides = vec![0; self.shape.len()];
        let mut inner = 1;
        for axis in (0..self.shape.len()).rev() {
            if self.shape[axis] > 1 {
                strides[axis] = self.places[inner] as isize - self.places[0] as isize;
            }
            inner *= self.shape[axis];
        }
        let mut number = 0;
        let mut linear = true;
        for_each_index(&self.shape, |index| {
            let steps = index.iter().zip(&strides).map(|(&i, &stride)| i as isize * stride);
            linear &=
                self.places[0] as isize + steps.sum::<isize>() == self.places[number] as isize;
            number += 1;
        });
        linear
    }
}

/// Every `step`-th index of a range, from its end if the step is negative.
fn stepped(range: std::ops::Range<usize>, step: isize) -> Vec<usize> {
    if step > 0 {
        range.step_by(step.unsigned_abs()).collect()
    } else {
        range.rev().step_by(step.unsigned_abs()).collect()
    }
}

/// The indices that a slice selects along an axis, or `None` if it does not fit.
fn selected(extent: usize, elem: SliceElem) -> Option<Vec<usize>> {
    let n = extent as isize;
    let resolved = |place: isize| if place < 0 { place.checked_add(n) } else { Some(place) };
    match elem {
        SliceElem::NewAxis => None,
        SliceElem::Index(index) => {
            let index = resolved(index)?;
            (0..n).contains(&index).then(|| vec![index as usize])
        }
        SliceElem::Range { start, end, step } => {
            let (start, end) = (resolved(start)?, end.map_or(Some(n), resolved)?);
            let fits = 0 <= start && start <= end && end <= n && step != 0;
            fits.then(|| stepped(start as usize..end as usize, step))
        }
    }
}

/// A step that mostly fits a view of this shape.
fn step(random: &mut Random, shape: &[usize], writing: bool) -> Step {
    let ndim = shape.len();
    // At times an axis that is not there.
    let axis = |random: &mut Random| random.nearly_below(ndim, if ndim == 0 { 1 } else { 30 });
    let extent = |axis: usize| shape.get(axis).copied().unwrap_or(3);
    match random.below(if writing { 12 } else { 21 }) {
        0..3 => Slice(slice(random, shape)),
        3 => {
            let axis = axis(random);
            let end = random.nearly_below(extent(axis) + 1, 20);
            let start = random.nearly_below(end + 1, 20);
            SliceAxis(axis, [start, end], step_of(random))
        }
        4 => {
            let axis = axis(random);
            Index(axis, random.nearly_below(extent(axis), 9))
        }
        5 => {
            let mut order = random.permutation(ndim);
            if random.once_in(20) {
                order.push(random.below(ndim + 1));
            } else if ndim > 0 && random.once_in(20) {
                order[0] = random.below(ndim + 1);
            }
            Permute(order)
        }
        6 => Insert(random.nearly_below(ndim + 1, 20)),
        7 => Remove(axis(random)),
        8 => Flip(axis(random)),
        9 => Reshape(reshaped(random, shape)),
        10 => {
            let axis = axis(random);
            let mid = random.nearly_below(extent(axis) + 1, 20);
            Split(axis, mid, random.once_in(2))
        }
        11 => Transpose,
        12 => Swap(axis(random), axis(random)),
        13..15 => {
            let (mut dims, mut to) = (Vec::new(), Vec::new());
            let room = MOST / size(shape).max(1);
            for _ in 0..random.below(3) {
                to.push(if size(&to) < room { random.below(4) } else { 1 });
            }
            for (own, &extent) in shape.iter().enumerate() {
                dims.push(to.len());
                to.push(if extent == 1 && size(&to) * 2 <= room {
                    1 + random.below(3)
                } else {
                    extent
                });
                if random.once_in(4) && size(&to) * 2 <= MOST && own < 12 {
                    to.push(1 + random.below(2));
                }
            }
            if ndim > 1 && random.once_in(10) {
                dims.swap(0, 1);
            }
            if ndim > 0 && random.once_in(20) {
                dims[0] = random.below(to.len() + 1);
            }
            while to.len() > 16 {
                to.pop();
            }
            Spread(to, dims)
        }
        15..17 => {
            let extents: Vec<usize> = shape.iter().map(|&extent| part(random, extent)).collect();
            let steps = shape.iter().map(|_| part(random, 3)).collect();
            Window(extents, steps, random.below(7))
        }
        17 => {
            let axis = axis(random);
            AxisWindow(axis, part(random, extent(axis)), random.below(3))
        }
        18 => {
            let axis = axis(random);
            Chunk(axis, part(random, extent(axis)), random.below(3))
        }
        19 => match random.below(3) {
            0 => Tile(shape.iter().map(|&extent| part(random, extent)).collect(), random.below(3)),
            1 => Lane(axis(random), random.below(9)),
            _ => Along(axis(random), random.below(4)),
        },
        _ => Squeeze,
    }
}

/// The extent of a part of an axis, at times 0 or too large.
fn part(random: &mut Random, extent: usize) -> usize {
    if random.once_in(40) { 0 } else { 1 + random.nearly_below(extent, 9) }
}

fn step_of(random: &mut Random) -> isize {
    random.of(&[1, 1, 1, -1, -1, 2, 3, -2, -3, 7, isize::MAX, isize::MIN, 0])
}

fn slice(random: &mut Random, shape: &[usize]) -> Vec<SliceElem> {
    let mut elems = Vec::new();
    for &extent in shape {
        let n = extent as isize;
        if random.once_in(8) {
            elems.push(SliceElem::NewAxis);
        }
        let place = |random: &mut Random| match random.below(12) {
            0..7 => random.between(0, n),
            7..11 => random.between(-n, 0),
            _ => random.of(&[n + 1, -n - 1, isize::MAX, isize::MIN]),
        };
        if random.once_in(6) {
            elems.push(SliceElem::Index(place(random)));
            continue;
        }
        let (mut start, mut end) = (place(random), Some(place(random)));
        if random.once_in(3) {
            end = None;
        } else if let Some(last) = end
            && (start.rem_euclid(n + 1) > last.rem_euclid(n + 1))
        {
            (start, end) = (last, Some(start));
        }
        elems.push(SliceElem::Range { start, end, step: step_of(random) });
    }
    if random.once_in(40) {
        elems.pop();
    }
    elems
}

/// The extents' factors, dealt out anew: mostly into stretches of the old order, which strides can
/// often express.
fn reshaped(random: &mut Random, shape: &[usize]) -> Vec<usize> {
    if random.once_in(20) {
        return vec![1 + random.below(9), random.below(9)];
    }
    let mut to: Vec<usize> = Vec::new();
    if shape.contains(&0) {
        to = vec![1 + random.below(3); random.below(3)];
        to.insert(random.below(to.len() + 1), 0);
        return to;
    }
    for &extent in shape {
        let mut rest = extent;
        for prime in [2, 3, 5, 7] {
            while rest.is_multiple_of(prime) && random.once_in(2) {
                to.push(prime);
                rest /= prime;
            }
        }
        if rest > 1 {
            to.push(rest);
        }
        if random.once_in(7) {
            to.push(1);
        }
    }
    while to.len() > 1 && (to.len() > 12 || random.once_in(3)) {
        let at = random.below(to.len() - 1);
        let next = to.remove(at + 1);
        to[at] *= next;
    }
    if to.len() > 1 && random.once_in(9) {
        to.swap(0, 1);
    }
    to
}

/// The step as done by the library.
fn stepped_view<'a>(view: ViewD<'a, i32>, step: &Step) -> Result<ViewD<'a, i32>, Error> {
    let part = |part: Option<ViewD<'a, i32>>| part.ok_or_else(no_part);
    Ok(match step {
        Slice(elems) => view.slice(Slices::from_slice(elems))?,
        SliceAxis(axis, [start, end], step) => view.slice_axis(*axis, *start..*end, *step)?,
        Index(axis, index) => view.index_axis(*axis, *index)?,
        Permute(order) => view.permuted_axes(&order[..])?,
        Swap(a, b) => view.swap_axes(*a, *b)?,
        Transpose => view.t(),
        Insert(axis) => view.insert_axis(*axis)?,
        Remove(axis) => view.remove_axis(*axis)?,
        Flip(axis) => view.flip(*axis)?,
        Reshape(shape) => view.reshape(&shape[..])?,
        Spread(shape, dims) => view.broadcast_in_dim(&shape[..], &dims[..])?,
        Window(extents, steps, number) => {
            part(view.windows_with_stride(&extents[..], &steps[..])?.nth(*number))?
        }
        AxisWindow(axis, extent, number) => part(view.axis_windows(*axis, *extent)?.nth(*number))?,
        Chunk(axis, extent, number) => part(view.axis_chunks(*axis, *extent)?.nth(*number))?,
        Tile(extents, number) => part(view.exact_chunks(&extents[..])?.nth(*number))?,
        Lane(axis, number) => part(view.lanes(*axis)?.nth(*number).map(|lane| lane.as_dyn()))?,
        Along(axis, number) => part(view.axis_iter(*axis)?.nth(*number))?,
        Split(axis, mid, low) => {
            let (below, above) = view.split_at(*axis, *mid)?;
            if *low { below } else { above }
        }
        Squeeze => view.squeeze(),
    })
}

/// What stands for "there is no such part".
fn no_part() -> Error {
    zerostride::ErrorKind::TooFewAlongAxis { op: "part", axis: 0, wanted: 1, shape: [].into() }
        .into()
}

/// A step as Rust text.
fn text(step: &Step) -> String {
    let elem = |elem: &SliceElem| format!("SliceElem::{elem:?}");
    match step {
        Slice(elems) => {
            let elems: Vec<String> = elems.iter().map(elem).collect();
            format!(".slice(Slices::from_slice(&[{}]))?", elems.join(", "))
        }
        SliceAxis(axis, [start, end], step) => {
            format!(".slice_axis({axis}, {start}..{end}, {step})?")
        }
        Index(axis, index) => format!(".index_axis({axis}, {index})?"),
        Permute(order) => format!(".permuted_axes(&{order:?}[..])?"),
        Swap(a, b) => format!(".swap_axes({a}, {b})?"),
        Transpose => ".t()".to_owned(),
        Insert(axis) => format!(".insert_axis({axis})?"),
        Remove(axis) => format!(".remove_axis({axis})?"),
        Flip(axis) => format!(".flip({axis})?"),
        Reshape(shape) => format!(".reshape(&{shape:?}[..])?"),
        Spread(shape, dims) => format!(".broadcast_in_dim(&{shape:?}[..], &{dims:?}[..])?"),
        Window(extents, steps, number) => {
            format!(
                ".windows_with_stride(&{extents:?}[..], &{steps:?}[..])?.nth({number}).unwrap()"
            )
        }
        AxisWindow(axis, extent, number) => {
            format!(".axis_windows({axis}, {extent})?.nth({number}).unwrap()")
        }
        Chunk(axis, extent, number) => {
            format!(".axis_chunks({axis}, {extent})?.nth({number}).unwrap()")
        }
        Tile(extents, number) => format!(".exact_chunks(&{extents:?}[..])?.nth({number}).unwrap()"),
        Lane(axis, number) => format!(".lanes({axis})?.nth({number}).unwrap().as_dyn()"),
        Along(axis, number) => format!(".axis_iter({axis})?.nth({number}).unwrap()"),
        Split(axis, mid, low) => {
            format!(".split_at({axis}, {mid})?.{}", if *low { 0 } else { 1 })
        }
        Squeeze => ".squeeze()".to_owned(),
    }
}

/// A program as Rust text, and what is wrong with it.
fn program(start: &str, steps: &[Step], problem: &str) -> String {
    let mut text = format!(
        "use zerostride::prelude::*;\nuse zerostride::{{Error, SliceElem, Slices}};\n\n\
         fn main() -> Result<(), Error> {{\n{start}"
    );
    for step in steps {
        let _ = writeln!(text, "    let view = view{};", self::text(step));
    }
    let _ = writeln!(text, "    // {problem}\n    println!(\"{{view:?}}\");\n    Ok(())\n}}");
    text
}

/// What is wrong with a view that should be this one; `how` chooses what is looked at.
fn problem(view: ViewD<'_, i32>, want: &Model, how: usize) -> Option<String> {
    if view.shape() != want.shape {
        return Some(format!("It has shape {:?}, not {:?}.", view.shape(), want.shape));
    }
    let want: Vec<i32> = want.places.iter().map(|&place| place as i32).collect();
    let (what, got): (_, Vec<i32>) = match how {
        0 => ("indexing", super::lying::naive_of(view).data),
        1 => ("iter", view.iter().copied().collect()),
        2 => ("to_vec", view.to_vec()),
        3 => ("to_owned", view.to_owned().into_vec()),
        4 => {
            let mut back: Vec<i32> = view.iter().rev().copied().collect();
            back.reverse();
            ("iter().rev()", back)
        }
        5 => {
            let named = view.indexed_iter().map(|(index, &x)| {
                let number = number_of(view.shape(), index.as_ref());
                if want.get(number) == Some(&x) { x } else { -1 }
            });
            ("indexed_iter", named.collect())
        }
        6 => match view.as_slice() {
            Some(slice) => ("as_slice", slice.to_vec()),
            None if want.len() < 2 => return Some("as_slice is None.".to_owned()),
            None if want.windows(2).all(|pair| pair[0] + 1 == pair[1]) => {
                return Some("as_slice is None.".to_owned());
            }
            None => return None,
        },
        7 => {
            let mut all = Vec::new();
            let (len, ends) = (view.len(), [view.first(), view.last()]);
            if view.iter().len() != len || ends != [want.first(), want.last()] {
                return Some("Its length, its first or its last element is wrong.".to_owned());
            }
            view.iter().for_each(|&x| all.push(x));
            ("for_each", all)
        }
        8 => {
            let copy = view.to_owned();
            if copy.view() != view {
                return Some("It is not equal to its copy.".to_owned());
            }
            ("t().t()", view.t().t().to_vec())
        }
        9 => ("eval", (view + 0).eval().map(|a| a.to_vec()).unwrap_or_default()),
        10 => ("to_shape", view.to_shape(want.len()).map(|a| a.to_vec()).unwrap_or_default()),
        _ => {
            let rows = view.rows().flat_map(|row| row.to_vec());
            ("rows", if view.ndim() == 0 { view.to_vec() } else { rows.collect() })
        }
    };
    (got != want).then(|| format!("By {what} it is {got:?}, not {want:?}."))
}

/// The memory of a program: each element is the number of its place.
fn memory(random: &mut Random) -> Vec<i32> {
    (0..1 + random.below(MOST) as i32).collect()
}

/// A layout over memory of this length, which may reach outside.
fn layout(random: &mut Random, len: usize) -> (Vec<usize>, Vec<isize>, usize) {
    let ndim = random.below(5);
    if random.once_in(3) {
        // Any strides.
        let shape: Vec<usize> = (0..ndim).map(|_| random.below(5)).collect();
        let strides = shape.iter().map(|_| random.between(-9, 9)).collect();
        return (shape, strides, random.below(len + 2));
    }
    let shape = shape(random, ndim, len);
    let lying = Lying::new(random, &shape, true, |_| ());
    (shape, lying.strides, lying.offset)
}

/// A program of views for reading.
pub fn reading(random: &mut Random) -> Result<(), String> {
    let memory = memory(random);
    let (shape, strides, offset) = layout(random, memory.len());
    let start = || {
        format!(
            "    let memory: Vec<i32> = (0..{}).collect();\n    \
             let view = ViewD::from_strided(&{shape:?}[..], &{strides:?}, {offset}, &memory)?;\n",
            memory.len()
        )
    };
    let want = places(&shape, &strides, offset, memory.len());
    let view = ViewD::from_strided(&shape[..], &strides, offset, &memory);
    let (mut view, mut model) = match (view, want) {
        (Ok(view), Some(places)) => (view, Model { shape: shape.clone(), places }),
        (Err(_), None) => return Ok(()),
        (Ok(_), None) => return Err(program(&start(), &[], "It reaches outside of the memory.")),
        (Err(err), Some(_)) => {
            return Err(program(&start(), &[], &format!("It is refused: {err}")));
        }
    };
    let mut steps = Vec::new();
    if let Some(problem) = problem(view, &model, random.below(12)) {
        return Err(program(&start(), &steps, &problem));
    }
    for _ in 0..1 + random.below(6) {
        let step = step(random, &model.shape, false);
        let (got, want) = (stepped_view(view, &step), model.step(&step));
        steps.push(step);
        match (got, want) {
            (Ok(next), Some(want)) => (view, model) = (next, want),
            (Err(_), None) => {
                steps.pop();
                continue;
            }
            (Ok(got), None) => {
                let problem = format!("It is accepted, as shape {:?}.", got.shape());
                return Err(program(&start(), &steps, &problem));
            }
            (Err(err), Some(want)) => {
                let problem = format!("It is refused, not shape {:?}: {err}", want.shape);
                return Err(program(&start(), &steps, &problem));
            }
        }
        if let Some(problem) = problem(view, &model, random.below(12)) {
            return Err(program(&start(), &steps, &problem));
        }
        if size(&model.shape) > 4 * MOST {
            break;
        }
    }
    Ok(())
}

/// A program of views for writing: what is written at the end has to be where the oracle says, and
/// nowhere else.
pub fn writing(random: &mut Random) -> Result<(), String> {
    let mut memory = memory(random);
    let len = memory.len();
    let (shape, strides, offset) = layout(random, len);
    let start = format!(
        "    let mut memory: Vec<i32> = (0..{len}).collect();\n    \
         let view = ViewMutD::from_strided(&{shape:?}[..], &{strides:?}, {offset}, &mut memory)?;\n"
    );
    let mut steps = Vec::new();
    let result = match ViewMutD::from_strided(&shape[..], &strides, offset, &mut memory) {
        // It may refuse more than it has to.
        Err(_) => return Ok(()),
        Ok(view) => match places(&shape, &strides, offset, len) {
            None => Err("It reaches outside of the memory.".to_owned()),
            Some(places) => {
                let mut sorted = places.clone();
                sorted.sort_unstable();
                sorted.dedup();
                let model = Model { shape: shape.clone(), places };
                if sorted.len() < model.places.len() {
                    Err("It reaches an element twice.".to_owned())
                } else {
                    let rest = random.below(6);
                    derive(random, view, model, &mut steps, rest)
                }
            }
        },
    };
    let want = result.map_err(|problem| program(&start, &steps, &problem))?;
    let mut expected: Vec<i32> = (0..len as i32).collect();
    for (number, &place) in want.places.iter().enumerate() {
        expected[place] = -1 - number as i32;
    }
    if memory != expected {
        let problem = format!("The memory is {memory:?}, not {expected:?}.");
        return Err(program(&start, &steps, &problem));
    }
    Ok(())
}

/// Derives views for writing, one from the other, and writes through the last one.
fn derive(
    random: &mut Random,
    mut view: ViewMutD<'_, i32>,
    model: Model,
    steps: &mut Vec<Step>,
    rest: usize,
) -> Result<Model, String> {
    if rest == 0 {
        return write(random.below(6), &mut view, model);
    }
    let step = step(random, &model.shape, true);
    let want = model.step(&step);
    steps.push(step.clone());
    // What is not consumed is borrowed, for as long as the rest of the program.
    let next: Result<ViewMutD<'_, i32>, Error> = match &step {
        Slice(elems) if random.once_in(2) => {
            view.slice_mut(Slices::from_slice(elems)).map_err(Error::from)
        }
        Slice(elems) => match want {
            // It would be gone.
            None => {
                view.slice(Slices::from_slice(elems)).map(|_| unreachable!()).map_err(Error::from)
            }
            Some(_) => view.slice_move(Slices::from_slice(elems)).map_err(Error::from),
        },
        SliceAxis(axis, [from, to], by) => {
            let mut elems =
                vec![SliceElem::Range { start: 0, end: None, step: 1 }; model.shape.len()];
            match elems.get_mut(*axis) {
                Some(elem) => {
                    let (start, end) = (*from as isize, Some(*to as isize));
                    *elem = SliceElem::Range { start, end, step: *by };
                    view.slice_mut(Slices::from_slice(&elems)).map_err(Error::from)
                }
                None => view.flip_mut(*axis).map_err(Error::from),
            }
        }
        Index(axis, index) => view.index_axis_mut(*axis, *index).map_err(Error::from),
        Permute(order) => view.permuted_axes_mut(&order[..]).map_err(Error::from),
        Transpose => Ok(view.t_mut()),
        Insert(axis) => view.view_mut().insert_axis_move(*axis).map_err(Error::from),
        Remove(axis) => view.view_mut().remove_axis_move(*axis).map_err(Error::from),
        Flip(axis) => view.flip_mut(*axis).map_err(Error::from),
        Reshape(shape) => view.view_mut().into_shape(&shape[..]).map_err(Error::from),
        Split(axis, mid, low) => view
            .view_mut()
            .split_at(*axis, *mid)
            .map(|(below, above)| if *low { below } else { above })
            .map_err(Error::from),
        other => unreachable!("{other:?} is not of the steps for writing"),
    };
    match (next, want) {
        (Ok(next), Some(want)) => derive(random, next, want, steps, rest - 1),
        (Err(_), None) => {
            steps.pop();
            Ok(Model { shape: vec![0], places: vec![] })
        }
        (Ok(_), None) => Err("It is accepted.".to_owned()),
        (Err(err), Some(want)) => Err(format!("It is refused, not shape {:?}: {err}", want.shape)),
    }
}

/// Writes -1, -2, .. in logical order.
fn write(how: usize, view: &mut ViewMutD<'_, i32>, model: Model) -> Result<Model, String> {
    if view.shape() != model.shape {
        return Err(format!("It has shape {:?}, not {:?}.", view.shape(), model.shape));
    }
    let len = model.places.len() as i32;
    match how {
        0 => (1..).zip(view.iter_mut()).for_each(|(number, x)| *x = -number),
        1 => for_each_index(&model.shape, |index| {
            view[index] = -1 - number_of(&model.shape, index) as i32;
        }),
        2 => {
            (0..len).rev().zip(view.iter_mut().rev()).for_each(|(number, x)| *x = -1 - number);
        }
        3 => view.indexed_iter_mut().for_each(|(index, x)| {
            *x = -1 - number_of(&model.shape, index.as_ref()) as i32;
        }),
        4 => {
            let numbers =
                ArrayD::from_shape_vec(&model.shape[..], (0..len).map(|i| -1 - i).collect())
                    .map_err(|err| err.to_string())?;
            view.assign(&numbers).map_err(|err| err.to_string())?;
        }
        _ => {
            let mut number = 0;
            let mut next = || {
                number -= 1;
                number
            };
            if model.shape.is_empty() {
                view.fill(next());
            } else {
                view.rows_mut().for_each(|mut row| row.iter_mut().for_each(|x| *x = next()));
            }
        }
    }
    Ok(model)
}
