//! Writing VTK's XML polydata: arrays appended raw, little-endian, 64 bit indices and lengths.

use crate::memory;
use std::io::{self, Write};

use super::parts::{MeshCounts, Part};

/// Bytes of the length that stands before each array.
const LENGTH: u64 = 8;

pub(super) fn parts(counts: MeshCounts, normals: bool) -> Vec<Part> {
    let mut parts = body(counts, normals, &[]);
    parts.push(end());
    parts
}

/// What stands behind the last array.
pub(super) fn end() -> Part {
    Part::text("\n</AppendedData></VTKFile>\n".to_owned())
}

/// The length in bytes that stands before an array.
pub(super) fn length(bytes: u64) -> Part {
    Part::Bytes(bytes.to_le_bytes().to_vec())
}

/// All up to the arrays with these names, of which each has one number of 64 bits for each
/// triangle, and a length before it.
pub(super) fn body(counts: MeshCounts, normals: bool, of_triangles: &[&str]) -> Vec<Part> {
    let MeshCounts {
        vertices,
        triangles,
    } = counts;
    let vectors = 12 * vertices;
    let connectivity = 24 * triangles;
    let ends = 8 * triangles;
    // Offsets count from the underscore that starts the appended data.
    let connectivity_at = LENGTH + vectors;
    let ends_at = connectivity_at + LENGTH + connectivity;
    let normals_at = ends_at + LENGTH + ends;

    let normals_array = if normals {
        format!(
            "<PointData Normals=\"normals\"><DataArray type=\"Float32\" Name=\"normals\" NumberOfComponents=\"3\" \
             format=\"appended\" offset=\"{normals_at}\"/></PointData>\n"
        )
    } else {
        String::new()
    };
    let of_triangles_at = normals_at + if normals { LENGTH + vectors } else { 0 };
    let mut cells = String::new();
    for (number, name) in of_triangles.iter().enumerate() {
        let at = of_triangles_at + number as u64 * (LENGTH + 8 * triangles);
        cells += &format!(
            "<DataArray type=\"Int64\" Name=\"{name}\" format=\"appended\" offset=\"{at}\"/>"
        );
    }
    if !of_triangles.is_empty() {
        cells = format!(
            "<CellData Scalars=\"{}\">{cells}</CellData>\n",
            of_triangles[0]
        );
    }
    let header = format!(
        r#"<?xml version="1.0"?>
<VTKFile type="PolyData" version="1.0" byte_order="LittleEndian" header_type="UInt64">
<PolyData><Piece NumberOfPoints="{vertices}" NumberOfVerts="0" NumberOfLines="0" NumberOfStrips="0" NumberOfPolys="{triangles}">
{normals_array}{cells}<Points><DataArray type="Float32" Name="points" NumberOfComponents="3" format="appended" offset="0"/></Points>
<Polys><DataArray type="Int64" Name="connectivity" format="appended" offset="{connectivity_at}"/><DataArray type="Int64" Name="offsets" format="appended" offset="{ends_at}"/></Polys>
</Piece></PolyData>
<AppendedData encoding="raw">_"#
    );
    let mut parts = vec![
        Part::text(header),
        length(vectors),
        Part::Vertices,
        length(connectivity),
        Part::Triangles,
        length(ends),
        Part::Ends,
    ];
    if normals {
        parts.extend([length(vectors), Part::Normals]);
    }
    parts
}

pub(super) fn put_triangle(bytes: &mut Vec<u8>, corners: [u64; 3]) {
    for corner in corners {
        bytes.extend_from_slice(&corner.to_le_bytes());
    }
}

/// Where each triangle's indices end in the connectivity.
pub(super) fn write_ends(triangles: u64, out: &mut dyn Write) -> io::Result<()> {
    const PIECE: u64 = 1 << 15;
    let mut written = 0;
    let mut ends = Vec::new();
    memory::try_reserve("a piece of the file", &mut ends, 8 * PIECE as usize)?;
    while written < triangles {
        let next = triangles.min(written + PIECE);
        for triangle in written + 1..=next {
            ends.extend_from_slice(&(3 * triangle).to_le_bytes());
        }
        out.write_all(&ends)?;
        ends.clear();
        written = next;
    }
    Ok(())
}
