use zerostride::prelude::*;

fn main() {
    let x = array![[1, 2], [3, 4]];
    let _ = x.slice(s![0..1]);
}
