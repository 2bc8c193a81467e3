//! JPEG 2000 in DICOM (PS3.5, annex A.4.4): a codestream without a container.

use hayro_jpeg2000::{DecodeSettings, DecoderContext, Image};

use crate::io::FileProblem;
use crate::io::catch_panic::catch_panic;
use crate::io::volume::dicom::damaged;
use crate::io::volume::dicom::pixel_format::PixelFormat;

/// Size of the codestream's header up to the format of the first component.
const HEADER: usize = 43;
/// Largest number of tiles of a frame.
const MAX_TILES: u64 = 1 << 12;

/// Decodes a frame to little-endian samples with interleaved components.
pub(in crate::io::volume::dicom) fn decode(
    bytes: &[u8],
    format: &PixelFormat,
    out: &mut [u8],
) -> Result<(), FileProblem> {
    let (bits, is_signed) = check_header(bytes, format)?;
    // The decoder is another crate's: its panics become errors as well.
    catch_panic(|| decode_components(bytes, format, (bits, is_signed), out))
}

/// Compares the sizes in the codestream with those of the image before anything is allocated.
/// Returns the number of bits of a sample, and `true` if samples are signed.
fn check_header(bytes: &[u8], format: &PixelFormat) -> Result<(u32, bool), FileProblem> {
    let header = bytes
        .get(..HEADER)
        .ok_or_else(|| invalid("it ends early"))?;
    if !header.starts_with(&[0xFF, 0x4F, 0xFF, 0x51]) {
        return Err(invalid("it is no codestream"));
    }
    let long = |start: usize| {
        let bytes = [0, 1, 2, 3].map(|byte| header[start + byte]);
        u64::from(u32::from_be_bytes(bytes))
    };
    let sizes = [0, 1].map(|axis| long(8 + 4 * axis).saturating_sub(long(16 + 4 * axis)));
    let components = u16::from_be_bytes([header[40], header[41]]);
    let expected = [format.columns, format.rows].map(u64::from);
    if sizes != expected || components != format.components {
        return Err(invalid(&format!(
            "it is {} x {} with {components} components, the image {} x {} with {}",
            sizes[0], sizes[1], format.columns, format.rows, format.components
        )));
    }
    let tiles = [0, 1].map(|axis| long(8 + 4 * axis).div_ceil(long(24 + 4 * axis).max(1)));
    if tiles[0] * tiles[1] > MAX_TILES {
        return Err(invalid(&format!(
            "it has {} x {} tiles",
            tiles[0], tiles[1]
        )));
    }
    let bits = u32::from(header[42] & 0x7F) + 1;
    if bits > 8 * format.stored.bytes() as u32 || bits > 24 {
        return Err(invalid(&format!("its samples have {bits} bits")));
    }
    Ok((bits, header[42] & 0x80 != 0))
}

fn decode_components(
    bytes: &[u8],
    format: &PixelFormat,
    (bits, is_signed): (u32, bool),
    out: &mut [u8],
) -> Result<(), FileProblem> {
    let settings = DecodeSettings {
        resolve_palette_indices: false,
        ..DecodeSettings::default()
    };
    let image = Image::new(bytes, &settings).map_err(|error| invalid(&error.to_string()))?;
    let mut context = DecoderContext::default();
    let decoded = image.decode(&mut context);
    let decoded = decoded.map_err(|error| invalid(&error.to_string()))?;
    let components = decoded.components();
    let (width, count) = (format.stored.bytes(), usize::from(format.components));
    let pixels = format.samples() / count;
    let is_complete = components.len() == count
        && components
            .iter()
            .all(|component| component.samples().len() == pixels);
    if !is_complete {
        return Err(invalid("components are missing"));
    }
    // The decoder adds half of the range to signed samples.
    let shift = if is_signed { 1_i64 << (bits - 1) } else { 0 };
    for (index, component) in components.iter().enumerate() {
        for (sample, out) in component
            .samples()
            .iter()
            .zip(out.chunks_exact_mut(width).skip(index).step_by(count))
        {
            let value = sample.round() as i64 - shift;
            out.copy_from_slice(&value.to_le_bytes()[..width]);
        }
    }
    Ok(())
}

fn invalid(problem: &str) -> FileProblem {
    damaged(format!(
        "the JPEG 2000 data of a frame are damaged: {problem}"
    ))
}
