//! Lines of the text header: fields `Key = Value`, and the list of data files after them.

use super::damaged;
use crate::io::error::show_bytes;
use crate::io::source::Source;
use crate::io::volume::data_file_list::MAX_FILES;
use crate::io::{FileProblem, VolumeFormat};

/// Longest header line that is accepted, in bytes.
const MAX_LINE: usize = 1 << 16;
/// Longest header that is accepted, in bytes.
const MAX_HEADER: u64 = 1 << 20;

/// Names of one meaning, in lower case.
pub(super) const SYNONYMS: [&[&str]; 3] = [
    &["offset", "position", "origin"],
    &["transformmatrix", "rotation", "orientation"],
    &["binarydatabyteordermsb", "elementbyteordermsb"],
];

/// Names of the fields that are read, in the spelling of the format.
const NAMES: [&str; 18] = [
    "NDims",
    "DimSize",
    "ElementNumberOfChannels",
    "ElementType",
    "ElementSpacing",
    "ElementSize",
    "Offset",
    "Position",
    "Origin",
    "TransformMatrix",
    "Rotation",
    "Orientation",
    "BinaryData",
    "BinaryDataByteOrderMSB",
    "ElementByteOrderMSB",
    "CompressedData",
    "HeaderSize",
    "ElementDataFile",
];

/// Header field.
struct Field {
    /// Name as the file has it.
    name: String,
    /// Name in lower case.
    key: String,
    value: String,
}

/// Fields in the order of the file.
pub(super) struct Fields {
    all: Vec<Field>,
    /// Lines after a list of data files.
    pub names: Vec<String>,
}

impl Fields {
    /// Returns the value of the field with this name in lower case.
    pub fn get(&self, key: &str) -> Option<&str> {
        let field = self.all.iter().find(|field| field.key == key);
        field.map(|field| field.value.as_str())
    }

    /// Returns a note for each field whose name differs in case from that of the format: other
    /// readers ignore such a field.
    pub fn notes(&self) -> Vec<String> {
        let note = |field: &Field| {
            let known = NAMES
                .iter()
                .find(|name| name.eq_ignore_ascii_case(&field.name))?;
            (field.name != **known).then(|| {
                format!(
                    "the field {} is taken as {known}; other programs, which distinguish upper and lower case, ignore it",
                    field.name
                )
            })
        };
        self.all.iter().filter_map(note).collect()
    }
}

/// Fails if `new` repeats a field, or contradicts one of the same meaning: other readers take the
/// last one.
fn check_repetition(fields: &[Field], new: &Field) -> Result<(), FileProblem> {
    let name = &new.name;
    if new.key != "comment" && fields.iter().any(|field| field.key == new.key) {
        return Err(damaged(format!(
            "the field {name} appears twice; remove one of the lines"
        )));
    }
    let words = |value: &str| {
        value
            .split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let synonyms = SYNONYMS
        .iter()
        .find(|keys| keys.contains(&new.key.as_str()));
    for field in fields {
        let is_synonym = synonyms.is_some_and(|keys| keys.contains(&field.key.as_str()));
        if is_synonym && words(&field.value) != words(&new.value) {
            return Err(damaged(format!(
                "the fields {} and {name} have one meaning, but the values {:?} and {:?}; remove one of the lines",
                field.name, field.value, new.value
            )));
        }
    }
    Ok(())
}

/// Reads the fields up to `ElementDataFile`, and the file names after it if it is a list.
pub(super) fn read_fields(source: &mut Source<'_>) -> Result<Fields, FileProblem> {
    let mut fields = Vec::new();
    while let Some(line) = source.line(MAX_LINE)? {
        if line.len() >= MAX_LINE || source.position() > MAX_HEADER || fields.len() > 1000 {
            return Err(damaged(format!(
                "no ElementDataFile within {} bytes",
                source.position()
            )));
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let split = std::str::from_utf8(&line)
            .ok()
            .and_then(|line| line.split_once('='));
        let Some((key, value)) = split else {
            // If even the first line is not a field, the file has another format.
            if fields.is_empty() {
                return Err(FileProblem::WrongMagic {
                    format: VolumeFormat::MetaImage,
                    expected: "lines of the form \"Key = Value\"",
                    found: show_bytes(&line),
                });
            }
            return Err(damaged(format!(
                "the line starting {} has no \"=\"",
                show_bytes(&line)
            )));
        };
        let field = Field {
            name: key.trim().to_owned(),
            key: key.trim().to_ascii_lowercase(),
            value: value.trim().to_owned(),
        };
        let is_last = field.key == "elementdatafile";
        let is_list = is_last && field.value.starts_with("LIST");
        check_repetition(&fields, &field)?;
        fields.push(field);
        if is_last {
            let names = if is_list {
                read_names(source)?
            } else {
                Vec::new()
            };
            return Ok(Fields { all: fields, names });
        }
    }
    if fields.is_empty() {
        return Err(FileProblem::WrongMagic {
            format: VolumeFormat::MetaImage,
            expected: "lines of the form \"Key = Value\"",
            found: show_bytes(&[]),
        });
    }
    Err(damaged(
        "no field ElementDataFile; the file is truncated".to_owned(),
    ))
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
        let name = String::from_utf8_lossy(&line).trim().to_owned();
        if !name.is_empty() {
            names.push(name);
        }
    }
    Ok(names)
}
