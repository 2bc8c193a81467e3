//! Reader of 3MF: the objects of all build items, with their components, in millimetres.

use std::collections::HashMap;

use nalgebra::Matrix4;

use super::MODEL_TYPE;
use crate::io::FileProblem;
use crate::io::mesh::formats::threemf::model::{Model, Object, damaged, parse_model};
use crate::io::mesh::placement::PlacedMesh;
use crate::io::source::{Remaining, Source};
use crate::io::xml::{XmlPart, XmlParts};
use crate::io::zip::ZipArchive;
use crate::mesh::TriangleMesh;

/// Largest depth of nested components.
const MAX_DEPTH: usize = 64;
/// Largest expansion of a text, in bytes per compressed byte, beyond the size that is accepted
/// whatever its number of bytes.
const MAX_EXPANSION: u64 = 128;
const FREE_BYTES: u64 = 1 << 20;
/// Largest text, in bytes.
const MAX_TEXT: u64 = 1 << 31;
/// Name of the entry with the relationships of the package.
const RELATIONSHIPS: &str = "_rels/.rels";

/// Reads the objects of all build items.
pub(super) fn read(source: Source<'_>) -> Result<TriangleMesh, FileProblem> {
    let (Some(bytes), Remaining::Exactly(length)) = (source.positioned(), source.remaining())
    else {
        return Err(FileProblem::Unsupported {
            what: "3MF in a pipe or compressed with gzip".to_owned(),
            advice: "save it to a file",
        });
    };
    let mut package = Package {
        archive: ZipArchive::open(bytes, length)?,
        models: HashMap::new(),
    };
    let root = package.find_model()?;
    package.load(&root)?;
    let mut mesh = PlacedMesh::new("3MF", length);
    let model = &package.models[&root];
    let scale = Matrix4::new_scaling(model.millimetres);
    let mut waiting: Vec<(String, u64, Matrix4<f64>, usize)> = Vec::new();
    let build = model.items.iter().rev().map(|item| {
        let part = item.part.clone().unwrap_or_else(|| root.clone());
        (part, item.object, scale * item.transform, 0)
    });
    waiting.extend(build);
    while let Some((part, number, transform, depth)) = waiting.pop() {
        if depth > MAX_DEPTH {
            return Err(damaged(format!(
                "object {number} stands more than {MAX_DEPTH} components deep"
            )));
        }
        package.load(&part)?;
        let objects = &package.models[&part].objects;
        let Some(object) = objects.get(&number) else {
            return Err(damaged(format!("object {number} does not exist")));
        };
        append_object(&mut mesh, object, &transform)?;
        mesh.count_parts(object.components.len())?;
        waiting.extend(object.components.iter().rev().map(|component| {
            let part = component.part.clone().unwrap_or_else(|| part.clone());
            (
                part,
                component.object,
                transform * component.transform,
                depth + 1,
            )
        }));
    }
    mesh.finish()
}

fn append_object(
    mesh: &mut PlacedMesh,
    object: &Object,
    transform: &Matrix4<f64>,
) -> Result<(), FileProblem> {
    let vertices = object.vertices.iter().copied();
    let first = mesh.append_vertices(transform, vertices)?;
    let triangles = object.triangles.iter().copied();
    mesh.append_triangles(transform, first, object.vertices.len(), triangles)
}

/// Archive with the models that have been parsed.
struct Package<'a> {
    archive: ZipArchive<'a>,
    models: HashMap<String, Model>,
}

impl Package<'_> {
    /// Returns the name of the model that the relationships of the package state.
    fn find_model(&self) -> Result<String, FileProblem> {
        let text = self.text(RELATIONSHIPS)?;
        let target = XmlParts::new(&text).find_map(|part| match part {
            XmlPart::Open(tag) if tag.name == "Relationship" => {
                let is_model = tag.attribute("Type").as_deref() == Some(MODEL_TYPE);
                tag.attribute("Target").filter(|_| is_model)
            }
            _ => None,
        });
        let target = target.ok_or_else(|| damaged("it states no model".to_owned()))?;
        Ok(target.trim_start_matches('/').to_owned())
    }

    /// Parses a model, unless that has been done.
    fn load(&mut self, part: &str) -> Result<(), FileProblem> {
        if !self.models.contains_key(part) {
            let model = parse_model(&self.text(part)?)?;
            self.models.insert(part.to_owned(), model);
        }
        Ok(())
    }

    fn text(&self, name: &str) -> Result<String, FileProblem> {
        let entry = self.archive.entry(name);
        let entry = entry.ok_or_else(|| damaged(format!("it has no entry {name:?}")))?;
        if entry.size > MAX_EXPANSION.saturating_mul(entry.compressed) + FREE_BYTES {
            return Err(damaged(format!(
                "{name:?} has {} bytes in {} bytes",
                entry.size, entry.compressed
            )));
        }
        let bytes = self.archive.read_entry(entry, MAX_TEXT)?;
        String::from_utf8(bytes).map_err(|_| damaged(format!("{name:?} is not UTF-8 text")))
    }
}
