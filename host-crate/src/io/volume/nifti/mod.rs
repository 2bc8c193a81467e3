//! NIfTI-1 and NIfTI-2, single files and pairs, and pairs of Analyze 7.5, in both byte orders.
//! World coordinates are RAS, as in the files.

mod affine;
mod header;
mod pair;
mod repair;
mod write;

pub(crate) use write::header as header_to_write;

use std::path::Path;

use crate::io::source::Source;
use crate::io::volume::data_files::DataFiles;
use crate::io::volume::layout::Layout;
use crate::io::volume::opened::{OpenedVolume, in_data_file};
use crate::io::{FileProblem, HeaderInfo, Scaling, StoredType, VolumeFormat};
use header::{Header, Kind};
pub(crate) use pair::header_path;

/// Opens a file and reads its header. `name` determines whether it may be the header of a pair.
pub(crate) fn open<'a>(
    mut source: Source<'a>,
    name: &Path,
    data_files: &dyn DataFiles<'a>,
) -> Result<OpenedVolume<'a>, FileProblem> {
    let mut fields = Header::read(&mut source, pair::is_header(name))?;
    let mut notes = Vec::new();
    if fields.kind == Kind::Pair && !pair::is_header(name) {
        notes.push(
            "the magic is that of a pair of files, but the name is not: the samples are taken from the same file"
                .to_owned(),
        );
        fields.kind = Kind::Single;
    }
    if fields.kind == Kind::Single
        && pair::is_header(name)
        && let Ok((_, data)) = pair::open_data(name, data_files)
    {
        notes.push(format!(
            "the magic is that of one file, but the name is that of a pair: the samples are taken from {data}"
        ));
        fields.kind = Kind::Pair;
    }
    repair::repair(&mut fields, &mut notes)?;
    let (stored, components) = stored_type(fields.datatype)?;
    check_bits(&fields, stored, components, &mut notes);
    let layout = Layout::new(&sizes(&fields)?, stored, fields.order)?;
    let mut layout = layout.with_components(components)?;
    let has_vectors = layout.sizes.get(VECTOR_AXIS).is_some_and(|&size| size > 1);
    // Analyze 7.5 defines four axes.
    if has_vectors && !matches!(fields.kind, Kind::Analyze(_)) {
        layout = layout.with_component_axis(VECTOR_AXIS);
    }

    let mut header = HeaderInfo::new(VolumeFormat::Nifti, stored, fields.order);
    header.version = Some(match fields.kind {
        Kind::Analyze(_) => "Analyze 7.5".to_owned(),
        Kind::Single | Kind::Pair => format!("NIfTI-{}", fields.version),
    });
    header.notes = notes;
    let grid = match fields.kind {
        Kind::Analyze(origin) => affine::analyze(&fields, origin, &mut header.notes)?,
        Kind::Single | Kind::Pair => affine::stated_grid(&fields, &mut header.notes)?,
    };
    header.has_spacing = grid.has_spacing;
    header.has_origin = grid.has_origin;
    // Colours are not scaled.
    header.scaling = scaling(&fields).filter(|_| !COLOURS.contains(&fields.datatype));
    if let (Kind::Analyze(_), Some(Scaling { slope, intercept })) = (fields.kind, header.scaling) {
        header.notes.push(format!(
            "Analyze 7.5 has no scaling: that of SPM's fields is applied, slope {slope} and intercept {intercept}"
        ));
    }

    let offset = fields.data_offset()?;
    if fields.vox_offset != offset as f64 {
        header.notes.push(format!(
            "vox_offset is {}: the samples are taken to begin at byte {offset}",
            fields.vox_offset
        ));
    }
    let mut data_name = None;
    if fields.kind != Kind::Single {
        let (data, found) = pair::open_data(name, data_files)?;
        header.data_file = Some(data_files.path(&found));
        header.data_files = vec![data_files.path(&found)];
        source = data;
        data_name = Some(found);
    }
    let gap = offset - source.position();
    if source.skip(gap)? < gap {
        let problem = FileProblem::HeaderTooShort {
            format: VolumeFormat::Nifti,
            expected: offset,
            found: source.position(),
        };
        return Err(in_data_file(data_name.as_deref(), problem));
    }
    let mut opened = OpenedVolume::new(source, layout, grid.geometry, header);
    opened.data_name = data_name;
    Ok(opened)
}

