//! Output: one file, of which each rank writes its rows.

use crate::error::{Error, ErrorKind};
use crate::rows::{Elem, Ranked, Rows, evaluated, put_shape, rows_differ, take_shape};
use arrayfile::{FileElement, View, npy};
use elementwise::{Array, Dimension, Expr, ResultRank, Term};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::mpsc::sync_channel;

/// What is written: a file, or a directory of them.
pub(crate) trait Format: Copy {
    /// How many rows, of an array of this shape, are written at once: a rank and a slab have whole
    /// groups of them.
    fn group(&self, shape: &[usize], size: usize) -> usize;

    /// Creates it at a path of its own, whatever will be at the other one.
    fn create<T: FileElement, R: Dimension>(
        &self,
        partial: &Path,
        path: &Path,
        shape: R::Shape,
    ) -> Result<(), Error>;

    /// What has been created, to write rows of it.
    fn open<T: FileElement, R: Dimension>(
        &self,
        partial: &Path,
        shape: R::Shape,
    ) -> Result<impl Sink<T, R> + 'static, Error>;

    /// Gives it its name, in place of what has it.
    fn rename(&self, partial: &Path, path: &Path) -> std::io::Result<()>;

    /// Takes it away.
    fn remove(&self, partial: &Path) -> std::io::Result<()>;
}

/// Where rows are written.
pub(crate) trait Sink<T: FileElement, R: Dimension>: Send {
    /// Writes whole groups of rows that lie in row-major order, from row `first` on.
    fn write(&mut self, first: usize, rows: &View<'_, T, R>) -> Result<(), Error>;
}

/// A `.npy` file.
#[derive(Clone, Copy)]
struct Npy;

impl Format for Npy {
    fn group(&self, _: &[usize], _: usize) -> usize {
        1
    }

    fn create<T: FileElement, R: Dimension>(
        &self,
        partial: &Path,
        _: &Path,
        shape: R::Shape,
    ) -> Result<(), Error> {
        npy::Filler::<T, R>::create(partial, shape)?;
        Ok(())
    }

    fn open<T: FileElement, R: Dimension>(
        &self,
        partial: &Path,
        _: R::Shape,
    ) -> Result<impl Sink<T, R> + 'static, Error> {
        Ok(npy::Filler::<T, R>::open(partial)?)
    }

    fn rename(&self, partial: &Path, path: &Path) -> std::io::Result<()> {
        fs::rename(partial, path)
    }

    fn remove(&self, partial: &Path) -> std::io::Result<()> {
        fs::remove_file(partial)
    }
}

impl<T: FileElement, R: Dimension> Sink<T, R> for npy::Filler<T, R> {
    fn write(&mut self, first: usize, rows: &View<'_, T, R>) -> Result<(), Error> {
        Ok(self.write(first, *rows)?)
    }
}

/// What is written, until it is whole.
struct Partial<F: Format> {
    format: F,
    partial: PathBuf,
    /// Whether this rank takes it away if it does not become whole.
    owned: bool,
}

impl<F: Format> Partial<F> {
    fn refused(&self, doing: &'static str) -> impl Fn(std::io::Error) -> Error {
        let path = self.partial.clone();
        move |error| ErrorKind::Io { path: path.clone(), doing, error }.into()
    }
}

impl<F: Format> Drop for Partial<F> {
    fn drop(&mut self) {
        if self.owned {
            // It may not be there; and there is nobody to tell.
            let _ = self.format.remove(&self.partial);
        }
    }
}

