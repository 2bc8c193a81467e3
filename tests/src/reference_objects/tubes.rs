//! Voxelisation of tubes on an arbitrarily placed grid.

use super::{Axis, ReferenceObject, distance_to_segment};
use crate::noise::Noise;
use ferrovox::grid::{Geometry, Volume};
use nalgebra::{Matrix3, Point3, Rotation3, Unit, Vector3};

/// Voxels between an object and the border of its grid.
const MARGIN: i64 = 2;

/// Position of a grid in the world: its axes, and a shift by a fraction of a voxel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// Steps between neighbouring voxels, one axis per column.
    pub axes: Matrix3<f64>,
    /// Shift along each axis, as a fraction of a voxel.
    pub phase: Vector3<f64>,
}

impl Grid {
    /// Spacings at which anisotropic objects are tested.
    pub const SPACINGS: [[f64; 3]; 6] = [
        [1.0, 1.0, 1.0],
        [0.7, 0.7, 1.0],
        [1.0, 1.0, 2.0],
        [0.5, 0.5, 1.5],
        [0.5, 0.5, 2.5],
        [1.0, 1.0, 5.0],
    ];

    /// Creates a grid along the world's axes.
    pub fn spaced(spacing: [f64; 3]) -> Self {
        Self {
            axes: Matrix3::from_diagonal(&Vector3::from(spacing)),
            phase: Vector3::zeros(),
        }
    }

    /// Creates a grid of unit spacing.
    pub fn unit() -> Self {
        Self::spaced([1.0; 3])
    }

    /// Creates a grid with a random one of [`Grid::SPACINGS`] and a random shift.
    pub fn random(noise: &mut Noise) -> Self {
        let spacing = Self::SPACINGS[noise.below(6) as usize];
        Self::spaced(spacing).moved(noise)
    }

    /// Returns the grid shifted by a random fraction of a voxel.
    #[must_use]
    pub fn moved(mut self, noise: &mut Noise) -> Self {
        self.phase = Vector3::from_fn(|_, _| noise.between(0.0, 1.0));
        self
    }

    /// Returns the grid rotated in the world.
    #[must_use]
    pub fn rotated(mut self, axis: [f64; 3], angle: f64) -> Self {
        let axis = Unit::new_normalize(Vector3::from(axis));
        self.axes = Rotation3::from_axis_angle(&axis, angle).matrix() * self.axes;
        self
    }

    /// Returns the map from the world to voxel coordinates of a grid through the world's origin.
    fn inverse(&self) -> Matrix3<f64> {
        self.axes.try_inverse().expect("axes span space")
    }
}

/// Box of voxels, by its first and last voxel.
#[derive(Clone, Copy)]
struct VoxelBox {
    first: [i64; 3],
    last: [i64; 3],
}

impl VoxelBox {
    /// Creates the box around a ball in the world.
    fn new(grid: &Grid, inverse: &Matrix3<f64>, centre: Point3<f64>, radius: f64) -> Self {
        let at = inverse * centre.coords + grid.phase;
        let wide = Vector3::from_fn(|row, _| radius * inverse.row(row).norm());
        Self {
            first: [0, 1, 2].map(|k| (at[k] - wide[k]).floor() as i64),
            last: [0, 1, 2].map(|k| (at[k] + wide[k]).ceil() as i64),
        }
    }

    fn with(self, other: Self) -> Self {
        Self {
            first: [0, 1, 2].map(|k| self.first[k].min(other.first[k])),
            last: [0, 1, 2].map(|k| self.last[k].max(other.last[k])),
        }
    }
}

/// Tubes to voxelise.
#[derive(Clone, Debug, Default)]
pub struct Tubes {
    /// Medial axes and radii.
    pub axes: Vec<Axis>,
    /// `true` if the tubes end flat, as rods do; otherwise they end in hemispheres.
    pub flat_ends: bool,
    /// Balls where tubes meet, so that the voxels leave no holes.
    pub balls: Vec<(Point3<f64>, f64)>,
}

