//! Hostile arguments at every public function that can return an error: huge and negative numbers,
//! products that overflow, more axes than the limit, no elements under any stride, repeated axes.
//! Each set of arguments is wrong, so each call has to return an error that names a value at fault,
//! at once and without memory that grows with the numbers given.

use conformance::random::Random;
use std::alloc::{GlobalAlloc, Layout as Memory, System};
use std::any::Any;
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use zerostride::prelude::*;
use zerostride::{
    Axes, Combine, CumSum, Error, Layout, QuantileMethod, SliceElem, Slices, Sum, add,
    binary_shape, bitcast_join, bitcast_split, broadcast_in_dim_strict, clamp, degenerate_shape,
    numpy_shape, select, ternary_shape,
};

/// The system's allocator, counting the bytes asked for.
struct Counting;

static BYTES: AtomicUsize = AtomicUsize::new(0);

// SAFETY: hands every request on to the system's allocator as it is.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, memory: Memory) -> *mut u8 {
        // What is refused has cost nothing.
        // SAFETY: the caller's promise.
        let place = unsafe { System.alloc(memory) };
        if !place.is_null() {
            BYTES.fetch_add(memory.size(), Ordering::Relaxed);
        }
        place
    }

    unsafe fn dealloc(&self, old: *mut u8, memory: Memory) {
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(old, memory) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// The sets of arguments for each function.
const SETS: usize = 300;

/// The bytes that an error may take: itself, the lists of numbers that it names, the longest of
/// which are `LONGEST` numbers of the caller's, and what a reduction of 24 elements takes that
/// finds out at its end.
const BYTES_OF_ERROR: usize = 8 * LONGEST + (16 << 10);

/// The most numbers in a list of arguments.
const LONGEST: usize = 1000;

/// Far above what any error takes, so that no busy machine fails, where a thread may wait for a
/// second; what goes over elements that are not there takes hours. What was measured is printed.
const SLOW: Duration = Duration::from_secs(10);

/// One set of arguments.
struct Case<'a> {
    arguments: String,
    /// What the error's text has to have in it: any one of these.
    names: Vec<String>,
    call: Box<dyn FnOnce() -> Result<Box<dyn Any>, Error> + 'a>,
}

/// A case: its arguments, what its error names, and the call.
fn case<'a, U: 'a, E: Into<Error>>(
    arguments: impl Debug,
    names: Vec<String>,
    call: impl FnOnce() -> Result<U, E> + 'a,
) -> Case<'a> {
    Case {
        arguments: format!("{arguments:?}"),
        names,
        call: Box::new(move || match call() {
            Ok(_) => Ok(Box::new(())),
            Err(err) => Err(err.into()),
        }),
    }
}

/// The texts of which one has to be in an error's: these values.
macro_rules! names {
    ($(&$value:expr),+) => { vec![$(format!("{:?}", $value)),+] };
    // Numbers that would be long have an exponent.
    ($($value:expr),+) => { vec![$(format!("{}", $value), format!("{:?}", $value)),+] };
}

/// What was found at the doors so far.
#[derive(Default)]
struct Doors {
    functions: usize,
    calls: usize,
    failures: Vec<String>,
    slowest: Vec<(Duration, String)>,
    most: (usize, String),
}

impl Doors {
    /// Calls a function with all its sets of arguments.
    fn knock<'a>(&mut self, function: &str, mut set: impl FnMut(&mut Random) -> Case<'a>) {
        let mut random = Random::new(
            function.bytes().fold(7, |seed: u64, byte| seed.wrapping_mul(31) + u64::from(byte)),
        );
        self.functions += 1;
        let (mut worst, mut wrong) = ((Duration::ZERO, String::new()), 0);
        for _ in 0..SETS {
            let Case { arguments, names, call } = set(&mut random);
            let (before, start) = (BYTES.load(Ordering::Relaxed), Instant::now());
            let answer = catch_unwind(AssertUnwindSafe(call));
            let (time, bytes) = (start.elapsed(), BYTES.load(Ordering::Relaxed) - before);
            self.calls += 1;
            let problem = match answer {
                Err(_) => Some("panics".to_owned()),
                Ok(Ok(_)) => Some("is accepted".to_owned()),
                Ok(Err(err)) => {
                    let text = err.to_string();
                    if !names.iter().any(|name| text.contains(name)) {
                        Some(format!("none of {names:?} is named: {text}"))
                    } else if time > SLOW {
                        Some(format!("takes {time:?}"))
                    } else if bytes > BYTES_OF_ERROR {
                        Some(format!("allocates {bytes} bytes"))
                    } else {
                        None
                    }
                }
            };
            if time > worst.0 {
                worst = (time, format!("{function} of {arguments}"));
            }
            if bytes > self.most.0 {
                self.most = (bytes, format!("{function} of {arguments}"));
            }
            if let Some(problem) = problem {
                wrong += 1;
                if wrong <= 3 {
                    let short: String = arguments.chars().take(300).collect();
                    self.failures.push(format!("{function} of {short}: {problem}"));
                }
            }
        }
        self.slowest.push(worst);
    }
}

/// A number that is far too large.
fn huge(random: &mut Random) -> usize {
    let top = isize::MAX as usize;
    let some = random.bits() as usize | 1 << 40;
    random.of(&[usize::MAX, usize::MAX - 1, top, top + 1, top - 1, 1 << 63, 1 << 62, 1 << 45, some])
}

/// A number that is no axis of an array with `ndim` of them.
fn no_axis(random: &mut Random, ndim: usize) -> usize {
    match random.below(4) {
        0 => ndim,
        1 => ndim + 1 + random.below(40),
        2 => 1 << 16 | random.below(4),
        _ => huge(random),
    }
}

/// A shape of up to 16 axes whose number of elements overflows.
fn overflowing(random: &mut Random) -> Vec<usize> {
    let mut shape: Vec<usize> = (0..random.below(8)).map(|_| 1 + random.below(5)).collect();
    shape.push(1 << 62);
    shape.insert(random.below(shape.len()), huge(random).max(1 << 40));
    shape.insert(random.below(shape.len()), 2 + random.below(100));
    shape
}

/// A shape with more axes than arrays can have.
fn many_axes(random: &mut Random) -> Vec<usize> {
    let len = random.of(&[17, 18, 20, 33, 64, 255, 256, 257, 700, LONGEST]);
    let extents = random.of(&[[1, 1], [0, 3], [1, 2], [7, usize::MAX]]);
    (0..len).map(|_| random.of(&extents)).collect()
}

/// A list that is no permutation of `ndim` axes.
fn no_permutation(random: &mut Random, ndim: usize) -> Vec<usize> {
    match random.below(4) {
        // Too short or too long.
        0 => (0..ndim.saturating_sub(1 + random.below(ndim))).collect(),
        1 => (0..ndim + 1 + random.below(LONGEST - ndim)).collect(),
        // Twice the same.
        2 => {
            let mut axes = random.permutation(ndim);
            axes[0] = axes[ndim - 1];
            axes
        }
        _ => {
            let mut axes = random.permutation(ndim);
            axes[random.below(ndim)] = no_axis(random, ndim);
            axes
        }
    }
}

