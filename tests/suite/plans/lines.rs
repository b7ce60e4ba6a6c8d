//! Results of one axis whose elements lie apart, or whose operands do: columns, diagonals, every
//! other element, backwards. Element by element, and nothing beside them is written.

use zerostride::prelude::*;
use zerostride::{Error, View1, ViewMut1, ops};

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

/// What is reduced of lines has the bits of what is reduced of copies of them without gaps, whose
/// definition `surface::reductions` and `plans::without` look at.
#[test]
fn are_reduced_as_copies_are() -> Result<(), Error> {
    let mut failures = Vec::new();
    // Irregular, so that another order of additions shows.
    let at = |i: usize| ((i * 7919) % 9973) as f64 / 97.0 - 40.0;
    let to = |i: usize| ((i * 6101) % 8831) as f64 / 89.0 - 50.0;
    for (len, by) in (1..70)
        .chain([100, 255, 256, 257, 1000, 1024, 1025, 4096, 4097])
        .flat_map(|len| STRIDES.map(|by| (len, by)))
    {
        let memory = Array1::from_vec(beside(len, by, at));
        let (x, y) = (line(&memory, by), Array1::from_fn([len], |[i]| to(i)));
        let copy = Array1::from_fn([len], |[i]| at(i));
        let once = Array1::from_elem([1], 0.75);
        let repeated = once.broadcast_to([len])?;
        let mut check = |what: &str, found: f64, expected: f64| {
            if found.to_bits() != expected.to_bits() {
                failures.push(format!("{what} of {len} by {by}: {found}, not {expected}"));
            }
        };
        check("squares", (x - &y).square().sum()?, (&copy - &y).square().sum()?);
        check("of one line", (x * x).sum()?, (&copy * &copy).sum()?);
        check("repeated", (x * repeated).sum()?, (&copy * 0.75).sum()?);
        check("maximum", (x * &y).max()?, (&copy * &y).max()?);
        check("product", (x / 50.0 + &y / 50.0).product()?, (&copy / 50.0 + &y / 50.0).product()?);
        check("variance", (x + &y).var(0.0)?, (&copy + &y).var(0.0)?);
        check("place", (x + &y).argmin()? as f64, (&copy + &y).argmin()? as f64);
        check("norm", (x - &y).norm_l2()?, (&copy - &y).norm_l2()?);
    }
    assert!(
        failures.is_empty(),
        "{} failures: {:#?}",
        failures.len(),
        &failures[..failures.len().min(20)]
    );
    Ok(())
}

/// Operands that are no lines of the result's length have the errors and results they have
/// elsewhere.
#[test]
fn of_other_lengths_are_refused_or_repeated() -> Result<(), Error> {
    let memory = Array1::from_fn([20], |[i]| i as f64);
    let (x, one) = (line(&memory, 2), line(&memory, 18));
    assert_eq!((x.len(), one.len()), (9, 1));
    let other = memory.slice(s![..;4])?;
    assert!((x + other).eval().is_err() && (x + other).sum().is_err());
    let mut out = Array1::<f64>::zeros([30]);
    assert!(out.slice_mut(s![..;4])?.assign(x).is_err());
    assert!(out.iter().all(|&x| x == 0.0));
    assert_eq!((x + one).eval()?, Array1::from_fn([9], |[i]| (2 * i + 1) as f64 + 1.0));
    assert_eq!((one + x).sum()?, (0..9).map(|i| (2 * i + 1) as f64 + 1.0).sum::<f64>());
    let none = x.slice(s![..0])?;
    assert_eq!(((none + none).eval()?.len(), (none * none).sum()?), (0, 0.0));
    out.slice_mut(s![..0;3])?.assign(none)?;
    Ok(())
}
