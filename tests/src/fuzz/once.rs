//! Each element of a result is computed and written once, by whatever plan, sink, split and
//! instruction set; and if computing one panics, that panic comes out, and nothing is half written.
//!
//! A closure counts the elements that it is asked for, and the numbers it gives differ from program
//! to program, so that what is left of another result in recycled memory is never right.

use super::expressions::{exec, exec_text};
use super::lying::{Lying, shape};
use crate::naive::{for_each_index, number_of, size};
use crate::random::Random;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU8, Ordering};
use zerostride::ops::Add;
use zerostride::prelude::*;

/// Pools of 1, 2, 3 and 5 threads.
static POOLS: LazyLock<Vec<ThreadPool>> = LazyLock::new(|| {
    let pool = |threads| ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
    [1, 2, 3, 5].map(pool).into_iter().collect()
});

/// What is done with the numbers.
const JOBS: [&str; 8] = [
    "a.map(number).eval()",
    "out.assign(a.map(number))",
    "out.update(Add, a.map(number))",
    "(a.map(number) + b.along(dims)).eval()",
    "out.assign(b.along(dims) + a.map(number))",
    "a.map(number).sum_wrapping_axis(axes)",
    "(a.map(number) + b.along(dims)).max_axis(axes)",
    "a.map(number).cast::<f64>().sum_axis(axes)",
];

/// A program in which every element counts.
pub fn run(random: &mut Random) -> Result<(), String> {
    program(random, None)
}

/// A program in which computing one element panics.
pub fn panics(random: &mut Random) -> Result<(), String> {
    let at = random.bits();
    program(random, Some(at))
}

