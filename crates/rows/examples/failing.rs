//! A rank that fails, in the way that the argument says: `closure` and `panic` within what ranks do
//! together, `alone` outside of it, `killed` without a word. All ranks end, and no file is left
//! that is not whole. The second argument is a directory.

use elementwise::{Array2, s};
use rows::{Communicator, Error, Rows};
use std::ops::Range;
use std::path::Path;

fn program(comm: &dyn Communicator, way: &str, place: &Path) -> Result<(), Error> {
    std::fs::create_dir_all(place).map_err(|err| err.to_string())?;
    let x = Array2::<f32>::ones([10_000, 16]);
    if way == "alone" && comm.rank() == 1 {
        return Err("a rank that fails alone".into());
    }
    let rows = Rows::new(comm, x.shape());
    let result = rows.write(place.join("out.npy"), |range: Range<usize>| {
        if range.contains(&5000) {
            match way {
                "closure" => return Err("row 5000 is bad".into()),
                "panic" => panic!("row 5000 is bad"),
                // As if the system had ended it.
                "killed" => std::process::abort(),
                _ => {}
            }
        }
        Ok(x.slice(s![range, ..])? * 2.0)
    });
    if let Err(error) = &result {
        println!("rank {} knows: {error}", comm.rank());
    }
    result
}

fn main() -> Result<(), Error> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, way, place] = &arguments[..] else {
        return Err("usage: failing closure|panic|alone|killed <directory>".into());
    };
    #[cfg(feature = "mpi")]
    return rows::mpi::run(|comm| program(comm, way, Path::new(place)));
    #[cfg(not(feature = "mpi"))]
    return rows::threads(3, |comm| program(comm, way, Path::new(place))).map(drop);
}
