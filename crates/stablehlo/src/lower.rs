//! The lowering of a row of the table of operations: its text is a name of StableHLO, or an
//! expression, which is read here and written as operations.
//!
//! ```text
//! lowering   = expression { " | " class " " expression }      class: complex, int, unsigned
//! expression = { name " = " term "; " } term
//! term       = number | name | name "(" term { ", " term } ")"
//! ```
//!
//! Names of terms without operands are the operands `a`, `b` and `c`, what was given a name, and
//! the constants `inf`, `nan`, `pi`, `highest_bit` and `setting`. A name with operands is a row of
//! the table, a definition (`definitions.rs`), an operation of StableHLO, or one of `poly(x, c0,
//! c1, ..)`, a polynomial;
//! `wrapping_power(x, y)` of integers; `high(x)`, half of the digits of `x`; `bits(x)` and
//! `signed_bits(x)`, the bits as an integer; and `of_bits(n, x)`, the bits of `n` as a number like
//! `x`. Numbers have the type of the operands beside them.

use crate::definitions::DEFINITIONS;
use crate::emit::{Body, Tensor};
use crate::error::Error;
use crate::types::{Constant, Kind, bits, is_complex, is_half, is_int, is_unsigned};
use elementwise::ops::{OpInfo, all_ops};
use std::collections::HashMap;

/// A term of a lowering.
#[derive(Clone, Debug, PartialEq)]
enum Term<'t> {
    Number(f64),
    Name(&'t str),
    Call(&'t str, Vec<Term<'t>>),
}

/// What is wrong with a lowering.
fn at_fault(lowering: &str, reason: impl Into<String>) -> Error {
    Error::Lowering { lowering: lowering.to_string(), reason: reason.into() }
}

/// The expression for elements of a type.
fn of_class(lowering: &str, kind: Kind) -> &str {
    let mut parts = lowering.split(" | ");
    let default = parts.next().unwrap_or_default();
    let is_of = |class: &str| match class {
        "complex" => is_complex(kind),
        "int" => is_int(kind),
        "unsigned" => is_unsigned(kind),
        _ => false,
    };
    parts
        .filter_map(|part| part.split_once(' '))
        .find_map(|(class, part)| is_of(class).then_some(part))
        .unwrap_or(default)
}

/// The tokens of an expression: words and numbers, and single signs.
fn tokens(text: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let mut rest = text.trim_start();
    while let Some(first) = rest.chars().next() {
        let in_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.');
        let len = if "(),;=".contains(first) {
            1
        } else {
            // A sign is part of a number at its beginning, and after its `e`.
            let mut before = ' ';
            let number = first == '-' || first.is_ascii_digit();
            let end = rest.find(|c: char| {
                let inside =
                    in_word(c) || (c == '-' && (before == ' ' || (number && before == 'e')));
                before = c;
                !inside
            });
            end.unwrap_or(rest.len()).max(1)
        };
        found.push(&rest[..len]);
        rest = rest[len..].trim_start();
    }
    found
}

/// Reads a term from the front of the tokens.
fn term<'t>(rest: &mut &[&'t str], lowering: &str) -> Result<Term<'t>, Error> {
    let (&first, after) =
        rest.split_first().ok_or_else(|| at_fault(lowering, "it ends too early"))?;
    *rest = after;
    if first.starts_with(|c: char| c == '-' || c.is_ascii_digit()) {
        let number = if first == "-inf" { Ok(f64::NEG_INFINITY) } else { first.parse() };
        return number
            .map(Term::Number)
            .map_err(|_| at_fault(lowering, format!("`{first}` is no number")));
    }
    if rest.first() != Some(&"(") {
        return Ok(Term::Name(first));
    }
    let mut operands = Vec::new();
    loop {
        // The bracket, or the comma.
        *rest = &rest[1..];
        operands.push(term(rest, lowering)?);
        match rest.first() {
            Some(&",") => {}
            Some(&")") => {
                *rest = &rest[1..];
                return Ok(Term::Call(first, operands));
            }
            _ => return Err(at_fault(lowering, format!("`{first}(` is not closed"))),
        }
    }
}

