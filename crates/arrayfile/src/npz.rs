//! `.npz` archives of NumPy: a zip archive of `.npy` files, stored or deflated.
//!
//! ```
//! use arrayfile::npz::{Npz, Writer};
//! use elementwise::{Array1, Array2, array};
//! let path = std::env::temp_dir().join(format!("doc-{}.npz", std::process::id()));
//! let mut writer = Writer::create(&path)?;
//! writer.add("weights", &array![[1.0_f32, 2.0], [3.0, 4.0]])?;
//! writer.add_deflated("counts", &array![0_u64, 0, 0, 7])?;
//! writer.finish()?;
//!
//! let file = Npz::open(&path)?;
//! assert_eq!(file.names()?, ["weights", "counts"]);
//! let weights: Array2<f32> = file.read("weights")?;
//! assert_eq!(weights[[1, 0]], 3.0);
//! let counts: Array1<u64> = file.read("counts")?;
//! assert_eq!(counts.to_vec(), [0, 0, 0, 7]);
//!
//! let err = file.read::<u64, ndcore::Rank<1>>("bias").unwrap_err();
//! assert!(err.to_string().contains(r#"array "bias""#), "{err}");
//! # std::fs::remove_file(&path).unwrap();
//! # Ok::<(), arrayfile::FileError>(())
//! ```

use crate::error::{FileError, FileErrorKind as Kind, shown};
use crate::npy::{self, Header};
use crate::{Array, FileElement, View};
use flate2::Compression;
use flate2::bufread::DeflateDecoder;
use flate2::write::DeflateEncoder;
use ndcore::Dimension;
use rawzip::extra_fields::ExtraFieldId;
use rawzip::{
    CompressionMethod, FileReader, ReaderAt, ZipArchive, ZipArchiveEntryWayfinder,
    ZipArchiveWriter, ZipFileHeaderRecord,
};
use std::fmt;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Cursor, Read, Write};
use std::path::{Path, PathBuf};

/// An archive: a file ([`open`](Npz::open)), or its bytes ([`from_bytes`](Npz::from_bytes)), of
/// which those arrays that are stored can be viewed where they lie.
///
/// No list of the arrays is kept: each call goes through the directory at the end of the archive.
pub struct Npz<S> {
    archive: ZipArchive<S>,
    path: Option<PathBuf>,
    length: u64,
}

/// An array in an archive.
#[derive(Clone, Copy)]
struct Entry {
    place: ZipArchiveEntryWayfinder,
    method: CompressionMethod,
}

/// Parts of the archive that are looked at: records of the directory, which have mostly their
/// names in them.
const BUFFER: usize = 1 << 14;

impl Npz<FileReader> {
    /// Opens an archive.
    ///
    /// # Errors
    /// If it cannot be read, or is no zip archive.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref();
        let open = || {
            let refuse = |err| FileError::io(0, "opening the file", err);
            let file = File::open(path).map_err(refuse)?;
            let length = file.metadata().map_err(refuse)?.len();
            let archive =
                ZipArchive::from_file(file, &mut [0; BUFFER]).map_err(|err| broken(length, err))?;
            Ok(Npz { archive, path: Some(path.to_path_buf()), length })
        };
        open().map_err(|err: FileError| err.of(path))
    }
}

impl<B: AsRef<[u8]>> Npz<Cursor<B>> {
    /// The archive in these bytes, most often a [`Map`](crate::Map).
    ///
    /// # Errors
    /// If they are no zip archive.
    pub fn from_bytes(bytes: B) -> Result<Self, FileError> {
        let length = bytes.as_ref().len() as u64;
        let archive = ZipArchive::from_slice(bytes).map_err(|err| broken(length, err))?;
        Ok(Npz { archive: archive.into_cursor_archive(), path: None, length })
    }

