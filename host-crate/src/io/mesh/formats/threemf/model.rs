//! Parser of the model of a 3MF package: objects with their meshes and components, and the build.

use std::collections::HashMap;

use nalgebra::Matrix4;

use crate::io::FileProblem;
use crate::io::mesh::try_append::append;
use crate::io::xml::{XmlPart, XmlParts, XmlTag};

/// Model of a package.
pub(super) struct Model {
    /// Size of the unit, in millimetres.
    pub millimetres: f64,
    /// Objects by their number.
    pub objects: HashMap<u64, Object>,
    pub items: Vec<Placement>,
}

/// Mesh, or objects that it is composed of.
#[derive(Default)]
pub(super) struct Object {
    pub vertices: Vec<[f64; 3]>,
    pub triangles: Vec<[u32; 3]>,
    pub components: Vec<Placement>,
}

/// Object at a place.
pub(super) struct Placement {
    pub object: u64,
    /// Name of the model with the object; `None` for the model itself.
    pub part: Option<String>,
    pub transform: Matrix4<f64>,
}

/// Parses a model.
pub(super) fn parse_model(text: &str) -> Result<Model, FileProblem> {
    let mut model = Model {
        millimetres: 1.0,
        objects: HashMap::new(),
        items: Vec::new(),
    };
    let mut number = 0;
    let mut object = Object::default();
    for part in XmlParts::new(text) {
        match part {
            XmlPart::Open(tag) => match tag.name {
                "model" => model.millimetres = parse_unit(&tag)?,
                "object" => {
                    object = Object::default();
                    let id = tag.number("id");
                    number = id.ok_or_else(|| damaged("an object has no id".to_owned()))?;
                }
                "vertex" => append(&mut object.vertices, parse_vertex(&tag)?)?,
                "triangle" => append(&mut object.triangles, parse_triangle(&tag)?)?,
                "component" => append(&mut object.components, parse_placement(&tag)?)?,
                "item" => append(&mut model.items, parse_placement(&tag)?)?,
                _ => {}
            },
            XmlPart::Close("object") => {
                model.objects.insert(number, std::mem::take(&mut object));
            }
            _ => {}
        }
    }
    Ok(model)
}

fn parse_unit(tag: &XmlTag<'_>) -> Result<f64, FileProblem> {
    match tag.attribute("unit").as_deref() {
        None | Some("millimeter") => Ok(1.0),
        Some("micron") => Ok(1e-3),
        Some("centimeter") => Ok(10.0),
        Some("meter") => Ok(1000.0),
        Some("inch") => Ok(25.4),
        Some("foot") => Ok(304.8),
        Some(unit) => Err(damaged(format!("its unit is {unit:?}"))),
    }
}

fn parse_vertex(tag: &XmlTag<'_>) -> Result<[f64; 3], FileProblem> {
    let numbers = ["x", "y", "z"].map(|name| tag.number::<f64>(name));
    match numbers {
        [Some(x), Some(y), Some(z)] => Ok([x, y, z]),
        _ => Err(damaged("a vertex has no three coordinates".to_owned())),
    }
}

fn parse_triangle(tag: &XmlTag<'_>) -> Result<[u32; 3], FileProblem> {
    let numbers = ["v1", "v2", "v3"].map(|name| tag.number::<u32>(name));
    match numbers {
        [Some(a), Some(b), Some(c)] => Ok([a, b, c]),
        _ => Err(damaged("a triangle has no three vertices".to_owned())),
    }
}

fn parse_placement(tag: &XmlTag<'_>) -> Result<Placement, FileProblem> {
    let object = tag.number("objectid");
    let object = object.ok_or_else(|| damaged("an item names no object".to_owned()))?;
    let part = tag.attribute("path");
    let part = part.map(|path| path.trim_start_matches('/').to_owned());
    let transform = match tag.attribute("transform") {
        None => Matrix4::identity(),
        Some(text) => {
            let numbers = text.split_ascii_whitespace().map(str::parse::<f64>);
            let numbers = numbers.collect::<Result<Vec<_>, _>>().ok();
            let rows = numbers.filter(|numbers| numbers.len() == 12);
            let rows = rows.ok_or_else(|| damaged(format!("a transform is {text:?}")))?;
            // Rows of the file are columns here, where vectors stand on the right.
            Matrix4::from_fn(|row, column| match row {
                3 => f64::from(u8::from(column == 3)),
                _ => rows[3 * column + row],
            })
        }
    };
    Ok(Placement {
        object,
        part,
        transform,
    })
}

pub(super) fn damaged(problem: String) -> FileProblem {
    FileProblem::MeshFile {
        format: "3MF",
        problem,
    }
}
