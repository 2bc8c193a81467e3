//! VTK's XML polydata: raw appended little-endian arrays, 64-bit indices and lengths.

mod reader;

use crate::io::mesh::encoder::{
    DataBlock, FACE_LABEL_NAMES, MeshEncoder, MeshFormatInfo, MeshLayout, MeshReader, append_le,
    append_position_le,
};
use crate::io::mesh::space::MeshSpace;
use crate::io::vtk_xml::{AppendedData, DataArray, PROLOGUE, PieceCounts};
use std::ops::Range;

/// Encoder of VTK XML polydata.
pub(in crate::io::mesh) struct VtpEncoder;

static INFO: MeshFormatInfo = MeshFormatInfo {
    description: "VTK XML polydata, raw appended data",
    signatures: &[b"<VTKFile type=\"PolyData\""],
    reader: Some(MeshReader {
        encodings: "one piece: text, base64, raw, zlib, LZ4",
        read: reader::read,
    }),
    normals: "per vertex",
    indices: "63 bits",
    stores_f64: true,
    holds_face_labels: true,
    ..MeshFormatInfo::new("VTP", "vtp")
};

/// Returns the field data that state the space, as text in numbers that end with 0.
fn space_field(space: MeshSpace) -> String {
    let codes: Vec<String> = space.name().bytes().map(|byte| byte.to_string()).collect();
    let codes = codes.join(" ");
    format!(
        "<FieldData><DataArray type=\"String\" Name=\"SPACE\" NumberOfTuples=\"1\" format=\"ascii\">\
         {codes} 0</DataArray></FieldData>"
    )
}

impl MeshEncoder for VtpEncoder {
    fn info(&self) -> &'static MeshFormatInfo {
        &INFO
    }

    fn blocks(&self, layout: &MeshLayout) -> Vec<DataBlock> {
        let (vertices, triangles) = (layout.counts.vertices, layout.counts.triangles);
        let mut blocks = Vec::new();
        let mut data = AppendedData::default();
        // Returns the tag of an array and adds its data block.
        let mut append = |array: DataArray<'_>, bytes: u64, block: DataBlock| {
            blocks.push(DataBlock::Bytes(AppendedData::length(bytes)));
            blocks.push(block);
            data.append(array, bytes)
        };
        let (scalar, position_bytes) = if layout.has_f64_positions() {
            ("Float64", 24)
        } else {
            ("Float32", 12)
        };
        let points = append(
            DataArray::vectors(scalar, "points"),
            position_bytes * vertices,
            DataBlock::Vertices,
        );
        let connectivity = append(
            DataArray::scalars("Int64", "connectivity"),
            24 * triangles,
            DataBlock::Triangles,
        );
        let offsets = append(
            DataArray::scalars("Int64", "offsets"),
            8 * triangles,
            DataBlock::TriangleEnds,
        );
        let mut point_data = String::new();
        if layout.normals {
            let normals = append(
                DataArray::vectors("Float32", "normals"),
                12 * vertices,
                DataBlock::Normals,
            );
            point_data = format!("<PointData Normals=\"normals\">{normals}</PointData>\n");
        }
        let mut cell_data = String::new();
        if layout.face_labels.is_some() {
            let [inside, outside] = [0, 1].map(|side| {
                append(
                    DataArray::scalars("Int64", FACE_LABEL_NAMES[side]),
                    8 * triangles,
                    DataBlock::FaceLabels(side),
                )
            });
            let name = FACE_LABEL_NAMES[0];
            cell_data = format!("<CellData Scalars=\"{name}\">{inside}{outside}</CellData>\n");
        }
        let piece = PieceCounts {
            points: vertices,
            polygons: triangles,
            ..PieceCounts::default()
        };
        let space = layout.space.map_or(String::new(), space_field);
        let open = AppendedData::OPEN;
        let header = format!(
            "{PROLOGUE}<PolyData>{space}{piece}\n\
             {point_data}{cell_data}<Points>{points}</Points>\n\
             <Polys>{connectivity}{offsets}</Polys>\n\
             </Piece></PolyData>\n\
             {open}"
        );
        blocks.insert(0, DataBlock::text(header));
        blocks.push(DataBlock::text(AppendedData::CLOSE));
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
            append_position_le(bytes, layout, *position);
        }
    }

    fn encode_normals(&self, normals: &[[f32; 3]], bytes: &mut Vec<u8>) {
        for normal in normals {
            append_le(bytes, *normal);
        }
    }

    fn encode_triangles(
        &self,
        triangles: &[[u64; 3]],
        _labels: Option<&[[i64; 2]]>,
        _layout: &MeshLayout,
        bytes: &mut Vec<u8>,
    ) {
        for corner in triangles.as_flattened() {
            bytes.extend_from_slice(&corner.to_le_bytes());
        }
    }

    fn encode_triangle_ends(&self, triangles: Range<u64>, bytes: &mut Vec<u8>) {
        for triangle in triangles {
            bytes.extend_from_slice(&(3 * (triangle + 1)).to_le_bytes());
        }
    }

    fn encode_face_labels(&self, labels: &[i64], bytes: &mut Vec<u8>) {
        for label in labels {
            bytes.extend_from_slice(&label.to_le_bytes());
        }
    }
}
