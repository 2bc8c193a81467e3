//! The images of a DICOM file: encoding of the samples, and position and scaling of every frame.

use nalgebra::Vector3;
use std::sync::Arc;

use crate::io::source::{DEFLATE_LIMIT, Source};
use crate::io::volume::dicom::dataset::{
    Dataset, Encoding, PIXEL_DATA, PixelData, read_dataset, read_file_meta, read_fragments,
};
use crate::io::volume::dicom::syntax::Syntax;
use crate::io::volume::dicom::{damaged, unsupported};
use crate::io::volume::plane_file::PlaneFile;
use crate::io::{ByteOrder, FileProblem, Scaling, StoredType};
use crate::memory;

/// Largest size of deflated pixel data, which are held in memory.
const MAX_DEFLATED: u64 = 256 << 20;
/// Largest size of a compressed frame that is accepted whatever its number of bytes, as a blank
/// image may be compressed to nearly nothing.
const FREE_FRAME_BYTES: u64 = 2 << 20;

/// Encoding of the samples of a file.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PixelFormat {
    pub syntax: Syntax,
    pub rows: u16,
    pub columns: u16,
    pub components: u16,
    /// `true` if the file has one plane per component.
    pub is_planar: bool,
    pub bits_allocated: u16,
    pub bits_stored: u16,
    pub high_bit: u16,
    pub is_signed: bool,
    pub stored: StoredType,
    /// Photometric interpretation.
    pub photometric: String,
}

impl PixelFormat {
    /// Returns the number of samples of a frame.
    pub fn samples(&self) -> usize {
        usize::from(self.rows) * usize::from(self.columns) * usize::from(self.components)
    }

    /// Returns the size of a decoded frame, in bytes.
    pub fn frame_bytes(&self) -> usize {
        self.samples() * self.stored.bytes()
    }

    /// Returns the size of an uncompressed frame in the file, in bits.
    pub fn native_bits(&self) -> u64 {
        self.samples() as u64 * u64::from(self.bits_allocated)
    }
}

/// A frame: its samples and its place in space.
#[derive(Clone)]
pub(super) struct Frame<'a> {
    pub file: PlaneFile<'a>,
    /// Offsets and lengths of the bytes of the frame; one part for uncompressed samples.
    pub parts: Vec<(u64, u64)>,
    /// Bits before the first sample in the first byte, for samples of one bit.
    pub first_bit: u32,
    /// Position of the first sample in LPS, in millimetres.
    pub position: Option<Vector3<f64>>,
    /// Directions of increasing column and row index in LPS.
    pub directions: Option<[Vector3<f64>; 2]>,
    /// Distance between columns and between rows, in millimetres.
    pub spacing: Option<[f64; 2]>,
    /// Thickness or distance of slices, for frames without positions.
    pub thickness: Option<f64>,
    pub scaling: Option<Scaling>,
    /// Order among frames at one position: time, echo, acquisition, instance, frame.
    pub order: [f64; 6],
}

/// Frames of a file with the description of their series.
pub(super) struct Image<'a> {
    pub series: String,
    pub description: String,
    pub series_number: i64,
    pub modality: String,
    pub is_localizer: bool,
    pub format: PixelFormat,
    pub frames: Vec<Frame<'a>>,
}

/// Reads the images of a file; `None` for a file without pixel data. `later` is the file for
/// reading frames later, if `source` cannot serve for that.
pub(super) fn read_image<'a>(
    mut source: Source<'_>,
    later: PlaneFile<'a>,
) -> Result<Option<Image<'a>>, FileProblem> {
    let start = source.peek(132)?;
    if start.get(128..) != Some(b"DICM") {
        return Err(FileProblem::WrongMagic {
            format: crate::io::VolumeFormat::Dicom,
            expected: "\"DICM\" after 128 bytes",
            found: crate::io::error::show_bytes(start.get(128..).unwrap_or_default()),
        });
    }
    source.skip(132)?;
    let meta = read_file_meta(&mut source)?;
    let syntax = meta.text(0x0002_0010).unwrap_or_default();
    let syntax = Syntax::from_uid(&syntax)?;
    let encoding = Encoding {
        is_explicit: syntax.is_explicit(),
        order: syntax.order(),
    };
    if syntax == Syntax::Deflated {
        source = source.inflate_raw();
    }
    let (dataset, pixels) = read_dataset(&mut source, encoding)?;
    let Some(pixels) = pixels else {
        return Ok(None);
    };
    let format = pixel_format(&dataset, &pixels, syntax)?;
    let count = dataset.number(0x0028_0008).unwrap_or(1.0);
    if !(1.0..=1e9).contains(&count) || count.fract() != 0.0 {
        return Err(damaged(format!("NumberOfFrames is {count}")));
    }
    let count = count as u64;
    let (file, parts) = match pixels.length {
        Some(length) => native_parts(&mut source, later, &format, &pixels, length, count)?,
        None => (later, fragment_parts(&mut source, &format, count)?),
    };
    let frames = frames(&dataset, &format, &file, parts)?;
    Ok(Some(Image {
        series: dataset.text(0x0020_000E).unwrap_or_default(),
        description: dataset.text(0x0008_103E).unwrap_or_default(),
        series_number: dataset.number(0x0020_0011).unwrap_or(0.0) as i64,
        modality: dataset.text(0x0008_0060).unwrap_or_default(),
        is_localizer: dataset
            .text(0x0008_0008)
            .is_some_and(|text| text.split('\\').any(|word| word.trim() == "LOCALIZER")),
        format,
        frames,
    }))
}

