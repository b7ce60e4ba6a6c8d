//! DLPack: tensors for other libraries and languages, as [its C header][header] has them, versions
//! 1.x and the form without a version that came before.
//!
//! An array is given away as a [`Tensor`], which owns it until somebody takes the raw pointer; that
//! one then calls the tensor's deleter, once. What comes from elsewhere is a [`Tensor`] too: it is
//! looked at by views, and its deleter is called when it is dropped.
//!
//! ```
//! use arraybridge::dlpack::Tensor;
//! use elementwise::{Array2, View2, array};
//!
//! let a = array![[1.0_f32, 2.0, 3.0], [4.0, 5.0, 6.0]].reversed_axes();
//! let raw = Tensor::from(a).into_raw();                 // what a capsule `dltensor_versioned` holds
//!
//! // SAFETY: it is a tensor that nobody else has, and writes to.
//! let tensor = unsafe { Tensor::from_raw(raw)? };
//! let view: View2<f32> = tensor.view()?;                // no copy; the strides are kept
//! assert_eq!((view.strides(), view[[2, 1]]), (&[1, 3][..], 6.0));
//! # Ok::<(), arraybridge::BridgeError>(())
//! ```
//!
//! [header]: https://github.com/dmlc/dlpack/blob/main/include/dlpack/dlpack.h

use crate::BridgeError;
use elementwise::{ArcArray, Array, View, ViewMut};
use half::{bf16, f16};
use ndcore::{Axes, Dimension, Element, Layout, LayoutError, LayoutErrorKind, MAX_NDIM};
use num_complex::Complex;
use std::ffi::c_void;
use std::fmt;
use std::ptr::NonNull;

/// The version that tensors are given away with.
pub const VERSION: PackVersion = PackVersion { major: 1, minor: 0 };
/// The machine's own memory, as a kind of device.
pub const CPU: i32 = 1;
/// The flag of tensors that may not be written.
pub const READ_ONLY: u64 = 1;
/// The flag of tensors that are copies made for the receiver.
pub const IS_COPIED: u64 = 2;

/// `DLPackVersion`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct PackVersion {
    /// Tensors of another major version are laid out in another way.
    pub major: u32,
    /// Later ones add what can be ignored.
    pub minor: u32,
}

/// `DLDevice`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Device {
    /// The kind: [`CPU`], or another one.
    pub device_type: i32,
    /// Which of them.
    pub device_id: i32,
}

/// `DLDataType`.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(C)]
pub struct DataType {
    /// 0 for signed integers, 1 unsigned, 2 floating point, 4 `bf16`, 5 complex, 6 booleans.
    pub code: u8,
    /// Of a number.
    pub bits: u8,
    /// Numbers in a vector; 1.
    pub lanes: u16,
}

impl fmt::Display for DataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = ["i", "u", "f", "opaque", "bf", "complex", "bool"];
        match names.get(usize::from(self.code)) {
            Some(name) => write!(f, "{name}{}", self.bits)?,
            None => write!(f, "code {} of {} bits", self.code, self.bits)?,
        }
        if self.lanes == 1 { Ok(()) } else { write!(f, " in vectors of {}", self.lanes) }
    }
}

impl fmt::Debug for DataType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// `DLTensor`.
#[derive(Debug)]
#[repr(C)]
pub struct RawTensor {
    /// Where the elements are; the first one lies `byte_offset` bytes after.
    pub data: *mut c_void,
    /// Whose memory it is.
    pub device: Device,
    /// The number of axes.
    pub ndim: i32,
    /// The type of the elements.
    pub dtype: DataType,
    /// An extent for each axis.
    pub shape: *mut i64,
    /// A stride for each axis, in elements; null for row-major order.
    pub strides: *mut i64,
    /// From `data` to the first element.
    pub byte_offset: u64,
}

/// `DLManagedTensorVersioned`: what a capsule named `dltensor_versioned` holds.
#[derive(Debug)]
#[repr(C)]
pub struct Managed {
    /// The version that this is laid out by.
    pub version: PackVersion,
    /// The owner's own.
    pub manager_ctx: *mut c_void,
    /// Called once, when nobody needs the tensor any more.
    pub deleter: Option<unsafe extern "C" fn(*mut Managed)>,
    /// [`READ_ONLY`], [`IS_COPIED`].
    pub flags: u64,
    /// Shape, type and place.
    pub tensor: RawTensor,
}

