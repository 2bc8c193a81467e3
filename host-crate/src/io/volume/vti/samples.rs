//! Samples of an array, plane by plane.

use std::ops::Range;

use crate::io::FileProblem;
use crate::io::source::Source;
use crate::io::source::decoded::{DecodePlanes, DecodedPlanes};
use crate::io::volume::layout::Layout;
use crate::io::volume::opened::Encoding;
use crate::io::vtk_xml::arrays::ArrayBytes;
use crate::io::vtk_xml::blocks::Blocks;

/// Returns a source of the samples of an array, and their encoding. `source` is at the start of the
/// file.
pub(super) fn open_samples<'a>(
    mut source: Source<'a>,
    bytes: ArrayBytes<'a>,
    layout: &Layout,
) -> Result<(Source<'a>, Encoding), FileProblem> {
    let source = match bytes {
        ArrayBytes::Text(text) => {
            source.skip(text.start as u64)?;
            return Ok((source.limited(text.len() as u64), Encoding::Decimal));
        }
        ArrayBytes::Raw(start) => {
            source.skip(start)?;
            source.limited(layout.total_bytes)
        }
        ArrayBytes::Memory(bytes, start) => planes(SampleBytes::Memory { bytes, start }, layout),
        ArrayBytes::Blocks(blocks) => planes(SampleBytes::Blocks(blocks), layout),
    };
    Ok((source, Encoding::Binary))
}

/// Returns a source of samples that are decoded plane by plane.
fn planes<'a>(bytes: SampleBytes<'a>, layout: &Layout) -> Source<'a> {
    let is_length_known = matches!(bytes, SampleBytes::Memory { .. });
    let planes = layout.dims[2] as u64;
    let plane_bytes = layout.total_bytes.checked_div(planes).unwrap_or(0) as usize;
    let planes = if plane_bytes == 0 { 0 } else { planes };
    let decoder = SamplePlanes { bytes, plane_bytes };
    let decoded = DecodedPlanes::new(decoder, plane_bytes, planes);
    Source::from_planes(decoded, is_length_known)
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
