//! The elements of views as [`Runs`], [`RowsMut`] and [`LinesMut`]: the rows of a matrix, and of
//! several.

use super::nested::{Dim, Nested, Places, walks};
use super::packed::{Origin, Packed, Room};
use super::runs::{Fill, Gather, Runs};
use super::{LinesMut, RowsMut, View, ViewMut};
use crate::MAX_NDIM;
use crate::dimension::Dimension;
use crate::element::Element;
use crate::short::{Extents, Short};

/// How far apart the elements of a row lie at most that is gathered.
const NEAR: usize = 8;

/// The matrices whose places one list has: along the last two axes, or with rows along several.
pub const SLABS: usize = 32;

impl<'a, T: Element, R: Dimension, E> View<'a, T, R, E> {
    /// The rows of a matrix of `count` rows of `len` elements, if this is that matrix, one row of
    /// it, or its only row as a vector, with rows of unit stride: a row repeats.
    // Inlined: what is returned in memory is waited for.
    #[doc(hidden)]
    #[inline(always)]
    pub fn rows_of(&self, count: usize, len: usize) -> Option<Runs<'a, T>> {
        let (own, rows, distance, stride) = match (self.layout.shape(), self.layout.strides()) {
            (&[own], &[stride]) => (own, 1, 0, stride),
            (&[rows, own], &[distance, stride]) => (own, rows, distance, stride),
            _ => return None,
        };
        let fits = own == len && (rows == count || rows == 1) && (stride == 1 || len == 1);
        if !fits || count == 0 || len == 0 {
            return None;
        }
        let distance = if rows == 1 { 0 } else { distance };
        let first = self.memory.reached(self.layout.offset(), distance, rows);
        // A view with elements reaches all of them by I1 and I2: I9.
        Some(Runs::every(first, distance, count, len))
    }
}

impl<'a, T: Element, R: Dimension, E> View<'a, T, R, E> {
    /// The elements of a result of this shape, in row-major order, as `count` rows of `len`, of any
    /// stride, if they lie so as the view is met there: along the axes `dims` of it, by rising
    /// numbers (without `dims`, along all), repeating along all others and where its extent is 1.
    /// None of what does not fit, or has no elements.
    #[doc(hidden)]
    #[inline]
    pub fn merged_rows<D: Dim>(
        &self,
        shape: &[usize],
        dims: Option<&[D]>,
        rows: (usize, usize),
    ) -> Option<Runs<'a, T>> {
        let (count, len) = rows;
        let (distance, stride) = self.layout.in_rows_within(shape, dims, rows)?;
        if count == 0 || len == 0 {
            return None;
        }
        let first = self.memory.reached(self.layout.offset(), distance, count);
        // A view with elements reaches all of them by I1 and I2, and the indices are of its shape:
        // I9.
        Some(Runs::every(first, distance, count, len).strided(stride))
    }
}

/// The extent of the view along an axis of a result, and its stride there.
type Along = (usize, isize);

impl<'a, T: Element, R: Dimension, E> View<'a, T, R, E> {
    /// The rows of a result of `count` rows of `len` elements, of one axis or two, of any stride,
    /// as the view is met there: along the axes `dims` of it (without `dims`, along all), repeating
    /// along all others and where its extent is 1; and how many rows and columns it has by itself.
    /// None of what does not fit, or has no elements.
    #[doc(hidden)]
    #[inline(always)]
    pub fn lines_of<D: Dim>(
        &self,
        ndim: usize,
        (count, len): (usize, usize),
        dims: Option<&[D]>,
    ) -> Option<(Runs<'a, T>, (usize, usize))> {
        const ONE: Along = (1, 0);
        let (down, across): (Along, Along) = match (self.layout.shape(), self.layout.strides()) {
            (&[rows, own], &[distance, stride]) if ndim == 2 => match dims {
                None => ((rows, distance), (own, stride)),
                Some(&[a, b]) if (a.into(), b.into()) == (0, 1) => {
                    ((rows, distance), (own, stride))
                }
                _ => return None,
            },
            (&[own], &[stride]) => match dims {
                None if ndim == 1 => (ONE, (own, stride)),
                Some(&[dim]) if dim.into() + 1 == ndim => (ONE, (own, stride)),
                Some(&[dim]) if dim.into() == 0 => ((own, stride), ONE),
                _ => return None,
            },
            ([], []) if dims.map_or(ndim == 0, <[D]>::is_empty) => (ONE, ONE),
            _ => return None,
        };
        let step = |(own, stride): Along, extent| match own == extent {
            true => Some(stride),
            false => (own == 1).then_some(0),
        };
        let (distance, stride) = (step(down, count)?, step(across, len)?);
        if count == 0 || len == 0 {
            return None;
        }
        let first = self.memory.reached(self.layout.offset(), 0, 1);
        // A view with elements reaches all of them by I1 and I2, and the indices are of its shape:
        // I9.
        let runs = Runs::every(first, distance, count, len);
        Some((runs.strided(if len == 1 { 1 } else { stride }), (down.0, across.0)))
    }
}

