//! Objects by the thousand: trees and nets of tubes, noise, dust.

use super::{Axis, Grid, Known, Tubes, to_segment};
use crate::noise::Noise;
use ferrovox::grid::{Geometry, Volume};
use nalgebra::{Point3, Vector3};

/// What a random object's lengths are measured by.
#[derive(Clone, Copy)]
struct Scale {
    /// The largest spacing.
    coarse: f64,
    /// The radius of the thickest tubes.
    thick: f64,
    /// And of the thinnest.
    thin: f64,
}

impl Scale {
    fn of(grid: &Grid, noise: &mut Noise) -> Self {
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

    /// How far surfaces of tubes that do not meet are apart at least: voxels of one do not touch
    /// those of the other.
    fn gap(&self) -> f64 {
        4.0 * self.coarse
    }
}

/// A branch that is growing.
struct Branch {
    points: Vec<Point3<f64>>,
    radius: f64,
    /// The axis that it leaves.
    parent: Option<usize>,
}

/// A tree of so many bent tubes; each leaves another at 50 degrees or more, and comes near no
/// third. Radii are from half the smallest spacing up. One piece, no tunnel.
pub fn tree(tubes: usize, seed: u64, grid: Grid) -> Known {
    let mut noise = Noise(seed ^ 0x7265_6574);
    let scale = Scale::of(&grid, &mut noise);
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
    let mut known = Tubes::round(axes.collect())
        .draw(format!("tree of {count} tubes"), seed, grid)
        .with(1, 0, 0)
        .ending(count + 1);
    known.tips -= joined;
    known
}

/// Steps of a bending way, each as long as the largest spacing, for as long as `goes_on`.
fn walk(
    from: Point3<f64>,
    mut direction: Vector3<f64>,
    step: f64,
    count: usize,
    noise: &mut Noise,
    mut goes_on: impl FnMut(&[Point3<f64>], Point3<f64>) -> bool,
) -> Vec<Point3<f64>> {
    let mut points = vec![from];
    for _ in 0..count {
        let next = points[points.len() - 1] + direction * step;
        if !goes_on(&points, next) {
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

/// One more, or none where there was no room.
fn branch(grown: &[Branch], scale: &Scale, noise: &mut Noise) -> Option<Branch> {
    let parent = noise.below(grown.len() as u64) as usize;
    let on = &grown[parent];
    let most = on.radius.max(scale.thin);
    let radius = noise.between(scale.thin, most);
    // not at the ends: the parent goes on by its radius, and by twice what the branch takes
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
            let room = radius + other.radius + scale.gap();
            // what is near to where the branch begins is the parent, and branches that begin there
            // too
            (index == parent && far < leaves)
                || other
                    .points
                    .windows(2)
                    .all(|ends| to_segment(next, ends[0], ends[1]) >= room)
        }) && {
            let own = 2.0 * radius + scale.gap();
            let before = (1.6 * own / scale.coarse) as usize;
            let before = points.len().saturating_sub(before);
            points[..before]
                .iter()
                .all(|point| (next - point).norm() >= own)
        }
    };
    // as it leaves, it comes no nearer to others that leave there
    let is_free = grown.iter().enumerate().all(|(index, other)| {
        index == parent
            || other.parent == Some(parent) && {
                let apart = (other.points[0] - from).norm();
                apart > 2.0 * (radius + other.radius + scale.gap())
            }
            || other
                .points
                .windows(2)
                .all(|ends| to_segment(from, ends[0], ends[1]) >= leaves)
    });
    if !is_free {
        return None;
    }
    let count = ((leaves + 2.0 * radius) / scale.coarse) as usize + 4 + noise.below(16) as usize;
    let least = (leaves / scale.coarse).ceil() as usize + 1;
    let points = walk(from, direction, scale.coarse, count, noise, clear);
    (points.len() > least).then_some(Branch {
        points,
        radius,
        parent: Some(parent),
    })
}

/// Straight tubes between the nodes of a lattice that are a little moved: so many cycles, or as
/// many as the lattice has. One piece.
pub fn net(nodes_along: [usize; 3], cycles: usize, seed: u64, grid: Grid) -> Known {
    let mut noise = Noise(seed ^ 0x0074_656e);
    let scale = Scale::of(&grid, &mut noise);
    let [nx, ny, nz] = nodes_along;
    let count = nx * ny * nz;
    let pitch = 2.0 * scale.thick + 2.5 * scale.gap();
    let nodes: Vec<Point3<f64>> = (0..count)
        .map(|n| {
            let place = [n % nx, n / nx % ny, n / (nx * ny)].map(|c| c as f64);
            let moved = Vector3::from_fn(|_, _| noise.between(-0.12, 0.12));
            Point3::from((Vector3::from(place) + moved) * pitch)
        })
        .collect();
    let mut links = Vec::new();
    for n in 0..count {
        let place = [n % nx, n / nx % ny, n / (nx * ny)];
        for (axis, step) in [1, nx, nx * ny].into_iter().enumerate() {
            if place[axis] + 1 < nodes_along[axis] {
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
    let tips = ends.sum();
    let mut tubes = Tubes::round(axes);
    // where tubes meet, voxels of thin ones may leave holes
    for node in (0..count).filter(|&node| degrees[node] > 1) {
        let here = chosen.iter().zip(&tubes.axes);
        let here = here.filter(|(link, _)| link.contains(&node));
        let widest = here.map(|(_, axis)| axis.radius).fold(0.0, f64::max);
        tubes.balls.push((nodes[node], widest + scale.coarse));
    }
    let mut known = tubes
        .draw(format!("net of {count} nodes, {closed} cycles"), seed, grid)
        .with(1, closed as u64, 0);
    known.tips = tips;
    known
}

/// Links that join all nodes, and up to so many that close a cycle; with how many those are.
fn joined(count: usize, links: &[[usize; 2]], cycles: usize) -> (Vec<[usize; 2]>, usize) {
    let mut piece: Vec<usize> = (0..count).collect();
    let (mut chosen, mut closed) = (Vec::new(), 0);
    for &[a, b] in links {
        let (from, to) = (piece[a], piece[b]);
        if from != to {
            piece
                .iter_mut()
                .filter(|p| **p == from)
                .for_each(|p| *p = to);
        } else if closed < cycles {
            closed += 1;
        } else {
            continue;
        }
        chosen.push([a, b]);
    }
    (chosen, closed)
}

/// Each voxel by chance: one of so many. Everything of everything.
pub fn noise(dims: [usize; 3], per_cent: u64, seed: u64) -> Known {
    let mut noise = Noise(seed);
    let voxels = Volume::from_fn(dims, Geometry::default(), |_, _, _| {
        u8::from(noise.below(100) < per_cent)
    });
    Known::without_axes(
        format!("noise, {per_cent} %"),
        seed,
        voxels.expect("a size"),
    )
}

/// So many voxels along each axis that touch no other. As many pieces as voxels.
pub fn dust(along: [usize; 3]) -> Known {
    let dims = along.map(|n| 2 * n + 1);
    let voxels = Volume::from_fn(dims, Geometry::default(), |x, y, z| {
        u8::from(x % 2 == 1 && y % 2 == 1 && z % 2 == 1)
    });
    let count = along.iter().product::<usize>() as u64;
    Known::without_axes(
        format!("dust of {count} voxels"),
        0,
        voxels.expect("a size"),
    )
    .with(count, 0, 0)
}
