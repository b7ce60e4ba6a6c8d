//! Integers have no mean of their own type.

use zerostride::prelude::*;

fn main() {
    let x = array![[1, 2], [3, 6]];
    let _ = x.mean();
    let _ = x.mean_axis(0);
}
