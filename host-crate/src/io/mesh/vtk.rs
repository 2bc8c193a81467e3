//! Writing VTK's legacy format, version 3.0: binary polydata, big-endian, 32 bit signed indices.

use super::parts::{MeshCounts, Part};

pub(super) fn parts(counts: MeshCounts, normals: bool) -> Vec<Part> {
    let MeshCounts {
        vertices,
        triangles,
    } = counts;
    // The second number counts the integers: a 3 and three indices per triangle.
    let integers = 4 * u128::from(triangles);
    let mut parts = vec![
        Part::text(format!(
            "# vtk DataFile Version 3.0\nwritten by ferrovox\nBINARY\nDATASET POLYDATA\nPOINTS {vertices} float\n"
        )),
        Part::Vertices,
        Part::text(format!("\nPOLYGONS {triangles} {integers}\n")),
        Part::Triangles,
    ];
    if normals {
        parts.push(Part::text(format!(
            "\nPOINT_DATA {vertices}\nNORMALS normals float\n"
        )));
        parts.push(Part::Normals);
    }
    parts.push(Part::text("\n".to_owned()));
    parts
}

pub(super) fn put_triangle(bytes: &mut Vec<u8>, corners: [u64; 3]) {
    bytes.extend_from_slice(&3_i32.to_be_bytes());
    for corner in corners {
        // The number of vertices has been checked: every index of a valid mesh fits.
        bytes.extend_from_slice(&(corner as i32).to_be_bytes());
    }
}
