//! Units: what elements are copied as. A copy depends on the size of the elements alone: so the
//! copiers of elements of 1, 2, 4, 8 and 16 bytes are compiled here, and not once for each type
//! where it is used.

use super::Memory;
use super::copies::{copy_loops, unpack_any};
use crate::element::Element;
use crate::turn::is_plain;
use std::marker::PhantomData;
use std::mem::MaybeUninit;

/// A place of the size of an element, for any bytes: those too that an element leaves uninitialised
/// between its fields.
trait Unit: Element {
    /// As [`Memory::pack_any`].
    fn pack(
        from: Memory<'_, Self>,
        place: usize,
        axes: &[(usize, isize)],
        to: &mut [MaybeUninit<Self>],
        plain: fn() -> bool,
    );

    /// As [`unpack_any`], of all of a memory.
    fn unpack(to: Memory<'_, Self>, place: usize, axes: &[(usize, isize)], from: Memory<'_, Self>);

    /// As [`copy_loops`].
    fn copy(
        from: (Memory<'_, Self>, usize),
        to: (Memory<'_, MaybeUninit<Self>>, usize),
        loops: &[(usize, isize, isize)],
    );
}

/// Whether elements can be copied as those of another type.
const fn suits<T, U>() -> bool {
    size_of::<T>() == size_of::<U>() && align_of::<T>() >= align_of::<U>()
}

macro_rules! units {
    ($($bits:ty),*) => {
        $(
            impl Unit for MaybeUninit<$bits> {
                fn pack(
                    from: Memory<'_, Self>,
                    place: usize,
                    axes: &[(usize, isize)],
                    to: &mut [MaybeUninit<Self>],
                    plain: fn() -> bool,
                ) {
                    from.pack_any(place, axes, to, plain);
                }

                fn unpack(
                    to: Memory<'_, Self>,
                    place: usize,
                    axes: &[(usize, isize)],
                    from: Memory<'_, Self>,
                ) {
                    unpack_any(to, place, axes, from.stretch(0, from.len));
                }

                fn copy(
                    from: (Memory<'_, Self>, usize),
                    to: (Memory<'_, MaybeUninit<Self>>, usize),
                    loops: &[(usize, isize, isize)],
                ) {
                    copy_loops(from, to, loops);
                }
            }
        )*

        /// Whether elements of a type are copied as units.
        pub(crate) const fn has_unit<T>() -> bool {
            $(suits::<T, $bits>() ||)* false
        }

        impl<T: 'static> Memory<'_, T> {
            /// Copies the elements that lie at `place` and along `axes` to slots, one for each, as
            /// units, if the type [has one](has_unit). All of them may be read.
            #[inline]
            pub(super) fn pack_units(
                &self,
                place: usize,
                axes: &[(usize, isize)],
                to: &mut [MaybeUninit<T>],
            ) {
                let (slots, len) = (to.as_mut_ptr(), to.len());
                $(
                    if const { suits::<T, $bits>() } {
                        type Own = MaybeUninit<$bits>;
                        // SAFETY: as many slots of the same size, and of an alignment that is no
                        // greater, which `to` borrows; any bytes may lie in them.
                        let to = unsafe { std::slice::from_raw_parts_mut(slots.cast(), len) };
                        return Own::pack(self.cast(), place, axes, to, is_plain::<T>);
                    }
                )*
            }
        }

        /// As [`unpack_any`], as units, if the type [has one](has_unit).
        #[inline]
        pub(super) fn unpack_units<T>(
            to: Memory<'_, T>,
            place: usize,
            axes: &[(usize, isize)],
            from: &[T],
        ) {
            let from = Memory::of(from.into());
            $(
                if const { suits::<T, $bits>() } {
                    type Own = MaybeUninit<$bits>;
                    return Own::unpack(to.cast(), place, axes, from.cast());
                }
            )*
        }

        /// As [`copy_loops`], as units, if the type [has one](has_unit).
        #[inline]
        pub(super) fn copy_units<T>(
            from: (Memory<'_, T>, usize),
            to: (Memory<'_, MaybeUninit<T>>, usize),
            loops: &[(usize, isize, isize)],
        ) {
            $(
                if const { suits::<T, $bits>() } {
                    type Own = MaybeUninit<$bits>;
                    return Own::copy((from.0.cast(), from.1), (to.0.cast(), to.1), loops);
                }
            )*
        }
    };
}
// Pairs, because two registers are moved faster than what has to be in memory.
units!(u8, u16, u32, u64, (u32, u32), (u64, u64));

impl<'a, T> Memory<'a, T> {
    /// The same memory, of elements of the same size.
    #[inline]
    fn cast<U>(self) -> Memory<'a, U> {
        assert!(suits::<T, U>(), "elements of one size");
        Memory { data: self.data.cast(), len: self.len, lifetime: PhantomData }
    }
}
