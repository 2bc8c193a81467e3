//! Whether every voxel has a part of the skeleton near it.

use super::{Object, Rules, Verdict, inside::Traced, samples};
use ferrovox::graph::Skeleton;
use nalgebra::Point3;
use std::collections::BTreeMap;

/// A ball in which voxels are covered.
#[derive(Clone, Copy)]
struct Ball {
    centre: Point3<f64>,
    radius: f64,
}

/// Voxels along each side of a block.
const BLOCK: usize = 8;

/// Up to so many pairs of a voxel and a ball are looked at one by one.
const FEW: usize = 200_000;

/// Compares each voxel's centre with the balls about points of the skeleton in its component. A
/// point has the radius of the voxel that it is in: the distance from that voxel's centre to the
/// nearest centre outside.
pub fn check(
    verdict: &mut Verdict,
    object: &Object,
    skeleton: &Skeleton,
    traced: &Traced,
    rules: &Rules,
    squares: &[f64],
) {
    let smallest = object.spacing().min();
    let reach = rules.reach.unwrap_or(4.0 * smallest);
    let mut balls = vec![Vec::new(); object.count()];
    for sample in samples::along(object, skeleton, Some(traced), 0.5 * smallest) {
        let Some(component) = sample.component else {
            continue;
        };
        let radius = radius_at(object, squares, sample.voxels).unwrap_or(0.0);
        balls[component].push(Ball {
            centre: sample.world,
            radius: rules.scale * radius + reach,
        });
    }
    let mut covered = 0;
    for (number, balls) in balls.iter().enumerate() {
        let voxels = object.component(number);
        let bare = if voxels.len() * balls.len() <= FEW {
            bare(object, voxels, balls)
        } else {
            bare_by_blocks(object, voxels, balls)
        };
        covered += voxels.len() - bare.len();
        for &voxel in &bare {
            let place = object.centre(voxel as usize);
            verdict.cover.fault(Some(number), place, || {
                let over = balls
                    .iter()
                    .map(|ball| (object.world(place) - ball.centre).norm() - ball.radius)
                    .fold(f64::INFINITY, f64::min);
                format!("a voxel is {over:.2} farther from the skeleton than it may be")
            });
        }
    }
    verdict.covered = match object.len() {
        0 => 1.0,
        all => covered as f64 / all as f64,
    };
}

/// The inscribed radius at a place in voxels: that of the voxel it is in. None outside.
pub fn radius_at(object: &Object, squares: &[f64], voxels: Point3<f64>) -> Option<f64> {
    let at = [0, 1, 2].map(|k| voxels[k].round() as i64);
    object.component_at(at)?;
    let place = [0, 1, 2].map(|k| (at[k] - object.first[k]) as usize);
    Some(squares[object.index(place)].sqrt())
}

fn is_covered(place: Point3<f64>, ball: &Ball) -> bool {
    (place - ball.centre).norm_squared() <= ball.radius * ball.radius
}

/// The voxels in no ball.
fn bare(object: &Object, voxels: &[u32], balls: &[Ball]) -> Vec<u32> {
    let all = voxels.iter().copied();
    all.filter(|&voxel| {
        let place = object.world(object.centre(voxel as usize));
        !balls.iter().any(|ball| is_covered(place, ball))
    })
    .collect()
}

/// The same with whole blocks of voxels at a time.
fn bare_by_blocks(object: &Object, voxels: &[u32], balls: &[Ball]) -> Vec<u32> {
    let mut blocks: BTreeMap<[usize; 3], Vec<u32>> = BTreeMap::new();
    for &voxel in voxels {
        let place = object.place(voxel as usize).map(|c| c / BLOCK);
        blocks.entry(place).or_default().push(voxel);
    }
    // the longest way within a block, from its middle
    let half = object.geometry.axes() * nalgebra::Vector3::repeat(BLOCK as f64 / 2.0);
    let axes = object.geometry.axes();
    let half = half
        .norm()
        .max((0..3).map(|k| axes.column(k).norm()).sum::<f64>() * BLOCK as f64 / 2.0);
    let mut left = Vec::new();
    for (block, voxels) in blocks {
        let first = object.centre(0);
        let middle = block.map(|c| (c * BLOCK) as f64 + (BLOCK as f64 - 1.0) / 2.0);
        let middle = object.world(first + nalgebra::Vector3::from(middle));
        let mut near = Vec::new();
        let whole = balls.iter().any(|ball| {
            let far = (middle - ball.centre).norm();
            if far <= ball.radius + half {
                near.push(*ball);
            }
            far + half <= ball.radius
        });
        if !whole {
            left.extend(bare(object, &voxels, &near));
        }
    }
    left
}