    /// A view of an array where it lies in the archive: nothing is copied.
    ///
    /// What NumPy has written seldom lies at an address that suits its elements; what [`Writer`]
    /// has stored always does, if the bytes themselves are a [`Map`](crate::Map). Its check sum is
    /// not looked at.
    ///
    /// # Errors
    /// As for [`read`](Npz::read) and [`npy::view`], and if the array is
    /// [compressed](Kind::Compressed).
    ///
    /// ```
    /// use arrayfile::{View, npz::{Npz, Writer}};
    /// use ndcore::Rank;
    /// let mut bytes = Vec::new();
    /// let mut writer = Writer::new(&mut bytes);
    /// writer.add("letters", &elementwise::array![97_u8, 98, 99])?;
    /// writer.finish()?;
    /// let archive = Npz::from_bytes(&bytes)?;
    /// let letters: View<u8, Rank<1>> = archive.view("letters")?;
    /// assert_eq!(letters.as_slice(), Some(&b"abc"[..]));
    /// # Ok::<(), arrayfile::FileError>(())
    /// ```
    pub fn view<T: FileElement, R: Dimension>(
        &self,
        name: &str,
    ) -> Result<View<'_, T, R>, FileError> {
        self.named(name, |entry| {
            if entry.method != CompressionMethod::STORE {
                return Err(FileError::at(0, Kind::Compressed));
            }
            let (begin, end) = self.stored(&entry)?;
            // Both are within the bytes: `stored` has compared them with their number.
            npy::view(&self.archive.get_ref().get_ref().as_ref()[begin as usize..end as usize])
        })
    }
}

impl<S: ReaderAt> Npz<S> {
    /// The names of the arrays, as NumPy says them: without the ending `.npy`.
    ///
    /// # Errors
    /// If the directory of the archive is not what it should be.
    pub fn names(&self) -> Result<Vec<String>, FileError> {
        let mut names = Vec::new();
        let mut buffer = [0; BUFFER];
        let mut entries = self.archive.entries(&mut buffer);
        while let Some(entry) = entries.next_entry().map_err(|err| self.broken(err))? {
            names.push(String::from_utf8_lossy(name_of(&entry)).into_owned());
        }
        Ok(names)
    }

    /// What the archive says of an array.
    ///
    /// # Errors
    /// As for [`read`](Npz::read), but for the type and the rank.
    pub fn header(&self, name: &str) -> Result<Header, FileError> {
        self.named(name, |entry| self.with_data(&entry, |mut data, _| Header::read_from(&mut data)))
    }

    /// Reads an array. Its check sum is compared.
    ///
    /// Memory for data that are deflated is asked for as they come.
    ///
    /// # Errors
    /// [`Missing`](Kind::Missing), [`Duplicate`](Kind::Duplicate); if the archive is not what it
    /// should be; as for [`npy::read`], and if something follows the array.
    pub fn read<T: FileElement, R: Dimension>(&self, name: &str) -> Result<Array<T, R>, FileError> {
        self.named(name, |entry| {
            let length = entry.place.uncompressed_size_hint();
            self.with_data(&entry, |mut data, whole| {
                let header = Header::read_from(&mut data)?;
                let start = header.data_start();
                let elements = header.elements::<T, R>()?;
                elements
                    .check_length::<T>(length.saturating_sub(start))
                    .map_err(|kind| FileError::at(start, kind))?;
                elements.read(&mut data, whole).map_err(|err| err.shifted(start))
            })
        })
    }

    /// Finds an array and does something with it.
    fn named<O>(
        &self,
        name: &str,
        work: impl FnOnce(Entry) -> Result<O, FileError>,
    ) -> Result<O, FileError> {
        let work = self.find(name).and_then(work);
        work.map_err(|err| err.in_part(name).located(self.path.as_deref()))
    }

