//! [`Map`]: a file as memory.

use crate::FileError;
use memmap2::Mmap;
use std::fmt;
use std::fs::File;
use std::ops::Deref;
use std::path::{Path, PathBuf};

/// A file that is mapped into memory, to be viewed without being read: what of it is looked at is
/// loaded by the system, and given back when memory runs short.
///
/// It is a `[u8]`; [`npy::view`](crate::npy::view) and its like make arrays of it.
///
/// ```
/// # #[cfg(feature = "npy")] {
/// use arrayfile::{Map, View, npy};
/// use ndcore::Rank;
/// let path = std::env::temp_dir().join(format!("map-{}.npy", std::process::id()));
/// npy::write(&path, &elementwise::array![[1.0_f32, 2.0], [3.0, 4.0]])?;
/// // SAFETY: nobody else knows of this file.
/// let map = unsafe { Map::open(&path)? };
/// let view: View<f32, Rank<2>> = npy::view(&map)?;
/// assert_eq!(view[[1, 0]], 3.0);
/// # drop(map);
/// # std::fs::remove_file(&path).unwrap();
/// # }
/// # Ok::<(), arrayfile::FileError>(())
/// ```
pub struct Map {
    bytes: Mmap,
    path: PathBuf,
}

impl Map {
    /// Maps a file.
    ///
    /// # Errors
    /// If it cannot be opened or mapped.
    ///
    /// # Safety
    /// As long as the map exists, nobody writes to the file or makes it shorter, not in another
    /// process either: what the views of it show would change, or end the program.
    pub unsafe fn open(path: impl AsRef<Path>) -> Result<Map, FileError> {
        let path = path.as_ref();
        let refuse = |doing, error| FileError::io(0, doing, error).of(path);
        let file = File::open(path).map_err(|err| refuse("opening the file", err))?;
        // SAFETY: the caller's promise.
        let bytes = unsafe { Mmap::map(&file) }.map_err(|err| refuse("mapping the file", err))?;
        Ok(Map { bytes, path: path.to_path_buf() })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

impl Deref for Map {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.bytes
    }
}

impl AsRef<[u8]> for Map {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl fmt::Debug for Map {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Map").field("path", &self.path).field("len", &self.bytes.len()).finish()
    }
}
