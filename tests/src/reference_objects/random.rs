//! Randomly generated objects: trees and networks of tubes, noise, isolated voxels.

use super::{Axis, Grid, ReferenceObject, Tubes, distance_to_segment};
use crate::noise::Noise;
use ferrovox::grid::{Geometry, Volume};
use nalgebra::{Point3, Vector3};

/// Length scales of a random object.
#[derive(Clone, Copy)]
struct Scale {
    /// Largest spacing.
    coarse: f64,
    /// Maximum radius of tubes.
    thick: f64,
    /// Minimum radius of tubes.
    thin: f64,
}

impl Scale {
    fn new(grid: &Grid, noise: &mut Noise) -> Self {
        let spacing = [0, 1, 2].map(|k| grid.axes.column(k).norm());
        let coarse = spacing.into_iter().fold(0.0, f64::max);
        let fine = spacing.into_iter().fold(f64::INFINITY, f64::min);
        let mean = spacing.iter().product::<f64>().cbrt();
        let thin = 0.5 * fine;
        let thick = noise.between(thin, 3.0 * mean);
        Self {
            coarse,
            thick,
            thin,
        }
    }

    /// Returns the minimum distance between the surfaces of tubes that do not meet, so that their
    /// voxels do not touch.
    fn gap(&self) -> f64 {
        4.0 * self.coarse
    }
}

/// Branch being grown.
struct Branch {
    points: Vec<Point3<f64>>,
    radius: f64,
    /// Axis from which it branches off.
    parent: Option<usize>,
}

/// Creates a tree of bent tubes. Each tube branches off another at an angle of at least 50 degrees
/// and stays away from all others. Radii are at least half the smallest spacing. One component, no
/// tunnel.
pub fn tree(tubes: usize, seed: u64, grid: Grid) -> ReferenceObject {
    let mut noise = Noise(seed ^ 0x7265_6574);
    let scale = Scale::new(&grid, &mut noise);
    let mut grown: Vec<Branch> = Vec::new();
    let mut tries = 0;
    while grown.len() < tubes && tries < 40 * tubes {
        tries += 1;
        let branch = if grown.is_empty() {
            Some(trunk(&scale, &mut noise))
        } else {
            branch(&grown, &scale, &mut noise)
        };
        grown.extend(branch);
    }
    let count = grown.len();
    let joined: f64 = grown.iter().skip(1).map(|branch| branch.radius).sum();
    let axes = grown.into_iter().map(|branch| Axis {
        points: branch.points,
        radius: branch.radius,
    });
    let mut reference = Tubes::round(axes.collect())
        .voxelize(format!("tree of {count} tubes"), seed, grid)
        .with_betti(1, 0, 0)
        .with_ends(count + 1);
    reference.length_allowance -= joined;
    reference
}

/// Returns the points of a random walk with a step length of the largest spacing, for as long as
/// `continues` returns `true`.
fn walk(
    from: Point3<f64>,
    mut direction: Vector3<f64>,
    step: f64,
    count: usize,
    noise: &mut Noise,
    mut continues: impl FnMut(&[Point3<f64>], Point3<f64>) -> bool,
) -> Vec<Point3<f64>> {
    let mut points = vec![from];
    for _ in 0..count {
        let next = points[points.len() - 1] + direction * step;
        if !continues(&points, next) {
            break;
        }
        points.push(next);
        direction = (direction + noise.direction() * 0.12).normalize();
    }
    points
}

fn trunk(scale: &Scale, noise: &mut Noise) -> Branch {
    let radius = scale.thick;
    let count = 12 + (6.0 * radius / scale.coarse) as usize + noise.below(20) as usize;
    let direction = noise.direction();
    let points = walk(
        Point3::origin(),
        direction,
        scale.coarse,
        count,
        noise,
        |_, _| true,
    );
    Branch {
        points,
        radius,
        parent: None,
    }
}

/// Returns another branch, or `None` if there is no room for it.
fn branch(grown: &[Branch], scale: &Scale, noise: &mut Noise) -> Option<Branch> {
    let parent = noise.below(grown.len() as u64) as usize;
    let on = &grown[parent];
    let max_radius = on.radius.max(scale.thin);
    let radius = noise.between(scale.thin, max_radius);
    // not at the ends: the parent extends by its radius, and by twice the branch's clearance
    let margin = ((on.radius + 2.0 * radius + scale.gap()) / scale.coarse).ceil() as usize;
    let inner = on.points.len().checked_sub(2 * margin + 1)?;
    if inner == 0 {
        return None;
    }
    let number = margin + noise.below(inner as u64) as usize;
    let from = on.points[number];
    let tangent = (on.points[number + 1] - on.points[number - 1]).normalize();
    let direction = noise.direction();
    if direction.dot(&tangent).abs() > 0.64 {
        return None;
    }
    let leaves = 1.8 * (on.radius + radius + scale.gap());
    let clear = |points: &[Point3<f64>], next: Point3<f64>| {
        let far = (next - from).norm();
        grown.iter().enumerate().all(|(index, other)| {
            let clearance = radius + other.radius + scale.gap();
            // close to the branching point are the parent and other branches that start there
            (index == parent && far < leaves)
                || other
                    .points
                    .windows(2)
                    .all(|ends| distance_to_segment(next, ends[0], ends[1]) >= clearance)
        }) && {
            let own_clearance = 2.0 * radius + scale.gap();
            let skipped = (1.6 * own_clearance / scale.coarse) as usize;
            let skipped = points.len().saturating_sub(skipped);
            points[..skipped]
                .iter()
                .all(|point| (next - point).norm() >= own_clearance)
        }
    };
    // branches that leave near each other stay apart
    let is_free = grown.iter().enumerate().all(|(index, other)| {
        index == parent
            || other.parent == Some(parent) && {
                let distance = (other.points[0] - from).norm();
                distance > 2.0 * (radius + other.radius + scale.gap())
            }
            || other
                .points
                .windows(2)
                .all(|ends| distance_to_segment(from, ends[0], ends[1]) >= leaves)
    });
    if !is_free {
        return None;
    }
    let count = ((leaves + 2.0 * radius) / scale.coarse) as usize + 4 + noise.below(16) as usize;
    let min_points = (leaves / scale.coarse).ceil() as usize + 1;
    let points = walk(from, direction, scale.coarse, count, noise, clear);
    (points.len() > min_points).then_some(Branch {
        points,
        radius,
        parent: Some(parent),
    })
}

