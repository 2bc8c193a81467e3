//! Exclusion of cells with masked or non-finite corners.

use super::{active_bits::ActiveBits, corner_bits::sample_word_index, layout::WordLayout};
use cuda_std::View;

/// Bits of the samples that exclude cells.
#[derive(Clone, Copy)]
pub(super) struct SampleFilter<'a> {
    pub finite: View<'a, u32>,
    pub unmasked: View<'a, u32>,
    /// `true` if only the corner of a cell with the largest indices decides whether it is masked,
    /// instead of all eight.
    pub by_last_corner: bool,
}

/// Cells of a word whose corners are all finite, and cells that are unmasked.
#[derive(Clone, Copy)]
struct CellFilter {
    finite: u32,
    unmasked: u32,
}

impl SampleFilter<'_> {
    /// Returns the cells of word `word` of row (y, z); cells beyond the grid are in neither set.
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn cells(&self, layout: WordLayout, word: u32, y: u32, z: u32) -> CellFilter {
        if y + 1 >= layout.grid.ny || z + 1 >= layout.grid.nz {
            return CellFilter {
                finite: 0,
                unmasked: 0,
            };
        }
        let exist = layout.right_neighbour_mask(word);
        let mut cells = CellFilter {
            finite: exist,
            unmasked: exist,
        };
        let mut row = 0;
        while row < 4 {
            let at = sample_word_index(layout, word, y + (row & 1), z + (row >> 1));
            // the bits of the samples at the lower and at the higher x of each cell
            let corners = |bits: View<u32>| {
                if bits.is_empty() {
                    return (u32::MAX, u32::MAX);
                }
                let low = bits.read(at);
                let next = if word + 1 < layout.per_row {
                    bits.read(at + 1)
                } else {
                    0
                };
                (low, low >> 1 | next << 31)
            };
            let (low, high) = corners(self.finite);
            cells.finite &= low & high;
            if !self.by_last_corner {
                let (low, high) = corners(self.unmasked);
                cells.unmasked &= low & high;
            } else if row == 3 {
                cells.unmasked &= corners(self.unmasked).1;
            }
            row += 1;
        }
        cells
    }

    /// Removes the excluded cells, and the edges that are adjacent to excluded cells only. Returns
    /// the number of the word's cells that are excluded because of a non-finite corner.
    #[inline(always)]
    pub fn exclude(
        &self,
        layout: WordLayout,
        active: &mut ActiveBits,
        word: u32,
        y: u32,
        z: u32,
    ) -> u32 {
        let (mut around_x, mut around_y, mut around_z) = (0, 0, 0);
        let mut own = CellFilter {
            finite: 0,
            unmasked: 0,
        };
        // this word and the previous one, whose last cell is the left neighbour of this word's
        // first cell
        let combinations = if word > 0 { 8 } else { 4 };
        let mut combination = 0;
        while combination < combinations {
            let (dy, dz, before) = (combination & 1, combination >> 1 & 1, combination >> 2);
            if y >= dy && z >= dz {
                let cells = self.cells(layout, word - before, y - dy, z - dz);
                if combination == 0 {
                    own = cells;
                }
                let included = cells.finite & cells.unmasked;
                let own_cells = if before == 0 { included } else { 0 };
                let own_or_left = if before == 0 {
                    included | included << 1
                } else {
                    included >> 31
                };
                around_x |= own_cells;
                if dy == 0 {
                    around_y |= own_or_left;
                }
                if dz == 0 {
                    around_z |= own_or_left;
                }
            }
            combination += 1;
        }
        let [x, y_edges, z_edges] = active.edges;
        active.edges = [x & around_x, y_edges & around_y, z_edges & around_z];
        active.occupied &= own.finite & own.unmasked;
        if z == layout.end {
            return 0;
        }
        let exist = if y + 1 < layout.grid.ny {
            layout.right_neighbour_mask(word)
        } else {
            0
        };
        (exist & own.unmasked & !own.finite).count_ones()
    }
}