/// Named terms of an expression, of which the last is the result.
fn read<'t>(text: &'t str, lowering: &str) -> Result<Vec<(&'t str, Term<'t>)>, Error> {
    let tokens = tokens(text);
    let mut rest = &tokens[..];
    let mut terms = Vec::new();
    loop {
        let name = match rest {
            [name, "=", after @ ..] => {
                rest = after;
                name
            }
            _ => "",
        };
        terms.push((name, term(&mut rest, lowering)?));
        match rest.split_first() {
            None => return Ok(terms),
            Some((&";", after)) => rest = after,
            Some((token, _)) => return Err(at_fault(lowering, format!("`{token}` is too much"))),
        }
    }
}

/// A row of the table by its name.
fn row(name: &str) -> Option<&'static OpInfo> {
    all_ops().find(|row| row.name == name)
}

/// Whether an operation of StableHLO is the whole lowering.
fn is_name(text: &str) -> bool {
    !text.contains('(')
}

/// Writes the operation of a row on operands of one shape. `setting` is what it carries.
pub fn lower(
    body: &mut Body,
    row: &OpInfo,
    operands: &[Tensor],
    setting: Option<&Constant>,
) -> Result<Tensor, Error> {
    let first = operands.first().ok_or_else(|| at_fault(row.stablehlo, "no operands"))?;
    let text = of_class(row.stablehlo, first.kind);
    if text == "none" {
        return Err(Error::NoMeaning {
            operation: row.name,
            element: first.kind.name(),
            reason: match row.name {
                "mul_add" => "nothing there is rounded once; write `a * b + c`",
                _ => "nothing there saturates or looks for overflow",
            },
        });
    }
    // As here, functions of 16 bits are computed in `f32` and rounded once.
    let moves_bits = text.contains("bits(") || text.contains("next_after");
    let rounds = !row.accuracy.is_empty() || !is_name(text);
    if is_half(first.kind) && rounds && !moves_bits && row.name != "div" {
        let wide: Result<Vec<Tensor>, Error> =
            operands.iter().map(|operand| widen(body, operand)).collect();
        let setting = setting.map(|setting| body.constant(setting, &first.shape));
        let setting = setting.map(|setting| widen(body, &setting)).transpose()?;
        let result = evaluate(body, text, &wide?, setting.as_ref())?;
        return if result.kind == Kind::F32 {
            body.convert(&result, first.kind)
        } else {
            Ok(result)
        };
    }
    let setting = setting.map(|setting| body.constant(setting, &first.shape));
    evaluate(body, text, operands, setting.as_ref())
}

fn widen(body: &mut Body, operand: &Tensor) -> Result<Tensor, Error> {
    if is_half(operand.kind) { body.convert(operand, Kind::F32) } else { Ok(operand.clone()) }
}

/// Writes an expression.
fn evaluate(
    body: &mut Body,
    text: &str,
    operands: &[Tensor],
    setting: Option<&Tensor>,
) -> Result<Tensor, Error> {
    if is_name(text) {
        return body.op(text, operands);
    }
    let mut names: HashMap<&str, Tensor> = ["a", "b", "c"]
        .into_iter()
        .zip(operands.iter().cloned())
        .chain(setting.map(|setting| ("setting", setting.clone())))
        .collect();
    let mut result = operands[0].clone();
    for (name, term) in read(text, text)? {
        result = write(body, &term, &names, None, text)?;
        names.insert(name, result.clone());
    }
    Ok(result)
}

