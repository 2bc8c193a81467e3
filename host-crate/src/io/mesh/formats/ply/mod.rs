//! PLY, the Stanford polygon format. Written as binary little-endian: one record per vertex with
//! its normal, 32-bit indices.

mod header;
mod reader;

use crate::io::mesh::encoder::{
    CountLimit, DataBlock, Element, FACE_LABEL_NAMES, LabelRange, MeshEncoder, MeshFormatInfo,
    MeshLayout, MeshReader, append_le, append_position_le,
};

/// Encoder of binary little-endian PLY.
pub(in crate::io::mesh) struct PlyEncoder;

static INFO: MeshFormatInfo = MeshFormatInfo {
    description: "PLY, binary little-endian",
    signatures: &[b"ply\n", b"ply\r"],
    reader: Some(MeshReader {
        encodings: "text, binary of both byte orders",
        read: reader::read,
    }),
    limit: Some(CountLimit {
        element: Element::Vertices,
        bits: 32,
        // The largest index is one less than the number of vertices.
        max: 1 << 32,
    }),
    normals: "per vertex",
    indices: "32 bits",
    stores_f64: true,
    holds_face_labels: true,
    ..MeshFormatInfo::new("PLY", "ply")
};

impl MeshEncoder for PlyEncoder {
    fn info(&self) -> &'static MeshFormatInfo {
        &INFO
    }

    fn blocks(&self, layout: &MeshLayout) -> Vec<DataBlock> {
        let (vertices, triangles) = (layout.counts.vertices, layout.counts.triangles);
        let normal_properties = if layout.normals {
            "property float nx\nproperty float ny\nproperty float nz\n"
        } else {
            ""
        };
        let label_properties = layout.face_labels.map_or(String::new(), |range| {
            let scalar = match range {
                LabelRange::I32 => "int",
                LabelRange::I64 => "double",
            };
            FACE_LABEL_NAMES
                .map(|name| format!("property {scalar} {name}\n"))
                .concat()
        });
        let position = if layout.has_f64_positions() {
            "double"
        } else {
            "float"
        };
        let space = layout.space_tag("comment ");
        let space = if space.is_empty() {
            space
        } else {
            space + "\n"
        };
        let header = format!(
            "ply\nformat binary_little_endian 1.0\ncomment written by ferrovox\n{space}\
             element vertex {vertices}\nproperty {position} x\nproperty {position} y\nproperty {position} z\n{normal_properties}\
             element face {triangles}\nproperty list uchar uint vertex_indices\n{label_properties}end_header\n"
        );
        vec![
            DataBlock::text(header),
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
            append_position_le(bytes, layout, *position);
            if let Some(normals) = normals {
                append_le(bytes, normals[vertex]);
            }
        }
    }

    fn encode_triangles(
        &self,
        triangles: &[[u64; 3]],
        labels: Option<&[[i64; 2]]>,
        layout: &MeshLayout,
        bytes: &mut Vec<u8>,
    ) {
        for (triangle, corners) in triangles.iter().enumerate() {
            let mut record = [3; 13];
            // Every index fits: the number of vertices is within the format's limit.
            let corners = corners.map(|corner| (corner as u32).to_le_bytes());
            record[1..].copy_from_slice(corners.as_flattened());
            bytes.extend_from_slice(&record);
            for label in labels.map_or([].as_slice(), |labels| &labels[triangle]) {
                if layout.face_labels == Some(LabelRange::I32) {
                    bytes.extend_from_slice(&(*label as i32).to_le_bytes());
                } else {
                    // Exact up to 2^53.
                    bytes.extend_from_slice(&(*label as f64).to_le_bytes());
                }
            }
        }
    }
}
