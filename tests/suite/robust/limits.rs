//! At the limits: more elements than memory, no elements anywhere, elements of no size and of a
//! large one, integers of 128 bits. Each is an answer or an error.

use conformance::support::Report;
use conformance::support::report::problem_of;
use zerostride::prelude::*;
use zerostride::{
    Error, Layout, LayoutErrorKind, Place, Plain, Reduction, Scan, concatenate, stack,
};

/// Safe code must not see an element while a mutable reference to it is out.
#[test]
fn iterators_print_what_they_have_not_given_out() {
    let mut report = Report::new("iterators in print");
    let mut a = array![[10, 20], [30, 40]];
    let mut iter = a.iter_mut();
    let first = iter.next().expect("it has four elements");
    let last = iter.next_back().expect("it has four elements");
    report.equal("iter_mut", format!("{iter:?}"), "IterMut [20, 30]".to_owned());
    (*first, *last) = (11, 41);
    report.equal("iter_mut, the rest", iter.map(|x| *x).collect::<Vec<_>>(), vec![20, 30]);

    let mut t = a.t_mut();
    let mut iter = t.iter_mut();
    let _first = iter.next().expect("it has four elements");
    report.equal("iter_mut of t", format!("{iter:?}"), "IterMut [30, 20, 41]".to_owned());

    let mut iter = a.indexed_iter_mut();
    let _first = iter.next().expect("it has four elements");
    let text = "IndexedIterMut [([0, 1], 20), ([1, 0], 30), ([1, 1], 41)]";
    report.equal("indexed_iter_mut", format!("{iter:?}"), text.to_owned());

    let mut rows = a.axis_iter_mut(0).expect("an axis");
    let _first = rows.next().expect("it has two rows");
    let text = "SubviewsMut [[30, 41], shape=[2], strides=[1]]";
    report.equal("axis_iter_mut", format!("{rows:?}"), text.to_owned());

    let mut iter = a.iter();
    iter.next();
    report.equal("iter", format!("{iter:?}"), "Iter [20, 30, 41]".to_owned());
    report.finish(6);
}

/// A view repeats elements for free; a copy of them all would not fit in memory.
#[test]
fn copies_that_do_not_fit_are_errors() {
    let data = [1_u64, 2];
    let mut report = Report::new("copies that do not fit");
    for (shape, strides) in
        [([1 << 45, 1 << 15], [0, 0]), ([1 << 59, 2], [0, 1]), ([1 << 30, 1 << 30], [0, 0])]
    {
        let view: View2<'_, u64> =
            View::from_strided(shape, &strides, 0, &data).expect("it reaches the data alone");
        let failed = |err: zerostride::LayoutError| {
            matches!(err.kind(), LayoutErrorKind::AllocationFailed { .. })
        };
        report.holds(format_args!("try_to_vec of {shape:?}"), view.try_to_vec().is_err_and(failed));
        report.holds(
            format_args!("try_to_owned of {shape:?}"),
            view.try_to_owned().is_err_and(failed),
        );
        // Those without a way to say so panic; they do not end the program.
        let panics = |f: &dyn Fn()| {
            problem_of(|| {
                f();
                None
            })
            .is_some_and(|text| text.contains("allocate"))
        };
        report.holds(format_args!("to_vec of {shape:?}"), panics(&|| drop(view.to_vec())));
        report.holds(format_args!("to_owned of {shape:?}"), panics(&|| drop(view.to_owned())));
    }
    report.finish(12);
}

