use zerostride::prelude::*;

fn main() {
    let p = array![true, false];
    let _ = &p - &p;
}