/// Writes a term; `like` has the type of numbers.
fn write(
    body: &mut Body,
    term: &Term<'_>,
    names: &HashMap<&str, Tensor>,
    like: Option<&Tensor>,
    text: &str,
) -> Result<Tensor, Error> {
    let like = like.unwrap_or(&names["a"]);
    let (name, operands) = match term {
        Term::Number(number) => return Ok(body.number(*number, like.kind, &like.shape)),
        Term::Name(name) => {
            let number = match *name {
                "inf" => f64::INFINITY,
                "nan" => f64::NAN,
                "pi" => std::f64::consts::PI,
                "highest_bit" => {
                    return Ok(body.constant(&Constant::highest_bit(like.kind), &like.shape));
                }
                name => {
                    let found = names.get(name).cloned();
                    return found.ok_or_else(|| at_fault(text, format!("`{name}` is not known")));
                }
            };
            return Ok(body.number(number, like.kind, &like.shape));
        }
        Term::Call(name, operands) => (*name, operands),
    };
    // What has a type of its own first: numbers have that of the first of it.
    let is_number = |term: &Term<'_>| match term {
        Term::Number(_) => true,
        Term::Name(name) => !names.contains_key(name),
        Term::Call(..) => false,
    };
    let typed = match name {
        "select" => 1,
        _ => 0,
    };
    let mut written: Vec<Option<Tensor>> = vec![None; operands.len()];
    for (at, operand) in operands.iter().enumerate() {
        if !is_number(operand) {
            written[at] = Some(write(body, operand, names, None, text)?);
        }
    }
    let like = written[typed..].iter().flatten().next().cloned();
    for (at, operand) in operands.iter().enumerate() {
        if written[at].is_none() {
            written[at] = Some(write(body, operand, names, like.as_ref(), text)?);
        }
    }
    let operands: Vec<Tensor> = written.into_iter().flatten().collect();
    let first = &operands[0];
    match name {
        "poly" => {
            let mut sum = operands[operands.len() - 1].clone();
            for coefficient in operands[1..operands.len() - 1].iter().rev() {
                let product = body.op("multiply", &[sum, first.clone()])?;
                sum = body.op("add", &[product, coefficient.clone()])?;
            }
            return Ok(sum);
        }
        "bits" | "signed_bits" => {
            return Ok(body.bitcast(first, bits(first.kind, name == "signed_bits")));
        }
        "of_bits" => {
            let like = operands.get(1).ok_or_else(|| at_fault(text, "`of_bits` takes two"))?;
            return Ok(body.bitcast(first, like.kind));
        }
        "wrapping_power" => return wrapping_power(body, first, &operands[1]),
        // Half of its digits, so that the square is exact.
        "high" if first.kind == Kind::F64 => return Ok(body.reduce_precision(first, 11, 25)),
        "high" => return Ok(body.reduce_precision(first, 8, 11)),
        _ => {}
    }
    if let Some(row) = row(name) {
        return evaluate(body, of_class(row.stablehlo, first.kind), &operands, None);
    }
    match DEFINITIONS.iter().find(|(defined, _)| *defined == name) {
        Some((_, definition)) => evaluate(body, definition, &operands, None),
        None => body.op(name, &operands),
    }
}

/// An integer to the power of another one, modulo 2 to the number of bits, by the digits of the
/// exponent to base 64: XLA takes into account only its six lowest bits.
fn wrapping_power(body: &mut Body, base: &Tensor, exponent: &Tensor) -> Result<Tensor, Error> {
    let (kind, shape) = (base.kind, base.shape.clone());
    let number = |body: &mut Body, number: f64| body.number(number, kind, &shape);
    let (eight, mask) = (number(body, 8.0), number(body, 63.0));
    let (mut power, mut result) = (base.clone(), number(body, 1.0));
    for from in (0..8 * kind.size()).step_by(6) {
        let from = number(body, from as f64);
        let shifted = body.op("shift_right_logical", &[exponent.clone(), from])?;
        let digit = body.op("and", &[shifted, mask.clone()])?;
        let factor = body.op("power", &[power.clone(), digit])?;
        result = body.op("multiply", &[result, factor])?;
        for _ in 0..2 {
            power = body.op("power", &[power, eight.clone()])?;
        }
    }
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_read() {
        let text = "x = mul(a, -1.5e-3); select(less(a, 0), x, inf)";
        let terms = read(text, text).unwrap();
        assert_eq!(terms[0].0, "x");
        assert_eq!(terms[0].1, Term::Call("mul", vec![Term::Name("a"), Term::Number(-1.5e-3)]));
        let less = Term::Call("less", vec![Term::Name("a"), Term::Number(0.0)]);
        assert_eq!(
            terms[1],
            ("", Term::Call("select", vec![less, Term::Name("x"), Term::Name("inf")]))
        );
    }

    #[test]
    fn mistakes_are_found() {
        for text in ["add(a, b", "add(a b)", "add(a, b) c", "add(a, 1.2.3)", "", "add(a, q)"] {
            let operand = Tensor { name: "%a".into(), kind: Kind::F32, shape: vec![2] };
            let operands = [operand.clone(), operand];
            let terms = read(text, text);
            let written = terms.and_then(|_| evaluate(&mut Body::default(), text, &operands, None));
            assert!(matches!(written, Err(Error::Lowering { .. })), "{text}: {written:?}");
        }
    }

    #[test]
    fn definitions_are_not_names_of_something_else() {
        for (name, _) in DEFINITIONS {
            assert!(row(name).is_none() && !crate::emit::is_plain(name), "{name}");
        }
    }
}
