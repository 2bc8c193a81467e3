//! glTF 2.0 (Khronos) in its binary form: one mesh, positions and normals as `f32`.
//!
//! Units of glTF are metres, and y points upwards. The positions are stored as they are, and the
//! matrix of their node turns millimetres with z upwards into that: (x, y, z) becomes
//! (x, z, −y) / 1000. A local origin becomes the translation of the node. Triangles with labels are
//! one primitive per pair of labels, with the labels in its extras and a colour for the inside one.

mod accessor;
mod document;
mod reader;

use serde_json::{Map, Value, json};

use crate::io::mesh::encoder::{
    CountLimit, DataBlock, Element, FACE_LABEL_NAMES, FaceGroup, MeshEncoder, MeshFormatInfo,
    MeshLayout, MeshReader, append_le,
};

/// Encoder of binary glTF.
pub(in crate::io::mesh) struct GltfEncoder;

/// First bytes of a binary file.
const MAGIC: &[u8] = b"glTF";
/// Types of the chunks.
const JSON_CHUNK: u32 = 0x4E4F_534A;
const BINARY_CHUNK: u32 = 0x004E_4942;
/// Code of `f32` and `u32` in accessors.
const FLOAT: u32 = 5126;
const UNSIGNED_INT: u32 = 5125;
/// Metres per millimetre.
const METRE: f64 = 1e-3;
/// Upper bound of the size of the JSON part without groups, and per group, in bytes.
const MAX_JSON_BYTES: u64 = 4096;
/// Base colour of a surface without labels: that of bone.
const SURFACE_COLOUR: [f64; 3] = [0.79, 0.72, 0.61];

static INFO: MeshFormatInfo = MeshFormatInfo {
    description: "glTF 2.0, binary",
    signatures: &[MAGIC],
    reader: Some(MeshReader {
        encodings: "triangles of all nodes, without compression",
        read: reader::read,
    }),
    limit: Some(CountLimit {
        element: Element::Vertices,
        bits: 32,
        // The largest index is reserved.
        max: u32::MAX as u64,
    }),
    normals: "per vertex",
    indices: "32 bits; files up to 4 GB",
    stores_f64: true,
    holds_face_labels: true,
    groups_face_labels: true,
    stores_bounds: true,
    ..MeshFormatInfo::new("glTF", "glb")
};

impl MeshEncoder for GltfEncoder {
    fn info(&self) -> &'static MeshFormatInfo {
        &INFO
    }

    fn counted_bytes(&self, layout: &MeshLayout) -> u64 {
        let [positions, normals, indices] = part_bytes(layout);
        let groups = layout.groups.len() as u64 + 1;
        let json = groups.saturating_mul(MAX_JSON_BYTES);
        let parts = [positions, normals, indices, json];
        parts.iter().fold(0, |all, part| all.saturating_add(*part))
    }

    fn blocks(&self, layout: &MeshLayout) -> Vec<DataBlock> {
        let mut json = document(layout).to_string().into_bytes();
        json.resize(json.len().next_multiple_of(4), b' ');
        let binary: u64 = part_bytes(layout).iter().sum();
        // The sizes fit: `counted_bytes` bounds them.
        let binary_header = if binary > 0 { 8 } else { 0 };
        let total = 12 + 8 + json.len() as u64 + binary_header + binary;
        let mut header = MAGIC.to_vec();
        for word in [2, total as u32, json.len() as u32, JSON_CHUNK] {
            header.extend(word.to_le_bytes());
        }
        header.extend(json);
        if binary == 0 {
            return vec![DataBlock::Bytes(header)];
        }
        for word in [binary as u32, BINARY_CHUNK] {
            header.extend(word.to_le_bytes());
        }
        let mut blocks = vec![DataBlock::Bytes(header), DataBlock::Vertices];
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
        _layout: &MeshLayout,
        bytes: &mut Vec<u8>,
    ) {
        for position in positions {
            append_le(bytes, *position);
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
            // Every index fits: the number of vertices is within the format's limit.
            bytes.extend_from_slice(&(*corner as u32).to_le_bytes());
        }
    }
}

/// Returns the sizes of the positions, the normals and the indices, in bytes.
fn part_bytes(layout: &MeshLayout) -> [u64; 3] {
    let vectors = layout.counts.vertices.saturating_mul(12);
    let normals = if layout.normals { vectors } else { 0 };
    [vectors, normals, layout.counts.triangles.saturating_mul(12)]
}

