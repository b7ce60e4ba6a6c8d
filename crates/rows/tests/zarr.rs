//! Zarr arrays in and out: by ranks and in slabs, and what is wrong with them. With a Python that
//! has `zarr`, named by `ZEROSTRIDE_PYTHON`, zarr-python is on the other side.

mod common;

use arrayfile::{ElementKind, FileElement, npy};
use common::{Place, SMALL, data};
use elementwise::{Array, Array2, Dyn, Element, Expr, Rank, Reductions, Sum, UnaryMethods, s};
use half::{bf16, f16};
use num_complex::Complex;
use rows::{Absent, Communicator, Error, ErrorKind, Rows, Solo, Zarr, ZarrError, threads};
use std::fs;
use std::path::Path;
use std::sync::Mutex;

const WAYS: [Zarr; 4] = [
    Zarr { rows: Some(1), gzip: None },
    Zarr { rows: Some(13), gzip: Some(1) },
    Zarr { rows: Some(64), gzip: None },
    Zarr { rows: None, gzip: Some(0) },
];

#[test]
fn what_is_written_is_read_again_by_ranks_and_in_slabs() {
    let place = Place::new("round");
    let path = place.file("x.zarr");
    for rows in [0, 1, 131] {
        let x = data(rows);
        let expected = (&x * 2.0).tanh().eval().unwrap();
        for zarr in WAYS {
            for ranks in 1..4 {
                let found = threads(ranks, |comm| {
                    let part = Rows::new(comm, x.shape());
                    // In place of the one before.
                    part.write_zarr(&path, zarr, |range| Ok(x.slice(s![range, ..])?.lazy()))?;
                    let read = part.open_zarr::<f32, Rank<2>>(&path, Absent::IsError)?;
                    assert_eq!(read.shape(), x.shape());
                    let at_once = part.gather(|range| Ok((read.rows(range)? * 2.0).tanh()))?;
                    let part = Rows::new(comm, x.shape()).in_slabs(SMALL);
                    let read = part.open_zarr::<f32, Dyn>(&path, Absent::IsError)?;
                    part.write(place.file("y.npy"), |range| Ok((read.rows(range)? * 2.0).tanh()))?;
                    if rows > 0 {
                        let sums = part.reduce(|range| read.rows(range), Sum, 0)?;
                        assert_eq!(sums.to_vec(), x.sum_axis(0)?.to_vec());
                    }
                    Ok(at_once)
                });
                for found in found.unwrap() {
                    assert!(found == expected, "{rows} rows, {zarr:?}, {ranks} ranks");
                }
                let written: Array2<f32> = npy::read(place.file("y.npy")).unwrap();
                assert!(written == expected, "{rows} rows, {zarr:?}, {ranks} ranks, in slabs");
            }
        }
    }
    assert_eq!(place.names(), ["x.zarr", "y.npy"]);
}

/// All elements of a type, there and back, as an array of rank 3.
fn there_and_back<T: FileElement + Element + PartialEq>(of: impl Fn(usize) -> T) {
    let place = Place::new(&format!("type-{:?}", T::KIND));
    let x = Array::<T, Rank<3>>::from_fn([11, 2, 5], |[i, j, k]| of((i * 2 + j) * 5 + k));
    let rows = Rows::new(&Solo, x.shape());
    let zarr = Zarr { rows: Some(4), gzip: None };
    rows.write_zarr(place.file("x"), zarr, |range| Ok(x.slice(s![range, .., ..])?.lazy())).unwrap();
    let read = rows.open_zarr::<T, Rank<3>>(place.file("x"), Absent::IsError).unwrap();
    assert!(rows.map(|range| read.rows(range)).unwrap() == x, "{}", T::KIND);
}

#[test]
fn elements_of_every_type() {
    there_and_back(|i| i % 3 == 0);
    there_and_back(|i| i as i8);
    there_and_back(|i| i as i16 - 50);
    there_and_back(|i| i as i32 - 50);
    there_and_back(|i| i as i64 - 50);
    there_and_back(|i| i as u8);
    there_and_back(|i| i as u16);
    there_and_back(|i| i as u32);
    there_and_back(|i| i as u64);
    there_and_back(|i| f16::from_f32(i as f32 - 50.0));
    there_and_back(|i| bf16::from_f32(i as f32 - 50.0));
    there_and_back(|i| i as f32 - 0.5);
    there_and_back(|i| i as f64 - 0.5);
    there_and_back(|i| Complex::new(i as f32, 1.0));
    there_and_back(|i| Complex::new(1.0, i as f64));
}

