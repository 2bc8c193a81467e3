//! Which voxels have a force, on the host.

use crate::{
    device::Stream,
    skeleton::{SkeletonError, potential_field::field::ForceField},
};
use ferrovox_kernels::distance::sites::BitRows;
use nalgebra::Point3;

/// The voxels that have a force.
pub struct Inside {
    bits: BitRows,
    words: Vec<u32>,
}

impl Inside {
    /// Copies a field. Synchronises the stream.
    pub fn new(stream: &Stream, field: &ForceField) -> Result<Self, SkeletonError> {
        Ok(Self {
            bits: field.mask.layout(),
            words: stream.download(&field.mask.bits)?,
        })
    }

    /// Whether a voxel has a force.
    fn has_force(&self, [x, y, z]: [i64; 3]) -> bool {
        let grid = self.bits.grid;
        let inside = |at: i64, len: u32| (0..i64::from(len)).contains(&at);
        if !inside(x, grid.nx) || !inside(y, grid.ny) || !inside(z, grid.nz) {
            return false;
        }
        let row = z as u64 * u64::from(grid.ny) + y as u64;
        let word = row * u64::from(self.bits.per_row) + x as u64 / 32;
        self.words[word as usize] >> (x % 32) & 1 != 0
    }

    /// Whether there is a force at all eight corners of the cell that a point is in, or, on a face,
    /// of one of both cells.
    pub fn is_in_cell(&self, point: &Point3<f64>) -> bool {
        let near = |at: f64| {
            let (low, high) = ((at - 1e-6).floor() as i64, (at + 1e-6).floor() as i64);
            if low == high {
                vec![low]
            } else {
                vec![low, high]
            }
        };
        let [xs, ys, zs] = [point.x, point.y, point.z].map(near);
        xs.iter().any(|&x| {
            ys.iter()
                .any(|&y| zs.iter().any(|&z| self.has_all_corners([x, y, z])))
        })
    }

    /// Whether a cell has a force at all corners.
    pub fn has_all_corners(&self, [x, y, z]: [i64; 3]) -> bool {
        (0..8).all(|k| self.has_force([x + (k & 1), y + (k >> 1 & 1), z + (k >> 2)]))
    }
}
