//! Iteration over elements and parts, from both ends, on every layout and in every rank, against
//! the elements read by the index formula.

use conformance::naive::{Naive, index_of};
use conformance::support::report::problem_of;
use conformance::support::{Held, Recipe, Report};
use zerostride::prelude::*;
use zerostride::{Dimension, Dyn, Element, IntoShape, Rank, View, ViewMut, array};

/// Shapes of each rank: ordinary ones, with an extent of 1, and without elements.
pub fn shapes() -> Vec<Vec<usize>> {
    let mut shapes: Vec<Vec<usize>> =
        vec![vec![], vec![5], vec![1], vec![0], vec![2, 3], vec![3, 1], vec![0, 3]];
    shapes.extend([
        vec![3, 2, 4],
        vec![1, 3, 1],
        vec![2, 0, 3],
        vec![2, 1, 3, 2],
        vec![2, 1, 2, 1, 2, 1, 2, 2],
    ]);
    shapes
}

/// Every shape in every layout, with its elements numbered.
fn all(mut with: impl FnMut(&str, Held<i32>)) {
    for shape in shapes() {
        for recipe in Recipe::all(shape.len()) {
            let held = Held::new(&Naive::numbered(&shape, |number| number as i32), &recipe);
            let name = held.to_string();
            with(&name, held);
        }
    }
}

/// Takes from an iterator at both ends by a pattern, then the rest in one of several ways.
pub fn at_both_ends<I, T>(make: impl Fn() -> I, want: &[T]) -> Option<String>
where
    I: DoubleEndedIterator<Item = T> + ExactSizeIterator,
    T: PartialEq + Clone + std::fmt::Debug,
{
    for (front, back) in
        [(0, 0), (1, 0), (0, 1), (2, 1), (1, 3), (want.len(), 0), (0, want.len()), (3, 3)]
    {
        for way in 0..6 {
            let mut iter = make();
            let mut left = want.to_vec();
            for step in 0..front.max(back) {
                if step < front {
                    let expected = (!left.is_empty()).then(|| left.remove(0));
                    let got = iter.next();
                    if got != expected {
                        return Some(format!("next gives {got:?}, want {expected:?}"));
                    }
                }
                if step < back {
                    let (got, expected) = (iter.next_back(), left.pop());
                    if got != expected {
                        return Some(format!("next_back gives {got:?}, want {expected:?}"));
                    }
                }
                if (iter.len(), iter.size_hint()) != (left.len(), (left.len(), Some(left.len()))) {
                    return Some(format!("{:?} are left, want {}", iter.size_hint(), left.len()));
                }
            }
            let skip = left.len() / 2;
            let (got, rest): (Vec<T>, Vec<T>) = match way {
                0 => (iter.collect(), left),
                1 => (
                    iter.fold(Vec::new(), |mut all, x| {
                        all.push(x);
                        all
                    }),
                    left,
                ),
                2 => (iter.rev().collect(), left.into_iter().rev().collect()),
                3 => (iter.nth(skip).into_iter().chain(iter).collect(), left.split_off(skip)),
                4 => {
                    let last = iter.nth_back(skip);
                    left.truncate(left.len().saturating_sub(skip));
                    (iter.chain(last).collect(), left)
                }
                _ => (iter.nth(left.len() + 3).into_iter().chain(iter).collect(), Vec::new()),
            };
            if got != rest {
                return Some(format!(
                    "after {front} and {back}, way {way}: {got:?}, want {rest:?}"
                ));
            }
        }
    }
    None
}

/// What a typed or dynamic rank does with a view.
fn elements_of<R: Dimension>(
    view: View<'_, i32, R>,
    want: &[i32],
    shape: &[usize],
) -> Option<String> {
    let indices: Vec<(Vec<usize>, i32)> =
        (0..want.len()).map(|n| (index_of(shape, n), want[n])).collect();
    at_both_ends(|| view.iter().copied(), want).map(|problem| format!("iter: {problem}")).or_else(
        || {
            let indexed = || view.indexed_iter().map(|(index, x)| (index.as_ref().to_vec(), *x));
            at_both_ends(indexed, &indices).map(|problem| format!("indexed_iter: {problem}"))
        },
    )
}

