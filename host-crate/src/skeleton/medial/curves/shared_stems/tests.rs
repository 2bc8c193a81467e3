use super::*;
use crate::{
    grid::{Geometry, Metric},
    skeleton::medial::{
        paths::edge_weights::DistancesAndWeights,
        progress::ComponentProgress,
        voxels::{
            boundary_faces::BoundaryFaces,
            distance_transform::squared_distances,
            frame::Frame,
            object::Object,
            runs::Run,
            segment_voxels::{to_fixed, to_voxels},
        },
    },
};

/// Merges shared stems of curves in a solid block, in which all paths have the same homology class.
fn merge_in_block(nodes: &[[f64; 3]], edges: &[([usize; 2], &[[f64; 3]])]) -> IntermediateGraph {
    let run = |row: u32| Run {
        start: 0,
        end: 40,
        y: row % 40,
        z: row / 40,
        label: 1,
    };
    let runs: Vec<Run> = (0..1600).map(run).collect();
    let (metric, _) = Metric::rounded(&Geometry::default());
    let progress = &ComponentProgress::disabled();
    let object = &Object::new(&runs, &Frame::unpermuted(&runs), progress).unwrap();
    let squared_distances = squared_distances(object, &metric, progress).unwrap();
    let DistancesAndWeights {
        squared_distances,
        edge_weights,
    } = &DistancesAndWeights::new(object, &metric, squared_distances);
    let context = ComponentContext {
        object,
        metric: &metric,
        squared_distances,
        boundary: &BoundaryFaces::new(object, &metric),
        edge_weights,
        progress,
    };
    let mut graph = IntermediateGraph {
        nodes: nodes.iter().map(|&at| to_fixed(at)).collect(),
        edges: Vec::new(),
    };
    for &(ends, inner) in edges {
        let mut points = vec![graph.nodes[ends[0]]];
        points.extend(inner.iter().map(|&at| to_fixed(at)));
        points.push(graph.nodes[ends[1]]);
        graph.edges.push(GraphEdge {
            nodes: ends,
            points,
            voxels: Vec::new(),
        });
    }
    merge_shared_stems(&context, &Cocycle::zero(), &mut graph).unwrap();
    assert!(self_overlap::find_all(&context, &graph).is_empty());
    graph
}

#[test]
fn curves_at_a_small_angle_share_a_stem() {
    let nodes = [
        [5.0, 20.0, 20.0],
        [30.0, 20.0, 20.0],
        [30.0, 30.0, 20.0],
        [5.0, 5.0, 20.0],
    ];
    let along = [[15.0, 20.0, 20.0]];
    let nearly_parallel = [[15.0, 20.1, 20.0], [18.0, 20.2, 20.0]];
    let graph = merge_in_block(
        &nodes,
        &[([0, 1], &along), ([0, 2], &nearly_parallel), ([0, 3], &[])],
    );
    // the stem and the third curve form one edge
    assert_eq!((graph.nodes.len(), graph.edges.len()), (4, 3));
    let degrees = graph.degrees();
    let junction = degrees.iter().position(|&degree| degree == 3).unwrap();
    let [x, y, _] = to_voxels(graph.nodes[junction]);
    assert!(
        (17.0..20.0).contains(&x) && (y - 20.0).abs() < 0.3,
        "{x} {y}"
    );
}

#[test]
fn curve_that_lies_on_another_is_removed() {
    let nodes = [[5.0, 20.0, 20.0], [30.0, 20.0, 20.0], [12.0, 20.1, 20.0]];
    let graph = merge_in_block(&nodes, &[([0, 1], &[]), ([0, 2], &[])]);
    assert_eq!((graph.nodes.len(), graph.edges.len()), (2, 1));
}

#[test]
fn folded_curve_is_shortened() {
    let nodes = [[5.0, 20.0, 20.0], [30.0, 20.0, 20.0]];
    let fold = [[15.0, 20.0, 20.0], [15.0, 24.0, 20.0], [15.05, 20.0, 20.0]];
    let graph = merge_in_block(&nodes, &[([0, 1], &fold)]);
    assert_eq!(graph.edges.len(), 1);
    assert!(
        graph.edges[0]
            .points
            .iter()
            .all(|at| to_voxels(*at)[1] < 20.5)
    );
}

#[test]
fn intersecting_curves_meet_without_an_extra_cycle() {
    // two curves between nodes joined by a short edge, which intersect farther on
    let nodes = [
        [5.0, 20.0, 20.0],
        [5.0, 22.0, 20.0],
        [35.0, 26.0, 20.0],
        [35.0, 16.0, 20.0],
    ];
    let edges: [([usize; 2], &[[f64; 3]]); 3] = [([0, 1], &[]), ([0, 2], &[]), ([1, 3], &[])];
    let graph = merge_in_block(&nodes, &edges);
    let ends = graph
        .degrees()
        .iter()
        .filter(|&&degree| degree == 1)
        .count();
    assert_eq!(graph.edges.len() + 1, graph.nodes.len());
    assert!(ends >= 2, "{ends}");
}