impl<'a, T: Element, R: Dimension, E> View<'a, T, R, E> {
    /// The rows of a result of this shape, of one axis or two, as the view is met there: axis `i`
    /// lies along axis `dims[i]` of it (without `dims`, along itself), and the elements repeat
    /// along all others and where the extent is 1. They are gathered, if there is room for one, and
    /// if its elements lie so near to each other that it takes no longer than to copy all at once.
    ///
    /// # Panics
    /// If the view does not fit the shape, or that has no elements, or other axes.
    #[doc(hidden)]
    pub fn gathered_rows<D: Dim>(
        &self,
        shape: &[usize],
        dims: Option<&[D]>,
        room: &mut Room<'a>,
        fill: Fill<T>,
    ) -> Option<Runs<'a, T>> {
        let mut along = [0_isize; 2];
        let layout = self.layout();
        D::place(shape, dims, (layout.shape(), layout.strides()), &mut along[2 - shape.len()..]);
        let (count, len) = match *shape {
            [len] => (1, len),
            [count, len] => (count, len),
            _ => panic!("one axis or two"),
        };
        if along[1].unsigned_abs() > NEAR {
            return None;
        }
        let (place, steps) = (layout.offset(), (along[0], along[1]));
        let lies = [(count, steps.0), (len, steps.1)];
        let origin = Origin::new(self.memory.address(place).cast_const(), &lies)?;
        let gather = match room.gather(&origin) {
            Some(gather) => gather,
            None => {
                let gather = Gather::new(self.memory, place, steps, fill, room.slots(len)?);
                let gather = &*room.slots(1)?.first_mut()?.write(gather);
                room.keep_gather(origin, gather)
            }
        };
        Some(Runs::gathered(gather, count))
    }
}

/// Where the elements lie along loops of these extents and strides, from the one of this number in
/// row-major order on.
fn places_from<'s>(
    extents: &'s [usize],
    strides: &'s [isize],
    number: usize,
) -> impl FnMut() -> isize + 's {
    let (mut index, mut left) = (Extents::filled(0, extents.len()), number);
    for (index, &extent) in index.iter_mut().zip(extents).rev() {
        (*index, left) = (left % extent, left / extent);
    }
    move || {
        let place = index.iter().zip(strides).map(|(&i, by)| i as isize * by).sum();
        for (index, &extent) in index.iter_mut().zip(extents).rev() {
            *index += 1;
            if *index < extent {
                break;
            }
            *index = 0;
        }
        place
    }
}

/// The place of the first of so many of the matrices along the last axes, from one on in
/// row-major order along the `outer` axes, from the first one of all on; and the places of all of
/// them from that one on, if they are several, and there is room for them. One has no list: it is
/// rows.
///
/// # Panics
/// If there are not as many, or they are more than [`SLABS`].
fn slabs<'s>(
    outer: &[usize],
    steps: &[isize],
    (first, count): (usize, usize),
    room: &mut Room<'s>,
) -> Option<(isize, &'s [isize])> {
    let all = outer.iter().product();
    assert!(count > 0 && first < all && count <= all - first, "as many matrices as there are");
    let mut places = [0; SLABS];
    let place = match *steps {
        // Of three axes, as most are of more than two.
        [step] => {
            let each = places[..count].iter_mut().zip(0_isize..);
            each.for_each(|(place, number)| *place = number * step);
            first as isize * step
        }
        _ => {
            let mut next = places_from(outer, steps, first);
            let place = next();
            places[1..count].fill_with(|| next() - place);
            place
        }
    };
    match count {
        1 => Some((place, &[])),
        _ => Some((place, room.slots(count)?.write_copy_of_slice(&places[..count]))),
    }
}