/// `DLManagedTensor`, without a version: what a capsule named `dltensor` holds.
#[derive(Debug)]
#[repr(C)]
pub struct Unversioned {
    /// Shape, type and place.
    pub tensor: RawTensor,
    /// The owner's own.
    pub manager_ctx: *mut c_void,
    /// Called once, when nobody needs the tensor any more.
    pub deleter: Option<unsafe extern "C" fn(*mut Unversioned)>,
}

mod sealed {
    pub trait Sealed {}
}

/// The element types that DLPack and arrays have in common: `bool`, integers, `f16`, `bf16`, `f32`,
/// `f64` and complex numbers.
pub trait PackElement: Element + sealed::Sealed {
    /// Its number in DLPack.
    const TYPE: DataType;
}

macro_rules! elements {
    ($($type:ty: $code:literal $bits:literal;)*) => {$(
        impl sealed::Sealed for $type {}
        impl PackElement for $type {
            const TYPE: DataType = DataType { code: $code, bits: $bits, lanes: 1 };
        }
    )*};
}

elements! {
    i8: 0 8; i16: 0 16; i32: 0 32; i64: 0 64;
    u8: 1 8; u16: 1 16; u32: 1 32; u64: 1 64;
    f16: 2 16; f32: 2 32; f64: 2 64;
    bf16: 4 16;
    Complex<f32>: 5 64; Complex<f64>: 5 128;
    bool: 6 8;
}

/// What a tensor that was an array keeps alive.
struct Kept<A> {
    /// Never looked at: its memory is the tensor's.
    _array: A,
    /// Extents and strides, one after the other.
    numbers: [i64; 2 * MAX_NDIM],
}

/// A new tensor of an array's elements.
fn managed<T: PackElement, A: 'static>(
    array: A,
    first: *mut T,
    shape: &[usize],
    strides: &[isize],
    flags: u64,
) -> NonNull<Managed> {
    let mut kept = Box::new(Kept { _array: array, numbers: [0; 2 * MAX_NDIM] });
    let (extents, steps) = kept.numbers.split_at_mut(MAX_NDIM);
    for axis in 0..shape.len() {
        // Arrays are in memory, which numbers of 64 bits count.
        (extents[axis], steps[axis]) = (shape[axis] as i64, strides[axis] as i64);
    }
    let kept = Box::into_raw(kept);
    // SAFETY: `kept` is a box that was just given up; only addresses of its fields are taken.
    let shape_first = unsafe { (&raw mut (*kept).numbers).cast::<i64>() };
    let tensor = RawTensor {
        data: first.cast(),
        device: Device { device_type: CPU, device_id: 0 },
        ndim: shape.len() as i32,
        dtype: T::TYPE,
        shape: shape_first,
        strides: shape_first.wrapping_add(MAX_NDIM),
        byte_offset: 0,
    };
    let managed = Managed {
        version: VERSION,
        manager_ctx: kept.cast(),
        deleter: Some(delete::<A>),
        flags,
        tensor,
    };
    NonNull::from(Box::leak(Box::new(managed)))
}

/// The deleter of tensors that were arrays.
///
/// # Safety
/// The tensor was made by [`managed`] of an `A`, and has not been deleted.
unsafe extern "C" fn delete<A>(tensor: *mut Managed) {
    // SAFETY: both are boxes that `managed` gave up; the caller's promise is that this happens
    // once.
    let tensor = unsafe { Box::from_raw(tensor) };
    // SAFETY: as above.
    drop(unsafe { Box::from_raw(tensor.manager_ctx.cast::<Kept<A>>()) });
}

/// A tensor of another form in the place of the owner's own: for the form without a version.
unsafe extern "C" fn delete_wrapped(tensor: *mut Unversioned) {
    // SAFETY: `into_unversioned` gave up both this box and the tensor in it; called once.
    drop(unsafe {
        let tensor = Box::from_raw(tensor);
        Tensor(Form::Versioned(NonNull::new_unchecked(tensor.manager_ctx.cast())))
    });
}

/// In which form somebody else made a tensor.
#[derive(Debug)]
enum Form {
    Versioned(NonNull<Managed>),
    Unversioned(NonNull<Unversioned>),
}

