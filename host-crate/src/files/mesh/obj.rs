//! Writing OBJ: text, indices from 1, each corner with its vertex's normal.

use std::io::{self, Write};

use super::encode::items;
use super::with_indices;
use crate::mesh::TriangleMesh;

pub(super) fn write(
    mesh: &TriangleMesh,
    normals: Option<&[[f32; 3]]>,
    out: &mut dyn Write,
) -> io::Result<()> {
    writeln!(out, "# written by ferrovox")?;
    items(out, &mesh.vertices, |position, bytes| {
        put_line(bytes, "v", position)
    })?;
    if let Some(normals) = normals {
        items(out, normals, |normal, bytes| put_line(bytes, "vn", normal))?;
    }
    let with_normals = normals.is_some();
    with_indices(&mesh.triangles, out, |corners, bytes| {
        bytes.push(b'f');
        for corner in corners {
            let number = u128::from(corner) + 1;
            let written = if with_normals {
                write!(bytes, " {number}//{number}")
            } else {
                write!(bytes, " {number}")
            };
            debug_assert!(written.is_ok(), "memory takes everything");
        }
        bytes.push(b'\n');
    })
}

/// A keyword and three numbers, with the fewest digits that read back as the same f32.
fn put_line(bytes: &mut Vec<u8>, keyword: &str, [x, y, z]: &[f32; 3]) {
    let written = writeln!(bytes, "{keyword} {x} {y} {z}");
    debug_assert!(written.is_ok(), "memory takes everything");
}
