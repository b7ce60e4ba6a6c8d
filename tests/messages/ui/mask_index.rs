use zerostride::prelude::*;

fn main() {
    let x = array![1.0, -2.0];
    let mask = x.greater(0.0).eval().unwrap();
    let _ = x[&mask];
}
