//! Lookup of the nearest site of each candidate in the pass along z.

use super::{evaluate::SiteLookup, row_scan::nearest_site_in_row, tile::COST_BITS};
use crate::grid::Grid;
use cuda_std::View;

/// Looks up the sites of the candidates of a scanline along z. All outputs of the scanline share x
/// and y, so each candidate has one site.
///
/// Indices within views are 32 bits wide, because sides are at most [`MAX_SIDE`](super::MAX_SIDE).
#[derive(Clone, Copy)]
pub(super) struct ColumnSiteLookup<'a> {
    /// Row scan of all words.
    row_scan_words: View<'a, u32>,
    /// Index of the first row of the column's word in the row scan.
    first_row: u32,
    /// Squared distances and y of the sites, from the first word of the scanline on.
    squared: View<'a, u32>,
    grid: Grid,
    /// The x of the column.
    column: u32,
}

impl<'a> ColumnSiteLookup<'a> {
    /// Creates the lookup for the column at x = `column` in word `word` of each row; the scanline
    /// starts at index `line_start` of `squared`.
    #[inline(always)]
    pub(super) fn new(
        row_scan_words: View<'a, u32>,
        (squared, line_start): (View<'a, u32>, usize),
        grid: Grid,
        (word, column): (u32, u32),
    ) -> Self {
        Self {
            row_scan_words,
            first_row: word * grid.nz * grid.ny,
            squared: squared.slice(line_start, squared.len() - line_start),
            grid,
            column,
        }
    }
}

/// The first stage reads the site's y from the word of the candidate's plane, the second the row
/// scan of that row, whose index follows from z and y.
impl SiteLookup for ColumnSiteLookup<'_> {
    type Stage1 = u32;
    type Stage2 = (u32, [u32; 2]);
    type Output = u32;

    #[inline(always)]
    fn prefetch(self, z: u32) -> u32 {
        self.squared.read((z * (self.grid.ny * 32)) as usize)
    }

    #[inline(always)]
    fn resolve_row(self, z: u32, stage1: u32) -> (u32, [u32; 2]) {
        let row = z * self.grid.ny + (stage1 >> COST_BITS);
        (
            row,
            self.row_scan_words
                .read_vector::<2>(2 * (self.first_row + row) as usize),
        )
    }

    #[inline(always)]
    fn finish(self, _z: u32, (row, scan): (u32, [u32; 2])) -> u32 {
        row * self.grid.nx + nearest_site_in_row(scan, self.column)
    }
}
