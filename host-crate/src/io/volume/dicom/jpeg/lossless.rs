//! Lossless JPEG (ITU T.81, annex H): Huffman-coded differences from a predicted sample.

use crate::io::FileProblem;
use crate::io::volume::dicom::jpeg::segments::{FrameHeader, SegmentReader, invalid};
use crate::io::volume::dicom::pixel_format::PixelFormat;
use crate::io::volume::dicom::unsupported;
use crate::memory;

/// Longest Huffman code, in bits.
const MAX_CODE: usize = 16;

/// Decodes a frame to little-endian samples with interleaved components.
pub(in crate::io::volume::dicom) fn decode(
    bytes: &[u8],
    format: &PixelFormat,
    out: &mut [u8],
) -> Result<(), FileProblem> {
    let mut reader = SegmentReader::new(bytes)?;
    let mut tables = [const { None }; 4];
    let mut frame: Option<FrameHeader> = None;
    let mut restart_interval = 0;
    let mut decoded = 0;
    loop {
        let (code, segment) = reader.next_segment()?;
        match code {
            0xC3 => frame = Some(FrameHeader::parse(segment, format)?),
            0xC0..=0xCF if !matches!(code, 0xC4 | 0xC8 | 0xCC) => {
                return Err(unsupported(
                    format!("JPEG process {code:#04x} in DICOM with lossless JPEG"),
                    "convert it to uncompressed DICOM, for example with dcmdjpeg",
                ));
            }
            0xC4 => parse_tables(segment, &mut tables)?,
            0xDD if segment.len() == 2 => {
                restart_interval = usize::from(u16::from_be_bytes([segment[0], segment[1]]));
            }
            0xDA => {
                let header = frame
                    .as_ref()
                    .ok_or_else(|| invalid("a scan has no frame"))?;
                let scan = Scan::parse(segment, header, &tables, restart_interval)?;
                let mut bits = BitReader::new(&bytes[reader.position..]);
                scan.decode(&mut bits, header, format, out)?;
                reader.position += bits.position;
                decoded += scan.components.len();
                if decoded >= header.components.len() {
                    return Ok(());
                }
            }
            _ => {}
        }
    }
}

/// Huffman codes: the range of the codes of every length, and the categories of all codes.
#[derive(Clone)]
struct Huffman {
    /// First code of each length, number of codes, and index of the first one's category.
    lengths: [(u32, u32, usize); MAX_CODE],
    categories: Vec<u8>,
}

fn parse_tables(mut segment: &[u8], tables: &mut [Option<Huffman>; 4]) -> Result<(), FileProblem> {
    while let Some((header, rest)) = segment.split_first_chunk::<17>() {
        let counts = &header[1..];
        let total: usize = counts.iter().map(|&count| usize::from(count)).sum();
        let categories = rest.get(..total);
        let categories = categories.ok_or_else(|| invalid("a Huffman table ends early"))?;
        if categories.iter().any(|&category| category > 16) {
            return Err(invalid("a Huffman table has an unknown category"));
        }
        let (mut code, mut first) = (0_u32, 0);
        let lengths = std::array::from_fn(|length| {
            let count = u32::from(counts[length]);
            let range = (code, count, first);
            first += count as usize;
            code = (code + count) << 1;
            range
        });
        let table = Huffman {
            lengths,
            categories: categories.to_vec(),
        };
        let slot = tables.get_mut(usize::from(header[0] & 15));
        *slot.ok_or_else(|| invalid("a Huffman table has an unknown number"))? = Some(table);
        segment = &rest[total..];
    }
    Ok(())
}

/// Components that are decoded together.
struct Scan<'t> {
    /// Index of every component in the frame, and its table.
    components: Vec<(usize, &'t Huffman)>,
    predictor: u8,
    /// Number of low bits that are not stored.
    point_transform: u32,
    /// Number of pixels between restarts; 0 for none.
    restart_interval: usize,
}

impl<'t> Scan<'t> {
    fn parse(
        segment: &[u8],
        frame: &FrameHeader,
        tables: &'t [Option<Huffman>; 4],
        restart_interval: usize,
    ) -> Result<Self, FileProblem> {
        let ends_early = || invalid("a scan header ends early");
        let (&count, rest) = segment.split_first().ok_or_else(ends_early)?;
        let count = usize::from(count);
        if count == 0 || count > frame.components.len() {
            return Err(invalid("a scan has an invalid number of components"));
        }
        let selectors = rest.get(..2 * count).ok_or_else(ends_early)?;
        let &[predictor, _, transform] = rest[2 * count..].first_chunk().ok_or_else(ends_early)?;
        let component = |selector: &[u8; 2]| {
            let index = frame.index(selector[0])?;
            let table = tables.get(usize::from(selector[1] >> 4))?.as_ref()?;
            Some((index, table))
        };
        let components = selectors.as_chunks::<2>().0.iter().map(component);
        let components = components.collect::<Option<Vec<_>>>();
        let point_transform = u32::from(transform & 15);
        if !(1..=7).contains(&predictor) || point_transform >= frame.precision {
            return Err(invalid("a scan has an invalid predictor or transform"));
        }
        Ok(Self {
            components: components
                .ok_or_else(|| invalid("a scan names an unknown component or table"))?,
            predictor,
            point_transform,
            restart_interval,
        })
    }