/// What has no elements may begin anywhere, even outside of the memory.
#[test]
fn arrays_without_elements_at_an_offset() {
    let mut report = Report::new("no elements at an offset");
    let whole = Layout::<Dyn>::c_order(zerostride::Axes::from_slice(&[4, 5]).expect("two axes"))
        .expect("it fits");
    let strided = Layout::<Rank<2>>::strided([0, 5], &[7, -3], 9, 0).expect("it reaches nothing");
    let mut layouts = vec![("strided", strided.to_dyn())];
    layouts.push((
        "sliced",
        whole.slice_axis(0, 3..4, 1).and_then(|l| l.slice_axis(1, 2..2, 1)).expect("ranges"),
    ));
    let empty = Layout::<Dyn>::strided(
        zerostride::Axes::from_slice(&[3, 0, 2]).expect("three"),
        &[9, 9, 9],
        5,
        0,
    );
    let empty = empty.expect("it reaches nothing");
    layouts.push(("indexed", empty.index(0, 2).expect("an index")));
    layouts.push(("flipped", empty.flip(0).expect("an axis")));
    layouts.push((
        "expanded",
        whole
            .slice_axis(0, 3..4, 1)
            .expect("a range")
            .expand(zerostride::Axes::from_slice(&[0, 5]).expect("two axes"), &[0, 1])
            .expect("it repeats"),
    ));
    for (name, layout) in layouts {
        let make = || ArrayD::<i32>::from_layout_vec(layout, vec![]).expect("it reaches nothing");
        let checks: [(&str, fn(ArrayD<i32>) -> bool); 9] = [
            ("to_vec", |a| a.to_vec().is_empty()),
            ("into_vec", |a| a.into_vec().is_empty()),
            ("to_owned", |a| a.to_owned() == a),
            ("as_slice", |a| a.as_slice().is_some_and(<[i32]>::is_empty)),
            ("as_slice_mut", |mut a| a.as_slice_mut().is_some_and(|slice| slice.is_empty())),
            ("as_slice_memory_order", |a| a.as_slice_memory_order().is_some_and(<[i32]>::is_empty)),
            ("iter", |mut a| a.iter().next().is_none() && a.iter_mut().next().is_none()),
            ("views", |mut a| {
                a.view().t().to_vec().is_empty() && a.view_mut().as_slice_mut().is_some()
            }),
            ("format", |a| format!("{a}{a:?}").contains("shape")),
        ];
        for (what, check) in checks {
            let problem = problem_of(|| (!check(make())).then(|| "is wrong".to_owned()));
            report.row(format_args!("{what} of {name}"), problem);
        }
        // The same of a view of memory with a place for it.
        let memory = [1, 2, 3];
        let view = ViewD::from_strided(layout.shape(), layout.strides(), 2, &memory)
            .expect("it reaches nothing");
        let part = view.index_axis(1, 0);
        report.holds(
            format_args!("view of {name}"),
            view.to_vec().is_empty() && view.as_slice().is_some(),
        );
        report.holds(
            format_args!("part of {name}"),
            part.is_ok_and(|part| part.to_vec().is_empty()) || view.shape()[1] == 0,
        );
    }
    let a = Array2::from_fn([4, 5], |[i, j]| i + j);
    let parts = [a.slice(s![3.., 2..2]), a.slice(s![4.., 1..]), a.slice(s![1..1;-1, -1..])];
    for part in parts {
        let part = part.expect("a slice");
        report
            .holds(format_args!("{part:?}"), part.to_vec().is_empty() && part.as_slice().is_some());
        report.holds(format_args!("copy of {part:?}"), part.to_owned().into_vec().is_empty());
    }
    report.finish(55);
}

/// As many parts as numbers go, of nothing each.
#[test]
fn joins_of_nothing() {
    let mut report = Report::new("joins of nothing");
    for rows in [1_usize << 20, 1 << 59, 1 << 60, 1 << 61] {
        let a = Array2::<f64>::zeros([rows, 0]);
        let joined = concatenate(1, &[a.view(), a.view()]).expect("as long as memory");
        report.equal(format!("concatenate {rows}"), joined.shape(), &[rows, 0][..]);
        let stacked = stack(1, &[a.view(), a.view()]).expect("as long as memory");
        report.equal(format!("stack {rows}"), stacked.shape(), &[rows, 2, 0][..]);
    }
    report.finish(8);
}

