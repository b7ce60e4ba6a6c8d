//! What the library's reductions are in StableHLO.

use crate::emit::{Body, Tensor};
use crate::error::Error;
use crate::types::{Constant, Kind, is_complex, is_float, is_half, is_int, real};
use elementwise as e;
use std::any::Any;

/// Declares the reductions that have a meaning there, and what finds one.
macro_rules! reductions {
    ($($name:ident)*) => {
        #[derive(Clone, Copy, PartialEq)]
        enum Of {
            $($name,)*
            Var(f64),
            Std(f64),
        }

        /// Which one a value is.
        fn known(reduction: &dyn Any) -> Option<Of> {
            $(if reduction.is::<e::$name>() {
                return Some(Of::$name);
            })*
            let var = reduction.downcast_ref::<e::Var>().map(|var| Of::Var(var.ddof));
            var.or_else(|| reduction.downcast_ref::<e::Std>().map(|std| Of::Std(std.ddof)))
        }
    };
}

reductions! {
    Sum SumWrapping Product ProductWrapping Mean Max Min NanMax NanMin NanSum NanMean ArgMax ArgMin
    Any All CountNonzero LogSumExp NormL1 NormL2 NormMax
}

/// Writes a reduction along the axes whose bits are set.
pub fn reduce(
    body: &mut Body,
    reduction: &dyn Any,
    name: &'static str,
    of: &Tensor,
    mask: u32,
    keeps: bool,
) -> Result<Tensor, Error> {
    let known = known(reduction)
        .ok_or_else(|| Error::Opaque { operation: format!("the reduction `{name}`") })?;
    let axes = (0..of.shape.len()).filter(|axis| mask & (1 << axis) != 0).collect();
    let wide = if is_half(of.kind) { body.convert(of, Kind::F32)? } else { of.clone() };
    let mut reducer = Reducer { body, name, of: wide, axes };
    let result = reducer.write(known)?;
    let result = if is_half(of.kind) && result.kind == Kind::F32 {
        body.convert(&result, of.kind)?
    } else {
        result
    };
    if !keeps {
        return Ok(result);
    }
    let kept = |(axis, extent): (usize, &usize)| if mask & (1 << axis) == 0 { *extent } else { 1 };
    let shape: Vec<usize> = of.shape.iter().enumerate().map(kept).collect();
    Ok(body.reshape(&result, &shape))
}

struct Reducer<'b> {
    body: &'b mut Body,
    name: &'static str,
    of: Tensor,
    axes: Vec<usize>,
}

