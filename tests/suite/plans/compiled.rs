//! Reductions that are compiled with the library, and the same one of a program's own, which is
//! compiled here: to the bit alike, whatever is reduced, along whichever axes.

use conformance::support::execs::{Ways, in_pool};
use zerostride::prelude::*;
use zerostride::{Error, MonoidReduction, Named, Reduction, Sum, ops};

/// The sum once more, which nobody has compiled before.
struct Own;

impl Named for Own {
    const NAME: &'static str = "own";
}

impl MonoidReduction<f64> for Own {
    type Op = ops::Add;
    type Acc = f64;
    type Total = f64;
    type Output = f64;

    #[inline(always)]
    fn lift(&self, x: f64) -> f64 {
        x
    }

    #[inline(always)]
    fn total(&self, acc: f64) -> f64 {
        acc
    }

    #[inline(always)]
    fn finish(&self, total: f64, _: usize) -> Result<f64, Error> {
        Ok(total)
    }
}

/// The bits of the sums of all elements and along each axis, and of the squares of those.
fn sums<F: Reduction<f64, Output = f64>>(x: View2<'_, f64>, of: impl Fn() -> F) -> Vec<u64> {
    let mut all = Vec::new();
    for axes in [&[0, 1][..], &[0], &[1]] {
        all.extend(x.reduce_by(of(), axes.to_vec()).unwrap().iter().map(|sum| sum.to_bits()));
        let squares = x.square().reduce_by(of(), axes.to_vec()).unwrap();
        all.extend(squares.iter().map(|sum| sum.to_bits()));
    }
    all
}

#[test]
fn are_as_those_of_a_program() {
    let shapes = [
        [1, 1],
        [1, 7],
        [3, 3],
        [5, 2],
        [8, 8],
        [4, 33],
        [33, 4],
        [17, 100],
        [100, 17],
        [2, 300],
        [300, 2],
        [1, 5000],
        [5000, 1],
        [70, 300],
        [300, 70],
        [400, 257],
        [20_000, 3],
        [3, 20_000],
    ];
    let mut failures = Vec::new();
    for (turn, [m, n]) in shapes.into_iter().enumerate() {
        let whole = Array2::from_fn([m + 1, 2 * n + 1], |[i, j]| {
            ((i * 31 + j * 17) % 1009) as f64 * 0.37 - ((i + 3 * j) % 11) as f64
        });
        let part = whole.slice(s![1.., 1..=n]).unwrap();
        let views = [
            ("in row-major order", part.to_owned()),
            ("in column-major order", part.t().to_owned().reversed_axes()),
        ];
        let views = views.iter().map(|(name, array)| (*name, array.view()));
        let views = views.chain([
            ("a part", part),
            ("a part, transposed", part.t()),
            ("every second column", whole.slice(s![1.., 1..;2]).unwrap()),
            ("reversed", part.slice(s![..;-1, ..;-1]).unwrap()),
        ]);
        for (name, view) in views {
            for way in Ways::Half(turn).list() {
                let both = || [sums(view, || Sum), sums(view, || Own)];
                let [found, own] = in_pool(|| way.0.install(both));
                if found != own {
                    failures.push(format!("{m} x {n}, {name}, {way}"));
                }
            }
        }
    }
    assert!(failures.is_empty(), "{} differ: {failures:#?}", failures.len());
}

/// The usual ones have their lists, without which each crate would compile them again.
#[test]
fn are_there() {
    macro_rules! missing {
        ($($type:ty: $($reduction:ident)*;)*) => {{
            let mut missing = Vec::new();
            $($(
                if <zerostride::$reduction as Reduction<$type>>::COMPILED.is_none() {
                    missing.push(concat!(stringify!($reduction), " of ", stringify!($type)));
                }
            )*)*
            missing
        }};
    }
    let missing = missing! {
        f32: Sum Mean Min Max ArgMin ArgMax Var Std NormL2;
        f64: Sum Mean Min Max ArgMin ArgMax Var Std NormL2;
        u8: Min Max; i32: Sum Min Max; i64: Sum Min Max; u32: Sum; usize: Sum;
        zerostride::Complex<f64>: Sum Mean;
        bool: Any All;
    };
    assert!(missing.is_empty(), "not compiled with the library: {missing:?}");
}
