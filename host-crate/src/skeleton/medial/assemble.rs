//! Assembly of component skeletons into the skeleton of a label.

use super::{
    certificate::Violation,
    component::ComponentSkeleton,
    report::{ComponentReport, Failure, LabelSkeleton},
    voxels::segment_voxels::to_voxels,
};
use crate::{
    graph::{Edge, Node, NodeKind},
    memory::{CollectOrUnwind, ExtendOrUnwind},
    monitor::StageTime,
};
use nalgebra::Point3;

/// Appends a component's curves and report to its label, and returns the duration of its stages.
/// `spacing` is the smallest spacing in world units.
pub fn append_component(
    label: &mut LabelSkeleton,
    component_skeleton: ComponentSkeleton,
    spacing: f64,
) -> Vec<StageTime> {
    let ComponentSkeleton {
        frame,
        graph,
        certificate,
        betti_numbers,
        ..
    } = component_skeleton;
    let component = label.components.len() as u32;
    let skeleton = &mut label.skeleton;
    let [first_node, first_edge] = [skeleton.nodes.len(), skeleton.edges.len()];
    let to_volume = |at: [f64; 3]| Point3::from(frame.volume_position(at));
    let degrees = graph.degrees();
    for ((&node, &radius), degree) in graph.nodes.iter().zip(&certificate.node_radii).zip(degrees) {
        skeleton.nodes.push_or_unwind(Node {
            kind: match degree {
                0 | 1 => NodeKind::End,
                _ => NodeKind::Junction,
            },
            position: to_volume(to_voxels(node)),
            eigenvalues: None,
            radius: radius * spacing,
            component,
        });
    }
    for (edge, radii) in graph.edges.iter().zip(&certificate.radii) {
        skeleton.edges.push_or_unwind(Edge {
            nodes: edge.nodes.map(|node| first_node + node),
            points: edge
                .points
                .iter()
                .map(|&at| to_volume(to_voxels(at)))
                .collect_or_unwind(),
            radii: radii
                .iter()
                .map(|radius| radius * spacing)
                .collect_or_unwind(),
            level: 0,
        });
    }
    let failure = |violation: Violation| match violation {
        Violation::Disconnected(parts) => Failure::Disconnected { parts },
        Violation::CycleCount(cycles) => Failure::CycleCount {
            cycles,
            tunnels: betti_numbers.tunnels,
        },
        Violation::HomologyRank => Failure::HomologyRank {
            rank: certificate.rank,
            tunnels: betti_numbers.tunnels,
        },
        Violation::Cocycle(triangles) => Failure::Cocycle { triangles },
        Violation::Uncovered { voxels, at } => Failure::Uncovered {
            voxels,
            position: to_volume(at),
        },
        Violation::Outside { edge, segment, at } => Failure::Outside {
            edge: first_edge + edge,
            segment,
            position: to_volume(to_voxels(at)),
        },
        Violation::ZeroLength { edge, segment } => Failure::ZeroLength {
            edge: first_edge + edge,
            segment,
        },
        Violation::SelfOverlap { edge, at } => Failure::SelfOverlap {
            edge: first_edge + edge,
            position: to_volume(to_voxels(at)),
        },
        Violation::TooLong {
            edge,
            length,
            shortest,
        } => Failure::TooLong {
            edge: first_edge + edge,
            length: length * spacing,
            shortest: shortest * spacing,
        },
    };
    label.components.push_or_unwind(ComponentReport {
        first_voxel: component_skeleton.first_voxel,
        voxels: component_skeleton.voxels,
        tunnels: betti_numbers.tunnels,
        cavities: betti_numbers.cavities,
        cycle_rank: certificate.rank,
        is_centred: component_skeleton.is_centred,
        failures: certificate
            .violations
            .into_iter()
            .map(failure)
            .collect_or_unwind(),
    });
    component_skeleton.timings
}
