//! AFNI: attributes in a text file `.HEAD`, samples in `.BRIK`, plain or compressed with gzip.
//! Positions in the header are those of DICOM (LPS), and are converted to RAS.

mod attributes;
mod geometry;

use std::path::{Path, PathBuf};

use crate::io::file_extension::extension;
use crate::io::source::Source;
use crate::io::volume::data_files::DataFiles;
use crate::io::volume::layout::Layout;
use crate::io::volume::opened::OpenedVolume;
use crate::io::{
    ByteOrder, Compression, FileProblem, HeaderInfo, ReadOptions, Scaling, StoredType, VolumeFormat,
};
use attributes::Attributes;

/// Opens a header and the file of its samples. `name` is that of the header.
pub(crate) fn open<'a>(
    mut source: Source<'a>,
    name: &Path,
    data_files: &dyn DataFiles<'a>,
    options: &ReadOptions,
) -> Result<OpenedVolume<'a>, FileProblem> {
    if extension(name).starts_with("brik") {
        return Err(FileProblem::Unsupported {
            what: "AFNI without the header .HEAD beside the samples".to_owned(),
            advice: "copy the .HEAD file to the same folder",
        });
    }
    let attributes = Attributes::read(&mut source)?;
    let dims = attributes.integers("DATASET_DIMENSIONS", 3)?;
    let rank = attributes.integers("DATASET_RANK", 2)?;
    let size = |size: i64| {
        u64::try_from(size).map_err(|_| damaged(format!("a size is {size}; use at least 0")))
    };
    let mut sizes = Vec::new();
    for &axis in &dims[..3] {
        sizes.push(size(axis)?);
    }
    let volumes = size(rank[1])?;
    if volumes != 1 {
        sizes.push(volumes);
    }
    let types = attributes.integers("BRICK_TYPES", 1)?;
    if let Some(other) = types.iter().find(|&&code| code != types[0]) {
        return Err(FileProblem::Unsupported {
            what: format!("AFNI with volumes of the types {} and {other}", types[0]),
            advice: "convert all to one type, for example with 3dcalc -datum float",
        });
    }
    let (stored, components) = stored_type(types[0])?;
    let order = match attributes.text("BYTEORDER_STRING")? {
        Some("LSB_FIRST") => ByteOrder::Little,
        Some("MSB_FIRST") => ByteOrder::Big,
        None => ByteOrder::Little,
        Some(other) => return Err(damaged(format!("BYTEORDER_STRING is {other:?}"))),
    };
    let mut layout = Layout::new(&sizes, stored, order)?;
    if components > 1 {
        layout = layout.with_components(components)?;
    }
    let mut header = HeaderInfo::new(VolumeFormat::Afni, stored, order);
    let geometry = geometry::read(&attributes)?;
    header.has_spacing = true;
    header.has_origin = true;
    let factors = attributes.numbers("BRICK_FLOAT_FACS")?.unwrap_or_default();
    let volume = usize::try_from(options.volume.unwrap_or(0)).unwrap_or(usize::MAX);
    // a factor of 0 means that samples are not scaled
    let factor = factors.get(volume).filter(|&&factor| factor != 0.0);
    header.scaling = factor
        .map(|&slope| Scaling {
            slope,
            intercept: 0.0,
        })
        .filter(|scaling| components == 1 && !scaling.is_identity());
    if let Some(scaling) = header.scaling.filter(|it| !it.slope.is_finite()) {
        return Err(damaged(format!(
            "BRICK_FLOAT_FACS has {} for volume {volume}",
            scaling.slope
        )));
    }
    let (data, found) = open_data(name, data_files)?;
    if data.1 {
        header.compression = Compression::Gzip;
    }
    header.data_file = Some(data_files.path(&found));
    header.data_files = vec![data_files.path(&found)];
    let mut opened = OpenedVolume::new(data.0, layout, geometry, header);
    opened.data_name = Some(found);
    Ok(opened)
}

/// Returns the header that belongs to a file of samples, if it exists; otherwise `path` itself.
pub(crate) fn header_path(path: &Path) -> PathBuf {
    if !matches!(&*extension(path), "brik" | "brik.gz") {
        return path.to_owned();
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let stem = name.get(..name.len() - extension(path).len()).unwrap_or("");
    let mut headers = ["HEAD", "head"]
        .map(|it| path.with_file_name(format!("{stem}{it}")))
        .into_iter();
    headers
        .find(|header| header.is_file())
        .unwrap_or(path.to_owned())
}

/// Opens the samples. Returns the source, `true` if it is compressed, and the name of the file.
fn open_data<'a>(
    header: &Path,
    data_files: &dyn DataFiles<'a>,
) -> Result<((Source<'a>, bool), String), FileProblem> {
    let name = header.file_name().unwrap_or_default().to_string_lossy();
    let stem = match name.rsplit_once('.') {
        Some((stem, extension)) if extension.eq_ignore_ascii_case("head") => stem,
        _ => &name,
    };
    let brik = if name.ends_with(".head") {
        "brik"
    } else {
        "BRIK"
    };
    let mut first = None;
    for name in [format!("{stem}.{brik}"), format!("{stem}.{brik}.gz")] {
        match data_files.open(&name) {
            Ok(mut source) => {
                // the compression shows in the contents, too
                let is_gzip = name.ends_with(".gz") && source.peek(2)? == [0x1f, 0x8b];
                let source = if is_gzip { source.gunzip() } else { source };
                return Ok(((source, is_gzip), name));
            }
            Err(problem) => first = first.or(Some(problem)),
        }
    }
    Err(first.unwrap_or(FileProblem::NotFound))
}

/// Returns the type and the number of components for a code of `BRICK_TYPES`.
fn stored_type(code: i64) -> Result<(StoredType, u64), FileProblem> {
    Ok(match code {
        0 => (StoredType::U8, 1),
        1 => (StoredType::I16, 1),
        2 => (StoredType::I32, 1),
        3 => (StoredType::F32, 1),
        4 => (StoredType::F64, 1),
        5 => (StoredType::F32, 2),
        6 => (StoredType::U8, 3),
        code => {
            return Err(FileProblem::Unsupported {
                what: format!("AFNI with the type {code}"),
                advice: "convert it with 3dcalc -datum float, or to NIfTI with 3dAFNItoNIFTI",
            });
        }
    })
}

fn damaged(problem: String) -> FileProblem {
    FileProblem::Header {
        format: VolumeFormat::Afni,
        problem,
    }
}
