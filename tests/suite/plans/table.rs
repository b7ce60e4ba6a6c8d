//! A table of plans: for shapes, layouts and operations the plan in one line, as the golden file
//! `tests/data/plans.txt` has it.
//!
//! A plan that differs fails, better or worse: a loop that is no longer joined, a run that is
//! shorter, an operand that is packed. Where it differs on purpose, print the file anew and read
//! the difference:
//!
//! ```sh
//! PLANS=data/plans.txt cargo test -p conformance --test suite plans::table
//! git diff tests/data/plans.txt
//! ```

use conformance::support::report::problem_of;
use conformance::support::{Recipe, Report};
use std::collections::BTreeMap;
use std::fmt::Write;
use zerostride::plan::{Access, Explanation, Kind, Operands, Plan};
use zerostride::prelude::*;
use zerostride::{ArgMax, Element, Error, Exec, Isa, Max, Sum, Var};

/// What heads the file.
const HEAD: &str = "\
# Plans, one a row: operation and operands => plan. See tests/suite/plans/table.rs for how to print them anew.
# Loops go from the outermost: the axes that are joined in each, `-` where it runs backwards, the extent, `*` if
# it is folded. Operands: access, and strides along the axes of the result.
";

/// Options that do not depend on the machine.
fn exec() -> Exec {
    Exec::new().parallel(false).isa(Isa::BASELINE).cache(1 << 25)
}

/// `64x32`.
fn by(numbers: &[usize]) -> String {
    numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join("x")
}

/// `[32,1]`.
fn strides(strides: &[isize]) -> String {
    format!("[{}]", strides.iter().map(ToString::to_string).collect::<Vec<_>>().join(","))
}

/// The loops of a plan: `0+1:2048`.
fn loops(plan: &Plan) -> String {
    let mut names: Vec<String> = Vec::new();
    for (position, &axis) in plan.nest.order.iter().enumerate() {
        let flip = if plan.nest.flips & (1 << axis) != 0 { "-" } else { "" };
        let name = format!("{flip}{axis}");
        match names.last_mut() {
            Some(last) if plan.nest.joins & (1 << position) != 0 => *last += &format!("+{name}"),
            _ => names.push(name),
        }
    }
    if names.is_empty() {
        // One loop, along no axis.
        names.push("none".to_owned());
    }
    assert_eq!(names.len(), plan.ndim(), "as many loops as are not joined");
    let folded = |number: usize| if plan.folds.contains(&number) { "*" } else { "" };
    let each = |(number, name): (usize, &String)| {
        format!("{name}:{}{}", plan.loops[number], folded(number))
    };
    names.iter().enumerate().map(each).collect::<Vec<_>>().join(" ")
}

/// A plan in one line, without the operands.
fn line_of(plan: &Plan) -> String {
    let mut line = match plan.kind() {
        Kind::Flat => "flat".to_owned(),
        Kind::CopyThenFlat => "copy".to_owned(),
        Kind::Nested => "nested".to_owned(),
    };
    write!(line, ", loops {}", loops(plan)).expect("a string");
    if !plan.folds.is_empty() {
        write!(line, ", blocks {}", by(&plan.blocks)).expect("a string");
        write!(line, ", tile {}", by(&plan.tile)).expect("a string");
    }
    if plan.boxes != plan.loops {
        write!(line, ", boxes {}", by(&plan.boxes)).expect("a string");
    }
    write!(line, ", run {}", plan.run_len()).expect("a string");
    if plan.piece < plan.run_len() {
        write!(line, ", piece {}", plan.piece).expect("a string");
    }
    if let Some(turning) = plan.turning {
        write!(line, ", turning {turning}").expect("a string");
    }
    for (holds, word) in [
        (plan.is_across(), "across"),
        (plan.whole_blocks, "whole blocks"),
        (plan.scattered, "scattered"),
        (plan.stacked, "stacked"),
        (plan.streamed, "streamed"),
    ] {
        if holds {
            line += ", ";
            line += word;
        }
    }
    write!(line, ", cuts {}, moves {}", by(&plan.cuts), plan.bytes).expect("a string");
    line
}

