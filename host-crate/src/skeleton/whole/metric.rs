//! Lengths in the world, for steps between voxels.

use crate::grid::Geometry;
use nalgebra::Matrix3;

/// Parts of one that squared lengths are rounded to, so that geometries that are the same but for rounding (one that was turned, or stored in fewer bits) give the
/// same ties.
const GRAIN: f64 = (1u64 << 20) as f64;

/// The scalar product of steps between voxels, in squares of the smallest spacing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Metric {
    gram: [[f64; 3]; 3],
    /// An upper triangle whose columns are the axes, turned.
    upper: [[f64; 3]; 3],
}

impl Metric {
    /// That of a geometry, and its smallest spacing.
    pub fn of(geometry: &Geometry) -> (Self, f64) {
        let spacing = geometry.spacing();
        let smallest = spacing.min();
        let axes = geometry.axes() / smallest;
        let product = axes.transpose() * axes;
        let mut gram = [[0.0; 3]; 3];
        for (row, values) in gram.iter_mut().enumerate() {
            for (column, value) in values.iter_mut().enumerate() {
                *value = (product[(row, column)] * GRAIN).round() / GRAIN + 0.0;
            }
        }
        (Self::new(gram), smallest)
    }

    fn new(gram: [[f64; 3]; 3]) -> Self {
        let matrix = Matrix3::from_fn(|row, column| gram[row][column]);
        let mut upper = [[0.0; 3]; 3];
        match matrix.cholesky() {
            Some(factor) => {
                let factor = factor.l().transpose();
                for (row, values) in upper.iter_mut().enumerate() {
                    for (column, value) in values.iter_mut().enumerate() {
                        *value = factor[(row, column)];
                    }
                }
            }
            // axes that span hardly any space: as if they were at right angles
            None => {
                for axis in 0..3 {
                    upper[axis][axis] = gram[axis][axis].sqrt();
                }
            }
        }
        Self { gram, upper }
    }

    /// The same with axis k in the place of `order[k]`, turned round where `flips` says so.
    pub fn in_frame(&self, order: [usize; 3], flips: [bool; 3]) -> Self {
        let mut gram = [[0.0; 3]; 3];
        for row in 0..3 {
            for column in 0..3 {
                let value = self.gram[order[row]][order[column]];
                gram[row][column] = if flips[row] != flips[column] {
                    0.0 - value
                } else {
                    value
                };
            }
        }
        Self::new(gram)
    }

    /// All products, for comparisons.
    pub fn products(&self) -> [f64; 6] {
        let g = &self.gram;
        [g[0][0], g[1][1], g[2][2], g[0][1], g[0][2], g[1][2]]
    }

    /// Whether axes are at right angles.
    pub fn is_diagonal(&self) -> bool {
        self.products()[3..].iter().all(|&product| product == 0.0)
    }

    /// The squared length of a step along an axis.
    pub fn square(&self, axis: usize) -> f64 {
        self.gram[axis][axis]
    }

    /// The vector of a step, in a world that is turned.
    pub fn world(&self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        let u = &self.upper;
        [
            u[0][0] * x + u[0][1] * y + u[0][2] * z,
            u[1][1] * y + u[1][2] * z,
            u[2][2] * z,
        ]
    }

    /// The step of a vector.
    pub fn step(&self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        let u = &self.upper;
        let z = z / u[2][2];
        let y = (y - u[1][2] * z) / u[1][1];
        [(x - u[0][1] * y - u[0][2] * z) / u[0][0], y, z]
    }

    /// The squared length of a step.
    pub fn squared_length(&self, step: [f64; 3]) -> f64 {
        let g = &self.gram;
        let [x, y, z] = step;
        g[0][0] * x * x
            + g[1][1] * y * y
            + g[2][2] * z * z
            + 2.0 * (g[0][1] * x * y + g[0][2] * x * z + g[1][2] * y * z)
    }

    /// The length of a step.
    pub fn length(&self, step: [f64; 3]) -> f64 {
        self.squared_length(step).sqrt()
    }

    /// The upper triangle.
    pub fn upper(&self) -> &[[f64; 3]; 3] {
        &self.upper
    }
}
