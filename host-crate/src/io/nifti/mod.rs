//! NIfTI-1 and NIfTI-2, one file, both byte orders. World coordinates are RAS as they stand.

mod affine;
mod header;
mod repair;
mod write;

pub(crate) use write::header as header_to_write;

use super::layout::Layout;
use super::opened::Opened;
use super::source::Source;
use super::{FileProblem, HeaderInfo, Scaling, StoredType, VolumeFormat};
use header::Header;

pub(crate) fn open(mut source: Source<'_>) -> Result<Opened<'_>, FileProblem> {
    let mut fields = Header::read(&mut source)?;
    let mut notes = Vec::new();
    repair::repair(&mut fields, &mut notes)?;
    let stored = stored_type(fields.datatype)?;
    check_bits(&fields, stored, &mut notes);
    let layout = Layout::new(&sizes(&fields)?, stored, fields.order)?;

    let mut header = HeaderInfo::new(VolumeFormat::Nifti, stored, fields.order);
    header.version = Some(format!("NIfTI-{}", fields.version));
    header.notes = notes;
    let place = affine::stated_place(&fields, &mut header.notes)?;
    header.has_spacing = place.has_spacing;
    header.has_origin = place.has_origin;

    let offset = fields.data_offset()?;
    if fields.vox_offset.fract() != 0.0 {
        header.notes.push(format!(
            "vox_offset is {}: the samples are taken to begin at byte {offset}",
            fields.vox_offset
        ));
    }
    let gap = offset - source.position();
    if source.skip(gap)? < gap {
        return Err(FileProblem::HeaderTooShort {
            format: VolumeFormat::Nifti,
            expected: offset,
            found: source.position(),
        });
    }
    header.scaling = scaling(&fields);
    Ok(Opened::new(source, layout, place.geometry, header))
}

/// The NIFTI_TYPE_* codes that volumes can take.
const TYPES: [(i16, StoredType); 10] = [
    (2, StoredType::U8),
    (4, StoredType::I16),
    (8, StoredType::I32),
    (16, StoredType::F32),
    (64, StoredType::F64),
    (256, StoredType::I8),
    (512, StoredType::U16),
    (768, StoredType::U32),
    (1024, StoredType::I64),
    (1280, StoredType::U64),
];

/// The names of the codes that they cannot, for the message.
const UNSUPPORTED: [(i16, &str); 8] = [
    (0, "unknown"),
    (1, "binary"),
    (32, "complex64"),
    (128, "rgb24"),
    (1536, "float128"),
    (1792, "complex128"),
    (2048, "complex256"),
    (2304, "rgba32"),
];

fn stored_type(datatype: i16) -> Result<StoredType, FileProblem> {
    if let Some((_, stored)) = TYPES.iter().find(|(code, _)| *code == datatype) {
        return Ok(*stored);
    }
    let name = UNSUPPORTED
        .iter()
        .find(|(code, _)| *code == datatype)
        .map_or("no type", |known| known.1);
    Err(FileProblem::Unsupported {
        what: format!("NIfTI datatype {datatype} ({name})"),
        advice: "convert the samples to an integer of 8 to 32 bits, float32 or float64",
    })
}

/// Says that the bits of a sample are not those of its type: the type counts.
fn check_bits(fields: &Header, stored: StoredType, notes: &mut Vec<String>) {
    let bits = stored.bytes() * 8;
    if usize::try_from(fields.bitpix) != Ok(bits) {
        notes.push(format!(
            "bitpix is {}, but samples of datatype {} have {bits} bits: {bits} are taken",
            fields.bitpix, fields.datatype
        ));
    }
}

/// dim[1] to dim[dim[0]].
fn sizes(fields: &Header) -> Result<Vec<u64>, FileProblem> {
    let axes = match fields.dim[0] {
        axes @ 1..=7 => axes as usize,
        other => {
            return Err(damaged(format!(
                "dim[0], the number of axes, is {other}; it is 1 to 7"
            )));
        }
    };
    let size = |axis: usize| {
        u64::try_from(fields.dim[axis]).map_err(|_| {
            damaged(format!(
                "dim[{axis}] is {}; a size is not negative",
                fields.dim[axis]
            ))
        })
    };
    (1..=axes).map(size).collect()
}

/// scl_slope and scl_inter, unless they change nothing; a slope of zero means that there is no scaling.
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
