//! Reader of binary glTF: the triangles of all nodes of the scene, in millimetres with z upwards.

use std::collections::HashMap;

use nalgebra::Matrix4;
use serde_json::Value;

use super::METRE;
use super::accessor::Accessor;
use super::document::{check_extensions, damaged, index, node_matrix, read_chunks, unsupported};
use crate::io::FileProblem;
use crate::io::mesh::placement::PlacedMesh;
use crate::io::source::Source;
use crate::mesh::TriangleMesh;

/// Largest depth of nested nodes.
const MAX_DEPTH: usize = 1 << 10;

/// Reads the meshes of the scene.
pub(super) fn read(mut source: Source<'_>) -> Result<TriangleMesh, FileProblem> {
    let (document, binary) = read_chunks(&mut source)?;
    check_extensions(&document)?;
    let mut builder = Builder {
        document: &document,
        binary: &binary,
        mesh: PlacedMesh::new("glTF", source.position()),
    };
    let list = |value: Option<&Value>| -> Vec<u64> {
        let values = value.and_then(Value::as_array).into_iter().flatten();
        values.filter_map(Value::as_u64).collect()
    };
    let scene = document.get("scene").and_then(Value::as_u64).unwrap_or(0);
    let roots = match document.get("scenes") {
        Some(_) => list(index(&document, "scenes", scene)?.get("nodes")),
        None => Vec::new(),
    };
    let count = document.get("nodes").and_then(Value::as_array);
    let mut is_visited = vec![false; count.map_or(0, Vec::len)];
    let world = file_to_world();
    let mut waiting: Vec<(u64, Matrix4<f64>, usize)> = roots
        .into_iter()
        .rev()
        .map(|node| (node, world, 0))
        .collect();
    while let Some((number, parent, depth)) = waiting.pop() {
        let node = index(&document, "nodes", number)?;
        // Nodes form a tree.
        if std::mem::replace(&mut is_visited[number as usize], true) || depth > MAX_DEPTH {
            return Err(damaged(format!("node {number} has several parents")));
        }
        let matrix = parent * node_matrix(node);
        if let Some(mesh) = node.get("mesh").and_then(Value::as_u64) {
            if node.get("skin").is_some() {
                return Err(unsupported(
                    "glTF with a mesh on a skeleton (skin)".to_owned(),
                ));
            }
            builder.append_mesh(index(&document, "meshes", mesh)?, &matrix)?;
        }
        let children = list(node.get("children"));
        waiting.extend(
            children
                .into_iter()
                .rev()
                .map(|child| (child, matrix, depth + 1)),
        );
    }
    let mesh = builder.mesh.finish()?;
    Ok(mesh)
}

/// Returns the matrix from metres with y upwards to millimetres with z upwards.
fn file_to_world() -> Matrix4<f64> {
    let millimetres = 1.0 / METRE;
    Matrix4::new(
        millimetres,
        0.0,
        0.0,
        0.0, //
        0.0,
        0.0,
        -millimetres,
        0.0, //
        0.0,
        millimetres,
        0.0,
        0.0, //
        0.0,
        0.0,
        0.0,
        1.0,
    )
}

struct Builder<'d> {
    document: &'d Value,
    binary: &'d [u8],
    mesh: PlacedMesh,
}

impl Builder<'_> {
    fn append_mesh(&mut self, mesh: &Value, matrix: &Matrix4<f64>) -> Result<(), FileProblem> {
        let primitives = mesh.get("primitives").and_then(Value::as_array);
        // Primitives may share their vertices.
        let mut known: HashMap<(u64, Option<u64>), (u32, usize)> = HashMap::new();
        for primitive in primitives.into_iter().flatten() {
            self.mesh.count_parts(1)?;
            let number = |key: &str| primitive.get(key).and_then(Value::as_u64);
            let attribute = |name: &str| primitive.get("attributes")?.get(name)?.as_u64();
            let extensions = primitive.get("extensions").and_then(Value::as_object);
            let mut names = extensions.into_iter().flatten().map(|(name, _)| name);
            if let Some(name) = names.find(|name| name.contains("compression")) {
                return Err(unsupported(format!("glTF with the extension {name:?}")));
            }
            let mode = number("mode").unwrap_or(4);
            if !matches!(mode, 0 | 4..=6) {
                return Err(unsupported(format!(
                    "glTF with primitives of mode {mode} (lines)"
                )));
            }
            let Some(positions) = attribute("POSITION") else {
                continue;
            };
            let normals = attribute("NORMAL");
            let (first, count) = match known.get(&(positions, normals)) {
                Some(found) => *found,
                None => {
                    let found = self.append_vertices(positions, normals, matrix)?;
                    known.insert((positions, normals), found);
                    found
                }
            };
            if mode == 0 {
                continue;
            }
            let corners = match number("indices") {
                Some(indices) => {
                    Accessor::locate(self.document, self.binary, indices, "SCALAR")?.indices()?
                }
                None => (0..count as u32).collect(),
            };
            let triangle = |at: usize| match mode {
                4 => [corners[3 * at], corners[3 * at + 1], corners[3 * at + 2]],
                5 if at % 2 == 1 => [corners[at + 1], corners[at], corners[at + 2]],
                5 => [corners[at], corners[at + 1], corners[at + 2]],
                _ => [corners[0], corners[at + 1], corners[at + 2]],
            };
            let triangles = match mode {
                4 => corners.len() / 3,
                _ => corners.len().saturating_sub(2),
            };
            let triangles = (0..triangles).map(triangle);
            self.mesh
                .append_triangles(matrix, first, count, triangles)?;
        }
        Ok(())
    }

    /// Appends vertices with their normals. Returns the index of the first and their number.
    fn append_vertices(
        &mut self,
        positions: u64,
        normals: Option<u64>,
        matrix: &Matrix4<f64>,
    ) -> Result<(u32, usize), FileProblem> {
        let positions = Accessor::locate(self.document, self.binary, positions, "VEC3")?;
        let vertices = positions.vectors().map(|vector| vector.map(f64::from));
        let first = self.mesh.append_vertices(matrix, vertices)?;
        let normals = normals
            .map(|normals| Accessor::locate(self.document, self.binary, normals, "VEC3"))
            .transpose()?;
        let normals = normals.as_ref().filter(|it| it.count == positions.count);
        self.mesh
            .append_normals(matrix, normals.map(Accessor::vectors))?;
        Ok((first, positions.count))
    }
}
