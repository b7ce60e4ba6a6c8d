//! Round trips of all element types, layouts and formats, and what is said of files that are not
//! what they should be.

#[cfg(feature = "npz")]
use arrayfile::npz::{self, Npz};
#[cfg(feature = "safetensors")]
use arrayfile::safetensors::{self, SafeTensors};
use arrayfile::{Array, FileElement, FileError, FileErrorKind as Kind, View, npy};
use elementwise::{Array1, Array2, Exec, array};
use half::{bf16, f16};
use ndcore::{Dimension, Dyn, Rank, ShapeBuilder, s};
use num_complex::Complex;
use std::io::Write;
use std::path::PathBuf;

/// A file of its own for a test, removed at its end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        Scratch(std::env::temp_dir().join(format!("formats-{}-{name}", std::process::id())))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

fn npy_of<T: FileElement, R: Dimension>(view: View<'_, T, R>) -> Vec<u8> {
    let mut bytes = Vec::new();
    npy::write_to(&mut bytes, view).unwrap();
    bytes
}

/// Bytes at an address that suits every element.
fn aligned(bytes: &[u8]) -> Vec<u64> {
    let mut words = vec![0_u64; bytes.len().div_ceil(8)];
    bytemuck::cast_slice_mut(&mut words)[..bytes.len()].copy_from_slice(bytes);
    words
}

