//! Ends of objects regardless of the voxel that the search begins with.

use super::{
    graph::{FrontGraph, VoxelGraph},
    input::EndSearchInput,
    rule::EndRule,
    search::find_ends,
};
use crate::{
    grid::Geometry,
    skeleton::medial::{context::ComponentContext, test_objects::with_context},
};
use proptest::prelude::*;
use std::collections::BTreeSet;
use test_cases::case_count;

const RULE: EndRule = EndRule {
    min_significance: 1.25,
    min_length: 0.0,
};

fn input<'a>(context: &'a ComponentContext<'_>) -> EndSearchInput<'a> {
    EndSearchInput {
        object: context.object,
        metric: context.metric,
        squared_distances: context.squared_distances,
        has_tunnels: false,
        progress: context.progress,
    }
}

/// Ends of the axis and radius of a capsule, in voxels.
type Capsule = ([f64; 3], [f64; 3], f64);

/// Balls with protrusions, each with two ends: a first front can run between their sides.
const SOLIDS: [[Capsule; 4]; 2] = [
    [
        ([31.92, 31.92, 31.92], [27.84, 35.46, 23.92], 19.52),
        ([28.0, 28.0, 28.0], [20.79, 11.93, 24.73], 9.53),
        ([28.0, 28.0, 28.0], [8.29, 35.44, 13.99], 6.36),
        ([28.0, 28.0, 28.0], [19.09, 14.51, 14.18], 7.01),
    ],
    [
        ([31.61, 31.61, 31.61], [32.26, 35.51, 33.82], 18.37),
        ([28.0, 28.0, 28.0], [33.72, 40.0, 33.42], 6.89),
        ([28.0, 28.0, 28.0], [23.77, 37.5, 47.86], 6.31),
        ([28.0, 28.0, 28.0], [15.41, 21.29, 44.66], 8.19),
    ],
];

/// Returns `true` if a point is in a capsule.
fn is_in_capsule(point: [f64; 3], &(a, b, radius): &Capsule) -> bool {
    let difference = |p: [f64; 3], q: [f64; 3]| [0, 1, 2].map(|axis| p[axis] - q[axis]);
    let dot = |p: [f64; 3], q: [f64; 3]| (0..3).map(|axis| p[axis] * q[axis]).sum::<f64>();
    let (along, offset) = (difference(b, a), difference(point, a));
    let at = (dot(offset, along) / dot(along, along)).clamp(0.0, 1.0);
    let rest = difference(offset, along.map(|part| part * at));
    dot(rest, rest) <= radius * radius
}

#[test]
fn ends_do_not_depend_on_the_order_of_axes() {
    const EXTENT: usize = 57;
    let geometry = Geometry::from_spacing([1.0; 3], [0.0; 3]).unwrap();
    for solid in &SOLIDS {
        let mut counts = Vec::new();
        for order in [
            [0, 1, 2],
            [0, 2, 1],
            [1, 0, 2],
            [1, 2, 0],
            [2, 0, 1],
            [2, 1, 0],
        ] {
            let is_set = |at: [usize; 3]| {
                let mut point = [0.0; 3];
                for axis in 0..3 {
                    point[order[axis]] = at[axis] as f64;
                }
                solid.iter().any(|capsule| is_in_capsule(point, capsule))
            };
            with_context([EXTENT; 3], geometry, is_set, |context, _| {
                let ends = find_ends(&input(context), RULE).unwrap();
                counts.push(ends.accepted.len());
            });
        }
        assert_eq!(counts, [2; 6]);
    }
}

#[test]
fn voxel_graphs_have_all_voxels() {
    let geometry = Geometry::from_spacing([1.0; 3], [0.0; 3]).unwrap();
    with_context(
        [7, 1, 1],
        geometry,
        |_| true,
        |context, _| {
            let graph = VoxelGraph::new(context.object, context.metric);
            assert_eq!(graph.len(), 7);
            assert!((0..7).all(|voxel| !graph.is_open(voxel) && graph.node_at(voxel) == voxel));
            let ends = find_ends(&input(context), RULE).unwrap().accepted;
            let mut voxels: Vec<u32> = ends.iter().map(|tip| tip.voxel).collect();
            voxels.sort_unstable();
            assert_eq!(voxels, [0, 6]);
        },
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: case_count(1000), failure_persistence: None, ..Default::default() })]

    #[test]
    fn ends_are_distinct(
        seed in any::<u64>(),
        fill in 0.3f64..1.0,
        dims in prop::array::uniform3(1usize..6),
        min_significance in 0.0f64..1.5,
    ) {
        let geometry = Geometry::from_spacing([1.0; 3], [0.0; 3]).unwrap();
        let is_set = |[x, y, z]: [usize; 3]| {
            let mixed = (seed ^ (x + 16 * y + 256 * z) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            [x, y, z] == [0; 3] || ((mixed >> 40) as f64) < fill * (1u64 << 24) as f64
        };
        with_context(dims, geometry, is_set, |context, _| {
            let rule = EndRule { min_significance, ..RULE };
            let ends = find_ends(&input(context), rule).unwrap().accepted;
            let voxels: BTreeSet<u32> = ends.iter().map(|tip| tip.voxel).collect();
            assert!(voxels.len() == ends.len() || context.object.len() == 1, "{ends:?}");
        });
    }
}
