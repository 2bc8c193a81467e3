//! Writing JSON: nodes and edges with all that is known of them.

use super::Content;
use crate::graph::Skeleton;
use crate::memory::{CollectOrUnwind, copy_or_unwind};
use nalgebra::Point3;
use serde::Serialize;
use std::io::{self, Write};

#[derive(Serialize)]
struct File {
    format: &'static str,
    /// From voxels to the world, row by row.
    affine: [[f64; 4]; 4],
    #[serde(flatten)]
    graph: Graph,
}

/// The file of several labels.
#[derive(Serialize)]
struct LabelsFile {
    format: &'static str,
    /// From voxels to the world, row by row: all labels are of one volume.
    affine: [[f64; 4]; 4],
    labels: Vec<Label>,
}

#[derive(Serialize)]
struct Label {
    label: i64,
    #[serde(flatten)]
    graph: Graph,
}

#[derive(Serialize)]
struct Graph {
    components: usize,
    cycles: usize,
    length: f64,
    nodes: Vec<Node>,
    edges: Vec<Edge>,
}

#[derive(Serialize)]
struct Node {
    kind: &'static str,
    position: [f64; 3],
    voxel: [f64; 3],
    radius: f64,
    component: u32,
    degree: usize,
    eigenvalues: Option<[f64; 3]>,
}

#[derive(Serialize)]
struct Edge {
    nodes: [usize; 2],
    level: u8,
    length: f64,
    points: Vec<[f64; 3]>,
    radii: Vec<f64>,
}

fn numbers(point: Point3<f64>) -> [f64; 3] {
    point.coords.into()
}

fn affine(skeleton: &Skeleton) -> [[f64; 4]; 4] {
    skeleton.geometry.affine().transpose().into()
}

pub fn write(content: Content<'_>, out: &mut dyn Write) -> io::Result<()> {
    match content {
        Content::One(skeleton) => {
            let file = File {
                format: "ferrovox skeleton 1",
                affine: affine(skeleton),
                graph: Graph::of(skeleton),
            };
            serde_json::to_writer(&mut *out, &file)
        }
        Content::Labels(labels) => {
            let nothing = Skeleton::default();
            let of_label = |&(label, skeleton): &(i64, &Skeleton)| Label {
                label,
                graph: Graph::of(skeleton),
            };
            let file = LabelsFile {
                format: "ferrovox skeletons 1",
                affine: affine(labels.first().map_or(&nothing, |first| first.1)),
                labels: labels.iter().map(of_label).collect_or_unwind(),
            };
            serde_json::to_writer(&mut *out, &file)
        }
    }
    .map_err(io::Error::from)?;
    out.write_all(b"\n")
}

impl Graph {
    fn of(skeleton: &Skeleton) -> Self {
        let degrees = skeleton.degrees();
        let nodes = skeleton.nodes.iter().zip(degrees).enumerate();
        Self {
            components: skeleton.components().count,
            cycles: skeleton.cycles(),
            length: skeleton.length(),
            nodes: nodes
                .map(|(number, (node, degree))| Node {
                    kind: node.kind.name(),
                    position: numbers(skeleton.node_in_world(number)),
                    voxel: numbers(node.position),
                    radius: node.radius,
                    component: node.component,
                    degree,
                    // JSON has no number for what is not finite
                    eigenvalues: node
                        .eigenvalues
                        .filter(|all| all.iter().all(|x| x.is_finite())),
                })
                .collect_or_unwind(),
            edges: skeleton
                .edges
                .iter()
                .enumerate()
                .map(|(number, edge)| Edge {
                    nodes: edge.nodes,
                    level: edge.level,
                    length: skeleton.length_of(edge),
                    points: skeleton
                        .edge_in_world(number)
                        .into_iter()
                        .map(numbers)
                        .collect_or_unwind(),
                    radii: copy_or_unwind(&edge.radii),
                })
                .collect_or_unwind(),
        }
    }
}
