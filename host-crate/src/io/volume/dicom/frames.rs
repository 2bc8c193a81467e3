//! Decoding of the frames of DICOM files.

use std::ops::Range;

use crate::io::source::decoded::{DecodePlanes, decode_chunks};
use crate::io::volume::dicom::arrange::PlaneFrames;
use crate::io::volume::dicom::image::Frame;
use crate::io::volume::dicom::pixel_format::{PixelFormat, sample_order};
use crate::io::volume::dicom::syntax::Syntax;
use crate::io::volume::dicom::{damaged, jpeg, rle};
use crate::io::{ByteOrder, FileProblem, StoredType};
use crate::memory;

/// Frames of a volume in the order of its planes.
pub(super) struct FrameDecoder<'a> {
    pub format: PixelFormat,
    pub frames: Vec<Frame<'a>>,
    /// Frames that the planes of a volume come from, as indices within the volume.
    pub planes: Vec<PlaneFrames>,
    /// Number of volumes.
    pub volumes: usize,
    /// `true` if the scaling of every frame is applied to its samples, which become `f64`.
    pub applies_scaling: bool,
}

impl FrameDecoder<'_> {
    /// Returns the type of the decoded samples.
    pub fn stored(&self) -> StoredType {
        if self.applies_scaling {
            StoredType::F64
        } else {
            self.format.stored
        }
    }

    /// Returns the size of a decoded plane, in bytes.
    pub fn plane_bytes(&self) -> usize {
        self.format.samples() * self.stored().bytes()
    }

    /// Returns the number of planes of all volumes.
    pub fn plane_count(&self) -> u64 {
        self.planes.len() as u64 * self.volumes as u64
    }

    /// Decodes a plane, or interpolates a missing one.
    fn decode_plane(&self, plane: usize, out: &mut [u8]) -> Result<(), FileProblem> {
        let (volume, plane) = (plane / self.planes.len(), plane % self.planes.len());
        let first = volume * (self.frames.len() / self.volumes);
        let decode = |index: usize, out: &mut [u8]| {
            let frame = &self.frames[first + index];
            let decoded = self.decode_frame(frame, out);
            decoded.map_err(|problem| frame.file.wrap(problem))
        };
        let (below, weight) = match self.planes[plane] {
            PlaneFrames::Stored(index) => return decode(index, out),
            PlaneFrames::Between(below, weight) => (below, weight),
        };
        decode(below, out)?;
        let mut above = memory::try_zeroed::<u8>("samples", out.len())?;
        decode(below + 1, &mut above)?;
        let above = above.as_chunks::<8>().0;
        for (low, high) in out.as_chunks_mut::<8>().0.iter_mut().zip(above) {
            let (start, end) = (f64::from_le_bytes(*low), f64::from_le_bytes(*high));
            *low = (start + weight * (end - start)).to_le_bytes();
        }
        Ok(())
    }

    fn decode_frame(&self, frame: &Frame<'_>, out: &mut [u8]) -> Result<(), FileProblem> {
        let bytes = read_parts(frame)?;
        if !self.applies_scaling {
            return self.decode_samples(frame, &bytes, out);
        }
        let mut samples = memory::try_zeroed::<u8>("samples", self.format.frame_bytes())?;
        self.decode_samples(frame, &bytes, &mut samples)?;
        let width = self.format.stored.bytes();
        for (sample, out) in samples.chunks_exact(width).zip(out.as_chunks_mut::<8>().0) {
            let value = value(self.format.stored, sample);
            let scaled = frame
                .scaling
                .map_or(value, |it| it.slope * value + it.intercept);
            *out = scaled.to_le_bytes();
        }
        Ok(())
    }

    /// Decodes a frame to little-endian samples with interleaved components.
    fn decode_samples(
        &self,
        frame: &Frame<'_>,
        bytes: &[u8],
        out: &mut [u8],
    ) -> Result<(), FileProblem> {
        let format = &self.format;
        match format.syntax {
            Syntax::Rle => rle::decode(bytes, format, out)?,
            Syntax::JpegLossless => jpeg::lossless::decode(bytes, format, out)?,
            Syntax::JpegLs => jpeg::ls::decode(bytes, format, out)?,
            Syntax::Jpeg2000 => jpeg::jpeg2000::decode(bytes, format, out)?,
            _ if format.bits_allocated == 1 => {
                for (index, out) in out.iter_mut().enumerate() {
                    let bit = frame.first_bit as usize + index;
                    *out = bytes[bit / 8] >> (bit % 8) & 1;
                }
            }
            _ => copy_native(bytes, format, out),
        }
        keep_stored_bits(format, out);
        Ok(())
    }
}

