use zerostride::prelude::*;

fn main() {
    let a = array![1.0, 2.0];
    let mut calls = 0;
    let _ = a.mapv(|x| {
        calls += 1;
        2.0 * x
    });
}
