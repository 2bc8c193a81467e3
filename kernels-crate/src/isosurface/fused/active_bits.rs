//! Active edges and occupied cells of a word.

use super::{
    corner_bits::CornerBits,
    layout::{Tile, WordLayout},
};

/// Active edges and occupied cells of a word, as bit masks.
pub(super) struct ActiveBits {
    /// Active edges along x, y and z.
    pub edges: [u32; 3],
    /// Cells that emit triangles.
    pub occupied: u32,
}

impl ActiveBits {
    /// No edge is active, and no cell is occupied.
    pub const EMPTY: Self = Self {
        edges: [0; 3],
        occupied: 0,
    };

    /// Returns the edges of word `word` of row `y` whose ends differ, and the cells whose corners
    /// differ.
    #[inline(always)]
    pub fn from_corners(
        corners: &CornerBits,
        layout: WordLayout,
        tile: &Tile,
        word: u32,
        y: u32,
    ) -> Self {
        let [own, along_y, along_z, _] = corners.rows;
        let right = layout.right_neighbour_mask(word);
        let cells_rise = y + 1 < layout.grid.ny && tile.z < layout.end;
        Self {
            edges: [
                (own[0] ^ own[1]) & right,
                own[0] ^ along_y[0],
                own[0] ^ along_z[0],
            ],
            occupied: if cells_rise {
                corners.mixed() & right
            } else {
                0
            },
        }
    }
}
