//! [`Writer`].

use crate::data;
use crate::error::{FileError, FileErrorKind as Kind};
use crate::{ElementKind, FileElement, View};
use ndcore::Dimension;
use std::fmt::{self, Write as _};
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

/// Writes a file of arrays and views, which are borrowed until then.
///
/// As the format asks, the arrays with the largest elements come first, and those of one type by
/// name. The data begin at a multiple of 64 bytes, so that all of them can be
/// [viewed](super::SafeTensors::view) in a map.
#[derive(Default)]
pub struct Writer<'a> {
    tensors: Vec<Tensor<'a>>,
    metadata: Vec<(String, String)>,
}

struct Tensor<'a> {
    name: String,
    kind: ElementKind,
    code: &'static str,
    shape: Vec<usize>,
    bytes: u64,
    write: Box<dyn Fn(&mut dyn Write) -> io::Result<()> + 'a>,
}

impl<'a> Writer<'a> {
    /// Of no arrays yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds an array or a view.
    ///
    /// # Errors
    /// If the name is taken, or the format has no such elements: it has no `Complex<f64>`.
    pub fn add<T: FileElement, R: Dimension>(
        mut self,
        name: &str,
        array: impl Into<View<'a, T, R>>,
    ) -> Result<Self, FileError> {
        let refuse = |kind| FileError::at(0, kind).in_part(name);
        let view = array.into();
        let Some(code) = T::KIND.in_safetensors() else {
            return Err(refuse(Kind::NotInFormat { element: T::KIND }));
        };
        if name == "__metadata__" || self.tensors.iter().any(|tensor| tensor.name == name) {
            return Err(refuse(Kind::Duplicate));
        }
        self.tensors.push(Tensor {
            name: name.to_owned(),
            kind: T::KIND,
            code,
            shape: view.shape().to_vec(),
            bytes: data::byte_length(view.shape(), T::KIND).map_err(refuse)?,
            write: Box::new(move |to| write_elements(to, &view)),
        });
        Ok(self)
    }

    /// Adds a text about the arrays, in place of one with the same key.
    pub fn metadata(mut self, key: &str, value: &str) -> Self {
        self.metadata.retain(|(own, _)| own != key);
        self.metadata.push((key.to_owned(), value.to_owned()));
        self
    }

    /// Writes the file, in place of what was there.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(self, path: impl AsRef<Path>) -> Result<(), FileError> {
        let path = path.as_ref();
        File::create(path)
            .map_err(|err| FileError::io(0, "creating the file", err))
            .and_then(|mut file| self.write_to(&mut file))
            .map_err(|err| err.of(path))
    }

    /// Writes the file to a stream.
    ///
    /// # Errors
    /// If the stream cannot be written to.
    pub fn write_to(mut self, to: &mut impl Write) -> Result<(), FileError> {
        self.tensors.sort_by(|a, b| {
            b.kind
                .size()
                .cmp(&a.kind.size())
                .then_with(|| (a.code, &a.name).cmp(&(b.code, &b.name)))
        });
        let mut header = self.header().into_bytes();
        let all = (8 + header.len()).next_multiple_of(64);
        header.resize(all - 8, b' ');
        to.write_all(&(header.len() as u64).to_le_bytes())
            .and_then(|()| to.write_all(&header))
            .map_err(|err| FileError::io(0, "writing the header", err))?;
        let mut at = all as u64;
        for tensor in &self.tensors {
            (tensor.write)(to)
                .map_err(|err| FileError::io(at, "writing the data", err).in_part(&tensor.name))?;
            at += tensor.bytes;
        }
        Ok(())
    }

    fn header(&self) -> String {
        let mut text = String::from("{");
        // Writing to a `String` does not fail.
        if !self.metadata.is_empty() {
            let pairs = self
                .metadata
                .iter()
                .map(|(key, value)| format!("{}:{}", Quoted(key), Quoted(value)));
            let pairs = pairs.collect::<Vec<_>>().join(",");
            let _ = write!(text, "\"__metadata__\":{{{pairs}}}");
        }
        let mut at = 0;
        for tensor in &self.tensors {
            let comma = if text.len() > 1 { "," } else { "" };
            let (begin, end) = (at, at + tensor.bytes);
            let _ = write!(
                text,
                "{comma}{}:{{\"dtype\":\"{}\",\"shape\":{:?},\"data_offsets\":[{begin},{end}]}}",
                Quoted(&tensor.name),
                tensor.code,
                tensor.shape,
            );
            at = end;
        }
        text.push('}');
        text
    }
}

/// The elements in row-major order, the lowest byte of each number first.
fn write_elements<T: FileElement, R: Dimension>(
    to: &mut dyn Write,
    view: &View<'_, T, R>,
) -> io::Result<()> {
    #[cfg(target_endian = "little")]
    return data::write(to, view);
    #[cfg(target_endian = "big")]
    return data::write(&mut data::Swapping { to, word: T::KIND.word() }, view);
}

impl fmt::Debug for Writer<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.tensors.iter().map(|tensor| &*tensor.name).collect();
        f.debug_struct("Writer").field("names", &names).field("metadata", &self.metadata).finish()
    }
}

/// A text of JSON.
struct Quoted<'t>(&'t str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_char('"')?;
        for letter in self.0.chars() {
            match letter {
                '"' => f.write_str("\\\"")?,
                '\\' => f.write_str("\\\\")?,
                '\0'..' ' => write!(f, "\\u{:04x}", u32::from(letter))?,
                letter => f.write_char(letter)?,
            }
        }
        f.write_char('"')
    }
}