/// Elements without a size: memory never limits how many there are, nor how far apart.
#[test]
fn elements_of_no_size() {
    let mut report = Report::new("elements of no size");
    let units = vec![(); usize::MAX];
    let huge = isize::MAX as usize;
    let rows: [(&str, &dyn Fn() -> bool); 8] = [
        ("a huge view", &|| {
            View1::from_strided([huge], &[1], 0, &units)
                .is_ok_and(|view| view.iter().nth(huge - 1).is_some())
        }),
        ("from both ends", &|| {
            let view: View1<'_, ()> =
                View::from_strided([3], &[1 << 61], 0, &units).expect("it reaches the data");
            let mut iter = view.iter();
            iter.next_back().is_some() && iter.nth(1).is_some() && iter.next().is_none()
        }),
        ("far apart", &|| {
            let view: View1<'_, ()> =
                View::from_strided([2], &[1 << 62], 0, &units).expect("it reaches the data");
            view.iter().count() == 2
                && view.to_vec().len() == 2
                && view == view.flip(0).expect("an axis")
        }),
        ("reshaped", &|| {
            let view: View1<'_, ()> =
                View::from_strided([2], &[1 << 62], 0, &units).expect("it reaches the data");
            view.reshape([1, 2, 1]).is_ok_and(|view| view.to_owned().into_vec().len() == 2)
        }),
        ("beyond the largest place", &|| {
            View1::from_strided([2], &[isize::MAX], 1, &units).is_err()
        }),
        ("owned", &|| {
            let mut a = Array2::full([3, 4], ());
            a.iter_mut().for_each(|x| *x = ());
            a.clone().into_vec().len() == 12 && a.t() == a.t() && format!("{a:?}").contains("()")
        }),
        ("sliced", &|| {
            Array2::full([3, 4], ()).slice(s![1.., ..;2]).is_ok_and(|part| part.len() == 4)
        }),
        ("from a function", &|| {
            Array2::from_fn([3, 4], |_| ()).axis_iter(0).is_ok_and(|rows| rows.count() == 3)
        }),
    ];
    for (name, check) in rows {
        report.row(name, problem_of(|| (!check()).then(|| "does not hold".to_owned())));
    }
    report.finish(8);
}

/// Elements larger than any block or buffer.
#[test]
fn large_elements() {
    type Large = [u8; 20_000];
    let of = |[i, j]: [usize; 2]| -> Large { [(3 * i + j) as u8; 20_000] };
    let a = Array2::from_fn([2, 3], of);
    let firsts = |view: View2<'_, Large>| view.iter().map(|x| x[19_999]).collect::<Vec<_>>();
    assert_eq!(firsts(a.view()), [0, 1, 2, 3, 4, 5]);
    assert_eq!(firsts(a.t()), [0, 3, 1, 4, 2, 5]);
    assert_eq!(firsts(a.t().to_owned().view()), [0, 3, 1, 4, 2, 5]);
    assert_eq!(a.slice(s![.., ..;-2]).expect("a slice").to_vec().len(), 4);
    assert!(a == a.t().to_owned().t() && a != Array2::full([2, 3], [9; 20_000]));
    let mut b = Array2::full([2, 3], [0; 20_000]);
    b.t_mut().iter_mut().enumerate().for_each(|(number, x)| x[0] = number as u8);
    assert_eq!(b.iter().map(|x| x[0]).collect::<Vec<_>>(), [0, 2, 4, 1, 3, 5]);
    assert_eq!(b.into_vec().len(), 6);
    // A scan keeps as few of them on the stack as it can.
    struct Latest;
    impl Scan<Large> for Latest {
        type Carry = Large;
        type Output = Large;
        fn start(&self) -> Large {
            [0; 20_000]
        }
        fn step(&self, mut carry: Large, value: Large) -> Large {
            carry.iter_mut().zip(value).for_each(|(sum, x)| *sum = sum.wrapping_add(x));
            carry
        }
        fn output(&self, carry: Large) -> Result<Large, Error> {
            Ok(carry)
        }
    }
    let a = Array2::from_fn([16, 3], of);
    for axis in 0..2 {
        let got = a.scan(Latest, axis).expect("it fits");
        for (index, x) in got.indexed_iter() {
            let sum = (0..=index[axis]).fold(0_u8, |sum, i| {
                let mut at = index;
                at[axis] = i;
                sum.wrapping_add(of(at)[7])
            });
            assert_eq!(x[7], sum, "{index:?} along {axis}");
        }
    }
}