fn program(random: &mut Random, panic_at: Option<u64>) -> Result<(), String> {
    let ndim = random.below(5);
    let most = random.of(&[60, 600, 5000]);
    let shape = shape(random, ndim, most);
    // The elements are the numbers of their places.
    let mut a = Lying::new(random, &shape, false, |_| 0_u32);
    (0..).zip(&mut a.buffer).for_each(|(place, x)| *x = place);
    let dims: Vec<usize> = (0..ndim).filter(|_| random.once_in(2)).collect();
    let own: Vec<usize> = dims.iter().map(|&dim| shape[dim]).collect();
    let b = Lying::new(random, &own, true, |random| random.below(1 << 20) as u32);
    let mut axes = random.permutation(ndim);
    axes.truncate(random.below(ndim + 1));
    let mut out = Lying::new(random, &shape, false, |_| 0xa5a5_a5a5_u32);
    let (before, key) = (out.clone(), random.bits() as u32 >> 8);
    let job = random.below(JOBS.len());
    let (exec, pool) = (exec(random), &POOLS[random.below(POOLS.len())]);
    // Maximum and sum of nothing are another matter.
    if size(&shape) == 0 {
        return Ok(());
    }
    let bad = panic_at.map(|at| a.places[(at % a.places.len() as u64) as usize] as u32);
    let counts: Vec<AtomicU8> = a.buffer.iter().map(|_| AtomicU8::new(0)).collect();
    let number = |place: u32| {
        if bad == Some(place) {
            // Says nothing on the way, other than `panic!`.
            resume_unwind(Box::new(key));
        }
        counts[place as usize].fetch_add(1, Ordering::Relaxed);
        (place * 3) ^ key
    };
    let numbers = || a.view().map(&number);
    let answer = catch_unwind(AssertUnwindSafe(|| {
        pool.install(|| {
            exec.install(|| match job {
                0 => numbers().eval().map(|y| Some(y.to_vec())),
                1 => out.view_mut().assign(numbers()).map(|()| None),
                2 => out.view_mut().update(Add, numbers()).map(|()| None),
                3 => (numbers() + b.view().along(&dims[..])).eval().map(|y| Some(y.to_vec())),
                4 => out.view_mut().assign(b.view().along(&dims[..]) + numbers()).map(|()| None),
                5 => numbers().sum_wrapping_axis(&axes[..]).map(|y| Some(y.to_vec())),
                6 => (numbers() + b.view().along(&dims[..]))
                    .max_axis(&axes[..])
                    .map(|y| Some(y.to_vec())),
                _ => numbers()
                    .cast::<f64>()
                    .sum_axis(&axes[..])
                    .map(|y| Some(y.iter().map(|&x| x as u64 as u32).collect())),
            })
        })
    }));
    // What each element should be.
    let addend = b.naive().replicated(&shape, &dims);
    let mut elements: Vec<u32> = a.places.iter().map(|&place| (place as u32 * 3) ^ key).collect();
    if matches!(job, 3 | 4 | 6) {
        elements.iter_mut().zip(&addend.data).for_each(|(x, y)| *x = x.wrapping_add(*y));
    }
    let old = before.naive();
    let new: Vec<u32> = if job == 2 {
        elements.iter().zip(&old.data).map(|(x, y)| x.wrapping_add(*y)).collect()
    } else {
        elements.clone()
    };
    let reduced = || {
        let mut kept = shape.clone();
        axes.iter().for_each(|&axis| kept[axis] = 1);
        let mut results = vec![0_u64; size(&kept)];
        let mut number = 0;
        for_each_index(&shape, |index| {
            let mut own = index.to_vec();
            axes.iter().for_each(|&axis| own[axis] = 0);
            let result = &mut results[number_of(&kept, &own)];
            let element = u64::from(elements[number]);
            *result = if job == 6 { (*result).max(element) } else { *result + element };
            number += 1;
        });
        results.into_iter().map(|x| x as u32).collect::<Vec<_>>()
    };
    let problem = match (answer, bad) {
        (Err(payload), Some(_)) if payload.downcast_ref() == Some(&key) => {
            // What has been written has been written once, and whole.
            let got = out.naive();
            let torn =
                (0..new.len()).find(|&i| got.data[i] != new[i] && got.data[i] != old.data[i]);
            torn.map(|i| format!("After the panic element {i} is {:#x}.", got.data[i]))
        }
        (Err(_), _) => Some("It panics, with another panic than that of the closure.".to_owned()),
        (Ok(_), Some(_)) => Some("The panic has not come out.".to_owned()),
        (Ok(Err(err)), None) => Some(format!("It is refused: {err}")),
        (Ok(Ok(got)), None) => {
            let got = got.unwrap_or_else(|| out.naive().data);
            let want = if job >= 5 { reduced() } else { new };
            (got != want).then(|| format!("The result is {got:x?}, not {want:x?}."))
        }
    };
    let counted = counts.iter().enumerate().find_map(|(place, count)| {
        let (count, is_element) = (count.load(Ordering::Relaxed), a.places.contains(&place));
        // A fold asks for the first of the elements that it loads at once a second time. That each
        // is added once, its result says.
        let most = if job >= 5 { 2 } else { 1 };
        let right = match (is_element, bad) {
            (false, _) => count == 0,
            (true, Some(_)) => count <= most,
            (true, None) => (1..=most).contains(&count),
        };
        (!right).then(|| format!("The element at place {place} is computed {count} times."))
    });
    let outside = || {
        let mut own = vec![false; out.buffer.len()];
        out.places.iter().for_each(|&place| own[place] = true);
        let place = (0..own.len()).find(|&i| !own[i] && out.buffer[i] != before.buffer[i]);
        place.map(|place| format!("It writes to place {place}, outside of the array."))
    };
    problem.or(counted).or_else(outside).map_or(Ok(()), |problem| {
        Err(format!(
            "// {}, with dims {dims:?} and axes {axes:?}, in a pool of {} threads, key {key:#x}, {}\n\
             use zerostride::prelude::*;\n\nfn main() -> Result<(), zerostride::Error> {{\n{}{}{}{}    \
             // {problem}\n    Ok(())\n}}",
            JOBS[job],
            pool.current_num_threads(),
            bad.map_or("no panic".to_owned(), |place| format!("a panic at place {place}")),
            a.text("a", "u32"),
            b.text("b", "u32"),
            before.text("out", "u32"),
            exec_text(exec)
        ))
    })
}
