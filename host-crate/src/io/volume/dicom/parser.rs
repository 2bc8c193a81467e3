//! Parser of DICOM data sets (PS3.5, section 7, and PS3.10).
//!
//! Only needed elements are stored; all others are skipped. The parser ends at the pixel data,
//! whose position it returns.

use super::dataset::{
    DOUBLE_PIXEL_DATA, Dataset, Encoding, FLOAT_PIXEL_DATA, PIXEL_DATA, PixelData, Tag, Value,
    is_needed, is_needed_sequence,
};
use crate::io::source::{Remaining, Source};
use crate::io::volume::dicom::damaged;
use crate::io::{ByteOrder, FileProblem};
use crate::memory;

/// Largest value of a needed element, in bytes.
const MAX_VALUE: u32 = 1 << 20;
/// Largest memory of all elements and items, in bytes: deflated ones may be many in a small file.
const MAX_STORED: usize = 256 << 20;
/// Memory of an element or an item in addition to its value, in bytes.
const ELEMENT_BYTES: usize = 64;
/// Largest depth of nested sequences.
const MAX_DEPTH: usize = 24;
/// Largest number of elements of group 2.
const MAX_META_ELEMENTS: usize = 64;
/// Length of elements that end with a delimiter.
const UNDEFINED: u32 = u32::MAX;

const ITEM: Tag = 0xFFFE_E000;
const ITEM_END: Tag = 0xFFFE_E00D;
const SEQUENCE_END: Tag = 0xFFFE_E0DD;
/// Reads the elements of group 2 in explicit little-endian.
pub(super) fn read_file_meta(source: &mut Source<'_>) -> Result<Dataset, FileProblem> {
    let encoding = Encoding {
        is_explicit: true,
        order: ByteOrder::Little,
    };
    let mut parser = Parser::new(source, encoding);
    let mut found = Dataset::default();
    // The group ends where another begins. It has about ten elements.
    for _ in 0..MAX_META_ELEMENTS {
        if parser.source.peek(2)? != [2, 0] {
            break;
        }
        let Some(header) = parser.element_header()? else {
            break;
        };
        if header.length == UNDEFINED {
            return Err(damaged(format!("{} has no length", show(header.tag))));
        }
        parser.read_value(header, &mut found)?;
    }
    Ok(found)
}

/// Reads the elements up to the pixel data, or up to the end if there are none.
pub(super) fn read_dataset(
    source: &mut Source<'_>,
    encoding: Encoding,
) -> Result<(Dataset, Option<PixelData>), FileProblem> {
    let mut parser = Parser::new(source, encoding);
    let mut found = Dataset::default();
    while let Some(header) = parser.element_header()? {
        if matches!(
            header.tag,
            PIXEL_DATA | FLOAT_PIXEL_DATA | DOUBLE_PIXEL_DATA
        ) {
            let pixels = PixelData {
                tag: header.tag,
                offset: parser.source.position(),
                length: (header.length != UNDEFINED).then_some(u64::from(header.length)),
            };
            return Ok((found, Some(pixels)));
        }
        parser.read_element(header, &mut found, 0)?;
    }
    Ok((found, None))
}

/// Offset and length of the fragments of encapsulated pixel data, without the offset table.
pub(super) struct Fragments {
    /// Offsets of the frames relative to the first fragment's item; empty if there is no table.
    pub table: Vec<u32>,
    pub fragments: Vec<(u64, u32)>,
    /// Offset of the item of the first fragment in the file.
    pub first: u64,
}

/// Reads the positions of the fragments.
pub(super) fn read_fragments(source: &mut Source<'_>) -> Result<Fragments, FileProblem> {
    let encoding = Encoding {
        is_explicit: true,
        order: ByteOrder::Little,
    };
    let mut parser = Parser::new(source, encoding);
    let mut found = Fragments {
        table: Vec::new(),
        fragments: Vec::new(),
        first: 0,
    };
    let mut is_table = true;
    while let Some(header) = parser.element_header()? {
        match (header.tag, header.length) {
            (SEQUENCE_END, _) => break,
            (ITEM, length) if length != UNDEFINED && is_table => {
                let bytes = parser.read_bytes(header)?;
                let words = bytes.as_chunks::<4>().0.iter();
                found.table = words.map(|word| u32::from_le_bytes(*word)).collect();
                is_table = false;
                found.first = parser.source.position();
            }
            (ITEM, length) if length != UNDEFINED => {
                let fragment = (parser.source.position(), length);
                memory::try_extend("fragments", &mut found.fragments, &[fragment])?;
                parser.skip(header)?;
            }
            _ => {
                return Err(damaged(format!(
                    "{} stands among the fragments of the pixel data",
                    show(header.tag)
                )));
            }
        }
    }
    Ok(found)
}