/// Axes for a reduction of `ndim` of them, of which one is none or is there twice.
fn wrong_axes(random: &mut Random, ndim: usize) -> Vec<usize> {
    let mut axes: Vec<usize> = (0..random.below(ndim + 1)).collect();
    match random.below(3) {
        0 => axes.insert(random.below(axes.len() + 1), no_axis(random, ndim)),
        1 => {
            let twice = random.below(ndim);
            axes.retain(|&axis| axis != twice);
            axes.insert(random.below(axes.len() + 1), twice);
            axes.push(twice);
        }
        _ => axes.extend((0..ndim + random.below(LONGEST - 10)).map(|axis| axis % 7)),
    }
    if axes.iter().all(|&axis| axis < ndim) && axes.len() <= ndim && !twice(&axes) {
        axes.push(ndim);
    }
    axes
}

fn twice(list: &[usize]) -> bool {
    (0..list.len()).any(|i| list[..i].contains(&list[i]))
}

/// Axes of a result of rank `ndim` for an operand of shape `[2, 3]`, that no rule accepts.
fn wrong_dims(random: &mut Random, ndim: usize) -> Vec<usize> {
    match random.below(4) {
        0 => vec![random.below(ndim)],
        1 => (0..3 + random.below(LONGEST - 3)).collect(),
        2 => vec![1, 1],
        _ => {
            let mut dims = vec![0, 1];
            dims[random.below(2)] = no_axis(random, ndim);
            dims
        }
    }
}

/// What the errors of wrong dims name: all, how many, or the rank that would have the largest.
fn dims_names(dims: &[usize]) -> Vec<String> {
    let rank = dims.iter().max().map_or(0, |dim| dim.saturating_add(1));
    names![&dims, &dims.len(), &rank]
}

/// A slice that does not fit an array of these extents, and what its error names.
fn wrong_slice(random: &mut Random, shape: &[usize]) -> (Vec<SliceElem>, Vec<String>) {
    let all = SliceElem::Range { start: 0, end: None, step: 1 };
    let mut elems = vec![all; shape.len()];
    let axis = random.below(shape.len());
    let extent = shape[axis] as isize;
    let beyond = |random: &mut Random| match random.below(3) {
        0 => extent + 1 + random.between(0, 50),
        1 => -extent - 1 - random.between(0, 50),
        _ => random.of(&[isize::MAX, isize::MIN, isize::MIN + 1, isize::MAX - 1, 1 << 40]),
    };
    let number = beyond(random);
    let (elem, number) = match random.below(5) {
        0 => (SliceElem::Index(number), number),
        1 => (SliceElem::Range { start: number, end: None, step: 1 }, number),
        2 => {
            (SliceElem::Range { start: 0, end: Some(number), step: random.of(&[1, -1, 7]) }, number)
        }
        // The end before the start.
        3 => (SliceElem::Range { start: extent, end: Some(extent - 1), step: -1 }, extent),
        _ => {
            let number = if random.once_in(2) { 0 } else { number };
            if number == 0 {
                (SliceElem::Range { start: 0, end: None, step: 0 }, 0)
            } else {
                let step = random.of(&[isize::MIN, isize::MAX, -1]);
                (SliceElem::Range { start: number, end: Some(number), step }, number)
            }
        }
    };
    elems[axis] = elem;
    match random.below(8) {
        // More or fewer than axes.
        0 => {
            elems.truncate(random.below(shape.len()));
            let len = elems.len();
            (elems, names![len])
        }
        1 => {
            let more = random.of(&[1, 2, 13, 20, 300, LONGEST]);
            elems.resize(shape.len() + more, all);
            let len = elems.len();
            (elems, names![len])
        }
        // More new axes than there is room for.
        2 => {
            elems = vec![all; shape.len()];
            elems.resize(17 + random.below(LONGEST - 20), SliceElem::NewAxis);
            let len = elems.len();
            (elems, names![len])
        }
        _ if number == 0 => (elems, names!["a step must not be zero"]),
        _ => (elems, names![number]),
    }
}

/// A layout of at least two axes that reaches outside of `len` elements, or that has another number
/// of strides.
fn out_of_reach(random: &mut Random, len: usize) -> (Vec<usize>, Vec<isize>, usize) {
    let ndim = 1 + random.below(6);
    let shape: Vec<usize> = (0..ndim).map(|_| 2 + random.below(5)).collect();
    let mut strides: Vec<isize> = (0..ndim).map(|_| random.between(-2, 2)).collect();
    let axis = random.below(ndim);
    let mut offset = random.below(len);
    match random.below(4) {
        0 => {
            strides[axis] =
                random.of(&[isize::MAX, isize::MIN, isize::MIN + 1, 1 << 62, -(1 << 62), 1 << 33]);
        }
        1 => offset = huge(random).max(1 << 40),
        2 => strides[axis] = random.of(&[-1, 1]) * 10 * len as isize,
        _ => {
            let count = random.of(&[0, ndim + 1, ndim + 12, 17, 40, LONGEST]);
            let count = if count == ndim { ndim + 1 } else { count };
            strides.resize(count, 1);
        }
    }
    (shape, strides, offset)
}

/// A shape of 24 elements or so becomes this one, which has another number of them or overflows.
fn no_reshape(random: &mut Random) -> Vec<usize> {
    match random.below(4) {
        0 => overflowing(random),
        1 => many_axes(random),
        2 => vec![0; random.below(6) + 1],
        _ => vec![5 + random.below(1000), 7],
    }
}

/// A dynamic shape.
fn axes(list: &[usize]) -> Axes<usize> {
    Axes::from_slice(list).expect("at most 16 axes")
}

/// What is at fault with a shape: itself, or the number of its axes.
macro_rules! shape_names {
    ($shape:ident) => {
        names![&$shape, &$shape.len()]
    };
}

#[test]
fn hostile_arguments_are_errors() {
    // Threads and what is found out about the machine are set up once.
    let warm = (Array1::<f64>::ones(1 << 20) + 1.0).exp().sum();
    assert!(warm.is_ok());
    let mut doors = Doors::default();
    layouts(&mut doors);
    arrays(&mut doors);
    views(&mut doors);
    parts(&mut doors);
    rules(&mut doors);
    expressions(&mut doors);
    reductions(&mut doors);
    lanes(&mut doors);
    let Doors { functions, calls, failures, mut slowest, most } = doors;
    slowest.sort();
    slowest.reverse();
    println!("{functions} functions, {calls} calls; the slowest:");
    for (time, what) in slowest.iter().take(8) {
        println!("  {time:?}: {}", what.chars().take(160).collect::<String>());
    }
    println!("the most bytes: {} by {}", most.0, most.1.chars().take(160).collect::<String>());
    assert!(failures.is_empty(), "{} kinds fail:\n{}", failures.len(), failures.join("\n"));
    assert!(functions >= 150, "only {functions} functions");
}

