//! Header fields that determine the volume.

use super::damaged;
use super::fields::{SYNONYMS, read_fields};
use crate::io::source::Source;
use crate::io::volume::data_file_list::{DataFileList, parse_pattern};
use crate::io::{ByteOrder, FileProblem, StoredType};

/// MetaIO's limit on the number of axes.
const MAX_AXES: usize = 10;

/// Location of the samples.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum DataFile {
    /// After the header, in the same file.
    Local,
    /// In the file of this name.
    Named(String),
    /// In several files.
    Several(DataFileList),
}

/// Header fields that determine the volume.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Header {
    pub sizes: Vec<u64>,
    pub components: u64,
    pub stored: StoredType,
    pub order: ByteOrder,
    pub binary: bool,
    pub compressed: bool,
    pub header_size: i64,
    /// Spacing of each axis: finite and not 0.
    pub spacing: Vec<f64>,
    /// Position of the first sample, one coordinate per axis.
    pub offset: Vec<f64>,
    /// Direction of each axis in world coordinates. The file's matrix lists one axis after another,
    /// so its rows are the columns of the direction matrix.
    pub directions: Vec<Vec<f64>>,
    pub has_spacing: bool,
    pub has_offset: bool,
    pub data_file: DataFile,
    /// Notes on the names of fields.
    pub notes: Vec<String>,
}

impl Header {
    /// Reads the header and leaves `source` at the first byte of local data.
    pub fn read(source: &mut Source<'_>) -> Result<Self, FileProblem> {
        let fields = read_fields(source)?;
        let get = |names: &[&str]| names.iter().find_map(|name| fields.get(name));
        let axes = match get(&["ndims"]) {
            None => return Err(damaged("no field NDims".to_owned())),
            Some(text) => match text.parse::<usize>() {
                Ok(axes) if (1..=MAX_AXES).contains(&axes) => axes,
                _ => return Err(damaged(format!("NDims is {text:?}; use 1 to {MAX_AXES}"))),
            },
        };
        let components = match get(&["elementnumberofchannels"]) {
            None => 1,
            Some(text) => match text.parse() {
                Ok(channels @ 1..) => channels,
                _ => {
                    return Err(damaged(format!(
                        "ElementNumberOfChannels is {text:?}; use an integer of at least 1"
                    )));
                }
            },
        };
        let sizes = list(
            "DimSize",
            get(&["dimsize"]).ok_or_else(|| damaged("no field DimSize".to_owned()))?,
        )?;
        check_axis_count("DimSize", sizes.len(), axes)?;
        let stated_spacing = get(&["elementspacing", "elementsize"]);
        let spacing = match stated_spacing {
            None => vec![1.0; axes],
            Some(text) => list("ElementSpacing", text)?,
        };
        check_axis_count("ElementSpacing", spacing.len(), axes)?;
        check_spacing(&spacing)?;
        let stated_offset = get(SYNONYMS[0]);
        let offset = match stated_offset {
            None => vec![0.0; axes],
            Some(text) => list("Offset", text)?,
        };
        check_axis_count("Offset", offset.len(), axes)?;
        let matrix = get(SYNONYMS[1]);
        let binary = flag("BinaryData", get(&["binarydata"]), true)?;
        let big = get(SYNONYMS[2]);
        let header_size = match get(&["headersize"]) {
            None => 0,
            Some(text) => text.parse().map_err(|_| {
                damaged(format!(
                    "HeaderSize is {text:?}, which is not a number of bytes"
                ))
            })?,
        };
        Ok(Self {
            sizes,
            components,
            stored: element_type(
                get(&["elementtype"]).ok_or_else(|| damaged("no field ElementType".to_owned()))?,
            )?,
            order: if flag("BinaryDataByteOrderMSB", big, false)? {
                ByteOrder::Big
            } else {
                ByteOrder::Little
            },
            binary,
            compressed: flag("CompressedData", get(&["compresseddata"]), false)?,
            header_size,
            spacing,
            offset,
            directions: parse_directions(matrix, axes)?,
            has_spacing: stated_spacing.is_some() || matrix.is_some(),
            has_offset: stated_offset.is_some(),
            notes: fields.notes(),
            data_file: data_file(get(&["elementdatafile"]).unwrap_or_default(), &fields.names)?,
        })
    }
}

