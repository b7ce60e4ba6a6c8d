//! Few elements of parts of arrays, however they lie: what is computed of them index by index, to
//! the bit, and where new results of them lie.

use super::without::sum_of_block;
use zerostride::prelude::*;
use zerostride::{Element, Error, Exec, Isa};

/// Serially, by each instruction set, and by several threads.
fn ways() -> Vec<Exec> {
    let serial = Isa::available().into_iter().map(|isa| Exec::new().parallel(false).isa(isa));
    serial.chain([Exec::new().grain(1)]).collect()
}

/// Maps, assignments, updates, comparisons and totals of parts of three and four axes, whose axes
/// are merged where they are one walk, index by index; what lies around them stays as it was.
#[test]
fn parts_of_more_axes() {
    let mut failures = Vec::new();
    let shapes = [
        [1, 2, 2, 4],
        [1, 3, 3, 3],
        [2, 2, 2, 2],
        [2, 3, 1, 5],
        [3, 1, 4, 1],
        [1, 7, 9, 3],
        [2, 5, 8, 11],
        [1, 1, 1, 1],
        [1, 30, 4, 17],
    ];
    // Which axes have gaps after them: one element more.
    for (shape, gaps) in shapes.into_iter().flat_map(|shape| (0..16).map(move |gaps| (shape, gaps)))
    {
        let outer = [0, 1, 2, 3].map(|axis| shape[axis] + (gaps >> axis & 1));
        let value =
            |[i, j, k, l]: [usize; 4]| (1000 * i + 100 * j + 10 * k + l) as f64 * 0.5 - 77.0;
        let x = Array4::<f64>::from_fn(outer, value);
        let mut out = Array4::<f64>::from_fn(outer, |_| 3.0);
        let [a, b, c, d] = shape;
        let inside = |[i, j, k, l]: [usize; 4]| i < a && j < b && k < c && l < d;
        let part = x.slice(s![..a, ..b, ..c, ..d]).expect("a part");
        let same = Array4::<f64>::from_fn(shape, value);
        for exec in ways() {
            let mut wrong = Vec::new();
            let mut check = |what: &str, found: &Array4<f64>, want: &dyn Fn([usize; 4]) -> f64| {
                let differ = found.indexed_iter().any(|(index, found)| *found != want(index));
                if differ {
                    wrong.push(format!("{what} of {shape:?} in {outer:?}, {exec:?}"));
                }
            };
            let result: Result<(), Error> = exec.install(|| {
                check("a scaled part", &(part * 2.0 + 1.0).eval()?, &|at| value(at) * 2.0 + 1.0);
                check("a part less an array", &(part - &same * 3.0).eval()?, &|at| {
                    -2.0 * value(at)
                });
                let mapped = part.mapv(|x| if x > 0.0 { x } else { 1.0 }).eval()?;
                check("a mapped part", &mapped, &|at| {
                    if value(at) > 0.0 { value(at) } else { 1.0 }
                });
                out.fill(3.0);
                let mut into = out.slice_mut(s![..a, ..b, ..c, ..d])?;
                into.fill(4.0);
                into.assign(part * 2.0)?;
                into += part;
                into += &same;
                into *= 2.0;
                into.mapv_inplace(|x| x + 1.0);
                let equal = (into == into.to_owned(), part == same, into == part);
                check("a part that was changed", &out, &|at| match inside(at) {
                    true => value(at) * 8.0 + 1.0,
                    false => 3.0,
                });
                let different = same.iter().all(|&x| x * 8.0 + 1.0 == x);
                let naive: Vec<f64> = same.iter().map(|x| x * x).collect();
                let sums = ((part * part).sum()?, part.sum()?);
                let few = same.len() <= 4096;
                let want = (sum_of_block(&naive), sum_of_block(&same.to_vec()));
                let turned = part.reversed_axes();
                let in_order = turned == same.t() && turned.flip(0)? != same.t();
                let one = a * b * c * d == 1 || d == 1;
                if equal != (true, true, different) || (few && sums != want) || !(in_order || one) {
                    failures.push(format!("{shape:?} in {outer:?}: {equal:?}, {sums:?}, {want:?}"));
                }
                Ok(())
            });
            result.expect("all fits");
            failures.extend(wrong);
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

/// New results of parts of three axes lie as those of a rank that is known at run time only, which
/// are not merged.
#[test]
fn results_of_parts_lie_as_of_any_rank() {
    let mut failures = Vec::new();
    for shape in [[8, 2, 3], [4, 4, 4], [2, 7, 5], [6, 1, 4], [2, 2, 12]] {
        let base = Array3::<f64>::from_fn(shape, |[i, j, k]| (100 * i + 10 * j + k) as f64);
        let parts = [
            base.slice(s![..;2, .., ..]),
            base.slice(s![.., .., 1..]),
            base.slice(s![.., ..1, ..]),
            base.slice(s![1.., .., ..;2]),
            base.slice(s![..;-1, .., ..]),
        ];
        let orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]];
        for (number, part) in parts.into_iter().enumerate() {
            for order in orders {
                let x = part.clone().expect("a part").permuted_axes(order).expect("an order");
                let own = Array3::<f64>::ones(x.dim());
                let found = || -> Result<_, Error> {
                    let of_one = ((x + 1.0).eval()?, (x.as_dyn() + 1.0).eval()?);
                    let of_two = ((x + &own).eval()?, (x.as_dyn() + own.as_dyn()).eval()?);
                    let mapped =
                        (x.mapv(|x| x * 0.5).eval()?, x.as_dyn().mapv(|x| x * 0.5).eval()?);
                    Ok([of_one, of_two, mapped])
                };
                for (typed, any) in found().expect("they fit") {
                    if typed.strides() != any.strides() || typed.as_dyn() != any {
                        let (a, b) = (typed.strides(), any.strides());
                        failures
                            .push(format!("part {number} of {shape:?}, {order:?}: {a:?}, {b:?}"));
                    }
                }
            }
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

/// The matrix of `r` rows and `c` columns within one of two more rows and four more columns,
/// however it may lie.
fn parts<'a, T: Element>(
    (all, spread): (&'a Array2<T>, &'a Array2<T>),
    (r, c): (usize, usize),
) -> [View2<'a, T>; 5] {
    let part = all.slice(s![1..=r, 2..c + 2]).expect("a part");
    let upside_down = part.slice(s![..;-1, ..]).expect("a part");
    let from_right_to_left = part.slice(s![.., ..;-1]).expect("a part");
    let every_third = spread.slice(s![1..=r, 1..;3]).expect("a part");
    [part, part.t(), upside_down, from_right_to_left, every_third]
}

/// Totals of matrices of few elements, wherever their rows and columns lie: to the bit. Those
/// around them, which nobody may read, are not numbers.
#[test]
fn totals_of_small_matrices() {
    let mut failures = Vec::new();
    let rows = (1..=12).chain([15, 16, 17, 23, 24, 25, 48, 49, 65, 129]);
    let columns = (1..=20).chain([24, 31, 32, 33, 40, 48, 64, 65]);
    let shapes = rows.flat_map(|r| columns.clone().map(move |c| (r, c)));
    for (r, c) in shapes.filter(|(r, c)| r * c <= 4096) {
        let inside = |i: usize, j: usize| (1..=r).contains(&i) && (2..c + 2).contains(&j);
        let all = Array2::<f64>::from_fn([r + 2, c + 4], |[i, j]| match inside(i, j) {
            true => ((i * 37 + j * 11) % 101) as f64 * 0.1 - 3.7,
            false => f64::NAN,
        });
        let spread = Array2::<f64>::from_fn([r + 2, 3 * c], |[i, j]| match j % 3 {
            1 => all[[i, j / 3 + 2]],
            _ => f64::NAN,
        });
        let small = |x: &Array2<f64>| x.mapv(|x| x as f32).eval().expect("it fits");
        let tenths =
            |x: &Array2<f64>| x.mapv(|x| (x * 10.0).round() as i32).eval().expect("it fits");
        let (small_all, small_spread) = (small(&all), small(&spread));
        let (tenths_all, tenths_spread) = (tenths(&all), tenths(&spread));
        let views = parts((&all, &spread), (r, c));
        let small = parts((&small_all, &small_spread), (r, c));
        let tenths = parts((&tenths_all, &tenths_spread), (r, c));
        for (way, ((x, small), tenths)) in views.into_iter().zip(small).zip(tenths).enumerate() {
            let [n, m] = x.dim();
            let places = (0..n).flat_map(|i| (0..m).map(move |j| [i, j]));
            let elements: Vec<f64> = places.clone().map(|place| x[place]).collect();
            let in_order = Array1::from_vec(places.clone().map(|place| small[place]).collect());
            let sum = sum_of_block(&elements);
            let max = elements.iter().copied().fold(f64::MIN, f64::max);
            let naive: i32 = places.map(|place| tenths[place]).sum();
            let want = ([sum.to_bits(); 3], [max; 2], in_order.sum().ok(), naive);
            for exec in ways() {
                let found = exec.install(|| {
                    let (any, three) = (x.as_dyn(), x.insert_axis(0)?);
                    let sums = [x.sum()?, any.sum()?, three.sum()?].map(f64::to_bits);
                    let of_small = small.sum().ok();
                    Ok::<_, zerostride::Error>((
                        sums,
                        [x.max()?, any.max()?],
                        of_small,
                        tenths.sum()?,
                    ))
                });
                if found.as_ref().ok() != Some(&want) {
                    failures.push(format!("{r} x {c}, way {way}: {found:?}, not {want:?}"));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}