fn layouts(doors: &mut Doors) {
    let whole = Layout::<Dyn>::c_order(axes(&[2, 3, 4])).expect("it fits");
    let aliased = |random: &mut Random| {
        let n = 2 + random.below(6);
        let strides = random.of(&[[0, 1], [1, 0], [1, 1], [-1, 1], [2, -2], [0, 0]]);
        Layout::<Dyn>::strided(axes(&[n, 3 + random.below(4)]), &strides, 40, 100).expect("it fits")
    };
    doors.knock("Layout::c_order", |random| {
        let shape = overflowing(random);
        case(shape.clone(), names![&shape], move || Layout::<Dyn>::c_order(axes(&shape)))
    });
    doors.knock("Layout::f_order", |random| {
        let shape = overflowing(random);
        case(shape.clone(), names![&shape], move || Layout::<Dyn>::f_order(axes(&shape)))
    });
    doors.knock("Layout::nested", |random| {
        if random.once_in(2) {
            let shape = overflowing(random);
            let order: Vec<usize> = random.permutation(shape.len());
            let names = (shape.clone(), order.clone());
            return case(names, names![&shape], move || {
                Layout::<Dyn>::nested(axes(&shape), &order)
            });
        }
        let order = no_permutation(random, 3);
        let names = names![&order, &order.len()];
        case(order.clone(), names, move || Layout::<Dyn>::nested(axes(&[2, 3, 4]), &order))
    });
    doors.knock("Layout::strided", |random| {
        let (shape, strides, offset) = out_of_reach(random, 100);
        let names = names![&strides, &strides.len()];
        case((shape.clone(), strides.clone(), offset), names, move || {
            Layout::<Dyn>::strided(axes(&shape), &strides, offset, 100)
        })
    });
    doors.knock("Layout::strided without elements", |random| {
        // Any stride will do where nothing is reached, but their number has to be right.
        let strides = vec![random.bits() as isize; random.of(&[0, 1, 3, 17, LONGEST])];
        case(strides.clone(), names![&strides.len()], move || {
            Layout::<Dyn>::strided(axes(&[0, 3]), &strides, 5, 0)
        })
    });
    doors.knock("Layout::check_reach", move |random| {
        let len = random.below(24);
        case(len, names![&len], move || whole.check_reach(len))
    });
    doors.knock("Layout::check_unique", move |random| {
        let layout = aliased(random);
        case(layout, names![&layout.strides()], move || layout.check_unique())
    });
    doors.knock("Layout::to_rank", move |random| {
        let which = random.below(3);
        case(which, names![&3], move || match which {
            0 => whole.to_rank::<Rank<2>>().map(drop),
            1 => whole.to_rank::<Rank<0>>().map(drop),
            _ => whole.to_rank::<Rank<8>>().map(drop),
        })
    });
    doors.knock("Layout::permute", move |random| {
        let order = no_permutation(random, 3);
        let names = names![&order, &order.len()];
        case(order.clone(), names, move || whole.permute(&order))
    });
    doors.knock("Layout::swap", move |random| {
        let wrong = no_axis(random, 3);
        let (a, b) = if random.once_in(2) { (wrong, 1) } else { (0, wrong) };
        case((a, b), names![&wrong], move || whole.swap(a, b))
    });
    doors.knock("Layout::insert", move |random| {
        if random.once_in(3) {
            let full = Layout::<Dyn>::c_order(axes(&[1; 16])).expect("it fits");
            let axis = random.below(17);
            return case(axis, names![&17], move || full.insert(axis));
        }
        let axis = no_axis(random, 4);
        case(axis, names![&axis], move || whole.insert(axis))
    });
    doors.knock("Layout::index", move |random| {
        let (axis, index) = match random.below(2) {
            0 => (no_axis(random, 3), 0),
            _ => (2, 4 + random.below(9)),
        };
        case((axis, index), names![&axis, &index], move || whole.index(axis, index))
    });
    doors.knock("Layout::remove", move |random| {
        let axis = if random.once_in(2) { random.below(3) } else { no_axis(random, 3) };
        case(axis, names![&axis], move || whole.remove(axis))
    });
    doors.knock("Layout::flip", move |random| {
        let axis = no_axis(random, 3);
        case(axis, names![&axis], move || whole.flip(axis))
    });
    doors.knock("Layout::slice_axis", move |random| {
        let (axis, range, step, names) = wrong_range(random);
        case((axis, range.clone(), step), names, move || whole.slice_axis(axis, range, step))
    });
    doors.knock("Layout::slice", move |random| {
        let (elems, names) = wrong_slice(random, &[2, 3, 4]);
        case(elems.clone(), names, move || whole.slice(&Slices::from_slice(&elems)))
    });
    doors.knock("Layout::reshape", move |random| {
        let shape = loop {
            let shape = no_reshape(random);
            if shape.len() <= 16 {
                break shape;
            }
        };
        case(shape.clone(), names![&shape], move || whole.reshape::<Dyn>(axes(&shape)))
    });
    doors.knock("Layout::expand", move |random| {
        // Of extents that fit along any axis, so that only the dims are wrong.
        let small = Layout::<Dyn>::c_order(axes(&[3, 3])).expect("it fits");
        let dims = wrong_dims(random, 3);
        let shape = [3, 3, 3];
        case(dims.clone(), dims_names(&dims), move || small.expand::<Dyn>(axes(&shape), &dims))
    });
}

/// An axis of shape `[2, 3, 4]`, a range and a step that do not fit, and what the error names: a
/// place beyond the largest signed number is shown as that.
fn wrong_range(random: &mut Random) -> (usize, std::ops::Range<usize>, isize, Vec<String>) {
    let place = |place: usize| names![isize::try_from(place).unwrap_or(isize::MAX)];
    match random.below(5) {
        0 => {
            let axis = no_axis(random, 3);
            (axis, 0..1, 1, names![axis])
        }
        1 => {
            let end = 5 + random.below(100);
            (2, 0..end, random.of(&[1, -1, isize::MIN]), place(end))
        }
        2 => {
            let end = huge(random);
            (1, random.below(3)..end, isize::MAX, place(end))
        }
        3 => {
            let start = huge(random);
            (0, start..random.below(2), -1, place(start))
        }
        _ => (random.below(3), 0..random.below(2), 0, names!["a step must not be zero"]),
    }
}