fn pixel_format(
    dataset: &Dataset,
    pixels: &PixelData,
    syntax: Syntax,
) -> Result<PixelFormat, FileProblem> {
    let order = syntax.order();
    let number = |tag, name: &str| {
        let found = dataset.short(tag, order);
        found.ok_or_else(|| damaged(format!("there is no {name}")))
    };
    let bits_allocated = number(0x0028_0100, "BitsAllocated")?;
    let is_float = pixels.tag != PIXEL_DATA;
    let bits_stored = match dataset.short(0x0028_0101, order) {
        Some(bits) if !is_float => bits,
        _ => bits_allocated,
    };
    let high_bit = dataset.short(0x0028_0102, order);
    let high_bit = high_bit.unwrap_or(bits_stored.saturating_sub(1));
    let is_signed = dataset.short(0x0028_0103, order) == Some(1);
    let stored = match (bits_allocated, is_signed) {
        (32, _) if is_float => StoredType::F32,
        (64, _) if is_float => StoredType::F64,
        (1, _) => StoredType::U8,
        (8, false) => StoredType::U8,
        (8, true) => StoredType::I8,
        (16, false) => StoredType::U16,
        (16, true) => StoredType::I16,
        (32, false) => StoredType::U32,
        (32, true) => StoredType::I32,
        _ => {
            return Err(unsupported(
                format!("DICOM with {bits_allocated} bits per sample"),
                "convert it to 8, 16 or 32 bits",
            ));
        }
    };
    if bits_stored == 0 || bits_stored > bits_allocated || high_bit >= bits_allocated {
        return Err(damaged(format!(
            "BitsAllocated is {bits_allocated}, BitsStored {bits_stored}, and HighBit {high_bit}"
        )));
    }
    if high_bit + 1 < bits_stored {
        return Err(damaged(format!(
            "BitsStored is {bits_stored}, but HighBit is {high_bit}"
        )));
    }
    let photometric = dataset.text(0x0028_0004).unwrap_or_default();
    let format = PixelFormat {
        syntax,
        rows: number(0x0028_0010, "Rows")?,
        columns: number(0x0028_0011, "Columns")?,
        components: dataset.short(0x0028_0002, order).unwrap_or(1),
        is_planar: dataset.short(0x0028_0006, order) == Some(1),
        bits_allocated,
        bits_stored,
        high_bit,
        is_signed,
        stored,
        photometric,
    };
    if format.samples() == 0 {
        return Err(damaged(format!(
            "it has {} rows, {} columns and {} components",
            format.rows, format.columns, format.components
        )));
    }
    format.check_supported()?;
    Ok(format)
}

impl PixelFormat {
    fn check_supported(&self) -> Result<(), FileProblem> {
        if self.syntax == Syntax::BigEndian && self.bits_allocated != 16 {
            return Err(unsupported(
                format!("big-endian DICOM with {} bits", self.bits_allocated),
                "convert it with dcmconv +te",
            ));
        }
        if self.photometric.starts_with("YBR_") && self.photometric.contains("42") {
            return Err(unsupported(
                format!("DICOM with subsampled colours ({})", self.photometric),
                "convert it to RGB or MONOCHROME2, for example with dcmdjpeg",
            ));
        }
        let is_bits = self.bits_allocated == 1;
        if is_bits && (self.components != 1 || self.syntax.is_encapsulated()) {
            return Err(unsupported(
                "DICOM with several or compressed components of one bit".to_owned(),
                "convert it to 8 bits",
            ));
        }
        Ok(())
    }
}

/// Returns the parts of native frames, and their file: deflated samples are read into memory.
fn native_parts<'a>(
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
struct FrameParts {
    parts: Vec<(u64, u64)>,
    first_bit: u32,
}

