//! Files in and out: by ranks, mapped and in slabs.

mod common;

use arrayfile::{Map, npy};
use common::{Place, SMALL, data};
use elementwise::{Array1, Expr, Mean, NewAxis, Rank, Reductions, Sum, UnaryMethods, s};
use rows::{Communicator, ErrorKind, Mapped, Rows, Slabs, threads};
use std::fs;
use std::path::Path;

#[test]
fn what_is_written_is_the_same_for_ranks_maps_and_slabs() {
    let place = Place::new("write");
    for rows in [0, 1, 2, 999] {
        let (x, v) = (data(rows), Array1::<f32>::linspace(0.5, 2.0, 7));
        npy::write(place.file("x.npy"), &x).unwrap();
        let expected = ((&x * v.along([1])).tanh() - &x).eval().unwrap();
        npy::write(place.file("expected.npy"), &expected).unwrap();
        let expected = fs::read(place.file("expected.npy")).unwrap();
        for ranks in 1..5 {
            threads(ranks, |comm| {
                // SAFETY: nobody writes to it.
                let map = unsafe { Map::open(place.file("x.npy"))? };
                let mapped = Mapped::<f32, Rank<2>>::of(&map)?;
                let in_order = Rows::new(comm, [rows, 7]);
                in_order.write(place.file("mapped.npy"), |range| {
                    let x = mapped.rows(range)?;
                    Ok((x * v.along([1])).tanh() - x)
                })?;
                let in_slabs = Rows::new(comm, [rows, 7]).in_slabs(SMALL);
                let read = in_slabs.open::<f32, Rank<2>>(place.file("x.npy"))?;
                in_slabs.write(place.file("slabs.npy"), |range| {
                    let x = read.rows(range)?;
                    Ok((&x * v.along([1])).tanh() - &x)
                })
            })
            .unwrap();
            for name in ["mapped.npy", "slabs.npy"] {
                let found = fs::read(place.file(name)).unwrap();
                assert!(found == expected, "{name}: {rows} rows, {ranks} ranks");
            }
        }
        assert_eq!(place.names(), ["expected.npy", "mapped.npy", "slabs.npy", "x.npy"]);
    }
}

#[test]
fn slabs_reduce_to_the_same_bits() {
    let place = Place::new("reduce");
    let x = data(20_011);
    npy::write(place.file("x.npy"), &x).unwrap();
    for ranks in 1..4 {
        threads(ranks, |comm| {
            let rows = Rows::new(comm, x.shape()).in_slabs(Slabs { bytes: 30_000, ahead: 1 });
            let read = rows.open::<f32, Rank<2>>(place.file("x.npy"))?;
            for _ in 0..2 {
                assert_eq!(rows.reduce(|range| read.rows(range), Sum, 0)?, x.sum_axis(0)?);
                assert_eq!(rows.reduce(|range| read.rows(range), Mean, ..)?[[]], x.mean()?);
                assert_eq!(rows.reduce(|range| read.rows(range), Sum, 1)?, x.sum_axis(1)?);
            }
            Ok(())
        })
        .unwrap();
    }
}

#[test]
fn progress_is_told() {
    let x = data(100);
    let told = std::cell::RefCell::new(Vec::new());
    let rows = Rows::new(&rows::Solo, x.shape()).in_slabs(SMALL);
    let rows = rows.with_progress(|done, all| told.borrow_mut().push((done, all)));
    rows.reduce(|range| Ok(x.slice(s![range, ..])?), Sum, 1).unwrap();
    let told = told.borrow();
    assert_eq!(told.last(), Some(&(100, 100)));
    assert!(told.len() > 1 && told.windows(2).all(|pair| pair[0].0 < pair[1].0));
}

