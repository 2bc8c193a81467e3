//! 3MF (3MF Consortium, core specification 1.3): one object in millimetres, without normals.

mod model;
mod reader;

use std::io::Write;

use crate::io::mesh::encoder::{
    CountLimit, DataBlock, Element, MeshEncoder, MeshFormatInfo, MeshLayout, MeshReader,
};
use crate::io::mesh::package::Package;

/// Encoder of 3MF.
pub(in crate::io::mesh) struct ThreeMfEncoder;

/// Type of the relationship to the model.
const MODEL_TYPE: &str = "http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel";

/// Upper bounds of the size of a vertex, a triangle and everything else, in bytes. An `f32` has at
/// most 50 characters, an index 10.
const MAX_VERTEX_BYTES: u64 = 200;
const MAX_TRIANGLE_BYTES: u64 = 80;
const MAX_OTHER_BYTES: u64 = 4096;

static INFO: MeshFormatInfo = MeshFormatInfo {
    description: "3MF, in millimetres",
    // A zip archive may hold anything.
    reader: Some(MeshReader {
        encodings: "meshes of all build items, in any unit",
        read: reader::read,
    }),
    limit: Some(CountLimit {
        element: Element::Vertices,
        bits: 31,
        max: 1 << 31,
    }),
    indices: "31 bits",
    package: Some(Package {
        parts: &[
            (
                "[Content_Types].xml",
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
                 <Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\">\
                 <Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\
                 <Default Extension=\"model\" ContentType=\"application/vnd.ms-package.3dmanufacturing-3dmodel+xml\"/>\
                 </Types>\n",
            ),
            (
                "_rels/.rels",
                "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
                 <Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">\
                 <Relationship Target=\"/3D/3dmodel.model\" Id=\"rel0\" \
                 Type=\"http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel\"/>\
                 </Relationships>\n",
            ),
        ],
        main: "3D/3dmodel.model",
    }),
    ..MeshFormatInfo::new("3MF", "3mf")
};

impl MeshEncoder for ThreeMfEncoder {
    fn info(&self) -> &'static MeshFormatInfo {
        &INFO
    }

    fn max_bytes(&self, layout: &MeshLayout) -> u64 {
        let vertices = layout.counts.vertices.saturating_mul(MAX_VERTEX_BYTES);
        let triangles = layout.counts.triangles.saturating_mul(MAX_TRIANGLE_BYTES);
        let both = vertices.saturating_add(triangles);
        both.saturating_add(MAX_OTHER_BYTES)
    }

    fn blocks(&self, layout: &MeshLayout) -> Vec<DataBlock> {
        let space = layout.space.map_or(String::new(), |space| {
            let name = space.name();
            format!("<metadata name=\"Description\">SPACE={name}</metadata>\n")
        });
        let start = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
             <model unit=\"millimeter\" xml:lang=\"en-US\" \
             xmlns=\"http://schemas.microsoft.com/3dmanufacturing/core/2015/02\">\n\
             <metadata name=\"Application\">ferrovox</metadata>\n{space}<resources>"
        );
        // An object must have a mesh, and a mesh triangles.
        if layout.counts.triangles == 0 {
            let end = "</resources><build/></model>\n";
            return vec![DataBlock::text(start + end)];
        }
        let object = "<object id=\"1\" type=\"model\"><mesh><vertices>\n";
        vec![
            DataBlock::text(start + object),
            DataBlock::Vertices,
            DataBlock::text("</vertices><triangles>\n"),
            DataBlock::Triangles,
            DataBlock::text(
                "</triangles></mesh></object></resources><build><item objectid=\"1\"/></build></model>\n",
            ),
        ]
    }

    fn encode_vertices(
        &self,
        positions: &[[f32; 3]],
        _normals: Option<&[[f32; 3]]>,
        _layout: &MeshLayout,
        bytes: &mut Vec<u8>,
    ) {
        for [x, y, z] in positions {
            let written = writeln!(bytes, "<vertex x=\"{x}\" y=\"{y}\" z=\"{z}\"/>");
            debug_assert!(written.is_ok(), "a vector accepts every write");
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
            let written = writeln!(bytes, "<triangle v1=\"{a}\" v2=\"{b}\" v3=\"{c}\"/>");
            debug_assert!(written.is_ok(), "a vector accepts every write");
        }
    }
}