/// An explanation in one line.
fn line(explanation: &Explanation) -> String {
    let text = explanation.to_string();
    let result = text
        .lines()
        .next()
        .expect("the result")
        .trim_start_matches("result")
        .trim()
        .replace(", ", ",");
    let (shape, output) = result.split_once(",strides ").expect("its strides");
    let mut line = format!("{shape} by {output}: ");
    let Some(plan) = explanation.plan() else { return line + "nothing" };
    line += &line_of(plan);
    // The plan does not say where an operand comes from; the words do.
    let words: Vec<&str> = text.lines().filter(|line| line.starts_with("operand ")).collect();
    let lists: Vec<&[isize]> = explanation.operand_strides().collect();
    assert!(
        words.len() == lists.len() && words.len() == plan.access.len(),
        "one of each for an operand"
    );
    for ((words, list), access) in words.iter().zip(lists).zip(&plan.access) {
        let hoisted = match words {
            words if words.contains("computed before the rest") => "hoisted ",
            words if words.contains("computed piece by piece") => "computed ",
            _ => "",
        };
        let access = match access {
            Access::Direct => "direct",
            Access::Splat => "splat",
            Access::Packed => "packed",
        };
        line += &format!("; {hoisted}{access} {}", strides(list));
    }
    line
}

/// An array whose elements nobody reads, so that it takes no time.
struct Unread<T> {
    buffer: Vec<T>,
    shape: Vec<usize>,
    strides: Vec<isize>,
    offset: usize,
    name: String,
}

impl<T: Element + Default> Unread<T> {
    fn new(shape: &[usize], recipe: &Recipe) -> Self {
        let mut strides = vec![0_isize; shape.len()];
        let (mut offset, mut below) = (recipe.lead, 1);
        for &axis in recipe.order.iter().rev().filter(|&&axis| !recipe.repeats[axis]) {
            let stride = below * recipe.steps[axis];
            below = stride * shape[axis].max(1) + recipe.gaps[axis];
            strides[axis] = if recipe.flips[axis] { -(stride as isize) } else { stride as isize };
            offset += if recipe.flips[axis] { stride * shape[axis].saturating_sub(1) } else { 0 };
        }
        let buffer = vec![T::default(); recipe.lead + below + 2];
        Unread { buffer, shape: shape.to_vec(), strides, offset, name: recipe.name.clone() }
    }

    fn view(&self) -> ViewD<'_, T> {
        ViewD::from_strided(self.shape.clone(), &self.strides, self.offset, &self.buffer)
            .expect("a layout")
    }
}

/// An operand of a row: a shape, a layout, and the axes of the result it lies along, if it says so.
type Laid<'a> = (&'a [usize], Recipe, Option<&'a [usize]>);

fn name<T>(array: &Unread<T>, dims: Option<&[usize]>) -> String {
    let element = std::any::type_name::<T>();
    let along = dims.map_or(String::new(), |dims| format!(" along {dims:?}"));
    format!("{element}{:?} {}{along}", array.shape, array.name)
}

/// Rows so far: what is planned, and the line or the panic.
#[derive(Default)]
struct Rows(Vec<(String, String)>);

impl Rows {
    fn add(&mut self, name: impl Into<String>, explain: impl Fn() -> Result<Explanation, Error>) {
        self.text(name, || match exec().install(&explain) {
            Ok(explanation) => line(&explanation),
            Err(error) => format!("error: {error}"),
        });
    }

    fn text(&mut self, name: impl Into<String>, text: impl Fn() -> String) {
        let mut made = String::new();
        let problem = problem_of(|| {
            made = text();
            None
        });
        self.0.push((name.into().replace("\n", " "), problem.unwrap_or(made).replace('\n', " ")));
    }

    /// A copy of a view.
    fn copy<T: Element + Default>(&mut self, shape: &[usize], recipe: Recipe) {
        let x = Unread::<T>::new(shape, &recipe);
        self.add(format!("copy {}", name(&x, None)), || x.view().explain());
    }

    /// The sum of two operands.
    fn sum_of_two(&mut self, a: Laid<'_>, b: Laid<'_>) {
        let (x, y) = (Unread::<f32>::new(a.0, &a.1), Unread::<f32>::new(b.0, &b.1));
        let name = format!("{} + {}", name(&x, a.2), name(&y, b.2));
        self.add(name, || match (a.2, b.2) {
            (None, None) => (x.view() + y.view()).explain(),
            (None, Some(dims)) => (x.view() + y.view().along(dims)).explain(),
            (Some(dims), None) => (x.view().along(dims) + y.view()).explain(),
            (Some(a), Some(b)) => (x.view().along(a) + y.view().along(b)).explain(),
        });
    }

