//! Ours beside `ndarray`: two contestants that must agree, and the ratio of their times.

use crate::case::{Answer, Contestant, Memory, ND_WRITTEN, OURS, Output};
use crate::timing::{calls_per_sample, median, time};
use std::time::Duration;

/// Ours and, where it can do the same, `ndarray`. Each has memory of its own.
#[derive(Debug)]
pub struct Pair<'c> {
    ours: Contestant<'c>,
    nd: Option<Contestant<'c>>,
    tolerance: f64,
}

/// Who checks and times a pair.
pub type PairJudge<'j> = &'j mut dyn FnMut(&mut Pair<'_>);

impl<'c> Pair<'c> {
    /// Both compute a new result each time.
    pub fn new<A: Output, B: Output>(ours: impl Fn() -> A + 'c, nd: impl Fn() -> B + 'c) -> Self {
        Pair::of(Contestant::new(OURS, ours), Some(Contestant::new(ND_WRITTEN, nd)))
    }

    /// Both compute into memory that exists.
    pub fn into<A: Memory + 'c, B: Memory + 'c>(
        (out, nd_out): (A, B),
        ours: impl Fn(&mut A) + 'c,
        nd: impl Fn(&mut B) + 'c,
    ) -> Self {
        let nd = Contestant::into(ND_WRITTEN, nd_out, nd);
        Pair::of(Contestant::into(OURS, out, ours), Some(nd))
    }

    /// Both change memory that exists and holds the same numbers at first.
    pub fn update<A: Output + Clone + 'c, B: Output + Clone + 'c>(
        (out, nd_out): (A, B),
        ours: impl Fn(&mut A) + 'c,
        nd: impl Fn(&mut B) + 'c,
    ) -> Self {
        let nd = Contestant::update(ND_WRITTEN, nd_out, nd);
        Pair::of(Contestant::update(OURS, out, ours), Some(nd))
    }

    /// Ours, where `ndarray` has nothing like it: a new result each time.
    pub fn alone<A: Output>(ours: impl Fn() -> A + 'c) -> Self {
        Pair::of(Contestant::new(OURS, ours), None)
    }

    fn of(ours: Contestant<'c>, nd: Option<Contestant<'c>>) -> Self {
        Pair { ours, nd, tolerance: 1e-12 }
    }

    /// How far the results may be apart, in parts of them, if that is more than usual.
    pub fn tolerance(mut self, tolerance: f64) -> Self {
        self.tolerance = tolerance;
        self
    }

    /// Those that there are, ours first.
    pub fn contestants(&mut self) -> impl Iterator<Item = &mut Contestant<'c>> {
        std::iter::once(&mut self.ours).chain(&mut self.nd)
    }

    /// Compares the two results.
    ///
    /// # Errors
    /// A sentence about the first element in which they differ.
    pub fn check(&mut self) -> Result<(), String> {
        let Some(nd) = &mut self.nd else { return Ok(()) };
        let values = nd.values();
        let answer = Answer::new(values.len(), self.tolerance, |i| values[i]);
        self.ours.check(&answer).map_err(|wrong| format!("not what ndarray gives: {wrong}"))
    }

    /// Times the two in turn, the order of which changes too, and takes the median of each and that
    /// of their ratios. The two samples of a round lie so close together that other work on the
    /// machine slows both.
    pub fn measure(&mut self, effort: Effort) -> Timing {
        let calls: Vec<usize> =
            self.contestants().map(|one| calls_per_sample(one, effort.sample)).collect();
        let mut times = vec![Vec::new(); calls.len()];
        let mut round = |reverse: bool| {
            let mut turns: Vec<_> = self.contestants().zip(&calls).zip(&mut times).collect();
            if reverse {
                turns.reverse();
            }
            let took = turns.into_iter().map(|((contestant, &calls), times)| {
                if calls > 1 {
                    // What fits in a cache is timed there, not on its way in.
                    contestant.run(1);
                }
                let time = time(contestant, calls);
                times.push(time);
                time * calls as f64
            });
            took.sum::<f64>()
        };
        let first = round(false);
        let wanted = effort.budget.as_secs_f64() / first.max(1e-9);
        (1..(wanted as usize).clamp(3, 101)).for_each(|i| {
            round(i % 2 == 1);
        });
        let ratios = |nd: &[f64]| times[0].iter().zip(nd).map(|(ours, nd)| ours / nd).collect();
        let ratio = times.get(1).map(|nd| median(ratios(nd)));
        let nanoseconds = |times: &Vec<f64>| median(times.clone()) * 1e9;
        Timing { ours: nanoseconds(&times[0]), nd: times.get(1).map(nanoseconds), ratio }
    }
}

/// How much time a measurement takes.
#[derive(Clone, Copy, Debug)]
pub struct Effort {
    /// That of a sample of something quick, which is several calls.
    pub sample: Duration,
    /// That of all rounds together; but there are 3 rounds at least, and 101 at most.
    pub budget: Duration,
}

/// The times of a pair.
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// Ours, in nanoseconds.
    pub ours: f64,
    /// That of `ndarray`.
    pub nd: Option<f64>,
    /// Our time by that of `ndarray`: the median of the rounds' ratios.
    pub ratio: Option<f64>,
}

impl Timing {
    /// The medians of several measurements of one pair.
    pub fn median(timings: &[Timing]) -> Timing {
        let of = |figure: fn(&Timing) -> Option<f64>| {
            let figures: Vec<f64> = timings.iter().filter_map(figure).collect();
            (!figures.is_empty()).then(|| median(figures))
        };
        let ours = of(|timing| Some(timing.ours)).unwrap_or(f64::NAN);
        Timing { ours, nd: of(|timing| timing.nd), ratio: of(|timing| timing.ratio) }
    }
}

#[cfg(test)]
mod tests {
    use super::{Effort, Pair};
    use std::time::Duration;

    #[test]
    fn results_are_compared() {
        assert_eq!(Pair::new(|| 1.0, || 1.0).check(), Ok(()));
        assert!(Pair::new(|| 1.0, || 1.5).check().is_err());
        assert!(Pair::new(|| f64::NAN, || 1.0).check().is_err());
        assert!(Pair::new(|| 1.0, || ndarray::arr1(&[1.0, 1.0])).check().is_err());
        assert_eq!(Pair::new(|| 1.0, || 1.5).tolerance(0.5).check(), Ok(()));
        assert_eq!(Pair::alone(|| 1.0).check(), Ok(()));
    }

    #[test]
    fn a_look_at_an_update_leaves_it_as_it_was() {
        let add = |x: &mut f64| *x += 1.0;
        let mut pair = Pair::update((1.0, 1.0), add, add);
        assert_eq!((pair.check(), pair.check()), (Ok(()), Ok(())));
        assert!(Pair::update((1.0, 2.0), add, add).check().is_err());
    }

    #[test]
    fn times_come_with_their_ratio() {
        let effort = Effort { sample: Duration::from_micros(10), budget: Duration::from_millis(1) };
        let timing = Pair::new(|| 1.0, || 1.0).measure(effort);
        assert!(timing.ours > 0.0 && timing.nd.is_some() && timing.ratio.is_some());
        let timing = Pair::alone(|| 1.0).measure(effort);
        assert!(timing.nd.is_none() && timing.ratio.is_none());
    }
}
