//! Files of expected results.

use super::complex;
use super::functions::Functions;
use super::{Float, Function, Worst, distance, evaluate, functions, promise};
use std::path::Path;

/// The rows of one function and type.
struct Rows<F> {
    function: usize,
    operands: Vec<Vec<F>>,
    want: Vec<F>,
}

/// Checks all lines of a file: `function,dtype,input_bits_hex,output_bits_hex`, with two inputs for
/// functions of two operands, and two parts for each number where `dtype` is `c64` or `c128`.
/// Prints a line for each function and type; returns how many results were within the promise, and
/// how many were not.
pub fn add_file(path: &Path) -> Result<(usize, usize), String> {
    let text = std::fs::read_to_string(path)
        .map_err(|error| format!("{}: cannot be read: {error}", path.display()))?;
    let (single, double) = (functions::<f32>(), functions::<f64>());
    let (mut singles, mut doubles) = (Vec::new(), Vec::new());
    let mut complex = complex::File::default();
    let (mut passed, mut failed) = (0, 0);
    for (number, line) in text.lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        let fields: Vec<&str> = line.split(',').map(str::trim).collect();
        let done = match fields[..] {
            [""] => Ok(()),
            // The names of the columns.
            ["function", "dtype", ..] => Ok(()),
            [name, "f32", ref bits @ ..] => add_row(&single, &mut singles, name, bits),
            [name, "f64", ref bits @ ..] => add_row(&double, &mut doubles, name, bits),
            [name, dtype @ ("c64" | "c128"), ref bits @ ..] => complex.add(name, dtype, bits),
            _ => Err("not `function,dtype,bits,..` with f32, f64, c64 or c128".to_owned()),
        };
        if let Err(why) = done {
            failed += 1;
            println!("{}:{}: {why}: {line}", path.display(), number + 1);
        }
    }
    let (a, b) = (check(&single, &singles), check(&double, &doubles));
    let c = complex.check();
    passed += a.0 + b.0 + c.0;
    failed += a.1 + b.1 + c.1;
    Ok((passed, failed))
}

fn add_row<F: Functions>(
    functions: &[Function<F>],
    rows: &mut Vec<Rows<F>>,
    name: &str,
    bits: &[&str],
) -> Result<(), String> {
    let function =
        functions.iter().position(|function| function.is_called(name)).ok_or("no such function")?;
    let bits: Result<Vec<F>, _> = bits.iter().map(|bits| parse(bits)).collect();
    let mut numbers = bits?;
    let arity = functions[function].arity();
    if numbers.len() != arity + 1 {
        return Err(format!("{arity} inputs and an output are wanted"));
    }
    let at = rows.iter().position(|rows| rows.function == function).unwrap_or_else(|| {
        rows.push(Rows { function, operands: vec![Vec::new(); arity], want: Vec::new() });
        rows.len() - 1
    });
    rows[at].want.extend(numbers.pop());
    for (operand, number) in rows[at].operands.iter_mut().zip(numbers) {
        operand.push(number);
    }
    Ok(())
}

pub(super) fn parse<F: Float>(bits: &str) -> Result<F, String> {
    let digits = bits.strip_prefix("0x").or_else(|| bits.strip_prefix("0X")).unwrap_or(bits);
    let too_long = digits.len() > 2 * size_of::<F>();
    match u64::from_str_radix(digits, 16) {
        Ok(bits) if !too_long => Ok(F::of_bits(bits)),
        _ => Err(format!("`{bits}` are not the bits of an {} in hexadecimal", F::NAME)),
    }
}

fn check<F: Functions>(functions: &[Function<F>], rows: &[Rows<F>]) -> (usize, usize) {
    let (mut passed, mut failed) = (0, 0);
    for Rows { function, operands, want } in rows {
        let function = &functions[*function];
        let promise = promise(function.name);
        match evaluate(function, operands) {
            Ok(got) => {
                let mut worst = Worst::new();
                for (i, (&got, &want)) in got.iter().zip(want).enumerate() {
                    let inputs: Vec<F> = operands.iter().map(|operand| operand[i]).collect();
                    worst.add(&inputs, got, want, distance(got, want), promise);
                }
                println!("{}", worst.describe(function.name, promise));
                passed += worst.count - worst.failed;
                failed += worst.failed;
            }
            Err(why) => {
                println!("{why}");
                failed += want.len();
            }
        }
    }
    (passed, failed)
}
