//! The table of workloads. A row is a name, a group and a function that sets the workload up: to
//! add a workload, add a row and its function.

mod broadcast;
mod contiguous;
mod functions;
mod io;
mod programs;
mod reductions;
mod small;
mod strided;

use crate::case::{Judge, Mode};
use std::fmt;

/// How large the arrays are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// So large that they do not stay in any cache.
    Full,
    /// So small that they do: 2^18 elements or so. For smoke tests and for the criterion benches.
    Quick,
}

impl Size {
    /// An extent by size.
    pub fn pick(self, full: usize, quick: usize) -> usize {
        if self == Size::Full { full } else { quick }
    }
}

/// What a workload is bound by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    /// Memory.
    Large,
    /// Arrays that stay in the last-level cache.
    Cached,
    /// Long and thin shapes.
    Shape,
    /// What a call costs.
    Small,
    /// Whole programs, bound by whatever they are.
    Programs,
    /// Data in: files, and random numbers.
    Io,
}

impl Group {
    /// All of them.
    pub const ALL: [Group; 6] =
        [Group::Large, Group::Cached, Group::Shape, Group::Small, Group::Programs, Group::Io];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Group::Large => "large",
            Group::Cached => "cached",
            Group::Shape => "shape",
            Group::Small => "small",
            Group::Programs => "programs",
            Group::Io => "io",
        }
    }
}

/// A row of the table.
pub struct Workload {
    /// Its name.
    pub name: String,
    /// What it is bound by.
    pub group: Group,
    setup: Box<dyn Fn(Size, Judge<'_>)>,
}

impl fmt::Debug for Workload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workload")
            .field("name", &self.name)
            .field("group", &self.group)
            .finish_non_exhaustive()
    }
}