impl Rows<'_> {
    /// Writes what the closure gives as one `.npy` file, in place of what was there: each rank its
    /// [`range`](Rows::range) of the rows. All ranks need to see the same files.
    ///
    /// The closure is called for a slab of rows at a time, of those that
    /// [`in_slabs`](Rows::in_slabs) says or some MiB: while one is computed, the one before is
    /// written. The file is written under another name beside it (`.name.12345.partial`), and gets
    /// its own when all ranks have written theirs: whoever finds it finds all of it. (It is left to
    /// the system when it is on the disk.)
    ///
    /// # Errors
    /// If a closure fails, on any rank, or gives another number of rows, or rows of another shape
    /// than others; if the file cannot be written: a disk that is full is one of the errors. There
    /// is no file then, or that which was there before.
    ///
    /// ```
    /// use arrayfile::npy;
    /// use elementwise::{Array2, Expr, s};
    /// use rows::{Rows, threads};
    /// let path = std::env::temp_dir().join(format!("write-{}.npy", std::process::id()));
    /// let x = Array2::<f32>::from_fn([1000, 3], |[i, j]| (i * j) as f32);
    /// threads(3, |comm| {
    ///     let rows = Rows::new(comm, x.shape());
    ///     rows.write(&path, |range| Ok(x.slice(s![range, ..])? * 2.0))
    /// })?;
    /// let written: Array2<f32> = npy::read(&path)?;
    /// assert_eq!(written, (&x * 2.0).eval()?);
    /// # std::fs::remove_file(&path).unwrap();
    /// # Ok::<(), rows::Error>(())
    /// ```
    pub fn write<E>(
        &self,
        path: impl AsRef<Path>,
        body: impl Fn(Range<usize>) -> Result<E, Error>,
    ) -> Result<(), Error>
    where
        E: Term<Expr: Expr<Elem: FileElement, Rank: ResultRank>>,
    {
        self.write_as(Npy, path.as_ref(), body)
    }

    /// As [`write`](Self::write), in any format.
    pub(crate) fn write_as<E, F: Format>(
        &self,
        format: F,
        path: &Path,
        body: impl Fn(Range<usize>) -> Result<E, Error>,
    ) -> Result<(), Error>
    where
        E: Term<Expr: Expr<Elem: FileElement, Rank: ResultRank>>,
    {
        let (partial, shape) = self.create::<E, F>(format, path, &body)?;
        let size = size_of::<Elem<E>>();
        let group = format.group(shape.as_ref(), size);
        let range = self.share(group);
        let steps = self.steps(range.clone(), group, size);
        self.exchange(&range, |_| self.fill::<E, F>(&partial, &shape, &steps, &body))?;
        let rename = || match partial.owned {
            true => format
                .rename(&partial.partial, path)
                .map_err(partial.refused("renaming what was written")),
            false => Ok(()),
        };
        self.together(rename)?;
        Ok(())
    }

    /// Creates the file: the first rank does, which computes its first row to see of what shape
    /// they are.
    fn create<E, F: Format>(
        &self,
        format: F,
        path: &Path,
        body: &impl Fn(Range<usize>) -> Result<E, Error>,
    ) -> Result<(Partial<F>, <Ranked<E> as Dimension>::Shape), Error>
    where
        E: Term<Expr: Expr<Elem: FileElement, Rank: ResultRank>>,
    {
        let first = self.comm().rank() == 0;
        let range = self.range();
        let row = range.start..range.end.min(range.start + 1);
        let id = std::process::id();
        let mut partial = Partial { format, partial: beside(path, id), owned: false };
        let parts = self.exchange(&row, |bytes| {
            if first {
                let expr = body(row.clone())?.into_term();
                let mut shape = expr.result_shape()?.to_vec();
                if shape.first() != Some(&row.len()) {
                    let text = format!("a result of shape {shape:?} for {} rows", row.len());
                    return Err(text.into());
                }
                shape[0] = self.shape()[0];
                put_shape(&shape, bytes);
                bytes.extend_from_slice(&id.to_le_bytes());
                let shape = <Ranked<E> as Dimension>::shape(&shape)?;
                partial.owned = true;
                format.create::<Elem<E>, Ranked<E>>(&partial.partial, path, shape)?;
            }
            Ok(())
        })?;
        let (shape, id) = take_shape(&parts[0][1..])?;
        let id = id.try_into().map_or(0, u32::from_le_bytes);
        partial.partial = beside(path, id);
        Ok((partial, <Ranked<E> as Dimension>::shape(&shape)?))
    }

    /// Writes the rows of this rank.
    fn fill<E, F: Format>(
        &self,
        partial: &Partial<F>,
        shape: &<Ranked<E> as Dimension>::Shape,
        steps: &[Range<usize>],
        body: &impl Fn(Range<usize>) -> Result<E, Error>,
    ) -> Result<(), Error>
    where
        E: Term<Expr: Expr<Elem: FileElement, Rank: ResultRank>>,
    {
        if steps.is_empty() {
            return Ok(());
        }
        let mut file = partial.format.open::<Elem<E>, Ranked<E>>(&partial.partial, *shape)?;
        // One slab is computed, one waits, and one is written.
        let (sender, slabs) = sync_channel::<(Range<usize>, Array<Elem<E>, Ranked<E>>)>(1);
        let failed = Mutex::new(None);
        std::thread::scope(|scope| {
            let failed = &failed;
            let write = move || {
                for (rows, slab) in slabs {
                    if let Err(error) = file.write(rows.start, &slab.view()) {
                        *failed.lock().expect("nobody panics with it") = Some((rows, error));
                        // Nobody is waited for any more.
                        return;
                    }
                }
            };
            let writing =
                std::thread::Builder::new().name("write".into()).spawn_scoped(scope, write);
            writing.map_err(partial.refused("starting a thread to write"))?;
            // Or else this waits for the writer, which waits for more.
            let sender = sender;
            self.walk(steps, |step| {
                let slab = evaluated(body, step.clone())?;
                let expected = shape.as_ref();
                if slab.shape()[1..] != expected[1..] {
                    return Err(rows_differ(expected, self.comm().rank(), slab.shape()));
                }
                let slab = match slab.layout().is_c_contiguous() {
                    true => slab,
                    false => Array::from_shape_vec(slab.layout().raw_shape(), slab.try_to_vec()?)?,
                };
                // Why the writer has ended is looked at below.
                sender.send((step, slab)).map_err(|_| Error::from("the rows could not be written"))
            })
        })
        .map_err(|error: Error| {
            match failed.lock().expect("nobody panics with it").take() {
                Some((rows, written)) => Error::with_rows(written, &rows),
                None => error,
            }
        })?;
        match failed.into_inner().expect("nobody panics with it") {
            Some((rows, error)) => Err(Error::with_rows(error, &rows)),
            None => Ok(()),
        }
    }
}

/// The name of a file until it is whole.
pub(crate) fn beside(path: &Path, id: u32) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{id}.partial"))
}
