//! Arrays of values that own memory. Each value is dropped once, whatever panics; what arrays say
//! of them is compared with lists made from the layout alone.

use ndcore::{
    Array, Array0, Array1, Array2, Array3, ArrayD, CowArray, Dyn, Layout, View, View2, array, s,
};
use num_traits::{One, Zero};
use std::cell::RefCell;
use std::collections::HashSet;
use std::fmt;
use std::ops::{Add, Mul};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// What has happened to the values of a thread.
#[derive(Default)]
struct Ledger {
    alive: HashSet<u64>,
    made: u64,
    /// Values are dropped that are not alive.
    wrong: usize,
    /// The number of the value whose making panics, and of the drop that does.
    fail_at: Option<u64>,
    dropped: u64,
    fail_drop: Option<u64>,
}

thread_local! {
    static LEDGER: RefCell<Ledger> = RefCell::default();
}

fn ledger<O>(f: impl FnOnce(&mut Ledger) -> O) -> O {
    LEDGER.with(|ledger| f(&mut ledger.borrow_mut()))
}

/// A value that is counted.
#[derive(PartialEq, Eq, Hash)]
struct Counted {
    value: usize,
    id: CountedId,
}

/// Equal to all others: values are compared, not their numbers.
struct CountedId(u64);

impl PartialEq for CountedId {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for CountedId {}

impl std::hash::Hash for CountedId {
    fn hash<H: std::hash::Hasher>(&self, _: &mut H) {}
}

impl Counted {
    fn new(value: usize) -> Self {
        let id = ledger(|ledger| {
            ledger.made += 1;
            if ledger.fail_at == Some(ledger.made) {
                return None;
            }
            ledger.alive.insert(ledger.made);
            Some(ledger.made)
        });
        Counted { value, id: CountedId(id.expect("a value that is not to be made")) }
    }
}

impl Default for Counted {
    fn default() -> Self {
        Counted::new(0)
    }
}

impl Clone for Counted {
    fn clone(&self) -> Self {
        Counted::new(self.value)
    }
}

impl fmt::Debug for Counted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value.fmt(f)
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        let fails = ledger(|ledger| {
            ledger.wrong += usize::from(!ledger.alive.remove(&self.id.0));
            ledger.dropped += 1;
            ledger.fail_drop == Some(ledger.dropped)
        });
        assert!(!fails || std::thread::panicking(), "a drop that panics");
    }
}

/// A shape, strides, an offset and the length of the memory.
type Case = (&'static [usize], &'static [isize], usize, usize);

const CASES: [Case; 16] = [
    (&[2, 3], &[3, 1], 0, 6),
    (&[3, 2], &[1, 3], 0, 6),
    (&[2, 3], &[-3, -1], 5, 6),
    (&[2, 3], &[3, -1], 2, 6),
    (&[2, 3], &[8, 2], 1, 16),
    (&[2, 2], &[2, 1], 3, 20),
    (&[0, 3], &[3, 1], 0, 0),
    (&[2, 0], &[1, 1], 0, 5),
    (&[], &[], 0, 1),
    (&[], &[], 3, 5),
    (&[4], &[-2], 7, 9),
    (&[1, 1], &[9, 7], 1, 2),
    (&[9, 8], &[1, 9], 0, 72),
    (&[5, 3, 5], &[1, 25, 5], 0, 75),
    (&[3, 5, 6], &[-1, 3, 15], 2, 90),
    (&[2, 1, 2, 1, 2, 1, 2, 1], &[1, 7, 2, 7, 4, 7, -8, 7], 8, 16),
];

/// The array of a case, and its elements in logical order.
fn make<T>((shape, strides, offset, len): Case, value: fn(usize) -> T) -> (ArrayD<T>, Vec<usize>)
where
    T: ndcore::Item,
{
    let data = (0..len).map(value).collect();
    let array = ArrayD::from_strided_vec(shape, strides, offset, data).unwrap();
    (array, places(shape, strides, offset))
}

/// Where the elements lie, in logical order.
fn places(shape: &[usize], strides: &[isize], offset: usize) -> Vec<usize> {
    let size = shape.iter().product();
    let place = |number: usize| {
        let (mut rest, mut place) = (number, offset as isize);
        for axis in (0..shape.len()).rev() {
            place += (rest % shape[axis]) as isize * strides[axis];
            rest /= shape[axis];
        }
        place as usize
    };
    (0..size).map(place).collect()
}