/// Creates straight tubes between the slightly displaced nodes of a lattice, with the given number
/// of cycles or as many as the lattice allows. One component.
pub fn net(nodes_along: [usize; 3], cycles: usize, seed: u64, grid: Grid) -> ReferenceObject {
    let mut noise = Noise(seed ^ 0x0074_656e);
    let scale = Scale::new(&grid, &mut noise);
    let [nx, ny, nz] = nodes_along;
    let count = nx * ny * nz;
    let pitch = 2.0 * scale.thick + 2.5 * scale.gap();
    let nodes: Vec<Point3<f64>> = (0..count)
        .map(|n| {
            let position = [n % nx, n / nx % ny, n / (nx * ny)].map(|c| c as f64);
            let moved = Vector3::from_fn(|_, _| noise.between(-0.12, 0.12));
            Point3::from((Vector3::from(position) + moved) * pitch)
        })
        .collect();
    let mut links = Vec::new();
    for n in 0..count {
        let position = [n % nx, n / nx % ny, n / (nx * ny)];
        for (axis, step) in [1, nx, nx * ny].into_iter().enumerate() {
            if position[axis] + 1 < nodes_along[axis] {
                links.push([n, n + step]);
            }
        }
    }
    for last in (1..links.len()).rev() {
        links.swap(last, noise.below(last as u64 + 1) as usize);
    }
    let (chosen, closed) = joined(count, &links, cycles);
    let axes: Vec<Axis> = chosen
        .iter()
        .map(|link| {
            let radius = noise.between(scale.thin, scale.thick);
            Axis::straight(nodes[link[0]], nodes[link[1]], radius)
        })
        .collect();
    let mut degrees = vec![0; count];
    chosen.iter().flatten().for_each(|&node| degrees[node] += 1);
    let ends = chosen.iter().zip(&axes).map(|(link, axis)| {
        let free = link.iter().filter(|&&node| degrees[node] == 1).count();
        free as f64 * axis.radius
    });
    let length_allowance = ends.sum();
    let mut tubes = Tubes::round(axes);
    // the voxels of thin tubes that meet may leave holes
    for node in (0..count).filter(|&node| degrees[node] > 1) {
        let node_tubes = chosen.iter().zip(&tubes.axes);
        let node_tubes = node_tubes.filter(|(link, _)| link.contains(&node));
        let widest = node_tubes.map(|(_, axis)| axis.radius).fold(0.0, f64::max);
        tubes.balls.push((nodes[node], widest + scale.coarse));
    }
    let mut reference = tubes
        .voxelize(format!("net of {count} nodes, {closed} cycles"), seed, grid)
        .with_betti(1, closed as u64, 0);
    reference.length_allowance = length_allowance;
    reference
}

/// Returns links that connect all nodes and close up to `cycles` cycles, and the number of cycles.
fn joined(count: usize, links: &[[usize; 2]], cycles: usize) -> (Vec<[usize; 2]>, usize) {
    let mut set: Vec<usize> = (0..count).collect();
    let (mut chosen, mut closed) = (Vec::new(), 0);
    for &[a, b] in links {
        let (from, to) = (set[a], set[b]);
        if from != to {
            set.iter_mut().filter(|p| **p == from).for_each(|p| *p = to);
        } else if closed < cycles {
            closed += 1;
        } else {
            continue;
        }
        chosen.push([a, b]);
    }
    (chosen, closed)
}

/// Creates a volume in which each voxel is set at random. Contains all kinds of topology.
pub fn noise(dims: [usize; 3], percent: u64, seed: u64) -> ReferenceObject {
    let mut noise = Noise(seed);
    let voxels = Volume::from_fn(dims, Geometry::default(), |_, _, _| {
        u8::from(noise.below(100) < percent)
    });
    ReferenceObject::without_ground_truth(
        format!("noise, {percent} %"),
        seed,
        voxels.expect("a size"),
    )
}

/// Creates the given number of isolated voxels along each axis; as many components as voxels.
pub fn dust(along: [usize; 3]) -> ReferenceObject {
    let dims = along.map(|n| 2 * n + 1);
    let voxels = Volume::from_fn(dims, Geometry::default(), |x, y, z| {
        u8::from(x % 2 == 1 && y % 2 == 1 && z % 2 == 1)
    });
    let count = along.iter().product::<usize>() as u64;
    ReferenceObject::without_ground_truth(
        format!("dust of {count} voxels"),
        0,
        voxels.expect("a size"),
    )
    .with_betti(count, 0, 0)
}