fn writes<R: Dimension>(mut view: ViewMut<'_, i32, R>, shape: &[usize]) -> Option<String> {
    let expected: Vec<i32> = view.iter().copied().collect();
    // From both ends in turn; all references are held at once.
    let mut iter = view.iter_mut();
    let (mut front, mut back) = (Vec::new(), Vec::new());
    while let Some(element) = iter.next() {
        front.push(element);
        back.extend(iter.next_back());
    }
    back.reverse();
    let numbers: Vec<i32> = front.iter().chain(&back).map(|x| **x).collect();
    front.into_iter().chain(back).for_each(|x| *x += 1000);
    if numbers != expected {
        return Some(format!("iter_mut gives {numbers:?}, want {expected:?}"));
    }
    for (number, (index, element)) in view.indexed_iter_mut().enumerate() {
        if index.as_ref() != index_of(shape, number) {
            return Some(format!("indexed_iter_mut gives {index:?} as number {number}"));
        }
        *element += 1000;
    }
    let last = view.indexed_iter_mut().next_back().map(|(index, x)| (index.as_ref().to_vec(), *x));
    let want = expected.last().map(|x| (index_of(shape, expected.len() - 1), x + 2000));
    if last != want {
        return Some(format!("indexed_iter_mut ends with {last:?}, want {want:?}"));
    }
    view.indexed_iter_mut().for_each(|(_, x)| *x -= 2000);
    view.iter_mut().for_each(|x| *x += 1);
    view.iter_mut().rev().for_each(|x| *x -= 1);
    let after: Vec<i32> = view.iter().copied().collect();
    (after != expected).then(|| format!("at last {after:?}, want {expected:?}"))
}

/// The same for a rank by its number.
macro_rules! in_rank {
    ($ndim:expr, $view:expr, |$typed:ident| $body:expr; $($n:literal)*) => {
        match $ndim {
            $($n => {
                let $typed = $view.as_rank::<Rank<$n>>().expect("the rank is right");
                $body
            })*
            _ => unreachable!("no such rank"),
        }
    };
}

#[test]
fn elements_in_logical_order_from_both_ends() {
    let mut report = Report::new("iteration");
    all(|name, held| {
        let (want, shape) = (held.naive().data, held.shape.clone());
        report.row(
            name,
            problem_of(|| {
                elements_of(held.view().as_rank::<Dyn>().ok()?.with_engine(), &want, &shape)
            }),
        );
        let typed = problem_of(
            || in_rank!(shape.len(), held.view(), |view| elements_of(view.with_engine(), &want, &shape); 0 1 2 3 4 8),
        );
        report.row(format_args!("{name}, rank in the type"), typed);
    });
    report.finish(200);
}

#[test]
fn elements_for_writing_from_both_ends() {
    let mut report = Report::new("iteration for writing");
    all(|name, mut held| {
        let shape = held.shape.clone();
        let problem = problem_of(|| writes(held.view_mut().with_engine(), &shape));
        report.row(
            name,
            problem.or_else(|| held.problem(&held.naive(), &held.buffer.clone(), |a, b| a == b)),
        );
    });
    report.finish(100);
    let mut a = array![[1, 2, 3], [4, 5, 6]];
    report_typed(a.view_mut().with_engine());
    report_typed(a.t_mut().with_engine());
    report_typed(a.flip_mut(1).expect("an axis").with_engine());
}

fn report_typed<R: Dimension>(view: ViewMut<'_, i32, R>) {
    let shape = view.shape().to_vec();
    assert_eq!(writes(view, &shape), None);
}

/// What is repeated is iterated over as often as it is there.
#[test]
fn elements_that_repeat() {
    let mut report = Report::new("iteration over what repeats");
    for shape in shapes() {
        for recipe in Recipe::all_readable(shape.len()) {
            let held = Held::new(&Naive::numbered(&shape, |number| number as i32), &recipe);
            let want = held.naive().data;
            report.row(&held, problem_of(|| elements_of(held.view().with_engine(), &want, &shape)));
        }
    }
    report.finish(150);
}

/// Each pair of layouts of each shape, equal and with one element changed.
#[test]
fn equality_in_all_pairs_of_layouts() {
    let mut report = Report::new("equality");
    for shape in shapes() {
        let naive = Naive::numbered(&shape, |number| number as i32);
        let recipes = Recipe::all(shape.len());
        for (number, recipe) in recipes.iter().enumerate() {
            let a = Held::new(&naive, recipe);
            for other in recipes.iter().skip(number) {
                let b = Held::new(&naive, other);
                report.holds(
                    format_args!("{a} equals {b}"),
                    a.view() == b.view() && b.view() == a.view(),
                );
                for changed in [0, naive.data.len() / 2, naive.data.len().saturating_sub(1)] {
                    let mut c = b.clone();
                    let mut view = c.view_mut();
                    let Some(element) = view.iter_mut().nth(changed) else { continue };
                    *element = -1;
                    report.holds(
                        format_args!("{a} differs from {c} at {changed}"),
                        a.view() != c.view(),
                    );
                }
            }
        }
    }
    report.finish(3500);
}

