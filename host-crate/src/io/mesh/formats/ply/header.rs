//! Header of a PLY file: encoding, elements and their properties.

use crate::io::source::Source;
use crate::io::{ByteOrder, FileProblem};

/// Longest header line that is accepted, in bytes.
const MAX_LINE: usize = 1 << 12;
/// Largest number of header lines that is accepted.
const MAX_LINES: usize = 1000;

/// Type of a number in a PLY file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

impl Scalar {
    fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "char" | "int8" => Self::I8,
            "uchar" | "uint8" => Self::U8,
            "short" | "int16" => Self::I16,
            "ushort" | "uint16" => Self::U16,
            "int" | "int32" => Self::I32,
            "uint" | "uint32" => Self::U32,
            "float" | "float32" => Self::F32,
            "double" | "float64" => Self::F64,
            _ => return None,
        })
    }

    /// Returns the size of a number in binary files, in bytes.
    pub fn bytes(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    /// Decodes the number at the start of `bytes`, which must hold one. Every type converts exactly
    /// to f64.
    pub fn read(self, bytes: &[u8], order: ByteOrder) -> f64 {
        let mut field = [0; 8];
        let field = &mut field[..self.bytes()];
        field.copy_from_slice(&bytes[..self.bytes()]);
        if order == ByteOrder::Big {
            field.reverse();
        }
        match (self, &*field) {
            (Self::I8, &[a]) => f64::from(a as i8),
            (Self::U8, &[a]) => f64::from(a),
            (Self::I16, &[a, b]) => f64::from(i16::from_le_bytes([a, b])),
            (Self::U16, &[a, b]) => f64::from(u16::from_le_bytes([a, b])),
            (Self::I32, &[a, b, c, d]) => f64::from(i32::from_le_bytes([a, b, c, d])),
            (Self::U32, &[a, b, c, d]) => f64::from(u32::from_le_bytes([a, b, c, d])),
            (Self::F32, &[a, b, c, d]) => f64::from(f32::from_le_bytes([a, b, c, d])),
            (Self::F64, &[a, b, c, d, e, f, g, h]) => f64::from_le_bytes([a, b, c, d, e, f, g, h]),
            _ => f64::NAN, // unreachable: the field has the length of the type
        }
    }
}

/// Property of an element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Property {
    Scalar {
        name: String,
        scalar: Scalar,
    },
    List {
        name: String,
        count: Scalar,
        item: Scalar,
    },
}

impl Property {
    /// Returns the name.
    pub fn name(&self) -> &str {
        match self {
            Self::Scalar { name, .. } | Self::List { name, .. } => name,
        }
    }
}

/// Group of records of one kind: `vertex`, `face`, or a kind that the reader skips.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Element {
    pub name: String,
    pub count: u64,
    pub properties: Vec<Property>,
}

/// Encoding of the numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    /// Decimal numbers, separated by white space.
    Text,
    Binary(ByteOrder),
}

impl Encoding {
    fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "ascii" => Self::Text,
            "binary_little_endian" => Self::Binary(ByteOrder::Little),
            "binary_big_endian" => Self::Binary(ByteOrder::Big),
            _ => return None,
        })
    }
}

/// Contents of the header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Header {
    pub encoding: Encoding,
    pub elements: Vec<Element>,
}

impl Header {
    /// Reads the header and leaves `source` at the first element.
    pub fn read(source: &mut Source<'_>) -> Result<Self, FileProblem> {
        if read_line(source)?.as_deref() != Some("ply") {
            return Err(damaged("it does not start with \"ply\"".to_owned()));
        }
        let mut encoding = None;
        let mut elements: Vec<Element> = Vec::new();
        for _ in 0..MAX_LINES {
            let Some(line) = read_line(source)? else {
                return Err(damaged("it ends before end_header".to_owned()));
            };
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                ["end_header"] => {
                    let encoding = encoding
                        .ok_or_else(|| damaged("its header has no \"format\" line".to_owned()))?;
                    return Ok(Self { encoding, elements });
                }
                [] | ["comment" | "obj_info", ..] => {}
                ["format", name, _] => {
                    let named = Encoding::from_name(name).ok_or_else(|| invalid_line(&line))?;
                    if encoding.replace(named).is_some() {
                        return Err(damaged("its \"format\" line appears twice".to_owned()));
                    }
                }
                ["element", name, count] => {
                    let count = count.parse().map_err(|_| {
                        damaged(format!("the count of element {name:?} is {count:?}, which is not a whole number"))
                    })?;
                    if elements.iter().any(|element| element.name == name) {
                        return Err(damaged(format!("its element {name:?} appears twice")));
                    }
                    elements.push(Element {
                        name: name.to_owned(),
                        count,
                        properties: Vec::new(),
                    });
                }
                ["property", ..] => {
                    let property = parse_property(&words).ok_or_else(|| invalid_line(&line))?;
                    let element = elements.last_mut().ok_or_else(|| invalid_line(&line))?;
                    if element
                        .properties
                        .iter()
                        .any(|it| it.name() == property.name())
                    {
                        return Err(damaged(format!(
                            "its element {:?} has the property {} twice",
                            element.name,
                            property.name()
                        )));
                    }
                    element.properties.push(property);
                }
                _ => return Err(invalid_line(&line)),
            }
        }
        Err(damaged(format!(
            "its header has more than {MAX_LINES} lines"
        )))
    }
}

fn parse_property(words: &[&str]) -> Option<Property> {
    match *words {
        ["property", "list", count, item, name] => Some(Property::List {
            name: name.to_owned(),
            count: Scalar::from_name(count)?,
            item: Scalar::from_name(item)?,
        }),
        ["property", scalar, name] => Some(Property::Scalar {
            name: name.to_owned(),
            scalar: Scalar::from_name(scalar)?,
        }),
        _ => None,
    }
}

fn read_line(source: &mut Source<'_>) -> Result<Option<String>, FileProblem> {
    Ok(source
        .line(MAX_LINE)?
        .map(|line| String::from_utf8_lossy(&line).into_owned()))
}

fn invalid_line(line: &str) -> FileProblem {
    damaged(format!(
        "its header line {:?} is not valid PLY",
        line.chars().take(60).collect::<String>()
    ))
}

pub(super) fn damaged(problem: String) -> FileProblem {
    FileProblem::MeshFile {
        format: "PLY",
        problem,
    }
}
