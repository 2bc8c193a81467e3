//! Arrays in the forms that VTK's XML files have: text, base64, and raw appended bytes.

use std::ops::Range;

use super::base64::Base64;
use super::blocks::{BlockCompressor, BlockSizes, Blocks, CompressedBytes};
use super::problems::{damaged, ends_early};
use super::tags::{Array, FileTags};
use crate::io::FileProblem;
use crate::io::source::random_access::RandomAccessBytes;
use crate::memory;

/// File with its tags.
pub(in crate::io) struct ArrayFile<'t, 'a> {
    pub bytes: RandomAccessBytes<'a>,
    /// Number of bytes of the file.
    pub length: u64,
    pub tags: &'t FileTags,
    /// Text of the tags, from the start of the file.
    pub text: &'t str,
    /// Offset of the appended data.
    pub appended: Option<u64>,
    pub compressor: Option<BlockCompressor>,
}

/// Numbers of an array.
pub(in crate::io) enum ArrayBytes<'a> {
    /// Decimal numbers in this part of the file.
    Text(Range<usize>),
    /// Binary numbers from this offset in the file on.
    Raw(u64),
    /// Binary numbers from this index on.
    Memory(Vec<u8>, usize),
    Blocks(Blocks<'a>),
}

impl<'a> ArrayFile<'_, 'a> {
    /// Locates the numbers of an array of `total` bytes, and compares their size with that of the
    /// file. Numbers in base64 are decoded.
    pub fn locate(&self, array: &Array, total: u64) -> Result<ArrayBytes<'a>, FileProblem> {
        let beyond = || damaged("an offset is beyond the file".to_owned());
        let text = &self.text.as_bytes()[array.text.clone()];
        match (array.format.as_str(), self.appended) {
            ("ascii", _) => Ok(ArrayBytes::Text(array.text.clone())),
            ("binary", _) => self.decode_base64(text, total),
            ("appended", Some(start)) => {
                let start = start.checked_add(array.offset);
                let start = start.filter(|it| *it <= self.length).ok_or_else(beyond)?;
                if self.tags.is_base64 {
                    let text = self.read(start, self.length - start)?;
                    self.decode_base64(&text, total)
                } else {
                    self.locate_raw(start, total)
                }
            }
            (format, _) => Err(damaged(format!("the format of an array is {format:?}"))),
        }
    }

    /// Reads the binary numbers of an array of `total` bytes; `None` if it is text.
    pub fn read_array(&self, array: &Array, total: u64) -> Result<Option<Vec<u8>>, FileProblem> {
        Ok(Some(match self.locate(array, total)? {
            ArrayBytes::Text(_) => return Ok(None),
            ArrayBytes::Raw(start) => self.read(start, total)?,
            ArrayBytes::Memory(mut bytes, start) => {
                bytes.drain(..start);
                bytes
            }
            ArrayBytes::Blocks(blocks) => {
                let mut bytes = memory::try_zeroed("an array", total as usize)?;
                blocks.decode(0, &mut bytes)?;
                bytes
            }
        }))
    }

    /// Returns the size of a number in the headers, in bytes.
    fn width(&self) -> usize {
        if self.tags.has_long_headers { 8 } else { 4 }
    }

    fn numbers(&self, bytes: &[u8]) -> Vec<u64> {
        let words = bytes.chunks_exact(self.width());
        words.map(|word| self.tags.order.unsigned(word)).collect()
    }

    fn read(&self, offset: u64, count: u64) -> Result<Vec<u8>, FileProblem> {
        let end = offset.checked_add(count);
        if end.is_none_or(|end| end > self.length) {
            return Err(ends_early());
        }
        let mut bytes = memory::try_zeroed("appended data", count as usize)?;
        if !self.bytes.fill(&mut bytes, offset)? {
            return Err(FileProblem::FileChanged);
        }
        Ok(bytes)
    }

    /// Locates raw appended data: a header, and after it the numbers or compressed blocks.
    fn locate_raw(&self, start: u64, total: u64) -> Result<ArrayBytes<'a>, FileProblem> {
        let width = self.width() as u64;
        let Some(compressor) = self.compressor else {
            check_total(&self.numbers(&self.read(start, width)?), total)?;
            if total > self.length - start - width {
                return Err(ends_early());
            }
            return Ok(ArrayBytes::Raw(start + width));
        };
        let header = self.numbers(&self.read(start, 3 * width)?);
        let sizes = BlockSizes::new([header[0], header[1], header[2]], total)?;
        let start = start + 3 * width;
        let compressed = self.numbers(&self.read(start, sizes.count * width)?);
        let range = [start + sizes.count * width, self.length];
        let bytes = CompressedBytes::File(self.bytes.clone());
        let blocks = Blocks::new(bytes, &compressed, range, sizes, compressor)?;
        Ok(ArrayBytes::Blocks(blocks))
    }

    /// Decodes data in base64: a header, and after it the numbers, or, encoded separately,
    /// compressed blocks.
    fn decode_base64(&self, text: &[u8], total: u64) -> Result<ArrayBytes<'a>, FileProblem> {
        let width = self.width();
        let Some(compressor) = self.compressor else {
            let end = usize::try_from(total).ok();
            let end = end.and_then(|it| it.checked_add(width));
            let bytes = Base64::new(text).decode(end.ok_or_else(ends_early)?)?;
            check_total(&self.numbers(&bytes[..width]), total)?;
            return Ok(ArrayBytes::Memory(bytes, width));
        };
        let header = self.numbers(&Base64::new(text).decode(3 * width)?);
        let sizes = BlockSizes::new([header[0], header[1], header[2]], total)?;
        let mut encoded = Base64::new(text);
        let header = encoded.decode((3 + sizes.count as usize) * width)?;
        let compressed = self.numbers(&header[3 * width..]);
        let all = compressed
            .iter()
            .fold(0_u64, |all, size| all.saturating_add(*size));
        let bytes = encoded.decode(usize::try_from(all).map_err(|_| ends_early())?)?;
        let bytes = CompressedBytes::Memory(bytes);
        let blocks = Blocks::new(bytes, &compressed, [0, all], sizes, compressor)?;
        Ok(ArrayBytes::Blocks(blocks))
    }
}

/// Compares the number of bytes that a header states with the expected one.
fn check_total(header: &[u64], total: u64) -> Result<(), FileProblem> {
    if header == [total] {
        return Ok(());
    }
    Err(damaged(format!(
        "the array has {} bytes instead of {total}",
        header[0]
    )))
}
