//! One workload at work: its contestants, and what their answers should be.

use crate::data::{NdRank, Operand, Value, nd_new, nd_zeroed, zeroed};
use crate::roofline::{Mix, Roofline};
use rayon::prelude::*;
use serde_json::{Value as Json, json};
use std::fmt;
use std::hint::black_box;
use zerostride::{Array, Assign, Error, Expr};

/// The name of zerostride among the contestants.
pub const OURS: &str = "ours";
/// The name of the [`Roofline`].
pub const ROOFLINE: &str = "roofline";
/// `ndarray` as people write it.
pub const ND_WRITTEN: &str = "ndarray_written";
/// The best `ndarray` can do by hand.
pub const ND_BEST: &str = "ndarray_best";

/// Where the result goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Into memory that exists.
    Into,
    /// Into a new array, which is dropped again.
    New,
}

/// What the answer should be: element `i`, in row-major order, of `len`.
pub struct Answer<'c> {
    len: usize,
    /// How far a result may be off, in parts of it; and by how much if it is small.
    tolerance: f64,
    value: Box<dyn Fn(usize) -> f64 + Sync + 'c>,
}

impl fmt::Debug for Answer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Answer").field("len", &self.len).finish_non_exhaustive()
    }
}

impl Answer<'_> {
    /// The first wrong element, as a sentence.
    fn compare<T: Value>(&self, got: &[T]) -> Result<(), String> {
        if got.len() != self.len {
            return Err(format!("{} elements instead of {}", got.len(), self.len));
        }
        let wrong = got.par_iter().enumerate().find_first(|(i, x)| {
            let want = (self.value)(*i);
            let off = (x.to_f64() - want).abs();
            // Not the other way round: NaN is wrong.
            !matches!(off.partial_cmp(&(self.tolerance * (want.abs() + 1.0))), Some(std::cmp::Ordering::Less))
        });
        match wrong {
            Some((i, x)) => Err(format!("element {i} is {} instead of {}", x.to_f64(), (self.value)(i))),
            None => Ok(()),
        }
    }

    /// About a thousand elements from everywhere, for those whose answers lie in another process.
    fn samples(&self) -> Json {
        let stretch = self.len.div_ceil(1000);
        let index: Vec<usize> =
            (0..self.len).step_by(stretch).map(|i| (i + i * 7919 % stretch).min(self.len - 1)).collect();
        let value: Vec<f64> = index.iter().map(|&i| (self.value)(i)).collect();
        json!({ "index": index, "value": value, "tolerance": self.tolerance })
    }
}

/// What takes part in a workload.
pub struct Contestant<'c> {
    /// One of the names above.
    pub name: &'static str,
    body: Box<dyn Body + 'c>,
}

impl fmt::Debug for Contestant<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Contestant").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Contestant<'_> {
    /// Does the work this many times over.
    pub fn run(&mut self, times: usize) {
        self.body.run(times);
    }
}

trait Body {
    /// A loop of its own, so that the smallest workloads are not timed together with an indirect call.
    fn run(&mut self, times: usize);

    /// Does the work once and looks at the answer.
    fn check(&mut self, answer: &Answer<'_>) -> Result<(), String>;
}

/// Computes into memory that exists.
struct IntoBody<O, F> {
    out: O,
    step: F,
}

impl<O: Output, F: FnMut(&mut O)> Body for IntoBody<O, F> {
    fn run(&mut self, times: usize) {
        for _ in 0..times {
            (self.step)(black_box(&mut self.out));
            black_box(&mut self.out);
        }
    }

    fn check(&mut self, answer: &Answer<'_>) -> Result<(), String> {
        self.out.poison();
        (self.step)(&mut self.out);
        self.out.compare(answer)
    }
}

/// Computes a new array.
struct NewBody<F> {
    step: F,
}

impl<O: Output, F: FnMut() -> O> Body for NewBody<F> {
    fn run(&mut self, times: usize) {
        for _ in 0..times {
            drop(black_box((self.step)()));
        }
    }

    fn check(&mut self, answer: &Answer<'_>) -> Result<(), String> {
        (self.step)().compare(answer)
    }
}

/// An array that can be checked.
trait Output {
    fn poison(&mut self);
    fn compare(&self, answer: &Answer<'_>) -> Result<(), String>;
}

impl<T: Value, R: NdRank> Output for Array<T, R> {
    fn poison(&mut self) {
        self.view_mut().fill(T::POISON);
    }

    fn compare(&self, answer: &Answer<'_>) -> Result<(), String> {
        match self.as_slice() {
            Some(slice) => answer.compare(slice),
            None => answer.compare(&self.view().to_vec()),
        }
    }
}

impl<T: Value, D: ndarray::Dimension> Output for ndarray::Array<T, D> {
    fn poison(&mut self) {
        self.fill(T::POISON);
    }

    fn compare(&self, answer: &Answer<'_>) -> Result<(), String> {
        match self.as_slice() {
            Some(slice) => answer.compare(slice),
            None => answer.compare(&self.iter().copied().collect::<Vec<T>>()),
        }
    }
}

/// The roofline has the right traffic and no answer.
impl Output for Roofline {
    fn poison(&mut self) {}

