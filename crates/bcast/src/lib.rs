#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod error;
mod rule;
mod view;

pub use error::{Error, ErrorKind};
pub use rule::{
    binary_shape, broadcast_in_dim, broadcast_in_dim_strict, degenerate_shape, numpy_shape,
    suffix_dims, ternary_shape,
};
pub use view::{Broadcast, Dims};
