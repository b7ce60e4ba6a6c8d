//! [`Row`]: a question that was put to XLA, and its answer.

use crate::naive::{Naive, size};
use serde_json::{Map, Value};

/// The dims of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Dims {
    /// As given; none if they were null or absent.
    Given(Vec<usize>),
    /// Some of them are negative or above every `usize`. Such dims cannot be written down for the
    /// library, which is to say that it refuses them.
    Unrepresentable,
}

/// A question and its answer. A shape that is `None` means that XLA refused.
#[derive(Clone, Debug, PartialEq)]
pub enum Row {
    /// The shape of a binary operation's result.
    Shapes {
        /// The left operand's.
        lhs: Vec<usize>,
        /// The right operand's.
        rhs: Vec<usize>,
        /// The dims.
        dims: Dims,
        /// The result's.
        want: Option<Vec<usize>>,
    },
    /// Whether an operand broadcasts to a shape.
    InDim {
        /// The operand's shape.
        operand: Vec<usize>,
        /// The shape to broadcast to.
        out: Vec<usize>,
        /// The dims.
        dims: Dims,
        /// Whether it does.
        want: bool,
    },
    /// The values of a binary operation's result.
    Values {
        /// The operation's name.
        op: String,
        /// The left operand.
        lhs: Naive<f32>,
        /// The right operand.
        rhs: Naive<f32>,
        /// The dims.
        dims: Dims,
        /// The result.
        want: Naive<f32>,
    },
    /// The shape of the result of `clamp` (lo, x, hi) or `select` (p, t, f).
    Ternary {
        /// The operation's name.
        op: String,
        /// The operands' shapes.
        args: [Vec<usize>; 3],
        /// The result's.
        want: Option<Vec<usize>>,
    },
}

impl Row {
    /// Reads a row; which kind it is shows in its keys.
    ///
    /// # Errors
    /// In words, what is missing or of the wrong kind.
    pub fn parse(line: &str) -> Result<Row, String> {
        let value: Value = serde_json::from_str(line).map_err(|err| err.to_string())?;
        let row = value.as_object().ok_or("it is not an object")?;
        if row.contains_key("args") {
            let args = array(row, "args")?
                .iter()
                .map(|arg| numbers(arg, "args"))
                .collect::<Result<Vec<_>, _>>()?;
            let args = <[Vec<usize>; 3]>::try_from(args)
                .map_err(|args| format!("`args` has {} shapes", args.len()))?;
            let op = text(row, "op")?;
            if !["clamp", "select"].contains(&&op[..]) {
                return Err(format!("an unknown operation {op:?}"));
            }
            Ok(Row::Ternary { op, args, want: answered_shape(row)? })
        } else if row.contains_key("operand") {
            let (operand, out) = (shape(row, "operand")?, shape(row, "out")?);
            Ok(Row::InDim { operand, out, dims: dims(row)?, want: ok(row)? })
        } else if row.contains_key("lhs_data") {
            let (lhs, rhs) = (filled(row, "lhs", "lhs_data")?, filled(row, "rhs", "rhs_data")?);
            let op = text(row, "op")?;
            if !["add", "sub", "mul", "div", "max", "min"].contains(&&op[..]) {
                return Err(format!("an unknown operation {op:?}"));
            }
            Ok(Row::Values { op, lhs, rhs, dims: dims(row)?, want: filled(row, "shape", "out")? })
        } else if row.contains_key("lhs") {
            let (lhs, rhs) = (shape(row, "lhs")?, shape(row, "rhs")?);
            Ok(Row::Shapes { lhs, rhs, dims: dims(row)?, want: answered_shape(row)? })
        } else {
            Err("its keys are those of no kind of row".to_owned())
        }
    }
}

fn get<'a>(row: &'a Map<String, Value>, key: &str) -> Result<&'a Value, String> {
    row.get(key).ok_or_else(|| format!("`{key}` is missing"))
}

fn array<'a>(row: &'a Map<String, Value>, key: &str) -> Result<&'a Vec<Value>, String> {
    get(row, key)?.as_array().ok_or_else(|| format!("`{key}` is not a list"))
}

fn text(row: &Map<String, Value>, key: &str) -> Result<String, String> {
    get(row, key)?.as_str().map(str::to_owned).ok_or_else(|| format!("`{key}` is not a string"))
}

fn ok(row: &Map<String, Value>) -> Result<bool, String> {
    get(row, "ok")?.as_bool().ok_or_else(|| "`ok` is neither true nor false".to_owned())
}

fn numbers(list: &Value, key: &str) -> Result<Vec<usize>, String> {
    let number = |value: &Value| value.as_u64().and_then(|number| usize::try_from(number).ok());
    let list = list.as_array().ok_or_else(|| format!("`{key}` is not a list"))?;
    list.iter()
        .map(|value| {
            number(value).ok_or_else(|| format!("`{key}` has {value}, which is not an extent"))
        })
        .collect()
}

fn shape(row: &Map<String, Value>, key: &str) -> Result<Vec<usize>, String> {
    numbers(get(row, key)?, key)
}

/// The shape answered, which is there if and only if the row is one of those accepted.
fn answered_shape(row: &Map<String, Value>) -> Result<Option<Vec<usize>>, String> {
    if ok(row)? { shape(row, "shape").map(Some) } else { Ok(None) }
}

/// Integers of any size and sign.
fn dims(row: &Map<String, Value>) -> Result<Dims, String> {
    let list = match row.get("dims") {
        None | Some(Value::Null) => return Ok(Dims::Given(Vec::new())),
        Some(list) => list.as_array().ok_or("`dims` is not a list")?,
    };
    let mut dims = Vec::new();
    let mut representable = true;
    for value in list {
        match value.as_u64().map(usize::try_from) {
            Some(Ok(dim)) => dims.push(dim),
            // Negative, or so large that JSON's reader has made it a float.
            _ if value.as_f64().is_some_and(|dim| dim.fract() == 0.0) => representable = false,
            _ => return Err(format!("`dims` has {value}, which is not an integer")),
        }
    }
    Ok(if representable { Dims::Given(dims) } else { Dims::Unrepresentable })
}

fn filled(row: &Map<String, Value>, shape_key: &str, data_key: &str) -> Result<Naive<f32>, String> {
    let shape = shape(row, shape_key)?;
    let number = |value: &Value| value.as_f64().map(|number| number as f32);
    let data: Option<Vec<f32>> = array(row, data_key)?.iter().map(number).collect();
    let data = data.ok_or_else(|| format!("`{data_key}` has something that is not a number"))?;
    if data.len() != size(&shape) {
        return Err(format!(
            "`{data_key}` has {} elements, and `{shape_key}` is {shape:?}",
            data.len()
        ));
    }
    Ok(Naive { shape, data })
}