fn filled<T: Element + PartialEq + std::fmt::Debug, S: IntoShape + Clone>(
    shape: S,
    value: impl Fn(&[usize]) -> T,
) -> Option<String> {
    let extents: Vec<usize> = shape.clone().into_shape().expect("a shape").as_ref().to_vec();
    let made = zerostride::Array::<T, S::Rank>::from_fn(shape, |index| value(index.as_ref()));
    let want: Vec<T> =
        (0..extents.iter().product()).map(|number| value(&index_of(&extents, number))).collect();
    (made.to_vec() != want).then(|| format!("{made:?}, want {want:?}"))
}

#[test]
fn functions_of_the_index() {
    let mut report = Report::new("from_fn");
    let value = |index: &[usize]| index.iter().fold(7, |sum, i| 10 * sum + i);
    report.row("()", filled((), value));
    report.row("4", filled(4, value));
    report.row("0", filled(0, value));
    report.row("(2, 3)", filled((2, 3), value));
    report.row("(2, 0)", filled((2, 0), value));
    report.row("[3, 1, 2]", filled([3, 1, 2], value));
    report.row("[2, 1, 2, 1, 2, 1, 2, 2]", filled([2, 1, 2, 1, 2, 1, 2, 2], value));
    for shape in shapes() {
        report.row(format_args!("{shape:?}"), filled(shape.clone(), value));
    }
    report.finish(15);
}

/// Arrays of iterators that know how many elements are to come, and of those that do not: each as a
/// list of them.
#[test]
fn arrays_of_iterators() {
    use zerostride::Array1;
    for len in [0, 1, 3, 100, 1023, 1024, 1025, 5000] {
        let all: Vec<usize> = (0..len).map(|i| i * i % 1009).collect();
        let each = || all.iter().copied();
        assert_eq!(each().collect::<Array1<usize>>().to_vec(), all);
        assert_eq!(each().filter(|_| true).collect::<Array1<usize>>().to_vec(), all);
        let few: Vec<usize> = each().filter(|x| x % 97 == 0).collect();
        assert_eq!(each().filter(|x| x % 97 == 0).collect::<Array1<usize>>().to_vec(), few);
        let (mut left, endless) = (all.iter(), std::iter::from_fn);
        assert_eq!(endless(|| left.next().copied()).collect::<Array1<usize>>().to_vec(), all);
        // Up to the first error, which is what comes of it.
        let ok: Result<Array1<usize>, usize> = each().map(Ok).collect();
        assert_eq!(ok.map(|array| array.to_vec()), Ok(all.clone()));
        let fails = |x| if x > 500 { Err(x) } else { Ok(x) };
        let want: Result<Vec<usize>, usize> = each().map(fails).collect();
        let got: Result<Array1<usize>, usize> = each().map(fails).collect();
        assert_eq!(got.map(|array| array.to_vec()), want);
    }
}

/// Windows and parts of one matrix, folded together in logical order, whether their rows have unit
/// stride or not; and a matrix that a function has by `&mut`, as an operand.
#[test]
fn folds_of_several_parts() {
    let x = Array2::from_shape_fn((7, 9), |(i, j)| (10 * i + j) as f64);
    let weights = Array2::from_shape_fn((3, 4), |(i, j)| (5 * i + j) as f64 - 4.0);
    let step = |sum: f64, (a, b): (f64, f64)| sum * 0.5 + a * b;
    let parts = [
        x.slice(s![1..4, 2..6]).unwrap(),
        x.slice(s![..;3, ..4]).unwrap(),
        x.slice(s![2..5, 5..;-1]).unwrap(),
        x.slice(s![4.., 1..;2]).unwrap(),
    ];
    let mut failed = Vec::new();
    for (number, part) in parts.into_iter().enumerate() {
        let mut expected = 1.0;
        for i in 0..3 {
            for j in 0..4 {
                expected = step(expected, (part[[i, j]], weights[[i, j]]));
            }
        }
        if zip((&part, &weights)).fold(1.0, step).unwrap() != expected {
            failed.push(number);
        }
    }
    assert!(failed.is_empty(), "parts {failed:?}");
    let mut square = array![[1.0, 2.0], [3.0, 4.0]];
    let lent = &mut square;
    assert_eq!(array![[0.0, 1.0], [1.0, 0.0]].dot(lent).unwrap(), array![[3.0, 4.0], [1.0, 2.0]]);
}
