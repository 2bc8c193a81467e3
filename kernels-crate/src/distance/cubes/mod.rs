//! Distance maps of sites sorted into cubes.
//!
//! | kernel | reads | writes |
//! | --- | --- | --- |
//! | [`count_in_cubes`] | sites | number of sites per cube of 32 × 32 × 32 voxels |
//! | exclusive scan of the counts | | offset of each cube's sites |
//! | [`sort_into_cubes`] | sites | sites ordered by cube |
//! | [`box_cubes`] | sorted sites | bounding box of each cube's sites |
//! | [`measure_nodes`] | boxes, sites of nearby cubes | distance at every brick's centre |
//! | [`measure_bricks`] | centre distances, boxes, nearby sites | distance of every voxel |
//!
//! A brick is 8 × 8 × 8 voxels, the unit of work of a block. Let `c` be its centre, `r` the
//! distance from there to its corners, `D` the distance to the nearest site, and `T` the maximum
//! distance that is searched. For a voxel `p` of the brick with `D(p) ≤ T` and nearest site `s`:
//!
//! - `D(c) ≤ D(p) + |p - c| ≤ T + r`. A brick with `D(c) > T + r` therefore has no such voxel and
//!   is skipped.
//! - `|p - s| = D(p) ≤ D(c) + r`. The distance from `s` to the brick is therefore at most `min(T,
//!   D(c) + r)`, and only sites within that distance have to be compared.
//!
//! Only actual sites are compared, so no distance is underestimated, and distances up to `T` are
//! exact. Rejection tests allow for rounding by enlarging lengths by a factor of 1 + 2⁻¹⁵.
//!
//! The distance map article instead marks cubes of side 32 as exact if they contain one of 27
//! points, a site displaced by -10, 0 or +10 along each axis. That finds every cube with a point
//! within 10 of the site: along each axis, a cube that intersects the interval of length 20 is too
//! long to lie inside it, so it contains one of its ends, and the 27 points include all
//! combinations of ends. The rule above uses the distance itself and smaller bricks: it rejects
//! more sites, and it is exact up to 36 instead of 10, for every voxel.
//!
//! # Distances beyond the exact range
//! Beyond `T` only the distances at the centres of the bricks are computed, themselves exact, with
//! the trilinear interpolation `E` between them. With its weights `w` and the centres `q`, `|E(p) -
//! D(p)| ≤ Σ w |D(q) - D(p)| ≤ Σ w |q - p| ≤ √(Σ w |q - p|²) ≤ 4·√(sx² + sy² + sz²)`, which is 6.93
//! for unit spacings. The overestimate is smaller: `D(p)² - |p|²` is a minimum of functions linear
//! in `p` and hence concave, so `Σ w D(q)² ≤ D(p)² + Σ w |q - p|²`, and since the mean of the roots
//! is at most the root of the mean, `E(p) ≤ √(D(p)² + 48) ≤ D(p) + 24/D(p)`: 0.67 from a distance
//! of 36 on. `E` is continuous, because neighbouring bricks interpolate between the same centres;
//! between 36 and 44 the map blends linearly from `D` to `E`.

mod bricks;
mod nodes;
mod sort;

pub use bricks::{Slab, measure_bricks};
pub use nodes::{Nodes, measure_nodes};
pub use sort::{Cubes, box_cubes, count_in_cubes, sort_into_cubes};

use super::metric::{Real, Scale};
use cuda_std::View;

/// Binary logarithm of the side of a cube of sites, in voxels: 2⁵ = 32.
pub const CUBE_SIDE_LOG2: u32 = 5;
/// Side of a brick, in voxels.
pub const BRICK: u32 = 8;
/// Distance up to which the map is exact, in voxels along the axis with the smallest spacing.
pub const TARGET_MAX_DIST: f64 = 36.0;
/// Length of the transition from exact to estimated distances, in voxels along the axis with the
/// smallest spacing.
pub const BLEND: f64 = 8.0;

/// Factor by which lengths are enlarged in rejection tests, to allow for rounding.
const SLACK: f32 = 1.0 + 1.0 / 32768.0;