    /// A sum along some axes.
    fn sum<T: Element + Default>(&mut self, shape: &[usize], recipe: Recipe, axes: &[usize])
    where
        Sum: zerostride::Reduction<T>,
    {
        let x = Unread::<T>::new(shape, &recipe);
        self.add(format!("sum along {axes:?} of {}", name(&x, None)), || {
            x.view().explain_reduce(Sum, axes.to_vec())
        });
    }

    /// A scalar stored into a destination that exists.
    fn fill(&mut self, shape: &[usize], recipe: Recipe, size: usize) {
        let out = Unread::<u8>::new(shape, &recipe);
        self.text(format!("fill {shape:?} {} of {size} bytes", out.name), || {
            let operands = Operands::new(shape.len());
            let plan = Plan::of_result(shape, &out.strides, size, &operands, 1 << 25);
            line_of(&plan.expect("there is memory"))
        });
    }
}

fn c<'a>(shape: &'a [usize]) -> Laid<'a> {
    (shape, Recipe::c(shape.len()), None)
}

fn f<'a>(shape: &'a [usize]) -> Laid<'a> {
    (shape, Recipe::f(shape.len()), None)
}

fn along<'a>(shape: &'a [usize], dims: &'a [usize]) -> Laid<'a> {
    (shape, Recipe::c(shape.len()), Some(dims))
}

fn by_recipe<'a>(shape: &'a [usize], recipe: Recipe) -> Laid<'a> {
    (shape, recipe, None)
}

/// Of new arrays, from one operand.
fn copies(rows: &mut Rows) {
    rows.copy::<f32>(&[], Recipe::c(0));
    rows.copy::<f32>(&[1], Recipe::c(1));
    rows.copy::<f32>(&[0, 4], Recipe::c(2));
    rows.copy::<f64>(&[1_000_000], Recipe::c(1));
    rows.copy::<f64>(&[1_000_000], Recipe::c(1).reversed(1));
    rows.copy::<f64>(&[1_000_000], Recipe::c(1).stepped(0, 2));
    rows.copy::<f64>(&[5_000_000], Recipe::c(1));
    rows.copy::<u8>(&[1000, 1000], Recipe::c(2));
    rows.copy::<u8>(&[1000, 1000], Recipe::f(2));
    rows.copy::<f32>(&[1000, 1000], Recipe::c(2).reversed(1));
    rows.copy::<f32>(&[1000, 1000], Recipe::c(2).reversed(2));
    rows.copy::<f32>(&[1000, 1000], Recipe::c(2).reversed(3));
    rows.copy::<f32>(&[1000, 1000], Recipe::c(2).gapped(1, 24));
    rows.copy::<f32>(&[1000, 1000], Recipe::c(2).stepped(1, 2));
    rows.copy::<f32>(&[1000, 1000], Recipe::c(2).stepped(0, 3));
    rows.copy::<f32>(&[1000, 3], Recipe::c(2).gapped(1, 1));
    rows.copy::<f32>(&[3, 1000], Recipe::c(2).gapped(1, 1));
    rows.copy::<f32>(&[500, 500], Recipe::c(2).repeated(0b01));
    rows.copy::<f32>(&[500, 500], Recipe::c(2).repeated(0b10));
    rows.copy::<f32>(&[500, 500], Recipe::c(2).repeated(0b11));
    rows.copy::<f32>(&[1, 700, 1, 300], Recipe::c(4));
    rows.copy::<f32>(&[60, 50, 40], Recipe::permuted(&[1, 0, 2]));
    rows.copy::<f32>(&[60, 50, 40], Recipe::permuted(&[0, 2, 1]));
    rows.copy::<f32>(&[60, 50, 40], Recipe::permuted(&[2, 0, 1]));
    rows.copy::<f32>(&[60, 50, 40], Recipe::permuted(&[1, 2, 0]).gapped(2, 3).reversed(0b100));
    rows.copy::<f64>(&[12, 11, 10, 9], Recipe::permuted(&[2, 0, 3, 1]));
    rows.copy::<f32>(&[9, 8, 7, 6, 5], Recipe::f(5));
    rows.copy::<f32>(&[7, 6, 5, 4, 3, 2], Recipe::c(6).gapped(3, 2));
    rows.copy::<f32>(&[5, 4, 3, 2, 5, 4, 3, 2], Recipe::c(8));
    rows.copy::<f32>(
        &[5, 4, 3, 2, 5, 4, 3, 2],
        Recipe::permuted(&[0, 2, 4, 6, 1, 3, 5, 7]).gapped(1, 1),
    );
    rows.copy::<f32>(&[4, 4], Recipe::c(2).gapped(1, 4));
    rows.copy::<f32>(&[8, 8], Recipe::f(2));
}

