//! Decoding of the pages of TIFF files.

use std::ops::Range;
use std::sync::Arc;

use crate::io::source::decoded::{DecodePlanes, decode_chunks};
use crate::io::volume::half::half_to_f32;
use crate::io::volume::plane_file::PlaneFile;
use crate::io::volume::tiff::damaged;
use crate::io::volume::tiff::page::Page;
use crate::io::{ByteOrder, FileProblem};
use crate::memory;

/// Location of a plane.
#[derive(Clone)]
pub(super) struct Plane<'a> {
    pub file: PlaneFile<'a>,
    pub page: Arc<Page>,
    /// Bytes that are added to the offsets of the page, for planes that follow a single page.
    pub shift: u64,
}

/// Planes of a volume, in the order of their samples.
pub(super) struct PageDecoder<'a> {
    pub planes: Vec<Plane<'a>>,
}

impl DecodePlanes for PageDecoder<'_> {
    fn decode(&self, planes: Range<u64>, out: &mut [u8]) -> Result<(), FileProblem> {
        let Some(first) = self.planes.get(planes.start as usize) else {
            return Ok(());
        };
        let bytes = first.page.format.page_bytes() as usize;
        decode_chunks(out, bytes, |index, out| {
            let plane = &self.planes[(planes.start + index) as usize];
            plane
                .decode(out)
                .map_err(|problem| plane.file.wrap(problem))
        })
    }
}

impl Plane<'_> {
    /// Decodes the plane to little-endian samples with interleaved components.
    fn decode(&self, out: &mut [u8]) -> Result<(), FileProblem> {
        let page = &self.page;
        let file = self.file.open()?;
        let [across, down] = page.block_counts();
        let components = page.block_components();
        let block_row = page.format.row_bytes(page.block[0], components) as usize;
        let mut decoded = memory::try_zeroed::<u8>("a block", block_row * page.block[1] as usize)?;
        for (index, (offset, count)) in page.blocks.iter().enumerate() {
            let index = index as u64;
            let component = index / (across * down);
            let [x, y] = [index % across, index / across % down];
            let first = [x * page.block[0], y * page.block[1]];
            let rows = page.block[1].min(page.format.height - first[1]);
            let mut stored = memory::try_zeroed::<u8>("a block", *count as usize)?;
            if !file.fill(&mut stored, offset + self.shift)? {
                return Err(FileProblem::FileChanged);
            }
            // The last strip may be shorter than the others.
            let needed = block_row * rows as usize;
            let found = page
                .compression
                .decompress(&stored, &mut decoded[..needed])?;
            if found < needed {
                return Err(damaged(format!(
                    "block {index} has {found} bytes instead of {needed}"
                )));
            }
            for (row, stored) in decoded[..needed].chunks_exact_mut(block_row).enumerate() {
                self.undo_predictor(stored);
                self.copy_row(stored, first[0], first[1] + row as u64, component, out);
            }
        }
        Ok(())
    }

    /// Adds up the differences of neighbouring pixels of a row.
    fn undo_predictor(&self, row: &mut [u8]) {
        let page = &self.page;
        let (width, order) = ((page.format.bits / 8) as usize, page.format.order);
        let stride = page.block_components() as usize;
        match page.predictor {
            2 => {
                for start in (stride * width..row.len()).step_by(width) {
                    let before = order.unsigned(&row[start - stride * width..][..width]);
                    let difference = order.unsigned(&row[start..start + width]);
                    let sum = before.wrapping_add(difference);
                    store(&mut row[start..start + width], sum, order);
                }
            }
            3 => {
                // Bytes are differences, and sorted by significance, highest first.
                for index in stride..row.len() {
                    row[index] = row[index].wrapping_add(row[index - stride]);
                }
                let shuffled = row.to_vec();
                let samples = row.len() / width;
                for (index, sample) in row.chunks_exact_mut(width).enumerate() {
                    for (byte, out) in sample.iter_mut().enumerate() {
                        let significance = match order {
                            ByteOrder::Little => width - 1 - byte,
                            ByteOrder::Big => byte,
                        };
                        *out = shuffled[significance * samples + index];
                    }
                }
            }
            _ => {}
        }
    }

    /// Copies a row of a block to its place in the page.
    fn copy_row(&self, stored: &[u8], x: u64, y: u64, component: u64, out: &mut [u8]) {
        let format = &self.page.format;
        let pixels = self.page.block[0].min(format.width - x);
        let components = self.page.block_components();
        let width = format.stored.bytes();
        let bits = format.bits as usize;
        for pixel in 0..pixels {
            for k in 0..components {
                let source = (pixel * components + k) as usize;
                let target = ((y * format.width + x + pixel) * format.components + component + k)
                    as usize
                    * width;
                let out = &mut out[target..target + width];
                if bits < 8 {
                    let bit = source * bits;
                    out[0] = stored[bit / 8] >> (8 - bits - bit % 8) & ((1 << bits) - 1) as u8;
                    continue;
                }
                let sample = &stored[source * bits / 8..][..bits / 8];
                if format.is_half {
                    let half = format.order.unsigned(sample) as u16;
                    out.copy_from_slice(&half_to_f32(half).to_le_bytes());
                } else {
                    out.copy_from_slice(sample);
                    if format.order == ByteOrder::Big {
                        out.reverse();
                    }
                }
            }
        }
    }
}

fn store(bytes: &mut [u8], number: u64, order: ByteOrder) {
    let width = bytes.len();
    match order {
        ByteOrder::Little => bytes.copy_from_slice(&number.to_le_bytes()[..width]),
        ByteOrder::Big => bytes.copy_from_slice(&number.to_be_bytes()[8 - width..]),
    }
}
