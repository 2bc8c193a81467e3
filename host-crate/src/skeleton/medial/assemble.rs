//! From curves of components to the graph of a label.

use super::{
    certificate::Fault,
    component::Piece,
    paths::segment_voxels::in_voxels,
    report::{ComponentReport, Failure, LabelSkeleton},
};
use crate::{
    graph::{Edge, Node, NodeKind},
    memory::{CollectOrUnwind, ExtendOrUnwind},
    monitor::StageTime,
};
use nalgebra::Point3;

/// Adds a component's curves to its label's; how long they took.
pub fn add_piece(label: &mut LabelSkeleton, piece: Piece, spacing: f64) -> Vec<StageTime> {
    let Piece {
        frame,
        draft,
        verdict,
        numbers,
        ..
    } = piece;
    let component = label.components.len() as u32;
    let skeleton = &mut label.skeleton;
    let [first_node, first_edge] = [skeleton.nodes.len(), skeleton.edges.len()];
    let place = |at: [f64; 3]| Point3::from(frame.outside(at));
    let degrees = draft.degrees();
    for ((&node, &radius), degree) in draft.nodes.iter().zip(&verdict.node_radii).zip(degrees) {
        skeleton.nodes.push_or_unwind(Node {
            kind: match degree {
                0 | 1 => NodeKind::End,
                _ => NodeKind::Junction,
            },
            position: place(in_voxels(node)),
            eigenvalues: None,
            radius: radius * spacing,
            component,
        });
    }
    for (edge, radii) in draft.edges.iter().zip(&verdict.radii) {
        skeleton.edges.push_or_unwind(Edge {
            nodes: edge.nodes.map(|node| first_node + node),
            points: edge
                .points
                .iter()
                .map(|&at| place(in_voxels(at)))
                .collect_or_unwind(),
            radii: radii
                .iter()
                .map(|radius| radius * spacing)
                .collect_or_unwind(),
            level: 0,
        });
    }
    let failure = |fault: Fault| match fault {
        Fault::Pieces(parts) => Failure::Disconnected { parts },
        Fault::Cycles(cycles) => Failure::CycleCount {
            cycles,
            tunnels: numbers.tunnels,
        },
        Fault::Classes => Failure::HomologyRank {
            rank: verdict.rank,
            tunnels: numbers.tunnels,
        },
        Fault::Cocycle(triangles) => Failure::Cocycle { triangles },
        Fault::Cover { voxels, at } => Failure::Uncovered {
            voxels,
            position: place(at),
        },
        Fault::Outside { edge, segment, at } => Failure::Outside {
            edge: first_edge + edge,
            segment,
            position: place(in_voxels(at)),
        },
        Fault::ZeroLength { edge, segment } => Failure::ZeroLength {
            edge: first_edge + edge,
            segment,
        },
        Fault::Twice { edge, at } => Failure::SelfOverlap {
            edge: first_edge + edge,
            position: place(in_voxels(at)),
        },
        Fault::Detour {
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
        first_voxel: piece.first,
        voxels: piece.voxels,
        tunnels: numbers.tunnels,
        cavities: numbers.cavities,
        cycle_rank: verdict.rank,
        is_centred: piece.centred,
        failures: verdict.faults.into_iter().map(failure).collect_or_unwind(),
    });
    piece.times
}
