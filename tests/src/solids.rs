//! Solids whose shape is known, as voxels.

use ferrovox::grid::{Geometry, Volume};
use nalgebra::{Point3, Rotation3, Vector3};
use std::sync::Arc;

type Inside = Arc<dyn Fn(Point3<f64>) -> bool + Send + Sync>;

/// Voxels between a solid and the border of its grid.
const MARGIN: f64 = 2.0;

/// A solid about the origin. Lengths are in voxels.
#[derive(Clone)]
pub struct Solid {
    /// For messages.
    pub name: String,
    /// How far it reaches from the origin along each axis, at most.
    reach: Vector3<f64>,
    inside: Inside,
    /// Where in the grid its origin lies, beside the grid's centre.
    shift: Vector3<f64>,
}

fn square(x: f64) -> f64 {
    x * x
}

/// The distance of a point from the line between two others.
fn to_line(point: Point3<f64>, [from, to]: [Point3<f64>; 2]) -> f64 {
    let along = to - from;
    let part = (point - from).dot(&along) / along.norm_squared().max(1e-300);
    (point - (from + along * part.clamp(0.0, 1.0))).norm()
}

fn to_ring(point: Point3<f64>, major: f64) -> f64 {
    (point.x.hypot(point.y) - major).hypot(point.z)
}

