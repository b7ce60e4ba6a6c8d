//! Spans of `tracing` around plans and passes, by the feature of that name; without it, nothing.
//!
//! Passes over so few elements that a span would take longer than they do have none.

#[cfg(feature = "tracing")]
mod spans {
    use crate::plan::Plan;
    use tracing::debug_span;

    /// A span that ends when it is dropped.
    pub(crate) type Span = tracing::span::EnteredSpan;

    /// Around the choice of a plan.
    pub(crate) fn plan(shape: &[usize], operands: usize) -> Span {
        debug_span!(target: "zerostride", "plan", ?shape, operands).entered()
    }

    /// Around a pass by a plan.
    pub(crate) fn run(plan: &Plan, tasks: usize) -> Span {
        debug_span!(
            target: "zerostride",
            "run",
            path = ?plan.kind(),
            loops = ?&plan.loops[..],
            bytes = plan.bytes,
            tasks,
            streamed = plan.streamed,
        )
        .entered()
    }

    /// Around a pass that needs no plan, in this way; the bytes are those of its result, or those
    /// that are reduced. What may turn out not to fit is begun before its span is.
    pub(crate) fn unplanned(path: &str, shape: &[usize], bytes: usize) -> Span {
        debug_span!(target: "zerostride", "run", path, ?shape, bytes, tasks = 1).entered()
    }
}

#[cfg(not(feature = "tracing"))]
mod spans {
    use crate::plan::Plan;

    pub(crate) struct Span;

    #[inline(always)]
    pub(crate) fn plan(_: &[usize], _: usize) -> Span {
        Span
    }

    #[inline(always)]
    pub(crate) fn run(_: &Plan, _: usize) -> Span {
        Span
    }

    #[inline(always)]
    pub(crate) fn unplanned(_: &str, _: &[usize], _: usize) -> Span {
        Span
    }
}

pub(crate) use spans::{plan, run, unplanned};
