//! [`Program`]: several expressions and reductions, one after the other, as one function.

use crate::emit::{Body, Tensor};
use crate::error::Error;
use crate::module::{Argument, Module, Stored, Tensors};
use crate::reduce::reduce;
use crate::tree;
use crate::types::{Kind, for_elements, kind_of};
use arrayfile::FileElement;
use elementwise::{
    ArrayD, ElementType, Elements, Expr, ExprRank, Generate, Generator, Lazy, RankOf, ReduceAxes,
    Reduction, ResultRank, View, generate,
};
use ndcore::{Dimension, IntoShape};
use std::any::TypeId;
use std::cell::RefCell;
use std::fmt;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering};

/// A value of a [`Program`]: an operand of expressions, with a shape and a type and no elements.
///
/// It is known to the program that made it. Evaluated, all its elements are 0.
pub type Value<T, R> = Lazy<Generate<Symbol<T, R>>>;

/// What tells a value from others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Symbolic {
    program: u64,
    index: usize,
}

/// The generator of a [`Value`].
pub struct Symbol<T, R: Dimension> {
    shape: R::Shape,
    symbolic: Symbolic,
    element: PhantomData<fn() -> T>,
}

impl<T, R: Dimension> Clone for Symbol<T, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, R: Dimension> Copy for Symbol<T, R> {}

impl<T, R: Dimension> fmt::Debug for Symbol<T, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "value {} of shape {:?}", self.symbolic.index, self.shape)
    }
}

impl<T: FileElement, R: Dimension + ExprRank> Generator for Symbol<T, R> {
    type Elem = T;
    type Rank = R;
    const NAME: Option<&'static str> = Some("a value of a program");

    fn settings(&self) -> Option<&dyn std::any::Any> {
        Some(&self.symbolic)
    }

    fn shape(&self) -> Option<&[usize]> {
        Some(self.shape.as_ref())
    }

    fn at(&self, _: &[usize]) -> T {
        T::zeroed()
    }
}

/// An array that is an argument: where its first element lies, and how the others do.
struct Known {
    first: usize,
    shape: Vec<usize>,
    strides: Vec<isize>,
    id: TypeId,
    argument: usize,
}

/// The arguments of a function, and the values of a program.
#[derive(Default)]
pub(crate) struct Arguments {
    program: u64,
    known: Vec<Known>,
    values: Vec<Tensor>,
    all: Vec<Argument>,
}

/// Calls a closure with each element of an array in row-major order, while it is true.
fn each(
    shape: &[usize],
    elements: &dyn Elements,
    mut f: impl FnMut(&dyn std::any::Any) -> bool,
) -> bool {
    let mut index = vec![0; shape.len()];
    for _ in 0..shape.iter().product() {
        if !elements.at(&index).is_some_and(&mut f) {
            return false;
        }
        for axis in (0..shape.len()).rev() {
            index[axis] += 1;
            if index[axis] < shape[axis] {
                break;
            }
            index[axis] = 0;
        }
    }
    true
}

/// A copy of the elements of an array, in row-major order.
fn copied<T: FileElement>(shape: &[usize], elements: &dyn Elements) -> Result<Stored, Error> {
    let len: usize = shape.iter().product();
    let memory = || Error::Memory { bytes: len.saturating_mul(size_of::<T>()) };
    let mut all: Vec<T> = Vec::new();
    all.try_reserve_exact(len).map_err(|_| memory())?;
    each(shape, elements, |any| any.downcast_ref::<T>().map(|&x| all.push(x)).is_some());
    let array = ArrayD::from_shape_vec(shape, all).map_err(elementwise::Error::from)?;
    Ok(Stored::new(array))
}

/// Where the first element of an array lies.
fn first_of(shape: &[usize], elements: &dyn Elements) -> Option<usize> {
    elements.at(&vec![0; shape.len()]).map(|any| std::ptr::from_ref(any).cast::<()>().addr())
}

