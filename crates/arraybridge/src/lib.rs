#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

#[cfg(feature = "arrow")]
pub mod arrow;
#[cfg(feature = "dlpack")]
pub mod dlpack;
mod error;
#[cfg(feature = "faer")]
pub mod faer;
#[cfg(feature = "image")]
pub mod image;
#[cfg(feature = "nalgebra")]
pub mod nalgebra;

pub use error::BridgeError;

/// What another crate has, as a view: nothing is copied, and strides are kept.
pub trait IntoView {
    /// The view, or, where not all of that type can be one, a `Result`.
    type View;

    /// The same elements where they lie.
    fn into_view(self) -> Self::View;
}

/// What another crate owns, as an array: the memory is handed over where that crate lets it go.
pub trait IntoArray {
    /// The array, or, where not all of that type can be one, a `Result`.
    type Array;

    /// The same elements, owned.
    fn into_array(self) -> Self::Array;
}
