//! [`Explanation`]: a plan in words.

use super::{Access, Kind, Operands, Plan, Source};
use crate::exec::Exec;
use ndcore::List;
use std::fmt;

/// How an expression would be computed. Print it, or read the [`plan`](Explanation::plan).
#[derive(Clone, Debug)]
pub struct Explanation {
    shape: List<usize>,
    strides: List<isize>,
    element_size: usize,
    operands: Operands,
    exec: Exec,
    /// The work, in additions of `f32`, and the tasks that share it.
    work: usize,
    tasks: usize,
    plan: Option<Plan>,
}

impl Explanation {
    pub(crate) fn new(
        shape: &[usize],
        strides: &[isize],
        element_size: usize,
        operands: Operands,
        exec: Exec,
        (work, tasks): (usize, usize),
        plan: Option<Plan>,
    ) -> Self {
        let (shape, strides) = (List::of(&shape), List::of(&strides));
        Explanation { shape, strides, element_size, operands, exec, work, tasks, plan }
    }

    /// The plan; `None` if the result has no elements.
    pub fn plan(&self) -> Option<&Plan> {
        self.plan.as_ref()
    }

    /// The strides of each operand along the axes of the result, in elements: zero where it
    /// repeats. Scalars are not among them; a part of the expression that is computed before the
    /// rest is.
    pub fn operand_strides(&self) -> impl Iterator<Item = &[isize]> {
        self.operands.iter().map(|(_, strides)| strides)
    }
}

/// `64 x 32`.
fn by(extents: &[usize]) -> String {
    extents.iter().map(ToString::to_string).collect::<Vec<_>>().join(" x ")
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "result    {:?}, strides {:?}", self.shape, self.strides)?;
        let Some(plan) = &self.plan else {
            return write!(f, "no elements, nothing to do");
        };
        for (number, (operand, strides)) in self.operands.iter().enumerate() {
            let how = match plan.access[number] {
                Access::Direct => "read as it lies",
                Access::Splat => "one value a run, which fills a buffer",
                Access::Packed => "packed into a buffer, box by box",
            };
            let before = match operand.source {
                Source::Leaf => "",
                Source::Hoisted => "computed before the rest, ",
                Source::Computed => "computed piece by piece, ",
            };
            let mut axes = self.shape.iter().zip(strides);
            let repeats = axes.any(|(extent, stride)| *extent > 1 && *stride == 0);
            let repeats = if repeats { ", repeats along its zero strides" } else { "" };
            let size = operand.element_size;
            writeln!(
                f,
                "operand {number} strides {strides:?}, {size} bytes each: {before}{how}{repeats}"
            )?;
        }
        let kind = match plan.kind() {
            Kind::Flat => "flat: one run over the memory as it lies",
            Kind::CopyThenFlat => "copy, then flat: one run, after packing",
            Kind::Nested => "nested: runs within loops",
        };
        writeln!(f, "plan      {kind}")?;
        let folded = |axis: usize| plan.folds.contains(&axis);
        let loops: Vec<String> = (0..plan.loops.len())
            .map(|axis| {
                format!("{}{}", plan.loops[axis], if folded(axis) { " (folded)" } else { "" })
            })
            .collect();
        writeln!(f, "loops     {}, outermost first", loops.join(" x "))?;
        if !plan.folds.is_empty() {
            writeln!(
                f,
                "blocks    {}, {} results at a time",
                by(&plan.blocks),
                plan.tile.iter().product::<usize>()
            )?;
        }
        if plan.boxes != plan.loops {
            writeln!(f, "boxes     {}", by(&plan.boxes))?;
        }
        let lanes = self.exec.isa.lanes(self.element_size);
        let through = match (plan.scattered, plan.folds.is_empty()) {
            (true, true) => ", through a buffer, because the output has gaps",
            (true, false) => ", through a buffer, because results lie in another order",
            _ => "",
        };
        let isa = self.exec.isa.name();
        let (len, stacked) = (plan.run_len(), if plan.stacked { ", stacked" } else { "" });
        writeln!(f, "runs      {len} elements{stacked}, {lanes} lanes of {isa}{through}")?;
        if plan.piece < plan.run_len() {
            writeln!(f, "pieces    {} elements, as many as a buffer holds", plan.piece)?;
        }
        if plan.streamed {
            writeln!(f, "stores    past the cache of {} bytes", self.exec.cache)?;
        }
        match self.tasks {
            1 => write!(f, "threads   1 (serial)")?,
            tasks => write!(f, "threads   {}, {tasks} tasks", rayon::current_num_threads())?,
        }
        match self.exec.parallel {
            true => {
                let (work, near, far) = (self.work, self.exec.grain, self.exec.wakes());
                writeln!(f, ": work of {work} additions, shared from {far}, or {near} if awake")?;
            }
            false => writeln!(f)?,
        }
        let (bytes, cache) = (plan.bytes, self.exec.cache);
        write!(f, "moves     {bytes} bytes, no intermediate array; caches keep {cache} bytes")
    }
}
