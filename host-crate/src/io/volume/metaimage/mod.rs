//! MetaImage: `.mha` with the samples after the header, `.mhd` with a data file.
//!
//! Positions in the file are LPS, as in ITK, and are converted to RAS.

mod fields;
mod header;
mod write;

pub(crate) use write::header as header_to_write;

use nalgebra::Vector3;

use crate::grid::Geometry;
use crate::io::source::{Remaining, Source};
use crate::io::volume::axes::complete_axes;
use crate::io::volume::data_files::{DataFiles, wrap};
use crate::io::volume::layout::Layout;
use crate::io::volume::opened::{Encoding, OpenedVolume};
use crate::io::{Compression, FileProblem, HeaderInfo, ReadOptions, VolumeFormat};
use header::{DataFile, Header};

/// Opens a file and reads its header.
pub(crate) fn open<'a>(
    mut source: Source<'a>,
    data_files: &dyn DataFiles<'a>,
    options: &ReadOptions,
) -> Result<OpenedVolume<'a>, FileProblem> {
    let fields = Header::read(&mut source)?;
    let layout = Layout::new(&fields.sizes, fields.stored, fields.order)?
        .with_components(fields.components)?;
    let mut header = HeaderInfo::new(VolumeFormat::MetaImage, fields.stored, fields.order);
    header.has_spacing = fields.has_spacing;
    header.has_origin = fields.has_offset;
    header.notes.clone_from(&fields.notes);
    let geometry = geometry(&fields, &mut header.notes)?;
    let (source, data_name) = match &fields.data_file {
        DataFile::Local => {
            let (source, compression) = open_data(source, &fields, &layout)?;
            header.compression = compression;
            (source, None)
        }
        DataFile::Named(name) => {
            header.data_file = Some(data_files.path(name));
            let data = data_files.open(name)?;
            let (data, compression) =
                open_data(data, &fields, &layout).map_err(|problem| wrap(name, problem))?;
            header.compression = compression;
            header.data_files = vec![data_files.path(name)];
            (data, Some(name.clone()))
        }
        DataFile::Several(_) if !fields.binary => {
            return Err(FileProblem::Unsupported {
                what: "text in several data files".to_owned(),
                advice: "write the samples as binary, or to one file",
            });
        }
        DataFile::Several(parts) => {
            header.data_files = parts.names.iter().map(|it| data_files.path(it)).collect();
            if fields.compressed {
                header.compression = Compression::Zlib;
            }
            let (axes, channels) = (fields.sizes.clone(), fields.components);
            let fields = fields.clone();
            let open = move |source, part: &Layout| Ok(open_data(source, &fields, part)?.0);
            let source = parts.open(data_files, &layout, (&axes, channels), options, open)?;
            (source, None)
        }
    };
    let mut opened = OpenedVolume::new(source, layout, geometry, header);
    if !fields.binary {
        opened.encoding = Encoding::Decimal;
    }
    opened.data_name = data_name;
    Ok(opened)
}

/// Moves to the first sample and decompresses from there on.
fn open_data<'a>(
    mut source: Source<'a>,
    fields: &Header,
    layout: &Layout,
) -> Result<(Source<'a>, Compression), FileProblem> {
    match (u64::try_from(fields.header_size), source.remaining()) {
        (Ok(0), _) => {}
        // Counted from the start of the file, even if it also has the header.
        (Ok(bytes), _) => {
            let before = source.position();
            let gap = bytes.checked_sub(before).ok_or_else(|| {
                damaged(format!(
                    "HeaderSize is {bytes}, but the samples begin at byte {before} or later"
                ))
            })?;
            source.skip(gap)?;
        }
        // -1: the samples are at the end of the file.
        (Err(_), Remaining::Exactly(left)) if fields.header_size == -1 && !fields.compressed => {
            source.skip(left.saturating_sub(layout.total_bytes))?;
        }
        _ => {
            return Err(damaged(format!(
                "HeaderSize is {}; use a size of at least 0, or -1 for uncompressed samples at the end of a file",
                fields.header_size
            )));
        }
    }
    if !fields.binary || !fields.compressed {
        return Ok((source, Compression::None));
    }
    // MetaIO writes zlib and also reads gzip.
    Ok(if source.peek(2)? == [0x1f, 0x8b] {
        (source.gunzip(), Compression::Gzip)
    } else {
        (source.inflate(), Compression::Zlib)
    })
}

/// Returns the voxel-to-world affine in RAS: that in LPS with x and y negated.
fn geometry(fields: &Header, notes: &mut Vec<String>) -> Result<Geometry, FileProblem> {
    let spatial = fields.sizes.len().min(3);
    let to_ras = Vector3::new(-1.0, -1.0, 1.0);
    // Missing coordinates are zero; those of a fourth axis are not spatial.
    let in_space = |numbers: &[f64]| {
        Vector3::from_iterator((0..3).map(|k| if k < spatial { numbers[k] } else { 0.0 }))
            .component_mul(&to_ras)
    };
    for (axis, step) in fields.spacing[..spatial].iter().enumerate() {
        if *step < 0.0 {
            notes.push(format!(
                "ElementSpacing has {step} for axis {axis}: the axis is taken to run the other way"
            ));
        }
    }
    let steps: Vec<Vector3<f64>> = (0..spatial)
        .map(|axis| in_space(&fields.directions[axis]) * fields.spacing[axis])
        .collect();
    let bad = fields.offset[..spatial].iter().find(|x| !x.is_finite());
    let origin = match bad {
        Some(number) => {
            notes.push(format!("Offset has {number}: the origin is taken as 0"));
            Vector3::zeros()
        }
        None => in_space(&fields.offset),
    };
    Ok(Geometry::new(complete_axes(&steps), origin)?)
}

fn damaged(problem: String) -> FileProblem {
    FileProblem::Header {
        format: VolumeFormat::MetaImage,
        problem,
    }
}