/// Radii of the search for sites, in units of [`Scale`].
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchRadii {
    /// Unit, voxel size and maximum distance.
    pub scale: Scale,
    /// Largest distance that is exact.
    pub exact_max: f64,
    /// Largest distance that is searched. Equal to `exact_max` if the maximum distance leaves no
    /// room for estimates.
    pub search_max: f64,
    /// Largest distance that is computed at the centres of bricks.
    pub node_max: f64,
}

impl SearchRadii {
    /// Creates the radii for all distances up to the maximum distance of `scale`, exact up to
    /// [`TARGET_MAX_DIST`].
    pub fn new(scale: Scale) -> Self {
        let smallest = scale.factors.into_iter().fold(f64::INFINITY, f64::min);
        let max_distance = scale.max_distance / scale.unit;
        let target = smallest * TARGET_MAX_DIST;
        let (exact_max, search_max) = if max_distance <= target {
            (max_distance, max_distance)
        } else {
            (target, target + smallest * BLEND)
        };
        // Voxels within it lie between brick centres whose distances exceed the maximum
        // distance by at most a brick's diagonal.
        let [x, y, z] = scale.factors;
        let diagonal = f64::from(BRICK) * cuda_std::GpuFloat::sqrt(x * x + y * y + z * z);
        Self {
            scale,
            exact_max,
            search_max,
            node_max: max_distance + diagonal,
        }
    }

    /// Returns the voxel size in units.
    #[inline(always)]
    fn factors<C: Real>(&self) -> [C; 3] {
        let [x, y, z] = self.scale.factors;
        [C::narrow(x), C::narrow(y), C::narrow(z)]
    }

    /// Returns the distance from the centre of a brick to the centres of its corner voxels, in
    /// units.
    #[inline(always)]
    fn brick_radius(&self) -> f32 {
        let [x, y, z] = self.scale.factors;
        let side = (BRICK - 1) as f64 / 2.0;
        (side * cuda_std::GpuFloat::sqrt(x * x + y * y + z * z)) as f32
    }
}

/// Axis-aligned box.
#[derive(Clone, Copy)]
struct Bounds<C> {
    low: [C; 3],
    high: [C; 3],
}

impl Bounds<f32> {
    /// Reads the bounding box of the sites of a cube.
    #[inline(always)]
    fn read(boxes: View<f32>, cube: usize) -> Self {
        let at = cube * 6;
        Self {
            low: [boxes.read(at), boxes.read(at + 1), boxes.read(at + 2)],
            high: [boxes.read(at + 3), boxes.read(at + 4), boxes.read(at + 5)],
        }
    }

    /// Returns the squared maximum distance between points of two boxes.
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn farthest_squared(&self, other: &Self, factors: [f32; 3]) -> f32 {
        let along = |low: f32, high: f32, low2: f32, high2: f32, factor: f32| {
            let (forward, backward) = (high2 - low, high - low2);
            let along = factor
                * if forward > backward {
                    forward
                } else {
                    backward
                };
            along * along
        };
        let ([lx, ly, lz], [hx, hy, hz]) = (self.low, self.high);
        let ([ox, oy, oz], [px, py, pz]) = (other.low, other.high);
        along(lx, hx, ox, px, factors[0])
            + along(ly, hy, oy, py, factors[1])
            + along(lz, hz, oz, pz, factors[2])
    }
}

impl<C: Real> Bounds<C> {
    /// Returns the squared minimum distance between points of two boxes.
    #[cuda_std::inline_closures]
    #[inline(always)]
    fn nearest_squared(&self, other: &Self, factors: [C; 3]) -> C {
        let along = |low: C, high: C, low2: C, high2: C, factor: C| {
            if low2 > high {
                C::squared_along(factor, low2, high)
            } else if low > high2 {
                C::squared_along(factor, low, high2)
            } else {
                C::ZERO
            }
        };
        let ([lx, ly, lz], [hx, hy, hz]) = (self.low, self.high);
        let ([ox, oy, oz], [px, py, pz]) = (other.low, other.high);
        along(lx, hx, ox, px, factors[0])
            .plus(along(ly, hy, oy, py, factors[1]))
            .plus(along(lz, hz, oz, pz, factors[2]))
    }
}