/// Header of an element.
#[derive(Clone, Copy)]
struct ElementHeader {
    tag: Tag,
    /// Value representation, if the file states it.
    vr: Option<[u8; 2]>,
    length: u32,
}

struct Parser<'s, 'a> {
    source: &'s mut Source<'a>,
    encoding: Encoding,
    /// Memory that further elements and items may take, in bytes.
    left: usize,
}

impl<'s, 'a> Parser<'s, 'a> {
    fn new(source: &'s mut Source<'a>, encoding: Encoding) -> Self {
        Self {
            source,
            encoding,
            left: MAX_STORED,
        }
    }

    /// Counts the memory of an element or an item with a value of this many bytes.
    fn count(&mut self, bytes: usize) -> Result<(), FileProblem> {
        let left = self.left.checked_sub(bytes + ELEMENT_BYTES);
        self.left = left
            .ok_or_else(|| damaged(format!("its attributes have more than {MAX_STORED} bytes")))?;
        Ok(())
    }

    /// Reads a tag, the value representation and the length; `None` at the end of the file.
    fn element_header(&mut self) -> Result<Option<ElementHeader>, FileProblem> {
        let mut start = [0; 8];
        match self.source.fill(&mut start)? {
            0 => return Ok(None),
            8 => {}
            _ => return Err(ends_early(self.source)),
        }
        let tag = self.integer(&start[..2]) << 16 | self.integer(&start[2..4]);
        if !self.encoding.is_explicit || tag >> 16 == 0xFFFE {
            let length = self.integer(&start[4..]);
            let vr = None;
            return Ok(Some(ElementHeader { tag, vr, length }));
        }
        let vr = [start[4], start[5]];
        if !vr.iter().all(u8::is_ascii_uppercase) {
            return Err(damaged(format!(
                "{} has no valid value representation",
                show(tag)
            )));
        }
        let is_long = matches!(
            &vr,
            b"OB"
                | b"OD"
                | b"OF"
                | b"OL"
                | b"OV"
                | b"OW"
                | b"SQ"
                | b"SV"
                | b"UC"
                | b"UN"
                | b"UR"
                | b"UT"
                | b"UV"
        );
        let length = if is_long {
            let mut length = [0; 4];
            if self.source.fill(&mut length)? < 4 {
                return Err(ends_early(self.source));
            }
            self.integer(&length)
        } else {
            self.integer(&start[6..])
        };
        let vr = Some(vr);
        Ok(Some(ElementHeader { tag, vr, length }))
    }

    fn integer(&self, bytes: &[u8]) -> u32 {
        self.encoding.order.unsigned(bytes) as u32
    }

    /// Stores or skips an element and, if it is a sequence, its items.
    fn read_element(
        &mut self,
        header: ElementHeader,
        found: &mut Dataset,
        depth: usize,
    ) -> Result<(), FileProblem> {
        let is_unknown = matches!(header.vr, None | Some([b'U', b'N']));
        let is_sequence = header.vr == Some(*b"SQ")
            || header.length == UNDEFINED
            || (is_unknown && is_needed_sequence(header.tag));
        if matches!(header.vr, Some([b'O', b'B' | b'W'])) && header.length == UNDEFINED {
            return self.skip_fragments();
        }
        if !is_sequence {
            return self.read_value(header, found);
        }
        let is_needed = is_needed_sequence(header.tag);
        if !is_needed && header.length != UNDEFINED {
            return self.skip(header);
        }
        if depth == MAX_DEPTH {
            return Err(damaged(format!(
                "sequences are nested more than {MAX_DEPTH} deep at {}",
                show(header.tag)
            )));
        }
        // A sequence of unknown representation is in implicit little-endian (PS3.5, 6.2.2).
        let encoding = self.encoding;
        if header.vr == Some(*b"UN") {
            self.encoding = Encoding {
                is_explicit: false,
                order: ByteOrder::Little,
            };
        }
        let items = self.read_items(header, depth)?;
        self.encoding = encoding;
        if is_needed {
            let element = (header.tag, Value::Items(items));
            found.elements.push(element);
        }
        Ok(())
    }

