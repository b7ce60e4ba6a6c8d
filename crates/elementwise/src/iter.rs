//! The iterators of arrays, by name: what `iter`, `lanes`, `windows` and their like return.

use crate::types::Fused;

pub use ndcore::{IndexedIter, IndexedIterMut, Iter, IterMut};

macro_rules! parts {
    ($($name:ident)*) => {$(
        #[doc = concat!("[`ndcore::", stringify!($name), "`] of arrays with operators.")]
        pub type $name<'a, T, R> = ndcore::$name<'a, T, R, Fused>;
    )*};
}

parts! {
    AxisChunks AxisChunksMut AxisIter AxisIterMut AxisWindows ExactChunks ExactChunksMut Lanes LanesMut Windows
}
