//! Solids with a known number of ends: cell bodies with dendrites, trunks, leaves, trees, stars,
//! solids without ends, at any orientation and spacing, with noise on the surface.
//!
//! Lengths are in world units. The number of ends is that of the curves that a person would draw:
//! a solid of dendrites has one per dendrite, a trunk two more than branches, a ball none.

use super::{ReferenceObject, distance_to_segment};
use crate::{noise::Noise, solids::Solid};
use ferrovox::grid::Volume;
use nalgebra::{Point3, Vector3};
use std::f64::consts::TAU;

/// Solid with a known number of ends.
#[derive(Clone)]
pub struct BranchedSolid {
    /// The solid, centred on the origin.
    pub solid: Solid,
    /// Number of ends of its curves.
    pub ends: usize,
    /// Number of tunnels.
    pub tunnels: u64,
}

/// Placement of a solid on a grid.
#[derive(Clone, Copy, Debug)]
pub struct Placement {
    /// Number of a pseudo-random rotation; 0 does not rotate.
    pub rotation: u64,
    /// Spacing of the grid.
    pub spacing: [f64; 3],
    /// Fraction of the voxels on both sides of the surface that are flipped.
    pub flipped: f64,
}

impl Placement {
    /// Unrotated, at unit spacing, without noise.
    pub const PLAIN: Self = Self {
        rotation: 0,
        spacing: [1.0; 3],
        flipped: 0.0,
    };
}

impl BranchedSolid {
    fn new(
        name: impl Into<String>,
        ends: usize,
        half_extent: [f64; 3],
        inside: impl Fn(Point3<f64>) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self {
            solid: Solid::new(name, half_extent, inside),
            ends,
            tunnels: 0,
        }
    }

    fn from_solid(solid: Solid, ends: usize, tunnels: u64) -> Self {
        Self {
            solid,
            ends,
            tunnels,
        }
    }

    /// Voxelises the solid. Noise can detach voxels, and make tunnels of one voxel.
    pub fn voxelize(&self, placement: Placement) -> ReferenceObject {
        let Placement {
            rotation,
            spacing,
            flipped,
        } = placement;
        let mut solid = self.solid.clone();
        if rotation > 0 {
            let mut noise = Noise(rotation);
            let axis = noise.direction();
            let shift = noise.direction();
            solid = solid
                .rotated(axis.into(), noise.between(0.3, 3.0))
                .shifted(shift.into());
        }
        let mut voxels = solid.voxels_spaced(spacing);
        if flipped > 0.0 {
            voxels = flip_boundary(&voxels, flipped, rotation);
        }
        let name = format!("{}, {placement:?}", self.solid.name);
        ReferenceObject::without_ground_truth(name, rotation, voxels).with_ends(self.ends)
    }
}

/// Returns a volume in which a fraction of the voxels with a face neighbour of the other kind are
/// flipped at random.
pub fn flip_boundary(voxels: &Volume<u8>, fraction: f64, seed: u64) -> Volume<u8> {
    let mut noise = Noise(seed ^ 0x666c_6970);
    let [nx, ny, nz] = voxels.dims();
    let old = voxels.samples();
    let mut samples = old.to_vec();
    let strides = [1, nx, nx * ny];
    for z in 1..nz - 1 {
        for y in 1..ny - 1 {
            for x in 1..nx - 1 {
                let at = x + nx * (y + ny * z);
                let differs =
                    |&stride: &usize| old[at - stride] != old[at] || old[at + stride] != old[at];
                if strides.iter().any(differs) && noise.between(0.0, 1.0) < fraction {
                    samples[at] = 1 - old[at];
                }
            }
        }
    }
    Volume::new(samples, [nx, ny, nz], *voxels.geometry()).expect("one sample per voxel")
}

/// Returns directions that are at least an angle apart.
fn directions(count: usize, min_angle: f64, seed: u64) -> Vec<Vector3<f64>> {
    let mut noise = Noise(seed);
    let mut found: Vec<Vector3<f64>> = Vec::new();
    let mut tries = 0;
    while found.len() < count {
        let next = noise.direction();
        tries += 1;
        if tries % 3000 == 0 {
            found.clear();
        }
        if found.iter().all(|other| other.angle(&next) > min_angle) {
            found.push(next);
        }
    }
    found
}

/// Creates a ball with straight dendrites of radius `thin` that protrude by `protruding`.
pub fn soma(radius: f64, count: usize, thin: f64, protruding: f64, seed: u64) -> BranchedSolid {
    let min_angle = if count > 14 { 0.55 } else { 0.75 };
    let axes = directions(count, min_angle, seed);
    let length = radius + protruding;
    let name = format!("soma {radius} with {count} dendrites {thin} x {protruding}");
    BranchedSolid::new(name, count.max(2), [length + 1.0; 3], move |p| {
        let is_in_dendrite = |axis: &Vector3<f64>| {
            let along = p.coords.dot(axis);
            along > 0.0 && along <= length && (p.coords - axis * along).norm() <= thin
        };
        p.coords.norm() <= radius || axes.iter().any(is_in_dendrite)
    })
}

