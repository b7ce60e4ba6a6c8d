//! One workload at work: its contestants, and what their answers should be.

use crate::data::{NdRank, Operand, Value, nd_new, nd_zeroed, zeroed};
use crate::roofline::{Mix, Roofline};
use rayon::prelude::*;
use serde_json::{Value as Json, json};
use std::borrow::Cow;
use std::fmt;
use std::hint::black_box;
use zerostride::{Array, Assign, Dimension, Error, Expr, View};

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

impl<'c> Answer<'c> {
    /// One of so many elements.
    pub(crate) fn new(
        len: usize,
        tolerance: f64,
        value: impl Fn(usize) -> f64 + Sync + 'c,
    ) -> Self {
        Answer { len, tolerance, value: Box::new(value) }
    }

    /// The first wrong element, as a sentence.
    fn compare<T: Value>(&self, got: &[T]) -> Result<(), String> {
        if got.len() != self.len {
            return Err(format!("{} elements instead of {}", got.len(), self.len));
        }
        let wrong = got.par_iter().enumerate().find_first(|(i, x)| {
            let want = (self.value)(*i);
            let off = (x.to_f64() - want).abs();
            // Not the other way round: NaN is wrong.
            !matches!(
                off.partial_cmp(&(self.tolerance * (want.abs() + 1.0))),
                Some(std::cmp::Ordering::Less)
            )
        });
        match wrong {
            Some((i, x)) => {
                Err(format!("element {i} is {} instead of {}", x.to_f64(), (self.value)(i)))
            }
            None => Ok(()),
        }
    }

    /// About a thousand elements from everywhere, for those whose answers lie in another process.
    fn samples(&self) -> Json {
        let stretch = self.len.div_ceil(1000);
        let index: Vec<usize> = (0..self.len)
            .step_by(stretch)
            .map(|i| (i + i * 7919 % stretch).min(self.len - 1))
            .collect();
        let value: Vec<f64> = index.iter().map(|&i| (self.value)(i)).collect();
        json!({ "index": index, "value": value, "tolerance": self.tolerance })
    }
}

/// What takes part in a workload.
pub struct Contestant<'c> {
    /// One of the names above.
    pub name: &'static str,
    /// How it goes about it, if it has chosen.
    pub way: Option<String>,
    body: Box<dyn Body + 'c>,
}

impl fmt::Debug for Contestant<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Contestant").field("name", &self.name).finish_non_exhaustive()
    }
}

impl<'c> Contestant<'c> {
    /// One that computes a new result each time.
    pub fn new<O: Output>(name: &'static str, step: impl Fn() -> O + 'c) -> Self {
        Contestant { name, way: None, body: Box::new(NewBody { step: move || black_box(&step)() }) }
    }

    /// One that computes into memory that exists.
    pub fn into<O: Memory + 'c>(name: &'static str, out: O, step: impl Fn(&mut O) + 'c) -> Self {
        let step = move |out: &mut O| black_box(&step)(out);
        Contestant { name, way: None, body: Box::new(IntoBody { out, step }) }
    }

    /// One that changes memory that exists, which begins as `out`.
    pub fn update<O>(name: &'static str, out: O, step: impl Fn(&mut O) + 'c) -> Self
    where
        O: Output + Clone + 'c,
    {
        let step = move |out: &mut O| black_box(&step)(out);
        Contestant { name, way: None, body: Box::new(UpdateBody { out, step }) }
    }

    /// Does the work this many times over.
    pub fn run(&mut self, times: usize) {
        self.body.run(times);
    }

    /// Does the work once and compares the answer.
    pub(crate) fn check(&mut self, answer: &Answer<'_>) -> Result<(), String> {
        self.body.check(answer)
    }

    /// Does the work once and reads the answer, in row-major order.
    pub(crate) fn values(&mut self) -> Vec<f64> {
        self.body.values()
    }
}

/// Work that can be timed, and whose answer can be looked at.
trait Body {
    /// A loop of its own, so that the smallest workloads are not timed together with an indirect
    /// call.
    fn run(&mut self, times: usize);

    /// Does the work once and compares the answer.
    fn check(&mut self, answer: &Answer<'_>) -> Result<(), String>;

    /// Does the work once and reads the answer, in row-major order.
    fn values(&mut self) -> Vec<f64>;
}

/// Computes into memory that exists.
struct IntoBody<O, F> {
    out: O,
    step: F,
}

impl<O: Memory, F: FnMut(&mut O)> IntoBody<O, F> {
    fn once(&mut self) -> &O {
        self.out.poison();
        (self.step)(&mut self.out);
        &self.out
    }
}

impl<O: Memory, F: FnMut(&mut O)> Body for IntoBody<O, F> {
    fn run(&mut self, times: usize) {
        for _ in 0..times {
            (self.step)(black_box(&mut self.out));
            black_box(&mut self.out);
        }
    }

