#![doc = include_str!("../README.md")]
#![cfg_attr(docsrs, feature(doc_cfg))]

mod data;
mod element;
mod error;
mod map;
#[cfg(feature = "npy")]
pub mod npy;
#[cfg(feature = "npz")]
pub mod npz;
#[cfg(feature = "safetensors")]
pub mod safetensors;
#[cfg(any(feature = "npy", feature = "safetensors"))]
mod text;

pub use element::{ElementKind, FileElement};
pub use elementwise::{Array, View};
pub use error::{FileError, FileErrorKind};
pub use map::Map;
