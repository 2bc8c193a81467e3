//! Tubes as voxels of a grid that lies anyhow.

use super::{Axis, Known, to_segment};
use crate::noise::Noise;
use ferrovox::grid::{Geometry, Volume};
use nalgebra::{Matrix3, Point3, Rotation3, Unit, Vector3};

/// Voxels between an object and the border of its grid.
const MARGIN: i64 = 2;

/// How a grid lies in the world: its axes, and by which part of a voxel it is moved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Grid {
    /// The step from a voxel to the next along each axis, one in each column.
    pub axes: Matrix3<f64>,
    /// By how much of a voxel it is moved along each axis.
    pub phase: Vector3<f64>,
}

impl Grid {
    /// The spacings that anisotropic objects are tried at.
    pub const SPACINGS: [[f64; 3]; 6] = [
        [1.0, 1.0, 1.0],
        [0.7, 0.7, 1.0],
        [1.0, 1.0, 2.0],
        [0.5, 0.5, 1.5],
        [0.5, 0.5, 2.5],
        [1.0, 1.0, 5.0],
    ];

    /// Along the world's axes.
    pub fn spaced(spacing: [f64; 3]) -> Self {
        Self {
            axes: Matrix3::from_diagonal(&Vector3::from(spacing)),
            phase: Vector3::zeros(),
        }
    }

    /// Of unit spacing.
    pub fn unit() -> Self {
        Self::spaced([1.0; 3])
    }

    /// One of [`Grid::SPACINGS`] by the number, moved by a part of a voxel.
    pub fn any(noise: &mut Noise) -> Self {
        let spacing = Self::SPACINGS[noise.below(6) as usize];
        Self::spaced(spacing).moved(noise)
    }

    /// Moved by a random part of a voxel.
    #[must_use]
    pub fn moved(mut self, noise: &mut Noise) -> Self {
        self.phase = Vector3::from_fn(|_, _| noise.between(0.0, 1.0));
        self
    }

    /// Turned in the world.
    #[must_use]
    pub fn turned(mut self, axis: [f64; 3], angle: f64) -> Self {
        let axis = Unit::new_normalize(Vector3::from(axis));
        self.axes = Rotation3::from_axis_angle(&axis, angle).matrix() * self.axes;
        self
    }

    /// From the world to places in voxels of a grid through the world's origin.
    fn inverse(&self) -> Matrix3<f64> {
        self.axes.try_inverse().expect("axes span space")
    }
}

/// A box of voxels, first and last.
#[derive(Clone, Copy)]
struct Reach {
    first: [i64; 3],
    last: [i64; 3],
}

impl Reach {
    /// That of a ball in the world.
    fn of(grid: &Grid, inverse: &Matrix3<f64>, centre: Point3<f64>, radius: f64) -> Self {
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

/// Tubes to draw.
#[derive(Clone, Debug, Default)]
pub struct Tubes {
    /// Their middles and radii.
    pub axes: Vec<Axis>,
    /// Whether the tubes end flat, as rods do; else in half balls.
    pub flat: bool,
    /// Balls where tubes meet, so that voxels leave no holes between them.
    pub balls: Vec<(Point3<f64>, f64)>,
}

impl Tubes {
    /// Of these axes, with round ends.
    pub fn round(axes: Vec<Axis>) -> Self {
        Self {
            axes,
            ..Self::default()
        }
    }

    /// The voxels whose centres are in a tube, and those that an axis passes nearest to: tubes
    /// thinner than a voxel hang together too.
    pub fn draw(self, name: impl Into<String>, seed: u64, grid: Grid) -> Known {
        let inverse = grid.inverse();
        let balls = self
            .axes
            .iter()
            .flat_map(|axis| axis.points.iter().map(|&point| (point, axis.radius)))
            .chain(self.balls.iter().copied());
        let reach = balls
            .map(|(point, radius)| Reach::of(&grid, &inverse, point, radius))
            .reduce(Reach::with)
            .expect("there is a tube");
        let first = reach.first.map(|least| least - MARGIN);
        let dims = [0, 1, 2].map(|k| (reach.last[k] - first[k] + MARGIN + 1) as usize);
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
        let mut fill = |reach: Reach, is_in: &dyn Fn(Point3<f64>) -> bool| {
            for z in reach.first[2]..=reach.last[2] {
                for y in reach.first[1]..=reach.last[1] {
                    for x in reach.first[0]..=reach.last[0] {
                        if is_in(world([x, y, z])) {
                            samples[index([x, y, z])] = 1;
                        }
                    }
                }
            }
        };
        for &(centre, radius) in &self.balls {
            let reach = Reach::of(&grid, &inverse, centre, radius);
            fill(reach, &|point| (point - centre).norm() <= radius);
        }
        for axis in &self.axes {
            for step in axis.points.windows(2) {
                let [a, b] = [step[0], step[1]];
                let ends = [a, b].map(|point| Reach::of(&grid, &inverse, point, axis.radius));
                let along = b - a;
                fill(ends[0].with(ends[1]), &|point| {
                    let part = (point - a).dot(&along);
                    let beside = !self.flat || (0.0..=along.norm_squared()).contains(&part);
                    beside && to_segment(point, a, b) <= axis.radius
                });
            }
        }
        for step in self.axes.iter().flat_map(|axis| axis.points.windows(2)) {
            // in steps of less than a voxel along each axis, so that one hangs on the next
            let [from, to] = [step[0], step[1]].map(|p| inverse * p.coords + grid.phase);
            let count = ((to - from).amax() * 8.0).ceil().max(1.0) as usize;
            for number in 0..=count {
                let at = from + (to - from) * (number as f64 / count as f64);
                samples[index([0, 1, 2].map(|k| at[k].round() as i64))] = 1;
            }
        }
        let tips = match self.flat {
            // the cubes of the last voxels
            true => geometry.spacing().max(),
            false => self.axes.iter().map(|axis| 2.0 * axis.radius).sum(),
        };
        Known {
            name: name.into(),
            seed,
            voxels: Volume::new(samples, dims, geometry).expect("as many as there are voxels"),
            betti: None,
            ends: None,
            axes: self.axes,
            tips,
        }
    }
}
