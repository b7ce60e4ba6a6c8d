//! Output: one file, of which each rank writes its rows.

use crate::error::{Error, ErrorKind};
use crate::rows::{Elem, Ranked, Rows, evaluated, put_shape, rows_differ, take_shape};
use arrayfile::{FileElement, npy};
use elementwise::{Array, Dimension, Expr, ResultRank, Term};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::mpsc::sync_channel;

/// The file that is written, until it is whole.
struct Partial {
    partial: PathBuf,
    /// Whether this rank takes it away if it does not become whole.
    owned: bool,
}

impl Partial {
    fn refused(&self, doing: &'static str) -> impl Fn(std::io::Error) -> Error {
        let path = self.partial.clone();
        move |error| ErrorKind::Io { path: path.clone(), doing, error }.into()
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        if self.owned {
            // It may not be there; and there is nobody to tell.
            let _ = fs::remove_file(&self.partial);
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
        let path = path.as_ref();
        let range = self.range();
        let steps = self.steps(range.clone(), 1, size_of::<Elem<E>>());
        let (partial, shape) = self.create::<E>(path, &body)?;
        self.exchange(&range, |_| self.fill::<E>(&partial, &shape, &steps, &body))?;
        let rename = || match partial.owned {
            true => {
                fs::rename(&partial.partial, path).map_err(partial.refused("renaming the file"))
            }
            false => Ok(()),
        };
        self.together(rename)?;
        Ok(())
    }

    /// Creates the file: the first rank does, which computes its first row to see of what shape
    /// they are.
    fn create<E>(
        &self,
        path: &Path,
        body: &impl Fn(Range<usize>) -> Result<E, Error>,
    ) -> Result<(Partial, <Ranked<E> as Dimension>::Shape), Error>
    where
        E: Term<Expr: Expr<Elem: FileElement, Rank: ResultRank>>,
    {
        let first = self.comm().rank() == 0;
        let range = self.range();
        let row = range.start..range.end.min(range.start + 1);
        let mut partial = Partial { partial: beside(path, std::process::id()), owned: false };
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
                bytes.extend_from_slice(&std::process::id().to_le_bytes());
                let shape = <Ranked<E> as Dimension>::shape(&shape)?;
                partial.owned = true;
                npy::Filler::<Elem<E>, Ranked<E>>::create(&partial.partial, shape)?;
            }
            Ok(())
        })?;
        let (shape, id) = take_shape(&parts[0][1..])?;
        let id = id.try_into().map_or(0, u32::from_le_bytes);
        partial.partial = beside(path, id);
        Ok((partial, <Ranked<E> as Dimension>::shape(&shape)?))
    }

    /// Writes the rows of this rank.
    fn fill<E>(
        &self,
        partial: &Partial,
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
        let mut file = npy::Filler::<Elem<E>, Ranked<E>>::open(&partial.partial)?;
        // One slab is computed, one waits, and one is written.
        let (sender, slabs) = sync_channel::<(Range<usize>, Array<Elem<E>, Ranked<E>>)>(1);
        let failed = Mutex::new(None);
        std::thread::scope(|scope| {
            let failed = &failed;
            let write = move || {
                for (rows, slab) in slabs {
                    if let Err(error) = file.write(rows.start, slab.view().with_engine()) {
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
                Some((rows, written)) => Error::from(written).with_rows(&rows),
                None => error,
            }
        })?;
        match failed.into_inner().expect("nobody panics with it") {
            Some((rows, error)) => Err(Error::from(error).with_rows(&rows)),
            None => Ok(()),
        }
    }
}

/// The name of a file until it is whole.
fn beside(path: &Path, id: u32) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{id}.partial"))
}
