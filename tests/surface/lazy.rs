//! Expressions are values: they are returned, passed on, stored, chosen, collected, copied and used
//! twice, and mean what they mean where they are written out.

// Operators of references are what is tested.
#![allow(clippy::op_ref)]

use conformance::support::Report;
use zerostride::prelude::*;
use zerostride::{Error, Exec, ExprRank, Numeric};

/// The elements of two results, and their shapes.
fn same<T, A, B>(report: &mut Report, name: &str, found: A, want: B)
where
    T: zerostride::Element + PartialEq + std::fmt::Debug,
    A: Expr<Elem = T, Rank: zerostride::ResultRank>,
    B: Expr<Elem = T, Rank: zerostride::ResultRank>,
{
    let (found, want) = (found.eval(), want.eval().expect("what is written out fits"));
    let found = found.map(|found| (found.shape().to_vec(), found.to_vec()));
    report.equal(
        name,
        found.map_err(|e| e.to_string()),
        Ok((want.shape().to_vec(), want.to_vec())),
    );
}

fn standardise<'a>(x: &'a Array2<f32>) -> Lazy<impl Expr<Elem = f32, Rank = Rank<2>> + 'a> {
    let mean = x.mean_axis(keep(0)).expect("there are rows");
    let std = x.std_axis(keep(0), 0.0).expect("there are rows");
    (x - mean) / std
}

/// Generic over what it is given, and over the element type.
fn smooth_step<T: Numeric, E: Expr<Elem = T, Rank = Rank<2>> + Clone>(
    x: Lazy<E>,
    [two, three]: [T; 2],
) -> Lazy<impl Expr<Elem = T, Rank = Rank<2>>> {
    &x * &x * (constant(three) - x * two)
}

/// Generic over arrays, views and expressions, and over the rank.
fn doubled<R: zerostride::Dimension, E: Expr<Elem = f32, Rank = R>>(
    x: E,
) -> Lazy<impl Expr<Elem = f32, Rank = R>> {
    let x = x.lazy();
    2.0 * x
}

fn halved_exp<E: Expr<Elem = f32, Rank = Rank<2>>>(x: E) -> Array2<f32> {
    (x.exp() * 0.5).eval().expect("one operand")
}

fn any_rank<E: Expr<Elem = f32, Rank: ExprRank>>(
    x: Lazy<E>,
) -> Lazy<impl Expr<Elem = f32, Rank = E::Rank>> {
    x.abs()
}

#[test]
fn functions_return_and_take_them() {
    let mut report = Report::new("functions");
    let x = array![[1.0_f32, 2.0], [3.0, -5.0]];
    let y = array![[0.5_f32, 0.25], [4.0, 8.0]];
    let z = standardise(&x).eval().unwrap();
    same(&mut report, "on the left", standardise(&x) + &y, &z + &y);
    same(&mut report, "on the right", &y + standardise(&x), &y + &z);
    same(&mut report, "on both", standardise(&x) * standardise(&y), &z * standardise(&y));
    same(&mut report, "literal on the left", 2.0 * standardise(&x), &z * 2.0);
    same(&mut report, "literal on the right", standardise(&x) - 2.0, &z - 2.0);
    same(&mut report, "negated", -standardise(&x), -&z);
    same(&mut report, "method", standardise(&x).exp().maximum(&y), z.exp().maximum(&y));
    same(&mut report, "operand of a method", y.maximum(standardise(&x)), y.maximum(&z));
    same(&mut report, "generic", smooth_step(x.lazy(), [2.0, 3.0]), &x * &x * (3.0 - &x * 2.0));
    same(&mut report, "generic, of a result", smooth_step(&x + &y, [2.0, 3.0]), {
        let d = &x + &y;
        d * d * (3.0 - d * 2.0)
    });
    same(&mut report, "of an array", doubled(&x), &x * 2.0);
    same(&mut report, "of a view", doubled(x.t()), x.t() * 2.0);
    same(&mut report, "of an expression", doubled(&x + &y), (&x + &y) * 2.0);
    same(&mut report, "of a vector", doubled(&array![1.0]), &array![1.0_f32] * 2.0);
    same(&mut report, "generic method", &halved_exp(&x), x.exp() * 0.5);
    same(&mut report, "generic method", &halved_exp(&x * 1.0), x.exp() * 0.5);
    report.equal("reduced", standardise(&x).sum_axis(0).unwrap(), z.sum_axis(0).unwrap());
    let mut out = Array2::zeros([2, 2]);
    out.assign(standardise(&x)).unwrap();
    report.equal("assigned", &out, &z);
    out += standardise(&x);
    report.equal("added", &out, &(&z * 2.0).eval().unwrap());
    let lifted = array![-3.0, 4.0];
    same(
        &mut report,
        "of any rank",
        &x + any_rank(lifted.along([0])),
        &x + lifted.along([0]).abs(),
    );
    report.finish(20);
}

