//! Expressions over operands in awkward layouts, that repeat along some axes: as new arrays,
//! assigned and added to destinations, in every way of execution, index by index.

use super::lying::{Lying, naive_of, shape};
use crate::naive::{Naive, size};
use crate::random::Random;
use std::fmt::Debug;
use zerostride::ops::Add;
use zerostride::prelude::*;
use zerostride::{Element, Error, Exec, Isa, zip};

/// The most elements of a result.
const MOST: usize = 3000;

/// An operand and the axes of the result that it lies along.
type Placed<'a, T> = (ViewD<'a, T>, &'a [usize]);

/// What is done with an expression.
enum Job<'a, T: Element> {
    Eval,
    Assign(ViewMutD<'a, T>),
    Update(ViewMutD<'a, T>),
}

type Run<T> = for<'a> fn(
    ViewD<'a, T>,
    Placed<'a, T>,
    Placed<'a, T>,
    Job<'a, T>,
) -> Result<Option<ArrayD<T>>, Error>;

/// An expression of up to three operands `a`, `b` and `c`, of which `a` has all axes.
struct Template<T: Element> {
    operands: usize,
    text: &'static str,
    run: Run<T>,
    /// The same of one element each; without one, the expression of contiguous copies is right.
    naive: Option<fn(T, T, T) -> T>,
}

macro_rules! naive {
    ($type:ty) => {
        None
    };
    ($type:ty, |$x:ident, $y:ident, $z:ident| $naive:expr) => {
        Some(|$x, $y, $z| {
            let _ = ($y, $z);
            $naive
        })
    };
}

macro_rules! templates {
    ($type:ty: $($operands:literal |$a:ident, $b:ident, $c:ident| $expr:expr $(, |$x:ident, $y:ident, $z:ident| $naive:expr)?;)*) => {
        [$(Template::<$type> {
            operands: $operands,
            text: stringify!($expr),
            run: |$a, $b, $c, job| {
                let _ = ($b, $c);
                match job {
                    Job::Eval => ($expr).eval().map(Some),
                    Job::Assign(mut out) => out.assign($expr).map(|()| None),
                    Job::Update(mut out) => out.update(Add, $expr).map(|()| None),
                }
            },
            naive: naive!($type $(, |$x, $y, $z| $naive)?),
        }),*]
    };
}

const SINGLES: &[Template<f32>] = &templates! { f32:
    1 |a, b, c| a + 1.0, |x, y, z| x + 1.0;
    1 |a, b, c| (-a).abs().sqrt(), |x, y, z| x.abs().sqrt();
    1 |a, b, c| a.map(|x| x * 3.0), |x, y, z| x * 3.0;
    1 |a, b, c| a.less(0.5).select(a, 1.0), |x, y, z| if x < 0.5 { x } else { 1.0 };
    2 |a, b, c| a + b.0.along(b.1), |x, y, z| x + y;
    2 |a, b, c| b.0.along(b.1) / (a.abs() + 1.0), |x, y, z| y / (x.abs() + 1.0);
    2 |a, b, c| a + (b.0.along(b.1).abs() + 1.0).sqrt(), |x, y, z| x + (y.abs() + 1.0).sqrt();
    2 |a, b, c| a.maximum(b.0.along(b.1)) * 2.0 - a, |x, y, z| x.max(y) * 2.0 - x;
    2 |a, b, c| zip((a, b.0.along(b.1))).map(|(x, y)| x - y), |x, y, z| x - y;
    3 |a, b, c| a.mul_add(b.0.along(b.1), c.0.along(c.1)), |x, y, z| x.mul_add(y, z);
    3 |a, b, c| (a + b.0.along(b.1)) * (c.0.along(c.1) - a), |x, y, z| (x + y) * (z - x);
    3 |a, b, c| b.0.along(b.1) * c.0.along(c.1) + a, |x, y, z| y * z + x;
    1 |a, b, c| a.exp();
    2 |a, b, c| a.sin() + b.0.along(b.1).exp();
    3 |a, b, c| (a * b.0.along(b.1)).tanh() + c.0.along(c.1).sin();
};

const DOUBLES: &[Template<f64>] = &templates! { f64:
    1 |a, b, c| a.square() - 1.0, |x, y, z| x * x - 1.0;
    2 |a, b, c| a - b.0.along(b.1) * 0.5, |x, y, z| x - y * 0.5;
    3 |a, b, c| (a - b.0.along(b.1)) / (c.0.along(c.1).abs() + 2.0), |x, y, z| (x - y) / (z.abs() + 2.0);
    2 |a, b, c| a * b.0.along(b.1).exp();
};

