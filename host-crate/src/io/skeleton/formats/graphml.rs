//! GraphML (Brandes et al. 2001): nodes and edges with attributes, for network programs such as
//! NetworkX, igraph and Gephi.

use crate::graph::{Edge, Skeleton};
use crate::io::skeleton::SkeletonWriteReport;
use crate::io::skeleton::encoder::{SkeletonContent, SkeletonEncoder, SkeletonFormatInfo};
use std::io::{self, Write};

/// Encoder of GraphML.
pub(in crate::io::skeleton) struct GraphmlEncoder;

static INFO: SkeletonFormatInfo = SkeletonFormatInfo {
    name: "GraphML",
    extension: "graphml",
    reader: None,
};

/// Attributes: element, name and type.
const ATTRIBUTES: [(&str, &str, &str); 14] = [
    ("node", "x", "double"),
    ("node", "y", "double"),
    ("node", "z", "double"),
    ("node", "node_radius", "double"),
    ("node", "kind", "string"),
    ("node", "component", "int"),
    ("node", "label", "long"),
    ("edge", "length", "double"),
    ("edge", "mean_radius", "double"),
    ("edge", "min_radius", "double"),
    ("edge", "max_radius", "double"),
    ("edge", "mean_section_area", "double"),
    ("edge", "level", "int"),
    ("edge", "points", "string"),
];

impl SkeletonEncoder for GraphmlEncoder {
    fn info(&self) -> &'static SkeletonFormatInfo {
        &INFO
    }

    fn write(
        &self,
        content: SkeletonContent<'_>,
        out: &mut dyn Write,
    ) -> io::Result<SkeletonWriteReport> {
        writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
        writeln!(
            out,
            "<graphml xmlns=\"http://graphml.graphdrawing.org/xmlns\">"
        )?;
        for (element, name, kind) in ATTRIBUTES {
            writeln!(
                out,
                "<key id=\"{name}\" for=\"{element}\" attr.name=\"{name}\" attr.type=\"{kind}\"/>"
            )?;
        }
        writeln!(out, "<graph id=\"skeleton\" edgedefault=\"undirected\">")?;
        let mut first = 0;
        for (label, skeleton) in content.skeletons() {
            write_nodes(out, skeleton, label, first)?;
            for (number, edge) in skeleton.edges.iter().enumerate() {
                write_edge(out, skeleton, number, edge, first)?;
            }
            first += skeleton.nodes.len();
        }
        writeln!(out, "</graph>\n</graphml>")?;
        Ok(SkeletonWriteReport::default())
    }
}

/// Writes an attribute of the current element.
fn write_data(out: &mut dyn Write, name: &str, value: impl ToString) -> io::Result<()> {
    writeln!(out, "<data key=\"{name}\">{}</data>", value.to_string())
}

/// Writes the nodes of a skeleton, numbered from `first`.
fn write_nodes(
    out: &mut dyn Write,
    skeleton: &Skeleton,
    label: Option<i64>,
    first: usize,
) -> io::Result<()> {
    for (number, node) in skeleton.nodes.iter().enumerate() {
        writeln!(out, "<node id=\"n{}\">", first + number)?;
        let position: [f64; 3] = skeleton.node_in_world(number).into();
        for (name, value) in ["x", "y", "z"].into_iter().zip(position) {
            write_data(out, name, value)?;
        }
        write_data(out, "node_radius", node.radius)?;
        write_data(out, "kind", node.kind.name())?;
        write_data(out, "component", node.component)?;
        if let Some(label) = label {
            write_data(out, "label", label)?;
        }
        writeln!(out, "</node>")?;
    }
    Ok(())
}

/// Writes an edge between nodes numbered from `first`. Its points are a list of `x y z` separated
/// by semicolons.
fn write_edge(
    out: &mut dyn Write,
    skeleton: &Skeleton,
    number: usize,
    edge: &Edge,
    first: usize,
) -> io::Result<()> {
    let [from, to] = edge.nodes.map(|node| first + node);
    writeln!(out, "<edge source=\"n{from}\" target=\"n{to}\">")?;
    write_data(out, "length", skeleton.curve_length(edge))?;
    let radii = edge.radii.iter().copied();
    let mean = radii.clone().sum::<f64>() / edge.radii.len() as f64;
    write_data(out, "mean_radius", mean)?;
    write_data(
        out,
        "min_radius",
        radii.clone().fold(f64::INFINITY, f64::min),
    )?;
    write_data(out, "max_radius", radii.fold(0.0, f64::max))?;
    let areas = edge.section_areas.iter().flatten();
    let (sum, count) = areas.fold((0.0, 0u32), |(sum, count), area| (sum + area, count + 1));
    if count > 0 {
        write_data(out, "mean_section_area", sum / f64::from(count))?;
    }
    write_data(out, "level", edge.level)?;
    write!(out, "<data key=\"points\">")?;
    for (point, at) in skeleton.edge_in_world(number).into_iter().enumerate() {
        let separator = if point > 0 { ";" } else { "" };
        write!(out, "{separator}{} {} {}", at.x, at.y, at.z)?;
    }
    writeln!(out, "</data>\n</edge>")
}
