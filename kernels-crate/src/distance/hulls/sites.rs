//! Which sites winners stand for.

use super::{near::site_of_row, outputs::Winners, tile::COST_BITS};
use crate::grid::Grid;
use cuda_std::View;

/// The sites of a line's winners. A line is a column, so a winner has one site, whatever the output.
#[derive(Clone, Copy)]
pub(super) struct Sites<'a> {
    pub info: View<'a, u32>,
    pub squared: View<'a, u32>,
    /// The line's first word of the squares.
    pub from: usize,
    pub grid: Grid,
    pub word: u32,
    pub column: u32,
}

/// First the site's y, from the word of the winner's plane, then what is known of its row.
impl Winners for Sites<'_> {
    type First = u32;
    type Second = (u32, [u32; 2]);
    type Name = u32;

    #[inline(always)]
    fn first(self, z: u32) -> u32 {
        self.squared
            .read(self.from + z as usize * (self.grid.ny as usize * 32))
    }

    #[inline(always)]
    fn second(self, z: u32, first: u32) -> (u32, [u32; 2]) {
        let y = first >> COST_BITS;
        let line = (self.word * self.grid.nz + z) as usize * self.grid.ny as usize;
        (y, self.info.read_vector::<2>(2 * (line + y as usize)))
    }

    #[inline(always)]
    fn name(self, z: u32, (y, row): (u32, [u32; 2])) -> u32 {
        (z * self.grid.ny + y) * self.grid.nx + site_of_row(row, self.column)
    }
}