const INTEGERS: &[Template<i32>] = &templates! { i32:
    1 |a, b, c| a * 3, |x, y, z| x.wrapping_mul(3);
    2 |a, b, c| a + b.0.along(b.1), |x, y, z| x.wrapping_add(y);
    2 |a, b, c| a.minimum(b.0.along(b.1)) ^ a, |x, y, z| x.min(y) ^ x;
    3 |a, b, c| a * b.0.along(b.1) - c.0.along(c.1), |x, y, z| x.wrapping_mul(y).wrapping_sub(z);
};

const BYTES: &[Template<u8>] = &templates! { u8:
    2 |a, b, c| a + b.0.along(b.1), |x, y, z| x.wrapping_add(y);
    3 |a, b, c| (a & b.0.along(b.1)) | c.0.along(c.1), |x, y, z| (x & y) | z;
};

/// The bits of an element, to compare by.
trait Bits: Element + Debug {
    fn bits(self) -> u64;
    fn plus(self, other: Self) -> Self;
}

macro_rules! bits {
    ($($type:ty: |$x:ident| $bits:expr, |$a:ident, $b:ident| $sum:expr;)*) => {$(
        impl Bits for $type {
            fn bits(self) -> u64 { let $x = self; $bits }
            fn plus(self, other: Self) -> Self { let ($a, $b) = (self, other); $sum }
        }
    )*};
}
bits! {
    f32: |x| u64::from(x.to_bits()), |a, b| a + b;
    f64: |x| x.to_bits(), |a, b| a + b;
    i32: |x| x as u64, |a, b| a.wrapping_add(b);
    u8: |x| u64::from(x), |a, b| a.wrapping_add(b);
}

/// A program of one expression.
pub fn run(random: &mut Random) -> Result<(), String> {
    match random.below(8) {
        0..4 => of(random, SINGLES, |random| random.below(23) as f32 * 0.5 - 4.0, "f32"),
        4 | 5 => of(random, DOUBLES, |random| random.below(23) as f64 * 0.5 - 4.0, "f64"),
        6 => of(random, INTEGERS, |random| random.bits() as i32, "i32"),
        _ => of(random, BYTES, |random| random.bits() as u8, "u8"),
    }
}

/// A way of execution.
pub fn exec(random: &mut Random) -> Exec {
    let isa = random.of(&Isa::available());
    let exec = Exec::new().isa(isa).parallel(random.once_in(6));
    let exec = if random.once_in(2) { exec.grain(random.of(&[3, 20, 64, 500])) } else { exec };
    if random.once_in(3) { exec.cache(0) } else { exec }
}

/// The Rust text of a way of execution.
pub fn exec_text(exec: Exec) -> String {
    let Exec { parallel, grain, isa, cache, .. } = exec;
    let number = Isa::available().iter().position(|&other| other == isa).unwrap_or(0);
    format!(
        "    let exec = Exec::new().parallel({parallel}).grain({grain}).cache({cache});\n    \
         let exec = exec.isa(Isa::available()[{number}]); // {isa:?}\n"
    )
}

