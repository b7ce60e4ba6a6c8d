//! Integers have no quantiles of their own type.

use zerostride::prelude::*;

fn main() {
    let x = array![1_i64, 2];
    let _ = x.median();
    let _ = x.quantile_axis(0, 0.25);
}
