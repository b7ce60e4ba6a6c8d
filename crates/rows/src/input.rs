//! Inputs: rows of files, mapped ([`Mapped`]) or read ([`Input`]).

use crate::error::{Error, ErrorKind, panic_text};
use arrayfile::{FileElement, Map, npy};
use elementwise::{ArcArray, Array, Dimension, Exec, Lazy, Shared, View};
use std::cell::RefCell;
use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::mpsc::{Receiver, sync_channel};
use std::thread::JoinHandle;

/// The array of a `.npy` file in a [`Map`], of which a closure takes rows: nothing is copied, and
/// the system reads what is looked at.
///
/// ```
/// use arrayfile::{Map, npy};
/// use elementwise::{Array2, Rank, Sum};
/// use rows::{Mapped, Rows, Solo};
/// let path = std::env::temp_dir().join(format!("mapped-{}.npy", std::process::id()));
/// npy::write(&path, &Array2::<f32>::ones([100, 3]))?;
/// // SAFETY: nobody else knows of this file.
/// let map = unsafe { Map::open(&path)? };
/// let x = Mapped::<f32, Rank<2>>::of(&map)?;
/// let rows = Rows::new(&Solo, x.view().shape());
/// assert_eq!(rows.reduce(|range| Ok(x.rows(range)? * 2.0), Sum, 0)?.to_vec(), [200.0; 3]);
/// # drop(map);
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), rows::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Mapped<'m, T: FileElement, R: Dimension> {
    view: View<'m, T, R>,
    path: &'m Path,
}

impl<'m, T: FileElement, R: Dimension> Mapped<'m, T, R> {
    /// The array of this map.
    ///
    /// # Errors
    /// If the file is not what it should be: see [`npy::view`].
    pub fn of(map: &'m Map) -> Result<Self, Error> {
        Ok(Mapped { view: npy::view(map)?, path: map.path() })
    }

    /// All of it.
    pub fn view(&self) -> View<'m, T, R> {
        self.view
    }

    /// Some rows of it, as an expression.
    ///
    /// # Errors
    /// If it does not have these rows.
    pub fn rows(&self, range: Range<usize>) -> Result<Lazy<View<'m, T, R>>, Error> {
        let rows = self.view.slice_axis(0, range.clone(), 1);
        let refuse = |err| Error::from(format!("{}: {err}", self.path.display()));
        Ok(elementwise::Expr::lazy(rows.map_err(refuse)?))
    }
}

/// What rows are read of: a `.npy` file, or an array of another format.
pub(crate) trait Source<T: FileElement, R: Dimension>: Send {
    /// The shape of the array.
    fn shape(&self) -> &[usize];

    /// Some of its rows.
    fn read(&mut self, rows: Range<usize>) -> Result<Array<T, R>, Error>;

    /// The same, for another thread.
    fn again(&self) -> Result<Box<dyn Source<T, R>>, Error>;
}

/// A `.npy` file, and its reader.
struct Npy<T: FileElement, R: Dimension> {
    path: PathBuf,
    reader: npy::Reader<T, R>,
}

/// Opens a `.npy` file.
pub(crate) fn open_npy<T: FileElement, R: Dimension>(
    path: &Path,
) -> Result<Box<dyn Source<T, R>>, Error> {
    Ok(Box::new(Npy { path: path.to_path_buf(), reader: npy::Reader::open(path)? }))
}

impl<T: FileElement, R: Dimension> Source<T, R> for Npy<T, R> {
    fn shape(&self) -> &[usize] {
        self.reader.header().shape()
    }

    fn read(&mut self, rows: Range<usize>) -> Result<Array<T, R>, Error> {
        Ok(self.reader.read(rows)?)
    }

    fn again(&self) -> Result<Box<dyn Source<T, R>>, Error> {
        open_npy(&self.path)
    }
}

/// A file of which a closure takes rows, which are read when they are asked for, or before, if the
/// rows are taken [in slabs](crate::Rows::in_slabs). See [`Rows::open`](crate::Rows::open).
///
/// ```
/// use arrayfile::npy;
/// use elementwise::{Array2, Max, Rank};
/// use rows::{Rows, Slabs, Solo};
/// let path = std::env::temp_dir().join(format!("input-{}.npy", std::process::id()));
/// npy::write(&path, &Array2::<f32>::from_fn([10_000, 3], |[i, j]| (i + j) as f32))?;
/// let rows = Rows::new(&Solo, [10_000, 3]).in_slabs(Slabs { bytes: 10_000, ahead: 2 });
/// let x = rows.open::<f32, Rank<2>>(&path)?;
/// assert_eq!(rows.reduce(|range| x.rows(range), Max, 0)?.to_vec(), [9999.0, 10_000.0, 10_001.0]);
/// # std::fs::remove_file(&path).unwrap();
/// # Ok::<(), rows::Error>(())
/// ```
#[derive(Clone)]
pub struct Input<T: FileElement, R: Dimension>(Rc<Reading<T, R>>);

struct Reading<T: FileElement, R: Dimension> {
    path: PathBuf,
    source: RefCell<Box<dyn Source<T, R>>>,
    ahead: RefCell<Option<Ahead<T, R>>>,
}