/// A tensor of DLPack, made here or elsewhere. When it is dropped, its deleter is called.
#[derive(Debug)]
pub struct Tensor(Form);

// SAFETY: elements may be read from any thread, as those of arrays; DLPack asks of deleters that
// any thread can call them.
unsafe impl Send for Tensor {}
// SAFETY: as above; shared, a tensor is only read.
unsafe impl Sync for Tensor {}

impl<T: PackElement, R: Dimension> From<Array<T, R>> for Tensor {
    /// The array's memory, by its strides; nothing is copied. Whoever has the tensor may write to
    /// it.
    fn from(mut array: Array<T, R>) -> Self {
        let (first, layout) = (array.as_mut_ptr(), *array.layout());
        Tensor(Form::Versioned(managed(array, first, layout.shape(), layout.strides(), 0)))
    }
}

impl<T: PackElement, R: Dimension> From<ArcArray<T, R>> for Tensor {
    /// The memory that the array shares with its copies; nothing is copied. The tensor may only be
    /// read.
    fn from(array: ArcArray<T, R>) -> Self {
        let (first, layout) = (array.as_ptr().cast_mut(), *array.layout());
        Tensor(Form::Versioned(managed(array, first, layout.shape(), layout.strides(), READ_ONLY)))
    }
}

impl Tensor {
    /// The tensor for somebody else, who has to call its deleter: for a capsule named
    /// `dltensor_versioned`.
    pub fn into_raw(self) -> NonNull<Managed> {
        let tensor = std::mem::ManuallyDrop::new(self);
        match tensor.0 {
            Form::Versioned(managed) => managed,
            Form::Unversioned(old) => NonNull::from(Box::leak(Box::new(wrap(old)))),
        }
    }

    /// The same in the form without a version: for a capsule named `dltensor`.
    ///
    /// # Errors
    /// [`ReadOnly`](BridgeError::ReadOnly) if the tensor may only be read, which this form cannot
    /// say. The tensor is dropped then.
    pub fn into_unversioned(self) -> Result<NonNull<Unversioned>, BridgeError> {
        if self.is_read_only() {
            return Err(BridgeError::ReadOnly);
        }
        let tensor = std::mem::ManuallyDrop::new(self);
        let managed = match tensor.0 {
            Form::Unversioned(old) => return Ok(old),
            Form::Versioned(managed) => managed,
        };
        // SAFETY: it is a tensor that nobody has deleted, and is only read here.
        let RawTensor { data, device, ndim, dtype, shape, strides, byte_offset } =
            unsafe { &managed.as_ref().tensor };
        let tensor = RawTensor {
            data: *data,
            device: *device,
            ndim: *ndim,
            dtype: *dtype,
            shape: *shape,
            strides: *strides,
            byte_offset: *byte_offset,
        };
        let (manager_ctx, deleter) = (managed.as_ptr().cast(), Some(delete_wrapped as _));
        Ok(NonNull::from(Box::leak(Box::new(Unversioned { tensor, manager_ctx, deleter }))))
    }

    /// A tensor that somebody gave away, such as one out of a capsule named `dltensor_versioned`
    /// (which has to be renamed then).
    ///
    /// # Errors
    /// [`Version`](BridgeError::Version) if its major version is not 1; its deleter, which all
    /// versions have in the same place, has been called then.
    ///
    /// # Safety
    /// It points to a tensor as DLPack lays it out, whose `shape` and `strides`, unless they are
    /// null, have `ndim` numbers, and whose elements, if it is in the machine's own memory, lie in
    /// one allocation and are values of their type (of `bool`, 0 or 1). Nobody else calls its
    /// deleter, and while it is viewed, nobody else writes to its elements.
    pub unsafe fn from_raw(managed: NonNull<Managed>) -> Result<Self, BridgeError> {
        let tensor = Tensor(Form::Versioned(managed));
        // SAFETY: the caller's promise; the version comes first in all versions.
        let PackVersion { major, minor } = unsafe { managed.as_ref().version };
        if major == VERSION.major { Ok(tensor) } else { Err(BridgeError::Version { major, minor }) }
    }

