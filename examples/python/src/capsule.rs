//! DLPack's protocol of Python: an object has `__dlpack__`, which gives a capsule with a tensor in
//! it. Whoever takes the tensor out renames the capsule; one that nobody took calls the deleter
//! itself.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyDict};
use pyo3::{PyTypeInfo, ffi};
use std::ffi::{CStr, c_void};
use std::ptr::NonNull;
use zerostride::bridge::dlpack::{Managed, Tensor, Unversioned};

const VERSIONED: &CStr = c"dltensor_versioned";
const UNVERSIONED: &CStr = c"dltensor";

/// The tensor of an object of any library, without a copy.
pub fn take(object: &Bound<'_, PyAny>) -> PyResult<Tensor> {
    let asked = [("max_version", (1, 0))].into_py_dict(object.py())?;
    let capsule = match object.call_method("__dlpack__", (), Some(&asked)) {
        // Libraries that know no versions know no such argument.
        Err(err) if err.get_type(object.py()).is(PyTypeError::type_object(object.py())) => {
            object.call_method0("__dlpack__")?
        }
        other => other?,
    };
    let refused = |err: zerostride::bridge::BridgeError| PyTypeError::new_err(err.to_string());
    if let Some(pointer) = out_of(&capsule, VERSIONED, c"used_dltensor_versioned") {
        // SAFETY: a capsule of this name holds such a tensor, and was renamed.
        unsafe { Tensor::from_raw(pointer.cast::<Managed>()) }.map_err(refused)
    } else if let Some(pointer) = out_of(&capsule, UNVERSIONED, c"used_dltensor") {
        // SAFETY: as above.
        Ok(unsafe { Tensor::from_unversioned(pointer.cast::<Unversioned>()) })
    } else {
        Err(PyTypeError::new_err("__dlpack__ gave no capsule with a tensor in it"))
    }
}

/// What a capsule of this name holds; it is renamed.
fn out_of(
    capsule: &Bound<'_, PyAny>,
    name: &'static CStr,
    used: &'static CStr,
) -> Option<NonNull<c_void>> {
    // SAFETY: these take any object; the names live forever.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule.as_ptr(), name.as_ptr()) == 0 {
            return None;
        }
        let pointer = ffi::PyCapsule_GetPointer(capsule.as_ptr(), name.as_ptr());
        ffi::PyCapsule_SetName(capsule.as_ptr(), used.as_ptr());
        NonNull::new(pointer)
    }
}

/// An array for other libraries: `numpy.from_dlpack`, `torch.from_dlpack` take it, once.
#[pyclass]
pub struct Given(pub Option<Tensor>);

#[pymethods]
impl Given {
    /// DLPack's number of the machine's own memory.
    fn __dlpack_device__(&self) -> (i32, i32) {
        (1, 0)
    }

    /// A capsule with the tensor in it, in the form that the caller knows.
    #[pyo3(signature = (**asked))]
    fn __dlpack__<'py>(
        &mut self,
        py: Python<'py>,
        asked: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let version = asked.and_then(|asked| asked.get_item("max_version").ok().flatten());
        let version = version.and_then(|version| version.extract::<(u32, u32)>().ok());
        let given = PyTypeError::new_err("the tensor was given away before");
        let tensor = self.0.take().ok_or(given)?;
        let (pointer, name, destructor): (_, _, unsafe extern "C" fn(_)) = match version {
            Some((1.., _)) => (tensor.into_raw().cast(), VERSIONED, drop_versioned),
            _ => {
                let tensor = tensor.into_unversioned();
                let tensor = tensor.map_err(|err| PyTypeError::new_err(err.to_string()))?;
                (tensor.cast::<c_void>(), UNVERSIONED, drop_unversioned)
            }
        };
        // SAFETY: the name lives forever, and the destructor is that of what the capsule holds.
        unsafe {
            let capsule = ffi::PyCapsule_New(pointer.as_ptr(), name.as_ptr(), Some(destructor));
            Bound::from_owned_ptr_or_err(py, capsule)
        }
    }
}

/// Drops the tensor of a capsule, if nobody took it.
unsafe extern "C" fn drop_versioned(capsule: *mut ffi::PyObject) {
    // SAFETY: Python calls it with the capsule, whose pointer is a tensor that nobody took while it
    // has this name.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, VERSIONED.as_ptr()) != 0 {
            let pointer = ffi::PyCapsule_GetPointer(capsule, VERSIONED.as_ptr());
            drop(NonNull::new(pointer.cast()).map(|pointer| Tensor::from_raw(pointer)));
        }
    }
}

/// As above, in the other form.
unsafe extern "C" fn drop_unversioned(capsule: *mut ffi::PyObject) {
    // SAFETY: as above.
    unsafe {
        if ffi::PyCapsule_IsValid(capsule, UNVERSIONED.as_ptr()) != 0 {
            let pointer = ffi::PyCapsule_GetPointer(capsule, UNVERSIONED.as_ptr());
            drop(NonNull::new(pointer.cast()).map(|pointer| Tensor::from_unversioned(pointer)));
        }
    }
}
