//! NumPy's `.npy`.
//!
//! The format has no geometry and does not say which axis is x. By default the axes are (z, y, x),
//! in the order in which NumPy shows the shape, for elements in C and in Fortran order.
//!
//! The header is parsed here because the `npyz` crate trusts the length of the header, parses
//! brackets recursively, and multiplies the shape without an overflow check. The tests compare with
//! that crate.

mod axes;
mod dictionary;
mod write;

pub(crate) use write::{array_header, header as header_to_write};

use crate::grid::Geometry;
use crate::io::error::show_bytes;
use crate::io::source::Source;
use crate::io::volume::half::widen_halves;
use crate::io::volume::opened::OpenedVolume;
use crate::io::{
    ArrayLayout, AxisOrder, ByteOrder, FileProblem, HeaderInfo, ReadOptions, SelectionProblem,
    StoredType, VolumeFormat,
};
use dictionary::Value;

/// Longest header text that is accepted, in bytes; that of a plain array has about a hundred.
const MAX_HEADER: usize = 1 << 16;

/// Contents of a header.
pub(crate) struct ArrayHeader {
    version: [u8; 2],
    pub stored: StoredType,
    pub order: ByteOrder,
    /// Number of components per element: 2 for complex numbers.
    pub components: u64,
    /// `true` if the file holds floats of 16 bits, which are read as `f32`.
    pub is_half: bool,
    /// `true` if the first axis is the fastest (Fortran order), `false` if the last one is.
    pub fortran: bool,
    pub shape: Vec<u64>,
}

/// Opens a file and reads its header.
pub(crate) fn open<'a>(
    mut source: Source<'a>,
    options: &ReadOptions,
) -> Result<OpenedVolume<'a>, FileProblem> {
    let array = header(&mut source)?;
    // The format does not describe its axes. Those that are not spatial count volumes, unless a
    // component is requested.
    let has_components =
        options.component.is_some() && array.components == 1 && array.shape.len() > 3;
    if let (true, Some(index), Some(0)) = (has_components, options.component, array.shape.last()) {
        return Err(SelectionProblem::NoSuchComponent { index, count: 0 }.into());
    }
    let mut opened = opened(
        source,
        array,
        options.axes.unwrap_or_default(),
        has_components,
    )?;
    if options.axes.is_none() && opened.layout.is_reversed {
        opened.header.notes.push(
            "the array is in Fortran order, but its axes are taken as (z, y, x) all the same; \
             pass --axes xyz if its first axis is x, or --axes zyx to confirm"
                .to_owned(),
        );
    }
    Ok(opened)
}

/// Returns an array as a volume whose header has been read.
pub(crate) fn opened(
    source: Source<'_>,
    array: ArrayHeader,
    axes: AxisOrder,
    has_components: bool,
) -> Result<OpenedVolume<'_>, FileProblem> {
    let mut layout = axes::layout(&array, axes, has_components)?;
    let source = if array.is_half {
        layout.order = ByteOrder::Little;
        widen_halves(source, array.order)
    } else {
        source
    };
    let mut header = HeaderInfo::new(VolumeFormat::Npy, array.stored, array.order);
    let [major, minor] = array.version;
    header.version = Some(format!("npy {major}.{minor}"));
    header.array = Some(ArrayLayout {
        axes,
        fortran_order: array.fortran,
    });
    Ok(OpenedVolume::new(
        source,
        layout,
        Geometry::default(),
        header,
    ))
}

/// Reads the header.
pub(crate) fn header(source: &mut Source<'_>) -> Result<ArrayHeader, FileProblem> {
    let (version, text) = header_text(source)?;
    let entries = dictionary::parse(&text).map_err(damaged)?;
    for (index, (key, _)) in entries.iter().enumerate() {
        if entries[..index].iter().any(|(earlier, _)| earlier == key) {
            return Err(damaged(format!("the key {key:?} appears twice")));
        }
    }
    let get = |key: &str| {
        let entry = entries.iter().find(|(known, _)| known == key);
        entry
            .map(|(_, value)| value)
            .ok_or_else(|| damaged(format!("no key {key:?}")))
    };
    let (stored, order, components, is_half) = stored_type(get("descr")?)?;
    let fortran = match get("fortran_order")? {
        Value::Bool(fortran) => *fortran,
        other => {
            return Err(damaged(format!(
                "fortran_order is {other}; use True or False"
            )));
        }
    };
    Ok(ArrayHeader {
        version,
        stored,
        order,
        components,
        is_half,
        fortran,
        shape: shape(get("shape")?)?,
    })
}

