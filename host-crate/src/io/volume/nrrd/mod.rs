//! NRRD, attached (`.nrrd`) and detached (`.nhdr`): raw, gzip, bzip2, ascii and hex encodings.
//!
//! World coordinates are converted to RAS if the header's `space` is anatomical; otherwise they are
//! those of the file.

mod geometry;
mod header;
mod values;
mod write;

pub(crate) use write::header as header_to_write;

use crate::io::source::{Remaining, Source};
use crate::io::volume::data_files::{DataFiles, wrap};
use crate::io::volume::layout::Layout;
use crate::io::volume::opened::{self, OpenedVolume};
use crate::io::volume::samples::text::hex_decoder;
use crate::io::{ByteOrder, Compression, FileProblem, HeaderInfo, ReadOptions, VolumeFormat};
use header::{DataFile, Header};
use values::Encoding;

/// Length at which lines skipped by `line skip` are read piecewise, in bytes.
const MAX_LINE: usize = 1 << 16;

/// Opens a file and reads its header.
pub(crate) fn open<'a>(
    mut source: Source<'a>,
    data_files: &dyn DataFiles<'a>,
    options: &ReadOptions,
) -> Result<OpenedVolume<'a>, FileProblem> {
    let fields = Header::read(&mut source)?;
    let axes = geometry::spatial_axes(&fields)?;
    let layout = Layout::new(
        &axes.sizes,
        fields.stored,
        fields.order.unwrap_or(ByteOrder::Little),
    )?;
    let mut layout = layout.with_components(axes.components)?;
    if axes.components_are_volumes && layout.volumes == 1 {
        layout = layout.with_interleaved_volumes();
    }
    let mut header = HeaderInfo::new(VolumeFormat::Nrrd, fields.stored, layout.order);
    header.version = Some(fields.magic.clone());
    header.has_spacing = geometry::has_spacing(&fields, &axes);
    header.has_origin = geometry::has_origin(&fields);
    let geometry = geometry::geometry(&fields, &axes, &mut header.notes)?;
    if fields.order.is_none() && fields.stored.bytes() > 1 && fields.encoding.is_binary() {
        return Err(damaged(format!(
            "no field \"endian\", which samples of type {} need",
            fields.stored
        )));
    }
    header.compression = match fields.encoding {
        Encoding::Gzip => Compression::Gzip,
        Encoding::Bzip2 => Compression::Bzip2,
        Encoding::Raw | Encoding::Ascii | Encoding::Hex => Compression::None,
    };
    let mut data_name = None;
    let source = match &fields.data_file {
        DataFile::Attached => open_data(source, &fields, &layout)?,
        DataFile::Named(name) => {
            header.data_file = Some(data_files.path(name));
            header.data_files = vec![data_files.path(name)];
            data_name = Some(name.clone());
            open_data(data_files.open(name)?, &fields, &layout)
                .map_err(|problem| wrap(name, problem))?
        }
        DataFile::Several(_) if fields.encoding == Encoding::Ascii => {
            return Err(FileProblem::Unsupported {
                what: "text in several data files".to_owned(),
                advice: "write the samples as raw or gzip, or to one file",
            });
        }
        DataFile::Several(parts) => {
            header.data_files = parts.names.iter().map(|it| data_files.path(it)).collect();
            // An axis of components is an axis for the list, too.
            let (axis_sizes, fields) = (fields.sizes.clone(), fields.clone());
            let open = move |source, part: &Layout| open_data(source, &fields, part);
            parts.open(data_files, &layout, (&axis_sizes, 1), options, open)?
        }
    };
    let mut opened = OpenedVolume::new(source, layout, geometry, header);
    if fields.encoding == Encoding::Ascii {
        opened.encoding = opened::Encoding::Decimal;
    }
    opened.data_name = data_name;
    Ok(opened)
}

/// Moves to the first sample and decodes compression and hexadecimal digits from there on.
fn open_data<'a>(
    mut source: Source<'a>,
    fields: &Header,
    layout: &Layout,
) -> Result<Source<'a>, FileProblem> {
    // Lines are skipped before decompression, bytes after it.
    skip_lines(&mut source, fields.line_skip)?;
    match fields.encoding {
        Encoding::Gzip => source = source.gunzip(),
        Encoding::Bzip2 => source = source.bunzip2(),
        Encoding::Raw | Encoding::Ascii | Encoding::Hex => {}
    }
    match u64::try_from(fields.byte_skip) {
        Ok(bytes) => {
            source.skip(bytes)?;
        }
        Err(_) => skip_to_last(&mut source, fields, layout)?,
    }
    Ok(match fields.encoding {
        Encoding::Hex => hex_decoder(source, layout.stored),
        Encoding::Raw | Encoding::Gzip | Encoding::Bzip2 | Encoding::Ascii => source,
    })
}

fn skip_lines(source: &mut Source<'_>, lines: u64) -> Result<(), FileProblem> {
    for skipped in 0..lines {
        loop {
            match source.line(MAX_LINE)? {
                None => {
                    return Err(damaged(format!(
                        "\"line skip\" is {lines}, but the data have only {skipped} lines"
                    )));
                }
                Some(line) if line.len() == MAX_LINE => {}
                Some(_) => break,
            }
        }
    }
    Ok(())
}

/// Handles `byte skip: -1`: the samples are at the end of the file.
fn skip_to_last(
    source: &mut Source<'_>,
    fields: &Header,
    layout: &Layout,
) -> Result<(), FileProblem> {
    match source.remaining() {
        Remaining::Exactly(left) if fields.byte_skip == -1 && fields.encoding == Encoding::Raw => {
            source.skip(left.saturating_sub(layout.total_bytes))?;
            Ok(())
        }
        _ => Err(damaged(format!(
            "\"byte skip\" is {}; use a number of at least 0, or -1 for raw samples at the end of a file",
            fields.byte_skip
        ))),
    }
}

fn damaged(problem: String) -> FileProblem {
    FileProblem::Header {
        format: VolumeFormat::Nrrd,
        problem,
    }
}
