//! Coverage: each voxel must be within the coverage radius of the skeleton.

use super::{Object, Rules, Verdict, inside::CurveTrace, samples};
use ferrovox::graph::Skeleton;
use nalgebra::Point3;
use std::collections::BTreeMap;

/// Ball in which voxels are covered.
#[derive(Clone, Copy)]
struct Ball {
    centre: Point3<f64>,
    radius: f64,
}

/// Edge length of a block, in voxels.
const BLOCK: usize = 8;

/// Maximum number of (voxel, ball) pairs for brute force.
const MAX_BRUTE_FORCE: usize = 200_000;

/// Compares each voxel's centre with the balls about the points of the skeleton in its component.
/// The radius at a point is that of the voxel that contains it: the distance from that voxel's
/// centre to the nearest background centre.
pub fn check(
    verdict: &mut Verdict,
    object: &Object,
    skeleton: &Skeleton,
    traced: &CurveTrace,
    rules: &Rules,
    squared_distances: &[f64],
) {
    let smallest = object.spacing().min();
    let reach = rules.constant.unwrap_or(4.0 * smallest);
    let mut balls = vec![Vec::new(); object.count()];
    for sample in samples::sample_curves(object, skeleton, Some(traced), 0.5 * smallest) {
        let Some(component) = sample.component else {
            continue;
        };
        let radius = radius_at(object, squared_distances, sample.voxels).unwrap_or(0.0);
        balls[component].push(Ball {
            centre: sample.world,
            radius: rules.scale * radius + reach,
        });
    }
    let mut covered = 0;
    for (number, balls) in balls.iter().enumerate() {
        let voxels = object.component(number);
        let uncovered = if voxels.len() * balls.len() <= MAX_BRUTE_FORCE {
            uncovered(object, voxels, balls)
        } else {
            uncovered_by_blocks(object, voxels, balls)
        };
        covered += voxels.len() - uncovered.len();
        for &voxel in &uncovered {
            let position = object.centre(voxel as usize);
            verdict.cover.add_fault(Some(number), position, || {
                let excess = balls
                    .iter()
                    .map(|ball| (object.world(position) - ball.centre).norm() - ball.radius)
                    .fold(f64::INFINITY, f64::min);
                format!("a voxel is {excess:.2} beyond the coverage radius")
            });
        }
    }
    verdict.covered = match object.len() {
        0 => 1.0,
        all => covered as f64 / all as f64,
    };
}

/// Returns the inscribed radius at a position in voxel coordinates, that of the voxel that contains
/// it; `None` in the background.
pub fn radius_at(object: &Object, squared_distances: &[f64], voxels: Point3<f64>) -> Option<f64> {
    let at = [0, 1, 2].map(|k| voxels[k].round() as i64);
    object.component_at(at)?;
    let position = [0, 1, 2].map(|k| (at[k] - object.first[k]) as usize);
    Some(squared_distances[object.index(position)].sqrt())
}

fn is_covered(position: Point3<f64>, ball: &Ball) -> bool {
    (position - ball.centre).norm_squared() <= ball.radius * ball.radius
}

/// Returns the voxels that no ball covers.
fn uncovered(object: &Object, voxels: &[u32], balls: &[Ball]) -> Vec<u32> {
    let all = voxels.iter().copied();
    all.filter(|&voxel| {
        let position = object.world(object.centre(voxel as usize));
        !balls.iter().any(|ball| is_covered(position, ball))
    })
    .collect()
}

/// Returns the voxels that no ball covers, testing whole blocks of voxels first.
fn uncovered_by_blocks(object: &Object, voxels: &[u32], balls: &[Ball]) -> Vec<u32> {
    let mut blocks: BTreeMap<[usize; 3], Vec<u32>> = BTreeMap::new();
    for &voxel in voxels {
        let position = object.position(voxel as usize).map(|c| c / BLOCK);
        blocks.entry(position).or_default().push(voxel);
    }
    // the largest distance from the centre of a block
    let half = object.geometry.axes() * nalgebra::Vector3::repeat(BLOCK as f64 / 2.0);
    let axes = object.geometry.axes();
    let half = half
        .norm()
        .max((0..3).map(|k| axes.column(k).norm()).sum::<f64>() * BLOCK as f64 / 2.0);
    let mut uncovered_voxels = Vec::new();
    for (block, voxels) in blocks {
        let first = object.centre(0);
        let middle = block.map(|c| (c * BLOCK) as f64 + (BLOCK as f64 - 1.0) / 2.0);
        let middle = object.world(first + nalgebra::Vector3::from(middle));
        let mut near = Vec::new();
        let is_fully_covered = balls.iter().any(|ball| {
            let far = (middle - ball.centre).norm();
            if far <= ball.radius + half {
                near.push(*ball);
            }
            far + half <= ball.radius
        });
        if !is_fully_covered {
            uncovered_voxels.extend(uncovered(object, &voxels, &near));
        }
    }
    uncovered_voxels
}
