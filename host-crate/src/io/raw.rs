//! Headerless files: samples, and what the caller says about them.

use super::layout::Layout;
use super::opened::Opened;
use super::source::Source;
use super::{FileProblem, HeaderInfo, ReadOptions, VolumeFormat};

pub(crate) fn open<'a>(
    mut source: Source<'a>,
    options: &ReadOptions,
) -> Result<Opened<'a>, FileProblem> {
    let raw = options.raw.as_ref().ok_or(FileProblem::NeedsLayout)?;
    let sizes = raw.dims.map(|dim| dim as u64);
    let layout = Layout::new(&sizes, raw.stored_type, raw.byte_order)?;
    let header = HeaderInfo::new(VolumeFormat::Raw, raw.stored_type, raw.byte_order);
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
