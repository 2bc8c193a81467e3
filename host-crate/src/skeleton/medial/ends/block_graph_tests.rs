//! Comparison of block graphs with brute force.

use super::{
    block_graph::BlockGraph, graph::FrontGraph, input::EndSearchInput, protrusion::Tip,
    region::find_region, rule::EndRule, tip_list::TipList,
};
use crate::{
    grid::Geometry,
    skeleton::medial::{
        context::ComponentContext,
        test_objects::with_context,
        voxels::{neighbour_bits::NEIGHBOURS, object::Object},
    },
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
        has_tunnels: true,
        progress: context.progress,
    }
}

/// Returns the blocks of all voxels.
fn blocks(object: &Object, sides: [f64; 3]) -> Vec<[i32; 3]> {
    let position = |voxel| object.position(voxel);
    (0..object.len())
        .map(|voxel| [0, 1, 2].map(|axis| position(voxel)[axis] / sides[axis] as i32))
        .collect()
}

/// Returns the first voxel of the connected part of each voxel within its block.
fn first_voxels(object: &Object, blocks: &[[i32; 3]]) -> Vec<usize> {
    let mut first: Vec<usize> = (0..object.len()).collect();
    loop {
        let mut has_changed = false;
        for voxel in 0..object.len() {
            for (_, other) in object.neighbours(voxel, NEIGHBOURS) {
                if blocks[voxel] == blocks[other] && first[other] < first[voxel] {
                    first[voxel] = first[other];
                    has_changed = true;
                }
            }
        }
        if !has_changed {
            return first;
        }
    }
}

/// Checks nodes, moments and edges of a graph, the voxels farthest from the first node, and the
/// thickest voxel.
fn check(context: &ComponentContext<'_>, extent: usize) {
    let (object, metric) = (context.object, context.metric);
    let graph = BlockGraph::new(&input(context), extent).unwrap();
    let blocks = blocks(object, graph.node_sides());
    let first_voxels = first_voxels(object, &blocks);
    let nodes: Vec<u32> = (0..object.len() as u32)
        .map(|voxel| graph.node_at(voxel))
        .collect();
    for voxel in 0..object.len() {
        assert_eq!(nodes[voxel], nodes[first_voxels[voxel]]);
    }
    let distinct: BTreeSet<usize> = first_voxels.iter().copied().collect();
    assert_eq!(graph.len(), distinct.len());

    let mut expected_edges = BTreeSet::new();
    for voxel in 0..object.len() {
        for (_, other) in object.neighbours(voxel, NEIGHBOURS) {
            if nodes[voxel] != nodes[other] {
                expected_edges.insert((nodes[voxel], nodes[other]));
            }
        }
    }
    let mut edges = BTreeSet::new();
    for node in 0..graph.len() {
        graph.for_each_neighbour(node, |other, length| {
            assert!(edges.insert((node as u32, other as u32)));
            assert!((1..=graph.longest_edge()).contains(&length));
        });
    }
    assert_eq!(edges, expected_edges);

    let from = graph.position(0);
    for node in 0..graph.len() as u32 {
        let own: Vec<[f64; 3]> = (0..object.len())
            .filter(|&voxel| nodes[voxel] == node)
            .map(|voxel| object.position(voxel).map(f64::from))
            .collect();
        let count = own.len() as f64;
        let mean = [0, 1, 2].map(|axis| own.iter().map(|at| at[axis]).sum::<f64>() / count);
        let squared_distance = |a: [f64; 3], b: [f64; 3]| {
            metric.squared_length([0, 1, 2].map(|axis| a[axis] - b[axis]))
        };
        let spread: f64 = own.iter().map(|&at| squared_distance(at, mean)).sum();
        let (voxels, found_spread) = graph.moments(node);
        assert_eq!(voxels, count);
        assert!((found_spread - spread).abs() <= 1e-9 * (1.0 + spread));
        let centroid = graph.position(node);
        assert!(squared_distance(centroid, mean) <= 1e-18);

        let farthest = graph.farthest_voxel(node, 0);
        let largest = own.iter().map(|&at| squared_distance(at, from));
        let found = object.position(farthest as usize).map(f64::from);
        assert_eq!(nodes[farthest as usize], node);
        assert!(squared_distance(found, from) >= largest.fold(0.0, f64::max) - 1e-9);
    }
    let squares = context.squared_distances;
    let thickest = graph.thickest_voxel(&input(context), 0, f64::INFINITY);
    assert_eq!(
        squares[thickest as usize],
        squares.iter().copied().fold(0.0, f32::max)
    );
}