fn arrays(doors: &mut Doors) {
    let data: Vec<i32> = (0..24).collect();
    let data = &data;
    doors.knock("Array::try_full", |random| {
        let shape = match random.below(3) {
            0 => many_axes(random),
            1 => vec![1 << 45, 1 + random.below(100)],
            _ => overflowing(random),
        };
        case(shape.clone(), shape_names!(shape), move || ArrayD::<f64>::try_full(&shape[..], 1.0))
    });
    doors.knock("Array::try_full in columns", |random| {
        let shape = if random.once_in(2) { many_axes(random) } else { overflowing(random) };
        case(shape.clone(), shape_names!(shape), move || {
            ArrayD::<u8>::try_full(shape.clone().f(), 1)
        })
    });
    doors.knock("Array::from_shape_vec", |random| {
        let shape = no_reshape(random);
        case(shape.clone(), shape_names!(shape), move || {
            ArrayD::from_shape_vec(&shape[..], data.clone())
        })
    });
    doors.knock("Array2::from_shape_vec", |random| {
        let shape = [huge(random), 2 + random.below(9)];
        case(shape, names![&shape], move || Array2::from_shape_vec(shape, data.clone()))
    });
    doors.knock("Array::from_strided_vec", |random| {
        let (shape, strides, offset) = out_of_reach(random, 24);
        let names = names![&strides, &strides.len()];
        case((shape.clone(), strides.clone(), offset), names, move || {
            ArrayD::from_strided_vec(&shape[..], &strides, offset, data.clone())
        })
    });
    doors.knock("Array::from_strided_vec repeated", |random| {
        let strides = random.of(&[[0, 1], [1, 0], [1, 1], [-1, 1], [2, -2], [0, 0]]);
        case(strides, names![&strides], move || {
            Array2::from_strided_vec([3, 4], &strides, 8, data.clone())
        })
    });
    doors.knock("Array::from_layout_vec", |random| {
        let extent = 25 + random.below(1000);
        let layout = Layout::<Dyn>::c_order(axes(&[extent])).expect("it fits");
        case(extent, names![&extent], move || ArrayD::from_layout_vec(layout, data.clone()))
    });
    doors.knock("View::from_slice", |random| {
        let shape = no_reshape(random);
        case(shape.clone(), shape_names!(shape), move || ViewD::from_slice(&shape[..], data))
    });
    doors.knock("View::from_strided", |random| {
        let (shape, strides, offset) = out_of_reach(random, 24);
        let names = names![&strides, &strides.len()];
        case((shape.clone(), strides.clone(), offset), names, move || {
            ViewD::from_strided(&shape[..], &strides, offset, data)
        })
    });
    doors.knock("View::from_strided of huge shapes", |random| {
        let shape = if random.once_in(2) { overflowing(random) } else { many_axes(random) };
        let strides = vec![0; shape.len()];
        case(shape.clone(), shape_names!(shape), move || {
            ViewD::from_strided(&shape[..], &strides, 0, data)
        })
    });
    doors.knock("ViewMut::from_slice", |random| {
        let shape = no_reshape(random);
        case(shape.clone(), shape_names!(shape), move || {
            ViewMutD::from_slice(&shape[..], &mut data.clone()).map(drop)
        })
    });
    doors.knock("ViewMut::from_strided", |random| {
        let (shape, strides, offset) = out_of_reach(random, 24);
        let names = names![&strides, &strides.len()];
        case((shape.clone(), strides.clone(), offset), names, move || {
            ViewMutD::from_strided(&shape[..], &strides, offset, &mut data.clone()).map(drop)
        })
    });
    doors.knock("ViewMut::from_strided repeated", |random| {
        let strides = random.of(&[[0, 1], [1, 0], [1, 1], [-1, 1], [2, -2], [0, 0]]);
        case(strides, names![&strides], move || {
            ViewMut2::from_strided([3, 4], &strides, 8, &mut data.clone()).map(drop)
        })
    });
    doors.knock("Array1::arange", |random| {
        let step = random.of(&[0.0, -0.0, f64::NAN, 1e-300, 1e-12, f64::MIN_POSITIVE]);
        let names = names!["zero or NaN", "elements than memory", "could not allocate"];
        case(step, names, move || Array1::<f64>::arange(0.0, 1e9, step))
    });
    doors.knock("Array1::arange of integers", |random| {
        let end = huge(random) as i64 & i64::MAX | 1 << 50;
        let names = names!["elements than memory", "could not allocate"];
        case(end, names, move || Array1::<i64>::arange(-end, end, 1))
    });
    doors.knock("Array2::try_from ragged rows", |random| {
        let (len, row) = (1 + random.below(9), 1 + random.below(5));
        let mut rows = vec![vec![1_u8; len]; 6];
        rows[row].resize(random.of(&[0, len + 1, 30]), 0);
        let found = rows[row].len();
        case(rows.clone(), names![&found], move || Array2::try_from(rows))
    });
    doors.knock("Array::into_rank", |random| {
        let which = random.below(2);
        case(which, names![&3], move || {
            let a = ArrayD::from_shape_vec(&[2, 3, 4][..], data.clone())?;
            if which == 0 {
                a.into_rank::<Rank<2>>().map(drop)
            } else {
                a.into_rank::<Rank<8>>().map(drop)
            }
        })
    });
}

