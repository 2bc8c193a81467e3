//! The text header: one field per line.

use super::damaged;
use super::values::{Encoding, encoding, list, stored_type, vectors};
use crate::io::data_parts::{FILES, Parts, pattern};
use crate::io::error::show_bytes;
use crate::io::source::Source;
use crate::io::{ByteOrder, FileProblem, StoredType, VolumeFormat};

/// Longest header line. Lists of diffusion gradients and the like are many lines, not long ones.
const LINE: usize = 1 << 16;
/// Longest header.
const HEADER: u64 = 16 << 20;
/// NRRD's own limit on the number of axes.
const AXES: usize = 16;

/// The header fields that matter here.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Header {
    pub magic: String,
    pub sizes: Vec<u64>,
    pub stored: StoredType,
    pub encoding: Encoding,
    pub order: Option<ByteOrder>,
    pub space: Option<String>,
    /// One entry per axis; `None` stands for `none`.
    pub directions: Option<Vec<Option<Vec<f64>>>>,
    pub origin: Option<Vec<f64>>,
    /// One entry per axis, NaN where unknown.
    pub spacings: Option<Vec<f64>>,
    pub kinds: Option<Vec<String>>,
    pub axis_mins: bool,
    pub data_file: DataFile,
    pub line_skip: u64,
    pub byte_skip: i64,
}

/// Where the samples are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum DataFile {
    /// Behind the header.
    Attached,
    /// In a file of this name.
    Named(String),
    /// In several files.
    Several(Parts),
}

/// The fields as they stand, before it is known which ones there are.
#[derive(Default)]
struct Fields {
    all: Vec<(String, String)>,
    /// The lines behind a list of data files.
    names: Vec<String>,
}

impl Fields {
    fn get(&self, name: &str) -> Option<&str> {
        self.all
            .iter()
            .find(|(known, _)| known == name)
            .map(|(_, value)| value.as_str())
    }

    fn need(&self, name: &str) -> Result<&str, FileProblem> {
        self.get(name)
            .ok_or_else(|| damaged(format!("no field {name:?}")))
    }

    fn number<T: std::str::FromStr>(&self, name: &str) -> Result<Option<T>, FileProblem> {
        let parse = |text: &str| {
            text.parse()
                .map_err(|_| damaged(format!("{name} is {text:?}, which is no such number")))
        };
        self.get(name).map(parse).transpose()
    }
}

impl Header {
    /// Reads the header and leaves the source at the first byte of attached data.
    pub fn read(source: &mut Source<'_>) -> Result<Self, FileProblem> {
        let start = source.peek(8)?;
        if !start.starts_with(b"NRRD") {
            return Err(FileProblem::WrongMagic {
                format: VolumeFormat::Nrrd,
                expected: "\"NRRD000\" and a version",
                found: show_bytes(&start),
            });
        }
        let magic = text(&source.line(LINE)?.unwrap_or_default())?;
        if !matches!(
            magic.as_str(),
            "NRRD00.01" | "NRRD0001" | "NRRD0002" | "NRRD0003" | "NRRD0004" | "NRRD0005"
        ) {
            return Err(FileProblem::Unsupported {
                what: format!(
                    "NRRD version {:?}",
                    magic.chars().take(20).collect::<String>()
                ),
                advice: "versions NRRD0001 to NRRD0005 are",
            });
        }
        let fields = read_fields(source)?;
        Self::from_fields(magic, &fields)
    }

