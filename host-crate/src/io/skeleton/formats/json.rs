//! JSON: nodes and edges with all their attributes.

use crate::graph::{Branch, Skeleton};
use crate::io::skeleton::SkeletonWriteReport;
use crate::io::skeleton::encoder::{SkeletonContent, SkeletonEncoder, SkeletonFormatInfo};
use crate::memory::{CollectOrUnwind, copy_or_unwind};
use nalgebra::Point3;
use serde::Serialize;
use std::io::{self, Write};

/// Encoder of JSON.
pub(in crate::io::skeleton) struct JsonEncoder;

static INFO: SkeletonFormatInfo = SkeletonFormatInfo {
    name: "JSON",
    extension: "json",
    reader: None,
};

/// File of a single skeleton.
#[derive(Serialize)]
struct File {
    format: &'static str,
    /// Voxel-to-world matrix, row by row.
    affine: [[f64; 4]; 4],
    #[serde(flatten)]
    graph: Graph,
}

/// File of one skeleton per label.
#[derive(Serialize)]
struct LabelsFile {
    format: &'static str,
    /// Voxel-to-world matrix of the volume that all labels share, row by row.
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
    branches: Vec<BranchRow>,
    somas: Vec<Soma>,
}

/// Branch: a chain of edges through nodes of degree 2.
#[derive(Serialize)]
struct BranchRow {
    kind: &'static str,
    edges: Vec<usize>,
    nodes: [usize; 2],
    length: f64,
    distance: f64,
    tortuosity: Option<f64>,
    mean_radius: f64,
    min_radius: f64,
    max_radius: f64,
    mean_section_area: Option<f64>,
    strahler_order: Option<u32>,
}

/// Cell body.
#[derive(Serialize)]
struct Soma {
    position: [f64; 3],
    radius: f64,
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
    /// Areas of the cross-sections, null where undefined; empty if they were not measured.
    section_areas: Vec<Option<f64>>,
}

fn coordinates(point: Point3<f64>) -> [f64; 3] {
    point.coords.into()
}

fn affine(skeleton: &Skeleton) -> [[f64; 4]; 4] {
    skeleton.geometry.affine().transpose().into()
}

impl SkeletonEncoder for JsonEncoder {
    fn info(&self) -> &'static SkeletonFormatInfo {
        &INFO
    }

    fn write(
        &self,
        content: SkeletonContent<'_>,
        out: &mut dyn Write,
    ) -> io::Result<SkeletonWriteReport> {
        match content {
            SkeletonContent::Single(skeleton) => {
                let file = File {
                    format: "ferrovox skeleton 1",
                    affine: affine(skeleton),
                    graph: Graph::from_skeleton(skeleton),
                };
                serde_json::to_writer(&mut *out, &file)
            }
            SkeletonContent::Labels(labels) => {
                let empty = Skeleton::default();
                let with_label = |&(label, skeleton): &(i64, &Skeleton)| Label {
                    label,
                    graph: Graph::from_skeleton(skeleton),
                };
                let file = LabelsFile {
                    format: "ferrovox skeletons 1",
                    affine: affine(labels.first().map_or(&empty, |first| first.1)),
                    labels: labels.iter().map(with_label).collect_or_unwind(),
                };
                serde_json::to_writer(&mut *out, &file)
            }
        }
        .map_err(io::Error::from)?;
        out.write_all(b"\n")?;
        Ok(SkeletonWriteReport::default())
    }
}

impl From<Branch> for BranchRow {
    fn from(branch: Branch) -> Self {
        Self {
            kind: branch.kind.name(),
            tortuosity: branch.tortuosity(),
            nodes: branch.chain.ends(),
            edges: branch.chain.edges,
            length: branch.length,
            distance: branch.distance,
            mean_radius: branch.mean_radius,
            min_radius: branch.min_radius,
            max_radius: branch.max_radius,
            mean_section_area: branch.mean_section_area,
            strahler_order: branch.strahler_order,
        }
    }
}

impl Graph {
    fn from_skeleton(skeleton: &Skeleton) -> Self {
        let degrees = skeleton.degrees();
        let nodes = skeleton.nodes.iter().zip(degrees).enumerate();
        Self {
            components: skeleton.components().count,
            cycles: skeleton.cycles(),
            length: skeleton.length(),
            nodes: nodes
                .map(|(index, (node, degree))| Node {
                    kind: node.kind.name(),
                    position: coordinates(skeleton.node_in_world(index)),
                    voxel: coordinates(node.position),
                    radius: node.radius,
                    component: node.component,
                    degree,
                    // JSON cannot represent numbers that are not finite.
                    eigenvalues: node
                        .eigenvalues
                        .filter(|values| values.iter().all(|x| x.is_finite())),
                })
                .collect_or_unwind(),
            edges: skeleton
                .edges
                .iter()
                .enumerate()
                .map(|(index, edge)| Edge {
                    nodes: edge.nodes,
                    level: edge.level,
                    length: skeleton.curve_length(edge),
                    points: skeleton
                        .edge_in_world(index)
                        .into_iter()
                        .map(coordinates)
                        .collect_or_unwind(),
                    radii: copy_or_unwind(&edge.radii),
                    section_areas: copy_or_unwind(&edge.section_areas),
                })
                .collect_or_unwind(),
            branches: skeleton
                .branches()
                .into_iter()
                .map(BranchRow::from)
                .collect_or_unwind(),
            somas: skeleton
                .somas()
                .into_iter()
                .map(|soma| Soma {
                    position: coordinates(skeleton.to_world(soma.position)),
                    radius: soma.radius,
                })
                .collect_or_unwind(),
        }
    }
}
