//! The same bits for any number of threads and instruction set, those of a plain definition, and
//! the distributions that they should have.

use arrayrandom::{Philox, RandomExt, Replacement, SampleExt, permutation};
use elementwise::{Array, Array1, Array2, Exec, Isa, Reductions};
use ndcore::{Dyn, LayoutErrorKind};
use rand::Rng;
use rand::distr::{StandardUniform, Uniform};

/// Word `word` of block `block`, by the definition, one at a time.
fn word(seed: u64, block: u64, word: usize) -> u32 {
    let mut counter = [block as u32, (block >> 32) as u32, 0, 0];
    let mut key = [seed as u32, (seed >> 32) as u32];
    for _ in 0..10 {
        let x = u64::from(counter[0]) * 0xD251_1F53;
        let y = u64::from(counter[2]) * 0xCD9E_8D57;
        counter = [
            (y >> 32) as u32 ^ counter[1] ^ key[0],
            y as u32,
            (x >> 32) as u32 ^ counter[3] ^ key[1],
            x as u32,
        ];
        key = [key[0].wrapping_add(0x9E37_79B9), key[1].wrapping_add(0xBB67_AE85)];
    }
    counter[word]
}

const LENGTHS: [usize; 9] = [0, 1, 31, 64, 65, 2047, 2049, 5000, 70_001];

#[test]
fn the_bits_are_those_of_the_definition() {
    for len in LENGTHS {
        let bits: Array1<u32> = Philox::new(77).bits(len).unwrap();
        for (i, found) in bits.iter().enumerate() {
            let (group, within) = (i / 64, i % 64);
            let expected = word(77, (16 * group + within % 16) as u64, within / 16);
            assert_eq!(*found, expected, "element {i} of {len}");
        }
        let units: Array1<f32> = Philox::new(77).uniform(len, 0.0..1.0).unwrap();
        let same = units.iter().zip(bits.iter());
        assert!(same.into_iter().all(|(unit, bits)| *unit == (bits >> 8) as f32 / 16_777_216.0));
        let wide: Array1<u64> = Philox::new(77).bits(len).unwrap();
        let units: Array1<f64> = Philox::new(77).uniform(len, 0.0..1.0).unwrap();
        let both = units.iter().zip(wide.iter());
        assert!(both.into_iter().all(|(u, bits)| *u == (bits >> 12) as f64 / (1_u64 << 52) as f64));
    }
}

/// What the method of Box and Muller makes of two words, computed in double precision.
fn box_muller(words: [u32; 2]) -> [f64; 2] {
    // As `f32` has it: 24 bits of the first one.
    let unit = f64::from(((words[0] >> 1) as f32 + 0.5) / 2_147_483_648.0);
    let turn = f64::from(words[1]) / 4_294_967_296.0 * std::f64::consts::TAU;
    let radius = (-2.0 * unit.ln()).sqrt();
    [radius * turn.cos(), radius * turn.sin()]
}

#[test]
fn normal_numbers_are_those_of_the_definition() {
    let mut most = 0.0_f64;
    for len in LENGTHS {
        let found: Array1<f32> = Philox::new(77).normal(len, 0.0, 1.0).unwrap();
        for (i, found) in found.iter().enumerate() {
            let (group, half, within) = (i / 64, i % 64 / 32, i % 32);
            let block = (16 * group + within % 16) as u64;
            let pair = [0, 1].map(|number| word(77, block, 2 * half + number));
            let expected = box_muller(pair);
            let radius = expected[0].hypot(expected[1]);
            let far = (f64::from(*found) - expected[within / 16]).abs() / radius.max(1e-30);
            most = most.max(far);
            assert!(far < 1e-6, "element {i} of {len}: {found}, not {}", expected[within / 16]);
        }
    }
    assert!(most > 1e-9, "the definition is not what is computed itself: {most}");
}

/// Everything that is filled, as bits.
fn all_of(len: usize) -> Vec<u64> {
    let mut rng = Philox::with_stream(5, 9);
    let a: Array1<f32> = rng.uniform(len, -2.0..3.0).unwrap();
    let b: Array1<f64> = rng.uniform(len, -2.0..3.0).unwrap();
    let c: Array1<f32> = rng.normal(len, 1.0, 2.0).unwrap();
    let d: Array1<f64> = rng.normal(len, 1.0, 2.0).unwrap();
    let e: Array1<u64> = rng.bits(len).unwrap();
    let singles = a.iter().chain(c.iter()).map(|x| u64::from(x.to_bits()));
    let doubles = b.iter().chain(d.iter()).map(|x| x.to_bits());
    singles.chain(doubles).chain(e.iter().copied()).chain([rng.next_u64()]).collect()
}

