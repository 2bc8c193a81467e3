//! The images of a DICOM file: position and scaling of every frame.

use nalgebra::Vector3;

use super::damaged;
use super::dataset::{Dataset, Encoding};
use super::frame_parts::{FrameParts, fragment_parts, native_parts};
use super::parser::{read_dataset, read_file_meta};
use super::pixel_format::{PixelFormat, pixel_format};
use super::syntax::Syntax;
use crate::io::source::Source;
use crate::io::volume::plane_file::PlaneFile;
use crate::io::{FileProblem, Scaling};
use crate::memory;

/// Largest number of frames of a file: frames take more memory than the samples of the smallest.
const MAX_FRAMES: f64 = (1 << 18) as f64;

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
    /// Identifier of the image (SOP instance); empty if it is missing.
    pub uid: String,
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
    if !(1.0..=MAX_FRAMES).contains(&count) || count.fract() != 0.0 {
        return Err(damaged(format!(
            "NumberOfFrames is {count}; 1 to {MAX_FRAMES} are read"
        )));
    }
    let count = count as u64;
    let (file, parts) = match pixels.length {
        Some(length) => native_parts(&mut source, later, &format, &pixels, length, count)?,
        None => (later, fragment_parts(&mut source, &format, count)?),
    };
    let frames = frames(&dataset, &format, &file, parts)?;
    Ok(Some(Image {
        uid: dataset.text(0x0008_0018).unwrap_or_default(),
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
