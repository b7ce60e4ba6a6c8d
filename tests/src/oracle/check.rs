//! Puts a row to the public interface, with the ranks known at run time and, up to rank 4, in their
//! types.

use super::row::{Dims, Row};
use super::typed;
use crate::naive::scalar::Scalar;
use crate::naive::{self, Naive};
use zerostride::{Array, ArrayD, Broadcast, Dimension, Error, Expr};

/// What the library answers: an array, or that it refuses.
pub type Answer = Option<Naive<f32>>;

/// The value of an expression, if it could be made and computed.
pub fn answer<E: Expr<Elem = f32, Rank: Dimension>>(expr: Result<E, Error>) -> Answer {
    let array: Array<f32, E::Rank> = expr.and_then(Expr::eval).ok()?;
    Some(Naive { shape: array.shape().to_vec(), data: array.to_vec() })
}

/// The library's array, of dynamic rank.
fn array(naive: &Naive<f32>) -> ArrayD<f32> {
    ArrayD::from_shape_vec(&naive.shape[..], naive.data.clone())
        .expect("as many elements as its shape says")
}

/// Elements that differ from each other and from those of the other operands.
fn filled(shape: &[usize], operand: usize) -> Naive<f32> {
    let step = [1.0, 1000.0, 0.25][operand];
    Naive::numbered(shape, |number| (number + 1) as f32 * step)
}

/// Whether the library answers as XLA did.
///
/// # Errors
/// In words, what it answers instead, and to which way of asking.
pub fn check(row: &Row) -> Result<(), String> {
    match row {
        Row::Shapes { lhs, rhs, dims, want } => shapes(lhs, rhs, dims, want.as_deref()),
        Row::InDim { operand, out, dims, want } => in_dim(operand, out, dims, *want),
        Row::Values { op, lhs, rhs, dims, want } => values(op, lhs, rhs, dims, want),
        Row::Ternary { op, args, want } => ternary(op, args, want.as_deref()),
    }
}

fn shapes(lhs: &[usize], rhs: &[usize], dims: &Dims, want: Option<&[usize]>) -> Result<(), String> {
    let Dims::Given(dims) = dims else { return refused(want.is_some()) };
    let shape = zerostride::binary_shape(lhs, rhs, dims).ok();
    same_shape("binary_shape", shape.as_ref().map(|shape| &shape[..]), want)?;

    // The shape is XLA's; the elements are those of the naive rule for that shape.
    let (a, b) = (filled(lhs, 0), filled(rhs, 1));
    let sum = want
        .and_then(|want| naive::binary(&a, &b, dims, |a, b| a + b).filter(|sum| sum.shape == want));
    if sum.is_none() && want.is_some() {
        return Err("the naive rule refuses it, or gives another shape".to_owned());
    }
    let (a, b) = (array(&a), array(&b));
    same("add", answer(zerostride::add(&a, &b, dims)), &sum)?;
    if let Some(typed) = typed::binary("add", &a, &b, dims) {
        same("add with typed ranks", typed, &sum)?;
    }
    // For unequal ranks, an operator and `along` say the same.
    match lhs.len().cmp(&rhs.len()) {
        std::cmp::Ordering::Less => {
            same("a.along(dims) + b", answer(Ok(a.along(&dims[..]) + &b)), &sum)
        }
        std::cmp::Ordering::Greater => {
            same("a + b.along(dims)", answer(Ok(&a + b.along(&dims[..]))), &sum)
        }
        std::cmp::Ordering::Equal if dims.is_empty() => same("a + b", answer(Ok(&a + &b)), &sum),
        std::cmp::Ordering::Equal => Ok(()),
    }
}

fn in_dim(operand: &[usize], out: &[usize], dims: &Dims, want: bool) -> Result<(), String> {
    let Dims::Given(dims) = dims else { return refused(want) };
    let shape = zerostride::broadcast_in_dim_strict(operand, out, dims).ok();
    same_shape(
        "the function broadcast_in_dim_strict",
        shape.as_ref().map(|shape| &shape[..]),
        want.then_some(out),
    )?;
    if want && !naive::broadcasts_strictly_to(operand, out, dims) {
        return Err("the naive rule refuses it".to_owned());
    }
    let source = filled(operand, 0);
    let replicated = want.then(|| source.replicated(out, dims));
    let source = array(&source);
    let view = source.broadcast_in_dim_strict(out, &dims[..]).ok();
    let got = view.map(|view| Naive { shape: view.shape().to_vec(), data: view.to_vec() });
    same("broadcast_in_dim_strict", got, &replicated)?;
    match typed::in_dim(&source, out, dims) {
        Some(typed) => same("broadcast_in_dim_strict with typed ranks", typed, &replicated),
        None => Ok(()),
    }
}

