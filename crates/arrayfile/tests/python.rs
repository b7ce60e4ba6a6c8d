//! NumPy on the other side: it reads what is written here, and writes what is read here.
//!
//! Which Python is said by `ZEROSTRIDE_PYTHON`: one with `numpy`, and for `.safetensors` with
//! `safetensors` and `ml_dtypes`. Without it, nothing is tested.
#![cfg(all(feature = "npz", feature = "safetensors"))]

use arrayfile::npz::{self, Npz};
use arrayfile::safetensors::{self, SafeTensors};
use arrayfile::{FileElement, npy};
use elementwise::{Array2, Array3, ArrayD};
use half::{bf16, f16};
use ndcore::{Dyn, ShapeBuilder};
use num_complex::Complex;
use std::path::Path;
use std::process::Command;

/// Checks what Rust has written (`check`), or writes what Rust is to read (`make`). Every array is
/// `arange(24).reshape(2, 3, 4)` of its type, with a pattern for `bool` and an imaginary part of
/// the negative value for complex numbers.
const SCRIPT: &str = r#"
import sys, numpy as np
from pathlib import Path
task, place = sys.argv[1], Path(sys.argv[2])
names = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float16 float32 float64 complex64 complex128".split()

def ramp(name):
    base = np.arange(24).reshape(2, 3, 4)
    if name == "bool":
        return base % 3 == 0
    values = base.astype(name)
    return values - 1j * values if name.startswith("complex") else values

def same(found, expected, what):
    if found.dtype != expected.dtype or found.shape != expected.shape or not (found == expected).all():
        sys.exit(f"{what}: {found.dtype} {found.shape} {found!r}")

if task == "check":
    for name in names:
        expected = ramp(name).astype(name)
        for order in "CF":
            found = np.load(place / f"{name}-{order}.npy")
            same(found, expected, f"{name}-{order}")
            if order == "F" and not found.flags.f_contiguous:
                sys.exit(f"{name}: not in column-major order")
            same(np.load(place / f"{name}-{order}.npy", mmap_mode="r"), expected, "map")
    raw = np.load(place / "bfloat16-C.npy")
    if raw.dtype != np.dtype("V2"):
        sys.exit(f"bfloat16: {raw.dtype}")
    if (raw.view(np.uint16).astype(np.uint32) << 16).view(np.float32).ravel()[5] != 5:
        sys.exit("bfloat16: other values")
    same(np.load(place / "rows.npy"), np.arange(24, dtype="f4").reshape(6, 4), "rows")
    with np.load(place / "all.npz") as archive:
        for name in names:
            same(archive[name], ramp(name).astype(name), f"npz {name}")
            same(archive[name + " deflated"], ramp(name).astype(name), f"npz {name}")
    from safetensors import safe_open
    from safetensors.numpy import load_file
    tensors = load_file(place / "all.safetensors")
    for name in names:
        if name != "complex128":
            same(tensors[name], ramp(name).astype(name), f"safetensors {name}")
    with safe_open(place / "all.safetensors", "np") as file:
        if file.metadata() != {"who": "\u00e9 \"x\"\n"}:
            sys.exit(f"metadata: {file.metadata()}")
else:
    for name in names:
        values = ramp(name).astype(name)
        for order in "CF":
            for byteorder in "<>":
                for version in [(1, 0), (2, 0), (3, 0)]:
                    array = np.asarray(values, dtype=np.dtype(name).newbyteorder(byteorder), order=order)
                    end = "le" if byteorder == "<" else "be"
                    with open(place / f"{name}-{order}-{end}-{version[0]}.npy", "wb") as file:
                        np.lib.format.write_array(file, array, version=version)
    np.savez(place / "stored.npz", **{name: ramp(name).astype(name) for name in names})
    np.savez_compressed(place / "deflated.npz", **{name: ramp(name).astype(name) for name in names})
    from safetensors.numpy import save_file
    import ml_dtypes
    tensors = {name: ramp(name).astype(name) for name in names if name != "complex128"}
    tensors["bfloat16"] = ramp("float32").astype(ml_dtypes.bfloat16)
    save_file(tensors, place / "numpy.safetensors", metadata={"who": "\u00e9 \"x\"\n"})
    np.save(place / "ml_dtypes.npy", tensors["bfloat16"])
"#;

/// Runs the script; false if there is no Python to run it.
fn python(task: &str, place: &Path) -> bool {
    let Some(python) = std::env::var_os("ZEROSTRIDE_PYTHON") else {
        println!(
            "skipped: ZEROSTRIDE_PYTHON names no Python with numpy, safetensors and ml_dtypes"
        );
        return false;
    };
    let output = Command::new(python).args(["-c", SCRIPT, task]).arg(place).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    true
}

/// A type, what NumPy calls it, and its value for a number.
macro_rules! all {
    ($work:ident($($argument:expr),*)) => {
        $work::<bool>("bool", |i| i % 3 == 0, $($argument),*);
        $work::<i8>("int8", |i| i as i8, $($argument),*);
        $work::<i16>("int16", |i| i as i16, $($argument),*);
        $work::<i32>("int32", |i| i as i32, $($argument),*);
        $work::<i64>("int64", |i| i as i64, $($argument),*);
        $work::<u8>("uint8", |i| i as u8, $($argument),*);
        $work::<u16>("uint16", |i| i as u16, $($argument),*);
        $work::<u32>("uint32", |i| i as u32, $($argument),*);
        $work::<u64>("uint64", |i| i as u64, $($argument),*);
        $work::<f16>("float16", |i| f16::from_f32(i as f32), $($argument),*);
        $work::<f32>("float32", |i| i as f32, $($argument),*);
        $work::<f64>("float64", |i| i as f64, $($argument),*);
        $work::<Complex<f32>>("complex64", |i| Complex::new(i as f32, -(i as f32)), $($argument),*);
        $work::<Complex<f64>>("complex128", |i| Complex::new(i as f64, -(i as f64)), $($argument),*);
    };
}

