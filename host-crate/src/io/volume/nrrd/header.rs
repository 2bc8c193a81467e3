//! The text header: one field per line.

use super::damaged;
use super::values::{Encoding, encoding, list, stored_type, vectors};
use crate::io::error::show_bytes;
use crate::io::source::Source;
use crate::io::volume::data_file_list::{DataFileList, MAX_FILES, parse_pattern};
use crate::io::{ByteOrder, FileProblem, StoredType, VolumeFormat};

/// Longest header line that is accepted, in bytes. Long lists, such as diffusion gradients, have
/// many lines, not long ones.
const MAX_LINE: usize = 1 << 16;
/// Longest header that is accepted, in bytes.
const MAX_HEADER: u64 = 16 << 20;
/// NRRD's limit on the number of axes.
const MAX_AXES: usize = 16;

/// Header fields that determine the volume.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Header {
    pub magic: String,
    pub sizes: Vec<u64>,
    pub stored: StoredType,
    pub encoding: Encoding,
    pub order: Option<ByteOrder>,
    pub space: Option<String>,
    /// Direction of each axis; `None` for `none`.
    pub directions: Option<Vec<Option<Vec<f64>>>>,
    pub origin: Option<Vec<f64>>,
    /// Spacing of each axis; NaN if unknown.
    pub spacings: Option<Vec<f64>>,
    pub kinds: Option<Vec<String>>,
    pub axis_mins: bool,
    pub data_file: DataFile,
    pub line_skip: u64,
    pub byte_skip: i64,
}

/// Location of the samples.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum DataFile {
    /// After the header, in the same file.
    Attached,
    /// In the file of this name.
    Named(String),
    /// In several files.
    Several(DataFileList),
}

/// Names of the fields that NRRD defines. Names of several words are also written as one.
const FIELDS: [&str; 31] = [
    "axis maxs",
    "axis mins",
    "block size",
    "byte skip",
    "centerings",
    "centers",
    "content",
    "data file",
    "dimension",
    "encoding",
    "endian",
    "kinds",
    "labels",
    "line skip",
    "max",
    "measurement frame",
    "min",
    "number",
    "old max",
    "old min",
    "sample units",
    "sizes",
    "space",
    "space dimension",
    "space directions",
    "space origin",
    "space units",
    "spacings",
    "thicknesses",
    "type",
    "units",
];

/// Returns the name of a field as [`FIELDS`] has it, or `None` if NRRD does not define it.
fn field_name(name: &str) -> Option<&'static str> {
    let name = name.trim().to_ascii_lowercase();
    let is_known = |known: &&str| **known == name || known.replace(' ', "") == name;
    FIELDS.into_iter().find(is_known)
}

/// Fields in the order of the file, with names as [`FIELDS`] has them, or in lower case.
#[derive(Default)]
struct Fields {
    all: Vec<(String, String)>,
    /// Lines after a list of data files.
    names: Vec<String>,
}

impl Fields {
    fn get(&self, name: &str) -> Option<&str> {
        self.all
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }

    fn required(&self, name: &str) -> Result<&str, FileProblem> {
        self.get(name)
            .ok_or_else(|| damaged(format!("no field {name:?}")))
    }

    fn number<T: std::str::FromStr>(&self, name: &str) -> Result<Option<T>, FileProblem> {
        let parse = |text: &str| {
            text.parse()
                .map_err(|_| damaged(format!("{name} is {text:?}, which is not a valid number")))
        };
        self.get(name).map(parse).transpose()
    }
}

impl Header {
    /// Reads the header and leaves `source` at the first byte of attached data.
    pub fn read(source: &mut Source<'_>) -> Result<Self, FileProblem> {
        let start = source.peek(8)?;
        if !start.starts_with(b"NRRD") {
            return Err(FileProblem::WrongMagic {
                format: VolumeFormat::Nrrd,
                expected: "\"NRRD000\" and a version",
                found: show_bytes(&start),
            });
        }
        let magic = text(&source.line(MAX_LINE)?.unwrap_or_default())?;
        if !matches!(
            magic.as_str(),
            "NRRD00.01" | "NRRD0001" | "NRRD0002" | "NRRD0003" | "NRRD0004" | "NRRD0005"
        ) {
            return Err(FileProblem::Unsupported {
                what: format!(
                    "NRRD version {:?}",
                    magic.chars().take(20).collect::<String>()
                ),
                advice: "convert the file to one of the versions NRRD0001 to NRRD0005",
            });
        }
        let fields = read_fields(source)?;
        Self::from_fields(magic, &fields)
    }

