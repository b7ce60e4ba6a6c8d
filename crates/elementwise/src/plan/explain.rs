//! [`Explanation`]: a plan in words.

use super::{Access, OperandLayout, Plan};
use crate::exec::Exec;
use std::fmt;

/// How an expression would be computed. Print it, or read the [`plan`](Explanation::plan).
#[derive(Clone, Debug)]
pub struct Explanation {
    pub(crate) shape: Vec<usize>,
    pub(crate) output: OperandLayout,
    pub(crate) operands: Vec<OperandLayout>,
    pub(crate) exec: Exec,
    pub(crate) tasks: usize,
    /// The plan; `None` if the result has no elements.
    pub(crate) plan: Option<Plan>,
}

impl Explanation {
    /// The plan; `None` if the result has no elements.
    pub fn plan(&self) -> Option<&Plan> {
        self.plan.as_ref()
    }

    /// The strides of each operand along the axes of the result, in elements: zero where it repeats. Scalars are not among them.
    pub fn operand_strides(&self) -> impl Iterator<Item = &[isize]> {
        self.operands.iter().map(|operand| &operand.strides[..])
    }
}

/// `64 x 32`.
fn by(extents: &[usize]) -> String {
    extents.iter().map(ToString::to_string).collect::<Vec<_>>().join(" x ")
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "result    {:?}, strides {:?}", self.shape, &self.output.strides[..])?;
        let Some(plan) = &self.plan else {
            return write!(f, "no elements, nothing to do");
        };
        for (number, operand) in self.operands.iter().enumerate() {
            let how = match plan.access[number] {
                Access::Direct => "read as it lies",
                Access::Splat => "one value a run, which fills a buffer",
                Access::Packed => "packed into a buffer, box by box",
            };
            let strides = &operand.strides[..];
            let repeats = self.shape.iter().zip(strides).any(|(extent, stride)| *extent > 1 && *stride == 0);
            let repeats = if repeats { ", repeats along its zero strides" } else { "" };
            writeln!(f, "operand {number} strides {strides:?}, {} bytes each: {how}{repeats}", operand.element_size)?;
        }
        writeln!(f, "loops     {} (outermost first)", by(&plan.loops))?;
        if plan.boxes != plan.loops {
            writeln!(f, "boxes     {}", by(&plan.boxes))?;
        }
        let lanes = self.exec.isa.lanes(self.output.element_size);
        let scattered = if plan.scattered { ", through a buffer, because the output has gaps" } else { "" };
        writeln!(f, "runs      {} elements, {lanes} lanes of {}{scattered}", plan.run_len(), self.exec.isa.name())?;
        if plan.streamed {
            writeln!(f, "stores    past the cache of {} bytes", self.exec.cache)?;
        }
        match self.tasks {
            1 => writeln!(f, "threads   1 (serial)")?,
            tasks => writeln!(f, "threads   {}, {tasks} tasks", rayon::current_num_threads())?,
        }
        write!(f, "moves     {} bytes, no intermediate array", plan.bytes)
    }
}
