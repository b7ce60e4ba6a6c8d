//! One case of the table: an operation on given operands, in every way, as a new array and into an
//! awkward destination.

use conformance::naive::{self, Naive};
use conformance::support::layouts::{Same, difference};
use conformance::support::report::problem_of;
use conformance::support::{Held, Recipe, Report, TestElement, Ways};
use std::fmt::Display;
use zerostride::ops::{Clamp, Op};
use zerostride::{Array, Assign, Dimension, Dyn, Error, Exec, Expr, ViewD, zip};

/// An array of the library as a naive one.
pub fn to_naive<T: TestElement, R: Dimension>(array: &Array<T, R>) -> Naive<T> {
    Naive { shape: array.shape().to_vec(), data: array.to_vec() }
}

/// Where the result of a case goes, when it is right, and in which ways it is computed.
#[derive(Clone, Copy)]
pub struct Target<'a, T> {
    /// The layout of the destination.
    pub out: &'a Recipe,
    /// When an element is right.
    pub same: Same<T>,
    /// The ways.
    pub ways: Ways,
}

impl<'a, T: TestElement> Target<'a, T> {
    /// Right to the bit, in all ways.
    pub fn exact(out: &'a Recipe) -> Self {
        Target { out, same: T::same, ways: Ways::All }
    }
}

/// Checks what `eval` makes and what `assign` writes to the destination.
fn check<T: TestElement>(
    report: &mut Report,
    case: &dyn Display,
    want: &Naive<T>,
    Target { out, same, ways }: Target<'_, T>,
    eval: &dyn Fn(&Exec) -> Result<Array<T, Dyn>, Error>,
    assign: &dyn Fn(&mut Held<T>, &Exec) -> Result<(), Error>,
) {
    let before = Held::destination(&want.shape, out);
    for way in ways.list() {
        let problem = problem_of(|| match eval(&way.0) {
            Ok(array) => difference(&to_naive(&array), want, same),
            Err(err) => Some(err.to_string()),
        });
        report.row(format_args!("{case}, eval, {way}"), problem);
        let mut destination = before.clone();
        let problem = problem_of(|| match assign(&mut destination, &way.0) {
            Ok(()) => destination.problem(want, &before.buffer, same),
            Err(err) => Some(err.to_string()),
        });
        report.row(format_args!("{case}, assign to {before}, {way}"), problem);
    }
}

/// Checks an operation on one operand.
pub fn unary<T: TestElement, U: TestElement, O: Op<T, Output = U> + Copy>(
    report: &mut Report,
    (name, op, f): (&str, O, impl Fn(T) -> U),
    a: &Held<T>,
    target: Target<'_, U>,
) {
    let want = a.naive().map(f);
    check(
        report,
        &format_args!("{name} of {}: {a}", T::NAME),
        &want,
        target,
        &|exec| exec.install(|| a.view().apply(op).eval()),
        &|to, exec| exec.install(|| to.view_mut().assign(a.view().apply(op))),
    );
}

/// The view with new axes of extent 1 in rank `ndim`, wherever its own do not lie, so that it is
/// stretched without `along`.
///
/// The type of the expression is then the same for all ranks. Each type of expression is compiled
/// once for every instruction set, and there are hundreds of pairs of operation and element type.
fn in_rank<'a, T: TestElement>(held: &'a Held<T>, ndim: usize, dims: &[usize]) -> ViewD<'a, T> {
    let mut view = held.view();
    if held.shape.len() < ndim {
        for axis in (0..ndim).filter(|axis| !dims.contains(axis)) {
            view = view.insert_axis(axis).expect("the axes before it are there");
        }
    }
    view
}

/// Checks an operation on two operands, of which the one of lower rank lies along `dims` and is
/// given new axes elsewhere.
pub fn binary<T: TestElement, U: TestElement, O: Op<(T, T), Output = U> + Copy>(
    report: &mut Report,
    (name, op, f): (&str, O, impl Fn(T, T) -> U),
    (a, b, dims): (&Held<T>, &Held<T>, &[usize]),
    target: Target<'_, U>,
) {
    let want = naive::binary(&a.naive(), &b.naive(), dims, f).expect("the rows of the table fit");
    let ndim = want.shape.len();
    let expr = || zip::<(T, T), _>((in_rank(a, ndim, dims), in_rank(b, ndim, dims))).apply(op);
    check(
        report,
        &format_args!("{name} of {}: {a} and {b} along {dims:?}", T::NAME),
        &want,
        target,
        &|exec| exec.install(|| expr().eval()),
        &|to, exec| exec.install(|| to.view_mut().assign(expr())),
    );
}