/// Creates a cylinder along x with side branches of radius `thin` that protrude by `protruding`.
pub fn trunk(radius: f64, length: f64, count: usize, thin: f64, protruding: f64) -> BranchedSolid {
    let name = format!("trunk {radius} x {length} with {count} branches {thin} x {protruding}");
    let branch = move |number: usize| {
        let x = length * ((number + 1) as f64 / (count + 1) as f64 - 0.5);
        let angle = 2.4 * number as f64;
        (x, Vector3::new(0.0, angle.cos(), angle.sin()))
    };
    let outer = radius + protruding;
    BranchedSolid::new(name, count + 2, [length / 2.0, outer, outer], move |p| {
        let is_in_branch = |number: usize| {
            let (x, axis) = branch(number);
            let from_base = p.coords - Vector3::new(x, 0.0, 0.0);
            let along = from_base.dot(&axis);
            along > 0.0 && along <= outer && (from_base - axis * along).norm() <= thin
        };
        p.x.abs() <= length / 2.0 && (p.y.hypot(p.z) <= radius || (0..count).any(is_in_branch))
    })
}

/// Creates a flat leaf with five lobes in the plane of x and y.
pub fn leaf(radius: f64, lobes: f64, thickness: f64) -> BranchedSolid {
    let half = radius * (1.0 + lobes);
    let name = format!("leaf {radius}, lobes {lobes}, {thickness} thick");
    BranchedSolid::new(name, 5, [half, half, thickness / 2.0], move |p| {
        let outline = radius * (1.0 + lobes * (5.0 * p.y.atan2(p.x)).cos());
        p.z.abs() <= thickness / 2.0 && p.x.hypot(p.y) <= outline
    })
}

/// Creates a tube with flat ends.
pub fn tube(radius: f64, length: f64) -> BranchedSolid {
    BranchedSolid::from_solid(Solid::tube(radius, length), 2, 0)
}

/// Creates a box or a plate with the given edge lengths, one of which is the longest.
pub fn cuboid(edges: [f64; 3]) -> BranchedSolid {
    BranchedSolid::from_solid(Solid::cuboid(edges.map(|edge| edge / 2.0)), 2, 0)
}

/// Creates a ball, which has no ends.
pub fn ball(radius: f64) -> BranchedSolid {
    BranchedSolid::from_solid(Solid::ball(radius), 0, 0)
}

/// Creates a flat round disc, which has no ends.
pub fn disc(radius: f64, thickness: f64) -> BranchedSolid {
    let name = format!("disc {radius}, {thickness} thick");
    BranchedSolid::new(name, 0, [radius, radius, thickness / 2.0], move |p| {
        p.x.hypot(p.y) <= radius && p.z.abs() <= thickness / 2.0
    })
}

/// Creates a disc with a round hole at `offset` from its centre: no ends, one tunnel.
pub fn disc_with_hole(radius: f64, hole: f64, thickness: f64, offset: f64) -> BranchedSolid {
    let name = format!("disc {radius}, {thickness} thick, hole {hole} at {offset}");
    let solid = Solid::new(name, [radius, radius, thickness / 2.0], move |p| {
        p.x.hypot(p.y) <= radius
            && p.z.abs() <= thickness / 2.0
            && (p.x - offset).hypot(p.y) >= hole
    });
    BranchedSolid::from_solid(solid, 0, 1)
}

/// Creates a closed shell, which has no ends.
pub fn shell(outer: f64, inner: f64) -> BranchedSolid {
    BranchedSolid::from_solid(Solid::shell(outer, inner), 0, 0)
}

/// Creates a torus: no ends, one tunnel.
pub fn torus(major: f64, minor: f64) -> BranchedSolid {
    BranchedSolid::from_solid(Solid::torus(major, minor), 0, 1)
}

/// Creates a torus with three branches of radius `thin` in its plane: three ends, one tunnel.
pub fn torus_with_branches(major: f64, minor: f64, thin: f64, protruding: f64) -> BranchedSolid {
    let half = major + minor + protruding;
    let name = format!("torus {major}/{minor} with 3 branches {thin} x {protruding}");
    let axes = [0.3f64, 2.2, 4.4].map(|angle| Vector3::new(angle.cos(), angle.sin(), 0.0));
    let solid = Solid::new(name, [half, half, minor.max(thin)], move |p| {
        let is_in_branch = |axis: &Vector3<f64>| {
            let ends = [major, half - thin].map(|along| Point3::from(axis * along));
            distance_to_segment(p, ends[0], ends[1]) <= thin
        };
        (p.x.hypot(p.y) - major).hypot(p.z) <= minor || axes.iter().any(is_in_branch)
    });
    BranchedSolid::from_solid(solid, 3, 1)
}

