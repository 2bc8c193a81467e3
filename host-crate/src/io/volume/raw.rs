//! Headerless files, whose layout the caller describes.

use crate::grid::Geometry;
use crate::io::source::Source;
use crate::io::volume::layout::Layout;
use crate::io::volume::opened::OpenedVolume;
use crate::io::{FileProblem, HeaderInfo, ReadOptions, VolumeFormat};

/// Opens a headerless file and skips the bytes before the first sample.
pub(crate) fn open<'a>(
    mut source: Source<'a>,
    options: &ReadOptions,
) -> Result<OpenedVolume<'a>, FileProblem> {
    let raw = options.raw.as_ref().ok_or(FileProblem::MissingLayout)?;
    let sizes = raw.dims.map(|dim| dim as u64);
    let layout = Layout::new(&sizes, raw.stored_type, raw.byte_order)?;
    let mut header = HeaderInfo::new(VolumeFormat::Raw, raw.stored_type, raw.byte_order);
    header.has_spacing = raw.geometry != Geometry::default();
    header.has_origin = header.has_spacing;
    let skipped = source.skip(raw.offset)?;
    if skipped < raw.offset {
        return Err(FileProblem::HeaderTooShort {
            format: VolumeFormat::Raw,
            expected: raw.offset,
            found: skipped,
        });
    }
    Ok(OpenedVolume::new(source, layout, raw.geometry, header))
}
