//! Writing VTK's XML polydata as text: lines, and nodes without any as vertices.

use super::{Content, polylines::Polylines};
use crate::memory::ExtendOrUnwind;
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

/// What is known of a cell.
struct Cell {
    level: u8,
    component: u32,
    label: i64,
}

/// All skeletons as one, single points, and lines.
fn joined(content: Content<'_>) -> (Polylines, Vec<Cell>) {
    let mut all = Polylines::default();
    let [mut points, mut lines] = [Vec::new(), Vec::new()];
    for (label, skeleton) in content.parts() {
        let polylines = Polylines::of(skeleton);
        let cell = |node: usize, level| Cell {
            level,
            component: skeleton.nodes[node].component,
            label: label.unwrap_or_default(),
        };
        points.extend_or_unwind(polylines.alone.iter().map(|&node| cell(node, 0)));
        let edges = skeleton.edges.iter();
        lines.extend_or_unwind(edges.map(|edge| cell(edge.nodes[0], edge.level)));
        all.append(polylines);
    }
    points.extend_or_unwind(lines);
    (all, points)
}

pub fn write(content: Content<'_>, out: &mut dyn Write) -> io::Result<()> {
    let (polylines, data) = joined(content);
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
    array(
        out,
        "type=\"UInt8\" Name=\"level\"",
        data.iter().map(|cell| cell.level),
    )?;
    array(
        out,
        "type=\"UInt32\" Name=\"component\"",
        data.iter().map(|cell| cell.component),
    )?;
    if let Content::Labels(_) = content {
        array(
            out,
            "type=\"Int64\" Name=\"label\"",
            data.iter().map(|cell| cell.label),
        )?;
    }
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
