//! The direction of the force between voxels.

use crate::{
    device::Stream,
    skeleton::{SkeletonError, field::ForceField},
};
use ferrovox_kernels::distance::sites::BitRows;
use nalgebra::{Point3, Vector3};

/// A force field on the host.
pub struct Sampler {
    bits: BitRows,
    words: Vec<u32>,
    before: Vec<u64>,
    /// For each voxel with a force its direction and magnitude.
    forces: Vec<[f32; 4]>,
}

impl Sampler {
    /// Copies a field. Waits for it.
    pub fn new(stream: &Stream, field: &ForceField) -> Result<Self, SkeletonError> {
        let flat = stream.download(&field.forces)?;
        Ok(Self {
            bits: field.mask.layout(),
            words: stream.download(&field.mask.bits)?,
            before: stream.download(&field.before)?,
            forces: flat.as_chunks().0.to_vec(),
        })
    }

    /// The number of a voxel among those with a force.
    pub fn rank(&self, [x, y, z]: [i64; 3]) -> Option<usize> {
        let grid = self.bits.grid;
        let inside = |at: i64, len: u32| (0..i64::from(len)).contains(&at);
        if !inside(x, grid.nx) || !inside(y, grid.ny) || !inside(z, grid.nz) {
            return None;
        }
        let row = z as u64 * u64::from(grid.ny) + y as u64;
        let word = (row * u64::from(self.bits.per_row) + x as u64 / 32) as usize;
        let (all, bit) = (self.words[word], x as u32 % 32);
        let lower = all & ((1 << bit) - 1);
        (all >> bit & 1 != 0).then(|| self.before[word] as usize + lower.count_ones() as usize)
    }

    /// Whether there is a force at all eight corners of the cell that a point is in, or, on a face, of one of both cells.
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
        (0..8).all(|k| {
            self.rank([x + (k & 1), y + (k >> 1 & 1), z + (k >> 2)])
                .is_some()
        })
    }

    /// The direction at a voxel with a force; zero where there is none.
    pub fn direction_at(&self, voxel: [i64; 3]) -> Option<Vector3<f64>> {
        let [x, y, z, _] = self.forces[self.rank(voxel)?];
        Some(Vector3::new(x.into(), y.into(), z.into()))
    }

    /// The interpolant of the directions around a point: shorter than 1 where they differ. None where most of what is around has no force.
    pub fn direction(&self, point: &Point3<f64>) -> Option<Vector3<f64>> {
        let corner = [point.x, point.y, point.z].map(|at| at.floor() as i64);
        let part = [0, 1, 2].map(|axis| point[axis] - corner[axis] as f64);
        let (mut sum, mut weights) = (Vector3::zeros(), 0.0);
        for k in 0..8 {
            let side = [k & 1, k >> 1 & 1, k >> 2];
            let weight: f64 = (0..3)
                .map(|axis| match side[axis] {
                    0 => 1.0 - part[axis],
                    _ => part[axis],
                })
                .product();
            let voxel = [0, 1, 2].map(|axis| corner[axis] + side[axis] as i64);
            if let Some(direction) = self.direction_at(voxel) {
                sum += weight * direction;
                weights += weight;
            }
        }
        (weights > 0.25).then(|| sum / weights)
    }
}
