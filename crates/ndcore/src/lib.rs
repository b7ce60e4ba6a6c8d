#![doc = include_str!("../README.md")]

#[macro_use]
mod kinds;

#[cfg(feature = "approx")]
mod approx;
mod array;
mod axes;
mod axis;
#[cfg(feature = "ndarray-0_17")]
mod bridge;
mod buffer;
mod build;
#[cfg(feature = "bytemuck")]
mod cast;
mod compare;
mod convert;
mod dimension;
mod element;
mod error;
mod format;
mod forms;
mod grow;
mod heap;
mod index;
mod indexed;
mod iter;
mod lanes;
mod layout;
mod line;
mod list;
mod make;
mod meshgrid;
mod methods;
mod moving;
mod multi;
pub mod operator;
#[cfg(feature = "rayon")]
mod parallel;
mod parts;
mod pool;
mod raw;
mod relabel;
mod scratch;
#[cfg(feature = "serde")]
mod serialize;
mod shared;
mod short;
mod slice;
mod turn;
mod types;
mod walk;

pub use array::{
    Array, Array0, Array1, Array2, Array3, Array4, Array5, Array6, Array7, Array8, ArrayD, View0,
    View1, View2, View3, View4, View5, View6, View7, View8, ViewD, ViewMut0, ViewMut1, ViewMut2,
    ViewMut3, ViewMut4, ViewMut5, ViewMut6, ViewMut7, ViewMut8, ViewMutD,
};
pub use axes::{Axes, MAX_NDIM};
pub use axis::{Axis, IntoAxes, IntoAxis};
#[cfg(feature = "ndarray-0_17")]
pub use bridge::NdarrayRank;
#[doc(hidden)]
pub use buffer::{ask_for_huge_pages, reserved, reserved_for_array};
pub use dimension::{
    ColumnMajor, Dimension, Dyn, IntoLayout, IntoShape, MaxRank, Order, Rank, ShapeBuilder,
};
pub use element::{Element, Item};
pub use error::{LayoutError, LayoutErrorKind};
#[doc(hidden)]
pub use heap::{Heap, boxed};
pub use index::NdIndex;
pub use indexed::{IndexedIter, IndexedIterMut};
pub use iter::{Iter, IterMut};
/// The size of a cache line, in bytes.
pub const LINE: usize = 64;

pub use layout::{Layout, Nest, expand_strides, size_of_shape};
pub use list::{List, Text};
pub use meshgrid::{MeshIndex, Meshgrid, meshgrid};
pub use multi::MultiSlice;
#[cfg(feature = "rayon")]
pub use parallel::{Halves, Parallel};
pub use parts::{
    AxisChunks, AxisChunksMut, AxisIter, AxisIterMut, AxisWindows, ExactChunks, ExactChunksMut,
    Lanes, LanesMut, Subviews, SubviewsMut, Windows,
};
pub use pool::{PoolStats, pool_stats, set_pool_limit, trim_pool};
pub use raw::{
    Dim, Few, Fill, Filled, Gather, LinesMut, Nested, Packed, Part, Plane, Room, Rows, RowsMut,
    Runs, SLABS, Spaced, Starts, Strip, View, ViewMut, Window, fill_rows,
};
pub use shared::{ArcArray, ArcArray1, ArcArray2, CowArray};
pub use short::{Extents, Short};
pub use slice::{
    FitsRank, NewAxis, SliceArg, SliceArgs, SliceElem, SliceInt, SliceRange, Slices, Stepped,
};
