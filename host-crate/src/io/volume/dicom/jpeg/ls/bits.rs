//! Bits of a scan and limited Golomb codes.

use crate::io::FileProblem;
use crate::io::volume::dicom::jpeg::segments::invalid;

/// Reader of the bits of a scan. A byte of ones is followed by one of seven bits.
pub(super) struct BitReader<'a> {
    bytes: &'a [u8],
    /// Index of the next byte.
    position: usize,
    buffer: u64,
    /// Number of valid low bits of the buffer.
    count: u32,
    is_after_ones: bool,
}

impl<'a> BitReader<'a> {
    pub fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            position: 0,
            buffer: 0,
            count: 0,
            is_after_ones: false,
        }
    }

    /// Returns the next `count` bits, at most 24.
    pub fn bits(&mut self, count: u32) -> Result<u32, FileProblem> {
        while self.count < count {
            let byte = self.bytes.get(self.position);
            let byte = *byte.ok_or_else(|| invalid("a scan ends early"))?;
            let width = if self.is_after_ones { 7 } else { 8 };
            if self.is_after_ones && byte & 0x80 != 0 {
                return Err(invalid("a scan ends early"));
            }
            self.position += 1;
            self.is_after_ones = byte == 0xFF;
            self.buffer = self.buffer << width | u64::from(byte);
            self.count += width;
        }
        self.count -= count;
        Ok((self.buffer >> self.count) as u32 & ((1 << count) - 1))
    }

    /// Decodes a number with a Golomb code of limited length (section A.5.3).
    pub fn golomb(&mut self, order: u32, limit: u32, error_bits: u32) -> Result<i32, FileProblem> {
        let max_zeros = limit.saturating_sub(error_bits + 1);
        let mut zeros = 0;
        while zeros < max_zeros && self.bits(1)? == 0 {
            zeros += 1;
        }
        if zeros < max_zeros {
            let number = u64::from(zeros) << order | u64::from(self.bits(order)?);
            return i32::try_from(number.min(1 << 20)).map_err(|_| invalid("a code is too large"));
        }
        // The end of the zeros is a one as well.
        if self.bits(1)? == 0 {
            return Err(invalid("a code is too long"));
        }
        Ok(self.bits(error_bits)? as i32 + 1)
    }

    /// Returns the index of the first byte after the scan.
    pub fn end(&self) -> usize {
        // A byte of ones at the end is followed by a stuffed one.
        self.position + usize::from(self.is_after_ones)
    }
}
