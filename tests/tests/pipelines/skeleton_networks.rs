//! Skeletons of random voxels and of networks of tubes, and of permuted and reflected objects.

use super::skeleton_shapes::skeletons;
use ferrovox::{
    grid::{Geometry, Volume},
    monitor::Monitor,
    skeleton::medial::{self, Skeletons},
};
use proptest::prelude::*;
use std::collections::HashSet;
use test_cases::case_count;

/// Returns the distance of a point from a segment.
fn distance_to_segment(at: [f64; 3], a: [f64; 3], b: [f64; 3]) -> f64 {
    let vector = |p: [f64; 3], q: [f64; 3]| [q[0] - p[0], q[1] - p[1], q[2] - p[2]];
    let dot = |p: [f64; 3], q: [f64; 3]| p[0] * q[0] + p[1] * q[1] + p[2] * q[2];
    let (ab, ap) = (vector(a, b), vector(a, at));
    let t = (dot(ap, ab) / dot(ab, ab).max(1e-9)).clamp(0.0, 1.0);
    let perpendicular = [0, 1, 2].map(|k| ap[k] - t * ab[k]);
    dot(perpendicular, perpendicular).sqrt()
}

/// Returns `true` if a point is in a tube around a segment; fast for distant points.
fn is_within(at: [f64; 3], a: [f64; 3], b: [f64; 3], radius: f64) -> bool {
    let reach = radius + 1e-6;
    let is_near = |k: usize| at[k] >= a[k].min(b[k]) - reach && at[k] <= a[k].max(b[k]) + reach;
    is_near(0) && is_near(1) && is_near(2) && distance_to_segment(at, a, b) <= radius
}

/// Permutations of the axes.
const ORDERS: [[usize; 3]; 6] = [
    [0, 1, 2],
    [0, 2, 1],
    [1, 0, 2],
    [1, 2, 0],
    [2, 0, 1],
    [2, 1, 0],
];

/// Returns the number of axis permutations and reflections that preserve the spacing and map a set
/// of voxels to itself, up to translation.
fn symmetry_count(voxels: &HashSet<[i64; 3]>, spacing: [f64; 3]) -> usize {
    let along = |axis: usize| voxels.iter().map(move |at| at[axis]);
    let low = [0, 1, 2].map(|axis| along(axis).min().unwrap_or(0));
    let high = [0, 1, 2].map(|axis| along(axis).max().unwrap_or(0));
    let is_same = |order: [usize; 3], flips: usize| {
        let moved = |at: &[i64; 3]| {
            [0, 1, 2].map(|axis| {
                let old = order[axis];
                let is_flipped = flips >> axis & 1 == 1;
                low[axis]
                    + if is_flipped {
                        high[old] - at[old]
                    } else {
                        at[old] - low[old]
                    }
            })
        };
        // the map is injective, so if all images are voxels, all voxels are images
        voxels.iter().all(|at| voxels.contains(&moved(at)))
    };
    let orders = ORDERS
        .into_iter()
        .filter(|order| order.map(|k| spacing[k]) == spacing);
    orders
        .map(|order| (0..8).filter(|&flips| is_same(order, flips)).count())
        .sum()
}

