//! Elements from bytes and to bytes. The same for all formats.

use crate::error::{FileError, FileErrorKind as Kind};
use crate::{Array, ElementKind, FileElement, View};
use bytemuck::PodCastError;
use bytemuck::checked::CheckedCastError;
use elementwise::Exec;
use ndcore::{Dimension, Layout, LayoutErrorKind, List};
use rayon::iter::{ParallelBridge, ParallelIterator};
use std::fs::File;
use std::io::{self, Read, Write};

/// What is read and written at a time: a share of the cache nearest to the thread.
const CHUNK: usize = 1 << 17;
/// What a thread reads of a file before it asks for more: large enough for a task, and so small
/// that threads stay close to each other in the file, which a disk reads in order.
const PIECE: usize = 1 << 22;
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

    /// An array of the elements of a file, from byte `start` on, which are known to be there: read
    /// by all threads.
    ///
    /// What takes longest is not to copy what the system has in its cache, but to make the pages of
    /// fresh memory, which happens where they are first written: so each thread writes its own.
    pub fn read_file<T: FileElement>(
        &self,
        file: &File,
        start: u64,
    ) -> Result<Array<T, R>, FileError> {
        let mut array = self.room()?;
        let mut view = array.view_mut();
        let elements = view.as_slice_memory_order_mut().expect("a layout without gaps");
        let piece = PIECE / size_of::<T>();
        let read = |(number, elements): (usize, &mut [T])| {
            let mut done = number * piece;
            let mut source = At { file, at: start + (done * size_of::<T>()) as u64 };
            for chunk in elements.chunks_mut(CHUNK / size_of::<T>()) {
                self.fill(&mut source, chunk, done).map_err(|err| (number, err))?;
                done += chunk.len();
            }
            Ok(())
        };
        let mut pieces = elements.chunks_mut(piece).enumerate();
        // Elsewhere a place is the file's own, which threads share.
        let alone = cfg!(not(any(unix, windows))) || !Exec::current().parallel;
        let outcome = if !alone && pieces.len() > 1 {
            // Handed out in order: those before one that fails are read, too, so that the first
            // failure is always found.
            let first =
                |a: Result<_, (usize, FileError)>, b: Result<_, (usize, FileError)>| match (&a, &b)
                {
                    (Err((first, _)), Err((second, _))) if first < second => a,
                    (Err(_), Ok(())) => a,
                    _ => b,
                };
            pieces.par_bridge().map(read).reduce(|| Ok(()), first)
        } else {
            pieces.try_for_each(read)
        };
        outcome.map_err(|(_, err)| err)?;
        Ok(array)
    }

    /// An array to read into, of old values or zeros: the memory is recycled, or fresh memory,
    /// which the system gives as zeros when it is first written.
    fn room<T: FileElement>(&self) -> Result<Array<T, R>, FileError> {
        let layout = self.layout;
        self.bytes::<T>().map_err(|kind| FileError::at(0, kind))?;
        if let Some(array) = Array::recycled(layout) {
            return Ok(array);
        }
        let len = layout.size() + spare::<T>(layout.size());
        let mut data =
            bytemuck::try_zeroed_vec(len).map_err(|()| no_memory::<T, R>(&layout, len))?;
        ndcore::ask_for_huge_pages(&mut data);
        Array::from_layout_vec(layout, data).map_err(|err| FileError::at(0, err))
    }

    /// An array of the next elements of a source. `whole` says that the source is known to have as
    /// many bytes as these elements need: else memory is asked for as they come.
    pub fn read<T: FileElement>(
        &self,
        source: &mut (impl Read + ?Sized),
        whole: bool,
    ) -> Result<Array<T, R>, FileError> {
        if whole {
            let mut array = self.room()?;
            let mut view = array.view_mut();
            let elements = view.as_slice_memory_order_mut().expect("a layout without gaps");
            let mut done = 0;
            for chunk in elements.chunks_mut(CHUNK / size_of::<T>()) {
                self.fill(source, chunk, done)?;
                done += chunk.len();
            }
            return Ok(array);
        }
        let layout = self.layout;
        self.bytes::<T>().map_err(|kind| FileError::at(0, kind))?;
        let (len, mut data) = (layout.size(), Vec::new());
        while data.len() < len {
            let from = data.len();
            let most = (from * size_of::<T>()).clamp(FIRST, CHUNK);
            let more = (most / size_of::<T>()).min(len - from);
            // Twice as much each time, but in the end no more than there is.
            if data.capacity() < from + more
                && data.try_reserve_exact(from.max(more).min(len - from)).is_err()
            {
                return Err(no_memory::<T, R>(&layout, from + more));
            }
            data.resize(from + more, T::zeroed());
            self.fill(source, &mut data[from..], from)?;
        }
        Array::from_layout_vec(layout, data).map_err(|err| FileError::at(0, err))
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

/// A place in a file: reading from it does not move the file, so that several threads can.
pub(crate) struct At<'f> {
    pub file: &'f File,
    pub at: u64,
}

impl Read for At<'_> {
    fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
        #[cfg(unix)]
        let done = std::os::unix::fs::FileExt::read_at(self.file, bytes, self.at)?;
        #[cfg(windows)]
        let done = std::os::windows::fs::FileExt::seek_read(self.file, bytes, self.at)?;
        #[cfg(not(any(unix, windows)))]
        let done = {
            use std::io::{Seek, SeekFrom};
            let mut file = self.file;
            file.seek(SeekFrom::Start(self.at))?;
            file.read(bytes)?
        };
        self.at += done as u64;
        Ok(done)
    }
}

/// The elements to spare so that a large array can begin at a cache line: then later arrays can
/// have its memory.
fn spare<T>(len: usize) -> usize {
    if len >= FIRST { LINE / size_of::<T>() } else { 0 }
}

#[cold]
fn no_memory<T, R: Dimension>(layout: &Layout<R>, len: usize) -> FileError {
    let (shape, bytes) = (List::of(layout.shape()), len.saturating_mul(size_of::<T>()));
    let kind: ndcore::LayoutError = LayoutErrorKind::AllocationFailed { shape, bytes }.into();
    FileError::at(0, kind)
}

/// The bytes of an array.
pub(crate) fn byte_length(shape: &[usize], kind: ElementKind) -> Result<u64, Kind> {
    let size = ndcore::size_of_shape(shape)? as u64;
    let bytes = size.checked_mul(kind.size() as u64).filter(|bytes| *bytes <= isize::MAX as u64);
    bytes.ok_or_else(|| {
        Kind::Shape(LayoutErrorKind::SizeOverflow { shape: List::of(&shape) }.into())
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
