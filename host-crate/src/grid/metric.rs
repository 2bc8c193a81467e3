//! World lengths of steps between voxels, on anisotropic and oblique grids.

use super::{Geometry, shear::ROUNDING};
use nalgebra::{Matrix3, Vector3};

/// Denominator that squared lengths are rounded to, so that geometries that differ by rounding
/// (after a rotation, or stored in fewer bits) have the same ties.
const SQUARED_LENGTH_DENOMINATOR: f64 = (1u64 << 20) as f64;

/// Scalar product of steps between voxels, in units of the smallest spacing squared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Metric {
    /// Gram matrix: scalar products of the axes.
    gram: [[f64; 3]; 3],
    /// Upper triangular matrix whose columns are the rotated axes.
    upper: [[f64; 3]; 3],
}

impl Metric {
    /// Returns the unrounded metric of a geometry, and its smallest spacing.
    pub fn exact(geometry: &Geometry) -> (Self, f64) {
        let smallest = geometry.spacing().min();
        let axes = geometry.axes() / smallest;
        let mut gram = [[0.0; 3]; 3];
        for (row, values) in gram.iter_mut().enumerate() {
            for (column, value) in values.iter_mut().enumerate() {
                *value = axes.column(row).dot(&axes.column(column));
            }
        }
        let mut upper = [[0.0; 3]; 3];
        let mut rotated: [Vector3<f64>; 3] = [Vector3::zeros(); 3];
        for axis in 0..3 {
            let mut remainder = axes.column(axis).into_owned();
            for before in 0..axis {
                let along = rotated[before].dot(&remainder);
                upper[before][axis] = along;
                remainder -= rotated[before] * along;
            }
            upper[axis][axis] = remainder.norm();
            rotated[axis] = remainder / upper[axis][axis];
        }
        (Self { gram, upper }, smallest)
    }

    /// Returns the metric of a geometry with rounded squared lengths, and its smallest spacing.
    pub fn rounded(geometry: &Geometry) -> (Self, f64) {
        let spacing = geometry.spacing();
        let smallest = spacing.min();
        let axes = geometry.axes() / smallest;
        let product = axes.transpose() * axes;
        let mut gram = [[0.0; 3]; 3];
        for (row, values) in gram.iter_mut().enumerate() {
            for (column, value) in values.iter_mut().enumerate() {
                *value = (product[(row, column)] * SQUARED_LENGTH_DENOMINATOR).round()
                    / SQUARED_LENGTH_DENOMINATOR
                    + 0.0;
            }
        }
        (Self::new(gram), smallest)
    }

    /// Returns the metric of a geometry, and its smallest spacing, unrounded with two
    /// exceptions: axes at right angles up to rounding become orthogonal, and a spacing that equals
    /// the smallest one up to rounding becomes equal to it. Nearly cubic voxels become cubes.
    pub fn snapped(geometry: &Geometry) -> (Self, f64) {
        if geometry.shear().is_some() {
            return Self::exact(geometry);
        }
        let spacing = geometry.spacing();
        let smallest = spacing.min();
        let lengths = spacing.map(|length| length / smallest);
        let snapped = lengths.map(|length| {
            if length - 1.0 <= ROUNDING {
                1.0
            } else {
                length
            }
        });
        (Self::orthogonal(snapped.into()), smallest)
    }

    /// Returns the metric of cubic voxels.
    pub fn cubic() -> Self {
        Self::orthogonal([1.0; 3])
    }

