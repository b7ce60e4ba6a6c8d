//! Ranks that fail: every rank gets the error, and nobody waits.

use elementwise::{Array2, Sum, s};
use rows::{Communicator, Error, ErrorKind, Rows, Threads, threads, together};
use std::ops::Range;
use std::sync::Mutex;

fn data() -> Array2<f32> {
    Array2::from_fn([20_000, 3], |[i, j]| (i * 3 + j) as f32)
}

/// What each rank gets as its error.
fn errors(size: usize, body: impl Fn(&Threads) -> Result<(), Error> + Sync) -> Vec<String> {
    let found = Mutex::new(vec![String::new(); size]);
    let result = threads(size, |comm| {
        let result = body(comm);
        if let Err(error) = &result {
            found.lock().unwrap()[comm.rank()] = error.to_string();
        }
        result
    });
    assert!(result.is_err());
    found.into_inner().unwrap()
}

#[test]
fn a_closure_that_fails_fails_everywhere() {
    let x = data();
    let refuse = |range: Range<usize>| match range.contains(&9000) {
        true => Err(Error::from("row 9000 is bad")),
        false => Ok(x.slice(s![range, ..])?),
    };
    for size in 1..6 {
        let failed: [(&str, &(dyn Fn(&Rows<'_>) -> Result<(), Error> + Sync)); 4] = [
            ("reduce", &|rows| rows.reduce(refuse, Sum, 0).map(drop)),
            ("along columns", &|rows| rows.reduce(refuse, Sum, 1).map(drop)),
            ("map", &|rows| rows.map(refuse).map(drop)),
            ("gather", &|rows| rows.gather(refuse).map(drop)),
        ];
        for (what, call) in failed {
            let found = errors(size, |comm| call(&Rows::new(comm, x.shape())));
            for text in &found {
                assert!(text.starts_with("rank "), "{what}: {text}");
                assert!(text.ends_with(": row 9000 is bad"), "{what}: {text}");
                assert_eq!(text, &found[0], "{what}, {size} ranks");
            }
        }
    }
}

#[test]
fn the_rank_that_failed_knows_why() {
    let x = data();
    let kinds = Mutex::new(Vec::new());
    let result = threads(3, |comm| {
        let rows = Rows::new(comm, x.shape());
        let bad = |range: Range<usize>| Ok(x.slice(s![range.clone(), ..(1 + range.start % 2)])?);
        let error = rows.reduce(bad, Sum, 0).unwrap_err();
        assert!(error.is_everywhere() && error.rank() == Some(0));
        assert_eq!(error.rows().unwrap().start, 0);
        let known = matches!(error.kind(), ErrorKind::Array(_));
        kinds.lock().unwrap().push((comm.rank(), known, error.to_string()));
        // All know of it, so they can go on together.
        rows.reduce(|range| Ok(x.slice(s![range, ..])?), Sum, ..)
    });
    assert!(result.is_ok());
    let mut kinds = kinds.into_inner().unwrap();
    kinds.sort();
    let known: Vec<bool> = kinds.iter().map(|(_, known, _)| *known).collect();
    assert_eq!(known, [true, false, false]);
    assert!(kinds.iter().all(|(_, _, text)| text == &kinds[0].2), "{kinds:?}");
}

#[test]
fn a_closure_that_panics_fails_everywhere() {
    let x = data();
    let found = errors(4, |comm| {
        let body = |range: Range<usize>| {
            assert!(comm.rank() != 2, "rank 2 panics");
            Ok(x.slice(s![range, ..])?)
        };
        Rows::new(comm, x.shape()).reduce(body, Sum, 0).map(drop)
    });
    for (rank, text) in found.iter().enumerate() {
        // The rank that panics has no error to return.
        let expected = if rank == 2 { "" } else { "panicked: rank 2 panics" };
        assert!(text.ends_with(expected), "{rank}: {text}");
        assert_eq!(text.is_empty(), rank == 2);
    }
    let error = threads(2, |comm| {
        assert!(comm.rank() == 0, "at once");
        comm.barrier()
    });
    let error = error.unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Panicked(text) if text.contains("at once")));
    assert_eq!(error.rank(), Some(1));
}

#[test]
fn a_rank_that_leaves_is_not_waited_for() {
    let x = data();
    let found = errors(3, |comm| {
        if comm.rank() == 1 {
            return Err("I leave".into());
        }
        Rows::new(comm, x.shape()).reduce(|range| Ok(x.slice(s![range, ..])?), Sum, 0).map(drop)
    });
    assert_eq!(found[1], "I leave");
    for rank in [0, 2] {
        assert_eq!(found[rank], "rank 1 has ended, and takes no part any more");
    }
    let found = errors(3, |comm| {
        together(comm, || match comm.rank() {
            1 => Err("no such file".into()),
            _ => Ok(()),
        })
    });
    assert_eq!(found, ["rank 1: no such file"; 3]);
}

#[test]
fn shares_cover_all_rows() {
    for size in 1..9 {
        for rows in 0..20 {
            let shares = threads(size, |comm| Ok(Rows::new(comm, [rows, 2]).range())).unwrap();
            let mut next = 0;
            for share in &shares {
                assert_eq!(share.start, next);
                next = share.end;
            }
            assert_eq!(next, rows);
            let lens: Vec<usize> = shares.iter().map(Range::len).collect();
            assert!(lens.iter().max().unwrap() - lens.iter().min().unwrap() <= 1);
        }
    }
}
