//! One way to run beside another: threads beside none, stores past the cache beside plain ones.
//!
//! All are of `f32`, and into memory that exists where there is a result of that size.

use crate::data::{Input, zeroed};
use crate::pair::{Effort, Pair, PairJudge, Timing};
use serde_json::{Value as Json, json};
use std::fmt;
use std::time::Duration;
use zerostride::Exec;
use zerostride::prelude::*;

/// The effort of a point.
pub const EFFORT: Effort =
    Effort { sample: Duration::from_micros(300), budget: Duration::from_millis(80) };

/// A kind of work.
#[derive(Clone, Copy)]
pub struct Work {
    /// Its name.
    pub name: &'static str,
    /// The bytes that move for each element.
    pub bytes: usize,
    setup: fn(usize, [Exec; 2], PairJudge<'_>),
}

impl fmt::Debug for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Work").field("name", &self.name).finish_non_exhaustive()
    }
}

/// All kinds: bound by memory, by arithmetic, by an order of memory that is not that of the result,
/// and by reading alone.
pub const KINDS: [Work; 4] = [
    Work { name: "cheap", bytes: 12, setup: cheap },
    Work { name: "costly", bytes: 8, setup: costly },
    Work { name: "strided", bytes: 12, setup: strided },
    Work { name: "reduced", bytes: 4, setup: reduced },
];

/// Two passes, of which the second one reads what the first one stored: where results are stored is
/// felt by whoever reads them. The bytes are those of one pass.
pub const IN_TURN: Work = Work { name: "in turn", bytes: 12, setup: in_turn };

impl Work {
    /// Checks and times the two ways to run it on so many elements, a power of two.
    ///
    /// # Errors
    /// If the results differ.
    pub fn measure(&self, elements: usize, ways: [Exec; 2]) -> Result<Timing, String> {
        let mut outcome = None;
        (self.setup)(elements, ways, &mut |pair| {
            outcome = Some(pair.check().map(|()| pair.measure(EFFORT)));
        });
        outcome.expect("there is a pair").map_err(|wrong| format!("{}: {wrong}", self.name))
    }
}

/// A matrix of so many elements, a power of two, as square as can be.
fn matrix(name: &'static str, elements: usize) -> Array2<f32> {
    let rows = 1 << (elements.ilog2() / 2);
    Input::<f32, Rank<2>>::new(name, &[rows, elements / rows]).ours
}

/// Into memory that exists, in each of two ways.
fn into(
    shape: [usize; 2],
    [first, second]: [Exec; 2],
    run: impl Fn(&mut Array2<f32>),
    judge: PairJudge<'_>,
) {
    let out = || zeroed::<f32, Rank<2>>(&shape);
    let by = |exec: Exec| {
        let run = &run;
        move |out: &mut Array2<f32>| exec.install(|| run(out))
    };
    judge(&mut Pair::into((out(), out()), by(first), by(second)));
}

fn cheap(elements: usize, ways: [Exec; 2], judge: PairJudge<'_>) {
    let (a, b) = (matrix("a", elements), matrix("b", elements));
    into(a.dim(), ways, |out| out.assign(&a + &b).unwrap(), judge);
}

fn costly(elements: usize, ways: [Exec; 2], judge: PairJudge<'_>) {
    let a = matrix("a", elements);
    into(a.dim(), ways, |out| out.assign(a.exp()).unwrap(), judge);
}

fn strided(elements: usize, ways: [Exec; 2], judge: PairJudge<'_>) {
    let a = matrix("a", elements);
    let [rows, columns] = a.dim();
    let b = Input::<f32, Rank<2>>::new("b", &[columns, rows]).ours;
    into(a.dim(), ways, |out| out.assign(&a + b.t()).unwrap(), judge);
}

fn reduced(elements: usize, [first, second]: [Exec; 2], judge: PairJudge<'_>) {
    let a = matrix("a", elements);
    let by = |exec: Exec| {
        let a = &a;
        move || exec.install(|| a.sum().unwrap())
    };
    judge(&mut Pair::new(by(first), by(second)));
}

fn in_turn(elements: usize, [first, second]: [Exec; 2], judge: PairJudge<'_>) {
    let of = |name| Input::<f32, Rank<3>>::new(name, &[1, 1, elements]).ours;
    let (a, b) = (of("a"), of("b"));
    let results = || zeroed::<f32, Rank<3>>(&[2, 1, elements]);
    let by = |exec: Exec| {
        let (a, b) = (&a, &b);
        move |results: &mut Array3<f32>| {
            exec.install(|| {
                let (mut early, mut late) = results.view_mut().split_at(0, 1).unwrap();
                early.assign(a + b).unwrap();
                late.assign(&early * b).unwrap();
            });
        }
    };
    judge(&mut Pair::into((results(), results()), by(first), by(second)));
}

/// The time of the first way by that of the second.
#[derive(Clone, Copy, Debug)]
pub struct Point {
    /// The kind of work.
    pub work: &'static str,
    /// The number of elements.
    pub elements: usize,
    /// The times.
    pub timing: Timing,
}

impl Point {
    /// The first way's time by the second's.
    pub fn ratio(&self) -> f64 {
        self.timing.ratio.unwrap_or(f64::NAN)
    }

    /// The figures, as `plot` takes them.
    pub fn json(&self) -> Json {
        json!({
            "operation": self.work,
            "threads": "threads by one",
            "elements": self.elements,
            "threads_ns": self.timing.ours,
            "serial_ns": self.timing.nd,
            "ratio": self.timing.ratio,
        })
    }
}

/// From which size on the first way is the faster one: the least above all those at which it takes
/// more than its share of the time. `None` if that is the largest.
pub fn crossover(points: &[(usize, f64)], share: f64) -> Option<usize> {
    let slow = points.iter().rposition(|&(_, ratio)| ratio > share);
    points.get(slow.map_or(0, |last| last + 1)).map(|&(size, _)| size)
}

/// The most that it takes to choose the first way from this size on, by the time of the better one.
pub fn loss(points: &[(usize, f64)], from: usize) -> f64 {
    let by_better = |&(size, ratio): &(usize, f64)| if size >= from { ratio } else { 1.0 / ratio };
    points.iter().map(by_better).fold(1.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_ways_agree() {
        let ways = [Exec::new().grain(1), Exec::new().parallel(false).cache(0)];
        for work in KINDS.into_iter().chain([IN_TURN]) {
            for elements in [1, 2, 1 << 9, 1 << 14] {
                let mut agree = Err(String::new());
                (work.setup)(elements, ways, &mut |pair| agree = pair.check());
                assert_eq!(agree, Ok(()), "{} of {elements}", work.name);
            }
        }
    }

    #[test]
    fn crossovers() {
        assert_eq!(crossover(&[(1, 3.0), (2, 0.9), (4, 1.1), (8, 0.7), (16, 0.6)], 1.0), Some(8));
        assert_eq!(crossover(&[(1, 0.5), (2, 0.9)], 1.0), Some(1));
        assert_eq!(crossover(&[(1, 0.5), (2, 1.9)], 1.0), None);
    }

    #[test]
    fn losses() {
        let points = [(1, 2.0), (2, 0.5), (4, 0.8)];
        assert_eq!([1, 2, 4, 8].map(|from| loss(&points, from)), [2.0, 1.0, 2.0, 2.0]);
    }
}
