use zerostride::prelude::*;

fn main() {
    let d = array![1.0, 2.0] - 1.0;
    let _ = d * d;
}
