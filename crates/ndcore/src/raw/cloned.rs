//! Elements cloned into slots, where they do not lie side by side: what `to_vec` is made of.

use super::packed::{AHEAD, ROWS};
use super::{Memory, prefetch};
use crate::element::{Element, Item};
use crate::turn::is_plain;
use num_complex::Complex;
use std::marker::PhantomData;
use std::mem::MaybeUninit;

impl<T: Item> Memory<'_, T> {
    /// Clones the elements that lie at `place` and along `axes` (length and stride, the outermost
    /// first) into `to`, one for each slot. All of them may be read.
    pub(super) fn clone_box(
        &self,
        place: usize,
        axes: &[(usize, isize)],
        to: &mut [MaybeUninit<T>],
    ) {
        if !to.is_empty() && !self.copy_bits(place, axes, to) {
            self.clone_axes(place, axes, to);
        }
    }

    /// As [`clone_box`](Self::clone_box), if the elements are numbers: then their bits are copied.
    /// Each kind of bits is copied by one function, which is compiled here, not where it is used.
    #[inline]
    fn copy_bits(
        &self,
        place: usize,
        axes: &[(usize, isize)],
        to: &mut [MaybeUninit<T>],
    ) -> bool {
        macro_rules! by {
            ($($bits:ty: $copy:ident),*) => {$(
                if size_of::<T>() == size_of::<$bits>() && align_of::<T>() == align_of::<$bits>() {
                    let (data, len) = (self.data.cast::<$bits>(), self.len);
                    let slots = to.as_mut_ptr().cast::<MaybeUninit<$bits>>();
                    // SAFETY: slots of the same size and alignment, borrowed by `to`. What is
                    // written to them below are the bits of a `T` each.
                    let slots = unsafe { std::slice::from_raw_parts_mut(slots, to.len()) };
                    // Numbers have no padding, so that they can be read as other numbers (I2).
                    $copy(&Memory { data, len, lifetime: PhantomData }, place, axes, slots);
                    return true;
                }
            )*};
        }
        if is_plain::<T>() {
            by!(u8: ones, u16: twos, u32: fours, u64: eights, Complex<f32>: pairs, Complex<f64>: long_pairs);
        }
        false
    }

    /// As [`clone_box`](Self::clone_box), one by one.
    fn clone_axes(&self, place: usize, axes: &[(usize, isize)], to: &mut [MaybeUninit<T>]) {
        match *axes {
            [] => self.clone_line(place, 1, to, (1, 1)),
            [(len, stride)] => self.clone_line(place, stride, to, (1, len)),
            [(rows, 1), (columns, stride)] => {
                debug_assert_eq!(to.len(), rows * columns);
                // A few rows at a time, whose lines stay in the cache until they are full.
                for (number, to) in to.chunks_mut(ROWS * columns).enumerate() {
                    let rows = to.len() / columns;
                    let place = (place + number * ROWS) as isize;
                    let column = |j: usize| place + j as isize * stride;
                    for j in 0..columns {
                        if j + AHEAD < columns {
                            prefetch(*self, column(j + AHEAD), rows);
                        }
                        self.clone_line(column(j) as usize, 1, &mut to[j..], (columns, rows));
                    }
                }
            }
            [(len, stride), ref inner @ ..] => {
                let period = to.len() / len;
                for (i, to) in to.chunks_exact_mut(period).enumerate() {
                    self.clone_axes((place as isize + i as isize * stride) as usize, inner, to);
                }
            }
        }
    }

    /// Clones `len` elements that lie `stride` apart into every `step`-th slot, from the first on.
    #[inline]
    fn clone_line(
        &self,
        place: usize,
        stride: isize,
        to: &mut [MaybeUninit<T>],
        (step, len): (usize, usize),
    ) {
        let first = self.strided(place, stride, len);
        // SAFETY: `strided` has checked the bounds; readable by what `clone_box` asks for.
        let element = |i: usize| unsafe { &*first.offset(i as isize * stride) };
        if step == 1 && stride == 1 {
            let to = &mut to[..len];
            // A loop of its own, which the compiler can make a copy of memory of.
            (0..len).for_each(|i| _ = to[i].write(element(i).clone()));
        } else {
            let slots = to.iter_mut().step_by(step).take(len);
            slots.enumerate().for_each(|(i, to)| _ = to.write(element(i).clone()));
        }
    }
}

macro_rules! copies {
    ($($copy:ident: $bits:ty;)*) => {$(
        #[inline(never)]
        fn $copy(
            from: &Memory<'_, $bits>,
            place: usize,
            axes: &[(usize, isize)],
            to: &mut [MaybeUninit<$bits>],
        ) {
            pack(from, place, axes, to);
        }
    )*};
}

copies! {
    ones: u8;
    twos: u16;
    fours: u32;
    eights: u64;
    pairs: Complex<f32>;
    long_pairs: Complex<f64>;
}

#[inline]
fn pack<T: Element>(
    from: &Memory<'_, T>,
    place: usize,
    axes: &[(usize, isize)],
    to: &mut [MaybeUninit<T>],
) {
    from.pack(place, axes, to);
}