/// The functions that arrays, views and views for writing share, of an array of shape [2, 3, 4].
fn views(doors: &mut Doors) {
    let array = ArrayD::from_shape_vec(&[2, 3, 4][..], (0..24).collect::<Vec<i32>>()).expect("24");
    let (view, array) = (array.view(), &array);
    let mutable = || array.clone();
    doors.knock("axis_iter", |random| {
        let axis = no_axis(random, 3);
        case(axis, names![&axis], move || view.axis_iter(axis))
    });
    doors.knock("axis_iter_mut", |random| {
        let axis = no_axis(random, 3);
        case(axis, names![&axis], move || mutable().axis_iter_mut(axis).map(drop))
    });
    doors.knock("lanes", |random| {
        let axis = no_axis(random, 3);
        case(axis, names![&axis], move || view.lanes(axis))
    });
    doors.knock("lanes_mut", |random| {
        let axis = no_axis(random, 3);
        case(axis, names![&axis], move || mutable().lanes_mut(axis).map(drop))
    });
    doors.knock("slice", |random| {
        let (elems, names) = wrong_slice(random, &[2, 3, 4]);
        case(elems.clone(), names, move || view.slice(Slices::from_slice(&elems)))
    });
    doors.knock("slice of typed rank", |random| {
        let number = random.of(&[isize::MIN, isize::MAX, 5, -6, 1 << 40]);
        case(number, names![&number], move || array.slice(s![number, .., ..]))
    });
    doors.knock("slice_mut", |random| {
        let (elems, names) = wrong_slice(random, &[2, 3, 4]);
        case(elems.clone(), names, move || {
            mutable().slice_mut(Slices::from_slice(&elems)).map(drop)
        })
    });
    doors.knock("slice_move", |random| {
        let (elems, names) = wrong_slice(random, &[2, 3, 4]);
        case(elems.clone(), names, move || mutable().slice_move(Slices::from_slice(&elems)))
    });
    doors.knock("multi_slice_mut", |random| {
        let (elems, names) = wrong_slice(random, &[2, 3, 4]);
        case(elems.clone(), names, move || {
            let mut a = mutable();
            let first = Slices::from_slice(&elems);
            a.multi_slice_mut((first, s![0, 0, 0])).map(drop)
        })
    });
    doors.knock("multi_slice_mut of overlaps", |random| {
        let step = random.of(&[1_isize, -1]);
        case(step, names![&[2, 3, 4]], move || {
            mutable().multi_slice_mut((s![.., 1, ..;step], s![1, .., ..])).map(drop)
        })
    });
    doors.knock("slice_axis", |random| {
        let (axis, range, step, names) = wrong_range(random);
        case((axis, range.clone(), step), names, move || view.slice_axis(axis, range, step))
    });
    doors.knock("index_axis", |random| {
        let (axis, index) = match random.below(2) {
            0 => (no_axis(random, 3), 0),
            _ => (2, 4 + random.below(9)),
        };
        case((axis, index), names![&axis, &index], move || view.index_axis(axis, index))
    });
    doors.knock("take_cloned", |random| {
        let (axis, index) = match random.below(2) {
            0 => (no_axis(random, 3), 0),
            _ => (2, 4 + random.below(9)),
        };
        case((axis, index), names![&axis, &index], move || view.take_cloned(axis, &[0, index]))
    });
    doors.knock("map_axis_ref", |random| {
        let axis = no_axis(random, 3);
        case(axis, names![&axis], move || view.map_axis_ref(axis, |lane| lane.len()))
    });
    doors.knock("clone_from_view", |random| {
        let shape = match random.below(2) {
            0 => vec![1; random.of(&[0, 1, 2, 4, 16])],
            _ => vec![2, 3, 5 + random.below(100)],
        };
        let other = ArrayD::<i32>::zeros(&shape[..]);
        case(shape.clone(), names![&shape], move || view.to_owned().clone_from_view(&other))
    });
    doors.knock("index_axis of huge indices", |random| {
        let index = huge(random);
        // An index is shown as a signed number.
        case(index, names![&index, &(index as isize), &isize::MAX], move || {
            view.index_axis(0, index)
        })
    });
    doors.knock("index_axis_mut", |random| {
        let axis = no_axis(random, 3);
        case(axis, names![&axis], move || mutable().index_axis_mut(axis, 0).map(drop))
    });
    doors.knock("index_axis_move", |random| {
        let axis = no_axis(random, 3);
        case(axis, names![&axis], move || mutable().index_axis_move(axis, 0))
    });
    doors.knock("slice_axis_move", |random| {
        let (axis, range, step, names) = wrong_range(random);
        case((axis, range.clone(), step), names, move || {
            mutable().slice_axis_move(axis, range, step)
        })
    });
    doors.knock("permuted_axes", |random| {
        let order = no_permutation(random, 3);
        let names = names![&order, &order.len()];
        case(order.clone(), names, move || view.permuted_axes(&order[..]))
    });
    doors.knock("permuted_axes_mut", |random| {
        let order = no_permutation(random, 3);
        let names = names![&order, &order.len()];
        case(order.clone(), names, move || mutable().permuted_axes_mut(&order[..]).map(drop))
    });
    doors.knock("swap_axes", |random| {
        let wrong = no_axis(random, 3);
        let (a, b) = if random.once_in(2) { (wrong, 1) } else { (0, wrong) };
        case((a, b), names![&wrong], move || view.swap_axes(a, b))
    });
    doors.knock("insert_axis", |random| {
        let axis = no_axis(random, 4);
        case(axis, names![&axis], move || view.insert_axis(axis))
    });
    doors.knock("insert_axis_move", |random| {
        let axis = no_axis(random, 4);
        case(axis, names![&axis], move || mutable().insert_axis_move(axis))
    });
    doors.knock("remove_axis", |random| {
        let axis = if random.once_in(2) { random.below(3) } else { no_axis(random, 3) };
        case(axis, names![&axis], move || view.remove_axis(axis))
    });
    doors.knock("remove_axis_move", |random| {
        let axis = if random.once_in(2) { random.below(3) } else { no_axis(random, 3) };
        case(axis, names![&axis], move || mutable().remove_axis_move(axis))
    });
    doors.knock("flip", |random| {
        let axis = no_axis(random, 3);
        case(axis, names![&axis], move || view.flip(axis))
    });
    doors.knock("flip_mut", |random| {
        let axis = no_axis(random, 3);
        case(axis, names![&axis], move || mutable().flip_mut(axis).map(drop))
    });
    doors.knock("invert_axis", |random| {
        let axis = no_axis(random, 3);
        case(axis, names![&axis], move || mutable().invert_axis(axis))
    });
    doors.knock("permute_axes", |random| {
        let order = no_permutation(random, 3);
        let names = names![&order, &order.len()];
        case(order.clone(), names, move || mutable().permute_axes(&order[..]))
    });
    doors.knock("slice_collapse", |random| {
        let (elems, names) = wrong_slice(random, &[2, 3, 4]);
        case(elems.clone(), names, move || mutable().slice_collapse(Slices::from_slice(&elems)))
    });
    doors.knock("slice_axis_inplace", |random| {
        let (axis, range, step, names) = wrong_range(random);
        case((axis, range.clone(), step), names, move || {
            mutable().slice_axis_inplace(axis, range, step)
        })
    });
    doors.knock("collapse_axis", |random| {
        let (axis, index) = match random.below(2) {
            0 => (no_axis(random, 3), 0),
            _ => (2, 4 + random.below(9)),
        };
        case((axis, index), names![&axis, &index], move || mutable().collapse_axis(axis, index))
    });
    doors.knock("index_axis_inplace", |random| {
        let axis = no_axis(random, 3);
        case(axis, names![&axis], move || mutable().into_dyn().index_axis_inplace(axis, 0))
    });
    doors.knock("insert_axis_inplace", |random| {
        let axis = no_axis(random, 4);
        case(axis, names![&axis], move || mutable().into_dyn().insert_axis_inplace(axis))
    });
    doors.knock("reshape", |random| {
        let shape = no_reshape(random);
        case(shape.clone(), shape_names!(shape), move || view.reshape(&shape[..]))
    });
    doors.knock("reshape that needs a copy", |random| {
        let shape = random.of(&[[24, 1], [2, 12], [12, 2], [8, 3], [1, 24], [6, 4]]);
        case(shape, names![&shape], move || view.t().reshape(shape))
    });
    doors.knock("to_shape", |random| {
        let shape = no_reshape(random);
        case(shape.clone(), shape_names!(shape), move || view.to_shape(&shape[..]))
    });
    doors.knock("into_shape", |random| {
        let shape = no_reshape(random);
        case(shape.clone(), shape_names!(shape), move || mutable().into_shape(&shape[..]))
    });
    doors.knock("ViewMut::into_shape", |random| {
        let shape = no_reshape(random);
        case(shape.clone(), shape_names!(shape), move || {
            mutable().view_mut().into_shape(&shape[..]).map(drop)
        })
    });
    doors.knock("as_rank", |random| {
        let which = random.below(2);
        case(which, names![&3], move || {
            if which == 0 {
                view.as_rank::<Rank<2>>().map(drop)
            } else {
                view.as_rank::<Rank<8>>().map(drop)
            }
        })
    });
    doors.knock("split_at", |random| {
        let (axis, mid) = match random.below(3) {
            0 => (no_axis(random, 3), 0),
            1 => (2, 5 + random.below(90)),
            _ => (0, huge(random)),
        };
        case((axis, mid), names![&axis, &mid, &(mid as isize)], move || view.split_at(axis, mid))
    });
    doors.knock("ViewMut::split_at", |random| {
        let (axis, mid) = match random.below(3) {
            0 => (no_axis(random, 3), 0),
            1 => (2, 5 + random.below(90)),
            _ => (0, huge(random)),
        };
        case((axis, mid), names![&axis, &mid, &(mid as isize)], move || {
            mutable().view_mut().split_at(axis, mid).map(drop)
        })
    });
    // One element repeated so often that no memory holds it.
    let one = [1_i32];
    let one = &one;
    let endless = move |random: &mut Random| {
        let shape = [(1 << 45) + random.below(1 << 50), 1 + random.below(1 << 10)];
        (shape, View2::<i32>::from_strided(shape, &[0, 0], 0, one).expect("it is one element"))
    };
    doors.knock("try_to_vec", move |random| {
        let (shape, view) = endless(random);
        case(shape, names![&shape], move || view.try_to_vec())
    });
    doors.knock("try_to_owned", move |random| {
        let (shape, view) = endless(random);
        case(shape, names![&shape], move || view.try_to_owned())
    });
    doors.knock("eval of an endless view", move |random| {
        let (shape, view) = endless(random);
        let with = random.below(3);
        case(shape, names![&shape], move || match with {
            0 => (view + view).eval().map(drop),
            1 => view.map(|x| x + 1).eval().map(drop),
            _ => (view.cast::<f64>().exp() * 2.0).eval().map(drop),
        })
    });
    doors.knock("checked_add of an endless view", move |random| {
        let (shape, view) = endless(random);
        let with = random.below(3);
        case(shape, names![&shape], move || match with {
            0 => view.checked_add(view).map(drop),
            1 => view.checked_sub(1).map(drop),
            _ => view.checked_mul(view).map(drop),
        })
    });
    doors.knock("lanes of an endless view", move |random| {
        let (shape, view) = endless(random);
        let (with, axis) = (random.below(12), random.below(2));
        let flat = shape[0] * shape[1];
        case(
            (shape, with, axis),
            names![&shape, &[shape[0], shape[1]], &flat, &[flat]],
            move || {
                let floats = || view.cast::<f64>();
                match with {
                    0 => view.cumsum(axis).map(drop),
                    1 => view.sort(axis).map(drop),
                    2 => view.argsort(axis).map(drop),
                    3 => floats().softmax(axis).map(drop),
                    4 => floats().log_softmax([0, 1]).map(drop),
                    5 => floats().median().map(drop),
                    6 => floats().quantile_axis(axis, 0.5).map(drop),
                    7 => view.cummax(axis).map(drop),
                    8 => view.unique().map(drop),
                    9 => view.cumprod(axis).map(drop),
                    10 => floats().cumsum(axis).map(drop),
                    _ => view.top_k(1, 0).map(drop).and(view.sort(0).map(drop)),
                }
            },
        )
    });
    doors.knock("bitcasts of an endless view", move |random| {
        let (shape, view) = endless(random);
        case(shape, names![&shape], move || bitcast_split::<u8, _, _>(view))
    });
}

