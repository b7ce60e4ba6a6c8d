//! The text of a function: operations on tensors, each written once.

use crate::error::Error;
use crate::types::{Constant, Kind, is_complex, is_float, mlir, real};
use std::collections::HashMap;
use std::fmt::Write;

/// A tensor of the function: its name, element type and shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Tensor {
    pub name: String,
    pub kind: Kind,
    pub shape: Vec<usize>,
}

impl Tensor {
    /// Its type as MLIR writes it.
    pub fn mlir(&self) -> String {
        type_of(self.kind, &self.shape)
    }
}

/// A type as MLIR writes it: `tensor<2x3xf32>`.
pub fn type_of(kind: Kind, shape: &[usize]) -> String {
    let extents: String = shape.iter().map(|extent| format!("{extent}x")).collect();
    format!("tensor<{extents}{}>", mlir(kind))
}

/// Whether a lowering may name this operation: one of StableHLO that takes elements one by one, and
/// has only operands.
pub fn is_plain(name: &str) -> bool {
    const PLAIN: &str = "abs add and atan2 cbrt ceil clamp complex cosine count_leading_zeros \
        divide exponential exponential_minus_one floor imag is_finite log log_plus_one logistic \
        maximum minimum multiply negate not or popcnt power real remainder round_nearest_afz \
        round_nearest_even rsqrt select shift_left shift_right_arithmetic shift_right_logical sign \
        sine sqrt subtract tan tanh xor";
    PLAIN.split(' ').any(|plain| plain == name) || name.starts_with("compare ")
}

/// The body of a function.
#[derive(Debug, Default)]
pub struct Body {
    text: String,
    /// What has been written, and its name.
    written: HashMap<String, String>,
}

impl Body {
    /// The lines.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Writes an operation, unless it has been written before.
    fn write(&mut self, operation: String, kind: Kind, shape: &[usize]) -> Tensor {
        let next = self.written.len();
        let name = match self.written.get(&operation) {
            Some(name) => name.clone(),
            None => {
                let name = format!("%{next}");
                writeln!(self.text, "    {name} = stablehlo.{operation}")
                    .expect("a string has room");
                self.written.insert(operation, name.clone());
                name
            }
        };
        Tensor { name, kind, shape: shape.to_vec() }
    }

    /// The same value for each element.
    pub fn constant(&mut self, constant: &Constant, shape: &[usize]) -> Tensor {
        let type_ = type_of(constant.kind, shape);
        // Of no elements there is no text.
        let text = if shape.contains(&0) { "" } else { &constant.text };
        self.write(format!("constant dense<{text}> : {type_}"), constant.kind, shape)
    }

    /// A number for each element.
    pub fn number(&mut self, number: f64, kind: Kind, shape: &[usize]) -> Tensor {
        self.constant(&Constant::number(number, kind), shape)
    }

    /// The index along an axis.
    pub fn iota(&mut self, kind: Kind, shape: &[usize], axis: usize) -> Tensor {
        self.write(format!("iota dim = {axis} : {}", type_of(kind, shape)), kind, shape)
    }

    /// An operation of StableHLO on operands of one shape: by its name, for comparisons with the
    /// direction, and the order if it is another than that of the type.
    pub fn op(&mut self, name: &str, operands: &[Tensor]) -> Result<Tensor, Error> {
        let wrong = |reason: &str| Error::Lowering {
            lowering: name.to_string(),
            reason: reason.to_string(),
        };
        let first = operands.first().ok_or_else(|| wrong("no operands"))?;
        let names: Vec<&str> = operands.iter().map(|operand| operand.name.as_str()).collect();
        let names = names.join(", ");
        let (kind, shape) = (first.kind, first.shape.clone());
        if operands.iter().any(|operand| operand.shape != shape) {
            return Err(wrong("operands of different shapes"));
        }
        if let Some(how) = name.strip_prefix("compare ") {
            let mut words = how.split(' ');
            let direction = words.next().unwrap_or_default();
            let order = words.next().unwrap_or(match kind {
                kind if is_float(kind) || is_complex(kind) => "FLOAT",
                Kind::I8 | Kind::I16 | Kind::I32 | Kind::I64 => "SIGNED",
                _ => "UNSIGNED",
            });
            let of = type_of(kind, &shape);
            let text = format!(
                "compare {direction}, {names}, {order} : ({of}, {of}) -> {}",
                type_of(Kind::Bool, &shape)
            );
            return Ok(self.write(text, Kind::Bool, &shape));
        }
        if !is_plain(name) {
            return Err(wrong("StableHLO has no operation of this name"));
        }
        let result = match name {
            "is_finite" => Kind::Bool,
            "real" | "imag" => real(kind),
            "abs" => real(kind),
            "complex" if kind == Kind::F32 => Kind::C64,
            "complex" => Kind::C128,
            "select" => operands.get(1).ok_or_else(|| wrong("too few operands"))?.kind,
            _ => kind,
        };
        let of = match name {
            "select" => format!("{}, {}", first.mlir(), type_of(result, &shape)),
            "complex" => type_of(result, &shape),
            "is_finite" | "real" | "imag" | "abs" if result != kind => {
                format!("({}) -> {}", first.mlir(), type_of(result, &shape))
            }
            _ => first.mlir(),
        };
        Ok(self.write(format!("{name} {names} : {of}"), result, &shape))
    }

