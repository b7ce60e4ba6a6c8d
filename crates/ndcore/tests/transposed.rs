//! Copies of transposed arrays in row-major order, of elements of any size: some in squares, some one
//! by one, near each other and far apart. Each element is compared with the one at its index.

use ndcore::{Array, Element, Packed, Rank};

fn check<T: Element + PartialEq>(rows: usize, columns: usize, of: impl Fn(usize) -> T) {
    let at = |i: usize, j: usize| of((i * 7919 + j * 31) % 251);
    let array = Array::<T, Rank<2>>::from_fn([rows, columns], |[i, j]| at(i, j));
    let mut copy = Packed::new();
    array.t().copy_row_major::<u8>(&[columns, rows], None, &mut copy);
    assert_eq!(copy.as_slice().len(), rows * columns);
    let wrong = (0..rows * columns).find(|&k| copy.as_slice()[k] != at(k % rows, k / rows));
    let size = size_of::<T>();
    assert_eq!(wrong, None, "the first wrong place of {rows} x {columns} of {size} bytes");
}

#[test]
fn copies_have_each_element() {
    for (rows, columns) in
        [(9, 9), (40, 70), (130, 131), (257, 300), (64, 512), (1, 4099), (600, 3)]
    {
        check(rows, columns, |k| k as u8);
        check(rows, columns, |k| k as u16);
        check(rows, columns, |k| k as f32);
        check(rows, columns, |k| k as f64);
        check(rows, columns, |k| [k as u8, 1, 2]);
        check(rows, columns, |k| [k as u64; 3]);
        check(rows, columns, |k| [k as f64; 8]);
        // Longer than a cache line.
        check(rows, columns, |k| [k as f64; 16]);
        check(rows, columns, |k| [k as u8; 65]);
        check(rows, columns, |_| [0_u8; 0]);
    }
    // Farther apart than caches reach.
    check(1200, 1100, |k| k as f32);
    check(1100, 1200, |k| k as u8);
}