/// Chunks and windows.
fn parts(doors: &mut Doors) {
    let array = ArrayD::from_shape_vec(&[2, 3, 4][..], (0..24).collect::<Vec<i32>>()).expect("24");
    let (view, array) = (array.view(), &array);
    let mutable = || array.clone();
    let size_of = |random: &mut Random| match random.below(2) {
        0 => (no_axis(random, 3), 1 + random.below(5)),
        _ => (random.below(3), 0),
    };
    /// Extents of parts: of another rank, or one of them 0.
    fn extents(random: &mut Random) -> Vec<usize> {
        match random.below(3) {
            0 => {
                let mut extents = vec![1 + random.below(9), 2, huge(random)];
                extents[random.below(3)] = 0;
                extents
            }
            1 => vec![1; random.of(&[0, 1, 2, 4, 16])],
            _ => many_axes(random),
        }
    }
    doors.knock("axis_chunks", |random| {
        let (axis, size) = size_of(random);
        case((axis, size), names![&axis, &[size]], move || view.axis_chunks(axis, size))
    });
    doors.knock("axis_chunks_iter", |random| {
        let (axis, size) = size_of(random);
        case((axis, size), names![&axis, &[size]], move || view.axis_chunks_iter(axis, size))
    });
    doors.knock("axis_chunks_mut", |random| {
        let (axis, size) = size_of(random);
        case((axis, size), names![&axis, &[size]], move || {
            mutable().axis_chunks_mut(axis, size).map(drop)
        })
    });
    doors.knock("axis_chunks_iter_mut", |random| {
        let (axis, size) = size_of(random);
        case((axis, size), names![&axis, &[size]], move || {
            mutable().axis_chunks_iter_mut(axis, size).map(drop)
        })
    });
    doors.knock("axis_windows", |random| {
        let (axis, size) = size_of(random);
        case((axis, size), names![&axis, &[size]], move || view.axis_windows(axis, size))
    });
    doors.knock("sliding_window_view", |random| {
        let (axis, size) = size_of(random);
        let end = size.min(isize::MAX as usize);
        let names = vec![format!("{axis}"), format!("[{size}]"), format!("0..{end}")];
        case((axis, size), names, move || view.sliding_window_view(axis, size))
    });
    doors.knock("exact_chunks", |random| {
        let shape = extents(random);
        case(shape.clone(), shape_names!(shape), move || view.exact_chunks(&shape[..]))
    });
    doors.knock("exact_chunks_mut", |random| {
        let shape = extents(random);
        case(shape.clone(), shape_names!(shape), move || {
            mutable().exact_chunks_mut(&shape[..]).map(drop)
        })
    });
    doors.knock("windows", |random| {
        let shape = extents(random);
        case(shape.clone(), shape_names!(shape), move || view.windows(&shape[..]))
    });
    doors.knock("windows_with_stride", |random| {
        let (shape, steps) = (vec![1, 2, 2], extents(random));
        let names = names![&steps, &steps.len()];
        case(steps.clone(), names, move || view.windows_with_stride(&shape[..], &steps[..]))
    });
}

fn rules(doors: &mut Doors) {
    let array = ArrayD::from_shape_vec(&[2, 3][..], vec![1, 2, 3, 4, 5, 6]).expect("six");
    let array = &array;
    doors.knock("degenerate_shape", |random| {
        let (mut lhs, mut rhs) = (vec![2, 3], vec![2, 3]);
        match random.below(3) {
            0 => lhs[0] = huge(random),
            1 => rhs.push(huge(random)),
            _ => lhs = many_axes(random),
        }
        case((lhs.clone(), rhs.clone()), names![&lhs, &lhs.len(), &rhs], move || {
            degenerate_shape(&lhs, &rhs)
        })
    });
    doors.knock("binary_shape", |random| {
        let dims = wrong_dims(random, 3);
        let extent = huge(random);
        case((dims.clone(), extent), dims_names(&dims), move || {
            binary_shape(&[2, 3], &[2, 3, extent], &dims)
        })
    });
    doors.knock("binary_shape of many axes", |random| {
        let shape = many_axes(random);
        case(shape.clone(), shape_names!(shape), move || binary_shape(&shape, &[2, 3], &[0, 1]))
    });
    doors.knock("numpy_shape", |random| {
        let shape = if random.once_in(2) { many_axes(random) } else { vec![huge(random), 5] };
        case(shape.clone(), shape_names!(shape), move || numpy_shape(&[2, 3], &shape))
    });
    doors.knock("ternary_shape", |random| {
        let shape = if random.once_in(2) { many_axes(random) } else { vec![huge(random), 5] };
        case(shape.clone(), shape_names!(shape), move || ternary_shape([&[2, 3], &shape, &[]]))
    });
    doors.knock("broadcast_in_dim_strict (shapes)", |random| {
        let dims = wrong_dims(random, 3);
        case(dims.clone(), dims_names(&dims), move || {
            broadcast_in_dim_strict(&[2, 3], &[2, 3, 4], &dims)
        })
    });
    doors.knock("broadcast_in_dim", |random| {
        let dims = wrong_dims(random, 3);
        case(dims.clone(), dims_names(&dims), move || array.broadcast_in_dim([2, 3, 4], &dims[..]))
    });
    doors.knock("broadcast_in_dim_strict", |random| {
        let dims = wrong_dims(random, 3);
        case(dims.clone(), dims_names(&dims), move || {
            array.broadcast_in_dim_strict([2, 3, 4], &dims[..])
        })
    });
    doors.knock("broadcast_in_dim to huge shapes", |random| {
        let mut shape = match random.below(2) {
            0 => many_axes(random),
            _ => overflowing(random),
        };
        if shape.len() <= 16 {
            shape.truncate(14);
            shape.extend([2, 3]);
        }
        let dims = [shape.len() - 2, shape.len() - 1];
        case(shape.clone(), shape_names!(shape), move || array.broadcast_in_dim(&shape[..], dims))
    });
    doors.knock("broadcast_to", |random| {
        let shape = match random.below(4) {
            0 => many_axes(random),
            1 => overflowing(random),
            2 => vec![huge(random), 7],
            _ => vec![3],
        };
        case(shape.clone(), shape_names!(shape), move || array.broadcast_to(&shape[..]))
    });
}