/// As many of them as go past the cache, on a stack of 2 MiB, as threads have.
#[test]
fn many_large_elements() {
    type Large = [u8; 20_000];
    let run = || {
        let a = Array2::from_fn([40, 33], |[i, j]| -> Large { [(3 * i + j) as u8; 20_000] });
        let mut b = Array2::full([40, 33], [0; 20_000]);
        b.assign(&a).expect("it fits");
        assert!(b == a);
        b.assign(a.flip(0).expect("an axis")).expect("it fits");
        assert!(b == a.flip(0).expect("an axis"));
        let largest = |x: Large, y: Large| if x[7] > y[7] { x } else { y };
        assert_eq!(a.reduce(largest).expect("it fits")[19_999], 39 * 3 + 32);
        let rows = a.reduce_axis(1, largest).expect("it fits");
        assert!(rows.iter().enumerate().all(|(i, x)| usize::from(x[0]) == 3 * i + 32));
        let columns = a.reduce_axis(0, largest).expect("it fits");
        assert!(columns.iter().enumerate().all(|(j, x)| usize::from(x[0]) == 39 * 3 + j));
        assert_eq!(a.t().reduce(largest).expect("it fits")[3], 39 * 3 + 32);
        let none = Array2::<Large>::full([0, 3], [0; 20_000]);
        assert!(none.reduce(largest).is_err() && none.reduce_axis(0, largest).is_err());
        assert!(none.reduce_axis(1, largest).is_ok_and(|x| x.is_empty()));
        assert!(a.reduce_axis(2, largest).is_err());
    };
    let thread = std::thread::Builder::new().stack_size(2 << 20).spawn(run).expect("a thread");
    thread.join().expect("it does not panic");
}