/// An expression of references can be used twice, by value and by reference.
#[test]
fn they_are_copied() {
    fn copies<T: Copy>(_: &T) {}
    let (x, y) = (array![[1_i32, 2, 3], [4, 5, 6]], array![[2, 2, 2], [1, 1, 1]]);
    let v = array![10, 20];
    let d = &x - &y;
    copies(&d);
    copies(&x.lazy());
    copies(&(&x - v.along([0])).maximum(&y).less(0).select(&x, 0).cast::<f32>());
    copies(&(numpy(&x) + numpy(&v.along([0]))));
    let square = array![[1, 0, 1], [9, 16, 25]];
    assert_eq!((d * d).eval().unwrap(), square);
    assert_eq!((&d * &d).eval().unwrap(), square);
    assert_eq!((&d * d).eval().unwrap(), square);
    assert_eq!((d * &d).eval().unwrap(), square);
    assert_eq!((1 - &d).eval().unwrap(), (1 - d).eval().unwrap());
    assert_eq!((-&d).eval().unwrap(), (-d).eval().unwrap());
    assert_eq!((!&d).eval().unwrap(), (!d).eval().unwrap());
    assert_eq!((&x + &d).eval().unwrap(), (&x + d).eval().unwrap());
    assert_eq!(d.maximum(&d).eval().unwrap(), d.eval().unwrap());
    let lifted = v.along([0]);
    assert_eq!((&x * &lifted + lifted).eval().unwrap(), array![[20, 30, 40], [100, 120, 140]]);
    // One that owns an array is moved, and is not copied behind one's back.
    let owned = x.clone() + 1;
    assert_eq!((owned * 2).eval().unwrap(), array![[4, 6, 8], [10, 12, 14]]);
}

#[test]
fn zipped_operands_nest() {
    let (a, b, c) = (array![1, 2, 3], array![1.5, 2.5, 3.5], array![true, false, true]);
    let pair = zip((&a, &b));
    let nested = zip((pair, &c)).map(|((a, b), c)| if c { f64::from(a) * b } else { 0.0 });
    assert_eq!(nested.eval().unwrap().to_vec(), [1.5, 0.0, 10.5]);
    let twice = zip((pair, pair)).map(|((a, _), (_, b))| f64::from(a) + b);
    assert_eq!(twice.eval().unwrap().to_vec(), [2.5, 4.5, 6.5]);
    let chosen = c.select(pair, zip((&a * 0, &b * 0.0))).map(|(a, b)| f64::from(a) + b);
    assert_eq!(chosen.eval().unwrap().to_vec(), [2.5, 0.0, 6.5]);
    let many: i32 = {
        let a = a.lazy();
        let eight = zip((a, a, a, a, a, a, a, a));
        let all =
            zip((eight, a)).map(|((a, b, c, d, e, f, g, h), i)| a + b + c + d + e + f + g + h + i);
        all.sum().unwrap()
    };
    assert_eq!(many, 54);
}

