//! Needed elements of a DICOM data set.

use crate::io::ByteOrder;

/// Group and element number of an attribute.
pub(super) type Tag = u32;

pub(super) const PIXEL_DATA: Tag = 0x7FE0_0010;
pub(super) const FLOAT_PIXEL_DATA: Tag = 0x7FE0_0008;
pub(super) const DOUBLE_PIXEL_DATA: Tag = 0x7FE0_0009;

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
    pub(super) elements: Vec<(Tag, Value)>,
}

/// Value of an element.
#[derive(Clone, Debug)]
pub(super) enum Value {
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
pub(super) fn is_needed(tag: Tag) -> bool {
    matches!(
        tag,
        0x0002_0010 // transfer syntax
            | 0x0008_0008 // image type
            | 0x0008_0018 // SOP instance
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
    ) || is_needed_sequence(tag)
}

/// Returns `true` for a sequence that has needed elements.
pub(super) fn is_needed_sequence(tag: Tag) -> bool {
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
