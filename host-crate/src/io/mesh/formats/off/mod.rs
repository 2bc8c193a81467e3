//! OFF, the Object File Format of Geomview: text, 0-based indices, with normals as `NOFF`.

mod reader;

use std::io::Write;

use crate::io::mesh::encoder::{DataBlock, MeshEncoder, MeshFormatInfo, MeshLayout, MeshReader};

/// Encoder of OFF.
pub(in crate::io::mesh) struct OffEncoder;

static INFO: MeshFormatInfo = MeshFormatInfo {
    description: "OFF",
    signatures: &[b"OFF", b"NOFF", b"COFF", b"CNOFF"],
    reader: Some(MeshReader {
        encodings: "text: positions, normals and faces",
        read: reader::read,
    }),
    normals: "per vertex",
    indices: "any width",
    stores_f64: true,
    ..MeshFormatInfo::new("OFF", "off")
};

impl MeshEncoder for OffEncoder {
    fn info(&self) -> &'static MeshFormatInfo {
        &INFO
    }

    fn blocks(&self, layout: &MeshLayout) -> Vec<DataBlock> {
        let keyword = if layout.normals { "NOFF" } else { "OFF" };
        let (vertices, triangles) = (layout.counts.vertices, layout.counts.triangles);
        let space = layout.space_tag(" ");
        vec![
            DataBlock::text(format!(
                "{keyword}\n# written by ferrovox{space}\n{vertices} {triangles} 0\n"
            )),
            DataBlock::Vertices,
            DataBlock::Triangles,
        ]
    }

    fn encode_vertices(
        &self,
        positions: &[[f32; 3]],
        normals: Option<&[[f32; 3]]>,
        layout: &MeshLayout,
        bytes: &mut Vec<u8>,
    ) {
        for (vertex, position) in positions.iter().enumerate() {
            let written = if layout.has_f64_positions() {
                let [x, y, z] = layout.to_world(*position);
                write!(bytes, "{x} {y} {z}")
            } else {
                let [x, y, z] = position;
                write!(bytes, "{x} {y} {z}")
            };
            debug_assert!(written.is_ok(), "a vector accepts every write");
            if let Some(normals) = normals {
                let [x, y, z] = normals[vertex];
                let written = write!(bytes, " {x} {y} {z}");
                debug_assert!(written.is_ok(), "a vector accepts every write");
            }
            bytes.push(b'\n');
        }
    }

    fn encode_triangles(
        &self,
        triangles: &[[u64; 3]],
        _labels: Option<&[[i64; 2]]>,
        _layout: &MeshLayout,
        bytes: &mut Vec<u8>,
    ) {
        for [a, b, c] in triangles {
            let written = writeln!(bytes, "3 {a} {b} {c}");
            debug_assert!(written.is_ok(), "a vector accepts every write");
        }
    }
}