/// What can be made of operands under NumPy's rule: all that can be made of others.
#[test]
fn numpys_rule_is_kept() {
    let mut report = Report::new("numpy");
    let cube = Array3::<i64>::from_fn([2, 3, 4], |[i, j, k]| (100 * i + 10 * j + k) as i64);
    let x = array![[1_i64, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]];
    let v = array![100_i64, 200, 300, 400];
    let column = array![[1_i64], [2], [3]];
    let wide = x.broadcast_in_dim([2, 3, 4], [1, 2]).unwrap();
    let all = v.broadcast_in_dim([2, 3, 4], [2]).unwrap();
    let tall = column.broadcast_in_dim([2, 3, 4], [1, 2]).unwrap();
    same(&mut report, "lower on the right", numpy(&cube) + numpy(&x), &cube + wide);
    same(&mut report, "lower on the left", numpy(&v) - numpy(&cube), all - &cube);
    same(&mut report, "three", numpy(&v) * numpy(&x) - numpy(&cube), all * wide - &cube);
    same(
        &mut report,
        "three, bracketed",
        numpy(&v) * (numpy(&x) - numpy(&cube)),
        all * (wide - &cube),
    );
    same(&mut report, "stretched", numpy(&column) + numpy(&cube), tall + &cube);
    same(&mut report, "both stretch", numpy(&column) + numpy(&v), {
        column.broadcast_in_dim([3, 4], [0, 1]).unwrap() + v.broadcast_in_dim([3, 4], [1]).unwrap()
    });
    same(
        &mut report,
        "methods",
        numpy(&x).abs().maximum(numpy(&v)) + numpy(&cube),
        wide.abs().maximum(all) + &cube,
    );
    same(
        &mut report,
        "an expression within",
        numpy(&x * 2 + &column) + numpy(&cube),
        wide * 2 + tall + &cube,
    );
    same(
        &mut report,
        "within itself",
        numpy(numpy(&x) + numpy(&v)) + numpy(&cube),
        wide + all + &cube,
    );
    same(
        &mut report,
        "scalars",
        1 - numpy(&v) * 2 + numpy(&x),
        1 - all.slice(s![0, .., ..]).unwrap() * 2 + &x,
    );
    same(&mut report, "beside a higher rank", &cube + numpy(&v), &cube + all);
    same(&mut report, "a higher rank beside it", numpy(&v) + &cube, all + &cube);
    let floats = |x: View3<'_, i64>| x.cast::<f64>().eval().unwrap();
    same(
        &mut report,
        "computed before the rest",
        numpy((&v * -1).cast::<f64>().exp()) + numpy(&floats(cube.view())),
        (floats(all) * -1.0).exp() + floats(cube.view()),
    );
    same(
        &mut report,
        "computed before the rest, of two",
        (numpy(&v) + numpy(&x)).cast::<f64>().sqrt() + numpy(&floats(cube.view())),
        (floats(all) + floats(wide)).sqrt() + floats(cube.view()),
    );
    let (xd, cubed) = (x.clone().into_dyn(), cube.clone().into_dyn());
    same(&mut report, "ranks at run time", numpy(&xd) + numpy(&cubed), &cube + wide);
    same(&mut report, "one rank at run time", numpy(&xd) + numpy(&cube), &cube + wide);
    report.equal("sum", (numpy(&v) + numpy(&x)).sum().unwrap(), 3078);
    report.equal(
        "sum_axis",
        (numpy(&v) + numpy(&cube)).max_axis([0, 1]).unwrap().to_vec(),
        vec![220, 321, 422, 523],
    );
    report.equal("cumsum", (numpy(&v) * numpy(&x)).cumsum(0).unwrap().shape().to_vec(), vec![3, 4]);
    let mut out = cube.clone();
    out.assign(numpy(&v)).unwrap();
    report.equal("assigned", &out, &all.to_owned());
    out.assign(numpy(&v) + numpy(&x)).unwrap();
    report.equal("a sum assigned", &out, &(wide + all).eval().unwrap());
    out += numpy(&x);
    report.equal("added", &out, &(wide * 2 + all).eval().unwrap());
    report.holds("shape", (numpy(&v) + numpy(&x)).result_shape().unwrap()[..] == [3, 4]);
    let refused = |result: Result<Array3<i64>, Error>| result.is_err();
    report.holds("does not fit", refused((numpy(&cube) + numpy(&array![1, 2, 3])).eval()));
    report.holds("does not fit either", out.assign(numpy(&array![1, 2, 3])).is_err());
    report.finish(25);
}

