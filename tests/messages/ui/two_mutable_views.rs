use zerostride::prelude::*;

fn main() {
    let mut x = array![[1, 2], [3, 4]];
    let mut top = x.slice_mut(s![0, ..]).unwrap();
    let mut left = x.slice_mut(s![.., 0]).unwrap();
    top.fill(1);
    left.fill(2);
}
