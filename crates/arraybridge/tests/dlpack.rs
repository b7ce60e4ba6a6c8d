//! Tensors there and back, in both forms and by all layouts; the deleter is called once, whatever
//! becomes of a tensor; tensors that lie are errors.

use arraybridge::BridgeError;
use arraybridge::dlpack::{
    CPU, DataType, Device, IS_COPIED, Managed, PackElement, PackVersion, READ_ONLY, RawTensor,
    Tensor, Unversioned, VERSION,
};
use elementwise::{ArcArray2, Array, Array2, View1, View2, View3, ViewD};
use half::{bf16, f16};
use ndcore::{Dyn, Rank, s};
use num_complex::Complex;
use std::ffi::c_void;
use std::fmt::Debug;
use std::ptr::NonNull;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// What a tensor of another library owns: its memory, and a count of how often it was deleted.
struct Foreign {
    _data: Vec<f32>,
    shape: Vec<i64>,
    strides: Vec<i64>,
    deleted: Arc<AtomicUsize>,
}

unsafe extern "C" fn delete(tensor: *mut Managed) {
    // SAFETY: `foreign` made it of two boxes; a second call is what the tests look for, and would
    // be found by the count before, since the boxes stay.
    unsafe {
        let foreign = (*tensor).manager_ctx.cast::<Foreign>();
        (*foreign).deleted.fetch_add(1, Relaxed);
    }
}

unsafe extern "C" fn delete_unversioned(tensor: *mut Unversioned) {
    // SAFETY: as above.
    unsafe {
        let foreign = (*tensor).manager_ctx.cast::<Foreign>();
        (*foreign).deleted.fetch_add(1, Relaxed);
    }
}

/// A tensor of another library: 24 numbers from 0, by this shape and these strides from `first`. It
/// is never freed, so that a deleter that is called too often is counted and nothing worse.
fn foreign(
    shape: &[i64],
    strides: &[i64],
    first: usize,
    count: &Arc<AtomicUsize>,
) -> (RawTensor, *mut c_void) {
    let mut data: Vec<f32> = (0..24).map(|x| x as f32).collect();
    let pointer = data.as_mut_ptr();
    let foreign = Box::leak(Box::new(Foreign {
        _data: data,
        shape: shape.to_vec(),
        strides: strides.to_vec(),
        deleted: count.clone(),
    }));
    let tensor = RawTensor {
        data: pointer.cast(),
        device: Device { device_type: CPU, device_id: 0 },
        ndim: shape.len() as i32,
        dtype: DataType { code: 2, bits: 32, lanes: 1 },
        shape: foreign.shape.as_mut_ptr(),
        strides: if strides.is_empty() {
            std::ptr::null_mut()
        } else {
            foreign.strides.as_mut_ptr()
        },
        byte_offset: 4 * first as u64,
    };
    (tensor, std::ptr::from_mut(foreign).cast())
}

fn versioned(parts: (RawTensor, *mut c_void), flags: u64) -> NonNull<Managed> {
    let (tensor, manager_ctx) = parts;
    let managed = Managed { version: VERSION, manager_ctx, deleter: Some(delete), flags, tensor };
    NonNull::from(Box::leak(Box::new(managed)))
}

fn unversioned(parts: (RawTensor, *mut c_void)) -> NonNull<Unversioned> {
    let (tensor, manager_ctx) = parts;
    let managed = Unversioned { tensor, manager_ctx, deleter: Some(delete_unversioned) };
    NonNull::from(Box::leak(Box::new(managed)))
}

/// A tensor of another library that was taken.
fn taken(raw: NonNull<Managed>) -> Result<Tensor, BridgeError> {
    // SAFETY: it is what DLPack says, or lies about what is checked; nobody else has it.
    unsafe { Tensor::from_raw(raw) }
}

