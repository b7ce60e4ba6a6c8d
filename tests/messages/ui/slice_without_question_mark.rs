use zerostride::prelude::*;

fn main() {
    let x = array![1.0, 2.0, 3.0];
    let _ = &x + x.slice(s![..2]);
    let _ = x.slice(s![..2]) + &x;
    let _ = x.slice(s![..2]).sum();
}
