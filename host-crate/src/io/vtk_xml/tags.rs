//! Tags that all of VTK's XML files have.

use std::ops::Range;

use crate::io::source::random_access::RandomAccessBytes;
use crate::io::vtk_xml::problems::{damaged, unsupported};
use crate::io::xml::XmlTag;
use crate::io::{ByteOrder, FileProblem};
use crate::memory;

/// Largest size of the tags before appended data, in bytes.
const MAX_TAGS: usize = 1 << 20;
/// Start of appended data.
const APPENDED: &[u8] = b"<AppendedData";

/// Encoding of the arrays of a file.
#[derive(Debug, Default)]
pub(in crate::io) struct FileTags {
    pub order: ByteOrder,
    /// `true` if sizes of blocks have 64 bits.
    pub has_long_headers: bool,
    pub compressor: Option<String>,
    /// `true` if appended data are in base64.
    pub is_base64: bool,
}

impl FileTags {
    /// Parses the tag of a file, which must be of this type.
    pub fn parse(tag: &XmlTag<'_>, expected: &str) -> Result<Self, FileProblem> {
        let kind = tag.attribute("type").unwrap_or_default();
        if kind != expected {
            return Err(unsupported(format!("a VTK file of the type {kind}")));
        }
        Ok(Self {
            order: match tag.attribute("byte_order").as_deref() {
                Some("BigEndian") => ByteOrder::Big,
                _ => ByteOrder::Little,
            },
            has_long_headers: tag.attribute("header_type").as_deref() == Some("UInt64"),
            compressor: tag.attribute("compressor").map(|name| name.into_owned()),
            is_base64: false,
        })
    }

    /// Parses the tag of appended data.
    pub fn parse_appended(&mut self, tag: &XmlTag<'_>) {
        self.is_base64 = tag.attribute("encoding").as_deref() == Some("base64");
    }
}

/// Array of numbers.
#[derive(Debug)]
pub(in crate::io) struct Array {
    pub name: String,
    pub value_type: String,
    pub components: u64,
    pub format: String,
    /// Offset in the appended data.
    pub offset: u64,
    /// Bytes of the file between the tags of the array.
    pub text: Range<usize>,
}

impl Array {
    /// Parses the tag of an array.
    pub fn parse(tag: &XmlTag<'_>) -> Self {
        let text = |name: &str| tag.attribute(name).unwrap_or_default().into_owned();
        Self {
            name: text("Name"),
            value_type: text("type"),
            components: tag.number("NumberOfComponents").unwrap_or(1),
            format: text("format"),
            offset: tag.number("offset").unwrap_or(0),
            text: 0..0,
        }
    }

    /// Stores the position of the numbers: the first text that is not blank, as information keys
    /// may follow. `end` is the offset of the end of `text` in the file.
    pub fn set_text(&mut self, text: &str, end: usize) {
        if self.text.is_empty() && !text.trim_ascii().is_empty() {
            self.text = end - text.len()..end;
        }
    }
}

/// Returns the text of the tags, and the offset of appended data.
pub(in crate::io) fn read_text(
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