/// Of new arrays, from two operands.
fn sums(rows: &mut Rows) {
    for shape in [&[8, 8][..], &[700, 600], &[2048, 2048]] {
        rows.sum_of_two(c(shape), c(shape));
        rows.sum_of_two(f(shape), f(shape));
        rows.sum_of_two(c(shape), f(shape));
        rows.sum_of_two(f(shape), c(shape));
        rows.sum_of_two(c(shape), along(&shape[1..], &[1]));
        rows.sum_of_two(c(shape), along(&shape[..1], &[0]));
        rows.sum_of_two(f(shape), along(&shape[..1], &[0]));
        rows.sum_of_two(c(shape), by_recipe(shape, Recipe::c(2).reversed(3)));
        rows.sum_of_two(c(shape), by_recipe(shape, Recipe::c(2).gapped(1, 8)));
    }
    rows.sum_of_two(
        by_recipe(&[700, 600], Recipe::c(2).reversed(3)),
        by_recipe(&[700, 600], Recipe::c(2).reversed(3)),
    );
    rows.sum_of_two(c(&[700, 1]), c(&[1, 600]));
    rows.sum_of_two(c(&[700, 600]), c(&[1, 600]));
    rows.sum_of_two(c(&[4096, 1, 64]), c(&[1, 64, 64]));
    rows.sum_of_two(c(&[2000, 1, 1500]), c(&[1, 8, 1500]));
    rows.sum_of_two(c(&[1, 600]), c(&[700, 600]));
    rows.sum_of_two(c(&[700, 600]), c(&[1, 1]));
    rows.sum_of_two(along(&[700], &[0]), c(&[700, 600]));
    rows.sum_of_two(c(&[30, 40, 50]), along(&[40], &[1]));
    rows.sum_of_two(c(&[30, 40, 50]), along(&[30, 40], &[0, 1]));
    rows.sum_of_two(c(&[30, 40, 50]), along(&[40, 50], &[1, 2]));
    rows.sum_of_two(c(&[30, 40, 50]), along(&[30, 50], &[0, 2]));
    rows.sum_of_two(c(&[64, 56, 56]), along(&[64], &[0]));
    rows.sum_of_two(c(&[4, 3_000_000]), along(&[3_000_000], &[1]));
    rows.sum_of_two(
        by_recipe(&[30, 40, 50], Recipe::permuted(&[2, 0, 1])),
        by_recipe(&[30, 40, 50], Recipe::permuted(&[2, 0, 1])),
    );
    rows.sum_of_two(c(&[30, 40, 50]), by_recipe(&[30, 40, 50], Recipe::permuted(&[2, 0, 1])));
    rows.sum_of_two(c(&[5, 4, 3, 2, 5, 4, 3, 2]), along(&[4, 2, 3], &[1, 3, 6]));
    rows.sum_of_two(c(&[5, 4, 3, 2, 5, 4, 3, 2]), f(&[5, 4, 3, 2, 5, 4, 3, 2]));
    rows.sum_of_two(c(&[3, 4]), along(&[3], &[1]));
    // Few rows of a cache line, beside one that repeats.
    rows.sum_of_two(c(&[8, 16]), along(&[16], &[1]));
}