    fn check(&mut self, answer: &Answer<'_>) -> Result<(), String> {
        self.once().compare(answer)
    }

    fn values(&mut self) -> Vec<f64> {
        self.once().values()
    }
}

/// Changes memory that exists, which is not poisoned: a look at the answer works on a copy.
struct UpdateBody<O, F> {
    out: O,
    step: F,
}

impl<O: Output + Clone, F: FnMut(&mut O)> UpdateBody<O, F> {
    fn once(&mut self) -> O {
        let mut out = self.out.clone();
        (self.step)(&mut out);
        out
    }
}

impl<O: Output + Clone, F: FnMut(&mut O)> Body for UpdateBody<O, F> {
    fn run(&mut self, times: usize) {
        for _ in 0..times {
            (self.step)(black_box(&mut self.out));
            black_box(&mut self.out);
        }
    }

    fn check(&mut self, answer: &Answer<'_>) -> Result<(), String> {
        self.once().compare(answer)
    }

    fn values(&mut self) -> Vec<f64> {
        self.once().values()
    }
}

/// Computes a new result.
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

    fn values(&mut self) -> Vec<f64> {
        (self.step)().values()
    }
}

/// A result that can be checked: an array, a view or a number.
pub trait Output {
    /// Its elements' type.
    type Elem: Value;

    /// Its elements in row-major order.
    fn elements(&self) -> Cow<'_, [Self::Elem]>;

    /// The first wrong element, as a sentence.
    #[doc(hidden)]
    fn compare(&self, answer: &Answer<'_>) -> Result<(), String> {
        answer.compare(&self.elements())
    }

    /// Its elements as the naive definitions see them.
    #[doc(hidden)]
    fn values(&self) -> Vec<f64> {
        self.elements().iter().map(|x| x.to_f64()).collect()
    }
}

/// A result in memory that exists before.
pub trait Memory: Output {
    /// Overwrites it with what is no answer.
    fn poison(&mut self);
}

impl<T: Value> Output for T {
    type Elem = T;

    fn elements(&self) -> Cow<'_, [T]> {
        Cow::Borrowed(std::slice::from_ref(self))
    }
}

impl<T: Value, R: Dimension> Output for Array<T, R> {
    type Elem = T;

    fn elements(&self) -> Cow<'_, [T]> {
        self.as_slice().map_or_else(|| Cow::Owned(self.view().to_vec()), Cow::Borrowed)
    }
}

impl<T: Value, R: Dimension> Memory for Array<T, R> {
    fn poison(&mut self) {
        self.view_mut().fill(T::POISON);
    }
}

impl<T: Value, R: Dimension> Output for View<'_, T, R> {
    type Elem = T;

    fn elements(&self) -> Cow<'_, [T]> {
        Cow::Owned(self.to_vec())
    }
}

impl<T: Value, S: ndarray::Data<Elem = T>, D: ndarray::Dimension> Output
    for ndarray::ArrayBase<S, D>
{
    type Elem = T;

    fn elements(&self) -> Cow<'_, [T]> {
        self.as_slice().map_or_else(|| Cow::Owned(self.iter().copied().collect()), Cow::Borrowed)
    }
}

impl<T: Value, D: ndarray::Dimension> Memory for ndarray::Array<T, D> {
    fn poison(&mut self) {
        self.fill(T::POISON);
    }
}

/// A roofline of another kind has no answer.
impl Output for () {
    type Elem = f32;

    fn elements(&self) -> Cow<'_, [f32]> {
        Cow::Borrowed(&[])
    }

    fn compare(&self, _: &Answer<'_>) -> Result<(), String> {
        Ok(())
    }
}

/// The roofline has the right traffic and no answer.
impl Output for Roofline {
    type Elem = f32;

    fn elements(&self) -> Cow<'_, [f32]> {
        Cow::Borrowed(&[])
    }

    fn compare(&self, _: &Answer<'_>) -> Result<(), String> {
        Ok(())
    }
}