/// Parses numbers separated by white space.
fn list<T: std::str::FromStr>(name: &str, value: &str) -> Result<Vec<T>, FileProblem> {
    let number = |word: &str| {
        word.parse()
            .map_err(|_| damaged(format!("{name} has {word:?}, which is not a valid number")))
    };
    value.split_whitespace().map(number).collect()
}

fn check_axis_count(name: &str, found: usize, axes: usize) -> Result<(), FileProblem> {
    if found == axes {
        return Ok(());
    }
    Err(damaged(format!(
        "{name} has {found} numbers, but NDims is {axes}"
    )))
}

fn check_spacing(spacing: &[f64]) -> Result<(), FileProblem> {
    for (axis, &step) in spacing.iter().enumerate() {
        if step == 0.0 || !step.is_finite() {
            return Err(damaged(format!(
                "ElementSpacing of axis {axis} is {step}; it must be a finite number other than 0"
            )));
        }
    }
    Ok(())
}

fn flag(name: &str, value: Option<&str>, default: bool) -> Result<bool, FileProblem> {
    match value.map(str::to_ascii_lowercase).as_deref() {
        None => Ok(default),
        Some("true" | "t" | "1" | "yes") => Ok(true),
        Some("false" | "f" | "0" | "no") => Ok(false),
        Some(other) => Err(damaged(format!("{name} is {other:?}; use True or False"))),
    }
}

/// Parses the direction of each axis; defaults to the unit vectors of the world axes.
fn parse_directions(matrix: Option<&str>, axes: usize) -> Result<Vec<Vec<f64>>, FileProblem> {
    let Some(matrix) = matrix else {
        let unit = |axis: usize| {
            (0..axes)
                .map(|k| if k == axis { 1.0 } else { 0.0 })
                .collect()
        };
        return Ok((0..axes).map(unit).collect());
    };
    let numbers: Vec<f64> = list("TransformMatrix", matrix)?;
    if numbers.len() != axes * axes {
        return Err(damaged(format!(
            "TransformMatrix has {} numbers, but NDims is {axes}, which needs {}",
            numbers.len(),
            axes * axes
        )));
    }
    Ok(numbers.chunks(axes).map(<[f64]>::to_vec).collect())
}

fn element_type(name: &str) -> Result<StoredType, FileProblem> {
    Ok(match name.to_ascii_uppercase().as_str() {
        "MET_CHAR" => StoredType::I8,
        "MET_UCHAR" => StoredType::U8,
        "MET_SHORT" => StoredType::I16,
        "MET_USHORT" => StoredType::U16,
        // MetaIO's MET_LONG has 32 bits.
        "MET_INT" | "MET_LONG" => StoredType::I32,
        "MET_UINT" | "MET_ULONG" => StoredType::U32,
        "MET_LONG_LONG" => StoredType::I64,
        "MET_ULONG_LONG" => StoredType::U64,
        "MET_FLOAT" => StoredType::F32,
        "MET_DOUBLE" => StoredType::F64,
        _ => {
            return Err(FileProblem::Unsupported {
                what: format!("MetaImage ElementType {name:?}"),
                advice: "convert the samples to an integer of 8 to 32 bits, MET_FLOAT or MET_DOUBLE",
            });
        }
    })
}

/// Parses the value of `ElementDataFile`. `names` are the lines after it.
fn data_file(name: &str, names: &[String]) -> Result<DataFile, FileProblem> {
    if name.is_empty() {
        return Err(damaged("ElementDataFile has no file name".to_owned()));
    }
    if name.eq_ignore_ascii_case("local") {
        return Ok(DataFile::Local);
    }
    if let Some(axes) = name.strip_prefix("LIST") {
        // Both "LIST 2D" and "LIST 2" are accepted.
        let axes = axes.trim().trim_end_matches(['D', 'd']);
        let axes = (!axes.is_empty()).then(|| {
            axes.parse().map_err(|_| {
                damaged(format!(
                    "ElementDataFile = LIST {axes:?} is not a number of axes"
                ))
            })
        });
        return Ok(DataFile::Several(DataFileList {
            names: names.to_vec(),
            axes: axes.transpose()?,
        }));
    }
    if name.contains('%') && name.split_whitespace().count() > 1 {
        // The step is optional.
        let step = if name.split_whitespace().count() == 3 {
            " 1"
        } else {
            ""
        };
        let parts = parse_pattern(&format!("{name}{step}"));
        return parts.map(DataFile::Several).map_err(damaged);
    }
    Ok(DataFile::Named(name.to_owned()))
}