fn expressions(doors: &mut Doors) {
    let x = Array3::<f64>::ones([2, 3, 4]);
    let m = ArrayD::<f64>::ones(&[2, 3][..]);
    let n = Array2::<f64>::ones([2, 3]);
    let flags = Array2::from_fn([2, 3], |[i, _]| i == 0);
    let (x, m, n, flags) = (&x, &m, &n, &flags);
    doors.knock("eval of along", |random| {
        let dims = wrong_dims(random, 3);
        case(dims.clone(), dims_names(&dims), move || (x + m.along(&dims[..])).eval())
    });
    doors.knock("result_shape of along", |random| {
        let dims = wrong_dims(random, 3);
        case(dims.clone(), dims_names(&dims), move || (x + m.along(&dims[..])).result_shape())
    });
    doors.knock("explain of along", |random| {
        let dims = wrong_dims(random, 3);
        case(dims.clone(), dims_names(&dims), move || (m.along(&dims[..]) * x).sqrt().explain())
    });
    doors.knock("add", |random| {
        let dims = wrong_dims(random, 3);
        case(dims.clone(), dims_names(&dims), move || {
            add(x, m, &dims[..]).and_then(|sum| sum.eval())
        })
    });
    // Views of huge extents over one element.
    let one = [1.0_f64];
    let one = &one;
    let wide = move |random: &mut Random| {
        let shape = [huge(random) >> 4 | 5, random.of(&[0, 1, 3])];
        (shape, View2::<f64>::from_strided(shape, &[0, 0], 0, one).expect("it is one element"))
    };
    doors.knock("eval of unequal shapes", move |random| {
        let (shape, view) = wide(random);
        case(shape, names![&shape], move || (n + view).eval())
    });
    doors.knock("eval of scalars that are arrays", move |random| {
        let (shape, view) = wide(random);
        let which = random.below(2);
        case(shape, names![&shape], move || {
            if which == 0 {
                clamp(view, n, 2.0).eval().map(drop)
            } else {
                select(flags, view, n).eval().map(drop)
            }
        })
    });
    doors.knock("eval of numpy", move |random| {
        let (shape, view) = wide(random);
        case(shape, names![&shape], move || (numpy(n) + numpy(view)).eval())
    });
    doors.knock("assign", move |random| {
        let (shape, view) = wide(random);
        case(shape, names![&shape], move || n.clone().assign(view))
    });
    doors.knock("update", move |random| {
        let (shape, view) = wide(random);
        case(shape, names![&shape], move || n.clone().update(zerostride::ops::Add, view.exp()))
    });
    doors.knock("explain_assign", move |random| {
        let (shape, view) = wide(random);
        case(shape, names![&shape], move || n.clone().explain_assign(view))
    });
    doors.knock("assign of along", |random| {
        let dims = wrong_dims(random, 3);
        case(dims.clone(), dims_names(&dims), move || x.clone().assign(m.along(&dims[..])))
    });
    doors.knock("zip", move |random| {
        let (shape, view) = wide(random);
        case(shape, names![&shape], move || zip((n, view)).map(|(a, b)| a + b).eval())
    });
    doors.knock("checked_add", |random| {
        let (a, b) = (i64::MAX - random.below(99) as i64, 100 + random.below(99) as i64);
        let at = random.below(50);
        let with = random.below(3);
        case((a, b, at), names![&[at]], move || {
            let mut left = Array1::<i64>::zeros(50);
            left[at] = a;
            match with {
                0 => left.checked_add(b).map(drop),
                1 => (-&left - 1).checked_sub(b).map(drop),
                _ => left.checked_mul(b).map(drop),
            }
        })
    });
    doors.knock("dot", |random| {
        let shape = [2 + 2 * random.below(50), 1 + random.below(4)];
        let other = Array2::<f64>::ones(shape);
        case(shape, names![&shape], move || n.dot(&other))
    });
    doors.knock("dot of an endless matrix", |random| {
        let shape = [huge(random) >> 6 | 8, 1 + random.below(4)];
        let b = View2::<f64>::from_strided(shape, &[0, 0], 0, one).expect("it is one element");
        case(shape, names![&shape], move || n.dot(b))
    });
    doors.knock("dot without room for the result", |random| {
        let shape = [(1 << 40) + random.below(1 << 30), 1];
        let a = View2::<f64>::from_strided(shape, &[0, 0], 0, one).expect("it is one element");
        case(shape, names![&shape[0]], move || a.dot(a.t()))
    });
    doors.knock("matmul", |random| {
        let shape = [3, 2 + 3 * random.below(50), 1 + random.below(4)];
        let other = Array3::<f64>::ones(shape);
        case(shape, names![&shape], move || x.matmul(&other))
    });
    doors.knock("bitcast_join", |random| {
        let shape = [1 + random.below(50), random.of(&[0, 1, 2, 3, 5, 7])];
        let bytes = Array2::<u8>::zeros(shape);
        case(shape, names![&shape], move || bitcast_join::<u32, _, _>(bytes.view()))
    });
    doors.knock("bitcast_split", |random| {
        let shape = [1 + random.below(50), random.below(9)];
        let words = Array2::<u32>::zeros(shape);
        case(shape, names![&shape], move || bitcast_split::<[u8; 3], _, _>(words.view()))
    });
}

