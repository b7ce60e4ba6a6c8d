//! Benchmarks of zerostride against its peers, which are dependencies of this package only.
//!
//! A [workload](workloads::Workload) is one row of the table in [`workloads`]. It makes a
//! [`Trial`](case::Trial): the contestants of that workload (ours, the [roofline], what people
//! write with `ndarray`, the best `ndarray` can do) and what the answer should be. The programs and
//! the criterion benches all run the same table:
//!
//! * `board` times the contestants interleaved, with the Python peers if it is given an
//!   interpreter, and prints ratios;
//! * `plot` draws the board's figures, and those of the sweep;
//! * `compile_cost` measures what an expression costs to compile;
//! * `cargo bench` runs the workloads at sizes that stay in cache.
//!
//! Where ours and `ndarray` alone are compared, they are a [`Pair`](pair::Pair) that must agree:
//!
//! * `entrance`, and a criterion bench of that name, time the [small operations](entrance::cases);
//! * `sweep` times [operations at all sizes](sweep::OPERATIONS).
//!
//! Ours in one way beside ours in [another](scaling):
//!
//! * `threads` times all threads beside one;
//! * `tune` measures the thresholds of the machine at hand.
//!
//! [`programs`] has whole programs, which are workloads of the board.

#![deny(unsafe_code)]

pub mod case;
pub mod compile_cost;
pub mod data;
pub mod entrance;
pub mod pair;
mod pieces;
pub mod plot;
pub mod programs;
pub mod python;
pub mod report;
pub mod roofline;
pub mod scaling;
pub mod sweep;
pub mod threads;
pub mod timing;
mod usual;
pub mod workloads;