impl Arguments {
    /// The argument that an array of an expression is.
    pub fn array(
        &mut self,
        elements: &dyn Elements,
        shape: &[usize],
        strides: &[isize],
        of: &ElementType,
        kind: Kind,
    ) -> Result<Tensor, Error> {
        let first = first_of(shape, elements);
        // The elements, too: between two expressions of a program an array may change, or be gone.
        let same = |known: &&Known| {
            Some(known.first) == first
                && known.id == of.id
                && known.shape == shape
                && known.strides == strides
                && self.all[known.argument].holds(&mut |is| {
                    let mut number = 0;
                    each(shape, elements, |any| {
                        number += 1;
                        is(number - 1, any)
                    })
                })
        };
        if let Some(known) = self.known.iter().find(same) {
            return Ok(self.all[known.argument].tensor());
        }
        macro_rules! copy {
            ($($type:ty),*) => {
                $(if of.id == TypeId::of::<$type>() {
                    copied::<$type>(shape, elements)
                } else)* {
                    Err(Error::Element { element: (of.name)() })
                }
            };
        }
        use half::{bf16, f16};
        use num_complex::Complex;
        let stored: Result<Stored, Error> = for_elements!(copy);
        let taken = |name: &String| self.all.iter().any(|argument| argument.name() == name);
        let name = (self.all.len()..).map(|n| format!("arg{n}")).find(|name| !taken(name));
        let argument = Argument::new(name.unwrap_or_default(), kind, shape, Some(stored?));
        let tensor = argument.tensor();
        self.all.push(argument);
        self.remember(first, shape, strides, of.id);
        Ok(tensor)
    }

    /// The last argument is this array.
    fn remember(&mut self, first: Option<usize>, shape: &[usize], strides: &[isize], id: TypeId) {
        let Some(first) = first else { return };
        let (shape, strides) = (shape.to_vec(), strides.to_vec());
        self.known.push(Known { first, shape, strides, id, argument: self.all.len() - 1 });
    }

    /// The tensor that a value of a program is.
    pub fn value(&self, symbolic: &Symbolic) -> Result<Tensor, Error> {
        let found = self.values.get(symbolic.index).filter(|_| symbolic.program == self.program);
        found.cloned().ok_or(Error::OtherProgram)
    }

    pub fn into_all(self) -> Vec<Argument> {
        self.all
    }
}

#[derive(Default)]
struct State {
    body: Body,
    arguments: Arguments,
    results: Vec<(String, Tensor)>,
}

/// A function of StableHLO that is written expression by expression: maps, reductions of maps, maps
/// of those, with named inputs and results.
///
/// ```
/// use elementwise::{Array2, Expr, Max, Rank, Sum, UnaryMethods};
/// use stablehlo::Program;
///
/// let program = Program::new("softmax")?;
/// let x = program.input::<f32, _>("x", [128, 10])?;
/// let highest = program.reduce(Max, x, 1)?;
/// let e = program.value((x - highest.along([0])).exp())?;
/// let sum = program.reduce(Sum, e, 1)?;
/// program.result("y", e / sum.along([0]))?;
/// let module = program.finish()?;
/// assert!(module.text().contains("applies stablehlo.maximum across dimensions = [1]"));
/// assert_eq!(module.results()[0].shape(), [128, 10]);
/// # Ok::<(), stablehlo::Error>(())
/// ```
///
/// Arrays in its expressions are arguments, too, named `arg0`, `arg1` and so on; the elements are
/// copied, and written beside the module. What is large is better an [`input`](Self::input),
/// which has a name and a shape and no elements.
pub struct Program {
    name: String,
    id: u64,
    state: RefCell<State>,
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Program").field("name", &self.name).finish_non_exhaustive()
    }
}

/// Whether something can be a name in a module.
pub(crate) fn check_name(name: &str) -> Result<(), Error> {
    let letter = |c: char| c.is_ascii_alphabetic() || c == '_';
    let word = name.starts_with(letter) && name.chars().all(|c| letter(c) || c.is_ascii_digit());
    let reason = "names are words of letters, digits and `_`";
    if word { Ok(()) } else { Err(Error::Name { name: name.to_string(), reason }) }
}