/// Large elements are reduced in the order of small ones.
#[test]
fn order_of_large_elements() {
    type Large = [f32; 80];
    let mut report = Report::new("order of large elements");
    let value = |i: usize| 1.0 / (1.0 + ((i * 7919) % 1009) as f32);
    let add = |a: f32, b: f32| a + b;
    let add_large = |a: Large, b: Large| -> Large { [a[0] + b[0]; 80] };
    let bits = |x: &[f32]| x.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
    let firsts = |x: &[Large]| x.iter().map(|x| x[0].to_bits()).collect::<Vec<_>>();
    for shape in [[1, 1], [3, 5], [1, 17], [300, 2], [2, 5000], [20, 700], [4100, 3]] {
        let small = Array2::from_fn(shape, |[i, j]| value(i * shape[1] + j));
        let large = small.mapv(|x| -> Large { [x; 80] }).eval().expect("it fits");
        let all = (small.reduce(add).expect("some"), large.reduce(add_large).expect("some")[0]);
        report.equal(format!("all of {shape:?}"), all.0.to_bits(), all.1.to_bits());
        for axis in 0..2 {
            let want = small.reduce_axis(axis, add).expect("some").to_vec();
            let got = large.reduce_axis(axis, add_large).expect("some").to_vec();
            report.equal(format!("{shape:?} along {axis}"), firsts(&got), bits(&want));
            let turned = large.t().reduce_axis(1 - axis, add_large).expect("some").to_vec();
            report.equal(format!("{shape:?} along {axis}, turned"), firsts(&turned), bits(&want));
        }
        let got = (&large).mapv(|x| x).reduce_axis(0, add_large).expect("some").to_vec();
        let want = small.reduce_axis(0, add).expect("some").to_vec();
        report.equal(format!("{shape:?}, computed"), firsts(&got), bits(&want));
    }
    /// A monoid, which joins its stretches: sums beside numbers that say nothing.
    struct Many;
    impl Reduction<f32> for Many {
        type Acc = Plain<Large>;
        type Total = Plain<Large>;
        type Output = f32;
        const NAME: &'static str = "many";
        const JOINS: bool = true;
        fn start(&self) -> Plain<Large> {
            Plain([0.0; 80])
        }
        fn step(&self, acc: Plain<Large>, x: f32, _: usize) -> Plain<Large> {
            Plain([acc.0[0] + x; 80])
        }
        fn join(&self, a: Plain<Large>, b: Plain<Large>) -> Plain<Large> {
            Plain([a.0[0] + b.0[0]; 80])
        }
        fn total(&self, acc: Plain<Large>, _: Place) -> Plain<Large> {
            acc
        }
        fn merge(&self, a: Plain<Large>, b: Plain<Large>) -> Plain<Large> {
            self.join(a, b)
        }
        fn finish(&self, total: Plain<Large>, _: usize) -> Result<f32, Error> {
            Ok(total.0[0])
        }
    }
    /// The same of one number.
    struct One;
    impl Reduction<f32> for One {
        type Acc = f32;
        type Total = f32;
        type Output = f32;
        const NAME: &'static str = "one";
        const JOINS: bool = true;
        fn start(&self) -> f32 {
            0.0
        }
        fn step(&self, acc: f32, x: f32, _: usize) -> f32 {
            acc + x
        }
        fn join(&self, a: f32, b: f32) -> f32 {
            a + b
        }
        fn total(&self, acc: f32, _: Place) -> f32 {
            acc
        }
        fn merge(&self, a: f32, b: f32) -> f32 {
            a + b
        }
        fn finish(&self, total: f32, _: usize) -> Result<f32, Error> {
            Ok(total)
        }
    }
    for shape in [[1, 1], [1, 17], [3, 255], [2, 256], [300, 257], [2, 5000], [20, 700]] {
        let x = Array2::from_fn(shape, |[i, j]| value(i * shape[1] + j));
        for axis in 0..2 {
            let want = x.reduce_by(One, axis).expect("some").to_vec();
            let got = x.reduce_by(Many, axis).expect("some").to_vec();
            report.equal(format!("joined, {shape:?} along {axis}"), bits(&got), bits(&want));
        }
        let want = x.reduce_by(One, ..).expect("some").to_vec();
        let got = x.t().to_owned().t().reduce_by(Many, ..).expect("some").to_vec();
        report.equal(format!("joined, all of {shape:?}"), bits(&got), bits(&want));
    }
    report.finish(63);
}

/// The number of a round is that of the elements its accumulator has taken, however few there are.
#[test]
fn rounds_of_exact_reductions() {
    /// The largest element, of accumulators that begin with the first one they take.
    #[derive(Clone, Copy)]
    struct Largest;
    macro_rules! largest {
        ($($type:ty)*) => {$(
            impl Reduction<$type> for Largest {
                type Acc = $type;
                type Total = $type;
                type Output = $type;
                const NAME: &'static str = "largest";
                const EXACT: bool = true;
                const JOINS: bool = true;
                fn start(&self) -> $type {
                    0
                }
                fn step(&self, acc: $type, x: $type, round: usize) -> $type {
                    if round == 0 { x } else { acc.max(x) }
                }
                fn join(&self, a: $type, b: $type) -> $type {
                    a.max(b)
                }
                fn total(&self, acc: $type, _: Place) -> $type {
                    acc
                }
                fn merge(&self, a: $type, b: $type) -> $type {
                    a.max(b)
                }
                fn finish(&self, total: $type, _: usize) -> Result<$type, Error> {
                    Ok(total)
                }
            }
        )*};
    }
    largest!(u32 u64);
    let mut report = Report::new("rounds");
    for len in (1..70).chain([100, 255, 257, 300, 5000]) {
        for place in [0, len / 3, len / 2, len - 1] {
            let x = Array1::from_fn([len], |[i]| if i == place { 9_u32 } else { 1 });
            report.equal(format!("{place} of {len}"), x.reduce_by(Largest, 0).ok(), Some(arr(9)));
            let wide = x.mapv(u64::from).eval().expect("it fits");
            report.equal(
                format!("u64 {place} of {len}"),
                wide.reduce_by(Largest, 0).ok(),
                Some(arr(9)),
            );
            let rows = Array2::from_fn([5, len + 1], |[_, j]| if j == place { 9_u32 } else { 1 });
            let part = rows.slice(s![.., ..-1]).expect("a part");
            let all = part.reduce_by(Largest, ..).ok().map(|all| all.into_scalar());
            report.equal(format!("rows, {place} of {len}"), all, Some(9));
        }
    }
    report.finish(3 * 4 * 74);
}

