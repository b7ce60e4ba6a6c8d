//! Conway's Game of Life on a torus: a glider gun, and what it looks like after some generations.
//!
//! ```sh
//! cargo run --release -p zerostride --example life [-- GENERATIONS]
//! ```

use std::error::Error;
use zerostride::prelude::*;

/// 1 where a cell is alive.
type Cells = Array2<u8>;

/// Gosper's glider gun.
const GUN: [&str; 9] = [
    "........................#...........",
    "......................#.#...........",
    "............##......##............##",
    "...........#...#....##............##",
    "##........#.....#...##..............",
    "##........#...#.##....#.#...........",
    "..........#.....#.......#...........",
    "...........#...#....................",
    "............##......................",
];

fn main() -> Result<(), Box<dyn Error>> {
    let generations = std::env::args().nth(1).map_or(Ok(120), |number| number.parse())?;
    let mut cells = Cells::zeros([40, 72]);
    for (i, line) in GUN.iter().enumerate() {
        for (j, cell) in line.bytes().enumerate() {
            cells[[i + 1, j + 1]] = u8::from(cell == b'#');
        }
    }
    println!("{}", picture(&cells));
    let mut next = Life::new(cells.dim());
    for _ in 0..generations {
        next.step(&mut cells)?;
    }
    println!("{}\n{} cells alive after {generations} generations", picture(&cells), alive(&cells)?);
    if generations == 120 {
        // The gun itself, which has a period of 30, and a glider of 5 cells for each of its shots.
        assert_eq!(alive(&cells)?, 36 + 4 * 5);
    }
    Ok(())
}

fn alive(cells: &Cells) -> Result<usize, zerostride::Error> {
    cells.count_nonzero()
}

/// What a generation is computed in.
struct Life {
    /// The cells, with those of the opposite edges around them.
    around: Cells,
}

impl Life {
    fn new([height, width]: [usize; 2]) -> Life {
        Life { around: Cells::zeros([height + 2, width + 2]) }
    }

    /// The next generation: a cell is born where three of the eight around it are alive, and stays
    /// where two or three are.
    fn step(&mut self, cells: &mut Cells) -> Result<(), zerostride::Error> {
        let [height, width] = cells.dim();
        let around = &mut self.around;
        around.slice_mut(s![1..-1, 1..-1])?.assign(&*cells)?;
        around.slice_mut(s![0, 1..-1])?.assign(cells.row(height - 1))?;
        around.slice_mut(s![-1, 1..-1])?.assign(cells.row(0))?;
        for (to, from) in [(0, width), (width + 1, 1)] {
            let column = around.column(from).to_owned();
            around.slice_mut(s![.., to])?.assign(&column)?;
        }
        let near = |i: usize, j: usize| around.slice(s![i..i + height, j..j + width]);
        let neighbours = near(0, 0)?
            + near(0, 1)?
            + near(0, 2)?
            + near(1, 0)?
            + near(1, 2)?
            + near(2, 0)?
            + near(2, 1)?
            + near(2, 2)?;
        cells.update_each(neighbours, |cell, count| {
            *cell = u8::from(count == 3 || (count == 2 && *cell == 1));
        })
    }
}

/// Two rows of cells to a line.
fn picture(cells: &Cells) -> String {
    let mut text = String::new();
    for i in (0..cells.nrows()).step_by(2) {
        let (upper, lower) = (cells.row(i), cells.row((i + 1) % cells.nrows()));
        for (upper, lower) in upper.iter().zip(&lower) {
            text.push(match (upper, lower) {
                (0, 0) => ' ',
                (0, _) => '▄',
                (_, 0) => '▀',
                _ => '█',
            });
        }
        text.push('\n');
    }
    text
}
