//! Parser of DICOM data sets (PS3.5, section 7, and PS3.10).
//!
//! Only the elements of [`is_needed`] are stored; all others are skipped. The parser ends at the
//! pixel data, whose position it returns.

use crate::io::source::{Remaining, Source};
use crate::io::volume::dicom::damaged;
use crate::io::{ByteOrder, FileProblem};
use crate::memory;

/// Group and element number of an attribute.
pub(super) type Tag = u32;

/// Largest value of a needed element, in bytes.
const MAX_VALUE: u32 = 1 << 20;
/// Largest depth of nested sequences.
const MAX_DEPTH: usize = 24;
/// Largest number of elements of group 2.
const MAX_META_ELEMENTS: usize = 64;
/// Length of elements that end with a delimiter.
const UNDEFINED: u32 = u32::MAX;

const ITEM: Tag = 0xFFFE_E000;
const ITEM_END: Tag = 0xFFFE_E00D;
const SEQUENCE_END: Tag = 0xFFFE_E0DD;
pub(super) const PIXEL_DATA: Tag = 0x7FE0_0010;
const FLOAT_PIXEL_DATA: Tag = 0x7FE0_0008;
const DOUBLE_PIXEL_DATA: Tag = 0x7FE0_0009;

/// Encoding of the elements of a data set.
#[derive(Clone, Copy, Debug)]
pub(super) struct Encoding {
    /// `true` if every element states its value representation.
    pub is_explicit: bool,
    pub order: ByteOrder,
}

/// Needed elements of a data set, in the order of the file.
#[derive(Clone, Debug, Default)]
pub(super) struct Dataset {
    elements: Vec<(Tag, Value)>,
}

/// Value of an element.
#[derive(Clone, Debug)]
enum Value {
    Bytes(Vec<u8>),
    Items(Vec<Dataset>),
}

/// Position of the pixel data in the file.
#[derive(Clone, Debug)]
pub(super) struct PixelData {
    pub tag: Tag,
    /// Offset of the samples, or of the fragments.
    pub offset: u64,
    /// Number of bytes of native samples; `None` for fragments.
    pub length: Option<u64>,
}

/// Returns `true` if the readers use the attribute.
fn is_needed(tag: Tag) -> bool {
    matches!(
        tag,
        0x0002_0010 // transfer syntax
            | 0x0008_0008 // image type
            | 0x0008_0016 // SOP class
            | 0x0008_0060 // modality
            | 0x0008_103E // series description
            | 0x0018_0050 // slice thickness
            | 0x0018_0086 // echo number
            | 0x0018_0088 // spacing between slices
            | 0x0018_1060 // trigger time
            | 0x0020_000E // series
            | 0x0020_0011 // series number
            | 0x0020_0012 // acquisition number
            | 0x0020_0013 // instance number
            | 0x0020_0032 // image position
            | 0x0020_0037 // image orientation
            | 0x0020_0100 // temporal position
            | 0x0020_9128 // temporal position index
            | 0x0020_9157 // dimension index values
            | 0x0028_0002..=0x0028_0011
            | 0x0028_0030
            | 0x0028_0100..=0x0028_0103
            | 0x0028_1052 | 0x0028_1053
            | 0x3004_000C | 0x3004_000E // offsets of the planes of a dose, and its scaling
            | 0x7FE0_0001 | 0x7FE0_0002 // extended offset table
    ) || is_needed_sequence(tag)
}

/// Returns `true` for a sequence that has needed elements.
fn is_needed_sequence(tag: Tag) -> bool {
    matches!(
        tag,
        0x0020_9111 // frame content
            | 0x0020_9113 | 0x0020_9116 // plane position, plane orientation
            | 0x0028_9110 // pixel measures
            | 0x0028_9145 // pixel value transformation
            | 0x0054_0022 // detector
            | 0x5200_9229 | 0x5200_9230 // shared and per-frame functional groups
    )
}

impl Dataset {
    fn value(&self, tag: Tag) -> Option<&Value> {
        let found = self.elements.iter().find(|(known, _)| *known == tag);
        found.map(|(_, value)| value)
    }

    /// Returns the bytes of an element.
    pub fn bytes(&self, tag: Tag) -> Option<&[u8]> {
        match self.value(tag)? {
            Value::Bytes(bytes) => Some(bytes),
            Value::Items(_) => None,
        }
    }

    /// Returns the items of a sequence; none if there is no such sequence.
    pub fn items(&self, tag: Tag) -> &[Dataset] {
        match self.value(tag) {
            Some(Value::Items(items)) => items,
            _ => &[],
        }
    }

    /// Returns a text without padding; `None` if it is missing or empty.
    pub fn text(&self, tag: Tag) -> Option<String> {
        let text = String::from_utf8_lossy(self.bytes(tag)?);
        let text = text.trim_matches(|it: char| it == '\0' || it.is_whitespace());
        (!text.is_empty()).then(|| text.to_owned())
    }

    /// Returns the decimal numbers of an element, which a backslash separates; `None` if it is
    /// missing, or one is not a number.
    pub fn numbers(&self, tag: Tag) -> Option<Vec<f64>> {
        let text = self.text(tag)?;
        let numbers = text.split('\\').map(|word| word.trim().parse::<f64>());
        numbers.collect::<Result<_, _>>().ok()
    }

    /// Returns the first decimal number of an element.
    pub fn number(&self, tag: Tag) -> Option<f64> {
        self.numbers(tag)?.first().copied()
    }

    /// Returns a binary 16-bit number.
    pub fn short(&self, tag: Tag, order: ByteOrder) -> Option<u16> {
        let bytes = self.bytes(tag)?.get(..2)?;
        Some(order.unsigned(bytes) as u16)
    }

    /// Returns binary 32-bit numbers.
    pub fn longs(&self, tag: Tag, order: ByteOrder) -> Option<Vec<u32>> {
        let numbers = self.bytes(tag)?.as_chunks::<4>().0.iter();
        let number = |bytes: &[u8; 4]| order.unsigned(bytes) as u32;
        Some(numbers.map(number).collect())
    }
}

/// Reads the elements of group 2 in explicit little-endian.
pub(super) fn read_file_meta(source: &mut Source<'_>) -> Result<Dataset, FileProblem> {
    let encoding = Encoding {
        is_explicit: true,
        order: ByteOrder::Little,
    };
    let mut parser = Parser { source, encoding };
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
    let mut parser = Parser { source, encoding };
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
    let mut parser = Parser { source, encoding };
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
}

impl Parser<'_, '_> {
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
        let is_sequence = header.vr == Some(*b"SQ")
            || header.length == UNDEFINED
            || (header.vr.is_none() && is_needed_sequence(header.tag));
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