/// Of longer expressions, typed ranks, mixed types, and operations computed before the rest.
fn expressions(rows: &mut Rows) {
    let (x, y) = (Array2::<f64>::zeros([700, 600]), Array2::<f64>::zeros([700, 600]));
    let (row, column) = (Array1::<f64>::zeros(600), Array1::<f64>::zeros(700));
    let cube = Array3::<f32>::zeros([64, 48, 32]);
    let bytes = Array2::<u8>::zeros([700, 600]);
    let small = array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
    rows.add("x * 2 + y", || (&x * 2.0 + &y).explain());
    rows.add("x * y + x", || (&x * &y + &x).explain());
    rows.add("x.sqrt() + y", || (x.sqrt() + &y).explain());
    rows.add("x.exp() * y.exp()", || (x.exp() * y.exp()).explain());
    rows.add("x.exp()", || x.exp().explain());
    rows.add("x + row", || (&x + row.along([1])).explain());
    rows.add("(x - row) / column", || ((&x - row.along([1])) / column.along([0])).explain());
    rows.add("x + row.exp() along", || (&x + row.exp().along([1])).explain());
    rows.add("x / (column along + 1).sqrt()", || (&x / (column.along([0]) + 1.0).sqrt()).explain());
    rows.add("x / x.sqrt()", || (&x / x.sqrt()).explain());
    rows.add("x + row along exp()", || (&x + row.along([1]).exp()).explain());
    rows.add("x + column.exp() along", || (&x + column.exp().along([0])).explain());
    rows.add("x + x[..1].exp()", || (&x + x.slice(s![..1, ..])?.exp()).explain());
    rows.add("x.exp() + row.exp() along", || (x.exp() + row.exp().along([1])).explain());
    rows.add("x + (row along + column along).exp()", || {
        (&x + (row.along([1]) + column.along([0])).exp()).explain()
    });
    rows.add("cube + (plane.exp() + row).exp() along", || {
        let (plane, row) = (cube.index_axis(0, 0)?, Array1::<f32>::zeros(32));
        (&cube + (plane.exp() + row.along([1])).exp().along([1, 2])).explain()
    });
    rows.add("x.t() + y.t()", || (x.t() + y.t()).explain());
    rows.add("x + (y.t()).t()", || (&x + y.t().t()).explain());
    rows.add("window + window", || {
        (x.slice(s![1..699, 1..599])? + y.slice(s![..698, ..598])?).explain()
    });
    rows.add("small window", || (x.slice(s![3..7, 3..7])? + y.slice(s![..4, ..4])?).explain());
    rows.add("small + 1", || (&small + 1.0).explain());
    rows.add("bytes.cast::<f32>()", || bytes.cast::<f32>().explain());
    rows.add("bytes.t().cast::<f64>()", || bytes.t().cast::<f64>().explain());
    rows.add("zip((bytes, x)).map()", || {
        zip((&bytes, &x)).map(|(b, x)| f64::from(b) + x).explain()
    });
    rows.add("zip((bytes, x)) less", || zip((&bytes, &x)).map(|(b, x)| f64::from(b) < x).explain());
    rows.add("x.select", || x.greater(&y).select(&x, &y).explain());
    rows.add("cube[.., .., ..;2]", || cube.slice(s![.., .., ..;2])?.explain());
    rows.add("cube.exp() stepped", || (cube.slice(s![.., .., ..;2])?.exp() + 1.0).explain());
    rows.add("one element of three axes + 1", || (Array3::<f32>::zeros([1, 1, 1]) + 1.0).explain());
    rows.add("x + z, which does not fit", || (&x + small.view()).explain());
}