/// Reads the version and the text of the header.
fn header_text(source: &mut Source<'_>) -> Result<([u8; 2], String), FileProblem> {
    let start = source.peek(12)?;
    if !start.starts_with(b"\x93NUMPY") {
        return Err(FileProblem::WrongMagic {
            format: VolumeFormat::Npy,
            expected: "the bytes 93 4e 55 4d 50 59 (\\x93NUMPY)",
            found: show_bytes(&start),
        });
    }
    let too_short = |expected: usize, found: usize| FileProblem::HeaderTooShort {
        format: VolumeFormat::Npy,
        expected: expected as u64,
        found: found as u64,
    };
    // The length of the text has 2 bytes in version 1, and 4 in versions 2 and 3.
    let before_text = if start.get(6) == Some(&1) { 10 } else { 12 };
    if start.len() < before_text {
        return Err(too_short(before_text, start.len()));
    }
    let version = [start[6], start[7]];
    let length = match version {
        [1, 0] => usize::from(u16::from_le_bytes([start[8], start[9]])),
        [2 | 3, 0] => u32::from_le_bytes([start[8], start[9], start[10], start[11]]) as usize,
        [major, minor] => {
            return Err(FileProblem::Unsupported {
                what: format!("npy version {major}.{minor}"),
                advice: "save the array with version 1.0, 2.0 or 3.0",
            });
        }
    };
    if length > MAX_HEADER {
        return Err(damaged(format!(
            "it has {length} bytes of text; a plain array needs less than {MAX_HEADER}"
        )));
    }
    let mut bytes = vec![0; before_text + length];
    let found = source.fill(&mut bytes)?;
    if found < bytes.len() {
        return Err(too_short(bytes.len(), found));
    }
    match String::from_utf8(bytes.split_off(before_text)) {
        Ok(text) => Ok((version, text)),
        Err(_) => Err(damaged("it is not UTF-8 text".to_owned())),
    }
}

fn shape(value: &Value) -> Result<Vec<u64>, FileProblem> {
    match value {
        Value::Tuple(sizes) => Ok(sizes.clone()),
        other => Err(damaged(format!("shape is {other}; use a tuple of sizes"))),
    }
}

/// Parses a `descr` such as `<f4`: byte order, kind and size in bytes. Returns the type, the byte
/// order, the number of components, and `true` for floats of 16 bits.
fn stored_type(descr: &Value) -> Result<(StoredType, ByteOrder, u64, bool), FileProblem> {
    let unsupported = || FileProblem::Unsupported {
        what: format!("npy dtype {descr}"),
        advice: "save an array of integers, floats or complex numbers",
    };
    let Value::Text(text) = descr else {
        return Err(unsupported());
    };
    let order = match text.chars().next() {
        Some('<' | '|') => ByteOrder::Little,
        Some('>') => ByteOrder::Big,
        Some('=') => ByteOrder::NATIVE,
        _ => return Err(unsupported()),
    };
    let stored = match &text[1..] {
        "b1" | "u1" => StoredType::U8,
        "i1" => StoredType::I8,
        "u2" => StoredType::U16,
        "i2" => StoredType::I16,
        "u4" => StoredType::U32,
        "i4" => StoredType::I32,
        "u8" => StoredType::U64,
        "i8" => StoredType::I64,
        "f4" => StoredType::F32,
        "f8" => StoredType::F64,
        "f2" => return Ok((StoredType::F32, order, 1, true)),
        "c8" => return Ok((StoredType::F32, order, 2, false)),
        "c16" => return Ok((StoredType::F64, order, 2, false)),
        _ => return Err(unsupported()),
    };
    Ok((stored, order, 1, false))
}

fn damaged(problem: String) -> FileProblem {
    FileProblem::Header {
        format: VolumeFormat::Npy,
        problem,
    }
}
