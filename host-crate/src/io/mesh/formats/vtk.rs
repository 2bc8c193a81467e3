//! VTK's legacy format, version 3.0: binary polydata, big-endian, 32-bit signed indices.

use crate::io::mesh::encoder::{
    CountLimit, DataBlock, Element, MeshEncoder, MeshFormatInfo, MeshLayout, append_be,
    append_position_be,
};

/// Encoder of legacy VTK polydata.
pub(in crate::io::mesh) struct VtkEncoder;

static INFO: MeshFormatInfo = MeshFormatInfo {
    description: "VTK legacy polydata, binary",
    signatures: &[b"# vtk DataFile"],
    limit: Some(CountLimit {
        element: Element::Vertices,
        bits: 31,
        // The largest index is one less than the number of vertices.
        max: 1 << 31,
    }),
    normals: "per vertex",
    indices: "31 bits",
    stores_f64: true,
    ..MeshFormatInfo::new("VTK", "vtk")
};

impl MeshEncoder for VtkEncoder {
    fn info(&self) -> &'static MeshFormatInfo {
        &INFO
    }

    fn blocks(&self, layout: &MeshLayout) -> Vec<DataBlock> {
        let (vertices, triangles) = (layout.counts.vertices, layout.counts.triangles);
        // Total number of integers: the count 3 and three indices per triangle.
        let integers = 4 * u128::from(triangles);
        let position = if layout.has_f64_positions() {
            "double"
        } else {
            "float"
        };
        let space = layout.space_tag(" ");
        let mut blocks = vec![
            DataBlock::text(format!(
                "# vtk DataFile Version 3.0\nwritten by ferrovox{space}\nBINARY\nDATASET POLYDATA\nPOINTS {vertices} {position}\n"
            )),
            DataBlock::Vertices,
            DataBlock::text(format!("\nPOLYGONS {triangles} {integers}\n")),
            DataBlock::Triangles,
        ];
        if layout.normals {
            blocks.push(DataBlock::text(format!(
                "\nPOINT_DATA {vertices}\nNORMALS normals float\n"
            )));
            blocks.push(DataBlock::Normals);
        }
        blocks.push(DataBlock::text("\n"));
        blocks
    }

    fn encode_vertices(
        &self,
        positions: &[[f32; 3]],
        _normals: Option<&[[f32; 3]]>,
        layout: &MeshLayout,
        bytes: &mut Vec<u8>,
    ) {
        for position in positions {
            append_position_be(bytes, layout, *position);
        }
    }

    fn encode_normals(&self, normals: &[[f32; 3]], bytes: &mut Vec<u8>) {
        for normal in normals {
            append_be(bytes, *normal);
        }
    }

    fn encode_triangles(
        &self,
        triangles: &[[u64; 3]],
        _labels: Option<&[[i64; 2]]>,
        _layout: &MeshLayout,
        bytes: &mut Vec<u8>,
    ) {
        for corners in triangles {
            bytes.extend_from_slice(&3_i32.to_be_bytes());
            for corner in corners {
                // Every index fits: the number of vertices is within the format's limit.
                bytes.extend_from_slice(&(*corner as i32).to_be_bytes());
            }
        }
    }
}