/// What is read ahead.
struct Ahead<T: FileElement, R: Dimension> {
    steps: Vec<Range<usize>>,
    count: usize,
    /// The slab that was asked for the last time.
    current: Option<(Range<usize>, ArcArray<T, R>)>,
    /// Those after it, once one was asked for.
    next: Option<(Slab<T, R>, JoinHandle<()>)>,
}

/// What comes of the thread that reads.
type Slab<T, R> = Receiver<(Range<usize>, Result<ArcArray<T, R>, Error>)>;

/// What is told of the slabs that will be asked for.
pub(crate) trait Feed {
    /// These, from the first on.
    fn begin(&self, steps: &[Range<usize>], ahead: usize);

    /// No more.
    fn end(&self);
}

impl<T: FileElement, R: Dimension> Input<T, R> {
    pub(crate) fn new(path: &Path, source: Box<dyn Source<T, R>>) -> Self {
        let (path, source) = (path.to_path_buf(), RefCell::new(source));
        Input(Rc::new(Reading { path, source, ahead: RefCell::default() }))
    }

    pub(crate) fn feed(&self) -> Rc<dyn Feed> {
        self.0.clone()
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.0.path
    }

    /// The shape of its array.
    pub fn shape(&self) -> Vec<usize> {
        self.0.source.borrow().shape().to_vec()
    }

    /// Some rows of it, as an expression.
    ///
    /// # Errors
    /// If it does not have these rows, or they cannot be read.
    pub fn rows(&self, range: Range<usize>) -> Result<Lazy<Shared<T, R>>, Error> {
        if let Some(slab) = self.0.taken(&range)? {
            return Ok(Shared::lazy(slab));
        }
        let rows = self.0.source.borrow_mut().read(range)?;
        Ok(Shared::lazy(rows.into_shared()))
    }
}

impl<T: FileElement, R: Dimension> Reading<T, R> {
    /// The slab of these rows, if it is the one that comes.
    fn taken(&self, range: &Range<usize>) -> Result<Option<ArcArray<T, R>>, Error> {
        let mut ahead = self.ahead.borrow_mut();
        let Some(ahead) = ahead.as_mut().filter(|ahead| ahead.steps.contains(range)) else {
            return Ok(None);
        };
        if let Some((_, slab)) = ahead.current.as_ref().filter(|(of, _)| of == range) {
            return Ok(Some(slab.clone()));
        }
        // Before the next one is waited for: so that its memory can be read into.
        ahead.current = None;
        if ahead.next.is_none() {
            let from = ahead.steps.iter().position(|step| step == range).unwrap_or(0);
            ahead.next = Some(self.read_ahead(&ahead.steps[from..], ahead.count)?);
        }
        let Some((slabs, _)) = &ahead.next else { return Ok(None) };
        match slabs.recv() {
            Ok((of, slab)) if of == *range => {
                let slab = slab?;
                ahead.current = Some((of, slab.clone()));
                Ok(Some(slab))
            }
            // They are asked for in another order.
            _ => Ok(None),
        }
    }

    /// Starts to read these slabs, one after the other: so many until they are asked for.
    fn read_ahead(
        &self,
        steps: &[Range<usize>],
        count: usize,
    ) -> Result<(Slab<T, R>, JoinHandle<()>), Error> {
        let mut source = self.source.borrow().again()?;
        let (steps, (sender, slabs)) = (steps.to_vec(), sync_channel(count));
        // By this thread alone: the others compute meanwhile.
        let serial = Exec::current().parallel(false);
        let read = move || {
            for step in steps {
                let slab = serial.install(|| source.read(step.clone()));
                let slab = slab.map(Array::into_shared);
                // Nobody waits for it any more.
                if sender.send((step, slab)).is_err() {
                    break;
                }
            }
        };
        let thread = std::thread::Builder::new().name("read ahead".into()).spawn(read);
        let refuse = |error| {
            let (path, doing) = (self.path.clone(), "starting a thread to read the file");
            Error::from(ErrorKind::Io { path, doing, error })
        };
        Ok((slabs, thread.map_err(refuse)?))
    }
}

impl<T: FileElement, R: Dimension> Feed for Reading<T, R> {
    fn begin(&self, steps: &[Range<usize>], ahead: usize) {
        self.end();
        let steps = steps.to_vec();
        *self.ahead.borrow_mut() = Some(Ahead { steps, count: ahead, current: None, next: None });
    }

    fn end(&self) {
        let ahead = self.ahead.borrow_mut().take();
        if let Some((slabs, thread)) = ahead.and_then(|ahead| ahead.next) {
            drop(slabs);
            if let Err(panic) = thread.join() {
                // It reads only, and whoever waited for it has read by itself.
                let _ = panic_text(&*panic);
            }
        }
    }
}

impl<T: FileElement, R: Dimension> Drop for Reading<T, R> {
    fn drop(&mut self) {
        self.end();
    }
}

impl<T: FileElement, R: Dimension> fmt::Debug for Input<T, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Input").field("path", &self.0.path).finish_non_exhaustive()
    }
}
