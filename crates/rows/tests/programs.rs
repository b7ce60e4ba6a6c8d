//! All programs with 1, 2, 3, 5 and 8 threads as ranks: the same bits.

/// What one process makes of the whole array.
macro_rules! one_process {
    ($hash:expr) => {
        Some($hash)
    };
}

#[path = "../examples/programs/list.rs"]
mod list;

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let alone = list::all(&rows::Solo).unwrap();
    assert!(alone.len() > 12);
    let mut failures = Vec::new();
    for ranks in [1, 2, 3, 5, 8] {
        for (rank, hashes) in
            rows::threads(ranks, |comm| list::all(comm)).unwrap().iter().enumerate()
        {
            for (expected, found) in alone.iter().zip(hashes) {
                if expected != found {
                    failures
                        .push(format!("{ranks} ranks, rank {rank}: {found:?}, not {expected:?}"));
                }
            }
            assert_eq!(alone.len(), hashes.len());
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