/// The extent and the stride of the axis that axes make, if they are nested without gaps.
fn together(shape: &[usize], along: &[isize]) -> Option<(usize, isize)> {
    let (mut all, mut step) = (1, 1);
    for (&extent, &stride) in shape.iter().zip(along).rev().filter(|(extent, _)| **extent != 1) {
        if all == 1 {
            step = stride;
        } else if stride != step * all as isize {
            return None;
        }
        all *= extent;
    }
    Some((all, step))
}

/// Where some matrices lie, as [`slabs_along`] finds it.
struct Matrices<'s> {
    /// The place of the first, and of all, as [`slabs`] gives them.
    place: isize,
    places: &'s [isize],
    /// How many rows each has, how far they lie apart, and their elements.
    count: usize,
    distance: isize,
    len: usize,
}

/// Some matrices in a shape, whose elements lie by these strides: their rows are the elements along
/// so many of the last axes. If there are elements, each row has unit stride, and there is room.
fn slabs_along<'s>(
    shape: &[usize],
    along: &[isize],
    (some, axes): ((usize, usize), usize),
    room: &mut Room<'s>,
) -> Option<Matrices<'s>> {
    let split = shape.len().checked_sub(axes)?;
    let (len, stride) = together(&shape[split..], &along[split..])?;
    let (&count, outer) = shape[..split].split_last()?;
    let (&distance, steps) = along[..split].split_last()?;
    if count == 0 || len == 0 || (stride != 1 && len > 1) {
        return None;
    }
    let (place, places) = slabs(outer, steps, some, room)?;
    Some(Matrices { place, places, count, distance, len })
}

/// Where rows repeat one element each, the loops over copies of all elements, of each one as often
/// as a row has it, and how many these are; the strides become those of the copies.
fn once_each(
    shape: &[usize],
    along: &mut [isize],
    axes: &mut Short<(usize, isize)>,
) -> Option<usize> {
    let &[.., count, len] = shape else { return None };
    let last = shape.len() - 1;
    if count == 0 || len <= 1 || along[last] != 0 {
        return None;
    }
    let once = |axis: usize| if along[axis] == 0 && axis < last { 1 } else { shape[axis] };
    let own = (0..=last).map(once).collect::<Extents>();
    let all = walks(&own, along, axes);
    let mut below = 1;
    for (step, &extent) in along.iter_mut().zip(&own).rev() {
        *step = if extent == 1 { 0 } else { below };
        below *= extent as isize;
    }
    Some(all)
}

impl<'a, T: Element, R: Dimension, E> View<'a, T, R, E> {
    /// Of a result of more than two axes, the rows of so many matrices, from one on in row-major
    /// order along the axes before theirs: rows along the last axis, or along several together.
    /// If each has unit stride, and there is room for where they lie: axis `i` lies along axis
    /// `dims[i]` of the result (without `dims`, along itself), and the elements repeat along all
    /// others and where the extent is 1.
    ///
    /// # Panics
    /// If the view does not fit the shape, there are not as many, or they are more than [`SLABS`].
    #[doc(hidden)]
    pub fn slabs_of<D: Dim>(
        &self,
        shape: &[usize],
        dims: Option<&[D]>,
        some: ((usize, usize), usize),
        room: &mut Room<'a>,
    ) -> Option<Runs<'a, T>> {
        let (layout, mut along) = (self.layout(), [0_isize; MAX_NDIM]);
        let along = &mut along[..shape.len()];
        D::place(shape, dims, (layout.shape(), layout.strides()), along);
        let mut axes = Short::new();
        let copy = match once_each(shape, along, &mut axes) {
            Some(len) => Some(self.memory.pack(layout.offset(), &axes, room.slots(len)?)),
            None => None,
        };
        let Matrices { place, places, count, distance, len } =
            slabs_along(shape, along, some, room)?;
        let runs = match copy {
            // I9: the copy has a row for each index, at these distances.
            Some(copy) => Runs::every(copy.as_ptr().wrapping_offset(place), distance, count, len),
            // As for `rows_of`: I9, of the first and, because the indices are of this shape, of
            // all.
            None => {
                let first = layout.offset().wrapping_add_signed(place);
                Runs::of(&self.memory, first, distance, count, len)
            }
        };
        Some(runs.at_rows(places))
    }
}

