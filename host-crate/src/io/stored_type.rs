//! Sample types and byte orders of files.

use std::fmt;
use std::str::FromStr;

use crate::grid::SampleType;

/// Type of the samples in a file. Files have more types than volumes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(missing_docs, reason = "the names are the documentation")]
pub enum StoredType {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    U64,
    I64,
    F32,
    F64,
}

impl StoredType {
    /// All types, from narrow to wide.
    pub const ALL: [Self; 10] = [
        Self::U8,
        Self::I8,
        Self::U16,
        Self::I16,
        Self::U32,
        Self::I32,
        Self::U64,
        Self::I64,
        Self::F32,
        Self::F64,
    ];

    /// Returns the size of one sample, in bytes.
    pub const fn bytes(self) -> usize {
        match self {
            Self::U8 | Self::I8 => 1,
            Self::U16 | Self::I16 => 2,
            Self::U32 | Self::I32 | Self::F32 => 4,
            Self::U64 | Self::I64 | Self::F64 => 8,
        }
    }

    /// Returns Rust's name of the type, such as `u8` or `f32`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::U8 => "u8",
            Self::I8 => "i8",
            Self::U16 => "u16",
            Self::I16 => "i16",
            Self::U32 => "u32",
            Self::I32 => "i32",
            Self::U64 => "u64",
            Self::I64 => "i64",
            Self::F32 => "f32",
            Self::F64 => "f64",
        }
    }

    /// Returns the sample type of a volume with such samples. Unsigned 32-bit and all 64-bit
    /// integers are read as `i32`; as `f64` if one of them does not fit, and as `i64` if `f64`
    /// cannot represent one of them.
    pub const fn sample_type(self) -> SampleType {
        match self {
            Self::U8 => SampleType::U8,
            Self::I8 => SampleType::I8,
            Self::U16 => SampleType::U16,
            Self::I16 => SampleType::I16,
            Self::U32 | Self::I32 | Self::U64 | Self::I64 => SampleType::I32,
            Self::F32 => SampleType::F32,
            Self::F64 => SampleType::F64,
        }
    }
}

impl From<SampleType> for StoredType {
    fn from(sample_type: SampleType) -> Self {
        match sample_type {
            SampleType::U8 => Self::U8,
            SampleType::I8 => Self::I8,
            SampleType::U16 => Self::U16,
            SampleType::I16 => Self::I16,
            SampleType::I32 => Self::I32,
            SampleType::I64 => Self::I64,
            SampleType::F32 => Self::F32,
            SampleType::F64 => Self::F64,
        }
    }
}

impl fmt::Display for StoredType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for StoredType {
    type Err = String;

    /// Parses `u8` as well as `uint8`, `f32` as well as `float32`, and so on.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let lower = text.to_ascii_lowercase();
        let short = lower
            .replace("uint", "u")
            .replace("int", "i")
            .replace("float", "f");
        Self::ALL
            .into_iter()
            .find(|stored| stored.name() == short)
            .ok_or_else(|| {
                let names = Self::ALL.map(Self::name).join(", ");
                format!("unknown sample type {text:?}; the types are {names}")
            })
    }
}

/// Order of the bytes of a sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ByteOrder {
    /// Least significant byte first.
    Little,
    /// Most significant byte first.
    Big,
}

impl ByteOrder {
    /// Byte order of this machine.
    pub const NATIVE: Self = if cfg!(target_endian = "little") {
        Self::Little
    } else {
        Self::Big
    };

    /// Returns the unsigned integer that these bytes, at most eight, encode.
    pub(crate) fn unsigned(self, bytes: &[u8]) -> u64 {
        let append = |number: u64, byte: &u8| number << 8 | u64::from(*byte);
        match self {
            Self::Little => bytes.iter().rev().fold(0, append),
            Self::Big => bytes.iter().fold(0, append),
        }
    }
}

impl Default for ByteOrder {
    /// Returns little-endian on every machine, so that equal volumes make equal files.
    fn default() -> Self {
        Self::Little
    }
}

impl fmt::Display for ByteOrder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Little => "little-endian",
            Self::Big => "big-endian",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn type_names_of_other_languages_are_parsed() {
        assert_eq!("uint16".parse(), Ok(StoredType::U16));
        assert_eq!("Int8".parse(), Ok(StoredType::I8));
        assert_eq!("float64".parse(), Ok(StoredType::F64));
        for stored in StoredType::ALL {
            assert_eq!(stored.name().parse(), Ok(stored));
        }
        assert!(
            "complex64"
                .parse::<StoredType>()
                .unwrap_err()
                .contains("complex64")
        );
    }

    #[test]
    fn sample_types_survive_writing_and_reading() {
        for sample_type in SampleType::ALL {
            let read = StoredType::from(sample_type).sample_type();
            // 64-bit integers are read as narrower ones if possible
            let is_wide = sample_type == SampleType::I64 && read == SampleType::I32;
            assert!(read == sample_type || is_wide, "{sample_type}");
        }
    }
}