/// Returns the fragments of every frame (PS3.5, annex A.4).
fn fragment_parts(
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

/// Combines the samples of every frame with its attributes, those of its functional group first.
fn frames<'a>(
    dataset: &Dataset,
    format: &PixelFormat,
    file: &PlaneFile<'a>,
    parts: Vec<FrameParts>,
) -> Result<Vec<Frame<'a>>, FileProblem> {
    let order = format.syntax.order();
    let shared = dataset.items(0x5200_9229).first();
    let per_frame = dataset.items(0x5200_9230);
    if !per_frame.is_empty() && per_frame.len() != parts.len() {
        return Err(damaged(format!(
            "it has {} frames, but functional groups for {}",
            parts.len(),
            per_frame.len()
        )));
    }
    let detector = dataset.items(0x0054_0022).first();
    let dose_offsets = dataset.numbers(0x3004_000C);
    let dose_offsets = dose_offsets.filter(|offsets| offsets.len() == parts.len());
    let number = |tag| dataset.number(tag).unwrap_or(0.0);
    let mut frames = Vec::new();
    memory::try_reserve("frames", &mut frames, parts.len())?;
    for (index, part) in parts.into_iter().enumerate() {
        let group = |sequence, tag: u32| {
            let within = |it: &Dataset| it.items(sequence).first()?.numbers(tag);
            let own = per_frame.get(index).and_then(within);
            own.or_else(|| shared.and_then(within))
                .or_else(|| dataset.numbers(tag))
                .or_else(|| detector.and_then(|it| it.numbers(tag)))
        };
        let content = per_frame
            .get(index)
            .and_then(|it| it.items(0x0020_9111).first());
        let time = content.and_then(|it| it.longs(0x0020_9128, order)?.first().copied());
        let directions = group(0x0020_9116, 0x0020_0037).and_then(|it| directions(&it));
        let mut position = group(0x0020_9113, 0x0020_0032).and_then(|it| vector(&it));
        if let (Some(offsets), Some(first), Some([x, y])) = (&dose_offsets, position, directions) {
            // Offsets that start at 0 count along the normal, others are z coordinates.
            let relative = if offsets[0] == 0.0 {
                offsets[index]
            } else {
                offsets[index] - offsets[0]
            };
            position = Some(first + x.cross(&y) * relative);
        }
        let spacing = group(0x0028_9110, 0x0028_0030).and_then(|it| match it[..] {
            [rows, columns] if rows > 0.0 && columns > 0.0 => Some([columns, rows]),
            _ => None,
        });
        let thickness = group(0x0028_9110, 0x0018_0088).or_else(|| group(0x0028_9110, 0x0018_0050));
        let thickness = thickness.and_then(|it| it.first().copied());
        let slope = group(0x0028_9145, 0x0028_1053).and_then(|it| it.first().copied());
        let intercept = group(0x0028_9145, 0x0028_1052).and_then(|it| it.first().copied());
        let slope = slope.or_else(|| dataset.number(0x3004_000E)).unwrap_or(1.0);
        let scaling = Scaling {
            slope,
            intercept: intercept.unwrap_or(0.0),
        };
        if !scaling.slope.is_finite() || !scaling.intercept.is_finite() {
            return Err(damaged(format!(
                "RescaleSlope is {}, RescaleIntercept {}",
                scaling.slope, scaling.intercept
            )));
        }
        let is_identity = scaling.slope == 1.0 && scaling.intercept == 0.0;
        frames.push(Frame {
            file: file.clone(),
            parts: part.parts,
            first_bit: part.first_bit,
            position,
            directions,
            spacing,
            thickness: thickness.filter(|it| *it > 0.0),
            scaling: (!is_identity).then_some(scaling),
            order: [
                time.map_or(number(0x0020_0100), f64::from),
                number(0x0018_0086),
                number(0x0018_1060),
                number(0x0020_0012),
                number(0x0020_0013),
                index as f64,
            ],
        });
    }
    Ok(frames)
}

fn vector(numbers: &[f64]) -> Option<Vector3<f64>> {
    let found = (numbers.len() == 3).then(|| Vector3::from_column_slice(numbers));
    found.filter(|it| it.iter().all(|x| x.is_finite()))
}

fn directions(numbers: &[f64]) -> Option<[Vector3<f64>; 2]> {
    if numbers.len() != 6 {
        return None;
    }
    let axes = [vector(&numbers[..3])?, vector(&numbers[3..])?];
    let is_valid = axes[0].cross(&axes[1]).norm() > 0.5;
    is_valid.then_some(axes)
}

/// Returns the byte order of uncompressed samples.
pub(super) fn sample_order(format: &PixelFormat) -> ByteOrder {
    format.syntax.order()
}