/// Returns the JSON part.
fn document(layout: &MeshLayout) -> Value {
    let [positions, normals, indices] = part_bytes(layout);
    let mut node = json!({ "name": "surface", "matrix": node_matrix(layout.origin) });
    if let Some(space) = layout.space {
        node["extras"] = json!({ "SPACE": space.name() });
    }
    let mut document = json!({
        "asset": { "version": "2.0", "generator": "ferrovox" },
        "scene": 0,
        "scenes": [{ "nodes": [0] }],
    });
    if positions > 0 {
        node["mesh"] = json!(0);
        let mut views = vec![view(0, positions, 34962)];
        let bound = |bounds: [f32; 3]| bounds.map(|x| f64::from(x.clamp(f32::MIN, f32::MAX)));
        let mut accessors = vec![json!({
            "bufferView": 0,
            "componentType": FLOAT,
            "type": "VEC3",
            "count": layout.counts.vertices,
            "min": bound(layout.bounds.min),
            "max": bound(layout.bounds.max),
        })];
        let mut attributes = Map::new();
        attributes.insert("POSITION".to_owned(), json!(0));
        if layout.normals {
            attributes.insert("NORMAL".to_owned(), json!(1));
            views.push(view(positions, normals, 34962));
            accessors.push(json!({
                "bufferView": 1,
                "componentType": FLOAT,
                "type": "VEC3",
                "count": layout.counts.vertices,
            }));
        }
        let mut primitives = Vec::new();
        let mut materials = Vec::new();
        if indices > 0 {
            let whole = [FaceGroup {
                labels: [0; 2],
                triangles: layout.counts.triangles,
            }];
            let has_labels = layout.face_labels.is_some();
            let groups = if has_labels {
                &layout.groups[..]
            } else {
                &whole
            };
            let index_view = views.len();
            views.push(view(positions + normals, indices, 34963));
            let mut first = 0;
            for group in groups {
                let mut primitive = json!({
                    "attributes": attributes,
                    "indices": accessors.len(),
                    "material": materials.len(),
                });
                accessors.push(json!({
                    "bufferView": index_view,
                    "byteOffset": 12 * first,
                    "componentType": UNSIGNED_INT,
                    "type": "SCALAR",
                    "count": 3 * group.triangles,
                }));
                first += group.triangles;
                let [inside, outside] = group.labels;
                if has_labels {
                    let [inside_name, outside_name] = FACE_LABEL_NAMES;
                    primitive["extras"] = json!({ inside_name: inside, outside_name: outside });
                    materials.push(material(&format!("label {inside}"), label_colour(inside)));
                } else {
                    materials.push(material("surface", SURFACE_COLOUR));
                }
                primitives.push(primitive);
            }
        } else {
            // Vertices without triangles are points.
            primitives.push(json!({ "attributes": attributes, "mode": 0 }));
        }
        document["meshes"] = json!([{ "primitives": primitives }]);
        if !materials.is_empty() {
            document["materials"] = json!(materials);
        }
        document["accessors"] = json!(accessors);
        document["bufferViews"] = json!(views);
        document["buffers"] = json!([{ "byteLength": positions + normals + indices }]);
    }
    document["nodes"] = json!([node]);
    document
}

fn view(offset: u64, bytes: u64, target: u32) -> Value {
    json!({ "buffer": 0, "byteOffset": offset, "byteLength": bytes, "target": target })
}

fn material(name: &str, [red, green, blue]: [f64; 3]) -> Value {
    json!({
        "name": name,
        "doubleSided": true,
        "pbrMetallicRoughness": {
            "baseColorFactor": [red, green, blue, 1.0],
            "metallicFactor": 0.0,
            "roughnessFactor": 0.7,
        },
    })
}

/// Returns the matrix of the node, column by column.
fn node_matrix([x, y, z]: [f64; 3]) -> [f64; 16] {
    let origin = [x * METRE, z * METRE, 0.0 - y * METRE];
    [
        METRE, 0.0, 0.0, 0.0, //
        0.0, 0.0, -METRE, 0.0, //
        0.0, METRE, 0.0, 0.0, //
        origin[0], origin[1], origin[2], 1.0,
    ]
}

/// Returns a colour of a label: hues that differ by the golden angle, so that small labels differ.
fn label_colour(label: i64) -> [f64; 3] {
    let hue = (label.unsigned_abs() as f64 * 0.618_033_988_749_894_9).fract() * 6.0;
    let (low, high) = (0.25, 0.85);
    [0.0, 4.0, 2.0].map(|shift| {
        let distance = ((hue + shift) % 6.0 - 3.0).abs();
        let share = (distance - 1.0).clamp(0.0, 1.0);
        // Three digits suffice and do not depend on the machine's arithmetic.
        ((low + (high - low) * share) * 1e3).round() / 1e3
    })
}
