//! Cases: single operations, and random trees of them.

use crate::entries::{Any, Entry, leaf};
use crate::of_result;
use crate::random::Random;
use stablehlo::ElementKind;
use std::collections::BTreeSet;

/// An operation on arrays of rank 1, of special values.
pub fn single(random: &mut Random, entry: &Entry) -> (Any, String) {
    let args = entry.kinds.iter().map(|&kind| leaf(random, kind, &[120], true)).collect();
    ((entry.apply)(args, &[]), format!("{}({:?})", entry.name, entry.kinds))
}

/// A random expression.
pub struct Tree {
    pub value: Any,
    pub kind: ElementKind,
    pub words: String,
    pub ops: BTreeSet<(&'static str, &'static str)>,
}

/// A random expression of up to four levels, of a random shape.
pub fn tree(random: &mut Random, all: &[Entry]) -> Tree {
    let kind = ElementKind::ALL[random.below(ElementKind::ALL.len())];
    let shape: Vec<usize> = (0..random.below(6))
        .map(|_| if random.one_in(40) { 0 } else { 1 + random.below(4) })
        .collect();
    let mut ops = BTreeSet::new();
    let depth = 1 + random.below(4);
    let (value, words) = node(random, all, kind, &shape, depth, &mut ops);
    Tree { value, kind, words, ops }
}

fn node(
    random: &mut Random,
    all: &[Entry],
    kind: ElementKind,
    shape: &[usize],
    depth: usize,
    ops: &mut BTreeSet<(&'static str, &'static str)>,
) -> (Any, String) {
    let fits = |entry: &&Entry| {
        // The index lies along the first axis, and there have to be more axes than a lifted
        // operand has.
        (!entry.lifts && entry.name != "maximum") || !shape.is_empty()
    };
    let able: Vec<&Entry> = of_result(all, kind).filter(fits).collect();
    if depth == 0 || able.is_empty() {
        return (leaf(random, kind, shape, false), format!("{kind}{shape:?}"));
    }
    let entry = able[random.below(able.len())];
    ops.insert((entry.name, entry.kinds[entry.kinds.len() - 1].name()));
    // One operand has all extents, another may repeat along some axes.
    let mut shapes = vec![shape.to_vec(); entry.kinds.len()];
    let mut dims: Vec<usize> = Vec::new();
    if entry.lifts {
        dims = (0..shape.len()).filter(|_| random.one_in(2)).collect();
        if dims.len() == shape.len() {
            dims.pop();
        }
        shapes[1] = dims.iter().map(|&dim| if random.one_in(6) { 1 } else { shape[dim] }).collect();
    } else if entry.kinds.len() == 2 && !entry.exact {
        let (first, second) = shapes.split_at_mut(1);
        for extents in first[0].iter_mut().zip(&mut second[0]) {
            match random.below(6) {
                0 => *extents.0 = 1,
                1 => *extents.1 = 1,
                _ => {}
            }
        }
    }
    let (mut args, mut words) = (Vec::new(), Vec::new());
    for (&kind, shape) in entry.kinds.iter().zip(&shapes) {
        let (arg, word) = node(random, all, kind, shape, depth - 1, ops);
        args.push(arg);
        words.push(word);
    }
    let along = if entry.lifts { format!(" along {dims:?}") } else { String::new() };
    ((entry.apply)(args, &dims), format!("{}({}{along})", entry.name, words.join(", ")))
}
