//! Writing PLY: binary, little-endian, one record per vertex with its normal, 32 bit indices.

use crate::memory;
use std::io::{self, Write};

use super::encode::{items, put_le};
use super::parts::{MeshCounts, Part};

pub(super) fn parts(counts: MeshCounts, normals: bool) -> Vec<Part> {
    vec![header(counts, normals, ""), Part::Vertices, Part::Triangles]
}

/// The header, with lines for what stands behind the corners of a triangle.
pub(super) fn header(counts: MeshCounts, normals: bool, of_face: &str) -> Part {
    let MeshCounts {
        vertices,
        triangles,
    } = counts;
    let normal_fields = if normals {
        "property float nx\nproperty float ny\nproperty float nz\n"
    } else {
        ""
    };
    let header = format!(
        "ply\nformat binary_little_endian 1.0\ncomment written by ferrovox\n\
         element vertex {vertices}\nproperty float x\nproperty float y\nproperty float z\n{normal_fields}\
         element face {triangles}\nproperty list uchar uint vertex_indices\n{of_face}end_header\n"
    );
    Part::text(header)
}

pub(super) fn write_vertices(
    positions: &[[f32; 3]],
    normals: Option<&[[f32; 3]]>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let Some(normals) = normals else {
        return items(out, positions, |position, bytes| put_le(bytes, *position));
    };
    // Positions and normals alternate; the pairs are made a piece at a time.
    const PIECE: usize = 1 << 19;
    for (positions, normals) in positions.chunks(PIECE).zip(normals.chunks(PIECE)) {
        let pairs = memory::try_collect("a piece of the file", positions.iter().zip(normals))?;
        items(out, &pairs, |(position, normal), bytes| {
            put_le(bytes, **position);
            put_le(bytes, **normal);
        })?;
    }
    Ok(())
}

pub(super) fn put_triangle(bytes: &mut Vec<u8>, corners: [u64; 3]) {
    let mut record = [3; 13];
    // The number of vertices has been checked: every index of a valid mesh fits.
    let corners = corners.map(|corner| (corner as u32).to_le_bytes());
    record[1..].copy_from_slice(corners.as_flattened());
    bytes.extend_from_slice(&record);
}
