//! An expression as a list of nodes, each before its operands, and what is written for them.
//!
//! Each node is computed at its own size: along the axes of the result along which one of its
//! leaves lies. Only where it meets an operand of another shape does it repeat, by one
//! `broadcast_in_dim`.

use crate::emit::{Body, Tensor};
use crate::error::Error;
use crate::lower::lower;
use crate::program::{Arguments, Symbolic};
use crate::types::{Constant, Kind, is_complex, is_float, kind_of};
use elementwise::ops::ReducePrecision;
use elementwise::{ElementType, Elements, Expr, OfIndex, Operation, TooManyAxes, Visitor};
use ndcore::{Axes, MAX_NDIM};
use std::any::Any;

/// A node of an expression.
enum Node<'a> {
    Leaf { elements: &'a dyn Elements, shape: &'a [usize], strides: &'a [isize], of: ElementType },
    Scalar { value: &'a dyn Any, of: ElementType },
    Generated(OfIndex<'a>),
    Along(&'a Result<Axes<u16>, TooManyAxes>),
    Numpy,
    Join(usize),
    Exact,
    Op(Operation<'a>),
}

/// Writes the nodes down.
#[derive(Default)]
struct Recorder<'a> {
    nodes: Vec<Node<'a>>,
    elements: Option<&'a dyn Elements>,
}

impl<'a> Visitor<'a> for Recorder<'a> {
    fn elements(&mut self, elements: &'a dyn Elements) {
        self.elements = Some(elements);
    }

    fn leaf(&mut self, shape: &'a [usize], strides: &'a [isize], of: ElementType) {
        if let Some(elements) = self.elements.take() {
            self.nodes.push(Node::Leaf { elements, shape, strides, of });
        }
    }

    fn scalar(&mut self, value: &'a dyn Any, of: ElementType) {
        self.nodes.push(Node::Scalar { value, of });
    }

    fn generated(&mut self, of: OfIndex<'a>) {
        self.nodes.push(Node::Generated(of));
    }

    fn along(&mut self, dims: &'a Result<Axes<u16>, TooManyAxes>, _: Option<usize>) {
        self.nodes.push(Node::Along(dims));
    }

    fn numpy(&mut self) {
        self.nodes.push(Node::Numpy);
    }

    fn join(&mut self, count: usize) {
        self.nodes.push(Node::Join(count));
    }

    fn exact(&mut self) {
        self.nodes.push(Node::Exact);
    }

    fn op(&mut self, op: Operation<'a>) {
        // What is boxed is shown below an operation that changes nothing.
        if op.name != Some("boxed") {
            self.nodes.push(Node::Op(op));
        }
    }
}

/// What has been written for a node.
#[derive(Clone)]
enum Value {
    /// One value everywhere, of which no shape is known yet.
    Constant(Constant),
    /// A tensor, whose axes lie along these of the result.
    Tensor(Tensor, Vec<usize>),
}

/// Where the axes of a node lie in the result; `None` if along themselves.
type Placed = Option<Vec<usize>>;

/// What writes the nodes of an expression.
struct Writer<'w, 'a> {
    rest: std::slice::Iter<'w, Node<'a>>,
    shape: &'w [usize],
    body: &'w mut Body,
    arguments: &'w mut Arguments,
}

/// Writes an expression, in the shape of its result.
pub fn write<E: Expr>(
    expr: &E,
    body: &mut Body,
    arguments: &mut Arguments,
) -> Result<Tensor, Error> {
    let shape = expr.result_shape()?;
    let mut recorder = Recorder::default();
    expr.describe(&mut recorder);
    write_nodes(&recorder.nodes, &shape, body, arguments)
}

/// As [`write`]: what does not know the expression.
fn write_nodes(
    nodes: &[Node<'_>],
    shape: &[usize],
    body: &mut Body,
    arguments: &mut Arguments,
) -> Result<Tensor, Error> {
    let mut writer = Writer { rest: nodes.iter(), shape, body, arguments };
    let mut values = writer.node(&None)?;
    match (values.pop(), values.is_empty()) {
        (Some(value), true) => {
            let all: Vec<usize> = (0..shape.len()).collect();
            Ok(writer.spread(&value, &all, shape))
        }
        _ => Err(Error::Opaque { operation: "a tuple of operands without an operation".into() }),
    }
}

/// The element of a type without a name in StableHLO.
fn foreign(of: &ElementType) -> Error {
    Error::Element { element: (of.name)() }
}

impl Writer<'_, '_> {
    /// Writes the next node: one value, or several of a tuple.
    fn node(&mut self, dims: &Placed) -> Result<Vec<Value>, Error> {
        let Some(node) = self.rest.next() else { return Ok(Vec::new()) };
        let value = match *node {
            Node::Leaf { elements, shape, strides, of } => {
                let axes = self.place(shape, dims)?;
                let kind = kind_of(&of).ok_or_else(|| foreign(&of))?;
                let argument = self.arguments.array(elements, shape, strides, &of, kind)?;
                Value::Tensor(argument, axes)
            }
            Node::Scalar { value, of } => {
                Value::Constant(Constant::of(value, &of).ok_or_else(|| foreign(&of))?)
            }
            Node::Generated(of) => self.generated(&of, dims)?,
            Node::Along(dims_of) => {
                let dims_of = dims_of.as_ref().map_err(|&error| elementwise::Error::from(error))?;
                let placed = dims_of.iter().map(|&dim| self.axis(usize::from(dim), dims));
                let placed = placed.collect::<Result<_, _>>()?;
                return self.node(&Some(placed));
            }
            Node::Numpy => {
                let outer = dims.as_ref().map_or(self.shape.len(), Vec::len);
                let own = rank(&mut self.rest.clone()).unwrap_or(outer);
                let placed = (outer.saturating_sub(own)..outer)
                    .map(|axis| dims.as_ref().map_or(axis, |dims| dims[axis]));
                return self.node(&Some(placed.collect()));
            }
            Node::Join(count) => return self.several(count, dims),
            Node::Exact => return self.several(3, dims),
            Node::Op(op) => {
                let operands = self.node(dims)?;
                self.op(&op, &operands)?
            }
        };
        Ok(vec![value])
    }

    fn several(&mut self, count: usize, dims: &Placed) -> Result<Vec<Value>, Error> {
        let mut values = Vec::new();
        for _ in 0..count {
            values.append(&mut self.node(dims)?);
        }
        Ok(values)
    }

    /// Where an axis of a node lies in the result.
    fn axis(&self, axis: usize, dims: &Placed) -> Result<usize, Error> {
        let axis_of = match dims {
            None => (axis < self.shape.len()).then_some(axis),
            Some(dims) => dims.get(axis).copied(),
        };
        // The shapes were found to fit: then there is such an axis.
        let too_many = elementwise::ErrorKind::RankTooHigh { ndim: axis + 1, max: MAX_NDIM };
        axis_of.ok_or_else(|| elementwise::Error::from(too_many).into())
    }

    /// Where the axes of an array lie in the result, which it has to fit.
    fn place(&self, own: &[usize], dims: &Placed) -> Result<Vec<usize>, Error> {
        if own.is_empty() {
            return Ok(Vec::new());
        }
        let axes = match dims {
            None => (0..self.shape.len()).collect(),
            Some(dims) => dims.clone(),
        };
        let fits = own.len() == axes.len()
            && own.iter().zip(&axes).all(|(own, &axis)| *own == 1 || *own == self.shape[axis])
            && axes.windows(2).all(|pair| pair[0] < pair[1]);
        if fits {
            return Ok(axes);
        }
        elementwise_shape(own, self.shape, &axes)?;
        Err(Error::Opaque { operation: format!("{own:?} along {axes:?} of {:?}", self.shape) })
    }

    /// What is a function of its index: a value of a program, or `iota`.
    fn generated(&mut self, of: &OfIndex<'_>, dims: &Placed) -> Result<Value, Error> {
        if let Some(symbolic) = of.settings.and_then(|any| any.downcast_ref::<Symbolic>()) {
            let tensor = self.arguments.value(symbolic)?;
            let axes = self.place(&tensor.shape, dims)?;
            return Ok(Value::Tensor(tensor, axes));
        }
        let kind = kind_of(&of.element).ok_or_else(|| foreign(&of.element))?;
        let (Some("iota"), Some(axis), None) = (of.name, of.axis, of.shape) else {
            let operation = of.name.map_or_else(|| "a generator".into(), str::to_string);
            return Err(Error::Opaque { operation });
        };
        let axis = self.axis(axis, dims)?;
        let extent = self.shape[axis];
        let direct = matches!(kind, Kind::F32 | Kind::F64 | Kind::I32 | Kind::I64);
        let counted = if direct && extent <= 1 << 24 { kind } else { Kind::U64 };
        let index = self.body.iota(counted, &[extent], 0);
        Ok(Value::Tensor(self.body.convert(&index, kind)?, vec![axis]))
    }

    /// A value as a tensor that has all of these axes, with these extents.
    fn spread(&mut self, value: &Value, axes: &[usize], extents: &[usize]) -> Tensor {
        match value {
            Value::Constant(constant) => self.body.constant(constant, extents),
            Value::Tensor(tensor, own) => {
                let at = |axis: &usize| axes.iter().position(|other| other == axis).unwrap_or(0);
                let dims: Vec<usize> = own.iter().map(at).collect();
                self.body.broadcast(tensor, extents, &dims)
            }
        }
    }

    /// An operation, at the size of its operands together.
    fn op(&mut self, op: &Operation<'_>, operands: &[Value]) -> Result<Value, Error> {
        let Some((name, row)) = op.name.zip(op.info()) else {
            let operation = op.name.map_or_else(
                || format!("a closure with results of type `{}`", (op.output.name)()),
                |name| format!("`{name}`"),
            );
            return Err(Error::Opaque { operation });
        };
        if operands.len() != row.arity {
            return Err(Error::Opaque { operation: format!("`{name}` of other operands") });
        }
        // The axes of all, and the extents along them.
        let mut axes: Vec<usize> = Vec::new();
        for operand in operands {
            if let Value::Tensor(_, own) = operand {
                axes.extend(own);
            }
        }
        axes.sort_unstable();
        axes.dedup();
        let extent = |axis: &usize| {
            let of = |operand: &Value| match operand {
                Value::Constant(_) => None,
                Value::Tensor(tensor, own) => {
                    let at = own.iter().position(|other| other == axis)?;
                    (tensor.shape[at] != 1).then_some(tensor.shape[at])
                }
            };
            operands.iter().find_map(of).unwrap_or(1)
        };
        let extents: Vec<usize> = axes.iter().map(extent).collect();
        let tensors: Vec<Tensor> =
            operands.iter().map(|operand| self.spread(operand, &axes, &extents)).collect();
        let output = kind_of(&op.output).ok_or_else(|| foreign(&op.output))?;
        let result = match name {
            "cast" => self.body.convert(&tensors[0], output)?,
            "bitcast" => self.body.bitcast(&tensors[0], output),
            "reduce_precision" => self.reduce_precision(op, &tensors[0])?,
            _ => {
                let setting = op.settings.and_then(|any| {
                    let of = ElementType { id: any.type_id(), ..op.output };
                    Constant::of(any, &of)
                });
                lower(self.body, row, &tensors, setting.as_ref())?
            }
        };
        if result.kind != output {
            return Err(Error::Lowering {
                lowering: row.stablehlo.to_string(),
                reason: format!(
                    "`{name}` of {} gives {}, not {}",
                    tensors[0].kind, result.kind, output
                ),
            });
        }
        Ok(Value::Tensor(result, axes))
    }

    fn reduce_precision(&mut self, op: &Operation<'_>, of: &Tensor) -> Result<Tensor, Error> {
        let settings = op.settings.and_then(|any| any.downcast_ref::<ReducePrecision>());
        match settings {
            Some(to) if is_float(of.kind) && !is_complex(of.kind) => {
                Ok(self.body.reduce_precision(of, to.exponent, to.mantissa))
            }
            _ => Err(Error::Opaque { operation: "`reduce_precision`".into() }),
        }
    }
}

/// Why an array does not fit a shape.
fn elementwise_shape(own: &[usize], shape: &[usize], dims: &[usize]) -> Result<(), Error> {
    bcast::binary_shape(own, shape, dims)?;
    Ok(())
}

/// The rank of the next node, if it has one of its own.
fn rank(rest: &mut std::slice::Iter<'_, Node<'_>>) -> Option<usize> {
    match rest.next()? {
        Node::Leaf { shape, .. } => Some(shape.len()),
        Node::Scalar { .. } => Some(0),
        Node::Generated(of) => of.shape.map(<[usize]>::len),
        Node::Along(_) => {
            rank(rest);
            None
        }
        Node::Numpy | Node::Op(_) => rank(rest),
        Node::Join(count) => (0..*count).fold(None, |all, _| all.max(rank(rest))),
        Node::Exact => (0..3).fold(None, |all, _| all.max(rank(rest))),
    }
}
