//! Elements cloned to a list in logical order, where they do not lie so: what `to_vec` is made of.

use super::has_unit;
use super::memory::{Memory, prefetch};
use super::nested::walks;
use super::pack::{AHEAD, ROWS, SHORT_COPY};
use crate::dimension::Dimension;
use crate::element::Item;
use crate::layout::Layout;
use crate::short::Short;
use crate::turn::is_plain;
use std::mem::needs_drop;

impl<T: Item> Memory<'_, T> {
    /// Appends clones of the elements that a layout reaches, in row-major order, to a list that has
    /// room for them.
    pub(crate) fn clone_to<R: Dimension>(&self, layout: &Layout<R>, to: &mut Vec<T>) {
        let mut axes = Short::new();
        let len = walks(layout.shape(), layout.strides(), &mut axes);
        if len == 0 {
            return;
        }
        let (before, place) = (to.len(), layout.offset());
        if const { has_unit::<T>() } && is_plain::<T>() {
            self.pack_units(place, &axes, &mut to.spare_capacity_mut()[..len]);
            // SAFETY: there is room for as many, and all of them have been written.
            unsafe { to.set_len(before + len) };
        } else {
            self.clone_axes(place, &axes, to);
        }
    }

    /// Appends clones of the elements that lie at `place` and along `axes`.
    fn clone_axes(&self, place: usize, axes: &[(usize, isize)], to: &mut Vec<T>) {
        match *axes {
            [] => to.extend_from_slice(self.stretch(place, 1)),
            // The standard library copies these, if they are `Copy`.
            [(len, 1)] => to.extend_from_slice(self.stretch(place, len)),
            [(len, 0)] => to.resize(to.len() + len, self.stretch(place, 1)[0].clone()),
            [(times, 0), ref inner @ ..] => {
                let start = to.len();
                self.clone_axes(place, inner, to);
                let end = start + times * (to.len() - start);
                while to.len() < end {
                    let more = (to.len() - start).min(end - to.len());
                    to.extend_from_within(start..start + more);
                }
            }
            [(len, stride)] => {
                let first = self.strided(place, stride, len);
                // SAFETY: `strided` has checked the bounds; readable, as all that a layout reaches.
                let element = |i: usize| unsafe { &*first.offset(i as isize * stride) }.clone();
                // The length of a range is known for certain, so that there is one check a line.
                to.extend((0..len).map(element));
            }
            // In that order a list could not drop them, should the clone of one panic.
            [(rows, 1), (columns, stride)]
                if !needs_drop::<T>() && (stride != 0 || columns <= SHORT_COPY) =>
            {
                self.clone_transposed(place, (rows, columns), stride, to);
            }
            [(len, stride), ref inner @ ..] => {
                for i in 0..len as isize {
                    self.clone_axes((place as isize + i * stride) as usize, inner, to);
                }
            }
        }
    }

    /// Appends clones of the elements at `place + i + j * stride`, for each row `i` and column `j`.
    fn clone_transposed(
        &self,
        place: usize,
        (rows, columns): (usize, usize),
        stride: isize,
        to: &mut Vec<T>,
    ) {
        let (before, len) = (to.len(), rows * columns);
        let slots = &mut to.spare_capacity_mut()[..len];
        // A few rows at a time, whose lines stay in the cache until they are full.
        for (number, slots) in slots.chunks_mut(ROWS * columns).enumerate() {
            let (place, rows) = ((place + number * ROWS) as isize, slots.len() / columns);
            let column = |j: usize| place + j as isize * stride;
            for j in 0..columns {
                if j + AHEAD < columns {
                    prefetch::<true, T>(*self, column(j + AHEAD), rows);
                }
                let from = self.stretch(column(j) as usize, rows);
                let lines = slots.chunks_exact_mut(columns);
                lines.zip(from).for_each(|(line, from)| _ = line[j].write(from.clone()));
            }
        }
        // SAFETY: there is room for as many, and the slot of each row and column has been written.
        unsafe { to.set_len(before + len) };
    }
}
