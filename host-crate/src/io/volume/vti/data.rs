//! Samples in the forms that VTK's XML files have: text, base64, and raw appended bytes.

use std::ops::Range;

use crate::io::source::Source;
use crate::io::source::decoded::{DecodePlanes, DecodedPlanes};
use crate::io::source::random_access::RandomAccessBytes;
use crate::io::volume::layout::Layout;
use crate::io::volume::opened::Encoding;
use crate::io::volume::vti::blocks::{BlockCompressor, BlockSizes, Blocks, CompressedBytes};
use crate::io::volume::vti::tags::{Array, Tags};
use crate::io::volume::vti::{damaged, ends_early};
use crate::io::{ByteOrder, FileProblem};
use crate::memory;

/// File with its tags, and the layout of the samples.
pub(super) struct ArrayFile<'t, 'a> {
    pub source: Source<'a>,
    pub bytes: RandomAccessBytes<'a>,
    /// Number of bytes of the file.
    pub length: u64,
    pub tags: &'t Tags,
    /// Text of the tags, from the start of the file.
    pub text: &'t str,
    /// Offset of the appended data.
    pub appended: Option<u64>,
    pub layout: &'t Layout,
    pub compressor: Option<BlockCompressor>,
}

impl<'a> ArrayFile<'_, 'a> {
    /// Returns a source of the samples of an array, and their encoding.
    pub fn open(self, array: &Array) -> Result<(Source<'a>, Encoding), FileProblem> {
        let beyond = || damaged("an offset is beyond the file".to_owned());
        let text = &self.text.as_bytes()[array.text.clone()];
        match (array.format.as_str(), self.appended) {
            ("ascii", _) => {
                let mut source = self.source;
                source.skip(array.text.start as u64)?;
                return Ok((source.limited(text.len() as u64), Encoding::Decimal));
            }
            ("binary", _) => self.open_base64(text),
            ("appended", Some(start)) => {
                let start = start.checked_add(array.offset);
                let start = start.filter(|it| *it <= self.length).ok_or_else(beyond)?;
                if self.tags.is_base64 {
                    let text = self.read(start, self.length - start)?;
                    self.open_base64(&text)
                } else {
                    self.open_raw(start)
                }
            }
            (format, _) => Err(damaged(format!("the format of the array is {format:?}"))),
        }
        .map(|source| (source, Encoding::Binary))
    }

    /// Returns the size of a number in the headers, in bytes.
    fn width(&self) -> usize {
        if self.tags.has_long_headers { 8 } else { 4 }
    }

    fn numbers(&self, bytes: &[u8]) -> Vec<u64> {
        let order: ByteOrder = self.tags.order;
        let words = bytes.chunks_exact(self.width());
        words.map(|word| order.unsigned(word)).collect()
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

    /// Opens raw appended data: a header, and after it the samples or compressed blocks.
    fn open_raw(mut self, start: u64) -> Result<Source<'a>, FileProblem> {
        let (width, total) = (self.width() as u64, self.layout.total_bytes);
        let Some(compressor) = self.compressor else {
            check_total(&self.numbers(&self.read(start, width)?), total)?;
            if total > self.length - start - width {
                return Err(ends_early());
            }
            self.source.skip(start + width)?;
            return Ok(self.source.limited(total));
        };
        let header = self.numbers(&self.read(start, 3 * width)?);
        let sizes = BlockSizes::new([header[0], header[1], header[2]], total)?;
        let start = start + 3 * width;
        let compressed = self.numbers(&self.read(start, sizes.count * width)?);
        let range = [start + sizes.count * width, self.length];
        let bytes = CompressedBytes::File(self.bytes.clone());
        let blocks = Blocks::new(bytes, &compressed, range, sizes, compressor)?;
        Ok(self.planes(SampleBytes::Blocks(blocks), false))
    }

    /// Opens data in base64: a header, and after it the samples, or, encoded separately, compressed
    /// blocks.
    fn open_base64(self, text: &[u8]) -> Result<Source<'a>, FileProblem> {
        let (width, total) = (self.width(), self.layout.total_bytes);
        let Some(compressor) = self.compressor else {
            let end = usize::try_from(total).ok();
            let end = end.and_then(|it| it.checked_add(width));
            let bytes = Base64::new(text).decode(end.ok_or_else(ends_early)?)?;
            check_total(&self.numbers(&bytes[..width]), total)?;
            return Ok(self.planes(
                SampleBytes::Memory {
                    bytes,
                    start: width,
                },
                true,
            ));
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
        Ok(self.planes(SampleBytes::Blocks(blocks), false))
    }

    /// Returns a source of samples that are decoded plane by plane.
    fn planes(&self, bytes: SampleBytes<'a>, is_length_known: bool) -> Source<'a> {
        let planes = self.layout.dims[2] as u64;
        let total = self.layout.total_bytes;
        let plane_bytes = total.checked_div(planes).unwrap_or(0) as usize;
        let planes = if plane_bytes == 0 { 0 } else { planes };
        let decoder = SamplePlanes { bytes, plane_bytes };
        let decoded = DecodedPlanes::new(decoder, plane_bytes, planes);
        Source::from_planes(decoded, is_length_known)
    }
}