/// What each rank says when it reads a column sum.
fn refused(path: &Path, ranks: usize, rows: usize) -> Vec<String> {
    let found = Mutex::new(Vec::new());
    threads(ranks, |comm| {
        let part = Rows::new(comm, [rows, 7]).in_slabs(SMALL);
        let read = part.open_zarr::<f32, Rank<2>>(path, Absent::IsError)?;
        let error = part.reduce(|range| read.rows(range), Sum, 1).unwrap_err();
        assert!(error.is_everywhere());
        let here = error.rank() == Some(comm.rank());
        assert_eq!(here, matches!(error.kind(), ErrorKind::Zarr { .. }), "{error}");
        found.lock().unwrap().push(error.to_string());
        comm.barrier()
    })
    .unwrap();
    found.into_inner().unwrap()
}

#[test]
fn chunks_that_are_short_or_absent_are_errors_with_their_file_and_rows() {
    let place = Place::new("chunks");
    let (x, path) = (data(1000), place.file("x.zarr"));
    for gzip in [None, Some(1)] {
        let zarr = Zarr { rows: Some(50), gzip };
        let write = || {
            let rows = Rows::new(&Solo, x.shape());
            rows.write_zarr(&path, zarr, |range| Ok(x.slice(s![range, ..])?.lazy())).unwrap();
        };
        for ranks in 1..4 {
            write();
            let chunk = path.join("c").join("14").join("0");
            let file = fs::File::options().write(true).open(&chunk).unwrap();
            file.set_len(100).unwrap();
            for text in refused(&path, ranks, 1000) {
                assert!(text.contains("x.zarr/c/14/0: reading a chunk: "), "{text}");
                let rows = text.split_once("rows ").unwrap().1.split_once(':').unwrap().0;
                let (start, end) = rows.split_once("..").unwrap();
                let rows = start.parse::<usize>().unwrap()..end.parse::<usize>().unwrap();
                assert!(rows.start < 750 && rows.end > 700 && text.starts_with("rank "), "{text}");
            }
            fs::remove_file(&chunk).unwrap();
            for text in refused(&path, ranks, 1000) {
                assert!(text.contains("c/14/0: reading a chunk: expected a chunk, found none"));
            }
            // Whoever says so gets the fill value, which is 0 here.
            let rows = Rows::new(&Solo, x.shape());
            let read = rows.open_zarr::<f32, Rank<2>>(&path, Absent::IsFill).unwrap();
            let found = rows.map(|range| read.rows(range)).unwrap();
            assert_eq!(found.slice(s![700..750, ..]).unwrap(), Array2::<f32>::zeros([50, 7]));
            assert_eq!(found.slice(s![750.., ..]).unwrap(), x.slice(s![750.., ..]).unwrap());
            assert_eq!(found.slice(s![..700, ..]).unwrap(), x.slice(s![..700, ..]).unwrap());
        }
    }
}