/// A failure leaves no file, and what was there before stays.
fn fails(
    place: &Place,
    ranks: usize,
    expected: &str,
    write: impl Fn(&Rows<'_>, &Path) -> Result<(), rows::Error> + Sync,
) {
    let out = place.file("out.npy");
    fs::write(&out, "before").unwrap();
    let before = place.names();
    let found = std::sync::Mutex::new(Vec::new());
    let result = threads(ranks, |comm| {
        let error = write(&Rows::new(comm, [1000, 7]).in_slabs(SMALL), &out).expect_err(expected);
        found.lock().unwrap().push(error.to_string());
        assert!(error.is_everywhere());
        Ok(())
    });
    result.unwrap();
    for text in found.into_inner().unwrap() {
        assert!(text.contains(expected) && text.starts_with("rank "), "{text}");
    }
    assert_eq!(place.names(), before);
    assert_eq!(fs::read(&out).unwrap(), b"before");
}

#[test]
fn failures_leave_no_file_that_is_not_whole() {
    let place = Place::new("fail");
    let x = data(1000);
    npy::write(place.file("x.npy"), &x).unwrap();
    let of = |range| Ok(x.slice(s![range, ..])?);
    for ranks in 1..4 {
        fails(&place, ranks, ": row 700 is bad", |rows, out| {
            rows.write(out, |range| match range.contains(&700) {
                true => Err("row 700 is bad".into()),
                false => of(range),
            })
        });
        let panicked = threads(ranks, |comm| {
            Rows::new(comm, [1000, 7]).in_slabs(SMALL).write(place.file("y.npy"), |range| {
                assert!(!range.contains(&700), "row 700");
                of(range)
            })
        });
        assert!(matches!(panicked.unwrap_err().kind(), ErrorKind::Panicked(_)));
        fails(&place, ranks, "a result of shape [1, 7] for", |rows, out| {
            rows.write(out, |range| Ok(x.slice(s![..1.min(range.len()), ..])?))
        });
        fails(&place, ranks, "creating the file", |rows, out| rows.write(out.join("out.npy"), of));
    }
    fails(&place, 3, "where others have rows of shape", |rows, out| {
        let narrow = rows.comm().rank() == 2;
        rows.write(out, |range| Ok(x.slice(s![range, ..if narrow { 3 } else { 7 }])?))
    });
    assert_eq!(place.names(), ["out.npy", "x.npy"]);
    let wide = Rows::new(&rows::Solo, [5]);
    wide.write(place.file("y.npy"), |range| Ok(x.slice(s![range, ..2, NewAxis])?)).unwrap();
    assert_eq!(npy::read::<f32, Rank<3>>(place.file("y.npy")).unwrap().shape(), [5, 2, 1]);
}

#[test]
fn short_and_shortened_files_are_errors_with_their_rows() {
    let place = Place::new("short");
    let (x, path) = (data(1000), place.file("x.npy"));
    npy::write(&path, &x).unwrap();
    for ranks in 1..4 {
        let error =
            threads(ranks, |comm| Rows::new(comm, [1001, 7]).open::<f32, Rank<2>>(&path).map(drop));
        let text = error.unwrap_err().to_string();
        assert!(text.contains("x.npy has 1000 rows, not 1001"), "{text}");
        let found = std::sync::Mutex::new(Vec::new());
        threads(ranks, |comm| {
            let rows = Rows::new(comm, [1000, 7]).in_slabs(SMALL);
            let read = rows.open::<f32, Rank<2>>(&path)?;
            comm.barrier()?;
            if comm.rank() == 0 {
                fs::File::options().write(true).open(&path).unwrap().set_len(20_000).unwrap();
            }
            comm.barrier()?;
            let error = rows.write(place.file("y.npy"), |range| read.rows(range)).unwrap_err();
            assert!(matches!(error.kind(), ErrorKind::File(_) | ErrorKind::Elsewhere(_)));
            found.lock().unwrap().push(error.to_string());
            comm.barrier()
        })
        .unwrap();
        for text in found.into_inner().unwrap() {
            assert!(
                text.contains("x.npy") && text.contains("rows ") && text.contains("rank "),
                "{text}"
            );
            assert!(text.contains("bytes"), "{text}");
        }
        npy::write(&path, &x).unwrap();
        assert_eq!(place.names(), ["x.npy"]);
    }
}

#[test]
fn a_process_that_ends_early_leaves_what_was_there() {
    let x = data(1000);
    common::what_ends_early_leaves_what_was_there(
        "a_process_that_ends_early_leaves_what_was_there",
        |rows, path, each| {
            rows.write(path, |range| {
                each(&range);
                Ok(x.slice(s![range, ..])?.lazy())
            })
        },
        |path| npy::read(path).unwrap(),
    );
}
