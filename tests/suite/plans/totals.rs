//! Totals of all elements of views that lie in no order of their axes, of more than a block:
//! against the elements by their indices. The elements are integers, so that sums are exact. And of
//! rows.

use conformance::support::execs::{Ways, in_pool};
use zerostride::Exec;
use zerostride::prelude::*;

fn at(i: usize, j: usize) -> f64 {
    ((i * 7919 + j * 104_729) % 997) as f64 - 400.0
}

#[test]
fn of_parts_that_are_transposed() {
    let mut failures = Vec::new();
    // Longer than a block in one axis, in the other, and in both; of whole vectors, and others.
    let sizes =
        [(2049, 17), (5000, 33), (700, 100), (4100, 16), (9, 8200), (4097, 64), (3, 30_000)];
    for (rows, columns) in sizes {
        let whole = Array2::<f64>::from_fn([rows, columns + 3], |[i, j]| at(i, j));
        let part = whole.slice(s![.., ..columns]).expect("a part");
        let every_other = whole.slice(s![..;-2, 1..=columns]).expect("a part");
        let weights = Array1::<f64>::from_fn([columns], |[j]| (j % 5) as f64);
        for (name, x) in [("a part", part), ("every other row", every_other)] {
            let (mut sum, mut weighted, mut positive) = (0.0, 0.0, 0);
            let (mut max, mut place) = (f64::MIN, 0);
            for j in 0..columns {
                for i in 0..x.nrows() {
                    let value = x[[i, j]];
                    sum += value;
                    weighted += value * weights[j];
                    positive += usize::from(value > 0.0);
                    if value > max {
                        (max, place) = (value, j * x.nrows() + i);
                    }
                }
            }
            let count = x.len() as f64;
            let expected = [sum, 2.0 * sum, weighted, max, place as f64, positive as f64];
            for exec in [Exec::new().parallel(false), Exec::new().grain(500), Exec::new().cache(0)]
            {
                exec.install(|| {
                    let t = x.t();
                    let found = [
                        t.sum().expect("it fits"),
                        (t * 2.0).sum().expect("it fits"),
                        (t * weights.along([0])).sum().expect("it fits"),
                        t.max().expect("some"),
                        t.argmax().expect("some") as f64,
                        t.greater(0.0).count_nonzero().expect("it fits") as f64,
                    ];
                    if found != expected {
                        failures.push(format!(
                            "{name} of {rows} x {columns}, {exec:?}: {found:?}, not {expected:?}"
                        ));
                    }
                    // One total of several parts, merged.
                    let (mean, var) = (t.mean().expect("some"), t.var(0.0).expect("some"));
                    let squares: f64 = x.iter().map(|x| (x - sum / count).powi(2)).sum();
                    let near = |a: f64, b: f64| (a - b).abs() <= 1e-12 * b.abs().max(1.0);
                    if mean != sum / count || !near(var, squares / count) {
                        failures.push(format!(
                            "{name} of {rows} x {columns}, {exec:?}: mean {mean}, variance {var}"
                        ));
                    }
                });
            }
        }
    }
    assert!(failures.is_empty(), "{} fail: {failures:#?}", failures.len());
}

/// What ends early, where threads are worth fewer elements than are looked at first.
#[test]
fn whether_any_or_all_are() {
    let mut failures = Vec::new();
    for len in [1_usize, 15, 16, 17, 63, 64, 65, 700, 1023, 1024, 1025, 5000] {
        let x = Array1::<f64>::from_fn([len], |[i]| i as f64);
        for (grain, limit) in [(1, 0), (16, 0), (16, len / 2), (64, len - 1), (1 << 20, len)] {
            let limit = limit as f64;
            let found = Exec::new().grain(grain).install(|| {
                let less = || x.view().less(limit);
                (less().any().expect("it fits"), less().all().expect("it fits"))
            });
            let expected = (limit > 0.0, len as f64 - 1.0 < limit);
            if found != expected {
                failures.push(format!("{len}, below {limit}, grain {grain}: {found:?}"));
            }
        }
    }
    assert!(failures.is_empty(), "{failures:#?}");
}

/// Products of more blocks than a block has elements, so that their totals are blocks as well: by
/// one thread as by several.
#[test]
fn of_blocks_of_blocks() {
    let n = 4096 * 4096 + 40_961;
    let x = Array1::<f64>::from_fn([n + 1], |[i]| (i as f64 * 0.7).sin());
    let (a, b) = (x.slice(s![..n]).expect("a part"), x.slice(s![1..]).expect("a part"));
    let back = a.slice(s![..;-1]).expect("a part");
    let sums = || [a.dot(&b), back.dot(&b)].map(|sum| sum.map(f64::to_bits));
    assert_eq!(Exec::new().parallel(false).install(sums), in_pool(sums));
}

