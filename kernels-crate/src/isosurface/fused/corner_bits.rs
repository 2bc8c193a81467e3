//! Below bits at the corners of a word's cells.

use super::layout::WordLayout;
use cuda_std::View;

/// Below bits at the corners of a word's 32 cells: for each of the four rows of samples around
/// them, at the lower and at the higher x of the cells.
#[derive(Clone, Copy)]
pub(super) struct CornerBits {
    /// Rows (y, z), (y + 1, z), (y, z + 1), (y + 1, z + 1).
    pub rows: [[u32; 2]; 4],
}

impl CornerBits {
    /// Reads the rows around word `word` of row (y, z). A row that does not exist repeats its
    /// neighbour, so that no edge towards it is active.
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub fn read(below: View<u32>, layout: WordLayout, word: u32, y: u32, z: u32) -> Self {
        let dy = if y + 1 < layout.grid.ny {
            layout.per_row as usize
        } else {
            0
        };
        let dz = if z < layout.end {
            layout.per_plane() as usize
        } else {
            0
        };
        let own_word = sample_word_index(layout, word, y, z);
        let read = |at: usize| {
            let low = below.read(at);
            let next = if word + 1 < layout.per_row {
                below.read(at + 1)
            } else {
                0
            };
            [low, low >> 1 | next << 31]
        };
        Self {
            rows: [
                read(own_word),
                read(own_word + dy),
                read(own_word + dz),
                read(own_word + dy + dz),
            ],
        }
    }

    /// Returns the cells with both below and above corners, including cells beyond the grid.
    #[inline(always)]
    pub fn mixed(&self) -> u32 {
        let (mut all, mut any) = (u32::MAX, 0);
        let mut row = 0;
        while row < 4 {
            let [low, high] = self.rows[row];
            all &= low & high;
            any |= low | high;
            row += 1;
        }
        any & !all
    }

    /// Returns the edges of the cells whose ends differ: for each axis, the four edges of each cell
    /// along that axis.
    #[inline(always)]
    pub fn edge_changes(&self) -> [[u32; 4]; 3] {
        // rows a to d, at the lower and higher x of the cells
        let [[a0, a1], [b0, b1], [c0, c1], [d0, d1]] = self.rows;
        [
            [a0 ^ a1, b0 ^ b1, c0 ^ c1, d0 ^ d1],
            [a0 ^ b0, a1 ^ b1, c0 ^ d0, c1 ^ d1],
            [a0 ^ c0, a1 ^ c1, b0 ^ d0, b1 ^ d1],
        ]
    }

    /// Returns the ambiguous cells among the occupied ones: those with an ambiguous face, or with
    /// two opposite corners that are cut off separately. All other cells have one loop, and their
    /// triangles do not depend on the values.
    #[inline(always)]
    pub fn ambiguous(&self, occupied: u32) -> u32 {
        let [
            [xa, xb, xc, xd],
            [yab0, yab1, ycd0, ycd1],
            [zac0, zac1, zbd0, zbd1],
        ] = self.edge_changes();
        // On an ambiguous face all edges are active; testing three suffices, as the number of sign
        // changes around a face is even. Otherwise, two loops surround two opposite corners.
        let faces = xa & xb & yab0
            | xc & xd & ycd0
            | xa & xc & zac0
            | xb & xd & zbd0
            | yab0 & ycd0 & zac0
            | yab1 & ycd1 & zac1;
        let opposite = (xa & yab0 & zac0) & (xd & ycd1 & zbd1)
            | (xa & yab1 & zac1) & (xd & ycd0 & zbd0)
            | (xb & yab0 & zbd0) & (xc & ycd1 & zac1)
            | (xb & yab1 & zbd1) & (xc & ycd0 & zac0);
        occupied & (faces | opposite)
    }

    /// Returns the signs at the corners of cell `x` of the word in row order: the index of the
    /// `BY_ROWS` tables.
    #[inline(always)]
    pub fn row_order_signs(&self, x: u32) -> usize {
        let mut index = 0;
        let mut row = 0;
        while row < 4 {
            let [low, high] = self.rows[row];
            index |= (low >> x & 1 | (high >> x & 1) << 1) << (2 * row);
            row += 1;
        }
        index as usize & 0xff
    }
}

/// Returns the index of word `word` of row (y, z) among the words of all samples.
#[inline(always)]
pub(super) fn sample_word_index(layout: WordLayout, word: u32, y: u32, z: u32) -> usize {
    ((z as u64 * layout.grid.ny as u64 + y as u64) * layout.per_row as u64 + word as u64) as usize
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::isosurface::{table::case_by_rows, topology::is_ambiguous_case};

    #[test]
    fn ambiguous_cells_are_those_whose_triangles_depend_on_values() {
        for rows in 0..256u32 {
            let pair = |row: u32| [rows >> (2 * row) & 1, rows >> (2 * row + 1) & 1];
            let corners = CornerBits {
                rows: [pair(0), pair(1), pair(2), pair(3)],
            };
            assert_eq!(corners.row_order_signs(0), rows as usize);
            let occupied = (rows != 0 && rows != 255) as u32;
            let ambiguous = corners.ambiguous(occupied) == 1;
            assert_eq!(
                ambiguous,
                is_ambiguous_case(case_by_rows(rows as usize) as u32),
                "{rows:#b}"
            );
        }
    }
}