#[test]
fn threads_and_instruction_sets_make_no_difference() {
    for len in LENGTHS {
        let expected = Exec::new().parallel(false).install(|| all_of(len));
        for threads in [1, 2, 3, 7, 16] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            assert!(pool.install(|| all_of(len)) == expected, "{threads} threads, {len}");
        }
        for isa in Isa::available() {
            let found = Exec::new().isa(isa).install(|| all_of(len));
            assert!(found == expected, "{isa:?}, {len}");
        }
    }
}

/// The largest distance between the shares found and those expected, of sorted values.
fn distance(mut values: Vec<f64>, share: impl Fn(f64) -> f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let n = values.len() as f64;
    let far = |(i, x): (usize, &f64)| (share(*x) - (i as f64 + 0.5) / n).abs();
    values.iter().enumerate().map(far).fold(0.0, f64::max)
}

/// The normal distribution function, by a series.
fn normal_share(x: f64) -> f64 {
    if x.abs() > 7.0 {
        return if x > 0.0 { 1.0 } else { 0.0 };
    }
    let (mut term, mut sum, mut k) = (x, x, 1.0);
    while term.abs() > 1e-18 {
        term *= x * x / (2.0 * k + 1.0);
        sum += term;
        k += 1.0;
    }
    0.5 + sum * (-x * x / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt()
}

#[test]
fn the_distributions_are_those_asked_for() {
    let n = 100_000;
    // A distance that one run in a million has by chance.
    let allowed = 2.7 / (n as f64).sqrt();
    let mut rng = Philox::new(2024);
    let single = |a: Array1<f32>| a.iter().map(|x| f64::from(*x)).collect::<Vec<_>>();
    for round in 0..2 {
        let unit = |x: f64| ((x + 2.0) / 5.0).clamp(0.0, 1.0);
        let far = distance(single(rng.uniform(n, -2.0..3.0).unwrap()), unit);
        assert!(far < allowed, "uniform f32, {round}: {far}");
        let far = distance(rng.uniform(n, -2.0..3.0).unwrap().to_vec(), unit);
        assert!(far < allowed, "uniform f64, {round}: {far}");
        let far = distance(single(rng.normal(n, 0.0, 1.0).unwrap()), normal_share);
        assert!(far < allowed, "normal f32, {round}: {far}");
        let normal: Array1<f64> = rng.normal(n, 0.0, 1.0).unwrap();
        assert!(distance(normal.to_vec(), normal_share) < allowed, "normal f64, {round}");
        // The two that come of one block have nothing to do with each other.
        let halves = normal.to_vec();
        let pairs =
            halves.chunks_exact(32).flat_map(|group| (0..16).map(|i| group[i] * group[16 + i]));
        let correlation = pairs.sum::<f64>() / (n as f64 / 2.0);
        assert!(correlation.abs() < 5.0 / (n as f64 / 2.0).sqrt(), "{correlation}");
    }
    let far: Array1<f32> = rng.normal(1 << 19, 0.0, 1.0).unwrap();
    assert!(far.max().unwrap() > 4.0 && far.min().unwrap() < -4.0);
    assert!(far.iter().all(|x| x.is_finite()));
    // The end is not reached, even where rounding would.
    let narrow: Array1<f32> = rng.uniform(100_000, 1.0..1.0_f32.next_up()).unwrap();
    assert!(narrow.iter().all(|x| *x == 1.0));
}

#[test]
fn nothing_is_drawn_twice() {
    let mut rng = Philox::new(3);
    let (a, word, b): (Array1<u32>, u32, Array1<u32>) =
        (rng.bits(10).unwrap(), rng.next_u32(), rng.bits(100).unwrap());
    assert!(!b.iter().any(|x| a.iter().any(|y| x == y) || *x == word));
    let other: Array1<u32> = Philox::with_stream(3, 1).bits(100).unwrap();
    assert!(!b.iter().any(|x| other.iter().any(|y| x == y)));
    // Drawn one by one, they are the words of the blocks.
    let mut rng = Philox::new(3);
    let words: Vec<u32> = (0..9).map(|_| rng.next_u32()).collect();
    let expected: Vec<u32> = (0..9).map(word_of).collect();
    assert_eq!(words, expected);
}

fn word_of(i: usize) -> u32 {
    word(3, (i / 4) as u64, i % 4)
}

#[test]
fn shapes_and_distributions_of_any_kind() {
    let mut rng = Philox::new(1);
    let a: Array<f32, Dyn> = rng.normal(vec![3, 1, 5], 0.0, 1.0).unwrap();
    assert_eq!((a.shape(), a.strides()), (&[3, 1, 5][..], &[5, 5, 1][..]));
    let none: Array2<f64> = rng.uniform([0, 3], 0.0..1.0).unwrap();
    assert_eq!(none.shape(), [0, 3]);
    let err = rng.uniform::<f64, _>([usize::MAX, 3], 0.0..1.0).unwrap_err();
    assert!(matches!(err.kind(), LayoutErrorKind::SizeOverflow { .. }));
    let err = rng.bits::<u64, _>(vec![1; 17]).unwrap_err();
    assert!(matches!(err.kind(), LayoutErrorKind::RankTooHigh { .. }));

    let dice = Array2::<i32>::random([100, 60], Uniform::new_inclusive(1, 6).unwrap(), &mut rng);
    assert_eq!((dice.min().unwrap(), dice.max().unwrap()), (1, 6));
    let coins = Array1::<bool>::random(1000, StandardUniform, &mut rng);
    assert!((400..600).contains(&coins.count_nonzero().unwrap()));
}

#[test]
fn permutations_and_samples() {
    let mut rng = Philox::new(1);
    for n in [0, 1, 2, 1000] {
        let mut order = permutation(n, &mut rng).to_vec();
        assert!(n < 1000 || order.iter().enumerate().any(|(i, x)| i != *x));
        order.sort_unstable();
        assert!(order.into_iter().eq(0..n));
    }
    // All orders of three are as likely as each other.
    let mut counts = std::collections::BTreeMap::new();
    for _ in 0..6000 {
        *counts.entry(permutation(3, &mut rng).to_vec()).or_insert(0) += 1;
    }
    assert!(counts.len() == 6 && counts.values().all(|count| (850..1150).contains(count)));

    let a = Array2::from_fn([50, 4], |[i, j]| 10 * i + j);
    let turned = a.t();
    let sample = turned.sample_axis(1, 20, Replacement::Without, &mut rng).unwrap();
    assert_eq!(sample.shape(), [4, 20]);
    let mut drawn: Vec<usize> = sample.row(0).iter().map(|x| x / 10).collect();
    assert!(sample.indexed_iter().all(|([j, i], x)| *x == 10 * drawn[i] + j));
    drawn.sort_unstable();
    drawn.dedup();
    assert_eq!(drawn.len(), 20);
    let again = a.sample_axis(0, 500, Replacement::With, &mut rng).unwrap();
    assert_eq!(again.shape(), [500, 4]);
    assert!(again.rows().into_iter().all(|row| row[[3]] == row[[0]] + 3));

    let none = Array2::<f32>::zeros([0, 4]);
    assert_eq!(none.sample_axis(0, 0, Replacement::With, &mut rng).unwrap().shape(), [0, 4]);
    for err in [
        none.sample_axis(0, 1, Replacement::With, &mut rng).unwrap_err(),
        a.sample_axis(0, 51, Replacement::Without, &mut rng).map(drop).unwrap_err(),
    ] {
        assert!(matches!(err.kind(), LayoutErrorKind::SliceOutOfRange { axis: 0, .. }), "{err}");
    }
    let err = a.shuffled(2, &mut rng).unwrap_err();
    assert!(matches!(err.kind(), LayoutErrorKind::AxisOutOfRange { axis: 2, .. }), "{err}");
}

/// Ranges that are wider than the type holds are filled from end to end, and those without numbers
/// have their start.
#[test]
fn ranges_of_any_width() {
    let most = f64::MAX;
    for (start, end) in [(-1e308, 1e308), (-most, most), (-most, 0.0), (0.0, most)] {
        let x: Array1<f64> = Philox::new(3).uniform(100_000, start..end).unwrap();
        assert!(x.iter().all(|&x| start <= x && x < end), "{start}..{end}");
        for part in 0..10 {
            let at = |part: f64| start * (1.0 - part / 10.0) + end * (part / 10.0);
            let (low, high) = (at(f64::from(part)), at(f64::from(part) + 1.0));
            let count = x.iter().filter(|&&x| low <= x && x < high).count();
            assert!((9_500..10_500).contains(&count), "{start}..{end}: {count} in part {part}");
        }
    }
    let wide: Array1<f32> = Philox::new(3).uniform(1000, -f32::MAX..f32::MAX).unwrap();
    assert!(wide.iter().filter(|x| **x < 0.0).count().abs_diff(500) < 60);
    for (start, end) in [(5.0, 1.0), (2.0, 2.0), (0.0, -0.0)] {
        let x: Array1<f64> = Philox::new(3).uniform(100, start..end).unwrap();
        assert!(x.iter().all(|&x| x == start), "{start}..{end}");
    }
}

#[test]
fn samples_beyond_memory() {
    let a = Array1::from_vec(vec![1_u8, 2, 3]);
    for n in [usize::MAX, 1 << 60] {
        let drawn = a.sample_axis(0, n, Replacement::With, &mut Philox::new(1));
        let kind = drawn.unwrap_err();
        assert!(matches!(kind.kind(), LayoutErrorKind::AllocationFailed { .. }), "{kind}");
    }
}