/// Boxed expressions compute the same, with whatever is around them, in every way of computing.
#[test]
fn boxed_expressions_are_what_they_hold() {
    let mut report = Report::new("boxed");
    for shape in [[3, 4], [1, 7], [40, 30], [0, 5], [300, 257]] {
        let len: usize = shape.iter().product();
        let values = (0..len).map(|i| (i * 7919 % 1000) as f64 / 100.0 - 5.0).collect();
        let x = Array2::from_shape_vec(shape, values).unwrap();
        let y = (&x * 0.5 + 1.0).eval().unwrap();
        let row = Array1::from_fn(shape[1], |[i]| i as f64 - 2.0);
        let column = Array1::from_fn(shape[0], |[i]| i as f64 + 1.0);
        for (layout, x) in [
            ("rows", x.view()),
            ("reversed", x.flip(1).unwrap()),
            ("stepped", x.slice(s![.., ..;2]).unwrap()),
            ("transposed", x.t()),
        ] {
            let (y, row, column) = match layout {
                "transposed" => (y.t(), column.view(), row.view()),
                "stepped" => {
                    (y.slice(s![.., ..;2]).unwrap(), row.slice(s![..;2]).unwrap(), column.view())
                }
                _ => (y.view(), row.view(), column.view()),
            };
            let named = |case: &str| format!("{shape:?} {layout}: {case}");
            let mut check = |case: &str,
                             found: Result<Array2<f64>, Error>,
                             want: Result<Array2<f64>, Error>| {
                let of = |result: Result<Array2<f64>, Error>| {
                    result
                        .map(|array| (array.shape().to_vec(), array.to_vec()))
                        .map_err(|e| e.to_string())
                };
                report.equal(named(case), of(found), of(want));
            };
            check("alone", (x + y).boxed().eval(), (x + y).eval());
            check("an operand", (x.boxed() + y).eval(), (x + y).eval());
            check("two", ((x + y).boxed() * (x - y).boxed()).eval(), ((x + y) * (x - y)).eval());
            check(
                "an operation that takes long",
                (x.exp().boxed() + 1.0).eval(),
                (x.exp() + 1.0).eval(),
            );
            check("below one", (x + y).boxed().exp().eval(), (x + y).exp().eval());
            check(
                "in another one",
                ((x + 1.0).boxed() * 2.0).boxed().eval(),
                ((x + 1.0) * 2.0).eval(),
            );
            check("along", (x + row.along([1]).boxed()).eval(), (x + row.along([1])).eval());
            check(
                "below along",
                (x + column.exp().boxed().along([0])).eval(),
                (x + column.exp().along([0])).eval(),
            );
            check(
                "repeating within",
                ((x - row.exp().along([1])).boxed() * y).eval(),
                ((x - row.exp().along([1])) * y).eval(),
            );
            check(
                "under NumPy's rule",
                (numpy(x) + numpy(row.boxed())).eval(),
                (x + row.along([1])).eval(),
            );
            let mut out = Array2::zeros([x.shape()[0], x.shape()[1]]);
            let assigned = out.assign((x + y).boxed()).map(|()| out.clone());
            check("assigned", assigned, (x + y).eval());
            let assigned = out.assign(row.exp().along([1]).boxed()).map(|()| out.clone());
            check("assigned, repeating", assigned, (x * 0.0 + row.exp().along([1])).eval());
            let kept = |result: Result<Array1<f64>, Error>| {
                result.map(|array| array.to_vec()).map_err(|e| e.to_string())
            };
            report.equal(
                named("sum_axis"),
                kept((x * y).boxed().sum_axis(0)),
                kept((x * y).sum_axis(0)),
            );
            report.equal(
                named("sum"),
                (x * y).boxed().sum().unwrap().to_bits(),
                (x * y).sum().unwrap().to_bits(),
            );
        }
    }
    report.finish(280);
}

