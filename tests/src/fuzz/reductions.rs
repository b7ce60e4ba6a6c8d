//! Reductions, scans and sorting over views in awkward layouts, along random axes, in every way of
//! execution, lane by lane. All results here are exact.

use super::expressions::{exec, exec_text};
use super::lying::{Lying, shape};
use crate::naive::{Naive, for_each_index, number_of, size};
use crate::random::Random;
use zerostride::prelude::*;
use zerostride::{Dimension, Element, Error, Exec};

/// The most elements that are reduced: mostly, and of a few programs.
const MOST: usize = 6000;
const MANY: usize = 60_000;

/// A result to compare by: its shape, and the bits of its elements.
type Answer = Result<(Vec<usize>, Vec<u64>), Error>;

/// A reduction along some axes.
struct Row<T: Element> {
    text: &'static str,
    run: fn(ViewD<'_, T>, &[usize]) -> Answer,
    /// Of the elements of a result; `None` if there is an error.
    naive: fn(&[T]) -> Option<u64>,
}

/// A reduction of two operands put together, of which the second may repeat along some axes.
struct Pair<T: Element> {
    text: &'static str,
    run: fn(ViewD<'_, T>, ViewD<'_, T>, &[usize]) -> Answer,
    together: fn(T, T) -> T,
    naive: fn(&[T]) -> Option<u64>,
}

/// What goes along one axis.
struct Lane<T: Element> {
    text: &'static str,
    run: fn(ViewD<'_, T>, usize) -> Answer,
    /// Of a lane.
    naive: fn(&[T]) -> Vec<u64>,
}

trait Bits: Element {
    fn bits(self) -> u64;
}
macro_rules! bits {
    ($($type:ty: |$x:ident| $bits:expr;)*) => {$(
        impl Bits for $type {
            fn bits(self) -> u64 { let $x = self; $bits }
        }
    )*};
}
bits! {
    f32: |x| u64::from(x.to_bits());
    f64: |x| x.to_bits();
    i32: |x| x as u64;
    u8: |x| u64::from(x);
    usize: |x| x as u64;
    bool: |x| u64::from(x);
}

fn answer<T: Bits, R: Dimension>(array: zerostride::Array<T, R>) -> (Vec<usize>, Vec<u64>) {
    (array.shape().to_vec(), array.iter().map(|x| x.bits()).collect())
}

macro_rules! rows {
    ($type:ty: $(|$v:ident, $axes:ident| $expr:expr, |$x:ident| $naive:expr;)*) => {
        &[$(Row::<$type> {
            text: stringify!($expr),
            run: |$v, $axes| ($expr).map(answer),
            naive: |$x| $naive,
        }),*]
    };
}
macro_rules! pairs {
    ($type:ty: $(|$v:ident, $w:ident, $axes:ident| $expr:expr, |$a:ident, $b:ident| $together:expr,
        |$x:ident| $naive:expr;)*) => {
        &[$(Pair::<$type> {
            text: stringify!($expr),
            run: |$v, $w, $axes| ($expr).map(answer),
            together: |$a, $b| $together,
            naive: |$x| $naive,
        }),*]
    };
}
macro_rules! lanes {
    ($type:ty: $(|$v:ident, $axis:ident| $expr:expr, |$x:ident| $naive:expr;)*) => {
        &[$(Lane::<$type> {
            text: stringify!($expr),
            run: |$v, $axis| ($expr).map(answer),
            naive: |$x| $naive,
        }),*]
    };
}

/// The number of the first element that no other one comes before.
fn first<T: Copy>(x: &[T], before: impl Fn(T, T) -> bool) -> Option<u64> {
    let mut best = 0;
    for (number, &value) in x.iter().enumerate() {
        if before(value, x[best]) {
            best = number;
        }
    }
    (!x.is_empty()).then_some(best as u64)
}

const INTEGERS: &[Row<i32>] = rows! { i32:
    |v, axes| v.sum_axis(axes), |x| Some(x.iter().sum::<i32>().bits());
    |v, axes| (v * v + 1).sum_axis(axes), |x| Some(x.iter().map(|x| x * x + 1).sum::<i32>().bits());
    |v, axes| v.sum_wrapping_axis(keep(axes)), |x| Some(x.iter().sum::<i32>().bits());
    |v, axes| v.product_wrapping_axis(axes), |x| Some(x.iter().fold(1_i32, |a, &b| a.wrapping_mul(b)).bits());
    |v, axes| v.min_axis(axes), |x| x.iter().min().map(|x| x.bits());
    |v, axes| v.max_axis(keep(axes)), |x| x.iter().max().map(|x| x.bits());
    |v, axes| v.argmin_axis(axes), |x| first(x, |a, b| a < b);
    |v, axes| (v + 1).argmax_axis(axes), |x| first(x, |a, b| a > b);
    |v, axes| v.count_nonzero_axis(axes), |x| Some(x.iter().filter(|&&x| x != 0).count() as u64);
    |v, axes| v.reduce_axis(axes, |a, b| a | b), |x| x.iter().copied().reduce(|a, b| a | b).map(Bits::bits);
    |v, axes| v.less(0).any_axis(axes), |x| Some(x.iter().any(|&x| x < 0).bits());
    |v, axes| v.less(7).all_axis(axes), |x| Some(x.iter().all(|&x| x < 7).bits());
};

// Multiples of a half, which are added up without rounding.
const DOUBLES: &[Row<f64>] = rows! { f64:
    |v, axes| v.sum_axis(axes), |x| Some(x.iter().fold(0.0, |a, b| a + b).bits());
    |v, axes| (v * 2.0).sum_axis(keep(axes)), |x| Some(x.iter().fold(0.0, |a, b| a + b * 2.0).bits());
    |v, axes| v.mean_axis(axes),
        |x| (!x.is_empty()).then(|| (x.iter().fold(0.0, |a, b| a + b) / x.len() as f64).bits());
    |v, axes| v.min_axis(axes), |x| x.iter().copied().reduce(f64::min).map(|x| x.bits());
    |v, axes| v.max_axis(axes), |x| x.iter().copied().reduce(f64::max).map(|x| x.bits());
    |v, axes| v.argmax_axis(axes), |x| first(x, |a, b| a > b);
    |v, axes| v.norm_l1_axis(axes), |x| Some(x.iter().fold(0.0, |a, b| a + b.abs()).bits());
    |v, axes| v.norm_max_axis(axes), |x| x.iter().map(|x| x.abs()).reduce(f64::max).map(Bits::bits);
};

const SINGLES: &[Row<f32>] = rows! { f32:
    |v, axes| v.sum_axis(axes), |x| Some(x.iter().fold(0.0_f32, |a, b| a + b).bits());
    |v, axes| (v + 1.0).max_axis(axes), |x| x.iter().copied().reduce(f32::max).map(|x| (x + 1.0).bits());
    |v, axes| v.count_nonzero_axis(axes), |x| Some(x.iter().filter(|&&x| x != 0.0).count() as u64);
};

const BYTES: &[Row<u8>] = rows! { u8:
    |v, axes| v.sum_axis(axes),
        |x| u8::try_from(x.iter().map(|&x| u64::from(x)).sum::<u64>()).ok().map(Bits::bits);
    |v, axes| v.sum_wrapping_axis(axes), |x| Some(x.iter().fold(0_u8, |a, &b| a.wrapping_add(b)).bits());
    |v, axes| v.max_axis(axes), |x| x.iter().max().map(|x| x.bits());
};

const PAIRS_OF_INTEGERS: &[Pair<i32>] = pairs! { i32:
    |v, w, axes| (v * w + 1).sum_axis(axes), |a, b| a * b + 1, |x| Some(x.iter().sum::<i32>().bits());
    |v, w, axes| (v - w).max_axis(keep(axes)), |a, b| a - b, |x| x.iter().max().map(|x| x.bits());
    |v, w, axes| (w - v).argmin_axis(axes), |a, b| b - a, |x| first(x, |a, b| a < b);
    |v, w, axes| zip((v, w)).map(|(a, b)| a + 2 * b).min_axis(axes),
        |a, b| a + 2 * b, |x| x.iter().min().map(|x| x.bits());
};

const PAIRS_OF_DOUBLES: &[Pair<f64>] = pairs! { f64:
    |v, w, axes| (v * w + 0.0).sum_axis(axes), |a, b| a * b + 0.0, |x| Some(x.iter().fold(0.0, |a, b| a + b).bits());
    |v, w, axes| ((v - w) * (v - w)).mean_axis(axes), |a, b| (a - b) * (a - b),
        |x| (!x.is_empty()).then(|| (x.iter().fold(0.0, |a, b| a + b) / x.len() as f64).bits());
    |v, w, axes| (v + w.abs()).max_axis(axes), |a, b| a + b.abs(),
        |x| x.iter().copied().reduce(f64::max).map(|x| x.bits());
};

fn scanned<T: Copy, U: Bits>(x: &[T], start: U, f: impl Fn(U, T) -> U) -> Vec<u64> {
    let step = |so_far: &mut U, &x: &T| {
        *so_far = f(*so_far, x);
        Some(so_far.bits())
    };
    x.iter().scan(start, step).collect()
}

const LANES_OF_INTEGERS: &[Lane<i32>] = lanes! { i32:
    |v, axis| v.cumsum(axis), |x| scanned(x, 0, |a: i32, b| a + b);
    |v, axis| (v + 1).cumsum(axis), |x| scanned(x, 0, |a: i32, b| a + b + 1);
    |v, axis| v.cummax(axis), |x| scanned(x, i32::MIN, |a: i32, b| a.max(b));
    |v, axis| v.cummin(axis), |x| scanned(x, i32::MAX, |a: i32, b| a.min(b));
    |v, axis| v.sort(axis), |x| {
        let mut x = x.to_vec();
        x.sort_unstable();
        x.into_iter().map(Bits::bits).collect()
    };
    |v, axis| v.argsort(axis), |x| {
        let mut order: Vec<usize> = (0..x.len()).collect();
        order.sort_by_key(|&i| x[i]);
        order.into_iter().map(Bits::bits).collect()
    };
    |v, axis| v.diff(axis), |x| x.windows(2).map(|pair| (pair[1] - pair[0]).bits()).collect();
};

const LANES_OF_DOUBLES: &[Lane<f64>] = lanes! { f64:
    |v, axis| v.cumsum(axis), |x| scanned(x, 0.0, |a: f64, b| a + b);
    |v, axis| v.cummax(axis), |x| scanned(x, f64::NEG_INFINITY, |a: f64, b| a.max(b));
    |v, axis| v.sort(axis), |x| {
        let mut x = x.to_vec();
        x.sort_by(f64::total_cmp);
        x.into_iter().map(Bits::bits).collect()
    };
};

/// A program of one reduction.
pub fn run(random: &mut Random) -> Result<(), String> {
    // No negative zero, which sums and sorting treat in ways of their own.
    let halves = |random: &mut Random| random.between(-200, 200) as f64 * 0.5;
    let small = |random: &mut Random| random.between(-9, 9) as i32;
    let integers = |random: &mut Random| random.between(-99, 99) as i32;
    match random.below(14) {
        0..3 => reduced(random, INTEGERS, small, "i32"),
        3..5 => reduced(random, DOUBLES, halves, "f64"),
        5 => reduced(random, SINGLES, |random| random.between(-99, 99) as f32 * 0.5, "f32"),
        6 => reduced(random, BYTES, |random| random.below(5) as u8, "u8"),
        7..9 => along(random, LANES_OF_INTEGERS, integers, "i32"),
        9 => along(random, LANES_OF_DOUBLES, halves, "f64"),
        10..12 => reduced_together(random, PAIRS_OF_INTEGERS, small, "i32"),
        _ => reduced_together(random, PAIRS_OF_DOUBLES, halves, "f64"),
    }
}

fn input<T: Bits + std::fmt::Debug>(
    random: &mut Random,
    ranks: std::ops::Range<usize>,
    value: fn(&mut Random) -> T,
) -> Lying<T> {
    let ndim = ranks.start + random.below(ranks.len());
    let most = if random.once_in(60) { MANY } else { random.of(&[30, 400, MOST]) };
    let mut shape = shape(random, ndim, most);
    if ndim > 0 && random.once_in(12) {
        // Longer than a block.
        shape.fill(1);
        shape[random.below(ndim)] = 4000 + random.below(4500);
    }
    Lying::new(random, &shape, true, value)
}

fn reduced<T: Bits + std::fmt::Debug>(
    random: &mut Random,
    rows: &[Row<T>],
    value: fn(&mut Random) -> T,
    name: &str,
) -> Result<(), String> {
    let row = &rows[random.below(rows.len())];
    let input = input(random, 0..5, value);
    let (axes, exec) = (some_axes(random, input.shape.len()), exec(random));
    let got = exec.install(|| (row.run)(input.view(), &axes));
    let want = results(&input.naive(), &axes, row.text.contains("keep("), row.naive);
    problem(got, want).map_or(Ok(()), |problem| {
        let call = row.text.replace("axes", &format!("&{axes:?}[..]"));
        Err(program(&[(&input, "v")], &call, exec, name, &problem))
    })
}

fn reduced_together<T: Bits + std::fmt::Debug>(
    random: &mut Random,
    pairs: &[Pair<T>],
    value: fn(&mut Random) -> T,
    name: &str,
) -> Result<(), String> {
    let pair = &pairs[random.below(pairs.len())];
    let input = input(random, 1..7, value);
    let once = |extent: &usize| if random.once_in(2) { (*extent).min(1) } else { *extent };
    let shape: Vec<usize> = input.shape.iter().map(once).collect();
    let beside = Lying::new(random, &shape, true, value);
    let (axes, exec) = (some_axes(random, shape.len()), exec(random));
    let got = exec.install(|| (pair.run)(input.view(), beside.view(), &axes));
    let (mut both, other) = (input.naive(), beside.naive());
    let mut number = 0;
    for_each_index(&input.shape, |index| {
        let own: Vec<usize> = index.iter().zip(&shape).map(|(&i, &n)| i.min(n - 1)).collect();
        both.data[number] = (pair.together)(both.data[number], other.at(&own));
        number += 1;
    });
    let want = results(&both, &axes, pair.text.contains("keep("), pair.naive);
    problem(got, want).map_or(Ok(()), |problem| {
        let call = pair.text.replace("axes", &format!("&{axes:?}[..]"));
        Err(program(&[(&input, "v"), (&beside, "w")], &call, exec, name, &problem))
    })
}

/// Some of so many axes, in any order.
fn some_axes(random: &mut Random, ndim: usize) -> Vec<usize> {
    let mut axes: Vec<usize> = random.permutation(ndim);
    axes.truncate(random.below(ndim + 1));
    axes
}

/// The shape of the results along some axes, and the bits of each.
fn results<T: Element>(
    naive: &Naive<T>,
    axes: &[usize],
    keep: bool,
    of: fn(&[T]) -> Option<u64>,
) -> Option<(Vec<usize>, Vec<u64>)> {
    let mut kept = naive.shape.clone();
    axes.iter().for_each(|&axis| kept[axis] = 1);
    // The elements of each result, in logical order.
    let mut blocks = vec![Vec::new(); size(&kept)];
    let mut number = 0;
    for_each_index(&naive.shape, |index| {
        let mut own = index.to_vec();
        axes.iter().for_each(|&axis| own[axis] = 0);
        blocks[number_of(&kept, &own)].push(naive.data[number]);
        number += 1;
    });
    let want: Vec<u64> = blocks.iter().map(|block| of(block)).collect::<Option<_>>()?;
    let left = (0..kept.len()).filter(|axis| keep || !axes.contains(axis));
    Some((left.map(|axis| kept[axis]).collect(), want))
}

fn along<T: Bits + std::fmt::Debug>(
    random: &mut Random,
    lanes: &[Lane<T>],
    value: fn(&mut Random) -> T,
    name: &str,
) -> Result<(), String> {
    let lane = &lanes[random.below(lanes.len())];
    let input = input(random, 1..5, value);
    let axis = random.below(input.shape.len());
    let exec = exec(random);
    let got = exec.install(|| (lane.run)(input.view(), axis));
    let naive = input.naive();
    let mut others = input.shape.clone();
    others[axis] = 1;
    let results: Vec<(Vec<usize>, Vec<u64>)> = {
        let mut results = Vec::new();
        for_each_index(&others, |index| {
            let elements: Vec<T> = (0..input.shape[axis])
                .map(|i| {
                    let mut own = index.to_vec();
                    own[axis] = i;
                    naive.at(&own)
                })
                .collect();
            results.push((index.to_vec(), (lane.naive)(&elements)));
        });
        results
    };
    let len = (lane.naive)(
        &vec![naive.data.first().copied(); input.shape[axis]]
            .into_iter()
            .flatten()
            .collect::<Vec<T>>(),
    )
    .len();
    let mut shape = input.shape.clone();
    shape[axis] = if size(&input.shape) > 0 {
        len
    } else if lane.text.contains("diff") {
        shape[axis].saturating_sub(1)
    } else {
        shape[axis]
    };
    let mut want = vec![0; size(&shape)];
    for (index, lane) in &results {
        for (i, &bits) in lane.iter().enumerate() {
            let mut own = index.clone();
            own[axis] = i;
            want[number_of(&shape, &own)] = bits;
        }
    }
    problem(got, Some((shape, want))).map_or(Ok(()), |problem| {
        let call = lane.text.replace("axis", &axis.to_string());
        Err(program(&[(&input, "v")], &call, exec, name, &problem))
    })
}

/// What is wrong with an answer.
fn problem(got: Answer, want: Option<(Vec<usize>, Vec<u64>)>) -> Option<String> {
    match (got, want) {
        (Ok(got), Some(want)) if got.0 != want.0 => {
            Some(format!("It has shape {:?}, not {:?}.", got.0, want.0))
        }
        (Ok(got), Some(want)) => {
            let first = (0..want.1.len()).find(|&i| got.1[i] != want.1[i])?;
            let (got, want) = (got.1[first], want.1[first]);
            Some(format!("Element {first} has the bits {got:#x}, not {want:#x}."))
        }
        (Err(_), None) => None,
        (Ok(got), None) => Some(format!("It is accepted, as {got:?}.")),
        // Without results it may be an error or not.
        (Err(_), Some(want)) if want.1.is_empty() => None,
        (Err(err), Some(_)) => Some(format!("It is refused: {err}")),
    }
}

fn program<T: Element + std::fmt::Debug>(
    inputs: &[(&Lying<T>, &str)],
    call: &str,
    exec: Exec,
    name: &str,
    problem: &str,
) -> String {
    let inputs: String = inputs.iter().map(|(input, own)| input.text(own, name)).collect();
    format!(
        "use zerostride::prelude::*;\nuse zerostride::*;\n\nfn main() -> Result<(), Error> {{\n{}{}    \
         println!(\"{{:?}}\", exec.install(|| {call})?);\n    // {problem}\n    Ok(())\n}}",
        inputs,
        exec_text(exec)
    )
}
