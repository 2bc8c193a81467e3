//! Which sites winners stand for.

use super::{near::site_of_row, outputs::Winners, tile::COST_BITS};
use crate::grid::Grid;
use cuda_std::View;

/// The sites of a line's winners. A line is a column, so a winner has one site, whatever the
/// output.
///
/// Indices within views are of 32 bits: sides are up to [`MOST`](super::MOST).
#[derive(Clone, Copy)]
pub(super) struct Sites<'a> {
    /// What is known of rows.
    info: View<'a, u32>,
    /// The first of those of the column's word.
    first_row: u32,
    /// From the line's first word on.
    squared: View<'a, u32>,
    grid: Grid,
    column: u32,
}

impl<'a> Sites<'a> {
    /// Those of a column of the `word`th word of rows, whose line of squares begins at `from`.
    #[inline(always)]
    pub(super) fn new(
        info: View<'a, u32>,
        (squared, from): (View<'a, u32>, usize),
        grid: Grid,
        (word, column): (u32, u32),
    ) -> Self {
        Self {
            info,
            first_row: word * grid.nz * grid.ny,
            squared: squared.slice(from, squared.len() - from),
            grid,
            column,
        }
    }
}

/// First the site's y, from the word of the winner's plane, then what is known of its row, whose
/// number is z and y.
impl Winners for Sites<'_> {
    type First = u32;
    type Second = (u32, [u32; 2]);
    type Name = u32;

    #[inline(always)]
    fn first(self, z: u32) -> u32 {
        self.squared.read((z * (self.grid.ny * 32)) as usize)
    }

    #[inline(always)]
    fn second(self, z: u32, first: u32) -> (u32, [u32; 2]) {
        let row = z * self.grid.ny + (first >> COST_BITS);
        (
            row,
            self.info
                .read_vector::<2>(2 * (self.first_row + row) as usize),
        )
    }

    #[inline(always)]
    fn name(self, _z: u32, (row, known): (u32, [u32; 2])) -> u32 {
        row * self.grid.nx + site_of_row(known, self.column)
    }
}
