//! Conway's Game of Life on a torus.

use ndarray::Zip;
use zerostride::Error;
use zerostride::prelude::*;

/// The cells after some generations: 1 where one is alive.
///
/// # Errors
/// If there are no cells.
pub fn ours(start: &Array2<u8>, generations: usize) -> Result<Array2<u8>, Error> {
    let mut cells = start.clone();
    let [height, width] = cells.dim();
    let mut around = Array2::<u8>::zeros([height + 2, width + 2]);
    for _ in 0..generations {
        around.slice_mut(s![1..-1, 1..-1])?.assign(&cells)?;
        around.slice_mut(s![0, 1..-1])?.assign(cells.row(height - 1))?;
        around.slice_mut(s![-1, 1..-1])?.assign(cells.row(0))?;
        for (to, from) in [(0, width), (width + 1, 1)] {
            let column = around.column(from).to_owned();
            around.slice_mut(s![.., to])?.assign(&column)?;
        }
        let near = |i: usize, j: usize| around.slice(s![i..i + height, j..j + width]);
        let upper = near(0, 0)? + near(0, 1)? + near(0, 2)?;
        let lower = near(2, 0)? + near(2, 1)? + near(2, 2)?;
        cells.update_each(upper + near(1, 0)? + near(1, 2)? + lower, |cell, count| {
            *cell = u8::from(count == 3 || (count == 2 && *cell == 1));
        })?;
    }
    Ok(cells)
}

/// As [`ours`], with `ndarray`, as its own example of the game is written.
// Ends are counted from the back there.
#[allow(clippy::reversed_empty_ranges)]
pub fn nd(start: &ndarray::Array2<u8>, generations: usize) -> ndarray::Array2<u8> {
    use ndarray::s;
    let mut cells = start.clone();
    let (height, width) = cells.dim();
    let mut around = ndarray::Array2::<u8>::zeros((height + 2, width + 2));
    let mut count = ndarray::Array2::<u8>::zeros((height, width));
    for _ in 0..generations {
        around.slice_mut(s![1..-1, 1..-1]).assign(&cells);
        around.slice_mut(s![0, 1..-1]).assign(&cells.row(height - 1));
        around.slice_mut(s![-1, 1..-1]).assign(&cells.row(0));
        for (to, from) in [(0, width), (width + 1, 1)] {
            let column = around.column(from).to_owned();
            around.slice_mut(s![.., to]).assign(&column);
        }
        count.fill(0);
        for i in 0..3 {
            for j in 0..3 {
                if (i, j) != (1, 1) {
                    count += &around.slice(s![i..i + height, j..j + width]);
                }
            }
        }
        Zip::from(&mut cells).and(&count).for_each(|cell, &count| {
            *cell = u8::from(count == 3 || (count == 2 && *cell == 1));
        });
    }
    cells
}