#[test]
fn boxed_expressions_are_values() {
    struct Model<'a> {
        terms: Vec<Boxed<'a, f32, Rank<1>>>,
    }
    fn fixed(x: Array1<f32>) -> Boxed<'static, f32, Rank<1>> {
        (x * 2.0).boxed()
    }
    fn crosses_threads<T: Send + Sync + Clone>(_: &T) {}
    let (x, y) = (array![1.0_f32, 2.0], array![3.0_f32, 4.0]);
    let mut model = Model { terms: vec![(&x * &y).boxed(), x.boxed(), fixed(y.clone())] };
    model.terms.push(x.sqrt().boxed());
    crosses_threads(&model.terms);
    let mut sum: Boxed<'_, f32, Rank<1>> = (&x * constant(0.0).boxed()).boxed();
    for term in &model.terms {
        sum = (sum + term).boxed();
    }
    assert_eq!(
        sum.clone().eval().unwrap().to_vec(),
        [3.0 + 1.0 + 6.0 + 1.0, 8.0 + 2.0 + 8.0 + 2_f32.sqrt()]
    );
    assert_eq!((&sum - &sum).eval().unwrap().to_vec(), [0.0, 0.0]);
    for parallel in [false, true] {
        let exec = Exec::new().parallel(parallel);
        assert_eq!(exec.install(|| (&sum - &sum).eval()).unwrap().to_vec(), [0.0, 0.0]);
    }
    assert!((&sum + &array![1.0, 2.0, 3.0]).eval().is_err());
    let chosen = |big: bool| if big { (&x + 100.0).boxed() } else { x.lazy().boxed() };
    assert_eq!(chosen(true).sum().unwrap() - chosen(false).sum().unwrap(), 200.0);
    assert!(sum.explain().unwrap().to_string().contains("result"));
}

#[test]
fn scalars_stand_everywhere() {
    fn shifted<T: Numeric>(x: &Array1<T>, by: T) -> Array1<T> {
        ((x + by) - (constant(by) - x)).eval().expect("scalars fit")
    }
    assert_eq!(shifted(&array![1, 2], 10).to_vec(), [2, 4]);
    let (x, scalar) = (array![1.0, 2.0], 0.5);
    assert_eq!((&x + &scalar).eval().unwrap().to_vec(), [1.5, 2.5]);
    assert_eq!(((&x + &scalar) * &scalar).eval().unwrap().to_vec(), [0.75, 1.25]);
    assert_eq!((constant(3.0) / &x).eval().unwrap().to_vec(), [3.0, 1.5]);
}

/// Plans of arrays and views are shown without more words.
#[test]
fn arrays_are_explained() {
    let x = Array2::<f32>::zeros([64, 32]);
    let plan = x.view().explain().unwrap().to_string();
    assert_eq!(x.explain().unwrap().to_string(), plan);
    let held: &Array2<f32> = &x;
    assert_eq!(held.explain().unwrap().to_string(), plan);
    let plan = x.view().explain_reduce(zerostride::Sum, 1).unwrap().to_string();
    assert_eq!(x.explain_reduce(zerostride::Sum, 1).unwrap().to_string(), plan);
    assert_eq!(held.explain_reduce(zerostride::Sum, 1).unwrap().to_string(), plan);
}

/// Errors are as readable when they are unwrapped as when they are printed.
#[test]
fn errors_show_their_words() {
    let mut report = Report::new("errors");
    let (a, b) = (array![[1], [2]], array![[1, 2, 3]]);
    let errors = [
        (&a + &array![[1, 2, 3], [4, 5, 6], [7, 8, 9]]).eval().unwrap_err(),
        b.slice(s![.., 2..5]).map_err(Error::from).unwrap_err(),
        a.sum_axis(7).unwrap_err(),
    ];
    for error in errors {
        report.equal("Error", format!("{error:?}"), error.to_string());
    }
    let error = b.slice(s![.., 2..5]).unwrap_err();
    report.equal("LayoutError", format!("{error:?}"), error.to_string());
    report.finish(4);
}

