#![deny(unused_must_use)]

use zerostride::prelude::*;

fn scale(x: &Array1<f32>) {
    x.exp();
    x * 2.0;
    -(x + x);
}

fn main() {
    scale(&array![1.0]);
}
