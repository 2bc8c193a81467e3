//! Label surfaces as binary glTF 2.0: a node with a name and a colour for each label.

use super::MeshSpace;
use crate::io::output::group::write_alone;
use crate::io::{FileError, FileGroup, FileProblem, LabelTable};
use crate::memory::{self, OutOfMemory};
use crate::mesh::{LabelledMesh, TriangleMesh};
use nalgebra::Vector3;
use serde_json::{Value, json};
use std::io::{BufWriter, Write};
use std::path::Path;

/// Purpose of the allocations, quoted in out-of-memory errors.
const PURPOSE: &str = "a glTF file";

/// Extension of binary glTF files.
pub(crate) const EXTENSION: &str = "glb";

/// Rotation, as a quaternion x, y, z, w, from z upward to y upward, which glTF prescribes.
const UPRIGHT: [f64; 4] = [
    -std::f64::consts::FRAC_1_SQRT_2,
    0.0,
    0.0,
    std::f64::consts::FRAC_1_SQRT_2,
];

/// Component types, targets and chunk types of glTF.
const FLOAT: u32 = 5126;
const UNSIGNED_INT: u32 = 5125;
const ARRAY_BUFFER: u32 = 34962;
const ELEMENT_ARRAY_BUFFER: u32 = 34963;
const JSON_CHUNK: u32 = 0x4e4f_534a;
const BINARY_CHUNK: u32 = 0x004e_4942;

/// Writes the surface of each label as a node of a binary glTF file, with the name and the colour
/// of `table`; labels that it does not list are called `label N` and have distinct colours.
/// Vertices have normals, from the triangles and weighted by area. The nodes are children of one
/// that rotates z upward to y upward, the axis that glTF prescribes; units are those of the world.
///
/// The file is replaced atomically, as by [`write_mesh`](super::write_mesh). Memory is that of the
/// file.
///
/// # Errors
/// [`FileError`] for a mesh that is not valid, a file of more than 4 GiB, insufficient memory, and
/// errors of the operating system.
///
/// ```
/// use ferrovox::io::{LabelTable, MeshSpace, write_label_scene};
/// use ferrovox::mesh::{LabelledMesh, TriangleMesh, Triangles};
///
/// let wall = LabelledMesh {
///     mesh: TriangleMesh {
///         vertices: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]],
///         triangles: Triangles::U32(vec![[0, 1, 2]]),
///         ..TriangleMesh::default()
///     },
///     labels: vec![17],
///     sides: vec![[1, 0]],
/// };
/// let table = LabelTable::parse("17 hippocampus 220 216 20").unwrap();
/// let folder = tempfile::tempdir()?;
/// let path = folder.path().join("labels.glb");
/// write_label_scene(&path, &wall, &table, Some(MeshSpace::Ras))?;
/// assert!(std::fs::read(&path)?.starts_with(b"glTF"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write_label_scene(
    path: impl AsRef<Path>,
    walls: &LabelledMesh,
    table: &LabelTable,
    space: Option<MeshSpace>,
) -> Result<(), FileError> {
    write_alone(|group| group.write_label_scene(path, walls, table, space))
}

impl FileGroup {
    /// Writes a glTF file of labels as one of the group; see
    /// [`write_label_scene`](fn@write_label_scene).
    ///
    /// # Errors
    /// The errors of [`write_label_scene`](fn@write_label_scene).
    pub fn write_label_scene(
        &mut self,
        path: impl AsRef<Path>,
        walls: &LabelledMesh,
        table: &LabelTable,
        space: Option<MeshSpace>,
    ) -> Result<(), FileError> {
        let path = path.as_ref();
        let encode = || -> Result<Vec<u8>, FileProblem> {
            walls.mesh.validate()?;
            Scene::new(walls, table, space)?.into_bytes()
        };
        let bytes = encode().map_err(|problem| FileError::new(path, problem))?;
        self.write(path, |file| {
            let mut out = BufWriter::new(file);
            out.write_all(&bytes)?;
            out.flush()
        })
    }
}

