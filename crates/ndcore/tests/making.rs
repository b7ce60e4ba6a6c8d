//! Arrays of one value, clones, and what is collected, compared with lists made one by one: few
//! elements and many, of types of all sizes.

use ndcore::{Array1, Array2, Item, s};
use num_complex::Complex;
use std::fmt::Debug;

/// Lengths on both sides of each that is made in another way: a few, 2 KiB, and 64 KiB.
const LENGTHS: [usize; 12] = [0, 1, 2, 17, 255, 256, 257, 1000, 2049, 8192, 8193, 70_001];

/// What does not hold of arrays of this value, and of another one that clones follow.
fn misses_of<T: Item + Debug>(value: T, other: T, same: fn(&T, &T) -> bool) -> Vec<String> {
    let mut misses = Vec::new();
    let mut check = |what: &str, len: usize, array: Vec<T>, list: Vec<T>| {
        let differ = array.iter().zip(&list).position(|(a, b)| !same(a, b));
        if array.len() != list.len() || differ.is_some() {
            let kind = std::any::type_name::<T>();
            misses.push(format!("{what} of {len} {kind}: {} made, {differ:?}", array.len()));
        }
    };
    for len in LENGTHS {
        let list = vec![value.clone(); len];
        let full = Array1::full(len, value.clone());
        check("one value", len, full.to_vec(), list.clone());
        check("a clone", len, full.clone().to_vec(), list.clone());
        let mut filled = Array1::full(len, other.clone());
        filled.fill(value.clone());
        check("filled", len, filled.to_vec(), list.clone());
        let mixed = |i: usize| if i.is_multiple_of(3) { value.clone() } else { other.clone() };
        let list = (0..len).map(mixed).collect::<Vec<_>>();
        let collected = (0..len).map(mixed).collect::<Array1<_>>();
        check("collected", len, collected.to_vec(), list.clone());
        check("a clone of them", len, collected.clone().to_vec(), list.clone());
        let again = collected.iter().rev().cloned().collect::<Array1<_>>();
        check("backwards", len, again.to_vec(), list.iter().rev().cloned().collect());
        let part = Array2::from_fn([len.min(300), 5], |[i, j]| mixed(i + j));
        let mut part = part.slice_move(s![.., 1..;2]).expect("two columns");
        let columns = (0..len.min(300)).flat_map(|i| [mixed(i + 1), mixed(i + 3)]);
        check("a clone with gaps", len, part.clone().to_vec(), columns.collect());
        part.fill(value.clone());
        check("gaps", len, part.to_vec(), vec![value.clone(); 2 * len.min(300)]);
    }
    misses
}

#[test]
fn what_is_made_is_what_lists_hold() {
    let mut misses = Vec::new();
    macro_rules! check {
        ($($value:expr, $other:expr;)*) => {$(
            misses.extend(misses_of($value, $other, |a, b| a == b));
        )*};
    }
    check! {
        0_u8, 7; 3_u8, 0; 0_i16, -1; 0_i32, -1; 5_i64, 0; 0_i64, 1; 0_u128, 1; 0_usize, 9;
        true, false; [1_u8, 2, 3], [0; 3]; [0.0_f32; 3], [1.0; 3]; (1_u64, 2_u8), (0, 0);
        [7_u64; 9], [0; 9]; (), (); "text".to_owned(), String::new(); Some(1.5), None;
    }
    // Zeros that are not all bits zero.
    let bits = |a: &f64, b: &f64| a.to_bits() == b.to_bits();
    misses.extend(misses_of(0.0, -0.0, bits));
    misses.extend(misses_of(-0.0, 0.0, bits));
    let bits = |a: &f32, b: &f32| a.to_bits() == b.to_bits();
    misses.extend(misses_of(-0.0, 0.0, bits));
    let bits = |a: &Complex<f64>, b: &Complex<f64>| {
        (a.re.to_bits(), a.im.to_bits()) == (b.re.to_bits(), b.im.to_bits())
    };
    misses.extend(misses_of(Complex::new(0.0, -0.0), Complex::new(0.0, 0.0), bits));
    misses.extend(misses_of(Complex::new(-0.0, 0.0), Complex::new(1.0, 2.0), bits));
    assert!(misses.is_empty(), "{}", misses.join("\n"));
}

/// Numbers from 0 on, of which the iterator says that there are so many.
struct Said {
    next: usize,
    len: usize,
    said: usize,
}

impl Iterator for Said {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        self.next += 1;
        (self.next <= self.len).then(|| self.next - 1)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.said, Some(self.said))
    }
}

#[test]
fn an_iterator_may_say_a_wrong_length() {
    for len in [0, 1, 5, 100, 9000] {
        for said in [0, 1, 4, 6, 99, 10_000] {
            let numbers = Said { next: 0, len, said }.collect::<Array1<_>>();
            assert_eq!(numbers.to_vec(), (0..len).collect::<Vec<_>>(), "{len}, {said}");
        }
    }
}

/// Room on the stack is aligned for elements of up to 64 bytes: there is none for others, be they
/// without size.
#[test]
fn room_for_elements_of_wide_alignment() {
    #[derive(Clone, Copy)]
    #[repr(align(128))]
    struct Wide;
    #[derive(Clone, Copy)]
    #[repr(align(64))]
    struct Line;
    let mut few = ndcore::Few::new();
    let mut room = few.room();
    assert!(room.slots::<Wide>(3).is_none());
    assert!(room.slots::<[Wide; 0]>(3).is_none());
    assert_eq!(room.slots::<Line>(3).map(|slots| slots.len()), Some(3));
}