    fn from_fields(magic: String, fields: &Fields) -> Result<Self, FileProblem> {
        let dimension: usize = fields
            .number("dimension")?
            .ok_or_else(|| damaged("no field \"dimension\"".to_owned()))?;
        if !(1..=AXES).contains(&dimension) {
            return Err(damaged(format!(
                "dimension is {dimension}; it is 1 to {AXES}"
            )));
        }
        let sizes: Vec<u64> = list("sizes", fields.need("sizes")?)?;
        per_axis("sizes", sizes.len(), dimension)?;
        let stored = stored_type(fields.need("type")?)?;
        let encoding = encoding(fields.need("encoding")?)?;
        let order = match fields.get("endian").map(str::to_ascii_lowercase).as_deref() {
            None => None,
            Some("little") => Some(ByteOrder::Little),
            Some("big") => Some(ByteOrder::Big),
            Some(other) => {
                return Err(damaged(format!("endian is {other:?}; it is little or big")));
            }
        };
        let directions = fields.get("space directions").map(vectors).transpose()?;
        if let Some(directions) = &directions {
            per_axis("space directions", directions.len(), dimension)?;
        }
        // where no axis has one, none is stated
        let directions = directions.filter(|all| all.iter().any(Option::is_some));
        let spacings = fields
            .get("spacings")
            .map(|value| list("spacings", value))
            .transpose()?;
        if let Some(spacings) = &spacings {
            per_axis("spacings", spacings.len(), dimension)?;
        }
        let kinds = fields.get("kinds").map(|value| {
            value
                .split_whitespace()
                .map(str::to_ascii_lowercase)
                .collect::<Vec<_>>()
        });
        if let Some(kinds) = &kinds {
            per_axis("kinds", kinds.len(), dimension)?;
        }
        let origin = match fields.get("space origin").map(vectors).transpose()? {
            None => None,
            Some(mut origins) if origins.len() == 1 => origins.remove(0),
            Some(origins) => {
                return Err(damaged(format!(
                    "space origin has {} vectors; it is one",
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
            axis_mins: fields.get("axis mins").or(fields.get("axismins")).is_some(),
            data_file: data_file(fields)?,
            line_skip: fields
                .number("line skip")?
                .or(fields.number("lineskip")?)
                .unwrap_or(0),
            byte_skip: fields
                .number("byte skip")?
                .or(fields.number("byteskip")?)
                .unwrap_or(0),
        })
    }
}

/// Reads the lines to the empty line before attached data, or to the end of the file.
fn read_fields(source: &mut Source<'_>) -> Result<Fields, FileProblem> {
    let mut fields = Fields::default();
    while let Some(line) = source.line(LINE)? {
        if line.is_empty() {
            break;
        }
        if line.len() >= LINE || source.position() > HEADER {
            return Err(damaged(format!(
                "no empty line ends it within {} bytes",
                source.position()
            )));
        }
        // "field: value" is a field, "key:=value" a note of the writer's, "#" a comment.
        let line = text(&line)?;
        if line.starts_with('#') || line.contains(":=") {
            continue;
        }
        let Some((name, value)) = line.split_once(':') else {
            let shown: String = line.chars().take(40).collect();
            return Err(damaged(format!(
                "the line {shown:?} is neither a field nor a comment"
            )));
        };
        let name = name.trim().to_ascii_lowercase();
        if fields.get(&name).is_some() {
            return Err(damaged(format!("the field {name:?} appears twice")));
        }
        fields.all.push((name, value.trim().to_owned()));
        // NRRD prescribes some thirty fields. A search through a long list would be slow.
        if fields.all.len() > 1000 {
            return Err(damaged("more than 1000 fields".to_owned()));
        }
        if list_of_files(&fields).is_some() {
            fields.names = read_names(source)?;
            break;
        }
    }
    Ok(fields)
}

fn text(line: &[u8]) -> Result<String, FileProblem> {
    String::from_utf8(line.to_vec()).map_err(|_| {
        damaged(format!(
            "the line starting {} is not text",
            show_bytes(line)
        ))
    })
}

/// The value of the field that says where the samples are, if it is a list of files on the lines
/// behind it.
fn list_of_files(fields: &Fields) -> Option<&str> {
    let value = fields.get("data file").or(fields.get("datafile"))?;
    let rest = value.strip_prefix("LIST")?;
    (rest.is_empty() || rest.starts_with(' ')).then(|| rest.trim())
}

/// The names of files, to the end of the header.
fn read_names(source: &mut Source<'_>) -> Result<Vec<String>, FileProblem> {
    let mut names = Vec::new();
    while let Some(line) = source.line(LINE)? {
        if line.len() >= LINE || source.position() > HEADER || names.len() > FILES {
            return Err(damaged("the list of data files does not end".to_owned()));
        }
        let name = text(&line)?;
        if !name.trim().is_empty() {
            names.push(name);
        }
    }
    Ok(names)
}

fn data_file(fields: &Fields) -> Result<DataFile, FileProblem> {
    let Some(name) = fields.get("data file").or(fields.get("datafile")) else {
        return Ok(DataFile::Attached);
    };
    if let Some(axes) = list_of_files(fields) {
        let axes = (!axes.is_empty()).then(|| {
            axes.parse()
                .map_err(|_| damaged(format!("data file: LIST {axes:?} is no number of axes")))
        });
        return Ok(DataFile::Several(Parts {
            names: fields.names.clone(),
            axes: axes.transpose()?,
        }));
    }
    if name.contains('%') && name.split_whitespace().count() > 3 {
        return pattern(name).map(DataFile::Several).map_err(damaged);
    }
    Ok(DataFile::Named(name.to_owned()))
}

fn per_axis(name: &str, found: usize, dimension: usize) -> Result<(), FileProblem> {
    if found == dimension {
        return Ok(());
    }
    Err(damaged(format!(
        "{name} has {found} entries, but dimension is {dimension}"
    )))
}
