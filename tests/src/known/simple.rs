//! Rods, arms, rings: what a page can draw.

use super::{Axis, Grid, Known, Tubes};
use crate::noise::Noise;
use nalgebra::{Point3, Vector3};
use std::f64::consts::TAU;

/// A rod with flat ends about the origin. One piece.
pub fn rod(direction: [f64; 3], radius: f64, length: f64, grid: Grid) -> Known {
    let half = Vector3::from(direction).normalize() * (length / 2.0);
    let axis = Axis::straight(Point3::origin() - half, Point3::origin() + half, radius);
    let tubes = Tubes {
        axes: vec![axis],
        flat: true,
        ..Tubes::default()
    };
    let [x, y, z] = direction;
    tubes
        .draw(
            format!("rod {radius} x {length} along ({x}, {y}, {z})"),
            0,
            grid,
        )
        .with(1, 0, 0)
        .ending(2)
}

/// The directions in which rods are tried: the grid's axes, and three between them.
pub const DIRECTIONS: [[f64; 3]; 6] = [
    [1.0, 0.0, 0.0],
    [0.0, 1.0, 0.0],
    [0.0, 0.0, 1.0],
    [1.0, 1.0, 0.0],
    [1.0, 0.0, 1.0],
    [1.0, 2.0, 3.0],
];

/// A tube with round ends from the origin. One piece.
pub fn tube(direction: [f64; 3], radius: f64, length: f64, grid: Grid) -> Known {
    let end = Point3::from(Vector3::from(direction).normalize() * length);
    let axis = Axis::straight(Point3::origin(), end, radius);
    Tubes::round(vec![axis])
        .draw(format!("tube {radius} x {length}"), 0, grid)
        .with(1, 0, 0)
        .ending(2)
}

/// Tubes from the origin, in directions that are at least 50 degrees apart. One piece, no tunnel.
pub fn arms(count: usize, radius: f64, length: f64, seed: u64, grid: Grid) -> Known {
    let mut noise = Noise(seed);
    let mut directions: Vec<Vector3<f64>> = Vec::new();
    // the directions that are left become few with five arms; then all are drawn anew
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
    let mut known = tubes
        .draw(format!("{count} arms of {radius}"), seed, grid)
        .ending(count);
    known.tips /= 2.0;
    known
}

/// A tube of radius 4 and length 60, and one of radius 2.5 and length 42 on its middle. One piece,
/// no tunnel.
pub fn t_of_tubes(grid: Grid) -> Known {
    let at = |x, y| Point3::new(x, y, 0.0);
    let axes = vec![
        Axis::straight(at(-30.0, 0.0), at(30.0, 0.0), 4.0),
        Axis::straight(at(0.0, 0.0), at(0.0, 42.0), 2.5),
    ];
    let mut known = Tubes::round(axes)
        .draw("T of tubes 4 and 2.5", 0, grid)
        .with(1, 0, 0)
        .ending(3);
    known.tips -= 2.5;
    known
}

/// A trunk of radius 4 and length 80, and a branch of radius 1.5 that stands out of it by 42. One
/// piece, no tunnel.
pub fn thin_branch(grid: Grid) -> Known {
    let at = |x, y, z| Point3::new(x, y, z);
    let branch = Vector3::new(0.4, 1.0, 0.3).normalize() * 46.0;
    let from = at(5.0, 0.0, 0.0);
    let axes = vec![
        Axis::straight(at(-40.0, 0.0, 0.0), at(40.0, 0.0, 0.0), 4.0),
        Axis::straight(from, from + branch, 1.5),
    ];
    let mut known = Tubes::round(axes)
        .draw("trunk 4 with a branch 1.5", 0, grid)
        .with(1, 0, 0)
        .ending(3);
    known.tips -= 1.5;
    known
}

/// A tube about a circle, whose plane is across `normal`. One piece, one tunnel.
pub fn ring(normal: [f64; 3], major: f64, minor: f64, grid: Grid) -> Known {
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
    let mut known = Tubes::round(vec![axis])
        .draw(format!("ring {major}/{minor}"), 0, grid)
        .with(1, 1, 0)
        .ending(0);
    known.tips = 0.0;
    known
}

/// A closed curve with three crossings as a tube. One piece, one tunnel.
pub fn knot(scale: f64, radius: f64, grid: Grid) -> Known {
    let at = |part: f64| {
        let t = part * TAU;
        let place = Vector3::new(
            t.sin() + 2.0 * (2.0 * t).sin(),
            t.cos() - 2.0 * (2.0 * t).cos(),
            -1.5 * (3.0 * t).sin(),
        );
        Point3::from(place * scale)
    };
    let mut points: Vec<_> = (0..240).map(|n| at(n as f64 / 240.0)).collect();
    points.push(points[0]);
    let mut known = Tubes::round(vec![Axis { points, radius }])
        .draw(format!("trefoil knot {scale}/{radius}"), 0, grid)
        .with(1, 1, 0)
        .ending(0);
    known.tips = 0.0;
    known
}

/// A curve one voxel wide that winds up. One piece, no tunnel.
pub fn helix(turns: f64, major: f64, pitch: f64, radius: f64, grid: Grid) -> Known {
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
        .draw(format!("helix {major}/{radius}"), 0, grid)
        .with(1, 0, 0)
        .ending(2)
}
