//! Values of header fields: numbers, vectors, types and encodings.

use super::damaged;
use crate::io::{FileProblem, StoredType};

/// Encoding of the samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    Raw,
    Gzip,
    Bzip2,
    Ascii,
    Hex,
}

impl Encoding {
    pub fn is_binary(self) -> bool {
        self != Self::Ascii
    }
}

/// Parses numbers separated by white space.
pub(super) fn list<T: std::str::FromStr>(name: &str, value: &str) -> Result<Vec<T>, FileProblem> {
    let number = |word: &str| {
        word.parse()
            .map_err(|_| damaged(format!("{name} has {word:?}, which is not a valid number")))
    };
    value.split_whitespace().map(number).collect()
}

/// Parses vectors in NRRD's notation: `(1,0,0) none (0,0,2.5)`.
pub(super) fn vectors(value: &str) -> Result<Vec<Option<Vec<f64>>>, FileProblem> {
    let invalid = || {
        damaged(format!(
            "{:?} is not a list of vectors like (1,0,0)",
            value.chars().take(60).collect::<String>()
        ))
    };
    let mut vectors = Vec::new();
    let mut remaining = value.trim_start();
    while !remaining.is_empty() {
        if let Some(after) = remaining.strip_prefix("none") {
            vectors.push(None);
            remaining = after.trim_start();
            continue;
        }
        let inside = remaining.strip_prefix('(').ok_or_else(invalid)?;
        let (inside, after) = inside.split_once(')').ok_or_else(invalid)?;
        let numbers = inside
            .split(',')
            .map(|word| word.trim().parse().map_err(|_| invalid()));
        vectors.push(Some(numbers.collect::<Result<Vec<f64>, _>>()?));
        remaining = after.trim_start();
    }
    Ok(vectors)
}

pub(super) fn stored_type(name: &str) -> Result<StoredType, FileProblem> {
    let name = name
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .to_ascii_lowercase();
    Ok(match name.as_str() {
        "signed char" | "int8" | "int8_t" => StoredType::I8,
        "uchar" | "unsigned char" | "uint8" | "uint8_t" => StoredType::U8,
        "short" | "short int" | "signed short" | "signed short int" | "int16" | "int16_t" => {
            StoredType::I16
        }
        "ushort" | "unsigned short" | "unsigned short int" | "uint16" | "uint16_t" => {
            StoredType::U16
        }
        "int" | "signed int" | "int32" | "int32_t" => StoredType::I32,
        "uint" | "unsigned int" | "uint32" | "uint32_t" => StoredType::U32,
        "longlong"
        | "long long"
        | "long long int"
        | "signed long long"
        | "signed long long int"
        | "int64"
        | "int64_t" => StoredType::I64,
        "ulonglong" | "unsigned long long" | "unsigned long long int" | "uint64" | "uint64_t" => {
            StoredType::U64
        }
        "float" => StoredType::F32,
        "double" => StoredType::F64,
        _ => {
            return Err(FileProblem::Unsupported {
                what: format!("NRRD type {name:?}"),
                advice: "convert the samples to an integer of 8 to 32 bits, float or double",
            });
        }
    })
}

pub(super) fn encoding(name: &str) -> Result<Encoding, FileProblem> {
    match name.to_ascii_lowercase().as_str() {
        "raw" => Ok(Encoding::Raw),
        "gzip" | "gz" => Ok(Encoding::Gzip),
        "bzip2" | "bz2" => Ok(Encoding::Bzip2),
        "ascii" | "text" | "txt" => Ok(Encoding::Ascii),
        "hex" => Ok(Encoding::Hex),
        other => Err(FileProblem::Unsupported {
            what: format!("NRRD encoding {other:?}"),
            advice: "convert the file to raw, gzip, bzip2, ascii or hex",
        }),
    }
}