    fn find(&self, name: &str) -> Result<Entry, FileError> {
        let mut buffer = [0; BUFFER];
        let mut entries = self.archive.entries(&mut buffer);
        let mut found = None;
        let mut there = String::new();
        while let Some(entry) = entries.next_entry().map_err(|err| self.broken(err))? {
            let own = name_of(&entry);
            if own == name.as_bytes() {
                let entry = Entry { place: entry.wayfinder(), method: entry.compression_method() };
                if found.replace(entry).is_some() {
                    return Err(FileError::at(0, Kind::Duplicate));
                }
            } else if there.len() < 200 {
                there.push_str(if there.is_empty() { "\"" } else { ", \"" });
                there.push_str(&shown(own, 40));
                there.push('"');
            }
        }
        found.ok_or_else(|| FileError::at(0, Kind::Missing { there }))
    }

    /// The bytes of an array that is stored.
    fn stored(&self, entry: &Entry) -> Result<(u64, u64), FileError> {
        let place = self.archive.get_entry(entry.place).map_err(|err| self.broken(err))?;
        let (begin, end) = place.compressed_data_range();
        let (expected, found) = (entry.place.uncompressed_size_hint(), end.saturating_sub(begin));
        if end > self.length || expected != found {
            let found = found.min(self.length.saturating_sub(begin));
            return Err(FileError::at(
                0,
                Kind::Truncated { what: "the .npy file", expected, found },
            ));
        }
        Ok((begin, end))
    }

    /// Does something with the data of an array, of which is known whether they are whole.
    fn with_data<O>(
        &self,
        entry: &Entry,
        work: impl FnOnce(&mut dyn Read, bool) -> Result<O, FileError>,
    ) -> Result<O, FileError> {
        let place = self.archive.get_entry(entry.place).map_err(|err| self.broken(err))?;
        match entry.method {
            CompressionMethod::STORE => {
                self.stored(entry)?;
                work(&mut place.verifying_reader(place.reader()), true)
            }
            CompressionMethod::DEFLATE => {
                let source = BufReader::with_capacity(1 << 12, place.reader());
                work(&mut place.verifying_reader(DeflateDecoder::new(source)), false)
            }
            method => Err(FileError::at(0, Kind::Method { method: method.as_u16() })),
        }
    }

    fn broken(&self, err: rawzip::Error) -> FileError {
        broken(self.archive.directory_offset(), err)
    }
}

impl<S> fmt::Debug for Npz<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Npz").field("path", &self.path).field("length", &self.length).finish()
    }
}

fn name_of<'e>(entry: &'e ZipFileHeaderRecord<'_>) -> &'e [u8] {
    let name = entry.file_path();
    let name = name.as_bytes();
    &name[..name.strip_suffix(b".npy").map_or(name.len(), <[u8]>::len)]
}

#[cold]
fn broken(at: u64, err: rawzip::Error) -> FileError {
    match err.into_kind() {
        rawzip::ErrorKind::IO(error) => FileError::io(at, "reading the archive", error),
        kind => FileError::at(at, Kind::Archive { reason: kind.to_string() }),
    }
}

/// Writes an archive, one array after the other.
///
/// Arrays that are stored begin at multiples of 64 bytes, so that they can be
/// [viewed](Npz::view) in a map. The archive is whole after [`finish`](Self::finish).
pub struct Writer<W: Write> {
    archive: ZipArchiveWriter<BufWriter<W>>,
    path: Option<PathBuf>,
}

impl Writer<File> {
    /// Creates an archive, in place of what was there.
    ///
    /// # Errors
    /// If the file cannot be created.
    pub fn create(path: impl AsRef<Path>) -> Result<Self, FileError> {
        let path = path.as_ref();
        let file = File::create(path)
            .map_err(|err| FileError::io(0, "creating the file", err).of(path))?;
        Ok(Writer { path: Some(path.to_path_buf()), ..Writer::new(file) })
    }
}

impl<W: Write> Writer<W> {
    /// Writes the archive to a stream.
    pub fn new(to: W) -> Self {
        Writer { archive: ZipArchiveWriter::new(BufWriter::new(to)), path: None }
    }