/// Returns the number of random objects of each kind: that of the environment variable
/// `FERROVOX_SKELETON_OBJECTS`, by default 500, or 100 in a shard.
fn object_count() -> u32 {
    match std::env::var("FERROVOX_SKELETON_OBJECTS") {
        Ok(count) => count.parse().expect("a number of objects"),
        Err(_) => case_count(500),
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: object_count(), failure_persistence: None, ..Default::default() })]

    /// Random sets of voxels, sparse and dense, with the most complex topology.
    #[test]
    fn noise_is_certified(seed in any::<u64>(), fill in 0.05f64..0.95, dims in prop::array::uniform3(1usize..12)) {
        let mut state = seed;
        let geometry = Geometry::default();
        let volume = Volume::from_fn(dims, geometry, |_, _, _| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            u8::from(((state >> 40) as f64) < fill * (1u64 << 24) as f64)
        }).unwrap();
        prop_assume!(volume.samples().contains(&1));
        let skeletons = medial::extract(&[], volume.view(), &medial::Params::default(), Monitor::new()).unwrap();
        skeletons.labels[0].skeleton.validate().unwrap();
        prop_assert!(skeletons.is_certified(), "{:?}", skeletons.labels[0].components);
    }

    /// Networks of tubes between random points.
    #[test]
    fn networks_are_certified(
        points in prop::collection::vec(prop::array::uniform3(4.0f64..36.0), 3..9),
        radii in prop::collection::vec(0.6f64..4.0, 12),
        links in prop::collection::vec((0usize..9, 0usize..9), 3..12),
        spacing in prop::sample::select(vec![[1.0; 3], [0.5, 0.5, 1.5], [1.0, 1.0, 2.0], [0.7, 0.7, 1.0]]),
    ) {
        let dims = spacing.map(|step| (40.0 / step) as usize + 1);
        let tubes: Vec<_> = links.iter().zip(&radii)
            .map(|(&(a, b), &radius)| (points[a % points.len()], points[b % points.len()], radius))
            .collect();
        let skeletons = skeletons(dims, spacing, |at| {
            let at = [0, 1, 2].map(|k| at[k] * spacing[k]);
            tubes.iter().any(|&(a, b, radius)| is_within(at, a, b, radius))
        });
        skeletons.labels[0].skeleton.validate().unwrap();
        prop_assert!(skeletons.is_certified(), "{:?}", skeletons.labels[0].components);
    }

    /// Permuting and reflecting the axes, including the spacing, yields the permuted and reflected
    /// skeleton.
    #[test]
    fn skeleton_is_equivariant_under_axis_permutations_and_reflections(
        points in prop::collection::vec(prop::array::uniform3(4.0f64..26.0), 2..6),
        radii in prop::collection::vec(2.2f64..5.0, 6),
        order in prop::sample::select(ORDERS.to_vec()),
        flips in prop::array::uniform3(any::<bool>()),
        spacing in prop::sample::select(vec![[1.0; 3], [0.5, 0.5, 1.5], [1.0, 0.8, 2.0]]),
    ) {
        let dims = spacing.map(|step| (30.0 / step) as usize + 1);
        let is_set = |at: [f64; 3]| {
            let at = [0, 1, 2].map(|k| at[k] * spacing[k]);
            points.windows(2).zip(&radii).any(|(ends, &radius)| is_within(at, ends[0], ends[1], radius))
        };
        let original = skeletons(dims, spacing, is_set);
        prop_assume!(original.labels[0].components.len() == 1);
        // axis k of the permuted object is axis order[k]
        let back = |at: [f64; 3]| {
            let mut old = [0.0; 3];
            for k in 0..3 {
                let last = (dims[order[k]] - 1) as f64;
                old[order[k]] = if flips[k] { last - at[k] } else { at[k] };
            }
            old
        };
        let permuted = skeletons(order.map(|k| dims[k]), order.map(|k| spacing[k]), |at| is_set(back(at)));
        let points = |skeletons: &Skeletons, back: &dyn Fn([f64; 3]) -> [f64; 3]| {
            let skeleton = &skeletons.labels[0].skeleton;
            let points = skeleton.edges.iter().flat_map(|edge| &edge.points);
            let mut all: Vec<[i64; 3]> = skeleton.nodes.iter().map(|node| &node.position).chain(points)
                .map(|at| back([at.x, at.y, at.z]).map(|x| (x * 4096.0).round() as i64)).collect();
            all.sort_unstable();
            all
        };
        // an object that is its own mirror image may get either of two skeletons
        let mut voxels = HashSet::new();
        for at in (0..dims.iter().product::<usize>()).map(|i| [i % dims[0], i / dims[0] % dims[1], i / dims[0] / dims[1]]) {
            if is_set(at.map(|x| x as f64)) {
                voxels.insert(at.map(|x| x as i64));
            }
        }
        prop_assume!(symmetry_count(&voxels, spacing) == 1);
        prop_assert_eq!(points(&original, &|at| at), points(&permuted, &back));
    }
}

#[test]
fn symmetry_counts_of_simple_objects() {
    let images =
        |voxels: &[[i64; 3]], spacing| symmetry_count(&voxels.iter().copied().collect(), spacing);
    assert_eq!(images(&[[5, -2, 3]], [1.0; 3]), 48);
    assert_eq!(images(&[[5, -2, 3]], [1.0, 2.0, 1.0]), 16);
    assert_eq!(images(&[[0, 0, 0], [0, 1, 0]], [1.0; 3]), 16);
    let corner = [[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]];
    assert_eq!(images(&corner, [1.0; 3]), 1);
}
