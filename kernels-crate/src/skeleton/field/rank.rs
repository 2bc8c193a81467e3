//! Rank queries on bit masks.

use crate::{distance::sites::BitRows, rows::Rows};
use cuda_std::View;

/// Rank queries on a mask: maps each voxel of the mask to its index among the mask's voxels.
#[derive(Clone, Copy)]
pub struct MaskRanks<'a> {
    /// Mask, 32 voxels per word.
    pub words: View<'a, u32>,
    /// Number of mask voxels before each word.
    pub before: View<'a, u64>,
    /// Layout of the mask's bits.
    pub bits: BitRows,
}

impl MaskRanks<'_> {
    /// Calls `visit(voxel, rank)` for each mask voxel in the calling thread's runs.
    #[cuda_std::inline_closures]
    #[inline(always)]
    pub fn for_each_voxel(&self, rows: Rows, mut visit: impl FnMut([u32; 3], usize)) {
        rows.for_each(|at| {
            if let Some(rank) = self.rank(at) {
                visit(at, rank as usize);
            }
        });
    }

    /// Returns the rank of a voxel, or `None` if it is outside the mask or the grid.
    #[inline(always)]
    pub fn rank(&self, [x, y, z]: [u32; 3]) -> Option<u64> {
        let grid = self.bits.grid;
        if x >= grid.nx || y >= grid.ny || z >= grid.nz {
            return None;
        }
        let row = z as u64 * grid.ny as u64 + y as u64;
        let word = (row * self.bits.per_row as u64 + (x / 32) as u64) as usize;
        let mask = self.words.read(word);
        if mask >> (x % 32) & 1 == 0 {
            return None;
        }
        let lower = mask & ((1 << (x % 32)) - 1);
        Some(self.before.read(word) + lower.count_ones() as u64)
    }
}
