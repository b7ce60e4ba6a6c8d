//! One case of the table: an operation on given operands, in every way, as a new array and into an awkward destination.

use crate::support::layouts::{Same, difference};
use crate::support::{Held, Recipe, Report, TestElement, ways};
use conformance::naive::{self, Naive};
use std::fmt::Display;
use zerostride::ops::{Clamp, Op};
use zerostride::{Array, Assign, Dimension, Dyn, Error, Exec, Expr, zip};

/// An array of the library as a naive one.
pub fn to_naive<T: TestElement, R: Dimension>(array: &Array<T, R>) -> Naive<T> {
    Naive { shape: array.shape().to_vec(), data: array.to_vec() }
}

/// Checks what `eval` makes and what `assign` writes to a destination of layout `out`, in every way.
fn check<T: TestElement>(
    report: &mut Report,
    case: &dyn Display,
    want: &Naive<T>,
    (out, same): (&Recipe, Same<T>),
    eval: &dyn Fn(&Exec) -> Result<Array<T, Dyn>, Error>,
    assign: &dyn Fn(&mut Held<T>, &Exec) -> Result<(), Error>,
) {
    let before = Held::destination(&want.shape, out);
    for way in ways() {
        let problem = match eval(&way.0) {
            Ok(array) => difference(&to_naive(&array), want, same),
            Err(err) => Some(err.to_string()),
        };
        report.row(format_args!("{case}, eval, {way}"), problem);
        let mut destination = before.clone();
        let problem = match assign(&mut destination, &way.0) {
            Ok(()) => destination.problem(want, &before.buffer, same),
            Err(err) => Some(err.to_string()),
        };
        report.row(format_args!("{case}, assign to {before}, {way}"), problem);
    }
}

/// Checks an operation on one operand.
pub fn unary<T: TestElement, U: TestElement, O: Op<T, Output = U> + Copy>(
    report: &mut Report,
    (name, op, f, same): (&str, O, impl Fn(T) -> U, Same<U>),
    a: &Held<T>,
    out: &Recipe,
) {
    let want = a.naive().map(f);
    check(
        report,
        &format_args!("{name} of {}: {a}", T::NAME),
        &want,
        (out, same),
        &|exec| a.view().apply(op).eval_with(exec),
        &|to, exec| to.view_mut().assign_with(a.view().apply(op), exec),
    );
}

/// Checks an operation on two operands, of which the one of lower rank lies along `dims`.
pub fn binary<T: TestElement, U: TestElement, O: Op<(T, T), Output = U> + Copy>(
    report: &mut Report,
    (name, op, f, same): (&str, O, impl Fn(T, T) -> U, Same<U>),
    (a, b, dims): (&Held<T>, &Held<T>, &[usize]),
    out: &Recipe,
) {
    let want = naive::binary(&a.naive(), &b.naive(), dims, f).expect("the rows of the table fit");
    let case = format!("{name} of {}: {a} and {b} along {dims:?}", T::NAME);
    let mut run = |eval: &dyn Fn(&Exec) -> _, assign: &dyn Fn(&mut Held<U>, &Exec) -> _| {
        check(report, &case, &want, (out, same), eval, assign);
    };
    match a.shape.len().cmp(&b.shape.len()) {
        std::cmp::Ordering::Equal => {
            let expr = || zip::<(T, T), _>((a.view(), b.view())).apply(op);
            run(&|exec| expr().eval_with(exec), &|to, exec| to.view_mut().assign_with(expr(), exec));
        }
        std::cmp::Ordering::Less => {
            let expr = || zip::<(T, T), _>((a.view().along(dims), b.view())).apply(op);
            run(&|exec| expr().eval_with(exec), &|to, exec| to.view_mut().assign_with(expr(), exec));
        }
        std::cmp::Ordering::Greater => {
            let expr = || zip::<(T, T), _>((a.view(), b.view().along(dims))).apply(op);
            run(&|exec| expr().eval_with(exec), &|to, exec| to.view_mut().assign_with(expr(), exec));
        }
    }
}

/// Checks `x = op(x, b)` in place, `x` being laid out by `out`.
pub fn update<T: TestElement, O: Op<(T, T), Output = T> + Copy>(
    report: &mut Report,
    (name, op, f, same): (&str, O, impl Fn(T, T) -> T, Same<T>),
    (shape, b, dims): (&[usize], &Held<T>, &[usize]),
    out: &Recipe,
) {
    let before = Held::ordinary(shape, out, 4);
    let want = naive::binary(&before.naive(), &b.naive(), dims, f).expect("the rows of the table fit");
    for way in ways() {
        let mut destination = before.clone();
        let mut view = destination.view_mut();
        let done = if b.shape.len() == shape.len() {
            view.update_with(op, b.view(), &way.0)
        } else {
            view.update_with(op, b.view().along(dims), &way.0)
        };
        let problem = match done {
            Ok(()) => destination.problem(&want, &before.buffer, same),
            Err(err) => Some(err.to_string()),
        };
        report.row(format_args!("update {name} of {}: {before} by {b} along {dims:?}, {way}", T::NAME), problem);
    }
}

/// Checks `select` on three operands of one shape, or scalars.
pub fn select<T: TestElement>(
    report: &mut Report,
    (p, t, f): (&Held<bool>, &Held<T>, &Held<T>),
    out: &Recipe,
) {
    let choose = |p, t, f| if p { t } else { f };
    let want = naive::ternary((&p.naive(), &t.naive(), &f.naive()), choose).expect("the rows of the table fit");
    let expr = || zerostride::select::<T, _, _, _>(p.view(), t.view(), f.view());
    check(
        report,
        &format_args!("select of {}: {p}, {t}, {f}", T::NAME),
        &want,
        (out, T::same),
        &|exec| expr().eval_with(exec),
        &|to, exec| to.view_mut().assign_with(expr(), exec),
    );
}

/// Checks `clamp` on three operands of one shape, or scalars.
pub fn clamp<T>(report: &mut Report, (lo, x, hi): (&Held<T>, &Held<T>, &Held<T>), out: &Recipe)
where
    T: TestElement,
    Clamp: Op<(T, T, T), Output = T>,
{
    let want = naive::ternary((&lo.naive(), &x.naive(), &hi.naive()), T::clamp).expect("the rows of the table fit");
    let expr = || zerostride::clamp::<T, _, _, _>(lo.view(), x.view(), hi.view());
    check(
        report,
        &format_args!("clamp of {}: {lo}, {x}, {hi}", T::NAME),
        &want,
        (out, T::same),
        &|exec| expr().eval_with(exec),
        &|to, exec| to.view_mut().assign_with(expr(), exec),
    );
}