impl Memory for Roofline {
    fn poison(&mut self) {}
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
    /// `python` is the expression as `python/board.py` understands it; `answer` is the naive
    /// definition, by the row-major index of the result.
    pub fn new(
        shape: &[usize],
        mode: Mode,
        inputs: &[&dyn Operand],
        python: &str,
        answer: impl Fn(usize) -> f64 + Sync + 'c,
    ) -> Self {
        let len: usize = shape.iter().product();
        let mut case = Case::bare(shape, mode, Answer::new(len, 1e-6, answer));
        case.trial.python = json!({
            "expr": python,
            "mode": if mode == Mode::Into { "into" } else { "new" },
            "inputs": inputs.iter().map(|input| input.python()).collect::<Vec<_>>(),
            "out": { "shape": shape, "dtype": T::NAME },
            "check": case.trial.answer.samples(),
        });
        let input_bytes = inputs.iter().map(|input| input.bytes()).sum::<usize>();
        case.bytes(input_bytes + len * size_of::<T>())
    }

    /// A whole program, for which there is no roofline and no peer in Python, with its result.
    pub fn program(result: ndarray::Array<T, R::Nd>) -> Self {
        let values = result.values();
        let answer = Answer::new(values.len(), 1e-6, move |i| values[i]);
        Case::bare(result.shape(), Mode::New, answer)
    }

    fn bare(shape: &[usize], mode: Mode, answer: Answer<'c>) -> Self {
        let trial = Trial { bytes: 0, answer, python: Json::Null, contestants: Vec::new() };
        Case { shape: shape.to_vec(), mode, trial, result: std::marker::PhantomData }
    }

    /// The least bytes that have to be moved, if that is not all operands and the result.
    pub fn bytes(mut self, bytes: usize) -> Self {
        self.trial.bytes = bytes;
        self
    }

    /// How far the results may be off, in parts of them, if that is more than usual: peers add up
    /// in many ways.
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.trial.answer.tolerance = tolerance;
        self.trial.python["check"]["tolerance"] = json!(tolerance);
        self
    }

    /// The roofline: the same bytes.
    pub fn roofline(self, mix: Mix) -> Self {
        let out_bytes = self.trial.answer.len * size_of::<T>();
        let out = Roofline::new(mix, out_bytes);
        let way = Some(out.way().to_string());
        let run = |roofline: &mut Roofline| roofline.run();
        self.with(Contestant { way, ..Contestant::into(ROOFLINE, out, run) })
    }

    /// What is as fast as can be, where that is no loop over memory.
    pub fn roofline_by(self, step: impl Fn() + 'c) -> Self {
        self.with(Contestant::new(ROOFLINE, step))
    }

    /// Ours: the expression, evaluated or assigned as the mode says.
    pub fn ours<E>(self, expr: impl Fn() -> E + 'c) -> Self
    where
        E: Expr<Elem = T, Rank = R> + zerostride::Operand<T, R, Expr: Expr<Elem = T>> + 'c,
    {
        let contestant = match self.mode {
            Mode::New => Contestant::new(OURS, move || expr().eval().expect("the shapes fit")),
            Mode::Into => {
                let out = zeroed::<T, R>(&self.shape);
                Contestant::into(OURS, out, move |out| out.assign(expr()).expect("the shapes fit"))
            }
        };
        self.with(contestant)
    }

    /// Ours, where it is no expression: a new array.
    pub fn ours_new(self, step: impl Fn() -> Result<Array<T, R>, Error> + 'c) -> Self {
        self.with(Contestant::new(OURS, move || step().expect("the shapes fit")))
    }

    /// `ndarray` as people write it: serial, a new array for each step.
    pub fn written(self, step: impl Fn() -> ndarray::Array<T, R::Nd> + 'c) -> Self {
        self.with(Contestant::new(ND_WRITTEN, step))
    }

    /// The best `ndarray` can do by hand, in parallel where that helps: into memory that exists, or
    /// a new array as the mode says.
    pub fn best(self, step: impl Fn(&mut ndarray::Array<T, R::Nd>) + 'c) -> Self {
        let shape = self.shape.clone();
        let contestant = match self.mode {
            Mode::New => Contestant::new(ND_BEST, move || {
                let mut out = nd_new::<T, R>(&shape);
                step(&mut out);
                out
            }),
            Mode::Into => Contestant::into(ND_BEST, nd_zeroed::<T, R>(&shape), step),
        };
        self.with(contestant)
    }

    fn with(mut self, contestant: Contestant<'c>) -> Self {
        self.trial.contestants.push(contestant);
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
    /// The least bytes that have to be moved; 0 of a program.
    pub bytes: usize,
    answer: Answer<'c>,
    /// The workload as `python/board.py` reads it; null of a program.
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
            contestant
                .check(&self.answer)
                .map_err(|wrong| format!("{}: {wrong}", contestant.name))?;
        }
        Ok(())
    }
}