    /// As [`from_raw`](Self::from_raw), in the form without a version: out of a capsule named
    /// `dltensor`.
    ///
    /// # Safety
    /// As there.
    pub unsafe fn from_unversioned(managed: NonNull<Unversioned>) -> Self {
        Tensor(Form::Unversioned(managed))
    }

    /// What it says of itself, checked by nobody.
    pub fn raw(&self) -> &RawTensor {
        // SAFETY: there is a tensor until it is dropped.
        unsafe {
            match &self.0 {
                Form::Versioned(managed) => &managed.as_ref().tensor,
                Form::Unversioned(managed) => &managed.as_ref().tensor,
            }
        }
    }

    /// Whether it may only be read. In the form without a version it does not say, and may.
    pub fn is_read_only(&self) -> bool {
        match &self.0 {
            // SAFETY: there is a tensor until it is dropped.
            Form::Versioned(managed) => unsafe { managed.as_ref() }.flags & READ_ONLY != 0,
            Form::Unversioned(_) => false,
        }
    }

    /// The shape.
    ///
    /// # Errors
    /// [`NegativeExtent`](BridgeError::NegativeExtent), [`Malformed`](BridgeError::Malformed), and
    /// [`Layout`](BridgeError::Layout) if there are more axes than [`MAX_NDIM`].
    pub fn shape(&self) -> Result<Axes<usize>, BridgeError> {
        let raw = self.raw();
        let ndim = usize::try_from(raw.ndim)
            .map_err(|_| BridgeError::Malformed("a negative number of axes"))?;
        if ndim > MAX_NDIM {
            return Err(LayoutError::from(LayoutErrorKind::RankTooHigh { ndim }).into());
        }
        let mut shape = Axes::filled(0, ndim);
        if ndim > 0 && raw.shape.is_null() {
            return Err(BridgeError::Malformed("axes without a shape"));
        }
        for axis in 0..ndim {
            // SAFETY: there are `ndim` numbers (the promise of `from_raw`).
            let extent = unsafe { raw.shape.add(axis).read() };
            shape[axis] = usize::try_from(extent)
                .map_err(|_| BridgeError::NegativeExtent { axis, extent })?;
        }
        Ok(shape)
    }

    /// Where the first element is, and by which strides the others, after all that can be checked.
    fn checked<T: PackElement, R: Dimension>(&self) -> Result<Checked<T, R>, BridgeError> {
        let raw = self.raw();
        let Device { device_type, device_id } = raw.device;
        if device_type != CPU {
            return Err(BridgeError::Device { device_type, device_id });
        }
        if raw.dtype != T::TYPE {
            let (expected, found) = (T::TYPE.to_string(), raw.dtype.to_string());
            return Err(BridgeError::ElementType { expected, found });
        }
        let extents = self.shape()?;
        let shape = R::shape(&extents)?;
        let size = Layout::<R>::c_order(shape)?;
        let strides = match raw.strides {
            strides if strides.is_null() => size.strides().to_vec(),
            strides => (0..extents.len())
                .map(|axis| {
                    // SAFETY: there are `ndim` numbers (the promise of `from_raw`).
                    let stride = unsafe { strides.add(axis).read() };
                    isize::try_from(stride).map_err(|_| BridgeError::Malformed("a stride too far"))
                })
                .collect::<Result<_, _>>()?,
        };
        if size.is_empty() {
            // There may be no memory at all.
            return Ok(Checked { first: NonNull::dangling(), shape, strides });
        }
        let offset = usize::try_from(raw.byte_offset)
            .map_err(|_| BridgeError::Malformed("an offset too far"))?;
        let first = NonNull::new(raw.data.cast::<u8>().wrapping_add(offset))
            .filter(|_| !raw.data.is_null())
            .ok_or(BridgeError::Malformed("elements at address 0"))?
            .cast::<T>();
        if !first.is_aligned() {
            let address = first.addr().get();
            return Err(BridgeError::Misaligned { address, align: align_of::<T>() });
        }
        Ok(Checked { first, shape, strides })
    }