/// Checks an operation on two operands of unequal rank, the lower one placed with `along`.
pub fn binary_along<T: TestElement, U: TestElement, O: Op<(T, T), Output = U> + Copy>(
    report: &mut Report,
    (name, op, f): (&str, O, impl Fn(T, T) -> U),
    (a, b, dims): (&Held<T>, &Held<T>, &[usize]),
    target: Target<'_, U>,
) {
    let want = naive::binary(&a.naive(), &b.naive(), dims, f).expect("the rows of the table fit");
    let case = format!("{name} of {}: {a} and {b} along {dims:?}", T::NAME);
    if a.shape.len() < b.shape.len() {
        let expr = || zip::<(T, T), _>((a.view().along(dims), b.view())).apply(op);
        let eval = |exec: &Exec| exec.install(|| expr().eval());
        check(report, &case, &want, target, &eval, &|to, exec| {
            exec.install(|| to.view_mut().assign(expr()))
        });
    } else {
        let expr = || zip::<(T, T), _>((a.view(), b.view().along(dims))).apply(op);
        let eval = |exec: &Exec| exec.install(|| expr().eval());
        check(report, &case, &want, target, &eval, &|to, exec| {
            exec.install(|| to.view_mut().assign(expr()))
        });
    }
}

/// Checks `x = op(x, b)` in place, `x` being laid out by `out`.
pub fn update<T: TestElement, O: Op<(T, T), Output = T> + Copy>(
    report: &mut Report,
    (name, op, f): (&str, O, impl Fn(T, T) -> T),
    (shape, b, dims): (&[usize], &Held<T>, &[usize]),
    target: Target<'_, T>,
) {
    let Target { out, same, ways } = target;
    let before = Held::ordinary(shape, out, 4);
    let want =
        naive::binary(&before.naive(), &b.naive(), dims, f).expect("the rows of the table fit");
    for way in ways.list() {
        let mut destination = before.clone();
        let problem = problem_of(|| {
            match way.0.install(|| destination.view_mut().update(op, in_rank(b, shape.len(), dims)))
            {
                Ok(()) => destination.problem(&want, &before.buffer, same),
                Err(err) => Some(err.to_string()),
            }
        });
        report.row(
            format_args!("update {name} of {}: {before} by {b} along {dims:?}, {way}", T::NAME),
            problem,
        );
    }
}

/// Checks `select` on three operands of one shape, or scalars.
pub fn select<T: TestElement>(
    report: &mut Report,
    (p, t, f): (&Held<bool>, &Held<T>, &Held<T>),
    target: Target<'_, T>,
) {
    let choose = |p, t, f| if p { t } else { f };
    let want = naive::ternary((&p.naive(), &t.naive(), &f.naive()), choose)
        .expect("the rows of the table fit");
    let expr = || p.view().select(t.view(), f.view());
    check(
        report,
        &format_args!("select of {}: {p}, {t}, {f}", T::NAME),
        &want,
        target,
        &|exec| exec.install(|| expr().eval()),
        &|to, exec| exec.install(|| to.view_mut().assign(expr())),
    );
}

/// Checks `clamp` on three operands of one shape, or scalars.
pub fn clamp<T>(
    report: &mut Report,
    (lo, x, hi): (&Held<T>, &Held<T>, &Held<T>),
    target: Target<'_, T>,
) where
    T: TestElement,
    Clamp: Op<(T, T, T), Output = T>,
{
    let want = naive::ternary((&lo.naive(), &x.naive(), &hi.naive()), T::clamp)
        .expect("the rows of the table fit");
    let expr = || zerostride::clamp::<T, _, _, _>(lo.view(), x.view(), hi.view());
    check(
        report,
        &format_args!("clamp of {}: {lo}, {x}, {hi}", T::NAME),
        &want,
        target,
        &|exec| exec.install(|| expr().eval()),
        &|to, exec| exec.install(|| to.view_mut().assign(expr())),
    );
}