impl DecodePlanes for FrameDecoder<'_> {
    fn decode(&self, planes: Range<u64>, out: &mut [u8]) -> Result<(), FileProblem> {
        decode_chunks(out, self.plane_bytes(), |index, out| {
            self.decode_plane((planes.start + index) as usize, out)
        })
    }
}

/// Reads the bytes of a frame.
fn read_parts(frame: &Frame<'_>) -> Result<Vec<u8>, FileProblem> {
    let file = frame.file.open()?;
    let length: u64 = frame.parts.iter().map(|(_, length)| length).sum();
    let mut bytes = memory::try_zeroed("a frame", length as usize)?;
    let mut rest = &mut bytes[..];
    for (offset, length) in &frame.parts {
        let (part, after) = rest.split_at_mut(*length as usize);
        if !file.fill(part, *offset)? {
            let problem = "the samples end early; the file is truncated, fetch it again";
            return Err(damaged(problem.to_owned()));
        }
        rest = after;
    }
    Ok(bytes)
}

/// Copies uncompressed samples, in little-endian and with interleaved components.
fn copy_native(bytes: &[u8], format: &PixelFormat, out: &mut [u8]) {
    let width = format.stored.bytes();
    let components = usize::from(format.components);
    if format.is_planar && components > 1 {
        let pixels = format.samples() / components;
        for (index, out) in out.chunks_exact_mut(width).enumerate() {
            let start = (index % components * pixels + index / components) * width;
            out.copy_from_slice(&bytes[start..start + width]);
        }
    } else {
        out.copy_from_slice(&bytes[..out.len()]);
    }
    if sample_order(format) == ByteOrder::Big {
        out.chunks_exact_mut(width).for_each(<[u8]>::reverse);
    }
}

/// Moves the stored bits of every sample to its low end, and extends the sign.
fn keep_stored_bits(format: &PixelFormat, out: &mut [u8]) {
    let (allocated, stored) = (format.bits_allocated, format.bits_stored);
    if allocated == 1 || stored == allocated {
        return;
    }
    let shift = format.high_bit + 1 - stored;
    // Compressed samples are at the low end already.
    let shift = if matches!(
        format.syntax,
        Syntax::JpegLossless | Syntax::JpegLs | Syntax::Jpeg2000
    ) {
        0
    } else {
        shift
    };
    let width = format.stored.bytes();
    for sample in out.chunks_exact_mut(width) {
        let mut bytes = [0; 4];
        bytes[..width].copy_from_slice(sample);
        let bits = u32::from_le_bytes(bytes) >> shift << (32 - u32::from(stored));
        let value = if format.is_signed {
            (bits as i32 >> (32 - stored)) as u32
        } else {
            bits >> (32 - stored)
        };
        sample.copy_from_slice(&value.to_le_bytes()[..width]);
    }
}

/// Returns a little-endian sample as `f64`.
fn value(stored: StoredType, sample: &[u8]) -> f64 {
    let word = |count: usize| {
        let mut bytes = [0; 8];
        bytes[..count].copy_from_slice(&sample[..count]);
        bytes
    };
    match stored {
        StoredType::U8 => f64::from(sample[0]),
        StoredType::I8 => f64::from(sample[0] as i8),
        StoredType::U16 => f64::from(u16::from_le_bytes([sample[0], sample[1]])),
        StoredType::I16 => f64::from(i16::from_le_bytes([sample[0], sample[1]])),
        StoredType::U32 => u64::from_le_bytes(word(4)) as f64,
        StoredType::I32 => f64::from(u64::from_le_bytes(word(4)) as u32 as i32),
        StoredType::F32 => f64::from(f32::from_bits(u64::from_le_bytes(word(4)) as u32)),
        StoredType::U64 => u64::from_le_bytes(word(8)) as f64,
        StoredType::I64 => u64::from_le_bytes(word(8)) as i64 as f64,
        StoredType::F64 => f64::from_le_bytes(word(8)),
    }
}
