use zerostride::prelude::*;

fn main() {
    let v = array![1.0, 2.0];
    let _ = (v.along([0]) * 2.0).eval();
    let _ = v.along([0]).sum();
}
