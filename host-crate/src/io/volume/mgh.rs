//! FreeSurfer's MGH, and MGZ, which is compressed with gzip. Numbers are big-endian, positions RAS.

use nalgebra::{Matrix3, Vector3};

use crate::grid::Geometry;
use crate::io::error::show_bytes;
use crate::io::source::Source;
use crate::io::volume::layout::Layout;
use crate::io::volume::opened::OpenedVolume;
use crate::io::{ByteOrder, FileProblem, HeaderInfo, StoredType, VolumeFormat};

/// Size of the header, in bytes.
const HEADER: usize = 284;
/// Offset of the spacing, the directions and the centre, in bytes.
const GEOMETRY: usize = 30;

/// Opens a file and reads its header.
pub(crate) fn open(mut source: Source<'_>) -> Result<OpenedVolume<'_>, FileProblem> {
    let mut bytes = [0; HEADER];
    let found = source.fill(&mut bytes)?;
    let integer = |index: usize| {
        let bytes = [0, 1, 2, 3].map(|byte| bytes[4 * index + byte]);
        i32::from_be_bytes(bytes)
    };
    if integer(0) != 1 {
        return Err(FileProblem::WrongMagic {
            format: VolumeFormat::Mgh,
            expected: "the version 1 as a big-endian number",
            found: show_bytes(&bytes[..found.min(4)]),
        });
    }
    if found < HEADER {
        return Err(FileProblem::HeaderTooShort {
            format: VolumeFormat::Mgh,
            expected: HEADER as u64,
            found: found as u64,
        });
    }
    let stored = match integer(5) {
        0 => StoredType::U8,
        1 => StoredType::I32,
        3 => StoredType::F32,
        4 => StoredType::I16,
        10 => StoredType::U16,
        code => return Err(damaged(format!("the type is {code}"))),
    };
    let mut sizes = Vec::new();
    for index in 1..5 {
        let size = u64::try_from(integer(index));
        sizes.push(size.map_err(|_| damaged(format!("a size is {}", integer(index))))?);
    }
    if sizes[3] <= 1 {
        sizes.truncate(3);
    }
    let layout = Layout::new(&sizes, stored, ByteOrder::Big)?;
    let mut header = HeaderInfo::new(VolumeFormat::Mgh, stored, ByteOrder::Big);
    let has_geometry = i16::from_be_bytes([bytes[28], bytes[29]]) > 0;
    header.has_spacing = has_geometry;
    header.has_origin = has_geometry;
    let numbers: Vec<f64> = if has_geometry {
        let words = bytes[GEOMETRY..GEOMETRY + 60].as_chunks::<4>().0.iter();
        words
            .map(|word| f64::from(f32::from_be_bytes(*word)))
            .collect()
    } else {
        header.notes.push(
            "the file has no orientation; that of FreeSurfer's conformed volumes is taken"
                .to_owned(),
        );
        vec![1., 1., 1., -1., 0., 0., 0., 0., -1., 0., 1., 0., 0., 0., 0.]
    };
    let steps = [0, 1, 2].map(|axis| {
        Vector3::from_column_slice(&numbers[3 + 3 * axis..6 + 3 * axis]) * numbers[axis]
    });
    let axes = Matrix3::from_columns(&steps);
    let half = Vector3::from(layout.dims.map(|size| size as f64 / 2.0));
    let centre = Vector3::from_column_slice(&numbers[12..15]);
    let geometry = Geometry::new(axes, centre - axes * half)?;
    // Scan parameters and tags may follow the samples.
    let source = source.limited(layout.total_bytes);
    Ok(OpenedVolume::new(source, layout, geometry, header))
}

fn damaged(problem: String) -> FileProblem {
    FileProblem::Header {
        format: VolumeFormat::Mgh,
        problem,
    }
}
