//! Every way to write an operation means that operation: operators, methods, named functions,
//! scalars on either side, and all mixtures of owned and borrowed operands.

use conformance::support::Report;
use zerostride::prelude::*;
use zerostride::{
    add, and, clamp, div, equal, greater, greater_equal, less, less_equal, maximum, minimum, mul,
    neg, not, not_equal, or, rem, sub, xor,
};

fn all<E: Expr<Rank = Rank<1>>>(expr: E) -> Vec<E::Elem> {
    expr.eval().expect("the shapes are equal").to_vec()
}

#[test]
fn each_name_is_its_operation() {
    let mut report = Report::new("names");
    let (a, b) = (array![13, -7, 6], array![4, 2, 6]);
    report.equal("+", all(&a + &b), vec![17, -5, 12]);
    report.equal("-", all(&a - &b), vec![9, -9, 0]);
    report.equal("*", all(&a * &b), vec![52, -14, 36]);
    report.equal("/", all(&a / &b), vec![3, -3, 1]);
    report.equal("%", all(&a % &b), vec![1, -1, 0]);
    report.equal("&", all(&a & &b), vec![4, 0, 6]);
    report.equal("|", all(&a | &b), vec![13, -5, 6]);
    report.equal("^", all(&a ^ &b), vec![9, -5, 0]);
    report.equal("add", all(add(&a, &b, []).unwrap()), vec![17, -5, 12]);
    report.equal("sub", all(sub(&a, &b, [0]).unwrap()), vec![9, -9, 0]);
    report.equal("mul", all(mul(&a, &b, []).unwrap()), vec![52, -14, 36]);
    report.equal("div", all(div(&a, &b, []).unwrap()), vec![3, -3, 1]);
    report.equal("rem", all(rem(&a, &b, []).unwrap()), vec![1, -1, 0]);
    report.equal("and", all(and(&a, &b, []).unwrap()), vec![4, 0, 6]);
    report.equal("or", all(or(&a, &b, []).unwrap()), vec![13, -5, 6]);
    report.equal("xor", all(xor(&a, &b, []).unwrap()), vec![9, -5, 0]);
    report.equal("maximum()", all(maximum(&a, &b, []).unwrap()), vec![13, 2, 6]);
    report.equal("minimum()", all(minimum(&a, &b, []).unwrap()), vec![4, -7, 6]);
    report.equal(".maximum", all(a.maximum(&b)), vec![13, 2, 6]);
    report.equal(".minimum", all(a.minimum(&b)), vec![4, -7, 6]);
    report.equal(".equal", all(a.equal(&b)), vec![false, false, true]);
    report.equal(".not_equal", all(a.not_equal(&b)), vec![true, true, false]);
    report.equal(".less", all(a.less(&b)), vec![false, true, false]);
    report.equal(".less_equal", all(a.less_equal(&b)), vec![false, true, true]);
    report.equal(".greater", all(a.greater(&b)), vec![true, false, false]);
    report.equal(".greater_equal", all(a.greater_equal(&b)), vec![true, false, true]);
    report.equal("equal()", all(equal(&a, &b, []).unwrap()), vec![false, false, true]);
    report.equal("not_equal()", all(not_equal(&a, &b, []).unwrap()), vec![true, true, false]);
    report.equal("less()", all(less(&a, &b, []).unwrap()), vec![false, true, false]);
    report.equal("less_equal()", all(less_equal(&a, &b, []).unwrap()), vec![false, true, true]);
    report.equal("greater()", all(greater(&a, &b, []).unwrap()), vec![true, false, false]);
    report.equal(
        "greater_equal()",
        all(greater_equal(&a, &b, []).unwrap()),
        vec![true, false, true],
    );
    report.equal("unary -", all(-&a), vec![-13, 7, -6]);
    report.equal("neg()", all(neg(&a)), vec![-13, 7, -6]);
    report.equal("!", all(!&a), vec![-14, 6, -7]);
    report.equal("not()", all(not(&a)), vec![-14, 6, -7]);
    report.equal(".abs", all(a.abs()), vec![13, 7, 6]);
    report.equal("abs()", all(zerostride::abs(&a)), vec![13, 7, 6]);
    report.equal("sqrt()", all(zerostride::sqrt(&array![9.0, 0.25])), vec![3.0, 0.5]);
    report.equal(".clamp", all(a.clamp(&b, 10)), vec![10, 2, 6]);
    report.equal("clamp()", all(clamp(&b, &a, 10)), vec![10, 2, 6]);
    report.equal(".select", all(a.less(&b).select(&a, -1)), vec![-1, -7, -1]);
    report.equal("map", all(a.map(|x| x * 10)), vec![130, -70, 60]);
    report.equal(
        "zip",
        all(zip((&a, &b, 0.5)).map(|(a, b, h): (i32, i32, f64)| f64::from(a - b) * h)),
        vec![4.5, -4.5, 0.0],
    );
    report.finish(44);
}

