//! Elements that are computed by groups.

use crate::kernel::isa::{Isa, Kernel};
use ndcore::Element;
use std::mem::MaybeUninit;

/// What computes elements by groups, which depend on the number of the group alone.
pub trait ByGroups {
    /// An element.
    type Elem: Element;
    /// An array of them.
    type Group: AsRef<[Self::Elem]>;

    /// The elements of a group. Mark it as `#[inline(always)]`, as the loop of a kernel.
    fn group(&self, number: usize) -> Self::Group;
}

/// The loop that stores groups.
struct Generating<'g, G>(&'g G);

impl<G: ByGroups> Kernel for Generating<'_, G> {
    type Slot = MaybeUninit<G::Elem>;
    type Held = ();

    #[inline(always)]
    fn held(&self) {}

    #[inline(always)]
    fn run(&self, (): (), slots: &mut [Self::Slot], _: usize) {
        let len = const { size_of::<G::Group>() / size_of::<G::Elem>() };
        let whole = slots.len() / len;
        let mut groups = slots.chunks_exact_mut(len);
        for (number, slots) in groups.by_ref().enumerate() {
            slots.write_copy_of_slice(self.0.group(number).as_ref());
        }
        let rest = groups.into_remainder();
        if !rest.is_empty() {
            rest.write_copy_of_slice(&self.0.group(whole).as_ref()[..rest.len()]);
        }
    }
}

impl Isa {
    /// Fills slots with groups, from the first on; of the last one, with what there is room for.
    ///
    /// # Panics
    /// If a group is something else than its elements.
    #[doc(hidden)]
    pub fn generate<'s, G: ByGroups>(
        self,
        generator: &G,
        slots: &'s mut [MaybeUninit<G::Elem>],
    ) -> &'s mut [G::Elem] {
        self.dispatch(&Generating(generator), slots);
        // SAFETY: the chunks and the rest are all slots, and `Generating::run` has copied as many
        // elements to each of them as it has slots, or panicked.
        unsafe { slots.assume_init_mut() }
    }
}