/// The parts of a glTF file.
#[derive(Default)]
struct Scene {
    binary: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
    meshes: Vec<Value>,
    materials: Vec<Value>,
    nodes: Vec<Value>,
}

impl Scene {
    fn new(
        walls: &LabelledMesh,
        table: &LabelTable,
        space: Option<MeshSpace>,
    ) -> Result<Self, OutOfMemory> {
        let mut scene = Self::default();
        let space = space.unwrap_or_default();
        let origin = space.convert(walls.mesh.origin);
        let count = walls.labels.len();
        let children: Vec<usize> = (1..=count).collect();
        scene.nodes.push(json!({
            "name": "labels", "rotation": UPRIGHT, "children": children,
            "extras": { "space": space.name() },
        }));
        walls.for_each_label_mesh(|index, part| {
            let label = walls.labels[index];
            let style = table.style(label);
            let name = style.map_or_else(|| format!("label {label}"), |it| it.name.clone());
            let color = style.and_then(|it| it.color).map_or_else(
                || distinct_color(index),
                |color| color.map(linear_component),
            );
            let [red, green, blue] = color;
            scene.materials.push(json!({
                "name": name,
                "pbrMetallicRoughness": {
                    "baseColorFactor": [red, green, blue, 1.0],
                    "metallicFactor": 0.0, "roughnessFactor": 0.8,
                },
            }));
            let mut node = json!({
                "name": name, "translation": origin, "extras": { "label": label },
            });
            // meshes must not be empty
            if !part.mesh.triangles.is_empty() {
                node["mesh"] = json!(scene.meshes.len());
                let primitive = scene.add_mesh(&part.mesh, space, index)?;
                scene
                    .meshes
                    .push(json!({ "name": name, "primitives": [primitive] }));
            }
            scene.nodes.push(node);
            Ok::<_, OutOfMemory>(())
        })?;
        Ok(scene)
    }

    /// Adds the arrays of a mesh and returns its primitive.
    fn add_mesh(
        &mut self,
        mesh: &TriangleMesh,
        space: MeshSpace,
        material: usize,
    ) -> Result<Value, OutOfMemory> {
        let (mut low, mut high) = ([f32::INFINITY; 3], [f32::NEG_INFINITY; 3]);
        let positions = mesh.vertices.iter().map(|it| space.convert(*it));
        for position in positions.clone() {
            for axis in 0..3 {
                low[axis] = low[axis].min(position[axis]);
                high[axis] = high[axis].max(position[axis]);
            }
        }
        let vertices = mesh.vertices.len();
        self.add_array(
            positions.flatten().map(f32::to_le_bytes),
            vertices * 3,
            json!({
                "componentType": FLOAT, "count": vertices, "type": "VEC3", "min": low, "max": high,
            }),
            ARRAY_BUFFER,
        )?;
        let normals = vertex_normals(mesh)?;
        let normals = normals.iter().map(|it| space.convert(*it));
        self.add_array(
            normals.flatten().map(f32::to_le_bytes),
            vertices * 3,
            json!({ "componentType": FLOAT, "count": vertices, "type": "VEC3" }),
            ARRAY_BUFFER,
        )?;
        let corners = mesh.triangles.len() * 3;
        let indices = mesh.triangles.iter().flatten();
        self.add_array(
            indices.map(|it| (it as u32).to_le_bytes()),
            corners,
            json!({ "componentType": UNSIGNED_INT, "count": corners, "type": "SCALAR" }),
            ELEMENT_ARRAY_BUFFER,
        )?;
        let last = self.accessors.len() - 1;
        Ok(json!({
            "attributes": { "POSITION": last - 2, "NORMAL": last - 1 },
            "indices": last, "material": material,
        }))
    }

