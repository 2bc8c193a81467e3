//! Writing VTK's XML polydata: arrays appended raw, little-endian, 64 bit indices and lengths.

use std::io::{self, Write};

use super::encode::{items, put_le};
use super::with_indices;
use crate::mesh::TriangleMesh;

/// Bytes of the length that stands before each array.
const LENGTH: u64 = 8;

pub(super) fn write(
    mesh: &TriangleMesh,
    normals: Option<&[[f32; 3]]>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (vertices, triangles) = (mesh.vertices.len() as u64, mesh.triangles.len() as u64);
    let vectors = 12 * vertices;
    let connectivity = 24 * triangles;
    let ends = 8 * triangles;
    // Offsets count from the underscore that starts the appended data.
    let connectivity_at = LENGTH + vectors;
    let ends_at = connectivity_at + LENGTH + connectivity;
    let normals_at = ends_at + LENGTH + ends;

    writeln!(out, r#"<?xml version="1.0"?>"#)?;
    writeln!(
        out,
        r#"<VTKFile type="PolyData" version="1.0" byte_order="LittleEndian" header_type="UInt64">"#
    )?;
    writeln!(
        out,
        r#"<PolyData><Piece NumberOfPoints="{vertices}" NumberOfVerts="0" NumberOfLines="0" NumberOfStrips="0" NumberOfPolys="{triangles}">"#
    )?;
    if normals.is_some() {
        writeln!(
            out,
            r#"<PointData Normals="normals"><DataArray type="Float32" Name="normals" NumberOfComponents="3" format="appended" offset="{normals_at}"/></PointData>"#
        )?;
    }
    writeln!(
        out,
        r#"<Points><DataArray type="Float32" Name="points" NumberOfComponents="3" format="appended" offset="0"/></Points>"#
    )?;
    writeln!(
        out,
        r#"<Polys><DataArray type="Int64" Name="connectivity" format="appended" offset="{connectivity_at}"/><DataArray type="Int64" Name="offsets" format="appended" offset="{ends_at}"/></Polys>"#
    )?;
    writeln!(out, r#"</Piece></PolyData>"#)?;
    write!(out, r#"<AppendedData encoding="raw">_"#)?;
    out.write_all(&vectors.to_le_bytes())?;
    items(out, &mesh.vertices, |position, bytes| {
        put_le(bytes, *position)
    })?;
    out.write_all(&connectivity.to_le_bytes())?;
    with_indices(&mesh.triangles, out, |corners, bytes| {
        for corner in corners {
            bytes.extend_from_slice(&corner.to_le_bytes());
        }
    })?;
    out.write_all(&ends.to_le_bytes())?;
    for triangle in 1..=triangles {
        out.write_all(&(3 * triangle).to_le_bytes())?;
    }
    if let Some(normals) = normals {
        out.write_all(&vectors.to_le_bytes())?;
        items(out, normals, |normal, bytes| put_le(bytes, *normal))?;
    }
    writeln!(out, "\n</AppendedData></VTKFile>")
}
