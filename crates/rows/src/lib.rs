#![doc = include_str!("../README.md")]
#![forbid(unsafe_code)]

mod comm;
mod error;
mod input;
#[cfg(feature = "mpi")]
pub mod mpi;
mod rows;
mod write;
#[cfg(feature = "zarr")]
mod zarr;

pub use comm::{Communicator, Solo, Threads, threads};
pub use error::{Error, ErrorKind};
pub use input::{Input, Mapped};
pub use rows::{Rows, Slabs, Softmax, shared, together};
#[cfg(feature = "zarr")]
pub use zarr::{Absent, Zarr, ZarrError};