/// An error names operands as they were written, and not what came of some of them.
#[test]
fn errors_name_operands() {
    let mut report = Report::new("operands");
    let (column, row) = (Array2::<i32>::zeros([2, 1]), Array2::<i32>::zeros([1, 3]));
    let (tall, wide) = (Array2::<i32>::zeros([4, 3]), Array2::<i32>::zeros([2, 5]));
    let text = |result: Result<Array2<i32>, Error>| {
        result.map_or_else(|e| e.to_string(), |_| String::new())
    };
    let mut says = |name: &str, text: String, words: &[&str], not: &str| {
        let found = words.iter().all(|word| text.contains(word)) && !text.contains(not);
        report.holds(format!("{name}: {text}"), found);
    };
    says("first clashes", text((&column + &row + &tall).eval()), &["[2, 1]", "[4, 3]"], "[2, 3]");
    says("second clashes", text((&column + &row + &wide).eval()), &["[1, 3]", "[2, 5]"], "[2, 3]");
    says("on the right", text((&wide + (&column + &row)).eval()), &["[1, 3]", "[2, 5]"], "[2, 3]");
    says(
        "below operations",
        text(((&column + &row).abs() * 2 + &wide).eval()),
        &["[1, 3]", "[2, 5]"],
        "[2, 3]",
    );
    says(
        "two and two",
        text(((&column + &row) * (&wide + &column)).eval()),
        &["[1, 3]", "[2, 5]"],
        "[2, 3]",
    );
    says(
        "zipped",
        text(zip((&column, &row, &wide)).map(|(a, _, _)| a).eval()),
        &["[1, 3]", "[2, 5]"],
        "[2, 3]",
    );
    let v = Array1::<i32>::zeros(4);
    says(
        "a vector along",
        text((&column + &row + v.along([0])).eval()),
        &["[4]", "[2, 1]"],
        "[2, 3]",
    );
    says(
        "a vector along",
        text((&column + &row + v.along([1])).eval()),
        &["[4]", "[1, 3]"],
        "[2, 3]",
    );
    let (a, b) = (column.clone().into_dyn(), Array3::<i32>::zeros([2, 3, 4]).into_dyn());
    let text = (&a + &row.into_dyn() + &b).eval().unwrap_err().to_string();
    says("unequal ranks", text, &["[2, 1]", "[2, 3, 4]"], "[2, 3] ");
    report.finish(9);
}

/// A panic of what cannot return an error is at the line that asked for it.
#[test]
fn panics_are_at_the_caller() {
    use std::sync::{Arc, Mutex};
    let mut report = Report::new("places");
    let seen = Arc::new(Mutex::new(None));
    let mut at_caller = |name: &str, line: u32, f: &mut dyn FnMut()| {
        let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(f));
        let place = seen.lock().unwrap().take();
        report.holds(name, result.is_err());
        report.equal(name, place, Some((file!().to_owned(), line)));
    };
    let hook = std::panic::take_hook();
    let places = seen.clone();
    let thread = std::thread::current().id();
    std::panic::set_hook(Box::new(move |info| {
        if std::thread::current().id() == thread {
            *places.lock().unwrap() = info.location().map(|at| (at.file().to_owned(), at.line()));
        } else {
            hook(info);
        }
    }));
    let mut a = array![[1, 2], [3, 4]];
    let b = array![[1, 2, 3]];
    at_caller("+=", line!(), &mut || a += &b);
    let mut view = a.view_mut();
    at_caller("-= on a view", line!(), &mut || view -= &b);
    at_caller("an index", line!(), &mut || a[[7, 0]] += 1);
    at_caller("zeros", line!(), &mut || drop(Array2::<u8>::zeros([usize::MAX, 2])));
    at_caller("full", line!(), &mut || drop(Array2::full([usize::MAX, 2], 1)));
    let (row, column) = ([1 << 40, 1 << 30], [usize::MAX, 2]);
    at_caller("from_elem", line!(), &mut || drop(Array2::from_elem(column, 1)));
    at_caller("from_shape_fn", line!(), &mut || drop(Array2::from_shape_fn(row, |_| 1)));
    at_caller("eye", line!(), &mut || drop(Array2::<u8>::eye(1 << 40)));
    at_caller("linspace", line!(), &mut || drop(Array1::linspace(0.0, 1.0, 1 << 60)));
    at_caller("part", line!(), &mut || assert!(b.part(s![5.., ..]).is_empty()));
    at_caller("part_mut", line!(), &mut || a.part_mut(s![.., ..9]).fill(0));
    at_caller("row", line!(), &mut || assert!(b.row(7).is_empty()));
    drop(std::panic::take_hook());
    report.finish(24);
}
