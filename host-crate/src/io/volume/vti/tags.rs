//! Tags of VTK's XML image data.

use std::ops::Range;

use crate::io::source::random_access::RandomAccessBytes;
use crate::io::volume::vti::{damaged, unsupported};
use crate::io::xml::{XmlPart, XmlParts, XmlTag};
use crate::io::{ByteOrder, FileProblem};
use crate::memory;

/// Largest size of the tags before appended data, in bytes.
const MAX_TAGS: usize = 1 << 20;
/// Start of appended data.
const APPENDED: &[u8] = b"<AppendedData";

/// Tags of a file.
#[derive(Default)]
pub(super) struct Tags {
    pub order: ByteOrder,
    /// `true` if sizes of blocks have 64 bits.
    pub has_long_headers: bool,
    pub compressor: Option<String>,
    /// First and last index of the points along x, y and z.
    pub extent: Option<[i64; 6]>,
    pub origin: [f64; 3],
    pub spacing: [f64; 3],
    pub direction: Option<[f64; 9]>,
    /// Number of pieces.
    pub pieces: usize,
    pub array: Option<Array>,
    /// `true` if appended data are in base64.
    pub is_base64: bool,
}

/// The array of samples.
pub(super) struct Array {
    pub name: String,
    pub value_type: String,
    pub components: u64,
    pub format: String,
    /// Offset in the appended data.
    pub offset: u64,
    /// Bytes of the file between the tags of the array.
    pub text: Range<usize>,
    pub is_cell_data: bool,
}

/// Returns the text of the tags, and the offset of appended data.
pub(super) fn read_text(
    bytes: &RandomAccessBytes<'_>,
    length: u64,
) -> Result<(String, Option<u64>), FileProblem> {
    let start_length = length.min(MAX_TAGS as u64) as usize;
    let mut start = memory::try_zeroed("tags", start_length)?;
    fill(bytes, &mut start)?;
    let tag = start.windows(APPENDED.len()).position(|it| it == APPENDED);
    if let Some(tag) = tag {
        let data = start[tag..].iter().position(|byte| *byte == b'_');
        let data = data.ok_or_else(|| damaged("the appended data have no start".to_owned()))?;
        // Other bytes become one character each: offsets in the text are those in the file.
        let ascii = |byte: &u8| {
            if byte.is_ascii() {
                char::from(*byte)
            } else {
                '?'
            }
        };
        let text = start[..tag + data].iter().map(ascii).collect();
        return Ok((text, Some((tag + data + 1) as u64)));
    }
    // Arrays as text may be long.
    let mut all = memory::try_zeroed("text of arrays", length as usize)?;
    fill(bytes, &mut all)?;
    let text = String::from_utf8(all).map_err(|_| damaged("it is not text".to_owned()))?;
    Ok((text, None))
}

/// Reads the start of the file.
fn fill(bytes: &RandomAccessBytes<'_>, start: &mut [u8]) -> Result<(), FileProblem> {
    if bytes.fill(start, 0)? {
        Ok(())
    } else {
        Err(FileProblem::FileChanged)
    }
}

/// Parses the tags of a file.
pub(super) fn parse(text: &str) -> Result<Tags, FileProblem> {
    let mut tags = Tags {
        spacing: [1.0; 3],
        ..Tags::default()
    };
    let mut section = "";
    let mut active: Option<String> = None;
    let mut candidates: Vec<(bool, Array)> = Vec::new();
    let mut is_in_array = false;
    let mut parts = XmlParts::new(text);
    while let Some(part) = parts.next() {
        match part {
            XmlPart::Open(tag) => match tag.name {
                "VTKFile" => parse_file(&tag, &mut tags)?,
                "ImageData" => parse_image(&tag, &mut tags)?,
                "Piece" => tags.pieces += 1,
                "PointData" | "CellData" => {
                    section = tag.name;
                    active = tag.attribute("Scalars").map(|name| name.into_owned());
                }
                "AppendedData" => {
                    tags.is_base64 = tag.attribute("encoding").as_deref() == Some("base64");
                }
                "DataArray" if matches!(section, "PointData" | "CellData") => {
                    let name = tag.attribute("Name").unwrap_or_default().into_owned();
                    let is_active = active.as_deref() == Some(&name);
                    is_in_array = !tag.is_empty;
                    candidates.push((is_active, parse_array(&tag, name, section == "CellData")));
                }
                _ => {}
            },
            XmlPart::Close("PointData" | "CellData") => section = "",
            XmlPart::Close("DataArray") => is_in_array = false,
            XmlPart::Text(text) if is_in_array => {
                if let Some((_, array)) = candidates.last_mut() {
                    array.text = parts.offset() - text.len()..parts.offset();
                }
            }
            _ => {}
        }
    }
    // Active points, other points, active cells, other cells.
    candidates.sort_by_key(|(is_active, array)| (array.is_cell_data, !is_active));
    tags.array = candidates.into_iter().next().map(|(_, array)| array);
    Ok(tags)
}

fn parse_file(tag: &XmlTag<'_>, tags: &mut Tags) -> Result<(), FileProblem> {
    let kind = tag.attribute("type").unwrap_or_default();
    if kind != "ImageData" {
        return Err(unsupported(format!("a VTK file of the type {kind}")));
    }
    tags.order = match tag.attribute("byte_order").as_deref() {
        Some("BigEndian") => ByteOrder::Big,
        _ => ByteOrder::Little,
    };
    tags.has_long_headers = tag.attribute("header_type").as_deref() == Some("UInt64");
    tags.compressor = tag.attribute("compressor").map(|name| name.into_owned());
    Ok(())
}

fn parse_image(tag: &XmlTag<'_>, tags: &mut Tags) -> Result<(), FileProblem> {
    let numbers = |name: &str| -> Result<Option<Vec<f64>>, FileProblem> {
        let Some(text) = tag.attribute(name) else {
            return Ok(None);
        };
        let numbers = text
            .split_whitespace()
            .map(str::parse)
            .collect::<Result<Vec<f64>, _>>();
        numbers
            .map(Some)
            .map_err(|_| damaged(format!("{name} is {text:?}")))
    };
    let extent = numbers("WholeExtent")?.and_then(|it| <[f64; 6]>::try_from(it).ok());
    tags.extent = extent.map(|it| it.map(|number| number as i64));
    if let Some(origin) = numbers("Origin")?.and_then(|it| it.try_into().ok()) {
        tags.origin = origin;
    }
    if let Some(spacing) = numbers("Spacing")?.and_then(|it| it.try_into().ok()) {
        tags.spacing = spacing;
    }
    tags.direction = numbers("Direction")?.and_then(|it| it.try_into().ok());
    Ok(())
}

fn parse_array(tag: &XmlTag<'_>, name: String, is_cell_data: bool) -> Array {
    let text = |name: &str| tag.attribute(name).unwrap_or_default().into_owned();
    Array {
        name,
        value_type: text("type"),
        components: tag.number("NumberOfComponents").unwrap_or(1),
        format: text("format"),
        offset: tag.number("offset").unwrap_or(0),
        text: 0..0,
        is_cell_data,
    }
}