/// An array of rank 0.
fn arr<T: zerostride::Element>(value: T) -> Array0<T> {
    Array0::full([], value)
}

/// A range as a `Vec`; `None` if it is refused.
macro_rules! range {
    ($start:expr, $end:expr, $step:expr) => {
        Array1::arange($start, $end, $step).ok().map(Array1::into_vec)
    };
}

#[test]
fn ranges_of_the_widest_integers() {
    let (min, max, top) = (i128::MIN, i128::MAX, u128::MAX);
    let mut report = Report::new("ranges of 128 bits");
    report.equal("all of i128 in steps", range!(min, max, max), Some(vec![min, -1, max - 1]));
    report.equal("down all of i128", range!(max, min, min), Some(vec![max, -1]));
    report.equal("i128 from end to end", range!(min, max, 1), None);
    report.equal("the last of i128", range!(max - 2, max, 1), Some(vec![max - 2, max - 1]));
    report.equal("the first of i128", range!(min + 2, min, -1), Some(vec![min + 2, min + 1]));
    report.equal("the last of u128", range!(top - 2, top, 1), Some(vec![top - 2, top - 1]));
    report.equal(
        "across the middle of u128",
        range!(1 << 126, top, 1 << 126),
        Some(vec![1 << 126, 2 << 126, 3 << 126]),
    );
    report.equal("u128 from end to end", range!(0, top, 1), None);
    report.equal("a step of 0", range!(0_i128, 5, 0), None);
    report.equal("nothing", range!(5_i128, 5, 1), Some(vec![]));
    report.equal("the wrong way", range!(5_u128, 1, 1), Some(vec![]));
    report.equal(
        "i64 from end to end",
        range!(i64::MIN, i64::MAX, i64::MAX),
        Some(vec![i64::MIN, -1, i64::MAX - 1]),
    );
    report.equal(
        "u64 near its end",
        range!(u64::MAX - 3, u64::MAX, 2),
        Some(vec![u64::MAX - 3, u64::MAX - 1]),
    );
    report.equal("i8", range!(-128_i8, 127, 100), Some(vec![-128, -28, 72]));
    report.finish(14);
}

/// A typed rank is not needed for any of it.
#[test]
fn dynamic_ranks_without_elements() {
    fn parts<R: Dimension>(view: View<'_, u8, R>) -> usize {
        view.iter().count()
            + view.indexed_iter().count()
            + view.axis_iter(0).map_or(0, Iterator::count)
    }
    let a = ArrayD::<u8>::zeros(vec![0; 16]);
    assert_eq!(parts(a.view().with_engine()), 0);
    assert_eq!(parts(Array2::<u8>::zeros([3, 0]).view().with_engine()), 3);
}

/// Indices and masks that lie apart are copied first.
#[test]
fn lists_of_more_than_memory() {
    let (index, mask) = (array![0_usize], array![true]);
    let indices = index.view().broadcast_to([1 << 45]).unwrap();
    let masks = mask.view().broadcast_to([1 << 45]).unwrap();
    let x = array![1.0, 2.0];
    let failed = [x.take(0, indices).err(), x.compress_axis(0, masks).err()];
    let said: Vec<_> = failed.iter().map(|error| error.as_ref().map(ToString::to_string)).collect();
    assert!(said.iter().flatten().count() == 2, "{said:?}");
}