impl Reducer<'_> {
    /// The elements of one result.
    fn len(&self) -> usize {
        self.axes.iter().map(|&axis| self.of.shape[axis]).product()
    }

    fn op(&mut self, name: &str, operands: &[&Tensor]) -> Result<Tensor, Error> {
        let operands: Vec<Tensor> = operands.iter().map(|&operand| operand.clone()).collect();
        self.body.op(name, &operands)
    }

    fn number(&mut self, number: f64, like: &Tensor) -> Tensor {
        self.body.number(number, like.kind, &like.shape)
    }

    fn all(&mut self, by: &str, of: &Tensor, start: &Constant) -> Tensor {
        self.body.reduce(by, of, start, &self.axes)
    }

    fn sum(&mut self, of: &Tensor) -> Tensor {
        self.all("add", of, &Constant::number(0.0, of.kind))
    }

    fn max(&mut self, of: &Tensor) -> Tensor {
        self.all("maximum", of, &Constant::end(of.kind, false))
    }

    fn min(&mut self, of: &Tensor) -> Tensor {
        self.all("minimum", of, &Constant::end(of.kind, true))
    }

    /// A result in the shape of the elements.
    fn back(&mut self, result: &Tensor) -> Tensor {
        let dims: Vec<usize> =
            (0..self.of.shape.len()).filter(|axis| !self.axes.contains(axis)).collect();
        self.body.broadcast(result, &self.of.shape, &dims)
    }

    fn is_nan(&mut self, of: &Tensor) -> Result<Tensor, Error> {
        self.op("compare NE", &[of, of])
    }

    fn absolute(&mut self) -> Result<Tensor, Error> {
        let of = self.of.clone();
        self.op("abs", &[&of])
    }

    /// An error for integers whose result might not fit.
    fn no_integers(&self, reason: &'static str) -> Result<(), Error> {
        if is_int(self.of.kind) {
            let (operation, element) = (self.name, self.of.kind.name());
            return Err(Error::NoMeaning { operation, element, reason });
        }
        Ok(())
    }

    /// An error if there is nothing to reduce.
    fn some(&self) -> Result<(), Error> {
        if self.len() == 0 {
            let (operation, shape) = (self.name, self.of.shape.clone());
            return Err(Error::NoElements { operation, shape });
        }
        Ok(())
    }

    fn write(&mut self, known: Of) -> Result<Tensor, Error> {
        let of = self.of.clone();
        match known {
            Of::Sum => {
                self.no_integers("nothing there looks for overflow; use `SumWrapping`")?;
                Ok(self.sum(&of))
            }
            Of::SumWrapping => Ok(self.sum(&of)),
            Of::Product => {
                self.no_integers("nothing there looks for overflow; use `ProductWrapping`")?;
                Ok(self.all("multiply", &of, &Constant::number(1.0, of.kind)))
            }
            Of::ProductWrapping => Ok(self.all("multiply", &of, &Constant::number(1.0, of.kind))),
            Of::Mean => {
                self.some()?;
                self.mean(&of)
            }
            Of::Var(ddof) => self.var(ddof),
            Of::Std(ddof) => {
                let var = self.var(ddof)?;
                self.op("sqrt", &[&var])
            }
            Of::Max => {
                self.some()?;
                Ok(self.max(&of))
            }
            Of::Min => {
                self.some()?;
                Ok(self.min(&of))
            }
            Of::NanMax | Of::NanMin => {
                self.some()?;
                self.ignoring_nan(known == Of::NanMax)
            }
            Of::NanSum => self.sum_without_nan().map(|(sum, _)| sum),
            Of::NanMean => {
                self.some()?;
                let (sum, is_nan) = self.sum_without_nan()?;
                let numbers = self.op("not", &[&is_nan])?;
                let ones = self.body.convert(&numbers, sum.kind)?;
                let count = self.sum(&ones);
                self.op("divide", &[&sum, &count])
            }
            Of::ArgMax | Of::ArgMin => {
                self.some()?;
                self.argument(known == Of::ArgMax)
            }
            Of::Any => Ok(self.all("or", &of, &Constant::number(0.0, Kind::Bool))),
            Of::All => Ok(self.all("and", &of, &Constant::number(1.0, Kind::Bool))),
            Of::CountNonzero => {
                let nonzero = self.body.convert(&of, Kind::Bool)?;
                let ones = self.body.convert(&nonzero, Kind::U64)?;
                Ok(self.sum(&ones))
            }
            Of::LogSumExp => self.log_sum_exp(),
            Of::NormL1 => {
                self.no_integers("nothing there looks for overflow; use `abs` and `SumWrapping`")?;
                let absolute = self.absolute()?;
                Ok(self.sum(&absolute))
            }
            Of::NormL2 => self.euclidean(),
            Of::NormMax => {
                self.no_integers("nothing there looks for overflow; use `abs` and `Max`")?;
                self.some()?;
                let absolute = self.absolute()?;
                Ok(self.max(&absolute))
            }
        }
    }

    fn mean(&mut self, of: &Tensor) -> Result<Tensor, Error> {
        let sum = self.sum(of);
        let len = self.number(self.len() as f64, &sum);
        self.op("divide", &[&sum, &len])
    }

    /// In two passes: the mean, then the mean of the squared distances from it.
    fn var(&mut self, ddof: f64) -> Result<Tensor, Error> {
        let freedom = self.len() as f64 - ddof;
        if !(ddof >= 0.0 && freedom > 0.0) {
            return Err(Error::Ddof { operation: self.name, len: self.len(), ddof });
        }
        let of = self.of.clone();
        let mean = self.mean(&of)?;
        let mean = self.back(&mean);
        let distance = self.op("subtract", &[&of, &mean])?;
        let square = self.op("multiply", &[&distance, &distance])?;
        let sum = self.sum(&square);
        let freedom = self.number(freedom, &sum);
        self.op("divide", &[&sum, &freedom])
    }

    fn ignoring_nan(&mut self, largest: bool) -> Result<Tensor, Error> {
        let of = self.of.clone();
        let is_nan = self.is_nan(&of)?;
        let nothing = self.body.constant(&Constant::end(of.kind, !largest), &of.shape);
        let numbers = self.op("select", &[&is_nan, &nothing, &of])?;
        let best = if largest { self.max(&numbers) } else { self.min(&numbers) };
        let none = self.all("and", &is_nan, &Constant::number(1.0, Kind::Bool));
        let nan = self.number(f64::NAN, &best);
        self.op("select", &[&none, &nan, &best])
    }

    /// The sum of what is not NaN, and what is.
    fn sum_without_nan(&mut self) -> Result<(Tensor, Tensor), Error> {
        let of = self.of.clone();
        let is_nan = self.is_nan(&of)?;
        let zero = self.number(0.0, &of);
        let numbers = self.op("select", &[&is_nan, &zero, &of])?;
        Ok((self.sum(&numbers), is_nan))
    }

    /// The least number, in row-major order among those reduced, of an element that is the largest
    /// (or smallest) one, or NaN.
    fn argument(&mut self, largest: bool) -> Result<Tensor, Error> {
        let of = self.of.clone();
        let best = if largest { self.max(&of) } else { self.min(&of) };
        let best = self.back(&best);
        let mut found = self.op("compare EQ", &[&of, &best])?;
        if is_float(of.kind) {
            let is_nan = self.is_nan(&of)?;
            found = self.op("or", &[&found, &is_nan])?;
        }
        let (mut number, mut step) = (self.body.number(0.0, Kind::U64, &of.shape), 1_usize);
        for axis in self.axes.clone().into_iter().rev() {
            let index = self.body.iota(Kind::U64, &of.shape, axis);
            let steps = Constant { kind: Kind::U64, text: step.to_string() };
            let steps = self.body.constant(&steps, &of.shape);
            let along = self.op("multiply", &[&index, &steps])?;
            number = self.op("add", &[&number, &along])?;
            step *= of.shape[axis];
        }
        let none = self.body.constant(&Constant::end(Kind::U64, true), &of.shape);
        let numbers = self.op("select", &[&found, &number, &none])?;
        Ok(self.min(&numbers))
    }

    fn log_sum_exp(&mut self) -> Result<Tensor, Error> {
        let of = self.of.clone();
        let highest = self.max(&of);
        // Infinities would make NaN of themselves.
        let finite = self.op("is_finite", &[&highest])?;
        let zero = self.number(0.0, &highest);
        let shift = self.op("select", &[&finite, &highest, &zero])?;
        let shift_back = self.back(&shift);
        let shifted = self.op("subtract", &[&of, &shift_back])?;
        let exponential = self.op("exponential", &[&shifted])?;
        let sum = self.sum(&exponential);
        let log = self.op("log", &[&sum])?;
        self.op("add", &[&log, &shift])
    }

    /// The elements are divided by the largest absolute value, so that no square overflows.
    fn euclidean(&mut self) -> Result<Tensor, Error> {
        let absolute = if is_complex(self.of.kind) || is_float(self.of.kind) {
            self.absolute()?
        } else {
            let (operation, element) = (self.name, self.of.kind.name());
            return Err(Error::NoMeaning { operation, element, reason: "it has no square root" });
        };
        debug_assert_eq!(absolute.kind, real(self.of.kind));
        let start = Constant::number(0.0, absolute.kind);
        let highest = self.all("maximum", &absolute, &start);
        let (zero, one) = (self.number(0.0, &highest), self.number(1.0, &highest));
        let positive = self.op("compare GT", &[&highest, &zero])?;
        let finite = self.op("is_finite", &[&highest])?;
        let scales = self.op("and", &[&positive, &finite])?;
        let scale = self.op("select", &[&scales, &highest, &one])?;
        let scale_back = self.back(&scale);
        let scaled = self.op("divide", &[&absolute, &scale_back])?;
        let square = self.op("multiply", &[&scaled, &scaled])?;
        let sum = self.sum(&square);
        let root = self.op("sqrt", &[&sum])?;
        self.op("multiply", &[&root, &scale])
    }
}