    fn add_array(
        &mut self,
        numbers: impl Iterator<Item = [u8; 4]>,
        count: usize,
        mut accessor: Value,
        target: u32,
    ) -> Result<(), OutOfMemory> {
        accessor["bufferView"] = json!(self.views.len());
        self.accessors.push(accessor);
        self.views.push(json!({
            "buffer": 0, "byteOffset": self.binary.len(), "byteLength": 4 * count, "target": target,
        }));
        memory::try_reserve(PURPOSE, &mut self.binary, 4 * count)?;
        self.binary.extend(numbers.flatten());
        Ok(())
    }

    fn into_bytes(self) -> Result<Vec<u8>, FileProblem> {
        let mut header = json!({
            "asset": { "version": "2.0", "generator": "ferrovox" },
            "scene": 0,
            "scenes": [{ "nodes": [0] }],
            "nodes": self.nodes,
        });
        // empty lists are invalid
        if !self.binary.is_empty() {
            header["buffers"] = json!([{ "byteLength": self.binary.len() }]);
            header["bufferViews"] = self.views.into();
            header["accessors"] = self.accessors.into();
            header["meshes"] = self.meshes.into();
            header["materials"] = self.materials.into();
        }
        if header["nodes"]
            .as_array()
            .is_some_and(|nodes| nodes.len() == 1)
            && let Some(root) = header["nodes"][0].as_object_mut()
        {
            root.remove("children");
        }
        let mut text = header.to_string().into_bytes();
        text.resize(text.len().next_multiple_of(4), b' ');
        let total = 12 + 8 + text.len() as u64 + 8 + self.binary.len() as u64;
        let Ok(total) = u32::try_from(total) else {
            return Err(FileProblem::GltfSize { bytes: total });
        };
        let mut bytes = Vec::new();
        memory::try_reserve(PURPOSE, &mut bytes, total as usize)?;
        bytes.extend(b"glTF");
        bytes.extend(2_u32.to_le_bytes());
        let chunks = [(JSON_CHUNK, &text), (BINARY_CHUNK, &self.binary)];
        let used = if self.binary.is_empty() { 1 } else { 2 };
        bytes.extend((total - if used == 1 { 8 } else { 0 }).to_le_bytes());
        for (kind, chunk) in &chunks[..used] {
            bytes.extend((chunk.len() as u32).to_le_bytes());
            bytes.extend(kind.to_le_bytes());
            bytes.extend_from_slice(chunk);
        }
        Ok(bytes)
    }
}

/// Returns the normal of each vertex, from its triangles weighted by area.
fn vertex_normals(mesh: &TriangleMesh) -> Result<Vec<[f32; 3]>, OutOfMemory> {
    let mut sums = memory::try_filled(PURPOSE, mesh.vertices.len(), Vector3::<f64>::zeros())?;
    for triangle in mesh.triangles.iter() {
        let corners = triangle.map(|it| Vector3::from(mesh.vertices[it as usize].map(f64::from)));
        let [a, b, c] = corners;
        let doubled_area = (b - a).cross(&(c - a));
        for vertex in triangle {
            sums[vertex as usize] += doubled_area;
        }
    }
    let unit = |sum: &Vector3<f64>| sum.try_normalize(0.0).unwrap_or_else(Vector3::z);
    memory::try_collect(
        PURPOSE,
        sums.iter().map(|sum| unit(sum).map(|x| x as f32).into()),
    )
}

/// Converts a component of a colour from sRGB to linear.
fn linear_component(component: u8) -> f64 {
    let value = f64::from(component) / 255.0;
    if value <= 0.04045 {
        value / 12.92
    } else {
        ((value + 0.055) / 1.055).powf(2.4)
    }
}

/// Returns a linear colour that differs from those of other indices: hues at multiples of the
/// golden ratio.
pub(crate) fn distinct_color(index: usize) -> [f64; 3] {
    let hue = (index as f64 * 0.618_033_988_749_895).fract() * 6.0;
    let component = |offset: f64| {
        let distance = ((hue + offset) % 6.0 - 3.0).abs() - 1.0;
        0.15 + 0.7 * distance.clamp(0.0, 1.0)
    };
    [component(0.0), component(4.0), component(2.0)]
}
