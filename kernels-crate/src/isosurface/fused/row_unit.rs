//! Units of a row of samples: words, or groups of words.

use super::{super::padded::PaddedGrid, layout::WordLayout};
use crate::{arith::div_rem, sample::Sample};
use cuda_std::View;

/// A unit of a row of the grid (a word, or four words), and the stored row of samples that it is
/// read from.
#[derive(Clone, Copy)]
pub(super) struct RowUnit {
    /// Index of the unit within its row.
    index: u32,
    /// Row of the grid.
    y: u32,
    /// Plane of the grid.
    z: u32,
    /// Index of the row's first word.
    row_word: u64,
    /// Storage index of the row's first stored sample; [`NOT_STORED`] if no sample of the row is
    /// stored.
    row: usize,
}

/// Marks a row without stored samples.
const NOT_STORED: usize = usize::MAX;

impl RowUnit {
    /// Returns the location of unit `index` of a grid with `per_row` units per row.
    #[inline(always)]
    pub fn from_index(layout: WordLayout, padded: &PaddedGrid, per_row: u32, index: u64) -> Self {
        let (row, unit) = div_rem(index, per_row as u64);
        let (z, y) = div_rem(row, layout.grid.ny as u64);
        let row_word = row * layout.per_row as u64;
        Self::in_row(padded, unit as u32, y as u32, z as u32, row_word)
    }

    #[inline(always)]
    fn in_row(padded: &PaddedGrid, index: u32, y: u32, z: u32, row_word: u64) -> Self {
        let row = padded.stored_at([padded.offset[0], y, z]);
        Self {
            index,
            y,
            z,
            row_word,
            row: match row {
                Some(row) => row,
                None => NOT_STORED,
            },
        }
    }

    /// Returns the location of the next unit.
    #[inline(always)]
    pub fn next(mut self, layout: WordLayout, padded: &PaddedGrid, per_row: u32) -> Self {
        self.index += 1;
        if self.index < per_row {
            return self;
        }
        let row_word = self.row_word + layout.per_row as u64;
        if self.y + 1 < layout.grid.ny {
            Self::in_row(padded, 0, self.y + 1, self.z, row_word)
        } else {
            Self::in_row(padded, 0, 0, self.z + 1, row_word)
        }
    }
}

/// Returns the value of the sample at a bit of a word; the isovalue, which is neither below nor
/// non-finite, if there is no sample.
#[inline(always)]
pub(super) fn value<T: Sample>(
    samples: View<T>,
    padded: &PaddedGrid,
    unit: RowUnit,
    bit: u32,
    iso: f32,
) -> f32 {
    let x = unit.index * 32 + bit;
    let stored = x.wrapping_sub(padded.offset[0]);
    if unit.row != NOT_STORED && stored < padded.stored.nx {
        samples.read(unit.row + stored as usize).value()
    } else if x < padded.grid.nx && unit.z < padded.grid.nz {
        padded.outside
    } else {
        iso
    }
}

/// Returns `true` if the mask keeps the sample at a bit of a word, or if there is no sample.
#[inline(always)]
pub(super) fn is_unmasked(mask: View<u8>, padded: &PaddedGrid, unit: RowUnit, bit: u32) -> bool {
    let x = unit.index * 32 + bit;
    if x >= padded.grid.nx || unit.z >= padded.grid.nz {
        return true;
    }
    mask.read(padded.nearest_stored([x, unit.y, unit.z])) != 0
}
