//! Writing OBJ: text, indices from 1, each corner with its vertex's normal.

use std::io::Write;

use super::parts::Part;

pub(super) fn parts(normals: bool) -> Vec<Part> {
    let mut parts = vec![
        Part::text("# written by ferrovox\n".to_owned()),
        Part::Vertices,
    ];
    if normals {
        parts.push(Part::Normals);
    }
    parts.push(Part::Triangles);
    parts
}

/// A keyword and three numbers, with the fewest digits that read back as the same f32.
pub(super) fn put_line(bytes: &mut Vec<u8>, keyword: &str, [x, y, z]: &[f32; 3]) {
    let written = writeln!(bytes, "{keyword} {x} {y} {z}");
    debug_assert!(written.is_ok(), "memory takes everything");
}

pub(super) fn put_triangle(bytes: &mut Vec<u8>, corners: [u64; 3], normals: bool) {
    bytes.push(b'f');
    for corner in corners {
        let number = u128::from(corner) + 1;
        let written = if normals {
            write!(bytes, " {number}//{number}")
        } else {
            write!(bytes, " {number}")
        };
        debug_assert!(written.is_ok(), "memory takes everything");
    }
    bytes.push(b'\n');
}