/// `NIFTI_TYPE_*` codes that can be read, with the stored type and the number of components.
const TYPES: [(i16, StoredType, u64); 14] = [
    (2, StoredType::U8, 1),
    (4, StoredType::I16, 1),
    (8, StoredType::I32, 1),
    (16, StoredType::F32, 1),
    (32, StoredType::F32, 2),
    (64, StoredType::F64, 1),
    (128, StoredType::U8, 3),
    (256, StoredType::I8, 1),
    (512, StoredType::U16, 1),
    (768, StoredType::U32, 1),
    (1024, StoredType::I64, 1),
    (1280, StoredType::U64, 1),
    (1792, StoredType::F64, 2),
    (2304, StoredType::U8, 4),
];

/// Codes of the colour types, rgb24 and rgba32.
const COLOURS: [i16; 2] = [128, 2304];

/// Index of the fifth axis, which holds the values of each location whatever the intent: "The 5th
/// dimension of the dataset, if present (i.e., dim\[0\]=5 and dim\[5\] > 1), contains multiple
/// values (e.g., a vector) to be stored at each spatiotemporal location" (`nifti1.h`). The other
/// axes after the third count volumes.
const VECTOR_AXIS: usize = 4;

/// Codes that cannot be read, with their names for the message.
const UNSUPPORTED: [(i16, &str); 4] = [
    (0, "unknown"),
    (1, "binary"),
    (1536, "float128"),
    (2048, "complex256"),
];

fn stored_type(datatype: i16) -> Result<(StoredType, u64), FileProblem> {
    if let Some((_, stored, components)) = TYPES.iter().find(|(code, ..)| *code == datatype) {
        return Ok((*stored, *components));
    }
    let name = UNSUPPORTED
        .iter()
        .find(|(code, _)| *code == datatype)
        .map_or("not a type of the standard", |known| known.1);
    Err(FileProblem::Unsupported {
        what: format!("NIfTI datatype {datatype} ({name})"),
        advice: "convert the samples to an integer of 8 to 64 bits, float32 or float64",
    })
}

/// Adds a note if the stated bits per sample differ from those of the type, which takes precedence.
fn check_bits(fields: &Header, stored: StoredType, components: u64, notes: &mut Vec<String>) {
    let bits = stored.bytes() * 8 * components as usize;
    if usize::try_from(fields.bitpix) != Ok(bits) {
        notes.push(format!(
            "bitpix is {}, but samples of datatype {} have {bits} bits: {bits} are taken",
            fields.bitpix, fields.datatype
        ));
    }
}

/// Returns `dim[1]` to `dim[dim[0]]`.
fn sizes(fields: &Header) -> Result<Vec<u64>, FileProblem> {
    let axes = match fields.dim[0] {
        axes @ 1..=7 => axes as usize,
        other => {
            return Err(damaged(format!(
                "dim[0], the number of axes, is {other}; use 1 to 7"
            )));
        }
    };
    let size = |axis: usize| {
        u64::try_from(fields.dim[axis]).map_err(|_| {
            damaged(format!(
                "dim[{axis}] is {}; use a size of at least 0",
                fields.dim[axis]
            ))
        })
    };
    (1..=axes).map(size).collect()
}

/// Returns `scl_slope` and `scl_inter` unless they are the identity. A slope of zero means no
/// scaling.
fn scaling(fields: &Header) -> Option<Scaling> {
    let scaling = Scaling {
        slope: fields.scl_slope,
        intercept: fields.scl_inter,
    };
    let used = scaling.slope != 0.0
        && scaling.slope.is_finite()
        && scaling.intercept.is_finite()
        && !scaling.is_identity();
    used.then_some(scaling)
}

fn damaged(problem: String) -> FileProblem {
    FileProblem::Header {
        format: VolumeFormat::Nifti,
        problem,
    }
}
