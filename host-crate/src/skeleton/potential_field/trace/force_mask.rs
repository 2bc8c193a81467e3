//! Host copy of the mask of voxels with a force.

use crate::{
    device::Stream,
    skeleton::{SkeletonError, potential_field::field::ForceField},
};
use ferrovox_kernels::distance::sites::BitRows;
use nalgebra::Point3;

/// Voxels with a force.
pub struct ForceMask {
    bits: BitRows,
    words: Vec<u32>,
}

impl ForceMask {
    /// Downloads the mask of a force field. Synchronises the stream.
    pub fn new(stream: &Stream, field: &ForceField) -> Result<Self, SkeletonError> {
        Ok(Self {
            bits: field.mask.layout(),
            words: stream.download(&field.mask.bits)?,
        })
    }

    /// Returns `true` if a voxel has a force.
    fn has_force(&self, [x, y, z]: [i64; 3]) -> bool {
        let grid = self.bits.grid;
        let in_range = |at: i64, len: u32| (0..i64::from(len)).contains(&at);
        if !in_range(x, grid.nx) || !in_range(y, grid.ny) || !in_range(z, grid.nz) {
            return false;
        }
        let row = z as u64 * u64::from(grid.ny) + y as u64;
        let word = row * u64::from(self.bits.per_row) + x as u64 / 32;
        self.words[word as usize] >> (x % 32) & 1 != 0
    }

    /// Returns `true` if all eight corners of the cell that contains a point have a force; for a
    /// point on a face, of one of the two cells.
    pub fn is_in_cell(&self, point: &Point3<f64>) -> bool {
        let candidates = |at: f64| {
            let (low, high) = ((at - 1e-6).floor() as i64, (at + 1e-6).floor() as i64);
            if low == high {
                vec![low]
            } else {
                vec![low, high]
            }
        };
        let [xs, ys, zs] = [point.x, point.y, point.z].map(candidates);
        xs.iter().any(|&x| {
            ys.iter()
                .any(|&y| zs.iter().any(|&z| self.has_all_corners([x, y, z])))
        })
    }

    /// Returns `true` if all corners of a cell have a force.
    pub fn has_all_corners(&self, [x, y, z]: [i64; 3]) -> bool {
        (0..8).all(|k| self.has_force([x + (k & 1), y + (k >> 1 & 1), z + (k >> 2)]))
    }
}
