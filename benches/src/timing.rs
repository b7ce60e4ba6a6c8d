//! Interleaved timing: A B C, B C A, C A B, and the median of each.
//!
//! The machines are shared and absolute times drift, so what is compared is timed within the same
//! second. Each contestant comes first in turn, and runs once before it is timed: what fits in a
//! cache is timed there, and the threads of the pool are awake. After a pause, or a peer that ran
//! on one thread, some machines run two of them on one processor for as long as 10 ms.

use crate::case::{Contestant, Trial};
use crate::python::Session;
use std::time::{Duration, Instant};

/// A sample of something quick covers this much time, in several calls.
const SAMPLE: Duration = Duration::from_micros(1000);

/// How long the threads of Python's packages may go on spinning once they have nothing to do.
const SPIN: Duration = Duration::from_millis(20);

/// Median times by contestant, in milliseconds.
pub type Medians = Vec<(String, f64)>;

/// Times the contestants of a trial and, in the other process, the Python peers that have loaded
/// it.
///
/// # Errors
/// If the other process fails.
pub fn measure(
    trial: &mut Trial<'_>,
    mut python: Option<&mut Session>,
    rounds: usize,
) -> Result<Medians, String> {
    let calls: Vec<usize> =
        trial.contestants.iter_mut().map(|one| calls_per_sample(one, SAMPLE)).collect();
    let mut samples: Vec<(String, Vec<f64>)> = trial
        .contestants
        .iter()
        .map(|contestant| (contestant.name.to_owned(), Vec::new()))
        .collect();
    let contestants = calls.len();
    for round in 0..rounds {
        for turn in 0..contestants {
            let at = (round + turn) % contestants;
            let (contestant, calls) = (&mut trial.contestants[at], calls[at]);
            let (_, times) = &mut samples[at];
            contestant.run(1);
            times.push(time(contestant, calls) * 1e3);
        }
        let Some(python) = &mut python else { continue };
        for (peer, time) in python.round()? {
            match samples.iter_mut().find(|(name, _)| *name == peer) {
                Some((_, times)) => times.push(time),
                None => samples.push((peer, vec![time])),
            }
        }
        std::thread::sleep(SPIN);
    }
    Ok(samples.into_iter().map(|(name, times)| (name, median(times))).collect())
}

/// Seconds per call.
pub(crate) fn time(contestant: &mut Contestant<'_>, calls: usize) -> f64 {
    let start = Instant::now();
    contestant.run(calls);
    start.elapsed().as_secs_f64() / calls as f64
}

/// As many calls as take so long together.
pub(crate) fn calls_per_sample(contestant: &mut Contestant<'_>, sample: Duration) -> usize {
    let mut calls = 1;
    loop {
        let took = time(contestant, calls) * calls as f64;
        if took >= sample.as_secs_f64() {
            return calls;
        }
        // No more than ten times as many: the first calls are slow.
        let wanted = sample.as_secs_f64() / took.max(1e-9);
        calls = (calls as f64 * wanted.clamp(1.2, 10.0)).ceil() as usize;
    }
}

/// The middle of the samples; NaN of none.
pub fn median(mut samples: Vec<f64>) -> f64 {
    samples.sort_by(f64::total_cmp);
    match samples.len() {
        0 => f64::NAN,
        n if n % 2 == 1 => samples[n / 2],
        n => (samples[n / 2 - 1] + samples[n / 2]) / 2.0,
    }
}

#[cfg(test)]
mod tests {
    use super::median;

    #[test]
    fn median_of_odd_and_even() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(vec![4.0, 1.0, 2.0, 3.0]), 2.5);
        assert!(median(vec![]).is_nan());
    }
}
