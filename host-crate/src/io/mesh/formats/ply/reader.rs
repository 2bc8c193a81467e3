//! Reader of PLY, binary and text.

use super::header::{Element, Encoding, Header, Property, Scalar, damaged};
use crate::io::FileProblem;
use crate::io::mesh::position_list::PositionList;
use crate::io::mesh::try_append::append;
use crate::io::source::Source;
use crate::mesh::{TriangleMesh, Triangles};

/// Longest word of the text form that is accepted, in bytes.
const MAX_WORD: usize = 256;

/// Reads positions, normals if present, and triangles. Polygons are cut into triangle fans from
/// their first corner. Other properties and elements are skipped.
pub(super) fn read(mut source: Source<'_>) -> Result<TriangleMesh, FileProblem> {
    let header = Header::read(&mut source)?;
    let mut mesh = TriangleMesh::default();
    for element in &header.elements {
        check_length(&source, element, header.encoding)?;
        match element.name.as_str() {
            "vertex" => read_vertices(&mut source, element, header.encoding, &mut mesh)?,
            "face" => {
                mesh.triangles = Triangles::U32(read_faces(&mut source, element, header.encoding)?);
            }
            _ => skip_element(&mut source, element, header.encoding)?,
        }
    }
    mesh.validate()
        .map_err(|error| damaged(error.to_string()))?;
    Ok(mesh)
}

/// Fails if the rest of the file is too short for the records of an element.
fn check_length(
    source: &Source<'_>,
    element: &Element,
    encoding: Encoding,
) -> Result<(), FileProblem> {
    let min_bytes: usize = element
        .properties
        .iter()
        .map(|property| match (encoding, property) {
            // A digit and a separator, which the last number lacks.
            (Encoding::Text, _) => 2,
            (_, Property::Scalar { scalar, .. }) => scalar.bytes(),
            (_, Property::List { count, .. }) => count.bytes(),
        })
        .sum();
    let mut needed = element.count.saturating_mul(min_bytes as u64);
    if encoding == Encoding::Text {
        needed = needed.saturating_sub(1);
    }
    if element.count > 0 && min_bytes == 0 {
        return Err(damaged(format!(
            "its element {:?} has no properties",
            element.name
        )));
    }
    match source.remaining().fewer_than(needed) {
        None => Ok(()),
        Some(found) => Err(damaged(format!(
            "{} records of element {:?} need at least {needed} bytes, but only {found} are left; the file is truncated, so fetch it again",
            element.count, element.name
        ))),
    }
}

/// Reads the next number.
fn read_number(
    source: &mut Source<'_>,
    scalar: Scalar,
    encoding: Encoding,
) -> Result<f64, FileProblem> {
    let order = match encoding {
        Encoding::Binary(order) => order,
        Encoding::Text => return read_word(source, scalar),
    };
    let mut bytes = [0; 8];
    let bytes = &mut bytes[..scalar.bytes()];
    if source.fill(bytes)? < scalar.bytes() {
        return Err(truncated(source));
    }
    Ok(scalar.read(bytes, order))
}

/// Reads the next number of a text. An f32 is parsed as such, so that it is rounded only once.
fn read_word(source: &mut Source<'_>, scalar: Scalar) -> Result<f64, FileProblem> {
    let Some(word) = source.word(MAX_WORD)? else {
        return Err(truncated(source));
    };
    let text = String::from_utf8_lossy(&word);
    let parsed = match scalar {
        Scalar::F32 => text.parse::<f32>().map(f64::from),
        _ => text.parse::<f64>(),
    };
    parsed.map_err(|_| {
        let start: String = text.chars().take(60).collect();
        damaged(format!(
            "{start:?}, after {} bytes, is not a number",
            source.position()
        ))
    })
}

fn truncated(source: &Source<'_>) -> FileProblem {
    damaged(format!(
        "it ends after {} bytes, within its elements; the file is truncated, so fetch it again",
        source.position()
    ))
}