#[test]
fn scalars_on_either_side() {
    let mut report = Report::new("scalars");
    let x = array![1.0_f32, 2.0, 4.0];
    report.equal("x + s", all(&x + 0.5), vec![1.5, 2.5, 4.5]);
    report.equal("s + x", all(0.5 + &x), vec![1.5, 2.5, 4.5]);
    report.equal("s - x", all(1.0 - &x), vec![0.0, -1.0, -3.0]);
    report.equal("s / x", all(2.0 / &x), vec![2.0, 1.0, 0.5]);
    report.equal("s - expr", all(1.0 - &x * 2.0), vec![-1.0, -3.0, -7.0]);
    report.equal("s % view", all(5.0 % x.view()), vec![0.0, 1.0, 1.0]);
    report.equal("s - owned", all(1.0 - x.clone()), vec![0.0, -1.0, -3.0]);
    report.equal("s & x", all(6 & &array![3, 12]), vec![2, 4]);
    report.equal(
        "s - along",
        (1 - array![1_i32, 2].along([0]) + &array![[0], [5]]).eval().unwrap().to_vec(),
        vec![0, 4],
    );
    // One-element arrays of rank 0 are scalars, too.
    let s = Array0::full([], 10.0_f32);
    report.equal("x + rank 0", all(&x + &s), vec![11.0, 12.0, 14.0]);
    report.equal("rank 0 - x", all(&s - &x), vec![9.0, 8.0, 6.0]);
    report.finish(11);
}

#[test]
fn owned_and_borrowed_operands_mix() {
    let mut report = Report::new("mixtures");
    let (a, b) = (array![1, 2, 3], array![10, 20, 30]);
    let (mut a_copy, mut b_copy) = (a.clone(), b.clone());
    let (a_mut, b_mut) = (a_copy.view_mut(), b_copy.view_mut());
    let (av, bv) = (a.view(), b.view());
    let want = vec![11, 22, 33];
    report.equal("&a + &b", all(&a + &b), want.clone());
    report.equal("&a + b", all(&a + b.clone()), want.clone());
    report.equal("a + &b", all(a.clone() + &b), want.clone());
    report.equal("a + b", all(a.clone() + b.clone()), want.clone());
    report.equal("view + &b", all(av + &b), want.clone());
    report.equal("&a + view", all(&a + bv), want.clone());
    report.equal("view + view", all(av + bv), want.clone());
    #[allow(clippy::op_ref)] // that is what is tested
    let views = all(&av + &bv);
    report.equal("&view + &view", views, want.clone());
    report.equal("&view_mut + &view_mut", all(&a_mut + &b_mut), want.clone());
    report.equal("view_mut + view", all(&a_mut + bv), want.clone());
    report.equal("expr + &b", all(&a * 1 + &b), want.clone());
    report.equal("&a + expr", all(&a + &b * 1), want.clone());
    report.equal("expr + expr", all(&a * 1 + &b * 1), want.clone());
    report.equal("expr + b", all(&a * 1 + b.clone()), want.clone());
    report.equal("-a + expr", all(-a.clone() + (2 * &a + bv)), want.clone());
    report.equal(
        "sum of slices",
        all(a.slice(s![..;-1]).unwrap() + b.slice(s![..;-1]).unwrap()),
        vec![33, 22, 11],
    );
    report.equal("a is as before", a.to_vec(), vec![1, 2, 3]);
    report.finish(17);
}

