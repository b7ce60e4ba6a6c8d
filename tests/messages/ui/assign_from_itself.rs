use zerostride::prelude::*;

fn main() {
    let mut x = array![[1, 2], [3, 4]];
    let _ = x.assign(x.t());
}
