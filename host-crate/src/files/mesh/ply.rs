//! Writing PLY: binary, little-endian, one record per vertex with its normal, 32 bit indices.

use std::io::{self, Write};

use super::encode::{items, put_le};
use super::with_indices;
use crate::mesh::TriangleMesh;

pub(super) fn write(
    mesh: &TriangleMesh,
    normals: Option<&[[f32; 3]]>,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(
        out,
        "ply\nformat binary_little_endian 1.0\ncomment written by ferrovox"
    )?;
    writeln!(out, "element vertex {}", mesh.vertices.len())?;
    writeln!(out, "property float x\nproperty float y\nproperty float z")?;
    if normals.is_some() {
        writeln!(
            out,
            "property float nx\nproperty float ny\nproperty float nz"
        )?;
    }
    writeln!(out, "element face {}", mesh.triangles.len())?;
    writeln!(out, "property list uchar uint vertex_indices\nend_header")?;
    match normals {
        None => items(out, &mesh.vertices, |position, bytes| {
            put_le(bytes, *position)
        })?,
        Some(normals) => {
            // Positions and normals alternate; the pairs are made a piece at a time.
            const PIECE: usize = 1 << 19;
            for (positions, normals) in mesh.vertices.chunks(PIECE).zip(normals.chunks(PIECE)) {
                let pairs: Vec<_> = positions.iter().zip(normals).collect();
                items(out, &pairs, |(position, normal), bytes| {
                    put_le(bytes, **position);
                    put_le(bytes, **normal);
                })?;
            }
        }
    }
    with_indices(&mesh.triangles, out, |corners, bytes| {
        bytes.push(3);
        for corner in corners {
            // The number of vertices has been checked: every index fits.
            bytes.extend_from_slice(&(corner as u32).to_le_bytes());
        }
    })
}