impl<'a, T: Element> Nested<'a, T> {
    /// The runs of `len` elements that begin at index `start` and at the `count - 1` indices after
    /// it along a loop, if each has unit stride.
    ///
    /// # Panics
    /// If they leave the loops, or run across the one along which they follow each other.
    #[inline]
    pub fn runs(
        &self,
        start: &[usize],
        along: usize,
        count: usize,
        len: usize,
    ) -> Option<Runs<'a, T>> {
        let (place, distance) = self.places.runs(start, along, count, len)?;
        Some(Runs::of(&self.memory, place, distance, count, len))
    }

    /// The runs of `len` elements, each of which is one value, that begin at index `start` and at
    /// the `count - 1` indices after it along a loop: gathered in a buffer.
    ///
    /// # Panics
    /// If they leave the loop.
    #[inline]
    pub fn splats<'s>(
        &'s self,
        start: &[usize],
        along: usize,
        (count, len): (usize, usize),
        (gather, to): (&'s mut Option<Gather<'a, T>>, &'s mut Packed<T>),
        fill: Fill<T>,
    ) -> Runs<'s, T> {
        let (place, distance) = self.places.runs(start, along, count, 1).expect("one element");
        let slots = to.room(len);
        let gather = gather.insert(Gather::new(self.memory, place, (distance, 0), fill, slots));
        Runs::gathered(gather, count)
    }

    /// The rows of `len` elements whose first elements lie at these places from index `start` on,
    /// if each has unit stride.
    ///
    /// # Panics
    /// If the places are not those of loops of this view, or leave them.
    pub fn rows(&self, start: &[usize], rows: &'a Rows, len: usize) -> Option<Runs<'a, T>> {
        let place = self.places.rows(start, rows, len)?;
        let ends = [rows.low, rows.high].map(|end| place.wrapping_add_signed(end));
        for end in ends {
            let _ = self.memory.pointer(end, len);
        }
        let first = self.memory.pointer(place, len).cast_const();
        // The loops reach all of them by I5: I9.
        Some(Runs::every(first, 0, 1, len).at_rows(&rows.places))
    }
}

/// Where rows lie, from the first one on.
#[derive(Debug, Default)]
pub struct Rows {
    pub(super) places: Vec<isize>,
    /// The least and the greatest place.
    pub(super) low: isize,
    pub(super) high: isize,
    /// The loops of a view that they lie along, the extents of these, and their strides.
    pub(super) along: Option<(usize, Extents, Short<isize>)>,
}

impl Rows {
    /// The places in row-major order along some loops of a view from `first` on. False if there is
    /// no memory for them.
    pub fn along<T>(&mut self, view: &Nested<'_, T>, first: usize, extents: &[usize]) -> bool {
        self.along_loops(&view.places, first, extents)
    }

    fn along_loops(&mut self, places: &Places, first: usize, extents: &[usize]) -> bool {
        let strides = &places.strides()[first..][..extents.len()];
        let kept = |(at, of, by): &(usize, Extents, Short<isize>)| {
            *at == first && **of == *extents && **by == *strides
        };
        if self.along.as_ref().is_some_and(kept) {
            return true;
        }
        let mut next = places_from(extents, strides, 0);
        let done = self.set_each(extents.iter().product(), &mut |_| next());
        let along = (first, Extents::from_slice(extents), Short::from_slice(strides));
        self.along = done.then_some(along);
        done
    }

    /// The places of so many rows, each a function of its number. False if there is no memory.
    pub fn set(&mut self, count: usize, mut place: impl FnMut(usize) -> isize) -> bool {
        self.set_each(count, &mut place)
    }