    /// Stores an array or a view as it is, which is the fastest.
    ///
    /// # Errors
    /// If the archive cannot be written, or the name is longer than 65,531 bytes.
    pub fn add<'a, T: FileElement, R: Dimension>(
        &mut self,
        name: &str,
        array: impl Into<View<'a, T, R>>,
    ) -> Result<(), FileError> {
        self.entry(name, CompressionMethod::STORE, array.into())
    }

    /// Stores an array or a view compressed, as NumPy's `savez_compressed` does.
    ///
    /// # Errors
    /// As for [`add`](Self::add).
    pub fn add_deflated<'a, T: FileElement, R: Dimension>(
        &mut self,
        name: &str,
        array: impl Into<View<'a, T, R>>,
    ) -> Result<(), FileError> {
        self.entry(name, CompressionMethod::DEFLATE, array.into())
    }

    fn entry<T: FileElement, R: Dimension>(
        &mut self,
        name: &str,
        method: CompressionMethod,
        view: View<'_, T, R>,
    ) -> Result<(), FileError> {
        let at = self.archive.stream_offset();
        let written = self.write_entry(name, method, view).map_err(|err| match err {
            Failed::Archive(err) => match err.into_kind() {
                rawzip::ErrorKind::IO(error) => FileError::io(at, "writing the archive", error),
                kind => FileError::at(at, Kind::Archive { reason: kind.to_string() }),
            },
            Failed::Array(err) => err,
        });
        written.map_err(|err| err.in_part(name).located(self.path.as_deref()))
    }

    fn write_entry<T: FileElement, R: Dimension>(
        &mut self,
        name: &str,
        method: CompressionMethod,
        view: View<'_, T, R>,
    ) -> Result<(), Failed> {
        /// The field by which the data of an entry are aligned.
        const PADDING: ExtraFieldId = ExtraFieldId::new(0xD935);
        /// What comes before the name of an entry, and before the contents of a field.
        const BEFORE: u64 = 30 + 4;
        let name = format!("{name}.npy");
        let at = self.archive.stream_offset() + BEFORE + name.len() as u64;
        let padding = at.next_multiple_of(64) - at;
        let (mut entry, config) = self
            .archive
            .new_file(name.as_str())
            .compression_method(method)
            .extra_field(PADDING, &[0; 64][..padding as usize], rawzip::Header::LOCAL)?
            .start()?;
        let descriptor = if method == CompressionMethod::STORE {
            let mut to = config.wrap(&mut entry);
            npy::write_to(&mut to, view).map_err(Failed::Array)?;
            to.finish()?.1
        } else {
            let mut to = config.wrap(DeflateEncoder::new(&mut entry, Compression::default()));
            npy::write_to(&mut to, view).map_err(Failed::Array)?;
            let (encoder, descriptor) = to.finish()?;
            encoder.finish()?;
            descriptor
        };
        entry.finish(descriptor)?;
        Ok(())
    }

    /// Ends the archive.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(self) -> Result<(), FileError> {
        let Writer { archive, path } = self;
        let at = archive.stream_offset();
        let finished = archive.finish().map_err(|err| broken(at, err)).and_then(|mut to| {
            to.flush().map_err(|err| FileError::io(at, "writing the archive", err))
        });
        finished.map_err(|err| err.located(path.as_deref()))
    }
}

impl<W: Write> fmt::Debug for Writer<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer").field("path", &self.path).finish_non_exhaustive()
    }
}

/// What can go wrong within an entry.
enum Failed {
    Archive(rawzip::Error),
    Array(FileError),
}

impl From<rawzip::Error> for Failed {
    fn from(err: rawzip::Error) -> Self {
        Failed::Archive(err)
    }
}

impl From<io::Error> for Failed {
    fn from(err: io::Error) -> Self {
        Failed::Archive(err.into())
    }
}
