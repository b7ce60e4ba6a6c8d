//! The same questions with the ranks in the types, up to rank 4. `None` where no typed question can
//! be asked: above rank 4, or because it would not compile.

use super::check::{Answer, answer};
use crate::naive::Naive;
use zerostride::{ArrayD, Broadcast, Dimension, Expr, Rank, clamp as typed_clamp};

/// `$typed` is `$array` with its rank in its type, in each of the ranks.
macro_rules! by_rank {
    ($array:ident as $typed:ident in [$($n:literal)*] => $answer:expr) => {
        match $array.ndim() {
            $($n => {
                let $typed = $array.as_rank::<Rank<$n>>().expect("it has this rank");
                $answer
            })*
            _ => None,
        }
    };
}

macro_rules! binary {
    ($op:ident, $a:ident, $b:ident, $dims:ident) => {
        by_rank!($a as a in [0 1 2 3 4] => by_rank!($b as b in [0 1 2 3 4] => Some(answer(zerostride::$op(a, b, $dims)))))
    };
}

/// A binary operation.
pub fn binary(op: &str, a: &ArrayD<f32>, b: &ArrayD<f32>, dims: &[usize]) -> Option<Answer> {
    match op {
        "add" => binary!(add, a, b, dims),
        "sub" => binary!(sub, a, b, dims),
        "mul" => binary!(mul, a, b, dims),
        "div" => binary!(div, a, b, dims),
        "max" => binary!(maximum, a, b, dims),
        "min" => binary!(minimum, a, b, dims),
        _ => None,
    }
}

/// A broadcast from rank `N` to rank `M`; with another number of dims it would not compile.
fn from_to<const N: usize, const M: usize>(
    source: &ArrayD<f32>,
    out: &[usize],
    dims: &[usize],
) -> Option<Answer>
where
    Rank<N>: Dimension<Shape = [usize; N]>,
    Rank<M>: Dimension<Shape = [usize; M]>,
{
    let view = source.as_rank::<Rank<N>>().expect("it has this rank");
    let out: [usize; M] = out.try_into().expect("it has this rank");
    let dims: [usize; N] = dims.try_into().ok()?;
    let view = view.broadcast_in_dim_strict(out, dims).ok();
    Some(view.map(|view| Naive { shape: view.shape().to_vec(), data: view.to_vec() }))
}

/// A broadcast.
pub fn in_dim(source: &ArrayD<f32>, out: &[usize], dims: &[usize]) -> Option<Answer> {
    macro_rules! to {
        ($n:literal) => {
            match out.len() {
                0 => from_to::<$n, 0>(source, out, dims),
                1 => from_to::<$n, 1>(source, out, dims),
                2 => from_to::<$n, 2>(source, out, dims),
                3 => from_to::<$n, 3>(source, out, dims),
                4 => from_to::<$n, 4>(source, out, dims),
                _ => None,
            }
        };
    }
    match source.ndim() {
        0 => to!(0),
        1 => to!(1),
        2 => to!(2),
        3 => to!(3),
        4 => to!(4),
        _ => None,
    }
}

/// Three operands of rank 0 or of one other rank; anything else would not compile.
macro_rules! ternary {
    ($a:ident, $b:ident, $c:ident => $answer:expr) => {
        match $a.ndim().max($b.ndim()).max($c.ndim()) {
            0 | 1 => ternary!(@ [0 1] $a, $b, $c => $answer),
            2 => ternary!(@ [0 2] $a, $b, $c => $answer),
            3 => ternary!(@ [0 3] $a, $b, $c => $answer),
            4 => ternary!(@ [0 4] $a, $b, $c => $answer),
            _ => None,
        }
    };
    (@ $ranks:tt $a:ident, $b:ident, $c:ident => $answer:expr) => {
        by_rank!($a as $a in $ranks => by_rank!($b as $b in $ranks => by_rank!($c as $c in $ranks => Some($answer))))
    };
}

/// `clamp`.
pub fn clamp(lo: &ArrayD<f32>, x: &ArrayD<f32>, hi: &ArrayD<f32>) -> Option<Answer> {
    ternary!(lo, x, hi => answer(Ok(typed_clamp(lo, x, hi))))
}

/// `select`.
pub fn select(p: &ArrayD<bool>, t: &ArrayD<f32>, f: &ArrayD<f32>) -> Option<Answer> {
    ternary!(p, t, f => answer(Ok(p.select(t, f))))
}
