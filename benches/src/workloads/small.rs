//! What a call costs: sums of a few elements.

use super::{Group, Size, Workload};
use crate::case::{Case, Judge, Mode};
use crate::data::{Input, NdRank};
use crate::roofline::Mix;
use ndarray::Zip;
use zerostride::prelude::*;

/// Sums of 1 to 4096 elements, new and into, of rank 1, rank 2 and dynamic rank (of which there are
/// 2); and of a matrix and a row.
pub fn adds() -> Vec<Workload> {
    let mut table = Vec::new();
    for (mode, mode_name) in [(Mode::New, "new"), (Mode::Into, "into")] {
        for side in [1, 2, 4, 8, 16, 32, 64] {
            let n: usize = side * side;
            let mut row = |rank: &str, setup: Box<dyn Fn(Judge<'_>)>| {
                let name = format!("small_{rank}_{mode_name}_{n}");
                table.push(Workload::new(name, Group::Small, move |_, judge| setup(judge)));
            };
            row("rank1", Box::new(move |judge| add::<Rank<1>>(&[n], mode, judge)));
            row("rank2", Box::new(move |judge| add::<Rank<2>>(&[side, side], mode, judge)));
            row("dyn", Box::new(move |judge| add::<Dyn>(&[side, side], mode, judge)));
            row("row", Box::new(move |judge| add_row(side, mode, judge)));
        }
    }
    table
}

fn add<R: NdRank>(shape: &[usize], mode: Mode, judge: Judge<'_>) {
    let (a, b) = (Input::<f32, R>::new("a", shape), Input::<f32, R>::new("b", shape));
    let (va, vb) = (a.value(), b.value());
    Case::new(shape, mode, &[&a, &b], "a + b", move |i| va(i) + vb(i))
        .ours(|| &a.ours + &b.ours)
        .roofline(Mix::Add)
        .written(|| &a.nd + &b.nd)
        .best(|out| Zip::from(out).and(&a.nd).and(&b.nd).for_each(|o, &a, &b| *o = a + b))
        .judge(judge);
}

fn add_row(side: usize, mode: Mode, judge: Judge<'_>) {
    let shape = [side, side];
    let (x, v) =
        (Input::<f32, Rank<2>>::new("x", &shape), Input::<f32, Rank<1>>::new("v", &[side]));
    let (a, b) = (x.value(), v.value());
    Case::new(&shape, mode, &[&x, &v], "x + v", move |i| a(i) + b(i % side))
        .ours(|| &x.ours + v.ours.along([1]))
        .roofline(Mix::Copy)
        .written(|| &x.nd + &v.nd)
        .best(|out| Zip::from(out).and(&x.nd).and_broadcast(&v.nd).for_each(|o, &x, &v| *o = x + v))
        .judge(judge);
}

/// 1,000 elements where several threads are allowed: not worth waking them. `ndarray` as written
/// asks for them, the best does not.
pub fn parallel_entry(_: Size, judge: Judge<'_>) {
    let shape = [1000];
    let (a, b) = (Input::<f32, Rank<1>>::new("a", &shape), Input::<f32, Rank<1>>::new("b", &shape));
    let (va, vb) = (a.value(), b.value());
    Case::new(&shape, Mode::Into, &[&a, &b], "a + b", move |i| va(i) + vb(i))
        .ours(|| &a.ours + &b.ours)
        .roofline(Mix::Add)
        .written(|| Zip::from(&a.nd).and(&b.nd).par_map_collect(|&a, &b| a + b))
        .best(|out| Zip::from(out).and(&a.nd).and(&b.nd).for_each(|o, &a, &b| *o = a + b))
        .judge(judge);
}