impl Tubes {
    /// Creates tubes with round ends.
    pub fn round(axes: Vec<Axis>) -> Self {
        Self {
            axes,
            ..Self::default()
        }
    }

    /// Voxelises the tubes: the voxels whose centres are in a tube, and those closest to an axis,
    /// so that tubes thinner than a voxel are connected too.
    pub fn voxelize(self, name: impl Into<String>, seed: u64, grid: Grid) -> ReferenceObject {
        let inverse = grid.inverse();
        let balls = self
            .axes
            .iter()
            .flat_map(|axis| axis.points.iter().map(|&point| (point, axis.radius)))
            .chain(self.balls.iter().copied());
        let voxel_box = balls
            .map(|(point, radius)| VoxelBox::new(&grid, &inverse, point, radius))
            .reduce(VoxelBox::with)
            .expect("at least one tube");
        let first = voxel_box.first.map(|first| first - MARGIN);
        let dims = [0, 1, 2].map(|k| (voxel_box.last[k] - first[k] + MARGIN + 1) as usize);
        let start = Vector3::from(first.map(|c| c as f64)) - grid.phase;
        let geometry = Geometry::new(grid.axes, grid.axes * start).expect("axes span space");
        let mut samples = vec![0u8; dims.iter().product()];
        let index = |p: [i64; 3]| {
            let [x, y, z] = [0, 1, 2].map(|k| (p[k] - first[k]) as usize);
            x + dims[0] * (y + dims[1] * z)
        };
        let world = |p: [i64; 3]| {
            let at = Vector3::from(p.map(|c| c as f64)) - grid.phase;
            Point3::from(grid.axes * at)
        };
        let mut fill = |voxel_box: VoxelBox, is_in: &dyn Fn(Point3<f64>) -> bool| {
            for z in voxel_box.first[2]..=voxel_box.last[2] {
                for y in voxel_box.first[1]..=voxel_box.last[1] {
                    for x in voxel_box.first[0]..=voxel_box.last[0] {
                        if is_in(world([x, y, z])) {
                            samples[index([x, y, z])] = 1;
                        }
                    }
                }
            }
        };
        for &(centre, radius) in &self.balls {
            let voxel_box = VoxelBox::new(&grid, &inverse, centre, radius);
            fill(voxel_box, &|point| (point - centre).norm() <= radius);
        }
        for axis in &self.axes {
            for step in axis.points.windows(2) {
                let [a, b] = [step[0], step[1]];
                let ends = [a, b].map(|point| VoxelBox::new(&grid, &inverse, point, axis.radius));
                let along = b - a;
                fill(ends[0].with(ends[1]), &|point| {
                    let part = (point - a).dot(&along);
                    let is_along_segment =
                        !self.flat_ends || (0.0..=along.norm_squared()).contains(&part);
                    is_along_segment && distance_to_segment(point, a, b) <= axis.radius
                });
            }
        }
        for step in self.axes.iter().flat_map(|axis| axis.points.windows(2)) {
            // in steps of less than a voxel along each axis, so that the voxels are connected
            let [from, to] = [step[0], step[1]].map(|p| inverse * p.coords + grid.phase);
            let count = ((to - from).amax() * 8.0).ceil().max(1.0) as usize;
            for number in 0..=count {
                let at = from + (to - from) * (number as f64 / count as f64);
                samples[index([0, 1, 2].map(|k| at[k].round() as i64))] = 1;
            }
        }
        let length_allowance = if self.flat_ends {
            // the cubes of the last voxels
            geometry.spacing().max()
        } else {
            self.axes.iter().map(|axis| 2.0 * axis.radius).sum()
        };
        ReferenceObject {
            name: name.into(),
            seed,
            voxels: Volume::new(samples, dims, geometry).expect("one sample per voxel"),
            betti: None,
            ends: None,
            axes: self.axes,
            length_allowance,
        }
    }
}
