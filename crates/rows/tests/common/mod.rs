//! What tests of files share.

use elementwise::Array2;
use rows::{Error, Rows, Slabs, threads};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

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

/// A process that is killed while it writes, or that has no room for what it writes, leaves what
/// was there before. `test` is the name of the test that calls this, which is run again in a
/// process of its own; `write` writes `data(1000)` at a path, and calls what it is given for each
/// range. Where there is a shell that limits the size of files.
pub fn what_ends_early_leaves_what_was_there(
    test: &str,
    write: impl Fn(&Rows<'_>, &Path, &(dyn Fn(&Range<usize>) + Sync)) -> Result<(), Error> + Sync,
    read: impl Fn(&Path) -> Array2<f32>,
) {
    const PATH: &str = "ROWS_TEST_PATH";
    const KILLED: &str = "ROWS_TEST_KILLED";
    if let Ok(path) = env::var(PATH) {
        let killed = env::var(KILLED).is_ok();
        let result = threads(2, |comm| {
            let rows = Rows::new(comm, [1000, 7]).in_slabs(SMALL);
            write(&rows, Path::new(&path), &|range| {
                if killed && range.contains(&700) {
                    std::process::abort();
                }
            })
        });
        panic!("it has failed: {}", result.unwrap_err());
    }
    if cfg!(not(unix)) {
        return;
    }
    let place = Place::new(test);
    let path = place.file("out");
    for there in [false, true] {
        if there {
            threads(1, |comm| write(&Rows::new(comm, [1000, 7]), &path, &|_| ())).unwrap();
        }
        for killed in [false, true] {
            let limits = if killed { "" } else { "trap '' XFSZ; ulimit -f 8; " };
            let mut command = Command::new("sh");
            command.args(["-c", &format!("{limits}exec \"$0\" \"$@\"")]);
            command.arg(env::current_exe().unwrap()).args(["--exact", test, "--nocapture"]);
            command.env(PATH, &path).envs(killed.then_some((KILLED, "1")));
            let output = command.output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(!output.status.success(), "{said}");
            let has_said = said.contains("it has failed: rank ") && said.contains("partial");
            assert_eq!(has_said, !killed, "{said}");
            let mut left = place.names();
            if killed {
                let partial = left.remove(0);
                assert!(partial.starts_with(".out.") && partial.ends_with(".partial"), "{partial}");
                let partial = place.file(&partial);
                fs::remove_file(&partial).or_else(|_| fs::remove_dir_all(&partial)).unwrap();
            }
            assert_eq!(left, if there { vec!["out"] } else { vec![] });
            if there {
                assert!(read(&path) == data(1000));
            }
        }
    }
}
