//! Lattice from which bricks are cut, and its metric.

use crate::grid::{Geometry, Metric};
use ferrovox_kernels::{
    distance::sites::BitRows,
    grid::Grid,
    skeleton::field::fmm::{BRICK, Lattice},
};

/// Maximum base-2 logarithm of the lattice points per voxel along an axis.
const MAX_LOG_STEPS: u32 = BRICK.ilog2();

/// Lattice of bricks: position of the voxels in it, and lengths of its steps in units of the
/// smallest voxel spacing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BrickLattice {
    /// Base-2 logarithms of the lattice points per voxel along each axis.
    pub log_steps: [u32; 3],
    /// World metric of steps between voxels.
    pub voxel_metric: Metric,
    /// World metric of steps between lattice points.
    pub metric: Metric,
}

impl BrickLattice {
    /// Creates the lattice for a voxel geometry: along each axis, lattice points are about as far
    /// apart as voxels along the axis of smallest spacing.
    pub fn new(geometry: &Geometry) -> Self {
        let (voxel_metric, _) = Metric::snapped(geometry);
        let log_steps = [0, 1, 2].map(|axis| {
            let length = voxel_metric.squared_spacing(axis).sqrt();
            // at least 1; rounded to the nearest power of two
            (length.log2().round() as u32).min(MAX_LOG_STEPS)
        });
        Self {
            log_steps,
            voxel_metric,
            metric: voxel_metric.divided(log_steps.map(|step| f64::from(1u32 << step))),
        }
    }

    /// Returns the position of the voxels of a mask, in the form that kernels take.
    pub fn with_bits(&self, bits: BitRows) -> Lattice {
        Lattice {
            bits,
            steps: self.log_steps,
        }
    }

    /// Returns the grid of bricks that covers a grid of voxels.
    pub fn bricks(&self, voxels: Grid) -> Grid {
        let bricks = |voxels: u32, axis: usize| {
            let points = u64::from(voxels) << self.log_steps[axis];
            points.div_ceil(u64::from(BRICK)) as u32
        };
        Grid {
            nx: bricks(voxels.nx, 0),
            ny: bricks(voxels.ny, 1),
            nz: bricks(voxels.nz, 2),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{Matrix3, Vector3};

    fn lattice(axes: [[f64; 3]; 3]) -> BrickLattice {
        let axes = Matrix3::from_fn(|row, column| axes[row][column]);
        BrickLattice::new(&Geometry::new(axes, Vector3::zeros()).unwrap())
    }

    #[test]
    fn bricks_are_approximately_cubes() {
        let cubes = lattice([[0.7, 0.0, 0.0], [0.0, 0.7, 0.0], [0.0, 0.0, 0.7]]);
        assert_eq!((cubes.log_steps, cubes.metric.is_cubic()), ([0; 3], true));
        let anisotropic = lattice([[0.7, 0.0, 0.0], [0.0, 0.7, 0.0], [0.0, 0.0, 5.0]]);
        assert_eq!(anisotropic.log_steps, [0, 0, 3]);
        let length = anisotropic.metric.length([0.0, 0.0, 8.0]);
        assert!((length - 5.0 / 0.7).abs() < 1e-12);
        let grid = Grid {
            nx: 17,
            ny: 8,
            nz: 3,
        };
        let bricks = anisotropic.bricks(grid);
        assert_eq!([bricks.nx, bricks.ny, bricks.nz], [3, 1, 3]);
        // beyond a factor of eight bricks become elongated
        let flat = lattice([[1.0, 0.0, 0.0], [0.0, 40.0, 0.0], [0.0, 0.0, 1.0]]);
        assert_eq!(flat.log_steps, [0, 3, 0]);
        let oblique = lattice([[1.0, 0.0, 0.0], [0.0, 1.0, 1.0], [0.0, 0.0, 2.0]]);
        assert_eq!(oblique.log_steps, [0, 0, 1]);
        for step in [[1.0, 2.0, 3.0], [-4.0, 0.0, 5.0]] {
            let [x, y, z] = step;
            let expected = oblique.voxel_metric.length(step);
            let actual = oblique.metric.length([x, y, 2.0 * z]);
            assert!((actual / expected - 1.0).abs() < 1e-12);
        }
    }
}
