//! The lattice that bricks are cut from, and its lengths.

use crate::grid::{Geometry, Metric};
use ferrovox_kernels::{
    distance::sites::BitRows,
    grid::Grid,
    skeleton::field::fmm::{BRICK, Lattice},
};

/// The most places of a lattice from one voxel to the next, by their logarithm.
const MAX_STEPS: u32 = BRICK.ilog2();

/// How voxels are placed among bricks, and the lengths of steps between these places in the
/// smallest spacing of the voxels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct BrickLattice {
    /// Logarithms of the places from one voxel to the next along each axis.
    pub steps: [u32; 3],
    /// The lengths of the world between voxels.
    pub voxels: Metric,
    /// Between places.
    pub metric: Metric,
}

impl BrickLattice {
    /// Those of a geometry: along each axis places are about as far apart as the voxels along the
    /// axis of the smallest spacing.
    pub fn of(geometry: &Geometry) -> Self {
        let (voxels, _) = Metric::snapped(geometry);
        let steps = [0, 1, 2].map(|axis| {
            let length = voxels.square(axis).sqrt();
            // at least 1; the power of two that is the nearest factor
            (length.log2().round() as u32).min(MAX_STEPS)
        });
        Self {
            steps,
            voxels,
            metric: voxels.divided(steps.map(|step| f64::from(1u32 << step))),
        }
    }

    /// Where the voxels of masks are whose bits lie so, as kernels take it.
    pub fn with_bits(&self, bits: BitRows) -> Lattice {
        Lattice {
            bits,
            steps: self.steps,
        }
    }

    /// The bricks of a grid of voxels.
    pub fn bricks(&self, voxels: Grid) -> Grid {
        let along = |voxels: u32, axis: usize| {
            let places = u64::from(voxels) << self.steps[axis];
            places.div_ceil(u64::from(BRICK)) as u32
        };
        Grid {
            nx: along(voxels.nx, 0),
            ny: along(voxels.ny, 1),
            nz: along(voxels.nz, 2),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::{Matrix3, Vector3};

    fn lattice(axes: [[f64; 3]; 3]) -> BrickLattice {
        let axes = Matrix3::from_fn(|row, column| axes[row][column]);
        BrickLattice::of(&Geometry::new(axes, Vector3::zeros()).unwrap())
    }

    #[test]
    fn bricks_are_about_cubes() {
        let cubes = lattice([[0.7, 0.0, 0.0], [0.0, 0.7, 0.0], [0.0, 0.0, 0.7]]);
        assert_eq!((cubes.steps, cubes.metric.is_of_cubes()), ([0; 3], true));
        let scan = lattice([[0.7, 0.0, 0.0], [0.0, 0.7, 0.0], [0.0, 0.0, 5.0]]);
        assert_eq!(scan.steps, [0, 0, 3]);
        let length = scan.metric.length([0.0, 0.0, 8.0]);
        assert!((length - 5.0 / 0.7).abs() < 1e-12);
        let grid = Grid {
            nx: 17,
            ny: 8,
            nz: 3,
        };
        let bricks = scan.bricks(grid);
        assert_eq!([bricks.nx, bricks.ny, bricks.nz], [3, 1, 3]);
        // beyond eight times bricks get longer
        let flat = lattice([[1.0, 0.0, 0.0], [0.0, 40.0, 0.0], [0.0, 0.0, 1.0]]);
        assert_eq!(flat.steps, [0, 3, 0]);
        let leaning = lattice([[1.0, 0.0, 0.0], [0.0, 1.0, 1.0], [0.0, 0.0, 2.0]]);
        assert_eq!(leaning.steps, [0, 0, 1]);
        for step in [[1.0, 2.0, 3.0], [-4.0, 0.0, 5.0]] {
            let [x, y, z] = step;
            let voxels = leaning.voxels.length(step);
            let found = leaning.metric.length([x, y, 2.0 * z]);
            assert!((found / voxels - 1.0).abs() < 1e-12);
        }
    }
}
