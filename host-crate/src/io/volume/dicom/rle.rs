//! DICOM's run-length encoding (PS3.5, annex G): one segment per byte of the samples, most
//! significant first, each encoded like PackBits.

use crate::io::FileProblem;
use crate::io::volume::dicom::damaged;
use crate::io::volume::dicom::image::PixelFormat;

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

/// Decodes runs until `out` is full; `None` if the bytes end before.
pub(in crate::io::volume) fn unpack<'o>(
    mut bytes: &[u8],
    mut out: impl Iterator<Item = &'o mut u8>,
) -> Option<()> {
    let mut next = out.next();
    while next.is_some() {
        let (&control, rest) = bytes.split_first()?;
        bytes = rest;
        match control as i8 {
            -128 => {}
            count @ 0.. => {
                let literal = bytes.get(..count as usize + 1)?;
                bytes = &bytes[count as usize + 1..];
                for byte in literal {
                    let Some(out_byte) = next else { break };
                    *out_byte = *byte;
                    next = out.next();
                }
            }
            count => {
                let (&byte, rest) = bytes.split_first()?;
                bytes = rest;
                for _ in 0..1 - i32::from(count) {
                    let Some(out_byte) = next else { break };
                    *out_byte = byte;
                    next = out.next();
                }
            }
        }
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::unpack;

    #[test]
    fn literals_and_runs_are_expanded() {
        // The example of the TIFF specification for PackBits.
        let packed = [
            0xFE, 0xAA, 0x02, 0x80, 0x00, 0x2A, 0xFD, 0xAA, 0x03, 0x80, 0x00, 0x2A, 0x22, 0xF7,
            0xAA,
        ];
        let mut out = [0; 24];
        unpack(&packed, out.iter_mut()).unwrap();
        let expected = [
            0xAA, 0xAA, 0xAA, 0x80, 0x00, 0x2A, 0xAA, 0xAA, 0xAA, 0xAA, 0x80, 0x00, 0x2A, 0x22,
        ];
        assert_eq!(out[..14], expected);
        assert_eq!(out[14..], [0xAA; 10]);
        assert!(unpack(&packed, [0; 25].iter_mut()).is_none());
    }
}
