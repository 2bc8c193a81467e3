//! Simple objects: rods, arms, rings.

use super::{Axis, Grid, ReferenceObject, Tubes};
use crate::noise::Noise;
use nalgebra::{Point3, Vector3};
use std::f64::consts::TAU;

/// Creates a rod with flat ends centred on the origin. One component.
pub fn rod(direction: [f64; 3], radius: f64, length: f64, grid: Grid) -> ReferenceObject {
    let half = Vector3::from(direction).normalize() * (length / 2.0);
    let axis = Axis::straight(Point3::origin() - half, Point3::origin() + half, radius);
    let tubes = Tubes {
        axes: vec![axis],
        flat_ends: true,
        ..Tubes::default()
    };
    let [x, y, z] = direction;
    tubes
        .voxelize(
            format!("rod {radius} x {length} along ({x}, {y}, {z})"),
            0,
            grid,
        )
        .with_betti(1, 0, 0)
        .with_ends(2)
}

/// Directions in which rods are tested: the grid's axes, and three between them.
pub const DIRECTIONS: [[f64; 3]; 6] = [
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [1.0, 1.0, 0.0],
    [1.0, 0.0, 1.0],
    [1.0, 2.0, 3.0],
];

/// Creates a tube with round ends that starts at the origin. One component.
pub fn tube(direction: [f64; 3], radius: f64, length: f64, grid: Grid) -> ReferenceObject {
    let end = Point3::from(Vector3::from(direction).normalize() * length);
    let axis = Axis::straight(Point3::origin(), end, radius);
    Tubes::round(vec![axis])
        .voxelize(format!("tube {radius} x {length}"), 0, grid)
        .with_betti(1, 0, 0)
        .with_ends(2)
}

/// Creates tubes from the origin in directions at least 50 degrees apart. One component, no tunnel.
pub fn arms(count: usize, radius: f64, length: f64, seed: u64, grid: Grid) -> ReferenceObject {
    let mut noise = Noise(seed);
    let mut directions: Vec<Vector3<f64>> = Vec::new();
    // with five arms few directions may remain; then all are drawn again
    let mut tries = 0;
    while directions.len() < count {
        let next = noise.direction();
        tries += 1;
        if tries % 100 == 0 {
            directions.clear();
        }
        if directions.iter().all(|one| one.angle(&next) > 0.873) {
            directions.push(next);
        }
    }
    let axes = directions.into_iter().map(|direction| {
        let end = Point3::from(direction * (length * noise.between(0.8, 1.2)));
        Axis::straight(Point3::origin(), end, radius)
    });
    let tubes = Tubes::round(axes.collect());
    let mut reference = tubes
        .voxelize(format!("{count} arms of {radius}"), seed, grid)
        .with_ends(count);
    reference.length_allowance /= 2.0;
    reference
}

/// Creates a T of a tube of radius 4 and length 60, and one of radius 2.5 and length 42 attached to
/// its middle. One component, no tunnel.
pub fn t_of_tubes(grid: Grid) -> ReferenceObject {
    let at = |x, y| Point3::new(x, y, 0.0);
    let axes = vec![
        Axis::straight(at(-30.0, 0.0), at(30.0, 0.0), 4.0),
        Axis::straight(at(0.0, 0.0), at(0.0, 42.0), 2.5),
    ];
    let mut reference = Tubes::round(axes)
        .voxelize("T of tubes 4 and 2.5", 0, grid)
        .with_betti(1, 0, 0)
        .with_ends(3);
    reference.length_allowance -= 2.5;
    reference
}

/// Creates a trunk of radius 4 and length 80, and a branch of radius 1.5 that protrudes by 42. One
/// component, no tunnel.
pub fn thin_branch(grid: Grid) -> ReferenceObject {
    let at = |x, y, z| Point3::new(x, y, z);
    let branch = Vector3::new(0.4, 1.0, 0.3).normalize() * 46.0;
    let from = at(5.0, 0.0, 0.0);
    let axes = vec![
        Axis::straight(at(-40.0, 0.0, 0.0), at(40.0, 0.0, 0.0), 4.0),
        Axis::straight(from, from + branch, 1.5),
    ];
    let mut reference = Tubes::round(axes)
        .voxelize("trunk 4 with a branch 1.5", 0, grid)
        .with_betti(1, 0, 0)
        .with_ends(3);
    reference.length_allowance -= 1.5;
    reference
}

/// Creates a torus whose plane has the given normal. One component, one tunnel.
pub fn ring(normal: [f64; 3], major: f64, minor: f64, grid: Grid) -> ReferenceObject {
    let normal = Vector3::from(normal).normalize();
    let across = if normal.x.abs() < 0.8 {
        Vector3::x()
    } else {
        Vector3::y()
    };
    let u = normal.cross(&across).normalize();
    let v = normal.cross(&u);
    let at = |part: f64| {
        let angle = part * TAU;
        Point3::from((u * angle.cos() + v * angle.sin()) * major)
    };
    let count = (major * 4.0).ceil().max(24.0) as usize;
    let mut points: Vec<_> = (0..count).map(|n| at(n as f64 / count as f64)).collect();
    points.push(points[0]);
    let axis = Axis {
        points,
        radius: minor,
    };
    let mut reference = Tubes::round(vec![axis])
        .voxelize(format!("ring {major}/{minor}"), 0, grid)
        .with_betti(1, 1, 0)
        .with_ends(0);
    reference.length_allowance = 0.0;
    reference
}

/// Creates a trefoil knot as a tube. One component, one tunnel.
pub fn knot(scale: f64, radius: f64, grid: Grid) -> ReferenceObject {
    let at = |part: f64| {
        let t = part * TAU;
        let position = Vector3::new(
            t.sin() + 2.0 * (2.0 * t).sin(),
            t.cos() - 2.0 * (2.0 * t).cos(),
            -1.5 * (3.0 * t).sin(),
        );
        Point3::from(position * scale)
    };
    let mut points: Vec<_> = (0..240).map(|n| at(n as f64 / 240.0)).collect();
    points.push(points[0]);
    let mut reference = Tubes::round(vec![Axis { points, radius }])
        .voxelize(format!("trefoil knot {scale}/{radius}"), 0, grid)
        .with_betti(1, 1, 0)
        .with_ends(0);
    reference.length_allowance = 0.0;
    reference
}

/// Creates a helix one voxel wide. One component, no tunnel.
pub fn helix(turns: f64, major: f64, pitch: f64, radius: f64, grid: Grid) -> ReferenceObject {
    let count = (turns * 48.0) as usize;
    let points = (0..=count).map(|n| {
        let turn = n as f64 / 48.0;
        let angle = turn * TAU;
        Point3::new(major * angle.cos(), major * angle.sin(), pitch * turn)
    });
    let axis = Axis {
        points: points.collect(),
        radius,
    };
    Tubes::round(vec![axis])
        .voxelize(format!("helix {major}/{radius}"), 0, grid)
        .with_betti(1, 0, 0)
        .with_ends(2)
}
