//! Elements from bytes and to bytes. The same for all formats.

use crate::error::{FileError, FileErrorKind as Kind};
use crate::{Array, ElementKind, FileElement, View};
use bytemuck::PodCastError;
use bytemuck::checked::CheckedCastError;
use ndcore::{Dimension, Layout, List};
use std::io::{self, Read, Write};

/// What is read and written at a time: a share of the cache nearest to the thread.
const CHUNK: usize = 1 << 17;
/// What is read of a source that may end at any time, at first.
const FIRST: usize = 1 << 13;
/// The bytes of a cache line, as large arrays have them to spare.
const LINE: usize = 64;

/// How the elements of an array lie in a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Elements<R: Dimension> {
    pub layout: Layout<R>,
    /// In the byte order that is not this machine's.
    pub swapped: bool,
}

impl<R: Dimension> Elements<R> {
    /// Elements of a shape, of which nothing is known but what a file says.
    pub fn new(shape: &[usize], column_major: bool, swapped: bool) -> Result<Self, Kind> {
        let shape = R::shape(shape)?;
        let layout = if column_major { Layout::f_order(shape)? } else { Layout::c_order(shape)? };
        Ok(Elements { layout, swapped })
    }

    /// The bytes of all elements.
    pub fn bytes<T: FileElement>(&self) -> Result<u64, Kind> {
        byte_length(self.layout.shape(), T::KIND)
    }

    /// Refuses data of another length.
    pub fn check_length<T: FileElement>(&self, found: u64) -> Result<(), Kind> {
        let expected = self.bytes::<T>()?;
        if found == expected {
            return Ok(());
        }
        Err(Kind::Length { element: T::KIND, shape: self.layout.shape().to_vec(), expected, found })
    }

    /// A view of the elements where they lie.
    pub fn view<'a, T: FileElement>(&self, bytes: &'a [u8]) -> Result<View<'a, T, R>, FileError> {
        let refuse = |kind| FileError::at(0, kind);
        self.check_length::<T>(bytes.len() as u64).map_err(refuse)?;
        let elements = if bytes.is_empty() {
            &[]
        } else {
            if self.swapped && T::KIND.word() > 1 {
                return Err(refuse(Kind::ByteOrder));
            }
            bytemuck::checked::try_cast_slice(bytes).map_err(|err| match err {
                CheckedCastError::InvalidBitPattern => no_bool(bytes),
                CheckedCastError::PodCastError(
                    PodCastError::TargetAlignmentGreaterAndInputNotAligned,
                ) => refuse(Kind::Unaligned { alignment: align_of::<T>() }),
                CheckedCastError::PodCastError(_) => refuse(Kind::Truncated {
                    what: "whole elements",
                    expected: bytes.len().next_multiple_of(size_of::<T>()) as u64,
                    found: bytes.len() as u64,
                }),
            })?
        };
        View::from_strided(self.layout.raw_shape(), self.layout.strides(), 0, elements)
            .map_err(|err| refuse(err.into()))
    }

    /// An array of the next elements of a source. `whole` says that the source is known to have as
    /// many bytes as these elements need: else memory is asked for as they come.
    pub fn read<T: FileElement>(
        &self,
        source: &mut (impl Read + ?Sized),
        whole: bool,
    ) -> Result<Array<T, R>, FileError> {
        let refuse = |err: ndcore::LayoutError| FileError::at(0, err);
        let layout = self.layout;
        self.bytes::<T>().map_err(|kind| FileError::at(0, kind))?;
        let recycled = whole.then(|| Array::recycled(layout)).flatten();
        if let Some(mut array) = recycled
            && let Some(elements) = array.view_mut().as_slice_memory_order_mut()
            && T::bytes_mut(&mut elements[..0]).is_some()
        {
            let mut done = 0;
            for chunk in elements.chunks_mut(CHUNK / size_of::<T>()) {
                self.fill(source, chunk, done)?;
                done += chunk.len();
            }
            return Ok(array);
        }
        let len = layout.size();
        // With room to begin at a cache line: then later arrays can have the memory.
        let spare = if whole && len >= FIRST { LINE / size_of::<T>() } else { 0 };
        let mut data = ndcore::reserved(if whole { len + spare } else { 0 }, layout.shape())
            .map_err(refuse)?;
        while data.len() < len {
            let from = data.len();
            let most = if whole { CHUNK } else { (from * size_of::<T>()).clamp(FIRST, CHUNK) };
            let more = (most / size_of::<T>()).min(len - from);
            // Twice as much each time, but in the end no more than there is.
            if data.capacity() < from + more
                && data.try_reserve_exact(from.max(more).min(len - from)).is_err()
            {
                let bytes = (from + more) * size_of::<T>();
                let shape = List::of(layout.shape());
                return Err(refuse(
                    ndcore::LayoutErrorKind::AllocationFailed { shape, bytes }.into(),
                ));
            }
            data.resize(from + more, T::zeroed());
            self.fill(source, &mut data[from..], from)?;
        }
        data.resize(len + spare, T::zeroed());
        Array::from_layout_vec(layout, data).map_err(refuse)
    }

    /// Reads some elements, of which the first has number `done` among all.
    fn fill<T: FileElement>(
        &self,
        source: &mut (impl Read + ?Sized),
        elements: &mut [T],
        done: usize,
    ) -> Result<(), FileError> {
        let at = (done * size_of::<T>()) as u64;
        let missing = |found: usize, error: Option<io::Error>| {
            let found = at + found as u64;
            match error {
                Some(error) => FileError::io(found, "reading the data", error),
                None => {
                    let expected = self.bytes::<T>().unwrap_or(u64::MAX);
                    FileError::at(found, Kind::Truncated { what: "data", expected, found })
                }
            }
        };
        if let Some(bytes) = T::bytes_mut(elements) {
            read_exact(source, bytes, &missing)?;
            if self.swapped {
                swap_bytes(bytes, T::KIND.word());
            }
            return Ok(());
        }
        // Not all bytes are elements: they are looked at before they become some.
        let mut buffer = [0_u8; 1 << 12];
        let mut done = 0;
        for part in elements.chunks_mut(buffer.len() / size_of::<T>()) {
            let bytes = &mut buffer[..size_of_val(part)];
            read_exact(source, bytes, &|found, error| missing(done as usize + found, error))?;
            match bytemuck::checked::try_cast_slice(bytes) {
                Ok(read) => part.copy_from_slice(read),
                Err(_) => return Err(no_bool(bytes).shifted(at + done)),
            }
            done += bytes.len() as u64;
        }
        Ok(())
    }
}