/// Results of several rows, each of which is one block, so that a run takes the blocks of some
/// results: those of a result by itself, and where the largest element is, by its definition.
#[test]
fn of_rows_that_are_blocks() {
    for shape in [[3, 7, 2_112], [2, 300, 4096], [5, 1, 4096], [300, 3, 4080]] {
        let [count, rows, len] = shape;
        let x = Array3::from_fn(shape, |[i, j, k]| ((i * 31 + j * 17 + k) as f64 * 0.7).sin());
        let (sums, vars) = (x.sum_axis([1, 2]).unwrap(), x.var_axis([1, 2], 0.0).unwrap());
        let largest = x.argmax_axis([1, 2]).unwrap();
        for i in 0..count {
            let part = x.index_axis(0, i).unwrap();
            assert_eq!(sums[i].to_bits(), part.sum().unwrap().to_bits(), "{shape:?} {i}");
            assert_eq!(vars[i].to_bits(), part.var(0.0).unwrap().to_bits(), "{shape:?} {i}");
            let mut at = 0;
            for n in 0..rows * len {
                if part[[n / len, n % len]] > part[[at / len, at % len]] {
                    at = n;
                }
            }
            assert_eq!(largest[i], at, "{shape:?} {i}");
        }
    }
}

/// The total of a row of one block by the definition: 16 lanes in turn, which are joined by halves.
fn by_lanes(row: &[f64], join: fn(f64, f64) -> f64) -> f64 {
    let mut lanes = Vec::new();
    for (i, &x) in row.iter().enumerate() {
        match lanes.get_mut(i % 16) {
            Some(lane) => *lane = join(*lane, x),
            None => lanes.push(x),
        }
    }
    for half in [8, 4, 2, 1] {
        for low in 0..half.min(lanes.len().saturating_sub(half)) {
            lanes[low] = join(lanes[low], lanes[low + half]);
        }
    }
    lanes[0]
}

/// Short rows have loops for their lengths: nothing of the rows beside them may show. Some rows are
/// not finite, those after the last are in memory but not in the view.
#[test]
fn of_rows_beside_others() {
    let bits = |x: f64| if x.is_nan() { f64::NAN.to_bits() } else { x.to_bits() };
    let max = |a: f64, b: f64| if a.is_nan() || a > b { a } else { b };
    let mut failures = Vec::new();
    let lengths = (1..=70).chain([95, 113, 114, 127, 128, 129, 145]);
    for (number, (c, r)) in
        lengths.flat_map(|c| [1, 5, 7, 8, 9, 16, 23, 40, 41].map(move |r| (c, r))).enumerate()
    {
        let value = |[i, j]: [usize; 2]| match (i % 5, (i + j) % 7) {
            (3, 0) => f64::NAN,
            (2, 1) => f64::INFINITY,
            _ if i >= r => f64::NEG_INFINITY,
            // So that another order of additions shows.
            _ => at(i, j) / 97.0,
        };
        let all = Array2::from_fn([r + 2, c], value);
        let x = all.slice(s![..r, ..]).expect("the first rows");
        let few = if number % 16 == 0 { Ways::All } else { Ways::Turn(number) };
        for way in few.list() {
            let found = in_pool(|| {
                way.0.install(|| {
                    let small = x.mapv(|x| x as f32).eval()?;
                    let of_small = small.sum_axis(1)?;
                    let sums = [x.sum_axis(1)?, x.product_axis(1)?, x.max_axis(1)?];
                    Ok::<_, zerostride::Error>((sums, of_small))
                })
            });
            let (found, of_small) = found.expect("they fit");
            for i in 0..r {
                let row: Vec<f64> = (0..c).map(|j| value([i, j])).collect();
                let want = [
                    by_lanes(&row, |a, b| a + b),
                    by_lanes(&row, |a, b| a * b),
                    by_lanes(&row, max),
                ];
                let small: Vec<f64> = row.iter().map(|&x| f64::from(x as f32)).collect();
                let rounded = by_lanes(&small, |a, b| f64::from(a as f32 + b as f32));
                let got = [0, 1, 2].map(|k| found[k][[i]]);
                let differ = (0..3).any(|k| bits(got[k]) != bits(want[k]))
                    || bits(f64::from(of_small[[i]])) != bits(rounded);
                if differ {
                    failures.push(format!("row {i} of {r} x {c}, {way}: {got:?}, not {want:?}"));
                }
            }
        }
    }
    assert!(
        failures.is_empty(),
        "{} failures: {:#?}",
        failures.len(),
        &failures[..5.min(failures.len())]
    );
}