/// Creates a trefoil knot as a tube: no ends, one tunnel.
pub fn knot(scale: f64, radius: f64) -> BranchedSolid {
    let points: Vec<Point3<f64>> = (0..=240)
        .map(|number| {
            let t = f64::from(number) / 240.0 * TAU;
            let position = Vector3::new(
                t.sin() + 2.0 * (2.0 * t).sin(),
                t.cos() - 2.0 * (2.0 * t).cos(),
                -1.5 * (3.0 * t).sin(),
            );
            Point3::from(position * scale)
        })
        .collect();
    let half = 3.0 * scale + radius + 1.0;
    let solid = Solid::new(format!("knot {scale}/{radius}"), [half; 3], move |p| {
        points
            .windows(2)
            .any(|step| distance_to_segment(p, step[0], step[1]) <= radius)
    });
    BranchedSolid::from_solid(solid, 0, 1)
}

/// Segment of a tree: its ends, its radius and its parent.
type TreeSegment = (Point3<f64>, Point3<f64>, f64, Option<usize>);

/// Creates a random tree of tubes that forks three times: eight twigs and the foot of the trunk.
/// `radius` is that of the trunk; twigs have about half of it, at least 0.9.
pub fn tree(radius: f64, seed: u64) -> BranchedSolid {
    let mut noise = Noise(seed ^ 0x666f_726b);
    let segments = loop {
        if let Some(segments) = random_segments(radius, &mut noise) {
            break segments;
        }
    };
    let points = segments.iter().flat_map(|&(a, b, r, _)| [(a, r), (b, r)]);
    let bound = |sign: f64| {
        let points = points.clone();
        points
            .map(|(p, r)| p.coords * sign + Vector3::repeat(r))
            .reduce(|a, b| a.sup(&b))
    };
    let [high, low] = [1.0, -1.0].map(|sign| bound(sign).expect("a segment") * sign);
    let centre = (high + low) / 2.0;
    let half = (high - low) / 2.0;
    BranchedSolid::new(
        format!("tree {radius}, seed {seed}"),
        9,
        half.into(),
        move |p| {
            let p = p + centre;
            segments
                .iter()
                .any(|&(a, b, r, _)| distance_to_segment(p, a, b) <= r)
        },
    )
}

/// Returns the segments of a random tree, or `None` if two that do not meet come close.
fn random_segments(radius: f64, noise: &mut Noise) -> Option<Vec<TreeSegment>> {
    let length = 12.0 * radius.max(2.0);
    let end = Point3::from(noise.direction() * length);
    let mut segments: Vec<TreeSegment> = vec![(Point3::origin(), end, radius, None)];
    let mut heads = vec![0];
    for level in 1..=3 {
        let mut next = Vec::new();
        for head in heads {
            let (from, to, _, _) = segments[head];
            let axis = (to - from).normalize();
            let side = axis.cross(&noise.direction()).normalize();
            for sign in [-1.0, 1.0] {
                let angle = noise.between(0.5, 0.9);
                let direction = axis * angle.cos() + side * (sign * angle.sin());
                let length = length * 0.75f64.powi(level) * noise.between(0.8, 1.2);
                let radius = (radius * 0.78f64.powi(level)).max(0.9);
                next.push(segments.len());
                segments.push((to, to + direction * length, radius, Some(head)));
            }
        }
        heads = next;
    }
    for (number, &(from, to, r, parent)) in segments.iter().enumerate() {
        for (other, &(a, b, s, other_parent)) in segments[..number].iter().enumerate() {
            let is_close = |point| distance_to_segment(point, a, b) < r + s + 3.5;
            let meets = parent == Some(other) || parent == other_parent;
            let mut points = (0..=20).map(|k| from + (to - from) * (f64::from(k) / 20.0));
            let is_too_close = if meets {
                parent == other_parent && is_close(to)
            } else {
                points.any(is_close)
            };
            if is_too_close {
                return None;
            }
        }
    }
    Some(segments)
}

/// Creates a ball with curved arms of radius `thin` that protrude by about `length`.
pub fn star(radius: f64, count: usize, thin: f64, length: f64, seed: u64) -> BranchedSolid {
    let mut noise = Noise(seed ^ 0x7374_6172);
    let arms: Vec<Vec<Point3<f64>>> = directions(count, 0.85, seed)
        .into_iter()
        .map(|axis| {
            let bend = axis.cross(&noise.direction()).normalize() * 0.02;
            let mut direction = axis;
            let mut points = vec![Point3::from(axis * (radius / 2.0))];
            for _ in 0..(length + radius / 2.0) as usize {
                points.push(points[points.len() - 1] + direction);
                direction = (direction + bend).normalize();
            }
            points
        })
        .collect();
    let half = radius + length + thin + 1.0;
    let name = format!("star {radius} with {count} arms {thin} x {length}");
    BranchedSolid::new(name, count, [half; 3], move |p| {
        let is_in = |step: &[Point3<f64>]| distance_to_segment(p, step[0], step[1]) <= thin;
        p.coords.norm() <= radius || arms.iter().any(|arm| arm.windows(2).any(is_in))
    })
}