/// Bytes of the samples.
enum SampleBytes<'a> {
    Memory {
        bytes: Vec<u8>,
        /// Index of the first sample's first byte.
        start: usize,
    },
    Blocks(Blocks<'a>),
}

/// Decoder of planes of equal size.
struct SamplePlanes<'a> {
    bytes: SampleBytes<'a>,
    plane_bytes: usize,
}

impl DecodePlanes for SamplePlanes<'_> {
    fn decode(&self, planes: Range<u64>, out: &mut [u8]) -> Result<(), FileProblem> {
        let offset = planes.start * self.plane_bytes as u64;
        match &self.bytes {
            SampleBytes::Memory { bytes, start } => {
                let start = start + offset as usize;
                out.copy_from_slice(&bytes[start..start + out.len()]);
                Ok(())
            }
            SampleBytes::Blocks(blocks) => blocks.decode(offset, out),
        }
    }
}

/// Compares the number of bytes that a header states with that of the samples.
fn check_total(header: &[u64], total: u64) -> Result<(), FileProblem> {
    if header == [total] {
        return Ok(());
    }
    Err(damaged(format!(
        "the array has {} bytes, but the extent needs {total}",
        header[0]
    )))
}

/// Decoder of base64, in which white space is ignored.
struct Base64<'t> {
    rest: &'t [u8],
}

impl<'t> Base64<'t> {
    fn new(text: &'t [u8]) -> Self {
        Self { rest: text }
    }

    /// Decodes the next `count` bytes, which end with their own padding.
    fn decode(&mut self, count: usize) -> Result<Vec<u8>, FileProblem> {
        // Every four symbols encode three bytes.
        if self.rest.len() / 4 < count.div_ceil(3) {
            return Err(ends_early());
        }
        let mut out = Vec::new();
        memory::try_reserve("decoded base64", &mut out, count.next_multiple_of(3))?;
        while out.len() < count {
            let (mut bits, mut padding) = (0_u32, 0);
            for _ in 0..4 {
                let symbol = self.next_symbol().ok_or_else(ends_early)?;
                padding += usize::from(symbol == b'=');
                bits = bits << 6 | u32::from(symbol_value(symbol)?);
            }
            out.extend_from_slice(&bits.to_be_bytes()[1..4 - padding.min(2)]);
            if padding > 0 && out.len() < count {
                return Err(ends_early());
            }
        }
        out.truncate(count);
        Ok(out)
    }

    fn next_symbol(&mut self) -> Option<u8> {
        loop {
            let (&symbol, rest) = self.rest.split_first()?;
            self.rest = rest;
            if !symbol.is_ascii_whitespace() {
                return Some(symbol);
            }
        }
    }
}

/// Returns the six bits of a symbol; 0 for padding.
fn symbol_value(symbol: u8) -> Result<u8, FileProblem> {
    match symbol {
        b'A'..=b'Z' => Ok(symbol - b'A'),
        b'a'..=b'z' => Ok(symbol - b'a' + 26),
        b'0'..=b'9' => Ok(symbol - b'0' + 52),
        b'+' => Ok(62),
        b'/' => Ok(63),
        b'=' => Ok(0),
        _ => Err(damaged("the base64 has an invalid symbol".to_owned())),
    }
}