/// Of reductions.
fn reductions(rows: &mut Rows) {
    rows.sum::<f32>(&[], Recipe::c(0), &[]);
    rows.sum::<f32>(&[8], Recipe::c(1), &[0]);
    rows.sum::<f32>(&[1_000_000], Recipe::c(1), &[0]);
    rows.sum::<f32>(&[1_000_000], Recipe::c(1).reversed(1), &[0]);
    rows.sum::<f32>(&[1_000_000], Recipe::c(1).stepped(0, 2), &[0]);
    rows.sum::<f32>(&[0, 4], Recipe::c(2), &[0]);
    for shape in [&[8, 8][..], &[1000, 1000], &[100_000, 8], &[8, 100_000]] {
        rows.sum::<f32>(shape, Recipe::c(2), &[0]);
        rows.sum::<f32>(shape, Recipe::c(2), &[1]);
        rows.sum::<f32>(shape, Recipe::c(2), &[0, 1]);
        rows.sum::<f32>(shape, Recipe::f(2), &[0]);
        rows.sum::<f32>(shape, Recipe::f(2), &[1]);
        rows.sum::<f32>(shape, Recipe::f(2), &[0, 1]);
    }
    rows.sum::<f32>(&[1000, 1000], Recipe::c(2), &[]);
    rows.sum::<f32>(&[1000, 1000], Recipe::c(2).gapped(1, 24), &[0, 1]);
    rows.sum::<f32>(&[1000, 1000], Recipe::c(2).gapped(1, 24), &[1]);
    rows.sum::<f32>(&[1000, 1000], Recipe::c(2).reversed(3), &[0, 1]);
    rows.sum::<f32>(&[1000, 1000], Recipe::c(2).reversed(2), &[1]);
    // Results side by side, of elements that lie apart.
    rows.sum::<f32>(&[1000, 1000], Recipe::c(2).stepped(1, 2), &[0]);
    // Two whole blocks for each result.
    rows.sum::<f32>(&[1000, 8192], Recipe::c(2), &[1]);
    rows.sum::<f32>(&[1000, 1000], Recipe::c(2).repeated(1), &[0]);
    rows.sum::<f32>(&[1000, 1000], Recipe::c(2).repeated(2), &[0]);
    rows.sum::<f32>(&[60, 50, 40], Recipe::c(3), &[0]);
    rows.sum::<f32>(&[60, 50, 40], Recipe::c(3), &[1]);
    rows.sum::<f32>(&[60, 50, 40], Recipe::c(3), &[2]);
    rows.sum::<f32>(&[60, 50, 40], Recipe::c(3), &[0, 1]);
    rows.sum::<f32>(&[60, 50, 40], Recipe::c(3), &[0, 2]);
    rows.sum::<f32>(&[60, 50, 40], Recipe::c(3), &[1, 2]);
    rows.sum::<f32>(&[60, 50, 40], Recipe::c(3), &[0, 1, 2]);
    rows.sum::<f32>(&[60, 50, 40], Recipe::permuted(&[1, 2, 0]), &[1]);
    rows.sum::<f32>(&[60, 50, 40], Recipe::permuted(&[1, 2, 0]), &[0, 2]);
    rows.sum::<f32>(&[1, 300, 1, 200], Recipe::c(4), &[0, 1]);
    rows.sum::<f32>(&[7, 6, 5, 4, 3, 2], Recipe::c(6), &[1, 3, 5]);
    rows.sum::<f32>(&[5, 4, 3, 2, 5, 4, 3, 2], Recipe::c(8), &[0, 2, 4, 6]);
    rows.sum::<f32>(&[5, 4, 3, 2, 5, 4, 3, 2], Recipe::f(8), &[4, 5, 6, 7]);
    let (x, y) = (Array2::<f64>::zeros([700, 600]), Array2::<f64>::zeros([700, 600]));
    let row = Array1::<f64>::zeros(600);
    rows.add("dot", || (&x * &y).explain_reduce(Sum, ..));
    rows.add("x * y.t() of squares", || {
        let (x, y) = (x.slice(s![..600, ..])?, y.slice(s![..600, ..])?);
        (x * y.t()).explain_reduce(Sum, ..)
    });
    rows.add("sum along 1 of x * row", || (&x * row.along([1])).explain_reduce(Sum, 1));
    rows.add("sum along 0 of x * row", || (&x * row.along([1])).explain_reduce(Sum, 0));
    rows.add("sum along 1 of x.exp()", || x.exp().explain_reduce(Sum, 1));
    rows.add("sum along 1 of x[..60].exp()", || {
        x.slice(s![..60, ..])?.exp().explain_reduce(Sum, 1)
    });
    rows.add("sum along 1 of x[..6].exp()", || x.slice(s![..6, ..])?.exp().explain_reduce(Sum, 1));
    rows.add("sum along 1 of x * row.exp()", || (&x * row.exp().along([1])).explain_reduce(Sum, 1));
    rows.add("max along 1", || x.view().explain_reduce(Max, 1));
    rows.add("var along 0", || x.view().explain_reduce(Var { ddof: 0.0 }, 0));
    rows.add("var along 1", || x.view().explain_reduce(Var { ddof: 0.0 }, 1));
    rows.add("argmax along 0", || x.view().explain_reduce(ArgMax, 0));
    rows.add("argmax along 1", || x.view().explain_reduce(ArgMax, 1));
    rows.add("argmax of all, transposed", || x.t().explain_reduce(ArgMax, ..));
    for (n, m, d) in [
        (4096, 16, 2),
        (4096, 16, 16),
        (1000, 1000, 3),
        (1000, 1000, 50),
        (300, 5, 3),
        (1000, 8, 16),
        (60, 8, 16),
        (64, 5000, 8),
    ] {
        let (p, c) = (Array2::<f64>::zeros([n, d]), Array2::<f64>::zeros([m, d]));
        rows.add(format!("squared distances of {n} and {m} rows of {d}"), || {
            (p.insert_axis(1)? - c.insert_axis(0)?).square().explain_reduce(Sum, 2)
        });
    }
    // The results that lie closest are not the many.
    rows.sum::<f32>(&[5000, 8, 3], Recipe::c(3), &[1]);
    rows.add("sum along 1 of bands less means", || {
        let (x, y) = (Array3::<f32>::zeros([5000, 8, 3]), Array2::<f32>::zeros([5000, 8]));
        (&x - y.insert_axis(2)?).explain_reduce(Sum, 1)
    });
    rows.add("distances of few rows with gaps", || {
        let (p, c) = (Array2::<f64>::zeros([4000, 200]), Array2::<f64>::zeros([8, 200]));
        let (p, c) = (p.slice(s![.., ..;2])?, c.slice(s![.., ..;2])?);
        (p.insert_axis(1)? - c.insert_axis(0)?).explain_reduce(Sum, 2)
    });
    // Filters: windows that overlap, and weights that repeat.
    for (shape, axis, size) in [
        ([40, 30, 48], 0, 9),
        ([40, 30, 48], 1, 9),
        ([40, 30, 48], 2, 9),
        ([1, 480, 640], 1, 31),
        ([1, 480, 640], 2, 3),
        ([1, 480, 640], 2, 1),
    ] {
        let (x, weights) = (Array3::<f64>::zeros(shape), Array1::<f64>::zeros(size));
        rows.add(format!("filter of {size} along {axis} of {}", by(&shape)), || {
            let windows = x.sliding_window_view(axis, size)?;
            (windows * weights.along([3])).explain_reduce(Sum, 3)
        });
    }
    for size in [3, 5] {
        let weights = Array2::<f64>::zeros([size, size]);
        rows.add(format!("filter of {size}x{size} of 700x600"), || {
            let windows = x.sliding_window_view(0, size)?;
            let windows = windows.sliding_window_view(1, size)?;
            (windows * weights.along([2, 3])).explain_reduce(Sum, [2, 3])
        });
    }
    rows.add("sums of one of x.t() * y", || {
        let (x, y) = (x.slice(s![..600, ..])?, y.slice(s![..600, ..])?);
        (x.t().insert_axis(2)? * y.insert_axis(2)?).explain_reduce(Sum, 2)
    });
    rows.add("sum along 2", || x.view().explain_reduce(Sum, 2));
}