#[test]
fn arrays_go_there_and_back_by_all_layouts() {
    let mut failures = Vec::new();
    let a = || Array::from_fn([3, 4, 5], |[i, j, k]| (100 * i + 10 * j + k) as i32);
    let arrays = [
        ("rows", a()),
        ("reversed axes", a().reversed_axes()),
        ("backwards", a().slice_move(s![..;-1, .., ..;-1]).unwrap()),
        ("gapped", a().slice_move(s![1.., ..2, ..;2]).unwrap()),
        ("none", a().slice_move(s![.., 4.., ..]).unwrap()),
        ("large", Array::full([30, 40, 5], 3)),
    ];
    for (name, array) in arrays {
        let (first, strides) = (array.as_ptr(), array.strides().to_vec());
        let expected = array.clone();
        for old in [false, true] {
            let tensor = Tensor::from(expected.clone());
            let tensor = if old {
                let raw = tensor.into_unversioned().unwrap();
                // SAFETY: it was just given away.
                unsafe { Tensor::from_unversioned(raw) }
            } else {
                taken(tensor.into_raw()).unwrap()
            };
            let typed: View3<i32> = tensor.view().unwrap();
            let dynamic: ViewD<i32> = tensor.view().unwrap();
            if typed != expected || dynamic != expected || typed.shape() != expected.shape() {
                failures.push(format!("{name}: {typed:?}"));
            }
        }
        let tensor = Tensor::from(array);
        let view: View3<i32> = tensor.view().unwrap();
        if !view.is_empty() && (view.as_ptr() != first || view.strides() != strides) {
            failures.push(format!("{name}: copied, or by strides {:?}", view.strides()));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let scalar = Tensor::from(Array::<f64, _>::full((), 2.5));
    assert_eq!(scalar.view::<f64, Rank<0>>().unwrap().to_vec(), [2.5]);
    assert_eq!(scalar.shape().unwrap().len(), 0);
    let deep = Tensor::from(Array::<u8, Dyn>::full(vec![1; 16], 1));
    assert_eq!(deep.view::<u8, Dyn>().unwrap().ndim(), 16);
}

#[test]
fn all_element_types() {
    fn same<T: PackElement + PartialEq + Debug>(value: T, name: &str) {
        let tensor = Tensor::from(elementwise::array![value, value]);
        assert_eq!(tensor.raw().dtype.to_string(), name);
        let tensor = taken(tensor.into_raw()).unwrap();
        let view: View1<T> = tensor.view().unwrap();
        assert_eq!(view.to_vec(), [value, value], "{name}");
    }
    macro_rules! each {
        ($($value:expr, $name:literal;)*) => {$(same($value, $name);)*};
    }
    each! {
        -1_i8, "i8"; -1_i16, "i16"; -1_i32, "i32"; -1_i64, "i64";
        1_u8, "u8"; 1_u16, "u16"; 1_u32, "u32"; 1_u64, "u64";
        f16::ONE, "f16"; bf16::ONE, "bf16"; 1.5_f32, "f32"; 1.5_f64, "f64";
        Complex::new(1.0_f32, 2.0), "complex64"; Complex::new(1.0_f64, 2.0), "complex128";
        true, "bool8";
    }
}

#[test]
fn deleters_are_called_once() {
    let mut failures = Vec::new();
    let mut counted = |what: &str, work: &dyn Fn(&Arc<AtomicUsize>)| {
        let count = Arc::new(AtomicUsize::new(0));
        work(&count);
        let count = count.load(Relaxed);
        if count != 1 {
            failures.push(format!("{what}: {count} times"));
        }
    };
    let new = |count: &Arc<AtomicUsize>| versioned(foreign(&[2, 3], &[3, 1], 0, count), 0);
    let old = |count: &Arc<AtomicUsize>| unversioned(foreign(&[2, 3], &[3, 1], 0, count));
    // SAFETY: as for `taken`.
    let taken_old = |raw| unsafe { Tensor::from_unversioned(raw) };
    counted("dropped", &|count| drop(taken(new(count)).unwrap()));
    counted("dropped, old", &|count| drop(taken_old(old(count))));
    counted("viewed and dropped", &|count| {
        let tensor = taken(new(count)).unwrap();
        assert_eq!(tensor.view::<f32, Rank<2>>().unwrap()[[1, 2]], 5.0);
        assert_eq!(count.load(Relaxed), 0);
    });
    counted("refused for its type", &|count| {
        assert!(taken(new(count)).unwrap().view::<f64, Rank<2>>().is_err());
    });
    counted("refused for its version", &|count| {
        let mut raw = new(count);
        // SAFETY: nobody else has it.
        unsafe { raw.as_mut() }.version = PackVersion { major: 2, minor: 3 };
        assert_eq!(taken(raw).unwrap_err(), BridgeError::Version { major: 2, minor: 3 });
    });
    counted("given on", &|count| {
        let raw = taken(new(count)).unwrap().into_raw();
        assert_eq!(count.load(Relaxed), 0);
        drop(taken(raw).unwrap());
    });
    counted("given on in the old form", &|count| {
        let raw = taken(new(count)).unwrap().into_unversioned().unwrap();
        assert_eq!(count.load(Relaxed), 0);
        drop(taken_old(raw));
    });
    counted("given on in the new form", &|count| {
        let raw = taken_old(old(count)).into_raw();
        assert_eq!(count.load(Relaxed), 0);
        let tensor = taken(raw).unwrap();
        assert_eq!(tensor.view::<f32, Rank<2>>().unwrap()[[1, 2]], 5.0);
    });
    counted("there, back and there", &|count| {
        let raw = taken_old(old(count)).into_raw();
        let raw = taken(raw).unwrap().into_unversioned().unwrap();
        drop(taken_old(taken_old(raw).into_unversioned().unwrap()));
    });
    counted("given on in the old form, for reading only", &|count| {
        let raw = versioned(foreign(&[2, 3], &[3, 1], 0, count), READ_ONLY);
        let refused = taken(raw).unwrap().into_unversioned();
        assert_eq!(refused.unwrap_err(), BridgeError::ReadOnly);
    });
    counted("deleted elsewhere", &|count| {
        let raw = taken(new(count)).unwrap().into_raw();
        // SAFETY: it was just given away, and this is who it was given to.
        unsafe { (raw.as_ref().deleter.unwrap())(raw.as_ptr()) };
    });
    counted("on another thread", &|count| {
        let tensor = taken(new(count)).unwrap();
        std::thread::scope(|scope| scope.spawn(move || drop(tensor)).join().unwrap());
    });
    assert!(failures.is_empty(), "{}", failures.join("\n"));

    // One without a deleter has nothing to call.
    let mut raw = versioned(foreign(&[1], &[1], 0, &Arc::default()), 0);
    // SAFETY: nobody else has it.
    unsafe { raw.as_mut() }.deleter = None;
    drop(taken(raw).unwrap());
}

#[test]
fn shared_arrays_are_given_for_reading() {
    let array: ArcArray2<f32> = Array2::from_fn([2, 3], |[i, j]| (i * 3 + j) as f32).into_shared();
    let copy = array.clone();
    let mut tensor = taken(Tensor::from(array).into_raw()).unwrap();
    assert!(tensor.is_read_only());
    let view: View2<f32> = tensor.view().unwrap();
    assert_eq!((view.as_ptr(), view), (copy.as_ptr(), copy.view()));
    // SAFETY: it is refused.
    let refused = unsafe { tensor.view_mut::<f32, Rank<2>>() };
    assert_eq!(refused.unwrap_err(), BridgeError::ReadOnly);
    // The tensor keeps the memory.
    let last = copy.as_ptr();
    drop(copy);
    assert_eq!(tensor.view::<f32, Rank<2>>().unwrap().as_ptr(), last);

    let count = Arc::new(AtomicUsize::new(0));
    let mut owned = taken(versioned(foreign(&[2, 2], &[2, 1], 4, &count), IS_COPIED)).unwrap();
    // SAFETY: nobody else has it.
    let mut view = unsafe { owned.view_mut::<f32, Rank<2>>().unwrap() };
    view[[0, 1]] = -1.0;
    assert_eq!(owned.view::<f32, Rank<2>>().unwrap().to_vec(), [4.0, -1.0, 6.0, 7.0]);
}

#[test]
fn tensors_by_strides() {
    let mut failures = Vec::new();
    for (name, shape, strides, first, expected) in [
        ("without strides", &[2, 3][..], &[][..], 0, vec![0, 1, 2, 3, 4, 5]),
        ("columns", &[2, 3], &[1, 2], 0, vec![0, 2, 4, 1, 3, 5]),
        ("from within", &[2, 2], &[6, 1], 5, vec![5, 6, 11, 12]),
        ("backwards", &[2, 2], &[-6, -1], 23, vec![23, 22, 17, 16]),
        ("repeated", &[2, 2], &[0, 1], 3, vec![3, 4, 3, 4]),
        ("none", &[0, 2], &[7, 7], 0, vec![]),
    ] {
        let tensor = taken(versioned(foreign(shape, strides, first, &Arc::default()), 0)).unwrap();
        let view: View2<f32> = tensor.view().unwrap();
        if *view.shape() != tensor.shape().unwrap()[..]
            || view.to_vec() != expected.iter().map(|x| *x as f32).collect::<Vec<_>>()
        {
            failures.push(format!("{name}: {view:?}"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));

    let repeated = versioned(foreign(&[2, 2], &[0, 1], 3, &Arc::default()), 0);
    let mut repeated = taken(repeated).unwrap();
    // SAFETY: it is refused.
    let refused = unsafe { repeated.view_mut::<f32, Rank<2>>() };
    assert!(matches!(refused.unwrap_err(), BridgeError::Layout(_)));
}

#[test]
fn tensors_that_lie_are_refused() {
    type Lie = (&'static str, fn(&mut RawTensor), &'static str);
    let lies: [Lie; 12] = [
        (
            "device",
            |t| t.device.device_type = 2,
            "the tensor is on device 2:0, not in the machine's own memory",
        ),
        ("type", |t| t.dtype.code = 0, "the elements are i32, not f32"),
        ("unknown type", |t| t.dtype.code = 77, "the elements are code 77 of 32 bits, not f32"),
        ("lanes", |t| t.dtype.lanes = 4, "the elements are f32 in vectors of 4, not f32"),
        ("ndim", |t| t.ndim = -1, "the tensor is malformed: a negative number of axes"),
        ("high ndim", |t| t.ndim = 17, "a rank of 17 is above the limit of 16 axes"),
        (
            "no shape",
            |t| t.shape = std::ptr::null_mut(),
            "the tensor is malformed: axes without a shape",
        ),
        (
            "no data",
            |t| t.data = std::ptr::null_mut(),
            "the tensor is malformed: elements at address 0",
        ),
        ("odd address", |t| t.byte_offset = 2, "which is no multiple of 4"),
        // SAFETY: of these there are two, and nobody else has them.
        ("extent", |t| unsafe { *t.shape.add(1) = -3 }, "axis 1 of the tensor has an extent of -3"),
        // SAFETY: as above.
        ("extents", |t| unsafe { *t.shape = i64::MAX }, "has more elements than memory can hold"),
        // SAFETY: as above.
        ("strides", |t| unsafe { *t.strides = i64::MAX }, ""),
    ];
    let mut failures = Vec::new();
    for (name, lie, expected) in lies {
        let count = Arc::new(AtomicUsize::new(0));
        let mut raw = versioned(foreign(&[2, 3], &[3, 1], 0, &count), 0);
        // SAFETY: nobody else has it.
        lie(&mut unsafe { raw.as_mut() }.tensor);
        let tensor = taken(raw).unwrap();
        match tensor.view::<f32, Rank<2>>() {
            Err(err) if err.to_string().contains(expected) => {}
            other => failures.push(format!("{name}: {other:?}")),
        }
        drop(tensor);
        if count.load(Relaxed) != 1 {
            failures.push(format!("{name}: deleted {count:?} times"));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    let tensor = Tensor::from(elementwise::array![1.0_f32]);
    assert!(matches!(tensor.view::<f32, Rank<2>>(), Err(BridgeError::Layout(_))));
}