    fn from_fields(magic: String, fields: &Fields) -> Result<Self, FileProblem> {
        let dimension: usize = fields
            .number("dimension")?
            .ok_or_else(|| damaged("no field \"dimension\"".to_owned()))?;
        if !(1..=MAX_AXES).contains(&dimension) {
            return Err(damaged(format!(
                "dimension is {dimension}; use 1 to {MAX_AXES}"
            )));
        }
        let sizes: Vec<u64> = list("sizes", fields.required("sizes")?)?;
        check_axis_count("sizes", sizes.len(), dimension)?;
        let stored = stored_type(fields.required("type")?)?;
        let encoding = encoding(fields.required("encoding")?)?;
        let order = match fields.get("endian").map(str::to_ascii_lowercase).as_deref() {
            None => None,
            Some("little") => Some(ByteOrder::Little),
            Some("big") => Some(ByteOrder::Big),
            Some(other) => {
                return Err(damaged(format!("endian is {other:?}; use little or big")));
            }
        };
        let directions = fields.get("space directions").map(vectors).transpose()?;
        if let Some(directions) = &directions {
            check_axis_count("space directions", directions.len(), dimension)?;
        }
        // "none" for every axis states no directions.
        let directions = directions.filter(|all| all.iter().any(Option::is_some));
        let spacings = fields
            .get("spacings")
            .map(|value| list("spacings", value))
            .transpose()?;
        if let Some(spacings) = &spacings {
            check_axis_count("spacings", spacings.len(), dimension)?;
        }
        let kinds = fields.get("kinds").map(|value| {
            value
                .split_whitespace()
                .map(str::to_ascii_lowercase)
                .collect::<Vec<_>>()
        });
        if let Some(kinds) = &kinds {
            check_axis_count("kinds", kinds.len(), dimension)?;
        }
        let origin = match fields.get("space origin").map(vectors).transpose()? {
            None => None,
            Some(mut origins) if origins.len() == 1 => origins.remove(0),
            Some(origins) => {
                return Err(damaged(format!(
                    "space origin has {} vectors; use one",
                    origins.len()
                )));
            }
        };
        Ok(Self {
            magic,
            sizes,
            stored,
            encoding,
            order,
            space: fields.get("space").map(str::to_ascii_lowercase),
            directions,
            origin,
            spacings,
            kinds,
            axis_mins: fields.get("axis mins").is_some(),
            data_file: data_file(fields)?,
            line_skip: fields.number("line skip")?.unwrap_or(0),
            byte_skip: fields.number("byte skip")?.unwrap_or(0),
        })
    }
}

/// Reads the lines up to the empty line before attached data, or to the end of the file.
fn read_fields(source: &mut Source<'_>) -> Result<Fields, FileProblem> {
    let mut fields = Fields::default();
    while let Some(line) = source.line(MAX_LINE)? {
        if line.is_empty() {
            break;
        }
        if line.len() >= MAX_LINE || source.position() > MAX_HEADER {
            return Err(damaged(format!(
                "no empty line ends it within {} bytes",
                source.position()
            )));
        }
        // "field: value" is a field, "key:=value" a key/value pair of the writer, "#" a comment.
        let line = text(&line)?;
        if line.starts_with('#') || is_key_value(&line) {
            continue;
        }
        let Some((name, value)) = line.split_once(':') else {
            let shown: String = line.chars().take(40).collect();
            return Err(damaged(format!(
                "the line {shown:?} is neither a field nor a comment"
            )));
        };
        let name = field_name(name).map_or_else(|| name.trim().to_ascii_lowercase(), str::to_owned);
        if fields.get(&name).is_some() {
            return Err(damaged(format!("the field {name:?} appears twice")));
        }
        fields.all.push((name, value.trim().to_owned()));
        // NRRD defines about thirty fields. The limit keeps the linear search fast.
        if fields.all.len() > 1000 {
            return Err(damaged("more than 1000 fields".to_owned()));
        }
        if data_file_list(&fields).is_some() {
            fields.names = read_names(source)?;
            break;
        }
    }
    Ok(fields)
}

/// Returns `true` for a key/value pair. The value of a field may contain ":=", and a key may
/// contain a colon, unless the word before it is a field.
fn is_key_value(line: &str) -> bool {
    let Some((name, rest)) = line.split_once(':') else {
        return false;
    };
    rest.starts_with('=') || (rest.contains(":=") && field_name(name).is_none())
}

fn text(line: &[u8]) -> Result<String, FileProblem> {
    String::from_utf8(line.to_vec()).map_err(|_| {
        damaged(format!(
            "the line starting {} is not UTF-8 text",
            show_bytes(line)
        ))
    })
}

/// Returns the number of axes, possibly empty, if the data file field is a list of files on the
/// lines after it.
fn data_file_list(fields: &Fields) -> Option<&str> {
    let value = fields.get("data file")?;
    let rest = value.strip_prefix("LIST")?;
    (rest.is_empty() || rest.starts_with(' ')).then(|| rest.trim())
}

/// Reads file names up to the end of the header.
fn read_names(source: &mut Source<'_>) -> Result<Vec<String>, FileProblem> {
    let mut names = Vec::new();
    while let Some(line) = source.line(MAX_LINE)? {
        if line.len() >= MAX_LINE || source.position() > MAX_HEADER || names.len() > MAX_FILES {
            return Err(damaged(format!(
                "the list of data files has more than {MAX_FILES} names"
            )));
        }
        let name = text(&line)?;
        if !name.trim().is_empty() {
            names.push(name);
        }
    }
    Ok(names)
}

fn data_file(fields: &Fields) -> Result<DataFile, FileProblem> {
    let Some(name) = fields.get("data file") else {
        return Ok(DataFile::Attached);
    };
    if let Some(axes) = data_file_list(fields) {
        let axes = (!axes.is_empty()).then(|| {
            axes.parse()
                .map_err(|_| damaged(format!("data file: LIST {axes:?} is not a number of axes")))
        });
        return Ok(DataFile::Several(DataFileList {
            names: fields.names.clone(),
            axes: axes.transpose()?,
        }));
    }
    if name.contains('%') && name.split_whitespace().count() > 3 {
        return parse_pattern(name).map(DataFile::Several).map_err(damaged);
    }
    Ok(DataFile::Named(name.to_owned()))
}

fn check_axis_count(name: &str, found: usize, dimension: usize) -> Result<(), FileProblem> {
    if found == dimension {
        return Ok(());
    }
    Err(damaged(format!(
        "{name} has {found} entries, but dimension is {dimension}"
    )))
}