impl Solid {
    /// The points that `inside` says yes to, none of which is farther from the origin than `reach`
    /// along an axis.
    pub fn new(
        name: impl Into<String>,
        reach: [f64; 3],
        inside: impl Fn(Point3<f64>) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            reach: reach.into(),
            inside: Arc::new(inside),
            shift: Vector3::zeros(),
        }
    }

    /// A ball.
    pub fn ball(radius: f64) -> Self {
        Self::new(format!("ball {radius}"), [radius; 3], move |p| {
            p.coords.norm() <= radius
        })
    }

    /// An ellipsoid with these semi-axes.
    pub fn ellipsoid(axes: [f64; 3]) -> Self {
        Self::new(format!("ellipsoid {axes:?}"), axes, move |p| {
            (0..3).map(|k| square(p[k] / axes[k])).sum::<f64>() <= 1.0
        })
    }

    /// A box with these half sides.
    pub fn cuboid(half: [f64; 3]) -> Self {
        Self::new(format!("box {half:?}"), half, move |p| {
            (0..3).all(|k| p[k].abs() <= half[k])
        })
    }

    /// A capsule: what is no farther than `radius` from an axis of this length along x.
    pub fn capsule(radius: f64, length: f64) -> Self {
        let half = length / 2.0;
        let axis = [Point3::new(-half, 0.0, 0.0), Point3::new(half, 0.0, 0.0)];
        let name = format!("capsule {radius}, axis {length}");
        Self::new(name, [half + radius, radius, radius], move |p| {
            to_line(p, axis) <= radius
        })
    }

    /// A tube with flat ends, along x.
    pub fn tube(radius: f64, length: f64) -> Self {
        let half = length / 2.0;
        let name = format!("tube {radius}, length {length}");
        Self::new(name, [half, radius, radius], move |p| {
            p.x.abs() <= half && p.y.hypot(p.z) <= radius
        })
    }

    /// A torus about z: `minor` is the radius of the tube, `major` that of its middle.
    pub fn torus(major: f64, minor: f64) -> Self {
        let reach = [major + minor, major + minor, minor];
        Self::new(format!("torus {major}/{minor}"), reach, move |p| {
            to_ring(p, major) <= minor
        })
    }

    /// Two tori side by side along x, which share the tube between them.
    pub fn double_torus(major: f64, minor: f64) -> Self {
        let reach = [2.0 * major + minor, major + minor, minor];
        let name = format!("double torus {major}/{minor}");
        Self::new(name, reach, move |p| {
            let from = |x: f64| to_ring(p - Vector3::new(x, 0.0, 0.0), major);
            from(major).min(from(-major)) <= minor
        })
    }

    /// Three capsules from the origin, in a plane and at equal angles.
    pub fn y_of_tubes(radius: f64, length: f64) -> Self {
        let reach = [length + radius, length + radius, radius];
        let end = |k: f64| {
            let angle = std::f64::consts::TAU * k / 3.0;
            Point3::new(length * angle.cos(), length * angle.sin(), 0.0)
        };
        let ends = [end(0.0), end(1.0), end(2.0)];
        Self::new(format!("Y {radius}, arms {length}"), reach, move |p| {
            let arms = ends.iter();
            arms.map(|&end| to_line(p, [Point3::origin(), end]))
                .any(|distance| distance <= radius)
        })
    }

    /// A bar of square section, 2·`half` wide, with a corner: two arms of this length, measured
    /// along their outer sides.
    pub fn l_bar(half: f64, length: f64) -> Self {
        let name = format!("L {half}, arms {length}");
        let reach = [length / 2.0, length / 2.0, half];
        Self::new(name, reach, move |p| {
            // from the outer corner
            let (x, y) = (p.x + length / 2.0, p.y + length / 2.0);
            let within = |value: f64, most: f64| (0.0..=most).contains(&value);
            let arm = |along: f64, across: f64| within(along, length) && within(across, 2.0 * half);
            p.z.abs() <= half && (arm(x, y) || arm(y, x))
        })
    }

    /// A ball with a concentric cavity.
    pub fn shell(outer: f64, inner: f64) -> Self {
        Self::new(format!("shell {outer}/{inner}"), [outer; 3], move |p| {
            (inner..=outer).contains(&p.coords.norm())
        })
    }

    /// It turned about an axis by an angle in radians.
    #[must_use]
    pub fn turned(&self, axis: [f64; 3], angle: f64) -> Self {
        let axis = nalgebra::Unit::new_normalize(Vector3::from(axis));
        let turn = Rotation3::from_axis_angle(&axis, angle);
        let inside = Arc::clone(&self.inside);
        // the box about the turned box
        let reach = turn.matrix().abs() * self.reach;
        Self {
            name: format!("{}, turned by {angle}", self.name),
            reach,
            inside: Arc::new(move |p| inside(turn.inverse() * p)),
            shift: self.shift,
        }
    }

    /// It moved by so many voxels, whole or not.
    #[must_use]
    pub fn shifted(&self, by: [f64; 3]) -> Self {
        Self {
            name: format!("{}, moved by {by:?}", self.name),
            shift: self.shift + Vector3::from(by),
            ..self.clone()
        }
    }

    /// Whether a place in the grid, in voxels, is inside.
    pub fn contains(&self, voxel: Point3<f64>) -> bool {
        (self.inside)(voxel - self.origin().coords)
    }

    /// Where its origin is in its grid, in voxels.
    pub fn origin(&self) -> Point3<f64> {
        let dims = self.dims().map(|count| (count as f64 - 1.0) / 2.0);
        Point3::from(dims) + self.shift
    }

    /// The grid that it has, with room around it: an odd number of voxels along each axis.
    pub fn dims(&self) -> [usize; 3] {
        let reach = self.reach + self.shift.abs();
        [reach.x, reach.y, reach.z].map(|half| 2 * (half + MARGIN).ceil() as usize + 1)
    }

    /// 1 where a voxel's centre is inside.
    pub fn voxels(&self) -> Volume<u8> {
        self.voxels_in(Geometry::default())
    }

    /// [`voxels`](Self::voxels) with a place in the world.
    pub fn voxels_in(&self, geometry: Geometry) -> Volume<u8> {
        let origin = self.origin().coords;
        Volume::from_fn(self.dims(), geometry, |x, y, z| {
            let voxel = Point3::new(x as f64, y as f64, z as f64);
            u8::from((self.inside)(voxel - origin))
        })
        .expect("a size")
    }
}
