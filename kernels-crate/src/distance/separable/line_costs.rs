//! Costs that are minimised along a scanline, and their sources.

use super::{
    cost::Cost,
    layout::{Layout, TilePosition},
    rows::RowScan,
};
use cuda_std::View;

/// Squared distances along x, computed from the row scan.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RowCosts<C> {
    /// Squared spacing along x.
    pub weight: C,
    /// Number of words per row in the row scan.
    pub words: u32,
    /// Index in the row of the row scan's first word.
    pub first_word: u32,
    /// Maximum distance along x, in voxels; sites farther away are ignored.
    pub max_distance: u32,
    /// Number of rows per plane.
    pub rows: u32,
}

impl<C: Cost> RowCosts<C> {
    /// Returns the index in the row scan of the word that contains a voxel of a tile of columns.
    #[inline(always)]
    pub fn word_index(&self, tile_position: TilePosition, position: u32, column: u32) -> usize {
        let row = tile_position.batch * self.rows as u64 + position as u64;
        (row * self.words as u64 + ((tile_position.column + column) / 32) as u64) as usize
    }

    /// Returns a function that yields the costs of a column of a tile from a position on. If its
    /// argument is `false`, it yields the cost of a position without a site.
    #[inline(always)]
    pub fn line_costs(
        self,
        row_scan: View<u32>,
        tile_position: TilePosition,
        (position, column): (u32, u32),
        no_site: C,
    ) -> impl FnMut(bool) -> C {
        let bit = (tile_position.column + column) % 32;
        let mut word_index = self.word_index(tile_position, position, column);
        move |is_inside| {
            let scan = if is_inside {
                RowScan::read(row_scan, word_index)
            } else {
                RowScan::NONE
            };
            word_index += self.words as usize;
            let (distance, _) = scan.distance(bit);
            if distance <= self.max_distance {
                C::squared(self.weight, distance)
            } else {
                no_site
            }
        }
    }
}

/// Returns a function that yields the stored costs of a column of a tile from a position on. If its
/// argument is `false`, it yields the cost of a position without a site.
#[inline(always)]
pub fn stored_line_costs<C: Cost>(
    costs: View<C>,
    layout: Layout,
    tile_position: TilePosition,
    (position, column): (u32, u32),
    no_site: C,
) -> impl FnMut(bool) -> C {
    let mut voxel = layout.index(tile_position, position, column);
    move |is_inside| {
        let cost = if is_inside {
            costs.read(voxel)
        } else {
            no_site
        };
        voxel += layout.along as usize;
        cost
    }
}
