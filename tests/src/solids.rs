//! Analytic solids as voxels.

use ferrovox::grid::{Geometry, Volume};
use nalgebra::{Point3, Rotation3, Vector3};
use std::sync::Arc;

type Inside = Arc<dyn Fn(Point3<f64>) -> bool + Send + Sync>;

/// Voxels between a solid and the border of its grid.
const MARGIN: f64 = 2.0;

/// Solid centred on the origin. Lengths are in voxels.
#[derive(Clone)]
pub struct Solid {
    /// Name for messages.
    pub name: String,
    /// Maximum extent from the origin along each axis.
    half_extent: Vector3<f64>,
    inside: Inside,
    /// Position of the origin in the grid, relative to the grid's centre.
    shift: Vector3<f64>,
}

fn squared(x: f64) -> f64 {
    x * x
}

/// Returns the distance of a point from the line through two others.
fn distance_to_line(point: Point3<f64>, [from, to]: [Point3<f64>; 2]) -> f64 {
    let along = to - from;
    let part = (point - from).dot(&along) / along.norm_squared().max(1e-300);
    (point - (from + along * part.clamp(0.0, 1.0))).norm()
}

fn distance_to_ring(point: Point3<f64>, major: f64) -> f64 {
    (point.x.hypot(point.y) - major).hypot(point.z)
}

