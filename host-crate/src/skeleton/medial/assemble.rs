//! Assembly of component skeletons into the skeleton of a label.

use super::{
    component::ComponentSkeleton,
    report::{ComponentReport, LabelSkeleton, UncoveredProtrusion, Violation},
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
        measures,
        betti_numbers,
        ..
    } = component_skeleton;
    let component = label.components.len() as u32;
    let skeleton = &mut label.skeleton;
    let [first_node, first_edge] = [skeleton.nodes.len(), skeleton.edges.len()];
    let to_volume = |at: [f64; 3]| Point3::from(frame.volume_position(at));
    let degrees = graph.degrees();
    for ((&node, &radius), degree) in graph.nodes.iter().zip(&measures.node_radii).zip(degrees) {
        skeleton.nodes.push_or_unwind(Node {
            kind: match degree {
                0 | 1 => NodeKind::End,
                _ => NodeKind::Junction,
            },
            position: to_volume(to_voxels(node)),
            eigenvalues: None,
            radius,
            component,
        });
    }
    let measured = measures.radii.into_iter().zip(measures.section_areas);
    for (edge, (radii, section_areas)) in graph.edges.iter().zip(measured) {
        skeleton.edges.push_or_unwind(Edge {
            nodes: edge.nodes.map(|node| first_node + node),
            points: edge
                .points
                .iter()
                .map(|&at| to_volume(to_voxels(at)))
                .collect_or_unwind(),
            radii,
            section_areas,
            level: 0,
        });
    }
    let in_volume = |mut violation: Violation| {
        match &mut violation {
            Violation::Outside { edge, .. }
            | Violation::ZeroLength { edge, .. }
            | Violation::SelfOverlap { edge, .. }
            | Violation::TooLong { edge, .. } => *edge += first_edge,
            _ => {}
        }
        match &mut violation {
            Violation::Uncovered { position, .. }
            | Violation::Outside { position, .. }
            | Violation::SelfOverlap { position, .. } => *position = to_volume((*position).into()),
            Violation::TooLong {
                length, shortest, ..
            } => {
                *length *= spacing;
                *shortest *= spacing;
            }
            _ => {}
        }
        violation
    };
    label.components.push_or_unwind(ComponentReport {
        first_voxel: component_skeleton.first_voxel,
        voxels: component_skeleton.voxels,
        tunnels: betti_numbers.tunnels,
        filled_tunnels: component_skeleton.filled_tunnels,
        cavities: betti_numbers.cavities,
        cycle_rank: certificate.rank,
        is_centred: component_skeleton.is_centred,
        uncovered: component_skeleton.uncovered.map(|tip| UncoveredProtrusion {
            significance: tip.significance,
            length: tip.length * spacing,
            width: tip.width * spacing,
            position: to_volume(tip.position),
        }),
        violations: certificate
            .violations
            .into_iter()
            .map(in_volume)
            .collect_or_unwind(),
    });
    component_skeleton.timings
}
