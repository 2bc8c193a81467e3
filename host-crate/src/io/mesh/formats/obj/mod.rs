//! Wavefront OBJ: text, 1-based indices, each corner with the normal of its vertex.

mod reader;

use crate::io::mesh::encoder::{DataBlock, MeshEncoder, MeshFormatInfo, MeshLayout, MeshReader};
use crate::io::wavefront;
use std::fmt;

/// Encoder of OBJ.
pub(in crate::io::mesh) struct ObjEncoder;

static INFO: MeshFormatInfo = MeshFormatInfo {
    reader: Some(MeshReader {
        encodings: "positions and faces",
        read: reader::read,
    }),
    normals: "per vertex",
    indices: "any width",
    stores_f64: true,
    ..MeshFormatInfo::new("OBJ", "obj")
};

/// A corner of a face by its 1-based index, with the normal of the same index if there are normals.
struct Corner {
    index: u128,
    has_normal: bool,
}

impl fmt::Display for Corner {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let index = self.index;
        if self.has_normal {
            write!(f, "{index}//{index}")
        } else {
            write!(f, "{index}")
        }
    }
}

impl MeshEncoder for ObjEncoder {
    fn info(&self) -> &'static MeshFormatInfo {
        &INFO
    }

    fn blocks(&self, layout: &MeshLayout) -> Vec<DataBlock> {
        let mut blocks = vec![
            DataBlock::text(format!("# written by ferrovox{}\n", layout.space_tag(" "))),
            DataBlock::Vertices,
        ];
        if layout.normals {
            blocks.push(DataBlock::Normals);
        }
        blocks.push(DataBlock::Triangles);
        blocks
    }

    fn encode_vertices(
        &self,
        positions: &[[f32; 3]],
        _normals: Option<&[[f32; 3]]>,
        layout: &MeshLayout,
        bytes: &mut Vec<u8>,
    ) {
        if layout.has_f64_positions() {
            let world = positions.iter().map(|position| layout.to_world(*position));
            append_vectors(bytes, "v", world);
        } else {
            append_vectors(bytes, "v", positions.iter().copied());
        }
    }

    fn encode_normals(&self, normals: &[[f32; 3]], bytes: &mut Vec<u8>) {
        append_vectors(bytes, "vn", normals.iter().copied());
    }

    fn encode_triangles(
        &self,
        triangles: &[[u64; 3]],
        _labels: Option<&[[i64; 2]]>,
        layout: &MeshLayout,
        bytes: &mut Vec<u8>,
    ) {
        for corners in triangles {
            let corners = corners.map(|corner| Corner {
                index: u128::from(corner) + 1,
                has_normal: layout.normals,
            });
            let written = wavefront::write_element(bytes, "f", corners);
            debug_assert!(written.is_ok(), "a vector accepts every write");
        }
    }
}

fn append_vectors<T: fmt::Display>(
    bytes: &mut Vec<u8>,
    keyword: &str,
    vectors: impl Iterator<Item = [T; 3]>,
) {
    for vector in vectors {
        let written = wavefront::write_vector(bytes, keyword, vector);
        debug_assert!(written.is_ok(), "a vector accepts every write");
    }
}
