//! Operands that all lie in memory as the result does.

use super::Size;
use crate::case::{Case, Judge, Mode};
use crate::data::{Input, Value};
use crate::roofline::Mix;
use ndarray::Zip;
use std::ops::Add;
use zerostride::Numeric;
use zerostride::prelude::*;

/// `a + b`.
pub fn add(shape: [usize; 2], mode: Mode, judge: Judge<'_>) {
    add_in::<f32>(shape, mode, judge);
}

/// `a + b` of another type, into.
pub fn add_of<T: Value + Numeric + Add<Output = T>>(size: Size, judge: Judge<'_>) {
    add_in::<T>(super::matrix(size), Mode::Into, judge);
}

fn add_in<T: Value + Numeric + Add<Output = T>>(shape: [usize; 2], mode: Mode, judge: Judge<'_>) {
    let (a, b) = (Input::<T, Rank<2>>::new("a", &shape), Input::<T, Rank<2>>::new("b", &shape));
    let (x, y) = (a.value(), b.value());
    Case::new(&shape, mode, &[&a, &b], "a + b", move |i| x(i) + y(i))
        .ours(|| &a.ours + &b.ours)
        .roofline(Mix::Add)
        .written(|| &a.nd + &b.nd)
        .best(|out| Zip::from(out).and(&a.nd).and(&b.nd).par_for_each(|o, &a, &b| *o = a + b))
        .judge(judge);
}

/// `where(a > b, a, b)`.
pub fn select(size: Size, judge: Judge<'_>) {
    let shape = super::matrix(size);
    let (a, b) = (Input::<f32, Rank<2>>::new("a", &shape), Input::<f32, Rank<2>>::new("b", &shape));
    let (x, y) = (a.value(), b.value());
    Case::new(&shape, Mode::Into, &[&a, &b], "where(a > b, a, b)", move |i| x(i).max(y(i)))
        .ours(|| a.ours.greater(&b.ours).select(&a.ours, &b.ours))
        .roofline(Mix::Add)
        .written(|| Zip::from(&a.nd).and(&b.nd).map_collect(|&a, &b| if a > b { a } else { b }))
        .best(|out| {
            Zip::from(out)
                .and(&a.nd)
                .and(&b.nd)
                .par_for_each(|o, &a, &b| *o = if a > b { a } else { b });
        })
        .judge(judge);
}

/// `u8` of `x * 10`.
pub fn cast_scale(size: Size, judge: Judge<'_>) {
    let shape = super::matrix(size);
    let x = Input::<f32, Rank<2>>::new("x", &shape);
    let value = x.value();
    Case::new(&shape, Mode::Into, &[&x], "u8(x * 10.0)", move |i| (value(i) * 10.0).trunc())
        .ours(|| (&x.ours * 10.0).cast::<u8>())
        .roofline(Mix::Quarter)
        .written(|| x.nd.mapv(|x| (x * 10.0) as u8))
        .best(|out| Zip::from(out).and(&x.nd).par_for_each(|o, &x| *o = (x * 10.0) as u8))
        .judge(judge);
}
