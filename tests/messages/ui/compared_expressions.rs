use zerostride::prelude::*;

fn main() {
    let (a, b) = (array![1, 2], array![3, 4]);
    let _ = &a + 1 == b;
    assert_eq!(&a + 1, b);
    let _ = &a + 1 < b;
}
