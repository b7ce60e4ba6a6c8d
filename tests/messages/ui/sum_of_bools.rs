//! Truth values are counted, not added up.

use zerostride::prelude::*;

fn main() {
    let x = array![true, false];
    let _ = x.sum();
}
