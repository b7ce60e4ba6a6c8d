//! [`BridgeError`]: why something cannot go to another crate, or come from it, as it lies.

use ndcore::LayoutError;

/// Why something cannot go to another crate, or come from it, as it lies.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BridgeError {
    /// A stride that the other side has no number for.
    #[error("axis {axis} has a stride of {stride}; {what} has no negative ones")]
    NegativeStride {
        /// The axis.
        axis: usize,
        /// Its stride, in elements.
        stride: isize,
        /// The other side.
        what: &'static str,
    },
    /// A column of which the elements do not lie side by side.
    #[error(
        "the elements of a column lie {stride} apart; nalgebra takes columns that lie side by side, \
         as those of the transposed view of rows do"
    )]
    ColumnStride {
        /// From one row to the next, in elements.
        stride: isize,
    },
    /// Elements that do not fill their memory, for another side that takes it as one slice.
    #[error(
        "shape {shape:?} by strides {strides:?} is not one piece of memory, which {what} takes"
    )]
    NotOnePiece {
        /// The shape.
        shape: Vec<usize>,
        /// The strides, in elements.
        strides: Vec<isize>,
        /// The other side.
        what: &'static str,
    },
    /// Elements that are missing.
    #[error("{count} of {len} elements are null; an array has a value for each")]
    Nulls {
        /// How many.
        count: usize,
        /// The length.
        len: usize,
    },
    /// Another element type.
    #[error("the elements are {found}, not {expected}")]
    ElementType {
        /// What was asked for.
        expected: String,
        /// What there is.
        found: String,
    },
    /// The last axis of a picture has another number of channels.
    #[error("shape {shape:?} has not {channels} channels as its last axis")]
    Channels {
        /// The shape.
        shape: Vec<usize>,
        /// The channels of a pixel.
        channels: usize,
    },
    /// A number that the other side holds in fewer bits.
    #[error("an extent of {extent} along axis {axis} is too much for {what}")]
    Extent {
        /// The axis.
        axis: usize,
        /// Its extent.
        extent: usize,
        /// The other side.
        what: &'static str,
    },
    /// A tensor in the memory of another device.
    #[error("the tensor is on device {device_type}:{device_id}, not in the machine's own memory")]
    Device {
        /// The number that DLPack gives the kind of device.
        device_type: i32,
        /// Which of them.
        device_id: i32,
    },
    /// A tensor of another version of DLPack.
    #[error("the tensor is of version {major}.{minor} of DLPack; only versions 1.x are read")]
    Version {
        /// The major version.
        major: u32,
        /// The minor version.
        minor: u32,
    },
    /// A tensor that says impossible things of itself.
    #[error("the tensor is malformed: {0}")]
    Malformed(&'static str),
    /// A shape that says impossible things.
    #[error("axis {axis} of the tensor has an extent of {extent}")]
    NegativeExtent {
        /// The axis.
        axis: usize,
        /// Its extent.
        extent: i64,
    },
    /// Elements that may only be read.
    #[error("the tensor may be read only")]
    ReadOnly,
    /// Elements that are not where they could be read.
    #[error("the elements begin at address {address:#x}, which is no multiple of {align}")]
    Misaligned {
        /// The address of the first element.
        address: usize,
        /// The alignment of an element.
        align: usize,
    },
    /// A shape or layout that an array cannot have.
    #[error(transparent)]
    Layout(#[from] LayoutError),
}