    /// The elements where they lie.
    ///
    /// # Errors
    /// [`Device`](BridgeError::Device), [`ElementType`](BridgeError::ElementType),
    /// [`Misaligned`](BridgeError::Misaligned), what [`shape`](Self::shape) refuses, and
    /// [`Layout`](BridgeError::Layout) if the rank is another one.
    ///
    /// ```
    /// use arraybridge::dlpack::Tensor;
    /// use elementwise::{View1, View2, array};
    /// let tensor = Tensor::from(array![1_i32, 2, 3]);
    /// let view: View1<i32> = tensor.view()?;
    /// assert_eq!(view.to_vec(), [1, 2, 3]);
    /// let refused: Result<View1<f32>, _> = tensor.view();
    /// assert_eq!(refused.unwrap_err().to_string(), "the elements are i32, not f32");
    /// let refused: Result<View2<i32>, _> = tensor.view();
    /// assert!(refused.is_err());
    /// # Ok::<(), arraybridge::BridgeError>(())
    /// ```
    pub fn view<T: PackElement, R: Dimension>(&self) -> Result<View<'_, T, R>, BridgeError> {
        let Checked { first, shape, strides } = self.checked::<T, R>()?;
        // SAFETY: the elements are those of a tensor that lives as long as it is borrowed, and can
        // be read (the promise of `from_raw`; of arrays that were given to it, because it owns
        // them).
        Ok(unsafe { View::from_raw(first.as_ptr(), shape, &strides)? })
    }

    /// The elements where they lie, for writing.
    ///
    /// # Errors
    /// As for [`view`](Self::view); [`ReadOnly`](BridgeError::ReadOnly), and
    /// [`Layout`](BridgeError::Layout) if the strides reach an element twice.
    ///
    /// # Safety
    /// While it is viewed, nobody else reads or writes its elements. (What gave the tensor away may
    /// have kept them: of a tensor just made of an [`Array`] nobody has.)
    ///
    /// ```
    /// use arraybridge::dlpack::Tensor;
    /// let mut tensor = Tensor::from(elementwise::array![1, 2, 3]);
    /// // SAFETY: the array was given away, and nobody else has the tensor.
    /// let mut view: elementwise::ViewMut1<i32> = unsafe { tensor.view_mut()? };
    /// view[1] = 7;
    /// let view: elementwise::View1<i32> = tensor.view()?;
    /// assert_eq!(view.to_vec(), [1, 7, 3]);
    /// # Ok::<(), arraybridge::BridgeError>(())
    /// ```
    pub unsafe fn view_mut<T: PackElement, R: Dimension>(
        &mut self,
    ) -> Result<ViewMut<'_, T, R>, BridgeError> {
        if self.is_read_only() {
            return Err(BridgeError::ReadOnly);
        }
        let Checked { first, shape, strides } = self.checked::<T, R>()?;
        // SAFETY: as for `view`, and the caller's promise.
        Ok(unsafe { ViewMut::from_raw(first.as_ptr(), shape, &strides)? })
    }
}

/// What a view is made of.
struct Checked<T, R: Dimension> {
    first: NonNull<T>,
    shape: R::Shape,
    strides: Vec<isize>,
}

/// A tensor without a version in one that has it.
fn wrap(old: NonNull<Unversioned>) -> Managed {
    /// Gives the one inside back.
    unsafe extern "C" fn delete_old(tensor: *mut Managed) {
        // SAFETY: `into_raw` gave up both this box and the tensor in it; called once.
        drop(unsafe {
            let tensor = Box::from_raw(tensor);
            Tensor(Form::Unversioned(NonNull::new_unchecked(tensor.manager_ctx.cast())))
        });
    }
    // SAFETY: it is a tensor that nobody has deleted; what it owns stays its own.
    let tensor = unsafe { std::ptr::read(&raw const (*old.as_ptr()).tensor) };
    let manager_ctx = old.as_ptr().cast();
    Managed { version: VERSION, manager_ctx, deleter: Some(delete_old), flags: 0, tensor }
}

impl Drop for Tensor {
    fn drop(&mut self) {
        // SAFETY: there is a tensor until here, and its deleter is called once, because whoever
        // takes the pointer forgets this value.
        unsafe {
            match self.0 {
                Form::Versioned(managed) => {
                    if let Some(delete) = managed.as_ref().deleter {
                        delete(managed.as_ptr());
                    }
                }
                Form::Unversioned(managed) => {
                    if let Some(delete) = managed.as_ref().deleter {
                        delete(managed.as_ptr());
                    }
                }
            }
        }
    }
}