proptest! {
    #![proptest_config(ProptestConfig { cases: case_count(100), failure_persistence: None, ..Default::default() })]

    #[test]
    fn nodes_are_the_connected_parts_of_blocks(
        dims in prop::array::uniform3(1usize..14),
        fill in 0.2f64..1.0,
        seed in any::<u64>(),
        extent in 2usize..6,
        spacing in prop::sample::select(vec![[1.0; 3], [1.0, 1.0, 2.5], [4.0, 1.0, 2.0]]),
    ) {
        let geometry = Geometry::from_spacing(spacing, [0.0; 3]).unwrap();
        let is_set = |[x, y, z]: [usize; 3]| {
            let mixed = (seed ^ (x + 16 * y + 256 * z) as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            [x, y, z] == [0; 3] || ((mixed >> 40) as f64) < fill * (1u64 << 24) as f64
        };
        with_context(dims, geometry, is_set, |context, _| check(context, extent));
    }
}

#[test]
fn sheets_side_by_side_stay_apart() {
    let geometry = Geometry::from_spacing([1.0; 3], [0.0; 3]).unwrap();
    // two sheets in the same blocks, connected at one end
    let is_set = |[x, y, _]: [usize; 3]| y != 1 || x == 0;
    with_context([32, 3, 16], geometry, is_set, |context, _| {
        let graph = BlockGraph::new(&input(context), 8).unwrap();
        assert_eq!(graph.node_sides(), [8.0; 3]);
        // one node at the connection and two elsewhere, in two layers
        assert_eq!(graph.len(), 2 * (1 + 2 * 3));
    });
}

#[test]
fn regions_have_the_nodes_of_the_whole_component() {
    let geometry = Geometry::from_spacing([1.0; 3], [0.0; 3]).unwrap();
    // a long plate with holes
    let is_set = |[x, y, z]: [usize; 3]| (x * 7 + y * 5 + z * 3) % 11 != 0;
    with_context([160, 24, 6], geometry, is_set, |context, _| {
        let input = input(context);
        let coarse = BlockGraph::new(&input, 4).unwrap();
        let mut tips = TipList::new(&input, RULE);
        let [tip, base] = [0, 12].map(|x| context.object.voxel_at([x, 12, 3]).unwrap() as u32);
        tips.refused.push(Tip {
            base,
            length: 12.0,
            width: 4.0,
            ..Tip::unmeasured(tip)
        });
        let mut looks = tips.plan_looks(&coarse, |_| true, 1);
        let places = find_region(&input, &coarse, &mut looks, 2).unwrap();
        assert_eq!(looks.len(), 1);
        let (part, whole) = (
            coarse.within(&input, 2, &places).unwrap(),
            BlockGraph::new(&input, 2).unwrap(),
        );
        assert!(part.len() < whole.len() * 3 / 4);
        let (mut open, mut closed) = (0, 0);
        for voxel in 0..context.object.len() as u32 {
            if !part.has_voxel(voxel) {
                continue;
            }
            let [node, other] = [part.node_at(voxel), whole.node_at(voxel)];
            if part.is_open(node) {
                open += 1;
                continue;
            }
            closed += 1;
            assert_eq!(part.moments(node), whole.moments(other));
            assert_eq!(part.position(node), whole.position(other));
            let (mut neighbours, mut others) = (0, 0);
            part.for_each_neighbour(node as usize, |_, length| neighbours += length);
            whole.for_each_neighbour(other as usize, |_, length| others += length);
            assert_eq!(neighbours, others);
        }
        assert!(
            open > 0 && closed > 3000,
            "{open} open and {closed} closed voxels"
        );
    });
}
