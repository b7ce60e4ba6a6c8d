//! Each thread keeps the buffers of its last tasks, so that computing into memory that exists
//! allocates nothing, once warm.

use crate::LINE;
use std::cell::RefCell;
use std::mem::MaybeUninit;

/// The most buffers a thread keeps.
const MOST: usize = 8;
/// Larger buffers are not kept.
const LARGEST: usize = 1 << 19;

thread_local! {
    /// The newest last.
    static SPARE: RefCell<Vec<Buffer>> = const { RefCell::new(Vec::new()) };
}

/// The memory of a cache line, for elements of any type.
#[derive(Clone, Copy, Debug)]
#[repr(align(64))]
pub(crate) struct Line(#[allow(dead_code)] [u8; LINE]);

/// Memory for elements of any type.
pub(crate) type Buffer = Vec<MaybeUninit<Line>>;

/// A buffer of at least so many lines, of this thread or new; `None` if there is no memory for one.
pub(crate) fn take(lines: usize) -> Option<Buffer> {
    let spare = SPARE.try_with(|spare| {
        let mut spare = spare.borrow_mut();
        let position = spare.iter().rposition(|buffer| buffer.len() >= lines)?;
        Some(spare.remove(position))
    });
    spare.ok().flatten().or_else(|| {
        let mut buffer = Buffer::new();
        buffer.try_reserve_exact(lines).ok()?;
        buffer.resize(lines, MaybeUninit::uninit());
        Some(buffer)
    })
}

/// Keeps a buffer for the next task.
pub(crate) fn give(buffer: Buffer) {
    if size_of_val(&buffer[..]) > LARGEST {
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
