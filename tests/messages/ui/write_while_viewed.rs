use zerostride::prelude::*;

fn main() {
    let mut x = array![[1, 2], [3, 4]];
    let row = x.slice(s![0, ..]).unwrap();
    x[[0, 0]] = 5;
    println!("{row}");
}