fn of<T: Bits>(
    random: &mut Random,
    templates: &[Template<T>],
    value: fn(&mut Random) -> T,
    name: &str,
) -> Result<(), String> {
    let template = &templates[random.below(templates.len())];
    let ndim = random.below(5);
    let most = random.of(&[40, 300, MOST]);
    let full = shape(random, ndim, most);
    // Each operand has an extent of 1 along some axes, and all but the first lack some.
    let mut operands = Vec::new();
    for number in 0..3 {
        let mut dims: Vec<usize> = (0..ndim).collect();
        if number > 0 {
            dims.retain(|_| !random.once_in(3));
        }
        let own: Vec<usize> =
            dims.iter().map(|&dim| if random.once_in(6) { 1 } else { full[dim] }).collect();
        operands.push((Lying::new(random, &own, true, value), dims));
    }
    let used = &operands[..template.operands];
    let extent = |axis: usize| {
        let along = |(lying, dims): &(Lying<T>, Vec<usize>)| {
            dims.iter().position(|&dim| dim == axis).map(|own| lying.shape[own])
        };
        used.iter().filter_map(along).find(|&extent| extent != 1).unwrap_or(1)
    };
    let result: Vec<usize> = (0..ndim).map(extent).collect();
    let exec = exec(random);
    let job = random.below(3);
    // A destination may be larger than the expression.
    let to = if job > 0 && random.once_in(3) { &full } else { &result };
    let copies: Vec<Naive<T>> = operands
        .iter()
        .map(|(lying, dims)| {
            // An operand that is not used need not fit.
            let fits = dims.iter().zip(&lying.shape).all(|(&dim, &own)| own == 1 || own == to[dim]);
            if fits {
                lying.naive().replicated(to, dims)
            } else {
                Naive { shape: to.clone(), data: vec![] }
            }
        })
        .collect();
    let placed = |number: usize| (operands[number].0.view(), &operands[number].1[..]);
    let mut want = match template.naive {
        Some(naive) => {
            let at =
                |number: usize, i: usize| *copies[number].data.get(i).unwrap_or(&copies[0].data[i]);
            Naive::numbered(to, |i| naive(at(0, i), at(1, i), at(2, i)))
        }
        None => {
            let all: Vec<usize> = (0..ndim).collect();
            let flat = |number: usize| {
                let data = &copies[number].data;
                ViewD::from_slice(&to[..], if data.is_empty() { &copies[0].data } else { data })
            };
            let [a, b, c] = [0, 1, 2].map(|number| flat(number).expect("it has that shape"));
            let placed = |view| (view, &all[..]);
            let serial = Exec::new().parallel(false).isa(Isa::available()[0]);
            let eval = || (template.run)(a, placed(b), placed(c), Job::Eval);
            let array =
                serial.install(eval).map_err(|err| format!("// {}: {err}", template.text))?;
            naive_of(array.expect("eval makes an array").view())
        }
    };
    let mut out = Lying::new(random, to, false, value);
    let before = out.clone();
    if job == 2 {
        let old = before.naive();
        want.data.iter_mut().zip(&old.data).for_each(|(x, &old)| *x = old.plus(*x));
    }
    let answer = exec.install(|| {
        let run = |job| (template.run)(placed(0).0, placed(1), placed(2), job);
        match job {
            0 => run(Job::Eval),
            1 => run(Job::Assign(out.view_mut())),
            _ => run(Job::Update(out.view_mut())),
        }
    });
    let problem = match answer {
        Err(err) => Some(format!("It is refused: {err}")),
        Ok(Some(array)) => difference(&naive_of(array.view()), &want),
        Ok(None) => difference(&out.naive(), &want).or_else(|| {
            let mut own = vec![false; out.buffer.len()];
            out.places.iter().for_each(|&place| own[place] = true);
            let written = (0..own.len())
                .find(|&i| !own[i] && out.buffer[i].bits() != before.buffer[i].bits());
            written.map(|place| format!("It writes to place {place}, outside of the array."))
        }),
    };
    problem.map_or(Ok(()), |problem| {
        Err(program(template, &operands, &before, job, exec, name, &problem))
    })
}

fn difference<T: Bits>(got: &Naive<T>, want: &Naive<T>) -> Option<String> {
    if got.shape != want.shape {
        return Some(format!("It has shape {:?}, not {:?}.", got.shape, want.shape));
    }
    let wrong = |&i: &usize| got.data[i].bits() != want.data[i].bits();
    let count = (0..size(&want.shape)).filter(wrong).count();
    let first = (0..size(&want.shape)).find(wrong)?;
    let (got, want) = (got.data[first], want.data[first]);
    Some(format!("{count} elements differ, the first is number {first}: {got:?}, not {want:?}."))
}

fn program<T: Bits>(
    template: &Template<T>,
    operands: &[(Lying<T>, Vec<usize>)],
    out: &Lying<T>,
    job: usize,
    exec: Exec,
    name: &str,
    problem: &str,
) -> String {
    let mut text =
        "use zerostride::prelude::*;\nuse zerostride::*;\n\nfn main() -> Result<(), Error> {\n"
            .to_owned();
    for ((lying, dims), letter) in operands[..template.operands].iter().zip(["a", "b", "c"]) {
        text += &lying.text(letter, name);
        text += &format!("    let {letter}_dims = {dims:?};\n");
    }
    let expr = template
        .text
        .replace("b.0.along(b.1)", "b.along(b_dims)")
        .replace("c.0.along(c.1)", "c.along(c_dims)");
    let Lying { shape, strides, offset, buffer, .. } = out;
    text += &exec_text(exec);
    text += &match job {
        0 => format!("    println!(\"{{:?}}\", exec.install(|| ({expr}).eval())?);\n"),
        _ => {
            let method = if job == 1 { "assign(" } else { "update(ops::Add, " };
            format!(
                "    let mut memory: Vec<{name}> = vec!{buffer:?};\n    \
                 let mut out = ViewMutD::from_strided(&{shape:?}[..], &{strides:?}, {offset}, &mut memory)?;\n    \
                 exec.install(|| out.{method}{expr}))?;\n    println!(\"{{out:?}}\");\n"
            )
        }
    };
    text + &format!("    // {problem}\n    Ok(())\n}}")
}
