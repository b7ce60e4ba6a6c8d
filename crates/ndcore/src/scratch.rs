//! Each thread keeps the buffers of its last tasks, so that computing into memory that exists
//! allocates nothing, once warm.

use crate::element::Element;
use crate::list::boxed;
use std::any::Any;
use std::cell::RefCell;
use std::mem::MaybeUninit;

/// The most buffers a thread keeps.
const MOST: usize = 8;
/// Larger buffers are not kept.
const LARGEST: usize = 1 << 19;

thread_local! {
    /// Of type `Buffer<T>`, for any `T`; the newest last.
    static SPARE: RefCell<Vec<Box<dyn Any>>> = const { RefCell::new(Vec::new()) };
}

/// The box stays one while the buffer comes and goes, so that keeping it allocates nothing either.
pub(crate) type Buffer<T> = Box<[Vec<MaybeUninit<T>>; 1]>;

/// A buffer of this thread, of any length; `None` if there is no memory for one.
pub(crate) fn take<T: Element>() -> Option<Buffer<T>> {
    let spare = SPARE.try_with(|spare| {
        let mut spare = spare.borrow_mut();
        let position = spare.iter().rposition(|buffer| buffer.is::<[Vec<MaybeUninit<T>>; 1]>())?;
        spare.remove(position).downcast().ok()
    });
    spare.ok().flatten().or_else(|| boxed(Vec::new()))
}

/// Keeps a buffer for the next task.
pub(crate) fn give<T: Element>(buffer: Buffer<T>) {
    if buffer[0].capacity() * size_of::<T>() > LARGEST {
        return;
    }
    // While the thread ends there is nothing to keep it for.
    let _ = SPARE.try_with(|spare| {
        let mut spare = spare.borrow_mut();
        if spare.len() == MOST {
            spare.remove(0);
        }
        if spare.try_reserve(1).is_ok() {
            spare.push(buffer);
        }
    });
}