/// The bytes of an array.
pub(crate) fn byte_length(shape: &[usize], kind: ElementKind) -> Result<u64, Kind> {
    let size = ndcore::size_of_shape(shape)? as u64;
    let bytes = size.checked_mul(kind.size() as u64).filter(|bytes| *bytes <= isize::MAX as u64);
    bytes.ok_or_else(|| {
        Kind::Shape(ndcore::LayoutErrorKind::SizeOverflow { shape: List::of(&shape) }.into())
    })
}

#[cold]
fn no_bool(bytes: &[u8]) -> FileError {
    let at = bytes.iter().position(|byte| *byte > 1).unwrap_or(0);
    FileError::at(at as u64, Kind::Bool { found: bytes.get(at).copied().unwrap_or(0) })
}

/// Changes the byte order of words of this many bytes.
fn swap_bytes(bytes: &mut [u8], word: usize) {
    /// With the length in the type, so that it becomes one instruction.
    fn swap<const N: usize>(bytes: &mut [u8]) {
        bytes.as_chunks_mut::<N>().0.iter_mut().for_each(|word| word.reverse());
    }
    match word {
        2 => swap::<2>(bytes),
        4 => swap::<4>(bytes),
        8 => swap::<8>(bytes),
        _ => {}
    }
}

/// Fills `bytes`, or says how many there were and what went wrong.
fn read_exact(
    source: &mut (impl Read + ?Sized),
    bytes: &mut [u8],
    missing: &dyn Fn(usize, Option<io::Error>) -> FileError,
) -> Result<(), FileError> {
    match read_full(source, bytes) {
        Ok(found) if found == bytes.len() => Ok(()),
        Ok(found) => Err(missing(found, None)),
        Err(error) => Err(missing(0, Some(error))),
    }
}

/// As `read_exact` of a reader, but says how many bytes there were.
pub(crate) fn read_full(source: &mut (impl Read + ?Sized), bytes: &mut [u8]) -> io::Result<usize> {
    let mut done = 0;
    while done < bytes.len() {
        match source.read(&mut bytes[done..]) {
            Ok(0) => break,
            Ok(count) => done += count,
            Err(err) if err.kind() == io::ErrorKind::Interrupted => {}
            Err(err) => return Err(err),
        }
    }
    Ok(done)
}

/// Writes the elements of a view in logical order: as they lie, if they lie so, and else by a
/// buffer.
pub(crate) fn write<T: FileElement, R: Dimension>(
    to: &mut (impl Write + ?Sized),
    view: &View<'_, T, R>,
) -> io::Result<()> {
    if let Some(elements) = view.as_slice() {
        return to.write_all(bytemuck::cast_slice(elements));
    }
    let most = (CHUNK / 8 / size_of::<T>()).min(view.len());
    let mut buffer = Vec::with_capacity(most);
    for element in view.iter() {
        buffer.push(*element);
        if buffer.len() == most {
            to.write_all(bytemuck::cast_slice(&buffer))?;
            buffer.clear();
        }
    }
    to.write_all(bytemuck::cast_slice(&buffer))
}

/// Changes the byte order of what is written: whole words, as [`write`] writes them.
#[cfg(all(feature = "safetensors", target_endian = "big"))]
pub(crate) struct Swapping<W> {
    pub to: W,
    pub word: usize,
}

#[cfg(all(feature = "safetensors", target_endian = "big"))]
impl<W: Write> Write for Swapping<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut part = bytes[..bytes.len().min(1 << 12)].to_vec();
        swap_bytes(&mut part, self.word);
        self.to.write_all(&part)?;
        Ok(part.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.to.flush()
    }
}