impl Program {
    /// A program of this name, without inputs and results.
    ///
    /// # Errors
    /// [`Error::Name`] if the name is no word.
    pub fn new(name: &str) -> Result<Program, Error> {
        static NEXT: AtomicU64 = AtomicU64::new(1);
        check_name(name)?;
        let id = NEXT.fetch_add(1, Ordering::Relaxed);
        let arguments = Arguments { program: id, ..Arguments::default() };
        let state = RefCell::new(State { arguments, ..State::default() });
        Ok(Program { name: name.to_string(), id, state })
    }

    /// Notes a tensor as a value.
    fn symbol<T: FileElement, R: Dimension + ExprRank>(
        &self,
        tensor: Tensor,
    ) -> Result<Value<T, R>, Error> {
        let shape = R::shape(&tensor.shape).map_err(elementwise::Error::from)?;
        let values = &mut self.state.borrow_mut().arguments.values;
        values.push(tensor);
        let symbolic = Symbolic { program: self.id, index: values.len() - 1 };
        Ok(generate(Symbol { shape, symbolic, element: PhantomData }))
    }

    /// An argument of this name and shape, whose elements are given when the program is run.
    ///
    /// # Errors
    /// [`Error::Name`] if the name is no word, or is taken; [`Error::Shape`] if there are too many
    /// axes.
    ///
    /// ```
    /// let program = stablehlo::Program::new("twice")?;
    /// let x = program.input::<f64, _>("x", [3])?;
    /// program.result("y", x * 2.0)?;
    /// assert!(program.finish()?.text().contains("@main(%x: tensor<3xf64>)"));
    /// # Ok::<(), stablehlo::Error>(())
    /// ```
    pub fn input<T: FileElement, S: IntoShape>(
        &self,
        name: &str,
        shape: S,
    ) -> Result<Value<T, S::Rank>, Error>
    where
        S::Rank: ExprRank,
    {
        let shape = shape.into_shape().map_err(elementwise::Error::from)?;
        self.named::<T, S::Rank>(name, shape.as_ref(), None)
    }