fn values<'a>(elements: impl IntoIterator<Item = &'a Counted>) -> Vec<usize> {
    elements.into_iter().map(|element| element.value).collect()
}

/// What can be done with an array of values, and with what it should hold.
type Operation = (&'static str, fn(ArrayD<Counted>, &[usize]));

const OPERATIONS: &[Operation] = &[
    ("clone", |a, expected| assert_eq!(values(&a.clone()), expected)),
    ("to_vec", |a, expected| assert_eq!(values(&a.to_vec()), expected)),
    ("to_vec of a view", |a, expected| {
        let reversed: Vec<usize> = values(&a.t().t().to_vec());
        assert_eq!(reversed, expected);
    }),
    ("to_owned", |a, expected| {
        let owned = a.to_owned();
        assert!(owned.is_standard_layout());
        assert_eq!(values(owned.as_slice().unwrap()), expected);
        assert_eq!(owned, a);
    }),
    ("into_vec", |a, expected| {
        // Each value moves: none is made.
        let made = ledger(|ledger| ledger.made);
        let data = a.into_vec();
        assert_eq!((values(&data), ledger(|ledger| ledger.made)), (expected.to_vec(), made));
    }),
    ("into_iter", |a, expected| {
        let mut elements = a.into_iter();
        assert_eq!(elements.next().map(|first| first.value), expected.first().copied());
        // The others are dropped with it.
    }),
    ("into_layout_vec", |a, expected| {
        let (layout, data) = a.into_layout_vec();
        let found: Vec<usize> = values(&Array::<_, Dyn>::from_layout_vec(layout, data).unwrap());
        assert_eq!(found, expected);
    }),
    ("into_shape", |a, expected| {
        let len = a.len();
        assert_eq!(values(&a.into_shape(len).unwrap()), expected);
    }),
    ("to_shape", |a, expected| assert_eq!(values(&a.to_shape(a.len()).unwrap()), expected)),
    ("flatten", |a, expected| assert_eq!(values(&a.flatten()), expected)),
    ("as_standard_layout", |a, expected| {
        assert_eq!(values(a.as_standard_layout().as_slice().unwrap()), expected);
    }),
    ("into_flat of a part", |a, _| {
        if a.ndim() > 0 && a.shape()[0] > 0 {
            let expected = values(a.index_axis(0, 0).unwrap());
            assert_eq!(values(&a.index_axis_move(0, 0).unwrap().into_flat()), expected);
        }
    }),
    ("take_cloned", |a, _| {
        for axis in 0..a.ndim() {
            let last = a.shape()[axis].checked_sub(1);
            let indices: Vec<usize> = last.map_or(vec![], |last| vec![last, 0, last]);
            for indices in [&indices[..], &[]] {
                let taken = a.take_cloned(axis, indices).unwrap();
                assert!(taken.is_standard_layout());
                assert_eq!(taken.shape()[axis], indices.len());
                for (number, &index) in indices.iter().enumerate() {
                    let [one, of] = [(&taken, number), (&a, index)]
                        .map(|(x, index)| x.index_axis(axis, index).unwrap());
                    assert_eq!(values(&one.to_vec()), values(&of.to_vec()), "axis {axis}");
                }
            }
            let error = a.take_cloned(axis, &[a.shape()[axis]]).unwrap_err().to_string();
            assert!(error.contains(&a.shape()[axis].to_string()), "{error}");
        }
        assert!(a.take_cloned(a.ndim(), &[]).is_err());
    }),
    ("map_axis_ref", |a, _| {
        for axis in 0..a.ndim() {
            let mapped = a.map_axis_ref(axis, |lane| lane.to_vec()).unwrap();
            let lanes: Vec<Vec<usize>> =
                a.lanes(axis).unwrap().map(|lane| values(&lane.to_vec())).collect();
            assert_eq!(mapped.iter().map(values).collect::<Vec<_>>(), lanes, "axis {axis}");
        }
        assert!(a.map_axis_ref(a.ndim(), |lane| lane.len()).is_err());
    }),
    ("clone_from_view", |mut a, expected| {
        let turned = a.t().to_owned();
        let others = ArrayD::from_shape_fn(turned.shape(), |_| Counted::new(3));
        a.clone_from_view(others.t()).unwrap();
        assert!(a.iter().all(|element| element.value == 3));
        a.clone_from_view(turned.t()).unwrap();
        assert_eq!(values(&a), expected);
        let longer = ArrayD::from_shape_fn(&[a.shape(), &[2]].concat()[..], |_| Counted::new(4));
        let error = a.clone_from_view(&longer).unwrap_err().to_string();
        assert!(error.contains(&format!("{:?}", longer.shape())), "{error}");
        assert_eq!(values(&a), expected);
    }),
    ("full", |a, _| {
        let full = ArrayD::full(a.shape(), Counted::new(7));
        assert!(full.shape() == a.shape() && full.iter().all(|element| element.value == 7));
    }),
    ("full_like", |a, _| {
        assert!(a.full_like(Counted::new(7)).iter().all(|element| element.value == 7));
    }),
    ("fill", |mut a, expected| {
        a.fill(Counted::new(7));
        assert_eq!(values(&a), vec![7; expected.len()]);
    }),
    ("fill of a part", |mut a, expected| {
        let mut flat = a.to_owned().into_flat();
        if flat.len() > 2 {
            flat.slice_mut(s![1..;2]).unwrap().fill(Counted::new(77));
            let odd = |(i, &value): (usize, &usize)| if i % 2 == 1 { 77 } else { value };
            assert_eq!(values(&flat), expected.iter().enumerate().map(odd).collect::<Vec<_>>());
        }
        a.iter_mut().for_each(|element| *element = Counted::new(element.value + 1));
        assert_eq!(values(&a), expected.iter().map(|value| value + 1).collect::<Vec<_>>());
    }),
    ("indexed_iter_mut", |mut a, _| {
        a.indexed_iter_mut().for_each(|(index, element)| {
            *element = Counted::new(index.as_ref().iter().sum());
        });
        assert!(
            a.indexed_iter()
                .all(|(index, element)| { element.value == index.as_ref().iter().sum::<usize>() })
        );
    }),
    ("swap", |mut a, expected| {
        if a.len() > 1 {
            let first = vec![0; a.ndim()];
            let last: Vec<usize> = a.shape().iter().map(|extent| extent - 1).collect();
            a.swap(&first[..], &last[..]);
            a.swap(&first[..], &first[..]);
            let mut expected = expected.to_vec();
            let end = expected.len() - 1;
            expected.swap(0, end);
            assert_eq!(values(&a), expected);
        }
    }),
    ("append", |a, expected| {
        for axis in 0..a.ndim() {
            let mut grown = a.clone();
            for _ in 0..2 {
                grown.append(axis, &a).unwrap();
            }
            let parts = [a.view(), a.view(), a.view()];
            assert_eq!(grown, ArrayD::concat(axis, &parts).unwrap());
            let first = grown.slice_axis(axis, 0..a.shape()[axis], 1).unwrap();
            assert_eq!(values(first), expected);
        }
    }),
    ("push", |a, _| {
        for axis in 0..a.ndim().min(4) {
            let mut grown = a.clone();
            if a.shape()[axis] > 0 {
                let slice = a.index_axis(axis, 0).unwrap();
                grown.push(axis, slice).unwrap();
                assert_eq!(grown.index_axis(axis, a.shape()[axis]).unwrap(), slice);
            }
        }
    }),
    ("remove_index", |a, _| {
        for axis in 0..a.ndim() {
            let mut less = a.clone();
            if a.shape()[axis] > 0 {
                less.remove_index(axis, 0).unwrap();
                assert_eq!(less, a.slice_axis(axis, 1..a.shape()[axis], 1).unwrap());
            }
        }
    }),
    ("stack", |a, expected| {
        let both = ArrayD::stack(0, &[a.view(), a.view()]).unwrap();
        assert_eq!(values(&both), [expected, expected].concat());
        let last = ArrayD::stack(a.ndim(), &[a.view(), a.view()]).unwrap();
        assert_eq!(values(&last), expected.iter().flat_map(|x| [*x, *x]).collect::<Vec<_>>());
    }),
    ("map_ref", |a, expected| {
        let doubled = a.t().map_ref(|element| Counted::new(2 * element.value)).reversed_axes();
        assert_eq!(values(&doubled), expected.iter().map(|value| 2 * value).collect::<Vec<_>>());
    }),
    ("from_fn", |a, _| {
        let made = ArrayD::from_fn(a.shape(), |index| {
            Counted::new(index.as_ref().iter().fold(1, |all, i| 3 * all + i))
        });
        assert!(made.indexed_iter().all(|(index, element)| {
            element.value == index.as_ref().iter().fold(1, |all, i| 3 * all + i)
        }));
    }),
    ("shared", |a, expected| {
        let shared = a.into_shared();
        let mut other = shared.clone();
        other.iter_mut().for_each(|element| element.value += 1);
        assert_eq!(values(&shared), expected);
        assert_eq!(values(&other), expected.iter().map(|value| value + 1).collect::<Vec<_>>());
        let both = shared.clone();
        assert_eq!(values(&both.into_owned()), expected);
        assert_eq!(values(&shared.into_owned()), expected);
    }),
    ("copy on write", |a, expected| {
        let mut cow = CowArray::from(&a);
        cow.fill(Counted::new(9));
        assert_eq!(values(&cow), vec![9; expected.len()]);
        assert_eq!(values(&CowArray::from(&a).into_owned()), expected);
        assert_eq!(values(&a), expected);
    }),
    ("map_axis_mut", |mut a, _| {
        for axis in 0..a.ndim() {
            let sums = a.map_axis_mut(axis, |lane| Counted::new(values(&lane).iter().sum()));
            let lanes = a.lanes(axis).unwrap();
            let expected = lanes.map(|lane| values(lane).iter().sum()).collect::<Vec<usize>>();
            assert_eq!(values(&sums.unwrap()), expected);
        }
    }),
    ("slice_move", |a, _| {
        if a.ndim() > 0 && a.shape()[0] > 1 {
            let expected = values(a.index_axis(0, 1).unwrap());
            assert_eq!(values(&a.index_axis_move(0, 1).unwrap().into_vec()), expected);
        }
    }),
    ("reserve", |mut a, expected| {
        for axis in 0..a.ndim() {
            a.reserve(axis, 3).unwrap();
            assert_eq!(values(&a), expected);
        }
    }),
];

/// Runs a function on a thread of its own ledger, which is to end without values alive.
fn audited(fail_at: Option<u64>, fail_drop: Option<u64>, f: impl FnOnce()) -> (bool, Ledger) {
    ledger(|ledger| *ledger = Ledger { fail_at, fail_drop, ..Ledger::default() });
    let panicked = catch_unwind(AssertUnwindSafe(f)).is_err();
    (panicked, ledger(std::mem::take))
}

fn quietly<O>(f: impl FnOnce() -> O) -> O {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let result = f();
    std::panic::set_hook(hook);
    result
}

/// Each value is dropped once, and no other: also when the making of the k-th one panics, for every
/// k, and when a drop does.
#[test]
fn each_value_is_dropped_once() {
    let mut failures = Vec::new();
    quietly(|| {
        for case in CASES {
            for (name, operation) in OPERATIONS {
                let mut run = |fail_at, fail_drop| {
                    let (panicked, found) = audited(fail_at, fail_drop, || {
                        let (array, expected) = make(case, Counted::new);
                        operation(array, &expected);
                    });
                    let lost = !found.alive.is_empty() && fail_drop.is_none();
                    let panics = fail_at.is_some() || fail_drop.is_some();
                    if found.wrong > 0 || lost || panicked && !panics {
                        failures.push(format!(
                            "{name} of {case:?}, failing at {fail_at:?}, {fail_drop:?}: {} alive, \
                             {} dropped twice, panicked: {panicked}",
                            found.alive.len(),
                            found.wrong
                        ));
                    }
                    found
                };
                let found = run(None, None);
                // Of many values, some: a run for each takes long.
                let step = |count: u64| 1 + count as usize / 40;
                (1..=found.made).step_by(step(found.made)).for_each(|k| _ = run(Some(k), None));
                let drops = (1..=found.dropped).step_by(step(found.dropped));
                drops.for_each(|k| _ = run(None, Some(k)));
            }
        }
    });
    assert!(failures.is_empty(), "{}:\n{}", failures.len(), failures.join("\n"));
}

/// A value that counts nothing and is not `Copy`; so large arrays of it lie in recycled memory.
#[derive(Clone, Debug, PartialEq)]
struct Tag(u64);

/// Of more than one size, `Copy`, and no number.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Pixel(u8, f32);

/// Copies of layouts that are not side by side, for each way in which elements are copied.
#[test]
fn views_are_copied_in_logical_order() {
    const SHAPES: [(&[usize], &[isize], usize, usize); 9] = [
        (&[200, 150], &[1, 200], 0, 30_000),
        (&[129, 17], &[1, 129], 0, 129 * 17),
        (&[17, 257], &[-1, 17], 16, 17 * 257),
        (&[150, 3], &[1, 150], 0, 450),
        (&[60, 70], &[140, 2], 1, 60 * 140),
        (&[60, 70], &[-141, -2], 60 * 141 - 2, 60 * 141),
        (&[7, 40, 9], &[1, 63, 7], 0, 7 * 40 * 9),
        (&[40, 50], &[0, 1], 3, 60),
        (&[40, 50], &[1, 0], 3, 60),
    ];
    fn check<T: ndcore::Item + PartialEq + fmt::Debug>(value: fn(usize) -> T) {
        for (shape, strides, offset, len) in SHAPES {
            let data: Vec<T> = (0..len).map(value).collect();
            let view: View<T, Dyn> = View::from_strided(shape, strides, offset, &data).unwrap();
            let expected: Vec<T> = places(shape, strides, offset).into_iter().map(value).collect();
            let kind = std::any::type_name::<T>();
            assert!(view.to_vec() == expected, "{kind} of {shape:?} by {strides:?}");
            assert!(view.to_owned().into_vec() == expected, "{kind} of {shape:?}, owned");
        }
    }
    check(|i| i as u8);
    check(|i| i as u16);
    check(|i| i as f32);
    check(|i| i as f64);
    check(|i| i % 3 == 0);
    check(|i| num_complex::Complex::new(i as f32, -1.0));
    check(|i| num_complex::Complex::new(i as f64, -1.0));
    check(|i| i as i128);
    check(|i| Pixel(i as u8, i as f32));
    check(|i| [i as u8, (i >> 8) as u8, 7]);
    check(|i| Tag(i as u64));
    check(|_| ());
    check(|i| i.to_string());
    check(|i| (i % 2 == 0).then(|| Box::new(i)));
}

#[test]
fn values_without_drop_are_recycled_and_others_are_not() {
    let large = Array1::from_fn(1 << 16, |[i]| Tag(i as u64));
    drop(large);
    let again = Array1::full(1 << 16, Tag(3));
    assert!(again.iter().all(|tag| *tag == Tag(3)));
    // Of `String`s nothing is kept for later: the memory of dropped ones would be in it.
    let before = ndcore::pool_stats().blocks;
    drop(Array1::full(1 << 16, String::from("kept by nobody")));
    let full = Array1::<String>::full(1 << 16, String::new());
    assert!(full.iter().all(String::is_empty));
    assert_eq!(full.len(), full.clone().into_layout_vec().1.len());
    assert!(ndcore::pool_stats().blocks <= before + 1);
}

#[test]
fn what_is_collected_and_what_grows_is_in_the_memory_of_dropped_arrays() {
    // Of types that nobody else has arrays of.
    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Collected(u64);
    let all = 0..1 << 16;
    let first: Array1<Collected> = all.clone().map(Collected).collect();
    let memory = first.as_ptr();
    drop(first);
    let again: Array1<Collected> = all.clone().map(|i| Collected(i + 1)).collect();
    assert_eq!(again.as_ptr(), memory);
    assert!(all.clone().zip(&again).all(|(i, found)| *found == Collected(i + 1)));

    #[derive(Clone, Copy, Debug, PartialEq)]
    struct Grown(usize);
    let grow = || {
        let mut rows = Array2::from_shape_vec([0, 64], Vec::new()).unwrap();
        for i in 0..1 << 11 {
            rows.push_row(&Array1::full(64, Grown(i))).unwrap();
        }
        rows
    };
    let first = grow();
    let memory = first.as_ptr();
    drop(first);
    let again = grow();
    assert_eq!(again.as_ptr(), memory);
    assert!(again.indexed_iter().all(|([i, _], found)| *found == Grown(i)));
}

#[test]
fn memory_to_be_initialised_is_that_of_a_dropped_array() {
    // Of a type that nobody else has arrays of.
    #[derive(Clone, Copy)]
    struct Own(u64);
    let large = Array1::full(1 << 16, Own(1));
    let memory = large.as_ptr();
    drop(large);
    let mut slots = Array1::<Own>::uninit(1 << 16).unwrap();
    assert_eq!(slots.as_ptr().cast(), memory);
    slots.iter_mut().for_each(|slot| {
        slot.write(Own(2));
    });
    // SAFETY: each element has been written.
    let large = unsafe { slots.assume_init() };
    assert!(large.iter().all(|own| own.0 == 2));
    assert_eq!(large.into_vec().len(), 1 << 16);
}

#[test]
fn texts_are_made_looked_at_taken_apart_and_joined() {
    let text = |s: &str| s.to_string();
    let mut names: Array2<String> =
        array![[text("a"), text("b"), text("c")], [text("d"), text("e"), text("f")],];
    assert_eq!(names[[1, 2]], "f");
    assert_eq!(names.get((0, 1)), Some(&text("b")));
    assert_eq!(names.to_string(), "[[a, b, c],\n [d, e, f]]");
    assert_eq!(format!("{:?}", names.row(0)), r#"["a", "b", "c"], shape=[3], strides=[1]"#);
    names[[0, 0]].push('!');
    names.swap((0, 0), (1, 2));
    assert_eq!(names.t().slice(s![..;-1, 0]).unwrap(), array!["c", "b", "f"]);
    assert_eq!(names.rows().map(|row| row.len()).sum::<usize>(), 6);
    let all: Vec<String> = names.windows([2, 2]).unwrap().map(|w| w.to_vec().concat()).collect();
    assert_eq!(all, ["fbde", "bcea!"]);
    names.push_row(&[text("g"), text("h"), text("i")]).unwrap();
    names.push_column(&array![text("x"), text("y"), text("z")]).unwrap();
    assert_eq!(names.shape(), [3, 4]);
    assert_eq!(names.column(3).to_vec(), ["x", "y", "z"]);
    assert_eq!(names.map_ref(String::len), array![[1, 1, 1, 1], [1, 1, 2, 1], [1, 1, 1, 1]]);
    assert_eq!(names.view().split_at(1, 2).unwrap().1.to_owned().row(0).to_vec(), ["c", "x"]);
    let set: HashSet<Array1<String>> = names.rows().map(|row| row.to_owned()).collect();
    assert!(set.contains(&array![text("g"), text("h"), text("i"), text("z")]));
    assert_eq!(<Array2<String> as Default>::default().shape(), [0, 0]);
    assert_eq!(<Array0<String> as Default>::default().into_scalar(), "");
    assert_eq!(Array2::<String>::default((2, 1)), array![[text("")], [text("")]]);
    assert_eq!(Array0::from_fn([], |_| text("one")).into_scalar(), "one");
    assert_eq!(names.first(), Some(&text("f")));
    let (layout, data) = names.into_layout_vec();
    assert_eq!(Array2::from_layout_vec(layout, data).unwrap().len(), 12);
    let rows = vec![vec![text("a"), text("b")], vec![text("c"), text("d")]];
    assert_eq!(Array2::try_from(rows).unwrap(), array![["a", "b"], ["c", "d"]]);
    assert_eq!(Array1::from(vec![text("a")]), ["a"].into_iter().map(text).collect::<Array1<_>>());
    assert_eq!(Array2::from(vec![[text("a"); 1], [text("b")]]).shape(), [2, 1]);
    assert_eq!(View2::from(&[[text("a")], [text("b")]]).t().to_owned(), array![["a", "b"]]);
}

#[test]
fn nested_values_of_all_kinds_are_held() {
    let mut lists: Array2<Vec<u8>> = Array2::from_elem([2, 2], Vec::new());
    for (number, list) in lists.t_mut().iter_mut().enumerate() {
        list.extend(0..number as u8);
    }
    assert_eq!(lists.map_ref(Vec::len), array![[0, 2], [1, 3]]);
    lists.accumulate_axis_inplace(0, |before, list| list.extend(before)).unwrap();
    assert_eq!(lists.map_ref(Vec::len), array![[0, 2], [1, 5]]);
    let mut boxes: Array1<Option<Box<f64>>> =
        Array1::from_fn(5, |[i]| (i % 2 == 0).then(|| Box::new(i as f64)));
    let mut back = boxes.flip_mut(0).unwrap();
    back[1] = Some(Box::new(7.0));
    assert_eq!(back[0].take(), Some(Box::new(4.0)));
    let some: Vec<f64> = boxes.iter().flatten().map(|value| **value).collect();
    assert_eq!(some, [0.0, 2.0, 7.0]);
    let cubes = Array3::<std::sync::Arc<str>>::from_elem([2, 2, 2], "shared".into());
    assert_eq!(std::sync::Arc::strong_count(&cubes[[0, 0, 0]]), 8);
    drop(cubes.index_axis(2, 1).unwrap().to_owned());
    assert_eq!(std::sync::Arc::strong_count(&cubes[[0, 0, 0]]), 8);
    let mut cubes = cubes;
    cubes.remove_index(0, 0).unwrap();
    assert_eq!(std::sync::Arc::strong_count(&cubes[[0, 0, 0]]), 4);
}

/// An integer of any length: its digits, the lowest first.
#[derive(Clone, Debug, PartialEq)]
struct Big(Vec<u32>);

impl Add for Big {
    type Output = Big;

    fn add(self, rhs: Big) -> Big {
        let (mut digits, mut carry) = (Vec::new(), 0);
        for i in 0..self.0.len().max(rhs.0.len()) {
            let digit = |of: &Big| u64::from(of.0.get(i).copied().unwrap_or(0));
            let sum = digit(&self) + digit(&rhs) + carry;
            digits.push(sum as u32);
            carry = sum >> 32;
        }
        digits.extend((carry > 0).then_some(carry as u32));
        Big(digits)
    }
}

impl Mul for Big {
    type Output = Big;

    fn mul(self, rhs: Big) -> Big {
        assert!(rhs.0 == [1], "only by one");
        self
    }
}

impl Zero for Big {
    fn zero() -> Self {
        Big(Vec::new())
    }

    fn is_zero(&self) -> bool {
        self.0.iter().all(|digit| *digit == 0)
    }
}

impl One for Big {
    fn one() -> Self {
        Big(vec![1])
    }
}

#[test]
fn numbers_that_own_memory_are_added_one_by_one() {
    let mut powers = Array2::<Big>::eye(3);
    for _ in 0..40 {
        powers.iter_mut().for_each(|power| *power = power.clone() + power.clone());
    }
    assert_eq!(powers[[1, 1]], Big(vec![0, 1 << 8]));
    assert!(powers[[0, 1]].is_zero());
    let total = powers.iter().cloned().fold(Big::zero(), Add::add);
    assert_eq!(total, Big(vec![0, 3 << 8]));
    let diagonal = Array2::from_diag(&powers.diag().to_owned());
    assert_eq!(diagonal, powers);
    let zeros = powers.t().zeros_like();
    assert!(zeros.iter().all(Big::is_zero) && zeros.strides() == [1, 3]);
}

#[test]
fn joins_say_what_does_not_fit() {
    let a = array![["a", "b"], ["c", "d"]].map_ref(|text| text.to_string());
    let (row, none) = (a.row(0).insert_axis(0).unwrap(), &[][..]);
    let told =
        |result: Result<Array2<String>, ndcore::LayoutError>| result.unwrap_err().to_string();
    let shapes = "array 1 of shape [1, 2] cannot be joined to one of shape [2, 2] along axis 1";
    assert!(told(Array2::concat(1, &[a.view(), row])).starts_with(shapes));
    assert_eq!(Array2::concat(0, &[a.view(), row]).unwrap().shape(), [3, 2]);
    assert_eq!(told(Array2::concat(0, none)), "no arrays were given to be joined along axis 0");
    assert!(told(Array2::concat(2, &[a.view()])).contains("axis 2"));
    assert!(told(Array2::stack(3, &[a.row(0)])).contains("axis 3"));
    assert!(Array2::stack(0, &[a.row(0), a.row(0).slice(s![..1]).unwrap()]).is_err());
    let layout = Layout::strided([2, 3], &[0, 1], 0, 3).unwrap();
    assert!(Array2::from_layout_vec(layout, vec![String::new(); 3]).is_err());
}

#[cfg(feature = "serde")]
#[test]
fn texts_are_written_and_read() {
    let a = array![["a", "b"], ["c", "d"]].map_ref(|text| text.to_string());
    let written = serde_json::to_string(&a.t()).unwrap();
    assert_eq!(written, r#"{"v":1,"dim":[2,2],"data":["a","c","b","d"]}"#);
    assert_eq!(serde_json::from_str::<Array2<String>>(&written).unwrap(), a.t());
}