    fn compare(&self, _: &Answer<'_>) -> Result<(), String> {
        Ok(())
    }
}

/// A workload being put together; its result has elements `T` and rank `R`.
#[derive(Debug)]
pub struct Case<'c, T: Value, R: NdRank> {
    shape: Vec<usize>,
    mode: Mode,
    trial: Trial<'c>,
    result: std::marker::PhantomData<(T, R)>,
}

impl<'c, T: Value, R: NdRank> Case<'c, T, R> {
    /// A workload with a result of this shape.
    ///
    /// `python` is the expression as `python/board.py` understands it; `answer` is the naive definition, by the row-major index of the
    /// result.
    pub fn new(
        shape: &[usize],
        mode: Mode,
        inputs: &[&dyn Operand],
        python: &str,
        answer: impl Fn(usize) -> f64 + Sync + 'c,
    ) -> Self {
        let len = shape.iter().product();
        let answer = Answer { len, tolerance: 1e-6, value: Box::new(answer) };
        let python = json!({
            "expr": python,
            "mode": if mode == Mode::Into { "into" } else { "new" },
            "inputs": inputs.iter().map(|input| input.python()).collect::<Vec<_>>(),
            "out": { "shape": shape, "dtype": T::NAME },
            "check": answer.samples(),
        });
        let bytes = inputs.iter().map(|input| input.bytes()).sum::<usize>() + len * size_of::<T>();
        let trial = Trial { bytes, answer, python, contestants: Vec::new() };
        Case { shape: shape.to_vec(), mode, trial, result: std::marker::PhantomData }
    }

    /// The least bytes that have to be moved, if that is not all operands and the result.
    pub fn bytes(mut self, bytes: usize) -> Self {
        self.trial.bytes = bytes;
        self
    }

    /// How far the results may be off, in parts of them, if that is more than usual: peers add up in many ways.
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.trial.answer.tolerance = tolerance;
        self.trial.python["check"]["tolerance"] = json!(tolerance);
        self
    }

    /// The roofline: the same bytes.
    pub fn roofline(self, mix: Mix) -> Self {
        let out_bytes = self.trial.answer.len * size_of::<T>();
        let step = |roofline: &mut Roofline| roofline.run();
        self.with(ROOFLINE, IntoBody { out: Roofline::new(mix, out_bytes), step })
    }

    /// Ours: the expression, evaluated or assigned as the mode says.
    pub fn ours<E>(self, expr: impl Fn() -> E + 'c) -> Self
    where
        E: Expr<Elem = T, Rank = R> + zerostride::Operand<T, R, Expr = E> + 'c,
    {
        match self.mode {
            Mode::New => {
                self.with(OURS, NewBody { step: move || black_box(&expr)().eval().expect("the shapes fit") })
            }
            Mode::Into => {
                let out = zeroed::<T, R>(&self.shape);
                let step = move |out: &mut Array<T, R>| out.assign(black_box(&expr)()).expect("the shapes fit");
                self.with(OURS, IntoBody { out, step })
            }
        }
    }

    /// Ours, where it is no expression: a new array.
    pub fn ours_new(self, step: impl Fn() -> Result<Array<T, R>, Error> + 'c) -> Self {
        self.with(OURS, NewBody { step: move || black_box(&step)().expect("the shapes fit") })
    }

    /// `ndarray` as people write it: serial, a new array for each step.
    pub fn written(self, step: impl Fn() -> ndarray::Array<T, R::Nd> + 'c) -> Self {
        self.with(ND_WRITTEN, NewBody { step: move || black_box(&step)() })
    }

    /// The best `ndarray` can do by hand, in parallel where that helps: into memory that exists, or a new array as the mode says.
    pub fn best(self, step: impl Fn(&mut ndarray::Array<T, R::Nd>) + 'c) -> Self {
        let shape = self.shape.clone();
        match self.mode {
            Mode::New => {
                let new = move || {
                    let mut out = nd_new::<T, R>(&shape);
                    black_box(&step)(&mut out);
                    out
                };
                self.with(ND_BEST, NewBody { step: new })
            }
            Mode::Into => {
                let out = nd_zeroed::<T, R>(&shape);
                self.with(ND_BEST, IntoBody { out, step: move |out: &mut _| black_box(&step)(out) })
            }
        }
    }

    fn with(mut self, name: &'static str, body: impl Body + 'c) -> Self {
        self.trial.contestants.push(Contestant { name, body: Box::new(body) });
        self
    }

    /// Hands the workload over.
    pub fn judge(mut self, judge: Judge<'_>) {
        judge(&mut self.trial);
    }
}

/// Who times, or draws, or checks.
pub type Judge<'j> = &'j mut dyn FnMut(&mut Trial<'_>);

/// A workload at work.
#[derive(Debug)]
pub struct Trial<'c> {
    /// The least bytes that have to be moved.
    pub bytes: usize,
    answer: Answer<'c>,
    /// The workload as `python/board.py` reads it.
    pub python: Json,
    /// Those that take part.
    pub contestants: Vec<Contestant<'c>>,
}

impl Trial<'_> {
    /// Compares each contestant's answer, all of it, with the naive one.
    ///
    /// # Errors
    /// A sentence about the first wrong element.
    pub fn check(&mut self) -> Result<(), String> {
        for contestant in &mut self.contestants {
            contestant.body.check(&self.answer).map_err(|wrong| format!("{}: {wrong}", contestant.name))?;
        }
        Ok(())
    }
}
