//! No plan changes a bit: whatever the layouts, the way of execution and the path (few elements
//! without a plan, planned, split among threads, stored past the cache), results are those of
//! row-major arrays of the whole shape, on one thread, by the baseline's instructions.

use crate::laws::strategies::{cases, operand, recipe, shape};
use conformance::naive::{Naive, for_each_index};
use conformance::support::execs::in_pool;
use conformance::support::{Held, Recipe, TestElement, Ways};
use proptest::prelude::*;
use zerostride::prelude::*;
use zerostride::{ArgMax, Array, Error, Exec, Isa, Max, Operand, Sum, Var, ops};

/// An operand: the axes it lies along, its shape, and its layout.
type Laid = (Vec<usize>, Vec<usize>, Recipe);

/// A value with a full mantissa, another one for each number; a few are special.
fn value(number: usize, seed: usize) -> f32 {
    let mut hash = (number as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ (seed as u64) << 40;
    hash = (hash ^ hash >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ hash >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    match hash >> 52 {
        0 if seed.is_multiple_of(4) => f32::NAN,
        1 if seed.is_multiple_of(2) => f32::INFINITY,
        2..8 => 0.0,
        8..14 => -0.0,
        _ => (hash as u32 >> 8) as f32 / (1 << 21) as f32 - 4.0,
    }
}

/// The bits; those of one NaN for all of them, because which one an addition gives is not promised.
fn bits(values: Vec<f32>) -> Vec<u32> {
    let bits = |x: f32| if x.is_nan() { f32::NAN.to_bits() } else { x.to_bits() };
    values.into_iter().map(bits).collect()
}

/// Everything that can become of an expression, as bits.
#[derive(Debug, PartialEq)]
struct Outcome {
    shape: Vec<usize>,
    evaluated: Vec<u32>,
    assigned: Vec<u32>,
    updated: Vec<u32>,
    /// The sum, the maximum and the variance along some axes, and of all elements.
    floats: Vec<Result<Vec<u32>, String>>,
    /// The place of the maximum, likewise.
    places: Vec<Result<Vec<usize>, String>>,
}

/// Says what differs.
fn difference(got: &Outcome, want: &Outcome) -> Option<String> {
    let named = [
        ("evaluated", &got.evaluated, &want.evaluated),
        ("assigned", &got.assigned, &want.assigned),
        ("updated", &got.updated, &want.updated),
    ];
    for (name, got, want) in named {
        if let Some(at) = (0..got.len().max(want.len())).find(|&at| got.get(at) != want.get(at)) {
            let float = |bits: Option<&u32>| bits.map(|bits| f32::from_bits(*bits));
            return Some(format!(
                "{name}: element {at} is {:?}, want {:?}",
                float(got.get(at)),
                float(want.get(at))
            ));
        }
    }
    for (number, name) in
        ["sum", "max", "var", "sum of all", "max of all", "var of all"].iter().enumerate()
    {
        if got.floats[number] != want.floats[number] {
            return Some(format!(
                "{name}: {:?}, want {:?}",
                got.floats[number], want.floats[number]
            ));
        }
    }
    (got != want).then(|| {
        format!("{:?} {:?}, want {:?} {:?}", got.shape, got.places, want.shape, want.places)
    })
}

fn floats<R: zerostride::Dimension>(
    result: Result<Array<f32, R>, Error>,
) -> Result<Vec<u32>, String> {
    result.map(|array| bits(array.to_vec())).map_err(|error| error.to_string())
}

/// Evaluates, assigns to and updates a destination, and reduces, by options.
fn outcome<E>(expr: &E, out: &Held<f32>, axes: &[usize], exec: &Exec) -> Result<Outcome, String>
where
    E: Expr<Elem = f32, Rank = Dyn>
        + Operand<f32, Dyn, Expr: Expr<Elem = f32>>
        + Clone
        + Send
        + Sync,
{
    let (mut assigned, mut updated) = (out.clone(), out.clone());
    let outcome = in_pool(|| {
        exec.install(|| -> Result<Outcome, Error> {
            let array = expr.clone().eval()?;
            assigned.view_mut().assign(expr.clone())?;
            updated.view_mut().update(ops::Sub, expr.clone())?;
            let one = |result: Result<f32, Error>| {
                result.map(|value| bits(vec![value])).map_err(|error| error.to_string())
            };
            let axes = || axes.to_vec();
            Ok(Outcome {
                shape: array.shape().to_vec(),
                evaluated: bits(array.to_vec()),
                assigned: Vec::new(),
                updated: Vec::new(),
                floats: vec![
                    floats(expr.clone().reduce_by(Sum, axes())),
                    floats(expr.clone().reduce_by(Max, zerostride::keep(axes()))),
                    floats(expr.clone().reduce_by(Var { ddof: 0.0 }, axes())),
                    one(expr.clone().sum()),
                    one(expr.clone().max()),
                    one(expr.clone().var(0.0)),
                ],
                places: vec![
                    expr.clone()
                        .reduce_by(ArgMax, axes())
                        .map(|places| places.to_vec())
                        .map_err(|e| e.to_string()),
                    expr.clone().argmax().map(|place| vec![place]).map_err(|e| e.to_string()),
                ],
            })
        })
    });
    let mut outcome = outcome.map_err(|error| error.to_string())?;
    for (held, to) in [(&assigned, &mut outcome.assigned), (&updated, &mut outcome.updated)] {
        let naive = held.naive();
        if let Some(problem) = held.problem(&naive, &out.buffer, |a, b| a.to_bits() == b.to_bits())
        {
            return Err(problem);
        }
        *to = bits(naive.data);
    }
    Ok(outcome)
}

/// The expressions, by number.
macro_rules! with_expression {
    ($number:expr, $operands:expr, |$expr:ident| $body:expr) => {{
        let (a, b, c) = $operands;
        match $number {
            // No operation goes through a buffer.
            0 => {
                let $expr = (a - b) * c;
                $body
            }
            // One does, and none is computed before the rest.
            1 => {
                let $expr = (a / b).exp() + c;
                $body
            }
            // May be computed before the rest, together and each.
            2 => {
                let $expr = a - (b * c).sin();
                $body
            }
            // An operation with rare arguments within another one.
            3 => {
                let $expr = (a.sqrt() + b.exp()) * (c.tanh() + 1.0).exp();
                $body
            }
            // No operation: a copy, and elements that are reduced where they lie.
            4 => {
                let ($expr, _, _) = (a, b, c);
                $body
            }
            // The root goes through a buffer.
            _ => {
                let $expr = (a * b + c).exp();
                $body
            }
        }
    }};
}
const EXPRESSIONS: usize = 6;

/// A row-major array of the whole shape: what broadcasting means.
fn whole(held: &Held<f32>, dims: &[usize], shape: &[usize]) -> Held<f32> {
    let (own, mut data) = (held.naive(), Vec::new());
    for_each_index(shape, |index| {
        let at = |(axis, &dim): (usize, &usize)| if own.shape[axis] == 1 { 0 } else { index[dim] };
        data.push(own.at(&dims.iter().enumerate().map(at).collect::<Vec<_>>()));
    });
    Held::new(&Naive { shape: shape.to_vec(), data }, &Recipe::c(shape.len()))
}

/// What is wrong with some way of execution.
fn problem(
    number: usize,
    operands: &[Laid; 3],
    out: &Recipe,
    axes: &[usize],
    seed: usize,
    ways: Ways,
) -> Option<String> {
    let result = operands[0].1.clone();
    let mut seeds = seed..;
    let mut held = |(_, shape, recipe): &Laid| {
        let seed = seeds.next().expect("there is always a next number");
        Held::new(&Naive::numbered(shape, |number| value(number, seed)), recipe)
    };
    let arrays = [held(&operands[0]), held(&operands[1]), held(&operands[2])];
    let destination = Naive::numbered(&result, |number| value(number, seed + 7));
    let row_major = Recipe::c(result.len());
    let identity: Vec<usize> = (0..result.len()).collect();
    let full = [0, 1, 2].map(|i| whole(&arrays[i], &operands[i].0, &result));
    let plain = Exec::new().parallel(false).isa(Isa::BASELINE);
    // Of the same types, so that it is the same code but for the layouts.
    let views =
        (full[0].view(), full[1].view().along(&identity[..]), full[2].view().along(&identity[..]));
    let to = Held::new(&destination, &row_major);
    let want = with_expression!(number, views, |expr| outcome(&expr, &to, axes, &plain));
    let to = Held::new(&destination, out);
    for way in ways.list() {
        let [a, b, c] = &arrays;
        let views =
            (a.view(), b.view().along(&operands[1].0[..]), c.view().along(&operands[2].0[..]));
        let got = with_expression!(number, views, |expr| outcome(&expr, &to, axes, &way.0));
        let problem = match (&got, &want) {
            (Ok(got), Ok(want)) => difference(got, want),
            _ => (got != want).then(|| format!("{got:?}, want {want:?}")),
        };
        if let Some(problem) = problem {
            return Some(format!("expression {number}, axes {axes:?}, {way}: {problem}"));
        }
    }
    None
}

/// Three operands, of which the first has all axes; a layout for a destination; and some axes.
fn laid(
    shape: impl Strategy<Value = Vec<usize>>,
) -> impl Strategy<Value = ([Laid; 3], Recipe, Vec<usize>)> {
    shape.prop_flat_map(|result| {
        let ndim = result.len();
        let any = || operand(result.clone(), false);
        let (dims, own) = ((0..ndim).collect::<Vec<_>>(), result.clone());
        let first = crate::laws::strategies::readable_recipe(ndim);
        let first = first.prop_map(move |recipe| (dims.clone(), own.clone(), recipe));
        let axes = prop::sample::subsequence((0..ndim).collect::<Vec<_>>(), 0..=ndim);
        ([first.boxed(), any().boxed(), any().boxed()], recipe(ndim), axes)
    })
}

proptest! {
    #![proptest_config(cases(40))]

    #[test]
    fn of_any_layouts(
        (operands, out, axes) in laid(shape(0..=5)),
        number in 0..EXPRESSIONS,
        seed in 0..1000_usize,
    ) {
        prop_assert_eq!(problem(number, &operands, &out, &axes, seed, Ways::All), None);
    }
}

proptest! {
    #![proptest_config(cases(6))]

    /// Of several blocks in reductions, several boxes, and several tasks without being told to.
    #[test]
    fn of_more_elements(
        (operands, out, axes) in laid(prop::sample::select(vec![
            vec![20_000], vec![9000, 3], vec![3, 9000], vec![150, 170], vec![40, 3, 200], vec![2, 5, 3, 7, 90],
        ])),
        number in 0..EXPRESSIONS,
        seed in 0..1000_usize,
    ) {
        prop_assert_eq!(problem(number, &operands, &out, &axes, seed, Ways::Half(seed)), None);
    }
}

/// Layouts side by side, as people write them, so that no run of this test misses them.
#[test]
fn of_usual_layouts() {
    let mut report = conformance::support::Report::new("usual layouts");
    let mut seed = 0;
    for result in [&[5][..], &[5000], &[6, 7], &[60, 70], &[4, 5, 6], &[14, 15, 16]] {
        let ndim = result.len();
        let all: Vec<usize> = (0..ndim).collect();
        let last = ndim - 1;
        for first in [Recipe::c(ndim), Recipe::f(ndim), Recipe::c(ndim).gapped(last, 3)] {
            for (dims, shape) in [
                (all.clone(), result.to_vec()),
                (vec![last], vec![result[last]]),
                (vec![0], vec![result[0]]),
                (all.clone(), vec![1; ndim]),
            ] {
                seed += 1;
                let small = Recipe::c(dims.len());
                let operands = [
                    (all.clone(), result.to_vec(), first.clone()),
                    (dims.clone(), shape.clone(), small),
                    (all.clone(), result.to_vec(), Recipe::f(ndim).reversed(1)),
                ];
                let axes = if seed / 4 % 2 == 0 { vec![seed % ndim] } else { all.clone() };
                let row = format!("{result:?} {} with {shape:?} along {dims:?}", first.name);
                let out = Recipe::c(ndim).gapped(last, seed % 3);
                report.row(
                    row,
                    problem(seed % EXPRESSIONS, &operands, &out, &axes, seed, Ways::Half(seed)),
                );
            }
        }
    }
    report.finish(72);
}

/// Nothing above is compared with itself only: a value of the wrong bits is seen.
#[test]
fn a_wrong_bit_fails() {
    let of = |value: f32| Outcome {
        shape: vec![1],
        evaluated: bits(vec![value]),
        assigned: Vec::new(),
        updated: Vec::new(),
        floats: vec![Ok(Vec::new()); 6],
        places: Vec::new(),
    };
    assert_eq!(difference(&of(1.0), &of(1.0)), None);
    assert!(difference(&of(1.0), &of(1.0 + f32::EPSILON)).is_some());
    assert!(difference(&of(0.0), &of(-0.0)).is_some());
    assert_eq!(f32::poison(), 121.0);
}
