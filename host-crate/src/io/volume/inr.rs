//! Inrimage 4, as CGAL reads it: a text header, usually of whole blocks of 256 bytes, then the
//! samples.
//!
//! The format does not define the directions of its axes; positions are used as they are.

use nalgebra::{Matrix3, Vector3};

use crate::grid::Geometry;
use crate::io::error::show_bytes;
use crate::io::source::Source;
use crate::io::volume::layout::Layout;
use crate::io::volume::opened::OpenedVolume;
use crate::io::volume_format::INR_SIGNATURE;
use crate::io::{ByteOrder, FileProblem, HeaderInfo, StoredType, VolumeFormat};

/// Last line of the header.
const HEADER_END: &[u8] = b"\n##}\n";
/// Size of the blocks that headers are padded to, in bytes. Some are not.
const BLOCK: u64 = 256;
/// Maximum size of a header, in bytes.
const MAX_HEADER: usize = 1 << 16;

/// Opens a file and reads its header.
pub(crate) fn open(mut source: Source<'_>) -> Result<OpenedVolume<'_>, FileProblem> {
    let text = read_header(&mut source)?;
    let fields = Fields::new(&text);
    let size = |name| fields.integer(name)?.ok_or_else(|| missing(name));
    let sizes = [size("XDIM")?, size("YDIM")?, size("ZDIM")?];
    let components = fields.integer("VDIM")?.unwrap_or(1);
    let bits = fields.find("PIXSIZE")?.unwrap_or("8 bits");
    let bits = bits.split_whitespace().next().unwrap_or_default();
    let kind = fields.find("TYPE")?.ok_or_else(|| missing("TYPE"))?;
    let stored = stored_type(kind, bits)?;
    let mut notes = Vec::new();
    let order = match fields.find("CPU")? {
        Some("decm" | "alpha" | "pc") => ByteOrder::Little,
        Some("sun" | "sgi") => ByteOrder::Big,
        None if stored.bytes() == 1 => ByteOrder::Little,
        other => {
            let found = other.unwrap_or("missing");
            notes.push(format!(
                "CPU is {found}: the byte order is taken as little-endian"
            ));
            ByteOrder::Little
        }
    };
    if let Some(scale) = fields.find("SCALE")?.filter(|scale| *scale != "2**0") {
        notes.push(format!(
            "SCALE is {scale}: the samples are read as they are stored"
        ));
    }
    let mut layout = Layout::new(&sizes, stored, order)?;
    if components != 1 {
        layout = layout.with_components(components)?;
    }
    let spacing = fields.numbers(["VX", "VY", "VZ"])?;
    let origin = fields.numbers(["TX", "TY", "TZ"])?;
    let mut header = HeaderInfo::new(VolumeFormat::Inr, stored, order);
    header.notes = notes;
    header.has_spacing = spacing.iter().any(Option::is_some);
    header.has_origin = origin.iter().any(Option::is_some);
    let steps = spacing.map(|step| step.unwrap_or(1.0));
    let geometry = Geometry::new(
        Matrix3::from_diagonal(&Vector3::from(steps)),
        Vector3::from(origin.map(Option::unwrap_or_default)),
    )?;
    Ok(OpenedVolume::new(source, layout, geometry, header))
}

/// Reads the header, up to the line that ends it.
fn read_header(source: &mut Source<'_>) -> Result<String, FileProblem> {
    let start = source.peek(MAX_HEADER)?;
    if !start.starts_with(INR_SIGNATURE) {
        return Err(FileProblem::WrongMagic {
            format: VolumeFormat::Inr,
            expected: "#INRIMAGE-4#{",
            found: show_bytes(&start[..start.len().min(INR_SIGNATURE.len())]),
        });
    }
    let mut windows = start.windows(HEADER_END.len());
    let Some(end) = windows.position(|window| window == HEADER_END) else {
        if start.len() == MAX_HEADER {
            return Err(damaged(format!(
                "it does not end within {MAX_HEADER} bytes by ##}}"
            )));
        }
        return Err(FileProblem::HeaderTooShort {
            format: VolumeFormat::Inr,
            expected: (start.len() as u64 + 1).next_multiple_of(BLOCK),
            found: start.len() as u64,
        });
    };
    source.skip((end + HEADER_END.len()) as u64)?;
    Ok(String::from_utf8_lossy(&start[INR_SIGNATURE.len()..end]).into_owned())
}

/// Returns the type of samples of this kind and size.
fn stored_type(kind: &str, bits: &str) -> Result<StoredType, FileProblem> {
    Ok(match (kind, bits) {
        ("unsigned fixed", "8") => StoredType::U8,
        ("unsigned fixed", "16") => StoredType::U16,
        ("unsigned fixed", "32") => StoredType::U32,
        ("signed fixed", "8") => StoredType::I8,
        ("signed fixed", "16") => StoredType::I16,
        ("signed fixed", "32") => StoredType::I32,
        ("float", "32") => StoredType::F32,
        ("float", "64") => StoredType::F64,
        _ => {
            return Err(FileProblem::Unsupported {
                what: format!("Inrimage with TYPE {kind:?} of {bits:?} bits"),
                advice: "convert the samples to integers of 8 to 32 bits, or to floats",
            });
        }
    })
}

/// The lines `name=value` of a header.
struct Fields<'t>(Vec<(&'t str, &'t str)>);

impl<'t> Fields<'t> {
    fn new(text: &'t str) -> Self {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let pairs = lines.filter_map(|line| line.split_once('='));
        Self(
            pairs
                .map(|(name, value)| (name.trim(), value.trim()))
                .collect(),
        )
    }

    /// Returns the value of a field. Fails if it has several.
    fn find(&self, name: &str) -> Result<Option<&'t str>, FileProblem> {
        let mut values = self
            .0
            .iter()
            .filter(|field| field.0 == name)
            .map(|field| field.1);
        match (values.next(), values.next()) {
            (Some(first), Some(second)) => Err(damaged(format!(
                "{name} is given as {first:?} and as {second:?}"
            ))),
            (value, _) => Ok(value),
        }
    }

    fn integer(&self, name: &str) -> Result<Option<u64>, FileProblem> {
        let parse = |value: &str| {
            let number = value.parse::<u64>();
            number.map_err(|_| damaged(format!("{name} is {value:?}; use a size of at least 0")))
        };
        self.find(name)?.map(parse).transpose()
    }

    fn numbers(&self, names: [&str; 3]) -> Result<[Option<f64>; 3], FileProblem> {
        let mut numbers = [None; 3];
        for (number, name) in numbers.iter_mut().zip(names) {
            if let Some(value) = self.find(name)? {
                let parsed = value.parse::<f64>();
                *number = Some(parsed.map_err(|_| damaged(format!("{name} is {value:?}")))?);
            }
        }
        Ok(numbers)
    }
}

fn missing(name: &str) -> FileProblem {
    damaged(format!("it lacks {name}"))
}

fn damaged(problem: String) -> FileProblem {
    FileProblem::Header {
        format: VolumeFormat::Inr,
        problem,
    }
}