fn read_vertices(
    source: &mut Source<'_>,
    element: &Element,
    encoding: Encoding,
    mesh: &mut TriangleMesh,
) -> Result<(), FileProblem> {
    const NAMES: [&str; 6] = ["x", "y", "z", "nx", "ny", "nz"];
    // Type and index in `NAMES` of each property.
    let mut properties = Vec::new();
    for property in &element.properties {
        let Property::Scalar { name, scalar } = property else {
            return Err(damaged("its vertices have a list property".to_owned()));
        };
        properties.push((*scalar, NAMES.iter().position(|known| known == name)));
    }
    let has = |names: std::ops::Range<usize>| {
        names
            .into_iter()
            .all(|name| properties.iter().any(|property| property.1 == Some(name)))
    };
    if !has(0..3) {
        return Err(damaged("its vertices have no x, y and z".to_owned()));
    }
    let has_normals = has(3..6);
    let mut positions = PositionList::default();
    let mut normals = Vec::new();
    let stride = properties.iter().map(|property| property.0.bytes()).sum();
    let mut record = vec![0; stride];
    for _ in 0..element.count {
        let mut values = [0.0_f64; 6];
        if let Encoding::Binary(order) = encoding {
            // Reading a whole record is faster than reading number by number.
            if source.fill(&mut record)? < stride {
                return Err(truncated(source));
            }
            let mut remaining = &record[..];
            for &(scalar, name) in &properties {
                let (bytes, after) = remaining.split_at(scalar.bytes());
                remaining = after;
                if let Some(name) = name {
                    values[name] = scalar.read(bytes, order);
                }
            }
        } else {
            for &(scalar, name) in &properties {
                let value = read_word(source, scalar)?;
                if let Some(name) = name {
                    values[name] = value;
                }
            }
        }
        let [x, y, z, nx, ny, nz] = values;
        positions.append([x, y, z], [x, y, z].map(|number| number as f32))?;
        if has_normals {
            append(&mut normals, [nx, ny, nz].map(|number| number as f32))?;
        }
    }
    (mesh.origin, mesh.vertices) = positions.into_local()?;
    mesh.normals = has_normals.then_some(normals);
    Ok(())
}

/// Names of the list property with the corners of a face.
const CORNERS: [&str; 2] = ["vertex_indices", "vertex_index"];

fn read_faces(
    source: &mut Source<'_>,
    element: &Element,
    encoding: Encoding,
) -> Result<Vec<[u32; 3]>, FileProblem> {
    let corners_property = find_corners(element)?;
    let mut triangles = Vec::new();
    for face in 0..element.count {
        for (index, property) in element.properties.iter().enumerate() {
            let (count, item) = match *property {
                Property::List { count, item, .. } if index == corners_property => (count, item),
                _ => {
                    skip_property(source, property, encoding)?;
                    continue;
                }
            };
            let corners = read_number(source, count, encoding)?;
            if corners < 3.0 || corners.fract() != 0.0 || !corners.is_finite() {
                return Err(damaged(format!(
                    "face {face} has {corners} corners instead of at least three"
                )));
            }
            let mut corner = || read_vertex(source, item, encoding, face);
            let (first, mut previous) = (corner()?, corner()?);
            for _ in 2..corners as u64 {
                let next = read_vertex(source, item, encoding, face)?;
                append(&mut triangles, [first, previous, next])?;
                previous = next;
            }
        }
    }
    Ok(triangles)
}

/// Returns the index of the list property with the corners of a face: the one of the usual name, or
/// the only one.
fn find_corners(element: &Element) -> Result<usize, FileProblem> {
    let lists = || {
        let properties = element.properties.iter().enumerate();
        properties.filter(|(_, property)| matches!(property, Property::List { .. }))
    };
    let named: Vec<usize> = lists()
        .filter(|(_, property)| CORNERS.contains(&property.name()))
        .map(|(index, _)| index)
        .collect();
    let names: Vec<&str> = lists().map(|(_, property)| property.name()).collect();
    match (&named[..], &names[..]) {
        (&[index], _) => Ok(index),
        ([_, _, ..], _) => Err(damaged(format!(
            "its faces have both {}",
            CORNERS.join(" and ")
        ))),
        ([], []) => Err(damaged(
            "its faces have no list property with their corners".to_owned(),
        )),
        ([], [_]) => Ok(lists().next().map_or(0, |(index, _)| index)),
        ([], _) => Err(damaged(format!(
            "its faces have the list properties {}, none of which is {}",
            names.join(", "),
            CORNERS.join(" or ")
        ))),
    }
}

/// Reads the vertex index of a corner of a face.
fn read_vertex(
    source: &mut Source<'_>,
    item: Scalar,
    encoding: Encoding,
    face: u64,
) -> Result<u32, FileProblem> {
    let number = read_number(source, item, encoding)?;
    // The conversion saturates, so a number that changes is not an index.
    let vertex = number as u32;
    if f64::from(vertex) != number {
        return Err(damaged(format!(
            "face {face} refers to vertex {number}, which is not a vertex index"
        )));
    }
    Ok(vertex)
}

fn skip_element(
    source: &mut Source<'_>,
    element: &Element,
    encoding: Encoding,
) -> Result<(), FileProblem> {
    for _ in 0..element.count {
        for property in &element.properties {
            skip_property(source, property, encoding)?;
        }
    }
    Ok(())
}

fn skip_property(
    source: &mut Source<'_>,
    property: &Property,
    encoding: Encoding,
) -> Result<(), FileProblem> {
    let (items, item) = match *property {
        Property::Scalar { scalar, .. } => (1, scalar),
        Property::List { count, item, .. } => {
            let items = read_number(source, count, encoding)?;
            // A negative number counts as 0, and so does one that is not a number.
            (items as u64, item)
        }
    };
    if encoding == Encoding::Text {
        for _ in 0..items {
            read_word(source, item)?;
        }
        return Ok(());
    }
    let bytes = items.saturating_mul(item.bytes() as u64);
    if source.skip(bytes)? < bytes {
        return Err(truncated(source));
    }
    Ok(())
}