/// Of destinations that exist: of expressions without arrays, which are all that can be planned
/// apart from evaluation.
fn destinations(rows: &mut Rows) {
    rows.fill(&[], Recipe::c(0), 4);
    rows.fill(&[1_000_000], Recipe::c(1), 4);
    rows.fill(&[1_000_000], Recipe::c(1).reversed(1), 4);
    rows.fill(&[1_000_000], Recipe::c(1).stepped(0, 2), 4);
    rows.fill(&[10_000_000], Recipe::c(1), 4);
    rows.fill(&[4, 4], Recipe::c(2).gapped(1, 4), 8);
    rows.fill(&[4, 3], Recipe::c(2).gapped(1, 1), 8);
    rows.fill(&[700, 600], Recipe::c(2), 4);
    rows.fill(&[700, 600], Recipe::f(2), 4);
    rows.fill(&[700, 600], Recipe::c(2).reversed(1), 4);
    rows.fill(&[700, 600], Recipe::c(2).reversed(3), 4);
    rows.fill(&[700, 600], Recipe::c(2).gapped(1, 40), 4);
    rows.fill(&[60_000, 6], Recipe::c(2).gapped(1, 2), 4);
    rows.fill(&[700, 600], Recipe::c(2).stepped(1, 2), 4);
    rows.fill(&[60, 50, 40], Recipe::permuted(&[2, 0, 1]), 4);
    rows.fill(&[60, 50, 40], Recipe::permuted(&[2, 0, 1]).gapped(0, 3), 4);
    rows.fill(&[5, 4, 3, 2, 5, 4, 3, 2], Recipe::f(8).reversed(0b0101_0101), 8);
}

fn all() -> Vec<(String, String)> {
    let mut rows = Rows::default();
    copies(&mut rows);
    sums(&mut rows);
    expressions(&mut rows);
    reductions(&mut rows);
    destinations(&mut rows);
    rows.0
}

const ARROW: &str = " => ";

fn written(rows: &[(String, String)]) -> String {
    rows.iter().fold(HEAD.to_owned(), |text, (name, plan)| text + name + ARROW + plan + "\n")
}

/// The rows of a file.
fn read(text: &str) -> BTreeMap<&str, &str> {
    let rows = text.lines().filter(|line| !line.starts_with('#'));
    rows.map(|line| line.split_once(ARROW).unwrap_or((line, ""))).collect()
}

