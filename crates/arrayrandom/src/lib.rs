#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod fill;
mod philox;
mod sample;

pub use fill::{FillBits, FillFloat};
pub use philox::Philox;
pub use sample::{RandomExt, Replacement, SampleExt, permutation};
