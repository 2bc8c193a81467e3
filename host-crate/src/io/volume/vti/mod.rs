//! VTK's XML image data: samples as text, in base64, or appended, optionally compressed with zlib
//! or LZ4. Positions are used as they are.

mod samples;
mod tags;
mod write;

pub(in crate::io) use write::{TRAILER, header as header_to_write};

use nalgebra::{Matrix3, Vector3};

use crate::grid::Geometry;
use crate::io::source::{Remaining, Source};
use crate::io::volume::layout::Layout;
use crate::io::volume::opened::OpenedVolume;
use crate::io::vtk_xml::arrays::ArrayFile;
use crate::io::vtk_xml::blocks::BlockCompressor;
use crate::io::vtk_xml::problems::{damaged, unsupported};
use crate::io::vtk_xml::tags::read_text;
use crate::io::{Compression, FileProblem, HeaderInfo, StoredType, VolumeFormat};
use samples::open_samples;
use tags::{Tags, parse};

/// Opens a file and reads its tags.
pub(crate) fn open(source: Source<'_>) -> Result<OpenedVolume<'_>, FileProblem> {
    let (Some(bytes), Remaining::Exactly(length)) = (source.positioned(), source.remaining())
    else {
        return Err(unsupported(
            "a VTI file in a pipe or compressed with gzip".to_owned(),
        ));
    };
    let (text, appended) = read_text(&bytes, length)?;
    let tags = parse(&text)?;
    let array = tags.array.as_ref();
    let array = array.ok_or_else(|| damaged("there is no array of samples".to_owned()))?;
    if tags.pieces > 1 {
        return Err(unsupported("a VTI file of several pieces".to_owned()));
    }
    let stored = stored_type(&array.value_type)?;
    let extent = tags
        .extent
        .ok_or_else(|| damaged("there is no WholeExtent".to_owned()))?;
    let sizes = sample_counts(extent, tags.is_cell_data)?;
    let mut layout = Layout::new(&sizes, stored, tags.file.order)?;
    if array.components > 1 {
        layout = layout.with_components(array.components)?;
    }
    let mut header = HeaderInfo::new(VolumeFormat::Vti, stored, tags.file.order);
    (header.has_spacing, header.has_origin) = (true, true);
    if tags.is_cell_data {
        header.notes.push(format!(
            "{:?} is an array of cells; the samples are placed at their centres",
            array.name
        ));
    }
    let geometry = geometry(&tags, extent, tags.is_cell_data)?;
    let compressor = BlockCompressor::from_name(tags.file.compressor.as_deref())?;
    header.compression = match compressor {
        None => Compression::None,
        Some(BlockCompressor::Zlib) => Compression::Zlib,
        Some(BlockCompressor::Lz4) => Compression::Named("LZ4"),
    };
    let file = ArrayFile {
        bytes,
        length,
        tags: &tags.file,
        text: &text,
        appended,
        compressor,
    };
    let samples = file.locate(array, layout.total_bytes)?;
    let (source, encoding) = open_samples(source, samples, &layout)?;
    let mut opened = OpenedVolume::new(source, layout, geometry, header);
    opened.encoding = encoding;
    Ok(opened)
}

/// Returns the numbers of points or of cells along x, y and z.
fn sample_counts(extent: [i64; 6], is_cell_data: bool) -> Result<Vec<u64>, FileProblem> {
    let mut sizes = Vec::new();
    for axis in 0..3 {
        let points = extent[2 * axis + 1].checked_sub(extent[2 * axis]);
        let points = points.and_then(|it| it.checked_add(1));
        let points = points.and_then(|it| u64::try_from(it).ok());
        let points = points.ok_or_else(|| damaged(format!("WholeExtent is {extent:?}")))?;
        // An image with a single layer of points has one layer of cells.
        let cells = points.saturating_sub(1).max(points.min(1));
        sizes.push(if is_cell_data { cells } else { points });
    }
    Ok(sizes)
}

fn stored_type(name: &str) -> Result<StoredType, FileProblem> {
    Ok(match name {
        "UInt8" => StoredType::U8,
        "Int8" => StoredType::I8,
        "UInt16" => StoredType::U16,
        "Int16" => StoredType::I16,
        "UInt32" => StoredType::U32,
        "Int32" => StoredType::I32,
        "UInt64" => StoredType::U64,
        "Int64" => StoredType::I64,
        "Float32" => StoredType::F32,
        "Float64" => StoredType::F64,
        name => return Err(unsupported(format!("a VTI file with the type {name:?}"))),
    })
}

/// Returns the grid of the points or of the centres of the cells.
fn geometry(tags: &Tags, extent: [i64; 6], is_cell_data: bool) -> Result<Geometry, FileProblem> {
    let direction = tags
        .direction
        .map_or(Matrix3::identity(), |it| Matrix3::from_row_slice(&it));
    let axes = direction * Matrix3::from_diagonal(&Vector3::from(tags.spacing));
    let first = [0, 1, 2].map(|axis| {
        let half = if is_cell_data && extent[2 * axis + 1] > extent[2 * axis] {
            0.5
        } else {
            0.0
        };
        extent[2 * axis] as f64 + half
    });
    let origin = Vector3::from(tags.origin) + axes * Vector3::from(first);
    Ok(Geometry::new(axes, origin)?)
}
