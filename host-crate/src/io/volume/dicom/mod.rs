//! DICOM (PS3): a file with one or many frames, or a folder, of which one series is read.
//!
//! Frames are ordered by their positions along the normal of the slices, never by file name or
//! number. Positions in the file are LPS and are converted to RAS; a tilted gantry gives oblique
//! axes.

mod arrange;
mod dataset;
mod folder;
mod frame_parts;
mod frames;
mod image;
mod jpeg;
mod parser;
mod pixel_format;
mod rle;
mod series;
mod syntax;

pub(in crate::io) use folder::{has_images, open_folder};

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::io::source::Source;
use crate::io::source::decoded::DecodedPlanes;
use crate::io::volume::layout::Layout;
use crate::io::volume::opened::OpenedVolume;
use crate::io::volume::plane_file::PlaneFile;
use crate::io::{ByteOrder, FileProblem, HeaderInfo, ReadOptions, VolumeFormat};
use arrange::arrange;
use frames::FrameDecoder;
use image::{Image, read_image};
use series::{Series, group, select};

/// Opens a file.
pub(crate) fn open<'a>(
    source: Source<'a>,
    options: &ReadOptions,
) -> Result<OpenedVolume<'a>, FileProblem> {
    let file = source.positioned().ok_or_else(|| {
        unsupported(
            "DICOM in a pipe or compressed with gzip".to_owned(),
            "save it to an uncompressed file",
        )
    })?;
    let image = read_image(source, PlaneFile::Open(file))?;
    let image = image.ok_or_else(|| damaged("the file has no images".to_owned()))?;
    open_images(vec![image], options)
}

/// Opens the selected series of images.
fn open_images<'a>(
    images: Vec<Image<'a>>,
    options: &ReadOptions,
) -> Result<OpenedVolume<'a>, FileProblem> {
    let (series, mut notes) = select(group(images), options.series.as_ref())?;
    let Series { format, frames, .. } = series;
    let arrangement = arrange(frames, options.fill_gaps)?;
    notes.extend(arrangement.notes);
    if format.photometric == "MONOCHROME1" {
        notes.push(
            "the photometric interpretation is MONOCHROME1: smaller values are shown brighter; they \
             are used as they are"
                .to_owned(),
        );
    }
    if format.photometric.starts_with("PALETTE") {
        notes.push("the samples are indices of a palette, which is not applied".to_owned());
    }
    if format.photometric == "YBR_FULL" {
        notes.push("the components are brightness and colour differences (YBR_FULL)".to_owned());
    }
    let files = arrangement.frames.iter().filter_map(|it| it.file.path());
    let files: BTreeSet<PathBuf> = files.map(Path::to_owned).collect();
    let scaling = arrangement.frames.first().and_then(|it| it.scaling);
    // interpolated samples are not integers
    let has_gaps = arrangement.planes.len() * arrangement.volumes > arrangement.frames.len();
    let applies_scaling = has_gaps || arrangement.frames.iter().any(|it| it.scaling != scaling);
    let decoder = FrameDecoder {
        applies_scaling,
        format,
        frames: arrangement.frames,
        planes: arrangement.planes,
        volumes: arrangement.volumes,
    };
    let format = &decoder.format;
    let stored = decoder.stored();
    let mut sizes = vec![
        u64::from(format.columns),
        u64::from(format.rows),
        decoder.planes.len() as u64,
    ];
    if arrangement.volumes > 1 {
        sizes.push(arrangement.volumes as u64);
    }
    let mut layout = Layout::new(&sizes, stored, ByteOrder::Little)?;
    if format.components > 1 {
        layout = layout.with_components(u64::from(format.components))?;
    }
    let mut header = HeaderInfo::new(VolumeFormat::Dicom, stored, ByteOrder::Little);
    header.compression = format.syntax.compression();
    header.has_spacing = arrangement.has_spacing;
    header.has_origin = arrangement.has_origin;
    header.scaling = scaling.filter(|_| !applies_scaling);
    header.notes = notes;
    header.data_files = files.into_iter().collect();
    let is_length_known = !format.syntax.is_encapsulated();
    let (bytes, count) = (decoder.plane_bytes(), decoder.plane_count());
    let planes = DecodedPlanes::new(decoder, bytes, count);
    let source = Source::from_planes(planes, is_length_known);
    Ok(OpenedVolume::new(
        source,
        layout,
        arrangement.geometry,
        header,
    ))
}

fn damaged(problem: String) -> FileProblem {
    FileProblem::Header {
        format: VolumeFormat::Dicom,
        problem,
    }
}

fn unsupported(what: String, advice: &'static str) -> FileProblem {
    FileProblem::Unsupported { what, advice }
}
