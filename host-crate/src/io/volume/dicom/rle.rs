//! DICOM's run-length encoding (PS3.5, annex G): one segment per byte of the samples, most
//! significant first, each encoded like PackBits.

use crate::io::FileProblem;
use crate::io::volume::dicom::damaged;
use crate::io::volume::dicom::pixel_format::PixelFormat;
use crate::io::volume::pack_bits::unpack;

/// Size of the header of a frame, in bytes.
const HEADER: usize = 64;

/// Decodes a frame to little-endian samples with interleaved components.
pub(super) fn decode(
    bytes: &[u8],
    format: &PixelFormat,
    out: &mut [u8],
) -> Result<(), FileProblem> {
    let word = |index: usize| {
        let bytes = bytes.get(index * 4..)?.first_chunk()?;
        Some(u32::from_le_bytes(*bytes) as usize)
    };
    let (width, components) = (format.stored.bytes(), usize::from(format.components));
    let segments = width * components;
    if word(0) != Some(segments) || segments > 15 || bytes.len() < HEADER {
        return Err(damaged(format!(
            "a frame in RLE has {} segments instead of {segments}",
            word(0).unwrap_or(0)
        )));
    }
    for segment in 0..segments {
        let start = word(segment + 1).unwrap_or(usize::MAX);
        let end = match segment + 1 {
            next if next < segments => word(next + 1).unwrap_or(0),
            _ => bytes.len(),
        };
        let encoded = bytes
            .get(start..end)
            .ok_or_else(|| damaged(format!("segment {segment} of a frame in RLE is missing")))?;
        // Segment order: all bytes of the first component, then those of the next.
        let first = segment / width * width + (width - 1 - segment % width);
        let samples = out.iter_mut().skip(first).step_by(segments);
        unpack(encoded, samples)
            .ok_or_else(|| damaged(format!("segment {segment} of a frame in RLE ends early")))?;
    }
    Ok(())
}
