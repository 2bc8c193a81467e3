//! Reading triangle meshes from binary PLY.

use super::grow;
use super::ply_header::{Element, Header, Property, Scalar, damaged};
use crate::files::source::Source;
use crate::files::{ByteOrder, FileProblem};
use crate::mesh::{TriangleMesh, Triangles};

/// Reads positions, normals where there are any, and triangles, from either byte order. Other properties and elements are passed over.
pub(super) fn read(mut source: Source<'_>) -> Result<TriangleMesh, FileProblem> {
    let header = Header::read(&mut source)?;
    let mut mesh = TriangleMesh::default();
    for element in &header.elements {
        check_length(&source, element)?;
        match element.name.as_str() {
            "vertex" => read_vertices(&mut source, element, header.order, &mut mesh)?,
            "face" => {
                mesh.triangles = Triangles::U32(read_faces(&mut source, element, header.order)?);
            }
            _ => pass_over(&mut source, element, header.order)?,
        }
    }
    mesh.validate()
        .map_err(|error| damaged(error.to_string()))?;
    Ok(mesh)
}

/// Compares the number of elements with the file's length.
fn check_length(source: &Source<'_>, element: &Element) -> Result<(), FileProblem> {
    let least: usize = element
        .properties
        .iter()
        .map(|property| match property {
            Property::Scalar { scalar, .. } => scalar.bytes(),
            Property::List { count, .. } => count.bytes(),
        })
        .sum();
    let needed = element.count.saturating_mul(least as u64);
    if element.count > 0 && least == 0 {
        return Err(damaged(format!(
            "its element {:?} has no properties",
            element.name
        )));
    }
    match source.left().fewer_than(needed) {
        None => Ok(()),
        Some(found) => Err(damaged(format!(
            "{} elements {:?} need at least {needed} bytes, but only {found} are left; it is truncated",
            element.count, element.name
        ))),
    }
}

/// The bytes of the next number.
fn number(source: &mut Source<'_>, scalar: Scalar, order: ByteOrder) -> Result<f64, FileProblem> {
    let mut bytes = [0; 8];
    let bytes = &mut bytes[..scalar.bytes()];
    if source.fill(bytes)? < scalar.bytes() {
        return Err(truncated(source));
    }
    Ok(scalar.read(bytes, order))
}

fn truncated(source: &Source<'_>) -> FileProblem {
    damaged(format!(
        "it ends after {} bytes, within its elements; it is truncated",
        source.position()
    ))
}

fn read_vertices(
    source: &mut Source<'_>,
    element: &Element,
    order: ByteOrder,
    mesh: &mut TriangleMesh,
) -> Result<(), FileProblem> {
    const NAMES: [&str; 6] = ["x", "y", "z", "nx", "ny", "nz"];
    let mut places: [Option<(usize, Scalar)>; 6] = [None; 6];
    let mut stride = 0;
    for property in &element.properties {
        let Property::Scalar { name, scalar } = property else {
            return Err(damaged("its vertices have a list property".to_owned()));
        };
        if let Some(known) = NAMES.iter().position(|known| known == name) {
            places[known] = Some((stride, *scalar));
        }
        stride += scalar.bytes();
    }
    let triple = |first: usize| Some([places[first]?, places[first + 1]?, places[first + 2]?]);
    let position =
        triple(0).ok_or_else(|| damaged("its vertices have no x, y and z".to_owned()))?;
    let normal = triple(3);
    let mut normals = Vec::new();
    let mut record = vec![0; stride];
    let vector = |record: &[u8], places: [(usize, Scalar); 3]| {
        places.map(|(offset, scalar)| scalar.read(&record[offset..], order) as f32)
    };
    for _ in 0..element.count {
        grow(&mut mesh.vertices)?;
        if source.fill(&mut record)? < stride {
            return Err(truncated(source));
        }
        mesh.vertices.push(vector(&record, position));
        if let Some(normal) = normal {
            grow(&mut normals)?;
            normals.push(vector(&record, normal));
        }
    }
    mesh.normals = normal.map(|_| normals);
    Ok(())
}

fn read_faces(
    source: &mut Source<'_>,
    element: &Element,
    order: ByteOrder,
) -> Result<Vec<[u32; 3]>, FileProblem> {
    let lists = element
        .properties
        .iter()
        .filter(|p| matches!(p, Property::List { .. }))
        .count();
    if lists != 1 {
        return Err(damaged(format!(
            "its faces have {lists} list properties instead of one"
        )));
    }
    let mut triangles = Vec::new();
    for face in 0..element.count {
        for property in &element.properties {
            match *property {
                Property::Scalar { scalar, .. } => {
                    number(source, scalar, order)?;
                }
                Property::List { count, item } => {
                    let corners = number(source, count, order)?;
                    if corners != 3.0 {
                        return Err(FileProblem::Unsupported {
                            what: format!("face {face} with {corners} corners"),
                            advice: "triangulate the mesh first",
                        });
                    }
                    let mut triangle = [0; 3];
                    for corner in &mut triangle {
                        let index = number(source, item, order)?;
                        // f64 to u32 saturates; what changes is no index
                        *corner = index as u32;
                        if f64::from(*corner) != index {
                            return Err(damaged(format!("face {face} names vertex {index}")));
                        }
                    }
                    grow(&mut triangles)?;
                    triangles.push(triangle);
                }
            }
        }
    }
    Ok(triangles)
}

fn pass_over(
    source: &mut Source<'_>,
    element: &Element,
    order: ByteOrder,
) -> Result<(), FileProblem> {
    for _ in 0..element.count {
        for property in &element.properties {
            let bytes = match *property {
                Property::Scalar { scalar, .. } => scalar.bytes() as u64,
                Property::List { count, item } => {
                    let items = number(source, count, order)?;
                    items.max(0.0) as u64 * item.bytes() as u64
                }
            };
            if source.skip(bytes)? < bytes {
                return Err(truncated(source));
            }
        }
    }
    Ok(())
}