    fn set_each(&mut self, count: usize, place: &mut dyn FnMut(usize) -> isize) -> bool {
        (self.low, self.high, self.along) = (0, 0, None);
        self.places.clear();
        if self.places.try_reserve_exact(count).is_err() {
            return false;
        }
        self.places.extend((0..count).map(place));
        for &place in &self.places {
            (self.low, self.high) = (self.low.min(place), self.high.max(place));
        }
        true
    }

    /// How many there are.
    #[allow(clippy::len_without_is_empty)]
    pub fn len(&self) -> usize {
        self.places.len()
    }
}

impl<T, R: Dimension, E> ViewMut<'_, T, R, E> {
    /// The rows of so many matrices, from one on, as [`slabs_of`](View::slabs_of), if they have
    /// elements.
    ///
    /// # Panics
    /// If there are not as many, or they are more than [`SLABS`].
    #[doc(hidden)]
    pub fn slabs_mut<'v>(
        &'v mut self,
        some: ((usize, usize), usize),
        room: &mut Room<'v>,
    ) -> Option<RowsMut<'v, T>> {
        let (shape, strides) = (self.layout.shape(), self.layout.strides());
        let Matrices { place, places, count, distance, len } =
            slabs_along(shape, strides, some, room)?;
        let first = self.memory.address(self.layout.offset().wrapping_add_signed(place));
        // The layout reaches all of them, each by one index: I10 by I1, I2 and I3.
        Some(RowsMut::at(first, distance, count, len).at_slabs(places))
    }

    /// The rows of a matrix or the elements of a vector, of any stride; none of another rank, or
    /// without elements.
    #[doc(hidden)]
    #[inline(always)]
    pub fn lines_mut(&mut self) -> Option<LinesMut<'_, T>> {
        let (distance, count, stride, len) = match (self.layout.shape(), self.layout.strides()) {
            (&[len], &[stride]) => (0, 1, stride, len),
            (&[count, len], &[distance, stride]) => (distance, count, stride, len),
            _ => return None,
        };
        if count == 0 || len == 0 {
            return None;
        }
        let first = self.memory.address(self.layout.offset());
        // The layout reaches all of them, each by one index: I10 by I1, I2 and I3.
        Some(LinesMut::new(first, (distance, count), (stride, len)))
    }

    /// All elements in row-major order as `count` rows of `len`, of any stride, if they lie so.
    #[doc(hidden)]
    #[inline]
    pub fn merged_lines_mut(&mut self, rows: (usize, usize)) -> Option<LinesMut<'_, T>> {
        let ((count, len), (distance, stride)) = (rows, self.layout.in_rows(rows)?);
        let first = self.memory.address(self.layout.offset());
        // The layout reaches all of them, each by one index: I10 by I1, I2 and I3.
        Some(LinesMut::new(first, (distance, count), (stride, len)))
    }

    /// The same, if the rows have unit stride.
    #[doc(hidden)]
    #[inline]
    pub fn merged_rows_mut(&mut self, rows: (usize, usize)) -> Option<RowsMut<'_, T>> {
        let ((count, len), (distance, stride)) = (rows, self.layout.in_rows(rows)?);
        // As for lines.
        (stride == 1)
            .then(|| RowsMut::at(self.memory.address(self.layout.offset()), distance, count, len))
    }

    /// All elements as rows in row-major order, if they are one stretch of memory, or those of a
    /// matrix, or a vector, with unit stride.
    #[doc(hidden)]
    #[inline]
    pub fn unit_rows_mut(&mut self) -> Option<RowsMut<'_, T>> {
        let rows = match (self.layout.shape(), self.layout.strides()) {
            _ if self.layout.is_c_contiguous() => (self.layout.size(), 0, 1),
            (&[len], &[1]) => (len, 0, 1),
            (&[count, len], &[distance, stride]) if stride == 1 || len == 1 => {
                (len, distance, count)
            }
            _ => return None,
        };
        let (len, distance, count) = rows;
        let offset = self.layout.offset();
        let first = if len > 0 && count > 0 {
            self.memory.address(offset)
        } else {
            self.memory.pointer(0, 0)
        };
        // The layout reaches all of them, each by one index: I10 by I1, I2 and I3.
        Some(RowsMut::at(first, distance, count, len))
    }
}
