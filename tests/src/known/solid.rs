//! Solids that are no tubes: shells, plates, boxes with holes, single voxels.

use super::Known;
use ferrovox::grid::{Geometry, Volume};

/// An object of unit spacing from a rule for each voxel.
fn by(name: &str, dims: [usize; 3], is_in: impl Fn([i64; 3]) -> bool) -> Known {
    let voxels = Volume::from_fn(dims, Geometry::default(), |x, y, z| {
        u8::from(is_in([x as i64, y as i64, z as i64]))
    });
    Known::without_axes(name, 0, voxels.expect("a size"))
}

/// The same object with this spacing.
#[must_use]
pub fn spaced(mut known: Known, spacing: [f64; 3]) -> Known {
    let geometry = Geometry::from_spacing(spacing, [0.0; 3]).expect("a spacing");
    known.voxels = known.voxels.with_geometry(geometry);
    known
}

/// What is between two spheres. One piece, one cavity.
pub fn shell(outer: f64, inner: f64) -> Known {
    let half = outer.ceil() as i64 + 2;
    let dims = [2 * half as usize + 1; 3];
    by(&format!("shell {outer}/{inner}"), dims, |p| {
        let square: i64 = p.iter().map(|c| (c - half) * (c - half)).sum();
        (inner..=outer).contains(&(square as f64).sqrt())
    })
    .with(1, 0, 1)
}

/// A box with a square hole through it and a hollow beside. One piece, one tunnel, one cavity: the
/// Euler number is that of a ball.
pub fn tunnel_and_cavity() -> Known {
    by(
        "box with a tunnel and a cavity",
        [44, 24, 20],
        |[x, y, z]| {
            let within = |value: i64, first: i64, last: i64| (first..=last).contains(&value);
            let solid = within(x, 2, 41) && within(y, 2, 21) && within(z, 2, 17);
            let hole = within(x, 9, 14) && within(y, 9, 14);
            let hollow = within(x, 26, 33) && within(y, 8, 15) && within(z, 7, 12);
            solid && !hole && !hollow
        },
    )
    .with(1, 1, 1)
}

/// A plate so many voxels thick, with square holes through it in a row. One piece, as many tunnels
/// as holes.
pub fn plate(thick: usize, holes: usize) -> Known {
    let wide = 16 + 12 * holes;
    let name = format!("plate {thick} thick, {holes} holes");
    by(&name, [wide + 4, 30, thick + 4], |[x, y, z]| {
        let inside = |value: i64, count: usize| (2..2 + count as i64).contains(&value);
        let solid = inside(x, wide) && inside(y, 26) && inside(z, thick);
        let at = x - 12;
        let hole = at >= 0 && at < 12 * holes as i64 && at % 12 < 6 && (12..18).contains(&y);
        solid && !hole
    })
    .with(1, holes as u64, 0)
}

/// A plate that is bent and not along any axis, about a voxel and a half thick. One piece.
pub fn bent_sheet() -> Known {
    by("bent sheet", [48, 48, 32], |p| {
        let [x, y, z] = p.map(|c| c as f64);
        let inside = p[..2].iter().all(|c| (3..45).contains(c));
        let height = 15.0 + 5.0 * (x * 0.17).sin() + 0.21 * y - 4.0;
        inside && (z - height).abs() <= 0.9
    })
    .with(1, 0, 0)
}

/// Two voxels that touch at a corner. One piece.
pub fn touching_at_a_corner() -> Known {
    by("two voxels at a corner", [6; 3], |p| {
        p == [2; 3] || p == [3; 3]
    })
    .with(1, 0, 0)
}

/// Two voxels that touch at an edge. One piece.
pub fn touching_at_an_edge() -> Known {
    by("two voxels at an edge", [6; 3], |p| {
        p == [2; 3] || p == [3, 3, 2]
    })
    .with(1, 0, 0)
}

/// Four voxels around a hole that only corners close. One piece, one tunnel.
pub fn ring_of_corners() -> Known {
    by("four voxels around a hole", [5, 5, 3], |p| {
        [[1, 2, 1], [3, 2, 1], [2, 1, 1], [2, 3, 1]].contains(&p)
    })
    .with(1, 1, 0)
}

/// One voxel.
pub fn single() -> Known {
    by("one voxel", [3; 3], |p| p == [1; 3]).with(1, 0, 0)
}

/// Every voxel of the volume.
pub fn full(n: usize) -> Known {
    by(&format!("all of {n}^3"), [n; 3], |_| true).with(1, 0, 0)
}

/// A row of voxels that goes from border to border.
pub fn through_the_border(n: usize) -> Known {
    by("a bar through the border", [n, 7, 7], |[_, y, z]| {
        (2..5).contains(&y) && (2..5).contains(&z)
    })
    .with(1, 0, 0)
}

/// Voxels in a row along a diagonal, each touching the next at a corner. One piece.
pub fn diagonal(n: usize) -> Known {
    by("a diagonal of voxels", [n + 4; 3], |[x, y, z]| {
        x == y && y == z && (2..n as i64 + 2).contains(&x)
    })
    .with(1, 0, 0)
}
