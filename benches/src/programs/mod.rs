//! Whole programs, written as the users of each library write them: not tuned for the board, and
//! not for its figures to be good.
//!
//! Those for `ndarray` are built as well-known programs of that kind are: k-means as a loop over
//! pairs of rows, filters lane by lane, schemes of Runge and Kutta in place, over buffers. Ours are
//! written with expressions over whole arrays; those that are called `ported` keep the structure of
//! the programs for `ndarray` instead, as somebody would who moves a program from one to the other.
//!
//! Both compute the same by the same definition, and begin with the same numbers.

pub mod filters;
pub mod kmeans;
pub mod life;
pub mod runge_kutta;

/// Number `index` of a sequence that looks uniform in [0, 1): SplitMix64.
///
/// Full precision, so that no two distances or sums are equal by chance, and no decision that
/// follows from them hangs on how a sum was rounded.
pub fn uniform(index: usize) -> f64 {
    let mut bits = (index as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((bits ^ (bits >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
}
