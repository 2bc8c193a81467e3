//! VTK's XML polydata as text: edges as lines, nodes without edges as vertices.

use crate::io::skeleton::SkeletonWriteReport;
use crate::io::skeleton::encoder::{SkeletonContent, SkeletonEncoder, SkeletonFormatInfo};
use crate::io::skeleton::polylines::Polylines;
use crate::io::vtk_xml::{DataArray, PROLOGUE, PieceCounts};
use crate::memory::ExtendOrUnwind;
use std::io::{self, Write};

/// Encoder of VTK XML polydata.
pub(in crate::io::skeleton) struct VtpEncoder;

static INFO: SkeletonFormatInfo = SkeletonFormatInfo {
    name: "VTP",
    extension: "vtp",
    reader: None,
};

/// Data of a cell: a vertex or a line.
struct CellData {
    level: u8,
    component: u32,
    label: i64,
}

impl SkeletonEncoder for VtpEncoder {
    fn info(&self) -> &'static SkeletonFormatInfo {
        &INFO
    }

    fn write(
        &self,
        content: SkeletonContent<'_>,
        out: &mut dyn Write,
    ) -> io::Result<SkeletonWriteReport> {
        let (polylines, cells) = join(content);
        let piece = PieceCounts {
            points: polylines.positions.len() as u64,
            vertices: polylines.isolated_nodes.len() as u64,
            lines: polylines.lines.len() as u64,
            polygons: 0,
        };
        writeln!(out, "{PROLOGUE}<PolyData>\n{piece}")?;
        writeln!(out, "<PointData Scalars=\"radius\">")?;
        DataArray::scalars("Float64", "radius").write_ascii(out, &polylines.radii)?;
        DataArray::scalars("Float64", "section_area").write_ascii(out, &polylines.section_areas)?;
        let level = DataArray::scalars("UInt8", "level");
        level.write_ascii(out, &polylines.levels)?;
        writeln!(out, "</PointData>\n<CellData Scalars=\"level\">")?;
        level.write_ascii(out, cells.iter().map(|cell| cell.level))?;
        DataArray::scalars("UInt32", "component")
            .write_ascii(out, cells.iter().map(|cell| cell.component))?;
        if let SkeletonContent::Labels(_) = content {
            DataArray::scalars("Int64", "label")
                .write_ascii(out, cells.iter().map(|cell| cell.label))?;
        }
        writeln!(out, "</CellData>\n<Points>")?;
        let coordinates = polylines.positions.iter().flat_map(|point| point.iter());
        DataArray::vectors("Float64", "points").write_ascii(out, coordinates)?;
        writeln!(out, "</Points>\n<Verts>")?;
        let vertices = polylines.isolated_nodes.iter();
        write_cells(out, vertices.map(std::slice::from_ref))?;
        writeln!(out, "</Verts>\n<Lines>")?;
        write_cells(out, polylines.lines.iter().map(Vec::as_slice))?;
        writeln!(out, "</Lines>\n</Piece>\n</PolyData>\n</VTKFile>")?;
        Ok(SkeletonWriteReport::default())
    }
}

/// Joins all skeletons. Returns their points and the data of the cells: vertices, then lines.
fn join(content: SkeletonContent<'_>) -> (Polylines, Vec<CellData>) {
    let mut joined = Polylines::default();
    let [mut vertices, mut lines] = [Vec::new(), Vec::new()];
    for (label, skeleton) in content.skeletons() {
        let polylines = Polylines::from_skeleton(skeleton);
        let cell = |node: usize, level| CellData {
            level,
            component: skeleton.nodes[node].component,
            label: label.unwrap_or_default(),
        };
        let isolated_nodes = polylines.isolated_nodes.iter();
        vertices.extend_or_unwind(isolated_nodes.map(|&node| cell(node, 0)));
        let edges = skeleton.edges.iter();
        lines.extend_or_unwind(edges.map(|edge| cell(edge.nodes[0], edge.level)));
        joined.append(polylines);
    }
    vertices.extend_or_unwind(lines);
    (joined, vertices)
}

/// Writes the point indices of cells, and for each cell the end of its indices.
fn write_cells<'a>(
    out: &mut dyn Write,
    cells: impl Iterator<Item = &'a [usize]> + Clone,
) -> io::Result<()> {
    DataArray::scalars("Int64", "connectivity").write_ascii(out, cells.clone().flatten())?;
    let ends = cells.scan(0, |end, cell| {
        *end += cell.len();
        Some(*end)
    });
    DataArray::scalars("Int64", "offsets").write_ascii(out, ends)
}
