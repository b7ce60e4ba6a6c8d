use zerostride::prelude::*;

fn main() {
    let a = array![[1.0, 2.0]];
    let doubled = a.mapv(|x| 2.0 * x);
    let _ = doubled.row(0);
    let _ = doubled.shape();
    let _ = doubled.iter();
    let _ = doubled.slice(s![.., 0]);
}