impl Solid {
    /// Creates the solid of the points for which `inside` returns `true`, none of which may be
    /// farther from the origin than `half_extent` along any axis.
    pub fn new(
        name: impl Into<String>,
        half_extent: [f64; 3],
        inside: impl Fn(Point3<f64>) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            half_extent: half_extent.into(),
            inside: Arc::new(inside),
            shift: Vector3::zeros(),
        }
    }

    /// Creates a ball.
    pub fn ball(radius: f64) -> Self {
        Self::new(format!("ball {radius}"), [radius; 3], move |p| {
            p.coords.norm() <= radius
        })
    }

    /// Creates an ellipsoid with the given semi-axes.
    pub fn ellipsoid(axes: [f64; 3]) -> Self {
        Self::new(format!("ellipsoid {axes:?}"), axes, move |p| {
            (0..3).map(|k| squared(p[k] / axes[k])).sum::<f64>() <= 1.0
        })
    }

    /// Creates a box with the given half edge lengths.
    pub fn cuboid(half: [f64; 3]) -> Self {
        Self::new(format!("box {half:?}"), half, move |p| {
            (0..3).all(|k| p[k].abs() <= half[k])
        })
    }

    /// Creates a capsule: the points within `radius` of a segment of the given length along x.
    pub fn capsule(radius: f64, length: f64) -> Self {
        let half = length / 2.0;
        let axis = [Point3::new(-half, 0.0, 0.0), Point3::new(half, 0.0, 0.0)];
        let name = format!("capsule {radius}, axis {length}");
        Self::new(name, [half + radius, radius, radius], move |p| {
            distance_to_line(p, axis) <= radius
        })
    }

    /// Creates a cylinder along x.
    pub fn tube(radius: f64, length: f64) -> Self {
        let half = length / 2.0;
        let name = format!("tube {radius}, length {length}");
        Self::new(name, [half, radius, radius], move |p| {
            p.x.abs() <= half && p.y.hypot(p.z) <= radius
        })
    }

    /// Creates a torus about z with the given radii of the centre circle (`major`) and of the tube
    /// (`minor`).
    pub fn torus(major: f64, minor: f64) -> Self {
        let half_extent = [major + minor, major + minor, minor];
        Self::new(format!("torus {major}/{minor}"), half_extent, move |p| {
            distance_to_ring(p, major) <= minor
        })
    }

    /// Creates two tori side by side along x that share the tube between them.
    pub fn double_torus(major: f64, minor: f64) -> Self {
        let half_extent = [2.0 * major + minor, major + minor, minor];
        let name = format!("double torus {major}/{minor}");
        Self::new(name, half_extent, move |p| {
            let from = |x: f64| distance_to_ring(p - Vector3::new(x, 0.0, 0.0), major);
            from(major).min(from(-major)) <= minor
        })
    }

    /// Creates three capsules from the origin, in a plane and at equal angles.
    pub fn y_of_tubes(radius: f64, length: f64) -> Self {
        let half_extent = [length + radius, length + radius, radius];
        let end = |k: f64| {
            let angle = std::f64::consts::TAU * k / 3.0;
            Point3::new(length * angle.cos(), length * angle.sin(), 0.0)
        };
        let ends = [end(0.0), end(1.0), end(2.0)];
        Self::new(
            format!("Y {radius}, arms {length}"),
            half_extent,
            move |p| {
                let arms = ends.iter();
                arms.map(|&end| distance_to_line(p, [Point3::origin(), end]))
                    .any(|distance| distance <= radius)
            },
        )
    }

    /// Creates an L-shaped bar of square cross-section, 2·`half` wide, with two arms of the given
    /// length, measured along their outer sides.
    pub fn l_bar(half: f64, length: f64) -> Self {
        let name = format!("L {half}, arms {length}");
        let half_extent = [length / 2.0, length / 2.0, half];
        Self::new(name, half_extent, move |p| {
            // relative to the outer corner
            let (x, y) = (p.x + length / 2.0, p.y + length / 2.0);
            let within = |value: f64, max: f64| (0.0..=max).contains(&value);
            let arm = |along: f64, across: f64| within(along, length) && within(across, 2.0 * half);
            p.z.abs() <= half && (arm(x, y) || arm(y, x))
        })
    }

    /// Creates a ball with a concentric cavity.
    pub fn shell(outer: f64, inner: f64) -> Self {
        Self::new(format!("shell {outer}/{inner}"), [outer; 3], move |p| {
            (inner..=outer).contains(&p.coords.norm())
        })
    }

    /// Returns the solid rotated about an axis by an angle in radians.
    #[must_use]
    pub fn rotated(&self, axis: [f64; 3], angle: f64) -> Self {
        let axis = nalgebra::Unit::new_normalize(Vector3::from(axis));
        let turn = Rotation3::from_axis_angle(&axis, angle);
        let inside = Arc::clone(&self.inside);
        // bounding box of the rotated bounding box
        let half_extent = turn.matrix().abs() * self.half_extent;
        Self {
            name: format!("{}, turned by {angle}", self.name),
            half_extent,
            inside: Arc::new(move |p| inside(turn.inverse() * p)),
            shift: self.shift,
        }
    }

    /// Returns the solid shifted by any number of voxels.
    #[must_use]
    pub fn shifted(&self, by: [f64; 3]) -> Self {
        Self {
            name: format!("{}, moved by {by:?}", self.name),
            shift: self.shift + Vector3::from(by),
            ..self.clone()
        }
    }

    /// Returns `true` if a position in the grid, in voxel coordinates, is inside.
    pub fn contains(&self, voxel: Point3<f64>) -> bool {
        (self.inside)(voxel - self.origin().coords)
    }

    /// Returns the position of the origin in the grid, in voxel coordinates.
    pub fn origin(&self) -> Point3<f64> {
        let dims = self.dims().map(|count| (count as f64 - 1.0) / 2.0);
        Point3::from(dims) + self.shift
    }

    /// Returns the dimensions of the grid, including a margin: an odd number of voxels along each
    /// axis.
    pub fn dims(&self) -> [usize; 3] {
        let half_extent = self.half_extent + self.shift.abs();
        [half_extent.x, half_extent.y, half_extent.z]
            .map(|half| 2 * (half + MARGIN).ceil() as usize + 1)
    }

    /// Returns the mask of voxels whose centres are inside, at unit spacing.
    pub fn voxels(&self) -> Volume<u8> {
        self.voxels_in(Geometry::default())
    }

    /// Samples the solid, with lengths in world units, on a grid of the given spacing.
    pub fn voxels_spaced(&self, spacing: [f64; 3]) -> Volume<u8> {
        let half_extent = self.half_extent + self.shift.abs();
        let half = [0, 1, 2].map(|axis| (half_extent[axis] / spacing[axis] + MARGIN).ceil());
        let geometry = Geometry::from_spacing(spacing, [0.0; 3]).expect("a spacing");
        let dims = half.map(|half| 2 * half as usize + 1);
        Volume::from_fn(dims, geometry, |x, y, z| {
            let at = [x, y, z].map(|along| along as f64);
            let at = [0, 1, 2].map(|axis| (at[axis] - half[axis]) * spacing[axis]);
            u8::from((self.inside)(Point3::from(at) - self.shift))
        })
        .expect("a size")
    }

    /// Returns [`voxels`](Self::voxels) with a world geometry.
    pub fn voxels_in(&self, geometry: Geometry) -> Volume<u8> {
        let origin = self.origin().coords;
        Volume::from_fn(self.dims(), geometry, |x, y, z| {
            let voxel = Point3::new(x as f64, y as f64, z as f64);
            u8::from((self.inside)(voxel - origin))
        })
        .expect("a size")
    }
}