#[test]
fn assignment_operators() {
    fn bump(x: &mut Array1<i32>, by: &Array1<i32>) {
        *x += by * 2;
    }
    let mut x = array![1, 2, 3];
    bump(&mut x, &array![10, 20, 30]);
    assert_eq!(x.to_vec(), [21, 42, 63]);
    x -= 1;
    x *= &array![2, 3, 4];
    assert_eq!(x.to_vec(), [40, 123, 248]);
    x /= 2;
    x %= 7;
    assert_eq!(x.to_vec(), [6, 5, 5]);
    x |= 8;
    x &= &array![7, 8, 15];
    x ^= 1;
    assert_eq!(x.to_vec(), [7, 9, 12]);
    let mut matrix = array![[0, 0, 0], [0, 0, 0]];
    matrix += x.along([1]);
    let mut column = matrix.slice_mut(s![.., 1]).unwrap();
    column += 100;
    column -= array![1, 2];
    assert_eq!(matrix, array![[7, 108, 12], [7, 107, 12]]);
}

#[test]
fn along_places_an_operand() {
    let x = array![[1, 2, 3], [4, 5, 6]];
    let (row, column) = (array![10, 20, 30], array![100, 200]);
    assert_eq!((&x + row.along([1])).eval().unwrap(), array![[11, 22, 33], [14, 25, 36]]);
    assert_eq!((column.along([0]) - &x).eval().unwrap(), array![[99, 98, 97], [196, 195, 194]]);
    let both = (&x + (row.along([1]) + column.along([0]))).eval().unwrap();
    assert_eq!(both, array![[111, 122, 133], [214, 225, 236]]);
    assert_eq!(
        ((&column * 2).along([0]) + &x).eval().unwrap(),
        array![[201, 202, 203], [404, 405, 406]]
    );
    // The operand of higher rank stretches where its own extent is 1.
    let thin = array![[1], [2]];
    assert_eq!((&thin * row.along([1])).eval().unwrap(), array![[10, 20, 30], [20, 40, 60]]);
    assert_eq!((&thin * &array![[1, 2]]).eval().unwrap(), array![[1, 2], [2, 4]]);
    let mut out = Array2::<i32>::zeros([2, 3]);
    out.assign(row.along([1]) + column.along([0])).unwrap();
    assert_eq!(out, array![[110, 120, 130], [210, 220, 230]]);
}

#[test]
fn numpys_rule_on_request() {
    let x = array![[1, 2, 3], [4, 5, 6]];
    let row = array![10_i32, 20, 30];
    assert_eq!((numpy(&x) + numpy(&row)).eval().unwrap(), array![[11, 22, 33], [14, 25, 36]]);
    assert_eq!((numpy(&row) - numpy(&x) * 2).eval().unwrap(), array![[8, 16, 24], [2, 10, 18]]);
    assert_eq!((1 - numpy(&row)).eval().unwrap().to_vec(), [-9, -19, -29]);
    assert!((numpy(&x) + numpy(&array![1, 2])).eval().is_err());
}