/// The reductions along axes that do not exist or exist twice.
fn reductions(doors: &mut Doors) {
    let x = ArrayD::<f64>::ones(&[2, 3, 4][..]);
    let i = ArrayD::<i32>::ones(&[2, 3, 4][..]);
    let b = ArrayD::<bool>::full(&[2, 3, 4][..], true);
    let nothing = ArrayD::<f64>::ones(&[2, 0, 4][..]);
    let (x, i, b, nothing) = (&x, &i, &b, &nothing);
    fn named<'a, U: 'a>(
        axes: Vec<usize>,
        call: impl FnOnce(Vec<usize>) -> Result<U, Error> + 'a,
    ) -> Case<'a> {
        let names = axes.iter().map(ToString::to_string).collect();
        case(axes.clone(), names, move || call(axes))
    }
    macro_rules! along {
        ($($name:ident of $array:ident ($($parameter:expr),*);)*) => {$(
            doors.knock(stringify!($name), |random| {
                named(wrong_axes(random, 3), move |axes| $array.$name(&axes[..] $(, $parameter)*))
            });
        )*};
    }
    along! {
        sum_axis of x();
        sum_wrapping_axis of i();
        product_axis of x();
        product_wrapping_axis of i();
        mean_axis of x();
        var_axis of x(0.0);
        std_axis of x(1.0);
        min_axis of i();
        max_axis of x();
        nanmin_axis of x();
        nanmax_axis of x();
        nansum_axis of x();
        nanmean_axis of x();
        argmin_axis of i();
        argmax_axis of x();
        any_axis of b();
        all_axis of b();
        count_nonzero_axis of i();
        log_sum_exp_axis of x();
        norm_l1_axis of x();
        norm_l2_axis of x();
        norm_max_axis of x();
        reduce_axis of i(|a, b| a.max(b));
        softmax of x();
        log_softmax of x();
    }
    doors.knock("reduce_by", |random| {
        named(wrong_axes(random, 3), move |axes| x.view().reduce_by(Sum, &axes[..]))
    });
    doors.knock("explain_reduce", |random| {
        named(wrong_axes(random, 3), move |axes| x.view().explain_reduce(Sum, &axes[..]))
    });
    doors.knock("sum_axis kept", |random| {
        named(wrong_axes(random, 3), move |axes| x.view().sum_axis(keep(&axes[..])))
    });
    doors.knock("sum_axis of typed rank", |random| {
        let axis = no_axis(random, 2);
        let which = random.below(3);
        let n = Array2::<f32>::ones([2, 3]);
        case((axis, which), names![&axis], move || match which {
            0 => n.sum_axis(axis).map(drop),
            1 => n.sum_axis([0, axis]).map(drop),
            _ => (&n * 2.0).sum_axis(keep([axis])).map(drop),
        })
    });
    macro_rules! of_nothing {
        ($($name:ident $name_axis:ident ($($parameter:expr),*);)*) => {$(
            doors.knock(concat!(stringify!($name), " of nothing"), |random| {
                let (which, axis) = (random.below(3), random.of(&[1, 1, 1]));
                case((which, axis), names![&[2, 0, 4], &0], move || match which {
                    0 => nothing.$name($($parameter),*).map(drop),
                    1 => nothing.$name_axis(axis $(, $parameter)*).map(drop),
                    _ => (nothing * 2.0).$name_axis([axis, 0] $(, $parameter)*).map(drop),
                })
            });
        )*};
    }
    of_nothing! {
        mean mean_axis();
        min min_axis();
        max max_axis();
        nanmin nanmin_axis();
        nanmax nanmax_axis();
        nanmean nanmean_axis();
        argmin argmin_axis();
        argmax argmax_axis();
        var var_axis(0.0);
        std std_axis(0.0);
    }
    doors.knock("reduce of nothing", |_| {
        case((), names![&[2, 0, 4]], move || nothing.reduce(|a, b| a + b))
    });
    doors.knock("reduce_by of nothing", |_| {
        case((), names![&[2, 0, 4]], move || {
            nothing.view().reduce_by(Combine(|a: f64, b| a + b), 1)
        })
    });
    doors.knock("var", |random| {
        let tiny = f64::MIN_POSITIVE;
        let ddof = random.of(&[-1.0, -tiny, f64::NAN, f64::INFINITY, -1e300, 24.0, 25.0, 1e300]);
        let which = random.below(4);
        case((ddof, which), names![ddof], move || match which {
            0 => x.var(ddof).map(drop),
            1 => x.std(ddof).map(drop),
            2 => x.var_axis(0, ddof).map(drop),
            _ => (x * 2.0).std_axis([1, 2], ddof).map(drop),
        })
    });
    doors.knock("sum that overflows", |random| {
        let more = 1 + random.below(1000) as i64;
        let sum = i128::from(i64::MAX) + i128::from(more);
        case(more, names![&sum], move || array![i64::MAX, more].sum())
    });
    doors.knock("sum_axis that overflows", |random| {
        let more = 1 + random.below(100) as u8;
        let sum = 255 + u32::from(more);
        case(more, names![&sum], move || array![[255_u8, more], [1, 2]].sum_axis(1))
    });
    doors.knock("product that overflows", |random| {
        let factor = (1_i64 << 33) + random.below(1 << 20) as i64;
        let product = i128::from(factor) * i128::from(factor);
        case(factor, names![product, "does not fit in i64"], move || {
            array![factor, factor].product()
        })
    });
}

fn lanes(doors: &mut Doors) {
    let x = ArrayD::<f64>::ones(&[2, 3, 4][..]);
    let i = ArrayD::<i32>::ones(&[2, 3, 4][..]);
    let (x, i) = (&x, &i);
    macro_rules! along {
        ($($name:ident of $array:ident ($($parameter:expr),*);)*) => {$(
            doors.knock(stringify!($name), |random| {
                let axis = no_axis(random, 3);
                case(axis, names![&axis], move || $array.$name(axis $(, $parameter)*))
            });
        )*};
    }
    along! {
        cumsum of x();
        cumprod of i();
        cummax of x();
        cummin of i();
        diff of x();
        sort of x();
        argsort of i();
        top_k of x(1);
        quantile_axis of x(0.5);
        quantile_axis_by of x(0.5, QuantileMethod::Linear);
        median_axis of x();
        fold_axis of i(0, |a: i32, b| a + b);
    }
    doors.knock("scan", |random| {
        let axis = no_axis(random, 3);
        case(axis, names![&axis], move || i.scan(CumSum, axis))
    });
    doors.knock("top_k of too many", |random| {
        let k = if random.once_in(2) { 5 + random.below(100) } else { huge(random) };
        case(k, names![&k], move || x.top_k(2, k))
    });
    doors.knock("cumsum that overflows", |random| {
        let first = i32::MAX - random.below(9) as i32;
        case(first, names!["cumsum"], move || array![first, 9, 1].cumsum(0))
    });
    doors.knock("cumprod that overflows", |random| {
        let first = (1 << 20) + random.below(99) as i32;
        case(first, names!["cumprod"], move || array![first, first].cumprod(0))
    });
    doors.knock("quantile", |random| {
        let tiny = f64::MIN_POSITIVE;
        let q = random.of(&[-tiny, -1.0, 1.0 + f64::EPSILON, 2.0, f64::NAN, f64::INFINITY, -1e300]);
        let which = random.below(4);
        case((q, which), names![q], move || match which {
            0 => x.quantile(q).map(drop),
            1 => x.quantile_axis(1, q).map(drop),
            2 => x.quantile_by(q, QuantileMethod::Nearest).map(drop),
            _ => x.quantile_axis_by(0, q, QuantileMethod::Lower).map(drop),
        })
    });
    doors.knock("quantile of nothing", |random| {
        let which = random.below(3);
        let nothing = ArrayD::<f64>::ones(&[2, 0][..]);
        case(which, names![&[2, 0]], move || match which {
            0 => nothing.quantile(0.5).map(drop),
            1 => nothing.median().map(drop),
            _ => nothing.median_axis(1).map(drop),
        })
    });
    doors.knock("histogram", |random| {
        let (bins, low, high) = match random.below(5) {
            0 => (0, 0.0, 1.0),
            1 => (3, f64::NAN, 1.0),
            2 => (3, 0.0, f64::INFINITY),
            3 => (3, 1.0, random.of(&[1.0, 0.5, -1e300])),
            _ => (3, f64::MIN, f64::MAX),
        };
        case((bins, low, high), names![&bins, &low, &high], move || x.histogram(bins, low, high))
    });
    doors.knock("histogram of too many bins", |random| {
        let bins = huge(random).max(1 << 45);
        case(bins, names![&bins, &bins.wrapping_add(1)], move || x.histogram(bins, 0.0, 1.0))
    });
}
