//! Distances through cubes of sites.
//!
//! | kernel | reads | writes |
//! | --- | --- | --- |
//! | [`count_in_cubes`] | sites | how many are in each cube of 32 × 32 × 32 |
//! | a scan of the counts | | where each cube's sites go |
//! | [`sort_into_cubes`] | sites | the same, cube after cube |
//! | [`box_cubes`] | sorted sites | the box that a cube's sites fill |
//! | [`measure_nodes`] | boxes, sites of cubes in reach | the distance at every brick's centre |
//! | [`measure_bricks`] | those, boxes, sites of cubes in reach | the distance of every voxel |
//!
//! A brick is 8 × 8 × 8 voxels, the work that a block takes at a time. Let `c` be its centre, `r`
//! the distance from there to its corners, `D` the distance to the nearest site, and `T` the
//! distance that is searched. For a voxel `p` of the brick with `D(p) ≤ T` and a nearest site `s`
//! of it:
//!
//! - `D(c) ≤ D(p) + |p - c| ≤ T + r`. So a brick with `D(c) > T + r` has no such voxel, and is not
//!   searched.
//! - `|p - s| = D(p) ≤ D(c) + r`. So the distance from `s` to the brick is at most
//!   `min(T, D(c) + r)`, and the sites within that are all that have to be compared.
//!
//! What is compared are sites, so no distance comes out too small, and those up to `T` are exact.
//! Comparisons that leave sites out allow for rounding: they are done with lengths that are longer
//! by 1/2¹⁵.
//!
//! The distance map article instead marks cubes of 32 as exact: those with one of 27 places, a site
//! moved by -10, 0 or +10 along each axis. That finds every cube with a point within 10 of the
//! site, since along an axis a cube that meets the 20 between -10 and +10 is too long to lie
//! inside, so it has one of the ends; and the places have all choices of ends. The rule above takes
//! the distance itself and smaller pieces: it leaves out more, and what is exact does not end at 10
//! but at 36, for every voxel.
//!
//! # Farther away
//! Beyond `T` there are the distances at the centres of the bricks, themselves exact, and between
//! them the trilinear interpolation `E`. With `w` its weights and `q` the centres,
//! `|E(p) - D(p)| ≤ Σ w |D(q) - D(p)| ≤ Σ w |q - p| ≤ √(Σ w |q - p|²) ≤ 4·√(sx² + sy² + sz²)`: 6.93
//! for spacings of 1. Above `D` it is even less: `D(p)² - |p|²`, a minimum of functions linear in
//! `p`, is concave, so `Σ w D(q)² ≤ D(p)² + Σ w |q - p|²`, and the mean of the roots is no more
//! than the root of the mean: `E(p) ≤ √(D(p)² + 48) ≤ D(p) + 24/D(p)`, 0.67 from 36 on. It is
//! continuous, since neighbouring bricks interpolate between the same centres; and from 36 to 44
//! the map goes over from `D` to `E` in proportion.

mod bricks;
mod nodes;
mod sort;

pub use bricks::{Slab, measure_bricks};
pub use nodes::{Nodes, measure_nodes};
pub use sort::{Cubes, box_cubes, count_in_cubes, sort_into_cubes};

use super::measure::{Real, Scale};
use cuda_std::View;

/// The side of a cube of sites is 2 to this power of voxels: 32.
pub const CUBE_POWER: u32 = 5;
/// The side of a brick of voxels.
pub const BRICK: u32 = 8;
/// Up to this the map is exact, in voxels along the axis on which they are shortest.
pub const TARGET_MAX_DIST: f64 = 36.0;
/// Over this length the map goes over from exact to estimated distances, in the same unit.
pub const BLEND: f64 = 8.0;

/// What lengths are multiplied by before anything is left out because it is farther away.
const SLACK: f32 = 1.0 + 1.0 / 32768.0;

/// How far sites are searched, in units of [`Scale`].
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Search {
    /// How lengths are measured.
    pub scale: Scale,
    /// Distances up to this are exact.
    pub exact: f64,
    /// Distances up to this are found. The same as `exact` if there are no estimates, because the
    /// bound is not beyond.
    pub searched: f64,
    /// Distances up to this are found at the centres of bricks.
    pub at_nodes: f64,
}

impl Search {
    /// All up to the bound of the scale, of which [`TARGET_MAX_DIST`] exactly.
    pub fn new(scale: Scale) -> Self {
        let least = scale.factors.into_iter().fold(f64::INFINITY, f64::min);
        let bound = scale.bound / scale.unit;
        let target = least * TARGET_MAX_DIST;
        let (exact, searched) = if bound <= target {
            (bound, bound)
        } else {
            (target, target + least * BLEND)
        };
        // voxels within the bound are between centres that are farther by no more than the diagonal
        // of a brick
        let [x, y, z] = scale.factors;
        let diagonal = f64::from(BRICK) * cuda_std::GpuFloat::sqrt(x * x + y * y + z * z);
        Self {
            scale,
            exact,
            searched,
            at_nodes: bound + diagonal,
        }
    }

    /// The scale's factors.
    #[inline(always)]
    fn factors<C: Real>(&self) -> [C; 3] {
        let [x, y, z] = self.scale.factors;
        [C::narrow(x), C::narrow(y), C::narrow(z)]
    }

    /// From the centre of a brick to the centres of the voxels in its corners.
    #[inline(always)]
    fn brick_radius(&self) -> f32 {
        let [x, y, z] = self.scale.factors;
        let side = (BRICK - 1) as f64 / 2.0;
        (side * cuda_std::GpuFloat::sqrt(x * x + y * y + z * z)) as f32
    }
}

/// A box with its faces along the axes.
#[derive(Clone, Copy)]
struct Bounds<C> {
    low: [C; 3],
    high: [C; 3],
}

impl Bounds<f32> {
    /// The box that the sites of a cube fill.
    #[inline(always)]
    fn of_cube(boxes: View<f32>, cube: usize) -> Self {
        let at = cube * 6;
        Self {
            low: [boxes.read(at), boxes.read(at + 1), boxes.read(at + 2)],
            high: [boxes.read(at + 3), boxes.read(at + 4), boxes.read(at + 5)],
        }
    }

    /// The square of the largest distance between two points of two boxes.
    #[inline(always)]
    fn farthest_squared(&self, other: &Self, factors: [f32; 3]) -> f32 {
        let along = |low: f32, high: f32, low2: f32, high2: f32, factor: f32| {
            let (one, two) = (high2 - low, high - low2);
            let along = factor * if one > two { one } else { two };
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
    /// The square of the least distance between two points of two boxes.
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