    /// Skips the fragments of compressed samples, as those of a preview.
    fn skip_fragments(&mut self) -> Result<(), FileProblem> {
        loop {
            let header = self.element_header()?;
            let header = header.ok_or_else(|| ends_early(self.source))?;
            match header.tag {
                SEQUENCE_END => return Ok(()),
                ITEM if header.length != UNDEFINED => self.skip(header)?,
                tag => {
                    return Err(damaged(format!("{} stands among fragments", show(tag))));
                }
            }
        }
    }

    fn read_items(
        &mut self,
        sequence: ElementHeader,
        depth: usize,
    ) -> Result<Vec<Dataset>, FileProblem> {
        let end = self.end(sequence);
        let mut items = Vec::new();
        while end.is_none_or(|end| self.source.position() < end) {
            let header = self.element_header()?;
            let header = header.ok_or_else(|| ends_early(self.source))?;
            match header.tag {
                SEQUENCE_END if end.is_none() => break,
                ITEM => {
                    self.count(0)?;
                    let item = self.read_item(header, depth)?;
                    memory::try_extend("items of a sequence", &mut items, &[item])?;
                }
                tag => {
                    return Err(damaged(format!(
                        "{} stands in sequence {} in place of an item",
                        show(tag),
                        show(sequence.tag)
                    )));
                }
            }
        }
        Ok(items)
    }

    fn read_item(&mut self, item: ElementHeader, depth: usize) -> Result<Dataset, FileProblem> {
        let end = self.end(item);
        let mut found = Dataset::default();
        while end.is_none_or(|end| self.source.position() < end) {
            let header = self.element_header()?;
            let header = header.ok_or_else(|| ends_early(self.source))?;
            if header.tag == ITEM_END && end.is_none() {
                break;
            }
            self.read_element(header, &mut found, depth + 1)?;
        }
        Ok(found)
    }

    /// Returns the position of the first byte after an element; `None` if its length is undefined.
    fn end(&self, header: ElementHeader) -> Option<u64> {
        (header.length != UNDEFINED).then(|| self.source.position() + u64::from(header.length))
    }

    /// Stores the value of an element if it is needed, and skips it otherwise.
    fn read_value(
        &mut self,
        header: ElementHeader,
        found: &mut Dataset,
    ) -> Result<(), FileProblem> {
        if !is_needed(header.tag) {
            return self.skip(header);
        }
        self.count(header.length as usize)?;
        let value = Value::Bytes(self.read_bytes(header)?);
        found.elements.push((header.tag, value));
        Ok(())
    }

    fn read_bytes(&mut self, header: ElementHeader) -> Result<Vec<u8>, FileProblem> {
        if header.length > MAX_VALUE {
            return Err(damaged(format!(
                "{} has {} bytes; at most {MAX_VALUE} are accepted",
                show(header.tag),
                header.length
            )));
        }
        let too_short = match self.source.remaining() {
            Remaining::Exactly(left) | Remaining::AtMost(left) => left < u64::from(header.length),
            Remaining::Unknown => false,
        };
        if too_short {
            return Err(ends_early(self.source));
        }
        let mut bytes = vec![0; header.length as usize];
        if self.source.fill(&mut bytes)? < bytes.len() {
            return Err(ends_early(self.source));
        }
        Ok(bytes)
    }

    fn skip(&mut self, header: ElementHeader) -> Result<(), FileProblem> {
        if self.source.skip(u64::from(header.length))? < u64::from(header.length) {
            return Err(ends_early(self.source));
        }
        Ok(())
    }
}

/// Returns a tag as it is written in the standard.
pub(super) fn show(tag: Tag) -> String {
    format!("element ({:04X},{:04X})", tag >> 16, tag & 0xFFFF)
}

fn ends_early(source: &Source<'_>) -> FileProblem {
    damaged(format!(
        "the file ends within an element, after {} bytes; it is truncated, fetch it again",
        source.position()
    ))
}