    fn orthogonal(lengths: [f64; 3]) -> Self {
        let (mut gram, mut upper) = ([[0.0; 3]; 3], [[0.0; 3]; 3]);
        for axis in 0..3 {
            gram[axis][axis] = lengths[axis] * lengths[axis];
            upper[axis][axis] = lengths[axis];
        }
        Self { gram, upper }
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
            // the axes are nearly coplanar: treated as if they were at right angles
            None => {
                for axis in 0..3 {
                    upper[axis][axis] = gram[axis][axis].sqrt();
                }
            }
        }
        Self { gram, upper }
    }

    /// Permutes the axes: axis k of the result is axis `order[k]` of this metric, reversed if
    /// `flips[k]` is set.
    pub fn permute_axes(&self, order: [usize; 3], flips: [bool; 3]) -> Self {
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

    /// Returns the scalar products of the axes: xx, yy, zz, xy, xz, yz.
    pub fn products(&self) -> [f64; 6] {
        let g = &self.gram;
        [g[0][0], g[1][1], g[2][2], g[0][1], g[0][2], g[1][2]]
    }

    /// Returns `true` if the axes are at right angles.
    pub fn is_diagonal(&self) -> bool {
        self.products()[3..].iter().all(|&product| product == 0.0)
    }

    /// Returns the metric of steps that are shorter along each axis by these factors.
    pub fn divided(&self, by: [f64; 3]) -> Self {
        let mut divided = *self;
        for row in 0..3 {
            for column in 0..3 {
                divided.gram[row][column] /= by[row] * by[column];
                divided.upper[row][column] /= by[column];
            }
        }
        divided
    }

    /// Returns `true` if voxels are cubes.
    pub fn is_cubic(&self) -> bool {
        self.products() == [1.0, 1.0, 1.0, 0.0, 0.0, 0.0]
    }

    /// Returns the squared length of a step along an axis.
    pub fn squared_spacing(&self, axis: usize) -> f64 {
        self.gram[axis][axis]
    }

    /// Converts a step between voxels to a vector in the rotated world.
    pub fn to_world<V: Into<[f64; 3]> + From<[f64; 3]>>(self, step: V) -> V {
        let [x, y, z] = step.into();
        let u = &self.upper;
        V::from([
            u[0][0] * x + u[0][1] * y + u[0][2] * z,
            u[1][1] * y + u[1][2] * z,
            u[2][2] * z,
        ])
    }

    /// Converts a vector in the rotated world to a step between voxels.
    pub fn to_voxels<V: Into<[f64; 3]> + From<[f64; 3]>>(self, vector: V) -> V {
        let [x, y, z] = vector.into();
        let u = &self.upper;
        let z = z / u[2][2];
        let y = (y - u[1][2] * z) / u[1][1];
        V::from([(x - u[0][1] * y - u[0][2] * z) / u[0][0], y, z])
    }

    /// Returns the squared length of a step.
    pub fn squared_length(&self, step: [f64; 3]) -> f64 {
        let g = &self.gram;
        let [x, y, z] = step;
        g[0][0] * x * x
            + g[1][1] * y * y
            + g[2][2] * z * z
            + 2.0 * (g[0][1] * x * y + g[0][2] * x * z + g[1][2] * y * z)
    }

    /// Returns the length of a step.
    pub fn length(&self, step: [f64; 3]) -> f64 {
        self.squared_length(step).sqrt()
    }

    /// Returns half of the gradient of the squared length of a step.
    pub fn slopes(&self, [x, y, z]: [f64; 3]) -> [f64; 3] {
        self.gram
            .map(|[along_x, along_y, along_z]| along_x * x + along_y * y + along_z * z)
    }

    /// Returns the half extent of a ball of radius 1 along each axis, in steps.
    pub fn unit_ball_extent(&self) -> [f64; 3] {
        let steps = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
            .map(|direction: [f64; 3]| self.to_voxels(direction));
        [0, 1, 2].map(|axis| {
            let squared: f64 = steps.iter().map(|step| step[axis] * step[axis]).sum();
            squared.sqrt()
        })
    }

    /// Returns the upper triangular matrix.
    pub fn upper(&self) -> &[[f64; 3]; 3] {
        &self.upper
    }

    /// Returns seven steps that, together with their opposites, include all Voronoi-relevant ones:
    /// the steps to the neighbours across the faces of a voxel's Voronoi cell (Selling 1874).
    pub fn voronoi_steps(&self) -> [[i64; 3]; 7] {
        let mut basis = [[1, 0, 0], [0, 1, 0], [0, 0, 1], [-1, -1, -1]];
        let product = |a: [i64; 3], b: [i64; 3]| -> f64 {
            (0..9)
                .map(|k| self.gram[k / 3][k % 3] * a[k / 3] as f64 * b[k % 3] as f64)
                .sum()
        };
        // each iteration reduces the sum of the squared lengths; the number of iterations is
        // limited for nearly flat grids
        for _ in 0..1000 {
            let pairs = (0..4).flat_map(|i| (i + 1..4).map(move |j| [i, j]));
            let acute = pairs
                .map(|[i, j]| (product(basis[i], basis[j]), [i, j]))
                .max_by(|one, other| one.0.total_cmp(&other.0));
            let Some((max_product, [i, j])) = acute else {
                break;
            };
            if max_product <= 1e-12 {
                break;
            }
            let reversed = basis[i];
            for (k, step) in basis.iter_mut().enumerate() {
                if k == i {
                    *step = reversed.map(|n| -n);
                } else if k != j {
                    *step = [0, 1, 2].map(|axis| step[axis] + reversed[axis]);
                }
            }
        }
        let [a, b, c, d] = basis;
        let sum = |one: [i64; 3], other: [i64; 3]| [0, 1, 2].map(|axis| one[axis] + other[axis]);
        [a, b, c, d, sum(a, b), sum(a, c), sum(b, c)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn geometry(axes: [[f64; 3]; 3]) -> Geometry {
        Geometry::new(Matrix3::from_fn(|r, c| axes[r][c]), Vector3::zeros()).unwrap()
    }

    #[test]
    fn upper_triangle_preserves_world_lengths() {
        let tilted = geometry([[0.3, -0.1, 2.0], [-0.9, 0.2, 0.1], [0.1, 1.5, 3.0]]);
        let (metric, smallest) = Metric::exact(&tilted);
        for step in [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [3.0, -4.0, 5.0]] {
            let length = (tilted.axes() * Vector3::from(step)).norm() / smallest;
            assert!((metric.length(step) - length).abs() < 1e-12 * length);
            let world = Vector3::from(metric.to_world(step)).norm();
            assert!((world - length).abs() < 1e-12 * length);
        }
    }

    #[test]
    fn slopes_are_half_gradients_and_the_extent_bounds_the_ball() {
        let tilted = geometry([[0.3, -0.1, 2.0], [-0.9, 0.2, 0.1], [0.1, 1.5, 3.0]]);
        let (metric, smallest) = Metric::exact(&tilted);
        let step = [3.0, -4.0, 5.0];
        let back = tilted.axes().try_inverse().unwrap() * smallest;
        for axis in 0..3 {
            let mut next = step;
            next[axis] += 1.0;
            let grown = metric.squared_length(next) - metric.squared_length(step);
            let expected = 2.0 * metric.slopes(step)[axis] + metric.squared_spacing(axis);
            assert!((grown - expected).abs() < 1e-9, "{grown} {expected}");
            // of all unit vectors the farthest along an axis
            assert!((back.row(axis).norm() - metric.unit_ball_extent()[axis]).abs() < 1e-12);
        }
        let half = metric.divided([1.0, 2.0, 4.0]);
        let [x, y, z] = step;
        let lengths = [metric.length(step), half.length([x, 2.0 * y, 4.0 * z])];
        assert!((lengths[0] - lengths[1]).abs() < 1e-12);
        let world = Vector3::from(half.to_world([x, 2.0 * y, 4.0 * z]));
        assert!((world - Vector3::from(metric.to_world(step))).norm() < 1e-12);
    }

    #[test]
    fn nearly_cubic_voxels_become_cubes() {
        let stored = |spacing: [f64; 3]| {
            let turn = nalgebra::Rotation3::from_euler_angles(0.3, -1.1, 2.5);
            let axes = turn.matrix() * Matrix3::from_diagonal(&spacing.into());
            let stored = axes.map(|value| f64::from(value as f32));
            Metric::snapped(&Geometry::new(stored, Vector3::zeros()).unwrap()).0
        };
        assert!(stored([0.7; 3]).is_cubic());
        assert!(!stored([0.7, 0.7, 0.7001]).is_cubic());
        let flat = stored([0.5, 0.5, 2.5]);
        assert!(flat.is_diagonal() && (flat.squared_spacing(2) - 25.0).abs() < 1e-5);
        let tilted = geometry([[1.0, 0.0, 0.0], [0.0, 1.0, 1.0], [0.0, 0.0, 1.0]]);
        assert_eq!(Metric::snapped(&tilted), Metric::exact(&tilted));
        let cubes = Metric::snapped(&Geometry::default()).0;
        assert_eq!(cubes.to_world([1.0, -2.0, 3.0]), [1.0, -2.0, 3.0]);
    }

    /// Every other voxel is farther away than one of these neighbours.
    #[test]
    fn points_outside_a_voronoi_cell_are_nearer_to_a_neighbour() {
        let grids = [
            [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
            [[1.0, 0.0, 0.0], [0.0, 1.0, 1.0], [0.0, 0.0, 1.0]],
            [[1.0, 0.3, 2.7], [0.0, 1.0, -3.4], [0.0, 0.0, 0.5]],
            [[0.4, -0.9, 0.1], [1.0, 0.3, 0.0], [0.2, 0.2, 6.0]],
            [[-1.0, 0.5, 0.5], [0.0, 0.8, 0.3], [0.0, 0.0, 0.8]],
        ];
        for axes in grids {
            let (metric, _) = Metric::exact(&geometry(axes));
            let voronoi_steps = metric.voronoi_steps();
            for index in 0..13 * 13 * 13 {
                let step = [index % 13 - 6, index / 13 % 13 - 6, index / 169 - 6];
                if step == [0; 3] {
                    continue;
                }
                let length = |step: [i64; 3]| metric.squared_length(step.map(|n| n as f64));
                let is_nearer = voronoi_steps.iter().any(|by| {
                    let less = [0, 1, 2].map(|axis| step[axis] - by[axis]);
                    let more = [0, 1, 2].map(|axis| step[axis] + by[axis]);
                    length(less).min(length(more)) < length(step)
                });
                assert!(is_nearer, "{axes:?} {step:?}");
            }
        }
    }
}