    /// An argument of this name, whose elements are those of an array: they are copied, and written
    /// beside the module. The array itself is that argument, too, in later expressions.
    ///
    /// # Errors
    /// As for [`input`](Self::input); [`Error::Memory`] if there is no memory for the copy.
    ///
    /// ```
    /// let program = stablehlo::Program::new("scaled")?;
    /// let weights = elementwise::array![0.5_f32, 2.0];
    /// let w = program.argument("w", &weights)?;
    /// program.result("y", w * 2.0)?;
    /// assert_eq!(program.finish()?.arguments()[0].name(), "w");
    /// # Ok::<(), stablehlo::Error>(())
    /// ```
    pub fn argument<'a, T: FileElement, R: Dimension + ExprRank>(
        &self,
        name: &str,
        array: impl Into<View<'a, T, R>>,
    ) -> Result<Value<T, R>, Error> {
        let view: View<'a, T, R> = array.into();
        let stored = copied::<T>(view.shape(), &view)?;
        let value = self.named::<T, R>(name, view.shape(), Some(stored))?;
        let (first, id) = (first_of(view.shape(), &view), TypeId::of::<T>());
        let arguments = &mut self.state.borrow_mut().arguments;
        arguments.remember(first, view.shape(), view.strides(), id);
        Ok(value)
    }

    fn named<T: FileElement, R: Dimension + ExprRank>(
        &self,
        name: &str,
        shape: &[usize],
        stored: Option<Stored>,
    ) -> Result<Value<T, R>, Error> {
        check_name(name)?;
        let tensor = {
            let all = &mut self.state.borrow_mut().arguments.all;
            if all.iter().any(|argument| argument.name() == name) {
                let reason = "an argument has it";
                return Err(Error::Name { name: name.to_string(), reason });
            }
            let argument = Argument::new(name.to_string(), T::KIND, shape, stored);
            let tensor = argument.tensor();
            all.push(argument);
            tensor
        };
        self.symbol(tensor)
    }

    /// Writes an expression of values of this program, arrays and scalars.
    fn write<E: Expr>(&self, expr: &E) -> Result<Tensor, Error> {
        let State { body, arguments, .. } = &mut *self.state.borrow_mut();
        tree::write(expr, body, arguments)
    }

    /// An expression, as a value for several others.
    ///
    /// # Errors
    /// [`Error::Shape`] if operands do not fit; [`Error::Opaque`], [`Error::NoMeaning`] and
    /// [`Error::Element`] for what StableHLO does not have; [`Error::OtherProgram`]
    /// for values of another program.
    pub fn value<E: Expr>(&self, expr: E) -> Result<Value<E::Elem, RankOf<E>>, Error>
    where
        E::Elem: FileElement,
        E::Rank: ResultRank<Dim: ExprRank>,
    {
        let tensor = self.write(&expr)?;
        self.symbol(tensor)
    }

    /// A reduction of an expression along axes: one of the library's, by its type.
    ///
    /// # Errors
    /// As for [`value`](Self::value); [`Error::Opaque`] for a reduction of one's own,
    /// [`Error::NoMeaning`] for one that looks for overflow; [`Error::NoElements`] and
    /// [`Error::Ddof`] where there is no result.
    ///
    /// ```
    /// use elementwise::{Mean, UnaryMethods, Var, keep};
    /// let program = stablehlo::Program::new("standardise")?;
    /// let x = program.input::<f64, _>("x", [1000, 16])?;
    /// let mean = program.reduce(Mean, x, keep(0))?;
    /// let var = program.reduce(Var { ddof: 0.0 }, x, keep(0))?;
    /// program.result("z", (x - mean) / var.sqrt())?;
    /// assert_eq!(program.finish()?.results()[0].shape(), [1000, 16]);
    /// # Ok::<(), stablehlo::Error>(())
    /// ```
    pub fn reduce<E, F, Ax>(
        &self,
        reduction: F,
        expr: E,
        axes: Ax,
    ) -> Result<Value<F::Output, Ax::Rank>, Error>
    where
        E: Expr<Rank: ResultRank>,
        F: Reduction<E::Elem> + 'static,
        F::Output: FileElement,
        Ax: ReduceAxes<RankOf<E>>,
        Ax::Rank: ExprRank,
    {
        let of = self.write(&expr)?;
        let mask = axes.mask(&of.shape)?;
        let mut state = self.state.borrow_mut();
        let result = reduce(&mut state.body, &reduction, F::NAME, &of, mask, Ax::KEEPS)?;
        let expected = kind_of(&ElementType::of::<F::Output>());
        if expected != Some(result.kind) {
            return Err(Error::Lowering {
                lowering: F::NAME.to_string(),
                reason: format!("it gives {}", result.kind),
            });
        }
        drop(state);
        self.symbol(result)
    }

    /// A result of the program: an expression under a name. The function has its results in the
    /// order of these calls.
    ///
    /// # Errors
    /// As for [`value`](Self::value); [`Error::Name`] if the name is no word, or a result has it.
    pub fn result<E: Expr>(&self, name: &str, expr: E) -> Result<(), Error> {
        check_name(name)?;
        let tensor = self.write(&expr)?;
        let results = &mut self.state.borrow_mut().results;
        if results.iter().any(|(taken, _)| taken == name) {
            return Err(Error::Name { name: name.to_string(), reason: "a result has it" });
        }
        results.push((name.to_string(), tensor));
        Ok(())
    }

    /// The module of the program.
    ///
    /// # Errors
    /// [`Error::NoResults`] if it has no results.
    pub fn finish(self) -> Result<Module, Error> {
        let State { body, arguments, results } = self.state.into_inner();
        if results.is_empty() {
            return Err(Error::NoResults { name: self.name });
        }
        Ok(Module::new(self.name, arguments.into_all(), body.text(), Tensors(results)))
    }
}