    fn decode(
        &self,
        bits: &mut BitReader<'_>,
        frame: &FrameHeader,
        format: &PixelFormat,
        out: &mut [u8],
    ) -> Result<(), FileProblem> {
        let columns = usize::from(format.columns);
        let width = format.stored.bytes();
        let stride = width * frame.components.len();
        let count = self.components.len();
        if !self.restart_interval.is_multiple_of(columns) {
            return Err(invalid("a restart interval is not a number of rows"));
        }
        let initial = 1_u16 << (frame.precision - self.point_transform - 1);
        // Samples of the row above and of the current row, with interleaved components.
        let mut above = memory::try_zeroed::<u16>("a row", columns * count)?;
        let mut row = above.clone();
        let mut is_first = true;
        for y in 0..usize::from(format.rows) {
            if self.restart_interval > 0 && y > 0 && (y * columns) % self.restart_interval == 0 {
                bits.restart()?;
                is_first = true;
            }
            for x in 0..columns {
                for (slot, (component, table)) in self.components.iter().enumerate() {
                    let index = x * count + slot;
                    let left = || row[index - count];
                    let prediction = match (x, is_first) {
                        (0, true) => initial,
                        (_, true) => left(),
                        (0, false) => above[index],
                        _ => self.predict(left(), above[index], above[index - count]),
                    };
                    let sample = prediction.wrapping_add(bits.difference(table)?);
                    row[index] = sample;
                    let start = (y * columns + x) * stride + component * width;
                    let sample = (sample << self.point_transform).to_le_bytes();
                    out[start..start + width].copy_from_slice(&sample[..width]);
                }
            }
            std::mem::swap(&mut above, &mut row);
            is_first = false;
        }
        Ok(())
    }

    /// Predicts a sample from the left one, the one above, and the one above the left one.
    fn predict(&self, a: u16, b: u16, c: u16) -> u16 {
        let (a, b, c) = (i32::from(a), i32::from(b), i32::from(c));
        let prediction = match self.predictor {
            1 => a,
            2 => b,
            3 => c,
            4 => a + b - c,
            5 => a + ((b - c) >> 1),
            6 => b + ((a - c) >> 1),
            _ => (a + b) >> 1,
        };
        prediction as u16
    }
}

/// Reader of the bits of a scan.
struct BitReader<'a> {
    bytes: &'a [u8],
    /// Index of the next byte.
    position: usize,
    buffer: u32,
    /// Number of valid low bits of the buffer.
    count: u32,
}

impl<'a> BitReader<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self {
            bytes,
            position: 0,
            buffer: 0,
            count: 0,
        }
    }

    /// Returns the next `count` bits, at most 16.
    fn bits(&mut self, count: u32) -> Result<u32, FileProblem> {
        while self.count < count {
            let byte = *self
                .bytes
                .get(self.position)
                .ok_or_else(|| invalid("a scan ends early"))?;
            if byte == 0xFF {
                // A zero follows each byte of this value; anything else is a marker.
                if self.bytes.get(self.position + 1) != Some(&0) {
                    return Err(invalid("a scan ends early"));
                }
                self.position += 1;
            }
            self.position += 1;
            self.buffer = self.buffer << 8 | u32::from(byte);
            self.count += 8;
        }
        self.count -= count;
        Ok(self.buffer >> self.count & ((1 << count) - 1))
    }

    /// Decodes a difference of samples, modulo 65536.
    fn difference(&mut self, table: &Huffman) -> Result<u16, FileProblem> {
        let mut code = 0;
        for (first, count, index) in &table.lengths {
            code = code << 1 | self.bits(1)?;
            if let Some(offset) = code.checked_sub(*first).filter(|offset| offset < count) {
                let category = u32::from(table.categories[index + offset as usize]);
                return match category {
                    0 => Ok(0),
                    16 => Ok(1 << 15),
                    _ => {
                        let bits = self.bits(category)?;
                        let is_negative = bits >> (category - 1) == 0;
                        let offset = if is_negative { (1 << category) - 1 } else { 0 };
                        Ok((bits as u16).wrapping_sub(offset as u16))
                    }
                };
            }
        }
        Err(invalid("a scan has an unknown Huffman code"))
    }

    /// Skips the remaining bits of a byte and a restart marker.
    fn restart(&mut self) -> Result<(), FileProblem> {
        (self.buffer, self.count) = (0, 0);
        match self.bytes.get(self.position..self.position + 2) {
            Some([0xFF, 0xD0..=0xD7]) => {
                self.position += 2;
                Ok(())
            }
            _ => Err(invalid("a restart marker is missing")),
        }
    }
}
