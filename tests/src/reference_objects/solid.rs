//! Objects that are not tubes: shells, plates, boxes with holes, single voxels.

use super::ReferenceObject;
use ferrovox::grid::{Geometry, Volume};

/// Creates an object of unit spacing from a predicate on voxels.
fn from_predicate(
    name: &str,
    dims: [usize; 3],
    is_in: impl Fn([i64; 3]) -> bool,
) -> ReferenceObject {
    let voxels = Volume::from_fn(dims, Geometry::default(), |x, y, z| {
        u8::from(is_in([x as i64, y as i64, z as i64]))
    });
    ReferenceObject::without_ground_truth(name, 0, voxels.expect("a size"))
}

/// Returns an object with another spacing.
#[must_use]
pub fn spaced(mut reference: ReferenceObject, spacing: [f64; 3]) -> ReferenceObject {
    let geometry = Geometry::from_spacing(spacing, [0.0; 3]).expect("a spacing");
    reference.voxels = reference.voxels.with_geometry(geometry);
    reference
}

/// Creates the region between two spheres. One component, one cavity.
pub fn shell(outer: f64, inner: f64) -> ReferenceObject {
    let half = outer.ceil() as i64 + 2;
    let dims = [2 * half as usize + 1; 3];
    from_predicate(&format!("shell {outer}/{inner}"), dims, |p| {
        let squared: i64 = p.iter().map(|c| (c - half) * (c - half)).sum();
        (inner..=outer).contains(&(squared as f64).sqrt())
    })
    .with_betti(1, 0, 1)
}

/// Creates a box with a square hole and a cavity. One component, one tunnel, one cavity: its Euler
/// characteristic is that of a ball.
pub fn tunnel_and_cavity() -> ReferenceObject {
    from_predicate(
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
    .with_betti(1, 1, 1)
}

/// Creates a plate of the given thickness with a row of square holes. One component, one tunnel per
/// hole.
pub fn plate(thick: usize, holes: usize) -> ReferenceObject {
    let wide = 16 + 12 * holes;
    let name = format!("plate {thick} thick, {holes} holes");
    from_predicate(&name, [wide + 4, 30, thick + 4], |[x, y, z]| {
        let inside = |value: i64, count: usize| (2..2 + count as i64).contains(&value);
        let solid = inside(x, wide) && inside(y, 26) && inside(z, thick);
        let at = x - 12;
        let hole = at >= 0 && at < 12 * holes as i64 && at % 12 < 6 && (12..18).contains(&y);
        solid && !hole
    })
    .with_betti(1, holes as u64, 0)
}

/// Creates a curved sheet, oblique to the axes and about one and a half voxels thick. One
/// component.
pub fn bent_sheet() -> ReferenceObject {
    from_predicate("bent sheet", [48, 48, 32], |p| {
        let [x, y, z] = p.map(|c| c as f64);
        let inside = p[..2].iter().all(|c| (3..45).contains(c));
        let height = 15.0 + 5.0 * (x * 0.17).sin() + 0.21 * y - 4.0;
        inside && (z - height).abs() <= 0.9
    })
    .with_betti(1, 0, 0)
}

/// Creates two voxels that touch at a corner. One component.
pub fn touching_at_a_corner() -> ReferenceObject {
    from_predicate("two voxels at a corner", [6; 3], |p| {
        p == [2; 3] || p == [3; 3]
    })
    .with_betti(1, 0, 0)
}

/// Creates two voxels that touch at an edge. One component.
pub fn touching_at_an_edge() -> ReferenceObject {
    from_predicate("two voxels at an edge", [6; 3], |p| {
        p == [2; 3] || p == [3, 3, 2]
    })
    .with_betti(1, 0, 0)
}

/// Creates four voxels around a hole that is closed by corners only. One component, one tunnel.
pub fn ring_of_corners() -> ReferenceObject {
    from_predicate("four voxels around a hole", [5, 5, 3], |p| {
        [[1, 2, 1], [3, 2, 1], [2, 1, 1], [2, 3, 1]].contains(&p)
    })
    .with_betti(1, 1, 0)
}

/// Creates a single voxel.
pub fn single() -> ReferenceObject {
    from_predicate("one voxel", [3; 3], |p| p == [1; 3]).with_betti(1, 0, 0)
}

/// Creates an object that fills the volume.
pub fn full(n: usize) -> ReferenceObject {
    from_predicate(&format!("all of {n}^3"), [n; 3], |_| true).with_betti(1, 0, 0)
}

/// Creates a bar that extends from border to border.
pub fn through_the_border(n: usize) -> ReferenceObject {
    from_predicate("a bar through the border", [n, 7, 7], |[_, y, z]| {
        (2..5).contains(&y) && (2..5).contains(&z)
    })
    .with_betti(1, 0, 0)
}

/// Creates a diagonal row of voxels, each touching the next at a corner. One component.
pub fn diagonal(n: usize) -> ReferenceObject {
    from_predicate("a diagonal of voxels", [n + 4; 3], |[x, y, z]| {
        x == y && y == z && (2..n as i64 + 2).contains(&x)
    })
    .with_betti(1, 0, 0)
}
