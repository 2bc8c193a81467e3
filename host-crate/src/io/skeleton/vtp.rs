//! Writing VTK's XML polydata as text: lines, and nodes without any as vertices.

use super::polylines::Polylines;
use crate::graph::Skeleton;
use std::fmt::Display;
use std::io::{self, Write};

/// Numbers on a line.
const ROW: usize = 12;

fn array<T: Display>(
    out: &mut dyn Write,
    attributes: &str,
    values: impl IntoIterator<Item = T>,
) -> io::Result<()> {
    write!(out, "<DataArray {attributes} format=\"ascii\">")?;
    for (number, value) in values.into_iter().enumerate() {
        let before = if number % ROW == 0 { "\n" } else { " " };
        write!(out, "{before}{value}")?;
    }
    writeln!(out, "\n</DataArray>")
}

fn cells<'a>(
    out: &mut dyn Write,
    cells: impl Iterator<Item = &'a [usize]> + Clone,
) -> io::Result<()> {
    array(
        out,
        "type=\"Int64\" Name=\"connectivity\"",
        cells.clone().flatten(),
    )?;
    let ends = cells.scan(0, |end, cell| {
        *end += cell.len();
        Some(*end)
    });
    array(out, "type=\"Int64\" Name=\"offsets\"", ends)
}

pub fn write(skeleton: &Skeleton, out: &mut dyn Write) -> io::Result<()> {
    let polylines = Polylines::of(skeleton);
    let alone = || polylines.alone.iter();
    writeln!(
        out,
        "<?xml version=\"1.0\"?>\n\
         <VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n\
         <PolyData>\n\
         <Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" NumberOfLines=\"{}\" NumberOfStrips=\"0\" NumberOfPolys=\"0\">",
        polylines.positions.len(),
        polylines.alone.len(),
        polylines.lines.len()
    )?;
    writeln!(out, "<PointData Scalars=\"radius\">")?;
    array(out, "type=\"Float64\" Name=\"radius\"", &polylines.radii)?;
    array(out, "type=\"UInt8\" Name=\"level\"", &polylines.levels)?;
    // vertices are the first cells, then lines
    writeln!(out, "</PointData>\n<CellData Scalars=\"level\">")?;
    let levels = skeleton.edges.iter().map(|edge| edge.level);
    array(
        out,
        "type=\"UInt8\" Name=\"level\"",
        alone().map(|_| 0).chain(levels),
    )?;
    let of_node = |node: usize| skeleton.nodes[node].component;
    let of_edges = skeleton.edges.iter().map(|edge| of_node(edge.nodes[0]));
    array(
        out,
        "type=\"UInt32\" Name=\"component\"",
        alone().map(|&node| of_node(node)).chain(of_edges),
    )?;
    writeln!(out, "</CellData>\n<Points>")?;
    array(
        out,
        "type=\"Float64\" Name=\"points\" NumberOfComponents=\"3\"",
        polylines.positions.iter().flat_map(|point| point.iter()),
    )?;
    writeln!(out, "</Points>\n<Verts>")?;
    cells(out, alone().map(std::slice::from_ref))?;
    writeln!(out, "</Verts>\n<Lines>")?;
    cells(out, polylines.lines.iter().map(Vec::as_slice))?;
    writeln!(out, "</Lines>\n</Piece>\n</PolyData>\n</VTKFile>")
}