    /// The elements as another type.
    pub fn convert(&mut self, from: &Tensor, to: Kind) -> Result<Tensor, Error> {
        if from.kind == to {
            return Ok(from.clone());
        }
        if to == Kind::Bool {
            // Whether it is not zero, of complex numbers either part.
            let zero = self.number(0.0, from.kind, &from.shape);
            return self.op("compare NE", &[from.clone(), zero]);
        }
        let from = match (is_complex(from.kind), is_complex(to)) {
            (true, false) => self.op("real", std::slice::from_ref(from))?,
            _ => from.clone(),
        };
        if from.kind == to {
            return Ok(from);
        }
        Ok(self.between("convert", &from, to))
    }

    /// The bits as another type of the same size.
    pub fn bitcast(&mut self, from: &Tensor, to: Kind) -> Tensor {
        if from.kind == to { from.clone() } else { self.between("bitcast_convert", from, to) }
    }

    fn between(&mut self, name: &str, from: &Tensor, to: Kind) -> Tensor {
        let type_ = format!("({}) -> {}", from.mlir(), type_of(to, &from.shape));
        self.write(format!("{name} {} : {type_}", from.name), to, &from.shape)
    }

    /// The elements rounded to fewer bits.
    pub fn reduce_precision(&mut self, from: &Tensor, exponent: u32, mantissa: u32) -> Tensor {
        let text = format!(
            "reduce_precision {}, format = e{exponent}m{mantissa} : {}",
            from.name,
            from.mlir()
        );
        self.write(text, from.kind, &from.shape)
    }

    /// A tensor in a shape in which it repeats: its axes lie along `dims` of it.
    pub fn broadcast(&mut self, from: &Tensor, shape: &[usize], dims: &[usize]) -> Tensor {
        if from.shape == shape {
            return from.clone();
        }
        let type_ = format!("({}) -> {}", from.mlir(), type_of(from.kind, shape));
        self.write(
            format!("broadcast_in_dim {}, dims = {dims:?} : {type_}", from.name),
            from.kind,
            shape,
        )
    }

    /// The same elements in another shape.
    pub fn reshape(&mut self, from: &Tensor, shape: &[usize]) -> Tensor {
        if from.shape == shape {
            return from.clone();
        }
        let type_ = format!("({}) -> {}", from.mlir(), type_of(from.kind, shape));
        self.write(format!("reshape {} : {type_}", from.name), from.kind, shape)
    }

    /// The elements combined along axes, which the result does not have.
    pub fn reduce(&mut self, by: &str, from: &Tensor, start: &Constant, axes: &[usize]) -> Tensor {
        let start = self.constant(start, &[]);
        let kept = |(axis, extent): (usize, &usize)| (!axes.contains(&axis)).then_some(*extent);
        let shape: Vec<usize> = from.shape.iter().enumerate().filter_map(kept).collect();
        let text = format!(
            "reduce({} init: {}) applies stablehlo.{by} across dimensions = {axes:?} : ({}, {}) -> {}",
            from.name,
            start.name,
            from.mlir(),
            start.mlir(),
            type_of(from.kind, &shape)
        );
        self.write(text, from.kind, &shape)
    }
}