#[test]
fn arrays_of_another_type_or_shape_are_errors_on_all_ranks() {
    let place = Place::new("open");
    let (x, path) = (data(100), place.file("x.zarr"));
    let rows = Rows::new(&Solo, x.shape());
    rows.write_zarr(&path, Zarr::default(), |range| Ok(x.slice(s![range, ..])?.lazy())).unwrap();
    let open = |ranks: usize, open: &(dyn Fn(&Rows<'_>) -> Result<(), Error> + Sync)| {
        let found = Mutex::new(Vec::new());
        threads(ranks, |comm| {
            let error = open(&Rows::new(comm, [100, 7])).unwrap_err();
            assert!(error.is_everywhere());
            found.lock().unwrap().push(error.to_string());
            Ok(())
        })
        .unwrap();
        found.into_inner().unwrap()
    };
    for ranks in 1..4 {
        for text in open(ranks, &|r| r.open_zarr::<f64, Rank<2>>(&path, Absent::IsError).map(drop))
        {
            let expected =
                "x.zarr: opening the array: expected elements of type f64, found float32";
            assert!(text.starts_with("rank 0: ") && text.ends_with(expected), "{text}");
        }
        for text in open(ranks, &|r| r.open_zarr::<f32, Rank<3>>(&path, Absent::IsError).map(drop))
        {
            let expected = "expected an array of rank 3 that has rows, found one of shape [100, 7]";
            assert!(text.ends_with(expected), "{text}");
        }
        let nothing = place.file("nothing");
        for text in open(ranks, &|r| r.open_zarr::<f32, Dyn>(&nothing, Absent::IsFill).map(drop)) {
            assert!(text.contains("nothing: opening the array: "), "{text}");
        }
    }
    let long = Rows::new(&Solo, [101, 7]);
    let error = long.open_zarr::<f32, Rank<2>>(&path, Absent::IsError).unwrap_err();
    assert!(error.to_string().ends_with("x.zarr has 100 rows, not 101"), "{error}");
    let read = rows.open_zarr::<f32, Rank<2>>(&path, Absent::IsError).unwrap();
    let error = read.rows(90..101).unwrap_err();
    assert!(error.to_string().ends_with("x.zarr has rows 0..100, not 90..101"), "{error}");
    let error = rows.open_zarr::<f16, Rank<2>>(&path, Absent::IsError).unwrap_err();
    let ErrorKind::Zarr { error: ZarrError::Element { expected, .. }, .. } = error.kind() else {
        panic!("{error}");
    };
    assert_eq!(*expected, ElementKind::F16);
}

#[test]
fn failures_leave_what_was_there() {
    let place = Place::new("fail");
    let x = data(100);
    let rows = Rows::new(&Solo, x.shape());
    let zarr = Zarr { rows: Some(10), gzip: None };
    rows.write_zarr(place.file("x"), zarr, |range| Ok(x.slice(s![range, ..])?.lazy())).unwrap();
    for ranks in 1..4 {
        let error = threads(ranks, |comm| {
            let rows = Rows::new(comm, x.shape()).in_slabs(SMALL);
            rows.write_zarr(place.file("x"), zarr, |range| match range.contains(&70) {
                true => Err("row 70 is bad".into()),
                false => Ok(x.slice(s![range, ..])? * 2.0),
            })
        });
        let text = error.unwrap_err().to_string();
        assert!(text.ends_with("row 70 is bad") && text.contains("rows "), "{text}");
        assert_eq!(place.names(), ["x"]);
    }
    let read = rows.open_zarr::<f32, Rank<2>>(place.file("x"), Absent::IsError).unwrap();
    assert!(rows.map(|range| read.rows(range)).unwrap() == x);
    // What is no array is not replaced by one.
    fs::create_dir(place.file("papers")).unwrap();
    fs::write(place.file("papers").join("thesis.txt"), "all of it").unwrap();
    let write = |name: &str| {
        rows.write_zarr(place.file(name), zarr, |range| Ok(x.slice(s![range, ..])?.lazy()))
    };
    for name in ["papers", "papers/thesis.txt"] {
        let error = write(name).unwrap_err();
        let taken =
            |kind: &ErrorKind| matches!(kind, ErrorKind::Zarr { error: ZarrError::Taken, .. });
        assert!(taken(error.kind()), "{error}");
    }
    assert_eq!(place.names(), ["papers", "x"]);
    assert_eq!(fs::read(place.file("papers").join("thesis.txt")).unwrap(), b"all of it");
    fs::create_dir(place.file("empty")).unwrap();
    write("empty").unwrap();
}

#[test]
fn a_process_that_ends_early_leaves_what_was_there() {
    let (x, zarr) = (data(1000), Zarr { rows: Some(400), gzip: None });
    common::what_ends_early_leaves_what_was_there(
        "a_process_that_ends_early_leaves_what_was_there",
        |rows, path, each| {
            rows.write_zarr(path, zarr, |range| {
                each(&range);
                Ok(x.slice(s![range, ..])?.lazy())
            })
        },
        |path| {
            let rows = Rows::new(&Solo, [1000, 7]);
            let read = rows.open_zarr::<f32, Rank<2>>(path, Absent::IsError).unwrap();
            rows.map(|range| read.rows(range)).unwrap()
        },
    );
}

/// Writes what Rust is to read (`make`), or checks what Rust has written (`check`).
const SCRIPT: &str = r#"
import sys, numpy as np, zarr
from pathlib import Path
from zarr.codecs import BytesCodec, GzipCodec
task, place = sys.argv[1], Path(sys.argv[2])
names = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()

def ramp(name):
    base = np.arange(24).reshape(6, 4)
    return base % 3 == 0 if name == "bool" else base.astype(name)

i, j = np.ogrid[:131, :7]
data = ((i * 31 + j * 17) % 1009).astype("f4") * np.float32(0.01) - np.float32(3)

def make(name, values, **how):
    zarr.create_array(place / name, data=values, **how)

def check(name, expected):
    found = zarr.open_array(place / name, mode="r")
    if found.dtype != expected.dtype or found.shape != expected.shape or not (found[:] == expected).all():
        sys.exit(f"{name}: {found.dtype} {found.shape} {found[:]!r}")

if task == "make":
    small = dict(chunks=(30, 3))
    make("plain", data, compressors=None, **small)
    make("gzip", data, compressors=GzipCodec(level=1), **small)
    make("rows", data, chunks=(50, 7), compressors=None)
    make("big-endian", data, compressors=None, serializer=BytesCodec(endian="big"), **small)
    make("shards", data, shards=(60, 6), compressors=None, **small)
    make("shards-gzip", data, shards=(90, 3), compressors=GzipCodec(level=1), **small)
    make("zstd", data, **small)
    for name, more in [("part", {}), ("part-shard", dict(shards=(150, 9)))]:
        part = zarr.create_array(place / name, shape=data.shape, dtype="f4", fill_value=2.5, compressors=None, **small, **more)
        part[30:60] = data[30:60]
    for name in names:
        make(f"theirs-{name}", ramp(name), chunks=(4, 3), compressors=None)
else:
    for number in range(4):
        check(f"way-{number}", data)
    for name in names:
        check(f"ours-{name}", ramp(name))
"#;

/// Runs the script; false if there is no Python to run it.
fn python(task: &str, place: &Path) -> bool {
    let Some(python) = std::env::var_os("ZEROSTRIDE_PYTHON") else {
        println!("skipped: ZEROSTRIDE_PYTHON names no Python with zarr");
        return false;
    };
    let command = std::process::Command::new(python).args(["-c", SCRIPT, task]).arg(place).output();
    let output = command.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    true
}

/// Reads `theirs` and writes `ours` of a type.
fn both_ways<T: FileElement + Element + PartialEq>(place: &Place, name: &str, of: fn(usize) -> T) {
    let x = Array2::<T>::from_fn([6, 4], |[i, j]| of(4 * i + j));
    let rows = Rows::new(&Solo, [6, 4]);
    let theirs = place.file(&format!("theirs-{name}"));
    let theirs = rows.open_zarr::<T, Rank<2>>(theirs, Absent::IsFill).unwrap();
    assert!(rows.map(|range| theirs.rows(range)).unwrap() == x, "{name}");
    let ours = place.file(&format!("ours-{name}"));
    let zarr = Zarr { rows: Some(4), gzip: Some(1) };
    rows.write_zarr(ours, zarr, |range| Ok(x.slice(s![range, ..])?.lazy())).unwrap();
}

#[test]
fn zarr_python_on_the_other_side() {
    let place = Place::new("python");
    if !python("make", &place.file("")) {
        return;
    }
    let x = data(131);
    for ranks in 1..4 {
        threads(ranks, |comm| {
            let rows = Rows::new(comm, x.shape()).in_slabs(SMALL);
            let read = |name: &str, absent| -> Result<Array2<f32>, Error> {
                let file = rows.open_zarr::<f32, Rank<2>>(place.file(name), absent)?;
                rows.gather(|range| file.rows(range))
            };
            for name in ["plain", "gzip", "rows", "big-endian", "shards", "shards-gzip"] {
                assert!(read(name, Absent::IsError)? == x, "{name}, {ranks} ranks");
            }
            // The index of a shard says which of its chunks are the fill value: nothing is missing.
            for (name, absent) in [("part", Absent::IsFill), ("part-shard", Absent::IsError)] {
                let part = read(name, absent)?;
                assert_eq!(part.slice(s![30..60, ..])?, x.slice(s![30..60, ..])?);
                assert!(part.slice(s![60.., ..])?.iter().all(|x| *x == 2.5), "{name}");
            }
            let error = read("part", Absent::IsError).unwrap_err().to_string();
            assert!(error.contains("expected a chunk, found none"), "{error}");
            let error = read("zstd", Absent::IsError).unwrap_err().to_string();
            assert!(
                error.contains("zstd: opening the array: ") && error.contains("codec"),
                "{error}"
            );
            Ok(())
        })
        .unwrap();
    }
    let rows = Rows::new(&Solo, x.shape());
    for (number, zarr) in WAYS.into_iter().enumerate() {
        let path = place.file(&format!("way-{number}"));
        rows.write_zarr(path, zarr, |range| Ok(x.slice(s![range, ..])?.lazy())).unwrap();
    }
    both_ways(&place, "bool", |i| i % 3 == 0);
    both_ways(&place, "int8", |i| i as i8);
    both_ways(&place, "int16", |i| i as i16);
    both_ways(&place, "int32", |i| i as i32);
    both_ways(&place, "int64", |i| i as i64);
    both_ways(&place, "uint8", |i| i as u8);
    both_ways(&place, "uint16", |i| i as u16);
    both_ways(&place, "uint32", |i| i as u32);
    both_ways(&place, "uint64", |i| i as u64);
    both_ways(&place, "float16", |i| f16::from_f32(i as f32));
    both_ways(&place, "float32", |i| i as f32);
    both_ways(&place, "float64", |i| i as f64);
    both_ways(&place, "complex64", |i| Complex::new(i as f32, 0.0));
    both_ways(&place, "complex128", |i| Complex::new(i as f64, 0.0));
    python("check", &place.file(""));
}