impl Workload {
    fn new(
        name: impl Into<String>,
        group: Group,
        setup: impl Fn(Size, Judge<'_>) + 'static,
    ) -> Self {
        Workload { name: name.into(), group, setup: Box::new(setup) }
    }

    /// Makes the arrays and the contestants, hands them to `judge`, and frees them.
    pub fn run(&self, size: Size, judge: Judge<'_>) {
        (self.setup)(size, judge);
    }
}

/// All workloads. Large ones have 2^25 elements of `f32` unless their names or functions say
/// otherwise.
pub fn all() -> Vec<Workload> {
    use Group::{Cached, Large, Shape, Small};
    use Mode::{Into, New};
    use functions::{EXP, GELU, LN, LOG10, SIGMOID, SIN, TANH, one};
    use zerostride::ops;
    let row = |name: &str, group, setup: fn(Size, Judge<'_>)| Workload::new(name, group, setup);
    let mut table = vec![
        row("add_same_into", Large, |size, judge| contiguous::add(matrix(size), Into, judge)),
        row("add_same_new", Large, |size, judge| contiguous::add(matrix(size), New, judge)),
        row("row_into", Large, |size, judge| broadcast::row(matrix(size), Into, judge)),
        row("row_new", Large, |size, judge| broadcast::row(matrix(size), New, judge)),
        row("col_into", Large, |size, judge| broadcast::column(matrix(size), Into, judge)),
        row("col_new", Large, |size, judge| broadcast::column(matrix(size), New, judge)),
        row("outer_into", Large, |size, judge| broadcast::outer(matrix(size), judge)),
        row("transpose_into", Large, |size, judge| strided::transpose(size.pick(4096, 512), judge)),
        row("permute3_into", Large, strided::permute),
        row("rgb_tiny_inner", Large, broadcast::rgb),
        row("nchw_scale_bias", Large, broadcast::scale_bias),
        row("img_mask_f32", Large, |size, judge| broadcast::mask::<f32>(size, 64, judge)),
        row("img_mask_u8", Large, |size, judge| broadcast::mask::<u8>(size, 256, judge)),
        row("chain_into", Large, broadcast::chain),
        row("step_slice", Large, strided::step_slice),
        row("reversed", Large, strided::reversed),
        row("degenerate_compose", Large, broadcast::degenerate),
        row("select_cmp", Large, contiguous::select),
        row("cast_scale_u8", Large, contiguous::cast_scale),
        row("add_i32", Large, contiguous::add_of::<i32>),
        row("add_f16", Large, contiguous::add_of::<zerostride::f16>),
        row("hoist_sqrt_row", Large, broadcast::hoist_sqrt),
        row("exp_f32", Large, |size, judge| one(matrix(size), ops::Exp, &EXP, f32::exp, judge)),
        row("ln_f32", Large, |size, judge| one(matrix(size), ops::Ln, &LN, f32::ln, judge)),
        row("tanh_f32", Large, |size, judge| one(matrix(size), ops::Tanh, &TANH, f32::tanh, judge)),
        row("sin_f32", Large, |size, judge| one(matrix(size), ops::Sin, &SIN, f32::sin, judge)),
        row("sigmoid_f32", Large, |size, judge| {
            one(matrix(size), ops::Logistic, &SIGMOID, |x: f32| 1.0 / (1.0 + (-x).exp()), judge);
        }),
        row("gelu_f32", Large, |size, judge| {
            let std = |x: f32| 0.5 * x * (1.0 + (0.797_884_6 * (x + 0.044_715 * x * x * x)).tanh());
            one(matrix(size), ops::GeluTanh, &GELU, std, judge);
        }),
        row("exp_f64", Large, |size, judge| one(matrix(size), ops::Exp, &EXP, f64::exp, judge)),
        row("black_scholes_f64", Large, functions::black_scholes),
        row("hoist_exp_row", Large, functions::hoist_exp),
        row("sum_all", Large, reductions::sum_all),
        row("sum_axis0", Large, |size, judge| reductions::sum_axis(size, 0, judge)),
        row("sum_axis1", Large, |size, judge| reductions::sum_axis(size, 1, judge)),
        row("sum_axes02", Large, reductions::sum_axes),
        row("max_axis1", Large, reductions::max_axis),
        row("argmax_axis1", Large, reductions::argmax_axis),
        row("var_axis0", Large, reductions::var_axis),
        row("sqdiff_sum_axis1", Large, reductions::squared_distances),
        row("softmax_rows", Large, reductions::softmax),
        row("kmeans_dist", Large, reductions::kmeans),
        row("cumsum_axis0", Large, |size, judge| reductions::cumsum(size, 0, judge)),
        row("cumsum_axis1", Large, |size, judge| reductions::cumsum(size, 1, judge)),
        row("matmul_1024", Cached, reductions::matmul),
        row("small_sum_64", Small, |_, judge| reductions::small(64, judge)),
        row("small_sum_4096", Small, |_, judge| reductions::small(4096, judge)),
        row("add_2048sq_into", Large, |size, judge| {
            contiguous::add([size.pick(2048, 300); 2], Into, judge);
        }),
        row("transpose_2048sq_into", Large, |size, judge| {
            strided::transpose(size.pick(2048, 300), judge);
        }),
        row("cached_add", Cached, |size, judge| {
            contiguous::add([size.pick(1024, 200); 2], Into, judge);
        }),
        row("cached_row", Cached, |size, judge| {
            broadcast::row([size.pick(1024, 200); 2], Into, judge);
        }),
        row("cached_col", Cached, |size, judge| {
            broadcast::column([size.pick(1024, 200); 2], Into, judge);
        }),
        row("cached_exp_f64", Cached, |size, judge| {
            one([size.pick(512, 100), 1024], ops::Exp, &EXP, f64::exp, judge);
        }),
        row("cached_ln_f64", Cached, |size, judge| {
            one([size.pick(512, 100), 1024], ops::Ln, &LN, f64::ln, judge);
        }),
        row("cached_tanh_f64", Cached, |size, judge| {
            one([size.pick(512, 100), 1024], ops::Tanh, &TANH, f64::tanh, judge);
        }),
        row("cached_log10_f64", Cached, |size, judge| {
            one([size.pick(512, 100), 1024], ops::Log10, &LOG10, f64::log10, judge);
        }),
        row("cached_transpose", Cached, |size, judge| {
            strided::transpose(size.pick(1024, 200), judge);
        }),
        row("shape_44e6x1", Shape, |size, judge| {
            broadcast::row([size.pick(44_000_000, 300_000), 1], Into, judge)
        }),
        row("shape_1x44e6", Shape, |size, judge| {
            broadcast::column([1, size.pick(44_000_000, 300_000)], Into, judge)
        }),
        row("shape_2x1e7", Shape, |size, judge| {
            broadcast::column([2, size.pick(10_000_000, 100_000)], Into, judge)
        }),
        row("shape_3x5x7x1e5", Shape, broadcast::axis_of_four),
        row("parallel_entry_1000", Small, small::parallel_entry),
    ];
    table.extend(small::adds());
    table.extend(programs::all());
    table.extend(io::all());
    table
}

/// The usual matrix.
fn matrix(size: Size) -> [usize; 2] {
    [size.pick(8192, 64), 4096]
}

#[cfg(test)]
mod tests {
    use super::*;

    // In two halves, which run side by side.
    fn every_contestant_is_right(half: usize) {
        for workload in all().into_iter().skip(half).step_by(2) {
            let mut judged = false;
            workload.run(Size::Quick, &mut |trial| {
                trial.check().unwrap_or_else(|wrong| panic!("{}: {wrong}", workload.name));
                assert_eq!(trial.contestants[0].name, crate::case::OURS);
                let second = match workload.group {
                    Group::Programs => Some(crate::case::ND_WRITTEN),
                    // Beside what there is.
                    Group::Io => None,
                    _ => Some(crate::case::ROOFLINE),
                };
                assert!(second.is_none_or(|second| trial.contestants[1].name == second));
                judged = true;
            });
            assert!(judged, "{}", workload.name);
        }
    }

    #[test]
    fn every_contestant_of_every_second_workload_is_right() {
        every_contestant_is_right(0);
    }

    #[test]
    fn every_contestant_of_the_other_workloads_is_right() {
        every_contestant_is_right(1);
    }

    #[test]
    fn names_are_unique() {
        let mut names: Vec<String> = all().into_iter().map(|workload| workload.name).collect();
        names.sort();
        assert!(names.windows(2).all(|pair| pair[0] != pair[1]));
    }
}
