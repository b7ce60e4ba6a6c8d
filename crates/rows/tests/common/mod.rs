//! What tests of files share.

use elementwise::Array2;
use rows::Slabs;
use std::fs;
use std::path::PathBuf;

/// A directory that is taken away.
pub struct Place(PathBuf);

impl Place {
    pub fn new(name: &str) -> Place {
        let path = std::env::temp_dir().join(format!("rows-{name}-{}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Place(path)
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The names of the files in it.
    pub fn names(&self) -> Vec<String> {
        let name = |entry: fs::DirEntry| entry.file_name().into_string().unwrap();
        let mut names: Vec<_> = fs::read_dir(&self.0).unwrap().map(|e| name(e.unwrap())).collect();
        names.sort();
        names
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

pub fn data(rows: usize) -> Array2<f32> {
    Array2::from_fn([rows, 7], |[i, j]| ((i * 31 + j * 17) % 1009) as f32 * 0.01 - 3.0)
}

pub const SMALL: Slabs = Slabs { bytes: 1000, ahead: 2 };
