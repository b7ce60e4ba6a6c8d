//! Copies of transposed arrays in row-major order, of elements of any size: some in blocks, some
//! one by one, near each other and far apart. Each element is compared with the one at its index.

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

/// An element that is to begin at an address where no cache line needs to.
#[derive(Clone, Copy, Debug, PartialEq)]
#[repr(align(128))]
struct Wide(u8);

/// Appends elements to a buffer, which has to find other memory for them.
fn append<T: Element + PartialEq + std::fmt::Debug>(of: impl Fn(usize) -> T) {
    let (mut packed, mut all) = (Packed::new(), Vec::new());
    for len in [1, 0, 3, 70, 1, 900] {
        let more: Vec<T> = (0..len).map(|k| of(all.len() + k)).collect();
        packed.append(len, |slots| slots.write_copy_of_slice(&more));
        all.extend(more);
        assert_eq!(packed.as_slice(), all);
        assert!(packed.as_slice().as_ptr().is_aligned());
    }
    packed.fill(of(1), 5);
    assert_eq!(packed.as_mut_slice(), [of(1); 5]);
}

#[test]
fn buffers_keep_what_they_hold() {
    append(|k| k as u8);
    append(|k| k as f64);
    append(|k| (k as u8, k as u32));
    append(|k| [k as u64; 3]);
    append(|k| Wide(k as u8));
    append(|_| ());
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

#[test]
fn edges_of_blocks() {
    // Below, at and above what a register has, of each size.
    let extents = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 65];
    for (rows, columns) in extents.into_iter().flat_map(|rows| extents.map(|c| (rows, c))) {
        check(rows, columns, |k| k as u8);
        check(rows, columns, |k| k as i16);
        check(rows, columns, |k| k as f32);
        check(rows, columns, |k| k as u64);
        check(rows, columns, |k| num_complex::Complex::new(k as f32, 1.0));
        check(rows, columns, |k| num_complex::Complex::new(k as f64, 1.0));
        // Of the size of a number, but with padding, or at other addresses.
        check(rows, columns, |k| (k as u8, k as u32));
        check(rows, columns, |k| (k as u64, k as u8));
        check(rows, columns, |k| [k as u8; 4]);
        check(rows, columns, |k| k as u128);
        check(rows, columns, |k| Wide(k as u8));
    }
}

/// A view of three axes, in any order, some of them with gaps or backwards, against its indices.
fn check_three<T: Element + PartialEq>(
    shape: [usize; 3],
    order: [usize; 3],
    steps: [isize; 3],
    of: impl Fn(usize) -> T,
) {
    let array = Array::<T, Rank<3>>::from_fn(
        std::array::from_fn(|axis| shape[axis] * steps[axis].unsigned_abs()),
        |[i, j, k]| of((i * 7919 + j * 31 + k * 6101) % 251),
    );
    let [a, b, c] = steps;
    let view = array.slice(ndcore::s![..;a, ..;b, ..;c]).expect("steps are not zero");
    let view = view.permuted_axes(order).expect("a permutation");
    let mut packed = Packed::new();
    view.copy_row_major::<u8>(view.shape(), None, &mut packed);
    let [_, n, m] = view.dim();
    for (place, found) in packed.as_slice().iter().enumerate() {
        let index = [place / (n * m), place / m % n, place % m];
        let size = size_of::<T>();
        let what = format!("{index:?} of {shape:?}, {order:?}, {steps:?}, {size} bytes");
        assert!(*found == view[index] && packed.as_slice().len() == view.len(), "{what}");
    }
}

#[test]
fn three_axes_in_any_order() {
    let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
    let shapes = [[3, 4, 5], [8, 9, 40], [17, 2, 33], [1, 19, 21], [5, 300, 2], [33, 16, 16]];
    let all_steps = [[1, 1, 1], [1, 1, 2], [1, -1, 1], [-2, 1, 1], [1, 3, -1]];
    for (shape, order) in shapes.into_iter().flat_map(|shape| orders.map(|order| (shape, order))) {
        for steps in all_steps {
            check_three(shape, order, steps, |k| k as u8);
            check_three(shape, order, steps, |k| k as f32);
            check_three(shape, order, steps, |k| k as f64);
            check_three(shape, order, steps, |k| num_complex::Complex::new(k as f64, 1.0));
            check_three(shape, order, steps, |k| [k as u16; 3]);
        }
    }
}
