//! Headerless files, whose layout the caller describes.

use super::layout::Layout;
use super::opened::Opened;
use super::source::Source;
use super::{FileProblem, HeaderInfo, ReadOptions, VolumeFormat};
use crate::grid::Geometry;

/// Opens a headerless file and skips the bytes before the first sample.
pub(crate) fn open<'a>(
    mut source: Source<'a>,
    options: &ReadOptions,
) -> Result<Opened<'a>, FileProblem> {
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
    Ok(Opened::new(source, layout, raw.geometry, header))
}
