use std::cell::Cell;
use zerostride::prelude::*;

fn main() {
    let mut a = array![1.0, 2.0];
    let calls = Cell::new(0);
    let counted = |x: f64| {
        calls.set(calls.get() + 1);
        2.0 * x
    };
    let _ = a.mapv(counted).eval();
    a.mapv_inplace(counted);
}