fn values(
    op: &str,
    lhs: &Naive<f32>,
    rhs: &Naive<f32>,
    dims: &Dims,
    want: &Naive<f32>,
) -> Result<(), String> {
    let Dims::Given(dims) = dims else { return refused(true) };
    let want = Some(want.clone());
    let (a, b) = (array(lhs), array(rhs));
    let got = match op {
        "add" => answer(zerostride::add(&a, &b, dims)),
        "sub" => answer(zerostride::sub(&a, &b, dims)),
        "mul" => answer(zerostride::mul(&a, &b, dims)),
        "div" => answer(zerostride::div(&a, &b, dims)),
        "max" => answer(zerostride::maximum(&a, &b, dims)),
        "min" => answer(zerostride::minimum(&a, &b, dims)),
        _ => return Err(format!("there is no operation {op:?}")),
    };
    same(op, got, &want)?;
    match typed::binary(op, &a, &b, dims) {
        Some(typed) => same(&format!("{op} with typed ranks"), typed, &want),
        None => Ok(()),
    }
}

fn ternary(op: &str, args: &[Vec<usize>; 3], want: Option<&[usize]>) -> Result<(), String> {
    let shape = zerostride::ternary_shape([&args[0], &args[1], &args[2]]).ok();
    same_shape("ternary_shape", shape.as_ref().map(|shape| &shape[..]), want)?;
    let [a, b, c] = [filled(&args[0], 0), filled(&args[1], 2), filled(&args[2], 1)];
    let p = a.map(|a| a % 2.0 == 0.0);
    let expected = match op {
        "clamp" => naive::ternary((&a, &b, &c), Scalar::clamp),
        "select" => naive::ternary((&p, &b, &c), |p, t, f| if p { t } else { f }),
        _ => return Err(format!("there is no operation {op:?}")),
    };
    let expected = expected.filter(|expected| want == Some(&expected.shape[..]));
    if expected.is_none() && want.is_some() {
        return Err("the naive rule refuses it, or gives another shape".to_owned());
    }
    let (a, b, c) = (array(&a), array(&b), array(&c));
    let p =
        ArrayD::from_shape_vec(&p.shape[..], p.data).expect("as many elements as its shape says");
    let (got, typed) = if op == "clamp" {
        (answer(Ok(zerostride::clamp(&a, &b, &c))), typed::clamp(&a, &b, &c))
    } else {
        (answer(Ok(p.select(&b, &c))), typed::select(&p, &b, &c))
    };
    same(op, got, &expected)?;
    match typed {
        Some(typed) => same(&format!("{op} with typed ranks"), typed, &expected),
        None => Ok(()),
    }
}

/// For dims that cannot be given to the library.
fn refused(want: bool) -> Result<(), String> {
    if want { Err("dims that no `usize` can hold are refused".to_owned()) } else { Ok(()) }
}

fn same_shape(asked: &str, got: Option<&[usize]>, want: Option<&[usize]>) -> Result<(), String> {
    let say =
        |shape: Option<&[usize]>| shape.map_or("refused".to_owned(), |shape| format!("{shape:?}"));
    if got == want {
        Ok(())
    } else {
        Err(format!("{asked} answers {}, want {}", say(got), say(want)))
    }
}

fn same(asked: &str, got: Answer, want: &Answer) -> Result<(), String> {
    let shape = |answer: &Answer| answer.as_ref().map(|array| array.shape.clone());
    same_shape(asked, shape(&got).as_deref(), shape(want).as_deref())?;
    let (Some(got), Some(want)) = (got, want) else { return Ok(()) };
    match (0..want.data.len()).find(|&i| !got.data[i].same(want.data[i])) {
        None => Ok(()),
        Some(i) => {
            let index = naive::index_of(&want.shape, i);
            Err(format!("{asked} answers {:?} at {index:?}, want {:?}", got.data[i], want.data[i]))
        }
    }
}