/// Layouts that are awkward, each as a view.
fn layouts<T: FileElement>(
    value: impl Fn(usize) -> T,
    each: &mut dyn FnMut(&str, View<'_, T, Dyn>),
) {
    let rows = Array2::from_fn([4, 6], |[i, j]| value(10 * i + j));
    let columns = Array2::from_fn([4, 6].f(), |[i, j]| value(10 * i + j));
    let deep = Array::<T, Dyn>::from_fn(vec![2, 1, 3, 1, 2, 1, 2, 2], |i| value(i.iter().sum()));
    let scalar = Array::<T, Rank<0>>::from_fn((), |[]| value(3));
    let long = Array1::from_fn(40_000, |[i]| value(i % 100));
    each("rows", rows.view().as_dyn());
    each("columns", columns.view().as_dyn());
    each("transposed", rows.t().as_dyn());
    each("flipped", rows.view().flip(0).unwrap().flip(1).unwrap().as_dyn());
    each("stepped", rows.slice(s![..;2, 1..;2]).unwrap().as_dyn());
    each("gapped columns", columns.slice(s![1..3, ..]).unwrap().as_dyn());
    each("rank 8", deep.view());
    each("rank 0", scalar.view().as_dyn());
    each("empty", rows.slice(s![..0, ..]).unwrap().as_dyn());
    each("empty columns", columns.slice(s![.., ..0]).unwrap().as_dyn());
    each("repeated", rows.slice(s![..1, ..]).unwrap().as_dyn());
    each("long", long.view().as_dyn());
    each("long backwards", long.view().flip(0).unwrap().as_dyn());
}

fn round_trips<T: FileElement + PartialEq>(value: impl Fn(usize) -> T + Copy) {
    let mut failures = Vec::new();
    layouts(value, &mut |name, view| {
        let mut fail = |what: &str, why: String| {
            failures.push(format!("{} {name}, {what}: {why}", T::KIND));
        };
        let mut check = |what: &str, back: Result<Array<T, Dyn>, FileError>| match back {
            Ok(back) if back == view => {}
            Ok(back) => fail(what, format!("of shape {:?} others", back.shape())),
            Err(err) => fail(what, err.to_string()),
        };
        let bytes = npy_of(view);
        check("npy", npy::read_from(&mut &bytes[..]));
        let words = aligned(&bytes);
        let there = &bytemuck::cast_slice::<u64, u8>(&words)[..bytes.len()];
        check("npy view", npy::view(there).map(|view| view.to_owned()));
        let file = Scratch::new(&format!("{}-{}.npy", T::KIND, name.replace(' ', "-")));
        check("npy file", npy::write(&file.0, view).and_then(|()| npy::read(&file.0)));
        let swapped = other_byte_order::<T>(&bytes);
        check("npy of the other byte order", npy::read_from(&mut &swapped[..]));
        for version in [2, 3] {
            let bytes = with_version(&bytes, version);
            check("npy of a later version", npy::read_from(&mut &bytes[..]));
        }
        #[cfg(feature = "npz")]
        {
            let mut bytes = Vec::new();
            let mut writer = npz::Writer::new(&mut bytes);
            writer.add("stored", view).unwrap();
            writer.add_deflated("deflated", view).unwrap();
            writer.finish().unwrap();
            let archive = Npz::from_bytes(&bytes).unwrap();
            check("npz", archive.read("stored"));
            check("npz, deflated", archive.read("deflated"));
            std::fs::write(&file.0, &bytes).unwrap();
            let archive = Npz::open(&file.0).unwrap();
            check("npz file", archive.read("stored"));
            check("npz file, deflated", archive.read("deflated"));
            // SAFETY: nobody else knows of the file.
            let map = unsafe { arrayfile::Map::open(&file.0) }.unwrap();
            let archive = Npz::from_bytes(&map).unwrap();
            check("npz view", archive.view("stored").map(|view| view.to_owned()));
        }
        #[cfg(feature = "safetensors")]
        if T::KIND != arrayfile::ElementKind::C128 {
            let mut bytes = Vec::new();
            let writer = safetensors::Writer::new().add("a \"x\" \u{e9}\n", view).unwrap();
            writer.add("b", view).unwrap().write_to(&mut bytes).unwrap();
            let there = SafeTensors::from_bytes(&bytes).unwrap();
            check("safetensors", there.to_array("a \"x\" \u{e9}\n"));
            std::fs::write(&file.0, &bytes).unwrap();
            check("safetensors file", SafeTensors::open(&file.0).and_then(|file| file.read("b")));
            // SAFETY: nobody else knows of the file.
            let map = unsafe { arrayfile::Map::open(&file.0) }.unwrap();
            let there = SafeTensors::from_bytes(&map).unwrap();
            check("safetensors view", there.view("b").map(|view| view.to_owned()));
        }
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// The same file in the byte order that is not this machine's, made apart from the library.
fn other_byte_order<T: FileElement>(bytes: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    let start = npy::Header::read_from(&mut &bytes[..]).unwrap().data_start() as usize;
    let own = if cfg!(target_endian = "little") { b'<' } else { b'>' };
    if let Some(order) = bytes[..start].iter().position(|byte| *byte == own) {
        bytes[order] = if own == b'<' { b'>' } else { b'<' };
    }
    let word = match T::KIND {
        arrayfile::ElementKind::C64 => 4,
        arrayfile::ElementKind::C128 => 8,
        _ => size_of::<T>(),
    };
    bytes[start..].chunks_exact_mut(word).for_each(<[u8]>::reverse);
    bytes
}

/// The same file in a later version of the format.
fn with_version(bytes: &[u8], version: u8) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[6] = version;
    bytes.splice(10..10, [0, 0]);
    bytes
}

#[test]
fn all_element_types_go_there_and_back() {
    round_trips(|i| i % 3 == 0);
    round_trips(|i| i as i8 - 60);
    round_trips(|i| i as i16 * 300 - 60);
    round_trips(|i| i as i32 * -20_000_000);
    round_trips(|i| i as i64 * -300_000_000_000);
    round_trips(|i| i as isize * -300_000_000_000);
    round_trips(|i| i as u8);
    round_trips(|i| i as u16 * 600);
    round_trips(|i| i as u32 * 30_000_000);
    round_trips(|i| i as u64 * 300_000_000_000);
    round_trips(|i| i * 300_000_000_000);
    round_trips(|i| f16::from_f32(i as f32 / 3.));
    round_trips(|i| bf16::from_f32(i as f32 / 3.));
    round_trips(|i| i as f32 / 3.);
    round_trips(|i| i as f64 / 3.);
    round_trips(|i| Complex::new(i as f32 / 3., -1.));
    round_trips(|i| Complex::new(i as f64 / 3., -1.));
}

/// Files of several pieces, which threads read side by side.
#[test]
fn large_files_are_read_by_any_number_of_threads() {
    let file = Scratch::new("large.npy");
    let x = Array2::<u16>::from_fn([1031, 4801], |[i, j]| (i * 4801 + j) as u16);
    let truth = Array1::<bool>::from_fn([13 << 20], |[i]| i % 3 == 0);
    let mut wrong = npy_of(truth.view());
    let start = wrong.len() - truth.len();
    // The second one is found by another thread, perhaps first.
    for place in [(5 << 20) + 3, (9 << 20) + 1] {
        wrong[start + place] = 7;
    }
    for threads in [1, 2, 5] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        for bytes in [npy_of(x.view()), other_byte_order::<u16>(&npy_of(x.view()))] {
            std::fs::write(&file.0, &bytes).unwrap();
            let read = || npy::read::<u16, Rank<2>>(&file.0).unwrap();
            assert!(pool.install(read) == x, "{threads} threads");
            assert!(Exec::new().parallel(false).install(read) == x);
        }
        std::fs::write(&file.0, &wrong).unwrap();
        let err = pool.install(|| npy::read::<bool, Rank<1>>(&file.0)).unwrap_err();
        assert_eq!(err.offset(), (start + (5 << 20) + 3) as u64, "{threads} threads: {err}");
        assert!(matches!(err.kind(), Kind::Bool { found: 7 }));
    }
}

#[test]
fn column_major_arrays_stay_so() {
    let columns = Array2::from_fn([4, 6].f(), |[i, j]| 10 * i + j);
    let back: Array2<usize> = npy::read_from(&mut &npy_of(columns.view())[..]).unwrap();
    assert_eq!(back.strides(), [1, 4]);
}

#[test]
fn rows_are_written_and_read_some_at_a_time() {
    let file = Scratch::new("rows.npy");
    let all = Array2::from_fn([1000, 7], |[i, j]| (10 * i + j) as f32);
    let mut writer = npy::Writer::<f32, Rank<2>>::create(&file.0, [7]).unwrap();
    assert_eq!(npy::read::<f32, Rank<2>>(&file.0).unwrap().shape(), [0, 7]);
    let mut start = 0;
    for count in [1, 0, 99, 500, 400] {
        writer.write(all.slice(s![start..start + count, ..]).unwrap()).unwrap();
        start += count;
        if count == 99 {
            writer.flush().unwrap();
            assert_eq!(npy::read::<f32, Rank<2>>(&file.0).unwrap().shape(), [100, 7]);
        }
        let err = writer.write(all.slice(s![.., ..6]).unwrap()).unwrap_err();
        assert!(matches!(err.kind(), Kind::Rows { .. }), "{err}");
    }
    assert_eq!(writer.rows(), 1000);
    assert_eq!(writer.finish().unwrap(), 1000);
    assert_eq!(npy::read::<f32, Rank<2>>(&file.0).unwrap(), all);
    let mut reader = npy::Reader::<f32, Dyn>::open(&file.0).unwrap();
    for rows in [0..0, 0..1, 3..1000, 999..1000, 1000..1000] {
        let own = all.slice(s![rows.clone(), ..]).unwrap();
        assert_eq!(reader.read(rows).unwrap(), own);
    }
    #[allow(clippy::reversed_empty_ranges)]
    for rows in [0..1001, 5..4, 1001..1001] {
        let err = reader.read(rows).unwrap_err();
        assert!(matches!(err.kind(), Kind::RowRange { rows: 1000, .. }), "{err}");
    }

    let columns = Array2::<f32>::zeros([3, 4].f());
    npy::write(&file.0, &columns).unwrap();
    let err = npy::Reader::<f32, Rank<2>>::open(&file.0).unwrap_err();
    assert!(matches!(err.kind(), Kind::ColumnMajor), "{err}");
    assert!(npy::Writer::<f32, Rank<0>>::create(&file.0, ()).is_err());
    assert!(npy::Writer::<f32, Dyn>::create(&file.0, vec![1; 16]).is_err());
}

/// What is wrong with a file, and what the error says.
#[test]
fn what_is_wrong_with_npy_files_is_said() {
    let bytes = npy_of(array![[1.0_f32, 2.0, 3.0]].view());
    let with = |from: &str, to: &str| {
        let at = bytes.windows(from.len()).position(|part| part == from.as_bytes()).unwrap();
        let mut bytes = bytes.clone();
        bytes.splice(at..at + from.len(), to.bytes());
        // The header stays as long as it was.
        let more = to.len() as isize - from.len() as isize;
        if more > 0 {
            bytes.drain(127..127 + more as usize);
        } else {
            bytes.splice(110..110, std::iter::repeat_n(b' ', more.unsigned_abs()));
        }
        bytes
    };
    let version = |major: u8| {
        let mut bytes = bytes.clone();
        bytes[6] = major;
        bytes
    };
    let long = [&b"\x93NUMPY\x02\0\xFF\xFF\xFF\xFF"[..], &bytes[10..]].concat();
    let table: [(&str, Vec<u8>, &str); 20] = [
        (
            "nothing",
            vec![],
            r#"at byte 0: expected "\x93NUMPY", with which a .npy file begins, found """#,
        ),
        (
            "zip",
            b"PK\x03\x04    ".to_vec(),
            r#"at byte 0: expected "\x93NUMPY", with which a .npy file begins, found "PK\x03\x04  ""#,
        ),
        ("version", version(4), "at byte 6: expected a version from 1.0 to 3.0, found 4.0"),
        (
            "no length",
            bytes[..9].to_vec(),
            "at byte 9: expected 2 bytes of the length of the header, found 1",
        ),
        (
            "cut header",
            bytes[..50].to_vec(),
            "at byte 50: expected 118 bytes of the header, found 40",
        ),
        (
            "long header",
            long,
            "at byte 8: expected a header of at most 16384 bytes, found one of 4294967295",
        ),
        (
            "cut data",
            bytes[..135].to_vec(),
            "at byte 128: expected 12 bytes of data for elements of type f32 and shape [1, 3], found 7",
        ),
        ("type", with("<f4", "<i4"), "at byte 20: expected elements of type f32, found '<i4'"),
        ("text", with("<f4", "<U4"), "at byte 20: expected elements of type f32, found '<U4'"),
        ("object", with("<f4", "|O"), "at byte 20: expected elements of type f32, found '|O'"),
        (
            "fields",
            with("'<f4'", "[('x', '<f4')]"),
            "at byte 20: expected elements of type f32, found '[('x', '<f4')]'",
        ),
        (
            "no end",
            with("(1, 3), }", "(1, 3), "),
            "at byte 128: expected a key in quotes, or }, found \"\"",
        ),
        (
            "extent",
            with("(1, 3)", "(1, x)"),
            "at byte 64: expected an extent, which is a whole number that memory can hold, found \"x), }",
        ),
        (
            "negative",
            with("(1, 3)", "(1, -3)"),
            "at byte 64: expected an extent, which is a whole number that memory can hold, found \"-3), }",
        ),
        (
            "huge",
            with("(1, 3)", "(9999999999, 9999999999)"),
            "at byte 60: shape [9999999999, 9999999999] has more elements than memory can hold",
        ),
        (
            "key",
            with("'shape'", "'shapf'"),
            "at byte 51: expected the key 'descr', 'fortran_order' or 'shape', found \"'shapf': (1, 3), }",
        ),
        (
            "missing",
            with("'shape': (1, 3), ", ""),
            "at byte 10: expected 'shape' exactly once in the header",
        ),
        (
            "twice",
            with("'shape'", "'descr': '<f4', 'shape'"),
            "at byte 51: expected each of 'descr', 'fortran_order' and 'shape' exactly once in the header",
        ),
        (
            "order",
            with("False", "Maybe"),
            "at byte 44: expected True or False, found \"Maybe, 'shape': (1, ",
        ),
        (
            "not a tuple",
            with("(1, 3)", "(3)"),
            "at byte 60: expected a shape, of one axis with a comma, found \"(3), }",
        ),
    ];
    let file = Scratch::new("bad.npy");
    let mut failures = Vec::new();
    for (name, bytes, expected) in table {
        std::fs::write(&file.0, &bytes).unwrap();
        let err = npy::read::<f32, Rank<2>>(&file.0).unwrap_err();
        assert_eq!(err.path(), Some(&*file.0));
        let message = err.to_string();
        let own = message.strip_prefix(&format!("{}, ", file.0.display())).unwrap_or(&message);
        if !own.starts_with(expected) {
            failures.push(format!("{name}:\n  expected {expected}\n  found    {own}"));
        }
        let viewed = npy::view::<f32, Rank<2>>(&bytes).unwrap_err();
        if viewed.to_string() != own {
            failures.push(format!("{name}, view:\n  expected {own}\n  found    {viewed}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let err = npy::read::<f32, Rank<1>>(Scratch::new("none.npy").0.as_path()).unwrap_err();
    assert!(err.to_string().contains("opening the file"), "{err}");
}

#[test]
fn views_say_why_there_is_none() {
    let bytes = npy_of(array![1.0_f64, 2.0].view());
    let words = aligned(&[&[0], &bytes[..]].concat());
    let shifted = &bytemuck::cast_slice::<u64, u8>(&words)[1..1 + bytes.len()];
    let err = npy::view::<f64, Rank<1>>(shifted).unwrap_err();
    assert!(matches!(err.kind(), Kind::Unaligned { alignment: 8 }), "{err}");
    assert_eq!(npy::read_from::<f64, Rank<1>>(&mut &*shifted).unwrap(), array![1.0, 2.0]);

    let swapped = aligned(&other_byte_order::<f64>(&bytes));
    let err = npy::view::<f64, Rank<1>>(bytemuck::cast_slice::<u64, u8>(&swapped)).unwrap_err();
    assert!(matches!(err.kind(), Kind::ByteOrder), "{err}");

    let mut truths = npy_of(array![true, false, true].view());
    let end = truths.len();
    truths[end - 2] = 7;
    for err in [
        npy::view::<bool, Rank<1>>(&truths).unwrap_err(),
        npy::read_from::<bool, Rank<1>>(&mut &truths[..]).unwrap_err(),
    ] {
        assert_eq!(
            err.to_string(),
            "at byte 129: expected a bool, which is 0 or 1, found a byte of 7"
        );
    }
}

#[test]
fn two_arrays_follow_each_other_in_a_stream() {
    let mut bytes = npy_of(array![1, 2].view());
    npy::write_to(&mut bytes, &array![3.0]).unwrap();
    let mut rest = &bytes[..];
    assert_eq!(npy::read_from::<i32, Rank<1>>(&mut rest).unwrap(), array![1, 2]);
    assert_eq!(npy::read_from::<f64, Rank<1>>(&mut rest).unwrap(), array![3.0]);
    assert!(rest.is_empty());
}

/// A stream that fails after some bytes, both ways.
struct Failing(usize);

impl Write for Failing {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        if self.0 == 0 {
            return Err(std::io::Error::other("full"));
        }
        let count = bytes.len().min(self.0);
        self.0 -= count;
        Ok(count)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[test]
fn a_full_disk_is_an_error() {
    let a = array![1, 2, 3];
    for (room, doing) in [(0, "writing the header"), (130, "writing the data")] {
        let err = npy::write_to(&mut Failing(room), &a).unwrap_err();
        assert!(err.to_string().contains(doing) && err.to_string().contains("full"), "{err}");
    }
    assert!(npy::write_to(&mut Failing(128 + 12), &a).is_ok());
}

#[cfg(feature = "npz")]
#[test]
fn what_is_wrong_with_archives_is_said() {
    let mut bytes = Vec::new();
    let mut writer = npz::Writer::new(&mut bytes);
    writer.add("a", &array![1.0_f32, 2.0]).unwrap();
    writer.add_deflated("b", &Array1::<i32>::zeros(1000)).unwrap();
    writer.finish().unwrap();
    let archive = Npz::from_bytes(&bytes).unwrap();
    let message = |err: FileError| err.to_string();
    assert_eq!(
        message(archive.read::<f32, Rank<1>>("c").unwrap_err()),
        "array \"c\", at byte 0: expected an array of this name; there are \"a\", \"b\""
    );
    assert_eq!(
        message(archive.read::<f64, Rank<1>>("a").unwrap_err()),
        "array \"a\", at byte 20: expected elements of type f64, found '<f4'"
    );
    assert_eq!(
        message(archive.view::<i32, Rank<1>>("b").unwrap_err()),
        "array \"b\", at byte 0: expected data that is not compressed, for a view; it can be read"
    );
    assert!(
        message(Npz::from_bytes(&bytes[..bytes.len() - 30]).map(drop).unwrap_err()).contains("zip")
    );

    // A bit of the data is another one: the check sum does not fit.
    let two = 2.0_f32.to_le_bytes();
    let at = bytes.windows(4).position(|part| part == two).unwrap();
    let mut broken = bytes.clone();
    broken[at + 2] ^= 1;
    let err = Npz::from_bytes(&broken).unwrap().read::<f32, Rank<1>>("a").unwrap_err();
    assert!(message(err).contains("checksum"));

    // An array of a name that is there already.
    let mut bytes = Vec::new();
    let mut writer = npz::Writer::new(&mut bytes);
    writer.add("a", &array![1]).unwrap();
    writer.add("a", &array![2]).unwrap();
    writer.finish().unwrap();
    let err = Npz::from_bytes(&bytes).unwrap().read::<i32, Rank<1>>("a").unwrap_err();
    assert!(matches!(err.kind(), Kind::Duplicate), "{err}");
    let err = npz::Writer::new(Failing(20)).add("a", &array![1]).unwrap_err();
    assert!(err.to_string().contains("full"), "{err}");
}

#[cfg(feature = "safetensors")]
#[test]
fn what_is_wrong_with_safetensors_is_said() {
    let file = |header: &str, data: &[u8]| {
        [&(header.len() as u64).to_le_bytes()[..], header.as_bytes(), data].concat()
    };
    let a = r#"{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}"#;
    let two = |offsets: &str| {
        format!(r#"{a},"b":{{"dtype":"I8","shape":[4],"data_offsets":{offsets}}}}}"#)
    };
    let good = file(&two("[8,12]"), &[0; 12]);
    assert!(SafeTensors::from_bytes(&good).is_ok());
    let table: [(&str, Vec<u8>, &str); 17] = [
        ("nothing", vec![], "at byte 0: expected 8 bytes of the length of the header, found 0"),
        ("long", vec![0xFF; 20], "at byte 0: expected a header of at most 100000000 bytes"),
        ("cut", good[..20].to_vec(), "at byte 20: expected 107 bytes of the header, found 12"),
        ("list", file("[]", &[]), "at byte 8: expected a header, which begins with {"),
        (
            "hole",
            file(&two("[9,13]"), &[0; 13]),
            "at byte 62: expected data from byte 8 of the data on, found 9..13",
        ),
        (
            "overlap",
            file(&two("[7,11]"), &[0; 11]),
            "at byte 62: expected data from byte 8 of the data on, found 7..11",
        ),
        (
            "backwards",
            file(&two("[8,7]"), &[0; 12]),
            "at byte 62: expected data from byte 8 of the data on, found 8..7",
        ),
        (
            "beyond",
            file(&two("[8,12]"), &[0; 11]),
            "at byte 62: expected data from byte 8 of the data on, found 8..12",
        ),
        (
            "too much",
            file(&two("[8,12]"), &[0; 13]),
            "at byte 115: expected 12 bytes of data, by the header, found 13",
        ),
        (
            "twice",
            file(&two("[8,12]").replace("\"b\"", r#""\u0061""#), &[0; 12]),
            "array \"a\", at byte 62: expected each name once, found this one twice",
        ),
        ("one offset", file(&two("[8]"), &[0; 12]), "at byte 107: expected two offsets"),
        (
            "key",
            file(&two("[8,12]").replacen("shape", "shapf", 1), &[0; 12]),
            "at byte 28: expected the key \"dtype\", \"shape\" or \"data_offsets\"",
        ),
        (
            "missing",
            file(&two("[8,12]").replacen("\"dtype\":\"F32\",", "", 1), &[0; 12]),
            "at byte 9: expected \"dtype\" exactly once",
        ),
        (
            "axes",
            file(
                &two("[8,12]").replacen("[2]", "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,2]", 1),
                &[0; 12],
            ),
            "at byte 36: a rank of 17 is above the limit of 16 axes",
        ),
        (
            "huge",
            file(&two("[8,12]").replacen("[2]", "[9999999999,9999999999]", 1), &[0; 12]),
            "at byte 36: shape [9999999999, 9999999999] has more elements",
        ),
        (
            "after",
            file(&format!("{} x", two("[8,12]")), &[0; 12]),
            "at byte 116: expected spaces after the header, found \"x\"",
        ),
        ("text", file("{\"a\u{1}\":{}}", &[]), "at byte 11: expected a text with an end"),
    ];
    let mut failures = Vec::new();
    for (name, bytes, expected) in table {
        let found = match SafeTensors::from_bytes(&bytes) {
            Ok(_) => "no error".to_owned(),
            Err(err) => err.to_string(),
        };
        if !found.starts_with(expected) {
            failures.push(format!("{name}:\n  expected {expected}\n  found    {found}"));
        }
    }
    let there = SafeTensors::from_bytes(&good).unwrap();
    for (found, expected) in [
        (
            there.to_array::<f64, Rank<1>>("a").unwrap_err(),
            "array \"a\", at byte 9: expected elements of type f64, found \"F32\"",
        ),
        (
            there.to_array::<f32, Rank<2>>("a").unwrap_err(),
            "array \"a\", at byte 9: expected 2 entries, one per axis, found 1",
        ),
        (
            there.to_array::<f32, Rank<1>>("c").unwrap_err(),
            "array \"c\", at byte 8: expected an array of this name; there are \"a\", \"b\"",
        ),
    ] {
        if found.to_string() != expected {
            failures.push(format!("expected {expected}\n  found    {found}"));
        }
    }
    let wrong = two("[8,12]").replacen("[2]", "[3]", 1);
    let bytes = file(&wrong, &[0; 12]);
    let err = SafeTensors::from_bytes(&bytes).unwrap().to_array::<f32, Dyn>("a").unwrap_err();
    let expected = "expected 12 bytes of data for elements of type f32 and shape [3], found 8";
    if !err.to_string().ends_with(expected) {
        failures.push(format!("expected {expected}\n  found    {err}"));
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let complex = Array1::full(1, Complex::new(0.0_f64, 0.0));
    let err = safetensors::Writer::new().add("c", &complex).map(drop).unwrap_err();
    assert!(matches!(err.kind(), Kind::NotInFormat { .. }), "{err}");
    let a = array![1];
    assert!(safetensors::Writer::new().add("a", &a).unwrap().add("a", &a).is_err());
}