fn ramp<T: FileElement>(value: fn(usize) -> T) -> Array3<T> {
    Array3::from_fn([2, 3, 4], |[i, j, k]| value(12 * i + 4 * j + k))
}

struct Place(std::path::PathBuf);

impl Place {
    fn new(name: &str) -> Self {
        let place = std::env::temp_dir().join(format!("python-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&place).unwrap();
        Place(place)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn numpy_reads_what_is_written() {
    fn files<T: FileElement>(name: &str, value: fn(usize) -> T, place: &Path) {
        let rows = ramp(value);
        npy::write(place.join(format!("{name}-C.npy")), &rows).unwrap();
        let columns = Array3::from_fn([2, 3, 4].f(), |[i, j, k]| value(12 * i + 4 * j + k));
        npy::write(place.join(format!("{name}-F.npy")), &columns).unwrap();
    }
    fn entries<T: FileElement>(
        name: &str,
        value: fn(usize) -> T,
        archive: &mut npz::Writer<std::fs::File>,
    ) {
        archive.add(name, &ramp(value)).unwrap();
        archive.add_deflated(&format!("{name} deflated"), &ramp(value)).unwrap();
    }
    let place = Place::new("check");
    all!(files(&place.0));
    files::<bf16>("bfloat16", |i| bf16::from_f32(i as f32), &place.0);
    let mut archive = npz::Writer::create(place.0.join("all.npz")).unwrap();
    all!(entries(&mut archive));
    archive.finish().unwrap();

    let mut writer = npy::Writer::<f32, Dyn>::create(place.0.join("rows.npy"), vec![4]).unwrap();
    let rows = Array2::from_fn([6, 4], |[i, j]| (4 * i + j) as f32).into_dyn();
    writer.write(&rows).unwrap();
    writer.finish().unwrap();

    let arrays = (
        (ramp(|i| i % 3 == 0), ramp(|i| i as i8), ramp(|i| i as i16), ramp(|i| i as i32)),
        (ramp(|i| i as i64), ramp(|i| i as u8), ramp(|i| i as u16), ramp(|i| i as u32)),
        (ramp(|i| i as u64), ramp(|i| f16::from_f32(i as f32)), ramp(|i| i as f32)),
        (ramp(|i| i as f64), ramp(|i| Complex::new(i as f32, -(i as f32)))),
    );
    let ((a, b, c, d), (e, f, g, h), (i, j, k), (l, m)) = &arrays;
    let writer = safetensors::Writer::new()
        .add("bool", a)
        .unwrap()
        .add("int8", b)
        .unwrap()
        .add("int16", c)
        .unwrap()
        .add("int32", d)
        .unwrap()
        .add("int64", e)
        .unwrap()
        .add("uint8", f)
        .unwrap()
        .add("uint16", g)
        .unwrap()
        .add("uint32", h)
        .unwrap()
        .add("uint64", i)
        .unwrap()
        .add("float16", j)
        .unwrap()
        .add("float32", k)
        .unwrap()
        .add("float64", l)
        .unwrap()
        .add("complex64", m)
        .unwrap();
    writer.metadata("who", "\u{e9} \"x\"\n").write(place.0.join("all.safetensors")).unwrap();
    python("check", &place.0);
}

#[test]
fn what_numpy_writes_is_read() {
    fn files<T: FileElement + PartialEq + std::fmt::Debug>(
        name: &str,
        value: fn(usize) -> T,
        place: &Path,
    ) {
        let expected = ramp(value);
        for order in ["C", "F"] {
            for end in ["le", "be"] {
                for version in [1, 2, 3] {
                    let file = format!("{name}-{order}-{end}-{version}.npy");
                    let path = place.join(&file);
                    let found: Array3<T> = npy::read(&path).unwrap();
                    assert_eq!(found, expected, "{file}");
                    // SAFETY: nobody else knows of the file.
                    let map = unsafe { arrayfile::Map::open(&path) }.unwrap();
                    match npy::view::<T, Dyn>(&map) {
                        Ok(view) => assert_eq!(view, expected, "{file}"),
                        Err(err) => assert_eq!(end, "be", "{file}: {err}"),
                    }
                }
            }
        }
        for archive in ["stored.npz", "deflated.npz"] {
            let archive = Npz::open(place.join(archive)).unwrap();
            let found: Array3<T> = archive.read(name).unwrap();
            assert_eq!(found, expected, "{archive:?} {name}");
        }
        if T::KIND != arrayfile::ElementKind::C128 {
            let file = SafeTensors::open(place.join("numpy.safetensors")).unwrap();
            let found: Array3<T> = file.read(name).unwrap();
            assert_eq!(found, expected, "safetensors {name}");
        }
    }
    let place = Place::new("make");
    if !python("make", &place.0) {
        return;
    }
    all!(files(&place.0));
    let file = SafeTensors::open(place.0.join("numpy.safetensors")).unwrap();
    let expected = ramp(|i| bf16::from_f32(i as f32));
    let found: ArrayD<bf16> = file.read("bfloat16").unwrap();
    assert_eq!(found, expected);
    assert_eq!(npy::read::<bf16, Dyn>(place.0.join("ml_dtypes.npy")).unwrap(), expected);
    let metadata: Vec<_> = file.metadata().collect();
    assert_eq!(metadata, [("who".to_owned(), "\u{e9} \"x\"\n".to_owned())]);
}
