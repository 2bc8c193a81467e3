//! Skeletons of random objects.

use super::{SkeletonizeParams, Skeletons, skeletonize, tests::skeletons};
use crate::{
    grid::{Geometry, Volume},
    monitor::Monitor,
};
use proptest::prelude::*;

/// The distance from a place to a segment.
fn distance(at: [f64; 3], a: [f64; 3], b: [f64; 3]) -> f64 {
    let way = |p: [f64; 3], q: [f64; 3]| [q[0] - p[0], q[1] - p[1], q[2] - p[2]];
    let dot = |p: [f64; 3], q: [f64; 3]| p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
    let (ab, ap) = (way(a, b), way(a, at));
    let t = (dot(ap, ab) / dot(ab, ab).max(1e-9)).clamp(0.0, 1.0);
    let rest = [0, 1, 2].map(|k| ap[k] - t * ab[k]);
    dot(rest, rest).sqrt()
}

/// The orders of axes.
const ORDERS: [[usize; 3]; 6] = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
];

/// Voxels with axes in another order and turned round, moved to the origin, in order.
fn normal(voxels: &[[i64; 3]], order: [usize; 3], flips: usize) -> Vec<[i64; 3]> {
    let sign = |axis: usize| if flips >> axis & 1 == 1 { -1 } else { 1 };
    let mut all: Vec<[i64; 3]> = voxels
        .iter()
        .map(|at| [0, 1, 2].map(|axis| sign(axis) * at[order[axis]]))
        .collect();
    for axis in 0..3 {
        let least = all.iter().map(|at| at[axis]).min().unwrap_or(0);
        for at in &mut all {
            at[axis] -= least;
        }
    }
    all.sort_unstable();
    all
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..Default::default() })]

    /// Any set of voxels, sparse and dense: the hardest topology.
    #[test]
    fn noise_is_certified(seed in any::<u64>(), fill in 0.05f64..0.95, dims in prop::array::uniform3(1usize..12)) {
        let mut state = seed;
        let geometry = Geometry::default();
        let volume = Volume::from_fn(dims, geometry, |_, _, _| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            u8::from(((state >> 40) as f64) < fill * (1u64 << 24) as f64)
        }).unwrap();
        prop_assume!(volume.samples().contains(&1));
        let found = skeletonize(volume.view(), &SkeletonizeParams::default(), Monitor::silent()).unwrap();
        found.labels[0].skeleton.validate().unwrap();
        prop_assert!(found.certified(), "{:?}", found.labels[0].components);
    }

    /// Nets of tubes between random places.
    #[test]
    fn nets_are_certified(
        places in prop::collection::vec(prop::array::uniform3(4.0f64..36.0), 3..9),
        radii in prop::collection::vec(0.6f64..4.0, 12),
        links in prop::collection::vec((0usize..9, 0usize..9), 3..12),
        spacing in prop::sample::select(vec![[1.0; 3], [0.5, 0.5, 1.5], [1.0, 1.0, 2.0], [0.7, 0.7, 1.0]]),
    ) {
        let dims = spacing.map(|step| (40.0 / step) as usize + 1);
        let tubes: Vec<_> = links.iter().zip(&radii)
            .map(|(&(a, b), &radius)| (places[a % places.len()], places[b % places.len()], radius))
            .collect();
        let found = skeletons(dims, spacing, |at| {
            let at = [0, 1, 2].map(|k| at[k] * spacing[k]);
            tubes.iter().any(|&(a, b, radius)| distance(at, a, b) <= radius)
        });
        found.labels[0].skeleton.validate().unwrap();
        prop_assert!(found.certified(), "{:?}", found.labels[0].components);
    }

    /// Axes in another order and turned round, with the spacing: the same skeleton there.
    #[test]
    fn a_skeleton_moves_with_its_object(
        places in prop::collection::vec(prop::array::uniform3(4.0f64..26.0), 2..6),
        radii in prop::collection::vec(2.2f64..5.0, 6),
        order in prop::sample::select(ORDERS.to_vec()),
        flips in prop::array::uniform3(any::<bool>()),
        spacing in prop::sample::select(vec![[1.0; 3], [0.5, 0.5, 1.5], [1.0, 0.8, 2.0]]),
    ) {
        let dims = spacing.map(|step| (30.0 / step) as usize + 1);
        let is_set = |at: [f64; 3]| {
            let at = [0, 1, 2].map(|k| at[k] * spacing[k]);
            places.windows(2).zip(&radii).any(|(ends, &radius)| distance(at, ends[0], ends[1]) <= radius)
        };
        let one = skeletons(dims, spacing, is_set);
        prop_assume!(one.labels[0].components.len() == 1);
        // axis k of the other is axis order[k]
        let back = |at: [f64; 3]| {
            let mut old = [0.0; 3];
            for k in 0..3 {
                let last = (dims[order[k]] - 1) as f64;
                old[order[k]] = if flips[k] { last - at[k] } else { at[k] };
            }
            old
        };
        let other = skeletons(order.map(|k| dims[k]), order.map(|k| spacing[k]), |at| is_set(back(at)));
        let places = |found: &Skeletons, back: &dyn Fn([f64; 3]) -> [f64; 3]| {
            let skeleton = &found.labels[0].skeleton;
            let points = skeleton.edges.iter().flat_map(|edge| &edge.points);
            let mut all: Vec<[i64; 3]> = skeleton.nodes.iter().map(|node| &node.position).chain(points)
                .map(|at| back([at.x, at.y, at.z]).map(|x| (x * 4096.0).round() as i64)).collect();
            all.sort_unstable();
            all
        };
        // an object that is its own mirror image may get either of two skeletons
        let mut voxels = Vec::new();
        for at in (0..dims.iter().product::<usize>()).map(|i| [i % dims[0], i / dims[0] % dims[1], i / dims[0] / dims[1]]) {
            if is_set(at.map(|x| x as f64)) {
                voxels.push(at.map(|x| x as i64));
            }
        }
        let images = (0..48).filter(|&number| {
            let order = ORDERS[number / 8];
            order.map(|k| spacing[k]) == spacing && normal(&voxels, order, number % 8) == normal(&voxels, ORDERS[0], 0)
        });
        prop_assume!(images.count() == 1);
        prop_assert_eq!(places(&one, &|at| at), places(&other, &back));
    }
}
