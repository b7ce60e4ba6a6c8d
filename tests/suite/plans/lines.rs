//! Results of one axis whose elements lie apart, or whose operands do: columns, diagonals, every
//! other element, backwards. Element by element, and nothing beside them is written.

use zerostride::prelude::*;
use zerostride::{View1, ViewMut1, ops};

/// Lengths that take no vector, parts of one, several, and more than is computed in place.
const LENGTHS: [usize; 9] = [1, 2, 5, 8, 17, 64, 100, 257, 9000];

/// The distances of the elements; 0 repeats one of them.
const STRIDES: [isize; 5] = [1, 3, -1, -7, 2];

/// Element `i` of a line whose elements are so far apart, and those beside it.
fn beside(len: usize, stride: isize, at: impl Fn(usize) -> f64) -> Vec<f64> {
    let step = stride.unsigned_abs();
    let mut memory = vec![f64::NAN; (len - 1) * step + 3];
    for i in 0..len {
        memory[1 + step * if stride < 0 { len - 1 - i } else { i }] = at(i);
    }
    memory
}

/// The line.
fn line(memory: &Array1<f64>, stride: isize) -> View1<'_, f64> {
    memory.slice(s![1..-1;stride]).expect("a part")
}

fn line_mut(memory: &mut Array1<f64>, stride: isize) -> ViewMut1<'_, f64> {
    memory.slice_mut(s![1..-1;stride]).expect("a part")
}

#[test]
fn are_written_element_by_element() {
    let mut failures = Vec::new();
    let (x_at, y_at, z_at) = (
        |i: usize| i as f64 + 0.5,
        |i: usize| (i * 7 % 23) as f64,
        |i: usize| 1.0 / (i + 1) as f64,
    );
    for (&len, &to, &from) in LENGTHS
        .iter()
        .flat_map(|len| STRIDES.iter().map(move |to| (len, to)))
        .flat_map(|(len, to)| STRIDES.iter().map(move |from| (len, to, from)))
    {
        let y_memory = Array1::from_vec(beside(len, from, y_at));
        let (y, z) = (line(&y_memory, from), Array1::from_fn([len], |[i]| z_at(i)));
        let mut check =
            |what: &str, update: &dyn Fn(ViewMut1<'_, f64>), value: &dyn Fn(usize) -> f64| {
                let mut memory = Array1::from_vec(beside(len, to, x_at));
                update(line_mut(&mut memory, to));
                let expected = beside(len, to, value);
                let same = |(a, b): (&f64, &f64)| a.to_bits() == b.to_bits();
                if !memory.iter().zip(&expected).all(same) {
                    failures.push(format!("{what}, {len} elements by {from} into {to}"));
                }
            };
        check("+= scalar", &|mut x| x += 2.0, &|i| x_at(i) + 2.0);
        check("*= line", &|mut x| x *= y, &|i| x_at(i) * y_at(i));
        check("+= vector", &|mut x| x += &z, &|i| x_at(i) + z_at(i));
        check("+= lines", &|mut x| x += (y - &z) * 3.0, &|i| x_at(i) + (y_at(i) - z_at(i)) * 3.0);
        check("assign", &|mut x| x.assign(y).expect("it fits"), &y_at);
        check(
            "assign of one",
            &|mut x| x.assign(y.slice(s![..1]).expect("one")).expect("it fits"),
            &|_| y_at(0),
        );
        check("fill", &|mut x| x.fill(4.0), &|_| 4.0);
        check("update", &|mut x| x.update(ops::Maximum, y).expect("it fits"), &|i| {
            x_at(i).max(y_at(i))
        });
        check("a closure", &|mut x| x.map_inplace(|x| *x = 1.0 - *x), &|i| 1.0 - x_at(i));
        check(
            "a closure of two",
            &|mut x| x.zip_mut_with(&y, |x, y| *x -= y).expect("it fits"),
            &|i| x_at(i) - y_at(i),
        );
        check("mapped", &|mut x| x.assign(y.mapv(|y| y + 1.0)).expect("it fits"), &|i| {
            y_at(i) + 1.0
        });
        check("exponentials", &|mut x| x.assign(y.abs().sqrt()).expect("it fits"), &|i| {
            y_at(i).abs().sqrt()
        });
        let new = (y * &z + 1.0).eval().expect("it fits");
        if !(0..len).all(|i| new[i].to_bits() == (y_at(i) * z_at(i) + 1.0).to_bits()) {
            failures.push(format!("a new array of {len} elements by {from}"));
        }
    }
    assert!(
        failures.is_empty(),
        "{} failures: {:#?}",
        failures.len(),
        &failures[..failures.len().min(20)]
    );
}
