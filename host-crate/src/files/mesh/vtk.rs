//! Writing VTK's legacy format, version 3.0: binary polydata, big-endian, 32 bit signed indices.

use std::io::{self, Write};

use super::encode::{items, put_be};
use super::with_indices;
use crate::mesh::TriangleMesh;

pub(super) fn write(
    mesh: &TriangleMesh,
    normals: Option<&[[f32; 3]]>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let (vertices, triangles) = (mesh.vertices.len(), mesh.triangles.len());
    writeln!(
        out,
        "# vtk DataFile Version 3.0\nwritten by ferrovox\nBINARY\nDATASET POLYDATA"
    )?;
    writeln!(out, "POINTS {vertices} float")?;
    items(out, &mesh.vertices, |position, bytes| {
        put_be(bytes, *position)
    })?;
    // The second number counts the integers: a 3 and three indices per triangle.
    writeln!(out, "\nPOLYGONS {triangles} {}", 4 * triangles as u128)?;
    with_indices(&mesh.triangles, out, |corners, bytes| {
        bytes.extend_from_slice(&3_i32.to_be_bytes());
        for corner in corners {
            // The number of vertices has been checked: every index fits.
            bytes.extend_from_slice(&(corner as i32).to_be_bytes());
        }
    })?;
    if let Some(normals) = normals {
        writeln!(out, "\nPOINT_DATA {vertices}\nNORMALS normals float")?;
        items(out, normals, |normal, bytes| put_be(bytes, *normal))?;
    }
    writeln!(out)
}