/// The memory of an operand that is given by value is that of the result, where the two lie alike;
/// what else is read is what it was.
#[test]
fn owned_operands_are_reused() {
    use zerostride::Exec;
    let shape = [400, 420];
    let x = Array2::from_fn(shape, |[i, j]| (i * 31 + j) as f64);
    let y = Array2::from_fn(shape, |[i, j]| ((i + j) % 7) as f64);
    let row = Array1::from_fn(420, |[j]| j as f64);
    // Of one run, even where a plan would not be worth it.
    let less = x.slice(s![..50, ..60]).unwrap().to_owned();
    let (a, want) = (less.clone(), (&less + &less).eval().unwrap());
    let place = a.view().as_ptr();
    let got = (a + &less).eval().unwrap();
    assert_eq!((got.view().as_ptr(), &got), (place, &want));
    let serial = Exec::new().parallel(false);
    for exec in [serial, serial.parallel(true).grain(1), serial.cache(0)] {
        exec.install(|| {
            let want = (&x + &y).eval().unwrap();
            let a = x.clone();
            let place = a.view().as_ptr();
            let got = (a + &y).eval().unwrap();
            assert_eq!((got.view().as_ptr(), &got), (place, &want));
            // On the right, under operations that go through buffers, and with a transpose.
            let square = x.slice(s![.., ..400]).unwrap().to_owned();
            let want =
                (y.slice(s![.., ..400]).unwrap() * square.t() - square.sqrt()).eval().unwrap();
            let a = square.clone();
            let place = a.view().as_ptr();
            let got =
                (y.slice(s![.., ..400]).unwrap() * square.t() - a.view().sqrt()).eval().unwrap();
            assert_eq!(got, want);
            let got =
                (y.slice(s![.., ..400]).unwrap() * square.t() - (a * 1.0).sqrt()).eval().unwrap();
            assert_eq!((got.view().as_ptr(), &got), (place, &want));
            // Two of them: one is the result.
            let (a, b) = (x.clone(), y.clone());
            let want = (&x - &y * row.along([1])).eval().unwrap();
            let got = (a - b * row.along([1])).eval().unwrap();
            assert_eq!(got, want);
            // Column-major ones.
            let (a, b) = (x.t().to_owned().reversed_axes(), y.t().to_owned().reversed_axes());
            let place = b.view().as_ptr();
            let got = (&a + b).eval().unwrap();
            assert_eq!((got.view().as_ptr(), &got), (place, &(&x + &y).eval().unwrap()));
            // Not where the type, the shape or the layout is another one.
            let a = x.clone();
            let place = a.view().as_ptr().cast();
            assert_ne!((a.cast::<u64>() + 1_u64).eval().unwrap().view().as_ptr(), place);
            let column = Array2::from_fn([400, 1], |[i, _]| i as f64);
            let want = (&column + &y).eval().unwrap();
            assert_eq!((column + &y).eval().unwrap(), want);
            let reversed = x.clone().slice_move(s![..;-1, ..]).unwrap();
            let want = (&reversed + &y).eval().unwrap();
            assert_eq!((reversed + &y).eval().unwrap(), want);
        });
    }
    // Few elements under several operations; a closure is called once for each, reused or not.
    let few = array![[1.0, -2.0], [3.0, 0.5]];
    let (a, calls) = (few.clone(), std::sync::atomic::AtomicUsize::new(0));
    let place = a.view().as_ptr();
    let count = |x: f64| {
        calls.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        x as f32
    };
    let got = (a * 0.5 + &few).eval().unwrap();
    assert_eq!((got.view().as_ptr(), got), (place, array![[1.5, -3.0], [4.5, 0.75]]));
    assert_eq!((&few - few.clone() * 2.0).eval().unwrap(), (-&few).eval().unwrap());
    let turned = (few.clone().reversed_axes() * 2.0 - few.t()).eval().unwrap();
    assert_eq!(turned, few.t());
    assert_eq!((few.clone() + 1.0).mapv(count).eval().unwrap()[[1, 0]], 4.0);
    assert_eq!(calls.load(std::sync::atomic::Ordering::Relaxed), 4);
    // Of more, of which the owned array has no place for the result after all.
    let line = Array2::<f64>::zeros([1000, 1]).reversed_axes();
    let got = (line + 1.0).mapv(|x| f64::from(count(x))).eval().unwrap();
    assert_eq!(got.to_vec(), [1.0; 1000]);
    assert_eq!(calls.into_inner(), 1004);
    let flipped = array![1.0, 2.0, 3.0].slice_move(s![..;-1]).unwrap();
    assert_eq!((&flipped + (flipped.clone() * 2.0 + 1.0)).eval().unwrap(), array![10.0, 7.0, 4.0]);
    // An error leaves nothing behind.
    assert!((x.clone() + row.insert_axis(1).unwrap()).eval().is_err());
    assert_eq!(x.clone().map_into(|x| x as f32)[[1, 1]], 32.0);
}
