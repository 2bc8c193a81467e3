//! Tags of VTK's XML image data.

use std::str::FromStr;

use crate::io::FileProblem;
use crate::io::vtk_xml::problems::damaged;
use crate::io::vtk_xml::tags::{Array, FileTags};
use crate::io::xml::{XmlPart, XmlParts, XmlTag};

/// Tags of a file.
#[derive(Default)]
pub(super) struct Tags {
    pub file: FileTags,
    /// First and last index of the points along x, y and z.
    pub extent: Option<[i64; 6]>,
    pub origin: [f64; 3],
    pub spacing: [f64; 3],
    pub direction: Option<[f64; 9]>,
    /// Number of pieces.
    pub pieces: usize,
    pub array: Option<Array>,
    pub is_cell_data: bool,
}

/// Parses the tags of a file.
pub(super) fn parse(text: &str) -> Result<Tags, FileProblem> {
    let mut tags = Tags {
        spacing: [1.0; 3],
        ..Tags::default()
    };
    let mut section = "";
    let mut active: Option<String> = None;
    // Whether the array is one of cells, whether it is not active, and the array.
    let mut candidates: Vec<(bool, bool, Array)> = Vec::new();
    let mut is_in_array = false;
    let mut parts = XmlParts::new(text);
    while let Some(part) = parts.next() {
        match part {
            XmlPart::Open(tag) => match tag.name {
                "VTKFile" => tags.file = FileTags::parse(&tag, "ImageData")?,
                "ImageData" => parse_image(&tag, &mut tags)?,
                "Piece" => tags.pieces += 1,
                "PointData" | "CellData" if tag.is_empty => section = "",
                "PointData" | "CellData" => {
                    section = tag.name;
                    active = tag.attribute("Scalars").map(|name| name.into_owned());
                }
                "AppendedData" => {
                    tags.file.parse_appended(&tag);
                }
                "DataArray" if matches!(section, "PointData" | "CellData") => {
                    let array = Array::parse(&tag);
                    let is_active = active.as_deref() == Some(&array.name);
                    is_in_array = !tag.is_empty;
                    candidates.push((section == "CellData", !is_active, array));
                }
                _ => {}
            },
            XmlPart::Close("PointData" | "CellData") => section = "",
            XmlPart::Close("DataArray") => is_in_array = false,
            XmlPart::Text(text) if is_in_array => {
                if let Some((_, _, array)) = candidates.last_mut() {
                    array.set_text(text, parts.offset());
                }
            }
            _ => {}
        }
    }
    // Active points, other points, active cells, other cells.
    candidates.sort_by_key(|(is_cell_data, is_inactive, _)| (*is_cell_data, *is_inactive));
    if let Some((is_cell_data, _, array)) = candidates.into_iter().next() {
        tags.is_cell_data = is_cell_data;
        tags.array = Some(array);
    }
    Ok(tags)
}

fn parse_image(tag: &XmlTag<'_>, tags: &mut Tags) -> Result<(), FileProblem> {
    if let Some(extent) = parse_numbers(tag, "WholeExtent")? {
        tags.extent = Some(extent);
    }
    if let Some(origin) = parse_numbers(tag, "Origin")? {
        tags.origin = origin;
    }
    if let Some(spacing) = parse_numbers(tag, "Spacing")? {
        tags.spacing = spacing;
    }
    tags.direction = parse_numbers(tag, "Direction")?;
    Ok(())
}

/// Returns the numbers of an attribute; `None` if it is missing.
///
/// # Errors
/// For another number of them, and for text that is no number.
fn parse_numbers<T: FromStr, const N: usize>(
    tag: &XmlTag<'_>,
    name: &str,
) -> Result<Option<[T; N]>, FileProblem> {
    let Some(text) = tag.attribute(name) else {
        return Ok(None);
    };
    let numbers = text.split_whitespace().map(str::parse);
    let numbers = numbers.collect::<Result<Vec<T>, _>>().ok();
    let numbers = numbers.and_then(|numbers| <[T; N]>::try_from(numbers).ok());
    match numbers {
        Some(numbers) => Ok(Some(numbers)),
        None => Err(damaged(format!("{name} is {text:?}; it needs {N} numbers"))),
    }
}
