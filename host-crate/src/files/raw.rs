//! Headerless files: samples, and what the caller says about them.

use super::layout::Layout;
use super::samples::read_samples;
use super::source::Source;
use super::{FileProblem, HeaderInfo, ReadOptions, VolumeFile, VolumeFormat};

pub(crate) fn read(
    mut source: Source<'_>,
    options: &ReadOptions,
) -> Result<VolumeFile, FileProblem> {
    let raw = options.raw.as_ref().ok_or(FileProblem::NeedsLayout)?;
    let sizes = raw.dims.map(|dim| dim as u64);
    let layout = Layout::new(&sizes, raw.stored_type, raw.byte_order)?;
    let mut header = HeaderInfo::new(VolumeFormat::Raw, raw.stored_type, raw.byte_order);
    let skipped = source.skip(raw.offset)?;
    if skipped < raw.offset {
        return Err(FileProblem::HeaderTooShort {
            format: VolumeFormat::Raw,
            expected: raw.offset,
            found: skipped,
        });
    }
    let volume = read_samples(&mut source, &layout, raw.geometry, options, &mut header)?;
    Ok(VolumeFile { volume, header })
}
