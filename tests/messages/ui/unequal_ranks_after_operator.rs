use zerostride::prelude::*;

fn sum(x: &Array2<f64>, v: &Array1<f64>) {
    let _ = x * 2.0 - v;
}

fn main() {}
