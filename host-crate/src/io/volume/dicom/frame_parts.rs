//! Location of the bytes of every frame: native samples and fragments.

use std::sync::Arc;

use super::dataset::PixelData;
use super::parser::read_fragments;
use super::pixel_format::PixelFormat;
use super::syntax::Syntax;
use super::{damaged, unsupported};
use crate::io::FileProblem;
use crate::io::source::{DEFLATE_LIMIT, Source};
use crate::io::volume::plane_file::PlaneFile;
use crate::memory;

/// Largest size of deflated pixel data, which are held in memory.
const MAX_DEFLATED: u64 = 256 << 20;
/// Largest size of a compressed frame that is accepted whatever its number of bytes, as a blank
/// image may be compressed to nearly nothing.
const FREE_FRAME_BYTES: u64 = 2 << 20;

/// Returns the parts of native frames, and their file: deflated samples are read into memory.
pub(super) fn native_parts<'a>(
    source: &mut Source<'_>,
    later: PlaneFile<'a>,
    format: &PixelFormat,
    pixels: &PixelData,
    length: u64,
    count: u64,
) -> Result<(PlaneFile<'a>, Vec<FrameParts>), FileProblem> {
    if format.syntax.is_encapsulated() {
        return Err(damaged(
            "the samples are compressed, but have a defined length".to_owned(),
        ));
    }
    let bits = u128::from(format.native_bits()) * u128::from(count);
    let expected = bits.div_ceil(8);
    let found = match source.remaining().fewer_than(length) {
        Some(crate::io::ByteCount::Exactly(found) | crate::io::ByteCount::AtMost(found)) => found,
        _ => length,
    };
    if u128::from(found) < expected {
        return Err(damaged(format!(
            "{count} frames of {} x {} need {expected} bytes, but there are {found}",
            format.columns, format.rows
        )));
    }
    let expected = expected as u64;
    let (file, first) = if format.syntax == Syntax::Deflated {
        if expected > MAX_DEFLATED {
            return Err(unsupported(
                format!("deflated DICOM with {expected} bytes of samples"),
                "convert it with dcmconv +te",
            ));
        }
        let bytes = source.read_exact_growing(expected)?;
        let bytes = bytes.ok_or_else(|| damaged("the deflated samples end early".to_owned()))?;
        (PlaneFile::Inflated(Arc::new(bytes)), 0)
    } else {
        (later, pixels.offset)
    };
    let mut parts = Vec::new();
    memory::try_reserve("frames", &mut parts, count as usize)?;
    for frame in 0..count {
        let bit = frame * format.native_bits();
        let end = (bit + format.native_bits()).div_ceil(8);
        parts.push(FrameParts {
            parts: vec![(first + bit / 8, end - bit / 8)],
            first_bit: (bit % 8) as u32,
        });
    }
    Ok((file, parts))
}

/// Location of the bytes of a frame.
pub(super) struct FrameParts {
    pub parts: Vec<(u64, u64)>,
    pub first_bit: u32,
}

/// Returns the fragments of every frame (PS3.5, annex A.4).
pub(super) fn fragment_parts(
    source: &mut Source<'_>,
    format: &PixelFormat,
    count: u64,
) -> Result<Vec<FrameParts>, FileProblem> {
    if !format.syntax.is_encapsulated() {
        return Err(damaged(
            "the samples are uncompressed, but have no length".to_owned(),
        ));
    }
    let found = read_fragments(source)?;
    let fragments = found.fragments;
    let part = |&(offset, length): &(u64, u32)| (offset, u64::from(length));
    let frames: Vec<Vec<(u64, u64)>> = if count == fragments.len() as u64 {
        fragments.iter().map(|it| vec![part(it)]).collect()
    } else if count == 1 {
        vec![fragments.iter().map(part).collect()]
    } else if count == found.table.len() as u64 && count < fragments.len() as u64 {
        let start = |frame: usize| match found.table.get(frame) {
            Some(offset) => found.first + u64::from(*offset),
            None => u64::MAX,
        };
        // The table holds the offsets of items, whose headers have 8 bytes.
        let frame = |frame: usize| {
            let items = fragments.iter();
            let items = items.filter(|it| (start(frame)..start(frame + 1)).contains(&(it.0 - 8)));
            items.map(part).collect()
        };
        // A table of many frames with many fragments each would take quadratic time.
        if found.table.len().saturating_mul(fragments.len()) > 1 << 28 {
            return Err(unsupported(
                "DICOM with so many fragments".to_owned(),
                "convert it with dcmdjpeg or gdcmconv --raw",
            ));
        }
        (0..found.table.len()).map(frame).collect()
    } else {
        return Err(damaged(format!(
            "{count} frames have {} fragments and no table of offsets",
            fragments.len()
        )));
    };
    let bytes = format.frame_bytes() as u64;
    let parts = frames.into_iter().map(|parts| {
        let stored: u64 = parts.iter().map(|(_, length)| length).sum();
        if parts.is_empty() || bytes > FREE_FRAME_BYTES + DEFLATE_LIMIT * stored {
            return Err(damaged(format!(
                "a frame of {bytes} bytes is compressed to {stored} bytes"
            )));
        }
        Ok(FrameParts {
            parts,
            first_bit: 0,
        })
    });
    parts.collect()
}
