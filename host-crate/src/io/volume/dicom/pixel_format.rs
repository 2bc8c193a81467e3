//! Encoding of the samples of a DICOM file.

use super::dataset::{Dataset, PIXEL_DATA, PixelData};
use super::syntax::Syntax;
use super::{damaged, unsupported};
use crate::io::{ByteOrder, FileProblem, StoredType};

/// Encoding of the samples of a file.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PixelFormat {
    pub syntax: Syntax,
    pub rows: u16,
    pub columns: u16,
    pub components: u16,
    /// `true` if the file has one plane per component.
    pub is_planar: bool,
    pub bits_allocated: u16,
    pub bits_stored: u16,
    pub high_bit: u16,
    pub is_signed: bool,
    pub stored: StoredType,
    /// Photometric interpretation.
    pub photometric: String,
}

impl PixelFormat {
    /// Returns the number of samples of a frame.
    pub fn samples(&self) -> usize {
        usize::from(self.rows) * usize::from(self.columns) * usize::from(self.components)
    }

    /// Returns the size of a decoded frame, in bytes.
    pub fn frame_bytes(&self) -> usize {
        self.samples() * self.stored.bytes()
    }

    /// Returns the size of an uncompressed frame in the file, in bits.
    pub fn native_bits(&self) -> u64 {
        self.samples() as u64 * u64::from(self.bits_allocated)
    }

    fn check_supported(&self) -> Result<(), FileProblem> {
        if self.syntax == Syntax::BigEndian && self.bits_allocated != 16 {
            return Err(unsupported(
                format!("big-endian DICOM with {} bits", self.bits_allocated),
                "convert it with dcmconv +te",
            ));
        }
        if self.photometric.starts_with("YBR_") && self.photometric.contains("42") {
            return Err(unsupported(
                format!("DICOM with subsampled colours ({})", self.photometric),
                "convert it to RGB or MONOCHROME2, for example with dcmdjpeg",
            ));
        }
        let is_bits = self.bits_allocated == 1;
        if is_bits && (self.components != 1 || self.syntax.is_encapsulated()) {
            return Err(unsupported(
                "DICOM with several or compressed components of one bit".to_owned(),
                "convert it to 8 bits",
            ));
        }
        Ok(())
    }
}

/// Returns the encoding that a data set states.
pub(super) fn pixel_format(
    dataset: &Dataset,
    pixels: &PixelData,
    syntax: Syntax,
) -> Result<PixelFormat, FileProblem> {
    let order = syntax.order();
    let number = |tag, name: &str| {
        let found = dataset.short(tag, order);
        found.ok_or_else(|| damaged(format!("there is no {name}")))
    };
    let bits_allocated = number(0x0028_0100, "BitsAllocated")?;
    let is_float = pixels.tag != PIXEL_DATA;
    let bits_stored = match dataset.short(0x0028_0101, order) {
        Some(bits) if !is_float => bits,
        _ => bits_allocated,
    };
    let high_bit = dataset.short(0x0028_0102, order);
    let high_bit = high_bit.unwrap_or(bits_stored.saturating_sub(1));
    let is_signed = dataset.short(0x0028_0103, order) == Some(1);
    let stored = match (bits_allocated, is_signed) {
        (32, _) if is_float => StoredType::F32,
        (64, _) if is_float => StoredType::F64,
        (1, _) => StoredType::U8,
        (8, false) => StoredType::U8,
        (8, true) => StoredType::I8,
        (16, false) => StoredType::U16,
        (16, true) => StoredType::I16,
        (32, false) => StoredType::U32,
        (32, true) => StoredType::I32,
        _ => {
            return Err(unsupported(
                format!("DICOM with {bits_allocated} bits per sample"),
                "convert it to 8, 16 or 32 bits",
            ));
        }
    };
    if bits_stored == 0 || bits_stored > bits_allocated || high_bit >= bits_allocated {
        return Err(damaged(format!(
            "BitsAllocated is {bits_allocated}, BitsStored {bits_stored}, and HighBit {high_bit}"
        )));
    }
    if high_bit + 1 < bits_stored {
        return Err(damaged(format!(
            "BitsStored is {bits_stored}, but HighBit is {high_bit}"
        )));
    }
    let photometric = dataset.text(0x0028_0004).unwrap_or_default();
    let format = PixelFormat {
        syntax,
        rows: number(0x0028_0010, "Rows")?,
        columns: number(0x0028_0011, "Columns")?,
        components: dataset.short(0x0028_0002, order).unwrap_or(1),
        is_planar: dataset.short(0x0028_0006, order) == Some(1),
        bits_allocated,
        bits_stored,
        high_bit,
        is_signed,
        stored,
        photometric,
    };
    if format.samples() == 0 {
        return Err(damaged(format!(
            "it has {} rows, {} columns and {} components",
            format.rows, format.columns, format.components
        )));
    }
    format.check_supported()?;
    Ok(format)
}

/// Returns the byte order of uncompressed samples.
pub(super) fn sample_order(format: &PixelFormat) -> ByteOrder {
    format.syntax.order()
}