/// What is wrong with each row.
fn compare(report: &mut Report, got: &[(String, String)], want: &BTreeMap<&str, &str>) {
    for (name, plan) in got {
        let problem = match want.get(name.as_str()) {
            Some(want) if want == plan => None,
            Some(want) => Some(format!("\n  got  {plan}\n  want {want}")),
            None => Some(format!("\n  got  {plan}\n  not in the file")),
        };
        report.row(name, problem);
    }
    let names: BTreeMap<&str, ()> = got.iter().map(|(name, _)| (name.as_str(), ())).collect();
    report.equal("rows of one name", got.len() - names.len(), 0);
    for name in want.keys().filter(|name| !names.contains_key(*name)) {
        report.row(name, Some("is in the file only".to_owned()));
    }
}

#[test]
fn plans_are_those_of_the_file() {
    let got = all();
    if let Some(path) = std::env::var_os("PLANS") {
        std::fs::write(&path, written(&got)).expect("PLANS names a file to print the plans to");
        return;
    }
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("data/plans.txt");
    let text = std::fs::read_to_string(path).expect("the file of plans");
    let mut report = Report::new("plans");
    compare(&mut report, &got, &read(&text));
    report.finish(170);
}

#[test]
fn a_worse_plan_fails() {
    let row = |plan: &str| vec![("x".to_owned(), plan.to_owned())];
    let good = row("flat, loops 0+1:64, run 64; direct [8,1]");
    let file = written(&good);
    let fails = |got: &[(String, String)]| {
        problem_of(|| {
            let mut report = Report::new("plans");
            compare(&mut report, got, &read(&file));
            report.finish(1);
            None
        })
        .is_some()
    };
    let mut report = Report::new("worse plans");
    report.holds("the same", !fails(&good));
    report.holds("not joined", fails(&row("nested, loops 0:8 1:8, run 8; direct [8,1]")));
    report.holds("packed", fails(&row("flat, loops 0+1:64, run 64; packed [8,1]")));
    report.holds("gone", fails(&[]));
    report.holds(
        "one too many",
        fails(&[good.clone(), vec![("y".to_owned(), String::new())]].concat()),
    );
    report.finish(5);
}

/// What holds whatever the file says.
#[test]
fn plain_layouts_are_read_as_they_lie() {
    let mut report = Report::new("plain layouts");
    for shape in [
        &[][..],
        &[9],
        &[1000],
        &[40, 50],
        &[1, 70, 1],
        &[30, 20, 10],
        &[9, 8, 7, 6],
        &[2; 8],
        &[3; 10],
    ] {
        let n = shape.len();
        let mut recipes = vec![Recipe::c(n)];
        if n > 1 {
            let rotated: Vec<usize> = (0..n).map(|axis| (axis + 1) % n).collect();
            recipes.extend([Recipe::f(n), Recipe::permuted(&rotated)]);
        }
        for recipe in recipes {
            let x = Unread::<f32>::new(shape, &recipe);
            let case = name(&x, None);
            let explanation =
                exec().install(|| (x.view() * 2.0 + x.view()).explain()).expect("one shape");
            let plan = explanation.plan().expect("there are elements");
            report.equal(format!("{case}: kind"), plan.kind(), Kind::Flat);
            report.equal(format!("{case}: loops"), plan.ndim(), 1);
            let len: usize = shape.iter().product();
            report.equal(format!("{case}: run"), plan.run_len(), len);
            report.holds(
                format!("{case}: access"),
                plan.access.iter().all(|access| *access == Access::Direct),
            );
            report.equal(format!("{case}: bytes"), plan.bytes, 3 * 4 * len);
        }
    }
    report.finish(100);
}

/// The rank's type changes no plan.
#[test]
fn typed_and_dynamic_ranks_have_one_plan() {
    let mut report = Report::new("ranks");
    let (x, v) = (Array2::<f32>::zeros([300, 200]), Array1::<f32>::zeros(300));
    let (xd, vd) = (x.clone().into_dyn(), v.clone().into_dyn());
    let text = |explanation: Result<Explanation, Error>| explanation.expect("they fit").to_string();
    let both = [
        (text((&x + v.along([0])).explain()), text((&xd + vd.along(&[0][..])).explain())),
        (text((x.t() + v.along([1])).explain()), text((xd.t() + vd.along(&[1][..])).explain())),
        (text(x.view().explain_reduce(Sum, 0)), text(xd.view().explain_reduce(Sum, 0))),
        (text(x.t().explain_reduce(Sum, ..)), text(xd.t().explain_reduce(Sum, ..))),
    ];
    for (number, (typed, dynamic)) in both.into_iter().enumerate() {
        report.equal(number, typed, dynamic);
    }
    report.finish(4);
}
